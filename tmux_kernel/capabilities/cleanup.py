"""What nobody uses any more goes: sessions of ours, and what was kept for kernels that are gone."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import TmuxNotRunningError, UsageError
from tmux_kernel.runs.memory import state_root
from tmux_kernel.tmux.session import SessionFacts, end_session, list_sessions

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@dataclass(frozen=True, slots=True)
class CleanedUp:
    """Names of sessions and directories that went, or with `is_dry_run` would go."""

    sessions: list[str]
    directories: list[str]
    kept: list[str]
    is_dry_run: bool

    @property
    def text(self) -> str:
        verb = "would go" if self.is_dry_run else "is gone"
        lines = [f"Session {name} {verb}" for name in self.sessions]
        lines += [f"{path} {verb}" for path in self.directories]
        lines += [f"Session {name} stays" for name in self.kept]
        return "\n".join(lines) or "Nothing to clean up."


def seconds(text: str) -> float:
    """`90s`, `30m`, `24h`, `7d`, `2w`, or plain seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw]?)", text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not an age.", suggestion="Give it as 30m, 24h or 7d.")
    return float(match[1]) * _SECONDS[match[2] or "s"]


@capability
async def cleanup(
    context: Context,
    *,
    older_than: Annotated[str, Arg("how long nothing was printed in it", metavar="AGE")] = "24h",
    dry_run: Annotated[bool, Arg("only say what would go")] = False,
) -> CleanedUp:
    """End sessions of ours that nobody is attached to and that have been quiet for long, and remove leftover files.

    A session with a person or a kernel attached stays, whatever its age; somebody's own sessions are not looked at.
    """
    before = time.time() - seconds(older_than)
    gone: list[SessionFacts] = []
    kept: list[SessionFacts] = []
    server_pid = 0
    try:
        connection = await context.connection()
        (line,) = await connection.command("display-message", "-p", "#{pid} #{client_pid}")
        server_pid, own_client = map(int, line.split())
        visitor = 0 if context.runner.owns_session else own_client
        for facts in await list_sessions(connection):
            is_used = any(client.pid != visitor for client in facts.clients)
            if facts.is_ours:
                (kept if is_used or facts.last_active > before else gone).append(facts)
        # The one we look from goes last: with it goes the connection.
        gone.sort(key=lambda facts: any(client.pid == visitor for client in facts.clients))
        for facts in gone if not dry_run else []:
            await end_session(connection, facts)
    except TmuxNotRunningError:
        pass
    living = {facts.name for facts in kept} | ({facts.name for facts in gone} if dry_run else set())
    directories = [path for path in _directories() if _is_orphan(path, before, server_pid, living)]
    for path in directories if not dry_run else []:
        shutil.rmtree(path, ignore_errors=True)
    names = sorted(facts.name for facts in gone)
    return CleanedUp(names, [str(path) for path in directories], sorted(facts.name for facts in kept), dry_run)


def _directories() -> list[Path]:
    with contextlib.suppress(FileNotFoundError):
        return sorted(path for path in (state_root() / "sessions").iterdir() if path.is_dir())
    return []


def _is_orphan(path: Path, before: float, server_pid: int, living: Collection[str]) -> bool:
    """Nobody holds it, nothing in it is recent, and the session it is for is no more."""
    if _is_held(path) or _newest(path) > before:
        return False
    try:
        record = json.loads((path / "session.json").read_text())
        session, server = str(record["session"]), int(record["server_pid"])
    except (OSError, ValueError, TypeError, KeyError):
        return True  # never had a session, or not one that can be found again
    if server == server_pid:
        return session not in living
    return not _is_running(server)


def _is_held(path: Path) -> bool:
    """Whether a live process uses it: `Memory` keeps one flight record per process, named by its id."""
    pids = [file.stem.partition("-")[2] for file in path.glob("flight-*.json")]
    return any(pid.isdigit() and _is_running(int(pid)) for pid in pids)


def _newest(path: Path) -> float:
    with contextlib.suppress(OSError):
        return max(item.lstat().st_mtime for item in (path, *path.rglob("*")))
    return time.time()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

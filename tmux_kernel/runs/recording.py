"""Any pane's bytes kept in a private log that outlives whoever asked for it; a place in it is a byte offset.

One log per pane: the one its kernel keeps when it is followed, else one of our own, named by an option of the pane.
tmux has one pipe per pane; a pipe that is the user's is left alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tmux_kernel.errors import CommandError, PaneNotFoundError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.memory import state_root
from tmux_kernel.runs.pane import private_directory
from tmux_kernel.runs.runner import Runner
from tmux_kernel.tmux.connection import Connection, lines_of
from tmux_kernel.tmux.feed import LogFeed, pipe_command
from tmux_kernel.tmux.target import PaneFacts, list_panes

LOG_OPTION = "@tmux_kernel_log"
INTERRUPTED = "the pane was not recorded for a while: what appeared meanwhile is missing"


@dataclass(frozen=True, slots=True)
class Recording:
    """A pane's log. *screen* is what the pane showed at byte 0 of a log that was begun just now, else None."""

    log: Path
    screen: list[str] | None = None
    note: str = ""

    @property
    def size(self) -> int:
        return self.log.stat().st_size


async def find_recording(runner: Runner, pane: PaneFacts) -> Recording | None:
    """The log the pane is being written to now, if it is one of ours."""
    if not pane.is_piped:
        return None
    for shell in runner.shells:
        if shell.facts.id == pane.id and isinstance(shell.feed, LogFeed):
            return Recording(shell.feed.log)
    server = await _server(runner.connection)
    option = await _option(runner.connection, pane.id)
    for log in [*([Path(option)] if option else []), *_on_record(server, pane)]:
        if log.exists() and _is_written(server, log):
            return Recording(log)
    return None


async def record(runner: Runner, pane: PaneFacts) -> Recording | None:
    """The pane's log, begun if need be; None when the user pipes the pane elsewhere, or it is dead without a log."""
    if pane.is_piped:
        return await find_recording(runner, pane)
    connection = runner.connection
    server = await _server(connection)
    option = await _option(connection, pane.id)
    if pane.is_dead:
        return Recording(Path(option)) if option and Path(option).exists() else None
    log = Path(option) if option and Path(option).exists() else await _new_log(connection, server, pane)
    is_new = log.stat().st_size == 0
    # One write, so one step for tmux: nothing appears between the screen that is told and the log's first byte.
    start = command("pipe-pane", "-t", pane.id, pipe_command(log)).decode()
    futures = connection.post(
        command("capture-pane", "-p", "-J", "-t", pane.id),
        command("set-option", "-p", "-t", pane.id, LOG_OPTION, str(log)),
        command("if-shell", "-F", "-t", pane.id, "#{pane_pipe}", "display-message -p taken", start),
    ) + connection.expect(1)
    try:
        screen, _, _, taken = [lines_of(reply) for reply in await asyncio.gather(*futures)]
    except CommandError as error:
        raise PaneNotFoundError(pane.name, []) from error
    if not taken:
        return Recording(log, screen if is_new else None, "" if is_new else INTERRUPTED)
    if _is_written(server, log):  # another of us was faster
        return Recording(log)
    connection.post(command("set-option", "-p", "-u", "-t", pane.id, LOG_OPTION))
    return None


async def _server(connection: Connection) -> int:
    (line,) = await connection.command("display-message", "-p", "#{pid}")
    return int(line)


async def _option(connection: Connection, pane: str) -> str:
    return "".join(await connection.command("show-options", "-pqv", "-t", pane, LOG_OPTION))


async def _new_log(connection: Connection, server: int, pane: PaneFacts) -> Path:
    """A fresh log, once those of panes that are gone are."""
    directory = private_directory(state_root() / "recordings")
    alive = {item.id for item in await list_panes(connection)}
    for old in directory.glob("*-*.log"):
        owner, _, number = old.stem.partition("-")
        if (owner == str(server) and f"%{number}" not in alive) or not _is_process(owner):
            old.unlink(missing_ok=True)
    log = directory / f"{server}-{pane.id.lstrip('%')}.log"
    log.touch(mode=0o600)
    return log


def _is_process(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OSError):
        return False
    return True


def _on_record(server: int, pane: PaneFacts) -> list[Path]:
    """Logs of kernels that follow the pane."""
    logs = []
    for path in state_root().glob("sessions/*/session*.json"):
        try:
            data = json.loads(path.read_text())
            record = data["panes"].get(pane.id)
            if data["server_pid"] == server and record is not None and record["pid"] == pane.pid:
                logs.append(Path(record["log"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return logs


def _is_written(server: int, log: Path) -> bool:
    """Whether a child of tmux writes *log* or is about to: a pipe that is on can still be the user's."""
    if sys.platform != "linux":
        return True
    own = _read(f"/proc/{server}/cmdline")
    for child in _read(f"/proc/{server}/task/{server}/children").split():
        line = _read(f"/proc/{int(child)}/cmdline")
        if os.fsencode(log) in line or line == own:  # the shell that becomes the writer, or not even that yet
            return True
        try:
            if os.readlink(f"/proc/{int(child)}/fd/1") == str(log):
                return True
        except OSError:
            continue
    return False


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""

"""Runs in a hidden window of their own: `auto:<id>`, with a log and an exit code on disk.

Nobody need be there: the window writes both, whoever asks later reads them. One private directory per run.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import shutil
import signal
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tmux_kernel.errors import CommandError, RunNotFoundError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.memory import state_root
from tmux_kernel.runs.pane import private_directory
from tmux_kernel.shell.foreground import Waits, family, look
from tmux_kernel.shell.integration import CTRL_C, write_private
from tmux_kernel.shell.text import TextDecoder
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import pipe_command

KEPT_RUNS = 200
KEPT_SECONDS = 7 * 24 * 3600.0
# The last bytes are on their way to the log when the command has ended (decisions/0001).
_LINGER_SECONDS = 0.3
_KILLED = 137


@dataclass(frozen=True, slots=True)
class AutoRun:
    """One such run, as its directory tells it."""

    id: str
    command: str
    session: str
    pane: str
    pid: int
    tty: str
    server_pid: int
    directory: str
    started: float

    @property
    def home(self) -> Path:
        return runs_root() / self.id

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        with contextlib.suppress(OSError, ValueError):
            return int((self.home / "exit").read_text())
        return None

    @property
    def is_there(self) -> bool:
        """Whether its process is."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def state(self) -> tuple[str, str]:
        """(state, what it asks): running, waiting-for-input, finished or dead."""
        if self.exit_code is not None:
            return "finished", ""
        if not self.is_there:
            return "dead", ""
        if look(self.pid, self.tty).waits in (Waits.LINE, Waits.KEYS):
            return "waiting-for-input", self.tail().rpartition("\n")[2].strip()
        return "running", ""

    def tail(self, size: int = 2000) -> str:
        with contextlib.suppress(OSError), self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - size))
            return TextDecoder().feed(file.read())
        return ""

    def harvest(self, since: int) -> tuple[str, int]:
        """(text from byte *since*, the cursor after it). A line or character still being written comes next time."""
        with self.log.open("rb") as file:
            file.seek(since)
            data = file.read()
        if self.exit_code is None:
            data = data[: data.rfind(b"\n") + 1]
        return TextDecoder().feed(data), since + len(data)


def runs_root() -> Path:
    return private_directory(state_root() / "auto")


def find(run: str) -> AutoRun:
    """The run *run* names; RunNotFoundError lists those there are."""
    try:
        return AutoRun(**json.loads((runs_root() / run / "run.json").read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise RunNotFoundError(run, [item.id for item in every()]) from error


def every() -> list[AutoRun]:
    """All runs kept, oldest first."""
    found = []
    for path in runs_root().glob("*/run.json"):
        with contextlib.suppress(OSError, ValueError, TypeError):
            found.append(AutoRun(**json.loads(path.read_text())))
    return sorted(found, key=lambda run: run.started)


async def start(
    connection: Connection, session: str, code: str, *, directory: str, environment: Mapping[str, str]
) -> AutoRun:
    """Run *code* in a hidden window of *session*; returns as soon as it is started."""
    prune()
    name = secrets.token_hex(4)
    home = private_directory(runs_root() / name)
    log = home / "log"
    log.touch(mode=0o600)
    write_private(home / "command.sh", code + "\n")
    script = write_private(home / "wrapper.sh", _wrapper(home, directory, environment))
    fields = "#{pane_id} #{pane_pid} #{pid} #{pane_tty}"
    line = f"exec bash {shlex.quote(str(script))}"
    try:
        answers = await connection.commands(
            command("new-window", "-d", "-a", "-P", "-F", fields, "-t", f"={session}:", "-n", f"auto:{name}", line),
            command("pipe-pane", "-o", "-t", f"={session}:auto\\:{name}", pipe_command(log)),
        )
    except CommandError:
        shutil.rmtree(home, ignore_errors=True)
        raise
    pane, pid, server_pid, tty = answers[0][0].split(" ", 3)
    run = AutoRun(name, code, session, pane, int(pid), tty, int(server_pid), directory, time.time())
    write_private(home / "run.json", json.dumps(asdict(run)))
    return run


def _wrapper(home: Path, directory: str, environment: Mapping[str, str]) -> str:
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())
    target = shlex.quote(str(home / "exit"))
    return f"""\
umask 077
trap : INT QUIT
{exports}cd -- {shlex.quote(directory)} && bash {shlex.quote(str(home / "command.sh"))}
code=$?
printf '%s' "$code" > {target}.new && mv {target}.new {target}
sleep {_LINGER_SECONDS}
exit "$code"
"""


async def stop(connection: Connection, run: AutoRun, *, kill: bool) -> None:
    """Ctrl-C in its pane, or with *kill* the end of its window; then it is over with the code of a killed process."""
    if not kill:
        await connection.commands(
            command("set-buffer", "-b", f"tmux-kernel-{run.id}", CTRL_C),
            command("paste-buffer", *connection.paste_flags, "-b", f"tmux-kernel-{run.id}", "-t", run.pane),
        )
        return
    for pid, _name in list(family(run.pid)) if run.is_there else []:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(CommandError):
        await connection.command("kill-pane", "-t", run.pane)
    if run.exit_code is None:
        write_private(run.home / "exit", str(_KILLED))


def prune(*, keep: int = KEPT_RUNS, seconds: float = KEPT_SECONDS) -> list[str]:
    """Forget finished runs past their number or age; returns their ids."""
    over = [run for run in every() if run.exit_code is not None or not run.is_there]
    old = [run for run in over if time.time() - run.started > seconds]
    surplus = over[: max(0, len(over) - keep)]
    gone = {run.id for run in [*old, *surplus]}
    for run in gone:
        shutil.rmtree(runs_root() / run, ignore_errors=True)
    return sorted(gone)

"""Who has a pane's terminal, and what it is waiting for: read from the terminal and the processes, not from text.

Linux only. Elsewhere, and for processes of another user, the answer is `Waits.UNKNOWN`.
"""

from __future__ import annotations

import enum
import os
import platform
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass

_IFLAG, _LFLAG = 0, 3
_START_OF_STACK = 25  # in /proc/PID/stat, counted after the name
# Blocked in one of these, a process waits for something to become readable.
_POLLING = ("poll_schedule_timeout", "do_select", "do_poll", "do_sys_poll", "ep_poll", "do_epoll_wait")
_READING = ("wait_woken", "n_tty_read")
_READ_CALLS = {"x86_64": {"0", "19"}, "aarch64": {"63", "65"}, "arm64": {"63", "65"}}.get(platform.machine(), set())
_KEEPER = "/keeper.sh\0"
# They copy another terminal to ours: what they wait for is in there.
RELAYS = {"sudo", "su", "script", "ssh", "docker", "podman", "kubectl", "screen", "tmux", "nsenter", "machinectl"}


class Waits(enum.Enum):
    """What the pane's foreground is doing."""

    SHELL_PROMPT = "the shell is at its prompt"
    LINE = "something reads a line from the terminal"
    KEYS = "something reads single keys from the terminal"
    NOTHING = "it is working, not waiting for the terminal"
    UNKNOWN = "it cannot be told"


@dataclass(frozen=True, slots=True)
class Foreground:
    """A look at a pane's foreground. `name` is the program's, `group` its process group."""

    waits: Waits
    name: str = ""
    group: int = 0
    is_shell: bool = False
    echoes: bool = True
    is_raw: bool = False


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    name: str
    group: int
    terminal: int
    foreground_group: int


def _read(path: str) -> str:
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _process(pid: int) -> _Process | None:
    text = _read(f"/proc/{pid}/stat")
    if not text:
        return None
    name_end = text.rfind(")")
    fields = text[name_end + 2 :].split()
    name = text[text.find("(") + 1 : name_end]
    return _Process(pid, name, int(fields[2]), int(fields[4]), int(fields[5]))


def image(pid: int) -> str:
    """A word that changes when the process replaces itself: where its stack begins. Empty when it cannot be told."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[_START_OF_STACK] if len(fields) > _START_OF_STACK else ""


def _family(pid: int, depth: int = 0) -> Iterator[int]:
    yield pid
    if depth > 8:
        return
    for child in _read(f"/proc/{pid}/task/{pid}/children").split():
        yield from _family(int(child), depth + 1)


def family(pid: int) -> list[tuple[int, str]]:
    """The process and its descendants, each with its program's name."""
    return [(process.pid, process.name) for member in _family(pid) if (process := _process(member)) is not None]


def _is_reading_terminal(pid: int, tty: str) -> bool:
    channel = _read(f"/proc/{pid}/wchan")
    if not channel.startswith(_READING):
        return False
    call = _read(f"/proc/{pid}/syscall").split()
    if not call:  # not allowed to look: its standard input has to do
        return _is_terminal(pid, "0", tty)
    if _READ_CALLS and call[0] not in _READ_CALLS:
        return False
    return _is_terminal(pid, str(int(call[1], 16)), tty)


def _is_foreign(pid: int) -> bool:
    try:
        return os.geteuid() not in (0, os.stat(f"/proc/{pid}").st_uid)
    except OSError:
        return False


def _is_terminal(pid: int, descriptor: str, tty: str) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/fd/{descriptor}") in (tty, "/dev/tty")
    except OSError:
        return False


def _modes(tty: str) -> tuple[bool, bool, bool] | None:
    """(line mode, echo, Enter is made a newline), or None when the terminal is gone or not ours to open.

    Never kept open: see decisions/0002.
    """
    try:
        descriptor = os.open(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        attributes = termios.tcgetattr(descriptor)
    except termios.error:
        return None
    finally:
        os.close(descriptor)
    local, entered = attributes[_LFLAG], attributes[_IFLAG]
    return bool(local & termios.ICANON), bool(local & termios.ECHO), bool(entered & termios.ICRNL)


def shell_under(pid: int) -> int:
    """The shell a pane's first process *pid* keeps (keeper.sh); *pid* itself when it is no keeper."""
    if _KEEPER not in _read(f"/proc/{pid}/cmdline"):
        return pid
    for child in _read(f"/proc/{pid}/task/{pid}/children").split():
        process = _process(int(child))
        if process is not None and process.name != "sleep":
            return process.pid
    return pid


def look(shell_pid: int, tty: str) -> Foreground:
    """Look at the pane whose first process is *shell_pid* on terminal *tty*. A few /proc files; no process."""
    if sys.platform != "linux":
        return Foreground(Waits.UNKNOWN)
    shell_pid = shell_under(shell_pid)
    shell = _process(shell_pid)
    modes = _modes(tty)
    if shell is None or modes is None:
        return Foreground(Waits.UNKNOWN)
    group = shell.foreground_group
    is_shell = group == shell.group
    members = [
        process
        for pid in _family(shell_pid)
        if (process := _process(pid)) is not None and process.group == group and process.terminal == shell.terminal
    ]
    leader = next((process for process in members if process.pid == group), members[0] if members else shell)
    reader = next((process for process in members if _is_reading_terminal(process.pid, tty)), None)
    if reader is not None:  # it set the terminal before it began to read: a password must not be taken for echoed
        modes = _modes(tty) or modes
    by_line, echoes, maps_enter = modes
    if by_line:
        # A password prompt of another user's process (sudo) cannot be looked into; line mode without echo says it.
        is_blind_password = not echoes and not is_shell and _is_foreign(leader.pid)
        waits = Waits.LINE if reader is not None or is_blind_password else Waits.NOTHING
        return Foreground(waits, (reader or leader).name, group, is_shell, echoes)
    if reader is not None:
        waits, leader = Waits.KEYS, reader
    elif leader.name in RELAYS:
        waits = Waits.UNKNOWN
    elif not _read(f"/proc/{leader.pid}/wchan").startswith(_POLLING):
        waits = Waits.NOTHING
    else:
        # `read -t 9 -n 1` polls as the prompt does, but only readline takes Enter as it comes.
        waits = Waits.SHELL_PROMPT if is_shell and not maps_enter else Waits.KEYS
    return Foreground(waits, leader.name, group, is_shell, echoes, is_raw=True)

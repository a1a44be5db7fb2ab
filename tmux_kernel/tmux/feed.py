"""A pane's bytes, in order, each exactly once: from a log that outlives us, or from control mode.

`LogFeed` has tmux copy the pane into a private file and is told when the file grows: what arrives while this
process is dead or stalled is still there. `OutputFeed` is for panes whose one pipe the user already has.
decisions/0001 has the measurements.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.watch import FileWatch

_READ_SIZE = 1 << 20
_READS_AT_ONCE = 4
_PUNCH_STEP = 1 << 24
_BLOCK = 1024
Listener = Callable[[bytes], None]


class Feed(Protocol):
    """Where a pane's bytes come from. `position` counts those already handed to the listener."""

    position: int

    def start(self, listener: Listener) -> None: ...
    def drain(self) -> None:
        """Hand over what has arrived but not been announced yet."""

    def close(self) -> None: ...


def pipe_command(log: Path) -> str:
    """The shell command tmux pipes a pane into.

    Should nobody be there to read and trim the log, it stops at half of the space that was free.
    """
    free = shutil.disk_usage(log.parent).free
    line = f"umask 077; ulimit -f {max(free // 2, 1 << 26) // _BLOCK}; exec cat >> {shlex.quote(str(log))}"
    # tmux expands formats and strftime in it.
    return line.replace("#", "##").replace("%", "%%")


def pipe_line(pane: str, log: Path) -> bytes:
    """The tmux command that starts the log. A pane that is piped already loses its pipe instead: look first."""
    return command("pipe-pane", "-o", "-t", pane, pipe_command(log))


class LogFeed:
    """Follows a log from byte *position*; keeps the last *keep* bytes of it on disk and frees the rest."""

    def __init__(self, log: Path, watch: FileWatch, *, position: int = 0, keep: int = 1 << 26) -> None:
        self.log = log
        self.position = position
        self._keep = keep
        self._punched = 0
        self._watch = watch
        self._handle = -1
        self._listener: Listener = _ignore
        self._fd = os.open(log, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def start(self, listener: Listener) -> None:
        self._listener = listener
        self._handle = self._watch.add(self.log, self._fd, self.drain)
        self.drain()

    def drain(self) -> None:
        for _ in range(_READS_AT_ONCE):
            data = os.pread(self._fd, _READ_SIZE, self.position) if self._fd >= 0 else b""
            if not data:
                break
            self.position += len(data)
            self._listener(data)
        else:  # a writer as fast as this must not keep the loop to itself
            asyncio.get_running_loop().call_soon(self.drain)
        if self.position - self._keep - self._punched >= _PUNCH_STEP:
            self._punch()

    def close(self) -> None:
        if self._handle >= 0:
            self._watch.remove(self._handle)
            self._handle = -1
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _punch(self) -> None:
        """Free the disk blocks of what has been read; offsets stay as they are."""
        end = self.position - self._keep
        if sys.platform == "linux":
            import ctypes

            keep_size, punch_hole = 1, 2
            offset, length = ctypes.c_long(self._punched), ctypes.c_long(end - self._punched)
            with contextlib.suppress(AttributeError, OSError):
                ctypes.CDLL(None).fallocate(self._fd, keep_size | punch_hole, offset, length)
        self._punched = end


class OutputFeed:
    """The pane's `%output` on a connection attached to its session. What arrives while nobody is attached is lost."""

    def __init__(self, connection: Connection, pane: str) -> None:
        self.position = 0
        self._connection = connection
        self._pane = pane
        self._listener: Listener = _ignore

    def start(self, listener: Listener) -> None:
        self._listener = listener
        self._connection.on_output(self._pane, self._receive)

    def drain(self) -> None:
        """Control mode announces all it has."""

    def close(self) -> None:
        self._connection.on_output(self._pane, None)
        self._connection.close()

    def _receive(self, data: bytes) -> None:
        self.position += len(data)
        self._listener(data)


def _ignore(data: bytes) -> None:
    """Before `start` there is nobody to tell."""

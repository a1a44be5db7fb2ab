"""Being told by the operating system: a file has grown, a process has ended.

Linux: inotify and pidfd. macOS and the BSDs: kqueue. Nothing here polls.
"""

from __future__ import annotations

import asyncio
import os
import select
import struct
import sys
from collections.abc import Callable
from pathlib import Path

_IN_MODIFY = 0x2
_EVENT = struct.Struct("iIII")
# This many times in a row, each within so many seconds of the one before, is busy; then rest this long.
_BUSY_TIMES = 24
_BUSY_SECONDS = 0.001
_REST_SECONDS = 0.004


class FileWatch:
    """Calls a listener whenever its file is written to. One per loop is enough."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._listeners: dict[int, Callable[[], None]] = {}
        self._told = 0.0
        self._in_a_row = 0
        self._is_closed = False
        if sys.platform == "linux":
            import ctypes  # imported late: only this needs it

            self._libc = ctypes.CDLL(None, use_errno=True)
            self._fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if self._fd < 0:
                raise OSError(ctypes.get_errno(), "inotify is not available")
            self._loop.add_reader(self._fd, self._inotify_readable)
        else:
            self._queue = select.kqueue()
            self._fd = self._queue.fileno()
            self._loop.add_reader(self._fd, self._kqueue_readable)

    def add(self, path: Path, fd: int, listener: Callable[[], None]) -> int:
        """Watch *path*, open as *fd*; returns the handle for `remove`."""
        if sys.platform == "linux":
            handle = int(self._libc.inotify_add_watch(self._fd, os.fsencode(path), _IN_MODIFY))
            if handle < 0:
                raise OSError(f"cannot watch {path}: inotify's limits are used up")
        else:
            event = select.kevent(
                fd, select.KQ_FILTER_VNODE, select.KQ_EV_ADD | select.KQ_EV_CLEAR, select.KQ_NOTE_WRITE
            )
            self._queue.control([event], 0)
            handle = fd
        self._listeners[handle] = listener
        return handle

    def remove(self, handle: int) -> None:
        self._listeners.pop(handle, None)
        if sys.platform == "linux":
            self._libc.inotify_rm_watch(self._fd, handle)

    def close(self) -> None:
        self._is_closed = True
        self._listeners.clear()
        self._loop.remove_reader(self._fd)
        if sys.platform == "linux":
            os.close(self._fd)
        else:
            self._queue.close()

    def _inotify_readable(self) -> None:
        self._rest_if_busy()
        try:
            data = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return
        handles: set[int] = set()
        position = 0
        while position < len(data):
            handle, _mask, _cookie, length = _EVENT.unpack_from(data, position)
            handles.add(handle)
            position += _EVENT.size + length
        self._tell(handles)

    def _rest_if_busy(self) -> None:
        """A file written to thousands of times a second is read in larger steps: listen again in a moment."""
        now = self._loop.time()
        self._in_a_row = self._in_a_row + 1 if now - self._told < _BUSY_SECONDS else 0
        self._told = now
        if self._in_a_row >= _BUSY_TIMES:
            self._loop.remove_reader(self._fd)
            self._loop.call_later(_REST_SECONDS, self._listen)

    def _listen(self) -> None:
        if not self._is_closed:
            self._in_a_row = _BUSY_TIMES - 2
            self._told = self._loop.time()
            self._loop.add_reader(self._fd, self._inotify_readable)

    def _kqueue_readable(self) -> None:
        if sys.platform != "linux":
            self._tell({event.ident for event in self._queue.control(None, 64, 0)})

    def _tell(self, handles: set[int]) -> None:
        for handle in handles:
            listener = self._listeners.get(handle)
            if listener is not None:
                listener()


class ProcessWatch:
    """Calls *listener* once when the process *pid* has ended; it need not be our child."""

    def __init__(self, pid: int, listener: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._fd = -1
        self._soon: asyncio.Handle | None = None
        try:
            self._fd = self._open(pid)
        except OSError:  # gone already
            self._soon = self._loop.call_soon(listener)
            return
        self._loop.add_reader(self._fd, self._ended)

    def _open(self, pid: int) -> int:
        if sys.platform == "linux":
            return os.pidfd_open(pid)
        self._queue = select.kqueue()
        event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        self._queue.control([event], 0)
        return self._queue.fileno()

    def _ended(self) -> None:
        self.close()
        self._listener()

    def close(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
        if self._fd < 0:
            return
        self._loop.remove_reader(self._fd)
        if sys.platform == "linux":
            os.close(self._fd)
        else:
            self._queue.close()
        self._fd = -1

"""How much of a run's text is shown: its head as it comes, its tail at the end, one line for what was left out.

The whole of it goes to a private file as soon as it is more than is shown.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import IO

_TAIL_SHARE = 4


class Excerpt:
    """Keeps at most *limit* characters of a text; 0 keeps all of it."""

    def __init__(self, limit: int, whole: Callable[[], Path]) -> None:
        tail = limit // _TAIL_SHARE
        self._head_left = limit - tail
        self._tail_size = tail
        self._is_limited = limit > 0
        self._whole = whole
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._left_out = 0
        self._file: IO[str] | None = None
        self._path = Path()

    def add(self, text: str) -> str:
        """Take *text*; return the part of it to show now."""
        if not self._is_limited:
            return text
        if self._file is None:
            if len(text) <= self._head_left:
                self._head_left -= len(text)
                self._head.append(text)
                return text
            self._file = self._open()
        self._file.write(text)
        shown, rest = text[: self._head_left], text[self._head_left :]
        self._head_left -= len(shown)
        self._keep(rest)
        return shown

    def close(self) -> str:
        """The end of the text: nothing, or the line about what was left out and the tail."""
        if self._file is None:
            return ""
        tail = "".join(self._tail)
        if len(tail) > self._tail_size:
            self._left_out += len(tail) - self._tail_size
            tail = tail[-self._tail_size :] if self._tail_size else ""
        self._file.close()
        if not self._left_out:
            return tail
        return f"\n… {self._left_out:,} characters left out; the whole output is in {self._path} …\n{tail}"

    def _open(self) -> IO[str]:
        self._path = self._whole()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        file = open(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="")
        file.writelines(self._head)
        self._head.clear()
        return file

    def _keep(self, text: str) -> None:
        if not text:
            return
        self._tail.append(text)
        self._tail_length += len(text)
        while self._tail and self._tail_length - len(self._tail[0]) >= self._tail_size:
            dropped = self._tail.popleft()
            self._tail_length -= len(dropped)
            self._left_out += len(dropped)

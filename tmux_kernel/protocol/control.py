"""Control-mode bytes in, frozen events out, whatever the split.

A reply's body may contain lines that look like notifications; only the guard line that carries the same
`time number flags` as its `%begin` ends it.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """One command's answer. `solicited` is false for the greeting and for commands tmux ran on its own account."""

    number: int
    ok: bool
    lines: tuple[bytes, ...]
    solicited: bool


@dataclass(frozen=True, slots=True)
class PaneOutput:
    """Bytes a pane's program wrote, unescaped."""

    pane: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Notification:
    """Any other `%name arguments` line."""

    name: str
    arguments: str


Event = Reply | PaneOutput | Notification


def unescape_output(data: bytes) -> bytes:
    """Undo the octal escapes of an `%output` line."""
    if b"\\" not in data:
        return data
    return codecs.escape_decode(data)[0]


class ControlParser:
    """Splits a control client's standard output into events."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._guard: bytes | None = None
        self._body: list[bytes] = []

    def feed(self, data: bytes) -> list[Event]:
        """Return the events completed by *data*."""
        if b"\n" not in data:
            self._pending.append(data)
            return []
        if self._pending:
            self._pending.append(data)
            data = b"".join(self._pending)
            self._pending = []
        *lines, rest = data.split(b"\n")
        if rest:
            self._pending.append(rest)
        events: list[Event] = []
        for line in lines:
            event = self._line(line)
            if event is not None:
                events.append(event)
        return events

    def _line(self, line: bytes) -> Event | None:
        if self._guard is not None:
            return self._body_line(line)
        if not line.startswith(b"%"):
            return None
        if line.startswith(b"%output "):
            _, pane, data = line.split(b" ", 2)
            return PaneOutput(pane.decode(), unescape_output(data))
        if line.startswith(b"%begin "):
            self._guard = line[len(b"%begin ") :]
            self._body = []
            return None
        name, _, arguments = line[1:].partition(b" ")
        return Notification(name.decode(errors="replace"), arguments.decode(errors="replace"))

    def _body_line(self, line: bytes) -> Event | None:
        keyword, _, guard = line.partition(b" ")
        if guard != self._guard or keyword not in (b"%end", b"%error"):
            self._body.append(line)
            return None
        _time, number, flags = guard.split(b" ")
        reply = Reply(int(number), keyword == b"%end", tuple(self._body), bool(int(flags) & 1))
        self._guard = None
        self._body = []
        return reply

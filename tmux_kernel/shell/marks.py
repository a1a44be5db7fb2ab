"""Pane bytes in, what the shell did out.

Marks are OSC 133 with one extra field `tk=SECRET:…`. The secret is the pane's own and the prompt number only
ever grows, so neither a replayed transcript nor a hand-made OSC 133 is believed: a mark with another secret or
a number already seen is dropped. Everything that is not a mark is output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_INTRODUCER = b"\x1b]133;"
_MARK = re.compile(rb"\x1b\]133;([A-Z])((?:;[^;\x07\x1b]*)*)(?:\x07|\x1b\\)")
# What may still become a mark when more bytes come.
_UNFINISHED = re.compile(rb"\x1b\]133;(?:[A-Z](?:;[^;\x07\x1b]*)*\x1b?)?\Z")
# Longer than any mark of ours; an introducer with no end within it is somebody else's garbage.
_LONGEST_MARK = 512
# What `set -v` echoes when bash runs our first prompt hook: it stands between the output and the end mark.
VERBOSE_ECHO = b"{ __tk_first; } >/dev/null 2>&1\r\n"


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes between marks."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Started:
    """The shell has read a command and is about to run it."""

    number: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The shell is done with what it read. `number` is unchanged when there was nothing to run."""

    status: int
    prompt: int
    number: int


@dataclass(frozen=True, slots=True)
class Prompted:
    """The prompt is on the screen and the shell reads keys."""

    prompt: int


@dataclass(frozen=True, slots=True)
class Continued:
    """The shell wants more lines before it runs anything (PS2)."""


@dataclass(frozen=True, slots=True)
class Told:
    """The shell answered a question put to it by key."""

    topic: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Died:
    """The shell has ended, and this is the last of what it printed (keeper.sh)."""

    status: int


Event = Output | Started | Ended | Prompted | Continued | Told | Died


class MarkParser:
    """Knows one shell's marks by *secret*; *prompt* and *number* are the last ones already seen."""

    def __init__(self, secret: str, *, prompt: int = 0, number: int = 0) -> None:
        self._field = f"tk={secret}".encode()
        self._held = b""
        self.prompt = prompt
        self.number = number

    def feed(self, data: bytes) -> list[Event]:
        """Return the events completed by *data*."""
        if self._held:
            data = self._held + data
            self._held = b""
        events: list[Event] = []
        position = 0
        search = 0
        while (start := data.find(_INTRODUCER, search)) >= 0:
            match = _MARK.match(data, start, start + _LONGEST_MARK)
            if match is None:
                if len(data) - start < _LONGEST_MARK and _UNFINISHED.match(data, start):
                    self._hold(data, position, _echo_start(data, position, start), events)
                    return events
                search = start + len(_INTRODUCER)
                continue
            event = self._mark(match)
            self._output(data, position, start, event, events)
            if event is not None:
                events.append(event)
            position = search = match.end()
        self._hold(data, position, self._hold_from(data, position), events)
        return events

    def flush(self) -> list[Event]:
        """What was held back in case it began a mark: the pane has ended, so it did not."""
        held, self._held = self._held, b""
        return [Output(held)] if held else []

    def _output(self, data: bytes, start: int, end: int, before: Event | None, events: list[Event]) -> None:
        if isinstance(before, Ended) and data.endswith(VERBOSE_ECHO, start, end):
            end -= len(VERBOSE_ECHO)
        if end > start:
            events.append(Output(data[start:end]))

    def _hold(self, data: bytes, start: int, keep: int, events: list[Event]) -> None:
        self._output(data, start, keep, None, events)
        self._held = data[keep:]

    @staticmethod
    def _hold_from(data: bytes, start: int) -> int:
        """Where a mark may have begun at the end of *data*."""
        end = len(data)
        escape = data.rfind(b"\x1b", max(start, end - len(_INTRODUCER)))
        if escape >= 0 and _INTRODUCER.startswith(data[escape:]):
            end = escape
        return _echo_start(data, start, end)

    def _mark(self, match: re.Match[bytes]) -> Event | None:
        letter = match[1]
        fields = match[2].split(b";")[1:]
        tail = fields.pop() if fields else b""
        name, *numbers = tail.split(b":")
        if name != self._field:
            return None
        try:
            return self._event(letter, fields, [int(number) for number in numbers])
        except (ValueError, IndexError):
            return None

    def _event(self, letter: bytes, fields: list[bytes], numbers: list[int]) -> Event | None:
        if letter == b"C" and numbers[0] > self.number:
            self.number = numbers[0]
            return Started(numbers[0])
        if letter == b"D" and numbers[0] > self.prompt:
            ended = Ended(int(fields[0]), numbers[0], numbers[1])
            self.prompt, self.number = ended.prompt, ended.number
            return ended
        if letter == b"B" and numbers[0] == self.prompt:
            return Prompted(numbers[0])
        if letter == b"X":
            return Died(int(fields[0]))
        if letter == b"P":
            return Continued()
        if letter == b"T":
            topic, *rest = (field.decode("utf-8", "replace") for field in fields)
            return Told(topic, tuple(rest))
        return None


def _echo_start(data: bytes, start: int, end: int) -> int:
    """Where `set -v`'s echo of our hook may have begun before *end*; *end* when it has not."""
    brace = data.rfind(b"{", max(start, end - len(VERBOSE_ECHO)), end)
    return brace if brace >= 0 and VERBOSE_ECHO.startswith(data[brace:end]) else end

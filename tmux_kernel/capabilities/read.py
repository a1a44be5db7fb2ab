"""What a pane has shown: its last lines, all of them, or what is new."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.screen import without_empty_end
from tmux_kernel.errors import UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.recording import Recording, find_recording, record
from tmux_kernel.shell.text import TextDecoder, settled_length
from tmux_kernel.tmux.target import PaneFacts

_DEFAULT_LINES = 100
_MOST_BYTES = 1 << 20
_LAST = "last"
_CURSOR_OPTION = "@tmux_kernel_read"
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_RETURNED_TWICE = re.compile(r"\n\r+")
_PIPED = "the pane is piped elsewhere by its user, so there is no cursor: these are its last lines"
_DEAD = "the pane is dead and was not recorded: these are its last lines"
_FREED = "the oldest output is no longer kept"


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines of a pane. *cursor* is where a later `--since` goes on; None when the pane is not recorded."""

    pane: str
    name: str
    output: str
    lines_captured: int
    cursor: int | None
    has_more: bool
    note: str = ""

    @property
    def text(self) -> str:
        return "\n".join(part for part in (self.output, f"[{self.note}]" if self.note else "") if part)


@capability
async def read(
    context: Context,
    target: Annotated[str, Arg("the pane; the chosen one without it", values="pane")] = "",
    *,
    lines: Annotated[
        int, Arg("at most so many lines: the last 100 unless told, of --since the first", metavar="N")
    ] = 0,
    all_: Annotated[bool, Arg("everything tmux still has")] = False,
    since: Annotated[
        str | None, Arg("only what is new since CURSOR, or since the last such read", metavar="CURSOR", implied=_LAST)
    ] = None,
    ansi: Annotated[bool, Arg("keep colours, as escape sequences")] = False,
) -> Reading:
    """Read a pane's lines: the last ones, all of them, or with --since only what is new.

    The first --since has the pane recorded from then on, in a private file, and gives what is on its screen. Each later
    one gives what came after; nothing is told twice and nothing is left out, however long the pane's history is. With
    `has_more` ask again from the new cursor.
    """
    if lines < 0:
        raise UsageError("--lines takes a number above 0.")
    pane = await context.pane(target)
    if since is not None:
        cursor = _cursor(since)
        recording = await record(context.runner, pane)
        if recording is not None:
            return await _new_lines(context, pane, recording, cursor, lines, ansi=ansi)
    reading = await _last_lines(context, pane, 0 if all_ else lines or _DEFAULT_LINES, ansi=ansi)
    if since is None:
        return reading
    return replace(reading, note=_DEAD if pane.is_dead else _PIPED)


def _cursor(since: str) -> int | None:
    if since == _LAST:
        return None
    if not since.isdecimal():
        raise UsageError(f"{since!r} is no cursor.", suggestion="A cursor is a number; the pane comes before --since.")
    return int(since)


async def _last_lines(context: Context, pane: PaneFacts, most: int, *, ansi: bool) -> Reading:
    connection = await context.connection()
    flags = ("-e",) if ansi else ()
    recording = await find_recording(context.runner, pane)
    cursor = None if recording is None else recording.size
    found = without_empty_end(await connection.command("capture-pane", "-p", "-J", *flags, "-S", "-", "-t", pane.id))
    shown = found[-most:] if most else found
    output = "\n".join(line.rstrip() for line in shown)
    return Reading(pane.id, pane.name, output, len(shown), cursor, len(shown) < len(found))


async def _new_lines(
    context: Context, pane: PaneFacts, recording: Recording, cursor: int | None, most: int, *, ansi: bool
) -> Reading:
    connection = await context.connection()
    note = recording.note
    if cursor is None and recording.screen is not None:
        shown = [line.rstrip() for line in without_empty_end(recording.screen)]
        output, end, has_more = "\n".join(shown), 0, False
    else:
        start = cursor if cursor is not None else await _remembered(context, pane)
        if start > recording.size:
            raise UsageError(
                f"There is no place {start} in what was recorded of pane {pane.name}.",
                suggestion=f"It goes to {recording.size}; the cursor may be of another pane.",
            )
        data, has_more = _cut(recording, start, most)
        kept = data.lstrip(b"\0")
        note = note or (_FREED if len(kept) < len(data) else "")
        end = start + len(data)
        decoder = TextDecoder()
        # readline returns the carriage once more before a command's first line
        output = _RETURNED_TWICE.sub("\n", decoder.feed(kept) + decoder.finish())
    if cursor is None:
        await connection.commands(command("set-option", "-p", "-t", pane.id, _CURSOR_OPTION, str(end)))
    output = output if ansi else _COLOUR.sub("", output)
    return Reading(pane.id, pane.name, output, len(output.splitlines()), end, has_more, note)


async def _remembered(context: Context, pane: PaneFacts) -> int:
    connection = await context.connection()
    return int("".join(await connection.command("show-options", "-pqv", "-t", pane.id, _CURSOR_OPTION)) or 0)


def _cut(recording: Recording, start: int, most: int) -> tuple[bytes, bool]:
    """Bytes from *start* in whole lines and characters, and whether there are more."""
    descriptor = os.open(recording.log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.pread(descriptor, _MOST_BYTES + 1, start)
    finally:
        os.close(descriptor)
    has_more = len(data) > _MOST_BYTES
    data = data[:_MOST_BYTES]
    if most:
        end = 0
        for _ in range(most):
            end = data.find(b"\n", end) + 1
            if not end:
                break
        if end and end < len(data):
            return data[:end], True
    return data[: settled_length(data)], has_more

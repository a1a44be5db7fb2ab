"""A line typed into a pane, and no waiting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.protocol.quoting import command
from tmux_kernel.shell.foreground import look
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.keys import key_bytes
from tmux_kernel.tmux.paste import paste
from tmux_kernel.tmux.target import PaneFacts


@dataclass(frozen=True, slots=True)
class Sent:
    """What was typed where, and when (UTC)."""

    pane: str
    name: str
    command: str
    sent_at: str

    @property
    def text(self) -> str:
        return f"sent to {self.name} ({self.pane})"


@capability
async def send(
    context: Context,
    target: Annotated[str, Arg("the pane to type into", values="pane")],
    words: Annotated[list[str], Arg("what to type; several words are joined by spaces", metavar="TEXT")],
    *,
    no_enter: Annotated[bool, Arg("do not press Enter after it")] = False,
    clear: Annotated[bool, Arg("clear the screen first")] = False,
) -> Sent:
    """Type a line into a pane and press Enter, without waiting for anything.

    The text is taken literally: no word of it is a key (`keys` presses keys). Nothing is typed in copy mode.
    Words that begin with a dash come after `--`.
    """
    pane = await context.pane(target)
    connection = await context.connection()
    text = " ".join(words)
    typed = text.replace("\n", "\r").encode("utf-8", "surrogateescape")
    if clear:
        await _clear(connection, pane)
    if "\n" in text:  # several lines are one paste to a program that knows pastes; Enter is not part of it
        await paste(connection, pane, typed, is_bracketed=True)
        typed = b""
    await paste(connection, pane, typed + (b"" if no_enter else key_bytes("Enter")))
    return Sent(pane.id, pane.name, text, datetime.now(UTC).isoformat(timespec="milliseconds"))


async def _clear(connection: Connection, pane: PaneFacts) -> None:
    """A program that reads keys draws itself anew on Ctrl-L; another would take it for text, so tmux clears for it."""
    if look(pane.pid, pane.tty).is_raw:
        await paste(connection, pane, key_bytes("C-l"))
    elif not pane.is_in_mode:
        await connection.commands(command("send-keys", "-R", "-t", pane.id))

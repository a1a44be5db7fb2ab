"""Text pasted into a pane: for secrets, and for what no shell should quote."""

from __future__ import annotations

import asyncio
import getpass
import sys
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError
from tmux_kernel.tmux.keys import key_bytes
from tmux_kernel.tmux.paste import paste as paste_bytes


@dataclass(frozen=True, slots=True)
class Pasted:
    """How much was pasted; what it was is not repeated anywhere."""

    pane: str
    name: str
    characters: int

    @property
    def text(self) -> str:
        return f"pasted {self.characters} characters into {self.name} ({self.pane})"


@capability
async def paste(
    context: Context,
    target: Annotated[str, Arg("the pane; the chosen one without it", values="pane")] = "",
    *,
    text: Annotated[str | None, Arg("what to paste; without it standard input is read to its end")] = None,
    enter: Annotated[bool, Arg("press Enter after it")] = False,
) -> Pasted:
    """Paste text into a pane as it is; a secret is best given on standard input.

    It travels to tmux over a pipe and through a buffer that is gone at once: never in the arguments of a process, in a
    history or in a message. One newline at the end of standard input is left out; a terminal is asked without echo.
    """
    pane = await context.pane(target)
    if text is None and context.is_notebook:
        raise UsageError("A notebook has no standard input.", suggestion="Give the text with --text.")
    given = await asyncio.to_thread(_from_stdin) if text is None else text
    data = given.replace("\n", "\r").encode("utf-8", "surrogateescape")
    connection = await context.connection()
    await paste_bytes(connection, pane, data, is_bracketed=True)
    if enter:
        await paste_bytes(connection, pane, key_bytes("Enter"))
    return Pasted(pane.id, pane.name, len(given))


def _from_stdin() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("paste: ")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape").removesuffix("\n")

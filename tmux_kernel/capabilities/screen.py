"""What is on a pane's screen now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.tmux.connection import Connection


@dataclass(frozen=True, slots=True)
class Screen:
    """The visible lines, without the empty ones at the end."""

    pane: str
    name: str
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@capability
async def screen(
    context: Context,
    target: Annotated[str, Arg("the pane; the chosen one without it", values="pane")] = "",
    *,
    ansi: Annotated[bool, Arg("keep colours, as escape sequences")] = False,
) -> Screen:
    """Show what is on a pane's screen now, also a full-screen program's."""
    pane = await context.pane(target)
    return Screen(pane.id, pane.name, await screen_lines(await context.connection(), pane.id, ansi=ansi))


async def screen_lines(connection: Connection, pane: str, *, ansi: bool = False) -> list[str]:
    """The pane's visible lines; empty ones at the end are left out."""
    flags = ("-e",) if ansi else ()
    return without_empty_end(await connection.command("capture-pane", "-p", *flags, "-t", pane))


def without_empty_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]

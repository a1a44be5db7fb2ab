"""A pane's size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.target import pane_facts


@dataclass(frozen=True, slots=True)
class Resized:
    """The size the pane has now: tmux gives what there is room for."""

    pane: str
    pane_id: str
    width: int
    height: int

    @property
    def text(self) -> str:
        return f"{self.pane} ({self.pane_id}) is {self.width}x{self.height}"


@capability
async def resize(
    context: Context,
    target: Annotated[str, Arg("the pane; by default the chosen one", values="pane")] = "",
    *,
    width: Annotated[str, Arg("columns, or a share of the window", metavar="N|N%")] = "",
    height: Annotated[str, Arg("lines, or a share of the window", metavar="N|N%")] = "",
    left: Annotated[int, Arg("move its border left by N", metavar="N")] = 0,
    right: Annotated[int, Arg("move its border right by N", metavar="N")] = 0,
    up: Annotated[int, Arg("move its border up by N", metavar="N")] = 0,
    down: Annotated[int, Arg("move its border down by N", metavar="N")] = 0,
) -> Resized:
    """Change a pane's size: to a width or height, or by moving a border."""
    for value in (width, height):
        if value and not re.fullmatch(r"[1-9]\d*%?", value):
            raise UsageError(f"{value!r} is not a size.", suggestion="Give cells (80), or a share (50%).")
    changes = [(flag, value) for flag, value in (("-x", width), ("-y", height)) if value]
    for flag, amount in (("-L", left), ("-R", right), ("-U", up), ("-D", down)):
        if amount < 0:
            raise UsageError("A border moves by a positive number.", suggestion="Choose the direction instead.")
        if amount:
            changes.append((flag, str(amount)))
    if not changes:
        raise UsageError("resize needs a size.", suggestion="Give --width, --height, --left, --right, --up or --down.")
    pane = await context.own_pane(target)
    connection = await context.connection()
    await connection.commands(*(command("resize-pane", "-t", pane.id, flag, value) for flag, value in changes))
    facts = await pane_facts(connection, pane.id)
    return Resized(facts.name, facts.id, *facts.size)

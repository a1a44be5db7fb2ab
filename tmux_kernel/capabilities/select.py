"""The pane people see and type in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.turn import turn


@dataclass(frozen=True, slots=True)
class Selected:
    pane: str
    pane_id: str

    @property
    def text(self) -> str:
        return f"{self.pane} ({self.pane_id}) is the active pane"


@capability
async def select(
    context: Context,
    target: Annotated[str, Arg("the pane", values="pane")],
) -> Selected:
    """Make a pane its session's active one, as a person would. Where cells run does not change."""
    pane = await context.pane(target)
    connection = await context.connection()
    async with turn():
        await connection.commands(
            command("select-window", "-t", f"={pane.session}:{pane.window}"),
            command("select-pane", "-t", pane.id),
        )
    return Selected(pane.name, pane.id)

"""A window of N panes, side by side."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.panes import PaneSummary
from tmux_kernel.errors import NoRoomError, UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.session import literal
from tmux_kernel.tmux.target import LABEL_OPTION, PaneFacts, list_panes


@dataclass(frozen=True, slots=True)
class Grid:
    """The window's panes, in its order."""

    window: str
    panes: list[PaneSummary]

    @property
    def text(self) -> str:
        return "\n".join(pane.text for pane in self.panes)


@capability
async def grid(
    context: Context,
    count: Annotated[int, Arg("how many panes the window is to have", metavar="N")],
    target: Annotated[str, Arg("a pane of the window; by default the chosen one", values="pane")] = "",
    *,
    label: Annotated[str, Arg("label the panes LABEL-1 … LABEL-N", metavar="LABEL")] = "",
) -> Grid:
    """Split a window until it has N panes, and tile them.

    All or nothing: where there is no room for N, the window is left as it was (NO_ROOM).
    """
    chosen = await context.own_pane(target)
    connection = await context.connection()
    there = await _panes_of(connection, chosen.window_id)
    if count < len(there):
        raise UsageError(
            f"Window {chosen.session}:{chosen.window} has {len(there)} panes, more than {count}.",
            suggestion="`kill` the ones you do not need, or make a window.",
        )
    if count > len(there):
        await _fill(connection, chosen, count - len(there))
    await connection.command("select-layout", "-t", chosen.window_id, "tiled")
    panes = await _panes_of(connection, chosen.window_id)
    if label:
        names = [f"{label}-{number}" for number in range(1, len(panes) + 1)]
        lines = [
            command("set-option", "-p", "-t", pane.id, LABEL_OPTION, name)
            for pane, name in zip(panes, names, strict=True)
        ]
        await connection.commands(*lines)
        panes = await _panes_of(connection, chosen.window_id)
    return Grid(f"{chosen.session}:{chosen.window}", [PaneSummary.of(pane) for pane in panes])


async def _panes_of(connection: Connection, window: str) -> list[PaneFacts]:
    panes = {pane.id: pane for pane in await list_panes(connection) if pane.window_id == window}
    return list(panes.values())


async def _fill(connection: Connection, chosen: PaneFacts, more: int) -> None:
    """Split in turn this way and that, tiling after each so that the next one has room; undone when one has none."""
    window = chosen.window_id
    (layout,) = await connection.command("display-message", "-p", "-t", window, "#{window_layout}")
    made: list[str] = []
    for number in range(more):
        direction = "-h" if number % 2 else "-v"
        last = made[-1] if made else chosen.id
        words = [direction, "-d", "-t", last, "-c", literal(chosen.directory), "-P", "-F", "#{pane_id}"]
        reply, _ = await asyncio.gather(
            *connection.post(command("split-window", *words), command("select-layout", "-t", window, "tiled"))
        )
        if not reply.ok:
            undo = [command("kill-pane", "-t", pane) for pane in made]
            await asyncio.gather(*connection.post(*undo, command("select-layout", "-t", window, layout)))
            raise NoRoomError(
                f"Window {chosen.session}:{chosen.window} has no room for {more - len(made)} more of {more} new panes.",
                suggestion="Ask for fewer, or make another window.",
            )
        made.append(reply.lines[0].decode())

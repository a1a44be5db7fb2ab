"""One keyboard for all panes of a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Synchronized:
    window: str
    is_on: bool

    @property
    def text(self) -> str:
        what = "goes to all its panes" if self.is_on else "goes to one pane"
        return f"What is typed in window {self.window} {what}"


@capability
async def sync(
    context: Context,
    state: Annotated[str, Arg("on or off", choices=("on", "off"))],
    target: Annotated[str, Arg("a pane of the window; by default the chosen one", values="pane")] = "",
) -> Synchronized:
    """Let what is typed in one pane go to every pane of its window, or to that one alone again."""
    if state not in ("on", "off"):
        raise UsageError(f"sync is on or off, not {state!r}.")
    pane = await context.own_pane(target)
    connection = await context.connection()
    await connection.command("set-option", "-w", "-t", pane.id, "synchronize-panes", state)
    return Synchronized(f"{pane.session}:{pane.window}", state == "on")

"""Every window and pane there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.tmux.target import PaneFacts, list_panes


@dataclass(frozen=True, slots=True)
class PaneSummary:
    """One pane, for a list."""

    id: str
    name: str
    label: str
    window: str
    directory: str
    width: int
    height: int
    is_active: bool
    is_dead: bool
    running: str

    @classmethod
    def of(cls, pane: PaneFacts) -> PaneSummary:
        width, height = pane.size
        return cls(
            pane.id, pane.name, pane.label, pane.window_name, pane.directory, width, height,
            pane.is_active, pane.is_dead, pane.current_command,
        )  # fmt: skip

    @property
    def text(self) -> str:
        label = f" [{self.label}]" if self.label else ""
        state = "dead" if self.is_dead else self.running
        active = " *" if self.is_active else ""
        return f"{self.name} {self.id}{label} {self.width}x{self.height} {state} {self.directory}{active}"


@dataclass(frozen=True, slots=True)
class PaneList:
    """Panes in the order of their sessions and windows."""

    panes: list[PaneSummary]

    @property
    def text(self) -> str:
        return "\n".join(pane.text for pane in self.panes) or "There are no panes."


@capability
async def panes(
    context: Context,
    session: Annotated[str, Arg("only this session's panes", values="session")] = "",
) -> PaneList:
    """List every window and pane: id, label, size, what runs, directory; `*` is the active one."""
    connection = await context.connection()
    found = await list_panes(connection)
    return PaneList([PaneSummary.of(pane) for pane in found if not session or pane.session == session])

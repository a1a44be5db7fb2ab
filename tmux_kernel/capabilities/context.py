"""What a capability may use, whoever calls it: the server, the chosen pane, the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmux_kernel.runs.pane import PaneShell
from tmux_kernel.runs.runner import Runner
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.target import PaneFacts, pane_facts, resolve, resolve_many


@dataclass(frozen=True, slots=True)
class Context:
    """Made by a face for each call. `is_notebook` lets defaults differ where a person cannot type."""

    runner: Runner
    is_notebook: bool = False

    async def connection(self) -> Connection:
        await self.runner.open()
        return self.runner.connection

    @property
    def session(self) -> str:
        """Our own session, or the one a command line visits. Open first."""
        return self.runner.record.session

    async def pane(self, target: str = "") -> PaneFacts:
        """The pane *target* names; the chosen one when it is empty."""
        connection = await self.connection()
        wanted = target or self.runner.chosen_target
        if not target and wanted.startswith("%"):
            return await pane_facts(connection, wanted)
        return await resolve(connection, wanted, own_session=self.session)

    async def panes(self, targets: Sequence[str]) -> list[PaneFacts]:
        """Every pane *targets* name, globs and labels included; the chosen one when there are none."""
        if not targets:
            return [await self.pane()]
        connection = await self.connection()
        return await resolve_many(connection, targets, own_session=self.session)

    async def shell(self, target: str = "") -> PaneShell:
        """The pane's shell, followed; adopted first when it is somebody's."""
        return await self.runner.shell(target)

    def is_ours(self, pane: PaneFacts) -> bool:
        """Whether the pane is in a session we made."""
        return self.runner.owns_session and pane.session == self.session

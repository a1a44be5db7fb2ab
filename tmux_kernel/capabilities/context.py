"""What a capability may use, whoever calls it: the server, the chosen pane, the engine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmux_kernel.errors import TmuxNotRunningError
from tmux_kernel.runs.pane import PaneShell
from tmux_kernel.runs.runner import Runner
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.session import NewSession, ensure_session, session_of_directory
from tmux_kernel.tmux.target import PaneFacts, pane_facts, resolve, resolve_many


@dataclass(frozen=True, slots=True)
class Context:
    """Made by a face for each call. `is_notebook` lets defaults differ where a person cannot type; `show` takes output
    as it comes, where somebody is looking."""

    runner: Runner
    is_notebook: bool = False
    show: Callable[[str], None] | None = None

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

    async def own_pane(self, target: str = "") -> PaneFacts:
        """Like `pane`, but a command line that names none never gets somebody's: its directory's session is made."""
        if target or self.runner.owns_session:
            return await self.pane(target)
        with contextlib.suppress(TmuxNotRunningError):
            pane = await self.pane()
            if pane.is_ours:
                return pane
        address, directory = self.runner.address, os.getcwd()
        name = session_of_directory(directory, address.socket)
        await ensure_session(address, NewSession(name, directory))
        return await resolve(await self.connection(), name, own_session=name)

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
        return pane.is_ours

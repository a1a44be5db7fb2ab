"""A session of our own, there when this returns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.session import NewSession, ensure_session, find_session, session_name, session_of_directory
from tmux_kernel.tmux.target import list_panes


@dataclass(frozen=True, slots=True)
class WindowSummary:
    """One window; `panes` is how many it has."""

    index: int
    name: str
    panes: int


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session of ours as it is now."""

    session: str
    is_new: bool
    windows: list[WindowSummary]
    active_pane: str
    active_pane_id: str

    @property
    def text(self) -> str:
        windows = ", ".join(f"{window.index} {window.name} ({window.panes})" for window in self.windows)
        state = "made" if self.is_new else "there already"
        return f"Session {self.session} ({state}): windows {windows}; active pane {self.active_pane}"

    @classmethod
    async def of(cls, connection: Connection, session: str, *, is_new: bool) -> SessionSummary:
        """The session as it is; SessionNotFoundError when it has gone meanwhile."""
        await find_session(connection, session)
        panes = [pane for pane in await list_panes(connection) if pane.session == session]
        counts: dict[tuple[int, str], int] = {}
        for pane in panes:
            counts[pane.window, pane.window_name] = counts.get((pane.window, pane.window_name), 0) + 1
        windows = [WindowSummary(index, name, count) for (index, name), count in counts.items()]
        active = next(pane for pane in panes if pane.is_active)
        return cls(session, is_new, windows, active.name, active.id)


def existing_directory(path: str) -> str:
    """*path* in full; UsageError when it is no directory, where tmux would quietly use another."""
    full = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(full):
        raise UsageError(f"{path!r} is not a directory.", suggestion="Name one that exists with --cwd.")
    return full


@capability
async def init(
    context: Context,
    *,
    session: Annotated[str, Arg("its name; by default one made from the working directory", values="session")] = "",
    cwd: Annotated[str, Arg("where its first shell starts", metavar="DIR", values="directory")] = "",
) -> SessionSummary:
    """Have a session of our own: made when it is not there, left as it is when it is.

    Starts a tmux server when none runs. A session of that name that is not ours is SESSION_EXISTS, and not touched.
    """
    directory = existing_directory(cwd or os.getcwd())
    if context.runner.owns_session and not session:
        connection = await context.connection()
        return await SessionSummary.of(connection, context.session, is_new=False)
    address = context.runner.address
    name = session_name(session) if session else session_of_directory(directory, address.socket)
    is_new = await ensure_session(address, NewSession(name, directory))
    return await SessionSummary.of(await context.connection(), name, is_new=is_new)

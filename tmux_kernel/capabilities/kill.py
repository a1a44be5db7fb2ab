"""The end of a pane or a window."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import LastPaneError, NotOursError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import lines_of
from tmux_kernel.tmux.target import pane_facts
from tmux_kernel.tmux.turn import turn

_HAS_OTHER_WINDOWS = "#{e|>:#{session_windows},1}"
_HAS_OTHER_PANES = f"#{{||:{_HAS_OTHER_WINDOWS},#{{e|>:#{{window_panes}},1}}}}"


@dataclass(frozen=True, slots=True)
class Killed:
    """What is gone: `kind` is pane or window."""

    killed: str
    kind: str
    pane_id: str

    @property
    def text(self) -> str:
        return f"{self.kind.capitalize()} {self.killed} is gone"


@capability
async def kill(
    context: Context,
    target: Annotated[str, Arg("the pane, or a pane of the window", values="pane")],
    *,
    window: Annotated[bool, Arg("end its whole window")] = False,
    force: Annotated[bool, Arg("also in a session that is not ours")] = False,
) -> Killed:
    """End a pane and what runs in it.

    Never a session's last pane or window (LAST_PANE), and in a session that is not ours only with --force (NOT_OURS).
    """
    pane = await context.pane(target)
    if not context.is_ours(pane) and not force:
        raise NotOursError(
            f"Pane {pane.name} ({pane.id}) is in a session that is not ours.",
            suggestion="--force ends it all the same.",
        )
    connection = await context.connection()
    condition, what = (_HAS_OTHER_WINDOWS, "kill-window") if window else (_HAS_OTHER_PANES, "kill-pane")
    # tmux decides in the same step it kills: two callers cannot end the last two panes between them.
    line = command("if-shell", "-F", "-t", pane.id, condition, f"{what} -t {pane.id}", "display-message -p kept")
    async with turn():
        _, reply = await asyncio.gather(*connection.post(line), *connection.expect(1))
    if lines_of(reply):
        await pane_facts(connection, pane.id)  # gone meanwhile is another error than kept
        raise LastPaneError(
            f"{pane.name} is the last {'window' if window else 'pane'} of session {pane.session!r}.",
            suggestion=f"`sessions --kill {pane.session}` ends the session.",
        )
    if window:
        return Killed(f"{pane.session}:{pane.window}", "window", pane.id)
    return Killed(pane.name, "pane", pane.id)

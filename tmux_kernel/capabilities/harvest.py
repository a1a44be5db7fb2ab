"""What a run has printed since last time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.runs import automation


@dataclass(frozen=True, slots=True)
class Harvested:
    """`cursor` is where the next harvest begins."""

    run: str
    lines: list[str]
    cursor: int
    state: str
    exit_code: int | None

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@capability
async def harvest(
    context: Context,
    run: Annotated[str, Arg("a run of `start`, or a background run of this notebook", values="run")],
    *,
    since: Annotated[int, Arg("cursor of the last harvest", metavar="CURSOR")] = 0,
) -> Harvested:
    """Read what a run has printed since a cursor; never a line twice, never one left out."""
    own = context.runner.runs.get(run)
    if own is not None:
        text = own.transcript[since:]
        code = own.outcome.status if own.outcome is not None else None
        return Harvested(run, text.splitlines(), since + len(text), own.state.value, code)
    auto = automation.find(run)
    state, _ = auto.state()
    text, cursor = auto.harvest(since)
    return Harvested(run, text.splitlines(), cursor, state, auto.exit_code)

"""The end of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.runs import automation
from tmux_kernel.runs.interruption import BY_A_PERSON
from tmux_kernel.runs.interruption import stop as stop_run


@dataclass(frozen=True, slots=True)
class Stopped:
    run: str
    is_over: bool

    @property
    def text(self) -> str:
        return f"{self.run} is over" if self.is_over else f"{self.run} was sent Ctrl-C"


@capability
async def stop(
    context: Context,
    run: Annotated[str, Arg("the run to stop", values="run")],
    *,
    kill: Annotated[bool, Arg("do not ask: kill it")] = False,
) -> Stopped:
    """Stop a run: Ctrl-C, or `--kill`."""
    own = context.runner.runs.get(run)
    if own is not None:
        shell = context.runner.shell_running(own)
        is_over = own.is_over or shell is None or await stop_run(shell, own, BY_A_PERSON)
        return Stopped(run, is_over)
    auto = automation.find(run)
    if auto.exit_code is None:
        await automation.stop(await context.connection(), auto, kill=kill)
    return Stopped(run, auto.exit_code is not None)

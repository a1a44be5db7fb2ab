"""What every run is doing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import RunNotFoundError
from tmux_kernel.runs import automation
from tmux_kernel.runs.run import Run


@dataclass(frozen=True, slots=True)
class RunStatus:
    """One run; `exit_code` is None until it is known."""

    run: str
    state: str
    exit_code: int | None
    prompt: str
    pane: str
    command: str
    seconds: float

    @property
    def text(self) -> str:
        how = f" ({self.exit_code})" if self.exit_code is not None else f": {self.prompt}" if self.prompt else ""
        first = self.command.strip().split("\n")[0]
        return f"{self.run} {self.state}{how} {self.pane} {self.seconds:.1f} s  {first}"

    @classmethod
    def of_auto(cls, run: automation.AutoRun) -> RunStatus:
        state, prompt = run.state()
        code = run.exit_code
        ended = (run.home / "exit").stat().st_mtime if code is not None else time.time()
        return cls(run.id, state, code, prompt, run.pane, run.command, round(max(0.0, ended - run.started), 1))

    @classmethod
    def of_run(cls, run: Run) -> RunStatus:
        result = run.outcome
        seconds = result.seconds if result is not None else run.seconds
        code = result.status if result is not None else None
        prompt = run.prompt.strip() if run.state.value == "waiting-for-input" else ""
        return cls(run.id, run.state.value, code, prompt, run.pane, run.command, round(seconds, 1))


@dataclass(frozen=True, slots=True)
class RunList:
    runs: list[RunStatus]

    @property
    def text(self) -> str:
        return "\n".join(run.text for run in self.runs) or "There are no runs."


@capability
async def status(
    context: Context,
    run: Annotated[str, Arg("only this one", values="run")] = "",
) -> RunList:
    """Say what every run is doing: running, waiting-for-input (and what it asks), finished with its code, raw, dead.

    Runs are those of `start`, of any process, and this notebook's own.
    """
    own = [RunStatus.of_run(item) for item in context.runner.runs.values()]
    found = [*own, *(RunStatus.of_auto(item) for item in automation.every())]
    chosen = [item for item in found if item.run == run] if run else found
    if run and not chosen:
        raise RunNotFoundError(run, [item.run for item in found])
    return RunList(chosen)

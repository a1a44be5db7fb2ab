"""A run whose cell is done: its output keeps arriving under that cell."""

from __future__ import annotations

import asyncio
import uuid

from tmux_kernel.kernel.front import Front
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.state import State
from tmux_kernel.shell.text import TextDecoder

_PAUSE_SECONDS = 0.25
_SHOWN_CHARACTERS = 20_000
# What can be harvested later; older text of a run that never stops printing is let go.
_KEPT_CHARACTERS = 10_000_000


async def watch(runner: Runner, run: Run, front: Front) -> None:
    """Show *run* in one place that is replaced as it goes on; its whole text stays in `run.transcript`."""
    run.is_background = True
    name = uuid.uuid4().hex
    front.display(_picture(run), name)
    decoder = TextDecoder()
    showing: asyncio.Task[None] | None = None

    async def show() -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        front.display(_picture(run), name, is_update=True)

    try:
        async for event in run.events():
            if isinstance(event, bytes):
                run.transcript = (run.transcript + decoder.feed(event))[-_KEPT_CHARACTERS:]
            if showing is None or showing.done():
                showing = asyncio.get_running_loop().create_task(show())
            if event is State.RAW:
                runner.abandon(run, None, "")
        run.transcript += decoder.finish()
    finally:
        if showing is not None:
            showing.cancel()
        front.display(_picture(run), name, is_update=True)


def _picture(run: Run) -> str:
    result = run.outcome
    if result is not None:
        state = f"exit code {result.status}" if result.status is not None else run.program and f"{run.program} has it"
    else:
        state = "running" if run.state in (State.SENT, State.RUNNING) else run.state.value
        if run.state is State.WAITING and run.prompt.strip():
            state += f": {run.prompt.strip()}"
    text = run.transcript[-_SHOWN_CHARACTERS:].rstrip("\n")
    return f"{text}\n[{run.id} {state}]" if text else f"[{run.id} {state}]"

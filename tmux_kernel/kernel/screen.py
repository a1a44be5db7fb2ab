"""A full-screen program's screen in its cell: text, refreshed in place a few times a second while it changes."""

from __future__ import annotations

import asyncio
import uuid

from tmux_kernel.kernel.front import Front
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.runner import Runner

_PAUSE_SECONDS = 0.25


async def screen_text(runner: Runner, pane: str) -> str:
    """The pane's screen with its colours; empty lines at the end left out."""
    lines = await runner.connection.command("capture-pane", "-p", "-e", "-t", pane)
    return "\n".join(lines).rstrip()


async def show_screen(runner: Runner, run: Run, front: Front) -> None:
    """Show the screen *run* draws until cancelled."""
    name = uuid.uuid4().hex
    shown = None
    while not run.is_over:
        run.drew.clear()
        text = await screen_text(runner, run.pane)
        if text != shown:
            front.display(text, name, is_update=shown is not None)
            shown = text
        await asyncio.sleep(_PAUSE_SECONDS)
        await run.drew.wait()

"""A full-screen program's screen in its cell: text, refreshed in place a few times a second while it changes."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

from tmux_kernel.runs.run import Run

if TYPE_CHECKING:
    from tmux_kernel.kernel.kernel import TmuxKernel

_PAUSE_SECONDS = 0.25


async def screen_text(kernel: TmuxKernel, pane: str) -> str:
    """The pane's screen with its colours; empty lines at the end left out."""
    lines = await kernel.runner.connection.command("capture-pane", "-p", "-e", "-t", pane)
    return "\n".join(lines).rstrip()


async def show_screen(kernel: TmuxKernel, run: Run) -> None:
    """Show the screen *run* draws until cancelled."""
    name = uuid.uuid4().hex
    message = "display_data"
    shown = None
    while not run.is_over:
        run.drew.clear()
        text = await screen_text(kernel, run.pane)
        if text != shown:
            content: dict[str, Any] = {"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": name}}
            kernel.send_response(kernel.iopub_socket, message, content)
            message, shown = "update_display_data", text
        await asyncio.sleep(_PAUSE_SECONDS)
        await run.drew.wait()

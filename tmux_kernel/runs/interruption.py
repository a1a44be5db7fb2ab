"""Getting a pane back from a run: ask with Ctrl-C, then with ever firmer signals, then give up and say so."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from tmux_kernel.errors import TmuxKernelError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.pane import PaneShell
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.state import OVER
from tmux_kernel.shell.integration import CTRL_C
from tmux_kernel.tmux.target import pane_facts


@dataclass(frozen=True, slots=True)
class Step:
    """One attempt: Ctrl-C in the pane (None) or a signal to the foreground programs, and how long to give it."""

    signal: signal.Signals | None
    seconds: float


# A person's interrupt: programs get time to clean up.
BY_A_PERSON = (
    Step(None, 1.0),
    Step(None, 1.0),
    Step(signal.SIGTERM, 1.0),
    Step(signal.SIGHUP, 1.0),
    Step(signal.SIGKILL, 1.0),
)
# Nobody can answer: the pane must be free within two seconds.
UNATTENDED = (
    Step(None, 0.35),
    Step(signal.SIGHUP, 0.25),
    Step(signal.SIGTERM, 0.25),
    Step(signal.SIGKILL, 0.5),
)


_BEGIN_SECONDS = 0.5


async def stop(shell: PaneShell, run: Run, steps: Sequence[Step]) -> bool:
    """Work through *steps* until the run is over; false when nothing helped. The shell itself is never killed."""
    # At the prompt Ctrl-C would only drop what is being typed, and the end of that is told by nobody.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_BEGIN_SECONDS):
            await run.began.wait()
    for step in steps:
        with contextlib.suppress(TmuxKernelError, ProcessLookupError, PermissionError):
            if step.signal is None:
                await shell.paste(CTRL_C)
            elif not _signal_foreground(shell, step.signal):
                continue
        if await _is_over(run, step.seconds):
            await _leave_screen(shell)
            return True
    return run.state in OVER


def _signal_foreground(shell: PaneShell, number: signal.Signals) -> bool:
    seen = shell.look()
    if seen.is_shell or seen.group <= 1:
        return False
    os.killpg(seen.group, number)
    return True


async def _is_over(run: Run, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await run.result()
            return True
    return False


async def _leave_screen(shell: PaneShell) -> None:
    """A killed full-screen program leaves its screen up: reset the terminal, for whoever is attached."""
    with contextlib.suppress(TmuxKernelError):
        facts = await pane_facts(shell.connection, shell.facts.id)
        if facts.has_alternate_screen:
            await shell.connection.commands(command("send-keys", "-R", "-t", facts.id))

"""Ctrl-C for a pane, and more than that when it does not help."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.runs.interruption import BY_A_PERSON, stop
from tmux_kernel.shell.foreground import Foreground, look
from tmux_kernel.shell.integration import CTRL_C
from tmux_kernel.tmux.paste import paste
from tmux_kernel.tmux.target import PaneFacts
from tmux_kernel.tmux.watch import ProcessWatch


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Who had the pane, and what was done; `has_ended` is None when nobody waited to see."""

    pane: str
    name: str
    program: str
    sent: list[str]
    has_ended: bool | None

    @property
    def text(self) -> str:
        ended = {None: "", True: ": it has ended", False: ": it goes on"}[self.has_ended]
        return f"sent {', '.join(self.sent)} to {self.program or 'what runs'} in {self.name} ({self.pane}){ended}"

    @property
    def process_exit_code(self) -> int:
        return 1 if self.has_ended is False else 0


@capability
async def interrupt(
    context: Context,
    target: Annotated[str, Arg("the pane; the chosen one without it", values="pane")] = "",
    *,
    firmly: Annotated[bool, Arg("go on with ever firmer signals until it has ended")] = False,
) -> Interrupted:
    """Send Ctrl-C to what runs in a pane.

    With --firmly, when it does not end: Ctrl-C again, SIGTERM, SIGHUP, SIGKILL, a second apart. The pane's own shell
    gets no more than Ctrl-C.
    """
    pane = await context.pane(target)
    seen = look(pane.pid, pane.tty)
    connection = await context.connection()
    if not firmly:
        await paste(connection, pane, CTRL_C)
        return Interrupted(pane.id, pane.name, seen.name, ["Ctrl-C"], None)
    shell = next((shell for shell in context.runner.shells if shell.facts.id == pane.id), None)
    if shell is not None and shell.run is not None:
        has_ended = await stop(shell, shell.run, BY_A_PERSON)
        return Interrupted(pane.id, pane.name, seen.name, ["Ctrl-C and what it took"], has_ended)
    if seen.is_shell or seen.group <= 1:
        await paste(connection, pane, CTRL_C)
        return Interrupted(pane.id, pane.name, seen.name, ["Ctrl-C"], None)
    sent, has_ended = await _end(context, pane, seen)
    return Interrupted(pane.id, pane.name, seen.name, sent, has_ended)


async def _end(context: Context, pane: PaneFacts, seen: Foreground) -> tuple[list[str], bool]:
    """Work through the steps until the foreground's leader has ended."""
    ended = asyncio.Event()
    watch = ProcessWatch(seen.group, ended.set)
    sent: list[str] = []
    try:
        for step in BY_A_PERSON:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if step.signal is None:
                    await paste(await context.connection(), pane, CTRL_C)
                else:
                    os.killpg(seen.group, step.signal)
            sent.append("Ctrl-C" if step.signal is None else step.signal.name)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(step.seconds):
                    await ended.wait()
                return sent, True
    finally:
        watch.close()
    return sent, False

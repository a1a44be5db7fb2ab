"""Stands by a run: notices that it waits for input, took the screen, took the pane, or ended without saying so.

There is no event for "a process reads the terminal", so this looks, a few /proc files at a time, when a run has been
quiet for a moment; ever more rarely while nothing changes. A pane with no run is never looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time

from tmux_kernel.errors import TmuxKernelError
from tmux_kernel.runs.pane import PaneShell
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.state import Signal, State
from tmux_kernel.shell.foreground import Foreground, Waits
from tmux_kernel.shell.text import TextDecoder

FIRST_LOOK_SECONDS = 0.08
_LONGEST_PAUSE_SECONDS = 0.5
_QUIET_SECONDS = 0.06
_START_SECONDS = 0.3
_TAKE_SECONDS = 3.0
_REMOTE_QUIET_SECONDS = 0.6
_PASSWORD = re.compile(r"(?i)(password|passphrase|passcode|pin)\b[^\n]*:\s*$")
_PROMPT = re.compile(r"(?:[$#%>❯»]|\[[yYnN]/[yYnN]\]|\?)\s*$")


async def attend(shell: PaneShell, run: Run) -> None:
    """Watch *run* until it is over."""
    pause = 0.0
    before: Foreground | None = None
    while not run.is_over:
        await asyncio.sleep(pause)
        pause = pause or FIRST_LOOK_SECONDS
        if run.is_over:
            continue
        if run.state is State.SENT:
            if run.seconds > _START_SECONDS:
                await _judge_unstarted(shell, run)
            continue
        quiet = time.monotonic() - run.last_output
        if quiet < _QUIET_SECONDS and not shell.is_withholding:
            pause = FIRST_LOOK_SECONDS
            continue
        seen = shell.look()
        is_steady = before is not None and (before.waits, before.group) == (seen.waits, seen.group)
        before = seen
        changed = await _judge(shell, run, seen, is_steady=is_steady, quiet=quiet)
        pause = FIRST_LOOK_SECONDS if changed or not is_steady else min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
        if pause == _LONGEST_PAUSE_SECONDS:
            with contextlib.suppress(TmuxKernelError):  # a lost pane or server is noticed elsewhere
                await shell.check_recording()


async def _judge_unstarted(shell: PaneShell, run: Run) -> None:
    if not run.is_armed:
        if run.seconds > _TAKE_SECONDS:
            shell.give_up(run)
    elif shell.look().waits is not Waits.SHELL_PROMPT:
        shell.assume_started(run)
    elif shell.wants_more:
        await shell.conclude()


async def _judge(shell: PaneShell, run: Run, seen: Foreground, *, is_steady: bool, quiet: float) -> bool:
    """Tell the run what was seen; true when it changed its state."""
    match seen.waits:
        case Waits.NOTHING:
            if seen.is_raw and not seen.is_shell and run.state is State.FULLSCREEN:
                return False  # it is thinking: the screen is still its own
            if shell.withholds_alternate_screen:
                return False  # it has the screen and is about to take the keys
            if not seen.is_shell and seen.is_raw and shell.withholds_screen:
                return _took_screen(shell, run, seen)
            shell.release_withheld()
            if run.state is State.FULLSCREEN:  # it gave the terminal back before it said so
                shell.leave_screen()
            return run.signal(Signal.ANSWERED)
        case Waits.LINE if is_steady:
            shell.release_withheld()
            return _asked(run, seen)
        case Waits.KEYS if not seen.is_shell:
            if shell.withholds_screen or run.state is State.FULLSCREEN:
                return _took_screen(shell, run, seen)
            if is_steady and quiet >= _QUIET_SECONDS:
                shell.release_withheld()
                run.program = seen.name
                return run.signal(Signal.TOOK_PANE)
        case Waits.KEYS if is_steady:
            shell.release_withheld()
            return _asked(run, seen)
        case Waits.SHELL_PROMPT if is_steady:
            if not await shell.conclude() and not run.is_over:
                shell.release_withheld()
                return _asked(run, seen)
        case Waits.UNKNOWN:
            return _by_text(shell, run, seen, quiet)
    return False


def _took_screen(shell: PaneShell, run: Run, seen: Foreground) -> bool:
    shell.drop_screen()
    run.program = seen.name
    return run.signal(Signal.TOOK_SCREEN)


def _asked(run: Run, seen: Foreground) -> bool:
    run.program = seen.name
    run.prompt = last_line(run)
    run.is_password = not seen.echoes and seen.waits is Waits.LINE
    return run.signal(Signal.ASKED)


def _by_text(shell: PaneShell, run: Run, seen: Foreground, quiet: float) -> bool:
    """No view of who waits (sudo's or ssh's other terminal): only a quiet, prompt-like last line counts."""
    if quiet < _REMOTE_QUIET_SECONDS:
        return False
    shell.release_withheld()
    line = last_line(run)
    run.program = seen.name
    if _PASSWORD.search(line):
        run.prompt, run.is_password = line, True
        return run.signal(Signal.ASKED)
    if _PROMPT.search(line):
        return run.signal(Signal.TOOK_PANE)
    return run.signal(Signal.ANSWERED)


def last_line(run: Run) -> str:
    """The unfinished line a program asks with."""
    text = re.sub(r"\x1b\[[0-9;:]*m", "", TextDecoder().feed(run.tail))
    return re.split(r"[\r\n]", text)[-1]

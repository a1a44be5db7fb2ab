"""A command run in a pane, to its end."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import (
    CommandError,
    ConnectionLostError,
    IncompleteCommandError,
    PaneNotFoundError,
    RunTimeoutError,
    UsageError,
)
from tmux_kernel.runs import run as runs
from tmux_kernel.runs.claim import claimed
from tmux_kernel.runs.interruption import UNATTENDED, Step, stop
from tmux_kernel.runs.pane import PaneShell
from tmux_kernel.runs.patience import TIERS, seconds_of, tier_of
from tmux_kernel.runs.state import State
from tmux_kernel.runs.syntax import SyntaxChecker
from tmux_kernel.shell.text import TextDecoder

_NAME = re.compile(r"[A-Za-z_]\w*")
_AFTER_TIMEOUT = (Step(None, 3.0),)
_ASKING = (State.WAITING, State.RAW, State.FULLSCREEN)
_LAST_LINES = 5
_NOBODY_KNOWS = 70


@dataclass(frozen=True, slots=True)
class RunResult:
    """What the command printed and how it ended; `exit_code` is None when nobody will ever know."""

    pane: str
    name: str
    command: str
    output: str
    exit_code: int | None
    seconds: float
    state: str
    note: str = ""
    is_shown: bool = False

    @property
    def text(self) -> str:
        """The output, unless it was shown as it came, and what else there is to say."""
        note = f"[{self.note}]" if self.note else ""
        return note if self.is_shown else "\n".join(part for part in (self.output.rstrip("\n"), note) if part)

    @property
    def process_exit_code(self) -> int:
        return _NOBODY_KNOWS if self.exit_code is None else self.exit_code


@capability
async def run(
    context: Context,
    target: Annotated[str, Arg("the pane to run it in", values="pane")],
    command: Annotated[list[str], Arg("the command; several words are joined by spaces")],
    *,
    timeout: Annotated[str, Arg("seconds, or quick, medium, long or off", metavar="SECONDS")] = "",  # noqa: ASYNC109
    cwd: Annotated[str, Arg("run it in this directory", metavar="DIR")] = "",
    env: Annotated[list[str], Arg("with this variable; may be given again", metavar="NAME=VALUE")] = [],  # noqa: B006
) -> RunResult:
    """Run a command in a pane's shell and wait for its end: its output, its exit code, how long it took.

    The pane's shell is followed for this one command and left as it was; what the command does to the shell (`cd`,
    variables) stays, except with --cwd or --env: then it runs in a subshell and nothing of it stays.

    Without --timeout a command on the command line has 5 s when it is of a quick kind (`ls`, `cat`, …), 300 s when it
    is of a long one (`make`, `pip`, `git clone`, …) and else 30 s; in a notebook as long as it takes. At the end of
    that it gets Ctrl-C. On the command line one that asks for input is stopped, for nobody can answer; the process
    exits with the command's code. Words that begin with a dash come after `--`.
    """
    code = " ".join(command)
    seconds = _seconds(timeout, code, is_notebook=context.is_notebook)
    code = _surrounded(code, cwd, env)
    await _require_complete(code)
    pane = await context.pane(target)
    runner = context.runner
    if any(shell.facts.id == pane.id for shell in runner.shells):
        return await _run(context, pane.id, code, " ".join(command), seconds)
    with claimed(runner.record.server_pid, pane):
        try:
            return await _run(context, pane.id, code, " ".join(command), seconds)
        finally:
            await _release(context, pane.id)


async def _run(context: Context, pane: str, code: str, command: str, seconds: float | None) -> RunResult:
    shell = await context.shell(pane)
    started = await context.runner.submit(code, pane)
    return await _Reader(context, shell, started).result(command, seconds)


async def _release(context: Context, pane: str) -> None:
    record = context.runner.record.panes.get(pane)
    if record is None or record.is_own or not context.runner.is_connected:
        return
    try:
        await context.runner.release(pane)
    except (PaneNotFoundError, CommandError, ConnectionLostError):  # the command ended the pane, or all of tmux
        return


def _seconds(timeout: str, code: str, *, is_notebook: bool) -> float | None:
    wanted = timeout or ("off" if is_notebook else tier_of(code))
    try:
        return seconds_of(wanted)
    except ValueError:
        raise UsageError(
            f"{timeout!r} is no timeout.", suggestion=f"Give a number of seconds, or one of {', '.join(TIERS)}."
        ) from None


def _surrounded(code: str, cwd: str, env: Sequence[str]) -> str:
    """The command with a directory and variables of its own: in a subshell, for there is no other way back."""
    if not cwd and not env:
        return code
    lines = [f"cd -- {shlex.quote(cwd)} || exit"] if cwd else []
    for assignment in env:
        name, equals, value = assignment.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f"{assignment!r} is no NAME=VALUE.")
        lines.append(f"export {name}={shlex.quote(value)}")
    return "( " + "; ".join(lines) + f"\n{code}\n)"


async def _require_complete(code: str) -> None:
    complaint = await SyntaxChecker(prepares=False).complaint(code)
    if complaint:
        raise IncompleteCommandError(complaint, suggestion="Nothing was sent: the shell would wait for more.")


class _Reader:
    """Collects a run's output to its end, its deadline, or its question."""

    def __init__(self, context: Context, shell: PaneShell, run: runs.Run) -> None:
        self._context = context
        self._shell = shell
        self._run = run
        self._decoder = TextDecoder()
        self._parts: list[str] = []
        self._note = ""

    async def result(self, command: str, seconds: float | None) -> RunResult:
        try:
            async with asyncio.timeout(seconds):
                await self._read()
        except TimeoutError:
            raise await self._timed_out(command, seconds) from None
        except asyncio.CancelledError:  # Ctrl-C on the command line is meant for the command
            if not self._context.is_notebook:
                await stop(self._shell, self._run, _AFTER_TIMEOUT)
            raise
        self._show(self._decoder.finish())
        facts, run = self._shell.facts, self._run
        result = await run.result()
        note = "; ".join(part for part in (self._note, result.note) if part)
        return RunResult(
            facts.id, facts.name, command, "".join(self._parts), result.status, round(result.seconds, 3),
            run.state.value, note, self._context.show is not None,
        )  # fmt: skip

    async def _read(self) -> None:
        async for event in self._run.events():
            if isinstance(event, bytes):
                self._show(self._decoder.feed(event))
            elif event in _ASKING and not self._context.is_notebook and not self._note:
                await self._refuse_to_answer(event)

    async def _refuse_to_answer(self, state: State) -> None:
        run = self._run
        asked = f" ({run.prompt.strip()})" if run.prompt.strip() else ""
        what = "has the pane" if state is not State.WAITING else f"waits for input{asked}"
        self._note = f"{run.program or 'it'} {what} and nobody can answer: it was stopped"
        if not await stop(self._shell, run, UNATTENDED):
            self._note = f"{run.program or 'it'} {what}, nobody can answer, and it cannot be stopped"
            self._context.runner.abandon(run, None, "it still runs in the pane")

    def _show(self, text: str) -> None:
        if not text:
            return
        self._parts.append(text)
        if self._context.show is not None:
            self._context.show(text)

    async def _timed_out(self, command: str, seconds: float | None) -> RunTimeoutError:
        has_ended = await stop(self._shell, self._run, _AFTER_TIMEOUT)
        for data in self._run.drain():
            self._show(self._decoder.feed(data))
        name = self._shell.facts.name
        lines = "".join(self._parts).splitlines()[-_LAST_LINES:]
        last = " Its last lines:\n" + "\n".join(lines) if lines else " It printed nothing."
        if has_ended:
            done = f"Ctrl-C ended it and {name} is at its prompt again."
            suggestion = "Give it longer with --timeout SECONDS, or --timeout off."
        else:
            done = f"Ctrl-C did not end it: it still runs in {name}."
            suggestion = f"`interrupt {name} --firmly` ends it; `read {name}` shows what it prints."
        return RunTimeoutError(f"{command!r} took longer than {seconds:g} s. {done}{last}", suggestion=suggestion)

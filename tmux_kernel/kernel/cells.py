"""A cell from its text to its reply: its magics, its run, what it asks, how it ended."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmux_kernel.errors import IncompleteCommandError, ShellNotSupportedError, TmuxKernelError
from tmux_kernel.kernel.background import watch
from tmux_kernel.kernel.cell import parse
from tmux_kernel.kernel.fanout import fan_out
from tmux_kernel.kernel.front import Front, Reply
from tmux_kernel.kernel.magics import KNOWN, run_magic
from tmux_kernel.kernel.options import CellOptions
from tmux_kernel.kernel.outlet import Outlet
from tmux_kernel.kernel.screen import show_screen
from tmux_kernel.runs.interruption import BY_A_PERSON, UNATTENDED, stop
from tmux_kernel.runs.memory import state_root
from tmux_kernel.runs.output import Excerpt
from tmux_kernel.runs.pane import PaneShell, private_directory
from tmux_kernel.runs.run import Result, Run
from tmux_kernel.runs.state import State
from tmux_kernel.shell.foreground import Waits
from tmux_kernel.shell.integration import ENTER

if TYPE_CHECKING:
    from tmux_kernel.kernel.kernel import TmuxKernel


@dataclass(slots=True)
class Deadline:
    """What became of a run that took too long."""

    seconds: float
    outcome: str = ""


class Cells:
    """Executes cells for one kernel; `run` is the one shown now, `interrupted` the last one a person stopped."""

    def __init__(self, kernel: TmuxKernel) -> None:
        self._kernel = kernel
        self._runner = kernel.runner
        self.run: Run | None = None
        self.interrupted: Run | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._watching: set[asyncio.Task[None]] = set()
        self._has_told_orphan = False
        self._is_fanning_out = False

    async def execute(self, code: str, front: Front) -> Reply:
        try:
            cell = parse(code, KNOWN)
            options = CellOptions()
            for call in cell.calls:
                outcome = await run_magic(self._kernel, call, front)
                if outcome.reply is not None:
                    return outcome.reply
                options = outcome.options or options
            if not cell.code:
                return {"status": "ok"}
            return await self._run_code(cell.code, front, options)
        except TmuxKernelError as error:
            return front.failure(type(error).__name__, error.message, str(error).split("\n"))
        except OSError as error:
            return front.failure("OSError", error.strerror or str(error), [str(error)])

    async def _run_code(self, code: str, front: Front, options: CellOptions) -> Reply:
        if not self._kernel.has_shell:
            raise ShellNotSupportedError(
                f"There is no {self._kernel.shell_command!r}.",
                suggestion="`TmuxKernel.shell_command` names the bash to use.",
            )
        if complaint := await self._kernel.checker.complaint(code):
            raise IncompleteCommandError(complaint, suggestion="Nothing was sent: the shell would wait for more.")
        await self._tell_orphan(front)
        code = options.surrounded(code)
        if options.is_several:
            self._is_fanning_out = True
            try:
                return await fan_out(self._runner, code, front, options)
            finally:
                self._is_fanning_out = False
        run = await self._runner.submit(code, options.target)
        if options.is_background:
            task = asyncio.get_running_loop().create_task(watch(self._runner, run, front))
            self._watching.add(task)
            task.add_done_callback(self._watching.discard)
            return {"status": "ok", "_run": _facts(run, None)}
        return await self.follow(run, front, options)

    async def follow(self, run: Run, front: Front, options: CellOptions | None = None) -> Reply:
        """Show a run until it is over or nobody need wait for it any longer."""
        options = options or CellOptions()
        outlet = self._outlet(run, front)
        self.run = run
        deadline = Deadline(options.timeout_seconds) if options.timeout_seconds is not None else None
        timer = asyncio.get_running_loop().create_task(self._time(run, deadline)) if deadline is not None else None
        asking: asyncio.Task[None] | None = None
        drawing: asyncio.Task[None] | None = None
        try:
            async for event in run.events():
                if isinstance(event, bytes):
                    outlet.write(event)
                    continue
                _cancel(asking, drawing)
                if event in (State.WAITING, State.FULLSCREEN, State.RAW):
                    await outlet.flush()
                    if not front.allows_input:
                        return await self._refuse(run, outlet, front)
                if event is State.WAITING:
                    asking = asyncio.get_running_loop().create_task(self._answer(run, front))
                elif event is State.FULLSCREEN and not front.is_silent:
                    drawing = asyncio.get_running_loop().create_task(show_screen(self._runner, run, front))
                elif event is State.RAW:
                    return await self._leave_raw(run, outlet, front)
            result = await run.result()
            if result.is_unread:
                return await self.follow(await self._runner.submit(run.command, options.target), front, options)
            if timer is not None and deadline is not None and not timer.done() and timer.cancelling() == 0:
                if deadline.outcome == "":
                    timer.cancel()
                else:
                    await timer
            await outlet.close()
            return self._reply(run, result, front, options, deadline)
        finally:
            _cancel(asking, drawing, timer)
            self.run = None

    async def _time(self, run: Run, deadline: Deadline) -> None:
        """Ctrl-C at the deadline, then firmer; which of them worked is told."""
        await asyncio.sleep(deadline.seconds)
        shell = self._runner.shell_running(run)
        if shell is None:
            return
        deadline.outcome = "It was sent Ctrl-C and ended."
        if not await stop(shell, run, BY_A_PERSON[:1]):
            deadline.outcome = "Ctrl-C did not end it; it was killed."
            if not await stop(shell, run, BY_A_PERSON[2:]):
                deadline.outcome = f"Neither Ctrl-C nor signals ended it: pane {shell.name} is still busy."
                self._runner.abandon(run, None, "")

    def _outlet(self, run: Run, front: Front) -> Outlet:
        def whole() -> Path:
            runs = private_directory(state_root() / "runs")
            return runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{run.id}.log"

        return Outlet(front.stream, Excerpt(self._kernel.output_limit, whole), self._kernel.rate)

    def _reply(self, run: Run, result: Result, front: Front, options: CellOptions, deadline: Deadline | None) -> Reply:
        if result.shell_ended:
            front.say(f"{result.note}; the next cell gets a fresh shell, without its variables and directory.")
        if run is self.interrupted:
            reply = front.failure("KeyboardInterrupt", "", [result.note or "Interrupted."])
        elif deadline is not None and deadline.outcome:
            what = f"no end after {deadline.seconds:g} s"
            reply = front.failure("TimedOut", what, [what, deadline.outcome])
        elif result.status in options.ok:
            reply = {"status": "ok"}
        elif result.status is None:
            what = "the shell ended" if result.shell_ended else "the run was lost sight of"
            reply = front.failure("RunLost", f"{what} and its exit code is not known", result.note.split("\n"))
        else:
            what = f"exit code {result.status}"
            reply = front.failure("CommandFailed", what, [what])
        reply["_run"] = _facts(run, result)
        return reply

    # -- input ------------------------------------------------------------------------------------------------

    async def _answer(self, run: Run, front: Front) -> None:
        """An input box for what waits in the pane; a person may as well answer there, then the box is forgotten."""
        text = await front.ask(run.prompt, is_password=run.is_password)
        shell = self._runner.shell_running(run)
        if shell is None or run.state is not State.WAITING:
            return
        run.answered()  # asked again should it go on waiting
        if shell.look().waits is not Waits.NOTHING:
            await shell.paste(text.encode("utf-8", "surrogateescape") + ENTER)

    async def _refuse(self, run: Run, outlet: Outlet, front: Front) -> Reply:
        """Something waits for keys and nobody can press any: free the pane and say what it was."""
        program, state, prompt = run.program or "the command", run.state, run.prompt.strip()
        shell = self._runner.shell_running(run)
        for event in run.drain():
            outlet.write(event)
        is_free = shell is None or await stop(shell, run, UNATTENDED)
        if not is_free:
            self._runner.abandon(run, None, "")
        await outlet.close()  # without what came of stopping it: `^C`, a traceback
        what = {
            State.WAITING: "waits for a password" if run.is_password else "waits for input",
            State.FULLSCREEN: "is a full-screen program and waits for keys",
            State.RAW: "has a prompt of its own and waits for keys",
        }[state]
        lines = [f"{program} {what}" + (f": {prompt}" if prompt else ""), "Input is not allowed here."]
        lines.append("It was stopped." if is_free else f"It would not stop: pane {run.pane} is still busy.")
        return front.failure("InputNotAllowed", f"{program} {what}", lines)

    async def _leave_raw(self, run: Run, outlet: Outlet, front: Front) -> Reply:
        """A nested shell or a REPL has the pane: the cell is done, the pane is not ours until it ends."""
        shell = self._runner.shell_running(run)
        self._runner.abandon(run, None, "")
        for event in run.drain():
            outlet.write(event)
        await outlet.close()
        name = shell.name if shell is not None else run.pane
        front.say(
            f"{run.program} now has pane {name}. Send keys with `%keys …`, leave it with `%keys C-d`,"
            " or choose another pane with `%pane`."
        )
        return {"status": "ok", "_run": {**_facts(run, None), "state": State.RAW.value}}

    # -- what a dead kernel left behind -----------------------------------------------------------------------

    async def _tell_orphan(self, front: Front) -> None:
        await self._runner.open()
        run = self._runner.orphan
        if run is None or self._has_told_orphan:
            return
        self._has_told_orphan = True
        result = run.outcome
        how = f"ended with exit code {result.status}" if result is not None else "is still running"
        first = run.command.strip().split("\n")[0]
        front.say(f"`{first}` was running when the kernel died and {how}. `%reattach` shows its output.")

    async def reattach(self, front: Front) -> Reply:
        """Show the run that was in flight when the kernel died, from its beginning, as if its cell were run now."""
        await self._runner.open()
        run, self._runner.orphan = self._runner.orphan, None
        if run is None:
            front.say("no run was left behind.")
            return {"status": "ok"}
        return await self.follow(run, front)

    # -- interrupt --------------------------------------------------------------------------------------------

    def interrupt(self) -> bool:
        """Ctrl-C for the run shown now; false when there is none to stop, or several that stop with their cell."""
        if self._is_fanning_out:
            return False
        if self._stopping is not None and not self._stopping.done():
            return True
        shell = self._runner.shell_running(self.run) if self.run is not None else self._runner.busy_shell()
        run = shell.run if shell is not None else None
        if shell is None or run is None or run is self._runner.orphan or run.is_background:
            return False
        # Also while it is being typed: what is on its way to the shell must be stopped there.
        self.interrupted = run
        self._stopping = asyncio.get_running_loop().create_task(self._stop(shell, run))
        return True

    async def _stop(self, shell: PaneShell, run: Run) -> None:
        if not await stop(shell, run, BY_A_PERSON):
            note = f"Pane {shell.name} ignores Ctrl-C and is still busy. Restarting the kernel gives a fresh shell."
            self._runner.abandon(run, None, note)

    def close(self) -> None:
        _cancel(*self._watching)


def _facts(run: Run, result: Result | None) -> dict[str, object]:
    seconds = round(result.seconds, 3) if result is not None else None
    code = result.status if result is not None else None
    return {"run": run.id, "pane": run.pane, "exit_code": code, "seconds": seconds, "state": run.state.value}


def _cancel(*tasks: asyncio.Task[None] | None) -> None:
    for task in tasks:
        if task is not None:
            task.cancel()

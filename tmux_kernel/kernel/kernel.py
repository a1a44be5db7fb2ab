"""The kernel: an adapter between Jupyter's messages and runs in panes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, ClassVar

import zmq
from ipykernel._version import kernel_protocol_version
from ipykernel.kernelbase import Kernel
from traitlets import Bool, Integer, Unicode, default

from tmux_kernel import __version__
from tmux_kernel.errors import IncompleteCommandError, ShellNotSupportedError, TmuxKernelError
from tmux_kernel.kernel.cell import parse
from tmux_kernel.kernel.completion import Assistant
from tmux_kernel.kernel.magics import MAGICS, run_magic
from tmux_kernel.kernel.outlet import Outlet, RateLimit
from tmux_kernel.kernel.screen import show_screen
from tmux_kernel.kernel.stdin import StdinChannel
from tmux_kernel.runs.interruption import BY_A_PERSON, UNATTENDED, stop
from tmux_kernel.runs.memory import Identity, state_root
from tmux_kernel.runs.output import Excerpt
from tmux_kernel.runs.pane import PaneShell, private_directory
from tmux_kernel.runs.run import Result, Run
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.session import SessionPlan
from tmux_kernel.runs.state import State
from tmux_kernel.runs.syntax import SyntaxChecker
from tmux_kernel.shell.foreground import Waits
from tmux_kernel.shell.integration import ENTER
from tmux_kernel.tmux.server import ServerAddress

Reply = dict[str, Any]

# Answered while a cell runs: they only look, or speak to the pane that is busy.
_CONCURRENT = {"complete_request", "inspect_request", "is_complete_request", "history_request", "kernel_info_request"}
_CONCURRENT |= {"comm_open", "comm_msg", "comm_close", "comm_info_request"}
_CONCURRENT_MAGICS = ("%keys", "%status", "%screen")


class TmuxKernel(Kernel):  # type: ignore[misc]
    """Runs each cell as a command in a tmux pane."""

    implementation = "tmux-kernel"
    implementation_version = __version__
    banner = f"tmux-kernel {__version__}: cells run in a tmux pane. `%lsmagic` lists what else there is."
    language_info: ClassVar[dict[str, object]] = {
        "name": "bash",
        "version": "5",
        "mimetype": "text/x-sh",
        "file_extension": ".sh",
        "pygments_lexer": "bash",
        "codemirror_mode": {"name": "shell"},
    }
    help_links: ClassVar[list[dict[str, str]]] = [
        {"text": "GNU Bash manual", "url": "https://www.gnu.org/software/bash/manual/bash.html"},
        {"text": "tmux manual", "url": "https://man.openbsd.org/tmux"},
    ]
    # A cell pays for neither: there is no OutStream to settle and iopub is one ordered queue.
    _execute_sleep = 0

    socket = Unicode(
        help="tmux server: a socket name (`tmux -L`), a path (`tmux -S`), or empty for the default server."
        " TMUX_KERNEL_SOCKET sets it too."
    ).tag(config=True)
    tmux_config = Unicode(
        help="Configuration file for a tmux server we start; empty for tmux's own choice."
        " TMUX_KERNEL_TMUX_CONF sets it too."
    ).tag(config=True)
    columns = Integer(160, help="Width of our own session; it does not follow whoever attaches.").tag(config=True)
    rows = Integer(48, help="Height of our own session.").tag(config=True)
    shell_command = Unicode("bash", help="The bash to start in our own panes.").tag(config=True)
    keep_session = Bool(False, help="Leave our session running when the kernel is shut down.").tag(config=True)
    output_limit = Integer(
        1_000_000, help="Characters of output shown per cell; past it head and tail are. 0 shows everything."
    ).tag(config=True)
    output_rate = Integer(
        900_000,
        help="Bytes per second sent to the front end, averaged over 3 s; Jupyter Server drops above 1,000,000."
        " 0 does not limit.",
    ).tag(config=True)

    @default("socket")
    def _default_socket(self) -> str:
        return ServerAddress.from_environment().socket

    @default("tmux_config")
    def _default_tmux_config(self) -> str:
        return ServerAddress.from_environment().config_file

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._arrivals = 0
        self._abort_before = 0
        self._serving = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._current: asyncio.Task[Reply] | None = None
        self._run: Run | None = None
        self._interrupted: Run | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._has_told_orphan = False
        self._has_shell = shutil.which(self.shell_command) is not None
        self._rate = RateLimit(self.output_rate)
        self._checker = SyntaxChecker(self.shell_command)
        self.history: list[tuple[int, str]] = []
        self.runner = Runner.of_own(self._plan())
        self.assistant = Assistant(self.runner, self._checker)

    def _plan(self) -> SessionPlan:
        connection_file = str(getattr(self.parent, "abs_connection_file", "") or f"pid-{os.getpid()}")
        identity = Identity.of(os.environ.get("JPY_SESSION_NAME", ""), connection_file, self.socket)
        address = ServerAddress(self.socket, self.tmux_config)
        size = (self.columns, self.rows)
        return SessionPlan(address, identity, size, self.shell_command, os.getcwd(), connection_file)

    @property
    def kernel_info(self) -> dict[str, Any]:
        """As ipykernel's, which imports its debugger to say whether there is one."""
        return {
            "protocol_version": kernel_protocol_version,
            "implementation": self.implementation,
            "implementation_version": self.implementation_version,
            "language_info": self.language_info,
            "banner": self.banner,
            "help_links": self.help_links,
            "supported_features": [],
        }

    # -- the loop ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        super().start()
        self._loop = self.io_loop.asyncio_loop
        self._input = StdinChannel(self.session, self.stdin_socket)
        self.shell_stream.on_recv(self._arrived, copy=False)
        self.io_loop.add_callback(self._begin)

    async def _begin(self) -> None:
        with contextlib.suppress(TmuxKernelError, OSError):  # told by the first cell, which tries again
            await self.runner.open()
            self._checker.prepare()

    def _arrived(self, message: list[Any]) -> None:
        self._arrivals += 1
        task = asyncio.get_event_loop().create_task(self._serve(message, self._arrivals))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, message: list[Any], number: int) -> None:
        """Cells one after the other; questions about them at once."""
        if self._main_asyncio_lock.locked() and self._is_concurrent(message):
            await self.dispatch_shell(message, concurrent=True)
            return
        async with self._main_asyncio_lock:
            self._serving = number
            await self.dispatch_shell(message)

    def _is_concurrent(self, message: list[Any]) -> bool:
        try:
            _, frames = self.session.feed_identities(message, copy=False)
            parsed = self.session.deserialize(frames, content=False, copy=False)  # only a look: it is read again
            content = self.session.unpack(parsed["content"])
        except Exception:  # noqa: BLE001 - a malformed message is reported by dispatch_shell
            return False
        if parsed["header"]["msg_type"] == "execute_request":
            return str(content.get("code", "")).lstrip().startswith(_CONCURRENT_MAGICS)
        return parsed["header"]["msg_type"] in _CONCURRENT

    async def should_handle(self, stream: Any, msg: Any, idents: Any) -> bool:
        """Cells queued when one failed are not run."""
        if msg["header"]["msg_type"] == "execute_request" and self._serving <= self._abort_before:
            self._send_abort_reply(stream, msg, idents)
            return False
        return True

    def _abort_queues(self, subshell_id: str | None = None) -> None:
        self.shell_stream.flush(zmq.POLLIN)
        self._abort_before = self._arrivals

    def pre_handler_hook(self) -> None:
        """Interrupts come as messages: no signal handler to put in place."""

    def post_handler_hook(self) -> None:
        """Nor to take away."""

    # -- cells ------------------------------------------------------------------------------------------------

    async def execute_request(self, stream: Any, ident: Any, parent: Any) -> None:
        is_concurrent = self._current is not None
        if is_concurrent:
            self._publish_status("busy", "shell", parent)
        await super().execute_request(stream, ident, parent)
        if is_concurrent:
            self._publish_status("idle", "shell", parent)
            if self._current is not None:  # the status line belongs to the cell that still runs
                self._publish_status("busy", "shell", self._running_parent)

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Any = None,
        cell_id: str | None = None,
    ) -> Reply:
        count = self.execution_count
        if store_history and not silent:
            self.history.append((count, code))
            self.assistant.cells.append(code)
        work = asyncio.get_running_loop().create_task(self._execute(code, silent=silent, allow_stdin=allow_stdin))
        is_outer = self._current is None
        if is_outer:
            self._current = work
            self._running_parent = self.get_parent("shell")
        try:
            reply = await work
        except asyncio.CancelledError:
            reply = self._failure("KeyboardInterrupt", "", ["Interrupted."], silent=silent)
        finally:
            if is_outer:
                self._current = None
                self.assistant.cell_ended()
        reply["execution_count"] = count
        if reply["status"] == "ok":
            reply.setdefault("payload", [])
            reply["user_expressions"] = await self._expand(user_expressions or {})
        if not store_history and not silent:
            self.execution_count -= 1
        return reply

    async def _execute(self, code: str, *, silent: bool, allow_stdin: bool) -> Reply:
        try:
            cell = parse(code, MAGICS)
            target = ""
            for call in cell.calls:
                outcome = await run_magic(self, call, silent=silent, allow_stdin=allow_stdin)
                if outcome.reply is not None:
                    return outcome.reply
                target = outcome.target or target
            if not cell.code:
                return {"status": "ok"}
            if not self._has_shell:
                raise ShellNotSupportedError(
                    f"There is no {self.shell_command!r}.",
                    suggestion="`TmuxKernel.shell_command` names the bash to use.",
                )
            if complaint := await self._checker.complaint(cell.code):
                raise IncompleteCommandError(complaint, suggestion="Nothing was sent: the shell would wait for more.")
            await self._tell_orphan(silent=silent)
            run = await self.runner.submit(cell.code, target)
            return await self.follow(run, silent=silent, allow_stdin=allow_stdin)
        except TmuxKernelError as error:
            return self._failure(type(error).__name__, error.message, str(error).split("\n"), silent=silent)
        except OSError as error:
            return self._failure("OSError", error.strerror or str(error), [str(error)], silent=silent)

    async def follow(self, run: Run, *, silent: bool, allow_stdin: bool) -> Reply:
        """Show a run until it is over or nobody need wait for it any longer."""
        outlet = self._outlet(run, silent=silent)
        self._run = run
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
                    if not allow_stdin:
                        return await self._refuse(run, outlet, silent=silent)
                if event is State.WAITING:
                    asking = asyncio.get_running_loop().create_task(self._answer(run))
                elif event is State.FULLSCREEN and not silent:
                    drawing = asyncio.get_running_loop().create_task(show_screen(self, run))
                elif event is State.RAW:
                    return await self._leave_raw(run, outlet, silent=silent)
            result = await run.result()
            await outlet.close()
            return self._reply(run, result, silent=silent)
        finally:
            _cancel(asking, drawing)
            self._run = None

    def _outlet(self, run: Run, *, silent: bool) -> Outlet:
        def whole() -> Path:
            runs = private_directory(state_root() / "runs")
            return runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{run.id}.log"

        parent = self.get_parent("shell")

        def publish(text: str) -> None:
            if not silent:
                self.session.send(
                    self.iopub_socket, "stream", {"name": "stdout", "text": text}, parent, ident=self._topic("stream")
                )

        return Outlet(publish, Excerpt(self.output_limit, whole), self._rate)

    def say(self, text: str, *, silent: bool = False) -> None:
        """A word of the kernel's own, apart from the command's output."""
        if not silent:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": text.rstrip("\n") + "\n"})

    def _reply(self, run: Run, result: Result, *, silent: bool) -> Reply:
        facts = {"run": run.id, "pane": run.pane, "exit_code": result.status, "seconds": round(result.seconds, 3)}
        facts["state"] = run.state.value
        if result.shell_ended:
            note = f"{result.note}; the next cell gets a fresh shell, without its variables and directory."
            self.say(f"tmux-kernel: {note}", silent=silent)
        if run is self._interrupted:
            reply = self._failure("KeyboardInterrupt", "", [result.note or "Interrupted."], silent=silent)
        elif result.status == 0:
            reply = {"status": "ok"}
        elif result.status is None:
            what = "the shell ended" if result.shell_ended else "the run was lost sight of"
            lines = result.note.split("\n")
            reply = self._failure("RunLost", f"{what} and its exit code is not known", lines, silent=silent)
        else:
            reply = self._failure(
                "CommandFailed", f"exit code {result.status}", [f"exit code {result.status}"], silent=silent
            )
        reply["_run"] = facts
        return reply

    def finish_metadata(self, parent: Any, metadata: Any, reply_content: Any) -> Any:
        facts = reply_content.pop("_run", None)
        if facts is not None:
            metadata["tmux_kernel"] = facts
        return metadata

    def _failure(self, ename: str, evalue: str, lines: list[str], *, silent: bool) -> Reply:
        content = {"ename": ename, "evalue": evalue, "traceback": [f"\x1b[31m{line}\x1b[0m" for line in lines if line]}
        if not silent:
            self.send_response(self.iopub_socket, "error", content, ident=self._topic("error"))
        return {"status": "error", **content}

    # -- input ------------------------------------------------------------------------------------------------

    async def _answer(self, run: Run) -> None:
        """An input box for what waits in the pane; a person may as well answer there, then the box is forgotten."""
        ident = self._get_shell_context_var(self._shell_parent_ident)
        text = await self._input.ask(
            run.prompt, is_password=run.is_password, parent=self.get_parent("shell"), ident=ident
        )
        shell = self.runner.shell_running(run)
        if shell is None or run.state is not State.WAITING:
            return
        run.answered()  # asked again should it go on waiting
        if shell.look().waits is not Waits.NOTHING:
            await shell.paste(text.encode("utf-8", "surrogateescape") + ENTER)

    async def _refuse(self, run: Run, outlet: Outlet, *, silent: bool) -> Reply:
        """Something waits for keys and nobody can press any: free the pane and say what it was."""
        program, state, prompt = run.program or "the command", run.state, run.prompt.strip()
        shell = self.runner.shell_running(run)
        for event in run.drain():
            outlet.write(event)
        is_free = shell is None or await stop(shell, run, UNATTENDED)
        if not is_free:
            self.runner.abandon(run, None, "")
        await outlet.close()  # without what came of stopping it: `^C`, a traceback
        what = {
            State.WAITING: "waits for a password" if run.is_password else "waits for input",
            State.FULLSCREEN: "is a full-screen program and waits for keys",
            State.RAW: "has a prompt of its own and waits for keys",
        }[state]
        lines = [f"{program} {what}" + (f": {prompt}" if prompt else ""), "Input is not allowed here."]
        lines.append("It was stopped." if is_free else f"It would not stop: pane {run.pane} is still busy.")
        return self._failure("InputNotAllowed", f"{program} {what}", lines, silent=silent)

    async def _leave_raw(self, run: Run, outlet: Outlet, *, silent: bool) -> Reply:
        """A nested shell or a REPL has the pane: the cell is done, the pane is not ours until it ends."""
        shell = self.runner.shell_running(run)
        self.runner.abandon(run, None, "")
        for event in run.drain():
            outlet.write(event)
        await outlet.close()
        name = shell.name if shell is not None else run.pane
        self.say(
            f"tmux-kernel: {run.program} now has pane {name}. Send keys with `%keys …`, leave it with `%keys C-d`,"
            " or choose another pane with `%pane`.",
            silent=silent,
        )
        return {"status": "ok", "_run": {"run": run.id, "pane": run.pane, "exit_code": None, "state": State.RAW.value}}

    # -- what a dead kernel left behind -----------------------------------------------------------------------

    async def _tell_orphan(self, *, silent: bool) -> None:
        await self.runner.open()
        run = self.runner.orphan
        if run is None or self._has_told_orphan:
            return
        self._has_told_orphan = True
        if run.is_over:
            status = (await run.result()).status
            how = f"ended with exit code {status}"
        else:
            how = "is still running"
        first = run.command.strip().split("\n")[0]
        self.say(
            f"tmux-kernel: `{first}` was running when the kernel died and {how}. `%reattach` shows its output.",
            silent=silent,
        )

    async def reattach(self, *, silent: bool, allow_stdin: bool) -> Reply:
        """Show the run that was in flight when the kernel died, from its beginning, as if its cell were run now."""
        await self.runner.open()
        run, self.runner.orphan = self.runner.orphan, None
        if run is None:
            self.say("tmux-kernel: no run was left behind.", silent=silent)
            return {"status": "ok"}
        return await self.follow(run, silent=silent, allow_stdin=allow_stdin)

    # -- interrupt and shutdown -------------------------------------------------------------------------------

    async def interrupt_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """On the control thread: answer at once, act on the main loop."""
        self._loop.call_soon_threadsafe(self._interrupt)
        self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    def _interrupt(self) -> None:
        if self._current is None or (self._stopping is not None and not self._stopping.done()):
            return
        shell = self.runner.shell_running(self._run) if self._run is not None else self.runner.busy_shell()
        run = shell.run if shell is not None else None
        if shell is None or run is None or run is self.runner.orphan:
            self._current.cancel()
            return
        # Also while it is being typed: what is on its way to the shell must be stopped there.
        self._interrupted = run
        self._stopping = self._loop.create_task(self._stop(shell, run))

    async def _stop(self, shell: PaneShell, run: Run) -> None:
        if not await stop(shell, run, BY_A_PERSON):
            note = f"Pane {shell.name} ignores Ctrl-C and is still busy. Restarting the kernel gives a fresh shell."
            self.runner.abandon(run, None, note)

    async def do_shutdown(self, restart: bool) -> Reply:
        await self._on_main_loop(self._close(restart))
        return {"status": "ok", "restart": restart}

    async def _close(self, restart: bool) -> None:
        self._checker.close()
        self.assistant.close()
        if self._current is not None:
            self._current.cancel()
        with contextlib.suppress(TmuxKernelError, OSError):
            await self.runner.close(keep=self.keep_session and not restart)

    async def _on_main_loop(self, work: Awaitable[Any]) -> Any:
        loop = getattr(self, "_loop", None)
        if loop is None or loop is asyncio.get_running_loop():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(work), loop))

    # -- questions --------------------------------------------------------------------------------------------

    async def do_complete(self, code: str, cursor_pos: int) -> Reply:
        return await self.assistant.complete(code, cursor_pos)

    async def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> Reply:
        text = await self.assistant.inspect(code, cursor_pos)
        data = {"text/plain": text} if text else {}
        return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> Reply:
        return await self.assistant.is_complete(code)

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Reply:
        return {
            "status": "ok",
            "history": self.assistant.history(
                self.history,
                hist_access_type,
                output=output,
                start=start,
                stop=stop,
                n=n,
                pattern=pattern,
                unique=unique,
            ),
        }

    async def _expand(self, expressions: dict[str, str]) -> dict[str, Any]:
        return {name: await self.assistant.expand(text) for name, text in expressions.items()}


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def _cancel(*tasks: asyncio.Task[None] | None) -> None:
    for task in tasks:
        if task is not None:
            task.cancel()

"""The kernel: an adapter between Jupyter's messages and runs in panes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from typing import Any, ClassVar

import zmq
from ipykernel._version import kernel_protocol_version
from ipykernel.kernelbase import Kernel
from traitlets import Bool, Integer, Unicode, default

from tmux_kernel import __version__
from tmux_kernel.errors import TmuxKernelError
from tmux_kernel.kernel.cells import Cells
from tmux_kernel.kernel.completion import Assistant
from tmux_kernel.kernel.front import Front, Reply
from tmux_kernel.kernel.outlet import RateLimit
from tmux_kernel.kernel.stdin import StdinChannel
from tmux_kernel.runs.memory import Identity
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.session import SessionPlan
from tmux_kernel.runs.syntax import SyntaxChecker
from tmux_kernel.tmux.server import ServerAddress

# Answered while a cell runs: they only look, or speak to the pane that is busy.
_CONCURRENT = {"complete_request", "inspect_request", "is_complete_request", "history_request", "kernel_info_request"}
_CONCURRENT |= {"comm_open", "comm_msg", "comm_close", "comm_info_request"}
_CONCURRENT_MAGICS = re.compile(r"\s*%(?:keys|status|screen|panes|interrupt|stop|harvest|state|health)\b")


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
        self.has_shell = shutil.which(self.shell_command) is not None
        self.rate = RateLimit(self.output_rate)
        self.checker = SyntaxChecker(self.shell_command)
        self.history: list[tuple[int, str]] = []
        self.runner = Runner.of_own(self._plan())
        self.assistant = Assistant(self.runner, self.checker)
        self.cells = Cells(self)

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
        self.stdin = StdinChannel(self.session, self.stdin_socket)
        self.shell_stream.on_recv(self._arrived, copy=False)
        self.io_loop.add_callback(self._begin)

    async def _begin(self) -> None:
        with contextlib.suppress(TmuxKernelError, OSError):  # told by the first cell, which tries again
            await self.runner.open()
            self.checker.prepare()

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
            return _CONCURRENT_MAGICS.match(str(content.get("code", ""))) is not None
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
        front = Front(self, silent=silent, allow_stdin=allow_stdin)
        work = asyncio.get_running_loop().create_task(self.cells.execute(code, front))
        is_outer = self._current is None
        if is_outer:
            self._current = work
            self._running_parent = self.get_parent("shell")
        try:
            reply = await work
        except asyncio.CancelledError:
            reply = front.failure("KeyboardInterrupt", "", ["Interrupted."])
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

    def finish_metadata(self, parent: Any, metadata: Any, reply_content: Any) -> Any:
        facts = reply_content.pop("_run", None)
        if facts is not None:
            metadata["tmux_kernel"] = facts
        return metadata

    @property
    def parent_ident(self) -> Any:
        """Whom the current request came from."""
        return self._get_shell_context_var(self._shell_parent_ident)

    def topic(self, kind: str) -> Any:
        return self._topic(kind)

    # -- interrupt and shutdown -------------------------------------------------------------------------------

    async def interrupt_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Answer at once; the run is stopped, or what only waits is given up."""
        if self._current is not None and not self.cells.interrupt():
            self._current.cancel()
        self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    async def do_shutdown(self, restart: bool) -> Reply:
        self.checker.close()
        self.assistant.close()
        self.cells.close()
        if self._current is not None:
            self._current.cancel()
        with contextlib.suppress(TmuxKernelError, OSError):
            await self.runner.close(keep=self.keep_session and not restart)
        return {"status": "ok", "restart": restart}

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

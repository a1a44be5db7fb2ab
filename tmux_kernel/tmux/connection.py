"""One control-mode connection: commands in order, replies in order, notifications to whoever listens.

Replies are matched to commands by their order alone, so every line written must be exactly one command.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections import deque
from collections.abc import Callable

from tmux_kernel.errors import CommandError, ConnectionLostError, TmuxNotRunningError
from tmux_kernel.protocol.control import ControlParser, Notification, PaneOutput, Reply
from tmux_kernel.protocol.quoting import command

_READ_SIZE = 1 << 18
_PARTING_SECONDS = 2.0

NotificationListener = Callable[[Notification], None]
OutputListener = Callable[[bytes], None]


class Connection:
    """Owns a control client's process. Made inside a running loop; closed by `close`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._stdin = process.stdin.fileno()
        self._stdout = process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._loop = asyncio.get_running_loop()
        self._parser = ControlParser()
        self._waiting: deque[asyncio.Future[Reply]] = deque()
        self._unsent = b""
        self._output: dict[str, OutputListener] = {}
        self._greeting: asyncio.Future[Reply] = self._loop.create_future()
        self._closing = False
        self.lost: asyncio.Future[str] = self._loop.create_future()
        self.notified: list[NotificationListener] = []
        self.paste_flags: tuple[str, ...] = ("-r", "-d")
        self._loop.add_reader(self._stdout, self._readable)

    @property
    def is_open(self) -> bool:
        return not self.lost.done()

    async def ready(self) -> Reply:
        """The greeting: what the command the client was started with answered. Raises when tmux refused it."""
        reply = await asyncio.shield(self._greeting)
        if not reply.ok:
            raise CommandError(_text(reply))
        return reply

    async def learn_paste_flags(self) -> None:
        """Newer tmux takes control characters out of what it pastes unless told not to."""
        usage = " ".join(await self.command("list-commands", "paste-buffer"))
        if re.search(r"\[-\w*S\w*\]", usage):
            self.paste_flags = ("-r", "-d", "-S")

    def on_output(self, pane: str, listener: OutputListener | None) -> None:
        """Hand the pane's `%output` to *listener*; None stops it."""
        if listener is None:
            self._output.pop(pane, None)
        else:
            self._output[pane] = listener

    def post(self, *lines: bytes) -> list[asyncio.Future[Reply]]:
        """Write whole command lines at once and return the futures of their replies, without waiting."""
        if not self.is_open:
            raise self._lost_error()
        futures = [self._loop.create_future() for _ in lines]
        self._waiting.extend(futures)
        self._write(b"\n".join(lines) + b"\n")
        return futures

    def expect(self, extra: int) -> list[asyncio.Future[Reply]]:
        """Futures for replies of commands that the lines just posted will queue themselves (`if-shell`)."""
        futures = [self._loop.create_future() for _ in range(extra)]
        self._waiting.extend(futures)
        return futures

    async def command(self, *words: str | bytes) -> list[str]:
        """Run one command and return its lines of output; CommandError carries tmux's own words."""
        (future,) = self.post(command(*words))
        return lines_of(await future)

    async def commands(self, *lines: bytes) -> list[list[str]]:
        """Run several quoted command lines in one write; the first refusal is raised after all have answered."""
        replies = await asyncio.gather(*self.post(*lines))
        return [lines_of(reply) for reply in replies]

    def close(self) -> None:
        """End the client. The session and its panes are not touched."""
        self._closing = True
        self._lose("closed")

    def _write(self, data: bytes) -> None:
        if self._unsent:
            self._unsent += data
            return
        try:
            sent = os.write(self._stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._lose("tmux closed the connection")
            return
        if sent < len(data):
            self._unsent = data[sent:]
            self._loop.add_writer(self._stdin, self._writable)

    def _writable(self) -> None:
        data, self._unsent = self._unsent, b""
        self._loop.remove_writer(self._stdin)
        self._write(data)

    def _readable(self) -> None:
        try:
            data = os.read(self._stdout, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose(self._last_words())
            return
        for event in self._parser.feed(data):
            if isinstance(event, PaneOutput):
                listener = self._output.get(event.pane)
                if listener is not None:
                    listener(event.data)
            elif isinstance(event, Reply):
                self._answer(event)
            else:
                for notified in self.notified:
                    notified(event)

    def _answer(self, reply: Reply) -> None:
        if not self._greeting.done():
            self._greeting.set_result(reply)
        elif reply.solicited and self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(reply)

    def _last_words(self) -> str:
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        try:
            return (self._process.stderr.read() or b"").decode(errors="replace").strip()
        except OSError:
            return ""

    def _lose(self, reason: str) -> None:
        if self.lost.done():
            return
        self.lost.set_result(reason)
        self._loop.remove_reader(self._stdout)
        self._loop.remove_writer(self._stdin)
        error = self._lost_error()
        for future in [self._greeting, *self._waiting]:
            if not future.done():
                future.set_exception(error)
                future.exception()  # a reply nobody waits for is not an unhandled error
        self._waiting.clear()
        if self._process.stdin is not None:
            self._process.stdin.close()
            self._process.stdin = None
        self._loop.run_in_executor(None, _part, self._process)

    def _lost_error(self) -> Exception:
        reason = self.lost.result() if self.lost.done() else ""
        if "no server running" in reason or "error connecting" in reason:
            return TmuxNotRunningError(reason, suggestion="Start tmux, or choose another server with --socket.")
        text = f"The connection to tmux is gone ({reason or 'the server ended'})."
        return ConnectionLostError(text, suggestion="Run the cell again: a new connection is made.")


def _part(process: subprocess.Popen[bytes]) -> None:
    """See the client off. Until tmux has written all it had for it, it does not let a client go: keep reading."""
    with process:
        try:
            process.communicate(timeout=_PARTING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _text(reply: Reply) -> str:
    return "\n".join(line.decode(errors="replace") for line in reply.lines) or "tmux refused the command"


def lines_of(reply: Reply) -> list[str]:
    """The reply's lines, or CommandError when tmux refused."""
    if not reply.ok:
        raise CommandError(_text(reply))
    return [line.decode("utf-8", "replace") for line in reply.lines]

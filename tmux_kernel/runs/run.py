"""One command in one pane: what it printed, what it is doing, how it ended."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from tmux_kernel.runs.state import OVER, Signal, State, after

# Enough of the last output to know the line a program asks with.
_TAIL = 400

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended. `status` is None when nobody will ever know; `note` says what else happened.

    `is_unread`: the shell was gone before it read any of it, so that it may be run again.
    """

    status: int | None
    seconds: float
    note: str = ""
    shell_ended: bool = False
    is_unread: bool = False


class Run:
    """Written to by the pane's shell, read by a face through `events`."""

    def __init__(self, pane: str, command: str, *, number: int = 0) -> None:
        self.id = f"r{next(_numbers)}"
        self.pane = pane
        self.command = command
        self.number = number
        self.state = State.SENT
        self.prompt = ""
        self.is_password = False
        self.program = ""
        self.is_armed = False
        self.tail = b""
        self.transcript = ""
        self.is_background = False
        self.began = asyncio.Event()
        self.drew = asyncio.Event()
        self.started = time.time()
        self.last_output = time.monotonic()
        self._began = time.monotonic()
        self._queue: deque[bytes | State] = deque()
        self._wake = asyncio.Event()
        self._when_over: list[Callable[[], object]] = []
        self._done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

    @property
    def outcome(self) -> Result | None:
        """How it ended, once it has."""
        return self._done.result() if self._done.done() else None

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def began_seconds_ago(self, seconds: float) -> None:
        """It was taken up in mid-run."""
        self._began = time.monotonic() - seconds

    def when_over(self, listener: Callable[[], object]) -> None:
        """Call *listener* as soon as the run is over; at once if it is."""
        if self.is_over:
            listener()
        else:
            self._when_over.append(listener)

    def write(self, data: bytes) -> None:
        self.last_output = time.monotonic()
        self.tail = data[-_TAIL:] if len(data) >= _TAIL else (self.tail + data)[-_TAIL:]
        self._queue.append(data)
        self._wake.set()

    def signal(self, signal: Signal) -> bool:
        """Move to the state *signal* leads to; true when that changed anything."""
        state = after(self.state, signal)
        if state is self.state:
            return False
        self.state = state
        self.began.set()
        self._queue.append(state)
        self._wake.set()
        return True

    def finish(self, signal: Signal, status: int | None, *, note: str = "", shell_ended: bool = False) -> None:
        """End it. Only the first call counts."""
        if self._done.done():
            return
        is_unread = shell_ended and self.state is State.SENT and not self.is_armed
        self._done.set_result(Result(status, self.seconds, note, shell_ended, is_unread))
        self.signal(signal)
        for listener in self._when_over:
            listener()

    def answered(self) -> None:
        """Input was given: it is running again until seen to wait once more."""
        self.last_output = time.monotonic()
        self.signal(Signal.ANSWERED)

    def drain(self) -> list[bytes]:
        """The output nobody has read yet; for a reader that stops before the end."""
        left = [item for item in self._queue if isinstance(item, bytes)]
        self._queue.clear()
        return left

    async def events(self) -> AsyncIterator[bytes | State]:
        """Output and changes of state in order, until it is over. One reader."""
        while True:
            while self._queue:
                item = self._queue.popleft()
                if isinstance(item, bytes) and self._queue and isinstance(self._queue[0], bytes):
                    parts = [item]
                    while self._queue and isinstance(self._queue[0], bytes):
                        parts.append(self._queue.popleft())  # type: ignore[arg-type]
                    item = b"".join(parts)
                yield item
            if self.is_over:
                return
            self._wake.clear()
            await self._wake.wait()

    async def result(self) -> Result:
        return await asyncio.shield(self._done)

"""A run's bytes on their way to the front end: few, large messages, and never more than Jupyter Server lets through."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable

from tmux_kernel.runs.output import Excerpt
from tmux_kernel.shell.text import TextDecoder

_PAUSE_SECONDS = 0.05
# The first of it waits this long for what a program writes in the same breath.
_GATHER_SECONDS = 0.001
_WINDOW_SECONDS = 3.0
_LARGEST_MESSAGE = 1 << 20
# Whatever its characters are, one message stays below what may be sent in a window.
_LARGEST_LIMITED = 1 << 18
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f]")


class RateLimit:
    """Keeps below *rate* bytes/s averaged over three seconds, as Jupyter Server measures it. 0 is off."""

    def __init__(self, rate: int) -> None:
        self._allowed = rate * _WINDOW_SECONDS
        self._sent: deque[tuple[float, int]] = deque()
        self._total = 0

    @property
    def is_on(self) -> bool:
        return self._allowed > 0

    def delay(self, size: int, now: float) -> float:
        """Seconds until *size* more bytes may go."""
        if not self._allowed:
            return 0.0
        while self._sent and self._sent[0][0] + _WINDOW_SECONDS <= now:
            self._total -= self._sent.popleft()[1]
        if not self._sent or self._total + size <= self._allowed:
            return 0.0
        return self._sent[0][0] + _WINDOW_SECONDS - now

    def took(self, size: int, now: float) -> None:
        if self._allowed:
            self._sent.append((now, size))
            self._total += size


class Outlet:
    """Collects one run's output and publishes it at most twenty times a second, the first of it nearly at once."""

    def __init__(self, publish: Callable[[str], None], excerpt: Excerpt, limit: RateLimit) -> None:
        self.publish = publish
        self._excerpt = excerpt
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._decoder = TextDecoder()
        self._pending: list[str] = []
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def write(self, data: bytes) -> None:
        self.write_text(self._decoder.feed(data))

    def write_text(self, text: str) -> None:
        shown = self._excerpt.add(text)
        if not shown:
            return
        self._pending.append(shown)
        if self._timer is None:
            wait = self._last + _PAUSE_SECONDS - self._loop.time()
            self._timer = self._loop.call_later(max(wait, _GATHER_SECONDS), self._flush)

    async def flush(self) -> None:
        """Publish everything now; waits only for the rate limit."""
        while self._pending:
            if self._timer is not None:
                self._timer.cancel()
            self._flush()
            if self._timer is not None:
                await asyncio.sleep(max(0.0, self._timer.when() - self._loop.time()))

    async def close(self) -> None:
        """The run is over: publish what is left."""
        last = self._excerpt.add(self._decoder.finish()) + self._excerpt.close()
        if last:
            self._pending.append(last)
        await self.flush()

    def _flush(self) -> None:
        self._timer = None
        now = self._loop.time()
        text = "".join(self._pending)
        while text:
            longest = _LARGEST_LIMITED if self._limit.is_on else _LARGEST_MESSAGE
            part, rest = text[:longest], text[longest:]
            size = _wire_size(part) if self._limit.is_on else 0
            delay = self._limit.delay(size, now)
            if delay > 0:
                self._pending = [text]
                self._timer = self._loop.call_later(delay, self._flush)
                return
            self._limit.took(size, now)
            self.publish(part)
            self._last = now
            text = rest
        self._pending = []


def _wire_size(text: str) -> int:
    """About what the text takes as JSON."""
    escaped = text.count("\n") + text.count('"') + text.count("\\") + text.count("\r")
    return len(text.encode("utf-8", "replace")) + escaped + 5 * len(_CONTROL.findall(text)) + 500

"""Standing by any pane, ours or not, followed or not: told of every byte that appears, looks when told.

The pane's log tells when it has one, else control mode does. The screen has what was told by the time it is told.
What a process waits for is told by nobody: a claim about that is looked at again, ever more rarely.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from tmux_kernel.runs.recording import find_recording
from tmux_kernel.runs.runner import Runner
from tmux_kernel.shell.foreground import Foreground, Waits, look
from tmux_kernel.shell.text import TextDecoder
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import Feed, LogFeed, OutputFeed
from tmux_kernel.tmux.server import start_client
from tmux_kernel.tmux.target import PaneFacts, pane_facts
from tmux_kernel.tmux.watch import FileWatch, ProcessWatch

_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_PROMPT = re.compile(r"[$#%>❯»]\s*$")
_MOST_TEXT = 1 << 18
_FIRST_PAUSE_SECONDS = 0.06
_LONGEST_PAUSE_SECONDS = 0.5
T = TypeVar("T")


class Lookout:
    """What has appeared in a pane since; `until` waits for a claim about it."""

    def __init__(self, connection: Connection, pane: PaneFacts, feed: Feed) -> None:
        self.pane = pane
        self.text = ""
        self._connection = connection
        self._decoder = TextDecoder()
        self._changed = asyncio.Event()
        self._has_ended = False
        self._process = ProcessWatch(pane.pid, self._ended)
        self._feed = feed
        feed.start(self._receive)

    def close(self) -> None:
        self._process.close()
        self._feed.close()

    def _ended(self) -> None:
        """The pane's process is gone; when tmux takes the pane away nobody says."""
        self._has_ended = True
        self._changed.set()

    def _receive(self, data: bytes) -> None:
        self.text = (self.text + _COLOUR.sub("", self._decoder.feed(data)))[-_MOST_TEXT:]
        self._changed.set()

    def forget(self) -> None:
        """From now on `text` is what appears from now on."""
        self.text = ""

    async def until_changed(self) -> None:
        """Wait until something appears that was not there when this was called."""
        self._changed.clear()
        await self._changed.wait()

    async def screen(self) -> list[str]:
        """The visible lines, wrapped ones joined, without empty ones at the end; PaneNotFoundError when it is gone."""
        await pane_facts(self._connection, self.pane.id)
        lines = await self._connection.command("capture-pane", "-p", "-J", "-t", self.pane.id)
        return "\n".join(line.rstrip() for line in lines).rstrip("\n").split("\n")

    def look(self) -> Foreground:
        return look(self.pane.pid, self.pane.tty)

    async def until(self, claim: Callable[[], Awaitable[T | None]], *, looks_again: bool = False) -> T:
        """What *claim* gives as soon as it gives something; asked at once and whenever something has appeared.

        With *looks_again* it is about processes, which say nothing when they change, and is asked in between too.
        """
        pause = _FIRST_PAUSE_SECONDS
        while True:
            self._changed.clear()
            found = await claim()
            if found is not None:
                return found
            try:
                async with asyncio.timeout(pause if looks_again or self._has_ended else None):
                    await self._changed.wait()
                pause = _FIRST_PAUSE_SECONDS
            except TimeoutError:
                pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)

    async def until_prompt(self) -> str:
        """Wait until a prompt is shown and what shows it reads; returns its line. One look is not enough: what was
        typed a moment ago may not have been taken yet."""
        before: tuple[str, Foreground] | None = None

        async def prompt() -> str | None:
            nonlocal before
            line = (await self.screen())[-1]
            seen = self.look()
            is_steady = before == (line, seen)
            before = (line, seen)
            return line if is_steady and is_prompt(seen, line) else None

        return await self.until(prompt, looks_again=True)


def is_prompt(seen: Foreground, line: str) -> bool:
    """Whether a pane is at a prompt: its shell's, by what the shell does; another program's, also by its look."""
    if seen.waits is Waits.SHELL_PROMPT:
        return True
    return seen.waits is not Waits.NOTHING and _PROMPT.search(line) is not None


@contextlib.asynccontextmanager
async def stand_by(runner: Runner, pane: PaneFacts) -> AsyncIterator[Lookout]:
    """Told of everything that appears from now on, until the block is left. Nothing is typed, nothing stays."""
    recording = await find_recording(runner, pane)
    watch: FileWatch | None = None
    feed: Feed
    if recording is not None:
        watch = FileWatch()
        feed = LogFeed(recording.log, watch, position=recording.size)
    else:
        words = ("attach-session", "-t", f"={pane.session}", "-f", "ignore-size,read-only")
        client = Connection(start_client(runner.address, *words))
        await client.ready()
        feed = OutputFeed(client, pane.id)
    lookout = Lookout(runner.connection, pane, feed)
    try:
        yield lookout
    finally:
        lookout.close()
        if watch is not None:
            watch.close()

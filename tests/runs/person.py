"""A person at a pane: types keys, reads the screen, waits until something is seen. Speaks to tmux as people do."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Bench, Tmux

_DEADLINE_SECONDS = 10.0


async def until(claim: Callable[[], bool], what: str = "it") -> None:
    """Return as soon as *claim* holds; fail at the deadline."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not claim():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


@dataclass(frozen=True)
class Person:
    """Somebody looking at one pane, named as tmux names targets."""

    tmux: Tmux
    pane: str

    @property
    def screen(self) -> str:
        """What the pane shows now, lines that are too long joined again."""
        return self.tmux("capture-pane", "-p", "-J", "-t", self.pane)

    def ask(self, field: str) -> str:
        return self.tmux("display-message", "-p", "-t", self.pane, f"#{{{field}}}")

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", self.pane, "-l", "--", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", self.pane, *keys)

    async def sees(self, text: str) -> None:
        await until(lambda: text in self.screen, f"{text!r} on the screen of {self.pane}")

    async def enters(self, line: str, until_seen: str) -> None:
        """Type a line, press Enter, and wait for what it makes the screen show."""
        self.type(line)
        self.press("Enter")
        await self.sees(until_seen)

    async def writes(self, command: str, file: Path) -> str:
        """Run *command* by hand with its output in *file*; returns the output."""
        done = file.with_suffix(".done")
        done.unlink(missing_ok=True)
        self.type(f" {{ {command}; }} >|{file} 2>&1; : >|{done}")
        self.press("Enter")
        await until(done.exists, command)
        return file.read_text(errors="replace")


def at_our_pane(bench: Bench, tmux: Tmux) -> Person:
    """Somebody who has attached to the notebook's own session."""
    return Person(tmux, bench.runner.record.main_pane)


async def with_a_shell(tmux: Tmux, program: str = "bash --norc --noprofile", session: str = "tues") -> Person:
    """Somebody with a session of their own, their shell at its prompt."""
    directory = os.environ["HOME"]
    pane = tmux(
        "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, "-x", "100", "-y", "30", "-c", directory, program
    )
    person = Person(tmux, pane)
    await until(lambda: person.screen.rstrip().endswith(("$", "#", ">")), "the prompt of their shell")
    return person

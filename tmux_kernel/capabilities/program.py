"""Interactive programs in a pane: start one, talk to it, ask how it is, leave it."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.wait import timed_out
from tmux_kernel.errors import CommandError, PaneBusyError, UsageError
from tmux_kernel.runs.lookout import Lookout, stand_by
from tmux_kernel.runs.programs import Profile, profile_of
from tmux_kernel.shell.foreground import Waits
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.keys import key_bytes
from tmux_kernel.tmux.paste import paste
from tmux_kernel.tmux.target import PaneFacts

_ACTIONS = ("start", "send", "status", "stop")
_LAST_LINES = 5


@dataclass(frozen=True, slots=True)
class ProgramState:
    """How the program is now (ready, busy, running or absent), and what it said when something was sent to it."""

    pane: str
    name: str
    program: str
    status: str
    output: str = ""

    @property
    def text(self) -> str:
        return self.output or f"{self.program} in {self.name} ({self.pane}): {self.status}"


@capability
async def program(
    context: Context,
    action: Annotated[str, Arg("start, send, status or stop", choices=_ACTIONS)],
    name: Annotated[str, Arg("bash, python, psql, sqlite3, claude, or one of your programs.json", metavar="NAME")],
    words: Annotated[list[str], Arg("to start: arguments; to send: the text", metavar="TEXT")] = [],  # noqa: B006
    *,
    target: Annotated[str, Arg("the pane; the chosen one without it", flags=("-t",), values="pane")] = "",
    timeout: Annotated[float, Arg("give up after so many seconds", metavar="SECONDS")] = 60.0,  # noqa: ASYNC109
) -> ProgramState:
    """Start an interactive program in a pane, send to it, ask for its status, or leave it.

    `start` needs a shell at its prompt and waits until the program is ready; `send` types a line (or several), waits
    until it is ready again and gives what appeared, without what was typed and without the prompt; `status` is ready,
    busy, running (neither can be told) or absent; `stop` leaves it and waits for the shell. Words that begin with a
    dash come after `--`.
    """
    profile = profile_of(name)
    pane = await context.pane(target)
    async with stand_by(context.runner, pane) as lookout:
        session = _Conversation(await context.connection(), pane, profile, lookout)
        try:
            async with asyncio.timeout(timeout):
                output = await _act(session, action, words)
        except TimeoutError:
            message = f"{name} in {pane.name} was not {'left' if action == 'stop' else 'ready'} within {timeout:g} s."
            raise await timed_out(lookout, message) from None
        return ProgramState(pane.id, pane.name, name, await session.status(), output)


async def _act(session: _Conversation, action: str, words: Sequence[str]) -> str:
    if action == "start":
        await session.start(words)
    elif action == "send":
        if not words:
            raise UsageError("`send` takes the text to send.")
        return await session.send(" ".join(words))
    elif action == "stop":
        await session.stop()
    return ""


class _Conversation:
    """One program in one pane, looked at and typed to."""

    def __init__(self, connection: Connection, pane: PaneFacts, profile: Profile, lookout: Lookout) -> None:
        self._connection = connection
        self._pane = pane
        self._profile = profile
        self._lookout = lookout

    async def status(self) -> str:
        seen = self._lookout.look()
        if seen.is_shell or (seen.name and not self._profile.is_process(seen.name)):
            return "absent"
        screen = await self._lookout.screen()
        if self._is_busy(screen):
            return "busy"
        if self._is_ready(screen):
            return "ready"
        return "busy" if seen.waits is Waits.NOTHING else "running"

    async def start(self, words: Sequence[str]) -> None:
        if self._lookout.look().waits is not Waits.SHELL_PROMPT:
            raise PaneBusyError(
                f"Pane {self._pane.name} is not at its shell's prompt. Nothing was typed.",
                suggestion=f"`program status {self._profile.name}` says whether it runs there already.",
            )
        line = " ".join([self._profile.command, *map(shlex.quote, words)])
        await self._type(line)

        async def is_decided() -> bool | None:
            if "\n" not in self._lookout.text:  # the shell has not taken the line yet
                return None
            seen = self._lookout.look()
            if seen.waits is Waits.SHELL_PROMPT:
                return False
            return True if not seen.is_shell and await self.status() == "ready" else None

        if not await self._lookout.until(is_decided, looks_again=True):
            raise await self._ended(f"{line!r} ended before it was ready.")

    async def send(self, text: str) -> str:
        if await self.status() == "absent":
            raise await self._ended(f"{self._profile.name} does not run in {self._pane.name}.")
        if self._profile.draws:
            await paste(self._connection, self._pane, text.replace("\n", "\r").encode(), is_bracketed=True)
            await self._type("")
            await self._lookout.until_changed()
            await self._lookout.until(lambda: self._has_taken(text))
            return "\n".join(await self._lookout.screen())
        # Line by line: each has its own prompt, and the last one's is the one that counts.
        return "".join([await self._say(line) for line in text.split("\n")])

    async def _say(self, line: str) -> str:
        self._lookout.forget()
        await self._type(line)

        async def answered() -> str | None:
            _echo, newline, rest = self._lookout.text.replace("\r", "").partition("\n")
            if self._lookout.look().is_shell:
                raise await self._ended(f"{self._profile.name} ended.")
            *output, last = rest.split("\n")
            is_ready = newline and re.search(self._profile.ready, last) is not None
            return "".join(f"{line}\n" for line in output) if is_ready else None

        return await self._lookout.until(answered, looks_again=True)

    async def _has_taken(self, text: str) -> bool | None:
        """Ready again: what was typed stands in the input line no more."""
        if await self.status() != "ready":
            return None
        inputs = [line for line in await self._lookout.screen() if re.search(self._profile.ready, line)]
        return None if not inputs or text.split("\n")[-1] in inputs[-1] else True

    async def stop(self) -> None:
        if await self.status() == "absent":
            return
        for word in self._profile.leave:
            await paste(self._connection, self._pane, key_bytes(word))

        async def is_left() -> bool | None:
            return True if self._lookout.look().waits is Waits.SHELL_PROMPT else None

        await self._lookout.until(is_left, looks_again=True)

    async def _type(self, line: str) -> None:
        await paste(self._connection, self._pane, line.encode("utf-8", "surrogateescape") + key_bytes("Enter"))

    def _is_busy(self, screen: list[str]) -> bool:
        return bool(self._profile.busy) and re.search(self._profile.busy, "\n".join(screen)) is not None

    def _is_ready(self, screen: list[str]) -> bool:
        lines = screen if self._profile.draws else screen[-1:]
        return any(re.search(self._profile.ready, line) for line in lines)

    async def _ended(self, message: str) -> CommandError:
        lines = [line for line in await self._lookout.screen() if line.strip()][-_LAST_LINES:]
        return CommandError(
            message + " The pane's last lines:\n" + "\n".join(lines),
            suggestion=f"`program start {self._profile.name}` starts it.",
        )

"""Waiting until a pane shows something."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import RunTimeoutError, UsageError
from tmux_kernel.runs.lookout import Lookout, stand_by

_LAST_LINES = 5


@dataclass(frozen=True, slots=True)
class Awaited:
    """What was waited for: the text that matched, or the prompt's line."""

    pane: str
    name: str
    matched: str
    line: str
    seconds: float

    @property
    def text(self) -> str:
        return self.line


@capability
async def wait(
    context: Context,
    pattern: Annotated[str, Arg("a regular expression; ^ and $ are a line's ends")] = "",
    *,
    target: Annotated[str, Arg("the pane; the chosen one without it", flags=("-t",), values="pane")] = "",
    prompt: Annotated[bool, Arg("wait until the pane is at a prompt instead")] = False,
    timeout: Annotated[float, Arg("give up after so many seconds", metavar="SECONDS")] = 60.0,  # noqa: ASYNC109
) -> Awaited:
    """Wait until a pattern is on a pane's screen or appears in it, or with --prompt until the pane is at a prompt.

    Nothing is typed. What rushes by between two screens counts too.
    """
    if bool(pattern) == prompt:
        raise UsageError("Give either a pattern or --prompt.")
    try:
        expression = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise UsageError(f"{pattern!r} is no regular expression: {error}.") from error
    pane = await context.pane(target)
    began = time.monotonic()
    async with stand_by(context.runner, pane) as lookout:
        try:
            async with asyncio.timeout(timeout):
                matched, line = await (_prompt(lookout) if prompt else _match(lookout, expression))
        except TimeoutError:
            what = "a prompt" if prompt else repr(pattern)
            raise await timed_out(lookout, f"{pane.name} did not show {what} within {timeout:g} s.") from None
    return Awaited(pane.id, pane.name, matched, line, round(time.monotonic() - began, 3))


async def _prompt(lookout: Lookout) -> tuple[str, str]:
    line = await lookout.until_prompt()
    return line, line


async def _match(lookout: Lookout, expression: re.Pattern[str]) -> tuple[str, str]:
    async def shown() -> tuple[str, str] | None:
        screen = "\n".join(await lookout.screen())
        for text in (lookout.text.replace("\r", ""), screen):
            found = expression.search(text)
            if found is not None:
                begin, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
                return found[0], text[begin : end if end >= 0 else None]
        return None

    return await lookout.until(shown)


async def timed_out(lookout: Lookout, message: str) -> RunTimeoutError:
    """The error of a deadline that passed, with the last lines there are."""
    lines = [line for line in await lookout.screen() if line.strip()][-_LAST_LINES:]
    last = "Its last lines:\n" + "\n".join(lines) if lines else "Its screen is empty."
    return RunTimeoutError(f"{message} {last}", suggestion="Give it longer with --timeout SECONDS.")

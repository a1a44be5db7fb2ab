"""A pane at one moment, as data."""

from __future__ import annotations

import getpass
import os
import platform as machine
import pwd
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.screen import screen_lines
from tmux_kernel.shell.foreground import RELAYS, Foreground, Waits, look
from tmux_kernel.tmux.target import PaneFacts

# The prompt our shells show: who@where - when seq:N rslt:N bash $
_PROMPT = re.compile(
    r"(?P<user>[\w.-]+)@(?P<host>[\w.-]+) - (?P<timestamp>[a-z]{3}\d{6}:\d{6}[ap]m)"
    r" seq:(?P<seq>\d+) rslt:(?P<code>\d+) bash [$#](?: (?P<typed>.*))?$"
)


@dataclass(frozen=True, slots=True)
class Platform:
    """Where the pane's foreground runs; `os` and `arch` are empty when that is another machine."""

    os: str
    arch: str
    hostname: str
    user: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The last prompt shown, by its own words; empty fields when it is not one of ours. *ready*: nothing runs."""

    user: str = ""
    host: str = ""
    timestamp: str = ""
    seq: int | None = None
    exit_code: int | None = None
    ready: bool = False


@dataclass(frozen=True, slots=True)
class ScreenState:
    lines: list[str]
    last_command: str
    output_lines: int


@dataclass(frozen=True, slots=True)
class ForegroundState:
    """Who has the terminal and what it waits for."""

    program: str
    waits: str
    echoes: bool


@dataclass(frozen=True, slots=True)
class PaneState:
    """A pane's state: of one moment, read without typing."""

    timestamp: str
    session: str
    pane: str
    id: str
    label: str
    directory: str
    mode: str
    platform: Platform
    prompt: Prompt
    screen: ScreenState
    foreground: ForegroundState

    @property
    def text(self) -> str:
        code = "" if self.prompt.exit_code is None else f", last exit code {self.prompt.exit_code}"
        lines = [
            f"{self.pane} ({self.id}{f', {self.label}' if self.label else ''}) {self.mode}{code}",
            f"{self.platform.user}@{self.platform.hostname} {self.directory}",
            f"{self.foreground.program or '?'}: {self.foreground.waits}",
        ]
        return "\n".join([*lines, *self.screen.lines[-5:]])


@capability
async def state(
    context: Context,
    target: Annotated[str, Arg("the pane; the chosen one without it", values="pane")] = "",
) -> PaneState:
    """Tell a pane's state: machine, mode, prompt, screen, who waits for what. Nothing is typed; best with --json.

    `mode` is the shell's name (`bash`) when the pane is at its prompt or runs a command, `raw` when a program with keys
    of its own has it, `full-screen`, `copy`, or `dead`.
    """
    pane = await context.pane(target)
    lines = await screen_lines(await context.connection(), pane.id)
    seen = look(pane.pid, pane.tty)
    prompts = [(number, found) for number, line in enumerate(lines) if (found := _PROMPT.search(line))]
    prompt = _prompt(
        prompts[-1][1] if prompts else None, seen, is_last=bool(prompts) and prompts[-1][0] == len(lines) - 1
    )
    return PaneState(
        timestamp=datetime.now().astimezone().isoformat(timespec="seconds"),
        session=pane.session,
        pane=pane.name,
        id=pane.id,
        label=pane.label,
        directory=pane.directory,
        mode=_mode(pane, seen),
        platform=_platform(pane, seen, prompt),
        prompt=prompt,
        screen=_screen(lines, prompts),
        foreground=ForegroundState(seen.name, seen.waits.value, seen.echoes),
    )


def _prompt(found: re.Match[str] | None, seen: Foreground, *, is_last: bool) -> Prompt:
    is_waiting = seen.waits is Waits.SHELL_PROMPT
    if found is None:
        return Prompt(ready=is_waiting)
    is_empty = is_last and not (found["typed"] or "").strip()
    ready = is_empty and (is_waiting or seen.waits is Waits.UNKNOWN)
    return Prompt(found["user"], found["host"], found["timestamp"], int(found["seq"]), int(found["code"]), ready)


def _mode(pane: PaneFacts, seen: Foreground) -> str:
    if pane.is_dead:
        return "dead"
    if pane.is_in_mode:
        return "copy"
    if pane.has_alternate_screen:
        return "full-screen"
    if seen.waits is Waits.KEYS and not seen.is_shell:
        return "raw"
    return _name(pane.pid) or pane.current_command


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def _platform(pane: PaneFacts, seen: Foreground, prompt: Prompt) -> Platform:
    if seen.name in RELAYS:
        return Platform("", "", prompt.host, prompt.user)
    here = machine.uname()
    try:
        user = pwd.getpwuid(os.stat(f"/proc/{pane.pid}").st_uid).pw_name
    except (OSError, KeyError):
        user = getpass.getuser()
    return Platform(here.system, here.machine, here.node, user)


def _screen(lines: list[str], prompts: Sequence[tuple[int, re.Match[str]]]) -> ScreenState:
    """The last command is what stands after a prompt; its output goes to the next prompt or the end."""
    end = len(lines)
    for number, found in reversed(prompts):
        if typed := (found["typed"] or "").strip():
            return ScreenState(lines, typed, end - number - 1)
        end = number
    return ScreenState(lines, "", 0)

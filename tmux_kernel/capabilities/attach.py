"""How a person looks at a session."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.tmux.server import ServerAddress
from tmux_kernel.tmux.session import find_session


@dataclass(frozen=True, slots=True)
class AttachCommand:
    session: str
    command: str

    @property
    def text(self) -> str:
        return self.command


@capability
async def attach(
    context: Context,
    session: Annotated[str, Arg("the session; ours by default", values="session")] = "",
) -> AttachCommand:
    """Print the command that shows a session in a terminal. Nothing is attached."""
    name = session or (await context.own_pane()).session
    facts = await find_session(await context.connection(), name)
    line = shlex.join(ServerAddress(context.runner.address.socket).argv("attach-session", "-t"))
    # `=` is exact to tmux, and something else to zsh unless quoted.
    quoted = shlex.quote(facts.name)
    exact = quoted.replace("'", "'=", 1) if quoted.startswith("'") else f"'={quoted}'"
    return AttachCommand(facts.name, f"{line} {exact}")

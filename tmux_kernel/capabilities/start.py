"""A run that needs nobody: in a hidden window, with its log and its exit code on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.environment import assignments
from tmux_kernel.runs import automation


@dataclass(frozen=True, slots=True)
class StartedRun:
    run: str
    session: str
    pane: str
    log: str

    @property
    def text(self) -> str:
        return f"{self.run} runs in {self.session} ({self.pane}); its log is {self.log}"


@capability
async def start(
    context: Context,
    command: Annotated[list[str], Arg("the command, as one word or several", metavar="COMMAND")],
    *,
    cwd: Annotated[str, Arg("directory to run it in", metavar="DIR")] = "",
    env: Annotated[list[str], Arg("a variable for it; may be given again", metavar="NAME=VALUE")] = [],  # noqa: B006
) -> StartedRun:
    """Start a command in a hidden window `auto:<id>` and return at once.

    `status`, `harvest`, `wait` and `stop` take the id, from any process: log and exit code are on disk and outlive
    whoever started it. Finished runs are kept for a week, the newest two hundred of them.
    """
    connection = await context.connection()
    directory = os.path.abspath(cwd) if cwd else os.getcwd()
    run = await automation.start(
        connection, context.session, " ".join(command), directory=directory, environment=assignments(env)
    )
    return StartedRun(run.id, run.session, run.pane, str(run.log))

"""The session a runbook needs, from a description in tmuxp's format."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tmux_kernel.capabilities.blueprint import Panes, build
from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.init import SessionSummary
from tmux_kernel.capabilities.tmuxp import Workspace, parse
from tmux_kernel.errors import SessionExistsError, UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.session import find_session


@dataclass(frozen=True, slots=True)
class WorkspaceBuilt:
    """The session as it is now; `warnings` says what of the description was left out."""

    session: SessionSummary
    warnings: list[str]

    @property
    def text(self) -> str:
        return "\n".join([self.session.text, *(f"Warning: {warning}" for warning in self.warnings)])


@capability
async def workspace(
    context: Context,
    file: Annotated[str, Arg("the description, YAML or JSON", metavar="FILE", values="file")] = "",
    *,
    text: Annotated[str, Arg("the description itself, instead of a file", metavar="YAML")] = "",
) -> WorkspaceBuilt:
    """Build the session a tmuxp description asks for: windows, panes, layout, directories, and what is typed in them.

    Run twice, it is one session: when it is there nothing is built or typed. A session of that name that is not ours
    is SESSION_EXISTS.
    """
    if bool(file) == bool(text):
        raise UsageError("workspace needs a description.", suggestion="Give a FILE, or --text.")
    directory = str(Path(file).expanduser().absolute().parent) if file else os.getcwd()
    wanted = parse(text or _read(file), directory)
    name = wanted.plan.name
    try:
        panes = await build(context, wanted.plan)
    except SessionExistsError:
        connection = await context.connection()
        if not (await find_session(connection, name)).is_ours:
            raise SessionExistsError(
                f"A session named {name!r} is there already and is not ours.",
                suggestion="Give the description another session_name.",
            ) from None
        return WorkspaceBuilt(await SessionSummary.of(connection, name, is_new=False), wanted.warnings)
    connection = await context.connection()
    await _type(connection, wanted, panes)
    return WorkspaceBuilt(await SessionSummary.of(connection, name, is_new=True), wanted.warnings)


def _read(file: str) -> str:
    try:
        return Path(os.path.expanduser(file)).read_text()
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file!r} is not text.") from error


async def _type(connection: Connection, wanted: Workspace, panes: Panes) -> None:
    """Only now that the session has its name: of two callers at once only one types."""
    lines = []
    for window, ids in zip(wanted.commands, panes, strict=True):
        for typed, pane in zip(window, ids, strict=True):
            for text in typed:
                lines += [command("send-keys", "-t", pane, "-l", text), command("send-keys", "-t", pane, "Enter")]
    if lines:
        await connection.commands(*lines)

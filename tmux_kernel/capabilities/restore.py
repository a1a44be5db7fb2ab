"""A session from a file that `snapshot` wrote."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tmux_kernel.capabilities.blueprint import (
    PaneBlueprint,
    SessionBlueprint,
    WindowBlueprint,
    build,
)
from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.init import SessionSummary
from tmux_kernel.capabilities.snapshot import SessionOnFile
from tmux_kernel.errors import UsageError
from tmux_kernel.tmux.session import session_name


@dataclass(frozen=True, slots=True)
class Restored:
    """The session as it is now; `warnings` says what could not be as it was."""

    session: SessionSummary
    warnings: list[str]

    @property
    def text(self) -> str:
        return "\n".join([self.session.text, *(f"Warning: {warning}" for warning in self.warnings)])


@capability
async def restore(
    context: Context,
    file: Annotated[str, Arg("what `snapshot` wrote", metavar="FILE", values="file")],
    *,
    session: Annotated[str, Arg("another name for it")] = "",
    replace: Annotated[bool, Arg("end a session of ours of that name first")] = False,
) -> Restored:
    """Build a session from a snapshot: its windows, panes, layout, directories and labels.

    A session of that name that is there already is SESSION_EXISTS. It is built whole before it gets its name or takes
    another's place.
    """
    try:
        kept = SessionOnFile.parse(Path(os.path.expanduser(file)).read_text())
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UsageError(f"{file!r} cannot be restored: {error}.", suggestion="`snapshot FILE` writes one.") from error
    name = session_name(session or kept.session)
    warnings: list[str] = []
    windows = tuple(
        WindowBlueprint(
            window.name,
            tuple(
                PaneBlueprint(nearest_directory(pane.directory, warnings), pane.label, pane.is_active)
                for pane in window.panes
            ),
            window.layout,
            window.is_active,
            {"synchronize-panes": "on"} if window.is_synchronized else {},
        )
        for window in kept.windows
    )
    await build(context, SessionBlueprint(name, windows, (kept.width, kept.height)), replace=replace)
    return Restored(await SessionSummary.of(await context.connection(), name, is_new=True), warnings)


def nearest_directory(wanted: str, warnings: list[str]) -> str:
    """*wanted*, or the nearest directory above it that is there, said in *warnings*."""
    path = Path(wanted)
    while not path.is_dir() and path != path.parent:
        path = path.parent
    if str(path) != os.path.normpath(wanted):
        warnings.append(f"Directory {wanted} is not there; its shell starts in {path}.")
    return str(path)

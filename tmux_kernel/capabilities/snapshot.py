"""A whole session on file: windows, panes, layout, directories, labels."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError
from tmux_kernel.shell.integration import write_private
from tmux_kernel.tmux.session import find_session
from tmux_kernel.tmux.target import list_panes

VERSION = 1


@dataclass(frozen=True, slots=True)
class PaneOnFile:
    """`running` is for the reader: it is not started again."""

    directory: str
    label: str
    is_active: bool
    running: str


@dataclass(frozen=True, slots=True)
class WindowOnFile:
    """`name` is empty where tmux names the window itself."""

    name: str
    layout: str
    is_active: bool
    is_synchronized: bool
    panes: list[PaneOnFile]


@dataclass(frozen=True, slots=True)
class SessionOnFile:
    """What is in the file."""

    version: int
    session: str
    width: int
    height: int
    windows: list[WindowOnFile]

    @classmethod
    def parse(cls, text: str) -> SessionOnFile:
        """The session a file describes, or ValueError."""
        try:
            data = json.loads(text)
            if data["version"] != VERSION:
                raise ValueError(f"it is of version {data['version']}, and only {VERSION} is known")
            windows = [
                WindowOnFile(**{**window, "panes": [PaneOnFile(**pane) for pane in window["panes"]]})
                for window in data["windows"]
            ]
            if not windows or not all(window.panes for window in windows):
                raise ValueError("it has a window without panes")
            return cls(VERSION, data["session"], int(data["width"]), int(data["height"]), windows)
        except (TypeError, KeyError) as error:
            raise ValueError(f"it is not a snapshot ({error})") from error


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where it is, and how much is in it."""

    file: str
    session: str
    windows: int
    panes: int

    @property
    def text(self) -> str:
        return f"Session {self.session} ({self.windows} windows, {self.panes} panes) is in {self.file}"


@capability
async def snapshot(
    context: Context,
    file: Annotated[str, Arg("where to write it", metavar="FILE", values="file")],
    *,
    session: Annotated[str, Arg("the session; ours by default", values="session")] = "",
) -> Snapshot:
    """Write a session's windows, panes, layout, directories and labels to a file; `restore` builds it again.

    What runs in the panes is not part of it. Only you can read the file.
    """
    name = session or (await context.own_pane()).session
    connection = await context.connection()
    facts = await find_session(connection, name)
    look = "#{window_id} #{window_active} #{pane_synchronized} #{automatic-rename} #{window_width} #{window_height}"
    rows = await connection.command("list-windows", "-t", facts.id, "-F", f"{look} #{{window_layout}}")
    panes = [pane for pane in await list_panes(connection) if pane.session == name]
    windows = []
    size = (0, 0)
    for row in rows:
        window, is_active, is_synchronized, is_named_by_tmux, width, height, layout = row.split(" ", 6)
        size = max(size, (int(width), int(height)))
        inside = [pane for pane in panes if pane.window_id == window]
        kept = [PaneOnFile(pane.directory, pane.label, pane.is_window_active, pane.current_command) for pane in inside]
        title = "" if is_named_by_tmux == "1" else inside[0].window_name
        windows.append(WindowOnFile(title, layout, is_active == "1", is_synchronized == "1", kept))
    path = Path(os.path.abspath(os.path.expanduser(file)))
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write_private(fresh, json.dumps(asdict(SessionOnFile(VERSION, name, *size, windows)), indent=1) + "\n")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise UsageError(f"{file!r} cannot be written: {error.strerror}.") from error
    return Snapshot(str(path), name, len(windows), len(panes))

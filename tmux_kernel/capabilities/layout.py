"""How a window's panes are arranged, by name; arrangements of one's own are kept privately under a name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import NoRoomError, UsageError
from tmux_kernel.runs.memory import state_root
from tmux_kernel.runs.pane import private_directory
from tmux_kernel.shell.integration import write_private

LAYOUTS = ("tiled", "even-horizontal", "even-vertical", "main-horizontal", "main-vertical")


@dataclass(frozen=True, slots=True)
class Arranged:
    """What was done (`applied`, `saved`, `restored`), to which window, and tmux's own word for how it is now."""

    window: str
    name: str
    did: str
    layout: str

    @property
    def text(self) -> str:
        return f"Layout {self.name} {self.did}: window {self.window}"


@capability
async def layout(
    context: Context,
    what: Annotated[str, Arg("a layout, or save, or restore", metavar="NAME|save|restore", values="layout")],
    name: Annotated[str, Arg("the name to save or restore it under", metavar="NAME")] = "",
    *,
    target: Annotated[str, Arg("a pane of the window; by default the chosen one", flags=("-t",), values="pane")] = "",
) -> Arranged:
    """Arrange a window's panes: tiled, even-horizontal, even-vertical, main-horizontal, main-vertical.

    `layout save NAME` keeps the arrangement as it is; `layout restore NAME` puts it back, in any window with as many
    panes.
    """
    _check(what, name)
    pane = await context.own_pane(target)
    connection = await context.connection()
    window = f"{pane.session}:{pane.window}"
    look = ("display-message", "-p", "-t", pane.id, "#{window_panes} #{window_layout}")
    count, _, current = (await connection.command(*look))[0].partition(" ")
    if what == "save":
        write_private(_file(name), json.dumps({"name": name, "panes": int(count), "layout": current}))
        return Arranged(window, name, "saved", current)
    wanted = _saved(name, int(count)) if what == "restore" else what
    await connection.command("select-layout", "-t", pane.id, wanted)
    _, _, current = (await connection.command(*look))[0].partition(" ")
    return Arranged(window, name or what, "restored" if what == "restore" else "applied", current)


def _check(what: str, name: str) -> None:
    if what in ("save", "restore"):
        if not name:
            raise UsageError(f"layout {what} needs a name.", suggestion=f"`layout {what} NAME`.")
    elif what not in LAYOUTS:
        raise UsageError(f"There is no layout {what!r}.", suggestion=f"Layouts are: {', '.join(LAYOUTS)}.")
    elif name:
        raise UsageError(f"layout {what} takes no name.", suggestion="--target chooses a pane of another window.")


def _file(name: str) -> Path:
    return private_directory(state_root() / "layouts") / f"{quote(name, safe=' ')}.json"


def _saved(name: str, panes: int) -> str:
    file = _file(name)
    if not file.exists():
        there = ", ".join(sorted(json.loads(other.read_text())["name"] for other in file.parent.glob("*.json")))
        raise UsageError(f"No layout is saved as {name!r}.", suggestion=f"Saved are: {there or 'none'}.")
    kept = json.loads(file.read_text())
    if kept["panes"] != panes:
        raise NoRoomError(
            f"Layout {name!r} is for {kept['panes']} panes and the window has {panes}.",
            suggestion=f"`grid {kept['panes']}` gives the window as many.",
        )
    return str(kept["layout"])

"""A new pane beside another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.init import existing_directory
from tmux_kernel.errors import CommandError, NoRoomError, UsageError
from tmux_kernel.tmux.session import literal
from tmux_kernel.tmux.target import LABEL_OPTION, pane_facts


@dataclass(frozen=True, slots=True)
class NewPane:
    """The pane made."""

    pane: str
    pane_id: str
    window: int
    label: str
    directory: str
    width: int
    height: int

    @property
    def text(self) -> str:
        label = f" [{self.label}]" if self.label else ""
        return f"Pane {self.pane} ({self.pane_id}){label} {self.width}x{self.height} {self.directory}"


@capability
async def split(
    context: Context,
    target: Annotated[str, Arg("the pane to split; by default the chosen one", values="pane")] = "",
    *,
    horizontal: Annotated[bool, Arg("the new pane is to the right", flags=("-h",))] = False,
    vertical: Annotated[bool, Arg("the new pane is below (the default)", flags=("-v",))] = False,
    label: Annotated[str, Arg("a label for the new pane")] = "",
    cwd: Annotated[str, Arg("where its shell starts; by default where the other is", metavar="DIR")] = "",
    size: Annotated[str, Arg("columns or lines of the new pane, or a share of the old one", metavar="N|N%")] = "",
) -> NewPane:
    """Split a pane in two. The pane people type in stays the same; no room for it is NO_ROOM."""
    if horizontal and vertical:
        raise UsageError("A split is horizontal or vertical.", suggestion="Give one of -h and -v.")
    if size and not re.fullmatch(r"[1-9]\d*%?", size):
        raise UsageError(f"{size!r} is not a size.", suggestion="Give lines or columns (20), or a share (30%).")
    directory = existing_directory(cwd) if cwd else ""
    pane = await context.own_pane(target)
    connection = await context.connection()
    words = ["-h" if horizontal else "-v", "-d", "-t", pane.id, "-P", "-F", "#{pane_id}"]
    words += ["-l", size] if size else []
    words += ["-c", literal(directory or pane.directory)]
    try:
        (made,) = await connection.command("split-window", *words)
    except CommandError as error:
        if "no space" not in str(error) and "too small" not in str(error):
            raise
        raise NoRoomError(
            f"Pane {pane.name} ({pane.size[0]}x{pane.size[1]}) is too small to split.",
            suggestion="Give its window room with `layout tiled`, or make a window.",
        ) from error
    if label:
        await connection.command("set-option", "-p", "-t", made, LABEL_OPTION, label)
    facts = await pane_facts(connection, made)
    return NewPane(facts.name, made, facts.window, facts.label, directory or pane.directory, *facts.size)

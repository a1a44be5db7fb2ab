"""A new window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.capabilities.init import existing_directory
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.session import find_session, literal
from tmux_kernel.tmux.target import LABEL_OPTION, pane_facts


@dataclass(frozen=True, slots=True)
class NewWindow:
    """The window made, and its one pane."""

    window: int
    name: str
    pane: str
    pane_id: str
    label: str

    @property
    def text(self) -> str:
        label = f" [{self.label}]" if self.label else ""
        return f"Window {self.window} {self.name}: pane {self.pane} ({self.pane_id}){label}"


@capability
async def window(
    context: Context,
    name: Annotated[str, Arg("the window's name")] = "",
    *,
    cwd: Annotated[str, Arg("where its shell starts", metavar="DIR", values="directory")] = "",
    label: Annotated[str, Arg("a label for its pane")] = "",
    session: Annotated[str, Arg("the session it goes to; ours by default", values="session")] = "",
) -> NewWindow:
    """Make a window, after those there are. The window people look at stays the same."""
    place = await context.own_pane() if not session else None
    connection = await context.connection()
    facts = await find_session(connection, session or (place.session if place else ""))
    words = ["-d", "-a", "-t", f"{facts.id}:{{end}}", "-P", "-F", "#{pane_id}"]
    words += ["-n", literal(name)] if name else []
    words += ["-c", literal(existing_directory(cwd) if cwd else place.directory if place else facts.directory)]
    (pane,) = await connection.command("new-window", *words)
    lines = [command("set-option", "-p", "-t", pane, LABEL_OPTION, label)] if label else []
    if facts.is_ours:
        lines.append(command("set-option", "-w", "-t", pane, "pane-base-index", "0"))
    if lines:
        await connection.commands(*lines)
    made = await pane_facts(connection, pane)
    return NewWindow(made.window, made.window_name, made.name, made.id, made.label)

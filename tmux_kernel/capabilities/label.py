"""A name for a pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import UsageError
from tmux_kernel.tmux.target import LABEL_OPTION


@dataclass(frozen=True, slots=True)
class Labelled:
    pane: str
    name: str
    label: str

    @property
    def text(self) -> str:
        return (
            f"{self.name} ({self.pane}) is {self.label!r}" if self.label else f"{self.name} ({self.pane}) has no label"
        )


@capability
async def label(
    context: Context,
    target: Annotated[str, Arg("the pane to name", values="pane")],
    name: Annotated[str, Arg("its label; empty takes it away")] = "",
) -> Labelled:
    """Give a pane a label to call it by: `%%pane db`.

    The label stays with the pane wherever it moves, and while nobody is attached.
    """
    if name.startswith("%") or any(char in name for char in "\t\n"):
        raise UsageError(f"{name!r} cannot be a label.", suggestion="A label has no tab and does not begin with %.")
    pane = await context.pane(target)
    connection = await context.connection()
    if name:
        await connection.command("set-option", "-p", "-t", pane.id, LABEL_OPTION, name)
    else:
        await connection.command("set-option", "-p", "-u", "-t", pane.id, LABEL_OPTION)
    return Labelled(pane.id, pane.name, name)

"""Keys pressed in a pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.tmux.keys import key_bytes
from tmux_kernel.tmux.paste import paste


@dataclass(frozen=True, slots=True)
class Pressed:
    pane: str
    name: str
    keys: list[str]

    @property
    def text(self) -> str:
        return f"pressed in {self.name} ({self.pane}): {' '.join(self.keys)}"


@capability
async def keys(
    context: Context,
    keys: Annotated[list[str], Arg("the keys, in order", metavar="KEY")],
    *,
    target: Annotated[str, Arg("the pane; the chosen one without it", flags=("-t",), values="pane")] = "",
    literal: Annotated[bool, Arg("type every word as it is, also one that names a key", flags=("-l",))] = False,
) -> Pressed:
    """Press keys in a pane, also while something runs there.

    Words that name a key are that key (`Enter`, `Escape`, `Up`, `C-c`, `M-x`, `F1`); others are typed as they are,
    with nothing between them. Words that begin with a dash come after `--`.
    """
    pane = await context.pane(target)
    data = b"".join(word.encode("utf-8", "surrogateescape") if literal else key_bytes(word) for word in keys)
    await paste(await context.connection(), pane, data)
    return Pressed(pane.id, pane.name, list(keys))

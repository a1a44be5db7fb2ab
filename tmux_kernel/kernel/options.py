"""What `%%pane` says about the cell below it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CellOptions:
    """Where and how the cell runs; the defaults are an ordinary cell's."""

    targets: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    ok: frozenset[int] = frozenset({0})
    is_background: bool = False
    directory: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_several(self) -> bool:
        """More than one pane, or a pattern that may be."""
        return len(self.targets) > 1 or any(char in target for target in self.targets for char in "*?[")

    @property
    def target(self) -> str:
        return self.targets[0] if self.targets else ""

    def surrounded(self, code: str) -> str:
        """*code* with a directory and variables of its own: in a subshell, for there is no other way back."""
        lines = [f"cd -- {shlex.quote(self.directory)} || exit"] if self.directory else []
        lines += [f"export {name}={shlex.quote(value)}" for name, value in self.environment.items()]
        return f"( {'; '.join(lines)}\n{code}\n)" if lines else code

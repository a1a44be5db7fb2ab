"""The two ways a test asks: the capability's function from words, and the real `tmux-kernel` script."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tmux_kernel.capabilities.catalogue import catalogue
from tmux_kernel.capabilities.context import Context

PROGRAM = str(Path(sys.executable).with_name("tmux-kernel"))


@dataclass(frozen=True)
class Caller:
    """Calls a capability with words, as a magic would."""

    context: Context

    async def __call__(self, name: str, *words: str) -> Any:
        item = catalogue()[name]
        return await item.call(self.context, **item.parse(words))


class Script:
    """Runs `tmux-kernel … --json`; gives (exit code, answer)."""

    def __call__(self, *words: str, stdin: str = "") -> tuple[int, dict[str, Any]]:
        done = subprocess.run(
            [PROGRAM, "--json", *words], input=stdin, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    def say(self, *words: str) -> tuple[int, str, str]:
        """Without --json: (exit code, stdout, stderr)."""
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

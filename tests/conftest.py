"""Real parts for every test: a tmux server on a socket of its own, an empty home, a private state directory.

Nothing here touches the developer's tmux or Jupyter: each server is named after the test process and is killed by name.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tmux_kernel.runs.memory import Identity
from tmux_kernel.runs.run import Result
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.session import SessionPlan
from tmux_kernel.shell.text import TextDecoder
from tmux_kernel.tmux.server import ServerAddress

_sockets = itertools.count(1)


@dataclass(frozen=True)
class Tmux:
    """A tmux server of the test's own, spoken to through the command line as a person would."""

    socket: str

    def __call__(self, *words: str) -> str:
        line = ["tmux", "-L", self.socket, "-f", "/dev/null", *words]
        return subprocess.run(line, capture_output=True, text=True, check=False).stdout.rstrip("\n")

    @property
    def address(self) -> ServerAddress:
        return ServerAddress(self.socket, "/dev/null")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and state directory; shells and kernels started by the test see no dotfiles of the developer's."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMUX_KERNEL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("TMUX_KERNEL_TMUX_CONF", "/dev/null")
    for name in ("TMUX", "TMUX_PANE", "JPY_SESSION_NAME", "PROMPT_COMMAND", "PS1"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def tmux(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tmux]:
    """A server that starts with its first session and is gone after the test."""
    server = Tmux(f"tk-test-{os.getpid()}-{next(_sockets)}")
    monkeypatch.setenv("TMUX_KERNEL_SOCKET", server.socket)
    yield server
    server("kill-server")
    directory = Path(os.environ.get("TMUX_TMPDIR", "/tmp")) / f"tmux-{os.getuid()}"
    (directory / server.socket).unlink(missing_ok=True)


@dataclass
class Bench:
    """Runs commands through the engine and collects what a face would show."""

    runner: Runner

    async def run(self, code: str, target: str = "") -> tuple[str, Result]:
        """(text, result) of one command."""
        run = await self.runner.submit(code, target)
        decoder = TextDecoder()
        parts = [decoder.feed(event) async for event in run.events() if isinstance(event, bytes)]
        return "".join(parts) + decoder.finish(), await run.result()


@pytest.fixture
async def bench(tmux: Tmux, tmp_path: Path) -> AsyncIterator[Bench]:
    """The engine on the test's server, in an empty directory."""
    work = tmp_path / "work"
    work.mkdir()
    identity = Identity.of(str(tmp_path / "note.ipynb"), "", tmux.socket)
    runner = Runner.of_own(SessionPlan(tmux.address, identity, (160, 48), shutil.which("bash") or "bash", str(work)))
    await runner.open()
    yield Bench(runner)
    await runner.close()

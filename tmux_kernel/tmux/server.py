"""Which tmux server, and how a control client of it is started.

Everything that starts a tmux process is here.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tmux_kernel.errors import CommandError, TmuxMissingError, TmuxTooOldError

OLDEST_VERSION = (3, 2)

# Variables that say where *this* process runs; a server or shell we start must not believe them.
_OWN_VARIABLES = ("TMUX", "TMUX_PANE")
_JUPYTER_PREFIX = "JPY_"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A tmux server by socket name (`-L`), socket path (`-S`, when it has a slash) or, empty, the default one."""

    socket: str = ""
    config_file: str = ""

    @classmethod
    def from_environment(cls) -> ServerAddress:
        return cls(os.environ.get("TMUX_KERNEL_SOCKET", ""), os.environ.get("TMUX_KERNEL_TMUX_CONF", ""))

    def argv(self, *words: str) -> list[str]:
        """The command line of a tmux client of this server."""
        line = ["tmux"]
        if self.socket:
            line += ["-S" if "/" in self.socket else "-L", self.socket]
        if self.config_file:
            line += ["-f", self.config_file]
        return [*line, *words]


def clean_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without what describes this process's own terminal and kernel."""
    source = os.environ if environment is None else environment
    return {
        name: value
        for name, value in source.items()
        if name not in _OWN_VARIABLES and not name.startswith(_JUPYTER_PREFIX)
    }


def require_tmux() -> None:
    """Raise, with how to install it, when there is no tmux on PATH."""
    if shutil.which("tmux") is None:
        raise TmuxMissingError("tmux is not on PATH.", suggestion=f"Install tmux 3.2 or newer: {_install_hint()}.")


def require_version(version: str) -> tuple[int, int]:
    """Return the version as numbers, or raise when it is too old. A development build counts as new."""
    match = re.search(r"(\d+)\.(\d+)", version)
    if match is None:
        return (99, 0)
    found = int(match[1]), int(match[2])
    if found < OLDEST_VERSION:
        raise TmuxTooOldError(
            f"tmux {version} is too old; 3.2 or newer is needed.", suggestion=f"Install a newer one: {_install_hint()}."
        )
    return found


def _install_hint() -> str:
    if sys.platform == "darwin":
        return "`brew install tmux`"
    for tool, line in (("apt-get", "apt-get install tmux"), ("dnf", "dnf install tmux"), ("apk", "apk add tmux")):
        if shutil.which(tool):
            return f"`{line}`" if os.geteuid() == 0 else f"`sudo {line}`"
    return "with your package manager"


def start_client(address: ServerAddress, *words: str) -> subprocess.Popen[bytes]:
    """Start a control-mode client running *words*; its pipes are binary and unbuffered.

    It is its own session so that signals meant for this process's group do not reach a server it starts.
    """
    require_tmux()
    return subprocess.Popen(
        address.argv("-C", *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=clean_environment(),
        start_new_session=True,
    )


async def ask_server(address: ServerAddress, *words: str) -> str:
    """What tmux prints for *words*, by a plain client that starts the server when they make a session.

    Not a control client: tmux 3.3 crashes, with every session in it, when sessions change while one says hello.
    """
    require_tmux()
    process = await asyncio.create_subprocess_exec(
        *address.argv(*words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        start_new_session=True,
    )
    printed, refusal = await process.communicate()
    if process.returncode == 0:
        return printed.decode("utf-8", "replace").rstrip("\n")
    raise CommandError(refusal.decode("utf-8", "replace").strip() or f"tmux ended with {process.returncode}")

"""Sessions as tmux lists them, and the one way to have one of ours: marked with `OWNER_OPTION` from its first moment.

A session without that mark is somebody's: nothing here changes it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tmux_kernel.errors import CommandError, ConnectionLostError, SessionExistsError, SessionNotFoundError, UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.server import ServerAddress, ask_server
from tmux_kernel.tmux.target import OWNER_OPTION
from tmux_kernel.tmux.turn import turn

DEFAULT_SIZE = (200, 50)
_SEPARATOR = "\t"
_FORMAT = _SEPARATOR.join(
    f"#{{{name}}}"
    for name in ("session_id", "session_windows", "session_created", "session_path", OWNER_OPTION, "session_name")
)


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What tmux says about one session; `last_active` is when something in it was last printed, in epoch seconds."""

    id: str
    name: str
    windows: int
    created: int
    last_active: int
    directory: str
    is_ours: bool
    clients: tuple[Client, ...] = ()

    @property
    def people(self) -> int:
        """How many terminals look at it; programs do not count."""
        return sum(not client.is_program for client in self.clients)


@dataclass(frozen=True, slots=True)
class Client:
    """Something attached: a terminal, or a program in control mode."""

    pid: int
    is_program: bool


@dataclass(frozen=True, slots=True)
class NewSession:
    """How a session is to be made."""

    name: str
    directory: str
    size: tuple[int, int] = DEFAULT_SIZE
    environment: Mapping[str, str] = field(default_factory=dict)


def session_of_directory(directory: str, socket: str) -> str:
    """The name of the command line's own session for a directory: readable, and never another directory's."""
    path = os.path.realpath(directory)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(path).name)[:24].strip("-")
    digest = hashlib.sha256(f"{socket}\0{path}".encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"tk-{stem or 'root'}-{digest}"


def literal(text: str) -> str:
    """*text* where tmux would expand a format."""
    return text.replace("#", "##")


def session_name(name: str) -> str:
    """*name* as tmux will keep it; UsageError when it cannot be one."""
    if not name or not name.isprintable() or name[0] in "$=@":
        raise UsageError(
            f"{name!r} cannot be a session's name.",
            suggestion="It has no control characters and does not begin with $, = or @.",
        )
    return name.replace(":", "_").replace(".", "_")


async def list_sessions(connection: Connection) -> list[SessionFacts]:
    """Every session of the server, with who is attached."""
    sessions, windows, clients = await connection.commands(
        command("list-sessions", "-F", _FORMAT),
        command("list-windows", "-a", "-F", "#{session_id} #{window_activity}"),
        command("list-clients", "-F", "#{session_id} #{client_pid} #{client_control_mode}"),
    )
    active: dict[str, int] = {}
    for line in windows:
        session, at = line.split(" ")
        active[session] = max(active.get(session, 0), int(at or 0))
    attached: dict[str, list[Client]] = {}
    for line in clients:
        session, pid, is_program = line.split(" ")
        attached.setdefault(session, []).append(Client(int(pid), is_program == "1"))
    found = []
    for line in sessions:
        id_, count, created, directory, owner, name = line.split(_SEPARATOR, 5)
        seen = max(int(created), active.get(id_, 0))
        there = tuple(attached.get(id_, ()))
        found.append(SessionFacts(id_, name, int(count), int(created), seen, directory, bool(owner), there))
    return found


async def find_session(connection: Connection, name: str) -> SessionFacts:
    """The session of that name; SessionNotFoundError lists those there are."""
    sessions = await list_sessions(connection)
    for session in sessions:
        if session.name == name:
            return session
    raise SessionNotFoundError(name, sorted(session.name for session in sessions))


async def make_session(address: ServerAddress, new: NewSession) -> bool:
    """Make a session of ours, detached, starting the server when none runs; False when the name is taken.

    Windows and panes of our sessions count from 0 whatever the user's configuration says.
    """
    width, height = new.size
    target = f"={new.name}:"
    words = ["new-session", "-d", "-s", _argument(literal(new.name)), "-c", _argument(literal(new.directory))]
    words += ["-x", str(width), "-y", str(height)]
    for name, value in new.environment.items():
        words += ["-e", _argument(f"{name}={value}")]
    words += [";", "set-option", "-t", target, OWNER_OPTION, str(os.getpid())]
    words += [";", "set-option", "-t", target, "base-index", "0", ";", "move-window", "-r", "-t", target]
    words += [";", "set-option", "-w", "-t", target, "pane-base-index", "0"]
    try:
        async with turn():
            await ask_server(address, *words)
    except CommandError as error:
        if "duplicate session" in str(error):
            return False
        raise
    return True


async def ensure_session(address: ServerAddress, new: NewSession) -> bool:
    """Have that session of ours: True when it was made now. SessionExistsError when the name is somebody's."""
    if await make_session(address, new):
        return True
    owner = await ask_server(address, "display-message", "-p", "-t", f"={new.name}:", f"#{{{OWNER_OPTION}}}")
    if not owner:
        raise SessionExistsError(
            f"A session named {new.name!r} is there already and is not ours.",
            suggestion="Choose another name with --session.",
        )
    return False


async def end_session(connection: Connection, session: SessionFacts) -> None:
    """End it and all that runs in it; one that is gone already is no error, nor is losing *connection* with it."""
    async with turn():
        try:
            await connection.command("kill-session", "-t", session.id)
        except CommandError as error:
            if "find session" not in str(error):
                raise
        except ConnectionLostError:
            return


def _argument(word: str) -> str:
    """tmux takes a `;` at a word's end for the end of the command."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word

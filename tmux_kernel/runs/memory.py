"""What must outlive this process: which session and panes are ours, and the run in flight.

One private directory per kernel identity. A SIGKILL at any moment leaves it readable: each file is written whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import platformdirs

from tmux_kernel.runs.pane import private_directory
from tmux_kernel.shell.integration import write_private


def state_root() -> Path:
    """The user's private directory for all we keep; `TMUX_KERNEL_STATE` chooses another."""
    chosen = os.environ.get("TMUX_KERNEL_STATE")
    return private_directory(Path(chosen) if chosen else platformdirs.user_state_path("tmux-kernel"))


@dataclass(frozen=True, slots=True)
class Identity:
    """What a kernel knows itself by: its notebook where Jupyter tells it, else its connection file."""

    key: str
    name: str
    is_notebook: bool

    @classmethod
    def of(cls, notebook: str, connection_file: str, socket: str) -> Identity:
        source = notebook or connection_file
        digest = hashlib.sha256(f"{socket}\0{os.path.abspath(source)}".encode()).hexdigest()[:8]
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(source).stem)[:24].strip("-") if notebook else "kernel"
        return cls(digest, f"{stem or 'notebook'}-{digest}", bool(notebook))


@dataclass(slots=True)
class PaneRecord:
    """A followed pane: enough to follow it again. `remains`: the user wants it kept when its shell has ended."""

    pid: int
    secret: str
    home: str
    log: str
    is_own: bool
    remains: bool = False


@dataclass(slots=True)
class SessionRecord:
    """Our session on its server."""

    session: str
    server_pid: int
    main_pane: str
    panes: dict[str, PaneRecord] = field(default_factory=dict)


@dataclass
class FlightRecord:
    """The run in flight: where its bytes begin, and the numbers its marks must exceed."""

    pane: str
    command: str
    position: int
    prompt: int
    number: int
    started: float


class Memory:
    """Reads and writes one identity's directory."""

    def __init__(self, identity: Identity) -> None:
        self.directory = private_directory(state_root() / "sessions" / identity.key)
        self._session = self.directory / "session.json"
        self._flights: dict[str, dict[str, object]] = {}
        # One file per process: two kernels of one notebook do not take each other's runs for orphans.
        self._flight_path = self.directory / f"flight-{os.getpid()}.json"
        self._flight_fd = os.open(self._flight_path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._flight_size = 0

    def session(self) -> SessionRecord | None:
        try:
            data = json.loads(self._session.read_text())
            panes = {pane: PaneRecord(**record) for pane, record in data.pop("panes").items()}
            return SessionRecord(**data, panes=panes)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def keep_session(self, record: SessionRecord) -> None:
        fresh = self._session.with_suffix(f".{os.getpid()}")
        write_private(fresh, json.dumps(asdict(record)))
        fresh.replace(self._session)

    def orphans(self) -> list[FlightRecord]:
        """Runs that were in flight when a kernel of this identity died; from now on they are in our own file."""
        records = []
        for path in self.directory.glob("flight-*.json"):
            pid = int(path.stem.partition("-")[2])
            if pid == os.getpid() or _is_alive(pid):
                continue
            with contextlib.suppress(OSError, ValueError, TypeError):
                records += [FlightRecord(**record) for record in json.loads(path.read_bytes()).values()]
            path.unlink(missing_ok=True)
        for record in records:
            self.keep_flight(record.pane, record)
        return records

    def keep_flight(self, pane: str, record: FlightRecord | None) -> None:
        """On the path of every cell: one write to an open file, no sync. Blanks cover what a longer one left."""
        if record is None:
            self._flights.pop(pane, None)
        else:
            self._flights[pane] = vars(record)
        data = json.dumps(self._flights).encode()
        os.pwrite(self._flight_fd, data.ljust(self._flight_size), 0)
        self._flight_size = max(self._flight_size, len(data))

    def pane_home(self, pane: str) -> Path:
        """A new private directory for one shell's files."""
        name = f"pane{pane.lstrip('%')}-{int(time.time() * 1000):x}"
        return private_directory(self.directory / name)

    def leave(self) -> None:
        """Take back only what this process wrote: others still use the session."""
        if self._flight_fd >= 0:
            os.close(self._flight_fd)
            self._flight_fd = -1
        self._flight_path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove all of it: the session ended in good order."""
        self.leave()
        shutil.rmtree(self.directory, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

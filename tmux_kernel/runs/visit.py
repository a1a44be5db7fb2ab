"""A command line's way in: attached to a session that is there, with nothing of its own to keep or to remove."""

from __future__ import annotations

import contextlib
import os

from tmux_kernel.errors import CommandError, SessionNotFoundError, TmuxNotRunningError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.memory import Memory, SessionRecord
from tmux_kernel.runs.session import CLIENT_FLAGS, Opened
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.server import ServerAddress, require_version, start_client
from tmux_kernel.tmux.session import session_of_directory
from tmux_kernel.tmux.turn import turn


class VisitedSession:
    """Stands where a kernel has its `OwnSession`."""

    is_own = False

    def __init__(self, address: ServerAddress, session: str, memory: Memory) -> None:
        self._address = address
        self._session = session
        self.memory = memory

    async def open(self) -> Opened:
        """Attach without taking the screen or the size; an empty name is the working directory's own session, or
        whichever tmux prefers when there is none."""
        words = ["-N", "attach-session", "-f", CLIENT_FLAGS]  # -N: a server started to be told no would die on others
        if self._session:
            words += ["-t", f"={self._session}"]
        try:
            async with turn():
                connection = Connection(start_client(self._address, *words))
                await connection.ready()
        except CommandError as error:
            connection.close()
            if "find session" in str(error):
                raise SessionNotFoundError(self._session, []) from error
            raise TmuxNotRunningError(
                f"No tmux server has a session here ({error}).",
                suggestion="Start one with `tmux-kernel init`, or choose another server with --socket.",
            ) from error
        if not self._session:
            own = session_of_directory(os.getcwd(), self._address.socket)
            with contextlib.suppress(CommandError):
                await connection.command("switch-client", "-t", f"={own}:")
        (line,) = await connection.command("display-message", "-p", "#{pid} #{version} #{session_name}")
        server_pid, version, session = line.split(" ", 2)
        require_version(version)
        return Opened(connection, SessionRecord(session, int(server_pid), ""), is_found=False)

    async def attach(self, record: SessionRecord) -> Connection | None:
        """Once more to where we were; None when it is not there any more."""
        before = VisitedSession(self._address, record.session, self.memory)
        try:
            return (await before.open()).connection
        except (SessionNotFoundError, TmuxNotRunningError):
            return None

    async def close(self, connection: Connection) -> None:
        async with turn():
            if connection.is_open:
                connection.post(command("detach-client"))
                await connection.lost
        self.memory.forget()

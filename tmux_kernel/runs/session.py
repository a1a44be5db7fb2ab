"""The kernel's own tmux session: made, found again, given a fresh shell, removed. Other sessions are only looked at."""

from __future__ import annotations

import contextlib
import os
import shlex
from dataclasses import dataclass

from tmux_kernel.errors import CommandError, ConnectionLostError, TmuxNotRunningError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.memory import Identity, Memory, PaneRecord, SessionRecord
from tmux_kernel.shell.integration import Integration, keeper, write_private
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import pipe_command, pipe_line
from tmux_kernel.tmux.server import ServerAddress, clean_environment, require_version, start_client
from tmux_kernel.tmux.turn import turn

# Commands that page or ask print instead.
QUIET_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "AWS_PAGER": ""}
_TRIES = 3
CLIENT_FLAGS = "no-output,ignore-size"


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """How our session is to be."""

    address: ServerAddress
    identity: Identity
    size: tuple[int, int]
    shell: str
    directory: str
    connection_file: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection attached to our session, and its main pane."""

    connection: Connection
    record: SessionRecord
    is_found: bool


class OwnSession:
    """Opens the session an identity has, or makes it."""

    is_own = True

    def __init__(self, plan: SessionPlan, memory: Memory) -> None:
        self.plan = plan
        self.memory = memory

    async def open(self) -> Opened:
        """Attach to the session this identity left behind when it died, else make a new one."""
        for _ in range(_TRIES - 1):
            with contextlib.suppress(ConnectionLostError):  # the server was on its way out; the next client starts one
                return await self._find_or_make()
        return await self._find_or_make()

    async def _find_or_make(self) -> Opened:
        record = self.memory.session()
        if record is not None:
            connection = await self.attach(record)
            if connection is not None:
                return Opened(connection, record, is_found=True)
        return await self._make()

    async def attach(self, record: SessionRecord) -> Connection | None:
        """A connection to the session on *record*; None when it is not there any more."""
        try:
            connection = await self._greet("attach-session", "-t", f"={record.session}", "-f", CLIENT_FLAGS)
        except (CommandError, TmuxNotRunningError):
            return None
        try:
            (line,) = await connection.command("display-message", "-p", "-t", record.main_pane, "#{pid} #{pane_id}")
        except CommandError:
            connection.close()
            return None
        if line != f"{record.server_pid} {record.main_pane}":
            connection.close()
            return None
        return connection

    async def _greet(self, *words: str) -> Connection:
        """A client running *words*, one at a time among our processes (decisions/0006)."""
        async with turn():
            connection = Connection(start_client(self.plan.address, *words))
            try:
                await connection.ready()
            except CommandError:
                connection.close()
                raise
        return connection

    async def _make(self) -> Opened:
        plan = self.plan
        width, height = plan.size
        home = self.memory.pane_home("main")
        integration = Integration.new(home)
        log = home / "pane.log"
        log.touch(mode=0o600)
        arguments = [
            "-s",
            plan.identity.name,
            "-x",
            str(width),
            "-y",
            str(height),
            "-c",
            plan.directory,
            "-f",
            CLIENT_FLAGS,
        ]
        # One client, one step: nothing the shell prints comes before the log, the size and the options are in place.
        words = ["new-session", *arguments, self._shell_command(integration)]
        words += [";", "pipe-pane", "-o", pipe_command(log)]
        words += [";", "set-option", "-p", "remain-on-exit", "on"]
        words += [";", "set-option", "-w", "window-size", "manual"]
        # Runbooks name panes by index: in our session they count from 0 whatever the user's own configuration says.
        words += [";", "set-option", "-w", "pane-base-index", "0"]
        words += [";", "set-option", "base-index", "0", ";", "move-window", "-r"]
        words += [";", "set-option", "@tmux_kernel", f"{os.getpid()} {plan.identity.key}"]
        try:
            connection = await self._greet(*words)
        except CommandError as error:
            if "duplicate session" not in str(error):
                raise
            return await self._replace_stale()
        lines = [command("display-message", "-p", "#{pid} #{pane_id} #{pane_pid} #{version}")]
        if not plan.identity.is_notebook:
            lines.append(self._reap_line())
        (answer, *_rest) = await connection.commands(*lines)
        server_pid, pane, pane_pid, version = answer[0].split(" ", 3)
        require_version(version)
        record = SessionRecord(plan.identity.name, int(server_pid), pane)
        record.panes[pane] = PaneRecord(int(pane_pid), integration.secret, str(home), str(log), is_own=True)
        self.memory.keep_session(record)
        return Opened(connection, record, is_found=False)

    async def _replace_stale(self) -> Opened:
        """A session of our name whose record is lost: ours by its option, of no use without the record."""
        name = self.plan.identity.name
        connection = await self._greet("attach-session", "-t", f"={name}", "-f", CLIENT_FLAGS)
        owner = await connection.command("show-options", "-qv", "@tmux_kernel")
        if owner and owner[0].endswith(self.plan.identity.key):
            await self._end(connection)
            return await self._make()
        connection.close()
        raise CommandError(
            f"A tmux session named {name!r} is there already and is not ours.",
            suggestion=f"Rename it (`tmux rename-session -t {name} …`) and restart the kernel.",
        )

    def _shell_command(self, integration: Integration) -> str:
        """The shell started in a pane of ours; the rc file carries this process's environment and is private."""
        environment = clean_environment()
        rc = write_private(integration.rc, integration.rc_text(environment, QUIET_PAGERS))
        secret = write_private(integration.home / "secret", integration.secret)
        words = [self.plan.shell, "--norc", str(keeper()), str(secret), self.plan.shell, "--rcfile", str(rc), "-i"]
        return f"exec {shlex.join(words)}"

    async def respawn(self, connection: Connection, pane: str, *, prompt: int, number: int) -> PaneRecord:
        """A fresh shell in a pane of ours whose shell is gone; numbers go on so that none repeats."""
        home = self.memory.pane_home(pane)
        integration = Integration.new(home, prompt=prompt, number=number)
        log = home / "pane.log"
        log.touch(mode=0o600)
        shell = self._shell_command(integration)
        await connection.commands(
            command("respawn-pane", "-k", "-c", self.plan.directory, "-t", pane, shell),
            command("pipe-pane", "-t", pane),
            pipe_line(pane, log),
        )
        (line,) = await connection.command("display-message", "-p", "-t", pane, "#{pane_pid}")
        return PaneRecord(int(line), integration.secret, str(home), str(log), is_own=True)

    def _reap_line(self) -> bytes:
        """Our client gone and the connection file with it: no kernel will come back for this session."""
        plan = self.plan
        alive = f"[ -e {shlex.quote(plan.connection_file)} ]"
        watched = f"[ \"$(tmux display-message -p -t ={plan.identity.name}: '##{{session_attached}}')\" != 0 ]"
        # The session may be the server's last: with it this script would end.
        remove = f"{{ rm -rf {shlex.quote(str(self.memory.directory))}; tmux kill-session -t ={plan.identity.name}; }}"
        script = f"sleep 10; {alive} || {watched} || {remove}"
        return command("set-hook", "-t", f"={plan.identity.name}:", "client-detached", b"run-shell -b " + _word(script))

    async def close(self, connection: Connection) -> None:
        """Remove the session and all we kept about it, unless another kernel of this notebook still uses it."""
        if connection.is_open:
            name = f"={self.plan.identity.name}"
            clients = await connection.command("list-clients", "-t", name, "-F", "#{client_control_mode}")
            if clients.count("1") > 1:
                connection.close()
                self.memory.leave()
                return
            await self._end(connection)
        self.memory.forget()

    async def _end(self, connection: Connection) -> None:
        async with turn():
            if connection.is_open:
                connection.post(command("kill-session", "-t", f"={self.plan.identity.name}"))
                await connection.lost


def _word(text: str) -> bytes:
    return command("", text).lstrip()

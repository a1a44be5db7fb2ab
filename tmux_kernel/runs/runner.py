"""Runs commands in panes: our own by default, any other by name. Owns the connection and every followed shell."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from pathlib import Path

from tmux_kernel.errors import CommandError, PaneNotFoundError, ShellGoneError, TmuxKernelError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.adoption import Adoption
from tmux_kernel.runs.attendant import FIRST_LOOK_SECONDS, attend
from tmux_kernel.runs.memory import FlightRecord, Identity, Memory, PaneRecord
from tmux_kernel.runs.pane import PaneShell, Phase
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.session import OwnSession, SessionPlan
from tmux_kernel.runs.state import Signal
from tmux_kernel.runs.visit import VisitedSession
from tmux_kernel.shell.integration import Integration
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import LogFeed
from tmux_kernel.tmux.server import ServerAddress
from tmux_kernel.tmux.target import PaneFacts, pane_facts, resolve
from tmux_kernel.tmux.watch import FileWatch

# How much of a log is read to learn where a shell is that was followed before.
_CATCH_UP_BYTES = 1 << 16
_KEPT_RUNS = 100
# How long tmux may take to say how a shell ended.
_LAST_WORDS_SECONDS = 5.0


class Runner:
    """Started lazily by the first need of it; `close` ends it in good order."""

    def __init__(self, address: ServerAddress, session: OwnSession | VisitedSession) -> None:
        self.address = address
        self.target = ""
        self.orphan: Run | None = None
        self.runs: dict[str, Run] = {}
        self._is_closing = False
        self._memory = session.memory
        self._session = session
        self._opening: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._watch: FileWatch | None = None
        self._shells: dict[str, PaneShell] = {}
        self._attending: set[asyncio.Task[None]] = set()

    @classmethod
    def of_own(cls, plan: SessionPlan) -> Runner:
        """With a session of our own, found again or made."""
        return cls(plan.address, OwnSession(plan, Memory(plan.identity)))

    @classmethod
    def visiting(cls, address: ServerAddress, session: str = "") -> Runner:
        """In somebody's session; what is kept meanwhile goes when we go."""
        memory = Memory(Identity.of("", f"visit-{os.getpid()}-{id(address)}", address.socket))
        return cls(address, VisitedSession(address, session, memory))

    @property
    def owns_session(self) -> bool:
        return self._session.is_own

    # -- opening ----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Have a connection and our own session; idempotent, and again after tmux went away."""
        if self._opening is not None and not self._opening.done():
            await asyncio.shield(self._opening)
        if self._opening is None or not self.is_connected:
            self._opening = asyncio.get_running_loop().create_task(self._open())
        await asyncio.shield(self._opening)

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.is_open

    @property
    def connection(self) -> Connection:
        assert self._connection is not None, "open() comes first"
        return self._connection

    async def _open(self) -> None:
        for shell in self._shells.values():
            shell.close()
        self._shells.clear()
        if self._watch is None:
            self._watch = FileWatch()
        opened = await self._session.open()
        self._connection = opened.connection
        self.record = opened.record
        await self._connection.learn_paste_flags()
        self._connection.lost.add_done_callback(lambda _: self._lost())
        for flight in self._memory.orphans():
            if opened.is_found and flight.pane in opened.record.panes:
                await self._take_up(flight)
            else:
                self._memory.keep_flight(flight.pane, None)
        if opened.record.main_pane in opened.record.panes and opened.record.main_pane not in self._shells:
            await self._follow(opened.record.main_pane, catch_up=opened.is_found)

    def _lost(self) -> None:
        """Our client is gone: detached by somebody (`tmux attach -d`), or the server with all it had."""
        if not self._is_closing:
            self._opening = asyncio.get_running_loop().create_task(self._reattach())

    async def _reattach(self) -> None:
        """Runs go on in their panes and in their logs: only the connection is new. Else all is lost."""
        connection = None
        with contextlib.suppress(TmuxKernelError):
            connection = await self._session.attach(self.record)
        if connection is None:
            for shell in self._shells.values():
                shell.lose(None, "the tmux server ended")
            return
        self._connection = connection
        await connection.learn_paste_flags()
        connection.lost.add_done_callback(lambda _: self._lost())
        for shell in self._shells.values():
            shell.connection = connection

    async def _follow(self, pane: str, *, catch_up: bool = False, flight: FlightRecord | None = None) -> PaneShell:
        """Follow a pane on record: from its beginning, from a run's beginning, or from near its end."""
        assert self._watch is not None
        record = self.record.panes[pane]
        facts = await pane_facts(self.connection, pane)
        log = Path(record.log)
        position, prompt, number = 0, 0, 0
        if flight is not None:
            position, prompt, number = flight.position, flight.prompt, flight.number
        elif catch_up:
            position = max(0, log.stat().st_size - _CATCH_UP_BYTES)
        integration = Integration(Path(record.home), record.secret, prompt, number)
        feed = LogFeed(log, self._watch, position=position)
        shell = PaneShell(self.connection, facts, feed, integration)
        self._keep(shell)
        if flight is None:
            shell.start()
        return shell

    def _keep(self, shell: PaneShell) -> None:
        facts = shell.facts
        self._shells[facts.id] = shell
        if facts.session == self.record.session:  # its name carries a hash; inside it goes without saying
            shell.name = f"{facts.window}.{facts.index}"

        def remember(run: Run | None) -> None:
            self._memory.keep_flight(facts.id, None if run is None else self._flight(shell, run))

        shell.ran = remember

    @staticmethod
    def _flight(shell: PaneShell, run: Run) -> FlightRecord:
        return FlightRecord(run.pane, run.command[:1000], shell.feed.position, shell.prompt, shell.number, run.started)

    async def _take_up(self, flight: FlightRecord) -> None:
        """A run was in flight when this kernel's predecessor died: follow it from where it began."""
        try:
            shell = await self._follow(flight.pane, flight=flight)
        except (PaneNotFoundError, OSError):
            self._memory.keep_flight(flight.pane, None)
            return
        run = Run(flight.pane, flight.command)
        run.started = flight.started
        run.began_seconds_ago(max(0.0, time.time() - flight.started))
        shell.resume(run)
        self.orphan = run
        shell.start()
        self._attend(shell, run)

    # -- running ----------------------------------------------------------------------------------------------

    async def shell(self, target: str = "") -> PaneShell:
        """The followed shell *target* names; adopted, or given a fresh shell, when it must be."""
        await self.open()
        wanted = target or self.target
        if not wanted:
            return await self._main_shell()
        facts = await resolve(self.connection, wanted, own_session=self.record.session)
        return await self._shell_of(facts)

    async def _main_shell(self) -> PaneShell:
        pane = self.record.main_pane
        if not pane:
            return await self._shell_of(await resolve(self.connection, self.record.session, own_session=""))
        shell = self._shells.get(pane)
        if shell is not None and shell.phase is not Phase.GONE:
            return shell
        if shell is not None:
            return await self._revive(shell)
        return await self._follow(pane)

    async def _shell_of(self, facts: PaneFacts) -> PaneShell:
        shell = self._shells.get(facts.id)
        if shell is not None and shell.phase is not Phase.GONE and shell.facts.pid == facts.pid:
            return shell
        if facts.id == self.record.main_pane:
            return await self._main_shell()
        if shell is not None:
            self._drop(shell)
        record = self.record.panes.get(facts.id)
        if record is not None and record.pid == facts.pid and Path(record.home, "lease").exists():
            return await self._follow(facts.id, catch_up=True)
        assert self._watch is not None
        adoption = Adoption(self.connection, self.address, self._memory, self._watch)
        shell, record = await adoption.adopt(facts)
        self._remember(facts.id, record)
        self._keep(shell)
        return shell

    async def _revive(self, gone: PaneShell) -> PaneShell:
        """Our pane's shell has ended: a fresh one in the same place, or a fresh session if the pane went too."""
        pane = gone.facts.id
        self._drop(gone)
        try:
            await pane_facts(self.connection, pane)
            assert isinstance(self._session, OwnSession)
            record = await self._session.respawn(self.connection, pane, prompt=gone.prompt, number=gone.number)
        except (PaneNotFoundError, CommandError):
            self.connection.close()
            self._memory.keep_flight(pane, None)
            await self.open()
            return self._shells[self.record.main_pane]
        self._remember(pane, record)
        integration = Integration(Path(record.home), record.secret, gone.prompt, gone.number)
        facts = await pane_facts(self.connection, pane)
        assert self._watch is not None
        feed = LogFeed(Path(record.log), self._watch)
        shell = PaneShell(self.connection, facts, feed, integration)
        self._keep(shell)
        shell.start()
        return shell

    def _remember(self, pane: str, record: PaneRecord) -> None:
        self.record.panes[pane] = record
        self._memory.keep_session(self.record)

    def _drop(self, shell: PaneShell) -> None:
        shell.close()
        self._shells.pop(shell.facts.id, None)

    async def submit(self, code: str, target: str = "") -> Run:
        """Run *code* in a pane; returns as soon as it is typed."""
        try:
            return await self._submit(code, target)
        except (ShellGoneError, PaneNotFoundError):
            own = self._shells.get(self.record.main_pane)
            if target or self.target or own is None:
                raise
            # Our shell ended in this very moment and nothing was typed: the command is for a fresh one.
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await own.wait_gone()
            return await self._submit(code, target)

    async def _submit(self, code: str, target: str) -> Run:
        shell = await self.shell(target)
        await shell.wait_ready()
        if self._is_held(shell.facts.id):
            self.connection.post(command("set-option", "-p", "-t", shell.facts.id, "remain-on-exit", "on"))
        try:
            run = await shell.submit(code)
        except BaseException:
            self._let_go(shell)
            raise
        self._attend(shell, run)
        self._keep_run(run)
        return run

    def _keep_run(self, run: Run) -> None:
        """Runs can be asked about by id; the oldest that are over are forgotten."""
        self.runs[run.id] = run
        if len(self.runs) > _KEPT_RUNS:
            over = next((name for name, old in self.runs.items() if old.is_over), None)
            if over is not None:
                del self.runs[over]

    def _attend(self, shell: PaneShell, run: Run) -> None:
        """Stand by the run once it has lasted a moment: most are over before."""
        run.when_over(lambda: self._let_go(shell))
        timer = asyncio.get_running_loop().call_later(FIRST_LOOK_SECONDS, self._stand_by, shell, run)
        run.when_over(timer.cancel)

    def _stand_by(self, shell: PaneShell, run: Run) -> None:
        task = asyncio.get_running_loop().create_task(attend(shell, run))
        self._attending.add(task)
        task.add_done_callback(self._attending.discard)
        run.when_over(task.cancel)

    def _is_held(self, pane: str) -> bool:
        """While a run is in a borrowed pane tmux keeps it past its shell's end, for the last bytes."""
        record = self.record.panes.get(pane)
        return record is not None and not record.is_own and not record.remains

    def _let_go(self, shell: PaneShell) -> None:
        """The pane's last bytes need not be held any longer."""
        if self.is_connected and self._is_held(shell.facts.id):
            pane = shell.facts.id
            self.connection.post(command("set-option", "-p", "-u", "-t", pane, "remain-on-exit"))
            if shell.phase is Phase.GONE:  # it would have closed by itself
                self.connection.post(command("kill-pane", "-t", pane))

    def shell_running(self, run: Run) -> PaneShell | None:
        """The shell *run* is in, if it still is."""
        shell = self._shells.get(run.pane)
        return shell if shell is not None and shell.run is run else None

    def abandon(self, run: Run, status: int | None, note: str) -> None:
        """Stop waiting for *run*; whatever it is goes on in its pane."""
        shell = self.shell_running(run)
        if shell is not None:
            shell.run = None
            shell.phase = Phase.BUSY
            self._memory.keep_flight(run.pane, None)
        run.finish(Signal.ENDED, status, note=note)

    @property
    def chosen_target(self) -> str:
        """Where cells go now, as a target. Open first."""
        return self.target or self.record.main_pane or self.record.session

    def chosen(self) -> PaneShell | None:
        """The shell cells go to now, if it is followed."""
        return self._shells.get(self.target or self.record.main_pane)

    def busy_shell(self) -> PaneShell | None:
        """The shell with a run in it, the chosen pane's first."""
        busy = [shell for shell in self._shells.values() if shell.run is not None]
        busy.sort(key=lambda shell: shell.facts.id != (self.target or self.record.main_pane))
        return busy[0] if busy else None

    @property
    def shells(self) -> list[PaneShell]:
        return list(self._shells.values())

    # -- leaving ----------------------------------------------------------------------------------------------

    async def release(self, target: str) -> str:
        """Give a user's pane back as it was; returns its name."""
        await self.open()
        facts = await resolve(self.connection, target, own_session=self.record.session)
        shell = self._shells.get(facts.id)
        if shell is None or self.record.panes[facts.id].is_own:
            raise TmuxKernelError(
                f"Pane {facts.name} is not one we borrowed.", suggestion="`%pane` says where cells run."
            )
        await self._release(shell)
        if self.target == target:
            self.target = ""
        return facts.name

    async def _release(self, shell: PaneShell) -> None:
        if shell.run is not None:
            self.abandon(shell.run, None, "the pane was released")
        await shell.release()
        if self.is_connected and isinstance(shell.feed, LogFeed):
            self.connection.post(command("pipe-pane", "-t", shell.facts.id))
        self._drop(shell)
        self.record.panes.pop(shell.facts.id, None)
        self._memory.keep_session(self.record)

    async def close(self, *, keep: bool = False) -> None:
        """Borrowed panes are given back, our session is removed unless *keep*."""
        self._is_closing = True
        if self._opening is not None and not self._opening.done():
            await asyncio.wait({self._opening})  # whatever it opens is closed below
        for shell in self.shells:
            if not self.record.panes[shell.facts.id].is_own:
                await self._release(shell)
        for task in list(self._attending):
            task.cancel()
        for shell in self.shells:
            self._drop(shell)
        if self._connection is None:  # never opened, or tmux was not to be had
            self._memory.forget()
        elif keep:
            self._connection.close()
        else:
            await self._session.close(self._connection)
        if self._watch is not None:
            self._watch.close()
            self._watch = None

"""Following a shell somebody else started: looked at first, typed into only when it is bash at an empty prompt."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from pathlib import Path

from tmux_kernel.errors import PaneBusyError, ShellNotSupportedError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.memory import Memory, PaneRecord
from tmux_kernel.runs.pane import PaneShell, unsupported
from tmux_kernel.shell import integration as keys
from tmux_kernel.shell.foreground import Foreground, Waits, look
from tmux_kernel.shell.integration import Integration, write_private
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import Feed, LogFeed, OutputFeed, pipe_line
from tmux_kernel.tmux.server import ServerAddress, start_client
from tmux_kernel.tmux.target import PaneFacts, pane_facts
from tmux_kernel.tmux.turn import turn
from tmux_kernel.tmux.watch import FileWatch

_ANSWER_SECONDS = 10.0
_ECHO_SECONDS = 0.05
_LOOKS = 8
_BEGINNING_OF_LINE, _END_OF_LINE, _BACKSPACE = b"\x01", b"\x05", b"\x7f"


class Adoption:
    """Turns a user's pane into a followed shell."""

    def __init__(self, connection: Connection, address: ServerAddress, memory: Memory, watch: FileWatch) -> None:
        self._connection = connection
        self._address = address
        self._memory = memory
        self._watch = watch

    async def adopt(self, facts: PaneFacts) -> tuple[PaneShell, PaneRecord]:
        """Install the integration and wait for its first prompt. On any failure nothing is left behind."""
        await self._require_prompt(facts)
        await self._require_empty_line(facts)
        home = self._memory.pane_home(facts.id)
        integration = Integration.new(home)
        log = home / "pane.log"
        feed = await self._feed(facts, log)
        shell = PaneShell(self._connection, facts, feed, integration)
        shell.start()
        try:
            await self._install(shell)
        except BaseException:
            integration.lease.unlink(missing_ok=True)
            shell.close()
            if not facts.is_piped:
                self._connection.post(command("pipe-pane", "-t", facts.id))
            raise
        remains = await self._connection.command("display-message", "-p", "-t", facts.id, "#{remain-on-exit}")
        record = PaneRecord(facts.pid, integration.secret, str(home), str(log), is_own=False, remains=remains == ["on"])
        return shell, record

    async def _require_prompt(self, facts: PaneFacts) -> None:
        if facts.is_dead:
            raise PaneBusyError(f"Pane {facts.name} is dead.", suggestion="Respawn it, or choose another with `%pane`.")
        if facts.is_in_mode:
            raise PaneBusyError(
                f"Pane {facts.name} is in copy mode. Nothing was typed.",
                suggestion="Leave copy mode there (press q), or choose another pane with `%pane`.",
            )
        seen = await self._look(facts)
        if seen.waits is not Waits.SHELL_PROMPT:
            what = seen.name or facts.current_command
            raise PaneBusyError(
                f"Pane {facts.name} is busy: {what!r} has it. Nothing was typed.",
                suggestion="Finish it there, interrupt it with `%keys C-c`, or choose another pane with `%pane`.",
            )
        if seen.name != "bash":
            raise ShellNotSupportedError(
                f"Pane {facts.name} runs {seen.name!r}; cells run in bash only for now.",
                suggestion="Start bash in it, or choose another pane with `%pane`.",
            )

    async def _look(self, facts: PaneFacts) -> Foreground:
        """Who has the pane; one that is only on its way back to its prompt is given a moment."""
        for _ in range(_LOOKS):
            seen = look(facts.pid, facts.tty)
            if seen.waits is not Waits.NOTHING:
                break
            await asyncio.sleep(_ECHO_SECONDS)
        return seen

    async def _require_empty_line(self, facts: PaneFacts) -> None:
        if not await self._is_line_empty(await self._settled(facts)):
            raise PaneBusyError(
                f"Pane {facts.name} has a half-typed line. Nothing was changed.",
                suggestion="Finish or clear it there (Ctrl-U), or choose another pane with `%pane`.",
            )

    async def _settled(self, facts: PaneFacts) -> PaneFacts:
        """The pane once its cursor rests: the prompt may still be on its way to the screen."""
        for _ in range(_LOOKS):
            await asyncio.sleep(_ECHO_SECONDS)
            before, facts = facts, await pane_facts(self._connection, facts.id)
            if facts.cursor == before.cursor:
                break
        return facts

    async def _is_line_empty(self, facts: PaneFacts) -> bool:
        """Ctrl-A moves the cursor exactly when something is typed to its left; nothing is changed by it."""
        row = facts.cursor[1]
        (line,) = await self._connection.command(
            "capture-pane", "-p", "-t", facts.id, "-S", str(row), "-E", str(row)
        ) or [""]
        after_cursor = line[facts.cursor[0] :].strip()
        await self._type(facts, _BEGINNING_OF_LINE)
        moved = await pane_facts(self._connection, facts.id)
        if moved.cursor == facts.cursor and not after_cursor:
            return True
        is_vi = moved.cursor[0] == facts.cursor[0] + 2 and moved.cursor[1] == row  # it inserted ^A
        await self._type(facts, _BACKSPACE if is_vi else _END_OF_LINE)
        return is_vi and not after_cursor and line[: facts.cursor[0]].rstrip()[-1:] in "$#%>"

    async def _type(self, facts: PaneFacts, data: bytes) -> None:
        await self._connection.commands(
            command("set-buffer", "-b", "tmux-kernel-adopt", data),
            command("paste-buffer", *self._connection.paste_flags, "-b", "tmux-kernel-adopt", "-t", facts.id),
        )
        await asyncio.sleep(_ECHO_SECONDS)

    async def _feed(self, facts: PaneFacts, log: Path) -> Feed:
        if not facts.is_piped:
            log.touch(mode=0o600)
            feed = LogFeed(log, self._watch)
            await self._connection.commands(pipe_line(facts.id, log))
            return feed
        async with turn():
            client = Connection(
                start_client(self._address, "attach-session", "-t", f"={facts.session}", "-f", "ignore-size")
            )
            await client.ready()
        return OutputFeed(client, facts.id)

    async def _install(self, shell: PaneShell) -> None:
        # A short path, so that the line fits beside the prompt and can be wiped again.
        directory = Path(tempfile.mkdtemp(prefix="tk."))
        try:
            path = directory / "a"
            line = f" . {shlex.quote(str(path))}"
            write_private(path, shell.integration.adopt_text(line))
            refusal = shell.expect("unsupported")
            await shell.paste(line.encode() + keys.ENTER)
            ready = asyncio.create_task(shell.wait_ready(_ANSWER_SECONDS))
            refusal.add_done_callback(lambda _: ready.cancel())
            await asyncio.wait({ready}, timeout=_ANSWER_SECONDS)
            if refusal.done():
                raise unsupported(refusal.result(), shell.facts.name)
            if not shell.is_ready:
                ready.cancel()
                raise PaneBusyError(
                    f"The shell of pane {shell.facts.name} did not answer within {_ANSWER_SECONDS:.0f} s.",
                    suggestion="Look at it with `tmux attach`, or choose another pane with `%pane`.",
                )
            await ready
        finally:
            (directory / "a").unlink(missing_ok=True)
            directory.rmdir()

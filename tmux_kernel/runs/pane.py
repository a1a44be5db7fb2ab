"""A shell in a pane, followed by its marks: is it free, what runs in it, type a command into it.

Nothing is typed unless the shell is at its own prompt with an empty line; tmux itself checks copy mode in the same
step as the paste, so there is no moment in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import itertools
import re
import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tmux_kernel.errors import (
    CommandError,
    ConnectionLostError,
    FeedLostError,
    PaneBusyError,
    PaneNotFoundError,
    ShellGoneError,
    ShellNotSupportedError,
)
from tmux_kernel.protocol.quoting import command
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.state import Signal, State
from tmux_kernel.shell import integration as keys
from tmux_kernel.shell.foreground import Foreground, Waits, image, look, shell_under
from tmux_kernel.shell.integration import Integration, write_private
from tmux_kernel.shell.marks import Continued, Died, Ended, MarkParser, Output, Prompted, Started, Told
from tmux_kernel.tmux.connection import Connection, lines_of
from tmux_kernel.tmux.feed import Feed, LogFeed, pipe_line
from tmux_kernel.tmux.target import PaneFacts, pane_facts
from tmux_kernel.tmux.watch import ProcessWatch

# Longer or taller cells are sourced: readline redraws what is pasted, and nobody reads it.
LONGEST_TYPED_BYTES = 2000
LONGEST_TYPED_LINES = 40
_TAKEOVER = re.compile(rb"\x1b\[\?(?:2004|1049|1047|47)h|\x1b\[(?:1?;?1?H|2J)")
_DRAWS = re.compile(rb"\x1b\[\?(?:1049|1047|47)h|\x1b\[(?:1?;?1?H|2J)")
_ENTERS = re.compile(rb"\x1b\[\?(?:1049|1047|47)h")
_LEAVES = re.compile(rb"\x1b\[\?(?:1049|1047|47)l")
# What a full-screen program says to the terminal after it has left the screen: not text, and no colour of text.
_PARTING = re.compile(rb"(?:\r(?!\n)|\x1b\[[0-?]*[ -/]*[@-gi-ln-~]|\x1b\[(?:0|2\d|39|49)?m|\x1b[=>])*")
_MOST_WITHHELD = 1 << 20
_BRACKETED_ON = b"\x1b[?2004h"
_NOT_TYPED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_REDRAW = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|[\r\n\x08\x07 ]")
# tmux's own word on whether to paste: not in copy mode, not dead, and recorded where we record.
_NOT_FREE = "#{||:#{pane_in_mode},#{pane_dead}}"
_NOT_FREE_OR_RECORDED = f"#{{||:{_NOT_FREE},#{{==:#{{pane_pipe}},0}}}}"
_PROMPT_SECONDS = 30.0
_PROMPT_LOOK_SECONDS = 0.2
_HELLO_SECONDS = 2.0
_SETTLE_SECONDS = 0.05

_buffers = itertools.count(1)


class Phase(enum.Enum):
    """Where the shell is between prompts."""

    STARTING = "starting"
    PROMPTING = "about to show its prompt"
    READY = "at its prompt"
    BUSY = "running a command"
    GONE = "gone"


class PaneShell:
    """One followed shell. Owns the feed and the watch on the shell's process; `close` gives both up."""

    def __init__(self, connection: Connection, facts: PaneFacts, feed: Feed, integration: Integration) -> None:
        self.connection = connection
        self.facts = facts
        self.feed = feed
        self.integration = integration
        self.name = facts.name
        self.phase = Phase.STARTING
        self.run: Run | None = None
        self.by_hand = ""
        self.ran: Callable[[Run | None], None] = lambda run: None
        self._parser = MarkParser(integration.secret, prompt=integration.prompt, number=integration.number)
        self._is_bracketed = False
        self._is_touched = False
        self._is_keyless = False
        self._has_stash = False  # a line typed in the moment the command was; it is put back afterwards
        # PS2 was the last thing shown. A cell can print it too: it counts once the shell is seen to read keys.
        self.wants_more = False
        self._withheld = b""
        self._drawn = b""
        self._has_left_screen = False
        self._unstarted = b""
        self._not_free = _NOT_FREE_OR_RECORDED if isinstance(feed, LogFeed) else _NOT_FREE
        self._changed = asyncio.Event()
        self._answers: dict[str, asyncio.Future[tuple[str, ...]]] = {}
        self._cells = itertools.count(1)
        self._image = ""
        self._process = ProcessWatch(facts.pid, self._shell_ended)
        self._ending: asyncio.Task[None] | None = None

    # -- following --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to follow; call once the object is where its callers find it."""
        self.feed.start(self._receive)

    def resume(self, run: Run) -> None:
        """Take up *run*, which began before we followed: the feed is at its beginning."""
        run.is_armed = True
        self.run = run
        self.phase = Phase.BUSY

    @property
    def prompt(self) -> int:
        return self._parser.prompt

    @property
    def number(self) -> int:
        return self._parser.number

    def _receive(self, data: bytes) -> None:
        for event in self._parser.feed(data):
            match event:
                case Output():
                    self._output(event.data)
                case Started():
                    self._started()
                case Ended():
                    self._ended(event)
                case Prompted() if self.phase is not Phase.BUSY and self.run is None:
                    self._prompted()
                case Continued():
                    self.wants_more = True
                case Told():
                    self._told(event)
                case Died():
                    self.lose(event.status)

    def _prompted(self) -> None:
        self._is_touched = False
        self._enter(Phase.READY)
        if self._has_stash:
            self._has_stash = False
            self._paste_now(keys.KEY_HELLO)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._changed.set()

    def _output(self, data: bytes) -> None:
        run = self.run
        self.wants_more = False
        if run is not None and run.state is not State.SENT:
            self._write(run, data)
        elif run is not None and run.is_armed:
            self._unstarted += data
        elif self.phase is Phase.READY:
            self._is_touched = self._is_touched or bool(_REDRAW.sub(b"", data))
        if _BRACKETED_ON in data:
            self._is_bracketed = True

    def _write(self, run: Run, data: bytes) -> None:
        """Pass on output, but hold back what follows a prompt or a cleared screen until it is known whose it is."""
        if run.state is State.FULLSCREEN:
            self._draw(run, data)
            return
        if self._has_left_screen:
            parting = _PARTING.match(data)
            data = data[parting.end() :] if parting is not None else data
            if not data:
                return
            self._has_left_screen = False
        if self._withheld:
            self._withheld += data
            run.last_output = time.monotonic()
            if len(self._withheld) > _MOST_WITHHELD:
                self.release_withheld()
            return
        start = _TAKEOVER.search(data) if b"\x1b[" in data else None
        if start is None:
            run.write(data)
            return
        if start.start():
            run.write(data[: start.start()])
        self._withheld = data[start.start() :]
        run.last_output = time.monotonic()

    def _draw(self, run: Run, data: bytes) -> None:
        """A full-screen program's drawing is not text; what follows once it has left the screen is."""
        run.last_output = time.monotonic()
        run.drew.set()
        self._drawn = self._drawn[-16:] + data
        left = _LEAVES.search(self._drawn)
        if left is not None:
            run.signal(Signal.ANSWERED)
            self._has_left_screen = True
            rest, self._drawn = self._drawn[left.end() :], b""
            if rest:
                self._write(run, rest)

    def leave_screen(self) -> None:
        """The program has gone from the screen: what it still says to the terminal is not text."""
        self._has_left_screen = True

    @property
    def withholds_screen(self) -> bool:
        """What is held back draws on the whole screen."""
        return _DRAWS.search(self._withheld) is not None

    @property
    def withholds_alternate_screen(self) -> bool:
        """What is held back is on the other screen, which has not been left: never text."""
        entered = [match.end() for match in _ENTERS.finditer(self._withheld)]
        return bool(entered) and _LEAVES.search(self._withheld, entered[-1]) is None

    @property
    def is_withholding(self) -> bool:
        return bool(self._withheld)

    def drop_screen(self) -> None:
        """It was a full-screen program's drawing: not text. What came after it left the screen is."""
        *drawn, after = _LEAVES.split(self._withheld)
        self._withheld = b""
        if drawn and after and self.run is not None:
            self.run.write(after)

    def release_withheld(self) -> None:
        """It was not our shell's prompt: it is output."""
        withheld, self._withheld = self._withheld, b""
        if withheld and self.run is not None:
            self.run.write(withheld)

    def _started(self) -> None:
        self._has_left_screen = False
        self._enter(Phase.BUSY)
        if self.run is not None:
            self.run.signal(Signal.STARTED)

    def assume_started(self, run: Run) -> None:
        """The start mark went where the shell's stderr went (`exec 2>file`), and readline's echo with it."""
        run.signal(Signal.STARTED)
        unstarted, self._unstarted = self._unstarted, b""
        if unstarted:
            self._write(run, unstarted)

    def _ended(self, event: Ended) -> None:
        self._is_bracketed = self._is_keyless = False
        if self.phase is Phase.STARTING:
            self._image = image(self.pid)
            self.integration.rc.unlink(missing_ok=True)
        self._enter(Phase.PROMPTING)
        run = self.run
        if run is not None and run.is_armed:
            if run.state is State.SENT and event.number > run.number:
                self.assume_started(run)
            self._settle_withheld(run)
            self._finish(run, event.status)

    def _settle_withheld(self, run: Run) -> None:
        if run.state is State.FULLSCREEN or _LEAVES.search(self._withheld):
            self.drop_screen()
        else:
            self.release_withheld()

    def _finish(self, run: Run, status: int) -> None:
        self.run = None
        self._withheld = b""
        run.finish(Signal.ENDED, status)
        self.ran(None)

    def _refuse_rest(self, run: Run) -> None:
        """The shell wants more lines than the command has."""
        self._paste_now(keys.CTRL_C)
        self.run = None
        self._withheld = b""
        self._enter(Phase.PROMPTING)
        run.write(
            b"The command is not complete: the shell wants more lines. Ctrl-C was sent; that part did not run.\r\n"
        )
        run.finish(Signal.ENDED, 2, note="incomplete")
        self.ran(None)

    def give_up(self, run: Run) -> None:
        """The shell did not answer the key before the command: somebody was faster, or the key is bound no more."""
        self.run = None
        self._enter(Phase.BUSY)
        run.write(
            f"The shell of pane {self.name} did not take the command: look at it with `tmux attach`.\r\n".encode()
        )
        run.finish(Signal.ENDED, None, note="not taken")
        self.ran(None)

    def _told(self, event: Told) -> None:
        if event.topic == "arm" and self.run is not None:
            self.run.is_armed = True
            self._has_stash = event.fields[-1] != "0"
        self._is_keyless = self._is_keyless or event.topic == "keyless"
        key = f"answer:{event.fields[0]}" if event.topic == "answer" and event.fields else event.topic
        future = self._answers.pop(key, None)
        if future is not None and not future.done():
            future.set_result(event.fields)

    # -- the shell's end --------------------------------------------------------------------------------------

    def _shell_ended(self) -> None:
        self._ending = asyncio.get_running_loop().create_task(self._gather_last_words())

    async def _gather_last_words(self) -> None:
        """The process is gone: wait until tmux has said so and its last bytes have settled, then close the run."""
        status: int | None = None
        try:
            for attempt in range(100):
                facts = await pane_facts(self.connection, self.facts.id)
                status = facts.dead_status
                if (facts.is_dead and status is not None) or facts.pid != self.facts.pid:
                    break
                if facts.is_dead and attempt % 20 == 3:
                    # tmux 3.3a misses one SIGCHLD in ten (decisions/0003); another child's end makes it look again.
                    self.connection.post(command("run-shell", "true"))
                await asyncio.sleep(_SETTLE_SECONDS / 5)
            position = -1
            while position != self.feed.position:
                position = self.feed.position
                await asyncio.sleep(_SETTLE_SECONDS)
                self.feed.drain()
        except (PaneNotFoundError, ConnectionLostError, CommandError):
            await asyncio.sleep(_SETTLE_SECONDS)
            self.feed.drain()
        for event in self._parser.flush():
            assert isinstance(event, Output)
            self._output(event.data)
        self.lose(status)

    def lose(self, status: int | None, note: str = "") -> None:
        """The shell is gone; the run, if any, ends with it."""
        if self.phase is Phase.GONE:
            return
        self._enter(Phase.GONE)
        run = self.run
        if run is not None:
            self.release_withheld()
            self.run = None
            how = "was killed with its pane" if status is None else f"ended with status {status}"
            run.finish(Signal.PANE_DIED, status, note=note or f"the shell of pane {self.name} {how}", shell_ended=True)
            self.ran(None)

    # -- typing -----------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        return self.phase is Phase.READY

    @property
    def pid(self) -> int:
        """The shell's own process; in panes of ours tmux knows only its keeper."""
        return shell_under(self.facts.pid)

    def look(self) -> Foreground:
        """Who has the pane now. A program the shell has replaced itself with (`exec`) is not the shell."""
        seen = look(self.pid, self.facts.tty)
        if not seen.is_shell or self._image in ("", image(self.pid)):
            return seen
        waits = Waits.KEYS if seen.waits is Waits.SHELL_PROMPT else seen.waits
        return replace(seen, is_shell=False, waits=waits)

    async def wait_ready(self, seconds: float = _PROMPT_SECONDS) -> None:
        """Return when the shell is at its prompt; PaneBusyError when something else has it."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not self.is_ready:
            if self.phase is Phase.GONE:
                raise self._gone()
            if self.phase is Phase.BUSY and self._ending is None:
                raise self._busy()
            self._changed.clear()
            try:
                async with asyncio.timeout(_PROMPT_LOOK_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                seen = self.look()
                if seen.waits is Waits.SHELL_PROMPT and self.phase is Phase.PROMPTING:
                    await self._find_prompt()
                elif asyncio.get_running_loop().time() > deadline or seen.waits in (Waits.LINE, Waits.KEYS):
                    raise self._busy() from None

    async def wait_gone(self) -> None:
        """Return when the shell's last words are in and its pane may be given another."""
        while self.phase is not Phase.GONE:
            self._changed.clear()
            await self._changed.wait()

    def _gone(self) -> ShellGoneError:
        return ShellGoneError(f"The shell of pane {self.name} has ended.", suggestion="Choose another with `%pane`.")

    async def _find_prompt(self) -> None:
        """At its prompt but not showing it (`exec 2>file`): ask."""
        with contextlib.suppress(TimeoutError):
            await self.hello()
            self._enter(Phase.READY)

    def _busy(self) -> PaneBusyError:
        seen = self.look()
        what = f"{seen.name!r}" if seen.name and not seen.is_shell else "a command"
        doing = {
            Waits.LINE: f"{what} waits for a line of input",
            Waits.KEYS: f"{what} has the screen and waits for keys",
        }.get(seen.waits, f"{what} is running")
        return PaneBusyError(
            f"Pane {self.name} is busy: {doing}. Nothing was typed.",
            suggestion="Finish it there, interrupt it with `%keys C-c`, or choose another pane with `%pane`.",
        )

    async def submit(self, code: str) -> Run:
        """Type *code* and return its run. Raises before anything is typed when the pane is not free."""
        await self.wait_ready()
        if self._is_keyless:
            raise ShellNotSupportedError(
                f"The shell of pane {self.name} has line editing off (`set +o emacs`). Nothing was typed.",
                suggestion="Enter `set -o emacs` there by hand, or restart the kernel for a fresh shell.",
            )
        if self._is_touched:
            await self._require_empty_line()
        run = Run(self.facts.id, code, number=self.number)
        self._withheld = self._unstarted = b""
        self.run = run
        self.phase = Phase.PROMPTING
        self.ran(run)
        try:
            await self._paste_if_free(keys.KEY_ARM + self._typed(code) + keys.ENTER)
        except BaseException:
            if self.run is run and run.state is State.SENT:
                self.run = None
                self.phase = Phase.READY
                self.ran(None)
            raise
        return run

    def _typed(self, code: str) -> bytes:
        text = code.rstrip("\n")
        data = text.encode("utf-8", "surrogateescape")
        is_one_line = "\n" not in text and "\t" not in text
        if (
            len(data) <= LONGEST_TYPED_BYTES
            and text.count("\n") < LONGEST_TYPED_LINES
            and not _NOT_TYPED.search(text)
            and (self._is_bracketed or (is_one_line and text.isascii()))
        ):
            return keys.PASTE_START + data + keys.PASTE_END if self._is_bracketed else data
        path = write_private(self.integration.home / f"cell-{next(self._cells)}.sh", data + b"\n")
        line = f" . {shlex.quote(str(path))}  # {text.count(chr(10)) + 1} lines"
        return line.encode("utf-8", "surrogateescape")

    async def _require_empty_line(self) -> None:
        try:
            is_empty = not self.wants_more and (await self.hello())[1] == "0"
        except TimeoutError:
            raise self._busy() from None
        if not is_empty:
            raise PaneBusyError(
                f"Pane {self.name} has a half-typed line. Nothing was typed.",
                suggestion="Finish or clear it there (Ctrl-U), or choose another pane with `%pane`.",
            )
        self._is_touched = False

    async def hello(self) -> tuple[str, ...]:
        """(status, length of the line being edited, number, hooks intact); TimeoutError when there is no answer."""
        answer = self.expect("hello")
        await self._paste_if_free(keys.KEY_HELLO)
        async with asyncio.timeout(_HELLO_SECONDS):
            return await answer

    def expect(self, topic: str) -> asyncio.Future[tuple[str, ...]]:
        """A future for what the shell will tell under *topic*."""
        future: asyncio.Future[tuple[str, ...]] = asyncio.get_running_loop().create_future()
        self._answers[topic] = future
        return future

    async def conclude(self) -> bool:
        """The shell reads keys but said nothing: it wants more lines, or its hooks were replaced. Ask; end the run."""
        run = self.run
        if run is None:
            return True
        if self.wants_more:  # no key is answered inside an open quote
            self._refuse_rest(run)
            return True
        try:
            status, _length, _number, is_intact = await self.hello()
        except TimeoutError:
            return False
        if is_intact == "1":  # our hooks would have run before bash's own prompt: this is `read -e`
            return False
        if self.run is run:
            self._is_bracketed = True
            self._withheld = b""
            self._finish(run, int(status))
            self._enter(Phase.READY)
        return True

    async def paste(self, data: bytes) -> None:
        """Put bytes into the pane as if typed, whatever it is doing. In no history, no other synchronized pane."""
        await asyncio.gather(*self._paste_now(data))

    def _paste_now(self, data: bytes) -> list[asyncio.Future[object]]:
        name = f"tmux-kernel-{next(_buffers)}"
        return self.connection.post(  # type: ignore[return-value]
            command("set-buffer", "-b", name, "--", data),
            command("paste-buffer", *self.connection.paste_flags, "-b", name, "-t", self.facts.id),
        )

    async def _paste_if_free(self, data: bytes) -> None:
        name = f"tmux-kernel-{next(_buffers)}"
        pane = self.facts.id
        paste = command("paste-buffer", *self.connection.paste_flags, "-b", name, "-t", pane).decode()
        refuse = f"display-message -p -t {pane} '#{{pane_dead}} #{{pane_in_mode}} #{{pane_pipe}}'"
        futures = self.connection.post(
            command("set-buffer", "-b", name, "--", data),
            command("if-shell", "-F", "-t", pane, self._not_free, refuse, paste),
        ) + self.connection.expect(1)
        replies = await asyncio.gather(*futures)
        try:
            answers = [lines_of(reply) for reply in replies]
        except CommandError as error:
            raise PaneNotFoundError(self.name, []) from error
        if answers[2]:
            self.connection.post(command("delete-buffer", "-b", name))
            if answers[2][0].startswith("1"):
                raise self._gone()
            if answers[2][0] == "0 0 0":
                raise self._unrecorded()
            raise PaneBusyError(
                f"Pane {self.name} is in copy mode. Nothing was typed.",
                suggestion="Leave copy mode there (press q), or choose another pane with `%pane`.",
            )

    # -- the recording ----------------------------------------------------------------------------------------

    async def check_recording(self) -> None:
        """End the run if the pane's bytes no longer arrive: it could not be seen to end."""
        if not isinstance(self.feed, LogFeed):
            return
        (is_piped,) = await self.connection.command("display-message", "-p", "-t", self.facts.id, "#{pane_pipe}")
        run = self.run
        if is_piped == "0" and run is not None:
            error = self._unrecorded()
            self.run = None
            run.finish(Signal.ENDED, None, note=str(error))
            self.ran(None)

    def _unrecorded(self) -> FeedLostError:
        """Somebody ended the pipe, or the disk is full. Start it again for what comes next."""
        if isinstance(self.feed, LogFeed):
            self.connection.post(pipe_line(self.facts.id, self.feed.log))
        return FeedLostError(
            f"Pane {self.name} was no longer being recorded.",
            suggestion="Is the disk full, or did something else take the pane's pipe? Recording was started again.",
        )

    # -- leaving ----------------------------------------------------------------------------------------------

    async def release(self) -> None:
        """Give the shell back as it was: at once when it is at its prompt, else at its next prompt."""
        if self.phase is Phase.PROMPTING:
            with contextlib.suppress(PaneBusyError):
                await self.wait_ready(_HELLO_SECONDS)
        self.integration.lease.unlink(missing_ok=True)
        if self.phase is Phase.READY and self.connection.is_open:
            released = self.expect("released")
            try:
                await self._paste_if_free(keys.KEY_BYE)
                async with asyncio.timeout(_HELLO_SECONDS):
                    await released
                await self.paste(keys.ENTER)
            except (TimeoutError, PaneBusyError, PaneNotFoundError, ConnectionLostError):
                pass  # the missing lease does it at the next prompt

    def close(self) -> None:
        """Stop following. The shell and its log stay."""
        self._process.close()
        if self._ending is not None:
            self._ending.cancel()
        self.feed.close()


def unsupported(fields: tuple[str, ...], pane: str) -> ShellNotSupportedError:
    """The shell answered that it cannot carry the integration."""
    what = fields[0] if fields else "this shell"
    return ShellNotSupportedError(
        f"Pane {pane} cannot be followed: {what}.", suggestion="bash 4.4 or newer is needed; choose another pane."
    )


def private_directory(path: Path) -> Path:
    """Make *path* with nobody else allowed in."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    return path

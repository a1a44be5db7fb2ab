"""Completion, inspection, expansion and history: asked of the pane's own shell when it is free, else of a helper.

The helper is a bash of our own in the pane's directory. It knows commands, paths and programmable completion; the
names a busy shell has come from what it said last and from the cells since.
"""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import itertools
import os
import re
import shlex
from importlib.resources import files
from typing import Any

from tmux_kernel.errors import TmuxKernelError
from tmux_kernel.kernel.cell import parse
from tmux_kernel.kernel.magics import KNOWN, find, help_of
from tmux_kernel.runs.pane import PaneShell, Phase
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.syntax import SyntaxChecker
from tmux_kernel.shell.integration import KEY_ASK, write_private
from tmux_kernel.shell.words import Typed, escaped, typed, word_at
from tmux_kernel.tmux.target import list_panes

_ANSWER_SECONDS = 1.5
_MOST_MATCHES = 1000
_DEFINED = re.compile(r"(?:^|[\s;&|({])([A-Za-z_]\w*)\+?=", re.MULTILINE)
_FUNCTION = re.compile(r"(?:^|[\s;&|({])([A-Za-z_][\w.-]*)\s*\(\)", re.MULTILINE)
_MAN_SECONDS = 5.0
_LEARN_SECONDS = 0.3


class Helper:
    """A bash beside the panes, started when first needed."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()

    async def ask(self, directory: str, *words: str) -> str:
        async with self._lock:
            try:
                async with asyncio.timeout(_ANSWER_SECONDS * 2):
                    return await self._ask(directory, *words)
            except (TimeoutError, OSError, asyncio.IncompleteReadError):
                self.close()
                return ""

    async def _ask(self, directory: str, *words: str) -> str:
        if self._process is None:
            scripts = files("tmux_kernel.shell")
            self._process = await asyncio.create_subprocess_exec(
                "bash", "--norc", "--noprofile", str(scripts / "helper.sh"), str(scripts / "ask.sh"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=1 << 24,
            )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        fields = [str(len(words) + 1), directory, *words]
        self._process.stdin.write(b"".join(field.encode() + b"\0" for field in fields))
        await self._process.stdin.drain()
        answer = await self._process.stdout.readuntil(b"\0")
        return answer[:-1].decode(errors="replace")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


class Assistant:
    """Answers a front end's questions about the shell."""

    def __init__(self, runner: Runner, checker: SyntaxChecker) -> None:
        self._runner = runner
        self._checker = checker
        self._helper = Helper()
        self._questions = itertools.count(1)
        self._lock = asyncio.Lock()
        self._variables: list[str] = []
        self._learning: asyncio.TimerHandle | asyncio.Task[None] | None = None
        self.cells: list[str] = []

    def cell_ended(self) -> None:
        """Once no cell has run for a moment, learn what the shell knows, for when it is busy."""
        loop = asyncio.get_running_loop()
        if self._learning is not None:
            self._learning.cancel()
        self._learning = loop.call_later(_LEARN_SECONDS, self._learn_soon)

    def _learn_soon(self) -> None:
        self._learning = asyncio.get_running_loop().create_task(self._learn())

    async def _learn(self) -> None:
        shell = self._shell()
        if shell is None:
            return
        known = shell.integration.home / "known"
        with contextlib.suppress(TimeoutError, TmuxKernelError, OSError):
            self._variables = _lines(await self._ask_shell(shell, "teach", str(known)))
            await self._helper.ask(self._directory(), "learn", str(known))

    def close(self) -> None:
        if self._learning is not None:
            self._learning.cancel()
        self._helper.close()

    # -- completion -------------------------------------------------------------------------------------------

    async def complete(self, code: str, cursor: int) -> dict[str, Any]:
        text = code[:cursor]
        line = text.rpartition("\n")[2]
        if line.lstrip().startswith("%"):
            start, matches = await self._complete_magic(line)
            start += len(text) - len(line)
        else:
            seen = typed(text)
            start, matches = seen.start, await self._matches(seen)
        return {
            "status": "ok",
            "matches": matches[:_MOST_MATCHES],
            "cursor_start": start,
            "cursor_end": cursor,
            "metadata": {},
        }

    async def _complete_magic(self, line: str) -> tuple[int, list[str]]:
        head, space, word = line.rpartition(" ")
        if not space:
            percent = "%%" if line.startswith("%%") else "%"
            names = [percent + name for name in KNOWN if percent == "%" or name == "pane"]
            return 0, [name for name in names if name.startswith(line)]
        item = find(head.split()[0].lstrip("%"))
        if item is None:
            return len(line), []
        if word.startswith("-"):
            options = [name for item in item.parameters if item.is_option for name in (*item.arg.flags, item.option)]
            return len(head) + 1, [option for option in options if option.startswith(word)]
        kinds = {parameter.arg.values for parameter in item.parameters}
        choices = [choice for parameter in item.parameters for choice in parameter.arg.choices]
        values = [*choices, *await self._values(kinds)]
        return len(head) + 1, sorted({value for value in values if value.startswith(word)})

    async def _values(self, kinds: set[str]) -> list[str]:
        """Names of the panes, sessions and runs there are, quoted where a magic's words need it."""
        values = list(self._runner.runs) if "run" in kinds else []
        with contextlib.suppress(TmuxKernelError, OSError):
            await self._runner.open()
            panes = await list_panes(self._runner.connection) if kinds & {"pane", "session"} else []
            if "session" in kinds:
                values += [shlex.quote(pane.session) for pane in panes]
            if "pane" in kinds:
                values += [shlex.quote(name) for pane in panes for name in (pane.name, pane.label) if name]
        return values

    async def _matches(self, seen: Typed) -> list[str]:
        shell = self._shell()
        answer = await self._ask(shell, "complete", seen.kind, seen.word, *seen.words, seen.word)
        if seen.kind == "argument":
            return await self._arguments(answer, seen)
        found = _lines(answer)
        if seen.kind == "path" or (seen.kind == "command" and ("/" in seen.word or seen.word.startswith("~"))):
            return self._paths(found, seen)
        if shell is None:
            pattern = _DEFINED if seen.kind == "variable" else _FUNCTION
            names = itertools.chain.from_iterable(pattern.findall(cell) for cell in self.cells)
            known = (self._variables or found) if seen.kind == "variable" else found
            found = [name for name in (*known, *names) if name.startswith(seen.word)]
        return _cleaned(found)

    async def _arguments(self, answer: str, seen: Typed) -> list[str]:
        """What the command's own completion says: the pane's shell's, else the helper's, else files."""
        kind, *found = _lines(answer) or [""]
        if not found:
            answer = await self._ask(None, "complete", seen.kind, seen.word, *seen.words, seen.word)
            kind, *found = _lines(answer) or [""]
        if not found:
            kind, found = "files", _lines(await self._ask(None, "complete", "path", seen.word))
        if kind == "files":
            return self._paths(found, seen)
        return [seen.quote + match for match in _cleaned(found)]

    def _paths(self, found: list[str], seen: Typed) -> list[str]:
        directory = self._directory()
        matches = []
        for path in dict.fromkeys(found):
            full = os.path.join(directory, os.path.expanduser(path))
            name = path + "/" if os.path.isdir(full) and not path.endswith("/") else path
            matches.append(seen.quote + name if seen.quote else escaped(name))
        return sorted(matches)

    # -- the rest ---------------------------------------------------------------------------------------------

    async def inspect(self, code: str, cursor: int) -> str:
        """What the word at the cursor is, and its help or manual page."""
        line = code[code.rfind("\n", 0, cursor) + 1 :].split("\n")[0].strip()
        if line.startswith("%"):
            return help_of(line.lstrip("%").split(" ")[0].rstrip("?"))
        word = word_at(code, cursor)
        if not word:
            return ""
        text = (await self._ask(self._shell(), "inspect", word)).strip()
        if not text:
            return ""
        if " is a shell " in text or "declare -" in text or " is a function" in text:
            return text
        return f"{text}\n\n{await _manual(word)}".strip()

    async def is_complete(self, code: str) -> dict[str, str]:
        try:
            cell = parse(code, KNOWN)
        except TmuxKernelError:
            return {"status": "invalid"}
        if cell.code and await self._checker.complaint(cell.code):
            return {"status": "incomplete", "indent": ""}
        return {"status": "complete"}

    async def expand(self, expression: str) -> dict[str, Any]:
        """A user expression, read as bash reads it between double quotes."""
        answer = ""
        with contextlib.suppress(TimeoutError, TmuxKernelError, OSError):
            shell = await self._runner.shell()  # no other shell has its variables
            await shell.wait_ready(_ANSWER_SECONDS)
            answer = await self._ask_shell(shell, "expand", expression)
        verdict, _, value = answer.partition("\n")
        if verdict == "ok":
            return {"status": "ok", "data": {"text/plain": value}, "metadata": {}}
        return {"status": "error", "ename": "ExpansionFailed", "evalue": expression, "traceback": []}

    def history(
        self,
        cells: list[tuple[int, str]],
        access: str,
        *,
        output: bool,
        start: int | None,
        stop: int | None,
        n: int | None,
        pattern: str | None,
        unique: bool,
    ) -> list[Any]:
        """The cells run, as Jupyter asks for them."""
        chosen = cells
        if access == "range":
            end = stop if stop is not None and stop > 0 else len(cells) + 1 + (stop or 0)
            chosen = [cell for cell in cells if (start or 0) <= cell[0] < end]
        elif access == "search":
            chosen = [cell for cell in cells if fnmatch.fnmatchcase(cell[1], pattern or "*")]
        if unique:
            chosen = list({code: (number, code) for number, code in chosen}.values())
        if access in ("tail", "search") and n is not None:
            chosen = chosen[-n:]
        return [(0, number, (code, None) if output else code) for number, code in chosen]

    # -- asking -----------------------------------------------------------------------------------------------

    def _shell(self) -> PaneShell | None:
        """The chosen pane's shell, if it is free to answer."""
        if not self._runner.is_connected:
            return None
        shell = self._runner.chosen()
        return shell if shell is not None and shell.phase is Phase.READY and shell.run is None else None

    def _directory(self) -> str:
        shell = self._runner.chosen() if self._runner.is_connected else None
        if shell is not None:
            with contextlib.suppress(OSError):
                return os.readlink(f"/proc/{shell.pid}/cwd")
        return os.getcwd()

    async def _ask(self, shell: PaneShell | None, *words: str) -> str:
        if shell is not None:
            with contextlib.suppress(TimeoutError, TmuxKernelError, OSError):
                return await self._ask_shell(shell, *words)
        return await self._helper.ask(self._directory(), *words)

    async def _ask_shell(self, shell: PaneShell, *words: str) -> str:
        async with self._lock:
            number = f"q{next(self._questions)}"
            home = shell.integration.home
            write_private(home / "ask", "\n".join([number, *(word.replace("\n", " ") for word in words)]) + "\n")
            answer = shell.expect(f"answer:{number}")
            await shell.paste(KEY_ASK)
            async with asyncio.timeout(_ANSWER_SECONDS):
                await answer
            return (home / "answer").read_text(errors="replace")


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _cleaned(found: list[str]) -> list[str]:
    return sorted({match.rstrip() for match in found if not match.startswith("__tk_")})


async def _manual(word: str) -> str:
    """The manual page as plain text; empty where there is none."""
    with contextlib.suppress(OSError, TimeoutError):
        process = await asyncio.create_subprocess_exec(
            "man", "-P", "cat", "--", word,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "MANWIDTH": "100", "MANPAGER": "cat", "PAGER": "cat"},
        )  # fmt: skip
        async with asyncio.timeout(_MAN_SECONDS):
            page, _ = await process.communicate()
        return re.sub(r".\x08", "", page.decode(errors="replace")).strip()
    return ""

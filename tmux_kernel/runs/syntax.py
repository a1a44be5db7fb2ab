"""Would the shell wait for more? Asked of bash itself, started beforehand so that a cell never waits for a process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess

# Quoted words in which nothing is special, and what may stand around them: no bracket, no backslash, no comment.
_QUOTED = re.compile(r"'[^']*'|\"[^\"\\`$]*\"")
_PLAIN = re.compile(r"[\w \t\n./:,=+@%^;&|$<>*?~!-]*")
_KEYWORD = re.compile(r"(?:^|[;&|!])\s*(?:if|for|while|until|case|select|function|time|coproc)\b", re.MULTILINE)
_UNFINISHED = re.compile(r"<<|\$['\"]|(?:\||&&)\s*$", re.MULTILINE)
_NEVER_ENDS = re.compile(
    r"unexpected EOF while looking for matching|unexpected end of file"
    r"|here-document at line \d+ delimited by end-of-file"
)
_LINE = re.compile(r"^.*?: line (\d+): ")


class SyntaxChecker:
    """Keeps one `bash -n` waiting, unless it is to be asked only once (*prepares* is false).

    What it refuses is only what never ends; other errors are bash's to report.
    """

    def __init__(self, shell: str = "bash", *, prepares: bool = True) -> None:
        self._shell = shell
        self._prepares = prepares
        self._ready: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Start the next checker; called when nobody is waiting."""
        if self._ready is not None:
            return
        self._ready = subprocess.Popen(
            [self._shell, "--norc", "--noprofile", "-n"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"LC_ALL": "C", "PATH": os.environ.get("PATH", "")},
        )

    async def complaint(self, code: str) -> str:
        """bash's own message when *code* would never end, else an empty string."""
        if is_plainly_complete(code):
            return ""
        if _ends_in_continuation(code):
            number = code.rstrip("\n").count("\n") + 1
            return f"line {number}: the backslash at the end continues on a line that is not there"
        self.prepare()
        checker, self._ready = self._ready, None
        assert checker is not None
        loop = asyncio.get_running_loop()
        errors = await loop.run_in_executor(None, _ask, checker, code)
        if self._prepares:
            loop.call_soon(self.prepare)
        found = [line for line in errors.splitlines() if _NEVER_ENDS.search(line)]
        return _LINE.sub(r"line \1: ", found[0]) if found else ""

    def close(self) -> None:
        checker, self._ready = self._ready, None
        if checker is not None:
            _ask(checker, "")


def is_plainly_complete(code: str) -> bool:
    """Lines of ordinary words and simple quotes, none of them opening a compound command, cannot be unfinished."""
    if _UNFINISHED.search(code):
        return False
    bare = _QUOTED.sub("q", code)
    return _PLAIN.fullmatch(bare) is not None and _KEYWORD.search(bare) is None


def _ends_in_continuation(code: str) -> bool:
    last = code.rstrip("\n").rpartition("\n")[2]
    backslashes = len(last) - len(last.rstrip("\\"))
    return backslashes % 2 == 1 and re.search(r"(^|\s)#", last) is None


def _ask(checker: subprocess.Popen[bytes], code: str) -> str:
    with contextlib.suppress(BrokenPipeError):
        _out, errors = checker.communicate(code.encode("utf-8", "surrogateescape") + b"\n", timeout=10)
        return errors.decode(errors="replace")
    return ""

"""A cell's text: its magics, and the bash that is left. Pure.

Only known magics are ours: `%1` and every other job specification is bash's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Container
from dataclasses import dataclass

from tmux_kernel.errors import MagicError

_MAGIC = re.compile(r"(%%?)([A-Za-z_]\w*)(\??)[ \t]*(.*)")
# IPython's way to say that a cell or line is shell; here every cell is.
_IPYTHON_SHELL = {"bash", "sh", "script", "shell", "system", "sx"}


@dataclass(frozen=True, slots=True)
class Call:
    """One magic line: its name and the words after it."""

    name: str
    words: tuple[str, ...]
    is_cell: bool
    wants_help: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """Magics to do first, then the code to run (empty when there is none)."""

    calls: tuple[Call, ...]
    code: str


def parse(text: str, known: Container[str]) -> Cell:
    """Split *text*. Comments and blank lines may stand above a magic; a magic below a command is bash's to report."""
    lines = text.split("\n")
    calls: list[Call] = []
    comments: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position].strip()
        if not line or line.startswith("#"):
            comments.append(lines[position])
            position += 1
            continue
        call = _call(line, known)
        if call is None:
            break
        calls.append(call)
        comments.clear()
        position += 1
        if call.is_cell:
            break
    rest = [*comments, *lines[position:]]
    code = "\n".join(rest)
    if not calls:
        _hint(code)
    return Cell(tuple(calls), code if any(_is_code(line) for line in rest) else "")


def _is_code(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _call(line: str, known: Container[str]) -> Call | None:
    match = _MAGIC.fullmatch(line)
    if match is None:
        return None
    percent, name, question, rest = match.groups()
    if name not in known:
        if percent == "%%" or name in _IPYTHON_SHELL:
            if name in _IPYTHON_SHELL:
                raise MagicError(
                    f"No `{percent}{name}` is needed.", suggestion="Every cell here is bash: drop that line."
                )
            raise MagicError(f"There is no magic `%%{name}`.", suggestion="`%lsmagic` lists those there are.")
        return None
    try:
        words = tuple(shlex.split(rest))
    except ValueError as error:
        raise MagicError(f"`{line}`: {error}.", suggestion="Close the quote.") from error
    return Call(name, words, percent == "%%", bool(question))


def _hint(code: str) -> None:
    first = next((line.strip() for line in code.split("\n") if _is_code(line)), "")
    if re.match(r"![A-Za-z./~]", first):
        raise MagicError(f"No `!` is needed in `{first}`.", suggestion="Every cell here is bash: drop the `!`.")

"""Words of tmux's command language: any bytes as one argument on one line."""

from __future__ import annotations

import re

_NAMED = {0x0A: b"\\n", 0x0D: b"\\r", 0x09: b"\\t", 0x1B: b"\\e", 0x22: b'\\"', 0x24: b"\\$", 0x5C: b"\\\\"}
_SPECIAL = re.compile(rb'[\x00-\x1f\x7f-\xff"$\\]')


def _escape(match: re.Match[bytes]) -> bytes:
    byte = match.group()[0]
    return _NAMED.get(byte) or b"\\%03o" % byte


def quote(word: str | bytes) -> bytes:
    """Return *word* as one double-quoted argument. NUL cannot travel: ValueError."""
    data = word.encode("utf-8", "surrogateescape") if isinstance(word, str) else word
    if b"\0" in data:
        raise ValueError("a tmux argument cannot contain a NUL byte")
    return b'"' + _SPECIAL.sub(_escape, data) + b'"'


def command(*words: str | bytes) -> bytes:
    """Return one command line (no newline): the first word as it is, the others quoted."""
    head, *arguments = words
    name = head.encode() if isinstance(head, str) else head
    return b" ".join([name, *(quote(argument) for argument in arguments)])

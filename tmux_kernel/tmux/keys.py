"""Keys by tmux's names, as the bytes a terminal sends for them. Pure."""

from __future__ import annotations

import re

_NAMED = {
    "Enter": b"\r",
    "Tab": b"\t",
    "BTab": b"\x1b[Z",
    "Escape": b"\x1b",
    "Space": b" ",
    "BSpace": b"\x7f",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "Home": b"\x1b[1~",
    "End": b"\x1b[4~",
    "IC": b"\x1b[2~",
    "DC": b"\x1b[3~",
    "PPage": b"\x1b[5~",
    "PageUp": b"\x1b[5~",
    "NPage": b"\x1b[6~",
    "PageDown": b"\x1b[6~",
    **{f"F{n}": b"\x1bO" + bytes([ord("P") + n - 1]) for n in range(1, 5)},
    **{f"F{n}": b"\x1b[%d~" % code for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)},
}
_CONTROL = re.compile(r"(?:C-|\^)([A-Za-z@\[\\\]^_])")
_META = re.compile(r"M-(.+)")


def key_bytes(word: str) -> bytes:
    """The bytes of one word: a key by name, or the text itself."""
    if word in _NAMED:
        return _NAMED[word]
    if control := _CONTROL.fullmatch(word):
        return bytes([ord(control[1].upper()) & 0x1F])
    if meta := _META.fullmatch(word):
        return b"\x1b" + key_bytes(meta[1])
    return word.encode()

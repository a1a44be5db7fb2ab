"""Terminal bytes as notebook text: colours and carriage returns stay, everything a notebook cannot show goes.

The terminal wrote `\\r\\n` for every `\\n` the program wrote; undoing exactly that makes the text byte-exact.
"""

from __future__ import annotations

import codecs
import re

# Group 1 is kept: select graphic rendition. The rest are other control sequences, strings, and lone escapes.
_SEQUENCE = re.compile(
    rb"(\x1b\[[0-9;:]*m)"
    rb"|\x1b\[[0-?]*[ -/]*[@-~]"
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1b[PX^_][^\x1b]*\x1b\\"
    rb"|\x1b[ -/]+[0-~]"
    rb"|\x1b[0-OQ-WYZ`-~]"
    rb"|\x07"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)\Z")
# A control string longer than this is not held back for its end; it is shown as it is.
_LONGEST_STRING = 1 << 16


class TextDecoder:
    """Decodes one run's bytes; sequences and characters may be split anywhere."""

    def __init__(self) -> None:
        self._held = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> str:
        """Return the text completed by *data*."""
        if self._held:
            data = self._held + data
            self._held = b""
        if b"\x1b" in data or b"\x07" in data:
            data = self._strip(data)
        if data.endswith(b"\r"):
            data, self._held = data[:-1], b"\r" + self._held
        return self._decoder.decode(data.replace(b"\r\n", b"\n"))

    def finish(self) -> str:
        """Return what was held back; the run is over."""
        held, self._held = self._held, b""
        return self._decoder.decode(_SEQUENCE.sub(rb"\1", held).replace(b"\r\n", b"\n"), final=True)

    def _strip(self, data: bytes) -> bytes:
        escape = data.rfind(b"\x1b")
        # An OSC's terminator is itself an escape: look back one more to see the string it may end.
        before = data.rfind(b"\x1b", 0, escape) if escape == len(data) - 1 else -1
        for start in (before, escape):
            if start >= 0 and len(data) - start < _LONGEST_STRING and _UNFINISHED.match(data, start):
                data, self._held = data[:start], data[start:]
                break
        return _SEQUENCE.sub(rb"\1", data)


def settled_length(data: bytes) -> int:
    """How much of *data* can be cut off without cutting a sequence, a character or a line's end in two."""
    end = len(data)
    for start in (data.rfind(b"\x1b", 0, data.rfind(b"\x1b")), data.rfind(b"\x1b")):
        if start >= 0 and end - start < _LONGEST_STRING and _UNFINISHED.match(data, start):
            end = start
            break
    for back in range(1, min(4, end) + 1):
        byte = data[end - back]
        if byte >= 0xC0:  # the first byte of a character that takes so many
            end -= back if back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
            break
        if byte < 0x80:
            break
    return end - 1 if data[:end].endswith(b"\r") else end

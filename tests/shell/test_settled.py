from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.shell.text import TextDecoder, settled_length

_PIECES = st.sampled_from(
    [
        b"a",
        b"b c",
        "é".encode(),
        "漢".encode(),
        "🙂".encode(),
        b"\r\n",
        b"\x1b[31m",
        b"\x1b[0m",
        b"\x1b[2K",
        b"\x1b]0;title\x07",
        b"\x1b]133;A\x1b\\",
        b"\x1b(B",
        b"\x1bM",
    ]
)


def _text(data: bytes) -> str:
    decoder = TextDecoder()
    return decoder.feed(data) + decoder.finish()


@given(st.lists(_PIECES, max_size=12).map(b"".join), st.data())
def test_text_cut_where_it_is_settled_is_the_same_text(data: bytes, draw: st.DataObject) -> None:
    cut = draw.draw(st.integers(0, len(data)))
    end = settled_length(data[:cut])
    assert end <= cut
    assert _text(data[:end]) + _text(data[end:]) == _text(data)


def test_finished_text_is_settled_whole() -> None:
    assert settled_length("prompt é🙂$ ".encode()) == len("prompt é🙂$ ".encode())
    assert settled_length(b"") == 0

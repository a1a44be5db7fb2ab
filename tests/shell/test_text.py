from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.shell.text import TextDecoder


def decode(*chunks: bytes) -> str:
    decoder = TextDecoder()
    return "".join(decoder.feed(chunk) for chunk in chunks) + decoder.finish()


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b"\r\n",
                b"\r",
                b"\n",
                b"\x1b[1;31m",
                b"\x1b[0m",
                b"\x1b[K",
                b"\x1b[?25l",
                b"\x1b]0;title\x07",
                b"\x1b]8;;http://x\x1b\\",
                b"\x1bPdata\x1b\\",
                b"\x1b_apc\x07still\x1b\\",
                b"\x1b(B",
                b"\x1b=",
                b"\x1b",
                b"\x1b[",
                b"\x1b]",
                b"\x07",
                b"\x1b\\",
                "é€😀".encode(),
                b"text",
            ]
        ),
        st.binary(max_size=6),
    ),
    max_size=14,
).map(b"".join)


@given(PIECES, st.lists(st.integers(0, 200), max_size=12))
def test_any_split_of_any_stream_gives_the_same_text(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[start:end] for start, end in itertools.pairwise(edges)]
    assert decode(*chunks) == decode(data)


@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\x1b\x07")))
def test_text_through_a_terminal_comes_back_as_it_was(text: str) -> None:
    assert decode(text.replace("\n", "\r\n").encode()) == text


def test_a_carriage_return_the_program_wrote_stays() -> None:
    assert decode(b"10%\r50%\r100%\r\n") == "10%\r50%\r100%\n"
    assert decode(b"a\r\r\nb") == "a\r\nb"


@pytest.mark.parametrize("sequence", ["\x1b[m", "\x1b[0m", "\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[4:3m"])
def test_colours_stay(sequence: str) -> None:
    assert decode(f"a{sequence}b".encode()) == f"a{sequence}b"


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b[K",
        b"\x1b[2J",
        b"\x1b[10;20H",
        b"\x1b[?2004h",
        b"\x1b[>4;2m",
        b"\x1b[ q",
        b"\x1b]0;title\x07",
        b"\x1b]8;;http://x\x1b\\",
        b"\x1bPq#0~\x1b\\",
        b"\x1b_app\x1b\\",
        b"\x1b^private\x1b\\",
        b"\x1b(B",
        b"\x1b=",
        b"\x1bM",
        b"\x1b7",
        b"\x1bc",
        b"\x07",
    ],
)
def test_what_a_notebook_cannot_show_goes(sequence: bytes) -> None:
    assert decode(b"a" + sequence + b"b") == "ab"


@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\"])
def test_a_sequence_cut_anywhere_goes_all_the_same(end: bytes) -> None:
    for sequence in (b"\x1b]0;title" + end, b"\x1bPq#0~\x1b\\", b"\x1b[10;20H", b"\x1b(B"):
        data = b"a" + sequence + b"b"
        assert [decode(data[:cut], data[cut:]) for cut in range(len(data))] == ["ab"] * len(data)


def test_a_character_split_between_chunks_is_one_character() -> None:
    assert decode(b"caf\xc3", b"\xa9") == "café"


def test_bytes_that_are_no_text_do_not_stop_the_rest() -> None:
    assert decode(b"a\xffb\xc3") == "a\ufffdb\ufffd"


def test_text_is_given_at_once_when_nothing_is_unfinished() -> None:
    decoder = TextDecoder()
    assert decoder.feed(b"Password: ") == "Password: "
    assert decoder.feed(b"\x1b[31mred\x1b[0m") == "\x1b[31mred\x1b[0m"


def test_what_never_ended_is_shown_at_the_end() -> None:
    decoder = TextDecoder()
    assert decoder.feed(b"a\x1b]0;titl") == "a"
    assert decoder.finish() == "\x1b]0;titl"
    assert decoder.finish() == ""


def test_a_string_that_never_ends_does_not_hold_the_output_for_ever() -> None:
    decoder = TextDecoder()
    shown = decoder.feed(b"\x1b]0;") + "".join(decoder.feed(b"x" * 1000) for _ in range(100))
    assert len(shown) > 60_000

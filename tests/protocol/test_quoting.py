"""That tmux itself reads the words back as they were is in tests/tmux/test_connection.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.protocol.quoting import command, quote

WITHOUT_NUL = st.binary().map(lambda data: data.replace(b"\0", b""))


@given(WITHOUT_NUL)
def test_a_quoted_word_is_one_line_of_plain_ascii(word: bytes) -> None:
    assert all(0x20 <= byte < 0x7F for byte in quote(word))


@given(WITHOUT_NUL)
def test_nothing_inside_a_quoted_word_can_end_it_or_be_expanded(word: bytes) -> None:
    inside = quote(word)[1:-1]
    position = 0
    while position < len(inside):
        assert inside[position : position + 1] not in (b'"', b"$")
        position += 2 if inside[position : position + 1] == b"\\" else 1
    assert position == len(inside)


@given(st.lists(st.one_of(WITHOUT_NUL, st.text().map(lambda text: text.replace("\0", ""))), max_size=5))
def test_a_command_is_one_line_whatever_its_arguments(words: list[str | bytes]) -> None:
    line = command("set-buffer", *words)
    assert b"\n" not in line and b"\r" not in line


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("", b'""'),
        ("plain", b'"plain"'),
        ("it's; #{x} ~ %1", b'"it\'s; #{x} ~ %1"'),
        ('say "hi"', b'"say \\"hi\\""'),
        ("$HOME", b'"\\$HOME"'),
        ("a\\b", b'"a\\\\b"'),
        ("a\nb\r\t\x1b", b'"a\\nb\\r\\t\\e"'),
        ("é", b'"\\303\\251"'),
        (b"\xff\x7f\x01", b'"\\377\\177\\001"'),
        ("\udcff", b'"\\377"'),
    ],
)
def test_a_word_is_quoted_as_tmux_reads_it(word: str | bytes, quoted: bytes) -> None:
    assert quote(word) == quoted


@pytest.mark.parametrize("word", ["a\0b", b"\0"])
def test_a_nul_byte_is_refused(word: str | bytes) -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote(word)


def test_the_name_of_a_command_is_not_quoted() -> None:
    assert command("display-message", "-p", "a b") == b'display-message "-p" "a b"'
    assert command(b"list-panes") == b"list-panes"

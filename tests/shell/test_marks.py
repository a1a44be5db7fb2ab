"""`recorded/bash.stream` is what a pane with bash 5.2 and our integration wrote, byte for byte."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.shell.marks import (
    VERBOSE_ECHO,
    Continued,
    Ended,
    Event,
    MarkParser,
    Output,
    Prompted,
    Started,
    Told,
)

RECORDED = (Path(__file__).parent / "recorded" / "bash.stream").read_bytes()
SECRET = "0123456789abcdef"

START = b"\x1b]133;C;tk=s:1\x07"
END = b"\x1b]133;D;0;tk=s:1:1\x07"
PROMPT = b"\x1b]133;B;tk=s:1\x07"


def merged(events: list[Event]) -> list[Event]:
    """Adjacent output as one: how it was cut is the feed's affair."""
    result: list[Event] = []
    for event in events:
        if isinstance(event, Output) and result and isinstance(result[-1], Output):
            event = Output(result.pop().data + event.data)  # type: ignore[union-attr]
        result.append(event)
    return result


def parse(*chunks: bytes, secret: str = "s", prompt: int = 0, number: int = 0) -> list[Event]:
    parser = MarkParser(secret, prompt=prompt, number=number)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return merged(events + parser.flush())


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def assert_any_cut_in_two_is_the_same(data: bytes) -> None:
    whole = parse(data)
    for cut in range(len(data) + 1):
        assert parse(data[:cut], data[cut:]) == whole, cut


# -- what bash really writes ------------------------------------------------------------------------------------


def test_a_recorded_shell_tells_what_it_did() -> None:
    events = [event for event in parse(RECORDED, secret=SECRET) if not isinstance(event, Output)]
    assert events == [
        Ended(0, 1, 0),
        Prompted(1),
        Told("hello", ("0", "0", "0", "0")),
        Prompted(1),
        Told("arm", ("0", "0")),
        Prompted(1),
        Started(1),
        Ended(3, 2, 1),
        Prompted(2),
        Told("arm", ("3", "0")),
        Prompted(2),
        Continued(),
        Ended(130, 3, 1),
        Prompted(3),
        Started(2),
        Ended(0, 4, 2),
        Prompted(4),
        Started(3),
        Ended(0, 5, 3),
        Prompted(5),
        Started(4),
        Ended(0, 6, 4),
        Prompted(6),
        Started(5),
        Ended(0, 7, 5),
        Prompted(7),
        Started(6),
        Ended(0, 8, 6),
        Prompted(8),
    ]


def test_between_start_and_end_is_exactly_what_the_command_wrote() -> None:
    outputs: dict[int, bytes] = {}
    running = 0
    for event in parse(RECORDED, secret=SECRET):
        if isinstance(event, Started):
            running = event.number
            outputs[running] = b""
        elif isinstance(event, Ended):
            running = 0
        elif isinstance(event, Output) and running:
            outputs[running] += event.data
    assert outputs == {
        1: b"one\r\n",
        2: b"caf\xc3\xa9 \x1b[31mred\x1b[0m",
        3: b"",
        4: b"two\r\n",
        5: b"",
        6: b"\x1b]0;title\x07",
    }


@given(st.lists(st.integers(0, len(RECORDED)), max_size=60))
def test_any_split_of_a_recorded_stream_gives_the_same_events(cuts: list[int]) -> None:
    assert parse(*split(RECORDED, cuts), secret=SECRET) == parse(RECORDED, secret=SECRET)


def test_a_stream_fed_byte_by_byte_gives_the_same_events() -> None:
    chunks = [bytes([byte]) for byte in RECORDED]
    assert parse(*chunks, secret=SECRET) == parse(RECORDED, secret=SECRET)


# -- anything at all --------------------------------------------------------------------------------------------

PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                START,
                END,
                PROMPT,
                b"\x1b]133;D;1;tk=s:2:2\x07",
                b"\x1b]133;D;1;tk=s:3:3\x1b\\",
                b"\x1b]133;P;k=s;tk=s\x07",
                b"\x1b]133;T;hello;0;tk=s:1\x07",
                b"\x1b]133;D;0;tk=wrong:9:9\x07",
                b"\x1b]133;A",
                b"\x1b]133;",
                b"\x1b]133;D;" + b"x" * 300,
                b"\x1b]133;D;" + b"y;" * 400,
                VERBOSE_ECHO,
                VERBOSE_ECHO[:-1],
                b"{",
                b"{ ",
                b"\x1b",
                b"\x1b]",
                b"\x07",
                b"\x1b\\",
                b"\x1b[31m",
                b"text\r\n",
                b"z" * 200,
            ]
        ),
        st.binary(max_size=12),
    ),
    max_size=12,
).map(b"".join)


@given(PIECES, st.lists(st.integers(0, 4000), max_size=12))
def test_any_split_of_any_stream_gives_the_same_events(data: bytes, cuts: list[int]) -> None:
    assert parse(*split(data, cuts)) == parse(data)


@given(st.binary().filter(lambda data: b"\x1b]133;" not in data))
def test_bytes_without_marks_come_out_as_they_went_in(data: bytes) -> None:
    assert parse(data) == ([Output(data)] if data else [])


# -- what is not believed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fake",
    [
        b"\x1b]133;D;0;tk=wrong:9:9\x07",
        b"\x1b]133;D;0;tk=:9:9\x07",
        b"\x1b]133;D;0;tk=s2:9:9\x07",
        b"\x1b]133;D;0\x07",
        b"\x1b]133;D\x07",
        b"\x1b]133;A\x1b\\",
        b"\x1b]133;D;tk=s:9:9;0\x07",
        b"\x1b]133;D;0;9:9:tk=s\x07",
    ],
)
def test_a_fake_end_in_the_output_does_not_end_the_run(fake: bytes) -> None:
    assert parse(START + b"a" + fake + b"b" + END) == [Started(1), Output(b"ab"), Ended(0, 1, 1)]


@pytest.mark.parametrize(
    "broken",
    [
        b"\x1b]133;D;0;tk=s\x07",
        b"\x1b]133;D;0;tk=s:9\x07",
        b"\x1b]133;D;tk=s:9:9\x07",
        b"\x1b]133;D;zero;tk=s:9:9\x07",
        b"\x1b]133;D;0;tk=s:nine:9\x07",
        b"\x1b]133;C;tk=s\x07",
        b"\x1b]133;C;tk=s:\x07",
        b"\x1b]133;T;tk=s:1\x07",
        b"\x1b]133;Z;tk=s:1\x07",
    ],
)
def test_a_mark_of_ours_with_missing_or_wrong_fields_says_nothing(broken: bytes) -> None:
    parser = MarkParser("s")
    assert parser.feed(broken) == []
    assert (parser.prompt, parser.number) == (0, 0)


def test_a_replayed_transcript_of_this_very_shell_does_not_end_the_run() -> None:
    earlier = START + b"old\r\n" + END + PROMPT
    again = b"\x1b]133;C;tk=s:2\x07" + b"\x1b]133;D;1;tk=s:2:2\x07" + b"\x1b]133;B;tk=s:2\x07"
    events = parse(earlier + again + b"\x1b]133;C;tk=s:3\x07" + earlier + b"\x1b]133;D;0;tk=s:3:3\x07")
    assert events == [
        Started(1),
        Output(b"old\r\n"),
        Ended(0, 1, 1),
        Prompted(1),
        Started(2),
        Ended(1, 2, 2),
        Prompted(2),
        Started(3),
        Output(b"old\r\n"),
        Ended(0, 3, 3),
    ]


def test_an_end_with_a_prompt_number_already_seen_is_dropped() -> None:
    assert parse(b"\x1b]133;D;0;tk=s:5:5\x07", prompt=5, number=4) == []
    assert parse(b"\x1b]133;D;0;tk=s:4:9\x07", prompt=5, number=4) == []
    assert parse(b"\x1b]133;D;0;tk=s:6:5\x07", prompt=5, number=4) == [Ended(0, 6, 5)]


def test_a_start_with_a_number_already_seen_is_dropped() -> None:
    assert parse(b"\x1b]133;C;tk=s:5\x07", number=5) == []
    assert parse(b"\x1b]133;C;tk=s:6\x07", number=5) == [Started(6)]


def test_a_prompt_of_another_number_is_dropped() -> None:
    assert parse(b"\x1b]133;B;tk=s:4\x07\x1b]133;B;tk=s:6\x07", prompt=5) == []
    assert parse(b"\x1b]133;B;tk=s:5\x07", prompt=5) == [Prompted(5)]


def test_an_end_that_ran_nothing_keeps_the_number() -> None:
    assert parse(b"\x1b]133;D;130;tk=s:6:5\x07", prompt=5, number=5) == [Ended(130, 6, 5)]


# -- how a mark may end, or not ---------------------------------------------------------------------------------


def test_a_mark_may_end_in_bel_or_in_st() -> None:
    assert parse(b"\x1b]133;D;7;tk=s:1:1\x07") == parse(b"\x1b]133;D;7;tk=s:1:1\x1b\\") == [Ended(7, 1, 1)]


def test_an_introducer_that_never_ends_does_not_hide_the_end_mark() -> None:
    data = START + b"\x1b]133;A oops\r\n\x1b]133;" + END
    assert parse(data) == [Started(1), Output(b"\x1b]133;A oops\r\n\x1b]133;"), Ended(0, 1, 1)]
    assert_any_cut_in_two_is_the_same(data)


def test_an_introducer_that_never_ends_does_not_hide_an_end_mark_that_ends_in_st() -> None:
    data = START + b"\x1b]133;A oops\r\n" + END.replace(b"\x07", b"\x1b\\")
    assert parse(data) == [Started(1), Output(b"\x1b]133;A oops\r\n"), Ended(0, 1, 1)]
    assert_any_cut_in_two_is_the_same(data)


def test_an_introducer_that_never_ends_is_let_go_after_a_while() -> None:
    parser = MarkParser("s")
    events = parser.feed(b"\x1b]133;A;" + b"x" * 600)
    assert merged(events) == [Output(b"\x1b]133;A;" + b"x" * 600)]


def test_too_long_a_mark_is_output_whatever_the_split() -> None:
    data = b"\x1b]133;A;" + b"x" * 600 + b"\x07"
    assert parse(data) == [Output(data)]
    assert_any_cut_in_two_is_the_same(data)


def test_a_sequence_that_cannot_become_a_mark_is_not_held_back() -> None:
    assert MarkParser("s").feed(b"\x1b]0;title") == [Output(b"\x1b]0;title")]
    assert MarkParser("s").feed(b"\x1b[31m") == [Output(b"\x1b[31m")]


def test_what_was_held_back_comes_out_when_the_pane_ends() -> None:
    parser = MarkParser("s")
    assert parser.feed(b"last words\x1b]13") == [Output(b"last words")]
    assert parser.flush() == [Output(b"\x1b]13")]
    assert parser.flush() == []


# -- set -v -------------------------------------------------------------------------------------------------------


def test_the_echo_of_our_hook_under_set_v_is_not_output_whatever_the_split() -> None:
    data = START + b"two\r\n" + VERBOSE_ECHO + END
    assert parse(data) == [Started(1), Output(b"two\r\n"), Ended(0, 1, 1)]
    assert_any_cut_in_two_is_the_same(data)


def test_the_same_text_anywhere_else_is_output() -> None:
    data = START + VERBOSE_ECHO + b"more" + END
    assert parse(data) == [Started(1), Output(VERBOSE_ECHO + b"more"), Ended(0, 1, 1)]
    assert_any_cut_in_two_is_the_same(data)

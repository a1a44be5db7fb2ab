"""`recorded/control.stream` is what `tmux -C` 3.3a wrote, byte for byte."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.protocol.control import ControlParser, Event, Notification, PaneOutput, Reply, unescape_output

RECORDED = (Path(__file__).parent / "recorded" / "control.stream").read_bytes()


def parse(*chunks: bytes) -> list[Event]:
    parser = ControlParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


def replies(events: list[Event]) -> list[Reply]:
    return [event for event in events if isinstance(event, Reply)]


def test_a_recorded_stream_gives_its_replies_in_order() -> None:
    assert [(reply.ok, reply.lines) for reply in replies(parse(RECORDED))] == [
        (True, ()),
        (True, ()),
        (True, ()),
        (True, (b"%output %1 not output", b"%end 1 2 1", b"%begin 9 9 1", b"", b"%exit")),
        (False, (b"parse error: unknown command: nonsense",)),
        (
            True,
            (
                b"0: sleep- (1 panes) [80x24] [layout b25d,80x24,0,0,0] @0",
                b"1: a* (1 panes) [80x24] [layout b25e,80x24,0,0,1] @1 (active)",
            ),
        ),
        (True, (b"two",)),
        (True, ()),
    ]


def test_only_the_greeting_is_unsolicited() -> None:
    assert [reply.solicited for reply in replies(parse(RECORDED))] == [False, *[True] * 7]


def test_a_recorded_stream_gives_its_output_unescaped() -> None:
    outputs = [event for event in parse(RECORDED) if isinstance(event, PaneOutput)]
    assert outputs == [PaneOutput("%1", b"caf\xc3\xa9\\ \x1b]133;A\x07\x1b[31mred\x1b[0m\r\n")]


def test_a_recorded_stream_gives_its_notifications() -> None:
    notifications = [event for event in parse(RECORDED) if isinstance(event, Notification)]
    assert notifications == [
        Notification("window-add", "@0"),
        Notification("sessions-changed", ""),
        Notification("session-changed", "$0 0"),
        Notification("session-window-changed", "$0 @1"),
        Notification("window-add", "@1"),
        Notification("sessions-changed", ""),
        Notification("exit", ""),
    ]


@given(st.lists(st.integers(0, len(RECORDED)), max_size=40))
def test_any_split_of_a_recorded_stream_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(RECORDED)]
    chunks = [RECORDED[start:end] for start, end in itertools.pairwise(edges)]
    assert parse(*chunks) == parse(RECORDED)


def test_a_stream_fed_byte_by_byte_gives_the_same_events() -> None:
    assert parse(*(bytes([byte]) for byte in RECORDED)) == parse(RECORDED)


def test_a_reply_ends_only_at_its_own_guard() -> None:
    (reply,) = parse(b"%begin 5 7 1\n%end 5 8 1\n%end 6 7 1\n%end 5 7 0\n%error 5 7\n%end 5 7 1\n")
    assert reply == Reply(7, True, (b"%end 5 8 1", b"%end 6 7 1", b"%end 5 7 0", b"%error 5 7"), True)


def test_a_body_line_that_ends_like_the_guard_is_body() -> None:
    (reply,) = parse(b"%begin 5 7 1\n%output 5 7 1\n%begin 5 7 1\n%error 5 7 1\n")
    assert reply == Reply(7, False, (b"%output 5 7 1", b"%begin 5 7 1"), True)


def test_an_unfinished_line_gives_nothing_yet() -> None:
    parser = ControlParser()
    assert parser.feed(b"%output %1 he") == []
    assert parser.feed(b"llo") == []
    assert parser.feed(b"\n%ou") == [PaneOutput("%1", b"hello")]
    assert parser.feed(b"tput %2 \n") == [PaneOutput("%2", b"")]


def test_a_line_outside_a_reply_that_is_no_notification_is_ignored() -> None:
    assert parse(b"tmux: something odd\n\n%exit\n") == [Notification("exit", "")]


def test_a_notification_that_is_not_text_does_not_stop_the_stream() -> None:
    first, second = parse(b"%window-renamed @1 \xff\xfe\n%exit\n")
    assert isinstance(first, Notification) and first.name == "window-renamed"
    assert second == Notification("exit", "")


@given(st.binary())
def test_every_byte_survives_the_escapes_of_an_output_line(data: bytes) -> None:
    escaped = b"".join(b"\\%03o" % byte if byte < 0x20 or byte == 0x5C else bytes([byte]) for byte in data)
    assert unescape_output(escaped) == data
    assert parse(b"%output %3 " + escaped + b"\n") == [PaneOutput("%3", data)]

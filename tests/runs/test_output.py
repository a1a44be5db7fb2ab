from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tmux_kernel.runs.output import Excerpt


def never() -> Path:
    raise AssertionError("nothing was left out: there is no file to make")


@pytest.fixture
def whole(tmp_path: Path) -> Callable[[], Path]:
    return lambda: tmp_path / "whole.txt"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_text_within_the_limit_is_shown_as_it_comes_and_makes_no_file() -> None:
    excerpt = Excerpt(100, never)
    assert [excerpt.add("one\n"), excerpt.add("two\n"), excerpt.close()] == ["one\n", "two\n", ""]


def test_no_limit_shows_everything_and_makes_no_file() -> None:
    excerpt = Excerpt(0, never)
    assert excerpt.add("x" * 1_000_000) == "x" * 1_000_000
    assert excerpt.close() == ""


def test_past_the_limit_head_and_tail_are_shown_and_what_is_between_is_counted(whole: Callable[[], Path]) -> None:
    excerpt = Excerpt(8, whole)
    assert excerpt.add("0123456789abcdefghij") == "012345"
    assert excerpt.close() == f"\n… 12 characters left out; the whole output is in {whole()} …\nij"


def test_a_text_just_at_the_limit_is_shown_whole(whole: Callable[[], Path]) -> None:
    excerpt = Excerpt(8, whole)
    assert excerpt.add("01234567") + excerpt.close() == "01234567"


def test_the_whole_text_is_in_the_file(whole: Callable[[], Path]) -> None:
    excerpt = Excerpt(8, whole)
    text = "é\r\n\x1b[31m😀\udcff" * 50
    for char in text:
        excerpt.add(char)
    excerpt.close()
    assert whole().read_bytes() == text.encode("utf-8", "surrogateescape")


@pytest.mark.usefixtures("open_umask")
def test_only_the_user_can_read_the_file_whatever_the_umask(whole: Callable[[], Path]) -> None:
    excerpt = Excerpt(8, whole)
    excerpt.add("x" * 100)
    excerpt.close()
    assert stat.S_IMODE(whole().stat().st_mode) == 0o600


def test_a_later_text_replaces_the_file_of_an_earlier_one(whole: Callable[[], Path]) -> None:
    for text in ("a" * 100, "b" * 50):
        excerpt = Excerpt(8, whole)
        excerpt.add(text)
        excerpt.close()
    assert whole().read_text() == "b" * 50


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limit=st.integers(1, 30), parts=st.lists(st.text("abc\n", max_size=20), max_size=12))
def test_head_tail_and_count_add_up_whatever_the_parts(whole: Callable[[], Path], limit: int, parts: list[str]) -> None:
    text = "".join(parts)
    excerpt = Excerpt(limit, whole)
    head = "".join(excerpt.add(part) for part in parts)
    end = excerpt.close()
    assert text.startswith(head)
    if len(text) <= limit:
        assert head + end == text
        return
    match = re.fullmatch(r"\n… ([\d,]+) characters left out; the whole output is in .* …\n([abc\n]*)", end)
    assert match is not None
    assert text.endswith(match[2])
    assert len(head) + len(match[2]) == limit
    assert int(match[1].replace(",", "")) == len(text) - limit
    assert whole().read_text() == text

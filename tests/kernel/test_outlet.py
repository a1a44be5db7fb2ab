from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.kernel.outlet import Outlet, RateLimit
from tmux_kernel.runs.output import Excerpt

WINDOW_SECONDS = 3.0


def never() -> Path:
    raise AssertionError("nothing is left out in these tests")


def outlet_into(published: list[str], *, rate: int = 0) -> Outlet:
    return Outlet(published.append, Excerpt(0, never), RateLimit(rate))


# -- Outlet -------------------------------------------------------------------------------------------------------


async def test_the_first_output_is_published_without_anybody_asking() -> None:
    published: asyncio.Queue[str] = asyncio.Queue()
    outlet = Outlet(published.put_nowait, Excerpt(0, never), RateLimit(0))
    outlet.write(b"Password: ")
    async with asyncio.timeout(10):
        assert await published.get() == "Password: "


async def test_the_first_output_does_not_wait_for_the_pause_between_messages() -> None:
    published: asyncio.Queue[str] = asyncio.Queue()
    outlet = Outlet(published.put_nowait, Excerpt(0, never), RateLimit(0))
    outlet.write(b"first")
    async with asyncio.timeout(10):
        assert await published.get() == "first"
    outlet.write(b"second")
    # Far less than the pause away: the loop gets to it before it gets to the second message.
    other = Outlet(published.put_nowait, Excerpt(0, never), RateLimit(0))
    other.write(b"first of another")
    async with asyncio.timeout(10):
        assert [await published.get(), await published.get()] == ["first of another", "second"]


async def test_output_of_one_breath_is_collected_into_one_message() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    for number in range(1000):
        outlet.write(b"%d\r\n" % number)
    await outlet.close()
    assert published == ["".join(f"{number}\n" for number in range(1000))]


async def test_output_that_never_pauses_is_at_most_twenty_messages_a_second() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    loop = asyncio.get_running_loop()
    begin = loop.time()
    written = 0
    while loop.time() < begin + 0.5:
        outlet.write(b"x")
        written += 1
        await asyncio.sleep(0)
    elapsed = loop.time() - begin
    assert 2 <= len(published) <= elapsed * 20 + 1.01
    await outlet.close()
    assert "".join(published) == "x" * written


async def test_flush_publishes_what_is_collected_now() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    outlet.write(b"one")
    outlet.write(b"two")
    await outlet.flush()
    assert published == ["onetwo"]


async def test_close_publishes_what_the_decoder_held_back() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    outlet.write(b"caf\xc3")
    outlet.write(b"\xa9\r")
    await outlet.close()
    assert "".join(published) == "café\r"


async def test_no_output_is_no_message() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    outlet.write(b"")
    outlet.write(b"\x1b[K")
    await outlet.close()
    assert published == []


async def test_close_adds_the_tail_of_an_excerpt(tmp_path: Path) -> None:
    published: list[str] = []
    outlet = Outlet(published.append, Excerpt(8, lambda: tmp_path / "whole"), RateLimit(0))
    outlet.write(b"0123456789abcdefghij")
    await outlet.close()
    text = "".join(published)
    assert text.startswith("012345\n… 12 characters left out") and text.endswith("\nij")


async def test_a_large_output_goes_in_parts_of_a_bounded_size() -> None:
    published: list[str] = []
    outlet = outlet_into(published)
    outlet.write(b"x" * 3_000_000)
    await outlet.close()
    assert "".join(published) == "x" * 3_000_000
    assert max(len(part) for part in published) <= 1 << 20


async def test_an_outlet_over_the_rate_publishes_later_and_loses_nothing() -> None:
    published: list[str] = []
    limit = RateLimit(1000)
    loop = asyncio.get_running_loop()
    limit.took(2900, loop.time() - WINDOW_SECONDS + 0.2)  # sent by an earlier cell; forgotten in 0.2 s
    outlet = Outlet(published.append, Excerpt(0, never), limit)
    outlet.write(b"late")
    assert published == []
    await outlet.close()
    assert published == ["late"]


# -- RateLimit ----------------------------------------------------------------------------------------------------


@given(
    rate=st.integers(1, 1000),
    steps=st.lists(st.tuples(st.floats(0, 2), st.integers(1, 900)), max_size=60),
)
def test_no_three_seconds_carry_more_than_the_rate(rate: int, steps: list[tuple[float, int]]) -> None:
    limit = RateLimit(rate)
    now = 100.0
    sent: list[tuple[float, int]] = []
    for pause, size in steps:
        now += pause
        while (delay := limit.delay(size, now)) > 0:
            now += delay
        limit.took(size, now)
        sent.append((now, size))
    for begin, first in sent:
        inside = [size for time, size in sent if begin <= time < begin + WINDOW_SECONDS]
        # A message larger than the whole allowance can only go alone.
        assert sum(inside) <= rate * WINDOW_SECONDS or inside == [first]


def test_below_the_rate_nothing_waits() -> None:
    limit = RateLimit(1000)
    for second in range(20):
        assert limit.delay(999, float(second)) == 0.0
        limit.took(999, float(second))


def test_over_the_rate_the_wait_ends_when_the_oldest_is_forgotten() -> None:
    limit = RateLimit(1000)
    limit.took(2000, 10.0)
    limit.took(900, 11.0)
    assert limit.delay(100, 12.0) == 0.0
    assert limit.delay(101, 12.0) == 1.0
    assert limit.delay(101, 13.0) == 0.0


def test_a_message_larger_than_the_allowance_is_not_held_for_ever() -> None:
    assert RateLimit(1).delay(1_000_000, 0.0) == 0.0


def test_a_rate_of_zero_is_no_limit() -> None:
    limit = RateLimit(0)
    for _ in range(10):
        limit.took(1 << 30, 0.0)
    assert limit.delay(1 << 30, 0.0) == 0.0

from __future__ import annotations

import asyncio
import os
import stat
import termios
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import Tmux
from tests.tmux.conftest import WAIT_SECONDS, until
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.feed import LogFeed, OutputFeed, pipe_line
from tmux_kernel.tmux.server import start_client
from tmux_kernel.tmux.watch import FileWatch

NOISE = bytes(range(256)) * 4096


@pytest.fixture
async def watch() -> AsyncIterator[FileWatch]:
    watch = FileWatch()
    yield watch
    watch.close()


def append(log: Path, data: bytes) -> None:
    with log.open("ab") as file:
        file.write(data)


# -- a log ----------------------------------------------------------------------------------------------------------


async def test_what_is_in_the_log_already_is_handed_over_at_the_start(tmp_path: Path, watch: FileWatch) -> None:
    log = tmp_path / "log"
    log.write_bytes(NOISE)
    heard = bytearray()
    feed = LogFeed(log, watch)
    feed.start(heard.extend)
    await until(lambda: len(heard) >= len(NOISE), "the whole log")
    feed.close()
    assert heard == NOISE
    assert feed.position == len(NOISE)


async def test_what_is_appended_is_told_byte_for_byte(tmp_path: Path, watch: FileWatch) -> None:
    heard = bytearray()
    feed = LogFeed(tmp_path / "log", watch)
    feed.start(heard.extend)
    written = b""
    for size in (1, 2, 3, 1000, 65_536, 300_000, 7):
        append(feed.log, NOISE[:size])
        written += NOISE[:size]
        await until(lambda expected=written: len(heard) >= len(expected), "what was appended")
        assert heard == written
    feed.close()


async def test_a_growing_log_is_told_and_not_asked_for(tmp_path: Path, watch: FileWatch) -> None:
    told = asyncio.Event()
    feed = LogFeed(tmp_path / "log", watch)
    feed.start(lambda data: told.set())
    append(feed.log, b"x")
    async with asyncio.timeout(WAIT_SECONDS):
        await told.wait()
    feed.close()


async def test_more_than_one_read_can_hold_comes_in_order(tmp_path: Path, watch: FileWatch) -> None:
    log = tmp_path / "log"
    data = b"".join(b"%07d\n" % number for number in range(1_200_000))
    heard = bytearray()
    feed = LogFeed(log, watch)
    feed.start(heard.extend)
    append(log, data)
    await until(lambda: len(heard) >= len(data), "all of it")
    feed.close()
    assert heard == data


async def test_a_position_is_where_another_feed_goes_on(tmp_path: Path, watch: FileWatch) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"one two")
    first = LogFeed(log, watch)
    first.start(bytearray().extend)
    first.close()
    append(log, b" three")
    heard = bytearray()
    second = LogFeed(log, watch, position=first.position)
    second.start(heard.extend)
    second.close()
    assert heard == b" three"
    assert second.position == len(b"one two three")


async def test_drain_hands_over_what_was_not_announced_yet(tmp_path: Path, watch: FileWatch) -> None:
    heard = bytearray()
    feed = LogFeed(tmp_path / "log", watch)
    feed.start(heard.extend)
    append(feed.log, b"last words")
    feed.drain()
    assert heard == b"last words"
    feed.close()


async def test_a_closed_feed_hands_over_nothing_more(tmp_path: Path, watch: FileWatch) -> None:
    heard = bytearray()
    feed = LogFeed(tmp_path / "log", watch)
    feed.start(heard.extend)
    feed.close()
    feed.close()
    other = asyncio.Event()
    again = LogFeed(feed.log, watch)
    again.start(lambda data: other.set())
    append(feed.log, b"late")
    feed.drain()
    await asyncio.wait_for(other.wait(), WAIT_SECONDS)
    again.close()
    assert heard == b""


async def test_two_logs_are_not_mixed_up(tmp_path: Path, watch: FileWatch) -> None:
    heard = {"a": bytearray(), "b": bytearray()}
    feeds = [LogFeed(tmp_path / name, watch) for name in heard]
    for feed in feeds:
        feed.start(heard[feed.log.name].extend)
    for _ in range(50):
        for feed in feeds:
            append(feed.log, feed.log.name.encode())
    await until(lambda: all(len(data) == 50 for data in heard.values()), "all of both")
    assert heard == {"a": b"a" * 50, "b": b"b" * 50}
    for feed in feeds:
        feed.close()


async def test_what_has_been_read_is_freed_and_the_rest_stays_where_it_is(tmp_path: Path, watch: FileWatch) -> None:
    log = tmp_path / "log"
    size, keep = 24 << 20, 1 << 20
    feed = LogFeed(log, watch, keep=keep)
    heard = 0

    def listen(data: bytes) -> None:
        nonlocal heard
        heard += len(data)

    feed.start(listen)
    append(log, b"x" * (size - keep) + NOISE)
    await until(lambda: heard == size, "all of it")
    append(log, b"!")
    await until(lambda: heard == size + 1, "the last byte")
    feed.close()
    assert log.stat().st_size == size + 1
    assert log.stat().st_blocks * 512 < size // 2
    assert log.read_bytes()[-keep - 1 :] == NOISE + b"!"


# -- tmux's own pipe --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["log", "a b", "it's", "50%H #{pid} ##", "$HOME;x", "é"])
async def test_a_panes_bytes_arrive_in_its_log_whatever_the_log_is_called(
    connection: Connection, tmux: Tmux, tmp_path: Path, watch: FileWatch, name: str
) -> None:
    (pane,) = await connection.command("display-message", "-p", "#{pane_id}")
    heard = bytearray()
    feed = LogFeed(tmp_path / name, watch)
    feed.start(heard.extend)
    await connection.commands(pipe_line(pane, feed.log))
    tmux("send-keys", "-t", pane, "-l", "one")
    tmux("send-keys", "-t", pane, "Enter")
    await until(lambda: heard == b"one\r\none\r\n", "the echo and cat's answer")
    feed.close()


async def test_the_log_tmux_makes_is_the_users_alone(connection: Connection, tmux: Tmux, tmp_path: Path) -> None:
    (pane,) = await connection.command("display-message", "-p", "#{pane_id}")
    log = tmp_path / "log"
    await connection.commands(pipe_line(pane, log))
    await until(log.exists, "the log")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


# -- control mode -----------------------------------------------------------------------------------------------------


async def test_the_output_of_a_pane_is_fed_byte_for_byte(connection: Connection, tmux: Tmux, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(range(256)) * 400)
    program = f"stty raw -echo; read x; cat '{data}'; cat"
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "fed", program)
    client = Connection(start_client(tmux.address, "attach-session", "-t", "=fed", "-f", "ignore-size"))
    await client.ready()
    heard = bytearray()
    feed = OutputFeed(client, pane)
    feed.start(heard.extend)
    await until(lambda: is_raw(tmux, pane), "the terminal is raw")
    tmux("send-keys", "-t", pane, "-H", "0a")
    await until(lambda: len(heard) >= 256 * 400, "all of it")
    feed.drain()
    assert heard == data.read_bytes()
    assert feed.position == len(heard)
    feed.close()
    assert not client.is_open


def is_raw(tmux: Tmux, pane: str) -> bool:
    descriptor = os.open(tmux("display-message", "-p", "-t", pane, "#{pane_tty}"), os.O_RDONLY | os.O_NOCTTY)
    try:
        return not termios.tcgetattr(descriptor)[3] & termios.ICANON
    finally:
        os.close(descriptor)

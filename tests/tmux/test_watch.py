from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.tmux.conftest import WAIT_SECONDS, until
from tmux_kernel.tmux.watch import FileWatch, ProcessWatch


@pytest.fixture
async def watch() -> AsyncIterator[FileWatch]:
    watch = FileWatch()
    yield watch
    watch.close()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


@pytest.fixture
def gone() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


@pytest.fixture
def grandchild() -> Iterator[int]:
    with subprocess.Popen(["sh", "-c", "sleep 1000 & echo $!"], stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
    yield pid
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


async def test_a_write_to_a_watched_file_is_told(tmp_path: Path, watch: FileWatch) -> None:
    told = asyncio.Event()
    with (tmp_path / "log").open("ab", buffering=0) as file:
        watch.add(tmp_path / "log", file.fileno(), told.set)
        for _ in range(3):
            file.write(b"x")
            await asyncio.wait_for(told.wait(), WAIT_SECONDS)
            told.clear()


async def test_only_the_listener_of_the_file_is_told(tmp_path: Path, watch: FileWatch) -> None:
    told: list[str] = []
    with (tmp_path / "a").open("ab", buffering=0) as a, (tmp_path / "b").open("ab", buffering=0) as b:
        watch.add(tmp_path / "a", a.fileno(), lambda: told.append("a"))
        watch.add(tmp_path / "b", b.fileno(), lambda: told.append("b"))
        b.write(b"x")
        await until(lambda: bool(told), "b was written to")
        assert told == ["b"]
        a.write(b"x")
        await until(lambda: len(told) > 1, "a was written to")
        assert told == ["b", "a"]


async def test_a_file_no_longer_watched_is_not_told(tmp_path: Path, watch: FileWatch) -> None:
    told: list[str] = []
    with (tmp_path / "a").open("ab", buffering=0) as a, (tmp_path / "b").open("ab", buffering=0) as b:
        handle = watch.add(tmp_path / "a", a.fileno(), lambda: told.append("a"))
        watch.add(tmp_path / "b", b.fileno(), lambda: told.append("b"))
        watch.remove(handle)
        a.write(b"x")
        b.write(b"x")
        await until(lambda: bool(told), "b was written to")
        assert told == ["b"]


async def test_a_file_removed_by_a_listener_of_another_is_not_told(tmp_path: Path, watch: FileWatch) -> None:
    told: list[int] = []
    with (tmp_path / "a").open("ab", buffering=0) as a, (tmp_path / "b").open("ab", buffering=0) as b:
        handles: list[int] = []

        def first_one_wins(index: int) -> None:
            told.append(index)
            watch.remove(handles[1 - index])

        handles.append(watch.add(tmp_path / "a", a.fileno(), lambda: first_one_wins(0)))
        handles.append(watch.add(tmp_path / "b", b.fileno(), lambda: first_one_wins(1)))
        a.write(b"x")
        b.write(b"x")
        await until(lambda: bool(told), "one of them was told")
        assert len(told) == 1


async def test_the_last_of_thousands_of_writes_is_told_too(tmp_path: Path, watch: FileWatch) -> None:
    path = tmp_path / "log"
    seen = 0

    def look() -> None:
        nonlocal seen
        seen = path.stat().st_size

    with path.open("ab", buffering=0) as file:
        watch.add(path, file.fileno(), look)
        for _ in range(5000):
            file.write(b"x")
            await asyncio.sleep(0)
        await until(lambda: seen == 5000, "the last write")


async def test_a_watch_closed_in_the_middle_of_many_writes_says_nothing_more(tmp_path: Path) -> None:
    watch = FileWatch()
    told = 0

    def count() -> None:
        nonlocal told
        told += 1

    with (tmp_path / "log").open("ab", buffering=0) as file:
        watch.add(tmp_path / "log", file.fileno(), count)
        for _ in range(200):
            file.write(b"x")
            await asyncio.sleep(0)
        watch.close()
        before = told
        file.write(b"x")
        await asyncio.sleep(0.02)  # longer than the watch ever rests
        assert told == before


async def test_a_file_that_is_not_there_cannot_be_watched(tmp_path: Path, watch: FileWatch) -> None:
    with pytest.raises(OSError, match="cannot watch"):
        watch.add(tmp_path / "nothing", -1, lambda: None)


async def test_the_end_of_a_process_is_told_once(sleeper: subprocess.Popen[bytes]) -> None:
    ended: list[bool] = []
    ProcessWatch(sleeper.pid, lambda: ended.append(True))
    await asyncio.sleep(0)
    assert ended == []
    sleeper.kill()
    await until(lambda: bool(ended), "the process has ended")
    await asyncio.sleep(0)
    assert ended == [True]


async def test_the_end_of_a_process_that_is_not_our_child_is_told(grandchild: int) -> None:
    ended = asyncio.Event()
    ProcessWatch(grandchild, ended.set)
    os.kill(grandchild, signal.SIGKILL)
    await asyncio.wait_for(ended.wait(), WAIT_SECONDS)


async def test_a_process_gone_already_is_told_and_not_before_the_watch_is_there(gone: int) -> None:
    ended = asyncio.Event()
    ProcessWatch(gone, ended.set)
    assert not ended.is_set()
    await asyncio.wait_for(ended.wait(), WAIT_SECONDS)


async def test_a_closed_watch_of_a_process_says_nothing(sleeper: subprocess.Popen[bytes]) -> None:
    heard: list[str] = []
    closed = ProcessWatch(sleeper.pid, lambda: heard.append("closed"))
    ProcessWatch(sleeper.pid, lambda: heard.append("open"))
    closed.close()
    closed.close()
    sleeper.kill()
    await until(lambda: bool(heard), "the process has ended")
    assert heard == ["open"]


async def test_a_closed_watch_of_a_process_gone_already_says_nothing(gone: int) -> None:
    heard: list[str] = []
    closed = ProcessWatch(gone, lambda: heard.append("closed"))
    closed.close()
    ProcessWatch(gone, lambda: heard.append("open"))
    await until(lambda: bool(heard), "the process has ended")
    assert heard == ["open"]

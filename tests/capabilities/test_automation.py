from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.conftest import Tmux
from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.harvest import harvest
from tmux_kernel.capabilities.start import StartedRun, start
from tmux_kernel.capabilities.status import RunStatus, status
from tmux_kernel.capabilities.stop import stop
from tmux_kernel.errors import RunNotFoundError, UsageError
from tmux_kernel.runs import automation
from tmux_kernel.runs.runner import Runner


@pytest.fixture
async def context(tmux: Tmux) -> AsyncIterator[Context]:
    tmux("new-session", "-d", "-s", "a b", "-x", "100", "-y", "30", "cat")
    runner = Runner.visiting(tmux.address)
    yield Context(runner)
    await runner.close()


async def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.02)


async def finished(context: Context, run: StartedRun) -> RunStatus:
    await until(lambda: automation.find(run.run).exit_code is not None, f"{run.run} has finished")
    (found,) = (await status(context, run.run)).runs
    return found


async def test_a_run_has_a_window_of_its_own_that_nobody_is_taken_to(context: Context, tmux: Tmux) -> None:
    run = await start(context, ["sleep", "30"])
    assert tmux("display-message", "-p", "-t", run.pane, "#{window_name}") == f"auto:{run.run}"
    assert tmux("display-message", "-p", "-t", "a b", "#{window_index}") == "0"
    await stop(context, run.run, kill=True)


async def test_its_output_and_its_code_are_on_disk_and_the_window_goes(context: Context, tmux: Tmux) -> None:
    run = await start(context, ["seq 1 5000; exit 4"])
    ended = await finished(context, run)
    assert (ended.state, ended.exit_code) == ("finished", 4)
    await until(lambda: run.pane not in tmux("list-panes", "-a", "-F", "#{pane_id}").split(), "its window has gone")
    found = await harvest(context, run.run)
    assert found.lines == [str(number) for number in range(1, 5001)]


async def test_a_harvest_never_repeats_and_never_skips(context: Context) -> None:
    run = await start(context, ["for i in $(seq 1 40); do echo line $i; sleep 0.02; done"])
    lines: list[str] = []
    cursor = 0
    while True:
        is_over = automation.find(run.run).exit_code is not None
        if is_over:
            await asyncio.sleep(automation._LINGER_SECONDS)
        found = await harvest(context, run.run, since=cursor)
        lines, cursor = lines + found.lines, found.cursor
        if is_over:
            break
        await asyncio.sleep(0.05)
    assert lines == [f"line {number}" for number in range(1, 41)]


async def test_waiting_for_input_is_seen_with_what_it_asks(context: Context) -> None:
    run = await start(context, ["read -p 'token: ' x"])
    await until(lambda: automation.find(run.run).state() == ("waiting-for-input", "token:"), "it waits")
    await stop(context, run.run)
    assert (await finished(context, run)).exit_code == 130


async def test_directory_and_variables_are_the_runs_own(context: Context, tmp_path: Path) -> None:
    run = await start(context, ["echo $PWD $STAGE"], cwd=str(tmp_path), env=["STAGE=a b"])
    await finished(context, run)
    await asyncio.sleep(automation._LINGER_SECONDS)
    assert (await harvest(context, run.run)).lines == [f"{tmp_path} a b"]


async def test_a_killed_run_is_over_with_the_code_of_a_killed_process(context: Context) -> None:
    run = await start(context, ["trap '' INT TERM HUP; echo $$; while :; do sleep 1; done"])
    await until(lambda: automation.find(run.run).tail().endswith("\n"), "its number")
    process = Path("/proc", automation.find(run.run).tail().strip())
    assert (await stop(context, run.run, kill=True)).is_over
    assert (await finished(context, run)).exit_code == 137
    await until(lambda: not process.exists(), "its process is gone")


async def test_another_process_knows_the_run(context: Context, tmux: Tmux) -> None:
    run = await start(context, ["sleep 0.2; exit 3"])
    other = Runner.visiting(tmux.address)
    try:
        assert (await finished(Context(other), run)).exit_code == 3
    finally:
        await other.close()


async def test_what_is_kept_is_private(context: Context) -> None:
    run = await start(context, ["true"])
    await finished(context, run)
    home = automation.find(run.run).home
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o600}


async def test_finished_runs_are_forgotten_by_number_and_by_age(context: Context) -> None:
    runs = [await start(context, ["true"]) for _ in range(3)]
    for run in runs:
        await finished(context, run)
    assert automation.prune(keep=2) == [runs[0].run]
    assert set(automation.prune(seconds=0)) == {runs[1].run, runs[2].run}


async def test_fifty_runs_at_once_all_end_with_their_own_code(context: Context) -> None:
    runs = [await start(context, [f"exit {number}"]) for number in range(50)]
    codes = [(await finished(context, run)).exit_code for run in runs]
    assert codes == list(range(50))


async def test_an_unknown_run_is_an_error_that_lists_those_there_are(context: Context) -> None:
    run = await start(context, ["true"])
    await finished(context, run)
    for question in (status(context, "nope"), harvest(context, "nope"), stop(context, "nope")):
        with pytest.raises(RunNotFoundError, match=run.run):
            await question


async def test_a_word_that_sets_no_variable_is_refused_before_anything_starts(context: Context) -> None:
    with pytest.raises(UsageError):
        await start(context, ["true"], env=["STAGE"])
    assert automation.every() == []

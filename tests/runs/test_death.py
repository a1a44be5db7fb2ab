"""A shell, a pane, a session or the server dies: nothing printed before is lost, the code is right, work goes on."""

from __future__ import annotations

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.runs.run import Result, Run
from tmux_kernel.shell.text import TextDecoder

# tmux 3.3a itself loses what the terminal still holds beyond 4 KB when the pane's process is collected.
_TIMES = 15


async def ending(run: Run) -> tuple[str, Result]:
    """All of the run's text, and how it ended."""
    result = await run.result()
    decoder = TextDecoder()
    return "".join(decoder.feed(data) for data in run.drain()) + decoder.finish(), result


async def goes_on(bench: Bench) -> None:
    text, result = await bench.run("echo fresh; (exit 5)")
    assert (text, result.status) == ("fresh\n", 5)


def numbers(last: int) -> str:
    return "".join(f"{number}\n" for number in range(1, last + 1))


async def test_every_byte_before_an_exit_arrives_time_after_time(bench: Bench) -> None:
    expected = numbers(700)
    for _ in range(_TIMES):
        text, result = await bench.run("seq 1 700; exit 3")
        assert (text.removesuffix("exit\n") == expected, result.status, result.shell_ended) == (True, 3, True)
        await goes_on(bench)


async def test_every_byte_before_an_exit_in_a_borrowed_pane_arrives_time_after_time(bench: Bench, tmux: Tmux) -> None:
    expected = numbers(700)
    for time in range(_TIMES):
        person = await with_a_shell(tmux, session=f"tues{time}")
        text, result = await bench.run("seq 1 700; exit 3", person.pane)
        assert (text.removesuffix("exit\n") == expected, result.status, result.shell_ended) == (True, 3, True)
        await until(lambda: person.pane not in tmux("list-panes", "-a", "-F", "#{pane_id}").split(), "its end")  # noqa: B023
    await goes_on(bench)


@pytest.mark.parametrize("size", [0, 1, 1400, 3500])
@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("exit 4", 4),
        ("kill -9 $$", 137),
        ("kill -TERM $$; kill -HUP $$", 129),
        ("exec bash -c 'exit 6'", 6),
        ("exec true", 0),
    ],
)
async def test_what_was_printed_before_the_end_arrives(bench: Bench, size: int, end: str, status: int) -> None:
    text, result = await bench.run(f"printf 'x%.0s' $(seq {size}) | tail -c {size}; {end}")
    assert (text.removesuffix("exit\n"), result.status, result.shell_ended) == ("x" * size, status, True)
    await goes_on(bench)


async def test_a_program_the_shell_became_has_its_output_and_code(bench: Bench) -> None:
    text, result = await bench.run("exec bash -c 'seq 1 700; exit 7'")
    assert (text == numbers(700), result.status) == (True, 7)
    await goes_on(bench)


@pytest.mark.parametrize("victim", ["kill-pane", "kill-session", "kill-server"])
async def test_a_pane_taken_away_in_mid_run_ends_the_run_and_keeps_its_output(
    bench: Bench, tmux: Tmux, victim: str
) -> None:
    run = await bench.runner.submit("seq 1 2000; sleep 1000")
    await until(lambda: run.tail.endswith(b"2000\r\n"), "the output")
    tmux(victim, *([] if victim == "kill-server" else ["-t", bench.runner.record.main_pane]))
    text, result = await ending(run)
    assert (text == numbers(2000), result.status, result.shell_ended) == (True, None, True)
    await goes_on(bench)


@pytest.mark.parametrize("victim", ["kill-pane", "kill-session", "kill-server"])
async def test_a_pane_taken_away_between_cells_is_made_again(bench: Bench, tmux: Tmux, victim: str) -> None:
    await bench.run("true")
    tmux(victim, *([] if victim == "kill-server" else ["-t", bench.runner.record.main_pane]))
    shell = bench.runner.shells[0]
    await until(lambda: shell.phase.value == "gone", "its end")
    await goes_on(bench)


async def test_a_shell_killed_from_outside_ends_the_run(bench: Bench) -> None:
    run = await bench.runner.submit("echo $$; sleep 1000")
    await until(lambda: run.tail.endswith(b"\r\n"), "the number")
    other = int(run.tail)
    with_kill = f"kill -9 {other}"
    await bench.runner.shells[0].connection.command("run-shell", with_kill)
    text, result = await ending(run)
    assert (text, result.status) == (f"{other}\n", 137)
    await goes_on(bench)


async def test_a_shell_that_ended_by_hand_between_cells_is_replaced(bench: Bench, tmux: Tmux) -> None:
    await bench.run("true")
    tmux("send-keys", "-t", bench.runner.record.main_pane, "C-d")
    shell = bench.runner.shells[0]
    await until(lambda: shell.phase.value == "gone", "its end")
    await goes_on(bench)


async def test_a_borrowed_pane_that_dies_is_gone_and_our_own_works_on(bench: Bench, tmux: Tmux) -> None:
    person = await with_a_shell(tmux)
    run = await bench.runner.submit("seq 1 2000; sleep 1000", person.pane)
    await until(lambda: run.tail.endswith(b"2000\r\n"), "the output")
    tmux("kill-pane", "-t", person.pane)
    text, result = await ending(run)
    assert (text == numbers(2000), result.status, result.shell_ended) == (True, None, True)
    await goes_on(bench)


async def test_our_session_is_as_before_after_a_fresh_shell(bench: Bench, tmux: Tmux) -> None:
    fields = "#{session_name} #{window_width}x#{window_height} #{pane_id} #{pane_pipe}"
    before = tmux("list-panes", "-a", "-F", fields)
    await bench.run("exit 3")
    await goes_on(bench)
    assert tmux("list-panes", "-a", "-F", fields) == before


async def test_a_long_output_is_complete_to_the_last_byte_when_the_shell_exits_after_it(bench: Bench) -> None:
    wanted = "".join(f"{number}\n" for number in range(1, 50001)) + "exit\n"
    for _ in range(15):
        text, result = await bench.run("seq 1 50000; exit 3")
        assert (text, result.status) == (wanted, 3)

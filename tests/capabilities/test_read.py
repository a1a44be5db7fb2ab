from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import Person, until, with_a_shell
from tmux_kernel.capabilities.read import Reading
from tmux_kernel.errors import UsageError
from tmux_kernel.runs.recording import INTERRUPTED


async def read_to(caller: Caller, end: str, *words: str) -> list[Reading]:
    """Read what is new, again and again, until *end* was in it."""
    readings: list[Reading] = []
    async with asyncio.timeout(20):
        while not any(end in reading.output for reading in readings[-2:]):
            readings.append(await caller("read", "tues", "--since", *words))
            await asyncio.sleep(0.01)
    return readings


async def test_the_last_lines_and_whether_there_are_more(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    await person.enters("seq 300; echo e''nd", "\nend\n")
    code, answer = script("read", "tues:0.0", "--lines", "3")
    data = answer["data"]
    assert code == 0
    assert data["output"].splitlines()[:2] == ["300", "end"]
    assert (data["lines_captured"], data["has_more"], data["cursor"]) == (3, True, None)
    assert script("read", "tues:0.0")[1]["data"]["lines_captured"] == 100
    everything = script("read", "tues:0.0", "--all")[1]["data"]
    assert everything["has_more"] is False
    assert {"1", "150", "300"} <= set(everything["output"].splitlines())


async def test_an_empty_pane_reads_empty(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "tues", "cat")
    reading = await caller("read", "tues")
    assert (reading.output, reading.lines_captured, reading.has_more) == ("", 0, False)


async def test_since_repeats_nothing_and_skips_nothing_past_the_history_limit(tmux: Tmux, caller: Caller) -> None:
    tmux("start-server", ";", "set-option", "-g", "history-limit", "20", ";", "new-session", "-d", "-s", "first", "cat")
    tmux("set-option", "-g", "history-limit", "20")
    person = await with_a_shell(tmux)
    first = await caller("read", "tues", "--since")
    assert "$" in first.output or "#" in first.output
    person.type("seq 1 20000; echo e''nd")
    person.press("Enter")
    readings = await read_to(caller, "end\n")
    text = "".join(reading.output for reading in readings).replace("\r", "")
    assert re.findall(r"^\d+$", text, re.MULTILINE) == [str(number) for number in range(1, 20001)]


async def test_a_limited_read_goes_on_where_it_ended(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("read", "tues", "--since")
    person.type("seq 1 25; echo e''nd")
    person.press("Enter")
    await person.sees("\nend\n")
    readings = await read_to(caller, "end\n", "--lines", "10")
    assert all(reading.lines_captured <= 10 for reading in readings)
    assert readings[0].has_more or readings[1].has_more
    text = "".join(reading.output for reading in readings).replace("\r", "")
    assert re.findall(r"^\d+$", text, re.MULTILINE) == [str(number) for number in range(1, 26)]


async def test_a_cursor_can_be_used_again(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    cursor = str(script("read", "tues:0.0", "--since")[1]["data"]["cursor"])
    await person.enters("echo o''nce", "\nonce\n")
    await until(lambda: "\nonce\n" in script("read", "tues:0.0", "--since", cursor)[1]["data"]["output"])
    data = script("read", "tues:0.0", f"--since={cursor}")[1]["data"]
    assert "\nonce\n" in data["output"]
    assert script("read", "tues:0.0", "--since", str(data["cursor"]))[1]["data"]["output"] == ""


async def test_what_appears_while_nobody_is_there_is_kept_in_a_private_file(
    tmux: Tmux, script: Script, caller: Caller
) -> None:
    person = await with_a_shell(tmux)
    script("read", "tues:0.0", "--since")
    log = Path(person.ask("@tmux_kernel_log"))
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    await person.enters("printf '\\e[32mgr''een\\e[0m é\\n'", "green")
    readings = await read_to(caller, "green é")
    assert "\x1b" not in readings[-1].output


@pytest.mark.parametrize("since", ["x", "-1", "99999999"])
async def test_a_wrong_cursor_is_said_to_be_wrong(tmux: Tmux, caller: Caller, since: str) -> None:
    await with_a_shell(tmux)
    with pytest.raises(UsageError):
        await caller("read", "tues", f"--since={since}")


async def test_two_callers_at_once_have_one_recording(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    lines = [caller("read", "tues", "--since", "0") for _ in range(5)]
    readings = await asyncio.gather(*lines)
    assert [reading.note for reading in readings] == [""] * 5
    assert person.ask("pane_pipe") == "1"


async def test_the_users_own_pipe_is_left_alone(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    person = await with_a_shell(tmux)
    theirs = tmp_path / "theirs"
    tmux("pipe-pane", "-t", person.pane, f"cat >> {theirs}")
    await person.enters("echo see''n", "seen")
    reading = await caller("read", "tues", "--since")
    assert (reading.cursor, "piped elsewhere" in reading.note) == (None, True)
    assert "seen" in reading.output
    await until(lambda: "seen" in theirs.read_text())
    assert person.ask("@tmux_kernel_log") == ""


async def test_a_pipe_the_user_put_in_place_of_ours_is_noticed(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    person = await with_a_shell(tmux)
    await caller("read", "tues", "--since")
    tmux("pipe-pane", "-t", person.pane, f"exec cat >> {tmp_path / 'theirs'}")
    await until((tmp_path / "theirs").exists)
    assert "piped elsewhere" in (await caller("read", "tues", "--since")).note


async def test_a_recording_that_was_ended_is_taken_up_and_said(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("read", "tues", "--since")
    await person.enters("echo o''ne", "one")
    await read_to(caller, "one")
    tmux("pipe-pane", "-t", person.pane)
    assert (await caller("read", "tues", "--since")).note == INTERRUPTED
    await person.enters("echo t''wo", "two")
    assert any("two" in reading.output for reading in await read_to(caller, "two"))


async def test_a_notebooks_own_log_is_read_by_it_and_by_others(tmux: Tmux, notebook: Caller, script: Script) -> None:
    runner = notebook.context.runner
    await notebook("run", runner.record.main_pane, "echo mi''ne")
    assert "\nmine\n" in (await notebook("read", "--since")).output
    assert (await notebook("read", "--since")).output == ""
    data = script("read", runner.record.main_pane, "--since", "0")[1]["data"]
    assert "\nmine\n" in data["output"]
    assert "]133;" not in data["output"]


async def test_logs_of_panes_that_are_gone_go_with_the_next_recording(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    other = Person(tmux, tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", person.pane, "cat"))
    await caller("read", other.pane, "--since")
    log = Path(other.ask("@tmux_kernel_log"))
    assert log.exists()
    tmux("kill-pane", "-t", other.pane)
    await caller("read", "tues", "--since")
    assert [file.name for file in log.parent.iterdir()] == [Path(person.ask("@tmux_kernel_log")).name]

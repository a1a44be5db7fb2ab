from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest

from tests.capabilities.face import PROGRAM, Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.errors import RunTimeoutError, UsageError


async def test_the_script_returns_output_code_and_duration_and_leaves_the_pane_as_it_was(
    tmux: Tmux, script: Script
) -> None:
    person = await with_a_shell(tmux)
    prompt = person.screen.split("\n")[0].strip()
    code, answer = script("run", "tues:0.0", "echo hi; sleep 0.2; (exit 3)")
    data = answer["data"]
    assert (code, data["exit_code"], data["output"], data["state"]) == (3, 3, "hi\n", "finished")
    assert 0.2 <= data["seconds"] < 5
    assert (data["name"], data["pane"], data["command"]) == ("tues:0.0", person.pane, "echo hi; sleep 0.2; (exit 3)")
    await until(lambda: person.screen.rstrip().split("\n")[-1].strip() == prompt)
    assert person.ask("pane_pipe") == "0"
    await person.enters("echo ${PROMPT_COMMAND-un''set}", "\nunset")


async def test_options_may_come_after_the_command(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("run", "tues:0.0", "echo", "a", "--timeout", "300")
    assert (code, answer["data"]["output"]) == (0, "a\n")


async def test_the_output_is_shown_as_it_comes(tmux: Tmux, home: Path) -> None:
    await with_a_shell(tmux)
    line = "echo first; until [ -e ~/seen ]; do sleep 0.05; done; echo last"
    process = await asyncio.create_subprocess_exec(PROGRAM, "run", "tues:0.0", line, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"first\n"
    (home / "seen").touch()
    assert await process.stdout.read() == b"last\n"
    assert await process.wait() == 0


async def test_what_a_command_does_to_the_shell_stays(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    assert script("run", "tues:0.0", "x=41; cd /usr")[0] == 0
    assert script("run", "tues:0.0", "echo $((x+1)) $PWD")[1]["data"]["output"] == "42 /usr\n"


async def test_directory_and_variables_are_for_this_command_only(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    result = await caller(
        "run", "tues", "echo $PWD; sh -c 'echo $A-$B' # done", "--cwd", "/usr", "--env", "A=1 2", "--env", "B=$HOME"
    )
    assert result.output == "/usr\n1 2-$HOME\n"
    result = await caller("run", "tues", "echo ${A-none}; [ $PWD != /usr ]")
    assert (result.output, result.exit_code) == ("none\n", 0)


async def test_a_directory_that_is_not_there_is_the_commands_failure(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    result = await caller("run", "tues", "echo never", "--cwd", "/not/there")
    assert result.exit_code == 1
    assert "never" not in result.output


@pytest.mark.parametrize("words", [("--env", "1A=2"), ("--env", "A"), ("--timeout", "soon")])
async def test_wrong_options_are_said_before_anything_is_typed(
    tmux: Tmux, caller: Caller, words: tuple[str, ...]
) -> None:
    person = await with_a_shell(tmux)
    before = person.screen
    with pytest.raises(UsageError):
        await caller("run", "tues", "echo no", *words)
    assert person.screen == before


async def test_an_unfinished_command_is_not_typed(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    before = person.screen
    code, answer = script("run", "tues:0.0", "echo 'open")
    assert (code, answer["code"]) == (65, "INCOMPLETE_COMMAND")
    assert person.screen == before


async def test_a_timeout_sends_ctrl_c_and_says_that_it_worked(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    code, answer = script("run", "tues:0.0", "echo begun; sleep 100", "--timeout", "0.5")
    assert (code, answer["code"]) == (124, "TIMEOUT")
    assert "Ctrl-C ended it" in answer["error"]
    assert "begun" in answer["error"]
    await until(lambda: person.ask("pane_current_command") == "bash")
    assert script("run", "tues:0.0", "echo again")[1]["data"]["output"] == "again\n"


async def test_a_timeout_says_when_ctrl_c_did_not_help(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    with pytest.raises(RunTimeoutError, match="did not end it"):
        await caller("run", "tues", "bash -c 'trap : INT; while ! [ -e ~/stop ]; do sleep 0.1; done'", "--timeout", "1")
    assert person.ask("pane_current_command") == "bash"
    person.tmux("send-keys", "-t", person.pane, "C-\\")


async def test_who_asks_for_input_with_nobody_there_is_stopped(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    began = time.monotonic()
    code, answer = script("run", "tues:0.0", "python3 -c 'input(\"Name? \")'", "--timeout", "20")
    assert code != 0
    assert "nobody can answer" in answer["data"]["note"]
    assert "Name?" in answer["data"]["note"]
    assert time.monotonic() - began < 10


async def test_a_busy_pane_is_an_error_and_nothing_is_typed(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    person.type("sleep 100")
    person.press("Enter")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    code, answer = script("run", "tues:0.0", "echo no")
    assert (code, answer["code"]) == (75, "PANE_BUSY")
    assert "echo no" not in person.screen


async def test_a_command_that_ends_the_shell_has_its_code(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    await with_a_shell(tmux, session="other")
    code, answer = script("run", "tues:0.0", "exit 7")
    assert (code, answer["data"]["state"]) == (7, "dead")
    await until(lambda: tmux("list-sessions", "-F", "#{session_name}") == "other")


async def test_a_command_that_ends_the_last_session_has_its_code(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("run", "tues:0.0", "exit 7")
    assert (code, answer["data"]["state"]) == (7, "dead")


async def test_ctrl_c_on_the_command_line_is_passed_on(tmux: Tmux) -> None:
    person = await with_a_shell(tmux)
    process = await asyncio.create_subprocess_exec(PROGRAM, "run", "tues:0.0", "sleep 100")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    process.send_signal(signal.SIGINT)
    assert await process.wait() == 130
    assert person.ask("pane_current_command") == "bash"


async def test_a_notebooks_own_pane_stays_its_own(notebook: Caller) -> None:
    runner = notebook.context.runner
    result = await notebook("run", runner.record.main_pane, "echo mine")
    assert result.output == "mine\n"
    assert [shell.facts.id for shell in runner.shells] == [runner.record.main_pane]


async def test_a_pane_the_notebook_borrowed_before_stays_borrowed(tmux: Tmux, notebook: Caller) -> None:
    person = await with_a_shell(tmux)
    await notebook.context.shell(person.pane)
    await notebook("run", "tues", "true")
    assert person.pane in {shell.facts.id for shell in notebook.context.runner.shells}


async def test_of_several_callers_at_once_each_runs_or_is_told_that_the_pane_is_busy(
    tmux: Tmux, script: Script
) -> None:
    person = await with_a_shell(tmux)
    calls = [asyncio.to_thread(script, "run", "tues:0.0", f"echo ran {number}; sleep 0.5") for number in range(4)]
    answers = await asyncio.gather(*calls)
    ran = [answer["data"]["output"] for code, answer in answers if code == 0]
    refused = [answer["error"] for code, answer in answers if code == 75]
    assert len(ran) + len(refused) == 4
    assert ran
    assert all(output.startswith("ran ") for output in ran)
    assert all("busy" in error for error in refused)
    assert person.screen.count("ran ") == 2 * len(ran)
    assert script("run", "tues:0.0", "echo after")[1]["data"]["output"] == "after\n"

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.errors import CommandError, PaneBusyError, RunTimeoutError, UsageError


@pytest.mark.parametrize(
    ("name", "line", "output"),
    [
        ("python", "print(6 * 7)", "42\n"),
        ("sqlite3", "select 6 * 7;", "42\n"),
        ("bash", "echo $((6 * 7))", "42\n"),
    ],
)
async def test_a_program_is_started_talked_to_and_left(
    tmux: Tmux, caller: Caller, name: str, line: str, output: str
) -> None:
    person = await with_a_shell(tmux)
    assert (await caller("program", "status", name, "-t", "tues")).status == "absent"
    assert (await caller("program", "start", name, "-t", "tues")).status == "ready"
    for _ in range(5):
        assert (await caller("program", "send", name, line, "-t", "tues")).output == output
    assert (await caller("program", "status", name, "-t", "tues")).status == "ready"
    assert (await caller("program", "stop", name, "-t", "tues")).status == "absent"
    assert person.ask("pane_current_command") == "bash"


async def test_the_script_talks_to_a_program_over_several_calls(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    assert script("program", "start", "python", "-t", "tues:0.0")[0] == 0
    assert script("program", "send", "python", "x = 41", "-t", "tues:0.0")[1]["data"]["output"] == ""
    code, answer = script("program", "send", "python", "print(x + 1)", "-t", "tues:0.0")
    assert (code, answer["data"]["output"], answer["data"]["status"]) == (0, "42\n", "ready")
    assert script("program", "stop", "python", "-t", "tues:0.0")[1]["data"]["status"] == "absent"


async def test_several_lines_are_answered_together(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    await caller("program", "start", "python", "-t", "tues")
    said = await caller("program", "send", "python", "for i in range(3):\n    print(i)\n\nprint('end')", "-t", "tues")
    assert said.output == "0\n1\n2\nend\n"


async def test_a_program_that_takes_long_is_waited_for_and_busy_meanwhile(
    tmux: Tmux, caller: Caller, home: Path
) -> None:
    await with_a_shell(tmux)
    await caller("program", "start", "python", "-t", "tues")
    line = (
        "import os, time; _ = [time.sleep(0.05) for _ in iter(lambda: os.path.exists(os.environ['HOME'] + '/go'), 1)]"
    )
    saying = asyncio.create_task(caller("program", "send", "python", line, "-t", "tues"))
    async with asyncio.timeout(20):
        while (await caller("program", "status", "python", "-t", "tues")).status != "busy":
            await asyncio.sleep(0.01)
    assert not saying.done()
    (home / "go").touch()
    assert (await saying).status == "ready"


async def test_one_that_is_never_ready_again_is_a_timeout(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    await caller("program", "start", "python", "-t", "tues")
    with pytest.raises(RunTimeoutError, match="not ready"):
        await caller("program", "send", "python", "input()", "-t", "tues", "--timeout", "0.5")


async def test_a_program_that_does_not_start_is_told_with_what_it_said(tmux: Tmux, caller: Caller, home: Path) -> None:
    await with_a_shell(tmux)
    profiles = {"gone": {"command": "echo so s''orry; false", "ready": "never"}}
    own = Path(os.environ["TMUX_KERNEL_STATE"])
    own.mkdir(exist_ok=True)
    (own / "programs.json").write_text(json.dumps(profiles))
    with pytest.raises(CommandError, match="so sorry"):
        await caller("program", "start", "gone", "-t", "tues")


async def test_a_program_that_ends_while_talked_to_is_told(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    await caller("program", "start", "python", "-t", "tues")
    with pytest.raises(CommandError, match="ended"):
        await caller("program", "send", "python", "exit()", "-t", "tues")
    with pytest.raises(CommandError, match="does not run"):
        await caller("program", "send", "python", "1", "-t", "tues")


async def test_the_users_own_program_that_draws_its_screen(tmux: Tmux, caller: Caller, home: Path) -> None:
    await with_a_shell(tmux)
    script = home / "draw.sh"
    script.write_text(
        "printf '\\033[?1049h'; while :; do printf '\\033[2J\\033[Hsaid %s\\n> ' \"$x\"; read -r x || exit;"
        " printf '\\033[Hworking   '; sleep 0.2; done"
    )
    own = Path(os.environ["TMUX_KERNEL_STATE"])
    own.mkdir(exist_ok=True)
    profile = {"command": f"sh {script}", "ready": "^>", "busy": "^working", "processes": ["sh"], "draws": True}
    (own / "programs.json").write_text(json.dumps({"draw": profile}))
    await caller("program", "start", "draw", "-t", "tues")
    said = await caller("program", "send", "draw", "hello", "-t", "tues")
    assert said.output.startswith("said hello")


async def test_a_busy_pane_starts_nothing(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    person.type("sleep 100")
    person.press("Enter")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    with pytest.raises(PaneBusyError):
        await caller("program", "start", "python", "-t", "tues")


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"x": {"command": "x"}}', '{"x": {"command": "x", "ready": "("}}', '{"x": {"a": 1}}']
)
async def test_wrong_profiles_are_said_to_be_wrong(tmux: Tmux, caller: Caller, text: str) -> None:
    own = Path(os.environ["TMUX_KERNEL_STATE"])
    own.mkdir(exist_ok=True)
    (own / "programs.json").write_text(text)
    with pytest.raises(UsageError):
        await caller("program", "status", "x")


async def test_an_unknown_program_lists_those_there_are(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("program", "start", "emacs", "-t", "tues:0.0")
    assert code == 64
    assert "sqlite3" in answer["suggestion"]

from __future__ import annotations

import json
import platform

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.capabilities.definition import as_data


async def test_a_notebooks_pane_has_a_prompt_of_parts(notebook: Caller) -> None:
    pane = notebook.context.runner.record.main_pane
    await notebook("run", pane, "seq 3; (exit 4)")
    await notebook("wait", "rslt:4", "-t", pane)
    await notebook("wait", "--prompt", "-t", pane)
    state = await notebook("state")
    assert (state.prompt.exit_code, state.prompt.ready, state.mode) == (4, True, "bash")
    assert (state.screen.last_command, state.screen.output_lines) == ("seq 3; (exit 4)", 3)
    assert state.prompt.user == state.platform.user
    assert state.prompt.seq is not None
    assert json.loads(json.dumps(as_data(state)))["prompt"]["exit_code"] == 4


async def test_any_pane_has_a_state_and_nothing_is_typed(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    before = person.screen
    code, answer = script("state", "tues:0.0")
    data = answer["data"]
    assert code == 0
    assert (data["session"], data["pane"], data["mode"]) == ("tues", "tues:0.0", "bash")
    assert data["platform"]["os"] == platform.system()
    assert (data["prompt"]["ready"], data["prompt"]["seq"]) == (True, None)
    assert data["foreground"]["waits"] == "the shell is at its prompt"
    assert person.screen == before


async def test_what_a_program_waits_for_is_told(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await person.enters('python3 -c \'input("Na" + "me? ")\'', "\nName? ")
    await caller("wait", "^Name", "-t", "tues")
    states = []

    async def is_reading() -> bool:
        states.append(await caller("state", "tues"))
        return "reads a line" in states[-1].foreground.waits

    while not await is_reading():
        assert len(states) < 200
    assert (states[-1].mode, states[-1].prompt.ready) == ("bash", False)
    assert states[-1].foreground.program.startswith("python")


async def test_modes_are_told_apart(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    tmux("copy-mode", "-t", person.pane)
    assert (await caller("state", "tues")).mode == "copy"
    person.tmux("send-keys", "-t", person.pane, "-X", "cancel")
    person.type("less /etc/passwd")
    person.press("Enter")
    await until(lambda: person.ask("alternate_on") == "1")
    assert (await caller("state", "tues")).mode == "full-screen"
    person.press("q")
    await until(lambda: person.ask("alternate_on") == "0")
    tmux("set-option", "-p", "-t", person.pane, "remain-on-exit", "on")
    person.type("exit")
    person.press("Enter")
    await until(lambda: person.ask("pane_dead") == "1")
    assert (await caller("state", "tues")).mode == "dead"

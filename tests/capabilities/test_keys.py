from __future__ import annotations

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell


async def test_named_keys_are_pressed_and_other_words_typed(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("keys", "-t", "tues", "echo", "Space", "a''b", "Enter")
    await person.sees("\nab")


async def test_literal_words_are_never_keys(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("keys", "-t", "tues", "--literal", "echo ", "Enter")
    await person.sees("echo Enter")


async def test_a_running_command_is_interrupted_by_its_key(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    person.type("sleep 100")
    person.press("Enter")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    await caller("keys", "-t", "tues", "C-c")
    await until(lambda: person.ask("pane_current_command") == "bash")


async def test_words_with_a_dash_come_after_two_dashes(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    code, answer = script("keys", "-t", "tues:0.0", "--", "-x", "--json")
    assert (code, answer["data"]["keys"]) == (0, ["-x", "--json"])
    await person.sees("-x--json")


async def test_no_keys_are_a_usage_error(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("keys", "-t", "tues:0.0")
    assert (code, answer["code"]) == (64, "USAGE")


async def test_a_notebook_presses_keys_in_its_own_pane(tmux: Tmux, notebook: Caller) -> None:
    pressed = await notebook("keys", "x")
    assert pressed.pane == notebook.context.runner.record.main_pane

from __future__ import annotations

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell


async def test_text_is_typed_literally_and_entered(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    sent = await caller("send", "tues:0.0", "echo", "'Enter  C-c'", "$((40+2))")
    await person.sees("Enter  C-c 42")
    assert sent.command == "echo 'Enter  C-c' $((40+2))"
    assert sent.name == "tues:0.0"


async def test_without_enter_it_only_stands_there(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("send", "tues", "echo half", "--no-enter")
    await person.sees("echo half")
    person.press("Enter")
    await until(lambda: "\nhalf" in person.screen)


async def test_several_lines_are_all_run(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("send", "tues", "echo o''ne\necho t''wo")
    await person.sees("one\n")
    await person.sees("two\n")


async def test_clear_empties_the_screen_at_a_prompt_and_under_a_running_command(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await person.enters("echo o''ld", "old\n")
    await caller("send", "tues", "--clear", "cat")
    await until(lambda: "old" not in person.screen and "cat" in person.screen)
    await until(lambda: person.ask("pane_current_command") == "cat")
    await caller("send", "tues", "--clear", "new")
    await until(lambda: person.screen.split() == ["new", "new"])


async def test_copy_mode_is_left_alone(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    tmux("copy-mode", "-t", person.pane)
    code, answer = script("send", "tues:0.0", "echo no")
    assert (code, answer["code"]) == (75, "PANE_BUSY")
    assert "copy mode" in answer["error"]
    assert tmux("list-buffers") == ""
    tmux("send-keys", "-t", person.pane, "-X", "cancel")
    assert "echo no" not in person.screen


async def test_a_dead_pane_is_said_to_be_dead(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    tmux("set-option", "-p", "-t", person.pane, "remain-on-exit", "on")
    person.type("exit")
    person.press("Enter")
    await until(lambda: person.ask("pane_dead") == "1")
    code, answer = script("send", "tues:0.0", "echo no")
    assert code == 75
    assert "is dead" in answer["error"]


async def test_an_unknown_pane_lists_the_panes_there_are(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("send", "tues:7.7", "x")
    assert (code, answer["code"]) == (66, "PANE_NOT_FOUND")
    assert "tues:0.0" in answer["suggestion"]


async def test_the_script_sends(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    code, answer = script("send", "tues:0.0", "--", "echo", "-n", "a''b")
    assert (code, answer["data"]["command"]) == (0, "echo -n a''b")
    await person.sees("ab")

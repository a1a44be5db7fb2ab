from __future__ import annotations

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.errors import UsageError


async def test_a_secret_from_standard_input_reaches_a_password_prompt_and_nothing_else(
    tmux: Tmux, script: Script
) -> None:
    person = await with_a_shell(tmux)
    await person.enters("read -rsp 'Pass''word: ' secret; echo; echo got ${#secret}", "Password: ")
    code, answer = script("paste", "tues:0.0", "--enter", stdin="hunter2 $HOME\n")
    assert (code, answer["data"]["characters"]) == (0, 13)
    await person.sees("got 13")
    assert "hunter2" not in person.screen
    assert "hunter2" not in str(answer)
    assert tmux("list-buffers") == ""


async def test_a_refused_secret_is_left_in_no_buffer(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    tmux("copy-mode", "-t", person.pane)
    code, _answer = script("paste", "tues:0.0", stdin="hunter2")
    assert code == 75
    assert tmux("list-buffers") == ""


async def test_several_lines_stand_at_the_prompt_until_entered(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("paste", "tues", "--text", "echo o''ne\necho t''wo")
    await person.sees("echo t''wo")
    assert "\none" not in person.screen
    person.press("Enter")
    await until(lambda: "\none\ntwo\n" in person.screen)


async def test_a_notebook_gives_the_text_itself(notebook: Caller) -> None:
    with pytest.raises(UsageError, match="no standard input"):
        await notebook("paste")

from __future__ import annotations

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell


async def test_the_screen_is_its_lines_without_the_empty_end(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    await person.enters("clear; printf 'a\\n\\n  b\\n'", "  b\n")
    code, answer = script("screen", "tues:0.0")
    assert code == 0
    assert answer["data"]["lines"][:3] == ["a", "", "  b"]
    assert len(answer["data"]["lines"]) == 4
    assert script.say("screen", "tues:0.0")[1].startswith("a\n\n  b\n")


async def test_colours_only_when_asked_for(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await person.enters("printf '\\e[31mred''dish\\e[0m\\n'", "reddish")
    assert "\x1b" not in (await caller("screen", "tues")).text
    assert "\x1b[31mreddish" in (await caller("screen", "tues", "--ansi")).text


async def test_a_full_screen_program_is_seen(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    person.type("less /etc/passwd")
    person.press("Enter")
    await until(lambda: person.ask("alternate_on") == "1" and "root:" in person.screen)
    assert "root:" in (await caller("screen", "tues")).text


async def test_an_empty_screen_is_empty(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "tues", "cat")
    assert (await caller("screen", "tues")).text == ""

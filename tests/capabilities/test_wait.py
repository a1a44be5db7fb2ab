from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell
from tmux_kernel.errors import PaneNotFoundError, RunTimeoutError, UsageError


async def test_what_is_on_the_screen_is_found_at_once(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    await person.enters("echo a''b 12", "ab 12")
    code, answer = script("wait", r"^a\w \d+$", "-t", "tues:0.0")
    assert (code, answer["data"]["matched"], answer["data"]["line"]) == (0, "ab 12", "ab 12")


async def test_what_appears_later_is_told(tmux: Tmux, caller: Caller, home: Path) -> None:
    person = await with_a_shell(tmux)
    waiting = asyncio.create_task(caller("wait", "^ready$", "-t", "tues"))
    person.type("until [ -e ~/go ]; do sleep 0.05; done; echo rea''dy")
    person.press("Enter")
    await person.sees("done; echo")
    (home / "go").touch()
    assert (await waiting).matched == "ready"


async def test_a_full_screen_program_is_seen_too(tmux: Tmux, caller: Caller, home: Path) -> None:
    person = await with_a_shell(tmux)
    (home / "file").write_text("".join(f"line {number}\n" for number in range(100)))
    waiting = asyncio.create_task(caller("wait", "line 90", "-t", "tues"))
    person.type("less file")
    person.press("Enter")
    await until(lambda: person.ask("alternate_on") == "1" and "line 3" in person.screen)
    person.press("G")
    assert (await waiting).matched == "line 90"


async def test_a_prompt_is_waited_for(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    began = time.monotonic()
    await caller("send", "tues", "sleep 1.2; echo 'not yet $'")
    awaited = await caller("wait", "--prompt", "-t", "tues")
    assert time.monotonic() - began > 1.2
    assert awaited.line.rstrip()[-1] in "$#"


async def test_the_prompt_of_another_program_counts(tmux: Tmux, caller: Caller) -> None:
    await with_a_shell(tmux)
    await caller("send", "tues", "python3 -q")
    await caller("wait", "^>>>", "-t", "tues")
    assert (await caller("wait", "--prompt", "-t", "tues")).line == ">>>"


async def test_a_timeout_tells_the_last_lines(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    await person.enters("echo la''st words; sleep 100", "last words")
    code, answer = script("wait", "never", "-t", "tues:0.0", "--timeout", "0.3")
    assert (code, answer["code"]) == (124, "TIMEOUT")
    assert "last words" in answer["error"]
    assert script("wait", "--prompt", "-t", "tues:0.0", "--timeout", "0.3")[0] == 124


async def test_nothing_is_left_behind(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    with pytest.raises(RunTimeoutError):
        await caller("wait", "never", "-t", "tues", "--timeout", "0.1")
    assert person.ask("pane_pipe") == "0"
    await until(lambda: len(tmux("list-clients").splitlines()) == 1)


async def test_the_users_own_pipe_does_not_matter(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    tmux("pipe-pane", "-t", person.pane, "cat > /dev/null")
    waiting = asyncio.create_task(caller("wait", "^seen$", "-t", "tues"))
    await person.enters("echo se''en", "\nseen")
    assert (await waiting).matched == "seen"


async def test_a_pane_that_goes_away_is_said_to_be_gone(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    other = tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", person.pane, "echo here; read x; echo bye")
    await caller("wait", "here", "-t", other)
    waiting = asyncio.create_task(caller("wait", "never", "-t", other))
    tmux("send-keys", "-t", other, "Enter")
    with pytest.raises(PaneNotFoundError):
        await waiting


@pytest.mark.parametrize("words", [(), ("x", "--prompt"), ("(",)])
async def test_one_of_the_two_is_needed(caller: Caller, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        await caller("wait", *words)

from __future__ import annotations

import asyncio

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.capabilities.context import Context
from tmux_kernel.errors import LastPaneError, NotOursError, PaneNotFoundError
from tmux_kernel.runs.runner import Runner


async def test_a_pane_of_ours_is_killed(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "my session")).active_pane_id
    made = await caller("split", first, "--label", "db")
    gone = await caller("kill", "db")
    assert (gone.killed, gone.kind, gone.pane_id) == ("my session:0.1", "pane", made.pane_id)
    assert tmux("list-panes", "-s", "-t", "=my session", "-F", "#{pane_id}") == first
    with pytest.raises(PaneNotFoundError):
        await caller("kill", made.pane_id)


async def test_the_last_pane_of_a_session_stays_even_with_force(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    for words in ((), ("--force",), ("--window",)):
        with pytest.raises(LastPaneError):
            await caller("kill", first, *words)
    assert tmux("list-panes", "-s", "-t", "=mine", "-F", "#{pane_id}") == first


async def test_the_last_window_stays_however_many_panes_it_has(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    await caller("split", first)
    with pytest.raises(LastPaneError):
        await caller("kill", first, "--window")
    await caller("window", "--session", "mine")
    assert (await caller("kill", first, "--window")).killed == "mine:0"
    assert tmux("list-windows", "-t", "=mine", "-F", "#{window_index}") == "1"


async def test_a_windows_last_pane_goes_with_its_window(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    made = await caller("window", "--session", "mine")
    await caller("kill", made.pane_id)
    assert tmux("list-panes", "-s", "-t", "=mine", "-F", "#{pane_id}") == first


async def test_somebodys_pane_is_killed_only_by_force(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "tues", "cat")
    pane = tmux("split-window", "-t", "tues", "-P", "-F", "#{pane_id}", "cat")
    with pytest.raises(NotOursError):
        await caller("kill", pane)
    with pytest.raises(NotOursError):
        await caller("kill", pane, "--window")
    await caller("kill", pane, "--force")
    assert pane not in tmux("list-panes", "-s", "-t", "tues", "-F", "#{pane_id}").split()


async def test_two_callers_cannot_end_the_last_two_panes_between_them(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    second = (await caller("split", first)).pane_id
    runner = Runner.visiting(tmux.address)
    try:
        other = Caller(Context(runner))
        outcomes = await asyncio.gather(caller("kill", first), other("kill", second), return_exceptions=True)
    finally:
        await runner.close()
    assert sorted(type(item).__name__ for item in outcomes) == ["Killed", "LastPaneError"]
    assert len(tmux("list-panes", "-s", "-t", "=mine", "-F", "#{pane_id}").split()) == 1


async def test_a_notebook_kills_its_own_pane_and_goes_on(notebook: Caller) -> None:
    made = await notebook("split", "--label", "side")
    await notebook("kill", "side")
    assert made.pane_id not in [pane.id for pane in (await notebook("panes")).panes]
    assert (await (await notebook.context.runner.submit("true")).result()).status == 0


def test_the_script_says_why_not(tmux: Tmux, script: Script) -> None:
    tmux("new-session", "-d", "-s", "tues", "cat")
    code, answer = script("kill", "tues")
    assert (code, answer["code"]) == (77, "NOT_OURS") and "--force" in answer["suggestion"]
    script("init", "--session", "mine")
    code, answer = script("kill", "mine:0.0")
    assert (code, answer["code"]) == (77, "LAST_PANE") and "sessions --kill" in answer["suggestion"]
    tmux("kill-server")
    code, answer = script("kill", "mine:0.0")
    assert (code, answer["code"]) == (69, "TMUX_NOT_RUNNING")

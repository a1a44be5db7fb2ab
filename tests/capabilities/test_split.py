from __future__ import annotations

from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.errors import NoRoomError, PaneNotFoundError, UsageError


@pytest.fixture
async def pane(caller: Caller) -> str:
    """The one pane of a session of ours, 200x50."""
    return str((await caller("init", "--session", "mine")).active_pane_id)


async def test_horizontal_is_beside_and_vertical_is_below(tmux: Tmux, caller: Caller, pane: str) -> None:
    beside = await caller("split", pane, "-h", "--label", "db", "--size", "50")
    below = await caller("split", "db", "-v", "--size", "20%")
    assert (beside.pane, beside.label, beside.width, beside.height) == ("mine:0.1", "db", 50, 50)
    assert (below.pane, below.width) == ("mine:0.2", 50) and below.height == 10
    assert tmux("display-message", "-p", "-t", "=mine:", "#{pane_id}") == pane


async def test_below_is_the_default_and_the_directory_is_the_split_panes(
    tmux: Tmux, caller: Caller, tmp_path: Path
) -> None:
    first = await caller("init", "--session", "there", "--cwd", str(tmp_path))
    made = await caller("split", first.active_pane_id)
    assert (made.width, made.directory) == (200, str(tmp_path))
    other = tmp_path / "a b"
    other.mkdir()
    made = await caller("split", first.active_pane_id, "--cwd", str(other))
    assert tmux("display-message", "-p", "-t", made.pane_id, "#{pane_start_path}") == str(other)


@pytest.mark.parametrize("words", [("-h", "-v"), ("--size", "big"), ("--size", "0"), ("--cwd", "/no/such")])
async def test_what_makes_no_sense_makes_no_pane(tmux: Tmux, caller: Caller, pane: str, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        await caller("split", pane, *words)
    assert tmux("list-panes", "-t", "=mine:", "-F", "#{pane_id}") == pane


async def test_no_room_is_said(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "small", "-x", "10", "-y", "2", "cat")
    with pytest.raises(NoRoomError):
        await caller("split", "small:0.0")


async def test_a_vanished_pane_is_an_error_that_lists_those_there_are(tmux: Tmux, caller: Caller, pane: str) -> None:
    made = await caller("split", pane)
    tmux("kill-pane", "-t", made.pane_id)
    with pytest.raises(PaneNotFoundError):
        await caller("split", made.pane_id)


async def test_a_notebooks_new_pane_runs_cells(notebook: Caller) -> None:
    made = await notebook("split", "-h", "--label", "side")
    run = await notebook.context.runner.submit("echo $((6*7))", "side")
    assert (await run.result()).status == 0
    assert run.pane == made.pane_id


def test_the_script_splits_with_h(tmux: Tmux, script: Script) -> None:
    script("init", "--session", "mine")
    code, answer = script("split", "-h", "mine:0.0", "--label", "db")
    assert (code, answer["data"]["label"]) == (0, "db")
    code, answer = script("split", "nobody")
    assert (code, answer["code"]) == (66, "SESSION_NOT_FOUND")

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.capabilities.layout import LAYOUTS
from tmux_kernel.errors import NoRoomError, UsageError


@pytest.fixture
async def pane(tmux: Tmux, caller: Caller) -> str:
    """A pane of a window of four."""
    pane = str((await caller("init", "--session", "mine")).active_pane_id)
    await caller("grid", "4", pane)
    return pane


@pytest.mark.parametrize("name", LAYOUTS)
async def test_tmuxs_layouts_are_applied_by_name(tmux: Tmux, caller: Caller, pane: str, name: str) -> None:
    done = await caller("layout", name, "--target", pane)
    tmux("select-layout", "-t", pane, name)
    assert done.layout == tmux("display-message", "-p", "-t", pane, "#{window_layout}")


async def test_a_saved_layout_comes_back(tmux: Tmux, caller: Caller, pane: str) -> None:
    tmux("resize-pane", "-t", pane, "-x", "33")
    before = tmux("display-message", "-p", "-t", pane, "#{window_layout}")
    await caller("layout", "save", "my/own layout", "--target", pane)
    await caller("layout", "even-vertical", "--target", pane)
    assert tmux("display-message", "-p", "-t", pane, "#{window_layout}") != before
    back = await caller("layout", "restore", "my/own layout", "-t", pane)
    assert back.layout == before == tmux("display-message", "-p", "-t", pane, "#{window_layout}")


async def test_saved_layouts_are_private(caller: Caller, pane: str) -> None:
    await caller("layout", "save", "../x", "--target", pane)
    (file,) = Path(os.environ["TMUX_KERNEL_STATE"], "layouts").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700


async def test_a_layout_for_other_panes_is_refused_and_changes_nothing(tmux: Tmux, caller: Caller, pane: str) -> None:
    await caller("layout", "save", "four", "--target", pane)
    await caller("split", pane)
    before = tmux("display-message", "-p", "-t", pane, "#{window_layout}")
    with pytest.raises(NoRoomError):
        await caller("layout", "restore", "four", "--target", pane)
    assert tmux("display-message", "-p", "-t", pane, "#{window_layout}") == before


@pytest.mark.parametrize("words", [("spiral",), ("save",), ("restore",), ("tiled", "x"), ("restore", "never saved")])
async def test_a_layout_that_is_not_there_is_an_error_that_says_what_is(
    caller: Caller, pane: str, words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as caught:
        await caller("layout", *words, "--target", pane)
    assert caught.value.suggestion


def test_the_script_applies_a_layout_to_its_own_session(tmux: Tmux, script: Script) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    code, answer = script("layout", "tiled")
    assert code == 0 and answer["data"]["window"].startswith("tk-")

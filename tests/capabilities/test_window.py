from __future__ import annotations

from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.errors import SessionNotFoundError, UsageError


async def test_windows_come_after_those_there_are(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    await caller("init", "--session", "mine")
    first = await caller("window", "web server", "--session", "mine", "--cwd", str(tmp_path), "--label", "web")
    second = await caller("window", "#S", "--session", "mine")
    assert (first.window, first.name, first.pane, first.label) == (1, "web server", "mine:1.0", "web")
    assert (second.window, second.name, second.pane) == (2, "#S", "mine:2.0")
    assert tmux("display-message", "-p", "-t", first.pane_id, "#{pane_start_path}") == str(tmp_path)
    assert tmux("display-message", "-p", "-t", "=mine:", "#{window_index}") == "0"


async def test_base_indexes_of_one_do_not_matter(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    tmux("set-option", "-g", "base-index", "1")
    tmux("set-option", "-g", "pane-base-index", "1")
    await caller("init", "--session", "mine")
    assert (await caller("window", "--session", "mine")).pane == "mine:1.0"
    tmux("new-session", "-d", "-s", "counted", "cat")
    assert (await caller("window", "--session", "counted")).pane == "counted:2.1"


async def test_without_a_session_of_ours_one_is_made_and_nobodys_is_touched(
    tmux: Tmux, caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmux("new-session", "-d", "-s", "theirs", "cat")
    made = await caller("window", "new")
    assert made.pane.startswith("tk-") and made.window == 1
    assert tmux("list-windows", "-t", "=theirs", "-F", "#{window_index}") == "0"


async def test_a_session_that_is_gone_is_an_error_that_lists_those_there_are(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    with pytest.raises(SessionNotFoundError) as caught:
        await caller("window", "--session", "gone")
    assert caught.value.sessions == ("theirs",)


async def test_a_directory_that_is_not_there_makes_no_window(tmux: Tmux, caller: Caller) -> None:
    await caller("init", "--session", "mine")
    with pytest.raises(UsageError):
        await caller("window", "--session", "mine", "--cwd", "/no/such/place")
    assert tmux("list-windows", "-t", "=mine", "-F", "#{window_index}") == "0"


async def test_in_a_notebook_it_goes_to_the_notebooks_session(notebook: Caller) -> None:
    made = await notebook("window", "more")
    assert made.pane == f"{notebook.context.session}:1.0"


def test_the_script_finds_its_directorys_session_again(tmux: Tmux, script: Script) -> None:
    session = script("init")[1]["data"]["session"]
    tmux("new-session", "-d", "-s", "theirs", "cat")
    assert script("window", "w")[1]["data"]["pane"] == f"{session}:1.0"

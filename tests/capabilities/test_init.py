from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.capabilities.context import Context
from tmux_kernel.errors import SessionExistsError, UsageError
from tmux_kernel.runs.runner import Runner
from tmux_kernel.tmux.session import session_of_directory


async def test_init_starts_a_server_and_makes_the_directorys_session(
    tmux: Tmux, caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    monkeypatch.chdir(project)
    made = await caller("init")
    name = session_of_directory(str(project), tmux.socket)
    assert name.startswith("tk-my-project-") and len(name) == len("tk-my-project-") + 8
    assert (made.session, made.is_new, made.active_pane) == (name, True, f"{name}:0.0")
    assert [(window.index, window.panes) for window in made.windows] == [(0, 1)]
    assert tmux("display-message", "-p", "-t", f"={name}:", "#{pane_start_path}") == str(project)
    assert tmux("show-options", "-v", "-t", f"={name}:", "@tmux_kernel")


async def test_init_again_changes_nothing(tmux: Tmux, caller: Caller) -> None:
    first = await caller("init", "--session", "mine")
    await caller("split", first.active_pane_id)
    again = await caller("init", "--session", "mine")
    assert (again.is_new, again.active_pane_id) == (False, first.active_pane_id)
    assert [window.panes for window in again.windows] == [2]
    assert tmux("list-sessions", "-F", "#{session_name}") == "mine"


async def test_a_session_of_somebody_is_not_taken(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "tues", "cat")
    with pytest.raises(SessionExistsError):
        await caller("init", "--session", "tues")
    assert tmux("show-options", "-v", "-t", "=tues:", "@tmux_kernel") == ""


@pytest.mark.parametrize("name", ["my session", 'it\'s "x"', "50 %H #{pid}", "é 😀", "12", "a;", "v1.2:x"])
async def test_a_session_may_have_nearly_any_name(tmux: Tmux, caller: Caller, name: str) -> None:
    made = await caller("init", "--session", name)
    assert made.session == name.replace(".", "_").replace(":", "_")
    assert tmux("list-sessions", "-F", "#{session_name}") == made.session
    assert not (await caller("init", "--session", name)).is_new


@pytest.mark.parametrize("name", ["$1", "=x", "a\tb"])
async def test_a_name_that_tmux_would_misread_is_refused(caller: Caller, name: str) -> None:
    with pytest.raises(UsageError):
        await caller("init", f"--session={name}")


async def test_a_directory_that_is_not_there_is_refused(caller: Caller, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await caller("init", "--cwd", str(tmp_path / "gone"))


async def test_a_directory_named_like_a_format_is_taken_literally(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    odd = tmp_path / "#{pid} #S"
    odd.mkdir()
    made = await caller("init", "--session", "odd", "--cwd", str(odd))
    assert tmux("display-message", "-p", "-t", made.active_pane_id, "#{pane_start_path}") == str(odd)


async def test_two_callers_at_once_make_one_session(tmux: Tmux) -> None:
    runners = [Runner.visiting(tmux.address) for _ in range(4)]
    try:
        made = await asyncio.gather(*(Caller(Context(runner))("init", "--session", "both") for runner in runners))
    finally:
        for runner in runners:
            await runner.close()
    assert sorted(item.is_new for item in made) == [False, False, False, True]
    assert tmux("list-sessions", "-F", "#{session_name}") == "both"


async def test_our_session_counts_from_zero_whatever_the_configuration_says(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "other", "cat")
    tmux("set-option", "-g", "base-index", "1")
    tmux("set-option", "-g", "pane-base-index", "1")
    made = await caller("init", "--session", "mine")
    assert made.active_pane == "mine:0.0"


async def test_in_a_notebook_it_is_the_notebooks_session(notebook: Caller) -> None:
    made = await notebook("init")
    assert (made.session, made.is_new) == (notebook.context.session, False)


def test_the_script_starts_a_server_when_none_runs(tmux: Tmux, script: Script) -> None:
    code, answer = script("init", "--session", "made here")
    assert code == 0 and answer["success"]
    assert answer["data"]["session"] == "made here"
    assert answer["data"]["windows"][0]["panes"] == 1
    code, answer = script("init", "--session", "made here")
    assert (code, answer["data"]["is_new"]) == (0, False)
    tmux("new-session", "-d", "-s", "theirs", "cat")
    code, answer = script("init", "--session", "theirs")
    assert (code, answer["code"]) == (73, "SESSION_EXISTS") and answer["suggestion"]

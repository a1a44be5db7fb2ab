"""snapshot and restore: a session on file and back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.capabilities.context import Context
from tmux_kernel.errors import NoRoomError, NotOursError, SessionExistsError, SessionNotFoundError, UsageError
from tmux_kernel.runs.runner import Runner

SHAPE = "#{window_index} #{window_name} #{window_active} #{pane_index} #{pane_active} #{@tmux_kernel_label} "
SHAPE += "#{pane_start_path} #{pane_width}x#{pane_height}+#{pane_left}+#{pane_top} #{pane_synchronized}"


def names(tmux: Tmux) -> list[str]:
    return sorted(tmux("list-sessions", "-F", "#{session_name}").splitlines())


def shape(tmux: Tmux, session: str) -> list[str]:
    return tmux("list-panes", "-s", "-t", f"={session}", "-F", SHAPE).splitlines()


@pytest.fixture
async def busy_session(tmux: Tmux, caller: Caller, tmp_path: Path) -> str:
    """Two named windows and five panes, labels, directories, an odd layout; the second window is on top."""
    for name in ("a b", "c"):
        (tmp_path / name).mkdir()
    name = "my work"
    first = await caller("init", "--session", name, "--cwd", str(tmp_path))
    tmux("rename-window", "-t", first.active_pane_id, "main #S")
    await caller("split", first.active_pane_id, "-h", "--label", "production db", "--cwd", str(tmp_path / "a b"))
    await caller("split", first.active_pane_id, "--size", "11")
    await caller("window", "logs", "--session", name, "--cwd", str(tmp_path / "c"), "--label", "log")
    await caller("split", "log", "--cwd", str(tmp_path / "c"))
    await caller("sync", "on", "log")
    await caller("select", "log")
    # tmux reads a pane's directory from its process, which may not be there yet
    at_home = "#{==:#{pane_current_path},#{pane_start_path}}"
    await until(lambda: "0" not in tmux("list-panes", "-s", "-t", f"={name}", "-F", at_home), "the shells are there")
    return name


async def test_a_session_comes_back_as_it_was(tmux: Tmux, caller: Caller, busy_session: str, tmp_path: Path) -> None:
    before = shape(tmux, busy_session)
    file = tmp_path / "it.json"
    kept = await caller("snapshot", str(file), "--session", busy_session)
    assert (kept.windows, kept.panes) == (2, 5)
    assert file.stat().st_mode & 0o777 == 0o600
    tmux("kill-server")
    await caller.context.runner.connection.lost
    back = await caller("restore", str(file))
    assert (back.session.session, back.warnings) == (busy_session, [])
    assert shape(tmux, busy_session) == before
    assert names(tmux) == [busy_session]


async def test_a_session_that_is_there_is_not_touched_unless_replaced(
    tmux: Tmux, caller: Caller, busy_session: str, tmp_path: Path
) -> None:
    before = shape(tmux, busy_session)
    await caller("snapshot", str(tmp_path / "it"), "--session", busy_session)
    panes = tmux("list-panes", "-a", "-F", "#{pane_id}")
    with pytest.raises(SessionExistsError):
        await caller("restore", str(tmp_path / "it"))
    assert tmux("list-panes", "-a", "-F", "#{pane_id}") == panes
    for _ in range(2):
        await caller("restore", str(tmp_path / "it"), "--replace")
        assert shape(tmux, busy_session) == before
    assert not set(tmux("list-panes", "-a", "-F", "#{pane_id}").split()) & set(panes.split())
    assert names(tmux) == [busy_session]
    await caller("restore", str(tmp_path / "it"), "--session", "copy")
    assert shape(tmux, "copy") == before


async def test_somebodys_session_is_never_replaced(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    await caller("snapshot", str(tmp_path / "it"), "--session", "theirs")
    panes = tmux("list-panes", "-a", "-F", "#{pane_id}")
    with pytest.raises(NotOursError):
        await caller("restore", str(tmp_path / "it"), "--replace")
    assert tmux("list-panes", "-a", "-F", "#{pane_id}") == panes


async def test_a_notebook_does_not_replace_the_session_it_runs_in(notebook: Caller, tmp_path: Path) -> None:
    await notebook("snapshot", str(tmp_path / "it"))
    with pytest.raises(NotOursError):
        await notebook("restore", str(tmp_path / "it"), "--replace")
    await notebook("restore", str(tmp_path / "it"), "--session", "copy")
    assert (await (await notebook.context.runner.submit("true")).result()).status == 0


async def test_of_two_callers_at_once_one_builds_it(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    await caller("init", "--session", "base")
    await caller("snapshot", str(tmp_path / "it"), "--session", "base")
    runners = [Runner.visiting(tmux.address) for _ in range(3)]
    words = ("restore", str(tmp_path / "it"), "--session", "both")
    try:
        done = await asyncio.gather(*(Caller(Context(runner))(*words) for runner in runners), return_exceptions=True)
    finally:
        for runner in runners:
            await runner.close()
    assert sorted(type(item).__name__ for item in done) == ["Restored", "SessionExistsError", "SessionExistsError"]
    assert names(tmux) == ["base", "both"]


async def test_200_panes_come_back(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    first = (await caller("init", "--session", "many")).active_pane_id
    tmux("set-option", "-g", "default-command", "cat")
    await caller("grid", "100", first, "--label", "a")
    second = (await caller("window", "more", "--session", "many")).pane_id
    await caller("grid", "100", second, "--label", "b")
    assert (await caller("snapshot", str(tmp_path / "it"), "--session", "many")).panes == 200
    labels = [pane.label for pane in (await caller("panes", "many")).panes]
    await caller("restore", str(tmp_path / "it"), "--replace")
    assert [pane.label for pane in (await caller("panes", "many")).panes] == labels


async def test_a_directory_that_is_gone_is_said(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    window = {"name": "w", "layout": "", "is_active": True, "is_synchronized": False}
    pane = {"directory": str(gone), "label": "", "is_active": True, "running": "bash"}
    whole = {"version": 1, "session": "s", "width": 80, "height": 24, "windows": [{**window, "panes": [pane]}]}
    (tmp_path / "it").write_text(json.dumps(whole))
    back = await caller("restore", str(tmp_path / "it"))
    assert str(gone) in back.warnings[0] and str(gone) in back.text
    assert tmux("display-message", "-p", "-t", "=s:", "#{pane_start_path}") == str(tmp_path)


async def test_what_has_no_room_leaves_nothing(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    window = {"name": "w", "layout": "", "is_active": True, "is_synchronized": False}
    pane = {"directory": "/", "label": "", "is_active": False, "running": ""}
    whole = {"version": 1, "session": "s", "width": 9, "height": 3, "windows": [{**window, "panes": [pane] * 40}]}
    (tmp_path / "it").write_text(json.dumps(whole))
    with pytest.raises(NoRoomError):
        await caller("restore", str(tmp_path / "it"))
    assert names(tmux) == ["theirs"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "windows": [{"x": 1}]}'])
async def test_what_is_no_snapshot_is_refused(tmux: Tmux, caller: Caller, tmp_path: Path, text: str) -> None:
    (tmp_path / "it").write_text(text)
    with pytest.raises(UsageError):
        await caller("restore", str(tmp_path / "it"))
    assert names(tmux) == []


async def test_a_vanished_session_has_no_snapshot(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    with pytest.raises(SessionNotFoundError):
        await caller("snapshot", str(tmp_path / "it"), "--session", "gone")
    assert not (tmp_path / "it").exists()


def test_the_script_restores_with_no_server_running(tmux: Tmux, script: Script, tmp_path: Path) -> None:
    script("init", "--session", "s")
    assert script("snapshot", str(tmp_path / "it"), "--session", "s")[0] == 0
    tmux("kill-server")
    assert script("restore", str(tmp_path / "it"))[1]["data"]["session"]["session"] == "s"
    code, answer = script("restore", str(tmp_path / "it"))
    assert (code, answer["code"]) == (73, "SESSION_EXISTS")
    assert script("snapshot", "/no/such/place/it", "--session", "s")[0] == 64

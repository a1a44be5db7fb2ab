from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.capabilities.context import Context
from tmux_kernel.errors import CommandError, SessionExistsError, UsageError
from tmux_kernel.runs.runner import Runner

DESCRIPTION = """
session_name: my project
start_directory: ./
environment:
  STAGE: test stage
options:
  history-limit: 4321
shell_command_before: echo before-$STAGE
windows:
  - window_name: editor
    layout: main-horizontal
    options:
      main-pane-height: 31
    start_directory: src
    panes:
      - blank
      - shell_command:
          - echo one-$((40+2))
          - cmd: echo two-$((40+3))
        focus: true
        title: second pane
      - start_directory: deep
        shell_command: echo here-$PWD
  - window_name: logs
    focus: true
    panes:
      - label: log
        environment: {STAGE: logs}
"""


def names(tmux: Tmux) -> list[str]:
    return sorted(tmux("list-sessions", "-F", "#{session_name}").splitlines())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    file = tmp_path / "project.yaml"
    file.write_text(DESCRIPTION)
    return file


async def test_the_session_is_as_described(tmux: Tmux, caller: Caller, file: Path, tmp_path: Path) -> None:
    built = await caller("workspace", str(file))
    assert (built.session.session, built.session.is_new, built.warnings) == ("my project", True, [])
    assert [(window.name, window.panes) for window in built.session.windows] == [("editor", 3), ("logs", 1)]
    assert built.session.active_pane == "my project:1.0"
    panes = {pane.label: pane for pane in (await caller("panes", "my project")).panes}
    assert set(panes) == {"", "second pane", "log"}
    first = tmux("list-panes", "-t", "my project:0", "-F", "#{pane_start_path} #{pane_active} #{pane_height}")
    src = tmp_path / "src"
    rows = [row.rsplit(" ", 2) for row in first.splitlines()]
    assert [(path, active) for path, active, _ in rows] == [(str(src), "0"), (str(src), "1"), (f"{src}/deep", "0")]
    assert rows[0][2] == "31"
    assert tmux("show-options", "-v", "-t", "=my project:", "history-limit") == "4321"


async def test_what_is_to_be_typed_is_typed_in_its_pane(tmux: Tmux, caller: Caller, file: Path) -> None:
    await caller("workspace", str(file))

    def shows(pane: str, *texts: str) -> bool:
        screen = tmux("capture-pane", "-p", "-J", "-t", f"=my project:{pane}")
        return all(text in screen for text in texts)

    await until(lambda: shows("0.0", "\nbefore-test stage"), "the session's command is typed everywhere")
    await until(lambda: shows("0.1", "\nbefore-test stage", "\none-42", "\ntwo-43"), "the pane's own come after")
    await until(lambda: shows("0.2", f"\nhere-{file.parent}/src/deep"), "in the pane's directory")
    await until(lambda: shows("1.0", "\nbefore-logs"), "with the pane's environment")


async def test_run_twice_it_is_one_session_and_nothing_is_typed_again(
    tmux: Tmux, caller: Caller, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    text = f"session_name: once\nwindows: [{{panes: ['echo x >> {marks}; tmux wait-for -S typed']}}]"
    await caller("workspace", "--text", text)
    await asyncio.to_thread(tmux, "wait-for", "typed")
    panes = tmux("list-panes", "-a", "-F", "#{pane_id}")
    again = await caller("workspace", "--text", text)
    assert not again.session.is_new
    assert tmux("list-panes", "-a", "-F", "#{pane_id}") == panes
    assert marks.read_text() == "x\n"
    assert "wait-for" in tmux("capture-pane", "-p", "-J", "-t", "=once:")
    assert tmux("capture-pane", "-p", "-J", "-t", "=once:").count("echo x >>") <= 2  # echoed, and at the prompt


async def test_callers_at_once_build_one_and_type_once(tmux: Tmux, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    text = f"session_name: both\nwindows: [{{panes: ['echo x >> {marks}; tmux wait-for -S typed', blank]}}]"
    runners = [Runner.visiting(tmux.address) for _ in range(4)]
    try:
        built = await asyncio.gather(*(Caller(Context(each))("workspace", "--text", text) for each in runners))
    finally:
        for runner in runners:
            await runner.close()
    assert sorted(item.session.is_new for item in built) == [False, False, False, True]
    await asyncio.to_thread(tmux, "wait-for", "typed")
    assert names(tmux) == ["both"] and marks.read_text() == "x\n"
    assert tmux("display-message", "-p", "-t", "=both:", "#{window_panes}") == "2"


async def test_keys_that_are_not_understood_are_said_with_their_place(tmux: Tmux, caller: Caller) -> None:
    description = {
        "session_name": "odd",
        "before_script": "./x",
        "windows": [{"window_shell": "sh", "panes": [{"shell_command": [], "sleep_before": 3}]}],
    }
    built = await caller("workspace", "--text", json.dumps(description))
    assert built.session.is_new
    places = [warning.split(" ")[0] for warning in built.warnings]
    assert places == ["before_script", "windows[0].window_shell", "windows[0].panes[0].sleep_before"]
    assert all(warning in built.text for warning in built.warnings)


async def test_a_directory_that_is_not_there_is_said(tmux: Tmux, caller: Caller, tmp_path: Path) -> None:
    text = f"session_name: s\nstart_directory: {tmp_path}/gone\nwindows: [{{}}]"
    built = await caller("workspace", "--text", text)
    assert len(built.warnings) == 1 and "gone" in built.warnings[0]
    assert tmux("display-message", "-p", "-t", "=s:", "#{pane_start_path}") == str(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["{", "- a", "session_name: x", "windows: [{}]", "session_name: x\nwindows: 3", "session_name: x\nwindows: [3]",
     "session_name: x\nwindows: [{panes: [3]}]", "session_name: x\noptions: 3\nwindows: [{}]"],
)  # fmt: skip
async def test_what_makes_no_sense_is_refused_and_builds_nothing(tmux: Tmux, caller: Caller, text: str) -> None:
    with pytest.raises(UsageError):
        await caller("workspace", "--text", text)
    assert names(tmux) == []


async def test_an_option_tmux_refuses_leaves_nothing(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    with pytest.raises(CommandError):
        await caller("workspace", "--text", "session_name: x\noptions: {no-such: 1}\nwindows: [{}]")
    assert names(tmux) == ["theirs"]


async def test_somebodys_session_of_that_name_is_not_touched(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    with pytest.raises(SessionExistsError):
        await caller("workspace", "--text", "session_name: theirs\nwindows: [{panes: [ls, ls]}]")
    assert tmux("display-message", "-p", "-t", "=theirs:", "#{window_panes}") == "1"


async def test_base_indexes_of_one_do_not_matter(tmux: Tmux, caller: Caller, file: Path) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    tmux("set-option", "-g", "base-index", "1")
    tmux("set-option", "-g", "pane-base-index", "1")
    built = await caller("workspace", str(file))
    assert [window.index for window in built.session.windows] == [0, 1]
    assert built.session.active_pane == "my project:1.0"


async def test_a_notebook_builds_one_beside_its_own(notebook: Caller, file: Path) -> None:
    assert (await notebook("workspace", str(file))).session.is_new
    assert (await (await notebook.context.runner.submit("true", "log")).result()).status == 0


def test_the_script_builds_it_with_no_server_running(tmux: Tmux, script: Script, file: Path) -> None:
    code, answer = script("workspace", str(file))
    assert code == 0 and answer["data"]["session"]["is_new"]
    assert not script("workspace", str(file))[1]["data"]["session"]["is_new"]
    assert names(tmux) == ["my project"]
    code, answer = script("workspace", str(file.with_name("gone.yaml")))
    assert (code, answer["code"]) == (64, "USAGE")

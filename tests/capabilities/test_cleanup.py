from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.capabilities.cleanup import seconds
from tmux_kernel.errors import UsageError


@pytest.fixture
def person(tmux: Tmux) -> Iterator[None]:
    """A terminal attached to the session `watched`, which is ours."""
    tmux("new-session", "-d", "-s", "watched", "cat")
    tmux("set-option", "-t", "watched", "@tmux_kernel", "1")
    outer, inner = pty.openpty()
    line = ["tmux", "-L", tmux.socket, "attach-session", "-t", "watched"]
    process = subprocess.Popen(
        line, stdin=inner, stdout=inner, stderr=inner, env={**os.environ, "TERM": "xterm"}, start_new_session=True
    )
    yield
    process.kill()
    process.wait()
    os.close(outer)
    os.close(inner)


def names(tmux: Tmux) -> list[str]:
    return sorted(tmux("list-sessions", "-F", "#{session_name}").splitlines())


def leftover(session: str, server_pid: int, *, held_by: int = 0) -> Path:
    """What a kernel that is gone left behind."""
    path = Path(os.environ["TMUX_KERNEL_STATE"], "sessions", f"left-{session}-{server_pid}")
    path.mkdir(parents=True)
    record = {"session": session, "server_pid": server_pid, "main_pane": "%0", "panes": {}}
    (path / "session.json").write_text(json.dumps(record))
    if held_by:
        (path / f"flight-{held_by}.json").write_text("{}")
    return path


def ended_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.parametrize(("age", "expected"), [("90s", 90), ("24h", 86400), ("7d", 604800), ("5", 5), ("0.5m", 30)])
def test_an_age_has_a_unit(age: str, expected: float) -> None:
    assert seconds(age) == expected


@pytest.mark.parametrize("age", ["", "long", "-3h", "3 years"])
async def test_what_is_no_age_is_refused(caller: Caller, age: str) -> None:
    with pytest.raises(UsageError):
        await caller("cleanup", f"--older-than={age}")


async def test_young_sessions_and_files_stay(tmux: Tmux, caller: Caller) -> None:
    await caller("init", "--session", "mine")
    path = leftover("gone", ended_pid())
    done = await caller("cleanup")
    assert (done.sessions, done.directories, done.kept) == ([], [], ["mine"])
    assert names(tmux) == ["mine"] and path.exists()


async def test_old_sessions_of_ours_go_and_nobody_elses(tmux: Tmux, caller: Caller, person: None) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    for name in ("one", "two words", "three"):
        await caller("init", "--session", name)
    await until(lambda: tmux("list-clients", "-t", "watched") != "", "the person is attached")
    planned = await caller("cleanup", "--older-than", "0s", "--dry-run")
    assert planned.sessions == ["one", "three", "two words"] and len(names(tmux)) == 5
    done = await caller("cleanup", "--older-than", "0s")
    assert (done.sessions, done.kept) == (["one", "three", "two words"], ["watched"])
    assert names(tmux) == ["theirs", "watched"]


async def test_a_kernels_session_stays_while_the_kernel_lives(tmux: Tmux, notebook: Caller, caller: Caller) -> None:
    done = await caller("cleanup", "--older-than", "0s")
    assert (done.sessions, done.directories) == ([], [])
    assert (await notebook("cleanup", "--older-than", "0s")).kept == [notebook.context.session]
    assert (await (await notebook.context.runner.submit("true")).result()).status == 0


async def test_leftover_files_go_when_their_session_is_no_more(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "mine", "cat")
    tmux("set-option", "-t", "mine", "@tmux_kernel", "1")
    server = int(tmux("display-message", "-p", "#{pid}"))
    orphan = leftover("gone", server)
    dead = leftover("anything", ended_pid())
    elsewhere = leftover("elsewhere", os.getpid())
    held = leftover("held", ended_pid(), held_by=os.getpid())
    planned = await caller("cleanup", "--older-than", "0s", "--dry-run")
    assert set(planned.directories) == {str(orphan), str(dead)} and orphan.exists()
    done = await caller("cleanup", "--older-than", "0s")
    assert set(done.directories) == {str(orphan), str(dead)}
    assert not orphan.exists() and not dead.exists() and elsewhere.exists() and held.exists()


def test_the_script_cleans_up_files_without_a_server(tmux: Tmux, script: Script) -> None:
    path = leftover("gone", ended_pid())
    code, answer = script("cleanup", "--older-than", "0s")
    assert (code, answer["data"]["directories"]) == (0, [str(path)])
    assert script.say("cleanup") == (0, "Nothing to clean up.\n", "")

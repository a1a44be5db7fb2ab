from __future__ import annotations

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.errors import NotOursError


def names(tmux: Tmux) -> list[str]:
    return sorted(tmux("list-sessions", "-F", "#{session_name}").splitlines())


async def test_sessions_say_whose_they_are(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs and mine", "cat")
    await caller("init", "--session", "mine")
    await caller("window", "--session", "mine")
    listed = (await caller("sessions")).sessions
    assert [(item.name, item.windows, item.is_ours) for item in listed] == [
        ("mine", 2, True),
        ("theirs and mine", 1, False),
    ]
    assert [item.name for item in (await caller("sessions", "--ours")).sessions] == ["mine"]
    assert [item.people for item in listed] == [0, 0]


async def test_only_our_sessions_are_killed_without_force(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    await caller("init", "--session", "mine")
    with pytest.raises(NotOursError):
        await caller("sessions", "--kill", "theirs")
    done = await caller("sessions", "--kill", "mine")
    assert (done.killed, [item.name for item in done.sessions]) == (["mine"], ["theirs"])
    assert names(tmux) == ["theirs"]


async def test_a_session_that_is_gone_is_killed_already(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    assert (await caller("sessions", "--kill", "gone")).killed == []
    assert (await caller("sessions", "--kill", "the")).killed == []
    assert names(tmux) == ["theirs"]


async def test_the_session_we_look_from_can_be_killed(tmux: Tmux, caller: Caller) -> None:
    await caller("init", "--session", "only")
    assert (await caller("sessions", "--kill", "only")).killed == ["only"]
    await until(lambda: names(tmux) == [], "the server is empty")


async def test_force_kills_somebodys_session(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    tmux("new-session", "-d", "-s", "other", "cat")
    assert (await caller("sessions", "--kill", "theirs", "--force")).killed == ["theirs"]
    assert names(tmux) == ["other"]


def test_the_script_without_a_server_lists_none(tmux: Tmux, script: Script) -> None:
    assert script("sessions") == (0, {"success": True, "data": {"sessions": [], "killed": []}})
    assert script.say("sessions") == (0, "There are no sessions.\n", "")
    assert script("sessions", "--kill", "x")[0] == 0


def test_the_script_says_when_a_session_is_not_ours(tmux: Tmux, script: Script) -> None:
    tmux("new-session", "-d", "-s", "theirs", "cat")
    code, answer = script("sessions", "--kill", "theirs")
    assert (code, answer["code"]) == (77, "NOT_OURS")

from __future__ import annotations

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import with_a_shell


async def test_a_session_with_a_space_that_counts_from_one(tmux: Tmux, script: Script, caller: Caller) -> None:
    tmux("start-server", ";", "new-session", "-d", "-s", "first", "cat")
    tmux("set-option", "-g", "base-index", "1")
    tmux("set-option", "-g", "-w", "pane-base-index", "1")
    person = await with_a_shell(tmux, session="a b")
    target = "a b:1.1"
    assert script("run", target, "echo hi")[1]["data"]["name"] == target
    await caller("send", target, "echo se''nt")
    assert (await caller("wait", "^sent$", "-t", target)).pane == person.pane
    assert (await caller("wait", "--prompt", "-t", "a b")).name == target
    assert (await caller("keys", "-t", target, "x", "C-u")).name == target
    assert (await caller("state", target)).session == "a b"
    assert "sent" in (await caller("read", target, "--since")).output
    assert (await caller("health", target)).panes[0].is_recorded
    assert (await caller("program", "start", "python", "-t", target)).status == "ready"
    assert (await caller("program", "stop", "python", "-t", target)).status == "absent"


async def test_a_label_names_a_pane_in_every_one(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    script("label", "tues:0.0", "db")
    assert script("run", "db", "echo hi")[1]["data"]["output"] == "hi\n"
    assert script("state", "db")[1]["data"]["label"] == "db"
    assert script("read", "d*")[0] == 0

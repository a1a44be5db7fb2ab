from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell


async def test_a_server_without_panes_of_ours_is_well(tmux: Tmux, script: Script) -> None:
    await with_a_shell(tmux)
    code, answer = script("health")
    data = answer["data"]
    assert (code, data["is_well"], data["panes"]) == (0, True, [])
    assert (data["server"]["sessions"], data["server"]["panes"]) == (1, 1)
    assert str(data["server"]["pid"]) == tmux("display-message", "-p", "#{pid}")


async def test_no_server_is_said_with_what_to_do(tmux: Tmux, script: Script) -> None:
    code, answer = script("health")
    assert (code, answer["code"]) == (69, "TMUX_NOT_RUNNING")
    assert answer["suggestion"]


async def test_a_notebooks_pane_is_alive_recorded_and_at_its_prompt(notebook: Caller) -> None:
    await notebook("run", notebook.context.runner.record.main_pane, "true")
    await notebook("wait", "--prompt")
    (pane,) = (await notebook("health")).panes
    assert (pane.is_alive, pane.is_recorded, pane.busy, pane.advice) == (True, True, "bash at its prompt", "")


async def test_what_a_pane_is_busy_with_is_told(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    person.type("sleep 100")
    person.press("Enter")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    (pane,) = (await caller("health", "tues")).panes
    assert (pane.busy, pane.is_recorded) == ("sleep is working", False)


async def test_a_dead_pane_is_lost_and_there_is_advice(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    tmux("set-option", "-p", "-t", person.pane, "remain-on-exit", "on")
    person.type("exit 3")
    person.press("Enter")
    await until(lambda: person.ask("pane_dead") == "1")
    tmux("run-shell", "true")  # tmux may have missed the child's end: decisions/0003
    await until(lambda: person.ask("pane_dead_status") == "3")
    code, answer = script("health", "tues:0.0")
    (pane,) = answer["data"]["panes"]
    assert (code, pane["is_alive"], pane["busy"]) == (1, False, "dead, exit code 3")
    assert "respawn-pane" in pane["advice"]


async def test_a_recording_that_ended_is_lost(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await caller("read", "tues", "--since")
    async with asyncio.timeout(20):  # the recording's process is known as ours once it has begun
        while not (await caller("health")).is_well:
            await asyncio.sleep(0.02)
    tmux("pipe-pane", "-t", person.pane)
    health = await caller("health")
    assert not health.is_well
    assert "no longer recorded" in health.text


@pytest.mark.parametrize(("is_closed", "ssh"), [(False, "connected"), (True, "not connected")])
async def test_an_ssh_clients_connection_is_looked_at(
    tmux: Tmux, caller: Caller, tmp_path: Path, is_closed: bool, ssh: str
) -> None:
    accepted: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    server = await asyncio.start_server(lambda _reader, writer: accepted.put(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = tmp_path / "ssh"  # a client is known by its name
    client.symlink_to(Path(sys.executable).resolve())
    person = await with_a_shell(tmux)
    person.type(
        f"{client} -c \"import socket,time; s=socket.create_connection(('127.0.0.1', {port})); time.sleep(100)\""
    )
    person.press("Enter")
    writer = await asyncio.wait_for(accepted.get(), 10)
    try:
        if is_closed:
            writer.close()
            await writer.wait_closed()
        seen = [(await caller("health", "tues")).panes[0]]
        while seen[-1].ssh != ssh:
            assert len(seen) < 200
            seen.append((await caller("health", "tues")).panes[0])
        assert bool(seen[-1].advice) is is_closed
    finally:
        writer.close()
        server.close()
        await server.wait_closed()

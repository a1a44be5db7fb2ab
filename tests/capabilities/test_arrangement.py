"""select, resize, sync and attach: what a person sees of a window."""

from __future__ import annotations

import asyncio
import shlex
import subprocess

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tmux_kernel.errors import SessionNotFoundError, UsageError


async def test_selecting_a_pane_brings_its_window_forward(tmux: Tmux, caller: Caller) -> None:
    await caller("init", "--session", "my session")
    await caller("window", "w", "--session", "my session", "--label", "far away")
    chosen = await caller("select", "far away")
    assert chosen.pane == "my session:1.0"
    assert tmux("display-message", "-p", "-t", "=my session:", "#{pane_id}") == chosen.pane_id


async def test_a_pane_is_resized_to_a_size_a_share_or_by_a_border(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    await caller("split", first, "-h")
    await caller("split", first, "-v")
    assert (await caller("resize", first, "--width", "60")).width == 60
    assert (await caller("resize", first, "--height", "10")).height == 10
    assert (await caller("resize", first, "--width", "25%")).width == 50
    assert (await caller("resize", first, "--right", "7")).width == 57
    assert (await caller("resize", first, "--left", "3", "--down", "2")).width == 54


@pytest.mark.parametrize("words", [(), ("--width", "wide"), ("--left", "-3")])
async def test_a_resize_that_says_nothing_is_refused(tmux: Tmux, caller: Caller, words: tuple[str, ...]) -> None:
    await caller("init", "--session", "mine")
    with pytest.raises(UsageError):
        await caller("resize", "mine", *words)


async def test_sync_types_into_every_pane_of_the_window_until_it_is_off(tmux: Tmux, caller: Caller) -> None:
    first = (await caller("init", "--session", "mine")).active_pane_id
    await caller("split", first)
    assert (await caller("sync", "on", first)).is_on
    assert tmux("display-message", "-p", "-t", first, "#{pane_synchronized}") == "1"
    assert not (await caller("sync", "off", first)).is_on
    assert tmux("display-message", "-p", "-t", first, "#{pane_synchronized}") == "0"
    with pytest.raises(UsageError):
        await caller("sync", "maybe", first)


@pytest.mark.parametrize("name", ["plain", "my session", "it's"])
async def test_the_attach_command_is_one_a_shell_can_run(tmux: Tmux, caller: Caller, name: str) -> None:
    await caller("init", "--session", name)
    shown = await caller("attach", name)
    assert shlex.split(shown.command) == ["tmux", "-L", tmux.socket, "attach-session", "-t", f"={name}"]
    there = shown.command.replace("attach-session", "has-session")
    assert (await asyncio.to_thread(subprocess.run, ["bash", "-c", there], check=False)).returncode == 0


async def test_attaching_to_a_vanished_session_is_an_error(tmux: Tmux, caller: Caller) -> None:
    await caller("init", "--session", "mine")
    with pytest.raises(SessionNotFoundError) as caught:
        await caller("attach", "gone")
    assert caught.value.sessions == ("mine",)


def test_the_script_prints_the_attach_command_alone(tmux: Tmux, script: Script) -> None:
    script("init", "--session", "mine")
    assert script.say("attach", "mine") == (0, f"tmux -L {tmux.socket} attach-session -t '=mine'\n", "")

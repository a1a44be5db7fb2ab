from __future__ import annotations

import pytest

from tests.capabilities.face import Caller
from tests.conftest import Tmux
from tmux_kernel.errors import NoRoomError, UsageError


@pytest.fixture
async def pane(tmux: Tmux, caller: Caller) -> str:
    """The one pane of a session of ours whose new panes start fast."""
    pane = str((await caller("init", "--session", "mine")).active_pane_id)
    tmux("set-option", "-g", "default-command", "cat")
    return pane


@pytest.mark.parametrize("count", [1, 2, 5, 16])
async def test_a_grid_has_as_many_panes_as_asked(tmux: Tmux, caller: Caller, pane: str, count: int) -> None:
    made = await caller("grid", str(count), pane)
    assert len(made.panes) == count
    assert tmux("display-message", "-p", "-t", pane, "#{window_panes}") == str(count)
    areas = [item.width * item.height for item in made.panes]
    assert max(areas) <= 4 * min(areas)


async def test_a_grid_of_200_panes_is_made_labelled_and_listed(tmux: Tmux, caller: Caller, pane: str) -> None:
    made = await caller("grid", "200", pane, "--label", "web")
    assert [item.label for item in made.panes] == [f"web-{number}" for number in range(1, 201)]
    listed = await caller("panes", "mine")
    assert len(listed.panes) == 200
    assert (await caller("kill", "web-150")).pane_id == made.panes[149].id


async def test_a_grid_asked_for_again_is_the_same(tmux: Tmux, caller: Caller, pane: str) -> None:
    first = await caller("grid", "4", pane)
    again = await caller("grid", "4", pane)
    assert [item.id for item in first.panes] == [item.id for item in again.panes]


async def test_without_room_the_window_is_as_it_was(tmux: Tmux, caller: Caller) -> None:
    tmux("new-session", "-d", "-s", "small", "-x", "21", "-y", "7", "cat")
    tmux("set-option", "-g", "default-command", "cat")
    tmux("split-window", "-h", "-l", "5", "-t", "small", "cat")
    before = tmux("list-panes", "-t", "small", "-F", "#{pane_id} #{pane_width} #{pane_height} #{window_layout}")
    with pytest.raises(NoRoomError):
        await caller("grid", "60", "small:0.0")
    assert tmux("list-panes", "-t", "small", "-F", "#{pane_id} #{pane_width} #{pane_height} #{window_layout}") == before


async def test_fewer_than_there_are_is_refused_and_kills_none(tmux: Tmux, caller: Caller, pane: str) -> None:
    await caller("grid", "3", pane)
    with pytest.raises(UsageError):
        await caller("grid", "2", pane)
    assert tmux("display-message", "-p", "-t", pane, "#{window_panes}") == "3"

from __future__ import annotations

import pytest

from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.errors import AmbiguousTargetError, PaneNotFoundError, SessionNotFoundError
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.target import LABEL_OPTION, list_panes, pane_facts, resolve, resolve_many


@pytest.fixture
def tues(connection: Connection, tmux: Tmux) -> dict[str, str]:
    """A session of somebody's with two windows, the second split, its left pane active: ids by name."""
    tmux("new-session", "-d", "-s", "tues", "cat")
    tmux("new-window", "-t", "tues", "cat")
    tmux("split-window", "-t", "tues:1", "cat")
    tmux("select-pane", "-t", "tues:1.0")
    lines = tmux("list-panes", "-a", "-F", "#{session_name}:#{window_index}.#{pane_index} #{pane_id}").splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


async def test_session_window_and_pane_name_a_pane(connection: Connection, tues: dict[str, str]) -> None:
    for name in ("tues:0.0", "tues:1.0", "tues:1.1", "own:0.0"):
        facts = await resolve(connection, name, own_session="own")
        assert (facts.id, facts.name) == (tues[name], name)


async def test_window_and_pane_alone_are_in_our_own_session(
    connection: Connection, tmux: Tmux, tues: dict[str, str]
) -> None:
    right = tmux("split-window", "-P", "-F", "#{pane_id}", "-t", "own:0", "cat")
    assert (await resolve(connection, "0.1", own_session="own")).id == right
    assert (await resolve(connection, "0.0", own_session="tues")).id == tues["tues:0.0"]
    with pytest.raises(PaneNotFoundError):
        await resolve(connection, "1.1", own_session="own")


async def test_a_session_alone_is_its_active_pane(connection: Connection, tmux: Tmux, tues: dict[str, str]) -> None:
    assert (await resolve(connection, "tues", own_session="own")).id == tues["tues:1.0"]
    tmux("select-pane", "-t", "tues:1.1")
    assert (await resolve(connection, "tues", own_session="own")).id == tues["tues:1.1"]
    tmux("select-window", "-t", "tues:0")
    assert (await resolve(connection, "tues", own_session="own")).id == tues["tues:0.0"]


async def test_tmuxs_id_names_a_pane_of_any_session(connection: Connection, tues: dict[str, str]) -> None:
    assert (await resolve(connection, tues["tues:1.1"], own_session="own")).name == "tues:1.1"
    assert (await resolve(connection, f"tues:{tues['tues:1.1']}", own_session="own")).name == "tues:1.1"
    with pytest.raises(PaneNotFoundError):
        await resolve(connection, f"own:{tues['tues:1.1']}", own_session="own")


@pytest.mark.parametrize("target", ["%99", "tues:1.7", "tues:9.0", "tues:", "5.5"])
async def test_an_unknown_pane_is_an_error_that_lists_those_there_are(
    connection: Connection, tues: dict[str, str], target: str
) -> None:
    with pytest.raises(PaneNotFoundError) as caught:
        await resolve(connection, target, own_session="own")
    assert target in caught.value.message
    assert set(caught.value.panes) == {f"{name} ({pane})" for name, pane in tues.items()}
    assert all(name in caught.value.suggestion for name in tues)


@pytest.mark.parametrize("target", ["wed", "wed:0.0", "tue", "tuesday", "", ":0.0"])
async def test_an_unknown_session_is_an_error_that_lists_those_there_are(
    connection: Connection, tues: dict[str, str], target: str
) -> None:
    with pytest.raises(SessionNotFoundError) as caught:
        await resolve(connection, target, own_session="own")
    assert caught.value.sessions == ("own", "tues")


async def test_windows_and_panes_that_count_from_one_keep_their_numbers(connection: Connection, tmux: Tmux) -> None:
    tmux("set-option", "-g", "base-index", "1")
    tmux("set-option", "-g", "pane-base-index", "1")
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "one", "cat")
    assert (await resolve(connection, "one:1.1", own_session="own")).id == pane
    assert (await resolve(connection, "1.1", own_session="one")).id == pane
    with pytest.raises(PaneNotFoundError) as caught:
        await resolve(connection, "one:0.0", own_session="own")
    assert f"one:1.1 ({pane})" in caught.value.panes


@pytest.mark.parametrize("session", ["my session", 'it\'s a "name"', "50 %H", "é 😀", "=x", "12"])
async def test_a_session_may_have_any_name(connection: Connection, tmux: Tmux, session: str) -> None:
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, "cat")
    assert (await resolve(connection, session, own_session="own")).id == pane
    facts = await resolve(connection, f"{session}:0.0", own_session="own")
    assert (facts.id, facts.session) == (pane, session)


async def test_facts_are_what_tmux_says(connection: Connection, tmux: Tmux) -> None:
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "facts", "-x", "61", "-y", "17", "exec cat")
    before = await pane_facts(connection, pane)
    assert (before.session, before.window, before.index, before.size) == ("facts", 0, 0, (61, 17))
    assert str(before.pid) == tmux("display-message", "-p", "-t", pane, "#{pane_pid}")
    assert before.tty == tmux("display-message", "-p", "-t", pane, "#{pane_tty}")
    assert (before.is_dead, before.is_in_mode, before.is_piped, before.has_alternate_screen) == (False,) * 4
    assert before.is_active
    tmux("pipe-pane", "-t", pane, "cat >/dev/null")
    tmux("copy-mode", "-t", pane)
    after = await pane_facts(connection, pane)
    assert (after.is_piped, after.is_in_mode) == (True, True)


@pytest.mark.parametrize(("program", "status"), [("exit 7", 7), ("exit 0", 0), ("kill -9 $$", 137)])
async def test_a_dead_pane_says_how_it_died(connection: Connection, tmux: Tmux, program: str, status: int) -> None:
    tmux("set-option", "-g", "remain-on-exit", "on")
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "dying", f"sh -c '{program}'")

    def has_told() -> bool:
        tmux("run-shell", "true")  # tmux may have missed the child's end: decisions/0003
        return tmux("display-message", "-p", "-t", pane, "#{pane_dead_status}#{pane_dead_signal}") != ""

    await until(has_told, "tmux knows how the pane died")
    facts = await pane_facts(connection, pane)
    assert (facts.is_dead, facts.dead_status) == (True, status)


async def test_a_program_on_the_alternate_screen_is_seen(connection: Connection, tmux: Tmux) -> None:
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "full", "printf '\\033[?1049h'; cat")
    await until(lambda: tmux("display-message", "-p", "-t", pane, "#{alternate_on}") == "1", "the alternate screen")
    assert (await pane_facts(connection, pane)).has_alternate_screen


async def test_facts_of_a_pane_that_is_gone_are_an_error_that_lists_those_there_are(
    connection: Connection, tues: dict[str, str]
) -> None:
    with pytest.raises(PaneNotFoundError) as caught:
        await pane_facts(connection, "%99")
    assert set(caught.value.panes) == {f"{name} ({pane})" for name, pane in tues.items()}


async def test_every_pane_of_the_server_is_listed(connection: Connection, tues: dict[str, str]) -> None:
    assert {facts.name: facts.id for facts in await list_panes(connection)} == tues


async def test_a_window_alone_is_its_active_pane(connection: Connection, tues: dict[str, str]) -> None:
    facts = await resolve(connection, "tues:0", own_session="own")
    assert facts.name.startswith("tues:0.") and facts.is_window_active


async def test_a_label_finds_its_pane_wherever_it_is(connection: Connection, tmux: Tmux, tues: dict[str, str]) -> None:
    pane = tues["tues:1.1"]
    tmux("set-option", "-p", "-t", pane, LABEL_OPTION, "production database")
    tmux("break-pane", "-d", "-s", pane, "-t", "own:7")
    assert (await resolve(connection, "production database", own_session="own")).id == pane


async def test_a_glob_finds_every_label_it_matches(connection: Connection, tmux: Tmux, tues: dict[str, str]) -> None:
    panes = [tues["tues:0.0"], tues["tues:1.0"]]
    for number, pane in enumerate(panes):
        tmux("set-option", "-p", "-t", pane, LABEL_OPTION, f"web-{number}")
    found = await resolve_many(connection, ["web-*", panes[0]], own_session="own")
    assert [pane.id for pane in found] == panes
    with pytest.raises(AmbiguousTargetError) as caught:
        await resolve(connection, "web-*", own_session="own")
    assert "web-0" in caught.value.suggestion and "web-1" in caught.value.suggestion

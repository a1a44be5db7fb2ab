"""Our own session: its size, its environment, found again after a crash, gone in good order; others' are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import Person, until, with_a_shell
from tmux_kernel.runs.memory import state_root


def sessions(tmux: Tmux) -> set[str]:
    return set(tmux("list-sessions", "-F", "#{session_name}").split())


async def test_the_session_has_its_own_size_whoever_attaches(bench: Bench, tmux: Tmux) -> None:
    assert (await bench.run("stty size; tput cols"))[0] == "48 160\n160\n"
    attach = f"env -u TMUX tmux -L {tmux.socket} attach -t {bench.runner.record.session}"
    small = Person(
        tmux, tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "small", "-x", "60", "-y", "20", attach)
    )
    await small.sees("seq:")
    assert (await bench.run("stty size"))[0] == "48 160\n"


async def test_pagers_print(bench: Bench) -> None:
    text, _ = await bench.run("echo $PAGER $GIT_PAGER $MANPAGER $SYSTEMD_PAGER")
    assert text == "cat cat cat cat\n"


async def test_the_shell_starts_where_it_was_told_with_this_environment(bench: Bench, tmp_path: Path) -> None:
    text, _ = await bench.run('pwd; echo "$HOME"; echo "${TMUX:+inside}"; echo "${PYTEST_CURRENT_TEST:+passed on}"')
    assert text == f"{tmp_path}/work\n{tmp_path}/home\ninside\npassed on\n"


async def test_the_environment_does_not_stay_on_disk(bench: Bench) -> None:
    for code in ("true", "exit", "true"):
        await bench.run(code)
        assert list(state_root().rglob("rc.sh")) == []


async def test_closing_removes_the_session_and_what_was_kept_and_nothing_else(bench: Bench, tmux: Tmux) -> None:
    await with_a_shell(tmux)
    assert sessions(tmux) == {"tues", bench.runner.record.session}
    await bench.run("true")
    await bench.runner.close()
    await until(lambda: sessions(tmux) == {"tues"}, "its end")
    assert list(state_root().glob("sessions/*/*")) == []


async def test_a_session_that_is_kept_stays(bench: Bench, tmux: Tmux) -> None:
    name = bench.runner.record.session
    await bench.run("x=kept")
    await bench.runner.close(keep=True)
    assert sessions(tmux) == {name}


@pytest.fixture
def seen_before(tmux: Tmux) -> list[str]:
    """The server as its user had it before we came."""
    tmux("new-session", "-d", "-s", "tues", "-x", "100", "-y", "30")
    return seen(tmux)


def seen(tmux: Tmux) -> list[str]:
    options = [tmux("show-options", flag) for flag in ("-g", "-s", "-gw")]
    window = "#{session_name} #{window_id} #{window_layout} #{window_name}"
    return [*options, tmux("list-keys"), tmux("show-hooks", "-g"), tmux("list-windows", "-t", "tues", "-F", window)]


async def test_other_sessions_and_the_servers_options_are_not_changed(
    seen_before: list[str], bench: Bench, tmux: Tmux
) -> None:
    await bench.run("true")
    assert seen(tmux) == seen_before


async def test_a_person_attached_to_it_sees_what_cells_do(bench: Bench, tmux: Tmux) -> None:
    await bench.run("echo 'he'llo")
    await Person(tmux, bench.runner.record.main_pane).sees("hello")

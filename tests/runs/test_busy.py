"""Into a pane that is not at an empty prompt nothing is ever typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import Person, at_our_pane, until
from tmux_kernel.errors import PaneBusyError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.feed import LogFeed


async def followed(bench: Bench, typed: bytes) -> None:
    """The engine has read what the screen shows: *typed* is the last thing in the pane."""
    feed = bench.runner.shells[0].feed
    assert isinstance(feed, LogFeed)
    await until(
        lambda: feed.log.read_bytes().endswith(typed) and feed.position == feed.log.stat().st_size, "the engine"
    )


async def ready_again(bench: Bench) -> None:
    await until(lambda: bench.runner.shells[0].is_ready, "the prompt")


@pytest.fixture
async def person(bench: Bench, tmux: Tmux) -> Person:
    """Somebody attached to the notebook's own session, after its first cell."""
    await bench.run("true")
    return at_our_pane(bench, tmux)


async def test_a_half_typed_line_is_left_as_it_is(bench: Bench, person: Person) -> None:
    person.type("rm -rf precious")
    await person.sees("rm -rf precious")
    await followed(bench, b"precious")
    before = person.screen
    with pytest.raises(PaneBusyError, match="half-typed"):
        await bench.run("echo intruder")
    assert person.screen == before
    assert person.ask("cursor_x") == str(len(before.rstrip().splitlines()[-1]))
    person.press("C-u")
    await until(lambda: "precious" not in person.screen, "the empty line")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


async def test_a_half_typed_line_with_the_cursor_at_its_start_is_left_as_it_is(bench: Bench, person: Person) -> None:
    person.type("precious")
    await followed(bench, b"precious")
    person.press("C-a")
    await followed(bench, b"\b")
    with pytest.raises(PaneBusyError, match="half-typed"):
        await bench.run("echo intruder")
    assert person.screen.rstrip().endswith("precious")


async def test_a_line_typed_in_the_very_moment_comes_back(bench: Bench, person: Person) -> None:
    shell = bench.runner.shells[0]
    await shell.wait_ready()
    # Nothing of it can have been read before the command is typed: both go out in one step.
    shell.connection.post(command("send-keys", "-l", "-t", person.pane, "precious"))
    run = await shell.submit("echo next; (exit 5)")
    assert ((await run.result()).status, b"".join(run.drain())) == (5, b"next\r\n")
    await until(lambda: person.screen.rstrip().endswith(("bash # precious", "bash $ precious")), "their line")
    await followed(bench, b"precious")
    with pytest.raises(PaneBusyError, match="half-typed"):
        await bench.run("echo intruder")


async def test_a_cell_swallowed_by_a_quote_opened_in_the_very_moment_is_given_up(bench: Bench, person: Person) -> None:
    shell = bench.runner.shells[0]
    await shell.wait_ready()
    shell.connection.post(command("send-keys", "-t", person.pane, "echo 'open", "Enter"))
    text, result = await bench.run("echo swallowed")
    assert ("did not take the command" in text, result.status) == (True, None)
    prompt = shell.prompt
    person.press("C-c")
    await until(lambda: shell.prompt > prompt and shell.is_ready, "the prompt after it")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


async def test_a_cell_ends_even_when_our_keys_are_unbound(bench: Bench) -> None:
    await bench.run("for map in emacs-standard vi-insert vi-command; do bind -m $map -r '\\e[5751~'; done")
    _, result = await bench.run("echo next")
    assert result.status == 127


async def test_copy_mode_is_left_alone(bench: Bench, person: Person, tmux: Tmux, tmp_path: Path) -> None:
    tmux("copy-mode", "-t", person.pane)
    with pytest.raises(PaneBusyError, match="copy mode"):
        await bench.run(f"touch {tmp_path}/typed")
    assert person.ask("pane_in_mode") == "1"
    tmux("send-keys", "-X", "-t", person.pane, "cancel")
    text, _ = await bench.run(f"[[ -e {tmp_path}/typed ]]; echo $?")
    assert text == "1\n"


async def test_no_buffer_of_ours_is_left_behind(bench: Bench, person: Person, tmux: Tmux) -> None:
    tmux("copy-mode", "-t", person.pane)
    with pytest.raises(PaneBusyError):
        await bench.run("true")
    tmux("send-keys", "-X", "-t", person.pane, "cancel")
    await bench.run("true")
    assert tmux("list-buffers") == ""


@pytest.mark.parametrize(
    ("line", "seen", "leave"),
    [
        ("vim -u NONE -n precious", "[New", (":q!", "Enter")),
        ("less /etc/services /etc/passwd", "(file 1 of 2)", ("q",)),
        ("python3 -q", ">>>", ("C-d",)),
        ("bash --norc", "bash-5", ("C-d",)),
        ("cat", "cat", ("C-c",)),
        ("sleep 1000", "sleep 1000", ("C-c",)),
        ("read -p 'what? ' answer", "what?", ("C-c",)),
        ("echo 'more", "\n>", ("C-c",)),
    ],
)
async def test_what_a_person_runs_by_hand_is_left_alone(
    bench: Bench, person: Person, line: str, seen: str, leave: tuple[str, ...]
) -> None:
    await person.enters(line, seen)
    shell = bench.runner.shells[0]
    await until(lambda: shell.wants_more or shell.phase.value == "running a command", "its start mark")
    await until(lambda: shell.look().waits.name != "NOTHING" or "sleep" in line, "it to wait")
    before = person.screen
    with pytest.raises(PaneBusyError) as caught:
        await bench.run("echo intruder")
    assert "Nothing was typed" in str(caught.value)
    assert person.screen == before
    prompt = shell.prompt
    person.press(*leave)
    await until(lambda: shell.prompt > prompt and shell.is_ready, "the prompt after it")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


async def test_what_a_person_does_between_cells_changes_nothing(bench: Bench, person: Person) -> None:
    shell = bench.runner.shells[0]
    for line in ("echo by hand", "false", "", "# comment", "cd /; x=5", "clear", "printf 'no newline'"):
        prompt = shell.prompt
        person.type(line)
        person.press("Enter")
        await until(lambda: shell.prompt > prompt and shell.is_ready, "the prompt after it")  # noqa: B023
        text, result = await bench.run("echo next; (exit 5)")
        assert (text, result.status) == ("next\n", 5)
    assert (await bench.run("echo $x; pwd"))[0] == "5\n/\n"


async def test_a_line_typed_and_cleared_between_cells_changes_nothing(bench: Bench, person: Person) -> None:
    for keys in (("a", "b", "C-u"), ("x", "C-c"), ("C-l",), ("Up", "C-u"), ("C-r", "e", "C-g")):
        person.press(*keys)
        await ready_again(bench)
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)

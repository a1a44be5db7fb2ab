"""Real programs on the terminals of real panes; what they wait for is read as the engine reads it."""

from __future__ import annotations

import os
import pty
import shlex
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Tmux
from tmux_kernel.shell.foreground import Foreground, Waits, look

WAIT_SECONDS = 10.0


@dataclass(frozen=True)
class Pane:
    """A pane with an interactive bash that has no dotfiles."""

    tmux: Tmux
    pid: int
    tty: str

    def type(self, line: str) -> None:
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def seen(self, is_so: Callable[[Foreground], bool]) -> Foreground:
        """The first look that *is_so*; the last one, should none be."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not is_so(found := look(self.pid, self.tty)) and time.monotonic() < deadline:
            time.sleep(0.005)
        return found

    def waiting(self, waits: Waits) -> Foreground:
        found = self.seen(lambda found: found.waits is waits)
        assert found.waits is waits
        return found


@pytest.fixture
def pane(tmux: Tmux) -> Iterator[Pane]:
    tmux("new-session", "-d", "-x", "80", "-y", "24", "exec bash --norc --noprofile -i")
    pid, tty = tmux("display-message", "-p", "#{pane_pid} #{pane_tty}").split()
    pane = Pane(tmux, int(pid), tty)
    pane.waiting(Waits.SHELL_PROMPT)
    yield pane


def blocked_in(group: int, *channels: str) -> bool:
    return Path(f"/proc/{group}/wchan").read_text().startswith(channels)


def test_a_shell_at_its_prompt_is_at_its_prompt(pane: Pane) -> None:
    found = pane.waiting(Waits.SHELL_PROMPT)
    assert (found.name, found.is_shell, found.group) == ("bash", True, pane.pid)


def test_a_half_typed_line_is_still_the_prompt(pane: Pane) -> None:
    pane.tmux("send-keys", "-l", "echo half")
    assert pane.waiting(Waits.SHELL_PROMPT).is_shell


@pytest.mark.parametrize("line", ["read x", "read -p 'name? ' x", "read x </dev/tty"])
def test_the_shells_own_read_waits_for_a_line(pane: Pane, line: str) -> None:
    pane.type(line)
    assert pane.waiting(Waits.LINE).is_shell


@pytest.mark.parametrize("line", ["read -n 1 x", "read -s -n 1 x", "read -t 1000 -n 1 x", "read -t 1000 -s -n 1 x"])
def test_the_shells_own_read_of_keys_is_not_its_prompt(pane: Pane, line: str) -> None:
    pane.type(line)
    found = pane.waiting(Waits.KEYS)
    assert found.is_shell
    assert found.echoes is ("-s" not in line)


def test_a_read_of_a_line_echoes(pane: Pane) -> None:
    pane.type("read x")
    found = pane.waiting(Waits.LINE)
    assert (found.echoes, found.is_raw, found.name) == (True, False, "bash")


def test_a_read_of_a_password_does_not_echo(pane: Pane) -> None:
    pane.type("read -s x")
    found = pane.waiting(Waits.LINE)
    assert (found.echoes, found.is_raw) == (False, False)


def test_a_password_asked_for_by_a_program_does_not_echo(pane: Pane) -> None:
    pane.type(f"{shlex.quote(sys.executable)} -c 'import getpass; getpass.getpass()'")
    found = pane.waiting(Waits.LINE)
    assert (found.echoes, found.is_shell) == (False, False)


def test_an_answered_read_waits_no_longer(pane: Pane) -> None:
    pane.type("read x; sleep 1000")
    pane.waiting(Waits.LINE)
    pane.type("answer")
    assert pane.seen(lambda found: found.name == "sleep").waits is Waits.NOTHING


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("cat", "cat"),
        ("head", "head"),
        ("sort -", "sort"),
        ("cat | tr a b", "cat"),
        ("sh -c 'cat; true'", "cat"),
        ("(cat)", "cat"),
    ],
)
def test_a_program_that_reads_the_terminal_waits_for_a_line(pane: Pane, line: str, name: str) -> None:
    pane.type(line)
    found = pane.seen(lambda found: found.waits is Waits.LINE and found.name == name)
    assert (found.waits, found.name, found.is_shell, found.echoes) == (Waits.LINE, name, False, True)


@pytest.mark.parametrize(("line", "name"), [("sleep 1000", "sleep"), ("tail -f /dev/null", "tail")])
def test_a_program_that_does_not_read_waits_for_nothing(pane: Pane, line: str, name: str) -> None:
    pane.type(line)
    found = pane.seen(lambda found: found.name == name)
    assert (found.waits, found.name, found.is_shell) == (Waits.NOTHING, name, False)


def test_a_program_that_computes_waits_for_nothing(pane: Pane) -> None:
    pane.type(f"{shlex.quote(sys.executable)} -c 'while True: pass'")
    found = pane.seen(lambda found: not found.is_shell)
    assert found.waits is Waits.NOTHING


def test_a_background_reader_does_not_wait_for_the_terminal(pane: Pane) -> None:
    pane.type("cat & sleep 1000")
    assert pane.seen(lambda found: found.name == "sleep").waits is Waits.NOTHING


def test_a_program_blocked_on_the_network_does_not_wait_for_the_terminal(pane: Pane) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port})).recv(1)"
        pane.type(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}")
        peer, _ = server.accept()
        with peer:
            # It sleeps where a reader of a terminal sleeps: only the descriptor tells them apart.
            found = pane.seen(
                lambda found: not found.is_shell and blocked_in(found.group, "wait_woken", "sk_wait_data")
            )
            assert blocked_in(found.group, "wait_woken", "sk_wait_data")
            assert look(pane.pid, pane.tty).waits is Waits.NOTHING


def test_a_program_that_reads_another_terminal_does_not_wait_for_ours(pane: Pane) -> None:
    leader, follower = pty.openpty()
    try:
        pane.type(f"cat < {os.ttyname(follower)}")
        found = pane.seen(lambda found: found.name == "cat" and blocked_in(found.group, "wait_woken", "n_tty_read"))
        assert blocked_in(found.group, "wait_woken", "n_tty_read")
        assert look(pane.pid, pane.tty).waits is Waits.NOTHING
    finally:
        os.close(leader)
        os.close(follower)


def test_a_repl_at_its_prompt_reads_keys(pane: Pane) -> None:
    pane.type(f"{shlex.quote(sys.executable)} -q")
    found = pane.waiting(Waits.KEYS)
    assert (found.is_shell, found.is_raw) == (False, True)
    pane.type("import time; time.sleep(1000)")
    assert pane.seen(lambda found: found.waits is Waits.NOTHING).waits is Waits.NOTHING


def test_a_nested_shell_at_its_prompt_reads_keys_and_is_not_the_shell(pane: Pane) -> None:
    pane.type("bash --norc --noprofile -i")
    found = pane.waiting(Waits.KEYS)
    assert (found.name, found.is_shell) == ("bash", False)
    assert found.group != pane.pid


def test_a_pager_reads_keys(pane: Pane, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("line\n" * 1000)
    pane.type(f"less {shlex.quote(str(text))}")
    found = pane.seen(lambda found: found.waits is Waits.KEYS and found.name == "less")
    assert (found.waits, found.name, found.is_shell, found.is_raw) == (Waits.KEYS, "less", False, True)


def test_a_pager_at_the_end_of_a_pipe_reads_keys(pane: Pane) -> None:
    pane.type("seq 1 100000 | less")
    assert pane.waiting(Waits.KEYS).name == "less"


@pytest.mark.parametrize("line", ["sleep 1000", "cat", "less /etc/passwd"])
def test_after_a_program_has_ended_the_shell_is_at_its_prompt_again(pane: Pane, line: str) -> None:
    pane.type(line)
    program = line.split()[0]
    busy = Waits.KEYS if program == "less" else None
    found = pane.seen(lambda found: found.name == program and busy in (None, found.waits))
    assert found.name == program
    pane.tmux("send-keys", "q" if program == "less" else "C-c")
    assert pane.waiting(Waits.SHELL_PROMPT).is_shell


def test_a_program_with_an_odd_name_is_read_right(pane: Pane, tmp_path: Path) -> None:
    odd = tmp_path / "a) R (b"
    odd.symlink_to("/bin/sleep")
    pane.type(f"{shlex.quote(str(odd))} 1000")
    found = pane.seen(lambda found: not found.is_shell and found.name != "bash")
    assert (found.name, found.waits) == ("a) R (b", Waits.NOTHING)


def test_of_a_shell_or_a_terminal_that_is_gone_nothing_is_known(pane: Pane) -> None:
    pane.tmux("kill-server")
    assert pane.seen(lambda found: found.waits is Waits.UNKNOWN) == Foreground(Waits.UNKNOWN)
    assert look(os.getpid(), "/nothing") == Foreground(Waits.UNKNOWN)

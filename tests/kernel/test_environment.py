"""The shell a cell runs in: whose variables, which directory, what size, how it pages."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.conftest import Desk, Notebook, wait_for


@pytest.fixture(scope="module")
def notebook(shared_desk: Desk) -> Notebook:
    names = ("JPY_SESSION_NAME", "JPY_API_TOKEN", "JPY_ANYTHING_ELSE")
    secrets = dict.fromkeys(names, "/not/for/the/shell.ipynb")
    return shared_desk.start(environment={"FROM_THE_KERNEL": "a b\nc'$", **secrets})


def test_the_kernel_s_variables_are_there_as_they_are(notebook: Notebook) -> None:
    assert notebook.run("printf '<%s>' \"$FROM_THE_KERNEL\"; env | grep -c ^FROM_THE_KERNEL=").text == "<a b\nc'$>1\n"


def test_jupyter_s_own_variables_are_not(notebook: Notebook) -> None:
    assert notebook.run("env | grep ^JPY_ || echo none").text == "none\n"


def test_the_shell_knows_the_pane_it_is_in(notebook: Notebook) -> None:
    cell = notebook.run("echo $TMUX_PANE; tmux display-message -p '#{pane_id}'; echo $TERM")
    pane, told, terminal = cell.text.split()
    assert pane == told == cell.facts["pane"]
    assert terminal.startswith(("screen", "tmux"))


def test_cells_begin_in_the_kernel_s_directory(notebook: Notebook, shared_desk: Desk) -> None:
    assert notebook.run("pwd").text == f"{shared_desk.work}\n"


def test_a_directory_lasts_from_cell_to_cell(notebook: Notebook) -> None:
    notebook.run("cd /usr")
    assert notebook.run("pwd; cd - >/dev/null").text == "/usr\n"


def test_a_broken_pipe_is_silent(notebook: Notebook) -> None:
    cell = notebook.run("yes | head -1; echo ${PIPESTATUS[0]}")
    assert cell.text == "y\n141\n"


def test_signals_are_not_ignored_or_blocked(notebook: Notebook) -> None:
    cell = notebook.run("grep -E '^Sig(Ign|Blk)' /proc/self/status | tr -d '\\t'")
    assert cell.text == "SigBlk:0000000000000000\nSigIgn:0000000000000000\n"


def test_only_the_terminal_is_open(notebook: Notebook) -> None:
    assert notebook.run("readlink /proc/$$/fd/* | sort -u; tty").text.split() == [notebook.run("tty").text.strip()] * 2


def test_git_prints_its_log_instead_of_paging(notebook: Notebook) -> None:
    cell = notebook.run(
        "git init -q repo && cd repo && for n in $(seq 60); do"
        " git -c user.name=a -c user.email=a@b commit -q --allow-empty -m change$n; done; git log --format=%s; cd ..",
        allow_stdin=False,
    )
    assert cell.status == "ok"
    assert cell.text.split() == [f"change{number}" for number in range(60, 0, -1)]


def test_manual_pages_are_printed(notebook: Notebook, shared_desk: Desk) -> None:
    page = shared_desk.work / "tool.1"
    page.write_text(".TH TOOL 1\n.SH NAME\ntool \\- does it\n" + "".join(f".PP\nline{n}\n" for n in range(100)))
    cell = notebook.run("man ./tool.1", allow_stdin=False)
    assert cell.status == "ok"
    assert "line99" in cell.text


def test_a_program_that_pages_by_itself_prints(notebook: Notebook) -> None:
    cell = notebook.run("seq 200 | ${PAGER:-less}; seq 3 | ${SYSTEMD_PAGER-less}", allow_stdin=False)
    assert cell.text.split() == [str(number) for number in [*range(1, 201), 1, 2, 3]]


def test_the_user_s_own_pager_wins_once_they_set_it(notebook: Notebook) -> None:
    notebook.run("PAGER='wc -l'")
    assert notebook.run("seq 5 | $PAGER; PAGER=cat").text == "5\n"


@pytest.fixture
def small_terminal(shared_desk: Desk, notebook: Notebook) -> Iterator[Path]:
    """A person attached to the session from a terminal of 80×24."""
    session = notebook.run("tmux display-message -p '#{session_name}'").text.strip()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    client = subprocess.Popen(
        ["tmux", "-L", shared_desk.tmux.socket, "attach-session", "-t", session],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)

    def swallow() -> None:
        try:
            while os.read(ours, 65536):
                pass
        except OSError:
            pass

    reader = threading.Thread(target=swallow)
    reader.start()
    wait_for(lambda: "80x24" in shared_desk.tmux("list-clients", "-F", "#{client_width}x#{client_height}"))
    yield Path(os.ttyname(ours) if os.isatty(ours) else "/dev/null")
    client.terminate()
    client.wait(10)
    reader.join(10)
    os.close(ours)


def test_the_size_does_not_follow_who_attaches(notebook: Notebook, small_terminal: Path) -> None:
    cell = notebook.run("stty size; tput cols; echo $COLUMNS; tmux display-message -p '#{window_width}'")
    assert cell.text == "48 160\n160\n160\n160\n"


def test_the_size_is_what_was_configured(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.columns=99", "--TmuxKernel.rows=33")
    assert notebook.run("stty size").text == "33 99\n"

"""Shells, panes, tmux and the kernel itself may end at any moment: what is kept, what is said, what is left behind."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.kernel.conftest import Desk, Notebook, wait_for


def _session(notebook: Notebook) -> str:
    return notebook.run("tmux display-message -p '#{session_name}'").text.strip()


def _kept(desk: Desk) -> list[Path]:
    return list((desk.state / "sessions").iterdir())


def _expect_new_shell(notebook: Notebook) -> None:
    """A cell runs; the first may say that it was under way when tmux ended, as nobody knows what became of it."""
    cell = notebook.run("echo new")
    if cell.status == "error":
        assert "Run the cell again" in "".join(cell.reply["content"]["traceback"])
        cell = notebook.run("echo new")
    assert (cell.status, cell.text) == ("ok", "new\n")


# -- the shell --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        ("echo last words; exit 0 2>/dev/null", "ok", 0),
        ("echo last words; exit 5 2>/dev/null", "error", 5),
        ("echo last words; exec true", "ok", 0),
        ("echo last words; kill -9 $$", "error", 137),
    ],
)
def test_a_shell_that_ends_says_its_last_words_and_the_next_cell_gets_a_fresh_one(
    notebook: Notebook, code: str, status: str, exit_code: int
) -> None:
    notebook.run("mine=1")
    cell = notebook.run(code)
    assert (cell.text, cell.status, cell.facts["exit_code"]) == ("last words\n", status, exit_code)
    assert "the next cell gets a fresh shell" in cell.said
    after = notebook.run('echo "fresh$mine"')
    assert (after.status, after.text) == ("ok", "fresh\n")


def test_nothing_of_much_output_is_lost_when_the_shell_ends_at_once(notebook: Notebook) -> None:
    cell = notebook.run("seq 1 30000; exit")
    assert cell.text == "".join(f"{number}\n" for number in range(1, 30001)) + "exit\n"


def test_a_shell_a_person_left_between_cells_is_replaced(notebook: Notebook, shared_desk: Desk) -> None:
    pane = notebook.run("mine=1").facts["pane"]
    shared_desk.tmux("send-keys", "-t", pane, "exit", "Enter")
    wait_for(lambda: shared_desk.tmux("display-message", "-p", "-t", pane, "#{pane_dead}") == "1")
    cell = notebook.run('echo "fresh$mine"')
    assert (cell.status, cell.text) == ("ok", "fresh\n")


def test_a_shell_killed_at_any_moment_between_cells_is_replaced(notebook: Notebook) -> None:
    for number in range(10):
        shell = int(notebook.run("echo $$").text)
        os.kill(shell, signal.SIGKILL)
        time.sleep(number / 500)
        cell = notebook.run("echo new")
        assert (cell.status, cell.text) == ("ok", "new\n")


def test_a_pane_killed_between_cells_is_replaced(notebook: Notebook, shared_desk: Desk) -> None:
    pane = notebook.run("true").facts["pane"]
    shared_desk.tmux("kill-pane", "-t", pane)
    _expect_new_shell(notebook)


def test_a_pane_killed_in_mid_run_ends_its_cell(notebook: Notebook, shared_desk: Desk) -> None:
    message = notebook.start("echo started; sleep 60")
    pane = shared_desk.tmux("list-panes", "-a", "-F", "#{pane_id}")
    shared_desk.tmux("kill-pane", "-t", pane)
    cell = notebook.finish(message)
    assert cell.status == "error"
    assert cell.text == "started\n"
    _expect_new_shell(notebook)


def test_a_tmux_server_killed_between_cells_is_started_again(notebook: Notebook, shared_desk: Desk) -> None:
    notebook.run("true")
    shared_desk.tmux("kill-server")
    _expect_new_shell(notebook)


def test_a_tmux_server_killed_in_mid_run_ends_the_cell_and_says_so(notebook: Notebook, shared_desk: Desk) -> None:
    message = notebook.start("echo started; sleep 60")
    shared_desk.tmux("kill-server")
    cell = notebook.finish(message)
    assert cell.status == "error"
    assert "tmux server ended" in cell.said + "".join(cell.reply["content"]["traceback"])
    _expect_new_shell(notebook)


def test_numbers_in_the_prompt_do_not_repeat_after_a_fresh_shell(notebook: Notebook, shared_desk: Desk) -> None:
    notebook.run("echo one; clear")
    notebook.run("exit")
    pane = notebook.run("echo two").facts["pane"]
    screen = wait_for(lambda: shared_desk.tmux("capture-pane", "-p", "-S", "-", "-t", pane))
    numbers = [int(number) for number in re.findall(r" seq:(\d+) rslt:", screen)]
    assert numbers == sorted(set(numbers))


# -- the kernel -------------------------------------------------------------------------------------------------

_LONG = "for n in 1 2 3 4 5 6; do echo line $n; sleep .2; done; (exit 7)"
_WHOLE = "".join(f"line {number}\n" for number in range(1, 7))


def _run_and_kill(notebook: Notebook) -> None:
    notebook.run("mine=5")
    message = notebook.send(_LONG)
    notebook.pump(lambda: "line 2" in notebook.cell(message).text)
    notebook.kill()


def test_a_notebook_s_new_kernel_finds_the_run_its_dead_one_left(desk: Desk) -> None:
    environment = {"JPY_SESSION_NAME": str(desk.work / "My Notes.ipynb")}
    dead = desk.start(environment=environment)
    _run_and_kill(dead)
    notebook = desk.start(environment=environment)
    first = notebook.run("true")
    assert f"`{_LONG}` was running when the kernel died and is still running" in first.said
    assert first.reply["content"]["ename"] == "PaneBusyError"
    again = notebook.run("%reattach")
    assert (again.text, again.status, again.evalue) == (_WHOLE, "error", "exit code 7")
    after = notebook.run("echo $mine")
    assert (after.text, after.said) == ("5\n", "")
    assert "no run was left behind" in notebook.run("%reattach").said


def test_a_run_that_ended_while_no_kernel_was_there_is_found_with_its_code(desk: Desk) -> None:
    environment = {"JPY_SESSION_NAME": str(desk.work / "My Notes.ipynb")}
    dead = desk.start(environment=environment)
    _run_and_kill(dead)
    wait_for(lambda: "rslt:7" in desk.tmux("capture-pane", "-p", "-t", ":"))
    notebook = desk.start(environment=environment)
    first = notebook.run("echo $mine")
    assert "was running when the kernel died and ended with exit code 7" in first.said
    assert first.text == "5\n"
    again = notebook.run("%reattach")
    assert (again.text, again.status, again.evalue) == (_WHOLE, "error", "exit code 7")


def test_a_kernel_jupyter_starts_again_finds_the_run_by_its_connection_file(desk: Desk) -> None:
    notebook = desk.start()
    _run_and_kill(notebook)
    notebook.restart(now=True)
    assert "was running when the kernel died" in notebook.run("true").said
    again = notebook.run("%reattach")
    assert (again.text, again.status, again.evalue) == (_WHOLE, "error", "exit code 7")


def test_reattaching_can_be_interrupted(desk: Desk) -> None:
    notebook = desk.start()
    message = notebook.start("echo started; sleep 60")
    notebook.kill()
    notebook.restart(now=True)
    message = notebook.start("%reattach")
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("echo free").text == "free\n"


def test_a_dead_kernel_with_no_run_in_flight_leaves_the_shell_as_it_was(desk: Desk) -> None:
    notebook = desk.start()
    notebook.run("mine=5; cd /usr; count() { echo three; }")
    notebook.kill()
    notebook.restart(now=True)
    cell = notebook.run("echo $mine $PWD; count")
    assert (cell.text, cell.said) == ("5 /usr\nthree\n", "")


def test_a_restart_in_good_order_gives_a_fresh_shell(desk: Desk) -> None:
    notebook = desk.start()
    notebook.run("mine=5")
    notebook.restart()
    cell = notebook.run('echo "fresh$mine"')
    assert (cell.text, cell.said) == ("fresh\n", "")
    assert cell.reply["content"]["execution_count"] == 1


def test_a_restart_in_mid_run_gives_a_fresh_shell(desk: Desk) -> None:
    notebook = desk.start()
    notebook.start("echo started; sleep 60")
    notebook.restart()
    cell = notebook.run("echo fresh")
    assert (cell.text, cell.said) == ("fresh\n", "")


def test_shutdown_leaves_nothing_behind(desk: Desk) -> None:
    notebook = desk.start()
    notebook.run("echo hi; sleep 60 &")
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel()
    assert desk.tmux("list-sessions") == ""
    assert _kept(desk) == []


def test_shutdown_in_mid_run_leaves_nothing_behind(desk: Desk) -> None:
    notebook = desk.start()
    notebook.start("echo started; sleep 60")
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel()
    assert desk.tmux("list-sessions") == ""
    assert _kept(desk) == []


def test_shutdown_leaves_the_user_s_sessions_alone(desk: Desk) -> None:
    desk.tmux("new-session", "-d", "-s", "theirs", "-x", "90", "-y", "20", "bash --norc")
    notebook = desk.start()
    notebook.run("echo hi")
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel()
    assert desk.tmux("list-sessions", "-F", "#{session_name} #{window_width}x#{window_height}") == "theirs 90x20"


def test_a_session_told_to_stay_stays_with_its_shell(desk: Desk) -> None:
    environment = {"JPY_SESSION_NAME": str(desk.work / "kept.ipynb")}
    notebook = desk.start("--TmuxKernel.keep_session=True", environment=environment)
    notebook.run("mine=5")
    session = _session(notebook)
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel()
    assert desk.tmux("list-sessions", "-F", "#{session_name}") == session
    later = desk.start(environment=environment)
    cell = later.run("echo $mine")
    assert (cell.text, cell.said) == ("5\n", "")


def test_a_session_no_kernel_will_come_back_for_is_reaped(desk: Desk) -> None:
    notebook = desk.start()
    notebook.run("true")
    (kept,) = _kept(desk)
    notebook.kill()
    Path(notebook.manager.connection_file).unlink()
    wait_for(lambda: not desk.tmux("list-sessions"))
    wait_for(lambda: not kept.exists())


def test_two_kernels_have_a_session_each(desk: Desk) -> None:
    first, second = desk.start(), desk.start()
    first.run("mine=1")
    assert second.run('echo "none$mine"').text == "none\n"
    assert _session(first) != _session(second)
    first.client.stop_channels()
    first.manager.shutdown_kernel()
    assert second.run("echo still").text == "still\n"

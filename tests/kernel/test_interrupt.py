"""Interrupt gives the kernel back whatever the cell is doing."""

from __future__ import annotations

import time

from tests.kernel.conftest import Cell, Desk, Notebook

_IGNORES_INT_AND_TERM = (
    "python3 -c 'import signal, time\n"
    "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    'print("started", flush=True)\n'
    "time.sleep(60)'"
)


def _interrupted(notebook: Notebook, code: str) -> Cell:
    message = notebook.start(code)
    notebook.interrupt()
    return notebook.finish(message)


def test_an_interrupted_command_is_a_keyboard_interrupt(notebook: Notebook) -> None:
    cell = _interrupted(notebook, "echo started; sleep 60; echo not reached")
    assert cell.reply["content"]["ename"] == "KeyboardInterrupt"
    assert cell.of_type("error")[0]["ename"] == "KeyboardInterrupt"
    assert "not reached" not in cell.text
    assert notebook.run("echo $?").text == "130\n"


def test_cells_queued_behind_an_interrupted_one_are_aborted(notebook: Notebook) -> None:
    first = notebook.start("echo started; sleep 60")
    second = notebook.send("echo second")
    notebook.interrupt()
    assert [notebook.finish(cell).status for cell in (first, second)] == ["error", "aborted"]


def test_a_shell_that_traps_ctrl_c_gives_the_pane_back(notebook: Notebook) -> None:
    cell = _interrupted(notebook, "trap '' INT; echo started; sleep 60")
    assert cell.reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("trap - INT; echo free").text == "free\n"


def test_a_program_that_ignores_ctrl_c_and_terminate_is_ended_all_the_same(notebook: Notebook) -> None:
    cell = _interrupted(notebook, _IGNORES_INT_AND_TERM)
    assert cell.reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("echo free").text == "free\n"


def test_a_program_that_cleans_up_on_ctrl_c_is_given_time_to(notebook: Notebook) -> None:
    code = "(trap 'echo cleaned; exit 0' INT; echo started; while :; do sleep .1; done)"
    assert "cleaned" in _interrupted(notebook, code).text


def test_interrupt_while_a_command_waits_for_input_ends_it(notebook: Notebook) -> None:
    message = notebook.send("read -p 'name: ' name")
    notebook.pump(lambda: notebook.asked(message))
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("echo free").text == "free\n"


def test_interrupt_between_cells_changes_nothing(notebook: Notebook) -> None:
    notebook.run("kept=yes")
    notebook.interrupt()
    cell = notebook.run("echo $kept")
    assert (cell.status, cell.text) == ("ok", "yes\n")


def test_two_interrupts_in_a_row_end_one_cell_only(notebook: Notebook) -> None:
    message = notebook.start("echo started; sleep 60")
    notebook.interrupt()
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("sleep .3; echo whole").text == "whole\n"


def test_interrupt_at_any_moment_of_a_cell_s_beginning_leaves_the_pane_free(notebook: Notebook) -> None:
    for number in range(60):
        message = notebook.send("sleep 60")
        time.sleep(number / 12000)  # from before it is typed to well after it began
        _interrupt_until_over(notebook, message)
        assert notebook.finish(message).reply["content"].get("ename") == "KeyboardInterrupt"
        assert notebook.run("echo free").text == "free\n"


def _interrupt_until_over(notebook: Notebook, message: str) -> None:
    """Again should it overtake the cell: they come by two channels."""
    while message not in notebook.replies:
        notebook.interrupt()
        again = time.monotonic() + 5
        notebook.pump(lambda: message in notebook.replies or time.monotonic() > again)  # noqa: B023


def test_a_shell_loop_that_ignores_ctrl_c_gives_the_kernel_back_and_a_restart_a_fresh_shell(desk: Desk) -> None:
    notebook = desk.start()
    cell = _interrupted(notebook, "mine=1; trap '' INT; echo started; while :; do :; done")
    assert cell.reply["content"]["ename"] == "KeyboardInterrupt"
    assert "Restarting the kernel gives a fresh shell" in "".join(cell.reply["content"]["traceback"])
    busy = notebook.run("echo busy")
    assert (busy.status, busy.reply["content"]["ename"]) == ("error", "PaneBusyError")
    notebook.restart()
    assert notebook.run("echo fresh $mine").text == "fresh\n"

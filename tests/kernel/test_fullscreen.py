"""Programs that take the screen or the pane: shown, steered, interrupted; refused where nobody can press a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel.conftest import Cell, Notebook


def _screens(cell: Cell) -> list[dict[str, Any]]:
    return cell.of_type("display_data", "update_display_data")


def _shows(notebook: Notebook, message: str, text: str) -> Callable[[], bool]:
    return lambda: any(text in screen["data"]["text/plain"] for screen in _screens(notebook.cell(message)))


def test_a_pager_s_screen_is_shown_and_keys_leave_it(notebook: Notebook) -> None:
    message = notebook.send("seq 1 300 | sed s/^/line/ >long.txt; less long.txt; echo left")
    notebook.pump(_shows(notebook, message, "line47"))
    keys = notebook.run("%keys q")
    cell = notebook.finish(message)
    assert (keys.status, cell.status, cell.text) == ("ok", "ok", "left\n")


def test_the_screen_is_refreshed_in_place(notebook: Notebook) -> None:
    message = notebook.send("seq 1 300 | sed s/^/line/ >long.txt; less long.txt")
    notebook.pump(_shows(notebook, message, "line1"))
    notebook.run("%keys G")
    notebook.pump(_shows(notebook, message, "line300"))
    notebook.run("%keys q")
    cell = notebook.finish(message)
    (first,) = cell.of_type("display_data")
    names = {screen["transient"]["display_id"] for screen in _screens(cell)}
    assert names == {first["transient"]["display_id"]}
    assert "line300" not in first["data"]["text/plain"]


def test_an_editor_can_be_used_by_keys(notebook: Notebook) -> None:
    message = notebook.send("rm -f note.txt; vim -u NONE -N note.txt; cat note.txt")
    notebook.pump(_shows(notebook, message, "~"))
    notebook.run("%keys i 'by keys' Escape :wq Enter")
    cell = notebook.finish(message)
    assert (cell.status, cell.text) == ("ok", "by keys\n")


def test_keys_sent_while_a_cell_runs_are_no_part_of_its_status(notebook: Notebook) -> None:
    message = notebook.send("less /etc/passwd")
    notebook.pump(_shows(notebook, message, "root"))
    keys = notebook.run("%keys q")
    states = [content["execution_state"] for content in keys.of_type("status")]
    assert states == ["busy", "idle"]
    assert notebook.finish(message).status == "ok"


@pytest.mark.parametrize(("code", "text"), [("top", "PID"), ("vim -u NONE -N", "~"), ("less /etc/passwd", "root")])
def test_interrupt_ends_a_full_screen_program(notebook: Notebook, code: str, text: str) -> None:
    message = notebook.send(code)
    notebook.pump(_shows(notebook, message, text))
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    cell = notebook.run("echo free")
    assert (cell.text, cell.said) == ("free\n", "")


@pytest.mark.parametrize(
    ("code", "program", "what"),
    [
        ("less /etc/passwd", "less", "is a full-screen program and waits for keys"),
        ("vim -u NONE -N", "vim", "is a full-screen program and waits for keys"),
        ("top", "top", "is a full-screen program and waits for keys"),
        ("python3", "python3", "has a prompt of its own and waits for keys"),
        ("bash --norc", "bash", "has a prompt of its own and waits for keys"),
        ("sh", "sh", "waits for input"),
    ],
)
def test_without_input_what_waits_for_keys_is_named_and_ended(
    notebook: Notebook, code: str, program: str, what: str
) -> None:
    cell = notebook.run(code, allow_stdin=False)
    assert cell.reply["content"]["ename"] == "InputNotAllowed"
    assert cell.evalue == f"{program} {what}"
    assert cell.seconds < 6
    assert _screens(cell) == []
    assert notebook.run("echo free").text == "free\n"


def test_the_keys_of_the_next_prompt_are_clean_after_a_full_screen_program(notebook: Notebook) -> None:
    message = notebook.send("less /etc/passwd")
    notebook.pump(_shows(notebook, message, "root"))
    notebook.run("%keys q")
    notebook.finish(message)
    cell = notebook.run('for n in 1 2; do\n\techo "$n"\ndone')
    assert cell.text == "1\n2\n"


@pytest.mark.parametrize(("code", "program"), [("python3 -q", "python3"), ("bash --norc", "bash")])
def test_a_repl_ends_its_cell_and_keeps_the_pane_until_it_is_left(notebook: Notebook, code: str, program: str) -> None:
    cell = notebook.run(code, allow_stdin=True)
    assert cell.status == "ok"
    assert f"{program} now has pane" in cell.said
    assert cell.facts["state"] == "raw"
    busy = notebook.run("echo not here")
    assert busy.reply["content"]["ename"] == "PaneBusyError"
    assert program in busy.evalue
    assert notebook.run("%keys C-d").status == "ok"
    notebook.pump(lambda: notebook.run("echo free").text == "free\n")


def test_keys_by_hand_in_a_repl_reach_it(notebook: Notebook) -> None:
    notebook.run("python3 -q", allow_stdin=True)
    notebook.run("%keys 'print(6 * 7)' Enter")
    notebook.pump(lambda: "\n42\n" in notebook.run("%screen").text)
    notebook.run("%keys C-d")
    notebook.pump(lambda: notebook.run("echo free").text == "free\n")

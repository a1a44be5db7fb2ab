"""What waits for a line in the pane opens an input box; where there is none, the cell ends at once and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kernel.conftest import Desk, Notebook, wait_for

_SECRET = "hunter2-and-more"


def _files_with(secret: str, *roots: Path) -> list[Path]:
    return [
        path for root in roots for path in root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]


def test_read_opens_a_box_with_its_prompt(notebook: Notebook) -> None:
    cell = notebook.run("read -p 'name: ' name; echo \"got $name\"", answers=["Ada L."])
    assert cell.prompts == [("name: ", False)]
    assert cell.status == "ok"
    assert cell.text.endswith("got Ada L.\n")


def test_an_answer_arrives_letter_by_letter_as_it_was_entered(notebook: Notebook) -> None:
    answer = "a\\b 'c' \"d\" $HOME `e` ünï\t!"
    cell = notebook.run("IFS= read -r line; printf '<%s>' \"$line\"", answers=[answer.replace("\t", " ")])
    assert cell.text.endswith(f"<{answer.replace(chr(9), ' ')}>")


def test_an_empty_answer_is_an_empty_line(notebook: Notebook) -> None:
    assert notebook.run('read line; echo "<$line>"', answers=[""]).text.endswith("<>\n")


def test_a_silent_read_opens_a_password_box(notebook: Notebook) -> None:
    cell = notebook.run("read -s -p 'pw: ' word; echo; echo ${#word}", answers=["four"])
    assert cell.prompts == [("pw: ", True)]
    assert cell.text.endswith("4\n")


def test_a_program_s_question_opens_a_box(notebook: Notebook) -> None:
    cell = notebook.run('python3 -c \'print(input("age? ") + "!")\'', answers=["42"])
    assert cell.prompts == [("age? ", False)]
    assert cell.text.endswith("42!\n")


def test_a_program_s_password_opens_a_password_box(notebook: Notebook) -> None:
    cell = notebook.run("python3 -c 'import getpass; print(len(getpass.getpass(\"Secret: \")))'", answers=["12345"])
    assert cell.prompts == [("Secret: ", True)]
    assert cell.text.endswith("5\n")


def test_a_single_key_can_be_answered(notebook: Notebook) -> None:
    cell = notebook.run("read -n1 -p 'go on? ' key; echo; echo \"got $key\"", answers=["y"])
    assert cell.prompts == [("go on? ", False)]
    assert cell.text.endswith("got y\n")
    assert notebook.run("echo next").text == "next\n"


def test_a_line_edited_by_readline_can_be_answered(notebook: Notebook) -> None:
    cell = notebook.run("read -e -p 'edit: ' line; echo \"got $line\"", answers=["this one"])
    assert len(cell.questions) == 1
    assert cell.text.endswith("got this one\n")


def test_a_program_that_reads_the_terminal_for_want_of_an_argument_opens_a_box(notebook: Notebook) -> None:
    cell = notebook.run("head -n 1", answers=["from the box"])
    assert cell.text.endswith("from the box\n")


def test_two_questions_in_a_row_open_two_boxes(notebook: Notebook) -> None:
    code = "read -p 'one: ' one; read -p 'two: ' two; echo \"$one+$two\""
    cell = notebook.run(code, answers=["1", "2"])
    assert [prompt for prompt, _ in cell.prompts] == ["one: ", "two: "]
    assert cell.text.endswith("1+2\n")


def test_two_questions_with_the_same_words_open_two_boxes(notebook: Notebook) -> None:
    cell = notebook.run("for _ in 1 2; do read -p 'again: ' word; done; echo \"$word\"", answers=["a", "b"])
    assert [prompt for prompt, _ in cell.prompts] == ["again: ", "again: "]
    assert cell.text.endswith("b\n")


def test_an_answer_given_in_the_pane_lets_the_cell_go_on(notebook: Notebook, shared_desk: Desk) -> None:
    message = notebook.send("read -p 'who: ' who; echo \"got $who\"")
    notebook.pump(lambda: notebook.asked(message))
    pane = notebook.run("%screen").facts.get("pane") or shared_desk.tmux("list-panes", "-a", "-F", "#{pane_id}")
    shared_desk.tmux("send-keys", "-t", pane, "by hand", "Enter")
    assert notebook.finish(message).text.endswith("got by hand\n")


def test_a_late_answer_goes_nowhere(notebook: Notebook, shared_desk: Desk) -> None:
    message = notebook.send("read -p 'who: ' who; echo \"got $who\"; sleep .5; echo end")
    notebook.pump(lambda: notebook.asked(message))
    pane = shared_desk.tmux("list-panes", "-a", "-F", "#{pane_id}")
    shared_desk.tmux("send-keys", "-t", pane, "by hand", "Enter")
    notebook.pump(lambda: "got by hand" in notebook.cell(message).text)
    notebook.client.input("echo intruder")
    assert notebook.finish(message).text.endswith("got by hand\nend\n")
    assert notebook.run("echo next").text == "next\n"


@pytest.mark.parametrize(
    ("code", "program", "what"),
    [
        ("read line", "bash", "waits for input"),
        ("read -s line", "bash", "waits for a password"),
        ("read -n1 key", "bash", "waits for input"),
        ("read -e line", "bash", "waits for input"),
        ("cat", "cat", "waits for input"),
        ("cat | cat", "cat", "waits for input"),
        ("python3 -c 'input()'", "python3", "waits for input"),
        ("python3 -c 'import getpass; getpass.getpass()'", "python3", "waits for a password"),
        ("(trap '' INT TERM HUP; exec head -n 1)", "head", "waits for input"),
        ("while :; do read x; done", "bash", "waits for input"),
    ],
)
def test_without_input_the_cell_ends_soon_and_names_what_waits(
    notebook: Notebook, code: str, program: str, what: str
) -> None:
    cell = notebook.run(code, allow_stdin=False)
    assert cell.reply["content"]["ename"] == "InputNotAllowed"
    assert cell.evalue == f"{program} {what}"
    assert cell.seconds < 5
    assert notebook.run("echo free").text == "free\n"


def test_a_password_is_in_no_message_no_file_and_no_history(desk: Desk) -> None:
    notebook = desk.start()
    code = "read -s -p 'Password: ' word; echo; echo ${#word}"
    assert notebook.run(code, answers=[_SECRET]).text.endswith(f"{len(_SECRET)}\n")
    assert notebook.run("history").text.count("hunter2") == 0
    assert _SECRET not in json.dumps([*notebook.published, *notebook.replies.values()], default=str)
    notebook.run("history -a")
    assert _files_with(_SECRET, desk.root) == []
    assert _SECRET not in desk.tmux("show-buffer") + desk.tmux("list-buffers")
    notebook.close()
    wait_for(lambda: not desk.tmux("list-sessions"))
    assert _files_with(_SECRET, desk.root) == []

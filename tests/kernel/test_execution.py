"""Cells as the protocol has them: counts, replies, errors, queues."""

from __future__ import annotations

import re

import pytest

from tests.kernel.conftest import Notebook


def test_a_cell_shows_its_output_and_is_ok(notebook: Notebook) -> None:
    cell = notebook.run("echo hi")
    assert (cell.text, cell.status) == ("hi\n", "ok")


def test_each_cell_has_the_next_execution_count(notebook: Notebook) -> None:
    first, second = notebook.run("true"), notebook.run("true")
    counts = [cell.reply["content"]["execution_count"] for cell in (first, second)]
    assert counts[1] == counts[0] + 1
    assert [cell.of_type("execute_input")[0]["execution_count"] for cell in (first, second)] == counts


def test_a_silent_cell_runs_but_publishes_and_counts_nothing(notebook: Notebook) -> None:
    before = notebook.run("true").reply["content"]["execution_count"]
    silent = notebook.run("silent_ran=yes; echo hi", silent=True)
    assert silent.status == "ok"
    assert {message["msg_type"] for message in silent.messages} == {"status"}
    after = notebook.run("echo $silent_ran")
    assert (after.text, after.reply["content"]["execution_count"]) == ("yes\n", before + 1)


def test_a_failing_silent_cell_fails_without_a_word(notebook: Notebook) -> None:
    silent = notebook.run("false", silent=True)
    assert silent.status == "error"
    assert {message["msg_type"] for message in silent.messages} == {"status"}


def test_a_cell_not_stored_keeps_the_count_and_stays_out_of_history(notebook: Notebook) -> None:
    before = notebook.run("true").reply["content"]["execution_count"]
    assert notebook.run("echo unstored", store_history=False).text == "unstored\n"
    assert notebook.run("true").reply["content"]["execution_count"] == before + 1
    history = notebook.ask(notebook.client.history(hist_access_type="tail", n=10))["history"]
    assert "echo unstored" not in [entry[2] for entry in history]


def test_user_expressions_are_read_as_bash_reads_a_string(notebook: Notebook) -> None:
    cell = notebook.run("uno=1", user_expressions={"sum": "$uno + 1 is $((uno + 1))", "broken": "${x["})
    answers = cell.reply["content"]["user_expressions"]
    assert answers["sum"] == {"status": "ok", "data": {"text/plain": "1 + 1 is 2"}, "metadata": {}}
    assert answers["broken"]["status"] == "error"


def test_a_cell_of_blank_lines_and_comments_is_ok(notebook: Notebook) -> None:
    assert [notebook.run(code).status for code in ("", "  \n\n", "# only a word\n")] == ["ok"] * 3


def test_a_failing_command_is_an_error_in_the_reply_and_on_iopub(notebook: Notebook) -> None:
    cell = notebook.run("(exit 3)")
    content = cell.reply["content"]
    (error,) = cell.of_type("error")
    assert (content["status"], content["ename"], content["evalue"]) == ("error", "CommandFailed", "exit code 3")
    assert {name: content[name] for name in ("ename", "evalue", "traceback")} == error


def test_the_exit_code_stays_for_the_next_cell(notebook: Notebook) -> None:
    notebook.run("(exit 3)")
    assert notebook.run("echo $?").text == "3\n"


def test_the_reply_says_where_and_how_it_ran(notebook: Notebook) -> None:
    facts = notebook.run("(exit 4)").facts
    assert (facts["exit_code"], facts["state"]) == (4, "finished")
    assert re.fullmatch(r"%\d+", facts["pane"])
    assert facts["run"] and facts["seconds"] >= 0


@pytest.mark.parametrize(
    "code",
    [
        "(exit 3)",
        "no_such_command_at_all",
        "echo 'unclosed",
        "%%pane nowhere:0.0\nls",
        "read x",
        "python3",
        "%%bash\nls",
    ],
)
def test_an_error_reads_the_same_each_time(notebook: Notebook, code: str) -> None:
    first, second = notebook.run(code), notebook.run(code)
    assert first.status == "error"
    assert (first.evalue, first.reply["content"]["ename"]) == (second.evalue, second.reply["content"]["ename"])
    assert first.text == second.text
    assert not re.search(r"/|\d\d:\d\d|[0-9a-f]{8}|%\d", first.evalue)


def test_cells_queued_when_one_fails_are_aborted(notebook: Notebook) -> None:
    cells = [notebook.send(code) for code in ("sleep .2; false", "echo second", "echo third")]
    done = [notebook.finish(cell) for cell in cells]
    assert [cell.status for cell in done] == ["error", "aborted", "aborted"]
    assert [cell.text for cell in done] == ["", "", ""]
    assert notebook.run("echo later").text == "later\n"


def test_cells_queued_go_on_when_told_not_to_stop(notebook: Notebook) -> None:
    cells = [notebook.send(code, stop_on_error=False) for code in ("sleep .2; false", "echo second")]
    done = [notebook.finish(cell) for cell in cells]
    assert [(cell.status, cell.text) for cell in done] == [("error", ""), ("ok", "second\n")]


def test_queued_cells_run_in_order_one_after_the_other(notebook: Notebook) -> None:
    cells = [notebook.send(f"sleep .05; order+={number}; echo $order") for number in range(5)]
    assert [notebook.finish(cell).text.strip()[-1] for cell in cells] == list("01234")


def test_a_cell_that_would_never_end_is_refused_with_bash_s_own_words(notebook: Notebook) -> None:
    cell = notebook.run("echo one\nif true; then")
    assert cell.reply["content"]["ename"] == "IncompleteCommandError"
    assert "line 3: syntax error: unexpected end of file" in cell.evalue
    assert cell.text == ""


def test_what_bash_parses_line_by_line_still_runs(notebook: Notebook) -> None:
    cell = notebook.run("shopt -s extglob\necho !(*)\nshopt -u extglob")
    assert (cell.status, cell.text) == ("ok", "!(*)\n")


def test_a_job_specification_is_bash_s(notebook: Notebook) -> None:
    cell = notebook.run("sleep 30 & kill %1; wait %1 2>/dev/null; echo $?")
    assert cell.text.endswith("143\n")


def test_ipython_habits_are_answered_with_a_hint(notebook: Notebook) -> None:
    for code in ("%%bash\nls", "!ls"):
        cell = notebook.run(code)
        assert cell.status == "error"
        assert "Every cell here is bash" in "".join(cell.reply["content"]["traceback"])


def test_a_silent_magic_says_nothing(notebook: Notebook) -> None:
    cell = notebook.run("%lsmagic", silent=True)
    assert {message["msg_type"] for message in cell.messages} == {"status"}

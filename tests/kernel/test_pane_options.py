"""`%%pane` and what it says about the cell below it: options, several panes at once, runs in the background."""

from __future__ import annotations

import pytest

from tests.kernel.conftest import Notebook


@pytest.fixture(scope="module", autouse=True)
def panes(notebook: Notebook) -> None:
    """Two more panes of the notebook's own, by label."""
    for label in ("web-1", "web-2"):
        assert notebook.run(f"%split -h --label {label}").status == "ok"


def test_codes_that_are_no_failure_are_none(notebook: Notebook) -> None:
    assert notebook.run("%%pane own --ok 0,3\n(exit 3)").status == "ok"
    assert notebook.run("%%pane own --ok 0,3\n(exit 4)").evalue == "exit code 4"


def test_a_cell_that_takes_too_long_gets_ctrl_c_and_says_so(notebook: Notebook) -> None:
    cell = notebook.run("%%pane own --timeout 0.5\nsleep 60")
    assert (cell.reply["content"]["ename"], cell.evalue) == ("TimedOut", "no end after 0.5 s")
    assert "Ctrl-C" in "".join(cell.reply["content"]["traceback"])
    assert notebook.run("echo free").text == "free\n"


def test_a_cell_in_time_is_not_touched_by_its_timeout(notebook: Notebook) -> None:
    assert notebook.run("%%pane own --timeout 30\necho quick").text == "quick\n"


def test_directory_and_variables_are_for_this_cell_only(notebook: Notebook) -> None:
    cell = notebook.run("%%pane own --cwd / --env STAGE='a b'\necho \"$PWD $STAGE\"; false")
    assert (cell.text, cell.evalue) == ("/ a b\n", "exit code 1")
    assert notebook.run('echo "${STAGE-unset}"; [ "$PWD" != / ]').text == "unset\n"


@pytest.mark.parametrize("option", ["--timeout soon", "--ok yes", "--env STAGE", "--nope"])
def test_an_option_it_does_not_take_is_refused_before_anything_runs(notebook: Notebook, option: str) -> None:
    cell = notebook.run(f"%%pane own {option}\necho ran")
    assert (cell.status, cell.reply["content"]["ename"], cell.text) == ("error", "UsageError", "")


def test_the_same_output_of_several_panes_is_shown_once(notebook: Notebook) -> None:
    cell = notebook.run("%%pane web-*\nprintf 'a\\nb\\n'")
    assert cell.text.splitlines()[1:] == ["a", "b"]
    assert "web-1" in cell.text and "web-2" in cell.text and "same 2 lines" in cell.text


def test_a_failure_in_one_of_several_panes_names_it_and_its_code(notebook: Notebook) -> None:
    notebook.run("%%pane web-1\nmark=1")
    cell = notebook.run('%%pane web-1 web-2\necho "mark ${mark-none}"; [ -z "${mark-}" ]')
    assert cell.evalue == "web-1: exit code 1"
    assert "mark 1" in cell.text and "mark none" in cell.text


def test_several_panes_run_at_once(notebook: Notebook, tmp_path_factory: pytest.TempPathFactory) -> None:
    meeting = tmp_path_factory.mktemp("meeting") / "fifo"
    # Each waits for the other: one after the other they would never end.
    notebook.run(f"mkfifo {meeting}")
    cell = notebook.run(
        f"%%pane web-1 web-2 --timeout 20\n"
        f"if mkdir {meeting}.first 2>/dev/null; then read x <{meeting}; else echo hi >{meeting}; fi"
    )
    assert cell.status == "ok", cell.evalue


def test_what_waits_for_input_in_one_of_several_panes_is_stopped_and_named(notebook: Notebook) -> None:
    cell = notebook.run('%%pane web-1 web-2\nif [ -n "${mark-}" ]; then read x; fi')
    assert cell.evalue.startswith("web-1: ") and "waits for input" in cell.evalue
    assert notebook.run("%%pane web-*\necho free").status == "ok"


def test_interrupt_stops_every_pane_of_several(notebook: Notebook) -> None:
    message = notebook.send("%%pane web-1 web-2\necho begun; sleep 60")
    notebook.pump(lambda: notebook.run("%status").text.count("running") >= 2)
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    assert notebook.run("%%pane web-*\necho free").status == "ok"


def test_a_background_cell_is_done_at_once_and_its_output_keeps_arriving(notebook: Notebook) -> None:
    message = notebook.send("%%pane web-1 --bg\nfor i in 1 2 3; do echo line $i; sleep 0.2; done; (exit 6)")
    cell = notebook.finish(message)
    assert cell.status == "ok"
    run = cell.facts["run"]
    assert notebook.run("%%pane own\necho meanwhile").text == "meanwhile\n"

    def pictures() -> list[str]:
        contents = notebook.cell(message).of_type("display_data", "update_display_data")
        return [content["data"]["text/plain"] for content in contents]

    notebook.pump(lambda: pictures()[-1] == f"line 1\nline 2\nline 3\n[{run} exit code 6]")
    assert notebook.run(f"%harvest {run}").text == "line 1\nline 2\nline 3\n"
    assert "finished (6)" in notebook.run(f"%status {run}").text


def test_a_background_run_can_be_stopped_and_an_interrupt_is_not_its_own(notebook: Notebook) -> None:
    run = notebook.run("%%pane web-1 --bg\nsleep 60").facts["run"]
    message = notebook.send("%%pane own\nsleep 60")
    notebook.pump(lambda: notebook.run("%status").text.count("running") >= 2)
    notebook.interrupt()
    assert notebook.finish(message).reply["content"]["ename"] == "KeyboardInterrupt"
    assert "running" in notebook.run(f"%status {run}").text
    notebook.run(f"%stop {run}")
    assert "finished (130)" in notebook.run(f"%status {run}").text


def test_many_background_runs_at_once_all_end_with_their_own_code(notebook: Notebook) -> None:
    labels = [f"many-{number}" for number in range(8)]
    for label in labels:
        assert notebook.run(f"%window {label} --label {label}").status == "ok"
    runs = {
        notebook.run(f"%%pane {label} --bg\nsleep 0.3; (exit {number})").facts["run"]: number
        for number, label in enumerate(labels)
    }
    for run, number in runs.items():
        notebook.pump(lambda run=run, number=number: f"({number})" in notebook.run(f"%status {run}").text)  # type: ignore[misc]

"""Tab, Shift-Tab, the continuation prompt and history: asked of the shell, also while it is busy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernel.conftest import Desk, Notebook, wait_for

_SETUP = """
mkdir -p 'with space' plain-dir "it's"
touch 'with space/inner file' plain-file 'dollar$sign' 'star*' ünï
MY_VARIABLE=value; declare -a MY_ARRAY=(one two)
my_function() { echo body; }
complete -W 'alpha alpine beta' wordy
_by_function() { COMPREPLY=($(compgen -W "${COMP_WORDS[0]}-$COMP_CWORD later" -- "$2")); }
complete -F _by_function functional
"""


@pytest.fixture(scope="module")
def notebook(shared_desk: Desk) -> Notebook:
    notebook = shared_desk.start()
    assert notebook.run(_SETUP).status == "ok"
    wait_for(lambda: list(shared_desk.state.rglob("known")))  # what the shell knows was learnt
    return notebook


@pytest.fixture(params=["at its prompt", "while a cell runs"])
def shell(request: pytest.FixtureRequest, notebook: Notebook) -> Iterator[Notebook]:
    """The shell free, and busy."""
    if request.param == "at its prompt":
        yield notebook
        return
    message = notebook.start("echo started; sleep 600")
    yield notebook
    assert message not in notebook.replies
    notebook.interrupt()
    notebook.finish(message)


@pytest.mark.parametrize(
    ("code", "matches"),
    [
        ("decla", ["declare"]),
        ("true; decla", ["declare"]),
        ("echo hi | decla", ["declare"]),
        ("x=$(decla", ["declare"]),
        ("if tru", ["true", "truncate"]),
        ("my_func", ["my_function"]),
        ("echo $MY_VAR", ["MY_VARIABLE"]),
        ("echo ${MY_VAR", ["MY_VARIABLE"]),
        ('echo "$MY_VAR', ["MY_VARIABLE"]),
        ("echo $MY_", ["MY_ARRAY", "MY_VARIABLE"]),
        ("ls plain", ["plain-dir/", "plain-file"]),
        ("ls <plain-f", ["plain-file"]),
        ("ls >plain-f", ["plain-file"]),
        ("ls with", ["with\\ space/"]),
        ("ls with\\ space/in", ["with\\ space/inner\\ file"]),
        ("ls 'with sp", ["'with space/"]),
        ('ls "with space/in', ['"with space/inner file']),
        ("ls doll", ["dollar\\$sign"]),
        ("ls sta", ["star\\*"]),
        ("ls it", ["it\\'s/"]),
        ("ls ün", ["ünï"]),
        ("./plain-f", ["./plain-file"]),
        ("FILE=plain-f", ["plain-file"]),
        ("wordy al", ["alpha", "alpine"]),
        ("functional ", ["functional-1", "later"]),
        ("functional one fun", ["functional-2"]),
        ("sudo decla", ["declare"]),
        ("nothing_begins_like_th", []),
        ("%reatt", ["%reattach"]),
        ("%%pa", ["%%pane"]),
    ],
)
def test_completion(shell: Notebook, code: str, matches: list[str]) -> None:
    reply = shell.complete(code)
    assert reply["matches"] == matches
    if matches:
        assert code[: reply["cursor_start"]] + matches[0] != code
        assert reply["cursor_end"] == len(code)


def test_only_what_is_before_the_cursor_is_completed(notebook: Notebook) -> None:
    reply = notebook.complete("decla; echo", 5)
    assert (reply["matches"], reply["cursor_start"], reply["cursor_end"]) == (["declare"], 0, 5)


def test_completion_in_a_later_line_replaces_in_that_line(notebook: Notebook) -> None:
    code = "echo one\necho $MY_VAR"
    reply = notebook.complete(code)
    assert code[: reply["cursor_start"]] + reply["matches"][0] == "echo one\necho $MY_VARIABLE"


def test_a_path_is_completed_in_the_shell_s_directory(notebook: Notebook) -> None:
    notebook.run("cd 'with space'")
    assert notebook.complete("cat inn")["matches"] == ["inner\\ file"]
    notebook.run("cd ..")


def test_a_home_directory_is_completed(notebook: Notebook) -> None:
    notebook.run("mkdir -p ~/of-mine")
    assert notebook.complete("ls ~/of-m")["matches"] == ["~/of-mine/"]


def test_panes_are_completed(shell: Notebook, shared_desk: Desk) -> None:
    shared_desk.tmux("new-session", "-d", "-s", "tues", "bash --norc")
    reply = shell.complete("%pane tue")
    assert (reply["matches"], reply["cursor_start"]) == (["tues:0.0"], 6)


def test_a_name_just_defined_is_completed_while_its_cell_still_runs(notebook: Notebook) -> None:
    message = notebook.start("JUST_NOW=1; just_so() { :; }; echo started; sleep 600")
    assert notebook.complete("echo $JUST_N")["matches"] == ["JUST_NOW"]
    assert notebook.complete("just_s")["matches"] == ["just_so"]
    notebook.interrupt()
    notebook.finish(message)


def test_asking_changes_nothing_in_the_shell(notebook: Notebook) -> None:
    changing = "_|BASH|FUNCNAME|LINENO|RANDOM|SRANDOM|EPOCH|SECONDS|PPID"
    state = f"(exit 7); declare -p | grep -Ev '__tk|^declare -[^ ]* ({changing})'"
    before = notebook.run(state + "; set -o; shopt")
    for code in ("ls plain", "functional ", "echo $MY_"):
        notebook.complete(code)
    notebook.inspect("cd")
    assert notebook.run(state + "; set -o; shopt").text == before.text


def test_the_status_of_the_last_cell_outlives_a_question(notebook: Notebook) -> None:
    notebook.run("(exit 9)")
    notebook.complete("ls plain")
    notebook.inspect("cd")
    assert notebook.run("echo $?").text == "9\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("cd", ["cd is a shell builtin", "Change the shell working directory"]),
        ("my_function", ["my_function is a function", "echo body"]),
        ("MY_VARIABLE", ['MY_VARIABLE="value"']),
        ("echo $MY_ARRAY", ["one", "two"]),
        ("%keys", ["Press keys in a pane"]),
        ("%%pane tues:0.1", ["runs this cell"]),
        ("if", ["if is a shell keyword"]),
        ("cat", ["/cat"]),
    ],
)
def test_inspection(notebook: Notebook, code: str, words: list[str]) -> None:
    text = notebook.inspect(code)
    assert all(word in text for word in words), text


def test_inspection_while_a_cell_runs(notebook: Notebook) -> None:
    message = notebook.start("echo started; sleep 600")
    assert "cd is a shell builtin" in notebook.inspect("cd")
    assert "Press keys" in notebook.inspect("%keys")
    notebook.interrupt()
    notebook.finish(message)


def test_what_is_unknown_is_not_found(notebook: Notebook) -> None:
    reply = notebook.ask(notebook.client.inspect("no_such_thing_at_all"))
    assert (reply["status"], reply["found"], reply["data"]) == ("ok", False, {})


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("", "complete"),
        ("for n in 1 2; do\n  echo $n\ndone", "complete"),
        ("for n in 1 2; do", "incomplete"),
        ('echo "open', "incomplete"),
        ("cat <<'E'\ntext", "incomplete"),
        ("ls |", "incomplete"),
        ("true &&", "incomplete"),
        ("echo one \\", "incomplete"),
        ("%%pane tues:0.1\nif true; then", "incomplete"),
        ("%%pane tues:0.1", "complete"),
        ("fg %1", "complete"),
        ("echo )", "complete"),
    ],
)
def test_whether_a_cell_is_complete(shell: Notebook, code: str, status: str) -> None:
    assert shell.ask(shell.client.is_complete(code))["status"] == status


def test_history_has_the_cells_run(desk: Desk) -> None:
    notebook = desk.start()
    for code in ("echo one", "echo two", "ls", "echo one"):
        notebook.run(code)

    def entries(**query: object) -> list[tuple[int, str]]:
        return [(entry[1], entry[2]) for entry in notebook.ask(notebook.client.history(**query))["history"]]

    assert entries(hist_access_type="tail", n=2) == [(3, "ls"), (4, "echo one")]
    assert entries(hist_access_type="range", session=0, start=2, stop=4) == [(2, "echo two"), (3, "ls")]
    assert entries(hist_access_type="search", pattern="echo*") == [(1, "echo one"), (2, "echo two"), (4, "echo one")]
    unique = entries(hist_access_type="search", pattern="echo o*", unique=True)
    assert [code for _, code in unique] == ["echo one"]
    assert entries(hist_access_type="search", pattern="echo*", n=1) == [(4, "echo one")]

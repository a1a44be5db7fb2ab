from __future__ import annotations

import pytest

from tmux_kernel.errors import MagicError
from tmux_kernel.kernel.cell import Call, Cell, parse

KNOWN = {"pane", "keys", "lsmagic"}


def test_a_cell_without_magics_is_bash_as_it_stands() -> None:
    text = "# a comment\n\n  ls -l\necho hi\n"
    assert parse(text, KNOWN) == Cell((), text)


def test_a_cell_magic_takes_its_words_and_leaves_the_rest() -> None:
    assert parse("%%pane tues:0.1\nls\necho hi", KNOWN) == Cell((Call("pane", ("tues:0.1",), True),), "ls\necho hi")


def test_a_line_magic_may_stand_alone() -> None:
    assert parse("%lsmagic", KNOWN) == Cell((Call("lsmagic", (), False),), "")


def test_line_magics_come_one_after_the_other_and_then_the_code() -> None:
    cell = parse("%pane 0.1\n%keys C-c Enter\n\nls", KNOWN)
    assert cell == Cell((Call("pane", ("0.1",), False), Call("keys", ("C-c", "Enter"), False)), "\nls")


@pytest.mark.parametrize(
    "marker", ["# NBVAL_IGNORE_OUTPUT", "#NBVAL_SKIP", "  # NBVAL_RAISES_EXCEPTION", "\n# a\n\n# b"]
)
def test_a_comment_may_stand_above_a_magic(marker: str) -> None:
    assert parse(f"{marker}\n%%pane 0.1\nls", KNOWN) == Cell((Call("pane", ("0.1",), True),), "ls")


def test_after_a_cell_magic_everything_is_code() -> None:
    assert parse("%%pane 0.1\n%keys x\n# c", KNOWN) == Cell((Call("pane", ("0.1",), True),), "%keys x\n# c")


@pytest.mark.parametrize("text", ["ls\n%pane 0.1", "ls\n%%pane 0.1", "echo \\\n%pane"])
def test_a_magic_below_a_command_is_left_to_bash(text: str) -> None:
    assert parse(text, KNOWN) == Cell((), text)


@pytest.mark.parametrize("text", ["%1", "%1 &", "%+", "%-", "%%", "%", "%?vi", "%vim", "%nosuchmagic"])
def test_a_job_specification_is_bash(text: str) -> None:
    assert parse(text, KNOWN) == Cell((), text)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", "%lsmagic\n# nothing more", "  \n\t# x\n"])
def test_comments_alone_are_no_code(text: str) -> None:
    assert parse(text, KNOWN).code == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%pane 'my session:0.1'", ("my session:0.1",)),
        ('%pane "my session:0.1"  x', ("my session:0.1", "x")),
        ("%pane my\\ session", ("my session",)),
        ("%pane   a\tb  ", ("a", "b")),
        ("%keys ''", ("",)),
        ("%keys '#x'", ("#x",)),
        ("%keys #", ("#",)),
    ],
)
def test_the_words_of_a_magic_are_quoted_as_in_a_shell(line: str, words: tuple[str, ...]) -> None:
    (call,) = parse(line, KNOWN).calls
    assert call.words == words


def test_an_open_quote_in_a_magic_is_an_error_that_says_so() -> None:
    with pytest.raises(MagicError, match="Close the quote") as caught:
        parse("%pane 'my session", KNOWN)
    assert caught.value.code == "BAD_MAGIC"


def test_a_question_mark_asks_for_help() -> None:
    assert parse("%pane?", KNOWN).calls == (Call("pane", (), False, wants_help=True),)
    assert parse("%%pane?", KNOWN).calls == (Call("pane", (), True, wants_help=True),)


def test_an_unknown_cell_magic_is_an_error_that_names_it() -> None:
    with pytest.raises(MagicError, match=r"%%nosuch[\s\S]*%lsmagic"):
        parse("%%nosuch\nls", KNOWN)


@pytest.mark.parametrize("line", ["%%bash", "%%sh", "%%script bash", "# c\n%%bash --err x", "%system ls", "%sx ls"])
def test_ipythons_way_to_say_shell_gets_a_hint(line: str) -> None:
    with pytest.raises(MagicError, match="Every cell here is bash"):
        parse(f"{line}\nls", KNOWN)


@pytest.mark.parametrize("text", ["!ls", "!pip install x", "!./run", "!~/bin/x", "# c\n\n!ls -l"])
def test_a_bang_before_a_command_gets_a_hint(text: str) -> None:
    with pytest.raises(MagicError, match="drop the `!`"):
        parse(text, KNOWN)


@pytest.mark.parametrize("text", ["! grep x y", "!!", "!$", "!1", "[[ ! a ]]", "ls\n!ls"])
def test_bashs_own_bang_is_left_alone(text: str) -> None:
    assert parse(text, KNOWN) == Cell((), text)

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmux_kernel.shell.words import Typed, escaped, typed, word_at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Typed("command", "", 0, ())),
        ("gi", Typed("command", "gi", 0, ())),
        ("  gi", Typed("command", "gi", 2, ())),
        ("git ", Typed("argument", "", 4, ("git",))),
        ("git ch", Typed("argument", "ch", 4, ("git",))),
        ("git checkout ma", Typed("argument", "ma", 13, ("git", "checkout"))),
        ("ls; gi", Typed("command", "gi", 4, ())),
        ("ls | gr", Typed("command", "gr", 5, ())),
        ("ls &&gr", Typed("command", "gr", 5, ())),
        ("echo $(gi", Typed("command", "gi", 7, ())),
        ("echo one\ngi", Typed("command", "gi", 9, ())),
        ("(cd x; ls y", Typed("argument", "y", 10, ("ls",))),
    ],
)
def test_a_word_is_a_command_or_an_argument_of_one(text: str, expected: Typed) -> None:
    assert typed(text) == expected


@pytest.mark.parametrize("prefix", ["sudo", "time", "if", "then", "while", "!", "nohup", "A=1", "A+=x B=2"])
def test_after_a_prefix_a_command_follows(prefix: str) -> None:
    assert typed(f"{prefix} gi") == Typed("command", "gi", len(prefix) + 1, ())
    assert typed(f"{prefix} git ch").words == ("git",)


@pytest.mark.parametrize(
    ("text", "word"), [("echo $HO", "HO"), ("echo ${HO", "HO"), ("$", ""), ('echo "$HO', "HO"), ("a=$HO", "HO")]
)
def test_a_dollar_begins_a_variable(text: str, word: str) -> None:
    seen = typed(text)
    assert (seen.kind, seen.word, seen.start) == ("variable", word, len(text) - len(word))


def test_in_single_quotes_a_dollar_is_a_dollar() -> None:
    assert typed("echo '$HO") == Typed("argument", "$HO", 5, ("echo",), "'")


@pytest.mark.parametrize("text", ["ls > ou", "ls >ou", "sort < ou", "ls 2> ou", "ls >> ou", "> ou"])
def test_after_a_redirection_comes_a_path(text: str) -> None:
    seen = typed(text)
    assert (seen.kind, seen.word, seen.start) == ("path", "ou", len(text) - 2)


def test_what_is_redirected_to_is_no_argument() -> None:
    assert typed("sort < in -").words == ("sort",)


def test_the_value_of_an_assignment_is_a_path() -> None:
    assert typed("A=/tm") == Typed("path", "/tm", 2, ())


@pytest.mark.parametrize(
    ("text", "word", "quote"),
    [
        ("cat 'my fi", "my fi", "'"),
        ('cat "my fi', "my fi", '"'),
        ("cat my\\ fi", "my fi", ""),
        ('cat "say \\"hi', 'say "hi', '"'),
        ('cat "a"b', "ab", ""),
    ],
)
def test_a_quoted_word_is_read_as_bash_reads_it(text: str, word: str, quote: str) -> None:
    assert typed(text) == Typed("argument", word, 4, ("cat",), quote)


def test_a_separator_in_quotes_separates_nothing() -> None:
    assert typed("echo 'a; b' c").words == ("echo", "a; b")


@given(st.text("ab $'\"\\|&;<>(){}`=!#~\n", max_size=20))
def test_any_text_can_be_looked_at(text: str) -> None:
    seen = typed(text)
    assert 0 <= seen.start <= len(text)


@pytest.mark.parametrize(
    ("text", "cursor", "word"),
    [
        ("git log", 0, "git"),
        ("git log", 2, "git"),
        ("git log", 3, "git"),
        ("git log", 5, "log"),
        ("a ./b-c.sh;", 6, "./b-c.sh"),
        ("", 0, ""),
        ("a  b", 2, ""),
    ],
)
def test_the_word_at_the_cursor_is_whole(text: str, cursor: int, word: str) -> None:
    assert word_at(text, cursor) == word


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1).filter(lambda word: word[0] != "~"))
def test_an_escaped_word_is_one_word_again(word: str) -> None:
    assert shlex.split(escaped(word)) == [word]


def test_a_leading_tilde_keeps_its_meaning() -> None:
    assert escaped("~/my file~") == "~/my\\ file\\~"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tmux_kernel.runs.syntax import SyntaxChecker, is_plainly_complete


@pytest.fixture
def checker() -> Iterator[SyntaxChecker]:
    checker = SyntaxChecker()
    yield checker
    checker.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("echo 'open", "unexpected EOF while looking for matching `''"),
        ('echo "open', "unexpected EOF while looking for matching `\"'"),
        ("echo $(ls", "unexpected EOF while looking for matching `)'"),
        ("echo `ls", "unexpected EOF while looking for matching ``'"),
        ("echo ${x", "unexpected EOF while looking for matching `}'"),
        ("cat <<EOF\nhello", "here-document at line 1 delimited by end-of-file (wanted `EOF')"),
        ("if true; then", "unexpected end of file"),
        ("if true; then\n  echo x", "unexpected end of file"),
        ("for i in 1 2 3\ndo echo $i", "unexpected end of file"),
        ("while true", "unexpected end of file"),
        ("case x in", "unexpected end of file"),
        ("f() {", "unexpected end of file"),
        ("(echo x", "unexpected end of file"),
        ("true &&", "unexpected end of file"),
        ("ls |", "unexpected end of file"),
        ("echo fine\necho 'open", "unexpected EOF while looking for matching `''"),
    ],
)
async def test_what_never_ends_is_refused_in_the_words_of_bash(checker: SyntaxChecker, code: str, words: str) -> None:
    complaint = await checker.complaint(code)
    assert words in complaint
    assert complaint.startswith("line ")


@pytest.mark.parametrize("code", ["echo a \\", "echo a \\\n", "ls\necho \\", "echo \\\\\\", "echo a && \\"])
async def test_a_backslash_at_the_very_end_is_refused(checker: SyntaxChecker, code: str) -> None:
    assert "backslash" in await checker.complaint(code)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "\n\n",
        "ls",
        "ls -l /tmp\ncd ..",
        "# a comment",
        "echo hi # it's a comment",
        "echo hi # ends in a backslash \\",
        "# ends in a backslash \\",
        "echo a\\\\",
        "echo a \\\n  b",
        "cat <<EOF\nit's\nEOF",
        "cat <<-'EOF'\n\t$(\n\tEOF",
        "cat <<< 'here'",
        "if true; then echo x; fi",
        "for i in 1 2; do\n  echo $i\ndone",
        "f() { echo x; }\nf",
        "case x in a) ;; *) echo y ;; esac",
        "[[ a == b ]] || echo no",
        "echo $((1 + 2)) ${x:-'}'}",
        "shopt -s extglob\necho !(x)",
        "shopt -s extglob\nls @(a|b)*\necho ok",
        "alias begin='if true; then' end=fi\nbegin; echo x; end",
        "alias open='{' shut='}'\nopen\necho x\nshut",
        "echo 'two\nlines'",
        "echo é '😀'",
        "sleep 1 &",
        "echo hi; # trailing",
    ],
)
async def test_what_bash_would_run_is_not_refused(checker: SyntaxChecker, code: str) -> None:
    assert await checker.complaint(code) == ""


@pytest.mark.parametrize("code", ["echo )", "fi", "ls ;; ls", "echo x | | y"])
async def test_what_is_wrong_but_ends_is_left_for_bash_to_report(checker: SyntaxChecker, code: str) -> None:
    assert await checker.complaint(code) == ""


async def test_the_line_of_the_complaint_is_the_line_of_the_cell(checker: SyntaxChecker) -> None:
    assert (await checker.complaint("ls\nls\necho 'open\n")).startswith("line 3: ")
    assert (await checker.complaint("ls\nls\necho a \\")).startswith("line 3: ")


async def test_nothing_of_a_checked_cell_is_run(checker: SyntaxChecker, tmp_path: Path) -> None:
    assert await checker.complaint(f"touch '{tmp_path}/touched'; x=$(touch '{tmp_path}/too')") == ""
    assert list(tmp_path.iterdir()) == []


async def test_one_checker_answers_one_cell_after_the_other(checker: SyntaxChecker) -> None:
    for _ in range(3):
        assert await checker.complaint("echo 'open") != ""
        assert await checker.complaint("echo 'shut'") == ""


async def test_a_cell_larger_than_a_pipe_is_checked(checker: SyntaxChecker) -> None:
    lines = "echo 'a line of some length'\n" * 20_000
    assert await checker.complaint(lines) == ""
    assert await checker.complaint(lines + "echo 'open") != ""


@pytest.mark.parametrize(
    "code",
    ["ls -l", "cd ../x\nmake all", "A=1", "kill %1", "format", "done1", "a; b", "a | b", "echo 'x y' \"z\" >f &"],
)
def test_ordinary_words_need_no_question(code: str) -> None:
    assert is_plainly_complete(code)


@pytest.mark.parametrize(
    "code",
    [
        "if true",
        "ls\n  for i in a",
        "a; if b",
        "a |",
        "a &&\n",
        "echo \\",
        "f()",
        "time ls",
        "a # don't",
        "cat <<E",
        'echo "$(a"',
    ],
)
def test_whatever_might_open_something_is_asked_about(code: str) -> None:
    assert not is_plainly_complete(code)

"""The cell's text reaches the shell byte for byte, and its output comes back as the program wrote it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import at_our_pane
from tmux_kernel.runs.pane import LONGEST_TYPED_BYTES, LONGEST_TYPED_LINES

# -- what is typed ----------------------------------------------------------------------------------------------------

TEXTS = {
    "a tab": "a\tb",
    "many tabs": "\t\ta\t\tb\t",
    "quotes": "it's \"said\" `so` \\ $'x' $(y) ${z}",
    "exclamation marks": "hi! !! !$ !-1 !echo ^a^b",
    "unicode": "é ü 日本語 🎉 e\u0301 \u200b\u00a0",
    "carriage returns": "one\r\ntwo\r\n",
    "the end of a paste": "before\x1b[201~after",
    "the beginning of a paste": "before\x1b[200~after",
    "keys of ours": "\x1b[5751~\x1b[5752~",
    "control characters": "".join(map(chr, [*range(1, 9), *range(11, 32), 127])),
    "trailing blanks": "a   \n\n  \n b  ",
    "tilde and glob": "~ * ? [a-z] {a,b} # ; & | < >",
    "a line of 3000 characters": "x" * 3000,
    "100 lines": "line\n" * 100,
}


@pytest.mark.parametrize("is_bracketed", [True, False], ids=["paste", "no-paste"])
@pytest.mark.parametrize("name", TEXTS)
async def test_a_text_in_quotes_arrives_as_it_is(bench: Bench, tmp_path: Path, name: str, is_bracketed: bool) -> None:
    if not is_bracketed:
        await bench.run("bind 'set enable-bracketed-paste off'")
    there = tmp_path / "there"
    text, result = await bench.run(f"printf %s {shlex.quote(TEXTS[name])} > {there}; echo done; (exit 3)")
    assert (text, result.status) == ("done\n", 3)
    assert there.read_bytes() == TEXTS[name].encode()


async def test_a_heredoc_keeps_its_tabs_and_quotes(bench: Bench) -> None:
    text, _ = await bench.run("cat <<'EOF'\n\tone 'two' \"three\" `four` $five\n\nEOF\necho after")
    assert text == "\tone 'two' \"three\" `four` $five\n\nafter\n"


async def test_unicode_arrives_in_the_c_locale(bench: Bench, tmp_path: Path) -> None:
    await bench.run("export LC_ALL=C LANG=C")
    there = tmp_path / "there"
    await bench.run(f"printf %s 'é 日本語 🎉' | tee {there}")
    text, _ = await bench.run("echo é日🎉")
    assert (there.read_text(), text) == ("é 日本語 🎉", "é日🎉\n")


async def test_a_megabyte_arrives(bench: Bench, tmp_path: Path) -> None:
    there = tmp_path / "there"
    content = "".join(f"line {number} 'é\t\"$x\n" for number in range(60_000))
    assert len(content) > 1_000_000
    text, result = await bench.run(f"cat > {there} <<'EOF'\n{content}EOF\necho done; (exit 3)")
    assert (text, result.status) == ("done\n", 3)
    assert there.read_text() == content


@pytest.mark.parametrize("code", ["# only a comment", "# two\n# comments", "   # indented", " ", ":", "\n\n# x\n\n"])
async def test_a_cell_of_nothing_ends_with_no_output(bench: Bench, code: str) -> None:
    await bench.run("(exit 7)")
    text, result = await bench.run(code)
    assert text == ""
    if code != ":":
        assert result.status == 7
    assert (await bench.run("echo next"))[0] == "next\n"


async def test_a_cell_that_ends_in_a_comment_or_newlines_runs(bench: Bench) -> None:
    assert (await bench.run("echo a # b"))[0] == "a\n"
    assert (await bench.run("\n\necho a\n\n\n"))[0] == "a\n"


async def test_what_bash_parses_command_by_command_runs(bench: Bench) -> None:
    text, result = await bench.run("shopt -s extglob\ntouch a b x\necho !(x)\nalias hi='echo hello'\nhi")
    assert (text, result.status) == ("a b\nhello\n", 0)


async def test_a_syntax_error_is_bashs_to_report(bench: Bench) -> None:
    text, result = await bench.run("echo before\nfi\n")
    assert "before\n" in text
    assert "syntax error near unexpected token `fi'" in text
    assert result.status == 2


@pytest.mark.parametrize("code", ["echo 'open", "if true; then", "cat <<EOF\nx", "echo before\nfor i in 1"])
async def test_a_command_that_wants_more_lines_ends_and_leaves_the_pane_free(bench: Bench, code: str) -> None:
    text, result = await bench.run(code)
    assert (result.status, result.note) == (2, "incomplete")
    assert "not complete" in text
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


# -- how it is typed --------------------------------------------------------------------------------------------------


async def test_a_short_cell_can_be_read_in_the_pane(bench: Bench, tmux: Tmux) -> None:
    await bench.run("for i in 1 2; do\n    echo got $i\ndone")
    person = at_our_pane(bench, tmux)
    await person.sees("got 2")
    assert re.search(r"bash [$#] for i in 1 2; do\n +echo got \$i\ndone\ngot 1\ngot 2\n", person.screen)


@pytest.mark.parametrize(
    "code",
    [f"echo {'x' * LONGEST_TYPED_BYTES}", "echo x\n" * (LONGEST_TYPED_LINES + 1)],
    ids=["long", "tall"],
)
async def test_a_long_cell_is_sourced_from_a_private_file(bench: Bench, tmux: Tmux, code: str) -> None:
    _, result = await bench.run(code)
    assert result.status == 0
    record = bench.runner.record
    home = Path(record.panes[record.main_pane].home)
    (cell,) = home.glob("cell-*.sh")
    assert cell.read_text().rstrip("\n") == code.rstrip("\n")
    assert [path.stat().st_mode & 0o077 for path in (cell, home, home.parent)] == [0, 0, 0]
    person = at_our_pane(bench, tmux)
    shown = tmux("capture-pane", "-p", "-J", "-S", "-500", "-t", person.pane)
    assert f" . {cell}  # " in shown.replace("'", "")


async def test_all_we_keep_is_private(bench: Bench) -> None:
    await bench.run("umask 000; echo x")
    record = bench.runner.record
    home = Path(record.panes[record.main_pane].home)
    files = list(home.parent.rglob("*"))
    assert home / "pane.log" in files
    assert [path for path in files if path.stat().st_mode & 0o077] == []


# -- what comes back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("printf 'no newline'", "no newline"),
        ("printf 'a\\n\\n\\n'", "a\n\n\n"),
        ("printf '\\e[31mred\\e[0m\\n'", "\x1b[31mred\x1b[0m\n"),
        ("printf '10%%\\r20%%\\r30%%\\n'", "10%\r20%\r30%\n"),
        ("printf 'dos\\r\\n'", "dos\r\n"),
        ("printf 'a\\tb\\bc\\n'", "a\tb\bc\n"),
        ("printf '\\xff\\xfe\\x80ok\\n'", "\ufffd\ufffd\ufffdok\n"),
        ("printf 'a\\0b\\n'", "a\0b\n"),
        ("printf '%s' $'\\e'", "\x1b"),
        ("echo é日本語🎉", "é日本語🎉\n"),
        ("echo out; echo err >&2; echo out", "out\nerr\nout\n"),
        ("printf '\\e]0;title\\ashown\\n'", "shown\n"),
        ("echo '$ '; echo 'root@host - dec032025:035722pm seq:1 rslt:0 bash # '", None),
        ("true", ""),
    ],
)
async def test_output_is_what_the_program_wrote(bench: Bench, code: str, expected: str | None) -> None:
    text, _ = await bench.run(code)
    assert text == (expected if expected is not None else "$ \nroot@host - dec032025:035722pm seq:1 rslt:0 bash # \n")


async def test_random_bytes_do_not_end_the_run(bench: Bench) -> None:
    text, result = await bench.run("head -c 300000 /dev/urandom; echo; echo after; (exit 9)")
    assert (text.endswith("\nafter\n"), result.status) == (True, 9)
    text, result = await bench.run("printf '\\e[0m\\e[?25h'; echo next; (exit 5)")
    assert (text.endswith("next\n"), result.status) == (True, 5)


async def test_nothing_of_the_echo_or_the_marks_is_in_the_output(bench: Bench) -> None:
    for code in ("echo a", "echo a\necho b", "echo \\\n  a", "x=1\n\n\necho a", f"echo {'a' * 400}"):
        text, _ = await bench.run(code)
        assert text in ("a\n", "a\nb\n", "a" * 400 + "\n")

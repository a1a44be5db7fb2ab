"""Whatever the user sets in their shell: the same and the next cell are right, and the setting does what it did."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import at_our_pane, until
from tmux_kernel.errors import ShellNotSupportedError


@dataclass(frozen=True)
class Setting:
    """A setting, what the cells that follow it print, and a probe that shows it still in force."""

    code: str
    probe: str = "true"
    answer: str = ""
    same: str = "same\n"
    next: str = "next\n"


_COUNT = "n=$((n + 1))"
SETTINGS = {
    "PS1": Setting("PS1='mine> '", 'echo "$PS1"', "mine> \n"),
    "PS1 unset": Setting("unset PS1", 'echo "${PS1-none}"', "none\n"),
    "PS1 with a newline": Setting("PS1=$'two\\nlines> '", 'echo "$PS1"', "two\nlines> \n"),
    "PS1 built on PS1": Setting('PS1="venv $PS1"; PS1="again $PS1"', 'echo "${PS1:0:11}"', "again venv \n"),
    "PROMPT_COMMAND": Setting(f"PROMPT_COMMAND='{_COUNT}'", "echo $n", "2\n"),
    "PROMPT_COMMAND an array": Setting(f"PROMPT_COMMAND=('{_COUNT}' 'm=$n')", "echo $n $m", "2 2\n"),
    "PROMPT_COMMAND one more": Setting(f"PROMPT_COMMAND+=('{_COUNT}')", "echo $n", "2\n"),
    "PROMPT_COMMAND unset": Setting("unset PROMPT_COMMAND"),
    "PROMPT_COMMAND empty": Setting("PROMPT_COMMAND="),
    "PROMPT_COMMAND exported": Setting(f"export PROMPT_COMMAND='{_COUNT}'", "echo $n", "2\n"),
    "PROMPT_COMMAND in front": Setting(
        f'foo() {{ {_COUNT}; false; }}; PROMPT_COMMAND="foo; $PROMPT_COMMAND"', "echo $n", "2\n"
    ),
    "PROMPT_COMMAND behind": Setting(
        f'foo() {{ {_COUNT}; false; }}; PROMPT_COMMAND="$PROMPT_COMMAND; foo"', "echo $n", "2\n"
    ),
    "PROMPT_COMMAND sets PS1": Setting(
        'foo() { local s=$?; PS1="[$s] "; return 1; }; PROMPT_COMMAND=foo', 'echo "$PS1"', "[5] \n"
    ),
    "PROMPT_COMMAND that fails": Setting("PROMPT_COMMAND='nonesuch 2>/dev/null'"),
    "PS0": Setting("PS0='going '", same="going same\n"),  # the second command of that very cell
    "PS2": Setting("PS2='more> '", 'echo "${PS2:0:6}"', "more> \n"),
    "PS4": Setting(
        "PS4='@ '; set -x", "true", "@ true\n", "@ echo same\nsame\n@ exit 4\n", "@ echo next\nnext\n@ exit 5\n"
    ),
    "a DEBUG trap": Setting(
        "trap 'echo D' DEBUG", "trap -p DEBUG", "D\ntrap -- 'echo D' DEBUG\n", "D\nsame\n", "D\nnext\n"
    ),
    "a DEBUG trap in functions": Setting("set -T; trap ': $((n++))' DEBUG", "((n > 2)) && echo counted", "counted\n"),
    "an ERR trap": Setting("trap 'echo E' ERR", "false; true", "E\n", "same\nE\n", "next\nE\n"),
    "an ERR trap in functions": Setting(
        "set -E; trap 'echo E' ERR", "f() { false; true; }; f", "E\n", "same\nE\n", "next\nE\n"
    ),
    "a RETURN trap": Setting("set -T; trap 'echo R' RETURN", "f() { :; }; f", "R\n"),
    "an EXIT trap": Setting("trap 'echo bye' EXIT", "trap -p EXIT", "trap -- 'echo bye' EXIT\n"),
    "set -x": Setting("set -x", "true", "+ true\n", "+ echo same\nsame\n+ exit 4\n", "+ echo next\nnext\n+ exit 5\n"),
    "set -u": Setting("set -u", "echo $-", "himuBHs\n"),
    "set -v": Setting("set -v", "true", "", "echo same; (exit 4)\nsame\n"),
    "set -f": Setting("set -f", "echo *", "*\n"),
    "set -a": Setting("set -a", "new=1; env | grep -c '^new='; env | grep -i 'tk=\\|secret'", "1\n"),
    "set -k": Setting("set -k", "bash -c 'echo $given' given=1", "1\n"),
    "set -C": Setting("set -C; : >|full", "{ echo x >full; } 2>/dev/null || echo kept", "kept\n"),
    "set +B": Setting("set +B", "echo {a,b}", "{a,b}\n"),
    "set +m": Setting("set +m"),
    "set +o history": Setting("set +o history"),
    "vi mode": Setting("set -o vi", "shopt -o vi", "vi             \ton\n"),
    "POSIX mode": Setting("set -o posix", "shopt -o posix", "posix          \ton\n"),
    "IFS": Setting("IFS=':5'", 'v=a:b; set -- $v; echo "$#"; echo "${IFS@Q}"', "2\n':5'\n"),
    "IFS empty": Setting("IFS=", 'v="a b"; set -- $v; echo $#', "1\n"),
    "IFS read-only": Setting("readonly IFS=:", 'echo "${IFS@Q}"', "':'\n"),
    "read-only names": Setting(
        "readonly name=1 map=2 entry=3 t=4 hour=5 mark=6 question=7", "echo $name$map$entry$t", "1234\n"
    ),
    "bracketed paste off": Setting("bind 'set enable-bracketed-paste off'"),
    "a deleted directory": Setting("mkdir gone; cd gone; rmdir ../gone", "[[ -e $PWD ]] || echo gone", "gone\n"),
    "stdout to a file": Setting("exec 3>&1 >out", "cat out >&3", "same\nnext\n", "", ""),
    "stderr to a file": Setting("exec 2>err", "echo wrong >&2; tail -n 1 err", "wrong\n"),
    "both to a file": Setting("exec 3>&1 >out 2>&1", "grep -c 'next$' out >&3", "1\n", "", ""),
    "promptvars off": Setting("shopt -u promptvars"),
    "xpg_echo": Setting("shopt -s xpg_echo", "echo 'a\\tb'", "a\tb\n"),
    "nullglob and failglob": Setting("shopt -s nullglob failglob"),
    "extdebug": Setting("shopt -s extdebug"),
    "aliases": Setting(
        "alias printf='echo P' local='echo L' builtin='echo B' history='echo H' set='echo S' unset='echo U'",
        "printf; builtin; history",
        "P\nB\nH\n",
    ),
    "functions": Setting(
        "printf() { echo P; }; local() { echo L; }; history() { echo H; }; bind() { echo B; }; shopt() { echo S; }",
        "printf; local; history",
        "P\nL\nH\n",
    ),
    "a terminal without echo": Setting("stty -echo", "stty -a | grep -o -- -echo\\;\\* | head -1", "-echo\n"),
    "C locale": Setting("export LC_ALL=C", "echo é", "é\n"),
    "a dumb terminal": Setting("export TERM=dumb", "echo $TERM", "dumb\n"),
}


@pytest.mark.parametrize("name", SETTINGS)
async def test_a_setting_leaves_this_cell_and_the_next_right(bench: Bench, name: str) -> None:
    setting = SETTINGS[name]
    await bench.run("n=0 m=0")
    async with asyncio.timeout(10):
        text, result = await bench.run(f"{setting.code}\necho same; (exit 4)")
        assert (text, result.status) == (setting.same, 4)
        text, result = await bench.run("echo next; (exit 5)")
        assert (text, result.status) == (setting.next, 5)
        text, result = await bench.run(setting.probe)
        assert text == setting.answer


async def test_what_prompt_command_prints_is_in_no_later_cells_output(bench: Bench, tmux: Tmux) -> None:
    await bench.run("foo() { echo noise; PS1='foo> '; }; PROMPT_COMMAND=foo")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)
    text, _ = await bench.run('echo "$? $PS1"')
    assert text == "5 foo> \n"
    await at_our_pane(bench, tmux).sees("\nnoise\n")


async def test_prompt_command_sees_the_cells_status(bench: Bench) -> None:
    await bench.run("PROMPT_COMMAND='seen=$?'")
    await bench.run("(exit 6)")
    text, _ = await bench.run("echo $seen")
    assert text == "6\n"


async def test_ps0_is_printed_before_a_cells_output_and_is_no_part_of_it(bench: Bench, tmux: Tmux) -> None:
    await bench.run("PS0='going\\n'")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)
    await at_our_pane(bench, tmux).sees("\ngoing\nnext\n")


async def test_set_e_ends_the_shell_with_the_commands_code_and_the_next_cell_works(bench: Bench) -> None:
    text, result = await bench.run("set -e; echo before")
    assert (text, result.status) == ("before\n", 0)
    text, result = await bench.run("echo last; (exit 6); echo never")
    assert (text, result.status, result.shell_ended) == ("last\n", 6, True)
    text, result = await bench.run("echo fresh; (exit 5)")
    assert (text, result.status) == ("fresh\n", 5)


async def test_an_exit_trap_runs_when_the_shell_ends_and_its_output_is_the_cells(bench: Bench) -> None:
    await bench.run("trap 'echo bye' EXIT")
    text, result = await bench.run("echo last; exit 3")
    assert (text.replace("exit\n", ""), result.status) == ("last\nbye\n", 3)


async def test_a_shell_without_line_editing_is_refused_with_what_to_do(bench: Bench, tmux: Tmux) -> None:
    text, result = await bench.run("set +o emacs; echo same; (exit 4)")
    assert (text, result.status) == ("same\n", 4)
    with pytest.raises(ShellNotSupportedError, match="set -o emacs"):
        await bench.run("echo next")
    person = at_our_pane(bench, tmux)
    assert "echo next" not in person.screen
    shell = bench.runner.shells[0]
    prompt = shell.prompt
    person.type("set -o emacs")
    person.press("Enter")
    await until(lambda: shell.prompt > prompt and shell.is_ready, "the prompt after it")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


async def test_history_expansion_is_the_persons_and_off_in_cells(bench: Bench, tmux: Tmux, tmp_path: Path) -> None:
    await bench.run("histchars='@^#'")
    text, _ = await bench.run('echo "hi!! @@"')
    assert text == "hi!! @@\n"
    found = await at_our_pane(bench, tmux).writes('echo "$histchars"', tmp_path / "found")
    assert found == "@^#\n"


@pytest.fixture
def bashrc(home: Path, request: pytest.FixtureRequest) -> str:
    """The user's ~/.bashrc, there before their first shell."""
    text = str(request.param)
    (home / ".bashrc").write_text(f"{text}\n")
    return text


@pytest.mark.parametrize(
    "bashrc",
    [
        "echo welcome; echo wrong >&2; printf '\\e]0;title\\a'; cat /etc/passwd",
        "PROMPT_COMMAND='echo noise'",
        "PROMPT_COMMAND=('echo noise' 'PS1=\"> \"')",
        "export PROMPT_COMMAND='history -a' PS1='\\[\\e[32m\\]\\u\\$ ' PS0='going '",
        "set -o vi; set -u; shopt -s extglob; bind 'set enable-bracketed-paste off'",
        "trap 'true' DEBUG; trap 'echo E >/dev/null' ERR; set -x",
        "alias ls='ls --color' printf=echo; printf() { echo mine; }; return 0; echo never",
        "PS1='> '; [ -z \"$PS1\" ] && return; false",
        "readonly TMOUT; IFS=:",
        "nonesuch; exec 3>/dev/null; cd /",
    ],
    indirect=True,
)
async def test_a_bashrc_does_not_get_into_the_first_cell(bashrc: str, bench: Bench) -> None:
    text, result = await bench.run("echo first; (exit 3)")
    assert (re.sub(r"\++ .*\n", "", text), result.status) == ("first\n", 3)
    assert (await bench.run("(exit 5)"))[1].status == 5

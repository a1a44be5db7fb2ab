"""A user's own pane: used as it is, given back as it was, and nothing else of theirs is touched."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import Person, until, with_a_shell
from tmux_kernel.errors import (
    PaneBusyError,
    PaneNotFoundError,
    SessionNotFoundError,
    ShellNotSupportedError,
    TmuxKernelError,
)

# What changes by itself from one command to the next.
_RESTLESS = re.compile(
    r"^(declare -\S+ )?(_|BASH_LINENO|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH\w+|HISTCMD|BASH_COMMAND|PIPESTATUS|BASHPID"
    r"|BASH_MONOSECONDS|BASH_ARG\w+|READLINE_\w+|OLDPWD|PWD|FUNCNAME|BASH_SOURCE|COLUMNS|LINES)\b.*\n",
    re.MULTILINE,
)
_ALL_OF_IT = (
    "declare -p; declare -f; alias; trap -p; shopt; shopt -o; set -o; bind -p; bind -X; bind -s; bind -v; umask; pwd"
)


async def state(person: Person, file: Path) -> str:
    """Everything a shell can say about itself, asked by hand."""
    return _RESTLESS.sub("", await person.writes(_ALL_OF_IT, file))


def others(tmux: Tmux, session: str = "tues") -> list[str]:
    """What tmux knows of a user's session: sizes, names, panes, options, hooks, bindings, buffers."""
    fields = (
        "#{window_id} #{window_name} #{window_layout} #{pane_id} #{pane_width}x#{pane_height} #{pane_pipe} #{pane_pid}"
    )
    return [
        tmux("list-panes", "-s", "-t", session, "-F", fields),
        *(tmux("show-options", *flags) for flags in (("-t", session), ("-w", "-t", session), ("-p", "-t", session))),
        *(tmux("show-options", flag) for flag in ("-s", "-g", "-gw")),
        tmux("show-hooks", "-t", session),
        tmux("list-keys"),
        tmux("list-buffers"),
        tmux("show-environment", "-t", session),
        tmux("list-clients", "-t", session),
    ]


@pytest.fixture
async def person(bench: Bench, tmux: Tmux) -> Person:
    return await with_a_shell(tmux)


# -- used as it is ----------------------------------------------------------------------------------------------------


async def test_a_cell_runs_in_the_users_pane_with_the_shell_as_they_left_it(bench: Bench, person: Person) -> None:
    await person.enters("x=theirs; cd /usr; f() { echo from f; }; echo 'rea'dy", "ready")
    text, result = await bench.run('echo $x; pwd; f; echo "$PS1"; (exit 3)', person.pane)
    assert (text, result.status) == ("theirs\n/usr\nfrom f\n\\s-\\v\\$ \n", 3)
    text, _ = await bench.run("echo $?", "tues:0.0")
    assert text == "3\n"
    text, _ = await bench.run("echo $x")
    assert text == "\n"


async def test_the_users_last_status_is_still_there(bench: Bench, person: Person) -> None:
    await person.enters("echo 'rea'dy; (exit 7)", "ready")
    text, _ = await bench.run("echo $?", person.pane)
    assert text == "7\n"


async def test_the_last_word_of_a_cell_is_still_there_for_the_next(bench: Bench, person: Person) -> None:
    for target in ("", person.pane):
        await bench.run("echo one two", target)
        text, _ = await bench.run("echo $_", target)
        assert text == "two\n"


async def test_a_refused_cell_leaves_no_option_behind(bench: Bench, person: Person, tmux: Tmux) -> None:
    before = others(tmux)
    await bench.run("true", person.pane)
    tmux("copy-mode", "-t", person.pane)
    with pytest.raises(PaneBusyError):
        await bench.run("true", person.pane)
    tmux("send-keys", "-X", "-t", person.pane, "cancel")
    await bench.runner.release(person.pane)
    assert others(tmux) == before


async def test_our_line_is_in_no_history(bench: Bench, person: Person) -> None:
    await person.enters("HISTCONTROL=; echo 'fir'st", "first")
    text, _ = await bench.run("history", person.pane)
    assert [line.split(maxsplit=1)[1] for line in text.splitlines()] == ["HISTCONTROL=; echo 'fir'st", "history"]


async def test_nothing_of_ours_stays_on_their_screen(bench: Bench, person: Person) -> None:
    await bench.run("true", person.pane)
    screen = person.screen
    assert "tk." not in screen
    assert "__tk" not in screen
    assert re.fullmatch(
        r"bash-[\d.]+[$#] *\n.* seq:0 rslt:0 bash [$#] true\n.* seq:1 rslt:0 bash [$#] *", screen.rstrip("\n")
    ) or (re.fullmatch(r".* seq:0 rslt:0 bash [$#] true\n.* seq:1 rslt:0 bash [$#] *", screen.rstrip("\n")))


@pytest.mark.parametrize("prompt", ["$ ", "two\\nlines $ ", "\\[\\e[32m\\]\\u\\[\\e[0m\\]% ", "> ", "# "])
async def test_any_prompt_of_theirs_will_do(bench: Bench, person: Person, prompt: str) -> None:
    await person.enters(f"PS1='{prompt}'; echo 'rea'dy", "ready\n")
    text, result = await bench.run("echo here; (exit 3)", person.pane)
    assert (text, result.status) == ("here\n", 3)


async def test_a_pane_in_vi_mode_will_do(bench: Bench, person: Person) -> None:
    await person.enters("set -o vi; echo 'rea'dy", "ready\n")
    text, result = await bench.run("echo here; (exit 3)", person.pane)
    assert (text, result.status) == ("here\n", 3)


@pytest.mark.parametrize(
    "setting", ["set -eu", "set -x", "set -o posix", "IFS=:", "bind 'set enable-bracketed-paste off'"]
)
async def test_a_pane_with_settings_will_do(bench: Bench, person: Person, setting: str) -> None:
    await person.enters(f"{setting}; echo 'rea'dy", "ready\n")
    text, result = await bench.run("echo here; true", person.pane)
    assert ("here\n" in text, result.status) == (True, 0)


async def test_a_full_screen_of_theirs_will_do(bench: Bench, person: Person) -> None:
    await person.enters("seq 1 100; echo 'rea'dy", "ready\n")
    text, result = await bench.run("echo here; (exit 3)", person.pane)
    assert (text, result.status) == ("here\n", 3)


# -- nothing else touched ---------------------------------------------------------------------------------------------


async def test_the_users_session_is_not_changed_by_a_visit(bench: Bench, person: Person, tmux: Tmux) -> None:
    tmux("split-window", "-d", "-t", person.pane, "bash --norc")
    tmux("set-option", "-t", "tues", "status-left", "mine")
    before = others(tmux)
    await bench.run("seq 1 1000; (exit 3)", person.pane)
    await bench.runner.release(person.pane)
    assert others(tmux) == before


async def test_a_pane_the_user_keeps_after_its_end_stays(bench: Bench, person: Person, tmux: Tmux) -> None:
    tmux("set-option", "-p", "-t", person.pane, "remain-on-exit", "on")
    before = others(tmux)
    await bench.run("true", person.pane)
    await until(lambda: others(tmux)[3] == before[3], "their option")
    await bench.run("echo last; exit 3", person.pane)
    assert person.ask("pane_dead") == "1"


async def test_a_person_typing_in_the_session_is_not_resized(bench: Bench, person: Person, tmux: Tmux) -> None:
    size = person.ask("window_width"), person.ask("window_height")
    await bench.run("stty size", person.pane)
    assert (person.ask("window_width"), person.ask("window_height")) == size == ("100", "30")


async def test_synchronized_panes_get_nothing_of_a_cell(bench: Bench, person: Person, tmux: Tmux) -> None:
    sibling = Person(tmux, tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", person.pane, "bash --norc"))
    await sibling.sees("bash-5")
    tmux("set-option", "-w", "-t", person.pane, "synchronize-panes", "on")
    before = sibling.screen
    text, _ = await bench.run("echo only here", person.pane)
    assert text == "only here\n"
    await bench.runner.release(person.pane)
    assert sibling.screen == before


async def test_a_pane_the_user_pipes_is_used_and_their_pipe_stays(
    bench: Bench, person: Person, tmux: Tmux, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    tmux("pipe-pane", "-t", person.pane, f"cat > {theirs}")
    text, result = await bench.run("seq 1 2000; (exit 3)", person.pane)
    assert (text, result.status) == ("".join(f"{n}\n" for n in range(1, 2001)), 3)
    assert person.ask("pane_pipe") == "1"
    await bench.runner.release(person.pane)
    assert person.ask("pane_pipe") == "1"
    await person.enters("echo 'af'ter", "after\n")
    await until(lambda: b"after\r\n" in theirs.read_bytes(), "their pipe")


# -- given back as it was ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setup",
    [
        ":",
        "PS1='mine> ' PS2='more> ' PS0='going '",
        "unset PS2 PS1; PS1='$ '",
        "export PS1='x> ' PROMPT_COMMAND='true'",
        "PROMPT_COMMAND=(true : 'n=1')",
        "PROMPT_COMMAND=",
        "declare -a PROMPT_COMMAND=()",
        "shopt -u promptvars; set -o vi; histchars='^!#'",
        "IFS=:; set -u; trap true DEBUG; trap 'echo E >/dev/null' ERR; shopt -s extglob nullglob",
        'bind \'"\\e[5~": "mine"\'; bind -x \'"\\C-t": date\'',
        "alias printf='echo P' builtin='echo B'; printf() { echo P; }; local() { echo L; }",
    ],
)
async def test_a_released_shell_is_as_it_was(bench: Bench, person: Person, tmp_path: Path, setup: str) -> None:
    await person.enters(f" {setup}; echo 'rea'dy", "ready\n")
    await person.writes("true", tmp_path / "unused")  # what a first redirection sets is set
    before = await state(person, tmp_path / "before")
    text, result = await bench.run("echo here; (exit 3)", person.pane)
    assert (text.splitlines()[-1], result.status) == ("here", 3)
    await bench.runner.release(person.pane)
    after = await state(person, tmp_path / "after")
    assert after.splitlines() == before.splitlines()
    assert "__tk" not in after


async def test_release_shows_the_users_own_prompt_again(bench: Bench, person: Person) -> None:
    await bench.run("true", person.pane)
    await bench.runner.release(person.pane)
    await until(lambda: re.search(r"bash-[\d.]+[$#]$", person.screen.rstrip()) is not None, "their prompt")
    assert person.ask("pane_pipe") == "0"


async def test_a_released_pane_can_be_borrowed_again(bench: Bench, person: Person) -> None:
    for code in (3, 4):
        text, result = await bench.run(f"echo here; (exit {code})", person.pane)
        assert (text, result.status) == ("here\n", code)
        await bench.runner.release(person.pane)


async def test_what_a_cell_set_stays_after_release(bench: Bench, person: Person, tmp_path: Path) -> None:
    await bench.run("PS1='new> '; PROMPT_COMMAND='n=5'; x=1; PS0=", person.pane)
    await bench.runner.release(person.pane)
    found = await person.writes('echo "$PS1|$PROMPT_COMMAND|$x|$n"', tmp_path / "found")
    assert found == "new> |n=5|1|5\n"


async def test_a_pane_released_in_mid_run_is_given_back_at_its_next_prompt(
    bench: Bench, person: Person, tmp_path: Path
) -> None:
    go_on = tmp_path / "go"
    run = await bench.runner.submit(f"echo started; until [[ -e {go_on} ]]; do sleep 0.02; done", person.pane)
    await until(lambda: b"started" in run.tail, "its start")
    await bench.runner.release(person.pane)
    assert (await run.result()).note == "the pane was released"
    go_on.touch()
    await until(lambda: re.search(r"bash-[\d.]+[$#]$", person.screen.rstrip()) is not None, "their prompt")
    assert "__tk" not in await person.writes("set; bind -X", tmp_path / "found")


async def test_closing_gives_every_borrowed_pane_back(bench: Bench, person: Person, tmux: Tmux, tmp_path: Path) -> None:
    before = others(tmux)
    await bench.run("true", person.pane)
    await bench.runner.close()
    assert others(tmux) == before
    assert "__tk" not in await person.writes("set; bind -X", tmp_path / "found")


async def test_our_own_pane_is_not_to_be_released(bench: Bench) -> None:
    with pytest.raises(TmuxKernelError, match="not one we borrowed"):
        await bench.runner.release(bench.runner.record.main_pane)


# -- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [(), ("C-a",), ("Left", "Left")])
@pytest.mark.parametrize("mode", ["emacs", "vi"])
async def test_a_half_typed_line_is_refused_and_left(
    bench: Bench, person: Person, keys: tuple[str, ...], mode: str
) -> None:
    await person.enters(f"set -o {mode}; echo 'rea'dy", "ready\n")
    if mode == "vi":
        keys = ("Escape", *{"C-a": ("0",), "Left": ("h",)}.get(keys[0] if keys else "", ()), "i") if keys else ()
    person.type("rm precious")
    await person.sees("rm precious")
    if keys:
        person.press(*keys)
        await until(lambda: int(person.ask("cursor_x")) < len(person.screen.rstrip().splitlines()[-1]), "the cursor")
    before = person.screen.rstrip()
    with pytest.raises(PaneBusyError, match="half-typed"):
        await bench.run("echo intruder", person.pane)
    assert person.screen.rstrip() == before
    assert person.ask("pane_pipe") == "0"
    person.press("Enter")
    await person.sees("rm: cannot remove 'precious'")


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("python3 -q", ">>>"),
        ("cat", "cat"),
        ("sleep 1000", "sleep 1000"),
        ("vim -u NONE -n", "~"),
        ("read x", "read x"),
    ],
)
async def test_a_busy_pane_is_refused_and_left(bench: Bench, person: Person, line: str, seen: str) -> None:
    await person.enters(line, seen)
    await until(lambda: person.ask("pane_current_command") == line.split()[0] or line == "read x", "it")
    await until(lambda: person.screen == person.screen, "a quiet screen")
    before = person.screen
    with pytest.raises(PaneBusyError, match="Nothing was typed"):
        await bench.run("echo intruder", person.pane)
    assert person.screen == before


async def test_copy_mode_is_refused_and_left(bench: Bench, person: Person, tmux: Tmux) -> None:
    tmux("copy-mode", "-t", person.pane)
    with pytest.raises(PaneBusyError, match="copy mode"):
        await bench.run("echo intruder", person.pane)
    assert person.ask("pane_in_mode") == "1"


@pytest.mark.parametrize("program", ["python3 -q", "bash --norc -c 'exec -a zsh sh -i'"])
async def test_another_program_at_its_prompt_is_refused(bench: Bench, tmux: Tmux, program: str) -> None:
    person = await with_a_shell(tmux, program)
    before = person.screen
    with pytest.raises((ShellNotSupportedError, PaneBusyError)):
        await bench.run("echo intruder", person.pane)
    assert person.screen == before


async def test_a_shell_with_read_only_prompts_is_refused_and_left(bench: Bench, person: Person) -> None:
    await person.enters("readonly PS1; echo 'rea'dy", "ready\n")
    with pytest.raises(ShellNotSupportedError):
        await bench.run("echo intruder", person.pane)
    assert person.ask("pane_pipe") == "0"
    await person.enters("set | grep -c __tk; echo 'do'ne", "\n0\ndone\n")


async def test_a_pane_that_is_not_there_is_refused_with_what_is(bench: Bench, person: Person) -> None:
    with pytest.raises(PaneNotFoundError, match=r"tues:0\.0"):
        await bench.run("true", "tues:0.7")
    with pytest.raises(SessionNotFoundError, match="tues"):
        await bench.run("true", "wednes:0.0")


async def test_cells_in_two_panes_run_side_by_side(bench: Bench, person: Person, tmp_path: Path) -> None:
    go_on = tmp_path / "go"
    run = await bench.runner.submit(f"until [[ -e {go_on} ]]; do sleep 0.02; done; echo theirs; (exit 3)", person.pane)
    text, result = await bench.run(f"touch {go_on}; echo ours; (exit 4)")
    assert (text, result.status) == ("ours\n", 4)
    async with asyncio.timeout(10):
        assert ((await run.result()).status, b"".join(run.drain())) == (3, b"theirs\r\n")

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import at_our_pane, until
from tmux_kernel.runs.state import State

_PROMPT = re.compile(
    r"^[\w.-]+@[\w.-]+ - (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\d{6}:(?:0[1-9]|1[0-2])[0-5]\d[0-5]\d[ap]m"
    r" seq:(\d+) rslt:(\d+) bash [$#]",
    re.MULTILINE,
)


def log_of(bench: Bench) -> Path:
    record = bench.runner.record
    return Path(record.panes[record.main_pane].log)


async def test_a_command_has_its_output_and_its_code(bench: Bench) -> None:
    text, result = await bench.run("echo hi; (exit 3)")
    assert (text, result.status) == ("hi\n", 3)


async def test_the_status_of_a_command_is_still_there_for_the_next(bench: Bench) -> None:
    await bench.run("(exit 3)")
    text, _ = await bench.run("echo $?")
    assert text == "3\n"


# -- nothing a cell prints ends its run or fakes its code -------------------------------------------------------------


@pytest.mark.parametrize(
    "prints",
    [
        "env",
        "set",
        "declare -p",
        "declare -f",
        "bind -X",
        "trap -p",
        'echo -e "$PS1"',
        'echo -e "$PS0"',
        'echo -e "$PS2"',
        'echo "${PS1@P}${PS0@P}"',
        'echo "${PS2@P}"',
        'printf %s "${PS2@P}"',
        'echo "${PS1@P}${PS0@P}${PS2@P}" | cat',
        'shopt -s xpg_echo; echo "$PS0 $PS1 $PS2"; declare -p',
        "printf '\\e]133;D;0\\a'",
        "printf '\\e]133;D;0;tk=0123456789abcdef:999:999\\a\\e]133;A\\a$ \\e]133;B\\a'",
        "printf '\\e]133;D;0\\e\\\\\\e]133;C\\e\\\\'",
        "printf '\\e]133;D;0;tk='",
    ],
)
async def test_what_a_cell_prints_does_not_end_its_run(bench: Bench, prints: str) -> None:
    await bench.run("echo before")
    text, result = await bench.run(f"{prints}\nsleep 0.2; echo; echo after; (exit 9)")
    assert (text.endswith("\nafter\n"), result.status) == (True, 9)
    text, result = await bench.run("echo next; (exit 5)")
    assert (text, result.status) == ("next\n", 5)


async def test_the_panes_own_live_log_printed_does_not_end_the_run(bench: Bench, tmux: Tmux) -> None:
    await bench.run("echo one; false")
    person = at_our_pane(bench, tmux)
    person.type("echo 'unfinished")
    person.press("Enter")
    await person.sees("\n>")
    person.press("C-c")
    await until(lambda: len(_PROMPT.findall(person.screen)) >= 3, "a new prompt")
    for _ in range(2):
        text, result = await bench.run(f"cat {log_of(bench)}; echo after; (exit 9)")
        assert (text.endswith("after\n"), result.status) == (True, 9)
        assert "one" in text


async def test_an_old_transcript_printed_does_not_end_the_run(bench: Bench, tmp_path: Path) -> None:
    for number in range(3):
        await bench.run(f"echo old {number}; (exit {number})")
    transcript = tmp_path / "transcript"
    shutil.copy(log_of(bench), transcript)
    for code in (7, 8):
        text, result = await bench.run(f"cat {transcript}; cat {transcript} >&2; echo after; (exit {code})")
        assert (text.count("old 2\r\n"), text.endswith("after\n"), result.status) == (2, True, code)


async def test_a_transcript_of_another_shell_does_not_end_the_run(bench: Bench, tmp_path: Path) -> None:
    await bench.run("echo old")
    transcript = tmp_path / "transcript"
    shutil.copy(log_of(bench), transcript)
    await bench.run("exit")
    text, result = await bench.run(f"cat {transcript}; echo after; (exit 9)")
    assert (text.endswith("after\n"), result.status) == (True, 9)


async def test_the_log_printed_in_the_middle_of_a_run_does_not_make_the_pane_free(bench: Bench) -> None:
    await bench.run("true")
    run = await bench.runner.submit(f"cat {log_of(bench)}; echo printed; sleep 30")
    await until(lambda: b"printed" in run.tail, "the log")
    shell = bench.runner.shells[0]
    assert not shell.is_ready
    await shell.paste(b"\x03")
    assert (await run.result()).status == 130


async def test_marks_printed_by_a_job_in_the_background_change_nothing(bench: Bench, tmp_path: Path) -> None:
    await bench.run("true")
    done = tmp_path / "done"
    await bench.run(f"(sleep 0.1; cat {log_of(bench)}; : > {done}) &")
    await until(done.exists, "the job")
    text, result = await bench.run("echo next; (exit 5)")
    assert (text.splitlines()[0], result.status) == ("next", 5)  # bash reports the finished job after it


# -- the prompt -------------------------------------------------------------------------------------------------------


async def test_the_prompt_has_the_structured_form(bench: Bench, tmux: Tmux) -> None:
    await bench.run("(exit 42)")
    person = at_our_pane(bench, tmux)
    await until(lambda: len(_PROMPT.findall(person.screen)) == 2, "two prompts")
    assert _PROMPT.findall(person.screen) == [("0", "0"), ("1", "42")]
    user, host = (await bench.run("whoami; hostname"))[0].split()
    sign = "#" if user == "root" else "$"
    await until(lambda: len(_PROMPT.findall(person.screen)) == 3, "three prompts")
    last = person.screen.rstrip().splitlines()[-1]
    assert last.startswith(f"{user}@{host.split('.')[0]} - ")
    assert last.endswith(f"bash {sign}")


async def test_the_number_never_repeats_in_a_pane(bench: Bench, tmux: Tmux) -> None:
    person = at_our_pane(bench, tmux)
    for code in ("true", "true", "exit 4", "true", "# nothing to run", "kill -9 $$", "true"):
        await bench.run(code)
    await bench.runner.shells[0].wait_ready()
    text = re.sub(rb"\x1b\][^\x07]*\x07|\x1b\[[?0-9;]*[a-zA-Z]", b"", b"".join(sorted(_logs(bench)))).decode()
    await person.sees("seq:")
    commands = [int(number) for number, _ in re.findall(r"seq:(\d+) rslt:(\d+) bash", text)]
    # A prompt after nothing was run shows the number again; a command never does.
    assert max(commands) == 6
    assert bench.runner.shells[0].number == 6


def _logs(bench: Bench) -> list[bytes]:
    home = Path(bench.runner.record.panes[bench.runner.record.main_pane].home)
    return [log.read_bytes() for log in home.parent.glob("*/pane.log")]


# -- how much ---------------------------------------------------------------------------------------------------------


async def test_five_megabytes_arrive_byte_for_byte(bench: Bench, tmp_path: Path) -> None:
    source = tmp_path / "source"
    line = "".join(chr(33 + n % 90) for n in range(99)) + "\n"
    source.write_text(line * 52_000)
    text, result = await bench.run(f"cat {source}")
    assert result.status == 0
    assert text == line * 52_000


async def test_a_line_of_200_kilobytes_is_one_line(bench: Bench) -> None:
    text, _ = await bench.run("printf 'x%.0s' {1..200000}; echo")
    assert text == "x" * 200_000 + "\n"


async def test_a_shell_that_replaces_itself_never_hangs_the_cell(bench: Bench) -> None:
    run = await bench.runner.submit("exec bash")
    async with asyncio.timeout(10):
        async for event in run.events():
            if event in (State.RAW, State.WAITING):
                break
    bench.runner.abandon(run, None, "a shell of its own has the pane")
    await bench.runner.shells[0].paste(b"exit 7\r")
    await until(lambda: bench.runner.shells[0].phase.value == "gone", "the end of that shell")
    text, result = await bench.run("echo back; (exit 5)")
    assert (text, result.status) == ("back\n", 5)

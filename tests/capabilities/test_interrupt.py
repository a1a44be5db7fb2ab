from __future__ import annotations

import re

from tests.capabilities.face import Caller, Script
from tests.conftest import Tmux
from tests.runs.person import until, with_a_shell


async def test_ctrl_c_ends_what_runs(tmux: Tmux, script: Script) -> None:
    person = await with_a_shell(tmux)
    person.type("sleep 100")
    person.press("Enter")
    await until(lambda: person.ask("pane_current_command") == "sleep")
    code, answer = script("interrupt", "tues:0.0")
    assert (code, answer["data"]["program"], answer["data"]["sent"]) == (0, "sleep", ["Ctrl-C"])
    await until(lambda: person.ask("pane_current_command") == "bash")


async def test_firmly_goes_on_until_it_has_ended(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    await person.enters("python3 -c 'import signal,time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)];"
                        " print(\"dea\" + \"f\", flush=True); time.sleep(100)'", "\ndeaf")  # fmt: skip
    interrupted = await caller("interrupt", "tues", "--firmly")
    assert interrupted.sent == ["Ctrl-C", "Ctrl-C", "SIGTERM", "SIGHUP"]
    assert interrupted.has_ended
    await until(lambda: person.ask("pane_current_command") == "bash")


async def test_firmly_at_a_prompt_drops_what_is_typed_and_spares_the_shell(tmux: Tmux, caller: Caller) -> None:
    person = await with_a_shell(tmux)
    person.type("half")
    await person.sees("half")
    interrupted = await caller("interrupt", "tues", "--firmly")
    assert interrupted.sent == ["Ctrl-C"]
    await until(lambda: re.search(r"half\^C\n\S+[$#]", person.screen) is not None, "a new prompt")
    await person.enters("echo st''ill", "\nstill")


async def test_a_notebooks_run_ends(notebook: Caller) -> None:
    runner = notebook.context.runner
    run = await runner.submit("sleep 100")
    interrupted = await notebook("interrupt", "--firmly")
    assert interrupted.has_ended
    assert (await run.result()).status == 130

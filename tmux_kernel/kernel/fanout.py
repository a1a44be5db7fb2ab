"""One cell in several panes at once: outputs grouped, identical ones folded, one verdict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tmux_kernel.errors import TmuxKernelError
from tmux_kernel.kernel.front import Front, Reply
from tmux_kernel.kernel.options import CellOptions
from tmux_kernel.runs.interruption import BY_A_PERSON, UNATTENDED, stop
from tmux_kernel.runs.run import Run
from tmux_kernel.runs.runner import Runner
from tmux_kernel.runs.state import State
from tmux_kernel.shell.text import TextDecoder
from tmux_kernel.tmux.target import PaneFacts, resolve_many


@dataclass(frozen=True, slots=True)
class Answer:
    """What one pane had to say: its output, and what was wrong if anything was."""

    pane: str
    text: str
    fault: str
    exit_code: int | None


async def fan_out(runner: Runner, code: str, front: Front, options: CellOptions) -> Reply:
    """Run *code* in every pane *options* name, all at once. A slow or lost pane holds up none of the others."""
    await runner.open()
    panes = await resolve_many(runner.connection, options.targets, own_session=runner.record.session)
    answers = await asyncio.gather(*(_ask(runner, pane, code, options) for pane in panes))
    front.print(grouped(answers))
    facts = [{"pane": answer.pane, "exit_code": answer.exit_code} for answer in answers]
    faults = [f"{answer.pane}: {answer.fault}" for answer in answers if answer.fault]
    if not faults:
        return {"status": "ok", "_run": {"panes": facts}}
    reply = front.failure("CommandFailed", "; ".join(faults), faults)
    reply["_run"] = {"panes": facts}
    return reply


async def _ask(runner: Runner, pane: PaneFacts, code: str, options: CellOptions) -> Answer:
    name = pane.label or pane.name
    try:
        run = await runner.submit(code, pane.id)
    except (TmuxKernelError, OSError) as error:
        return Answer(name, "", getattr(error, "message", str(error)), None)
    decoder = TextDecoder()
    parts: list[str] = []
    fault = ""
    try:
        async with asyncio.timeout(options.timeout_seconds):
            fault = await _collect(runner, run, decoder, parts)
    except TimeoutError:
        fault = f"no end after {options.timeout_seconds:g} s"
        await _end(runner, run)
    except asyncio.CancelledError:  # the cell was interrupted
        await _end(runner, run)
        raise
    text = "".join(parts) + decoder.finish()
    result = run.outcome
    code_ = result.status if result is not None else None
    if not fault and code_ not in options.ok:
        fault = f"exit code {code_}" if code_ is not None else (result.note if result is not None else "lost")
    return Answer(name, text, fault, code_)


async def _collect(runner: Runner, run: Run, decoder: TextDecoder, parts: list[str]) -> str:
    async for event in run.events():
        if isinstance(event, bytes):
            parts.append(decoder.feed(event))
        elif event in (State.WAITING, State.FULLSCREEN, State.RAW):
            shell = runner.shell_running(run)
            if shell is not None and not await stop(shell, run, UNATTENDED):
                runner.abandon(run, None, "")
            return f"{run.program or 'it'} waits for input, which one cell in several panes cannot give"
    return ""


async def _end(runner: Runner, run: Run) -> None:
    shell = runner.shell_running(run)
    if shell is not None and not await stop(shell, run, BY_A_PERSON):
        runner.abandon(run, None, "")


def grouped(answers: list[Answer]) -> str:
    """Outputs under the names of the panes that gave them; the same output once."""
    groups: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        groups.setdefault((answer.text, answer.fault), []).append(answer.pane)
    parts = []
    for (text, fault), names in groups.items():
        count = len(text.splitlines())
        lines = "no output" if not count else f"{count} line" if count == 1 else f"{count} lines"
        same = f"same {lines}" if len(names) > 1 and count else lines
        parts.append(f"── {' '.join(names)}: {same}{f' – {fault}' if fault else ''}\n{text.rstrip()}".rstrip())
    return "\n".join(parts)

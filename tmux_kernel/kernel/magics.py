"""What a cell can say to the kernel itself: its own few magics, and every capability by its name."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tmux_kernel.capabilities.catalogue import catalogue
from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, Capability, as_text, describe
from tmux_kernel.capabilities.environment import assignments
from tmux_kernel.errors import MagicError, UsageError
from tmux_kernel.kernel.cell import Call
from tmux_kernel.kernel.front import Front, Reply
from tmux_kernel.kernel.options import CellOptions
from tmux_kernel.runs.patience import seconds_of

if TYPE_CHECKING:
    from tmux_kernel.kernel.kernel import TmuxKernel


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the cell below the magic is to run, or a reply that ends the cell."""

    options: CellOptions | None = None
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who called, and how."""

    kernel: TmuxKernel
    front: Front
    is_cell: bool


Handler = Callable[..., Awaitable[Outcome]]
MAGICS: dict[str, Capability] = {}


class _Known:
    """Every name that is a magic; the capabilities are looked up only when a line begins like one."""

    def __contains__(self, name: object) -> bool:
        return name in MAGICS or name in catalogue()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*MAGICS, *catalogue()}))


KNOWN = _Known()


def magic(handler: Handler) -> Handler:
    item = describe(handler)
    MAGICS[item.name] = item
    return handler


def find(name: str) -> Capability | None:
    return MAGICS.get(name) or catalogue().get(name)


def help_of(name: str) -> str:
    item = find(name)
    return item.help(f"%{name}").strip() if item is not None else ""


async def run_magic(kernel: TmuxKernel, call: Call, front: Front) -> Outcome:
    """Do one magic."""
    if call.wants_help:
        page = {"source": "page", "data": {"text/plain": help_of(call.name)}, "start": 0}
        return Outcome(reply={"status": "ok", "payload": [page]})
    own = MAGICS.get(call.name)
    if call.is_cell and call.name not in _CELL_MAGICS:
        raise MagicError(f"`%%{call.name}` is a line magic.", suggestion=f"Write `%{call.name}`.")
    item = own or catalogue()[call.name]
    arguments = item.parse(call.words, f"%{call.name}")
    if own is not None:
        outcome = await own.call(Caller(kernel, front, call.is_cell), **arguments)
        assert isinstance(outcome, Outcome)
        return outcome
    front.print(as_text(await item.call(Context(kernel.runner, is_notebook=True), **arguments)))
    return Outcome()


_CELL_MAGICS = {"pane"}


@magic
async def pane(
    caller: Caller,
    targets: Annotated[list[str], Arg("panes; a label may be a pattern: web-*", metavar="TARGET", values="pane")] = [],  # noqa: B006
    *,
    timeout: Annotated[str, Arg("seconds, or quick, medium, long, off", metavar="SECONDS")] = "",  # noqa: ASYNC109
    ok: Annotated[str, Arg("exit codes that are no failure: 0,1", metavar="CODES")] = "0",
    bg: Annotated[bool, Arg("do not wait: its output keeps arriving under the cell")] = False,
    cwd: Annotated[str, Arg("directory for this cell only, in a subshell", metavar="DIR")] = "",
    env: Annotated[list[str], Arg("variable for this cell only, in a subshell", metavar="NAME=VALUE")] = [],  # noqa: B006
) -> Outcome:
    """`%%pane TARGET` runs this cell, `%pane TARGET` this and all later cells, in another pane; `%pane` says which.

    TARGET is `tues:0.1` (session:window.pane), `0.1` (in this notebook's session), `tues` (its active pane), a label,
    `%3` (tmux's own id), or `own` (back to this notebook's pane). Several, or a pattern over labels, run at once.
    """
    runner = caller.kernel.runner
    chosen = tuple("" if target == "own" else target for target in targets)
    options = CellOptions(
        chosen if any(chosen) else (),
        _timeout(timeout),
        _codes(ok),
        bg,
        cwd,
        assignments(env),
    )
    if caller.is_cell:
        if "own" in targets:
            await runner.open()
            options = CellOptions(
                (runner.record.main_pane,), options.timeout_seconds, options.ok, bg, cwd, options.environment
            )
        return Outcome(options)
    if not targets:
        if options == CellOptions():
            caller.front.print((await runner.shell()).facts.name)
        return Outcome(options)
    if len(targets) > 1 or options.is_several:
        raise UsageError("`%pane` chooses one pane.", suggestion="`%%pane` runs one cell in several.")
    if targets == ["own"]:
        runner.target = ""
    else:
        runner.target = (await runner.shell(targets[0])).facts.id
    return Outcome(CellOptions((), options.timeout_seconds, options.ok, bg, cwd, options.environment))


def _timeout(wanted: str) -> float | None:
    try:
        return seconds_of(wanted) if wanted else None
    except ValueError:
        raise UsageError(
            f"{wanted!r} is no timeout.", suggestion="Give a number of seconds, or quick, medium, long, off."
        ) from None


def _codes(words: str) -> frozenset[int]:
    try:
        return frozenset(int(word) for word in words.split(",") if word.strip())
    except ValueError:
        raise UsageError(f"{words!r} are no exit codes.", suggestion="For example --ok 0,1.") from None


@magic
async def release(
    caller: Caller,
    target: Annotated[str, Arg("the pane to give back; the chosen one without it", values="pane")] = "",
) -> Outcome:
    """Give a borrowed pane back: its shell's prompt and settings are as they were."""
    wanted = target or caller.kernel.runner.target
    if not wanted:
        raise MagicError("No pane is borrowed.", suggestion="`%release TARGET` names one.")
    await caller.kernel.runner.release(wanted)
    return Outcome()


@magic
async def reattach(caller: Caller) -> Outcome:
    """Show the run that was going on when the kernel died, with all it printed and its exit code."""
    return Outcome(reply=await caller.kernel.cells.reattach(caller.front))


@magic
async def lsmagic(caller: Caller) -> Outcome:
    """List the magics there are; `%NAME?` is the help of one."""
    items = {name: item for name in KNOWN if (item := find(name)) is not None}
    width = max(map(len, items))
    caller.front.print("\n".join(f"%{name:<{width}}  {inspect.cleandoc(item.summary)}" for name, item in items.items()))
    return Outcome()

"""What a cell can say to the kernel itself. One entry per magic; part of its help is its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmux_kernel.errors import MagicError
from tmux_kernel.kernel.cell import Call
from tmux_kernel.kernel.screen import screen_text
from tmux_kernel.tmux.keys import key_bytes

if TYPE_CHECKING:
    from tmux_kernel.kernel.kernel import TmuxKernel


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pane for the cell below the magic, or a reply that ends the cell."""

    target: str = ""
    reply: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Who called, and under what conditions."""

    kernel: TmuxKernel
    call: Call
    silent: bool
    allow_stdin: bool

    def only_target(self) -> str:
        if len(self.call.words) != 1:
            raise MagicError(
                f"`%{self.call.name}` takes one pane.",
                suggestion="For example `tues:0.1`, `0.1` (in this notebook's session) or `%3`.",
            )
        (word,) = self.call.words
        if word.startswith("-"):
            raise MagicError(
                f"`%{self.call.name}` has no option {word!r}.", suggestion=f"`%{self.call.name}?` is its help."
            )
        return word


Handler = Callable[[Context], Awaitable[Outcome]]
MAGICS: dict[str, Handler] = {}


def magic(handler: Handler) -> Handler:
    MAGICS[handler.__name__] = handler
    return handler


async def run_magic(kernel: TmuxKernel, call: Call, *, silent: bool, allow_stdin: bool) -> Outcome:
    """Do one magic."""
    handler = MAGICS[call.name]
    context = Context(kernel, call, silent, allow_stdin)
    if call.wants_help:
        page = {"source": "page", "data": {"text/plain": inspect.cleandoc(handler.__doc__ or "")}, "start": 0}
        return Outcome(reply={"status": "ok", "payload": [page]})
    if call.is_cell and call.name != "pane":
        raise MagicError(f"`%%{call.name}` is a line magic.", suggestion=f"Write `%{call.name}`.")
    return await handler(context)


def _print(context: Context, text: str) -> None:
    if not context.silent:
        kernel = context.kernel
        kernel.send_response(kernel.iopub_socket, "stream", {"name": "stdout", "text": text.rstrip("\n") + "\n"})


@magic
async def pane(context: Context) -> Outcome:
    """`%%pane TARGET` runs this cell, `%pane TARGET` this and all later cells, in another pane; `%pane` says which.

    TARGET is `tues:0.1` (session:window.pane), `0.1` (in this notebook's session), `tues` (its active pane),
    `%3` (tmux's own id), or `own` (back to this notebook's pane).
    """
    kernel = context.kernel
    if not context.call.words and not context.call.is_cell:
        shell = await kernel.runner.shell()
        _print(context, shell.facts.name)
        return Outcome()
    target = context.only_target()
    if context.call.is_cell:
        return Outcome(target=target)
    if target == "own":
        kernel.runner.target = ""
        return Outcome()
    shell = await kernel.runner.shell(target)
    kernel.runner.target = shell.facts.id
    return Outcome()


@magic
async def release(context: Context) -> Outcome:
    """`%release TARGET` gives a borrowed pane back: its shell's prompt and settings are as they were."""
    words = context.call.words
    target = context.only_target() if words else context.kernel.runner.target
    if not target:
        raise MagicError("No pane is borrowed.", suggestion="`%release TARGET` names one.")
    await context.kernel.runner.release(target)
    return Outcome()


@magic
async def reattach(context: Context) -> Outcome:
    """`%reattach` shows the run that was going on when the kernel died, with all it printed and its exit code."""
    reply = await context.kernel.reattach(silent=context.silent, allow_stdin=context.allow_stdin)
    return Outcome(reply=reply)


@magic
async def keys(context: Context) -> Outcome:
    """`%keys KEY…` presses keys in the pane, also while a cell runs there.

    Words that name a key are that key (`Enter`, `Escape`, `Up`, `C-c`, `M-x`, `F1`); others are typed as they are.
    """
    if not context.call.words:
        raise MagicError("`%keys` takes the keys to press.", suggestion="For example `%keys :q! Enter`.")
    await context.kernel.runner.open()
    shell = context.kernel.runner.busy_shell() or await context.kernel.runner.shell()
    await shell.paste(b"".join(key_bytes(word) for word in context.call.words))
    return Outcome()


@magic
async def screen(context: Context) -> Outcome:
    """`%screen` shows what is on the pane's screen now."""
    await context.kernel.runner.open()
    shell = context.kernel.runner.busy_shell() or await context.kernel.runner.shell()
    _print(context, await screen_text(context.kernel, shell.facts.id))
    return Outcome()


@magic
async def status(context: Context) -> Outcome:
    """`%status` lists the panes cells have run in and what each is doing."""
    await context.kernel.runner.open()
    lines = []
    for shell in context.kernel.runner.shells:
        run = shell.run
        doing = f"{run.state.value}: {run.command.strip().splitlines()[0]}" if run is not None else shell.phase.value
        if run is not None and run.prompt and run.state.value == "waiting-for-input":
            doing += f" ({run.prompt.strip()})"
        lines.append(f"{shell.facts.name} {shell.facts.id} {doing}")
    _print(context, "\n".join(lines))
    return Outcome()


@magic
async def lsmagic(context: Context) -> Outcome:
    """`%lsmagic` lists the magics there are; `%NAME?` is the help of one."""
    _print(context, "\n".join((handler.__doc__ or "").strip().split("\n")[0] for handler in MAGICS.values()))
    return Outcome()

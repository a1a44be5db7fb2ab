"""Bytes into any pane as if typed. Never in a process's arguments, never left in a buffer, never into copy mode.

tmux itself checks the pane in the same step as the paste, so there is no moment in between.
"""

from __future__ import annotations

import asyncio
import itertools
import os

from tmux_kernel.errors import CommandError, PaneBusyError, PaneNotFoundError, UsageError
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection, lines_of
from tmux_kernel.tmux.target import PaneFacts

_NOT_FREE = "#{||:#{pane_in_mode},#{pane_dead}}"
_buffers = itertools.count(1)


async def paste(connection: Connection, pane: PaneFacts, data: bytes, *, is_bracketed: bool = False) -> None:
    """Put *data* into the pane; with *is_bracketed* marked as pasted, where the program there asks for that."""
    if not data:
        return
    if b"\0" in data:
        raise UsageError("A NUL byte cannot be pasted.", suggestion="`keys C-@` presses it.")
    name = f"tmux-kernel-{os.getpid()}-{next(_buffers)}"
    flags = (*connection.paste_flags, *(("-p",) if is_bracketed else ()))
    paste_it = command("paste-buffer", *flags, "-b", name, "-t", pane.id).decode()
    refuse = f"display-message -p -t {pane.id} '#{{pane_dead}}'"
    futures = connection.post(
        command("set-buffer", "-b", name, "--", data),
        command("if-shell", "-F", "-t", pane.id, _NOT_FREE, refuse, paste_it),
    ) + connection.expect(1)
    replies = await asyncio.gather(*futures)
    try:
        _, _, answer = [lines_of(reply) for reply in replies]
    except CommandError as error:
        connection.post(command("delete-buffer", "-b", name))
        raise PaneNotFoundError(pane.name, []) from error
    if answer:
        connection.post(command("delete-buffer", "-b", name))
        raise _refused(pane, is_dead=answer[0] == "1")


def _refused(pane: PaneFacts, *, is_dead: bool) -> PaneBusyError:
    if is_dead:
        return PaneBusyError(f"Pane {pane.name} is dead. Nothing was typed.", suggestion="Respawn it, or kill it.")
    return PaneBusyError(
        f"Pane {pane.name} is in copy mode. Nothing was typed.",
        suggestion="Leave copy mode there (press q), or choose another pane.",
    )

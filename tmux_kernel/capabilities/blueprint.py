"""A session described whole, and built whole or not at all.

It is built under a name nobody looks for and gets its own name last: a session of that name is a finished one, and of
two callers at once only one gets it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tmux_kernel.capabilities.context import Context
from tmux_kernel.errors import (
    CommandError,
    NoRoomError,
    NotOursError,
    SessionExistsError,
    SessionNotFoundError,
    TmuxNotRunningError,
)
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.session import (
    DEFAULT_SIZE,
    NewSession,
    end_session,
    find_session,
    list_sessions,
    literal,
    make_session,
)
from tmux_kernel.tmux.target import LABEL_OPTION
from tmux_kernel.tmux.turn import turn


@dataclass(frozen=True, slots=True)
class PaneBlueprint:
    directory: str
    label: str = ""
    is_active: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WindowBlueprint:
    """`layout` is a name or tmux's own description; an empty `name` leaves naming to tmux."""

    name: str
    panes: tuple[PaneBlueprint, ...]
    layout: str = ""
    is_active: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionBlueprint:
    """At least one window, each with at least one pane."""

    name: str
    windows: tuple[WindowBlueprint, ...]
    size: tuple[int, int] = DEFAULT_SIZE
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)


Panes = list[list[str]]


async def build(context: Context, plan: SessionBlueprint, *, replace: bool = False) -> Panes:
    """Build *plan*; the ids of its panes by window. When a part of it is refused nothing is left of it.

    A session of its name that is there already is SessionExistsError, or with *replace* ended, if it is ours.
    """
    async with turn("building"):
        if not replace and await is_there(context, plan.name):
            raise session_exists(plan.name)
        return await _build(context, plan, replace=replace)


async def is_there(context: Context, name: str) -> bool:
    """Whether a session has that name; no server, no session."""
    try:
        return any(facts.name == name for facts in await list_sessions(await context.connection()))
    except TmuxNotRunningError:
        return False


async def _build(context: Context, plan: SessionBlueprint, *, replace: bool) -> Panes:
    draft = f"tk-building-{os.getpid()}-{os.urandom(4).hex()}"
    first = plan.windows[0].panes[0]
    new = NewSession(draft, first.directory, plan.size, {**plan.environment, **first.environment})
    await make_session(context.runner.address, new)
    connection = await context.connection()
    session = await find_session(connection, draft)
    try:
        panes = await _furnish(connection, session.id, plan)
        await _publish(context, session.id, plan.name, replace=replace)
    except BaseException as error:
        await end_session(await context.connection(), session)
        if isinstance(error, CommandError) and ("no space" in str(error) or "too small" in str(error)):
            raise NoRoomError(
                f"A window of {plan.name!r} is too small for its panes.", suggestion="Use fewer panes per window."
            ) from error
        raise
    return panes


async def _furnish(connection: Connection, session: str, plan: SessionBlueprint) -> Panes:
    lines = [command("set-option", "-t", f"{session}:", name, value) for name, value in plan.options.items()]
    panes: Panes = []
    for number, window in enumerate(plan.windows):
        if number == 0:
            (pane,) = await connection.command("display-message", "-p", "-t", f"{session}:", "#{pane_id}")
            lines += [command("rename-window", "-t", pane, literal(window.name))] if window.name else []
        else:
            words = ["-d", "-a", "-t", f"{session}:{{end}}", *_start(window.panes[0])]
            words += ["-n", literal(window.name)] if window.name else []
            (pane,) = await connection.command("new-window", *words)
        panes.append(await _fill(connection, pane, window))
    for window, ids in zip(plan.windows, panes, strict=True):
        for blueprint, pane in zip(window.panes, ids, strict=True):
            if blueprint.label:
                lines.append(command("set-option", "-p", "-t", pane, LABEL_OPTION, blueprint.label))
            if blueprint.is_active:
                lines.append(command("select-pane", "-t", pane))
        if window.is_active:
            lines.append(command("select-window", "-t", ids[0]))
    if lines:
        async with turn():
            await connection.commands(*lines)
    return panes


def _start(pane: PaneBlueprint) -> list[str]:
    words = ["-c", literal(pane.directory), "-P", "-F", "#{pane_id}"]
    for name, value in pane.environment.items():
        words += ["-e", f"{name}={value}"]
    return words


async def _fill(connection: Connection, first: str, window: WindowBlueprint) -> list[str]:
    """The window's other panes, each after the one before; tiled meanwhile, so that each has room."""
    await connection.command("set-option", "-w", "-t", first, "pane-base-index", "0")
    panes = [first]
    for blueprint in window.panes[1:]:
        (pane,) = await connection.command("split-window", "-d", "-t", panes[-1], *_start(blueprint))
        panes.append(pane)
        await connection.command("select-layout", "-t", first, "tiled")
    lines = [command("set-option", "-w", "-t", first, name, value) for name, value in window.options.items()]
    lines += [command("select-layout", "-t", first, window.layout)] if window.layout else []
    if lines:
        await connection.commands(*lines)
    return panes


async def _publish(context: Context, session: str, name: str, *, replace: bool) -> None:
    """Give the session its name."""
    if replace:
        await _make_way(context, session, name)
    connection = await context.connection()
    try:
        async with turn():
            await connection.command("rename-session", "-t", session, literal(name))
    except CommandError as error:
        if "duplicate session" not in str(error):
            raise
        raise session_exists(name) from error


async def _make_way(context: Context, session: str, name: str) -> None:
    connection = await context.connection()
    try:
        there = await find_session(connection, name)
    except SessionNotFoundError:
        return
    if context.runner.owns_session and name == context.session:
        raise NotOursError(
            f"Session {name!r} is the one this notebook runs in.", suggestion="Choose another name with --session."
        )
    if not there.is_ours:
        raise NotOursError(
            f"Session {name!r} is not ours to replace.", suggestion="Choose another name with --session."
        )
    if not context.runner.owns_session:  # a visitor may stand in the one that ends
        await connection.command("switch-client", "-t", session)
    await end_session(connection, there)


def session_exists(name: str) -> SessionExistsError:
    return SessionExistsError(
        f"A session named {name!r} is there already.",
        suggestion="--replace ends it first, --session chooses another name.",
    )

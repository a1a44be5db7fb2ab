"""A pane as a user names it, found by its stable id.

`tues:0.1` session:window.pane · `0.1` in our own session · `tues` its active pane · `%3` tmux's id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tmux_kernel.errors import CommandError, PaneNotFoundError, SessionNotFoundError
from tmux_kernel.tmux.connection import Connection

_IN_OWN_SESSION = re.compile(r"\d+\.\d+")
_ID = re.compile(r"%\d+")
_FIELDS = (
    "pane_id",
    "session_name",
    "window_index",
    "pane_index",
    "pane_pid",
    "pane_tty",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "pane_in_mode",
    "pane_pipe",
    "alternate_on",
    "cursor_x",
    "cursor_y",
    "pane_width",
    "pane_height",
    "pane_active",
    "window_active",
    "pane_current_command",
)
_SEPARATOR = "\t"
FORMAT = _SEPARATOR.join(f"#{{{field}}}" for field in _FIELDS)


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """What tmux says about one pane at one moment."""

    id: str
    session: str
    window: int
    index: int
    pid: int
    tty: str
    is_dead: bool
    dead_status: int | None
    is_in_mode: bool
    is_piped: bool
    has_alternate_screen: bool
    cursor: tuple[int, int]
    size: tuple[int, int]
    is_active: bool
    current_command: str

    @property
    def name(self) -> str:
        """session:window.pane, for people."""
        return f"{self.session}:{self.window}.{self.index}"

    @classmethod
    def parse(cls, line: str) -> PaneFacts:
        value = dict(zip(_FIELDS, line.split(_SEPARATOR), strict=False))
        status = value["pane_dead_status"]
        signal = value["pane_dead_signal"]
        dead_status = int(status) if status else 128 + int(signal) if signal else None
        return cls(
            id=value["pane_id"],
            session=value["session_name"],
            window=int(value["window_index"]),
            index=int(value["pane_index"]),
            pid=int(value["pane_pid"] or 0),
            tty=value["pane_tty"],
            is_dead=value["pane_dead"] == "1",
            dead_status=dead_status,
            is_in_mode=value["pane_in_mode"] not in ("", "0"),
            is_piped=value["pane_pipe"] == "1",
            has_alternate_screen=value["alternate_on"] == "1",
            cursor=(int(value["cursor_x"]), int(value["cursor_y"])),
            size=(int(value["pane_width"]), int(value["pane_height"])),
            is_active=value["pane_active"] == "1" and value["window_active"] == "1",
            current_command=value["pane_current_command"],
        )


async def pane_facts(connection: Connection, pane: str) -> PaneFacts:
    """Facts of a pane by its id; PaneNotFoundError when it is gone."""
    try:
        (line,) = await connection.command("display-message", "-p", "-t", pane, FORMAT)
        facts = PaneFacts.parse(line)
    except (CommandError, ValueError) as error:
        raise PaneNotFoundError(pane, await _pane_names(connection)) from error
    if facts.id != pane:  # display-message falls back to another pane instead of failing
        raise PaneNotFoundError(pane, await _pane_names(connection))
    return facts


async def list_panes(connection: Connection) -> list[PaneFacts]:
    """Every pane of the server."""
    return [PaneFacts.parse(line) for line in await connection.command("list-panes", "-a", "-F", FORMAT)]


async def resolve(connection: Connection, target: str, *, own_session: str) -> PaneFacts:
    """The pane *target* names. An unknown session or pane is an error that lists what there is."""
    panes = await list_panes(connection)
    if _ID.fullmatch(target):
        found = [pane for pane in panes if pane.id == target]
    elif _IN_OWN_SESSION.fullmatch(target):
        found = [pane for pane in panes if pane.name == f"{own_session}:{target}"]
    elif ":" in target:
        found = _in_session(panes, *target.rsplit(":", 1))
    else:
        found = [pane for pane in _session(panes, target) if pane.is_active]
    if not found:
        raise PaneNotFoundError(target, [f"{pane.name} ({pane.id})" for pane in panes])
    return found[0]


def _in_session(panes: list[PaneFacts], session: str, rest: str) -> list[PaneFacts]:
    inside = _session(panes, session)
    if _ID.fullmatch(rest):
        return [pane for pane in inside if pane.id == rest]
    return [pane for pane in inside if f"{pane.window}.{pane.index}" == rest]


def _session(panes: list[PaneFacts], session: str) -> list[PaneFacts]:
    inside = [pane for pane in panes if pane.session == session]
    if not inside:
        raise SessionNotFoundError(session, sorted({pane.session for pane in panes}))
    return inside


async def _pane_names(connection: Connection) -> list[str]:
    return [f"{pane.name} ({pane.id})" for pane in await list_panes(connection)]

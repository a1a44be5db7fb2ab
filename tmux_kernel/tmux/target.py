"""A pane as a user names it, found by its stable id.

`tues:0.1` session:window.pane · `tues:0` a window's active pane · `0.1` in our own session · `tues` its active pane ·
`%3` tmux's id · a pane's label · a glob over labels, for several.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tmux_kernel.errors import AmbiguousTargetError, CommandError, PaneNotFoundError, SessionNotFoundError
from tmux_kernel.tmux.connection import Connection

# A pane's label is an option of the pane: it stays with it wherever it moves.
LABEL_OPTION = "@tmux_kernel_label"
# Set on every session we made, and on no other.
OWNER_OPTION = "@tmux_kernel"
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
    "window_id",
    "window_name",
    "pane_left",
    "pane_top",
    "pane_current_path",
    LABEL_OPTION,
    OWNER_OPTION,
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
    is_window_active: bool = False
    window_id: str = ""
    window_name: str = ""
    position: tuple[int, int] = (0, 0)
    directory: str = ""
    label: str = ""
    is_ours: bool = False

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
            is_window_active=value["pane_active"] == "1",
            window_id=value["window_id"],
            window_name=value["window_name"],
            position=(int(value["pane_left"] or 0), int(value["pane_top"] or 0)),
            directory=value["pane_current_path"],
            label=value[LABEL_OPTION],
            is_ours=bool(value[OWNER_OPTION]),
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
    """The one pane *target* names. Unknown or ambiguous is an error that lists what there is."""
    panes = await list_panes(connection)
    found = match(panes, target, own_session=own_session)
    if len(found) > 1:
        raise AmbiguousTargetError(target, [described(pane) for pane in found])
    return found[0]


async def resolve_many(connection: Connection, targets: Sequence[str], *, own_session: str) -> list[PaneFacts]:
    """Every pane *targets* name, each once, in their order; globs over labels are welcome."""
    panes = await list_panes(connection)
    found = [pane for target in targets for pane in match(panes, target, own_session=own_session)]
    return list({pane.id: pane for pane in found}.values())


def match(panes: Sequence[PaneFacts], target: str, *, own_session: str) -> list[PaneFacts]:
    """The panes *target* names: one, or several for a label given twice or a glob. Never none."""
    if _ID.fullmatch(target):
        found = [pane for pane in panes if pane.id == target]
    elif _IN_OWN_SESSION.fullmatch(target):
        found = _in_window([pane for pane in panes if pane.session == own_session], target)
    elif labelled := [pane for pane in panes if pane.label and pane.label == target]:
        found = labelled
    elif any(char in target for char in "*?["):
        found = [pane for pane in panes if pane.label and fnmatch.fnmatchcase(pane.label, target)]
    elif ":" in target:
        session, _, rest = target.rpartition(":")
        found = _in_window(_session(panes, session), rest)
    else:
        found = [pane for pane in _session(panes, target) if pane.is_active]
    if not found:
        raise PaneNotFoundError(target, [described(pane) for pane in panes])
    return found


def described(pane: PaneFacts) -> str:
    """A pane in a list of candidates: its name, its id, its label if it has one."""
    return f"{pane.name} ({pane.id}{f', {pane.label}' if pane.label else ''})"


def _in_window(panes: Sequence[PaneFacts], rest: str) -> list[PaneFacts]:
    if _ID.fullmatch(rest):
        return [pane for pane in panes if pane.id == rest]
    if "." in rest or not rest:
        return [pane for pane in panes if f"{pane.window}.{pane.index}" == rest]
    return [pane for pane in panes if rest in (str(pane.window), pane.window_name) and pane.is_window_active]


def _session(panes: Sequence[PaneFacts], session: str) -> list[PaneFacts]:
    inside = [pane for pane in panes if pane.session == session]
    if not inside:
        raise SessionNotFoundError(session, sorted({pane.session for pane in panes}))
    return inside


async def _pane_names(connection: Connection) -> list[str]:
    return [described(pane) for pane in await list_panes(connection)]

"""tmuxp's session format, read into a blueprint and what is to be typed.

Every key that is not understood is a warning with its place; what is understood but makes no sense is UsageError.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tmux_kernel.capabilities.blueprint import PaneBlueprint, SessionBlueprint, WindowBlueprint
from tmux_kernel.capabilities.restore import nearest_directory
from tmux_kernel.errors import UsageError
from tmux_kernel.tmux.session import session_name

_SESSION_KEYS = {
    "session_name", "start_directory", "environment", "options", "shell_command_before", "suppress_history", "windows",
}  # fmt: skip
_WINDOW_KEYS = {
    "window_name", "layout", "start_directory", "focus", "environment", "options", "options_after",
    "shell_command_before", "suppress_history", "panes",
}  # fmt: skip
_PANE_KEYS = {
    "shell_command", "focus", "start_directory", "title", "label", "environment", "shell_command_before",
    "suppress_history",
}  # fmt: skip
_EMPTY_PANES = (None, "", "blank", "pane")


@dataclass(frozen=True, slots=True)
class Workspace:
    """What to build; `commands` are the lines to type, by window and pane."""

    plan: SessionBlueprint
    commands: list[list[list[str]]]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a part hands down to the parts inside it."""

    directory: str
    before: tuple[str, ...]
    is_hidden: bool

    def inside(self, part: Mapping[str, Any], place: str) -> _Scope:
        directory = os.path.join(self.directory, _expanded(str(part.get("start_directory") or "")))
        before = (*self.before, *_commands(part.get("shell_command_before"), f"{place}shell_command_before"))
        is_hidden = bool(part.get("suppress_history", self.is_hidden))
        return _Scope(os.path.normpath(directory), before, is_hidden)


def parse(text: str, directory: str) -> Workspace:
    """The workspace *text* describes; its relative directories are below *directory*."""
    data = _mapping(_load(text), "the description")
    warnings: list[str] = []
    _warn_of_others(data, _SESSION_KEYS, "", warnings)
    name = session_name(_expanded(str(data.get("session_name") or "")))
    scope = _Scope(directory, (), is_hidden=True).inside(data, "")
    parts = _list(data.get("windows"), "windows")
    if not parts:
        raise UsageError("The description has no windows.", suggestion="Give `windows:` at least one.")
    windows: list[WindowBlueprint] = []
    commands: list[list[list[str]]] = []
    for number, part in enumerate(parts):
        window, typed = _window(_mapping(part, f"windows[{number}]"), scope, f"windows[{number}].", warnings)
        windows.append(window)
        commands.append(typed)
    environment = _strings(data.get("environment"), "environment")
    plan = SessionBlueprint(
        name, tuple(windows), environment=environment, options=_strings(data.get("options"), "options")
    )
    return Workspace(plan, commands, list(dict.fromkeys(warnings)))


def _window(
    part: Mapping[str, Any], outer: _Scope, place: str, warnings: list[str]
) -> tuple[WindowBlueprint, list[list[str]]]:
    _warn_of_others(part, _WINDOW_KEYS, place, warnings)
    scope = outer.inside(part, place)
    environment = _strings(part.get("environment"), f"{place}environment")
    panes, commands = [], []
    for number, item in enumerate(_list(part.get("panes"), f"{place}panes") or [None]):
        pane = _pane_mapping(item, f"{place}panes[{number}]")
        inner = f"{place}panes[{number}]."
        _warn_of_others(pane, _PANE_KEYS, inner, warnings)
        own = scope.inside(pane, inner)
        typed = [*own.before, *_commands(pane.get("shell_command"), f"{inner}shell_command")]
        commands.append([f" {line}" if own.is_hidden else line for line in typed])
        panes.append(
            PaneBlueprint(
                nearest_directory(own.directory, warnings),
                str(pane.get("label") or pane.get("title") or ""),
                _is_true(pane.get("focus")),
                {**environment, **_strings(pane.get("environment"), f"{inner}environment")},
            )
        )
    options = {
        **_strings(part.get("options"), f"{place}options"),
        **_strings(part.get("options_after"), f"{place}options_after"),
    }
    name, layout = _expanded(str(part.get("window_name") or "")), str(part.get("layout") or "")
    return WindowBlueprint(name, tuple(panes), layout, _is_true(part.get("focus")), options), commands


def _load(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass  # YAML may begin with a brace too
    import yaml  # only who needs it pays for it

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"The description is not YAML: {' '.join(str(error).split())}.") from error


def _pane_mapping(item: Any, place: str) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    if item in _EMPTY_PANES:
        return {}
    if isinstance(item, str | list):
        return {"shell_command": item}
    raise _wrong(place, "a command, a list of them, or a mapping")


def _commands(value: Any, place: str) -> list[str]:
    """Lines to type: one, several, or `{cmd: …}`; a line break in one is the end of a line."""
    if value in _EMPTY_PANES:
        return []
    if isinstance(value, str):
        return value.strip("\n").splitlines()
    if isinstance(value, Mapping):
        return _commands(value.get("cmd", value.get("shell_command")), place)
    if isinstance(value, Sequence):
        return [line for item in value for line in _commands(item, place)]
    raise _wrong(place, "a command or a list of them")


def _warn_of_others(part: Mapping[str, Any], known: set[str], place: str, warnings: list[str]) -> None:
    warnings.extend(f"{place}{key} is not understood and was left out." for key in part if key not in known)


def _strings(value: Any, place: str) -> dict[str, str]:
    found = _mapping(value if value is not None else {}, place)
    return {str(name): _expanded(_word(item)) for name, item in found.items()}


def _word(value: Any) -> str:
    """As tmux writes it."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _expanded(text: str) -> str:
    return os.path.expandvars(os.path.expanduser(text))


def _is_true(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise _wrong(place, "a mapping")


def _list(value: Any, place: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise _wrong(place, "a list")


def _wrong(place: str, wanted: str) -> UsageError:
    return UsageError(f"{place} is not {wanted}.", suggestion="tmuxp's documentation describes the format.")

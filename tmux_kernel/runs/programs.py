"""Interactive programs by profile: how each is started, when it is ready, when it is busy, how it is left.

The user's own are in `programs.json` in our state directory, by name, with the same fields; they come before ours.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields

from tmux_kernel.errors import UsageError
from tmux_kernel.runs.memory import state_root


@dataclass(frozen=True, slots=True)
class Profile:
    """*ready* matches the line the cursor is on, *busy* anything on the screen; *leave* is keys by name.

    *processes* are beginnings of the names its process may have; one that *draws* has a screen instead of lines.
    """

    name: str
    command: str
    ready: str
    busy: str = ""
    leave: tuple[str, ...] = ("C-d",)
    processes: tuple[str, ...] = ()
    draws: bool = False

    def is_process(self, name: str) -> bool:
        return name.startswith(self.processes or (self.name,))


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("bash", "bash", r"[$#] ?$", leave=("exit", "Enter")),
        Profile("python", "python3 -q", r"^(?:>>>|\.\.\.) ?$"),
        Profile("psql", "psql", r"^[\w.@:/ -]*[=\-('\"*^!][#>] ?$", leave=(r"\q", "Enter")),
        Profile("sqlite3", "sqlite3", r"^(?:sqlite| +\.\.\.)> ?$", leave=(".quit", "Enter")),
        Profile(
            "claude",
            "claude",
            r"^[│ ]*[>❯]",
            busy=r"(?i)esc to interrupt",
            leave=("C-c", "C-c"),
            processes=("claude", "node"),
            draws=True,
        ),
    )
}


def profile_of(name: str) -> Profile:
    """The user's profile of that name, else ours; UsageError lists those there are."""
    known = {**PROFILES, **_own_profiles()}
    if name not in known:
        path = state_root() / "programs.json"
        raise UsageError(
            f"There is no profile of {name!r}.", suggestion=f"There are {', '.join(known)}; your own go into {path}."
        )
    return known[name]


def _own_profiles() -> dict[str, Profile]:
    path = state_root() / "programs.json"
    try:
        data = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path} has to be an object of profiles by name.")
    return {name: _profile(name, entry) for name, entry in data.items()}


def _profile(name: str, entry: object) -> Profile:
    allowed = {field.name for field in fields(Profile)} - {"name"}
    if not isinstance(entry, dict) or not {"command", "ready"} <= set(entry) <= allowed:
        raise UsageError(
            f"The profile of {name!r} in programs.json is not one.",
            suggestion=f"It has command and ready, and may have {', '.join(sorted(allowed - {'command', 'ready'}))}.",
        )
    try:
        for pattern in (entry["ready"], entry.get("busy", "")):
            re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"A pattern of {name!r} in programs.json is none: {error}.") from error
    listed = {key: tuple(entry[key]) for key in ("leave", "processes") if key in entry}
    return Profile(name, **{**entry, **listed})

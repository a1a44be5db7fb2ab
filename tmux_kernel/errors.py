"""The whole error tree.

Every error says what happened, where, and what to do next; `code` is the stable word programs match on.
"""

from __future__ import annotations

from collections.abc import Sequence


class TmuxKernelError(Exception):
    """Base of everything this package raises on purpose."""

    code = "COMMAND_FAILED"

    def __init__(self, message: str, *, suggestion: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion

    def __str__(self) -> str:
        return f"{self.message}\n{self.suggestion}" if self.suggestion else self.message


class TmuxMissingError(TmuxKernelError):
    """There is no tmux on PATH."""

    code = "TMUX_MISSING"


class TmuxTooOldError(TmuxKernelError):
    """tmux is older than the oldest version this package drives."""

    code = "TMUX_TOO_OLD"


class TmuxNotRunningError(TmuxKernelError):
    """No tmux server answers on the chosen socket."""

    code = "TMUX_NOT_RUNNING"


class ConnectionLostError(TmuxKernelError):
    """tmux went away: reconnect, the panes may live on."""

    code = "CONNECTION_LOST"


class CommandError(TmuxKernelError):
    """tmux refused one command: the connection is still good."""

    code = "COMMAND_FAILED"


class SessionExistsError(TmuxKernelError):
    code = "SESSION_EXISTS"


class SessionNotFoundError(TmuxKernelError):
    """Carries the sessions there are."""

    code = "SESSION_NOT_FOUND"

    def __init__(self, target: str, sessions: Sequence[str]) -> None:
        there = ", ".join(sessions) or "none"
        super().__init__(f"Session {target!r} not found.", suggestion=f"Sessions are: {there}.")
        self.sessions = tuple(sessions)


class PaneNotFoundError(TmuxKernelError):
    """Carries the panes there are."""

    code = "PANE_NOT_FOUND"

    def __init__(self, target: str, panes: Sequence[str]) -> None:
        there = ", ".join(panes) or "none"
        super().__init__(f"Pane {target!r} not found.", suggestion=f"Panes are: {there}.")
        self.panes = tuple(panes)


class AmbiguousTargetError(TmuxKernelError):
    """Several panes where one is needed; carries them."""

    code = "AMBIGUOUS_TARGET"

    def __init__(self, target: str, panes: Sequence[str]) -> None:
        super().__init__(f"{target!r} names {len(panes)} panes.", suggestion=f"Choose one of: {', '.join(panes)}.")
        self.panes = tuple(panes)


class RunNotFoundError(TmuxKernelError):
    """Carries the runs there are."""

    code = "RUN_NOT_FOUND"

    def __init__(self, run: str, runs: Sequence[str]) -> None:
        there = ", ".join(runs) or "none"
        super().__init__(f"Run {run!r} not found.", suggestion=f"Runs are: {there}.")
        self.runs = tuple(runs)


class UsageError(TmuxKernelError):
    """A capability was called with words or values it does not take."""

    code = "USAGE"


class NotOursError(TmuxKernelError):
    """What would be ended is not in a session we made; nothing was done."""

    code = "NOT_OURS"


class LastPaneError(TmuxKernelError):
    """With it the session would end; nothing was done."""

    code = "LAST_PANE"


class NoRoomError(TmuxKernelError):
    """The window is too small for that; it is as it was."""

    code = "NO_ROOM"


class RunTimeoutError(TmuxKernelError):
    """A deadline passed; says what was done about it."""

    code = "TIMEOUT"


class PaneBusyError(TmuxKernelError):
    """The pane is not at an empty prompt; nothing was typed into it."""

    code = "PANE_BUSY"


class ShellGoneError(TmuxKernelError):
    """The pane's shell has ended; nothing was typed."""

    code = "SHELL_GONE"


class ShellNotSupportedError(TmuxKernelError):
    """What runs in the pane is not a shell cells can be run in."""

    code = "SHELL_NOT_SUPPORTED"


class FeedLostError(TmuxKernelError):
    """The pane's bytes stopped being recorded."""

    code = "FEED_LOST"


class IncompleteCommandError(TmuxKernelError):
    """The cell would wait for more input for ever; nothing was sent."""

    code = "INCOMPLETE_COMMAND"


class MagicError(TmuxKernelError):
    """A magic was called with words it does not take."""

    code = "BAD_MAGIC"

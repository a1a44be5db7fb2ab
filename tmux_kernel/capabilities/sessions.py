"""Every session of the server, and the end of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.errors import NotOursError, TmuxNotRunningError
from tmux_kernel.tmux.session import SessionFacts, end_session, list_sessions


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session, for a list; `people` is how many terminals look at it."""

    name: str
    windows: int
    created: int
    people: int
    is_ours: bool
    directory: str

    @classmethod
    def of(cls, facts: SessionFacts) -> SessionLine:
        return cls(facts.name, facts.windows, facts.created, facts.people, facts.is_ours, facts.directory)

    @property
    def text(self) -> str:
        attached = f", {self.people} attached" if self.people else ""
        ours = " (ours)" if self.is_ours else ""
        return f"{self.name}{ours}: {self.windows} window{'s' * (self.windows != 1)}{attached} {self.directory}"


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions there are, after `killed` ended."""

    sessions: list[SessionLine]
    killed: list[str]

    @property
    def text(self) -> str:
        lines = [f"Session {name} is gone" for name in self.killed]
        return "\n".join([*lines, *(session.text for session in self.sessions)]) or "There are no sessions."


@capability
async def sessions(
    context: Context,
    *,
    ours: Annotated[bool, Arg("only those we made")] = False,
    kill: Annotated[str, Arg("end this session first", metavar="NAME", values="session")] = "",
    force: Annotated[bool, Arg("also when it is not ours")] = False,
) -> SessionList:
    """List sessions; `--kill NAME` ends one of ours, and somebody's only with --force (NOT_OURS).

    Ending one that is gone already is no error.
    """
    killed: list[str] = []
    try:
        there = await list_sessions(await context.connection())
        for facts in there:
            if kill and facts.name == kill:
                if not facts.is_ours and not force:
                    raise NotOursError(f"Session {kill!r} is not ours.", suggestion="--force ends it all the same.")
                await end_session(await context.connection(), facts)
                killed.append(kill)
                there = [other for other in there if other.id != facts.id]
    except TmuxNotRunningError:
        there = []
    return SessionList([SessionLine.of(facts) for facts in there if facts.is_ours or not ours], killed)

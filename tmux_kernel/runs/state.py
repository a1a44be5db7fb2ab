"""The life of a run, as a table."""

from __future__ import annotations

import enum


class State(enum.Enum):
    """What a run is doing; the value is the word shown to people and programs."""

    SENT = "sent"
    RUNNING = "running"
    WAITING = "waiting-for-input"
    FULLSCREEN = "full-screen"
    RAW = "raw"
    FINISHED = "finished"
    DEAD = "dead"


class Signal(enum.Enum):
    STARTED = "the shell began to run it"
    ASKED = "something reads the terminal"
    ANSWERED = "nothing reads the terminal any more"
    TOOK_SCREEN = "a program draws on the whole screen"
    TOOK_PANE = "a program with a prompt of its own has the pane"
    ENDED = "the shell is back at its prompt"
    PANE_DIED = "the shell or its pane is gone"


_ALIVE = {
    Signal.STARTED: State.RUNNING,
    Signal.ASKED: State.WAITING,
    Signal.TOOK_SCREEN: State.FULLSCREEN,
    Signal.TOOK_PANE: State.RAW,
    Signal.ENDED: State.FINISHED,
    Signal.PANE_DIED: State.DEAD,
}

TRANSITIONS: dict[State, dict[Signal, State]] = {
    State.SENT: {
        Signal.STARTED: State.RUNNING,
        Signal.ENDED: State.FINISHED,
        Signal.PANE_DIED: State.DEAD,
    },
    State.RUNNING: _ALIVE,
    State.WAITING: {**_ALIVE, Signal.ANSWERED: State.RUNNING},
    State.FULLSCREEN: {**_ALIVE, Signal.ANSWERED: State.RUNNING},
    State.RAW: {**_ALIVE, Signal.ANSWERED: State.RUNNING},
    State.FINISHED: {},
    State.DEAD: {},
}

OVER = frozenset({State.FINISHED, State.DEAD})


def after(state: State, signal: Signal) -> State:
    """The state *signal* leads to; a signal that means nothing in *state* changes nothing."""
    return TRANSITIONS[state].get(signal, state)

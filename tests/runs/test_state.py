from __future__ import annotations

import itertools

import pytest

from tmux_kernel.runs.state import OVER, TRANSITIONS, Signal, State, after

ALIVE = [State.RUNNING, State.WAITING, State.FULLSCREEN, State.RAW]
MEANING = {
    Signal.STARTED: State.RUNNING,
    Signal.ASKED: State.WAITING,
    Signal.ANSWERED: State.RUNNING,
    Signal.TOOK_SCREEN: State.FULLSCREEN,
    Signal.TOOK_PANE: State.RAW,
    Signal.ENDED: State.FINISHED,
    Signal.PANE_DIED: State.DEAD,
}
# A command that has not begun asks for nothing and draws nothing.
BEFORE_THE_START = {Signal.STARTED, Signal.ENDED, Signal.PANE_DIED}


def expected(state: State, signal: Signal) -> State:
    if state in OVER or (state is State.SENT and signal not in BEFORE_THE_START):
        return state
    return MEANING[signal]


@pytest.mark.parametrize(("state", "signal"), list(itertools.product(State, Signal)))
def test_every_signal_in_every_state_leads_where_it_means(state: State, signal: Signal) -> None:
    assert after(state, signal) is expected(state, signal)


def test_every_state_has_its_row() -> None:
    assert set(TRANSITIONS) == set(State)


@pytest.mark.parametrize("signal", Signal)
def test_nothing_wakes_a_run_that_is_over(signal: Signal) -> None:
    assert {state: after(state, signal) for state in OVER} == {state: state for state in OVER}


@pytest.mark.parametrize("state", [State.SENT, *ALIVE])
def test_a_run_that_is_not_over_can_end_and_can_die(state: State) -> None:
    assert after(state, Signal.ENDED) is State.FINISHED
    assert after(state, Signal.PANE_DIED) is State.DEAD


def test_every_state_can_be_reached_from_sent() -> None:
    reached = {State.SENT}
    while more := {after(state, signal) for state in reached for signal in Signal} - reached:
        reached |= more
    assert reached == set(State)

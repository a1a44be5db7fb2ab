"""Ways to call a capability on the test's own tmux server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.capabilities.face import Caller, Script
from tests.conftest import Bench, Tmux
from tmux_kernel.capabilities.context import Context
from tmux_kernel.runs.runner import Runner


@pytest.fixture
async def caller(tmux: Tmux) -> AsyncIterator[Caller]:
    """Somebody on the command line: visits the sessions of the test's server."""
    runner = Runner.visiting(tmux.address)
    yield Caller(Context(runner))
    await runner.close()


@pytest.fixture
async def notebook(bench: Bench) -> Caller:
    """A notebook with a session of its own."""
    return Caller(Context(bench.runner, is_notebook=True))


@pytest.fixture
def script(tmux: Tmux) -> Script:
    return Script()

"""A control-mode connection to the test's own server, and waiting for what must come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from tests.conftest import Tmux
from tmux_kernel.tmux.connection import Connection
from tmux_kernel.tmux.server import start_client

WAIT_SECONDS = 10.0


async def until(is_so: Callable[[], bool], what: str) -> None:
    """Return as soon as *is_so*; fail, saying *what* did not come, after a deadline."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.005)


@pytest.fixture
async def connection(tmux: Tmux) -> AsyncIterator[Connection]:
    """Attached to the session `own`, which it made; its one pane runs `cat`."""
    connection = Connection(start_client(tmux.address, "new-session", "-s", "own", "-x", "80", "-y", "24", "cat"))
    await connection.ready()
    yield connection
    connection.close()

"""One at a time: our processes of one user take turns to greet tmux, to leave it, to make or end sessions, and to
change which pane or window is the active one.

tmux 3.3 ends, with every session in it, when it has news of any of these to tell while a control client says hello.
What people do to their sessions at that moment is not in our hands; what we do is.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator


@contextlib.asynccontextmanager
async def turn(matter: str = "turn") -> AsyncIterator[None]:
    """Hold the turn in one *matter*; brief, and not for waiting on people. Not to be taken twice."""
    path = os.path.join(tempfile.gettempdir(), f"tmux-kernel-{os.getuid()}.{matter}")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # somebody else's file in our place: without turns, as tmux itself goes
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

"""One borrower of a pane at a time, whatever process it is in. A process that dies lets go by that."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from tmux_kernel.errors import PaneBusyError
from tmux_kernel.runs.memory import state_root
from tmux_kernel.runs.pane import private_directory
from tmux_kernel.tmux.target import PaneFacts


@contextlib.contextmanager
def claimed(server_pid: int, pane: PaneFacts) -> Iterator[None]:
    """Hold the pane for the block; PaneBusyError when another has it."""
    path = private_directory(state_root() / "claims") / f"{server_pid}-{pane.id.lstrip('%')}"
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise PaneBusyError(
                f"Pane {pane.name} is busy: another tmux-kernel command runs there. Nothing was typed.",
                suggestion="Wait for it with `wait --prompt`, or choose another pane.",
            ) from None
        with contextlib.suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                break
        os.close(descriptor)  # its last holder removed it between our two steps
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)

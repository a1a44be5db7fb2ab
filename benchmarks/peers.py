"""Kernels to measure, each started fresh with an empty home and, for ours, a tmux server of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Peer:
    name: str
    argv: tuple[str, ...]
    wrap: str = "{}"
    interrupt_mode: str = "signal"

    def cell(self, code: str) -> str:
        return self.wrap.format(code)


OURS = Peer("tmux-kernel", ("-m", "tmux_kernel.kernel", "-f", "{connection_file}"), interrupt_mode="message")
UNLIMITED = Peer(
    "tmux-kernel, no cap",
    (*OURS.argv, "--TmuxKernel.output_limit=0", "--TmuxKernel.output_rate=0"),
    interrupt_mode="message",
)
EMPTY = Peer("empty ipykernel", (str(HERE / "empty_kernel.py"), "-f", "{connection_file}"))
BASH = Peer("bash_kernel", ("-m", "bash_kernel", "-f", "{connection_file}"))
CALYSTO = Peer("calysto_bash", ("-m", "calysto_bash", "-f", "{connection_file}"))
IPYTHON = Peer("ipykernel %%bash", ("-m", "ipykernel_launcher", "-f", "{connection_file}"), "%%bash\n{}")
PEERS = (OURS, EMPTY, BASH, CALYSTO, IPYTHON)


def write_specs(directory: Path) -> None:
    """Kernel specs for every peer, found through JUPYTER_PATH."""
    for peer in (*PEERS, UNLIMITED):
        spec = directory / "kernels" / _slug(peer)
        spec.mkdir(parents=True, exist_ok=True)
        content = {
            "argv": [sys.executable, *peer.argv],
            "display_name": peer.name,
            "language": "bash",
            "interrupt_mode": peer.interrupt_mode,
        }
        (spec / "kernel.json").write_text(json.dumps(content))


def _slug(peer: Peer) -> str:
    return "bench-" + "".join(char if char.isalnum() else "-" for char in peer.name.lower())


class Kernel:
    """A started kernel and its client."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.manager = KernelManager(kernel_name=_slug(peer))
        self.manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    @property
    def pid(self) -> int:
        return int(self.manager.provisioner.process.pid)  # type: ignore[union-attr]

    def run(self, code: str, *, timeout: float = 60.0, until: str = "idle") -> tuple[float, str]:
        """(seconds until the reply and the idle status, or the first stream; all stream text)."""
        client = self.client
        start = time.perf_counter()
        message = client.execute(self.peer.cell(code), allow_stdin=False)
        parts: list[str] = []
        first = None
        while True:
            event: dict[str, Any] = client.get_iopub_msg(timeout=timeout)
            if event["parent_header"].get("msg_id") != message:
                continue
            if event["msg_type"] == "stream":
                first = first or time.perf_counter()
                parts.append(event["content"]["text"])
            elif event["msg_type"] == "status" and event["content"]["execution_state"] == "idle":
                break
        while client.get_shell_msg(timeout=timeout)["parent_header"].get("msg_id") != message:
            pass
        end = time.perf_counter()
        return ((first or end) if until == "first" else end) - start, "".join(parts)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=False)


@contextlib.contextmanager
def started(peer: Peer) -> Iterator[Kernel]:
    kernel = Kernel(peer)
    try:
        yield kernel
    finally:
        kernel.close()


def tmux(*words: str) -> str:
    line = ["tmux", "-L", os.environ["TMUX_KERNEL_SOCKET"], "-f", "/dev/null", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout

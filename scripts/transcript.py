"""Run a notebook and print it as a transcript while it runs: each cell's commands, output and exit code.

The tmux server, the state directory and the kernel are the run's own; none of them is left behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


class Transcript(NotebookClient):
    """A notebook client that prints what arrives."""

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        content = msg["content"]
        if msg["msg_type"] == "execute_input":
            shown = "\n".join(f"  {line}" for line in content["code"].rstrip().split("\n"))
            print(f"\x1b[1m[{content['execution_count']}]\x1b[0m\n{shown}", flush=True)
        elif msg["msg_type"] == "stream":
            print(content["text"], end="", flush=True)
        elif msg["msg_type"] == "error":
            print(f"\x1b[31m{content['ename']}: {content['evalue']}\x1b[0m", flush=True)
        return super().process_message(msg, cell, cell_index)


def main(path: Path) -> int:
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"TMUX_KERNEL_SOCKET": f"tk-run-{os.getpid()}", "TMUX_KERNEL_STATE": scratch}
        resources = {"metadata": {"path": str(path.parent)}}
        client = Transcript(notebook, kernel_name="tmux", resources=resources, extra_arguments=["--log-level=ERROR"])
        try:
            client.execute()
        except CellExecutionError:
            return 1
        finally:
            line = ["tmux", "-L", os.environ["TMUX_KERNEL_SOCKET"], "kill-server"]
            subprocess.run(line, stderr=subprocess.DEVNULL, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

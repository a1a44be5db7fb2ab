"""Run notebooks on a tmux server of their own and store their outputs, ready to be committed.

`python scripts/refresh_notebooks.py notebooks/*.ipynb`
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def refresh(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    # Neither times nor the way output was cut into messages belong in a file under version control.
    NotebookClient(notebook, record_timing=False, coalesce_streams=True, resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, path)
    print(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"TMUX_KERNEL_SOCKET": f"tk-refresh-{os.getpid()}", "TMUX_KERNEL_STATE": scratch}
        os.environ["TMUX_KERNEL_TMUX_CONF"] = "/dev/null"
        try:
            for name in sys.argv[1:]:
                refresh(Path(name))
        finally:
            subprocess.run(["tmux", "-L", os.environ["TMUX_KERNEL_SOCKET"], "kill-server"], check=False)


if __name__ == "__main__":
    main()

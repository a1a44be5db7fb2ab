"""Notebooks replayed by nbval: outputs are compared, failures are seen, nothing hangs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.kernel.conftest import Desk


def _replay(desk: Desk, *cells: Any) -> subprocess.CompletedProcess[str]:
    metadata = {"kernelspec": {"name": "tmux", "display_name": "tmux (bash)", "language": "bash"}}
    for number, cell in enumerate(cells, 1):
        cell["execution_count"] = number
    path = desk.work / "replayed.ipynb"
    nbformat.write(new_notebook(cells=list(cells), metadata=metadata), path)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        str(path),
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(desk.work),
    ]
    return subprocess.run(
        command, cwd=desk.work, env=desk.environment, capture_output=True, text=True, check=False, timeout=90
    )


def _printed(text: str) -> Any:
    return new_output("stream", name="stdout", text=text)


def _failed(ename: str, evalue: str) -> Any:
    return new_output("error", ename=ename, evalue=evalue, traceback=[])


def test_a_notebook_with_its_outputs_passes(desk: Desk) -> None:
    done = _replay(
        desk,
        new_code_cell("word=hello\necho $word", outputs=[_printed("hello\n")]),
        new_code_cell("for n in 1 2; do echo $n; sleep .1; done", outputs=[_printed("1\n2\n")]),
        new_code_cell(
            "echo before; (exit 3)",
            outputs=[_printed("before\n"), _failed("CommandFailed", "exit code 3")],
            metadata={"tags": ["raises-exception"]},
        ),
        new_code_cell(
            "read answer",
            outputs=[_failed("InputNotAllowed", "bash waits for input")],
            metadata={"tags": ["raises-exception"]},
        ),
        new_code_cell(
            "less /etc/passwd",
            outputs=[_failed("InputNotAllowed", "less is a full-screen program and waits for keys")],
            metadata={"tags": ["raises-exception"]},
        ),
        new_code_cell("# NBVAL_IGNORE_OUTPUT\ndate"),
        new_code_cell("echo $word", outputs=[_printed("hello\n")]),
    )
    assert "7 passed" in done.stdout, done.stdout
    assert done.returncode == 0


def test_a_wrong_output_and_a_failing_cell_are_reported(desk: Desk) -> None:
    done = _replay(
        desk,
        new_code_cell("echo now", outputs=[_printed("then\n")]),
        new_code_cell("false"),
        new_code_cell("echo on", outputs=[_printed("on\n")]),
    )
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    assert done.returncode == 1

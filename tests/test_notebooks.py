"""Every notebook in notebooks/ replays, as a user's `pytest --nbval` replays it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Tmux

NOTEBOOKS = sorted(Path(__file__).parent.parent.joinpath("notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_replays_with_nbval_as_it_is(notebook: Path, tmux: Tmux, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
    done = subprocess.run([*line, "--nbval", str(notebook)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

"""What is generated is current."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_of_capabilities_is_what_the_definitions_say() -> None:
    line = [sys.executable, str(ROOT / "scripts" / "capability_docs.py"), "--check"]
    assert subprocess.run(line, check=False).returncode == 0, "run `python scripts/capability_docs.py`"

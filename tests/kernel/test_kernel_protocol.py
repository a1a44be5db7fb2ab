"""Jupyter's own tests of a kernel. Not for us: execute_result (bash has no values) and clear_output."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import jupyter_kernel_test

from tests.kernel.conftest import Desk


class TestKernel(jupyter_kernel_test.KernelTests):  # type: ignore[misc]
    kernel_name = "tmux"
    language_name = "bash"
    file_extension = ".sh"
    code_hello_world = "echo hello, world"
    code_stderr = "exit 0"
    code_generate_error = "false"
    code_page_something = "%keys?"
    code_inspect_sample = "cd"
    code_display_data: ClassVar[list[dict[str, str]]] = [{"code": "top -d 1 -n 2", "mime": "text/plain"}]
    # The history test takes its cells from here.
    code_execute_result: ClassVar[list[dict[str, str]]] = [{"code": f"echo {word}"} for word in ("uno", "dos", "tres")]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "echo d?s"
    completion_samples: ClassVar[list[dict[str, Any]]] = [
        {"text": "declar", "matches": {"declare"}},
        {"text": "echo $BASH_VERSI", "matches": {"BASH_VERSINFO", "BASH_VERSION"}},
        {"text": "cat /etc/passw", "matches": {"/etc/passwd", *map(str, Path("/etc").glob("passwd?*"))}},
        {"text": "%lsm", "matches": {"%lsmagic"}},
    ]
    complete_code_samples: ClassVar[list[str]] = [
        "true",
        "if true; then\n  echo\nfi",
        "cat <<E\nhi\nE",
        "%pane",
        "fg %1",
    ]
    incomplete_code_samples: ClassVar[list[str]] = ["if true; then", "echo 'open", "cat <<E\nhi", "f() {", "echo \\"]
    invalid_code_samples: ClassVar[list[str]] = ["%%bash\nls", "!ls", "%keys 'open"]
    test_execute_result = None
    test_clear_output = None
    desk: ClassVar[Desk]

    @classmethod
    def setUpClass(cls) -> None:
        root = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.desk = Desk.at(Path(root))
        notebook = cls.desk.start()
        cls.km, cls.kc = notebook.manager, notebook.client

    @classmethod
    def tearDownClass(cls) -> None:
        cls.desk.close()

"""What can be configured, where tmux is looked for, and what is said when it is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.kernel.conftest import Desk
from tmux_kernel.kernel.kernel import TmuxKernel


def _path_without_tmux(desk: Desk) -> Path:
    """A directory with everything on PATH but tmux."""
    directory = desk.root / "bin"
    directory.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        if not Path(folder).is_dir():
            continue
        for program in Path(folder).iterdir():
            if program.name != "tmux" and not (directory / program.name).exists():
                (directory / program.name).symlink_to(program)
    return directory


def test_help_documents_everything_that_can_be_configured() -> None:
    command = [sys.executable, "-m", "tmux_kernel.kernel", "--help-all"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for name, trait in TmuxKernel.class_own_traits(config=True).items():
        assert f"--TmuxKernel.{name}=" in text
        assert trait.help
        assert trait.help.split()[0] in text


def test_the_tmux_server_is_chosen_by_name(desk: Desk) -> None:
    desk.start().run("true")
    assert len(desk.tmux("list-sessions").splitlines()) == 1


def test_the_tmux_server_is_chosen_by_path(desk: Desk) -> None:
    socket = desk.root / "by path"
    notebook = desk.start(environment={"TMUX_KERNEL_SOCKET": str(socket)})
    assert notebook.run("echo ${TMUX%%,*}").text == f"{socket}\n"
    assert desk.tmux("list-sessions") == ""
    notebook.close()
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, check=False)


def test_the_tmux_server_is_chosen_on_the_command_line(desk: Desk) -> None:
    notebook = desk.start(f"--socket={desk.tmux.socket}", environment={"TMUX_KERNEL_SOCKET": "another"})
    assert notebook.run("echo ${TMUX%%,*}").text.rstrip().endswith(f"/{desk.tmux.socket}")


def test_a_configuration_file_is_read(desk: Desk) -> None:
    directory = Path(desk.environment["JUPYTER_CONFIG_DIR"])
    directory.mkdir(parents=True)
    (directory / "tmux_kernel_config.py").write_text("c.TmuxKernel.columns = 77\n")
    assert desk.start().run("tput cols").text == "77\n"


def test_without_tmux_the_first_cell_says_how_to_install_it(desk: Desk) -> None:
    notebook = desk.start(environment={"PATH": str(_path_without_tmux(desk))})
    cell = notebook.run("echo hi")
    assert cell.reply["content"]["ename"] == "TmuxMissingError"
    assert cell.evalue == "tmux is not on PATH."
    assert "Install tmux 3.2 or newer" in "".join(cell.reply["content"]["traceback"])


def test_tmux_installed_meanwhile_is_found_by_the_next_cell(desk: Desk) -> None:
    directory = _path_without_tmux(desk)
    notebook = desk.start(environment={"PATH": str(directory)})
    assert notebook.run("echo hi").status == "error"
    (directory / "tmux").symlink_to(shutil.which("tmux") or "tmux")
    assert notebook.run("echo hi").text == "hi\n"


def test_a_shell_that_is_not_there_is_an_error_that_says_so(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.shell_command=/no/such/bash")
    cell = notebook.run("echo hi")
    assert cell.status == "error"
    assert "/no/such/bash" in "".join(cell.reply["content"]["traceback"])

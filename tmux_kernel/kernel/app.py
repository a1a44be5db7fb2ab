"""The application Jupyter launches: ipykernel's, without what only IPython needs."""

from __future__ import annotations

from typing import Any, ClassVar

from ipykernel.kernelapp import IPKernelApp, kernel_aliases
from jupyter_client.session import Session
from jupyter_core.paths import jupyter_config_path
from traitlets import Dict, Unicode

from tmux_kernel.kernel.kernel import TmuxKernel


class TmuxKernelApp(IPKernelApp):  # type: ignore[misc]
    """Starts the kernel on a connection file."""

    name = "tmux-kernel"
    description = "A Jupyter kernel whose cells are commands in tmux panes."
    classes: ClassVar[list[Any]] = [TmuxKernel, Session]
    kernel_class = TmuxKernel
    # Nothing here prints on stdout: no stream to capture, and none to flush twice per cell.
    outstream_class = None
    config_file_name = Unicode("tmux_kernel_config.py").tag(config=True)
    aliases = Dict({**kernel_aliases, "socket": "TmuxKernel.socket"})

    def init_control(self, context: Any) -> None:
        super().init_control(context)
        # Cells are served on the main loop; without subshells there is no thread to pass them through.
        self.shell_channel_thread = None

    def init_iopub(self, context: Any) -> None:
        # ipykernel's limit of 1000 waiting messages silently drops output, and the idle status with it.
        context.sndhwm = 0
        super().init_iopub(context)

    def init_pdb(self) -> None:
        """IPython's debugger has nothing to do here."""

    def load_config_file(self, suppress_errors: bool = True) -> None:
        self.config_file_paths: list[str] = [*jupyter_config_path(), *self.config_file_paths]
        super().load_config_file(suppress_errors)


def main() -> None:
    TmuxKernelApp.launch_instance()

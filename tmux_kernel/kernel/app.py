"""The application Jupyter launches: ipykernel's, without what only IPython needs."""

from __future__ import annotations

from typing import Any, ClassVar

import zmq
from ipykernel.kernelapp import IPKernelApp, kernel_aliases
from jupyter_client.session import Session
from jupyter_core.paths import jupyter_config_path
from traitlets import Dict, Unicode

from tmux_kernel.kernel.kernel import TmuxKernel
from tmux_kernel.kernel.publisher import MainLoopThread, Publisher


class TmuxKernelApp(IPKernelApp):  # type: ignore[misc]
    """Starts the kernel on a connection file."""

    name = "tmux-kernel"
    description = "A Jupyter kernel whose cells are commands in tmux panes."
    classes: ClassVar[list[Any]] = [TmuxKernel, Session]
    kernel_class = TmuxKernel
    # Nothing here prints on stdout: no stream to capture, and none to flush twice per cell.
    outstream_class = None
    control_thread: Any
    shell_channel_thread: Any
    iopub_port: int
    config_file_name = Unicode("tmux_kernel_config.py").tag(config=True)
    # Only what is Jupyter's: `--help-all` stumbles over an alias of a class that is not listed.
    aliases = Dict(
        {
            name: target
            for name, target in kernel_aliases.items()
            if str(target).startswith(("IPKernelApp.", "Application."))
        }
        | {"socket": "TmuxKernel.socket"}
    )
    flags = Dict()
    subcommands = Dict()

    def init_control(self, context: Any) -> None:
        super().init_control(context)
        # No cell blocks the main loop: it serves cells and control alike, and nothing is passed between threads.
        for thread in (self.control_thread, self.shell_channel_thread):
            thread.io_loop.close()
        self.control_thread = MainLoopThread()
        self.shell_channel_thread = None

    def init_iopub(self, context: Any) -> None:
        socket = context.socket(zmq.XPUB)
        # ipykernel's limit of 1000 waiting messages silently drops output, and the idle status with it.
        socket.sndhwm = 0
        socket.linger = 1000
        self._apply_curve_server_options(socket)
        self.iopub_port = self._bind_socket(socket, self.iopub_port)
        self.configure_tornado_logger()
        self.iopub_thread = self.iopub_socket = Publisher(socket, self.session)

    def init_kernel(self) -> None:
        # traitlets lets every debug record through to be dropped by the handler: four per cell.
        self.log.setLevel(self.log_level)
        super().init_kernel()

    def init_pdb(self) -> None:
        """IPython's debugger has nothing to do here."""

    def load_config_file(self, suppress_errors: bool = True) -> None:
        self.config_file_paths: list[str] = [*jupyter_config_path(), *self.config_file_paths]
        super().load_config_file(suppress_errors)


def main() -> None:
    TmuxKernelApp.launch_instance()

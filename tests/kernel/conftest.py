"""A real kernel, started and spoken to as Jupyter does, on a tmux server, home and state directory of its own."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from tests.conftest import Tmux

ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 30.0
Message = dict[str, Any]
T = TypeVar("T")
_desks = itertools.count(1)


def wait_for(found: Callable[[], T], seconds: float = WAIT_SECONDS) -> T:
    """Return what *found* returns as soon as that is true; fail when it never is."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
    return value


@dataclass
class Cell:
    """One execute request and all that came of it."""

    reply: Message
    messages: list[Message]
    questions: list[Message]
    seconds: float

    @property
    def status(self) -> str:
        return str(self.reply["content"]["status"])

    @property
    def evalue(self) -> str:
        return str(self.reply["content"].get("evalue", ""))

    @property
    def facts(self) -> dict[str, Any]:
        """What the kernel says about the run in the reply's metadata."""
        return dict(self.reply["metadata"].get("tmux_kernel", {}))

    @property
    def text(self) -> str:
        return self._stream("stdout")

    @property
    def said(self) -> str:
        """The kernel's own words."""
        return self._stream("stderr")

    @property
    def prompts(self) -> list[tuple[str, bool]]:
        return [(question["content"]["prompt"], question["content"]["password"]) for question in self.questions]

    def of_type(self, *names: str) -> list[dict[str, Any]]:
        return [message["content"] for message in self.messages if message["msg_type"] in names]

    def _stream(self, name: str) -> str:
        return "".join(content["text"] for content in self.of_type("stream") if content["name"] == name)


@dataclass
class Notebook:
    """A kernel and its one client. Everything received is kept; nothing is read but in `pump`."""

    manager: KernelManager
    client: BlockingKernelClient
    replies: dict[str, Message] = field(default_factory=dict)
    published: list[Message] = field(default_factory=list)
    questions: list[Message] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return int(self.manager.provisioner.pid)  # type: ignore[union-attr]

    # -- asking -----------------------------------------------------------------------------------------------

    def run(self, code: str, answers: Sequence[str] = (), **options: Any) -> Cell:
        """Execute *code* and wait for its end. Input is allowed exactly when there are *answers*."""
        message = self.send(code, **{"allow_stdin": bool(answers), **options})
        for number, answer in enumerate(answers, 1):
            self.pump(lambda number=number: len(self.asked(message)) >= number or message in self.replies)  # type: ignore[misc]
            self.client.input(answer)
        return self.finish(message)

    def send(self, code: str, *, allow_stdin: bool = True, **options: Any) -> str:
        """Request to execute *code*; does not wait. Returns the message's id."""
        self._sent = time.monotonic()
        return str(self.client.execute(code, allow_stdin=allow_stdin, **options))

    def start(self, code: str, **options: Any) -> str:
        """Execute *code*, which prints `started` as its first word, and wait until it has."""
        message = self.send(code, **options)
        self.pump(lambda: "started" in self.cell(message).text)
        return message

    def finish(self, message: str, seconds: float = WAIT_SECONDS) -> Cell:
        """Wait for the end of what *message* began: its reply and its idle status."""
        self.pump(lambda: message in self.replies and self._is_idle(message), seconds)
        return self.cell(message)

    def ask(self, message: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """The reply's content to a request that is not a cell."""
        self.pump(lambda: message in self.replies, seconds)
        return dict(self.replies[message]["content"])

    def complete(self, code: str, cursor: int | None = None) -> dict[str, Any]:
        return self.ask(self.client.complete(code, cursor))

    def inspect(self, code: str, cursor: int | None = None) -> str:
        return str(self.ask(self.client.inspect(code, cursor))["data"].get("text/plain", ""))

    def interrupt(self) -> None:
        """Returns when the kernel has taken notice of it."""
        self.client.control_channel.send(self.client.session.msg("interrupt_request", {}))
        assert self.client.get_control_msg(timeout=WAIT_SECONDS)["content"]["status"] == "ok"

    # -- hearing ----------------------------------------------------------------------------------------------

    def cell(self, message: str) -> Cell:
        """What there is so far of a cell."""
        mine = [other for other in self.published if other["parent_header"].get("msg_id") == message]
        reply = self.replies.get(message, {})
        return Cell(reply, mine, self.asked(message), time.monotonic() - self._sent)

    def asked(self, message: str) -> list[Message]:
        return [question for question in self.questions if question["parent_header"].get("msg_id") == message]

    def pump(self, found: Callable[[], T], seconds: float = WAIT_SECONDS) -> T:
        """Receive until *found* is true."""
        channels = {
            channel.socket: channel
            for channel in (self.client.shell_channel, self.client.iopub_channel, self.client.stdin_channel)
        }
        poller = zmq.Poller()
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        deadline = time.monotonic() + seconds
        while not (value := found()):
            assert time.monotonic() < deadline, f"not within {seconds} s; last: {self.published[-5:]}"
            for socket, _ in poller.poll(100):
                self._keep(channels[socket].get_msg(timeout=1))
        return value

    def _keep(self, message: Message) -> None:
        kind = message["msg_type"]
        if kind == "input_request":
            self.questions.append(message)
        elif kind.endswith("_reply"):
            self.replies[message["parent_header"]["msg_id"]] = message
        else:
            self.published.append(message)

    def _is_idle(self, message: str) -> bool:
        return any(content["execution_state"] == "idle" for content in self.cell(message).of_type("status"))

    # -- its process ------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """End the kernel as a crash does."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        process = self.manager.provisioner.process  # type: ignore[union-attr]
        process.wait(WAIT_SECONDS)

    def restart(self, *, now: bool = False) -> None:
        """Restart through Jupyter: the connection file stays the same."""
        self.client.stop_channels()
        self.manager.restart_kernel(now=now)
        self.replies.clear()
        self.published.clear()
        self.client = connect(self.manager)

    def close(self) -> None:
        self.client.stop_channels()
        if self.manager.has_kernel and self.manager.is_alive():
            self.manager.shutdown_kernel()
        self.manager.cleanup_resources()
        self.manager.context.destroy()


def connect(manager: KernelManager) -> BlockingKernelClient:
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_SECONDS)
    return client


@dataclass
class Desk:
    """Where kernels are started: a tmux server, a home, a state directory and a directory to work in."""

    root: Path
    tmux: Tmux
    environment: dict[str, str]
    open: list[Notebook] = field(default_factory=list)

    @classmethod
    def at(cls, root: Path) -> Desk:
        """Nothing of the developer's is seen: home, configuration, other kernelspecs and tmux are the desk's own."""
        kernels = root / "jupyter" / "kernels"
        kernels.mkdir(parents=True)
        (kernels / "tmux").symlink_to(ROOT / "kernelspec")
        for name in ("home", "work", "runtime"):
            (root / name).mkdir(exist_ok=True)
        tmux = Tmux(f"tk-kernel-{os.getpid()}-{next(_desks)}")
        hidden = ("TMUX", "TMUX_PANE", "PROMPT_COMMAND", "PS1", "TMUX_KERNEL_SOCKET")
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("JPY_") and name not in hidden
        }
        environment |= {
            "HOME": str(root / "home"),
            "JUPYTER_PATH": str(root / "jupyter"),
            "JUPYTER_RUNTIME_DIR": str(root / "runtime"),
            "JUPYTER_CONFIG_DIR": str(root / "home" / ".jupyter"),
            "IPYTHONDIR": str(root / "home" / ".ipython"),
            "TMUX_KERNEL_SOCKET": tmux.socket,
            "TMUX_KERNEL_STATE": str(root / "state"),
            "TMUX_KERNEL_TMUX_CONF": "/dev/null",
            "PYTHONPATH": str(ROOT),
        }
        return cls(root, tmux, environment)

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def state(self) -> Path:
        return self.root / "state"

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Notebook:
        """Start a kernel with *arguments* on its command line; it is ended with the desk."""
        specs = KernelSpecManager(kernel_dirs=[str(self.root / "jupyter" / "kernels")])
        manager = KernelManager(
            kernel_name="tmux",
            kernel_spec_manager=specs,
            connection_file=str(self.root / "runtime" / f"kernel-{next(_desks)}.json"),
        )
        assert Path(specs.get_kernel_spec("tmux").resource_dir).resolve() == ROOT / "kernelspec"
        manager.start_kernel(
            env={**self.environment, **(environment or {})}, cwd=str(self.work), extra_arguments=list(arguments)
        )
        notebook = Notebook(manager, connect(manager))
        self.open.append(notebook)
        return notebook

    def close(self) -> None:
        for notebook in self.open:
            notebook.close()
        self.tmux("kill-server")
        directory = Path(os.environ.get("TMUX_TMPDIR", "/tmp")) / f"tmux-{os.getuid()}"
        with contextlib.suppress(OSError):
            (directory / self.tmux.socket).unlink(missing_ok=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A place for kernels of the test's own."""
    desk = Desk.at(tmp_path)
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk.at(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def notebook(shared_desk: Desk) -> Notebook:
    """A kernel shared by the tests of a module: they leave it free, with their own names in it."""
    return shared_desk.start()

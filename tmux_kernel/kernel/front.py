"""One request's way back to the front end: its streams, displays, errors and questions carry that request as parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tmux_kernel.kernel.kernel import TmuxKernel

Reply = dict[str, Any]


class Front:
    """Made when the request arrives; may be used after its reply has gone. A silent request shows nothing."""

    def __init__(self, kernel: TmuxKernel, *, silent: bool, allow_stdin: bool) -> None:
        self._kernel = kernel
        self._parent = kernel.get_parent("shell")
        self._ident = kernel.parent_ident
        self.is_silent = silent
        self.allows_input = allow_stdin

    def stream(self, text: str, name: str = "stdout") -> None:
        self._publish("stream", {"name": name, "text": text})

    def print(self, text: str) -> None:
        """A whole answer: with the newline it lacks."""
        if text:
            self.stream(text.rstrip("\n") + "\n")

    def say(self, text: str) -> None:
        """A word of the kernel's own, apart from the command's output."""
        self.stream(f"tmux-kernel: {text.rstrip()}\n", "stderr")

    def display(self, text: str, name: str, *, is_update: bool = False) -> None:
        """Text that is shown in one place and can be replaced, also when the request is long over."""
        content = {"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": name}}
        self._publish("update_display_data" if is_update else "display_data", content)

    def failure(self, ename: str, evalue: str, lines: list[str]) -> Reply:
        """An error, on iopub and as the reply: nbval would pass one without the other."""
        content = {"ename": ename, "evalue": evalue, "traceback": [f"\x1b[31m{line}\x1b[0m" for line in lines if line]}
        self._publish("error", content)
        return {"status": "error", **content}

    async def ask(self, prompt: str, *, is_password: bool) -> str:
        return await self._kernel.stdin.ask(prompt, is_password=is_password, parent=self._parent, ident=self._ident)

    def _publish(self, kind: str, content: dict[str, Any]) -> None:
        if not self.is_silent:
            kernel = self._kernel
            kernel.session.send(kernel.iopub_socket, kind, content, self._parent, ident=kernel.topic(kind))

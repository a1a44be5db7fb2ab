"""Jupyter's input box without blocking the loop; an answer nobody waits for any more is dropped."""

from __future__ import annotations

import asyncio
from typing import Any

from zmq.eventloop.zmqstream import ZMQStream


class StdinChannel:
    """Asks the front end one question at a time."""

    def __init__(self, session: Any, socket: Any) -> None:
        self._session = session
        self._stream = ZMQStream(socket)
        self._stream.on_recv(self._received, copy=False)
        self._pending: asyncio.Future[str] | None = None
        self._question = ""

    async def ask(self, prompt: str, *, is_password: bool, parent: Any, ident: Any) -> str:
        """Show the box and wait for what is entered. Cancel to stop waiting."""
        self._pending = asyncio.get_running_loop().create_future()
        content = {"prompt": prompt, "password": is_password}
        request = self._session.send(self._stream, "input_request", content, parent, ident=ident)
        self._question = request["header"]["msg_id"]
        try:
            return await self._pending
        finally:
            self._pending = None

    def _received(self, frames: list[Any]) -> None:
        _idents, message = self._session.feed_identities(frames, copy=False)
        reply = self._session.deserialize(message, content=True, copy=False)
        # Front ends that say which box they answer may answer one that was given up; jupyter_client's does not say.
        is_late = reply["parent_header"].get("msg_id", self._question) != self._question
        if self._pending is not None and not self._pending.done() and not is_late:
            self._pending.set_result(str(reply["content"].get("value", "")))

"""The iopub channel on the main loop: no thread to pass every message through.

ipykernel publishes from a thread of its own so that blocking user code cannot hold it up. No cell blocks this kernel.
"""

from __future__ import annotations

from typing import Any

import zmq
from tornado.ioloop import IOLoop


class Publisher:
    """Stands where ipykernel has its IOPubThread; greets new subscribers as that does."""

    def __init__(self, socket: zmq.Socket[bytes], session: Any) -> None:
        self.socket = socket
        self._session = session
        self._loop = IOLoop.current()
        self._loop.add_handler(socket, self._subscribed, IOLoop.READ)

    def send_multipart(self, *args: Any, **kwargs: Any) -> Any:
        sent = self.socket.send_multipart(*args, **kwargs)
        # Sending may use up the wake-up that announced a subscriber.
        if int(self.socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            self._loop.add_callback(self._subscribed)
        return sent

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)

    def start(self) -> None:
        """There is no thread."""

    def stop(self) -> None:
        """There is no thread."""

    def close(self) -> None:
        if not self.socket.closed:
            self._loop.remove_handler(self.socket)
            self.socket.close()

    def _subscribed(self, *_: Any) -> None:
        while not self.socket.closed:
            try:
                frame = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            if frame[:1] == b"\x01":
                self._welcome(frame[1:])

    def _welcome(self, topic: bytes) -> None:
        content = {"subscription": topic.decode(errors="replace")}
        message = self._session.msg("iopub_welcome", content)
        frames = self._session.serialize(message)
        self.socket.send_multipart([topic, *frames] if topic else frames)


class MainLoopThread:
    """Stands where ipykernel has its control thread: interrupts and shutdown are served on the main loop too."""

    def __init__(self) -> None:
        self.io_loop = IOLoop.current()

    def start(self) -> None:
        """There is no thread."""

    def is_alive(self) -> bool:
        return False

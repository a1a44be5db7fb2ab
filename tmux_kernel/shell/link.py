"""Whether a network client still has its line: read from the kernel's table of connections, nothing is sent.

Linux only. Elsewhere, and when the line goes through another process, the answer is `Link.UNKNOWN`.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterator

_ESTABLISHED = "01"
_STATE, _RETRANSMITTED, _INODE = 3, 6, 9
_SOCKET = re.compile(r"socket:\[(\d+)\]")
# So many unanswered repetitions in a row are no hiccup.
_MOST_REPEATED = 3


class Link(enum.Enum):
    """From nothing known to the worst."""

    UNKNOWN = "it cannot be told"
    CONNECTED = "connected"
    SILENT = "no answer from the other side"
    CLOSED = "not connected"


def link_of(pid: int) -> Link:
    """How the TCP connection of process *pid* is doing."""
    sockets = _sockets(pid)
    if not sockets:
        return Link.UNKNOWN
    rows = [row for row in _connections(pid) if row[_INODE] in sockets]
    alive = [row for row in rows if row[_STATE] == _ESTABLISHED]
    if any(int(row[_RETRANSMITTED], 16) < _MOST_REPEATED for row in alive):
        return Link.CONNECTED
    if alive:
        return Link.SILENT
    return Link.CLOSED if rows else Link.UNKNOWN


def _sockets(pid: int) -> set[str]:
    found = set()
    try:
        for descriptor in os.scandir(f"/proc/{pid}/fd"):
            try:
                if match := _SOCKET.fullmatch(os.readlink(descriptor.path)):
                    found.add(match[1])
            except OSError:
                continue
    except OSError:
        return set()
    return found


def _connections(pid: int) -> Iterator[list[str]]:
    for family in ("tcp", "tcp6"):
        try:
            with open(f"/proc/{pid}/net/{family}") as table:
                for line in list(table)[1:]:
                    fields = line.split()
                    if len(fields) > _INODE:
                        yield fields
        except OSError:
            continue

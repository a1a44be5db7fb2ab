"""Is everything still there? And what to do about what is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Arg, capability
from tmux_kernel.runs.recording import LOG_OPTION, find_recording
from tmux_kernel.shell.foreground import Foreground, Waits, family, look
from tmux_kernel.shell.link import Link, link_of
from tmux_kernel.tmux.target import PaneFacts, list_panes

_BUSY = {
    Waits.SHELL_PROMPT: "at its prompt",
    Waits.LINE: "waits for a line of input",
    Waits.KEYS: "waits for keys",
    Waits.NOTHING: "is working",
    Waits.UNKNOWN: "has the pane",
}


@dataclass(frozen=True, slots=True)
class ServerHealth:
    version: str
    pid: int
    started: str
    sessions: int
    panes: int


@dataclass(frozen=True, slots=True)
class PaneHealth:
    """One pane; *ssh* is how the connection of an ssh client in it is doing, empty when there is none."""

    pane: str
    name: str
    label: str
    is_alive: bool
    is_recorded: bool
    busy: str
    ssh: str
    advice: str

    @property
    def is_well(self) -> bool:
        return not self.advice

    @property
    def text(self) -> str:
        facts = [self.busy, "recorded" if self.is_recorded else "", f"ssh: {self.ssh}" if self.ssh else ""]
        label = f" [{self.label}]" if self.label else ""
        lines = [f"{self.name} {self.pane}{label} {', '.join(fact for fact in facts if fact)}"]
        return "\n".join([*lines, *([f"  {self.advice}"] if self.advice else [])])


@dataclass(frozen=True, slots=True)
class Health:
    """The server and the panes that were asked about; *is_well* when nothing needs doing."""

    server: ServerHealth
    panes: list[PaneHealth]
    is_well: bool

    @property
    def text(self) -> str:
        server = self.server
        head = f"tmux {server.version} (pid {server.pid}) since {server.started}: "
        head += f"{server.sessions} sessions, {server.panes} panes"
        return "\n".join([head, *(pane.text for pane in self.panes or [])])

    @property
    def process_exit_code(self) -> int:
        return 0 if self.is_well else 1


@capability
async def health(
    context: Context,
    targets: Annotated[list[str], Arg("the panes; without one all of ours", metavar="TARGET", values="pane")] = [],  # noqa: B006
) -> Health:
    """Tell whether the server, our panes and the ssh connections in them are well, and what to do when not.

    Ours are the panes of sessions made by tmux-kernel and those it records. The process exits with 1 when something is
    lost.
    """
    connection = await context.connection()
    everything = await list_panes(connection)
    (line,) = await connection.command("display-message", "-p", "#{version} #{pid} #{start_time}")
    version, pid, started = line.split(" ")
    server = ServerHealth(
        version,
        int(pid),
        datetime.fromtimestamp(int(started), UTC).isoformat(),
        len({pane.session for pane in everything}),
        len(everything),
    )
    if targets:
        panes = await context.panes(targets)
    else:
        recorded = await connection.command("list-panes", "-a", "-F", f"#{{?{LOG_OPTION},#{{pane_id}},}}")
        panes = [pane for pane in everything if pane.is_ours or pane.id in recorded]
    found = [await _pane(context, pane) for pane in panes]
    return Health(server, found, all(pane.is_well for pane in found))


async def _pane(context: Context, pane: PaneFacts) -> PaneHealth:
    connection = await context.connection()
    seen = look(pane.pid, pane.tty)
    is_recorded = await find_recording(context.runner, pane) is not None
    should_be = any(await connection.command("show-options", "-pqv", "-t", pane.id, LOG_OPTION))
    link = None if pane.is_dead else _ssh(pane)
    advice = _advice(pane, link, is_lost=should_be and not is_recorded)
    return PaneHealth(
        pane.id, pane.name, pane.label, not pane.is_dead, is_recorded, _busy(pane, seen),
        "" if link is None else link.value, advice,
    )  # fmt: skip


def _busy(pane: PaneFacts, seen: Foreground) -> str:
    if pane.is_dead:
        return "dead" if pane.dead_status is None else f"dead, exit code {pane.dead_status}"
    return f"{seen.name or pane.current_command} {_BUSY[seen.waits]}"


def _ssh(pane: PaneFacts) -> Link | None:
    """The worst of the connections of ssh clients in the pane."""
    links = [link_of(pid) for pid, name in family(pane.pid) if name == "ssh"]
    return max(links, key=list(Link).index, default=None)


def _advice(pane: PaneFacts, link: Link | None, *, is_lost: bool) -> str:
    if pane.is_dead:
        return f"Its process has ended: `tmux respawn-pane -t {pane.id}` starts it again, `kill {pane.id}` removes it."
    if link is Link.SILENT:
        return "The other side does not answer: wait, or type Enter ~ . in the pane to end ssh, and connect again."
    if link is Link.CLOSED:
        return "The connection is gone: end ssh (Enter ~ . in the pane, or `interrupt`) and connect again."
    if is_lost:
        return "It is no longer recorded: `read --since` takes the recording up again; the time between is missing."
    return ""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from pathlib import Path

import pytest

from tests.conftest import Tmux
from tests.tmux.conftest import WAIT_SECONDS, until
from tmux_kernel.errors import CommandError, ConnectionLostError, TmuxNotRunningError
from tmux_kernel.protocol.control import Notification
from tmux_kernel.protocol.quoting import command
from tmux_kernel.tmux.connection import Connection, lines_of
from tmux_kernel.tmux.server import start_client

EVERY_BYTE = bytes(range(1, 256))


async def test_a_command_answers_with_its_lines(connection: Connection) -> None:
    assert await connection.command("display-message", "-p", "#{session_name} #{window_index}") == ["own 0"]


async def test_a_reply_may_have_lines_that_start_with_percent(connection: Connection) -> None:
    lines = ["%output %0 not output", "%end 1 2 1", "%begin 1 2 1", "", "%exit", "plain"]
    await connection.command("set-buffer", "-b", "lines", "\n".join(lines))
    assert await connection.command("show-buffer", "-b", "lines") == lines
    assert await connection.command("display-message", "-p", "still in step") == ["still in step"]


async def test_a_refused_command_is_an_error_in_tmuxs_words_and_the_connection_is_still_good(
    connection: Connection,
) -> None:
    with pytest.raises(CommandError, match="unknown command: nonsense"):
        await connection.command("nonsense")
    with pytest.raises(CommandError, match="can't find session: nobody"):
        await connection.command("kill-session", "-t", "=nobody")
    assert connection.is_open
    assert await connection.command("display-message", "-p", "good") == ["good"]


async def test_many_commands_are_answered_in_their_order(connection: Connection) -> None:
    lines = [command("display-message", "-p", str(number)) for number in range(500)]
    assert await connection.commands(*lines) == [[str(number)] for number in range(500)]


async def test_the_first_refusal_of_several_is_raised_after_all_have_answered(connection: Connection) -> None:
    with pytest.raises(CommandError, match="no buffer nothing"):
        await connection.commands(
            command("set-buffer", "-b", "one", "1"),
            command("show-buffer", "-b", "nothing"),
            command("set-buffer", "-b", "two", "2"),
        )
    assert await connection.command("show-buffer", "-b", "two") == ["2"]


async def test_a_command_nobody_waits_for_any_more_does_not_shift_the_replies(connection: Connection) -> None:
    (given_up,) = connection.post(command("display-message", "-p", "given up"))
    given_up.cancel()
    assert await connection.command("display-message", "-p", "mine") == ["mine"]


async def test_a_command_larger_than_a_pipe_arrives_whole(connection: Connection) -> None:
    text = "x" * 300_000
    first, second = connection.post(
        command("set-buffer", "-b", "large", text), command("display-message", "-p", "after it")
    )
    assert lines_of(await first) == []
    assert lines_of(await second) == ["after it"]
    assert await connection.command("show-buffer", "-b", "large") == [text]


@pytest.mark.parametrize(
    "data",
    [
        EVERY_BYTE,
        b"#{pid} #(id) %H %% ## ~ $HOME ${HOME} ; 'a' \"b\" \\ \\n {x} # c",
        b"\x1b[201~\r\n\t\x03\x04\x7f",
        "é€😀".encode(),
        b"-n",
    ],
)
async def test_any_bytes_pasted_into_a_pane_arrive_as_they_were(
    connection: Connection, tmux: Tmux, tmp_path: Path, data: bytes
) -> None:
    ready, received = tmp_path / "ready", tmp_path / "received"
    program = (
        f"stty raw -echo; touch {shlex.quote(str(ready))}; head -c {len(data)} > {shlex.quote(str(received))}; cat"
    )
    (pane,) = await connection.command("new-window", "-P", "-F", "#{pane_id}", f"sh -c {shlex.quote(program)}")
    await until(ready.exists, "the program in the pane is ready")
    await connection.commands(
        command("set-buffer", "-b", "any", "--", data), command("paste-buffer", "-r", "-d", "-b", "any", "-t", pane)
    )
    await until(lambda: received.exists() and received.stat().st_size >= len(data), "the pane has received everything")
    assert received.read_bytes() == data


async def test_a_notification_reaches_whoever_listens(connection: Connection) -> None:
    heard: list[Notification] = []
    connection.notified.append(heard.append)
    await connection.command("rename-session", "mine now")
    await until(lambda: any(n.name == "session-renamed" and "mine now" in n.arguments for n in heard), "the new name")


async def test_the_output_of_a_pane_reaches_its_listener_until_it_stops(connection: Connection, tmux: Tmux) -> None:
    (pane,) = await connection.command("display-message", "-p", "#{pane_id}")
    heard = bytearray()
    connection.on_output(pane, heard.extend)
    tmux("send-keys", "-t", pane, "one", "Enter")
    await until(lambda: heard == b"one\r\none\r\n", "the echo and cat's answer")
    connection.on_output(pane, None)
    tmux("send-keys", "-t", pane, "two", "Enter")
    while "two\ntwo" not in "\n".join(await connection.command("capture-pane", "-p", "-t", pane)):
        await asyncio.sleep(0.005)
    assert heard == b"one\r\none\r\n"


async def test_a_server_that_ends_fails_what_waits_for_it_and_what_comes_after(
    connection: Connection, tmux: Tmux
) -> None:
    server = int(tmux("display-message", "-p", "#{pid}"))
    os.kill(server, signal.SIGSTOP)
    (waiting,) = connection.post(command("display-message", "-p", "never answered"))
    os.kill(server, signal.SIGKILL)
    async with asyncio.timeout(WAIT_SECONDS):
        await connection.lost
    assert not connection.is_open
    with pytest.raises(ConnectionLostError, match="new connection"):
        await waiting
    with pytest.raises(ConnectionLostError):
        await connection.command("display-message", "-p", "x")
    with pytest.raises(ConnectionLostError):
        connection.post(command("display-message"))


async def test_a_server_killed_from_outside_is_noticed_without_asking(connection: Connection, tmux: Tmux) -> None:
    tmux("kill-server")
    async with asyncio.timeout(WAIT_SECONDS):
        await connection.lost
    with pytest.raises(ConnectionLostError):
        await connection.command("display-message", "-p", "x")


async def test_a_closed_connection_says_so_and_leaves_the_session(connection: Connection, tmux: Tmux) -> None:
    connection.close()
    connection.close()
    with pytest.raises(ConnectionLostError, match="closed"):
        await connection.command("display-message", "-p", "x")
    assert tmux("list-sessions", "-F", "#{session_name}") == "own"
    await until(lambda: tmux("list-clients") == "", "the client has left")


async def test_a_client_of_a_closed_connection_leaves_no_process(connection: Connection, tmux: Tmux) -> None:
    pid = int(tmux("list-clients", "-F", "#{client_pid}"))
    connection.close()
    await until(lambda: not Path(f"/proc/{pid}").exists(), "the client's process is gone and reaped")


async def test_a_client_closed_in_the_middle_of_output_leaves_no_process(connection: Connection, tmux: Tmux) -> None:
    heard = bytearray()
    pane = tmux("new-window", "-P", "-F", "#{pane_id}", "yes")
    connection.on_output(pane, heard.extend)
    await until(lambda: len(heard) > 100_000, "output that does not stop")
    pid = int(tmux("list-clients", "-F", "#{client_pid}"))
    connection.close()
    await until(lambda: not Path(f"/proc/{pid}").exists(), "the client's process is gone and reaped")
    assert tmux("list-clients") == ""


async def test_what_was_posted_before_the_close_is_still_done(connection: Connection, tmux: Tmux) -> None:
    connection.post(*(command("set-buffer", "-b", f"b{number}", "x" * 1000) for number in range(50)))
    connection.close()
    await until(lambda: tmux("list-buffers", "-F", "#{buffer_name}").count("b") == 50, "all fifty buffers")


async def test_no_server_on_the_socket_is_said_so(tmux: Tmux) -> None:
    connection = Connection(start_client(tmux.address, "list-sessions"))
    with pytest.raises(TmuxNotRunningError, match="Start tmux"):
        await connection.ready()
    assert not connection.is_open


async def test_a_session_that_is_there_already_is_refused_with_the_greeting(connection: Connection, tmux: Tmux) -> None:
    other = Connection(start_client(tmux.address, "new-session", "-s", "own"))
    with pytest.raises(CommandError, match="duplicate session: own"):
        await other.ready()
    other.close()
    assert await connection.command("display-message", "-p", "good") == ["good"]


async def test_a_connection_leaves_no_open_descriptor(tmux: Tmux) -> None:
    # One after the other: tmux up to 3.6 may crash when a client attaches while another leaves (tmux/tmux#4980).
    async def one() -> None:
        connection = Connection(start_client(tmux.address, "new-session", "-A", "-s", "own", "cat"))
        await connection.ready()
        connection.close()
        await until(lambda: tmux("list-clients") == "", "the client has left")

    def open_now() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = open_now()
    for _ in range(3):
        await one()
    await until(lambda: open_now() <= before, "everything a connection opened is closed")

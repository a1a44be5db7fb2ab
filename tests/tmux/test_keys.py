from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.conftest import Tmux
from tests.tmux.conftest import until
from tmux_kernel.tmux.keys import key_bytes

NAMES = [
    *["Enter", "Tab", "BTab", "Escape", "Space", "BSpace", "Up", "Down", "Right", "Left", "Home", "End", "IC", "DC"],
    *["PPage", "PageUp", "NPage", "PageDown", *(f"F{number}" for number in range(1, 13))],
    *["C-c", "C-a", "C-z", "C-[", "C-\\", "C-]", "C-_", "^C", "M-x", "M-Enter", "M-C-a", "é", "text", "C-", "F13x"],
]


@pytest.mark.parametrize(
    ("word", "data"),
    [
        ("Enter", b"\r"),
        ("C-c", b"\x03"),
        ("^D", b"\x04"),
        ("C-A", b"\x01"),
        ("C-@", b"\x00"),
        ("M-x", b"\x1bx"),
        ("M-C-c", b"\x1b\x03"),
        ("M-Up", b"\x1b\x1b[A"),
        ("F1", b"\x1bOP"),
        ("F12", b"\x1b[24~"),
        ("hello", b"hello"),
        ("enter", b"enter"),
        ("é", "é".encode()),
        ("C-", b"C-"),
        ("M-", b"M-"),
        ("", b""),
    ],
)
def test_a_word_is_a_key_by_name_or_the_text_itself(word: str, data: bytes) -> None:
    assert key_bytes(word) == data


async def test_every_key_is_what_tmux_itself_sends_for_it(tmux: Tmux, tmp_path: Path) -> None:
    received, ready = tmp_path / "received", tmp_path / "ready"
    program = f"stty raw -echo; exec > {shlex.quote(str(received))}; touch {shlex.quote(str(ready))}; exec cat"
    pane = tmux("new-session", "-d", "-P", "-F", "#{pane_id}", f"sh -c {shlex.quote(program)}")
    await until(ready.exists, "the program in the pane is ready")
    sent = [word for name in NAMES for word in (name, "Space", ".", "Space")]
    tmux("send-keys", "-t", pane, *sent, "STOP")
    await until(lambda: received.read_bytes().endswith(b"STOP"), "all keys have arrived")
    arrived = received.read_bytes().removesuffix(b" . STOP").split(b" . ")
    assert dict(zip(NAMES, arrived, strict=True)) == {name: key_bytes(name) for name in NAMES}

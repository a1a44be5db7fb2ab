"""The files a shell sources to become one whose commands can be followed, and the keys it then answers to."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

# Key sequences no terminal sends; bash.sh binds them in every keymap.
KEY_ARM = b"\x1b[5751~"
KEY_HELLO = b"\x1b[5752~"
KEY_ASK = b"\x1b[5753~"
KEY_BYE = b"\x1b[5754~"

PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"
ENTER = b"\r"
CTRL_C = b"\x03"

# Variables of a terminal or a shell, not of the work; a new shell makes its own.
_NOT_PASSED_ON = {"TERM", "COLUMNS", "LINES", "SHLVL", "PWD", "OLDPWD", "_", "PS1", "PS2", "PROMPT_COMMAND"}


def script(name: str) -> str:
    """The text of one of the shell files beside this module."""
    return files("tmux_kernel.shell").joinpath(name).read_text()


def keeper() -> Path:
    """The script that starts a shell of ours and outlives it."""
    return Path(str(files("tmux_kernel.shell").joinpath("keeper.sh")))


def write_private(path: Path, text: str | bytes) -> Path:
    """Write a file only the user can read, whatever the umask."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return path


@dataclass(frozen=True, slots=True)
class Integration:
    """What one shell is told: its secret, where it finds its questions, the numbers it goes on from."""

    home: Path
    secret: str
    prompt: int = 0
    number: int = 0

    @classmethod
    def new(cls, home: Path, *, prompt: int = 0, number: int = 0) -> Integration:
        """A fresh secret in the private directory *home*, with its lease and `ask.sh` in place."""
        integration = cls(home, secrets.token_hex(8), prompt, number)
        write_private(integration.lease, "")
        write_private(home / "ask.sh", script("ask.sh"))
        return integration

    @property
    def lease(self) -> Path:
        """While this file is there the shell keeps the integration; when it goes, the next prompt gives all back."""
        return self.home / "lease"

    @property
    def rc(self) -> Path:
        """What a shell of ours starts from. It holds the environment: gone as soon as it has been read."""
        return self.home / "rc.sh"

    def text(self) -> str:
        """The integration to source."""
        values = {
            "__tk_secret": self.secret,
            "__tk_home": str(self.home),
            "__tk_lease": str(self.lease),
            "__tk_p": str(self.prompt),
            "__tk_seq": str(self.number),
        }
        preamble = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
        return f"{preamble}\n{script('bash.sh')}"

    def rc_text(self, environment: Mapping[str, str], extra: Mapping[str, str]) -> str:
        """A bash rc file: *environment*, the user's own ~/.bashrc, then the integration."""
        passed = {name: value for name, value in environment.items() if name not in _NOT_PASSED_ON}
        exports = [
            f"export {name}={shlex.quote(value)}" for name, value in {**passed, **extra}.items() if name.isidentifier()
        ]
        bashrc = "if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi"
        return "\n".join([*exports, bashrc, *(f"export {n}={shlex.quote(v)}" for n, v in extra.items()), self.text()])

    def adopt_text(self, source_line: str) -> str:
        """The integration for a shell somebody already uses: the line that sourced it leaves no trace, not in `$?`."""
        forget = f"""\
__tk_given=$?
__tk_line=$(HISTTIMEFORMAT= builtin history 1 2>/dev/null)
if [[ $__tk_line == *{shlex.quote(source_line.strip())} ]]; then
    __tk_line=${{__tk_line#"${{__tk_line%%[0-9]*}}"}}
    builtin history -d "${{__tk_line%%[!0-9]*}}" 2>/dev/null
fi
builtin printf '\\e[1A\\r\\e[J' >/dev/tty
"""
        # To fail here would set off set -e or a trap.
        give_back = """
if [[ -n ${__tk_given-} && $- != *e* && -z $(builtin trap -p ERR) ]]; then builtin return "$__tk_given"; fi
"""
        return forget + self.text() + give_back

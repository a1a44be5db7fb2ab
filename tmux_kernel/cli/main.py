"""`tmux-kernel CAPABILITY …`: human text, or `--json` for programs. Exit codes are in `EXIT_CODES`.

Works with no Jupyter running; nothing of Jupyter is imported.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tmux_kernel import __version__
from tmux_kernel.capabilities.catalogue import catalogue
from tmux_kernel.capabilities.context import Context
from tmux_kernel.capabilities.definition import Capability, as_data, as_text
from tmux_kernel.errors import TmuxKernelError, UsageError
from tmux_kernel.runs.runner import Runner
from tmux_kernel.tmux.server import ServerAddress

# What the process exits with when a capability fails; a command that was run passes on its own code.
EXIT_CODES = {
    "USAGE": 64,
    "BAD_MAGIC": 64,
    "PANE_NOT_FOUND": 66,
    "SESSION_NOT_FOUND": 66,
    "AMBIGUOUS_TARGET": 66,
    "RUN_NOT_FOUND": 66,
    "TMUX_MISSING": 69,
    "TMUX_TOO_OLD": 69,
    "TMUX_NOT_RUNNING": 69,
    "CONNECTION_LOST": 69,
    "COMMAND_FAILED": 70,
    "SESSION_EXISTS": 73,
    "NO_ROOM": 73,
    "NOT_OURS": 77,
    "LAST_PANE": 77,
    "PANE_BUSY": 75,
    "INCOMPLETE_COMMAND": 65,
    "SHELL_NOT_SUPPORTED": 65,
    "TIMEOUT": 124,
}
_OTHER = 70
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Options:
    """What stands before or after the capability's own words, wherever it is."""

    socket: str
    wants_json: bool
    wants_help: bool


def split_options(words: Sequence[str]) -> tuple[Options, list[str]]:
    """Take `--socket NAME`, `--json` and `--help` out; everything after `--` is left alone."""
    rest: list[str] = []
    socket, wants_json, wants_help = ServerAddress.from_environment().socket, False, False
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            rest += [word, *queue]
            break
        if word == "--json":
            wants_json = True
        elif word == "--help" or (word in ("-h", "-?") and not rest):
            wants_help = True
        elif word == "--socket":
            if not queue:
                raise UsageError("--socket takes a name or a path.")
            socket = queue.pop(0)
        elif word.startswith("--socket="):
            socket = word.partition("=")[2]
        else:
            rest.append(word)
    return Options(socket, wants_json, wants_help), rest


def overview() -> str:
    lines = [f"tmux-kernel {__version__}: tmux panes for programs and people.", ""]
    lines += ["usage: tmux-kernel CAPABILITY [WORDS…] [--socket NAME] [--json] [--help]", ""]
    width = max(map(len, catalogue()), default=0)
    lines += [f"  {item.name:<{width}}  {item.summary}" for item in catalogue().values()]
    return "\n".join(lines)


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


async def _call(item: Capability, words: Sequence[str], options: Options) -> object:
    arguments = item.parse(words, f"tmux-kernel {item.name}")
    address = ServerAddress(options.socket, ServerAddress.from_environment().config_file)
    runner = Runner.visiting(address)
    try:
        return await item.call(Context(runner, show=None if options.wants_json else _show), **arguments)
    finally:
        await runner.close()


def run(words: Sequence[str]) -> int:
    """Do what *words* say; return the exit code."""
    wants_json = "--json" in words
    try:
        options, rest = split_options(words)
        if rest in (["--version"], ["-V"]):
            print(__version__)
            return 0
        if not rest:
            print(overview())
            return 0 if options.wants_help else EXIT_CODES["USAGE"]
        name, *words = rest
        item = catalogue().get(name)
        if item is None:
            raise UsageError(f"There is no {name!r}.", suggestion="`tmux-kernel --help` lists what there is.")
        if options.wants_help:
            print(item.help(f"tmux-kernel {name}"), end="")
            return 0
        result = asyncio.run(_call(item, words, options))
    except TmuxKernelError as error:
        return _fail(error, wants_json=wants_json)
    except KeyboardInterrupt:
        return _INTERRUPTED
    if options.wants_json:
        print(json.dumps({"success": True, "data": as_data(result)}, ensure_ascii=False))
    elif text := as_text(result):
        print(text, end="" if text.endswith("\n") else "\n")
    return int(getattr(result, "process_exit_code", 0))


def _fail(error: TmuxKernelError, *, wants_json: bool) -> int:
    if wants_json:
        report = {"success": False, "error": error.message, "code": error.code, "suggestion": error.suggestion}
        print(json.dumps(report, ensure_ascii=False))
    else:
        print(f"tmux-kernel: {error}", file=sys.stderr)
    return EXIT_CODES.get(error.code, _OTHER)


def main() -> None:
    sys.exit(run(sys.argv[1:]))

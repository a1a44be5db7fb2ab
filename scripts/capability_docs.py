"""Write docs/capabilities.md from the definitions; `--check` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from tmux_kernel.capabilities.catalogue import catalogue
from tmux_kernel.capabilities.definition import Capability

PAGE = Path(__file__).parent.parent / "docs" / "capabilities.md"
HEAD = """\
# Capabilities

Generated from the definitions by `python scripts/capability_docs.py`; do not edit.

Each is a magic in a cell (`%split -h`), a subcommand (`tmux-kernel split -h`, with `--json` for programs) and a Python
call (`await split(context, horizontal=True)`). On the command line `--socket NAME` chooses the tmux server.
"""


def section(item: Capability) -> str:
    lines = [f"## {item.name}", "", item.summary, ""]
    if item.details:
        lines += [item.details, ""]
    if item.parameters:
        lines += ["| argument | |", "|---|---|"]
    for parameter in item.parameters:
        names = ", ".join(f"`{name}`" for name in (*parameter.arg.flags, parameter.option))
        word = f"`{(parameter.arg.metavar or parameter.name).upper()}{'…' if parameter.is_list else ''}`"
        shown = names if parameter.is_option else word if parameter.is_required else f"{word} (optional)"
        choices = f" ({', '.join(parameter.arg.choices)})" if parameter.arg.choices else ""
        lines.append(f"| {shown} | {parameter.arg.help}{choices} |")
    return "\n".join(lines).rstrip() + "\n"


def page() -> str:
    return "\n".join([HEAD, *(section(item) for item in catalogue().values())])


def main() -> int:
    if "--check" in sys.argv:
        return 0 if PAGE.exists() and PAGE.read_text() == page() else 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())

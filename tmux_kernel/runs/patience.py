"""How long a command may take when nobody is there to judge, by its kind. Pure."""

from __future__ import annotations

import re
import shlex

TIERS: dict[str, float | None] = {"quick": 5.0, "medium": 30.0, "long": 300.0, "off": None}

_QUICK = frozenset(
    (
        "alias", "basename", "cat", "cd", "command", "date", "declare", "df", "dirname", "echo", "env", "export",
        "false", "file", "free", "head", "hostname", "id", "jobs", "ls", "mkdir", "printf", "ps", "pwd", "readlink",
        "realpath", "set", "stat", "tail", "test", "touch", "true", "type", "uname", "unset", "uptime", "wc", "which",
        "whoami"
    )
)  # fmt: skip
_LONG = frozenset(
    (
        "ant", "apk", "apt", "apt-get", "ansible", "ansible-playbook", "bazel", "brew", "bundle", "cargo", "cmake",
        "composer", "conda", "curl", "dnf", "docker", "docker-compose", "dotnet", "gem", "go", "gradle", "helm",
        "kubectl", "make", "mamba", "mvn", "ninja", "npm", "npx", "nox", "pacman", "pg_dump", "pg_restore", "pip",
        "pip3", "pipx", "pnpm", "podman", "poetry", "pytest", "rsync", "scp", "sftp", "snap", "tar", "terraform",
        "tox", "uv", "wget", "yarn", "yum", "zypper"
    )
)  # fmt: skip
_LONG_OF_GIT = frozenset(
    (
        "clone", "fetch", "pull", "push", "submodule", "lfs", "gc", "fsck", "bisect"
    )
)  # fmt: skip
# They run what follows them.
_BEFORE = frozenset(
    (
        "sudo", "doas", "time", "nohup", "nice", "ionice", "exec", "builtin", "command", "env", "then", "do", "else"
    )
)  # fmt: skip
_BETWEEN = re.compile(r"\|\||&&|[;&|\n(){}]")


def tier_of(command: str) -> str:
    """The tier of the slowest part of *command*."""
    tiers = [_tier_of_one(part) for part in _BETWEEN.split(command) if part.strip()]
    return max(tiers, key=list(TIERS).index, default="medium")


def _tier_of_one(part: str) -> str:
    try:
        words = shlex.split(part, comments=True)
    except ValueError:  # a quote around what separates commands
        return "medium"
    while words and (words[0] in _BEFORE or re.match(r"\w+=", words[0])) and len(words) > 1:
        del words[0]
    name = words[0].rpartition("/")[2] if words else ""
    if name in _LONG or (name == "git" and _LONG_OF_GIT.intersection(words[1:])):
        return "long"
    if name == "tail" and any(word.startswith(("-f", "-F", "--follow")) for word in words[1:]):
        return "medium"
    return "quick" if name in _QUICK else "medium"


def seconds_of(wanted: str) -> float | None:
    """A tier's name or a number of seconds; None is without end. ValueError for anything else."""
    if wanted in TIERS:
        return TIERS[wanted]
    seconds = float(wanted)
    if not 0 < seconds < float("inf"):
        raise ValueError(wanted)
    return seconds

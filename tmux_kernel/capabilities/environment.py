"""`NAME=VALUE` words as variables. Not a capability: a word several of them take."""

from __future__ import annotations

from collections.abc import Sequence

from tmux_kernel.errors import UsageError


def assignments(words: Sequence[str]) -> dict[str, str]:
    """The variables *words* set; UsageError for a word that sets none."""
    values = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"{word!r} is not NAME=VALUE.", suggestion="For example --env STAGE=prod.")
        values[name] = value
    return values

"""Every capability there is: each module of this package is imported and what it defines is offered."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import tmux_kernel.capabilities as package
from tmux_kernel.capabilities.definition import CAPABILITIES, Capability


@cache
def catalogue() -> dict[str, Capability]:
    """By name, in the order of names."""
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(CAPABILITIES.items()))

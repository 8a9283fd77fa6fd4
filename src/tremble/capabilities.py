"""Capabilities: the parts of the program that can be removed, and how each one plugs in.

A capability is a folder of the package with a file ``register.py``, which holds one :class:`Capability` named
``CAPABILITY``. The core knows capabilities only by these rows, and it imports a module of theirs when it uses it. If
the folder is missing, its rows are missing, and everything else works.

A place is written ``"module:name"``, such as ``"tremble.poker.games.rhode_island:RhodeIsland"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["NAMES", "Capability", "at", "registered"]

NAMES = ("poker", "large", "recall", "show", "batch")
"""Names of the folders that may hold a capability."""


@dataclass(frozen=True)
class Capability:
    """The rows that a capability adds to the program.

    Attributes
    ----------
    name : str
        The name of its folder.
    games : mapping of str to str
        Name of a built-in game -> place of its rules.
    commands : mapping of str to (str, str)
        Name of a command -> place of the command, and what it does, in one line.
    checks : mapping of str to str
        Kind of strategies (``"rules"``, ``"ordered"``), or ``"maxmin"`` -> place of the function that computes the
        outcome of a claim for the kernel: a :class:`tremble.check.questions.Supplier`.
    plans : mapping of str to str
        Kind of strategies -> place of the function that compares the plans in a list of equilibria for the kernel.
    """

    name: str
    games: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    plans: Mapping[str, str] = field(default_factory=dict)


@cache
def registered() -> tuple[Capability, ...]:
    """Return the rows of all capabilities that are present.

    Examples
    --------
    >>> [capability.name for capability in registered()]
    ['poker', 'large', 'recall', 'show', 'batch']
    """
    found = []
    for name in NAMES:
        try:
            found.append(import_module(f"tremble.{name}.register").CAPABILITY)
        except ModuleNotFoundError as error:
            if error.name not in (f"tremble.{name}", f"tremble.{name}.register"):
                raise
    return tuple(found)


def at(place: str) -> Any:
    """Import what stands at a place.

    Examples
    --------
    >>> at("tremble.capabilities:NAMES")[0]
    'poker'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)

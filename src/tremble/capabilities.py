"""Capabilities: the parts of the program that can be removed, and how each one plugs in.

A capability is a folder of the package with a file ``register.py``, which holds one :class:`Capability` named
``CAPABILITY``. The core knows capabilities only by these rows, and it imports a module of theirs when it uses it. If
the folder is missing, its rows are missing, and everything else works.

A place is written ``"module:name"``, such as ``"tremble.poker.games.rhode_island:RhodeIsland"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal

from tremble.errors import TrembleError

__all__ = ["NAMES", "Capability", "at", "extension", "extensions", "listed_for", "registered", "type_names"]

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
    views : mapping of str to str
        Name of a type of the capability -> place of the function that shows a value of it, as a terminal does.
    pictures : mapping of str to str
        Name of a type of ours -> place of the function that draws a value of it as SVG, ``""`` for no picture.
    extensions : mapping of str to str
        Name of something that the core leaves to capabilities -> place of what does it: see :func:`extensions`.
    """

    name: str
    games: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    extensions: Mapping[str, str] = field(default_factory=dict)


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


def listed_for(value: object, rows: Literal["views", "pictures"]) -> Any:
    """Import the function that capabilities list for the type of a value, or for a base of that; None without one."""
    for name in type_names(value):
        for capability in registered():
            if name in getattr(capability, rows):
                return at(getattr(capability, rows)[name])
    return None


def type_names(value: object) -> Iterator[str]:
    """Name the type of a value and its bases, those of tremble only: a class of a user may have a name of ours."""
    return (kind.__name__ for kind in type(value).__mro__ if kind.__module__.startswith("tremble."))


def extensions(name: str) -> Iterator[Any]:
    """Import what capabilities list under a name among their extensions.

    The names:

    - ``compare``, ``convert``: the ending of a file -> what draws a comparison, or writes a game, for that command;
    - ``shrink``: shrinks a game of the capability, and returns None for any other game;
    - ``shrink command``: the same for the command line, with all its options; returns True if it did;
    - ``solution view``: shows a table of the strategies of each player; nothing for games of other kinds;
    - ``plot of losses``: draws what abstractions lose against their sizes;
    - ``sweep_plot``: draws a sweep.
    """
    return (at(capability.extensions[name]) for capability in registered() if name in capability.extensions)


def extension(name: str) -> Any:
    """Import the one extension of a name.

    Raises
    ------
    TrembleError
        The capability that has it is not installed.
    """
    for found in extensions(name):
        return found
    raise TrembleError(f"no part of tremble that is installed provides the {name}")

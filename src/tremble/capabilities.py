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

from tremble.errors import SpecError, TrembleError
from tremble.lazy import NAMES, at

__all__ = [
    "WORDS",
    "Capability",
    "MethodExtension",
    "extension",
    "extensions",
    "listed_for",
    "method_extension",
    "missing_for",
    "registered",
    "require_installed",
    "type_names",
]


WORDS: Mapping[str, str] = {
    "poker": "auction holdem_river jk_four_cards rhode_island interior-point ipm barrier",
    "large": "border_patrol phantom_ttt double-oracle do published-double-oracle",
    "recall": "forget branch-and-bound bnb milp bnb-digits",
    "show": "draw play plot .svg .html .pdf .png .tex",
    "batch": "batch sweep",
}
"""Name of a capability -> its games, methods, commands and endings of files: what a user may ask for.

The core reads them to say which capability is missing. A test compares them with the rows.
"""


@dataclass(frozen=True)
class MethodExtension:
    """A method of the core on a kind of game, or for a concept, that a capability adds.

    Attributes
    ----------
    method : str
        The name of the method.
    kind : str
        The kind of game: ``"tree"``, ``"rules"`` or ``"ordered"``.
    concept : str
    requirement : str
        Place of a function of a game and a concept. It raises ``GameError`` if the game lacks something.
    run : str
        Place of the function that replaces ``method.run``. It takes the method, and then the same arguments.
    recommended : str
        Place of a function of the method and a game. It returns why ``auto`` chooses the method, or None. Without it,
        ``auto`` never chooses the method for such a game.
    """

    method: str
    kind: str
    concept: str
    requirement: str
    run: str
    recommended: str = ""


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
    adapters : tuple of str
        Places of functions of a game and of strategies for it (or None). They return the adapter for a kind of game
        that is not a tree (:class:`tremble.game.adapter.Kind`), or None for other kinds.
    methods : tuple of str
        Places of methods.
    method_extensions : tuple of MethodExtension
    first_claims : mapping of str to str
        Concept -> place of a function of a tree, a player and a profile. It returns the claim that is known before any
        method begins.
    arrays : str
        Name of a module that reads and writes strategies in arrays beside a solution file:
        :mod:`tremble.solution.strategies` calls its functions.
    checks : mapping of str to str
        Kind of strategies (``"rules"``, ``"ordered"``), or ``"maxmin"`` -> place of the function that computes the
        outcome of a claim for the kernel: a :class:`tremble.check.questions.Supplier`.
    plans : mapping of str to str
        Kind of strategies -> place of the function that compares the plans in a list of equilibria for the kernel.
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
    adapters: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    method_extensions: tuple[MethodExtension, ...] = ()
    first_claims: Mapping[str, str] = field(default_factory=dict)
    arrays: str = ""
    checks: Mapping[str, str] = field(default_factory=dict)
    plans: Mapping[str, str] = field(default_factory=dict)
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


@cache
def method_extension(method: str, kind: str, concept: str) -> MethodExtension | None:
    """Find the row that extends a method of the core to a kind of game and a concept.

    Examples
    --------
    >>> method_extension("dcfr", "ordered", "nash").run
    'tremble.poker.methods:run_regret_minimization'
    """
    rows = (row for capability in registered() for row in capability.method_extensions)
    return next((row for row in rows if (row.method, row.kind, row.concept) == (method, kind, concept)), None)


def missing_for(word: object) -> str | None:
    """Return the name of the capability that a word of a user needs, if it is not installed."""
    text = word.strip().lower() if isinstance(word, str) else ""
    for name, words in WORDS.items():
        if {text, text.replace("_", "-")} & set(words.split()):
            return None if any(capability.name == name for capability in registered()) else name
    return None


def require_installed(word: object) -> None:
    """Raise ``SpecError`` if a word of a user needs a capability that is not installed.

    Examples
    --------
    >>> require_installed("rhode_island")
    """
    missing = missing_for(word)
    if missing is not None:
        raise SpecError(f"{word} needs tremble.{missing}, which is not installed")


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


def extension(name: str, capability: str) -> Any:
    """Import the one extension of a name, which a capability has.

    Raises
    ------
    TrembleError
        The capability is not installed.
    """
    for found in extensions(name):
        return found
    raise TrembleError(f"{name} needs tremble.{capability}, which is not installed")

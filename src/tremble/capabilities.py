"""Capabilities: removable parts of the program, and the objects that connect them to the core.

A capability is a folder of the package with a file ``register.py``. The file defines a :class:`Capability` with the
name ``CAPABILITY``. The core knows capabilities only through these objects, and imports a module of a capability when
it needs the module. If the folder is missing, the capability is missing, and everything else works.

A *place* is a text ``"module:name"``, such as ``"tremble.poker.games.rhode_island:RhodeIsland"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import resolve_name
from typing import Any, Literal

from tremble.errors import SpecError, TrembleError
from tremble.lazy import NAMES

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
    "poker": "auction holdem_flop holdem_river holdem_turn jk_four_cards rhode_island interior-point ipm barrier "
    "report",
    "large": "border_patrol dark_hex phantom_ttt double-oracle do published-double-oracle",
    "recall": "forget branch-and-bound bnb milp bnb-digits",
    "show": "draw play plot .svg .html .pdf .png .tex",
    "batch": "batch sweep",
}
"""Name of a capability -> words that a user may type: its games, methods, commands and endings of files.

With these words, error messages can name a missing capability. A test compares the words with the capabilities.
"""


@dataclass(frozen=True)
class MethodExtension:
    """An extension of a core method to one kind of game and one concept, provided by a capability.

    Attributes
    ----------
    method : str
        The name of the method.
    kind : str
        The kind of game: ``"tree"``, ``"rules"`` or ``"ordered"``.
    concept : str
    requirement : str
        Place (``"module:name"``) of a function whose arguments are a game and a concept. The function raises
        ``GameError`` if the method cannot solve this game for this concept.
    run : str
        Place of a function that replaces ``method.run``. It gets the method and the arguments of ``method.run``.
    recommended : str
        Place of a function whose arguments are the method and a game. It returns the reason why the default method,
        ``auto``, should choose this method, or None. If ``recommended`` is empty, ``auto`` never chooses the method
        for this kind of game.
    """

    method: str
    kind: str
    concept: str
    requirement: str
    run: str
    recommended: str = ""


@dataclass(frozen=True)
class Capability:
    """The objects that a capability adds to the program. A *place* is a text ``"module:object"``.

    Attributes
    ----------
    name : str
        The name of the capability's folder.
    games : mapping of str to str
        Name of a built-in game -> place of its rules.
    commands : mapping of str to (str, str)
        Name of a command -> place of the command, and a description in one line.
    adapters : tuple of str
        Places of functions whose arguments are a game and its strategies (or None). Each function returns the adapter
        for one kind of game that is not a tree (:class:`tremble.game.adapter.Kind`), and None for other games.
    methods : tuple of str
        Places of methods.
    method_extensions : tuple of MethodExtension
    first_claims : mapping of str to str
        Concept -> place of a function whose arguments are a tree, a player and a profile. The function makes a
        claim from the profile, for use until the method makes a claim.
    arrays : str
        Name of a module that reads and writes strategies in separate files of arrays.
        :mod:`tremble.solution.strategy_documents` calls its functions.
    checks : mapping of str to str
        Kind of strategies (``"rules"``, ``"ordered"``), or ``"maxmin"`` -> place of the function that computes the
        payoffs of a claim's strategies for :mod:`tremble.check`: a :class:`tremble.check.judging.Supplier`.
    plans : mapping of str to str
        Kind of strategies -> place of the function with which the checker compares plans in a list of equilibria.
    views : mapping of str to str
        Name of a type of the capability -> place of the function that shows a value of the type on a terminal.
    pictures : mapping of str to str
        Name of a class of the package tremble -> place of a function that draws an instance as SVG. The function
        returns ``""`` for no picture.
    extensions : mapping of str to str
        Name of a task that the core leaves to capabilities -> place of the object for the task: see :func:`extensions`.
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
    """Return all capabilities that are installed.

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
    """Find the extension that lets a core method solve a kind of game for a concept. Return None if this fails.

    Examples
    --------
    >>> method_extension("dcfr", "ordered", "nash").run
    'tremble.poker.methods:run_regret_minimization'
    """
    rows = (row for capability in registered() for row in capability.method_extensions)
    return next((row for row in rows if (row.method, row.kind, row.concept) == (method, kind, concept)), None)


def missing_for(word: object) -> str | None:
    """Return the name of the missing capability that a word typed by the user needs, or None if none is missing."""
    text = word.strip().lower() if isinstance(word, str) else ""
    for name, words in WORDS.items():
        if {text, text.replace("_", "-")} & set(words.split()):
            return None if any(capability.name == name for capability in registered()) else name
    return None


def require_installed(word: object) -> None:
    """Raise ``SpecError`` if a word that the user typed needs a capability that is not installed.

    Examples
    --------
    >>> require_installed("rhode_island")
    """
    missing = missing_for(word)
    if missing is not None:
        raise SpecError(f"{word} needs tremble.{missing}, which is not installed")


def listed_for(value: object, rows: Literal["views", "pictures"]) -> Any:
    """Return the function that a capability lists in ``rows`` for the type (or base class) of ``value``, or None."""
    for name in type_names(value):
        for capability in registered():
            if name in getattr(capability, rows):
                return resolve_name(getattr(capability, rows)[name])
    return None


def type_names(value: object) -> Iterator[str]:
    """Yield the names of a value's type and base classes. Skip classes from outside tremble: their names may clash."""
    return (kind.__name__ for kind in type(value).__mro__ if kind.__module__.startswith("tremble."))


def extensions(name: str) -> Iterator[Any]:
    """Import the objects that capabilities list under a name in ``Capability.extensions``.

    The names are:

    - ``compare``: a mapping from the ending of a file to the function that draws a comparison for ``tremble compare``;
    - ``convert``: a mapping from the ending of a file to the function that writes a game for ``tremble convert``;
    - ``shrink``: a function that shrinks a game of the capability, and returns None for any other game;
    - ``shrink command``: a function that shrinks a game on the command line, with all options; it returns True if it
      has shrunk the game;
    - ``solution view``: a function that shows each player's strategy as a table; it supports one kind of game;
    - ``plot of losses``: a function that plots the losses of abstractions against their sizes;
    - ``sweep_plot``: a function that draws the result of ``tremble sweep``.
    """
    return (resolve_name(capability.extensions[name]) for capability in registered() if name in capability.extensions)


def extension(name: str, capability: str) -> Any:
    """Import and return the object called ``name`` from ``capability``. No other capability may list this name.

    Raises
    ------
    TrembleError
        The capability is not installed.
    """
    for found in extensions(name):
        return found
    raise TrembleError(f"{name} needs tremble.{capability}, which is not installed")

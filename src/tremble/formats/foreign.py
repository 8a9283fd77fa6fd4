"""Conversion of rules, games of OpenSpiel and games of Gambit to trees, or to rules that :mod:`tremble` can solve."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from tremble.arguments import described
from tremble.errors import GameError, TooLargeError
from tremble.game import tree_builder as model
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.numbers import require_floats, required_max_nodes

__all__ = ["build", "game_of", "openspiel_name"]


def game_of(game: object, *, from_rules: bool = False) -> GameTree | UnbuiltGame:
    """Convert an object to a tree, or to a game that is solved from its rules; raise ``GameError`` for other objects.

    A game of Gambit becomes a tree. A game of OpenSpiel becomes a tree, unless the tree is too large or ``from_rules``
    is true.
    """
    if isinstance(game, GameTree | UnbuiltGame):
        return game
    if _is_of("pyspiel", game):
        from tremble.formats.openspiel import load_openspiel, openspiel_rules

        rules = openspiel_rules(game)
        if not from_rules:
            with suppress(TooLargeError):
                return load_openspiel(rules)
        return UnbuiltGame.of(rules, spec=rules.spec)
    if _is_of("pygambit", game):
        return _of_gambit(game)
    return UnbuiltGame.of(game)


def openspiel_name(game: object) -> str | None:
    """Return the text with which :func:`tremble.load` loads this ``pyspiel.Game``; return None for other objects."""
    if not _is_of("pyspiel", game):
        return None
    from tremble.formats.openspiel import openspiel_rules

    return openspiel_rules(game).spec


def build(
    rules: object,
    *,
    title: str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
    spec: str | None = None,
    floats: Literal["decimal"] | None = None,
) -> GameTree:
    """Build the tree of a game from its rules.

    Parameters
    ----------
    rules : Game, UnbuiltGame, pyspiel.Game or pygambit.Game
        A game, or an object with the methods of :class:`tremble.Game`. The object may have the attributes ``title``
        (str) and ``players`` (pair of names), which become the title and the names in the tree.
    title : str, optional
        A title that replaces the title of the rules.
    max_nodes : int
        Raise ``TooLargeError`` if the tree has more nodes.
    progress : callable, optional
        A function that is called every 10,000 nodes with the number of nodes so far.
    spec : str, optional
        The text with which :func:`tremble.load` loads the game.
    floats : "decimal", optional
        Convert each float from the rules to the shortest decimal that rounds to the float: 0.1 becomes 1/10. By
        default, a float raises an error. Text (``"1/2"``, ``"0.1"``) and ``Decimal`` are exact and always accepted.

    Raises
    ------
    GameError
        The object is not a game, or its rules are invalid: actions differ within an information set, chance
        probabilities do not sum to one, or a number is not exact.
    TooLargeError
        The tree has more than ``max_nodes`` nodes.

    Examples
    --------
    >>> import tremble
    >>> build(tremble.load_rules("kuhn")).nodes_by_kind
    {'chance': 1, 'player 1': 12, 'player 2': 12, 'terminal': 30}
    """
    most = required_max_nodes(max_nodes)
    require_floats(floats)
    if not (spec is None or isinstance(spec, str)):
        raise GameError(f"'spec' must be the text that names the game, not {described(spec)}")
    game = game_of(rules, from_rules=True)
    if isinstance(game, GameTree):
        return game
    from tremble.formats.openspiel import OpenSpielRules, load_openspiel

    if isinstance(game.rules, OpenSpielRules):
        return load_openspiel(game.rules, max_nodes=most, progress=progress)
    return model.build(
        game.rules, title=title, max_nodes=most, progress=progress, spec=spec or game.spec, floats=floats
    )


def _is_of(package: str, game: object) -> bool:
    """Return True if an object is an instance of the class ``Game`` of a package, without importing the package."""
    module = sys.modules.get(package)
    kind = getattr(module, "Game", None)
    return isinstance(kind, type) and isinstance(game, kind)


def _of_gambit(game: Any) -> GameTree:
    if game.is_tree:
        from tremble.formats.efg import read_efg

        return read_efg(game.to_efg(), name="the game of Gambit")
    from tremble.formats.nfg import read_nfg

    return read_nfg(game.to_nfg(), name="the game of Gambit")

"""Whatever stands for a game, as a tree or as rules: also games of OpenSpiel and of Gambit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from tremble.errors import GameError, TooLargeError
from tremble.game import tree_builder as model
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.numbers import require_floats, required_max_nodes
from tremble.words import described

__all__ = ["build", "game_of", "openspiel_name"]


def game_of(game: object, *, from_rules: bool = False) -> GameTree | UnbuiltGame:
    """What stands for a game, as a tree or as rules; ``GameError`` if it is neither.

    Games of Gambit hold a tree or tables of payoffs. Games of OpenSpiel are built unless they are too large, or rules
    are wanted (``from_rules``).
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
    """How :func:`tremble.load` names a ``pyspiel.Game``; None of everything else."""
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
        An object with the methods of :class:`tremble.Game`. Optional attributes ``title`` (str) and
        ``players`` (pair of names) are used when present.
    title : str, optional
        Overrides the title.
    max_nodes : int
        Give up with ``TooLargeError`` beyond this many nodes.
    progress : callable, optional
        Called with the number of nodes so far, every 10,000 nodes.
    spec : str, optional
        How :func:`tremble.load` names the game.
    floats : "decimal", optional
        Take a float that the rules return for the shortest decimal that prints the same: 0.1 is 1/10. Without it,
        floats are refused; text (``"1/2"``, ``"0.1"``) and ``Decimal`` are exact and always taken.

    Raises
    ------
    GameError
        These are no rules, or they contradict themselves: unequal actions within an information set, chance that
        does not sum to one, a number that is not exact.
    TooLargeError

    Examples
    --------
    >>> import tremble
    >>> build(tremble.load_rules("kuhn")).nodes_by_kind
    {'chance': 1, 'player 1': 12, 'player 2': 12, 'terminal': 30}
    """
    most = required_max_nodes(max_nodes)
    require_floats(floats)
    if not (spec is None or isinstance(spec, str)):
        raise GameError(f"spec is the text that names the game, not {described(spec)}")
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
    """Whether this is a ``Game`` of a package; which is not imported for the question."""
    module = sys.modules.get(package)
    kind = getattr(module, "Game", None)
    return isinstance(kind, type) and isinstance(game, kind)


def _of_gambit(game: Any) -> GameTree:
    if game.is_tree:
        from tremble.formats.efg import read_efg

        return read_efg(game.to_efg(), name="the game of Gambit")
    from tremble.formats.nfg import read_nfg

    return read_nfg(game.to_nfg(), name="the game of Gambit")

"""What differs between the kinds of games: a tree, rules that are not built, and an ordered game that is not built.

Each kind is a file with one class, all of which have the methods of :class:`~tremble.game.adapter.Kind`. The functions
here are the only place that asks which kind a game is of.
"""

from __future__ import annotations

from typing import Any

from tremble.errors import GameError
from tremble.game.adapter import Kind
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_adapter import TreeKind
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.claim import Profile
from tremble.solution.stated import not_built
from tremble.solution.strategies import pair_of

__all__ = ["kind_of"]


def kind_of(game: GameTree | UnbuiltGame, strategies: Profile | None = None) -> Kind[Any, Any]:
    """The kind of a game, with the game in it.

    Parameters
    ----------
    strategies : pair of strategies, optional
        The game is to be played by these: rules in rows may be of an ordered game as well.

    Raises
    ------
    GameError
        The strategies are of another kind of game.

    Examples
    --------
    >>> import tremble
    >>> kind_of(tremble.load("kuhn")).name, kind_of(tremble.load_rules("kuhn")).name
    ('tree', 'rules')
    >>> kind_of(tremble.load_rules("rhode_island")).name
    'ordered'
    """
    if isinstance(game, GameTree):
        kind: Kind[Any, Any] = TreeKind(game)
    else:
        # These load the whole verifier, which takes 0.1 s; `info` of a tree does not need it.
        from tremble.large.adapter import RulesKind
        from tremble.poker.adapter import OrderedKind

        in_rows = strategies is not None and pair_of(UnbuiltStrategy, strategies) is not None
        kind = OrderedKind(game) if isinstance(game.rules, OrderedGame) and not in_rows else RulesKind(game)
    if strategies is not None and pair_of(kind.strategy, strategies) is None:
        if isinstance(game, UnbuiltGame) and pair_of(OrderedStrategy, strategies) is not None:
            raise GameError(f"the strategies are of an ordered game, but {game.title!r} is none")
        raise not_built()
    return kind

"""The choice of the adapter for a game: a tree, rules that are not built, or an ordered game that is not built.

Each adapter is a class with the methods of :class:`~tremble.game.adapter.Kind`, in a file of its part. Only the
function here asks for the kind of a game.
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
    """Return the adapter for a game.

    Parameters
    ----------
    strategies : pair of strategies, optional
        Strategies for the game. Rules whose strategies are in rows use the adapter for rules, even for an ordered game.

    Raises
    ------
    GameError
        The strategies belong to another kind of game.

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
        # These imports load the whole checker, which takes 0.1 s; `info` for a tree does not need it.
        from tremble.large.adapter import RulesKind
        from tremble.poker.adapter import OrderedKind

        in_rows = strategies is not None and pair_of(UnbuiltStrategy, strategies) is not None
        kind = OrderedKind(game) if isinstance(game.rules, OrderedGame) and not in_rows else RulesKind(game)
    if strategies is not None and pair_of(kind.strategy, strategies) is None:
        if isinstance(game, UnbuiltGame) and pair_of(OrderedStrategy, strategies) is not None:
            raise GameError(f"the strategies belong to an ordered game, but {game.title!r} is not ordered")
        raise not_built()
    return kind

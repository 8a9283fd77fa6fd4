"""Find the adapter for a game: the object whose methods differ between kinds of games.

The adapter for trees is built in. Other folders of tremble register their adapters in ``Capability.adapters``.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from tremble.capabilities import registered
from tremble.errors import GameError
from tremble.game.adapter import Kind
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.tree import GameTree
from tremble.game.tree_adapter import TreeKind

__all__ = ["kind_of"]


def kind_of(game: GameTree | UnbuiltGame, strategies: Any = None) -> Kind[Any, Any]:
    """Return the adapter for a game.

    Parameters
    ----------
    strategies : pair of strategies, optional
        If both are ``UnbuiltStrategy`` objects, return the adapter for general rules even for an ordered game.

    Raises
    ------
    GameError
        The strategies are for another kind of game, or no installed capability supports this kind.

    Examples
    --------
    >>> import tremble
    >>> kind_of(tremble.load("kuhn")).name, kind_of(tremble.load_rules("kuhn")).name
    ('tree', 'rules')
    >>> kind_of(tremble.load_rules("rhode_island")).name
    'ordered'
    """
    kind = TreeKind(game) if isinstance(game, GameTree) else adapter_of(game, strategies)
    if kind is None:
        raise GameError(f"{game.title}: games that are not built as trees need tremble.large, which is not installed")
    if strategies is not None and not all(isinstance(side, kind.strategy) for side in strategies):
        raise not_built()
    return kind


def adapter_of(game: UnbuiltGame, strategies: Any = None) -> Kind[Any, Any] | None:
    """Return the adapter for a game that is not a tree, or None if no installed capability supports the game."""
    for place in (place for part in registered() for place in part.adapters):
        found: Kind[Any, Any] | None = resolve_name(place)(game, strategies)
        if found is not None:
            return found
    return None

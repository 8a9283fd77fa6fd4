"""A function that recognizes ordered games without importing their solvers."""

from __future__ import annotations

from typing import Any

from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.poker.game import OrderedGame
from tremble.poker.holdem.game import HoldemGame, HoldemTurn
from tremble.poker.strategy import OrderedStrategy

__all__ = ["ordered_kind"]


def ordered_kind(game: UnbuiltGame, strategies: Any = None) -> Any:
    """Return the adapter for an ordered game.

    Return None for the rules of other games, and also if both ``strategies`` are ``UnbuiltStrategy`` objects.
    """
    if isinstance(game.rules, HoldemTurn):
        from tremble.poker.holdem.adapter import TurnKind

        return TurnKind(game)
    if not isinstance(game.rules, OrderedGame):
        if strategies is not None and all(isinstance(side, OrderedStrategy) for side in strategies):
            raise _no_ordered_game(game)
        return None
    if strategies is not None and all(isinstance(side, UnbuiltStrategy) for side in strategies):
        return None
    if isinstance(game.rules, HoldemGame):
        from tremble.poker.holdem.adapter import RiverKind

        return RiverKind(game)
    from tremble.poker.adapter import OrderedKind

    return OrderedKind(game)


def _no_ordered_game(game: UnbuiltGame) -> Exception:
    from tremble.errors import GameError

    return GameError(f"the strategies belong to an ordered game, but {game.title!r} is not an ordered game")

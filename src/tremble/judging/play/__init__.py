"""Hands of a game against a strategy: what is dealt and played, what lies behind each move, and what moves cost.

A hand (:mod:`~tremble.judging.play.hand`) knows a game and the strategies for it through one door,
:class:`~tremble.judging.play.playable.Playable`; behind it are trees, rules that are not built, and ordered games. A
further kind of game needs a class with these methods and a line in :func:`playable`.
"""

from __future__ import annotations

from tremble.errors import GameError
from tremble.judging.play.ordered import PlayableOrdered
from tremble.judging.play.playable import Playable
from tremble.judging.play.rules import PlayableRules
from tremble.judging.play.tree import PlayableTree
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.solution.claim import Profile
from tremble.solution.stated import NOT_BUILT

__all__ = ["playable"]


def playable(game: GameTree | UnbuiltGame, strategies: Profile) -> Playable:
    """A game with the strategies of both players, as hands need it.

    Raises
    ------
    CertificateError
        A row of a strategy for rules is no distribution.
    """
    one, two = strategies
    if isinstance(game, GameTree) and isinstance(one, BehaviorStrategy) and isinstance(two, BehaviorStrategy):
        return PlayableTree(game, (one, two))
    if isinstance(game, UnbuiltGame) and isinstance(one, UnbuiltStrategy) and isinstance(two, UnbuiltStrategy):
        return PlayableRules(game, (one, two))
    if isinstance(game, UnbuiltGame) and isinstance(one, OrderedStrategy) and isinstance(two, OrderedStrategy):
        return PlayableOrdered(game, (one, two))
    raise GameError(NOT_BUILT)

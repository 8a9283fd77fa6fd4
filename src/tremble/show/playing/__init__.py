"""Hands of a game against a strategy: what is dealt and played, what lies behind each move, and what moves cost.

A hand (:mod:`~tremble.show.playing.hand`) knows a game and the strategies for it through one door,
:class:`~tremble.show.playing.protocol.Playable`; behind it are trees, rules that are not built, and ordered games. A
further kind of game needs a class with these methods and a row in ``_PLAYABLE``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tremble.errors import GameError
from tremble.formats.given_profile import NOT_OF_RULES, ProfileLike, given_profile
from tremble.game.kinds import kind_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.show.playing.ordered import PlayableOrdered
from tremble.show.playing.protocol import Playable
from tremble.show.playing.rules import PlayableRules
from tremble.show.playing.tree import PlayableTree
from tremble.solution.claim import Profile
from tremble.solution.strategies import OfRules, of_rules

__all__ = ["playable_game"]

_PLAYABLE: Mapping[str, Callable[[Any, Any], Playable]] = {
    "tree": PlayableTree,
    "rules": PlayableRules,
    "ordered": PlayableOrdered,
}
"""Kind of a game -> how it is played."""


def playable_game(game: GameTree | UnbuiltGame, strategies: ProfileLike | OfRules) -> Playable:
    """A game with the strategies of both players, as hands need it.

    Parameters
    ----------
    game : GameTree or UnbuiltGame
    strategies : object
        Whatever stands for a profile: see :func:`tremble.nash_conv`. Of a game that is not built, a pair of
        ``UnbuiltStrategy`` or of ``OrderedStrategy``, or a solution.

    Raises
    ------
    TrembleError
        It is no profile of this game.
    CertificateError
        A row of a strategy for rules is no distribution.
    GameError
        The strategies are of another kind of game.
    """
    profile: Profile | None = of_rules(strategies)
    if profile is None:
        if not isinstance(game, GameTree):
            raise GameError(NOT_OF_RULES)
        profile = given_profile(game, strategies, exact=True).strategies
    return _PLAYABLE[kind_of(game, profile).name](game, profile)

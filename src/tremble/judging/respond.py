"""Exact best responses to strategies, in a tree or from the rules: what they earn, and what that gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tremble.errors import GameError, ImperfectRecallError
from tremble.model.evaluation import best_response, expected_values
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy, Number, Profile
from tremble.model.tree import GameTree
from tremble.solution.stated import NOT_BUILT
from tremble.verifier.profiles.rules import evaluate_rules

__all__ = ["Responses", "respond"]

RulesProfile = tuple[UnbuiltStrategy, UnbuiltStrategy]


@dataclass(frozen=True)
class Responses:
    """What ``tremble respond`` finds out about a pair of strategies.

    Attributes
    ----------
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    best_values : pair of Fraction or None
        What each earns at most against the other's strategy; None of a player who forgets.
    best : pair of BehaviorStrategy or of UnbuiltStrategy, or None
        Pure strategies that earn it; in a game that is not built, with rows at the information sets that they meet.
    reasons : pair of str or None
        Why there is none.
    not_stated : pair of tuples of int
        Numbers of the information sets that the file does not state.
    """

    values: tuple[Number, Number]
    best_values: tuple[Number | None, Number | None]
    best: tuple[BehaviorStrategy | UnbuiltStrategy | None, BehaviorStrategy | UnbuiltStrategy | None]
    reasons: tuple[str | None, str | None] = (None, None)
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def gains(self) -> tuple[Number | None, Number | None]:
        """What each player gains by deviating."""
        one, two = (None if b is None else b - v for b, v in zip(self.best_values, self.values, strict=True))
        return one, two

    @property
    def nash_conv(self) -> Number | None:
        """What both together gain by deviating."""
        one, two = self.gains
        return None if one is None or two is None else one + two

    @property
    def exploitability(self) -> Number | None:
        """Half of NashConv."""
        return None if self.nash_conv is None else Fraction(self.nash_conv) / 2


def respond(
    game: GameTree | UnbuiltGame,
    strategies: Profile | RulesProfile,
    *,
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
    progress: Callable[[str], None] | None = None,
) -> Responses:
    """Best responses to both strategies.

    Parameters
    ----------
    game : GameTree or UnbuiltGame
    strategies : pair of BehaviorStrategy or of UnbuiltStrategy
        Of that game.
    not_stated : pair of tuples of int, optional
        Numbers of the information sets for which a file states nothing.
    progress : callable, optional
        Called with a text now and then, where the game is not built: the search takes no shortcuts.

    Raises
    ------
    GameError
        The strategies are of a game that is not built, but this one is.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> one, two = (tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> respond(kuhn, (one, two)).nash_conv
    Fraction(11, 12)
    """
    one, two = strategies
    if isinstance(one, BehaviorStrategy) and isinstance(two, BehaviorStrategy) and isinstance(game, GameTree):
        return _in_a_tree(game, (one, two), not_stated)
    if isinstance(one, UnbuiltStrategy) and isinstance(two, UnbuiltStrategy) and isinstance(game, UnbuiltGame):
        outcome = evaluate_rules(game, (one, two), progress=progress)
        first, second = outcome.players
        return Responses(outcome.values, outcome.best_response_values, (first.best, second.best))
    raise GameError(NOT_BUILT)


def _in_a_tree(tree: GameTree, profile: Profile, not_stated: tuple[tuple[int, ...], tuple[int, ...]]) -> Responses:
    one, two = (_best_response(tree, profile, player) for player in (0, 1))
    values = expected_values(tree, profile)
    return Responses(values, (one[0], two[0]), (one[1], two[1]), (one[2], two[2]), not_stated)


def _best_response(
    tree: GameTree, profile: Profile, player: int
) -> tuple[Number | None, BehaviorStrategy | None, str | None]:
    """What a best response earns, and one; or, of a player who forgets, why there is none."""
    try:
        return *best_response(tree, profile, player), None
    except ImperfectRecallError as error:
        return None, None, str(error)

"""Exact best responses to strategies, in a tree or from the rules: what they earn, and what that gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tremble.errors import GameError, ImperfectRecallError
from tremble.model.evaluation import best_response, expected_values
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy, Number
from tremble.model.tree import GameTree
from tremble.solution.claim import Profile
from tremble.solution.stated import NOT_BUILT
from tremble.verifier.profiles.rules import evaluate_rules

__all__ = ["Responses", "respond"]


@dataclass(frozen=True)
class Responses:
    """What ``tremble respond`` finds out about a pair of strategies; pairs by player.

    The best responses are pure; in a game that is not built, they have rows at the information sets that they meet.
    """

    values: tuple[Number, Number]
    best_values: tuple[Number | None, Number | None]  # against the other's strategy; None of a player who forgets
    best: tuple[BehaviorStrategy | UnbuiltStrategy | None, BehaviorStrategy | UnbuiltStrategy | None]
    reasons: tuple[str | None, str | None] = (None, None)  # why there is none
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # numbers of sets that the file leaves out

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
    strategies: Profile,
    *,
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
    progress: Callable[[str], None] | None = None,
) -> Responses:
    """Best responses to both strategies; ``progress`` is called where the game is not built, which may take long."""
    one, two = strategies
    if isinstance(one, BehaviorStrategy) and isinstance(two, BehaviorStrategy) and isinstance(game, GameTree):
        responses = (_best_response(game, (one, two), player) for player in (0, 1))
        earned, best, reasons = zip(*responses, strict=True)
        return Responses(expected_values(game, (one, two)), earned, best, reasons, not_stated)
    if isinstance(one, UnbuiltStrategy) and isinstance(two, UnbuiltStrategy) and isinstance(game, UnbuiltGame):
        outcome = evaluate_rules(game, (one, two), progress=progress)
        first, second = outcome.players
        return Responses(outcome.values, outcome.best_response_values, (first.best, second.best))
    raise GameError(NOT_BUILT)


def _best_response(
    tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy], player: int
) -> tuple[Number | None, BehaviorStrategy | None, str | None]:
    """What a best response earns, and one; or, of a player who forgets, why there is none."""
    try:
        return *best_response(tree, profile, player), None
    except ImperfectRecallError as error:
        return None, None, str(error)

"""Exact best responses to strategies, in a tree or from the rules: what they earn, and what that gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tremble.errors import CertificateError, GameError, ImperfectRecallError
from tremble.model.evaluation import best_response, expected_values
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy, Number
from tremble.model.tree import GameTree
from tremble.solution.claim import Profile
from tremble.solution.stated import NOT_BUILT
from tremble.verifier.profiles.ordered import evaluate_ordered
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
    if isinstance(one, OrderedStrategy) and isinstance(two, OrderedStrategy) and isinstance(game, UnbuiltGame):
        return _of_ordered(game, (one, two), progress)
    raise GameError(NOT_BUILT)


_NOT_LISTED = "in an ordered game that is not built, what a best response earns is computed, and not how it plays"


def _of_ordered(
    game: UnbuiltGame,
    strategies: tuple[OrderedStrategy, OrderedStrategy],
    progress: Callable[[str], None] | None,
) -> Responses:
    """What best responses earn in an ordered game."""
    if not isinstance(game.rules, OrderedGame):
        raise GameError(f"the strategies are of an ordered game, but {game.title!r} is none")
    outcome = evaluate_ordered(game.rules, strategies, progress=progress)
    if isinstance(outcome, list):
        raise CertificateError("; ".join(outcome))
    return Responses(outcome.values, outcome.best_response_values, (None, None), (_NOT_LISTED, _NOT_LISTED))


def _best_response(
    tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy], player: int
) -> tuple[Number | None, BehaviorStrategy | None, str | None]:
    """What a best response earns, and one; or, of a player who forgets, why there is none."""
    try:
        return *best_response(tree, profile, player), None
    except ImperfectRecallError as error:
        return None, None, str(error)

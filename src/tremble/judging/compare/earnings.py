"""What two strategies of a player earn against an opponent who errs, and what could be earned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from tremble.judging.compare.comparison import TREMBLES, Earning, Number, Whose
from tremble.judging.compare.ledger import Ledger, trembling
from tremble.model.evaluation import best_response, expected_values
from tremble.model.recall import parent_sequence
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree

__all__ = ["earned", "earnings"]

Profile = Sequence[BehaviorStrategy]
_Earned = tuple[list[Number], list[Number], list[Number] | None]  # by the first, the second, a best response


def earned(
    tree: GameTree,
    ledger: Ledger | None,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    rival: BehaviorStrategy,
    trembles: Sequence[Any],
) -> _Earned:
    """What a player's two strategies and a best response earn against an opponent who errs more and more.

    Parameters
    ----------
    tree : GameTree
    ledger : Ledger or None
        None if someone forgets.
    own : pair of BehaviorStrategy
    rival : BehaviorStrategy
        All three exact, or all three floats.
    trembles : sequence of Fraction or float

    Returns
    -------
    three lists of Fraction or float
        Expected payoffs by probability of an error; None for the best responses of a player who forgets.
    """
    player = own[0].player
    if ledger is None:
        return _earned_by_the_forgetful(tree, own, rival, trembles)
    exact = rival.exact
    plans, whole = ledger.plans(rival, trembles)
    weight = ledger.weights(player, exact)

    def scaled(values: Any, times: int = 1) -> list[Number]:
        if not exact:
            return [float(v) for v in values]
        return [Fraction(v, ledger.denominator * times * w) for v, w in zip(values, whole, strict=True)]

    mine = []
    for strategy in own:
        plan, (times,) = ledger.plans(strategy, [0])
        collected = ledger.gathered(1 - player, plan[ledger.sequence[player]] * weight)
        mine.append(scaled((collected * plans).sum(axis=0), times))
    best = ledger.best(player, ledger.gathered(player, plans[ledger.sequence[1 - player]] * weight))
    return mine[0], mine[1], scaled(best)


def earnings(
    tree: GameTree,
    ledger: Ledger | None,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    rival: BehaviorStrategy,
    whose: Whose,
) -> Iterator[Earning]:
    """One row for each of ``TREMBLES``; see :func:`earned`."""
    player = own[0].player
    one, two, best = earned(tree, ledger, own, rival, TREMBLES)
    for i, d in enumerate(TREMBLES):
        most = gift = None
        shares: tuple[Number | None, Number | None] = (None, None)
        if best is not None:
            most, gift = best[i], best[i] - best[0]
            if gift > 0:
                shares = (one[i] - one[0]) / gift, (two[i] - two[0]) / gift
        yield Earning(player, whose, d, one[i], two[i], most, gift, shares)


def _earned_by_the_forgetful(
    tree: GameTree,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    rival: BehaviorStrategy,
    trembles: Sequence[Any],
) -> _Earned:
    """The same for games where someone forgets; no best response if that is the player."""
    player = own[0].player
    rivals = [trembling(rival, d) for d in trembles]

    def pair(mine: BehaviorStrategy, other: BehaviorStrategy) -> Profile:
        return (mine, other) if player == 0 else (other, mine)

    one, two = ([expected_values(tree, pair(mine, other))[player] for other in rivals] for mine in own)
    best = None
    if parent_sequence(tree, player) is not None:
        best = [best_response(tree, pair(own[0], other), player)[0] for other in rivals]
    return one, two, best

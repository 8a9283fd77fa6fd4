"""Compute the payoffs of two strategies and of a best response against an opponent who makes mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.evaluation import best_response, expected_values
from tremble.game.requirements import parent_sequence
from tremble.game.sequence_form import SequenceForm, Side
from tremble.game.strategy import BehaviorStrategy, Number, Profile
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array
from tremble.solution.comparison import TREMBLES, Earning, Whose

__all__ = ["earned", "earnings", "trembling", "trembling_plans"]

_Earned = tuple[list[Number], list[Number], list[Number] | None]  # payoffs: first strategy, second, best response


def trembling(strategy: BehaviorStrategy, d: Fraction | float) -> BehaviorStrategy:
    """Return ``strategy`` with mistakes: at each information set, it plays uniformly with probability ``d``."""
    width = np.diff(strategy.start)
    if strategy.denominator is None:
        mixed = (1 - float(d)) * strategy.numerator + np.repeat(float(d) / width, width)
        return replace(strategy, numerator=mixed)
    u, v = Fraction(d).as_integer_ratio()
    numerator: list[int] = []
    denominator: list[int] = []
    share, start = strategy.numerator.tolist(), strategy.start.tolist()
    for k, (n, whole) in enumerate(zip(width.tolist(), strategy.denominator.tolist(), strict=True)):
        row = [(v - u) * n * p + u * whole for p in share[start[k] : start[k + 1]]]
        common = gcd(v * n * whole, *row)
        numerator += [p // common for p in row]
        denominator.append(v * n * whole // common)
    return replace(strategy, numerator=integer_array(numerator), denominator=integer_array(denominator))


def trembling_plans(side: Side, strategy: BehaviorStrategy, trembles: Sequence[Any]) -> tuple[NDArray[Any], list[int]]:
    """Return n realization plans of a strategy, one for each probability of mistakes, as columns of an array [S, n].

    ``trembles`` contains these n probabilities (:func:`trembling`). If the strategy is exact, the array contains
    integer numerators, and the function also returns n denominators. Otherwise the array contains floats, and the
    denominators are 1.
    """
    strategy = replace(strategy, parent=side.parent)
    if strategy.denominator is not None:
        plans = [(trembling(strategy, d) if d else strategy).to_realization_plan() for d in trembles]
        return np.stack([plan.weight.astype(object) for plan in plans], axis=1), [p.denominator or 1 for p in plans]
    share = np.stack([trembling(strategy, d).numerator for d in trembles], axis=1)
    return side.plan(share), [1] * len(trembles)


def earned(
    tree: GameTree,
    form: SequenceForm | None,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    opponent: BehaviorStrategy,
    trembles: Sequence[Any],
) -> _Earned:
    """Return payoffs against an opponent with mistakes, for a player's two strategies ``own`` and for a best response.

    ``trembles`` contains the probabilities of mistakes. The function returns a list of payoffs for each strategy, with
    one payoff for each probability. The strategies in ``own`` and ``opponent`` must be all exact or all floats.
    ``form`` is the sequence form, or None if a player lacks perfect recall. If the player of ``own`` lacks perfect
    recall, the function returns None in place of the payoffs of best responses.
    """
    player = own[0].player
    if form is None:
        return _earned_without_recall(tree, own, opponent, trembles)
    side = form.side(player)
    plans, denominators = trembling_plans(form.side(1 - player), opponent, trembles)
    gain = side.gains(plans)

    def scaled(values: Iterable[Any], times: int = 1) -> list[Number]:
        if not opponent.exact:
            return [float(v) for v in values]
        return [Fraction(v, side.denominator * times * d) for v, d in zip(values, denominators, strict=True)]

    mine = []
    for strategy in own:
        plan, (times,) = trembling_plans(side, strategy, [0])
        mine.append(scaled((plan * gain).sum(axis=0), times))
    best = [side.best_values(column)[0] for column in gain.T.tolist()]
    return mine[0], mine[1], scaled(best)


def earnings(
    tree: GameTree,
    form: SequenceForm | None,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    opponent: BehaviorStrategy,
    whose: Whose,
) -> Iterator[Earning]:
    """Yield one ``Earning`` per probability of mistakes. ``TREMBLES`` lists the probabilities. See :func:`earned`."""
    player = own[0].player
    first, second, best = earned(tree, form, own, opponent, TREMBLES)
    for i, d in enumerate(TREMBLES):
        most = gift = None
        shares: tuple[Number | None, Number | None] = (None, None)
        if best is not None:
            most, gift = best[i], best[i] - best[0]
            if gift > 0:
                shares = (first[i] - first[0]) / gift, (second[i] - second[0]) / gift
        yield Earning(player, whose, d, first[i], second[i], most, gift, shares)


def _earned_without_recall(
    tree: GameTree, own: tuple[BehaviorStrategy, BehaviorStrategy], opponent: BehaviorStrategy, trembles: Sequence[Any]
) -> _Earned:
    """Compute the result of :func:`earned` for a game in which a player lacks perfect recall."""
    player = own[0].player
    opponents = [trembling(opponent, d) for d in trembles]

    def profile(mine: BehaviorStrategy, theirs: BehaviorStrategy) -> Profile:
        return (mine, theirs) if player == 0 else (theirs, mine)

    first, second = ([expected_values(tree, profile(mine, theirs))[player] for theirs in opponents] for mine in own)
    best = None
    if parent_sequence(tree, player) is not None:
        best = [best_response(tree, profile(own[0], theirs), player)[0] for theirs in opponents]
    return first, second, best

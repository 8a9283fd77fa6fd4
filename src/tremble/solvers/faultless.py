"""Compute the limit strategy of a player who makes no mistakes, against a trembling plan of the other player."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.solution.trembling_plan import TremblingPlan

__all__ = ["best_limit"]


def best_limit(tree: GameTree, plan: TremblingPlan, other: TremblingPlan) -> BehaviorStrategy:
    """Return the limit of a plan, with a best action at each information set that the plan never reaches.

    A best action is the first action with the greatest value against the plan ``other``. Values are polynomials, stored
    as lists of coefficients. The first coefficient that differs decides which value is greater.
    """
    side = SequenceForm.of(tree).side(plan.player)
    value = side.gains(other.coefficient.T).tolist()
    rows: list[list[Fraction]] = []
    weight, order = plan.coefficient.T.tolist(), plan.order.tolist()
    for before, first, end in reversed(side.steps()):
        best = max(value[first:end])
        value[before] = [a + b for a, b in zip(value[before], best, strict=True)]
        if whole := weight[before][order[before]]:
            rows.append([Fraction(weight[q][order[before]], whole) for q in range(first, end)])
        else:
            at = value.index(best, first, end)
            rows.append([Fraction(q == at) for q in range(first, end)])
    strategy = BehaviorStrategy.from_rows(tree, plan.player, rows[::-1])
    return replace(strategy, off_path=np.zeros_like(strategy.off_path))  # the strategy now covers all information sets

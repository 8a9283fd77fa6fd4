r"""Directions in which trembling strategies converge to a profile, and certificates made from directions.

A *direction* assigns a positive weight :math:`w_a` and a positive integer order :math:`k_a` to every action. The
trembling strategies of a direction are

.. math::  \sigma_a(\epsilon) = \frac{\sigma_a + w_a\,\epsilon^{k_a}}{1 + \sum_b w_b\,\epsilon^{k_b}} .

They are completely mixed for :math:`\epsilon > 0`, and their limit is the profile :math:`\sigma`. Every consistent
assessment is the limit of such strategies (Kreps and Wilson 1982). Beliefs follow from the leading terms alone. The
leading term is :math:`\sigma_a` for a played action and :math:`w_a\,\epsilon^{k_a}` for an unplayed action.

If a proof of a quasi-perfect equilibrium uses these weights and orders, the plans must satisfy one more condition.
If a sequence q is not a best response to the opponent's trembling plan, the weight of q must be the least weight
:math:`l_q = W_q\,\epsilon^{d(q)}`. Here W_q is the product of the weights :math:`w_a` of the actions a in q, and d(q)
is the sum of their orders :math:`k_a`. In :func:`perturbed_plan`, a sequence that ends with an unplayed action has its
least weight. At each set, the remaining weight of the preceding sequence is divided among the played actions in
proportion to the profile.

References
----------
D. Kreps, R. Wilson: Sequential equilibria, Econometrica 50, 1982.

E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form
games, International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached
from tremble.game.sequence_form import remembered
from tremble.game.strategy import BehaviorStrategy, Profile
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.numbers import over_one_denominator
from tremble.solution.certificates import consistent_trembles
from tremble.solution.trembles import Trembles
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.refine import least_weights

__all__ = ["Direction", "LeadingTerms", "perturbed_plan", "words_of"]

_MOST_COEFFICIENTS = 2_000_000  # limit on the coefficients in the perturbed plan of a player


@dataclass(frozen=True, eq=False)
class LeadingTerms:
    """The leading term, in epsilon, of each sequence's probability, for a player with S sequences."""

    order: NDArray[np.int64]  # [S], the exponents of epsilon in the leading terms
    leading: NDArray[Any]  # object[S], the coefficients as positive integers, up to a common factor


def words_of(trembles: Trembles | None) -> str:
    """Return a phrase that describes the likelihood of mistakes."""
    return "all mistakes equally likely" if trembles is None else "mistakes as likely as the weights say"


@dataclass(frozen=True, eq=False)
class Direction:
    """A weight and an order for each action of both players. The module's docstring defines weights and orders."""

    # For each player, a list with one entry for each sequence, without the empty sequence.
    weights: tuple[list[Fraction], list[Fraction]]
    orders: tuple[list[int], list[int]]

    @classmethod
    def of_trembles(cls, tree: GameTree, trembles: Trembles | None) -> Direction:
        """Return the direction with the weights and orders of ``trembles``. None means that all these numbers are 1."""
        stated = trembles or Trembles.uniform(tree)
        weights1, weights2 = ([Fraction(w) for w in side.tolist()] for side in stated.weight)
        return cls((weights1, weights2), pair(side.tolist() for side in stated.order))

    @classmethod
    def of_plans(cls, tree: GameTree, profile: Profile, plans: tuple[TremblingPlan, TremblingPlan]) -> Direction | None:
        """Return the weights and orders of mistakes in ``plans``; None if the plans do not converge to the profile."""
        weights: tuple[list[Fraction], list[Fraction]] = ([], [])
        orders: tuple[list[int], list[int]] = ([], [])
        for player, plan in enumerate(plans):
            order, leading = plan.order.tolist(), plan.leading.tolist()
            for row, prior, sequences in _sets(tree, profile[player]):
                for q, p in zip(sequences, row, strict=True):
                    rarer, ratio = order[q] - order[prior], Fraction(leading[q], leading[prior])
                    if rarer < 0 or ratio <= 0 or (ratio if rarer == 0 else 0) != p:
                        return None
                    weights[player].append(Fraction(1) if p else ratio)
                    orders[player].append(rarer or 1)
        return cls(weights, orders)

    def certificate(self, tree: GameTree) -> dict[str, Any]:
        """Return a certificate with the weights and orders of the actions at each information set.

        If all weights are 1, None replaces the weights. If all orders are 1, None replaces the orders.
        """

        def by_set(sides: tuple[list[Any], list[Any]]) -> list[list[list[Any]]] | None:
            bounds = [pairwise(start.tolist()) for start in tree.slot_start]
            rows = [[side[first:end] for first, end in sets] for side, sets in zip(sides, bounds, strict=True)]
            return None if all(value == 1 for side in sides for value in side) else rows

        return consistent_trembles(by_set(self.weights), by_set(self.orders))

    def terms(self, tree: GameTree, profile: Profile) -> tuple[LeadingTerms, LeadingTerms]:
        """Return the leading terms of both players' sequences in the trembling strategies of this direction."""
        return pair(self._terms(tree, profile[player]) for player in (0, 1))

    def _terms(self, tree: GameTree, strategy: BehaviorStrategy) -> LeadingTerms:
        weights, orders = self.weights[strategy.player], self.orders[strategy.player]
        order, leading = [0] * (len(orders) + 1), [Fraction(1)] * (len(orders) + 1)
        for row, prior, sequences in _sets(tree, strategy):
            for q, p in zip(sequences, row, strict=True):
                order[q] = order[prior] + (0 if p else orders[q - 1])
                factor = p or weights[q - 1]
                leading[q] = leading[prior] if factor == 1 else leading[prior] * factor
        return LeadingTerms(np.array(order, dtype=np.int64), np.array(over_one_denominator(leading)[0], dtype=object))


def _sets(tree: GameTree, strategy: BehaviorStrategy) -> Iterator[tuple[list[Fraction], int, range]]:
    """Yield (probabilities of the actions, sequence before the set, sequences of the actions) for each set."""
    for row, (prior, first, end) in zip(strategy, remembered(tree, strategy.player)[0].steps(), strict=True):
        yield [Fraction(p) for p in row], prior, range(first, end)


def perturbed_plan(tree: GameTree, strategy: BehaviorStrategy, trembles: Trembles) -> TremblingPlan | None:
    """Return the trembling plan that the module's docstring describes, or None if the plan would be too large."""
    try:
        plan = least_weights(remembered(tree, strategy.player)[0], trembles)
    except LimitReached:
        return None
    if plan.size > _MOST_COEFFICIENTS:
        return None
    plan[0, 0] = 1
    for row, prior, sequences in _sets(tree, strategy):
        rest = plan[:, prior] - sum(plan[:, q] for q, p in zip(sequences, row, strict=True) if not p)
        for q, p in zip(sequences, row, strict=True):
            if p:
                plan[:, q] = p * rest
    numbers, whole = over_one_denominator(plan.ravel().tolist())
    return TremblingPlan(strategy.player, np.array(numbers, dtype=object).reshape(plan.shape), whole)

r"""The leading terms of strategies that tremble, as a certificate of kind ``consistent-trembles`` states them.

At an information set where the strategy plays :math:`\sigma_a`, the completely mixed strategy is

.. math::  \sigma_a(\epsilon) = \frac{\sigma_a + w_a\,\epsilon^{k_a}}{1 + \sum_b w_b\,\epsilon^{k_b}}

with a positive weight :math:`w_a` and a positive integer :math:`k_a`, the *order*, for every action. It is a
distribution, all of it is positive for :math:`\epsilon > 0`, and it converges to :math:`\sigma`. Of the probability of
a sequence, the product of such factors, nothing but the leading term matters in the limit: the denominators tend to 1,
a factor with :math:`\sigma_a > 0` leads with :math:`\sigma_a`, any other with :math:`w_a\,\epsilon^{k_a}`. So orders
add up and the coefficients multiply; weights and orders of actions that are played have no effect.

References
----------
D. Kreps, R. Wilson: Sequential equilibria, Econometrica 50, 1982 (the orders are their labellings).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import brief, is_count, read_weights
from tremble.verifier.certificates.polynomials import PerturbedPlan
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import products

__all__ = ["CONSISTENT_TREMBLES", "LeadingTerms", "read_leading_terms"]

CONSISTENT_TREMBLES = "consistent-trembles"

_MOST = 10**18  # orders are below it, so that their sums stay short


@dataclass(frozen=True, eq=False)
class LeadingTerms:
    """How the probabilities vanish with which one player plays its sequences: amount times epsilon to the order.

    Shapes: S sequences.
    """

    order: list[int]  # [S], from 0; only compared with each other
    amount: list[int]  # [S], positive, up to one positive factor for all

    @classmethod
    def of(cls, plan: PerturbedPlan) -> LeadingTerms:
        """Those of a plan that is a polynomial."""
        terms = listening(zip(plan.by_sequence, plan.order, strict=True))
        return cls(plan.order, [values[d] for values, d in terms])


def read_leading_terms(context: CheckContext) -> tuple[LeadingTerms, LeadingTerms] | None:
    """Those of both players; None, and problems that name the field, if the certificate states none."""
    certificate, problems = context.solution.certificate, context.problems
    before = len(problems)
    fields = ("trembles", "orders")
    for key in certificate:
        if key not in ("kind", *fields):
            problems.add(
                f"certificate.{str(key)[:60]}: a certificate of kind {CONSISTENT_TREMBLES!r} has no such field"
            )
    missing = [key for key in fields if key not in certificate]
    for key in missing:
        problems.add(f"certificate.{key}: missing")
    if missing:
        return None
    weights = [read_weights(context, player) for player in (0, 1)]
    orders = [_read_orders(context, player) for player in (0, 1)]
    if len(problems) > before:
        return None
    one, two = (_leading(context, player, weights[player], orders[player]) for player in (0, 1))
    return one, two


def _read_orders(context: CheckContext, player: int) -> list[int]:
    """The order of the tremble of each action of a player, set by set."""
    stated, problems = context.solution.certificate["orders"], context.problems
    actions = context.tree.actions[player]
    if stated is None:
        return [1] * sum(map(len, actions))
    where = f"certificate.orders[{player}]"
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add(f"{where}: missing; orders are null or a list for each of the two players")
        return []
    rows: Any = stated[player]
    if not isinstance(rows, list | tuple) or len(rows) != len(actions):
        problems.add(f"{where}: not a list of {len(actions)}, the number of information sets")
        return []
    orders: list[int] = []
    for k, (row, labels) in enumerate(listening(zip(rows, actions, strict=True))):
        if not isinstance(row, list | tuple) or len(row) != len(labels):
            problems.add(f"{where}[{k}]: not a list of {len(labels)}, the number of actions")
            continue
        for j, value in enumerate(row):
            if not is_count(value) or not 1 <= value < _MOST:
                problems.add(f"{where}[{k}][{j}]: the order of a tremble is a positive integer, not {brief(value)}")
        orders.extend(row)
    return orders


def _leading(context: CheckContext, player: int, weights: list[Fraction | int], orders: list[int]) -> LeadingTerms:
    """The leading terms of one player's sequences."""
    sequences, table = context.evaluation.sequences[player], context.solution.tables[player]
    share, whole = table.numerator.tolist(), table.denominator.tolist()
    order = [0] * sequences.num_sequences
    costs = budget()
    costs.about = f"certificate.trembles[{player}]"
    for k, prior, first, end in listening(sequences.sets):
        never = [q for q in range(first, end) if not share[q - 1]]
        bottom = whole[k]
        if never:  # the row over a denominator that suits the weights as well
            common = costs.common_denominator([bottom, *(weights[q - 1].denominator for q in never)])
            length = common.bit_length()
            costs.quotient(length, bottom.bit_length())
            factor = common // bottom
            for q in range(first, end):
                long = bits_of(weights[q - 1])
                costs.quotient(length, long, 2)
                costs.keep(length + long)
                w = weights[q - 1]
                share[q - 1] = share[q - 1] * factor or common // w.denominator * w.numerator
            whole[k] = common
        for q in range(first, end):
            order[q] = order[prior]
        for q in never:
            order[q] += orders[q - 1]
    rank = {value: i for i, value in enumerate(sorted(set(order)))}
    amount, _ = products(sequences, share, whole)
    return LeadingTerms([rank[value] for value in order], amount)

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
from typing import Any, ClassVar

from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import (
    Certificate,
    Rows,
    by_action,
    read_orders,
    read_trembles,
    words,
)
from tremble.verifier.certificates.polynomials import PerturbedPlan
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import products

__all__ = ["ConsistentTremblesCertificate", "LeadingTerms", "leading_terms"]


@dataclass(frozen=True, eq=False)
class ConsistentTremblesCertificate(Certificate):
    """How rare each mistake is, as mistakes vanish: what beliefs follow from, and are rational with."""

    kind: ClassVar[str] = "consistent-trembles"

    trembles: Rows | None  # weights; None if all are equal
    orders: Rows | None  # powers of the infinitesimal; None if all are 1

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind, "trembles": self.trembles, "orders": self.orders}

    @classmethod
    def read(cls, context: CheckContext) -> ConsistentTremblesCertificate | None:
        """What is stated; None, and problems that name the field, if that is nothing of this kind."""
        before = len(context.problems)
        if not cls.is_stated(context, "", "trembles", "orders"):
            return None
        trembles = read_trembles(context)
        stated = cls(trembles, read_orders(context, trembles))
        if words(trembles):
            context.problems.add("certificate.trembles: beliefs follow from stated mistakes of both players")
        return None if len(context.problems) > before else stated


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


def leading_terms(context: CheckContext) -> tuple[LeadingTerms, LeadingTerms] | None:
    """Those of both players that the certificate states; None and problems if it states none."""
    stated = ConsistentTremblesCertificate.read(context)
    if stated is None:
        return None
    terms1, terms2 = (
        _leading(context, player, *(by_action(rows, context.tree, player) for rows in (stated.trembles, stated.orders)))
        for player in (0, 1)
    )
    return terms1, terms2


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

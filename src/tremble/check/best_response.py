r"""Expected payoffs and best responses, by backward induction over a player's own information sets.

Theorem (von Stengel 1996).  Let y be a plan of the other player. For an action a at an own information set I let

.. math::

   u_{Ia} = \sum_r U_{Ia,r}\, y_r + \sum_{I' \text{ after } Ia} V_{I'}, \qquad V_I = \max_a u_{Ia},

where I' are the own sets that no other own move separates from (I, a). Then V_I is the most that the player can earn
from I on, weighted by the probability that chance and y lead to I; and the most in the whole game is
:math:`V_0 = \sum_r U_{0r}\,y_r + \sum V_{I'}` over the sets that follow no own move.

Proof.  By perfect recall, each set follows one own sequence, so the sets form a forest. A plan earns the sum of
:math:`x_{Ia} \sum_r U_{Ia,r}\,y_r`. From the last sets back, a plan from I on distributes the weight of the move
before I over the actions, and each action earns at most u_Ia. A pure plan that chooses a best action everywhere
attains the bound.

Payoffs are polynomials in an infinitesimal epsilon, as tuples of coefficients, the constant one first. For small
enough epsilon > 0 the first different coefficient decides which polynomial is greater; Python compares tuples so. An
ordinary number is a polynomial of degree 0, so the kernel has a single backward induction.

Source: B. von Stengel, Efficient computation of behavior strategies, Games and Economic Behavior 14 (1996), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add

from tremble.check.claim import Strategy
from tremble.check.limits import Limits, length_of
from tremble.check.tree import Payoffs, SequenceForm, Sequences, over_common_denominator

Polynomial = tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The realization plan of a behavior strategy."""

    weight: list[int]  # of each sequence, as integers over `denominator`
    denominator: int


@dataclass(frozen=True)
class Result:
    """What a profile earns one player."""

    plan: Plan
    value: Fraction  # expected payoff
    best_response_value: Fraction
    worth: list[Polynomial]  # u of each own sequence against the other's plan, up to one positive factor

    @property
    def gain(self) -> Fraction:
        """The gain from a best response."""
        return self.best_response_value - self.value


Outcome = tuple[Result, Result]


def evaluate(form: SequenceForm, strategies: tuple[Strategy, Strategy], limits: Limits) -> Outcome:
    """Compute expected payoffs and best responses of two strategies without faults."""
    plan1, plan2 = (realization_plan(form.sequences[i], probabilities(strategies[i]), limits) for i in (0, 1))
    return _result(form, 0, plan1, plan2, limits), _result(form, 1, plan2, plan1, limits)


def _result(form: SequenceForm, player: int, own: Plan, other: Plan, limits: Limits) -> Result:
    """Compute what a player's plan and a best response earn against the plan of the other."""
    sequences = form.sequences[player]
    earned = earnings(form.payoffs[player], sequences, [other.weight], limits)
    limits.charge("values", own.denominator.bit_length(), max(c.bit_length() for (c,) in earned), len(earned))
    unit = form.denominator * other.denominator
    value = Fraction(sum(x * c for x, (c,) in zip(own.weight, earned, strict=True)), unit * own.denominator)
    worth = best_response(sequences, earned)
    return Result(own, value, Fraction(worth[0][0], unit), worth)


def probabilities(strategy: Strategy) -> list[Fraction]:
    """Return the probability of each action, the sets one after the other."""
    wholes = [d for d, labels in zip(strategy.denominator, strategy.actions, strict=True) for _ in labels]
    return [Fraction(int(n), int(d)) for n, d in zip(strategy.numerator, wholes, strict=True)]


def realization_plan(sequences: Sequences, factors: Sequence[Fraction], limits: Limits) -> Plan:
    """Multiply the factor of each move along each sequence; `factors` has one for each sequence but the empty one."""
    product = [Fraction(1)] * sequences.count
    for _, prior, first, end in sequences.sets:
        above = product[prior]
        for q in range(first, end):
            factor = factors[q - 1]
            if factor == 1 or not above:  # equilibria have many such moves
                product[q] = above
            else:
                limits.charge("strategies", length_of(above), length_of(factor))
                product[q] = above * factor
    return Plan(*over_common_denominator(product, limits, "strategies"))


def earnings(
    payoffs: Payoffs, sequences: Sequences, plan: Sequence[Sequence[int]], limits: Limits
) -> list[Polynomial]:
    """Return the sum of U_qr y_r for each own sequence q; `plan` holds y for each degree of epsilon."""
    return list(zip(*(payoffs.against(weight, sequences.count, limits) for weight in plan), strict=True))


def best_response(sequences: Sequences, earned: Sequence[Polynomial]) -> list[Polynomial]:
    """Return u of each sequence, with V_0 in place of the empty one, from what each sequence earns by itself."""
    worth = list(earned)
    for _, prior, first, end in reversed(sequences.sets):
        worth[prior] = tuple(map(add, worth[prior], max(worth[first:end])))
    return worth

r"""Expected payoffs and best responses, by backward induction over the player's own information sets.

Theorem (von Stengel 1996).  Let y be a plan of the other player. For an action a at an own set I, let (U: see `tree`)

.. math::

   u_{Ia} = \sum_r U_{Ia,r}\, y_r + \sum_{I' \text{ after } Ia} V_{I'}, \qquad V_I = \max_a u_{Ia},

where I' runs over the own sets that follow (I, a) without another own move in between. Then V_I is the most that the
player can earn from I on, weighted by the probability with which chance and y lead to I. The maximum for the whole game
is :math:`V_0 = \sum_r U_{0r}\,y_r + \sum V_{I'}`, where I' runs over the sets that follow no own move.

Proof.  By perfect recall, each set follows exactly one own sequence, so the sets form a forest. A plan x earns the sum
of :math:`x_q \sum_r U_{qr}\,y_r` over all own sequences q. Use induction from the last sets to the first. From I on, a
plan distributes the weight of the move before I over the actions, and each action earns at most u_Ia for each unit of
weight. A pure plan that chooses a best action at every set attains the bound.

In the code, payoffs are polynomials in an infinitesimal epsilon: tuples of coefficients that begin with the constant.
For all small epsilon > 0, the first coefficient in which two polynomials differ decides which one is greater. Python
compares tuples in the same way. An ordinary number is a polynomial of degree 0, so one function handles both.

Source: B. von Stengel, Efficient computation of behavior strategies, Games and Economic Behavior 14 (1996), section 5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add
from typing import Any

from tremble.check.claim import Strategy
from tremble.check.limits import Limits, common_denominator, length_of, steps_of
from tremble.check.tree import Payoffs, SequenceForm, Sequences

Polynomial = tuple[int, ...]
Pair = tuple[Fraction, Fraction]  # one number for each player, or a lower and an upper bound


@dataclass(frozen=True)
class Plan:
    """The realization plan of a behavior strategy, as integers over one denominator."""

    weight: list[int]  # the weight of each sequence times `denominator`
    denominator: int


@dataclass(frozen=True)
class Result:
    """A player's expected payoff in a tree, and the payoff of the player's best response to the other player's plan."""

    plan: Plan
    value: Fraction  # expected payoff
    best_response_value: Fraction
    worth: list[Polynomial]  # u of each own sequence against the other player's plan, times a common positive factor


@dataclass(frozen=True)
class Outcome:
    """The payoffs of a profile, from `evaluate` or from a function in the argument `extra` of `check`.

    If the payoffs are from `evaluate`, `outcome[player]` is the `Result` of the player.
    """

    values: Pair | None  # expected payoffs of both players; None if there are faults
    best_response_values: Pair | None = None  # the most that each can earn against the other; None if not computed
    constant_sum: Fraction | None = None  # the sum of both payoffs at every leaf that was visited; None if it varies
    every_leaf: bool = True  # False if `constant_sum` covers only leaves that a strategy allows (see `nash`)
    only_gains: bool = False  # True if a bounded claim may state no bounds, but the gains of both players
    bounds: Pair | None = None  # bounds that a certificate proves without best responses (see `Verification.bounds`)
    epsilon: Fraction = Fraction(0)  # the greatest gap between `bounds` that a certified claim may have
    faults: tuple[str, ...] = ()  # reasons why the claim is refused
    notes: tuple[str, ...] = ()  # remarks for the reader of the verdict
    results: tuple[Result, Result] | None = None  # None if the game is not a tree
    details: Any = None  # further results of a function in `extra`, which the kernel ignores

    def __getitem__(self, player: int) -> Result:
        if self.results is None:
            raise TypeError("results for each sequence exist only for a tree")
        return self.results[player]

    @property
    def gains(self) -> Pair | None:
        """The gain of each player by changing to a best response; None if the gains are not computed."""
        if self.values is None or self.best_response_values is None:
            return None
        (value1, value2), (most1, most2) = self.values, self.best_response_values
        return most1 - value1, most2 - value2

    @property
    def nash_conv(self) -> Fraction | None:
        """The sum of the gains of both players, or None if the gains are not computed."""
        return None if self.gains is None else self.gains[0] + self.gains[1]

    @property
    def certified_bounds(self) -> Pair | None:
        """The bounds that a certified claim must state: the certificate's, or else (v, v) for player 1's payoff v."""
        if self.bounds is not None or self.constant_sum is None or self.values is None:
            return self.bounds
        return self.values[0], self.values[0]

    @property
    def proven_bounds(self) -> Pair | None:
        """The proven bounds on the value: those of the certificate, or else those of the theorem in `nash`."""
        if self.bounds is not None or self.constant_sum is None or self.best_response_values is None:
            return self.bounds
        most1, most2 = self.best_response_values
        return self.constant_sum - most2, most1


def evaluate(form: SequenceForm, strategies: tuple[Strategy, Strategy], limits: Limits) -> Outcome:
    """Compute the payoffs of two strategies and of best responses to them. The strategies must have no `faults`."""
    plan1, plan2 = (
        realization_plan(form.sequences[i], probabilities(strategies[i]), limits, f"strategies[{i}]") for i in (0, 1)
    )
    result1, result2 = _result(form, 0, plan1, plan2, limits), _result(form, 1, plan2, plan1, limits)
    return Outcome(
        (result1.value, result2.value),
        (result1.best_response_value, result2.best_response_value),
        form.constant_sum,
        results=(result1, result2),
    )


def _result(form: SequenceForm, player: int, own: Plan, other: Plan, limits: Limits) -> Result:
    """Compute the payoffs that a player's plan and a best response earn against the other player's plan."""
    sequences = form.sequences[player]
    earned = earnings(form.payoffs[player], sequences, [other.weight], limits)
    longest = max(c.bit_length() for (c,) in earned)
    limits.spend("strategies", steps_of(own.denominator.bit_length(), longest), len(own.weight) - own.weight.count(0))
    unit = form.denominator * other.denominator
    value = Fraction(sum(x * c for x, (c,) in zip(own.weight, earned, strict=True)), unit * own.denominator)
    worth = best_response(sequences, earned)
    return Result(own, value, Fraction(worth[0][0], unit), worth)


def probabilities(strategy: Strategy) -> list[Fraction]:
    """Return the probability of each action of a strategy, in the order of the sequences."""
    wholes = [d for d, labels in zip(strategy.denominator, strategy.actions, strict=True) for _ in labels]
    zero, one = Fraction(0), Fraction(1)  # in an equilibrium, most probabilities are 0 or 1
    return [
        zero if n == 0 else one if n == d else Fraction(n, d) for n, d in zip(strategy.numerator, wholes, strict=True)
    ]


def realization_plan(
    sequences: Sequences, factors: Sequence[Fraction], limits: Limits, where: str = "strategies"
) -> Plan:
    """Return the weight of each sequence q: the product of the moves' factors. The last factor is `factors[q - 1]`."""
    product = [Fraction(1)] * sequences.count
    for _, prior, first, end in sequences.sets:
        above = product[prior]
        for q in range(first, end):
            factor = factors[q - 1]
            if factor == 1 or not above:  # frequent in equilibria
                product[q] = above
            else:
                limits.charge(where, length_of(above), length_of(factor), 2)
                product[q] = above * factor
    whole = common_denominator((number.denominator for number in product), limits, where)
    weight = [0] * sequences.count
    weight[0] = whole
    for _, prior, first, end in sequences.sets:
        if weight[prior]:
            for q in range(first, end):
                factor = factors[q - 1]
                if factor:  # multiply long numbers only by short ones, even on paths of thousands of moves
                    limits.charge(where, weight[prior].bit_length(), length_of(factor))
                    weight[q] = weight[prior] if factor == 1 else weight[prior] * factor.numerator // factor.denominator
    return Plan(weight, whole)


def earnings(payoffs: Payoffs, sequences: Sequences, plan: Sequence[Sequence[int]], limits: Limits) -> list[Polynomial]:
    """Return the payoff of each own sequence q: the sum of U_qr y_r over r. `plan[d]` has y's coefficients of e^d."""
    return list(zip(*(payoffs.against(weight, sequences.count, limits) for weight in plan), strict=True))


def best_response(sequences: Sequences, earned: Sequence[Polynomial]) -> list[Polynomial]:
    """Return each sequence's value u under a best response (entry 0 is V_0). `earned` is a result of `earnings`."""
    worth = list(earned)
    for _, prior, first, end in reversed(sequences.sets):
        worth[prior] = tuple(map(add, worth[prior], max(worth[first:end])))
    return worth


def losing(sequences: Sequences, worth: list[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield (set, sequence, best sequence at the set) for each sequence whose `worth` is not the best at its set."""
    for k, _, first, end in sequences.sets:
        best = max(worth[first:end])
        for q in range(first, end):
            if worth[q] != best:
                yield k, q, worth.index(best, first, end)

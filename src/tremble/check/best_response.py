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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, itemgetter
from typing import Any

from tremble.check.claim import Strategy
from tremble.check.limits import Limits, common_denominator, length_of, steps_of
from tremble.check.tree import Payoffs, SequenceForm, Sequences

Polynomial = tuple[int, ...]
Pair = tuple[Fraction, Fraction]  # of players 1 and 2, or a lower and an upper bound


@dataclass(frozen=True)
class Plan:
    """The realization plan of a behavior strategy."""

    weight: list[int]  # of each sequence, as integers over `denominator`
    denominator: int


@dataclass(frozen=True)
class Result:
    """The payoff that a profile earns one player in a tree, and a best response."""

    plan: Plan
    value: Fraction  # expected payoff
    best_response_value: Fraction
    worth: list[Polynomial]  # u of each own sequence against the other's plan, up to one positive factor


@dataclass(frozen=True)
class Outcome:
    """The payoffs that a profile earns: computed by `evaluate` for a tree, and by a capability for other games.

    Indexing gives the `Result` of a player in a tree.
    """

    values: Pair | None  # expected payoffs of both players; None if there are faults
    best_response_values: Pair | None = None  # the most that each player earns against the other; None: not computed
    constant_sum: Fraction | None = None  # of both payoffs, at every leaf that was reached; None if it varies
    every_leaf: bool = True  # whether `constant_sum` is about all leaves, and not only those that a strategy allows
    bounds: Pair | None = None  # on what player 1 earns, proven from a certificate and not from best responses
    epsilon: Fraction = Fraction(0)  # a certified claim may leave this gap between `bounds`
    faults: tuple[str, ...] = ()  # reasons why the claim is refused
    notes: tuple[str, ...] = ()  # what a reader of the verdict should know
    results: tuple[Result, Result] | None = None  # in a tree
    details: Any = None  # what a capability computed besides, for its own use

    def __getitem__(self, player: int) -> Result:
        if self.results is None:
            raise TypeError("only a tree has results by sequence")
        return self.results[player]

    @property
    def gains(self) -> Pair | None:
        """The gain of each player from a best response."""
        if self.values is None or self.best_response_values is None:
            return None
        (value1, value2), (most1, most2) = self.values, self.best_response_values
        return most1 - value1, most2 - value2

    @property
    def nash_conv(self) -> Fraction | None:
        """The sum of both gains."""
        return None if self.gains is None else self.gains[0] + self.gains[1]

    @property
    def certified_bounds(self) -> Pair | None:
        """The bounds that a certified claim states: those of a certificate, or twice the value."""
        if self.bounds is not None or self.constant_sum is None or self.values is None:
            return self.bounds
        return self.values[0], self.values[0]

    @property
    def proven_bounds(self) -> Pair | None:
        """The bounds on what player 1 can guarantee, by the theorem in `nash` unless a certificate proves some."""
        if self.bounds is not None or self.constant_sum is None or self.best_response_values is None:
            return self.bounds
        most1, most2 = self.best_response_values
        return self.constant_sum - most2, most1


@dataclass(frozen=True)
class Deviation:
    """The action whose play costs a player most."""

    infoset: int
    played: int  # sequence of this action
    better: int  # sequence of a best action at the same set
    probability: Fraction  # with which the action is played at the set
    cost: Fraction  # what playing it takes from the expected payoff, best responses following


def evaluate(form: SequenceForm, strategies: tuple[Strategy, Strategy], limits: Limits) -> Outcome:
    """Compute expected payoffs and best responses of two strategies without faults."""
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
    """Compute what a player's plan and a best response earn against the plan of the other."""
    sequences = form.sequences[player]
    earned = earnings(form.payoffs[player], sequences, [other.weight], limits)
    longest = max(c.bit_length() for (c,) in earned)
    limits.spend("strategies", steps_of(own.denominator.bit_length(), longest), len(own.weight) - own.weight.count(0))
    unit = form.denominator * other.denominator
    value = Fraction(sum(x * c for x, (c,) in zip(own.weight, earned, strict=True)), unit * own.denominator)
    worth = best_response(sequences, earned)
    return Result(own, value, Fraction(worth[0][0], unit), worth)


def worst_deviation(form: SequenceForm, outcome: Outcome, player: int, limits: Limits) -> Deviation | None:
    """Find the costliest action that a player plays; return None if the strategy is a best response.

    The loss of a strategy is the sum, over its sequences, of their weight times what the best action at the same set
    earns more.
    """
    own, other = outcome[player], outcome[1 - player]
    plan, worth = own.plan.weight, own.worth
    longest = max(c.bit_length() for (c,) in worth)
    limits.spend("strategies", steps_of(own.plan.denominator.bit_length(), longest), len(plan) - plan.count(0))
    sequences, unit = form.sequences[player], form.denominator * own.plan.denominator * other.plan.denominator
    losses = ((plan[q] * (worth[better][0] - worth[q][0]), k, q, better) for k, q, better in losing(sequences, worth))
    cost, k, q, better = max(losses, key=itemgetter(0), default=(0, 0, 0, 0))
    if not cost:
        return None
    return Deviation(k, q, better, Fraction(plan[q], plan[sequences.sets[k][1]]), Fraction(cost, unit))


def probabilities(strategy: Strategy) -> list[Fraction]:
    """Return the probability of each action, the sets one after the other."""
    wholes = [d for d, labels in zip(strategy.denominator, strategy.actions, strict=True) for _ in labels]
    zero, one = Fraction(0), Fraction(1)  # in an equilibrium, most probabilities are 0 or 1
    return [
        zero if n == 0 else one if n == d else Fraction(n, d) for n, d in zip(strategy.numerator, wholes, strict=True)
    ]


def realization_plan(
    sequences: Sequences, factors: Sequence[Fraction], limits: Limits, where: str = "strategies"
) -> Plan:
    """Multiply the factor of each move along each sequence; `factors` has one for each sequence but the empty one."""
    product = [Fraction(1)] * sequences.count
    for _, prior, first, end in sequences.sets:
        above = product[prior]
        for q in range(first, end):
            factor = factors[q - 1]
            if factor == 1 or not above:  # equilibria have many such moves
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
                if factor:  # a long number meets short ones only, on chains of thousands of moves
                    limits.charge(where, weight[prior].bit_length(), length_of(factor))
                    weight[q] = weight[prior] if factor == 1 else weight[prior] * factor.numerator // factor.denominator
    return Plan(weight, whole)


def earnings(payoffs: Payoffs, sequences: Sequences, plan: Sequence[Sequence[int]], limits: Limits) -> list[Polynomial]:
    """Return the sum of U_qr y_r for each own sequence q; `plan` holds y for each degree of epsilon."""
    return list(zip(*(payoffs.against(weight, sequences.count, limits) for weight in plan), strict=True))


def best_response(sequences: Sequences, earned: Sequence[Polynomial]) -> list[Polynomial]:
    """Return u of each sequence, with V_0 in place of the empty one, from what each sequence earns by itself."""
    worth = list(earned)
    for _, prior, first, end in reversed(sequences.sets):
        worth[prior] = tuple(map(add, worth[prior], max(worth[first:end])))
    return worth


def losing(sequences: Sequences, worth: list[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield each sequence that earns less than another one at its set: the set, the sequence, and a best one."""
    for k, _, first, end in sequences.sets:
        best = max(worth[first:end])
        for q in range(first, end):
            if worth[q] != best:
                yield k, q, worth.index(best, first, end)

r"""Counterfactual regret minimisation: CFR, CFR+ and DCFR, in sequence form.

Both players repeat the game against each other. Let :math:`x^t` and :math:`y^t` be the plans of iteration t. Against
:math:`y^t` the sequences of player 1 are worth, from the last set to the first,

.. math::  v^t_s = (U y^t)_s + \sum_{k : parent(k) = s} \sum_{s' \in k} \sigma^t_{s'} v^t_{s'},

which is the *counterfactual value* of the last action of s: chance and the other player weigh the leaves, the
player's own reach does not. The regrets of set k and the next strategy (*regret matching*) are

.. math::  r^t_s = v^t_s - \sum_{s' \in k} \sigma^t_{s'} v^t_{s'}, \qquad
           R^t_s = d^{t-1}(R^{t-1}_s) \, R^{t-1}_s + r^t_s, \qquad
           \sigma^{t+1}_s = \frac{\max(R^t_s, 0)}{\sum_{s' \in k} \max(R^t_{s'}, 0)}

(uniform where no regret is positive), and the result is the average plan, :math:`\sum_t w^t x^t / \sum_t w^t`.
An iteration is one sparse product and one pass over the information sets each way, for each player. The variants:

======== ============== ============================== ============================== =========== =================
variant  updates        :math:`d^t(R)` for R > 0       :math:`d^t(R)` for R <= 0      :math:`w^t` published as
======== ============== ============================== ============================== =========== =================
cfr      simultaneous   1                              1                              1           [1]_ (7), (8), (4)
cfr+     alternating    1                              0                              t           [2]_
dcfr     alternating    :math:`t^{1.5}/(t^{1.5} + 1)`  1/2                            :math:`t^2` [3]_
======== ============== ============================== ============================== =========== =================

Forgetting negative regrets before adding the new ones is regret matching+, which stores :math:`\max(R, 0)`: the next
strategy is the same. With *alternating* updates player 2 learns against the plan that player 1 has just learnt, and
the averages are still those of :math:`x^t` and :math:`y^t`, the plans that the iteration began with (as in [4]_).

OpenSpiel's ``CFRPlusSolver`` and ``DCFRSolver`` do the same; its ``CFRSolver`` alternates, which [1]_ does not.

References
----------
.. [1] M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret minimization in games with incomplete information,
   NIPS 20, 2007.
.. [2] O. Tammelin: Solving large imperfect information games using CFR+, arXiv:1407.5042, 2014; without delay.
.. [3] N. Brown, T. Sandholm: Solving imperfect-information games via discounted regret minimization, AAAI 2019;
   alpha = 3/2, beta = 0, gamma = 2.
.. [4] N. Burch, M. Moravčík, M. Schmid: Revisiting CFR+ and alternating updates, JAIR 64, 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.clock import Clock
from tremble.errors import NotZeroSumError, SpecError
from tremble.response import best_response
from tremble.sequence_form import SequenceForm
from tremble.solvers.regret_kernels import best_value, iterate, round_plan
from tremble.strategy import BehaviorStrategy, RealizationPlan
from tremble.tree import GameTree, IntArray, as_floats, integer_array

__all__ = ["VARIANTS", "RegretMinimizer", "RegretOutcome", "Variant", "solve_regret"]

Profile = tuple[BehaviorStrategy, BehaviorStrategy]
Progress = Callable[[str, float | None], None]
Keep = Callable[[Callable[[], Profile]], None]
Report = Callable[[Mapping[str, Any]], None]
FloatArray = NDArray[np.float64]

_SLICE_SECONDS = 0.1  # in one kernel call, if an iteration takes less
_GRID_BITS, _FINE_GRID_BITS = 40, 48  # plans are rounded to multiples of 2^-bits
_COARSE_ROUNDING = Fraction(1, 2**36)  # what the coarse grid may cost per sequence, in units of the payoff entries
_FLOAT_NOISE = 2.0**-48  # a gap of this much between float bounds may be none
_INT64_SAFE = 2.0**61


@dataclass(frozen=True)
class Variant:
    """A member of the family DCFR(alpha, beta, gamma), to which CFR and CFR+ belong too.

    Attributes
    ----------
    name : str
    alternating : bool
        Player 2 learns against what player 1 has just learnt.
    alpha, beta : float
        Before iteration t + 1 positive regrets are multiplied by t^alpha / (t^alpha + 1), others by
        t^beta / (t^beta + 1); infinity leaves them as they are, minus infinity forgets them.
    gamma : float
        The plans of iteration t weigh t^gamma in the average.
    """

    name: str
    alternating: bool
    alpha: float
    beta: float
    gamma: float


VARIANTS: Mapping[str, Variant] = {
    "cfr": Variant("CFR", alternating=False, alpha=inf, beta=inf, gamma=0.0),
    "cfr+": Variant("CFR+", alternating=True, alpha=inf, beta=-inf, gamma=1.0),
    "dcfr": Variant("DCFR", alternating=True, alpha=1.5, beta=0.0, gamma=2.0),
}
"""Name of a method -> the algorithm."""


@dataclass(frozen=True, eq=False)
class RegretOutcome:
    """Where regret minimisation stopped.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy
        The average plans, rounded to multiples of a power of two; exact.
    iterations : int
    stats : dict
        ``iterations``, ``gap_float`` (of the average plans before rounding, payoff units), ``evaluations``,
        ``exact_evaluations``, and seconds (``*_seconds_float``).
    """

    strategies: Profile
    iterations: int
    stats: dict[str, Any]


class _Side(NamedTuple):
    """A player's part of the game; see :mod:`.regret_kernels`."""

    parent: NDArray[np.uint32]
    start: NDArray[np.uint32]
    first: NDArray[np.uint32]
    column: NDArray[np.uint32]
    payoff: NDArray[Any]


class _Tables(NamedTuple):
    """What a player has learnt; see :mod:`.regret_kernels`."""

    regret: FloatArray
    share: FloatArray
    plan: FloatArray
    total: FloatArray
    value: FloatArray


class RegretMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Parameters
    ----------
    form : SequenceForm
    variant : Variant

    Examples
    --------
    One iteration begins with uniform play; whatever the game, that is the average after it:

    >>> import tremble
    >>> form = tremble.SequenceForm.of(tremble.load("matching_pennies"))
    >>> minimizer = RegretMinimizer(form, VARIANTS["cfr"])
    >>> minimizer.run(1)
    >>> minimizer.average(0)
    array([1. , 0.5, 0.5])
    """

    def __init__(self, form: SequenceForm, variant: Variant) -> None:
        self.variant = variant
        self.iterations = 0
        content = form.payoff_content()
        largest = max(abs(int(form.payoff.max(initial=0))), abs(int(form.payoff.min(initial=0)))) // content
        # Scaled by a power of two to at most 1: small whole numbers stay exact, long ones stay in the range of floats.
        exponent = largest.bit_length()
        self._whole: IntArray = form.payoff // content
        self._whole_unit = Fraction(content, form.denominator)
        self.unit = self._whole_unit * 2**exponent
        """What 1 in the tables is, in units of payoff."""
        self._sides = _sides(form, as_floats(self._whole, 2**exponent))
        self._tables = tuple(_tables(side) for side in self._sides)

    def run(self, count: int) -> None:
        """Do so many iterations; Ctrl-C is heard after them."""
        t = np.arange(self.iterations + 1, self.iterations + count + 1, dtype=np.float64)
        variant = self.variant
        iterate(
            tuple(tuple(side) for side in self._sides),
            tuple(tuple(table) for table in self._tables),
            variant.alternating,
            _kept(t - 1, variant.alpha),
            _kept(t - 1, variant.beta),
            t**variant.gamma,
        )
        self.iterations += count

    def average(self, player: int) -> FloatArray:
        """The average plan so far, float64[S]."""
        total = self._tables[player].total
        plan: FloatArray = total / total[0]
        return plan

    def bounds(self) -> tuple[float, float]:
        """What the average plans of players 1 and 2 guarantee, in floats: bounds on the value in units of ``unit``."""
        room = [np.empty(len(table.value)) for table in self._tables]
        upper = best_value(tuple(self._sides[0]), self.average(1), room[0])
        lower = -best_value(tuple(self._sides[1]), self.average(0), room[1])
        return float(lower), float(upper)

    def rounded(self, totals: tuple[FloatArray, FloatArray], bits: int) -> tuple[RealizationPlan, RealizationPlan]:
        """Exact plans in proportion to sums of plans, every weight a multiple of 2^-bits."""
        plans = []
        for player, (side, total) in enumerate(zip(self._sides, totals, strict=True)):
            weight = np.empty(len(total), dtype=np.int64)
            weight[0] = 1 << bits
            round_plan(side.parent, side.start, total, weight)
            plans.append(RealizationPlan(player, weight, 1 << bits))
        return plans[0], plans[1]

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Copies of the weighted sums of the plans so far."""
        return self._tables[0].total.copy(), self._tables[1].total.copy()

    def exact_bounds(
        self, form: SequenceForm, plans: tuple[RealizationPlan, RealizationPlan]
    ) -> tuple[Fraction, Fraction] | None:
        """What two rounded plans guarantee, exactly; None where 64 bits might not be enough to compute it."""
        if self._whole.dtype == object:
            return None
        found = []
        for player, side in enumerate(_sides(form, self._whole)):
            weight = plans[1 - player].weight
            # With absolute payoffs the best reply is worth at least as much as any number that the exact pass meets.
            magnitude = side._replace(payoff=np.abs(side.payoff).astype(np.float64))
            size = len(self._tables[player].value)
            if best_value(tuple(magnitude), weight.astype(np.float64), np.empty(size)) >= _INT64_SAFE:
                return None
            value = int(best_value(tuple(side), weight, np.empty(size, dtype=np.int64)))
            found.append(Fraction(value, plans[1 - player].denominator) * self._whole_unit)
        return -found[1], found[0]


def _kept(t: FloatArray, exponent: float) -> FloatArray:
    """What remains of a regret after iteration t."""
    if isinf(exponent):
        return np.full(len(t), float(exponent > 0))
    return t**exponent / (t**exponent + 1)


def _sides(form: SequenceForm, payoff: NDArray[Any]) -> tuple[_Side, _Side]:
    """The game as both players see it: own sequences by rows, own payoffs."""
    by_column = np.argsort(form.column, kind="stable")
    sides = []
    for player, (own, other, entries) in enumerate(
        ((form.row, form.column, payoff), (form.column[by_column], form.row[by_column], -payoff[by_column]))
    ):
        first = np.searchsorted(own, np.arange(form.num_sequences[player] + 1))
        index = [array.astype(np.uint32) for array in (form.parent[player], form.start[player], first, other)]
        sides.append(_Side(index[0], index[1], index[2], index[3], entries))
    return sides[0], sides[1]


def _tables(side: _Side) -> _Tables:
    """Nothing learnt yet: uniform play."""
    size = len(side.first) - 1
    width = np.diff(side.start)
    share = np.concatenate(([1.0], np.repeat(1.0 / width, width)))
    plan = np.ones(size)
    for k, (before, first, end) in enumerate(
        zip(side.parent.tolist(), side.start[:-1].tolist(), side.start[1:].tolist(), strict=True)
    ):
        plan[first:end] = plan[before] / width[k]
    return _Tables(np.zeros(size), share, plan, np.zeros(size), np.zeros(size))


def _next_evaluation(iterations: int) -> int:
    """Powers of two, then steps of a tenth: an evaluation costs less than an iteration, so all cost below a tenth."""
    return 2 * iterations if iterations < 64 else iterations + iterations // 10


class _Best:
    """The averages with the smallest gap so far, and how to make a profile of them."""

    def __init__(self, tree: GameTree, minimizer: RegretMinimizer, bits: int) -> None:
        self._tree = tree
        self._minimizer = minimizer
        self._bits = bits
        self._found: tuple[float, tuple[FloatArray, FloatArray]] | None = None

    def offer(self, gap: float) -> bool:
        """Take the present averages if they are better; say whether they are the first."""
        first = self._found is None
        if self._found is None or gap < self._found[0]:
            self._found = (gap, self._minimizer.totals())
        return first

    def profile(self) -> Profile:
        assert self._found is not None
        one, two = self._minimizer.rounded(self._found[1], self._bits)
        return one.to_behavior(self._tree), two.to_behavior(self._tree)


def solve_regret(
    variant: str,
    tree: GameTree,
    form: SequenceForm,
    clock: Clock,
    progress: Progress,
    keep: Keep,
    gap: Fraction,
    report: Report,
) -> RegretOutcome:
    """Minimise regrets until the average plans prove the value up to a gap.

    Parameters
    ----------
    variant : str
        A name from ``VARIANTS``.
    tree : GameTree
        Its payoffs sum to a constant; both players have perfect recall.
    form : SequenceForm
        Of that tree.
    clock : Clock
    progress : callable
        Called with a text at every evaluation.
    keep : callable
        Called once, with what makes the best profile up to the time it is asked.
    gap : Fraction
        Stop when exact best responses to the rounded average plans leave at most this much between the bounds on
        player 1's value, in units of payoff.
    report : callable
        Called at every evaluation with ``iteration``, ``elapsed_seconds_float``, ``lower_float``, ``upper_float``:
        bounds on player 1's value, in floats.

    Raises
    ------
    LimitReached
        The time limit; a gap of 0 is out of reach in most games.
    NotZeroSumError
        The payoffs do not sum to a constant.
    SpecError
        There is no such variant.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> outcome = solve_regret(
    ...     "cfr+", kuhn, tremble.SequenceForm.of(kuhn), Clock(None), lambda step, fraction: None,
    ...     lambda make_profile: None, Fraction(1, 1000), lambda row: None,
    ... )
    >>> tremble.nash_conv(kuhn, outcome.strategies) <= Fraction(1, 1000)
    True
    """
    if variant not in VARIANTS:
        raise SpecError(f"unknown variant {variant!r}; there are {', '.join(VARIANTS)}")
    if tree.constant_sum is None:
        raise NotZeroSumError("the payoffs do not sum to a constant, and regret minimisation needs that")
    name = VARIANTS[variant].name
    progress(name, None)
    began = clock.elapsed
    minimizer = RegretMinimizer(form, VARIANTS[variant])
    coarse = gap >= _COARSE_ROUNDING * sum(form.num_sequences) * minimizer.unit
    bits = _GRID_BITS if coarse else _FINE_GRID_BITS
    best = _Best(tree, minimizer, bits)
    evaluations = exact_evaluations = 0
    evaluation_seconds = 0.0
    target, slice_size = 1, 1
    while True:
        while minimizer.iterations < target:
            clock.check()
            before = clock.elapsed
            minimizer.run(min(slice_size, target - minimizer.iterations))
            slice_size = _next_slice(slice_size, clock.elapsed - before)
        before = clock.elapsed
        lower, upper = minimizer.bounds()
        evaluations += 1
        found = upper - lower
        if best.offer(found):
            keep(best.profile)
        shown = [_as_float(Fraction(bound) * minimizer.unit) for bound in (lower, upper)]
        report(
            {
                "iteration": minimizer.iterations,
                "elapsed_seconds_float": clock.elapsed,
                "lower_float": shown[0],
                "upper_float": shown[1],
            }
        )
        progress(f"{name}, iteration {minimizer.iterations:,}: gap {shown[1] - shown[0]:.3g}", None)
        if Fraction(found - _FLOAT_NOISE) * minimizer.unit <= gap:
            clock.check()
            exact_evaluations += 1
            plans = minimizer.rounded(minimizer.totals(), bits)
            bounds = minimizer.exact_bounds(form, plans)
            strategies = None
            if bounds is None:
                strategies = plans[0].to_behavior(tree), plans[1].to_behavior(tree)
                bounds = _proven_bounds(tree, strategies)
            if bounds[1] - bounds[0] <= gap:
                strategies = strategies or (plans[0].to_behavior(tree), plans[1].to_behavior(tree))
                break
        evaluation_seconds += clock.elapsed - before
        target = _next_evaluation(minimizer.iterations)
    stats = {
        "iterations": minimizer.iterations,
        "gap_float": shown[1] - shown[0],
        "evaluations": evaluations,
        "exact_evaluations": exact_evaluations,
        "evaluation_seconds_float": evaluation_seconds,
        "regret_seconds_float": clock.elapsed - began,
    }
    return RegretOutcome(strategies, minimizer.iterations, stats)


def _next_slice(size: int, seconds: float) -> int:
    """Twice as many iterations, as long as they fit into a slice."""
    return max(1, min(2 * size, int(size * _SLICE_SECONDS / max(seconds, 1e-9))))


def _proven_bounds(tree: GameTree, strategies: Profile) -> tuple[Fraction, Fraction]:
    """Bounds on player 1's value from exact best responses."""
    assert tree.constant_sum is not None
    upper, lower = best_response(tree, strategies, 0)[0], best_response(tree, strategies, 1)[0]
    return tree.constant_sum - Fraction(lower), Fraction(upper)


def _as_float(value: Fraction) -> float:
    """The nearest float, infinite beyond their range."""
    return float(as_floats(integer_array([value.numerator]), value.denominator)[0])

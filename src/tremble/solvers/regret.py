r"""Minimize counterfactual regrets in sequence form with CFR, CFR+, DCFR or PCFR+.

Both players play the game against each other repeatedly. Let :math:`x^t` and :math:`y^t` be the plans of iteration t.
From the last information set to the first, the values of player 1's sequences against :math:`y^t` are

.. math::  v^t_s = (U y^t)_s + \sum_{k : parent(k) = s} \sum_{s' \in k} \sigma^t_{s'} v^t_{s'} .

Here :math:`v^t_s` is the *counterfactual value* of the last action in sequence s, a sum over the leaves after s. Each
leaf's payoff is multiplied by the probabilities of all moves on the path to the leaf, except player 1's moves in s. The
regrets of information set k and the next strategy (*regret matching*) are

.. math::  r^t_s = v^t_s - \sum_{s' \in k} \sigma^t_{s'} v^t_{s'}, \qquad
           R^t_s = d^{t-1}(R^{t-1}_s) \, R^{t-1}_s + r^t_s, \qquad
           \sigma^{t+1}_s = \frac{\max(R^t_s, 0)}{\sum_{s' \in k} \max(R^t_{s'}, 0)} .

If no regret of the set is positive, the next strategy is uniform. The result is the average plan,
:math:`\sum_t w^t x^t / \sum_t w^t`. For each player, an iteration needs one sparse product, and one pass over the
information sets in each direction. The variants are:

======== ============== ============================== ============================== =========== =================
variant  updates        :math:`d^t(R)` for R > 0       :math:`d^t(R)` for R <= 0      :math:`w^t` published as
======== ============== ============================== ============================== =========== =================
cfr      simultaneous   1                              1                              1           [1]_ (7), (8), (4)
cfr+     alternating    1                              0                              t           [2]_
dcfr     alternating    :math:`t^{1.5}/(t^{1.5} + 1)`  1/2                            :math:`t^2` [3]_
pcfr+    alternating    1                              0                              :math:`t^2` [5]_
======== ============== ============================== ============================== =========== =================

CFR+ sets negative regrets to 0 before it adds the new regrets. Regret matching+ stores :math:`\max(R, 0)` instead, but
the next strategy is the same. With *alternating* updates, player 2 learns against the new plan of player 1. The
averages still contain :math:`x^t` and :math:`y^t`, the plans at the start of the iteration (as in [4]_).

*Predictive* regret matching+ assumes that the last change :math:`r^t_s` repeats. The next strategy is in proportion to
:math:`\max(R^t_s + r^t_s, 0)`, and negative :math:`R^t_s` are set to 0 at once.

OpenSpiel's ``CFRPlusSolver`` and ``DCFRSolver`` use the same updates. OpenSpiel's ``CFRSolver`` alternates, unlike
[1]_.

*The loop.* :func:`minimise` iterates until the average plans prove bounds within a target gap, or for a given number of
iterations. It works for trees, with the code of this file, and for ordered games that are not built
(:mod:`tremble.poker.regret.view`).

References
----------
.. [1] M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret minimization in games with incomplete information,
   NIPS 20, 2007.
.. [2] O. Tammelin: Solving large imperfect information games using CFR+, arXiv:1407.5042, 2014 (used without delay).
.. [3] N. Brown, T. Sandholm: Solving imperfect-information games via discounted regret minimization, AAAI 2019. Used
   here with alpha = 3/2, beta = 0, gamma = 2.
.. [4] N. Burch, M. Moravčík, M. Schmid: Revisiting CFR+ and alternating updates, JAIR 64, 2019.
.. [5] G. Farina, C. Kroer, T. Sandholm: Faster game solving via predictive Blackwell approachability, AAAI 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.game.evaluation import best_response
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import Profile, RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.integers import FloatArray, as_floats, is_wide
from tremble.run.alarm import interrupts_held_back
from tremble.solution.claim import Claim
from tremble.solution.claim import Profile as AnyProfile
from tremble.solvers.iterations import log_bounds
from tremble.solvers.method import Run
from tremble.solvers.regret_checkpoint import TreeCheckpoint
from tremble.solvers.regret_kernels import best_value, iterate, round_plan

__all__ = ["VARIANTS", "RegretMinimizer", "Variant", "View", "kept", "minimise", "next_slice", "solve_regret"]

_SLICE_SECONDS = 0.1  # target duration of a kernel call, if one iteration takes less time
_GRID_BITS, _FINE_GRID_BITS = 40, 48  # plans are rounded to multiples of 2^-bits
_COARSE_ROUNDING = Fraction(1, 2**36)  # greatest loss per sequence from coarse rounding, in units of the payoff entries
_FLOAT_NOISE = 2.0**-48  # rounding error of a gap between float bounds
_INT64_SAFE = 2.0**61


@dataclass(frozen=True)
class Variant:
    """A member of the family DCFR(alpha, beta, gamma), which also contains CFR and CFR+."""

    name: str
    alternating: bool  # True if player 2 learns against the new plan of player 1
    # Before iteration t + 1, positive regrets are multiplied by t^alpha / (t^alpha + 1), and other regrets by
    # t^beta / (t^beta + 1). The factor is 1 for an infinite exponent, and 0 for minus infinity.
    alpha: float
    beta: float
    gamma: float  # the plans of iteration t have weight t^gamma in the average
    predictive: bool = False  # True if the next strategy expects that the last gains repeat

    @property
    def floor(self) -> bool:
        """True if each iteration replaces negative regrets by 0."""
        return isinf(self.beta) and self.beta < 0


VARIANTS: Mapping[str, Variant] = {
    "cfr": Variant("CFR", alternating=False, alpha=inf, beta=inf, gamma=0.0),
    "cfr+": Variant("CFR+", alternating=True, alpha=inf, beta=-inf, gamma=1.0),
    "dcfr": Variant("DCFR", alternating=True, alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Variant("PCFR+", alternating=True, alpha=inf, beta=-inf, gamma=2.0, predictive=True),
}
"""The variants by the names of their methods."""


def solve_regret(variant: Variant, tree: GameTree, run: Run, iterations: int | None = None) -> Claim:
    """Minimize regrets until the gap between two bounds is at most ``run.gap``, or until ``iterations`` are done.

    The gap is the difference of the bounds on player 1's value, in units of payoff. Exact best responses to the rounded
    average plans give the bounds. Every evaluation is logged with float bounds.

    Returns
    -------
    Claim
        The average plans, rounded to exact multiples of a power of two.

    Raises
    ------
    LimitReached
        The time limit stopped the run. If ``run.gap`` is 0, most runs never reach this gap and end only at a limit.

    Examples
    --------
    >>> import tremble
    >>> from tremble.run.clock import Clock
    >>> from tremble.solvers.regret import VARIANTS
    >>> kuhn = tremble.load("kuhn")
    >>> claim = solve_regret(VARIANTS["cfr+"], kuhn, Run(Clock(None), gap=Fraction(1, 1000)))
    >>> tremble.nash_conv(kuhn, claim.strategies) <= Fraction(1, 1000)
    True
    """
    run.progress(variant.name, None)
    view = _TreeView(variant, tree, run)
    try:
        return minimise(variant.name, view, run, iterations)
    finally:
        view.close()


class View(Protocol):
    """The state of a run of regret minimization on one game."""

    @property
    def iterations(self) -> int:
        """Return the number of iterations done."""
        ...

    def advance(self, target: int) -> None:
        """Run a few iterations, at most until iteration ``target``, so that the caller can check limits often."""
        ...

    def bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """Return the bounds on player 1's value that the average plans guarantee, in payoff units."""
        ...

    def evaluation_after(self, iteration: int) -> int:
        """Return the next iteration to evaluate after ``iteration``. A resumed run evaluates the same iterations."""
        ...

    def profile(self) -> AnyProfile:
        """Return the best profile found so far, with exact probabilities."""
        ...

    def averages(self) -> AnyProfile:
        """Return the average plans of all iterations as exact strategies."""
        ...

    def finished(self) -> AnyProfile | None:
        """Return exact strategies that reach the target gap, or None if the last bounds have a larger gap."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return further entries for the diagnostics."""
        ...


def minimise(name: str, view: View, run: Run, iterations: int | None = None) -> Claim:
    """Iterate until the average plans prove bounds that differ by at most ``run.gap``. Log the bounds as floats.

    ``iterations`` limits the number of iterations. If this limit is reached first, return the average plans.
    """
    # Check that a checkpoint does not have too many iterations.
    last = inf if iterations is None else iterations
    if view.iterations > last:
        raise SpecError(
            f"the checkpoint has {view.iterations:,} iterations, more than the {last:,} requested iterations: name "
            "another file, or request more iterations"
        )

    def evaluated() -> tuple[float, float]:
        bounds = view.bounds()
        run.offer(view.profile)
        lower, upper = log_bounds(run, view.iterations, *bounds)
        run.progress(f"{name}, iteration {view.iterations:,}: gap {upper - lower:.3g}", None)
        return lower, upper

    began, evaluations, target = run.clock.elapsed, 0, 1
    run.clock.iterations_begin()
    while target < view.iterations:  # a resumed run evaluates after the same iterations as an uninterrupted one
        target, evaluations = view.evaluation_after(target), evaluations + 1
    if 0 < view.iterations < min(target, last):
        evaluated()
    # Iterate to the next evaluation, until the gap or the last iteration is reached.
    strategies = None
    while strategies is None:
        while view.iterations < min(target, last):
            run.clock.check()
            view.advance(int(min(target, last)))
        lower, upper = evaluated()
        evaluations += 1
        strategies, target = view.finished(), view.evaluation_after(target)
        if strategies is None and view.iterations == last:
            strategies = view.averages()
    stats = {
        "iterations": view.iterations,
        "gap_float": upper - lower,
        "evaluations": evaluations,
        **view.facts(),
        "regret_seconds_float": run.clock.elapsed - began,
    }
    return Claim(strategies, stats)


class _TreeView:
    """A run of regret minimization on a tree. For each player, it stores the average plan with the best guarantee."""

    def __init__(self, variant: Variant, tree: GameTree, run: Run) -> None:
        self.variant = variant
        self._tree, self._form = tree, SequenceForm.of(tree)
        self._clock, self._gap = run.clock, run.gap
        self._minimizer = minimizer = RegretMinimizer(self._form, variant)
        rounding = _COARSE_ROUNDING * sum(self._form.num_sequences) * minimizer.unit
        self._bits = _GRID_BITS if run.gap is not None and run.gap >= rounding else _FINE_GRID_BITS
        self._slice = 1
        self._apart = inf  # the gap of the last bounds, in units of the minimizer
        self._best = -inf, -inf  # the best guarantee of each player
        self._totals = minimizer.totals()  # the averages with the best guarantees
        self._evaluation_seconds = 0.0
        self._checkpoint = None
        if run.checkpoint is not None:
            self._checkpoint = TreeCheckpoint(run.checkpoint, tree.digest, run.clock)
            self._checkpoint.restore(self)
        self._first = self.iterations

    @property
    def iterations(self) -> int:
        return self._minimizer.iterations

    def identity(self) -> dict[str, str]:
        """Return an empty dictionary: the game and the variant suffice to identify the run."""
        return {}

    def state(self) -> dict[str, FloatArray]:
        """Return the arrays of a checkpoint: the arrays of the minimizer, and the best averages so far."""
        return self._minimizer.state() | {f"best {player}": total for player, total in enumerate(self._totals, 1)}

    def resume(self, iterations: int) -> None:
        """Set the number of iterations done. The caller must first fill the arrays of :meth:`state`."""
        self._minimizer.resume(iterations)
        if all(total[0] for total in self._totals):  # the totals are 0 before the first evaluation
            lower, upper = self._minimizer.bounds(self._totals)
            self._best = lower, -upper

    def advance(self, target: int) -> None:
        # An interrupted iteration would leave an invalid state. The first call may compile, so it can be interrupted.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            before = self._clock.elapsed
            self._minimizer.run(min(self._slice, target - self.iterations))
            self._slice = next_slice(self._slice, self._clock.elapsed - before)
            if self._checkpoint is not None:
                self._checkpoint.save(self)

    def bounds(self) -> tuple[Fraction, Fraction]:
        began = self._clock.elapsed
        lower, upper = self._minimizer.bounds()
        self._apart = upper - lower
        guarantees, now, before = (lower, -upper), self._minimizer.totals(), self._totals
        better = [bound > best for bound, best in zip(guarantees, self._best, strict=True)]
        self._totals = (now if better[0] else before)[0], (now if better[1] else before)[1]
        self._best = max(guarantees[0], self._best[0]), max(guarantees[1], self._best[1])
        self._evaluation_seconds += self._clock.elapsed - began
        return Fraction(lower) * self._minimizer.unit, Fraction(upper) * self._minimizer.unit

    def evaluation_after(self, iteration: int) -> int:
        """Return the next iteration to evaluate: double ``iteration`` if it is less than 64, else add 10% to it."""
        return 2 * iteration if iteration < 64 else iteration + iteration // 10

    def profile(self) -> Profile:
        return self._exact(self._totals)

    def averages(self) -> Profile:
        return self._exact(self._minimizer.totals())

    def _exact(self, totals: tuple[FloatArray, FloatArray]) -> Profile:
        return pair(plan.to_behavior(self._tree) for plan in self._minimizer.rounded(totals, self._bits))

    def finished(self) -> Profile | None:
        if self._gap is None or Fraction(self._apart - _FLOAT_NOISE) * self._minimizer.unit > self._gap:
            return None
        self._clock.check()
        began = self._clock.elapsed
        plans = self._minimizer.rounded(self._minimizer.totals(), self._bits)
        bounds = self._minimizer.exact_bounds(self._form, plans)
        strategies = None
        if bounds is None or bounds[1] - bounds[0] <= self._gap:
            strategies = pair(plan.to_behavior(self._tree) for plan in plans)
            bounds = bounds or _proven_bounds(self._tree, strategies)
        self._evaluation_seconds += self._clock.elapsed - began
        return strategies if bounds[1] - bounds[0] <= self._gap else None

    def facts(self) -> dict[str, Any]:
        return {"evaluation_seconds_float": self._evaluation_seconds}

    def close(self) -> None:
        """Write a last checkpoint."""
        if self._checkpoint is not None and self.iterations > self._first:
            with interrupts_held_back():
                self._checkpoint.save(self, always=True)


def next_slice(size: int, seconds: float) -> int:
    """Estimate how many iterations take 0.1 s, if ``size`` took ``seconds``. Return a number from 1 to ``2 * size``."""
    return max(1, min(2 * size, int(size * _SLICE_SECONDS / max(seconds, 1e-9))))


def _proven_bounds(tree: GameTree, strategies: Profile) -> tuple[Fraction, Fraction]:
    """Return the lower and the upper bound on player 1's value that exact best responses to ``strategies`` prove."""
    assert tree.constant_sum is not None
    upper, lower = best_response(tree, strategies, 0)[0], best_response(tree, strategies, 1)[0]
    return tree.constant_sum - Fraction(lower), Fraction(upper)


# -- iterations --------------------------------------------------------------------------------------


class RegretMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Examples
    --------
    The first iteration starts with uniform play, so the average after it is uniform in every game:

    >>> import tremble
    >>> form = tremble.strategies.SequenceForm.of(tremble.load("matching_pennies"))
    >>> minimizer = RegretMinimizer(form, VARIANTS["cfr"])
    >>> minimizer.run(1)
    >>> minimizer.average(0)
    array([1. , 0.5, 0.5])
    """

    def __init__(self, form: SequenceForm, variant: Variant) -> None:
        self.variant = variant
        self.iterations = 0
        self._content = form.payoff_content()
        self._whole_unit = Fraction(self._content, form.denominator)
        largest = max(int(form.payoff.max(initial=0)), -int(form.payoff.min(initial=0))) // self._content
        # Scale by a power of two to at most 1. Then small integers stay exact, and large integers do not overflow.
        exponent = largest.bit_length()
        self.unit = self._whole_unit * 2**exponent
        """The payoff that 1 in the tables represents."""
        self._sides = tuple(
            side._replace(payoff=as_floats(side.payoff, 2**exponent)) for side in _sides(form, self._content)
        )
        self._tables = tuple(_tables(side) for side in self._sides)

    def run(self, count: int) -> None:
        """Run ``count`` iterations. Ctrl-C takes effect after these iterations."""
        t = np.arange(self.iterations + 1, self.iterations + count + 1, dtype=np.float64)
        variant = self.variant
        iterate(
            tuple(tuple(side) for side in self._sides),
            tuple(tuple(table) for table in self._tables),
            variant.alternating,
            variant.predictive,
            kept(t - 1, variant.alpha),
            kept(t - 1, variant.beta),
            t**variant.gamma,
        )
        self.iterations += count

    def resume(self, iterations: int) -> None:
        """Set the number of iterations done. The caller must first fill the arrays of :meth:`state`."""
        self.iterations = iterations

    def identity(self) -> dict[str, str]:
        """Return an empty dictionary: the game and the variant suffice to identify the run."""
        return {}

    def state(self) -> dict[str, FloatArray]:
        """Return the arrays that the next iteration depends on, by name. The arrays are not copies."""
        return {
            f"{name} {player}": array
            for player, table in enumerate(self._tables, 1)
            for name, array in table._asdict().items()
            if name != "value"
        }

    def average(self, player: int) -> FloatArray:
        """Return the average plan so far, float64[S]."""
        return _normalised(self._tables[player].total)

    def bounds(self, totals: tuple[FloatArray, FloatArray] | None = None) -> tuple[float, float]:
        """Return the bounds on player 1's value that the average plans guarantee, as floats in units of ``unit``.

        ``totals`` are weighted sums of plans, by default the sums so far.
        """
        plans = [_normalised(total) for total in totals or (table.total for table in self._tables)]
        room = [np.empty(len(table.value)) for table in self._tables]
        upper = best_value(tuple(self._sides[0]), plans[1], room[0])
        lower = -best_value(tuple(self._sides[1]), plans[0], room[1])
        return float(lower), float(upper)

    def rounded(self, totals: tuple[FloatArray, FloatArray], bits: int) -> tuple[RealizationPlan, RealizationPlan]:
        """Round weighted sums of plans to exact plans. All weights become multiples of 2^-bits."""
        plans = []
        for player, (side, total) in enumerate(zip(self._sides, totals, strict=True)):
            weight = np.empty(len(total), dtype=np.int64)
            weight[0] = 1 << bits
            round_plan(side.parent, side.start, total, weight)
            plans.append(RealizationPlan(player, weight, 1 << bits))
        return plans[0], plans[1]

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Return copies of the weighted sums of the plans so far."""
        return self._tables[0].total.copy(), self._tables[1].total.copy()

    def exact_bounds(
        self, form: SequenceForm, plans: tuple[RealizationPlan, RealizationPlan]
    ) -> tuple[Fraction, Fraction] | None:
        """Return the exact bounds on the game's value that ``plans`` prove. Return None if int64 might overflow."""
        if is_wide(form.payoff):
            return None
        found = []
        for player, side in enumerate(_sides(form, self._content)):
            weight = plans[1 - player].weight
            # With absolute payoffs, the value of a best reply bounds every number in the exact pass.
            magnitude = side._replace(payoff=np.abs(side.payoff).astype(np.float64))
            size = len(self._tables[player].value)
            if best_value(tuple(magnitude), weight.astype(np.float64), np.empty(size)) >= _INT64_SAFE:
                return None
            value = int(best_value(tuple(side), weight, np.empty(size, dtype=np.int64)))
            found.append(Fraction(value, plans[1 - player].denominator) * self._whole_unit)
        return -found[1], found[0]


def kept(t: FloatArray, exponent: float) -> FloatArray:
    """Return t^exponent / (t^exponent + 1), the factor that multiplies regrets after iteration t."""
    if isinf(exponent):
        return np.full(len(t), float(exponent > 0))
    return t**exponent / (t**exponent + 1)


class _Side(NamedTuple):
    """The arrays that describe the game for one player (see :mod:`.regret_kernels`)."""

    parent: NDArray[np.uint32]
    start: NDArray[np.uint32]
    first: NDArray[np.uint32]
    column: NDArray[np.uint32]
    payoff: NDArray[Any]


class _Tables(NamedTuple):
    """The regrets and plans of a player (see :mod:`.regret_kernels`)."""

    regret: FloatArray
    share: FloatArray
    plan: FloatArray
    total: FloatArray
    value: FloatArray


def _normalised(total: FloatArray) -> FloatArray:
    """Divide a weighted sum of plans by the sum of the weights, which is ``total[0]``."""
    plan: FloatArray = total / total[0]
    return plan


def _sides(form: SequenceForm, content: int) -> Iterator[_Side]:
    """Yield each player's arrays. They omit pairs of sequences with payoff 0. The unit of payoffs is ``content``."""
    zero_sum = form.zero_sum()
    for side in (zero_sum.side(0), zero_sum.side(1)):
        paying = np.flatnonzero(side.payoff)
        arrays = (side.parent, side.start, np.searchsorted(paying, side.first), side.opponent[paying])
        parent, start, first, column = (array.astype(np.uint32) for array in arrays)
        yield _Side(parent, start, first, column, side.payoff[paying] // content)


def _tables(side: _Side) -> _Tables:
    """Return the regrets and plans of a player before the first iteration. The plan is uniform."""
    size = len(side.first) - 1
    width = np.diff(side.start)
    share = np.concatenate(([1.0], np.repeat(1.0 / width, width)))
    plan = np.ones(size)
    for k, (before, first, end) in enumerate(
        zip(side.parent.tolist(), side.start[:-1].tolist(), side.start[1:].tolist(), strict=True)
    ):
        plan[first:end] = plan[before] / width[k]
    return _Tables(np.zeros(size), share, plan, np.zeros(size), np.zeros(size))

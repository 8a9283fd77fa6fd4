"""Regret minimisation as a method: iterate until the average plans prove the value up to a gap.

:mod:`tremble.solvers.regret.minimizer` has the algorithms.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from tremble.model.evaluation import best_response
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import Profile
from tremble.model.tree import FloatArray, GameTree, as_floats, integer_array
from tremble.solution.claim import Claim
from tremble.solvers.regret.minimizer import RegretMinimizer
from tremble.solvers.regret.variants import Variant
from tremble.solvers.run import Run

__all__ = ["solve_regret"]

_SLICE_SECONDS = 0.1  # in one kernel call, if an iteration takes less
_GRID_BITS, _FINE_GRID_BITS = 40, 48  # plans are rounded to multiples of 2^-bits
_COARSE_ROUNDING = Fraction(1, 2**36)  # what the coarse grid may cost per sequence, in units of the payoff entries
_FLOAT_NOISE = 2.0**-48  # a gap of this much between float bounds may be none


def _next_evaluation(iterations: int) -> int:
    """Powers of two, then steps of a tenth: an evaluation costs less than an iteration, so all cost below a tenth."""
    return 2 * iterations if iterations < 64 else iterations + iterations // 10


class _Best:
    """Of each player the average with the best bound so far, and how to make a profile of them."""

    def __init__(self, tree: GameTree, minimizer: RegretMinimizer, bits: int) -> None:
        self._tree = tree
        self._minimizer = minimizer
        self._bits = bits
        self._bounds = -inf, -inf  # of what each player guarantees
        self._totals: tuple[FloatArray, FloatArray] | None = None

    def offer(self, lower: float, upper: float) -> None:
        """Take the present averages where they are better."""
        found, now, before = (lower, -upper), self._minimizer.totals(), self._totals
        better = [bound > best for bound, best in zip(found, self._bounds, strict=True)]
        if before is None:
            self._totals = now
        else:
            self._totals = (now if better[0] else before)[0], (now if better[1] else before)[1]
        self._bounds = max(found[0], self._bounds[0]), max(found[1], self._bounds[1])

    def profile(self) -> Profile:
        assert self._totals is not None
        one, two = self._minimizer.rounded(self._totals, self._bits)
        return one.to_behavior(self._tree), two.to_behavior(self._tree)


def solve_regret(variant: Variant, tree: GameTree, run: Run) -> Claim:
    """Minimise regrets until the average plans prove the value up to ``run.gap``.

    That is the case when exact best responses to the rounded average plans leave at most so much between the bounds on
    player 1's value, in units of payoff. Every evaluation is logged, with bounds in floats.

    Returns
    -------
    Claim
        The average plans, rounded to multiples of a power of two; exact.

    Raises
    ------
    LimitReached
        The time limit; a gap of 0 is out of reach in most games.

    Examples
    --------
    >>> import tremble
    >>> from tremble.clock import Clock
    >>> from tremble.solvers.regret.variants import VARIANTS
    >>> kuhn = tremble.load("kuhn")
    >>> claim = solve_regret(VARIANTS["cfr+"], kuhn, Run(Clock(None), gap=Fraction(1, 1000)))
    >>> tremble.nash_conv(kuhn, claim.strategies) <= Fraction(1, 1000)
    True
    """
    assert run.gap is not None
    clock, gap, form = run.clock, run.gap, SequenceForm.of(tree)
    run.progress(variant.name, None)
    began = clock.elapsed
    minimizer = RegretMinimizer(form, variant)
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
        best.offer(lower, upper)
        run.offer(best.profile)
        shown = [_as_float(Fraction(bound) * minimizer.unit) for bound in (lower, upper)]
        run.log(
            {
                "iteration": minimizer.iterations,
                "solve_seconds_float": clock.elapsed,
                "lower_float": shown[0],
                "upper_float": shown[1],
            }
        )
        run.progress(f"{variant.name}, iteration {minimizer.iterations:,}: gap {shown[1] - shown[0]:.3g}", None)
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
    return Claim(strategies, stats)


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

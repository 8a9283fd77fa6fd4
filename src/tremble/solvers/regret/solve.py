"""Regret minimisation as a method: iterate until the average plans prove the value up to a gap.

One loop, :func:`minimise`, for trees (here) and for ordered games that are not built
(:mod:`tremble.solvers.regret.solve_public_tree`). :mod:`tremble.solvers.shared.regret` has the algorithms.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any, Protocol

from tremble.base.pairs import pair
from tremble.model.evaluation import best_response
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import Profile
from tremble.model.tree import FloatArray, GameTree
from tremble.solution.claim import Claim
from tremble.solution.claim import Profile as AnyProfile
from tremble.solvers.run import Run
from tremble.solvers.shared.regret import RegretMinimizer, Variant

__all__ = ["View", "minimise", "solve_regret"]

_SLICE_SECONDS = 0.1  # in one kernel call, if an iteration takes less
_GRID_BITS, _FINE_GRID_BITS = 40, 48  # plans are rounded to multiples of 2^-bits
_COARSE_ROUNDING = Fraction(1, 2**36)  # what the coarse grid may cost per sequence, in units of the payoff entries
_FLOAT_NOISE = 2.0**-48  # a gap of this much between float bounds may be none


class View(Protocol):
    """What regrets are minimised on."""

    @property
    def iterations(self) -> int:
        """How many have been done."""
        ...

    def advance(self, target: int) -> None:
        """Do some iterations, not more than there are left until ``target``; so few that limits are heard."""
        ...

    def bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """What the average plans guarantee, in floats if not in units of payoff."""
        ...

    def next_evaluation(self) -> int:
        """After which iteration to look at the bounds again."""
        ...

    def profile(self) -> AnyProfile:
        """The best strategies so far, exact."""
        ...

    def finished(self) -> AnyProfile | None:
        """Exact strategies whose bounds are close enough; None if the last bounds are not."""
        ...

    def facts(self) -> dict[str, Any]:
        """What else is told of the run."""
        ...


def minimise(name: str, view: View, run: Run) -> Claim:
    """Iterate until the average plans prove the value up to the gap; every evaluation is logged, in floats."""
    began, evaluations, target = run.clock.elapsed, 0, view.iterations + 1
    strategies = None
    while strategies is None:
        while view.iterations < target:
            run.clock.check()
            view.advance(target)
        bounds = view.bounds()
        evaluations += 1
        run.offer(view.profile)
        lower, upper = run.log_bounds(view.iterations, *bounds)
        run.progress(f"{name}, iteration {view.iterations:,}: gap {upper - lower:.3g}", None)
        strategies, target = view.finished(), view.next_evaluation()
    stats = {
        "iterations": view.iterations,
        "gap_float": upper - lower,
        "evaluations": evaluations,
        **view.facts(),
        "regret_seconds_float": run.clock.elapsed - began,
    }
    return Claim(strategies, stats)


class _TreeView:
    """A tree, with the average of each player that has the best bound so far."""

    def __init__(self, variant: Variant, tree: GameTree, run: Run) -> None:
        assert run.gap is not None
        self._tree, self._form = tree, SequenceForm.of(tree)
        self._clock, self._gap = run.clock, run.gap
        self._minimizer = RegretMinimizer(self._form, variant)
        coarse = run.gap >= _COARSE_ROUNDING * sum(self._form.num_sequences) * self._minimizer.unit
        self._bits = _GRID_BITS if coarse else _FINE_GRID_BITS
        self._slice = 1
        self._apart = inf  # the last bounds, in units of the minimizer
        self._best = -inf, -inf  # of what each player guarantees
        self._totals: tuple[FloatArray, FloatArray] | None = None
        self._exact_evaluations, self._evaluation_seconds = 0, 0.0

    @property
    def iterations(self) -> int:
        return self._minimizer.iterations

    def advance(self, target: int) -> None:
        before = self._clock.elapsed
        self._minimizer.run(min(self._slice, target - self.iterations))
        self._slice = _next_slice(self._slice, self._clock.elapsed - before)

    def bounds(self) -> tuple[Fraction, Fraction]:
        began = self._clock.elapsed
        lower, upper = self._minimizer.bounds()
        self._apart = upper - lower
        guarantees, now, before = (lower, -upper), self._minimizer.totals(), self._totals
        better = [bound > best for bound, best in zip(guarantees, self._best, strict=True)]
        self._totals = now if before is None else tuple((now if better[i] else before)[i] for i in (0, 1))  # type: ignore[assignment]
        self._best = max(guarantees[0], self._best[0]), max(guarantees[1], self._best[1])
        self._evaluation_seconds += self._clock.elapsed - began
        return Fraction(lower) * self._minimizer.unit, Fraction(upper) * self._minimizer.unit

    def next_evaluation(self) -> int:
        """Powers of two, then steps of a tenth: an evaluation costs less than an iteration, so all cost below that."""
        return 2 * self.iterations if self.iterations < 64 else self.iterations + self.iterations // 10

    def profile(self) -> Profile:
        assert self._totals is not None
        return pair(plan.to_behavior(self._tree) for plan in self._minimizer.rounded(self._totals, self._bits))

    def finished(self) -> Profile | None:
        if Fraction(self._apart - _FLOAT_NOISE) * self._minimizer.unit > self._gap:
            return None
        self._clock.check()
        began = self._clock.elapsed
        self._exact_evaluations += 1
        plans = self._minimizer.rounded(self._minimizer.totals(), self._bits)
        bounds = self._minimizer.exact_bounds(self._form, plans)
        strategies = None
        if bounds is None or bounds[1] - bounds[0] <= self._gap:
            strategies = pair(plan.to_behavior(self._tree) for plan in plans)
            bounds = bounds or _proven_bounds(self._tree, strategies)
        self._evaluation_seconds += self._clock.elapsed - began
        return strategies if bounds[1] - bounds[0] <= self._gap else None

    def facts(self) -> dict[str, Any]:
        return {
            "exact_evaluations": self._exact_evaluations,
            "evaluation_seconds_float": self._evaluation_seconds,
        }


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
    >>> from tremble.base.clock import Clock
    >>> from tremble.solvers.shared.regret import VARIANTS
    >>> kuhn = tremble.load("kuhn")
    >>> claim = solve_regret(VARIANTS["cfr+"], kuhn, Run(Clock(None), gap=Fraction(1, 1000)))
    >>> tremble.nash_conv(kuhn, claim.strategies) <= Fraction(1, 1000)
    True
    """
    run.progress(variant.name, None)
    return minimise(variant.name, _TreeView(variant, tree, run), run)


def _next_slice(size: int, seconds: float) -> int:
    """Twice as many iterations, as long as they fit into a slice."""
    return max(1, min(2 * size, int(size * _SLICE_SECONDS / max(seconds, 1e-9))))


def _proven_bounds(tree: GameTree, strategies: Profile) -> tuple[Fraction, Fraction]:
    """Bounds on player 1's value from exact best responses."""
    assert tree.constant_sum is not None
    upper, lower = best_response(tree, strategies, 0)[0], best_response(tree, strategies, 1)[0]
    return tree.constant_sum - Fraction(lower), Fraction(upper)

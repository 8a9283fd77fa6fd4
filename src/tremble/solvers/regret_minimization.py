"""Minimize regrets until the average plans prove the value up to a gap, or for a number of iterations.

The loop :func:`minimise` serves trees (in this file) and ordered games that are not built
(:mod:`tremble.poker.regret.solve_public_tree`). :mod:`tremble.solvers.regret` has the algorithms.
"""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from math import inf
from typing import Any, Protocol

from tremble.errors import SpecError
from tremble.game.arrays import FloatArray
from tremble.game.evaluation import best_response
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.run.clock import interrupts_held_back
from tremble.solution.claim import Claim
from tremble.solution.claim import Profile as AnyProfile
from tremble.solvers.regret import RegretMinimizer, Variant
from tremble.solvers.regret_checkpoint import TreeCheckpoint
from tremble.solvers.run import Run

__all__ = ["View", "minimise", "solve_regret"]

_SLICE_SECONDS = 0.1  # target length of a kernel call, if one iteration takes less
_GRID_BITS, _FINE_GRID_BITS = 40, 48  # plans are rounded to multiples of 2^-bits
_COARSE_ROUNDING = Fraction(1, 2**36)  # greatest loss per sequence by the coarse grid, in units of the payoff entries
_FLOAT_NOISE = 2.0**-48  # rounding error of a gap between float bounds


class View(Protocol):
    """The state of a run of regret minimization on one game."""

    @property
    def iterations(self) -> int:
        """Return the number of iterations done."""
        ...

    def advance(self, target: int) -> None:
        """Run some iterations, at most up to ``target``, and few enough that limits are checked often."""
        ...

    def bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """Return the bounds that the average plans guarantee, as floats or in exact units of payoff."""
        ...

    def evaluation_after(self, iteration: int) -> int:
        """Return the next iteration to evaluate after; a resumed run evaluates after the same iterations."""
        ...

    def profile(self) -> AnyProfile:
        """Return the best strategies so far, exact."""
        ...

    def averages(self) -> AnyProfile:
        """Return the averages of all iterations, exact."""
        ...

    def finished(self) -> AnyProfile | None:
        """Return exact strategies that reach the target gap; None if the last bounds do not."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return further facts for the diagnostics."""
        ...


def minimise(name: str, view: View, run: Run, iterations: int | None = None) -> Claim:
    """Iterate until the average plans prove the value up to the gap; log the float bounds of every evaluation.

    With ``iterations``, stop after this many at the latest, evaluate once more, and return the averages.
    """
    last = inf if iterations is None else iterations
    if view.iterations > last:
        raise SpecError(
            f"the checkpoint has {view.iterations:,} iterations, more than the {last:,} that are asked for: name "
            "another file, or ask for more"
        )

    def evaluated() -> tuple[float, float]:
        bounds = view.bounds()
        run.offer(view.profile)
        lower, upper = run.log_bounds(view.iterations, *bounds)
        run.progress(f"{name}, iteration {view.iterations:,}: gap {upper - lower:.3g}", None)
        return lower, upper

    began, evaluations, target = run.clock.elapsed, 0, 1
    run.clock.iterations_begin()
    while target < view.iterations:  # a resumed run evaluates after the same iterations as an uninterrupted one
        target, evaluations = view.evaluation_after(target), evaluations + 1
    if 0 < view.iterations < min(target, last):
        evaluated()
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
    """A run on a tree; it stores the average of each player with the best bound so far."""

    def __init__(self, variant: Variant, tree: GameTree, run: Run) -> None:
        self.variant = variant
        self._tree, self._form = tree, SequenceForm.of(tree)
        self._clock, self._gap = run.clock, run.gap
        self._minimizer = minimizer = RegretMinimizer(self._form, variant)
        rounding = _COARSE_ROUNDING * sum(self._form.num_sequences) * minimizer.unit
        self._bits = _GRID_BITS if run.gap is not None and run.gap >= rounding else _FINE_GRID_BITS
        self._slice = 1
        self._apart = inf  # gap of the last bounds, in units of the minimizer
        self._best = -inf, -inf  # best guarantee of each player
        self._totals = minimizer.totals()  # averages with the best guarantees
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
        """Return no further fields: the game and the variant identify the run."""
        return {}

    def state(self) -> dict[str, FloatArray]:
        """Return the arrays of a checkpoint: the minimizer's, and the best averages so far."""
        return self._minimizer.state() | {f"best {player}": total for player, total in enumerate(self._totals, 1)}

    def resume(self, iterations: int) -> None:
        """Continue after this many iterations, whose state has been filled in."""
        self._minimizer.resume(iterations)
        if all(total[0] for total in self._totals):  # all 0 before the first evaluation
            lower, upper = self._minimizer.bounds(self._totals)
            self._best = lower, -upper

    def advance(self, target: int) -> None:
        # An interrupted iteration leaves an invalid state. The first call stays interruptible: it may compile.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            before = self._clock.elapsed
            self._minimizer.run(min(self._slice, target - self.iterations))
            self._slice = _next_slice(self._slice, self._clock.elapsed - before)
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
        """Return powers of two, then steps of 10 %, so that evaluations take a small share of the time."""
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


def solve_regret(variant: Variant, tree: GameTree, run: Run, iterations: int | None = None) -> Claim:
    """Minimize regrets until the average plans prove the value up to ``run.gap``, or for ``iterations``.

    The gap is the difference of the bounds on player 1's value, in units of payoff. Exact best responses to the rounded
    average plans give the bounds. Every evaluation is logged, with bounds in floats.

    Returns
    -------
    Claim
        The average plans, rounded to multiples of a power of two; exact.

    Raises
    ------
    LimitReached
        The time limit; most games never reach a gap of 0.

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


def _next_slice(size: int, seconds: float) -> int:
    """Return up to twice as many iterations, but no more than fit into a slice of time."""
    return max(1, min(2 * size, int(size * _SLICE_SECONDS / max(seconds, 1e-9))))


def _proven_bounds(tree: GameTree, strategies: Profile) -> tuple[Fraction, Fraction]:
    """Return bounds on player 1's value from exact best responses."""
    assert tree.constant_sum is not None
    upper, lower = best_response(tree, strategies, 0)[0], best_response(tree, strategies, 1)[0]
    return tree.constant_sum - Fraction(lower), Fraction(upper)

"""Regret minimization along the public tree of an ordered game, without building the game tree.

The *public tree* contains only what both players see: the public states and the moves. :func:`solve_public_tree` first
shrinks the game. The default abstraction is lossless, and the caller can choose a lossy abstraction instead. Bounds on
the value of the shrunk game are valid for the original game only if the abstraction is lossless. With every
abstraction, the checker evaluates the resulting strategies in the original game, for all signals.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from fractions import Fraction
from math import inf
from typing import Any

from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.shrink import shrink_ordered
from tremble.poker.filtered_arrays import PublicTree, exact_strategy, short_bits
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.run.alarm import interrupts_held_back
from tremble.run.executors import processors
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant, minimise
from tremble.solvers.regret_checkpoint import Checkpoint

__all__ = ["solve_public_tree"]

_GAMMA = 4.0  # the exponent gamma of DCFR, which is a fifth better in poker games than the published value 2 (measured)
_ROUNDING = 1e-10  # an upper bound on the loss caused by rounding the plans, in units of the largest payoff
_LARGEST = Fraction(10**300)  # the largest gap that is converted to a float
_NOISE = 1e-14  # a smaller gap of float bounds may be a rounding error; in units of the largest payoff
_THREADS_FROM = 100_000  # with fewer sequences, threads cost more time than they save


def solve_public_tree(
    variant: Variant, game: UnbuiltGame, abstraction: str, run: Run, threads: ThreadPoolExecutor | None = None,
    iterations: int | None = None,
) -> Claim:  # fmt: skip
    """Minimize regrets until the average plans bound the value of the shrunk game with a gap of at most ``run.gap``.

    If ``iterations`` is given, stop after that number of iterations at the latest.

    Returns
    -------
    Claim
        The average plans as exact strategies. Weights are rounded to multiples of a power of two.

    Raises
    ------
    LimitReached
        A limit or an operating-system signal has stopped the computation.
    """
    run.progress(f"shrinking the game ({abstraction})", None)
    began = run.clock.elapsed
    shrunk = shrink_ordered(game, *_mode(abstraction))
    tree = PublicTree.of(shrunk.filtered)
    run.clock.check()
    shrink_seconds = run.clock.elapsed - began
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    checkpoint = None
    if run.checkpoint is not None:
        checkpoint = Checkpoint(run.checkpoint, f"{game.digest or game.title} {abstraction}", run.clock)
    with ExitStack() as opened:
        if threads is None and sum(tree.num_sequences) >= _THREADS_FROM:
            threads = opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        minimizer = PublicTreeMinimizer(tree, variant, threads)
        view = _PublicTreeView(minimizer, shrunk, run, checkpoint, shrink_seconds)
        try:
            run.offer(view.profile)
            return minimise(variant.name, view, run, iterations)
        finally:
            view.close()


class _PublicTreeView:
    """An adapter that presents the public tree of a shrunk game to :func:`minimise`, and writes checkpoints."""

    def __init__(
        self,
        minimizer: PublicTreeMinimizer,
        shrunk: Abstraction,
        run: Run,
        checkpoint: Checkpoint | None,
        shrink_seconds: float,
    ) -> None:
        self._minimizer, self._shrunk, self._checkpoint = minimizer, shrunk, checkpoint
        if checkpoint is not None:
            checkpoint.restore(minimizer)
        self._first, self._shrink_seconds = minimizer.iterations, shrink_seconds
        self._bits = short_bits(shrunk.game)
        self._target = -inf  # without a target gap, only `iterations` can end the computation
        if run.gap is not None:
            unit, gap = minimizer.tree.unit, float(min(run.gap, _LARGEST))
            self._target = max(gap - min(_ROUNDING * unit, gap / 2), _NOISE * unit)
        self._gap = inf  # the gap between the last bounds

    @property
    def iterations(self) -> int:
        return self._minimizer.iterations

    def advance(self, target: int) -> None:
        # An interrupted iteration cannot be continued, so delay interrupts until the end of the iteration. Do not delay
        # them in the first iteration, which may wait for a compiler.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            self._minimizer.run(1)
            if self._checkpoint is not None:
                self._checkpoint.save(self._minimizer)

    def bounds(self) -> tuple[float, float]:
        lower, upper = self._minimizer.bounds()
        self._gap = upper - lower
        return lower, upper

    def evaluation_after(self, iteration: int) -> int:
        return iteration + max(1, iteration // 10)

    def profile(self) -> Profile:
        tree, total = self._minimizer.tree, self._minimizer.total
        return exact_strategy(tree, 0, total[0], self._bits), exact_strategy(tree, 1, total[1], self._bits)

    averages = profile

    def finished(self) -> Profile | None:
        return self.profile() if self._gap <= self._target else None

    def facts(self) -> dict[str, Any]:
        sizes = self._shrunk.sizes
        return {
            "classes": [list(count) for count in sizes.classes],
            "sequences": list(sizes.sequences),
            "rows": sizes.rows,
            "shrink_seconds_float": self._shrink_seconds,
        }

    def close(self) -> None:
        """Save a checkpoint of the completed iterations."""
        if self._checkpoint is not None and self.iterations > self._first and self._minimizer.whole:
            with interrupts_held_back():
                self._checkpoint.save(self._minimizer, always=True)


def _mode(abstraction: str) -> tuple[str, Fraction | None]:
    """Split the text of an abstraction into a mode and a threshold.

    Raises
    ------
    SpecError
        The threshold is not a number.
    """
    mode, colon, threshold = abstraction.partition(":")
    if not colon:
        return mode, None
    try:
        return mode, Fraction(threshold)
    except (ValueError, ZeroDivisionError):
        raise SpecError(f"abstraction {abstraction!r:.60}: expected a number after ':', as in threshold:0.1") from None

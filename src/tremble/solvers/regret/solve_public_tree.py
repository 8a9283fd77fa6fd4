"""Regret minimisation on an ordered game that is not built, along its public tree.

The game is shrunk first, without loss unless something else is asked for. Bounds of the game that is left are bounds
of the game itself if nothing was lost; what is proven of the strategies that come out, lossless or not, is what the
checker finds at the level of single signals.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, suppress
from fractions import Fraction
from math import inf
from typing import Any

from tremble.base.clock import interrupts_held_back
from tremble.base.executors import processors, workers_of
from tremble.errors import SolverError, SpecError
from tremble.model.rules import UnbuiltGame
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.shrink import shrink
from tremble.solution.claim import Claim, Profile
from tremble.solvers.regret.boards import Boards, shared_boards
from tremble.solvers.regret.checkpoint import Checkpoint
from tremble.solvers.regret.public_tree import PublicTreeMinimizer
from tremble.solvers.regret.solve import minimise
from tremble.solvers.run import Run
from tremble.solvers.shared.public_tree import PublicTree, exact_strategy, short_bits
from tremble.solvers.shared.regret import Variant

__all__ = ["solve_public_tree"]

_GAMMA = 4.0  # of DCFR: on poker a fifth better than the published 2
_ROUNDING = 1e-10  # of the payoffs is what rounding the plans may cost
_LARGEST = Fraction(10**300)  # that a float holds
_NOISE = 1e-14  # of the payoffs: bounds in floats that are this close may be equal
_THREADS_FROM = 100_000  # sequences: below, threads cost more than they bring
_HOME_SHARE = 0.05  # of the time is what plans on workers may take to come home, to be offered


def solve_public_tree(
    variant: Variant, game: UnbuiltGame, abstraction: str, run: Run, executor: Executor | None = None,
    iterations: int | None = None,
) -> Claim:  # fmt: skip
    """Minimise regrets until the average plans prove the value of the shrunk game up to ``run.gap``.

    Or, with ``iterations``, until there have been so many; whichever comes first.

    Returns
    -------
    Claim
        The average plans, rounded to multiples of a power of two; exact.

    Raises
    ------
    LimitReached
    """
    run.progress(f"shrinking the game ({abstraction})", None)
    began = run.clock.elapsed
    shrunk = shrink(game, *_mode(abstraction))
    tree = PublicTree.of(shrunk.filtered)
    run.clock.check()
    shrink_seconds = run.clock.elapsed - began
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    with ExitStack() as open_now:
        boards = None
        if executor is None and sum(tree.num_sequences) >= _THREADS_FROM:
            executor = open_now.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        elif executor is not None and not isinstance(executor, ThreadPoolExecutor):
            shared = shared_boards(tree.sides, workers_of(executor))
            if shared is not None:
                run.progress(f"waiting for {len(shared.spans)} workers", None)
                boards = open_now.enter_context(Boards(executor, tree.sides, variant, shared, run.clock))
            executor = None
        minimizer = PublicTreeMinimizer(tree, variant, executor, boards)
        checkpoint = None
        if run.checkpoint is not None:
            checkpoint = Checkpoint(run.checkpoint, f"{game.digest or game.title} {abstraction}", run.clock)
            checkpoint.restore(minimizer)
        view = _PublicTreeView(minimizer, shrunk, run, checkpoint, shrink_seconds)
        open_now.callback(view.close)
        run.offer(view.profile)
        return minimise(variant.name, view, run, iterations)


class _PublicTreeView:
    """The public tree of a shrunk game, with the file that its regrets are kept in."""

    def __init__(
        self,
        minimizer: PublicTreeMinimizer,
        shrunk: Abstraction,
        run: Run,
        checkpoint: Checkpoint | None,
        shrink_seconds: float,
    ) -> None:
        self._minimizer, self._shrunk, self._checkpoint = minimizer, shrunk, checkpoint
        self._first, self._shrink_seconds, self._clock = minimizer.iterations, shrink_seconds, run.clock
        self._bits = short_bits(shrunk.game)
        self._goal = -inf  # there is none where iterations are counted
        if run.gap is not None:
            unit, gap = minimizer.tree.unit, float(min(run.gap, _LARGEST))
            self._goal = max(gap - min(_ROUNDING * unit, gap / 2), _NOISE * unit)
        self._apart = inf  # the last bounds
        self._next_home = 0.0  # seconds, before plans on workers are worth bringing home

    @property
    def iterations(self) -> int:
        return self._minimizer.iterations

    def advance(self, target: int) -> None:
        # Half an iteration would be none to go on from; the first one may have to wait for a compiler.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            self._minimizer.run(1)
            if self._checkpoint is not None:
                self._checkpoint.save(self._minimizer)

    def bounds(self) -> tuple[float, float]:
        lower, upper = self._minimizer.bounds()
        self._apart = upper - lower
        began = self._clock.elapsed
        if began >= self._next_home:
            self._minimizer.bring_home("total")
            now = self._clock.elapsed
            self._next_home = now + (now - began) / _HOME_SHARE
        return lower, upper

    def evaluation_after(self, iteration: int) -> int:
        return iteration + max(1, iteration // 10)

    def profile(self) -> Profile:
        tree, total = self._minimizer.tree, self._minimizer.total
        return exact_strategy(tree, 0, total[0], self._bits), exact_strategy(tree, 1, total[1], self._bits)

    def finished(self) -> Profile | None:
        return self.averages() if self._apart <= self._goal else None

    def averages(self) -> Profile:
        self._minimizer.bring_home("total")
        return self.profile()

    def facts(self) -> dict[str, Any]:
        sizes = self._shrunk.sizes
        return {
            "classes": [list(count) for count in sizes.classes],
            "sequences": list(sizes.sequences),
            "rows": sizes.rows,
            "shrink_seconds_float": self._shrink_seconds,
            **self._minimizer.traffic(self.iterations - self._first),
        }

    def close(self) -> None:
        """Leave the plans where they can be handed out, and a checkpoint."""
        if self.iterations > self._first and self._minimizer.sound:
            with interrupts_held_back(), suppress(SolverError):  # a worker may be lost now
                self._minimizer.bring_home("total")
                if self._checkpoint is not None:
                    self._checkpoint.save(self._minimizer, always=True)


def _mode(abstraction: str) -> tuple[str, Fraction | None]:
    """The mode of shrinking and its threshold; ``SpecError`` if the text is neither a mode nor ``threshold:T``."""
    mode, colon, threshold = abstraction.partition(":")
    if not colon:
        return mode, None
    try:
        return mode, Fraction(threshold)
    except (ValueError, ZeroDivisionError):
        raise SpecError(f"abstraction {abstraction!r:.60}: expected a number after the colon") from None

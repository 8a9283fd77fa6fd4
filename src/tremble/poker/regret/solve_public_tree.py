"""Regret minimisation on an ordered game that is not built, along its public tree.

The game is shrunk first, without loss unless something else is asked for. Bounds of the game that is left are bounds
of the game itself if nothing was lost; what is proven of the strategies that come out, lossless or not, is what the
checker finds at the level of single signals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from fractions import Fraction
from math import inf
from typing import Any, TypeVar

from tremble.errors import SolverError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import FloatArray
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.shrink import shrink_ordered
from tremble.poker.filtered_arrays import PublicTree, exact_strategy, short_bits
from tremble.poker.regret.boards import LostWorkerError
from tremble.poker.regret.workplace import Workplace
from tremble.run.clock import interrupts_held_back
from tremble.solution.claim import Claim, Profile
from tremble.solvers.regret import Variant
from tremble.solvers.regret_checkpoint import Checkpoint
from tremble.solvers.regret_minimization import minimise
from tremble.solvers.run import Run

__all__ = ["solve_public_tree"]

_GAMMA = 4.0  # of DCFR: on poker a fifth better than the published 2
_ROUNDING = 1e-10  # of the payoffs is what rounding the plans may cost
_LARGEST = Fraction(10**300)  # that a float holds
_NOISE = 1e-14  # of the payoffs: bounds in floats that are this close may be equal
_HOME_SHARE = 0.05  # of the time is what tables on workers may take to come home
_LOSSES = 3  # of workers without tables that came home between them, before this process goes on alone

Result = TypeVar("Result")


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
    shrunk = shrink_ordered(game, *_mode(abstraction))
    tree = PublicTree.of(shrunk.filtered)
    run.clock.check()
    shrink_seconds = run.clock.elapsed - began
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    with Workplace(tree, variant, executor, run) as workplace:
        checkpoint = None
        if run.checkpoint is not None:
            checkpoint = Checkpoint(run.checkpoint, f"{game.digest or game.title} {abstraction}", run.clock)
        view = _PublicTreeView(workplace, shrunk, run, checkpoint, shrink_seconds)
        try:
            run.offer(view.profile)
            return minimise(variant.name, view, run, iterations)
        finally:
            view.close()


class _PublicTreeView:
    """The public tree of a shrunk game, with the file that its regrets are kept in.

    Where boards are on workers, all tables come home now and then. If a worker is lost, the run goes on from there, and
    makes the very iterations anew that it had made since.
    """

    def __init__(
        self,
        workplace: Workplace,
        shrunk: Abstraction,
        run: Run,
        checkpoint: Checkpoint | None,
        shrink_seconds: float,
    ) -> None:
        self._workplace, self._shrunk, self._checkpoint = workplace, shrunk, checkpoint
        self._minimizer = minimizer = workplace.minimizer()
        if checkpoint is not None:
            checkpoint.restore(minimizer)
        self._first, self._shrink_seconds, self._clock = minimizer.iterations, shrink_seconds, run.clock
        self._bits = short_bits(shrunk.game)
        self._goal = -inf  # there is none where iterations are counted
        if run.gap is not None:
            unit, gap = minimizer.tree.unit, float(min(run.gap, _LARGEST))
            self._goal = max(gap - min(_ROUNDING * unit, gap / 2), _NOISE * unit)
        self._apart = inf  # the last bounds
        self._lost: LostWorkerError | None = None  # what has to be seen to
        self._losses, self._in_a_row = 0, 0  # in all, and since tables came home
        self._next_home = 0.0  # seconds
        self._home: tuple[int, dict[str, FloatArray]] = 0, {}
        if self._first:
            self._keep()

    @property
    def iterations(self) -> int:
        return self._minimizer.iterations

    def advance(self, target: int) -> None:
        if self._lost is not None:  # outside of what holds interrupts back, as it may take a while
            self._recover(self._lost)
        # Half an iteration would be none to go on from; the first one may have to wait for a compiler.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            try:
                self._minimizer.run(1)
                self._keep()
                if self._checkpoint is not None:
                    self._checkpoint.save(self._minimizer)
            except LostWorkerError as lost:
                self._lost = lost

    def bounds(self) -> tuple[float, float]:
        lower, upper = self._lasting(lambda: self._minimizer.bounds())
        self._apart = upper - lower
        return lower, upper

    def _keep(self) -> None:
        """Bring all tables home, if it is time."""
        began = self._clock.elapsed
        if self._minimizer.remote and began >= self._next_home:
            self._home = self.iterations, {name: array.copy() for name, array in self._minimizer.state().items()}
            self._in_a_row = 0
            now = self._clock.elapsed
            self._next_home = now + (now - began) / _HOME_SHARE

    def _lasting(self, work: Callable[[], Result]) -> Result:
        """What some work gives after the present iteration, even if a worker is lost in it."""
        target = self.iterations
        while True:
            while self._lost is not None or self.iterations < target:
                self._clock.check()
                self.advance(target)
            try:
                return work()
            except LostWorkerError as lost:
                self._lost = lost

    def _recover(self, lost: LostWorkerError) -> None:
        """Go on from the tables that came home last."""
        self._losses, self._in_a_row = self._losses + 1, self._in_a_row + 1
        minimizer = self._workplace.another(lost, alone=self._in_a_row > _LOSSES)
        iterations, tables = self._home
        try:
            if iterations:
                for name, array in minimizer.state().items():
                    array[...] = tables[name]
                minimizer.resume(iterations)
        except LostWorkerError as again:
            self._lost = again
            return
        self._minimizer, self._lost = minimizer, None

    def evaluation_after(self, iteration: int) -> int:
        return iteration + max(1, iteration // 10)

    def profile(self) -> Profile:
        tree, total = self._minimizer.tree, self._minimizer.total
        return exact_strategy(tree, 0, total[0], self._bits), exact_strategy(tree, 1, total[1], self._bits)

    def finished(self) -> Profile | None:
        return self.averages() if self._apart <= self._goal else None

    def averages(self) -> Profile:
        self._lasting(lambda: self._minimizer.bring_home("total"))
        return self.profile()

    def facts(self) -> dict[str, Any]:
        sizes = self._shrunk.sizes
        return {
            "classes": [list(count) for count in sizes.classes],
            "sequences": list(sizes.sequences),
            "rows": sizes.rows,
            "shrink_seconds_float": self._shrink_seconds,
            **self._minimizer.traffic(),
            **({"workers_lost": self._losses} if self._losses else {}),
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

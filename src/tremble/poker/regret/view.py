"""A run of regret minimization on a game whose tree is not built: limits, bounds and checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext
from fractions import Fraction
from math import inf
from typing import Any, Protocol

from numpy.typing import NDArray

from tremble.run.alarm import interrupts_held_back
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant, minimise, next_slice
from tremble.solvers.regret_checkpoint import Checkpoint

__all__ = ["Minimizer", "RegretView", "target_of"]

_LARGEST = Fraction(10**300)  # the largest gap that is converted to a float


def target_of(run: Run) -> float:
    """Return the target gap of a run; minus infinity if only the number of iterations can end the run."""
    return -inf if run.gap is None else float(min(run.gap, _LARGEST))


class Minimizer(Protocol):
    """The regrets and the sums of plans of both players. It is also a state that a checkpoint can store."""

    variant: Variant
    iterations: int
    whole: bool  # False during an iteration, and after an interrupted iteration

    def run(self, count: int) -> None:
        """Run a number of iterations."""
        ...

    def bounds(self) -> tuple[float, float]:
        """Return bounds on the value of the game, from best responses to the average plans."""
        ...

    def identity(self) -> Mapping[str, str]:
        """Return the fields that a checkpoint must share."""
        ...

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that determine the next iteration."""
        ...

    def resume(self, iterations: int) -> None:
        """Set the number of iterations that the arrays contain."""
        ...

    def release(self) -> None:
        """Free the memory of all arrays but the sums of plans. There will be no further iteration."""
        ...


class RegretView(ABC):
    """The state of a run, as :func:`~tremble.solvers.regret.minimise` needs it.

    Parameters
    ----------
    minimizer : Minimizer
    run : Run
    name : str
        The name of the game in a checkpoint.
    enough : float
        The gap between the float bounds at which the run ends. It is less than the target gap, because the plans are
        rounded, and the floats have rounding errors.
    """

    rarely: int = 10  # the bounds are computed again after iterations / rarely iterations, ...
    least: int = 1  # ... but after at least this number of iterations

    def __init__(self, minimizer: Minimizer, run: Run, name: str, enough: float) -> None:
        self._minimizer, self._run, self._enough = minimizer, run, enough
        self._checkpoint = Checkpoint(run.checkpoint, name, run.clock) if run.checkpoint is not None else None
        if self._checkpoint is not None:
            self._checkpoint.restore(minimizer)
        self._first, self._slice, self._gap = minimizer.iterations, 1, inf

    def minimised(self, iterations: int | None) -> Claim:
        """Iterate until the gap is small enough, or for a number of iterations. Save a checkpoint at the end."""
        try:
            self._run.offer(self.profile)
            claim = minimise(self._minimizer.variant.name, self, self._run, iterations)
        finally:
            self._save()
        self._run.offer(lambda: claim.strategies)  # so that the memory of this object is free during the verification
        return claim

    def _save(self) -> None:
        """Save a checkpoint if the last iteration is complete and not yet saved."""
        if self._checkpoint is not None and self.iterations > self._first and self._minimizer.whole:
            with interrupts_held_back():
                self._checkpoint.save(self._minimizer, always=True)

    @property
    def iterations(self) -> int:
        """The number of iterations done."""
        return self._minimizer.iterations

    def advance(self, target: int) -> None:
        """Run a few iterations, at most until iteration ``target``."""
        # An interrupted iteration cannot be continued, so delay interrupts until the end of the iteration. Do not delay
        # them in the first iteration, which may wait for a compiler.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            before = self._run.clock.elapsed
            self._minimizer.run(min(self._slice, target - self.iterations))
            self._slice = next_slice(self._slice, self._run.clock.elapsed - before)
            if self._checkpoint is not None:
                self._checkpoint.save(self._minimizer)

    def bounds(self) -> tuple[float, float]:
        """Return the bounds on player 1's value that the average plans guarantee."""
        lower, upper = self._minimizer.bounds()
        self._gap = upper - lower
        return lower, upper

    def evaluation_after(self, iteration: int) -> int:
        """Return the next iteration after which the bounds are computed."""
        return iteration + max(self.least, iteration // self.rarely)

    @abstractmethod
    def profile(self) -> Profile:
        """Return the average plans as exact strategies."""

    def averages(self) -> Profile:
        """Return the average plans at the end of the run."""
        self._save()
        self._minimizer.release()  # the strategies need as much memory as the regrets
        return self.profile()

    def finished(self) -> Profile | None:
        """Return the average plans if the last bounds are close enough."""
        return self.averages() if self._gap <= self._enough else None

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return further entries for the diagnostics."""

"""Where a search for maxmin strategies has come to: the best strategy, and the bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.recall.published.bilinear_program import BilinearProgram
from tremble.solvers.run import Run

__all__ = ["Search"]


class Search:
    """The best behavior so far and the bounds, in floats; it offers, logs and reports."""

    def __init__(self, bilinear: BilinearProgram, epsilon: float, run: Run, offer: Callable[[], None]) -> None:
        self._bilinear, self._epsilon, self._run, self._offer = bilinear, epsilon, run, offer
        self.behavior: NDArray[np.float64] = np.zeros(0)  # [slots] the best one
        self.lower, self.upper = -np.inf, np.inf  # on what the player can guarantee, in its own payoffs
        self.iteration = 0
        run.clock.iterations_begin()
        self.cutoffs: list[str] = []  # what ended before its goal

    @property
    def closed(self) -> bool:
        """Whether the bounds are close enough."""
        return self.upper - self.lower <= self._epsilon

    def strategy(self, behavior: NDArray[np.float64]) -> float:
        """Take a behavior, float64[slots], if it is better; what it guarantees."""
        guarantee = self._bilinear.guarantee(behavior)
        if guarantee > self.lower:
            self.lower, self.behavior = guarantee, behavior
            self._offer()
        return guarantee

    def bound(self, upper: float) -> None:
        """Take an upper bound."""
        self.upper = min(self.upper, upper)

    def cut_off(self, what: str) -> None:
        """Remember what ended before its goal."""
        self.cutoffs.append(what)

    def progress(self, step: str) -> None:
        """Tell what is being done."""
        self._run.progress(f"{step}: {self.lower:.6g} to {self.upper:.6g}", None)

    def log(self, **facts: Any) -> None:
        """A line of the log, with bounds on player 1's payoff; without a constant sum on the player's own."""
        self.iteration += 1
        form = self._bilinear.form
        low, high, constant = self.lower, self.upper, form.tree.constant_sum
        if form.player == 1 and constant is not None:
            low, high = float(constant) - high, float(constant) - low
        self._run.log_bounds(self.iteration, low, high, cutoffs=list(self.cutoffs), **facts)

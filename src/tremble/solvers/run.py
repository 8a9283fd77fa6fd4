"""A run of a method: what it is given beside the game, and where it puts what it finds on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.game.arrays import integer_array
from tremble.game.tree import GameTree, as_floats
from tremble.run.clock import Clock
from tremble.run.progress import Progress
from tremble.solution.claim import Profile
from tremble.solution.trembles import Trembles

__all__ = ["Log", "Offer", "Run", "as_float", "logged_seconds", "nobody_listens"]

Offer = Callable[[Callable[[], Profile]], None]
"""Called with what makes the best profile so far, for the case that a limit is reached."""

Log = Callable[[Mapping[str, Any]], None]
"""Called by iterative methods with plain data: at least the iteration, both bounds and the seconds so far.

``solve_seconds_float`` counts from when the game was handed to :func:`tremble.solve`, ``seconds_float`` from when the
iterations began, without those in which Numba compiled: the latter are the same in a first run and in a second one.
"""


def nobody_listens(*_told: Any) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Run:
    """What a method is given.

    Attributes
    ----------
    clock : Clock
        ``clock.check()`` raises at a limit; methods call it at every step.
    progress : callable
        Called with (name of the step, fraction done or None).
    offer : callable
    offer_claim : callable
        The same with a whole claim, of methods whose profiles say little without their certificates.
    log : callable
    gap : Fraction or None
        Be content with bounds this close.
    player : int
        0 or 1: whose strategy is wanted, where the concept is about one.
    trembles : Trembles or None
        The weights of mistakes, for refinements; None: all equal.
    checkpoint : str or path, or None
        Go on from this file if it exists, and keep it up to date.
    """

    clock: Clock
    progress: Progress = nobody_listens
    offer: Offer = nobody_listens
    log: Log = nobody_listens
    gap: Fraction | None = None
    trembles: Trembles | None = None
    checkpoint: str | os.PathLike[str] | None = None
    player: int = 0
    offer_claim: Callable[..., None] = nobody_listens

    def log_bounds(
        self, iteration: int, lower: Fraction | float, upper: Fraction | float, **facts: Any
    ) -> tuple[float, float]:
        """A line of the log, with bounds on player 1's value and what else there is to tell; the bounds as floats."""
        low, high = (bound if isinstance(bound, float) else as_float(bound) for bound in (lower, upper))
        bounds = {"lower_float": low, "upper_float": high}
        self.log({"iteration": iteration, **logged_seconds(self.clock), **bounds, **facts})
        return low, high

    def weights(self, tree: GameTree) -> Trembles:
        """The weights of trembles."""
        return Trembles.uniform(tree) if self.trembles is None else self.trembles


def logged_seconds(clock: Clock) -> dict[str, float]:
    """The seconds so far, as a line of the log has them."""
    return {"solve_seconds_float": clock.elapsed, "seconds_float": clock.iterating}


def as_float(value: Fraction) -> float:
    """The nearest float, infinite beyond their range."""
    return float(as_floats(integer_array([value.numerator]), value.denominator)[0])

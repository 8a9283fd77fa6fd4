"""A request of a user, and a run of a method: its limits, options and callbacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.game.arrays import integer_array
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree, as_floats
from tremble.run.clock import Clock
from tremble.run.progress import Progress
from tremble.solution.claim import Profile
from tremble.solution.trembles import Trembles

__all__ = ["Log", "Offer", "Request", "Run", "as_float", "logged_seconds", "nobody_listens"]

Offer = Callable[[Callable[[], Profile]], None]
"""Called with a function that makes the best profile so far, in case a limit is reached."""

Log = Callable[[Mapping[str, Any]], None]
"""Called by iterative methods with plain data: at least the iteration, both bounds and the seconds so far.

``solve_seconds_float`` counts from the call of :func:`tremble.solve`. ``seconds_float`` counts from the first iteration
and leaves out compilation by Numba, so that a first run and a second run report alike.
"""


def nobody_listens(*_told: Any) -> None:
    """Ignore a report."""


@dataclass(frozen=True, eq=False)
class Request:
    """Arguments of :func:`tremble.solve`, checked one by one.

    Attributes
    ----------
    gap : Fraction or float, or None
        In payoff units, in whichever units it was given.
    epsilon : Fraction or float, or None
        As a part of the range of the payoffs.
    """

    game: GameTree | UnbuiltGame
    concept: str = "nash"
    time_limit: float | None = None
    gap: Fraction | float | None = None
    epsilon: Fraction | float | None = None
    progress: Progress = nobody_listens
    report: Log = nobody_listens
    seed: int | None = None
    trembles: Trembles | None = None
    checkpoint: str | os.PathLike[str] | None = None
    player: int | None = None


@dataclass(frozen=True)
class Run:
    """Limits, options and callbacks for a method.

    Attributes
    ----------
    clock : Clock
        ``clock.check()`` raises at a limit; methods call it at every step.
    progress : callable
        Called with (name of the step, fraction done or None).
    offer : callable
        Called with a function that makes the best profile so far.
    log : callable
        Called with a row of data per iteration.
    gap : Fraction or None
        Stop at bounds with this gap.
    trembles : Trembles or None
        Weights of mistakes, for refinements; all equal if None.
    checkpoint : str or path, or None
        File to continue from if it exists, and to keep up to date.
    player : int
        0 or 1, for concepts about one player's strategy.
    offer_claim : callable
        Called with a function that makes a whole claim, for profiles that need their certificate.
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
        """Log a row with bounds on player 1's value and further facts; return the bounds as floats."""
        low, high = (bound if isinstance(bound, float) else as_float(bound) for bound in (lower, upper))
        bounds = {"lower_float": low, "upper_float": high}
        self.log({"iteration": iteration, **logged_seconds(self.clock), **bounds, **facts})
        return low, high

    def weights(self, tree: GameTree) -> Trembles:
        """Return the weights of trembles: all equal unless they are given."""
        return Trembles.uniform(tree) if self.trembles is None else self.trembles


def logged_seconds(clock: Clock) -> dict[str, float]:
    """Return the seconds so far, as fields of a row of the log."""
    return {"solve_seconds_float": clock.elapsed, "seconds_float": clock.iterating}


def as_float(value: Fraction) -> float:
    """Return the nearest float, infinite beyond the range of floats."""
    return float(as_floats(integer_array([value.numerator]), value.denominator)[0])

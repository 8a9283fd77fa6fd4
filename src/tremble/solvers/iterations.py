"""Log the bounds and the seconds of each iteration of a method."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tremble.game.tree_arrays import integer_array
from tremble.integers import as_floats
from tremble.run.clock import Clock
from tremble.solvers.method import Run

__all__ = ["as_float", "log_bounds", "logged_seconds"]


def logged_seconds(clock: Clock) -> dict[str, float]:
    """Return the seconds since ``solve`` was called and since the first iteration, as fields of a log entry."""
    return {"solve_seconds_float": clock.elapsed, "seconds_float": clock.iterating}


def as_float(value: Fraction) -> float:
    """Return the nearest float, or an infinity if the value exceeds the range of floats."""
    return float(as_floats(integer_array([value.numerator]), value.denominator)[0])


def log_bounds(
    run: Run, iteration: int, lower: Fraction | float, upper: Fraction | float, **facts: Any
) -> tuple[float, float]:
    """Log an iteration, the bounds on player 1's value, and all keyword arguments. Return the bounds as floats."""
    low, high = (bound if isinstance(bound, float) else as_float(bound) for bound in (lower, upper))
    bounds = {"lower_float": low, "upper_float": high}
    run.log({"iteration": iteration, **logged_seconds(run.clock), **bounds, **facts})
    return low, high

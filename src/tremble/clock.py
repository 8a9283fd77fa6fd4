"""Time limits, heard by every long loop, and attempts that may fail, but not swallow them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tremble.errors import LimitReached, SolverError

__all__ = ["Clock", "attempted"]

Result = TypeVar("Result")


def attempted(work: Callable[[], Result]) -> Result | None:
    """What ``work`` returns, None if a solver gives up; ``LimitReached`` is raised all the same."""
    try:
        return work()
    except LimitReached:
        raise
    except SolverError:
        return None


class Clock:
    """Counts seconds from its creation.

    Parameters
    ----------
    limit : float or None
        Seconds after which :meth:`check` raises.
    """

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = limit

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._start

    def check(self) -> None:
        """Raise ``LimitReached`` once the limit has passed."""
        if self._limit is not None and self.elapsed >= self._limit:
            raise LimitReached(f"the time limit of {self._limit:g} seconds was reached")

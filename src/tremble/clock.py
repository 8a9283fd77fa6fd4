"""Limits of time and memory, heard by every long loop, and attempts that may fail, but not swallow them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tremble import memory
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


_LOOK_SECONDS = 0.5  # between two looks at the memory


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
        self._look = self._start + _LOOK_SECONDS

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._start

    def check(self) -> None:
        """Raise ``LimitReached`` once the limit has passed, or when memory is nearly full."""
        now = time.perf_counter()
        if self._limit is not None and now - self._start >= self._limit:
            raise LimitReached("the time limit was reached")
        if now >= self._look:
            self._look = now + _LOOK_SECONDS
            if memory.nearly_full():
                raise LimitReached("memory is nearly full")

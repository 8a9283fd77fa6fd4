"""A clock that stops long loops at a limit of time or memory.

A long loop calls :meth:`Clock.check` at a place where an exception does no harm. For code that never calls ``check``,
such as game rules that never return, see :mod:`tremble.run.deadline`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tremble.errors import LimitReached, SolverError
from tremble.run.alarm import TIME_IS_UP, Result
from tremble.run.compiling import compiling
from tremble.run.deadline import grace

__all__ = ["MEMORY_IS_FULL", "Clock", "attempted", "fits", "nearly_full"]

MEMORY_IS_FULL = "stopped because memory is nearly full"


def attempted(work: Callable[[], Result]) -> Result | None:
    """Return the result of ``work()``, or None after a ``SolverError``. Do not catch a ``LimitReached``."""
    try:
        return work()
    except LimitReached:
        raise
    except SolverError:
        return None


_LATE_SHARE = 0.25  # greatest time after the limit at which a step may end, as a share of the grace period
_LOOK_SECONDS = 0.5  # time between two checks of the memory, and between two calls of `watch`


class Clock:
    """A clock that starts when it is created, with an optional time limit.

    Parameters
    ----------
    limit : float or None
        Seconds after which :meth:`check` raises an exception, or None for no limit.
    """

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = self._full_limit = limit
        self._next_look = self._start + _LOOK_SECONDS
        self._iterations_began, self._compiled_before = self._start, compiling.seconds
        self._watch: Callable[[], None] | None = None
        self._checked, self._steps = self._start, (0.0, 0.0)

    @property
    def elapsed(self) -> float:
        """Seconds since the clock started."""
        return time.perf_counter() - self._start

    def iterations_begin(self) -> None:
        """Start the measurement of :attr:`iterating`, the time of a method's iterations."""
        self._iterations_began, self._compiled_before = time.perf_counter(), compiling.seconds

    @property
    def iterating(self) -> float:
        """Seconds since :meth:`iterations_begin`, minus the seconds that Numba took to compile functions."""
        return time.perf_counter() - self._iterations_began - (compiling.seconds - self._compiled_before)

    @property
    def left(self) -> float | None:
        """Seconds until the limit, or None if there is no limit."""
        return None if self._limit is None else self._limit - self.elapsed

    def reserve(self, seconds: float) -> None:
        """Reserve time for later work: set the limit to the original limit minus ``seconds``."""
        if self._full_limit is not None:
            self._limit = self._full_limit - seconds

    def watch(self, watch: Callable[[], None]) -> None:
        """Make :meth:`check` call ``watch()`` about twice a second."""
        self._watch = watch

    def check(self) -> None:
        """Raise ``LimitReached`` after the limit, or when memory is nearly full.

        A *step* is the work between two calls. Raise ``LimitReached`` early if the next step would end too late.
        """
        now = time.perf_counter()
        self._steps = self._steps[1], now - self._checked
        self._checked = now
        if self._limit is not None:
            late = max(min(self._steps) - _LATE_SHARE * grace(self._limit), 0.0)  # the last two steps predict the next
            if now - self._start + late >= self._limit:
                raise LimitReached(TIME_IS_UP)
        if now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if nearly_full():
                raise LimitReached(MEMORY_IS_FULL)
            if self._watch is not None:
                self._watch()


_MAX_SHARE = 0.9  # maximum share of the memory for this process
_MIN_FREE = 0.02  # minimum free share of the memory if this process uses more than half of the memory
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def nearly_full() -> bool:
    """Return True if this process has nearly filled the memory. Return False if this is not known."""
    return not fits(0)


def fits(size: int) -> bool:
    """Return True if memory is free for ``size`` more bytes, or if the size of the free memory is not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        sizes = {words[0]: 1024 * int(words[1]) for words in lines}
        total, left = sizes["MemTotal:"], sizes["MemAvailable:"] - size
    except (OSError, ValueError, LookupError):
        return True
    own = pages * os.sysconf("SC_PAGE_SIZE") + size
    for file in _LIMITS:  # memory limits of a container
        with suppress(OSError, ValueError):  # the file contains "max" if there is no limit
            total = min(total, int(Path(file).read_text()))
    return left >= 0 and own <= _MAX_SHARE * total and (left >= _MIN_FREE * total or own <= total / 2)

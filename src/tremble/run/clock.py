"""Limits of time and memory, and protection of work that must not be interrupted.

A time limit acts in two ways. Long loops call :meth:`Clock.check`, which raises at a safe place. Code that calls
nothing (rules that never return, a long step of a library) is stopped by :func:`limited`. That is like Ctrl-C: it can
interrupt any line of Python.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from numbers import Real
from pathlib import Path

from tremble.errors import LimitReached, SolverError, SpecError
from tremble.run.alarm import LONGEST, TIME_IS_UP, Result, stopped_after
from tremble.run.compiling import compiling
from tremble.words import described

__all__ = [
    "INTERRUPTED",
    "INTERRUPTIONS",
    "MEMORY_IS_FULL",
    "Clock",
    "attempted",
    "fits",
    "grace",
    "limited",
    "nearly_full",
    "required_time_limit",
    "stopped_by",
]

INTERRUPTED, _TERMINATED = INTERRUPTIONS = ("stopped by Ctrl-C", "stopped by SIGTERM")
MEMORY_IS_FULL = "stopped because memory is nearly full"


def stopped_by(interrupt: BaseException) -> str:
    """Return the words for the signal that ended the work: Ctrl-C, unless the interrupt names SIGTERM.

    Examples
    --------
    >>> stopped_by(KeyboardInterrupt()), stopped_by(KeyboardInterrupt("interrupted by SIGTERM"))
    ('stopped by Ctrl-C', 'stopped by SIGTERM')
    """
    return _TERMINATED if "SIGTERM" in str(interrupt) else INTERRUPTED


def attempted(work: Callable[[], Result]) -> Result | None:
    """Return what ``work`` returns, or None if it raises ``SolverError``; ``LimitReached`` still passes through."""
    try:
        return work()
    except LimitReached:
        raise
    except SolverError:
        return None


def grace(limit: float) -> float:
    """Return the grace period: seconds after a time limit for ending everything, including verification and writing.

    Examples
    --------
    >>> grace(5), grace(60)
    (2.0, 6.0)
    """
    return max(2.0, limit / 10)


def required_time_limit(limit: object) -> float | None:
    """Return a time limit as a float, or None; raise ``SpecError`` unless it is positive.

    Examples
    --------
    >>> required_time_limit(0)
    Traceback (most recent call last):
    tremble.errors.SpecError: a time limit is a positive number of seconds, not 0
    """
    if limit is None:
        return None
    with suppress(OverflowError):
        if isinstance(limit, Real) and not isinstance(limit, bool) and float(limit) > 0:
            return float(limit)
    raise SpecError(f"a time limit is a positive number of seconds, not {described(limit)}")


def limited(seconds: float | None, work: Callable[[], Result]) -> Result:
    """Return the result of ``work``; after so many seconds, if not None, stop it at any line of Python.

    Examples
    --------
    >>> def never_ending():
    ...     while True:
    ...         pass
    >>> limited(0.01, never_ending)
    Traceback (most recent call last):
    tremble.errors.LimitReached: stopped by the time limit
    """
    if seconds is None or seconds > LONGEST:
        return work()
    return stopped_after(seconds, work)


_LATE_SHARE = 0.25  # share of the grace period by which a step may end late
_LOOK_SECONDS = 0.5  # time between two checks of the memory and calls of watch


class Clock:
    """A clock that starts when it is created, with an optional time limit.

    Parameters
    ----------
    limit : float or None
        Seconds after which :meth:`check` raises.
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
        """Seconds so far."""
        return time.perf_counter() - self._start

    def iterations_begin(self) -> None:
        """Start counting :attr:`iterating` now."""
        self._iterations_began, self._compiled_before = time.perf_counter(), compiling.seconds

    @property
    def iterating(self) -> float:
        """Seconds since the iterations began, without the time in which Numba compiled."""
        return time.perf_counter() - self._iterations_began - (compiling.seconds - self._compiled_before)

    @property
    def left(self) -> float | None:
        """Seconds until the limit; None without a limit."""
        return None if self._limit is None else self._limit - self.elapsed

    def reserve(self, seconds: float) -> None:
        """Move the limit so many seconds before its original time, to leave time for later work."""
        if self._full_limit is not None:
            self._limit = self._full_limit - seconds

    def watch(self, watch: Callable[[], None]) -> None:
        """Make :meth:`check` call ``watch`` about twice a second."""
        self._watch = watch

    def check(self) -> None:
        """Raise ``LimitReached`` after the limit, or when memory is nearly full.

        If the steps between two calls are long, raise already when one more step would end too late.
        """
        now = time.perf_counter()
        self._steps = self._steps[1], now - self._checked
        self._checked = now
        if self._limit is not None:
            late = max(min(self._steps) - _LATE_SHARE * grace(self._limit), 0.0)  # a step is as long as the last two
            if now - self._start + late >= self._limit:
                raise LimitReached(TIME_IS_UP)
        if now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if nearly_full():
                raise LimitReached(MEMORY_IS_FULL)
            if self._watch is not None:
                self._watch()


# -- work that does not check a clock --------------------------------------------------------------


_MAX_SHARE = 0.9  # greatest share of the memory for this process
_MIN_FREE = 0.02  # least free share of the memory if this process has more than half of it
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def nearly_full() -> bool:
    """Return whether this process has nearly filled the memory; False if unknown."""
    return not fits(0)


def fits(size: int) -> bool:
    """Return whether this process may allocate so many more bytes; True if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        sizes = {words[0]: 1024 * int(words[1]) for words in lines}
        total, left = sizes["MemTotal:"], sizes["MemAvailable:"] - size
    except (OSError, ValueError, LookupError):
        return True
    own = pages * os.sysconf("SC_PAGE_SIZE") + size
    for file in _LIMITS:  # limits of a container
        with suppress(OSError, ValueError):  # the file holds "max" if there is no limit
            total = min(total, int(Path(file).read_text()))
    return left >= 0 and own <= _MAX_SHARE * total and (left >= _MIN_FREE * total or own <= total / 2)

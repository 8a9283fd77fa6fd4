"""Time limits for a whole command, and for code that never checks a clock.

:func:`limited` stops work at a time limit. Like Ctrl-C, it can interrupt any line of Python. A command of the command
line also has a :class:`Deadline`. The *grace period* is a short time after the time limit (:func:`grace`). If a step of
a library cannot be stopped, the deadline ends the process shortly before the end of the grace period.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from numbers import Real
from typing import Self, TypeVar

from tremble.arguments import described
from tremble.errors import LimitReached, SpecError
from tremble.run.alarm import LONGEST, TIME_IS_UP, Result, stopped_after
from tremble.run.signals import LIMIT_EXIT, end_now

__all__ = ["LOADING", "SOLVING", "Deadline", "grace", "limited", "required_time_limit"]


def grace(limit: float) -> float:
    """Return the grace period in seconds: the time after ``limit`` for ending work and writing a verified result.

    Examples
    --------
    >>> grace(5), grace(60)
    (2.0, 6.0)
    """
    return max(2.0, limit / 10)


def required_time_limit(limit: object) -> float | None:
    """Return ``limit`` as a float, or None for no limit; raise ``SpecError`` if ``limit`` is not a positive number.

    Examples
    --------
    >>> required_time_limit(0)
    Traceback (most recent call last):
    tremble.errors.SpecError: a time limit must be a positive number of seconds, not 0
    """
    if limit is None:
        return None
    with suppress(OverflowError):
        if isinstance(limit, Real) and not isinstance(limit, bool) and float(limit) > 0:
            return float(limit)
    raise SpecError(f"a time limit must be a positive number of seconds, not {described(limit)}")


def limited(seconds: float | None, work: Callable[[], Result]) -> Result:
    """Return the result of ``work()``. After ``seconds``, interrupt ``work`` at any line and raise ``LimitReached``.

    Without ``seconds`` (None), ``work`` has no limit.

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


LOADING, SOLVING = 0.3, 0.75
"""Shares of the grace period: loading is interrupted after the first, and all work except writing after the second."""

_RESCUE = 0.55  # share of the grace period after which a thread rescues the result, if the solver has not returned
_AGAIN_SECONDS = 0.05  # time between two attempts of the thread to write a result
# Share of the grace period after which the timer ends the process. The rest is for starting and ending Python, which
# take 0.2 s on a busy machine (measured).
_LAST_MOMENT = 0.87
_NO_TIME = 1e-9  # seconds left for a solver if loading took all the time; a limit must be positive

_Result = TypeVar("_Result")


class Deadline:
    """A time limit for the whole process: ``seconds`` (None: no limit) after ``began``, a ``time.perf_counter`` time.

    The grace period (:func:`grace`) begins at the limit. Within the ``with`` block, a timer ends the process shortly
    before this period ends. The timer is necessary because :func:`limited` cannot stop some library steps. If the
    command has called :meth:`rescue`, a thread writes the best result so far, if any, before the process ends.
    """

    def __init__(self, seconds: float | None, began: float) -> None:
        self._seconds = required_time_limit(seconds)
        self._began = began
        self._timer: threading.Timer | None = None
        self._message = f"{TIME_IS_UP}, in a step that did not react to it"  # shown when this object ends the process
        # The writer of the result holds this lock: the command, or the thread that rescues the result.
        self._writing = threading.Lock()
        self._held = False  # True if the command holds the lock

    def __enter__(self) -> Self:
        seconds = self._seconds
        if seconds is not None and seconds <= threading.TIMEOUT_MAX / 2:
            last = seconds + _LAST_MOMENT * grace(seconds) - self._elapsed
            self._timer = threading.Timer(last, self._leave)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.writing()  # no rescue is needed any more
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def rescue(self, write: Callable[[], bool], seconds: Callable[[], float] = float) -> None:
        """Start a thread. If the command does not write in time, the thread writes the result and ends the process.

        ``write()`` must return True if it wrote a result. ``seconds()`` estimates the processor time of ``write()``.
        The estimate is multiplied by the ratio of elapsed to processor time so far, because the machine may be busy.
        """
        if self._seconds is None or self._timer is None:
            return
        spare, slowdown = grace(self._seconds), max(self._elapsed / max(time.process_time(), _NO_TIME), 1.0)
        latest = _LAST_MOMENT * spare - slowdown * seconds()
        wait = max(min(_RESCUE * spare, latest), 0.0) + self._seconds - self._elapsed
        threading.Thread(target=self._rescue, args=(write, wait), daemon=True).start()

    def _rescue(self, write: Callable[[], bool], wait: float) -> None:
        time.sleep(max(wait, 0.0))
        while self._writing.acquire(blocking=False):
            try:
                with suppress(Exception):  # if writing fails, the command continues
                    if write():
                        self._message = TIME_IS_UP
                        self._leave()
            finally:
                self._writing.release()
            time.sleep(_AGAIN_SECONDS)

    def writing(self) -> None:
        """Announce that the command now writes its result. The thread of :meth:`rescue` then writes no result.

        If that thread is already writing a result, wait until the thread ends the process or fails to write.
        """
        if not self._held:
            self._held = self._writing.acquire()

    def written(self, path: str) -> None:
        """Announce that ``path`` contains the result. If the timer ends the process, a message names the file."""
        self._message = f"{TIME_IS_UP}: the result is in {path}, but there was no time to show it"

    def _leave(self) -> None:
        end_now(LIMIT_EXIT, self._message)

    @property
    def left(self) -> float | None:
        """Remaining seconds, or None if there is no limit. After the limit, the number is tiny but positive."""
        return None if self._seconds is None else max(self._seconds - self._elapsed, _NO_TIME)

    @property
    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def allow(self, share: float, work: Callable[[], _Result], when: str = "") -> _Result:
        """Return the result of ``work()``. Interrupt ``work`` after the limit plus ``share`` times the grace period.

        Raises
        ------
        LimitReached
            Either ``work`` raised the exception, with the best result. Or ``work`` was interrupted: the exception has
            no result, and its message contains ``when``, such as ``"while the game was loaded"``.
        """
        if self._seconds is None:
            return work()
        stopped_itself = False

        def noted() -> _Result:
            nonlocal stopped_itself
            try:
                return work()
            except LimitReached:
                stopped_itself = True
                raise

        try:
            return limited(self._seconds + share * grace(self._seconds) - self._elapsed, noted)
        except LimitReached as limit:
            if stopped_itself:
                raise
            raise LimitReached(f"{limit}{when and f' {when}'}; there is no result yet") from None

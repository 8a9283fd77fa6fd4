"""How a command with a time limit ends in time: loading and solving by shares of the grace period, then the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self, TypeVar

from tremble.base.clock import TIME_IS_UP, grace, limited, required_time_limit
from tremble.base.signals import end_now
from tremble.cli.console import began, exit_code
from tremble.errors import LimitReached

__all__ = ["LOADING", "SOLVING", "Deadline"]

LOADING, SOLVING = 0.3, 0.75
"""Shares of the grace period after a time limit until which the game is loaded, and everything but writing is done."""

_LAST_MOMENT = 0.95  # of the grace period
_NO_TIME = 1e-9  # seconds that a solver gets where loading took them all

_Result = TypeVar("_Result")


class Deadline:
    """A time limit in seconds, or None, counted from when the command began.

    Entered, it ends the process shortly before the grace period is over, whatever the process is doing: for steps of
    libraries that hear neither the clock nor the timer of :mod:`tremble.base.clock`.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = required_time_limit(seconds)
        self._began = began()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        seconds = self._seconds
        if seconds is not None and seconds <= threading.TIMEOUT_MAX / 2:
            last = seconds + _LAST_MOMENT * grace(seconds) - self._elapsed
            self._timer = threading.Timer(last, _leave)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    @property
    def left(self) -> float | None:
        """Seconds until the limit, a moment at least; None without one."""
        return None if self._seconds is None else max(self._seconds - self._elapsed, _NO_TIME)

    @property
    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def allow(self, share: float, work: Callable[[], _Result], when: str = "") -> _Result:
        """Return what ``work`` does, if it does so within a share of the grace period after the limit.

        Raises
        ------
        LimitReached
            It did not, and there is nothing to show for it; or it heard the limit itself, with what it has.
        """
        if self._seconds is None:
            return work()
        ended = False

        def heard() -> _Result:
            nonlocal ended
            try:
                return work()
            except LimitReached:  # with what it has
                ended = True
                raise

        try:
            return limited(self._seconds + share * grace(self._seconds) - self._elapsed, heard)
        except LimitReached as limit:
            if ended:
                raise
            raise LimitReached(f"{limit}{when and f' {when}'}; there is no result yet") from None


def _leave() -> None:
    end = LimitReached(f"{TIME_IS_UP}, in a step that cannot be stopped")
    end_now(exit_code(end), str(end))

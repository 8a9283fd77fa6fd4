"""How a command with a time limit ends in time: loading and solving by shares of the grace period, then the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self, TypeVar

from tremble.errors import LimitReached
from tremble.run.clock import TIME_IS_UP, grace, limited, required_time_limit
from tremble.run.signals import LIMIT_EXIT, end_now

__all__ = ["LOADING", "SOLVING", "Deadline"]

LOADING, SOLVING = 0.3, 0.75
"""Shares of the grace period after a time limit until which the game is loaded, and everything but writing is done."""

_RESCUE = 0.55  # of the grace period; until then the solver itself returns what it has, if it can
_AGAIN_SECONDS = 0.05  # between two questions whether there is something to write
_LAST_MOMENT = 0.87  # of the grace period: on a busy machine Python takes 0.2 s to start and to end (measured)
_NO_TIME = 1e-9  # seconds that a solver gets where loading took them all

_Result = TypeVar("_Result")


class Deadline:
    """A time limit in seconds, or None, counted from ``began``, a reading of ``time.perf_counter``.

    Entered, it ends the process shortly before the grace period is over, whatever the process is doing: for steps of
    libraries that hear neither the clock nor the timer of :mod:`tremble.run.clock`. If the work has recorded a result
    by then (:meth:`rescue`), a thread writes that result first.
    """

    def __init__(self, seconds: float | None, began: float) -> None:
        self._seconds = required_time_limit(seconds)
        self._began = began
        self._timer: threading.Timer | None = None
        self._message = f"{TIME_IS_UP}, in a step that cannot be stopped"  # if it ends the process
        # Held by whoever writes the result: the command, or the thread that rescues it.
        self._writing = threading.Lock()
        self._held = False  # by the command

    def __enter__(self) -> Self:
        seconds = self._seconds
        if seconds is not None and seconds <= threading.TIMEOUT_MAX / 2:
            last = seconds + _LAST_MOMENT * grace(seconds) - self._elapsed
            self._timer = threading.Timer(last, self._leave)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.writing()  # there is nothing to rescue any more
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def rescue(self, write: Callable[[], bool], seconds: float = 0.0) -> None:
        """Have a thread write the best result so far if the command does not write one in time.

        ``write`` returns whether there was something to write, which takes about so many ``seconds`` of a processor.
        On a busy machine it takes longer, as everything so far did. The process then ends.
        """
        if self._seconds is None or self._timer is None:
            return
        spare, slow = grace(self._seconds), max(self._elapsed / max(time.process_time(), _NO_TIME), 1.0)
        wait = max(min(_RESCUE * spare, _LAST_MOMENT * spare - slow * seconds), 0.0) + self._seconds - self._elapsed
        threading.Thread(target=self._rescue, args=(write, wait), daemon=True).start()

    def _rescue(self, write: Callable[[], bool], wait: float) -> None:
        time.sleep(max(wait, 0.0))
        while self._writing.acquire(blocking=False):
            try:
                with suppress(Exception):  # the command itself goes on then
                    if write():
                        self._message = TIME_IS_UP
                        self._leave()
            finally:
                self._writing.release()
            time.sleep(_AGAIN_SECONDS)

    def writing(self) -> None:
        """Begin to write a result: from now on nothing else is written. Wait for the end if a thread writes already."""
        if not self._held:
            self._held = self._writing.acquire()

    def written(self, path: str) -> None:
        """Have the process say, if it is ended from now on, where the result is."""
        self._message = f"{TIME_IS_UP}: the result is in {path}; there was no time to show it"

    def _leave(self) -> None:
        end_now(LIMIT_EXIT, self._message)

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

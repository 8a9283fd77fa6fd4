"""End a command in time: stop loading and solving after shares of the grace period, and finally end the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self, TypeVar

from tremble.errors import LimitReached
from tremble.run.alarm import TIME_IS_UP
from tremble.run.clock import grace, limited, required_time_limit
from tremble.run.signals import LIMIT_EXIT, end_now

__all__ = ["LOADING", "SOLVING", "Deadline"]

LOADING, SOLVING = 0.3, 0.75
"""Shares of the grace period after which loading must end, and after which everything but writing must end."""

_RESCUE = 0.55  # share of the grace period in which the solver itself can return its best result
_AGAIN_SECONDS = 0.05  # time between two attempts to write a result
_LAST_MOMENT = 0.87  # share of the grace period; on a busy machine Python takes 0.2 s to start and to end (measured)
_NO_TIME = 1e-9  # seconds for a solver if loading took all the time

_Result = TypeVar("_Result")


class Deadline:
    """A time limit in seconds, or None, counted from ``began``, a reading of ``time.perf_counter``.

    Within its block, a timer ends the process shortly before the grace period is over, whatever the process is doing.
    This is needed for steps of libraries that :mod:`tremble.run.clock` cannot stop. If the work has recorded a result
    by then (:meth:`rescue`), a thread writes that result first.
    """

    def __init__(self, seconds: float | None, began: float) -> None:
        self._seconds = required_time_limit(seconds)
        self._began = began
        self._timer: threading.Timer | None = None
        self._message = f"{TIME_IS_UP}, in a step that cannot be stopped"  # shown if the timer ends the process
        # The writer of the result holds this lock: the command, or the thread that rescues the result.
        self._writing = threading.Lock()
        self._held = False  # whether the command holds the lock

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
        """Let a thread write the best result so far, and end the process, if the command does not write in time.

        ``write`` returns whether it wrote a result. Writing takes about ``seconds()`` of processor time. On a busy
        machine it takes longer, by the same factor as all work so far.
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
                with suppress(Exception):  # after a failure the command itself goes on
                    if write():
                        self._message = TIME_IS_UP
                        self._leave()
            finally:
                self._writing.release()
            time.sleep(_AGAIN_SECONDS)

    def writing(self) -> None:
        """Begin to write a result, so that no thread rescues one; if one is writing, wait for the process to end."""
        if not self._held:
            self._held = self._writing.acquire()

    def written(self, path: str) -> None:
        """Name the file of the result in the message that is shown if the timer ends the process from now on."""
        self._message = f"{TIME_IS_UP}: the result is in {path}; there was no time to show it"

    def _leave(self) -> None:
        end_now(LIMIT_EXIT, self._message)

    @property
    def left(self) -> float | None:
        """Seconds until the limit, at least a tiny positive number; None without a limit."""
        return None if self._seconds is None else max(self._seconds - self._elapsed, _NO_TIME)

    @property
    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def allow(self, share: float, work: Callable[[], _Result], when: str = "") -> _Result:
        """Return what ``work`` returns, if it ends within a share of the grace period after the limit.

        Raises
        ------
        LimitReached
            The work stopped by itself at the limit, with its best result; or it was stopped, without a result.
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

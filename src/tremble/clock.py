"""Limits of time and memory, heard by every long loop, and attempts that may fail, but not swallow them.

A time limit is heard twice. Long loops call :meth:`Clock.check`, which raises where it is safe to stop. What does not
ask (rules that never end, a long step of a library) is stopped by :func:`limited`, as Ctrl-C would stop it: at
whatever line of Python the thread happens to be.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, ClassVar, TypeVar

from tremble import memory
from tremble.errors import LimitReached, SolverError, SpecError

__all__ = [
    "INTERRUPTED",
    "MEMORY_IS_FULL",
    "TIME_IS_UP",
    "Clock",
    "attempted",
    "grace",
    "interrupts_held_back",
    "limited",
    "require_time_limit",
]

Result = TypeVar("Result")

TIME_IS_UP = "stopped by the time limit"
INTERRUPTED = "stopped by Ctrl-C"
MEMORY_IS_FULL = "stopped because memory is nearly full"


def attempted(work: Callable[[], Result]) -> Result | None:
    """What ``work`` returns, None if a solver gives up; ``LimitReached`` is raised all the same."""
    try:
        return work()
    except LimitReached:
        raise
    except SolverError:
        return None


def grace(limit: float) -> float:
    """Seconds beyond a time limit within which everything ends: bounds, verification and writing included.

    Examples
    --------
    >>> grace(5), grace(60)
    (2.0, 6.0)
    """
    return max(2.0, limit / 10)


def require_time_limit(limit: float | None) -> None:
    """Raise ``SpecError`` unless this is a positive number of seconds, or None.

    Examples
    --------
    >>> require_time_limit(0)
    Traceback (most recent call last):
    tremble.errors.SpecError: a time limit is a positive number of seconds, not 0
    """
    if limit is not None and not (isinstance(limit, Real) and not isinstance(limit, bool) and limit > 0):
        raise SpecError(f"a time limit is a positive number of seconds, not {limit!r:.80}")


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

    @property
    def left(self) -> float | None:
        """Seconds that are left; None if there is no limit."""
        return None if self._limit is None else self._limit - self.elapsed

    def check(self) -> None:
        """Raise ``LimitReached`` once the limit has passed, or when memory is nearly full."""
        now = time.perf_counter()
        if self._limit is not None and now - self._start >= self._limit:
            raise LimitReached(TIME_IS_UP)
        if now >= self._look:
            self._look = now + _LOOK_SECONDS
            if memory.nearly_full():
                raise LimitReached(MEMORY_IS_FULL)


# -- work that does not look at a clock ------------------------------------------------------------

_AGAIN_SECONDS = 0.1  # something may have swallowed the exception: a destructor, a callback of a library
_LONGEST = 1e8  # seconds; timers do not take more
_SOON_SECONDS = 0.002  # what is being cancelled must come to its end before the next one rings


class _TimeIsUp(BaseException):
    """Raised from outside in the midst of some work, and never seen outside of :func:`limited`."""


class _Timer:
    """Raises ``_TimeIsUp`` in the main thread, which a signal reaches in a library's waiting and sleeping, too."""

    _deadlines: ClassVar[list[float]] = []  # of all that are running, one inside the other
    _before: ClassVar[tuple[Any, float]] = (None, 0.0)  # handler, and when the timer of somebody else would have rung

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def start(self) -> None:
        if not self._deadlines:
            rings = signal.getitimer(signal.ITIMER_REAL)[0]
            _Timer._before = signal.signal(signal.SIGALRM, _ring), rings and time.monotonic() + rings
        self._deadlines.append(self._deadline)
        self._set()

    def cancel(self) -> None:
        if self._deadline in self._deadlines:
            self._deadlines.remove(self._deadline)
        self._set()

    def _set(self) -> None:
        if self._deadlines:
            left = min(self._deadlines) - time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, max(left, _SOON_SECONDS), _AGAIN_SECONDS)
            return
        handler, rings = self._before
        signal.setitimer(signal.ITIMER_REAL, max(rings - time.monotonic(), _SOON_SECONDS) if rings else 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)


_held: set[int] = set()  # threads in which nothing is to be raised now


def _ring(_number: int, _frame: object) -> None:
    if threading.get_ident() not in _held:  # else it rings again
        raise _TimeIsUp


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let what is done here come to its end; a Ctrl-C or a time limit that comes meanwhile strikes after it.

    Files are written so, and libraries imported whose beginning must not be cut short.
    """
    thread = threading.get_ident()
    if thread in _held:  # by a block around this one
        yield
        return
    came: list[int] = []
    hears = threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number)) if hears else None
    _held.add(thread)
    try:
        yield
    finally:
        _held.discard(thread)
        if hears:
            signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


class _Alarm:
    """Raises ``_TimeIsUp`` in any thread that executes Python, where there are no signals for it."""

    def __init__(self, deadline: float) -> None:
        self._thread = ctypes.c_ulong(threading.get_ident())
        self._deadline = deadline
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._wait, name="time limit", daemon=True).start()

    def _wait(self) -> None:
        while not self._cancelled.wait(max(self._deadline - time.monotonic(), _AGAIN_SECONDS)):
            with self._lock:
                due = time.monotonic() >= self._deadline and self._thread.value not in _held
                if due and not self._cancelled.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(_TimeIsUp))

    def cancel(self) -> None:
        with self._lock:
            self._cancelled.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, None)  # it may be on its way still


def limited(seconds: float | None, work: Callable[[], Result]) -> Result:
    """What ``work`` returns; after so many seconds it is stopped at whatever line of Python it is.

    Parameters
    ----------
    seconds : float or None
        No limit if None.
    work : callable

    Raises
    ------
    LimitReached
        It took longer.

    Examples
    --------
    >>> def never_ending():
    ...     while True:
    ...         pass
    >>> limited(0.01, never_ending)
    Traceback (most recent call last):
    tremble.errors.LimitReached: stopped by the time limit
    """
    if seconds is None or seconds > _LONGEST:
        return work()
    deadline = time.monotonic() + max(seconds, 0.0)
    signals = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    timer = _Timer(deadline) if signals else _Alarm(deadline)
    try:
        try:
            timer.start()
            return work()
        finally:
            timer.cancel()
    except Exception as error:
        if isinstance(error, LimitReached) or time.monotonic() < deadline:
            raise
        # A library that is being imported, or called, may turn what stops it into an error of its own.
        raise LimitReached(TIME_IS_UP) from error
    except _TimeIsUp as struck:
        while True:  # it may have come while the timer was being cancelled
            try:
                timer.cancel()
                break
            except _TimeIsUp:
                continue
        if time.monotonic() < deadline:  # meant for a limit around this one
            raise
        # The cause holds what the work held: to let go of a million objects takes seconds that nobody has now.
        raise LimitReached(TIME_IS_UP) from struck

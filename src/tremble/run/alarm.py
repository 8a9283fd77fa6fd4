"""Stop work at any line of Python after a time limit, and delay the interruption where it would do harm.

A timer raises an exception in the thread that does the work. In the main thread, the timer uses a signal. In other
threads, the timer uses the C interface of Python. :func:`interrupts_held_back` delays the exception while a file is
written or a library is imported.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, ClassVar, TypeVar

from tremble.errors import LimitReached
from tremble.run.signals import interrupt

__all__ = ["LONGEST", "TIME_IS_UP", "ctrl_c_held_back", "interrupts_held_back", "stopped_after"]


Result = TypeVar("Result")

TIME_IS_UP = "stopped by the time limit"


_AGAIN_SECONDS = 0.1  # the exception is raised again after this time: a destructor or callback may swallow it
LONGEST = 1e8  # seconds; timers do not accept longer times
_SOON_SECONDS = 0.002  # minimum delay of a timer, so that another timer can be canceled before this one rings


class _TimeIsUp(BaseException):
    """The exception that a timer raises to stop work. :func:`stopped_after` always catches it."""


class _Timer:
    """A timer that raises ``_TimeIsUp`` in the main thread. The timer's signal also interrupts sleeping and waiting."""

    _deadlines: ClassVar[list[float]] = []  # deadlines of all running timers, which are nested
    _before: ClassVar[tuple[Any, float]] = (None, 0.0)  # previous handler, time when its timer would ring

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


_held: set[int] = set()  # threads in which no exception may be raised now


def _ring(_number: int, frame: FrameType | None) -> None:
    """Raise ``_TimeIsUp``. While interruptions are delayed, do nothing, because the timer will ring again."""
    if not (threading.get_ident() in _held or _is_importing(frame)):
        raise _TimeIsUp


def _is_importing(frame: FrameType | None) -> bool:
    """Return True if the code that a time limit is about to interrupt is importing a module.

    An interrupted import would leave the module broken. Numba imports modules when it compiles for the first time.
    """
    while frame is not None and frame.f_code is not stopped_after.__code__:
        if frame.f_code.co_name == "_find_and_load" and frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Delay Ctrl-C and time limits until the end of a ``with`` block.

    Use this function for blocks that write files, or that import libraries which an interruption would leave broken.
    """
    thread = threading.get_ident()
    if thread in _held:  # an enclosing block already delays Ctrl-C and time limits
        yield
        return
    with ctrl_c_held_back():
        _held.add(thread)
        try:
            yield
        finally:
            _held.discard(thread)


@contextmanager
def ctrl_c_held_back() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block. Also delay SIGTERM if tremble's handler treats it like Ctrl-C.

    Time limits are not delayed. Use this function in place of :func:`interrupts_held_back` if the block may take long.
    """
    handles_signals = threading.current_thread() is threading.main_thread() and threading.get_ident() not in _held
    received: list[tuple[int, FrameType | None]] = []
    before: dict[int, Callable[[int, FrameType | None], Any]] = {}
    for stop_signal in (signal.SIGINT, signal.SIGTERM) if handles_signals else ():
        handler = signal.getsignal(stop_signal)
        if callable(handler) and (stop_signal == signal.SIGINT or handler is interrupt):
            before[stop_signal] = handler
            signal.signal(stop_signal, lambda *arguments: received.append(arguments))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in received:
            before[number](number, frame)


class _Alarm:
    """A timer for threads that receive no signals. It raises ``_TimeIsUp`` when the thread next runs Python code."""

    def __init__(self, deadline: float) -> None:
        self._thread = ctypes.c_ulong(threading.get_ident())
        self._deadline = deadline
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._raised = False

    def start(self) -> None:
        threading.Thread(target=self._wait, name="time limit", daemon=True).start()

    def _wait(self) -> None:
        while not self._cancelled.wait(max(self._deadline - time.monotonic(), _AGAIN_SECONDS)):
            with self._lock:
                thread = self._thread.value
                held = thread in _held or _is_importing(sys._current_frames().get(thread))
                if time.monotonic() >= self._deadline and not held and not self._cancelled.is_set():
                    self._raise()

    def _raise(self) -> None:
        self._raised = True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(_TimeIsUp))

    def cancel(self) -> None:
        """Stop the timer. Call this method in the thread in which the timer raises the exception."""
        with self._lock:
            self._cancelled.set()
            if self._raised:
                # The exception may be pending. If it were withdrawn, Python 3.11 would check for it forever. So it is
                # raised once more and caught here.
                with suppress(_TimeIsUp):
                    self._raise()
                    while True:
                        pass


def _ignore_lost_limits() -> None:
    """Suppress Python's message about a ``_TimeIsUp`` that is lost in a destructor. The timer raises it again."""
    report = sys.unraisablehook
    if getattr(report, "__name__", "") == _ignore_lost_limits.__name__:
        return

    def report_others(lost: Any) -> None:
        if not issubclass(lost.exc_type, _TimeIsUp):
            report(lost)

    report_others.__name__ = _ignore_lost_limits.__name__
    sys.unraisablehook = report_others


def stopped_after(seconds: float, work: Callable[[], Result]) -> Result:
    """Call ``work`` and return its result. After ``seconds``, stop ``work`` at any line and raise ``LimitReached``."""
    _ignore_lost_limits()
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
        # A library that is being imported or called may turn _TimeIsUp into an error of another class.
        raise LimitReached(TIME_IS_UP) from error
    except _TimeIsUp as time_is_up:
        while True:  # the exception may have interrupted the first call of cancel
            try:
                timer.cancel()
                break
            except _TimeIsUp:
                continue
        if time.monotonic() < deadline:  # the time limit of an enclosing call has passed
            raise
        # Keep the cause: its frames keep the objects of the work alive. Freeing a million objects takes seconds.
        raise LimitReached(TIME_IS_UP) from time_is_up

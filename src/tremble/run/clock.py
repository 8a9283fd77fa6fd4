"""Limits of time and memory, and protection of work that must not be interrupted.

A time limit acts in two ways. Long loops call :meth:`Clock.check`, which raises at a safe place. Code that calls
nothing (rules that never return, a long step of a library) is stopped by :func:`limited`. That is like Ctrl-C: it can
interrupt any line of Python.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from numbers import Real
from types import FrameType
from typing import Any, ClassVar, TypeVar

from tremble.errors import LimitReached, SolverError, SpecError
from tremble.run import memory
from tremble.run.signals import interrupt
from tremble.words import described

__all__ = [
    "INTERRUPTED",
    "INTERRUPTIONS",
    "MEMORY_IS_FULL",
    "TIME_IS_UP",
    "Clock",
    "attempted",
    "compiled",
    "compiled_seconds",
    "compiled_whole",
    "ctrl_c_held_back",
    "grace",
    "interrupts_held_back",
    "limited",
    "required_time_limit",
    "stopped_by",
]

Result = TypeVar("Result")

TIME_IS_UP = "stopped by the time limit"
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
        self._iterations_began, self._compiled_before = self._start, _compiling.seconds
        self._watch: Callable[[], None] | None = None
        self._checked, self._steps = self._start, (0.0, 0.0)

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._start

    def iterations_begin(self) -> None:
        """Start counting :attr:`iterating` now."""
        self._iterations_began, self._compiled_before = time.perf_counter(), _compiling.seconds

    @property
    def iterating(self) -> float:
        """Seconds since the iterations began, without the time in which Numba compiled."""
        return time.perf_counter() - self._iterations_began - (_compiling.seconds - self._compiled_before)

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
            if memory.nearly_full():
                raise LimitReached(MEMORY_IS_FULL)
            if self._watch is not None:
                self._watch()


# -- work that does not check a clock --------------------------------------------------------------

_AGAIN_SECONDS = 0.1  # raise again after this time: a destructor or a callback may have swallowed the exception
_LONGEST = 1e8  # seconds; timers do not accept more
_SOON_SECONDS = 0.002  # least delay of a timer, so that a timer that is being cancelled ends before the next rings


class _TimeIsUp(BaseException):
    """The time limit, raised from outside into running work; :func:`limited` always catches it."""


class _Timer:
    """A timer that raises ``_TimeIsUp`` in the main thread by a signal, which also interrupts waiting and sleeping."""

    _deadlines: ClassVar[list[float]] = []  # of all running timers, which are nested
    _before: ClassVar[tuple[Any, float]] = (None, 0.0)  # a foreign handler, and the time at which its timer would ring

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
    """Raise ``_TimeIsUp`` if that is allowed now; otherwise the timer rings again."""
    if not (threading.get_ident() in _held or _is_importing(frame)):
        raise _TimeIsUp


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether the limited work is importing a module, which would stay broken after an interruption.

    Numba imports modules when it first compiles.
    """
    while frame is not None and frame.f_code is not limited.__code__:
        if frame.f_code.co_name == "_find_and_load" and frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Delay Ctrl-C and time limits until the end of the block.

    Use it to write files, and to import libraries that an interruption would leave broken.
    """
    thread = threading.get_ident()
    if thread in _held:  # a block around this one delays them
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
    """Delay Ctrl-C until the end of the block, and SIGTERM if our handler treats it like Ctrl-C.

    A time limit is not delayed. Use this instead of :func:`interrupts_held_back` if the block may take long.
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


class _Compiling:
    """A counter of the seconds in which Numba compiles or loads kernels; nested blocks count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._began = 0, 0.0

    def __enter__(self) -> None:
        if not self._depth:
            self._began = time.perf_counter()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._began


_compiling = _Compiling()


def compiled_seconds() -> float:
    """Return the seconds in which Numba has compiled and loaded kernels in this process."""
    return _compiling.seconds


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function with Numba at its first call; cache it on disk if a cache folder can be written."""
    with interrupts_held_back():  # after an interrupted import, numba could not be imported again
        import numba
    try:
        return compiled_whole(numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no writable cache folder
        return compiled_whole(numba.njit(**options)(function))


def compiled_whole(kernel: Any) -> Any:
    """Return a Numba kernel whose compilation delays Ctrl-C.

    After an interruption in a callback of the compiler, the kernel could not be called again, with an obscure error.
    """
    compile_for = getattr(kernel, "_compile_for_args", None)
    if compile_for is None:  # Numba's compilation is disabled
        return kernel

    def compile_whole(*values: Any, **named: Any) -> Any:
        with _compiling, interrupts_held_back():  # Numba reads its registries once, so that must not be interrupted
            kernel.typingctx.refresh()
            kernel.targetctx.refresh()
        with _compiling, ctrl_c_held_back():
            return compile_for(*values, **named)

    kernel._compile_for_args = compile_whole
    return kernel


class _Alarm:
    """A timer that raises ``_TimeIsUp`` in any thread that executes Python, for threads that get no signals."""

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
        """Stop ringing. Called in the limited thread itself."""
        with self._lock:
            self._cancelled.set()
            if self._raised:
                # The exception may be pending. Withdrawing it would make Python 3.11 check for it for ever, so raise
                # it once more and catch it here.
                with suppress(_TimeIsUp):
                    self._raise()
                    while True:
                        pass


def _ignore_lost_limits() -> None:
    """Make Python silent about a ``_TimeIsUp`` that is lost in a destructor; it is raised again anyway."""
    report = sys.unraisablehook
    if getattr(report, "__name__", "") == _ignore_lost_limits.__name__:
        return

    def report_others(lost: Any) -> None:
        if not issubclass(lost.exc_type, _TimeIsUp):
            report(lost)

    report_others.__name__ = _ignore_lost_limits.__name__
    sys.unraisablehook = report_others


def limited(seconds: float | None, work: Callable[[], Result]) -> Result:
    """Return what ``work`` returns; after so many seconds, if not None, stop it at any line of Python.

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
        while True:  # the exception may have interrupted the cancelling of the timer
            try:
                timer.cancel()
                break
            except _TimeIsUp:
                continue
        if time.monotonic() < deadline:  # the limit around this one has passed
            raise
        # Keep the cause: its frames hold the objects of the work. Freeing a million objects now would take seconds.
        raise LimitReached(TIME_IS_UP) from time_is_up

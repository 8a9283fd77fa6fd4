"""Limits of time and memory, heard by every long loop, and attempts that may fail, but not swallow them.

A time limit is heard twice. Long loops call :meth:`Clock.check`, which raises where it is safe to stop. What does not
ask (rules that never end, a long step of a library) is stopped by :func:`limited`, as Ctrl-C would stop it: at
whatever line of Python the thread happens to be.
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


def required_time_limit(limit: object) -> float | None:
    """Seconds as a float, or None; ``SpecError`` unless they are positive.

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


_LATE = 0.25  # of the grace period is how late a step may end
_LOOK_SECONDS = 0.5  # between two looks at the memory, and at what is proven


class Clock:
    """Counts seconds from its creation.

    Parameters
    ----------
    limit : float or None
        Seconds after which :meth:`check` raises.
    """

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = self._whole = limit
        self._look = self._start + _LOOK_SECONDS
        self._iterations_began, self._compiled_before = self._start, _compiling.seconds
        self._watch: Callable[[], None] | None = None
        self._checked, self._steps = self._start, (0.0, 0.0)

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._start

    def iterations_begin(self) -> None:
        """Have :attr:`iterating` count from now on."""
        self._iterations_began, self._compiled_before = time.perf_counter(), _compiling.seconds

    @property
    def iterating(self) -> float:
        """Seconds since the iterations began, without those in which Numba compiled: what the iterations take."""
        return time.perf_counter() - self._iterations_began - (_compiling.seconds - self._compiled_before)

    @property
    def left(self) -> float | None:
        """Seconds that are left; None if there is no limit."""
        return None if self._limit is None else self._limit - self.elapsed

    def reserve(self, seconds: float) -> None:
        """Have the limit pass so many seconds earlier than it was set, for work that comes after it."""
        if self._whole is not None:
            self._limit = self._whole - seconds

    def watch(self, watch: Callable[[], None]) -> None:
        """Have :meth:`check` call this about twice a second."""
        self._watch = watch

    def check(self) -> None:
        """Raise ``LimitReached`` once the limit has passed, or when memory is nearly full.

        Where it is asked after long steps only, it raises where one more of them would end too late.
        """
        now = time.perf_counter()
        self._steps = self._steps[1], now - self._checked
        self._checked = now
        if self._limit is not None:
            late = max(min(self._steps) - _LATE * grace(self._limit), 0.0)  # steps as long as the last two
            if now - self._start + late >= self._limit:
                raise LimitReached(TIME_IS_UP)
        if now >= self._look:
            self._look = now + _LOOK_SECONDS
            if memory.nearly_full():
                raise LimitReached(MEMORY_IS_FULL)
            if self._watch is not None:
                self._watch()


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


def _ring(_number: int, frame: FrameType | None) -> None:
    if not (threading.get_ident() in _held or _imports(frame)):  # else it rings again
        raise _TimeIsUp


def _imports(frame: FrameType | None) -> bool:
    """Whether the limited work imports something, as Numba does when it first compiles: cut short, it stays broken."""
    while frame is not None and frame.f_code is not limited.__code__:
        if frame.f_code.co_name == "_find_and_load" and frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let what is done here come to its end; a Ctrl-C or a time limit that comes meanwhile strikes after it.

    Files are written so, and libraries imported whose beginning must not be cut short.
    """
    thread = threading.get_ident()
    if thread in _held:  # by a block around this one
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
    """The same for Ctrl-C alone, and SIGTERM where it is the same; a time limit could not wait for the end."""
    hears = threading.current_thread() is threading.main_thread() and threading.get_ident() not in _held
    came: list[tuple[int, FrameType | None]] = []
    before: dict[int, Callable[[int, FrameType | None], Any]] = {}
    for stop in (signal.SIGINT, signal.SIGTERM) if hears else ():
        handler = signal.getsignal(stop)
        if callable(handler) and (stop == signal.SIGINT or handler is interrupt):
            before[stop] = handler
            signal.signal(stop, lambda *signalled: came.append(signalled))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in came:
            before[number](number, frame)


class _Compiling:
    """Counts the seconds that Numba takes to compile kernels, or to load them; blocks within blocks count once."""

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
    """How long Numba has compiled and loaded kernels in this process so far."""
    return _compiling.seconds


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with Numba when first called; cache on disk where some folder can be written."""
    with interrupts_held_back():  # cut short in its beginning, it could not be imported again
        import numba
    try:
        return compiled_whole(numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no writable cache folder
        return compiled_whole(numba.njit(**options)(function))


def compiled_whole(kernel: Any) -> Any:
    """A kernel of Numba whose compilation, when it is first called, holds Ctrl-C back.

    Cut short in a callback of the compiler, it could neither be called again nor say what happened.
    """
    compile_for = getattr(kernel, "_compile_for_args", None)
    if compile_for is None:  # compilation is switched off
        return kernel

    def compile_whole(*values: Any, **named: Any) -> Any:
        with _compiling, interrupts_held_back():  # Numba's lists of what it can compile are read once, to the end
            kernel.typingctx.refresh()
            kernel.targetctx.refresh()
        with _compiling, ctrl_c_held_back():
            return compile_for(*values, **named)

    kernel._compile_for_args = compile_whole
    return kernel


class _Alarm:
    """Raises ``_TimeIsUp`` in any thread that executes Python, where there are no signals for it."""

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
                held = thread in _held or _imports(sys._current_frames().get(thread))
                if time.monotonic() >= self._deadline and not held and not self._cancelled.is_set():
                    self._raise()

    def _raise(self) -> None:
        self._raised = True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(_TimeIsUp))

    def cancel(self) -> None:
        """Ring no more. Called in the thread itself."""
        with self._lock:
            self._cancelled.set()
            if self._raised:
                # It may be on its way still. Taken back, it would leave Python 3.11 looking for it ever after, in a
                # debugger for nothing else; so it arrives here.
                with suppress(_TimeIsUp):
                    self._raise()
                    while True:
                        pass


def _hush() -> None:
    """What strikes in a destructor is lost, and strikes again: Python need not tell of it."""
    tell = sys.unraisablehook
    if getattr(tell, "__name__", "") == _hush.__name__:
        return

    def hushed(lost: Any) -> None:
        if not issubclass(lost.exc_type, _TimeIsUp):
            tell(lost)

    hushed.__name__ = _hush.__name__
    sys.unraisablehook = hushed


def limited(seconds: float | None, work: Callable[[], Result]) -> Result:
    """What ``work`` returns; after so many seconds, if not None, it is stopped at whatever line of Python it is.

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
    _hush()
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

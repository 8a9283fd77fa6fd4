"""Handle Ctrl-C and SIGTERM on the command line.

The first signal stops the work, and the command reports its best result so far. The second signal ends the process.
Each signal raises an exception in the main thread. But the main thread may be in code that does not react to the second
signal. So a separate thread receives every signal and ends the process after the second signal. Only the command line
installs these handlers. Importing tremble does not change the signal handlers of a program.
"""

from __future__ import annotations

import math
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import ClassVar, NoReturn

from tremble.run.whole_file import abandon

__all__ = [
    "AT_ONCE",
    "INTERRUPTED",
    "INTERRUPTED_EXIT",
    "INTERRUPTIONS",
    "LIMIT_EXIT",
    "end_now",
    "end_with_parent",
    "interrupt",
    "listen",
    "stopped_by",
    "unheard",
]

INTERRUPTED_EXIT, LIMIT_EXIT = 130, 5
"""Exit codes of a command that a signal ended, and of a command that its time limit ended."""

# Two signals within this number of seconds count as one: the program `timeout` signals a process, then its whole group.
AT_ONCE = 0.05

_NAMES: dict[int, str] = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
_STOPS = tuple(_NAMES)
_WRITING_SECONDS = 1.5  # time after the second signal for writing the result


def interrupt(number: int, _frame: FrameType | None) -> None:
    """Raise ``KeyboardInterrupt`` for Ctrl-C or SIGTERM; the exception names the signal."""
    now = time.monotonic()
    if now - _Interrupts.last >= AT_ONCE:
        _Interrupts.last = now
        raise KeyboardInterrupt(f"interrupted by {_NAMES[number]}")


class _Interrupts:
    last: ClassVar[float] = -math.inf


_OURS = (interrupt, signal.default_int_handler)
"""Signal handlers of tremble and Python. Any other handler was installed by a user."""


def listen() -> None:
    """Treat SIGTERM like Ctrl-C, and end the process soon after a second signal.

    If a signal is ignored from the start, for example under ``nohup``, it stays ignored.
    """
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:
            signal.signal(number, interrupt)
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # on Windows, for pipes, from Python 3.12 on
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    with suppress(RuntimeError):  # too little memory for a thread: a second signal then acts like the first
        threading.Thread(target=_watch, args=(reader,), name="signals", daemon=True).start()


def _watch(reader: int) -> None:
    """Read the number of each received signal from a pipe; end the process after the second signal."""
    stops, last = 0, -math.inf
    while stops < 2:
        if any(number in _STOPS for number in os.read(reader, 64)):
            stops += time.monotonic() - last >= AT_ONCE
            last = time.monotonic()
    time.sleep(_WRITING_SECONDS)
    end_now(INTERRUPTED_EXIT, "interrupted twice: ended at once")


def end_with_parent() -> None:
    """Wait for the end of the parent process, and then end this process. Call this function in a thread."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def end_now(code: int, message: str) -> NoReturn:
    """Delete temporary files, show ``message``, and end the process immediately with the exit code ``code``."""
    abandon()
    with suppress(OSError, ValueError):
        ready = True
        with suppress(OSError, ValueError):  # on Windows, select accepts sockets only
            ready = bool(select.select([], [2], [], 0)[1])
        if ready:
            cursor = "\x1b[?25h" if os.isatty(2) else ""  # show the cursor, which a progress bar may have hidden
            os.write(2, f"{cursor}{message}\n".encode())
    os._exit(code)


@contextmanager
def unheard() -> Iterator[None]:
    """Ignore Ctrl-C and SIGTERM in a ``with`` block. Use it to show the result after the work has ended."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in _STOPS}
    for number, handler in before.items():
        if handler in _OURS:
            signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler in _OURS:
                signal.signal(number, handler)


INTERRUPTED, _TERMINATED = INTERRUPTIONS = ("stopped by Ctrl-C", "stopped by SIGTERM")


def stopped_by(interrupt: BaseException) -> str:
    """Return a message that names the signal that ended the work: SIGTERM if the exception names it, else Ctrl-C.

    Examples
    --------
    >>> stopped_by(KeyboardInterrupt()), stopped_by(KeyboardInterrupt("interrupted by SIGTERM"))
    ('stopped by Ctrl-C', 'stopped by SIGTERM')
    """
    return _TERMINATED if "SIGTERM" in str(interrupt) else INTERRUPTED

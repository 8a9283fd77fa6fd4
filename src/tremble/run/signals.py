"""How the command hears Ctrl-C and SIGTERM: the first one ends the work with what there is, a second one the process.

The first one is an exception in the main thread. A second one is an exception as well, but what the main thread does
may not hear it: a thread of its own, which the system tells of every signal, then ends the process. Only the command
listens so; whoever imports tremble has the signals to himself.
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

__all__ = ["AT_ONCE", "INTERRUPTED_EXIT", "LIMIT_EXIT", "end_now", "end_with_parent", "interrupt", "listen", "unheard"]

INTERRUPTED_EXIT, LIMIT_EXIT = 130, 5
"""Exit codes of a command that is ended by a signal, or by its time limit."""

AT_ONCE = 0.05  # seconds: two signals are one; `timeout` signals a process, and then its group

_NAMES: dict[int, str] = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
_STOPS = tuple(_NAMES)
_LEFT_SECONDS = 1.5  # after the second one, to finish what is being written


def interrupt(number: int, _frame: FrameType | None) -> None:
    """Handle Ctrl-C, and SIGTERM where it is to be the same; the exception names the one that came."""
    now = time.monotonic()
    if now - _Interrupts.last >= AT_ONCE:
        _Interrupts.last = now
        raise KeyboardInterrupt(f"interrupted by {_NAMES[number]}")


class _Interrupts:
    last: ClassVar[float] = -math.inf


_OURS = (interrupt, signal.default_int_handler)
"""Handlers that are not a user's own."""


def listen() -> None:
    """Take SIGTERM for Ctrl-C, and end the process soon after a second one of either.

    What is ignored from the start, as by ``nohup``, stays ignored.
    """
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:
            signal.signal(number, interrupt)
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # of pipes, Windows has it from Python 3.12 on
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader,), name="signals", daemon=True).start()


def _watch(reader: int) -> None:
    stops, last = 0, -math.inf
    while stops < 2:
        if any(number in _STOPS for number in os.read(reader, 64)):
            stops += time.monotonic() - last >= AT_ONCE
            last = time.monotonic()
    time.sleep(_LEFT_SECONDS)
    end_now(INTERRUPTED_EXIT, "interrupted twice: ended at once")


def end_with_parent() -> None:
    """Wait, in a thread of a child process, for the end of its parent; then end: no orphan is left at work."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def end_now(code: int, message: str) -> NoReturn:
    """End the process, whatever it is doing and whoever waits for it; no half of a file is left."""
    abandon()
    with suppress(OSError, ValueError):
        ready = True
        with suppress(OSError, ValueError):  # Windows asks sockets only
            ready = bool(select.select([], [2], [], 0)[1])
        if ready:
            cursor = "\x1b[?25h" if os.isatty(2) else ""  # a bar may have hidden it
            os.write(2, f"{cursor}{message}\n".encode())
    os._exit(code)


@contextmanager
def unheard() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end nothing here: the work has ended already, and what there is to say is being said."""
    heard = {}
    if threading.current_thread() is threading.main_thread():
        heard = {number: signal.getsignal(number) for number in _STOPS}
    for number, handler in heard.items():
        if handler in _OURS:
            signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in heard.items():
            if handler in _OURS:
                signal.signal(number, handler)

"""Convert an exception to the error message and the exit code of a command."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EINVAL

from tremble.errors import CertificateError, FormatError, GameError, LimitReached, SolverError, SpecError, TrembleError
from tremble.run.signals import INTERRUPTED_EXIT, LIMIT_EXIT

__all__ = ["abandon_output", "complaint", "exit_code", "interrupt_behind"]


_EXIT: tuple[tuple[type[BaseException], int], ...] = (
    (SpecError, 2),  # an unknown built-in game, parameter, concept or method
    (FormatError, 3),  # a file is missing, cannot be read or written, or violates its format
    (GameError, 4),  # tremble or the method does not support the game
    (MemoryError, 4),  # the game is too large
    (LimitReached, LIMIT_EXIT),  # 130 if the command was interrupted
    (KeyboardInterrupt, INTERRUPTED_EXIT),
    (SolverError, 1),  # the result is not proven
    (CertificateError, 1),  # a file has the right format, but its contents are wrong
    (TrembleError, 3),  # a solution cannot be written
    (OSError, 3),
    (Exception, 1),  # tremble has a bug
)
"""Pairs of a class of exceptions and its exit code. The first matching pair counts."""


_READER_GONE = 128 + 13  # exit code if the program that reads the output has ended (as after the signal SIGPIPE)


def exit_code(error: BaseException) -> int:
    """Return the exit code for an exception."""
    if isinstance(error, LimitReached) and error.interrupted:
        return INTERRUPTED_EXIT
    return next(code for kind, code in _EXIT if isinstance(error, kind))


def complaint(error: BaseException, debug: bool) -> str:
    """Return an error message of one or two lines for the user. With ``debug``, put the traceback before it."""
    if isinstance(error, LimitReached | KeyboardInterrupt):
        text = str(error) or "interrupted"
    elif isinstance(error, MemoryError):
        text = "error: not enough memory for this game"
    elif isinstance(error, TrembleError):
        text = f"error: {error}"
    elif isinstance(error, OSError):
        text = f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}"
    else:
        what = " ".join(str(error).split())[:200]
        text = f"error: an unexpected {type(error).__name__}{f': {what}' if what else ''}; --debug shows the traceback"
    if not debug:
        return text
    import traceback

    return "".join(traceback.format_exception(error)) + text


def abandon_output(error: BaseException) -> int | None:
    """Flush standard output after an error. If flushing fails, discard the remaining output.

    Return an exit code if the program that reads the output has closed the pipe, and None otherwise.
    """
    gone = isinstance(error, BrokenPipeError)
    try:
        if sys.stdout is not None and not gone:
            sys.stdout.flush()
    except (OSError, ValueError) as failure:  # on Windows, the error for a closed pipe is "invalid argument"
        gone = gone or isinstance(failure, BrokenPipeError) or getattr(failure, "errno", None) == EINVAL
    else:
        if not gone:
            return None
    with suppress(OSError, ValueError):  # Python must not try again at exit to write the rest of the buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _READER_GONE if gone else None


def interrupt_behind(error: BaseException) -> BaseException:
    """Return the interrupt (Ctrl-C) that a library has wrapped in ``error``. Without an interrupt, return ``error``."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return error if cause is None or isinstance(error, TrembleError) else cause

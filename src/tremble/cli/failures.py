"""What a failed command says and returns: a line or two for each exception, and its exit code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EINVAL

from tremble.errors import CertificateError, FormatError, GameError, LimitReached, SolverError, SpecError, TrembleError
from tremble.run.signals import INTERRUPTED_EXIT, LIMIT_EXIT

__all__ = ["abandon_output", "complaint", "exit_code", "interrupt_behind"]


_EXIT: tuple[tuple[type[BaseException], int], ...] = (
    (SpecError, 2),  # unknown built-in, parameter, concept or method
    (FormatError, 3),  # missing, unreadable, unwritable or not of its format
    (GameError, 4),  # outside the class
    (MemoryError, 4),  # size
    (LimitReached, LIMIT_EXIT),  # 130 when interrupted
    (KeyboardInterrupt, INTERRUPTED_EXIT),
    (SolverError, 1),  # not proven
    (CertificateError, 1),  # well-formed but wrong
    (TrembleError, 3),  # a solution that cannot be written
    (OSError, 3),
    (Exception, 1),  # a bug of tremble
)
"""The first row that fits an exception gives the exit code."""


_READER_GONE = 128 + 13  # as if ended by SIGPIPE, quietly


def exit_code(error: BaseException) -> int:
    """Look up the exit code of an exception."""
    if isinstance(error, LimitReached) and error.interrupted:
        return INTERRUPTED_EXIT
    return next(code for kind, code in _EXIT if isinstance(error, kind))


def complaint(error: BaseException, debug: bool) -> str:
    """Return what went wrong, in a line or two; with a traceback only if ``debug`` is true."""
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
        text = f"error: an unexpected {type(error).__name__}{f': {what}' if what else ''}; --debug shows where"
    if not debug:
        return text
    import traceback

    return "".join(traceback.format_exception(error)) + text


def abandon_output(error: BaseException) -> int | None:
    """Flush standard output, or replace it if that fails; return an exit code if its reader has gone away."""
    gone = isinstance(error, BrokenPipeError)
    try:
        if sys.stdout is not None and not gone:
            sys.stdout.flush()
    except (OSError, ValueError) as failure:  # Windows says "invalid argument" where the reader has gone
        gone = gone or isinstance(failure, BrokenPipeError) or getattr(failure, "errno", None) == EINVAL
    else:
        if not gone:
            return None
    with suppress(OSError, ValueError):  # the rest of the buffer must not be written again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _READER_GONE if gone else None


def interrupt_behind(error: BaseException) -> BaseException:
    """Return the interrupt that caused an error, else the error: Python and libraries wrap interrupts in errors."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return error if cause is None or isinstance(error, TrembleError) else cause

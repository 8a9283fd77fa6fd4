"""The console: print results, turn every exception into a line and an exit code, and warnings into plain words.

Standard output carries the result of a command and nothing else; all other messages go to standard error. Control
characters from files are escaped, so they cannot tamper with the terminal.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL
from json import dumps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import add_completion_class

from tremble.errors import (
    CertificateError,
    FormatError,
    GameError,
    LimitReached,
    SolverError,
    SpecError,
    TrembleError,
    TrembleWarning,
)
from tremble.run.signals import INTERRUPTED_EXIT, LIMIT_EXIT, unheard
from tremble.words import command_line, printable_json, printable_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["DEBUG", "NOT_PROVEN", "Console", "began", "exit_code", "present", "say", "show"]

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

NOT_PROVEN = 1  # exit code: the requested concept is not proven, or a verification failed
DEBUG = "tremble.debug"  # set in the root context's ``meta`` if tracebacks are requested
_READER_GONE = 128 + 13  # as if ended by SIGPIPE, quietly
_MAX_WARNINGS = 20


def exit_code(error: BaseException) -> int:
    """Look up the exit code of an exception."""
    if isinstance(error, LimitReached) and error.interrupted:
        return INTERRUPTED_EXIT
    return next(code for kind, code in _EXIT if isinstance(error, kind))


def began() -> float:
    """Return the time when the command began, in seconds of ``time.perf_counter``."""
    root = click.get_current_context().find_root()
    return root.obj if isinstance(root.obj, float) else time.perf_counter()


def say(text: str) -> None:
    """Write to standard error, with control characters escaped."""
    click.echo(printable_lines(text), err=True)


def _complain(error: BaseException, debug: bool) -> None:
    """Say what went wrong in a line or two; a traceback only with ``--debug``."""
    if debug:
        import traceback

        say("".join(traceback.format_exception(error)).rstrip("\n"))
    if isinstance(error, LimitReached | KeyboardInterrupt):
        say(str(error) or "interrupted")
    elif isinstance(error, MemoryError):
        say("error: not enough memory for this game")
    elif isinstance(error, TrembleError):
        say(f"error: {error}")
    elif isinstance(error, OSError):
        say(f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
    else:
        what = " ".join(str(error).split())[:200]
        say(f"error: an unexpected {type(error).__name__}{f': {what}' if what else ''}; --debug shows where")


def _abandon_output(error: BaseException) -> int | None:
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


@contextmanager
def _warnings_in_plain_words(ctx: click.Context) -> Iterator[None]:
    """Print warnings as ``warning: ...``, each once, at most twenty; those of other libraries only to debug."""
    seen: set[str] = set()

    def show_warning(message: Warning | str, category: type[Warning], *_where: object) -> None:
        text = str(message)
        if text in seen or not (_debugging(ctx) or issubclass(category, TrembleWarning)):
            return
        seen.add(text)
        if len(seen) <= _MAX_WARNINGS:
            say(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show_warning  # type: ignore[assignment]
        try:
            yield
        finally:
            if len(seen) > _MAX_WARNINGS:
                say(f"warning: and {len(seen) - _MAX_WARNINGS:,} more warnings")


class Console(click.Group):
    """A group of commands, with one place where every exception becomes a line and an exit code."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments of the group; errors in them are reported in printable text."""
        try:
            return super().make_context(*args, **kwargs)
        except click.ClickException as error:
            error.message = printable_lines(error.message)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:
            say("interrupted")
            raise SystemExit(INTERRUPTED_EXIT) from None

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, in UTF-8 whatever the locale."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and hasattr(stream, "reconfigure"):
                with suppress(OSError, ValueError):
                    stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        if any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ):  # a shell asks
            from tremble.cli.completion import Bash

            add_completion_class(Bash)
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command, which returns its exit code; nothing but click's exceptions leaves here."""
        with command_line():
            ctx.exit(self._invoke(ctx) or 0)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            with _warnings_in_plain_words(ctx):
                code = super().invoke(ctx)
                if sys.stdout is not None:
                    sys.stdout.flush()
        except click.ClickException as error:
            error.message = printable_lines(error.message)  # type: ignore[misc]
            raise
        except (click.exceptions.Exit, click.Abort, SystemExit):
            raise
        except BaseException as error:
            with unheard():
                error = _interrupt_behind(error)
                code = _abandon_output(error)
                if code is None:
                    _complain(error, _debugging(ctx))
                    code = exit_code(error)
        return code


def _interrupt_behind(error: BaseException) -> BaseException:
    """Return the interrupt that caused an error, else the error: Python and libraries wrap interrupts in errors."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return error if cause is None or isinstance(error, TrembleError) else cause


def _debugging(ctx: click.Context) -> bool:
    return bool(ctx.find_root().meta.get(DEBUG))


def present(form: str, **makers: Callable[[], Any]) -> None:
    """Write a result to standard output in the form of ``--format``; the other forms are not made.

    ``json`` makes a record or JSON text; ``table`` makes a view or text; ``csv`` and ``gambit`` make text. Every text
    ends with a newline.
    """
    result = makers[form]()
    if form == "json" and not isinstance(result, str):
        result = dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if isinstance(result, str):  # escape control characters even if the output is no terminal
        _write(printable_json(result) if form == "json" else printable_lines(result))
    else:
        show(result)


def _write(text: str) -> None:
    """Write to standard output; errors name it."""
    try:
        click.echo(text, nl=False, color=True)  # otherwise click would cut labels that look like colours
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def show(view: RenderableType, *, err: bool = False) -> None:
    """Print a view to standard output or error; without a terminal, tables are as wide as needed."""
    from tremble.text.view import text_of, to_terminal  # these load NumPy, which `--help` does not need

    if (sys.stderr if err else sys.stdout).isatty():
        to_terminal(view, err=err)
    elif err:
        click.echo(text_of(view), nl=False, err=True)
    else:
        _write(text_of(view))

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
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, add_completion_class

import tremble
from tremble.arguments import did_you_mean
from tremble.capabilities import missing_for, registered
from tremble.cli.failures import abandon_output, complaint, exit_code, interrupt_behind
from tremble.errors import (
    TrembleWarning,
)
from tremble.lazy import at
from tremble.run.signals import INTERRUPTED_EXIT, unheard
from tremble.words import command_line, printable_json, printable_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["COMMANDS", "DEBUG", "NOT_PROVEN", "Commands", "Console", "began", "main", "present", "say", "show"]


NOT_PROVEN = 1  # exit code: the requested concept is not proven, or a verification failed
DEBUG = "tremble.debug"  # set in the root context's ``meta`` if tracebacks are requested
_MAX_WARNINGS = 20


def began() -> float:
    """Return the time when the command began, in seconds of ``time.perf_counter``."""
    root = click.get_current_context().find_root()
    return root.obj if isinstance(root.obj, float) else time.perf_counter()


def say(text: str) -> None:
    """Write to standard error, with control characters escaped."""
    click.echo(printable_lines(text), err=True)


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
                error = interrupt_behind(error)
                code = abandon_output(error)
                if code is None:
                    say(complaint(error, _debugging(ctx)))
                    code = exit_code(error)
        return code


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


# -- the table of commands ------------------------------------------------------------------------------

_OF_THE_CORE = {
    "audit": "Where a profile blunders, and how much it loses.",
    "certify": "Prove that a profile from anywhere is an equilibrium, or say why not.",
    "compare": "Where two solutions differ, and what each earns against errors.",
    "convert": "Write a game as .efg, .nfg, .json or .tex.",
    "explain": "Why a player plays so: belief, what every action is worth, what comes after.",
    "games": "List the built-in games.",
    "info": "Show sizes and class of a game.",
    "respond": "Best responses and exploitability of any strategies.",
    "shrink": "Merge what the players need not distinguish, and show what is left.",
    "solve": "Compute an exact equilibrium and prove it.",
    "verify": "Prove a solution again, from the game alone.",
}
"""Name of a command, of its file in this folder and of the function there -> what it does, in one line."""

_ELSEWHERE = {name: row for capability in registered() for name, row in capability.commands.items()}
"""Name of a command of a capability -> its place and what it does."""

COMMANDS = dict(sorted({**_OF_THE_CORE, **{name: about for name, (_, about) in _ELSEWHERE.items()}}.items()))
"""Name of a command -> what it does, in one line."""


class Commands(Console):
    """The commands, each in the file of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown word, suggest what may be meant."""
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            from tremble.formats.formats import FORMATS
            from tremble.games.parameters import is_built_in

            if (missing := missing_for(word)) is not None:
                ctx.fail(f"{word} needs tremble.{missing}, which is not installed")
            if is_built_in(word) or Path(word).suffix.lower() in FORMATS:
                advice = f"it is a game: tremble solve {word}"
            else:
                advice = did_you_mean(word, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command {word!r:.80}; {advice}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Complete the name of a command, or click's options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the file of a command."""
        if cmd_name not in COMMANDS:
            return None
        place, _ = _ELSEWHERE.get(cmd_name, (f"tremble.cli.{cmd_name}:{cmd_name}", None))
        command = at(place)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line about each command, without loading it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 proven, 1 not proven or wrong, 2 bad usage, 3 bad file, 4 game outside the class, "
    "5 limit reached, 130 interrupted.",
)
@click.version_option(tremble.__version__, prog_name="tremble", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Exact, certified equilibria of two-player games with hidden information.

    GAME is a built-in game (kuhn, leduc:ranks=5), a file (.efg, .nfg, .json), a game of OpenSpiel
    (openspiel:kuhn_poker), or - for an .efg on standard input.

    \b
    tremble games                        what is built in
    tremble solve kuhn                   an exact equilibrium, proven
    tremble solve my.efg -o my.json      the same, into a file
    tremble verify my.efg my.json        prove it again, from the game alone
    tremble draw kuhn my.json -o k.svg   a picture
    """  # noqa: D301 (click reads the backspace)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())

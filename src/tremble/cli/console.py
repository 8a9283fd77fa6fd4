"""Run the command line: find the command, print results and messages, and handle every exception.

Every exception becomes an error message and an exit code. Standard output contains only the result of a command. All
messages go to standard error. Control characters from files are escaped, so they cannot manipulate the terminal.
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
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, add_completion_class

import tremble
from tremble.arguments import did_you_mean
from tremble.capabilities import missing_for, registered
from tremble.cli.failures import abandon_output, complaint, exit_code, interrupt_behind
from tremble.errors import TrembleWarning
from tremble.run.signals import INTERRUPTED_EXIT, unheard
from tremble.words import command_line, printable_json, printable_lines, text_of

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["COMMANDS", "DEBUG", "NOT_PROVEN", "Commands", "Console", "began", "main", "present", "say", "show"]


NOT_PROVEN = 1  # the exit code if the requested concept is not proven or a verification fails
DEBUG = "tremble.debug"  # key in ``meta`` of click's root context; it is present if the user gives --debug
_MAX_WARNINGS = 20


def began() -> float:
    """Return the value of ``time.perf_counter`` at the start of the command."""
    root = click.get_current_context().find_root()
    return root.obj if isinstance(root.obj, float) else time.perf_counter()


def say(text: str) -> None:
    """Write a message to standard error, with control characters escaped. A lost message changes no exit code."""
    with suppress(OSError):
        click.echo(printable_lines(text), err=True)


@contextmanager
def _warnings_in_plain_words(ctx: click.Context) -> Iterator[None]:
    """Within the block, print each warning once, as ``warning: ...``, and at most 20 warnings.

    Warnings of other libraries are printed only with ``--debug``.
    """
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
                say(f"warning: {len(seen) - _MAX_WARNINGS:,} more warnings are not shown")


class Console(click.Group):
    """A group of click commands that converts every exception to an error message and an exit code."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments of the group. Escape control characters in messages about wrong arguments."""
        try:
            return super().make_context(*args, **kwargs)
        except click.ClickException as error:
            error.message = printable_lines(error.message)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:
            say("interrupted")
            raise SystemExit(INTERRUPTED_EXIT) from None
        except OSError as error:  # `--help` or `--version` cannot be written; click handles a closed pipe
            if isinstance(error, BrokenPipeError):
                raise
            abandon_output(error)
            say(complaint(error, False))
            raise SystemExit(exit_code(error)) from None

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, with UTF-8 as the encoding of the output in every locale."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and hasattr(stream, "reconfigure"):
                with suppress(OSError, ValueError):
                    stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        if any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ):  # shell completion
            from tremble.cli.completion import Bash

            add_completion_class(Bash)
        with suppress(OSError):  # if the message about wrong usage cannot be written, the exit code still tells it
            return super().main(*args, **kwargs)
        raise SystemExit(2)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command, and end with its exit code. This method raises only exceptions of click."""
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
    """Print a result on standard output in the format ``form``, the value of ``--format``.

    ``makers`` contains a function for each format, and only the function for ``form`` is called. ``json`` returns data
    or JSON text, ``table`` returns a view or text, and ``csv`` and ``gambit`` return text. Every text ends with a
    newline.
    """
    result = makers[form]()
    if form == "json" and not isinstance(result, str):
        result = dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if isinstance(result, str):  # control characters are escaped even if the output is not a terminal
        _write(printable_json(result) if form == "json" else printable_lines(result))
    else:
        show(result)


def _write(text: str) -> None:
    """Write a text to standard output. If this fails, raise an error that names ``standard output``."""
    try:
        click.echo(text, nl=False, color=True)  # with color=False, click would remove texts that look like color codes
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def show(view: RenderableType, *, err: bool = False) -> None:
    """Print a view to standard output, or to standard error if ``err`` is true.

    If the stream is not a terminal, tables are as wide as needed.
    """
    if (sys.stderr if err else sys.stdout).isatty():
        from tremble.text.view import to_terminal  # imported late: it loads NumPy, which `--help` does not need

        to_terminal(view, err=err)
    elif err:
        click.echo(text_of(view), nl=False, err=True)
    else:
        _write(text_of(view))


# -- the table of commands ------------------------------------------------------------------------------

_OF_THE_CORE = {
    "audit": "Find the blunders of a profile, and show how much each loses.",
    "certify": "Prove that a given profile is an equilibrium, or explain why it is not.",
    "compare": "Show where two solutions differ, and the payoff of each against an opponent who errs.",
    "convert": "Write a game as .efg, .nfg, .json, .tex or .game.txt.",
    "explain": "Explain a player's choice: its belief, the value of every action, and the next moves.",
    "games": "List the built-in games.",
    "info": "Show the sizes, the payoffs and the recall of a game.",
    "respond": "Compute the best responses to a profile, and its exploitability.",
    "shrink": "Merge hands, information sets or actions that are alike, and show the sizes.",
    "solve": "Compute an exact equilibrium and prove it.",
    "verify": "Prove a solution again, from the game alone.",
}
"""Name of a command -> its help line. The module and the function that define it have the same name."""

_ELSEWHERE = {name: row for capability in registered() for name, row in capability.commands.items()}
"""Commands that other parts of tremble define: name -> (module and function, help line)."""

COMMANDS = dict(sorted({**_OF_THE_CORE, **{name: about for name, (_, about) in _ELSEWHERE.items()}}.items()))
"""Help lines of all commands, in alphabetical order of their names."""


class Commands(Console):
    """The group of all commands. The file of a command is loaded only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names. If there is no such command, suggest a similar one."""
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            from tremble.formats.formats import FORMATS
            from tremble.games.parameters import is_built_in

            if (missing := missing_for(word)) is not None:
                ctx.fail(f"{word} needs tremble.{missing}, which is not installed")
            if is_built_in(word) or Path(word).suffix.lower() in FORMATS:
                advice = f"to solve this game, use: tremble solve {word}"
            else:
                advice = did_you_mean(word, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command {word!r:.80}; {advice}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return completions of a typed text: names of commands, and options of the group."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the file of a command and return the command, or None if the name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        place, _ = _ELSEWHERE.get(cmd_name, (f"tremble.cli.{cmd_name}:{cmd_name}", None))
        command = resolve_name(place)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help line of each command, without loading its file."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 proven, 1 not proven, 2 wrong usage, 3 wrong file, 4 unsupported game, "
    "5 limit reached, 130 interrupted.",
)
@click.version_option(tremble.__version__, prog_name="tremble", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Compute exact, certified equilibria of two-player games with hidden information.

    GAME is a built-in game (kuhn, leduc:ranks=5), a file (.efg, .nfg, .json), a game of OpenSpiel
    (openspiel:kuhn_poker), or - for an .efg file on standard input.

    \b
    tremble games                        list the built-in games
    tremble solve kuhn                   compute an exact equilibrium and prove it
    tremble solve my.efg -o my.json      write the solution to a file
    tremble verify my.efg my.json        prove the solution again, from the game alone
    tremble draw my.efg my.json -o a.svg draw the solution
    """  # noqa: D301 (click reads the backspace)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())

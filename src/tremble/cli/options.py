"""Declare the commands of the command line, and the options that commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tremble.cli.command import exact_number, on_debug, with_call
from tremble.cli.completion import completed_files, game_words

__all__ = ["LOG", "TREMBLES", "command", "output", "time_limit"]


_Function = TypeVar("_Function", bound=Callable[..., Any])


def command(
    *formats: str, game: bool = True, games: bool = False, writes: bool = False, about: str | None = None
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Return a decorator that makes a command from a function.

    The function takes a :class:`tremble.cli.command.Call`, and the parameters that decorators of click declare.

    Parameters
    ----------
    formats : str
        The values of ``--format`` that the command supports.
    game : bool
        True if the command has the argument GAME, and the options for reading a game.
    games : bool
        True if the command accepts multiple games. The function receives them as the argument ``games``.
    writes : bool
        True if the command can write a file, so that it needs the option ``--force``.
    about : str, optional
        The help text of the command. The default is the docstring of the function.
    """
    shared: list[click.Parameter] = [
        click.Option(["--format", "form"], type=click.Choice(formats), default="table", show_default=True,
                     help="The format of standard output."),
        click.Option(["--quiet", "-q"], is_flag=True, help="Hide progress and timings."),
        click.Option(["--debug"], is_flag=True, expose_value=False, is_eager=True, callback=on_debug,
                     help="Show tracebacks, and the warnings of other libraries."),
    ]  # fmt: skip
    if game:
        shared[:0] = [
            click.Option(["--max-nodes"], type=click.IntRange(min=1), metavar="N",
                         help="Refuse trees with more than N nodes (default: 20 million)."),
            click.Option(["--repair"], is_flag=True,
                         help="If probabilities in a file do not sum to exactly 1, change each by at most one unit of "
                         "its last digit. Lines NE,p,p,... are repaired without this option, too."),
            click.Option(["--repair-tolerance"], callback=exact_number, metavar="T",
                         help="Repair as with --repair, but allow changes of up to T if T exceeds that unit "
                         "(default: 1e-9)."),
        ]  # fmt: skip
    if game:
        about_lock = "For Hold'em: hands act with the frequencies in FILE; short for the parameter lock=FILE of GAME."
        shared.insert(0, click.Option(["--lock"], metavar="FILE", help=about_lock))
    if writes:
        shared.insert(0, click.Option(["--force"], is_flag=True, help="Overwrite an existing file of another kind."))

    def declare(function: Callable[..., int | None]) -> click.Command:
        own = click.command(help=about or inspect.cleandoc(function.__doc__ or ""))(with_call(function))
        own.params = completed_files(own.params + shared)
        if game:
            several: dict[str, Any] = {"nargs": -1, "required": True, "metavar": "GAME..."} if games else {}
            own.params.insert(0, click.Argument(["games" if games else "game"], shell_complete=game_words, **several))
        return own

    return declare


def output(about: str, *, required: bool = False, metavar: str = "FILE") -> Callable[[_Function], _Function]:
    """Return a decorator that adds the option ``-o`` to a command, with the help text ``about``."""
    return click.option("--output", "-o", metavar=metavar, required=required, help=about)


def time_limit(about: str) -> Callable[[_Function], _Function]:
    """Return a decorator that adds the option ``--time-limit`` to a command, with the help text ``about``."""
    return click.option("--time-limit", type=float, metavar="SECONDS", help=about)


LOG = click.option("--log", metavar="FILE", help="Write the progress to FILE as JSON lines.")
TREMBLES = click.option(
    "--trembles",
    metavar="FILE",
    help="For refinements: a file with weights and orders (powers of epsilon) of mistakes, or with the player "
    "who makes none. By default, all weights and orders are equal.",
)

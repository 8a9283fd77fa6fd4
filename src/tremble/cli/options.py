"""Options that several commands share, defined once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar, cast

import click

from tremble.cli.console import DEBUG
from tremble.cli.inputs import GameArgument
from tremble.io.chance_repair import repair_limit
from tremble.io.gambit_text import parse_number

__all__ = ["common", "exact_number", "reads_a_game", "writes_a_file"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def common(*formats: str) -> Callable[[_Command], _Command]:
    """Give a command the options that all have; ``formats`` are the forms of its standard output."""
    choice = click.Choice(formats)
    output = "What goes to standard output."
    form = click.option("--format", "form", type=choice, default="table", show_default=True, help=output)
    quiet = click.option("--quiet", "-q", is_flag=True, help="No progress and no timings.")
    traces = "Show tracebacks and every warning."
    debug = click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=_on_debug, help=traces)
    return lambda command: form(quiet(debug(command)))


def _on_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta[DEBUG] = True


def reads_a_game(command: _Command) -> _Command:
    """Give a command with the argument GAME the options of how it is read; its ``game`` is a :class:`GameArgument`."""

    @click.option(
        "--max-nodes", type=click.IntRange(min=1), metavar="N", help="Refuse larger trees (default 20 million nodes)."
    )
    @click.option(
        "--repair",
        is_flag=True,
        help="Mend probabilities in files that do not sum to exactly 1, each within its last digit.",
    )
    @click.option(
        "--repair-tolerance",
        callback=exact_number,
        metavar="T",
        help="The same, moving each by T at most, if that is more (default 1e-9).",
    )
    @wraps(command)
    def run(
        *args: Any, game: str, max_nodes: int | None, repair: bool, repair_tolerance: Fraction | None, **kwargs: Any
    ) -> Any:
        return command(*args, game=GameArgument(game, max_nodes, repair_limit(repair, repair_tolerance)), **kwargs)

    return cast(_Command, run)


def writes_a_file(command: _Command) -> _Command:
    """Give a command the option of all that write a FILE."""
    return click.option("--force", is_flag=True, help="Overwrite an existing file of another kind.")(command)


def exact_number(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Fraction | None:
    """Read a non-negative number such as 1e-3, 0.001 or 1/1000, exactly; the callback of an option."""
    if value is None:
        return None
    try:
        number = Fraction(parse_number(value))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if number < 0:
        raise click.BadParameter("it must not be negative")
    return number

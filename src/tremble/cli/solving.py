"""Command-line options that all commands for solving games share: concept, method, epsilon and seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tremble.arguments import with_others
from tremble.cli.command import exact_number
from tremble.cli.completion import words
from tremble.solvers.table import METHODS, concept_choices, solvable

__all__ = ["CONCEPT", "EPSILON", "SEED", "method_option"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

CONCEPT = click.option(
    "--concept",
    shell_complete=words(solvable()),
    default="nash",
    show_default=True,
    help=f"The solution concept: {with_others(concept_choices())}.",
)
EPSILON = click.option("--epsilon", callback=exact_number, metavar="E", help="For maxmin: see tremble solve.")
SEED = click.option(
    "--seed", type=int, metavar="N", help="Seed of random choices. Another seed may find another equilibrium [0]."
)


def method_option(about: str = "The algorithm: see tremble solve.") -> Callable[[_Function], _Function]:
    """Return a decorator that adds the option ``--method`` to a command."""
    return click.option(
        "--method", shell_complete=words(("auto", *METHODS)), default="auto", show_default=True, help=about
    )

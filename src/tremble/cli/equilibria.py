"""Find and show lists of equilibria for ``tremble solve`` with ``--all``, ``--pure``, ``--unique`` or ``--several``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from tremble.cli.command import Call
from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.solution.claims import GameReference
from tremble.solution.equilibria import Equilibria
from tremble.solution.solution import Solution
from tremble.solvers.general_sum_method import Lemke
from tremble.text import lists, records

__all__ = ["find", "present", "require_fitting", "several"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_ALL = (
    "List all extreme Nash equilibria of a small game, and their mixtures that are equilibria. With --concept, check "
    "each extreme equilibrium for this concept, which may also be subgame-perfect."
)
_UNIQUE = "For a constant sum: decide if the equilibrium is unique, and show two equilibria if it is not."

_PURE = (
    "List all pure Nash equilibria of a game of any size that fits in memory. With --concept, list all pure profiles "
    "of this concept, as complete strategies."
)

_MOST = "With --pure: end the search after N equilibria."

_SEVERAL = "List the equilibria that the solver finds from N priors: one uniform prior, then random ones (--seed)."

_UNIQUELY = ("nash",)
"""The concepts that ``--unique`` supports."""

_FITTING = {
    *("every", "unique", "pure", "most", "output", "time_limit", "log", "force", "form", "quiet", "concept"),
    *("game", "max_nodes", "repair", "repair_tolerance", "debug"),
}
"""Names of the parameters that can be combined with the options for lists."""

_FITTING_JUDGED = _FITTING | {"trembles"}
_FITTING_SEVERAL = _FITTING_JUDGED | {"priors", "seed", "method", "symmetric"}


def several(command: _Command) -> _Command:
    """Add the options ``--all`` (as ``every``), ``--several`` (as ``priors``), ``--pure``, ``--most``, ``--unique``."""
    command = click.option("--several", "priors", type=int, metavar="N", help=_SEVERAL)(command)
    command = click.option("--unique", is_flag=True, help=_UNIQUE)(command)
    command = click.option("--most", type=int, metavar="N", help=_MOST)(command)
    command = click.option("--pure", is_flag=True, help=_PURE)(command)
    return click.option("--all", "every", is_flag=True, help=_ALL)(command)


def find(
    call: Call, tree: GameTree, concept: str, every: bool, priors: int | None, options: Mapping[str, Any]
) -> Equilibria:
    """Find the list of equilibria that the options of the command request.

    With ``priors``, the list contains the equilibria found from this number of priors (starting points). With ``every``
    or ``pure``, the list contains all extreme or all pure equilibria. Otherwise, the list contains the only equilibrium
    if the equilibrium is unique, and two equilibria if not.
    """
    from tremble.judge.lists import all_equilibria  # not needed to solve for one equilibrium
    from tremble.solvers.lists import solve_several, uniqueness

    limit, step = call.deadline.left, call.progress.step
    if priors is not None:
        return solve_several(
            tree, priors, concept, seed=options["seed"] or 0, symmetric=bool(options["symmetric"]),
            trembles=call.weights(tree), time_limit=limit, progress=step,
        )  # fmt: skip
    if every or options["pure"]:
        return all_equilibria(
            tree, concept, pure=options["pure"], most=options["most"], trembles=call.weights(tree), time_limit=limit,
            progress=step,
        )  # fmt: skip
    unique = uniqueness(tree, time_limit=limit, progress=step)
    solutions = (unique.first,) if unique.second is None else (unique.first, unique.second)
    return Equilibria(
        game=GameReference.of(tree), solutions=solutions, unique=unique.unique, unique_plans=unique.players
    )


def present(call: Call, played: GameTree | UnbuiltGame, equilibria: Equilibria) -> None:
    """Print a list of equilibria in the format of ``--format``."""
    profiles = [solution.strategies for solution in equilibria if isinstance(solution, Solution)]
    call.present(
        json=equilibria.to_text,
        csv=lambda: records.table_csv(equilibria),
        gambit=lambda: "".join(map(records.gambit_text, profiles)),
        table=lambda: lists.equilibria_view(played, equilibria),
    )


def require_fitting(
    every: bool, unique: bool, priors: int | None, pure: bool, most: int | None, concept: str, method: str
) -> None:
    """Raise ``SpecError`` if options exclude each other or cannot be used for a list of equilibria.

    ``--all --pure`` means ``--pure``.
    """
    from tremble.judge.certify import judged

    asked = {"--pure": pure, "--all": every and not pure, "--unique": unique, "--several": priors is not None}
    if most is not None and not pure:
        raise SpecError("--most can only be used with --pure")
    option, *others = (name for name, given in asked.items() if given)
    if others:
        raise SpecError(f"{option} and {others[0]} exclude each other")
    context = click.get_current_context()
    fitting = _FITTING if unique else _FITTING_JUDGED if priors is None else _FITTING_SEVERAL
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name not in fitting:
            raise SpecError(f"{parameter.opts[0]} is for finding a single equilibrium: it cannot be used with {option}")
    if unique and concept not in _UNIQUELY:
        raise SpecError(f"{option} supports only the concept nash, not {concept!r:.80}; --all supports more concepts")
    if (every or pure) and concept not in judged():
        raise SpecError(f"{option} does not support this concept. The supported concepts are {', '.join(judged())}")
    if method not in ("auto", Lemke.name):
        raise SpecError(f"{option} supports only the method {Lemke.name}, not {method!r:.80}")

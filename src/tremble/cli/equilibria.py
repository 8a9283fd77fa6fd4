"""Several equilibria at once: ``solve --all``, ``--unique`` and ``--several``, and how they are handed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from tremble.cli.console import began, present, say
from tremble.cli.deadline import LOADING, SOLVING, Deadline
from tremble.cli.inputs import GameArgument
from tremble.cli.outputs import Output, require_outputs, written
from tremble.cli.progress import Progress
from tremble.errors import LimitReached, SpecError
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import GameReference
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.general_sum.method import Lemke
from tremble.solvers.several import all_equilibria, solve_several, uniqueness

__all__ = ["hand_out", "several", "solve_for_several"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_ALL = "All extreme Nash equilibria of a small game, and which of them may be mixed."
_UNIQUE = "Whether the equilibrium of a game with a constant sum is unique; else two."

_SEVERAL = "The different equilibria that N priors lead to: a uniform one, then random ones (--seed)."

_OF_ALL = ("nash",)
"""The concepts of which all equilibria are found, and whether there is only one."""

_FITTING = {
    *("every", "unique", "output", "time_limit", "log", "force", "form", "quiet", "concept"),
    *("game", "max_nodes", "repair", "repair_tolerance", "debug"),
}
"""Options that go with all three."""

_FITTING_SEVERAL = _FITTING | {"priors", "seed", "trembles", "method"}


def several(command: _Command) -> _Command:
    """Give a command the options ``--all`` (``every``), ``--unique`` and ``--several`` (``priors``)."""
    command = click.option("--several", "priors", type=int, metavar="N", help=_SEVERAL)(command)
    command = click.option("--unique", is_flag=True, help=_UNIQUE)(command)
    return click.option("--all", "every", is_flag=True, help=_ALL)(command)


def solve_for_several(
    game: GameArgument,
    every: bool,
    unique: bool,
    priors: int | None,
    seed: int | None,
    trembles: str | None,
    output: str | None,
    time_limit: float | None,
    log: str | None,
    force: bool,
    form: str,
    quiet: bool,
) -> int:
    """Find all equilibria, whether there is only one, or those that some priors lead to; write and show them."""
    concept = _require_fitting(every, unique, priors)
    deadline = Deadline(time_limit)
    outputs = Output("-o", output, "solution"), Output("--log", log, "log", needed=False)
    require_outputs({"GAME": game.file, "--trembles": trembles}, *outputs, force=force)
    stop: LimitReached | None = None
    with Progress(quiet=quiet, log=log, began=began()) as progress, deadline:
        tree = deadline.allow(LOADING, lambda: game.tree(progress), "while the game was loaded")
        loaded = progress.elapsed
        weights = None if trembles is None else Trembles.read(trembles, tree)

        def find() -> Equilibria:
            if priors is None:
                return (_all if every else _unique)(tree, deadline.left, progress)
            return solve_several(
                tree, priors, concept, seed=seed or 0, trembles=weights, time_limit=deadline.left,
                progress=progress.step,
            )  # fmt: skip

        try:
            found = deadline.allow(SOLVING, find)
        except LimitReached as stopped:
            if not isinstance(stopped.best, Equilibria):
                raise
            found, stop = stopped.best, stopped
        solved = progress.elapsed - loaded
        progress.log("end", status="certified", equilibria=len(found))
        hand_out(tree, found, output, form)
    if not quiet:
        say(f"loaded in {loaded:.2f} s, {'solved and verified in' if stop is None else 'stopped after'} {solved:.2f} s")
    if stop is not None:
        raise stop
    return 0


def hand_out(played: GameTree | UnbuiltGame, found: Equilibria, output: str | None, form: str) -> None:
    """Write several equilibria where ``-o`` says, and show them; a failure to write is raised at the end."""
    failure, refuge = (None, None) if output is None else written(found, output)
    if failure is not None and refuge is None:
        form = "json"  # all of it, which stands nowhere else
    profiles = [solution.strategies for solution in found if isinstance(solution, Solution)]
    present(
        form,
        json=found.to_text,
        csv=lambda: records.equilibria_csv(profiles),
        gambit=lambda: "".join(map(records.gambit_text, profiles)),
        table=lambda: terminal.equilibria_view(played, found),
    )
    if failure is not None:
        if refuge is not None:
            say(f"the equilibria are in {refuge} instead")
        raise failure


def _all(tree: GameTree, time_limit: float | None, progress: Progress) -> Equilibria:
    return all_equilibria(tree, time_limit=time_limit, progress=progress.step)


def _unique(tree: GameTree, time_limit: float | None, progress: Progress) -> Equilibria:
    found = uniqueness(tree, time_limit=time_limit, progress=progress.step)
    solutions = (found.first,) if found.second is None else (found.first, found.second)
    return Equilibria(game=GameReference.of(tree), solutions=solutions, unique=found.unique, unique_plans=found.players)


def _require_fitting(every: bool, unique: bool, priors: int | None) -> str:
    """The concept; refuse options that say how *one* equilibrium is to be found."""
    asked = {"--all": every, "--unique": unique, "--several": priors is not None}
    option, *others = (name for name, given in asked.items() if given)
    if others:
        raise SpecError(f"{option} and {others[0]} exclude each other")
    context = click.get_current_context()
    fitting = _FITTING if priors is None else _FITTING_SEVERAL
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name not in fitting:
            raise SpecError(
                f"{parameter.opts[0]} says how one equilibrium is to be found, and does not go with {option}"
            )
    concept, method = context.params["concept"], context.params["method"]
    if priors is None and concept not in _OF_ALL:
        raise SpecError(f"{option} is about Nash equilibria, not {concept!r:.80}")
    if method not in ("auto", Lemke.name):
        raise SpecError(f"{option} takes the method {Lemke.name}, not {method!r:.80}")
    return str(concept)

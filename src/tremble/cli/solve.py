"""``tremble solve``: an exact equilibrium, proven."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

import click

from tremble import solvers
from tremble.cli.console import began, present, say
from tremble.cli.deadline import LOADING, SOLVING, Deadline
from tremble.cli.inputs import GameArgument
from tremble.cli.options import common, exact_number, reads_a_game, require_known, writes_a_file
from tremble.cli.outputs import Output, require_outputs
from tremble.cli.progress import Progress
from tremble.clock import interrupts_held_back
from tremble.errors import LimitReached, NotProvenError, TrembleError
from tremble.io.loading import has_positions
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.show.numbers import exact_text
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.double_oracle.settings import Policy

__all__ = ["solve"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_METHOD_HELP = (
    "How: auto (says what it chose and why), lp, double-oracle, cfr, cfr+ or dcfr; to compare, the published "
    "halving, symbolic-simplex, npp."
)
_CONCEPT_HELP = "What to compute: nash, quasi-perfect, sequential or perfect."


class _MethodOptions(TypedDict):
    """The options that go to the method as they are."""

    gap: Fraction | None
    policy: Policy | None
    smoothing: float | None
    checkpoint: str | None
    seed: int | None


_METHOD_OPTIONS = (
    click.option(
        "--gap", callback=exact_number, metavar="G", help="Be content with bounds at most G apart (payoff units)."
    ),
    click.option("--policy", metavar="P", help="Double oracle: who responds: both (default), alternating or worse."),
    click.option("--smoothing", type=float, metavar="A", help="Double oracle: 0 as published, to less than 1 [0.8]."),
    click.option("--checkpoint", metavar="FILE", help="Double oracle: go on from FILE, and keep it up to date."),
    click.option("--seed", type=int, metavar="N", help="Of random choices: decides between several equilibria [0]."),
)


def _takes_method_options(command: _Command) -> _Command:
    """Give a command the :class:`_MethodOptions`."""
    for option in reversed(_METHOD_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("game")
@click.option("--concept", default="nash", show_default=True, help=_CONCEPT_HELP)
@click.option("--method", default="auto", show_default=True, help=_METHOD_HELP)
@click.option("--output", "-o", metavar="FILE", help="Write the solution, as JSON, to FILE.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with the best result so far.")
@_takes_method_options
@click.option("--log", metavar="FILE", help="Write the progress to FILE as JSON lines.")
@click.option("--trembles", metavar="FILE", help="Weights of the mistakes, for refinements; all equal by default.")
@writes_a_file
@reads_a_game
@common("table", "json", "csv", "gambit")
def solve(
    game: GameArgument,
    concept: str,
    method: str,
    output: str | None,
    time_limit: float | None,
    log: str | None,
    trembles: str | None,
    force: bool,
    form: str,
    quiet: bool,
    **options: Unpack[_MethodOptions],
) -> int:
    """Compute an exact equilibrium of GAME and prove it.

    \b
    Concepts: nash           nobody gains by deviating; off the path anything goes
              quasi-perfect  also best, off the path, against others who may err
              sequential     quasi-perfect, with the beliefs at every information set
              perfect        extensive-form perfect: as if one's own hand trembled as well
    \b
    Methods:  lp             one linear program, made exact
              double-oracle  for games too large to be built; nash only
              cfr cfr+ dcfr  regret minimisation: bounds at most --gap apart (default 0.001 of the range)
    \b
    Examples: tremble solve kuhn --concept quasi-perfect
              tremble solve leduc -o leduc.json --format csv > leduc.csv
              tremble solve my.efg --time-limit 60 --log my.log
              tremble solve phantom_ttt --checkpoint phantom.checkpoint -o phantom.json
    JSON:     the solution file (schema tremble/solution@1), see docs/reference/cli.md
    CSV:      player,infoset,label,action,probability,probability_float
    gambit:   one line NE,p,p,... in the order of the information sets, player 1 first
    """  # noqa: D301 (click reads the backspace)
    require_known("concept", concept, solvers.CONCEPTS)
    require_known("method", method, ("auto", *solvers.METHODS))
    deadline = Deadline(time_limit)
    require_outputs(
        {"GAME": game.file, "--trembles": trembles},
        Output("-o", output, "solution"),
        Output("--checkpoint", options["checkpoint"], needed=False),
        Output("--log", log, "log", needed=False),
        force=force,
    )
    rules_will_do = concept == "nash" and method in ("auto", "double-oracle") and form != "gambit" and trembles is None
    with Progress(quiet=quiet, log=log, began=began()) as progress, deadline:
        load = partial(_load_any, game, method, progress) if rules_will_do else partial(_load, game, trembles, progress)
        played, weights = deadline.allow(LOADING, load, "while the game was loaded")
        loaded = progress.elapsed

        def work() -> Solution:
            return solvers.solve(
                played, concept, method, time_limit=deadline.left, progress=progress.step, trembles=weights,
                report=lambda row: progress.log("iteration", **row), **options,
            )  # fmt: skip

        solution, stop = _solution_or_what_is_left(partial(deadline.allow, SOLVING, work))
        failure = None if solution is None or output is None else _written(solution, output)
        solved = progress.elapsed - loaded
        progress.log("end", **_summary(solution))
    if solution is not None:
        _present(played, solution, form)
        if failure is not None:
            raise failure
    if not quiet:
        end = "stopped after" if isinstance(stop, LimitReached) else "solved and verified in"
        say(f"loaded in {loaded:.2f} s, {end} {solved:.2f} s")
    if stop is not None:
        if solution is not None and output is not None:
            say(f"the best result so far is in {output}")
        raise stop
    return 0  # what is not proven to be what was asked for is an exception


def _load(game: GameArgument, trembles: str | None, progress: Progress) -> tuple[GameTree, Trembles | None]:
    tree = game.tree(progress)
    return tree, None if trembles is None else Trembles.read(trembles, tree)


def _load_any(game: GameArgument, method: str, progress: Progress) -> tuple[GameTree | UnbuiltGame, None]:
    """Load a game that need not be built: the double oracle goes through positions faster than a tree is built."""
    unbuilt = method == "double-oracle" and game.max_nodes is None and has_positions(game.text)
    return game.tree_or_rules(progress, unbuilt=unbuilt), None


def _solution_or_what_is_left(
    work: Callable[[], Solution],
) -> tuple[Solution | None, LimitReached | NotProvenError | None]:
    """What was computed; if that is less than was asked for, with what says so."""
    try:
        return work(), None
    except (LimitReached, NotProvenError) as stop:
        return stop.best, stop


def _summary(solution: Solution | None) -> dict[str, Any]:
    """The last line of a log."""
    if solution is None:
        return {"status": None, "bounds": None}
    bounds = None if solution.bounds is None else [exact_text(b) for b in solution.bounds]
    return {"status": str(solution.status), "bounds": bounds}


def _written(solution: Solution, output: str) -> TrembleError | None:
    """Write the solution file, whatever comes; a failure is returned, to be reported when the result has been shown."""
    try:
        with interrupts_held_back():
            solution.to_json(output)
    except TrembleError as error:
        return error
    return None


def _present(game: GameTree | UnbuiltGame, solution: Solution, form: str) -> None:
    present(
        form,
        json=solution.to_text,
        csv=lambda: records.csv_text(solution.strategies),
        gambit=lambda: records.gambit_text(solution.strategies),
        table=lambda: terminal.solution_view(game, solution),
    )

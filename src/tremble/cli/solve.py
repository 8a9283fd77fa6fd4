"""``tremble solve``: an exact equilibrium, proven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import click

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
from tremble.solvers import solve as solvers
from tremble.solvers.method import options_of
from tremble.solvers.table import METHODS, PUBLISHED_METHODS
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["solve"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OFFERED = {name: method for name, method in METHODS.items() if name not in PUBLISHED_METHODS}
_RESUMABLE = ", ".join(name for name, method in METHODS.items() if method.resumable)
_METHOD_HELP = (
    f"How: auto (says what it chose and why), {', '.join(_OFFERED)}; to compare, the published "
    f"{', '.join(PUBLISHED_METHODS)}."
)


def _takes_options_of_methods(command: _Command) -> _Command:
    """Give a command an option for each field of each method."""
    known = {option.name: option for method in METHODS.values() for option in options_of(method)}
    for option in reversed(known.values()):
        flag = f"--{option.name.replace('_', '-')}"
        kind = None if option.kind is str else option.kind
        command = click.option(flag, type=kind, metavar=option.metavar or None, help=option.help)(command)
    return command


def _rows(title: str, summaries: Mapping[str, str]) -> str:
    """Names with a line each, for the help."""
    width = max(15, *(len(name) + 2 for name in summaries))
    lines = [f"{name:<{width}}{summary}" for name, summary in summaries.items()]
    return "\b\n" + "\n".join(f"{title if i == 0 else '':<10}{line}" for i, line in enumerate(lines))


_HELP = f"""Compute an exact equilibrium of GAME and prove it.

{_rows("Concepts:", {name: concept.summary for name, concept in CONCEPTS.items()})}

{_rows("Methods:", {name: method.summary for name, method in _OFFERED.items()})}

\b
Examples: tremble solve kuhn --concept quasi-perfect
          tremble solve leduc -o leduc.json --format csv > leduc.csv
          tremble solve my.efg --time-limit 60 --log my.log
          tremble solve phantom_ttt --checkpoint phantom.checkpoint -o phantom.json
JSON:     the solution file (schema tremble/solution@1), see docs/reference/cli.md
CSV:      player,infoset,label,action,probability,probability_float
gambit:   one line NE,p,p,... in the order of the information sets, player 1 first
"""


@click.command(help=_HELP)
@click.argument("game")
@click.option("--concept", default="nash", show_default=True, help=f"What to compute: {', '.join(CONCEPTS)}.")
@click.option("--method", default="auto", show_default=True, help=_METHOD_HELP)
@click.option("--output", "-o", metavar="FILE", help="Write the solution, as JSON, to FILE.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with the best result so far.")
@click.option(
    "--gap", callback=exact_number, metavar="G", help="Be content with bounds at most G apart (payoff units)."
)
@_takes_options_of_methods
@click.option("--checkpoint", metavar="FILE", help=f"For {_RESUMABLE}: go on from FILE, and keep it up to date.")
@click.option("--seed", type=int, metavar="N", help="Of random choices: decides between several equilibria [0].")
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
    gap: Fraction | None,
    checkpoint: str | None,
    seed: int | None,
    **options: Any,
) -> int:
    """Solve, prove, write and show."""
    require_known("concept", concept, CONCEPTS)
    require_known("method", method, ("auto", *METHODS))
    deadline = Deadline(time_limit)
    require_outputs(
        {"GAME": game.file, "--trembles": trembles},
        Output("-o", output, "solution"),
        Output("--checkpoint", checkpoint, needed=False),
        Output("--log", log, "log", needed=False),
        force=force,
    )
    able = (m for name, m in METHODS.items() if method in ("auto", name) and concept in m.concepts)
    rules_will_do = any(m.takes_rules for m in able) and form != "gambit" and trembles is None
    with Progress(quiet=quiet, log=log, began=began()) as progress, deadline:
        load = partial(_load_any, game, method, progress) if rules_will_do else partial(_load, game, trembles, progress)
        played, weights = deadline.allow(LOADING, load, "while the game was loaded")
        loaded = progress.elapsed

        def work() -> Solution:
            return solvers.solve(
                played, concept, method, time_limit=deadline.left, progress=progress.step, trembles=weights,
                gap=gap, checkpoint=checkpoint, seed=seed, report=lambda row: progress.log("iteration", **row),
                **options,
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
    """Load a game that need not be built, nor is it where the method goes through positions faster."""
    from_rules = method != "auto" and game.max_nodes is None and has_positions(game.text)
    return game.tree_or_rules(progress, from_rules=from_rules), None


def _solution_or_what_is_left(
    work: Callable[[], Solution],
) -> tuple[Solution | None, LimitReached | NotProvenError | None]:
    """What was computed; if that is less than was asked for, with what says so."""
    try:
        return work(), None
    except (LimitReached, NotProvenError) as stop:
        return stop.best if isinstance(stop.best, Solution) else None, stop


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

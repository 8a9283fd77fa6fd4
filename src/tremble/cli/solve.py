"""``tremble solve``: an exact equilibrium, proven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import click

from tremble.cli import equilibria
from tremble.cli.console import began, present, say
from tremble.cli.deadline import LOADING, SOLVING, Deadline
from tremble.cli.inputs import GameArgument
from tremble.cli.options import common, exact_number, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, require_outputs, written
from tremble.cli.progress import Progress
from tremble.errors import LimitReached, NotProvenError
from tremble.io.loading import has_positions, is_ordered
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.show.numbers import exact_text
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers import solve as solvers
from tremble.solvers.method import options_of, require_choice
from tremble.solvers.table import BASELINES, METHODS, needs_tree, solvable
from tremble.text_file import read_text
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["solve"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OFFERED = {name: method for name, method in METHODS.items() if name not in BASELINES}
_RESUMABLE = ", ".join(name for name, method in METHODS.items() if method.resumable)
_METHOD_HELP = (
    f"How: auto (says what it chose and why), {', '.join(_OFFERED)}; to compare, the published {', '.join(BASELINES)}."
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

{_rows("Concepts:", {name: CONCEPTS[name].summary for name in solvable()})}

{_rows("Methods:", {name: method.summary for name, method in _OFFERED.items()})}

\b
Examples: tremble solve kuhn --concept quasi-perfect
          tremble solve leduc -o leduc.json --format csv > leduc.csv
          tremble solve my.efg --time-limit 60 --log my.log
          tremble solve phantom_ttt --checkpoint phantom.checkpoint -o phantom.json
          tremble solve my.efg --concept maxmin --player 1 --epsilon 1e-4
          tremble solve my.nfg --all
          tremble solve my.efg --several 20 --concept sequential
JSON:     the solution file (schema tremble/solution@1; of several, tremble/equilibria@1), see docs/reference/cli.md
CSV:      player,infoset,label,action,probability,probability_float
gambit:   one line NE,p,p,... in the order of the information sets, player 1 first
"""


@click.command(help=_HELP)
@click.argument("game")
@click.option("--concept", default="nash", show_default=True, help=f"What to compute: {', '.join(solvable())}.")
@click.option("--method", default="auto", show_default=True, help=_METHOD_HELP)
@click.option("--output", "-o", metavar="FILE", help="Write the solution, as JSON, to FILE.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with the best result so far.")
@click.option(
    "--gap",
    callback=exact_number,
    metavar="G",
    help="Be content with bounds at most G apart (payoff units) [regret minimisation: 0.001 of their range].",
)
@click.option("--player", type=click.IntRange(1, 2), help="For maxmin: whose strategy [1].")
@click.option(
    "--epsilon",
    callback=exact_number,
    metavar="E",
    help="For maxmin: be content with bounds this close, as a part of the range of the payoffs [0.001].",
)
@click.option("--epsilon-abs", callback=exact_number, metavar="E", help="The same in payoff units.")
@_takes_options_of_methods
@click.option("--checkpoint", metavar="FILE", help=f"For {_RESUMABLE}: go on from FILE, and keep it up to date.")
@click.option("--seed", type=int, metavar="N", help="Of random choices: decides between several equilibria [0].")
@click.option("--log", metavar="FILE", help="Write the progress to FILE as JSON lines.")
@click.option("--trembles", metavar="FILE", help="Weights of the mistakes, for refinements; all equal by default.")
@equilibria.several
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
    player: int | None,
    epsilon: Fraction | None,
    epsilon_abs: Fraction | None,
    checkpoint: str | None,
    seed: int | None,
    every: bool,
    unique: bool,
    priors: int | None,
    **options: Any,
) -> int:
    """Solve, prove, write and show."""
    if every or unique or priors is not None:
        return equilibria.solve_for_several(
            game, every, unique, priors, seed, trembles, output, time_limit, log, force, form, quiet
        )
    require_choice("concept", concept, solvable())
    require_choice("method", method, ("auto", *METHODS))
    deadline = Deadline(time_limit)
    require_outputs(
        {"GAME": game.file, "--trembles": trembles},
        Output("-o", output, "solution"),
        Output("--checkpoint", checkpoint, again=True),
        Output("--log", log, "log", needed=False),
        force=force,
    )
    tree = form == "gambit" or trembles is not None or needs_tree(concept, method)
    with Progress(quiet=quiet, log=log, began=began()) as progress, deadline:
        load = partial(_load, game, method, trembles, progress, as_tree=tree)
        played, weights = deadline.allow(LOADING, load, "while the game was loaded")
        loaded = progress.elapsed

        def work() -> Solution:
            return solvers.solve(
                played, concept, method, time_limit=deadline.left, progress=progress.step, trembles=weights,
                gap=gap, checkpoint=checkpoint, seed=seed, report=lambda row: progress.log("iteration", **row),
                player=None if player is None else player - 1, epsilon=epsilon, epsilon_abs=epsilon_abs, **options,
            )  # fmt: skip

        solution: Solution | None
        stop: LimitReached | NotProvenError | None = None
        try:
            solution = deadline.allow(SOLVING, work)
        except (LimitReached, NotProvenError) as less:  # what there is, and what says that it is less than asked for
            solution, stop = less.best if isinstance(less.best, Solution) else None, less
        failure, refuge = (None, None) if solution is None or output is None else written(solution, output)
        solved = progress.elapsed - loaded
        bounds = None if solution is None or solution.bounds is None else [exact_text(b) for b in solution.bounds]
        progress.log("end", status=None if solution is None else str(solution.status), bounds=bounds)
    if failure is not None and refuge is None:
        form = "json"  # the whole solution, which stands nowhere else
    if solution is not None:
        present(
            form,
            json=lambda: _json(solution, output if failure is None else None),
            csv=lambda: records.csv_text(solution.strategies, played),
            gambit=lambda: records.gambit_text(solution.strategies),
            table=lambda: terminal.solution_view(played, solution),
        )
        if failure is not None:
            if stop is not None:
                say(str(stop))
            if refuge is not None:
                say(f"the solution is in {refuge} instead")
            raise failure
    if not quiet:
        end = "stopped after" if isinstance(stop, LimitReached) else "solved and verified in"
        say(f"loaded in {loaded:.2f} s, {end} {solved:.2f} s")
    if stop is not None:
        if solution is not None and output is not None:
            say(f"the best result so far is in {output}")
        raise stop
    return 0  # what is not proven to be what was asked for is an exception


def _json(solution: Solution, output: str | None) -> str:
    """The solution file; of an ordered game without a file, all but the strategies."""
    if solution.ordered is None:
        return solution.to_text()
    if output is not None:
        return read_text(output).text
    say("the strategies of an ordered game are arrays, which need a file: give -o FILE")
    return solution.to_text(without_arrays=True)


def _load(
    game: GameArgument, method: str, trembles: str | None, progress: Progress, *, as_tree: bool
) -> tuple[GameTree | UnbuiltGame, Trembles | None]:
    """Load a game; it is built where that is needed, and where the method does not go through positions faster."""
    if not as_tree:
        faster = is_ordered(game.text) or (method != "auto" and has_positions(game.text))
        from_rules = faster and game.max_nodes is None
        return game.tree_or_rules(progress, from_rules=from_rules), None
    tree = game.tree(progress)
    return tree, None if trembles is None else Trembles.read(trembles, tree)

"""The command ``tremble solve``: compute an exact equilibrium and prove it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, TypeVar

import click

from tremble.cli import equilibria
from tremble.cli.command import Call, exact_number, gap_number
from tremble.cli.console import say
from tremble.cli.options import LOG, TREMBLES, command, output, time_limit
from tremble.cli.outputs import Output
from tremble.cli.solving import CONCEPT, SEED, method_option
from tremble.errors import LimitReached, NotProvenError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import exact_text
from tremble.run.alarm import TIME_IS_UP
from tremble.run.deadline import LOADING, SOLVING
from tremble.run.text_file import read_text
from tremble.solution.concepts import CONCEPTS
from tremble.solution.equilibria import Equilibria
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers import runner
from tremble.solvers.method import options_of
from tremble.solvers.table import BASELINES, METHODS, concept_named, method_named, needs_tree, solvable, wants_rules
from tremble.text import records, solutions

__all__ = ["solve"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OFFERED = {name: method for name, method in METHODS.items() if name not in BASELINES}
_RESUMABLE = ", ".join(name for name, method in METHODS.items() if method.resumable)
_METHOD_HELP = (
    f"Algorithm: auto (reports its choice and the reason), {', '.join(_OFFERED)}. "
    f"Published algorithms: {', '.join(BASELINES)}."
)


def _takes_options_of_methods(command: _Command) -> _Command:
    """Add an option to a command for each dataclass field of each solution method."""
    known = {field.name: field for method in METHODS.values() for field in options_of(method)}
    for field in reversed(known.values()):
        kind = type(field.default)
        shown = {"type": None if kind is str else kind, "flag": f"--{field.name.replace('_', '-')}", **field.metadata}
        command = click.option(shown.pop("flag"), field.name, **shown)(command)
    return command


def _rows(title: str, summaries: Mapping[str, str]) -> str:
    """Format a title, and names with their summaries, as lines of a help text."""
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
          tremble solve my.efg --pure --concept sequential
          tremble solve my.efg --several 20 --concept sequential
JSON:     the solution file (schema tremble/solution@1; for a list, tremble/equilibria@1); see docs/reference/cli.md
CSV:      player,infoset,label,action,probability,probability_float
gambit:   one line NE,p,p,... with a probability for each action of each information set, player 1 first
"""


@command("table", "json", "csv", "gambit", writes=True, about=_HELP)
@CONCEPT
@method_option(_METHOD_HELP)
@output("Write the solution, as JSON, to FILE.")
@time_limit("Stop after this time, and write the best result so far.")
@click.option(
    "--gap",
    callback=gap_number,
    metavar="G",
    help="Accept proven bounds with a gap of at most G, in payoff units, or for Hold'em in percent of the pot: 0.2%. "
    "The default for regret minimization is 0.001 of the range of the payoffs.",
)
@click.option("--player", type=click.IntRange(1, 2), help="For maxmin: the player whose strategy is computed [1].")
@click.option(
    "--epsilon",
    callback=exact_number,
    metavar="E",
    help="For maxmin: accept bounds with a gap of at most E times the range of the payoffs [0.001].",
)
@click.option("--epsilon-abs", callback=exact_number, metavar="E", help="Like --epsilon, but in payoff units.")
@_takes_options_of_methods
@click.option(
    "--checkpoint", metavar="FILE", help=f"For {_RESUMABLE}: continue from FILE if it exists, and keep it up to date."
)
@SEED
@LOG
@TREMBLES
@equilibria.several
def solve(
    call: Call,
    concept: str,
    method: str,
    player: int | None,
    checkpoint: str | None,
    every: bool,
    unique: bool,
    priors: int | None,
    pure: bool,
    most: int | None,
    **options: Any,
) -> None:
    """Solve the game, prove the result, write it and show it."""
    listing = every or pure or unique
    # In a list, each equilibrium is checked for the requested concept, so only concepts with a check are allowed. For a
    # single equilibrium, a stronger concept than the requested one may be computed.
    judgeable = None
    if listing:
        from tremble.judge.certify import judged

        judgeable = judged()
    concept, method = concept_named(concept, judgeable), method_named(method)
    several = listing or priors is not None
    if several or most is not None:
        equilibria.require_fitting(every, unique, priors, pure, most, concept, method)
    call.require_files(
        {"--trembles": call.trembles},
        Output("-o", call.output, "solution"),
        Output("--checkpoint", checkpoint, again=True),
        Output("--log", call.log, "log", needed=False),
    )
    as_tree = several or call.form == "gambit" or call.trembles is not None or needs_tree(concept, method, options)

    def load() -> tuple[GameTree | UnbuiltGame, Trembles | None]:
        """Load the game: as rules if the method is faster with rules and needs no tree, otherwise as a tree.

        Also read the file of ``--trembles``.
        """
        if as_tree:
            tree = call.tree()
            return tree, None if several else call.weights(tree)
        return call.tree_or_rules(from_rules=call.max_nodes is None and wants_rules(call.game, method)), None

    def work() -> Solution | Equilibria:
        limit, step = call.deadline.left, call.progress.step
        if several:
            assert isinstance(played, GameTree)
            return equilibria.find(call, played, concept, every, priors, {**options, "pure": pure, "most": most})
        return runner.solve_recording(
            record, played, concept, method, time_limit=limit, progress=step, trembles=weights, checkpoint=checkpoint,
            report=lambda row: call.progress.log("iteration", **row),
            player=None if player is None else player - 1, **options,
        )  # fmt: skip

    recorded: Callable[[], Solution | None] | None = None

    def record(best_so_far: Callable[[], Solution | None]) -> None:
        """Register a function that returns the best result so far. It is called if the solver exceeds the limit."""

        def write() -> bool:
            best = best_so_far()
            if best is not None:
                write_down(best)
                call.progress.log("end", **_end(best))
                call.progress.__exit__()
                show(best)
                if call.output is not None and call.failure is None:
                    say(f"the best result so far is in {call.output}")
            return best is not None

        nonlocal recorded
        recorded = best_so_far
        from tremble.game.kinds import kind_of  # imported late, because the solver has loaded this module by now

        call.deadline.rescue(write, lambda: kind_of(played).writing_seconds())

    def write_down(result: Solution | Equilibria | None) -> None:
        call.write(result)
        if result is not None and call.output is not None and call.failure is None:
            call.deadline.written(call.output)

    def show(result: Solution | Equilibria | None) -> None:
        if call.lost:
            call.form = "json"  # the result could not be written to a file, so print all of it
        if isinstance(result, Equilibria):
            equilibria.present(call, played, result)
        elif result is not None:
            call.present(
                json=lambda: _json(call, result),
                csv=lambda: records.csv_text(result.strategies, played),
                gambit=lambda: records.gambit_text(result.strategies),
                table=lambda: solutions.solution_view(played, result),
            )

    result: Solution | Equilibria | None
    stop: LimitReached | NotProvenError | None = None
    with call:
        played, weights = call.deadline.allow(LOADING, load, "while the game was loaded")
        loaded = call.progress.elapsed
        try:
            result = call.deadline.allow(SOLVING, work)
        except (LimitReached, NotProvenError) as less:  # the error contains the best result, and why the solver stopped
            result, stop = less.best if isinstance(less.best, Solution | Equilibria) else None, less
            if several and not isinstance(result, Equilibria):
                raise
            if result is None and recorded is not None and isinstance(less, LimitReached):
                result = recorded()  # the solver could not return its best result in time, but has registered it
                stop = less if result is None else LimitReached(TIME_IS_UP, best=result)
        call.deadline.writing()
        write_down(result)
        solved = call.progress.elapsed - loaded
        call.progress.log("end", **_end(result))
    with nullcontext() if call.output is None or call.failure is not None else call.deadline:
        show(result)
    if call.failure is not None:
        if stop is not None:
            say(str(stop))
        raise call.failure
    if not call.quiet:
        end = "stopped after" if isinstance(stop, LimitReached) else "solved and verified in"
        say(f"loaded in {loaded:.2f} s, {end} {solved:.2f} s")
    if stop is not None:
        if isinstance(result, Solution) and call.output is not None:
            say(f"the best result so far is in {call.output}")
        raise stop


def _end(result: Solution | Equilibria | None) -> dict[str, Any]:
    """Return the status and the bounds of a result, for the last line of a log."""
    if isinstance(result, Equilibria):
        return {"status": "certified", "equilibria": len(result)}
    bounds = None if result is None or result.bounds is None else [exact_text(b) for b in result.bounds]
    return {"status": None if result is None else str(result.status), "bounds": bounds}


def _json(call: Call, solution: Solution) -> str:
    """Return the JSON text of a solution. If the file of ``-o`` was written, it already contains the same text.

    The strategies of an ordered game are large arrays. Without a file, omit the arrays and print a note.
    """
    if solution.ordered is None:
        return solution.to_text()
    if call.output is not None and call.failure is None:
        return read_text(call.output).text
    advice = "; use -o FILE to write them to a file" if call.output is None else ""
    say(f"the strategies of an ordered game are too large to print{advice}")
    return solution.to_text(without_arrays=True)

"""The command ``tremble sweep``: solve a built-in game for many values of one of its parameters."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import click

from tremble.batch.parameter_sweep import Sweep
from tremble.batch.parameter_sweep import sweep as solve_along
from tremble.batch.sweep_views import sweep_csv, sweep_plot, sweep_record, sweep_view
from tremble.cli.command import Call, exact_number, gap_number
from tremble.cli.console import NOT_PROVEN, say
from tremble.cli.failures import exit_code
from tremble.cli.options import command, output, time_limit
from tremble.cli.outputs import Output, by_ending
from tremble.cli.solving import CONCEPT, EPSILON, SEED, method_option
from tremble.errors import GameError, LimitReached, TrembleError
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.run.alarm import interrupts_held_back
from tremble.run.executors import MOST_PROCESSES
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.table import concept_named

__all__ = ["sweep"]

_ENDINGS = (".svg", ".pdf", ".png")

_HELP = f"""Solve GAME for many values of one parameter. Give the parameter a range: leduc:ranks=2..6.

Each point is solved and proven separately. The lines between points in the picture are not proven. The picture needs
the extra plot: pip install 'tremble[plot]'. To vary the payoffs of your own matrix or tree, use tremble.sweep in
Python.

\b
Examples: tremble sweep kuhn:cards=3..12 -o value.svg
          tremble sweep holdem_river:pot=100..500,stack=300 --points 9 --folder rivers
          tremble sweep kuhn:cards=3..12 --set 2: -o deuce.svg
JSON: {{"parameter", "file", "points": [{{"x", "x_float", "actions", and the keys of tremble batch}}, ...],
      "changes": [[x, x], ...]}}
CSV:  {",".join(Sweep.columns)}
"""


@command("table", "json", "csv", writes=True, about=_HELP)
@output("The file for the plot: .svg, .pdf or .png.")
@click.option("--points", type=click.IntRange(min=1), metavar="N", help="Number of points, evenly spaced.")
@click.option(
    "--step", callback=exact_number, metavar="D", help="Distance between points, in place of --points [1 for integers]."
)
@click.option(
    "--set", "infoset", metavar="SET", help="Show the play at this information set: its label, or its number from 1."
)
@click.option(
    "--player", type=click.IntRange(1, 2), help="The player of SET; for maxmin: the player whose strategy is computed."
)
@CONCEPT
@method_option()
@time_limit("Stop after this time, and report the points that are not solved.")
@click.option(
    "--point-limit", type=float, metavar="SECONDS", help="Stop each point after this time, with its best result so far."
)
@click.option("--gap", callback=gap_number, metavar="G", help="Accept bounds with a gap of at most G.")
@EPSILON
@SEED
@click.option(
    "--jobs", type=click.IntRange(1, MOST_PROCESSES), metavar="N", help="Solve N points at a time, in processes."
)
@click.option(
    "--folder",
    metavar="FOLDER",
    help="Write the solutions to this folder. Games whose solutions are in the folder are not solved again.",
)
@click.option("--title", default="", metavar="TEXT", help="Title above the picture.")
def sweep(
    call: Call,
    points: int | None,
    step: Fraction | None,
    infoset: str | None,
    player: int | None,
    concept: str,
    method: str,
    point_limit: float | None,
    gap: Fraction | str | None,
    epsilon: Fraction | None,
    seed: int | None,
    jobs: int | None,
    folder: str | None,
    title: str,
) -> int:
    """Solve the game at every value of the parameter (every *point*), draw the plot, and show the results."""
    file = call.output and by_ending(call.output, dict.fromkeys(_ENDINGS, call.output), "the picture")
    if file is not None:
        call.require_files({}, Output.of_its_ending(file))
    whose = None if player is None else player - 1
    stop: Exception | None = None
    place: str | int | None = None
    with call:
        try:
            found = solve_along(
                call.game, None, concept, method, points=points, step=step, processes=jobs, out=folder,
                time_limit=call.deadline.left, point_limit=point_limit, progress=call.progress.step,
                gap=gap, epsilon=epsilon, seed=seed,
                player=whose if CONCEPTS[concept_named(concept)].of_player else None,
                max_nodes=call.max_nodes or DEFAULT_MAX_NODES,
            )  # fmt: skip
        except LimitReached as stopped:  # Ctrl-C: show the points that are done
            if not isinstance(stopped.best, Sweep):
                raise
            found, stop = stopped.best, stopped

        def show(file: str | None) -> None:
            call.present(
                json=lambda: {"file": file, **sweep_record(found, place, whose)},
                csv=lambda: sweep_csv(found, place, whose),
                table=lambda: sweep_view(found, place, whose),
            )

        def show_without_picture() -> bool:
            show(None)
            say("there was no time to draw the picture")
            return True

        try:
            place = None if infoset is None else _place(found, infoset, whose)
            if file is not None:
                call.progress.step("drawing")
                # On a busy computer, drawing may take longer than the grace period after the time limit. In this case,
                # a separate thread shows the points.
                call.deadline.rescue(show_without_picture)
                draw = partial(sweep_plot, found, infoset=place, player=whose, title=title)
                with interrupts_held_back():
                    file = call.save(file, draw, "the picture")
        except (TrembleError, click.UsageError) as fault:  # the set or the picture failed: show the points
            file, stop = None, stop or fault
    call.deadline.writing()
    show(file)
    if stop is not None:
        if call.failure is not None:
            say(f"error: {call.failure}")
        raise stop
    call.finish()
    codes = {exit_code(result.error) for result in found.results if result.error is not None}
    return codes.pop() if len(codes) == 1 else NOT_PROVEN if codes else 0


def _place(found: Sweep, infoset: str, player: int | None) -> str | int:
    """Convert the option ``--set`` to the label or the index that :class:`Sweep` accepts.

    ``infoset`` is the label of an information set or its number, counted from 1. A label has priority over a number.
    """
    try:
        found.strategy_at(infoset, player)
    except GameError:
        if not infoset.isdecimal():
            raise
        if player is None:
            raise click.UsageError(f"--set {infoset} needs a player: give --player 1 or --player 2") from None
        return int(infoset) - 1
    return infoset

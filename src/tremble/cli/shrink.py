"""``tremble shrink``: abstraction of an ordered game."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import click

from tremble.base.clock import limited
from tremble.cli.command import Call, command, exact_number, time_limit
from tremble.cli.completion import Words
from tremble.cli.console import say
from tremble.errors import GameError, LimitReached, NotProvenError, TooLargeError
from tremble.games import loading
from tremble.judging.abstraction import AbstractionReport
from tremble.model.ordered.deals import Deals
from tremble.model.rules import UnbuiltGame
from tremble.model.tree_builder import DEFAULT_MAX_NODES
from tremble.model.tree_size import total_nodes
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.shrink import MODES, ladder, ordered_game
from tremble.reductions.shrink import shrink as shrunk
from tremble.show import games, records
from tremble.solution.solution import Solution
from tremble.solution.verification import Verification
from tremble.solvers.regret.method import Dcfr
from tremble.solvers.solve import solve

__all__ = ["shrink"]


def _threshold(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | float | None:
    """Read a number of at least 0, or ``inf``."""
    return math.inf if value == "inf" else exact_number(ctx, param, value)


def _thresholds(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Fraction | float, ...] | None:
    """Read several thresholds."""
    if value is None:
        return None
    numbers = (_threshold(ctx, param, part.strip()) for part in value.split(","))
    return tuple(number for number in numbers if number is not None)


@command("table", "json", "csv", game=False)
@click.argument("game")
@click.option(
    "--mode", type=Words(MODES), default="lossless", show_default=True, metavar="MODE", help=f"{', '.join(MODES)}."
)
@click.option(
    "--threshold", callback=_threshold, metavar="T", help="With --mode threshold: 0 is lossless, 1 the least."
)
@click.option("--ladder", "rungs", callback=_thresholds, metavar="T,T,...", help="Several thresholds, coarse to fine.")
@click.option(
    "--loss",
    callback=exact_number,
    metavar="G",
    help="Solve what is left, to bounds G apart (0: exactly, in games that can be built), and certify what the "
    "strategies lose in GAME.",
)
@click.option("--dominance", is_flag=True, help="Say also what is left without dominated actions of the last round.")
@time_limit("With --loss: for solving each.")
@click.option("--plot", metavar="FILE", help="With --ladder and --loss: draw the losses against the sizes.")
def shrink(
    call: Call,
    mode: str,
    threshold: Fraction | float | None,
    rungs: tuple[Fraction | float, ...] | None,
    loss: Fraction | None,
    dominance: bool,
    plot: str | None,
) -> None:
    """Merge hands of GAME that its players need not tell apart, and show what is left; the tree is never built.

    GAME is a built-in game whose rules are those of an ordered game, such as rhode_island:ranks=5. Of what is left, the
    sizes of the sequence form are shown, and whether the classes are equitable, which is checked exactly: then no
    equilibrium is lost. With --loss, strategies that are optimal in what is left are lifted to GAME, and the loss is
    what both players together could gain there against them (NashConv, exact).

    \b
    --mode lossless   the default: nothing is lost
    --mode published  the rule that reproduces the published sizes; lossy
    --mode literal    one reading of the published algorithm, for small games; lossy
    --mode threshold  hands that differ by at most --threshold T are merged; lossy above 0
    --mode full       nothing is merged

    \b
    Example: tremble shrink rhode_island
    JSON: {"title", "mode", "threshold_float", "signals", "signal_tree", "own_nodes": [per round],
           "classes": [[per round] per player], "sequences", "information_sets", "rows", "nonzeros",
           "raw": {"classes", "sequences", "information_sets", "rows"}, "lossless",
           "certified_loss", "certified_loss_float", "bounds" on the value,
           "dominance": {"sequences", "eliminated_sequences", "rows", "columns"}, "seconds": {step: seconds}}; with
           --ladder a list of these
    CSV:  a row for each: mode,threshold_float,classes_1,classes_2,sequences_1,sequences_2,information_sets_1,
          information_sets_2,rows,nonzeros,lossless,certified_loss,undominated_rows,undominated_columns
    """  # noqa: D301 (click reads the backspace)
    if call.time_limit is not None and loss is None:
        raise click.UsageError("--time-limit is for solving: it goes with --loss")
    if plot is not None and (rungs is None or loss is None):
        raise click.UsageError("--plot draws what the rungs of a ladder lose: it goes with --ladder and --loss")
    if rungs is not None and (threshold is not None or mode not in ("lossless", "threshold")):
        raise click.UsageError("--ladder gives all thresholds; it goes with no --threshold and no other --mode")
    if rungs is not None and dominance:
        raise click.UsageError("--dominance is for one abstraction; it goes with no --ladder")
    progress = call.progress
    with progress:
        progress.step("dealing")
        began = time.perf_counter()
        ordered = ordered_game(loading.load_any(call.game, from_rules=True))
        Deals.of(ordered)
        dealt = time.perf_counter() - began
        progress.step("merging")
        reports = []
        began = time.perf_counter()
        for abstraction in [shrunk(ordered, mode, threshold)] if rungs is None else ladder(ordered, rungs):
            merged = time.perf_counter() - began
            played = None if loss is None else _played(abstraction, loss, call)
            if loss is not None and played is None:
                say("the time limit was too short to solve what is left: its loss is not known")
            solved = time.perf_counter() - began - merged
            progress.step("counting and checking")
            seconds = {"dealing": dealt, "merging": merged, **({} if loss is None else {"solving": solved})}
            reports.append(AbstractionReport.of(abstraction, played=played, dominance=dominance, seconds=seconds))
            began = time.perf_counter()
    if plot is not None:
        _draw(reports, plot)
    listed = [records.abstraction_record(report) for report in reports]
    call.present(
        json=lambda: listed if rungs is not None else listed[0],
        csv=lambda: records.abstractions_csv(reports),
        table=lambda: games.ladder_view(reports) if rungs is not None else games.abstraction_view(reports[0]),
    )
    if not call.quiet:
        spent = {step: sum(report.seconds[step] for report in reports) for step in reports[0].seconds}
        say(", ".join(f"{step} {seconds:.2f} s" for step, seconds in {**spent, "dealing": dealt}.items()))


def _draw(reports: Sequence[AbstractionReport], plot: str) -> None:
    """Draw the losses of a ladder."""
    from tremble.show.plots import losses  # needs matplotlib

    rungs = {
        report.threshold or 0.0: (report.sizes.rows, float(report.certified_loss))
        for report in reports
        if report.certified_loss  # a loss of 0 has no logarithm
    }
    if not rungs:
        raise GameError("nothing is lost at any rung: there is nothing to draw")
    losses(rungs, plot, title=reports[0].title)


def _played(abstraction: Abstraction, gap: Fraction, call: Call) -> Verification | None:
    """What is proven in the original game of strategies that are optimal in what is left, up to a gap."""
    if not gap:
        nodes = total_nodes(abstraction.game.counts())
        if nodes > DEFAULT_MAX_NODES:
            raise TooLargeError(
                f"the game has {nodes:,} nodes, too many to solve what is left exactly; give a --loss G"
            )
        with suppress(LimitReached):
            return limited(call.time_limit, lambda: abstraction.lift(solve(abstraction.apply())).verification)
        return None
    mode = abstraction.mode if abstraction.threshold is None else f"threshold:{abstraction.threshold!r}"
    game = UnbuiltGame.of(abstraction.game)
    try:
        solution = solve(
            game, method=Dcfr(abstraction=mode), gap=gap, time_limit=call.time_limit, progress=call.progress.step
        )
    except (NotProvenError, LimitReached) as less:  # a lossy abstraction never comes as near as its own gap
        if not isinstance(less.best, Solution):
            return None
        solution = less.best
    return solution.verification

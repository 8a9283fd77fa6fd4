"""``tremble shrink``: abstraction of an ordered game, and what is alike in a tree."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction

import click

from tremble.check import Verification
from tremble.cli.command import Call, command, exact_number, time_limit
from tremble.cli.completion import words
from tremble.cli.console import say
from tremble.cli.outputs import Output
from tremble.errors import GameError, LimitReached, NotProvenError, TooLargeError, TrembleError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.game.tree_size import total_nodes
from tremble.judge.shrink import merge
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.abstraction.shrink import MODES, find_ordered, ladder, shrink_ordered
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame
from tremble.run.clock import Clock, limited
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.solution import Solution
from tremble.solvers.door import solve
from tremble.solvers.regret_method import Dcfr
from tremble.text import games, records
from tremble.text.merging import merging_view

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


@command("table", "json", "csv")
@click.option(
    "--mode",
    shell_complete=words(MODES),
    metavar="MODE",
    help=f"{', '.join(MODES)}; without it lossless, of a tree merged.",
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
@time_limit("With --loss: for solving each. Of a tree: for building and merging it.")
@click.option("--plot", metavar="FILE", help="With --ladder and --loss: draw the losses against the sizes.")
def shrink(
    call: Call,
    mode: str | None,
    threshold: Fraction | float | None,
    rungs: tuple[Fraction | float, ...] | None,
    loss: Fraction | None,
    dominance: bool,
    plot: str | None,
) -> None:
    """Merge what the players of GAME need not tell apart, and show what is left.

    Of a built-in game whose rules are those of an ordered game, such as rhode_island:ranks=5, hands are merged; the
    tree is never built. The sizes of the sequence form are shown, and whether the classes are equitable, which is
    checked exactly: then no equilibrium is lost. With --loss, strategies that are optimal in what is left are lifted to
    GAME, and the loss is what both players together could gain there against them (NashConv, exact).

    Of any other game, the information sets and actions are merged that no sum of payoffs tells apart in the linear
    program of its tree, as tremble solve does before it solves; or, unless the payoffs sum to a constant, in the
    complementarity problem, as tremble solve --symmetric does. They are listed, the largest classes first.

    \b
    --mode lossless   the default: nothing is lost
    --mode published  the rule that reproduces the published sizes; lossy
    --mode literal    one reading of the published algorithm, for small games; lossy
    --mode threshold  hands that differ by at most --threshold T are merged; lossy above 0
    --mode full       nothing is merged
    --mode merged     of any game, by its tree: nothing is lost

    \b
    Examples: tremble shrink rhode_island
              tremble shrink game.efg --format csv
    JSON: {"title", "mode", "threshold_float", "signals", "signal_tree", "own_nodes": [per round],
           "classes": [[per round] per player], "sequences", "information_sets", "rows", "nonzeros",
           "raw": {"classes", "sequences", "information_sets", "rows"}, "lossless",
           "certified_loss", "certified_loss_float", "bounds" on the value,
           "dominance": {"sequences", "eliminated_sequences", "rows", "columns"}, "seconds": {step: seconds}}; with
           --ladder a list of these. Of a tree {"title", "mode", "information_sets", "sequences", "rows", "columns",
           "nonzeros", "raw": {the same five}, "lossless", "players_alike", "rounds", "seconds",
           "classes": [{"player", "infosets", "labels", "actions", "like_actions"}]}
    CSV:  a row for each: mode,threshold_float,classes_1,classes_2,sequences_1,sequences_2,information_sets_1,
          information_sets_2,rows,nonzeros,lossless,certified_loss,undominated_rows,undominated_columns; of a tree a row
          for each action, and which one it is like: player,infoset,label,action,like_infoset,like_action
    """  # noqa: D301 (click reads the backspace)
    if plot is not None and (rungs is None or loss is None):
        raise click.UsageError("--plot draws what the rungs of a ladder lose: it goes with --ladder and --loss")
    if rungs is not None and (threshold is not None or mode not in (None, "lossless", "threshold")):
        raise click.UsageError("--ladder gives all thresholds; it goes with no --threshold and no other --mode")
    if rungs is not None and dominance:
        raise click.UsageError("--dominance is for one abstraction; it goes with no --ladder")
    call.require_files({}, Output("--plot", plot))
    with call.progress:
        game = call.deadline.allow(LOADING, lambda: call.tree_or_rules(from_rules=True), "while the game was loaded")
    ordered = None if mode == "merged" else find_ordered(game)
    if ordered is not None:
        _shrink_hands(call, ordered, mode or "lossless", threshold, rungs, loss, dominance, plot)
    elif rungs is not None or loss is not None or dominance:
        raise click.UsageError("--ladder, --loss and --dominance are for ordered games; what is alike is merged here")
    else:
        _shrink_tree(call, game if isinstance(game, GameTree) else None, mode or "merged", threshold)


def _shrink_hands(
    call: Call,
    ordered: OrderedGame,
    mode: str,
    threshold: Fraction | float | None,
    rungs: tuple[Fraction | float, ...] | None,
    loss: Fraction | None,
    dominance: bool,
    plot: str | None,
) -> None:
    """Merge hands, and show what is left."""
    if call.time_limit is not None and loss is None:
        raise click.UsageError("--time-limit is for solving: it goes with --loss")
    progress = call.progress
    with progress:
        progress.step("dealing")
        began = time.perf_counter()
        Deals.of(ordered)
        dealt = time.perf_counter() - began
        progress.step("merging")
        reports: list[AbstractionReport] = []
        stop: LimitReached | None = None
        began = time.perf_counter()
        for abstraction in [shrink_ordered(ordered, mode, threshold)] if rungs is None else ladder(ordered, rungs):
            merged = time.perf_counter() - began
            played = None
            if loss is not None:
                played, stopped = _played(abstraction, loss, call)
                stop = stopped or stop
                if played is None:
                    say("the solving ended too early: what is left has no strategies yet, and its loss is not known")
            solved = time.perf_counter() - began - merged
            progress.step("counting and checking")
            seconds = {"dealing": dealt, "merging": merged, **({} if loss is None else {"solving": solved})}
            reports.append(AbstractionReport.of(abstraction, played=played, dominance=dominance, seconds=seconds))
            began = time.perf_counter()
            if stop is not None and stop.interrupted:  # the other rungs are not begun
                break
    if plot is not None:
        try:
            _draw(call, reports, plot)
        except TrembleError as fault:  # there is no picture: the sizes are shown
            call.failure = fault
    listed = [records.abstraction_record(report) for report in reports]
    call.present(
        json=lambda: listed if rungs is not None else listed[0],
        csv=lambda: records.abstractions_csv(reports),
        table=lambda: games.ladder_view(reports) if rungs is not None else games.abstraction_view(reports[0]),
    )
    if not call.quiet:
        spent = {step: sum(report.seconds[step] for report in reports) for step in reports[0].seconds}
        say(", ".join(f"{step} {seconds:.2f} s" for step, seconds in {**spent, "dealing": dealt}.items()))
    if stop is not None:
        if call.failure is not None:
            say(f"error: {call.failure}")
        raise stop
    call.finish()


def _shrink_tree(call: Call, tree: GameTree | None, mode: str, threshold: Fraction | float | None) -> None:
    """Find what is alike in a tree, which is built first if there is none yet, and show it."""
    deadline = call.deadline
    with call:
        built = tree or deadline.allow(LOADING, call.tree, "while the tree was built")
        call.progress.step("what is alike")
        check = Clock(deadline.left).check
        merging = deadline.allow(SOLVING, lambda: merge(built, mode, threshold, check))
    call.present(
        json=lambda: records.merging_record(merging),
        csv=lambda: records.merging_csv(merging),
        table=lambda: merging_view(merging),
    )
    if not call.quiet:
        say(f"merging {merging.seconds:.2f} s, {merging.rounds or 'too many'} rounds")


def _draw(call: Call, reports: Sequence[AbstractionReport], plot: str) -> None:
    """Draw the losses of a ladder."""
    from tremble.show.plots import losses  # needs matplotlib

    rungs = {
        report.threshold or 0.0: (report.sizes.rows, float(report.certified_loss))
        for report in reports
        if report.certified_loss  # a loss of 0 has no logarithm
    }
    if not rungs:
        raise GameError("nothing is lost at any rung: there is nothing to draw")
    call.save(plot, lambda path: losses(rungs, path, title=reports[0].title), "the picture")


def _played(abstraction: Abstraction, gap: Fraction, call: Call) -> tuple[Verification | None, LimitReached | None]:
    """Judge, in the original game, strategies that are optimal in what is left, up to a gap.

    The second value is the limit or the signal that stopped the work first.
    """
    if not gap:
        nodes = total_nodes(abstraction.game.counts())
        if nodes > DEFAULT_MAX_NODES:
            raise TooLargeError(
                f"the game has {nodes:,} nodes, too many to solve what is left exactly; give a --loss G"
            )
        try:
            lifted = limited(call.time_limit, lambda: abstraction.lift(solve(abstraction.apply())))
        except LimitReached as stop:
            return None, stop
        return lifted.verification, None
    mode = abstraction.mode if abstraction.threshold is None else f"threshold:{abstraction.threshold!r}"
    game = UnbuiltGame.of(abstraction.game)
    try:
        solution = solve(
            game, method=Dcfr(abstraction=mode), gap=gap, time_limit=call.time_limit, progress=call.progress.step
        )
    except NotProvenError as less:  # a lossy abstraction never comes as near as its own gap
        return less.best.verification if isinstance(less.best, Solution) else None, None
    except LimitReached as stop:
        return stop.best.verification if isinstance(stop.best, Solution) else None, stop
    return solution.verification, None

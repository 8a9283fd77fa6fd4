"""The command ``tremble shrink`` for ordered games, which shows abstractions, their sizes and their losses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

import click

from tremble.capabilities import extension
from tremble.check import Verification
from tremble.cli.command import Call
from tremble.cli.console import say
from tremble.errors import GameError, LimitReached, NotProvenError, TooLargeError, TrembleError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.game.tree_size import total_nodes
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.abstraction.shrink import find_ordered, ladder, shrink_ordered
from tremble.poker.deals import Deals
from tremble.poker.views import abstraction_record, abstractions_csv, ladder_view, report_view
from tremble.run.deadline import limited
from tremble.solution.solution import Solution
from tremble.solvers.door import solve
from tremble.solvers.regret_method import Dcfr

__all__ = ["shrink_hands"]


def shrink_hands(
    call: Call,
    game: GameTree | UnbuiltGame,
    mode: str,
    threshold: Fraction | float | None,
    rungs: tuple[Fraction | float, ...] | None,
    loss: Fraction | None,
    dominance: bool,
    plot: str | None,
) -> bool:
    """Merge hands of an ordered game, show the resulting sizes, and return True; return False for any other game."""
    ordered = find_ordered(game)
    if ordered is None:
        return False
    if call.time_limit is not None and loss is None:
        raise click.UsageError("--time-limit limits the time for solving the shrunk game, so it needs --loss")
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
                    say("stopped before strategies of the shrunk game were found, so the loss is unknown")
            solved = time.perf_counter() - began - merged
            progress.step("counting and checking")
            seconds = {"dealing": dealt, "merging": merged, **({} if loss is None else {"solving": solved})}
            reports.append(AbstractionReport.of(abstraction, played=played, dominance=dominance, seconds=seconds))
            began = time.perf_counter()
            if stop is not None and stop.interrupted:  # after an interrupt, skip the remaining thresholds
                break
    if plot is not None:
        try:
            _draw(call, reports, plot)
        except TrembleError as fault:  # show the sizes without the picture
            call.failure = fault
    listed = [abstraction_record(report) for report in reports]
    call.present(
        json=lambda: listed if rungs is not None else listed[0],
        csv=lambda: abstractions_csv(reports),
        table=lambda: ladder_view(reports) if rungs is not None else report_view(reports[0]),
    )
    if not call.quiet:
        spent = {step: sum(report.seconds[step] for report in reports) for step in reports[0].seconds}
        say(", ".join(f"{step} {seconds:.2f} s" for step, seconds in {**spent, "dealing": dealt}.items()))
    if stop is not None:
        if call.failure is not None:
            say(f"error: {call.failure}")
        raise stop
    call.finish()
    return True


def _draw(call: Call, reports: Sequence[AbstractionReport], plot: str) -> None:
    """Save a plot of the loss at each threshold."""
    rungs = {
        report.threshold or 0.0: (report.sizes.rows, float(report.certified_loss))
        for report in reports
        if report.certified_loss  # a loss of 0 has no logarithm
    }
    if not rungs:
        raise GameError("there is nothing to draw because no threshold causes a loss")
    draw = extension("plot of losses", "show")  # loads matplotlib
    call.save(plot, lambda path: draw(rungs, path, title=reports[0].title), "the picture")


def _played(abstraction: Abstraction, gap: Fraction, call: Call) -> tuple[Verification | None, LimitReached | None]:
    """Solve the shrunk game until the gap is at most ``gap``, and verify the strategies in the original game.

    Returns
    -------
    Verification or None
        The result of the verification, or None if no strategies were found.
    LimitReached or None
        The limit or signal that stopped the computation, if any.
    """
    if not gap:
        nodes = total_nodes(abstraction.game.counts())
        if nodes > DEFAULT_MAX_NODES:
            raise TooLargeError(f"the game has {nodes:,} nodes, too many for an exact loss; give a gap with --loss GAP")
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
    except NotProvenError as less:  # after a lossy abstraction, the gap can be larger in the original game
        return less.best.verification if isinstance(less.best, Solution) else None, None
    except LimitReached as stop:
        return stop.best.verification if isinstance(stop.best, Solution) else None, stop
    return solution.verification, None

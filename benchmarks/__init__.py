"""Benchmark suites: this program beside its peers on the same games in one run, as ratios.

A peer that is not installed is a row that says so, and so is one that fails: nobody is left out untried. A run in
which anything was compiled or imported counts for nobody. Times on a shared machine vary by half from run to run; the
ratios, taken between runs that alternate, vary less, and where they do not, none is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks import (
    abstraction,
    cells,
    counts,
    double_oracle,
    formats,
    general_sum,
    holdem,
    maxmin,
    merging,
    nash,
    refinements,
    rhode_island,
    river,
    startup,
)
from benchmarks.report import Goal, Report, Row
from tremble.errors import SpecError
from tremble.run.progress import Progress

__all__ = ["SUITES", "Goal", "Report", "Row", "Suite", "run"]


@dataclass(frozen=True)
class Suite:
    """A row of the table of suites, with the games and the time box of a run, in seconds, that it has by default."""

    about: str
    run: Callable[[Sequence[str], int, float, Progress], Report]  # takes games, repeat, time box and progress
    games: tuple[str, ...]
    time_box: float


SUITES: dict[str, Suite] = {
    "nash": Suite(
        "certified exact Nash beside float HiGHS, OpenSpiel and Gambit; about 10 minutes", nash.run, nash.GAMES, 90.0
    ),
    "refinements": Suite(
        "refinements beside exact Nash, the published algorithms, OpenSpiel and Gambit; about 20 minutes",
        refinements.run,
        refinements.GAMES,
        60.0,
    ),
    "merging": Suite(
        "linear programs with and without what is alike merged, and whole solutions; about two hours",
        merging.run,
        merging.GAMES,
        120.0,
    ),
    "general-sum": Suite(
        "certified equilibria of games of any sum beside Gambit; about 12 minutes",
        general_sum.run,
        general_sum.GAMES,
        60.0,
    ),
    "maxmin": Suite(
        "maxmin strategies of who forgets beside SCIP and the published algorithms; about half an hour",
        maxmin.run,
        maxmin.GAMES,
        60.0,
    ),
    "double-oracle": Suite(
        "the double oracle beside the whole linear program and regret minimisation; about 15 minutes",
        double_oracle.run,
        double_oracle.GAMES,
        60.0,
    ),
    "abstraction": Suite(
        "abstraction of ordered games against the sizes of their trees; about 2 minutes",
        abstraction.run,
        abstraction.GAMES,
        60.0,
    ),
    "rhode-island": Suite(
        "Rhode Island Hold'em solved, and a ladder of ranks beside HiGHS; about 90 minutes",
        rhode_island.run,
        rhode_island.GAMES,
        1200.0,
    ),
    "cells": Suite(
        "cells of a player who forgets, examined alone and by two workers; about 15 minutes",
        cells.run,
        cells.GAMES,
        120.0,
    ),
    "river": Suite(
        "rivers of Texas Hold'em beside an open poker solver; about 10 minutes", river.run, river.GAMES, 60.0
    ),
    "holdem": Suite(
        "rivers, turns and a flop of Texas Hold'em to a proven NashConv; about half an hour",
        holdem.run,
        holdem.GAMES,
        1800.0,
    ),
    "formats": Suite(
        "reading .efg files beside OpenSpiel and Gambit; about 5 minutes", formats.run, formats.GAMES, 60.0
    ),
    "counts": Suite(
        "known counts and values of the built-in games, written to docs/games.json; about 4 minutes",
        counts.run,
        counts.GAMES,
        60.0,
    ),
    "startup": Suite("import and time to first answer; under a minute", startup.run, startup.GAMES, 60.0),
}
"""Suite -> what it is and how it runs."""


def run(
    suite: str,
    *,
    games: Sequence[str] | None = None,
    repeat: int = 5,
    time_box: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run a suite, a key of ``SUITES``; its games, and its time box in seconds, can be replaced.

    Each program makes ``repeat`` timed runs; one that takes longer than the time box is given up, and so is loading.

    Raises
    ------
    SpecError
        Unknown suite or game; ``repeat`` or the time box is not positive.
    """
    entry = SUITES.get(suite)
    if entry is None:
        raise SpecError(f"unknown suite {suite!r:.80}; choose from: {', '.join(SUITES)}")
    box = entry.time_box if time_box is None else time_box
    if repeat < 1 or not box > 0:
        raise SpecError("repeat and the time box must be positive")
    played = entry.games if games is None else tuple(games)
    return entry.run(played, repeat, box, progress or (lambda _step, _fraction: None))

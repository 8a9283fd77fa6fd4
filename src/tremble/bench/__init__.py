"""Benchmark suites: this program beside its peers on the same games in one run, as ratios.

A peer that is not installed is a row that says so, and so is one that fails: nobody is left out untried. A run in
which anything was compiled or imported counts for nobody. Times on a shared machine vary by half from run to run; the
ratios, taken between runs that alternate, vary less, and where they do not, none is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tremble.bench import double_oracle, formats, nash, refinements, startup
from tremble.bench.report import Goal, Report, Row
from tremble.errors import SpecError
from tremble.model.progress import Progress

__all__ = ["SUITES", "Goal", "Report", "Row", "Suite", "run"]


@dataclass(frozen=True)
class Suite:
    """A row of the table of suites.

    Attributes
    ----------
    about : str
    run : callable
        Takes games, repeat, time box and progress.
    games : tuple of str
        What it plays by default.
    time_box : float
        Seconds that it allows one run by default.
    """

    about: str
    run: Callable[[Sequence[str], int, float, Progress], Report]
    games: tuple[str, ...]
    time_box: float


SUITES: dict[str, Suite] = {
    "nash": Suite(
        "certified exact Nash beside float HiGHS, OpenSpiel and Gambit; about 10 minutes",
        nash.run,
        nash.GAMES,
        90.0,
    ),
    "refinements": Suite(
        "refinements beside exact Nash, the published algorithms, OpenSpiel and Gambit; about 20 minutes",
        refinements.run,
        refinements.GAMES,
        60.0,
    ),
    "double-oracle": Suite(
        "the double oracle beside the whole linear program and regret minimisation; about 15 minutes",
        double_oracle.run,
        double_oracle.GAMES,
        60.0,
    ),
    "formats": Suite(
        "reading .efg files beside OpenSpiel and Gambit; about 5 minutes", formats.run, formats.GAMES, 60.0
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
    """Run a suite.

    Parameters
    ----------
    suite : str
        A key of ``SUITES``.
    games : sequence of str, optional
        What to play (see :func:`tremble.load`) instead of the suite's own choice.
    repeat : int
        Timed runs of each program.
    time_box : float, optional
        Seconds after which a run, or loading a game, is given up.
    progress : callable, optional
        Called with (what is being done, fraction done or None).

    Returns
    -------
    Report

    Raises
    ------
    SpecError
        Unknown suite or game; ``repeat`` or the time box is not positive.

    Examples
    --------
    >>> report = run("startup", games=["kuhn"], repeat=1)
    >>> [row.status for row in report.rows]
    ['done', 'done', 'done']
    """
    entry = SUITES.get(suite)
    if entry is None:
        raise SpecError(f"unknown suite {suite!r:.80}; choose from: {', '.join(SUITES)}")
    box = entry.time_box if time_box is None else time_box
    if repeat < 1 or not box > 0:
        raise SpecError("repeat and the time box must be positive")
    return entry.run(entry.games if games is None else tuple(games), repeat, box, progress or _silent)


def _silent(_step: str, _fraction: float | None) -> None:
    """Report nothing."""

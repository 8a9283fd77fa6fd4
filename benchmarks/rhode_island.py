"""Rhode Island Hold'em: how near its solution in what time, proven at the level of single cards; and fewer ranks.

*Exploitability* is half of NashConv, in thousandths of the ante of 5 chips. All programs work on the same lossless
abstraction; to find it is part of our times, and so is the proof by the independent checker in the original game. Wall
clock, as ours use two threads.

* ``tremble dcfr``, ``cfr+``, ``pcfr+``: :func:`tremble.solve` of the rules by that method, to the exploitability named.
* ``tremble interior-point``: to bounds :data:`CLOSE` chips apart, which is nine digits of the value.
* ``HiGHS IPM`` and ``HiGHS simplex``: the linear program of the shrunk game in floats, ``run()`` alone, without
  crossover and without a proof, on games whose shrunk tree can be built.

The published solution of the whole game ([1]_, section 1.3) took 7 days 17 hours and 25 GB, by the interior-point
barrier method of CPLEX, on a program whose size is that of the rule that loses
(:mod:`tremble.poker.abstraction.outcome_counts`).

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from benchmarks.contestant import Contestant, Failure, Job, Trial, timed
from benchmarks.nash import float_solver
from benchmarks.programs import killed_after
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment
from tremble.run.progress import Progress

__all__ = ["CLOSE", "GAMES", "LADDER", "WHOLE", "run"]

LADDER = tuple(f"rhode_island:ranks={ranks}" for ranks in (3, 4, 5, 6, 8))
WHOLE = "rhode_island"
GAMES = (*LADDER, WHOLE)

CLOSE = Fraction(1, 10**9)
"""Chips between the bounds."""

_ANTE = 5
_NEAR = (Fraction(1, 10), Fraction(1, 100))  # thousandths of the ante
_GOALS = {_NEAR[0]: 180.0, _NEAR[1]: 600.0}  # seconds
_MEMORY_MIB = 4096
_MOST_RANKS = 5  # of games whose shrunk tree is built


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    for game in games:
        outcomes = race(
            _whole(time_box) if game == WHOLE else _rung(time_box),
            Job(game),
            repeat=repeat,
            time_box=time_box,
            grace=killed_after(time_box) - time_box,
            progress=progress,
        )
        rows += rows_of(game, outcomes)
    return Report("rhode-island", tuple(rows), tuple(_goals(rows)), environment())


def _whole(time_box: float) -> tuple[Contestant, ...]:
    near, nearer = _NEAR
    return tuple(
        Contestant(_named(method, share), partial(_ours, method=method, gap=_gap(share), time_box=time_box))
        for method, share in (("dcfr", near), ("cfr+", near), ("pcfr+", near), ("dcfr", nearer))
    )


def _rung(time_box: float) -> tuple[Contestant, ...]:
    return (
        Contestant("tremble interior-point", partial(_ours, method="interior-point", gap=CLOSE, time_box=time_box)),
        Contestant(_named("dcfr", _NEAR[0]), partial(_ours, method="dcfr", gap=_gap(_NEAR[0]), time_box=time_box)),
        *(Contestant(f"HiGHS {solver}", partial(_highs, solver=solver)) for solver in ("ipm", "simplex")),
    )


def _named(method: str, share: Fraction) -> str:
    return f"tremble {method}, {float(share):g} milli-antes"


def _gap(share: Fraction) -> Fraction:
    """NashConv in chips of an exploitability in thousandths of the ante."""
    return 2 * share / 1000 * _ANTE


def _ours(job: Job, *, method: str, gap: Fraction, time_box: float) -> Callable[[], Trial]:
    import tremble
    from tremble.errors import LimitReached, NotProvenError

    game = tremble.load_rules(job.game)
    tremble.solve(tremble.load_rules("rhode_island:ranks=2"), method=method, gap=1)  # compiles the kernels

    def trial() -> Trial:
        fresh = tremble.load_rules(job.game)
        try:
            seconds, solution = timed(lambda: tremble.solve(fresh, method=method, gap=gap, time_limit=time_box))
        except (LimitReached, NotProvenError) as stopped:
            best: Any = stopped.best
            over = isinstance(stopped, LimitReached)
            said = "" if best is None or best.bounds is None else _said(best)
            spent = time_box if over else best.stats["total_seconds_float"]
            return Trial(spent, status=f"over {time_box:g} s" if over else "not near enough", note=said)
        assert solution.bounds is not None
        return Trial(seconds, float(sum(solution.bounds) / 2), str(solution.status), _said(solution))

    assert game.digest
    return trial


def _said(solution: Any) -> str:
    lower, upper = solution.bounds
    stats = solution.stats
    said = [f"NashConv {float(upper - lower):.3g} chips, proven"]
    if "iterations" in stats:
        said.append(f"{stats['iterations']:,} iterations")
    if "verify_seconds_float" in stats:
        said.append(f"verification {stats['verify_seconds_float']:.1f} s")
    return ", ".join(said)


def _highs(job: Job, *, solver: str) -> Callable[[], Trial]:
    import tremble
    from tremble.poker.games.rhode_island import RhodeIsland

    rules = tremble.load_rules(job.game).rules
    if not isinstance(rules, RhodeIsland) or rules.ranks > _MOST_RANKS:
        raise Failure("too large to be built")
    tree = tremble.shrink(rules).apply()
    make, value_of = float_solver(tree, solver=solver, run_crossover="off")

    def trial() -> Trial:
        highs = make()
        seconds, _ = timed(highs.run)
        status = highs.modelStatusToString(highs.getModelStatus())
        return Trial(seconds, value_of(highs), "done" if status in ("Optimal", "Unknown") else status)

    return trial


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    for share, seconds in _GOALS.items():
        row = by_name.get((WHOLE, _named("dcfr", share)))
        if row is not None:
            over = row.status.startswith("over")
            measured = None if row.seconds is None else row.seconds
            yield Goal(f"{WHOLE}: seconds to {float(share):g} milli-antes", measured, seconds, bound=over)
            yield Goal(f"{WHOLE}: MiB on the way", row.peak_mib, _MEMORY_MIB)
    for game in LADDER:
        row = by_name.get((game, "tremble interior-point"))
        if row is not None:
            yield Goal(
                f"{game}: certified to {float(CLOSE):g} chips", float(row.status == "bounded"), 1.0, at_least=True
            )

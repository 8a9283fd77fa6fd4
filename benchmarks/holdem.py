"""Rivers, turns and a flop of Texas Hold'em, to a proven NashConv in chips, in processor seconds.

The task is a game, a ``|`` and the target NashConv. A run goes from the rules to the proof at the level of single
hands, in a process of its own, with compiled kernels. Rivers and turns run on one processor, with one thread. A flop
runs on all processors, and the processor seconds of all threads and of all processes count.

The column ``published`` has the seconds of postflop-solver [1]_, an open solver in Rust, with 32-bit floats, one thread
and no proof. They were recorded on another machine, to the exploitability that it states itself.

References
----------
.. [1] Wataru Inariba (b-inary): postflop-solver, https://github.com/b-inary/postflop-solver.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from benchmarks.contestant import Contestant, Job, Trial, processor_seconds
from benchmarks.programs import killed_after
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment
from tremble.errors import LimitReached
from tremble.run.progress import Progress

__all__ = ["FLOP", "GAMES", "run"]

_REAL = (
    "range1=22+ A2s+ K9s+ QTs+ JTs T9s 98s ATo+ KJo+,range2=22+ A2s+ KTs+ QTs+ J9s+ T8s+ 97s+ 86s+ A8o+:0.5 KTo+ QJo"
)
# With three raises, all chips are in.
_RIVER = "holdem_river:board=Kh9d7s4c2h,pot=20,stack=100,bets=50,100,200,raises=3"
_TURN = f"holdem_turn:board=Kh9d7s4c,pot=20,stack=100,bets=50,100,raise_sizes=60,raises=3,{_REAL}"
_BASIC = (
    "holdem_turn:board=Td9d6hQc,pot=200,stack=900,bets=60,e,a,raise_sizes=2.5x,raises=3,"
    "range1=66+ A8s+ A5s-A4s AJo+ K9s+ KQo QTs+ JTs 96s+ 85s+ 75s+ 65s 54s,"
    "range2=QQ-22 AQs-A2s ATo+ K5s+ KJo+ Q8s+ J8s+ T7s+ 96s+ 86s+ 75s+ 64s+ 53s+"
)
FLOP = f"holdem_flop:board=Kh9d7s,pot=20,stack=100,bets=50,raise_sizes=60,raises=1,{_REAL}"

# Task -> the recorded seconds of postflop-solver, and the goal in seconds; None if there is none.
_KNOWN: dict[str, tuple[float | None, float | None]] = {
    f"{_RIVER},{_REAL}|0.04": (0.065, 0.05),
    f"{_RIVER},{_REAL}|0.004": (0.291, 0.2),
    f"{_RIVER}|0.04": (0.302, 0.13),
    f"{_RIVER}|0.004": (1.226, 0.25),
    f"{_TURN}|0.12": (3.0, 1.8),
    f"{_BASIC}|2": (2.1, 1.0),
    f"{FLOP}|0.2": (None, None),
}
GAMES = tuple(_KNOWN)


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    goals: list[Goal] = []
    for task in games:
        ours = Contestant("tremble dcfr", partial(_ours, time_box=time_box))
        outcomes = race(
            [ours], Job(task), repeat=repeat, time_box=time_box, grace=killed_after(time_box) - time_box,
            progress=progress,
        )  # fmt: skip
        published, goal = _KNOWN.get(task, (None, None))
        found = [replace(row, published=published) for row in rows_of(task, outcomes)]
        rows += found
        if goal is not None:
            goals += [Goal(f"{task}: processor seconds", row.seconds, goal) for row in found]
    return Report("holdem", tuple(rows), tuple(goals), environment())


def _ours(job: Job, *, time_box: float) -> Callable[[], Trial]:
    import tremble
    from tremble.poker.holdem.game import HoldemGame

    spec, _, gap = job.game.partition("|")
    if not spec.startswith("holdem_flop"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def trial() -> Trial:
        game = tremble.load_rules(spec)  # so that no run uses what another run has computed
        began = processor_seconds()
        try:
            solution = tremble.solve(game, method="dcfr", gap=Fraction(gap), time_limit=killed_after(time_box) / 2)
        except LimitReached:
            return Trial(processor_seconds() - began, status=f"over {time_box:g} s")
        seconds, stats = processor_seconds() - began, solution.stats
        assert solution.bounds is not None
        assert isinstance(game.rules, HoldemGame)
        lower, upper = solution.bounds
        said = (
            f"NashConv {float(upper - lower):.3g}, proven; {stats['iterations']:,} iterations; verification "
            f"{stats['verify_seconds_float']:.3f} s, all {stats['total_seconds_float']:.2f} s; tables of a solution "
            f"{game.rules.table_bytes() / 1e6:,.1f} MB"
        )
        return Trial(seconds, float((lower + upper) / 2), str(solution.status), said)

    return trial

"""The double oracle beside the linear program of the whole game and regret minimisation, on the same games.

What is timed of each program, in a process of its own, in processor seconds (all use one thread; the checker that looks
at strategies of rules meanwhile is a second process, whose seconds and memory are in the columns, too); no tree is
built:

* ``double oracle``: :func:`tremble.solve` of a loaded tree, or of the rules where that has more than 5 million nodes,
  from the first look at the game to the independent checker's proof. Ratios are to this.
* ``double oracle, from rules``: of the rules even though the tree is there.
* ``double oracle, POLICY``: with the policies of the paper and without smoothing. (Large restricted games are solved
  by regret minimisation first, as in the other two.)
* ``as published, POLICY``: the method ``published-double-oracle``: the paper's best response, a search through
  histories, and linear programs alone; with the same exact end and proof.
* ``lp, exact``: the same with the linear program of the whole game.
* ``HiGHS simplex, float`` and ``HiGHS interior point, float``: ``run()`` alone on that linear program, without
  strategies or proof; the interior point method without crossover.
* ``CFR+``, ``DCFR``, ``CFR``: like the first, but only until the bounds are proven to be 0.001 apart, in payoff units.

A solver that is not done when the time box is over stops and says how far its bounds are apart. The note of the
double oracle says when its bounds were 0.001 apart: compare that with regret minimisation.

The column ``published`` has the seconds that the paper states for its algorithm, on its authors' machine (Java and
CPLEX's barrier method, one thread of an Intel i7 at 2.8 GHz), of the same policy (its DO-B, DO-SA, DO-SWP); beside
``double oracle`` and ``from rules`` those of its fastest policy, which the note names; those of the whole linear
program beside ``HiGHS interior point, float``.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček: An exact double-oracle algorithm for zero-sum extensive-form
games with imperfect information, Journal of Artificial Intelligence Research 51, 2014, section 6.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from benchmarks.contestant import Contestant, Job
from benchmarks.nash import compared
from benchmarks.programs import GAP, Program, killed_after, prepare
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment, notes
from tremble.run.progress import Progress

__all__ = ["GAMES", "PROGRAMS", "PUBLISHED", "PUBLISHED_GAPS", "PUBLISHED_SIZES", "UNNAMED_GAPS", "canonical", "run"]

GAMES = ("border_patrol:depth=6", "border_patrol", "poker:bets=2,raises=2", "phantom_ttt:win_first=true")

_R4 = "poker:bets=2,raises=4"
_T5 = "poker:bets=2,each=3,raises=4,types=4"
_B3 = "poker:bets=3,each=3,raises=2,types=4"
_B4 = "poker:bets=4,each=3,raises=2,types=4"
_PHANTOM, _FORCED = "phantom_ttt", "phantom_ttt:forced_wins=true"

PUBLISHED: dict[str, dict[str, float]] = {
    "as published, both": {"border_patrol": 81.51, _FORCED: 21_197.0, _T5: 234.60},
    "as published, alternating": {"border_patrol": 54.32, _FORCED: 17_667.0, _T5: 199.24},
    "as published, worse": {"border_patrol": 21.15, _FORCED: 17_589.0, _R4: 103.0, _T5: 182.68},
    "HiGHS interior point, float": {"border_patrol": 351.98, _R4: 126.0, _T5: 278.18},
}
"""Program -> game -> seconds of its counterpart in the paper: Tables 3, 4 and 5 (DO-B, DO-SA, DO-SWP, FullLP); of R4
section 6.2, which names two. T5 is our name for the game of Table 5. The paper's linear programs are solved by CPLEX's
barrier method. Table 4 is of a random order of actions; with a heuristic one, as ``phantom_ttt`` has, section 6.2
states 2 hours for DO-SWP, and less than 3 for each."""

PUBLISHED_SIZES: dict[str, dict[str, tuple[int, int, int]]] = {
    "as published, both": {
        "border_patrol": (187, 252, 711), _FORCED: (335, 7_676, 10_095), _T5: (152, 6_799, 6_854)
    },
    "as published, alternating": {
        "border_patrol": (344, 264, 649), _FORCED: (671, 7_518, 9_648), _T5: (289, 6_762, 6_673)
    },
    "as published, worse": {
        "border_patrol": (209, 193, 692), _FORCED: (591, 8_242, 8_832), _T5: (267, 6_572, 6_599)
    },
}  # fmt: skip
"""Program -> game -> iterations, and sequences of players 1 and 2 in the last restricted game, in the same tables (that
of phantom tic-tac-toe in random order)."""

PUBLISHED_GAPS: dict[str, tuple[tuple[float, float], ...]] = {
    "border_patrol": ((200.0, 0.0657), (3600.0, 0.0158)),
    _T5: ((400.0, 0.1212), (3600.0, 0.0268)),
    _B3: ((1600.0, 0.0266),),
}
"""Game -> pairs (seconds, error) of CFR in the paper; on the last game it says that the error is still above that."""

UNNAMED_GAPS = {"border_patrol": "instance not named, taken for G1"}
"""Game -> what to say of its pairs: the paper's Figure 8 is of a search game of value -0.3333, which only those on G1
have here."""

_SHORT = dict(zip(PUBLISHED_SIZES, ("DO-B", "DO-SA", "DO-SWP"), strict=True))  # what the paper calls its policies

_SMALL = 2_000_000  # nodes; on larger games programs run once, one after the other, to hold one tree at a time

_SECONDS = {
    "border_patrol": 15.0,
    "border_patrol:slow=false": 15.0,
    "border_patrol:graph=2": 15.0,
    "border_patrol:graph=2,slow=false": 15.0,
    "border_patrol:graph=3": 15.0,
    "border_patrol:graph=3,slow=false": 15.0,
    _PHANTOM: 180.0,
    f"{_PHANTOM}:win_first=true": 180.0,
    _FORCED: 60.0,
    _R4: 45.0,
    _T5: 60.0,
    "poker:bets=2,raises=5": 120.0,
    _B4: 900.0,
}
_MEBIBYTES = {_PHANTOM: 4096.0, f"{_PHANTOM}:win_first=true": 4096.0, _FORCED: 4096.0}
_FASTER_THAN_HIGHS = (_R4, _T5)

_OURS = Program("double oracle", "double-oracle")
_PAPERS = tuple(PUBLISHED_SIZES)

PROGRAMS = (
    _OURS,
    _OURS.from_rules(),
    *(
        Program(f"double oracle, {policy}", "double-oracle", {"policy": policy, "smoothing": 0.0})
        for policy in ("both", "alternating", "worse")
    ),
    *(
        Program(f"as published, {policy}", "published-double-oracle", {"policy": policy})
        for policy in ("both", "alternating", "worse")
    ),
    Program("lp, exact", "lp"),
    Program("HiGHS simplex, float", "simplex"),
    Program("HiGHS interior point, float", "ipm"),
    Program("CFR+", "cfr+", {"gap": GAP}),
    Program("DCFR", "dcfr", {"gap": GAP}),
    Program("CFR", "cfr", {"gap": GAP}),
)
"""Ours comes first; ratios are to it."""


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="tremble-bench-") as folder:
        for game in games:
            progress(f"{game}: building the tree", None)
            job = Job.of(game, folder)
            rows += _beside_the_paper(compared(_raced(job, repeat, time_box, progress)))
    return Report("double-oracle", tuple(rows), tuple(_goals(rows)), environment())


def _raced(job: Job, repeat: int, time_box: float, progress: Progress) -> list[Row]:
    """The rows of one game."""
    wanted = [program for program in PROGRAMS if job.tree_file or not program.rules]  # else all play from rules
    fit = [program for program in wanted if program.can_play(job)]
    contestants = [Contestant(program.name, partial(prepare, program=program, time_box=time_box)) for program in fit]
    small = job.nodes is not None and job.nodes <= _SMALL
    outcomes = [
        outcome
        for group in ([contestants] if small else [[contestant] for contestant in contestants])
        for outcome in race(
            group,
            job,
            repeat=repeat if small else 1,
            time_box=time_box,
            grace=killed_after(time_box) - time_box,
            progress=progress,
        )
    ]
    rows = {row.program: row for row in rows_of(job.game, outcomes)}
    if job.nodes is not None:
        ours = rows[_OURS.name]
        rows[_OURS.name] = replace(ours, note=notes(f"{job.nodes:,} nodes", ours.note))
    absent = {program.name: "needs the rules" if program.rules else "needs the tree" for program in wanted}
    return [rows.get(name) or Row(job.game, name, status) for name, status in absent.items()]


def canonical(game: str) -> str:
    """The name under which this module knows a game, however it is spelt."""
    from tremble.games.parameters import is_built_in, parse_spec

    return parse_spec(game)[1] if is_built_in(game) else game


def _beside_the_paper(rows: Sequence[Row]) -> Iterator[Row]:
    """Add what the paper states of the same policy, to our own rows of its fastest one, and where ours are slower."""
    for row in rows:
        game = canonical(row.task)
        ours = row.program in (_OURS.name, _OURS.from_rules().name)
        cited = {name: PUBLISHED[name].get(game) for name in (_PAPERS if ours else _counterpart(row.program))}
        stated = {name: seconds for name, seconds in cited.items() if seconds is not None}
        name = min(stated, key=stated.__getitem__, default=None)
        if name is not None:
            said = f"published is {_SHORT[name]}" if ours else ""
            row = replace(row, published=stated[name], note=notes(row.note, said))
        if row.published is not None and row.seconds is not None and row.seconds > row.published:
            row = replace(row, note=notes(row.note, "slower than published"))
        if row.program == "CFR" and game in PUBLISHED_GAPS:
            gaps = ", ".join(f"{gap:g} after {seconds:,.0f} s" for seconds, gap in PUBLISHED_GAPS[game])
            unnamed = f" ({UNNAMED_GAPS[game]})" if game in UNNAMED_GAPS else ""
            row = replace(row, note=notes(row.note, f"published gaps{unnamed}: {gaps}"))
        yield row


def _counterpart(program: str) -> tuple[str, ...]:
    """The row of the paper that a program stands beside: its own, or that of its policy."""
    own = program.replace("double oracle, ", "as published, ")
    return (own,) if own in PUBLISHED else ()


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    for game in dict.fromkeys(row.task for row in rows):
        name = canonical(game)
        ours = [row for row in rows if row.task == game and row.program.startswith("double oracle")]
        proven = [row for row in ours if row.status == "certified" and row.seconds is not None]
        best = min(proven, key=lambda row: row.seconds or inf, default=None)
        seconds = None if best is None else best.seconds
        if name in _SECONDS:
            yield Goal(f"{game}: seconds, fastest double oracle", seconds, _SECONDS[name])
        if name in _MEBIBYTES:
            yield Goal(f"{game}: MiB, fastest double oracle", None if best is None else best.peak_mib, _MEBIBYTES[name])
        highs = [
            row for row in rows if row.task == game and row.program.startswith("HiGHS") and row.seconds is not None
        ]
        if name in _FASTER_THAN_HIGHS and highs:
            rival = min(highs, key=lambda row: (row.seconds or inf, row.status.startswith("over")))
            times = None if seconds is None or rival.seconds is None else rival.seconds / seconds
            over = rival.status.startswith("over")
            yield Goal(f"{game}: faster HiGHS / fastest double oracle", times, 1.0, at_least=True, bound=over)

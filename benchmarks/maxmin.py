"""Maxmin strategies of players who forget, beside the published algorithms and SCIP, on families of random games.

Each family is :class:`~tremble.games.random_imperfect_recall.RandomImperfectRecall` with seeds 0, 1, 2, ...; all stop
when their bounds are :data:`EPSILON` of the range of the payoffs apart. What is timed of each contestant, in a process
of its own that plays one game of the family after the other, warm, in one thread, game by game in turn:

* ``tremble branch-and-bound``: :func:`tremble.solve` of a loaded tree, the proof by the independent checker included.
  What comes out, open games too, is given to :func:`tremble.verify` again, untimed.
* ``SCIP``: ``optimize`` alone, on the bilinear sequence form (:mod:`.scip`), in floats, without proof. What its
  strategy guarantees is computed here, untimed.
* ``milp`` and ``bnb-digits``: the published algorithms (:mod:`tremble.solvers.published`), until their own bounds are
  close enough; the upper one is a claim of floats.

A row is a program on a family. Its seconds are the mean, with its standard error; a game that was not solved counts
with its time box, so both they and the ratio, the geometric mean over the games that both played, are lower bounds
then. ``repeat`` is the number of games of each family, at most those of its :class:`Family`. A *gap* is in units of
epsilon. A game with a seed, or another one, is a family of its own; ``@1e-5`` behind one is another epsilon.

Families with ``merge2`` have an opponent with A-loss recall, as the paper's experiments (section 5.1: depth 6,
branching 3 and 4, sets of both players merged at random, which can span levels; with ``merge=1.0`` ours never do). The
column ``published`` is Table 1: seconds on its authors' machine, of which it says that the programs are in Java, with
one thread, 8 GB and CPLEX 12.6, but not which processor.
What the paper does not say is how many observations there are, how payoffs are drawn, how often sets are merged, and
its epsilon.

References
----------
B. Bošanský, J. Čermák, K. Horák and M. Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
imperfect recall, ICAART 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import exp, inf, isfinite, log, sqrt
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, Any

from benchmarks.contestant import Contestant, Failure, Job, Process, Trial, first_uses, timed
from benchmarks.programs import killed_after
from benchmarks.report import Goal, Report, Row, environment, notes
from tremble.run.progress import Progress

if TYPE_CHECKING:
    from tremble.game.tree import GameTree

__all__ = [
    "EPSILON",
    "FAMILIES",
    "GAMES",
    "PUBLISHED",
    "Bounded",
    "Family",
    "Published",
    "Record",
    "contestants",
    "play",
    "report",
    "run",
    "std_error",
]

EPSILON = 1e-4
"""Of the range of the payoffs."""

_BASE = "random_imperfect_recall"
_EASY, _HARD = f"{_BASE}:branching=3,merge=1.0", f"{_BASE}:branching=3,merge=0.5"
_WIDE, _HARDEST = f"{_BASE}:branching=4,merge=1.0", f"{_BASE}:branching=4,merge=0.5"
_A_LOSS = {
    branching: tuple(f"{_BASE}:branching={branching},merge={merge},merge2={merge}" for merge in ("1.0", "0.5"))
    for branching in (3, 4)
}


@dataclass(frozen=True)
class Family:
    """How many games each plays at most, from the first seed on."""

    ours: int = 10
    scip: int = 10
    published: int = 0

    def at_most(self, games: int) -> Family:
        """The same, with no more than so many."""
        return Family(min(self.ours, games), min(self.scip, games), min(self.published, games))


@dataclass(frozen=True)
class _Wanted:
    """Goals of a family."""

    solved: float  # share of the games
    mean: float | None = None  # seconds
    faster: bool = False  # than SCIP and the published branch and bound
    primal: bool = False  # strategies never worse than SCIP's


FAMILIES: dict[str, Family] = {
    _EASY: Family(100, 40, 10),
    _HARD: Family(100, 40, 10),
    _WIDE: Family(100, 12),
    _HARDEST: Family(24, 6),
    f"{_BASE}:branching=5,merge=1.0": Family(10, 0),
    f"{_BASE}:branching=3,depth=8,merge=1.0": Family(10, 0),
    f"{_HARD}@1e-5": Family(10, 0),
}
FAMILIES |= {family: Family(100, 12, 10) for families in _A_LOSS.values() for family in families}
GAMES = tuple(FAMILIES)


@dataclass(frozen=True)
class Published:
    """What Table 1 and section 5.2 of the paper state of a program, over at least 100 games."""

    mean: float  # seconds, over the games that both programs finished
    std_error: float
    cut_off: int  # games that were given up after 2 hours


_TABLE_1 = {
    3: {"milp": Published(157.87, 61.47, 19), "bnb-digits": Published(9.52, 3.78, 17)},
    4: {"milp": Published(459.09, 75.95, 34), "bnb-digits": Published(184.50, 48.22, 30)},
}
PUBLISHED = {family: _TABLE_1[branching] for branching, families in _A_LOSS.items() for family in families}
"""Family -> program -> what the paper states. The one place for these."""

_WANTED = {
    _EASY: _Wanted(1.0, 2.0, faster=True),
    _HARD: _Wanted(1.0, 2.0, faster=True),
    _WIDE: _Wanted(1.0, 5.0),
    _HARDEST: _Wanted(0.7, primal=True),
}
_PATIENCE = 600.0  # seconds; the share of games solved is wanted within these

_OURS, _SCIP, _DIGITS = "tremble branch-and-bound", "SCIP", "bnb-digits"
_PUBLISHED = ("milp", _DIGITS)
_SOLVED = "solved"
_UNITS = {_OURS: "cells", _SCIP: "nodes", "milp": "iterations", _DIGITS: "iterations"}
_PUBLISHED_BOX = 0.5  # of the time box: they seldom end
_TOLERANCE = 1e-6  # of the range: what floats may be off by
_ATTEMPTS = 3  # at a run in which nothing is used for the first time
_SAID = ("status", "seconds", "lower", "upper", "stated", "work", "verified")
_WARM_UP = (f"{_BASE}:branching=2,merge=0.5,seed=1", f"{_BASE}:branching=3,depth=4,seed=1")
_WARM_UP_OF_OURS = (*_WARM_UP, f"{_HARD},seed=3")  # one of many cells, for all kernels


@dataclass(frozen=True)
class Bounded(Trial):
    """A run that ends with bounds on what the player can guarantee, in payoff units; None where there are none."""

    lower: float | None = None
    upper: float | None = None
    stated: float | None = None  # the lower bound that the program states, where it is not what its strategy guarantees
    work: int | None = None  # cells or nodes
    verified: bool | None = None  # by the independent checker; None where there is nothing to verify


@dataclass(frozen=True)
class Record:
    """One program on one game."""

    family: str
    game: str
    program: str
    status: str  # "solved", "over 60 s", or what went wrong
    seconds: float | None  # the time box where it was hit
    time_box: float
    epsilon: float  # in payoff units
    payoff_range: float
    lower: float | None = None
    upper: float | None = None
    stated: float | None = None
    work: int | None = None
    verified: bool | None = None
    peak_mib: float | None = None

    @property
    def gap(self) -> float | None:
        """What is left between the bounds, in epsilons."""
        known = self.lower if self.stated is None else self.stated
        return None if known is None or self.upper is None else (self.upper - known) / self.epsilon


# -- contestants -----------------------------------------------------------------------------------------


def contestants(games: Sequence[str], epsilon: float, time_box: float) -> dict[str, Contestant]:
    """By name; each plays the games in turn, and gives up after the time box."""
    solvers: dict[str, Callable[..., Bounded]] = {
        _OURS: _branch_and_bound,
        _SCIP: _scip,
        **{name: partial(_published, method=name) for name in _PUBLISHED},
    }
    return {
        name: Contestant(
            name,
            partial(
                _prepare,
                solve=partial(solve, epsilon=epsilon, time_box=time_box),
                games=tuple(games),
                warm_up=_WARM_UP_OF_OURS if name == _OURS else _WARM_UP,
            ),
            ("pyscipopt",) if name == _SCIP else (),
        )
        for name, solve in solvers.items()
    }


def _prepare(
    _job: Job, *, solve: Callable[[GameTree], Bounded], games: Sequence[str], warm_up: Sequence[str]
) -> Callable[[], Trial]:
    """Warm up, and play one game after the other."""
    import tremble

    for game in warm_up:
        solve(tremble.load(game))
    left = iter(games)

    def trial() -> Trial:
        tree = tremble.load(next(left))
        for _ in range(_ATTEMPTS):
            with first_uses() as used:
                bounded = solve(tree)
            if not used or bounded.status != _SOLVED:
                break
        return bounded

    return trial


def _span(tree: GameTree) -> float:
    payoff = tree.payoff_float[:, 0]
    return float(payoff.max() - payoff.min())


def _branch_and_bound(tree: GameTree, *, epsilon: float, time_box: float) -> Bounded:
    import tremble
    from tremble.errors import LimitReached, NotProvenError

    status = _SOLVED
    try:
        seconds, solution = timed(
            lambda: tremble.solve(
                tree, "maxmin", "branch-and-bound", player=0, epsilon=epsilon, time_limit=time_box, jobs=1
            )
        )
    except (LimitReached, NotProvenError) as error:
        seconds, solution = time_box, error.best
        status = f"over {time_box:g} s" if isinstance(error, LimitReached) else "NOT PROVEN"
    if solution is None or solution.bounds is None:
        return Bounded(seconds, status=status)
    lower, upper = solution.bounds
    checked = tremble.verify(tree, solution)
    return Bounded(
        seconds,
        status=status,
        lower=float(lower),
        upper=float(upper),
        work=solution.stats.get("cells"),
        verified=checked.ok and checked.bounds == solution.bounds,
    )


def _scip(tree: GameTree, *, epsilon: float, time_box: float) -> Bounded:
    from benchmarks.scip import Bilinear
    from tremble.recall.bilinear_form import BilinearForm
    from tremble.recall.published.bilinear_program import BilinearProgram

    form = BilinearForm.of(tree, 0)
    program = Bilinear(form, epsilon=epsilon * _span(tree), time_limit=time_box)
    seconds, _ = timed(program.solve)
    found = program.found()
    return Bounded(
        seconds if found.solved else time_box,
        status=_SOLVED if found.solved else f"over {time_box:g} s",
        lower=None if found.behavior is None else BilinearProgram(form).guarantee(found.behavior),
        upper=found.upper,
        stated=found.lower,
        work=found.nodes,
    )


def _published(tree: GameTree, *, method: str, epsilon: float, time_box: float) -> Bounded:
    from tremble.errors import LimitReached
    from tremble.recall.published.method import BnbDigits, Milp
    from tremble.run.clock import Clock
    from tremble.solvers.method import Run

    reported: list[Mapping[str, Any]] = [{"lower_float": -inf, "upper_float": inf, "solve_seconds_float": time_box}]
    chosen = Milp() if method == Milp.name else BnbDigits()
    gap = epsilon * _span(tree)
    run = Run(Clock(time_box), log=reported.append, gap=Fraction(gap))
    status = _SOLVED
    try:
        chosen.run(tree, "maxmin", run)
    except LimitReached:
        status = f"over {time_box:g} s"
    last = reported[-1]
    lower, upper = (bound if isfinite(bound) else None for bound in (last["lower_float"], last["upper_float"]))
    seconds = last["solve_seconds_float"] if status == _SOLVED else time_box
    if status == _SOLVED and last["upper_float"] - last["lower_float"] > gap:
        status = "open, with all of its digits"
    return Bounded(seconds, status=status, lower=lower, upper=upper, work=last["iteration"] if reported[1:] else 0)


# -- the race --------------------------------------------------------------------------------------------


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    played = {family: FAMILIES.get(family, Family(published=10)) for family in games}
    records = [
        record
        for family, most in played.items()
        for record in play(family, most.at_most(repeat), time_box=time_box, progress=progress)
    ]
    return report(records)


def play(family: str, most: Family, *, time_box: float, progress: Progress) -> Iterator[Record]:
    """Let everybody play its games of a family, game by game in turn; a record of each as it ends."""
    import tremble

    base, _, part = family.partition("@")
    epsilon = float(part or EPSILON)
    games = [base]
    if base.startswith(_BASE) and "seed=" not in base:
        between = "," if ":" in base else ":"
        games = [f"{base}{between}seed={seed}" for seed in range(max(most.ours, most.scip, most.published))]
    shares = {_OURS: most.ours, _SCIP: most.scip, **dict.fromkeys(_PUBLISHED, most.published)}
    with ExitStack() as stack:
        running: dict[str, Process] = {}
        for k, game in enumerate(games):
            span = _span(tremble.load(game))
            for name, share in shares.items():
                if k >= share:
                    continue
                progress(f"{game}: {name}", k / len(games))
                box = time_box * (_PUBLISHED_BOX if name in _PUBLISHED else 1.0)
                blank = Record(family, game, name, "", None, box, epsilon * span, span)
                contestant = contestants(games[k:share], epsilon, box)[name]
                if not contestant.installed:
                    yield replace(blank, status="not installed")
                    continue
                try:
                    if name not in running:
                        running[name] = stack.enter_context(Process(contestant, Job(family)))
                        running[name].ready(killed_after(box))
                    trial = running[name].run(killed_after(box))
                except Failure as failure:
                    peak = running.pop(name).peak_mib
                    seconds, status = (box, f"over {box:g} s") if failure.box else (None, failure.status)
                    yield replace(blank, status=status, seconds=seconds, peak_mib=peak)
                    continue
                assert isinstance(trial, Bounded)
                said = {key: getattr(trial, key) for key in _SAID}
                yield replace(blank, peak_mib=running[name].peak_mib, **said)


# -- the report ------------------------------------------------------------------------------------------


def report(records: Sequence[Record]) -> Report:
    """What single games show, in rows of families."""
    return Report(
        "maxmin",
        tuple(_rows(records)),
        tuple(_goals(records)),
        environment(),
        tuple({**asdict(record), "gap": record.gap} for record in records),
    )


def _rows(records: Sequence[Record]) -> Iterator[Row]:
    for family in dict.fromkeys(record.family for record in records):
        for name in (_OURS, _SCIP, *_PUBLISHED):
            mine = _of(records, family, name)
            if mine:
                row = _row(family, name, mine, _of(records, family, _OURS), _of(records, family, _SCIP))
                yield _beside_the_paper(row, mine, [_of(records, family, one) for one in _PUBLISHED])


def _beside_the_paper(row: Row, mine: dict[str, Record], both: Sequence[dict[str, Record]]) -> Row:
    """Add what the paper states, to our own row its better program, and the same figure of ours."""
    paper = PUBLISHED.get(row.task, {})
    if row.program == _OURS:
        return replace(row, published=min((stated.mean for stated in paper.values()), default=None))
    said = paper.get(row.program)
    if said is None:
        return row
    took = [
        r.seconds
        for game, r in mine.items()
        if r.seconds is not None and all(game in one and one[game].status == _SOLVED for one in both)
    ]
    here = f"{len(took)} solved by both published programs"
    here += f", {_with_error(mean(took), std_error(took))}" if took else ""
    there = f"published: {_with_error(said.mean, said.std_error)}, {said.cut_off} cut off after 2 h"
    return replace(row, published=said.mean, note=notes(row.note, here, there))


def _with_error(seconds: float, error: float | None) -> str:
    return f"{seconds:.4g} s" if error is None else f"{seconds:.4g} ± {error:.3g} s"


def std_error(values: Sequence[float]) -> float | None:
    """The standard error of the mean; None of less than two.

    Examples
    --------
    >>> std_error([1.0, 3.0]), std_error([1.0])
    (1.0, None)
    """
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else None


def _of(records: Sequence[Record], family: str, program: str) -> dict[str, Record]:
    """By game."""
    return {r.game: r for r in records if (r.family, r.program) == (family, program)}


def _row(family: str, name: str, mine: dict[str, Record], ours: dict[str, Record], scip: dict[str, Record]) -> Row:
    took = [r.seconds for r in mine.values() if r.seconds is not None]
    if not took:
        return Row(family, name, next(iter(mine.values())).status)
    solved = sum(r.status == _SOLVED for r in mine.values())
    box = max(r.time_box for r in mine.values())
    said = [
        f"{solved} of {len(mine)} solved in {box:g} s",
        f"median {median(took):.3g} s, geometric mean {_middle(took):.3g} s",
        f"mean of its hardest quarter {mean(sorted(took)[-_quarter(took) :]):.3g} s",
    ]
    left = sorted(r.gap for r in mine.values() if r.gap is not None and r.status != _SOLVED)
    said += [f"gap left {left[0]:.3g} to {left[-1]:.3g} epsilons, median {median(left):.3g}"] if left else []
    bare = sum(r.gap is None for r in mine.values())
    said += [f"no bounds on {bare}"] if bare else []
    work = [r.work for r in mine.values() if r.work is not None]
    said += [f"{_UNITS[name]}: median {median(work):,.0f}, most {max(work):,}"] if work else []
    others = [r.status for r in mine.values() if r.status != _SOLVED and not r.status.startswith("over")]
    said += [f"{others.count(status)} {status}" for status in dict.fromkeys(others)]
    common = _both(ours, mine)
    if name == _OURS and (beside := _both(mine, scip)):
        share = sum(a for a, _ in beside) / sum(b for _, b in beside)
        said.append(f"{share:.1%} of SCIP's time on its {len(beside)} games")
    elif name != _OURS and common:
        said.append(f"{_middle(_ratios(_hardest(common))):.3g} times as long as tremble on its hardest quarter")
        better = [x for x in (_behind(ours[game], r) for game, r in mine.items() if game in ours) if x > 0.0]
        if better:
            said.append(f"a better strategy than tremble's on {len(better)}, by up to {max(better):.2g} epsilons")
    verified = [r.verified for r in mine.values() if r.verified is not None]
    said += [f"{sum(verified)} of {len(verified)} verified again"] if verified else []
    return Row(
        family,
        name,
        _SOLVED if solved == len(mine) else f"over {box:g} s on {len(mine) - solved}",
        seconds=mean(took),
        std_error=std_error(took),
        ratio=_middle(_ratios(common)) if common else None,
        runs=len(mine),
        peak_mib=max((r.peak_mib for r in mine.values() if r.peak_mib is not None), default=None),
        note=notes(*said),
    )


def _both(one: dict[str, Record], other: dict[str, Record]) -> list[tuple[float, float]]:
    """The seconds of both on their common games."""
    common = [(one[game].seconds, other[game].seconds) for game in one if game in other]
    return [(a, b) for a, b in common if a is not None and b is not None]


def _hardest(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The quarter on which the second takes longest."""
    return sorted(pairs, key=lambda pair: -pair[1])[: _quarter(pairs)]


def _quarter(of: Sequence[object]) -> int:
    return max(1, len(of) // 4)


def _ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    return [b / a for a, b in pairs]


def _middle(values: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(mean(map(log, values)))


def _goals(records: Sequence[Record]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    families = dict.fromkeys(record.family for record in records)
    for family in families:
        ours, scip, digits = (_of(records, family, name) for name in (_OURS, _SCIP, _DIGITS))
        wanted = _WANTED.get(family)
        if not ours or wanted is None:
            continue
        box = max(r.time_box for r in ours.values())
        solved = mean(r.status == _SOLVED for r in ours.values())
        bound = solved < 1.0 and box < _PATIENCE
        yield Goal(f"{family}: share solved in {box:g} s", solved, wanted.solved, at_least=True, bound=bound)
        if wanted.mean is not None:
            took = mean(r.seconds or box for r in ours.values())
            yield Goal(f"{family}: mean seconds", took, wanted.mean, bound=solved < 1.0)
        pairs = _both(ours, scip)
        if wanted.faster and pairs:
            bound = any(r.status != _SOLVED for r in scip.values())
            ratio, hardest = _middle(_ratios(pairs)), _middle(_ratios(_hardest(pairs)))
            yield Goal(f"{family}: SCIP / tremble", ratio, 5.0, at_least=True, bound=bound)
            yield Goal(f"{family}: SCIP / tremble on SCIP's hardest quarter", hardest, 3.0, at_least=True, bound=bound)
        pairs = _both(ours, digits)
        if wanted.faster and pairs:
            bound = any(r.status != _SOLVED for r in digits.values())
            yield Goal(f"{family}: bnb-digits / tremble", _middle(_ratios(pairs)), 20.0, at_least=True, bound=bound)
        if wanted.primal and scip:
            left = [game for game in ours if game in scip and ours[game].status != _SOLVED]
            behind = max((_behind(ours[game], scip[game]) for game in left), default=0.0)
            yield Goal(f"{family}: SCIP's best strategy above ours where ours is open, epsilons", behind, 0.0)
    mine = [r for r in records if r.program == _OURS]
    if mine:
        yield Goal("games on which bounds contradict another program's", len(_refuted(records)), 0.0)
        yield Goal("games left without bounds that are verified", sum(not r.verified for r in mine), 0.0)


def _behind(ours: Record, other: Record) -> float:
    """How far the other's strategy is better than ours, in epsilons; 0 within the tolerance."""
    if other.lower is None:
        return 0.0
    more = ours.payoff_range if ours.lower is None else other.lower - ours.lower
    return more / ours.epsilon if more > _TOLERANCE * ours.payoff_range else 0.0


def _refuted(records: Sequence[Record]) -> list[str]:
    """Where our upper bound is below what another's strategy guarantees, or our lower above another's upper bound."""
    by_game: dict[str, list[Record]] = {}
    for record in records:
        by_game.setdefault(f"{record.game} {record.epsilon}", []).append(record)
    found: list[str] = []
    for game, beside in by_game.items():
        for one, other in permutations(beside, 2):
            slack = _TOLERANCE * one.payoff_range
            if _OURS not in (one.program, other.program) or one.lower is None or other.upper is None:
                continue
            if one.lower > other.upper + slack:
                found.append(f"{game}: what {one.program} guarantees is above the bound of {other.program}")
    return found

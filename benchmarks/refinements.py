"""Refinements beside exact Nash, the published algorithms and a numeric solver, on the same trees.

What is timed of each contestant, in a process of its own, warm, in alternating runs; no game is built:

* ``tremble CONCEPT``: :func:`tremble.solve` of a loaded tree, from the sequence form to the independent checker's
  proof. Ratios are to ``tremble nash``.
* ``METHOD, CONCEPT``: the same, but the stable basis is found by a published algorithm
  (:mod:`tremble.solvers.published`), reimplemented on this program's exact arithmetic.
* ``OpenSpiel perturbed, numeric``: ``solve_perturbed_zero_sum_game`` at the documented 1e-8, from a loaded
  ``efg_game``: two linear programs in floats, without proof, solved to about the size of the perturbation.
* ``Gambit logit_solve, numeric``: what [2]_, section 1.3, compares to. It follows the logit quantal response equilibria
  in floats until nobody can gain more than 1e-8 times the range of payoffs, and returns that profile: it is completely
  mixed, near a sequential equilibrium if it went far enough, and proves nothing. What both players together could
  still gain is computed here, exactly and untimed, from the profile with its rows scaled to sum to 1.

Whoever fails at a game gets ten seconds on the larger ones; nobody is left out. The column ``published`` has the
seconds (linear programs, and the oracle where there is one) that the paper [1]_ states in Table 2 for an algorithm, and
for its own beside ours, on its authors' machine; rows of ours that are slower say so.

References
----------
.. [1] G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
   NeurIPS 2018, section 6.
.. [2] P. B. Miltersen, T. B. Sørensen: Computing sequential equilibria for two-player games, SODA 2006.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.contestant import Contestant, Job, Trial, timed
from benchmarks.nash import compared, openspiel, ours
from benchmarks.race import tournament
from benchmarks.report import Goal, Report, Row, environment, notes
from tremble.run.progress import Progress

if TYPE_CHECKING:
    from tremble.game.strategy import BehaviorStrategy
    from tremble.game.tree import GameTree

__all__ = ["GAMES", "PUBLISHED", "Published", "contestants", "gambit", "run"]

GAMES = (
    "kuhn",
    "leduc:ranks=2,raises=1",
    "goofspiel:order=increasing",
    "goofspiel",
    "leduc",
    "goofspiel:cards=4,order=increasing",
    "leduc:ranks=5",
    "leduc:ranks=8",
)


@dataclass(frozen=True)
class Published:
    """What the paper states of an algorithm on a game; None or empty where it states nothing."""

    seconds: float | None = None  # of linear programs, and of the oracle where there is one
    programs: int | None = None  # "Iters.": different perturbations tried, the first (taken as 0) counted
    epsilon: str = ""  # "Final": the last number
    oracle: float | None = None  # seconds of the oracle among all of them
    over: str = ""  # where it was given up: after how long


def _table_2(lp: float, oracle: float, programs: int, epsilon: str) -> Published:
    """A row of the paper's own algorithm, seconds of linear programs and oracle apart."""
    return Published(round(lp + oracle, 9), programs, epsilon, oracle)


_OVER = Published(over="6 h")

PUBLISHED: dict[str, dict[str, dict[str, Published]]] = {
    "nash": {
        "simplex": {
            "kuhn": Published(0.001),
            "leduc:ranks=2,raises=1": Published(0.004),
            "leduc": Published(0.059),
            "leduc:ranks=5": Published(0.372),
            "leduc:ranks=8": Published(3.35),
            "leduc:ranks=9": Published(4.90),
            "goofspiel": Published(0.033),
            "goofspiel:cards=4": Published(60.6),
            "goofspiel:order=increasing": Published(0.005),
            "goofspiel:cards=4,order=increasing": Published(0.204),
        }
    },
    "quasi-perfect": {
        "symbolic-simplex": {
            "kuhn": Published(0.078),
            "leduc:ranks=2,raises=1": Published(5.71),
            "leduc": Published(2181.0),
            "leduc:ranks=5": _OVER,
            "leduc:ranks=8": _OVER,
            "leduc:ranks=9": _OVER,
            "goofspiel": Published(1298.4),
            "goofspiel:cards=4": _OVER,
            "goofspiel:order=increasing": Published(421.8),
            "goofspiel:cards=4,order=increasing": _OVER,
        },
        "npp": {
            "kuhn": Published(0.028, epsilon="about 1e-42"),
            "leduc:ranks=2,raises=1": Published(0.093),
            "leduc": Published(37.21),
            "leduc:ranks=5": Published(1668.6, epsilon="about 1e-5883"),
            "leduc:ranks=8": _OVER,
            "leduc:ranks=9": _OVER,
            "goofspiel": Published(2.88),
            "goofspiel:cards=4": _OVER,
            "goofspiel:order=increasing": Published(0.094),
            "goofspiel:cards=4,order=increasing": Published(240.0),
        },
        "halving": {
            "kuhn": _table_2(0.045, 0.035, 2, "1/10"),
            "leduc:ranks=2,raises=1": _table_2(0.019, 0.082, 2, "1/10"),
            "leduc": _table_2(0.362, 1.99, 11, "1/5120"),
            "leduc:ranks=5": _table_2(2.61, 4.43, 10, "1/2560"),
            "leduc:ranks=8": _table_2(13.38, 16.65, 14, "1/40960"),
            "leduc:ranks=9": _table_2(30.60, 21.47, 15, "1/81920"),
            "goofspiel": _table_2(0.062, 0.251, 2, "1/10"),
            "goofspiel:cards=4": _table_2(175.8, 28.02, 5, "1/80"),
            "goofspiel:order=increasing": _table_2(0.020, 0.078, 2, "1/10"),
            "goofspiel:cards=4,order=increasing": _table_2(0.588, 1.48, 6, "1/160"),
        },
    },
    "perfect": {
        "npp": {
            "kuhn": Published(0.014),
            "leduc:ranks=2,raises=1": Published(3.09),
            "leduc": _OVER,
            "leduc:ranks=5": _OVER,
            "leduc:ranks=8": _OVER,
            "leduc:ranks=9": _OVER,
            "goofspiel": Published(115.8),
            "goofspiel:cards=4": _OVER,
            "goofspiel:order=increasing": Published(0.266),
            "goofspiel:cards=4,order=increasing": _OVER,
        },
        "halving": {
            "kuhn": _table_2(0.001, 0.005, 2, "1/10"),
            "leduc:ranks=2,raises=1": _table_2(0.005, 0.026, 3, "1/20"),
            "leduc": _table_2(1.56, 1.15, 12, "1/10240"),
            "leduc:ranks=5": _table_2(57.65, 2.87, 10, "1/2560"),
            "leduc:ranks=8": _table_2(210.6, 70.8, 17, "1/327680"),
            "leduc:ranks=9": _table_2(1359.6, 28.43, 15, "1/81920"),
            "goofspiel": _table_2(0.036, 0.117, 2, "1/10"),
            "goofspiel:cards=4": _table_2(87.6, 60.6, 5, "1/80"),
            "goofspiel:order=increasing": _table_2(0.005, 0.022, 2, "1/10"),
            "goofspiel:cards=4,order=increasing": _table_2(0.417, 1.83, 6, "1/160"),
        },
    },
}
"""Concept -> algorithm -> game -> the paper's Table 2, minutes in seconds; ``halving`` is its own algorithm, called TLP
solver there. The last numbers of ``npp`` are from the text of section 6. The one place for these."""

_ITS_OWN = ("simplex", "halving")  # what our exact Nash and our refinements stand beside

_LIMITS = {
    "quasi-perfect": {"leduc:ranks=9": 1.5, "leduc:ranks=13": 1.5, "goofspiel:cards=4": 2.0},
    "perfect": {"leduc:ranks=5": 5.0, "leduc:ranks=8": 5.0, "leduc:ranks=9": 5.0, "goofspiel:cards=4": 5.0},
}
_FASTER = {"leduc:ranks=5": 10.0, "leduc:ranks=8": 10.0}


def gambit(job: Job, *, method: str = "logit_solve", **options: Any) -> Callable[[], Trial]:
    """Prepare a method of Gambit; what players could still gain in its profile is computed here."""
    import pygambit

    import tremble

    warnings.simplefilter("ignore")
    game = pygambit.read_efg(job.file)
    tree = job.tree()

    def trial() -> Trial:
        seconds, result = timed(lambda: getattr(pygambit.nash, method)(game, **options))
        if not result.equilibria:
            return Trial(seconds, status="found nothing")
        profile = result.equilibria[0]
        rows = [[[profile[action] for action in infoset.actions] for infoset in p.infosets] for p in game.players]
        strategies = _scaled(tree, rows)
        gain = tremble.nash_conv(tree, strategies)
        value = float(tremble.expected_values(tree, strategies)[0])
        status = "done" if gain == 0 else "numeric"
        return Trial(seconds, value, status, f"together players could gain {float(gain):.2g}")

    return trial


def _scaled(tree: GameTree, rows: Sequence[Sequence[Sequence[float]]]) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    """The exact profile of rows of floats, each divided by its sum."""
    from tremble.game.strategy import BehaviorStrategy

    exact = [[[Fraction(p) for p in row] for row in side] for side in rows]
    one, two = ([[p / sum(row) for p in row] for row in side] for side in exact)
    return BehaviorStrategy.from_rows(tree, 0, one), BehaviorStrategy.from_rows(tree, 1, two)


def contestants() -> tuple[Contestant, ...]:
    """Ours, exact Nash first; then each published algorithm for each refinement that it computes; then peers."""
    from tremble.solvers.published import ALGORITHMS
    from tremble.solvers.table import METHODS

    refined = [concept for concept in PUBLISHED if concept != "nash" and concept in METHODS["lp"].concepts()]
    refinements = [
        Contestant(f"tremble {concept}", partial(ours, concept=concept, method="auto"))
        for concept in ("nash", *refined)
    ]
    published = [
        Contestant(f"{method}, {concept}", partial(ours, concept=concept, method=method))
        for concept in refined
        for method in ALGORITHMS
        if concept in METHODS[method].concepts()
    ]
    peers = (
        Contestant(
            "OpenSpiel perturbed, numeric", partial(openspiel, epsilon=1e-8), ("pyspiel", "open_spiel", "cvxpy", "ecos")
        ),
        Contestant("Gambit logit_solve, numeric", gambit, ("pygambit",)),
    )
    return (*refinements, *published, *peers)


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    tables = tournament(contestants(), games, repeat, time_box, progress)
    rows = [row for table in tables for row in _beside_the_paper(compared(table))]
    return Report("refinements", tuple(rows), tuple(_goals(rows)), environment())


def _beside_the_paper(rows: Sequence[Row]) -> Iterator[Row]:
    """Add what the paper states, and to our rows how they compare to its algorithm, there and run here."""
    by_name = {row.program: row for row in rows}
    cited = {
        name: (concept, algorithm)
        for concept, algorithms in PUBLISHED.items()
        for algorithm in algorithms
        for name in (f"{algorithm}, {concept}", *([f"tremble {concept}"] if algorithm in _ITS_OWN else []))
    }
    for row in rows:
        concept, algorithm = cited.get(row.program, ("", ""))
        paper = PUBLISHED.get(concept, {}).get(algorithm, {}).get(row.task, Published())
        ours = row.program.startswith("tremble")
        said = [row.note]
        times, bound = _times(by_name.get(f"halving, {concept}"), row)
        if ours and times is not None:
            said.append(f"halving takes {'more than ' if bound else ''}{times:.3g} times as long")
        if not ours and paper.epsilon:
            after = "" if paper.programs is None else f" after {paper.programs} programs"
            said.append(f"published: epsilon {paper.epsilon}{after}")
        if paper.over:
            said.append(f"published: more than {paper.over}")
        if paper.seconds is not None and row.seconds is not None and row.seconds > paper.seconds:
            said.append("slower than published")
        yield replace(row, published=paper.seconds, note=notes(*said))


def _times(baseline: Row | None, row: Row) -> tuple[float | None, bool]:
    """How many times as long the baseline takes, and whether this is only a lower bound; None without ratios."""
    if baseline is None or baseline.seconds is None or row.seconds is None or None in (baseline.ratio, row.ratio):
        return None, False
    return baseline.seconds / row.seconds, baseline.status.startswith("over")


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    for concept in _LIMITS:
        ours = {row.task: row for row in rows if row.program == f"tremble {concept}"}
        for game, limit in _LIMITS[concept].items():
            if game in ours:
                yield Goal(f"{game}: {concept} / exact Nash", ours[game].ratio, limit)
        for game, least in _FASTER.items():
            if game in ours:
                times, bound = _times(by_name.get((game, f"halving, {concept}")), ours[game])
                yield Goal(f"{game}: halving / tremble, {concept}", times, least, at_least=True, bound=bound)

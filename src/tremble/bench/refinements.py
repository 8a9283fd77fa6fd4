"""Refinements beside exact Nash, the published algorithms and a numeric solver, on the same trees.

What is timed of each contestant, in a process of its own, warm, in alternating runs; no game is built:

* ``tremble CONCEPT``: :func:`tremble.solve` of a loaded tree, from the sequence form to the independent checker's
  proof. Ratios are to ``tremble nash``.
* ``METHOD, CONCEPT``: the same, but the stable basis is found by a published algorithm
  (:mod:`tremble.solvers.baselines`), reimplemented on this program's exact arithmetic.
* ``OpenSpiel perturbed, numeric``: ``solve_perturbed_zero_sum_game`` at the documented 1e-8, from a loaded
  ``efg_game``: two linear programs in floats, without proof, solved to about the size of the perturbation.

The column ``published`` has the seconds (linear programs and oracle) that the paper states for its algorithm, on its
authors' machine.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tremble.bench.contestant import Contestant, Job, Trial, timed
from tremble.bench.nash import compared
from tremble.bench.race import Progress, tournament
from tremble.bench.report import Goal, Report, Row, environment

__all__ = ["GAMES", "PUBLISHED", "contestants", "run"]

GAMES = (
    "kuhn",
    "goofspiel:order=increasing",
    "goofspiel",
    "leduc",
    "goofspiel:cards=4,order=increasing",
    "leduc:ranks=5",
    "leduc:ranks=8",
)

PUBLISHED: dict[str, dict[str, float]] = {
    "quasi-perfect": {
        "goofspiel:order=increasing": 0.10,
        "goofspiel": 0.31,
        "leduc": 2.35,
        "goofspiel:cards=4,order=increasing": 2.07,
        "leduc:ranks=5": 7.0,
        "leduc:ranks=8": 30.0,
        "leduc:ranks=9": 52.0,
        "goofspiel:cards=4": 204.0,
    },
    "perfect": {
        "goofspiel": 0.15,
        "leduc": 2.7,
        "goofspiel:cards=4,order=increasing": 2.25,
        "leduc:ranks=5": 60.5,
        "leduc:ranks=8": 281.0,
        "leduc:ranks=9": 1388.0,
        "goofspiel:cards=4": 148.0,
    },
}
"""Concept -> game -> seconds of the halving algorithm in the paper."""

_LIMITS = {
    "quasi-perfect": {"leduc:ranks=9": 2.0, "leduc:ranks=13": 2.0, "goofspiel:cards=4": 4.0},
    "perfect": {"leduc:ranks=5": 10.0, "leduc:ranks=8": 10.0, "leduc:ranks=9": 10.0, "goofspiel:cards=4": 15.0},
}
_FASTER = {"leduc:ranks=5": 10.0, "leduc:ranks=8": 10.0}


def _tremble(job: Job, *, concept: str, method: str) -> Callable[[], Trial]:
    import tremble

    tree = tremble.load(job.game)
    assert tree.digest

    def trial() -> Trial:
        seconds, solution = timed(lambda: tremble.solve(tree, concept, method))
        return Trial(seconds, float(solution.value), str(solution.status), _note(solution.stats))

    return trial


def _note(stats: Mapping[str, Any]) -> str:
    """What refinements report of themselves: their seconds beside those of exact Nash and proof, and their numbers."""
    said = [f"refinement {stats['refinement_seconds_float']:.2g} s"] if "refinement_seconds_float" in stats else []
    if "refinement_epsilon" in stats:
        programs = stats["refinement_float_programs"] + stats["refinement_exact_programs"]
        said.append(f"epsilon {stats['refinement_epsilon']} after {programs} programs")
    if "refinement_epsilon_bits" in stats:
        said.append(f"epsilon 2^-{stats['refinement_epsilon_bits']}")
    if said and "refinement_grid_programs" not in stats:
        said.append(f"{stats['refinement_exact_pivots']:,} exact pivots")
    return ", ".join(said)


def _openspiel(job: Job) -> Callable[[], Trial]:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(f"efg_game(filename={job.file})")

    def trial() -> Trial:
        seconds, result = timed(lambda: sequence_form_lp.solve_perturbed_zero_sum_game(game, eps=1e-8))
        return Trial(seconds, float(result[0]), "numeric")

    return trial


def contestants() -> tuple[Contestant, ...]:
    """Ours, exact Nash first; then each published algorithm for each refinement that it computes; then peers."""
    from tremble.solvers import CONCEPTS, METHODS, PUBLISHED_METHODS

    refined = [concept for concept in PUBLISHED if concept in CONCEPTS]
    ours = [
        Contestant(f"tremble {concept}", partial(_tremble, concept=concept, method="auto"))
        for concept in ("nash", *refined)
    ]
    published = [
        Contestant(f"{method}, {concept}", partial(_tremble, concept=concept, method=method))
        for concept in refined
        for method in PUBLISHED_METHODS
        if concept in METHODS[method].concepts
    ]
    peer = Contestant("OpenSpiel perturbed, numeric", _openspiel, ("pyspiel", "open_spiel", "cvxpy", "ecos"))
    return (*ours, *published, peer)


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`tremble.bench.run`."""
    tables = tournament(contestants(), games, repeat, time_box, progress)
    rows = [row for table in tables for row in _beside_the_paper(compared(table))]
    return Report("refinements", tuple(rows), tuple(_goals(rows)), environment())


def _beside_the_paper(rows: Sequence[Row]) -> Iterator[Row]:
    """Add what the paper states, and to our rows how they compare to its algorithm, run here."""
    by_name = {row.program: row for row in rows}
    cited = {name: concept for concept in PUBLISHED for name in (f"tremble {concept}", f"halving, {concept}")}
    for row in rows:
        concept = cited.get(row.program)
        if concept is not None:
            row = replace(row, published=PUBLISHED[concept].get(row.task))
        times, bound = _times(by_name.get(f"halving, {concept}"), row)
        if row.program.startswith("tremble") and times is not None:
            halving = f"halving takes {'more than ' if bound else ''}{times:.3g} times as long"
            row = replace(row, note="; ".join(filter(None, (row.note, halving))))
        yield row


def _times(baseline: Row | None, row: Row) -> tuple[float | None, bool]:
    """How many times as long the baseline takes, and whether this is only a lower bound."""
    if baseline is None or baseline.seconds is None or row.seconds is None:
        return None, False
    return baseline.seconds / row.seconds, baseline.status.startswith("over")


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    for concept in PUBLISHED:
        for game, limit in _LIMITS[concept].items():
            row = by_name.get((game, f"tremble {concept}"))
            if row is not None:
                yield Goal(f"{game}: {concept} / exact Nash", row.ratio, limit)
        for game, least in _FASTER.items():
            row = by_name.get((game, f"tremble {concept}"))
            if row is not None:
                times, bound = _times(by_name.get((game, f"halving, {concept}")), row)
                yield Goal(f"{game}: halving / tremble, {concept}", times, least, at_least=True, bound=bound)

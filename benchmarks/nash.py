"""Nash equilibria: our certified exact one beside floats, and beside what others compute, on the same trees.

What is timed of each contestant, in a process of its own, warm, in alternating runs:

* ``tremble``: :func:`tremble.solve` of a loaded tree: sequence form, linear program, exact vertex, strategies,
  proof by the independent checker. (The digest names the game and belongs to loading it.)
* ``HiGHS, float``: ``run()`` alone, on the very linear program that tremble hands to HiGHS; what a float answer
  costs at least. Neither strategies nor a proof.
* ``OpenSpiel sequence_form_lp``: its own two linear programs, ECOS, from a loaded ``efg_game``.
* ``Gambit lp_solve, float`` and ``rational``: in sequence form, from a loaded game.

Peers read the game from the .efg file that :func:`tremble.write_efg` writes of it, so all have the same tree.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.contestant import Contestant, Job, Trial, timed
from benchmarks.race import tournament
from benchmarks.report import Goal, Report, Row, environment, notes
from tremble.game.tree import GameTree
from tremble.run.progress import Progress

__all__ = ["CONTESTANTS", "GAMES", "compared", "float_solver", "openspiel", "ours", "run"]

GAMES = (
    "kuhn",
    "leduc:ranks=2,raises=1",
    "goofspiel:order=increasing",
    "leduc",
    "leduc:ranks=9",
    "goofspiel:cards=4",
    "leduc:ranks=13",
)

_TOLERANCE = 1e-5
_SMALL = 500  # nodes of games that leave the kernels for sparse systems alone


def ours(job: Job, *, concept: str = "nash", method: str = "auto") -> Callable[[], Trial]:
    """Prepare :func:`tremble.solve` for a loaded tree."""
    import tremble

    tree = job.tree()
    if tree.num_nodes > _SMALL:  # the paths that small games do not take
        tremble.solve(tremble.load("leduc"), concept)
        tremble.solve(tremble.load("kuhn"), concept, method)

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
    if "refinement_certificate_epsilon_bits" in stats:
        said.append(f"certified at 2^-{stats['refinement_certificate_epsilon_bits']}")
    if said and "refinement_lexicographic_programs" not in stats:
        said.append(f"{stats['refinement_exact_pivots']:,} exact pivots")
    return ", ".join(said)


def float_solver(
    tree: GameTree, *, merge: bool = False, **options: Any
) -> tuple[Callable[[], Any], Callable[[Any], float]]:
    """What makes HiGHS ready for the linear program of a game, and what reads the game's value.

    With ``merge`` it is the one that tremble hands to HiGHS.
    """
    from tremble.exact.highs import _in_floats, loaded_in_highs
    from tremble.game.sequence_form import SequenceForm
    from tremble.run.clock import Clock
    from tremble.solvers.method import Run
    from tremble.solvers.zero_sum import LpSettings, NashProgram, merged

    nash, _ = merged(NashProgram.of(SequenceForm.of(tree)), Run(Clock(None)), LpSettings(merge))
    program = _in_floats(nash.program)

    def make() -> Any:
        solver = loaded_in_highs(program, 1e-7)
        for option, setting in {"presolve": "on", "threads": 1, **options}.items():
            solver.setOptionValue(option, setting)
        return solver

    return make, lambda solver: float(solver.getSolution().col_value[nash.game_value]) * nash.float_unit


def _highs(job: Job) -> Callable[[], Trial]:
    make, value_of = float_solver(job.tree(), merge=True)

    def trial() -> Trial:
        solver = make()
        seconds, _ = timed(solver.run)
        status = solver.modelStatusToString(solver.getModelStatus())
        return Trial(seconds, value_of(solver), "done" if status == "Optimal" else status)

    return trial


def openspiel(job: Job, *, epsilon: float | None = None) -> Callable[[], Trial]:
    """Prepare OpenSpiel's own linear programs; with epsilon, those of the perturbed game."""
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(f"efg_game(filename={job.file})")

    def trial() -> Trial:
        if epsilon is None:
            seconds, result = timed(lambda: sequence_form_lp.solve_zero_sum_game(game))
        else:
            seconds, result = timed(lambda: sequence_form_lp.solve_perturbed_zero_sum_game(game, eps=epsilon))
        return Trial(seconds, float(result[0]), "done" if epsilon is None else "numeric")

    return trial


def _gambit(job: Job, *, rational: bool) -> Callable[[], Trial]:
    import pygambit

    warnings.simplefilter("ignore")
    game = pygambit.read_efg(job.file)
    first = next(iter(game.players))

    def trial() -> Trial:
        seconds, result = timed(lambda: pygambit.nash.lp_solve(game, rational=rational, use_strategic=False))
        return Trial(seconds, float(result.equilibria[0].payoff(first)))

    return trial


CONTESTANTS = (
    Contestant("tremble", ours),
    Contestant("HiGHS, float", _highs),
    Contestant("OpenSpiel sequence_form_lp", openspiel, ("pyspiel", "open_spiel", "cvxpy", "ecos")),
    Contestant("Gambit lp_solve, float", partial(_gambit, rational=False), ("pygambit",)),
    Contestant("Gambit lp_solve, rational", partial(_gambit, rational=True), ("pygambit",)),
)
"""Ours comes first; ratios are to it."""


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    tables = tournament(CONTESTANTS, games, repeat, time_box, progress)
    rows = [row for table in tables for row in compared(table)]
    return Report("nash", tuple(rows), tuple(_goals(rows)), environment())


def compared(rows: list[Row]) -> list[Row]:
    """Note where a value differs from ours."""
    value = rows[0].value
    if value is None:
        return rows
    return [
        replace(row, note=notes(row.note, f"value differs by {row.value - value:.3g}"))
        if row.value is not None and abs(row.value - value) > _TOLERANCE * (1 + abs(value))
        else row
        for row in rows
    ]


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    for game, limit in (("leduc:ranks=9", 1.5), ("leduc:ranks=13", 1.5), ("goofspiel:cards=4", 2.0)):
        row = by_name.get((game, "HiGHS, float"))
        if row is not None:
            measured = 1 / row.ratio if row.ratio else None
            yield Goal(f"{game}: tremble / HiGHS float alone", measured, limit)
    for game, peer, limit in (
        ("leduc", "Gambit lp_solve, rational", 1000.0),
        ("leduc:ranks=9", "OpenSpiel sequence_form_lp", 5.0),
    ):
        row = by_name.get((game, peer))
        if row is not None:
            bound = row.status.startswith("over")
            yield Goal(f"{game}: {peer} / tremble", row.ratio, limit, at_least=True, bound=bound)

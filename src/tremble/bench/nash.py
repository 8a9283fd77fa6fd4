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
from collections.abc import Callable, Sequence
from dataclasses import replace

from tremble.bench.contestant import Contestant, Job, Trial, timed
from tremble.bench.race import tournament
from tremble.bench.report import Goal, Report, Row, environment
from tremble.model.progress import Progress

__all__ = ["CONTESTANTS", "GAMES", "compared", "run"]

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


def _tremble(job: Job) -> Callable[[], Trial]:
    import tremble

    tree = job.tree()

    def trial() -> Trial:
        seconds, solution = timed(lambda: tremble.solve(tree))
        return Trial(seconds, float(solution.value), str(solution.status))

    return trial


def _highs(job: Job) -> Callable[[], Trial]:
    import highspy

    import tremble
    from tremble.linear.highs import _model
    from tremble.solvers.lp.formulation import NashProgram

    nash = NashProgram.of(tremble.SequenceForm.of(job.tree()))
    model = _model(nash.program)

    def trial() -> Trial:
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in (("output_flag", False), ("presolve", "on"), ("threads", 1)):
            solver.setOptionValue(option, setting)
        solver.passModel(model)
        seconds, _ = timed(solver.run)
        status = solver.modelStatusToString(solver.getModelStatus())
        value = float(solver.getSolution().col_value[nash.game_value]) * nash.float_unit
        return Trial(seconds, value, "done" if status == "Optimal" else status)

    return trial


def _openspiel(job: Job) -> Callable[[], Trial]:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(f"efg_game(filename={job.file})")

    def trial() -> Trial:
        seconds, result = timed(lambda: sequence_form_lp.solve_zero_sum_game(game))
        return Trial(seconds, float(result[0]))

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


def _gambit_rational(job: Job) -> Callable[[], Trial]:
    return _gambit(job, rational=True)


def _gambit_float(job: Job) -> Callable[[], Trial]:
    return _gambit(job, rational=False)


CONTESTANTS = (
    Contestant("tremble", _tremble),
    Contestant("HiGHS, float", _highs),
    Contestant("OpenSpiel sequence_form_lp", _openspiel, ("pyspiel", "open_spiel", "cvxpy", "ecos")),
    Contestant("Gambit lp_solve, float", _gambit_float, ("pygambit",)),
    Contestant("Gambit lp_solve, rational", _gambit_rational, ("pygambit",)),
)
"""Ours comes first; ratios are to it."""


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`tremble.bench.run`."""
    tables = tournament(CONTESTANTS, games, repeat, time_box, progress)
    rows = [row for table in tables for row in compared(table)]
    return Report("nash", tuple(rows), tuple(_goals(rows)), environment())


def compared(rows: list[Row]) -> list[Row]:
    """Note where a value differs from ours."""
    ours = rows[0].value
    if ours is None:
        return rows
    compared = rows[:1]
    for row in rows[1:]:
        if row.value is not None and abs(row.value - ours) > _TOLERANCE * (1 + abs(ours)):
            differs = f"value differs by {row.value - ours:.3g}"
            row = replace(row, note="; ".join(filter(None, (row.note, differs))))
        compared.append(row)
    return compared


def _goals(rows: Sequence[Row]) -> list[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    goals = []
    for game, limit in (("leduc:ranks=9", 1.5), ("leduc:ranks=13", 1.5), ("goofspiel:cards=4", 2.0)):
        row = by_name.get((game, "HiGHS, float"))
        if row is not None:
            measured = 1 / row.ratio if row.ratio else None
            goals.append(Goal(f"{game}: tremble / HiGHS float alone", measured, limit))
    for game, peer, limit in (
        ("leduc", "Gambit lp_solve, rational", 1000.0),
        ("leduc:ranks=9", "OpenSpiel sequence_form_lp", 5.0),
    ):
        row = by_name.get((game, peer))
        if row is not None:
            bound = row.status.startswith("over")
            goals.append(Goal(f"{game}: {peer} / tremble", row.ratio, limit, at_least=True, bound=bound))
    return goals

"""The suite of maxmin strategies: what it makes of games that were played, and tiny ones that are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import benchmarks
import tremble
from benchmarks import maxmin
from benchmarks.contestant import Contestant
from benchmarks.maxmin import Family, Record
from tremble.recall.bilinear_form import BilinearForm

FAMILY = "random_imperfect_recall:branching=3,merge=0.5"
TINY = "random_imperfect_recall:branching=2,depth=4,merge=0.5,seed=3"
OURS, SCIP, DIGITS = "tremble branch-and-bound", "SCIP", "bnb-digits"


def _record(program: str, seed: int, seconds: float, lower: float, upper: float, **said: object) -> Record:
    solved = upper - lower <= 0.01
    record = Record(
        FAMILY, f"{FAMILY},seed={seed}", program, "solved" if solved else "over 60 s", seconds, 60.0, 0.01, 100.0,
        lower, upper, work=10 * (seed + 1), verified=True if program == OURS else None,
    )  # fmt: skip
    return replace(record, **said)  # type: ignore[arg-type]


def _goals(records: list[Record]) -> dict[str, tuple[float | None, bool | None]]:
    goals = maxmin.report(records).goals
    return {goal.text.removeprefix(f"{FAMILY}: "): (goal.measured, goal.met) for goal in goals}


PLAYED = [
    *(_record(OURS, seed, 0.5 * (seed + 1), 1.0, 1.009) for seed in range(4)),
    *(_record(SCIP, seed, 8.0 * (seed + 1), 1.0, 1.005) for seed in range(4)),
    _record(DIGITS, 0, 30.0, 0.5, 2.0, time_box=30.0),
]


def test_families_are_rows() -> None:
    report = maxmin.report(PLAYED)
    ours, scip, digits = report.rows
    assert (ours.std_error, scip.std_error) == pytest.approx(((5 / 48) ** 0.5, (5 / 48) ** 0.5 * 16))  # of 0.5 to 2
    assert digits.std_error is None  # of one game
    assert [row.published for row in report.rows] == [None] * 3  # the opponent remembers
    assert (ours.status, ours.seconds, ours.ratio, ours.runs) == ("solved", 1.25, pytest.approx(1.0), 4)
    assert (scip.status, scip.seconds, scip.ratio) == ("solved", 20.0, pytest.approx(16.0))
    assert (digits.status, digits.seconds, digits.ratio) == ("over 30 s on 1", 30.0, pytest.approx(60.0))
    assert ours.note == (
        "4 of 4 solved in 60 s; median 1.25 s, geometric mean 1.11 s; mean of its hardest quarter 2 s; "
        "cells: median 25, most 40; 6.2% of SCIP's time on its 4 games; 4 of 4 verified again"
    )
    assert "gap left 150 to 150 epsilons" in digits.note
    assert "> 30" in report.to_table()
    data = json.loads(report.to_json())
    assert [game["gap"] for game in data["games"]] == pytest.approx([0.9] * 4 + [0.5] * 4 + [150])


def test_goals_are_what_was_played() -> None:
    goals = _goals(PLAYED)
    assert goals["share solved in 60 s"] == (1.0, True)
    assert goals["mean seconds"] == (1.25, True)
    assert goals["SCIP / tremble"] == (pytest.approx(16.0), True)
    assert goals["SCIP / tremble on SCIP's hardest quarter"] == (pytest.approx(16.0), True)
    assert goals["bnb-digits / tremble"] == (pytest.approx(60.0), True)
    assert goals["games on which bounds contradict another program's"] == (0, True)
    assert goals["games left without bounds that are verified"] == (0, True)


@pytest.mark.parametrize(
    ("program", "lower", "upper"),
    [(SCIP, 1.02, 1.021), (SCIP, 0.97, 0.98), (DIGITS, 1.02, 2.0)],
    ids=["strategy above our bound", "bound below our strategy", "published strategy above our bound"],
)
def test_bounds_that_contradict_are_counted(program: str, lower: float, upper: float) -> None:
    goals = _goals([*PLAYED, _record(program, 3, 1.0, lower, upper)])
    assert goals["games on which bounds contradict another program's"] == (1, False)
    within = _goals([*PLAYED, _record(SCIP, 3, 1.0, 0.999, 1.0 - 0.5e-4)])
    assert within["games on which bounds contradict another program's"] == (0, True)


def test_what_is_not_verified_is_counted() -> None:
    goals = _goals([*PLAYED, _record(OURS, 5, 1.0, 1.0, 1.001, verified=False)])
    assert goals["games left without bounds that are verified"] == (1, False)
    bare = replace(_record(OURS, 6, 60.0, 1.0, 2.0), lower=None, upper=None, verified=None)
    assert "no bounds on 1" in maxmin.report([*PLAYED, bare]).rows[0].note
    assert _goals([*PLAYED, bare])["games left without bounds that are verified"] == (1, False)


def test_better_strategies_of_scip_are_counted() -> None:
    family = "random_imperfect_recall:branching=4,merge=0.5"
    records = [
        _record(OURS, 0, 60.0, 1.0, 2.0, family=family),
        _record(SCIP, 0, 60.0, 1.02, 3.0, family=family),
        _record(OURS, 1, 1.0, 1.0, 1.01, family=family),
        _record(SCIP, 1, 1.0, 1.005, 1.006, family=family),
    ]
    report = maxmin.report(records)
    assert "a better strategy than tremble's on 2, by up to 2 epsilons" in report.rows[1].note
    behind = [goal for goal in report.goals if "best strategy" in goal.text]
    assert [(goal.measured, goal.met) for goal in behind] == [(pytest.approx(2.0), False)]
    assert [goal.met for goal in report.goals if "share solved" in goal.text] == [None]


A_LOSS = "random_imperfect_recall:branching=3,merge=0.5,merge2=0.5"


def test_the_paper_stands_beside() -> None:
    def games(program: str, *seconds: float, box: float = 30.0) -> list[Record]:
        return [
            _record(program, seed, took, 1.0, 1.0 if took < box else 2.0, family=A_LOSS, game=f"{A_LOSS},seed={seed}")
            for seed, took in enumerate(seconds)
        ]

    report = maxmin.report([*games(OURS, 1.0, 2.0), *games("milp", 8.0, 12.0, 30.0), *games(DIGITS, 3.0, 5.0, 1.0)])
    ours, milp, digits = report.rows
    assert (ours.seconds, ours.std_error, ours.published) == (1.5, 0.5, 9.52)
    assert (milp.published, digits.published) == (157.87, 9.52)
    assert milp.note.endswith(
        "2 solved by both published programs, 10 ± 2 s; published: 157.9 ± 61.5 s, 19 cut off after 2 h"
    )
    assert digits.note.endswith(
        "2 solved by both published programs, 4 ± 1 s; published: 9.52 ± 3.78 s, 17 cut off after 2 h"
    )
    head = report.to_table().splitlines()[0].split()
    assert head[-3:] == ["std_error", "published", "note"]
    assert "std_error" not in maxmin.report(games(OURS, 1.0)).to_table()
    alone = maxmin.report([*games("milp", 30.0, 30.0), *games(DIGITS, 3.0, 5.0, 1.0)]).rows
    assert all("; 0 solved by both published programs; published" in row.note for row in alone)


def test_standard_error() -> None:
    assert maxmin.std_error([1.0, 2.0, 3.0, 4.0]) == pytest.approx((5 / 3) ** 0.5 / 2)
    assert maxmin.std_error([7.0, 7.0]) == 0
    assert maxmin.std_error([7.0]) is None


@pytest.mark.parametrize("family", list(maxmin.PUBLISHED))
def test_families_of_the_paper_have_opponents_with_a_loss_recall(family: str) -> None:
    """Section 5.1: depth 6, branching 3 and 4; the opponent forgets, but only what its own actions told apart."""
    assert family in maxmin.GAMES
    tree = tremble.load(f"{family},seed=0")
    assert (tree.depth, tree.num_nodes) == (6, {3: 1093, 4: 5461}[len(tree.actions[0][0])])
    assert tremble.classify_recall(tree, 1) == "a-loss"
    assert tremble.classify_recall(tree, 0) in ("a-loss", "imperfect")
    assert BilinearForm.of(tree, 0).other.forgetful.any()


def test_ours_is_played_and_scip_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = maxmin.contestants

    def without_scip(*settings: object) -> dict[str, Contestant]:
        return {
            name: replace(one, needs=("no_such_module",)) if name == SCIP else one
            for name, one in made(*settings).items()  # type: ignore[arg-type]
        }

    monkeypatch.setattr(maxmin, "contestants", without_scip)
    monkeypatch.setitem(maxmin.FAMILIES, TINY, Family(1, 1, 0))
    report = benchmarks.run("maxmin", games=[TINY], repeat=5, time_box=60)
    assert [(row.program, row.status, row.runs) for row in report.rows] == [
        (OURS, "solved", 1),
        (SCIP, "not installed", 0),
    ]
    assert all(goal.met for goal in report.goals)
    assert len(report.games) == 2


@pytest.mark.parametrize("scip", [False, pytest.param(True, marks=pytest.mark.extras)])
@pytest.mark.parametrize("game", [TINY, f"{TINY},merge2=1.0"])
def test_all_programs_agree(game: str, scip: bool) -> None:
    tree = tremble.load(game)
    epsilon = maxmin.EPSILON * maxmin._span(tree)
    runs = [maxmin._branch_and_bound(tree, epsilon=maxmin.EPSILON, time_box=60.0)]
    runs += [maxmin._published(tree, method=name, epsilon=maxmin.EPSILON, time_box=60.0) for name in ("milp", DIGITS)]
    if scip:
        pytest.importorskip("pyscipopt")
        runs.append(maxmin._scip(tree, epsilon=maxmin.EPSILON, time_box=60.0))
        assert runs[-1].stated == pytest.approx(runs[-1].lower, abs=epsilon / 100)
    assert runs[0].verified
    for found in runs:
        assert found.status == "solved"
        assert found.lower is not None
        assert found.upper is not None
        assert found.upper - found.lower <= 1.01 * epsilon
        for other in runs:
            assert other.upper is not None
            assert found.lower <= other.upper + epsilon / 100


def test_time_that_is_up_leaves_bounds() -> None:
    tree = tremble.load("random_imperfect_recall:branching=3,merge=0.5,seed=0")
    found = maxmin._published(tree, method="milp", epsilon=maxmin.EPSILON, time_box=1.0)
    assert (found.status, found.seconds) == ("over 1 s", 1.0)
    assert found.upper is not None

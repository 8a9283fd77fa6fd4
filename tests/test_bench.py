"""The benchmark suites: sane rows from tiny runs, and how contestants that fail are reported."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from tremble import bench
from tremble.bench import refinements
from tremble.bench.contestant import Contestant, Failure, Job, Process, Trial
from tremble.bench.nash import CONTESTANTS
from tremble.bench.race import Outcome, race, rows_of, tournament
from tremble.bench.report import Goal, Report, Row
from tremble.errors import SpecError

JOB = Job("kuhn", "nowhere.efg")


def _quick(_job: Job) -> Callable[[], Trial]:
    return lambda: Trial(0.001, 1.0)


def _sleepy(_job: Job) -> Callable[[], Trial]:
    def trial() -> Trial:
        time.sleep(60)
        return Trial(60.0)

    return trial


def _slow(_job: Job) -> Callable[[], Trial]:
    time.sleep(60)
    return lambda: Trial(0.0)


def _broken(_job: Job) -> Callable[[], Trial]:
    raise RuntimeError("no luck\nat all")


def _hungry(_job: Job) -> Callable[[], Trial]:
    raise MemoryError


def _ignore(_step: str, _fraction: float | None) -> None:
    pass


def test_nash_on_kuhn() -> None:
    steps: list[str] = []
    report = bench.run("nash", games=["kuhn"], repeat=1, time_box=60, progress=lambda step, _: steps.append(step))
    assert [row.program for row in report.rows] == [contestant.name for contestant in CONTESTANTS]
    ours, highs, *peers = report.rows
    assert ours.status == "certified"
    assert ours.ratio == 1
    assert highs.status == "done"
    assert steps
    for row in report.rows:
        assert row.status in ("certified", "done", "not installed"), row
        if row.status != "not installed":
            assert row.seconds is not None
            assert 0 < row.seconds < 60
            assert row.runs == 1
            assert row.value == pytest.approx(-1 / 18, abs=1e-6)
            assert row.peak_mib is None or 10 < row.peak_mib < 4000
            assert row.note in ("", "55 nodes")
    assert len(peers) == 3
    data = json.loads(report.to_json())
    assert data["rows"] == report.records()
    assert data["environment"]["versions"]["tremble"]
    assert "| kuhn | tremble" in report.to_markdown()
    assert report.to_table().count("\n") == len(report.rows)


def test_formats_on_kuhn() -> None:
    report = bench.run("formats", games=["kuhn"], repeat=1, time_box=60)
    writer, reader, *peers = report.rows
    assert (writer.program, writer.status, writer.ratio) == ("tremble write_efg", "done", None)
    assert (reader.program, reader.status, reader.ratio) == ("tremble read_efg", "done", 1)
    assert len(peers) == 2


def test_refinements_on_kuhn() -> None:
    report = bench.run("refinements", games=["kuhn"], repeat=1, time_box=60)
    by_name = {row.program: row for row in report.rows}
    assert list(by_name) == [contestant.name for contestant in refinements.contestants()]
    assert [row.program for row in report.rows][:2] == ["tremble nash", "tremble quasi-perfect"]
    assert by_name["tremble nash"].ratio == 1
    assert by_name["tremble nash"].note == "55 nodes"
    for row in report.rows:
        assert row.status in ("certified", "numeric", "not installed"), row
        assert row.value is None or row.value == pytest.approx(-1 / 18, abs=1e-6)
        assert row.status != "numeric" or row.program.startswith("OpenSpiel")
    assert "halving takes" in by_name["tremble quasi-perfect"].note
    assert by_name["halving, quasi-perfect"].note.endswith("s, epsilon 1/10 after 2 programs, 0 exact pivots")
    assert by_name["symbolic-simplex, quasi-perfect"].note.endswith(" exact pivots")
    assert "epsilon 2^-" in by_name["npp, quasi-perfect"].note
    assert not report.goals


def test_refinements_beside_the_paper() -> None:
    game = "leduc:ranks=5"
    rows = [
        Row(game, "tremble nash", "certified", 1.0, 1.0),
        Row(game, "tremble quasi-perfect", "certified", 2.0, 2.0),
        Row(game, "halving, quasi-perfect", "over 60 s", 60.0, 60.0),
        Row(game, "npp, quasi-perfect", "not tried"),
    ]
    beside = list(refinements._beside_the_paper(rows))
    assert [row.published for row in beside] == [None, 7.0, 7.0, None]
    assert [row.note for row in beside] == ["", "halving takes more than 30 times as long", "", ""]
    (goal,) = refinements._goals(beside)
    assert (goal.measured, goal.at_least, goal.bound, goal.met) == (30.0, True, True, True)
    report = Report("refinements", tuple(beside), (goal,))
    assert "published" in report.to_table()
    assert "published" not in Report("refinements", tuple(rows)).to_table()
    markdown = report.to_markdown().splitlines()
    assert markdown[2].count("|") == markdown[3].count("|") == markdown[4].count("|")
    slow = [rows[0], Row("leduc:ranks=9", "tremble quasi-perfect", "certified", 3.0, 3.0)]
    (goal,) = refinements._goals(slow)
    assert (goal.measured, goal.limit, goal.met) == (3.0, 2.0, False)


def test_who_fails_at_a_small_game_is_not_tried_on_a_larger_one() -> None:
    contestants = [
        Contestant("quick", _quick),
        Contestant("broken", _broken),
        Contestant("absent", _quick, ("no_one",)),
    ]
    tables = list(tournament(contestants, ["kuhn_raise", "kuhn"], 1, 60, _ignore))
    assert [[row.task for row in rows] for rows in tables] == [["kuhn"] * 3, ["kuhn_raise"] * 3]
    assert [row.status for row in tables[0]] == ["done", "failed: RuntimeError: no luck", "not installed"]
    assert [(row.program, row.status) for row in tables[1]] == [
        ("quick", "done"),
        ("absent", "not installed"),
        ("broken", "not tried"),
    ]
    assert tables[1][2].note == "too much for it: kuhn"
    assert tables[1][0].note == "91 nodes"


def test_missing_and_failing_peers_are_rows() -> None:
    contestants = [
        Contestant("quick", _quick),
        Contestant("absent", _quick, ("no_such_module",)),
        Contestant("broken", _broken),
        Contestant("hungry", _hungry),
    ]
    rows = rows_of("kuhn", race(contestants, JOB, repeat=3, time_box=60, progress=_ignore, task="kuhn"))
    assert [row.status for row in rows] == ["done", "not installed", "failed: RuntimeError: no luck", "out of memory"]
    assert [row.seconds for row in rows] == [0.001, None, None, None]
    assert rows[0].runs == 3


def test_a_loading_that_hangs_is_killed() -> None:
    (outcome,) = race([Contestant("slow", _slow)], JOB, repeat=1, time_box=0.5, progress=_ignore, task="kuhn")
    assert (outcome.status, outcome.seconds) == ("over 0.5 s to load", None)


def test_a_run_that_hangs_is_killed_and_bounds_the_ratio() -> None:
    with Process(Contestant("sleepy", _sleepy), JOB) as process:
        process.ready(60)
        with pytest.raises(Failure) as failure:
            process.run(0.5)
    assert (failure.value.status, failure.value.box) == ("over 0.5 s", True)
    quick = Outcome(Contestant("quick", _quick), trials={0: Trial(0.001)})
    hung = Outcome(Contestant("sleepy", _sleepy), "over 0.5 s", box=0.5)
    assert hung.ratio_to(quick) == pytest.approx(500)
    assert [row.seconds for row in rows_of("kuhn", [quick, hung])] == [0.001, 0.5]


def test_ratios_are_taken_round_by_round() -> None:
    one, two = Outcome(Contestant("one", _quick)), Outcome(Contestant("two", _quick))
    one.trials.update({0: Trial(1.0), 1: Trial(10.0), 2: Trial(1.0)})
    two.trials.update({0: Trial(3.0), 1: Trial(30.0), 2: Trial(2.0)})
    assert two.ratio_to(one) == 3
    assert two.seconds == 3


@pytest.mark.parametrize(
    ("goal", "met"),
    [
        (Goal("", None, 1.0), None),
        (Goal("", 0.5, 1.0), True),
        (Goal("", 1.5, 1.0), False),
        (Goal("", 1.5, 1.0, at_least=True), True),
        (Goal("", 0.5, 1.0, at_least=True), False),
        (Goal("", 0.5, 1.0, at_least=True, bound=True), None),
    ],
)
def test_goals(goal: Goal, met: bool | None) -> None:
    assert goal.met is met
    assert {True: "yes", False: "NO", None: "?"}[met] in Report("suite", (Row("a", "b", "done"),), (goal,)).to_table()


def test_bad_requests() -> None:
    with pytest.raises(SpecError, match="unknown suite 'speed'"):
        bench.run("speed")
    with pytest.raises(SpecError, match="positive"):
        bench.run("startup", repeat=0)
    with pytest.raises(SpecError, match="positive"):
        bench.run("startup", time_box=0)

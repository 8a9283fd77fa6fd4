"""The benchmark of the double oracle: rows, logs, time boxes, what stands beside them, and the script that draws."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import benchmarks
import tremble
from benchmarks import contestant, double_oracle
from benchmarks.contestant import Job
from benchmarks.double_oracle import PROGRAMS, PUBLISHED, PUBLISHED_GAPS, PUBLISHED_SIZES, canonical
from benchmarks.programs import Program, Watch, prepare
from benchmarks.report import Row
from known import VALUES_FLOAT
from tremble.show import plots

BY_NAME = {program.name: program for program in PROGRAMS}
R4, T5 = "poker:bets=2,raises=4", "poker:bets=2,each=3,raises=4,types=4"
B3 = "poker:bets=3,each=3,raises=2,types=4"

RESULTS = Path(benchmarks.__file__).parent / "results"


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return Job.of("leduc", tmp_path_factory.mktemp("trees"))


@pytest.fixture
def started(leduc: Job, tmp_path: Path) -> Callable[..., tuple[Any, list[dict[str, Any]], Path]]:
    def start(program: Program, time_box: float = 60) -> tuple[Any, list[dict[str, Any]], Path]:
        log = tmp_path / "run.jsonl"
        trial = prepare(leduc, program=program, time_box=time_box, log=str(log))()
        return trial, lines_of(log), log

    return start


# -- the suite ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_suite_on_kuhn(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = tuple(
        program for program in PROGRAMS if program.name.endswith(("oracle", "rules", "simplex, float", "CFR+"))
    )
    monkeypatch.setattr(double_oracle, "PROGRAMS", chosen)
    report = benchmarks.run("double-oracle", games=["kuhn"], repeat=1, time_box=60)
    ours, rules, highs, regret = report.rows
    assert [row.program for row in report.rows] == [program.name for program in chosen]
    assert (ours.status, rules.status, highs.status, regret.status) == ("certified", "certified", "done", "bounded")
    assert ours.ratio == 1
    assert ours.note.startswith("55 nodes; ")
    for row in (ours, rules, highs):
        assert row.value == pytest.approx(-1 / 18, abs=1e-6)
        assert row.seconds is not None
        assert row.seconds > 0
    assert regret.value is None
    assert regret.note.endswith(" iterations")
    assert not report.goals


def test_what_needs_the_tree_of_a_game_that_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "_MOST_NODES", 100)
    monkeypatch.setattr(double_oracle, "PROGRAMS", tuple(map(BY_NAME.get, ("double oracle", "lp, exact", "CFR"))))
    report = benchmarks.run("double-oracle", games=["border_patrol:depth=3"], repeat=1, time_box=60)
    assert [row.status for row in report.rows] == ["certified", "needs the tree", "needs the tree"]
    assert report.rows[0].note.startswith("4,238 nodes; ")


@pytest.mark.slow
def test_all_programs_find_the_same_value() -> None:
    report = benchmarks.run("double-oracle", games=["border_patrol:depth=5"], repeat=1, time_box=10)
    assert [row.program for row in report.rows] == [program.name for program in PROGRAMS]
    for row in report.rows:
        assert "differs" not in row.note
        assert row.status in ("certified", "done", "bounded") or row.program == "CFR"


def test_sizes_are_the_same_with_and_without_a_tree(tmp_path: Path) -> None:
    game = "border_patrol:depth=3"
    built, rules = Job.of(game, tmp_path), Job.of(game, tmp_path, unbuilt=True)
    assert built.tree().digest == tremble.load(game).digest
    assert (rules.nodes, rules.sequences, rules.tree_file) == (built.nodes, built.sequences, None)
    assert built.sequences == tremble.strategies.SequenceForm.of(built.tree()).num_sequences
    assert all(program.can_play(built) for program in PROGRAMS)
    assert [program.name for program in PROGRAMS if not program.can_play(rules)] == [
        *(
            "lp, exact",
            "HiGHS simplex, float",
            "HiGHS interior point, float",
            "CFR+",
            "DCFR",
            "CFR",
        )
    ]


def test_a_file_is_a_tree_without_rules(tmp_path: Path) -> None:
    tremble.write_efg(tremble.load("kuhn"), tmp_path / "kuhn.efg")
    job = Job.of(str(tmp_path / "kuhn.efg"), tmp_path)
    assert [program.name for program in PROGRAMS if not program.can_play(job)] == ["double oracle, from rules"]


# -- runs and their logs --------------------------------------------------------------------------


def test_a_log_of_the_double_oracle(started: Any) -> None:
    trial, (first, *iterations, last), log = started(BY_NAME["double oracle, both"])
    assert trial.status == last["status"] == "certified"
    assert trial.value == pytest.approx(-0.0856064241)
    assert first == {
        "elapsed_seconds_float": 0.0, "event": "game", "game": "leduc", "program": "double oracle, both",
        "sequences": [337, 337],
    }  # fmt: skip
    assert [line["iteration"] for line in iterations] == list(range(1, last["stats"]["iterations"] + 1))
    assert {line["event"] for line in iterations} == {"iteration"}
    assert iterations[-1]["lower_float"] <= trial.value + 1e-9
    assert iterations[-1]["upper_float"] >= trial.value - 1e-9
    assert f"{last['stats']['iterations']} iterations" in trial.note
    assert "gap 0.001 after" in trial.note
    curve = plots.read_log(log, cpu=True)
    assert curve.exact
    assert curve.end == trial.seconds == last["cpu_seconds_float"]
    assert list(curve.seconds) == sorted(curve.seconds)
    assert curve.errors[-1] < 1e-6


def test_a_solver_that_runs_out_of_time_says_how_far_it_came(started: Any) -> None:
    endless = Program("CFR", "cfr", {"gap": 0})
    trial, (_, *iterations, last), log = started(endless, 0.4)
    assert trial.status == last["status"] == "over 0.4 s"
    assert trial.seconds >= 0.4
    assert trial.value is None
    gap = min(line["upper_float"] - line["lower_float"] for line in iterations)
    assert trial.note == f"gap {gap:.2g}"
    assert not plots.read_log(log).exact


def test_the_double_oracle_stopped_still_says_where_its_time_went(started: Any) -> None:
    trial, (*_, last), _ = started(BY_NAME["double oracle, alternating"], 1e-9)
    assert trial.status == "over 1e-09 s"
    assert last["stats"].get("restricted_sequences") is None  # it was stopped before the first iteration


def test_the_published_algorithm_finds_the_same(started: Any) -> None:
    for policy in ("both", "alternating", "worse"):
        trial, (*_, last), log = started(BY_NAME[f"as published, {policy}"])
        assert trial.status == "certified"
        assert trial.value == pytest.approx(-0.0856064241, abs=1e-9)
        assert last["stats"]["best_response_seconds_float"] > 0
        assert plots.read_log(log).errors[-1] < 1e-6


@pytest.mark.parametrize("name", ["HiGHS simplex, float", "HiGHS interior point, float"])
def test_highs_alone(started: Any, name: str) -> None:
    trial, (_, last), _ = started(BY_NAME[name])
    assert trial.status == "done"
    assert trial.value == pytest.approx(-0.0856064241, abs=1e-6)
    assert last["event"] == "end"


def test_a_watch_keeps_the_smallest_gap() -> None:
    watch = Watch(60)
    assert watch.gap == inf
    for number, (lower, upper) in enumerate([(-inf, 1.0), (-1.0, 1.0), (0.0, 0.5), (-1.0, 1.0)], 1):
        watch.iteration({"iteration": number, "lower_float": lower, "upper_float": upper})
    assert watch.rows[0]["lower_float"] is None
    assert watch.gap == 0.5
    assert watch.reached(1.0) == watch.rows[2]["cpu_seconds_float"]
    assert watch.reached(0.4) is None


def _with_a_child(job: Job) -> Callable[[], contestant.Trial]:
    """A program that has the work done by a process that it starts, as the checker is started."""

    def work() -> None:
        memory = bytearray(150 << 20)
        memory[:: 1 << 12] = bytes(len(range(0, len(memory), 1 << 12)))  # each page is used
        began = time.process_time()
        while time.process_time() - began < 0.5:
            pass

    def run() -> contestant.Trial:
        watch = Watch(60)
        child = multiprocessing.get_context("fork").Process(target=work, daemon=True)
        child.start()
        child.join()
        watch.stop()
        return contestant.Trial(watch.counted)

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_what_a_program_starts_counts(leduc: Job) -> None:
    """Processor seconds and memory of a process of its own, such as the checker's, are in the figures."""
    with contestant.Process(contestant.Contestant("parent", _with_a_child), leduc) as process:
        process.ready(60)
        before = process.peak_mib
        trial = process.run(60)
        assert trial.seconds >= 0.5
        assert before is not None
        assert process.peak_mib is not None
        assert process.peak_mib - before > 150


# -- beside the literature ------------------------------------------------------------------------


def test_published_numbers_are_found_by_any_spelling() -> None:
    cited = [*(game for rows in PUBLISHED.values() for game in rows), *PUBLISHED_GAPS]
    for game in [*cited, *double_oracle._SECONDS, *double_oracle._MEBIBYTES]:
        assert canonical(game) == game
    assert PUBLISHED.keys() <= BY_NAME.keys()
    assert canonical("somewhere/game.efg") == "somewhere/game.efg"
    rows = [Row("poker:types=4,raises=4,each=3,bets=2", name, "done", note="said") for name in BY_NAME]
    beside = {row.program: row for row in double_oracle._beside_the_paper(rows)}
    policies = {"both": 234.6, "alternating": 199.24, "worse": 182.68}  # Table 5
    for policy, seconds in policies.items():
        assert beside[f"as published, {policy}"].published == beside[f"double oracle, {policy}"].published == seconds
    assert beside["HiGHS interior point, float"].published == 278.18  # by "the barrier solution algorithm"
    assert beside["HiGHS simplex, float"].published is None
    assert beside["lp, exact"].published is None
    for name in ("double oracle", "double oracle, from rules"):
        assert (beside[name].published, beside[name].note) == (182.68, "said; published is DO-SWP")
    (slow,) = double_oracle._beside_the_paper([Row("border_patrol", "double oracle", "certified", 30.0)])
    assert (slow.published, slow.note) == (21.15, "published is DO-SWP; slower than published")
    r4 = {name: PUBLISHED[name].get(R4) for name in PUBLISHED}
    assert r4 == {
        "as published, both": None, "as published, alternating": None, "as published, worse": 103.0,
        "HiGHS interior point, float": 126.0,
    }  # fmt: skip
    for name, sizes in PUBLISHED_SIZES.items():
        assert sizes.keys() == {"border_patrol", "phantom_ttt:forced_wins=true", T5} == PUBLISHED[name].keys() - {R4}
    shares = [PUBLISHED_SIZES["as published, both"]["border_patrol"][i] / n for i, n in ((1, 1_463), (2, 273_099))]
    assert [round(100 * share, 2) for share in shares] == [17.22, 0.26]  # as Table 3 says
    assert beside["CFR"].note == "said; published gaps: 0.1212 after 400 s, 0.0268 after 3,600 s"
    assert beside["CFR+"].note == "said"
    (unnamed,) = double_oracle._beside_the_paper([Row("border_patrol", "CFR", "bounded")])
    assert unnamed.note.startswith("published gaps (instance not named, taken for G1): 0.0657 after 200 s")


def test_what_is_recorded_stands_beside_its_counterpart() -> None:
    recorded = json.loads((RESULTS / "double-oracle.json").read_text(encoding="utf-8"))["rows"]
    rows = [Row(**row) for row in recorded]
    beside = double_oracle._beside_the_paper([replace(row, published=None) for row in rows])
    assert [row.published for row in beside] == [row.published for row in rows]
    proven = [row for row in rows if row.status == "certified"]
    values = [(spec, row.value) for spec in VALUES_FLOAT for row in proven if row.task == spec]
    assert {spec for spec, _ in values} == set(VALUES_FLOAT)
    for spec, value in values:
        assert value == pytest.approx(VALUES_FLOAT[spec], abs=1e-10)
    assert [round(VALUES_FLOAT[spec], 5) for spec in (T5, B3)] == [-0.09963, -0.09828]  # as section 6.2 says


def test_goals() -> None:
    rows = [
        Row("phantom_ttt", "double oracle, both", "certified", seconds=100.0, peak_mib=900.0),
        Row("phantom_ttt", "double oracle, worse", "certified", seconds=90.0, peak_mib=5000.0),
        Row(R4, "double oracle, both", "over 60 s", seconds=60.0),
        Row(R4, "double oracle, both, smoothed", "certified", seconds=30.0),
        Row(R4, "HiGHS simplex, float", "over 60 s", seconds=60.0),
        Row(R4, "HiGHS interior point, float", "out of memory"),
        Row(T5, "double oracle, both", "over 60 s", seconds=60.0),
        Row(T5, "HiGHS simplex, float", "done", seconds=20.0),
    ]
    goals = {goal.text: goal for goal in double_oracle._goals(rows)}
    assert [(goal.measured, goal.met) for goal in goals.values()] == [
        (90.0, True),
        (5000.0, False),
        (30.0, True),
        (2.0, True),
        (None, None),
        (None, None),
    ]
    assert goals[f"{R4}: faster HiGHS / fastest double oracle"].bound


# -- the script that records and draws ------------------------------------------------------------


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("matplotlib")
    module = importlib.import_module("benchmarks.figures")
    for name, path in {
        "RESULTS": "",
        "LOGS": "logs",
        "ENVIRONMENT": "logs/environment.json",
        "FIGURES": "figures",
    }.items():
        monkeypatch.setattr(module, name, tmp_path / path)
    return module


def test_everything_that_is_to_be_recorded_is_known(figures: ModuleType) -> None:
    for game, names in figures.RUNS.items():
        assert canonical(game) == game
        assert set(names) <= figures.KNOWN.keys()
        assert len(set(names)) == len(names)
    logs = [figures.log_of(game, name) for game, names in figures.RUNS.items() for name in names]
    assert len(set(logs)) == len(logs)
    assert len(figures.SEARCH) == 12


def test_recording_and_drawing(figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = figures.R2
    monkeypatch.setattr(figures, "RUNS", {game: ("double oracle, worse", "HiGHS simplex, float")})
    monkeypatch.setattr(Job, "of", partial(_under_another_name, game, Job.of))
    figures.record(["phantom"], 30, missing=False)
    assert not list((tmp_path / "logs").glob("*.jsonl"))
    figures.record([], 30, missing=False)
    assert len(list((tmp_path / "logs").glob("*.jsonl"))) == 2
    figures.write_table()
    (row,) = json.loads((tmp_path / "double-oracle-breakdown.json").read_text())["rows"]
    assert row["status"] == "certified"
    assert row["share_of_sequences_float"] == [n / 337 for n in row["restricted_sequences"]]
    assert sum(row["share_of_time_float"].values()) == pytest.approx(1)
    assert sum(row["seconds_float"].values()) == pytest.approx(row["elapsed_seconds_float"], rel=0.5)
    table = (tmp_path / "double-oracle-breakdown.md").read_text().splitlines()
    assert len({line.count("|") for line in table if line.startswith("|")}) == 1
    figures.draw()
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"poker-ladder.svg", "error-poker-r2.svg", "breakdown.svg"}


def _under_another_name(name: str, of: Callable[..., Job], _game: str, folder: str, *, unbuilt: bool = False) -> Job:
    """Leduc as a game that the script draws figures of."""
    return replace(of("leduc", folder, unbuilt=unbuilt), game=name)

"""The benchmark suites: sane rows from tiny runs, and how contestants that fail are reported."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import benchmarks
import tremble
from benchmarks import general_sum, merging, record, refinements
from benchmarks.__main__ import main
from benchmarks.contestant import Contestant, Failure, Job, Process, Trial
from benchmarks.naive_check import gains
from benchmarks.nash import CONTESTANTS, ours
from benchmarks.race import Outcome, race, rows_of, tournament
from benchmarks.refinements import PUBLISHED
from benchmarks.report import Goal, Report, Row
from known import COUNTS
from tremble.errors import SpecError
from tremble.io import write_json

JOB = Job("kuhn", "nowhere.efg")
ROOT = Path(__file__).parents[2]


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


def _compiles(_job: Job) -> Callable[[], Trial]:
    """Its first run compiles for long, and says so; numba is there before, as in our solvers' second run."""
    import numba

    @numba.njit
    def double(x: int) -> int:
        return 2 * x

    return lambda: Trial(0.001 if double.signatures else 100.0, float(double(1)))


def _imports(_job: Job) -> Callable[[], Trial]:
    """Its first run imports for long."""

    def trial() -> Trial:
        known = "this" in sys.modules
        import this  # noqa: F401

        return Trial(0.001 if known else 100.0)

    return trial


def _always_new(_job: Job) -> Callable[[], Trial]:
    def trial() -> Trial:
        sys.modules[f"new_{len(sys.modules)}"] = sys
        return Trial(0.001)

    return trial


def _ignore(_step: str, _fraction: float | None) -> None:
    pass


def test_nash_on_kuhn() -> None:
    steps: list[str] = []
    report = benchmarks.run("nash", games=["kuhn"], repeat=1, time_box=60, progress=lambda step, _: steps.append(step))
    assert [row.program for row in report.rows] == [contestant.name for contestant in CONTESTANTS]
    first, highs, *peers = report.rows
    assert first.status == "certified"
    assert first.ratio == 1
    assert highs.status == "done"
    assert steps
    for row in report.rows:
        assert row.status in ("certified", "done", "not installed"), row
        if row.status != "not installed":
            assert row.seconds is not None
            assert row.seconds > 0
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


@pytest.mark.slow
def test_abstraction_on_small_games() -> None:
    games = [f"rhode_island:ranks={ranks}" for ranks in (3, 4, 5, 6, 7, 8)]
    report = benchmarks.run("abstraction", games=games, repeat=1, time_box=60)
    rows = {(row.task, row.program): row for row in report.rows}
    assert all(row.status == "done" for row in report.rows)
    assert {row.task for row in report.rows if row.program == "literal"} == set(games[:2])
    lossless = rows["rhode_island:ranks=8", "lossless"]
    assert lossless.note.endswith("8 / 120 / 1744 classes, 1,208,258 rows")
    assert sum("exponent in the signal tree" in goal.text for goal in report.goals) == 3


@pytest.mark.slow
def test_formats_on_kuhn() -> None:
    report = benchmarks.run("formats", games=["kuhn"], repeat=1, time_box=60)
    writer, reader, *peers = report.rows
    assert (writer.program, writer.status, writer.ratio) == ("tremble write_efg", "done", None)
    assert (reader.program, reader.status, reader.ratio) == ("tremble read_efg", "done", 1)
    assert len(peers) == 2


@pytest.mark.slow
def test_refinements_on_kuhn() -> None:
    report = benchmarks.run("refinements", games=["kuhn"], repeat=1, time_box=60)
    by_name = {row.program: row for row in report.rows}
    assert list(by_name) == [contestant.name for contestant in refinements.contestants()]
    assert [row.program for row in report.rows][:2] == ["tremble nash", "tremble quasi-perfect"]
    assert by_name["tremble nash"].ratio == 1
    assert by_name["tremble nash"].note.split("; ")[0] == "55 nodes"
    for row in report.rows:
        assert row.status in ("certified", "numeric", "not installed"), row
        assert row.value is None or row.value == pytest.approx(-1 / 18, abs=1e-6)
        assert row.status != "numeric" or row.program.startswith(("OpenSpiel", "Gambit"))
    assert "s, epsilon 1/10 after 2 programs, 0 exact pivots" in by_name["halving, quasi-perfect"].note
    assert " exact pivots" in by_name["symbolic-simplex, quasi-perfect"].note
    assert "epsilon 2^-38, 2 exact pivots; published: epsilon about 1e-42" in by_name["npp, quasi-perfect"].note
    assert "epsilon 2^-32, certified at 2^-5, 2 exact pivots" in by_name["npp, perfect"].note
    assert "epsilon 1/10 after 2 programs, certified at 2^-5" in by_name["halving, perfect"].note
    stated = [by_name[f"tremble {concept}"].published for concept in ("nash", "quasi-perfect", "perfect")]
    assert stated == [0.001, 0.080, 0.006]
    assert by_name["halving, perfect"].note.count("published: epsilon 1/10 after 2 programs") == 1
    gambit = by_name["Gambit logit_solve, numeric"]
    if gambit.status != "not installed":
        assert gambit.note.startswith("together players could gain ")
        assert 0 < float(gambit.note.split()[4]) < 1e-6
    assert not report.goals


@pytest.mark.slow
def test_general_sum_on_a_small_game() -> None:
    report = benchmarks.run("general-sum", games=["beer_quiche"], repeat=1, time_box=60)
    assert [row.program for row in report.rows] == [contestant.name for contestant in general_sum.CONTESTANTS]
    for row in report.rows:
        if row.program.startswith("tremble"):
            assert row.status == "certified"
            assert "8 leaves, 10 sequences, 11 pivots on " in row.note
            assert row.note.endswith("% of the time is verification")
        elif row.status != "not installed":
            assert row.status == ("numeric" if "numeric" in row.program else "done")
            assert row.note.startswith(("together players could gain ", "greatest regret 0, payoffs equal"))
    assert not report.goals


@pytest.mark.parametrize("merge", [True, False])
def test_merging_on_a_small_game(merge: bool, tmp_path: Path) -> None:
    job = Job.of("jk_four_cards", tmp_path)
    for concept, sizes in (("nash", "26 x 26, 98; 14 x 14, 40; "), ("perfect", "42 x 42, 162; 22 x 22, 72; ")):
        assert merging._refining(job, concept=concept)().note.startswith(sizes)
        assert merging._solving(job, concept=concept, merge=merge)().status == "certified"
    assert merging._floats(job, merge=merge)().value == pytest.approx(0.0)


def test_merging_plays_what_it_has_goals_for(tmp_path: Path) -> None:
    assert {game for game, _ in merging._FASTER} | set(merging._NOTHING_MERGES) <= set(merging.GAMES)
    assert len(list(merging._catalog(str(tmp_path)))) == 5  # of 38: the others have other players, or other sums


def test_a_line_for_each_merged_game() -> None:
    game = "goofspiel:cards=4"
    sizes = "54,421 nodes; 38,806 x 38,806, 88,746; 18,646 x 18,646, 42,538; 12 rounds"
    rows = [Row(game, program, "done", 0.1, 1.0, note=sizes) for program in merging._CLASSES.values()]
    for what, apart in (("HiGHS", 0.5), ("nash", 1.0), ("quasi-perfect", 2.0), ("perfect", 6.0)):
        rows.append(Row(game, what, "certified", 0.5, 1.0))
        rows.append(Row(game, f"{what}, all apart", "over 6 s" if apart == 6 else "certified", apart, 2 * apart))
    table = merging.beside([asdict(row) for row in rows])
    assert (
        "| `goofspiel:cards=4` | 54,421 | 38,806 x 38,806, 88,746 | 18,646 x 18,646, 42,538 | 0.1 | 0.5 / 0.5 = 1 "
        "| 1 / 0.5 = 2 | 2 / 0.5 = 4 | >6 / 0.5 = >12 |"
    ) in table
    goals = {goal.text.split(": ")[1]: goal for goal in merging._goals(rows, {game: 50_000})}
    assert goals["quasi-perfect, all apart / merged"].met
    assert goals["perfect, all apart / merged"].bound


def test_goals_of_general_sum() -> None:
    game = general_sum.LARGE
    rows = [
        Row(game, "tremble nash", "certified", 1.0, 1.0),
        Row(game, "tremble perfect", "certified", 61.0, 61.0),
        Row(game, "Gambit lcp_solve, rational", "over 60 s", 60.0, 60.0),
    ]
    assert [(goal.measured, goal.met) for goal in general_sum._goals(rows)] == [
        (60.0, True),
        (1.0, True),
        (61.0, False),
    ]


@pytest.mark.slow
def test_the_patient_are_not_hurried() -> None:
    contestants = [Contestant("quick", _quick), Contestant("broken", _broken), Contestant("stubborn", _broken)]
    tables = list(tournament(contestants, ["kuhn", "leduc:ranks=2"], 1, 60, _ignore, patient=("stubborn",)))
    assert [row.note for row in tables[1][1:]] == ["tried for 10 s: it failed at kuhn", ""]


def test_published_numbers_are_of_games_that_are_played() -> None:
    played = {*refinements.GAMES, "leduc:ranks=9", "goofspiel:cards=4"}
    cited = {game for algorithms in PUBLISHED.values() for games in algorithms.values() for game in games}
    assert cited <= played
    names = {contestant.name for contestant in refinements.contestants()}
    refined = {concept: algorithms for concept, algorithms in PUBLISHED.items() if concept != "nash"}
    assert {f"{algorithm}, {concept}" for concept, algorithms in refined.items() for algorithm in algorithms} <= names
    tables = [games for algorithms in PUBLISHED.values() for games in algorithms.values()]
    assert all(games.keys() == cited for games in tables)  # the paper's own table is whole
    for algorithms in refined.values():  # the numbers of the table are halved from 1/10, after a first program at 0
        for stated in algorithms["halving"].values():
            assert Fraction(stated.epsilon) == Fraction(1, 10) / 2 ** ((stated.programs or 0) - 2)
            assert 0 < (stated.oracle or 0) < (stated.seconds or 0)


def test_the_table_in_the_documentation_is_what_was_recorded_and_published() -> None:
    recorded = json.loads((ROOT / "benchmarks" / "results" / "refinements.json").read_text(encoding="utf-8"))
    table = record.table_of_refinements(recorded["rows"])
    assert table in (ROOT / "docs" / "compared.md").read_text(encoding="utf-8")
    (kuhn,) = [line for line in table.splitlines() if line.startswith("| Kuhn")]
    assert [kuhn.split(" | ")[i] for i in (6, 10)] == ["0.08", "0.006 |"]
    written = (ROOT / "benchmarks" / "results" / "refinements.md").read_text(encoding="utf-8")
    assert written.endswith(record.tables_beside_the_paper(recorded["rows"]))
    solved = (ROOT / "benchmarks" / "results" / "rhode-island.md").read_text(encoding="utf-8")
    assert solved.endswith(record.rhode_island_beside_the_paper())
    for spec in PUBLISHED["nash"]["simplex"]:  # its table of sizes
        sizes = COUNTS[spec if spec in COUNTS else "leduc:raises=1,ranks=2"]
        nodes = (sizes.chance, sizes.terminal, sizes.nodes1, sizes.nodes2)
        row = f"| {record.SHORT[spec]} | {', '.join(f'{n:,}' for n in nodes)} | {sizes.infosets1:,}, "
        assert f"{row}{sizes.infosets2:,} | {sizes.sequences1:,}, {sizes.sequences2:,} |" in written


def test_refinements_beside_the_paper() -> None:
    game = "leduc:ranks=5"
    rows = [
        Row(game, "tremble nash", "certified", 1.0, 1.0),
        Row(game, "tremble quasi-perfect", "certified", 2.0, 2.0),
        Row(game, "halving, quasi-perfect", "over 60 s", 60.0, 60.0),
        Row(game, "npp, quasi-perfect", "not tried"),
    ]
    beside = list(refinements._beside_the_paper(rows))
    assert [row.published for row in beside] == [0.372, 7.04, 7.04, 1668.6]
    assert [row.note for row in beside] == [
        "slower than published",
        "halving takes more than 30 times as long",
        "published: epsilon 1/2560 after 10 programs; slower than published",
        "published: epsilon about 1e-5883",
    ]
    (hopeless,) = refinements._beside_the_paper([Row(game, "symbolic-simplex, quasi-perfect", "over 10 s", 10.0)])
    assert (hopeless.published, hopeless.note) == (None, "published: more than 6 h")
    (goal,) = refinements._goals(beside)
    assert (goal.measured, goal.at_least, goal.bound, goal.met) == (30.0, True, True, True)
    report = Report("refinements", tuple(beside), (goal,))
    assert "published" in report.to_table()
    assert "published" not in Report("refinements", tuple(rows)).to_table()
    markdown = report.to_markdown().splitlines()
    assert markdown[2].count("|") == markdown[3].count("|") == markdown[4].count("|")
    slow = [rows[0], Row("leduc:ranks=9", "tremble quasi-perfect", "certified", 3.0, 3.0)]
    (goal,) = refinements._goals(slow)
    assert (goal.measured, goal.limit, goal.met) == (3.0, 1.5, False)


def test_where_we_are_slower_than_the_paper_our_row_says_so() -> None:
    rows = [
        Row("kuhn", "tremble nash", "certified", 0.004, 1.0),
        Row("kuhn", "tremble quasi-perfect", "certified", 0.012, 3.0),
        Row("kuhn", "tremble perfect", "certified", 0.021, 5.0),
    ]
    slower = "slower than published"
    assert [row.note for row in refinements._beside_the_paper(rows)] == [slower, "", slower]


def test_a_profile_of_floats_is_judged_exactly() -> None:
    tree = tremble.load("kuhn")
    rows = [[[0.1] * len(labels) for labels in sets] for sets in tree.actions]
    scaled = refinements._scaled(tree, rows)
    assert tremble.nash_conv(tree, scaled) == Fraction(11, 12)  # as of uniform play


@pytest.mark.slow
def test_who_fails_at_a_small_game_is_tried_for_ten_seconds_on_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    contestants = [
        Contestant("quick", _quick),
        Contestant("broken", _broken),
        Contestant("absent", _quick, ("no_one",)),
    ]
    boxes: list[float] = []
    ready = Process.ready

    def boxed(process: Process, time_box: float) -> None:
        boxes.append(time_box)
        ready(process, time_box)

    monkeypatch.setattr(Process, "ready", boxed)
    tables = list(tournament(contestants, ["kuhn_raise", "kuhn"], 1, 60, _ignore))
    assert boxes == [60, 60, 60, 10]
    assert [[row.task for row in rows] for rows in tables] == [["kuhn"] * 3, ["kuhn_raise"] * 3]
    assert [row.status for row in tables[0]] == ["done", "failed: RuntimeError: no luck", "not installed"]
    assert [row.status for row in tables[1]] == [row.status for row in tables[0]]
    assert tables[1][1].note == "tried for 10 s: it failed at kuhn"
    assert tables[1][0].note == "91 nodes"


@pytest.mark.parametrize("prepare", [_compiles, _imports])
def test_a_run_that_compiles_or_imports_is_never_counted(prepare: Callable[[Job], Callable[[], Trial]]) -> None:
    (outcome,) = race([Contestant("cold", prepare)], JOB, repeat=3, time_box=60, progress=_ignore)
    assert list(outcome.times.values()) == [0.001] * 3


def test_nothing_is_counted_of_who_never_gets_warm() -> None:
    (row,) = rows_of("kuhn", race([Contestant("cold", _always_new)], JOB, repeat=2, time_box=60, progress=_ignore))
    assert (row.seconds, row.ratio, row.runs) == (None, None, 0)
    assert row.status == "failed: used something for the first time in every run"


@pytest.mark.parametrize("concept", ["nash", "perfect"])
def test_what_our_runs_report_is_warm(concept: str) -> None:
    """The kernels of systems that are not small: our second run of a process compiles nothing."""
    prepare = partial(ours, concept=concept, method="auto")
    with Process(Contestant("tremble", prepare), Job("leduc", "nowhere.efg")) as process:
        process.ready(300)
        process.run(300)
        assert process.run(300).warm


def test_no_ratio_where_rounds_disagree_wildly() -> None:
    steady, wild = Outcome(Contestant("steady", _quick)), Outcome(Contestant("wild", _quick))
    steady.trials.update({i: Trial(1.0) for i in range(3)})
    wild.trials.update({0: Trial(1.0), 1: Trial(5.0), 2: Trial(1.1)})
    rows = rows_of("kuhn", [steady, wild])
    assert [(row.ratio, row.note) for row in rows] == [
        (1, ""),
        (None, "runs took 1 to 5 s; no ratio: the rounds disagree"),
    ]
    assert [row.ratio for row in rows_of("kuhn", [wild, steady])] == [1, None]


def test_missing_and_failing_peers_are_rows() -> None:
    contestants = [
        Contestant("quick", _quick),
        Contestant("absent", _quick, ("no_such_module",)),
        Contestant("broken", _broken),
        Contestant("hungry", _hungry),
    ]
    rows = rows_of("kuhn", race(contestants, JOB, repeat=3, time_box=60, progress=_ignore))
    assert [row.status for row in rows] == ["done", "not installed", "failed: RuntimeError: no luck", "out of memory"]
    assert [row.seconds for row in rows] == [0.001, None, None, None]
    assert rows[0].runs == 3


def test_a_loading_that_hangs_is_killed() -> None:
    (outcome,) = race([Contestant("slow", _slow)], JOB, repeat=1, time_box=0.5, progress=_ignore)
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
        benchmarks.run("speed")
    with pytest.raises(SpecError, match="positive"):
        benchmarks.run("startup", repeat=0)
    with pytest.raises(SpecError, match="positive"):
        benchmarks.run("startup", time_box=0)


def test_the_command_lists_suites_and_refuses_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks"])
    assert main() == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {*benchmarks.SUITES, "fuzz"}
    monkeypatch.setattr("sys.argv", ["benchmarks", "no-such-suite"])
    assert main() == 2
    assert "no-such-suite" in capsys.readouterr().err


def test_the_command_prints_a_report_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks", "startup", "--game", "kuhn", "--repeat", "1", "--format", "json"])
    assert main() == 0
    report = json.loads(capsys.readouterr().out)
    programs = {(row["task"], row["program"]) for row in report["rows"]}
    assert {
        ("tremble --version", "tremble"),
        ("tremble info kuhn", "tremble"),
        ("tremble solve kuhn", "tremble"),
    } <= programs
    assert {("tremble verify kuhn", "tremble"), ("tremble verify kuhn", "naive")} <= programs
    assert {row["status"] for row in report["rows"]} == {"done"}
    assert {goal["limit"] for goal in report["goals"] if "verify" in goal["text"]} == {0.5}


def test_the_naive_checker_finds_what_deviations_gain(tmp_path: Path) -> None:
    """It is a yardstick of time only if it does the work."""
    tree = tremble.load("leduc")
    write_json(tree, tmp_path / "game.json")
    tremble.solve(tree).to_json(tmp_path / "solution.json")
    game, solution = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in ("game", "solution"))
    assert gains(game, solution) == [0, 0]
    for rows, sets in zip(solution["strategies"], tree.actions, strict=True):
        for row, labels in zip(rows, sets, strict=True):
            row["actions"] = [[label, f"1/{len(labels)}"] for label in labels]
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    assert sum(gains(game, solution)) == tremble.nash_conv(tree, uniform)

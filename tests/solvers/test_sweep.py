"""Sweeps: the points are those of a closed form, ranges mean what they say, what fails stops no other point."""

from __future__ import annotations

import csv
import itertools
import json
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction as F
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import tremble
from command import run
from processes import tremble_process
from tremble import FormatError, GameError, LimitReached
from tremble.batch.parameter_sweep import Sweep, _specs, sweep
from tremble.batch.sweep_views import sweep_view
from tremble.errors import SpecError
from tremble.run.executors import InTurn
from tremble.text.view import exact_and_decimal


def pennies(x: Any) -> tremble.GameTree:
    """Matching pennies in which winning with heads pays x."""
    return tremble.matrix_game([[x, -1], [-1, 1]], rows=["heads", "tails"], columns=["heads", "tails"])


def value(x: F) -> F:
    """Of that: both mix, unless heads never pays."""
    return (x - 1) / (x + 3) if x > -1 else F(-1)


def test_points_are_those_of_the_closed_form() -> None:
    found = sweep(pennies, "-3..5", points=17)
    assert found.points == tuple(F(k, 2) for k in range(-6, 11))
    assert [pair[0] for pair in found.values if pair is not None] == [value(x) for x in found.points]
    assert all(result.proven for result in found.results)
    assert found.changes == ((F(-1), F(-1, 2)),)
    mixed = found.strategy_at(0, 0)
    after = [(x, p) for x, p in zip(found.points, mixed["heads"], strict=True) if x > -1]
    assert after == [(x, 2 / (x + 3)) for x, _ in after]
    assert all(p is not None and q is not None and p + q == 1 for p, q in zip(*mixed.values(), strict=True))
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found) == "<Sweep of x from -3 to 5: 17 points, 17 proven>"


def test_a_parameter_of_a_built_in_game(tmp_path: Path) -> None:
    found = sweep("kuhn:cards=3..6", step=2, out=tmp_path / "out")
    assert (found.parameter, found.points) == ("cards", (3, 5))
    for x, pair in zip(found.points, found.values, strict=True):
        assert pair is not None
        assert pair[0] == tremble.solve(tremble.load(f"kuhn:cards={x}")).value
    assert not found.changes  # other information sets
    assert found.strategy_at("T:b")["call"][0] is None  # three cards have no ten
    again = sweep("kuhn:cards=3..5", out=tmp_path / "out")
    assert [result.from_disk for result in again.results] == [True, False, True]
    assert again.values[::2] == found.values


@pytest.mark.parametrize(
    ("values", "options", "points"),
    [
        ("0..1", {}, [F(k, 10) for k in range(11)]),
        ("0..1", {"step": "0.3"}, [0, F(3, 10), F(3, 5), F(9, 10)]),
        ("1/3..1/2", {"points": 2}, [F(1, 3), F(1, 2)]),
        ("2..2", {}, [2]),
        ([3, "1/2", 3, 1], {}, [F(1, 2), 1, 3]),
        (range(3), {}, [0, 1, 2]),
    ],
)
def test_ranges(values: Any, options: dict[str, Any], points: list[F]) -> None:
    assert sweep(pennies, values, **options).points == tuple(points)


def test_integers_stay_integers() -> None:
    assert sweep("kuhn:cards=3..12", points=4).points == (3, 6, 9, 12)
    assert sweep("kuhn:cards=3..6", points=3).points == (3, 4, 6)
    assert [type(x) for x in _given("0..1", points=3)] == [int, F, int]


def _given(values: str, **options: Any) -> list[Any]:
    given: list[Any] = []
    sweep(lambda x: given.append(x) or pennies(x), values, **options)
    return given


def test_floats_are_what_the_game_has() -> None:
    name, grid, games = _specs("random_imperfect_recall:merge=0..1,depth=2", 4, None)
    assert (name, grid) == ("merge", [0, F("0.3333333333333333"), F("0.6666666666666666"), 1])
    assert games[1] == "random_imperfect_recall:merge=0.3333333333333333,depth=2"


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        ("kuhn", {}, "has no range"),
        ("kuhn:cards=3..5", {"values": [1]}, "'values' needs a function as 'game'"),
        ("kuhn:crds=3..5", {}, "did you mean cards"),
        ("kuhn:cards=1/2..3", {}, "an integer from 2"),
        ("kuhn:cards=5..3", {}, "from the smaller to the larger"),
        ("kuhn:cards=3..x", {}, "x is not a number"),
        ("kuhn:cards=3..5", {"step": "1/2"}, "a positive integer"),
        ("kuhn:cards=3..5", {"step": 0}, "a positive integer"),
        ("kuhn:cards=3..5", {"step": 1, "points": 2}, "exclude each other"),
        ("kuhn:cards=3..5", {"points": 0}, "at least 1"),
        ("leduc:ranks=2..100000", {}, "at most 10,000 points"),
        ("leduc:ranks=2..3,raises=1..2", {}, "2 ranges"),
        ("goofspiel:order=1..2", {}, "not a number"),
        ("beer_quiche:x=1..2", {}, "no parameters"),
        ("mine.efg:x=1..2", {}, "not a built-in game"),
        (pennies, {"values": "5"}, "a range such as"),
        (pennies, {"values": []}, "from 1 to 10,000"),
        (pennies, {"values": itertools.count()}, "not more"),
        (pennies, {"values": [1], "points": 3}, "omit them if .values. is a list"),
        (3, {}, "or a function"),
    ],
)
def test_what_is_no_sweep(game: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        sweep(game, **options)


def test_a_point_that_fails_stops_no_other() -> None:
    found = sweep(lambda x: pennies(x) if x else "no_such_game", "-1..1", points=3)
    assert [result.status for result in found.results] == ["certified", "failed", "certified"]
    assert found.values[1] is None
    assert [row["value1"] for row in found.to_rows()] == [-1, None, 0]
    assert found.strategy_at(0, 0)["heads"][1] is None


def test_workers_find_the_same() -> None:
    with ThreadPoolExecutor(2) as threads:
        assert sweep(pennies, "0..2", points=5, executor=threads).values == sweep(pennies, "0..2", points=5).values


def test_an_error_of_the_function_says_where() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        sweep(lambda x: pennies(1 / F(x)), "0..1")
    assert caught.value.__notes__ == ["at x = 0"]


def test_ctrl_c_keeps_what_is_done() -> None:
    class Stopping(InTurn):
        done = 0

        def submit(self, *given: Any, **named: Any) -> Any:
            self.done += 1
            if self.done > 3:
                raise KeyboardInterrupt
            return super().submit(*given, **named)

    with pytest.raises(LimitReached, match="of 9 points are done") as caught:
        sweep(pennies, "1..9", points=9, executor=Stopping())
    best = caught.value.best
    assert isinstance(best, Sweep)
    assert caught.value.interrupted
    assert best.points == (1, 2)


def test_sets_by_name() -> None:
    found = sweep("double_oracle_example:ayf=0..1")
    for infoset, player, said in ((0, None, "is the index of"), ("no", None, "no point of"), (9, 0, "no point of")):
        with pytest.raises(GameError, match=said):
            found.strategy_at(infoset, player)
    with pytest.raises(GameError, match="both players"):
        sweep(pennies, [1]).strategy_at("")


def test_rows() -> None:
    found = sweep(pennies, "-1..0", points=3)
    assert [(row["x"], row["changed"]) for row in found.to_rows()] == [(-1, False), (F(-1, 2), True), (0, False)]
    rows = found.to_rows(0, player=0)
    assert [(row["x"], row["action"], row["probability"]) for row in rows[2:4]] == [
        (F(-1, 2), "heads", F(4, 5)),
        (F(-1, 2), "tails", F(1, 5)),
    ]
    pytest.importorskip("pandas")
    assert list(found.to_frame("pandas")["x"]) == list(found.points)
    assert len(found.to_frame("pandas", infoset=0, player=1)) == 6


# -- the command -------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path) -> None:
    game = "double_oracle_example:ayf=-3..2"
    table = run("sweep", game, "--quiet")
    assert table.exit_code == 0
    assert "6 of 6 points proven" in table.stdout
    assert "the support changes" in table.stdout
    record = json.loads(run("sweep", game, "--format", "json", "--set", "1", "--player", "1").stdout)
    assert [point["values"][0] for point in record["points"]] == ["2/7", "2/7", "1/2", "4/5", "5/4", "2"]
    *around_the_tie, last = record["changes"]  # E and F pay the same at -2: either may be played, or both
    assert last == ["1", "2"]
    assert around_the_tie in ([["-3", "-2"]], [["-2", "-1"]], [["-3", "-2"], ["-2", "-1"]])
    assert all(sum(F(p) for _, p in point["actions"]) == 1 for point in record["points"])
    rows = list(csv.DictReader(StringIO(run("sweep", game, "--format", "csv").stdout)))
    assert [row["value1"] for row in rows] == ["2/7", "2/7", "1/2", "4/5", "5/4", "2"]
    assert list(rows[0]) == list(Sweep.columns)


def test_what_a_player_guarantees_is_no_value_to_player_1() -> None:
    game = "random_imperfect_recall:merge=0.5,depth=4,seed=3..6"
    found = sweep(game, concept="maxmin", player=1, epsilon=F(1, 10))
    table = run("sweep", game, "--concept", "maxmin", "--player", "2", "--epsilon", "0.1", "--quiet").stdout
    assert "player 2 guarantees" in table
    least = [-r.solution.bounds[1] for r in found.results if r.solution is not None and r.solution.bounds is not None]
    assert all(exact_and_decimal(number, 23) in table for number in least)
    pytest.importorskip("matplotlib")
    axes = tremble.show.sweep_plot(found)
    assert axes.get_ylabel() == "guaranteed to player 2"
    assert list(axes.lines[0].get_ydata()) == list(map(float, least))

    sometimes = sweep(
        lambda x: tremble.matrix_game([[3, 0], [0, 1]], [[-3, 0], [0, -x]]), [1, 5], concept="maxmin", player=1
    )  # at 1 the sum is constant
    assert list(tremble.show.sweep_plot(sometimes).lines[0].get_ydata()) == [-0.75, -1.875]


def test_the_points_are_shown_where_the_rest_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = "double_oracle_example:ayf=0..1"
    no_set = run("sweep", game, "--set", "no", "-o", tmp_path / "a.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    no_plot = run("sweep", game, "-o", tmp_path / "b.svg")
    for wrong, code, said in ((no_set, 4, "information set 'no'"), (no_plot, 3, "matplotlib is not installed")):
        assert (wrong.exit_code, "2 of 2 points proven" in wrong.stdout, said in wrong.stderr) == (code, True, True)
    assert not list(tmp_path.iterdir())


def test_the_command_refuses(tmp_path: Path) -> None:
    assert run("sweep", "kuhn").exit_code == 2
    assert run("sweep", "kuhn:cards=3..4", "-o", tmp_path / "x.txt").exit_code == 2
    assert run("sweep", "double_oracle_example:ayf=0..1", "--set", "1").exit_code == 2
    assert run("sweep", "double_oracle_example:ayf=0..1", "--set", "no").exit_code == 4
    failed = run("sweep", "kuhn:cards=3..4", "--max-nodes", "60", "--concept", "qpe", "--format", "json")
    assert (failed.exit_code, [point["proven"] for point in json.loads(failed.stdout)["points"]]) == (4, [True, False])


def test_a_time_limit_is_for_the_whole_sweep() -> None:
    """Points that are not done are reported; a limit for each point has a name of its own."""
    began = time.monotonic()
    found = sweep(lambda x: "kuhn" if x == 1 else "rhode_island", [1, 2, 3, 4], time_limit=6.0, gap=1e-7)
    assert time.monotonic() - began < 60  # each point after the first one takes hours to this gap
    assert found.points == (1, 2, 3, 4)
    assert [result.proven for result in found.results] == [True, False, False, False]
    assert {str(r.error) for r in found.results[2:]} == {"stopped by the time limit before the game was started"}
    each = sweep(lambda _: "rhode_island", [1, 2], point_limit=0.5)
    assert all(isinstance(r.error, LimitReached) and "game was started" not in str(r.error) for r in each.results)
    for limit in ("time_limit", "point_limit"):
        with pytest.raises(SpecError, match="a time limit must be a positive number of seconds"):
            sweep(pennies, [1], **{limit: 0})


@pytest.mark.parametrize("option", ["--time-limit", "--point-limit"])
def test_the_command_has_both_limits(option: str) -> None:
    done = run("sweep", "leduc:ranks=3..4", option, "1e-9", "--format", "json")
    assert done.exit_code == 5
    errors = [point["error"]["message"] for point in json.loads(done.stdout)["points"]]
    assert len(errors) == 2
    assert all("stopped by the time limit" in error for error in errors)


@pytest.mark.parametrize("command", [("sweep", "kuhn:cards=3..4"), ("batch", "kuhn", "-o", "out")])
def test_no_machine_has_so_many_processors(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*command, "--jobs", str(10**39))
    assert done.exit_code == 2
    assert "Invalid value for '--jobs'" in done.stderr


@pytest.mark.slow
def test_points_are_shown_where_there_is_no_time_to_draw_them(tmp_path: Path) -> None:
    """A picture that takes longer than the grace period takes nothing else with it."""
    change = "import time, tremble.batch.command_sweep as s\ns.sweep_plot = lambda *a, **k: time.sleep(60)"
    argv = ["tremble", "sweep", "kuhn:cards=3..4", "-o", "late.svg", "--time-limit", "15", "--format", "json"]
    text = f"import sys\n{change}\nsys.argv = {argv!r}\nimport tremble.__main__ as m\nm.run()\n"
    process = tremble_process(begin=("-c", text), cwd=tmp_path)
    shown, said = process.communicate(timeout=50)
    record = json.loads(shown)
    assert process.returncode == 5
    assert record["file"] is None
    assert [point["proven"] for point in record["points"]] == [True, True]
    assert "there was no time to draw the picture" in said


def test_the_table_says_where_a_rescued_solution_is(tmp_path: Path) -> None:
    (result,) = tremble.solve_many(["kuhn"])
    lost = FormatError("results.jsonl: the file cannot be written; its line is elsewhere")
    found = Sweep("x", (F(1),), (replace(result, rescued=tmp_path / "here.json", error=lost),))
    shown = StringIO()
    Console(width=1000, file=shown).print(sweep_view(found))
    assert str(tmp_path / "here.json") in shown.getvalue()

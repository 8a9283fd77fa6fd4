"""Regret minimisation along the public tree, beside exact solutions of the trees of small ordered games."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tremble
from random_ordered import RandomOrdered
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.filter import Filter
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import PublicTree, exact_strategy
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.poker.regret.public_tree_kernels import best_replies
from tremble.poker.regret.tables import ALONE, empty_plan, pass_up
from tremble.solvers.regret import VARIANTS

SMALL = [RandomOrdered(seed) for seed in range(10)]


def _tree(game: OrderedGame, filter_: Filter) -> PublicTree:
    return PublicTree.of(FilteredGame.of(game, filter_))


@pytest.mark.sample(8)
@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.title)
@pytest.mark.parametrize("filter_of", [lossless_filter, Filter.full])
def test_bounds_enclose_the_value_and_close_in_on_it(game: OrderedGame, filter_of) -> None:
    tree = tremble.build(game)
    value = float(tremble.solve(tree).value)
    minimizer = PublicTreeMinimizer(_tree(game, filter_of(game)), VARIANTS["dcfr"])
    spread = float(np.ptp(tree.payoff[:, 0])) / tree.payoff_denominator
    minimizer.run(400)
    lower, upper = minimizer.bounds()
    assert lower - 1e-9 <= value <= upper + 1e-9
    assert upper - lower <= 0.01 * max(spread, 1e-9)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", VARIANTS)
def test_the_variants_come_near(name: str) -> None:
    game = RhodeIsland(ranks=3, suits=2)
    minimizer = PublicTreeMinimizer(_tree(game, lossless_filter(game)), VARIANTS[name])
    minimizer.run(600)
    lower, upper = minimizer.bounds()
    assert 0 < upper - lower < (3.0 if name == "cfr" else 0.3)


@pytest.mark.parametrize("seed", range(8))
def test_best_replies_are_those_of_the_tree(seed: int) -> None:
    """Of random plans: the shrunk game's tree says the same."""
    game = RandomOrdered(seed)
    abstraction = Abstraction(game, lossless_filter(game), "lossless")
    shrunk = abstraction.apply()
    tree = PublicTree.of(abstraction.filtered)
    rng = np.random.default_rng(seed)
    for player in (0, 1):
        rows = [rng.integers(0, 4, len(labels)) for labels in shrunk.actions[1 - player]]
        shares = [[Fraction(int(n), int(sum(row))) if sum(row) else Fraction(1, len(row)) for n in row] for row in rows]
        strategy = tremble.BehaviorStrategy.from_rows(shrunk, 1 - player, shares)
        both = [tremble.BehaviorStrategy.uniform(shrunk, 0), tremble.BehaviorStrategy.uniform(shrunk, 1)]
        both[1 - player] = strategy
        expected = tremble.best_response(shrunk, tuple(both), player)[0]
        lifted = abstraction.lift_plans(tuple(both))[1 - player]
        plan = empty_plan(tree, 1 - player)
        come, leaving = np.ones((1, 1, 1)), np.zeros(1, dtype=np.int64)
        for array, weight, side in zip(plan, lifted.weight, tree.sides[1 - player], strict=True):
            array[:, 1:, :] = (np.asarray(weight, dtype=object) / lifted.denominator).astype(float)[side.order]
            array[:, 0, :] = come[side.earlier][:, leaving, :].transpose(0, 2, 1).reshape(len(side.order), -1)
            come, leaving = array, side.leaving
        earned = float(pass_up(tree.sides, player, plan, ALONE, best_replies).sum())
        assert earned * tree.unit == pytest.approx(float(expected), abs=1e-9)


def test_rounding_makes_exact_plans_near_the_floats() -> None:
    game = RhodeIsland(ranks=3)
    tree = _tree(game, lossless_filter(game))
    minimizer = PublicTreeMinimizer(tree, VARIANTS["dcfr"])
    minimizer.run(30)
    for player in (0, 1):
        strategy = exact_strategy(tree, player, minimizer.total[player])
        come, leaving = np.full((1, 1, 1), strategy.denominator), np.zeros(1, dtype=np.int64)
        for weight, total, side in zip(strategy.weight, minimizer.total[player], tree.sides[player], strict=True):
            whole = np.empty(side.shape, dtype=np.int64)
            whole[:, 1:, :] = weight[side.order]
            whole[:, 0, :] = come[side.earlier][:, leaving, :].transpose(0, 2, 1).reshape(len(side.order), -1)
            for first, last, parent in zip(side.start[:-1], side.start[1:], side.parent, strict=True):
                assert (whole[:, first:last].sum(axis=1) == whole[:, parent]).all()
            assert (weight >= 0).all()
            floats = total / minimizer.total[player][0][0, 0, 0]
            assert np.abs(whole / strategy.denominator - floats).max() < 1e-11
            come, leaving = whole, side.leaving


def test_threads_change_nothing() -> None:
    game = RhodeIsland(ranks=4)
    tree = _tree(game, lossless_filter(game))
    with ThreadPoolExecutor(2) as executor:
        one, two = PublicTreeMinimizer(tree, VARIANTS["dcfr"]), PublicTreeMinimizer(tree, VARIANTS["dcfr"], executor)
        one.run(20)
        two.run(20)
    for player in (0, 1):
        for mine, other in zip(one.total[player], two.total[player], strict=True):
            np.testing.assert_array_equal(mine, other)


def test_an_executor_of_threads_is_asked_for() -> None:
    with ProcessPoolExecutor(1) as processes:
        for wrong in (2, processes):
            with pytest.raises(tremble.errors.SpecError, match=r"'executor' must be a .*\.ThreadPoolExecutor, because"):
                tremble.methods.Dcfr(executor=wrong)  # type: ignore[arg-type]


@pytest.mark.slow
def test_kernels_are_compiled_before_threads_use_them(tmp_path: Path) -> None:
    program = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "import tremble\n"
        "with ThreadPoolExecutor(4) as threads:\n"
        "    method = tremble.methods.Dcfr(executor=threads)\n"
        "    solution = tremble.solve(tremble.load_rules('rhode_island:ranks=5'), method=method, gap=5)\n"
        "print(solution.status)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "bounded\n"


@pytest.mark.parametrize("name", ["dcfr", "pcfr+"])
def test_a_run_goes_on_from_its_checkpoint_as_if_never_stopped(tmp_path: Path, name: str) -> None:
    game, file = tremble.load_rules("rhode_island:ranks=2"), tmp_path / "run.checkpoint"
    whole = tremble.solve(game, method=name, gap=0.05)
    first = tremble.solve(game, method=name, gap=2, checkpoint=file)
    assert first.stats["iterations"] < whole.stats["iterations"]
    seen: list[int] = []
    second = tremble.solve(
        game, method=name, gap=0.05, checkpoint=file, report=lambda row: seen.append(row["iteration"])
    )
    assert min(seen) == first.stats["iterations"]
    assert second.stats["iterations"] == whole.stats["iterations"]
    assert second.stats["evaluations"] == whole.stats["evaluations"]
    assert (second.bounds, second.values) == (whole.bounds, whole.values)
    for mine, other in zip(second.strategies, whole.strategies, strict=True):
        for one, two in zip(mine.weight, other.weight, strict=True):
            np.testing.assert_array_equal(one, two)
    again = tremble.solve(game, method=name, gap=0.05, checkpoint=file)
    assert again.bounds[1] - again.bounds[0] <= Fraction(1, 20)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[: len(data) // 2], "not a checkpoint, or it is damaged"),
        (lambda data: data[:2000] + b"x" * 100 + data[2100:], "not a checkpoint, or it is damaged"),
        (lambda _: b"hello", "not a checkpoint, or it is damaged"),
    ],
)
def test_damaged_checkpoints_are_refused(tmp_path: Path, damage, said: str) -> None:
    game, file = tremble.load_rules("rhode_island:ranks=2"), tmp_path / "run.checkpoint"
    tremble.solve(game, method="dcfr", gap=5, checkpoint=file)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(tremble.FormatError, match=said):
        tremble.solve(game, method="dcfr", gap=5, checkpoint=file)


def test_checkpoints_of_other_runs_are_refused(tmp_path: Path) -> None:
    game, file = tremble.load_rules("rhode_island:ranks=2"), tmp_path / "run.checkpoint"
    tremble.solve(game, method="dcfr", gap=5, checkpoint=file)
    with pytest.raises(tremble.FormatError, match="belongs to another run"):
        tremble.solve(game, method="cfr+", gap=5, checkpoint=file)
    with pytest.raises(tremble.FormatError, match="belongs to another run"):
        tremble.solve(tremble.load_rules("rhode_island:ranks=3"), method="dcfr", gap=5, checkpoint=file)
    with pytest.raises(tremble.FormatError, match="belongs to another run"):
        tremble.solve(tremble.load("kuhn"), method="dcfr", gap=1, checkpoint=file)


def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Whenever it is killed, the file is whole: that of before, or that of after."""
    file = tmp_path / "run.checkpoint"
    program = (
        "import tremble, tremble.run.checkpoint_file as files\n"
        "from tremble.solvers.regret_checkpoint import Checkpoint\n"
        "Checkpoint.first, files._SECONDS, Checkpoint.share = 0.0, 0.0, 1.0\n"  # at every iteration
        "print('begun', flush=True)\n"
        "game = tremble.load_rules('rhode_island:ranks=3')\n"
        f"tremble.solve(game, method='dcfr', gap=1e-9, checkpoint={str(file)!r})\n"
    )
    reached = 0
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            assert run.stdout.readline() == "begun\n"
            before = file.stat().st_mtime_ns if file.exists() else None
            while not file.exists() or file.stat().st_mtime_ns == before:
                time.sleep(0.05)
            time.sleep(0.3)
            run.kill()
        with np.load(file) as stored:
            iterations = json.loads(stored["header"].tobytes())["iterations"]
        assert iterations > reached
        reached = iterations

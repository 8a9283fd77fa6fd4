"""Boards on workers: the same bits as in one process, checkpoints that go from one to the other, lost workers."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tremble
from random_ordered import RandomOrdered
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.filter import Filter
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import PublicTree
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.regret.boards import Boards, shared_boards
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.run.clock import Clock
from tremble.run.executors import local_processes
from tremble.solvers.regret import VARIANTS

RANDOM = [RandomOrdered(seed) for seed in range(12)]


def _trees() -> Iterator[PublicTree]:
    for game in RANDOM:
        for filter_of in (lossless_filter, Filter.full):
            yield PublicTree.of(FilteredGame.of(game, filter_of(game)))
    yield PublicTree.of(FilteredGame.of(RhodeIsland(ranks=3), lossless_filter(RhodeIsland(ranks=3))))


def _require_the_same(alone: PublicTreeMinimizer, boards: Boards) -> None:
    """After seven iterations, with boards on workers and, after three of them, without."""
    spread = PublicTreeMinimizer(alone.tree, alone.variant, boards=boards)
    spread.run(3)
    again = PublicTreeMinimizer(alone.tree, alone.variant)
    for name, array in spread.state().items():
        again.state()[name][...] = array
    again.resume(3)
    assert again.bounds() == spread.bounds()
    for minimizer in (spread, again):
        minimizer.run(4)
        assert minimizer.bounds() == alone.bounds()
        for expected, found in zip(alone.state().values(), minimizer.state().values(), strict=True):
            assert expected.tobytes() == found.tobytes()


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", VARIANTS)
def test_workers_change_no_bit(name: str) -> None:
    variant, seen = VARIANTS[name], set()
    with ThreadPoolExecutor(4) as workers:
        for tree in _trees():
            alone = PublicTreeMinimizer(tree, variant)
            alone.run(7)
            for count in (2, 4):
                shared = shared_boards(tree.sides, count)
                if shared is None:
                    assert len(tree.sides[0]) == 1 or len(tree.sides[0][-1].state_start) == 2
                    continue
                seen.add((shared.round, len(shared.spans)))
                with Boards(workers, tree.sides, variant, shared, Clock(None)) as boards:
                    _require_the_same(alone, boards)
    assert {workers for _, workers in seen} >= {2, 3, 4}


def test_shares_are_whole_and_even() -> None:
    for ranks, workers, round_ in ((7, 2, 1), (7, 4, 1), (5, 4, 2), (3, 2, 2)):
        game = RhodeIsland(ranks=ranks)
        tree = PublicTree.of(FilteredGame.of(game, lossless_filter(game)))
        shared = shared_boards(tree.sides, workers)
        assert shared is not None
        assert (shared.round, len(shared.spans)) == (round_, workers)
        for number in range(round_, 3):
            ends = [span[number] for span in shared.spans]
            assert ends[0][0] == 0
            assert ends[-1][1] == len(tree.sides[0][number].state_start) - 1
            assert all(before[1] == after[0] for before, after in pairwise(ends))
        sizes = [spans[2][1] - spans[2][0] for spans in shared.spans]
        assert max(sizes) <= 1.25 * sum(sizes) / workers


# -- whole runs, on processes ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with local_processes(2) as pool:
        yield pool


def _document(solution: Any, folder: Path) -> tuple[str, bytes]:
    """All that is written of a solution, but for ``stats``."""
    folder.mkdir()
    solution.to_json(folder / "it.json")
    document = json.loads((folder / "it.json").read_text())
    del document["stats"]
    return json.dumps(document, sort_keys=True), b"".join(file.read_bytes() for file in sorted(folder.glob("*.npz")))


def test_runs_on_processes_write_the_same_and_go_on_anywhere(processes: Executor, tmp_path: Path) -> None:
    game, dcfr = tremble.load_rules("rhode_island:ranks=3"), tremble.methods.Dcfr
    alone = tremble.solve(game, method=dcfr(), gap=0.2)
    spread = tremble.solve(game, method=dcfr(executor=processes), gap=0.2)
    expected = _document(alone, tmp_path / "alone")
    assert _document(spread, tmp_path / "spread") == expected
    assert spread.stats["iterations"] == alone.stats["iterations"]
    assert spread.stats["workers"] == 2
    assert 0 < spread.stats["bytes_per_iteration"] < 100_000
    assert "workers" not in alone.stats
    for number, (first, second) in enumerate(((None, processes), (processes, None))):
        file = tmp_path / f"{number}.checkpoint"
        begun = tremble.solve(game, method=dcfr(executor=first, iterations=20), checkpoint=file)
        assert begun.stats["iterations"] == 20
        ended = tremble.solve(game, method=dcfr(executor=second), gap=0.2, checkpoint=file)
        assert _document(ended, tmp_path / f"{number}") == expected


def test_a_game_with_one_board_needs_no_worker(processes: Executor) -> None:
    game = tremble.load_rules("holdem_river:board=Qs9h7s4d2s,bets=100,raises=0,stack=100,range1=AA,KK,range2=QQ,JJ")
    solution = tremble.solve(game, method=tremble.methods.Dcfr(executor=processes, iterations=5))
    assert "workers" not in solution.stats


def test_an_executor_is_asked_for() -> None:
    with pytest.raises(tremble.errors.SpecError, match=r"executor is a concurrent\.futures\.Executor"):
        tremble.methods.Dcfr(executor=2)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
def test_a_worker_that_says_nothing_stops_no_time_limit(processes: Any) -> None:
    game, process = tremble.load_rules("rhode_island:ranks=4"), next(iter(processes._processes))

    def stop(row: Mapping[str, Any]) -> None:
        if row["iteration"] == 10:
            os.kill(process, signal.SIGSTOP)

    try:
        with pytest.raises(tremble.errors.LimitReached, match="time limit") as stopped:
            tremble.solve(game, method=tremble.methods.Dcfr(executor=processes), gap=1e-9, time_limit=1.5, report=stop)
    finally:
        os.kill(process, signal.SIGCONT)
    assert stopped.value.best is not None


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_run_outlives_its_workers(tmp_path: Path) -> None:
    """It goes on alone from the tables that came home last, to the same end."""
    game, dcfr = tremble.load_rules("rhode_island:ranks=3"), tremble.methods.Dcfr
    alone = tremble.solve(game, method=dcfr(iterations=300))
    with local_processes(2) as pool:
        victims = [next(iter(pool._processes))]

        def kill(row: Mapping[str, Any]) -> None:
            if victims and row["iteration"] >= 100:
                os.kill(victims.pop(), signal.SIGKILL)

        with pytest.warns(tremble.errors.TrembleWarning, match=r"could not begin: BrokenProcessPool.*goes on alone"):
            ended = tremble.solve(game, method=dcfr(executor=pool, iterations=300), report=kill)
        assert _document(ended, tmp_path / "ended") == _document(alone, tmp_path / "alone")
        assert ended.stats["workers_lost"] == 1
        assert "workers" not in ended.stats
        with pytest.raises(tremble.errors.SolverError, match="worker 1 could not begin: BrokenProcessPool"):
            tremble.solve(game, method=dcfr(executor=pool), gap=1)


class Unreliable(ThreadPoolExecutor):
    """Whose workers end after so many messages; each that comes in place of one does more."""

    def __init__(self, patience: int) -> None:
        super().__init__(8)
        self.patience, self.begun = patience, 0

    def submit(self, function: Any, *arguments: Any, **options: Any) -> Any:
        self.begun += 1
        *others, target, given = arguments
        return super().submit(function, *others, _Ending(target, self.patience * self.begun), given, **options)


class _Ending:
    def __init__(self, target: Any, messages: int) -> None:
        self._target, self._left = target, messages

    def __call__(self, channel: Any, *given: Any) -> None:
        head = channel.head

        def counted(size: int) -> bytes:
            self._left -= 1
            if not self._left:
                raise RuntimeError("out of patience")
            received: bytes = head(size)
            return received

        channel.head = counted
        self._target(channel, *given)


@pytest.mark.sample(3)
@pytest.mark.parametrize("patience", [3, 10, 41, 42, 43, 44, 45])
def test_whenever_a_worker_ends_the_result_is_the_same(
    patience: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tremble.poker.regret.workplace.ThreadPoolExecutor", Never)
    game = tremble.load_rules("rhode_island:ranks=3")
    alone = tremble.solve(game, method=tremble.methods.Dcfr(iterations=40))
    with Unreliable(patience) as unreliable, warnings.catch_warnings():
        if patience < 10:  # such workers are of no use
            warnings.simplefilter("ignore")
        method = tremble.methods.Dcfr(executor=unreliable, iterations=40)
        ended = tremble.solve(game, method=method, checkpoint=tmp_path / "run.checkpoint")
    assert _document(ended, tmp_path / "ended") == _document(alone, tmp_path / "alone")
    assert ended.stats["workers_lost"] >= 1


class Never:
    """A kind of executor that there is none of."""


def test_every_iteration_is_whole_or_none() -> None:
    """What is cut short within an iteration is neither kept nor gone on with."""
    tree = PublicTree.of(FilteredGame.of(RhodeIsland(ranks=3), lossless_filter(RhodeIsland(ranks=3))))
    shared = shared_boards(tree.sides, 2)
    assert shared is not None
    with ThreadPoolExecutor(2) as workers, Boards(workers, tree.sides, VARIANTS["dcfr"], shared, Clock(None)) as boards:
        minimizer = PublicTreeMinimizer(tree, VARIANTS["dcfr"], boards=boards)
        minimizer.run(2)
        assert minimizer.sound
        boards.__exit__()
        with pytest.raises(tremble.errors.SolverError, match="worker 1 of 2 was lost"):
            minimizer.run(1)
        assert not minimizer.sound
        with pytest.raises(tremble.errors.SolverError, match="cut short"):
            minimizer.bounds()


# -- on a cluster ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_two_dask_workers_write_the_same_and_one_may_be_killed(tmp_path: Path) -> None:
    distributed: Any = pytest.importorskip("distributed")
    game, dcfr = tremble.load_rules("rhode_island:ranks=7"), tremble.methods.Dcfr
    alone = tremble.solve(game, method=dcfr(), gap=0.05)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor, file = client.get_executor(), tmp_path / "run.checkpoint"
        spread = tremble.solve(game, method=dcfr(executor=executor), gap=0.05)
        assert _document(spread, tmp_path / "spread") == _document(alone, tmp_path / "alone")
        assert (spread.stats["workers"], spread.stats["bytes_per_iteration"]) == (2, 11_912)
        tremble.solve(game, method=dcfr(executor=executor, iterations=100), checkpoint=file)
        victim = next(iter(client.run(os.getpid).values()))
        threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
        again = tremble.solve(game, method=dcfr(executor=executor), gap=0.01, checkpoint=file)
        assert (again.stats["workers"], again.stats["workers_lost"]) == (2, 1)
    expected = tremble.solve(game, method=dcfr(), gap=0.01)
    assert _document(again, tmp_path / "again") == _document(expected, tmp_path / "expected")

"""Cells that others examine: any number of workers of any kind give the same result, also where they are lost."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from processes import alive, started, wait_for
from tremble import GameTree, Solution, verify
from tremble.errors import LimitReached, SpecError, TrembleWarning
from tremble.game.scale import Scale
from tremble.methods import BranchAndBound
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import Answers, Replies
from tremble.recall.maxmin import ahead
from tremble.recall.maxmin.examination import Known, absorb, divide, examined, opened
from tremble.recall.maxmin.search import Search

SPEC = "random_imperfect_recall:depth=4,branching=4,merge=0.5,merge2=0.5,recall2=any,seed=5"
LONGER = "random_imperfect_recall:branching=3,merge=0.5,seed=3"  # 1,600 cells, a second


class LastFirst(Executor):
    """Does what it was given last first, each after a moment; and reports nothing that is not asked for."""

    def __init__(self) -> None:
        self._draw, self._work = random.Random(7), threading.Condition()
        self._stack: list[tuple[Future[Any], Callable[[], Any]]] = []
        threading.Thread(target=self._run, daemon=True).start()

    def submit(self, function: Any, /, *values: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._work:
            self._stack.append((future, lambda: function(*values, **named)))
            self._work.notify()
        return future

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._stack)
                future, work = self._stack.pop()
            time.sleep(0.003 * self._draw.random())
            if future.set_running_or_notify_cancel():
                future.set_result(work())


class Unwilling(Executor):
    """Loses what it is given, in one way or another, and sometimes does not."""

    def __init__(self, how: str, often: int = 1) -> None:
        self.how, self.often, self.count = how, often, 0

    def submit(self, function: Any, /, *values: Any, **named: Any) -> Future[Any]:
        self.count += 1
        future: Future[Any] = Future()
        if self.count % self.often:
            future.set_result(function(*values, **named))
        elif self.how == "refuses":
            raise RuntimeError("cannot schedule new futures after shutdown")
        elif self.how == "fails":
            future.set_exception(ModuleNotFoundError("No module named 'tremble'"))
        elif self.how == "cancels":
            future.cancel()
        return future  # or is silent


def text(solution: Solution) -> str:
    document = json.loads(solution.to_text())
    assert document.pop("stats")["cells"] > 1
    return json.dumps(document)


def solved(spec: str, report: Any = None, **how: Any) -> str:
    return text(tremble.solve(tremble.load(spec), "maxmin", BranchAndBound(**how), epsilon=F(1, 10**5), report=report))


@pytest.fixture(scope="module")
def alone() -> str:
    return solved(SPEC, jobs=1)


@pytest.fixture(scope="module")
def longer_alone() -> str:
    return solved(LONGER, jobs=1)


def test_who_works_does_not_matter(alone: str) -> None:
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        for how in (
            {"jobs": 2},
            {"jobs": 5},
            {"executor": threads},
            {"executor": LastFirst()},
            {"executor": process},
            {"jobs": 2, "processes": True},
        ):
            assert solved(SPEC, **how) == alone


@pytest.mark.sample(2)
@pytest.mark.parametrize(("seconds", "queued", "most"), [(0.0, 1, 1), (0.002, 7, 3), (1.0, 2, 256)])
def test_how_long_tasks_are_does_not_matter(
    longer_alone: str, monkeypatch: pytest.MonkeyPatch, seconds: float, queued: int, most: int
) -> None:
    for name, value in (("_SECONDS", seconds), ("_SHORT_SECONDS", seconds), ("_QUEUED", queued)):
        monkeypatch.setattr(ahead, name, value)
    monkeypatch.setattr(ahead, "_MAX_CELLS", most)
    assert solved(LONGER, executor=LastFirst()) == longer_alone


def test_what_is_refused() -> None:
    for jobs in (-1, 1.5, True):
        with pytest.raises(SpecError, match="jobs"):
            BranchAndBound(jobs=jobs)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match=r"'executor' must be a concurrent\.futures\.Executor"):
        BranchAndBound(executor=2)  # type: ignore[arg-type]


# -- workers that are lost ---------------------------------------------------------------------------


class Kills:
    """Kills a process that works at an iteration, and all that work fifty later."""

    def __init__(self, at: int) -> None:
        self.at, self.killed = at, 0

    def __call__(self, row: dict[str, Any]) -> None:
        if row["iteration"] in (self.at, self.at + 50):
            workers = [child for child in multiprocessing.active_children() if child.name.startswith("SpawnProcess")]
            for worker in workers[: 1 if row["iteration"] == self.at else None]:
                worker.kill()
                self.killed += 1


def test_processes_that_are_killed_are_replaced(longer_alone: str) -> None:
    kills = Kills(10)
    assert solved(LONGER, kills, jobs=2, processes=True) == longer_alone
    assert kills.killed == 3


def test_it_goes_on_alone_without_a_pool(longer_alone: str) -> None:
    said = pytest.warns(TrembleWarning, match=r"the workers are lost, .* without them \(BrokenProcessPool")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool, said:
        assert solved(LONGER, Kills(10), executor=pool) == longer_alone


@pytest.mark.parametrize("how", ["refuses", "fails", "cancels", "is silent"])
def test_tasks_that_are_lost(how: str, alone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_SILENCE", 0.05)
    monkeypatch.setattr(ahead, "_LONG_SILENCE", 0.05)
    with pytest.warns(TrembleWarning, match=r"the search continues without"):
        assert solved(SPEC, executor=Unwilling(how)) == alone
    if how != "is silent":
        with warnings.catch_warnings():  # three in a row are too many
            warnings.simplefilter("error")
            assert solved(SPEC, executor=Unwilling(how, often=3)) == alone


def test_ctrl_c_and_a_limit_leave_no_process_behind(tmp_path: Path) -> None:
    hard = "random_imperfect_recall:branching=4,merge=0.5,seed=7"
    out, log = tmp_path / "out.json", tmp_path / "log"
    command = [sys.executable, "-m", "tremble", "solve", hard, "--concept", "maxmin", "--jobs", "2", "--processes"]
    running = started([*command, "--log", str(log), "-o", str(out)], start_new_session=True)
    wait_for(lambda: log.exists() and '"iteration"' in log.read_text())
    group = [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == running.pid]
    assert len(group) >= 3
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    wait_for(lambda: not any(map(alive, group)))
    tree = tremble.load(hard)
    assert verify(tree, Solution.from_json(out)).proven == "bounds"
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "maxmin", BranchAndBound(jobs=2, processes=True), epsilon=1e-4, time_limit=1.5)
    assert isinstance(caught.value.best, Solution)
    assert verify(tree, caught.value.best).proven == "bounds"
    assert not multiprocessing.active_children()


def _group(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[2])
    except (OSError, IndexError):
        return -1


# -- checkpoints -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_moves_from_many_to_one_and_back(tmp_path: Path) -> None:
    """What one machine leaves another goes on from, with other workers: what comes out is the same."""
    tree, path = tremble.load(LONGER), tmp_path / "a.checkpoint"

    def interrupted_at(iteration: int) -> Callable[[dict[str, Any]], None]:
        def report(row: dict[str, Any]) -> None:
            if row["iteration"] == iteration:
                raise KeyboardInterrupt

        return report

    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        kinds = [BranchAndBound(executor=pool), BranchAndBound(jobs=1)]
        for number, kind in enumerate(kinds):
            with pytest.raises(LimitReached):
                tremble.solve(tree, "maxmin", kind, epsilon=1e-5, checkpoint=path, report=interrupted_at(20))
            ends = set()
            for other in kinds:
                copy = tmp_path / f"{number}.checkpoint"
                shutil.copy(path, copy)
                ends.add(text(tremble.solve(tree, "maxmin", other, epsilon=1e-5, checkpoint=copy)))
            assert len(ends) == 1


# -- what is found of a cell -------------------------------------------------------------------------


def search_of(tree: GameTree, epsilon: float) -> Search:
    return Search(BilinearForm.of(Scale.of(tree, 0).scaled(tree, 0), 0), epsilon)


def test_a_finding_holds_where_it_says() -> None:
    """Below ``holds`` the same is found, to the last bit, whatever more is guaranteed; often not above."""
    compared, changed = map(sum, zip(*map(kept_and_changed, range(12)), strict=True))
    assert compared > 500
    assert changed > 100


def kept_and_changed(seed: int) -> tuple[int, int]:
    """How often the same is found of a game with other bounds, and how often not."""
    draw, epsilon = random.Random(seed), 1e-4
    search = search_of(tremble.load(f"random_imperfect_recall:depth=4,branching=3,merge=0.5,seed={seed}"), epsilon)
    search.begin()
    assert search.root is not None
    lower, cells, changed, compared = search.lower, [search.root], 0, 0
    for _ in range(30):
        if not cells:
            break
        for part in divide(cells.pop(0)):
            known = Known(lower + epsilon, lower)
            finding = examined(search.replies, part, known)
            others = [lower + 2 * draw.random() ** 2 * (finding.bound - lower) for _ in range(6)]
            near = [finding.holds * (1 - 1e-12), finding.holds - 1e-7] if finding.holds < 2 else []
            for other in [*others, *near]:
                if other < lower:
                    continue
                again = examined(search.replies, part, Known(other + epsilon, other))
                same = all(np.array_equal(a, b) for a, b in zip(finding[:-1], again[:-1], strict=True))
                assert same or other >= finding.holds
                changed += not same
                compared += same and other < finding.holds
            absorb(part, finding, known.goal)
            if opened(part, finding, known.goal):
                cells.append(part)
    return compared, changed


def test_what_a_reply_leaves_is_the_same_wherever_it_is_computed() -> None:
    search = search_of(tremble.load(LONGER), 1e-3)
    search.begin()
    search.start(lambda: None)
    assert isinstance(search.replies, Replies)
    anew = Answers(search.replies.game)
    for number, answer in enumerate(search.replies.answers):
        assert anew.number(answer) == number
    assert anew.gains.tobytes() == search.replies.gains.tobytes()


# -- Dask --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("restarts", [True, False])
def test_workers_of_dask_that_are_killed(lost: int, restarts: bool, longer_alone: str) -> None:
    distributed: Any = pytest.importorskip("distributed")
    killed = []

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        for worker in cluster.workers.values():
            worker.auto_restart = restarts

        def report(row: dict[str, Any]) -> None:
            if row["iteration"] in (20, 60):
                for worker in [worker for worker in cluster.workers.values() if worker.process][:lost]:
                    with contextlib.suppress(OSError, TypeError):
                        os.kill(worker.process.pid, signal.SIGKILL)
                        killed.append(worker)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nobody answers for a while
            assert solved(LONGER, report, executor=client.get_executor()) == longer_alone
    assert len(killed) >= lost

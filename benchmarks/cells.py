"""The cells of a player who forgets, examined by one process, its threads, two processes and two Dask workers.

``seconds`` are those of the search, from a loaded tree to the claim; those of the whole, with the claim and its proof,
which one process makes, are in the note. The programs take turns, so that all suffer alike from whatever else the
machine does; where it does much, processor times say more: those of this process (with Dask the scheduler's too), and
of each worker. What travels is what all tasks of a run, and what comes back of them, weigh when pickled; it is weighed
in a run of its own. A result that is not that of one process, to the last byte but for ``stats``, is a failure.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.batch import dask_workers
from benchmarks.contestant import Failure
from benchmarks.report import Report, Row, environment
from tremble.run.executors import local_processes, workers_of
from tremble.run.progress import Progress

if TYPE_CHECKING:
    from tremble.methods import BranchAndBound
    from tremble.solution.solution import Solution

__all__ = ["GAMES", "run"]

_FAMILY = "random_imperfect_recall:branching=4"
GAMES = (f"{_FAMILY},merge=1.0,seed=1", f"{_FAMILY},merge=0.5,seed=0", f"{_FAMILY},merge=0.5,seed=3")

_EPSILON = 1e-4
_WARM_UP = f"{_FAMILY},merge=0.5,depth=4,seed=7"
_WORKERS = 2


class _Weighed(Executor):
    """Passes tasks on, and weighs them and what comes back."""

    def __init__(self, executor: Executor) -> None:
        self._executor, self._max_workers = executor, workers_of(executor)
        self.tasks = self.bytes = 0

    def submit(self, function: Any, /, *values: Any, **named: Any) -> Future[Any]:
        self.tasks += 1
        self.bytes += len(pickle.dumps((function, values, named), pickle.HIGHEST_PROTOCOL))
        future: Future[Any] = self._executor.submit(function, *values, **named)
        future.add_done_callback(self._weigh)
        return future

    def _weigh(self, future: Future[Any]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.bytes += len(pickle.dumps(future.result(), pickle.HIGHEST_PROTOCOL))


def processor_seconds(process: int) -> float:
    """Those of all threads of a process so far; 0 where the system does not tell."""
    total = 0.0
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0]) / 1e9
    return total


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    from tremble.methods import BranchAndBound

    rows: list[Row] = []
    with ExitStack() as opened:
        executors: dict[str, Executor] = {f"{_WORKERS} processes": opened.enter_context(local_processes(_WORKERS))}
        absent = ""
        try:
            executors[f"{_WORKERS} Dask workers"] = opened.enter_context(dask_workers(_WORKERS))
        except ImportError:
            absent = f"{_WORKERS} Dask workers"
        methods = {"one process": BranchAndBound(jobs=1), f"{_WORKERS} threads": BranchAndBound(jobs=_WORKERS)}
        methods |= {name: BranchAndBound(executor=executor) for name, executor in executors.items()}
        for method in methods.values():  # loads and compiles
            _solved(_WARM_UP, method, time_box)
        for number, game in enumerate(games):
            progress(game, number / len(games))
            weighed = {name: _weight(game, executor, time_box) for name, executor in executors.items()}
            rows += _rows(game, methods, weighed, repeat, time_box)
            rows += [Row(game, absent, "not installed")] if absent else []
    return Report("cells", tuple(rows), (), environment())


def _solved(game: str, method: BranchAndBound, time_box: float) -> Solution:
    import tremble

    tree = tremble.load(game)
    return tremble.solve(tree, "maxmin", method, epsilon=_EPSILON, time_limit=time_box)


def _weight(game: str, executor: Executor, time_box: float) -> str:
    """What travels in a run."""
    from tremble.methods import BranchAndBound

    weighed = _Weighed(executor)
    iterations = _solved(game, BranchAndBound(executor=weighed), time_box).stats["iterations"]
    return f"{weighed.bytes / iterations / 1000:.1f} KB in an iteration, {weighed.tasks:,} tasks in {iterations:,}"


@dataclass
class _Program:
    """A way to search, with the processes that work for it, and what its runs took."""

    method: BranchAndBound
    workers: Sequence[int] = ()
    search: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    processor: list[list[float]] = field(default_factory=list)  # of this process, and of each worker

    def run(self, game: str, time_box: float) -> Solution:
        before = [time.process_time(), *map(processor_seconds, self.workers)]
        solution = _solved(game, self.method, time_box)
        after = [time.process_time(), *map(processor_seconds, self.workers)]
        self.search.append(solution.stats["solve_seconds_float"])
        self.whole.append(solution.stats["total_seconds_float"])
        self.processor.append([b - a for a, b in zip(before, after, strict=True)])
        return solution


def _rows(
    game: str, methods: dict[str, BranchAndBound], weighed: dict[str, str], repeat: int, time_box: float
) -> Iterator[Row]:
    programs = {name: _Program(method, _workers(method.executor)) for name, method in methods.items()}
    texts: set[str] = set()
    for _ in range(repeat):
        for name, program in programs.items():
            document = json.loads(program.run(game, time_box).to_text())
            del document["stats"]
            texts.add(json.dumps(document))
            if len(texts) > 1:
                raise Failure(f"{name} found another result for {game}")
    alone = programs["one process"]
    for name, program in programs.items():
        ratio = median(mine / first for mine, first in zip(program.search, alone.search, strict=True))
        whole = median(first / mine for mine, first in zip(program.whole, alone.whole, strict=True))
        here, *there = (median(times) for times in zip(*program.processor, strict=True))
        said = [
            f"search {1 / ratio:.2f} times as fast",
            f"whole {median(program.whole):.3g} s, {whole:.2f} times as fast",
        ]
        said.append(f"processor: {here:.3g} s here" + "".join(f", {took:.3g} s on a worker" for took in there))
        said += [weighed[name]] if name in weighed else []
        yield Row(game, name, "certified", median(program.search), ratio, len(program.search), note="; ".join(said))


def _workers(executor: Any) -> list[int]:
    """The processes of an executor."""
    if executor is None:
        return []
    client = getattr(executor, "_client", None)
    return list(executor._processes) if client is None else list(client.run(os.getpid).values())

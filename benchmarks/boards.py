"""Regret minimisation along the public tree in one process, among its threads, and with its boards on two workers.

``seconds`` are those of one iteration of discounted regret minimisation, bounds and proofs not counted; the note has
the bytes that travel in it, here between processes of one machine. The programs live side by side and take turns, so
that all of them suffer alike from whatever else the machine does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any

from benchmarks.contestant import Failure
from benchmarks.report import Report, Row, environment
from tremble.base.clock import Clock
from tremble.base.executors import local_processes
from tremble.model.progress import Progress
from tremble.solvers.regret.boards import Boards, shared_boards
from tremble.solvers.regret.public_tree import PublicTreeMinimizer
from tremble.solvers.shared.public_tree import PublicTree
from tremble.solvers.shared.regret import VARIANTS

__all__ = ["GAMES", "run"]

GAMES = ("rhode_island:ranks=7", "rhode_island:ranks=10", "rhode_island")

_WORKERS = 2
_TURN_SECONDS = 0.5  # of one process


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    with ExitStack() as opened:
        threads = opened.enter_context(ThreadPoolExecutor(_WORKERS))
        executors: dict[str, Executor | str] = {
            f"{_WORKERS} processes": opened.enter_context(local_processes(_WORKERS))
        }
        try:
            executors[f"{_WORKERS} Dask workers"] = _dask(opened)
        except ImportError:
            executors[f"{_WORKERS} Dask workers"] = "not installed"
        for number, game in enumerate(games):
            progress(game, number / len(games))
            rows += _rows(game, threads, executors, repeat, time_box)
    return Report("boards", tuple(rows), (), environment())


def _dask(opened: ExitStack) -> Executor:
    import distributed

    library: Any = distributed
    cluster = library.LocalCluster(n_workers=_WORKERS, threads_per_worker=1, dashboard_address=None)
    client = opened.enter_context(library.Client(opened.enter_context(cluster)))
    executor: Executor = client.get_executor()
    return executor


def _rows(
    game: str, threads: ThreadPoolExecutor, executors: dict[str, Executor | str], repeat: int, time_box: float
) -> Iterator[Row]:
    import tremble

    tree = PublicTree.of(tremble.shrink(tremble.load_rules(game).rules).filtered)
    variant, shared = VARIANTS["dcfr"], shared_boards(tree.sides, _WORKERS)
    if shared is None:
        raise Failure(f"{game} has one board")
    with ExitStack() as opened:
        minimizers = {
            "one process": PublicTreeMinimizer(tree, variant),
            f"{_WORKERS} threads": PublicTreeMinimizer(tree, variant, threads),
        }
        for name, executor in executors.items():
            if isinstance(executor, Executor):
                boards = opened.enter_context(Boards(executor, tree.sides, variant, shared, Clock(None)))
                minimizers[name] = PublicTreeMinimizer(tree, variant, boards=boards)
        for minimizer in minimizers.values():
            minimizer.run(2)  # compiles
        began = time.perf_counter()
        minimizers["one process"].run(2)
        turn = max(2, int(2 * _TURN_SECONDS / (time.perf_counter() - began)))
        times: dict[str, list[float]] = {name: [] for name in minimizers}
        for _ in range(repeat):
            for name, minimizer in minimizers.items():
                before = time.perf_counter()
                minimizer.run(turn)
                times[name].append((time.perf_counter() - before) / turn)
            if time.perf_counter() - began > time_box:
                break
        for name, taken in times.items():
            ratio = median(mine / first for mine, first in zip(taken, times["one process"], strict=True))
            minimizer = minimizers[name]
            told = minimizer.traffic(minimizer.iterations)
            note = f"{told['bytes_per_iteration']:,} bytes travel" if told else ""
            yield Row(game, name, "done", median(taken), ratio, len(taken), note=note)
    for name, executor in executors.items():
        if isinstance(executor, str):
            yield Row(game, name, executor)

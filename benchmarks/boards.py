"""Regret minimisation along the public tree in one process, among its threads, and with its boards on two workers.

``seconds`` are those of one iteration of discounted regret minimisation, bounds and proofs not counted. The programs
live side by side and take turns, so that all of them suffer alike from whatever else the machine does. Where it does
much, processor times say more: the note has those of this process and of the workers in an iteration, and the bytes
that travel, here between processes of one machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.contestant import Failure
from benchmarks.report import Report, Row, environment
from tremble.poker.filtered_arrays import PublicTree
from tremble.poker.regret.boards import Boards, shared_boards
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.run.clock import Clock
from tremble.run.executors import local_processes
from tremble.run.progress import Progress
from tremble.solvers.regret import VARIANTS

__all__ = ["GAMES", "processor_seconds", "run"]

GAMES = ("rhode_island:ranks=7", "rhode_island:ranks=10", "rhode_island")

_WORKERS = 2
_TURN_SECONDS = 0.5  # of one process
_WILD = 3.0  # times the least ratio of a round: more, and their median means little


@dataclass
class _Program:
    """A minimizer, with the processes that work for it, and what an iteration took in each of its turns."""

    minimizer: PublicTreeMinimizer
    workers: Sequence[int] = ()
    seconds: list[float] = field(default_factory=list)
    processor: list[list[float]] = field(default_factory=list)  # of this process, and of each worker

    def turn(self, iterations: int) -> None:
        began, before = time.perf_counter(), [time.thread_time(), *map(processor_seconds, self.workers)]
        self.minimizer.run(iterations)
        after = [time.thread_time(), *map(processor_seconds, self.workers)]
        self.seconds.append((time.perf_counter() - began) / iterations)
        self.processor.append([(b - a) / iterations for a, b in zip(before, after, strict=True)])

    @property
    def note(self) -> str:
        """Processor times, and what travels."""
        if not self.workers:
            return ""
        here, *there = (1000 * median(times) for times in zip(*self.processor, strict=True))
        told = self.minimizer.traffic()
        on_workers = " and ".join(f"{took:.3g}" for took in there)
        return (
            f"processor: {here:.3g} ms here, {on_workers} ms on workers; {told['bytes_per_iteration']:,} bytes travel"
        )


def processor_seconds(process: int) -> float:
    """Those of all threads of a process so far; 0 where the system does not tell."""
    total = 0.0
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0]) / 1e9
    return total


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    with ExitStack() as opened:
        threads = opened.enter_context(ThreadPoolExecutor(_WORKERS))
        pool = opened.enter_context(local_processes(_WORKERS))
        executors: dict[str, tuple[Any, Sequence[int]] | str] = {f"{_WORKERS} processes": (pool, list(pool._processes))}
        dask = f"{_WORKERS} Dask workers"
        try:
            executors[dask] = _dask(opened.enter_context)
        except ImportError:
            executors[dask] = "not installed"
        for number, game in enumerate(games):
            progress(game, number / len(games))
            rows += _rows(game, threads, executors, repeat, time_box)
    return Report("boards", tuple(rows), (), environment())


def _dask(enter: Callable[[Any], Any]) -> tuple[Any, Sequence[int]]:
    import distributed

    library: Any = distributed
    client = enter(library.Client(enter(library.LocalCluster(_WORKERS, threads_per_worker=1, dashboard_address=None))))
    return client.get_executor(), list(client.run(os.getpid).values())


def _rows(
    game: str,
    threads: ThreadPoolExecutor,
    executors: dict[str, tuple[Any, Sequence[int]] | str],
    repeat: int,
    time_box: float,
) -> Iterator[Row]:
    import tremble

    tree = PublicTree.of(tremble.shrink(tremble.load_rules(game)).filtered)
    variant, shared = VARIANTS["dcfr"], shared_boards(tree.sides, _WORKERS)
    if shared is None:
        raise Failure(f"{game} has one board")
    with ExitStack() as opened:
        programs = {
            "one process": _Program(PublicTreeMinimizer(tree, variant)),
            f"{_WORKERS} threads": _Program(PublicTreeMinimizer(tree, variant, threads)),
        }
        for name, found in executors.items():
            if not isinstance(found, str):
                boards = opened.enter_context(Boards(found[0], tree.sides, variant, shared, Clock(None)))
                programs[name] = _Program(PublicTreeMinimizer(tree, variant, boards=boards), found[1])
        for program in programs.values():
            program.minimizer.run(2)  # compiles
        began, alone = time.perf_counter(), programs["one process"]
        alone.minimizer.run(2)
        iterations = max(2, int(2 * _TURN_SECONDS / (time.perf_counter() - began)))
        for _ in range(repeat):
            for program in programs.values():
                program.turn(iterations)
            if time.perf_counter() - began > time_box:
                break
        work = 1000 * median(here for (here,) in alone.processor)
        for name, program in programs.items():
            ratios = [mine / first for mine, first in zip(program.seconds, alone.seconds, strict=True)]
            ratio = median(ratios) if max(ratios) <= _WILD * min(ratios) else None
            note = f"processor: {work:.3g} ms" if program is alone else program.note
            yield Row(game, name, "done", median(program.seconds), ratio, len(program.seconds), note=note)
    for name, found in executors.items():
        if isinstance(found, str):
            yield Row(game, name, found)

"""200 games on one process, on two, and on two workers of Dask: ``python -m benchmarks.batch``, about five minutes.

Runs alternate, and each ratio is of two runs that follow one another, so that what else the machine does weighs little.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import tremble
from benchmarks.report import environment, environment_text
from benchmarks.whole_commands import record
from tremble.run.executors import local_processes

__all__ = ["dask_workers", "main"]

RESULT = Path(__file__).parent / "results" / "batch"
WAYS = ("one process", "two processes", "two Dask workers")
_COUNTED_SECONDS = 4.0
WANTED = {"two processes": 1.7, "two Dask workers": 1.6}


def games(count: int) -> list[str]:
    """Random trees, half of them with payoffs of any sum."""
    sums = ("sum=general,depth=7", "depth=8")
    return [f"random_tree:seed={k},branching=3,{sums[k % 2]}" for k in range(count)]


@contextmanager
def dask_workers(workers: int) -> Iterator[Executor]:
    """An executor of so many, in processes of this machine."""
    distributed: Any = import_module("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=workers, **options) as cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


def measured(way: str, count: int) -> dict[str, Any]:
    """Seconds of a batch; of processes with their start, of Dask with a cluster that stands."""
    workers = 2 if way.startswith("two") else 1
    dask = "Dask" in way
    with TemporaryDirectory() as folder, dask_workers(workers) if dask else nullcontext() as executor:
        began = time.perf_counter()
        asked: dict[str, Any] = {"executor": executor} if dask else {"processes": workers}
        results = list(tremble.solve_many(games(count), "quasi-perfect", out=folder, **asked))
        seconds = time.perf_counter() - began
    return {"way": way, "seconds": seconds, "proven": sum(result.proven for result in results)}


def _counted(seconds: float) -> int:
    """How far a loop gets that touches no memory."""
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += sum(range(10_000)) > 0
    return count


def at_most() -> float:
    """What two processes do more than one of what needs nothing but a processor; no batch can do better just now."""
    with local_processes(2) as pool:
        alone = pool.submit(_counted, _COUNTED_SECONDS).result()
        return sum(pool.map(_counted, [_COUNTED_SECONDS] * 2)) / alone


def table(rounds: list[dict[str, dict[str, Any]]], count: int) -> str:
    """The report, as Markdown."""
    lines = [
        "# Batches",
        "",
        f"`tremble.solve_many` on {count} random trees, quasi-perfect, each proven and written to a folder. Speedups",
        "are to one process in the same round: the median, and all. `python -m benchmarks.batch` makes this page.",
        "",
        "| | seconds | proven | speedup | wanted | of each round |",
        "|---|---|---|---|---|---|",
    ]
    for way in WAYS:
        seconds = [each[way]["seconds"] for each in rounds]
        ratios = [each[WAYS[0]]["seconds"] / each[way]["seconds"] for each in rounds]
        wanted = f"{WANTED[way]}" if way in WANTED else ""
        lines.append(
            f"| {way} | {median(seconds):.1f} | {min(each[way]['proven'] for each in rounds)} | {median(ratios):.2f} | "
            f"{wanted} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} |"
        )
    bounds = [each["at most"]["speedup"] for each in rounds]
    lines += [
        f"| two processes that count | | | {median(bounds):.2f} | | {', '.join(f'{bound:.2f}' for bound in bounds)} |",
        "",
        "The last line is what two processes do more than one of what needs a processor and nothing else, right after:",
        "2 on a machine that does nothing else; no batch could be faster at the time.",
    ]
    lines += ["", f"{environment_text(environment())} Load average at the end: {os.getloadavg()[2]:.1f}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="into results/")
    options = parser.parse_args()
    rounds = []
    for _ in range(options.repeat):
        rounds.append({way: measured(way, options.games) for way in WAYS} | {"at most": {"speedup": at_most()}})
        print(json.dumps(rounds[-1]), flush=True)
    if options.record:
        record(RESULT, rounds, table(rounds, options.games))
    print(table(rounds, options.games))


if __name__ == "__main__":
    main()

"""Game files: reading the same .efg with us and with peers, in seconds and peak memory.

The files are written by tremble, in a process of its own, into a temporary folder. Reading is timed from the
path to the finished game.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.contestant import Contestant, Job, Trial, timed
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment
from tremble.run.progress import Progress

__all__ = ["GAMES", "READERS", "run"]

GAMES = ("leduc:ranks=9", "poker:bets=2,raises=4")


def _write(job: Job) -> Callable[[], Trial]:
    import tremble

    tree = job.tree()
    return lambda: Trial(timed(lambda: tremble.write_efg(tree, job.file))[0])


def _tremble(job: Job) -> Callable[[], Trial]:
    import tremble

    return lambda: Trial(timed(lambda: tremble.read_efg(Path(job.file)))[0])


def _openspiel(job: Job) -> Callable[[], Trial]:
    import pyspiel

    return lambda: Trial(timed(lambda: pyspiel.load_game(f"efg_game(filename={job.file})"))[0])


def _gambit(job: Job) -> Callable[[], Trial]:
    import pygambit

    return lambda: Trial(timed(lambda: pygambit.read_efg(job.file))[0])


READERS = (
    Contestant("tremble read_efg", _tremble),
    Contestant("OpenSpiel efg_game", _openspiel, ("pyspiel",)),
    Contestant("pygambit read_efg", _gambit, ("pygambit",)),
)
"""Ours comes first; ratios are to it."""

_WRITER = Contestant("tremble write_efg", _write)


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="tremble-bench-") as folder:
        for i, game in enumerate(games):
            job = Job(game, str(Path(folder, f"{i}.efg")))
            written = race([_WRITER], job, repeat=1, time_box=10 * time_box, progress=progress)
            size = f"{Path(job.file).stat().st_size / 1e6:.1f} MB" if Path(job.file).exists() else ""
            read = race(READERS, job, repeat=repeat, time_box=time_box, progress=progress)
            rows += [Row(**{**vars(row), "ratio": None, "note": size}) for row in rows_of(game, written)]
            rows += rows_of(game, read)
    return Report("formats", tuple(rows), tuple(_goals(rows)), environment())


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    by_name = {(row.task, row.program): row for row in rows}
    small = by_name.get(("leduc:ranks=9", "pygambit read_efg"))
    if small is not None:
        bound = small.status.startswith("over")
        yield Goal("leduc:ranks=9: pygambit / tremble", small.ratio, 20.0, at_least=True, bound=bound)
    large = by_name.get(("poker:bets=2,raises=4", "tremble read_efg"))
    if large is not None:
        yield Goal("1,128,379 nodes: seconds to read", large.seconds, 20.0)
        yield Goal("1,128,379 nodes: peak MiB to read", large.peak_mib, 2e9 / 2**20)

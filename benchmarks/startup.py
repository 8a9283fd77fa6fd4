"""Time to first answer: whole processes, start to end, after one run that fills the caches."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import tremble
from benchmarks.report import Goal, Report, Row, environment
from tremble.io import write_json
from tremble.run.progress import Progress

__all__ = ["GAMES", "run"]

GAMES = ("kuhn", "leduc")

_IMPORT = "import time; t = time.perf_counter(); import tremble; print(time.perf_counter() - t)"
_LIGHT = "import tremble"
_NAIVE = str(Path(__file__).with_name("naive_check.py"))  # a file, not a module: it must not load this package
_GOALS = {
    _LIGHT: 0.1,
    "tremble --version": 0.1,
    "tremble info kuhn": 0.4,
    "tremble verify kuhn": 0.5,
    "tremble verify leduc": 0.5,
    "tremble solve kuhn": 0.7,
}
"""Task -> the most seconds that it may take on a quiet machine."""


@dataclass
class _Process:
    """A command, and what its runs took."""

    task: str
    program: str
    arguments: Sequence[str]  # of Python
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    status: str = "done"

    def run(self, time_box: float, *, counts: bool) -> None:
        """Run it once."""
        # Without its variable, the first run stores the compiled modules, as an installation does.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        began, before = time.perf_counter(), _children()
        try:
            output = subprocess.run(
                [sys.executable, *self.arguments],
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=time_box,
                check=True,
            ).stdout
        except subprocess.TimeoutExpired:
            self.status = f"over {time_box:g} s"
        except subprocess.CalledProcessError as error:
            self.status = f"failed: exit code {error.returncode}"
        else:
            if counts:
                self.seconds.append(float(output) if self.task == _LIGHT else time.perf_counter() - began)
                self.processor.append(_children() - before)

    def row(self, ours: Sequence[float]) -> Row:
        """Sum up the runs; ``ours`` are the seconds of tremble on the same task, in the same rounds."""
        ratios = [mine / other for mine, other in zip(self.seconds, ours, strict=False)]
        return Row(
            self.task,
            self.program,
            self.status,
            seconds=median(self.seconds) if self.seconds else None,
            ratio=median(ratios) if ratios and self.program != "tremble" else None,
            runs=len(self.seconds),
            note=f"processor time: least {min(self.processor):.3f} s" if any(self.processor) else "",
        )


def _children() -> float:
    """Return the processor seconds of all child processes that have ended; 0 where the system does not count them."""
    times = os.times()
    return times.children_user + times.children_system


def _processes(games: Sequence[str], folder: str) -> list[_Process]:
    """List the commands, Python alone and NumPy first; the files that they read are written here."""
    processes = [
        _Process("python -c pass", "python", ["-c", "pass"]),
        _Process("import numpy", "numpy", ["-c", "import numpy"]),
        _Process(_LIGHT, "tremble", ["-c", _IMPORT]),
        _Process("tremble --version", "tremble", ["-m", "tremble", "--version"]),
    ]
    for k, game in enumerate(games):
        tree = tremble.load(game)
        rules, solution = str(Path(folder, f"game{k}.json")), str(Path(folder, f"solution{k}.json"))
        write_json(tree, rules)
        tremble.solve(tree).to_json(solution)
        verify = f"tremble verify {game}"
        processes += [
            _Process(f"tremble info {game}", "tremble", ["-m", "tremble", "info", game]),
            _Process(verify, "tremble", ["-m", "tremble", "verify", game, solution]),
            _Process(verify, "naive", [_NAIVE, rules, solution]),
            _Process(f"tremble solve {game}", "tremble", ["-m", "tremble", "solve", game]),
        ]
    return processes


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    with tempfile.TemporaryDirectory() as folder:
        processes = _processes(games, folder)
        for number in range(-1, repeat):
            for process in processes:
                if process.status == "done":
                    progress(f"{process.task} ({process.program}), run {number + 1}", (number + 1) / (repeat + 1))
                    process.run(time_box, counts=number >= 0)
    ours = {process.task: process.seconds for process in processes if process.program == "tremble"}
    rows = [process.row(ours.get(process.task, ())) for process in processes]
    goals = [
        Goal(f"{row.task}: seconds", row.seconds, _GOALS[row.task])
        for row in rows
        if row.program == "tremble" and row.task in _GOALS
    ]
    return Report("startup", tuple(rows), tuple(goals), environment())

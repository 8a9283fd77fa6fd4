"""Time to first answer: whole processes, start to end, after one run that fills the caches."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.report import Goal, Report, Row, environment
from tremble.model.progress import Progress

__all__ = ["GAMES", "run"]

GAMES = ("kuhn", "leduc")

_IMPORT = "import time; t = time.perf_counter(); import tremble; print(time.perf_counter() - t)"
_BARE, _LIGHT = "python -c pass", "import tremble"


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    tasks: dict[str, list[str]] = {_BARE: ["-c", "pass"], _LIGHT: ["-c", _IMPORT]}
    tasks |= {f"tremble solve {game}": ["-m", "tremble", "solve", game] for game in games}
    times: dict[str, list[float]] = {task: [] for task in tasks}
    status = dict.fromkeys(tasks, "done")
    for number in range(-1, repeat):
        for task, arguments in tasks.items():
            if status[task] != "done":
                continue
            progress(f"{task}, run {number + 1}", (number + 1) / (repeat + 1))
            began = time.perf_counter()
            try:
                output = subprocess.run(
                    [sys.executable, *arguments],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    timeout=time_box,
                    check=True,
                ).stdout
            except subprocess.TimeoutExpired:
                status[task] = f"over {time_box:g} s"
            except subprocess.CalledProcessError as error:
                status[task] = f"failed: exit code {error.returncode}"
            else:
                if number >= 0:
                    times[task].append(float(output) if task == _LIGHT else time.perf_counter() - began)
    rows = [
        Row(
            task,
            "python" if task == _BARE else "tremble",
            status[task],
            seconds=median(taken) if taken else None,
            runs=len(taken),
            note="of which python itself: the first row" if task.startswith("tremble") else "",
        )
        for task, taken in times.items()
    ]
    goals = [
        Goal(f"{row.task}: seconds", row.seconds, limit)
        for task, limit in ((_LIGHT, 0.3), ("tremble solve kuhn", 1.5))
        for row in rows
        if row.task == task
    ]
    return Report("startup", tuple(rows), tuple(goals), environment())

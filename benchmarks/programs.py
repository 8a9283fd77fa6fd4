"""Our solvers, and HiGHS alone, as contestants that are watched at work: bounds over time, and a time box of their own.

A solver that reports what it does stops by itself when its time is up, so that it can still say how far it came. All
that it says can be kept as JSON lines, in the form of ``tremble solve --log``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any

from benchmarks.contestant import Job, Trial, peak_memory, processor_seconds
from benchmarks.nash import float_solver
from tremble.errors import LimitReached

__all__ = ["GAP", "Program", "Watch", "killed_after", "prepare"]

GAP = 1e-3  # bounds this close are worth a note, in payoff units
_SMALL = "border_patrol:depth=4"  # for warming up: large enough for all compiled kernels


@dataclass(frozen=True)
class Program:
    """What solves a game.

    Its method is one of :func:`tremble.solve`; ``"simplex"`` and ``"ipm"`` are HiGHS alone.
    """

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    rules: bool = False  # whether it is given the rules even where there is a tree

    def can_play(self, job: Job) -> bool:
        """Whether the game is there in the form that this needs."""
        return job.rules if self.rules else job.tree_file is not None or self.method.endswith("double-oracle")

    def from_rules(self) -> Program:
        """The same, given the rules even where there is a tree."""
        return replace(self, name=f"{self.name}, from rules", rules=True)


class _TimeIsUp(Exception):  # noqa: N818 (an outcome, not an error)
    """A solver has had its time."""


def killed_after(time_box: float) -> float:
    """Seconds by the clock on the wall after which a program that has not stopped by itself is ended."""
    return 4.0 * time_box + 60.0  # four others may be at work, too


class Watch:
    """Listens to a solver, keeps what it says, and stops it when its time is up.

    Processor seconds count: no program here has more than one thread at work, and what others do on the same machine
    matters less to them than to the clock on the wall. Those of a checker in a process of its own are among them as
    soon as it has ended.
    """

    def __init__(self, time_box: float) -> None:
        self.rows: list[dict[str, Any]] = []
        self.last: Mapping[str, Any] = {}
        self._box = time_box
        self._ended: tuple[float, float] | None = None
        self.start()

    def start(self) -> None:
        """Set the time to 0."""
        self._began = time.perf_counter(), processor_seconds()

    def stop(self) -> None:
        """Let no more time pass."""
        self._ended = self._ended or (time.perf_counter(), processor_seconds())

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds on both clocks from the start to the stop, or till now."""
        wall, processor = self._ended or (time.perf_counter(), processor_seconds())
        return {
            "elapsed_seconds_float": round(wall - self._began[0], 6),
            "cpu_seconds_float": round(processor - self._began[1], 6),
        }

    @property
    def counted(self) -> float:
        """Processor seconds."""
        return self.seconds["cpu_seconds_float"]

    def step(self, _step: str, _fraction: float | None) -> None:
        """Hear of a step; the progress of :func:`tremble.solve`."""
        if self.counted >= self._box:
            raise _TimeIsUp

    def iteration(self, row: Mapping[str, Any]) -> None:
        """Hear of an iteration; the report of :func:`tremble.solve`."""
        self.last = row
        known = {key: row[key] for key in ("lower_float", "upper_float")}
        bounds = {key: None if bound is None or not isfinite(bound) else bound for key, bound in known.items()}
        self.rows.append({**self.seconds, "event": "iteration", "iteration": row["iteration"], **bounds})
        self.step("", None)

    def reached(self, gap: float) -> float | None:
        """Processor seconds after which the bounds were this close."""
        return next((row["cpu_seconds_float"] for row in self.rows if _gap(row) <= gap), None)

    @property
    def gap(self) -> float:
        """How close the bounds have come; infinite if there are none."""
        return min(map(_gap, self.rows), default=inf)


def _gap(row: Mapping[str, Any]) -> float:
    lower, upper = row["lower_float"], row["upper_float"]
    return inf if lower is None or upper is None else float(upper - lower)


@dataclass(frozen=True)
class _Answer:
    """What a program says in the end."""

    status: str
    value: float | None = None
    note: str = ""
    stats: Mapping[str, Any] = field(default_factory=dict)


def prepare(job: Job, *, program: Program, time_box: float, log: str | None = None) -> Callable[[], Trial]:
    """Make a program ready for a game, and warm; with all but the first argument given, what a contestant needs.

    The time box, and the seconds of a run, are processor seconds. The log, a file, gets JSON lines: the game, one line
    per iteration, and the end.
    """
    limit = killed_after(time_box) - 30  # by the clock on the wall, for what reports nothing for long
    if program.method in ("simplex", "ipm"):
        solve = _highs(job, program, time_box, limit)
    else:
        solve = _tremble(job, program, limit)

    def trial() -> Trial:
        watch = Watch(time_box)
        try:
            answer = solve(watch)
            watch.stop()
        except (_TimeIsUp, LimitReached):  # on a busy machine it may have had less than its processor seconds
            watch.stop()
            gap = f"gap {max(watch.gap, 0.0):.2g}" if isfinite(watch.gap) else ""
            answer = _Answer(f"over {min(time_box, watch.counted):.3g} s", None, gap)
        if log is not None:
            stats = answer.stats or watch.last
            stats = {key: fact for key, fact in stats.items() if not isinstance(fact, float) or isfinite(fact)}
            first = {"event": "game", "game": job.game, "program": program.name, "sequences": job.sequences}
            last = {"event": "end", "status": answer.status, "value_float": answer.value, "stats": stats}
            lines: list[dict[str, Any]] = [{"elapsed_seconds_float": 0.0, **first}, *watch.rows]
            lines.append({**watch.seconds, **last, "peak_mib_float": peak_memory()})
            text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
            Path(log).write_text(text, encoding="utf-8", newline="\n")
        return Trial(watch.counted, answer.value, answer.status, answer.note)

    return trial


def _tremble(job: Job, program: Program, limit: float) -> Callable[[Watch], _Answer]:
    import tremble

    from_rules = program.rules or job.tree_file is None
    game = tremble.load_rules(job.game) if from_rules else job.tree()
    options = dict(program.options)
    coarse: dict[str, Any] = {key: 0.1 if key == "gap" else option for key, option in options.items()}
    tremble.solve((tremble.load_rules if from_rules else tremble.load)(_SMALL), "nash", program.method, **coarse)

    def solve(watch: Watch) -> _Answer:
        solution = tremble.solve(
            game, "nash", program.method, time_limit=limit, progress=watch.step, report=watch.iteration, **options
        )
        value = float(solution.value) if solution.status == "certified" else None
        return _Answer(str(solution.status), value, _note(solution.stats, watch.reached(GAP)), solution.stats)

    return solve


def _note(stats: Mapping[str, Any], near: float | None) -> str:
    """Iterations; of the double oracle also what it needed of the game, and when it was near the value."""
    said = [f"{stats['iterations']:,} iterations"] if "iterations" in stats else []
    if "restricted_sequences" in stats:
        one, two = stats["restricted_sequences"]
        said.append(f"{one:,} + {two:,} sequences")
        said += [] if near is None else [f"gap {GAP:g} after {near:.2g} s"]
    return ", ".join(said)


def _highs(job: Job, program: Program, time_box: float, limit: float) -> Callable[[Watch], _Answer]:
    make, value_of = float_solver(job.tree(), solver=program.method, run_crossover="off", time_limit=limit)

    def solve(watch: Watch) -> _Answer:
        highs = make()

        def listen(event: Any) -> None:
            if watch.counted >= time_box:
                event.interrupt()

        for signal in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt):
            signal.subscribe(listen)
        watch.start()
        highs.run()
        watch.stop()
        status = highs.modelStatusToString(highs.getModelStatus())
        if status in ("Time limit reached", "Interrupted by user"):
            raise _TimeIsUp
        value = value_of(highs)
        if status == "Unknown" and program.method == "ipm":
            return _Answer("done", value, "near the optimum: crossover would finish it")
        return _Answer("done" if status == "Optimal" else status, value)

    return solve

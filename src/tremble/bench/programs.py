"""Our solvers, and HiGHS alone, as contestants that are watched at work: bounds over time, and a time box of their own.

A solver that reports what it does stops by itself when its time is up, so that it can still say how far it came. All
that it says can be kept as JSON lines, in the form of ``tremble solve --log``.
"""

from __future__ import annotations

import json
import pickle
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tremble.bench.contestant import Job, Trial, peak_memory

if TYPE_CHECKING:
    from tremble.model.tree import GameTree

__all__ = ["GAP", "Program", "Task", "Watch", "killed_after", "prepare"]

GAP = 1e-3
"""Bounds this close are worth a note, in payoff units."""

_MOST_NODES = 5_000_000  # larger trees are not built
_SMALL = "border_patrol:depth=4"  # for warming up: large enough for all compiled kernels


@dataclass(frozen=True)
class Program:
    """What solves a game.

    Attributes
    ----------
    name : str
    method : str
        Of :func:`tremble.solve`; ``"simplex"`` and ``"ipm"`` are HiGHS alone; ``"published"`` is the double oracle
        with the published best response, without smoothing, regret minimisation or verification.
    options : mapping
        For :func:`tremble.solve`.
    rules : bool
        Whether it is given the rules even where there is a tree.

    Examples
    --------
    >>> Program("double oracle", "double-oracle").from_rules().name
    'double oracle, from rules'
    """

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    rules: bool = False

    @property
    def needs_tree(self) -> bool:
        """Whether the game must be built."""
        return self.method != "double-oracle"

    def from_rules(self) -> Program:
        """The same, given the rules even where there is a tree."""
        return replace(self, name=f"{self.name}, from rules", rules=True)


@dataclass(frozen=True)
class Task:
    """A game that is ready to be solved.

    Attributes
    ----------
    game : str
        See :func:`tremble.load`.
    tree_file : str or None
        Its tree, pickled, so that no program need build it again; None where it is not built.
    nodes : int or None
        None where nobody knows.
    sequences : pair of int, or None
        Of both players, with the empty ones.
    rules : bool
        Whether there are rules to play from, as of built-in games.
    """

    game: str
    tree_file: str | None = None
    nodes: int | None = None
    sequences: tuple[int, int] | None = None
    rules: bool = True

    @classmethod
    def of(cls, game: str, folder: str | Path, *, unbuilt: bool = False) -> Task:
        """Build a game and put its tree into a folder, unless it is too large or the tree is not wanted."""
        from tremble.games import is_built_in
        from tremble.games.counting import total_nodes
        from tremble.io.loading import load_any
        from tremble.model.tree import GameTree

        loaded = load_any(game, from_rules=unbuilt, max_nodes=_MOST_NODES)
        if not isinstance(loaded, GameTree):
            if not hasattr(loaded.rules, "counts"):
                return cls(game)
            counts = loaded.rules.counts()
            one, two = counts["sequences"]
            return cls(game, None, total_nodes(counts), (one, two))
        assert loaded.digest  # names the game, belongs to loading it, and stays with the tree
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".tree", delete=False) as file:
            pickle.dump(loaded, file)
        one, two = loaded.num_slots
        return cls(game, file.name, loaded.num_nodes, (one + 1, two + 1), is_built_in(game))

    def allows(self, program: Program) -> bool:
        """Whether the game is there in the form that a program needs."""
        if program.rules:
            return self.rules
        return self.tree_file is not None or not program.needs_tree

    def tree(self) -> GameTree:
        """The tree, read again."""
        assert self.tree_file is not None
        with open(self.tree_file, "rb") as file:
            tree: GameTree = pickle.load(file)
        return tree


class _TimeIsUp(Exception):  # noqa: N818 (an outcome, not an error)
    """A solver has had its time."""


def killed_after(time_box: float) -> float:
    """Seconds by the clock on the wall after which a program that has not stopped by itself is ended.

    Examples
    --------
    >>> killed_after(60)
    300.0
    """
    return 4.0 * time_box + 60.0  # four others may be at work, too


class Watch:
    """Listens to a solver, keeps what it says, and stops it when its time is up.

    Processor seconds count: no program here has more than one thread at work, and what others do on the same machine
    matters less to them than to the clock on the wall.

    Parameters
    ----------
    time_box : float
        Processor seconds.
    """

    def __init__(self, time_box: float) -> None:
        self.rows: list[dict[str, Any]] = []
        self.last: Mapping[str, Any] = {}
        self._box = time_box
        self._ended: tuple[float, float] | None = None
        self.start()

    def start(self) -> None:
        """Set the time to 0."""
        self._began = time.perf_counter(), time.process_time()

    def stop(self) -> None:
        """Let no more time pass."""
        self._ended = self._ended or (time.perf_counter(), time.process_time())

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds on both clocks from the start to the stop, or till now."""
        wall, processor = self._ended or (time.perf_counter(), time.process_time())
        return {
            "elapsed_seconds_float": round(wall - self._began[0], 6),
            "cpu_seconds_float": round(processor - self._began[1], 6),
        }

    @property
    def counted(self) -> float:
        """Processor seconds."""
        return round((self._ended[1] if self._ended else time.process_time()) - self._began[1], 6)

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


def _infinite(fact: Any) -> bool:
    return isinstance(fact, float) and not isfinite(fact)


@dataclass(frozen=True)
class _Answer:
    """What a program says in the end; no status if its time was up."""

    status: str = ""
    value: float | None = None
    note: str = ""
    stats: Mapping[str, Any] = field(default_factory=dict)


def prepare(_job: Job, *, program: Program, task: Task, time_box: float, log: str | None = None) -> Callable[[], Trial]:
    """Make a program ready for a task, and warm; with all but the first argument given, what a contestant needs.

    Parameters
    ----------
    program : Program
    task : Task
    time_box : float
        Processor seconds.
    log : str, optional
        File for JSON lines: the game, one line per iteration, and the end.

    Returns
    -------
    callable
        Makes one run; its seconds are processor seconds.
    """
    limit = killed_after(time_box) - 30  # by the clock on the wall, for what reports nothing for long
    if program.method in ("simplex", "ipm"):
        solve = _highs(task, program, time_box, limit)
    elif program.method == "published":
        solve = _published(task, program, limit)
    else:
        solve = _tremble(task, program, limit)

    def trial() -> Trial:
        watch = Watch(time_box)
        answer = solve(watch)
        watch.stop()
        status, note = answer.status, answer.note
        if not status:  # on a busy machine it may have had less than its processor seconds
            status = f"over {min(time_box, watch.counted):.3g} s"
            note = f"gap {max(watch.gap, 0.0):.2g}" if isfinite(watch.gap) else ""
        if log is not None:
            stats = {key: fact for key, fact in (answer.stats or watch.last).items() if not _infinite(fact)}
            first = {"event": "game", "game": task.game, "program": program.name, "sequences": task.sequences}
            last = {"event": "end", "status": status, "value_float": answer.value, "stats": stats}
            lines: list[dict[str, Any]] = [{"elapsed_seconds_float": 0.0, **first}, *watch.rows]
            lines.append({**watch.seconds, **last, "peak_mib_float": peak_memory()})
            text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
            Path(log).write_text(text, encoding="utf-8", newline="\n")
        return Trial(watch.counted, answer.value, status, note)

    return trial


def _tremble(task: Task, program: Program, limit: float) -> Callable[[Watch], _Answer]:
    import tremble
    from tremble.errors import LimitReached

    from_rules = program.rules or task.tree_file is None
    game = tremble.load_rules(task.game) if from_rules else task.tree()
    options = dict(program.options)
    coarse = {key: 0.1 if key == "gap" else option for key, option in options.items()}
    tremble.solve((tremble.load_rules if from_rules else tremble.load)(_SMALL), "nash", program.method, **coarse)

    def solve(watch: Watch) -> _Answer:
        try:
            solution = tremble.solve(
                game,
                "nash",
                program.method,
                time_limit=limit,
                progress=watch.step,
                report=watch.iteration,
                **options,
            )
        except (_TimeIsUp, LimitReached):
            return _Answer()
        value = float(solution.value) if solution.status == "certified" else None
        return _Answer(str(solution.status), value, _note(solution.stats, watch.reached(GAP)), solution.stats)

    return solve


def _published(task: Task, program: Program, limit: float) -> Callable[[Watch], _Answer]:
    import tremble
    from tremble.clock import Clock
    from tremble.errors import LimitReached
    from tremble.model.sequence_form import SequenceForm
    from tremble.solvers.double_oracle.built import BuiltOracle
    from tremble.solvers.double_oracle.loop import DoubleOracle
    from tremble.solvers.double_oracle.settings import Settings

    settings = Settings(policy=program.options["policy"], smoothing=0.0, first_order=0.0)

    def begun(tree: GameTree, watch: Watch) -> DoubleOracle:
        oracle = BuiltOracle(tree, SequenceForm.of(tree), published=True)
        scale = float(abs(tree.payoff_float[:, 0]).max(initial=0))
        return DoubleOracle(oracle, scale, settings, Clock(limit), watch.step, watch.iteration)

    tree = task.tree()
    begun(tremble.load(_SMALL), Watch(inf)).run()

    def solve(watch: Watch) -> _Answer:
        try:
            run = begun(tree, watch)
            prepared = watch.seconds["elapsed_seconds_float"]
            _, value = run.run()
        except (_TimeIsUp, LimitReached):
            return _Answer()
        stats = {
            "iterations": run.iteration,
            "restricted_sequences": [int(known.allowed.sum()) for known in run.oracle.players],
            "preparation_seconds_float": prepared,
            **{f"{part}_seconds_float": seconds for part, seconds in run.seconds.items()},
        }
        assert value is not None  # no gap is asked for
        return _Answer("done", float(value), _note(stats, watch.reached(GAP)), stats)

    return solve


def _note(stats: Mapping[str, Any], near: float | None) -> str:
    """Iterations; of the double oracle also what it needed of the game, and when it was near the value."""
    said = [f"{stats['iterations']:,} iterations"] if "iterations" in stats else []
    if "restricted_sequences" in stats:
        one, two = stats["restricted_sequences"]
        said.append(f"{one:,} + {two:,} sequences")
        said += [] if near is None else [f"gap {GAP:g} after {near:.2g} s"]
    return ", ".join(said)


def _highs(task: Task, program: Program, time_box: float, limit: float) -> Callable[[Watch], _Answer]:
    import highspy

    from tremble.linear.highs import _model
    from tremble.model.sequence_form import SequenceForm
    from tremble.solvers.lp.formulation import NashProgram

    nash = NashProgram.of(SequenceForm.of(task.tree()))
    model = _model(nash.program)
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "presolve": "on",
        "threads": 1,
        "solver": program.method,
        "run_crossover": "off",
        "time_limit": limit,
    }

    def solve(watch: Watch) -> _Answer:
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in options.items():
            highs.setOptionValue(option, setting)
        highs.passModel(model)

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
            return _Answer()
        value = float(highs.getSolution().col_value[nash.game_value]) * nash.float_unit
        if status == "Unknown" and program.method == "ipm":
            return _Answer("done", value, "near the optimum: crossover would finish it")
        return _Answer("done" if status == "Optimal" else status, value)

    return solve

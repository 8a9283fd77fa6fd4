"""Many games at a time: each is solved by a worker, results come as they end, and whatever ends a worker costs a game.

**Nothing is lost.** A worker catches whatever a game raises, so that only the machinery itself can fail: a process that
is killed, a machine that goes away. The games that were being solved then are solved again, together with others; a
game that loses its worker twice is solved alone, so that it can be told which game it is that ends its worker; if it
loses two more workers while it is alone, it has failed. A pool of processes that is broken is replaced.

**Little is held.** Two games for each worker are under way; the next one is taken from the iterable when a result has
been handed out.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from tremble.batch.folder import Folder
from tremble.batch.results import BatchResult
from tremble.batch.tasks import Asked, Outcome, Task, done_at_a_worker, task_of
from tremble.errors import LimitReached, SolverError, SpecError, TrembleError, TrembleWarning
from tremble.formats.chance_repair import repair_limit
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.numbers import required_max_nodes
from tremble.run.clock import TIME_IS_UP, grace, interrupts_held_back, required_time_limit
from tremble.run.executors import InTurn, local_processes, processors, require_executor, required_processes, workers_of
from tremble.solvers.method import Method, recorded
from tremble.solvers.request import checked_gap, checked_seed, payoff_gap
from tremble.solvers.table import concept_named, method_named, method_of, require_method

__all__ = ["solve_many"]

_AHEAD = 2  # games under way for each worker
_IN_COMPANY, _LOST = 2, 4  # workers that a game may lose beside others, and in all
_ENDED = 0.7  # share of the grace period after a limit for all games until when workers must have ended
_NO_TIME = 1e-9
_STARTS = 3  # pools in succession whose processes do not begin
_PATIENCE_SECONDS = 10.0  # for the others that a broken pool was working on
_COUNTED_SECONDS = 5.0  # for which the number of workers is taken to be what it was


def solve_many(
    games: Iterable[object] | Mapping[str, object],
    concept: str = "nash",
    method: str | Method = "auto",
    *,
    executor: Executor | None = None,
    processes: int | None = None,
    on_limit: Literal["return", "raise"] = "return",
    out: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    total_limit: float | None = None,
    gap: Fraction | float | None = None,
    seed: int | None = None,
    player: int | None = None,
    epsilon: Fraction | float | None = None,
    epsilon_abs: Fraction | float | None = None,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    **options: Any,
) -> Generator[BatchResult]:
    """Solve many games on several processors or machines; results come as they end.

    A game that fails or is stopped stops no other one. A worker that is killed costs no result: what it was working on
    is done again.

    Parameters
    ----------
    games : iterable, or mapping of names to games
        What :func:`tremble.solve` takes, and texts and paths that :func:`tremble.load` takes (a large built-in game is
        then played from its rules). Rules are not built here: where a tree is needed, give
        ``tremble.build(rules)``. A generator is asked for the next game when there is room.
    concept, method, time_limit, gap, seed, player, epsilon, epsilon_abs, **options
        As for :func:`tremble.solve`, of each game. A time limit counts the loading of a game.
    total_limit : float, optional
        Seconds for all games together. Games that are being solved then are stopped; a result with ``LimitReached`` and
        no solution stands for each game that was not begun, unless ``games`` is an iterable without a length.
    executor : concurrent.futures.Executor, optional
        What works: processes of this machine unless given; of a Dask client ``client.get_executor()``; of MPI
        ``mpi4py.futures.MPIPoolExecutor()``. It stays open.
    processes : int, optional
        How many of this machine, if there is no executor; as many as there are processors unless given.
    on_limit : str
        Whether a game that a limit has stopped is a result like any other (``"return"``), or ends the batch
        (``"raise"``).
    out : str or path, optional
        A folder for a solution file of each game and ``results.jsonl``, a line for each result. What is done there
        already is not done again: the same game, the same options, a solution file that is as it was. A game that was
        stopped is done again if there is more time now, one that failed always.
    repair, repair_tolerance, max_nodes
        As for :func:`tremble.load`, of texts and paths.

    Yields
    ------
    BatchResult
        In the order in which they end.

    Raises
    ------
    SpecError
        Unknown concept, method or option.
    FormatError
        Nothing can be written to the folder, or another batch is writing there.
    LimitReached
        With ``on_limit="raise"``; its ``best`` is what the game has come to.
    SolverError
        No process can be started. In a script, work that starts processes belongs under
        ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import tremble
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> games = ["kuhn", "matching_pennies", "no_such_game"]
    >>> with ThreadPoolExecutor(1) as executor:  # or none: processes
    ...     results = sorted(tremble.solve_many(games, executor=executor), key=lambda result: result.index)
    >>> [(result.name, result.status) for result in results]
    [('kuhn', 'certified'), ('matching_pennies', 'certified'), ('no_such_game', 'failed')]
    >>> results[0].solution.value, results[2].error
    (Fraction(-1, 18), SpecError("'no_such_game' is neither a built-in game nor a file; ..."))
    """
    require_executor(executor)
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SolverError(_NO_GUARD)
    named = _named(games)
    if not isinstance(on_limit, str) or on_limit not in ("return", "raise"):
        raise SpecError(f"on_limit is 'return' or 'raise', not {on_limit!r:.80}")
    processes = required_processes(processes)
    if processes is not None and executor is not None:
        raise SpecError("processes are those of this machine: give them or an executor, not both")
    for name in ("progress", "report", "checkpoint", "trembles"):
        if name in options:
            raise SpecError(f"{name} is for one game: tremble.solve takes it")
    concept = concept_named(concept)
    if isinstance(method, str):
        method = method_named(method)
        if method != "auto":
            method_of(method, options)
    else:
        require_method(method, options)
    if (options if isinstance(method, str) else vars(method)).get("prior", "random") not in ("uniform", "random"):
        raise SpecError("prior has weights for one game, and tremble.solve takes it; here it is 'uniform' or 'random'")
    payoff_gap(concept, player, epsilon, epsilon_abs, gap)
    checked_gap(epsilon)
    checked_seed(seed)
    asked = Asked(
        {
            "concept": concept, "method": method, "time_limit": required_time_limit(time_limit), "gap": gap,
            "seed": seed, "player": player, "epsilon": epsilon, "epsilon_abs": epsilon_abs, **options,
        },
        repair_limit(repair, repair_tolerance),
        required_max_nodes(max_nodes),
    )  # fmt: skip
    total = _TotalLimit(required_time_limit(total_limit), counted=isinstance(games, Sized))
    folder = None if out is None else Folder(out, _options_text(asked), asked.time_limit)
    return _Batch(asked, folder, on_limit == "raise", total).results(named, executor, processes or processors())


def _named(games: Iterable[object] | Mapping[str, object]) -> Iterator[tuple[str | None, object]]:
    """The games, with their names if they have some."""
    with suppress(TypeError):
        if isinstance(games, Mapping):
            return iter([(str(name), game) for name, game in games.items()])
        if not isinstance(games, str | os.PathLike | GameTree | UnbuiltGame):
            each = iter(games)
            return ((None, game) for game in each)
    raise SpecError(f"games are several: a list, a generator, a mapping of names to games, not {games!r:.80}")


_NOT_BEGUN = f"{TIME_IS_UP} before it was begun"
_NO_GUARD = (
    "the processes of a batch begin with the script that starts them: put what it does under "
    'if __name__ == "__main__": or give an executor'
)


def _options_text(asked: Asked) -> str:
    """What is asked for, but for the time limit, as text that is the same in every run."""
    solving = {name: value for name, value in asked.solving.items() if value is not None and name != "time_limit"}
    method = solving["method"]
    if not isinstance(method, str):
        solving["method"] = [method.name, recorded(method)]
    loading = {"repair": asked.repair, "max_nodes": asked.max_nodes}
    return json.dumps({**solving, **loading}, sort_keys=True, default=str)


class _TotalLimit:
    """A limit for all games together, from now on; None for none. ``counted``: whether the games have an end."""

    def __init__(self, seconds: float | None, *, counted: bool) -> None:
        self.seconds, self.counted = seconds, counted
        self._began = time.monotonic()

    def left(self, share: float = 0.0) -> float | None:
        """Return the seconds until the limit, or until a share of the grace period after it."""
        if self.seconds is None:
            return None
        return self.seconds + share * grace(self.seconds) - (time.monotonic() - self._began)

    @property
    def passed(self) -> bool:
        """Return whether the limit is over, so that no other game begins."""
        left = self.left()
        return left is not None and left <= 0


class _Batch:
    """A batch under way."""

    def __init__(self, asked: Asked, folder: Folder | None, raising: bool, total: _TotalLimit) -> None:
        self._asked, self._folder, self._raising, self._total = asked, folder, raising, total
        self._again: deque[Task] = deque()  # that have lost their workers
        self._running: dict[Future[bytes], Task] = {}
        self._ready: deque[BatchResult] = deque()

    def results(
        self, games: Iterator[tuple[str | None, object]], executor: Executor | None, processes: int
    ) -> Generator[BatchResult]:
        """Yield the results."""
        source = enumerate(games)
        with self._folder or nullcontext(), _Workers(executor, processes) as workers:
            try:
                while True:
                    while self._ready:
                        yield self._handed_out(self._ready.popleft())
                    more = self._fill(source, workers)
                    if self._ready:  # from disk
                        continue
                    if self._running:
                        left = self._total.left(_ENDED)
                        wait(self._running, None if left is None else max(left, 0.0), FIRST_COMPLETED)
                        self._collect(workers)
                        if self._running and left is not None and (self._total.left(_ENDED) or 0.0) <= 0:
                            self._give_up(workers)
                    elif not more:
                        if self._total.passed:  # a worker that lets go of a large game takes seconds to end by itself
                            workers.end()
                        return
            finally:
                with interrupts_held_back():  # what has ended meanwhile is kept, whatever has ended the batch
                    self._collect(None)
                    for future in self._running:
                        future.cancel()

    def _handed_out(self, result: BatchResult) -> BatchResult:
        if self._raising and isinstance(result.error, LimitReached):
            raise result.error
        return result

    # -- to the workers ------------------------------------------------------------------------------

    def _fill(self, source: Iterator[tuple[int, tuple[str | None, object]]], workers: _Workers) -> bool:
        """Submit games as long as there is room; whether there may be more."""
        # Under a limit for all, games do not wait at the workers: their seconds count from here on.
        ahead = _AHEAD if self._total.seconds is None else 1
        while len(self._running) < ahead * workers.count and not self._ready:
            if any(task.lost >= _IN_COMPANY for task in self._running.values()):
                return True  # it is alone
            if self._again:
                if self._again[0].lost >= _IN_COMPANY and self._running:
                    return True
                task = self._again.popleft()
                if self._total.passed:
                    self._keep(task, Outcome(None, None, LimitReached(TIME_IS_UP), 0.0))
                else:
                    self._running[workers.submit(self._packed(task, workers), task.lost)] = task
                continue
            if self._total.passed and not self._total.counted:
                return False
            try:
                index, (name, game) = next(source)
            except StopIteration:
                return False
            self._begin(index, name, game, workers)
        return True

    def _begin(self, index: int, name: str | None, game: object, workers: _Workers) -> None:
        task = None
        try:
            task = task_of(index, name, game)
            done = None if self._folder is None else self._folder.done(task)
            if done is not None:
                self._ready.append(_with_game(done, task))
                return
            if self._total.passed:
                self._ready.append(BatchResult(index, task.name, None, None, LimitReached(_NOT_BEGUN), 0.0))
                return
            if self._folder is not None:
                self._folder.place(task)
            packed = self._packed(task, workers)
        except TrembleError as error:
            shown = task.name if task else name or str(os.fspath(game) if isinstance(game, os.PathLike) else game)[:80]
            self._add(BatchResult(index, shown, None, None, error, 0.0), task)
            return
        self._running[workers.submit(packed, 0)] = task

    def _packed(self, task: Task, workers: _Workers) -> bytes:
        """Return a task as it is sent, with the seconds that it has."""
        left = self._total.left()
        asked = self._asked if left is None else self._asked.within(max(left, _NO_TIME), same_clock=workers.are_ours)
        task.limit = asked.time_limit
        return task.packed(asked)

    def _add(self, result: BatchResult, task: Task | None) -> None:
        if self._folder is not None:
            result = self._folder.keep(result, task, self._asked.time_limit if task is None else task.limit)
        self._ready.append(result)

    # -- back from them ------------------------------------------------------------------------------

    def _collect(self, workers: _Workers | None) -> None:
        """Take what has ended; without workers, only what can be kept."""
        broken = False
        for future in [future for future in self._running if future.done()]:
            task = self._running[future]
            try:
                outcome = pickle.loads(future.result())
            except (Exception, CancelledError) as error:
                if workers is None:
                    continue
                broken = broken or isinstance(error, BrokenExecutor)
                self._lost(task, error)
            else:
                self._keep(task, outcome)
            del self._running[future]
        if broken and workers is not None:
            if self._running:
                wait(self._running, _PATIENCE_SECONDS)  # all of them have lost their workers, or have just ended
                self._collect(None)
                for task in self._running.values():
                    self._lost(task, BrokenExecutor())
                self._running.clear()
            workers.renew()

    def _give_up(self, workers: _Workers) -> None:
        """End workers that do not stop at the limit for all."""
        for future, task in self._running.items():
            future.cancel()
            self._keep(task, Outcome(None, None, LimitReached(f"{TIME_IS_UP}, in a step that cannot be stopped"), 0.0))
        self._running.clear()
        workers.end()

    def _lost(self, task: Task, error: BaseException) -> None:
        task.lost += 1
        if task.lost < _LOST:
            (self._again.append if task.lost >= _IN_COMPANY else self._again.appendleft)(task)
            return
        said = str(error) or type(error).__name__
        failure = SolverError(f"its worker ended without a result, {task.lost} times; the last time: {said:.200}")
        self._keep(task, Outcome(None, None, failure, 0.0))

    def _keep(self, task: Task, outcome: Outcome) -> None:
        for text in outcome.warnings:
            warnings.warn(f"{task.name:.80}: {text}", TrembleWarning, stacklevel=2)
        solution, error = outcome.solution, outcome.error
        result = BatchResult(task.index, task.name, outcome.game, solution, error, outcome.seconds)
        with interrupts_held_back():
            self._add(_with_game(result, task), task)


def _with_game(result: BatchResult, task: Task) -> BatchResult:
    """A result whose solution knows the game, if that is at hand."""
    solution = result.solution
    if solution is None or not isinstance(task.game, GameTree | UnbuiltGame):
        return result
    solution = replace(solution, played=task.game)
    error = result.error
    if error is not None and getattr(error, "best", None) is not None:
        error.best = solution  # type: ignore[attr-defined]
    return replace(result, solution=solution)


class _Workers:
    """Those who work: an executor of somebody, or processes of this machine, which are replaced if they break."""

    def __init__(self, executor: Executor | None, processes: int) -> None:
        self._given, self._processes = executor, processes
        self._stack = ExitStack()
        self._executor: Executor | None = executor
        self._begun: Future[int] | None = None
        self._failed = 0
        self._counted = -_COUNTED_SECONDS
        self._workers = 0

    def __enter__(self) -> _Workers:
        self._stack.__enter__()
        return self

    def __exit__(self, *error: Any) -> bool | None:
        return self._stack.__exit__(*error)

    @property
    def count(self) -> int:
        """Return the number of workers."""
        now = time.monotonic()
        if now - self._counted >= _COUNTED_SECONDS:
            self._counted = now
            self._workers = self._processes if self._executor is None else workers_of(self._executor)
        return self._workers

    @property
    def are_ours(self) -> bool:
        """Return whether the workers are on this machine, with its clock."""
        return self._given is None or isinstance(self._given, InTurn)

    def end(self) -> None:
        """End our own processes, whatever they do; others begin when there is something to do."""
        stop = LimitReached(TIME_IS_UP)
        with suppress(LimitReached):
            self._stack.__exit__(LimitReached, stop, None)
        self._executor, self._begun, self._counted = self._given, None, -_COUNTED_SECONDS

    def submit(self, packed: bytes, attempt: int) -> Future[bytes]:
        """Have a task done; the attempt makes it another one than that which failed."""
        while True:
            if self._executor is None:
                self._executor = self._stack.enter_context(local_processes(self._processes))
                self._begun = self._executor.submit(os.getpid)
            try:
                return self._executor.submit(done_at_a_worker, packed, attempt)
            except BrokenExecutor:
                self.renew()
            except RuntimeError as error:
                raise SpecError(f"the executor takes no games: {error!s:.200}") from error

    def renew(self) -> None:
        """Let go of processes that are broken; others begin when there is something to do."""
        if self._given is not None:
            self._processes = workers_of(self._given)
            self._given = None
            warnings.warn(
                f"the executor is broken; the batch goes on with {self._processes} processes of its own",
                TrembleWarning,
                stacklevel=2,
            )
        elif self._begun is not None:
            self._failed = self._failed + 1 if self._begun.exception() is not None else 0
            if self._failed >= _STARTS:
                raise SolverError(f"the processes end as soon as they begin: {_NO_GUARD}")
        self._stack.close()
        self._executor, self._begun, self._counted = None, None, -_COUNTED_SECONDS

"""Solve many games in parallel, using processes of this computer or an executor such as Dask.

**Failures.** A *worker* is a process that solves games. A worker catches every exception that a game raises, so a batch
loses a worker only if the process is killed or its computer fails. The batch solves the games of a lost worker again,
in parallel with other games. A game that has lost two workers is solved alone, because this shows which game kills its
workers. A game that has lost four workers fails. The batch replaces a broken pool of processes.

**Memory.** At any time, the batch has submitted at most two games per worker. The batch takes the next game from the
iterable only after yielding a result.
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
from fractions import Fraction
from typing import Any, Literal

from tremble.batch.folder import Folder
from tremble.batch.results import BatchResult
from tremble.batch.tasks import BatchOptions, Task, run_task, task_of, with_game
from tremble.errors import LimitReached, SolverError, SpecError, TrembleError, TrembleWarning
from tremble.formats.tolerance import repair_limit
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.numbers import required_max_nodes
from tremble.run.alarm import TIME_IS_UP, interrupts_held_back
from tremble.run.deadline import grace, required_time_limit
from tremble.run.executors import (
    WORKER,
    InTurn,
    local_processes,
    processors,
    require_executor,
    required_processes,
    workers_of,
)
from tremble.solvers.method import Method, recorded
from tremble.solvers.runner import checked_gap, checked_seed, number_of, payoff_gap
from tremble.solvers.table import concept_named, method_named, method_of, require_method

__all__ = ["solve_many"]

_AHEAD = 2  # greatest number of submitted games per worker
# The number of lost workers after which a game is solved alone, and the number after which a game fails.
_IN_COMPANY, _LOST = 2, 4
_ENDED = 0.7  # workers are killed when this fraction of the grace period, after the limit for all games, has passed
_NO_TIME = 1e-9
_STARTS = 3  # the batch gives up if the processes of this many successive pools do not start
_PATIENCE_SECONDS = 10.0  # after a pool breaks, the batch waits this long for the pool's other games
_NOT_BEGUN = f"{TIME_IS_UP} before the game was started"
_NOT_STOPPED = f"{TIME_IS_UP}, in a step that did not react to it"
_NO_GUARD = (
    "each process of a batch runs the main script again: in the script, put the code that starts the batch under "
    'if __name__ == "__main__": or pass an executor'
)


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
    gap: Fraction | float | str | None = None,
    seed: int | None = None,
    player: int | None = None,
    epsilon: Fraction | float | None = None,
    epsilon_abs: Fraction | float | None = None,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    **options: Any,
) -> Generator[BatchResult]:
    """Solve many games on multiple processors or computers. Yield each result when it is available.

    If a game fails or is stopped by a limit, the batch continues with the other games. If a process is killed, its
    games are solved again.

    Parameters
    ----------
    games : iterable, or mapping of names to games
        Each game is an object that :func:`tremble.solve` accepts, or a text or path that :func:`tremble.load` accepts.
        If a text names a large built-in game, it is solved from its rules, without a tree. The batch does not build the
        tree of a rules object. If the method needs a tree, pass ``tremble.build(rules)``. If ``games`` is a generator,
        the batch takes the next game when a worker can accept it.
    concept, method, time_limit, gap, seed, player, epsilon, epsilon_abs, **options
        Arguments of :func:`tremble.solve` for each game. The time limit includes the time for loading a game.
    total_limit : float, optional
        Seconds for all games together. When the limit is reached, the batch stops the running games. If ``games`` has a
        length, each game that was not started gets a result with the error ``LimitReached`` and no solution. If
        ``games`` has no length, the games that were not started get no results.
    executor : concurrent.futures.Executor, optional
        The executor that runs the solvers. By default, the batch starts processes on this computer. For a Dask client,
        pass ``client.get_executor()``. For MPI, pass ``mpi4py.futures.MPIPoolExecutor()``. The batch does not close
        the executor.
    processes : int, optional
        The number of processes to start if no executor is given. The default is the number of processors.
    on_limit : str
        With ``"return"``, a game stopped by a limit yields a result like any other game. With ``"raise"``, such a game
        ends the batch with an error.
    out : str or path, optional
        A folder for the solution file of each game, and for ``results.jsonl``, which has one line for each result. A
        game from an earlier batch is not solved again if the game, the options and the solution file have not changed.
        A game that a limit stopped is solved again if the limit is longer now. A failed game is always solved again.
    repair, repair_tolerance, max_nodes
        Arguments of :func:`tremble.load`, for games that are given as texts or paths.

    Yields
    ------
    BatchResult
        The results, in the order in which the games end.

    Raises
    ------
    SpecError
        The concept, the method or an option is unknown.
    FormatError
        The folder cannot be written to, or another batch is writing to it.
    LimitReached
        A limit stopped a game, and ``on_limit`` is ``"raise"``. ``best`` is the best solution so far.
    SolverError
        No process can be started. In a script, put the code that calls ``solve_many`` under
        ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import tremble
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> games = ["kuhn", "matching_pennies", "no_such_game"]
    >>> with ThreadPoolExecutor(1) as executor:  # by default: processes
    ...     results = sorted(tremble.solve_many(games, executor=executor), key=lambda result: result.index)
    >>> [(result.name, result.status) for result in results]
    [('kuhn', 'certified'), ('matching_pennies', 'certified'), ('no_such_game', 'failed')]
    >>> results[0].solution.value, results[2].error
    (Fraction(-1, 18), SpecError("'no_such_game' is neither a built-in game nor a file; ..."))
    """
    require_executor(executor)
    process = multiprocessing.current_process()
    if getattr(process, "_inheriting", False):  # the process is still importing the script
        if process.name == WORKER:
            raise SystemExit(1)  # the process that started this worker explains the error, once
        raise SolverError(_NO_GUARD)
    named = _named(games)
    if not isinstance(on_limit, str) or on_limit not in ("return", "raise"):
        raise SpecError(f"'on_limit' must be 'return' or 'raise', not {on_limit!r:.80}")
    processes = required_processes(processes)
    if processes is not None and executor is not None:
        raise SpecError("'processes' and 'executor' exclude each other: give only one of them")
    for name in ("progress", "report", "checkpoint", "trembles"):
        if name in options:
            raise SpecError(f"solve_many does not accept the option '{name}': use tremble.solve for a single game")
    # solve() also checks these options, for each game. Checking them here reports a wrong option before any work.
    concept = concept_named(concept)
    if isinstance(method, str):
        method = method_named(method)
        if method != "auto":
            method_of(method, options)
    else:
        require_method(method, options)
    if (options if isinstance(method, str) else vars(method)).get("prior", "random") not in ("uniform", "random"):
        raise SpecError("in solve_many, 'prior' must be 'uniform' or 'random': to give weights, use tremble.solve")
    payoff_gap(concept, player, epsilon, epsilon_abs, number_of(gap))
    checked_gap(epsilon)
    checked_seed(seed)
    same = {"gap": gap, "seed": seed, "player": player, "epsilon": epsilon, "epsilon_abs": epsilon_abs}
    asked = BatchOptions(
        {"concept": concept, "method": method, **same, **options},
        {"repair": repair_limit(repair, repair_tolerance), "max_nodes": required_max_nodes(max_nodes)},
    )
    time_limit, total_limit = required_time_limit(time_limit), required_time_limit(total_limit)
    folder = None if out is None else Folder(out, _options_text(asked), time_limit)
    batch = _Batch(asked, time_limit, total_limit, folder, _Workers(executor, processes or processors()))
    return batch.results(named, counted=isinstance(games, Sized), raising=on_limit == "raise")


def _named(games: Iterable[object] | Mapping[str, object]) -> Iterator[tuple[str | None, object]]:
    """Return an iterator over pairs (name, game). The names are the keys of a mapping, or None for other iterables.

    Raise ``SpecError`` if ``games`` is a single game or not iterable.
    """
    with suppress(TypeError):
        if isinstance(games, Mapping):
            return iter([(str(name), game) for name, game in games.items()])
        if not isinstance(games, str | os.PathLike | GameTree | UnbuiltGame):
            each = iter(games)
            return ((None, game) for game in each)
    raise SpecError(f"'games' must be a list, a generator, or a mapping of names to games, not {games!r:.80}")


def _options_text(options: BatchOptions) -> str:
    """Return the options, except the time limit, as text. Equal options have equal texts in every run."""
    solving = {name: value for name, value in options.solving.items() if value is not None}
    method = solving["method"]
    if not isinstance(method, str):
        solving["method"] = [method.name, recorded(method)]
    return json.dumps({**solving, **options.loading}, sort_keys=True, default=str)


class _Batch:
    """A batch: the running games, the games to solve again after the loss of a worker, and the results to yield."""

    def __init__(
        self,
        options: BatchOptions,
        time_limit: float | None,
        total_limit: float | None,
        folder: Folder | None,
        workers: _Workers,
    ) -> None:
        self._options, self._limit, self._total_limit = options, time_limit, total_limit
        self._folder, self._workers = folder, workers
        self._began = time.monotonic()
        self._running: dict[Future[bytes], Task] = {}
        self._lost: deque[Task] = deque()
        self._ready: deque[BatchResult] = deque()

    def results(
        self, games: Iterator[tuple[str | None, object]], *, counted: bool, raising: bool
    ) -> Generator[BatchResult]:
        """Solve the games, and yield each result when it is available.

        ``counted`` is True if ``games`` comes from a collection with a length. In this case, each game that was not
        started before the time limit for all games yields a result with an error. If ``raising`` is True, the batch
        ends with an error when a limit stops a game.
        """
        source = ((index, name, game) for index, (name, game) in enumerate(games))
        with self._folder or nullcontext(), self._workers.stack:
            try:
                while True:
                    self._fill(source, counted)
                    if not self._ready:
                        if not self._running:
                            break
                        self._wait()
                    while self._ready:
                        result = self._ready.popleft()
                        if raising and isinstance(result.error, LimitReached):
                            raise result.error
                        yield result
                if self._is_over():  # kill the workers, because freeing the memory of a large game may take seconds
                    self._workers.end()
            finally:
                with interrupts_held_back():  # store the finished games, whatever ends the batch
                    self._collect()
                    for future in self._running:
                        future.cancel()

    def _left(self, share: float = 0.0) -> float | None:
        """Return the seconds until the total limit plus ``share`` times the grace period; None if there is no limit."""
        if self._total_limit is None:
            return None
        return self._total_limit + share * grace(self._total_limit) - (time.monotonic() - self._began)

    def _is_over(self, share: float = 0.0) -> bool:
        left = self._left(share)
        return left is not None and left <= 0

    # -- submit games to the workers -----------------------------------------------------------------

    def _fill(self, source: Iterator[tuple[int, str | None, object]], counted: bool) -> None:
        """Submit games while workers can accept them. Stop as soon as a result is ready."""
        # With a time limit for all games, the time of a game begins when it is submitted, so no game may wait.
        room = self._workers.count * (_AHEAD if self._total_limit is None else 1)
        while len(self._running) < room and not self._ready:
            if any(task.lost >= _IN_COMPANY for task in self._running.values()):
                return  # a game is being solved alone
            if self._lost:
                if self._lost[0].lost >= _IN_COMPANY and self._running:
                    return  # the next game must be solved alone
                self._submit(self._lost.popleft())
                continue
            if self._is_over() and not counted:
                return
            given = next(source, None)
            if given is None:
                return
            self._begin(*given)

    def _begin(self, index: int, name: str | None, game: object) -> None:
        """Submit a game, or add its result from the folder. If the game cannot be read, add an error as its result."""
        task = None
        try:
            task = task_of(index, name, game)
            if self._folder is not None:
                done = self._folder.done(task)
                if done is not None:
                    self._ready.append(with_game(done, task.game))
                    return
                self._folder.place(task)
        except TrembleError as error:
            none = Task(index, name or str(game)[:80], "", None, named=False, limit=self._limit)
            self._add_failed(task or none, error)
        else:
            self._submit(task)

    def _submit(self, task: Task) -> None:
        task.limit, end, left = self._limit, None, self._left()
        if left is not None and left <= 0:  # this result is not written to the folder
            self._ready.append(BatchResult(task.index, task.name, None, None, LimitReached(_NOT_BEGUN), 0.0))
            return
        if left is not None:
            task.limit = left if self._limit is None else min(left, self._limit)
            end = time.time() + left if self._workers.have_our_clock else None
        try:
            packed = task.packed(self._options, end)
        except SolverError as error:
            self._add_failed(task, error)
            return
        self._running[self._workers.submit(run_task, task.index, task.name, task.lost, packed)] = task

    # -- receive results from the workers ------------------------------------------------------------

    def _wait(self) -> None:
        """Wait until a game ends. Replace broken processes, and kill all workers at the end of the batch's time."""
        left = self._left(_ENDED)
        wait(self._running, None if left is None else max(left, 0.0), FIRST_COMPLETED)
        if self._collect():
            wait(self._running, _PATIENCE_SECONDS)  # the other games have lost their workers or are about to end
            self._collect()
            for task in self._running.values():
                self._lose(task, BrokenExecutor())
            self._running.clear()
            self._workers.renew()
        elif self._is_over(_ENDED):
            for future, task in self._running.items():
                future.cancel()
                self._add_failed(task, LimitReached(_NOT_STOPPED))
            self._running.clear()
            self._workers.end()

    def _collect(self) -> bool:
        """Add the results of the games that have ended. Return True if the executor is broken."""
        broken = False
        with interrupts_held_back():  # Ctrl-C must not lose a result or write it twice
            for future in [future for future in self._running if future.done()]:
                task = self._running.pop(future)
                try:
                    result, texts = pickle.loads(future.result())
                except (Exception, CancelledError) as error:
                    broken = broken or isinstance(error, BrokenExecutor)
                    self._lose(task, error)
                else:
                    for text in texts:
                        warnings.warn(f"{task.name:.80}: {text}", TrembleWarning, stacklevel=2)
                    self._add(task, result)
        return broken

    def _lose(self, task: Task, error: BaseException) -> None:
        """Schedule a game again if its worker ended without a result. After too many lost workers, add an error."""
        task.lost += 1
        if task.lost >= _LOST:
            last = str(error) or type(error).__name__
            lost = f"its worker ended without a result, {task.lost} times; the last error: {last:.200}"
            self._add_failed(task, SolverError(lost))
        elif task.lost >= _IN_COMPANY:
            self._lost.append(task)  # solve this game alone, after all games that can be solved in parallel
        else:
            self._lost.appendleft(task)

    def _add_failed(self, task: Task, error: TrembleError) -> None:
        self._add(task, BatchResult(task.index, task.name, None, None, error, 0.0))

    def _add(self, task: Task, result: BatchResult) -> None:
        """Write a result to the folder, if the batch has a folder, and append it to the results to yield."""
        result = with_game(result, task.game)
        with interrupts_held_back():
            self._ready.append(result if self._folder is None else self._folder.keep(result, task))


class _Workers:
    """The workers of a batch: the caller's executor, or processes of this computer. Broken workers are replaced.

    Attributes
    ----------
    stack : ExitStack
        A context manager for the worker processes that this object starts on this computer. If an exception ends the
        ``with`` block of the stack, the stack kills the processes.
    """

    def __init__(self, executor: Executor | None, processes: int) -> None:
        self.stack = ExitStack()
        self._given, self._processes = executor, processes
        self._executor: Executor | None = executor
        self._first: Future[int] | None = None  # a first trivial task, whose result shows that the processes start
        self._failed = 0  # number of successive pools whose processes did not start

    @property
    def count(self) -> int:
        """Return the number of workers."""
        return self._processes if self._executor is None else workers_of(self._executor)

    @property
    def have_our_clock(self) -> bool:
        """Return True if the workers run on this computer, so that their clock equals the clock of this process."""
        return self._given is None or isinstance(self._given, InTurn)

    def submit(self, function: Any, *arguments: object) -> Future[bytes]:
        """Submit a function call to the workers. If no process exists or the processes are broken, start new ones."""
        while True:
            if self._executor is None:
                self._executor = self.stack.enter_context(local_processes(self._processes))
                self._first = self._executor.submit(os.getpid)
            try:
                return self._executor.submit(function, *arguments)
            except BrokenExecutor:
                self.renew()
            except RuntimeError as error:
                raise SpecError(f"the executor does not accept tasks: {error!s:.200}") from error

    def end(self) -> None:
        """Kill the processes that this object started. The next :meth:`submit` starts new ones."""
        with suppress(LimitReached):
            self.stack.__exit__(LimitReached, LimitReached(TIME_IS_UP), None)
        self._executor, self._first = self._given, None

    def renew(self) -> None:
        """Close broken processes, or stop using a broken executor. The next :meth:`submit` starts new processes."""
        if self._given is not None:
            self._processes, self._given = workers_of(self._given), None
            warnings.warn(
                f"the executor is broken; the batch continues with {self._processes} new processes on this computer",
                TrembleWarning,
                stacklevel=2,
            )
        elif self._first is not None:
            self._failed = self._failed + 1 if self._first.exception() is not None else 0
            if self._failed >= _STARTS:
                raise SolverError(f"the processes end as soon as they start: {_NO_GUARD}")
        self.stack.close()
        self._executor, self._first = None, None

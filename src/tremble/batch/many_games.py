"""Solve many games at a time, on processes of this machine or on any executor.

**Failures.** A worker catches every exception of a game, so only the machinery itself can fail: a process is killed, a
machine goes away. The games of a lost worker are solved again, beside others. A game that loses a second worker is
solved alone from then on, so the batch learns which game ends its workers. After four lost workers the game has failed.
A broken pool of processes is replaced.

**Memory.** Two games for each worker are under way. The batch takes the next game from the iterable after it has
yielded a result.
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
from tremble.run.clock import grace, required_time_limit
from tremble.run.executors import InTurn, local_processes, processors, require_executor, required_processes, workers_of
from tremble.solvers.method import Method, recorded
from tremble.solvers.runner import checked_gap, checked_seed, payoff_gap
from tremble.solvers.table import concept_named, method_named, method_of, require_method

__all__ = ["solve_many"]

_AHEAD = 2  # games under way for each worker
_IN_COMPANY, _LOST = 2, 4  # lost workers after which a game is solved alone, and after which it has failed
_ENDED = 0.7  # share of the grace period after the limit for all games, when workers must have ended
_NO_TIME = 1e-9
_STARTS = 3  # pools in succession whose processes may fail to begin
_PATIENCE_SECONDS = 10.0  # for the other games of a broken pool
_NOT_BEGUN = f"{TIME_IS_UP} before it was begun"
_NOT_STOPPED = f"{TIME_IS_UP}, in a step that cannot be stopped"
_NO_GUARD = (
    "the processes of a batch begin with the script that starts them: put what it does under "
    'if __name__ == "__main__": or give an executor'
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
    """Solve many games on several processors or machines; yield each result when it is there.

    A game that fails or is stopped stops no other game. The games of a killed worker are solved again.

    Parameters
    ----------
    games : iterable, or mapping of names to games
        Games as for :func:`tremble.solve`, and texts and paths as for :func:`tremble.load` (a large built-in game is
        then played from its rules). Rules are not built here: where a tree is needed, give
        ``tremble.build(rules)``. A generator is asked for the next game when there is room.
    concept, method, time_limit, gap, seed, player, epsilon, epsilon_abs, **options
        As for :func:`tremble.solve`, for each game. A time limit includes the loading of a game.
    total_limit : float, optional
        Seconds for all games together. The games that are being solved then are stopped. Each game that was not begun
        has a result with ``LimitReached`` and no solution, unless ``games`` is an iterable without a length.
    executor : concurrent.futures.Executor, optional
        The workers: by default processes of this machine; for a Dask client ``client.get_executor()``; for MPI
        ``mpi4py.futures.MPIPoolExecutor()``. It stays open.
    processes : int, optional
        Number of processes of this machine if there is no executor; by default the number of processors.
    on_limit : str
        ``"return"``: a game that a limit has stopped is a result like any other. ``"raise"``: it ends the batch.
    out : str or path, optional
        A folder for a solution file of each game, and for ``results.jsonl``, which has a line for each result. A game
        is not solved again if the game, the options and the solution file are the same as before. A stopped game is
        solved again if it has more time now, a failed game in any case.
    repair, repair_tolerance, max_nodes
        As for :func:`tremble.load`, for texts and paths.

    Yields
    ------
    BatchResult
        In the order in which the games end.

    Raises
    ------
    SpecError
        Unknown concept, method or option.
    FormatError
        The folder cannot be written to, or another batch is writing there.
    LimitReached
        With ``on_limit="raise"``; its ``best`` is the best solution so far.
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
    # solve() checks the same options for each game; a wrong option is refused here, before any work.
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
    """Iterate over the games, each with its name or None; raise ``SpecError`` if these are not several games."""
    with suppress(TypeError):
        if isinstance(games, Mapping):
            return iter([(str(name), game) for name, game in games.items()])
        if not isinstance(games, str | os.PathLike | GameTree | UnbuiltGame):
            each = iter(games)
            return ((None, game) for game in each)
    raise SpecError(f"games are several: a list, a generator, a mapping of names to games, not {games!r:.80}")


def _options_text(options: BatchOptions) -> str:
    """Write the options, except the time limit, as a text that is equal in every run."""
    solving = {name: value for name, value in options.solving.items() if value is not None}
    method = solving["method"]
    if not isinstance(method, str):
        solving["method"] = [method.name, recorded(method)]
    return json.dumps({**solving, **options.loading}, sort_keys=True, default=str)


class _Batch:
    """The games that are being solved, those that have lost a worker, and the results that are ready."""

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
        """Yield the results.

        ``counted`` says that the games have an end: then each game after the limit for all games has a result.
        ``raising`` says that a stopped game ends the batch.
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
                if self._is_over():  # a worker that frees the memory of a large game takes seconds to end by itself
                    self._workers.end()
            finally:
                with interrupts_held_back():  # the finished games are kept, whatever ends the batch
                    self._collect()
                    for future in self._running:
                        future.cancel()

    def _left(self, share: float = 0.0) -> float | None:
        """Return the seconds until the limit for all games, plus a share of its grace period."""
        if self._total_limit is None:
            return None
        return self._total_limit + share * grace(self._total_limit) - (time.monotonic() - self._began)

    def _is_over(self, share: float = 0.0) -> bool:
        left = self._left(share)
        return left is not None and left <= 0

    # -- to the workers ------------------------------------------------------------------------------

    def _fill(self, source: Iterator[tuple[int, str | None, object]], counted: bool) -> None:
        """Submit games while there is room; stop as soon as a result is ready."""
        # Under a limit for all games no game waits at a worker, because its seconds count from its submission.
        room = self._workers.count * (_AHEAD if self._total_limit is None else 1)
        while len(self._running) < room and not self._ready:
            if any(task.lost >= _IN_COMPANY for task in self._running.values()):
                return  # this game is solved alone
            if self._lost:
                if self._lost[0].lost >= _IN_COMPANY and self._running:
                    return  # the next game has to be alone
                self._submit(self._lost.popleft())
                continue
            if self._is_over() and not counted:
                return
            given = next(source, None)
            if given is None:
                return
            self._begin(*given)

    def _begin(self, index: int, name: str | None, game: object) -> None:
        """Submit a game, or add its result if it is done already or fails at once."""
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
        if left is not None and left <= 0:  # without a line in the folder
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

    # -- back from the workers -----------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait until a game ends; replace broken processes, and end workers that exceed the limit for all games."""
        left = self._left(_ENDED)
        wait(self._running, None if left is None else max(left, 0.0), FIRST_COMPLETED)
        if self._collect():
            wait(self._running, _PATIENCE_SECONDS)  # the other games have lost their workers, or have just ended
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
        """Add the results of the games that have ended; return True if the executor is broken."""
        broken = False
        with interrupts_held_back():  # Ctrl-C must not lose a result, nor write it twice
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
        """Solve a game again after the loss of its worker, unless it has lost too many."""
        task.lost += 1
        if task.lost >= _LOST:
            last = str(error) or type(error).__name__
            lost = f"its worker ended without a result, {task.lost} times; the last time: {last:.200}"
            self._add_failed(task, SolverError(lost))
        elif task.lost >= _IN_COMPANY:
            self._lost.append(task)  # after the games that need not be alone
        else:
            self._lost.appendleft(task)

    def _add_failed(self, task: Task, error: TrembleError) -> None:
        self._add(task, BatchResult(task.index, task.name, None, None, error, 0.0))

    def _add(self, task: Task, result: BatchResult) -> None:
        """Write a result to the folder, and have it yielded."""
        result = with_game(result, task.game)
        with interrupts_held_back():
            self._ready.append(result if self._folder is None else self._folder.keep(result, task))


class _Workers:
    """An executor of the caller, or processes of this machine, which are replaced if they break.

    Attributes
    ----------
    stack : ExitStack
        Holds the processes of this machine. They are killed if it is left by an exception.
    """

    def __init__(self, executor: Executor | None, processes: int) -> None:
        self.stack = ExitStack()
        self._given, self._processes = executor, processes
        self._executor: Executor | None = executor
        self._first: Future[int] | None = None  # the first task of our processes, which shows that they begin
        self._failed = 0  # pools in succession whose processes did not begin

    @property
    def count(self) -> int:
        """Return the number of workers."""
        return self._processes if self._executor is None else workers_of(self._executor)

    @property
    def have_our_clock(self) -> bool:
        """Return True if the workers are on this machine."""
        return self._given is None or isinstance(self._given, InTurn)

    def submit(self, function: Any, *arguments: object) -> Future[bytes]:
        """Submit a task, if necessary to new processes."""
        while True:
            if self._executor is None:
                self._executor = self.stack.enter_context(local_processes(self._processes))
                self._first = self._executor.submit(os.getpid)
            try:
                return self._executor.submit(function, *arguments)
            except BrokenExecutor:
                self.renew()
            except RuntimeError as error:
                raise SpecError(f"the executor accepts no games: {error!s:.200}") from error

    def end(self) -> None:
        """Kill our processes; the next task starts new ones."""
        with suppress(LimitReached):
            self.stack.__exit__(LimitReached, LimitReached(TIME_IS_UP), None)
        self._executor, self._first = self._given, None

    def renew(self) -> None:
        """Close broken processes, or leave a broken executor; the next task starts new processes."""
        if self._given is not None:
            self._processes, self._given = workers_of(self._given), None
            warnings.warn(
                f"the executor is broken; the batch continues with {self._processes} new processes on this machine",
                TrembleWarning,
                stacklevel=2,
            )
        elif self._first is not None:
            self._failed = self._failed + 1 if self._first.exception() is not None else 0
            if self._failed >= _STARTS:
                raise SolverError(f"the processes end as soon as they begin: {_NO_GUARD}")
        self.stack.close()
        self._executor, self._first = None, None

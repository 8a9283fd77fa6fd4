"""Workers that examine cells before the search needs them. Workers are threads, processes or workers of a cluster.

The *finding* of a cell is the result of its examination. It depends only on the cell and on two bounds of the search
(:class:`~.examination.Known`). As long as these bounds stay the same, the search will reach every cell whose bound
exceeds the *goal*, which is the best guarantee plus the target gap. So workers can examine cells in advance. A task
contains a few cells and a time limit. Until this limit, the worker repeatedly divides the cell with the largest bound.

The search uses the available findings, and processes cells in the same order as without workers. So the result is the
same to the last bit for any number, kind and speed of workers. The cells that the search needs next are sent first. A
lost task is sent again. If the search finds a better guarantee, the bounds change. Each finding contains the largest
guarantee for which the finding is valid. So the search knows which old findings are still valid.

Tasks and results are plain arrays. Cells can share replies, which are pure strategies of the opponent. A task contains
each reply only once. Workers compute the payoffs against the replies. The game is sent once to each worker.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TrembleWarning
from tremble.recall.branching.cells import Answers, Cell, Piece
from tremble.recall.maxmin.examination import Finding, Known, absorb, divide, examined, opened
from tremble.run.executors import Parcel, workers_of

__all__ = ["Ahead", "Entry", "grow"]

_SECONDS, _SHORT_SECONDS = 0.1, 0.02  # time of a task, and time of a task if few cells wait
_THREAD_FACTOR = 0.1  # factor for the time of tasks for threads, because sending tasks to threads takes no time
_QUEUED = 2  # number of tasks for each worker, so that no worker has to wait
_MAX_CELLS = 256  # largest number of cells in a task
_POLL_SECONDS = 0.1  # seconds between two checks of the clock
_SILENCE = 20.0  # seconds without an answer after which the search examines cells itself until the next answer
_LONG_SILENCE = 120.0  # seconds of silence after which the search also warns; on a busy machine, workers start slowly
_COUNT_SECONDS = 10.0  # seconds between two counts of the workers
_MAX_FAILURES = 3  # number of consecutive failures after which the workers are no longer used

Entry = tuple[float, int, Cell]
"""A cell that waits to be divided: (negative bound, order of arrival, cell). The smallest entry is divided first."""


# -- tasks -----------------------------------------------------------------------------------------


class _Seed(NamedTuple):
    """A cell that a task divides. ``replies`` contains row indices of the task's ``answers``."""

    path: tuple[Piece, ...]
    bound: float
    replies: NDArray[np.int64]
    mixture: NDArray[np.float64]
    choices: NDArray[np.int16] | None
    split: Piece | None
    whole: bool


class _Task(NamedTuple):
    """The task of a worker: the cells to search, the known bounds, and the time limit in seconds."""

    answers: NDArray[np.int16]  # [n, R']: the replies of the seeds
    seeds: list[_Seed]
    known: Known
    seconds: float


class _TaskResult(NamedTuple):
    """The result of a task: the cells that the task divided, and the new replies that it found."""

    answers: NDArray[np.int16]  # the new replies; their numbers follow the numbers of the task's replies
    # The divided cells, as entries (parent, part, findings of the two parts). Let n be the number of seeds. If parent
    # is less than n, the divided cell is the seed with number parent. Otherwise it is the given part of the cell that
    # was divided in entry parent - n.
    divided: list[tuple[int, int, tuple[Finding, ...]]]
    seconds: float
    left: bool  # True if cells were left to divide when the time was used up


def grow(game: tuple[Any, ...], task: _Task) -> _TaskResult:
    """Divide the cells of a task, largest bounds first, until the task's time is used. Divide at least one cell."""
    began = time.thread_time()  # processor time, so that a busy machine does not make tasks smaller
    answers = Answers(game)
    for answer in task.answers:
        answers.number(answer)
    waiting: list[tuple[float, int, Cell, int, int]] = []
    for number, seed in enumerate(task.seeds):
        waiting.append((-seed.bound, number, _cell_of(seed), number, 0))
    heapify(waiting)
    count, goal = len(waiting), task.known.goal
    divided: list[tuple[int, int, tuple[Finding, ...]]] = []
    while waiting and (not divided or time.thread_time() - began < task.seconds):
        _, _, cell, where, which = heappop(waiting)
        place, found = len(task.seeds) + len(divided), []
        for number, part in enumerate(divide(cell)):
            finding = examined(answers, part, task.known)
            absorb(part, finding, goal)
            if opened(part, finding, goal):
                count += 1
                heappush(waiting, (-part.bound, count, part, place, number))
            found.append(_reduced(finding, part))
        divided.append((where, which, tuple(found)))
    new = answers.answers[len(task.answers) :]
    table = np.array(new, dtype=np.int16).reshape(len(new), task.answers.shape[1])
    return _TaskResult(table, divided, time.thread_time() - began, bool(waiting))


def _cell_of(seed: _Seed) -> Cell:
    cell = Cell(None, None, np.inf, seed.replies, seed.mixture)
    for piece in seed.path:
        cell = Cell(cell, piece, np.inf, seed.replies, seed.mixture)
    cell.bound, cell.choices, cell.split, cell.whole = seed.bound, seed.choices, seed.split, seed.whole
    return cell


def _reduced(found: Finding, cell: Cell) -> Finding:
    """Return a copy of ``found`` that has only the data which the search uses for ``cell``."""
    if cell.choices is None:
        return found._replace(choices=None, share=np.zeros(0))
    return found if cell.whole else found._replace(choices=cell.choices, share=found.share[found.share > 1e-9])


# -- the search's side -----------------------------------------------------------------------------


@dataclass(eq=False)
class _Table:
    """The opponent's replies that a task uses, and each reply's index in the search that started the task."""

    answers: NDArray[np.int16]
    numbers: list[int]  # number of each reply in the search, or -1 if the search has not needed the reply yet

    def number(self, local: int, answers: Answers) -> int:
        if self.numbers[local] < 0:
            self.numbers[local] = answers.number(self.answers[local])
        return self.numbers[local]


@dataclass(eq=False)
class _Result:
    """The findings for the parts of a cell, and a nested ``_Result`` for each part that the task divided further."""

    findings: tuple[Finding, ...]
    table: _Table
    parts: dict[int, _Result] = field(default_factory=dict)


@dataclass(eq=False)
class _Sent:
    """A task that has been sent to a worker."""

    task: _Task
    entries: list[Entry]
    numbers: list[int]  # number of each reply of the task in the search


class Ahead:
    """A distributor of cells to workers. It stores the findings until the search needs them.

    Parameters
    ----------
    executor : Executor
    renew : callable or None
        A function that returns a new executor. The search calls it if the workers of the old executor have died.
    answers : Answers
        The replies of the search.
    waiting : list of Entry
        The search's heap of waiting cells.
    """

    def __init__(
        self, executor: Executor, renew: Callable[[], Executor] | None, answers: Answers, waiting: list[Entry]
    ) -> None:
        self._executor: Executor | None = executor
        self._renew, self._answers, self._waiting = renew, answers, waiting
        self._parcel = Parcel(answers.game)
        self._workers, self._counted = workers_of(executor), time.monotonic()
        self._factor = _THREAD_FACTOR if isinstance(executor, ThreadPoolExecutor) else 1.0
        self._known: Known | None = None
        self._todo: list[Entry] = []
        self._sent: dict[Future[Any], _Sent] = {}
        self._flying: dict[Cell, _Sent] = {}
        self._results: dict[Cell, _Result] = {}
        self._batch, self._failures, self._last_answer = 1, 0, time.monotonic()
        self._warned = False

    def close(self) -> None:
        """Cancel all tasks."""
        for future in self._sent:
            future.cancel()
        self._sent.clear()

    # -- called by the search ----------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """Queue a cell, so that workers can examine its parts before the search divides it."""
        if entry[2] not in self._results:
            heappush(self._todo, entry)

    def prepare(self, group: Sequence[Entry], known: Known, check: Callable[[], None]) -> None:
        """Wait until workers have examined the parts of the cells in ``group``. Return earlier if no worker answers."""
        if known != self._known:
            self._known = known
            for entry in chain(group, self._waiting):
                if entry[2] in self._results and not self._hold(self._results[entry[2]]):
                    del self._results[entry[2]]
                    heappush(self._todo, entry)
        while True:
            self._collect()
            self._feed()
            if not self._sent or all(cell in self._results for _, _, cell in group):
                return
            silence = time.monotonic() - self._last_answer
            if silence > _LONG_SILENCE:
                self._warn(f"no worker has answered for {silence:.0f} seconds: the search continues without workers")
            if silence > _SILENCE:
                return
            check()
            wait(self._sent, _POLL_SECONDS, FIRST_COMPLETED)

    def take(self, cell: Cell) -> Iterator[Finding] | None:
        """Return the findings for the parts of a cell, or None if no worker has finished examining these parts."""
        found = self._results.pop(cell, None)
        if found is None:
            self._flying.pop(cell, None)  # the result of a running task will be too late, so ignore it
            return None
        return self._numbered(cell.parts or (cell,), found)

    def _numbered(self, parts: Sequence[Cell], found: _Result) -> Iterator[Finding]:
        """Yield a worker's findings, and replace the worker's numbers of new replies by the main search's numbers."""
        for number, (part, finding) in enumerate(zip(parts, found.findings, strict=True)):
            if number in found.parts and self._hold(found.parts[number]):
                self._results[part] = found.parts[number]
            new = [found.table.number(local, self._answers) for local in finding.new.tolist()]
            yield finding._replace(new=np.array(new, dtype=np.int64))

    # -- tasks of the workers ----------------------------------------------------------------------

    def _hold(self, found: _Result) -> bool:
        """Return True if a worker's findings are correct for the current lower bound of the search."""
        assert self._known is not None
        return all(self._known.lower < finding.holds for finding in found.findings)

    def _feed(self) -> None:
        """Send tasks to free workers."""
        if self._executor is not None and time.monotonic() - self._counted > _COUNT_SECONDS:  # clusters change
            with suppress(Exception):
                self._workers = workers_of(self._executor)
            self._counted = time.monotonic()
        free = _QUEUED * self._workers - len(self._sent)
        while free > 0 and self._executor is not None:
            entries = self._next(min(self._batch, max(1, len(self._todo) // free)))
            if not entries:
                return
            seconds = _SECONDS if len(self._todo) >= free * self._batch else _SHORT_SECONDS
            sent = self._pack(entries, self._factor * seconds)
            for _, _, cell in entries:
                self._flying[cell] = sent
            self._submit(sent)
            free -= 1

    def _next(self, count: int) -> list[Entry]:
        """Return up to ``count`` cells that are not in a task, in the order in which the search needs them."""
        assert self._known is not None
        entries: list[Entry] = []
        while self._todo and len(entries) < count and -self._todo[0][0] > self._known.goal:
            entry = heappop(self._todo)
            cell = entry[2]
            if cell.parts is None and cell not in self._flying and cell not in self._results:
                entries.append(entry)
        return entries

    def _pack(self, entries: list[Entry], seconds: float) -> _Sent:
        assert self._known is not None
        cells = [cell for _, _, cell in entries]
        numbers, places = np.unique(np.concatenate([cell.replies for cell in cells]), return_inverse=True)
        local = np.split(places, np.cumsum([len(cell.replies) for cell in cells])[:-1])
        seeds = [
            _Seed(tuple(cell.path()), cell.bound, place, cell.mixture, cell.choices, cell.split, cell.whole)
            for cell, place in zip(cells, local, strict=True)
        ]
        table = np.array([self._answers.answers[number] for number in numbers.tolist()])
        return _Sent(_Task(table, seeds, self._known, seconds), entries, numbers.tolist())

    def _submit(self, sent: _Sent, *, with_contents: bool = False) -> None:
        assert self._executor is not None
        if not self._sent:
            self._last_answer = time.monotonic()
        try:
            future = self._parcel.submit(self._executor, grow, sent.task, with_contents=with_contents)
        except Exception as error:
            self._failed([sent], error)
        else:
            self._sent[future] = sent

    def _collect(self) -> None:
        """Store the results of finished tasks."""
        for future in [future for future in self._sent if future.done()]:
            sent = self._sent.pop(future, None)
            if sent is None:  # a broken executor has lost all tasks
                return
            error = CancelledError("a task was cancelled") if future.cancelled() else future.exception()
            if error is not None:
                self._failed([sent], error)
                continue
            result = future.result()
            self._last_answer = time.monotonic()
            if Parcel.is_lacking(result):  # the worker has not received the game yet
                self._submit(sent, with_contents=True)
            else:
                self._failures = 0
                self._store(sent, result)

    def _store(self, sent: _Sent, found: _TaskResult) -> None:
        seeds, made = len(sent.entries), []
        answers = np.concatenate((sent.task.answers, found.answers))
        table = _Table(answers, sent.numbers + [-1] * len(found.answers))
        for where, which, findings in found.divided:
            result = _Result(findings, table)
            made.append(result)
            if where >= seeds:
                made[where - seeds].parts[which] = result
            elif self._flying.get(sent.entries[where][2]) is sent and self._hold(result):
                self._results[sent.entries[where][2]] = result
        self._requeue(sent)
        # Send larger tasks if the time was enough for the whole task. Send smaller tasks if the time was not enough to
        # divide all cells that were sent.
        if not found.left:
            self._batch = min(2 * self._batch, _MAX_CELLS)
        elif sum(where < seeds for where, _, _ in found.divided) < seeds:
            self._batch = (self._batch + 1) // 2

    def _requeue(self, sent: _Sent) -> None:
        """Put the cells of a task back into the queue, except the cells that have been divided."""
        for entry in sent.entries:
            cell = entry[2]
            if self._flying.get(cell) is sent:
                del self._flying[cell]
                if cell not in self._results:
                    heappush(self._todo, entry)

    # -- lost workers ------------------------------------------------------------------------------

    def _failed(self, lost: list[_Sent], error: BaseException) -> None:
        """Put the cells of lost tasks back into the queue, and replace a broken executor.

        After repeated failures, the search continues without workers.
        """
        self._failures += 1
        broken = isinstance(error, BrokenExecutor)
        if broken:
            lost = lost + list(self._sent.values())
            self._sent.clear()
        for sent in lost:
            self._requeue(sent)
        if self._failures < _MAX_FAILURES and broken and self._renew is not None:
            self._executor = self._renew()
        elif self._failures >= _MAX_FAILURES or broken:
            self.close()
            self._executor = None
            self._warn(f"the workers are lost, and the search continues without them ({type(error).__name__}: {error})")

    def _warn(self, message: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(message, TrembleWarning, stacklevel=2)

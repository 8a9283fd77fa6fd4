"""Cells that others examine ahead of the search: threads, processes, or workers of a cluster.

What is found of a cell depends on the cell and on :class:`~.examination.Known` alone, and as long as these bounds stay,
the search comes to every cell whose bound is above the goal. So others can do its work before it gets there: a task is
a few cells, of which a worker divides what has the greatest bound, again and again, for a while. The search makes its
decisions in the order in which it would make them alone, and takes from what has been found already; what it needs
next is at the head of the queue. So the result is the same, to the last bit, for any number of workers of any kind, be
they quick or slow; and a task that is lost is only done anew. When the player is found to guarantee more, which comes
seldom, what was found before counts only if it would be found again: a finding says up to where it holds.

Tasks and what comes back are plain arrays. Replies travel as what the opponent chooses, each once in a task; what they
leave each own sequence is computed anew where it is needed. The game reaches each worker once.
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

_SECONDS, _FIRST_SECONDS = 0.1, 0.02  # a task takes, and while there are few
_OF_THREADS = 0.1  # times as long are tasks of threads, to which they come at once
_QUEUED = 2  # tasks for each worker, so that none waits for the next
_MOST_CELLS = 256  # of a task
_WAITED = 0.1  # seconds between two looks at the clock
_SILENCE = 20.0  # seconds without an answer after which the search does the work itself, until there is one
_LONG_SILENCE = 120.0  # after which it says so: workers of a busy machine take their time to begin
_COUNTED = 10.0  # seconds between two looks at how many workers there are
_FAILURES = 3  # in a row after which nothing more is asked of the workers

Entry = tuple[float, int, Cell]
"""What waits to be divided, in the order in which it is: minus its bound, a number, the cell."""


# -- tasks -----------------------------------------------------------------------------------------


class _Seed(NamedTuple):
    """A cell, with replies by their number within its task."""

    path: tuple[Piece, ...]
    bound: float
    replies: NDArray[np.int64]
    mixture: NDArray[np.float64]
    choices: NDArray[np.int16] | None
    split: Piece | None
    whole: bool


class _Task(NamedTuple):
    answers: NDArray[np.int16]  # of the seeds, [n, R']
    seeds: list[_Seed]
    known: Known
    seconds: float


class _Grown(NamedTuple):
    """What was found of a task."""

    answers: NDArray[np.int16]  # new ones, numbered from those of the task on
    divided: list[tuple[int, int, tuple[Finding, ...]]]  # seed, or n seeds + an earlier entry; which part of that
    seconds: float
    left: bool  # whether time ended before the work


def grow(game: tuple[Any, ...], task: _Task) -> _Grown:
    """Divide cells, those with the greatest bound first, until the time is over: at least the first."""
    began = time.thread_time()  # so that a task is as large where the machine is busy
    answers = Answers(game)
    for answer in task.answers:
        answers.number(answer)
    waiting: list[tuple[float, int, Cell, int, int]] = []
    for number, seed in enumerate(task.seeds):
        waiting.append((-seed.bound, number, _planted(seed), number, 0))
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
            found.append(_small(finding, part))
        divided.append((where, which, tuple(found)))
    new = answers.answers[len(task.answers) :]
    table = np.array(new, dtype=np.int16).reshape(len(new), task.answers.shape[1])
    return _Grown(table, divided, time.thread_time() - began, bool(waiting))


def _planted(seed: _Seed) -> Cell:
    cell = Cell(None, None, np.inf, seed.replies, seed.mixture)
    for piece in seed.path:
        cell = Cell(cell, piece, np.inf, seed.replies, seed.mixture)
    cell.bound, cell.choices, cell.split, cell.whole = seed.bound, seed.choices, seed.split, seed.whole
    return cell


def _small(found: Finding, cell: Cell) -> Finding:
    """Without what the search does not look at."""
    if cell.choices is None:
        return found._replace(choices=None, share=np.zeros(0))
    return found if cell.whole else found._replace(choices=cell.choices, share=found.share[found.share > 1e-9])


# -- the search's side -----------------------------------------------------------------------------


@dataclass(eq=False)
class _Table:
    """Replies of a task: by its numbers, and by those of the search."""

    answers: NDArray[np.int16]
    numbers: list[int]  # -1: the search has not come to it

    def number(self, local: int, answers: Answers) -> int:
        if self.numbers[local] < 0:
            self.numbers[local] = answers.number(self.answers[local])
        return self.numbers[local]


@dataclass(eq=False)
class _Result:
    """What was found of the parts of a cell, and of theirs."""

    findings: tuple[Finding, ...]
    table: _Table
    parts: dict[int, _Result] = field(default_factory=dict)


@dataclass(eq=False)
class _Sent:
    """A task that is being worked on."""

    task: _Task
    entries: list[Entry]
    numbers: list[int]  # of the search, of its answers


class Ahead:
    """Workers who are kept busy with what the search will need.

    Parameters
    ----------
    executor : Executor
    renew : callable or None
        Gives another executor when the workers of this one have died.
    answers : Answers
        The search's.
    waiting : list of Entry
        The search's, a heap.
    """

    def __init__(
        self, executor: Executor, renew: Callable[[], Executor] | None, answers: Answers, waiting: list[Entry]
    ) -> None:
        self._executor: Executor | None = executor
        self._renew, self._answers, self._waiting = renew, answers, waiting
        self._parcel = Parcel(answers.game)
        self._workers, self._counted = workers_of(executor), time.monotonic()
        self._share = _OF_THREADS if isinstance(executor, ThreadPoolExecutor) else 1.0
        self._known: Known | None = None
        self._todo: list[Entry] = []
        self._sent: dict[Future[Any], _Sent] = {}
        self._flying: dict[Cell, _Sent] = {}
        self._results: dict[Cell, _Result] = {}
        self._batch, self._failures, self._heard = 1, 0, time.monotonic()
        self._told = False

    def close(self) -> None:
        """Drop what is being worked on."""
        for future in self._sent:
            future.cancel()
        self._sent.clear()

    # -- what the search asks for ------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """A cell waits to be divided."""
        if entry[2] not in self._results:
            heappush(self._todo, entry)

    def prepare(self, group: Sequence[Entry], known: Known, check: Callable[[], None]) -> None:
        """Wait until the parts of these cells have been examined, unless nobody is there to do it."""
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
            silence = time.monotonic() - self._heard
            if silence > _LONG_SILENCE:
                self._tell(f"no worker has answered for {silence:.0f} seconds: the search goes on alone meanwhile")
            if silence > _SILENCE:
                return
            check()
            wait(self._sent, _WAITED, FIRST_COMPLETED)

    def taken(self, cell: Cell) -> Iterator[Finding] | None:
        """What was found of the parts of a cell, each when it is asked for; None if nothing was."""
        found = self._results.pop(cell, None)
        if found is None:
            self._flying.pop(cell, None)  # what comes of it comes too late
            return None
        return self._numbered(cell.parts or (cell,), found)

    def _numbered(self, parts: Sequence[Cell], found: _Result) -> Iterator[Finding]:
        """Findings, with new replies numbered by the search as it comes to them."""
        for number, (part, finding) in enumerate(zip(parts, found.findings, strict=True)):
            if number in found.parts and self._hold(found.parts[number]):
                self._results[part] = found.parts[number]
            new = [found.table.number(local, self._answers) for local in finding.new.tolist()]
            yield finding._replace(new=np.array(new, dtype=np.int64))

    # -- what the workers do -----------------------------------------------------------------------

    def _hold(self, found: _Result) -> bool:
        """Whether the same would be found now."""
        assert self._known is not None
        return all(self._known.lower < finding.holds for finding in found.findings)

    def _feed(self) -> None:
        """Give the workers something to do."""
        if self._executor is not None and time.monotonic() - self._counted > _COUNTED:  # clusters grow and shrink
            with suppress(Exception):
                self._workers = workers_of(self._executor)
            self._counted = time.monotonic()
        free = _QUEUED * self._workers - len(self._sent)
        while free > 0 and self._executor is not None:
            entries = self._next(min(self._batch, max(1, len(self._todo) // free)))
            if not entries:
                return
            seconds = _SECONDS if len(self._todo) >= free * self._batch else _FIRST_SECONDS
            sent = self._packed(entries, self._share * seconds)
            for _, _, cell in entries:
                self._flying[cell] = sent
            self._submit(sent)
            free -= 1

    def _next(self, count: int) -> list[Entry]:
        """So many cells that nobody works on, those first that the search needs first."""
        assert self._known is not None
        entries: list[Entry] = []
        while self._todo and len(entries) < count and -self._todo[0][0] > self._known.goal:
            entry = heappop(self._todo)
            cell = entry[2]
            if cell.parts is None and cell not in self._flying and cell not in self._results:
                entries.append(entry)
        return entries

    def _packed(self, entries: list[Entry], seconds: float) -> _Sent:
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
            self._heard = time.monotonic()
        try:
            future = self._parcel.submit(self._executor, grow, sent.task, with_contents=with_contents)
        except Exception as error:
            self._failed([sent], error)
        else:
            self._sent[future] = sent

    def _collect(self) -> None:
        """Take what has come back."""
        for future in [future for future in self._sent if future.done()]:
            sent = self._sent.pop(future, None)
            if sent is None:  # all have been dropped
                return
            error = CancelledError("a task was cancelled") if future.cancelled() else future.exception()
            if error is not None:
                self._failed([sent], error)
                continue
            grown = future.result()
            self._heard = time.monotonic()
            if Parcel.is_lacking(grown):
                self._submit(sent, with_contents=True)
            else:
                self._failures = 0
                self._store(sent, grown)

    def _store(self, sent: _Sent, grown: _Grown) -> None:
        seeds, made = len(sent.entries), []
        answers = np.concatenate((sent.task.answers, grown.answers))
        table = _Table(answers, sent.numbers + [-1] * len(grown.answers))
        for where, which, findings in grown.divided:
            result = _Result(findings, table)
            made.append(result)
            if where >= seeds:
                made[where - seeds].parts[which] = result
            elif self._flying.get(sent.entries[where][2]) is sent and self._hold(result):
                self._results[sent.entries[where][2]] = result
        self._return(sent)
        if not grown.left:
            self._batch = min(2 * self._batch, _MOST_CELLS)
        elif sum(where < seeds for where, _, _ in grown.divided) < seeds:
            self._batch = (self._batch + 1) // 2

    def _return(self, sent: _Sent) -> None:
        """Have somebody do what was not done of a task."""
        for entry in sent.entries:
            cell = entry[2]
            if self._flying.get(cell) is sent:
                del self._flying[cell]
                if cell not in self._results:
                    heappush(self._todo, entry)

    # -- workers that are lost ---------------------------------------------------------------------

    def _failed(self, lost: list[_Sent], error: BaseException) -> None:
        """Have others do it; where there are none, go on alone."""
        self._failures += 1
        broken = isinstance(error, BrokenExecutor)
        if broken:
            lost = lost + list(self._sent.values())
            self._sent.clear()
        for sent in lost:
            self._return(sent)
        if self._failures < _FAILURES and broken and self._renew is not None:
            self._executor = self._renew()
        elif self._failures >= _FAILURES or broken:
            self.close()
            self._executor = None
            self._tell(f"the workers are lost, the search goes on alone ({type(error).__name__}: {error})")

    def _tell(self, message: str) -> None:
        if not self._told:
            self._told = True
            warnings.warn(message, TrembleWarning, stacklevel=2)

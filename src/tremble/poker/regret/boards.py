"""The public tree on several machines: boards live on workers, and what passes their roots travels.

The rounds before some round stay in this process. The public states of that round (in poker the boards), with all that
comes after them, are shared among workers in contiguous spans. A worker keeps their regrets and plans. It is sent how
the plans of the round before lead to it, and answers with what the empty sequences earn there: a number for each class
and line of moves at the roots. The numbers are put together in the order of the boards before anything is added up, and
a public state is worked on by the same code wherever it is. So how many workers there are changes no bit of the result.

Tables come home for checkpoints, for what is handed out, and at the end.
"""

from __future__ import annotations

import dataclasses
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError
from tremble.game.tree import FloatArray
from tremble.pairs import pair
from tremble.poker.filtered_arrays import Plan, RoundSide
from tremble.poker.regret.tables import KINDS, Sides, Spans, Tables
from tremble.run.channel import Channel, Crew, LostError
from tremble.run.clock import TIME_IS_UP, Clock, grace
from tremble.solvers.regret import Variant

__all__ = ["Boards", "LostWorkerError", "SharedBoards", "shared_boards"]

_UNEVEN = 1.25  # how much larger than equal the largest share may be, before the boards of a later round are shared
_SILENT_SECONDS, _SILENT_TIMES = 30.0, 10.0  # a worker is lost after such a silence, if no answer took nearly as long
_LATE = 0.5  # of the grace period after a time limit may pass in an iteration
_HEAD = struct.Struct("<bbbdd")  # what to do, player, kind of table, two numbers
_LEARN, _PLAY, _BEST, _GIVE, _TAKE = range(5)


class LostWorkerError(SolverError):
    """A worker is gone, with its tables."""


@dataclasses.dataclass(frozen=True)
class SharedBoards:
    """How the boards of a game are shared.

    Attributes
    ----------
    round : int
        That of the boards.
    spans : tuple
        Of each worker.
    """

    round: int
    spans: tuple[Spans, ...]


def shared_boards(sides: Sides, workers: int) -> SharedBoards | None:
    """Contiguous shares of about equal size; None where there is no second board.

    The earlier the round, the less travels. So it is the first one whose boards can be shared evenly.
    """
    best = None
    for number in range(1, len(sides[0])):
        found = _below(sides, number)
        if found is None:
            continue
        size, roots_of = found
        total = np.cumsum(size)
        goals = total[-1] * np.arange(1, workers) / workers
        cuts = np.searchsorted(total - size / 2, goals)
        cuts = np.unique([0, *cuts.tolist(), len(size)])
        if len(cuts) > 2:
            spans = tuple(
                [(0, 0)] * number + [tuple(np.searchsorted(roots, (a, b)).tolist()) for roots in roots_of]
                for a, b in pairwise(cuts.tolist())
            )
            best = SharedBoards(number, spans)
            largest = max(size[a:b].sum() for a, b in pairwise(cuts.tolist()))
            if largest <= _UNEVEN * total[-1] / workers:
                break
    return best


def _below(sides: Sides, number: int) -> tuple[FloatArray, list[NDArray[np.int64]]] | None:
    """How much there is below each public state of a round; of that round and each after it, the root of each state.

    None where what is below a public state does not stand together.
    """
    count = len(sides[0][number].state_start) - 1
    size, roots_of = np.zeros(count), []
    for player in (0, 1):
        root = np.arange(count)
        above = sides[player][number]
        for side in sides[player][number:]:
            classes = np.diff(side.state_start)
            if side is not above:
                state = np.repeat(np.arange(len(above.state_start) - 1), np.diff(above.state_start))
                root = root[state[side.earlier[side.state_start[:-1]]]]
            if not classes.all() or (np.diff(root) < 0).any() or len(root) != len(classes):
                return None
            size += np.bincount(root, classes, count) * side.shape[1] * side.shape[2]
            above = side
            if player == 0:
                roots_of.append(root)
    return size, roots_of


class _Roots:
    """What travels between the first round of a worker and the one before it."""

    def __init__(self, sides: Sides, number: int, span: tuple[int, int]) -> None:
        self.classes: list[slice] = []  # [player] positions of the worker's classes
        self.earlier: list[slice] = []  # positions in the round before, from which they come
        self.leaving: list[NDArray[np.int64]] = []  # the sequences that lead there
        for rounds in sides:
            side, before = rounds[number], rounds[number - 1]
            own = slice(int(side.state_start[span[0]]), int(side.state_start[span[1]]))
            self.classes.append(own)
            self.earlier.append(slice(int(side.earlier[own].min()), int(side.earlier[own].max()) + 1))
            self.leaving.append(np.unique(before.leaving))


def _rows(sides: Sides, spans: Spans, player: int, plan: Plan) -> Iterator[FloatArray]:
    """What a span has of some tables of a player, by round."""
    for side, array, (a, b) in zip(sides[player], plan, spans, strict=True):
        if a < b:
            yield array[int(side.state_start[a]) : int(side.state_start[b])]


class Boards:
    """The boards of a public tree on workers, until the end of its block.

    Attributes
    ----------
    round : int
        That of the boards; earlier rounds are not here.
    workers : int
    sound : bool
        Whether all workers have done all that they were told; no longer after an exchange that was cut short.

    Raises
    ------
    LostWorkerError
    SolverError
        A worker does not begin.
    """

    def __init__(self, executor: Executor, sides: Sides, variant: Variant, shared: SharedBoards, clock: Clock) -> None:
        self._sides, self._shared, self._clock = sides, shared, clock
        self.round, self.workers, self.sound = shared.round, len(shared.spans), True
        self._roots = [_Roots(sides, self.round, spans[self.round]) for spans in shared.spans]
        self._took: float | None = None  # seconds, the last answer
        tasks = [(sides, variant, self.round, spans) for spans in shared.spans]
        self._crew = Crew(executor, _work, tasks, self._heed)

    @property
    def traffic(self) -> int:
        """Bytes that have travelled."""
        return sum(channel.sent + channel.received for channel in self._crew.channels)

    def learn(self, player: int, positive: float, negative: float) -> FloatArray:
        """See :meth:`.tables.Tables.learn`."""
        return self._asked(_HEAD.pack(_LEARN, player, 0, positive, negative), player)

    def best(self, player: int) -> FloatArray:
        """See :meth:`.tables.Tables.best`."""
        return self._asked(_HEAD.pack(_BEST, player, 0, 0.0, 0.0), player)

    def play(self, player: int, weight: float, before: FloatArray) -> None:
        """See :meth:`.tables.Tables.play`; ``before`` is the plan of the round before."""
        with self._exchange():
            for channel, roots in zip(self._crew.channels, self._roots, strict=True):
                rows = before[roots.earlier[player], roots.leaving[player], :]
                channel.send(_HEAD.pack(_PLAY, player, 0, weight, 0.0), rows)

    def bring(self, kind: str, player: int, tables: Plan) -> None:
        """Bring tables home."""
        with self._exchange():
            for channel in self._crew.channels:
                channel.send(_HEAD.pack(_GIVE, player, KINDS.index(kind), 0.0, 0.0))
            for channel, spans in zip(self._crew.channels, self._shared.spans, strict=True):
                for rows in _rows(self._sides, spans, player, tables):
                    channel.receive(rows)

    def hand_out(self, kind: str, player: int, tables: Plan) -> None:
        """Send tables to where they belong."""
        with self._exchange():
            for channel, spans in zip(self._crew.channels, self._shared.spans, strict=True):
                rows = _rows(self._sides, spans, player, tables)
                channel.send(_HEAD.pack(_TAKE, player, KINDS.index(kind), 0.0, 0.0), *rows)

    def __enter__(self) -> Boards:
        return self

    def __exit__(self, *error: object) -> None:
        self._crew.__exit__(*error)

    def _asked(self, question: bytes, player: int) -> FloatArray:
        """The answer, put together: what the empty sequences earn at the boards."""
        side = self._sides[player][self.round]
        answer = np.empty((len(side.order), side.num_histories))
        with self._exchange():
            began = self._clock.elapsed
            for channel in self._crew.channels:
                channel.send(question)
            for channel, roots in zip(self._crew.channels, self._roots, strict=True):
                channel.receive(answer[roots.classes[player]])
            self._took = self._clock.elapsed - began
        return answer

    @contextmanager
    def _exchange(self) -> Iterator[None]:
        if not self.sound:
            raise SolverError("the workers have been cut short, and cannot go on")
        self.sound = False
        try:
            yield
        except LostError as lost:
            cause = self._crew.cause(lost.number, str(lost))
            raise LostWorkerError(f"worker {lost.number + 1} of {self.workers} was lost ({cause})") from None
        self.sound = True

    def _heed(self, silent: float) -> None:
        """While nothing comes: raise if it is too late, or nothing will."""
        if self._took is None:  # libraries are being loaded, kernels compiled: nothing would be lost
            self._clock.check()
        left = self._clock.left
        if left is not None and -left > _LATE * grace(left + self._clock.elapsed):
            raise LimitReached(TIME_IS_UP)
        if self._took is not None and silent > max(_SILENT_SECONDS, _SILENT_TIMES * self._took):
            raise TimeoutError(f"silent for {silent:.0f} seconds")


# -- on a worker -----------------------------------------------------------------------------------

_compiling = threading.Lock()  # Numba must not compile in several threads at once


def _work(channel: Channel, sides: Sides, variant: Variant, number: int, spans: Spans) -> None:
    """Do what a process elsewhere says, until it has gone."""
    sides = pair(tuple(_own(side) for side in rounds) for rounds in sides)
    tables, roots = Tables(sides, variant, spans), _Roots(sides, number, spans[number])
    compiled: set[int] = set()
    while True:
        what, player, kind, x, y = _HEAD.unpack(channel.head(_HEAD.size))
        plan = getattr(tables, KINDS[kind])[player]
        if what == _GIVE:
            channel.send(b"", *_rows(sides, spans, player, plan))
            continue
        if what == _TAKE:
            for rows in _rows(sides, spans, player, plan):
                channel.receive(rows)
            continue
        if what == _PLAY:
            place = roots.earlier[player], roots.leaving[player]
            come = np.empty(tables.before[player][place].shape)
            channel.receive(come)
            tables.before[player][place] = come
        with nullcontext() if what in compiled else _compiling:
            if what == _PLAY:
                tables.play(player, x)
            elif what == _LEARN:
                earned = tables.learn(player, x, y)
            else:
                earned = tables.best(player)
            compiled.add(what)
        if what != _PLAY:
            channel.send(b"", earned[roots.classes[player]])


def _own(side: RoundSide) -> RoundSide:
    """With arrays as kernels were compiled for; what has travelled may be such that nobody can write to it."""
    values: dict[str, Any] = {field.name: getattr(side, field.name) for field in dataclasses.fields(side)}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            values[name] = np.require(value, requirements=["C", "W"])
    return RoundSide(**values)

r"""Branch and bound for maxmin behavior strategies of a player that forgets.

*Cells.* A cell gives each information set with n actions a simplex spanned by n mixed actions, its vertices; at first
they are the actions, so that the first cell holds all behavior strategies. It is split at an edge of one simplex.

*Bound.* Let the player mix the vertex strategies of a cell, which play a vertex at each set. That is more than it can
do, as its payoff is affine in the behavior at each set: every strategy of the cell has the realization plan of such a
mixture. So the value of the matrix game between vertex strategies and the opponent's pure ones bounds the cell from
above, and so does, for each mixture of the opponent's, the best vertex strategy against it. The matrix game grows by
best answers on both sides (a double oracle), and is left as soon as the cell can be given up, or cannot be.
This is the least bound that one mixture of replies can prove, and the strongest relaxation that is linear in plans.

*Convergence.* The bound exceeds what the cell guarantees by no more than the correlation between the sets' choices can
bring, which vanishes with the product of the widths of two simplices: of second order if the sets upstream of a
forgetful one are split as well.

*Primal side.* The behavior strategy next to the mixture is tried, and improved in small cells around it, by the same
kernel: what is best there, next to a behavior strategy, is the next centre.

Cells are worked on in groups whose size is fixed, and what they find is taken in order: the bounds do not depend on how
many work on a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scipy.sparse import csr_array, vstack

from tremble.linear.highs_milp import ChangingProgram, FloatProgram
from tremble.model.bilinear_form import BilinearForm
from tremble.model.own_sequences import OwnSequences
from tremble.solvers.maxmin.kernels import examine, guarantee, linearise

__all__ = ["Cell", "Search", "compiled_game"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GRID_BITS = 4
"""Edges are split at multiples of 2^-GRID_BITS of their length."""

_GROUP = 4  # cells that are split at a time
_PATIENCE, _SHARP, _MOST = 15, 0.3, 60
_FIRST_RADIUS, _LAST_RADIUS, _STEPS, _MOST_REPLIES = 0.2, 1e-5, 80, 80  # of the local search
_FIRST_POLISH = 32  # cells after which the local search starts from where the search is, then half as many more


class Piece(NamedTuple):
    """How a cell came from its parent: vertex ``one`` of a set went towards vertex ``two``."""

    infoset: int
    one: int
    two: int
    kept: float  # part of the vertex that stays


@dataclass(eq=False)
class Cell:
    """A part of the behavior strategies, with what is known of it."""

    parent: Cell | None
    piece: Piece | None
    bound: float
    replies: Ints  # the opponent's, by number
    mixture: Floats  # of them, that proves the bound
    choices: NDArray[np.int16] | None = None  # of the player, to begin with in its parts
    split: tuple[int, int, int, float] | None = None  # where it is, or is to be, split
    parts: tuple[Cell, Cell] | None = None

    def path(self) -> Iterator[Piece]:
        """From the whole to this cell."""
        pieces = []
        cell: Cell | None = self
        while cell is not None and cell.piece is not None:
            pieces.append(cell.piece)
            cell = cell.parent
        return reversed(pieces)


def _side(own: OwnSequences, widths: Ints, forgetful: NDArray[np.bool_]) -> tuple[Any, ...]:
    offset = np.concatenate(([0], np.cumsum(widths**2)))
    arrays = (own.parent, own.start, own.infoset)
    return (*(np.array(values, dtype=np.int64) for values in arrays), forgetful.copy(), offset.astype(np.int64))


def _actions(widths: Ints) -> Floats:
    """The cell whose vertices are the actions."""
    return np.concatenate([np.eye(n).ravel() for n in widths.tolist()] or [np.zeros(0)])


def compiled_game(form: BilinearForm) -> tuple[Any, ...]:
    """A game as the kernels take it."""
    own, other = form.own, form.other
    widths = [np.diff(form.tree.slot_start[player]) for player in (form.player, 1 - form.player)]
    earned, lost = form.matrix, (-form.matrix).T.tocsr()
    sparse = [(m.indptr.astype(np.int64), m.indices.astype(np.int64), m.data.astype(np.float64)) for m in (earned, lost)]
    payoff = form.tree.payoff_float[:, form.player]
    return (
        _side(own, widths[0], form.forgetful),
        _side(other, widths[1], form.opponent_forgetful),
        _actions(widths[1]),
        *sparse,
        np.array([payoff.min(), payoff.max()]),
        _spans(form),
    )


def _spans(form: BilinearForm) -> Floats:
    """What the payoffs, chance included, under each refined set of the player range over."""
    own = form.own
    low, high = np.full(own.num_sequences, np.inf), np.full(own.num_sequences, -np.inf)
    values = form.matrix.tocoo()
    np.minimum.at(low, values.row, values.data)
    np.maximum.at(high, values.row, values.data)
    span = np.zeros(len(own.infoset))
    for k in range(len(span) - 1, -1, -1):
        here = slice(int(own.start[k]), int(own.start[k + 1]))
        least, most = low[here].min(), high[here].max()
        span[k] = max(most - least, 0.0)
        above = own.parent[k]
        low[above], high[above] = min(low[above], least), max(high[above], most)
    return span


@dataclass(eq=False)
class Search:
    """The state of a search."""

    form: BilinearForm
    epsilon: float  # how close the bounds are to come
    executor: Executor | None = None
    lower: float = -np.inf
    mixed: Floats = field(default_factory=lambda: np.zeros(0))  # the strategy that guarantees that, by slots
    examined: int = 0

    def __post_init__(self) -> None:
        self.game = compiled_game(self.form)
        self._widths = np.diff(self.form.tree.slot_start[self.form.player])
        self._offset: Ints = self.game[0][4]
        self._slot = self.form.tree.slot_start[self.form.player]
        self._whole = _actions(self._widths)
        self._free = ~(self.form.forgetful | self.form.upstream)
        self._numbers: dict[bytes, int] = {}
        self._answers: list[NDArray[np.int16]] = []
        self._gains = np.zeros((16, self.form.own.num_sequences))
        self._waiting: list[tuple[float, int, Cell]] = []
        self._count, self._next_polish = 0, _FIRST_POLISH
        self._settled = -np.inf  # the greatest bound of a cell that is done with
        self.root: Cell | None = None

    # -- replies ---------------------------------------------------------------------------------

    def _number(self, answer: Ints, left: Floats) -> int:
        """The number of a reply, given as a choice of the opponent, and what it leaves each own sequence."""
        key = answer.astype(np.int16).tobytes()
        if key not in self._numbers:
            number = self._numbers[key] = len(self._answers)
            self._answers.append(answer.astype(np.int16))
            if number == len(self._gains):
                self._gains = np.concatenate((self._gains, np.zeros_like(self._gains)))
            self._gains[number] = left
        return self._numbers[key]

    def answer(self, number: int) -> NDArray[np.int16]:
        """A reply: the action at each refined set of the opponent."""
        return self._answers[number]

    # -- the primal side ---------------------------------------------------------------------------

    def _try(self, mixed: Floats, value: float) -> bool:
        if value > self.lower:
            self.lower, self.mixed = value, mixed
            return True
        return False

    def value(self, mixed: Floats) -> tuple[float, int]:
        """What a strategy guarantees, and the number of the best reply to it."""
        reply, left = np.empty(len(self.form.other.infoset), dtype=np.int64), np.empty(self.form.own.num_sequences)
        earned = guarantee(self.game, mixed, reply, left)
        return float(earned), self._number(reply, left)

    def polish(self, mixed: Floats, check: Callable[[], None]) -> None:
        """Improve a strategy by linear programs: what it earns is taken as linear in all behavior, within a radius."""
        value, reply = self.value(mixed)
        replies, radius, steps = [reply], _FIRST_RADIUS, 0
        while steps < _STEPS and radius > _LAST_RADIUS:
            check()
            steps += 1
            earned, slope = linearise(self.game, mixed, self._gains[replies])
            near, promised = self._within(mixed, radius, earned, slope)
            found, number = self.value(near)
            if found > value + 1e-12:
                radius *= 2.0 if found - value > 0.5 * (promised - value) else 1.0
                mixed, value = near, found
            elif number in replies:
                radius *= 0.4
            if number not in replies:
                replies.append(number)
            if promised - value < 0.01 * self.epsilon:
                break
            if len(replies) > _MOST_REPLIES:
                replies = [replies[j] for j in np.argsort(earned)[: _MOST_REPLIES // 2]] + replies[-1:]
        self._try(mixed, value)

    def _within(self, mixed: Floats, radius: float, earned: Floats, slope: Floats) -> tuple[Floats, float]:
        """The best strategy within a radius, if what it earns were linear; and what it would earn."""
        replies, slots = slope.shape
        sums = csr_array(
            (np.ones(slots), (np.repeat(np.arange(len(self._widths)), self._widths), np.arange(slots))),
            shape=(len(self._widths), slots + 1),
        )
        cuts = csr_array(np.concatenate((slope, -np.ones((replies, 1))), axis=1))
        program = FloatProgram(
            cost=np.concatenate((np.zeros(slots), [1.0])),
            matrix=csr_array(vstack([cuts, sums], format="csr")),
            row_lower=np.concatenate((slope @ mixed - earned, np.ones(len(self._widths)))),
            row_upper=np.concatenate((np.full(replies, np.inf), np.ones(len(self._widths)))),
            lower=np.concatenate((np.maximum(mixed - radius, 0.0), [-np.inf])),
            upper=np.concatenate((np.minimum(mixed + radius, 1.0), [np.inf])),
        )
        point = ChangingProgram(program, nothing_checks).solve().point
        assert point is not None
        near = np.maximum(point[:slots], 0.0)
        return near / np.repeat(np.add.reduceat(near, self._slot[:-1]), self._widths), float(point[slots])

    # -- the dual side -------------------------------------------------------------------------------

    def _vertices(self, cell: Cell) -> Floats:
        vertices = self._whole.copy()
        for i, one, two, kept in cell.path():
            n, at = int(self._widths[i]), int(self._offset[i])
            u, v = vertices[at + one * n : at + one * n + n], vertices[at + two * n : at + two * n + n]
            u[:] = kept * u + (1.0 - kept) * v
        return vertices

    @property
    def goal(self) -> float:
        """Cells with no more than this need not be split."""
        return self.lower + 0.999 * self.epsilon

    @property
    def upper(self) -> float:
        """What no strategy can guarantee more than."""
        return max(self._settled, -self._waiting[0][0]) if self._waiting else max(self._settled, self.lower)

    @property
    def open(self) -> int:
        """How many cells wait to be split."""
        return len(self._waiting)

    def start(self, check: Callable[[], None]) -> None:
        """Look at the whole."""
        uniform = np.concatenate([np.full(n, 1.0 / n) for n in self._widths.tolist()] or [np.zeros(0)])
        self.polish(uniform, check)
        draw = np.random.default_rng(0)
        for _ in range(3):
            self.polish(np.concatenate([draw.dirichlet(np.ones(n)) for n in self._widths.tolist()]), check)
        first = np.array([self.value(self.mixed)[1]])
        self.root = Cell(None, None, np.inf, first, np.ones(1))
        self._take([(self.root, self._examined(self.root))], check)

    def step(self, check: Callable[[], None]) -> bool:
        """Split some cells; whether there is more to do."""
        group = []
        while self._waiting and len(group) < _GROUP and -self._waiting[0][0] > self.goal:
            group.append(heappop(self._waiting)[2])
        if not group:
            while self._waiting:
                self._settled = max(self._settled, -heappop(self._waiting)[0])
            return False
        for cell in group:
            assert cell.split is not None
            i, one, two, kept = cell.split
            pieces = Piece(i, one, two, kept), Piece(i, two, one, 1.0 - kept)
            one_, two_ = (
                Cell(cell, piece, cell.bound, cell.replies, cell.mixture, cell.choices) for piece in pieces
            )
            cell.parts = one_, two_
            cell.choices = None
        parts = list(chain.from_iterable(cell.parts or () for cell in group))
        self._take(zip(parts, self._results(parts), strict=True), check)
        return True

    def _results(self, parts: list[Cell]) -> Iterator[Any]:
        if self.executor is None:
            return map(self._examined, parts)
        return self.executor.map(self._examined, parts)

    def _examined(self, cell: Cell) -> Any:
        choices = cell.choices
        if choices is None:
            choices = np.zeros((0, len(self.form.own.infoset)), dtype=np.int16)
        return examine(
            self.game, self._vertices(cell), choices.astype(np.int64), self._gains[cell.replies], cell.mixture,
            self.goal, self.lower, _PATIENCE, _SHARP, _MOST,
        )  # fmt: skip

    def _take(self, results: Any, check: Callable[[], None]) -> None:
        for cell, (bound, best, mixture, answers, left, choices, share, mixed, found, split) in results:
            self.examined += 1
            numbers = np.array([*cell.replies.tolist(), *(self._number(*reply) for reply in zip(answers, left, strict=True))])
            if bound < cell.bound:
                cell.bound, weight = bound, best
            else:
                weight = np.concatenate((cell.mixture, np.zeros(len(answers))))
            kept = (weight > 0.0) | (mixture > 1e-9)
            cell.replies, cell.mixture = numbers[kept], weight[kept]
            if self._try(mixed, found) or self.examined == self._next_polish:
                self._next_polish += self._next_polish // 2
                self.polish(mixed, check)
            if cell.bound <= self.goal or split[0] < 0:
                self._settled = max(self._settled, cell.bound)
                cell.choices = None
                proves = cell.mixture > 0.0
                cell.replies, cell.mixture = cell.replies[proves], cell.mixture[proves]
                continue
            cell.choices = choices[share > 1e-9].astype(np.int16)
            kept_part = round((0.7 * split[3] + 0.15) * 2**GRID_BITS) / 2**GRID_BITS
            cell.split = int(split[0]), int(split[1]), int(split[2]), kept_part
            self._count += 1
            heappush(self._waiting, (-cell.bound, self._count, cell))


def nothing_checks() -> None:
    """Check nothing."""


partial_ = partial

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

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.base.clock import interrupts_held_back
from tremble.linear.highs import ChangingProgram, FloatProgram
from tremble.model.bilinear_form import BilinearForm
from tremble.solvers.maxmin.kernels import examine, linearise
from tremble.solvers.shared.branching.cells import (
    GRID_BITS,
    Cell,
    Floats,
    Ints,
    Piece,
    Replies,
    vertices_of,
)

__all__ = ["Search"]

_STARTS = 3  # of the local search, beside uniform play
_GROUP = 4  # cells that are split at a time
_PATIENCE, _SHARP, _MOST = 15, 0.3, 60
_FIRST_RADIUS, _LAST_RADIUS, _STEPS, _MOST_REPLIES = 0.2, 1e-5, 80, 80  # of the local search
_FIRST_POLISH = 32  # cells after which the local search starts from where the search is, then half as many more


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
        self.replies = Replies(self.form)
        self.game = self.replies.game
        self._widths = np.diff(self.form.own.slot_start)
        self._waiting: list[tuple[float, int, Cell]] = []
        self._leaves = 1
        self._count, self._next_polish = 0, _FIRST_POLISH
        self._settled = -np.inf  # the greatest bound of a cell that is done with
        self.root: Cell | None = None

    # -- the primal side ---------------------------------------------------------------------------

    def _try(self, mixed: Floats, value: float) -> bool:
        if value > self.lower:
            self.lower, self.mixed = value, mixed
            return True
        return False

    def polish(self, mixed: Floats, check: Callable[[], None]) -> None:
        """Improve a strategy by linear programs: what it earns is taken as linear in all behavior, within a radius."""
        value, reply = self.replies.guarantee(mixed)
        replies, radius, steps = [reply], _FIRST_RADIUS, 0
        while steps < _STEPS and radius > _LAST_RADIUS:
            check()
            steps += 1
            with interrupts_held_back():
                earned, slope = linearise(self.game, mixed, self.replies.gains[replies])
            near, promised = self._within(mixed, radius, earned, slope, check)
            found, number = self.replies.guarantee(near)
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

    def _within(
        self, mixed: Floats, radius: float, earned: Floats, slope: Floats, check: Callable[[], None]
    ) -> tuple[Floats, float]:
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
        point = ChangingProgram(program, check).solve().point
        assert point is not None
        near = np.maximum(point[:slots], 0.0)
        return near / np.repeat(np.add.reduceat(near, self.form.own.slot_start[:-1]), self._widths), float(point[slots])

    # -- the dual side -------------------------------------------------------------------------------

    @property
    def goal(self) -> float:
        """Cells with no more than this need not be split."""
        return self.lower + self.epsilon

    @property
    def upper(self) -> float:
        """What no strategy can guarantee more than."""
        return max(self._settled, -self._waiting[0][0]) if self._waiting else max(self._settled, self.lower)

    @property
    def num_leaves(self) -> int:
        """How many cells are not split."""
        return self._leaves

    @property
    def typical(self) -> Cell | None:
        """A cell that waits, with neither the greatest bound nor the least."""
        return self._waiting[len(self._waiting) // 2][2] if self._waiting else None

    @property
    def open(self) -> int:
        """How many cells wait to be split."""
        return len(self._waiting)

    def begin(self) -> None:
        """Look at uniform play: from here on there are bounds."""
        uniform = np.concatenate([np.full(n, 1.0 / n) for n in self._widths.tolist()] or [np.zeros(0)])
        value, reply = self.replies.guarantee(uniform)
        self._try(uniform, value)
        self.root = Cell(None, None, np.inf, np.array([reply]), np.ones(1))

    def start(self, check: Callable[[], None]) -> None:
        """Look for good strategies, and at the whole."""
        assert self.root is not None
        self.polish(self.mixed, check)
        draw = np.random.default_rng(0)
        for _ in range(_STARTS):
            drawn = [draw.dirichlet(np.ones(n)) for n in self._widths.tolist()]
            self.polish(np.concatenate(drawn or [np.zeros(0)]), check)
        self._take(zip([self.root], self._results([self.root]), strict=True), check)

    def resume(
        self, root: Cell, answers: list[NDArray[np.int16]], mixed: Floats, examined: int, check: Callable[[], None]
    ) -> None:
        """Go on from these cells."""
        for answer in answers:
            self.replies.number(answer)
        self._try(mixed, self.replies.guarantee(mixed)[0])
        self.root, self.examined, self._leaves = root, examined, sum(1 for _ in root.leaves())
        for cell in root.leaves():
            check()
            if cell.bound <= self.goal:
                self._settled = max(self._settled, cell.bound)
            elif cell.split is None:
                self._take(zip([cell], self._results([cell]), strict=True), check)
            else:
                self._count += 1
                heappush(self._waiting, (-cell.bound, self._count, cell))

    def step(self, check: Callable[[], None]) -> bool:
        """Split some cells; whether there is more to do."""
        group: list[Cell] = []
        while self._waiting and len(group) < _GROUP and -self._waiting[0][0] > self.goal:
            group.append(heappop(self._waiting)[2])
        if not group:
            while self._waiting:
                self._settled = max(self._settled, -heappop(self._waiting)[0])
            return False
        for cell in group:
            if cell.split is None:
                continue
            one, two = (
                Cell(cell, piece, cell.bound, cell.replies, cell.mixture, cell.choices) for piece in cell.pieces()
            )
            cell.parts, cell.choices = (one, two), None
            self._leaves += 1
        parts = list(chain.from_iterable(cell.parts or (cell,) for cell in group))
        self._take(zip(parts, self._results(parts), strict=True), check)
        return True

    def _results(self, parts: list[Cell]) -> Iterator[Any]:
        known = [self.goal, self.lower]  # of all parts alike, so that the order in which they are done does not matter
        if self.executor is None:
            return map(partial(self._examined, known=known), parts)
        return self.executor.map(partial(self._examined, known=known), parts)

    def _examined(self, cell: Cell, known: Sequence[float]) -> Any:
        choices = cell.choices
        if choices is None:
            choices = np.zeros((0, len(self.form.own.infoset)), dtype=np.int16)
        vertices, effort = vertices_of(self.form, cell), (_MOST, 0.0) if cell.whole else (_PATIENCE, _SHARP)
        gains = self.replies.gains[cell.replies]
        with interrupts_held_back():  # arrays that a kernel returns are made in Python, which Ctrl-C must not cut short
            return examine(self.game, vertices, choices.astype(np.int64), gains, cell.mixture, *known, *effort, _MOST)

    def _take(self, results: Any, check: Callable[[], None]) -> None:
        for cell, (bound, best, mixture, (answers, left), choices, share, mixed, found, split) in results:
            self.examined += 1
            numbers = np.array(
                [*cell.replies.tolist(), *(self.replies.number(*reply) for reply in zip(answers, left, strict=True))]
            )
            if bound < cell.bound:
                cell.bound, weight = bound, best
            else:
                weight = np.concatenate((cell.mixture, np.zeros(len(answers))))
            more = not np.isin(numbers[len(cell.replies) :], cell.replies).all()
            cell.whole = more and split[0] < 0 and cell.bound > self.goal
            kept = (weight > 0.0) | (mixture > 1e-9) | cell.whole
            cell.replies, cell.mixture = _each_once(numbers[kept], weight[kept])
            if self._try(mixed, found) or self.examined == self._next_polish:
                self._next_polish += self._next_polish // 2
                self.polish(mixed, check)
            if cell.bound <= self.goal or (split[0] < 0 and not cell.whole):
                self._settled = max(self._settled, cell.bound)
                cell.choices = None
                proves = cell.mixture > 0.0
                cell.replies, cell.mixture = cell.replies[proves], cell.mixture[proves]
                continue
            cell.choices = choices[(share > 1e-9) | cell.whole].astype(np.int16)
            if not cell.whole:
                kept_part = round((0.7 * split[3] + 0.15) * 2**GRID_BITS) / 2**GRID_BITS
                cell.split = Piece(int(split[0]), int(split[1]), int(split[2]), kept_part)
            self._count += 1
            heappush(self._waiting, (-cell.bound, self._count, cell))


def _each_once(replies: Ints, mixture: Floats) -> tuple[Ints, Floats]:
    """A mixture with no reply twice, in the order in which they come first."""
    _, first, where = np.unique(replies, return_index=True, return_inverse=True)
    order, whole = np.argsort(first), np.zeros(len(first))
    np.add.at(whole, where, mixture)
    return replies[first[order]], whole[order]

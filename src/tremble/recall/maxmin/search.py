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

Cells are divided in groups whose size is fixed, and what is found of their parts is taken in order. Others may have
found it before (:mod:`.ahead`): the result does not depend on how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.exact.highs import ChangingProgram, FloatProgram
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import Cell, Floats, Replies
from tremble.recall.maxmin.ahead import Ahead, Entry
from tremble.recall.maxmin.examination import Finding, Known, absorb, divide, examined, opened
from tremble.recall.maxmin.kernels import linearise
from tremble.run.clock import interrupts_held_back

__all__ = ["Search"]

_STARTS = 3  # of the local search, beside uniform play
_GROUP = 4  # cells that are split at a time
_FIRST_RADIUS, _LAST_RADIUS, _STEPS, _MOST_REPLIES = 0.2, 1e-5, 80, 80  # of the local search
_FIRST_POLISH = 32  # cells after which the local search starts from where the search is, then half as many more


@dataclass(eq=False)
class Search:
    """The state of a search."""

    form: BilinearForm
    epsilon: float  # how close the bounds are to come
    lower: float = -np.inf
    mixed: Floats = field(default_factory=lambda: np.zeros(0))  # the strategy that guarantees that, by slots
    examined: int = 0

    def __post_init__(self) -> None:
        self.replies = Replies(self.form)
        self.game = self.replies.game
        self._widths = np.diff(self.form.own.slot_start)
        self._waiting: list[Entry] = []
        self.ahead: Ahead | None = None
        self._leaves = 1
        self._count, self._next_polish = 0, _FIRST_POLISH
        self._settled = -np.inf  # the greatest bound of a cell that is done with
        self.root: Cell | None = None

    def employ(self, executor: Executor, renew: Callable[[], Executor] | None) -> Ahead:
        """Have others examine cells ahead; ``renew`` gives another executor when the workers of this one have died."""
        self.ahead = Ahead(executor, renew, self.replies, self._waiting)
        return self.ahead

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
        self._take(self._findings([self.root], self._known), check)

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
                self._take(self._findings([cell], self._known), check)
            else:
                self._wait(cell)

    def step(self, check: Callable[[], None]) -> bool:
        """Split some cells; whether there is more to do."""
        group: list[Entry] = []
        while self._waiting and len(group) < _GROUP and -self._waiting[0][0] > self.goal:
            group.append(heappop(self._waiting))
        if not group:
            while self._waiting:
                self._settled = max(self._settled, -heappop(self._waiting)[0])
            return False
        known = self._known  # of all parts alike, so that the order in which they are examined does not matter
        if self.ahead is not None:
            self.ahead.prepare(group, known, check)
        self._take(self._findings([cell for _, _, cell in group], known), check)
        return True

    @property
    def _known(self) -> Known:
        return Known(self.goal, self.lower)

    def _findings(self, group: list[Cell], known: Known) -> Iterator[tuple[Cell, Finding]]:
        """What is found of the parts of some cells, in order, each when it is asked for."""
        for cell in group:
            parts = divide(cell)
            self._leaves += len(parts) - 1
            found = None if self.ahead is None else self.ahead.taken(cell)
            yield from zip(parts, found or (examined(self.replies, part, known) for part in parts), strict=True)

    def _take(self, found: Iterable[tuple[Cell, Finding]], check: Callable[[], None]) -> None:
        for cell, finding in found:
            self.examined += 1
            absorb(cell, finding, self.goal)
            if self._try(finding.mixed, finding.value) or self.examined == self._next_polish:
                self._next_polish += self._next_polish // 2
                self.polish(finding.mixed, check)
            if opened(cell, finding, self.goal):
                self._wait(cell)
            else:
                self._settled = max(self._settled, cell.bound)

    def _wait(self, cell: Cell) -> None:
        """Have a cell wait to be divided."""
        self._count += 1
        entry = -cell.bound, self._count, cell
        heappush(self._waiting, entry)
        if self.ahead is not None:
            self.ahead.add(entry)

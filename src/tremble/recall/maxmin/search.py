r"""Branch and bound for maxmin behavior strategies of a player without perfect recall.

*Cells.* A cell is a set of behavior strategies. At each information set with n actions, the cell has a simplex with n
vertices, which are mixed actions. In the first cell the vertices are the actions, so the first cell contains all
behavior strategies. A cell is split into two cells at an edge of one simplex.

*Bound.* A vertex strategy of a cell plays one vertex at each set. Consider mixtures of vertex strategies. The payoff is
affine in the behavior at each set. So every strategy of the cell has the same realization plan as some mixture. The
value of the matrix game between vertex strategies and the opponent's pure strategies is therefore an upper bound for
the cell. For any mixture of the opponent's strategies, the payoff of the best vertex strategy against this mixture is
also an upper bound. The value of the matrix game is the smallest bound that a single mixture of replies can prove. The
matrix game is also the strongest relaxation that is linear in plans.

The matrix game grows by best responses of both players, as in a double oracle. The examination of a cell ends as soon
as the bound is small enough to discard the cell, or as soon as no such bound can be proven.

*Convergence.* The bound exceeds the best guarantee in the cell because mixtures can correlate the choices at different
sets. The difference is at most proportional to the product of the widths of two simplices. So convergence is of second
order if the search splits cells at each forgetful set and at each set before a forgetful set. A *forgetful set* is an
information set that :mod:`tremble.recall.bilinear_form` divides into more than one refined set.

*Primal side.* The search also evaluates the behavior strategy that is closest to the player's mixture. A local search
by linear programs improves the best of these strategies (:meth:`Search.polish`).

*Workers.* Each step splits a fixed number of cells, and uses the findings about the new cells in a fixed order.
Workers may compute the findings in advance (:mod:`.ahead`). The result does not depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.exact.highs import FloatProgram
from tremble.exact.mixed import ChangingProgram
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import Cell, Floats, Replies
from tremble.recall.maxmin.ahead import Ahead, Entry
from tremble.recall.maxmin.examination import Finding, Known, absorb, divide, examined, opened
from tremble.recall.maxmin.kernels import linearise
from tremble.run.compiling import held_back_in

__all__ = ["Search"]

_STARTS = 3  # number of random starts of the local search, after a start from uniform play
_GROUP = 4  # number of cells that are split together
_FIRST_RADIUS, _LAST_RADIUS, _STEPS, _MOST_REPLIES = 0.2, 1e-5, 80, 80  # limits of the local search
_FIRST_POLISH = 32  # number of cells after which a local search is repeated; each time, this number grows by half


@dataclass(eq=False)
class Search:
    """The state of a branch-and-bound search."""

    form: BilinearForm
    epsilon: float  # target gap between the bounds
    lower: float = -np.inf
    mixed: Floats = field(default_factory=lambda: np.zeros(0))  # [slots]: the strategy that guarantees ``lower``
    examined: int = 0

    def __post_init__(self) -> None:
        self.replies = Replies(self.form)
        self.game = self.replies.game
        self._widths = np.diff(self.form.own.slot_start)
        self._waiting: list[Entry] = []
        self.ahead: Ahead | None = None
        self._leaves = 1
        self._count, self._next_polish = 0, _FIRST_POLISH
        self._settled = -np.inf  # the largest bound of a finished cell
        self.root: Cell | None = None

    def employ(self, executor: Executor, renew: Callable[[], Executor] | None) -> Ahead:
        """Let workers examine cells in advance.

        The search calls ``renew`` for a new executor if the workers have died.
        """
        self.ahead = Ahead(executor, renew, self.replies, self._waiting)
        return self.ahead

    # -- the primal side ---------------------------------------------------------------------------

    def _record(self, mixed: Floats, value: float) -> bool:
        """Store a strategy if its guarantee is the best so far. Return True if the strategy was stored."""
        if value > self.lower:
            self.lower, self.mixed = value, mixed
            return True
        return False

    def polish(self, mixed: Floats, check: Callable[[], None]) -> None:
        """Improve a strategy by a local search, and record the result.

        Each step approximates the payoff against each known reply by a linear function of the strategy. A linear
        program then finds the best strategy within a radius of the present strategy.
        """
        value, reply = self.replies.guarantee(mixed)
        replies, radius, steps = [reply], _FIRST_RADIUS, 0
        while steps < _STEPS and radius > _LAST_RADIUS:
            check()
            steps += 1
            with held_back_in(linearise):
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
        self._record(mixed, value)

    def _within(
        self, mixed: Floats, radius: float, earned: Floats, slope: Floats, check: Callable[[], None]
    ) -> tuple[Floats, float]:
        """Return the strategy within ``radius`` of ``mixed`` with the best approximate guarantee, and the guarantee."""
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
        """A threshold: the search splits a cell only if the cell's bound exceeds this number."""
        return self.lower + self.epsilon

    @property
    def upper(self) -> float:
        """The upper bound on the guarantees of all strategies."""
        return max(self._settled, -self._waiting[0][0]) if self._waiting else max(self._settled, self.lower)

    @property
    def num_leaves(self) -> int:
        """The number of cells that are not split."""
        return self._leaves

    @property
    def typical(self) -> Cell | None:
        """A waiting cell from the middle of the heap, or None if no cell waits."""
        return self._waiting[len(self._waiting) // 2][2] if self._waiting else None

    @property
    def open(self) -> int:
        """The number of cells that wait to be split."""
        return len(self._waiting)

    def begin(self) -> None:
        """Record uniform play as the first strategy. Create the first cell, with the best reply to uniform play."""
        uniform = np.concatenate([np.full(n, 1.0 / n) for n in self._widths.tolist()] or [np.zeros(0)])
        value, reply = self.replies.guarantee(uniform)
        self._record(uniform, value)
        self.root = Cell(None, None, np.inf, np.array([reply]), np.ones(1))

    def start(self, check: Callable[[], None]) -> None:
        """Run the local search from uniform play and from random strategies, then examine the first cell."""
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
        """Continue from the cells of a checkpoint."""
        for answer in answers:
            self.replies.number(answer)
        self._record(mixed, self.replies.guarantee(mixed)[0])
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
        """Split a group of cells. Return False if no cell is left to split."""
        group: list[Entry] = []
        while self._waiting and len(group) < _GROUP and -self._waiting[0][0] > self.goal:
            group.append(heappop(self._waiting))
        if not group:
            while self._waiting:
                self._settled = max(self._settled, -heappop(self._waiting)[0])
            return False
        known = self._known  # use equal bounds for all parts, so that the order of their examination does not matter
        if self.ahead is not None:
            self.ahead.prepare(group, known, check)
        self._take(self._findings([cell for _, _, cell in group], known), check)
        return True

    @property
    def _known(self) -> Known:
        return Known(self.goal, self.lower)

    def _findings(self, group: list[Cell], known: Known) -> Iterator[tuple[Cell, Finding]]:
        """Divide each cell of ``group``. Yield each part with the result of its examination, computed on demand."""
        for cell in group:
            parts = divide(cell)
            self._leaves += len(parts) - 1
            found = None if self.ahead is None else self.ahead.take(cell)
            yield from zip(parts, found or (examined(self.replies, part, known) for part in parts), strict=True)

    def _take(self, found: Iterable[tuple[Cell, Finding]], check: Callable[[], None]) -> None:
        for cell, finding in found:
            self.examined += 1
            absorb(cell, finding, self.goal)
            if self._record(finding.mixed, finding.value) or self.examined == self._next_polish:
                self._next_polish += self._next_polish // 2
                self.polish(finding.mixed, check)
            if opened(cell, finding, self.goal):
                self._wait(cell)
            else:
                self._settled = max(self._settled, cell.bound)

    def _wait(self, cell: Cell) -> None:
        """Add a cell to the heap of cells that wait to be split."""
        self._count += 1
        entry = -cell.bound, self._count, cell
        heappush(self._waiting, entry)
        if self.ahead is not None:
            self.ahead.add(entry)

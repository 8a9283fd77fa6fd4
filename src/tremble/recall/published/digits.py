r"""Maxmin strategies without perfect recall by branch and bound on digits (Bošanský et al. 2017, section 4).

This is algorithm 1 of the paper. A *node* bounds each behavior probability x of a forgetful set. It fixes the digits of
x up to some place, bounds the next digit by an interval, and leaves a residual free. The relaxation of a node is the
upper bound program of :mod:`.milp` without integers.

That relaxation restricts (r_s, x, r_sa) exactly as McCormick's relaxation of :math:`r_{sa} = r_s x` does, over the box
of x and :math:`r_s \in [0, 1]`. Digit and residual each have McCormick's relaxation over their own intervals. The
envelopes of their sum, over all ways to split x, are sums of these envelopes, because all have the same slopes. So four
rows for each term replace the digits here, with the same bounds.

Line by line:

* 1: the first node has 0 digits after the decimal point, so every x is free.
* 2 to 5: the node with the largest bound is next (best first).
* 6 to 11: the end, when the largest bound is within epsilon of the best strategy (section 4, before Observation 1).
* 13: the action that contributes most to the gap between the node's bound and its strategy,
  :func:`greatest_contribution`. A caller can replace it.
* 14 to 18: the children ``"printed"`` are the two halves of the interval, and sometimes a middle child. The middle
  child has the digit of the relaxation's x, and the next place after it. It exists if x has fewer than P_max(I, a)
  digits, where P_max(I, a) = max over h in I of ceil(log10(|A(I)| d v_diff(h) / 2 epsilon)) (Theorem 2). The middle of
  an interval is rounded down to the place.
* 20 to 24: the relaxation is solved, a strategy is reconstructed, and a best response evaluates it. At each set, the
  strategy is a convex combination of the plan's behavior after different sequences, :func:`mean_behavior`. A caller can
  replace it.

Necessary differences from the paper: line 15 as printed includes the middle digit with all its residual, and so does
line 16. A half of an interval of one digit, such as the digit before the point, is then the interval itself, so the
algorithm would not end. Here the halves are x <= mid and x >= mid, as the paper's text on lines 15 and 16 says. An
interval of one digit goes on to the next place at once, since this is the same box. If no action of a node can be
split, the node's bound still counts in the upper bound.

Other differences, which only save nodes: a strategy counts as soon as its node is created, not when it is that node's
turn (line 8). The bound is compared with the best guarantee, not with that of the node (line 10). The middle child lies
in one of the halves, so much is searched twice. Boxes that are already known are therefore left out.

The other children, ``"partition"``, give fewer nodes: smaller digits, larger digits, and the digit itself with the next
place. The digit is that of the reconstructed strategy. These children do not overlap. They are not in the paper, but in
the authors' code (gtlibrary), where halving is an option. Theorem 3 assumes halves.

References
----------
B. Bošanský, J. Čermák, K. Horák and M. Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
imperfect recall, ICAART 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.exact.highs import ChangingProgram
from tremble.recall.branching.mixtures import REACHED
from tremble.recall.published.bilinear_program import BilinearProgram, Rows, Search
from tremble.run.clock import Clock

__all__ = [
    "CHILDREN",
    "Digits",
    "Reconstruct",
    "Relaxation",
    "Relaxed",
    "Select",
    "branch_on_digits",
    "first_multipliers",
    "greatest_contribution",
    "mean_behavior",
]

CHILDREN = ("printed", "partition")
_LOG_EVERY = 100  # nodes


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A solved relaxation.

    Shapes: S own refined sequences, F slots (actions of the forgetful sets).

    Attributes
    ----------
    program : BilinearProgram
        The program, with its slots (``program.slots``) and terms (``program.term``).
    plan : float64[S]
        The plan. It need not come from a behavior.
    x : float64[F]
        The probabilities.
    lower, upper : float64[F]
        The box of the node.
    open : bool[F]
        The slots that can be split further.
    strategy : float64[F], optional
        The probabilities of the reconstructed strategy. None while it is being reconstructed.
    """

    program: BilinearProgram
    plan: NDArray[np.float64]
    x: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    open: NDArray[np.bool_]
    strategy: NDArray[np.float64] | None = None

    @cached_property
    def played(self) -> NDArray[np.int64]:
        """The indices of the terms whose sequence s the plan reaches, int64[...]."""
        return np.flatnonzero(self.plan[self.program.term[0]] > REACHED)


Reconstruct = Callable[[Relaxed], NDArray[np.float64]]
"""Relaxation -> probabilities of its slots, float64[F]. Other sets follow the plan."""

Select = Callable[[Relaxed], int]
"""Relaxation -> index of the open slot to split, 0 to F - 1."""


def mean_behavior(relaxed: Relaxed) -> NDArray[np.float64]:
    """Average the plan's behavior at each set over the sequences that lead there, weighted by their probabilities.

    Sets that the plan does not reach get x.
    """
    before, after, at = (part[relaxed.played] for part in relaxed.program.term)
    reached = np.bincount(at, relaxed.plan[before], len(relaxed.x))
    played = np.bincount(at, relaxed.plan[after], len(relaxed.x))
    return np.where(reached > 0.0, played / np.where(reached > 0.0, reached, 1.0), relaxed.x)


def greatest_contribution(relaxed: Relaxed) -> int:
    """Return the open slot whose terms contribute most to the gap between the node's bound and its guarantee."""
    program = relaxed.program
    assert relaxed.strategy is not None
    added = np.abs(program.contributions(relaxed.plan, program.behavior(relaxed.plan, relaxed.strategy)))
    by_slot = np.bincount(program.term[2], added, len(relaxed.x))
    return int(np.argmax(np.where(relaxed.open, by_slot, -1.0)))


@dataclass(frozen=True, eq=False)
class Digits:
    """The box of a node. Each x is from first * 10^-place to (last + 1) * 10^-place."""

    place: NDArray[np.int64]  # [F]
    first: NDArray[np.int64]  # [F]
    last: NDArray[np.int64]  # [F]

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower end of each box, float64[F]."""
        return self.first * 10.0**-self.place

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper end of each box, float64[F]. It can exceed 1."""
        return (self.last + 1) * 10.0**-self.place

    def open(self, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the slots that can be split with at most ``most`` digits, bool[F]."""
        return (self.first < self.last) | (self.place < most)

    @property
    def key(self) -> bytes:
        """A key that is equal for equal boxes."""
        return self.place.tobytes() + self.first.tobytes() + self.last.tobytes()

    def with_interval(self, slot: int, place: int, first: int, last: int) -> Digits:
        """Return a box with another interval at one slot."""
        changed = Digits(self.place.copy(), self.first.copy(), self.last.copy())
        changed.place[slot], changed.first[slot], changed.last[slot] = place, first, last
        return changed

    def children(self, slot: int, x: float, most: int, kind: str) -> list[Digits]:
        """Split the box at a slot with probability x, with at most ``most`` digits."""
        place, first, last = _finer(int(self.place[slot]), int(self.first[slot]), int(self.last[slot]), most)
        digit = min(max(int(x * 10**place), first), last)
        finer = (place + 1, 10 * digit, 10 * digit + 9) if place < most else (place, digit, digit)
        if kind == "printed":
            mid = (first + last + 1) // 2  # x <= mid or x >= mid, in units of the place
            intervals = [(place, first, mid - 1), (place, mid, last), *([finer] if place < most else [])]
        else:
            intervals = [(place, first, digit - 1), finer, (place, digit + 1, last)]
        kept = (interval for interval in intervals if interval[1] <= interval[2])
        return [self.with_interval(slot, *_finer(*interval, most)) for interval in kept]


def _finer(place: int, first: int, last: int, most: int) -> tuple[int, int, int]:
    """Return the same interval, at the next place if it has only one digit."""
    return (place + 1, 10 * first, 10 * first + 9) if first == last and place < most else (place, first, last)


class Relaxation:
    """The program of all nodes. Its coefficients and bounds change from node to node."""

    def __init__(self, program: BilinearProgram, check: Callable[[], None]) -> None:
        self._program = program
        self._lower, self._upper = np.zeros(len(program.slots)), np.ones(len(program.slots))
        before, after, at = program.term
        each, x = np.arange(len(before)), program.first_behavior + at
        self._rows = program.rows.matrix.shape[0] + np.arange(4 * len(before)).reshape(4, -1)
        grow, whole, below = np.inf, np.zeros(len(before)), np.full(len(before), -np.inf)
        parts = [  # r_sa >= l r_s, r_sa <= u r_s, r_sa >= x + u (r_s - 1), r_sa <= x + l (r_s - 1)
            Rows.of([(each, after, 1.0)], whole, grow, program.num_columns),
            Rows.of([(each, after, 1.0), (each, before, -1.0)], below, 0.0, program.num_columns),
            Rows.of([(each, after, 1.0), (each, x, -1.0), (each, before, -1.0)], whole - 1, grow, program.num_columns),
            Rows.of([(each, after, 1.0), (each, x, -1.0)], below, 0.0, program.num_columns),
        ]
        self._solver = ChangingProgram(program.program(Rows.together(parts)), check)

    def solve(self, digits: Digits) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the bound, the solution and the multipliers of a node; -inf and empty arrays if it is infeasible."""
        lower, upper = digits.lower, np.minimum(digits.upper, 1.0)
        before, _, at = self._program.term
        changed = np.flatnonzero((lower != self._lower) | (upper != self._upper))
        terms = np.flatnonzero(np.isin(at, changed))
        columns, low, high = before[terms], lower[at[terms]], upper[at[terms]]
        free = np.full(len(terms), np.inf)
        for row, value in zip(self._rows, (low, high, high, low), strict=True):
            self._solver.change_entries(row[terms], columns, -value)
        self._solver.change_rows(self._rows[2][terms], -high, free)
        self._solver.change_rows(self._rows[3][terms], -free, -low)
        self._solver.change_columns(self._program.first_behavior + changed, lower[changed], upper[changed])
        self._lower, self._upper = lower, upper
        found = self._solver.solve()
        none = np.zeros(0)
        if found.point is None or found.multiplier is None:
            return found.bound, none, none
        return found.bound, found.point, found.multiplier


def branch_on_digits(
    program: BilinearProgram,
    epsilon: Fraction,
    search: Search,
    clock: Clock,
    *,
    reconstruct: Reconstruct = mean_behavior,
    select: Select = greatest_contribution,
    children: str = "printed",
) -> int:
    """Run algorithm 1 until the gap is at most the target or no node can be split. Return the number of nodes.

    Parameters
    ----------
    children : str
        One of ``CHILDREN``.
    """
    most = program.slot_digits(epsilon)
    relaxation = Relaxation(program, clock.check)
    nodes = 0
    ended = -np.inf  # the largest bound of a node that cannot be split
    fringe: list[tuple[float, int, Digits, int, float]] = []  # -bound, order, box, slot to split at, its x

    def create(digits: Digits) -> None:
        """Solve the relaxation of a node, record its strategy, and queue the node if it can be split."""
        nonlocal nodes, ended
        clock.check()
        bound, point, _ = relaxation.solve(digits)
        nodes += 1
        if bound <= search.lower:
            return
        open_ = digits.open(most)
        x = point[program.first_behavior :]
        plan = np.maximum(point[: program.first_value], 0.0)
        relaxed = Relaxed(program, plan, x, digits.lower, digits.upper, open_)
        strategy = reconstruct(relaxed)
        search.strategy(program.behavior(plan, strategy))
        if not open_.any():
            ended = max(ended, bound)
        else:
            slot = select(replace(relaxed, strategy=strategy))
            if not (0 <= slot < len(open_) and open_[slot]):
                raise SpecError(f"select must return the index of an open slot, one of {len(open_)}, not {slot!r:.80}")
            at = float(x[slot] if children == "printed" else strategy[slot])
            heappush(fringe, (-bound, nodes, digits, slot, at))

    known: set[bytes] = set()
    create(_all_open(program))
    while fringe:
        best = max(-fringe[0][0], ended, search.lower)
        search.bound(best)
        if search.closed:
            break
        if nodes % _LOG_EVERY == 0:
            search.log(nodes=nodes, open_nodes=len(fringe))
        search.progress(f"{nodes} nodes")
        _, _, digits, slot, x_at = heappop(fringe)
        for child in digits.children(slot, x_at, int(most[slot]), children):
            if child.key not in known:  # the middle child lies in one of the halves
                known.add(child.key)
                create(child)
    else:
        search.bound(max(ended, search.lower))
        if not search.closed:
            search.cut_off("digits: every action of a node has P_max digits")
    search.log(nodes=nodes, open_nodes=len(fringe))
    return nodes


def first_multipliers(program: BilinearProgram, check: Callable[[], None]) -> NDArray[np.float64]:
    """Return the opponent's plan that proves the bound of the first node, float64[S']: the multipliers of its rows."""
    _, _, multiplier = Relaxation(program, check).solve(_all_open(program))
    return multiplier[program.payoff_rows]


def _all_open(program: BilinearProgram) -> Digits:
    none = np.zeros(len(program.slots), dtype=np.int64)
    return Digits(none, none, none)

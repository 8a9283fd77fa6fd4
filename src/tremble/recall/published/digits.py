r"""Branch and bound on digits, for maxmin strategies without perfect recall (Bošanský et al. 2017, section 4).

This is algorithm 1 of the paper. A *node* bounds each behavior probability x of a forgetful set, which is an
information set that is split into more than one refined set. The node fixes the leading digits of x, bounds the next
digit by an interval, and leaves a residual free. The relaxation of a node is the upper bound program of :mod:`.milp`
without integer conditions. Let r_s and r_sa be the weights of a sequence s and of s followed by action a.

This relaxation restricts (r_s, x, r_sa) in exactly the same way as McCormick's relaxation of :math:`r_{sa} = r_s x`
over the box of x and :math:`r_s \in [0, 1]`. Proof: the digit and the residual each have McCormick's relaxation over
their own intervals. The lower envelopes have the same slopes. So if x is split such that the lower envelopes of digit
and residual have the least sum, this sum is the lower envelope over the box of x. The same is true for the upper
envelopes and the greatest sum. So this module replaces the digits by four rows for each term, with the same bounds.

The lines of algorithm 1 are implemented as follows:

* Line 1: the first node has 0 digits after the decimal point, so every x is free.
* Lines 2 to 5: the node with the largest bound is processed next (best first).
* Lines 6 to 11: the algorithm ends as soon as the largest bound is within epsilon of the best guarantee (section 4,
  before Observation 1).
* Line 13: the node is split at the action that contributes most to the gap between the node's bound and the
  guarantee of its strategy (:func:`greatest_contribution`). A caller can replace this function.
* Lines 14 to 18: the children of kind ``"printed"`` are the two halves of the interval, and sometimes a middle child.
  The middle child fixes one more digit, which is taken from x in the relaxation. It exists if x has fewer digits than
  P_max, the number that Theorem 2 requires (:meth:`~.bilinear_program.BilinearProgram.slot_digits`). The middle of an
  interval is rounded down to a number that has as many decimals as the ends of the interval.
* Lines 20 to 24: the relaxation is solved, a strategy is reconstructed, and a best response evaluates the strategy. At
  each set, the strategy is a convex combination of the plan's behavior after different sequences
  (:func:`mean_behavior`). A caller can replace this function.

Some differences from the paper are necessary:

* In the paper, both halves (lines 15 and 16) include the middle digit with all its residual. If an interval has only
  one digit, such as the digit before the point, each half equals the whole interval, and the algorithm never ends.
  Here the halves are x <= mid and x >= mid, as in the paper's text about lines 15 and 16.
* An interval of one digit is immediately replaced by all values of the next digit, which describe the same box.
* If no action of a node can be split, the node's bound still counts in the upper bound.

Other differences only reduce the number of nodes:

* A strategy is used as soon as its node is created. In the paper, it is used when the node is processed (line 8).
* The bound is compared with the best guarantee. In the paper, it is compared with the guarantee of the node (line 10).
* The middle child is part of one of the halves, so parts of the boxes would be searched twice. Boxes that are already
  known are therefore left out.

Children of kind ``"partition"`` give fewer nodes. Let d be the next digit of x in the reconstructed strategy. The three
children have the digits below d, the digits above d, or d and a free digit after d. These children do not overlap. They
are not in the paper but in the authors' code (gtlibrary), in which halving is an option. Theorem 3 assumes halves.

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
from tremble.exact.mixed import ChangingProgram
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
_LOG_EVERY = 100  # number of nodes between two lines of the log


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The solution of the relaxation of a node.

    Shapes: the player has S refined sequences and F slots, which are the actions at its forgetful sets.

    Attributes
    ----------
    program : BilinearProgram
        The program, with its slots (``program.slots``) and terms (``program.term``).
    plan : float64[S]
        The plan in the solution. Possibly, no behavior strategy has this plan.
    x : float64[F]
        The probabilities in the solution.
    lower, upper : float64[F]
        The box of the node: an interval for each probability.
    open : bool[F]
        A mask of the slots that can be split further.
    strategy : float64[F], optional
        The probabilities of the reconstructed strategy, or None before the reconstruction.
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
        """The indices, int64, of the terms :math:`r_s x` whose sequence s the plan reaches."""
        return np.flatnonzero(self.plan[self.program.term[0]] > REACHED)


Reconstruct = Callable[[Relaxed], NDArray[np.float64]]
"""A function from a solved relaxation to the probabilities of its slots, float64[F].

At other sets, the strategy follows the plan of the relaxation.
"""

Select = Callable[[Relaxed], int]
"""A function from a solved relaxation to the index of the open slot to split, 0 to F - 1."""


def mean_behavior(relaxed: Relaxed) -> NDArray[np.float64]:
    """Return the behavior of the plan ``relaxed.plan`` at each set, averaged over the sequences that lead to the set.

    The sequences are weighted by their probabilities. At sets that the plan does not reach, return ``relaxed.x``.
    """
    before, after, at = (part[relaxed.played] for part in relaxed.program.term)
    reached = np.bincount(at, relaxed.plan[before], len(relaxed.x))
    played = np.bincount(at, relaxed.plan[after], len(relaxed.x))
    return np.where(reached > 0.0, played / np.where(reached > 0.0, reached, 1.0), relaxed.x)


def greatest_contribution(relaxed: Relaxed) -> int:
    """Return the open slot that adds most to the gap between the bound and the guarantee of ``relaxed.strategy``."""
    program = relaxed.program
    assert relaxed.strategy is not None
    added = np.abs(program.contributions(relaxed.plan, program.behavior(relaxed.plan, relaxed.strategy)))
    by_slot = np.bincount(program.term[2], added, len(relaxed.x))
    return int(np.argmax(np.where(relaxed.open, by_slot, -1.0)))


@dataclass(frozen=True, eq=False)
class Digits:
    """The *box* of a node: for each slot f, the interval from first[f] / 10^place[f] to (last[f] + 1) / 10^place[f]."""

    place: NDArray[np.int64]  # [F]
    first: NDArray[np.int64]  # [F]
    last: NDArray[np.int64]  # [F]

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower ends of all intervals of the box, as float64[F]."""
        return self.first * 10.0**-self.place

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper end of each interval of the box, as float64[F]. Upper ends can exceed 1."""
        return (self.last + 1) * 10.0**-self.place

    def open(self, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask, bool[F]: entry f is True if slot f can be split with at most ``most[f]`` digits."""
        return (self.first < self.last) | (self.place < most)

    @property
    def key(self) -> bytes:
        """The box as bytes, for use as a key of a dictionary. Equal boxes have equal keys."""
        return self.place.tobytes() + self.first.tobytes() + self.last.tobytes()

    def with_interval(self, slot: int, place: int, first: int, last: int) -> Digits:
        """Return a copy of the box with a different interval at one slot."""
        changed = Digits(self.place.copy(), self.first.copy(), self.last.copy())
        changed.place[slot], changed.first[slot], changed.last[slot] = place, first, last
        return changed

    def children(self, slot: int, x: float, most: int, kind: str) -> list[Digits]:
        """Return the boxes after splitting the interval of ``slot`` near ``x``. Ends have at most ``most`` digits."""
        place, first, last = _finer(int(self.place[slot]), int(self.first[slot]), int(self.last[slot]), most)
        digit = min(max(int(x * 10**place), first), last)
        finer = (place + 1, 10 * digit, 10 * digit + 9) if place < most else (place, digit, digit)
        if kind == "printed":
            mid = (first + last + 1) // 2  # the halves are x <= mid and x >= mid, in units of the place
            intervals = [(place, first, mid - 1), (place, mid, last), *([finer] if place < most else [])]
        else:
            intervals = [(place, first, digit - 1), finer, (place, digit + 1, last)]
        kept = (interval for interval in intervals if interval[1] <= interval[2])
        return [self.with_interval(slot, *_finer(*interval, most)) for interval in kept]


def _finer(place: int, first: int, last: int, most: int) -> tuple[int, int, int]:
    """Return (place, first, last), or the ten digits of the next place if ``first == last`` and ``place < most``."""
    return (place + 1, 10 * first, 10 * first + 9) if first == last and place < most else (place, first, last)


class Relaxation:
    """One linear program for the relaxations of all nodes. Its coefficients and bounds are changed for each node."""

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
        """Return the bound, the solution and the multipliers of a node's relaxation.

        If the relaxation is infeasible, the bound is -inf and the arrays are empty.
        """
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
    """Run algorithm 1 of Bošanský et al. (2017) until the gap is at most the target, or no node can be split.

    Parameters
    ----------
    children : str
        The rule for splitting a node: one of ``CHILDREN``.

    Returns
    -------
    int
        The number of nodes whose relaxation was solved.
    """
    most = program.slot_digits(epsilon)
    relaxation = Relaxation(program, clock.check)
    nodes = 0
    ended = -np.inf  # the largest bound of a node that cannot be split
    fringe: list[tuple[float, int, Digits, int, float]] = []  # negative bound, order, box, slot to split, x of the slot

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
                raise SpecError(
                    f"'select' must return the index of an open slot (there are {len(open_)} slots), not {slot!r:.80}"
                )
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
            if child.key not in known:  # the middle child is part of one of the halves
                known.add(child.key)
                create(child)
    else:
        search.bound(max(ended, search.lower))
        if not search.closed:
            search.cut_off("digits: every action of a node has P_max digits")
    search.log(nodes=nodes, open_nodes=len(fringe))
    return nodes


def first_multipliers(program: BilinearProgram, check: Callable[[], None]) -> NDArray[np.float64]:
    """Return the opponent's plan, float64[S'], that proves the bound of the search tree's root.

    The plan consists of the multipliers of the payoff rows in the relaxation.
    """
    _, _, multiplier = Relaxation(program, check).solve(_all_open(program))
    return multiplier[program.payoff_rows]


def _all_open(program: BilinearProgram) -> Digits:
    none = np.zeros(len(program.slots), dtype=np.int64)
    return Digits(none, none, none)

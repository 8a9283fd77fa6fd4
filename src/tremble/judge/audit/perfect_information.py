r"""Audit play in subtrees of perfect information by passes over the tree, without linear programs.

A subtree has perfect information if each information set in it is a single node. In such a subtree, the opponent's
choices at different nodes are independent. The optima of the programs in :mod:`tremble.judge.audit.regret` can
therefore be computed node by node.

Let x be a *continuation*: the player's plan for the moves from a node on. Let V(v, y) be the player's payoff from node
v on if the opponent follows the plan y and the player plays a best response. The *uniform opponent* plays all actions
with equal probability. For each node v, the passes compute five results. All payoffs are conditional on reaching v.

* ``free``: the interval of the payoffs V(v, y) for all completely mixed plans y.
* ``right``: the interval of the payoffs V(v, y) for all completely mixed plans y to which x is a best response from v
  on. The interval is empty if there is no such plan. By duality, it is empty if and only if x is dominated from v on.
* The payoff of x against the uniform opponent, and the greatest payoff of x against any plan.
* ``frontier``: a concave and piecewise linear function of a number d. The function is the greatest payoff against the
  uniform opponent among the continuations that earn at least d against every plan.
* ``behind``: a number d such that z earns at least d more than x against every plan. Here z is a best response to the
  uniform opponent.

The loss of x follows from these results in two cases:

* If z is never worse than x, the loss of x is the gain of z over x against the uniform opponent. No other continuation
  has a greater gain over x against the uniform opponent, because z is a best response to this opponent.
* If x has the same payoff c against every plan, the loss of x is ``frontier(c) - c``.

An action is wrong against every plan if its best possible payoff is below the payoff that another action guarantees.
The difference between the two payoffs is the least loss of the action.

The passes visit each node only once for all information sets above the node. In contrast, a linear program for each set
reads all nodes below the set. For a chain of n moves, these programs have n^2 entries in all, and their numbers have up
to n digits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree

__all__ = ["Continued", "PerfectInformation"]

_SMALL = 40  # greatest number of the player's actions in a small subtree, for which a linear program is fast
_SHALLOW = 100  # greatest number of moves from the root of the game to a small subtree
_ZERO = Fraction(0)
_Value = TypeVar("_Value")


class _Interval(NamedTuple):
    """The numbers from ``low`` to ``high``. ``has_low`` and ``has_high`` say if the interval includes these ends."""

    low: Fraction
    high: Fraction
    has_low: bool
    has_high: bool

    def at_least_some_of(self, other: _Interval) -> _Interval | None:
        """Remove the numbers that are less than all numbers in ``other``. Return None if no number remains."""
        if other.low < self.low or (other.low == self.low and (other.has_low or not self.has_low)):
            return self
        return _interval(other.low, self.high, other.has_low, self.has_high)

    def intersected(self, other: _Interval) -> _Interval | None:
        """Return the numbers in both intervals. Return None if the intervals are disjoint."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        has_low = all(each.has_low for each in (self, other) if each.low == low)
        has_high = all(each.has_high for each in (self, other) if each.high == high)
        return _interval(low, high, has_low, has_high)


def _interval(low: Fraction, high: Fraction, has_low: bool, has_high: bool) -> _Interval | None:
    """Return the interval with these ends, or None if it is empty."""
    if low > high or (low == high and not (has_low and has_high)):
        return None
    return _Interval(low, high, has_low, has_high)


def _mixed(parts: Sequence[_Interval]) -> _Interval:
    """Return the interval of all sums w_1 x_1 + w_2 x_2 + ..., with x_i in ``parts[i]``, w_i > 0 and sum of w_i = 1."""
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    return _Interval(
        low,
        high,
        all(part.low == low and part.has_low for part in parts),
        all(part.high == high and part.has_high for part in parts),
    )


def _summed(parts: Iterable[tuple[Fraction, _Interval]]) -> _Interval:
    """Return the interval of all sums w_1 x_1 + w_2 x_2 + ..., where ``parts[i]`` is (w_i, interval of all x_i)."""
    low, high, has_low, has_high = _ZERO, _ZERO, True, True
    for weight, part in parts:
        low, high = low + weight * part.low, high + weight * part.high
        has_low, has_high = has_low and part.has_low, has_high and part.has_high
    return _Interval(low, high, has_low, has_high)


def _best(parts: Sequence[_Interval]) -> _Interval:
    """Return the interval of all max(x_1, x_2, ...), with x_i in ``parts[i]``."""
    low, high = max(part.low for part in parts), max(part.high for part in parts)
    return _Interval(
        low,
        high,
        all(part.has_low for part in parts if part.low == low),
        any(part.has_high for part in parts if part.high == high),
    )


_Frontier = list[tuple[Fraction, Fraction]]
"""The corners (d, payoff) of a frontier, in ascending order of d.

The function is constant before the first corner, linear between two corners, and undefined after the last corner.
"""


def earned(frontier: _Frontier, d: Fraction) -> Fraction | None:
    """Return the most that a plan with a guarantee of at least d can earn against the uniform opponent.

    Return None if no plan of the player guarantees at least d, that is, earns d against every plan of the opponent.
    """
    if d > frontier[-1][0]:
        return None
    place = bisect_left(frontier, d, key=lambda corner: corner[0])
    (d1, most) = frontier[place]
    if not place or d == d1:
        return most
    d0, before = frontier[place - 1]
    return before + (most - before) * (d - d0) / (d1 - d0)


def _hull(corners: Iterable[tuple[Fraction, Fraction]]) -> _Frontier:
    """Return the smallest concave and nonincreasing function that lies at or above all ``corners``."""
    hull: _Frontier = []
    for d, most in sorted(corners, reverse=True):  # starting with the greatest guarantee d
        if hull and most <= hull[-1][1]:
            continue
        if hull and hull[-1][0] == d:
            hull.pop()
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (hull[-2][0] - d) <= (most - hull[-2][1]) * (
            hull[-2][0] - hull[-1][0]
        ):
            hull.pop()
        hull.append((d, most))
    return hull[::-1]


def _averaged(frontiers: Sequence[_Frontier]) -> _Frontier:
    """Return the frontier at a node of the opponent: the average of the frontiers at the node's children.

    The children have equal weights, because the opponent plays uniformly. The average is defined for each
    guarantee d at which all the children's frontiers are defined.
    """
    last = min(frontier[-1][0] for frontier in frontiers)
    places = sorted({d for frontier in frontiers for d, _ in frontier if d < last} | {last})
    sums = [sum((earned(frontier, d) or _ZERO for frontier in frontiers), _ZERO) for d in places]
    return _hull(zip(places, (total / len(frontiers) for total in sums), strict=True))


def _shared(parts: Sequence[tuple[Fraction, _Frontier]]) -> _Frontier:
    """Return the frontier of a chance node from the probabilities and frontiers of its outcomes.

    The payoff guaranteed at the node is the weighted sum of the payoffs guaranteed at the outcomes. Such a sum can be
    split over the outcomes in many ways. The function uses the split that earns the most against the uniform opponent.
    """
    d = sum((weight * frontier[0][0] for weight, frontier in parts), _ZERO)
    most = sum((weight * frontier[0][1] for weight, frontier in parts), _ZERO)
    steps = [
        ((m1 - m0) / (d1 - d0), weight * (d1 - d0), weight * (m1 - m0))
        for weight, frontier in parts
        for (d0, m0), (d1, m1) in pairwise(frontier)
    ]
    corners = [(d, most)]
    for _, more, less in sorted(steps, reverse=True):  # starting where a higher guarantee costs the least payoff
        d, most = d + more, most + less
        corners.append((d, most))
    return _hull(corners)


class _Free(NamedTuple):
    """The results for a node that are the same for every continuation x of the player.

    The module's docstring defines ``free``, ``frontier`` and the continuation z.
    """

    free: _Interval
    frontier: _Frontier
    least: Fraction  # the least payoff of z against any plan
    choice: int  # the action of z at a node of the player

    @property
    def uniform(self) -> Fraction:
        """The player's greatest payoff from this node on, if the opponent plays all actions with equal probability."""
        return self.frontier[0][1]


class Continued(NamedTuple):
    """The results for a continuation x, which starts at a node. All payoffs assume that play reaches this node.

    The module's docstring defines ``right``, ``behind`` and the continuation z.
    """

    right: _Interval | None  # None if x is dominated from this node on
    uniform: Fraction  # the payoff of x against the uniform opponent
    least: Fraction  # the least payoff of x against any plan
    most: Fraction  # the greatest payoff of x against any plan
    behind: Fraction  # a lower bound on the gain of z over x against any plan


Row = Sequence[Fraction]


@dataclass(eq=False)
class PerfectInformation:
    """The subtrees of perfect information in a tree, for one player.

    Attributes
    ----------
    nodes : dict of int to int
        Index of an information set -> its only node. The dict contains an information set of the player if it has
        only one node and the subtree of this node has perfect information.
    """

    tree: GameTree
    player: int

    def __post_init__(self) -> None:
        tree = self.tree
        single = [np.bincount(tree.infoset[tree.player == p], minlength=tree.num_infosets[p]) == 1 for p in (0, 1)]
        plain = np.ones(tree.num_nodes, dtype=np.bool_)
        for p in (0, 1):
            there = tree.player == p
            plain[there] = single[p][tree.infoset[there]]
        size = np.where(tree.player == self.player, tree.num_children, 0).astype(np.int64)
        # Nodes are ordered by depth. The loop goes from the last level to the root.
        for begin, end in zip(tree.level[-2:0:-1].tolist(), tree.level[-1:1:-1].tolist(), strict=True):
            parent = tree.parent[begin:end]
            np.logical_and.at(plain, parent, plain[begin:end])
            np.add.at(size, parent, size[begin:end])
        own = np.flatnonzero((tree.player == self.player) & plain)
        self.nodes: dict[int, int] = dict(zip(tree.infoset[own].tolist(), own.tolist(), strict=True))
        self._size: list[int] = size.tolist()
        self._shallow = int(tree.level[min(_SHALLOW, tree.depth)])
        self._children = tree.children
        self._free: dict[int, _Free] = {}

    def is_small(self, node: int) -> bool:
        """Return True if solving a linear program for the subtree of this node takes at most about 10 ms.

        Such a program has few rows (the player's actions in the subtree) and few columns (moves that lead to the node).
        """
        return self._size[node] <= _SMALL and node < self._shallow

    def free(self, node: int) -> _Free:
        """Return all results about ``node`` that are the same for every continuation of the player."""
        return _folded(node, self._free, self._dealt, self._free_at)

    def continued(self, rows: Callable[[int], Row]) -> Continuations:
        """Return the results (see the module) for the continuation that plays ``rows(k)`` at each information set k."""
        return Continuations(self, rows)

    def loss(self, node: int, continued: Continued) -> tuple[Fraction | None, int]:
        """Return (loss, better) for a dominated continuation. ``better`` is the index of a better action at ``node``.

        ``loss`` is the loss against an opponent who plays uniformly, or None if the passes cannot compute it.
        """
        known = self.free(node)
        if continued.behind >= 0:
            return known.uniform - continued.uniform, known.choice
        below = [earned(self.free(child).frontier, continued.most) for child in self._children(node)]
        better = max(range(len(below)), key=lambda a: (below[a] is not None, below[a] or _ZERO))
        most = earned(known.frontier, continued.most)
        if continued.least < continued.most or most is None:
            return None, better
        return most - continued.uniform, better

    def wrong_by(self, node: int, action: int) -> tuple[Fraction, int]:
        """Return the least loss of an action over all plans of the opponent, and the action to play instead."""
        worth = [self.free(child).free for child in self._children(node)]
        better = max((a for a in range(len(worth)) if a != action), key=lambda a: worth[a].low, default=action)
        return max(_ZERO, worth[better].low - worth[action].high), better

    def chances(self, node: int) -> tuple[Fraction, ...]:
        """Return the probabilities of the outcomes of a chance node."""
        return self.tree.chance_tables[int(self.tree.infoset[node])].probabilities

    def _dealt(self, node: int) -> Sequence[int]:
        """Return the children of a node, except those that chance reaches with probability zero."""
        children = self._children(node)
        if self.tree.player[node] != CHANCE:
            return children
        return [child for child, p in zip(children, self.chances(node), strict=True) if p]

    def payoff(self, leaf: int) -> Fraction:
        """Return the payoff of the player at a leaf."""
        return self.tree.payoff_at(int(self.tree.infoset[leaf]))[self.player]

    def _free_at(self, node: int, below: Sequence[_Free]) -> _Free:
        mover = int(self.tree.player[node])
        if mover == TERMINAL:
            u = self.payoff(node)
            return _Free(_Interval(u, u, True, True), [(u, u)], u, 0)
        free = [child.free for child in below]
        if mover == CHANCE:
            weights = [p for p in self.chances(node) if p]
            frontier = _shared([(p, child.frontier) for p, child in zip(weights, below, strict=True)])
            least = sum((p * child.least for p, child in zip(weights, below, strict=True)), _ZERO)
            return _Free(_summed(zip(weights, free, strict=True)), frontier, least, 0)
        if mover == self.player:
            choice = max(range(len(below)), key=lambda a: (below[a].uniform, below[a].least))
            frontier = _hull(corner for child in below for corner in child.frontier)
            return _Free(_best(free), frontier, below[choice].least, choice)
        return _Free(_mixed(free), _averaged([child.frontier for child in below]), min(c.least for c in below), 0)


class Continuations:
    """The results (:class:`Continued`) at any node for one continuation, which is a plan for the player's later moves.

    Results are stored. After a node has results, the plan's probabilities at the sets below the node must not change.
    """

    def __init__(self, game: PerfectInformation, rows: Callable[[int], Row]) -> None:
        self._game, self._rows = game, rows
        self._known: dict[int, Continued] = {}

    def at(self, node: int) -> Continued:
        """Return the results of the player's plan, which this object represents, if play starts at ``node``."""
        return _folded(node, self._known, self._game._dealt, self._continued_at)

    def playing(self, node: int, row: Row) -> Continued:
        """Return the results if the player plays ``row`` at ``node`` and then the continuation of this object."""
        return self._own(node, row, [self.at(child) for child in self._game._children(node)])

    def _continued_at(self, node: int, below: Sequence[Continued]) -> Continued:
        tree, game = self._game.tree, self._game
        mover = int(tree.player[node])
        if mover == TERMINAL:
            u = game.payoff(node)
            return Continued(_Interval(u, u, True, True), u, u, u, _ZERO)
        if mover == game.player:
            return self._own(node, self._rows(int(tree.infoset[node])), below)
        right = [child.right for child in below if child.right is not None]
        if mover == CHANCE:
            weights = [p for p in game.chances(node) if p]

            def mean(of: Callable[[Continued], Fraction]) -> Fraction:
                return sum((p * of(child) for p, child in zip(weights, below, strict=True)), _ZERO)

            whole = _summed(zip(weights, right, strict=True)) if len(right) == len(below) else None
            return Continued(
                whole,
                mean(lambda child: child.uniform),
                mean(lambda child: child.least),
                mean(lambda child: child.most),
                mean(lambda child: child.behind),
            )
        uniform = sum((child.uniform for child in below), _ZERO) / len(below)
        whole = _mixed(right) if len(right) == len(below) else None
        least, most = min(child.least for child in below), max(child.most for child in below)
        return Continued(whole, uniform, least, most, min(child.behind for child in below))

    def _own(self, node: int, row: Row, below: Sequence[Continued]) -> Continued:
        known = [self._game.free(child) for child in self._game._children(node)]
        # A number is in `right` if, against some plan, played actions earn it and unplayed actions earn no more.
        first, *others = (a for a, p in enumerate(row) if p)
        right = below[first].right
        for a in others:
            also = below[a].right
            right = None if right is None or also is None else right.intersected(also)
        for a, p in enumerate(row):
            if not p and right is not None:
                right = right.at_least_some_of(known[a].free)
        choice = self._game.free(node).choice
        uniform = sum((p * below[a].uniform for a, p in enumerate(row) if p), _ZERO)
        least = sum((p * below[a].least for a, p in enumerate(row) if p), _ZERO)
        most = sum((p * below[a].most for a, p in enumerate(row) if p), _ZERO)
        behind = row[choice] * below[choice].behind + (1 - row[choice]) * known[choice].least
        behind -= sum((p * below[a].most for a, p in enumerate(row) if p and a != choice), _ZERO)
        return Continued(right, uniform, least, most, behind)


def _folded(
    root: int,
    known: dict[int, _Value],
    children: Callable[[int], Sequence[int]],
    combine: Callable[[int, Sequence[_Value]], _Value],
) -> _Value:
    """Return the value of a node, combined from the values of its children, without recursion.

    Values in ``known`` are reused, and new values are added to ``known``.
    """
    pending = [root]
    while pending:
        node = pending[-1]
        below = [] if node in known else children(node)
        lacking = [child for child in below if child not in known]
        if lacking:
            pending += lacking
            continue
        if node not in known:
            known[node] = combine(node, [known[child] for child in below])
        pending.pop()
    return known[root]

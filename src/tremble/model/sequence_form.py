r"""The sequence form (von Stengel 1996): a two-player game in numbers linear in the size of the tree.

A *sequence* of a player with perfect recall is what it did so far: the empty sequence (number 0) or its
last (information set, action). The sequences of information set k are ``start[k]:start[k + 1]``, in
action order; sets come in order of first appearance in preorder, hence a parent before its children.

A *realization plan* x gives every sequence the probability that the player plays it:

.. math::  x_0 = 1, \qquad \sum_a x_{(k,a)} = x_{parent(k)} \quad\text{for every set } k, \qquad x \ge 0 .

The expected payoff of player 1 is :math:`x^T U y`, where U sums, over the leaves reached by a pair of
sequences, chance probability times payoff.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.model.game import CHANCE
from tremble.model.recall import last_sequence, nearest_marked, parent_sequence, require_perfect_recall
from tremble.model.tree import GameTree, IntArray, integer_array, require_tree

__all__ = ["ChanceReach", "SequenceForm", "chance_reach", "exact_product"]

_INT64_SAFE = 2**62
_MAX_CHANCE_BITS = 200_000_000
_REDUCED_BITS = 4096  # longer fractions are not reduced: their greatest common divisors cost too much


@dataclass(frozen=True, eq=False)
class ChanceReach:
    """Exact probabilities that chance plays towards some nodes.

    Attributes
    ----------
    numerator : int64 or object, one per node
    denominator : int
    """

    numerator: IntArray
    denominator: int


def chance_reach(tree: GameTree, nodes: NDArray[np.int64] | None = None) -> ChanceReach:
    """Probability that chance plays towards each of these nodes (each leaf), as integers over one denominator."""
    numerator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    denominator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    dealt = np.zeros(tree.num_nodes, dtype=np.bool_)
    dealt[1:] = tree.player[tree.parent[1:]] == CHANCE
    nearest = nearest_marked(tree, dealt)
    if tree.chance_tables:
        start = np.concatenate(([0], np.cumsum([len(t.labels) for t in tree.chance_tables])))
        top = integer_array([p.numerator for t in tree.chance_tables for p in t.probabilities])
        bottom = integer_array([p.denominator for t in tree.chance_tables for p in t.probabilities])
        outcomes = np.flatnonzero(dealt)
        bits = longest = 0
        depth = np.searchsorted(tree.level, outcomes, side="right")
        for group in np.split(outcomes, np.flatnonzero(np.diff(depth)) + 1):  # one level after the other
            parent = tree.parent[group]
            entry = start[tree.infoset[parent]] + tree.action[group]
            above = nearest[parent]
            p = exact_product(numerator[above], top[entry])
            q = exact_product(denominator[above], bottom[entry])
            if numerator.dtype != object and (p.dtype == object or q.dtype == object):
                numerator, denominator = numerator.astype(object), denominator.astype(object)
            if q.dtype == object:
                longest = max(value.bit_length() for value in q.tolist())
                bits += longest * len(group)
                if bits > _MAX_CHANCE_BITS:
                    raise TooLargeError(
                        "the probabilities with which chance reaches the nodes are too long to write down exactly "
                        f"(more than {_MAX_CHANCE_BITS:,} bits in all)"
                    )
            if q.dtype != object or longest < _REDUCED_BITS:
                common = np.gcd(p, q)
                p, q = p // common, q // common
            numerator[group], denominator[group] = p, q
    wanted = nearest[tree.leaves if nodes is None else nodes]
    num, den = numerator[wanted], denominator[wanted]
    common_denominator = 1
    for denominator_of_leaf in sorted({int(d) for d in den.tolist()}):
        if denominator_of_leaf % common_denominator == 0:
            common_denominator = denominator_of_leaf
        else:
            common_denominator = lcm(common_denominator, denominator_of_leaf)
        if common_denominator.bit_length() * len(den) > 8 * _MAX_CHANCE_BITS:
            raise TooLargeError("the chance probabilities have too many different long denominators to be made common")
    if num.dtype != object and common_denominator < _INT64_SAFE:
        return ChanceReach(num * (common_denominator // den), common_denominator)
    scaled = [int(p) * (common_denominator // int(q)) for p, q in zip(num.tolist(), den.tolist(), strict=True)]
    return ChanceReach(integer_array(scaled), common_denominator)


def _largest(values: IntArray) -> int:
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def exact_product(a: IntArray, b: IntArray) -> IntArray:
    """The elementwise product, in int64 where it is sure to fit, else in Python integers."""
    if a.dtype == object or b.dtype == object or _largest(a) * _largest(b) >= _INT64_SAFE:
        a, b = a.astype(object), b.astype(object)
    product: IntArray = a * b
    return product


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game in sequence form, with exact payoffs.

    Shapes: S_i sequences and J_i information sets of player i, T nonzero payoff entries.

    Attributes
    ----------
    parent : pair of int64[J_i]
        Sequence that leads to each information set.
    start : pair of int64[J_i + 1]
        The sequences of set k are ``start[k]:start[k + 1]``; ``start[0]`` is 1.
    row, column : int64[T]
        Sequences of player 1 and 2 of each payoff entry; sorted by row, then column; no pair twice.
    payoff : int64[T] or object[T]
        Player 1's expected payoff as integers over ``denominator``, chance included; greatest common
        divisor 1 with the denominator is not guaranteed.
    denominator : int
    leaf_sequence : pair of int64[L]
        Own sequence of each player at each leaf of the tree.

    Examples
    --------
    >>> import tremble
    >>> form = tremble.SequenceForm.of(tremble.load("kuhn"))
    >>> form.num_sequences
    (13, 13)

    References
    ----------
    B. von Stengel: Efficient computation of behavior strategies, Games and Economic Behavior 14, 1996.
    """

    parent: tuple[NDArray[np.int64], NDArray[np.int64]]
    start: tuple[NDArray[np.int64], NDArray[np.int64]]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    payoff: IntArray
    denominator: int
    leaf_sequence: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, tree: GameTree) -> SequenceForm:
        """The sequence form of a tree; ``ImperfectRecallError`` if a player forgets."""
        require_tree(tree)
        last = (last_sequence(tree, 0), last_sequence(tree, 1))
        one, two = (parent_sequence(tree, i, last[i]) for i in (0, 1))
        if one is None or two is None:
            require_perfect_recall(tree)
            raise AssertionError("unreachable")
        at_leaf = (last[0][tree.leaves], last[1][tree.leaves])
        reach = chance_reach(tree)
        weight = exact_product(reach.numerator, tree.payoff[:, 0])
        kept = np.flatnonzero(weight != 0)
        width = tree.num_slots[1] + 1
        cell = at_leaf[0][kept] * width + at_leaf[1][kept]
        order = np.argsort(cell, kind="stable")
        cell, weight = cell[order], weight[kept][order]
        begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1]))) if len(cell) else np.zeros(0, np.int64)
        if len(begin):
            if weight.dtype != object and len(cell) * _largest(weight) >= _INT64_SAFE:
                weight = weight.astype(object)
            weight, cell = np.add.reduceat(weight, begin), cell[begin]
        nonzero = weight != 0
        return cls(
            parent=(one, two),
            start=(tree.slot_start[0] + 1, tree.slot_start[1] + 1),
            row=cell[nonzero] // width,
            column=cell[nonzero] % width,
            payoff=weight[nonzero],
            denominator=reach.denominator * tree.payoff_denominator,
            leaf_sequence=at_leaf,
        )

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, the empty one included."""
        return int(self.start[0][-1]), int(self.start[1][-1])

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return len(self.parent[0]), len(self.parent[1])

    def payoff_content(self) -> int:
        """Greatest common divisor of all payoff integers (1 if there are none)."""
        if not len(self.payoff):
            return 1
        if self.payoff.dtype == object:
            return gcd(*self.payoff.tolist())
        return int(np.gcd.reduce(self.payoff))

    def payoff_fraction(self, numerator: Any) -> Fraction:
        """An integer in units of the payoff matrix as a payoff."""
        return Fraction(int(numerator), self.denominator)

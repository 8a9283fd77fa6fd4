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

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.exact_integers import INT64_SAFE, exact_product, is_wide, narrowed, safe_to_add
from tremble.model.game import CHANCE
from tremble.model.recall import last_sequence, nearest_marked, required_parent_sequence
from tremble.model.tree import GameTree, IntArray, as_floats, integer_array, require_player, require_tree, starts

__all__ = ["ChanceReach", "SequenceForm", "Side", "best_values", "chance_reach"]

_MAX_CHANCE_BITS = 200_000_000
_REDUCED_BITS = 4096  # longer fractions are not reduced: their greatest common divisors cost too much


class ChanceReach(NamedTuple):
    """Exact probabilities that chance plays towards some nodes, as integers over one denominator."""

    numerator: IntArray
    denominator: int


def chance_reach(tree: GameTree, nodes: NDArray[np.int64] | None = None) -> ChanceReach:
    """Probability that chance plays towards each of these nodes (each leaf)."""
    numerator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    denominator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    dealt = np.zeros(tree.num_nodes, dtype=np.bool_)
    dealt[1:] = tree.player[tree.parent[1:]] == CHANCE
    nearest = nearest_marked(tree, dealt)
    if tree.chance_tables:
        start = starts([table.labels for table in tree.chance_tables])
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
            if is_wide(p, q):
                numerator, denominator = numerator.astype(object, copy=False), denominator.astype(object, copy=False)
            if is_wide(q):
                longest = max(value.bit_length() for value in q.tolist())
                bits += longest * len(group)
                if bits > _MAX_CHANCE_BITS:
                    raise TooLargeError(
                        "the probabilities with which chance reaches the nodes are too long to write down exactly "
                        f"(more than {_MAX_CHANCE_BITS:,} bits in all)"
                    )
            if not is_wide(q) or longest < _REDUCED_BITS:
                common = np.gcd(p, q)
                p, q = p // common, q // common
            numerator[group], denominator[group] = p, q
    wanted = nearest[tree.leaves if nodes is None else nodes]
    num, den = numerator[wanted], denominator[wanted]
    common_denominator = 1
    for denominator_of_leaf in np.unique(den).tolist():
        if denominator_of_leaf % common_denominator == 0:
            common_denominator = denominator_of_leaf
        else:
            common_denominator = lcm(common_denominator, denominator_of_leaf)
        if common_denominator.bit_length() * len(den) > 8 * _MAX_CHANCE_BITS:
            raise TooLargeError("the chance probabilities have too many different long denominators to be made common")
    if common_denominator >= INT64_SAFE:
        num, den = num.astype(object), den.astype(object)
    return ChanceReach(narrowed(num * (common_denominator // den)), common_denominator)


@dataclass(frozen=True, eq=False)
class Side:
    """One player's part of a sequence form: own sequences by rows, and what they pay.

    Shapes: S own sequences, J own information sets, T pairs of sequences at which the game ends.

    Attributes
    ----------
    player : int
        0 or 1.
    parent : int64[J]
        Sequence that leads to each information set.
    start : int64[J + 1]
        The sequences of set k are ``start[k]:start[k + 1]``, behind the one that leads there.
    first : int64[S + 1]
        The pairs with own sequence s are ``first[s]:first[s + 1]``.
    opponent : int64[T]
        The opponent's sequence of each pair.
    payoff : int64[T] or object[T]
        The player's own payoff at each pair, chance included, as integers over ``denominator``.
    denominator : int

    Examples
    --------
    Against an opponent who plays every sequence uniformly, a best response earns

    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> plan = tremble.BehaviorStrategy.uniform(kuhn, 1).to_realization_plan()
    >>> side = tremble.SequenceForm.of(kuhn).side(0)
    >>> Fraction(side.best_values(side.gains(plan.weight).tolist())[0], side.denominator * plan.denominator)
    Fraction(1, 2)
    """

    player: int
    parent: NDArray[np.int64]
    start: NDArray[np.int64]
    first: NDArray[np.int64]
    opponent: NDArray[np.int64]
    payoff: IntArray
    denominator: int

    @property
    def num_sequences(self) -> int:
        """Number of own sequences, the empty one included."""
        return len(self.first) - 1

    @property
    def num_infosets(self) -> int:
        """Number of own information sets."""
        return len(self.parent)

    @cached_property
    def payoff_float(self) -> NDArray[np.float64]:
        """The payoffs as floats, each rounded once; computed when first asked for, and kept."""
        return as_floats(self.payoff, self.denominator)

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums [S, ...] over the pairs [T, ...] of each own sequence."""
        total = np.zeros((self.num_sequences, *values.shape[1:]), dtype=values.dtype)
        filled = np.flatnonzero(self.first[1:] > self.first[:-1])
        if len(filled):
            total[filled] = np.add.reduceat(values, self.first[filled], axis=0)
        return total

    def pairs(self, sequences: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of these own sequences, one after the other: which of the sequences, and which pair."""
        count = self.first[sequences + 1] - self.first[sequences]
        offset = np.cumsum(count) - count
        pair = np.repeat(self.first[sequences] - offset, count) + np.arange(int(count.sum()))
        return np.repeat(np.arange(len(sequences)), count), pair

    def gains(self, weight: NDArray[Any]) -> NDArray[Any]:
        """What each own sequence earns at the leaves that end it, against a plan or several of the opponent.

        Parameters
        ----------
        weight : integers or floats [S'] or [S', n]
            For each sequence of the opponent.

        Returns
        -------
        integers over ``denominator``, or floats: [S] or [S, n]
        """
        exact = weight.dtype != np.float64
        payoff: NDArray[Any] = self.payoff if exact else self.payoff_float
        payoff = payoff.reshape(-1, *[1] * (weight.ndim - 1))
        weight = weight[self.opponent]
        return self.sums(safe_to_add(exact_product(payoff, weight)) if exact else payoff * weight)

    def sequences(self, k: int) -> range:
        """Own sequences of set k, in action order."""
        return range(int(self.start[k]), int(self.start[k + 1]))

    def best_values(self, gain: list[Any]) -> list[Any]:
        """What each own sequence earns if best responses follow, given what it :meth:`gains` itself."""
        return best_values(self.parent, self.start, gain)


def best_values(parent: NDArray[np.int64], start: NDArray[np.int64], gain: list[Any]) -> list[Any]:
    """What each sequence of a player earns if best responses follow, given what it gains itself."""
    value = gain.copy()
    before, bounds = parent.tolist(), start.tolist()
    for k in range(len(before) - 1, -1, -1):
        value[before[k]] += max(value[bounds[k] : bounds[k + 1]])
    return value


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game in sequence form, with exact payoffs.

    Shapes: S_i sequences and J_i information sets of player i, T pairs of sequences at which the game ends.

    Attributes
    ----------
    parent : pair of int64[J_i]
        Sequence that leads to each information set.
    start : pair of int64[J_i + 1]
        The sequences of set k are ``start[k]:start[k + 1]``; ``start[0]`` is 1.
    row, column : int64[T]
        Sequences of player 1 and 2 of each pair; sorted by row, then column; no pair twice.
    payoff : int64[T] or object[T]
        Player 1's expected payoff at each pair as integers over ``denominator``, chance included; greatest common
        divisor 1 with the denominator is not guaranteed.
    denominator : int
    payoff2 : int64[T] or object[T], or None
        Player 2's; None where it is minus player 1's.
    mass : int64[T] or object[T], or None
        Probability that chance leads to each pair, in integers over some denominator, such that a payoff of u per play
        adds up to ``u * mass / denominator`` where u is an integer over the tree's own denominator. None where it was
        not derived from a tree.

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
    payoff2: IntArray | None = None
    mass: IntArray | None = None

    @classmethod
    def of(cls, tree: GameTree) -> SequenceForm:
        """The sequence form of a tree, computed once and kept as long as the tree.

        Raises
        ------
        ImperfectRecallError
            A player forgets.
        TooLargeError
            The probabilities of chance are too long to write down.
        """
        require_tree(tree)
        form = _KEPT.get(tree)
        if form is None:
            form = _KEPT[tree] = _derived(tree)
        return form

    def side(self, player: int) -> Side:
        """The game as one player (0 or 1) sees it; made when first asked for, and kept."""
        require_player(player)
        return self._second if player else self._first

    @cached_property
    def _first(self) -> Side:
        first = np.searchsorted(self.row, np.arange(self.num_sequences[0] + 1))
        return Side(0, self.parent[0], self.start[0], first, self.column, self.payoff, self.denominator)

    @cached_property
    def _second(self) -> Side:
        order = np.argsort(self.column, kind="stable")
        first = np.searchsorted(self.column[order], np.arange(self.num_sequences[1] + 1))
        payoff = -self.payoff[order] if self.payoff2 is None else self.payoff2[order]
        opponent = self.row[order]
        opponent.setflags(write=False)
        payoff.setflags(write=False)
        return Side(1, self.parent[1], self.start[1], first, opponent, payoff, self.denominator)

    def zero_sum(self) -> SequenceForm:
        """The same game with minus player 1's payoffs for player 2."""
        return self if self.payoff2 is None else replace(self, payoff2=None)

    def exchanged(self) -> SequenceForm:
        """The zero-sum game in which player 2 is called player 1, with its own payoffs."""
        side = self.side(1)
        own = np.repeat(np.arange(side.num_sequences), np.diff(side.first))
        return SequenceForm(self.parent[::-1], self.start[::-1], own, side.opponent, side.payoff, self.denominator)

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, the empty one included."""
        return int(self.start[0][-1]), int(self.start[1][-1])

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return len(self.parent[0]), len(self.parent[1])

    def matrix(self) -> tuple[NDArray[np.int64], NDArray[np.int64], IntArray, Fraction]:
        """Player 1's payoff matrix: row, column and value of its nonzero entries, as integers without a common divisor.

        The last of the four is the payoff that an integer 1 stands for.
        """
        content = self.payoff_content()
        nonzero = self.payoff != 0
        payoff = self.payoff[nonzero]
        payoff //= content
        return self.row[nonzero], self.column[nonzero], payoff, Fraction(content, self.denominator)

    def payoff_content(self) -> int:
        """Greatest common divisor of player 1's payoff integers (1 if all are zero)."""
        return int(np.gcd.reduce(self.payoff)) or 1


_KEPT: WeakKeyDictionary[GameTree, SequenceForm] = WeakKeyDictionary()


def _derived(tree: GameTree) -> SequenceForm:
    last = (last_sequence(tree, 0), last_sequence(tree, 1))
    one, two = (required_parent_sequence(tree, i, last[i]) for i in (0, 1))
    width = tree.num_slots[1] + 1
    cell = last[0][tree.leaves] * width + last[1][tree.leaves]
    del last
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    row, column = np.divmod(cell[begin], width)
    del cell
    reach = chance_reach(tree)

    def summed(values: IntArray) -> IntArray:
        total: IntArray = np.add.reduceat(safe_to_add(values)[order], begin)
        return total

    def payoff(player: int) -> IntArray:
        return summed(exact_product(reach.numerator, tree.payoff[:, player]))

    form = SequenceForm(
        parent=(one, two),
        start=(tree.slot_start[0] + 1, tree.slot_start[1] + 1),
        row=row,
        column=column,
        payoff=payoff(0),
        denominator=reach.denominator * tree.payoff_denominator,
        payoff2=None if tree.zero_sum else payoff(1),
        mass=summed(reach.numerator),
    )
    for values in (*form.start, form.row, form.column, form.payoff, form.payoff2, form.mass):
        if values is not None:
            values.setflags(write=False)
    return form

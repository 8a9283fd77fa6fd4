r"""The sequence form (von Stengel 1996): a two-player game whose size is linear in the size of the tree.

A *sequence* of a player with perfect recall is the list of its moves so far. It is named by its last move: the empty
sequence has the number 0, and the sequences of information set k, one per action, are ``start[k]:start[k + 1]`` in
action order. Sets are numbered by first appearance in preorder, hence each before the sets that follow it.

A *realization plan* x assigns to each sequence the probability that the player plays it:

.. math::  x_0 = 1, \qquad \sum_a x_{(k,a)} = x_{parent(k)} \quad\text{for every set } k, \qquad x \ge 0 .

The expected payoff of player 1 is :math:`x^T U y`. The entry of U for a pair of sequences is the sum, over the leaves
that they reach, of the probability of chance times the payoff.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.protocol import CHANCE
from tremble.game.requirements import nearest_marked, require_tree
from tremble.game.sequences import Sequences, refined, remembered, segments
from tremble.game.tree import GameTree, IntArray, as_floats, require_player, starts
from tremble.integers import INT64_SAFE, exact_product, integer_array, is_wide, narrowed, safe_to_add
from tremble.lazy import KeptWith
from tremble.value import Value

__all__ = ["ChanceReach", "SequenceForm", "Side", "chance_reach"]

_MAX_CHANCE_BITS = 200_000_000
_REDUCED_BITS = 4096  # longer fractions are not reduced: their greatest common divisors cost too much


class ChanceReach(NamedTuple):
    """Exact probabilities that chance plays towards each of some nodes, as integers over one denominator."""

    numerator: IntArray
    denominator: int


def chance_reach(tree: GameTree, nodes: NDArray[np.int64] | None = None) -> ChanceReach:
    """Compute the probability that chance plays towards each of these nodes, by default towards each leaf."""
    numerator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    denominator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    dealt = np.zeros(tree.num_nodes, dtype=np.bool_)
    dealt[1:] = tree.player[tree.parent[1:]] == CHANCE
    nearest = nearest_marked(tree, dealt)
    # Multiply the probabilities of chance down the tree. A node has the product at the last outcome of chance above it.
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
    # Write the probabilities over one denominator.
    outcome = nearest[tree.leaves if nodes is None else nodes]
    num, den = numerator[outcome], denominator[outcome]
    common_denominator = 1
    for denominator_of_leaf in np.unique(den).tolist():
        if denominator_of_leaf % common_denominator == 0:
            common_denominator = denominator_of_leaf
        else:
            common_denominator = lcm(common_denominator, denominator_of_leaf)
        if common_denominator.bit_length() * len(den) > 8 * _MAX_CHANCE_BITS:
            raise TooLargeError("the chance probabilities have too many different long denominators for a common one")
    if common_denominator >= INT64_SAFE:
        num, den = num.astype(object), den.astype(object)
    return ChanceReach(narrowed(num * (common_denominator // den)), common_denominator)


@dataclass(frozen=True, eq=False, repr=False)
class Side(Sequences):
    """The sequence form from the view of one player: its sequences as rows, and their payoffs.

    Shapes: S own sequences, T pairs of sequences at which the game ends.

    Attributes
    ----------
    first : int64[S + 1]
        The pairs with own sequence s are ``first[s]:first[s + 1]``.
    opponent : int64[T]
        The opponent's sequence of each pair.
    payoff : int64[T] or object[T]
        The player's own payoff at each pair, times the probability of chance, as integers over ``denominator``.
    denominator : int

    Examples
    --------
    The best-response value against an opponent who plays every action with equal probability:

    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> plan = tremble.BehaviorStrategy.uniform(kuhn, 1).to_realization_plan()
    >>> side = tremble.strategies.SequenceForm.of(kuhn).side(0)
    >>> Fraction(side.best_values(side.gains(plan.weight).tolist())[0], side.denominator * plan.denominator)
    Fraction(1, 2)
    """

    first: NDArray[np.int64]
    opponent: NDArray[np.int64]
    payoff: IntArray
    denominator: int

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The own sequence of each pair, int64[T]."""
        return np.repeat(np.arange(self.num_sequences), np.diff(self.first))

    @cached_property
    def payoff_float(self) -> NDArray[np.float64]:
        """The payoffs as floats, each rounded once; computed on first use and cached."""
        return as_floats(self.payoff, self.denominator)

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up values of pairs, [T, ...], by own sequence: [S, ...]."""
        total = np.zeros((self.num_sequences, *values.shape[1:]), dtype=values.dtype)
        filled = np.flatnonzero(self.first[1:] > self.first[:-1])
        if len(filled):
            total[filled] = np.add.reduceat(values, self.first[filled], axis=0)
        return total

    def pairs(self, sequences: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs of these own sequences, concatenated: the index into ``sequences`` and the pair of each."""
        count = self.first[sequences + 1] - self.first[sequences]
        return np.repeat(np.arange(len(sequences)), count), segments(self.first[sequences], count)

    def gains(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return the payoff of each own sequence at the leaves that end it, against one or more plans of the opponent.

        Parameters
        ----------
        weight : integers or floats [S'] or [S', n]
            The weight of each sequence of the opponent.

        Returns
        -------
        integers over ``denominator``, or floats: [S] or [S, n]
        """
        exact = weight.dtype != np.float64
        payoff: NDArray[Any] = self.payoff if exact else self.payoff_float
        payoff = payoff.reshape(-1, *[1] * (weight.ndim - 1))
        weight = weight[self.opponent]
        return self.sums(safe_to_add(exact_product(payoff, weight)) if exact else payoff * weight)


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm(Value):
    """A game in sequence form, with exact payoffs.

    Shapes: S_i sequences and J_i information sets of player i, T pairs of sequences at which the game ends.

    Attributes
    ----------
    sequences : pair of Sequences
        For both players, the sequence that leads to each information set and the sequences that follow it.
    row, column : int64[T]
        Sequences of player 1 and 2 of each pair; sorted by row, then column; no pair twice.
    payoff : int64[T] or object[T]
        Payoff of player 1 at each pair, times the probability of chance, as integers over ``denominator``; not
        necessarily in lowest terms.
    denominator : int
    payoff2 : int64[T] or object[T], or None
        Payoff of player 2; None if it is minus the payoff of player 1.
    mass : int64[T] or object[T], or None
        Probability that chance leads to each pair, as integers in a unit such that a payoff of u per play adds up to
        ``u * mass / denominator``, if u is an integer over the denominator of the tree. None if the form was not made
        from a tree.

    Examples
    --------
    >>> import tremble
    >>> form = tremble.strategies.SequenceForm.of(tremble.load("kuhn"))
    >>> form.num_sequences
    (13, 13)

    References
    ----------
    B. von Stengel: Efficient computation of behavior strategies, Games and Economic Behavior 14, 1996.
    """

    sequences: tuple[Sequences, Sequences]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    payoff: IntArray
    denominator: int
    payoff2: IntArray | None = None
    mass: IntArray | None = None

    @classmethod
    def of(cls, tree: GameTree) -> SequenceForm:
        """Return the sequence form of a tree, which is cached as long as the tree exists.

        Raises
        ------
        ImperfectRecallError
            A player forgets.
        TooLargeError
            The exact probabilities of chance are too long.
        """
        return _cached(tree, remembered)

    @classmethod
    def refined(cls, tree: GameTree) -> SequenceForm:
        """Return the sequence form with refined sets, for players without perfect recall; it is cached too.

        Refined sets, also those of players with perfect recall, are sorted by the number of own moves before them, then
        by the sequence that leads to them, then by original set.
        """
        return _cached(tree, refined)

    def side(self, player: int) -> Side:
        """Return the view of player 0 or 1; made on first use and cached."""
        require_player(player)
        return self._second if player else self._first

    @cached_property
    def _first(self) -> Side:
        own = self.sequences[0]
        first = np.searchsorted(self.row, np.arange(own.num_sequences + 1))
        return Side(0, own.parent, own.start, own.infoset, first, self.column, self.payoff, self.denominator)

    @cached_property
    def _second(self) -> Side:
        own, order = self.sequences[1], np.argsort(self.column, kind="stable")
        first = np.searchsorted(self.column[order], np.arange(own.num_sequences + 1))
        payoff = -self.payoff[order] if self.payoff2 is None else self.payoff2[order]
        opponent = self.row[order]
        opponent.setflags(write=False)
        payoff.setflags(write=False)
        return Side(1, own.parent, own.start, own.infoset, first, opponent, payoff, self.denominator)

    def zero_sum(self, player: int = 0) -> SequenceForm:
        """Return the zero-sum game with the payoffs of this player; the other player has minus these payoffs."""
        if self.payoff2 is None:
            return self
        return replace(self, payoff=-self.payoff2 if player else self.payoff, payoff2=None)

    def exchanged(self) -> SequenceForm:
        """Return the zero-sum game with the payoffs of player 1, with both players exchanged."""
        side = self.zero_sum().side(1)
        own1, own2 = (replace(own, player=1 - own.player) for own in self.sequences[::-1])
        return SequenceForm((own1, own2), side.row, side.opponent, side.payoff, self.denominator)

    @property
    def parent(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sequence that leads to each information set, int64[J_i] for each player."""
        return self.sequences[0].parent, self.sequences[1].parent

    @property
    def start(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The starts of sets, int64[J_i + 1] for each player: set k has the sequences ``start[k]:start[k + 1]``."""
        return self.sequences[0].start, self.sequences[1].start

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, the empty one included."""
        return self.sequences[0].num_sequences, self.sequences[1].num_sequences

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return self.sequences[0].num_infosets, self.sequences[1].num_infosets

    def matrix(self) -> tuple[NDArray[np.int64], NDArray[np.int64], IntArray, Fraction]:
        """Return the nonzero entries of player 1's payoff matrix: rows, columns, integers and their unit.

        The integers have no common divisor. The unit is the payoff that the integer 1 stands for.
        """
        content = self.payoff_content()
        nonzero = self.payoff != 0
        payoff = self.payoff[nonzero]
        payoff //= content
        return self.row[nonzero], self.column[nonzero], payoff, Fraction(content, self.denominator)

    def payoff_content(self) -> int:
        """Return the greatest common divisor of player 1's payoff integers (1 if all are zero)."""
        return int(np.gcd.reduce(self.payoff)) or 1


_NumberSequences = Callable[[GameTree, int], tuple[Sequences, NDArray[np.int64]]]

_FORMS: KeptWith[GameTree, dict[_NumberSequences, SequenceForm]] = KeptWith(lambda _: {})


def _cached(tree: GameTree, sequences_of: _NumberSequences) -> SequenceForm:
    require_tree(tree)
    forms = _FORMS(tree)
    if sequences_of not in forms:
        forms[sequences_of] = _sequence_form(tree, sequences_of)
    return forms[sequences_of]


def _sequence_form(tree: GameTree, sequences_of: _NumberSequences) -> SequenceForm:
    # Number the pair of sequences of each leaf, sort the leaves by pair, and find where each pair begins.
    (own1, at_node1), (own2, at_node2) = sequences_of(tree, 0), sequences_of(tree, 1)
    width = own2.num_sequences
    cell = at_node1[tree.leaves] * width + at_node2[tree.leaves]
    del at_node1, at_node2
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    row, column = np.divmod(cell[begin], width)
    del cell
    # Add up the payoffs of the leaves of each pair, times the probability of chance.
    reach = chance_reach(tree)

    def summed(values: IntArray) -> IntArray:
        total: IntArray = np.add.reduceat(safe_to_add(values)[order], begin)
        return total

    def payoff(player: int) -> IntArray:
        return summed(exact_product(reach.numerator, tree.payoff[:, player]))

    form = SequenceForm(
        sequences=(own1, own2),
        row=row,
        column=column,
        payoff=payoff(0),
        denominator=reach.denominator * tree.payoff_denominator,
        payoff2=None if tree.zero_sum else payoff(1),
        mass=summed(reach.numerator),
    )
    for values in (form.row, form.column, form.payoff, form.payoff2, form.mass):
        if values is not None:
            values.setflags(write=False)
    return form

r"""The sequence form (von Stengel 1996): a two-player game whose size is linear in the size of the tree.

A *sequence* of a player with perfect recall is the list of its moves so far. The last move identifies the sequence. The
empty sequence has the number 0. The sequences of information set k, one per action, have the numbers
``start[k]:start[k + 1]`` in action order. Sets are numbered by first appearance in preorder, so every set has a smaller
number than the sets that follow it in play.

A *realization plan* x assigns to each sequence the probability that the player plays it:

.. math::  x_0 = 1, \qquad \sum_a x_{(k,a)} = x_{parent(k)} \quad\text{for every set } k, \qquad x \ge 0 .

The expected payoff of player 1 is :math:`x^T U y`. The entry of U for a pair of sequences is a sum over the leaves at
which both sequences end. Each leaf adds its chance probability times its payoff.

The sequence that leads to a set has a smaller number than the sequences of the set. So one loop over the sets computes
all values that depend on earlier sequences, and one loop backwards computes all values that depend on later sequences.

With perfect recall, one sequence leads to each information set of the tree (:func:`remembered`). Without perfect
recall, multiple sequences may lead to a set. A *refined set* is then a pair of an information set and an own sequence
that leads to one of its nodes (:func:`refined`). All refined sets of one information set have the same actions. A
behavior strategy has the same probabilities at all refined sets of one information set.
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
from tremble.game.requirements import last_sequence, nearest_marked, require_tree, required_parent_sequence
from tremble.game.tree import GameTree, require_player
from tremble.game.tree_arrays import IntArray, integer_array, starts
from tremble.integers import INT64_SAFE, as_floats, common_divisor, exact_product, is_wide, narrowed, safe_to_add
from tremble.lazy import KeptWith
from tremble.value import Value

__all__ = [
    "ChanceReach",
    "Level",
    "SequenceForm",
    "Sequences",
    "Side",
    "chance_reach",
    "refined",
    "remembered",
    "segments",
]


def segments(first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenate the integers of the ranges ``first[k] : first[k] + count[k]``.

    Examples
    --------
    >>> segments(np.array([5, 1]), np.array([2, 3]))
    array([5, 6, 1, 2, 3])
    """
    offset = np.cumsum(count) - count
    return np.repeat(first - offset, count) + np.arange(int(count.sum()))


@dataclass(frozen=True, eq=False)
class Level:
    """All sets of a player that follow the same number of own moves, and the sequences of these sets."""

    sets: NDArray[np.int64]
    sequences: NDArray[np.int64]
    offset: NDArray[np.int64]  # start of the sequences of each set in ``sequences``
    width: NDArray[np.int64]  # number of sequences of each set


@dataclass(frozen=True, eq=False, repr=False)
class Sequences(Value):
    """The sequences and the sets of one player.

    The player has S sequences, K sets, and J information sets in the tree. With perfect recall, the sets are these
    information sets and K = J. Otherwise, the sets are refined sets.

    Attributes
    ----------
    player : int
        0 or 1.
    parent : int64[K]
        Sequence that leads to each set.
    start : int64[K + 1]
        The sequences of set k are ``start[k]:start[k + 1]``; the sequence that leads to set k has a smaller number.
    infoset : int64[K]
        The information set of the tree that each set equals or refines.

    Examples
    --------
    >>> import tremble
    >>> from tremble.strategies import SequenceForm
    >>> own = SequenceForm.of(tremble.load("kuhn")).sequences[0]
    >>> own.num_sequences, own.num_infosets
    (13, 6)
    """

    player: int
    parent: NDArray[np.int64]
    start: NDArray[np.int64]
    infoset: NDArray[np.int64]

    @property
    def num_sequences(self) -> int:
        """Number of sequences, including the empty sequence."""
        return int(self.start[-1])

    @property
    def num_infosets(self) -> int:
        """Number of the player's information sets, K."""
        return len(self.parent)

    @cached_property
    def width(self) -> NDArray[np.int64]:
        """Number of actions of each set, int64[K]."""
        return np.diff(self.start)

    def sequences(self, k: int) -> range:
        """Return the sequences of set k, in action order."""
        return range(int(self.start[k]), int(self.start[k + 1]))

    def steps(self) -> list[tuple[int, int, int]]:
        """Return ``(parent[k], start[k], start[k + 1])`` for each set k, for a loop over the sets in order."""
        start = self.start.tolist()
        return list(zip(self.parent.tolist(), start[:-1], start[1:], strict=True))

    @cached_property
    def set_of(self) -> NDArray[np.int64]:
        """The set at which each sequence makes its last move, int64[S]; -1 for the empty sequence."""
        return np.concatenate(([-1], np.repeat(np.arange(self.num_infosets), self.width))).astype(np.int64)

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Index of each sequence's parent (the sequence without its last move), int64[S]; 0 for the empty sequence."""
        return np.concatenate(([0], np.repeat(self.parent, self.width))).astype(np.int64)

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """Number of moves of each sequence, int64[S]."""
        return _moves(self.before)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The sets, in groups with equal numbers of own moves before the set. Groups with fewer moves are first."""
        moves, width = self.length[self.parent], self.width
        order = np.argsort(moves, kind="stable")
        levels = []
        for sets in np.split(order, np.cumsum(np.bincount(moves))[:-1]) if len(order) else []:
            count = width[sets]
            levels.append(Level(sets, segments(self.start[sets], count), np.cumsum(count) - count, count))
        return tuple(levels)

    # -- values of sequences -------------------------------------------------------------------------

    def weights(self, share: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each sequence: the ``share`` of its last move times the weight before this move.

        Shares and weights have the shape [S], or [S, n] for n plans. Entry 0 belongs to the empty sequence. Boolean
        shares mark the actions that are played; the result then marks the sequences that are played.
        """
        weight = share.copy()
        for before, first, end in self.steps():
            weight[first:end] *= weight[before]
        return weight

    def totals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64[S]: for each sequence, the sum of ``values[slot]`` over the slots of its moves."""
        total = np.insert(values, 0, 0)[self.slot + 1]
        for before, first, end in self.steps():
            total[first:end] += total[before]
        return total

    def plan(self, behavior: NDArray[Any]) -> NDArray[Any]:
        """Convert the probabilities of actions (one for each slot) to a plan (one weight for each sequence)."""
        return self.weights(np.insert(behavior, 0, 1, axis=0)[self.slot + 1])

    def best_values(self, gain: list[Any]) -> list[Any]:
        """Return the value of each sequence if best actions follow. ``gain`` comes from :meth:`Side.gains`."""
        value = gain.copy()
        for before, first, end in reversed(self.steps()):
            value[before] += max(value[first:end])
        return value

    def most_behind(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return, for each set k, the maximum of ``values`` over the sequences at k and at all sets that follow k."""
        most = values.tolist()
        greatest = []
        for before, first, end in reversed(self.steps()):
            greatest.append(max(most[first:end]))
            most[before] = max(most[before], greatest[-1])
        return np.array(greatest[::-1], dtype=values.dtype)

    # -- the sets of the tree ------------------------------------------------------------------------

    @cached_property
    def forgetful(self) -> NDArray[np.bool_]:
        """Mask bool[J]: True for information sets that the player can reach by more than one own sequence."""
        return np.bincount(self.infoset) > 1

    @cached_property
    def slot_start(self) -> NDArray[np.int64]:
        """First slot (:mod:`tremble.game.tree`) of each set, int64[J + 1]. The last entry is the number of slots."""
        width = np.zeros(len(self.forgetful), dtype=np.int64)
        width[self.infoset] = self.width
        return np.concatenate(([0], np.cumsum(width)))

    @cached_property
    def slot(self) -> NDArray[np.int64]:
        """Slot of the last move of each sequence, int64[S]; -1 for the empty sequence."""
        slot = np.arange(-1, self.num_sequences - 1)
        slot[1:] += np.repeat(self.slot_start[self.infoset] - self.start[:-1] + 1, self.width)
        return slot

    def last_moves(self, sequence: int, most: int) -> list[int]:
        """Return the slots of the last ``most`` moves of a sequence, in the order of play."""
        slots: list[int] = []
        while sequence and len(slots) < most:
            slots.append(int(self.slot[sequence]))
            sequence = int(self.before[sequence])
        return slots[::-1]

    def set_at(self, sequence: NDArray[np.int64], infoset: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return, for each pair (sequence, infoset), the index of the refined set of infoset after this sequence."""
        count = len(self.forgetful)
        key = self.parent * count + self.infoset
        order = np.argsort(key)
        return order[np.searchsorted(key, sequence * count + infoset, sorter=order)]


def remembered(tree: GameTree, player: int) -> tuple[Sequences, NDArray[np.int64]]:
    """Return the sequences and sets of a player with perfect recall, and the player's sequence at each node, int64[N].

    The sets are the information sets of the tree, in the order of first appearance in preorder. The function raises
    ``ImperfectRecallError`` if the player lacks perfect recall.
    """
    last = last_sequence(tree, player)
    parent, start = required_parent_sequence(tree, player, last), tree.slot_start[player] + 1
    return _frozen(Sequences(player, parent, start, np.arange(len(parent)))), last


def refined(tree: GameTree, player: int) -> tuple[Sequences, NDArray[np.int64]]:
    """Return the sequences of a player's refined sets, and the player's last sequence at each node, int64[N].

    A refined set has the nodes of one information set that follow one own sequence. Refined sets are sorted by the
    number of own moves before them, by this sequence, and by information set. Recall may be imperfect.
    """
    # Find the last own move before each node, and the number of own moves.
    own = np.flatnonzero(tree.player == player)
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = nearest_marked(tree, after_own)  # the child that the last own move led to
    above = np.where(moved > 0, tree.parent[moved], 0)  # the node of this move
    before = np.where(moved > 0, moved[above], 0)
    count = _moves(before, after_own[moved])
    # Number the sets in rounds, one for each number of own moves. Each round uses the sequences of the round before.
    sets = tree.num_infosets[player]
    widths = np.diff(tree.slot_start[player])
    begin = np.zeros(tree.num_nodes, dtype=np.int64)  # for each own node, the sequence of its first action
    infoset_at = tree.infoset.astype(np.int64)
    infosets: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    parents: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    starts: list[NDArray[np.int64]] = [np.ones(1, dtype=np.int64)]
    by_count = own[np.argsort(count[own], kind="stable")]
    for nodes in np.split(by_count, np.flatnonzero(np.diff(count[by_count])) + 1):
        sequence = np.where(after_own[moved[nodes]], begin[above[nodes]] + tree.action[moved[nodes]], 0)
        keys, which = np.unique(sequence * sets + infoset_at[nodes], return_inverse=True)
        infosets.append(keys % sets)
        parents.append(keys // sets)
        starts.append(starts[-1][-1] + np.cumsum(widths[infosets[-1]]))
        begin[nodes] = np.concatenate((starts[-2][-1:], starts[-1][:-1]))[which]
    sequences = Sequences(player, np.concatenate(parents), np.concatenate(starts), np.concatenate(infosets))
    return _frozen(sequences), np.where(after_own[moved], begin[above] + tree.action[moved], 0)


def _frozen(sequences: Sequences) -> Sequences:
    for values in (sequences.parent, sequences.start, sequences.infoset):
        values.setflags(write=False)
    return sequences


def _moves(before: NDArray[np.int64], is_move: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Count the nonzero indices in each chain ``i, before[i], ..., 0``; if given, ``is_move`` marks those to count."""
    count = (np.arange(len(before)) > 0).astype(np.int64) if is_move is None else is_move.astype(np.int64)
    back = before
    while back.any():
        count = count + count[back]
        back = back[back]
    return count


_MAX_CHANCE_BITS = 200_000_000
_REDUCED_BITS = 4096  # probabilities with longer denominators are not reduced, because this takes too long


class ChanceReach(NamedTuple):
    """Products of the chance probabilities on the paths to given nodes, as integers over one denominator."""

    numerator: IntArray
    denominator: int


def chance_reach(tree: GameTree, nodes: NDArray[np.int64] | None = None) -> ChanceReach:
    """Compute the product of the chance probabilities on the path to each given node, by default to each leaf."""
    numerator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    denominator: IntArray = np.ones(tree.num_nodes, dtype=np.int64)
    dealt = np.zeros(tree.num_nodes, dtype=np.bool_)
    dealt[1:] = tree.player[tree.parent[1:]] == CHANCE
    nearest = nearest_marked(tree, dealt)
    # Multiply the probabilities of chance down the tree. Store a product at the child that a chance move leads to.
    if tree.chance_tables:
        start = starts([table.labels for table in tree.chance_tables])
        top = integer_array([p.numerator for t in tree.chance_tables for p in t.probabilities])
        bottom = integer_array([p.denominator for t in tree.chance_tables for p in t.probabilities])
        outcomes = np.flatnonzero(dealt)
        bits = longest = 0
        depth = np.searchsorted(tree.level, outcomes, side="right")
        for group in np.split(outcomes, np.flatnonzero(np.diff(depth)) + 1):  # one level of the tree after the other
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
            raise TooLargeError("the common denominator of the chance probabilities at the leaves is too long")
    if common_denominator >= INT64_SAFE:
        num, den = num.astype(object), den.astype(object)
    return ChanceReach(narrowed(num * (common_denominator // den)), common_denominator)


@dataclass(frozen=True, eq=False, repr=False)
class Side(Sequences):
    """The sequence form from the view of one player: this player's sequences as rows, and the player's payoffs.

    Shapes: S own sequences, T pairs of sequences at which the game ends.

    Attributes
    ----------
    first : int64[S + 1]
        The pairs with own sequence s have the numbers ``first[s]:first[s + 1]``.
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
        """The player's own sequence in each of the T pairs of sequences at which the game ends, as int64[T]."""
        return np.repeat(np.arange(self.num_sequences), np.diff(self.first))

    @cached_property
    def payoff_float(self) -> NDArray[np.float64]:
        """The payoffs as floats, each rounded once; computed on first use and cached."""
        return as_floats(self.payoff, self.denominator)

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up ``values`` [T, ...] of sequence pairs, separately for each sequence of the player. Return [S, ...]."""
        total = np.zeros((self.num_sequences, *values.shape[1:]), dtype=values.dtype)
        filled = np.flatnonzero(self.first[1:] > self.first[:-1])
        if len(filled):
            total[filled] = np.add.reduceat(values, self.first[filled], axis=0)
        return total

    def pairs(self, sequences: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return, for pairs with an own sequence in ``sequences``, that sequence's position and the pair's index."""
        count = self.first[sequences + 1] - self.first[sequences]
        return np.repeat(np.arange(len(sequences)), count), segments(self.first[sequences], count)

    def gains(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return each own sequence's payoff against a plan of the opponent, or against each of n plans.

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
        For both players, the sequence that leads to each information set, and the sequences of each set.
    row, column : int64[T]
        Sequences of player 1 and 2 in each pair. The pairs are distinct and sorted by row, then column.
    payoff : int64[T] or object[T]
        Payoff of player 1 at each pair, times the probability of chance, as integers over ``denominator``. The integers
        and ``denominator`` may have a common divisor.
    denominator : int
    payoff2 : int64[T] or object[T], or None
        Payoff of player 2; None if it is minus the payoff of player 1.
    mass : int64[T] or object[T], or None
        Probability that chance plays towards the leaves of each pair, as integers over the quotient
        ``denominator / tree.payoff_denominator``. None if the form was not made from a tree.

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
        """Return the sequence form of a tree. The result is cached as long as the tree exists.

        Raises
        ------
        ImperfectRecallError
            A player lacks perfect recall.
        TooLargeError
            The exact probabilities of chance are too long.
        """
        return _cached(tree, remembered)

    @classmethod
    def refined(cls, tree: GameTree) -> SequenceForm:
        """Return the sequence form with refined sets, for players without perfect recall; the result is cached.

        A refined set is a pair of an information set and an own sequence that leads to it. The sets are sorted by the
        number of own moves before them, then by this sequence, then by information set.
        """
        return _cached(tree, refined)

    def side(self, player: int) -> Side:
        """Return the sequence form from the view of player 0 or 1; the result is cached."""
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
        """Return the zero-sum game in which ``player`` keeps its payoffs and the other player gets their negatives."""
        if self.payoff2 is None:
            return self
        return replace(self, payoff=-self.payoff2 if player else self.payoff, payoff2=None)

    def exchanged(self) -> SequenceForm:
        """Return the zero-sum game that player 1's payoffs define, with the two players exchanged."""
        side = self.zero_sum().side(1)
        own1, own2 = (replace(own, player=1 - own.player) for own in self.sequences[::-1])
        return SequenceForm((own1, own2), side.row, side.opponent, side.payoff, self.denominator)

    @property
    def parent(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sequence that leads to each information set, int64[J_i] for each player."""
        return self.sequences[0].parent, self.sequences[1].parent

    @property
    def start(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First sequence of each set, int64[J_i + 1] per player: set k has the sequences ``start[k]:start[k + 1]``."""
        return self.sequences[0].start, self.sequences[1].start

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, including the empty sequence."""
        return self.sequences[0].num_sequences, self.sequences[1].num_sequences

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return self.sequences[0].num_infosets, self.sequences[1].num_infosets

    def matrix(self) -> tuple[NDArray[np.int64], NDArray[np.int64], IntArray, Fraction]:
        """Return the nonzero entries of player 1's payoff matrix: rows, columns, integers and their unit.

        The integers have no common divisor. The unit is the payoff that the integer 1 represents.
        """
        content = self.payoff_content()
        nonzero = self.payoff != 0
        payoff = self.payoff[nonzero]
        payoff //= content
        return self.row[nonzero], self.column[nonzero], payoff, Fraction(content, self.denominator)

    def payoff_content(self) -> int:
        """Return the greatest common divisor of player 1's payoff integers (1 if all are zero)."""
        return common_divisor(self.payoff)


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

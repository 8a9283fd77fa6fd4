r"""The sequences of one player, and the information sets that they lead to.

A *sequence* of a player is the list of its moves so far. The empty sequence has the number 0. The sequences of set k
are ``start[k]:start[k + 1]``, in action order. The sequence that leads to a set has a smaller number than the sequences
of the set. So a value that depends on the earlier sequence is computed in one loop over the sets, and a value that
depends on the later sequences in one loop backwards.

With perfect recall, one sequence leads to each information set of the tree (:func:`remembered`). Without it, there may
be more. A *refined set* is a pair of an information set and an own sequence that leads to one of its nodes
(:func:`refined`). The refined sets of one original set have the same actions. A behavior strategy of the player
without perfect recall is a behavior strategy on the refined sets that plays equally at refined sets of one original.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.game.requirements import last_sequence, nearest_marked, required_parent_sequence
from tremble.game.tree import GameTree
from tremble.value import Value

__all__ = ["Level", "Sequences", "pair", "refined", "remembered", "segments"]


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
    """The sets with a certain number of own moves before them, and their sequences, concatenated."""

    sets: NDArray[np.int64]
    sequences: NDArray[np.int64]
    offset: NDArray[np.int64]  # start of the sequences of each set in ``sequences``
    width: NDArray[np.int64]  # number of sequences of each set


@dataclass(frozen=True, eq=False, repr=False)
class Sequences(Value):
    """The sequences of one player and its sets, which are refined sets without perfect recall.

    Shapes: S sequences, K sets, J information sets of the player in the tree; K = J with perfect recall.

    Attributes
    ----------
    player : int
        0 or 1.
    parent : int64[K]
        Sequence that leads to each set.
    start : int64[K + 1]
        The sequences of set k are ``start[k]:start[k + 1]``; the sequence that leads there has a smaller number.
    infoset : int64[K]
        The information set of the tree that each set is, or refines.

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
        """Number of sequences, the empty one included."""
        return int(self.start[-1])

    @property
    def num_infosets(self) -> int:
        """Number of sets."""
        return len(self.parent)

    @cached_property
    def width(self) -> NDArray[np.int64]:
        """Number of actions of each set, int64[K]."""
        return np.diff(self.start)

    def sequences(self, k: int) -> range:
        """Return the sequences of set k, in action order."""
        return range(int(self.start[k]), int(self.start[k + 1]))

    def steps(self) -> list[tuple[int, int, int]]:
        """List, for each set, the sequence that leads to it, its first sequence, and the end of its sequences."""
        start = self.start.tolist()
        return list(zip(self.parent.tolist(), start[:-1], start[1:], strict=True))

    @cached_property
    def set_of(self) -> NDArray[np.int64]:
        """The set of the last move of each sequence, int64[S]; -1 for the empty sequence."""
        return np.concatenate(([-1], np.repeat(np.arange(self.num_infosets), self.width))).astype(np.int64)

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Each sequence without its last move, int64[S]; the empty sequence for itself."""
        return np.concatenate(([0], np.repeat(self.parent, self.width))).astype(np.int64)

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """Number of moves of each sequence, int64[S]."""
        return _moves(self.before)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The sets grouped by the number of own moves before them."""
        moves, width = self.length[self.parent], self.width
        order = np.argsort(moves, kind="stable")
        levels = []
        for sets in np.split(order, np.cumsum(np.bincount(moves))[:-1]) if len(order) else []:
            count = width[sets]
            levels.append(Level(sets, segments(self.start[sets], count), np.cumsum(count) - count, count))
        return tuple(levels)

    # -- values of sequences -------------------------------------------------------------------------

    def weights(self, share: NDArray[Any]) -> NDArray[Any]:
        """Return the weights of all sequences from the share of each in the weight of the sequence before it.

        The shape is [S], or [S, n] for n plans; entry 0 is the weight of the empty sequence. The shares are numbers, or
        booleans for the sequences that are played at all.
        """
        weight = share.copy()
        for before, first, end in self.steps():
            weight[first:end] *= weight[before]
        return weight

    def totals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up, for each sequence, the values of its moves, given the values of the actions by slot: int64[S]."""
        total = np.insert(values, 0, 0)[self.slot + 1]
        for before, first, end in self.steps():
            total[first:end] += total[before]
        return total

    def plan(self, behavior: NDArray[Any]) -> NDArray[Any]:
        """Return the weights of all sequences from the probabilities of the actions, by slot."""
        return self.weights(np.insert(behavior, 0, 1, axis=0)[self.slot + 1])

    def best_values(self, gain: list[Any]) -> list[Any]:
        """Return the value of each sequence followed by best responses, from the gain of each sequence itself."""
        value = gain.copy()
        for before, first, end in reversed(self.steps()):
            value[before] += max(value[first:end])
        return value

    def most_behind(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return, for each set, the greatest value among its sequences and all that follow them, [K]."""
        most = values.tolist()
        greatest = []
        for before, first, end in reversed(self.steps()):
            greatest.append(max(most[first:end]))
            most[before] = max(most[before], greatest[-1])
        return np.array(greatest[::-1], dtype=values.dtype)

    # -- the sets of the tree ------------------------------------------------------------------------

    @cached_property
    def forgetful(self) -> NDArray[np.bool_]:
        """True for the sets of the tree to which multiple sequences lead, bool[J]."""
        return np.bincount(self.infoset) > 1

    @cached_property
    def slot_start(self) -> NDArray[np.int64]:
        """Start of the slots of each set of the tree, and the end of the last: int64[J + 1]."""
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
        """Find sets by the sequences that lead to them and the sets of the tree that they refine."""
        count = len(self.forgetful)
        key = self.parent * count + self.infoset
        order = np.argsort(key)
        return order[np.searchsorted(key, sequence * count + infoset, sorter=order)]


def remembered(tree: GameTree, player: int) -> tuple[Sequences, NDArray[np.int64]]:
    """Return the sequences and sets of a player with perfect recall, and the sequence of each node, int64[N].

    The sets are the sets of the tree in their order of first appearance in preorder. ``ImperfectRecallError`` without
    perfect recall.
    """
    last = last_sequence(tree, player)
    parent, start = required_parent_sequence(tree, player, last), tree.slot_start[player] + 1
    return _frozen(Sequences(player, parent, start, np.arange(len(parent)))), last


def refined(tree: GameTree, player: int) -> tuple[Sequences, NDArray[np.int64]]:
    """Return the sequences and refined sets of any player, and the sequence of each node, int64[N].

    Refined sets are sorted by the number of own moves before them, then by the sequence that leads to them, then by
    original set.
    """
    # Find the last own move before each node, and the number of own moves.
    own = np.flatnonzero(tree.player == player)
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = nearest_marked(tree, after_own)  # the node that the last own move led to
    above = np.where(moved > 0, tree.parent[moved], 0)  # the own node of this move
    before = np.where(moved > 0, moved[above], 0)
    count = _moves(before, after_own[moved])
    # Number the sets in rounds, one for each number of own moves: the sequence of a node comes from the round before.
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
    """Count the steps from each index back to index 0, by pointer jumping."""
    count = (np.arange(len(before)) > 0).astype(np.int64) if is_move is None else is_move.astype(np.int64)
    back = before
    while back.any():
        count = count + count[back]
        back = back[back]
    return count


T = TypeVar("T")


def pair(items: Iterable[T]) -> tuple[T, T]:
    """Return the item of player 1 and the item of player 2 as a pair; raise ``ValueError`` unless there are two.

    Examples
    --------
    >>> pair(2 * player for player in (0, 1))
    (0, 2)
    """
    player1, player2 = items
    return player1, player2

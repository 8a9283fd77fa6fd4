"""Own sequences of a player that may forget, and the sets that it would have if it did not.

A *refined set* is a pair of an information set and an own sequence (:mod:`tremble.model.recall`) that leads to one of
its nodes. Own sequences name the original sets, so refined sets of one set share its actions: with them a behavior
strategy of the player that forgets is one of the player that does not, which plays alike at sets of one origin. The
sequences are a tree: each but the empty one is a refined set and one of its actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tremble.model.recall import nearest_marked
from tremble.model.tree import GameTree

__all__ = ["OwnSequences", "own_sequences"]


@dataclass(frozen=True, eq=False)
class OwnSequences:
    """The refined sets and the own sequences of one player.

    Shapes: N nodes, R refined sets, S sequences. Refined sets are numbered by the number of own moves before them, then
    by the sequence that leads to them, then by original set: what leads to a set has a smaller number.
    """

    player: int
    infoset: NDArray[np.int64]  # [R] the original set
    parent: NDArray[np.int64]  # [R] the sequence that leads to it
    start: NDArray[np.int64]  # [R + 1] sequence start[k] + a is action a at refined set k; 0 is the empty sequence
    slot: NDArray[np.int64]  # [S] the original slot of the last move; -1 of the empty sequence
    set_at: NDArray[np.int64]  # [N] refined set at own nodes, else -1
    at_node: NDArray[np.int64]  # [N] the own sequence of each node

    @property
    def num_sequences(self) -> int:
        """With the empty one."""
        return int(self.start[-1])

    @cached_property
    def set_of(self) -> NDArray[np.int64]:
        """The refined set of the last move of each sequence, int64[S]; -1 of the empty one."""
        return np.concatenate(([-1], np.repeat(np.arange(len(self.infoset)), np.diff(self.start)))).astype(np.int64)

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """Number of moves of each sequence, int64[S]."""
        return _moves(np.concatenate(([0], self.parent[self.set_of[1:]])))

    def last_moves(self, sequence: int, most: int) -> list[int]:
        """The original slots of a sequence, or of the end of it, in the order of play."""
        slots: list[int] = []
        while sequence and len(slots) < most:
            slots.append(int(self.slot[sequence]))
            sequence = int(self.parent[self.set_of[sequence]])
        return slots[::-1]


def own_sequences(tree: GameTree, player: int) -> OwnSequences:
    """Refined sets and own sequences, whatever the player remembers.

    By rounds, one for each number of own moves: the sequence of a node is known before its refined set is.
    """
    own = np.flatnonzero(tree.player == player)
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = nearest_marked(tree, after_own)  # where the last own move led
    above = np.where(moved > 0, tree.parent[moved], 0)  # from which own node
    before = np.where(moved > 0, moved[above], 0)
    count = _moves(before, after_own[moved])
    sets = tree.num_infosets[player]
    infoset_at = tree.infoset.astype(np.int64)
    widths = np.diff(tree.slot_start[player])
    begin = np.zeros(tree.num_nodes, dtype=np.int64)  # of each own node: the sequence of its first action
    set_at = np.full(tree.num_nodes, -1, dtype=np.int64)
    infosets: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    parents: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    starts: list[NDArray[np.int64]] = [np.ones(1, dtype=np.int64)]
    refined = 0
    by_count = own[np.argsort(count[own], kind="stable")]
    for nodes in np.split(by_count, np.flatnonzero(np.diff(count[by_count])) + 1):
        sequence = np.where(after_own[moved[nodes]], begin[above[nodes]] + tree.action[moved[nodes]], 0)
        keys, which = np.unique(sequence * sets + infoset_at[nodes], return_inverse=True)
        infosets.append(keys % sets)
        parents.append(keys // sets)
        starts.append(starts[-1][-1] + np.cumsum(widths[infosets[-1]]))
        set_at[nodes] = refined + which
        begin[nodes] = np.concatenate((starts[-2][-1:], starts[-1][:-1]))[which]
        refined += len(keys)
    infoset, start = np.concatenate(infosets), np.concatenate(starts)
    slot = np.full(int(start[-1]), -1, dtype=np.int64)
    slot[1:] = np.arange(1, len(slot)) - np.repeat(start[:-1] - tree.slot_start[player][infoset], np.diff(start))
    at_node = np.where(after_own[moved], begin[above] + tree.action[moved], 0)
    found = OwnSequences(player, infoset, np.concatenate(parents), start, slot, set_at, at_node)
    for values in vars(found).values():
        if isinstance(values, np.ndarray):
            values.setflags(write=False)
    return found


def _moves(before: NDArray[np.int64], is_move: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """How often one can go back from each, where 0 is the first; by pointer jumping."""
    count = (np.arange(len(before)) > 0).astype(np.int64) if is_move is None else is_move.astype(np.int64)
    back = before
    while back.any():
        count = count + count[back]
        back = back[back]
    return count

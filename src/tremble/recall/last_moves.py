r"""A player that remembers only its last k moves, its observation before each of them, and its present observation.

A tree does not specify what a player sees. It only specifies the information sets, which are groups of nodes that the
player cannot distinguish. A player's *observation* at an information set I is the set of all possible lists of moves of
chance and the other player since the player's last move. If the player has not moved, the lists begin at the root:

.. math::  O(I) = \{ \text{list of the moves of chance and the other player from the last own move to } h : h \in I \} .

Different information sets after the same own moves can have equal observations and actions. The code then adds a number
to each of these observations. So the player distinguishes the sets as long as it remembers the observations.

With perfect recall, a single sequence :math:`I_1 a_1 \dots I_m a_m` of own sets and actions leads to I. If
:math:`m \le k`, the player distinguishes I from all other sets. Otherwise it distinguishes sets by

.. math::  m, \quad O(I_{m-k+1}), a_{m-k+1}, \dots, O(I_m), a_m, \quad O(I) .

The player always knows m, the number of its moves. So it is never absentminded, because all its sets on a path have
different m.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from tremble.game.requirements import nearest_marked, required_parent_sequence
from tremble.game.tree import GameTree

__all__ = ["last_moves"]


def last_moves(tree: GameTree, player: int, k: int) -> NDArray[np.int64]:
    """Return a group number for each information set, as int64[J].

    Two sets are in one group if they differ only in moves and observations that the player does not remember.
    """
    before = required_parent_sequence(tree, player).tolist()
    start = tree.slot_start[player]
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start)).tolist()
    position = (np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))).tolist()
    seen = _observations(tree, player, before)
    moves: list[int] = []  # number of own moves before each set; a set comes after the sets that lead to it
    groups: dict[Hashable, int] = {}
    group = []
    for infoset, sequence in enumerate(before):
        moves.append(1 + moves[set_of[sequence - 1]] if sequence else 0)
        key: Hashable = infoset
        if moves[infoset] > k:
            remembered: list[int] = []
            for _ in range(k):
                slot = sequence - 1
                remembered += seen[set_of[slot]], position[slot]
                sequence = before[set_of[slot]]
            key = (moves[infoset], seen[infoset], *remembered)
        group.append(groups.setdefault(key, len(groups)))
    return np.array(group, dtype=np.int64)


def _observations(tree: GameTree, player: int, before: list[int]) -> list[int]:
    """Return a number for each information set. Sets with equal numbers have equal observations and actions."""
    own = np.flatnonzero(tree.player == player)
    words = _words(tree, player)[own]
    pairs = np.unique(tree.infoset[own].astype(np.int64) * (words.max(initial=0) + 1) + words)
    which, words = np.divmod(pairs, words.max(initial=0) + 1)
    ends = np.searchsorted(which, np.arange(1, tree.num_infosets[player])).tolist()
    numbers: dict[Hashable, int] = {}
    alike: dict[Hashable, int] = {}  # number of sets so far with the same own moves, observation and actions
    seen = []
    for sequence, actions, possible in zip(before, tree.actions[player], np.split(words, ends), strict=False):
        observation = (actions, possible.tobytes())
        alike[sequence, observation] = count = alike.get((sequence, observation), 0) + 1
        seen.append(numbers.setdefault((observation, count), len(numbers)))
    return seen


def _words(tree: GameTree, player: int) -> NDArray[np.int64]:
    """Return a number for the *word* of each node, as int64[N].

    The word of a node lists the labels of all moves of others, including chance, since the player's last move. Equal
    words get the same number, even at different depths.
    """
    labels: dict[str, int] = {}
    other = 1 - player
    tables = [[labels.setdefault(a, len(labels)) for a in table.labels] for table in tree.chance_tables]
    sets = [[labels.setdefault(a, len(labels)) for a in actions] for actions in tree.actions[other]]
    label = np.zeros(tree.num_nodes, dtype=np.int64)  # [N]: number of the label of the move to each node
    above = tree.parent[1:]
    row, column = tree.infoset[above], tree.action[1:]
    for mover, known in ((-1, tables), (other, sets)):
        begin = np.cumsum([0, *map(len, known)])
        flat = np.array([a for row_ in known for a in row_], dtype=np.int64)
        here = np.flatnonzero(tree.player[above] == mover)
        label[1 + here] = flat[begin[row[here]] + column[here]]
    fresh = np.zeros(tree.num_nodes, dtype=np.bool_)
    fresh[0] = True
    fresh[1:] = tree.player[above] == player
    depth = np.repeat(np.arange(len(tree.level) - 1), np.diff(tree.level))
    length = depth - depth[nearest_marked(tree, fresh)]
    word = np.zeros(tree.num_nodes, dtype=np.int64)
    order = np.argsort(length, kind="stable")
    known_words = 1  # number 0 is the empty word
    for nodes in np.split(order, np.flatnonzero(np.diff(length[order])) + 1)[1:]:
        keys, which = np.unique(word[tree.parent[nodes]] * len(labels) + label[nodes], return_inverse=True)
        word[nodes] = known_words + which
        known_words += len(keys)
    return word

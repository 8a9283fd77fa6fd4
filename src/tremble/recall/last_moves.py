r"""A player who remembers its last k own moves only, and what it saw since the one before them.

A tree does not say what a player sees, but which nodes it cannot tell apart. What it *saw* between its last move (or
the root) and an information set I is here what the others may have done meanwhile, as far as it knows: the set of words

.. math::  O(I) = \{ \text{labels of chance and of the other player since the last own move before } h : h \in I \} .

Sets after the same own moves with the same words and actions are numbered, so that they stay apart: what was just seen
is seen. With perfect recall :math:`I_1 a_1 \dots I_m a_m` leads to I. A player who remembers its last k moves tells I
from I' by

.. math::  m, \quad O(I_{m-k+1}), a_{m-k+1}, \dots, O(I_m), a_m, \quad O(I),

and by I itself where :math:`m \le k`. That it always knows m, the number of its moves, rules out absentmindedness: no
path meets two sets with one m.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from tremble.game.recall import nearest_marked, required_parent_sequence
from tremble.game.tree import GameTree

__all__ = ["last_moves"]


def last_moves(tree: GameTree, player: int, k: int) -> NDArray[np.int64]:
    """The group of each information set, int64[J]: sets of one group differ in what was before the last k own moves."""
    before = required_parent_sequence(tree, player).tolist()
    start = tree.slot_start[player]
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start)).tolist()
    position = (np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))).tolist()
    seen = _seen(tree, player, before)
    moves: list[int] = []  # before each set; what leads to a set comes before it
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


def _seen(tree: GameTree, player: int, before: list[int]) -> list[int]:
    """A number for what is seen right before each information set, its actions included."""
    own = np.flatnonzero(tree.player == player)
    words = _words(tree, player)[own]
    pairs = np.unique(tree.infoset[own].astype(np.int64) * (words.max(initial=0) + 1) + words)
    which, words = np.divmod(pairs, words.max(initial=0) + 1)
    ends = np.searchsorted(which, np.arange(1, tree.num_infosets[player])).tolist()
    numbers: dict[Hashable, int] = {}
    alike: dict[Hashable, int] = {}  # how many sets after the same own moves were seen with the same words
    seen = []
    for sequence, actions, possible in zip(before, tree.actions[player], np.split(words, ends), strict=False):
        what = (actions, possible.tobytes())
        alike[sequence, what] = count = alike.get((sequence, what), 0) + 1
        seen.append(numbers.setdefault((what, count), len(numbers)))
    return seen


def _words(tree: GameTree, player: int) -> NDArray[np.int64]:
    """A number for the labels of chance and of the other player since the last own move, int64[N].

    By rounds over the length of the words, so that equal words have one number at all depths of the tree.
    """
    labels: dict[str, int] = {}
    other = 1 - player
    tables = [[labels.setdefault(a, len(labels)) for a in table.labels] for table in tree.chance_tables]
    sets = [[labels.setdefault(a, len(labels)) for a in actions] for actions in tree.actions[other]]
    label = np.zeros(tree.num_nodes, dtype=np.int64)  # of the edge to each node
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
    known_words = 1  # 0 is the empty one
    for nodes in np.split(order, np.flatnonzero(np.diff(length[order])) + 1)[1:]:
        keys, which = np.unique(word[tree.parent[nodes]] * len(labels) + label[nodes], return_inverse=True)
        word[nodes] = known_words + which
        known_words += len(keys)
    return word

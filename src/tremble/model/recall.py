"""What the players remember.

A node's *own sequence* for player i lists the (information set, action) pairs of i on the path to it. With
Bošanský et al. (ICAART 2017) and Kaneko & Kline (1995), player i has

* *perfect recall* if all nodes of each of its information sets have the same own sequence;
* *A-loss recall* if any two own sequences of one set contain different actions of a common earlier set:
  all that is forgotten is what a single earlier action told apart;
* *absentmindedness* if some node's own sequence contains its own information set;
* *imperfect recall* otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tremble.errors import ImperfectRecallError, TooLargeError
from tremble.model.tree import GameTree, require_player, require_tree

__all__ = [
    "Recall",
    "classify_recall",
    "last_sequence",
    "nearest_marked",
    "parent_sequence",
    "require_perfect_recall",
    "required_parent_sequence",
]

_MAX_MOVES = 3_000_000
_MAX_COMPARISONS = 20_000_000_000

_PARENTS: WeakKeyDictionary[GameTree, dict[int, NDArray[np.int64] | None]] = WeakKeyDictionary()

Recall = Literal["perfect", "a-loss", "imperfect", "absentminded"]


def nearest_marked(tree: GameTree, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The last node on the path from the root to each node, itself included, that is marked (else the root): int64[N].

    By pointer jumping: as many rounds as the depth has binary digits, so a chain of 100,000 nodes costs
    little more than a bush.
    """
    nearest = np.where(marked, np.arange(tree.num_nodes), tree.parent)
    nearest[0] = 0
    while True:
        further = nearest[nearest]
        if np.array_equal(further, nearest):
            return nearest
        nearest = further


def last_sequence(tree: GameTree, player: int) -> NDArray[np.int64]:
    """The last own move before each node: int64[N], 0 if there is none, else 1 + its slot.

    With perfect recall this number names the player's whole own sequence.
    """
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = np.flatnonzero(after_own)
    sequence = np.zeros(tree.num_nodes, dtype=np.int64)
    sequence[moved] = 1 + tree.slot_start[player][tree.infoset[tree.parent[moved]]] + tree.action[moved]
    return sequence[nearest_marked(tree, after_own)]


def parent_sequence(tree: GameTree, player: int, last: NDArray[np.int64] | None = None) -> NDArray[np.int64] | None:
    """The own sequence that leads to each information set, int64[J]; None without perfect recall.

    Computed once and kept as long as the tree. Equal last moves suffice as the test: a set whose nodes share their
    last own move shares, by induction over depth, everything before it too; an absentminded set has a topmost node
    whose last move lies elsewhere.
    """
    kept = _PARENTS.setdefault(tree, {})
    if player not in kept:
        if last is None:
            last = last_sequence(tree, player)
        own = np.flatnonzero(tree.player == player)
        parent = np.zeros(tree.num_infosets[player], dtype=np.int64)
        parent[tree.infoset[own]] = last[own]
        parent.setflags(write=False)
        kept[player] = parent if np.array_equal(parent[tree.infoset[own]], last[own]) else None
    return kept[player]


def require_perfect_recall(tree: GameTree, players: Iterable[int] = (0, 1)) -> None:
    """Raise ``ImperfectRecallError``, naming an information set, unless these players have perfect recall."""
    for player in players:
        required_parent_sequence(tree, player)


def required_parent_sequence(tree: GameTree, player: int, last: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The :func:`parent_sequence` of a player with perfect recall; ``ImperfectRecallError`` if it forgets."""
    require_tree(tree)
    parent = parent_sequence(tree, player, last)
    if parent is not None:
        return parent
    own = np.flatnonzero(tree.player == player)
    known: dict[int, int] = {}
    for k, before in zip(tree.infoset[own].tolist(), last_sequence(tree, player)[own].tolist(), strict=True):
        if known.setdefault(k, before) != before:
            break
    file = "" if tree.origin is None else f"{tree.origin.name}: "
    raise ImperfectRecallError(
        f"{file}player {player + 1} forgets: the nodes of {tree.set_name(player, k)} follow different own moves; this "
        "needs perfect recall"
    )


def classify_recall(tree: GameTree, player: int) -> Recall:
    """How much a player remembers: ``"perfect"``, ``"a-loss"``, ``"imperfect"`` or ``"absentminded"``.

    Parameters
    ----------
    tree : GameTree
    player : int
        0 or 1.

    Raises
    ------
    TooLargeError
        The player forgets, and has too many and too long own sequences to tell how much.

    Examples
    --------
    >>> import tremble
    >>> tremble.classify_recall(tremble.load("a_loss_counterexample"), 0)
    'a-loss'

    References
    ----------
    Bošanský, Čermák, Horák, Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
    imperfect recall, ICAART 2017 (A-loss recall).
    """
    require_tree(tree)
    require_player(player)
    if parent_sequence(tree, player) is not None:
        return "perfect"
    last = last_sequence(tree, player)
    sequences = _own_sequences(tree, player, last)
    start = tree.slot_start[player]
    infoset_of_slot = np.repeat(np.arange(len(start) - 1), np.diff(start))
    verdict: Recall = "a-loss"
    for k, paths in enumerate(sequences):
        moves = [{int(infoset_of_slot[slot]): slot for slot in path} for path in paths]
        if any(k in move for move in moves):
            return "absentminded"
        if verdict == "a-loss" and not _all_pairs_differ(moves):
            verdict = "imperfect"
    return verdict


def _own_sequences(tree: GameTree, player: int, last: NDArray[np.int64]) -> list[list[tuple[int, ...]]]:
    """The distinct own sequences (tuples of slots) of each information set."""
    # Sequences form a trie; node_of maps each tree node to its trie node, level by level.
    trie: dict[tuple[int, int], int] = {}
    above: list[tuple[int, int]] = [(-1, -1)]  # trie node -> (its parent, slot)
    node_of = np.zeros(tree.num_nodes, dtype=np.int64)
    own = tree.player == player
    for first, end in zip(tree.level[1:-1].tolist(), tree.level[2:].tolist(), strict=True):
        parents = tree.parent[first:end]
        inherited = node_of[parents]
        for i in np.flatnonzero(own[parents]).tolist():
            key = (int(inherited[i]), int(last[first + i]) - 1)
            if key not in trie:
                trie[key] = len(above)
                above.append(key)
            inherited[i] = trie[key]
        node_of[first:end] = inherited
    members: list[set[int]] = [set() for _ in range(tree.num_infosets[player])]
    for node in np.flatnonzero(own).tolist():
        members[tree.infoset[node]].add(int(node_of[node]))
    length = [0] * len(above)
    for leaf in range(1, len(above)):
        length[leaf] = length[above[leaf][0]] + 1
    if sum(length[leaf] for group in members for leaf in group) > _MAX_MOVES:
        raise TooLargeError(
            f"player {player + 1} forgets, and its own sequences are too long to compare "
            f"(more than {_MAX_MOVES:,} moves in all)"
        )

    def path(leaf: int) -> tuple[int, ...]:
        slots = []
        while leaf:
            leaf, slot = above[leaf]
            slots.append(slot)
        return tuple(reversed(slots))

    return [[path(leaf) for leaf in sorted(group)] for group in members]


def _all_pairs_differ(moves: list[dict[int, Any]]) -> bool:
    """Whether any two of these partial choices (set -> action) disagree at a set that both contain."""
    if len(moves) < 2:
        return True
    columns = {k: j for j, k in enumerate({k for move in moves for k in move})}
    if len(moves) ** 2 * len(columns) > _MAX_COMPARISONS:
        raise TooLargeError("a forgetful player has too many own sequences in one information set to compare them")
    table = np.full((len(moves), len(columns)), -1, dtype=np.int64)
    for i, move in enumerate(moves):
        for k, slot in move.items():
            table[i, columns[k]] = slot
    for i in range(len(moves) - 1):
        rest = table[i + 1 :]
        differ = (rest != table[i]) & (rest >= 0) & (table[i] >= 0)
        if not differ.any(axis=1).all():
            return False
    return True

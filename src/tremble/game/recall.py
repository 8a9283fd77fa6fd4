"""Classes of recall, and the test for perfect recall.

The *own sequence* of a node for player i lists the (information set, action) pairs of i on the path to it. As in
Bošanský et al. (ICAART 2017) and Kaneko & Kline (1995), player i has

* *perfect recall* if all nodes of each of its information sets have the same own sequence;
* *A-loss recall* if any two own sequences of one set contain different actions at a common earlier set:
  the player forgets only what its own action at one earlier set told apart;
* *absentmindedness* if some node's own sequence contains its own information set;
* *imperfect recall* in all other cases. (In the paper, A-loss recall is a kind of imperfect recall.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tremble.errors import ImperfectRecallError
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree, path_in_words
from tremble.pairs import KeptWith

__all__ = [
    "Recall",
    "first_revisit",
    "has_perfect_information",
    "last_sequence",
    "nearest_marked",
    "parent_sequence",
    "require_no_absentmindedness",
    "require_perfect_recall",
    "required_parent_sequence",
    "revisit_in_words",
]

_PARENTS: KeptWith[GameTree, dict[int, NDArray[np.int64] | None]] = KeptWith(lambda _: {})

Recall = Literal["perfect", "a-loss", "imperfect", "absentminded"]


def has_perfect_information(tree: GameTree) -> bool:
    """Check that every information set is one node."""
    return bool(sum(tree.num_infosets) == np.count_nonzero(tree.player >= 0))


def nearest_marked(tree: GameTree, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the last marked node on the path from the root to each node, itself included, else the root: int64[N].

    The method is pointer jumping. It takes as many rounds as the depth has binary digits, so a chain of 100,000 nodes
    costs little more than a bush.
    """
    nearest = np.where(marked, np.arange(tree.num_nodes), tree.parent)
    nearest[0] = 0
    while True:
        further = nearest[nearest]
        if np.array_equal(further, nearest):
            return nearest
        nearest = further


def last_sequence(tree: GameTree, player: int) -> NDArray[np.int64]:
    """Return the last own move before each node: int64[N], 1 + its slot, or 0 if there is no own move.

    With perfect recall, this number identifies the player's own sequence.
    """
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = np.flatnonzero(after_own)
    sequence = np.zeros(tree.num_nodes, dtype=np.int64)
    sequence[moved] = 1 + tree.slot_start[player][tree.infoset[tree.parent[moved]]] + tree.action[moved]
    return sequence[nearest_marked(tree, after_own)]


def parent_sequence(tree: GameTree, player: int, last: NDArray[np.int64] | None = None) -> NDArray[np.int64] | None:
    """Return the own sequence that leads to each information set, int64[J]; None without perfect recall.

    The result is cached as long as the tree exists. The test compares last moves only. That suffices: by induction
    over depth, nodes with the same last own move share all earlier own moves. An absentminded set fails the test,
    because the last move before its topmost node belongs to another set.
    """
    kept = _PARENTS(tree)
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
    """Return the :func:`parent_sequence` of a player; raise ``ImperfectRecallError`` without perfect recall."""
    require_tree(tree)
    parent = parent_sequence(tree, player, last)
    if parent is not None:
        return parent
    require_no_absentmindedness(tree, player)
    own = np.flatnonzero(tree.player == player)
    known: dict[int, int] = {}
    for k, before in zip(tree.infoset[own].tolist(), last_sequence(tree, player)[own].tolist(), strict=True):
        if known.setdefault(k, before) != before:
            break
    file = "" if tree.origin is None else f"{tree.origin.name}: "
    instead = " (the concept maxmin by branch-and-bound does not)" if first_revisit(tree, 1 - player) is None else ""
    raise ImperfectRecallError(
        f"{file}player {player + 1} forgets: the nodes of {tree.set_name(player, k)} follow different own moves; this "
        f"needs perfect recall{instead}"
    )


def first_revisit(tree: GameTree, player: int) -> tuple[int, int] | None:
    """Find two nodes of one information set, the first above the second; None if the player is not absentminded.

    In depth-first preorder, the descendants of a node follow it immediately. So if a set has such a pair, two of its
    nodes that are neighbors in preorder form one.
    """
    last = np.where(tree.num_children > 0, tree.first_child + tree.num_children - 1, np.arange(tree.num_nodes))
    while not np.array_equal(further := last[last], last):  # pointer jumping to the last descendant of each node
        last = further
    own = np.flatnonzero(tree.player == player)
    own = own[np.lexsort((tree.preorder[own], tree.infoset[own]))]
    above, below = own[:-1], own[1:]
    places = np.flatnonzero(
        (tree.infoset[above] == tree.infoset[below]) & (tree.preorder[below] <= tree.preorder[last[above]])
    )
    return (int(above[places[0]]), int(below[places[0]])) if len(places) else None


def revisit_in_words(tree: GameTree, player: int, above: int, below: int) -> str:
    """Describe the path that reaches an information set twice."""
    first = f"after {path_in_words(tree.path(above))}" if above else "at the root"
    again = path_in_words(tree.path(below))
    return f"a path reaches {tree.set_name(player, int(tree.infoset[above]))} twice: {first}, and after {again}"


def require_no_absentmindedness(tree: GameTree, player: int) -> None:
    """Raise ``ImperfectRecallError``, with a path that reaches a set twice, if the player is absentminded."""
    require_tree(tree)
    revisit = first_revisit(tree, player)
    if revisit is not None:
        file = "" if tree.origin is None else f"{tree.origin.name}: "
        raise ImperfectRecallError(
            f"{file}player {player + 1} is absentminded: {revisit_in_words(tree, player, *revisit)}; the best "
            "responses of such a player are not computed"
        )

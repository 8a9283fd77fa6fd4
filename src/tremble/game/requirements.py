"""Kinds of recall, and checks that a game meets the requirements of a method, such as perfect recall.

The *own sequence* of a node for player i lists the (information set, action) pairs of i on the path to this node. As in
Bošanský et al. (ICAART 2017) and Kaneko & Kline (1995), player i has

* *perfect recall* if all nodes of each of its information sets have the same own sequence;
* *A-loss recall* if every two different own sequences of one set contain different actions at a common earlier set:
  the player forgets information only by forgetting its own actions;
* *absentmindedness* if the own sequence of some node contains the information set of this node;
* *imperfect recall* in all other cases. (The papers count A-loss recall as a kind of imperfect recall.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, ImperfectRecallError, NotZeroSumError
from tremble.game.absentminded import first_revisit, revisit_in_words
from tremble.game.tree import GameTree, path_in_words
from tremble.lazy import KeptWith
from tremble.value import shorten

__all__ = [
    "Recall",
    "has_perfect_information",
    "last_sequence",
    "nearest_marked",
    "parent_sequence",
    "require_constant_sum",
    "require_no_absentmindedness",
    "require_perfect_recall",
    "require_tree",
    "required_parent_sequence",
]

_PARENTS: KeptWith[GameTree, dict[int, NDArray[np.int64] | None]] = KeptWith(lambda _: {})

Recall = Literal["perfect", "a-loss", "imperfect", "absentminded"]


def has_perfect_information(tree: GameTree) -> bool:
    """Return True if every information set consists of one node."""
    return bool(sum(tree.num_infosets) == np.count_nonzero(tree.player >= 0))


def nearest_marked(tree: GameTree, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return int64[N]: for each node, the last marked node on the path from the root, or the root if none is marked.

    The path includes the node. The method is pointer jumping. The number of rounds is the logarithm of the depth, so a
    chain of 100,000 nodes takes little longer than a shallow tree.
    """
    nearest = np.where(marked, np.arange(tree.num_nodes), tree.parent)
    nearest[0] = 0
    while True:
        further = nearest[nearest]
        if np.array_equal(further, nearest):
            return nearest
        nearest = further


def last_sequence(tree: GameTree, player: int) -> NDArray[np.int64]:
    """Return, for each node, 1 + the slot of the player's last move before the node, or 0 without a move; int64[N].

    With perfect recall, this number identifies the player's own sequence.
    """
    after_own = np.zeros(tree.num_nodes, dtype=np.bool_)
    after_own[1:] = tree.player[tree.parent[1:]] == player
    moved = np.flatnonzero(after_own)
    sequence = np.zeros(tree.num_nodes, dtype=np.int64)
    sequence[moved] = 1 + tree.slot_start[player][tree.infoset[tree.parent[moved]]] + tree.action[moved]
    return sequence[nearest_marked(tree, after_own)]


def parent_sequence(tree: GameTree, player: int, last: NDArray[np.int64] | None = None) -> NDArray[np.int64] | None:
    """Return the own sequence that leads to each information set, int64[J]; None if the player lacks perfect recall.

    The result is cached as long as the tree exists. The function checks that all nodes of a set have the same last own
    move before them. By induction over depth, such nodes share all earlier own moves. The check fails if a path reaches
    a set twice. At the first such set, only the second node comes after a move at this set or at a later set.
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
    """Raise ``ImperfectRecallError``, which names an information set, if one of ``players`` lacks perfect recall."""
    for player in players:
        required_parent_sequence(tree, player)


def required_parent_sequence(tree: GameTree, player: int, last: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return :func:`parent_sequence`, or raise ``ImperfectRecallError`` if the player does not have perfect recall."""
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
        f"task needs perfect recall{instead}"
    )


def require_tree(game: object) -> None:
    """Raise ``GameError`` with advice if ``game`` is not a game tree, for example if it is given by rules."""
    if not isinstance(game, GameTree):
        raise GameError(
            f"{_advice(game)}; if the tree would be too large, tremble.solve, tremble.verify and "
            "tremble.strategies.evaluate also accept the rules"
        )


def _advice(game: object) -> str:
    """Describe an argument that is not a game tree, and name the function that makes a tree from it."""
    kind = type(game).__name__
    if isinstance(game, type):
        return f"the class {game.__name__} is not a game tree: tremble.build({game.__name__}(...)) builds one"
    if isinstance(game, str):
        return f"a text is not a game tree: tremble.load({game!r:.80}) loads the game of that name"
    if isinstance(game, list | tuple | np.ndarray):
        return f"a {kind} is not a game tree: tremble.matrix_game(A, B) makes one from matrices of payoffs"
    if hasattr(game, "to_json"):
        return f"a {kind} is not a game tree: its to_json(file) writes it to a file"
    return f"a {kind} is not a game tree: tremble.build(game) builds one from rules, a pyspiel.Game or a pygambit.Game"


def require_constant_sum(tree: GameTree, advice: str) -> None:
    """Raise ``NotZeroSumError`` unless all leaves have the same sum of payoffs. The message ends with the advice."""
    leaves = unequal_leaves(tree)
    if leaves is None:
        return
    first, other = (shorten(sum(tree.payoff_at(int(tree.infoset[leaf])))) for leaf in leaves)
    path = path_in_words(tree.path(leaves[1]))
    place = f"the leaf {path}" if tree.origin is None else f"{tree.origin.unequal} (path: {path})"
    raise NotZeroSumError(f"the payoffs sum to {first} at the first leaf, but to {other} at {place}; {advice}")


def unequal_leaves(tree: GameTree) -> tuple[int, int] | None:
    """Return the first leaf in preorder and the first leaf whose payoffs have another sum; None if sums are equal."""
    if tree.constant_sum is not None:
        return None
    total, order = tree.payoff[:, 0] + tree.payoff[:, 1], tree.preorder[tree.leaves]
    first = int(np.argmin(order))
    others = np.flatnonzero(total != total[first])
    return int(tree.leaves[first]), int(tree.leaves[others[np.argmin(order[others])]])


def require_no_absentmindedness(tree: GameTree, player: int) -> None:
    """Raise ``ImperfectRecallError``, with a path that reaches a set twice, if the player is absentminded."""
    require_tree(tree)
    revisit = first_revisit(tree, player)
    if revisit is not None:
        file = "" if tree.origin is None else f"{tree.origin.name}: "
        raise ImperfectRecallError(
            f"{file}player {player + 1} is absentminded: {revisit_in_words(tree, player, *revisit)}; best responses of "
            "an absentminded player are not supported"
        )

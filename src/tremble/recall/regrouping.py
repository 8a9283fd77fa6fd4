"""Change the information sets of a tree: merge them, split them, or split them until a player has perfect recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tremble.errors import GameError
from tremble.game.requirements import parent_sequence, require_tree
from tremble.game.sequence_form import Sequences, refined
from tremble.game.tree import GameTree, require_player

__all__ = ["perfect_recall_refinement", "regrouped"]

_MOVES_IN_A_LABEL = 12


def regrouped(
    tree: GameTree,
    player: int,
    group: ArrayLike,
    labels: Mapping[int, str] | Sequence[str],
    *,
    title: str | None = None,
) -> GameTree:
    """Return a tree with new information sets of one player.

    Parameters
    ----------
    tree : GameTree
    player : int
        0 or 1.
    group : integers[number of own nodes]
        A number for each node of the player, in the order of ``np.flatnonzero(tree.player == player)``. Nodes with
        equal numbers form an information set of the new tree.
    labels : mapping or sequence
        The label of each group's information set. The keys or indices are the numbers of the groups.
    title : str, optional
        The title of the new tree. By default, it is the title of ``tree``.

    Returns
    -------
    GameTree
        The new tree. Its sets are numbered by first appearance in depth-first preorder, as in all trees. It has no
        ``spec`` and no ``origin``, because these would identify the original game.

    Raises
    ------
    GameError
        Nodes of one group have different actions, or ``group`` does not have one number for each node.
    """
    require_tree(tree)
    require_player(player)
    own = np.flatnonzero(tree.player == player)
    numbers = np.asarray(group)
    if numbers.shape != own.shape or not (np.issubdtype(numbers.dtype, np.integer) or not len(own)):
        raise GameError(
            f"'group' must have one integer for each of the {len(own):,} nodes of player {player + 1}, but it has the "
            f"shape {list(numbers.shape)} and the type {numbers.dtype}"
        )
    names, which = np.unique(numbers, return_inverse=True)
    first = np.full(len(names), tree.num_nodes, dtype=np.int64)
    np.minimum.at(first, which, tree.preorder[own])
    order = np.argsort(first)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    infoset = tree.infoset.copy()
    infoset[own] = rank[which]
    infoset.setflags(write=False)
    old = tree.infoset[tree.in_preorder[first[order]]].tolist()
    actions = tuple(tree.actions[player][k] for k in old)
    known = tree.actions[player]
    for new, k in np.unique(np.stack([infoset[own], tree.infoset[own]], axis=1), axis=0).tolist():
        if known[k] != actions[new]:
            raise GameError(
                f"{tree.set_name(player, old[new])} and {tree.set_name(player, k)} of player {player + 1} cannot be "
                f"merged: the actions are {_shown(actions[new])} at one, and {_shown(known[k])} at the other"
            )
    called = tuple(labels[name] for name in names[order].tolist())
    return replace(
        tree,
        infoset=infoset,
        actions=(actions, tree.actions[1]) if player == 0 else (tree.actions[0], actions),
        infoset_labels=(called, tree.infoset_labels[1]) if player == 0 else (tree.infoset_labels[0], called),
        title=tree.title if title is None else title,
        spec=None,
        origin=None,
    )


def _shown(labels: Sequence[str]) -> str:
    """Return the first ten action labels for a message."""
    return ", ".join((*map(repr, labels[:10]), *(["..."] * (len(labels) > 10))))


def perfect_recall_refinement(tree: GameTree, player: int | None = None) -> GameTree:
    """Return the coarsest perfect-recall refinement of a tree.

    The function splits information sets until the player has perfect recall. Two nodes of an information set stay
    together if they have the same own sequence. The own sequence of a node is the list of own actions on the path to
    the node, with their information sets in ``tree``.

    *The result has perfect recall.* If two nodes have equal own sequences, they also follow the same refined sets, by
    induction over the length of the sequence.

    *The result is the coarsest refinement with perfect recall.* Take any refinement with perfect recall, and two nodes
    in one of its sets. The two nodes follow the same own actions at the same sets of this refinement. So they also
    follow the same own actions at the same sets of ``tree``, and the function keeps them together.

    Parameters
    ----------
    tree : GameTree
        A tree with any class of recall. The player may be absentminded.
    player : int, optional
        0 or 1. By default, the sets of both players are split.

    Returns
    -------
    GameTree
        The new tree, or ``tree`` itself if the recall is already perfect. The label of a split set also contains the
        own actions before the set, for example ``"G after a / d"``.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("a_loss_counterexample")
    >>> game.infoset_labels[0]
    ('start', 'forgotten')
    >>> tremble.recall.perfect_recall_refinement(game).infoset_labels[0]
    ('start', 'forgotten after a', 'forgotten after b')

    References
    ----------
    J. Čermák, B. Bošanský and V. Lisý, "An algorithm for constructing and solving imperfect recall abstractions of
    large extensive-form games", IJCAI 2017.
    """
    require_tree(tree)
    if player is not None:
        require_player(player)
    finer = tree
    for i in (0, 1) if player is None else (player,):
        if parent_sequence(tree, i) is None:
            own, at_node = refined(tree, i)
            nodes = np.flatnonzero(tree.player == i)
            group = own.set_at(at_node[nodes], tree.infoset[nodes])
            title = f"{tree.title}, with perfect recall"
            finer = regrouped(finer, i, group, _refined_labels(tree, own), title=title)
    return finer


def _refined_labels(tree: GameTree, own: Sequences) -> list[str]:
    """Return a label for each refined set. If a set was split, its labels contain the player's earlier actions."""
    action = [label for labels in tree.actions[own.player] for label in labels]
    found: list[str] = []
    known: dict[str, int] = {}
    for k, sequence in zip(own.infoset.tolist(), own.parent.tolist(), strict=True):
        label = tree.infoset_labels[own.player][k]
        if own.forgetful[k]:
            moves = [action[slot] for slot in own.last_moves(sequence, _MOVES_IN_A_LABEL + 1)]
            if len(moves) > _MOVES_IN_A_LABEL:
                moves[0] = "..."
            label = f"{label or f'set {k + 1}'} after {' / '.join(moves) or 'no own move'}"
            known[label] = known.get(label, 0) + 1
            label += f" [{known[label]}]" if known[label] > 1 else ""
        found.append(label)
    return found

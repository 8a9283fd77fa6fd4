"""Find absentminded players. A player is absentminded if a path reaches one information set of the player twice."""

from __future__ import annotations

import numpy as np

from tremble.game.tree import GameTree, path_in_words

__all__ = ["first_revisit", "revisit_in_words"]


def first_revisit(tree: GameTree, player: int) -> tuple[int, int] | None:
    """Return a node and a descendant of it that are in the same information set, or None if no such nodes exist.

    In depth-first preorder, the descendants of a node directly follow the node. So it suffices to compare each node of
    a set with the next node of the set in preorder.
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
    """Describe, for a message, a path that reaches an information set at the nodes ``above`` and ``below``."""
    first = f"after {path_in_words(tree.path(above))}" if above else "at the root"
    again = path_in_words(tree.path(below))
    return f"a path reaches {tree.set_name(player, int(tree.infoset[above]))} twice: {first}, and after {again}"

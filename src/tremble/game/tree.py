"""Game trees as frozen flat arrays. :class:`tremble.game.tree_builder.TreeBuilder` makes them.

A node is a number. Nodes are ordered by depth and, within a depth, by depth-first preorder. This has two consequences:
* A parent has a smaller number than its children. The children of a node have consecutive numbers in action order.
* The nodes of each depth form a slice. A pass over the tree is a loop over slices, without recursion.

The information sets of each player are numbered by first appearance in depth-first preorder, as in Gambit. A *slot* is
a pair (information set, action) of a player. The slots of a player are numbered consecutively, set by set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import described, required_index
from tremble.errors import PlayersError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree_arrays import TreeArrays
from tremble.integers import as_floats

__all__ = ["GameTree", "path_in_words", "require_player"]


@dataclass(frozen=True, eq=False)
class GameTree(TreeArrays):
    """A finite two-player game in extensive form. Two trees are equal if they have the same digest.

    Shapes: N nodes, L leaves, J_i information sets of player i. :func:`build` and :func:`tremble.load` make trees.

    Attributes
    ----------
    parent : int32[N]
        Parent of each node; ``NO_PARENT`` at the root (node 0).
    action : int32[N]
        Position (from 0) of the action that leads from the parent to the node; -1 at the root.
    player : int8[N]
        Player to move: 0, 1, ``CHANCE`` (-1) or ``TERMINAL`` (-2).
    infoset : int32[N]
        At a player's node, the index (from 0) of its information set; at a chance node, an index into
        ``chance_tables``; at a leaf, its row in ``payoff``.
    first_child, num_children : int32[N]
        First child (-1 at a leaf) and number of children. The children have consecutive numbers.
    preorder : int32[N]
        Position of each node in depth-first preorder.
    level : int64[depth + 2]
        The nodes of depth d are ``level[d]:level[d + 1]``.
    leaves : int32[L]
        The leaves, in node order. Row k of ``payoff`` belongs to ``leaves[k]``.
    payoff : int64[L, 2] or object[L, 2]
        Payoffs as integers over ``payoff_denominator``.
    payoff_denominator : int
        The least common denominator of all payoffs.
    chance_tables : tuple of ChanceTable
    actions : tuple of two tuples
        ``actions[i][k]`` are the action labels of information set k of player i.
    infoset_labels : tuple of two tuples of str
        Label of each information set; a label may be empty.
    title : str
    players : tuple of two str
    spec : str or None
        The text that :func:`tremble.load` loaded the game from; None if the game was made in another way.
    origin : Origin or None
        The file that the tree was read from; None without a file.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> kuhn.num_nodes, kuhn.num_infosets, kuhn.depth
    (55, (6, 6), 4)
    """

    def __eq__(self, other: object) -> bool:
        """Return True if both trees have equal digests. Digests ignore titles, names and labels of information sets."""
        if not isinstance(other, GameTree):
            return NotImplemented
        return self is other or (
            len(self.parent) == len(other.parent) and self.actions == other.actions and self.digest == other.digest
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def num_leaves(self) -> int:
        """Number of terminal nodes."""
        return len(self.leaves)

    @property
    def depth(self) -> int:
        """Number of edges on the longest path."""
        return len(self.level) - 2

    @property
    def nodes_by_kind(self) -> dict[str, int]:
        """A dictionary with the number of nodes of each kind: "chance", "player 1", "player 2" and "terminal"."""
        terminal, chance, one, two = np.bincount(self.player + 2, minlength=4).tolist()  # TERMINAL is -2, CHANCE -1
        return {"chance": chance, "player 1": one, "player 2": two, "terminal": terminal}

    @cached_property
    def payoff_float(self) -> NDArray[np.float64]:
        """Payoffs as floats, float64[L, 2]; infinite if they exceed the range of a float."""
        return as_floats(self.payoff, self.payoff_denominator)

    def payoff_at(self, leaf: int) -> tuple[Fraction, Fraction]:
        """Return the exact payoffs of both players in row ``leaf`` of ``payoff``."""
        payoff1, payoff2 = self.payoff[required_index(leaf, len(self.payoff), "leaf")]
        return Fraction(int(payoff1), self.payoff_denominator), Fraction(int(payoff2), self.payoff_denominator)

    def children(self, node: int) -> range:
        """Return the children of a node, in action order."""
        node = required_index(node, self.num_nodes, "node")
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node])) if first >= 0 else range(0)

    def labels(self, node: int) -> tuple[str, ...]:
        """Return the action labels at a node (empty at a leaf)."""
        node = required_index(node, self.num_nodes, "node")
        mover = int(self.player[node])
        if mover == TERMINAL:
            return ()
        if mover == CHANCE:
            return self.chance_tables[int(self.infoset[node])].labels
        return self.actions[mover][int(self.infoset[node])]

    def path(self, node: int) -> tuple[str, ...]:
        """Return the action labels from the root to a node."""
        node = required_index(node, self.num_nodes, "node")
        steps = []
        while node:
            above = int(self.parent[node])
            steps.append(self.labels(above)[int(self.action[node])])
            node = above
        return tuple(reversed(steps))

    def set_name(self, player: int, k: int) -> str:
        """Return the name of information set ``k`` (from 0) of a player, such as ``"information set 5 ('K:')"``."""
        require_player(player)
        k = required_index(k, self.num_infosets[player], "k, the information set,")
        label, number = self.infoset_labels[player][k], k + 1
        known = [repr(label)] if label else []
        if self.origin is not None and self.origin.numbers is not None:
            number = int(self.origin.numbers[player][k])
        if number != k + 1:
            known.append(f"number {number} in the file")
        return f"information set {k + 1} ({', '.join(known)})" if known else f"information set {k + 1}"

    def __repr__(self) -> str:
        return f"<GameTree {self.title!r:.60}: {self.num_nodes} nodes, {self.num_infosets} information sets>"


def require_player(player: int) -> None:
    """Raise ``PlayersError`` unless the index of a player is 0 or 1. Messages call these players 1 and 2."""
    if not isinstance(player, Integral) or isinstance(player, bool) or player not in (0, 1):
        raise PlayersError(
            f"there is no player with index {described(player)}; players 1 and 2 have the indices 0 and 1"
        )


def path_in_words(steps: Sequence[str]) -> str:
    """Join the first ten action labels of a path from the root, for a message."""
    return " / ".join((*steps[:10], *(["..."] * (len(steps) > 10))))

"""The leaf at which the payoffs of a tree stop having a constant sum, and its place in the file of the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tremble.errors import NotZeroSumError
from tremble.game.tree import GameTree, Origin, path_in_words
from tremble.numbers import shorten

__all__ = ["require_constant_sum", "with_origin"]


def with_origin(
    tree: GameTree,
    name: str,
    place: Callable[[int], str],
    numbers: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> GameTree:
    """Return the tree with its :class:`~tremble.game.tree.Origin`; ``place`` names the place of a leaf in the file."""
    leaves = _unequal_leaves(tree)
    return replace(tree, origin=Origin(name, numbers, None if leaves is None else place(leaves[1])))


def require_constant_sum(tree: GameTree, advice: str) -> None:
    """Raise ``NotZeroSumError`` unless all leaves have the same sum of payoffs; name a leaf, and add the advice."""
    leaves = _unequal_leaves(tree)
    if leaves is None:
        return
    first, other = (shorten(sum(tree.payoff_at(int(tree.infoset[leaf])))) for leaf in leaves)
    path = path_in_words(tree.path(leaves[1]))
    place = f"the leaf {path}" if tree.origin is None else f"{tree.origin.unequal} (path: {path})"
    raise NotZeroSumError(f"the payoffs sum to {first} at the first leaf, but to {other} at {place}; {advice}")


def _unequal_leaves(tree: GameTree) -> tuple[int, int] | None:
    """Return the first leaf in preorder and the first leaf with another sum of payoffs; None if all sums are equal."""
    if tree.constant_sum is not None:
        return None
    total, order = tree.payoff[:, 0] + tree.payoff[:, 1], tree.preorder[tree.leaves]
    first = int(np.argmin(order))
    others = np.flatnonzero(total != total[first])
    return int(tree.leaves[first]), int(tree.leaves[others[np.argmin(order[others])]])

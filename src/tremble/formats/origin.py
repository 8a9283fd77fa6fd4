"""Set a tree's ``origin``: the file's name, and the place in the file where leaves first have unequal payoff sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tremble.game.requirements import unequal_leaves
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import Origin

__all__ = ["with_origin"]


def with_origin(
    tree: GameTree,
    name: str,
    place: Callable[[int], str],
    numbers: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> GameTree:
    """Add the name of a tree's file to the tree. ``place`` maps the index of a leaf to a position in the file."""
    leaves = unequal_leaves(tree)
    return replace(tree, origin=Origin(name, numbers, None if leaves is None else place(leaves[1])))

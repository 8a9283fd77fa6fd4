"""Layout of a drawn tree: the part that is drawn, a tidy placement of its nodes, and lanes for information sets.

All functions work on plain numbers and know neither colours nor SVG. None is recursive, because trees can be deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tremble.game.evaluation import summed_below
from tremble.game.tree import GameTree

__all__ = ["Excerpt", "excerpt", "lanes", "tidy"]


@dataclass(frozen=True)
class Excerpt:
    """The part of a tree that is drawn, by levels from the root. Its nodes and stubs are called *marks*."""

    node: list[int]  # node of the tree that each mark shows; -1 for a stub
    parent: list[int]  # mark above each mark; -1 at the root
    depth: list[int]
    children: list[range]  # marks below each mark, in action order; a stub comes last
    hidden: list[int]  # number of nodes that a stub stands for; 0 for other marks

    def __len__(self) -> int:
        return len(self.node)

    @property
    def num_nodes(self) -> int:
        """The number of nodes of the tree that are drawn."""
        return len(self.node) - self.num_stubs

    @property
    def num_stubs(self) -> int:
        """The number of stubs, which stand for nodes that are not drawn."""
        return sum(h > 0 for h in self.hidden)


def excerpt(
    tree: GameTree, max_nodes: int = 3000, max_depth: int = 60, *, start: Sequence[int] = (0,), depth: int | None = None
) -> Excerpt:
    """Choose the part of a tree that is drawn: all of it, or its first levels if it has more than ``max_nodes`` nodes.

    If a level does not fit whole, only the first few actions of every node are drawn, if at least three fit. A large
    tree is drawn up to that level, or to ``max_depth`` levels. Stubs replace the nodes that are left out.

    Parameters
    ----------
    start : sequence of int
        Nodes below which the tree is drawn, none above another. A single one is the root of the drawing. For two or
        more, the root is their last common ancestor, and the drawing has the paths from there to them.
    depth : int, optional
        Number of levels that are drawn below these nodes.
    """
    # Find the root of the drawing, and the number of levels below each start.
    root, paths = _paths(tree, start)
    size = summed_below(tree, np.ones(tree.num_nodes, dtype=np.int64))
    whole = int(size[root]) <= max_nodes
    most = tree.depth if whole else max_depth
    most = most if depth is None else min(most, depth)
    lead = paths | {*start}
    part = Excerpt([root], [-1], [0], [range(0)], [0])
    left: list[int | None] = [None if root in paths else most]  # levels to come below a mark; None on a path
    # Add the marks level by level, until a level does not fit. ``cap`` limits the children of a node that are drawn.
    level, full = range(1), False
    while level:
        below = [_below(tree, part.node[m], left[m], lead) for m in level]
        widths = [*map(len, below)]
        cap = 0 if full else max(widths)
        if not full and not whole and sum(widths) > max_nodes - len(part):
            cap, full = _largest_cap(widths, max_nodes - len(part)), True
        begin = len(part)
        for m, children in zip(level, below, strict=True):
            first, shown = len(part), children[:cap]
            for child in shown:
                _append(part, child, m, part.depth[m] + 1, 0)
                levels = left[m]
                left.append((None if child in paths else most) if levels is None else levels - 1)
            node = part.node[m]
            rest = int(size[node]) - 1 - sum(int(size[child]) for child in shown) if node >= 0 else 0
            if rest:
                _append(part, -1, m, part.depth[m] + 1, rest)
                left.append(0)
            part.children[m] = range(first, len(part))
        level = range(begin, len(part))
    return part


def _paths(tree: GameTree, start: Sequence[int]) -> tuple[int, frozenset[int]]:
    """Return the last common ancestor of all starts, and the nodes on the paths from it to the starts."""
    ends, above = set(start), set[int]()
    for first in tree.level[-2:0:-1].tolist():  # the first node of each level, the deepest level first
        if len(ends) == 1:
            break
        up = {int(tree.parent[node]) for node in ends if node >= first}
        ends = {node for node in ends if node < first} | up
        above |= up
    (root,) = ends
    return root, frozenset(above)


def _below(tree: GameTree, node: int, left: int | None, lead: frozenset[int]) -> Sequence[int]:
    """Return the children of a node that are drawn if they fit.

    ``left`` counts the levels to come. A node above a start has None, and only its children in ``lead`` are drawn.
    """
    if node < 0 or left == 0:
        return ()
    children = tree.children(node)
    return [child for child in children if child in lead] if left is None else children


def _append(part: Excerpt, node: int, parent: int, depth: int, hidden: int) -> None:
    part.node.append(node)
    part.parent.append(parent)
    part.depth.append(depth)
    part.children.append(range(0))
    part.hidden.append(hidden)


def _largest_cap(widths: Sequence[int], room: int) -> int:
    """Find the largest number of actions per node that fits into ``room``; 0 if fewer than three fit."""
    low, high = 0, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(w, middle) + (w > middle) for w in widths) <= room:
            low = middle
        else:
            high = middle - 1
    return low if low >= 3 else 0


class _Contour:
    """Left and right outline of a forest, deepest level first. Readers add ``shift`` to every entry."""

    __slots__ = ("left", "right", "shift")

    def __init__(self, half: float) -> None:
        self.left = [-half]
        self.right = [half]
        self.shift = 0.0

    def clearance(self, other: _Contour) -> float:
        """Return the distance that ``other`` must move to the right, to stand beside this forest."""
        common = min(len(self.left), len(other.left))
        ours = self.right[-common:] if common < len(self.right) else self.right
        theirs = other.left[-common:] if common < len(other.left) else other.left
        return max(r - x for r, x in zip(ours, theirs, strict=True)) + self.shift - other.shift

    def beside(self, other: _Contour) -> _Contour:
        """Return the joint outline. It reuses the deeper one, so that all merges together cost linear time."""
        n, m = len(self.left), len(other.left)
        if m <= n:
            d = other.shift - self.shift
            self.right[n - m :] = [x + d for x in other.right]
            return self
        d = self.shift - other.shift
        other.left[m - n :] = [x + d for x in self.left]
        return other


def _packed(children: Sequence[Sequence[int]], half: Sequence[float]) -> list[float]:
    """Return the offset of each mark from its parent.

    Subtrees are pushed to the left, and parents are centred over their children.
    """
    offset = [0.0] * len(children)
    contours: list[_Contour | None] = [None] * len(children)
    for mark in range(len(children) - 1, -1, -1):
        own = _Contour(half[mark])
        below = children[mark]
        if len(below):
            forest: _Contour | None = None
            for child in below:
                contour = contours[child]
                contours[child] = None
                assert contour is not None
                if forest is None:
                    forest = contour
                else:
                    offset[child] = forest.clearance(contour)
                    contour.shift += offset[child]
                    forest = forest.beside(contour)
            assert forest is not None
            centre = (offset[below[0]] + offset[below[-1]]) / 2
            for child in below:
                offset[child] -= centre
            forest.shift -= centre
            forest.left.append(-half[mark] - forest.shift)
            forest.right.append(half[mark] - forest.shift)
            own = forest
        contours[mark] = own
    return offset


def tidy(children: Sequence[Sequence[int]], half: Sequence[float]) -> list[float]:
    """Place every mark across the levels: no two of a level overlap, and parents stand over their children.

    The method of Reingold & Tilford (1981) merges contours from the leaves up. Packing to the left alone would crowd
    small subtrees against their left neighbours. The mean of a left and a right packing is symmetric, and it keeps the
    least distances, because these are linear constraints.

    Children have greater numbers than their parent; ``half`` is half of the room that each mark needs. The result is
    the centre of each mark; the least left edge is 0.

    Examples
    --------
    >>> tidy([[1, 2], [], []], [5, 5, 10])
    [12.5, 5.0, 20.0]
    """
    to_left = _packed(children, half)
    to_right = _packed([below[::-1] for below in children], half)
    centre = [0.0] * len(children)
    for mark, below in enumerate(children):
        for child in below:
            centre[child] = centre[mark] + (to_left[child] - to_right[child]) / 2
    least = min(c - h for c, h in zip(centre, half, strict=True))
    return [c - least for c in centre]


def lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Assign a lane, from 1, to every span. Spans that overlap get different lanes; short spans get inner ones."""
    lane = [0] * len(spans)
    used: list[list[tuple[float, float]]] = []
    for i in sorted(range(len(spans)), key=lambda i: (spans[i][1] - spans[i][0], spans[i][0])):
        low, high = spans[i]
        k = 0
        while k < len(used) and any(low < b and a < high for a, b in used[k]):
            k += 1
        if k == len(used):
            used.append([])
        used[k].append((low, high))
        lane[i] = k + 1
    return lane

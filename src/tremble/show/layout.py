"""The layout of a drawn tree: the part to draw, the positions of its nodes, and the lanes of its curved links.

A *link* joins two nodes of an information set. A link that would cross other nodes runs beside its level, in a *lane*.
The functions compute only numbers. Other modules choose colors and write SVG. No function is recursive, because trees
can be deep.
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
    """The part of a tree to draw, ordered by levels from the root.

    The elements of the part are called *marks*. A mark is a node of the tree or a stub. A stub stands for nodes that
    are not drawn.
    """

    node: list[int]  # for each mark: the node of the tree, or -1 for a stub
    parent: list[int]  # for each mark: the mark above it, or -1 for the root
    depth: list[int]
    children: list[range]  # for each mark: the marks below it, in the order of the actions, with a stub at the end
    hidden: list[int]  # for each mark: the number of nodes that the stub stands for, or 0 for a node

    def __len__(self) -> int:
        return len(self.node)

    @property
    def num_nodes(self) -> int:
        """The number of nodes that are drawn. Stubs, which stand for other nodes, do not count."""
        return len(self.node) - self.num_stubs

    @property
    def num_stubs(self) -> int:
        """The number of stubs, which stand for nodes that are not drawn."""
        return sum(h > 0 for h in self.hidden)


def excerpt(
    tree: GameTree, max_nodes: int = 3000, max_depth: int = 60, *, start: Sequence[int] = (0,), depth: int | None = None
) -> Excerpt:
    """Choose the part of a tree to draw. The part has at most about ``max_nodes`` nodes.

    If the tree has at most ``max_nodes`` nodes, all levels are drawn. From a larger tree, the function draws the first
    levels that fit, but at most ``max_depth`` levels. On the next level, it draws the first few children of each node,
    if three or more per node fit. Stubs stand for the nodes that are not drawn.

    Parameters
    ----------
    start : sequence of int
        The nodes at which the drawing begins. No start node may be above another start node. A single start node is the
        root of the drawing. For multiple start nodes, the root is their last common ancestor, and the drawing contains
        the paths from this root to the start nodes.
    depth : int, optional
        The number of levels to draw below the start nodes.
    """
    # Find the root of the drawing, and the number of levels below each start node.
    root, paths = _paths(tree, start)
    size = summed_below(tree, np.ones(tree.num_nodes, dtype=np.int64))
    whole = int(size[root]) <= max_nodes
    most = tree.depth if whole else max_depth
    most = most if depth is None else min(most, depth)
    lead = paths | {*start}
    part = Excerpt([root], [-1], [0], [range(0)], [0])
    left: list[int | None] = [None if root in paths else most]  # for each mark: levels still to draw; None on a path
    # Add the marks level by level, until a level does not fit. ``cap`` limits the number of children of each node.
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
    """Return the root of a drawing, and the nodes of the drawing that are above a start node.

    The root is the last common ancestor of the start nodes. For a single start node, the second result is empty.
    """
    ends, above = set(start), set[int]()
    for first in tree.level[-2:0:-1].tolist():  # the first node of each level, starting with the deepest level
        if len(ends) == 1:
            break
        up = {int(tree.parent[node]) for node in ends if node >= first}
        ends = {node for node in ends if node < first} | up
        above |= up
    (root,) = ends
    return root, frozenset(above)


def _below(tree: GameTree, node: int, left: int | None, lead: frozenset[int]) -> Sequence[int]:
    """Return the children of ``node`` that are drawn if the next level has room for them.

    ``left`` is the number of levels still to draw below the node, or None for a node above a start node. If ``left`` is
    None, return only children in ``lead``, the set of all start nodes and all nodes above start nodes.
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
    """Return the greatest number of children to draw per node if the next level has room for ``room`` marks.

    ``widths`` contains the number of children of each node. A node with more children also gets a stub, which counts
    as a mark. Return 0 if fewer than three children per node fit.
    """
    low, high = 0, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(w, middle) + (w > middle) for w in widths) <= room:
            low = middle
        else:
            high = middle - 1
    return low if low >= 3 else 0


class _Contour:
    """The left and right outlines of a forest of adjacent subtrees: an entry for each level, the deepest level first.

    To get the position on a level, add ``shift`` to the entry.
    """

    __slots__ = ("left", "right", "shift")

    def __init__(self, half: float) -> None:
        self.left = [-half]
        self.right = [half]
        self.shift = 0.0

    def clearance(self, other: _Contour) -> float:
        """Return the shift to the right after which ``other`` is to the right of this forest and touches the forest."""
        common = min(len(self.left), len(other.left))
        ours = self.right[-common:] if common < len(self.right) else self.right
        theirs = other.left[-common:] if common < len(other.left) else other.left
        return max(r - x for r, x in zip(ours, theirs, strict=True)) + self.shift - other.shift

    def beside(self, other: _Contour) -> _Contour:
        """Return the joint outline of two forests: this forest, and the forest of ``other`` to its right.

        The method reuses and modifies the outline of the deeper forest, so all merges together take linear time.
        """
        n, m = len(self.left), len(other.left)
        if m <= n:
            d = other.shift - self.shift
            self.right[n - m :] = [x + d for x in other.right]
            return self
        d = self.shift - other.shift
        other.left[m - n :] = [x + d for x in self.left]
        return other


def _packed(children: Sequence[Sequence[int]], half: Sequence[float]) -> list[float]:
    """Return the horizontal offset of each mark from its parent.

    Each subtree is placed as far left as possible, and each parent is centered over its children.
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
    """Return the position of every mark on its level.

    Marks on the same level do not overlap, and parents are centered over their children. The method of Reingold and
    Tilford (1981) merges outlines from the leaves to the root, and places each subtree as far left as possible. This
    would leave small subtrees too close to their left neighbors. The function therefore averages the leftmost and the
    rightmost placement. The average is symmetric. It has no overlaps either, because the minimum distances are linear
    constraints.

    ``children`` contains the child marks of each mark. A child must have a greater number than its parent. ``half``
    contains half of the width of each mark. The result contains the center of each mark. The leftmost edge is 0.

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
    """Assign a lane to each span, so that overlapping spans have different lanes. Return the lanes, counted from 1.

    A span is the pair of positions that a curved link joins. Lanes are assigned greedily, starting with the shortest
    span, so short spans have low lane numbers.
    """
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

"""The path of a depth-first walk through rules, with histories that can be recomputed.

A history of d moves is often a tuple of d actions. A walk that stores the history of each open node, or of each sibling
still to come, then stores d * d / 2 actions: 40 GB at 100,000 moves. So the walk stores the *positions* of the actions
on its path, one integer per move, and only some histories. It recomputes the others with ``child``:

* near the root, the walk stores the histories of all open nodes;
* below, it stores those of one in g open nodes, where g is about the square root of their number, and of those near
  its end.

The walk calls ``child`` again for a stretch of g nodes when it returns to that stretch, and goes forward g nodes before
it drops one. So the number of calls stays linear in the number of nodes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Any

from tremble.game.protocol import Game

__all__ = ["OpenPath"]

_ALL_KEPT = 1_024  # open nodes; their histories as tuples of actions take 4 MB


class OpenPath:
    """The nodes above the present node. A node is *open* while some of its actions have not been followed.

    Examples
    --------
    >>> import tremble
    >>> rules = tremble.load_rules("matching_pennies").rules
    >>> path = OpenPath(rules)
    >>> first = path.down(rules.root(), 2)
    >>> path.down(first, 2), path.next(), path.next(), path.depth
    (3, 4, 2, 1)
    """

    def __init__(self, rules: Game) -> None:
        self._rules = rules
        self._taken = array("i")  # position of the action taken at each node of the path
        self._depth = array("i")  # depth of each open node
        self._width = array("i")  # number of its actions
        self._kept = array("i")  # numbers of the open nodes whose histories are kept, ascending; always the first
        self._history: list[Any] = []  # these histories

    @property
    def depth(self) -> int:
        """Number of moves before the present node."""
        return len(self._taken)

    @property
    def is_closed(self) -> bool:
        """True if all histories that follow in preorder are descendants of the present node."""
        return not self._depth

    def down(self, h: Any, width: int) -> Any:
        """Return the history after the first action at ``h``, the present node, which has ``width`` actions."""
        if width > 1:
            self._keep(len(self._depth), h)
            self._depth.append(len(self._taken))
            self._width.append(width)
        self._taken.append(0)
        return self._rules.child(h, 0)

    def next(self) -> Any:
        """Return the next history in preorder that is no descendant of the present node."""
        top = len(self._depth) - 1
        h = self._history_of(top)
        depth = self._depth[top]
        action = self._taken[depth] + 1
        del self._taken[depth + 1 :]
        self._taken[depth] = action
        if action == self._width[top] - 1:
            for column in (self._depth, self._width, self._kept, self._history):
                column.pop()
        return self._rules.child(h, action)

    def _keep(self, number: int, h: Any) -> None:
        """Keep the history of an open node, and drop those that are no longer near the end of the path."""
        self._kept.append(number)
        self._history.append(h)
        if number < _ALL_KEPT:
            return
        gap = 1 << (number.bit_length() // 2)
        if number % gap == 0:
            # Two stretches stay whole, so that a walk around a boundary does not find one again and again.
            dropped = slice(bisect_left(self._kept, number - 2 * gap + 1), bisect_left(self._kept, number - gap))
            del self._kept[dropped], self._history[dropped]

    def _history_of(self, number: int) -> Any:
        """Return the history of an open node, the last one; recompute it, and those before it, if it was dropped."""
        above, h = self._kept[-1], self._history[-1]
        while above < number:
            for depth in range(self._depth[above], self._depth[above + 1]):
                h = self._rules.child(h, self._taken[depth])
            above += 1
            self._kept.append(above)
            self._history.append(h)
        return h

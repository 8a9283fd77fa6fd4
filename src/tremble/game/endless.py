"""Detect rules whose play never ends, without building their tree.

No program can decide for all rules whether play ends. This module walks down one path and avoids the ends of play.
Every node that the walk meets belongs to the tree. The walk stops early in two cases:

* The walk has met more nodes than the limit for the tree.
* All histories on the path together would fill 64 GiB. If histories are tuples of moves, 131,072 moves suffice.

At each history, a walk follows the first action after which play continues. If the walk ends soon, a second walk
follows the last such action. A walk stores one history at a time. The caller visits histories of the rules, and starts
walks at some of them. The next walks start only at a history with at least twice as many moves as the longest history
of all earlier walks. So all walks together take about as long as the caller.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from tremble.errors import TooLargeError
from tremble.game.protocol import TERMINAL, Game
from tremble.game.tree_arrays import label_tuple

__all__ = ["PlayEnds"]

_FIRST_DEPTH = 256  # shorter paths are not checked
_LONG = 1_000  # moves; if a shorter path meets too many nodes, the game is wide, not endless
_MOST_BYTES = 1 << 36  # limit for the bytes of all histories on a path together
_MOVES_BETWEEN_CHECKS = 1_024  # moves between two calls of ``check``
_MOST_OBJECTS = 1_000_000  # limit for the objects that are measured in one history
_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


@dataclass
class PlayEnds:
    """A check that raises an error if play never ends, for code that walks through the histories of rules.

    Parameters
    ----------
    rules : Game
    max_nodes : int
        The greatest number of nodes that the tree may have.
    advice : str
        The last words of the error message: what to do if the tree is finite but has more than ``max_nodes`` nodes.

    Examples
    --------
    >>> class Endless:
    ...     def player(self, h): return h % 2
    ...     def actions(self, h): return ("left", "right")
    ...     def child(self, h, i): return h + 1
    >>> PlayEnds(Endless(), 10_000, "raise max_nodes=").require(300, 300, 601)
    Traceback (most recent call last):
    tremble.errors.TooLargeError: play never ends: no leaf after 4,999 moves along one path; if the rules do end play \
later, raise max_nodes=
    """

    rules: Game
    max_nodes: int
    advice: str
    next_depth: int = _FIRST_DEPTH  # the least number of moves after which a history must be checked

    def require(self, h: Any, depth: int, nodes: int, check: Callable[[], None] | None = None) -> None:
        """Walk from the history ``h`` until play ends. ``h`` follows ``depth`` moves and is not an end of play.

        Parameters
        ----------
        nodes : int
            The number of nodes known to be in the tree, ``h`` included.
        check : callable, optional
            Called from time to time; may raise an exception to stop the walk.

        Raises
        ------
        TooLargeError
            Before play ended, the walk met too many nodes, or a history that is too long.
        """
        end = self._walk(h, depth, nodes, check, last=False)
        if end < 2 * depth:
            end = max(end, self._walk(h, depth, nodes, check, last=True))
        self.next_depth = 2 * max(depth, end)

    def error(self, moves: int) -> TooLargeError:
        """Return the error for a path of ``moves`` moves without an end of play."""
        return self._error(moves, self.advice)

    @staticmethod
    def _error(moves: int, advice: str) -> TooLargeError:
        return TooLargeError(
            f"play never ends: no leaf after {moves:,} moves along one path; if the rules do end play later, {advice}"
        )

    def too_long(self, depth: int) -> bool:
        """Return True if a path of ``depth`` moves is so long that the error "play never ends" is justified."""
        return depth >= max(_LONG, self.max_nodes // 100)

    def _walk(self, h: Any, depth: int, nodes: int, check: Callable[[], None] | None, *, last: bool) -> int:
        """Repeatedly follow the first (or ``last``) action after which play goes on. Return the final depth."""
        # Measure a history each time the depth has doubled. `spent` estimates the bytes of all histories together.
        rules, measured, size, spent = self.rules, depth, 0, 0
        while True:
            width = len(label_tuple(rules.actions(h)))
            nodes += width
            if nodes > self.max_nodes:
                if depth >= _LONG:
                    raise self.error(depth)
                return depth
            for i in range(width - 1, -1, -1) if last else range(width):
                following = rules.child(h, i)
                if rules.player(following) != TERMINAL:
                    break
            else:
                return depth + 1
            depth += 1
            if depth >= 2 * measured:
                size, measured = _own_bytes(following, h), depth
            spent += size
            if spent > _MOST_BYTES:
                raise self._error(depth, "let a history contain only what later moves depend on")
            if check is not None and depth % _MOVES_BETWEEN_CHECKS == 0:
                check()
            h = following


def _own_bytes(h: Any, above: Any) -> int:
    """Count the bytes of a history ``h`` that are not part of ``above``, the history one move earlier."""
    seen: set[int] = set()
    _measured(above, seen)
    return _measured(h, seen)


def _measured(h: Any, seen: set[int]) -> int:
    """Count the bytes of the objects in a history that are not in ``seen``; add these objects to ``seen``."""
    size, stack = 0, [h]
    while stack and len(seen) < _MOST_OBJECTS:
        held = stack.pop()
        if id(held) in seen or isinstance(held, _CODE):
            continue
        seen.add(id(held))
        size += sys.getsizeof(held)
        stack.extend(gc.get_referents(held))
    return size

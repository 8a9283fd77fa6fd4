"""Pairs with one item for each player, and caches of one entry for each object."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

__all__ = ["KeptWith", "pair"]

T = TypeVar("T")


def pair(items: Iterable[T]) -> tuple[T, T]:
    """Return the item of player 1 and the item of player 2 as a pair; raise ``ValueError`` unless there are two.

    Examples
    --------
    >>> pair(2 * player for player in (0, 1))
    (0, 2)
    """
    player1, player2 = items
    return player1, player2


Owner = TypeVar("Owner")
Kept = TypeVar("Kept")


class KeptWith(Generic[Owner, Kept]):
    """A cache of something derived from an object, kept as long as the object lives.

    Objects are identified by identity: equal objects have separate entries.

    Parameters
    ----------
    make : callable
        Derives the entry from the object. The entry must not refer to the object, which would then live for ever.
    """

    def __init__(self, make: Callable[[Owner], Kept]) -> None:
        self._make = make
        self._kept: dict[int, tuple[weakref.ref[Owner], Kept]] = {}

    def __call__(self, owner: Owner) -> Kept:
        """Return the entry of this object; make it at the first call."""
        number = id(owner)
        entry = self._kept.get(number)
        if entry is None:
            reference = weakref.ref(owner, lambda _: self._kept.pop(number, None))
            entry = self._kept[number] = reference, self._make(owner)
        return entry[1]

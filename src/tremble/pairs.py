"""Pairs with one item for each player."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["pair"]

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

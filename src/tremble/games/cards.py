"""Deal cards one after the other, and compare hands at the end."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from tremble.games.kuhn import rank_names

__all__ = ["draw", "showdown"]


@lru_cache(maxsize=1 << 16)
def draw(ranks: int, each: int, gone: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[str, ...], tuple[Fraction, ...]]:
    """Remove the cards ``gone`` from a deck. Return the ranks that are left, their names and their probabilities.

    The deck has ``ranks`` ranks, with ``each`` cards of every rank.

    Examples
    --------
    >>> draw(3, 2, (0, 0))
    ((1, 2), ('Q', 'K'), (Fraction(1, 2), Fraction(1, 2)))
    """
    left = [(rank, each - gone.count(rank)) for rank in range(ranks)]
    cards = tuple(rank for rank, count in left if count)
    chances = tuple(Fraction(count, ranks * each - len(gone)) for _, count in left if count)
    return cards, tuple(rank_names(ranks)[rank] for rank in cards), chances


def showdown(a: int, b: int, public: int, stake: int) -> tuple[int, int]:
    """Return the payoffs for cards a and b. A pair with the public card wins, else the higher card; equal cards tie."""
    if a == b:
        return (0, 0)
    return (stake, -stake) if a == public or (b != public and a > b) else (-stake, stake)

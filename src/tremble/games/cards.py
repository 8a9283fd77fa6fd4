"""Cards: their names, draws from a deck, and the showdown."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache

__all__ = ["deal_label", "draw", "rank_names", "showdown"]

_THIRTEEN = tuple("23456789TJQKA")
_THREE = tuple("JQK")


@cache
def rank_names(count: int) -> tuple[str, ...]:
    """Return the names of ranks from low to high.

    Up to three ranks end with the king, as in the literature on Kuhn and Leduc poker. Four to thirteen ranks end with
    the ace. More ranks are numbered.

    Examples
    --------
    >>> rank_names(3), rank_names(5), rank_names(14)[-1]
    (('J', 'Q', 'K'), ('T', 'J', 'Q', 'K', 'A'), '14')
    """
    if count <= len(_THREE):
        return _THREE[-count:]
    if count <= len(_THIRTEEN):
        return _THIRTEEN[-count:]
    return tuple(str(rank) for rank in range(1, count + 1))


def deal_label(first: str, second: str) -> str:
    """Return the label of a deal of one card to each player: ``"QK"``, or ``"9-14"`` if names are long."""
    return first + second if len(first) == len(second) == 1 else f"{first}-{second}"


@lru_cache(maxsize=1 << 16)
def draw(ranks: int, each: int, gone: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[str, ...], tuple[Fraction, ...]]:
    """List the ranks that can be drawn, with names and probabilities, after the cards ``gone`` have left the deck.

    The deck has ``each`` cards of each of ``ranks`` ranks.

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
    """Return the payoffs with cards a and b: a pair with the public card, or else the higher card, wins."""
    if a == b:
        return (0, 0)
    return (stake, -stake) if a == public or (b != public and a > b) else (-stake, stake)

"""What cards are called."""

from __future__ import annotations

from functools import cache

__all__ = ["deal_label", "rank_names"]

_THIRTEEN = tuple("23456789TJQKA")
_THREE = tuple("JQK")


@cache
def rank_names(count: int) -> tuple[str, ...]:
    """Names of ranks from low to high.

    Up to three ranks end with the king, as in the literature on Kuhn and Leduc poker; up to thirteen end
    with the ace; more are numbered.

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
    """Label of a deal of one card to each player: ``"QK"``, or ``"9-14"`` where names are long."""
    return first + second if len(first) == len(second) == 1 else f"{first}-{second}"

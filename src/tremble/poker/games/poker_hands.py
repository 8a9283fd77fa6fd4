"""Scores of poker hands of five to seven cards. The score is computed for many hands at once.

The score of a hand is the score of its best five cards. A card has the number ``4 * rank + suit``. Ranks are numbered
from 0 (the two) to 12 (the ace). A set of ranks is a mask of 13 bits. If two masks have equally many bits, the mask
that is greater as a number has the higher cards.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CATEGORIES", "hand_scores"]

IntArray = NDArray[np.int64]

CATEGORIES = (
    "high card",
    "pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The categories of hands from low to high. The position of a hand's category in this tuple is ``score >> 26``."""

_WHEEL = 0b1_0000_0000_1111  # A-2-3-4-5, the straight in which the ace is the lowest card


def hand_scores(cards: NDArray[Any]) -> IntArray:
    """Return the scores of hands. A better hand has a higher score, and hands that tie have equal scores.

    Parameters
    ----------
    cards : int array [..., 5 to 7]
        The numbers of the cards of each hand.

    Returns
    -------
    int64 array [...]
        The score of each hand.

    Examples
    --------
    >>> wheel, pair_of_aces = [48, 1, 6, 11, 12], [48, 49, 6, 11, 12]
    >>> [CATEGORIES[score >> 26] for score in hand_scores(np.array([wheel, pair_of_aces])).tolist()]
    ['straight', 'pair']
    """
    top, straight = _tables()
    rank, suit = np.divmod(np.asarray(cards, dtype=np.int64), 4)
    bit = np.int64(1) << rank
    # For each hand, find the ranks that occur at least once, twice, three times and four times.
    once, twice, thrice, all_four = (np.zeros(cards.shape[:-1], dtype=np.int64) for _ in range(4))
    for k in range(cards.shape[-1]):
        here = bit[..., k]
        all_four |= thrice & here
        thrice |= twice & here
        twice |= once & here
        once |= here
    # Find the ranks of the cards of a suit that has at least five cards.
    flush = np.zeros_like(once)
    for s in range(4):
        of_suit = suit == s
        flush |= np.where(of_suit.sum(axis=-1) >= 5, np.where(of_suit, bit, 0).sum(axis=-1), 0)
    four, three = top[1][all_four], top[1][thrice]
    pair = top[1][twice & ~three]
    two = top[2][twice]
    one = top[1][twice]
    # List the categories from high to low: the condition, the category, and the two parts of the score within it.
    kinds = (
        (straight[flush] > 0, 8, straight[flush], np.zeros_like(once)),
        (four > 0, 7, four, top[1][once & ~four]),
        ((three > 0) & (pair > 0), 6, three, pair),
        (flush > 0, 5, top[5][flush], np.zeros_like(once)),
        (straight[once] > 0, 4, straight[once], np.zeros_like(once)),
        (three > 0, 3, three, top[2][once & ~three]),
        (two > one, 2, two, top[1][once & ~two]),
        (one > 0, 1, one, top[3][once & ~one]),
        (once > 0, 0, top[5][once], np.zeros_like(once)),
    )
    scores = [(np.int64(category) << 26) | (first << 13) | second for _, category, first, second in kinds]
    return np.select([fits for fits, *_ in kinds], scores)


@cache
def _tables() -> tuple[dict[int, IntArray], IntArray]:
    """Return two tables that are indexed by masks of ranks.

    For each count k from 1 to 5, the first table contains the k highest bits of each mask. The second table contains
    the top bit of the highest straight in each mask, or 0 if there is no straight.
    """
    masks = np.arange(2**13)
    left, kept = masks.copy(), np.zeros_like(masks)
    top = {}
    for count in range(1, 6):
        highest = np.where(left > 0, 1 << (np.frexp(left)[1] - 1).clip(0), 0)
        left, kept = left ^ highest, kept | highest
        top[count] = kept
    straight = np.where(masks & _WHEEL == _WHEEL, 1 << 3, 0)
    for low in range(9):
        run = 0b11111 << low
        straight = np.where(masks & run == run, 1 << (low + 4), straight)
    return top, straight

"""Sums over the other player's hands for the exact check of Hold'em, compiled by Numba.

All numbers are int64. The caller must prove that no number overflows.
"""

from __future__ import annotations

import numpy as np

from tremble.run.compiling import compiled

__all__ = ["copy_rows", "leaf_values"]

_LANES = 16  # leaves that are processed at once, so that the innermost loops run over contiguous numbers


@compiled
def copy_rows(table, classes, rows, places, found):  # type: ignore[no-untyped-def]
    """Copy ``table[class, row, 0]`` for the class of each hand: row ``rows[k]`` to ``found[places[k]]``."""
    for k in range(len(rows)):
        for hand in range(len(classes)):
            found[places[k], hand] = table[classes[hand], rows[k], 0]


@compiled
def leaf_values(y, cards, scores, order, factors, same, found):  # type: ignore[no-untyped-def]
    """Compute what each own hand earns at each leaf.

    This is the sum of ``y`` over the weaker hands, times a factor of the leaf, plus such products for the stronger and
    for the equal hands. Only hands without a common card count. The pairs of arrays are for the own hands and for the
    other player's hands.

    Parameters
    ----------
    y : [leaves, other hands]
        0 for hands that cannot be held.
    cards : pair of [hands, 2]
    scores : pair of [hands]
        Negative for hands that cannot be held.
    order : pair of [hands]
        The hands with ascending scores.
    factors : [leaves, 3]
        For weaker, stronger and equal hands of the other player.
    same : [own hands]
        The other player's hand with the same cards, or the number of the other player's hands.
    found : [leaves, own hands]
        The result. The function does not write to own hands that cannot be held.
    """
    (mine, theirs), (my_scores, their_scores), (my_order, their_order) = cards, scores, order
    weight = np.zeros((len(theirs) + 1, _LANES), dtype=np.int64)  # y of some leaves; the last row remains 0
    worth = np.zeros((len(mine), _LANES), dtype=np.int64)
    factor = np.zeros((3, _LANES), dtype=np.int64)
    # Let T be the sum of y over some hands, and C[c] the sum over those of them with the card c. The sum over those
    # without a common card with the own hand {a, b} is T - C[a] - C[b], plus y of the same hand if it is included.
    # Row c of `every` is C[c] for all hands, and its last row is T. `added` has the first hands in the order.
    every, added = np.zeros((53, _LANES), dtype=np.int64), np.zeros((53, _LANES), dtype=np.int64)
    for leaf in range(0, len(y), _LANES):
        for k in range(min(_LANES, len(y) - leaf)):
            for hand in range(len(theirs)):
                weight[hand, k] = y[leaf + k, hand]
            for kind in range(3):
                factor[kind, k] = factors[leaf + k, kind]
        for card in range(53):
            for k in range(_LANES):
                every[card, k] = added[card, k] = 0
        for hand in range(len(theirs)):
            _add(every, theirs[hand], weight[hand])
        start, following = 0, 0
        while start < len(my_order):
            score, end = my_scores[my_order[start]], start
            while end < len(my_order) and my_scores[my_order[end]] == score:
                end += 1
            while following < len(their_order) and their_scores[their_order[following]] < score:
                _add(added, theirs[their_order[following]], weight[their_order[following]])
                following += 1
            for hand in my_order[start:end]:
                a, b = mine[hand, 0], mine[hand, 1]
                for k in range(_LANES):
                    weaker = added[52, k] - added[a, k] - added[b, k]
                    worth[hand, k] = (factor[0, k] - factor[2, k]) * weaker
            while following < len(their_order) and their_scores[their_order[following]] == score:
                _add(added, theirs[their_order[following]], weight[their_order[following]])
                following += 1
            for hand in my_order[start:end]:
                a, b = mine[hand, 0], mine[hand, 1]
                for k in range(_LANES):
                    here = added[52, k] - added[a, k] - added[b, k]  # weaker and equal hands
                    stronger = every[52, k] - every[a, k] - every[b, k] - here
                    worth[hand, k] += factor[1, k] * stronger + factor[2, k] * (here + weight[same[hand], k])
            start = end
        for k in range(min(_LANES, len(y) - leaf)):
            for hand in range(len(mine)):
                if my_scores[hand] >= 0:
                    found[leaf + k, hand] = worth[hand, k]


@compiled
def _add(sums, pair, weight):  # type: ignore[no-untyped-def]
    """Add the weights of a hand to the sums over all hands, and over the hands with each of its two cards."""
    a, b = pair[0], pair[1]
    for k in range(_LANES):
        sums[52, k] += weight[k]
        sums[a, k] += weight[k]
        sums[b, k] += weight[k]

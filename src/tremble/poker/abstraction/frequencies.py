"""Count the outcomes of each hand against all opposing hands, and group nodes by parent node in the previous round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.poker.deals import RoundDeals

__all__ = ["child_rows", "frequencies"]

IntArray = NDArray[np.int64]

_CHUNK = 2**19  # the number of pairs of hands that are processed together


def frequencies(deals: RoundDeals) -> tuple[IntArray, IntArray]:
    """Return, for each player, node and outcome, the total weight of the opponent's hands that lead to the outcome.

    A node is a public state together with a hand of the player. The arrays have the shape [nodes, outcomes].

    Examples
    --------
    A player in Rhode Island Hold'em holds a two, and both public cards are twos. The example counts the opponent's
    hands against which the player loses, ties and wins:

    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.deals import Deals
    >>> frequencies(Deals.of(RhodeIsland()).rounds[2])[0][0].tolist()
    [0, 1, 48]
    """
    count = deals.payoffs.num_outcomes
    shape = (deals.num_states, deals.num_hands, count)
    times = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    step = max(1, _CHUNK // deals.num_hands**2)
    for first in range(0, deals.num_states, step):
        some = slice(first, first + step)
        mass, outcome = deals.masses(some), deals.outcomes(some)
        for player in (0, 1):
            times[player][some, :, -1] = mass.sum(axis=2 - player)
        for k in range(count - 1):
            part = mass * (outcome == k)
            for player in (0, 1):
                times[player][some, :, k] = part.sum(axis=2 - player)
    for player in (0, 1):
        times[player][..., -1] -= times[player][..., :-1].sum(axis=2)
    return times[0].reshape(-1, count), times[1].reshape(-1, count)


def child_rows(deals: RoundDeals, values: NDArray[np.int64]) -> IntArray:
    """Return an array [earlier nodes, children]: row i has the ``values`` of the nodes that follow earlier node i."""
    before = int(deals.earlier.max()) + 1
    return values[np.argsort(deals.earlier, kind="stable")].reshape(before, -1)

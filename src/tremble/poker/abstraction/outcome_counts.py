r"""The rule that reproduces the published sizes of Rhode Island Hold'em. It is *lossy*.

From the last round to the first, each node of a player's own signal tree gets a label: how often each outcome comes up
against all that the opponents may hold (wins, ties and losses), and the multiset of the labels of its children. Nodes
are merged if their labels are equal and those of all nodes above them are. Equal multisets are a perfect matching of
the children, so this is ordered game isomorphism [1]_ on a player's own signals, with counts at the leaves.

For Rhode Island Hold'em it leaves 13, 205 and 1,774 classes: 1,237,238 rows and columns and 50,428,638 nonzeros, which
are the published numbers ([1]_, section 1.3). But counts do not say *which* hands are beaten, and the opponent may tell
those apart: what is optimal in the filtered game need not be in the original. (That these sizes come from this rule is
inferred from their agreement; the published program is not public.)

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.pairs import pair
from tremble.poker.abstraction.frequencies import child_rows, frequencies
from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.filter import NEVER, Filter
from tremble.poker.game import OrderedGame

__all__ = ["published_filter"]

IntArray = NDArray[np.int64]


def published_filter(game: OrderedGame) -> Filter:
    """Classes of equal counts of outcomes.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> published_filter(RhodeIsland(ranks=3)).num_classes(0)
    (3, 11, 39)
    """
    rounds = Deals.of(game).rounds
    counts = [frequencies(deals) for deals in rounds]
    return Filter.of_classes(game, pair(_classes(rounds, [count[player] for count in counts]) for player in (0, 1)))


def _classes(rounds: tuple[RoundDeals, ...], counts: list[IntArray]) -> tuple[IntArray, ...]:
    """Classes of a player's nodes, round by round, from their counts of outcomes."""
    labels: list[IntArray] = []
    for number in reversed(range(len(rounds))):
        parts = counts[number]
        if labels:
            children = np.sort(child_rows(rounds[number + 1], labels[-1]), axis=1)
            parts = np.concatenate([parts, children], axis=1)
        labels.append(np.where(counts[number].any(axis=1), _numbered(parts), NEVER))
    classes: list[IntArray] = []
    for deals, label in zip(rounds, reversed(labels), strict=True):
        above = classes[-1][deals.earlier] if classes else np.zeros_like(label)
        dealt = label != NEVER
        classes.append(np.full(len(label), NEVER, dtype=np.int64))
        classes[-1][dealt] = np.unique((above * (label.max() + 1) + label)[dealt], return_inverse=True)[1]
    return tuple(classes)


def _numbered(rows: IntArray) -> IntArray:
    """Number of each row, equal for equal rows, ascending."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        numbers = np.unique(numbers * (int(column.max()) + 2) + column, return_inverse=True)[1]
    return numbers

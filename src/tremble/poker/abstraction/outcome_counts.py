r"""The merging rule that reproduces the published sizes of Rhode Island Hold'em.

This abstraction is *lossy*.

A node of a round consists of the public signals and a player's own signals so far. Its children are the nodes that can
follow in the next round. The rule computes a label for each node, from the last round to the first. The label has two
parts: the counts of outcomes (wins, ties and losses) against all hands of the opponent, and the multiset of the
children's labels. The rule merges two nodes if the nodes have equal labels and their ancestors also have equal labels.
If two multisets are equal, the children can be matched in pairs with equal labels. So the rule is ordered game
isomorphism [1]_ on a player's own signals, with counts of outcomes at the leaves.

In Rhode Island Hold'em this rule leaves 13, 205 and 1,774 classes in the three rounds. The resulting linear program has
1,237,238 rows and columns and 50,428,638 nonzeros, which are the published numbers ([1]_, section 1.3). But counts do
not show *which* hands are beaten, and the opponent may distinguish the beaten hands. So an optimal strategy of the
filtered game may not be optimal in the original game. The authors' program is not public. We infer that it uses this
rule, because the sizes are equal.

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree_arrays import pair
from tremble.poker.abstraction.frequencies import child_rows, frequencies
from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.filter import NEVER, Filter
from tremble.poker.game import OrderedGame

__all__ = ["published_filter"]

IntArray = NDArray[np.int64]


def published_filter(game: OrderedGame) -> Filter:
    """Return the filter that merges nodes with equal labels. A label contains counts of wins, ties and losses.

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
    """Return an array for each round, with the class of each node. ``counts`` has each node's wins, ties and losses."""
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
    """Return a number for each row: its position among the distinct rows in ascending order."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        numbers = np.unique(numbers * (int(column.max()) + 2) + column, return_inverse=True)[1]
    return numbers

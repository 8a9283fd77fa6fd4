r"""Approximate abstraction: hands are merged that differ by no more than a threshold. It is *lossy* above 0.

The paper [1]_ proposes, as one possibility, to merge siblings whose cheapest matching costs at most a threshold, where
at the leaves a penalty grows with the difference in utility. Here costs are between 0 and 1, and thresholds are
comparable across rounds and games:

* The *strength* of a hand in the last round is the mean of what the outcomes pay the player (over all ways to end, from
  0 for the worst outcome to 1 for the best) against all that the opponent may hold. In poker it is the share of wins,
  and of ties one half. The cost of two hands is the difference: k wins less and k losses more of 49 cost k/49.
* The cost of two hands in an earlier round is the mean cost of their children, matched one to one as cheaply as can
  be; or the difference in strength in that round itself, if the game can end there with what the hands are worth and
  that is more.

**Where the ends are.** At 0 the classes are the lossless ones, exactly; at 1 or more, all signals are ignored.

**Never across what was told apart before.** Two hands cost at least the threshold at which those that they come from
are merged. So the player remembers, whatever the threshold.

**Nested.** Merging "siblings within the threshold" is not transitive, and its closure snowballs. Clusters are made by
complete linkage instead: the two are merged next whose *farthest* members are closest, so any two members of a
class cost at most the threshold. A higher threshold always merges more of the same tree: what is computed once serves
a whole ladder of thresholds, and each rung refines the one before.

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section
   5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform

from tremble.errors import TooLargeError
from tremble.poker.abstraction.frequencies import child_rows, frequencies
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.filter import NEVER, Filter
from tremble.poker.game import OrderedGame
from tremble.poker.payoffs import RoundPayoffs

__all__ = ["Clustering"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_MOST_ITEMS = 2**13
_DECIMALS = 12  # of costs; what is closer is rounding
_CHUNK = 2**23  # numbers at a time


@dataclass(frozen=True, eq=False)
class Clustering:
    """The lossless classes of a game and, for both players and all rounds, in which order they are merged.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=3)
    >>> [Clustering.of(game).cut(threshold).num_classes(0) for threshold in (1.0, 0.2, 0.1, 0.0)]
    [(1, 1, 1), (2, 3, 10), (3, 6, 19), (3, 15, 69)]
    """

    game: OrderedGame
    lossless: Filter
    rounds: tuple[tuple[_Merges, ...], tuple[_Merges, ...]]  # player, round

    @classmethod
    def of(cls, game: OrderedGame, lossless: Filter | None = None) -> Clustering:
        """Compute all costs once."""
        deals = Deals.of(game).rounds
        filter_ = lossless_filter(game) if lossless is None else lossless
        counts = [frequencies(deal) for deal in deals]
        both = []
        for player in (0, 1):
            strength = [_strength(d.payoffs, c[player], player) for d, c in zip(deals, counts, strict=True)]
            both.append(_merges(deals, filter_, player, strength))
        return cls(game, filter_, (both[0], both[1]))

    def cut(self, threshold: float) -> Filter:
        """The classes at a threshold, at least 0."""
        if threshold == 0:
            return self.lossless
        both = []
        for player in (0, 1):
            classes = []
            for merges, exact in zip(self.rounds[player], self.lossless.class_of[player], strict=True):
                classes.append(np.where(exact == NEVER, NEVER, merges.at(threshold)[exact]))
            both.append(tuple(classes))
        return Filter.of_classes(self.game, (both[0], both[1]))


@dataclass(frozen=True, eq=False)
class _Merges:
    """The order in which the lossless classes of a round are merged."""

    item_of: IntArray  # [classes] those that cost nothing may be one item
    tree: FloatArray  # [items - 1, 4] of scipy.cluster.hierarchy.linkage

    def at(self, threshold: float) -> IntArray:
        """Class -> number of its cluster, from 0."""
        if not len(self.tree):
            return np.zeros_like(self.item_of)
        limit = threshold + 0.5 * 10.0**-_DECIMALS
        cluster = fcluster(self.tree, limit, criterion="distance")[self.item_of]
        cluster_of: IntArray = np.unique(cluster, return_inverse=True)[1]
        return cluster_of

    def heights(self) -> FloatArray:
        """At what threshold any two items come into one cluster, [items, items]."""
        if not len(self.tree):
            return np.zeros((1, 1))
        height: FloatArray = squareform(cophenet(self.tree))
        return height


def _strength(payoffs: RoundPayoffs, counts: IntArray, player: int) -> FloatArray:
    """Mean over all ways to end of what is paid, scaled to [0, 1], [nodes]; 0 where it depends on no signals."""
    paid = payoffs.utility[player].reshape(-1, payoffs.num_outcomes).sum(axis=0, dtype=np.float64)
    share = (paid - paid.min()) / (np.ptp(paid) or 1.0)
    strength: FloatArray = np.round((counts @ share) / np.maximum(counts.sum(axis=1), 1), _DECIMALS)
    return strength


def _merges(
    rounds: tuple[RoundDeals, ...], lossless: Filter, player: int, strength: list[FloatArray]
) -> tuple[_Merges, ...]:
    """How the classes of each round are merged, for one player."""
    class_of = lossless.class_of[player]
    example = [_first_nodes(classes) for classes in class_of]
    value = [of_node[nodes] for of_node, nodes in zip(strength, example, strict=True)]
    last = len(rounds) - 1
    costs: list[FloatArray] = []
    for number in reversed(range(last)):
        _require_few(len(value[number]))
        children = child_rows(rounds[number + 1], class_of[number + 1])[example[number]]
        cost = _matched(children, costs[-1]) if costs else _matched_on_a_line(children, value[last])
        costs.append(np.maximum(cost, _apart(value[number])))
    merges: list[_Merges] = []
    for number in range(last + 1):
        above = np.zeros(len(value[number]), dtype=np.int64)
        together = above
        if merges:
            above = merges[-1].item_of[lossless.earlier[player][number]]
            together = merges[-1].at(0.0)[lossless.earlier[player][number]]
        kept = item_of = np.arange(len(above))
        if number == last:  # few strengths: hands that cost nothing are merged at once
            _, kept, item_of = np.unique(
                np.stack([together, value[last]]), axis=1, return_index=True, return_inverse=True
            )
            _require_few(len(kept))
        cost = _apart(value[last][kept]) if number == last else costs[last - 1 - number]
        if merges:
            above = above[kept]
            cost = np.maximum(cost, merges[-1].heights()[above[:, None], above])
        merges.append(_Merges(item_of.reshape(-1), _linked(cost)))
    return tuple(merges)


def _first_nodes(classes: IntArray) -> IntArray:
    """A node of each class."""
    dealt = np.flatnonzero(classes != NEVER)
    return dealt[np.unique(classes[dealt], return_index=True)[1]]


def _require_few(count: int) -> None:
    if count > _MOST_ITEMS:
        raise TooLargeError(f"{count:,} classes of hands are to be compared with each other, more than {_MOST_ITEMS:,}")


def _apart(value: FloatArray) -> FloatArray:
    """Differences of all pairs."""
    return np.abs(value[:, None] - value)


def _matched_on_a_line(children: IntArray, value: FloatArray) -> FloatArray:
    """Costs of the cheapest matchings where children cost their difference: both in order, [classes, classes].

    What is never dealt counts as strength 0.
    """
    ordered = np.sort(np.append(value, 0.0)[children], axis=1)
    step = max(1, _CHUNK // ordered.size)
    parts = [
        np.abs(ordered[first : first + step, None] - ordered).mean(axis=2) for first in range(0, len(ordered), step)
    ]
    return np.round(np.concatenate(parts), _DECIMALS)


def _matched(children: IntArray, cost: FloatArray) -> FloatArray:
    """Costs of the cheapest matchings, [classes, classes]; what is never dealt costs 1 beside all that is."""
    padded = np.pad(cost, (0, 1), constant_values=1.0)
    padded[-1, -1] = 0.0
    matched = np.zeros((len(children),) * 2)
    for i, j in combinations(range(len(children)), 2):
        pairs = padded[children[i][:, None], children[j]]
        matched[i, j] = matched[j, i] = pairs[linear_sum_assignment(pairs)].mean()
    return np.round(matched, _DECIMALS)


def _linked(cost: FloatArray) -> FloatArray:
    """The tree of merges by complete linkage."""
    if len(cost) == 1:
        return np.zeros((0, 4))
    tree: FloatArray = linkage(squareform(cost, checks=False), method="complete")
    return tree

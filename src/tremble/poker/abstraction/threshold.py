r"""Approximate abstraction, which merges hands if the cost of merging them is at most a threshold.

This abstraction is *lossy* for thresholds above 0.

The paper [1]_ proposes to merge siblings if the cheapest matching of their children costs at most a threshold. As one
possible cost, the paper suggests a penalty that grows with the difference in utility of paired leaves. In this
module, costs are between 0 and 1, so that thresholds are comparable across rounds and games:

* The *strength* of a hand in the last round is the player's mean payoff against all hands of the opponent. Payoffs are
  added up over all leaves where the game ends. Then the sums are scaled such that the worst outcome has 0 and the best
  outcome has 1. In poker, strength is the fraction of wins plus half the fraction of ties. The cost of merging two
  hands is the difference of their strengths. For example, k fewer wins and k more losses in 49 deals cost k/49.
* The children of a hand are the hands that can follow in the next round. The cost of merging two hands in an earlier
  round is the mean cost of merging their children in the cheapest one-to-one matching. If the game can end in that
  round with payoffs that depend on the hands, the cost is at least the difference of the strengths in that round.

**The extreme thresholds.** At a threshold of 0 the classes are exactly the lossless classes. At a threshold of 1 or
more, all hands of a round are one class.

**Perfect recall.** Each hand comes from a hand of the previous round. The cost of merging two hands is at least the
threshold at which the hands of the previous round are merged. So hands that are distinct in an earlier round stay
distinct, at every threshold.

**Nesting.** The relation "merging these siblings costs at most the threshold" is not transitive, and its transitive
closure merges too many hands. So this module forms clusters by complete linkage. The cost of merging two clusters is
the *largest* cost of merging a member of the first cluster with a member of the second cluster. Each step merges the
two clusters with the least cost. As a result, merging any two members of a class costs at most the threshold. The tree
of merges is computed once, and each threshold cuts this tree at a different height. So the classes of a lower threshold
refine the classes of a higher threshold.

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
_DECIMALS = 12  # costs are rounded to this number of decimals, because smaller differences are rounding errors
_CHUNK = 2**23  # the number of array entries that are processed together


@dataclass(frozen=True, eq=False)
class Clustering:
    """The lossless classes of each player and round, and the order in which a rising threshold merges these classes.

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
        """Compute the order in which classes of the filter ``lossless`` merge, and the cost of each merge."""
        deals = Deals.of(game).rounds
        filter_ = lossless_filter(game) if lossless is None else lossless
        counts = [frequencies(deal) for deal in deals]
        both = []
        for player in (0, 1):
            strength = [_strength(d.payoffs, c[player], player) for d, c in zip(deals, counts, strict=True)]
            both.append(_merges(deals, filter_, player, strength))
        return cls(game, filter_, (both[0], both[1]))

    def cut(self, threshold: float) -> Filter:
        """Return the clusters as a filter: merging any two hands of a class costs at most ``threshold`` (>= 0)."""
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
    """A hierarchical clustering of a player's lossless classes in a round. Higher thresholds merge more classes."""

    item_of: IntArray  # [classes] the leaf of `tree` for each class; classes may share a leaf if merging them costs 0
    tree: FloatArray  # [items - 1, 4] the result of scipy.cluster.hierarchy.linkage

    def at(self, threshold: float) -> IntArray:
        """Return, for each class, the index of its cluster if classes are merged up to ``threshold``."""
        if not len(self.tree):
            return np.zeros_like(self.item_of)
        limit = threshold + 0.5 * 10.0**-_DECIMALS
        cluster = fcluster(self.tree, limit, criterion="distance")[self.item_of]
        cluster_of: IntArray = np.unique(cluster, return_inverse=True)[1]
        return cluster_of

    def heights(self) -> FloatArray:
        """Return an array [items, items]: for each pair of leaves of ``tree``, the threshold at which they merge."""
        if not len(self.tree):
            return np.zeros((1, 1))
        height: FloatArray = squareform(cophenet(self.tree))
        return height


def _strength(payoffs: RoundPayoffs, counts: IntArray, player: int) -> FloatArray:
    """Return an array [nodes] with the strength of each node, between 0 and 1.

    All strengths are 0 if no payoff of the round depends on the hands.
    """
    paid = payoffs.utility[player].reshape(-1, payoffs.num_outcomes).sum(axis=0, dtype=np.float64)
    share = (paid - paid.min()) / (np.ptp(paid) or 1.0)
    strength: FloatArray = np.round((counts @ share) / np.maximum(counts.sum(axis=1), 1), _DECIMALS)
    return strength


def _merges(
    rounds: tuple[RoundDeals, ...], lossless: Filter, player: int, strength: list[FloatArray]
) -> tuple[_Merges, ...]:
    """Compute, for each round, which classes of ``player`` are merged, and from which threshold on."""
    class_of = lossless.class_of[player]
    example = [_first_nodes(classes) for classes in class_of]
    value = [of_node[nodes] for of_node, nodes in zip(strength, example, strict=True)]
    last = len(rounds) - 1
    # Compute the costs of all rounds except the last, from the last to the first.
    costs: list[FloatArray] = []
    for number in reversed(range(last)):
        _require_few(len(value[number]))
        children = child_rows(rounds[number + 1], class_of[number + 1])[example[number]]
        cost = _matched(children, costs[-1]) if costs else _matched_on_a_line(children, value[last])
        costs.append(np.maximum(cost, _differences(value[number])))
    # Compute the merges from the first round to the last. The cost of merging hands is at least the threshold at which
    # the hands of the previous round are merged.
    merges: list[_Merges] = []
    for number in range(last + 1):
        above = np.zeros(len(value[number]), dtype=np.int64)
        together = above
        if merges:
            above = merges[-1].item_of[lossless.earlier[player][number]]
            together = merges[-1].at(0.0)[lossless.earlier[player][number]]
        kept = item_of = np.arange(len(above))
        if number == last:  # few strengths are different, so first merge hands of equal strength into one item
            _, kept, item_of = np.unique(
                np.stack([together, value[last]]), axis=1, return_index=True, return_inverse=True
            )
            _require_few(len(kept))
        cost = _differences(value[last][kept]) if number == last else costs[last - 1 - number]
        if merges:
            above = above[kept]
            cost = np.maximum(cost, merges[-1].heights()[above[:, None], above])
        merges.append(_Merges(item_of.reshape(-1), _linked(cost)))
    return tuple(merges)


def _first_nodes(classes: IntArray) -> IntArray:
    """Return the first node of each class."""
    dealt = np.flatnonzero(classes != NEVER)
    return dealt[np.unique(classes[dealt], return_index=True)[1]]


def _require_few(count: int) -> None:
    if count > _MOST_ITEMS:
        raise TooLargeError(f"a round has {count:,} classes of hands to compare, more than {_MOST_ITEMS:,}")


def _differences(value: FloatArray) -> FloatArray:
    """Return the absolute differences of all pairs of values."""
    return np.abs(value[:, None] - value)


def _matched_on_a_line(children: IntArray, value: FloatArray) -> FloatArray:
    """Return, for each pair of classes, the cost of matching their children; ``value`` is indexed by child.

    Matching two children costs the difference of their values. So the cheapest matching joins the lowest child of one
    class to the lowest of the other, and so on upwards. Children that are never dealt have the value 0.
    """
    ordered = np.sort(np.append(value, 0.0)[children], axis=1)
    step = max(1, _CHUNK // ordered.size)
    parts = [
        np.abs(ordered[first : first + step, None] - ordered).mean(axis=2) for first in range(0, len(ordered), step)
    ]
    return np.round(np.concatenate(parts), _DECIMALS)


def _matched(children: IntArray, cost: FloatArray) -> FloatArray:
    """Return an array [classes, classes] with the cost of the cheapest matching between the children of two classes.

    ``cost`` contains the cost of each pair of children that can both be dealt. A pair costs 1 if only one of its
    children can be dealt, and 0 if none can.
    """
    padded = np.pad(cost, (0, 1), constant_values=1.0)
    padded[-1, -1] = 0.0
    matched = np.zeros((len(children),) * 2)
    for i, j in combinations(range(len(children)), 2):
        pairs = padded[children[i][:, None], children[j]]
        matched[i, j] = matched[j, i] = pairs[linear_sum_assignment(pairs)].mean()
    return np.round(matched, _DECIMALS)


def _linked(cost: FloatArray) -> FloatArray:
    """Cluster classes by complete linkage, and return the tree of merges. ``cost`` has the cost for each pair."""
    if len(cost) == 1:
        return np.zeros((0, 4))
    tree: FloatArray = linkage(squareform(cost, checks=False), method="complete")
    return tree

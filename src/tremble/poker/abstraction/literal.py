r"""A literal reading of Algorithms 1 and 2 of GameShrink, which merge isomorphic siblings of the signal tree.

This abstraction is *lossy*.

The signal tree contains the cards of both players. Each draw, public or private, is one level of the tree. Algorithm 1
of the paper [1]_ defines when two nodes are isomorphic. Two leaves are isomorphic if they give all players equal
utilities for every sequence of moves. Two inner nodes are isomorphic if their children can be matched in isomorphic
pairs. Algorithm 2 visits the rounds from the first to the last. In each round, it merges isomorphic siblings of the
*filtered* tree at the first public and the first private level.

The resulting filter is a function of the signals that a player can *see*, and this function is the same for all
players. To merge two flops after the cards (p1, p2), the algorithm merges (p1, flop) with (p1, flop') and (p2, flop)
with (p2, flop'). The algorithm has compared the flops only for the pair (p1, p2). But a player with the card p1 or p2
then cannot distinguish the flops, whatever card the opponent has. So the algorithm merges two boards that agree for
*some* pair of hands. It also merges all boards that are connected by a chain of such pairs. As a result, the algorithm
merges far too many signals. In Rhode Island Hold'em with three ranks, three classes remain in each round. The rule that
reproduces the published sizes (:mod:`tremble.poker.abstraction.outcome_counts`) leaves more classes. So the authors'
program must have used a different rule.

**Choices of this module where the paper is ambiguous:**

* Step 1 of Algorithm 1 rejects two nodes with different parents. In the recursion of step 4, the two nodes of every
  pair have different parents. With step 1, no two nodes above the leaves would be isomorphic. Even the jacks of the
  paper's Figure 1 would not be isomorphic. This module applies step 1 only in Algorithm 2, because Algorithm 2 compares
  siblings.
* Algorithm 1 receives the game but no filter, although a node of the filtered tree contains multiple signals. This
  module compares single signals, and merges two siblings as soon as a signal of the first sibling and a signal of the
  second sibling are isomorphic.
* Definition 5 requires equal weights of edges, but Algorithm 1 does not. In this module, all signals of a draw have
  equal weights.
* Step 2 and the definition of isomorphism compare only the utilities of the last round, and so does this module. If a
  game can end earlier with payoffs that depend on the signals, these earlier payoffs are not compared.
* A filter is a function of one player's signals, but Algorithm 2 applies it to nodes with the signals of both players.
  In this module, a node at a public level represents the signals of each player. A node at the first private level
  represents only the signals of player 1.
* In the paper, each signal of a draw is a separate level, and Algorithm 2 merges nodes at the first of these levels. A
  filter is defined at that level only if the draw has one signal. In this module, each draw of any size is one level.

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section
   4, Algorithms 1 and 2; section 3, Definitions 4 to 6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from tremble.errors import GameError, TooLargeError
from tremble.poker.deals import Deals, signal_tree_size
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame, Signals

__all__ = ["literal_filter"]

_MOST_NODES = 50_000

_Own = tuple[Signals, Signals]
"""The public signals and a player's private signals so far."""


class _Draw(NamedTuple):
    """A node of the signal tree: the public signals and both players' private signals dealt so far."""

    parent: int  # the position of the parent in the previous level
    public: Signals
    private: tuple[Signals, Signals]

    def own(self, player: int) -> _Own:
        """Return the public signals and a player's private signals at this node."""
        return self.public, self.private[player]


@dataclass(frozen=True)
class _Level:
    """A level of the signal tree: all nodes after the same number of draws. The first level is the root."""

    nodes: list[_Draw]
    round: int
    who: int  # the player who draws, or -1 for a public draw


def literal_filter(game: OrderedGame) -> Filter:
    """Return the filter that Algorithms 1 and 2 of GameShrink compute.

    Raises
    ------
    GameError
        The game has weights or ranges. Definition 1 of the paper allows weights, but Algorithm 1 ignores weights.
    TooLargeError
        The signal tree has more than 50,000 nodes.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> literal_filter(RhodeIsland(ranks=3, suits=2)).num_classes(0)
    (3, 6, 8)
    """
    if game.weights is not None or game.ranges is not None:
        raise GameError("the mode literal does not support weights or ranges; use another mode, such as lossless")
    size = signal_tree_size(game)
    if size > _MOST_NODES:
        raise TooLargeError(f"the mode literal supports signal trees of at most {_MOST_NODES:,} nodes, not {size:,}")
    levels = _levels(game)
    kinds = _kinds(game, levels)
    merged = _Union()
    for above, level, kind in zip(levels, levels[1:], kinds[1:], strict=False):
        if level.who > 0:  # skip the private levels of a round except the first private level
            continue
        first: dict[Hashable, _Draw] = {}
        for node, own_kind in zip(level.nodes, kind, strict=True):
            up = above.nodes[node.parent]
            parent = merged.find(up.own(0)), merged.find(up.own(1))
            other = first.setdefault((parent, own_kind), node)  # the first isomorphic sibling
            for player in (0, 1) if level.who < 0 else (0,):
                merged.unite(other.own(player), node.own(player))
    return _filter(game, merged)


def _levels(game: OrderedGame) -> list[_Level]:
    """Return the levels of the signal tree, from the root to the leaves."""
    every = range(len(game.signals))
    levels = [_Level([_Draw(-1, (), ((), ()))], -1, -1)]
    for number, round_ in enumerate(game.rounds):
        draws = [(-1, round_.public), *((player, round_.private) for player in (0, 1))]
        for who, size in [(who, size) for who, size in draws if size]:
            nodes = [child for n, node in enumerate(levels[-1].nodes) for child in _children(n, node, who, size, every)]
            levels.append(_Level(nodes, number, who))
    return levels


def _children(number: int, node: _Draw, who: int, size: int, every: range) -> Iterator[_Draw]:
    """Yield the children of a node, one for each possible draw of ``size`` signals."""
    gone = {*node.public, *node.private[0], *node.private[1]}
    held1, held2 = node.private
    for drawn in combinations([signal for signal in every if signal not in gone], size):
        if who < 0:
            yield _Draw(number, node.public + drawn, node.private)
        else:
            yield _Draw(number, node.public, (held1 + drawn, held2) if who == 0 else (held1, held2 + drawn))


def _kinds(game: OrderedGame, levels: list[_Level]) -> list[list[int]]:
    """Assign a number to each node of each level. Isomorphic nodes get equal numbers (Algorithm 1)."""
    kinds: list[list[int]] = []
    below: list[list[int]] = [[] for _ in levels[-1].nodes]  # for each node, the numbers of its children's kinds
    for level in reversed(levels):
        label = [0] * len(level.nodes) if kinds else _outcomes(game, level)
        # The kinds found so far, grouped by a key that isomorphic nodes share. Only nodes with equal keys need a
        # matching.
        alike: dict[Hashable, list[int]] = {}
        kind_of: list[int] = []
        examples = 0
        of_example: list[list[int]] = []
        for children, own in zip(below, label, strict=True):
            candidates = alike.setdefault((own, frozenset(Counter(children))), [])
            kind = next((kind for kind in candidates if _matched(children, of_example[kind])), None)
            if kind is None:
                kind, examples = examples, examples + 1
                candidates.append(kind)
                of_example.append(children)
            kind_of.append(kind)
        kinds.append(kind_of)
        above: list[list[int]] = [[] for _ in range(1 + max(node.parent for node in level.nodes))]
        for node, kind in zip(level.nodes, kind_of, strict=True):
            if node.parent >= 0:
                above[node.parent].append(kind)
        below = above
    return kinds[::-1]


def _matched(one: list[int], two: list[int]) -> bool:
    """Return True if the children of two nodes can be matched in isomorphic pairs."""
    if len(one) != len(two):
        return False
    if not one:
        return True
    edges = csr_array(np.equal.outer(np.array(one), np.array(two)))
    return bool((maximum_bipartite_matching(edges, perm_type="column") >= 0).all())


def _outcomes(game: OrderedGame, level: _Level) -> list[int]:
    """Return the outcome at each leaf of the signal tree. Outcomes determine the payoffs for all sequences of moves."""
    deals = Deals.of(game).rounds[level.round]
    if deals.strength is None:
        return [0] * len(level.nodes)
    place = _places(game, level.round)
    strength = deals.strength.reshape(-1)
    strength1, strength2 = (strength[[place[node.own(player)] for node in level.nodes]] for player in (0, 1))
    outcomes: list[int] = deals.payoffs.outcome_of(strength1, strength2).tolist()
    return outcomes


def _places(game: OrderedGame, number: int) -> dict[_Own, int]:
    """Return a dict from pairs (public signals, private signals) to own nodes, numbered as in :class:`Deals`."""
    deals = Deals.of(game).rounds[number]
    pairs = ((tuple(seen), tuple(hand)) for seen, hands in zip(deals.public.tolist(), deals.hands.tolist(), strict=True)
             for hand in hands)  # fmt: skip
    return {own: node for node, own in enumerate(pairs)}


def _filter(game: OrderedGame, merged: _Union) -> Filter:
    """Convert the sets of merged signals to a filter."""
    classes = []
    for number in range(len(game.rounds)):
        numbers: dict[_Own, int] = {}
        roots = [merged.find(own) for own in _places(game, number)]
        classes.append(np.array([numbers.setdefault(root, len(numbers)) for root in roots], dtype=np.int64))
    return Filter.of_classes(game, (tuple(classes), tuple(classes)))


class _Union:
    """Disjoint sets of players' signals, in a union-find structure."""

    def __init__(self) -> None:
        self._up: dict[_Own, _Own] = {}

    def find(self, own: _Own) -> _Own:
        """Return the representative of the set that contains ``own``."""
        path = []
        while own in self._up:
            path.append(own)
            own = self._up[own]
        self._up.update(dict.fromkeys(path, own))
        return own

    def unite(self, one: _Own, two: _Own) -> None:
        """Merge the set that contains ``one`` and the set that contains ``two``."""
        one, two = self.find(one), self.find(two)
        if one != two:
            self._up[two] = one

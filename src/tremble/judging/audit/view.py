"""A game as one player sees it: own sequences, what they pay against each sequence of the rival, who comes where.

Everything is in integers: chance over ``chance_unit``, payoffs over ``payoff_unit`` (and chance included).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tremble.model.game import CHANCE
from tremble.model.recall import last_sequence, parent_sequence
from tremble.model.sequence_form import chance_reach, exact_product
from tremble.model.tree import GameTree, IntArray

__all__ = ["View"]

Weights = dict[int, int]
"""Sequence of the rival -> an integer."""


@dataclass(frozen=True, eq=False)
class View:
    """The sequence form of one player with perfect recall against a rival with perfect recall.

    Attributes
    ----------
    player : int
    parent : list of int
        Own sequence that leads to each own information set.
    start : list of int
        The sequences of own set k are ``start[k]:start[k + 1]``.
    followers : list of lists of int
        Own sets that each own sequence leads to.
    pay : list of Weights
        Per own sequence: chance times own payoff at the leaves that end it, by sequence of the rival.
    arrival : list of Weights
        Per own set: probability that chance comes to its nodes, by sequence of the rival.
    hope : list of Weights
        Per own set: what its nodes would pay if everybody knew everything and wanted the best for this player.
    node_chance : list of int
        Probability that chance comes to each node of the tree.
    rival_parent, rival_start : list of int
        As ``parent`` and ``start``, of the rival.
    chance_unit, payoff_unit : int
    """

    player: int
    parent: list[int]
    start: list[int]
    followers: list[list[int]]
    pay: list[Weights]
    arrival: list[Weights]
    hope: list[Weights]
    node_chance: list[int]
    rival_parent: list[int]
    rival_start: list[int]
    chance_unit: int
    payoff_unit: int

    @classmethod
    def of(cls, tree: GameTree, player: int) -> View:
        """The view of one player; both have perfect recall."""
        last = (last_sequence(tree, 0), last_sequence(tree, 1))
        own, rival = last[player], last[1 - player]
        parent, rival_parent = (parent_sequence(tree, i, last[i]) for i in (player, 1 - player))
        assert parent is not None
        assert rival_parent is not None
        reach = chance_reach(tree)
        paid = exact_product(reach.numerator, tree.payoff[:, player])
        pay: list[Weights] = [{} for _ in range(tree.num_slots[player] + 1)]
        for s, t, w in zip(own[tree.leaves].tolist(), rival[tree.leaves].tolist(), paid.tolist(), strict=True):
            pay[s][t] = pay[s].get(t, 0) + w
        chance, best = _upwards(tree, reach.numerator, paid)
        arrival: list[Weights] = [{} for _ in range(tree.num_infosets[player])]
        hope: list[Weights] = [{} for _ in arrival]
        nodes = np.flatnonzero(tree.player == player)
        for k, t, c, h in zip(
            tree.infoset[nodes].tolist(),
            rival[nodes].tolist(),
            chance[nodes].tolist(),
            best[nodes].tolist(),
            strict=True,
        ):
            arrival[k][t] = arrival[k].get(t, 0) + c
            hope[k][t] = hope[k].get(t, 0) + h
        followers: list[list[int]] = [[] for _ in pay]
        for k, before in enumerate(parent.tolist()):
            followers[before].append(k)
        return cls(
            player=player,
            parent=parent.tolist(),
            start=(tree.slot_start[player] + 1).tolist(),
            followers=followers,
            pay=pay,
            arrival=arrival,
            hope=hope,
            node_chance=chance.tolist(),
            rival_parent=rival_parent.tolist(),
            rival_start=(tree.slot_start[1 - player] + 1).tolist(),
            chance_unit=reach.denominator,
            payoff_unit=reach.denominator * tree.payoff_denominator,
        )

    def sequences(self, k: int) -> range:
        """Own sequences of set k, in action order."""
        return range(self.start[k], self.start[k + 1])

    def values(self, rival: Sequence[int]) -> list[int]:
        """What each own sequence earns if best responses follow, given a weight for each sequence of the rival."""
        value = [sum(w * rival[t] for t, w in cells.items()) for cells in self.pay]
        for k in range(len(self.parent) - 1, -1, -1):
            value[self.parent[k]] += max(value[s] for s in self.sequences(k))
        return value

    def reach(self, k: int, rival: Sequence[int]) -> int:
        """How often chance and the rival come to set k, given a weight for each sequence of the rival."""
        return sum(c * rival[t] for t, c in self.arrival[k].items())


def _upwards(tree: GameTree, chance_at_leaf: IntArray, paid: IntArray) -> tuple[IntArray, IntArray]:
    """Per node: chance's probability, and the greatest payoff (chance included) if everybody wants it."""
    chance = np.zeros(tree.num_nodes, dtype=object)
    best = np.zeros(tree.num_nodes, dtype=object)
    chance[tree.leaves] = chance_at_leaf.astype(object)
    best[tree.leaves] = paid.astype(object)
    for first, end in reversed(list(pairwise(tree.level.tolist()))):
        inner = first + np.flatnonzero(tree.first_child[first:end] >= 0)
        by_chance = inner[tree.player[inner] == CHANCE].tolist()
        for node in by_chance:
            below = tree.children(node)
            chance[node] = sum(chance[below.start : below.stop].tolist())
            best[node] = sum(best[below.start : below.stop].tolist())
        for node in inner[tree.player[inner] != CHANCE].tolist():
            below = tree.children(node)
            chance[node] = chance[below.start]
            best[node] = max(best[below.start : below.stop].tolist())
    return chance, best

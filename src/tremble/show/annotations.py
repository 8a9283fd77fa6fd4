"""What a drawing says about a profile: move probabilities, which nodes are reached, expected payoffs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tremble.io.given_profile import GivenProfile, ProfileLike, given_profile
from tremble.judging.compare.differences import moves
from tremble.model.evaluation import node_values, summed_below
from tremble.model.game import CHANCE
from tremble.model.strategy import Number
from tremble.model.tree import GameTree
from tremble.show.layout import Excerpt

__all__ = ["Annotations", "annotate"]

_EXACT_NODES = 3000  # beyond this many nodes, expected payoffs in pictures are floats


@dataclass(frozen=True)
class Annotations:
    """One entry per mark of an :class:`~tremble.show.layout.Excerpt`.

    The probability is that of the move to the mark: None at the root, at stubs, and at players' moves without a
    profile.
    """

    probability: list[Number | None]
    reach: list[Number] | None  # probability that the profile reaches the mark
    value: list[tuple[Number, Number]] | None  # expected payoffs of both players from the mark on

    def reached(self, mark: int) -> bool:
        """Whether the profile reaches a mark (always, without a profile)."""
        return self.reach is None or self.reach[mark] > 0

    def unplayed(self, mark: int) -> bool:
        """Whether the move to this mark has probability zero or leads on where the profile never comes."""
        return not self.reached(mark) or self.probability[mark] == 0


def annotate(tree: GameTree, part: Excerpt, given: ProfileLike | GivenProfile | None = None) -> Annotations:
    """Compute the numbers that belong to a drawing."""
    profile = None if given is None else given_profile(tree, given).strategies
    probability: list[Number | None] = [None] * len(part)
    for mark in range(1, len(part)):
        if part.hidden[mark]:
            continue
        above = part.node[part.parent[mark]]
        mover, index, action = int(tree.player[above]), int(tree.infoset[above]), int(tree.action[part.node[mark]])
        if mover == CHANCE:
            probability[mark] = tree.chance_tables[index].probabilities[action]
        elif profile is not None:
            probability[mark] = profile[mover].probability(index, action)
    if profile is None:
        return Annotations(probability, None, None)
    reach: list[Number] = [Fraction(1)] * len(part)
    for mark in range(1, len(part)):
        move = probability[mark]
        reach[mark] = reach[part.parent[mark]] * (1 if move is None else move)
    value: list[tuple[Number, Number]]
    if tree.num_nodes == len(part) <= _EXACT_NODES:
        value1, value2 = (node_values(tree, player, probability) for player in (0, 1))
        value = list(zip(value1, value2, strict=True))  # mark by node
    else:
        table, share = np.zeros((tree.num_nodes, 2)), np.ones(tree.num_nodes)
        table[tree.leaves] = tree.payoff_float
        for below, chance, _ in moves(tree, profile):
            share[below] = chance
        summed_below(tree, table, share)
        value = [(float(table[n, 0]), float(table[n, 1])) if n >= 0 else (0.0, 0.0) for n in part.node]
    return Annotations(probability, reach, value)

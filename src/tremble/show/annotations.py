"""What a drawing says about a profile: move probabilities, which nodes are reached, expected payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.judging.compare.differences import moves
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.strategy import GivenProfile, Number, Profile, profile_of
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


def annotate(tree: GameTree, part: Excerpt, given: GivenProfile | None = None) -> Annotations:
    """Compute the numbers that belong to a drawing."""
    profile = None if given is None else profile_of(tree, given)
    probability: list[Number | None] = [None] * len(part)
    for mark in range(1, len(part)):
        if part.hidden[mark]:
            continue
        above = part.node[part.parent[mark]]
        mover, index, action = int(tree.player[above]), int(tree.infoset[above]), int(tree.action[part.node[mark]])
        if mover == CHANCE:
            probability[mark] = tree.chance_tables[index].probabilities[action]
        elif profile is not None:
            probability[mark] = profile[mover].probability(index + 1, action)
    if profile is None:
        return Annotations(probability, None, None)
    reach: list[Number] = [Fraction(1)] * len(part)
    for mark in range(1, len(part)):
        move = probability[mark]
        reach[mark] = reach[part.parent[mark]] * (1 if move is None else move)
    value: list[tuple[Number, Number]]
    if tree.num_nodes == len(part) <= _EXACT_NODES:
        exact = _exact_values(tree, probability, part)
        value = [exact[node] for node in part.node]
    else:
        table = _float_values(tree, profile)
        value = [(float(table[n, 0]), float(table[n, 1])) if n >= 0 else (0.0, 0.0) for n in part.node]
    return Annotations(probability, reach, value)


def _exact_values(tree: GameTree, probability: Sequence[Number | None], part: Excerpt) -> list[tuple[Number, Number]]:
    """Compute expected payoffs from every node on; the excerpt is the whole tree, mark by node."""
    first: list[Number] = [Fraction(0)] * tree.num_nodes
    second: list[Number] = [Fraction(0)] * tree.num_nodes
    for node in range(tree.num_nodes - 1, -1, -1):
        if tree.player[node] == TERMINAL:
            first[node], second[node] = tree.payoff_at(int(tree.infoset[node]))
        move, above = probability[node], int(tree.parent[node])
        if move:
            first[above] += move * first[node]
            second[above] += move * second[node]
    return list(zip(first, second, strict=True))


def _float_values(tree: GameTree, profile: Profile) -> NDArray[np.float64]:
    """Compute expected payoffs from every node on, float64[N, 2]."""
    value = np.zeros((tree.num_nodes, 2))
    value[tree.leaves] = tree.payoff_float
    move = np.ones(tree.num_nodes)
    for below, probability, _ in moves(tree, profile):
        move[below] = probability
    for d in range(tree.depth, 0, -1):
        first, end = int(tree.level[d]), int(tree.level[d + 1])
        begin = np.flatnonzero(tree.action[first:end] == 0)  # first child of each parent
        value[tree.parent[first:end][begin]] = np.add.reduceat(move[first:end, None] * value[first:end], begin)
    return value

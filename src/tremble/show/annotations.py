"""What a drawing says about a profile: move probabilities, which nodes are reached, expected payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.model.game import CHANCE, TERMINAL
from tremble.model.strategy import BehaviorStrategy, GivenProfile, Number, profile_of
from tremble.model.tree import GameTree
from tremble.show.layout import Excerpt

__all__ = ["Annotations", "annotate"]

_EXACT_NODES = 3000  # beyond this many nodes, expected payoffs in pictures are floats


@dataclass(frozen=True)
class Annotations:
    """One entry per mark of an :class:`~tremble.show.layout.Excerpt`.

    Attributes
    ----------
    probability : list
        Probability of the move that leads to the mark; None at the root, at stubs, and at players' moves
        without a profile.
    reach : list or None
        Probability that the profile reaches the mark.
    value : list or None
        Expected payoffs of both players from the mark on.
    """

    probability: list[Number | None]
    reach: list[Number] | None
    value: list[tuple[Number, Number]] | None

    def reached(self, mark: int) -> bool:
        """Whether the profile reaches a mark (always, without a profile)."""
        return self.reach is None or self.reach[mark] > 0

    def unplayed(self, mark: int) -> bool:
        """Whether the move to this mark has probability zero or leads on where the profile never comes."""
        return not self.reached(mark) or self.probability[mark] == 0


def annotate(tree: GameTree, part: Excerpt, given: GivenProfile | None = None) -> Annotations:
    """Compute the numbers that belong to a drawing.

    Raises
    ------
    TrembleError
        The strategies are of another game.
    """
    profile = None if given is None else profile_of(tree, given)
    rows: dict[tuple[int, int], Sequence[Number]] = {}
    probability: list[Number | None] = [None] * len(part)
    for mark in range(1, len(part)):
        if part.hidden[mark]:
            continue
        above = part.node[part.parent[mark]]
        mover, index, action = int(tree.player[above]), int(tree.infoset[above]), int(tree.action[part.node[mark]])
        if mover == CHANCE:
            probability[mark] = tree.chance_tables[index].probabilities[action]
        elif profile is not None:
            if (mover, index) not in rows:
                rows[mover, index] = profile[mover].row(index)
            probability[mark] = rows[mover, index][action]
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
    rows = tree.payoff.tolist()
    for node in range(tree.num_nodes - 1, -1, -1):
        if tree.player[node] == TERMINAL:
            one, two = rows[int(tree.infoset[node])]
            first[node] = Fraction(one, tree.payoff_denominator)
            second[node] = Fraction(two, tree.payoff_denominator)
        move, above = probability[node], int(tree.parent[node])
        if move:
            first[above] += move * first[node]
            second[above] += move * second[node]
    return list(zip(first, second, strict=True))


def _float_values(tree: GameTree, profile: Sequence[BehaviorStrategy]) -> NDArray[np.float64]:
    """Compute expected payoffs from every node on, float64[N, 2]."""
    value = np.zeros((tree.num_nodes, 2))
    value[tree.leaves] = tree.payoff_float
    move = np.ones(tree.num_nodes)
    above = tree.parent[1:]
    mover, index, action = tree.player[above], tree.infoset[above], tree.action[1:]
    for player in (0, 1):
        own = np.flatnonzero(mover == player)
        slot = tree.slot_start[player][index[own]] + action[own]
        move[own + 1] = profile[player].to_floats()[slot]
    if tree.chance_tables:
        start = np.concatenate(([0], np.cumsum([len(t.labels) for t in tree.chance_tables])))
        odds = np.array([float(p) for t in tree.chance_tables for p in t.probabilities])
        own = np.flatnonzero(mover == CHANCE)
        move[own + 1] = odds[start[index[own]] + action[own]]
    for d in range(tree.depth, 0, -1):
        first, end = int(tree.level[d]), int(tree.level[d + 1])
        begin = np.flatnonzero(tree.action[first:end] == 0)  # first child of each parent
        value[tree.parent[first:end][begin]] = np.add.reduceat(move[first:end, None] * value[first:end], begin)
    return value

"""The data for the audit of one player: the sequence form, and how chance and the opponent reach the player's sets.

All numbers are integer numerators. Chance probabilities have the denominator ``chance_unit``. Payoffs are multiplied by
chance probabilities and have the denominator ``payoff_unit``. A *set* is an information set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tremble.game.protocol import CHANCE
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import SequenceForm, Side, chance_reach
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray
from tremble.integers import exact_product, safe_to_add

__all__ = ["Outlook", "Weights"]

Weights = dict[int, int]
"""A dict from sequences of the opponent to integer weights."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """The data that the audit of one player needs: sequence form, chance probabilities and bounds on payoffs."""

    side: Side
    opponent: Side
    followers: list[list[int]]  # for each sequence of the player: the player's next sets after this sequence
    # For each set of the player: a dict from each sequence of the opponent to the probability that chance reaches the
    # nodes of the set to which this sequence leads.
    arrival: list[Weights]
    # For each set of the player: a dict from each sequence of the opponent to the player's payoff from these nodes, if
    # both players know everything and maximize this payoff.
    hope: list[Weights]
    node_chance: dict[int, int]  # for each node at which the player moves: the probability that chance reaches it
    chance_unit: int
    payoff_unit: int

    @classmethod
    def of(cls, tree: GameTree, player: int) -> Outlook:
        """Collect the data for the audit of ``player``. Both players must have perfect recall."""
        form = SequenceForm.of(tree)
        side = form.side(player)
        nodes = np.flatnonzero(tree.player == player)
        reach = chance_reach(tree, nodes)
        best = _best_at(tree, exact_product(chance_reach(tree).numerator, tree.payoff[:, player]))
        arrival: list[Weights] = [{} for _ in range(side.num_infosets)]
        hope: list[Weights] = [{} for _ in arrival]
        for k, t, c, h in zip(
            tree.infoset[nodes].tolist(),
            last_sequence(tree, 1 - player)[nodes].tolist(),
            reach.numerator.tolist(),
            best[nodes].tolist(),
            strict=True,
        ):
            arrival[k][t] = arrival[k].get(t, 0) + c
            hope[k][t] = hope[k].get(t, 0) + h
        followers: list[list[int]] = [[] for _ in range(side.num_sequences)]
        for k, before in enumerate(side.parent.tolist()):
            followers[before].append(k)
        return cls(
            side=side,
            opponent=form.side(1 - player),
            followers=followers,
            arrival=arrival,
            hope=hope,
            node_chance=dict(zip(nodes.tolist(), reach.numerator.tolist(), strict=True)),
            chance_unit=reach.denominator,
            payoff_unit=form.denominator,
        )

    def reach(self, k: int, weight: IntArray) -> int:
        """Return the numerator of the probability that chance and the opponent play towards set ``k``.

        ``weight`` is the opponent's plan: an integer weight for each sequence of the opponent.
        """
        return sum(c * int(weight[t]) for t, c in self.arrival[k].items())


def _best_at(tree: GameTree, paid: IntArray) -> IntArray:
    """Return the greatest possible payoff after each node, times the probability of the chance moves before the node.

    ``paid`` contains one player's payoffs at the leaves, times chance probabilities. Both players maximize ``paid``.
    """
    paid = safe_to_add(paid)
    best = np.zeros(tree.num_nodes, dtype=paid.dtype)
    best[tree.leaves] = paid
    for begin, end in zip(tree.level[-3::-1].tolist(), tree.level[-2:0:-1].tolist(), strict=True):
        inner = begin + np.flatnonzero(tree.first_child[begin:end] >= 0)
        first = tree.first_child[inner]
        children = np.arange(first[0], first[-1] + tree.num_children[inner[-1]])
        sums, most = (add.reduceat(best[children], first - first[0]) for add in (np.add, np.maximum))
        best[inner] = np.where(tree.player[inner] == CHANCE, sums, most)
    return best

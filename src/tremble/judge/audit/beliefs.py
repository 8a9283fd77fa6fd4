r"""Check that each stated belief is the limit of beliefs that follow from some vanishing trembles of the opponent.

Suppose that the opponent follows the strategy :math:`\sigma` and trembles. A move is *unplayed* if :math:`\sigma` never
makes it. The weight of a node is a product of three factors:

* the probability of the chance moves on the path to the node;
* the probabilities of the opponent's played moves on the path;
* one tremble for each unplayed move on the path.

A player's belief at an information set is the distribution of the weights of its nodes. The belief's limit for
vanishing trembles satisfies two rules:

1. If two nodes have the same unplayed moves on their paths, the ratio of their probabilities is fixed.
2. Let U be the unplayed moves on the path to a node. The node has probability zero if chance can reach another
   node of the set, and the unplayed moves on the path to that other node are a proper subset of U.

If chance and the opponent reach the information set with positive probability, the second rule leaves only nodes
without unplayed moves. The two rules are then equivalent to Bayes' rule. The module checks each information set
separately. It does not check that the beliefs at different sets are consistent.

References
----------
D. M. Kreps, R. Wilson: Sequential equilibria, Econometrica 50, 1982.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from tremble.game.requirements import last_sequence
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.judge.audit.outlook import Outlook
from tremble.solution.audit import WrongBelief
from tremble.solution.claim import BeliefRow

__all__ = ["wrong_beliefs"]


def wrong_beliefs(
    tree: GameTree, outlook: Outlook, opponent: BehaviorStrategy, rows: tuple[BeliefRow, ...]
) -> Iterator[WrongBelief]:
    """Yield each belief in ``rows`` that no vanishing trembles of the opponent can justify."""
    weight, never = _rates(outlook, opponent)
    last = last_sequence(tree, opponent.player)
    nodes: list[list[int]] = [[] for _ in range(outlook.side.num_infosets)]
    for node in np.flatnonzero(tree.player == outlook.side.player).tolist():
        nodes[tree.infoset[node]].append(node)
    for row in rows:
        k = row.infoset
        if not 0 <= k < len(nodes):
            continue
        stated = dict(row.nodes)
        chance = outlook.node_chance
        rate = {h: chance[h] * weight[last[h]] for h in nodes[k]}
        group = {h: never[last[h]] for h in nodes[k] if chance[h]}
        least = {g for g in group.values() if not any(other < g for other in group.values())}
        mass = {g: sum(stated.get(tree.path(h), 0) for h in group if group[h] == g) for g in least}
        if len(least) == 1:
            mass = dict.fromkeys(least, Fraction(1))
        total = sum(mass.values())
        whole = {g: sum(rate[h] for h in group if group[h] == g) for g in least}
        right: dict[tuple[str, ...], Fraction | None] = {}
        for h in nodes[k]:
            g = group.get(h)
            if g not in least:
                right[tree.path(h)] = Fraction(0)
            else:
                right[tree.path(h)] = Fraction(mass[g]) / total * rate[h] / whole[g] if total else None
        if not group:
            continue
        if any(stated.get(path, 0) != p for path, p in right.items()) or any(path not in right for path in stated):
            shown = tuple((path, stated.get(path, Fraction(0)), right.get(path)) for path in {**right, **stated})
            yield WrongBelief(outlook.side.player, k, tree.infoset_labels[outlook.side.player][k], shown)


def _rates(outlook: Outlook, opponent: BehaviorStrategy) -> tuple[list[Fraction], list[frozenset[int]]]:
    """Return, for each opponent sequence, the product of positive move probabilities and the moves of probability 0."""
    weight, never = [Fraction(1)], [frozenset[int]()]
    for k, before in enumerate(outlook.opponent.parent.tolist()):
        for p in opponent.row(k):
            weight.append(weight[before] * (Fraction(p) or 1))
            never.append(never[before] if p else never[before] | {len(never)})
    return weight, never

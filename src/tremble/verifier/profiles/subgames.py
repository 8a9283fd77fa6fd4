r"""Who gains by deviating in which subgame, exactly.

A *subgame* begins at a node if no information set has nodes both below it (or there) and elsewhere. Chance nodes count:
in a sequential equilibrium nobody gains from there on either. Nodes that chance never comes to do not.

Every subgame is *cut* where smaller ones begin: there stands a leaf that pays what the profile earns from there on. A
profile is an equilibrium of every subgame if and only if it is one of every subgame that is cut so, because who gains
in a subgame gains in the cut one, or in one of those cut away. Every node belongs to one cut subgame, so that all of
them together are looked at in one pass upwards, exactly.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International Journal of
Game Theory 4, 1975.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import TERMINAL
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.profiles.tree import Sequences, chance_weights

__all__ = ["subgame_gains", "subgame_roots"]

_ZERO, _ONE = Fraction(0), Fraction(1)


def subgame_roots(tree: GameTree) -> NDArray[np.bool_]:
    """Whether a subgame begins at each node that is no leaf: bool[N].

    Examples
    --------
    >>> import tremble
    >>> bool(subgame_roots(tremble.load("kuhn"))[1:].any())
    False
    """
    first, last = tree.preorder.astype(np.int64), tree.preorder.astype(np.int64)
    size = np.ones(tree.num_nodes, dtype=np.int64)
    for player, count in enumerate(tree.num_infosets):
        own = np.flatnonzero(tree.player == player)
        low, high = np.full(count, tree.num_nodes), np.full(count, -1)
        np.minimum.at(low, tree.infoset[own], tree.preorder[own])
        np.maximum.at(high, tree.infoset[own], tree.preorder[own])
        first[own], last[own] = low[tree.infoset[own]], high[tree.infoset[own]]
    for begin, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
        above = tree.parent[begin:end]
        np.add.at(size, above, size[begin:end])
        np.minimum.at(first, above, first[begin:end])
        np.maximum.at(last, above, last[begin:end])
    closed = (first >= tree.preorder) & (last < tree.preorder + size) & (tree.player != TERMINAL)
    return np.asarray(closed, dtype=np.bool_)


def subgame_gains(
    tree: GameTree, tables: Sequence[StrategyTable], sequences: Sequence[Sequences]
) -> list[tuple[int, int, Fraction]]:
    """The subgames in which somebody gains by deviating, those nearest the root first; none if it is subgame perfect.

    Returns
    -------
    list of (int, int, Fraction)
        The node where it begins, the player, and the gain once play is there.
    """
    budget().about = "strategies"
    chance, of_node, _ = chance_weights(tree)
    dealt = np.array([weight > 0 for weight in chance], dtype=np.bool_)[of_node]
    begins, share = (subgame_roots(tree) & dealt).tolist(), _shares(tree, tables)
    gains = []
    for player in (0, 1):
        value = _values(tree, player, share)
        best = _best(tree, player, sequences[player], begins, share, value)
        gains += [(node, player, most - value[node]) for node, most in best.items() if most != value[node]]
    return sorted(gains)


def _shares(tree: GameTree, tables: Sequence[StrategyTable]) -> list[Fraction]:
    """The probability of the move to each node, 1 at the root."""
    rows: list[list[list[Fraction]]] = [
        [[Fraction(p, whole) for p in row] for row, whole in listening(table.integers())] for table in tables
    ]
    rows.append([list(table.probabilities) for table in tree.chance_tables])  # of the player -1, which is chance
    movers, sets, parent = tree.player.tolist(), tree.infoset.tolist(), tree.parent.tolist()
    moves = zip(parent[1:], tree.action[1:].tolist(), strict=True)
    return [_ONE, *(rows[movers[above]][sets[above]][action] for above, action in moves)]


def _plus(total: Fraction, share: Fraction, value: Fraction) -> Fraction:
    """``total + share * value``."""
    if not share or not value:
        return total
    costs, one, two = budget(), bits_of(share), bits_of(value)
    costs.quotient(one, two, 3)
    costs.quotient(bits_of(total), one + two, 4)
    costs.keep(one + two)
    return total + share * value


def _values(tree: GameTree, player: int, share: list[Fraction]) -> list[Fraction]:
    """What the profile earns a player from each node on."""
    value = [_ZERO] * tree.num_nodes
    for leaf, payoff in zip(tree.leaves.tolist(), tree.payoff[:, player].tolist(), strict=True):
        value[leaf] = Fraction(payoff, tree.payoff_denominator)
    for node, above in listening(zip(range(tree.num_nodes - 1, 0, -1), tree.parent[:0:-1].tolist(), strict=True)):
        value[above] = _plus(value[above], share[node], value[node])
    return value


def _best(
    tree: GameTree, player: int, own: Sequences, begins: list[bool], share: list[Fraction], value: list[Fraction]
) -> dict[int, Fraction]:
    """What best responses earn in each subgame, cut where smaller ones begin.

    Entries of what is earned: one for each own sequence, and one for each subgame, which is where moves begin that
    follow no own move within it.
    """
    entry_of_root = {node: own.num_sequences + i for i, node in enumerate(np.flatnonzero(begins).tolist())}
    earned = [_ZERO] * (own.num_sequences + len(entry_of_root))
    entry, reach = [0] * tree.num_nodes, [_ONE] * tree.num_nodes
    follows, start = own.before.tolist(), own.start.tolist()
    parent, movers, sets, actions = (a.tolist() for a in (tree.parent, tree.player, tree.infoset, tree.action))
    for node, mover in enumerate(listening(movers)):
        if node:
            above = parent[node]
            if movers[above] == player:
                entry[node], reach[node] = start[sets[above]] + actions[node], reach[above]
            else:
                entry[node], reach[node] = entry[above], _plus(_ZERO, share[node], reach[above])
            if begins[node] or mover == TERMINAL:
                earned[entry[node]] = _plus(earned[entry[node]], reach[node], value[node])
        if begins[node]:
            entry[node], reach[node] = entry_of_root[node], _ONE
        if mover == player:
            follows[sets[node]] = entry[node]
    for k in range(len(follows) - 1, -1, -1):
        earned[follows[k]] = _plus(max(earned[start[k] : start[k + 1]]), _ONE, earned[follows[k]])
    return {node: earned[e] for node, e in entry_of_root.items()}

r"""Whether a profile is a Nash equilibrium in every subgame.

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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.base.value import Value
from tremble.model.evaluation import move_probabilities, node_values, summed_below
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.recall import nearest_marked
from tremble.model.sequences import Sequences
from tremble.model.strategy import Profile
from tremble.model.tree import GameTree

__all__ = ["SubgameGain", "subgame_gains", "subgame_roots"]


@dataclass(frozen=True, eq=False, repr=False)
class SubgameGain(Value):
    """A subgame in which somebody gains by deviating, the smaller ones within it left as they are.

    Attributes
    ----------
    path : tuple of str
        Action labels from the root to where it begins.
    player : int
        0 or 1.
    gain : Fraction
        In payoffs, once play is there.

    Examples
    --------
    >>> import tremble
    >>> from tremble.results import certification
    >>> entry = tremble.load("entry_deterrence")
    >>> certification(entry, "NE,1,0,0,1", "sequential").subgames
    (<SubgameGain: path ('enter'), player 1, gain 2>,)
    """

    path: tuple[str, ...]
    player: int
    gain: Fraction


def subgame_roots(tree: GameTree) -> NDArray[np.bool_]:
    """Whether a subgame begins at each node that is no leaf: bool[N].

    Examples
    --------
    >>> import tremble
    >>> bool(subgame_roots(tremble.load("kuhn"))[1:].any())
    False
    """
    first, last = tree.preorder.astype(np.int64), tree.preorder.astype(np.int64)
    size = summed_below(tree, np.ones(tree.num_nodes, dtype=np.int64))
    for player, count in enumerate(tree.num_infosets):
        own = np.flatnonzero(tree.player == player)
        low, high = np.full(count, tree.num_nodes), np.full(count, -1)
        np.minimum.at(low, tree.infoset[own], tree.preorder[own])
        np.maximum.at(high, tree.infoset[own], tree.preorder[own])
        first[own], last[own] = low[tree.infoset[own]], high[tree.infoset[own]]
    for begin, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
        above = tree.parent[begin:end]
        np.minimum.at(first, above, first[begin:end])
        np.maximum.at(last, above, last[begin:end])
    closed = (first >= tree.preorder) & (last < tree.preorder + size) & (tree.player != TERMINAL)
    return np.asarray(closed, dtype=np.bool_)


def subgame_gains(tree: GameTree, profile: Profile, check: Callable[[], None]) -> tuple[SubgameGain, ...]:
    """The subgames in which somebody gains by deviating, those nearest the root first; none if it is subgame perfect.

    Both players need perfect recall; ``check`` is called now and then and may raise.
    """
    share = move_probabilities(tree, profile)
    begins = (subgame_roots(tree) & _dealt(tree, share)).tolist()
    gains = []
    for player in (0, 1):
        value = node_values(tree, player, share, check)
        best = _best(tree, player, begins, share, value, check)
        gains += [(node, player, gain) for node, most in best.items() if (gain := most - value[node])]
    return tuple(SubgameGain(tree.path(node), player, gain) for node, player, gain in sorted(gains))


def _dealt(tree: GameTree, share: list[Fraction]) -> NDArray[np.bool_]:
    """Whether chance ever comes to each node: bool[N]."""
    never = np.array([not p for p in share], dtype=np.bool_)
    never[1:] &= tree.player[tree.parent[1:]] == CHANCE
    return np.asarray(nearest_marked(tree, never) == 0, dtype=np.bool_)


def _best(
    tree: GameTree,
    player: int,
    begins: list[bool],
    share: list[Fraction],
    value: list[Fraction],
    check: Callable[[], None],
) -> dict[int, Fraction]:
    """What best responses earn in each subgame, cut where smaller ones begin.

    Entries of what is earned: one for each own sequence but the empty one, and one for each subgame, which is where
    moves begin that follow no own move within it.
    """
    roots = [node for node, begin in enumerate(begins) if begin]
    sequences = tree.num_slots[player]
    entry_of_root = {node: sequences + i for i, node in enumerate(roots)}
    earned = [Fraction(0)] * (sequences + len(roots))
    entry, reach = [0] * tree.num_nodes, [Fraction(1)] * tree.num_nodes
    follows: list[int] = [0] * tree.num_infosets[player]
    start, parent = tree.slot_start[player].tolist(), tree.parent.tolist()
    movers, sets, actions = tree.player.tolist(), tree.infoset.tolist(), tree.action.tolist()
    for node, mover in enumerate(movers):
        if not node % 1000:
            check()
        if node:
            above = parent[node]
            own = movers[above] == player
            entry[node] = start[sets[above]] + actions[node] if own else entry[above]
            reach[node] = reach[above] if own else reach[above] * share[node]
        if node and reach[node] and (begins[node] or mover == TERMINAL):
            earned[entry[node]] += reach[node] * value[node]
        if begins[node]:
            entry[node], reach[node] = entry_of_root[node], Fraction(1)
        if mover == player:
            follows[sets[node]] = entry[node]
    follow = np.array(follows, dtype=np.int64)
    most = Sequences(player, follow, tree.slot_start[player], np.arange(len(follow))).best_values(earned)
    return {node: most[e] for node, e in entry_of_root.items()}

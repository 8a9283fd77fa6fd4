r"""Refined sequences of players without perfect recall, and upper bounds on the payoff of these players.

The *refined sequence* of a node is the list of all own moves (information set, action) on the path to the node. The
nodes of an information set with the same refined sequence form a *refined set*. With refined sets in place of
information sets, every player has perfect recall, so the kernel's sequence form applies. A strategy of the player plays
the same mixed action at all refined sets of an information set.

Fix a mixture of pure strategies of the opponent. Let g(s) be the part of the player's payoff from leaves with the
refined sequence s. At each information set I, let the mixed action :math:`x_I` be in the convex hull of some
*vertices*, which are mixed actions. The *relaxed pass* computes

.. math::  U(s) = g(s) + \sum_{(I,\,s)} \max_{v} \sum_a v_a\, U(s\,(I,a))

from the last sets to the first. The sum is over the refined sets (I, s), and the maximum is over the vertices v of I.

Theorem (relaxed pass).  No behavior strategy x in these hulls earns more than U at the empty sequence.

Proof.  Define V by the formula for U, with :math:`x_I` in place of the best vertex. The strategy earns V at the empty
sequence. A mean over the vertices is at most the maximum. By induction from the last sets, :math:`V(s) \le U(s)`.

Each refined set has its own maximum, so the bound may be too high. A *choice tree* reduces the bound. It fixes the
vertices of some information sets, one set after the other. All refined sets of an information set then have the same
vertex. A leaf of the choice tree is a relaxed pass with the vertices that are fixed on its path.

Theorem (choice trees).  If the player is not absentminded, x earns at most the greatest result of the relaxed passes at
the leaves of a choice tree.

Proof.  Every path reaches I at most once, so the payoff of x is affine in :math:`x_I`. The maximum over the hull is at
a vertex of I. Repeat this argument for each set that the choice tree fixes, and then use the relaxed pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tremble.check import Limits, Strategy
from tremble.check.claim import Wrong
from tremble.check.limits import DIGIT
from tremble.check.tree import Sequences

__all__ = ["greatest_pass", "refined_sequences", "refined_strategy", "relaxed_pass", "repeated_node", "vertex_choices"]


def repeated_node(game: Any, player: int) -> int | None:
    """Return a node that is in the same information set as a node above it, or None if there is no such node.

    In preorder, the nodes below a node v come directly after v. If one of them is in the information set of v, the next
    node of this set after v is also below v. So it is enough to compare consecutive nodes of a set.
    """
    size = np.ones(len(game.parent), dtype=np.int64)  # size of the subtree at each node
    for first, end in reversed(list(pairwise(game.level.tolist()[1:]))):
        np.add.at(size, game.parent[first:end], size[first:end])
    own = np.flatnonzero(game.player == player)
    own = own[np.lexsort((game.preorder[own], game.infoset[own]))]
    above, below = own[:-1], own[1:]
    again = (game.infoset[above] == game.infoset[below]) & (game.preorder[below] < game.preorder[above] + size[above])
    return int(below[np.argmax(again)]) if again.any() else None


def refined_sequences(game: Any, player: int) -> Sequences:
    """Find the refined sequences of a player.

    The sets of the result are the refined sets. A set comes after the sets of the player's earlier moves.
    """
    num_nodes, widths = len(game.parent), [len(labels) for labels in game.actions[player]]
    at_node = np.zeros(num_nodes, dtype=np.int64)
    first_at = np.zeros(num_nodes, dtype=np.int64)  # first sequence of the refined set of each own node
    first_of: dict[int, int] = {}  # key of (previous sequence, information set) -> first sequence
    sets: list[tuple[int, int, int, int]] = []
    count = 1
    for begin, end in pairwise(game.level.tolist()):
        if begin:
            above = game.parent[begin:end]
            here = at_node[above]
            moved = np.flatnonzero(game.player[above] == player)
            here[moved] = first_at[above[moved]] + game.action[begin:end][moved]
            at_node[begin:end] = here
        own = begin + np.flatnonzero(game.player[begin:end] == player)
        if len(own):
            keys, place = np.unique(at_node[own] * len(widths) + game.infoset[own], return_inverse=True)
            for key in keys.tolist():
                if key not in first_of:
                    prior, k = divmod(key, len(widths))
                    first_of[key] = count
                    sets.append((k, prior, count, count + widths[k]))
                    count += widths[k]
            first_at[own] = np.array([first_of[key] for key in keys.tolist()])[place]
    return Sequences(count, sets, at_node)


def refined_strategy(strategy: Strategy, sequences: Sequences) -> Strategy:
    """Return the strategy with one row for each refined set. Refined sets of one information set get equal rows."""
    infosets = [k for k, *_ in sequences.sets]
    numerator, rows, first = list(strategy.numerator), [], 0
    for labels in strategy.actions:
        rows.append(numerator[first : first + len(labels)])
        first += len(labels)
    return Strategy(
        tuple(range(len(infosets))),
        tuple([strategy.actions[k] for k in infosets]),
        [weight for k in infosets for weight in rows[k]],
        [strategy.denominator[k] for k in infosets],
        [strategy.off_path[k] for k in infosets],
    )


def vertex_choices(choices: Sequence[Any], widths: Sequence[int], fixed: Any, where: str) -> Iterator[None]:
    """Walk through a choice tree, and yield at each leaf. Raise `Wrong` if ``choices`` is not a choice tree.

    Parameters
    ----------
    choices : sequence of int
        The choice tree in preorder. The entry of a leaf is 0. The entry of an inner node is k if the node fixes the
        vertex of information set k - 1. A subtree for each vertex of the set follows.
    widths : sequence of int
        The number of vertices of each information set.
    fixed : list of int or int64[K]
        The output. Before each yield, ``fixed[k]`` becomes the vertex, from 0, that the path to the leaf fixes for
        information set k, or -1 if the path fixes none.
    where : str
        The name of the list, for messages.

    Examples
    --------
    >>> fixed = [-1, -1]
    >>> [list(fixed) for _ in vertex_choices([2, 0, 1, 0, 0], [2, 2], fixed, "choices")]
    [[-1, 0], [0, 1], [1, 1]]
    """
    for k in range(len(widths)):
        fixed[k] = -1
    path: list[int] = []  # the sets that are fixed, the first one first
    at = 0
    while True:
        if at == len(choices):
            raise Wrong(f"{where}: the list ends before the choice tree is complete")
        number = choices[at]
        if type(number) is not int or not 0 <= number <= len(widths):
            raise Wrong(f"{where}[{at}]: must be 0 or the number of an information set, 1 to {len(widths):,}")
        at += 1
        if number:
            if fixed[number - 1] >= 0:
                raise Wrong(f"{where}[{at - 1}]: information set {number} is already fixed on this path")
            fixed[number - 1] = 0
            path.append(number - 1)
            continue
        yield
        while path and fixed[path[-1]] + 1 == widths[path[-1]]:
            fixed[path.pop()] = -1
        if not path:
            break
        fixed[path[-1]] += 1
    if at < len(choices):
        raise Wrong(f"{where}[{at}]: the choice tree is complete; remove all entries from here on")


def relaxed_pass(sequences: Sequences, gain: Sequence[int], fixed: Sequence[int] | None = None) -> int:
    """Return U(empty sequence), an exact integer, by the module's relaxed pass over the pure actions of each set.

    Parameters
    ----------
    gain : sequence of int
        The payoff g(s) for each sequence s.
    fixed : sequence of int, optional
        For each information set, the only action to consider, or -1 to consider all actions.
    """
    amount = list(gain)
    for k, prior, first, end in reversed(sequences.sets):
        only = -1 if fixed is None else fixed[k]
        amount[prior] += max(amount[first:end]) if only < 0 else amount[first + only]
    return amount[0]


def greatest_pass(
    sequences: Sequences, gain: Sequence[int], choices: Sequence[Any], widths: Sequence[int], limits: Limits
) -> int:
    """Run the module's relaxed pass at each leaf of the choice tree. Return the greatest result, an exact integer."""
    where, fixed = "certificate.response", [-1] * len(widths)
    digits = 1 + sum(map(int.bit_length, gain)) // DIGIT
    best: int | None = None
    for _ in vertex_choices(choices, widths, fixed, where):
        limits.spend(where, 100, 1 + len(sequences.sets))
        limits.spend(where, 1, digits)
        earned = relaxed_pass(sequences, gain, fixed)
        best = earned if best is None else max(best, earned)
    assert best is not None  # a choice tree has a leaf
    return best

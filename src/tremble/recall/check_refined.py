r"""Refined sequences of players without perfect recall, and passes that bound what such a player can earn.

The *refined sequence* at a node is the list of all own moves (information set, action) on the path to it. The nodes of
an information set with the same refined sequence are a *refined set*. Over refined sets every player has perfect
recall, so the kernel's sequence form applies. A strategy of the player is one over refined sets that plays alike at all
refined sets of an information set.

Fix a mixture of pure strategies of the opponent. Let g(s) be what the leaves with the refined sequence s contribute.
Let the mixed action x_I at each information set I lie in the hull of some *vertices*. The *relaxed pass* computes

.. math::  U(s) = g(s) + \sum_{(I,\,s)} \max_{v} \sum_a v_a\, U(s\,(I,a))

over the refined sets (I, s) and the vertices v of I, from the last sets back.

Theorem (relaxed pass).  No behavior strategy x in these hulls earns more than U at the empty sequence.

Proof.  The strategy earns V at the empty sequence, where V is defined like U with x_I in place of the best v. By
induction from the last sets, V(s) <= U(s): a mean over the vertices is at most the maximum.

Each refined set takes its own maximum, so the bound may be too high. A *choice tree* lowers it: it fixes the vertex at
some information sets, one set after the other, alike at all refined sets of each.

Theorem (choice trees).  If the player is not absentminded, x earns at most the greatest of the relaxed passes at the
leaves of a choice tree.

Proof.  Every play reaches I at most once, so what x earns is affine in x_I. Its maximum over the hull is at a vertex of
I. Repeat this for each set that the choice tree fixes, then use the relaxed pass.
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
    """Return a node whose information set the path to it has reached before; None if the player has no such node.

    The nodes below a node follow it in preorder. If one of them is in the same set, so is the next node of the set in
    preorder.
    """
    size = np.ones(len(game.parent), dtype=np.int64)  # of the subtree at each node
    for first, end in reversed(list(pairwise(game.level.tolist()[1:]))):
        np.add.at(size, game.parent[first:end], size[first:end])
    own = np.flatnonzero(game.player == player)
    own = own[np.lexsort((game.preorder[own], game.infoset[own]))]
    above, below = own[:-1], own[1:]
    again = (game.infoset[above] == game.infoset[below]) & (game.preorder[below] < game.preorder[above] + size[above])
    return int(below[np.argmax(again)]) if again.any() else None


def refined_sequences(game: Any, player: int) -> Sequences:
    """Find the refined sequences of a player; the sets of the result are refined sets, those of earlier moves first."""
    num_nodes, widths = len(game.parent), [len(labels) for labels in game.actions[player]]
    at_node = np.zeros(num_nodes, dtype=np.int64)
    first_at = np.zeros(num_nodes, dtype=np.int64)  # first sequence of the refined set of each own node
    first_of: dict[int, int] = {}  # the same, by sequence before and information set
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
    """Return a strategy with one row for each refined set, equal at all refined sets of an information set."""
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
    """Walk through a choice tree, and yield at each relaxed pass; raise `Wrong` if the list is no choice tree.

    Parameters
    ----------
    choices : sequence of int
        In preorder: an information set, from 1, followed by a tree for each of its vertices; or 0 for a relaxed pass.
    widths : sequence of int
        Number of vertices of each information set.
    fixed : list of int or int64[K]
        Filled before each yield: the vertex, from 0, of each information set, or -1 if it is not fixed.
    where : str
        Name of the list, for messages.

    Examples
    --------
    >>> fixed = [-1, -1]
    >>> [list(fixed) for _ in vertex_choices([2, 0, 1, 0, 0], [2, 2], fixed, "choices")]
    [[-1, 0], [0, 1], [1, 1]]
    """
    for k in range(len(widths)):
        fixed[k] = -1
    path: list[int] = []  # sets that are fixed, the last one innermost
    at = 0
    while True:
        if at == len(choices):
            raise Wrong(f"{where}: the tree is not complete")
        number = choices[at]
        if type(number) is not int or not 0 <= number <= len(widths):
            raise Wrong(f"{where}[{at}]: neither 0 nor the number of an information set, 1 to {len(widths):,}")
        at += 1
        if number:
            if fixed[number - 1] >= 0:
                raise Wrong(f"{where}[{at - 1}]: information set {number} is fixed already")
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
        raise Wrong(f"{where}[{at}]: the tree is complete before this")


def relaxed_pass(sequences: Sequences, gain: Sequence[int], fixed: Sequence[int] | None = None) -> int:
    """Return U at the empty sequence, exactly; the vertices of a set are its actions.

    `gain` is g, by sequence. `fixed` may name the only action that counts at each information set, or -1.
    """
    amount = list(gain)
    for k, prior, first, end in reversed(sequences.sets):
        only = -1 if fixed is None else fixed[k]
        amount[prior] += max(amount[first:end]) if only < 0 else amount[first + only]
    return amount[0]


def greatest_pass(
    sequences: Sequences, gain: Sequence[int], choices: Sequence[Any], widths: Sequence[int], limits: Limits
) -> int:
    """Return the greatest relaxed pass of the choice tree `certificate.response`, exactly."""
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

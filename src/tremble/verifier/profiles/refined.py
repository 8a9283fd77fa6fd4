r"""Sequences of players who may forget, and the passes that bound what such a player can earn.

The *refined sequence* at a node is the list of all (information set, action) pairs of a player on the way to it; the
nodes of an information set with one refined sequence are a *refined set*. To refined sets the player would have perfect
recall, so that they are numbered, and plans, cells and payoffs by sequence are formed, as in
:mod:`tremble.verifier.profiles.tree`. A strategy of the player is one whose refined sets agree wherever they are parts
of one information set.

Against a mixture of pure strategies of the other, let :math:`g(s)` be what the leaves with the refined sequence s
contribute. What the player expects to earn with the behavior strategy x is V at the empty sequence, where

.. math::  V(s) = g(s) + \sum_{(I,\,s)} \sum_a x_{I,a}\, V(s\,(I,a))

over the refined sets (I, s). Let each :math:`x_I` lie in the convex hull of some *vertices*. The *relaxed pass* takes

.. math::  U(s) = g(s) + \sum_{(I,\,s)} \max_{v} \sum_a v_a\, U(s\,(I,a)) \;\ge\; V(s)

over the vertices v of I; by induction from the last sets it is an upper bound. Each refined set takes a maximum of its
own, so that it need not be the least one. Who is not absentminded comes to I at most once in a play; so V is affine in
:math:`x_I`, and its maximum over :math:`x_I` is at a vertex. A *choice tree* makes use of that: it fixes the vertices
of some information sets, one set after the other, all refined sets of each alike; whatever x is, the earnings are at
most those at one of the vertices, hence at most the greatest of the relaxed passes at the leaves of the choice tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tremble.game.tree import GameTree
from tremble.verifier.budget import budget, listening
from tremble.verifier.profiles.tree import Sequences, last_move_node, respond

__all__ = ["Absentminded", "BrokenChoices", "greatest_pass", "passes", "refined_sequences"]


class Absentminded(Exception):  # noqa: N818 (a finding about the game, turned into a problem by the verifier)
    """A play comes to an information set twice: to a node above ``node``, and to ``node``."""

    def __init__(self, player: int, infoset: int, node: int) -> None:
        super().__init__(player, infoset, node)
        self.player, self.infoset, self.node = player, infoset, node


class BrokenChoices(Exception):  # noqa: N818 (a finding about the file, turned into a problem by the verifier)
    """A list of choices is no choice tree."""


def refined_sequences(tree: GameTree, player: int) -> Sequences:
    """Find the refined sequences of a player; ``Absentminded`` if a play comes to an information set twice."""
    _require_no_return(tree, player)
    reached = last_move_node(tree, player)
    own = np.flatnonzero(tree.player == player)
    moved = reached[own] > 0
    above = np.where(moved, tree.parent[reached[own]], 0)
    number = np.zeros(tree.num_nodes, dtype=np.int64)  # of the refined set of each own node
    width = [len(labels) for labels in tree.actions[player]]
    number_of: dict[tuple[int, int], int] = {}
    before: list[int] = []
    infoset: list[int] = []
    start = [1]
    rows = zip(
        own.tolist(), moved.tolist(), above.tolist(), tree.action[reached[own]].tolist(), tree.infoset[own].tolist(),
        strict=True,
    )  # fmt: skip
    for node, follows, last, action, k in listening(rows):  # earlier ones first
        prior = start[number[last]] + action if follows else 0
        j = number[node] = number_of.setdefault((k, prior), len(number_of))
        if j == len(before):
            before.append(prior)
            infoset.append(k)
            start.append(start[-1] + width[k])
    begin = np.array(start, dtype=np.int64)
    sequence = np.zeros(tree.num_nodes, dtype=np.int64)
    after = np.flatnonzero(reached)
    sequence[after] = begin[number[tree.parent[reached[after]]]] + tree.action[reached[after]]
    return Sequences(
        np.array(before, dtype=np.int64), begin, sequence, sequence[tree.leaves], np.array(infoset, dtype=np.int64)
    )


def _require_no_return(tree: GameTree, player: int) -> None:
    """Raise ``Absentminded`` if a node of the player's comes after another one of its information set.

    The nodes after a node follow it in preorder. So if any such node is of the same set, then so is the next node of
    the set in preorder.
    """
    size = np.ones(tree.num_nodes, dtype=np.int64)
    for first, end in listening(reversed(list(pairwise(tree.level.tolist()[1:])))):
        np.add.at(size, tree.parent[first:end], size[first:end])
    own = np.flatnonzero(tree.player == player)
    own = own[np.lexsort((tree.preorder[own], tree.infoset[own]))]
    above, below = own[:-1], own[1:]
    again = (tree.infoset[above] == tree.infoset[below]) & (tree.preorder[below] < tree.preorder[above] + size[above])
    if again.any():
        node = int(below[np.argmax(again)])
        raise Absentminded(player, int(tree.infoset[node]), node)


def passes(choices: Sequence[Any], width: Sequence[int], fixed: Any) -> Iterator[None]:
    """Walk through a choice tree, and stop at each relaxed pass.

    Parameters
    ----------
    choices : sequence of int
        In preorder: an information set, from 1, which is followed by a tree for each vertex; 0 is a relaxed pass.
    width : sequence of int
        How many vertices each information set has.
    fixed : list of int or int64[J]
        Filled for each pass: the vertex, from 0, of each information set, or -1 if it is not fixed.

    Raises
    ------
    BrokenChoices

    Examples
    --------
    >>> fixed = [-1, -1]
    >>> [list(fixed) for _ in passes([2, 0, 1, 0, 0], [2, 2], fixed)]
    [[-1, 0], [0, 1], [1, 1]]
    """
    for k in range(len(width)):
        fixed[k] = -1
    way: list[int] = []  # the sets that are fixed
    at = 0
    while True:
        if at == len(choices):
            raise BrokenChoices(": the tree is not complete")
        number = choices[at]
        if type(number) is not int or not 0 <= number <= len(width):
            raise BrokenChoices(f"[{at}]: neither 0 nor the number of an information set, 1 to {len(width):,}")
        at += 1
        if number:
            if fixed[number - 1] >= 0:
                raise BrokenChoices(f"[{at - 1}]: information set {number} is fixed already")
            fixed[number - 1] = 0
            way.append(number - 1)
            continue
        yield
        while way and fixed[way[-1]] + 1 == width[way[-1]]:
            fixed[way.pop()] = -1
        if not way:
            break
        fixed[way[-1]] += 1
    if at < len(choices):
        raise BrokenChoices(f"[{at}]: the tree is complete before this")


def greatest_pass(own: Sequences, gain: Sequence[int], choices: Sequence[Any], width: Sequence[int]) -> int:
    """The greatest of the relaxed passes of a choice tree, exactly; the vertices of a set are its actions."""
    fixed = [-1] * len(width)
    costs = budget()
    length = sum(map(int.bit_length, gain))
    best: int | None = None
    for _ in passes(choices, width, fixed):
        costs.work_through(1 + len(own.before))
        costs.products(length, 1)
        earned = respond(own, list(gain), fixed)
        best = earned if best is None else max(best, earned)
    assert best is not None  # a choice tree has a leaf
    return best

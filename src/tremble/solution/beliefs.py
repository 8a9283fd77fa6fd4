r"""Compute the beliefs of players at their information sets, as limits for vanishing trembles.

With perfect recall, a player's own plan gives all nodes h of an information set the same weight. So chance and the
other player's plan, :math:`y(\varepsilon)`, determine the belief:

.. math::  \mu(h) = \lim_{\varepsilon \to 0} \frac{\pi_c(h)\, y_{q(h)}(\varepsilon)}
                                               {\sum_{h'} \pi_c(h')\, y_{q(h')}(\varepsilon)}

Here :math:`\pi_c(h)` is the probability of chance's moves to h, and q(h) is the other player's last sequence before h.
All terms are positive polynomials. A term's *order* is the degree of its first nonzero coefficient. Only the terms of
the smallest order affect the limit, and each of them only by its first nonzero coefficient.

References
----------
D. Kreps, R. Wilson: Sequential equilibria, Econometrica 50, 1982 (consistency of assessments).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import chance_reach
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray
from tremble.solution.claim import BeliefRow, Beliefs

__all__ = ["Vanishing", "limit_beliefs"]

_MAX_STEPS = 100_000_000


class Vanishing(Protocol):
    """Probabilities of sequences as functions of a vanishing epsilon, as in a :class:`~.trembling_plan.TremblingPlan`.

    The probability of sequence q is about ``c * leading[q] * epsilon ** order[q]``, with the same c for all sequences.
    """

    @property
    def order(self) -> NDArray[np.int64]:
        """Lowest power of epsilon in the probability of each sequence of moves, int64[S]."""

    @property
    def leading(self) -> NDArray[Any]:
        """The first nonzero coefficient of each sequence, a positive integer: object[S]."""


def limit_beliefs(tree: GameTree, plans: tuple[Vanishing, Vanishing]) -> Beliefs:
    """Return both players' limit beliefs at every set. The belief at a set that chance never reaches lists no nodes."""
    decision = np.flatnonzero(tree.player >= 0)
    reach = chance_reach(tree, decision).numerator
    paths = _paths(tree)
    player1, player2 = (_beliefs_of(tree, player, plans[1 - player], decision, reach, paths) for player in (0, 1))
    return player1, player2


def _beliefs_of(
    tree: GameTree,
    player: int,
    other: Vanishing,
    decision: NDArray[np.int64],
    reach: IntArray,
    paths: list[tuple[str, ...]],
) -> tuple[BeliefRow, ...]:
    own = np.flatnonzero(tree.player[decision] == player)
    nodes = decision[own]
    sequence = last_sequence(tree, 1 - player)[nodes]
    leading = other.leading[sequence]
    # Sort the nodes by set, and within a set by preorder.
    order = np.lexsort((tree.preorder[nodes], tree.infoset[nodes]))
    members: list[list[tuple[int, int, int]]] = [[] for _ in range(tree.num_infosets[player])]
    rows = zip(
        tree.infoset[nodes[order]].tolist(),
        nodes[order].tolist(),
        other.order[sequence[order]].tolist(),
        (reach[own[order]].astype(object) * leading[order]).tolist(),
        strict=True,
    )
    for infoset, node, order_of_zero, weight in rows:
        members[infoset].append((node, order_of_zero, weight))
    beliefs = []
    for k, listed in enumerate(members):
        lowest = min((d for _, d, w in listed if w), default=None)
        shares = [w if d == lowest else 0 for _, d, w in listed]
        total = sum(shares)
        pairs = zip(listed, shares, strict=True) if total else ()
        entries = tuple((paths[node], Fraction(share, total)) for (node, _, _), share in pairs)
        beliefs.append(BeliefRow(k, entries))
    return tuple(beliefs)


def _paths(tree: GameTree) -> list[tuple[str, ...]]:
    """Return the action labels from the root to each node."""
    depth = np.repeat(np.arange(len(tree.level) - 1), np.diff(tree.level))
    if int(depth[tree.player >= 0].sum()) > _MAX_STEPS:
        raise TooLargeError(
            f"beliefs list the paths to all decision nodes; these paths have more than {_MAX_STEPS:,} steps together; "
            "request quasi-perfect instead, which finds the same strategies without beliefs"
        )
    paths: list[tuple[str, ...]] = [()] * tree.num_nodes
    inner = np.flatnonzero(tree.num_children > 0)
    for node, first in zip(inner.tolist(), tree.first_child[inner].tolist(), strict=True):
        here = paths[node]
        for child, label in enumerate(tree.labels(node), start=first):
            paths[child] = (*here, label)
    return paths

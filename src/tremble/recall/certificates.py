"""Certificates of kind ``branching``, which prove bounds on what a player can guarantee.

Methods write these certificates. :mod:`tremble.recall.check_branching` checks them and explains what they prove.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BranchingCertificate", "BranchingLeaf"]


@dataclass(frozen=True)
class BranchingLeaf:
    """A proof that no strategy in one cell (a set of strategies) earns more than the certificate's upper bound."""

    mix: Sequence[tuple[int, int]]  # pairs (number of a reply, weight); no reply appears twice, weights are below 2^53
    choices: Sequence[int]  # the choice tree of the player, in preorder


@dataclass(frozen=True, eq=False)
class BranchingCertificate:
    """A lower and an upper bound on the largest payoff that a player can guarantee, with their proof.

    The player's strategy proves the lower bound. A division of the player's strategies into *cells* proves the upper
    bound. For each cell, there is a mixture of the opponent's strategies against which no strategy of the cell earns
    more than the upper bound. A cell has a list of *vertices* for each information set. A vertex is a mixed action. The
    cell contains all strategies that play a mixture of these vertices at every information set.

    A *choice tree* fixes one information set after another, with a branch for each vertex of the set. At each leaf, a
    *relaxed pass* (:mod:`tremble.recall.check_refined`) computes a bound, given the vertices on the path to the leaf. A
    choice tree is a list of integers in preorder. The entry for an inner node is the number of an information set, from
    1. One subtree for each vertex of the set follows. The entry for a leaf is 0.

    Examples
    --------
    Matching pennies:

    >>> certificate = BranchingCertificate(
    ...     player=0, epsilon=Fraction(0), lower=Fraction(0), upper=Fraction(0), response=[0], replies=[[0], [1]],
    ...     splits=[()], leaves=[BranchingLeaf(mix=[(0, 1), (1, 1)], choices=[0])],
    ... )
    >>> certificate.plain()["leaves"]
    [{'mix': [[0, 1], [1, 1]], 'choices': [0]}]
    """

    player: int  # 0 or 1
    epsilon: Fraction  # in payoff units, at least 0: the largest allowed gap between the bounds
    lower: Fraction  # in the player's own payoffs
    upper: Fraction  # in the player's own payoffs
    response: Sequence[int]  # choice tree of the opponent against the player's strategy; vertices are actions
    # Pure strategies of the opponent. Each one lists the index of an action, from 0, for each information set.
    replies: Sequence[Sequence[int] | NDArray[Any]] | NDArray[Any]
    # The tree of cells, in preorder. The entry (set from 1, vertices i and j from 0, numerator, bits) divides a cell at
    # the point t v_i + (1 - t) v_j with t = numerator / 2^bits. In the first child cell, this point replaces v_i. In
    # the second child cell, it replaces v_j. The entry () is a cell that is not divided.
    splits: Sequence[Sequence[int]]
    leaves: Sequence[BranchingLeaf]  # one for each cell that is not divided, in preorder

    def plain(self) -> dict[str, Any]:
        """Return the certificate as plain data."""
        return {
            "kind": "branching",
            "player": self.player + 1,
            **{name: Fraction(getattr(self, name)) for name in ("epsilon", "lower", "upper")},
            "response": _integers(self.response),
            "replies": list(map(_integers, self.replies)),
            "splits": list(map(_integers, self.splits)),
            "leaves": [
                {"mix": list(map(_integers, leaf.mix)), "choices": _integers(leaf.choices)} for leaf in self.leaves
            ],
        }


def _integers(values: Sequence[int] | NDArray[Any]) -> list[int]:
    """Return a list of Python integers."""
    return values.tolist() if isinstance(values, np.ndarray) else list(map(int, values))

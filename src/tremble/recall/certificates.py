"""Certificates of kind ``branching``, as methods write them: bounds on what a player can guarantee.

:mod:`tremble.recall.check_branching` explains what they prove, and checks them.
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
    """A cell that is not divided further, and the proof of a bound on the player's payoff in it."""

    mix: Sequence[tuple[int, int]]  # (number of a reply, weight), each reply once; weights are below 2^53
    choices: Sequence[int]  # choice tree of the player, in preorder


@dataclass(frozen=True, eq=False)
class BranchingCertificate:
    """Two bounds on what a player can guarantee, and their proof.

    The player's strategy proves the lower bound, a division of all its strategies the upper one.

    A *choice tree* says which information sets are fixed before a relaxed pass. In preorder: the number of a set, from
    1, and one subtree for each of its vertices; or 0 for the pass.

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
    epsilon: Fraction  # payoff units, at least 0: the largest allowed gap between the bounds
    lower: Fraction  # in the player's own payoffs, like `upper`
    upper: Fraction
    response: Sequence[int]  # choice tree of the opponent against the player's strategy; its vertices are the actions
    # Pure strategies of the opponent: the position of an action, from 0, at each information set.
    replies: Sequence[Sequence[int] | NDArray[Any]] | NDArray[Any]
    # In preorder. (set from 1, vertices i and j from 0, numerator, bits) divides a cell at t v_i + (1 - t) v_j, where
    # t = numerator / 2^bits: first the cell in which this point replaces v_i, then the one in which it replaces v_j.
    # () is a cell that is not divided.
    splits: Sequence[Sequence[int]]
    leaves: Sequence[BranchingLeaf]  # in preorder

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

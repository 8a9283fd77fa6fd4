r"""Certificates of kind ``backward-induction``: at every node one action is best, and it is the one that is played.

They prove quasi-perfect and perfect equilibria of games of perfect information, whatever their depth, without a number.

*Why.* Let every information set be one node, and let the action that is played at each, with probability 1, lead to
more for its player than any other action there, if both play as stated from there on. What an action leads to is a
continuous function of the behavior strategies from there on, and the tree has finitely many nodes. So, whatever
completely mixed strategies tend to the stated ones, from some point on these actions lead to more at every node, and
they do so whether the player's own later mistakes are counted (Selten 1975) or not (van Damme 1984): from the last
nodes on, what is played there is the best that the player can do. Hence the strategies are perfect and quasi-perfect,
with mistakes in any ratios.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form games,
International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tremble.verifier.budget import listening
from tremble.verifier.certificates.fields import Certificate
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.subgames import node_values

__all__ = ["BackwardInductionCertificate"]


@dataclass(frozen=True)
class BackwardInductionCertificate(Certificate):
    """Every information set is one node, and the action that is played there leads to more than any other.

    Examples
    --------
    >>> BackwardInductionCertificate().plain()
    {'kind': 'backward-induction'}
    """

    kind: ClassVar[str] = "backward-induction"

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind}

    @classmethod
    def check(cls, context: CheckContext) -> None:
        """What is stated is of this kind, and true."""
        if not cls.is_stated(context, ""):
            return
        tree, problems = context.tree, context.problems
        if sum(tree.num_infosets) != np.count_nonzero(tree.player >= 0):
            problems.add(f"certificate.kind: {cls.kind!r} proves nothing where an information set has several nodes")
            return
        values = node_values(tree, context.solution.tables)
        first, count = tree.first_child.tolist(), tree.num_children.tolist()
        for player in (0, 1):
            rows = context.solution.tables[player].integers()
            own = np.flatnonzero(tree.player == player)
            nodes = own[np.argsort(tree.infoset[own])].tolist()
            for k, (node, (row, whole)) in enumerate(listening(zip(nodes, rows, strict=True))):
                earned = values[player][first[node] : first[node] + count[node]]
                most = max(earned)
                best = [action for action, value in enumerate(earned) if value == most]
                labels = tree.actions[player][k]
                if len(best) > 1:
                    problems.add(
                        f"{context.place(player, k)}: {labels[best[1]]!r} leads to as much as {labels[best[0]]!r}, so "
                        f"{cls.kind!r} does not prove it"
                    )
                elif row[best[0]] != whole:
                    problems.add(f"{context.place(player, k)}: not {labels[best[0]]!r} alone, which leads to the most")

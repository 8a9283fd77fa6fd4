r"""Expected payoffs of a profile in any tree, also for players without perfect recall.

Theorem.  Let no path pass an information set twice. The expected payoff at a node is the payoff of a leaf, or the sum
over its children of the probability of the move times the expected payoff at the child. That at the root is the
expected payoff of the profile.

Proof.  Behavior strategies draw the move at each information set independently. So the probability of a leaf is the
product of the probabilities of the moves on its path, and the sum over all leaves is factored node by node.

A path that passes a set twice (absentmindedness) is refused: there the literature disagrees about what a behavior
strategy means.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tremble.check.best_response import evaluate
from tremble.check.claim import Strategy, Wrong, place
from tremble.check.limits import Limits
from tremble.check.subgame_perfect import node_values, shares, subtree_sizes
from tremble.check.tree import ImperfectRecall, sequence_form


def expected_values(
    game: Any, strategies: tuple[Strategy, Strategy], limits: Limits
) -> tuple[Fraction, Fraction] | None:
    """Return the expected payoffs of two strategies without faults; raise `Wrong` if a path passes a set twice."""
    try:
        return evaluate(sequence_form(game, limits), strategies, limits).values  # faster, with perfect recall
    except ImperfectRecall:
        _refuse_absentmindedness(game)
    share = shares(game, strategies)
    return node_values(game, 0, share, limits)[0], node_values(game, 1, share, limits)[0]


def _refuse_absentmindedness(game: Any) -> None:
    """Raise `Wrong` if a node of an information set lies below another one.

    In depth-first preorder the nodes below v are the next ones. So if some node of the set lies below v, the next node
    of the set does.
    """
    size = subtree_sizes(game)
    for player in (0, 1):
        own = np.flatnonzero(game.player == player)
        own = own[np.lexsort((game.preorder[own], game.infoset[own]))]
        first, second = own[:-1], own[1:]
        below = game.preorder[second] < game.preorder[first].astype(np.int64) + size[first]
        again = np.flatnonzero(below & (game.infoset[first] == game.infoset[second]))
        if len(again):
            raise Wrong(f"{place(game, player, int(game.infoset[first[again[0]]]))}: a play passes this set twice")

"""Subgame perfect equilibria: nobody gains by deviating, in any subgame that chance lets happen.

See :mod:`tremble.verifier.profiles.subgames`; best responses are all the proof that there is.
"""

from __future__ import annotations

from tremble.game.tree import path_in_words
from tremble.numbers import shorten
from tremble.verifier.certificates.best_response import BestResponseCertificate
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.subgames import subgame_gains

__all__ = ["check_subgame_perfect"]


def check_subgame_perfect(context: CheckContext) -> None:
    """Check what a solution with the concept ``subgame-perfect`` states: certified or bounded."""
    check_refinement(context, _prove)


def _prove(context: CheckContext) -> None:
    BestResponseCertificate.check(context)
    for node, player, gain in subgame_gains(context.tree, context.solution.tables, context.evaluation.sequences):
        if node:  # what is gained in the whole game has been said
            path = "..." if context.problems.full else path_in_words(context.tree.path(node))
            context.problems.add(f"player {player + 1} can gain {shorten(gain)} in the subgame after {path!r:.200}")

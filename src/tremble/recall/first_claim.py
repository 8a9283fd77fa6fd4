"""The first claim about a maxmin strategy, made before a search. Neither player needs perfect recall."""

from __future__ import annotations

from fractions import Fraction

from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.claims import first_claim
from tremble.solution.claim import Claim, Profile

__all__ = ["first_claim_of"]


def first_claim_of(game: GameTree, player: int, profile: Profile) -> Claim:
    """Return a claim with the player's strategy in ``profile``, and bounds on the player's maxmin value."""
    return first_claim(BilinearForm.of(game, player), profile, Fraction(0))

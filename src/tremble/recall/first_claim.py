"""The first claim about a maxmin strategy. Its bounds are known before a search begins."""

from __future__ import annotations

from fractions import Fraction

from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.claims import first_claim
from tremble.solution.claim import Claim, Profile

__all__ = ["first_claim_of"]


def first_claim_of(game: GameTree, player: int, profile: Profile) -> Claim:
    """Return a claim with bounds on what the player can guarantee. Neither player needs perfect recall."""
    return first_claim(BilinearForm.of(game, player), profile, Fraction(0))

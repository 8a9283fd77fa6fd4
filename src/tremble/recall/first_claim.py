"""The claim about a maxmin strategy that is known before any search begins."""

from __future__ import annotations

from fractions import Fraction

from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.claims import first_claim
from tremble.solution.claim import Claim, Profile

__all__ = ["first_claim_of"]


def first_claim_of(game: GameTree, player: int, profile: Profile) -> Claim:
    """Claim what the player's strategy guarantees, with bounds that hold for players without perfect recall too."""
    return first_claim(BilinearForm.of(game, player), profile, Fraction(0))

"""Rescale payoffs to the range from 0 to 1, for which the tolerances of floating-point searches are chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from tremble.game.sequence_form import chance_reach
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array
from tremble.integers import exact_product

__all__ = ["Scale"]


@dataclass(frozen=True)
class Scale:
    """The map from a player's rescaled payoffs, between 0 and 1, to the player's payoffs in the original game."""

    least: Fraction  # smallest payoff
    unit: Fraction  # largest minus smallest payoff; positive even if all payoffs are equal
    steps: int  # sum of chance probability * (payoff - least) over all leaves, times the common denominator
    magnitude: Fraction  # the same sum without this factor, divided by ``unit``

    @classmethod
    def of(cls, tree: GameTree, player: int) -> Scale:
        """Compute the scale that maps a player's payoffs in a tree to the range from 0 to 1."""
        payoff = tree.payoff[:, player]
        low, high = int(payoff.min()), int(payoff.max())
        unit = Fraction(high - low or 1, tree.payoff_denominator)
        reach = chance_reach(tree)
        steps = sum(exact_product(reach.numerator, payoff - low).tolist())
        magnitude = Fraction(steps, reach.denominator * tree.payoff_denominator) / unit
        return cls(Fraction(low, tree.payoff_denominator), unit, steps, magnitude)

    def scaled(self, tree: GameTree, player: int) -> GameTree:
        """Return the zero-sum game in which the player's payoffs are rescaled to the range from 0 to 1."""
        low = int(self.least * tree.payoff_denominator)
        above = [value - low for value in tree.payoff[:, player].tolist()]
        whole = int(self.unit * tree.payoff_denominator)
        content = gcd(whole, *above)
        own = integer_array([value // content for value in above])
        pair = (own, -own) if player == 0 else (-own, own)
        return replace(tree, payoff=np.stack(pair, axis=1), payoff_denominator=whole // content)

    def payoff(self, scaled: Fraction | float) -> Fraction:
        """Convert a payoff of the rescaled game to a payoff of the original game."""
        return self.least + Fraction(scaled) * self.unit

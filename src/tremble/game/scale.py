"""Payoffs from 0 to 1, to which the tolerances of the search are made, whatever the game pays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from tremble.game.arrays import integer_array
from tremble.game.sequence_form import chance_reach
from tremble.game.tree import GameTree
from tremble.integers import exact_product

__all__ = ["Scale"]


@dataclass(frozen=True)
class Scale:
    """How one player's payoffs come from those of a game with the same strategies, from 0 to 1."""

    least: Fraction
    unit: Fraction  # the range of the payoffs; not 0 if they are all equal
    steps: int  # sum of the absolute payoffs at all leaves, chance included, over the common denominator of the game
    magnitude: Fraction  # the same in units of the range

    @classmethod
    def of(cls, tree: GameTree, player: int) -> Scale:
        """That of a tree."""
        payoff = tree.payoff[:, player]
        low, high = int(payoff.min()), int(payoff.max())
        unit = Fraction(high - low or 1, tree.payoff_denominator)
        reach = chance_reach(tree)
        steps = sum(map(abs, exact_product(reach.numerator, payoff).tolist()))
        magnitude = Fraction(steps, reach.denominator * tree.payoff_denominator) / unit
        return cls(Fraction(low, tree.payoff_denominator), unit, steps, magnitude)

    def scaled(self, tree: GameTree, player: int) -> GameTree:
        """The game in which the player's payoffs are from 0 to 1, and zero-sum."""
        low = int(self.least * tree.payoff_denominator)
        above = [value - low for value in tree.payoff[:, player].tolist()]
        whole = int(self.unit * tree.payoff_denominator)
        content = gcd(whole, *above)
        own = integer_array([value // content for value in above])
        pair = (own, -own) if player == 0 else (-own, own)
        return replace(tree, payoff=np.stack(pair, axis=1), payoff_denominator=whole // content)

    def payoff(self, scaled: Fraction | float) -> Fraction:
        """What a payoff of the scaled game stands for."""
        return self.least + Fraction(scaled) * self.unit

r"""The bilinear sequence form: what a player earns who may forget, in numbers linear in the size of the tree.

Both players are looked at as if they remembered (:mod:`tremble.game.sequences`): with the realization plan r of
its refined sequences and a plan y of the opponent's, the player earns :math:`r^T U y`. That it forgets is the condition
that its plan comes from one behavior strategy x of the original sets,

.. math::  r_0 = 1, \qquad r_{sa} = r_s \, x_{I,a} \quad\text{for every refined set } (I, s) ,

which is bilinear. Refined sets of a set that is not split are free: any plan there comes from a behavior strategy.

References
----------
B. Bošanský, J. Čermák, K. Horák and M. Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
imperfect recall, ICAART 2017 (section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from scipy.sparse import csr_array

from tremble.game.sequence_form import SequenceForm, Side
from tremble.game.tree import GameTree, require_player

__all__ = ["BilinearForm"]


@dataclass(frozen=True, eq=False)
class BilinearForm:
    """A zero-sum tree as one player sees it who may forget."""

    tree: GameTree
    own: Side  # of the player, who maximises, with its refined sets
    other: Side  # of the opponent, with minus the player's payoffs

    @classmethod
    def of(cls, tree: GameTree, player: int) -> BilinearForm:
        """The form of a tree, with the payoffs of this player."""
        require_player(player)
        form = SequenceForm.refined(tree).zero_sum(player)
        return cls(tree, form.side(player), form.side(1 - player))

    @property
    def player(self) -> int:
        """Who maximises."""
        return self.own.player

    @cached_property
    def matrix(self) -> csr_array:
        """The payoffs as floats: own sequences by the opponent's."""
        own, shape = self.own, (self.own.num_sequences, self.other.num_sequences)
        return csr_array((own.payoff_float, own.opponent, own.first), shape=shape)

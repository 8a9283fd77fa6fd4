r"""The bilinear sequence form of a player without perfect recall. Its size is linear in the size of the tree.

The information sets of both players are split until the players have perfect recall
(:mod:`tremble.game.sequence_form`). The results are *refined* sets and sequences. A refined set (I, s) has the nodes
of I after the refined sequence s. Let r be the player's realization plan over its refined sequences, and let y be the
opponent's plan. Then the player earns :math:`r^T U y` with the payoff matrix U. In the original game, the player does
not have perfect recall. So r must come from a behavior strategy x at the original information sets:

.. math::  r_0 = 1, \qquad r_{sa} = r_s \, x_{I,a} \quad\text{for every refined set } (I, s) .

This condition is bilinear. It is needed only for information sets that were split. At all other sets, every plan comes
from a behavior strategy.

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
    """The bilinear sequence form of a tree for one player, the maximizer. The opponent loses what the player earns."""

    tree: GameTree
    own: Side  # the player's refined sequences, and its payoffs
    other: Side  # the refined sequences of the opponent, with the negative of the player's payoffs

    @classmethod
    def of(cls, tree: GameTree, player: int) -> BilinearForm:
        """Build the bilinear sequence form of a tree for the given player."""
        require_player(player)
        form = SequenceForm.refined(tree).zero_sum(player)
        return cls(tree, form.side(player), form.side(1 - player))

    @property
    def player(self) -> int:
        """The index of the player who maximizes: 0 or 1."""
        return self.own.player

    @cached_property
    def matrix(self) -> csr_array:
        """The payoff matrix in floats. Rows are sequences of the player, and columns are sequences of the opponent."""
        own, shape = self.own, (self.own.num_sequences, self.other.num_sequences)
        return csr_array((own.payoff_float, own.opponent, own.first), shape=shape)

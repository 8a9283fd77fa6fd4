r"""The bilinear sequence form: what a player earns who may forget, in numbers linear in the size of the tree.

Both players are looked at as if they remembered (:mod:`tremble.model.own_sequences`): with the realization plan r of
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

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tremble.exact_integers import exact_product, safe_to_add
from tremble.model.own_sequences import OwnSequences, own_sequences
from tremble.model.sequence_form import chance_reach
from tremble.model.tree import GameTree, IntArray, as_floats, require_player, require_tree

__all__ = ["BilinearForm"]


@dataclass(frozen=True, eq=False)
class BilinearForm:
    """A tree as one player sees it who may forget.

    Shapes: J own information sets, S own refined sequences, S' of the opponent, T pairs of both at which the game ends.
    """

    tree: GameTree
    player: int  # who maximises
    own: OwnSequences
    other: OwnSequences
    row: NDArray[np.int64]  # [T] own sequence of each pair; sorted
    column: NDArray[np.int64]  # [T] the opponent's
    payoff: IntArray  # [T] the player's, chance included, as integers over the denominator
    denominator: int

    @classmethod
    def of(cls, tree: GameTree, player: int) -> BilinearForm:
        """The form of a tree."""
        require_tree(tree)
        require_player(player)
        own, other = own_sequences(tree, player), own_sequences(tree, 1 - player)
        reach = chance_reach(tree)
        weight = exact_product(reach.numerator, tree.payoff[:, player])
        key = own.at_node[tree.leaves] * other.num_sequences + other.at_node[tree.leaves]
        order = np.argsort(key, kind="stable")
        pairs, begin = np.unique(key[order], return_index=True)
        payoff = np.add.reduceat(safe_to_add(weight)[order], begin)
        row, column = np.divmod(pairs, other.num_sequences)
        return cls(tree, player, own, other, row, column, payoff, reach.denominator * tree.payoff_denominator)

    @cached_property
    def matrix(self) -> csr_array:
        """The payoffs as floats, [S, S']."""
        values = as_floats(self.payoff, self.denominator)
        return csr_array((values, (self.row, self.column)), shape=(self.own.num_sequences, self.other.num_sequences))

    @cached_property
    def forgetful(self) -> NDArray[np.bool_]:
        """Own sets to which several own sequences lead, bool[J]: where behavior is more than a plan."""
        return _forgetful(self.own, self.tree.num_infosets[self.player])

    @cached_property
    def opponent_forgetful(self) -> NDArray[np.bool_]:
        """The same of the opponent's sets."""
        return _forgetful(self.other, self.tree.num_infosets[1 - self.player])

    @cached_property
    def upstream(self) -> NDArray[np.bool_]:
        """Own sets that are passed on the way to a forgetful one, bool[J]; they may be forgetful themselves."""
        own = self.own
        passed = np.zeros(len(self.forgetful), dtype=np.bool_)
        below = self.forgetful[own.infoset]  # whether a forgetful set is this one, or lies behind it
        for k in range(len(below) - 1, -1, -1):  # what leads to a set has a smaller number
            before = own.set_of[own.parent[k]]
            if below[k] and before >= 0:
                below[before] = True
                passed[own.infoset[before]] = True
        return passed


def _forgetful(own: OwnSequences, sets: int) -> NDArray[np.bool_]:
    return np.bincount(own.infoset, minlength=sets) > 1

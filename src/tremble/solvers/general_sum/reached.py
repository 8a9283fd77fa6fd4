"""Build the parts of a complementarity problem from the sequence form that chance reaches.

Empty sequences are left out, because they are always played. Sets that chance never reaches are left out too, because
any play is optimal there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.matrix import IntegerMatrix
from tremble.game.arrays import integer_array
from tremble.game.sequence_form import SequenceForm
from tremble.game.sequences import Sequences
from tremble.game.tree import GameTree
from tremble.solution.trembles import Trembles
from tremble.solvers.sequence_programs import flow, least_weights

__all__ = ["ONE", "SUPPLY", "Losses", "ReachedSide"]

ONE = 1 << 30  # stands for 1 in the covering vector
SUPPLY = ONE >> 10  # the prior reaches each information set this much more often than the move before it

_LEAST = ONE >> 20  # share of the greatest loss at its set that a sequence without any loss is expected to lose


@dataclass(frozen=True, eq=False)
class ReachedSide:
    """The sequences and information sets of a player that chance reaches, without the empty sequence."""

    form: SequenceForm
    own: Sequences  # all sequences of the player
    sequences: NDArray[np.int64]  # numbers of the sequences in the problem
    sets: NDArray[np.int64]  # numbers of the information sets in the problem
    place: NDArray[np.int64]  # [S] position of each sequence in sequences, -1 if it is left out
    trembles: Trembles

    @classmethod
    def of(cls, form: SequenceForm, player: int, trembles: Trembles) -> ReachedSide:
        """Select the sets from which the play can go on to a pair of sequences that chance reaches."""
        own = form.sequences[player]
        some = np.zeros(own.num_sequences, dtype=np.bool_)
        some[(form.row, form.column)[player][np.asarray(form.mass != 0)]] = True
        comes = own.most_behind(some)
        sequences = 1 + np.flatnonzero(comes[own.set_of[1:]])
        place = np.full(len(some), -1, dtype=np.int64)
        place[sequences] = np.arange(len(sequences))
        return cls(form, own, sequences, np.flatnonzero(comes), place, trembles)

    @cached_property
    def least(self) -> NDArray[Any]:
        """Return the coefficients of the least weights, object[K + 1, S], with 1 for the empty sequence."""
        least = least_weights(self.own, self.trembles)
        least[0, 0] = 1
        return least

    @property
    def certain(self) -> NDArray[Any]:
        """Return the weights that every plan has, object[S]: 1 for the empty sequence."""
        certain = np.zeros(len(self.place), dtype=object)
        certain[0] = 1
        return certain

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of actions of each set in the problem."""
        sizes: NDArray[np.int64] = self.own.width[self.sets]
        return sizes

    def flow(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the entries (set, sequence, value) of E that are in the problem."""
        before = self.place[self.own.parent[self.sets]]
        inner = np.flatnonzero(before >= 0)
        row = np.concatenate((np.repeat(np.arange(len(self.sets)), self.sizes), inner))
        column = np.concatenate((np.arange(len(self.sequences)), before[inner]))
        value = np.concatenate((np.ones(len(self.sequences), dtype=np.int64), -np.ones(len(inner), dtype=np.int64)))
        return row, column, value

    def flow_of(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return E times a weight, for each set in the problem: the sum of the actions minus the sequence before."""
        return flow(self.own, weight)[1 + self.sets]

    def before(self) -> NDArray[np.int64]:
        """Return the position of the sequence before each sequence in the problem; -1 for the empty sequence."""
        place: NDArray[np.int64] = self.place[self.own.before[self.sequences]]
        return place

    def unreached_slack(self, classes: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        """Mark the first action of each set that chance never reaches, or its whole class, bool[S]."""
        of = np.arange(len(self.place)) if classes is None else classes
        least = np.minimum.reduceat(of, self.own.start[:-1])
        slack = np.append(False, of[1:] == np.repeat(least, self.own.width))
        slack[self.sequences] = False
        return slack

    def losses(self, tree: GameTree, other: ReachedSide) -> Losses:
        """Return the losses of the player as integers: positive at pairs that chance reaches, 0 elsewhere."""
        form, player = self.form, self.own.player
        paid = tree.payoff[:, player]
        most, least = int(paid.max()), int(paid.min())
        payoff = form.payoff if player == 0 else -form.payoff if form.payoff2 is None else form.payoff2
        assert form.mass is not None
        cost = form.mass.astype(object) * (most + max(most - least, 1)) - payoff.astype(object)
        common = gcd(*cost.tolist()) or 1
        cost = integer_array([value // common for value in cost.tolist()])
        at, opposite = (form.row, form.column)[:: 1 - 2 * player]
        return Losses(self, other, IntegerMatrix.from_entries((len(self.place), len(other.place)), at, opposite, cost))

    def plan(self, level: NDArray[Any], least: NDArray[Any]) -> NDArray[Any]:
        """Return the weights of all sequences at one degree.

        Each sequence in the problem has its least weight plus its level. At sets that chance never reaches, the first
        action has the rest of the weight.
        """
        weight = least.copy()
        weight[self.sequences] += level
        steps = self.own.steps()
        for k in np.setdiff1d(np.arange(len(steps)), self.sets).tolist():
            before, first, end = steps[k]
            weight[first] = weight[before] - sum(weight[first + 1 : end])
        return weight


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of a player at pairs of sequences."""

    own: ReachedSide
    other: ReachedSide
    matrix: IntegerMatrix  # [S, S'], all sequences

    @property
    def inner(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """Return the entries among the sequences in the problem: rows, columns and values."""
        row, column = self.own.place[self.matrix.row_of_entry], self.other.place[self.matrix.column]
        kept = (row >= 0) & (column >= 0)
        return row[kept], column[kept], self.matrix.value[kept]

    def against(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return the loss of each sequence in the problem against weights of the other player's sequences."""
        lost: NDArray[Any] = self.matrix.dot(weight)[self.own.sequences]
        return lost

    def expected(self, prior: Trembles) -> NDArray[Any]:
        """Return the covering vector: the expected loss of each sequence in the problem against the prior."""
        expected = self.against(_expected(self.other, prior))
        least = [_LEAST << exponent for exponent in np.repeat(self.exponents, self.own.sizes).tolist()]
        cover: NDArray[Any] = np.where(expected > 0, expected, np.array(least, dtype=object))
        return cover

    @property
    def exponents(self) -> NDArray[np.int64]:
        """Return the greatest loss at or after each set in the problem, as a power of 2: the unit of its cost.

        After many moves of chance all losses are small. The scaling makes them as large as others for the float solver.
        """
        bits = np.array([int(loss).bit_length() - 1 for loss in self.matrix.value.tolist()], dtype=np.int64)
        most = np.zeros(len(self.own.place), dtype=np.int64)
        np.maximum.at(most, self.matrix.row_of_entry, bits)
        kept: NDArray[np.int64] = self.own.own.most_behind(most)[self.own.sets]
        return kept


def _expected(side: ReachedSide, prior: Trembles) -> NDArray[Any]:
    """Return the prior plan of a player, in units of 1 / ONE."""
    weight = prior.weight[side.own.player].tolist()
    often = [ONE] * (len(weight) + 1)
    for before, first, end in side.own.steps():
        shares = weight[first - 1 : end - 1]
        whole = sum(shares)
        for q, share in enumerate(shares, start=first):
            often[q] = (often[before] + SUPPLY) * share // whole
    result = np.empty(len(often), dtype=object)
    result[:] = often
    return result

"""What a complementarity problem is made of: the part of each player's sequence form that chance comes to.

Empty sequences, which are always played, are left out, and so are sets that chance never comes to: any play will do
there.
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
from tremble.solvers.refine import flow, least_weights

__all__ = ["ONE", "SUPPLY", "Losses", "ReachedSide"]

ONE = 1 << 30  # what the covering vector counts as 1
SUPPLY = ONE >> 10  # how much more often than they are led to information sets are expected to be reached

_LEAST = ONE >> 20  # how often a sequence that loses nothing itself is expected to lose the most that its set can


@dataclass(frozen=True, eq=False)
class ReachedSide:
    """One player's sequences and information sets that chance comes to; the empty sequence is left out."""

    form: SequenceForm
    own: Sequences  # all of the player's
    sequences: NDArray[np.int64]  # numbers of those that are kept
    sets: NDArray[np.int64]  # the same
    place: NDArray[np.int64]  # [S] place of each sequence among those kept, -1 for others
    trembles: Trembles

    @classmethod
    def of(cls, form: SequenceForm, player: int, trembles: Trembles) -> ReachedSide:
        """Those at or before a pair of sequences that chance leads to."""
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
        """Coefficients of the least weights, object[K + 1, S], with 1 for the empty sequence."""
        least = least_weights(self.own, self.trembles)
        least[0, 0] = 1
        return least

    @property
    def certain(self) -> NDArray[Any]:
        """What is played whatever the plan, object[S]: the empty sequence."""
        certain = np.zeros(len(self.place), dtype=object)
        certain[0] = 1
        return certain

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many actions the sets that are kept have."""
        sizes: NDArray[np.int64] = self.own.width[self.sets]
        return sizes

    def flow(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Entries (set, sequence, value) of E, among those that are kept."""
        before = self.place[self.own.parent[self.sets]]
        inner = np.flatnonzero(before >= 0)
        row = np.concatenate((np.repeat(np.arange(len(self.sets)), self.sizes), inner))
        column = np.concatenate((np.arange(len(self.sequences)), before[inner]))
        value = np.concatenate((np.ones(len(self.sequences), dtype=np.int64), -np.ones(len(inner), dtype=np.int64)))
        return row, column, value

    def flow_of(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Row by row of the sets that are kept: what the actions have, less what leads there."""
        return flow(self.own, weight)[1 + self.sets]

    def before(self) -> NDArray[np.int64]:
        """The place of the sequence before each that is kept; -1 for the empty one."""
        place: NDArray[np.int64] = self.place[self.own.before[self.sequences]]
        return place

    def unreached_slack(self, classes: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        """The first action of each set that chance never comes to, or all of the first class there, bool[S]."""
        of = np.arange(len(self.place)) if classes is None else classes
        least = np.minimum.reduceat(of, self.own.start[:-1])
        slack = np.append(False, of[1:] == np.repeat(least, self.own.width))
        slack[self.sequences] = False
        return slack

    def losses(self, tree: GameTree, other: ReachedSide) -> Losses:
        """What the player loses, in integers: positive at pairs that chance leads to, 0 at others."""
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
        """All sequences at one degree, from what those that are kept have beyond their least.

        At sets that chance never comes to, the first action has what is left.
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
    """What a player loses at pairs of sequences."""

    own: ReachedSide
    other: ReachedSide
    matrix: IntegerMatrix  # [S, S'] of all sequences

    @property
    def inner(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """Entries among the sequences that are kept: places and values."""
        row, column = self.own.place[self.matrix.row_of_entry], self.other.place[self.matrix.column]
        kept = (row >= 0) & (column >= 0)
        return row[kept], column[kept], self.matrix.value[kept]

    def against(self, weight: NDArray[Any]) -> NDArray[Any]:
        """What each sequence that is kept loses against weights of the other's sequences."""
        lost: NDArray[Any] = self.matrix.dot(weight)[self.own.sequences]
        return lost

    def expected(self, prior: Trembles) -> NDArray[Any]:
        """The covering vector: what each sequence that is kept is expected to lose against the prior."""
        expected = self.against(_expected(self.other, prior))
        least = [_LEAST << exponent for exponent in np.repeat(self.exponents, self.own.sizes).tolist()]
        cover: NDArray[Any] = np.where(expected > 0, expected, np.array(least, dtype=object))
        return cover

    @property
    def exponents(self) -> NDArray[np.int64]:
        """The greatest loss at or after each set that is kept, as a power of 2: what its costs are measured in.

        After many moves of chance all losses are small, and floats should see them as large as others.
        """
        bits = np.array([int(loss).bit_length() - 1 for loss in self.matrix.value.tolist()], dtype=np.int64)
        most = np.zeros(len(self.own.place), dtype=np.int64)
        np.maximum.at(most, self.matrix.row_of_entry, bits)
        kept: NDArray[np.int64] = self.own.own.most_behind(most)[self.own.sets]
        return kept


def _expected(side: ReachedSide, prior: Trembles) -> NDArray[Any]:
    """How often each sequence of a player is expected, in units of 1 / ONE."""
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

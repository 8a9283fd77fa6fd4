"""The known and the allowed sequences of a player, and plans that assign weights to the known sequences.

*Known* sequences have a number, and the restricted game uses *allowed* sequences (:mod:`.loop`). In a tree, all
sequences are known from the beginning (:class:`KnownSequences`). For rules, a :class:`Trie` adds one information set at
a time. A sequence leads to one set for each *view* (what the player sees), and a set has one sequence for each action.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import Sequences

__all__ = ["KnownSequences", "Plan", "Trie"]


@dataclass(frozen=True, eq=False)
class Plan:
    """A realization plan that follows a default strategy at some information sets (Bošanský et al. 2014, Eq. 11).

    At *decided* information sets, the weights determine the play. At all other sets, the player plays its default.
    """

    player: int
    # In an exact plan, the weights are integers over the denominator. Sequences of undecided sets have weight zero.
    weight: NDArray[Any]  # float64[S] or object[S]
    denominator: int | None
    decided: NDArray[np.bool_]  # [K]: True for information sets where the weights determine the play


@dataclass(frozen=True, eq=False)
class KnownSequences(Sequences):
    """The known information sets and sequences of a player. There are S sequences and K information sets."""

    default: NDArray[np.int64]  # [K]: the sequence that the default strategy plays at each set
    allowed: NDArray[np.bool_]  # [S]: True for sequences of the restricted game

    @property
    def first(self) -> NDArray[np.int64]:
        """The first sequence of each set, as int64[K]."""
        return self.start[:-1]

    def extended(self, plan: Plan) -> NDArray[Any]:
        """Return the weights of all known sequences under a plan. At undecided sets, the player plays its default.

        Parameters
        ----------
        plan : Plan
            The plan. It may have been computed earlier, when fewer sequences were known.

        Returns
        -------
        float64[S] or object[S]
        """
        weight = np.zeros(self.num_sequences, dtype=plan.weight.dtype)
        weight[: len(plan.weight)] = plan.weight
        decided = np.zeros(self.num_infosets, dtype=np.bool_)
        decided[: len(plan.decided)] = plan.decided
        for level in self.levels:
            open_sets = level.sets[~decided[level.sets]]
            weight[self.default[open_sets]] = weight[self.parent[open_sets]]
        return weight

    def mixture(self, plan: Plan, other: Plan, share: float) -> Plan:
        """Return the mixture of ``plan`` with weight ``share`` and ``other`` with weight 1 - ``share``."""
        weight = share * self.extended(plan) + (1 - share) * self.extended(other)
        return Plan(self.player, weight, None, np.ones(self.num_infosets, dtype=np.bool_))

    def normalised(self, plan: Plan, threshold: float) -> Plan:
        """Return a copy of a float plan in which all negative weights and all weights below ``threshold`` are set to 0.

        The remaining weights at each set are rescaled. Apart from rounding errors, they then sum to the weight of the
        sequence that leads to the set.
        """
        raw = np.where(plan.weight < threshold, 0.0, plan.weight)
        weight = np.zeros(self.num_sequences)
        weight[0] = 1.0
        for level in self.levels:
            parts = raw[level.sequences]
            total = np.add.reduceat(parts, level.offset)
            inflow = weight[self.parent[level.sets]] * plan.decided[level.sets]
            factor = np.divide(inflow, total, out=np.zeros(len(total)), where=total > 0)
            weight[level.sequences] = parts * np.repeat(factor, level.width)
            empty = level.sets[(total <= 0) & (inflow > 0)]  # if no weight of a set is left, use any allowed action
            for k in empty.tolist():
                options = np.arange(self.start[k], self.start[k + 1])
                pick = options[np.argmax(self.allowed[options])]
                weight[pick] = weight[self.parent[k]]
        return Plan(plan.player, weight, None, plan.decided)

    def rounded(self, plan: Plan, bits: int) -> Plan:
        """Round a float plan to an exact plan.

        The probability of each action is rounded to a multiple of 2^-bits. The rounded numbers at each set are then
        divided by their sum.
        """
        weight = np.zeros(self.num_sequences, dtype=object)
        weight[0] = 1
        scale = [1] * self.num_sequences  # the exact weight of sequence q is weight[q] / scale[q]
        floats, steps = plan.weight.tolist(), self.steps()
        for k in np.flatnonzero(plan.decided).tolist():
            above, first, end = steps[k]
            total = floats[above]
            if not weight[above]:
                continue
            shares = [round(part / total * 2**bits) if total > 0 else 0 for part in floats[first:end]]
            whole = sum(shares)
            if not whole:
                shares[int(np.argmax(self.allowed[first:end]))] = whole = 1
            for a, share in enumerate(shares):
                weight[first + a] = weight[above] * share
                scale[first + a] = scale[above] * whole
        denominator = lcm(*{s for s, w in zip(scale, weight.tolist(), strict=True) if w})
        for q, w in enumerate(weight.tolist()):
            if w:
                weight[q] = w * (denominator // scale[q])
        return Plan(plan.player, weight, denominator, plan.decided)


class Trie:
    """Sequences and information sets of one player, numbered in the order in which they become known."""

    def __init__(self, player: int) -> None:
        self.player = player
        # The index of these lists is an information set:
        self.parent: list[int] = []  # the sequence that leads to the set
        self.view: list[int] = []  # the player's view
        self.first: list[int] = []  # the first sequence of the set
        self.count: list[int] = []  # the number of sequences of the set
        self.default: list[int] = []  # the sequence that the default plays
        # The index of these lists is a sequence, and the empty sequence is number 0:
        self.allowed = [True]
        self.owner = [-1]  # the information set of the sequence
        self._sets: dict[tuple[int, int], int] = {}
        self._snapshot: KnownSequences | None = None

    def find(self, sequence: int, view: int) -> int:
        """Return the index of the information set after ``sequence`` with this ``view``, or -1 if it is not known."""
        return self._sets.get((sequence, view), -1)

    def learn(self, sequence: int, view: int, count: int, default: int) -> int:
        """Return the index of the set with this parent sequence and view. If the set is not known, add it first."""
        known = self._sets.get((sequence, view))
        if known is not None:
            return known
        number = self._sets[sequence, view] = len(self.parent)
        first = len(self.allowed)
        self.parent.append(sequence)
        self.view.append(view)
        self.first.append(first)
        self.count.append(count)
        self.default.append(first + default)
        self.allowed.extend([False] * count)
        self.owner.extend([number] * count)
        self._snapshot = None
        return number

    def allow(self, sequence: int) -> bool:
        """Add a sequence to the restricted game. Return True if this game did not contain the sequence before."""
        new = not self.allowed[sequence]
        if new:
            self.allowed[sequence] = True
            self._snapshot = None
        return new

    def own_history(self, infoset: int) -> list[tuple[int, int]]:
        """Return the player's earlier views and actions on the path to an information set, as pairs (view, action)."""
        steps = []
        sequence = self.parent[infoset]
        while sequence:
            k = self.owner[sequence]
            steps.append((self.view[k], sequence - self.first[k]))
            sequence = self.parent[k]
        return steps[::-1]

    @property
    def sequences(self) -> KnownSequences:
        """The information sets and sequences that have been added so far, as arrays."""
        if self._snapshot is None:
            parent, start, default = (
                np.array(values, dtype=np.int64)
                for values in (self.parent, [*self.first, len(self.allowed)], self.default)
            )
            allowed = np.array(self.allowed, dtype=np.bool_)
            self._snapshot = KnownSequences(self.player, parent, start, np.arange(len(parent)), default, allowed)
        return self._snapshot

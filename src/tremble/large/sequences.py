"""A player's known sequences, the allowed ones among them, and plans over them.

For a tree, all sequences are known from the beginning (:class:`KnownSequences`). For rules, a :class:`Trie` learns them
one by one: a sequence leads to information sets, one for each view of the player, and an information set has one
sequence for each action.
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
    """A realization plan at the *decided* information sets, the default at others (Bošanský et al. 2014, Eq. 11)."""

    player: int
    # The weights of an exact plan are integers over the denominator. They are zero after sets that are not decided.
    weight: NDArray[Any]  # float64[S] or object[S]
    denominator: int | None
    decided: NDArray[np.bool_]  # [K]: the information sets where the plan chooses


@dataclass(frozen=True, eq=False)
class KnownSequences(Sequences):
    """The known information sets and sequences of a player: S sequences, K information sets."""

    default: NDArray[np.int64]  # [K]: the sequence that the default strategy plays at each set
    allowed: NDArray[np.bool_]  # [S]: True for sequences of the restricted game

    @property
    def first(self) -> NDArray[np.int64]:
        """The first sequence of each set, int64[K]."""
        return self.start[:-1]

    def extended(self, plan: Plan) -> NDArray[Any]:
        """Return weights of all known sequences: those of the plan, and the default where the plan is undecided.

        Parameters
        ----------
        plan : Plan
            A plan from now or from a time when fewer sequences were known.

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
        """Mix two plans: ``plan`` with probability ``share``, ``other`` with the rest."""
        weight = share * self.extended(plan) + (1 - share) * self.extended(other)
        return Plan(self.player, weight, None, np.ones(self.num_infosets, dtype=np.bool_))

    def normalised(self, plan: Plan, threshold: float) -> Plan:
        """Set tiny and negative weights of a float plan to zero, and correct the flow at each set up to rounding."""
        raw = np.where(plan.weight < threshold, 0.0, plan.weight)
        weight = np.zeros(self.num_sequences)
        weight[0] = 1.0
        for level in self.levels:
            parts = raw[level.sequences]
            total = np.add.reduceat(parts, level.offset)
            inflow = weight[self.parent[level.sets]] * plan.decided[level.sets]
            factor = np.divide(inflow, total, out=np.zeros(len(total)), where=total > 0)
            weight[level.sequences] = parts * np.repeat(factor, level.width)
            empty = level.sets[(total <= 0) & (inflow > 0)]  # every weight was tiny: use any allowed action
            for k in empty.tolist():
                options = np.arange(self.start[k], self.start[k + 1])
                pick = options[np.argmax(self.allowed[options])]
                weight[pick] = weight[self.parent[k]]
        return Plan(plan.player, weight, None, plan.decided)

    def rounded(self, plan: Plan, bits: int) -> Plan:
        """Round a float plan to an exact one: each probability of an action is rounded to a multiple of 2^-bits.

        The rounded numbers of a set are then divided by their sum.
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
        # For each information set:
        self.parent: list[int] = []  # the sequence that leads to it
        self.view: list[int] = []  # the player's view
        self.first: list[int] = []  # its first sequence
        self.count: list[int] = []  # its number of sequences
        self.default: list[int] = []  # the sequence that the default plays
        # For each sequence, the empty one first:
        self.allowed = [True]
        self.owner = [-1]  # its information set
        self._sets: dict[tuple[int, int], int] = {}
        self._snapshot: KnownSequences | None = None

    def find(self, sequence: int, view: int) -> int:
        """Return the information set after a sequence with this view, or -1 if it is not known."""
        return self._sets.get((sequence, view), -1)

    def learn(self, sequence: int, view: int, count: int, default: int) -> int:
        """Return the information set after a sequence with this view, after adding it if necessary."""
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
        """Allow a sequence. Return True if it was not allowed before."""
        new = not self.allowed[sequence]
        if new:
            self.allowed[sequence] = True
            self._snapshot = None
        return new

    def own_history(self, infoset: int) -> list[tuple[int, int]]:
        """Return the player's views and actions before an information set, as pairs (view, index of the action)."""
        steps = []
        sequence = self.parent[infoset]
        while sequence:
            k = self.owner[sequence]
            steps.append((self.view[k], sequence - self.first[k]))
            sequence = self.parent[k]
        return steps[::-1]

    @property
    def sequences(self) -> KnownSequences:
        """The trie as arrays."""
        if self._snapshot is None:
            parent, start, default = (
                np.array(values, dtype=np.int64)
                for values in (self.parent, [*self.first, len(self.allowed)], self.default)
            )
            allowed = np.array(self.allowed, dtype=np.bool_)
            self._snapshot = KnownSequences(self.player, parent, start, np.arange(len(parent)), default, allowed)
        return self._snapshot

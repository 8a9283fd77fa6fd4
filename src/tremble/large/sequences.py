"""A player's sequences, which of them the restricted game may use, and plans over them.

Of a tree all sequences are there from the beginning (:class:`KnownSequences`). Of rules they are learnt one by one, in
a :class:`Trie`: a sequence leads to information sets, told apart by what the player sees there, and an information set
has one sequence per action.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequences import Sequences

__all__ = ["KnownSequences", "Plan", "Trie"]


@dataclass(frozen=True, eq=False)
class Plan:
    """A realization plan where it is *decided*, the default elsewhere (Bošanský et al. 2014, Eq. 11)."""

    player: int
    # Exact ones are integers over denominator. Zero where nothing is decided.
    weight: NDArray[Any]  # float64[S] or object[S]
    denominator: int | None
    decided: NDArray[np.bool_]  # [K]: the information sets at which the plan says what to do


@dataclass(frozen=True, eq=False)
class KnownSequences(Sequences):
    """The known information sets and sequences of a player: S sequences, K information sets."""

    default: NDArray[np.int64]  # [K]: the sequence that the default strategy plays at each set
    allowed: NDArray[np.bool_]  # [S]: which sequences the restricted game may use

    @property
    def first(self) -> NDArray[np.int64]:
        """The first sequence of each set, int64[K]."""
        return self.start[:-1]

    def extended(self, plan: Plan) -> NDArray[Any]:
        """The weights of all known sequences: the plan's, and the default's where it decides nothing.

        Parameters
        ----------
        plan : Plan
            May have been made when fewer sequences were known.

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
        """The plan that follows ``plan`` with probability ``share``, else the other one."""
        weight = share * self.extended(plan) + (1 - share) * self.extended(other)
        return Plan(self.player, weight, None, np.ones(self.num_infosets, dtype=np.bool_))

    def normalised(self, plan: Plan, threshold: float) -> Plan:
        """A float plan without tiny and negative weights, its flows made exact up to rounding."""
        raw = np.where(plan.weight < threshold, 0.0, plan.weight)
        weight = np.zeros(self.num_sequences)
        weight[0] = 1.0
        for level in self.levels:
            parts = raw[level.sequences]
            total = np.add.reduceat(parts, level.offset)
            inflow = weight[self.parent[level.sets]] * plan.decided[level.sets]
            factor = np.divide(inflow, total, out=np.zeros(len(total)), where=total > 0)
            weight[level.sequences] = parts * np.repeat(factor, level.width)
            empty = level.sets[(total <= 0) & (inflow > 0)]  # all of it rounded away: any allowed action will do
            for k in empty.tolist():
                options = np.arange(self.start[k], self.start[k + 1])
                pick = options[np.argmax(self.allowed[options])]
                weight[pick] = weight[self.parent[k]]
        return Plan(plan.player, weight, None, plan.decided)

    def rounded(self, plan: Plan, bits: int) -> Plan:
        """The exact plan of behavior rounded to multiples of 2^-bits (summing to one) of a float plan."""
        weight = np.zeros(self.num_sequences, dtype=object)
        weight[0] = 1
        scale = [1] * self.num_sequences  # weight[q] / scale[q] is exact
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
    """Sequences and information sets of one player, numbered as they become known."""

    def __init__(self, player: int) -> None:
        self.player = player
        # Per information set:
        self.parent: list[int] = []  # the sequence that leads to it
        self.view: list[int] = []  # what the player sees
        self.first: list[int] = []  # its first sequence
        self.count: list[int] = []  # how many it has
        self.default: list[int] = []  # the sequence that the default plays
        # Per sequence, the empty one first:
        self.allowed = [True]
        self.owner = [-1]  # its information set
        self._sets: dict[tuple[int, int], int] = {}
        self._snapshot: KnownSequences | None = None

    def find(self, sequence: int, view: int) -> int:
        """The information set where a sequence leads and the player sees ``view``; -1 if it is not known."""
        return self._sets.get((sequence, view), -1)

    def learn(self, sequence: int, view: int, count: int, default: int) -> int:
        """The same, made known if it is not."""
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
        """Allow a sequence; whether that is new."""
        new = not self.allowed[sequence]
        if new:
            self.allowed[sequence] = True
            self._snapshot = None
        return new

    def own_history(self, infoset: int) -> list[tuple[int, int]]:
        """What the player saw and did on the way to an information set: pairs (view, position of the action)."""
        steps = []
        sequence = self.parent[infoset]
        while sequence:
            k = self.owner[sequence]
            steps.append((self.view[k], sequence - self.first[k]))
            sequence = self.parent[k]
        return steps[::-1]

    @property
    def sequences(self) -> KnownSequences:
        """The trie in arrays."""
        if self._snapshot is None:
            parent, start, default = (
                np.array(values, dtype=np.int64)
                for values in (self.parent, [*self.first, len(self.allowed)], self.default)
            )
            allowed = np.array(self.allowed, dtype=np.bool_)
            self._snapshot = KnownSequences(self.player, parent, start, np.arange(len(parent)), default, allowed)
        return self._snapshot

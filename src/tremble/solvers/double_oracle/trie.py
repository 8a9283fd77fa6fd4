"""The known sequences of a player of a game that is not built: a trie that grows.

A sequence leads to information sets, told apart by what the player sees there; an information set has one sequence
per action.
"""

from __future__ import annotations

import numpy as np

from tremble.solvers.double_oracle.plans import Sequences

__all__ = ["Trie"]


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
        self._snapshot: Sequences | None = None

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
    def sequences(self) -> Sequences:
        """The trie in arrays."""
        if self._snapshot is None:
            parent, first, count, default = (
                np.array(values, dtype=np.int64) for values in (self.parent, self.first, self.count, self.default)
            )
            allowed = np.array(self.allowed, dtype=np.bool_)
            self._snapshot = Sequences(self.player, parent, first, count, default, allowed)
        return self._snapshot

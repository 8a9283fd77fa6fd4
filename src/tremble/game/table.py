"""Tables of probabilities that a file gives for one player; a table need not be a valid strategy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError
from tremble.game.strategy import BehaviorStrategy
from tremble.game.table_faults import faults
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray, require_exact, require_types
from tremble.value import Value

__all__ = ["StrategyTable"]


@dataclass(frozen=True, eq=False, repr=False)
class StrategyTable(Value):
    """The rows of probabilities that a file gives for one player: R rows, with one entry per action in each row.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> table = StrategyTable.of(tremble.BehaviorStrategy.uniform(kuhn, player=0))
    >>> table.row(0)
    (Fraction(1, 2), Fraction(1, 2))
    >>> table.is_valid(kuhn)
    True
    """

    player: int  # 0 or 1
    infosets: tuple[int, ...]  # indices of the information sets, from 0; files count from 1
    labels: tuple[str, ...]  # labels of the information sets in the file
    actions: tuple[tuple[str, ...], ...]
    numerator: IntArray  # probabilities, one per (row, action), over the denominator of their row
    denominator: IntArray  # [R], the denominator of each row
    off_path: NDArray[np.bool_]  # [R], True for rows that are marked as never reached by the player's own strategy

    def __post_init__(self) -> None:
        """Check types and lengths. Raise ``CertificateError`` if one is wrong. All other methods rely on this check."""
        require_types(self, self.infosets, self.labels)

    @classmethod
    def of(cls, strategy: BehaviorStrategy) -> StrategyTable:
        """Return the table of an exact strategy; raise ``CertificateError`` for a float strategy."""
        infosets = require_exact(strategy)
        assert strategy.denominator is not None
        return cls(
            player=strategy.player,
            infosets=infosets,
            labels=strategy.infoset_labels,
            actions=strategy.actions,
            numerator=strategy.numerator,
            denominator=strategy.denominator,
            off_path=strategy.off_path,
        )

    def integers(self) -> Iterator[tuple[list[int], int]]:
        """Iterate over the numerators and the denominator of each row, as Python integers, which cannot overflow."""
        numerator = self.numerator.tolist()
        bounds = pairwise(accumulate(map(len, self.actions), initial=0))
        for (first, end), whole in zip(bounds, self.denominator.tolist(), strict=True):
            yield numerator[first:end], whole

    def row(self, index: int) -> tuple[Fraction, ...]:
        """Return the probabilities of the row at this position (from 0)."""
        first = sum(map(len, self.actions[:index]))
        whole = int(self.denominator[index])
        return tuple(Fraction(int(p), whole) for p in self.numerator[first : first + len(self.actions[index])])

    def is_valid(self, tree: GameTree | None = None) -> bool:
        """Return True if the table has no :func:`~tremble.game.table_faults.faults`."""
        return self._surely_valid(tree) or not any(faults(self, tree))

    def _surely_valid(self, tree: GameTree | None) -> bool:
        """Check all rows at once, which is fast. Return True if the table certainly has no faults."""
        count = len(self.infosets) if tree is None else tree.num_infosets[self.player]
        if self.infosets != tuple(range(count)) or (tree is not None and self.actions != tree.actions[self.player]):
            return False
        width = np.array([len(labels) for labels in self.actions], dtype=np.int64)
        if not count or width.min() < 1 or self.numerator.min() < 0:
            return False
        if self.numerator.dtype != object and int(self.numerator.max()) * int(width.max()) >= 2**62:
            return False  # the sums below might overflow
        total = np.add.reduceat(self.numerator, np.cumsum(width) - width)
        return bool((total == self.denominator).all())

    def strategy(self, tree: GameTree | None = None) -> BehaviorStrategy:
        """Return the table as a strategy; raise ``CertificateError`` with the first fault if the table has faults."""
        if not self._surely_valid(tree):
            for fault in faults(self, tree):
                raise CertificateError(fault)
        return BehaviorStrategy(
            player=self.player,
            actions=self.actions,
            infoset_labels=self.labels,
            numerator=self.numerator,
            denominator=self.denominator,
            off_path=self.off_path,
        )

"""Tables of probabilities that a file gives for one player, before a check that they form a strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError
from tremble.game.requirements import nearest_marked
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import integer_rows
from tremble.game.tree import GameTree, IntArray, require_exact, require_types
from tremble.value import Value, approximate, shorten

__all__ = ["StrategyTable"]


@dataclass(frozen=True, eq=False, repr=False)
class StrategyTable(Value):
    """The rows of probabilities that a file gives for one player: R rows with an entry per (row, action).

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> table = StrategyTable.of(tremble.BehaviorStrategy.uniform(kuhn, player=0))
    >>> table.row(0)
    (Fraction(1, 2), Fraction(1, 2))
    >>> list(table.faults(kuhn))
    []
    """

    player: int  # 0 or 1
    infosets: tuple[int, ...]  # indices of the information sets, from 0; documents count from 1
    labels: tuple[str, ...]  # labels of the information sets in the file
    actions: tuple[tuple[str, ...], ...]
    numerator: IntArray  # probabilities, one per (row, action), over the denominator of their row
    denominator: IntArray  # [R], the denominator of each row
    off_path: NDArray[np.bool_]  # [R], True for rows that are marked as never reached by the player's own strategy

    def __post_init__(self) -> None:
        """Raise ``CertificateError`` unless types and lengths are right. All other methods rely on this check."""
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

    @classmethod
    def of_rows(cls, tree: GameTree, player: int, rows: Sequence[Sequence[Fraction]]) -> StrategyTable:
        """Make a table from rows for all sets of a player in order. Mark the sets that own play never reaches."""
        numerator, denominator = integer_rows(rows)
        table = cls(
            player=player,
            infosets=tuple(range(len(rows))),
            labels=tree.infoset_labels[player],
            actions=tree.actions[player],
            numerator=numerator,
            denominator=denominator,
            off_path=np.zeros(len(rows), dtype=np.bool_),
        )
        return replace(table, off_path=~table.own_reach(tree))

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

    def faults(self, tree: GameTree | None = None) -> Iterator[str]:
        """Iterate over the reasons why the table is not a strategy, as messages that name the information set.

        Without a tree, the method checks only that the rows are in order, complete, and sum to one.
        """
        if self._is_valid(tree):
            return
        who = f"player {self.player + 1}"
        count = len(self.infosets) if tree is None else tree.num_infosets[self.player]

        def place(k: int, row: int | None = None) -> str:
            if tree is not None and 0 <= k < count:
                return f"{who}, {tree.set_name(self.player, k)}"
            label = "" if row is None else self.labels[row]
            return f"{who}, information set {k + 1}{f' ({label!r})' if label else ''}"

        if self.infosets != tuple(range(count)):
            if tree is None:
                row = next(i for i, k in enumerate(self.infosets) if k != i)
                yield f"{who}: the rows are not numbered 1, 2, 3, ...; row {row + 1} is {self.infosets[row] + 1}"
            else:
                yield from self._numbering_faults(count, place)
        expected = tree.actions[self.player] if tree is not None else None
        for row, (k, labels, (numerator, whole)) in enumerate(
            zip(self.infosets, self.actions, self.integers(), strict=True)
        ):
            if expected is not None:
                if not 0 <= k < count:
                    continue
                if labels != expected[k]:
                    yield (
                        f"{place(k)}: the actions are {_list(labels)}, but the game has "
                        f"{_list(expected[k])} in this order"
                    )
            if min(numerator) < 0:
                worst = numerator.index(min(numerator))
                yield (
                    f"{place(k, row)}: the probability of {labels[worst]!r} is negative: "
                    f"{shorten(Fraction(numerator[worst], whole))}"
                )
            if sum(numerator) != whole:
                total = Fraction(sum(numerator), whole)
                yield f"{place(k, row)}: the probabilities sum to {shorten(total)}, not 1{_distance(total - 1)}"

    def _is_valid(self, tree: GameTree | None) -> bool:
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

    def _numbering_faults(self, count: int, place: Callable[..., str]) -> Iterator[str]:
        if sorted(self.infosets) == list(range(count)):
            row = next(i for i, k in enumerate(self.infosets) if k != i)
            yield f"{place(self.infosets[row], row)}: the rows are not sorted by the number of the information set"
        seen: set[int] = set()
        for row, k in enumerate(self.infosets):
            if not 0 <= k < count:
                yield f"{place(k, row)}: there is no such information set; the player has {count}"
            elif k in seen:
                yield f"{place(k, row)}: the row is given more than once"
            seen.add(k)
        for k in range(count):
            if k not in seen:
                yield f"{place(k)}: the row is missing"

    def own_reach(self, tree: GameTree) -> NDArray[np.bool_]:
        """Mark the information sets that the player's own moves of positive probability can reach, bool[J].

        The table must have the information sets and actions of the game.
        """
        moved = 1 + np.flatnonzero(tree.player[tree.parent[1:]] == self.player)
        above = tree.parent[moved]
        never = np.zeros(tree.num_nodes, dtype=np.bool_)
        never[moved] = self.numerator[tree.slot_start[self.player][tree.infoset[above]] + tree.action[moved]] == 0
        own = np.flatnonzero((tree.player == self.player) & (nearest_marked(tree, never) == 0))
        reached = np.zeros(len(self.infosets), dtype=np.bool_)
        reached[tree.infoset[own]] = True
        return reached

    def completed(self, tree: GameTree) -> tuple[StrategyTable, tuple[int, ...]]:
        """Replace rows of zeros, which Gambit prints at sets that own play never reaches, by uniform rows.

        The new rows get the mark ``off_path``. The method also returns the indices of their sets. The table must have
        the information sets and actions of the game. The method raises ``CertificateError`` if own play reaches a set
        with a row of zeros.
        """
        start = tree.slot_start[self.player]
        stated = np.logical_or.reduceat(self.numerator != 0, start[:-1]) if len(self.infosets) else np.ones(0, bool)
        silent = np.flatnonzero(~stated.astype(np.bool_)).tolist()
        if not silent:
            return self, ()
        reached = self.own_reach(tree)
        numerator, denominator, off_path = self.numerator.copy(), self.denominator.copy(), self.off_path.copy()
        for k in silent:
            if reached[k]:
                raise CertificateError(
                    f"player {self.player + 1}, {tree.set_name(self.player, k)}: all probabilities are 0, "
                    "but the player's own play reaches the set"
                )
            numerator[start[k] : start[k + 1]] = 1
            denominator[k] = start[k + 1] - start[k]
            off_path[k] = True
        table = replace(self, numerator=numerator, denominator=denominator, off_path=off_path)
        return table, tuple(silent)

    def strategy(self, tree: GameTree | None = None) -> BehaviorStrategy:
        """Return the table as a strategy; if it has :meth:`faults`, raise the first one as ``CertificateError``."""
        for fault in self.faults(tree):
            raise CertificateError(fault)
        return BehaviorStrategy(
            player=self.player,
            actions=self.actions,
            infoset_labels=self.labels,
            numerator=self.numerator,
            denominator=self.denominator,
            off_path=self.off_path,
        )


def _list(labels: Sequence[str]) -> str:
    shown = ", ".join(f"{label!r:.80}" for label in labels[:10])
    return f"{shown}, ... ({len(labels)} actions)" if len(labels) > 10 else shown


def _distance(difference: Fraction) -> str:
    return "" if difference.denominator < 10**6 else f" (off by {approximate(abs(difference))})"

"""The data of a behavior strategy of one player: a row of probabilities for each information set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tremble.game.labels import LabelIndex, by_label, set_index
from tremble.game.requirements import parent_sequence
from tremble.game.rules import UnbuiltStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray, integer_array, starts
from tremble.numbers import over_one_denominator
from tremble.shown import Shown

__all__ = ["InfosetRow", "Number", "StrategyRows", "infoset_rows", "integer_rows"]

Number = Fraction | float
"""A probability or a payoff: a ``Fraction`` if it is computed from exact numbers only, else a ``float``."""


@dataclass(frozen=True, eq=False)
class StrategyRows(Shown):
    """The base class of :class:`tremble.BehaviorStrategy`: the fields, and methods that read probabilities."""

    player: int
    actions: tuple[tuple[str, ...], ...]
    infoset_labels: tuple[str, ...]
    numerator: NDArray[Any]
    denominator: IntArray | None
    off_path: NDArray[np.bool_]
    parent: NDArray[np.int64] | None = None

    @classmethod
    def _of(
        cls,
        tree: GameTree,
        player: int,
        numerator: NDArray[Any],
        denominator: IntArray | None,
        off_path: NDArray[np.bool_] | None = None,
    ) -> Self:
        return cls(
            player=player,
            actions=tree.actions[player],
            infoset_labels=tree.infoset_labels[player],
            numerator=numerator,
            denominator=denominator,
            off_path=np.zeros(tree.num_infosets[player], dtype=np.bool_) if off_path is None else off_path,
            parent=parent_sequence(tree, player),
        )

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """First slot of each set, int64[J + 1]: set k has the slots ``start[k]:start[k + 1]``."""
        return starts(self.actions)

    @property
    def num_infosets(self) -> int:
        """Number of information sets."""
        return len(self.actions)

    @property
    def exact(self) -> bool:
        """True if the probabilities are exact."""
        return self.denominator is not None

    def row(self, infoset: str | int) -> list[Number]:
        """Return the probabilities at an information set, given by label or index from 0, in action order."""
        return self._row(self.index(infoset))

    def __iter__(self) -> Iterator[list[Number]]:
        """Iterate over the rows of probabilities of all information sets."""
        return map(self._row, range(self.num_infosets))

    def _row(self, k: int) -> list[Number]:
        first, end = int(self.start[k]), int(self.start[k + 1])
        if self.denominator is None:
            return [float(p) for p in self.numerator[first:end]]
        bottom = int(self.denominator[k])
        return [Fraction(int(p), bottom) for p in self.numerator[first:end]]

    def index(self, infoset: str | int) -> int:
        """Return the index (from 0) of an information set; ``infoset`` is its label or its index.

        Raises
        ------
        GameError
            No set has the label or index, or multiple sets have the label. The message lists possible values.

        Examples
        --------
        >>> import tremble
        >>> tremble.BehaviorStrategy.uniform(tremble.load("kuhn"), player=0).index("Q:cb")
        3
        """
        return set_index(self._by_label, self.num_infosets, self.player, infoset)

    @cached_property
    def _by_label(self) -> LabelIndex:
        return by_label(self.infoset_labels)

    def to_floats(self) -> NDArray[np.float64]:
        """Return the probabilities as float64[slots]."""
        if self.denominator is None:
            return np.asarray(self.numerator, dtype=np.float64)
        bottom = np.repeat(self.denominator, np.diff(self.start))
        if self.numerator.dtype != object and bottom.dtype != object:
            return np.asarray(self.numerator / bottom, dtype=np.float64)
        pairs = zip(self.numerator.tolist(), bottom.tolist(), strict=True)
        return np.array([p / q for p, q in pairs], dtype=np.float64)

    def as_float(self) -> Self:
        """Return the strategy with float probabilities."""
        return self if self.denominator is None else replace(self, numerator=self.to_floats(), denominator=None)

    def marked(self) -> Self:
        """Return a copy in which ``off_path`` is true exactly for the sets that the player's own moves never reach."""
        if self.parent is None:
            return self
        played = np.concatenate(([True], self.numerator != 0))
        reached = np.zeros(len(self.parent), dtype=np.bool_)
        for k, (before, first, end) in enumerate(
            zip(self.parent.tolist(), self.start[:-1].tolist(), self.start[1:].tolist(), strict=True)
        ):
            reached[k] = played[before]
            if not played[before]:
                played[first + 1 : end + 1] = False
        return replace(self, off_path=~reached)


def integer_rows(rows: Iterable[Sequence[Fraction | int]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Convert each row to integers over its least common denominator; return the integers and the denominators."""
    parts = [over_one_denominator(row) for row in rows]
    return integer_array([n for integers, _ in parts for n in integers]), integer_array([whole for _, whole in parts])


@dataclass(frozen=True, slots=True)
class InfosetRow:
    """A row of a strategy: the play at one information set."""

    player: int  # from 1
    number: int | None  # from 1; None in a game that is not built
    label: str  # in a game that is not built, a description of what the player knows
    moves: tuple[tuple[str, Number | None], ...]  # actions and their probabilities; None without a strategy
    off_path: bool = False  # True if the player's own strategy never reaches the set

    @property
    def chosen(self) -> str:
        """The first action with a positive probability; in a pure strategy, the chosen action."""
        return next(action for action, p in self.moves if p)


def infoset_rows(strategy: StrategyRows | UnbuiltStrategy) -> Iterator[InfosetRow]:
    """Yield a row for each information set that a strategy lists, in the order of the strategy."""
    if isinstance(strategy, UnbuiltStrategy):
        for key, actions in strategy.rows.items():
            yield InfosetRow(strategy.player + 1, None, key, tuple(actions))
        return
    for k, row in enumerate(strategy):
        moves = tuple(zip(strategy.actions[k], row, strict=True))
        yield InfosetRow(strategy.player + 1, k + 1, strategy.infoset_labels[k], moves, bool(strategy.off_path[k]))

"""The data of a behavior strategy of one player: a row of probabilities for each information set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError
from tremble.game.labels import LabelIndex, by_label, set_index
from tremble.game.requirements import parent_sequence
from tremble.game.tree import GameTree, IntArray, integer_array, starts
from tremble.numbers import over_one_denominator
from tremble.shown import Shown

__all__ = ["Number", "StrategyRows", "integer_rows", "require_exact", "require_types"]

Number = Fraction | float
"""A probability or a payoff. It is exact if it is computed from exact numbers only."""


@dataclass(frozen=True, eq=False)
class StrategyRows(Shown):
    """The data of a :class:`tremble.BehaviorStrategy`, which documents the fields, and access to the rows."""

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
        """The slots of set k are ``start[k]:start[k + 1]``, int64[J + 1]."""
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
        """Iterate over the probabilities at all information sets."""
        return map(self._row, range(self.num_infosets))

    def _row(self, k: int) -> list[Number]:
        first, end = int(self.start[k]), int(self.start[k + 1])
        if self.denominator is None:
            return [float(p) for p in self.numerator[first:end]]
        bottom = int(self.denominator[k])
        return [Fraction(int(p), bottom) for p in self.numerator[first:end]]

    def index(self, infoset: str | int) -> int:
        """Return the index (from 0) of an information set, given its label or this index.

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
        """Return the strategy with ``off_path`` set for exactly the sets that its own play never reaches."""
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
    """Write each row of exact numbers over its own denominator; return all numerators, and the denominators."""
    parts = [over_one_denominator(row) for row in rows]
    return integer_array([n for integers, _ in parts for n in integers]), integer_array([whole for _, whole in parts])


def require_exact(strategy: StrategyRows) -> tuple[int, ...]:
    """Return the numbers of the information sets; raise ``CertificateError`` unless the rows are exact and complete."""
    if strategy.denominator is None:
        raise CertificateError(
            f"the strategy of player {strategy.player + 1} has floats; a solution needs exact probabilities"
        )
    if not isinstance(strategy.actions, tuple):
        raise CertificateError("the actions of a strategy must be a tuple that has a tuple of texts for each set")
    infosets = tuple(range(len(strategy.infoset_labels)))
    require_types(strategy, infosets, strategy.infoset_labels)
    return infosets


def require_types(rows: Any, sets: tuple[int, ...], labels: Any) -> None:
    """Raise ``CertificateError`` unless the rows of a table or a strategy have the right types and lengths."""
    if type(rows.player) is not int or rows.player not in (0, 1):
        kind = type(rows.player).__name__
        raise CertificateError(f"a table of strategies must have the player index 0 or 1, not this {kind}")
    if not all(isinstance(items, tuple) and len(items) == len(sets) for items in (sets, labels, rows.actions)):
        fault = "does not have a number, a label and actions for each row, in tuples of equal length"
    elif not set(map(type, sets)) <= {int} or not _are_texts(labels):
        fault = "has rows whose number is not an integer or whose label is not text"
    elif not (set(map(type, rows.actions)) <= {tuple} and all(rows.actions) and _are_texts(chain(*rows.actions))):
        fault = "has rows whose actions are not a tuple of one or more texts"
    elif not _are_integers(rows.numerator, sum(map(len, rows.actions))):
        fault = "does not have an exact numerator for each action"
    elif not _are_integers(rows.denominator, len(sets)) or not (rows.denominator > 0).all():
        fault = "does not have a positive denominator for each row"
    elif not (isinstance(rows.off_path, np.ndarray) and rows.off_path.shape == (len(sets),)) or (
        rows.off_path.dtype != np.bool_
    ):
        fault = "does not have a bool for each row that marks it as off the path"
    else:
        return
    raise CertificateError(f"the table of player {rows.player + 1} {fault}")


def _are_texts(items: Iterable[Any]) -> bool:
    return all(issubclass(kind, str) for kind in set(map(type, items)))


def _are_integers(values: Any, size: int) -> bool:
    if not isinstance(values, np.ndarray) or values.shape != (size,):
        return False
    if values.dtype == object:
        return set(map(type, values.tolist())) <= {int}
    return bool(values.dtype == np.int64)

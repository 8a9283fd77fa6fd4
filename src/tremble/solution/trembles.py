r"""Trembles: how likely each action is to be played by mistake, relative to the others.

A player who means to play something else still plays action a, at an information set that it reaches, with
probability of about :math:`w_a \varepsilon`; refinements are limits for :math:`\varepsilon \to 0`. Only the ratios of
the weights :math:`w_a > 0` matter. All are 1 unless stated otherwise. The definitions of the literature allow mistakes
whose ratios change on the way to 0; weights do not.

A file of weights lists information sets where some weight is not 1, for both players::

    {"schema": "tremble/trembles@1",
     "trembles": [[{"infoset": 1, "actions": [["fold", "1/10"], ["call", "2"]]}], []]}
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from tremble.base.exact_numbers import exact_number, format_fraction, over_one_denominator, require_lists
from tremble.base.value import Value
from tremble.errors import FormatError, GameError
from tremble.model.table import StrategyTable
from tremble.model.tree import GameTree, IntArray, integer_array, require_tree
from tremble.solution.stated import read_trembles

__all__ = ["Trembles"]


@dataclass(frozen=True, eq=False, repr=False)
class Trembles(Value):
    """A positive weight for every action.

    Attributes
    ----------
    weight : pair of int64[slots] or object[slots]
        One integer per (information set, action) of each player; all together without a common divisor.
    start : pair of int64[J + 1]
        The slots of set k are ``start[k]:start[k + 1]``.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("safe_or_risky")
    >>> Trembles.from_rows(game, ([[1, Fraction(1, 2)], [1, 3]], [])).rows()
    [[['2', '1'], ['2', '6']], []]
    >>> Trembles.uniform(game).rows() is None
    True
    """

    weight: tuple[IntArray, IntArray]
    start: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def uniform(cls, tree: GameTree) -> Trembles:
        """All weights equal."""
        require_tree(tree)
        player1, player2 = (np.ones(slots, dtype=np.int64) for slots in tree.num_slots)
        return cls((player1, player2), tree.slot_start)

    @classmethod
    def from_rows(cls, tree: GameTree, rows: Sequence[Sequence[Sequence[Fraction | int]]]) -> Trembles:
        """From weights [player][information set][action].

        Raises
        ------
        GameError
            A row is missing or too long, a weight is not exact, or not positive.
        """
        require_tree(tree)
        require_lists(rows, 3, "weights")
        if len(rows) != 2:
            raise GameError(f"the weights of two players are needed, not of {len(rows)}")
        weights: list[list[int | Fraction]] = [[], []]
        for player, sets in enumerate(tree.actions):
            if len(rows[player]) != len(sets):
                raise GameError(
                    f"player {player + 1} has {len(sets)} information sets, but weights are given for "
                    f"{len(rows[player])}"
                )
            for k, (row, labels) in enumerate(zip(rows[player], sets, strict=True)):
                where = f"information set {k + 1} of player {player + 1}"
                if len(row) != len(labels):
                    raise GameError(f"{where} has {len(labels)} actions, but {len(row)} weights are given")
                exact = [exact_number(w, f"{where}: weight of {a!r}") for a, w in zip(labels, row, strict=True)]
                for label, weight in zip(labels, exact, strict=True):
                    if weight <= 0:
                        raise GameError(
                            f"{where}: the weight of {label!r} is {format_fraction(weight)}; a tremble must be positive"
                        )
                weights[player].extend(exact)
        integers, _ = over_one_denominator([*weights[0], *weights[1]])
        common = gcd(*integers) or 1
        whole, first = [w // common for w in integers], len(weights[0])
        return cls((integer_array(whole[:first]), integer_array(whole[first:])), tree.slot_start)

    @classmethod
    def read(cls, path: str | os.PathLike[str], tree: GameTree) -> Trembles:
        """From a file of weights; information sets that it does not list have weights of 1.

        Raises
        ------
        FormatError
            The file is no file of weights, or does not fit the game.
        """
        require_tree(tree)
        rows: list[list[list[Fraction | int]]] = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
        tables = read_trembles(path)
        try:
            for player, table in enumerate(tables):
                for position, (k, labels) in enumerate(zip(table.infosets, table.actions, strict=True)):
                    _require_set(tree, table, k, labels)
                    rows[player][k] = list(table.row(position))
            return cls.from_rows(tree, rows)
        except GameError as error:
            raise FormatError(str(error), file=os.fspath(path)) from None

    def require_of(self, tree: GameTree) -> None:
        """Raise ``GameError`` unless there is one weight for each action of this tree."""
        for player, (own, start) in enumerate(zip(self.start, tree.slot_start, strict=True)):
            if not np.array_equal(own, start):
                raise GameError(
                    f"the weights of player {player + 1} are of another game: {len(own) - 1} information sets with "
                    f"{int(own[-1])} actions, not {len(start) - 1} with {int(start[-1])}"
                    + (", or otherwise many at some set" if len(own) == len(start) else "")
                )

    @property
    def is_uniform(self) -> bool:
        """Whether all weights are equal."""
        return all(bool((side == 1).all()) for side in self.weight)

    def rows(self) -> list[list[list[str]]] | None:
        """The weights as text, [player][information set][action]; None if all are equal."""
        if self.is_uniform:
            return None
        return [
            [list(map(format_fraction, side[first:end].tolist())) for first, end in pairwise(start.tolist())]
            for side, start in zip(self.weight, self.start, strict=True)
        ]


def _require_set(tree: GameTree, table: StrategyTable, k: int, labels: tuple[str, ...]) -> None:
    """Raise ``GameError`` unless the game has an information set that a file lists, which lists it once."""
    sets = tree.actions[table.player]
    who = f"player {table.player + 1}"
    if not 0 <= k < len(sets):
        raise GameError(f"{who} has information sets 1 to {len(sets)}, but weights are given for {k + 1}")
    if labels != sets[k]:
        raise GameError(
            f"information set {k + 1} of {who} has the actions {', '.join(map(repr, sets[k]))} "
            f"in this order, but weights are given for {', '.join(map(repr, labels))}"
        )
    if table.infosets.count(k) > 1:
        raise GameError(f"information set {k + 1} of {who} is listed more than once")

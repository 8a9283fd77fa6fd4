r"""Trembles: how likely each action is to be played by mistake, relative to the others.

A player who means to play something else still plays action a, at an information set that it reaches, with
probability of about :math:`w_a \varepsilon^{k_a}`; refinements are limits for :math:`\varepsilon \to 0`. The *weight*
:math:`w_a > 0` and the *order* :math:`k_a`, a positive integer, are 1 unless stated otherwise. Where all orders are 1,
only the ratios of the weights matter; in general, :math:`w_a c^{k_a}` says the same for every :math:`c > 0`. The
definitions of the literature allow any mistakes that vanish. A player may also be said to make no mistakes at all.

A file of weights lists information sets where some weight or order is not 1, for both players; an order stands behind
its weight, and ``"none"`` in place of the list of a player who makes no mistakes::

    {"schema": "tremble/trembles@1",
     "trembles": [[{"infoset": 1, "actions": [["fold", "1/10"], ["call", "2", 3]]}], "none"]}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import FormatError, GameError, TooLargeError
from tremble.game.arrays import integer_array
from tremble.game.requirements import require_tree
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree, IntArray, require_player
from tremble.numbers import exact_number, format_fraction, over_one_denominator, require_lists, shorten
from tremble.pairs import pair
from tremble.solution.stated import NO_MISTAKES, read_trembles
from tremble.value import Value

__all__ = ["Trembles"]

_MOST = 1_000  # of orders
_MOST_BITS = 100_000_000  # of all weights together, 12 MB
_TOLD, _LONGEST = 20, 80  # actions of a player that are told, and characters


@dataclass(frozen=True, eq=False, repr=False)
class Trembles(Value):
    """A weight and an order for every action; none for a player who makes no mistakes.

    Attributes
    ----------
    weight : pair of int64[slots] or object[slots]
        One integer per (information set, action) of each player; where all orders are 1 without a common divisor. All
        0 for a player who makes no mistakes.
    order : pair of int64[slots]
        The power of the infinitesimal that each mistake vanishes with.
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
    >>> rare = Trembles.from_rows(game, ([[1, 1], [1, 1]], []), orders=([[1, 1], [1, 2]], []))
    >>> rare.rows(), rare.orders()
    (None, [[[1, 1], [1, 2]], []])
    >>> rare
    <Trembles: player 1 weights 1ε^1:1ε^1, 1ε^1:1ε^2; player 2 never moves>
    """

    weight: tuple[IntArray, IntArray]
    order: tuple[NDArray[np.int64], NDArray[np.int64]]
    start: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def uniform(cls, tree: GameTree) -> Trembles:
        """All weights and orders equal."""
        require_tree(tree)
        return cls(pair(map(_ones, tree.num_slots)), pair(map(_ones, tree.num_slots)), tree.slot_start)

    @classmethod
    def from_rows(
        cls,
        tree: GameTree,
        rows: Sequence[Sequence[Sequence[Fraction | int]] | str],
        *,
        orders: Sequence[Sequence[Sequence[int]] | str] | None = None,
    ) -> Trembles:
        """From weights [player][information set][action], and orders in the same form; by default these are 1.

        ``"none"`` stands in place of the weights, and of the orders, of a player who makes no mistakes.

        Raises
        ------
        GameError
            A row is missing or too long, a weight is not exact or not positive, an order is no integer from 1 to
            1,000, or neither player makes mistakes.
        TooLargeError
            The weights over their common denominator would fill the memory.
        """
        require_tree(tree)
        erring = _erring(rows, "weights")
        for player, (errs, slots) in enumerate(zip(erring, tree.num_slots, strict=True)):
            if not errs and not slots:
                raise GameError(
                    f"player {player + 1} never moves, so that it makes no mistakes anyway: give an empty list in "
                    f"place of {NO_MISTAKES!r}"
                )
        if not any(erring):
            raise GameError("neither player makes mistakes, so there are no trembles; ask for a Nash equilibrium")
        weights = _by_action(tree, rows, erring, "weights", _weight)
        powers = pair(map(_ones, tree.num_slots))
        if orders is not None:
            if _erring(orders, "orders") != erring:
                raise GameError(f"{NO_MISTAKES!r} stands in place of both the weights and the orders of a player")
            stated = _by_action(tree, orders, erring, "orders", _order)
            powers = pair(np.maximum(np.array(own, dtype=np.int64), 1) for own in stated)
        _, common = over_one_denominator([*weights[0], *weights[1]])
        bits = common.bit_length() * sum(int(power.sum()) for power in powers)
        if common > 1 and bits > _MOST_BITS:
            raise TooLargeError(
                f"the weights have a common denominator of {common.bit_length():,} bits, which with orders of up to "
                f"{max(int(power.max(initial=1)) for power in powers):,} makes weights of {bits:,} bits in all; choose "
                "integers, lower orders or shorter weights"
            )
        whole = [
            [int(w * common**k) for w, k in zip(own, power.tolist(), strict=True)]
            for own, power in zip(weights, powers, strict=True)
        ]
        if all((power == 1).all() for power in powers):
            divisor = gcd(*whole[0], *whole[1]) or 1
            whole = [[w // divisor for w in own] for own in whole]
        return cls(pair(map(integer_array, whole)), powers, tree.slot_start)

    @classmethod
    def read(cls, path: str | os.PathLike[str], tree: GameTree) -> Trembles:
        """From a file of weights; information sets that it does not list have weights and orders of 1.

        Raises
        ------
        FormatError
            The file is no file of weights, or does not fit the game.
        """
        require_tree(tree)
        weights, orders = ([[[1] * len(labels) for labels in sets] for sets in tree.actions] for _ in range(2))  # type: tuple[list[Any], list[Any]]
        try:
            for player, (table, powers) in enumerate(read_trembles(path)):
                if table is None:
                    weights[player] = orders[player] = NO_MISTAKES
                    continue
                for position, (k, labels) in enumerate(zip(table.infosets, table.actions, strict=True)):
                    _require_set(tree, table, k, labels)
                    weights[player][k], orders[player][k] = list(table.row(position)), powers[position]
            return cls.from_rows(tree, weights, orders=orders)
        except TooLargeError:
            raise
        except GameError as error:
            raise FormatError(str(error), file=os.fspath(path)) from None

    def require_of(self, tree: GameTree) -> None:
        """Raise ``GameError`` unless there is one weight for each action of this tree."""
        require_tree(tree)
        for player, (own, start) in enumerate(zip(self.start, tree.slot_start, strict=True)):
            if not np.array_equal(own, start):
                raise GameError(
                    f"the weights of player {player + 1} are of another game: {len(own) - 1} information sets with "
                    f"{int(own[-1])} actions, not {len(start) - 1} with {int(start[-1])}"
                    + (", or otherwise many at some set" if len(own) == len(start) else "")
                )

    @property
    def is_uniform(self) -> bool:
        """Whether all weights are equal, and all orders 1."""
        return not self.ordered and self._equal

    @property
    def ordered(self) -> bool:
        """Whether some order is not 1."""
        return not all(bool((side == 1).all()) for side in self.order)

    @property
    def top(self) -> int:
        """The greatest order."""
        return max(int(side.max(initial=1)) for side in self.order)

    @property
    def faultless(self) -> int | None:
        """The player who makes no mistakes, 0 or 1; None if both make some."""
        return next((player for player, side in enumerate(self.weight) if not side.all()), None)

    @property
    def of_both(self) -> Trembles:
        """The same, with weights of 1 for a player who makes no mistakes."""
        return replace(self, weight=pair(side if side.all() else _ones(len(side)) for side in self.weight))

    def rows(self) -> list[list[list[str]] | str] | None:
        """The weights as text, [player][information set][action]; None if all are equal.

        ``"none"`` stands in place of those of a player who makes no mistakes.
        """
        return None if self._equal else self._by_set(self.weight, format_fraction)

    @property
    def first_order(self) -> bool:
        """Whether both players make mistakes, all of order 1."""
        return self.faultless is None and not self.ordered

    def orders(self) -> list[list[list[int]] | str] | None:
        """The orders, in the same form; None if all are 1."""
        return self._by_set(self.order, int) if self.ordered else None

    def told(self, player: int) -> str:
        """What there is to say of a player, 0 or 1: ``weights 2:1, 2:6``, one by one for its information sets."""
        require_player(player)
        weight, order, start = self.weight[player], self.order[player], self.start[player]
        if not len(weight) or player == self.faultless:
            return "makes no mistakes" if len(weight) else "never moves"
        if not self.ordered and (weight == weight[0]).all():
            return f"weights all {shorten(int(weight[0]))}"
        pairs = zip(weight[:_TOLD].tolist(), order[:_TOLD].tolist(), strict=True)
        said = [shorten(w) + (f"ε^{k}" if self.ordered else "") for w, k in pairs]
        sets = (":".join(said[first:end]) for first, end in pairwise(start[:_TOLD].tolist()) if first < len(said))
        text = f"weights {', '.join(sets)}"
        return text if len(text) <= _LONGEST and len(weight) <= _TOLD else f"{text[:_LONGEST]} …"

    def __repr__(self) -> str:
        try:
            said = (f"player {player + 1} {self.told(player)}" for player in (0, 1))
            return f"<Trembles: {'; '.join(said)}>"
        except (AttributeError, LookupError, TypeError, ValueError):
            return "<Trembles, malformed>"

    @property
    def _equal(self) -> bool:
        return all(bool((side == 1).all()) for side in self.weight)

    def _by_set(self, values: tuple[IntArray, IntArray], kind: Callable[[Any], Any]) -> list[Any]:
        return [
            NO_MISTAKES
            if player == self.faultless
            else [list(map(kind, side[first:end].tolist())) for first, end in pairwise(start.tolist())]
            for player, (side, start) in enumerate(zip(values, self.start, strict=True))
        ]


def _ones(size: int) -> NDArray[np.int64]:
    return np.ones(size, dtype=np.int64)


def _erring(rows: Any, what: str) -> list[bool]:
    """Whether each of two players makes mistakes, of which rows are stated, then."""
    require_lists(rows, 1, what)
    if len(rows) != 2:
        raise GameError(f"the {what} of two players are needed, not of {len(rows)}")
    erring = [not (isinstance(side, str) and side == NO_MISTAKES) for side in rows]
    for side, errs in zip(rows, erring, strict=True):
        if errs:
            require_lists(side, 2, what)
    return erring


def _by_action(
    tree: GameTree, rows: Any, erring: list[bool], what: str, exact: Callable[[Any, str, str], Any]
) -> tuple[list[Any], list[Any]]:
    """The values of all actions of each player, read with their place and action; 0 if it makes no mistakes."""
    values: tuple[list[Any], list[Any]] = [], []
    for player, sets in enumerate(tree.actions):
        if not erring[player]:
            values[player].extend([0] * tree.num_slots[player])
            continue
        if len(rows[player]) != len(sets):
            raise GameError(
                f"player {player + 1} has {len(sets)} information sets, but {what} are given for {len(rows[player])}"
            )
        for k, (row, labels) in enumerate(zip(rows[player], sets, strict=True)):
            where = f"information set {k + 1} of player {player + 1}"
            if len(row) != len(labels):
                raise GameError(f"{where} has {len(labels)} actions, but {len(row)} {what} are given")
            values[player].extend(exact(value, where, label) for value, label in zip(row, labels, strict=True))
    return values


def _weight(given: Any, where: str, label: str) -> Fraction | int:
    weight = exact_number(given, f"{where}: weight of {label!r}")
    if weight <= 0:
        raise GameError(f"{where}: the weight of {label!r} is {format_fraction(weight)}; a tremble must be positive")
    return weight


def _order(given: Any, where: str, label: str) -> int:
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or not 1 <= given <= _MOST:
        raise GameError(f"{where}: the order of {label!r} is {given!r:.40}; it is an integer from 1 to {_MOST:,}")
    return int(given)


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

r"""Trembles: the relative probabilities of playing each action by mistake.

At an information set that it reaches, a player plays action a by mistake with a probability of about
:math:`w_a \varepsilon^{k_a}`. Refinements are limits for :math:`\varepsilon \to 0`. The *weight* :math:`w_a > 0` and
the *order* :math:`k_a`, a positive integer, are 1 by default. If all orders are 1, only the ratios of the weights
matter. In general, the weights :math:`w_a c^{k_a}` mean the same for every :math:`c > 0`. The definitions of the
literature allow any mistakes that vanish. A player can also make no mistakes at all.

A file of weights lists, for both players, the information sets where some weight or order is not 1. An order follows
its weight. ``"none"`` replaces the list of a player who makes no mistakes::

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
from tremble.game.labels import pair
from tremble.game.requirements import require_tree
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree, IntArray, require_player
from tremble.integers import integer_array
from tremble.numbers import exact_number, format_fraction, over_one_denominator, require_lists, shorten
from tremble.run.text_file import read_text
from tremble.solution.certificates import NO_MISTAKES
from tremble.solution.schema import INTEGER, Document, Reader, Shape, named
from tremble.solution.strategies import TABLES
from tremble.value import Value

__all__ = ["Trembles"]

_MAX_ORDER = 1_000
_MAX_BITS = 100_000_000  # of all weights together, 12 MB
_MAX_SHOWN, _MAX_LENGTH = 20, 80  # actions of a player in a message, and its characters


@dataclass(frozen=True, eq=False, repr=False)
class Trembles(Value):
    """A weight and an order for every action of each player who makes mistakes.

    Attributes
    ----------
    weight : pair of int64[slots] or object[slots]
        One integer per (information set, action) of each player. If all orders are 1, the weights have no common
        divisor. All weights of a player who makes no mistakes are 0.
    order : pair of int64[slots]
        The power of the infinitesimal in the probability of each mistake.
    start : pair of int64[J + 1]
        The slots of set k are ``start[k]:start[k + 1]``.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("safe_or_risky")
    >>> Trembles.from_rows(game, ([[1, Fraction(1, 2)], [1, 3]], [])).rows()
    [[['2', '1'], ['2', '6']], []]
    >>> print(Trembles.uniform(game).rows())
    None
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
        """Return trembles whose weights and orders are all 1."""
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
        """Make trembles from weights [player][information set][action] and orders in the same form, 1 by default.

        For a player who makes no mistakes, both the weights and the orders are ``"none"``.

        Raises
        ------
        GameError
            A row is missing or too long, a weight is not exact or not positive, an order is not an integer from 1 to
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
                raise GameError(f"{NO_MISTAKES!r} must replace both the weights and the orders of a player")
            stated = _by_action(tree, orders, erring, "orders", _order)
            powers = pair(np.maximum(np.array(own, dtype=np.int64), 1) for own in stated)
        _, common = over_one_denominator([*weights[0], *weights[1]])
        bits = common.bit_length() * sum(int(power.sum()) for power in powers)
        if common > 1 and bits > _MAX_BITS:
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
        """Read a file of weights. Information sets that it does not list have weights and orders of 1.

        Raises
        ------
        FormatError
            The file is not a file of weights, or does not fit the game.
        """
        require_tree(tree)
        weights, orders = ([[[1] * len(labels) for labels in sets] for sets in tree.actions] for _ in range(2))  # type: tuple[list[Any], list[Any]]
        try:
            for player, (table, powers) in enumerate(_read_file(path)):
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
                    f"the weights of player {player + 1} belong to another game: {len(own) - 1} information sets with "
                    f"{int(own[-1])} actions, not {len(start) - 1} with {int(start[-1])}"
                    + (", or with another number of actions at some set" if len(own) == len(start) else "")
                )

    @property
    def is_uniform(self) -> bool:
        """True if all weights are equal and all orders are 1."""
        return not self.ordered and self._equal

    @property
    def ordered(self) -> bool:
        """True if some order is not 1."""
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
        """A copy with weights of 1 for a player who makes no mistakes."""
        return replace(self, weight=pair(side if side.all() else _ones(len(side)) for side in self.weight))

    def rows(self) -> list[list[list[str]] | str] | None:
        """Return the weights as text, [player][information set][action]; None if all are equal.

        The weights of a player who makes no mistakes are ``"none"``.
        """
        return None if self._equal else self._by_set(self.weight, format_fraction)

    @property
    def first_order(self) -> bool:
        """True if both players make mistakes, all of order 1."""
        return self.faultless is None and not self.ordered

    def orders(self) -> list[list[list[int]] | str] | None:
        """Return the orders, [player][information set][action]; None if all are 1."""
        return self._by_set(self.order, int) if self.ordered else None

    def told(self, player: int) -> str:
        """Describe the trembles of a player, 0 or 1, such as ``weights 2:1, 2:6`` for two information sets."""
        require_player(player)
        weight, order, start = self.weight[player], self.order[player], self.start[player]
        if not len(weight) or player == self.faultless:
            return "makes no mistakes" if len(weight) else "never moves"
        if not self.ordered and (weight == weight[0]).all():
            return f"weights all {shorten(int(weight[0]))}"
        pairs = zip(weight[:_MAX_SHOWN].tolist(), order[:_MAX_SHOWN].tolist(), strict=True)
        words = [shorten(w) + (f"ε^{k}" if self.ordered else "") for w, k in pairs]
        sets = (
            ":".join(words[first:end]) for first, end in pairwise(start[:_MAX_SHOWN].tolist()) if first < len(words)
        )
        text = f"weights {', '.join(sets)}"
        return text if len(text) <= _MAX_LENGTH and len(weight) <= _MAX_SHOWN else f"{text[:_MAX_LENGTH]} …"

    def __repr__(self) -> str:
        try:
            sides = (f"player {player + 1} {self.told(player)}" for player in (0, 1))
            return f"<Trembles: {'; '.join(sides)}>"
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
    """Return, for each player, True if it makes mistakes; check that its weights or orders are nested lists."""
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
    """Return the values of all actions of each player, each read by ``exact``; 0 if a player makes no mistakes."""
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
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or not 1 <= given <= _MAX_ORDER:
        raise GameError(f"{where}: the order of {label!r} is {given!r:.40}; use an integer from 1 to {_MAX_ORDER:,}")
    return int(given)


def _require_set(tree: GameTree, table: StrategyTable, k: int, labels: tuple[str, ...]) -> None:
    """Raise ``GameError`` unless the game has the information set with these actions, and the file lists it once."""
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


# -- files of weights ------------------------------------------------------------------------------

_Trembles = tuple[StrategyTable | None, list[list[int]]]  # one player's weights, or None, and orders by row


def _read_trembles(reader: Reader, value: Any, path: str) -> tuple[_Trembles, _Trembles]:
    """Read rows of weights, each followed by an order or not."""
    orders: tuple[list[list[int]], list[list[int]]] = [], []
    weights: list[Any] = []
    sides = reader.items(value, path, 2)
    for player, side in enumerate(sides):
        weights.append([])
        if not isinstance(side, list) and side != NO_MISTAKES:
            reader.fail(f"{path}[{player}]", f'expected a list or "{NO_MISTAKES}", found {named(side)}')
        for k, stated in enumerate([] if side == NO_MISTAKES else side):
            actions = stated.get("actions") if isinstance(stated, dict) else None
            if isinstance(actions, list):
                where = f"{path}[{player}][{k}].actions"
                ordered = [isinstance(entry, list) and len(entry) == 3 for entry in actions]
                orders[player].append(
                    [INTEGER.read(reader, e[2], f"{where}[{j}][2]") if o else 1
                     for j, (e, o) in enumerate(zip(actions, ordered, strict=True))]
                )  # fmt: skip
                stated = {**stated, "actions": [e[:2] if o else e for e, o in zip(actions, ordered, strict=True)]}
            weights[player].append(stated)
    table1, table2 = TABLES.read(reader, weights, path)
    return (
        (None if sides[0] == NO_MISTAKES else table1, orders[0]),
        (None if sides[1] == NO_MISTAKES else table2, orders[1]),
    )


_TREMBLES: Document[dict[str, Any]] = Document(
    dict, "tremble/trembles@1", "weights", {"trembles": Shape(_read_trembles, TABLES.plain)}
)


def _read_file(path: str | os.PathLike[str]) -> tuple[_Trembles, _Trembles]:
    """Read a file of weights, ``{"schema": "tremble/trembles@1", "trembles": [[...], [...]]}``.

    Returns
    -------
    pair
        For each player, a table of its weights, or None if it makes no mistakes, and the orders of each row.
    """
    source = read_text(path)
    reader = Reader(source.name, labels_needed=False)
    stated: tuple[_Trembles, _Trembles] = _TREMBLES.read(reader, reader.parsed(source.text))["trembles"]
    return stated

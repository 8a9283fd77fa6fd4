"""Read the weights and orders of mistakes from nested lists or from a file.

See :mod:`~.trembles`. A file has the form ``{"schema": "tremble/trembles@1", "trembles": [[...], [...]]}``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_lists
from tremble.errors import GameError, TooLargeError
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray, integer_array, pair
from tremble.numbers import exact_number, format_fraction, over_one_denominator
from tremble.run.text_file import read_text
from tremble.solution.certificates import NO_MISTAKES
from tremble.solution.reading import TABLES
from tremble.solution.schema import INTEGER, Document, Reader, Shape, named

__all__ = ["rows_of_file", "weights_and_orders"]

_MAX_ORDER = 1_000
_MAX_BITS = 100_000_000  # limit for all weights together, 12 MB


def weights_and_orders(
    tree: GameTree, rows: Any, orders: Any
) -> tuple[tuple[IntArray, IntArray], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the integer weights and the orders of all actions of both players.

    :meth:`tremble.solution.trembles.Trembles.from_rows` describes the arguments and the errors.
    """
    erring = _erring(rows, "weights")
    for player, (errs, slots) in enumerate(zip(erring, tree.num_slots, strict=True)):
        if not errs and not slots:
            raise GameError(
                f"player {player + 1} never moves, so it makes no mistakes anyway: give an empty list instead of "
                f"{NO_MISTAKES!r}"
            )
    if not any(erring):
        raise GameError("neither player makes mistakes, so there are no trembles; request a Nash equilibrium instead")
    weights = _by_action(tree, rows, erring, "weights", _weight)
    powers = pair(np.ones(size, dtype=np.int64) for size in tree.num_slots)
    if orders is not None:
        if _erring(orders, "orders") != erring:
            raise GameError(f"{NO_MISTAKES!r} must replace both the weights and the orders of a player")
        stated = _by_action(tree, orders, erring, "orders", _order)
        powers = pair(np.maximum(np.array(own, dtype=np.int64), 1) for own in stated)
    _, common = over_one_denominator([*weights[0], *weights[1]])
    bits = common.bit_length() * sum(int(power.sum()) for power in powers)
    if common > 1 and bits > _MAX_BITS:
        raise TooLargeError(
            f"the weights have a common denominator of {common.bit_length():,} bits; with orders of up to "
            f"{max(int(power.max(initial=1)) for power in powers):,}, all weights together need {bits:,} bits; choose "
            "integers, lower orders or shorter weights"
        )
    whole = [
        [int(w * common**k) for w, k in zip(own, power.tolist(), strict=True)]
        for own, power in zip(weights, powers, strict=True)
    ]
    if all((power == 1).all() for power in powers):
        divisor = gcd(*whole[0], *whole[1]) or 1
        whole = [[w // divisor for w in own] for own in whole]
    return pair(map(integer_array, whole)), powers


def rows_of_file(path: str | os.PathLike[str], tree: GameTree) -> tuple[list[Any], list[Any]]:
    """Read weights and orders, indexed [player][information set][action]. Both are 1 at sets that the file omits."""
    weights, orders = ([[[1] * len(labels) for labels in sets] for sets in tree.actions] for _ in range(2))  # type: tuple[list[Any], list[Any]]
    for player, (table, powers) in enumerate(_read_file(path)):
        if table is None:
            weights[player] = orders[player] = NO_MISTAKES
            continue
        for position, (k, labels) in enumerate(zip(table.infosets, table.actions, strict=True)):
            _require_set(tree, table, k, labels)
            weights[player][k], orders[player][k] = list(table.row(position)), powers[position]
    return weights, orders


def _erring(rows: Any, what: str) -> list[bool]:
    """Return two booleans: True if the player makes mistakes. Such a player must have a nested list in ``rows``."""
    require_lists(rows, 1, what)
    if len(rows) != 2:
        raise GameError(f"give two lists of {what}, one for each player, not {len(rows)}")
    erring = [not (isinstance(side, str) and side == NO_MISTAKES) for side in rows]
    for side, errs in zip(rows, erring, strict=True):
        if errs:
            require_lists(side, 2, what)
    return erring


def _by_action(
    tree: GameTree, rows: Any, erring: list[bool], what: str, exact: Callable[[Any, str, str], Any]
) -> tuple[list[Any], list[Any]]:
    """Flatten ``rows`` to a list for each player, with a number for each action. Use 0 for players without mistakes."""
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
        raise GameError(f"{where}: the weight of {label!r} is {format_fraction(weight)}; a weight must be positive")
    return weight


def _order(given: Any, where: str, label: str) -> int:
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or not 1 <= given <= _MAX_ORDER:
        raise GameError(f"{where}: the order of {label!r} is {given!r:.40}; use an integer from 1 to {_MAX_ORDER:,}")
    return int(given)


def _require_set(tree: GameTree, table: StrategyTable, k: int, labels: tuple[str, ...]) -> None:
    """Raise ``GameError`` if the game has no set ``k`` with the actions ``labels``, or ``table`` lists ``k`` twice."""
    sets = tree.actions[table.player]
    who = f"player {table.player + 1}"
    if not 0 <= k < len(sets):
        raise GameError(f"{who} has information sets 1 to {len(sets)}, but weights are given for set {k + 1}")
    if labels != sets[k]:
        raise GameError(
            f"information set {k + 1} of {who} has the actions {', '.join(map(repr, sets[k]))} "
            f"in this order, but weights are given for {', '.join(map(repr, labels))}"
        )
    if table.infosets.count(k) > 1:
        raise GameError(f"information set {k + 1} of {who} is listed more than once")


# -- files of weights ------------------------------------------------------------------------------

_Trembles = tuple[StrategyTable | None, list[list[int]]]  # of a player: weights (None: no mistakes), orders by row


def _read_trembles(reader: Reader, value: Any, path: str) -> tuple[_Trembles, _Trembles]:
    """Read both players' rows of trembles. An action has a label, a weight and, optionally, an order."""
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
        For each player, a pair: the table of weights (None for a player without mistakes), and the table of orders.
    """
    source = read_text(path)
    reader = Reader(source.name, labels_needed=False)
    stated: tuple[_Trembles, _Trembles] = _TREMBLES.read(reader, reader.parsed(source.text))["trembles"]
    return stated

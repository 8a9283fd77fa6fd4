"""Read and write the strategies in documents: rows of a tree, rows keyed by a player's knowledge, or a file of arrays.

Rows that are well-formed but wrong are stored unchanged in a :class:`~tremble.game.table.StrategyTable` or an
:class:`~tremble.game.rules.UnbuiltStrategy`. Examples are too many rows, or probabilities that do not sum to one. The
checker reports each fault and its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from math import lcm
from typing import Any

import numpy as np

from tremble.capabilities import registered
from tremble.errors import GameError
from tremble.game.rules import DEFAULT_RULES, DefaultRule, StrategyInArrays, UnbuiltStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import integer_array
from tremble.numbers import distinct, format_fraction
from tremble.solution.parts import Rows, pair_of, plain, rows_of
from tremble.solution.schema import (
    FREE_FORM,
    INFOSET,
    NUMBER,
    TEXT,
    TRUTH,
    Reader,
    Shape,
    by_line,
    encode,
    expect,
    named,
    pair,
    refuse,
)

__all__ = ["STRATEGIES", "TABLES", "arrays"]

_MAX_WHOLE_BITS = 2**17  # limit for the common denominator of a row, unless a single denominator is longer
_MAX_TABLE_BITS = 2**31  # limit for all probabilities of a player, over the denominators of their rows: 256 MiB


# -- rows of a tree ------------------------------------------------------------------------------


def _read_tables(reader: Reader, value: Any, path: str) -> tuple[StrategyTable, StrategyTable]:
    """Read the rows of both players, numbered by information set."""
    table1, table2 = (
        _table(reader, player, reader.items(rows, f"{path}[{player}]"), f"{path}[{player}]")
        for player, rows in enumerate(reader.items(value, path, 2))
    )
    return table1, table2


def _table(reader: Reader, player: int, rows: list[Any], where: str) -> StrategyTable:
    required = ("infoset", "label", "actions") if reader.labels_needed else ("infoset", "actions")
    optional = ("off_path",) if reader.labels_needed else ("label", "off_path")
    infosets: list[int] = []
    labels: list[str] = []
    actions: list[tuple[str, ...]] = []
    numerator: list[int] = []
    denominator: list[int] = []
    marks: list[bool] = []
    read_before: dict[str, Fraction] = {}
    room = _MAX_TABLE_BITS
    for index, value in enumerate(rows):
        path = f"{where}[{index}]"
        row = reader.fields(value, path, required=required, optional=optional)
        infosets.append(INFOSET.read(reader, row["infoset"], f"{path}.infoset"))
        labels.append(TEXT.read(reader, row.get("label", ""), f"{path}.label"))
        marks.append(TRUTH.read(reader, row.get("off_path", False), f"{path}.off_path"))
        names, shares, whole = _shares(reader, row["actions"], f"{path}.actions", read_before)
        room -= sum(whole.bit_length() for share in shares if share) if whole > 1 else 0
        if room < 0:
            message = "the probabilities up to here are too long if each row is written over a common denominator"
            reader.fail(f"{path}.actions", message)
        actions.append(tuple(names))
        denominator.append(whole)
        numerator.extend(share.numerator * (whole // share.denominator) for share in shares)
    return StrategyTable(
        player=player,
        infosets=tuple(infosets),
        labels=tuple(labels),
        actions=tuple(actions),
        numerator=integer_array(numerator),
        denominator=integer_array(denominator),
        off_path=np.array(marks, dtype=np.bool_),
    )


def _shares(
    reader: Reader, value: Any, path: str, read_before: dict[str, Fraction]
) -> tuple[list[str], list[Fraction], int]:
    """Read the labels and probabilities of a row, and return them with their common denominator."""
    entries = reader.items(value, path)
    if not entries:
        reader.fail(path, "expected at least one action")
    names: list[str] = []
    shares: list[Fraction] = []
    for j, entry in enumerate(entries):
        if type(entry) is not list or len(entry) != 2:
            given = f"a list of {len(entry)}" if isinstance(entry, list) else named(entry)
            reader.fail(f"{path}[{j}]", f"expected [label, probability], found {given}")
        name, digits = entry
        names.append(TEXT.read(reader, name, f"{path}[{j}][0]"))
        share = read_before.get(digits) if type(digits) is str else None
        if share is None:
            share = read_before[digits] = NUMBER.read(reader, digits, f"{path}[{j}][1]")
        shares.append(share)
    return names, shares, _common_denominator(reader, shares, path)


def _common_denominator(reader: Reader, shares: list[Fraction], path: str) -> int:
    """Return the common denominator of a row; fail if it is too long.

    In a row of an equilibrium, the common denominator is about as long as each single denominator.
    """
    bottoms = distinct(share.denominator for share in shares)
    whole = bottoms[-1]
    most = max(whole.bit_length(), _MAX_WHOLE_BITS)
    for bottom in bottoms:
        if whole % bottom:
            whole = lcm(whole, bottom)
            if whole.bit_length() > most:
                reader.fail(path, "the common denominator of these probabilities is too long")
    return whole


def _row_data(table: StrategyTable) -> Iterator[dict[str, Any]]:
    rows = zip(table.infosets, table.labels, table.actions, table.integers(), table.off_path.tolist(), strict=True)
    for k, label, actions, (numerator, whole), off_path in rows:
        shares = [
            [action, "0" if p == 0 else "1" if p == whole else format_fraction(Fraction(p, whole))]
            for action, p in zip(actions, numerator, strict=True)
        ]
        row = {"infoset": k + 1, "label": label, "actions": shares}
        if off_path:
            row["off_path"] = True
        yield row


# -- rows keyed by the knowledge of a player -----------------------------------------------------


def _read_rows(reader: Reader, player: int, value: Any, path: str) -> UnbuiltStrategy:
    """Read the strategy of a player in a game that is not built."""
    if isinstance(value, dict) and "default" not in value:
        expected = 'expected a list of rows {"infoset": 1, "actions": [["LABEL", "1/2"], ...]}'
        reader.fail(path, f"{expected}, or, for a game that is not built, the fields default and rows")
    strategy = reader.fields(value, path, required=("default", "rows"))
    default = reader.fields(strategy["default"], f"{path}.default", required=("rule", "parameters"))
    rule = TEXT.read(reader, default["rule"], f"{path}.default.rule")
    if rule not in DEFAULT_RULES:
        allowed = ", ".join(map(repr, DEFAULT_RULES))
        reader.fail(f"{path}.default.rule", f"expected one of {allowed}, found {named(rule)}")
    parameters = FREE_FORM.read(reader, default["parameters"], f"{path}.default.parameters")
    if parameters:
        reader.fail(
            f"{path}.default.parameters", f"the rule {rule!r} has no parameters, found {next(iter(parameters))[:40]!r}"
        )
    rows: dict[str, tuple[tuple[str, Fraction], ...]] = {}
    read_before: dict[str, Fraction] = {}
    for index, item in enumerate(reader.items(strategy["rows"], f"{path}.rows")):
        here = f"{path}.rows[{index}]"
        row = reader.fields(item, here, required=("key", "actions"))
        key = TEXT.read(reader, row["key"], f"{here}.key")
        if key in rows:
            reader.fail(f"{here}.key", f"a second row for the same information set, {key[:40]!r}")
        for j, entry in enumerate(reader.items(row["actions"], f"{here}.actions")):
            reader.items(entry, f"{here}.actions[{j}]", 2)
        names, shares, _ = _shares(reader, row["actions"], f"{here}.actions", read_before)
        rows[key] = tuple(zip(names, shares, strict=True))
    return UnbuiltStrategy(player, DefaultRule(rule), rows)


def _require_rows(strategy: UnbuiltStrategy, path: str) -> None:
    if type(strategy.player) is not int or strategy.player not in (0, 1):
        refuse(f"{path}.player", "0 or 1", strategy.player)
    if not isinstance(strategy.default, DefaultRule) or not isinstance(strategy.default.rule, str):
        refuse(f"{path}.default", "a DefaultRule", strategy.default)
    for key, row in expect(strategy.rows, Mapping, "a mapping", f"{path}.rows").items():
        TEXT.plain(key, f"{path}.rows: a key")
        where = f"{path}.rows[{key!r:.100}]"
        for entry in expect(row, list | tuple, "a tuple", where):
            if not isinstance(entry, list | tuple) or len(entry) != 2:
                refuse(where, "pairs of an action and its probability", entry)
            TEXT.plain(entry[0], where)
            if not isinstance(entry[1], float):  # the checker reports floats, which are not exact
                NUMBER.plain(entry[1], where)


def _rows_text(strategy: UnbuiltStrategy) -> str:
    default = {"rule": strategy.default.rule, "parameters": plain(strategy.default.parameters, "default.parameters")}
    rows = ",\n".join(
        encode({"key": key, "actions": [[label, format_fraction(p)] for label, p in row]})
        for key, row in sorted(strategy.rows.items())
    )
    return f'{{"default": {encode(default)}, "rows": [' + (f"\n{rows}\n" if rows else "") + "]}"


# -- arrays --------------------------------------------------------------------------------------


def arrays() -> Any:
    """Return the module of a capability that reads and writes strategies in arrays."""
    names = [part.arrays for part in registered() if part.arrays]
    if not names:
        raise GameError("these strategies are stored in arrays; tremble.poker, which reads them, is not installed")
    return import_module(names[0])


def _read_arrays(reader: Reader, value: Any, path: str) -> tuple[StrategyInArrays, StrategyInArrays]:
    """Read the strategies of an ordered game from a file of arrays in the folder of the document."""
    stated = reader.fields(value, path, required=("npz", "sha256", "denominators"))
    name, digest = (TEXT.read(reader, stated[key], f"{path}.{key}") for key in ("npz", "sha256"))
    whole1, whole2 = pair(NUMBER).read(reader, stated["denominators"], f"{path}.denominators")
    if whole1.denominator != 1 or whole2.denominator != 1:
        reader.fail(f"{path}.denominators", "expected integers")
    if reader.path is None:
        reader.fail(path, "the strategies are in a separate file of arrays; give the path of the solution file")
    read: tuple[StrategyInArrays, StrategyInArrays] = arrays().read_arrays(
        reader.path, name, digest, (int(whole1), int(whole2))
    )
    return read


# -- strategies of both players, of any kind -----------------------------------------------------


def _read(reader: Reader, value: Any, path: str) -> Rows:
    if isinstance(value, dict):
        return _read_arrays(reader, value, path)
    stated1, stated2 = reader.items(value, path, 2)
    if not isinstance(stated1, dict):
        return _read_tables(reader, value, path)
    return _read_rows(reader, 0, stated1, f"{path}[0]"), _read_rows(reader, 1, stated2, f"{path}[1]")


def _require(value: Any, path: str) -> None:
    """Raise ``CertificateError`` unless the value is a pair of strategies with the right types at every depth."""
    for player, strategy in enumerate(rows_of(value)):
        if isinstance(strategy, UnbuiltStrategy):
            _require_rows(strategy, f"{path}[{player}]")
        elif isinstance(strategy, StrategyInArrays):
            arrays().require_arrays(strategy, f"{path}[{player}]")


def _spelled(value: Any, path: str) -> str:
    by_key = pair_of(UnbuiltStrategy, value)
    if by_key is not None:
        return "[" + ", ".join(map(_rows_text, by_key)) + "]"
    return by_line(_row_data(table) for table in rows_of(value) if isinstance(table, StrategyTable))


TABLES: Shape[Any] = Shape(_read_tables, _require)
STRATEGIES: Shape[Any] = Shape(_read, _require, _spelled)
"""The strategies of a solution. Strategies of an ordered game have no text, but arrays in a separate file."""

"""Check and write the strategies in documents, and read the strategies of games that are not built (no tree)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any

from tremble.capabilities import registered
from tremble.errors import GameError
from tremble.game.rules import DEFAULT_RULES, DefaultRule, StrategyInArrays, UnbuiltStrategy
from tremble.game.table import StrategyTable
from tremble.numbers import format_fraction
from tremble.solution.claims import pair_of, rows_of
from tremble.solution.memory import by_line, encode, expect, refuse
from tremble.solution.plain import plain
from tremble.solution.schema import FREE_FORM, NUMBER, TEXT, Reader, named, pair

__all__ = ["arrays", "read_arrays", "read_rows", "require_strategies", "strategies_text"]


def read_rows(
    reader: Reader, player: int, value: Any, path: str, shares_of: Callable[..., tuple[list[str], list[Fraction], int]]
) -> UnbuiltStrategy:
    """Read a player's strategy in a game without a tree in memory. ``shares_of`` reads actions and probabilities."""
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
        names, shares, _ = shares_of(reader, row["actions"], f"{here}.actions", read_before)
        rows[key] = tuple(zip(names, shares, strict=True))
    return UnbuiltStrategy(player, DefaultRule(rule), rows)


def _require_rows(strategy: UnbuiltStrategy, path: str) -> None:
    """Raise ``CertificateError`` unless a strategy has the right types at every depth."""
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
    """Return the JSON text of the strategy for a document."""
    default = {"rule": strategy.default.rule, "parameters": plain(strategy.default.parameters, "default.parameters")}
    rows = ",\n".join(
        encode({"key": key, "actions": [[label, format_fraction(p)] for label, p in row]})
        for key, row in sorted(strategy.rows.items())
    )
    return f'{{"default": {encode(default)}, "rows": [' + (f"\n{rows}\n" if rows else "") + "]}"


def arrays() -> Any:
    """Return the module that reads and writes arrays of strategies. Raise ``GameError`` if it is not installed."""
    names = [part.arrays for part in registered() if part.arrays]
    if not names:
        raise GameError("these strategies are stored in arrays; tremble.poker, which reads them, is not installed")
    return import_module(names[0])


def read_arrays(reader: Reader, value: Any, path: str) -> tuple[StrategyInArrays, StrategyInArrays]:
    """Read the strategies of an ordered game from an array file that is in the same folder as the document."""
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


# -- strategies of any kind ----------------------------------------------------------------------


def require_strategies(value: Any, path: str) -> None:
    """Raise ``CertificateError`` unless the value is a pair of strategies with the right types at every depth."""
    for player, strategy in enumerate(rows_of(value)):
        if isinstance(strategy, UnbuiltStrategy):
            _require_rows(strategy, f"{path}[{player}]")
        elif isinstance(strategy, StrategyInArrays):
            arrays().require_arrays(strategy, f"{path}[{player}]")


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


def strategies_text(value: Any, path: str) -> str:
    """Return the JSON text of both players' strategies for a document."""
    by_key = pair_of(UnbuiltStrategy, value)
    if by_key is not None:
        return "[" + ", ".join(map(_rows_text, by_key)) + "]"
    return by_line(_row_data(table) for table in rows_of(value) if isinstance(table, StrategyTable))

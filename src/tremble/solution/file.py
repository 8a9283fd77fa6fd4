"""The solution file: schema ``tremble/solution@1``, written with sorted keys and read without mercy.

Reading distinguishes two kinds of fault. What is not of the format (a number where text belongs, a missing
field) is a ``FormatError``. What is well-formed but wrong (a row too many, probabilities that do not sum to
one) is kept as it stands in a :class:`~tremble.solution.solution.StrategyTable` or an
:class:`~tremble.model.rules.UnbuiltStrategy`, for the verifier to say what is wrong and where.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, lcm
from typing import Any, NoReturn

import numpy as np

from tremble.errors import FormatError
from tremble.fraction_text import format_fraction, parse_fraction
from tremble.model.rules import DEFAULT_RULES, DefaultRule, UnbuiltStrategy
from tremble.model.tree import integer_array
from tremble.solution.solution import (
    SCHEMA,
    BeliefRow,
    Beliefs,
    GameReference,
    Method,
    Solution,
    Status,
    StrategyTable,
)
from tremble.solution.well_formed import require_well_formed
from tremble.text_file import SourceText, read_text

__all__ = [
    "TREMBLES_SCHEMA",
    "StatedStrategies",
    "Strategies",
    "parse_solution",
    "parse_strategies",
    "read_solution",
    "read_trembles",
    "solution_text",
]

TREMBLES_SCHEMA = "tremble/trembles@1"

Strategies = tuple[StrategyTable, StrategyTable] | tuple[UnbuiltStrategy, UnbuiltStrategy]
"""What the field ``strategies`` holds: rows by number of the information set, or by what the player knows."""


def read_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a solution file; ``"-"`` is the standard input. ``FormatError`` if it is none."""
    source = read_text(path)
    return parse_solution(source.text, file=source.name)


def parse_solution(text: str, *, file: str = "<text>") -> Solution:
    """Read the text of a solution file; ``file`` is what errors call it."""
    return _Reader(file).solution(text)


@dataclass(frozen=True, eq=False)
class StatedStrategies:
    """What a file states that may hold strategies alone: ``{"schema": ..., "strategies": [[...], [...]]}``.

    Attributes
    ----------
    strategies : pair of StrategyTable or of UnbuiltStrategy
    game : GameReference or None
        The game that the file names, if it does.
    beliefs : pair of tuples of BeliefRow, or None
    solution : Solution or None
        If it is a whole solution file.
    """

    strategies: Strategies
    game: GameReference | None
    beliefs: Beliefs | None
    solution: Solution | None


def parse_strategies(text: str, *, file: str = "<text>") -> StatedStrategies:
    """Read the text of a file that may hold strategies alone; ``file`` is what errors call it.

    A row needs ``infoset`` and ``actions``; whatever else the file holds must be as in a solution file.

    Raises
    ------
    FormatError
    """
    return _Reader(file).strategies_alone(text)


def read_trembles(path: str | os.PathLike[str]) -> tuple[StrategyTable, StrategyTable]:
    """Read a file of weights, ``{"schema": "tremble/trembles@1", "trembles": [[...], [...]]}``, as tables.

    Raises
    ------
    FormatError
    """
    source = read_text(path)
    return _Reader(source.name).trembles(source.text)


# -- to text -------------------------------------------------------------------------------------

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode

_INTEGER_DIGITS = 18
_MAX_DEPTH = 64
_MAX_WHOLE_BITS = 2**17  # of the common denominator of a row, unless one of its numbers has a longer one
_MAX_TABLE_BITS = 2**31  # of all probabilities of a player, each over the denominator of its row: 256 MiB


def _by_line(pair: Sequence[Iterator[str]]) -> str:
    lists = (",\n".join(rows) for rows in pair)
    return "[" + ", ".join(f"[\n{rows}\n]" if rows else "[]" for rows in lists) + "]"


def _row_data(table: StrategyTable) -> Iterator[dict[str, Any]]:
    rows = zip(table.infosets, table.labels, table.actions, table._integers(), table.off_path.tolist(), strict=True)
    for number, label, actions, (numerator, whole), off_path in rows:
        shares = [
            [action, "0" if p == 0 else "1" if p == whole else format_fraction(Fraction(p, whole))]
            for action, p in zip(actions, numerator, strict=True)
        ]
        row = {"infoset": number, "label": label, "actions": shares}
        if off_path:
            row["off_path"] = True
        yield row


def _unbuilt_text(strategy: UnbuiltStrategy) -> str:
    default = {"rule": strategy.default.rule, "parameters": _plain(strategy.default.parameters, "default.parameters")}
    rows = ",\n".join(
        _encode({"key": key, "actions": [[label, format_fraction(p)] for label, p in row]})
        for key, row in sorted(strategy.rows.items())
    )
    return f'{{"default": {_encode(default)}, "rows": [' + (f"\n{rows}\n" if rows else "") + "]}"


def _belief_data(row: BeliefRow) -> dict[str, Any]:
    return {"infoset": row.infoset, "nodes": [[list(path), format_fraction(p)] for path, p in row.nodes]}


def _plain(value: Any, path: str, *, decimal: bool = False, depth: int = 0) -> Any:
    """Free-form data as JSON can say it; ``TypeError`` names what cannot be said (a fault of the method)."""
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Fraction):
        return format_fraction(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10**_INTEGER_DIGITS:
            raise TypeError(f"{path} is an integer of more than {_INTEGER_DIGITS} digits; write it as text")
        return int(value)
    if isinstance(value, float | np.floating):
        if not decimal:
            raise TypeError(f"{path} is a float; only fields whose name ends in '_float' hold floats")
        return float(value) if isfinite(value) else None
    if depth == _MAX_DEPTH:
        raise TypeError(f"{path} is nested more than {_MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{path} has a key that is no text: {key!r}")
        return {
            str(key): _plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1) for i, item in enumerate(value)]
    raise TypeError(f"{path} is a {type(value).__name__}, which a solution file cannot hold")


def solution_text(solution: Solution) -> str:
    """The text of a solution file: sorted keys, one line per information set; ``CertificateError`` if it is none."""
    require_well_formed(solution)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "tremble": solution.version,
        "game": {"spec": solution.game.spec, "title": solution.game.title, "digest": solution.game.digest},
        "concept": solution.concept,
        "requested": solution.requested,
        "method": {"name": solution.method.name, "options": _plain(solution.method.options, "method.options")},
        "status": str(solution.status),
        "values": [format_fraction(value) for value in solution.values],
        "certificate": _plain(solution.certificate, "certificate"),
        "stats": _plain(solution.stats, "stats"),
    }
    if solution.bounds is not None:
        document["bounds"] = [format_fraction(bound) for bound in solution.bounds]
    parts = {key: _encode(value) for key, value in document.items()}
    if solution.unbuilt is None:
        parts["strategies"] = _by_line([map(_encode, _row_data(table)) for table in solution.tables])
    else:
        parts["strategies"] = "[" + ", ".join(map(_unbuilt_text, solution.unbuilt)) + "]"
    if solution.beliefs is not None:
        parts["beliefs"] = _by_line([map(_encode, map(_belief_data, rows)) for rows in solution.beliefs])
    return "{\n" + ",\n".join(f'"{key}": {parts[key]}' for key in sorted(parts)) + "\n}\n"


_NOTHING_TO_PROVE = (
    "strategies alone state nothing that could be proven; respond, audit, compare and draw take them, "
    "verify takes a solution file"
)


# -- from text -----------------------------------------------------------------------------------


class _Bad:
    """Stands where the JSON holds something that no solution file may hold; carries the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Bad:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Bad(f"an object with two fields {key[:40]!r}")
        seen.add(key)
    raise AssertionError("unreachable")


def _integer(digits: str) -> int | _Bad:
    return int(digits) if len(digits.lstrip("-")) <= _INTEGER_DIGITS else _Bad("an integer that is too long")


def _decimal(digits: str) -> float | _Bad:
    value = float(digits)
    return value if isfinite(value) else _Bad("a number beyond the range of floats")


def _what(value: Any) -> str:
    """How an error names a value that does not belong where it stands."""
    if isinstance(value, _Bad):
        return value.reason
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:40] + "..."
        return f"the text {shown!r}"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "an object"


class _Reader:
    """Reads solution files; every fault becomes a ``FormatError`` that names the place."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.label_needed = True
        self.read: dict[str, Callable[[Any, str], Any]] = {
            "schema": self.text,
            "tremble": self.text,
            "game": self.game,
            "concept": self.text,
            "requested": self.text,
            "method": self.method,
            "status": self.status,
            "values": self.pair_of_numbers,
            "bounds": self.bounds,
            "strategies": self.strategies,
            "beliefs": self.beliefs,
            "certificate": self.plain_object,
            "stats": self.plain_object,
        }

    def fail(self, path: str, message: str) -> NoReturn:
        place = path if len(path) <= 200 else f"{path[:200]}..."
        raise FormatError(f"{place}: {message}" if path else message, file=self.file)

    # -- whole files

    optional = ("bounds", "beliefs")

    def solution(self, text: str) -> Solution:
        if re.match(r"\s*NE\s*,", text):
            self.fail("", _NOTHING_TO_PROVE)
        required = [key for key in self.read if key not in self.optional]
        document = self.document(text, required=("schema",), optional=self.read)
        if set(document) == {"schema", "strategies"}:
            self.fail("", _NOTHING_TO_PROVE)
        self.fields(document, "", required=required, optional=self.optional)
        return self.made(self.pieces(document))

    def pieces(self, document: dict[str, Any]) -> dict[str, Any]:
        return {key: self.read[key](value, key) for key, value in document.items()}

    def made(self, piece: dict[str, Any]) -> Solution:
        return Solution(
            game=piece["game"],
            concept=piece["concept"],
            requested=piece["requested"],
            method=piece["method"],
            status=piece["status"],
            values=piece["values"],
            bounds=piece.get("bounds"),
            strategies=piece["strategies"],
            beliefs=piece.get("beliefs"),
            certificate=piece["certificate"],
            stats=piece["stats"],
            version=piece["tremble"],
        )

    def strategies_alone(self, text: str) -> StatedStrategies:
        self.label_needed = False
        required = ("schema", "strategies")
        document = self.document(text, required=required, optional=[key for key in self.read if key not in required])
        piece = self.pieces(document)
        whole = all(key in piece for key in self.read if key not in self.optional)
        solution = self.made(piece) if whole else None
        return StatedStrategies(piece["strategies"], piece.get("game"), piece.get("beliefs"), solution)

    def trembles(self, text: str) -> tuple[StrategyTable, StrategyTable]:
        self.label_needed = False
        required = ("schema", "trembles")
        document = self.document(text, required=required, optional=(), schema=TREMBLES_SCHEMA, what="weights")
        return self.tables(document["trembles"], "trembles")

    def document(
        self,
        text: str,
        *,
        required: Sequence[str],
        optional: Iterable[str],
        schema: str = SCHEMA,
        what: str = "a solution",
    ) -> dict[str, Any]:
        try:
            document = json.loads(
                text,
                object_pairs_hook=_object,
                parse_int=_integer,
                parse_float=_decimal,
                parse_constant=lambda name: _Bad(f"{name}, which is no number"),
            )
        except json.JSONDecodeError as error:
            source = SourceText(text, self.file)
            raise source.error(f"not JSON: {error.msg}, found {source.found(error.pos)}", error.pos) from error
        except RecursionError:
            raise FormatError("lists or objects are nested too deeply", file=self.file) from None
        if not isinstance(document, dict):
            self.fail("", f"expected {what}, which is an object, found {_what(document)}")
        stated = document.get("schema")
        if stated != schema:
            found = _what(stated) if "schema" in document else "no such field"
            self.fail("schema", f"expected {schema!r}, found {found}")
        return self.fields(document, "", required=required, optional=optional)

    # -- pieces

    def fields(self, value: Any, path: str, *, required: Sequence[str], optional: Iterable[str] = ()) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {_what(value)}")
        for key in required:
            if key not in value:
                self.fail(path, f"the field {key!r} is missing")
        for key in value:
            if key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                self.fail(path, f"unknown field {key[:40]!r}; the fields are {allowed}")
        return value

    def text(self, value: Any, path: str) -> str:
        if not isinstance(value, str):
            self.fail(path, f"expected text, found {_what(value)}")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                self.fail(path, "the text holds half of a surrogate pair")
        return value

    def text_or_null(self, value: Any, path: str) -> str | None:
        return None if value is None else self.text(value, path)

    def items(self, value: Any, path: str, length: int | None = None) -> list[Any]:
        if not isinstance(value, list):
            self.fail(path, f"expected a list, found {_what(value)}")
        if length is not None and len(value) != length:
            self.fail(path, f"expected a list of {length}, found {len(value)}")
        return value

    def integer(self, value: Any, path: str) -> int:
        if type(value) is not int:
            self.fail(path, f"expected an integer, found {_what(value)}")
        return value

    def number(self, value: Any, path: str) -> Fraction:
        if not isinstance(value, str):
            self.fail(path, f'expected an exact number as text, such as "-1/18", found {_what(value)}')
        try:
            return parse_fraction(value)
        except ValueError as error:
            self.fail(path, str(error))

    def pair_of_numbers(self, value: Any, path: str) -> tuple[Fraction, Fraction]:
        one, two = self.items(value, path, 2)
        return self.number(one, f"{path}[0]"), self.number(two, f"{path}[1]")

    def bounds(self, value: Any, path: str) -> tuple[Fraction, Fraction] | None:
        return None if value is None else self.pair_of_numbers(value, path)

    def game(self, value: Any, path: str) -> GameReference:
        game = self.fields(value, path, required=("spec", "title", "digest"))
        return GameReference(
            spec=self.text_or_null(game["spec"], f"{path}.spec"),
            title=self.text(game["title"], f"{path}.title"),
            digest=self.text_or_null(game["digest"], f"{path}.digest"),
        )

    def method(self, value: Any, path: str) -> Method:
        method = self.fields(value, path, required=("name", "options"))
        return Method(
            self.text(method["name"], f"{path}.name"), self.plain_object(method["options"], f"{path}.options")
        )

    def status(self, value: Any, path: str) -> Status:
        name = self.text(value, path)
        if name not in set(Status):
            self.fail(path, f"expected one of {', '.join(map(repr, map(str, Status)))}, found {_what(value)}")
        return Status(name)

    def strategies(self, value: Any, path: str) -> Strategies:
        one, two = self.items(value, path, 2)
        if not isinstance(one, dict):
            return self.tables(value, path)
        return self.unbuilt(0, one, f"{path}[0]"), self.unbuilt(1, two, f"{path}[1]")

    def unbuilt(self, player: int, value: Any, path: str) -> UnbuiltStrategy:
        strategy = self.fields(value, path, required=("default", "rows"))
        default = self.fields(strategy["default"], f"{path}.default", required=("rule", "parameters"))
        rule = self.text(default["rule"], f"{path}.default.rule")
        if rule not in DEFAULT_RULES:
            allowed = ", ".join(map(repr, DEFAULT_RULES))
            self.fail(f"{path}.default.rule", f"expected one of {allowed}, found {_what(rule)}")
        parameters = self.plain_object(default["parameters"], f"{path}.default.parameters")
        if parameters:
            self.fail(
                f"{path}.default.parameters", f"the rule {rule!r} has none, found {next(iter(parameters))[:40]!r}"
            )
        rows: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        for index, item in enumerate(self.items(strategy["rows"], f"{path}.rows")):
            here = f"{path}.rows[{index}]"
            row = self.fields(item, here, required=("key", "actions"))
            key = self.text(row["key"], f"{here}.key")
            if key in rows:
                self.fail(f"{here}.key", f"a second row for the same information set, {key[:40]!r}")
            rows[key] = self.shares(row["actions"], f"{here}.actions")
        return UnbuiltStrategy(player, DefaultRule(rule), rows)

    def shares(self, value: Any, path: str) -> tuple[tuple[str, Fraction], ...]:
        entries = self.items(value, path)
        if not entries:
            self.fail(path, "expected at least one action")
        found = []
        for j, entry in enumerate(entries):
            here = f"{path}[{j}]"
            name, share = self.items(entry, here, 2)
            found.append((self.text(name, f"{here}[0]"), self.number(share, f"{here}[1]")))
        self.common_denominator([p for _, p in found], path)
        return tuple(found)

    def common_denominator(self, shares: list[Fraction], path: str) -> int:
        """That of a row. Rows of an equilibrium have one about as long as that of each probability."""
        bottoms = {share.denominator for share in shares}
        whole = max(bottoms)
        most = max(whole.bit_length(), _MAX_WHOLE_BITS)
        for bottom in bottoms:
            if whole % bottom:
                whole = lcm(whole, bottom)
                if whole.bit_length() > most:
                    self.fail(path, "the common denominator of these probabilities is too long")
        return whole

    def tables(self, value: Any, path: str) -> tuple[StrategyTable, StrategyTable]:
        one, two = (
            self.table(player, self.items(rows, f"{path}[{player}]"), f"{path}[{player}]")
            for player, rows in enumerate(self.items(value, path, 2))
        )
        return one, two

    def table(self, player: int, rows: list[Any], where: str) -> StrategyTable:
        required = ("infoset", "label", "actions") if self.label_needed else ("infoset", "actions")
        optional = ("off_path",) if self.label_needed else ("label", "off_path")
        infosets: list[int] = []
        labels: list[str] = []
        actions: list[tuple[str, ...]] = []
        numerator: list[int] = []
        denominator: list[int] = []
        marks: list[bool] = []
        known: dict[str, Fraction] = {}
        room = _MAX_TABLE_BITS
        for index, value in enumerate(rows):
            path = f"{where}[{index}]"
            row = self.fields(value, path, required=required, optional=optional)
            infosets.append(self.integer(row["infoset"], f"{path}.infoset"))
            labels.append(self.text(row.get("label", ""), f"{path}.label"))
            marked = row.get("off_path", False)
            if not isinstance(marked, bool):
                self.fail(f"{path}.off_path", f"expected true or false, found {_what(marked)}")
            marks.append(marked)
            entries = self.items(row["actions"], f"{path}.actions")
            if not entries:
                self.fail(f"{path}.actions", "expected at least one action")
            names: list[str] = []
            shares: list[Fraction] = []
            for j, entry in enumerate(entries):
                if type(entry) is not list or len(entry) != 2:
                    found = f"a list of {len(entry)}" if isinstance(entry, list) else _what(entry)
                    self.fail(f"{path}.actions[{j}]", f"expected [label, probability], found {found}")
                name, digits = entry
                names.append(self.text(name, f"{path}.actions[{j}][0]"))
                share = known.get(digits) if type(digits) is str else None
                if share is None:
                    share = known[digits] = self.number(digits, f"{path}.actions[{j}][1]")
                shares.append(share)
            whole = self.common_denominator(shares, f"{path}.actions")
            room -= sum(whole.bit_length() for share in shares if share) if whole > 1 else 0
            if room < 0:
                message = "over the common denominators of their rows, the probabilities up to here are too long"
                self.fail(f"{path}.actions", message)
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

    def beliefs(self, value: Any, path: str) -> Beliefs | None:
        if value is None:
            return None
        one, two = (
            tuple(
                self.belief(row, f"{path}[{player}][{index}]")
                for index, row in enumerate(self.items(rows, f"{path}[{player}]"))
            )
            for player, rows in enumerate(self.items(value, path, 2))
        )
        return one, two

    def belief(self, value: Any, path: str) -> BeliefRow:
        row = self.fields(value, path, required=("infoset", "nodes"))
        nodes = []
        for j, entry in enumerate(self.items(row["nodes"], f"{path}.nodes")):
            here = f"{path}.nodes[{j}]"
            steps, share = self.items(entry, here, 2)
            labels = tuple(self.text(step, f"{here}[0][{i}]") for i, step in enumerate(self.items(steps, f"{here}[0]")))
            nodes.append((labels, self.number(share, f"{here}[1]")))
        return BeliefRow(self.integer(row["infoset"], f"{path}.infoset"), tuple(nodes))

    def plain_object(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {_what(value)}")
        self.plain(value, path, decimal=False, depth=0)
        return value

    def plain(self, value: Any, path: str, *, decimal: bool, depth: int) -> None:
        """Check free-form data; the counterpart of ``_plain``."""
        if isinstance(value, _Bad):
            self.fail(path, f"found {value.reason}")
        if isinstance(value, float) and not decimal:
            self.fail(path, "only fields whose name ends in '_float' hold decimals; exact numbers are text")
        if isinstance(value, str):
            self.text(value, path)
        elif isinstance(value, dict | list):
            if depth == _MAX_DEPTH:
                self.fail(path, f"nested more than {_MAX_DEPTH} deep")
            if isinstance(value, dict):
                for key, item in value.items():
                    self.text(key, f"a field of {path}")
                    self.plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            else:
                for i, item in enumerate(value):
                    self.plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1)

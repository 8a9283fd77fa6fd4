"""Read solution files (``tremble/solution@1``), and declare the fields of a solution and the form of each field.

The rows of a strategy can be well-formed but wrong: too many rows, or probabilities that do not sum to one. A
:class:`~tremble.game.table.StrategyTable` or an :class:`~tremble.game.rules.UnbuiltStrategy` then stores the rows
unchanged, and the checker reports each fault and its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar

import numpy as np

from tremble.errors import FormatError
from tremble.game.table import StrategyTable
from tremble.game.tree_arrays import integer_array
from tremble.numbers import distinct
from tremble.run.text_file import read_text
from tremble.solution.claim import BeliefRow, MethodReference
from tremble.solution.claims import GameReference, Rows, pair_of
from tremble.solution.memory import by_line
from tremble.solution.schema import (
    FREE_FORM,
    INFOSET,
    NUMBER,
    TEXT,
    TRUTH,
    Document,
    Reader,
    Shape,
    choice,
    named,
    nullable,
    pair,
    record,
    row,
    several,
)
from tremble.solution.strategy_documents import read_arrays, read_rows, require_strategies, strategies_text
from tremble.status import Status
from tremble.words import for_reader, on_one_line

__all__ = [
    "BELIEFS",
    "GAME",
    "SOLUTION",
    "STRATEGIES",
    "TABLES",
    "Member",
    "file_of",
    "read_document",
    "read_member",
    "read_stated",
    "solution_document",
]

_MAX_WHOLE_BITS = 2**17  # limit for the common denominator of a row, unless a single denominator is longer
_MAX_TABLE_BITS = 2**31  # limit for a player's probabilities, each over the denominator of its row: 256 MiB


def _read_tables(reader: Reader, value: Any, path: str) -> tuple[StrategyTable, StrategyTable]:
    """Read both players' rows for a tree. Each row names an information set by its number."""
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
            message = "the rows up to here need too much memory, because each row is stored with a common denominator"
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
    """Return a row's labels, its probabilities, and their common denominator; ``read_before`` caches probabilities."""
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

    The limit is ``_MAX_WHOLE_BITS`` bits, or the length of the longest single denominator if this length is greater.
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


def _read(reader: Reader, value: Any, path: str) -> Rows:
    if isinstance(value, dict):
        return read_arrays(reader, value, path)
    stated1, stated2 = reader.items(value, path, 2)
    if not isinstance(stated1, dict):
        return _read_tables(reader, value, path)
    return read_rows(reader, 0, stated1, f"{path}[0]", _shares), read_rows(reader, 1, stated2, f"{path}[1]", _shares)


TABLES: Shape[Any] = Shape(_read_tables, require_strategies)
STRATEGIES: Shape[Any] = Shape(_read, require_strategies, strategies_text)
"""The strategies of a solution. Those of an ordered game (such as poker) are arrays in a separate file, not text."""


GAME = record(GameReference, spec=nullable(TEXT), title=TEXT, digest=nullable(TEXT))

_NODES = several(row(several(TEXT), NUMBER, expected="a path and a probability"))
_ROWS = pair(several(record(BeliefRow, infoset=INFOSET, nodes=_NODES)))
BELIEFS = Shape(_ROWS.read, _ROWS.plain, lambda value, path: by_line(_ROWS.plain(value, path)), _ROWS.check)


def _completed(strategies: Rows, **parts: Any) -> dict[str, Any]:
    """Return the fields of a solution; convert its rows to strategies unless the rows have faults."""
    tables = pair_of(StrategyTable, strategies)
    if tables is not None and all(table.is_valid() for table in tables):
        return {"strategies": (tables[0].strategy(), tables[1].strategy()), **parts}
    return {"strategies": strategies, **parts}


SOLUTION: Document[Any] = Document(
    _completed,
    "tremble/solution@1",
    "a solution",
    {
        "tremble": TEXT,
        "game": GAME,
        "concept": TEXT,
        "requested": TEXT,
        "method": record(MethodReference, name=TEXT, options=FREE_FORM),
        "status": choice(Status),
        "values": pair(NUMBER),
        "bounds": nullable(pair(NUMBER)),
        "strategies": STRATEGIES,
        "beliefs": nullable(BELIEFS),
        "certificate": FREE_FORM,
        "refutation": nullable(FREE_FORM),
        "stats": FREE_FORM,
    },
    optional=("bounds", "beliefs", "refutation"),
    attribute={"tremble": "version"},
)


def _nothing_to_prove() -> str:
    takers = for_reader(
        "tremble.nash_conv, tremble.audit, tremble.compare and tremble.draw", "respond, audit, compare and draw"
    )
    verify = for_reader("tremble.verify takes a solution", "verify takes a solution file")
    return f"strategies alone contain no claim that can be proven; {takers} accept strategies, but {verify}"


def solution_document(reader: Reader, text: str) -> Any:
    """Parse the text of a solution file. Raise ``FormatError`` if the file contains strategies but no claim."""
    if re.match(r"\s*NE\s*,", text):
        raise FormatError(_nothing_to_prove(), file=reader.file)
    document = SOLUTION.headed(reader, reader.parsed(text), ("schema",), ("schema", *SOLUTION.fields))
    if set(document) == {"schema", "strategies"}:
        reader.fail("", _nothing_to_prove())
    return document


One = TypeVar("One")
Several = TypeVar("Several")

_LIST = "tremble/equilibria@"
_MAY_BE_A_LIST = re.compile(rf'"schema"\s*:\s*"{_LIST}')


def read_stated(path: str | os.PathLike[str], one: Callable[..., One], several: Document[Several]) -> One | Several:
    """Read a solution or a list from a file. Return ``one(**fields)`` for a solution, else ``several.read(...)``."""
    reader, document, is_list = read_document(path)
    return several.read(reader, document) if is_list else one(**SOLUTION.read(reader, document))


def read_document(path: str | os.PathLike[str]) -> tuple[Reader, Any, bool]:
    """Read a file with one solution or with a list of equilibria; the path ``FILE#K`` means member K of the list.

    Returns
    -------
    tuple
        The reader of the document, the parsed document, and True if the document is a list.
    """
    member = read_member(path)
    if member is not None:
        return Reader(member.name), member.document, False
    source = read_text(path)
    if _MAY_BE_A_LIST.search(source.text):  # free-form data of a single solution may match too
        reader = Reader(source.name)
        document = reader.parsed(source.text)
        if isinstance(document, dict) and str(document.get("schema")).startswith(_LIST):
            return reader, document, True
    reader = Reader(source.name, None if path == "-" else path)
    return reader, solution_document(reader, source.text), False


_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Member:
    """A parsed member of a list of equilibria."""

    name: str  # the name of the member in error messages
    document: Any


def file_of(path: str) -> str:
    """Return ``FILE`` for a path ``FILE#K`` if ``FILE#K`` does not exist and ``FILE`` is a file; else return the path.

    Examples
    --------
    >>> file_of("missing.json#2")
    'missing.json#2'
    """
    before, mark, _ = path.rpartition("#")
    return before if mark and not os.path.lexists(path) and os.path.isfile(before) else path


def read_member(path: str | os.PathLike[str]) -> Member | None:
    """Read member K of the list in FILE if the path is ``FILE#K``. For the path of a whole file, return None.

    Raises
    ------
    FormatError
        The file is not a list, or the list has no member with this number.
    """
    if not isinstance(path, str | os.PathLike):
        return None
    name = os.fspath(path)
    if not isinstance(name, str) or (file := file_of(name)) == name:
        return None
    text = read_text(file).text
    reader = Reader(file)
    document = reader.parsed(text) if text.lstrip().startswith("{") else None
    members = document.get("equilibria") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not str(document.get("schema")).startswith(_LIST):
        raise FormatError(f"this file is not a list of equilibria: omit # and the number in {name!r:.200}", file=file)
    if not isinstance(members, list):
        reader.fail("equilibria", "expected a list")
    number = name[len(file) + 1 :]
    count = f"{len(members):,} {'equilibrium' if len(members) == 1 else 'equilibria'}"
    if not _NUMBER.fullmatch(number):
        raise FormatError(f"expected the number of an equilibrium after #, not {on_one_line(number)!r}", file=file)
    if not 1 <= int(number) <= len(members):
        where = f"#1 to #{len(members)}" if members else "so no number is valid"
        raise FormatError(f"there is no equilibrium #{number}: the file has {count} ({where})", file=file)
    return Member(name, members[int(number) - 1])

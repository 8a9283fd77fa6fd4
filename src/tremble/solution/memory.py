"""Check the types of objects in memory, and write their plain data as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from tremble.errors import CertificateError
from tremble.solution.plain import MAX_DEPTH

__all__ = [
    "by_line",
    "check_plain",
    "encode",
    "expect",
    "plain_mapping",
    "plain_number",
    "plain_position",
    "plain_text",
    "plain_truth",
    "refuse",
]


encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode
"""Plain data as one line of JSON."""


def refuse(path: str, expected: str, found: Any) -> NoReturn:
    """Raise ``CertificateError`` for an object in memory that contains a value of a wrong type."""
    kind = type(found).__name__
    simple = isinstance(found, str | float) or (isinstance(found, int) and abs(found) < 2**64)
    what = kind if found is None else f"the {kind} {found!r:.60}" if simple else f"a {kind}"
    raise CertificateError(f"{path}{': ' if path else ''}expected {expected}, found {what}")


def expect(value: Any, kind: Any, expected: str, path: str) -> Any:
    """Check that the value is an instance of ``kind``, one or more types, and return it; a bool is not an integer."""
    if not isinstance(value, kind) or isinstance(value, bool):
        refuse(path, expected, value)
    return value


def by_line(rows_of_both: Iterable[Iterable[Any]]) -> str:
    """Return the text of plain rows of both players, one row per line."""
    lists = (",\n".join(map(encode, rows)) for rows in rows_of_both)
    return "[" + ", ".join(f"[\n{rows}\n]" if rows else "[]" for rows in lists) + "]"


def check_plain(value: Any, path: str, depth: int = 0) -> None:
    """Check types only. The writer also refuses long integers, and floats in fields whose names do not allow them."""
    if isinstance(value, str):  # most values are text
        return
    if depth > MAX_DEPTH:
        raise CertificateError(f"{path[:200]}: nested more than {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                refuse(f"{path}: a field", "text as its name", key)
            check_plain(item, f"{path}.{key:.60}", depth + 1)
    elif isinstance(value, list | tuple):
        if set(map(type, value)) == {int} and depth < MAX_DEPTH:
            return
        for i, item in enumerate(value):
            if not isinstance(item, str):
                check_plain(item, f"{path}[{i}]", depth + 1)
    elif value is not None and not isinstance(value, int | float | Fraction | np.bool_ | np.integer | np.floating):
        refuse(path, "plain data", value)


_NUMBERS = (int, Fraction)


def plain_number(value: Any, path: str) -> Any:
    """Return an exact number in memory; refuse any other value."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        refuse(path, "a Fraction or an int", value)
    if not type(value.numerator) is type(value.denominator) is int:
        refuse(path, "a Fraction of Python's integers, which cannot overflow", value.numerator)
    return value


def plain_text(value: Any, path: str) -> str:
    """Return a text; refuse any other value."""
    return value if isinstance(value, str) else refuse(path, "text", value)


def plain_position(value: Any, path: str) -> int:
    """Return the number of a position, from 1 in documents; refuse anything but an index from 0."""
    return value + 1 if type(value) is int and value >= 0 else refuse(path, "an integer from 0", value)


def plain_truth(value: Any, path: str) -> bool:
    """Return a bool; refuse any other value."""
    return value if isinstance(value, bool) else refuse(path, "True or False", value)


def plain_mapping(value: Any, path: str) -> Any:
    """Return a mapping; refuse any other value."""
    return expect(value, Mapping, "a mapping", path)

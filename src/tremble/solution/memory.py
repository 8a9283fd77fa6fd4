"""Check the types of objects in memory, convert the objects to plain data (JSON values), and write the data as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from tremble.errors import CertificateError
from tremble.solution.plain import MAX_DEPTH

__all__ = [
    "by_line",
    "check_plain",
    "check_record",
    "document_text",
    "encode",
    "expect",
    "plain_list",
    "plain_mapping",
    "plain_number",
    "plain_position",
    "plain_record",
    "plain_row",
    "plain_text",
    "plain_truth",
    "refuse",
    "require_document",
]


encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode
"""Encode plain data as one line of JSON."""


def refuse(path: str, expected: str, found: Any) -> NoReturn:
    """Raise ``CertificateError`` with the message that the place ``path`` contains ``found``, not ``expected``."""
    kind = type(found).__name__
    simple = isinstance(found, str | float) or (isinstance(found, int) and abs(found) < 2**64)
    what = kind if found is None else f"the {kind} {found!r:.60}" if simple else f"a {kind}"
    raise CertificateError(f"{path}{': ' if path else ''}expected {expected}, found {what}")


def expect(value: Any, kind: Any, expected: str, path: str) -> Any:
    """Return ``value`` if it is an instance of ``kind`` (one or more types) and not a bool. Else raise an error."""
    if not isinstance(value, kind) or isinstance(value, bool):
        refuse(path, expected, value)
    return value


def by_line(rows_of_both: Iterable[Iterable[Any]]) -> str:
    """Return the JSON text of both players' rows, which are plain data, with one row per line."""
    lists = (",\n".join(map(encode, rows)) for rows in rows_of_both)
    return "[" + ", ".join(f"[\n{rows}\n]" if rows else "[]" for rows in lists) + "]"


def check_plain(value: Any, path: str, depth: int = 0) -> None:
    """Check the types in free-form data. Unlike :func:`.plain`, accept long integers and floats in any field."""
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
    """Return the value if it is an exact number; refuse any other value."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        refuse(path, "a Fraction or an int", value)
    if not type(value.numerator) is type(value.denominator) is int:
        refuse(path, "a Fraction of Python's integers, which cannot overflow", value.numerator)
    return value


def plain_text(value: Any, path: str) -> str:
    """Return ``value`` if it is text; raise ``CertificateError`` for any other value."""
    return value if isinstance(value, str) else refuse(path, "text", value)


def plain_position(value: Any, path: str) -> int:
    """Add 1 to an index that counts from 0, because documents count from 1. Refuse a value that is not an index."""
    return value + 1 if type(value) is int and value >= 0 else refuse(path, "an integer from 0", value)


def plain_truth(value: Any, path: str) -> bool:
    """Return the value if it is a bool; refuse any other value."""
    return value if isinstance(value, bool) else refuse(path, "True or False", value)


def plain_mapping(value: Any, path: str) -> Any:
    """Return ``value`` if it is a mapping; raise ``CertificateError`` for any other value."""
    return expect(value, Mapping, "a mapping", path)


_SEQUENCES = (list, tuple)
Act = Callable[[Any, str], Any]
"""A function (object in memory, place) -> plain data. A function that only checks types may return anything."""


def plain_list(act: Act) -> Act:
    """Return a function that applies ``act`` to each item of a sequence."""

    def of_all(value: Any, path: str) -> list[Any]:
        items = expect(value, _SEQUENCES, "a tuple", path)
        try:
            return [act(item, path) for item in items]
        except CertificateError:  # try again with the place of each item, for the message; this takes longer
            return [act(item, f"{path}[{k}]") for k, item in enumerate(items)]

    return of_all


def plain_row(acts: Sequence[Act], expected: str) -> Act:
    """Return a function that applies ``acts[k]`` to item k of a tuple. ``expected`` is for errors about the length."""

    def of_all(value: Any, path: str) -> list[Any]:
        items = expect(value, _SEQUENCES, "a tuple", path)
        if len(items) != len(acts):
            raise CertificateError(f"{path}: expected {expected}, found {len(items):,}")
        try:
            return [act(item, path) for act, item in zip(acts, items, strict=True)]
        except CertificateError:
            return [act(item, f"{path}[{k}]") for k, (act, item) in enumerate(zip(acts, items, strict=True))]

    return of_all


def check_record(kind: type, acts: Mapping[str, Act]) -> Act:
    """Return a function that checks an instance of ``kind``: it calls ``acts[name]`` for each attribute ``name``."""

    def check_all(value: Any, path: str) -> None:
        expect(value, kind, f"a {kind.__name__}", path)
        for key, act in acts.items():
            act(getattr(value, key), f"{path}.{key}")

    return check_all


def plain_record(kind: type, acts: Mapping[str, Act]) -> Act:
    """Return a function that applies ``acts[name]`` to each attribute ``name`` of an instance of ``kind``."""

    def of_all(value: Any, path: str) -> dict[str, Any]:
        expect(value, kind, f"a {kind.__name__}", path)
        return {key: act(getattr(value, key), f"{path}.{key}") for key, act in acts.items()}

    return of_all


def require_document(document: Any, value: Any) -> None:
    """Raise ``CertificateError`` unless ``value`` has the types that a ``Document`` declares, at every depth."""
    for key, name, shape in document.shapes:
        given = getattr(value, name)
        if given is not None or key not in document.optional:
            shape.check(given, name)


def document_text(document: Any, value: Any, **given: str) -> str:
    """Return ``value`` as the JSON text of ``document``. If a field's text is in ``given``, use the text from there."""
    texts = {"schema": encode(document.schema), **given}
    for key, name, shape in document.shapes:
        item = getattr(value, name)
        if key not in given and (key not in document.optional or item is not None):
            texts[key] = encode(shape.plain(item, name)) if shape.spelled is None else shape.spelled(item, name)
    return "{\n" + ",\n".join(f'"{key}": {texts[key]}' for key in sorted(texts)) + "\n}\n"

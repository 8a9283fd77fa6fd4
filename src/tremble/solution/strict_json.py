"""Plain data as JSON text: written so that nothing is lost, and read without mercy.

Exact numbers are text. NaN, numbers beyond their range, fields given twice and unknown fields are refused by name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from tremble.errors import CertificateError, FormatError
from tremble.exact_numbers import format_fraction, parse_fraction
from tremble.text_file import SourceText

__all__ = ["Reader", "encode", "named", "plain"]

_INTEGER_DIGITS = 18
_MAX_DEPTH = 64

encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode
"""Plain data as one line of JSON."""


def plain(value: Any, path: str, *, decimal: bool = False, depth: int = 0) -> Any:
    """Free-form data as JSON can say it; ``CertificateError`` names what cannot be said (a fault of the method)."""
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Fraction):
        return format_fraction(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10**_INTEGER_DIGITS:
            raise CertificateError(f"{path} is an integer of more than {_INTEGER_DIGITS} digits; write it as text")
        return int(value)
    if isinstance(value, float | np.floating):
        if not decimal:
            raise CertificateError(f"{path} is a float; only fields whose name ends in '_float' hold floats")
        return float(value) if isfinite(value) else None
    if depth == _MAX_DEPTH:
        raise CertificateError(f"{path} is nested more than {_MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise CertificateError(f"{path} has a key that is no text: {key!r}")
        return {
            str(key): plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        if set(map(type, value)) == {int} and max(map(abs, value)) < 10**_INTEGER_DIGITS:  # long certificates are such
            return list(value)
        return [plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1) for i, item in enumerate(value)]
    raise CertificateError(f"{path} is a {type(value).__name__}, which a solution file cannot hold")


class _Bad:
    """Stands where the JSON holds something that no solution file may hold; carries the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Bad:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
    return _Bad(f"an object with two fields {repeated[:40]!r}")


def _integer(digits: str) -> int | _Bad:
    return int(digits) if len(digits.lstrip("-")) <= _INTEGER_DIGITS else _Bad("an integer that is too long")


def _decimal(digits: str) -> float | _Bad:
    value = float(digits)
    return value if isfinite(value) else _Bad("a number beyond the range of floats")


def named(value: Any) -> str:
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


class Reader:
    """Reads a JSON document; every fault becomes a ``FormatError`` that names the place."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, path: str, message: str) -> NoReturn:
        """Raise ``FormatError``."""
        place = path if len(path) <= 200 else f"{path[:200]}..."
        raise FormatError(f"{place}: {message}" if path else message, file=self.file)

    def document(
        self, text: str, *, required: Sequence[str], optional: Iterable[str], schema: str, what: str
    ) -> dict[str, Any]:
        """A JSON object with this schema, which it names unless that is optional, and these fields."""
        return self.headed(self.parsed(text), required=required, optional=optional, schema=schema, what=what)

    def parsed(self, text: str) -> Any:
        """Whatever JSON says."""
        try:
            return json.loads(
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

    def headed(
        self, document: Any, *, required: Sequence[str], optional: Iterable[str], schema: str, what: str
    ) -> dict[str, Any]:
        """The same as :meth:`document`, of what has been parsed."""
        if not isinstance(document, dict):
            self.fail("", f"expected {what}, which is an object, found {named(document)}")
        if document.get("schema") != schema and ("schema" in document or "schema" in required):
            found = named(document["schema"]) if "schema" in document else "no such field"
            several = str(document.get("schema")).startswith("tremble/equilibria@")
            hint = "; this file holds several: tremble.Equilibria.from_json(FILE)[k].to_json(NEW) takes one out"
            self.fail("schema", f"expected {schema!r}, found {found}{hint if several else ''}")
        return self.fields(document, "", required=required, optional=optional)

    def fields(self, value: Any, path: str, *, required: Sequence[str], optional: Iterable[str] = ()) -> dict[str, Any]:
        """An object with these fields."""
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {named(value)}")
        for key in required:
            if key not in value:
                self.fail(path, f"the field {key!r} is missing")
        for key in value:
            if key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                self.fail(path, f"unknown field {key[:40]!r}; the fields are {allowed}")
        return value

    def text(self, value: Any, path: str) -> str:
        """Text that can be written again."""
        if not isinstance(value, str):
            self.fail(path, f"expected text, found {named(value)}")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                self.fail(path, "the text holds half of a surrogate pair")
        return value

    def text_or_null(self, value: Any, path: str) -> str | None:
        """The same, or nothing."""
        return None if value is None else self.text(value, path)

    def items(self, value: Any, path: str, length: int | None = None) -> list[Any]:
        """A list."""
        if not isinstance(value, list):
            self.fail(path, f"expected a list, found {named(value)}")
        if length is not None and len(value) != length:
            self.fail(path, f"expected a list of {length}, found {len(value)}")
        return value

    def integer(self, value: Any, path: str) -> int:
        """An integer."""
        if type(value) is not int:
            self.fail(path, f"expected an integer, found {named(value)}")
        return value

    def number(self, value: Any, path: str) -> Fraction:
        """An exact number, as text."""
        if not isinstance(value, str):
            self.fail(path, f'expected an exact number as text, such as "-1/18", found {named(value)}')
        try:
            return parse_fraction(value)
        except ValueError as error:
            self.fail(path, str(error))

    def pair_of_numbers(self, value: Any, path: str) -> tuple[Fraction, Fraction]:
        """Two of them."""
        one, two = self.items(value, path, 2)
        return self.number(one, f"{path}[0]"), self.number(two, f"{path}[1]")

    def plain_object(self, value: Any, path: str) -> dict[str, Any]:
        """An object of any fields."""
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {named(value)}")
        self.plain(value, path, decimal=False, depth=0)
        return value

    def plain(self, value: Any, path: str, *, decimal: bool, depth: int) -> None:
        """Check free-form data; the counterpart of :func:`plain`."""
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
            elif set(map(type, value)) != {int}:
                for i, item in enumerate(value):
                    self.plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1)

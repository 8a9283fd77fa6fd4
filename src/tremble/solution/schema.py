"""Schemas of documents. A schema declares each field once, with the functions that read, write and check the field.

Each field has a *shape*. A shape reads a JSON value; on a fault, it raises a ``FormatError`` that names the place. A
shape also converts an object in memory to JSON; on a wrong type, it raises a ``CertificateError`` that names the field.
This module does not check that the statements of a document are *true*.

Exact numbers are text. NaN, numbers out of range, repeated fields and unknown fields are errors.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from typing import Any, Generic, NoReturn, TypeVar

from tremble.errors import FormatError
from tremble.numbers import format_fraction, parse_fraction
from tremble.run.text_file import SourceText
from tremble.solution.memory import (
    check_plain,
    check_record,
    expect,
    plain_list,
    plain_mapping,
    plain_number,
    plain_position,
    plain_record,
    plain_row,
    plain_text,
    plain_truth,
)
from tremble.solution.plain import INTEGER_DIGITS, MAX_DEPTH, plain

__all__ = [
    "FREE_FORM",
    "INFOSET",
    "INTEGER",
    "NUMBER",
    "POSITION",
    "TEXT",
    "TRUTH",
    "Document",
    "Reader",
    "Shape",
    "choice",
    "named",
    "nullable",
    "pair",
    "record",
    "row",
    "several",
]


T = TypeVar("T")
Member = TypeVar("Member", bound=StrEnum)


# -- JSON itself ---------------------------------------------------------------------------------


class _Bad:
    """A placeholder for a JSON value that documents must not contain. ``reason`` is for the error message."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Bad:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    repeated = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
    return _Bad(f"an object with two fields {repeated[:40]!r}")


def _integer(digits: str) -> int | _Bad:
    short = len(digits) <= INTEGER_DIGITS or len(digits.lstrip("-")) <= INTEGER_DIGITS
    return int(digits) if short else _Bad("an integer that is too long")


def _decimal(digits: str) -> float | _Bad:
    value = float(digits)
    return value if isfinite(value) else _Bad("a number beyond the range of floats")


def named(value: Any) -> str:
    """Describe an unexpected JSON value for an error message."""
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
    """A reader of one JSON document. Every fault raises a ``FormatError`` that names its place in the document.

    Attributes
    ----------
    file : str
        Name of the document in error messages.
    path : path, or None
        Path of the document. Separate files with the document's arrays are in the same folder.
    labels_needed : bool
        True if rows of strategies must have labels.
    """

    def __init__(self, file: str, path: str | os.PathLike[str] | None = None, *, labels_needed: bool = True) -> None:
        self.file = file
        self.path = path
        self.labels_needed = labels_needed

    def fail(self, path: str, message: str) -> NoReturn:
        """Raise ``FormatError`` with the file, the place ``path`` and the message."""
        place = path if len(path) <= 200 else f"{path[:200]}..."
        raise FormatError(f"{place}: {message}" if path else message, file=self.file)

    def parsed(self, text: str) -> Any:
        """Parse the text of a document as JSON."""
        try:
            return json.loads(
                text,
                object_pairs_hook=_object,
                parse_int=_integer,
                parse_float=_decimal,
                parse_constant=lambda name: _Bad(f"{name}, which is not a number"),
            )
        except json.JSONDecodeError as error:
            source = SourceText(text, self.file)
            raise source.error(f"not JSON: {error.msg}, found {source.found(error.pos)}", error.pos) from error
        except RecursionError:
            raise FormatError("lists or objects are nested too deeply", file=self.file) from None

    def fields(self, value: Any, path: str, *, required: Sequence[str], optional: Iterable[str] = ()) -> dict[str, Any]:
        """Return ``value`` if it is an object with all required and no unknown fields. Otherwise raise an error."""
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

    def items(self, value: Any, path: str, length: int | None = None) -> list[Any]:
        """Return ``value`` if it is a list, with ``length`` items if a length is given. Else raise ``FormatError``."""
        if not isinstance(value, list):
            self.fail(path, f"expected a list, found {named(value)}")
        if length is not None and len(value) != length:
            self.fail(path, f"expected a list of {length}, found {len(value)}")
        return value


# -- shapes of fields ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape(Generic[T]):
    """The functions that read, write and check one kind of field.

    Attributes
    ----------
    read : callable
        (reader, JSON value, place) -> object in memory. Raises ``FormatError`` if the JSON value has another form.
    plain : callable
        (object in memory, place) -> JSON value. Raises ``CertificateError`` if a type is wrong, at any depth.
    spelled : callable, optional
        (object in memory, place) -> text in a document; by default, the JSON value in one line.
    check : callable, optional
        (object in memory, place) -> anything. Raises the same errors as ``plain``. By default, this is ``plain``.
        Another function is useful if it can check types faster than ``plain`` makes the JSON value.
    """

    read: Callable[[Reader, Any, str], T]
    plain: Callable[[Any, str], Any]
    spelled: Callable[[Any, str], str] | None = None
    check: Callable[[Any, str], Any] = None  # type: ignore[assignment]  # never None once made

    def __post_init__(self) -> None:
        if self.check is None:
            object.__setattr__(self, "check", self.plain)


def _read_text(reader: Reader, value: Any, path: str) -> str:
    """Read text; refuse text that UTF-8 cannot encode, because no file can contain such text."""
    if not isinstance(value, str):
        reader.fail(path, f"expected text, found {named(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            reader.fail(path, "the text contains half of a surrogate pair")
    return value


def _read_number(reader: Reader, value: Any, path: str) -> Fraction:
    """Read an exact number from its text."""
    if not isinstance(value, str):
        reader.fail(path, f'expected an exact number as text, such as "-1/18", found {named(value)}')
    try:
        return parse_fraction(value)
    except ValueError as error:
        reader.fail(path, str(error))


def _read_integer(reader: Reader, value: Any, path: str) -> int:
    return value if type(value) is int else reader.fail(path, f"expected an integer, found {named(value)}")


def _read_position(reader: Reader, value: Any, path: str) -> int:
    number = _read_integer(reader, value, path)
    return number - 1 if number >= 1 else reader.fail(path, f"expected a number from 1, found {number}")


def _read_truth(reader: Reader, value: Any, path: str) -> bool:
    return value if isinstance(value, bool) else reader.fail(path, f"expected true or false, found {named(value)}")


TEXT: Shape[Any] = Shape(_read_text, plain_text)
NUMBER: Shape[Any] = Shape(
    _read_number, lambda value, path: format_fraction(plain_number(value, path)), check=plain_number
)
INTEGER: Shape[Any] = Shape(_read_integer, lambda value, path: expect(value, int, "an integer", path))
INFOSET: Shape[Any] = Shape(
    lambda reader, value, path: _read_integer(reader, value, path) - 1,
    lambda value, path: expect(value, int, "an integer", path) + 1,
)
"""The number of an information set, from 1 in documents and from 0 in memory. The checker reports wrong numbers."""
POSITION: Shape[Any] = Shape(_read_position, plain_position)
"""A number that counts from 1 in documents and from 0 in memory."""
TRUTH: Shape[Any] = Shape(_read_truth, plain_truth)


def choice(kind: type[Member]) -> Shape[Member]:
    """Make the shape of a field that contains a member of the enumeration ``kind``, such as a status."""

    def read(reader: Reader, value: Any, path: str) -> Member:
        if _read_text(reader, value, path) not in set(kind):
            reader.fail(path, f"expected one of {', '.join(map(repr, map(str, kind)))}, found {named(value)}")
        return kind(value)

    return Shape(read, lambda value, path: str(expect(value, kind, f"a {kind.__name__}", path)))


def nullable(of: Shape[T]) -> Shape[T | None]:
    """Return a shape like ``of``, for a field that may also be null."""
    return Shape(
        lambda reader, value, path: None if value is None else of.read(reader, value, path),
        lambda value, path: None if value is None else of.plain(value, path),
        of.spelled,
        lambda value, path: None if value is None else of.check(value, path),
    )


def several(of: Shape[T]) -> Shape[tuple[T, ...]]:
    """Make a shape for a list whose items all have the shape ``of``. In memory, the list is a tuple."""

    def read(reader: Reader, value: Any, path: str) -> tuple[T, ...]:
        items = reader.items(value, path)
        try:
            return tuple([of.read(reader, item, path) for item in items])
        except FormatError:  # read again with the place of each item, for the message; this takes longer
            return tuple([of.read(reader, item, f"{path}[{k}]") for k, item in enumerate(items)])

    return Shape(read, plain_list(of.plain), check=plain_list(of.check))


def row(*shapes: Shape[Any], expected: str) -> Shape[Any]:
    """Make the shape of a list whose item k has shape ``shapes[k]``. In errors, ``expected`` describes the length."""

    def read(reader: Reader, value: Any, path: str) -> tuple[Any, ...]:
        items = list(zip(shapes, reader.items(value, path, len(shapes)), strict=True))
        try:
            return tuple([shape.read(reader, item, path) for shape, item in items])
        except FormatError:  # read again with the place of each item, for the message; this takes longer
            return tuple([shape.read(reader, item, f"{path}[{k}]") for k, (shape, item) in enumerate(items)])

    plains, checks = [shape.plain for shape in shapes], [shape.check for shape in shapes]
    return Shape(read, plain_row(plains, expected), check=plain_row(checks, expected))


def pair(of: Shape[T]) -> Shape[tuple[T, T]]:
    """Return the shape of a pair with one entry for each player. Both entries have the shape ``of``."""
    return row(of, of, expected="one for each of the two players")


def record(kind: type[T], **fields: Shape[Any]) -> Shape[T]:
    """Make the shape of a JSON object that is read into an instance of the class ``kind``.

    The fields of the JSON object have the same names as the attributes of the instance.
    """

    def read(reader: Reader, value: Any, path: str) -> T:
        stated = reader.fields(value, path, required=tuple(fields))
        return kind(**{key: shape.read(reader, stated[key], f"{path}.{key}") for key, shape in fields.items()})

    plains, checks = ({key: getattr(shape, act) for key, shape in fields.items()} for act in ("plain", "check"))
    return Shape(read, plain_record(kind, plains), check=check_record(kind, checks))


# -- free-form data ------------------------------------------------------------------------------


def _read_free_form(reader: Reader, value: Any, path: str) -> dict[str, Any]:
    """Read an object with any fields of plain data."""
    if not isinstance(value, dict):
        reader.fail(path, f"expected an object, found {named(value)}")
    _read_plain(reader, value, path, decimal=False, depth=0)
    return value


def _read_plain(reader: Reader, value: Any, path: str, *, decimal: bool, depth: int) -> None:
    if isinstance(value, _Bad):
        reader.fail(path, f"found {value.reason}")
    if isinstance(value, float) and not decimal:
        reader.fail(path, "only fields whose name ends in '_float' can contain decimals; exact numbers are text")
    if isinstance(value, str):
        TEXT.read(reader, value, path)
    elif isinstance(value, dict | list):
        if depth == MAX_DEPTH:
            reader.fail(path, f"nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            for key, item in value.items():
                TEXT.read(reader, key, f"a field of {path}")
                _read_plain(reader, item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
        elif set(map(type, value)) != {int}:
            for i, item in enumerate(value):
                _read_plain(reader, item, f"{path}[{i}]", decimal=decimal, depth=depth + 1)


FREE_FORM: Shape[Any] = Shape(
    _read_free_form,
    lambda value, path: plain(plain_mapping(value, path), path),
    check=lambda value, path: check_plain(plain_mapping(value, path), path),
)


# -- documents -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Document(Generic[T]):
    """A kind of document with a schema. The text of a document has one field per line, sorted by name.

    Attributes
    ----------
    kind : callable
        A function that takes the fields as keyword arguments and returns the object in memory.
    schema, what : str
        Name of the schema, and a noun phrase for the document.
    fields : mapping
        Name of a field -> shape of the field.
    optional : tuple of str
        Names of the fields that may be None. Documents leave out a field that has no value.
    attribute : mapping
        Name of a field -> name of the attribute in memory, if the two names differ.
    """

    kind: Callable[..., T]
    schema: str
    what: str
    fields: Mapping[str, Shape[Any]]
    optional: tuple[str, ...] = ()
    attribute: Mapping[str, str] = field(default_factory=dict)

    @property
    def required(self) -> list[str]:
        """Names of the required fields."""
        return ["schema", *(key for key in self.fields if key not in self.optional)]

    @property
    def shapes(self) -> list[tuple[str, str, Shape[Any]]]:
        """A triple for each field: its name in documents, its name in memory, and its shape."""
        return [(key, self.attribute.get(key, key), shape) for key, shape in self.fields.items()]

    def headed(self, reader: Reader, document: Any, required: Sequence[str], optional: Iterable[str]) -> dict[str, Any]:
        """Return the document, or fail if it has another schema, lacks a required field or has an unknown field.

        The field ``schema`` may be missing if ``required`` does not contain it.
        """
        if not isinstance(document, dict):
            reader.fail("", f"expected {self.what}, which is an object, found {named(document)}")
        if document.get("schema") != self.schema and ("schema" in document or "schema" in required):
            schema = named(document["schema"]) if "schema" in document else "no such field"
            if "solution" in self.schema and str(document.get("schema")).startswith("tremble/equilibria@"):
                reader.fail("", f"expected one solution, found a list; name one of its equilibria: {reader.file}#1")
            reader.fail("schema", f"expected {self.schema!r}, found {schema}")
        return reader.fields(document, "", required=required, optional=optional)

    def read(self, reader: Reader, document: Any) -> T:
        """Make the object in memory from a parsed document."""
        return self.made(self.parts(reader, self.headed(reader, document, self.required, self.optional)))

    def parts(self, reader: Reader, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Read the fields of the document; return a dict from each field's name in memory to its value."""
        return {name: shape.read(reader, stated[key], key) for key, name, shape in self.shapes if key in stated}

    def made(self, parts: Mapping[str, Any]) -> T:
        """Make the object from ``parts``, a dict of attribute values by name. Missing optional fields become None."""
        return self.kind(**{**dict.fromkeys(self.optional), **parts})

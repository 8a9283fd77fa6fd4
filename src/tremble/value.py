"""A base class for frozen dataclasses that compare by content, including arrays, and have a short ``repr``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import described
from tremble.errors import SpecError, TrembleError
from tremble.numbers import finite, format_fraction
from tremble.shown import Shown

__all__ = [
    "Tabular",
    "Value",
    "approximate",
    "frame_of",
    "from_one",
    "in_both_forms",
    "in_few_digits",
    "in_lowest_terms",
    "in_short",
    "numbered",
    "same",
    "shorten",
]

_MAX_REPR = 180  # characters of a repr: two lines
_MAX_FIELD = 40  # characters of a field in a repr


class Value(Shown):
    """Base class of frozen dataclasses that compare by content and have a ``repr`` of one or two lines.

    Decorate the class with ``@dataclass(frozen=True, eq=False, repr=False)``. Mark a field with ``compare=False`` if it
    is a measurement or follows from other fields. If a subclass adds only fields with ``compare=False``, its values are
    comparable with values of the base class.

    Examples
    --------
    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True, eq=False, repr=False)
    ... class Row(Value):
    ...     name: str
    ...     numbers: np.ndarray
    ...     seconds: float = field(default=0.0, compare=False)
    >>> Row("a", np.arange(1000)) == Row("a", np.arange(1000), 5.0), Row("a", np.arange(2)) == Row("a", np.arange(3))
    (True, False)
    >>> Row("a", np.arange(1000))
    <Row: name 'a', numbers int64[1000], seconds 0.0>
    """

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Value) or _kind(self) is not _kind(other):
            return NotImplemented
        mine, theirs = _compared(self), _compared(other)
        return mine.keys() == theirs.keys() and all(same(value, theirs[name]) for name, value in mine.items())

    def __hash__(self) -> int:
        return hash((_kind(self), *map(_hashable, _compared(self).values())))

    def __repr__(self) -> str:
        try:
            shown = ", ".join(f"{f.name} {in_short(getattr(self, f.name))}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        except Exception:  # the repr of a malformed object must not raise, because this would hide the original error
            return f"<{type(self).__name__}, malformed>"
        return f"<{type(self).__name__}: {shown if len(shown) <= _MAX_REPR else shown[:_MAX_REPR] + '…'}>"


def _kind(value: Value) -> type:
    """Return the class in a value's ``__mro__`` that directly derives from ``Value``; equal values share this class."""
    return next(kind for kind in type(value).__mro__ if Value in kind.__bases__)


def _compared(value: Value) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.compare}  # type: ignore[arg-type]


def same(one: Any, other: Any) -> bool:
    """Return True if two values are equal. Arrays compare by their entries, and a list may equal a tuple."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and bool(np.array_equal(one, other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(content, other[key]) for key, content in one.items())
    return bool(one == other)


def in_lowest_terms(
    start: NDArray[np.int64], numerator: NDArray[Any], denominator: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Reduce each row of numerators and its denominator to lowest terms; row i is ``numerator[start[i]:start[i + 1]]``.

    Examples
    --------
    >>> in_lowest_terms(np.array([0, 2, 3]), np.array([2, 4, 7]), np.array([6, 7]))
    (array([1, 2, 1]), array([3, 1]))
    """
    if not len(denominator):
        return numerator, denominator
    common = np.gcd(np.gcd.reduceat(numerator, start[:-1]), denominator)
    return numerator // np.repeat(common, np.diff(start)), denominator // common


def _hashable(content: Any) -> Any:
    """Return a hashable key for the content of a field. Equal contents have equal keys."""
    if isinstance(content, np.ndarray):
        return content.shape
    if isinstance(content, list | tuple):
        return tuple(map(_hashable, content))
    if isinstance(content, Mapping):
        return frozenset(content)
    try:
        hash(content)
    except TypeError:  # the content contains a mapping
        return type(content)
    return content


def in_short(content: Any, most: int = _MAX_FIELD) -> str:
    """Describe the content of a field in a few words."""
    if isinstance(content, np.ndarray):
        return f"{content.dtype}[{', '.join(map(str, content.shape))}]"
    if isinstance(content, Fraction):
        return shorten(content)
    if isinstance(content, list | tuple):
        text = f"({', '.join(map(in_short, content))})" if len(content) <= 4 else ""
        return text if text and len(text) <= most else f"({len(content):,} items)"
    if isinstance(content, Mapping) and content:
        return f"({len(content):,} items)"
    text = str(content) if isinstance(content, Enum) else repr(content).replace("\n", " ")
    return text if len(text) <= most else text[:most] + "…"


def approximate(value: Fraction | int) -> str:
    """Return an approximation of an exact number for a message.

    Examples
    --------
    >>> approximate(Fraction(1, 3)), approximate(Fraction(10) ** 400)
    ('about 0.333333', 'beyond 1e308')
    """
    try:
        return f"about {float(value):.6g}"
    except OverflowError:
        return "beyond 1e308"


def in_few_digits(value: Fraction | int) -> str:
    """Return ``value`` as text for a message. Round a fraction of more than 11 characters to 6 significant digits.

    Examples
    --------
    >>> in_few_digits(Fraction(-1, 18)), in_few_digits(Fraction(10**60, 3 * 10**60 + 1))
    ('-1/18', '0.333333')
    """
    text = shorten(value)
    if value.denominator == 1 or len(text) <= _SHORT:
        return text
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return text


def shorten(value: Fraction | int) -> str:
    """Return an exact number for a message: the full number if short, else its beginning, end and an approximation.

    Examples
    --------
    >>> shorten(Fraction(-1, 18)), shorten(Fraction(10**60, 10**60 + 1))
    ('-1/18', '100000000000000000000000...000000000001 (about 1)')
    """
    text = format_fraction(value)
    return text if len(text) <= 60 else f"{text[:24]}...{text[-12:]} ({approximate(value)})"


_SHORT = 11  # greatest length of a fraction that is easy to read


_LIBRARIES = ("pandas", "polars")


class Tabular(Shown):
    """Base class of results that can be shown as tables.

    Attributes
    ----------
    columns : tuple of str
        The keys of each row in order, which are also the columns of CSV output.
    """

    columns: ClassVar[tuple[str, ...]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output as plain dicts.

        Exact numbers are ``Fraction``. The column ``X_float`` contains the floats nearest to column ``X``. Players and
        information sets count from 1, as in all output.
        """
        raise NotImplementedError

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of pandas or polars.

        In pandas, exact numbers are ``Fraction``. Polars has no such type, so they are text like ``"1/3"``.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default, pandas if it is installed, else polars.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        TrembleError
            The given library is not installed; if no library is given, neither pandas nor polars is installed.
        """
        return frame_of(self.columns, self.to_rows(), library)


def frame_of(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Return rows as a data frame; see :meth:`Tabular.to_frame`."""
    if library is not None and not (isinstance(library, str) and library in _LIBRARIES):
        raise SpecError(f"'library' must be {' or '.join(map(repr, _LIBRARIES))}, not {described(library)}")
    for name in _LIBRARIES if library is None else (library,):
        try:
            module = import_module(name)
        except ImportError:
            continue
        cells = {column: [row[column] for row in rows] for column in columns}
        if name == "polars":
            texts = {column: list(map(_polars_cell, values)) for column, values in cells.items()}
            return module.DataFrame(texts, strict=False)
        return module.DataFrame(cells, columns=list(columns))
    missing = "neither pandas nor polars is" if library is None else f"{library} is not"
    raise TrembleError(f"{missing} installed: pip install 'tremble[frames]' (pandas), or call to_rows()")


def _polars_cell(cell: Any) -> Any:
    return format_fraction(cell) if isinstance(cell, Fraction) else cell


def from_one(index: int | None) -> int | None:
    """Return the number, from 1, of an index that counts from 0; None for None."""
    return None if index is None else index + 1


def numbered(index: int | None) -> str:
    """Return a blank and the number, from 1, of an index that counts from 0; an empty text for None."""
    return "" if index is None else f" {index + 1}"


def in_both_forms(name: str, value: Fraction | float | None) -> dict[str, Any]:
    """Return a dict with the number at the key ``name``, and the nearest float at the key ``name`` + ``"_float"``."""
    return {name: value, f"{name}_float": None if value is None else finite(value)}

"""What values have in common: they are equal where their contents are, arrays included, and their ``repr`` is short."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.numbers import shorten
from tremble.shown import Shown

__all__ = ["KeptWith", "Value", "in_lowest_terms", "in_short", "same"]

_MOST = 180  # characters of a repr: two lines
_MOST_OF_FIELD = 40

Owner = TypeVar("Owner")
Kept = TypeVar("Kept")


class Value(Shown):
    """A frozen dataclass that is compared by content, and shown in a line or two.

    Its decorator is given ``eq=False, repr=False``. Fields with ``compare=False`` are not compared: such as
    measurements, and what follows from the others. A class derived from one whose further fields are like that is
    compared with it.

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
        except Exception:  # a repr of what is malformed must not hide what is wrong with it
            return f"<{type(self).__name__}, malformed>"
        return f"<{type(self).__name__}: {shown if len(shown) <= _MOST else shown[:_MOST] + '…'}>"


def _kind(value: Value) -> type:
    """The class that made values of this one and of all that derive from it comparable."""
    return next(kind for kind in type(value).__mro__ if Value in kind.__bases__)


def _compared(value: Value) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.compare}  # type: ignore[arg-type]


def same(one: Any, other: Any) -> bool:
    """Whether two contents are equal: numbers of arrays one by one, lists like tuples."""
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
    """Rows of integers, each over its own denominator, without common divisors; row i is ``start[i]:start[i + 1]``.

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
    """What is equal for equal contents, and can be hashed."""
    if isinstance(content, np.ndarray):
        return content.shape
    if isinstance(content, list | tuple):
        return tuple(map(_hashable, content))
    if isinstance(content, Mapping):
        return frozenset(content)
    try:
        hash(content)
    except TypeError:  # what holds a mapping
        return type(content)
    return content


def in_short(content: Any, most: int = _MOST_OF_FIELD) -> str:
    """Say in a few words what a field holds."""
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


class KeptWith(Generic[Owner, Kept]):
    """What is derived from an object, kept as long as that lives; objects that are merely equal do not share it.

    Parameters
    ----------
    make : callable
        Derives it; what it returns must not hold the object, which would live for ever.
    """

    def __init__(self, make: Callable[[Owner], Kept]) -> None:
        self._make = make
        self._kept: dict[int, tuple[weakref.ref[Owner], Kept]] = {}

    def __call__(self, owner: Owner) -> Kept:
        """What is kept with this object; made if it is asked for the first time."""
        number = id(owner)
        entry = self._kept.get(number)
        if entry is None:
            gone = weakref.ref(owner, lambda _: self._kept.pop(number, None))
            entry = self._kept[number] = gone, self._make(owner)
        return entry[1]

"""Exact numbers: the gate through which they enter, and their text form in files: ``"1"``, ``"-1/18"``, ``"0"``.

NumPy's integers are exact but wrap around in arithmetic, also within a ``Fraction`` that was made of them; here they
become Python's. Text is in lowest terms, with a positive denominator, which is left out when it is 1. CPython refuses
to convert integers of more than 4,300 digits to and from decimal text; above 4,000 digits the numbers are written in
hexadecimal (``"0x1f/0x20"``) so that no global switch has to be touched.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from itertools import groupby
from math import floor, lcm
from numbers import Integral, Rational, Real
from typing import Any

from tremble.errors import GameError, PlayersError

__all__ = [
    "MAX_CHARACTERS",
    "approximate",
    "distinct",
    "exact_number",
    "exact_numbers",
    "exact_payoffs",
    "format_fraction",
    "integral",
    "key_of",
    "over_one_denominator",
    "parse_fraction",
    "require_lists",
    "required_integer",
    "required_max_nodes",
    "shorten",
]

_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3}|/[1-9][0-9]{0,40})?")


def exact_number(value: Any, what: str) -> int | Fraction:
    """An exact number (any ``numbers.Rational``, such as an integer of NumPy) as Python's own type; else ``GameError``.

    Examples
    --------
    >>> import numpy as np
    >>> exact_number(np.int8(100), "payoff") * 2
    200
    >>> exact_number(0.1, "payoff")
    Traceback (most recent call last):
    tremble.errors.GameError: payoff 0.1 is a float, not an exact number; write fractions.Fraction('0.1')
    """
    kind = type(value)
    if kind is int or (kind is Fraction and type(value.numerator) is type(value.denominator) is int):
        exact: int | Fraction = value
        return exact
    if isinstance(value, Integral) and kind is not bool:
        return int(value)
    if isinstance(value, Rational) and kind is not bool:
        return Fraction(int(value.numerator), int(value.denominator))
    advice = "use int or fractions.Fraction"
    if "bool" in kind.__name__:
        advice = f"write {int(value)}"
    elif _DECIMAL.fullmatch(text := str(value)):
        advice = f"write fractions.Fraction({text!r})"
    raise GameError(f"{what} {value!r:.60} is a {kind.__name__}, not an exact number; {advice}")


def exact_numbers(values: Any, what: str) -> tuple[int | Fraction, ...]:
    """The exact numbers of a sequence; ``GameError`` if one is not exact, or this is no sequence."""
    try:
        members = tuple(values)
    except TypeError:
        raise GameError(
            f"{values!r:.100} is a {type(values).__name__}, not a sequence of exact numbers, each a {what}"
        ) from None
    return tuple([exact_number(value, what) for value in members])


def required_integer(value: Any, what: str) -> int:
    """An integer (NumPy's too) as Python's; else ``GameError``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise GameError(f"{what} is an integer, not {value!r:.80}")
    return int(value)


def required_max_nodes(value: Any) -> int:
    """How many nodes are allowed, as an integer, of ``1e6`` or ``inf`` too; ``GameError`` unless it is a number."""
    number = value if isinstance(value, Real) and not isinstance(value, bool) else None
    if number is None or number != number:
        raise GameError(f"max_nodes is a number of nodes, not {value!r:.80}")
    nodes: int = floor(min(max(value, -sys.maxsize), sys.maxsize))
    return nodes


def require_lists(rows: Any, depth: int, what: str) -> None:
    """Raise ``GameError`` unless these are lists (tuples, arrays) of lists, so many deep."""
    listed = hasattr(rows, "__len__") and hasattr(rows, "__getitem__")
    if not listed or isinstance(rows, str | bytes | Mapping) or getattr(rows, "ndim", 1) == 0:
        raise GameError(f"{what}: expected a list, not {rows!r:.80}")
    if depth > 1:
        for k in range(len(rows)):
            require_lists(rows[k], depth - 1, what)


def exact_payoffs(pair: Any) -> tuple[int | Fraction, int | Fraction]:
    """The exact payoffs of players 1 and 2 at a leaf, from what ``payoff(h)`` returns."""
    try:
        if len(pair) != 2:
            raise PlayersError(f"a leaf has {len(pair)} payoffs; tremble solves two-player games")
        one, two = pair[0], pair[1]
    except (TypeError, LookupError):
        raise GameError(f"payoffs are a pair of exact numbers, one for each player, not {pair!r:.100}") from None
    return exact_number(one, "payoff"), exact_number(two, "payoff")


def integral(value: int | Fraction) -> int | Fraction:
    """The same number, an ``int`` where it is integral."""
    return value.numerator if value.denominator == 1 else value


def over_one_denominator(values: Collection[int | Fraction]) -> tuple[list[int], int]:
    """Exact numbers as integers over their least common denominator.

    Examples
    --------
    >>> over_one_denominator([Fraction(1, 2), Fraction(1, 3), 1])
    ([3, 2, 6], 6)
    """
    common = lcm(*distinct(value.denominator for value in values))
    return [value.numerator * (common // value.denominator) for value in values], common


# -- numbers of a file, looked up --------------------------------------------------------------------

_ALIKE = sys.hash_info.modulus  # from here on different integers have the same hash


def key_of(value: int | Fraction) -> int | str:
    """What stands for a number of a file in a dict or a set.

    Python's hashes of numbers are no secret: a file can state thousands that have the same one, which makes each
    look-up as long as the table. Those of texts are drawn anew by each process.

    Examples
    --------
    >>> key_of(7), key_of(Fraction(-1, 3)), key_of(2**61)
    (7, '-1/3', '2000000000000000')
    """
    if value.denominator == 1:
        value = value.numerator
        return value if -1 < value < _ALIKE else f"{value:x}"
    return f"{value.numerator:x}/{value.denominator:x}"


def distinct(values: Iterable[int]) -> list[int]:
    """Different integers of a file, ascending; they are compared, and not hashed (see :func:`key_of`).

    Examples
    --------
    >>> distinct([6, 4, 6])
    [4, 6]
    """
    return [value for value, _ in groupby(sorted(values))]


# -- as text -----------------------------------------------------------------------------------------

MAX_CHARACTERS = 200_000
_DECIMAL_BITS = 13_287  # integers of at most this many bits have at most 4,000 decimal digits
_INTEGER = r"(?:0|[1-9][0-9]{0,3999}|0x[1-9a-f][0-9a-f]*)"
_FRACTION = re.compile(rf"(-?)({_INTEGER})(?:/({_INTEGER}))?")


def _format_integer(value: int) -> str:
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def format_fraction(value: Fraction | int) -> str:
    """Write an exact number.

    Examples
    --------
    >>> format_fraction(Fraction(-2, 36)), format_fraction(3)
    ('-1/18', '3')
    """
    text = _format_integer(value.numerator)
    return text if value.denominator == 1 else f"{text}/{_format_integer(value.denominator)}"


def parse_fraction(text: str) -> Fraction:
    """Read what :func:`format_fraction` writes; ``ValueError`` for all else, a decimal point or space too.

    Examples
    --------
    >>> parse_fraction("-1/18")
    Fraction(-1, 18)
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"a number of {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    match = _FRACTION.fullmatch(text)
    if match is None:
        raise ValueError(f'{text[:40]!r} is not an exact number such as "-1/18"')
    sign, top, bottom = match.groups()
    numerator = int(top, 0)
    if bottom is None:
        if sign and numerator == 0:
            raise ValueError('zero is written "0"')
        return Fraction(-numerator if sign else numerator)
    denominator = int(bottom, 0)
    value = Fraction(numerator, denominator) if denominator else None
    if value is None or denominator == 1 or value.denominator != denominator:
        raise ValueError(f"{text[:40]!r} is not in lowest terms")
    return -value if sign else value


def approximate(value: Fraction | int) -> str:
    """Say about how much an exact number is, for a reader and not for a machine.

    Examples
    --------
    >>> approximate(Fraction(1, 3)), approximate(Fraction(10) ** 400)
    ('about 0.333333', 'beyond 1e308')
    """
    try:
        return f"about {float(value):.6g}"
    except OverflowError:
        return "beyond 1e308"


def shorten(value: Fraction | int) -> str:
    """Write an exact number for a message: in full if short, else its ends and about how much it is.

    Examples
    --------
    >>> shorten(Fraction(-1, 18)), shorten(Fraction(10**60, 10**60 + 1))
    ('-1/18', '100000000000000000000000...000000000001 (about 1)')
    """
    text = format_fraction(value)
    return text if len(text) <= 60 else f"{text[:24]}...{text[-12:]} ({approximate(value)})"

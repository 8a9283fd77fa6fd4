"""Read exact numbers from users and files, and write them as text such as ``"1"``, ``"-1/18"`` or ``"0"``.

Users may write ``"0.5"``, ``"2/6"`` or ``Decimal("1e-3")``; :func:`exact_number` accepts all of these. NumPy integers
are exact, but their arithmetic can overflow silently, even inside a ``Fraction``. So this module converts them to
Python integers. A float is a number in base 2, but most users mean a number in base 10. So users must choose how to
read a float: ``floats="decimal"`` reads the decimal number that Python prints for the float.

In the files that tremble writes, a number is text in lowest terms with a positive denominator; "/1" is omitted.
CPython refuses to convert integers of more than 4,300 digits to and from decimal text. So integers of more than 4,000
digits are written in hexadecimal (``"0x1f/0x20"``), and no global setting has to change.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from math import floor, isfinite, lcm
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np

from tremble.arguments import described
from tremble.errors import GameError, PlayersError, SpecError
from tremble.notation import integral, parse_notation
from tremble.words import on_one_line

__all__ = [
    "MAX_CHARACTERS",
    "NO_FLOATS",
    "NumberLike",
    "as_float",
    "distinct",
    "exact_number",
    "exact_numbers",
    "exact_payoffs",
    "exact_text",
    "finite",
    "format_fraction",
    "over_one_denominator",
    "parse_fraction",
    "parse_number",
    "require_floats",
    "required_flag",
    "required_limit",
    "required_max_nodes",
    "short_text",
]

_NOT_FINITE = re.compile(r"[+-]?(s?nan|inf|infinity)", re.IGNORECASE)

NumberLike = int | Fraction | Decimal | str | float | np.integer[Any] | np.floating[Any]
"""Types that users may pass for an exact number. Floats are allowed only with ``floats="decimal"``."""

NO_FLOATS = "none"
"""The default ``floats``: :func:`exact_number` refuses floats, and its error does not suggest ``floats="decimal"``."""


def exact_number(value: Any, what: str, floats: str | None = NO_FLOATS) -> int | Fraction:
    """Convert a number to ``int`` or ``Fraction``; raise ``GameError`` if it is not exact.

    Parameters
    ----------
    value : object
        Any ``numbers.Rational``, such as a NumPy integer; ``Decimal``; text such as ``"1/2"``, ``"0.5"`` and
        ``"1e-3"``.
    what : str
        Name of the number in the error.
    floats : str, optional
        ``"decimal"`` reads a float as the shortest decimal that prints the same. None refuses floats with an error that
        suggests ``"decimal"``.

    Examples
    --------
    >>> import numpy as np
    >>> exact_number(np.int8(100), "payoff") * 2
    200
    >>> [str(exact_number(value, "payoff", "decimal")) for value in ("2/6", Decimal("0.5"), 0.1, np.float32(0.1))]
    ['1/3', '1/2', '1/10', '1/10']
    >>> exact_number(0.1, "payoff")
    Traceback (most recent call last):
    tremble.errors.GameError: payoff 0.1 is a float, not an exact number; write '0.1'
    """
    # Return Python's own exact numbers at once, because they are by far the most frequent.
    kind = type(value)
    if kind is int or (kind is Fraction and type(value.numerator) is type(value.denominator) is int):
        exact: int | Fraction = value
        return exact
    if "bool" in kind.__name__:
        raise GameError(f"{what} {described(value, 60)} is a {kind.__name__}, not an exact number; write {int(value)}")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    # Read all other numbers from their text.
    real = isinstance(value, Real)
    text = str(value).strip() if real or isinstance(value, str | Decimal) else None
    if text is None:
        advice = "write an integer, a Fraction, a Decimal, or text such as '1/2'"
        raise GameError(f"{what} {described(value, 60)} is a {kind.__name__}, not an exact number; {advice}")
    if _NOT_FINITE.fullmatch(text):
        raise GameError(f"{what} {on_one_line(text)} is not a finite number")
    if real and floats != "decimal":
        choice = "" if floats == NO_FLOATS else ", or give floats='decimal' to read the shortest decimals"
        raise GameError(
            f"{what} {described(value, 60)} is a {kind.__name__}, not an exact number; write {text!r}{choice}"
        )
    try:
        return parse_number(text)
    except ValueError as error:
        raise GameError(f"{what}: {error}") from None


def exact_numbers(values: Any, what: str, floats: str | None = NO_FLOATS) -> tuple[int | Fraction, ...]:
    """Convert ``values`` to exact numbers; raise ``GameError`` if it is not a sequence or has an inexact number."""
    try:
        if isinstance(values, str):
            raise TypeError
        members = tuple(values)
    except TypeError:
        raise GameError(
            f"{described(values, 100)} is a {type(values).__name__}, not a sequence of exact numbers, each a {what}"
        ) from None
    return tuple([exact_number(value, what, floats) for value in members])


def require_floats(floats: object) -> None:
    """Raise ``GameError`` unless the argument ``floats`` is ``"decimal"`` or None."""
    if floats is not None and not (isinstance(floats, str) and floats == "decimal"):
        raise GameError(
            f"'floats' must be 'decimal' (the shortest decimal that prints the same) or None, not {floats!r:.60}"
        )


def required_flag(value: Any, what: str) -> bool:
    """Convert a truth value of Python or NumPy to ``bool``; raise ``SpecError`` for anything else, such as 1."""
    if not isinstance(value, bool | np.bool_):
        raise SpecError(f"'{what}' must be True or False, not {described(value)}")
    return bool(value)


def required_limit(value: Any, what: str, unit: str) -> int:
    """Round ``value`` down to an ``int``, at most ``sys.maxsize``; raise ``GameError`` if ``value`` is not a number."""
    number = value if isinstance(value, Real) and not isinstance(value, bool) else None
    if number is None or number != number:
        raise GameError(f"'{what}' must be a number of {unit}, not {described(value)}")
    limit: int = floor(min(max(value, -sys.maxsize), sys.maxsize))
    return limit


def required_max_nodes(value: Any) -> int:
    """Return the argument ``max_nodes`` as an integer: see :func:`required_limit`."""
    return required_limit(value, "max_nodes", "nodes")


def exact_payoffs(pair: Any, floats: str | None = NO_FLOATS) -> tuple[int | Fraction, int | Fraction]:
    """Convert the result of a game's ``payoff(h)`` to the exact payoffs of players 1 and 2 at a leaf."""
    try:
        if isinstance(pair, str):
            raise TypeError
        if len(pair) != 2:
            raise PlayersError.of(len(pair), "according to the payoffs at a leaf, the game")
        one, two = pair[0], pair[1]
    except (TypeError, LookupError):
        raise GameError(
            f"payoffs must be a pair of exact numbers, one for each player, not {described(pair, 100)}"
        ) from None
    return exact_number(one, "payoff", floats), exact_number(two, "payoff", floats)


def over_one_denominator(values: Collection[int | Fraction]) -> tuple[list[int], int]:
    """Return exact numbers as integers over their least common denominator, and this denominator.

    Examples
    --------
    >>> over_one_denominator([Fraction(1, 2), Fraction(1, 3), 1])
    ([3, 2, 6], 6)
    """
    common = lcm(*distinct(value.denominator for value in values))
    return [value.numerator * (common // value.denominator) for value in values], common


# -- integers and their hashes -----------------------------------------------------------------------

HASH_MODULUS = sys.hash_info.modulus  # integers that differ by a multiple of this have the same hash


def distinct(values: Iterable[int]) -> list[int]:
    """Return the distinct integers, sorted. A Python set would be slow if a file contains many integers of equal hash.

    Examples
    --------
    >>> distinct([6, 4, 6])
    [4, 6]
    """
    return [value for value, _ in groupby(sorted(values))]


# -- as text -----------------------------------------------------------------------------------------

MAX_CHARACTERS = 200_000  # limit for the text of a number in a file
_DECIMAL_BITS = 13_287  # integers of at most this many bits have at most 4,000 decimal digits
_INTEGER = r"(?:0|[1-9][0-9]{0,3999}|0x[1-9a-f][0-9a-f]*)"
_FRACTION = re.compile(rf"(-?)({_INTEGER})(?:/({_INTEGER}))?")


def _format_integer(value: int) -> str:
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def format_fraction(value: Fraction | int) -> str:
    """Write an exact number as text, in lowest terms.

    Examples
    --------
    >>> format_fraction(Fraction(-2, 36)), format_fraction(3)
    ('-1/18', '3')
    """
    text = _format_integer(value.numerator)
    return text if value.denominator == 1 else f"{text}/{_format_integer(value.denominator)}"


def parse_fraction(text: str) -> Fraction:
    """Read a number that :func:`format_fraction` wrote; raise ``ValueError`` for any other text, such as a decimal.

    Examples
    --------
    >>> parse_fraction("-1/18")
    Fraction(-1, 18)
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the number has {len(text):,} characters, but at most {MAX_CHARACTERS:,} are allowed")
    match = _FRACTION.fullmatch(text)
    if match is None:
        raise ValueError(f'{text[:40]!r} is not an exact number such as "-1/18"')
    sign, numerator_text, denominator_text = match.groups()
    numerator = int(numerator_text, 0)
    if denominator_text is None:
        if sign and numerator == 0:
            raise ValueError('zero must be written as "0"')
        return Fraction(-numerator if sign else numerator)
    denominator = int(denominator_text, 0)
    value = Fraction(numerator, denominator) if denominator else None
    if value is None or denominator == 1 or value.denominator != denominator:
        raise ValueError(f"{text[:40]!r} is not in lowest terms")
    return -value if sign else value


def parse_number(text: str) -> int | Fraction:
    """Read a number in the notation of users, or in the hexadecimal notation of :func:`format_fraction`."""
    return integral(parse_fraction(text)) if "0x" in text else parse_notation(text)


def as_float(value: Fraction | float) -> float:
    """Return the nearest float, or an infinity if the number is outside the range of floats."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def finite(value: Fraction | float) -> float | None:
    """Return the nearest float, or None if the number is too large for a float."""
    decimal = as_float(value)
    return decimal if isfinite(decimal) else None


def exact_text(value: Fraction | float) -> str:
    """Return a number as text: an exact number in full, or all digits of a float."""
    return repr(value) if isinstance(value, float) else format_fraction(value)


def short_text(value: Fraction | float, width: int = 23) -> str:
    """Return a number as text. If it is longer than ``width``, an ellipsis replaces the middle digits of long integers.

    Examples
    --------
    >>> short_text(Fraction(1, 3)), short_text(Fraction(10**40 + 1, 3**60))
    ('1/3', '1000…0001/4239…3201')
    """
    text = exact_text(value)
    if len(text) <= width:
        return text
    room = width - 1 if "/" not in text else (width - 3) // 2
    half = max(2, (room - 1) // 2)
    if len(text) > 400:  # a few digits are enough to recognize such a long number
        half = min(half, 4)
    return "/".join(p if len(p) <= 2 * half + 1 else f"{p[:half]}…{p[-half:]}" for p in text.split("/"))

"""The text form of exact numbers in files: ``"1"``, ``"-1/18"``, ``"0"``.

Lowest terms, positive denominator, no denominator when it is 1. CPython refuses to convert integers of
more than 4,300 digits to and from decimal text; above 4,000 digits the numbers are written in hexadecimal
(``"0x1f/0x20"``) so that no global switch has to be touched.
"""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["MAX_CHARACTERS", "MAX_DECIMAL_DIGITS", "approximate", "format_fraction", "parse_fraction", "shorten"]

MAX_DECIMAL_DIGITS = 4000
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
    """Read what :func:`format_fraction` writes.

    Raises
    ------
    ValueError
        If the text is anything else: a decimal point, a space, a zero denominator, not in lowest terms.

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

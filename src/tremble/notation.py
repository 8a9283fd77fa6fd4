"""Read numbers as users and Gambit's files write them: decimals, exponents and fractions."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from tremble.words import on_one_line

__all__ = ["NUMBER", "NUMBER_LIMIT", "integral", "parse_notation"]


def integral(value: int | Fraction) -> int | Fraction:
    """Return a number as ``int`` if it is an integer, else unchanged."""
    return value.numerator if value.denominator == 1 else value


NUMBER_LIMIT = 4300
"""Greatest number of digits of an integer, and greatest decimal exponent, that users may write."""

NUMBER = r"[+-]?(?:[0-9]++/[0-9]++|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)(?![0-9.+\-/])"
"""Pattern of a number in the notation of users and Gambit."""

_NUMBER = re.compile(NUMBER)


def parse_notation(text: str) -> int | Fraction:
    """Read a number in the notation of users and Gambit; raise ``ValueError`` for any other text.

    The result is an ``int`` if the number is an integer. Exponents and numbers of digits are limited to 4,300, so that
    no short text becomes a number that fills the memory.

    Examples
    --------
    >>> [str(parse_notation(text)) for text in ("0.1", "1e3", ".5", "1.", "2/6", "+5", "-1/2", "25E-1")]
    ['1/10', '1000', '1/2', '1', '1/3', '5', '-1/2', '5/2']
    >>> parse_notation("1e9999999")
    Traceback (most recent call last):
    ValueError: the exponent of 1e9999999 is beyond 4,300
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{on_one_line(text, 30) or 'nothing'} is not a number such as 3, 0.25, 1e-3 or -1/18")
    if len(text) > NUMBER_LIMIT and max(map(len, re.findall("[0-9]+", text.replace(".", "")))) > NUMBER_LIMIT:
        raise ValueError(f"{on_one_line(text, 30)} has more than {NUMBER_LIMIT:,} digits")
    numerator, slash, denominator = text.partition("/")
    if slash:
        if not int(denominator):
            raise ValueError(f"{on_one_line(text, 30)} has a zero denominator")
        return integral(Fraction(int(numerator), int(denominator)))
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    if len(exponent.lstrip("+-0")) > 4 or abs(int(exponent or 0)) > NUMBER_LIMIT:
        raise ValueError(f"the exponent of {on_one_line(text, 30)} is beyond {NUMBER_LIMIT:,}")
    value, power = int(whole + decimals), int(exponent or 0) - len(decimals)
    return value * _power_of_ten(power) if power >= 0 else integral(Fraction(value, _power_of_ten(-power)))


@lru_cache(maxsize=64)
def _power_of_ten(exponent: int) -> int:
    return int(10**exponent)

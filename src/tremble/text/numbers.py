"""Exact numbers as people read them: a decimal beside the fraction, and long fractions shortened.

This module writes every number on a terminal, in a picture or on a page. :mod:`tremble.numbers` writes those in files.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from tremble.numbers import as_float, finite, format_fraction

__all__ = [
    "Number",
    "as_float",
    "compact_text",
    "decimal_text",
    "decimals_text",
    "exact_and_decimal",
    "exact_text",
    "finite",
    "number_text",
    "percent_text",
    "probability_text",
    "share_text",
    "short_text",
]

Number = Fraction | float | int


def decimal_text(value: Number, digits: int = 7) -> str:
    """Write a decimal with this many significant digits, with an exponent if it would be long without."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    with localcontext() as context:
        context.prec = digits
        exact = Fraction(value)
        quotient = (Decimal(exact.numerator) / Decimal(exact.denominator)).normalize()
    if quotient and not -5 <= quotient.adjusted() < digits + 2:
        return f"{quotient:e}"
    return f"{quotient:f}"


def probability_text(value: Number) -> str:
    """Write a probability with six decimals, so that columns line up; with an exponent where that would show zero."""
    if value in (0, 1):
        return str(int(value))
    if 0 < value < 1e-6 or value < 0:
        return decimal_text(value, 3)
    return f"{as_float(value):.6f}"


def exact_text(value: Number) -> str:
    """Write the exact fraction, or every digit of a float."""
    return repr(value) if isinstance(value, float) else format_fraction(value)


def short_text(value: Number, width: int = 23) -> str:
    """Write the exact number, the middle of each long integer replaced by an ellipsis.

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
    if len(text) > 400:  # nobody reads the middle of so long a number
        half = min(half, 4)
    return "/".join(p if len(p) <= 2 * half + 1 else f"{p[:half]}…{p[-half:]}" for p in text.split("/"))


def exact_and_decimal(value: Number, width: int = 60) -> str:
    """Write the exact number and, unless it is an integer, a decimal close to it.

    Examples
    --------
    >>> exact_and_decimal(Fraction(-1, 18))
    '-1/18 ≈ -0.05555556'
    """
    if value == int(value):
        return short_text(value, width)
    return f"{short_text(value, width)} ≈ {decimal_text(value)}"


def compact_text(value: Number | None) -> str:
    """Write the exact number if it is short, else a decimal; write nothing for None."""
    if value is None:
        return ""
    text = exact_text(value)
    return text if len(text) <= 11 and not isinstance(value, float) else decimal_text(value, 6)


def decimals_text(value: Number | None) -> str:
    """Write a decimal with six digits, or an integer as it is; write nothing for None."""
    return "" if value is None else decimal_text(value, 6)


def percent_text(value: Number | None) -> str:
    """Write a share in percent, to a tenth; write nothing for None."""
    return "" if value is None else f"{as_float(value):.1%}"


def number_text(value: Number, width: int = 6) -> str:
    """Write a short exact number, else a decimal, with a typographic minus: for pictures."""
    text = exact_text(value) if not isinstance(value, float) else decimal_text(value, 4)
    if len(text.lstrip("-")) > width:
        text = decimal_text(value, 4)
    return text.replace("-", "\N{MINUS SIGN}")


def share_text(value: Number) -> str:
    """Write a probability on a branch."""
    text = number_text(value)
    return f"{as_float(value):.4f}" if "/" not in text and 1e-4 <= value < 1 and len(text) > 6 else text

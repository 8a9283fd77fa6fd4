"""Repair of probabilities that do not sum to one because they were rounded.

Programs print 1/3 as ``0.333333``, but three such numbers do not sum to one. Rounding changes a number by at most half
a unit of its last digit. Cutting off digits, or conversion to a float and back, changes the number by at most one unit.
A repair changes each number by at most one unit, or by at most a tolerance if the tolerance is larger. Zero stays zero,
and positive numbers stay positive.

A repair tries three methods. Each method first allows changes by the tolerance, then by half a unit, then by one unit:

1. Replace each number by the nearby fraction with the smallest denominator.
2. Change only the number for which the largest change is allowed.
3. Change all numbers, each in proportion to its allowed change.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm

from tremble.errors import TooLargeError
from tremble.formats.tolerance import TOLERANCE
from tremble.words import for_reader

__all__ = [
    "exact_sum",
    "last_digit",
    "mend_floats",
    "mend_probabilities",
    "repair_advice",
    "simplest_fraction",
    "simplest_near",
]

_MAX_DENOMINATOR_BITS = 100_000
_ULPS = 4 * 2.0**-52


def simplest_fraction(value: Fraction | int, tolerance: Fraction = TOLERANCE) -> Fraction:
    """Find the fraction > 0 with the least denominator in ``value`` ± ``tolerance``. Return 0 if ``value <= 0``.

    Examples
    --------
    >>> simplest_fraction(Fraction("0.3333333333333333"))
    Fraction(1, 3)
    >>> simplest_fraction(Fraction("0.1428571"), tolerance=Fraction(1, 10**6))
    Fraction(1, 7)
    """
    low, high = Fraction(value) - tolerance, Fraction(value) + tolerance
    if low <= 0:
        if value <= 0:
            return Fraction(0)
        return Fraction(1, ceil(1 / high))
    # Compute the common part of the continued fractions of value - tolerance and value + tolerance (Stern-Brocot tree).
    quotients = []
    while ceil(low) > high:
        quotients.append(whole := floor(low))
        low, high = 1 / (high - whole), 1 / (low - whole)
    result = Fraction(ceil(low))
    for whole in reversed(quotients):
        result = whole + 1 / result
    return result


def exact_sum(values: Sequence[Fraction | int]) -> Fraction:
    """Add up fractions; raise ``TooLargeError`` if their common denominator has more than 100,000 bits."""
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common.bit_length() > _MAX_DENOMINATOR_BITS:
            raise TooLargeError(
                f"the common denominator of {len(values)} probabilities has more than {_MAX_DENOMINATOR_BITS:,} bits"
            )
    return Fraction(sum(value.numerator * (common // value.denominator) for value in values), common)


def last_digit(text: str) -> Fraction:
    """Return the unit of the last digit of a decimal; return 0 for fractions and integers, which are exact.

    Examples
    --------
    >>> [str(last_digit(text)) for text in ("0.333", "3.3e-1", "1/3", "1")]
    ['1/1000', '1/100', '0', '0']
    """
    if "/" in text or "x" in text:  # a fraction, or a hexadecimal integer
        return Fraction(0)
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent or 0) - len(mantissa.partition(".")[2])
    return Fraction(1, 10**-power) if power < 0 else Fraction(0)


def mend_probabilities(
    probabilities: Sequence[Fraction | int],
    units: Sequence[Fraction] | None = None,
    *,
    tolerance: Fraction = TOLERANCE,
) -> tuple[Fraction, ...] | None:
    """Change probabilities so that they sum to exactly one; return None if all three methods of the module fail.

    Each probability may change by the tolerance or by the unit of its last digit, whichever is larger. ``units``
    contains these units (:func:`last_digit`). By default, each probability may change by the tolerance only.

    Examples
    --------
    >>> mend_probabilities([Fraction("0.333333")] * 3, [Fraction(1, 10**6)] * 3)
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    >>> print(mend_probabilities([Fraction("0.333333")] * 3))
    None
    """
    if any(p < 0 for p in probabilities) or not any(probabilities):
        return None
    # Compute the allowed change of each number, for the tolerance, half a unit and one unit.
    given = [Fraction(p) for p in probabilities]
    units = [Fraction(0)] * len(given) if units is None else units
    limits_by_step = [
        [max(unit * share, tolerance) if p else Fraction(0) for p, unit in zip(given, units, strict=True)]
        for share in (0, Fraction(1, 2), 1)
    ]
    for limits in limits_by_step:
        simple = tuple(simplest_fraction(p, most) for p, most in zip(given, limits, strict=True))
        with suppress(TooLargeError):  # raised if the common denominator of the fractions is too large
            if exact_sum(simple) == 1:
                return simple
    rest = 1 - exact_sum(given)
    for limits in limits_by_step:
        last = max(range(len(given)), key=lambda i: (limits[i], i))
        if abs(rest) <= limits[last] and given[last] + rest > 0:
            return (*given[:last], given[last] + rest, *given[last + 1 :])
    for limits in limits_by_step:
        if rest < 0:
            limits = [min(most, p) for most, p in zip(limits, given, strict=True)]
        whole = exact_sum(limits)
        if whole and abs(rest) <= whole:
            result = tuple(p + rest * most / whole for p, most in zip(given, limits, strict=True))
            if all((p > 0) == (before > 0) for p, before in zip(result, given, strict=True)):
                return result
    return None


@lru_cache(maxsize=65_536)
def simplest_near(value: float, relative: float = _ULPS) -> Fraction:
    """Find the fraction with the smallest denominator whose relative distance from a float is at most ``relative``."""
    exact = abs(Fraction(value))
    simple = simplest_fraction(exact, exact * Fraction(relative))
    return simple if value > 0 else -simple


def mend_floats(floats: Sequence[float]) -> tuple[Fraction, ...] | None:
    """Find exact probabilities that sum to one and are close to the given floats; return None if this fails.

    The function first tries the simplest fractions within 4 units in the last place of each float. Then it tries the
    simplest fractions within a relative distance of 1e-12, and then of 1e-9. Finally it repairs the exact values of the
    floats within :data:`TOLERANCE`. Zero stays zero.

    Examples
    --------
    >>> mend_floats([1 / 3, 2 / 3, 0.0])
    (Fraction(1, 3), Fraction(2, 3), Fraction(0, 1))
    """
    for relative in (_ULPS, 1e-12, 1e-9):
        simple = tuple(simplest_near(p, relative) for p in floats)
        with suppress(TooLargeError):
            if exact_sum(simple) == 1:
                return simple
    return mend_probabilities([Fraction(p) for p in floats])


def repair_advice(
    probabilities: Sequence[Fraction | int], units: Sequence[Fraction], tolerance: Fraction | None
) -> str:
    """Return advice for an error message about probabilities that do not sum to one. Name a repair that works, if any.

    ``units`` contains the unit of the last digit of each probability. ``tolerance`` is the tolerance of the repair that
    failed, or None if no repair was tried.

    Examples
    --------
    >>> print(repair_advice([Fraction("0.333")] * 3, [Fraction(1, 1000)] * 3, None))
    expected exact fractions (repair=True repairs rounded probabilities)
    >>> print(repair_advice([Fraction(2, 5)] * 2, [Fraction(0)] * 2, TOLERANCE))
    rounding of the last digits does not explain this; a repair must change numbers by 0.1 (repair_tolerance="0.1")
    >>> print(repair_advice([0, 0], [Fraction(0)] * 2, None))
    no repair is possible
    """
    if tolerance is None and mend_probabilities(probabilities, units) is not None:
        return f"expected exact fractions ({for_reader('repair=True', '--repair')} repairs rounded probabilities)"
    rest, count = abs(1 - exact_sum(probabilities)), sum(1 for p in probabilities if p)
    for needed in (rest / max(count, 1), rest, Fraction(max(probabilities, default=0))):
        rounded = _rounded_up(needed)
        if needed <= 1 and mend_probabilities(probabilities, units, tolerance=Fraction(rounded)) is not None:
            ask = for_reader(f'repair_tolerance="{rounded}"', f"--repair-tolerance {rounded}")
            moved = f"a repair must change numbers by {rounded} ({ask})"
            return f"rounding of the last digits does not explain this; {moved}"
    return "no repair is possible"


def _rounded_up(value: Fraction) -> str:
    """Return a number in (0, 1] as text with two significant digits, rounded up.

    Examples
    --------
    >>> [_rounded_up(value) for value in (Fraction(1, 3), Fraction(1, 12), Fraction(1), Fraction(1, 3 * 10**9))]
    ['0.34', '0.084', '1', '3.4e-10']
    """
    places = 1
    while 0 < value * 10**places < 10:
        places += 1
    scaled = min(ceil(value * 10**places), 100)
    return f"{scaled / 10**places:.{places}f}".rstrip("0").rstrip(".") if places < 5 else f"{scaled / 10}e-{places - 1}"

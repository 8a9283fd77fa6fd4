"""Chance probabilities that miss one by rounding, made exact.

Programs print 1/3 as ``0.3333333333333333``; sixteen digits thrice do not sum to one. A repair replaces
each probability by the simplest fraction (smallest denominator) within a tolerance; what then still lacks
to one goes to the last probability that is not zero, if that moves it by no more than the tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, lcm

from tremble.errors import TooLargeError

__all__ = ["TOLERANCE", "exact_sum", "mend_probabilities", "simplest_fraction"]

TOLERANCE = Fraction(1, 10**9)
"""No probability is moved by more than this."""

_MAX_DENOMINATOR_BITS = 100_000


def simplest_fraction(value: Fraction | int, tolerance: Fraction = TOLERANCE) -> Fraction:
    """The fraction with the smallest denominator within ``tolerance`` of ``value``.

    What is positive stays positive.

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
    # Walk down the continued fraction that both ends share (Stern-Brocot).
    shared = []
    while ceil(low) > high:
        shared.append(whole := floor(low))
        low, high = 1 / (high - whole), 1 / (low - whole)
    result = Fraction(ceil(low))
    for whole in reversed(shared):
        result = whole + 1 / result
    return result


def exact_sum(values: Sequence[Fraction | int]) -> Fraction:
    """The sum of fractions, over one common denominator of bounded size.

    Raises
    ------
    TooLargeError
        The common denominator has more than 100,000 bits.

    Examples
    --------
    >>> exact_sum([Fraction(1, 2), Fraction(1, 3), 0])
    Fraction(5, 6)
    """
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common.bit_length() > _MAX_DENOMINATOR_BITS:
            raise TooLargeError(
                f"the common denominator of {len(values)} chance probabilities has more than "
                f"{_MAX_DENOMINATOR_BITS:,} bits"
            )
    return Fraction(sum(value.numerator * (common // value.denominator) for value in values), common)


def mend_probabilities(probabilities: Sequence[Fraction | int]) -> tuple[Fraction, ...] | None:
    """Probabilities that sum to exactly one, each within ``TOLERANCE`` of the given one.

    First the simplest fractions near all of them are tried, then the given values themselves; either way
    the last one that is not zero takes the rest.

    Returns
    -------
    tuple of Fraction, or None
        None where no such probabilities were found.

    Examples
    --------
    >>> mend_probabilities([Fraction("0.3333333333333333")] * 3)
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    >>> mend_probabilities([Fraction("0.3")] * 3) is None
    True
    """
    if any(p < 0 for p in probabilities) or not any(probabilities):
        return None
    last = max(i for i, p in enumerate(probabilities) if p)
    for mended in ([simplest_fraction(p) for p in probabilities], [Fraction(p) for p in probabilities]):
        mended[last] += 1 - exact_sum(mended)
        if mended[last] > 0 and abs(mended[last] - probabilities[last]) <= TOLERANCE:
            return tuple(mended)
    return None

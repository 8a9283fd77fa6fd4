r"""Polynomials in an infinitesimal, as tuples of coefficients.

For all small :math:`\epsilon > 0`, the order of two polynomials is that of their first differing coefficients, which
is how Python compares tuples.
"""

from __future__ import annotations

from fractions import Fraction

__all__ = ["Polynomial", "first_difference"]

Polynomial = tuple[int | Fraction, ...]
"""Coefficients, the constant one first."""


def first_difference(one: Polynomial, other: Polynomial) -> int:
    """The first degree at which two polynomials of equal length differ.

    Examples
    --------
    >>> first_difference((0, 2, 1), (0, 2, 3))
    2
    """
    return next(degree for degree, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)

"""Arithmetic on arrays of exact integers: int64 if no result can overflow, else Python integers (dtype object).

The functions compute bounds on their results as Python integers, which cannot overflow, and then choose the type.
"""

from __future__ import annotations

from math import gcd, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "INT64_SAFE",
    "LONG_BITS",
    "FloatArray",
    "as_floats",
    "common_divisor",
    "exact_dot",
    "exact_product",
    "factors",
    "is_wide",
    "largest",
    "narrowed",
    "safe_to_add",
    "segment_sums",
]

INT64_SAFE = 2**62
"""Integers with a smaller absolute value are stored in int64, with one bit to spare."""


def is_wide(*arrays: NDArray[Any]) -> bool:
    """Return True if at least one of the arrays contains Python integers (dtype object)."""
    return any(array.dtype == object for array in arrays)


def largest(values: NDArray[Any]) -> int:
    """Return the greatest absolute value of the entries; 0 for an empty array."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def factors(a: NDArray[Any], b: NDArray[Any], terms: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return ``a, b``, converted to Python integers if a sum of ``terms`` products ``a[i] * b[j]`` may not fit int64.

    Examples
    --------
    >>> a, b = factors(np.array([2**40]), np.array([2**40]))
    >>> (a * b).tolist()
    [1208925819614629174706176]
    """
    if not is_wide(a, b) and largest(a) * largest(b) * terms < INT64_SAFE:
        return a, b
    return a.astype(object), b.astype(object)


def common_divisor(values: NDArray[Any]) -> int:
    """Return the greatest common divisor of integers (1 if all are zero)."""
    return abs(int(np.gcd.reduce(values))) or 1  # NumPy returns a single long integer as it is, with its sign


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Convert an array of integers to int64 if all entries fit; else return the array unchanged."""
    return values.astype(np.int64) if is_wide(values) and largest(values) < INT64_SAFE else values


def safe_to_add(values: NDArray[Any]) -> NDArray[Any]:
    """Convert an int64 array to Python integers if a sum of entries may overflow; else return the array unchanged."""
    return values.astype(object) if not is_wide(values) and len(values) * largest(values) >= INT64_SAFE else values


def exact_product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the exact product of two arrays, element by element."""
    a, b = factors(a, b)
    product: NDArray[Any] = a * b
    return product


def exact_dot(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the exact matrix product ``a @ b``; arrays of three dimensions are stacks of matrices."""
    a, b = factors(a, b, a.shape[-1])
    product: NDArray[Any] = a @ b
    return product


def segment_sums(start: NDArray[np.int64], a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Sum ``a * b`` exactly over consecutive segments; segment i is ``start[i]:start[i + 1]``."""
    length = np.diff(start)
    a, b = factors(a, b, int(length.max(initial=0)))
    product = a * b
    result = np.zeros(len(length), dtype=product.dtype)
    filled = np.flatnonzero(length)
    if len(filled):
        result[filled] = np.add.reduceat(product, start[filled])
    return result


LONG_BITS = 1_000
"""Number of bits from which the library FLINT multiplies and divides faster than Python, conversions included."""


def lowest_terms(numerators: list[Any], denominator: Any) -> tuple[list[int], int]:
    """Divide numerators and a positive denominator by their greatest common divisor.

    Arguments may be FLINT integers. If the denominator is long, the function first computes the greatest common
    divisor D of the denominator and one random linear combination of the numerators. In the rare case that D does not
    divide a numerator, the function replaces D by the greatest common divisor of D and this numerator.

    Examples
    --------
    >>> lowest_terms([6, -4, 0], 10)
    ([3, -2, 0], 5)
    >>> lowest_terms([3 * 2**5000, 0], 2**5002) == ([3, 0], 4)
    True
    """
    if denominator.bit_length() < LONG_BITS:
        whole, bottom = list(map(int, numerators)), int(denominator)
        common = gcd(bottom, *whole)
        return [value // common for value in whole] if common > 1 else whole, bottom // common
    from flint import fmpz

    long_numerators, long_denominator = list(map(fmpz, numerators)), fmpz(denominator)
    weights = np.random.default_rng(len(long_numerators)).integers(1, 2**31, len(long_numerators)).tolist()
    combination = sum((weight * value for weight, value in zip(weights, long_numerators, strict=True)), fmpz(0))
    divisor = long_denominator.gcd(combination)
    while (undivided := next((value for value in long_numerators if value % divisor), None)) is not None:
        divisor = divisor.gcd(undivided)
    return [int(value // divisor) for value in long_numerators], int(long_denominator // divisor)


FloatArray = NDArray[np.float64]


def as_floats(numerator: NDArray[Any], denominator: int) -> NDArray[np.float64]:
    """Return the floats nearest to ``numerator / denominator``. Quotients too large for a float become infinite."""
    if numerator.dtype != object and denominator < INT64_SAFE:
        return np.asarray(numerator / denominator, dtype=np.float64)
    flat = [_nearest(value, denominator) for value in numerator.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(numerator.shape)


def _nearest(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return inf if numerator > 0 else -inf

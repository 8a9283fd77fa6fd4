"""Arithmetic of arrays of exact integers: int64 where no result can leave 64 bits, else Python's (dtype object).

Which of the two it is gets decided here alone. Bounds are Python's integers, which cannot overflow themselves.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "INT64_SAFE",
    "LONG_BITS",
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
"""Integers below this in size are held in int64, with one bit to spare."""


def is_wide(*arrays: NDArray[Any]) -> bool:
    """Whether one of the arrays holds Python's integers."""
    return any(array.dtype == object for array in arrays)


def largest(values: NDArray[Any]) -> int:
    """The greatest absolute value; 0 if there is none."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def factors(a: NDArray[Any], b: NDArray[Any], terms: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays as they are if sums of so many products of their entries fit int64; else both as Python's integers.

    Examples
    --------
    >>> a, b = factors(np.array([2**40]), np.array([2**40]))
    >>> (a * b).tolist()
    [1208925819614629174706176]
    """
    if not is_wide(a, b) and largest(a) * largest(b) * terms < INT64_SAFE:
        return a, b
    return a.astype(object), b.astype(object)


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The same integers in int64 if they fit."""
    return values.astype(np.int64) if is_wide(values) and largest(values) < INT64_SAFE else values


def safe_to_add(values: NDArray[Any]) -> NDArray[Any]:
    """The same integers, as Python's unless no sum of some of them can leave 64 bits."""
    return values.astype(object) if not is_wide(values) and len(values) * largest(values) >= INT64_SAFE else values


def exact_product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The product, element by element."""
    a, b = factors(a, b)
    product: NDArray[Any] = a * b
    return product


def exact_dot(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The matrix product; of three dimensions, those of many matrices."""
    a, b = factors(a, b, a.shape[-1])
    product: NDArray[Any] = a @ b
    return product


def segment_sums(start: NDArray[np.int64], a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Sums of the products over consecutive segments, of which i is ``start[i]:start[i + 1]``."""
    length = np.diff(start)
    a, b = factors(a, b, int(length.max(initial=0)))
    product = a * b
    result = np.zeros(len(length), dtype=product.dtype)
    filled = np.flatnonzero(length)
    if len(filled):
        result[filled] = np.add.reduceat(product, start[filled])
    return result


LONG_BITS = 1_000
"""From this length on, FLINT multiplies and divides integers faster than Python, conversions included."""


def lowest_terms(numerators: list[Any], denominator: Any) -> tuple[list[int], int]:
    """Integers over a positive denominator without what divides all of them; FLINT's numbers, if they are long.

    What divides them all divides any combination of them. That of one at random is nearly always no more than that.

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

    tops, below = list(map(fmpz, numerators)), fmpz(denominator)
    weight = np.random.default_rng(len(tops)).integers(1, 2**31, len(tops)).tolist()
    divisor = below.gcd(sum((w * top for w, top in zip(weight, tops, strict=True)), fmpz(0)))
    while (other := next((top for top in tops if top % divisor), None)) is not None:
        divisor = divisor.gcd(other)
    return [int(top // divisor) for top in tops], int(below // divisor)

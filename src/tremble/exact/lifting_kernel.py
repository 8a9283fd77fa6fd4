"""Compiled inner loops of p-adic lifting, for residuals that fit int64 and for wider residuals in limbs.

A wide integer consists of limbs of 20 bits, least significant first. All limbs except the last are in [0, 2^20). The
last limb carries the sign. The product of a limb and a digit is below 2^51, so int64 has room for the sum of 2^11
products.

For long integers, Euclid's algorithm computes a quotient from the leading bits if these bits determine the quotient.

References
----------
D. E. Knuth: The Art of Computer Programming, volume 2, section 4.5.2, algorithm L (Lehmer's).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.run.compiling import compiled

__all__ = [
    "LEADING_BITS",
    "LIMB_BITS",
    "certain_quotients",
    "from_limbs_mod",
    "subtract_and_divide",
    "subtract_and_divide_wide",
    "to_limbs",
]

LEADING_BITS = 60
LIMB_BITS = 20
_MASK = (1 << LIMB_BITS) - 1
_PRODUCTS = 1024  # additions of limb products between two normalizations


def to_limbs(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Split each integer into ``count`` limbs, which must suffice; return int64[len(values), count]."""
    limbs = np.empty((len(values), count), dtype=np.int64)
    rest = values.astype(object)
    for k in range(count - 1):
        limbs[:, k] = (rest & _MASK).astype(np.int64)
        rest = rest >> LIMB_BITS
    limbs[:, count - 1] = rest.astype(np.int64)
    return limbs


@compiled
def from_limbs_mod(limbs, prime, result):  # type: ignore[no-untyped-def]
    """Reduce the integers in ``limbs`` modulo ``prime``, and write the residues to ``result``."""
    n, count = limbs.shape
    for i in range(n):
        total = limbs[i, count - 1] % prime
        for k in range(count - 2, -1, -1):
            total = (total * (_MASK + 1) + limbs[i, k]) % prime
        result[i] = total


@compiled
def subtract_and_divide(rest, digit, row_start, column, value, prime):  # type: ignore[no-untyped-def]
    """Set ``rest`` to the integers (rest - M digit) / prime. M is sparse (``row_start``, ``column``, ``value``)."""
    for i in range(len(rest)):
        total = rest[i]
        for t in range(row_start[i], row_start[i + 1]):
            total -= value[t] * digit[column[t]]
        rest[i] = total // prime


@compiled
def _normalise(limbs):  # type: ignore[no-untyped-def]
    """Propagate carries, so that all limbs except the last are in [0, 2^20)."""
    carry = 0
    for k in range(len(limbs) - 1):
        total = limbs[k] + carry
        limbs[k] = total & _MASK
        carry = total >> LIMB_BITS
    limbs[len(limbs) - 1] += carry


@compiled
def subtract_and_divide_wide(rest, digit, row_start, column, limbs, prime):  # type: ignore[no-untyped-def]
    """Set ``rest`` to (rest - M digit) / prime. Each entry of ``rest`` and of M (``limbs``) is a row of limbs."""
    n, count = rest.shape
    width = limbs.shape[1]
    for i in range(n):
        row = rest[i]
        pending = 0
        for t in range(row_start[i], row_start[i + 1]):
            factor = digit[column[t]]
            if factor:
                for k in range(width):
                    row[k] -= limbs[t, k] * factor
                pending += 1
                if pending == _PRODUCTS:
                    _normalise(row)
                    pending = 0
        _normalise(row)
        remainder = row[count - 1] % prime
        row[count - 1] = row[count - 1] // prime
        for k in range(count - 2, -1, -1):
            total = remainder * (_MASK + 1) + row[k]
            row[k] = total // prime
            remainder = total % prime


@compiled
def certain_quotients(high, low, most):  # type: ignore[no-untyped-def]
    """Run Euclid's algorithm on the leading bits of two integers, as long as these bits determine the quotients.

    ``high`` and ``low`` have at most ``LEADING_BITS`` bits. The result is (a, b, c, d). For all integers r and s
    with these leading bits, a r + b s and c r + d s are successive remainders. The run stops before a quotient larger
    than ``most``.
    """
    a, b, c, d = 1, 0, 0, 1
    while low + c > 0 and low + d > 0:
        quotient = (high + a) // (low + c)
        if quotient != (high + b) // (low + d) or quotient > most:
            break
        a, c = c, a - quotient * c
        b, d = d, b - quotient * d
        high, low = low, high - quotient * low
    return a, b, c, d

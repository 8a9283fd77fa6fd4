r"""Matrices of power series modulo a prime, truncated: the order of their determinant.

A matrix has shape (r, r, M): entry (i, j) is :math:`\sum_{k<M} T_{ijk}\,\epsilon^k`, known up to
:math:`\epsilon^M`. Its *order* is that of the first coefficient that is not 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.verifier.budget import budget

__all__ = ["order_of_determinant"]


def order_of_determinant(matrix: NDArray[np.int64], prime: int) -> int | None:
    r"""The order of the determinant; None if it takes coefficients that are not known.

    The pivot is always an entry of least order v. Then all entries that are left are :math:`\epsilon^v` times
    series known up to :math:`\epsilon^{M-v}`, and elimination subtracts

    .. math::  \frac{\epsilon^v a}{\epsilon^v b}\;\epsilon^v c = \epsilon^v\,\frac{a c}{b} ,

    which is known up to :math:`\epsilon^M` again. The order of the determinant is the sum of those of the pivots.

    Parameters
    ----------
    matrix : int64[r, r, M]
        Between 0 and the prime.
    prime : int
        Below 2^31.

    Examples
    --------
    >>> matrix = np.zeros((2, 2, 3), dtype=np.int64)
    >>> matrix[..., 1] = [[1, 2], [2, 4]]  # singular at first order
    >>> order_of_determinant(matrix, 7) is None
    True
    >>> matrix[0, 0, 2] = 1
    >>> order_of_determinant(matrix, 7)  # 4 e^3
    3
    """
    rest = matrix.copy()
    total = 0
    while len(rest):
        orders = np.flatnonzero(rest.any(axis=(0, 1)))
        if not len(orders):
            return None
        total += len(rest) * int(orders[0])
        rest = rest[..., orders[0] :]  # divide by e^v
        i, j = (int(at[0]) for at in np.nonzero(rest[..., 0]))
        row, column, pivot = rest[i], rest[:, j], rest[i, j]
        multiple = _product(np.delete(column, i, axis=0), _reciprocal(pivot, prime), prime)
        rest = np.delete(np.delete(rest, i, axis=0), j, axis=1)
        rest = (rest - _product(multiple[:, np.newaxis], np.delete(row, j, axis=0), prime)) % prime
    return total


def _product(one: NDArray[np.int64], other: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """The product of series along the last axis; the others are broadcast."""
    size = one.shape[-1]
    result = np.zeros((*np.broadcast_shapes(one.shape[:-1], other.shape[:-1]), size), dtype=np.int64)
    for k in range(size):
        budget().listen()
        result[..., k:] = (result[..., k:] + one[..., k, np.newaxis] * other[..., : size - k]) % prime
    return result


def _reciprocal(series: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """One over a series that does not vanish at 0."""
    result = np.zeros_like(series)
    first = pow(int(series[0]), -1, prime)
    result[0] = first
    for k in range(1, len(series)):
        result[k] = -int((series[1 : k + 1] * result[:k][::-1] % prime).sum()) * first % prime
    return result

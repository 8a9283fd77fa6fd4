r"""Elimination modulo a prime: the verifier's own, in a stated order or with its own pivots.

Eliminated is a *head*: as many rows and columns as have pivots that do not vanish modulo the prime. What is
left over are the *spare* rows and columns. With A the head, in the order of the pivots,

.. math::  A = L\,U, \qquad L \text{ unit lower}, \; U \text{ upper triangular},

so A is regular modulo the prime, whatever the order, and both A x = b and A' y = c can be solved. There are as many
spare rows as spare columns.

* :class:`DenseElimination` looks for pivots itself; spare are only those without which the matrix is singular.
* :class:`SparseElimination` follows a stated order and leaves out pivots that vanish. Row after row, a heap
  holds the positions that have yet to be eliminated from it; the work is proportional to the multiplications.
  Its kernels (:mod:`.elimination_kernel`) are loaded when they are needed.
"""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from tremble.verifier.budget import budget

__all__ = ["DenseElimination", "Elimination", "PivotsError", "SparseElimination", "random_prime"]

Vector = NDArray[np.int64]

MOST_ENTRIES = 20_000_000
"""Of both factors. An order of elimination that needs more is refused."""

_BUDGET = 20_000_000  # multiplications in one kernel call, about 0.2 s


class PivotsError(Exception):
    """The stated order of elimination will not do, and why."""


def random_prime() -> int:
    """A prime between 2^30 and 2^31, each equally likely."""
    while True:
        candidate = secrets.randbelow(2**30) + 2**30
        if _is_prime(candidate):
            return candidate


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test, which the bases 2, 3, 5 and 7 decide below 3.2e9.

    Examples
    --------
    >>> [n for n in range(2**31 - 64, 2**31) if _is_prime(n)], _is_prime(25326001)
    ([2147483587, 2147483629, 2147483647], False)
    """
    if n % 2 == 0:
        return False
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        x = pow(base, odd, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


# -- dense -----------------------------------------------------------------------------------------


class DenseElimination:
    """Elimination of a small matrix, column after column, with any pivot that does not vanish.

    Parameters
    ----------
    matrix : int64[n, n]
        Between 0 and the prime.
    prime : int
        Below 2^31.

    Examples
    --------
    >>> eliminated = DenseElimination(np.array([[0, 2, 0], [3, 4, 0], [3, 6, 0]]), 7)
    >>> eliminated.spare_rows, eliminated.spare_columns
    (array([2]), array([2]))
    >>> eliminated.solve(np.array([2, 0, 0]))
    array([1, 1, 0])
    """

    def __init__(self, matrix: NDArray[np.int64], prime: int) -> None:
        n = len(matrix)
        work = matrix.astype(np.int64)
        left = np.ones(n, dtype=np.bool_)  # rows without a pivot
        rows: list[int] = []
        columns: list[int] = []
        for j in range(n):
            budget().listen()
            candidates = np.flatnonzero(left & (work[:, j] != 0))
            if not len(candidates):
                continue
            i = int(candidates[0])
            left[i] = False
            others = candidates[1:]
            multiple = work[others, j] * pow(int(work[i, j]), -1, prime) % prime
            work[others, j + 1 :] = (work[others, j + 1 :] - multiple[:, np.newaxis] * work[i, j + 1 :]) % prime
            work[others, j] = multiple
            rows.append(i)
            columns.append(j)
        self._prime = prime
        self._n = n
        self._rows, self._columns = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
        self._factors = work[np.ix_(self._rows, self._columns)]
        self._inverse = [pow(int(pivot), -1, prime) for pivot in self._factors.diagonal()]
        self.spare_rows = np.flatnonzero(left)
        self.spare_columns = np.setdiff1d(np.arange(n), self._columns)

    def solve(self, b: Vector) -> Vector:
        """The x with A x = b in the rows of the head and 0 in spare columns."""
        p, factors = self._prime, self._factors
        x = b[self._rows] % p
        for k in range(len(x)):
            x[k] = (x[k] - (factors[k, :k] * x[:k] % p).sum()) % p
        for k in range(len(x) - 1, -1, -1):
            x[k] = (x[k] - (factors[k, k + 1 :] * x[k + 1 :] % p).sum()) % p * self._inverse[k] % p
        return _spread(x, self._columns, self._n)

    def solve_transposed(self, c: Vector) -> Vector:
        """The y with A' y = c in the columns of the head and 0 in spare rows."""
        p, factors = self._prime, self._factors
        y = c[self._columns] % p
        for k in range(len(y)):
            y[k] = (y[k] - (factors[:k, k] * y[:k] % p).sum()) % p * self._inverse[k] % p
        for k in range(len(y) - 1, -1, -1):
            y[k] = (y[k] - (factors[k + 1 :, k] * y[k + 1 :] % p).sum()) % p
        return _spread(y, self._rows, self._n)


# -- sparse ----------------------------------------------------------------------------------------


class SparseElimination:
    """Elimination of a large matrix in a stated order.

    Parameters
    ----------
    row, column, value : int64[entries]
        The entries, values between 0 and the prime, no place twice.
    order : pair of int64[n]
        Rows and columns of the pivots, first things first.
    prime : int
        Below 2^31.

    Raises
    ------
    PivotsError
        There would be more than ``MOST_ENTRIES`` entries.
    """

    def __init__(self, row: Vector, column: Vector, value: Vector, order: tuple[Vector, Vector], prime: int) -> None:
        from tremble.verifier.algebra import elimination_kernel as kernel

        n = len(order[0])
        self._prime, self._order, self._kernel = prime, order, kernel
        position = [np.empty(n, dtype=np.int64) for _ in range(2)]
        for place, numbers in zip(position, order, strict=True):
            place[numbers] = np.arange(n)
        row, column = position[0][row], position[1][column]
        by_row = np.argsort(row, kind="stable")
        row_start = np.searchsorted(row[by_row], np.arange(n + 1)).astype(np.int64)
        matrix = row_start, column[by_row], value[by_row]
        lower, lower_value, upper, upper_value = (np.empty(2 * len(row) + n, dtype=np.int64) for _ in range(4))
        lower_start, upper_start = (np.zeros(n + 1, dtype=np.int64) for _ in range(2))
        inverse = np.zeros(n, dtype=np.int64)
        state = np.zeros(1, dtype=np.int64)
        work = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        while True:
            code = kernel.eliminate(
                prime, _BUDGET, state, matrix, lower, lower_value, upper, upper_value, (lower_start, upper_start),
                inverse, work,
            )  # fmt: skip
            budget().work_through(_BUDGET // 10)
            budget().listen()
            if code == kernel.DONE:
                break
            if code == kernel.ROOM:
                k = int(state[0])
                if lower_start[k] + upper_start[k] > MOST_ENTRIES:
                    raise PivotsError("elimination in this order takes too much room; another one is needed")
                if lower_start[k] + k > len(lower):
                    lower, lower_value = _grown(lower), _grown(lower_value)
                else:
                    upper, upper_value = _grown(upper), _grown(upper_value)
        self._factors = inverse, lower_start, lower, lower_value, upper_start, upper, upper_value
        spare = np.flatnonzero(inverse == 0)
        self.spare_rows, self.spare_columns = order[0][spare], order[1][spare]

    def solve(self, b: Vector) -> Vector:
        """The x with A x = b in the rows of the head and 0 in spare columns."""
        x = b[self._order[0]] % self._prime
        budget().listen()
        self._kernel.solve(x, self._prime, *self._factors)
        return _spread(x, self._order[1], len(x))

    def solve_transposed(self, c: Vector) -> Vector:
        """The y with A' y = c in the columns of the head and 0 in spare rows."""
        y = c[self._order[1]] % self._prime
        budget().listen()
        self._kernel.solve_transposed(y, self._prime, *self._factors)
        return _spread(y, self._order[0], len(y))


Elimination = DenseElimination | SparseElimination
"""A matrix modulo a prime, head eliminated."""


def _spread(values: Vector, where: Vector, size: int) -> Vector:
    result = np.zeros(size, dtype=np.int64)
    result[where] = values
    return result


def _grown(values: Vector) -> Vector:
    return np.concatenate((values, np.empty_like(values)))

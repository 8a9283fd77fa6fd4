"""Evaluate polynomial matrices and solve square systems modulo a random prime below 2^31."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.elimination import SMALL_LIMIT, Elimination
from tremble.exact.program import IntegerMatrix, SingularMatrixError

__all__ = ["PRIME_BITS", "dot_mod", "matrix_at", "random_prime", "sides_at", "solve_both_mod"]

PRIME_BITS = 31


def random_prime() -> int:
    """Return a random prime of 31 bits."""
    from flint import fmpz

    while True:
        candidate = (1 << (PRIME_BITS - 1)) + 2 * secrets.randbelow(1 << (PRIME_BITS - 2)) + 1
        if fmpz(candidate).is_prime():
            return candidate


def matrix_at(matrices: tuple[IntegerMatrix, ...], point: int, prime: int) -> IntegerMatrix:
    """Evaluate a polynomial matrix at a point, modulo a prime. ``matrices`` contains its coefficients."""
    if len(matrices) == 1:
        row, column = matrices[0].row_of_entry, matrices[0].column
        return IntegerMatrix.from_entries(matrices[0].shape, row, column, _residues(matrices[0].value, prime))
    row, column = (np.concatenate(parts) for parts in zip(*((m.row_of_entry, m.column) for m in matrices), strict=True))
    value = np.concatenate([_residues(m.value, prime) * pow(point, k, prime) % prime for k, m in enumerate(matrices)])
    order = np.lexsort((column, row))
    row, column, value = row[order], column[order], value[order]
    begin = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(column, prepend=-1) != 0))
    return IntegerMatrix.from_entries(
        matrices[0].shape, row[begin], column[begin], np.add.reduceat(value, begin) % prime if len(value) else value
    )


def sides_at(levels: NDArray[Any], point: int, prime: int) -> NDArray[np.int64]:
    """Evaluate a vector of polynomials at a point, modulo a prime. ``levels[k]`` has the coefficients of degree k."""
    result = np.zeros(levels.shape[1], dtype=np.int64)
    for level in levels[::-1]:
        result = (result * point + _residues(level, prime)) % prime
    return result


def dot_mod(matrix: IntegerMatrix, vector: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """Return the product of a matrix and a vector, modulo ``prime``."""
    product = matrix.value * vector[matrix.column] % prime
    result = np.zeros(matrix.shape[0], dtype=np.int64)
    filled = np.flatnonzero(np.diff(matrix.row_start))
    if len(filled):
        result[filled] = np.add.reduceat(product, matrix.row_start[filled]) % prime
    return result


def solve_both_mod(
    matrix: IntegerMatrix,
    b: NDArray[np.int64],
    c: NDArray[np.int64],
    prime: int,
    check: Callable[[], None],
    *,
    small_limit: int = SMALL_LIMIT,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Solve M x = b and M' y = c modulo a prime; raise ``SingularMatrixError`` if M is singular modulo the prime."""
    n = matrix.shape[0]
    if n == 0:
        return b, c
    if n > small_limit:
        from tremble.exact.sparse_lu import SparseLU, solve_mod, solve_transposed_mod

        lu = SparseLU(matrix, prime, check)
        if not lu.nonsingular:
            raise SingularMatrixError(lu.spare_rows, lu.spare_columns)
        x, y = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        solve_mod(b.copy(), x, prime, lu.factors)
        solve_transposed_mod(c.copy(), y, prime, lu.factors)
        return x, y
    from flint import nmod, nmod_mat

    eliminated = Elimination(
        matrix, lambda value: nmod(value, prime), lambda rows, columns, entries: nmod_mat(rows, columns, entries, prime)
    )
    if len(eliminated.spare_rows):
        raise SingularMatrixError(eliminated.spare_rows, eliminated.spare_columns)
    x, y = (
        np.array([int(v) for v in solution], dtype=np.int64)
        for solution in (eliminated.solve(b.tolist()), eliminated.solve_transposed(c.tolist()))
    )
    return x, y


def _residues(values: NDArray[Any], prime: int) -> NDArray[np.int64]:
    return np.asarray(values % prime, dtype=np.int64)

"""Replace the infinitesimal in the coefficients of a program by a small number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import IntegerMatrix, Program
from tremble.integers import INT64_SAFE, is_wide, largest
from tremble.lazy import KeptWith

__all__ = ["at_bits", "at_fraction", "degrees"]


def at_bits(program: Program, bits: int) -> Program:
    """Return the program for epsilon = :math:`2^{-bits}`. Powers of 2 scale its rows and columns to integers."""
    return _integral(program, lambda values, k, rest: _shifted(values, bits * rest), bits)


def at_fraction(program: Program, epsilon: Fraction) -> Program:
    """Return the program at epsilon :math:`p/q > 0`. Powers of q scale the rows and columns to integers."""
    p, q = epsilon.as_integer_ratio()

    def times(values: NDArray[Any], k: int, rest: NDArray[np.int64]) -> NDArray[Any]:
        powers = np.array([p**k * q**r for r in range(int(rest.max(initial=0)) + 1)], dtype=object)
        wide: NDArray[Any] = values.astype(object) * powers[rest]
        return wide

    return _integral(program, times, q.bit_length() - 1)


def _integral(
    program: Program, times: Callable[[NDArray[Any], int, NDArray[np.int64]], NDArray[Any]], bits: int
) -> Program:
    """Return the program at epsilon = p/q (about 2^-bits). Powers of q scale its rows and columns to integers.

    The function ``times`` defines p and q: ``times(values, k, rest)`` returns ``values`` times :math:`p^k q^{rest}`.
    """
    # Sum the coefficients of the matrix.
    degree, of_column = degrees(program)
    parts = []
    for k, matrix in enumerate(program.matrices):
        value = times(matrix.value, k, degree[matrix.row_of_entry] + of_column[matrix.column] - k)
        parts.append((matrix.row_of_entry, matrix.column, value))
    row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
    if len(program.matrices) > 1:
        key = row * program.num_columns + column
        order = np.argsort(key, kind="stable")
        begin = np.flatnonzero(np.diff(key[order], prepend=-1))
        value = np.add.reduceat(value[order], begin) if len(order) else value
        row, column = row[order][begin], column[order][begin]
        kept = value != 0
        row, column, value = row[kept], column[kept], value[kept]
    # Sum the coefficients of the right-hand sides and of the costs.
    rhs = sum(
        (times(level, k, np.maximum(degree - k, 0)) for k, level in enumerate(program.rhs)),
        start=np.zeros(program.num_rows, dtype=np.int64),
    )
    top = len(program.cost) - 1
    cost = sum(
        (times(level, k, of_column + (top - k)) for k, level in enumerate(program.cost)),
        start=np.zeros(program.num_columns, dtype=np.int64),
    )
    return replace(
        program,
        matrices=(IntegerMatrix.from_entries(program.matrix.shape, row, column, value),),
        rhs=rhs[np.newaxis],
        cost=cost[np.newaxis],
        row_exponent=program.row_exponent - bits * degree,
        column_exponent=program.column_exponent - bits * of_column,
    )


def _degrees_of(program: Program) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an exponent for each row and for each column: scaling by these powers of q makes all numbers integers.

    Epsilon is p/q. The exponents of row i and column j must sum to at least the degree k of the coefficient at (i, j).
    If they sum to less, the row or column with fewer entries gets the exponent k, because scaling makes entries long.
    """
    of_row, of_column = np.zeros(program.num_rows, dtype=np.int64), np.zeros(program.num_columns, dtype=np.int64)
    for k, rhs in enumerate(program.rhs):
        of_row[rhs != 0] = k
    row_length = np.sum([np.diff(matrix.row_start) for matrix in program.matrices], axis=0)
    column_length = np.sum([np.diff(matrix.column_start) for matrix in program.matrices], axis=0)
    for k, matrix in reversed(list(enumerate(program.matrices))):
        row, column = matrix.row_of_entry, matrix.column
        unmet = of_row[row] + of_column[column] < k
        row, column = row[unmet], column[unmet]
        by_row = row_length[row] <= column_length[column]
        of_row[row[by_row]] = k
        of_column[column[~by_row]] = k
    return of_row, of_column


degrees: KeptWith[Program, tuple[NDArray[np.int64], NDArray[np.int64]]] = KeptWith(_degrees_of)
"""Exponents of q for the rows and the columns of a program (see ``_degrees_of``), computed once."""


def _shifted(values: NDArray[Any], shift: NDArray[np.int64]) -> NDArray[Any]:
    """Return ``values << shift``; use Python integers if the sum of 64 results could overflow int64."""
    if not is_wide(values) and largest(values) << int(shift.max(initial=0)) + 6 < INT64_SAFE:
        narrow: NDArray[Any] = np.left_shift(values, shift)
        return narrow
    wide: NDArray[Any] = values.astype(object) << shift.astype(object)
    return wide

"""Gaussian elimination of small sparse matrices over a field of fractions or residues.

The matrices of bases are nearly triangular. So rows and columns with one entry are eliminated first. The next pivots
are those that cause little fill-in. All these steps are sparse. If a dense core is left, FLINT solves it.

Systems with more than ``SMALL_LIMIT`` rows are solved by p-adic lifting instead (:mod:`tremble.exact.dixon`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dixon import LiftedFactors
from tremble.exact.program import IntegerMatrix, SingularMatrixError

__all__ = ["SMALL_LIMIT", "Elimination", "Factors", "factorize"]

_MAX_FILL = 4  # the sparse steps end before a pivot that may fill in more entries than this


class Elimination:
    """A square matrix after Gaussian elimination.

    Parameters
    ----------
    matrix : IntegerMatrix, shape (n, n)
    number : callable
        Function that converts an integer to FLINT's type for the field.
    dense : callable
        Function that makes FLINT's matrix over the field. Its arguments are the numbers of rows and columns, and a flat
        list of entries.

    Attributes
    ----------
    spare_rows, spare_columns : int64[n - rank]
        Rows and columns whose removal makes the matrix nonsingular. If there are any, do not call :meth:`solve`.
    """

    def __init__(
        self, matrix: IntegerMatrix, number: Callable[[int], Any], dense: Callable[[int, int, list[Any]], Any]
    ) -> None:
        self._number, self._dense, self._size = number, dense, matrix.shape[0]
        rows: list[dict[int, Any]] = [{} for _ in range(self._size)]
        columns: list[set[int]] = [set() for _ in range(self._size)]
        entries = zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), matrix.value.tolist(), strict=True)
        for i, j, value in entries:
            rows[i][j] = number(value)
            columns[j].add(i)
        # For each step: row and column of the pivot, the pivot, the rest of its row, and (row, multiple) pairs for the
        # rows from which a multiple of the pivot row was subtracted.
        self._steps: list[tuple[int, int, Any, list[tuple[int, Any]], list[tuple[int, Any]]]] = []
        left_rows, left_columns = self._eliminate(rows, columns)
        self._core_rows, self._core_columns = left_rows, left_columns
        self.spare_rows = self.spare_columns = np.zeros(0, dtype=np.int64)
        self._core: Any = None
        if left_rows:
            zero = number(0)
            flat = [rows[i].get(j, zero) for i in left_rows for j in left_columns]
            self._core = dense(len(left_rows), len(left_columns), flat)
            spare_columns = _dependent(self._core)
            if spare_columns:
                self.spare_columns = np.array([left_columns[k] for k in spare_columns])
                self.spare_rows = np.array([left_rows[k] for k in _dependent(self._core.transpose())])

    def _eliminate(self, rows: list[dict[int, Any]], columns: list[set[int]]) -> tuple[list[int], list[int]]:
        """Eliminate while pivots cause little fill-in; return the rows and columns that are left (the dense core)."""
        left_rows, left_columns = dict.fromkeys(range(self._size)), dict.fromkeys(range(self._size))
        short_columns = [j for j in left_columns if len(columns[j]) == 1]
        short_rows = [i for i in left_rows if len(rows[i]) == 1]
        while True:
            # Choose a pivot: a column with one entry, a row with one entry, or else the shortest column.
            if short_columns:
                j = short_columns.pop()
                if j not in left_columns or len(columns[j]) != 1:
                    continue
                (i,) = columns[j]
            elif short_rows:
                i = short_rows.pop()
                if i not in left_rows or len(rows[i]) != 1:
                    continue
                (j,) = rows[i]
            else:
                nonempty = [j for j in left_columns if columns[j]]
                if not nonempty:
                    break
                j = min(nonempty, key=lambda j: len(columns[j]))
                i = min(columns[j], key=lambda i: (len(rows[i]), i))
                if (len(rows[i]) - 1) * (len(columns[j]) - 1) > _MAX_FILL:
                    break
            # Subtract multiples of the pivot row from the other rows of the pivot column.
            del left_rows[i], left_columns[j]
            row = rows[i]
            pivot = row.pop(j)
            columns[j].discard(i)
            below = []
            for k in sorted(columns[j]):
                target = rows[k]
                multiple = target.pop(j) / pivot
                below.append((k, multiple))
                for t, value in row.items():
                    before = target.get(t)
                    if before is None:
                        target[t] = -multiple * value
                        columns[t].add(k)
                        continue
                    after = before - multiple * value
                    if after:
                        target[t] = after
                    else:
                        del target[t]
                        columns[t].discard(k)
                        if len(columns[t]) == 1:
                            short_columns.append(t)
                if len(target) == 1:
                    short_rows.append(k)
            # Remove the pivot row from the active part.
            for t in row:
                columns[t].discard(i)
                if len(columns[t]) == 1:
                    short_columns.append(t)
            self._steps.append((i, j, pivot, list(row.items()), below))
        return list(left_rows), list(left_columns)

    def solve(self, b: list[int]) -> list[Any]:
        """Solve M x = b for this matrix M, in numbers of the field."""
        rest = list(map(self._number, b))
        for i, _, _, _, below in self._steps:
            taken = rest[i]
            if taken:
                for k, multiple in below:
                    rest[k] -= multiple * taken
        x = [self._number(0)] * self._size
        self._solve_core(self._core, rest, self._core_rows, x, self._core_columns)
        for i, j, pivot, row, _ in reversed(self._steps):
            value = rest[i]
            for t, entry in row:
                if x[t]:
                    value -= entry * x[t]
            x[j] = value / pivot if value else value
        return x

    def solve_transposed(self, c: list[int]) -> list[Any]:
        """Return the solution y of M' y = c, where M' is this matrix transposed. The entries of y are in the field."""
        rest = list(map(self._number, c))
        y = [self._number(0)] * self._size
        for i, j, pivot, row, _ in self._steps:
            if rest[j]:
                y[i] = value = rest[j] / pivot
                for t, entry in row:
                    rest[t] -= entry * value
        if self._core is not None:
            self._solve_core(self._core.transpose(), rest, self._core_columns, y, self._core_rows)
        for i, _, _, _, below in reversed(self._steps):
            for k, multiple in below:
                if y[k]:
                    y[i] -= multiple * y[k]
        return y

    def _solve_core(
        self, core: Any, rest: list[Any], places: list[int], solution: list[Any], unknowns: list[int]
    ) -> None:
        side = [rest[place] for place in places]
        if any(side):
            solved = core.solve(self._dense(len(side), 1, side)).entries()
            for unknown, value in zip(unknowns, solved, strict=True):
                solution[unknown] = value


def _dependent(matrix: Any) -> list[int]:
    """Return the columns that are linear combinations of earlier columns."""
    reduced, rank = matrix.rref()
    size = matrix.ncols()
    if rank == size:
        return []
    pivots: set[int] = set()
    table = reduced.tolist()
    for row in table[:rank]:
        pivots.add(next(j for j, value in enumerate(row) if value))
    return [j for j in range(size) if j not in pivots]


SMALL_LIMIT = 150
"""Systems with at most this many rows are solved by elimination in fractions."""


class Factors(Protocol):
    """A factorized square integer matrix M."""

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: return integers N and D > 0 with x = N / D."""

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c: return an array of integers N, and an integer D > 0, with y = N / D."""


def factorize(
    matrix: IntegerMatrix,
    check: Callable[[], None],
    *,
    small_limit: int = SMALL_LIMIT,
    sure: bool = True,
    denominator: int = 1,
) -> Factors:
    """Prepare a square integer matrix for exact solves.

    Parameters
    ----------
    matrix : IntegerMatrix, shape (n, n)
    small_limit : int
        A matrix with at most this many rows is eliminated in fractions.
    sure : bool
        If True, and a large matrix is singular modulo a prime, try other primes.
    denominator : int
        The denominator of a known solution of an equation with this matrix, to save time. Without a known solution, 1.

    Raises
    ------
    SingularMatrixError
        A small matrix is singular, or a large matrix is singular modulo every prime that was tried.
    """
    if matrix.shape[0] <= small_limit:
        return SmallFactors(matrix)
    return LiftedFactors(matrix, check, sure=sure, denominator=denominator)


class SmallFactors:
    """A solver of linear systems with a small matrix M. It eliminates in exact fractions."""

    def __init__(self, matrix: IntegerMatrix) -> None:
        from flint import fmpq, fmpq_mat

        self._elimination = Elimination(matrix, fmpq, fmpq_mat)
        if len(self._elimination.spare_rows):
            raise SingularMatrixError(self._elimination.spare_rows, self._elimination.spare_columns)

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: return integers N and D > 0 with x = N / D."""
        return _over_common_denominator(self._elimination.solve(b.tolist()))

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c: return an array of integers N, and an integer D > 0, with y = N / D."""
        return _over_common_denominator(self._elimination.solve_transposed(c.tolist()))


def _over_common_denominator(fractions: list[Any]) -> tuple[NDArray[Any], int]:
    """Return FLINT's fractions as integers over their least common denominator."""
    denominator = lcm(*{int(fraction.q) for fraction in fractions if fraction})
    result = np.zeros(len(fractions), dtype=object)
    result[:] = [int(fraction.p) * (denominator // int(fraction.q)) if fraction else 0 for fraction in fractions]
    return result, denominator

"""Follow Lemke's path in floats and residues; each pivot updates sparse factors of the basis.

Every number is stored as a float and as a residue (:mod:`tremble.exact.float_residue`). A number counts as 0 if its
residue is 0. Two ratios count as equal if their cross products are equal modulo the prime. Otherwise floats decide
which ratio is smaller.

The basis is factorized again after 160 pivots. Between two factorizations, each pivot multiplies the inverse by an
elementary matrix (the product form). Each pivot updates the values of the basic variables. Each factorization computes
the values again. If a value is then negative, the floats were wrong.

A full tableau of floats would be unreliable after thousands of updates. This was measured on a path of 37,943 pivots on
``leduc``. Within 20,000 pivots, the errors grew from 1e-11 to more than the numbers themselves. Then the path cycled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from tremble.errors import SolverError
from tremble.exact.modular import random_prime
from tremble.exact.program import IntegerMatrix, Program
from tremble.exact.sparse_lu import SparseLU, power_mod, solve_mod
from tremble.run.compiling import compiled

__all__ = ["FloatPath"]

_REFACTORIZE = 160  # pivots between two factorizations
_NEGLIGIBLE = 1e-7  # tolerance for negative values, after scaling
_RAY, _TIE = -1, -2  # results of _leaving that are not rows


@compiled
def _residue(a, b, prime, inverse):  # type: ignore[no-untyped-def]
    """Return a * b modulo the prime; a and b must be below the prime, and ``inverse`` must be 1 / prime."""
    product = a * b
    rest = product - np.int64(float(a) * float(b) * inverse) * prime
    if rest < 0:
        rest += prime
    elif rest >= prime:
        rest -= prime
    return rest


@compiled
def _solve(b, of_row, of_column, lower_start, lower_row, lower, upper_start, upper_row, upper):  # type: ignore[no-untyped-def]
    """Solve a system with the right-hand side ``b`` by its LU factors. Skip each column whose unknown is zero."""
    n = len(b)
    y = np.empty(n)
    for i in range(n):
        y[of_row[i]] = b[i]
    for k in range(n):
        if y[k] != 0.0:
            for t in range(lower_start[k] + 1, lower_start[k + 1]):
                y[lower_row[t]] -= lower[t] * y[k]
    for k in range(n - 1, -1, -1):
        if y[k] != 0.0:
            last = upper_start[k + 1] - 1
            y[k] /= upper[last]
            for t in range(upper_start[k], last):
                y[upper_row[t]] -= upper[t] * y[k]
    return y[of_column]


@compiled
def _apply_etas(real, residue, etas, pivots, start, where, by_real, by_residue, prime):  # type: ignore[no-untyped-def]
    """Multiply a vector by the elementary matrices of the pivots since the last factorization."""
    inverse = 1.0 / prime
    for k in range(etas):
        row = pivots[k]
        if residue[row] == 0:
            real[row] = 0.0
            continue
        real[row] /= by_real[start[k]]
        residue[row] = _residue(residue[row], by_residue[start[k]], prime, inverse)
        negative = prime - residue[row]
        for t in range(start[k] + 1, start[k + 1]):
            i = where[t]
            rest = residue[i] + _residue(by_residue[t], negative, prime, inverse)
            if rest >= prime:
                rest -= prime
            residue[i] = rest
            real[i] -= by_real[t] * real[row]
    for i in range(len(real)):
        if residue[i] == 0:
            real[i] = 0.0


@compiled
def _leaving(step, step_residue, value, residue, bounded, preferred, prime):  # type: ignore[no-untyped-def]
    """Return the row with the lexicographically smallest ratio ``value[row] / step[row]``.

    The last entry of a ratio is a random perturbation, which breaks ties. But if ``preferred`` is one of the tied rows,
    return ``preferred``. Return _RAY if no row can leave the basis, and _TIE if a tie remains.
    """
    ties = np.empty(len(step), dtype=np.int64)
    count = 0
    for i in range(len(step)):
        if step[i] > 0.0 and bounded[i]:
            ties[count] = i
            count += 1
    if count == 0:
        return _RAY
    degrees = value.shape[1]
    for k in range(degrees):
        if count == 1:
            break
        if k == degrees - 1:
            for t in range(count):
                if ties[t] == preferred:
                    return preferred
        best = ties[0]
        kept = 1
        for t in range(1, count):
            i = ties[t]
            if residue[i, k] * step_residue[best] % prime == residue[best, k] * step_residue[i] % prime:
                ties[kept] = i
                kept += 1
            elif value[i, k] * step[best] < value[best, k] * step[i]:
                best = i
                ties[0] = i
                kept = 1
        count = kept
    return ties[0] if count == 1 else _TIE


@compiled
def _advance(step, step_residue, value, residue, row, first, where, by_real, by_residue, prime):  # type: ignore[no-untyped-def]
    """Update the values by one pivot. Store the pivot's entries from index ``first`` on; return the next free index."""
    inverse = 1.0 / prime
    degrees = value.shape[1]
    reciprocal = power_mod(step_residue[row], prime - 2, prime)
    where[first], by_real[first], by_residue[first] = row, step[row], reciprocal
    end = first + 1
    for i in range(len(step)):
        if i != row and step_residue[i] != 0:
            where[end], by_real[end], by_residue[end] = i, step[i], step_residue[i]
            end += 1
    for k in range(degrees):
        if residue[row, k] == 0:
            continue
        value[row, k] /= step[row]
        residue[row, k] = _residue(residue[row, k], reciprocal, prime, inverse)
        negative = prime - residue[row, k]
        for t in range(first + 1, end):
            i = where[t]
            rest = residue[i, k] + _residue(by_residue[t], negative, prime, inverse)
            if rest >= prime:
                rest -= prime
            residue[i, k] = rest
            value[i, k] = 0.0 if rest == 0 else value[i, k] - by_real[t] * value[row, k]
    return end


class _Columns(NamedTuple):
    """The scaled columns of the matrix, followed by the unit columns."""

    start: NDArray[np.int64]  # [n + m + 1] index of the first entry of each column, then the end
    row: NDArray[np.int64]
    real: NDArray[np.float64]
    residue: NDArray[np.int64]


class FloatPath:
    """A basis on Lemke's path, with the factors and values that the next pivot needs.

    Parameters
    ----------
    program : Program
        A program. Its right-hand side is a polynomial. Random coefficients of the polynomial's last degree break ties.
    basic : int64[m]
        The first basis.
    covering : int
        The covering column. The path ends when this column leaves the basis. In a tie with other columns, it leaves.

    Raises
    ------
    OverflowError
        Numbers are too large for floats.
    """

    def __init__(self, program: Program, basic: NDArray[np.int64], covering: int, check: Callable[[], None]) -> None:
        n, matrix = program.num_rows, program.matrix
        self.basic = basic.copy()
        self._bounded = ~program.unbounded[basic]  # a column without a bound never leaves
        self._covering, self._check = covering, check
        self._prime = random_prime()
        scale = program.row_exponent[matrix.row] + np.repeat(program.column_exponent, np.diff(matrix.column_start))
        scaled = np.ldexp(matrix.value[matrix.by_column].astype(np.float64), scale)
        residues = np.asarray(matrix.value[matrix.by_column] % self._prime, dtype=np.int64)
        unit = np.ones(n, dtype=np.int64)
        self._columns = _Columns(
            np.concatenate((matrix.column_start, matrix.column_start[-1] + np.arange(1, n + 1))),
            np.concatenate((matrix.row, np.arange(n))),
            np.concatenate((scaled, unit)),
            np.concatenate((residues, unit)),
        )
        rhs = np.ldexp(program.rhs.T.astype(np.float64), program.row_exponent[:, np.newaxis])
        _, largest = np.frexp(np.abs(rhs).max(axis=0, initial=0))
        self._rhs = np.ldexp(rhs, -largest)  # each degree has a separate scale, because only equal degrees are compared
        self._rhs_residues = np.asarray(program.rhs.T % self._prime, dtype=np.int64)
        self._etas = 0
        self._pivots, self._start = np.zeros(_REFACTORIZE, dtype=np.int64), np.zeros(_REFACTORIZE + 1, dtype=np.int64)
        self._where = np.zeros(_REFACTORIZE * n, dtype=np.int64)
        self._by_real, self._by_residue = np.zeros(_REFACTORIZE * n), np.zeros(_REFACTORIZE * n, dtype=np.int64)
        self._factorize()

    def enter(self, column: int) -> int | None:
        """Let a column enter the basis; return the column that leaves, or None if the path ends in a ray."""
        if self._etas == _REFACTORIZE:
            self._factorize()
            self._require_feasible()
        step, residue = self._column(column)
        place = np.flatnonzero(self.basic == self._covering)
        preferred = int(place[0]) if len(place) else -1
        row = _leaving(step, residue, self._value, self._value_residue, self._bounded, preferred, self._prime)
        if row == _RAY:
            return None
        if row == _TIE:
            raise SolverError("Lemke's method cannot choose a leaving row: the ratios of two rows are equal")
        return self._exchange(column, row, step, residue)

    def exchange(self, entering: int, leaving: int) -> None:
        """Replace the basic column ``leaving`` by the column ``entering``."""
        self._exchange(entering, int(np.flatnonzero(self.basic == leaving)[0]), *self._column(entering))

    def _exchange(self, column: int, row: int, step: NDArray[np.float64], residue: NDArray[np.int64]) -> int:
        """Replace the basic column of a row by ``column``, and return the replaced column."""
        k = self._etas
        self._pivots[k] = row
        self._start[k + 1] = _advance(
            step, residue, self._value, self._value_residue, row, self._start[k],
            self._where, self._by_real, self._by_residue, self._prime,
        )  # fmt: skip
        self._etas += 1
        leaving, self.basic[row] = int(self.basic[row]), column
        self._bounded[row] = True
        return leaving

    def _column(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Compute B^-1 a_j for the basis matrix B and column j, in floats and modulo the prime."""
        size = len(self.basic)
        real, target, residue = np.zeros(size), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        entries = slice(self._columns.start[column], self._columns.start[column + 1])
        rows = self._columns.row[entries]
        real[rows], target[rows] = self._columns.real[entries], self._columns.residue[entries]
        real = _solve(real, *self._factors)
        solve_mod(target, residue, self._prime, self._residue_lu.factors)
        _apply_etas(
            real, residue, self._etas, self._pivots, self._start,
            self._where, self._by_real, self._by_residue, self._prime,
        )  # fmt: skip
        return real, residue

    def _factorize(self) -> None:
        """Factorize the basis and compute the values of its columns.

        Raises
        ------
        SolverError
            The basis is singular.
        """
        self._check()
        # Factorize modulo the prime.
        size = len(self.basic)
        first = self._columns.start[self.basic]
        count = self._columns.start[self.basic + 1] - first
        start = np.concatenate(([0], np.cumsum(count)))
        entries = np.repeat(first - start[:-1], count) + np.arange(start[-1])
        row, place = self._columns.row[entries], np.repeat(np.arange(size), count)
        matrix = IntegerMatrix.from_entries((size, size), row, place, self._columns.residue[entries])
        self._residue_lu = SparseLU(matrix, self._prime, self._check)
        if not self._residue_lu.nonsingular:
            raise SolverError("a basis is singular")
        # Factorize in floats.
        try:
            lu: Any = splu(csc_matrix((self._columns.real[entries], row, start), shape=(size, size)))
        except RuntimeError as error:
            raise SolverError(f"a basis is singular: {error}") from None
        lower, upper = lu.L, lu.U
        for factor in (lower, upper):
            factor.sort_indices()  # puts the diagonal first in columns of L and last in columns of U
        self._factors = (
            lu.perm_r, lu.perm_c, lower.indptr, lower.indices, lower.data, upper.indptr, upper.indices, upper.data,
        )  # fmt: skip
        # Compute the values in floats and modulo the prime.
        self._value = np.ascontiguousarray(lu.solve(self._rhs))
        self._value_residue = np.zeros(self._rhs_residues.shape, dtype=np.int64)
        for k in range(self._rhs.shape[1]):
            solved = np.zeros(size, dtype=np.int64)
            solve_mod(self._rhs_residues[:, k].copy(), solved, self._prime, self._residue_lu.factors)
            self._value_residue[:, k] = solved
        self._value[self._value_residue == 0] = 0.0
        self._etas = 0

    def _require_feasible(self) -> None:
        """Raise ``SolverError`` if the first nonzero coefficient of a bounded column's value is negative."""
        first = np.argmax(self._value_residue != 0, axis=1)
        leading = self._value[np.arange(len(first)), first]
        leading = leading[self._bounded]
        if (leading < -_NEGLIGIBLE).any():
            raise SolverError("a value in floats became negative because of rounding errors")

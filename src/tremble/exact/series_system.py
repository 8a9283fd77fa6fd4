r"""Use row operations to make the matrix of a square system over power series nonsingular at 0.

The goal is to compute the Laurent series of :math:`M(\varepsilon)^{-1} b(\varepsilon)` and
:math:`M(\varepsilon)^{-T} c(\varepsilon)`. If :math:`M_0` is nonsingular, one factorization gives all coefficients in
ascending order:

.. math::  M_0 x_k = b_k - \sum_{i \ge 1} M_i x_{k-i}, \qquad M_0^T y_k = c_k - \sum_{i \ge 1} M_i^T y_{k-i} .

If :math:`M_0` is singular, it has a left null vector z: :math:`z^T M_0 = 0`, and :math:`z_r \ne 0` for some r. A *row
operation* replaces row r of the matrix by :math:`z^T M(\varepsilon)/\varepsilon`, which is again a polynomial. It
replaces entry r of the right-hand side by :math:`z^T b(\varepsilon)/\varepsilon`, which may have a pole. Each row
operation lowers the order of the determinant at 0 by one. So finitely many operations make :math:`M_0` nonsingular. If
more operations are needed than the greatest possible degree of the determinant, the determinant is identically 0.

The multipliers y of the original system are computed from the multipliers y of the final system. This module computes
the operations. :mod:`tremble.exact.series_basis` computes the recurrences.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, lemma 11 (a form that is nonsingular at 0 exists; the row operations that lead to it are ours).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.elimination import Factors, factorize
from tremble.exact.program import IntegerMatrix, SingularMatrixError

__all__ = ["RowOperation", "SeriesSystem", "determinant_degree"]


@dataclass(frozen=True, eq=False)
class RowOperation:
    """An operation that replaces row ``row`` of M by a combination of rows.

    The combination is the sum of the rows ``rows``, each times its entry in ``factor``. The sum is divided by the
    infinitesimal. ``row`` is one of ``rows``. No other operation of the same round uses the row ``row``.
    """

    row: int
    rows: NDArray[np.int64]
    factor: NDArray[Any]


class SeriesSystem:
    """A square matrix M over power series, made nonsingular at 0 by row operations.

    Attributes
    ----------
    parts : list of IntegerMatrix
        Coefficients of the matrix after the operations.
    operations : list of lists of RowOperation
        One list for each round. The operations of a round do not affect each other.
    factors : Factors
        Factors of the constant coefficient after the operations.

    Raises
    ------
    SingularMatrixError
        M is singular for every value of the infinitesimal.
    """

    def __init__(
        self, parts: list[IntegerMatrix], check: Callable[[], None], small_limit: int, *, sure: bool = True
    ) -> None:
        self.parts = list(parts)
        self._check = check
        self._small_limit = small_limit
        self._sure = sure  # see tremble.exact.elimination.factorize
        self.operations: list[list[RowOperation]] = []
        self.factors = self._regular()

    def _regular(self) -> Factors:
        """Apply row operations until the matrix at epsilon = 0 is nonsingular. Return the factors of this matrix."""
        order = determinant_degree(self.parts)  # upper bound on the order of the determinant at 0
        while True:
            self._check()
            try:
                return factorize(self.parts[0], self._check, small_limit=self._small_limit, sure=self._sure)
            except SingularMatrixError as singular:
                order -= len(singular.rows)
                if order < 0:
                    raise
                self._operate(singular)

    def _operate(self, singular: SingularMatrixError) -> None:
        """Apply a row operation to each row that depends linearly on other rows at epsilon = 0 (see the module)."""
        constant = self.parts[0]
        size = constant.shape[0]
        rows = np.setdiff1d(np.arange(size), singular.rows)
        columns = np.setdiff1d(np.arange(size), singular.columns)
        inner = factorize(constant.submatrix(rows, columns), self._check, small_limit=self._small_limit)
        batch = []
        for r in singular.rows.tolist():
            target = np.zeros(size, dtype=object)
            where, values = constant.row_entries(r)
            target[where] = values
            combination = np.zeros(size, dtype=object)
            combination[rows], combination[r] = inner.solve_transposed(-target[columns])
            support = np.flatnonzero(combination)
            content = gcd(*combination[support].tolist())
            batch.append(RowOperation(r, support, combination[support] // content))
        replaced = [np.zeros((len(batch), size), dtype=object) for _ in self.parts]
        for i, operation in enumerate(batch):
            combination = np.zeros(size, dtype=object)
            combination[operation.rows] = operation.factor
            for k, part in enumerate(self.parts):
                product = part.transposed_dot(combination)
                if k:
                    replaced[k - 1][i] = product
                elif product.any():
                    raise SolverError("a row operation does not vanish at 0")  # the factorization was wrong
        rows_replaced = np.array([operation.row for operation in batch])
        self.parts = [_with_rows(part, rows_replaced, new) for part, new in zip(self.parts, replaced, strict=True)]
        self.operations.append(batch)


def determinant_degree(parts: list[IntegerMatrix]) -> int:
    """Return a bound on the determinant's degree: the sum of row degrees or of column degrees, whichever is less."""
    degree = np.zeros((2, parts[0].shape[0]), dtype=np.int64)
    for k, part in enumerate(parts):
        degree[0, np.diff(part.row_start) > 0] = k
        degree[1, np.diff(part.column_start) > 0] = k
    return int(degree.sum(axis=1).min())


def _with_rows(matrix: IntegerMatrix, rows: NDArray[np.int64], new: NDArray[Any]) -> IntegerMatrix:
    """Return a sparse matrix in which the rows with the indices ``rows`` are replaced by the dense rows ``new``."""
    kept = ~np.isin(matrix.row_of_entry, rows)
    i, column = np.nonzero(new)
    return IntegerMatrix.from_entries(
        matrix.shape,
        np.concatenate((matrix.row_of_entry[kept], rows[i])),
        np.concatenate((matrix.column[kept], column)),
        np.concatenate((matrix.value[kept].astype(object), new[i, column])),
    )

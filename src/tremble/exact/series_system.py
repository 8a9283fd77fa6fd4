r"""Square systems over power series, made regular at 0.

Wanted are the Laurent series of :math:`M(\varepsilon)^{-1} b(\varepsilon)` and
:math:`M(\varepsilon)^{-T} c(\varepsilon)`. With :math:`M_0` nonsingular the coefficients follow one after the other
from one factorisation,

.. math::  M_0 x_k = b_k - \sum_{i \ge 1} M_i x_{k-i}, \qquad M_0^T y_k = c_k - \sum_{i \ge 1} M_i^T y_{k-i} .

If it is singular, a left null vector :math:`z^T M_0 = 0` with :math:`z_r \ne 0` allows to replace row r by
:math:`z^T M(\varepsilon)/\varepsilon`, again a polynomial, and the right-hand side likewise, which may leave a
pole. Every such *row operation* takes one from the order of the determinant at 0, so after finitely many :math:`M_0` is
nonsingular. If more were needed than the degree that the determinant can have, it is 0 altogether. Multipliers are
carried back through the operations. (The recurrences stand in :mod:`tremble.exact.series_basis`, the operations here.)

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, lemma 11 (that there is a form that is regular at 0; the row operations that lead to it are ours).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.dixon import Factors, SingularMatrixError, factorize
from tremble.exact.matrix import IntegerMatrix

__all__ = ["RowOperation", "SeriesSystem", "determinant_degree"]


@dataclass(frozen=True, eq=False)
class RowOperation:
    """Row ``row`` of M is replaced by the sum of ``factor`` times rows ``rows``, divided by the infinitesimal.

    ``row`` is among ``rows``, and in no other operation of its round.
    """

    row: int
    rows: NDArray[np.int64]
    factor: NDArray[Any]


class SeriesSystem:
    """A square matrix M over power series, made regular at 0 by row operations.

    ``SingularMatrixError`` if M is singular for every value of the infinitesimal.

    Attributes
    ----------
    parts : list of IntegerMatrix
        Coefficients of the matrix after the operations.
    operations : list of lists of RowOperation
        Round by round.
    factors : Factors
        Of the constant coefficient.
    """

    def __init__(
        self, parts: list[IntegerMatrix], check: Callable[[], None], small_limit: int, *, sure: bool = True
    ) -> None:
        self.parts = list(parts)
        self._check = check
        self._small_limit = small_limit
        self._sure = sure  # as of linear.dixon.factorize
        self.operations: list[list[RowOperation]] = []
        self.factors = self._regular()

    def _regular(self) -> Factors:
        order = determinant_degree(self.parts)
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
        """Replace the rows that depend on the others at 0."""
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
                    raise SolverError("a row operation does not vanish at 0")  # the factorisation was wrong
        rows_replaced = np.array([operation.row for operation in batch])
        self.parts = [_with_rows(part, rows_replaced, new) for part, new in zip(self.parts, replaced, strict=True)]
        self.operations.append(batch)


def determinant_degree(parts: list[IntegerMatrix]) -> int:
    """What bounds the degree of the determinant: the degrees of its rows, or of its columns, added up."""
    degree = np.zeros((2, parts[0].shape[0]), dtype=np.int64)
    for k, part in enumerate(parts):
        degree[0, np.diff(part.row_start) > 0] = k
        degree[1, np.diff(part.column_start) > 0] = k
    return int(degree.sum(axis=1).min())


def _with_rows(matrix: IntegerMatrix, rows: NDArray[np.int64], new: NDArray[Any]) -> IntegerMatrix:
    """The matrix with some rows replaced by dense ones."""
    kept = ~np.isin(matrix.row_of_entry, rows)
    i, column = np.nonzero(new)
    return IntegerMatrix.from_entries(
        matrix.shape,
        np.concatenate((matrix.row_of_entry[kept], rows[i])),
        np.concatenate((matrix.column[kept], column)),
        np.concatenate((matrix.value[kept].astype(object), new[i, column])),
    )

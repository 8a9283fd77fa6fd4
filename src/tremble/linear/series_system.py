r"""Square systems over power series, made regular at 0.

Wanted are the Laurent series of :math:`M(\varepsilon)^{-1} b(\varepsilon)` and
:math:`M(\varepsilon)^{-T} c(\varepsilon)`. With :math:`M_0` nonsingular the coefficients follow one after the other
from one factorisation,

.. math::  M_0 x_k = b_k - \sum_{i \ge 1} M_i x_{k-i}, \qquad M_0^T y_k = c_k - \sum_{i \ge 1} M_i^T y_{k-i} .

If it is singular, a left null vector :math:`z^T M_0 = 0` with :math:`z_r \ne 0` allows to replace row r by
:math:`z^T M(\varepsilon)/\varepsilon`, again a polynomial, and the right-hand side likewise, which may leave a
pole. Every such *row operation* takes one from the order of the determinant at 0, so after finitely many :math:`M_0` is
nonsingular. If more were needed than the degree that the determinant can have, it is 0 altogether. Multipliers are
carried back through the operations.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, lemma 11 (that there is a form that is regular at 0; the row operations that lead to it are ours).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.linear.dixon import Factors, SingularMatrixError, factorize
from tremble.linear.matrix import IntegerMatrix

__all__ = ["RowOperation", "SeriesSystem", "determinant_degree", "reduced_fractions"]


@dataclass(frozen=True, eq=False)
class RowOperation:
    """Row ``row`` of M is replaced by the sum of ``factor`` times rows ``rows``, divided by the infinitesimal.

    ``row`` is among ``rows``, and in no other operation of its round.
    """

    row: int
    rows: NDArray[np.int64]
    factor: NDArray[Any]


class SeriesSystem:
    """The square systems M x = b and M' y = c over power series, made regular at 0 by row operations.

    ``SingularMatrixError`` if M is singular for every value of the infinitesimal.
    """

    def __init__(
        self,
        parts: list[IntegerMatrix],
        rhs: NDArray[Any],
        cost: NDArray[Any],
        check: Callable[[], None],
        dense_limit: int,
        *,
        sure: bool = True,
    ) -> None:
        self.parts = list(parts)
        self._rhs = {k: level.astype(object) for k, level in enumerate(rhs)}
        self._cost = cost.astype(object)
        self._check = check
        self._dense_limit = dense_limit
        self._sure = sure  # as of linear.dixon.factorize
        self.operations: list[list[RowOperation]] = []
        self.factors = self._regular()
        self.first_solution = min(self._rhs)
        self.first_multiplier = -len(self.operations)
        self._solutions: list[tuple[NDArray[Any], int]] = []
        self._raw: list[tuple[NDArray[Any], int]] = []  # multipliers of the regular system
        self._order = self.first_multiplier

    def _regular(self) -> Factors:
        order = determinant_degree(self.parts)
        while True:
            self._check()
            try:
                return factorize(self.parts[0], self._check, dense_limit=self._dense_limit, sure=self._sure)
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
        inner = factorize(constant.submatrix(rows, columns), self._check, dense_limit=self._dense_limit)
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
        rhs = {k - 1: np.zeros(size, dtype=object) for k in self._rhs} | {k: v.copy() for k, v in self._rhs.items()}
        for i, operation in enumerate(batch):
            combination = np.zeros(size, dtype=object)
            combination[operation.rows] = operation.factor
            for k, part in enumerate(self.parts):
                product = part.transposed_dot(combination)
                if k:
                    replaced[k - 1][i] = product
                elif product.any():
                    raise SolverError("a row operation does not vanish at 0")  # the factorisation was wrong
            for k in self._rhs:
                rhs[k][operation.row] = 0
        for operation in batch:
            for k, level in self._rhs.items():
                rhs[k - 1][operation.row] = (level[operation.rows] * operation.factor).sum()
        self._rhs = {k: level for k, level in rhs.items() if k >= 0 or level.any()}
        rows_replaced = np.array([operation.row for operation in batch])
        self.parts = [_with_rows(part, rows_replaced, new) for part, new in zip(self.parts, replaced, strict=True)]
        self.operations.append(batch)

    def next_solution(self) -> tuple[NDArray[Any], int]:
        """The next coefficient of x."""
        k = self.first_solution + len(self._solutions)
        target, denominator = self._rhs.get(k, np.zeros(self.parts[0].shape[0], dtype=object)), 1
        for i, part in enumerate(self.parts[1:], start=1):
            if len(self._solutions) >= i:
                earlier, scale = self._solutions[-i]
                common = lcm(denominator, scale)
                target = target * (common // denominator) - part.dot(earlier) * (common // scale)
                denominator = common
        solution, scale = self.factors.solve(target)
        self._solutions.append(reduced_fractions(solution, scale * denominator))
        return self._solutions[-1]

    def next_multiplier(self) -> tuple[NDArray[Any], int]:
        """The next coefficient of y, carried back through the row operations."""
        while len(self._raw) <= self._order - self.first_multiplier:
            self._raw.append(self._next_raw())
        series = dict(enumerate(self._raw))
        for batch in reversed(self.operations):
            series = _carried_back(series, batch)
        size = self.parts[0].shape[0]
        found = series.get(self._order, (np.zeros(size, dtype=object), 1))
        self._order += 1
        return reduced_fractions(*found)

    def _next_raw(self) -> tuple[NDArray[Any], int]:
        k = len(self._raw)
        zero = np.zeros(self.parts[0].shape[0], dtype=object)
        target, denominator = self._cost[k] if k < len(self._cost) else zero, 1
        for i, part in enumerate(self.parts[1:], start=1):
            if k >= i:
                earlier, scale = self._raw[-i]
                common = lcm(denominator, scale)
                target = target * (common // denominator) - part.transposed_dot(earlier) * (common // scale)
                denominator = common
        solution, scale = self.factors.solve_transposed(target)
        return reduced_fractions(solution, scale * denominator)


def _carried_back(
    series: dict[int, tuple[NDArray[Any], int]], batch: list[RowOperation]
) -> dict[int, tuple[NDArray[Any], int]]:
    """Multipliers of the system before a batch of row operations, from those after it."""
    replaced = np.array([operation.row for operation in batch])
    result: dict[int, tuple[NDArray[Any], int]] = {}
    for k in range(min(series) - 1, max(series) + 1):
        value, denominator = series.get(k, (np.zeros_like(next(iter(series.values()))[0]), 1))
        value = value.copy()
        value[replaced] = 0
        if k + 1 in series:
            later, scale = series[k + 1]
            common = lcm(denominator, scale)
            value = value * (common // denominator)
            for operation in batch:
                value[operation.rows] += operation.factor * later[operation.row] * (common // scale)
            denominator = common
        result[k] = value, denominator
    return result


def determinant_degree(parts: list[IntegerMatrix]) -> int:
    """What bounds the degree of the determinant: the degrees of its rows, or of its columns, added up."""
    degree = np.zeros((2, parts[0].shape[0]), dtype=np.int64)
    for k, part in enumerate(parts):
        degree[0, np.diff(part.row_start) > 0] = k
        degree[1, np.diff(part.column_start) > 0] = k
    return int(degree.sum(axis=1).min())


def reduced_fractions(values: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
    """The same fractions with a smaller common denominator."""
    common = gcd(denominator, *values[np.flatnonzero(values)].tolist())
    return (values // common, denominator // common) if common > 1 else (values, denominator)


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

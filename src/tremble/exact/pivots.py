"""Pivots of an exact basic solution.

Usually each pivot solves the system of the new basis from scratch. This is slow if the numbers are long. In this case,
a rank-one update computes the new values and reduced costs from one column and one row of the tableau. Computing this
column and this row is fast, because they have few entries.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from tremble.exact.elimination import Factors, factorize
from tremble.exact.program import Lexicographic, Program, Tableau, true_cost
from tremble.integers import LONG_BITS, lowest_terms
from tremble.run.clock import attempted

__all__ = ["Pivots"]

_GRID = 2**64  # lowered costs are multiples of 1 / (_GRID times the denominator of the costs)


class Pivots(Tableau):
    """The pivot methods of :class:`tremble.exact.lexicographic.BasicSolution`, which describes the attributes."""

    program: Program
    basic: NDArray[np.bool_]
    cost: NDArray[Any]
    cost_denominator: int
    factors: Factors
    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[Any]
    value_denominators: list[int]
    _check: Callable[[], None]
    _small_limit: int

    @property
    @abstractmethod
    def reduced_costs(self) -> NDArray[Any]:
        """Reduced costs of all columns."""

    @property
    @abstractmethod
    def reduced_denominators(self) -> list[int]:
        """Denominators of ``reduced_costs``."""

    @property
    @abstractmethod
    def dual(self) -> Lexicographic:
        """Reduced costs of all columns, as polynomials that can be compared."""

    @property
    @abstractmethod
    def _exponent(self) -> NDArray[np.int64]:
        """An exponent for each column: the unit of the column's value is 2 ** exponent."""

    @abstractmethod
    def priced(self, cost: NDArray[Any], denominator: int = 1) -> Self:
        """Return the solution with the same basis and the given costs."""

    @classmethod
    @abstractmethod
    def repaired(
        cls, program: Program, basic: NDArray[np.bool_], check: Callable[[], None], *, small_limit: int
    ) -> Self:
        """Compute the basic solution of a basis; if the basis is singular, repair it first."""

    @property
    def objective(self) -> Fraction:
        """Objective value at epsilon = 0 for the costs in ``cost``."""
        return self._product(0, 0)

    @cached_property
    def objectives(self) -> tuple[Fraction, ...]:
        """Coefficients of the objective value, a polynomial in the infinitesimal."""
        degrees = [Fraction(0)] * (len(self.cost) + len(self.values) - 1)
        for i in range(len(self.cost)):
            for j in range(len(self.values)):
                degrees[i + j] += self._product(i, j)
        return tuple(degrees)

    def _product(self, cost_degree: int, value_degree: int) -> Fraction:
        pairs = zip(self.cost[cost_degree].tolist(), self.values[value_degree].tolist(), strict=True)
        total = sum(c * v for c, v in pairs if c and v)
        return Fraction(total, self.value_denominators[value_degree] * self.cost_denominator)

    @property
    def progress(self) -> tuple[Fraction, ...]:
        """The objective value, which does not change while pivots stall."""
        return self.objectives

    def lowered(self) -> Self:
        """Return the solution after lowering the costs of the columns that would improve the objective.

        Afterward, no column would improve the objective. Costs are rounded down to keep the integers short. If one of
        the columns is free, no cost is rounded, because the reduced cost of a free column must become exactly 0.
        """
        violating = self.dual_violations
        if self.program.unbounded[violating].any():
            common = lcm(*self.reduced_denominators)
            lowered = self.cost * (common // self.cost_denominator)
            for cost, reduced, denominator in zip(lowered, self.reduced_costs, self.reduced_denominators, strict=True):
                cost[violating] -= reduced[violating] * (common // denominator)
            return self.priced(lowered, common)
        lowered = self.cost * _GRID
        order = self.dual.order
        for k, (cost, reduced, denominator) in enumerate(
            zip(lowered, self.reduced_costs, self.reduced_denominators, strict=True)
        ):
            here = violating[order[violating] == k]
            cost[here] -= 1 + reduced[here] * _GRID * self.cost_denominator // denominator
        return self.priced(lowered, self.cost_denominator * _GRID)

    def restored(self) -> Self:
        """Return this solution with the program's original costs, which :meth:`lowered` has changed."""
        return self.priced(*true_cost(self.program))

    def exchanged(self, entering: int, leaving: int) -> Self:
        """Return the basic solution after column ``entering`` replaces column ``leaving`` in the basis."""
        basic = self.basic.copy()
        basic[entering], basic[leaving] = True, False
        if max(self.value_denominators).bit_length() >= LONG_BITS:  # solving from scratch would take long
            updated = attempted(partial(self._updated, basic, entering, leaving))
            if updated is not None:  # None if the matrix is singular modulo a prime
                return updated
        solution = self.repaired(self.program, basic, self._check, small_limit=self._small_limit)
        return solution.priced(self.cost, self.cost_denominator)

    def _updated(self, basic: NDArray[np.bool_], entering: int, leaving: int) -> Self:
        """Compute the solution after a pivot, from one column and one row of the tableau. This is a rank-one update."""
        program, n = self.program, self.program.num_columns
        columns, rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
        (step, unit), (row, _) = self._column(entering), self._row(leaving)
        step = step.copy()
        step[entering] = -unit
        values = [_pivoted(*level, step, leaving) for level in zip(self.values, self.value_denominators, strict=True)]
        reduced = [
            _pivoted(*level, row, entering) for level in zip(self.reduced_costs, self.reduced_denominators, strict=True)
        ]
        known = lcm(*(denominator for _, denominator in values))
        matrix = program.matrix.submatrix(rows, columns)
        factors = factorize(matrix, self._check, small_limit=self._small_limit, denominator=known)
        updated: Self = replace(
            cast(Any, self),
            basic=basic,
            factors=factors,
            columns=columns,
            rows=rows,
            values=np.stack([level for level, _ in values]),
            value_denominators=[denominator for _, denominator in values],
            _known=(np.stack([level for level, _ in reduced]), [denominator for _, denominator in reduced]),
        )
        return updated

    def column(self, j: int) -> Lexicographic:
        """Return the entry of B^-1 a_j for each basic column, and 0 for others. B is the basis matrix, a_j column j."""
        return Lexicographic(self._column(j)[0][np.newaxis], self._exponent)

    def row(self, k: int) -> Lexicographic:
        """Return the row of the basic column k in the tableau B^-1 [A I], where B is the basis matrix."""
        return Lexicographic(self._row(k)[0][np.newaxis], self._exponent)

    def _column(self, j: int) -> tuple[NDArray[Any], int]:
        return self._cached("column", j, self._solved_column)

    def _row(self, k: int) -> tuple[NDArray[Any], int]:
        return self._cached("row", k, self._solved_row)

    def _cached(
        self, kind: str, index: int, solve: Callable[[int], tuple[NDArray[Any], int]]
    ) -> tuple[NDArray[Any], int]:
        """Return a column or a row, and its denominator. Cache the last column and the last row."""
        if self._cache.get(kind, (None,))[0] != index:
            self._cache[kind] = index, *solve(index)
        return self._cache[kind][1:]

    @cached_property
    def _cache(self) -> dict[str, tuple[int, NDArray[Any], int]]:
        return {}

    def _solved_column(self, j: int) -> tuple[NDArray[Any], int]:
        n, m = self.program.num_columns, self.program.num_rows
        a = np.zeros(m, dtype=object)
        if j < n:
            rows, entries = self.program.matrix.column_entries(j)
            a[rows] = entries.astype(object)
        else:
            a[j - n] = 1
        w, denominator = self.factors.solve(a[self.rows])
        result = np.zeros(n + m, dtype=object)
        result[self.columns] = w
        rest = a * denominator - self.program.matrix.dot(result[:n])
        outside = np.flatnonzero(self.basic[n:])
        result[n + outside] = rest[outside]
        return result, denominator

    def _solved_row(self, k: int) -> tuple[NDArray[Any], int]:
        n, m = self.program.num_columns, self.program.num_rows
        target = np.zeros(len(self.columns), dtype=object)
        rho = np.zeros(m, dtype=object)
        if k < n:
            target[np.searchsorted(self.columns, k)] = 1
        else:
            rho[k - n] = 1
            columns, entries = self.program.matrix.row_entries(k - n)
            where = np.searchsorted(self.columns, columns)
            where[where == len(self.columns)] = 0
            hit = self.columns[where] == columns if len(self.columns) else np.zeros(len(columns), dtype=np.bool_)
            target[where[hit]] = -entries[hit].astype(object)
        solution, denominator = self.factors.solve_transposed(target)
        rho = rho * denominator
        rho[self.rows] = solution
        return np.concatenate((self.program.matrix.transposed_dot(rho).astype(object), rho)), denominator


def _pivoted(values: NDArray[Any], denominator: int, step: NDArray[Any], pivot: int) -> tuple[NDArray[Any], int]:
    """Return ``values - step * values[pivot] / step[pivot]`` as integers over a positive denominator."""
    from flint import fmpz

    pivot_step, pivot_value = fmpz(step[pivot]), fmpz(values[pivot])
    if pivot_step < 0:
        pivot_step, pivot_value = -pivot_step, -pivot_value
    support = np.flatnonzero((values != 0) | (step != 0))
    pairs = zip(values[support].tolist(), step[support].tolist(), strict=True)
    numerators = [fmpz(value) * pivot_step - fmpz(other) * pivot_value for value, other in pairs]
    result = np.zeros(len(values), dtype=object)
    result[support], new_denominator = lowest_terms(numerators, fmpz(denominator) * pivot_step)
    return result, new_denominator

r"""Exact numbers: rational ones, and polynomials in an infinitesimal, compared lexicographically.

For a basis of :class:`~tremble.exact.program.Program` with a constant matrix let C be its structural columns and R the
rows whose logical is *not* basic; |C| = |R|, and :math:`M = A_{RC}` is the only matrix that must be factorised:

.. math::  M z_C = b_R, \qquad s = b - A_{\cdot C} z_C, \qquad
           M^T y_R = c_C - A_{\bar R C}^T y_{\bar R}, \qquad d = (c - A^T y,\; c_s - y),

with :math:`y_i = c_{s_i}` at the basic logicals (their cost is 0 but in phase 1 of the published simplex method). The
basis is optimal iff no basic column violates its bound and no nonbasic one has a reduced cost that improves; both
are decided on integers. If it is not, exact simplex pivots (:mod:`tremble.exact.simplex`) go on from there: the end is
guaranteed whatever basis the float solver returned.

Right-hand sides and costs may be polynomials in an infinitesimal :math:`\varepsilon > 0`. Everything above is linear in
them, so each column then has one value and one reduced cost per degree, and numbers are compared lexicographically: the
first coefficient that differs decides. Rational numbers have one coefficient.

A pivot is a new basis, solved anew. Where numbers are long, solutions take long, while one column and one row of the
tableau, which have few entries, do not: then values and reduced costs are updated by these, of rank one.

Sizes are measured in the units that the program proposes to the float solver: with payoffs of 1e-9 and 1e12 in one game
this took 107 pivots where raw numbers took 1,486.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dixon import SMALL_LIMIT, Factors, SingularMatrixError, factorize
from tremble.exact.draws import draws
from tremble.exact.program import Program
from tremble.exact.simplex import Simplex, Tableau, ViolationRule
from tremble.integers import LONG_BITS, lowest_terms
from tremble.run.clock import attempted

__all__ = ["BasicSolution", "Lexicographic", "optimize"]

_DEGENERATE = 0.6  # share of zeros among the basic columns
_STALL = 10  # degenerate pivots before choices are drawn at random
_GRID = 2**64  # lowered costs are multiples of 1 / _GRID


@dataclass(frozen=True, eq=False)
class Lexicographic:
    """One polynomial in an infinitesimal for each column; its first nonzero coefficient decides its sign."""

    # Integers; those of one degree have some common positive denominator.
    coefficients: NDArray[Any]  # object[degree + 1, n + m]
    exponent: NDArray[np.int64]  # [n + m]: sizes are compared in units of 2 ** -exponent

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The degree of the first coefficient that is not 0; the last degree if there is none."""
        nonzero = np.asarray(self.coefficients != 0, dtype=np.bool_)
        nonzero[-1] = True
        order: NDArray[np.int64] = np.argmax(nonzero, axis=0)
        return order

    @cached_property
    def sign(self) -> NDArray[np.int64]:
        """-1, 0 or 1."""
        levels, size = self.coefficients.shape
        decisive = self.coefficients[self.order, np.arange(size)] if levels > 1 else self.coefficients[0]
        return (decisive > 0).astype(np.int64) - (decisive < 0).astype(np.int64)

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Which are not 0."""
        return np.asarray(self.sign != 0)

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """The candidate with the greatest leading coefficient of the lowest degree; the first among equals."""
        order = self.order[candidates]
        candidates = candidates[order == order.min()]
        shift = self.exponent[candidates] - self.exponent[candidates].min()
        leading = self.coefficients[order.min(), candidates]
        comparable = [abs(a) << b for a, b in zip(leading.tolist(), shift.tolist(), strict=True)]
        return int(candidates[comparable.index(max(comparable))])

    def least_ratio(self, candidates: NDArray[np.int64], step: Lexicographic) -> int:
        """The candidate of least ratio of its size to that of ``step``, which is rational; the first among equals."""
        for coefficient in self.coefficients:
            if len(candidates) < 2:
                break
            size = coefficient[candidates] * self.sign[candidates]
            pairs = zip(size.tolist(), step.coefficients[0, candidates].tolist(), strict=True)
            ratios = [Fraction(a, abs(b)) for a, b in pairs]
            least = min(ratios)
            candidates = candidates[[ratio == least for ratio in ratios]]
        return int(candidates[0])


@dataclass(frozen=True, eq=False)
class BasicSolution(Tableau):
    """The exact basic solution of a basis, primal and dual.

    Attributes
    ----------
    program : Program
    basic : bool[n + m]
    cost : object[degrees of the cost, n + m]
        Costs of all columns, in integers over ``cost_denominator``.
    factors : Factors
        Of the matrix M of the module's description.
    values : object[degrees of the right-hand side, n + m]
        Values of all columns (structural, then logical), degree k over ``value_denominators[k]``.
    reduced_costs : object[degrees of the cost, n + m]
        Reduced costs of all columns, degree k over ``reduced_denominators[k]``; multipliers y are minus its
        logical part when logicals cost nothing.
    """

    program: Program
    basic: NDArray[np.bool_]
    cost: NDArray[Any]
    cost_denominator: int
    factors: Factors
    columns: NDArray[np.int64]  # C
    rows: NDArray[np.int64]  # R
    values: NDArray[Any]
    value_denominators: list[int]
    _check: Callable[[], None]
    _small_limit: int
    _known: tuple[NDArray[Any], list[int]] | None = None  # reduced costs and denominators, if they need no solve

    @classmethod
    def of(
        cls,
        program: Program,
        basic: NDArray[np.bool_],
        check: Callable[[], None],
        *,
        small_limit: int = SMALL_LIMIT,
    ) -> BasicSolution:
        """Compute the basic solution of a basis; ``SingularMatrixError`` if it is none."""
        n, m = program.num_columns, program.num_rows
        columns, rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
        factors = factorize(program.matrix.submatrix(rows, columns), check, small_limit=small_limit)
        values = np.zeros((len(program.rhs), n + m), dtype=object)
        denominators = []
        for value, rhs in zip(values, program.rhs, strict=True):
            value[columns], denominator = factors.solve(rhs[rows])
            value[n:] = rhs.astype(object) * denominator - program.matrix.dot(value[:n])
            denominators.append(denominator)
        return cls(
            program, basic, *_true_cost(program), factors, columns, rows, values, denominators, check, small_limit
        )

    @classmethod
    def repaired(
        cls,
        program: Program,
        basic: NDArray[np.bool_],
        check: Callable[[], None],
        *,
        small_limit: int = SMALL_LIMIT,
    ) -> BasicSolution:
        """The same where the basis may be singular: logicals of the rows left over replace dependent columns."""
        n = program.num_columns
        check()
        while True:
            try:
                return cls.of(program, basic, check, small_limit=small_limit)
            except SingularMatrixError as singular:
                columns, rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
                basic = basic.copy()
                basic[columns[singular.columns]] = False
                basic[n + rows[singular.rows]] = True

    def priced(self, cost: NDArray[Any], denominator: int = 1) -> BasicSolution:
        """The same basis with other costs, object[any degrees, n + m], in integers over a denominator."""
        return replace(self, cost=cost, cost_denominator=denominator, _known=None)

    @cached_property
    def _multipliers(self) -> tuple[NDArray[Any], list[int]]:
        """Reduced costs of all columns, and their denominators."""
        if self._known is not None:
            return self._known
        program, n, m = self.program, self.program.num_columns, self.program.num_rows
        kept = np.flatnonzero(self.basic[n:])
        reduced_costs = np.zeros_like(self.cost)
        denominators = []
        for reduced, cost in zip(reduced_costs, self.cost, strict=True):
            y = np.zeros(m, dtype=object)
            y[kept] = cost[n + kept]
            target = cost[self.columns]
            if y.any():
                target = target - program.matrix.transposed_dot(y)[self.columns]
            y_rows, denominator = self.factors.solve_transposed(target)
            y = y * denominator
            y[self.rows] = y_rows
            reduced[:] = cost * denominator
            reduced[:n] -= program.matrix.transposed_dot(y)
            reduced[n:] -= y
            denominators.append(denominator * self.cost_denominator)
        return reduced_costs, denominators

    @property
    def reduced_costs(self) -> NDArray[Any]:
        """Reduced costs of all columns, degree k over ``reduced_denominators[k]``."""
        return self._multipliers[0]

    @property
    def reduced_denominators(self) -> list[int]:
        """Denominators of ``reduced_costs``."""
        return self._multipliers[1]

    @property
    def value(self) -> NDArray[Any]:
        """Values of all columns at degree 0 (all there is in an ordinary program) over ``value_denominator``."""
        first: NDArray[Any] = self.values[0]
        return first

    @property
    def value_denominator(self) -> int:
        """Denominator of ``value``."""
        return self.value_denominators[0]

    @property
    def reduced(self) -> NDArray[Any]:
        """Reduced costs of all columns at degree 0 over ``reduced_denominator``."""
        first: NDArray[Any] = self.reduced_costs[0]
        return first

    @property
    def reduced_denominator(self) -> int:
        """Denominator of ``reduced``."""
        return self.reduced_denominators[0]

    @cached_property
    def primal(self) -> Lexicographic:
        """Values as ordered numbers."""
        return Lexicographic(self.values, -self._exponent)

    @cached_property
    def dual(self) -> Lexicographic:
        """Reduced costs as ordered numbers."""
        return Lexicographic(self.reduced_costs, self._exponent)

    @property
    def _exponent(self) -> NDArray[np.int64]:
        """The unit of each column's value, as a power of 2."""
        return np.concatenate((self.program.column_exponent, -self.program.row_exponent))

    @property
    def degenerate(self) -> bool:
        """Whether so many basic columns are 0 that the basis says little about what is near it."""
        return bool(np.mean(self.value[self.basic] == 0) > _DEGENERATE)

    @property
    def objective(self) -> Fraction:
        """Objective value for ``cost``, at degree 0."""
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
        """The objective."""
        return self.objectives

    def lowered(self) -> BasicSolution:
        """With lower costs for the columns that would improve, so that they do not.

        Rounded down to a grid, which keeps the integers short; a free column must come out exactly.
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

    def restored(self) -> BasicSolution:
        """With the true costs."""
        return self.priced(*_true_cost(self.program))

    def exchanged(self, entering: int, leaving: int) -> BasicSolution:
        """The basic solution of the basis with one column for another."""
        basic = self.basic.copy()
        basic[entering], basic[leaving] = True, False
        if max(self.value_denominators).bit_length() >= LONG_BITS:  # solves take long
            updated = attempted(partial(self._updated, basic, entering, leaving))
            if updated is not None:  # else the matrix was taken for singular
                return updated
        solution = self.repaired(self.program, basic, self._check, small_limit=self._small_limit)
        return solution.priced(self.cost, self.cost_denominator)

    def _updated(self, basic: NDArray[np.bool_], entering: int, leaving: int) -> BasicSolution:
        """The same from the values here, by one column and one row of the tableau, which are shorter than solutions."""
        program, n = self.program, self.program.num_columns
        columns, rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
        (step, unit), (row, _) = self._column(entering), self._row(leaving)
        step = step.copy()
        step[entering] = -unit
        values = [_moved(*level, step, leaving) for level in zip(self.values, self.value_denominators, strict=True)]
        reduced = [
            _moved(*level, row, entering) for level in zip(self.reduced_costs, self.reduced_denominators, strict=True)
        ]
        known = lcm(*(denominator for _, denominator in values))
        matrix = program.matrix.submatrix(rows, columns)
        factors = factorize(matrix, self._check, small_limit=self._small_limit, denominator=known)
        return replace(
            self,
            basic=basic,
            factors=factors,
            columns=columns,
            rows=rows,
            values=np.stack([level for level, _ in values]),
            value_denominators=[denominator for _, denominator in values],
            _known=(np.stack([level for level, _ in reduced]), [denominator for _, denominator in reduced]),
        )

    def column(self, j: int) -> Lexicographic:
        """B^-1 a_j, at the basic columns (0 elsewhere)."""
        return Lexicographic(self._column(j)[0][np.newaxis], self._exponent)

    def row(self, k: int) -> Lexicographic:
        """The row of B^-1 [A I] that belongs to the basic column k."""
        return Lexicographic(self._row(k)[0][np.newaxis], self._exponent)

    def _column(self, j: int) -> tuple[NDArray[Any], int]:
        return self._last("column", j, self._solved_column)

    def _row(self, k: int) -> tuple[NDArray[Any], int]:
        return self._last("row", k, self._solved_row)

    def _last(
        self, what: str, index: int, solve: Callable[[int], tuple[NDArray[Any], int]]
    ) -> tuple[NDArray[Any], int]:
        """A column or a row, integers over a denominator; the last of each is kept for the pivot."""
        if self._kept.get(what, (None,))[0] != index:
            self._kept[what] = index, *solve(index)
        return self._kept[what][1:]

    @cached_property
    def _kept(self) -> dict[str, tuple[int, NDArray[Any], int]]:
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


def _moved(values: NDArray[Any], denominator: int, step: NDArray[Any], pivot: int) -> tuple[NDArray[Any], int]:
    """``values - step * values[pivot] / step[pivot]``, integers over a positive denominator."""
    from flint import fmpz

    lead, head = fmpz(step[pivot]), fmpz(values[pivot])
    lead, head = (-lead, -head) if lead < 0 else (lead, head)
    support = np.flatnonzero((values != 0) | (step != 0))
    pairs = zip(values[support].tolist(), step[support].tolist(), strict=True)
    tops = [fmpz(value) * lead - fmpz(other) * head for value, other in pairs]
    moved = np.zeros(len(values), dtype=object)
    moved[support], bottom = lowest_terms(tops, fmpz(denominator) * lead)
    return moved, bottom


def _true_cost(program: Program) -> tuple[NDArray[Any], int]:
    """Costs of all columns, of which logicals have none."""
    cost = program.cost.astype(object)
    return np.concatenate((cost, np.zeros((len(cost), program.num_rows), dtype=object)), axis=1), 1


def optimize(
    program: Program,
    basis: NDArray[np.int64],
    check: Callable[[], None],
    *,
    max_pivots: int | None = None,
    small_limit: int = SMALL_LIMIT,
    idle: bool = True,
    rule: Callable[[], ViolationRule] = lambda: ViolationRule(draws(), _STALL),
) -> tuple[BasicSolution, int]:
    """The exact optimum, by exact pivots from a basis.

    Parameters
    ----------
    program : Program
        Feasible and bounded; with a constant matrix.
    basis : int64[m]
        Basic columns; may be infeasible, not optimal, even singular.
    max_pivots : int, optional
        Stop after so many pivots; the solution returned need not be optimal then.
    idle : bool
        Whether logicals of equality rows may be basic in the end.

    Returns
    -------
    solution : BasicSolution
    pivots : int
        How many exact pivots were needed; 0 if the basis was optimal.

    Raises
    ------
    SolverError
        The program is infeasible or unbounded.
    """
    start = BasicSolution.repaired(program, program.basic(basis), check, small_limit=small_limit)
    simplex = Simplex(start, rule, max_pivots=max_pivots)
    simplex.optimize()
    if not idle:
        simplex.dismiss()
    return simplex.tableau, simplex.pivots

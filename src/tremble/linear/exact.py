r"""Exact basic solutions, and an exact simplex method that finishes what floats began.

For a basis of :class:`~tremble.linear.program.Program` let C be its structural columns and R the rows
whose logical is *not* basic; |C| = |R|, and :math:`M = A_{RC}` is the only matrix that must be factorised:

.. math::  M z_C = b_R, \qquad s = b - A_{\cdot C} z_C, \qquad
           M^T y_R = c_C - A_{\bar R C}^T y_{\bar R}, \qquad d = (c - A^T y,\; c_s - y),

with :math:`y_i = c_{s_i}` at the basic logicals (their cost is 0 but for phase 1 below). The basis is
optimal iff no basic column violates its bound and no nonbasic one has a reduced cost that improves; both
are decided on integers.

If it is not, exact pivots go on from there:

1. If neither the primal nor the dual side is feasible, the costs of the nonbasic columns that would improve
   are lowered until they just do not; now the dual side is feasible.
2. Dual simplex pivots restore primal feasibility.
3. With the true costs, primal simplex pivots reach the optimum.

Right-hand sides and costs may be polynomials in an infinitesimal :math:`\varepsilon > 0`; the matrix is constant.
Everything above is linear in them, so each column then has one value and one reduced cost per degree, a *level*, and
numbers are compared lexicographically: the first level that differs decides. A plain program has one level.

The greatest violation is taken, measured in the units that the program proposes to the float solver: with
payoffs of 1e-9 and 1e12 in one game this took 107 pivots where raw numbers took 1,486. While the objective
stalls, violations are drawn at random (:mod:`.draws`); should a stall be very long, Bland's rule ends it, so
the pivots cannot cycle: the end is guaranteed whatever basis the float solver returned.

References
----------
R. G. Bland: New finite pivoting rules for the simplex method, Mathematics of Operations Research 2, 1977.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.linear.dixon import DENSE_LIMIT, Factors, SingularMatrixError, factorize
from tremble.linear.draws import draws
from tremble.linear.program import Program

__all__ = ["Vertex", "optimize", "repaired_basis"]

_DEGENERATE = 0.6  # share of zeros among the basic columns
_STALL = 10  # degenerate pivots before choices are drawn at random
_GRID = 2**64  # lowered costs are multiples of 1 / _GRID
_LONG_STALL = 5_000  # and before Bland's rule takes over


@dataclass(frozen=True, eq=False)
class Vertex:
    """The exact basic solution of a basis, primal and dual.

    Attributes
    ----------
    program : Program
    basic : bool[n + m]
    cost : object[levels of the cost, n + m]
        Costs of all columns, in integers over ``cost_denominator``.
    factors : Factors
        Of the matrix M of the module's description.
    values : object[levels of the right-hand side, n + m]
        Values of all columns (structural, then logical), level k over ``value_denominators[k]``.
    reduced_costs : object[levels of the cost, n + m]
        Reduced costs of all columns, level k over ``reduced_denominators[k]``; multipliers y are minus its
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
    reduced_costs: NDArray[Any]
    reduced_denominators: list[int]

    @classmethod
    def of(
        cls,
        program: Program,
        basic: NDArray[np.bool_],
        check: Callable[[], None],
        *,
        cost: tuple[NDArray[Any], int] | None = None,
        dense_limit: int = DENSE_LIMIT,
    ) -> Vertex:
        """Compute the vertex of a basis; ``SingularMatrixError`` if it is none."""
        n, m = program.num_columns, program.num_rows
        if cost is None:
            given = program.cost.astype(object)
            cost = np.concatenate((given, np.zeros((len(given), m), dtype=object)), axis=1), 1
        costs, scale = cost
        columns = np.flatnonzero(basic[:n])
        rows = np.flatnonzero(~basic[n:])
        kept = np.flatnonzero(basic[n:])
        factors = factorize(program.matrix.submatrix(rows, columns), check, dense_limit=dense_limit)
        values = np.zeros((len(program.rhs), n + m), dtype=object)
        value_denominators = []
        for value, rhs in zip(values, program.rhs, strict=True):
            value[columns], denominator = factors.solve(rhs[rows])
            value[n:] = rhs.astype(object) * denominator - program.matrix.dot(value[:n])
            value_denominators.append(denominator)
        reduced_costs = np.zeros_like(costs)
        reduced_denominators = []
        for reduced, level in zip(reduced_costs, costs, strict=True):
            y = np.zeros(m, dtype=object)
            y[kept] = level[n + kept]
            target = level[columns] - program.matrix.transposed_dot(y)[columns] if y.any() else level[columns]
            y_rows, denominator = factors.solve_transposed(target)
            y = y * denominator
            y[rows] = y_rows
            reduced[:] = level * denominator
            reduced[:n] -= program.matrix.transposed_dot(y)
            reduced[n:] -= y
            reduced_denominators.append(denominator * scale)
        return cls(
            program, basic, costs, scale, factors, columns, rows, values, value_denominators, reduced_costs,
            reduced_denominators,
        )  # fmt: skip

    @property
    def value(self) -> NDArray[Any]:
        """Values of all columns at the first level (all there is in a plain program) over ``value_denominator``."""
        first: NDArray[Any] = self.values[0]
        return first

    @property
    def value_denominator(self) -> int:
        """Denominator of ``value``."""
        return self.value_denominators[0]

    @property
    def reduced(self) -> NDArray[Any]:
        """Reduced costs of all columns at the first level over ``reduced_denominator``."""
        first: NDArray[Any] = self.reduced_costs[0]
        return first

    @property
    def reduced_denominator(self) -> int:
        """Denominator of ``reduced``."""
        return self.reduced_denominators[0]

    @cached_property
    def primal_violations(self) -> NDArray[np.int64]:
        """Basic columns outside their bounds."""
        sign = _sign(self.values)
        return np.flatnonzero(
            self.basic & np.where(self.program.fixed, sign != 0, (sign < 0) & ~self.program.unbounded)
        )

    @cached_property
    def dual_violations(self) -> NDArray[np.int64]:
        """Nonbasic columns that would improve the objective."""
        sign = _sign(self.reduced_costs)
        return np.flatnonzero(~self.basic & ~self.program.fixed & np.where(self.program.unbounded, sign != 0, sign > 0))

    @property
    def optimal(self) -> bool:
        """Whether the basis is exactly optimal for ``cost``."""
        return not len(self.primal_violations) and not len(self.dual_violations)

    @property
    def degenerate(self) -> bool:
        """Whether so many basic columns are 0 that the basis says little about what is near it."""
        return bool(np.mean(self.value[self.basic] == 0) > _DEGENERATE)

    @property
    def objective(self) -> Fraction:
        """Objective value for ``cost``, at the first level."""
        return self._product(0, 0)

    @property
    def objectives(self) -> tuple[Fraction, ...]:
        """Coefficients of the objective value, a polynomial in the infinitesimal."""
        degrees = [Fraction(0)] * (len(self.cost) + len(self.values) - 1)
        for i in range(len(self.cost)):
            for j in range(len(self.values)):
                degrees[i + j] += self._product(i, j)
        return tuple(degrees)

    def _product(self, cost_level: int, value_level: int) -> Fraction:
        pairs = zip(self.cost[cost_level].tolist(), self.values[value_level].tolist(), strict=True)
        total = sum(c * v for c, v in pairs if c and v)
        return Fraction(total, self.value_denominators[value_level] * self.cost_denominator)

    def lowered_cost(self) -> tuple[NDArray[Any], int]:
        """Costs (integers and a denominator) for which no nonbasic column would improve: those that do are lowered.

        Rounded down to a grid, which keeps the integers short; a free column must come out exactly.
        """
        violating = self.dual_violations
        if self.program.unbounded[violating].any():
            common = lcm(*self.reduced_denominators)
            lowered = self.cost * (common // self.cost_denominator)
            for level, reduced, denominator in zip(lowered, self.reduced_costs, self.reduced_denominators, strict=True):
                level[violating] -= reduced[violating] * (common // denominator)
            return lowered, common
        lowered = self.cost * _GRID
        leading = _leading_level(self.reduced_costs)
        for k, (level, reduced, denominator) in enumerate(
            zip(lowered, self.reduced_costs, self.reduced_denominators, strict=True)
        ):
            here = violating[leading[violating] == k]
            level[here] -= 1 + reduced[here] * _GRID * self.cost_denominator // denominator
        return lowered, self.cost_denominator * _GRID

    def tableau_column(self, j: int) -> tuple[NDArray[Any], int]:
        """B^-1 a_j at the basic columns (0 elsewhere): object[n + m] over a denominator."""
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

    def tableau_row(self, k: int) -> tuple[NDArray[Any], int]:
        """Row of B^-1 [A I] that belongs to the basic column k: object[n + m] over a denominator."""
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


def _leading_level(values: NDArray[Any]) -> NDArray[np.int64]:
    """The first level at which each column is not zero; the last if there is none."""
    nonzero = np.asarray(values != 0, dtype=np.bool_)
    nonzero[-1] = True
    level: NDArray[np.int64] = np.argmax(nonzero, axis=0)
    return level


def _sign(values: NDArray[Any]) -> NDArray[np.int64]:
    """Lexicographic sign of each column of object[levels, n + m]."""
    decisive = values[_leading_level(values), np.arange(values.shape[1])] if len(values) > 1 else values[0]
    return (decisive > 0).astype(np.int64) - (decisive < 0).astype(np.int64)


def repaired_basis(basic: NDArray[np.bool_], num_columns: int, singular: SingularMatrixError) -> NDArray[np.bool_]:
    """The basis with its dependent structural columns replaced by the logicals of the rows left over."""
    repaired = basic.copy()
    columns = np.flatnonzero(basic[:num_columns])
    rows = np.flatnonzero(~basic[num_columns:])
    repaired[columns[singular.columns]] = False
    repaired[num_columns + rows[singular.rows]] = True
    return repaired


def optimize(
    program: Program,
    basis: NDArray[np.int64],
    check: Callable[[], None],
    *,
    max_pivots: int | None = None,
    dense_limit: int = DENSE_LIMIT,
) -> tuple[Vertex, int]:
    """The exact optimum, by exact pivots from a basis.

    Parameters
    ----------
    program : Program
        Feasible and bounded; with a constant matrix.
    basis : int64[m]
        Basic columns; may be infeasible, not optimal, even singular.
    check : callable
        Called between slices of work; may raise to stop it.
    max_pivots : int, optional
        Stop after so many pivots; the vertex returned need not be optimal then.

    Returns
    -------
    vertex : Vertex
    pivots : int
        How many exact pivots were needed; 0 if the basis was optimal.

    Raises
    ------
    SolverError
        The program is infeasible or unbounded.
    """
    n, basic = program.num_columns, program.basic(basis)

    def vertex_of(basic: NDArray[np.bool_], cost: tuple[NDArray[Any], int] | None = None) -> Vertex:
        check()
        while True:
            try:
                return Vertex.of(program, basic, check, cost=cost, dense_limit=dense_limit)
            except SingularMatrixError as singular:
                basic = repaired_basis(basic, n, singular)

    vertex = vertex_of(basic)
    if vertex.optimal:
        return vertex, 0
    pivots = 0
    unit = np.concatenate((program.column_exponent, -program.row_exponent))  # of a column's value, as a power of 2
    while not vertex.optimal and (max_pivots is None or pivots < max_pivots):
        # One round is enough, unless a basis was taken for singular that is not.
        cost = None
        if len(vertex.primal_violations) and len(vertex.dual_violations):
            cost = vertex.lowered_cost()
            vertex = vertex_of(vertex.basic, cost)
        rule = _PivotRule()
        while len(vertex.primal_violations) and not len(vertex.dual_violations):
            if max_pivots is not None and pivots >= max_pivots:
                break
            leaving = rule.choose(vertex.objectives, vertex.primal_violations, vertex.values, -unit)
            vertex = vertex_of(_dual_pivot(vertex, leaving), cost)
            pivots += 1
        if cost is not None:
            vertex = vertex_of(vertex.basic)
        rule = _PivotRule()
        while len(vertex.dual_violations) and not len(vertex.primal_violations):
            if max_pivots is not None and pivots >= max_pivots:
                break
            entering = rule.choose(vertex.objectives, vertex.dual_violations, vertex.reduced_costs, unit)
            vertex = vertex_of(_primal_pivot(vertex, entering))
            pivots += 1
    return vertex, pivots


class _PivotRule:
    """Chooses among violations: the greatest; in a stall one at random; in a long stall the first (Bland)."""

    def __init__(self) -> None:
        self._random = draws()
        self._objectives: tuple[Fraction, ...] | None = None
        self._stalled = 0

    def choose(
        self,
        objectives: tuple[Fraction, ...],
        violations: NDArray[np.int64],
        size: NDArray[Any],
        exponent: NDArray[np.int64],
    ) -> int:
        """One of ``violations``; ``size`` times 2 ** ``exponent`` says how bad each column is, level by level."""
        self._stalled = self._stalled + 1 if objectives == self._objectives else 0
        self._objectives = objectives
        if self._stalled > _LONG_STALL:
            return int(violations[0])
        if self._stalled > _STALL:
            return int(self._random.choice(violations))
        level = _leading_level(size)[violations]
        violations = violations[level == level.min()]
        shift = exponent[violations] - exponent[violations].min()
        comparable = [abs(a) << b for a, b in zip(size[level.min(), violations].tolist(), shift.tolist(), strict=True)]
        return int(violations[comparable.index(max(comparable))])


def _least_ratio(candidates: NDArray[np.int64], size: NDArray[Any], row: NDArray[Any]) -> int:
    """The candidate with the lexicographically least ``size / |row|``, the first among equals; -1 if there is none."""
    for level in size:
        if len(candidates) < 2:
            break
        pairs = zip(level[candidates].tolist(), row[candidates].tolist(), strict=True)
        ratios = [Fraction(a, abs(b)) for a, b in pairs]
        least = min(ratios)
        candidates = candidates[[ratio == least for ratio in ratios]]
    return int(candidates[0]) if len(candidates) else -1


def _primal_pivot(vertex: Vertex, entering: int) -> NDArray[np.bool_]:
    """The next basis of the primal simplex method (the vertex is primal feasible)."""
    column, _ = vertex.tableau_column(entering)
    if _sign(vertex.reduced_costs)[entering] < 0:
        column = -column
    leaving = _least_ratio(
        np.flatnonzero(
            vertex.basic & ~vertex.program.unbounded & ((column > 0) | (vertex.program.fixed & (column != 0)))
        ),
        vertex.values,
        column,
    )
    if leaving < 0:
        raise SolverError("the linear program is unbounded")
    return _exchanged(vertex.basic, entering, leaving)


def _dual_pivot(vertex: Vertex, leaving: int) -> NDArray[np.bool_]:
    """The next basis of the dual simplex method (the vertex is dual feasible)."""
    row, _ = vertex.tableau_row(leaving)
    if _sign(vertex.values)[leaving] < 0:
        row = -row
    entering = _least_ratio(
        np.flatnonzero(~vertex.basic & ~vertex.program.fixed & ((row > 0) | (vertex.program.unbounded & (row != 0)))),
        -vertex.reduced_costs,
        row,
    )
    if entering < 0:
        raise SolverError("the linear program is infeasible")
    return _exchanged(vertex.basic, entering, leaving)


def _exchanged(basic: NDArray[np.bool_], entering: int, leaving: int) -> NDArray[np.bool_]:
    result = basic.copy()
    result[entering], result[leaving] = True, False
    return result

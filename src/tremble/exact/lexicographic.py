r"""Compute exact basic solutions, in rational numbers or in polynomials that are compared lexicographically.

For a basis of a :class:`~tremble.exact.program.Program` with a constant matrix, let C be the basic structural columns,
and R the rows whose logical is *not* basic. Then |C| = |R|, and only the matrix :math:`M = A_{RC}` must be factorized:

.. math::  M z_C = b_R, \qquad s = b - A_{\cdot C} z_C, \qquad
           M^T y_R = c_C - A_{\bar R C}^T y_{\bar R}, \qquad d = (c - A^T y,\; c_s - y) .

If the logical of row i is basic, :math:`y_i = c_{s_i}`. This cost is 0 except in phase 1 of the published simplex
method. The basis is optimal if and only if no basic column violates its bound and no nonbasic column has an improving
reduced cost. Both conditions are decided with integers. If the basis is not optimal, exact simplex pivots
(:mod:`tremble.exact.simplex`) continue from it. So any basis that the float solver returns leads to the optimum.

Right-hand sides and costs may be polynomials in an infinitesimal :math:`\varepsilon > 0`. The equations above are
linear in them. So each column has one value for each degree of the right-hand side, and one reduced cost for each
degree of the cost. Polynomials are compared lexicographically: the first coefficient that differs decides. A rational
number is a polynomial with one coefficient.

Numbers are compared in the units that the program proposes to the float solver. A game with payoffs of 1e-9 and 1e12
needed 107 pivots with these units, and 1,486 pivots with unscaled numbers.

:func:`lexicographic_float_basis` guesses a stable basis with float programs. Let
:math:`b(\varepsilon) = \sum_k b_k \varepsilon^k` and :math:`c(\varepsilon) = \sum_k c_k \varepsilon^k`. A basis is
stable if and only if two conditions hold:

* the vector :math:`((B^{-1} b_0)_j, \ldots, (B^{-1} b_K)_j)` is lexicographically nonnegative for each basic
  sign-constrained column, and 0 for each basic logical of an equation;
* the vector of reduced costs :math:`(d_j(c_0), \ldots, d_j(c_K))` is lexicographically nonpositive for each nonbasic
  sign-constrained column, and 0 for each nonbasic free column.

So the algorithm needs no small number. It uses a grid of ordinary programs. The cell for degree kc of the cost and
degree kb of the right-hand side has the cost :math:`c_{kc}` and the right-hand side :math:`b_{kb}`. In each cell, some
columns get other bounds:

* Basic columns that are positive at a smaller kb are *released*: they become free. Later corrections are infinitesimal
  compared with their values.
* Nonbasic columns with a nonzero reduced cost at a smaller kc are *closed*: they are fixed at 0. A positive value of
  such a column would lower the objective at an earlier degree.

Free columns stay basic, so the solutions for smaller kb do not change. Columns that are not closed have reduced cost 0
at all smaller kc. So the multipliers for smaller kc do not change either, as long as the basis contains no closed
column. Every program in the grid has an optimum. A program without an optimum would have a Farkas vector or an
improving ray. A Farkas vector would vanish on the released columns, so the original program would be infeasible for
small :math:`\varepsilon`. An improving ray would avoid the closed columns, so the original program would be unbounded.

A basis that is optimal in all earlier cells is often optimal in the next cell. To check this, the
algorithm uses the factors of the basis to compute the values or reduced costs of the next cell. If no sign is wrong,
the program of the cell is not solved. If the basis is feasible for all right-hand sides and optimal for the cost of
degree kc, all cells of kc are skipped. So a deep game has many cells, but few programs must be solved.

Floats decide which values count as positive. So the basis is a guess. :func:`optimize` proves or repairs it by
lexicographic pivots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.draws import draws
from tremble.exact.elimination import SMALL_LIMIT, Factors, factorize
from tremble.exact.pivots import Pivots
from tremble.exact.program import Lexicographic, Program, SingularMatrixError, true_cost
from tremble.exact.simplex import Simplex, ViolationRule

__all__ = ["BasicSolution", "Lexicographic", "LexicographicFloatBasis", "lexicographic_float_basis", "optimize"]

_DEGENERATE = 0.6  # a basis counts as degenerate if a larger share of its basic columns is 0
_STALL = 10  # after this many degenerate pivots, choices are drawn at random


@dataclass(frozen=True, eq=False)
class BasicSolution(Pivots):
    """The exact basic solution of a basis, primal and dual.

    Attributes
    ----------
    program : Program
    basic : bool[n + m]
    cost : object[degrees of the cost, n + m]
        Costs of all columns: integers, to be divided by ``cost_denominator``.
    factors : Factors
        Factors of M (see the module's docstring).
    values : object[degrees of the right-hand side, n + m]
        Values of all columns (structural, then logical). Row k has the denominator ``value_denominators[k]``.
    reduced_costs : object[degrees of the cost, n + m]
        Reduced costs of all columns. Row k has the denominator ``reduced_denominators[k]``. If the costs of logicals
        are 0, the reduced costs of the logicals are the negatives of the multipliers y.
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
    _known: tuple[NDArray[Any], list[int]] | None = None  # updated reduced costs and their denominators

    @classmethod
    def of(
        cls,
        program: Program,
        basic: NDArray[np.bool_],
        check: Callable[[], None],
        *,
        small_limit: int = SMALL_LIMIT,
    ) -> Self:
        """Compute the basic solution of a basis; raise ``SingularMatrixError`` if the basis is singular."""
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
            program, basic, *true_cost(program), factors, columns, rows, values, denominators, check, small_limit
        )

    @classmethod
    def repaired(
        cls,
        program: Program,
        basic: NDArray[np.bool_],
        check: Callable[[], None],
        *,
        small_limit: int = SMALL_LIMIT,
    ) -> Self:
        """Compute the basic solution of a basis; if the basis is singular, repair it first.

        The repair replaces dependent columns by the logicals of dependent rows.
        """
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

    def priced(self, cost: NDArray[Any], denominator: int = 1) -> Self:
        """Return this basis with other costs: ``cost / denominator``, where ``cost`` has the shape [degrees, n + m]."""
        return replace(self, cost=cost, cost_denominator=denominator, _known=None)

    @cached_property
    def _reduced(self) -> tuple[NDArray[Any], list[int]]:
        """Reduced costs of all columns, with a row and a denominator for each degree of the costs."""
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
        """Reduced costs of all columns. Row k has the denominator ``reduced_denominators[k]``."""
        return self._reduced[0]

    @property
    def reduced_denominators(self) -> list[int]:
        """Denominators of ``reduced_costs``."""
        return self._reduced[1]

    @property
    def value(self) -> NDArray[Any]:
        """Numerators of the values of all columns at degree 0; the denominator is ``value_denominator``."""
        first: NDArray[Any] = self.values[0]
        return first

    @property
    def value_denominator(self) -> int:
        """Denominator of ``value``."""
        return self.value_denominators[0]

    @property
    def reduced(self) -> NDArray[Any]:
        """Numerators of the reduced costs of all columns at degree 0; the denominator is ``reduced_denominator``."""
        first: NDArray[Any] = self.reduced_costs[0]
        return first

    @property
    def reduced_denominator(self) -> int:
        """Denominator of ``reduced``."""
        return self.reduced_denominators[0]

    @cached_property
    def primal(self) -> Lexicographic:
        """Values of all columns, as polynomials that can be compared."""
        return Lexicographic(self.values, -self._exponent)

    @cached_property
    def dual(self) -> Lexicographic:
        """Reduced costs of all columns, as polynomials that can be compared."""
        return Lexicographic(self.reduced_costs, self._exponent)

    @property
    def _exponent(self) -> NDArray[np.int64]:
        """The unit of each column's value, as an exponent of 2."""
        return np.concatenate((self.program.column_exponent, -self.program.row_exponent))

    @property
    def degenerate(self) -> bool:
        """True if more than 60% of the basic columns are 0. Such a basis is a poor start for a similar program."""
        return bool(np.mean(self.value[self.basic] == 0) > _DEGENERATE)


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
    """Compute the exact optimum by exact pivots from a basis.

    Parameters
    ----------
    program : Program
        A feasible and bounded program with a constant matrix.
    basis : int64[m]
        Basic columns. The basis may be infeasible, not optimal, or singular.
    max_pivots : int, optional
        Maximum number of pivots. If it is reached, the solution may not be optimal.
    idle : bool
        True if the basis of the result may contain logicals of equality rows.

    Returns
    -------
    solution : BasicSolution
    pivots : int
        Number of exact pivots; 0 if the basis was optimal.

    Raises
    ------
    SolverError
        The program is infeasible or unbounded.
    """
    start = BasicSolution.repaired(program, program.basic(basis), check, small_limit=small_limit)
    if start.optimal and (idle or not len(start.idle)):
        return start, 0
    simplex = Simplex(start, rule, max_pivots=max_pivots)
    simplex.optimize()
    if not idle:
        simplex.dismiss()
    return simplex.tableau, simplex.pivots


_TOLERANCE = 1e-9
_POSITIVE = 1e-7  # values and reduced costs above this count as nonzero


@dataclass(frozen=True)
class LexicographicFloatBasis:
    """The result of :func:`lexicographic_float_basis`: the last basis that HiGHS found, with statistics."""

    basis: NDArray[np.int64]  # [m]
    iterations: int  # simplex iterations of all programs together
    programs: int  # number of programs that were solved


def lexicographic_float_basis(
    program: Program,
    start: NDArray[np.int64],
    check: Callable[[], None],
    progress: Callable[[float], None],
) -> LexicographicFloatBasis:
    """Guess a stable basis by solving float programs.

    Parameters
    ----------
    program : Program
        A program with a constant matrix, feasible and bounded for small values of the infinitesimal.
    start : int64[m]
        A basis that is optimal for degree 0 of the right-hand side and of the cost.
    progress : callable
        Called after each degree of the cost, with the finished fraction of the degrees.

    Raises
    ------
    SolverError
        HiGHS fails to solve the first program, or does not return the factors of its last basis. If HiGHS fails to
        solve a later program, the function returns the basis of the last program that HiGHS solved.
    """
    from tremble.exact.highs import FloatSolver, scaled_cost, scaled_rhs  # loads HiGHS

    # Solve the first cell.
    bounded, fixed = ~program.unbounded, program.fixed
    solver = FloatSolver(program, check, tolerance=_TOLERANCE)
    solution = solver.solve(start)
    iterations, solved = solution.iterations, 1
    basic, closed = program.basic(solution.basis), np.zeros_like(fixed)
    sides = [scaled_rhs(program, kb) for kb in range(len(program.rhs))]
    for kc in range(len(program.cost)):
        # Check whether the basis is already optimal for this cost.
        cost = scaled_cost(program, kc)
        reduced = solver.reduced_costs(cost)
        best = not np.any(~basic & ~fixed & ~closed & (np.where(bounded, reduced, np.abs(reduced)) > _POSITIVE))
        new_cost: NDArray[np.float64] | None = cost
        released = np.zeros_like(fixed)
        # An unchanged basis is feasible for all right-hand sides, because they were checked for an earlier cost.
        for kb, rhs in enumerate(() if best and kc else sides):
            check()
            # Solve the cell unless the basis is optimal in it. If HiGHS fails, try the other simplex method.
            value = solver.values(rhs)
            if not best or np.any(basic & bounded & ~released & (np.where(fixed, np.abs(value), -value) > _POSITIVE)):
                solver.change(rhs=rhs, cost=new_cost, released=released, closed=closed)
                primal = kb == 0 and kc > 0
                try:
                    solution = solver.solve(primal=primal)
                except SolverError:
                    try:
                        solution = solver.solve(solution.basis, primal=not primal)
                    except SolverError:
                        return LexicographicFloatBasis(solution.basis, iterations, solved)
                iterations, solved = iterations + solution.iterations, solved + 1
                basic, best, new_cost = program.basic(solution.basis), True, None
                value = solver.values(rhs)
            released |= basic & (value > _POSITIVE)
        # Close the columns that would lower the objective at this degree.
        reduced = solver.reduced_costs(cost)
        closed |= ~basic & (np.abs(reduced) > _POSITIVE)
        progress((kc + 1) / len(program.cost))
    return LexicographicFloatBasis(solution.basis, iterations, solved)

r"""Guess a stable basis of a trembling program with a constant matrix by solving well-scaled float programs.

Let :math:`b(\varepsilon) = \sum_k b_k \varepsilon^k`, and :math:`c(\varepsilon)` likewise. A basis is stable iff

* the vector :math:`((B^{-1} b_0)_j, \ldots, (B^{-1} b_K)_j)` is lexicographically nonnegative for each basic
  sign-constrained column, and 0 for each basic logical of an equation;
* the vector of reduced costs :math:`(d_j(c_0), \ldots, d_j(c_K))` is lexicographically nonpositive for each nonbasic
  sign-constrained column, and 0 for each nonbasic free column.

So no small number is needed. There is a grid of plain programs: the cell for degree kc of the cost and degree kb of the
right-hand side has the cost :math:`c_{kc}` and the right-hand side :math:`b_{kb}`. In each cell,

* basic columns that are positive at a smaller kb are *released*: they become free, because later corrections are
  infinitesimal compared with their values;
* nonbasic columns whose reduced cost is nonzero at a smaller kc are *closed*: they are fixed at 0, because they would
  lose at an earlier order.

Free columns stay basic, so the solutions for smaller kb do not change. Columns that are not closed have reduced cost 0
at all smaller kc, under any basis without closed columns, so the earlier multipliers do not change either. Every
program has an optimum. Otherwise there would be a Farkas vector or an improving ray. A Farkas vector would vanish on
the released columns, so the trembling program would be infeasible for small :math:`\varepsilon`. An improving ray would
avoid the closed columns, so the trembling program would be unbounded.

A basis that is optimal in all earlier cells is often optimal in the next one. Its factors show this cheaply: one solve
with the right-hand side or the cost of the cell finds the columns with wrong signs. Without any, the program of the
cell need not be solved. If the cost of degree kc improves no column of a feasible basis, all cells of kc are
skipped at once. So a deep game has many cells, but few programs must be solved.

Floats decide which values count as positive. So the basis is a guess, which
:func:`tremble.exact.lexicographic.optimize` proves or repairs by lexicographic pivots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.highs import FloatSolver, scaled_cost, scaled_rhs
from tremble.exact.program import Program

__all__ = ["LexicographicFloatBasis", "lexicographic_float_basis"]

_TOLERANCE = 1e-9
_POSITIVE = 1e-7  # larger values and reduced costs count as nonzero


@dataclass(frozen=True)
class LexicographicFloatBasis:
    """A basis that the float programs led to, with statistics."""

    basis: NDArray[np.int64]  # [m]
    iterations: int  # simplex iterations of all programs together
    programs: int  # number of programs that were solved


def lexicographic_float_basis(
    program: Program,
    start: NDArray[np.int64],
    check: Callable[[], None],
    progress: Callable[[float], None],
) -> LexicographicFloatBasis:
    """Guess a stable basis.

    Parameters
    ----------
    program : Program
        With a constant matrix, feasible and bounded for small values of the infinitesimal.
    start : int64[m]
        A basis that is optimal for the first right-hand side and cost.
    progress : callable
        Called with the finished fraction of the degrees of the cost.

    Raises
    ------
    SolverError
        HiGHS fails at the first program. If it fails at a later one, the best basis so far is returned.
    """
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
        # Close the columns that would lose at this degree.
        reduced = solver.reduced_costs(cost)
        closed |= ~basic & (np.abs(reduced) > _POSITIVE)
        progress((kc + 1) / len(program.cost))
    return LexicographicFloatBasis(solution.basis, iterations, solved)

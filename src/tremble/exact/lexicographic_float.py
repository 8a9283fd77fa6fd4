r"""A stable basis of a trembling program with a constant matrix, by well-scaled float programs.

With :math:`b(\varepsilon) = \sum_k b_k \varepsilon^k` and :math:`c(\varepsilon)` alike, a basis is stable iff the
vectors :math:`((B^{-1} b_0)_j, \ldots, (B^{-1} b_K)_j)` of its basic sign-constrained columns are lexicographically
nonnegative, those of basic logicals of equations 0, and the vectors of reduced costs
:math:`(d_j(c_0), \ldots, d_j(c_K))` of nonbasic sign-constrained columns lexicographically nonpositive, those of
nonbasic free columns 0. So no small number is ever needed. In a grid of plain programs, one for each degree kc of the
cost and each degree kb of the right-hand side, with sides :math:`b_{kb}` and :math:`c_{kc}`,

* basic columns that are positive at a smaller kb are *released*, made free: later corrections are infinitesimal beside
  them;
* nonbasic columns whose reduced cost is not zero at a smaller kc are *closed*, fixed at 0: they would lose at an
  earlier order.

Free columns stay basic, so the solutions for smaller kb do not change; columns that are not closed have reduced
cost 0 at all smaller kc, under any basis without closed ones, so neither do the earlier multipliers. Every
program has an optimum: a Farkas vector would vanish on the released columns, hence prove the trembling
program infeasible for small :math:`\varepsilon`, and an improving ray, which avoids closed columns, unbounded.

A basis that is optimal in all cells before is often optimal in the next one. Its factors tell: one solve with the
right-hand side of a degree, or with its cost, and nothing of wrong sign means that the cell need not be solved, because
its program has this optimum already. Where no cost of degree kc improves on a basis whose values are in order, all
cells of kc are passed over at once. So a game that is deep has many cells, and few programs.

Floats decide here what counts as positive; the basis is a guess that :func:`tremble.exact.lexicographic.optimize`
proves or mends by lexicographic pivots.
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
_POSITIVE = 1e-7  # values and reduced costs from here on are not zero


@dataclass(frozen=True)
class LexicographicFloatBasis:
    """What the float programs found."""

    basis: NDArray[np.int64]  # [m]
    iterations: int  # simplex iterations, all programs together
    programs: int  # how many programs were solved


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
        Called with the fraction of the degrees of the cost that is done.

    Raises
    ------
    SolverError
        HiGHS fails at the first program; should it fail later, what was reached until then is returned.
    """
    bounded, fixed = ~program.unbounded, program.fixed
    solver = FloatSolver(program, check, tolerance=_TOLERANCE)
    solution = solver.solve(start)
    iterations, solved = solution.iterations, 1
    basic, closed = program.basic(solution.basis), np.zeros_like(fixed)
    sides = [scaled_rhs(program, kb) for kb in range(len(program.rhs))]
    for kc in range(len(program.cost)):
        cost = scaled_cost(program, kc)
        reduced = solver.reduced_costs(cost)
        best = not np.any(~basic & ~fixed & ~closed & (np.where(bounded, reduced, np.abs(reduced)) > _POSITIVE))
        new_cost: NDArray[np.float64] | None = cost
        released = np.zeros_like(fixed)
        # A basis that stays is in order for all right-hand sides: they were looked at for an earlier cost.
        for kb, rhs in enumerate(() if best and kc else sides):
            check()
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
        reduced = solver.reduced_costs(cost)
        closed |= ~basic & (np.abs(reduced) > _POSITIVE)
        progress((kc + 1) / len(program.cost))
    return LexicographicFloatBasis(solution.basis, iterations, solved)

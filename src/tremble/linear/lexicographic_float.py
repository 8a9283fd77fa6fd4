r"""A stable basis of a trembling program with a constant matrix, by well-scaled float programs.

With :math:`b(\varepsilon) = \sum_k b_k \varepsilon^k` and :math:`c(\varepsilon)` alike, a basis is stable iff the
vectors :math:`((B^{-1} b_0)_j, \ldots, (B^{-1} b_K)_j)` of its basic sign-constrained columns are lexicographically
nonnegative, those of basic logicals of equations 0, and the vectors of reduced costs
:math:`(d_j(c_0), \ldots, d_j(c_K))` of nonbasic sign-constrained columns lexicographically nonpositive, those of
nonbasic free columns 0. So no small number is ever needed, only :math:`(K + 1)^2` programs at most:

* for each degree kc of the cost and, within it, each degree kb of the right-hand side, solve the plain program
  with sides :math:`b_{kb}` and :math:`c_{kc}`, warm from the last basis, where
* basic columns that were positive at a smaller kb (same kc) are *released*, made free: later corrections are
  infinitesimal beside them;
* nonbasic columns whose reduced cost was not zero at a smaller kc are *closed*, fixed at 0: they would lose at an
  earlier order.

Free columns stay basic, so the solutions for smaller kb do not change; columns that are not closed have reduced
cost 0 at all smaller kc, under any basis without closed ones, so neither do the earlier multipliers. Every
program has an optimum: a Farkas vector would vanish on the released columns, hence prove the trembling
program infeasible for small :math:`\varepsilon`, and an improving ray, which avoids closed columns, unbounded.

Floats decide here what counts as positive; the basis is a guess that :func:`tremble.linear.lexicographic.optimize`
proves or mends by lexicographic pivots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.linear.highs import FloatSolution, FloatSolver, scaled_cost, scaled_rhs
from tremble.linear.program import Program

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
    start: NDArray[np.int64] | None,
    check: Callable[[], None],
    progress: Callable[[float], None],
) -> LexicographicFloatBasis:
    """Guess a stable basis.

    Parameters
    ----------
    program : Program
        With a constant matrix, feasible and bounded for small values of the infinitesimal.
    start : int64[m], optional
        A basis that is optimal for the first right-hand side and cost.
    progress : callable
        Called with the fraction of the programs that is done.

    Raises
    ------
    SolverError
        HiGHS fails at the first program; should it fail later, what was reached until then is returned.
    """
    m, n = program.matrix.shape
    solver = FloatSolver(program, check, tolerance=_TOLERANCE)
    closed = np.zeros(n + m, dtype=np.bool_)
    solution: FloatSolution | None = None
    iterations = solved = 0
    for kc in range(len(program.cost)):
        cost = scaled_cost(program, kc)
        released = np.zeros(n + m, dtype=np.bool_)
        for kb in range(len(program.rhs)):
            rhs = scaled_rhs(program, kb)
            if solved:
                solver.change(rhs=rhs, cost=cost if kb == 0 else None, released=released, closed=closed)
            primal = kb == 0 and kc > 0
            try:
                solution = solver.solve(start if solution is None else None, primal=primal)
            except SolverError:
                if solution is None:
                    raise
                try:
                    solution = solver.solve(solution.basis, primal=not primal)
                except SolverError:
                    return LexicographicFloatBasis(solution.basis, iterations, solved)
            iterations, solved = iterations + solution.iterations, solved + 1
            slack = np.where(program.equality, 0.0, rhs - solution.activity)
            released |= np.concatenate((solution.value, slack)) > _POSITIVE  # nonbasic columns are 0
            progress(solved / (len(program.rhs) * len(program.cost)))
        assert solution is not None
        closed |= np.abs(np.concatenate((solution.reduced, solution.multiplier))) > _POSITIVE  # 0 at basic columns
    assert solution is not None
    return LexicographicFloatBasis(solution.basis, iterations, solved)

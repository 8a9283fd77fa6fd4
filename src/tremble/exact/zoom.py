r"""Improve a basis for a small value of the infinitesimal, by float programs that magnify the violations of the basis.

In this module, a small number replaces the infinitesimal. If this number is :math:`2^{-13}`, the terms that decide
between bases have the sizes :math:`1, 2^{-13}, 2^{-26}, \ldots`. A float solver has a tolerance of about
:math:`10^{-9}`, so it ignores all sizes after the third. The basis that it returns has thousands of tiny violations. To
compute the true values z and reduced costs d, sum the series of the basis (:mod:`tremble.exact.asymptotic`) at
:math:`\varepsilon`. Each sum has a small relative error, and is exactly 0 if every coefficient of the series is 0.

Let the factor P make the worst primal violation moderate, and let the factor D make the worst dual violation moderate.
A new program has the values z' = P z and the reduced costs d' = D d. A good scaling needs three kinds of columns:

* Columns that are far from their bound (P z above :math:`2^{20}`) are *released*: they become free.
* Columns that would lower the objective much (D d below :math:`-2^{20}`) are *closed*: they are fixed at 0.
* The other columns keep their bounds. Their values determine the right-hand side, and their reduced costs are the
  objective. So in the new program, the basis has the values P z and the reduced costs D d.

The simplex method solves the new program from this basis. The same steps are then repeated with its result. There is no
proof that this process ends with a stable basis. The result is a guess for :mod:`tremble.exact.stability`. A solve can
fail for three reasons:

* The closed columns made the program infeasible. Then D was too large.
* The released columns made the program unbounded. Then P was too large.
* HiGHS did not finish. Then both factors may have been too large.

References
----------
A. M. Gleixner, D. E. Steffy, K. Wolter: Iterative refinement for linear programming, INFORMS Journal on Computing 28,
2016.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tremble.exact.asymptotic import Asymptotic, AsymptoticSolution, InfinitesimalProgram
from tremble.exact.highs import FloatSolution, FloatSolver
from tremble.exact.program import Program
from tremble.exact.small_number import at_bits

__all__ = ["zoomed_basis"]

_FAR = 2.0**20  # distance from its bound at which a column is released or closed
_MODERATE = 2.0**-20  # target for the worst violation: 1,000 times the tolerance; 2^-10 makes HiGHS fail on liar's dice
# Multipliers for a factor that was too large, and for a factor that may have been too large.
_REDUCE, _REDUCE_A_LITTLE = 2.0**-10, 2.0**-3
_TINY, _MAX_FACTOR = 2.0**-900, 2.0**800  # least violation and greatest factor; they keep products finite
_TRIES = 4  # after more reductions, the worst violation would be below the tolerance
_STALLED = 6  # stop after this many successive rounds without fewer violations than before
_TOLERANCE = 1e-9


def zoomed_basis(
    program: InfinitesimalProgram,
    basis: NDArray[np.int64],
    bits: int,
    progress: Callable[[int], None],
) -> tuple[NDArray[np.int64], int, int]:
    """Improve a basis until it seems to have no violations when :math:`2^{-bits}` replaces the infinitesimal.

    Parameters
    ----------
    program : InfinitesimalProgram
        A program that is feasible and bounded at this value of the infinitesimal.
    basis : int64[m]
        A basis that is optimal up to the tolerance of a float solver.
    bits : int
        The exponent in :math:`2^{-bits}`.
    progress : callable
        Called with the number of columns that seem to be violations.

    Returns
    -------
    basis : int64[m]
    iterations : int
    left : int
        Number of columns that still seem to be violations. It is positive only if the search stalled.

    Raises
    ------
    SolverError
        A basis was singular, or HiGHS found no basis.
    """
    magnifier = _Magnifier(program.program, bits, program.check)
    best, fewest, stalled, iterations = basis, len(program.program.fixed) + 1, 0, 0
    while True:
        left = magnifier.measure(program.solution(basis))
        progress(left)
        stalled = 0 if left < fewest else stalled + 1
        if left < fewest:
            best, fewest = basis, left
        if not left or stalled == _STALLED:
            return best, iterations, fewest
        found = magnifier.solve(basis)
        basis, iterations = found.basis, iterations + found.iterations


class _Magnifier:
    """A program in HiGHS for a small epsilon, and the factors that make violations of a basis visible to HiGHS."""

    def __init__(self, program: Program, bits: int, check: Callable[[], None]) -> None:
        self._program, self._bits = program, bits
        self._solver = FloatSolver(at_bits(program, bits), check, tolerance=_TOLERANCE)
        matrix = self._solver.model.matrix
        self._matrix = csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        # In the units of the float solver, values are multiplied by 2^unit, and reduced costs by 2^-unit.
        self._unit = np.concatenate((-program.column_exponent, program.row_exponent)).astype(np.int32)
        self._primal = self._dual = 1.0  # the factors P and D

    def measure(self, solution: AsymptoticSolution) -> int:
        """Compute values and reduced costs, and their scale factors P and D. Return how many bounds are violated."""
        program, bounded = self._program, ~self._program.unbounded
        value = np.ldexp(self._at(solution.primal), self._unit) * solution.basic
        reduced = np.ldexp(self._at(solution.dual), -self._unit) * ~solution.basic
        too_low = np.where(program.fixed, np.abs(value), np.where(bounded, -value, 0.0))
        too_high = np.where(program.fixed, 0.0, np.where(bounded, reduced, np.abs(reduced)))
        self._value, self._reduced = value, reduced
        self._primal = _factor(too_low.max(initial=0.0), self._primal)
        self._dual = _factor(too_high.max(initial=0.0), self._dual)
        return int((too_low > 0).sum() + (too_high > 0).sum())

    def _at(self, numbers: Asymptotic) -> NDArray[np.float64]:
        """Return the value of each series at epsilon = 2^-bits."""
        total = np.zeros(len(self._unit))
        for order, coefficients in numbers.series.items():
            total += np.ldexp(coefficients.real, -order * self._bits)
        return total

    def solve(self, basis: NDArray[np.int64]) -> FloatSolution:
        """Solve the magnified program from the last measured ``basis``. After a failure, magnify less and retry."""
        for _ in range(_TRIES):
            found = self._solve_once(basis)
            if found.optimal:
                break
            unclear = not (found.infeasible or found.unbounded)
            self._dual *= _REDUCE_A_LITTLE if unclear else _REDUCE if found.infeasible else 1.0
            self._primal *= _REDUCE_A_LITTLE if unclear else _REDUCE if found.unbounded else 1.0
        return found

    def _solve_once(self, basis: NDArray[np.int64]) -> FloatSolution:
        program, n = self._program, self._program.num_columns
        value, reduced = self._value * self._primal, self._reduced * self._dual
        released = ~program.unbounded & ~program.fixed & (value > _FAR)
        closed = ~program.unbounded & ~program.fixed & (reduced < -_FAR)
        value = np.where(released | program.unbounded, 0.0, value)
        reduced = np.where(closed | program.fixed, 0.0, reduced)
        self._solver.change(
            rhs=self._matrix @ value[:n] + value[n:],
            cost=reduced[:n] - self._matrix.T @ reduced[n:],
            released=released,
            closed=closed,
        )
        return self._solver.solve(basis)


def _factor(worst: float, last: float) -> float:
    """Return a factor that scales the violation ``worst`` to a moderate size. If ``worst`` is 0, return ``last``."""
    return float(min(_MODERATE / max(worst, _TINY), _MAX_FACTOR)) if worst else last

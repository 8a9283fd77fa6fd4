r"""Near a basis, at a small number in place of the infinitesimal: float programs that magnify what is out of place.

At :math:`\varepsilon = 2^{-13}` choices weigh :math:`1, 2^{-13}, 2^{-26}, \ldots`, and a float solver, whose tolerance
is about :math:`10^{-9}`, leaves those of the third kind to chance. So a basis that it returns has thousands of columns
out of place, by tiny amounts. Their true values and reduced costs are known: from the series of the basis
(:mod:`tremble.exact.asymptotic`), whose zeros are certain, added up at :math:`\varepsilon`, each is right relative to
its own size. With z' = P z, for a factor P that makes the worst violation moderate, and costs d' = D d likewise, the
same program is well scaled where it matters:

* columns that are far from their bound now (P z beyond :math:`2^{20}`) are *released*: let them be free;
* columns that lose much (D d below :math:`-2^{20}`) are *closed*: fixed at 0;
* the others keep their bounds. Their values make up the right-hand side, their reduced costs the objective, so that
  the present basis has the values P z and the reduced costs D d there.

From there the simplex method goes on, and what it reaches is looked at again. Nothing proves that this ends well: it
is a guess for :mod:`tremble.exact.stability`, like what it starts from. If closing made the program infeasible, or
releasing unbounded, D or P was too large; if HiGHS came to no end, both were, perhaps.

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

__all__ = ["zoomed_basis"]

_FAR = 2.0**20  # from its bound, where the worst violation is _MODERATE
_MODERATE = 2.0**-20  # still a thousand times the tolerance; with 2^-10 HiGHS loses its way on liar's dice
_LESS, _LITTLE_LESS = 2.0**-10, 2.0**-3  # what a factor is multiplied by that was, or may have been, too large
_TINY, _MOST = 2.0**-900, 2.0**800  # of a violation, and of a factor: what is multiplied stays finite
_TRIES = 4  # after which the worst violation, made smaller, would be below the tolerance
_STALLED = 6  # rounds without fewer columns out of place end it
_TOLERANCE = 1e-9


def zoomed_basis(
    program: InfinitesimalProgram,
    basis: NDArray[np.int64],
    bits: int,
    progress: Callable[[int], None],
) -> tuple[NDArray[np.int64], int, int]:
    """Go on from a basis until none of its columns seems out of place at a small number.

    Parameters
    ----------
    program : InfinitesimalProgram
        Feasible and bounded at that number.
    basis : int64[m]
        Optimal up to the tolerance of a float solver.
    bits : int
        The number is :math:`2^{-bits}`.
    progress : callable
        Called with the number of columns that seem out of place.

    Returns
    -------
    basis : int64[m]
    iterations : int
    left : int
        How many columns still seem out of place: 0 but for a search that came to no end.

    Raises
    ------
    SolverError
        A basis was singular, or HiGHS found none.
    """
    lens = _Lens(program.program, bits, program.check)
    best, fewest, stalled, iterations = basis, len(program.program.fixed) + 1, 0, 0
    while True:
        left = lens.look(program.solution(basis))
        progress(left)
        stalled = 0 if left < fewest else stalled + 1
        if left < fewest:
            best, fewest = basis, left
        if not left or stalled == _STALLED:
            return best, iterations, fewest
        found = lens.magnified(basis)
        basis, iterations = found.basis, iterations + found.iterations


class _Lens:
    """The program at a number in HiGHS, and what a basis looks like through it."""

    def __init__(self, program: Program, bits: int, check: Callable[[], None]) -> None:
        self._program, self._bits = program, bits
        self._solver = FloatSolver(program.at(bits), check, tolerance=_TOLERANCE)
        matrix = self._solver.model.matrix
        self._matrix = csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        # Values in units of the float solver are 2^unit times the program's, reduced costs 2^-unit times.
        self._unit = np.concatenate((-program.column_exponent, program.row_exponent)).astype(np.int32)
        self._primal = self._dual = 1.0  # the factors P and D

    def look(self, solution: AsymptoticSolution) -> int:
        """How many columns are out of place."""
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
        """Series, added up at the number."""
        total = np.zeros(len(self._unit))
        for order, coefficients in numbers.series.items():
            total += np.ldexp(coefficients.real, -order * self._bits)
        return total

    def magnified(self, basis: NDArray[np.int64]) -> FloatSolution:
        """What HiGHS finds of the magnified program, from the basis that was looked at."""
        for _ in range(_TRIES):
            found = self._solved(basis)
            if found.optimal:
                break
            either = not (found.infeasible or found.unbounded)
            self._dual *= _LITTLE_LESS if either else _LESS if found.infeasible else 1.0
            self._primal *= _LITTLE_LESS if either else _LESS if found.unbounded else 1.0
        return found

    def _solved(self, basis: NDArray[np.int64]) -> FloatSolution:
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
    """What magnifies the worst violation to a moderate size; as before if there is none."""
    return float(min(_MODERATE / max(worst, _TINY), _MOST)) if worst else last

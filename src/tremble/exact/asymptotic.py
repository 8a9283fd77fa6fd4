r"""Pivot from a nearly stable basis to a stable basis, with numbers that are series in an infinitesimal.

A basis is stable if it is optimal for all small values of the infinitesimal.

If the matrix of a :class:`~tremble.exact.program.Program` depends on the infinitesimal :math:`\varepsilon`, the terms
that decide between bases have the sizes :math:`1, \varepsilon, \varepsilon^2, \ldots`. If a small number replaces
:math:`\varepsilon`, these sizes differ too much for floats. A float solver then ends at a wrong basis.

This module keeps :math:`\varepsilon` symbolic. Values and reduced costs are Laurent series. The first nonzero
coefficient of a series decides its sign. Each coefficient is stored as a float and as a residue modulo a prime
(:mod:`tremble.exact.float_residue`). A few simplex pivots (:mod:`tremble.exact.simplex`) then reach a stable basis.

The result is a guess. :func:`tremble.exact.stability.check_stability` proves the guess, or exact pivots repair it.

References
----------
R. G. Jeroslow: Asymptotic linear programming, Operations Research 21, 1973.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.draws import draws
from tremble.exact.float_residue import FloatResidue, FloatResidueMatrix, FloatResidueNumbers
from tremble.exact.program import Program, SingularMatrixError, Tableau
from tremble.exact.series_basis import SeriesBasis
from tremble.exact.series_system import SeriesSystem
from tremble.exact.simplex import Simplex, ViolationRule

__all__ = ["Asymptotic", "AsymptoticSolution", "InfinitesimalProgram", "pivot_at_infinitesimal"]

_ZERO_ORDER = 1 << 40  # order of a series whose known coefficients are all 0
_STALL = 60  # after this many pivots in one phase, choices are drawn at random
_TIE_TOLERANCE = 1e-7  # ratios with a smaller relative difference are compared by cross products
_MAX_CROSS_PRODUCTS = 200  # cross products take long, so they are used only for fewer tied columns than this

Series = dict[int, FloatResidue]
"""One series for each column, as a dict: order -> coefficients of this order in all columns."""

_Reductions = dict[int, dict[int, int]]
"""Amounts that are subtracted from costs: order -> column -> amount."""


class Asymptotic(NamedTuple):
    """A power series for each column, with the order and the value of the series' first nonzero coefficient."""

    series: Series  # coefficients by order
    order: NDArray[np.int64]  # [n + m] order of the first nonzero coefficient
    real: NDArray[np.float64]  # [n + m] first nonzero coefficient
    top: int  # the highest known order
    prime: int  # modulus of the residues

    @classmethod
    def of(cls, series: Series, top: int, prime: int) -> Asymptotic:
        """Build all series from ``series``, a dict from orders to coefficients, and find their leading coefficients."""
        size = len(next(iter(series.values())).real)
        order, real = np.full(size, _ZERO_ORDER, dtype=np.int64), np.zeros(size)
        for k in sorted(series):
            first = (order == _ZERO_ORDER) & (series[k].residue != 0)
            order[first], real[first] = k, series[k].real[first]
        if not np.isfinite(real).all():
            raise SolverError("numbers are too large for floats")
        return cls(series, order, real, top, prime)

    @property
    def sign(self) -> NDArray[np.int64]:
        """Sign of each series: -1, 0 or 1. A sign is also 0 if the float of the first nonzero coefficient is 0."""
        return np.sign(self.real).astype(np.int64)

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Mask of the series with a known nonzero coefficient."""
        return self.order < _ZERO_ORDER

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """Return the candidate column whose series has the largest absolute value; in a tie, return the first.

        A series with a lower order is larger. If the orders are equal, the first nonzero coefficients decide.
        """
        first = candidates[self.order[candidates] == self.order[candidates].min()]
        return int(first[np.argmax(np.abs(self.real[first]))])

    def least_ratio(self, candidates: NDArray[np.int64], step: Asymptotic) -> int:
        """Return the candidate j with the least |s_j| / |t_j|. Column j has series s_j in ``self`` and t_j in ``step``.

        In a tie, return the candidate with the largest |t_j|.
        """
        order = np.where(self.order == _ZERO_ORDER, _ZERO_ORDER, self.order - step.order)[candidates]
        candidates = candidates[order == order.max()]
        if order.max() < _ZERO_ORDER and len(candidates) > 1:
            ratio = np.abs(self.real[candidates] / step.real[candidates])
            candidates = candidates[ratio <= ratio.min() * (1 + _TIE_TOLERANCE)]
            if 1 < len(candidates) < _MAX_CROSS_PRODUCTS:
                candidates = self._least_by_cross_products(candidates, step)
        best = np.lexsort((-np.abs(step.real[candidates]), step.order[candidates]))[0]
        return int(candidates[best])

    def _least_by_cross_products(self, candidates: NDArray[np.int64], step: Asymptotic) -> NDArray[np.int64]:
        """Return candidates j with the least |s_j / t_j|. Compare whole series: s_j in ``self``, t_j in ``step``."""
        least = [int(candidates[0])]
        for j in candidates[1:].tolist():
            difference = self._cross_difference(step, j, least[0])
            if difference < 0:
                least = [j]
            elif difference == 0:
                least.append(j)
        return np.array(least, dtype=np.int64)

    def _cross_difference(self, step: Asymptotic, a: int, b: int) -> float:
        """Return a float with the sign of |s_a / t_a| - |s_b / t_b|, s in ``self``, t in ``step``; 0.0 if unknown."""
        total: dict[int, tuple[float, int]] = {}
        limit = self.top + int(min(step.order[a], step.order[b], self.order[a], self.order[b]))
        for sign, i, j in ((1, a, b), (-1, b, a)):
            sign *= 1 if (self.real[i] > 0) == (step.real[j] > 0) else -1
            for k, (x, x_residue) in self.entry(i).items():
                for h, (y, y_residue) in step.entry(j).items():
                    if k + h <= limit:
                        real, residue = total.get(k + h, (0.0, 0))
                        total[k + h] = real + sign * x * y, (residue + sign * x_residue * y_residue) % self.prime
        return next((real for _, (real, residue) in sorted(total.items()) if residue), 0.0)

    def entry(self, j: int) -> dict[int, tuple[float, int]]:
        """Return a dict of the nonzero coefficients of column j by order. A coefficient is a pair (float, residue)."""
        return {k: (float(v.real[j]), int(v.residue[j])) for k, v in self.series.items() if v.residue[j]}


class AsymptoticSolution(Tableau):
    """The basic solution of a basis, as series in the infinitesimal; each coefficient is a float and a residue.

    Parameters
    ----------
    lowered : dict
        ``lowered[k][j]`` is subtracted from coefficient k of the cost of column j.
    """

    def __init__(
        self, infinitesimal: InfinitesimalProgram, basis: _FactorizedBasis, values: Asymptotic, lowered: _Reductions
    ) -> None:
        self.program, self.basic = infinitesimal.program, basis.basic
        self._infinitesimal, self._basis, self._values, self._lowered = infinitesimal, basis, values, lowered
        self._reduced_costs = basis.reduced_costs(infinitesimal.cost(basis.numbers, lowered))

    @classmethod
    def of(
        cls, infinitesimal: InfinitesimalProgram, basic: NDArray[np.bool_], lowered: _Reductions
    ) -> AsymptoticSolution:
        """Compute the values and reduced costs of a basis as series.

        Raises
        ------
        SolverError
            The basis is singular, or a number is too large for floats.
        """
        infinitesimal.check()
        try:
            basis = _FactorizedBasis(infinitesimal, basic)
            return cls(infinitesimal, basis, basis.values(infinitesimal.program.rhs), lowered)
        except (SingularMatrixError, RuntimeError) as error:
            raise SolverError(f"a basis is singular: {error}") from None
        except OverflowError:
            raise SolverError("numbers are too large for floats") from None

    @property
    def primal(self) -> Asymptotic:
        """Values of all columns, as series."""
        return self._values

    @property
    def dual(self) -> Asymptotic:
        """Reduced costs of all columns, as series."""
        return self._reduced_costs

    @property
    def progress(self) -> None:
        """Always None, because the objective is not computed. So every pivot counts as a pivot without progress."""

    def column(self, j: int) -> Asymptotic:
        """Return B^-1 a_j for the basis matrix B and column a_j of [A I]: one series for each basic column."""
        program = self.program
        column = np.zeros((len(program.matrices), program.num_rows), dtype=object)
        if j < program.num_columns:
            for level, matrix in zip(column, program.matrices, strict=True):
                rows, values = matrix.column_entries(j)
                level[rows] = values
        else:
            column[0, j - program.num_columns] = 1
        return self._basis.values(column)

    def row(self, k: int) -> Asymptotic:
        """Return the row of basic column k in B^-1 [A I], with basis matrix B: a series for each nonbasic column."""
        cost = np.zeros(len(self.basic), dtype=np.int64)
        cost[k] = -1
        return self._basis.reduced_costs({0: self._basis.numbers.of(cost)})

    def exchanged(self, entering: int, leaving: int) -> AsymptoticSolution:
        """Return the basic solution after column ``entering`` replaces column ``leaving`` in the basis."""
        basic = self.basic.copy()
        basic[entering], basic[leaving] = True, False
        return self.of(self._infinitesimal, basic, self._lowered)

    def lowered(self) -> AsymptoticSolution:
        """Return the solution after lowering the costs of the columns that would improve the objective.

        In each of these costs, one coefficient is lowered by an integer, so that the reduced cost becomes negative. A
        nonnegative variable then cannot improve the objective. A free variable still can, by becoming negative.
        """
        lowered: _Reductions = {}
        for j in self.dual_violations.tolist():
            amount = ceil(abs(self.dual.real[j]) * (1 + self._infinitesimal.random.random())) + 1
            lowered.setdefault(int(self.dual.order[j]), {})[j] = amount
        return self._with_costs(lowered)

    def restored(self) -> AsymptoticSolution:
        """Return the solution with the original costs of the program."""
        return self._with_costs({})

    def _with_costs(self, lowered: _Reductions) -> AsymptoticSolution:
        try:
            return AsymptoticSolution(self._infinitesimal, self._basis, self._values, lowered)
        except OverflowError:
            raise SolverError("numbers are too large for floats") from None


class InfinitesimalProgram:
    """A program whose basic solutions are computed as series in an infinitesimal. The latest solution is cached.

    Parameters
    ----------
    program : Program
        A program that is feasible and bounded for small values of the infinitesimal.
    top : int
        Highest order for which coefficients are computed.
    """

    def __init__(self, program: Program, top: int, check: Callable[[], None]) -> None:
        self.program, self.top, self.check, self.random = program, top, check, draws()
        self.matrices: dict[int, list[FloatResidueMatrix]] = {}  # prime -> matrices by degree; most bases share a prime
        self._last: AsymptoticSolution | None = None

    def solution(self, basis: NDArray[np.int64]) -> AsymptoticSolution:
        """Return the basic solution of a basis.

        Raises
        ------
        SolverError
            The basis is singular, or a number is too large for floats.
        """
        basic = self.program.basic(basis)
        if self._last is None or not np.array_equal(self._last.basic, basic):
            self._last = AsymptoticSolution.of(self, basic, {})
        return self._last

    def cost(self, numbers: FloatResidueNumbers, lowered: _Reductions) -> Series:
        """Return the costs of all columns minus the amounts in ``lowered``."""
        series = {}
        for k in {*range(len(self.program.cost)), *lowered}:
            cost, amount = np.zeros((2, len(self.program.fixed)), dtype=object)
            if 0 <= k < len(self.program.cost):
                cost[: self.program.num_columns] = self.program.cost[k]
            amount[list(lowered.get(k, ()))] = list(lowered.get(k, {}).values())
            series[k] = numbers.of(cost).minus(numbers.of(amount))
        return series


class _FactorizedBasis:
    """A basis whose matrix is factorized in floats and modulo a prime."""

    def __init__(self, infinitesimal: InfinitesimalProgram, basic: NDArray[np.bool_]) -> None:
        program, self.basic, self._top = infinitesimal.program, basic, infinitesimal.top
        columns, rows = np.flatnonzero(basic[: program.num_columns]), np.flatnonzero(~basic[program.num_columns :])
        parts = [matrix.submatrix(rows, columns) for matrix in program.matrices]
        system = SeriesSystem(parts, infinitesimal.check, small_limit=0, sure=False)
        factors: Any = system.factors
        numbers = self.numbers = FloatResidueNumbers(system.parts[0], factors.lu if len(rows) else None)
        if numbers.prime not in infinitesimal.matrices:
            infinitesimal.matrices[numbers.prime] = list(map(numbers.matrix, program.matrices))
        self._series: SeriesBasis[FloatResidue] = SeriesBasis(
            program, basic, infinitesimal.matrices[numbers.prime], system, numbers
        )

    def values(self, rhs: NDArray[Any]) -> Asymptotic:
        """Return the values of all columns for a right-hand side; ``rhs[k]`` contains its coefficients of order k."""
        return self._truncated(*self._series.values({k: self.numbers.of(level) for k, level in enumerate(rhs)}))

    def reduced_costs(self, cost: Series) -> Asymptotic:
        """Return the reduced costs of all columns for the costs ``cost``."""
        return self._truncated(*self._series.reduced_costs(cost))

    def _truncated(self, first: int, coefficients: Iterator[FloatResidue]) -> Asymptotic:
        """Return the series with the given coefficients, from order ``first`` up to the limit ``_top``."""
        series = dict(zip(range(first, self._top + 1), coefficients, strict=False))
        return Asymptotic.of(series, self._top, self.numbers.prime)


def pivot_at_infinitesimal(
    program: InfinitesimalProgram,
    basis: NDArray[np.int64],
    progress: Callable[[int, int], None],
    *,
    max_pivots: int = 1000,
) -> tuple[NDArray[np.int64], int, int]:
    """Pivot from a basis toward a stable basis.

    Parameters
    ----------
    program : InfinitesimalProgram
    basis : int64[m]
    progress : callable
        Called before each pivot with the number of pivots so far and the number of violations.
    max_pivots : int
        Maximum number of pivots.

    Returns
    -------
    basis : int64[m]
        The last basis. It is probably stable if ``left`` is 0.
    pivots : int
    left : int
        Number of columns that still seem to violate optimality. A positive number has one of two causes. Either
        ``max_pivots`` was reached, or the first basis had both primal violations and a free column with a nonzero
        reduced cost.

    Raises
    ------
    SolverError
        A basis was singular, the program seemed infeasible or unbounded, or a number was too large for floats.
    """
    start = program.solution(basis)
    simplex = Simplex(start, lambda: ViolationRule(program.random, _STALL), max_pivots=max_pivots, report=progress)
    simplex.optimize()
    last = simplex.tableau
    return np.flatnonzero(last.basic), simplex.pivots, len(last.primal_violations) + len(last.dual_violations)

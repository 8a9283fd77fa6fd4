r"""Asymptotic numbers: series in an infinitesimal, of which the first nonzero coefficient decides.

For a :class:`~tremble.exact.program.Program` whose matrix trembles, no float solver is right at
once about choices that weigh :math:`1, \varepsilon, \varepsilon^2, \ldots`. Here :math:`\varepsilon` is an
infinitesimal: values and reduced costs are Laurent series, and compared as such; their coefficients are floats and
residues (:mod:`tremble.exact.float_residue`). From a basis that is nearly right, a few simplex pivots
(:mod:`tremble.exact.simplex`) reach a stable one.

The result is a guess for :func:`tremble.exact.stability.check_stability` to prove, and for exact pivots to mend.

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
from tremble.exact.dixon import SingularMatrixError
from tremble.exact.draws import draws
from tremble.exact.float_residue import FloatResidue, FloatResidueMatrix, FloatResidueNumbers
from tremble.exact.program import Program
from tremble.exact.series_basis import SeriesBasis
from tremble.exact.series_system import SeriesSystem
from tremble.exact.simplex import Simplex, Tableau, ViolationRule

__all__ = ["Asymptotic", "AsymptoticSolution", "InfinitesimalProgram", "pivot_at_infinitesimal"]

_NEVER = 1 << 40  # order of a series that is 0 as far as it is known
_STALL = 60  # pivots in one phase before choices are drawn at random
_TIE = 1e-7  # ratios this close are compared by cross products
_MANY_TIES = 200

Series = dict[int, FloatResidue]
"""Coefficients by order."""

_Amounts = dict[int, dict[int, int]]


class Asymptotic(NamedTuple):
    """Series of all columns with the order and the float of their first nonzero coefficient."""

    series: Series  # coefficients by order
    order: NDArray[np.int64]  # [n + m]
    real: NDArray[np.float64]  # [n + m]
    top: int  # the highest order that is known
    prime: int  # of the residues

    @classmethod
    def of(cls, series: Series, top: int, prime: int) -> Asymptotic:
        """Find the first nonzero coefficients."""
        some = next(iter(series.values()))
        order, real = np.full(len(some.real), _NEVER, dtype=np.int64), np.zeros(len(some.real))
        for k in sorted(series):
            first = (order == _NEVER) & (series[k].residue != 0)
            order[first], real[first] = k, series[k].real[first]
        if not np.isfinite(real).all():
            raise SolverError("numbers are too large for floats")
        return cls(series, order, real, top, prime)

    @property
    def sign(self) -> NDArray[np.int64]:
        """-1, 0 or 1; 0 also where the float has lost it."""
        return np.sign(self.real).astype(np.int64)

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Which are not 0 as far as they are known."""
        return self.order < _NEVER

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """The candidate with the greatest leading coefficient of the lowest order; the first among equals."""
        first = candidates[self.order[candidates] == self.order[candidates].min()]
        return int(first[np.argmax(np.abs(self.real[first]))])

    def least_ratio(self, candidates: NDArray[np.int64], step: Asymptotic) -> int:
        """The candidate whose size has the least ratio to that of ``step``, as series.

        Among equals, the one with the largest step.
        """
        order = np.where(self.order == _NEVER, _NEVER, self.order - step.order)[candidates]
        candidates = candidates[order == order.max()]
        if order.max() < _NEVER and len(candidates) > 1:
            ratio = np.abs(self.real[candidates] / step.real[candidates])
            candidates = candidates[ratio <= ratio.min() * (1 + _TIE)]
            if 1 < len(candidates) < _MANY_TIES:
                candidates = self._truly_least(candidates, step)
        best = np.lexsort((-np.abs(step.real[candidates]), step.order[candidates]))[0]
        return int(candidates[best])

    def _truly_least(self, candidates: NDArray[np.int64], step: Asymptotic) -> NDArray[np.int64]:
        least = [int(candidates[0])]
        for j in candidates[1:].tolist():
            difference = self._cross(step, j, least[0])
            if difference < 0:
                least = [j]
            elif difference == 0:
                least.append(j)
        return np.array(least, dtype=np.int64)

    def _cross(self, step: Asymptotic, a: int, b: int) -> float:
        """The sign of |a| |step_b| - |b| |step_a|, as far as it is known."""
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
        """The series of column j."""
        return {k: (float(v.real[j]), int(v.residue[j])) for k, v in self.series.items() if v.residue[j]}


class AsymptoticSolution(Tableau):
    """The basic solution of a basis, as far as floats and residues know it.

    Parameters
    ----------
    lowered : dict
        ``lowered[k][j]`` is taken from the coefficient k of the cost of column j.
    """

    def __init__(self, shared: InfinitesimalProgram, inverse: _Inverse, values: Asymptotic, lowered: _Amounts) -> None:
        self.program, self.basic = shared.program, inverse.basic
        self._shared, self._inverse, self._values, self._lowered = shared, inverse, values, lowered
        self._reduced_costs = inverse.reduced_costs(shared.cost(inverse.numbers, lowered))

    @classmethod
    def of(cls, shared: InfinitesimalProgram, basic: NDArray[np.bool_], lowered: _Amounts) -> AsymptoticSolution:
        """Compute the basic solution of a basis; ``SolverError`` if it is none, or numbers are too large."""
        shared.check()
        try:
            inverse = _Inverse(shared, basic)
            return cls(shared, inverse, inverse.values(shared.program.rhs), lowered)
        except (SingularMatrixError, RuntimeError) as error:
            raise SolverError(f"a basis is singular: {error}") from None
        except OverflowError:
            raise SolverError("numbers are too large for floats") from None

    @property
    def primal(self) -> Asymptotic:
        """Values."""
        return self._values

    @property
    def dual(self) -> Asymptotic:
        """Reduced costs."""
        return self._reduced_costs

    @property
    def progress(self) -> None:
        """Nothing: the objective is not known, so all pivots of a phase count."""

    def column(self, j: int) -> Asymptotic:
        """B^-1 a_j, at the basic columns."""
        program = self.program
        column = np.zeros((len(program.matrices), program.num_rows), dtype=object)
        if j < program.num_columns:
            for level, matrix in zip(column, program.matrices, strict=True):
                rows, values = matrix.column_entries(j)
                level[rows] = values
        else:
            column[0, j - program.num_columns] = 1
        return self._inverse.values(column)

    def row(self, k: int) -> Asymptotic:
        """The row of B^-1 [A I] that belongs to the basic column k, at the nonbasic columns."""
        cost = np.zeros(len(self.basic), dtype=np.int64)
        cost[k] = -1
        return self._inverse.reduced_costs({0: self._inverse.numbers.of(cost)})

    def exchanged(self, entering: int, leaving: int) -> AsymptoticSolution:
        """The basic solution of the basis with one column for another."""
        basic = self.basic.copy()
        basic[entering], basic[leaving] = True, False
        return self.of(self._shared, basic, self._lowered)

    def lowered(self) -> AsymptoticSolution:
        """With lower costs for the columns that would improve; a free column may stay out of place."""
        lowered: _Amounts = {}
        for j in self.dual_violations.tolist():
            amount = ceil(abs(self.dual.real[j]) * (1 + self._shared.random.random())) + 1
            lowered.setdefault(int(self.dual.order[j]), {})[j] = amount
        return self._priced(lowered)

    def restored(self) -> AsymptoticSolution:
        """With the true costs."""
        return self._priced({})

    def _priced(self, lowered: _Amounts) -> AsymptoticSolution:
        try:
            return AsymptoticSolution(self._shared, self._inverse, self._values, lowered)
        except OverflowError:
            raise SolverError("numbers are too large for floats") from None


class InfinitesimalProgram:
    """A program whose bases are looked at in series, and what they share; that of the last basis is kept.

    Parameters
    ----------
    program : Program
        Feasible and bounded for small values of the infinitesimal.
    top : int
        Highest order of the infinitesimal that is looked at.
    """

    def __init__(self, program: Program, top: int, check: Callable[[], None]) -> None:
        self.program, self.top, self.check, self.random = program, top, check, draws()
        self.matrices: dict[int, list[FloatResidueMatrix]] = {}  # of the program, by prime: the same for most bases
        self._last: AsymptoticSolution | None = None

    def solution(self, basis: NDArray[np.int64]) -> AsymptoticSolution:
        """The basic solution of a basis; ``SolverError`` if it is none, or numbers are too large."""
        basic = self.program.basic(basis)
        if self._last is None or not np.array_equal(self._last.basic, basic):
            self._last = AsymptoticSolution.of(self, basic, {})
        return self._last

    def cost(self, numbers: FloatResidueNumbers, lowered: _Amounts) -> Series:
        """The cost of all columns, some of them lowered."""
        series = {}
        for k in {*range(len(self.program.cost)), *lowered}:
            level, less = np.zeros((2, len(self.program.fixed)), dtype=object)
            if 0 <= k < len(self.program.cost):
                level[: self.program.num_columns] = self.program.cost[k]
            less[list(lowered.get(k, ()))] = list(lowered.get(k, {}).values())
            series[k] = numbers.of(level).minus(numbers.of(less))
        return series


class _Inverse:
    """The inverse of a basis, factorised in floats and modulo a prime."""

    def __init__(self, shared: InfinitesimalProgram, basic: NDArray[np.bool_]) -> None:
        program, self.basic, self._top = shared.program, basic, shared.top
        columns, rows = np.flatnonzero(basic[: program.num_columns]), np.flatnonzero(~basic[program.num_columns :])
        parts = [matrix.submatrix(rows, columns) for matrix in program.matrices]
        system = SeriesSystem(parts, shared.check, small_limit=0, sure=False)
        factors: Any = system.factors
        numbers = self.numbers = FloatResidueNumbers(system.parts[0], factors.lu if len(rows) else None)
        if numbers.prime not in shared.matrices:
            shared.matrices[numbers.prime] = list(map(numbers.matrix, program.matrices))
        self._basis: SeriesBasis[FloatResidue] = SeriesBasis(
            program, basic, shared.matrices[numbers.prime], system, numbers
        )

    def values(self, rhs: NDArray[Any]) -> Asymptotic:
        """Values of all columns, for right-hand sides by order."""
        return self._asymptotic(*self._basis.values({k: self.numbers.of(level) for k, level in enumerate(rhs)}))

    def reduced_costs(self, cost: Series) -> Asymptotic:
        """Reduced costs of all columns."""
        return self._asymptotic(*self._basis.reduced_costs(cost))

    def _asymptotic(self, first: int, coefficients: Iterator[FloatResidue]) -> Asymptotic:
        series = dict(zip(range(first, self._top + 1), coefficients, strict=False))
        return Asymptotic.of(series, self._top, self.numbers.prime)


def pivot_at_infinitesimal(
    program: InfinitesimalProgram,
    basis: NDArray[np.int64],
    progress: Callable[[int, int], None],
    *,
    max_pivots: int = 1000,
) -> tuple[NDArray[np.int64], int, int]:
    """Pivot from a basis towards a stable one.

    Parameters
    ----------
    program : InfinitesimalProgram
    basis : int64[m]
    progress : callable
        Called with the number of pivots and of violations left.
    max_pivots : int
        Stop after so many.

    Returns
    -------
    basis : int64[m]
        Believed to be stable if none is ``left`` out of place.
    pivots : int
    left : int
        How many columns still seem out of place; 0 unless the pivots ran out, or both sides were violated and
        a free column was among those that would improve: its cost cannot be lowered exactly here.

    Raises
    ------
    SolverError
        Floats and residues led nowhere: a singular basis, no column to pivot on, or too large numbers.
    """
    start = program.solution(basis)
    simplex = Simplex(start, lambda: ViolationRule(program.random, _STALL), max_pivots=max_pivots, report=progress)
    simplex.optimize()
    last = simplex.tableau
    return np.flatnonzero(last.basic), simplex.pivots, len(last.primal_violations) + len(last.dual_violations)

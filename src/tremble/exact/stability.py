r"""The basis-stability oracle: whether a basis is optimal for all small values of the infinitesimal.

For a basis of a :class:`~tremble.exact.program.Program` let C be its structural columns, R the rows
whose logical is not basic and :math:`M(\varepsilon) = A_{RC}(\varepsilon)`. Its basic solution and reduced costs are
rational functions of :math:`\varepsilon`; near 0 each is a Laurent series, and the sign of the first nonzero
coefficient is its sign for all small :math:`\varepsilon > 0`. The basis is *stable* iff M is nonsingular for some
:math:`\varepsilon` (hence for all small ones), no basic column violates its bound and no nonbasic one would improve.

The series come from :mod:`tremble.exact.series_basis`.

**Zeros.** A series that starts with zeros may be 0 altogether. By Cramer's rule its numerator has at most the
degree D that the degrees of the rows (or of the columns) sum to, so D + 1 vanishing coefficients prove it, and
for small programs they are computed. Else the functions are evaluated at random points modulo random primes of 31
bits. The numerator of one that is not 0 has a coefficient below :math:`2^B` that is not 0, where B comes from the sums
of absolute values in the rows; so fewer than B/30 of the 50,697,537 primes divide them all, and modulo any other at
most D points are zeros. It passes for 0 at one point with a probability of at most

.. math::  \delta = \frac{D}{2^{30}} + \frac{B/30}{50\,697\,537} ,

and so does the determinant; points where it does are drawn again, which leaves :math:`\delta / (1 - \delta)`. There
are n + m functions at most, so any of them passes at all of R points with a probability below n + m times the R-th
power of that. The outcome says how many were taken for 0 that way.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, section 5 (the basis-stability oracle), lemma 10 and after (zeros, and the test at a random
number).
R. G. Jeroslow: Asymptotic linear programming, Operations Research 21, 1973.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dixon import SMALL_LIMIT, LiftedFactors, SingularMatrixError
from tremble.exact.modular import dot_mod, matrix_at, random_prime, sides_at, solve_both_mod
from tremble.exact.program import Program
from tremble.exact.series_basis import Exact, ExactNumbers, SeriesBasis
from tremble.exact.series_system import RowOperation, SeriesSystem, determinant_degree

__all__ = ["Series", "Stability", "check_stability"]

PROVEN_ORDERS = 40  # up to this degree bound zeros are proven, not drawn
_ERROR_BITS = 64  # otherwise a false zero has a probability below 2^-64
_PRIMES = 50_697_537  # between 2^30 and 2^31
_SINGULAR_POINTS = 4  # a determinant that is 0 at so many random points, and at no other, is taken for 0


@dataclass(frozen=True, eq=False)
class Series:
    """Truncated Laurent series of all columns, with exact coefficients."""

    first: int  # order of the first coefficient; negative where there is a pole
    coefficients: list[NDArray[Any]]  # list of object[n + m]: numerators, order by order
    denominators: list[int]
    _rest: Iterator[Exact]

    @classmethod
    def of(cls, first: int, coefficients: Iterator[Exact]) -> Series:
        """None of the coefficients so far."""
        return cls(first, [], [], coefficients)

    def go_on(self) -> None:
        """Compute one coefficient more."""
        numerator, denominator = next(self._rest)
        self.coefficients.append(numerator)
        self.denominators.append(denominator)

    def signs(self) -> NDArray[np.int64]:
        """Sign of the first nonzero coefficient of each column; 0 if there is none."""
        sign = np.zeros(len(self.coefficients[0]), dtype=np.int64)
        for values in self.coefficients:
            here = (values > 0).astype(np.int64) - (values < 0).astype(np.int64)
            sign = np.where(sign == 0, here, sign)
        return sign


@dataclass(frozen=True, eq=False)
class Stability:
    """What the oracle found."""

    stable: bool
    # Basic columns outside their bounds, and nonbasic ones that would improve, for all small infinitesimals.
    primal_violations: NDArray[np.int64]  # [...]
    dual_violations: NDArray[np.int64]  # [...]
    # Of all columns (structural, then logical).
    values: Series
    reduced_costs: Series
    # Round by round, in rows of the program; empty if M is regular at 0.
    operations: tuple[tuple[RowOperation, ...], ...]
    # How many columns were taken for identically 0 on the strength of random evaluations; 0 if all is proven.
    drawn: int
    error_bits: int | None  # the probability that one of them is not 0 is below 2^-error_bits; None if all is proven
    # Rows and columns of the program in the order in which M at 0, after the row operations, was eliminated; None if it
    # was small and eliminated in fractions.
    pivots: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # pair of int64[size of M], or None
    _extend: Callable[[int], None]

    def extend(self, order: int) -> None:
        """Compute more coefficients: both series at least through this order."""
        self._extend(order)


def check_stability(
    program: Program,
    basis: NDArray[np.int64],
    check: Callable[[], None],
    *,
    watched: NDArray[np.bool_] | None = None,
    small_limit: int = SMALL_LIMIT,
    proven_orders: int = PROVEN_ORDERS,
) -> Stability:
    """Decide whether a basis is stable.

    Parameters
    ----------
    basis : int64[m]
    watched : bool[n + m], optional
        Columns whose first nonzero coefficient is wanted even if their sign does not matter: a basic one's
        value, a nonbasic one's reduced cost.

    Raises
    ------
    SingularMatrixError
        The basis matrix is singular for every value of the infinitesimal.
    """
    return _Oracle(program, basis, check, small_limit, proven_orders).decide(watched)


class _Oracle:
    """Works out the series of one basis."""

    def __init__(
        self,
        program: Program,
        basis: NDArray[np.int64],
        check: Callable[[], None],
        small_limit: int,
        proven_orders: int,
    ) -> None:
        n = program.num_columns
        self._program, self._check = program, check
        self._basic = program.basic(basis)
        self._columns = np.flatnonzero(self._basic[:n])
        self._rows = np.flatnonzero(~self._basic[n:])
        self._parts = [matrix.submatrix(self._rows, self._columns) for matrix in program.matrices]
        self._error_bits, self._proven_orders = 0, proven_orders
        self._nonzero = self._drawn_nonzero()  # also: the basis matrix is not singular altogether
        self._system = SeriesSystem(self._parts, check, small_limit)
        numbers = ExactNumbers(self._system.factors)
        matrices = list(map(numbers.matrix, program.matrices))
        inverse: SeriesBasis[Exact] = SeriesBasis(program, self._basic, matrices, self._system, numbers)
        cost = np.concatenate((program.cost, np.zeros((len(program.cost), program.num_rows), dtype=object)), axis=1)
        self._values = Series.of(*inverse.values({k: numbers.of(level) for k, level in enumerate(program.rhs)}))
        self._reduced_costs = Series.of(*inverse.reduced_costs({k: numbers.of(level) for k, level in enumerate(cost)}))

    # -- signs ---

    def decide(self, watched: NDArray[np.bool_] | None) -> Stability:
        bounded, fixed, system = ~self._program.unbounded, self._program.fixed, self._system
        if watched is None:
            watched = np.zeros_like(fixed)
        values, reduced = self._values, self._reduced_costs
        value_zeros = self._decide_signs(values, self._basic & (bounded | watched), self._nonzero[0])
        reduced_zeros = self._decide_signs(reduced, ~self._basic & (~fixed | watched), self._nonzero[1])
        sign = values.signs()
        primal = np.flatnonzero(self._basic & np.where(fixed, sign != 0, (sign < 0) & bounded))
        sign = reduced.signs()
        dual = np.flatnonzero(~self._basic & ~fixed & np.where(bounded, sign > 0, sign != 0))
        drawn = value_zeros + reduced_zeros
        return Stability(
            stable=not len(primal) and not len(dual),
            primal_violations=primal,
            dual_violations=dual,
            values=values,
            reduced_costs=reduced,
            operations=tuple(
                tuple(RowOperation(int(self._rows[o.row]), self._rows[o.rows], o.factor) for o in batch)
                for batch in system.operations
            ),
            drawn=drawn,
            error_bits=self._error_bits if drawn else None,
            pivots=self._pivots(),
            _extend=self._extend,
        )

    def _extend(self, order: int) -> None:
        for series in (self._values, self._reduced_costs):
            while series.first + len(series.coefficients) <= order:
                series.go_on()
                self._check()

    def _pivots(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        factors = self._system.factors
        if not isinstance(factors, LiftedFactors):
            return None
        rows, columns = factors.lu.factors[:2]
        return self._rows[rows], self._columns[columns]

    # -- series ---

    def _decide_signs(self, series: Series, wanted: NDArray[np.bool_], nonzero: NDArray[np.bool_]) -> int:
        """Coefficients until the sign of every wanted column is known; returns how many were taken for 0."""
        bound = self._degree_bound
        undecided = wanted.copy()
        while True:
            series.go_on()
            self._check()
            undecided &= ~np.asarray(series.coefficients[-1] != 0, dtype=np.bool_)
            order = series.first + len(series.coefficients) - 1
            if order >= 0 and not undecided.any():
                return 0
            if bound > self._proven_orders:
                if order >= 0 and not (undecided & nonzero).any():
                    return int(undecided.sum())
            elif order >= bound:
                return 0

    # -- zeros ---

    @cached_property
    def _degree_bound(self) -> int:
        """What bounds the degree of numerators and denominators, by Cramer's rule."""
        extra = len(self._program.rhs) + len(self._program.cost) + len(self._program.matrices)
        return determinant_degree(self._parts) + extra

    @cached_property
    def _coefficient_bits(self) -> int:
        """What bounds the coefficients of numerators and denominators, by the sums of absolute values in the rows.

        The sum of the absolute coefficients of a product of polynomials is at most the product of theirs.
        """
        program = self._program
        size = np.abs(program.rhs).astype(object).sum(axis=0) + 1  # 1 for the logical
        for matrix in program.matrices:
            absolute = replace(matrix, value=np.abs(matrix.value))
            size = size + absolute.dot(np.ones(program.num_columns, dtype=np.int64))
        bits = np.array([int(value).bit_length() for value in size.tolist()], dtype=np.int64)
        cost = int(np.abs(program.cost).astype(object).sum())
        return int(bits[self._rows].sum()) + max(int(bits.max(initial=0)), cost.bit_length())

    def _drawn_nonzero(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Columns whose value, and whose reduced cost, is not 0 at some random point modulo a random prime."""
        program, n, m = self._program, self._program.num_columns, self._program.num_rows
        value, reduced = (np.zeros(n + m, dtype=np.bool_) for _ in range(2))
        passes = self._degree_bound / 2**30 + self._coefficient_bits / 30 / _PRIMES
        bits = -log2(passes / (1 - passes))  # of evidence per point
        regular = singular = 0
        functions = log2(max(n + m, 1))
        while not regular or (self._degree_bound > self._proven_orders and regular * bits < _ERROR_BITS + functions):
            prime = random_prime()
            point = secrets.randbelow(prime - 1) + 1
            matrix = matrix_at(program.matrices, point, prime)
            rhs, cost = sides_at(program.rhs, point, prime), sides_at(program.cost, point, prime)
            square = matrix.submatrix(self._rows, self._columns)
            try:
                z, y = solve_both_mod(square, rhs[self._rows], cost[self._columns], prime, self._check)
            except SingularMatrixError:
                singular += 1
                if not regular and singular == _SINGULAR_POINTS:
                    raise
                continue
            regular += 1
            full, multiplier = np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64)
            full[self._columns], multiplier[self._rows] = z, y
            slack = (rhs - dot_mod(matrix, full, prime)) % prime
            left = (cost - dot_mod(matrix.transposed, multiplier, prime)) % prime
            value |= np.concatenate((full, slack)) != 0
            reduced |= np.concatenate((left, multiplier)) != 0
        self._error_bits = floor(regular * bits - functions)
        return value, reduced

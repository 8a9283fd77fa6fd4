r"""The basis-stability oracle: decide whether a basis is optimal for all small values of the infinitesimal.

For a basis of a :class:`~tremble.exact.program.Program`, let C be its structural columns, R the rows with nonbasic
logicals, and :math:`M(\varepsilon) = A_{RC}(\varepsilon)`. The basic solution and the reduced costs are rational
functions of :math:`\varepsilon`. Near 0, each function has a Laurent series (:mod:`tremble.exact.series_basis`). For
all small :math:`\varepsilon > 0`, the function has the sign of the first nonzero coefficient. The basis is *stable* if
and only if all of these conditions are true:

* M is nonsingular for some :math:`\varepsilon`, and so for all small :math:`\varepsilon > 0`;
* no basic column violates its bound;
* no nonbasic column would improve the objective.

**Zeros.** A series that starts with zeros may be identically 0. By Cramer's rule, the degree of its numerator is at
most the sum D of the degrees of the rows (or of the columns). So D + 1 zero coefficients prove that the series is 0.
For small programs, all these coefficients are computed. For other programs, the functions are evaluated at random
points modulo random primes of 31 bits. If a function is not 0, its numerator has a nonzero coefficient below
:math:`2^B`. B is computed from the sums of absolute values in the rows. So fewer than B/30 of the 50,697,537 primes
divide all coefficients. Modulo any other prime, at most D points are zeros. So a function that is not 0 has the value 0
at one random point with a probability of at most

.. math::  \delta = \frac{D}{2^{30}} + \frac{B/30}{50\,697\,537} .

The same bound is valid for the determinant. If the determinant is 0 at a point, another point is drawn. So the
probability for a function becomes at most :math:`\delta / (1 - \delta)`. There are at most n + m functions. After R
points, some function is wrongly counted as 0 with a probability of at most
:math:`(n + m) (\delta / (1 - \delta))^R`. The result contains the number of functions that count as 0 without a proof.

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

from tremble.exact.dixon import LiftedFactors
from tremble.exact.elimination import SMALL_LIMIT
from tremble.exact.modular import dot_mod, matrix_at, random_prime, sides_at, solve_both_mod
from tremble.exact.program import Program, SingularMatrixError
from tremble.exact.series_basis import Exact, ExactNumbers, SeriesBasis
from tremble.exact.series_system import RowOperation, SeriesSystem, determinant_degree

__all__ = ["Series", "Stability", "check_stability"]

PROVEN_ORDERS = 40  # if the degree bound is larger, zeros are not proven but tested at random points
_ERROR_BITS = 64  # the probability of a false zero is below 2 ** -_ERROR_BITS
_PRIMES = 50_697_537  # number of primes between 2^30 and 2^31
_SINGULAR_POINTS = 4  # if the determinant is 0 at each of the first 4 points, the matrix counts as singular


@dataclass(frozen=True, eq=False)
class Series:
    """A truncated Laurent series for each column of a program, with exact coefficients."""

    first: int  # order of the first coefficient; negative if there is a pole
    coefficients: list[NDArray[Any]]  # list of object[n + m]: numerators, order by order
    denominators: list[int]
    _rest: Iterator[Exact]

    @classmethod
    def of(cls, first: int, coefficients: Iterator[Exact]) -> Series:
        """Make a series whose coefficients :meth:`go_on` computes one by one."""
        return cls(first, [], [], coefficients)

    def go_on(self) -> None:
        """Compute the next coefficient of every column's series, and append it."""
        numerator, denominator = next(self._rest)
        self.coefficients.append(numerator)
        self.denominators.append(denominator)

    def signs(self) -> NDArray[np.int64]:
        """Return the sign of the first nonzero coefficient of each column, or 0 if all coefficients are 0."""
        sign = np.zeros(len(self.coefficients[0]), dtype=np.int64)
        for values in self.coefficients:
            here = (values > 0).astype(np.int64) - (values < 0).astype(np.int64)
            sign = np.where(sign == 0, here, sign)
        return sign


@dataclass(frozen=True, eq=False)
class Stability:
    """The result of :func:`check_stability` for a basis."""

    stable: bool
    # Basic columns outside their bounds, and nonbasic columns that would improve the objective, for all small epsilons.
    primal_violations: NDArray[np.int64]  # [...]
    dual_violations: NDArray[np.int64]  # [...]
    # Series of all columns (structural, then logical).
    values: Series
    reduced_costs: Series
    # Row operations of each round, with the row numbers of the program; empty if M is nonsingular at 0.
    operations: tuple[tuple[RowOperation, ...], ...]
    # Number of columns that count as identically 0 because of random evaluations; 0 if everything is proven.
    drawn: int
    error_bits: int | None  # the probability of a wrong zero is below 2^-error_bits; None if everything is proven
    # Rows and columns of the program, in the order in which M at 0 was eliminated after the row operations. None if M
    # was small and eliminated in fractions.
    pivots: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # pair of int64[size of M], or None
    _extend: Callable[[int], None]

    def extend(self, order: int) -> None:
        """Extend ``values`` and ``reduced_costs``: compute all coefficients up to degree ``order``."""
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
    """Decide whether a basis is stable, which means optimal for all small positive values of the infinitesimal.

    Parameters
    ----------
    basis : int64[m]
    watched : bool[n + m], optional
        Mask of columns whose first nonzero coefficient is always computed, even if its sign is irrelevant. This
        coefficient belongs to the value of a basic column, or to the reduced cost of a nonbasic column.

    Raises
    ------
    SingularMatrixError
        The basis matrix is singular for every value of the infinitesimal.
    """
    return _Oracle(program, basis, check, small_limit, proven_orders).decide(watched)


class _Oracle:
    """The check of one basis. It computes the series of all columns, and decides the signs of these series."""

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
        self._nonzero = self._nonzero_at_random_points()  # raises if the basis matrix is singular everywhere
        self._system = SeriesSystem(self._parts, check, small_limit)
        numbers = ExactNumbers(self._system.factors)
        matrices = list(map(numbers.matrix, program.matrices))
        inverse: SeriesBasis[Exact] = SeriesBasis(program, self._basic, matrices, self._system, numbers)
        cost = np.concatenate((program.cost, np.zeros((len(program.cost), program.num_rows), dtype=object)), axis=1)
        self._values = Series.of(*inverse.values({k: numbers.of(level) for k, level in enumerate(program.rhs)}))
        self._reduced_costs = Series.of(*inverse.reduced_costs({k: numbers.of(level) for k, level in enumerate(cost)}))

    # -- signs ---

    def decide(self, watched: NDArray[np.bool_] | None) -> Stability:
        """Compute coefficients until the signs of all needed and ``watched`` columns are known; list violations."""
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

    def _decide_signs(self, series: Series, columns: NDArray[np.bool_], nonzero: NDArray[np.bool_]) -> int:
        """Compute coefficients of the series until the sign of each column in ``columns`` is known.

        Return the number of columns that are assumed, but not proven, to be 0, because random evaluations gave 0.
        """
        bound = self._degree_bound
        undecided = columns.copy()
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
        """Upper bound on the degrees of the numerators and denominators in a solution, by Cramer's rule."""
        extra = len(self._program.rhs) + len(self._program.cost) + len(self._program.matrices)
        return determinant_degree(self._parts) + extra

    @cached_property
    def _coefficient_bits(self) -> int:
        """Upper bound on the length, in bits, of every coefficient in a numerator or denominator.

        The bound uses sums of absolute coefficients. The sum for a product is at most the product of the factors' sums.
        """
        program = self._program
        size = np.abs(program.rhs).astype(object).sum(axis=0) + 1  # 1 for the logical
        for matrix in program.matrices:
            absolute = replace(matrix, value=np.abs(matrix.value))
            size = size + absolute.dot(np.ones(program.num_columns, dtype=np.int64))
        bits = np.array([int(value).bit_length() for value in size.tolist()], dtype=np.int64)
        cost = int(np.abs(program.cost).astype(object).sum())
        return int(bits[self._rows].sum()) + max(int(bits.max(initial=0)), cost.bit_length())

    def _nonzero_at_random_points(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return two masks of columns: True if the value, or the reduced cost, is not 0 at some random point."""
        # Compute the bits of evidence that each point gives.
        program, n, m = self._program, self._program.num_columns, self._program.num_rows
        value, reduced = (np.zeros(n + m, dtype=np.bool_) for _ in range(2))
        passes = self._degree_bound / 2**30 + self._coefficient_bits / 30 / _PRIMES
        bits = -log2(passes / (1 - passes))
        regular = singular = 0  # number of points with a nonsingular and with a singular matrix
        functions = log2(max(n + m, 1))
        # Evaluate at random points until the evidence is sufficient.
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
            reduced_cost = (cost - dot_mod(matrix.transposed, multiplier, prime)) % prime
            value |= np.concatenate((full, slack)) != 0
            reduced |= np.concatenate((reduced_cost, multiplier)) != 0
        self._error_bits = floor(regular * bits - functions)
        return value, reduced

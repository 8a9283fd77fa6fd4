"""Compute power series for the values and reduced costs of a basis: exactly, or as floats with modular residues.

:mod:`tremble.exact.series_system` describes the recurrences.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.exact.elimination import Factors
from tremble.exact.program import IntegerMatrix, Program
from tremble.exact.series_system import RowOperation, SeriesSystem

if TYPE_CHECKING:
    from tremble.exact.float_residue import FloatResidue

__all__ = ["Exact", "ExactNumbers", "SeriesBasis"]

Index = slice | NDArray[np.int64]


V = TypeVar("V", "Exact", "FloatResidue")
"""Type of a vector with the coefficients of one order, one coefficient for each row or column."""


# -- exact vectors -----------------------------------------------------------------------------------


class Exact(NamedTuple):
    """A vector of integers over one denominator."""

    numerator: NDArray[Any]  # object
    denominator: int

    def plus(self, other: Exact) -> Exact:
        """Return this vector plus ``other``."""
        return self.minus(Exact(-other.numerator, other.denominator))

    def minus(self, other: Exact) -> Exact:
        """Return this vector minus ``other``."""
        common = lcm(self.denominator, other.denominator)
        return Exact(self._numerator_over(common) - other._numerator_over(common), common)

    def take(self, index: Index) -> Exact:
        """Return the entries at ``index``."""
        return Exact(self.numerator[index], self.denominator)

    def expand(self, index: Index, size: int) -> Exact:
        """Return a vector of length ``size`` with this vector's entries at the positions ``index``, and 0 elsewhere."""
        result = np.zeros(size, dtype=object)
        result[index] = self.numerator
        return Exact(result, self.denominator)

    def clean(self) -> Exact:
        """Return the same vector, with the least common denominator of its entries."""
        common = gcd(self.denominator, *self.numerator[np.flatnonzero(self.numerator)].tolist())
        return Exact(self.numerator // common, self.denominator // common) if common > 1 else self

    def any(self) -> bool:
        """Return True if at least one entry is not 0."""
        return bool(self.numerator.any())

    def _numerator_over(self, denominator: int) -> NDArray[Any]:
        factor = denominator // self.denominator
        return self.numerator * factor if factor != 1 else self.numerator


class ExactMatrix(NamedTuple):
    """A matrix that multiplies exact vectors."""

    matrix: IntegerMatrix

    def dot(self, z: Exact) -> Exact:
        """Return A z for this matrix A."""
        return Exact(self.matrix.dot(z.numerator), z.denominator)

    def transposed_dot(self, y: Exact) -> Exact:
        """Return A' y for the transpose A' of this matrix."""
        return Exact(self.matrix.transposed_dot(y.numerator), y.denominator)


class ExactNumbers:
    """Exact vectors, and exact solutions of systems with a factorized matrix. Methods as in ``FloatResidueNumbers``."""

    matrix = ExactMatrix

    def __init__(self, factors: Factors) -> None:
        self._factors = factors

    def of(self, integers: NDArray[Any]) -> Exact:
        """Convert integers to a vector."""
        return Exact(integers.astype(object), 1)

    def solve(self, b: Exact, *, transposed: bool) -> Exact:
        """Solve M x = b, or M' x = b if ``transposed``, for the factorized matrix M."""
        solve = self._factors.solve_transposed if transposed else self._factors.solve
        numerator, denominator = solve(b.numerator)
        return Exact(numerator, denominator * b.denominator).clean()


# -- series ------------------------------------------------------------------------------------------


class SeriesBasis(Generic[V]):
    """A basis of a program. It computes the values and the reduced costs as power series in the infinitesimal.

    Parameters
    ----------
    matrices : list of ExactMatrix or list of FloatResidueMatrix
        Coefficients of the program's matrix.
    system : SeriesSystem
        The basic structural columns of the matrix, restricted to rows whose logical is nonbasic.
    numbers : ExactNumbers or FloatResidueNumbers
        Arithmetic for the vectors, with the factors of ``system``.
    """

    def __init__(
        self,
        program: Program,
        basic: NDArray[np.bool_],
        matrices: list[Any],
        system: SeriesSystem,
        numbers: Any,
    ) -> None:
        self._n, self._m = program.num_columns, program.num_rows
        self._basic = basic
        self._columns, self._rows = np.flatnonzero(basic[: self._n]), np.flatnonzero(~basic[self._n :])
        self._outside = np.flatnonzero(basic[self._n :])  # rows whose logical is basic
        self._numbers = numbers
        # Trembles of order 1,000 lead to a thousand coefficients. Most coefficients are empty, so omit these.
        self._matrices = {i: matrices[i] for i, matrix in enumerate(program.matrices) if not i or len(matrix.value)}
        self._parts = {i: numbers.matrix(part) for i, part in enumerate(system.parts) if i and len(part.value)}
        size = len(self._rows)
        self._operations = [
            (
                np.setdiff1d(np.arange(size), [operation.row for operation in batch]),  # unchanged rows
                numbers.matrix(_as_matrix(batch, size)),
            )
            for batch in system.operations
        ]

    def values(self, rhs: dict[int, V]) -> tuple[int, Iterator[V]]:
        """Solve B(e) z = rhs(e) for the basis matrix B. Return z's lowest order, and its coefficients from there on."""
        inner = {k: v.take(self._rows) for k, v in rhs.items()}
        for unchanged, combination in self._operations:
            inner = self._operated(inner, unchanged, combination)
        first = min(inner)
        return first, self._values(first, rhs, inner)

    def _values(self, first: int, rhs: dict[int, V], inner: dict[int, V]) -> Iterator[V]:
        n, size = self._n, self._n + self._m
        solved: list[V] = []
        values: list[V] = []
        for k in count(first):
            target = inner.get(k, self._zeros(len(self._rows)))
            for part, earlier in _earlier(self._parts, solved):
                target = target.minus(part.dot(earlier))
            solved.append(self._solved(target, transposed=False))
            structural = solved[-1].expand(self._columns, n)
            slack = rhs.get(k, self._zeros(self._m)).minus(self._matrices[0].dot(structural))
            for matrix, earlier in _earlier(self._matrices, values):
                slack = slack.minus(matrix.dot(earlier.take(slice(0, n))))
            slack = slack.take(self._outside)
            values.append(solved[-1].expand(self._columns, size).plus(slack.expand(n + self._outside, size)).clean())
            yield values[-1]

    def _operated(self, series: dict[int, V], unchanged: NDArray[np.int64], combination: Any) -> dict[int, V]:
        """Apply a batch of row operations to the right-hand sides ``series``, a dict from order to coefficients."""
        size = len(self._rows)
        result = {k: v.take(unchanged).expand(unchanged, size) for k, v in series.items()}
        for k, level in series.items():
            replaced = combination.dot(level)  # divided by the infinitesimal, so the order is one lower
            if replaced.any():
                result[k - 1] = result[k - 1].plus(replaced) if k - 1 in result else replaced
        return result

    def reduced_costs(self, cost: dict[int, V]) -> tuple[int, Iterator[V]]:
        """Compute the reduced costs r = c - y' [A I] with y' B = c_B. Return r's first order in e and coefficients."""
        first = min(cost) - len(self._operations)
        return first, self._reduced_costs(first, cost)

    def _reduced_costs(self, first: int, cost: dict[int, V]) -> Iterator[V]:
        n, m = self._n, self._m
        nonbasic = np.flatnonzero(~self._basic)
        multipliers: list[V] = []
        for k, at_rows in zip(count(first), self._carried_back(self._raw_multipliers(cost)), strict=False):
            level = cost.get(k, self._zeros(n + m))
            at_outside = level.take(n + self._outside)
            y = at_rows.expand(self._rows, m).plus(at_outside.expand(self._outside, m)).clean()
            product = self._matrices[0].transposed_dot(y)
            for matrix, earlier in _earlier(self._matrices, multipliers):
                product = product.plus(matrix.transposed_dot(earlier))
            multipliers.append(y)
            prices = product.expand(slice(0, n), n + m).plus(y.expand(slice(n, n + m), n + m))
            reduced = level.minus(prices).take(nonbasic)
            yield reduced.expand(nonbasic, n + m).clean()

    def _raw_multipliers(self, cost: dict[int, V]) -> Iterator[V]:
        """Yield the multipliers of the system after the row operations: the coefficients of each order in turn."""
        n, m = self._n, self._m
        target = {k: level.take(self._columns) for k, level in cost.items()}
        for k, level in cost.items():
            y = level.take(n + self._outside)
            if y.any():
                y = y.expand(self._outside, m)
                for i, matrix in self._matrices.items():
                    before = target.get(k + i, self._zeros(len(self._columns)))
                    target[k + i] = before.minus(matrix.transposed_dot(y).take(self._columns))
        raw: list[V] = []
        for k in count(min(cost)):
            level = target.get(k, self._zeros(len(self._columns)))
            for part, earlier in _earlier(self._parts, raw):
                level = level.minus(part.transposed_dot(earlier))
            raw.append(self._solved(level, transposed=True))
            yield raw[-1]

    def _carried_back(self, series: Iterator[V]) -> Iterator[V]:
        """Convert multipliers of the transformed system (after all row operations) to those of the original system.

        The lowest order of the result is the lowest order of ``series`` minus the number of rounds of row operations.
        """
        size = len(self._rows)
        previous = [self._zeros(size) for _ in self._operations]  # the multipliers of the last order, after each round
        for level in series:
            for i, (unchanged, combination) in reversed(list(enumerate(self._operations))):
                kept = previous[i].take(unchanged).expand(unchanged, size)
                previous[i], level = level, kept.plus(combination.transposed_dot(level))
            yield level

    def _solved(self, target: V, *, transposed: bool) -> V:
        """Return the solution for the right-hand side ``target``. If ``target`` is 0, as it often is, return it."""
        return self._numbers.solve(target, transposed=transposed) if target.any() else target

    def _zeros(self, size: int) -> V:
        zeros: V = self._numbers.of(np.zeros(size, dtype=np.int64))
        return zeros


def _earlier(matrices: dict[int, Any], series: list[V]) -> Iterator[tuple[Any, V]]:
    """Yield the pair (matrix of order i, ``series[-i]``) for each order i >= 1 at which ``series[-i]`` is not 0."""
    for i, matrix in matrices.items():
        if 1 <= i <= len(series) and series[-i].any():
            yield matrix, series[-i]


def _as_matrix(batch: list[RowOperation], size: int) -> IntegerMatrix:
    """Return the matrix of one round of row operations. Row r contains the factors of the operation on row r."""
    return IntegerMatrix.from_entries(
        (size, size),
        np.repeat([operation.row for operation in batch], [len(operation.rows) for operation in batch]),
        np.concatenate([operation.rows for operation in batch]),
        np.concatenate([operation.factor for operation in batch]),
    )

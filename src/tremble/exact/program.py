r"""Linear programs whose data are integers, or polynomials in an infinitesimal with integer coefficients.

.. math::  \max\; c(\varepsilon)^T z \quad\text{subject to}\quad A(\varepsilon) z + s = b(\varepsilon),

Each structural column :math:`z_j` is nonnegative or free. Each row i has a *logical* column :math:`s_i`. The logical is
nonnegative in a row ``<=``, and fixed at 0 in a row ``=``. Columns are numbered :math:`0..n-1` for z and
:math:`n..n+m-1` for s. A *basis* is a set of m columns. All columns outside the basis are 0. An ordinary program has
degree 0. The float solver and the exact solver use the same :class:`Program`.

A basis is *stable* if it is optimal for all small :math:`\varepsilon > 0`. Its solution is then a rational function of
:math:`\varepsilon`. In programs for games, the solution's limit for :math:`\varepsilon \to 0` is the
strategy of a player who may tremble.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, section 4 (trembling linear programs), definition 4 (stable bases).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.integers import narrowed, segment_sums

__all__ = [
    "FLOAT_SOLVERS",
    "UNNAMED",
    "Blocks",
    "IntegerMatrix",
    "Lexicographic",
    "Numbers",
    "Program",
    "SingularMatrixError",
    "Tableau",
    "true_cost",
]


class SingularMatrixError(SolverError):
    """An error for a singular matrix. The matrix is nonsingular if ``rows`` and ``columns`` are removed."""

    def __init__(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        super().__init__(f"a basis matrix is singular: {len(rows)} of its rows depend on the others")
        self.rows = rows
        self.columns = columns


@dataclass(frozen=True)
class Blocks:
    """Consecutive blocks of rows or columns, each with a name.

    Examples
    --------
    >>> columns = Blocks.of({"plan": 3, "values": 2})
    >>> columns["values"]
    slice(3, 5, None)
    >>> columns.after(10)["plan"], len(columns), columns.mask("values").tolist()
    (slice(10, 13, None), 5, [False, False, False, True, True])
    """

    slices: dict[str, slice]  # block by name, in order

    @classmethod
    def of(cls, lengths: dict[str, int]) -> Blocks:
        """Return a block for each entry (name: length) of ``lengths``, in the order of the entries."""
        slices: dict[str, slice] = {}
        first = 0
        for name, length in lengths.items():
            slices[name] = slice(first, first + length)
            first += length
        return cls(slices)

    def after(self, first: int) -> Blocks:
        """Return these blocks, shifted by ``first`` rows or columns."""
        return Blocks({name: slice(first + block.start, first + block.stop) for name, block in self.slices.items()})

    def mask(self, *names: str) -> NDArray[np.bool_]:
        """Return a mask, bool[len(self)], of the rows or columns in the named blocks."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for name in names:
            mask[self[name]] = True
        return mask

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def __len__(self) -> int:
        return sum(block.stop - block.start for block in self.slices.values())


UNNAMED = Blocks({})
"""Blocks for a program whose rows or columns have no names."""


@dataclass(frozen=True, eq=False)
class IntegerMatrix:
    """A sparse matrix of exact integers, stored by rows and by columns."""

    shape: tuple[int, int]
    # Entries by rows; columns ascend within a row.
    row_start: NDArray[np.int64]  # [m + 1]
    column: NDArray[np.int64]  # [T]
    value: NDArray[Any]  # int64[T] or object[T]
    # Entries by columns.
    column_start: NDArray[np.int64]  # [n + 1]
    row: NDArray[np.int64]  # [T]
    by_column: NDArray[np.int64]  # [T] indices into value

    @classmethod
    def from_entries(
        cls, shape: tuple[int, int], row: NDArray[np.int64], column: NDArray[np.int64], value: NDArray[Any]
    ) -> IntegerMatrix:
        """Make a matrix with ``value[k]`` at (``row[k]``, ``column[k]``). The positions are distinct, in any order."""
        value = narrowed(value)
        place = row * shape[1] + column
        if np.any(place[1:] < place[:-1]):  # entries are often sorted already
            order = np.argsort(place, kind="stable")
            row, column, value = row[order], column[order], value[order]
        by_column = np.argsort(column, kind="stable")
        return cls(
            shape=shape,
            row_start=_starts(row, shape[0]),
            column=column,
            value=value,
            column_start=_starts(column, shape[1]),
            row=row[by_column],
            by_column=by_column,
        )

    @classmethod
    def from_blocks(
        cls,
        rows: Blocks,
        columns: Blocks,
        parts: Iterable[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]],
    ) -> IntegerMatrix:
        """Make a matrix from parts. A part is (row block, column block, row indices, column indices, values).

        Blocks are given by name. Indices count within their block. Each position may have at most one entry.
        """
        row, column, value = zip(
            *((rows[r].start + i, columns[c].start + j, values) for r, c, i, j, values in parts), strict=True
        )
        return cls.from_entries((len(rows), len(columns)), *map(np.concatenate, (row, column, value)))

    def dot(self, z: NDArray[Any]) -> NDArray[Any]:
        """Return A z for this matrix A, exactly."""
        return segment_sums(self.row_start, self.value, z[self.column])

    def transposed_dot(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return A' y for the transpose A' of this matrix, exactly."""
        return segment_sums(self.column_start, self.value[self.by_column], y[self.row])

    def column_entries(self, j: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the rows and values of column j."""
        span = slice(int(self.column_start[j]), int(self.column_start[j + 1]))
        return self.row[span], self.value[self.by_column[span]]

    def row_entries(self, i: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the columns and values of row i."""
        span = slice(int(self.row_start[i]), int(self.row_start[i + 1]))
        return self.column[span], self.value[span]

    @cached_property
    def row_of_entry(self) -> NDArray[np.int64]:
        """The row of each entry, int64[T]. The entries are sorted by row."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_start))

    def submatrix(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> IntegerMatrix:
        """Return the submatrix with the given rows and columns, in the given order."""
        new_row = np.full(self.shape[0], -1, dtype=np.int64)
        new_row[rows] = np.arange(len(rows))
        new_column = np.full(self.shape[1], -1, dtype=np.int64)
        new_column[columns] = np.arange(len(columns))
        r, c = new_row[self.row_of_entry], new_column[self.column]
        kept = (r >= 0) & (c >= 0)
        return IntegerMatrix.from_entries((len(rows), len(columns)), r[kept], c[kept], self.value[kept])

    @property
    def transposed(self) -> IntegerMatrix:
        """The transposed matrix."""
        back = np.empty_like(self.by_column)
        back[self.by_column] = np.arange(len(back))
        return IntegerMatrix(
            shape=(self.shape[1], self.shape[0]),
            row_start=self.column_start,
            column=self.row,
            value=self.value[self.by_column],
            column_start=self.row_start,
            row=self.column,
            by_column=back,
        )


def _starts(sorted_index: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the array s, of length ``count`` + 1: the index i fills the positions s[i] to s[i + 1] - 1."""
    return np.concatenate(([0], np.cumsum(np.bincount(sorted_index, minlength=count)))).astype(np.int64)


def begins(*keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first row in each run of equal rows of a sorted table. The columns are ``keys``."""
    differs = np.zeros(len(keys[0]), dtype=np.bool_)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(differs)


FLOAT_SOLVERS = {
    "auto": "interior-point if there are many rows with many entries each, else simplex",
    "simplex": "the dual simplex method",
    "interior-point": "an interior point method, with crossover to a basis",
    "race": "both at the same time, on two processors; the first one to end wins",
}
"""Ways in which HiGHS can solve a program without a start basis."""


@dataclass(frozen=True, eq=False)
class Program:
    """A program: maximize ``cost @ z`` subject to ``matrix @ z <= rhs`` and ``z >= 0``.

    A row with ``equality`` has ``=`` instead of ``<=``. A column with ``free`` has no bound.
    """

    matrices: tuple[IntegerMatrix, ...]  # coefficients of the matrix, beginning with the constant coefficient
    rhs: NDArray[Any]  # int64 or object [degree + 1, m]: coefficients of the right-hand sides
    cost: NDArray[Any]  # int64 or object [degree + 1, n]: coefficients of the costs
    equality: NDArray[np.bool_]  # [m]
    free: NDArray[np.bool_]  # [n]
    # Units for the float solver, which receives value * 2 ** (row_exponent[i] + column_exponent[j]).
    row_exponent: NDArray[np.int64]  # [m]
    column_exponent: NDArray[np.int64]  # [n]
    # Blocks of rows and columns with names, if any.
    rows: Blocks = UNNAMED
    columns: Blocks = UNNAMED

    @property
    def matrix(self) -> IntegerMatrix:
        """The matrix for epsilon = 0: the constant coefficients of all entries."""
        return self.matrices[0]

    @property
    def num_rows(self) -> int:
        """Number of rows, m."""
        return self.matrix.shape[0]

    @property
    def num_columns(self) -> int:
        """Number of structural columns, n."""
        return self.matrix.shape[1]

    @property
    def constant_matrix(self) -> bool:
        """True if the matrix does not depend on the infinitesimal."""
        return len(self.matrices) == 1

    @property
    def logicals(self) -> Blocks:
        """The blocks of logical columns (slacks). They have the names of the blocks of rows."""
        return self.rows.after(self.num_columns)

    @cached_property
    def unbounded(self) -> NDArray[np.bool_]:
        """Mask of the columns without bounds, bool[n + m]."""
        return np.concatenate((self.free, np.zeros(self.num_rows, dtype=np.bool_)))

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Mask, bool[n + m], of the columns that must be 0. These are the logicals of equality rows."""
        return np.concatenate((np.zeros(self.num_columns, dtype=np.bool_), self.equality))

    @property
    def slack_basis(self) -> NDArray[np.int64]:
        """The basis that consists of all logicals, int64[m]."""
        return np.arange(self.num_rows, dtype=np.int64) + self.num_columns

    def basic(self, basis: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the mask of the columns in a basis, bool[n + m]."""
        basic = np.zeros(self.num_columns + self.num_rows, dtype=np.bool_)
        basic[basis] = True
        return basic

    @property
    def at_zero(self) -> Program:
        """The program at epsilon = 0, which has degree 0."""
        return replace(self, matrices=self.matrices[:1], rhs=self.rhs[:1], cost=self.cost[:1])


class Numbers(Protocol):
    """Comparable numbers, one for each column of a program: the values or the reduced costs of the columns."""

    @property
    def sign(self) -> NDArray[np.int64]:
        """Sign of each number, -1, 0 or 1, as int64[n + m]."""

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Mask of the numbers that are not 0, bool[n + m]. It includes nonzero numbers with an unknown sign."""

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """Return the first candidate with the largest absolute value. Compare the values in the program's units."""

    def least_ratio(self, candidates: NDArray[np.int64], step: Self) -> int:
        """Return the candidate column with the smallest ratio |value| / |step|."""


class Tableau(ABC):
    """A basis with its values and reduced costs. In its methods, B is the basis matrix and a_j is column j of [A I]."""

    program: Program
    basic: NDArray[np.bool_]  # [n + m]

    @property
    @abstractmethod
    def primal(self) -> Numbers:
        """Values of the basic columns."""

    @property
    @abstractmethod
    def dual(self) -> Numbers:
        """Reduced costs of the nonbasic columns."""

    @property
    @abstractmethod
    def progress(self) -> object:
        """A value that stays equal as long as the objective does not change. Compare it before and after a pivot."""

    @abstractmethod
    def column(self, j: int) -> Numbers:
        """Return B^-1 a_j, one number per basic column. B is the basis matrix, and a_j is the program's column j."""

    @abstractmethod
    def row(self, k: int) -> Numbers:
        """Return the row of the basic column k in B^-1 [A I]. B is the basis matrix, and A is the program's matrix."""

    @abstractmethod
    def exchanged(self, entering: int, leaving: int) -> Self:
        """Return the tableau after column ``entering`` replaces column ``leaving`` in the basis."""

    @abstractmethod
    def lowered(self) -> Self:
        """Return the tableau after lowering some costs, so that no nonbasic column would improve the objective."""

    @abstractmethod
    def restored(self) -> Self:
        """Return the tableau with the original costs of the program."""

    @cached_property
    def primal_violations(self) -> NDArray[np.int64]:
        """Indices of the basic columns whose values violate their bounds."""
        sign, program = self.primal.sign, self.program
        return np.flatnonzero(
            self.basic & np.where(program.fixed, self.primal.nonzero, (sign < 0) & ~program.unbounded)
        )

    @cached_property
    def dual_violations(self) -> NDArray[np.int64]:
        """Nonbasic columns that would improve the objective if they entered the basis."""
        sign, program = self.dual.sign, self.program
        return np.flatnonzero(~self.basic & ~program.fixed & np.where(program.unbounded, self.dual.nonzero, sign > 0))

    @property
    def optimal(self) -> bool:
        """True if there are no primal and no dual violations."""
        return not len(self.primal_violations) and not len(self.dual_violations)

    @property
    def idle(self) -> NDArray[np.int64]:
        """Basic columns that are logicals of equality rows. In an optimal basis, their values are 0."""
        return np.flatnonzero(self.basic & self.program.fixed)


@dataclass(frozen=True, eq=False)
class Lexicographic:
    """A polynomial for each column, in an infinitesimal. The first nonzero coefficient decides a polynomial's sign."""

    coefficients: NDArray[Any]  # object[degree + 1, n + m], integers over one positive denominator per degree
    exponent: NDArray[np.int64]  # [n + m]: sizes are compared in units of 2 ** -exponent

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The degree of each polynomial's first nonzero coefficient, or the last degree if all coefficients are 0."""
        nonzero = np.asarray(self.coefficients != 0, dtype=np.bool_)
        nonzero[-1] = True
        order: NDArray[np.int64] = np.argmax(nonzero, axis=0)
        return order

    @cached_property
    def sign(self) -> NDArray[np.int64]:
        """Sign of each polynomial: -1, 0 or 1."""
        levels, size = self.coefficients.shape
        decisive = self.coefficients[self.order, np.arange(size)] if levels > 1 else self.coefficients[0]
        return (decisive > 0).astype(np.int64) - (decisive < 0).astype(np.int64)

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Mask of the polynomials that are not 0."""
        return np.asarray(self.sign != 0)

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """Return the candidate with the largest absolute value; in a tie, return the first candidate.

        First compare the degrees of the first nonzero coefficients: a lower degree means a larger polynomial. If the
        degrees are equal, the coefficients decide.
        """
        order = self.order[candidates]
        candidates = candidates[order == order.min()]
        shift = self.exponent[candidates] - self.exponent[candidates].min()
        leading = self.coefficients[order.min(), candidates]
        comparable = [abs(a) << b for a, b in zip(leading.tolist(), shift.tolist(), strict=True)]
        return int(candidates[comparable.index(max(comparable))])

    def least_ratio(self, candidates: NDArray[np.int64], step: Lexicographic) -> int:
        """Return the candidate whose absolute value, divided by the absolute value of its step, is smallest.

        Steps are rational numbers. In a tie, return the first candidate.
        """
        for coefficient in self.coefficients:
            if len(candidates) < 2:
                break
            size = coefficient[candidates] * self.sign[candidates]
            pairs = zip(size.tolist(), step.coefficients[0, candidates].tolist(), strict=True)
            ratios = [Fraction(a, abs(b)) for a, b in pairs]
            least = min(ratios)
            candidates = candidates[[ratio == least for ratio in ratios]]
        return int(candidates[0])


def true_cost(program: Program) -> tuple[NDArray[Any], int]:
    """Return the costs of all columns and their denominator, 1. The logical columns (slacks) have cost 0."""
    cost = program.cost.astype(object)
    return np.concatenate((cost, np.zeros((len(cost), program.num_rows), dtype=object)), axis=1), 1

"""The quotient of a linear program: it has one row for each class of rows and one column for each class of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import UNNAMED, Blocks, IntegerMatrix, Program, begins
from tremble.integers import exact_product, narrowed, safe_to_add

__all__ = ["Classes", "Quotient"]


Classes = NDArray[np.int64]
"""The class of each row or column: 0, 1, ... in the order of their first members."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """A program and a smaller program, in which one row or column replaces each class of rows or columns."""

    whole: Program
    program: Program  # the smaller program
    row: Classes  # [m]
    column: Classes  # [n]
    rounds: int  # number of rounds of color refinement

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """The index of the first row in each class of rows."""
        return _first(self.row)

    @cached_property
    def first_column(self) -> NDArray[np.int64]:
        """The index of the first column in each class of columns."""
        return _first(self.column)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """An int64[n + m] that maps n columns and m logicals of ``whole`` to columns and logicals of ``program``."""
        return np.concatenate((self.column, self.program.num_columns + self.row))

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Index of the first member of each class: first the classes of columns, then the classes of logicals."""
        return np.concatenate((self.first_column, self.whole.num_columns + self.first_row))

    @classmethod
    def of(cls, program: Program, row: Classes, column: Classes, rounds: int = 0) -> Quotient | None:
        """Return the quotient, or None if two rows, or two columns, of a class have different sums of entries.

        A row has a sum for each class of columns, and a column for each class of rows. The caller ensures equal
        right-hand sides and senses in a class of rows, and equal costs and sign constraints in a class of columns.
        """
        first_row, first_column = _first(row), _first(column)
        matrices = []
        for matrix in program.matrices:
            by_row, by_column = _Sums.of_matrix(matrix, column), _Sums.of_matrix(matrix.transposed, row)
            if not by_row.same(row, first_row) or not by_column.same(column, first_column):
                return None
            matrices.append(by_row.matrix(first_row, len(first_column)))
        size = np.bincount(column, minlength=len(first_column))
        small = replace(
            program,
            matrices=tuple(matrices),
            rhs=program.rhs[:, first_row],
            cost=narrowed(exact_product(program.cost[:, first_column], size)),
            equality=program.equality[first_row],
            free=program.free[first_column],
            row_exponent=program.row_exponent[first_row],
            column_exponent=program.column_exponent[first_column],
            rows=_blocks(program.rows, row),
            columns=_blocks(program.columns, column),
        )
        return cls(program, small, row, column, rounds)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of a matrix: for each row and each class of columns, the sum of the entries. Zero sums are not stored."""

    start: NDArray[np.int64]  # [rows + 1]
    column: Classes  # class of columns of each sum
    value: NDArray[Any]

    @classmethod
    def of_matrix(cls, matrix: IntegerMatrix, column: Classes) -> _Sums:
        """Sum the entries of each row of a matrix, separately for each class of columns."""
        classes = int(column.max(initial=0)) + 1
        key = matrix.row_of_entry * classes + column[matrix.column]
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = begins(key)
        value = np.add.reduceat(safe_to_add(matrix.value[order]), begin) if len(key) else matrix.value
        kept = np.asarray(value != 0, dtype=np.bool_)
        key = key[begin][kept]
        start = np.searchsorted(key, np.arange(matrix.shape[0] + 1) * classes)
        return cls(start, key % classes, value[kept])

    def same(self, row: Classes, first: NDArray[np.int64]) -> bool:
        """Return True if all rows of a class have equal sums. ``first[row[i]]`` is the first row of row i's class."""
        length, model = np.diff(self.start), first[row]
        if np.any(length != length[model]):
            return False
        at = np.arange(len(self.column)) + np.repeat(self.start[model] - self.start[:-1], length)
        return bool(np.array_equal(self.column, self.column[at]) and np.array_equal(self.value, self.value[at]))

    def matrix(self, first: NDArray[np.int64], columns: int) -> IntegerMatrix:
        """Return the quotient's matrix. Row i has the sums of the first row of class i over each class of columns."""
        length = np.diff(self.start)[first]
        row = np.repeat(np.arange(len(first)), length)
        at = np.arange(len(row)) + np.repeat(self.start[first] - np.cumsum(length) + length, length)
        return IntegerMatrix.from_entries((len(first), columns), row, self.column[at], self.value[at])


def _first(classes: Classes) -> NDArray[np.int64]:
    """Return the first member of each class."""
    first = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    return first


def _blocks(blocks: Blocks, classes: Classes) -> Blocks:
    """Put each class into the block of its members. Return ``UNNAMED`` if a class has members in two blocks."""
    lengths = {name: len(np.unique(classes[block])) for name, block in blocks.slices.items()}
    return Blocks.of(lengths) if sum(lengths.values()) == int(classes.max(initial=-1)) + 1 else UNNAMED

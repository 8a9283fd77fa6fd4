"""Sparse matrices of exact integers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.integers import narrowed, segment_sums

__all__ = ["UNNAMED", "Blocks", "IntegerMatrix", "SingularMatrixError"]


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
        """Make a matrix from entries in any order, at most one for each position."""
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
        """Make a matrix from parts (block of rows, block of columns, row and column within the blocks, value).

        Each position may have at most one entry.
        """
        row, column, value = zip(
            *((rows[r].start + i, columns[c].start + j, values) for r, c, i, j, values in parts), strict=True
        )
        return cls.from_entries((len(rows), len(columns)), *map(np.concatenate, (row, column, value)))

    def dot(self, z: NDArray[Any]) -> NDArray[Any]:
        """Return A z, exactly."""
        return segment_sums(self.row_start, self.value, z[self.column])

    def transposed_dot(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return A' y, exactly."""
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
        """The row of each entry in row order, int64[T]."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_start))

    def submatrix(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> IntegerMatrix:
        """Return the matrix of these rows and columns, in the given order."""
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
    """Return the start of each segment of equal indices, and the end of the last."""
    return np.concatenate(([0], np.cumsum(np.bincount(sorted_index, minlength=count)))).astype(np.int64)


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
        """Return blocks with these names and lengths, in this order."""
        slices: dict[str, slice] = {}
        first = 0
        for name, length in lengths.items():
            slices[name] = slice(first, first + length)
            first += length
        return cls(slices)

    def after(self, first: int) -> Blocks:
        """Return these blocks, moved behind ``first`` other rows or columns."""
        return Blocks({name: slice(first + block.start, first + block.stop) for name, block in self.slices.items()})

    def mask(self, *names: str) -> NDArray[np.bool_]:
        """Mark the rows or columns in the named blocks, bool[len(self)]."""
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


class SingularMatrixError(SolverError):
    """The matrix is singular. Without ``rows`` and ``columns`` it would be nonsingular."""

    def __init__(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        super().__init__(f"a basis matrix is singular: {len(rows)} of its rows depend on the others")
        self.rows = rows
        self.columns = columns


def begins(*keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions in sorted arrays at which one of the keys differs from the one before."""
    differs = np.zeros(len(keys[0]), dtype=np.bool_)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(differs)

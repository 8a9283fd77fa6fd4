r"""Sparse LU factorization modulo a prime.

Modulo a prime, every nonzero pivot is equally good. So pivots are chosen only for sparsity, by Markowitz's rule. A
pivot whose row has r entries and whose column has c entries has the cost :math:`(r-1)(c-1)`. The rule chooses the least
cost among a few candidates with few entries. Rows and columns with a single entry cost nothing and are chosen first. So
the triangular part of the matrix is eliminated before the rest.

Each step subtracts multiples of the pivot row from the other rows with an entry in the pivot column. L stores the
multiples, and the pivot row becomes a row of U. If the matrix is singular modulo the prime, the elimination ends early.
It then returns the rows and columns without a pivot.

Numba compiles the kernels on first use and caches them. The elimination returns after a bounded amount of work and can
be called again. So the caller can check for Ctrl-C and time limits.

References
----------
H. M. Markowitz: The elimination form of the inverse, Management Science 3, 1957.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import IntegerMatrix
from tremble.run.compiling import compiled

__all__ = ["SparseLU", "power_mod", "solve_mod", "solve_transposed_mod"]

_BUDGET = 20_000_000  # elementary operations in one kernel call, about 0.2 s
_MAX_CANDIDATES = 6  # maximum number of lines that are searched for a pivot
_DONE, _BUDGET_SPENT, _POOL_FULL, _SINGULAR = 0, 1, 2, 3  # results of _eliminate


@compiled
def power_mod(a: int, e: int, p: int) -> int:
    """Return a^e modulo p. If e = p - 2, the result is the inverse of a."""
    result = 1
    while e:
        if e & 1:
            result = result * a % p
        a = a * a % p
        e >>= 1
    return result


class _Lines(NamedTuple):
    """The lines (rows or columns) that are not eliminated yet, with linked lists of lines of equal length.

    A pool contains the entries of all lines.
    """

    start: NDArray[np.int64]  # [n] start of each line in the pool
    length: NDArray[np.int64]  # [n] number of entries
    room: NDArray[np.int64]  # [n] number of entries that fit before the line must move
    entry: NDArray[np.int64]  # the pool: column of each entry of a row, or row of each entry of a column
    head: NDArray[np.int64]  # [n + 1] first line of each length, or -1
    following: NDArray[np.int64]  # [n] next line of the same length, or -1
    before: NDArray[np.int64]  # [n] previous line of the same length, or -1

    @classmethod
    def of(cls, length: NDArray[np.int64], entry: NDArray[np.int64]) -> _Lines:
        """Build the lines. ``length`` has each line's number of entries. ``entry`` has the entries, line by line."""
        n = len(length)
        start = np.concatenate(([0], np.cumsum(length)[:-1])).astype(np.int64)
        head, following, before = (np.full(size, -1, dtype=np.int64) for size in (n + 1, n, n))
        lines = cls(start, length, length.copy(), entry, head, following, before)
        _link_all(lines)
        return lines


class _Lower(NamedTuple):
    """The columns of L in pivot order. The elimination added ``value[t]`` times the pivot row to the row ``row[t]``."""

    start: NDArray[np.int64]
    row: NDArray[np.int64]
    value: NDArray[np.int64]


class _Pivots(NamedTuple):
    """Row, column and inverse of each pivot."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    inverse: NDArray[np.int64]


class _Scratch(NamedTuple):
    """Work space with an entry for each column."""

    work: NDArray[np.int64]  # entry of the pivot row
    stamp: NDArray[np.int64]  # step that wrote this entry; entries of earlier steps are invalid
    touched: NDArray[np.int64]  # last row that had an entry in this column of the pivot row


@compiled
def _unlink(item, lines):  # type: ignore[no-untyped-def]
    """Remove the line ``item`` from its linked list, which contains all lines of the same length."""
    if lines.before[item] >= 0:
        lines.following[lines.before[item]] = lines.following[item]
    else:
        lines.head[lines.length[item]] = lines.following[item]
    if lines.following[item] >= 0:
        lines.before[lines.following[item]] = lines.before[item]


@compiled
def _link(item, lines):  # type: ignore[no-untyped-def]
    """Insert a line at the head of the linked list that contains all lines of equal length."""
    first = lines.head[lines.length[item]]
    lines.following[item] = first
    lines.before[item] = -1
    if first >= 0:
        lines.before[first] = item
    lines.head[lines.length[item]] = item


@compiled
def _link_all(lines):  # type: ignore[no-untyped-def]
    for item in range(len(lines.length) - 1, -1, -1):
        _link(item, lines)


@compiled
def _choose_pivot(rows, columns):  # type: ignore[no-untyped-def]
    """Return the row and the column of a pivot with a small Markowitz cost, or (-1, -1) if no entry is left."""
    n = len(rows.length)
    best_row, best_column, best = -1, -1, np.int64(2) ** 62
    seen = 0
    for count in range(1, n + 1):
        j = columns.head[count]
        while j >= 0:
            for t in range(columns.start[j], columns.start[j] + count):
                i = columns.entry[t]
                cost = (rows.length[i] - 1) * (count - 1)
                if cost < best:
                    best_row, best_column, best = i, j, cost
            seen += 1
            if best <= (count - 1) * (count - 1) or seen >= _MAX_CANDIDATES:
                return best_row, best_column
            j = columns.following[j]
        i = rows.head[count]
        while i >= 0:
            for t in range(rows.start[i], rows.start[i] + count):
                j = rows.entry[t]
                cost = (count - 1) * (columns.length[j] - 1)
                if cost < best:
                    best_row, best_column, best = i, j, cost
            seen += 1
            if best <= count * (count - 1) or seen >= _MAX_CANDIDATES:
                return best_row, best_column
            i = rows.following[i]
    return best_row, best_column


@compiled
def _eliminate(p, budget, state, rows, values, columns, lower, pivots, scratch):  # type: ignore[no-untyped-def]
    """Eliminate pivot after pivot; return ``_DONE``, or a code for the reason why the elimination stopped.

    ``state`` is (number of finished steps, end of row pool, end of column pool, last value in ``scratch.stamp``).
    """
    row_start, row_length, row_room, row_entry = rows.start, rows.length, rows.room, rows.entry
    column_start, column_length, column_room, column_entry = columns.start, columns.length, columns.room, columns.entry
    work, stamp, touched = scratch.work, scratch.stamp, scratch.touched
    n = len(row_start)
    spent = 0
    while state[0] < n:
        r, c = _choose_pivot(rows, columns)
        if r < 0:
            return _SINGULAR
        k = state[0]
        # Require room for the worst case, in which every touched row and column moves to the end of its pool.
        need_rows, need_columns = 0, 0
        for t in range(column_start[c], column_start[c] + column_length[c]):
            need_rows += row_length[column_entry[t]] + row_length[r]
        for t in range(row_start[r], row_start[r] + row_length[r]):
            need_columns += column_length[row_entry[t]] + column_length[c]
        if (
            state[1] + 2 * need_rows > len(row_entry)
            or state[2] + 2 * need_columns > len(column_entry)
            or lower.start[k] + column_length[c] > len(lower.row)
        ):
            return _POOL_FULL
        # Remove row r from the active part, and copy its entries to the work space.
        _unlink(r, rows)
        state[3] += 1
        mark = state[3]
        inverse = 0
        t = row_start[r]
        while t < row_start[r] + row_length[r]:
            j = row_entry[t]
            _unlink(j, columns)
            for u in range(column_start[j], column_start[j] + column_length[j]):
                if column_entry[u] == r:
                    column_entry[u] = column_entry[column_start[j] + column_length[j] - 1]
                    break
            column_length[j] -= 1
            if j == c:
                inverse = power_mod(values[t], p - 2, p)
                last = row_start[r] + row_length[r] - 1
                row_entry[t], values[t] = row_entry[last], values[last]
                row_length[r] -= 1
            else:
                stamp[j] = mark
                work[j] = values[t]
                t += 1
        # Subtract multiples of row r from the other rows i of column c.
        pivots.row[k], pivots.column[k], pivots.inverse[k] = r, c, inverse
        end_lower = lower.start[k]
        for s in range(column_start[c], column_start[c] + column_length[c]):
            i = column_entry[s]
            _unlink(i, rows)
            begin = row_start[i]
            length = row_length[i]
            # Remove the entry in column c, which determines the multiple.
            multiple = 0
            for t in range(begin, begin + length):
                if row_entry[t] == c:
                    multiple = (p - values[t] * inverse % p) % p
                    length -= 1
                    row_entry[t], values[t] = row_entry[begin + length], values[begin + length]
                    break
            lower.row[end_lower], lower.value[end_lower] = i, multiple
            end_lower += 1
            # Update the entries in columns where row r has an entry too.
            t = begin
            while t < begin + length:
                j = row_entry[t]
                if stamp[j] == mark:
                    touched[j] = i
                    fresh = (values[t] + multiple * work[j]) % p
                    if fresh == 0:
                        length -= 1
                        row_entry[t], values[t] = row_entry[begin + length], values[begin + length]
                        for u in range(column_start[j], column_start[j] + column_length[j]):
                            if column_entry[u] == i:
                                column_entry[u] = column_entry[column_start[j] + column_length[j] - 1]
                                break
                        column_length[j] -= 1
                        continue
                    values[t] = fresh
                t += 1
            # Move the row to the end of the pool if its fill-in might not fit.
            if length + row_length[r] > row_room[i]:
                moved = state[1]
                for t in range(length):
                    row_entry[moved + t], values[moved + t] = row_entry[begin + t], values[begin + t]
                begin = row_start[i] = moved
                row_room[i] = 2 * length + row_length[r]
                state[1] += row_room[i]
            # Add the fill-in.
            for t in range(row_start[r], row_start[r] + row_length[r]):
                j = row_entry[t]
                if touched[j] != i:
                    row_entry[begin + length], values[begin + length] = j, multiple * work[j] % p
                    length += 1
                    if column_length[j] == column_room[j]:
                        moved = state[2]
                        for u in range(column_length[j]):
                            column_entry[moved + u] = column_entry[column_start[j] + u]
                        column_start[j] = moved
                        column_room[j] += column_length[c]
                        state[2] += column_room[j]
                    column_entry[column_start[j] + column_length[j]] = i
                    column_length[j] += 1
                else:
                    touched[j] = -1
            row_length[i] = length
            _link(i, rows)
            spent += length + row_length[r] + 8
        for t in range(row_start[r], row_start[r] + row_length[r]):
            j = row_entry[t]
            _link(j, columns)
        column_length[c] = 0
        lower.start[k + 1] = end_lower
        state[0] = k + 1
        spent += row_length[r] + 8
        if spent > budget:
            return _BUDGET_SPENT
    return _DONE


@compiled
def solve_mod(b, x, p, factors):  # type: ignore[no-untyped-def]
    """Solve M x = b modulo p, where M has the LU ``factors``. Write the result to ``x``. Overwrite ``b``."""
    pivot_row, pivot_column, inverse, lower_start, lower_row, lower_value = factors[:6]
    upper_start, upper_column, upper_value = factors[6:]
    n = len(pivot_row)
    for k in range(n):
        source = b[pivot_row[k]]
        if source:
            for t in range(lower_start[k], lower_start[k + 1]):
                i = lower_row[t]
                b[i] = (b[i] + lower_value[t] * source) % p
    for k in range(n - 1, -1, -1):
        total = b[pivot_row[k]]
        for t in range(upper_start[k], upper_start[k + 1]):
            other = x[upper_column[t]]
            if other:
                total = (total - upper_value[t] * other) % p
        x[pivot_column[k]] = total * inverse[k] % p


@compiled
def solve_transposed_mod(c, y, p, factors):  # type: ignore[no-untyped-def]
    """Solve M' y = c modulo p, given the factors of M. Write the solution to ``y``, and overwrite ``c``."""
    pivot_row, pivot_column, inverse, lower_start, lower_row, lower_value = factors[:6]
    upper_start, upper_column, upper_value = factors[6:]
    n = len(pivot_row)
    for k in range(n):
        share = c[pivot_column[k]] * inverse[k] % p
        y[pivot_row[k]] = share
        if share:
            for t in range(upper_start[k], upper_start[k + 1]):
                j = upper_column[t]
                c[j] = (c[j] - upper_value[t] * share) % p
    for k in range(n - 1, -1, -1):
        total = y[pivot_row[k]]
        for t in range(lower_start[k], lower_start[k + 1]):
            other = y[lower_row[t]]
            if other:
                total = (total + lower_value[t] * other) % p
        y[pivot_row[k]] = total


@compiled
def dot_mod(row_start, column, value, x, p, product):  # type: ignore[no-untyped-def]
    """Multiply a matrix of residues, stored by rows, by the vector ``x`` modulo p. Write the result to ``product``."""
    for i in range(len(product)):
        total = 0
        for t in range(row_start[i], row_start[i + 1]):
            other = x[column[t]]
            if other:
                total = (total + value[t] * other) % p
        product[i] = total


class SparseLU:
    """LU factors of a square integer matrix modulo a prime.

    Parameters
    ----------
    matrix : IntegerMatrix, shape (n, n)
    prime : int
        A prime below 2^31.

    Attributes
    ----------
    factors : tuple of arrays
        The arrays to pass to ``solve_mod`` and ``solve_transposed_mod``.
    spare_rows, spare_columns : int64[n - rank]
        Rows and columns without a pivot. They are empty if the matrix is nonsingular modulo the prime.
    """

    def __init__(self, matrix: IntegerMatrix, prime: int, check: Callable[[], None]) -> None:
        # Prepare the rows, the columns and the work space.
        n = matrix.shape[0]
        self.prime = prime
        values = np.ascontiguousarray((matrix.value % prime).astype(np.int64))
        kept = values != 0
        column, values = matrix.column[kept], values[kept]
        end = len(column)
        room = 4 * end + 64
        rows = _Lines.of(np.bincount(matrix.row_of_entry[kept], minlength=n).astype(np.int64), _grown(column, room))
        by_column = matrix.row_of_entry[kept][np.argsort(column, kind="stable")]
        columns = _Lines.of(np.bincount(column, minlength=n).astype(np.int64), _grown(by_column, room))
        values = _grown(values, room)
        lower = _Lower(*(np.zeros(size, dtype=np.int64) for size in (n + 1, end + 64, end + 64)))
        pivots = _Pivots(*np.full((3, n), -1, dtype=np.int64))
        scratch = _Scratch(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64))
        # Eliminate, with larger pools if needed.
        state = np.array([0, end, end, 0], dtype=np.int64)
        while True:
            code = _eliminate(prime, _BUDGET, state, rows, values, columns, lower, pivots, scratch)
            check()
            if code == _POOL_FULL:
                room *= 2
                rows, columns = (lines._replace(entry=_grown(lines.entry, room)) for lines in (rows, columns))
                values = _grown(values, room)
                row, value = (_grown(part, 2 * len(part)) for part in lower[1:])
                lower = _Lower(lower.start, row, value)
            elif code != _BUDGET_SPENT:
                break
        # Collect the factors.
        rank = int(state[0])
        self.spare_rows, self.spare_columns = (_not_chosen(pivot[:rank], n) for pivot in pivots[:2])
        order = pivots.row[:rank]
        length = rows.length[order]
        upper_start = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
        source = np.repeat(rows.start[order] - upper_start[:-1], length) + np.arange(upper_start[-1])
        self.factors = (
            *pivots, lower.start, lower.row[: lower.start[rank]], lower.value[: lower.start[rank]],
            upper_start, rows.entry[source], values[source],
        )  # fmt: skip

    @property
    def nonsingular(self) -> bool:
        """True if every row and every column has a pivot."""
        return len(self.spare_rows) == 0


def _grown(values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return a copy of ``values`` that is extended with zeros to length ``size``."""
    result = np.zeros(size, dtype=np.int64)
    result[: len(values)] = values
    return result


def _not_chosen(chosen: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return the numbers from 0 to n - 1 that are not in ``chosen``."""
    left = np.ones(n, dtype=np.bool_)
    left[chosen] = False
    return np.flatnonzero(left)

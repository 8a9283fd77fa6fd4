r"""Sparse LU factorisation modulo a prime.

Modulo a prime every nonzero pivot is as good as any other, so pivots are chosen for sparsity alone
(Markowitz: the least :math:`(r-1)(c-1)` among a few candidates with few entries). Row and column singletons
cost nothing and are taken first, which peels the triangular part off before the nucleus is touched.

A step with pivot row r and column c subtracts multiples of row r from the other rows i of column c; the
multiples are kept as L, row r as a row of U. A matrix that is singular modulo the prime ends early, with the
rows and columns that found no pivot.

The kernels are compiled by Numba on first use and cached. They stop after a bounded amount of work and can
be called again, so that a caller can hear Ctrl-C and time limits.

References
----------
H. M. Markowitz: The elimination form of the inverse, Management Science 3, 1957.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from tremble.linear.matrix import IntegerMatrix

__all__ = ["SparseLU", "compiled"]

_BUDGET = 20_000_000  # elementary operations in one kernel call, about 0.2 s
_DONE, _GO_ON, _ROOM, _SINGULAR = 0, 1, 2, 3


def compiled(function: Callable[..., Any]) -> Any:
    """Compile with Numba; cache on disk where some folder can be written."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # no writable cache folder
        return numba.njit(function)


@compiled
def _power(a: int, e: int, p: int) -> int:
    result = 1
    while e:
        if e & 1:
            result = result * a % p
        a = a * a % p
        e >>= 1
    return result


@compiled
def _unlink(item, count, head, following, before):  # type: ignore[no-untyped-def]
    if before[item] >= 0:
        following[before[item]] = following[item]
    else:
        head[count] = following[item]
    if following[item] >= 0:
        before[following[item]] = before[item]


@compiled
def _link(item, count, head, following, before):  # type: ignore[no-untyped-def]
    following[item] = head[count]
    before[item] = -1
    if head[count] >= 0:
        before[head[count]] = item
    head[count] = item


@compiled
def _link_all(counts, head, following, before):  # type: ignore[no-untyped-def]
    head[:] = -1
    for item in range(len(counts) - 1, -1, -1):
        _link(item, counts[item], head, following, before)


@compiled
def _choose_pivot(n, rows, row_at, columns, column_at, row_lists, column_lists):  # type: ignore[no-untyped-def]
    """Row and column of a pivot of small Markowitz cost; (-1, -1) if none is left."""
    row_length, column_length = row_at[1], column_at[1]
    best_row, best_column, best = -1, -1, np.int64(2) ** 62
    seen = 0
    for count in range(1, n + 1):
        j = column_lists[0][count]
        while j >= 0:
            for t in range(column_at[0][j], column_at[0][j] + count):
                i = columns[t]
                cost = (row_length[i] - 1) * (count - 1)
                if cost < best:
                    best_row, best_column, best = i, j, cost
            seen += 1
            if best <= (count - 1) * (count - 1) or seen >= 6:
                return best_row, best_column
            j = column_lists[1][j]
        i = row_lists[0][count]
        while i >= 0:
            for t in range(row_at[0][i], row_at[0][i] + count):
                j = rows[t]
                cost = (count - 1) * (column_length[j] - 1)
                if cost < best:
                    best_row, best_column, best = i, j, cost
            seen += 1
            if best <= count * (count - 1) or seen >= 6:
                return best_row, best_column
            i = row_lists[1][i]
    return best_row, best_column


@compiled
def _eliminate(  # type: ignore[no-untyped-def]
    p,
    budget,
    state,
    row_at,
    rows,
    values,
    column_at,
    columns,
    lower_start,
    lower_row,
    lower_value,
    pivots,
    row_lists,
    column_lists,
    work,
    stamp,
    touched,
):
    """Eliminate pivot after pivot. ``state`` = (steps done, end of rows, end of columns, stamp)."""
    row_start, row_length, row_room = row_at[0], row_at[1], row_at[2]
    column_start, column_length, column_room = column_at[0], column_at[1], column_at[2]
    n = len(row_start)
    spent = 0
    while state[0] < n:
        r, c = _choose_pivot(n, rows, row_at, columns, column_at, row_lists, column_lists)
        if r < 0:
            return _SINGULAR
        k = state[0]
        # Room for the worst case: every touched row and column moves to the end of its pool.
        need_rows, need_columns = 0, 0
        for t in range(column_start[c], column_start[c] + column_length[c]):
            need_rows += row_length[columns[t]] + row_length[r]
        for t in range(row_start[r], row_start[r] + row_length[r]):
            need_columns += column_length[rows[t]] + column_length[c]
        if (
            state[1] + 2 * need_rows > len(rows)
            or state[2] + 2 * need_columns > len(columns)
            or lower_start[k] + column_length[c] > len(lower_row)
        ):
            return _ROOM
        # Take row r and column c out of the active part.
        _unlink(r, row_length[r], row_lists[0], row_lists[1], row_lists[2])
        state[3] += 1
        mark = state[3]
        inverse = 0
        t = row_start[r]
        while t < row_start[r] + row_length[r]:
            j = rows[t]
            _unlink(j, column_length[j], column_lists[0], column_lists[1], column_lists[2])
            for u in range(column_start[j], column_start[j] + column_length[j]):
                if columns[u] == r:
                    columns[u] = columns[column_start[j] + column_length[j] - 1]
                    break
            column_length[j] -= 1
            if j == c:
                inverse = _power(values[t], p - 2, p)
                last = row_start[r] + row_length[r] - 1
                rows[t], values[t] = rows[last], values[last]
                row_length[r] -= 1
            else:
                stamp[j] = mark
                work[j] = values[t]
                t += 1
        pivots[0][k], pivots[1][k], pivots[2][k] = r, c, inverse
        end_lower = lower_start[k]
        for s in range(column_start[c], column_start[c] + column_length[c]):
            i = columns[s]
            _unlink(i, row_length[i], row_lists[0], row_lists[1], row_lists[2])
            begin = row_start[i]
            length = row_length[i]
            multiple = 0
            for t in range(begin, begin + length):
                if rows[t] == c:
                    multiple = (p - values[t] * inverse % p) % p
                    length -= 1
                    rows[t], values[t] = rows[begin + length], values[begin + length]
                    break
            lower_row[end_lower], lower_value[end_lower] = i, multiple
            end_lower += 1
            t = begin
            while t < begin + length:
                j = rows[t]
                if stamp[j] == mark:
                    touched[j] = i
                    fresh = (values[t] + multiple * work[j]) % p
                    if fresh == 0:
                        length -= 1
                        rows[t], values[t] = rows[begin + length], values[begin + length]
                        for u in range(column_start[j], column_start[j] + column_length[j]):
                            if columns[u] == i:
                                columns[u] = columns[column_start[j] + column_length[j] - 1]
                                break
                        column_length[j] -= 1
                        continue
                    values[t] = fresh
                t += 1
            if length + row_length[r] > row_room[i]:
                moved = state[1]
                for t in range(length):
                    rows[moved + t], values[moved + t] = rows[begin + t], values[begin + t]
                begin = row_start[i] = moved
                row_room[i] = 2 * length + row_length[r]
                state[1] += row_room[i]
            for t in range(row_start[r], row_start[r] + row_length[r]):
                j = rows[t]
                if touched[j] != i:
                    rows[begin + length], values[begin + length] = j, multiple * work[j] % p
                    length += 1
                    if column_length[j] == column_room[j]:
                        moved = state[2]
                        for u in range(column_length[j]):
                            columns[moved + u] = columns[column_start[j] + u]
                        column_start[j] = moved
                        column_room[j] += column_length[c]
                        state[2] += column_room[j]
                    columns[column_start[j] + column_length[j]] = i
                    column_length[j] += 1
                else:
                    touched[j] = -1
            row_length[i] = length
            _link(i, length, row_lists[0], row_lists[1], row_lists[2])
            spent += length + row_length[r] + 8
        for t in range(row_start[r], row_start[r] + row_length[r]):
            j = rows[t]
            _link(j, column_length[j], column_lists[0], column_lists[1], column_lists[2])
        column_length[c] = 0
        lower_start[k + 1] = end_lower
        state[0] = k + 1
        spent += row_length[r] + 8
        if spent > budget:
            return _GO_ON
    return _DONE


@compiled
def solve_mod(b, x, p, factors):  # type: ignore[no-untyped-def]
    """Solve M x = b modulo p; b is overwritten."""
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
    """Solve M' y = c modulo p; c is overwritten."""
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


class SparseLU:
    """LU factors of a square integer matrix modulo a prime.

    Parameters
    ----------
    matrix : IntegerMatrix, shape (n, n)
    prime : int
        Below 2^31.
    check : callable
        Called between slices of work; may raise to stop it.

    Attributes
    ----------
    factors : tuple of arrays
        What the ``solve_mod`` kernels take.
    spare_rows, spare_columns : int64[n - rank]
        Rows and columns that found no pivot; empty unless the matrix is singular modulo the prime.
    """

    def __init__(self, matrix: IntegerMatrix, prime: int, check: Callable[[], None]) -> None:
        n = matrix.shape[0]
        self.prime = prime
        values = np.ascontiguousarray((matrix.value % prime).astype(np.int64))
        kept = values != 0
        rows, values = matrix.column[kept], values[kept]
        row_length = np.bincount(matrix.row_of_entry[kept], minlength=n).astype(np.int64)
        row_start = np.concatenate(([0], np.cumsum(row_length)[:-1])).astype(np.int64)
        column_length = np.bincount(rows, minlength=n).astype(np.int64)
        column_start = np.concatenate(([0], np.cumsum(column_length)[:-1])).astype(np.int64)
        columns = matrix.row_of_entry[kept][np.argsort(rows, kind="stable")]
        end = len(rows)
        state = np.array([0, end, end, 0], dtype=np.int64)
        row_at = np.stack([row_start, row_length, row_length.copy()])
        column_at = np.stack([column_start, column_length, column_length.copy()])
        rows, values, columns = (_grown(a, 4 * end + 64) for a in (rows, values, columns))
        lower_start = np.zeros(n + 1, dtype=np.int64)
        lower_row, lower_value = (np.zeros(end + 64, dtype=np.int64) for _ in range(2))
        pivots = np.full((3, n), -1, dtype=np.int64)
        row_lists, column_lists = (_count_lists(n) for _ in range(2))
        _link_all(row_at[1], *row_lists)
        _link_all(column_at[1], *column_lists)
        work, stamp = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        touched = np.full(n, -1, dtype=np.int64)
        while True:
            code = _eliminate(
                prime, _BUDGET, state, row_at, rows, values, column_at, columns, lower_start, lower_row, lower_value,
                pivots, row_lists, column_lists, work, stamp, touched,
            )  # fmt: skip
            check()
            if code == _ROOM:
                rows, values, columns = (_grown(a, 2 * len(a)) for a in (rows, values, columns))
                lower_row, lower_value = (_grown(a, 2 * len(a)) for a in (lower_row, lower_value))
            elif code != _GO_ON:
                break
        rank = int(state[0])
        self.spare_rows, self.spare_columns = (_left_out(pivot[:rank], n) for pivot in pivots[:2])
        order = pivots[0][:rank]
        length = row_at[1][order]
        upper_start = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
        source = np.repeat(row_at[0][order] - upper_start[:-1], length) + np.arange(upper_start[-1])
        self.factors = (
            pivots[0], pivots[1], pivots[2],
            lower_start, lower_row[: lower_start[rank]], lower_value[: lower_start[rank]],
            upper_start, rows[source], values[source],
        )  # fmt: skip

    @property
    def nonsingular(self) -> bool:
        """Whether every row and column has a pivot."""
        return len(self.spare_rows) == 0

    @property
    def num_entries(self) -> int:
        """Entries of L and U together."""
        return len(self.factors[5]) + len(self.factors[8]) + len(self.factors[0])


def _grown(values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    result = np.zeros(size, dtype=np.int64)
    result[: len(values)] = values
    return result


def _left_out(chosen: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The numbers below n that were not chosen."""
    left = np.ones(n, dtype=np.bool_)
    left[chosen] = False
    return np.flatnonzero(left)


def _count_lists(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Heads by count, next and previous item: doubly linked lists of items of equal count."""
    return np.full(n + 1, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)

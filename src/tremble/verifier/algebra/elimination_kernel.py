"""What :class:`~tremble.verifier.algebra.elimination.SparseElimination` spends its time with, compiled by Numba.

Compiled on first use and cached. Elimination stops after a bounded amount of work and can be called again, so
that Ctrl-C is heard.
"""

from __future__ import annotations

from heapq import heappop, heappush

from tremble.run.clock import compiled

__all__ = ["DONE", "GO_ON", "ROOM", "eliminate", "solve", "solve_transposed"]

DONE, GO_ON, ROOM = 0, 1, 2


@compiled
def _inverse(a: int, p: int) -> int:
    result, e = 1, p - 2
    while e:
        if e & 1:
            result = result * a % p
        a = a * a % p
        e >>= 1
    return result


@compiled
def eliminate(p, budget, state, matrix, lower, lower_value, upper, upper_value, starts, inverse, work):  # type: ignore[no-untyped-def]
    """Factorise row after row. ``state[0]`` rows are done; positions are those of the pivots."""
    row_start, column, value = matrix
    lower_start, upper_start = starts
    amount, mark = work
    heap = [0 for _ in range(0)]
    n = len(inverse)
    spent = 0
    while state[0] < n:
        if spent > budget:
            return GO_ON
        k = state[0]
        low, up = lower_start[k], upper_start[k]
        if low + k > len(lower) or up + n - k > len(upper):
            return ROOM
        for t in range(row_start[k], row_start[k + 1]):
            j = column[t]
            amount[j] = value[t]
            mark[j] = k
            if j < k:
                heappush(heap, j)
            else:
                upper[up] = j
                up += 1
        while heap:
            i = heappop(heap)
            if amount[i] == 0 or inverse[i] == 0:
                continue
            multiple = amount[i] * inverse[i] % p
            lower[low], lower_value[low] = i, multiple
            low += 1
            for t in range(upper_start[i], upper_start[i + 1]):
                j = upper[t]
                if mark[j] != k:
                    mark[j] = k
                    amount[j] = 0
                    if j < k:
                        heappush(heap, j)
                    else:
                        upper[up] = j
                        up += 1
                amount[j] = (amount[j] - multiple * upper_value[t]) % p
            spent += upper_start[i + 1] - upper_start[i] + 4
        if mark[k] == k and amount[k]:
            inverse[k] = _inverse(amount[k], p)
            kept = upper_start[k]
            for t in range(upper_start[k], up):
                j = upper[t]
                if j != k and amount[j]:
                    upper[kept], upper_value[kept] = j, amount[j]
                    kept += 1
            lower_start[k + 1], upper_start[k + 1] = low, kept
        else:  # row and column k are spare
            inverse[k] = 0
            lower_start[k + 1], upper_start[k + 1] = lower_start[k], upper_start[k]
        spent += up - upper_start[k] + 8
        state[0] = k + 1
    return DONE


@compiled
def solve(x, p, inverse, lower_start, lower, lower_value, upper_start, upper, upper_value):  # type: ignore[no-untyped-def]
    """Overwrite the right-hand side by the solution."""
    n = len(x)
    for k in range(n):
        total = x[k]
        for t in range(lower_start[k], lower_start[k + 1]):
            if x[lower[t]]:
                total = (total - lower_value[t] * x[lower[t]]) % p
        x[k] = total if inverse[k] else 0
    for k in range(n - 1, -1, -1):
        total = x[k]
        for t in range(upper_start[k], upper_start[k + 1]):
            if x[upper[t]]:
                total = (total - upper_value[t] * x[upper[t]]) % p
        x[k] = total * inverse[k] % p


@compiled
def solve_transposed(y, p, inverse, lower_start, lower, lower_value, upper_start, upper, upper_value):  # type: ignore[no-untyped-def]
    """Overwrite the right-hand side by the solution."""
    n = len(y)
    for k in range(n):
        y[k] = y[k] * inverse[k] % p
        if y[k]:
            for t in range(upper_start[k], upper_start[k + 1]):
                y[upper[t]] = (y[upper[t]] - upper_value[t] * y[k]) % p
    for k in range(n - 1, -1, -1):
        if y[k]:
            for t in range(lower_start[k], lower_start[k + 1]):
                y[lower[t]] = (y[lower[t]] - lower_value[t] * y[k]) % p

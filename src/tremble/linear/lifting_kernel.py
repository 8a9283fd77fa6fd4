"""The compiled inner loop of p-adic lifting."""

from __future__ import annotations

from tremble.linear.sparse_lu import compiled

__all__ = ["subtract_and_divide"]


@compiled
def subtract_and_divide(rest, digit, row_start, column, value, prime):  # type: ignore[no-untyped-def]
    """Replace ``rest`` by (rest - M digit) / prime, which is exact."""
    for i in range(len(rest)):
        total = rest[i]
        for t in range(row_start[i], row_start[i + 1]):
            total -= value[t] * digit[column[t]]
        rest[i] = total // prime

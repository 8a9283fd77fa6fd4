"""Arrays of exact integers, and of floats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree import IntArray
from tremble.numbers import over_one_denominator

__all__ = ["FloatArray", "integer_array", "integer_rows"]

FloatArray = NDArray[np.float64]

_INT64_SAFE = 2**62


def integer_array(values: Sequence[int]) -> IntArray:
    """Return exact integers as int64 where they fit with one bit to spare, else as Python integers (dtype object)."""
    if all(-_INT64_SAFE < v < _INT64_SAFE for v in values):
        return np.array(values, dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def integer_rows(rows: Iterable[Sequence[Fraction | int]]) -> tuple[IntArray, IntArray]:
    """Write each row of exact numbers over its own denominator; return all numerators, and the denominators."""
    parts = [over_one_denominator(row) for row in rows]
    return integer_array([n for integers, _ in parts for n in integers]), integer_array([whole for _, whole in parts])

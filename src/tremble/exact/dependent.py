"""Find columns of a matrix that are linear combinations of its other columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tremble.exact.elimination import factorize
from tremble.exact.program import IntegerMatrix, SingularMatrixError

__all__ = ["dependent_columns"]


def dependent_columns(matrix: IntegerMatrix, check: Callable[[], None]) -> NDArray[np.int64]:
    """Return columns to remove from a matrix of any shape, so that the remaining columns are linearly independent.

    For a large matrix, dependence is checked only modulo primes.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> [len(dependent_columns(IntegerMatrix.from_entries((3, 2), rows, columns, np.array(v)), int))
    ...  for v in ([1, 2, 3, 4], [1, 2, 2, 4])]
    [0, 1]
    """
    size = max(matrix.shape)
    square = IntegerMatrix.from_entries((size, size), matrix.row_of_entry, matrix.column, matrix.value)
    try:
        factorize(square, check)
    except SingularMatrixError as singular:  # it includes the zero columns that made the matrix square
        return singular.columns[singular.columns < matrix.shape[1]]
    return np.empty(0, dtype=np.int64)

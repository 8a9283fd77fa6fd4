"""Numbers known twice: as floats, which give their signs, and modulo a prime, which says whether they are 0.

Neither a small number nor rounding noise is then ever mistaken for the other: fast, and nearly always right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tremble.linear.matrix import IntegerMatrix
from tremble.linear.modular import dot_mod

__all__ = ["Field", "FloatResidue", "FloatResidueMatrix"]


class FloatResidue(NamedTuple):
    """Numbers known twice: as floats, and as residues modulo the prime at hand."""

    real: NDArray[np.float64]
    residue: NDArray[np.int64]


@dataclass(frozen=True)
class Field:
    """Arithmetic with numbers modulo one prime."""

    prime: int

    def zeros(self, size: int) -> FloatResidue:
        """So many zeros."""
        return FloatResidue(np.zeros(size), np.zeros(size, dtype=np.int64))

    def of(self, integers: NDArray[Any]) -> FloatResidue:
        """Integers; ``OverflowError`` if they are too large for floats."""
        return FloatResidue(integers.astype(np.float64), np.asarray(integers % self.prime, dtype=np.int64))

    def minus(self, a: FloatResidue, b: FloatResidue) -> FloatResidue:
        """The difference."""
        return FloatResidue(a.real - b.real, (a.residue - b.residue) % self.prime)

    def clean(self, a: FloatResidue) -> FloatResidue:
        """Floats that are exactly 0 where the residue is."""
        return FloatResidue(np.where(a.residue == 0, 0.0, a.real), a.residue)


class FloatResidueMatrix:
    """A matrix, in floats and residues."""

    def __init__(self, matrix: IntegerMatrix, field: Field) -> None:
        residues = np.asarray(matrix.value % field.prime, dtype=np.int64)
        self._field = field
        self._modular = IntegerMatrix(
            matrix.shape, matrix.row_start, matrix.column, residues, matrix.column_start, matrix.row, matrix.by_column
        )
        self._modular_transposed = self._modular.transposed
        real = matrix.value.astype(np.float64)
        self.real: Any = csr_matrix((real, matrix.column, matrix.row_start), shape=matrix.shape)
        self._real_transposed: Any = self.real.T.tocsr()

    def dot(self, z: FloatResidue) -> FloatResidue:
        """A z."""
        return FloatResidue(self.real @ z.real, dot_mod(self._modular, z.residue, self._field.prime))

    def transposed_dot(self, y: FloatResidue) -> FloatResidue:
        """A' y."""
        product = dot_mod(self._modular_transposed, y.residue, self._field.prime)
        return FloatResidue(self._real_transposed @ y.real, product)

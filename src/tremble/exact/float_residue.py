"""Numbers that are stored twice, as a float and as a residue modulo a prime.

The float gives the sign. The residue shows whether the number is 0. So rounding errors are not mistaken for small
numbers, and small numbers are not mistaken for 0. This is fast and nearly always correct.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from tremble.exact.modular import random_prime
from tremble.exact.program import IntegerMatrix
from tremble.exact.sparse_lu import SparseLU, dot_mod, solve_mod, solve_transposed_mod

__all__ = ["FloatResidue", "FloatResidueMatrix", "FloatResidueNumbers"]


class FloatResidue(NamedTuple):
    """A vector of numbers, as floats and as residues modulo a prime."""

    real: NDArray[np.float64]
    residue: NDArray[np.int64]
    prime: int

    @classmethod
    def of(cls, integers: NDArray[Any], prime: int) -> FloatResidue:
        """Convert integers; raise ``OverflowError`` if an integer is too large for a float."""
        return cls(integers.astype(np.float64), np.asarray(integers % prime, dtype=np.int64), prime)

    def plus(self, other: FloatResidue) -> FloatResidue:
        """Return this vector plus ``other``."""
        return FloatResidue(self.real + other.real, (self.residue + other.residue) % self.prime, self.prime)

    def minus(self, other: FloatResidue) -> FloatResidue:
        """Return this vector minus ``other``."""
        return FloatResidue(self.real - other.real, (self.residue - other.residue) % self.prime, self.prime)

    def take(self, index: slice | NDArray[np.int64]) -> FloatResidue:
        """Return the entries at ``index``."""
        return FloatResidue(self.real[index], self.residue[index], self.prime)

    def expand(self, index: slice | NDArray[np.int64], size: int) -> FloatResidue:
        """Return a vector of length ``size``: put this vector's entries at the positions ``index`` of a zero vector."""
        real, residue = np.zeros(size), np.zeros(size, dtype=np.int64)
        real[index], residue[index] = self.real, self.residue
        return FloatResidue(real, residue, self.prime)

    def clean(self) -> FloatResidue:
        """Set each float to 0 if its residue is 0."""
        return self._replace(real=np.where(self.residue == 0, 0.0, self.real))

    def any(self) -> bool:
        """Return True if at least one entry is not 0."""
        return bool(self.residue.any())


class FloatResidueMatrix:
    """A matrix that is stored twice: in floats, and in residues modulo a prime."""

    def __init__(self, matrix: IntegerMatrix, prime: int) -> None:
        residues = np.asarray(matrix.value % prime, dtype=np.int64)
        self._by_row = matrix.row_start, matrix.column, residues
        self._by_column = matrix.column_start, matrix.row, residues[matrix.by_column]
        real = matrix.value.astype(np.float64)
        self.real: Any = csr_matrix((real, matrix.column, matrix.row_start), shape=matrix.shape)
        self._real_transposed: Any = self.real.T.tocsr()

    def dot(self, z: FloatResidue) -> FloatResidue:
        """Return A z for this matrix A."""
        return FloatResidue(self.real @ z.real, _dot_mod(self._by_row, z), z.prime)

    def transposed_dot(self, y: FloatResidue) -> FloatResidue:
        """Return A' y for the transpose A' of this matrix."""
        return FloatResidue(self._real_transposed @ y.real, _dot_mod(self._by_column, y), y.prime)


def _dot_mod(matrix: tuple[NDArray[np.int64], ...], vector: FloatResidue) -> NDArray[np.int64]:
    product = np.empty(len(matrix[0]) - 1, dtype=np.int64)
    dot_mod(*matrix, vector.residue, vector.prime, product)
    return product


class FloatResidueNumbers:
    """Arithmetic with floats and residues modulo one prime. The object stores the factors of one matrix in both forms.

    ``lu`` contains the factors modulo the prime, or None for an empty matrix.
    """

    def __init__(self, matrix: IntegerMatrix, lu: SparseLU | None) -> None:
        self.prime = random_prime() if lu is None else lu.prime
        self._lu = lu
        if lu is not None:
            self._real: Any = self.matrix(matrix).real
            self._float_lu: Any = splu(self._real.tocsc())

    def of(self, integers: NDArray[Any]) -> FloatResidue:
        """Convert integers to a vector; raise ``OverflowError`` if an integer is too large for a float."""
        return FloatResidue.of(integers, self.prime)

    def matrix(self, matrix: IntegerMatrix) -> FloatResidueMatrix:
        """Convert an integer matrix so that it can multiply vectors of floats and residues."""
        return FloatResidueMatrix(matrix, self.prime)

    def solve(self, b: FloatResidue, *, transposed: bool) -> FloatResidue:
        """Solve M x = b (or M' x = b if ``transposed``), where M is the factorized matrix. Refine the floats once."""
        if self._lu is None:
            return b
        mode, matrix = ("T", self._real.T) if transposed else ("N", self._real)
        real = self._float_lu.solve(b.real, mode)
        real += self._float_lu.solve(b.real - matrix @ real, mode)
        residue = np.zeros(len(real), dtype=np.int64)
        solve = solve_transposed_mod if transposed else solve_mod
        solve(b.residue.copy(), residue, self.prime, self._lu.factors)
        return FloatResidue(real, residue, self.prime).clean()

"""Bases of a program in series whose coefficients are floats and residues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from tremble.linear.float_residue import Field, FloatResidue, FloatResidueMatrix
from tremble.linear.modular import random_prime
from tremble.linear.program import Program
from tremble.linear.series_system import SeriesSystem
from tremble.linear.sparse_lu import solve_mod, solve_transposed_mod

__all__ = ["Series", "SeriesBasis", "SeriesProgram"]

Series = dict[int, FloatResidue]
"""Coefficients by order."""


class SeriesProgram:
    """A program with what all its bases share."""

    def __init__(self, plain: Program) -> None:
        self.plain = plain
        self._fields: dict[int, tuple[Field, list[FloatResidueMatrix]]] = {}

    def field(self, prime: int) -> Field:
        """The arithmetic modulo a prime."""
        if prime not in self._fields:
            field = Field(prime)
            self._fields[prime] = field, [FloatResidueMatrix(matrix, field) for matrix in self.plain.matrices]
        return self._fields[prime][0]

    def matrices(self, field: Field) -> list[FloatResidueMatrix]:
        """The coefficients of the matrix."""
        return self._fields[field.prime][1]

    def rhs(self, field: Field) -> Series:
        """The right-hand side."""
        return {k: field.of(level) for k, level in enumerate(self.plain.rhs)}

    def cost(self, field: Field, lowered: dict[int, dict[int, int]]) -> Series:
        """The cost of all columns; ``lowered[k][j]`` is taken from the coefficient k of column j."""
        m = self.plain.num_rows
        series = {
            k: field.of(np.concatenate((level, np.zeros(m, dtype=np.int64)))) for k, level in enumerate(self.plain.cost)
        }
        for k, amounts in lowered.items():
            level = series.setdefault(k, field.zeros(self.plain.num_columns + m))
            for j, amount in amounts.items():
                level.real[j] -= amount
                level.residue[j] = (level.residue[j] - amount) % field.prime
        return series


class SeriesBasis:
    """One basis: solves with its matrix, and with the transposed one, for series."""

    def __init__(self, program: SeriesProgram, basic: NDArray[np.bool_], check: Callable[[], None]) -> None:
        plain = program.plain
        n = plain.num_columns
        self._program = program
        self.basic = basic
        self._columns, self._rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
        self._kept = np.flatnonzero(basic[n:])
        parts = [matrix.submatrix(self._rows, self._columns) for matrix in plain.matrices]
        size = len(self._rows)
        nothing = np.zeros((1, size), dtype=np.int64)
        system = SeriesSystem(parts, nothing, nothing, check, dense_limit=0, sure=False)
        factors: Any = system.factors
        self._lu = factors.lu if size else None  # without basic columns there is nothing to factorise
        field = self._field = program.field(factors.lu.prime if size else random_prime())
        self._matrices = program.matrices(field)
        self._parts = [FloatResidueMatrix(part, field) for part in system.parts]
        self._float_lu: Any = splu(self._parts[0].real.tocsc()) if size else None
        self._operations = [
            [(operation.row, operation.rows, field.of(operation.factor)) for operation in batch]
            for batch in system.operations
        ]

    @property
    def field(self) -> Field:
        """The arithmetic of this basis."""
        return self._field

    def _solve(self, target: FloatResidue, *, transposed: bool) -> FloatResidue:
        if self._lu is None:
            return target
        mode = "T" if transposed else "N"
        matrix = self._parts[0].real.T if transposed else self._parts[0].real
        real = self._float_lu.solve(target.real, mode)
        real += self._float_lu.solve(target.real - matrix @ real, mode)
        residue = np.zeros(len(real), dtype=np.int64)
        (solve_transposed_mod if transposed else solve_mod)(
            target.residue.copy(), residue, self._field.prime, self._lu.factors
        )
        return self._field.clean(FloatResidue(real, residue))

    def values(self, rhs: Series, top: int) -> Series:
        """Solve B(e) z = rhs(e) for the basic columns; ``rhs`` holds all rows, the result all columns."""
        field, n = self._field, self._program.plain.num_columns
        inner = {k: FloatResidue(v.real[self._rows], v.residue[self._rows]) for k, v in rhs.items()}
        for batch in self._operations:
            inner = self._operated(inner, batch)
        found: Series = {}
        solved: Series = {}
        for k in range(min(inner), top + 1):
            target = inner.get(k, field.zeros(len(self._rows)))
            for i, part in enumerate(self._parts[1:], start=1):
                if k - i in solved:
                    target = field.minus(target, part.dot(solved[k - i]))
            solved[k] = self._solve(target, transposed=False)
            full = field.zeros(n + self._program.plain.num_rows)
            full.real[self._columns], full.residue[self._columns] = solved[k]
            rest = rhs.get(k, field.zeros(self._program.plain.num_rows))
            for i, matrix in enumerate(self._matrices):
                earlier = full if i == 0 else found.get(k - i)
                if earlier is not None:
                    rest = field.minus(rest, matrix.dot(FloatResidue(earlier.real[:n], earlier.residue[:n])))
            where = n + self._kept
            full.real[where], full.residue[where] = rest.real[self._kept], rest.residue[self._kept]
            found[k] = field.clean(full)
        return found

    def _operated(self, series: Series, batch: list[tuple[int, NDArray[np.int64], FloatResidue]]) -> Series:
        field = self._field
        result = {k: FloatResidue(v.real.copy(), v.residue.copy()) for k, v in series.items()}
        for row, _, _ in batch:
            for level in result.values():
                level.real[row], level.residue[row] = 0.0, 0
        for row, rows, factor in batch:
            for k, level in series.items():
                residue = int((factor.residue * level.residue[rows] % field.prime).sum() % field.prime)
                if residue:
                    into = result.setdefault(k - 1, field.zeros(len(self._rows)))
                    into.real[row], into.residue[row] = float(factor.real @ level.real[rows]), residue
        return result

    def reduced(self, cost: Series, top: int) -> Series:
        """c(e) - y(e)' [A(e) I] with y(e)' B(e) = c_B(e), for all columns; 0 at the basic ones."""
        field, plain = self._field, self._program.plain
        n, m = plain.num_columns, plain.num_rows
        multiplier = self._multipliers(cost, top)
        result: Series = {}
        nothing = field.zeros(n + m)
        for k in range(min(*multiplier, *cost), top + 1):
            level = cost.get(k, nothing)
            product = field.zeros(n)
            for i, matrix in enumerate(self._matrices):
                if k - i in multiplier:
                    product = field.minus(product, matrix.transposed_dot(multiplier[k - i]))
            y = multiplier.get(k, field.zeros(m))
            real = level.real + np.concatenate((product.real, -y.real))
            residue = (level.residue + np.concatenate((product.residue, -y.residue))) % field.prime
            residue[self.basic] = 0
            result[k] = field.clean(FloatResidue(real, residue))
        return result

    def _multipliers(self, cost: Series, top: int) -> Series:
        field, plain = self._field, self._program.plain
        n, m = plain.num_columns, plain.num_rows
        kept: Series = {}
        target: Series = {}
        for k, level in cost.items():
            target[k] = FloatResidue(level.real[self._columns].copy(), level.residue[self._columns].copy())
            y = field.zeros(m)
            y.real[self._kept], y.residue[self._kept] = level.real[n + self._kept], level.residue[n + self._kept]
            kept[k] = y
        for k, y in kept.items():
            if y.residue.any():
                for i, matrix in enumerate(self._matrices):
                    product = matrix.transposed_dot(y)
                    before = target.get(k + i, field.zeros(len(self._columns)))
                    part = FloatResidue(product.real[self._columns], product.residue[self._columns])
                    target[k + i] = field.minus(before, part)
        series: Series = {}
        for k in range(min(target), top + len(self._operations) + 1):
            level = target.get(k, field.zeros(len(self._columns)))
            for i, part_matrix in enumerate(self._parts[1:], start=1):
                if k - i in series:
                    level = field.minus(level, part_matrix.transposed_dot(series[k - i]))
            series[k] = self._solve(level, transposed=True)
        for batch in reversed(self._operations):
            series = self._carried_back(series, batch)
        result: Series = {}
        for k in range(min(*series, *kept), top + 1):
            y = kept.get(k, field.zeros(m))
            real, residue = y.real.copy(), y.residue.copy()
            if k in series:
                real[self._rows], residue[self._rows] = series[k]
            result[k] = field.clean(FloatResidue(real, residue))
        return result

    def _carried_back(self, series: Series, batch: list[tuple[int, NDArray[np.int64], FloatResidue]]) -> Series:
        field = self._field
        result: Series = {}
        for k in range(min(series) - 1, max(series)):
            level = series.get(k, field.zeros(len(self._rows)))
            real, residue = level.real.copy(), level.residue.copy()
            for row, _, _ in batch:
                real[row], residue[row] = 0.0, 0
            later = series[k + 1]
            for row, rows, factor in batch:
                if later.residue[row]:
                    real[rows] += factor.real * later.real[row]
                    residue[rows] = (residue[rows] + factor.residue * later.residue[row]) % field.prime
            result[k] = FloatResidue(real, residue)
        return result

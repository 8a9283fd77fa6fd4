r"""Simplex pivots at an infinitesimal, in doubtful arithmetic: fast, unproven.

For a :class:`~tremble.linear.program.Program` whose matrix trembles, no float solver is right at
once about choices that weigh :math:`1, \varepsilon, \varepsilon^2, \ldots`. Here :math:`\varepsilon` is an
infinitesimal: values and reduced costs are Laurent series, and compared as such. Every coefficient is known twice,
as a *float*, which gives its sign, and as a *residue* modulo a prime, which says whether it is 0: neither a small
number nor rounding noise is ever mistaken for the other.

From a basis that is nearly right, a few pivots reach a stable one:

1. If both sides are violated, the costs of the nonbasic columns that would improve are lowered.
2. Dual simplex pivots restore primal feasibility, 3. then primal pivots with the true costs reach the optimum;
   ratios are compared lexicographically, by cross products.

The result is a guess for :func:`tremble.linear.stability.examine` to prove, and for exact pivots to mend.

References
----------
R. G. Jeroslow: Asymptotic linear programming, Operations Research 21, 1973.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from tremble.errors import SolverError
from tremble.linear.dixon import SingularMatrixError
from tremble.linear.draws import draws
from tremble.linear.matrix import IntegerMatrix
from tremble.linear.modular import dot_mod, random_prime
from tremble.linear.program import Program
from tremble.linear.regular import RegularSystem
from tremble.linear.sparse_lu import solve_mod, solve_transposed_mod

__all__ = ["pivot_at_infinitesimal"]

_NEVER = 1 << 40  # order of a series that is 0 as far as it is known
_STALL = 60  # pivots in one phase before choices are drawn at random
_TIE = 1e-7  # ratios this close are compared by cross products
_MANY_TIES = 200


class _Numbers(NamedTuple):
    """Numbers known twice: as floats, and as residues modulo the prime at hand."""

    real: NDArray[np.float64]
    residue: NDArray[np.int64]


_Series = dict[int, _Numbers]
"""Coefficients by order."""


@dataclass(frozen=True)
class _Field:
    """Arithmetic with numbers modulo one prime."""

    prime: int

    def zeros(self, size: int) -> _Numbers:
        return _Numbers(np.zeros(size), np.zeros(size, dtype=np.int64))

    def of(self, integers: NDArray[Any]) -> _Numbers:
        return _Numbers(integers.astype(np.float64), np.asarray(integers % self.prime, dtype=np.int64))

    def minus(self, a: _Numbers, b: _Numbers) -> _Numbers:
        return _Numbers(a.real - b.real, (a.residue - b.residue) % self.prime)

    def clean(self, a: _Numbers) -> _Numbers:
        """Floats that are exactly 0 where the residue is."""
        return _Numbers(np.where(a.residue == 0, 0.0, a.real), a.residue)


class _Matrix:
    """A matrix, in floats and residues."""

    def __init__(self, matrix: IntegerMatrix, field: _Field) -> None:
        residues = np.asarray(matrix.value % field.prime, dtype=np.int64)
        self._field = field
        self._modular = IntegerMatrix(
            matrix.shape, matrix.row_start, matrix.column, residues, matrix.column_start, matrix.row, matrix.by_column
        )
        self._modular_transposed = self._modular.transposed
        real = matrix.value.astype(np.float64)
        self.real: Any = csr_matrix((real, matrix.column, matrix.row_start), shape=matrix.shape)
        self._real_transposed: Any = self.real.T.tocsr()

    def dot(self, z: _Numbers) -> _Numbers:
        return _Numbers(self.real @ z.real, dot_mod(self._modular, z.residue, self._field.prime))

    def transposed_dot(self, y: _Numbers) -> _Numbers:
        product = dot_mod(self._modular_transposed, y.residue, self._field.prime)
        return _Numbers(self._real_transposed @ y.real, product)


class _Basis:
    """One basis: solves with its matrix, and with the transposed one, for series."""

    def __init__(self, program: _Program, basic: NDArray[np.bool_], check: Callable[[], None]) -> None:
        plain = program.plain
        n = plain.num_columns
        self._program = program
        self.basic = basic
        self._columns, self._rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
        self._kept = np.flatnonzero(basic[n:])
        parts = [matrix.submatrix(self._rows, self._columns) for matrix in plain.matrices]
        size = len(self._rows)
        nothing = np.zeros((1, size), dtype=np.int64)
        system = RegularSystem(parts, nothing, nothing, check, dense_limit=0, sure=False)
        factors: Any = system.factors
        self._lu = factors.lu if size else None  # without basic columns there is nothing to factorise
        field = self._field = program.field(factors.lu.prime if size else random_prime())
        self._matrices = program.matrices(field)
        self._parts = [_Matrix(part, field) for part in system.parts]
        self._float_lu: Any = splu(self._parts[0].real.tocsc()) if size else None
        self._operations = [
            [(operation.row, operation.rows, field.of(operation.factor)) for operation in batch]
            for batch in system.operations
        ]

    @property
    def field(self) -> _Field:
        """The arithmetic of this basis."""
        return self._field

    def _solve(self, target: _Numbers, *, transposed: bool) -> _Numbers:
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
        return self._field.clean(_Numbers(real, residue))

    def values(self, rhs: _Series, top: int) -> _Series:
        """Solve B(e) z = rhs(e) for the basic columns; ``rhs`` holds all rows, the result all columns."""
        field, n = self._field, self._program.plain.num_columns
        inner = {k: _Numbers(v.real[self._rows], v.residue[self._rows]) for k, v in rhs.items()}
        for batch in self._operations:
            inner = self._operated(inner, batch)
        found: _Series = {}
        solved: _Series = {}
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
                    rest = field.minus(rest, matrix.dot(_Numbers(earlier.real[:n], earlier.residue[:n])))
            where = n + self._kept
            full.real[where], full.residue[where] = rest.real[self._kept], rest.residue[self._kept]
            found[k] = field.clean(full)
        return found

    def _operated(self, series: _Series, batch: list[tuple[int, NDArray[np.int64], _Numbers]]) -> _Series:
        field = self._field
        result = {k: _Numbers(v.real.copy(), v.residue.copy()) for k, v in series.items()}
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

    def reduced(self, cost: _Series, top: int) -> _Series:
        """c(e) - y(e)' [A(e) I] with y(e)' B(e) = c_B(e), for all columns; 0 at the basic ones."""
        field, plain = self._field, self._program.plain
        n, m = plain.num_columns, plain.num_rows
        multiplier = self._multipliers(cost, top)
        result: _Series = {}
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
            result[k] = field.clean(_Numbers(real, residue))
        return result

    def _multipliers(self, cost: _Series, top: int) -> _Series:
        field, plain = self._field, self._program.plain
        n, m = plain.num_columns, plain.num_rows
        kept: _Series = {}
        target: _Series = {}
        for k, level in cost.items():
            target[k] = _Numbers(level.real[self._columns].copy(), level.residue[self._columns].copy())
            y = field.zeros(m)
            y.real[self._kept], y.residue[self._kept] = level.real[n + self._kept], level.residue[n + self._kept]
            kept[k] = y
        for k, y in kept.items():
            if y.residue.any():
                for i, matrix in enumerate(self._matrices):
                    product = matrix.transposed_dot(y)
                    before = target.get(k + i, field.zeros(len(self._columns)))
                    part = _Numbers(product.real[self._columns], product.residue[self._columns])
                    target[k + i] = field.minus(before, part)
        series: _Series = {}
        for k in range(min(target), top + len(self._operations) + 1):
            level = target.get(k, field.zeros(len(self._columns)))
            for i, part_matrix in enumerate(self._parts[1:], start=1):
                if k - i in series:
                    level = field.minus(level, part_matrix.transposed_dot(series[k - i]))
            series[k] = self._solve(level, transposed=True)
        for batch in reversed(self._operations):
            series = self._carried_back(series, batch)
        result: _Series = {}
        for k in range(min(*series, *kept), top + 1):
            y = kept.get(k, field.zeros(m))
            real, residue = y.real.copy(), y.residue.copy()
            if k in series:
                real[self._rows], residue[self._rows] = series[k]
            result[k] = field.clean(_Numbers(real, residue))
        return result

    def _carried_back(self, series: _Series, batch: list[tuple[int, NDArray[np.int64], _Numbers]]) -> _Series:
        field = self._field
        result: _Series = {}
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
            result[k] = _Numbers(real, residue)
        return result


class _Program:
    """A trembling program with what all its bases share."""

    def __init__(self, plain: Program) -> None:
        self.plain = plain
        self.free, self.fixed = plain.unbounded, plain.fixed
        self._fields: dict[int, tuple[_Field, list[_Matrix]]] = {}

    def field(self, prime: int) -> _Field:
        """The arithmetic modulo a prime."""
        if prime not in self._fields:
            field = _Field(prime)
            self._fields[prime] = field, [_Matrix(matrix, field) for matrix in self.plain.matrices]
        return self._fields[prime][0]

    def matrices(self, field: _Field) -> list[_Matrix]:
        """The coefficients of the matrix."""
        return self._fields[field.prime][1]

    def rhs(self, field: _Field) -> _Series:
        """The right-hand side."""
        return {k: field.of(level) for k, level in enumerate(self.plain.rhs)}

    def cost(self, field: _Field, lowered: dict[int, dict[int, int]]) -> _Series:
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


class _Leading(NamedTuple):
    """Series of all columns with the order and the float of their first nonzero coefficient."""

    series: _Series
    order: NDArray[np.int64]
    real: NDArray[np.float64]

    @classmethod
    def of(cls, series: _Series) -> _Leading:
        some = next(iter(series.values()))
        order, real = np.full(len(some.real), _NEVER, dtype=np.int64), np.zeros(len(some.real))
        for k in sorted(series):
            first = (order == _NEVER) & (series[k].residue != 0)
            order[first], real[first] = k, series[k].real[first]
        return cls(series, order, real)

    def entry(self, j: int) -> dict[int, tuple[float, int]]:
        """The series of column j."""
        return {k: (float(v.real[j]), int(v.residue[j])) for k, v in self.series.items() if v.residue[j]}


class _Vertex:
    """A basis with its values and reduced costs."""

    def __init__(
        self,
        program: _Program,
        basic: NDArray[np.bool_],
        lowered: dict[int, dict[int, int]],
        top: int,
        check: Callable[[], None],
    ) -> None:
        check()
        self.program, self.top = program, top
        self.basis = _Basis(program, basic, check)
        field = self.basis.field
        self.values = _Leading.of(self.basis.values(program.rhs(field), top))
        self.reduced = _Leading.of(self.basis.reduced(program.cost(field, lowered), top))
        free, fixed = program.free, program.fixed
        value, reduced = self.values, self.reduced
        self.primal = np.flatnonzero(basic & np.where(fixed, value.order < _NEVER, (value.real < 0) & ~free))
        self.dual = np.flatnonzero(~basic & ~fixed & np.where(free, reduced.order < _NEVER, reduced.real > 0))

    def row(self, k: int) -> _Leading:
        """Minus the tableau row of the basic column k, at the nonbasic columns."""
        unit = self.basis.field.zeros(len(self.basis.basic))
        unit.real[k], unit.residue[k] = 1.0, 1
        return _Leading.of(self.basis.reduced({0: unit}, self.top))

    def column(self, j: int) -> _Leading:
        """The tableau column of the nonbasic column j, at the basic columns."""
        plain, field = self.program.plain, self.basis.field
        rhs: _Series = {}
        for k, matrix in enumerate(plain.matrices):
            level = np.zeros(plain.num_rows, dtype=object)
            if j < plain.num_columns:
                rows, values = matrix.column_entries(j)
                level[rows] = values
            elif k == 0:
                level[j - plain.num_columns] = 1
            rhs[k] = field.of(level)
        return _Leading.of(self.basis.values(rhs, self.top))

    def least_ratio(self, candidates: NDArray[np.int64], size: _Leading, row: _Leading) -> int:
        """The candidate for which the sizes of ``size`` and ``row`` have the least ratio, as series.

        Among equals, the one with the largest entry in the row.
        """
        order = np.where(size.order == _NEVER, _NEVER, size.order - row.order)[candidates]
        candidates = candidates[order == order.max()]
        if order.max() < _NEVER and len(candidates) > 1:
            ratio = np.abs(size.real[candidates] / row.real[candidates])
            candidates = candidates[ratio <= ratio.min() * (1 + _TIE)]
            if 1 < len(candidates) < _MANY_TIES:
                candidates = self._truly_least(candidates, size, row)
        best = np.lexsort((-np.abs(row.real[candidates]), row.order[candidates]))[0]
        return int(candidates[best])

    def _truly_least(self, candidates: NDArray[np.int64], size: _Leading, row: _Leading) -> NDArray[np.int64]:
        least = [int(candidates[0])]
        for j in candidates[1:].tolist():
            difference = self._cross(size, row, j, least[0])
            if difference < 0:
                least = [j]
            elif difference == 0:
                least.append(j)
        return np.array(least, dtype=np.int64)

    def _cross(self, size: _Leading, row: _Leading, a: int, b: int) -> float:
        """The sign of |size_a| |row_b| - |size_b| |row_a|, as far as it is known."""
        prime = self.basis.field.prime
        total: dict[int, tuple[float, int]] = {}
        limit = self.top + int(min(row.order[a], row.order[b], size.order[a], size.order[b]))
        for sign, i, j in ((1, a, b), (-1, b, a)):
            sign *= 1 if (size.real[i] > 0) == (row.real[j] > 0) else -1
            for k, (x, x_residue) in size.entry(i).items():
                for h, (y, y_residue) in row.entry(j).items():
                    if k + h <= limit:
                        real, residue = total.get(k + h, (0.0, 0))
                        total[k + h] = real + sign * x * y, (residue + sign * x_residue * y_residue) % prime
        return next((real for _, (real, residue) in sorted(total.items()) if residue), 0.0)


def pivot_at_infinitesimal(
    program: Program,
    basis: NDArray[np.int64],
    check: Callable[[], None],
    progress: Callable[[int, int], None],
    *,
    top: int = 5,
    max_pivots: int = 1000,
) -> tuple[NDArray[np.int64], int, int]:
    """Pivot from a basis towards a stable one.

    Parameters
    ----------
    program : Program
        Feasible and bounded for small values of the infinitesimal.
    basis : int64[m]
    check : callable
        Called between slices of work; may raise to stop it.
    progress : callable
        Called with the number of pivots and of violations left.
    top : int
        Highest order of the infinitesimal that is looked at.
    max_pivots : int
        Stop after so many.

    Returns
    -------
    basis : int64[m]
        Believed to be stable if none is ``left`` out of place.
    pivots : int
    left : int
        How many columns still seem out of place; 0 unless the pivots ran out, or both sides were violated and
        a free column was among those that would improve: its cost cannot be lowered exactly here.

    Raises
    ------
    SolverError
        The doubtful arithmetic led nowhere: a singular basis, no column to pivot on, or too large numbers.
    """
    shared = _Program(program)
    random = draws()
    basic = program.basic(basis)
    pivots = 0

    def vertex(lowered: dict[int, dict[int, int]]) -> _Vertex:
        try:
            return _Vertex(shared, basic, lowered, top, check)
        except (SingularMatrixError, RuntimeError) as error:
            raise SolverError(f"a basis is singular: {error}") from None
        except OverflowError:
            raise SolverError("numbers are too large for floats") from None

    def choose(violations: NDArray[np.int64], leading: _Leading, count: int) -> int:
        progress(pivots, len(violations))
        if count > _STALL:
            return int(random.choice(violations))
        first = violations[leading.order[violations] == leading.order[violations].min()]
        return int(first[np.argmax(np.abs(leading.real[first]))])

    now = vertex({})
    while pivots < max_pivots and (len(now.primal) or len(now.dual)):
        lowered: dict[int, dict[int, int]] = {}
        before = pivots
        if len(now.primal) and len(now.dual):
            for j in now.dual.tolist():
                amount = ceil(abs(now.reduced.real[j]) * (1 + random.random())) + 1
                lowered.setdefault(int(now.reduced.order[j]), {})[j] = amount
            now = vertex(lowered)
        count = 0
        while len(now.primal) and not len(now.dual) and pivots < max_pivots:
            leaving = choose(now.primal, now.values, count)
            row = now.row(leaving)
            sign = -1.0 if now.values.real[leaving] > 0 else 1.0
            candidates = np.flatnonzero(
                ~basic & ~shared.fixed & (row.order < _NEVER) & ((sign * row.real > 0) | shared.free)
            )
            if not len(candidates):
                raise SolverError("no column can enter the basis")
            entering = now.least_ratio(candidates, now.reduced, row)
            basic[leaving], basic[entering] = False, True
            pivots, count = pivots + 1, count + 1
            now = vertex(lowered)
        if lowered:
            now = vertex({})
        count = 0
        while len(now.dual) and not len(now.primal) and pivots < max_pivots:
            entering = choose(now.dual, now.reduced, count)
            column = now.column(entering)
            sign = 1.0 if now.reduced.real[entering] > 0 else -1.0
            candidates = np.flatnonzero(
                basic & ~shared.free & (column.order < _NEVER) & ((sign * column.real > 0) | shared.fixed)
            )
            if not len(candidates):
                raise SolverError("no column can leave the basis")
            leaving = now.least_ratio(candidates, now.values, column)
            basic[leaving], basic[entering] = False, True
            pivots, count = pivots + 1, count + 1
            now = vertex({})
        if pivots == before:
            break
    return np.flatnonzero(basic), pivots, len(now.primal) + len(now.dual)

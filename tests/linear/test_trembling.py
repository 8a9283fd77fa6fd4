"""Trembling programs that are no games, against Cramer's rule over polynomials and against all bases."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpz_poly, nmod_mat

from tremble.errors import SolverError
from tremble.exact import dixon, lifting_kernel
from tremble.exact.asymptotic import InfinitesimalProgram, pivot_at_infinitesimal
from tremble.exact.elimination import factorize
from tremble.exact.lexicographic import BasicSolution, lexicographic_float_basis, optimize
from tremble.exact.modular import random_prime
from tremble.exact.program import IntegerMatrix, Program, SingularMatrixError
from tremble.exact.series_system import SeriesSystem
from tremble.exact.small_number import at_bits, at_fraction, degrees
from tremble.exact.stability import Stability, check_stability

Poly = list[int]
"""Coefficients, the constant first."""


def go_on() -> None:
    """A check that never stops anything."""


def quiet(*_: object) -> None:
    """Progress that nobody sees."""


class StoppedError(Exception):
    """Raised by checks that stop what does not end."""


class Patience:
    """A check that gives up after so many calls."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise StoppedError


def in_series(program: Program) -> InfinitesimalProgram:
    """As it is looked at in series, patiently."""
    return InfinitesimalProgram(program, 12, Patience(10_000))


def array(values: Sequence[int]) -> np.ndarray[Any, Any]:
    """int64 if all fit, else object."""
    if all(abs(v) < 2**62 for v in values):
        return np.array(values, dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def levels_of(vector: Sequence[Poly]) -> np.ndarray[Any, Any]:
    """[degree + 1, length]."""
    degree = max((len(p) for p in vector), default=1)
    rows = [array([p[k] if k < len(p) else 0 for p in vector]) for k in range(degree)]
    return np.array(rows, dtype=object if any(row.dtype == object for row in rows) else np.int64)


def matrix_of(entries: dict[tuple[int, int], int], shape: tuple[int, int]) -> IntegerMatrix:
    row, column = (np.array([at[k] for at in entries], dtype=np.int64) for k in range(2))
    return IntegerMatrix.from_entries(shape, row, column, array(list(entries.values())))


class Trembling:
    """A program in polynomials, and what is true of its bases: by Cramer's rule, nothing shared with the package."""

    def __init__(
        self,
        a: Sequence[Sequence[Poly]],
        b: Sequence[Poly],
        c: Sequence[Poly],
        equality: Sequence[bool] = (),
        free: Sequence[bool] = (),
    ) -> None:
        self.m, self.n = len(b), len(c)
        m, n = self.m, self.n
        self.equality, self.free = list(equality) or [False] * m, list(free) or [False] * n
        one, zero = fmpz_poly([1]), fmpz_poly([])
        self.a = [[fmpz_poly(p) for p in row] + [one if i == k else zero for k in range(m)] for i, row in enumerate(a)]
        self.b = [fmpz_poly(p) for p in b]
        self.c = [fmpz_poly(p) for p in c] + [zero] * m
        degree = max((len(p) for row in a for p in row), default=1)
        self.program = Program(
            matrices=tuple(
                matrix_of(
                    {(i, j): p[k] for i, row in enumerate(a) for j, p in enumerate(row) if k < len(p) and p[k]}, (m, n)
                )
                for k in range(max(degree, 1))
            ),
            rhs=levels_of(b),
            cost=levels_of(c),
            equality=np.array(self.equality, dtype=np.bool_),
            free=np.array(self.free, dtype=np.bool_),
            row_exponent=np.zeros(m, dtype=np.int64),
            column_exponent=np.zeros(n, dtype=np.int64),
        )

    def bases(self) -> Iterator[tuple[int, ...]]:
        return combinations(range(self.n + self.m), self.m)

    def slack(self) -> np.ndarray[Any, Any]:
        return np.arange(self.n, self.n + self.m)

    def random_basis(self, rng: random.Random) -> np.ndarray[Any, Any]:
        return np.array(sorted(rng.sample(range(self.n + self.m), self.m)), dtype=np.int64)

    def truth(self, basis: Sequence[int]) -> Truth | None:
        """Values and reduced costs; None if the basis matrix is singular for every infinitesimal."""
        square = [[row[j] for j in basis] for row in self.a]
        det = determinant(square)
        if not det:
            return None
        value, reduced = {}, {}
        for at, j in enumerate(basis):
            replaced = [[*row[:at], b, *row[at + 1 :]] for row, b in zip(square, self.b, strict=True)]
            value[j] = determinant(replaced)
        cost = [self.c[j] for j in basis]
        for j in set(range(self.n + self.m)) - set(basis):
            bordered = [[*row, full[j]] for row, full in zip(square, self.a, strict=True)]
            reduced[j] = determinant([*bordered, [*cost, self.c[j]]])
        return Truth(self, det, value, reduced)

    def stable_bases(self) -> set[tuple[int, ...]]:
        found = set()
        for basis in self.bases():
            truth = self.truth(basis)
            if truth is not None and truth.stable:
                found.add(basis)
        return found


class Truth:
    """What is true of one basis: rational functions with a common denominator."""

    def __init__(self, program: Trembling, det: Any, value: dict[int, Any], reduced: dict[int, Any]) -> None:
        self.program, self.det, self.value, self.reduced = program, det, value, reduced
        n = program.n
        unit = trailing(det)[1]
        sign = {j: trailing(p)[1] * unit for j, p in value.items()}
        self.primal = sorted(
            j for j, s in sign.items()
            if (s and program.equality[j - n] if j >= n and program.equality[j - n] else s < 0)
            and not (j < n and program.free[j])
        )  # fmt: skip
        sign = {j: trailing(p)[1] * unit for j, p in reduced.items()}
        self.dual = sorted(
            j for j, s in sign.items()
            if (s != 0 if j < n and program.free[j] else s > 0) and not (j >= n and program.equality[j - n])
        )  # fmt: skip

    @property
    def stable(self) -> bool:
        return not self.primal and not self.dual

    def coefficient(self, numerator: Any, order: int) -> F:
        """Of the Laurent series of numerator / det."""
        return laurent(numerator, self.det, order)


def determinant(rows: Sequence[Sequence[Any]]) -> Any:
    """Of a polynomial matrix, by Bareiss's elimination."""
    work = [list(row) for row in rows]
    n, sign, before = len(work), 1, fmpz_poly([1])
    for k in range(n):
        pivot = next((i for i in range(k, n) if work[i][k]), None)
        if pivot is None:
            return fmpz_poly([])
        if pivot != k:
            work[k], work[pivot], sign = work[pivot], work[k], -sign
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                work[i][j] = (work[i][j] * work[k][k] - work[i][k] * work[k][j]) // before
        before = work[k][k]
    return before * sign


def trailing(p: Any) -> tuple[int, int]:
    """Order and sign of the first coefficient that is not 0; (-1, 0) of the polynomial 0."""
    for k, v in enumerate(p.coeffs()):
        if v:
            return k, 1 if v > 0 else -1
    return -1, 0


def laurent(numerator: Any, denominator: Any, order: int) -> F:
    """A coefficient of the series of a quotient of polynomials."""
    pole = trailing(denominator)[0]
    top, bottom = ([F(int(v)) for v in p.coeffs()] for p in (numerator, denominator))
    bottom = bottom[pole:]
    found: list[F] = []
    for k in range(order + pole + 1):
        rest = top[k] if k < len(top) else F(0)
        rest -= sum((bottom[i] * found[k - i] for i in range(1, min(k, len(bottom) - 1) + 1)), F(0))
        found.append(rest / bottom[0])
    return found[-1] if found else F(0)


# -- random programs -----------------------------------------------------------------------------


def random_poly(rng: random.Random, degree: int, largest: int, density: float = 0.6) -> Poly:
    return [rng.randint(-largest, largest) if rng.random() < density else 0 for _ in range(degree + 1)]


def times(p: Poly, q: Poly) -> Poly:
    return [int(v) for v in (fmpz_poly(p) * fmpz_poly(q)).coeffs()] or [0]


def plus(p: Poly, q: Poly) -> Poly:
    return [int(v) for v in (fmpz_poly(p) + fmpz_poly(q)).coeffs()] or [0]


def product(a: list[list[Poly]], b: list[list[Poly]]) -> list[list[Poly]]:
    result = []
    for row in a:
        line = []
        for column in zip(*b, strict=True):
            total: Poly = [0]
            for p, q in zip(row, column, strict=True):
                total = plus(total, times(p, q))
            line.append(total)
        result.append(line)
    return result


def triangle(rng: random.Random, m: int, degree: int) -> list[list[Poly]]:
    """Determinant 1; rows and columns shuffled by the caller if it likes."""
    return [[[1] if i == j else random_poly(rng, degree, 2) if j < i else [0] for j in range(m)] for i in range(m)]


def smith(rng: random.Random, m: int, orders: Sequence[int]) -> list[list[Poly]]:
    """A square matrix whose determinant is the infinitesimal to the sum of the orders: L diag(e^k) U."""
    upper = [list(column) for column in zip(*triangle(rng, m, rng.randint(0, 1)), strict=True)]
    scale = [[[0] * k + [1] if i == j else [0] for j, k in enumerate(orders)] for i in range(m)]
    rows = product(product(triangle(rng, m, rng.randint(0, 1)), scale), upper)
    rng.shuffle(rows)
    return rows


def random_trembling(rng: random.Random, size: int = 4, largest: int = 3, degree: int | None = None) -> Trembling:
    """Of any kind: few columns in any relation to rows, singular at 0 more often than not."""
    m, n = rng.randint(1, size), rng.randint(1, size)
    degrees = [rng.randint(0, 3) for _ in range(3)]
    if degree is not None:
        degrees[0] = degree
    density = rng.choice((0.3, 0.6, 1.0))
    a = [[random_poly(rng, degrees[0], largest, density) for _ in range(n)] for _ in range(m)]
    kind = rng.randrange(4)
    if kind == 1 and m > 1:  # rows alike at 0
        for row in a[1:]:
            factor = rng.randint(-1, 2)
            for p, q in zip(row, a[0], strict=True):
                p[0] = factor * q[0]
    if kind == 2:
        for row in a:
            for p in row:
                p[0] = 0 if degrees[0] else p[0]
    if kind == 3 and m > 1 and degrees[0] > 1:  # alike up to the second order
        for row in a[1:]:
            for p, q in zip(row, a[0], strict=True):
                p[:2] = q[:2]
    return Trembling(
        a,
        [random_poly(rng, degrees[1], largest, density) for _ in range(m)],
        [random_poly(rng, degrees[2], largest, density) for _ in range(n)],
        [rng.random() < 0.3 for _ in range(m)],
        [rng.random() < 0.3 for _ in range(n)],
    )


def nested_trembling(rng: random.Random) -> tuple[Trembling, np.ndarray[Any, Any]]:
    """With a basis of all structural columns whose determinant is a power of the infinitesimal."""
    m = rng.randint(2, 4)
    square = smith(rng, m, [rng.choice((0, 1, 1, 2, 3)) for _ in range(m)])
    extra = [[random_poly(rng, 1, 2)] for _ in range(m)]
    made = Trembling(
        [row + more for row, more in zip(square, extra, strict=True)],
        [random_poly(rng, 2, 3) for _ in range(m)],
        [random_poly(rng, 2, 3) for _ in range(m + 1)],
        [rng.random() < 0.3 for _ in range(m)],
        [rng.random() < 0.2 for _ in range(m + 1)],
    )
    return made, np.arange(m)


def bounded_trembling(
    rng: random.Random, degree: int, size: int = 3, largest: int = 3, free_share: float = 0.3
) -> Trembling:
    """Feasible and bounded for small infinitesimals: a budget for all columns, feasible at a point."""
    m, n = rng.randint(1, size), rng.randint(1, size)
    free = [rng.random() < free_share for _ in range(n)]
    a = [[random_poly(rng, degree, largest) for _ in range(n)] for _ in range(m)]
    point = [[rng.randint(0, 2), *random_poly(rng, 1, 2)] if rng.random() < 0.8 else [0, 1] for _ in range(n)]
    point = [p if trailing(fmpz_poly(p))[1] >= 0 else [-v for v in p] for p in point]
    equality = [rng.random() < 0.3 for _ in range(m)]
    b = []
    for row, exact in zip(a, equality, strict=True):
        total: Poly = [0]
        for p, q in zip(row, point, strict=True):
            total = plus(total, times(p, q))
        spare = [0] * rng.randint(0, 2) + [rng.randint(0, 2)]
        b.append(total if exact else plus(total, spare))
    for j in range(n):  # |z_j| <= 10 + ...
        for sign in (1, -1) if free[j] else ():
            a.append([[sign if k == j else 0] for k in range(n)])
            b.append([10, rng.randint(-2, 2)])
            equality.append(False)
    a.append([[0 if f else 1, rng.randint(0, 1) if degree else 0] for f in free])
    b.append([9 + 10 * n, rng.randint(-3, 3)])
    equality.append(False)
    return Trembling(a, b, [random_poly(rng, rng.randint(0, 3), largest) for _ in range(n)], equality, free)


# -- the oracle of stability ---------------------------------------------------------------------


def check_series(made: Trembling, basis: Sequence[int], found: Stability, truth: Truth) -> None:
    """Every coefficient, and none below the first."""
    for series, numerators in ((found.values, truth.value), (found.reduced_costs, truth.reduced)):
        rest = set(range(made.n + made.m)) - set(numerators)
        for j, numerator in numerators.items():
            if numerator:
                assert trailing(numerator)[0] - trailing(truth.det)[0] >= series.first
            for k, (values, denominator) in enumerate(zip(series.coefficients, series.denominators, strict=True)):
                assert denominator > 0
                assert F(values[j], denominator) == truth.coefficient(numerator, series.first + k)
        assert all(not values[j] for values in series.coefficients for j in rest)


def stability_of(
    made: Trembling, basis: np.ndarray[Any, Any], watch: bool, small_limit: int, **more: int
) -> Stability | None:
    watched = np.ones(made.n + made.m, dtype=np.bool_) if watch else None
    try:
        return check_stability(made.program, basis, go_on, watched=watched, small_limit=small_limit, **more)
    except SingularMatrixError:
        return None


def wanted_zeros(made: Trembling, truth: Truth, watch: bool) -> int:
    """How many entries that the oracle must decide are 0 altogether."""
    n = made.n
    value = [p for j, p in truth.value.items() if watch or j >= n or not made.free[j]]
    reduced = [p for j, p in truth.reduced.items() if watch or j < n or not made.equality[j - n]]
    return sum(not p for p in value + reduced)


@pytest.mark.sample(4)
@pytest.mark.parametrize("proven", [40, 0], ids=["proven", "drawn"])
@pytest.mark.parametrize("block", range(4))
def test_the_oracle_agrees_with_cramers_rule(block: int, proven: int) -> None:
    rng = random.Random(block)
    singular = stable = wrong = poles = zeros = 0
    for k in range(30):
        if k % 3 == 0:
            made, basis = nested_trembling(rng)
        else:
            made = random_trembling(rng)
            basis = made.random_basis(rng)
        watch = rng.random() < 0.5
        truth = made.truth(basis.tolist())
        found = stability_of(made, basis, watch, rng.choice((0, 150)), proven_orders=proven)
        if truth is None:
            singular += 1
            assert found is None
            continue
        assert found is not None
        assert found.primal_violations.tolist() == truth.primal
        assert found.dual_violations.tolist() == truth.dual
        assert found.stable == truth.stable
        stable, wrong = stable + found.stable, wrong + (not found.stable)
        check_series(made, basis.tolist(), found, truth)
        if watch:  # the first coefficient that is not 0 is there
            for series, numerators in ((found.values, truth.value), (found.reduced_costs, truth.reduced)):
                for j, numerator in numerators.items():
                    assert any(values[j] for values in series.coefficients) == bool(numerator)
        expected = wanted_zeros(made, truth, watch)
        zeros += expected
        if proven:
            assert (found.drawn, found.error_bits) == (0, None)
        else:
            assert found.drawn == expected
            assert (found.error_bits is None) == (expected == 0)
            assert found.error_bits is None or found.error_bits >= 60
        order = found.reduced_costs.first + rng.randint(0, 9)
        found.extend(order)
        for series in (found.values, found.reduced_costs):
            assert series.first + len(series.coefficients) > order
        check_series(made, basis.tolist(), found, truth)
        poles += found.values.first < 0 or found.reduced_costs.first < 0
    assert singular
    assert wrong
    assert poles > 5
    assert zeros


def test_nested_row_operations_take_the_order_of_the_determinant() -> None:
    """One operation for each order, over several rounds; replayed on polynomials they make it regular at 0."""
    rng = random.Random(5)
    rounds = 0
    for _ in range(50):
        made, basis = nested_trembling(rng)
        found = stability_of(made, basis, False, rng.choice((0, 150)))
        truth = made.truth(basis.tolist())
        assert found is not None
        assert truth is not None
        assert sum(map(len, found.operations)) == trailing(truth.det)[0]
        rounds = max(rounds, len(found.operations))
        square = {i: [made.a[i][j] for j in basis.tolist()] for i in range(made.m)}
        for batch in found.operations:
            before = {i: list(row) for i, row in square.items()}
            for operation in batch:
                assert operation.row in operation.rows
                for k in range(made.m):
                    terms = zip(operation.rows.tolist(), operation.factor.tolist(), strict=True)
                    total = sum((before[i][k] * v for i, v in terms), fmpz_poly([]))
                    assert total[0] == 0
                    square[operation.row][k] = fmpz_poly(total.coeffs()[1:])
        assert determinant(list(square.values()))[0] != 0
    assert rounds >= 3


def test_every_basis_of_small_programs() -> None:
    rng = random.Random(6)
    for _ in range(15):
        made = random_trembling(rng, 3)
        for basis in made.bases():
            truth, found = made.truth(basis), stability_of(made, np.array(basis), False, 150)
            assert (truth is None) == (found is None)
            if truth is not None and found is not None:
                assert found.primal_violations.tolist() == truth.primal
                assert found.dual_violations.tolist() == truth.dual


@pytest.mark.parametrize("largest", [3, 10**25])
def test_signs_at_tiny_numbers(largest: int) -> None:
    """Solve at e = 10^-300 and 10^-600 in rational numbers: signs are those of the oracle."""
    rng = random.Random(largest)
    for _ in range(25):
        made, basis = nested_trembling(rng) if rng.random() < 0.3 else (random_trembling(rng, 4, largest), None)
        basis = made.random_basis(rng) if basis is None else basis
        found = stability_of(made, basis, True, 150)
        m = made.m
        for epsilon in (fmpq(1, 10**300), fmpq(1, 10**600)):
            square = fmpq_mat(m, m, [made.a[i][j](epsilon) for i in range(m) for j in basis.tolist()])
            if found is None:
                assert square.det() == 0
                continue
            z = square.solve(fmpq_mat(m, 1, [p(epsilon) for p in made.b])).entries()
            y = square.transpose().solve(fmpq_mat(m, 1, [made.c[j](epsilon) for j in basis.tolist()])).entries()
            value = [fmpq(0)] * (made.n + m)
            for j, v in zip(basis.tolist(), z, strict=True):
                value[j] = v
            reduced = [
                made.c[j](epsilon) - sum((made.a[i][j](epsilon) * y[i] for i in range(m)), fmpq(0))
                for j in range(made.n + m)
            ]
            for series, numbers in ((found.values, value), (found.reduced_costs, reduced)):
                assert series.signs().tolist() == [(v > 0) - (v < 0) for v in numbers]


def test_a_large_sparse_basis_with_poles() -> None:
    """Block diagonal, 60 blocks of known inverses: [[e, e^2], [0, e^3]] with shuffled rows and columns."""
    blocks = 60
    rng = random.Random(7)
    m = 2 * blocks
    row, column = rng.sample(range(m), m), rng.sample(range(m), m)
    a: list[list[Poly]] = [[[0]] * m for _ in range(m)]
    for k in range(0, m, 2):
        a[row[k]][column[k]] = [0, 1]
        a[row[k]][column[k + 1]] = [0, 0, 1]
        a[row[k + 1]][column[k + 1]] = [0, 0, 0, 1]
    made = Trembling(a, [[1]] * m, [[-1]] * m)
    for limit in (0, 1000):
        found = check_stability(made.program, np.arange(m), go_on, small_limit=limit)
        assert [len(batch) for batch in found.operations] == [2 * blocks, blocks, blocks]
        found.extend(1)
        values = {
            found.values.first + k: [F(v, d) for v in values[:m]]
            for k, (values, d) in enumerate(zip(found.values.coefficients, found.values.denominators, strict=True))
        }
        for k in range(0, m, 2):  # z = (1/e - 1/e^2, 1/e^3)
            first = {order: level[column[k]] for order, level in values.items() if level[column[k]]}
            second = {order: level[column[k + 1]] for order, level in values.items() if level[column[k + 1]]}
            assert first == {-1: 1, -2: -1}
            assert second == {-3: 1}
        assert found.primal_violations.tolist() == sorted(column[k] for k in range(0, m, 2))


def test_zeros_are_drawn_often_enough_for_high_degrees() -> None:
    """Determinants of degree 18,000: the evidence of one point is weaker, so there are more."""
    m = 3000
    index = np.arange(m)
    one, nothing = np.ones(m, dtype=np.int64), np.zeros(0, dtype=np.int64)
    unit = IntegerMatrix.from_entries((m, m), index, index, one)
    empty = IntegerMatrix.from_entries((m, m), nothing, nothing, nothing)
    program = Program(
        matrices=(unit, *[empty] * 5, unit),
        rhs=(index % 2)[np.newaxis],
        cost=-one[np.newaxis],
        equality=np.zeros(m, dtype=np.bool_),
        free=np.zeros(m, dtype=np.bool_),
        row_exponent=0 * one,
        column_exponent=0 * one,
    )
    found = check_stability(program, index, go_on)
    assert found.drawn == m // 2
    assert found.error_bits is not None
    assert 60 <= found.error_bits <= 200
    assert found.dual_violations.tolist() == (m + index).tolist()
    assert not len(found.primal_violations)


def test_no_rows_and_no_columns() -> None:
    for made in (Trembling([], [], []), Trembling([], [], [[-1, 1]]), Trembling([[]], [[0, 1]], [])):
        assert check_stability(made.program, made.slack(), go_on).stable


def test_singular_for_every_infinitesimal() -> None:
    """Proportional over rational functions, not over numbers; the series room ends as well."""
    p, q, r = [1, 2], [0, 1, 1], [3, 0, 1]
    a = [[times(p, q), times(p, r)], [times(q, q), times(q, r)]]
    made = Trembling(a, [[1], [1]], [[1], [1]])
    for limit in (0, 150):
        with pytest.raises(SingularMatrixError):
            check_stability(made.program, np.arange(2), go_on, small_limit=limit)
        with pytest.raises(SingularMatrixError):
            SeriesSystem(list(made.program.matrices), Patience(10_000), limit)


# -- lexicographic pivots ------------------------------------------------------------------------


def padded(objectives: Sequence[F], length: int = 12) -> list[F]:
    return [*objectives, *[F(0)] * (length - len(objectives))]


def objective_of(made: Trembling, basis: Sequence[int]) -> list[F]:
    """Coefficients of the objective; the matrix is constant."""
    truth = made.truth(basis)
    assert truth is not None
    total = sum((made.c[j] * p for j, p in truth.value.items()), fmpz_poly([]))
    return padded([F(int(v), int(truth.det[0])) for v in total.coeffs()])


@pytest.mark.sample(3)
@pytest.mark.parametrize("block", range(5))
def test_lexicographic_pivots_end_in_a_basis_that_enumeration_finds(block: int) -> None:
    rng = random.Random(block)
    optimal = refused = 0
    for k in range(30):
        made = bounded_trembling(rng, 0, 2) if k % 2 else random_trembling(rng, 3, degree=0)
        limit = rng.choice((0, 150))
        stable = made.stable_bases()
        for start in (made.random_basis(rng), made.random_basis(rng), made.slack()):
            if not stable:
                refused += 1
                with pytest.raises(SolverError):
                    optimize(made.program, start, go_on, small_limit=limit)
                continue
            optimal += 1
            vertex, pivots = optimize(made.program, start, go_on, small_limit=limit)
            basis = tuple(np.flatnonzero(vertex.basic).tolist())
            assert basis in stable
            assert vertex.optimal
            assert padded(vertex.objectives) == objective_of(made, basis) == objective_of(made, min(stable))
            assert vertex.objective == vertex.objectives[0]
            assert check_stability(made.program, np.flatnonzero(vertex.basic), go_on).stable
            assert pivots > 0 or tuple(start.tolist()) == basis or made.truth(start.tolist()) is None
    assert optimal > 30
    assert refused > 5


def test_vertices_equal_cramers_rule_level_by_level() -> None:
    rng = random.Random(12)
    for _ in range(60):
        made = random_trembling(rng, 4, rng.choice((3, 10**25)), degree=0)
        basis = made.random_basis(rng)
        truth = made.truth(basis.tolist())
        basic = np.zeros(made.n + made.m, dtype=np.bool_)
        basic[basis] = True
        if truth is None:
            with pytest.raises(SingularMatrixError):
                BasicSolution.of(made.program, basic, go_on)
            continue
        vertex = BasicSolution.of(made.program, basic, go_on, small_limit=rng.choice((0, 150)))
        for found, denominators, numerators in (
            (vertex.values, vertex.value_denominators, truth.value),
            (vertex.reduced_costs, vertex.reduced_denominators, truth.reduced),
        ):
            for k, (level, denominator) in enumerate(zip(found, denominators, strict=True)):
                for j, v in enumerate(level.tolist()):
                    expected = truth.coefficient(numerators[j], k) if j in numerators else F(0)
                    assert F(v, denominator) == expected
        assert vertex.primal_violations.tolist() == truth.primal
        assert vertex.dual_violations.tolist() == truth.dual


@pytest.mark.parametrize("block", range(3))
def test_floats_degree_by_degree_find_a_stable_basis(block: int) -> None:
    rng = random.Random(block)
    for k in range(25):
        made = bounded_trembling(rng, 0)
        plain = made.program.at_zero
        start = np.flatnonzero(optimize(plain, made.slack(), go_on)[0].basic) if k % 2 else made.slack()
        seen: list[float] = []
        found = lexicographic_float_basis(made.program, start, go_on, seen.append)
        assert found.programs <= len(made.program.rhs) * len(made.program.cost)
        assert len(seen) == len(made.program.cost)
        assert seen[-1] == 1
        vertex, pivots = optimize(made.program, found.basis, go_on)
        assert (pivots, vertex.optimal) == (0, True)
        truth = made.truth(found.basis.tolist())
        assert truth is not None
        assert truth.stable
        # What it found needs no more than one look at each degree.
        again = lexicographic_float_basis(made.program, found.basis, go_on, seen.append)
        assert (again.basis.tolist(), again.programs, again.iterations) == (sorted(found.basis.tolist()), 1, 0)


# -- plain programs ------------------------------------------------------------------------------


def check_plain(made: Trembling, plain: Program, epsilon: F, unit: int, bits: int) -> None:
    """Rows and columns times powers of the unit, nothing else."""
    program = made.program
    of_row, of_column = (degree.tolist() for degree in degrees(program))
    e = fmpq(epsilon.numerator, epsilon.denominator)
    dense = [[0] * made.n for _ in range(made.m)]
    matrix = plain.matrix
    for i, j, v in zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), matrix.value.tolist(), strict=True):
        assert v
        dense[i][j] = v
    for i in range(made.m):
        for j in range(made.n):
            assert made.a[i][j](e) * unit ** (of_row[i] + of_column[j]) == dense[i][j]
        assert made.b[i](e) * unit ** of_row[i] == int(plain.rhs[0, i])
    top = len(program.cost) - 1
    for j in range(made.n):
        assert made.c[j](e) * unit ** (of_column[j] + top) == int(plain.cost[0, j])
    assert plain.row_exponent.tolist() == [-bits * k for k in of_row]
    assert plain.column_exponent.tolist() == [-bits * k for k in of_column]
    for levels, powers in ((program.rhs, of_row),):
        for k, level in enumerate(levels):
            assert all(k <= degree for degree, v in zip(powers, level.tolist(), strict=True) if v)
    for k, part in enumerate(program.matrices):
        for i, j in zip(part.row_of_entry.tolist(), part.column.tolist(), strict=True):
            assert of_row[i] + of_column[j] >= k


@pytest.mark.parametrize("largest", [3, 2**40, 10**25])
def test_plain_programs_are_the_trembling_one_at_a_number(largest: int) -> None:
    rng = random.Random(largest)
    for _ in range(40):
        made = random_trembling(rng, 5, largest)
        for bits in (1, rng.randint(2, 18), 19, 100):
            check_plain(made, at_bits(made.program, bits), F(1, 2**bits), 2**bits, bits)
        for epsilon in (F(1), F(3, 7), F(1, 2**17), F(5, 3), F(10**20, 10**40 + 1), F(2)):
            q = epsilon.denominator
            check_plain(made, at_fraction(made.program, epsilon), epsilon, q, q.bit_length() - 1)


def test_entries_that_cancel_leave_the_plain_matrix() -> None:
    made = Trembling([[[1, -2], [0, 1]], [[1], [-1, 4, -4]]], [[1, -2], [3]], [[1, -2], [1]])
    plain = at_bits(made.program, 1)
    check_plain(made, plain, F(1, 2), 2, 1)
    assert len(plain.matrix.value) == 2
    assert plain.rhs[0, 0] == plain.cost[0, 0] == 0


def test_many_coefficients_add_up_beyond_64_bits() -> None:
    """Each of them would fit alone."""
    top = 20
    long = [(1 << (59 - top + k)) - 1 for k in range(top + 1)]
    made = Trembling([[long, [1]], [[1], [-v for v in long]]], [long, [3]], [long, [1]])
    for bits in (1, 2):
        check_plain(made, at_bits(made.program, bits), F(1, 2**bits), 2**bits, bits)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_optimal_bases_at_a_small_number_are_stable(degree: int) -> None:
    rng = random.Random(degree)
    for k in range(12):
        made = bounded_trembling(rng, degree, 2)
        plain = at_fraction(made.program, F(3, 10**90)) if k % 2 else at_bits(made.program, 300)
        vertex, _ = optimize(plain, made.random_basis(rng), go_on)
        basis = np.flatnonzero(vertex.basic)
        truth = made.truth(basis.tolist())
        assert truth is not None
        assert truth.stable
        assert check_stability(made.program, basis, go_on).stable


# -- pivots at an infinitesimal ------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_pivots_at_an_infinitesimal_from_bad_bases(degree: int) -> None:
    rng = random.Random(degree)
    ended = singular = pivoted = 0
    for k in range(30):
        made = bounded_trembling(rng, degree, 4, free_share=0.3 * (k % 2))
        start = made.random_basis(rng)
        truth = made.truth(start.tolist())
        if truth is None and singular > 3:
            continue
        try:
            basis, pivots, left = pivot_at_infinitesimal(in_series(made.program), start, quiet)
        except SolverError:
            assert truth is None
            singular += 1
            continue
        assert truth is not None
        if left:  # the one thing that it cannot do
            assert truth.primal
            assert any(j < made.n and made.free[j] for j in truth.dual)
            continue
        ended, pivoted = ended + 1, pivoted + (pivots > 1)
        assert check_stability(made.program, basis, go_on).stable
    assert ended > 8
    assert pivoted > 2


def test_pivots_at_an_infinitesimal_from_the_slack_basis() -> None:
    """Nothing to factorise at first."""
    rng = random.Random(9)
    ended = 0
    for _ in range(8):
        made = bounded_trembling(rng, 1, 3, free_share=0.0)
        basis, _, left = pivot_at_infinitesimal(in_series(made.program), made.slack(), quiet)
        assert left == 0
        assert check_stability(made.program, basis, go_on).stable
        ended += 1
    assert ended == 8


def test_numbers_beyond_floats_are_refused_by_asymptotic_numbers() -> None:
    made = Trembling([[[10**400, 1], [1]], [[2], [3]]], [[1], [1]], [[1], [1]])
    with pytest.raises(SolverError, match="too large"):
        pivot_at_infinitesimal(in_series(made.program), np.array([0, 1]), quiet)


# -- long numbers --------------------------------------------------------------------------------


def check_solution(rows: Sequence[Sequence[int]], factors: Any, b: Sequence[int]) -> int:
    """Multiply back, both ways; the length of the longer denominator."""
    longest = 0
    for transposed in (False, True):
        system = list(zip(*rows, strict=True)) if transposed else rows
        solution, denominator = (factors.solve_transposed if transposed else factors.solve)(array(b))
        numerators = solution.tolist()
        assert denominator > 0
        assert all(type(v) is int for v in numerators)
        for row, rhs in zip(system, b, strict=True):
            assert sum(v * x for v, x in zip(row, numerators, strict=True) if v) == rhs * denominator
        longest = max(longest, denominator.bit_length())
    return longest


def matrix_of_rows(rows: Sequence[Sequence[int]]) -> IntegerMatrix:
    entries = {(i, j): v for i, row in enumerate(rows) for j, v in enumerate(row) if v}
    return matrix_of(entries, (len(rows), len(rows[0])))


@pytest.mark.parametrize(("n", "largest"), [(30, 10**4), (120, 10**9), (60, 10**30), (12, 10**200)])
def test_denominators_of_thousands_of_bits(n: int, largest: int) -> None:
    rng = random.Random(n)
    rows = [[rng.randint(-largest, largest) if rng.random() < 4 / n else 0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        rows[i][i] = largest + rng.randint(1, largest)
        rows[i][(i + 1) % n] = rng.randint(1, largest)
    rng.shuffle(rows)
    factors = factorize(matrix_of_rows(rows), go_on, small_limit=0)
    longest = check_solution(rows, factors, [rng.randint(-9, 9) for _ in range(n)])
    assert longest > 300
    check_solution(rows, factors, [int(i == 3) for i in range(n)])
    check_solution(rows, factors, [rng.randint(-(10**400), 10**400) for _ in range(n)])  # wide, then narrow


@pytest.mark.parametrize("exponent", [1, 7, 8, 9, 40, 300])
def test_right_hand_sides_that_are_powers_of_the_prime(exponent: int) -> None:
    """All digits but the last are 0; so may be entries of a solution."""
    prime = 2147483629
    rows = [[2, 1, 0], [0, 1, 1], [0, 0, 3]]
    factors = factorize(matrix_of_rows(rows), go_on, small_limit=0)
    for b in ([prime**exponent, 0, 0], [0, -(prime**exponent), 1], [prime**exponent - 1, prime**exponent, 5]):
        check_solution(rows, factors, b)


def test_one_long_denominator_among_many_short_ones() -> None:
    """Random combinations see it; each entry may have a denominator of its own."""
    rng = random.Random(3)
    n = 80
    own = [rng.choice((1, 1, 2, 3, 2**61 - 1, 10**9 + 7, 998244353)) for _ in range(n)]
    rows = [[own[i] if i == j else 0 for j in range(n)] for i in range(n)]
    assert check_solution(rows, factorize(matrix_of_rows(rows), go_on, small_limit=0), [1] * n) > 100


def test_limbs_are_the_numbers_they_hold() -> None:
    rng = random.Random(4)
    edge = [0, 1, -1, 2**20, -(2**20), 2**60 - 1, -(2**60), 2**59, -(2**59) - 1, 2**40 - 1, -(2**40)]
    for count in (4, 5, 9):
        values = edge + [rng.randint(-(2**60), 2**60 - 1) for _ in range(50)]
        limbs = lifting_kernel.to_limbs(array(values), count)
        assert [sum(v << (lifting_kernel.LIMB_BITS * k) for k, v in enumerate(row)) for row in limbs.tolist()] == values
        for prime in (2147483629, 3, random_prime()):
            residue = np.empty(len(values), dtype=np.int64)
            lifting_kernel.from_limbs_mod(limbs, prime, residue)
            assert residue.tolist() == [v % prime for v in values]


@pytest.mark.parametrize("rest_bits", [70, 500])
def test_a_step_of_lifting_in_limbs(rest_bits: int) -> None:
    """More products than may wait for a normalisation; digits as large as they get."""
    rng = random.Random(rest_bits)
    n, prime = 1500, 2147483629
    entry_bits = rest_bits - 45
    value = [rng.choice((-1, 1)) * ((1 << entry_bits) - rng.randint(1, 9)) for _ in range(2 * n)]
    digit = np.array([prime - rng.randint(1, 9) for _ in range(n)], dtype=np.int64)
    value[:n] = [(1 << entry_bits) - 1] * n  # all of a sign
    product = [sum(v * d for v, d in zip(value[i * n : (i + 1) * n], digit.tolist(), strict=True)) for i in range(2)]
    after = [rng.randint(-(2**rest_bits), 2**rest_bits) for _ in range(2)]
    rest = [p + prime * a for p, a in zip(product, after, strict=True)]
    count = max(abs(v) for v in rest + product).bit_length() // lifting_kernel.LIMB_BITS + 2
    limbs = lifting_kernel.to_limbs(array(rest), count)
    width = entry_bits // lifting_kernel.LIMB_BITS + 1
    lifting_kernel.subtract_and_divide_wide(
        limbs, digit, np.array([0, n, 2 * n]), np.tile(np.arange(n), 2),
        lifting_kernel.to_limbs(array(value), width), prime,
    )  # fmt: skip
    back = [sum(v << (lifting_kernel.LIMB_BITS * k) for k, v in enumerate(row)) for row in limbs.tolist()]
    assert back == after


@pytest.mark.parametrize("exponent", [1, 2, 3, 8, 33])
def test_digits_of_right_hand_sides_add_up_to_them(exponent: int) -> None:
    rng = random.Random(exponent)
    prime = 2147483629
    edge = [0, 1, -1, prime - 1, -prime, prime**exponent, -(prime**exponent), prime**exponent - 1]
    values = edge + [rng.randint(-(2 ** (31 * exponent)), 2 ** (31 * exponent)) for _ in range(30)]
    digits = dixon._digits(array(values), prime)
    assert digits.dtype == np.int64
    assert np.abs(digits).max() < prime
    assert [sum(d * prime**k for k, d in enumerate(column)) for column in digits.T.tolist()] == values
    assert not dixon._digits(array([0, 0]), prime).any()


@pytest.mark.parametrize("largest", [10**6, 2**31, 2**40, 2**61, 2**62, 2**63, 2**64, 2**70, 10**30])
def test_lifting_beyond_64_bits(largest: int) -> None:
    """Matrices and right-hand sides near every width at which arithmetic changes; entries as large as they get."""
    rng = random.Random(largest)
    n = 12
    rows = [[rng.choice((-largest, 1 - largest, 0, 0, largest - 1, largest)) for _ in range(n)] for _ in range(n)]
    for i in range(n):
        rows[i][i] = largest - i
    factors = factorize(matrix_of_rows(rows), go_on, small_limit=0)
    for bits in (1, 30, 31, 32, 61, 62, 63, 64, 93, 500):
        check_solution(rows, factors, [rng.choice((-1, 1)) * ((1 << bits) - rng.randint(0, 1)) for _ in range(n)])


def test_digits_are_combined_and_multiplied_as_integers() -> None:
    rng = np.random.default_rng(8)
    prime = 2147483629
    for length in (*range(1, 12), 31, 32, 33, 34, 35, 63, 64, 65, 66, 67, 130):
        digits = rng.integers(0, prime, (length, 5))
        digits[:, 0], digits[:, 1] = prime - 1, 0
        whole = [sum(d * prime**k for k, d in enumerate(column)) for column in digits.T.tolist()]
        combined = dixon._combined(digits, prime)
        assert combined.tolist() == whole
        assert all(type(v) is int for v in combined.tolist())
        modulus, factor = prime**length, int(rng.integers(1, 2**62)) ** 3
        residues = dixon._residues(combined, factor, modulus).tolist()
        assert [r % modulus for r in residues] == [v * factor % modulus for v in whole]
        assert all(2 * abs(r) <= modulus for r in residues)


@pytest.mark.parametrize("bits", [(3, 200), (200, 3), (150, 150), (1, 300), (300, 1)])
def test_denominators_are_found_however_long_the_numerators_are(bits: tuple[int, int]) -> None:
    """With 30 bits more than both, and not with less than both."""
    rng = random.Random(sum(bits))
    for _ in range(50):
        top, bottom = (rng.getrandbits(b) | (1 << (b - 1)) for b in bits)
        top, bottom = F(rng.choice((-1, 1)) * top, bottom).as_integer_ratio()
        for more in (33, 90):
            modulus = (1 << (sum(bits) + more)) + 1  # is odd
            while math.gcd(modulus, bottom) > 1:
                modulus += 2
            value = top * pow(bottom, -1, modulus) % modulus
            assert dixon._denominator(value, modulus, modulus) == bottom
            assert (dixon._denominator(value, modulus, 1 << 20) == bottom) == (bottom <= 1 << 20)
        modulus = (1 << max(sum(bits) - 5, 40)) + 1
        while math.gcd(modulus, bottom) > 1:
            modulus += 2
        if min(bits) > 100:
            assert dixon._denominator(top * pow(bottom, -1, modulus) % modulus, modulus, modulus) is None


def test_a_denominator_of_earlier_solutions_changes_nothing() -> None:
    """Right-hand sides whose solutions have the same one, a part of it, another, or none; alternating, transposed."""
    rng = random.Random(11)
    n = 14
    rows = [[rng.randint(-9, 9) if rng.random() < 0.4 else 0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        rows[i][i] = rng.choice((6, 10, 30, 77))
    factors = factorize(matrix_of_rows(rows), go_on, small_limit=0)
    inside = [rng.randint(-5, 5) for _ in range(n)]
    whole = [sum(a * x for a, x in zip(row, inside, strict=True)) for row in rows]
    for b in ([1] + [0] * (n - 1), whole, [rng.randint(-9, 9) for _ in range(n)], [7**400 * v for v in whole], whole):
        check_solution(rows, factors, b)
        numerator, denominator = factors.solve(array(b))
        assert math.gcd(denominator, *numerator.tolist()) == 1


def test_denominators_that_no_combination_shows() -> None:
    """Of each prime there are so many entries that some right-hand side makes all combinations forget it."""
    primes, block = (2, 101, 1009), dixon._COMBINATIONS + 1
    n = block * len(primes)
    weight = np.random.default_rng(n).integers(1, 1 << (31 - n.bit_length()), (n, dixon._COMBINATIONS))
    rows = [[primes[i // block] if i == j else 0 for j in range(n)] for i in range(n)]
    b = []
    for k, prime in enumerate(primes):
        here = weight[block * k : block * (k + 1)].T.tolist()
        null, _ = nmod_mat([[w % prime for w in row] for row in here], prime).nullspace()
        b += [int(null[i, 0]) for i in range(block)]
    factors = factorize(matrix_of_rows(rows), go_on, small_limit=0)
    check_solution(rows, factors, b)
    assert factors.solve(array(b))[1] == math.prod(primes)


def test_random_primes_are_primes_of_31_bits() -> None:
    for _ in range(200):
        prime = random_prime()
        assert 2**30 < prime < 2**31
        assert all(prime % d for d in range(2, 200))
        assert pow(3, prime - 1, prime) == 1

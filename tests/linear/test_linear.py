"""Exact linear algebra and the exact simplex method, against fractions and against SciPy."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from math import prod
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from tremble.errors import LimitReached, SolverError
from tremble.exact.elimination import Elimination, factorize
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import IntegerMatrix, Program, SingularMatrixError
from tremble.exact.simplex import ViolationRule

PRIMES = (2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497, 2147483489)
"""The greatest below 2^31; the first is the one that sparse matrices are factorised with."""
Rows = Sequence[Sequence[int]]


def go_on() -> None:
    """A check that never stops anything."""


def array(values: Sequence[int]) -> np.ndarray[Any, Any]:
    """int64 if all fit, else object."""
    if all(abs(v) < 2**62 for v in values):
        return np.array(values, dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def matrix_of(rows: Rows, columns: int | None = None) -> IntegerMatrix:
    width = (len(rows[0]) if rows else 0) if columns is None else columns
    entries = [(i, j, int(v)) for i, row in enumerate(rows) for j, v in enumerate(row) if v]
    return IntegerMatrix.from_entries(
        (len(rows), width),
        np.array([i for i, _, _ in entries], dtype=np.int64),
        np.array([j for _, j, _ in entries], dtype=np.int64),
        array([v for _, _, v in entries]),
    )


def eliminated(rows: Sequence[Sequence[F | int]]) -> tuple[int, list[list[F]]]:
    """Rank and reduced row echelon form, in fractions."""
    work = [[F(v) for v in row] for row in rows]
    rank = 0
    for j in range(len(work[0]) if work else 0):
        pivot = next((i for i in range(rank, len(work)) if work[i][j]), None)
        if pivot is None:
            continue
        work[rank], work[pivot] = work[pivot], work[rank]
        head = work[rank][j]
        work[rank] = [v / head for v in work[rank]]
        for i, row in enumerate(work):
            if i != rank and row[j]:
                factor = row[j]
                work[i] = [v - factor * w for v, w in zip(row, work[rank], strict=True)]
        rank += 1
    return rank, work


def rank_of(rows: Rows) -> int:
    return eliminated(rows)[0]


def solved(rows: Rows, b: Sequence[int]) -> list[F]:
    """The solution of a nonsingular system, in fractions."""
    rank, work = eliminated([[*row, rhs] for row, rhs in zip(rows, b, strict=True)])
    assert rank == len(rows)
    return [row[-1] for row in work]


def random_rows(rng: random.Random, n: int, density: float, largest: int) -> list[list[int]]:
    return [[rng.randint(-largest, largest) if rng.random() < density else 0 for _ in range(n)] for _ in range(n)]


def check_factors(rows: Rows, rng: random.Random, small_limit: int, largest: int) -> None:
    n = len(rows)
    factors = factorize(matrix_of(rows), go_on, small_limit=small_limit)
    for b in (
        [rng.randint(-largest, largest) for _ in range(n)],
        [int(i == 0) for i in range(n)],
        [0] * n,
    ):
        for transposed in (False, True):
            system = [list(column) for column in zip(*rows, strict=True)] if transposed else rows
            solution, denominator = (factors.solve_transposed if transposed else factors.solve)(array(b))
            assert denominator > 0
            assert isinstance(denominator, int)
            numerators = solution.tolist()
            assert all(type(v) is int for v in numerators)
            for row, rhs in zip(system, b, strict=True):
                assert sum(v * x for v, x in zip(row, numerators, strict=True)) == rhs * denominator


# -- sparse matrices -----------------------------------------------------------------------------


@pytest.mark.parametrize("largest", [3, 10**40])
def test_matrices_are_what_they_hold(largest: int) -> None:
    rng = random.Random(largest)
    for _ in range(30):
        m, n = rng.randint(1, 7), rng.randint(1, 7)
        rows = [[rng.choice((0, 0, rng.randint(-largest, largest))) for _ in range(n)] for _ in range(m)]
        a = matrix_of(rows)
        z, y = ([rng.randint(-largest, largest) for _ in range(k)] for k in (n, m))
        assert a.dot(array(z)).tolist() == [sum(v * w for v, w in zip(row, z, strict=True)) for row in rows]
        assert a.transposed_dot(array(y)).tolist() == [sum(rows[i][j] * y[i] for i in range(m)) for j in range(n)]
        assert a.transposed.dot(array(y)).tolist() == a.transposed_dot(array(y)).tolist()
        for i in range(m):
            columns, values = a.row_entries(i)
            present = {j: v for j, v in enumerate(rows[i]) if v}
            assert dict(zip(columns.tolist(), values.tolist(), strict=True)) == present
        for j in range(n):
            at, values = a.column_entries(j)
            assert dict(zip(at.tolist(), values.tolist(), strict=True)) == {
                i: row[j] for i, row in enumerate(rows) if row[j]
            }
        some_rows, some_columns = rng.sample(range(m), rng.randint(1, m)), rng.sample(range(n), rng.randint(1, n))
        part = a.submatrix(np.array(some_rows), np.array(some_columns))
        unit = np.eye(len(some_columns), dtype=np.int64)
        assert [part.dot(column).tolist() for column in unit] == [[rows[i][j] for i in some_rows] for j in some_columns]


def test_products_do_not_overflow() -> None:
    a = matrix_of([[2**61, 2**61, 2**61, 2**61]])
    assert a.dot(np.full(4, 2**61)).tolist() == [4 * 2**122]
    assert a.transposed_dot(np.array([-(2**61)])).tolist() == [-(2**122)] * 4


# -- exact solves --------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize("small_limit", [0, 150])
@pytest.mark.parametrize("largest", [1, 9, 2**31, 2**61, 10**40])
def test_solutions_equal_those_in_fractions(small_limit: int, largest: int) -> None:
    rng = random.Random(largest)
    tried = 0
    while tried < 15:
        n = rng.randint(1, 9)
        rows = random_rows(rng, n, rng.choice((0.3, 0.6, 1.0)), largest)
        if rank_of(rows) < n:
            continue
        tried += 1
        b = [rng.randint(-largest, largest) for _ in range(n)]
        numerator, denominator = factorize(matrix_of(rows), go_on, small_limit=small_limit).solve(array(b))
        assert [F(v, denominator) for v in numerator.tolist()] == solved(rows, b)
        check_factors(rows, rng, small_limit, largest)


@pytest.mark.parametrize(("n", "largest"), [(60, 1), (160, 2), (200, 10**12), (60, 10**40), (400, 1)])
def test_larger_sparse_systems(n: int, largest: int) -> None:
    rng = random.Random(n)
    rows = random_rows(rng, n, 2.5 / n, largest)
    for i, row in enumerate(rows):  # diagonally dominant up to a permutation of rows: nonsingular
        row[i] = 1 + sum(abs(v) for v in row)
    rng.shuffle(rows)
    check_factors(rows, rng, 0, largest)


@pytest.mark.parametrize("small_limit", [0, 150])
def test_tiny_systems(small_limit: int) -> None:
    factors = factorize(matrix_of([]), go_on, small_limit=small_limit)
    for solve in (factors.solve, factors.solve_transposed):
        solution, denominator = solve(np.zeros(0, dtype=np.int64))
        assert (len(solution), denominator) == (0, 1)
    for value in (1, -1, 7, -PRIMES[0], PRIMES[0], PRIMES[0] * PRIMES[1], -(10**40), 2**61 - 1):
        factors = factorize(matrix_of([[value]]), go_on, small_limit=small_limit)
        for b in (0, 1, -3, 10**50):
            solution, denominator = factors.solve(array([b]))
            assert denominator > 0
            assert F(solution.tolist()[0], denominator) == F(b, value)


@pytest.mark.parametrize("small_limit", [0, 150])
@pytest.mark.parametrize(
    "value", [prod(PRIMES[:3]), prod(PRIMES), (2**61 - 1) * (2**89 - 1)], ids=["three", "eight", "dense"]
)
def test_a_determinant_full_of_our_primes_is_not_zero(small_limit: int, value: int) -> None:
    for rows in ([[value]], [[value - 1, -1], [1, 1]]):
        check_factors(rows, random.Random(1), small_limit, 5)


@pytest.mark.parametrize("small_limit", [0, 150])
def test_structural_singularity(small_limit: int) -> None:
    for rows, defect in (
        ([[0]], 1),
        ([[0, 0], [0, 0]], 2),
        ([[1, 2], [0, 0]], 1),
        ([[1, 0], [2, 0]], 1),
        ([[1, 2, 3], [0, 0, 4], [0, 0, 5]], 1),  # no perfect matching
        ([[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 3, 1], [1, 1, 1, 1]], 1),
    ):
        with pytest.raises(SingularMatrixError) as caught:
            factorize(matrix_of(rows), go_on, small_limit=small_limit)
        assert len(caught.value.rows) == len(caught.value.columns) == defect == len(rows) - rank_of(rows)
        check_named_rows_and_columns(rows, caught.value)


def check_named_rows_and_columns(rows: Rows, singular: SingularMatrixError) -> None:
    """Without them what is left is square, nonsingular and of full rank."""
    left = [
        [v for j, v in enumerate(row) if j not in set(singular.columns.tolist())]
        for i, row in enumerate(rows)
        if i not in set(singular.rows.tolist())
    ]
    assert len(left) == rank_of(rows)
    assert rank_of(left) == len(left)


@pytest.mark.parametrize("small_limit", [0, 150])
@pytest.mark.parametrize("largest", [1, 6, 10**40])
def test_numerical_singularity(small_limit: int, largest: int) -> None:
    rng = random.Random(largest)
    for _ in range(25):
        n, rank = rng.randint(2, 9), rng.randint(1, 8)
        rank = min(rank, n - 1)
        left = [[rng.randint(-largest, largest) for _ in range(rank)] for _ in range(n)]
        right = [[rng.choice((0, rng.randint(-3, 3))) for _ in range(n)] for _ in range(rank)]
        rows = [[sum(row[k] * right[k][j] for k in range(rank)) for j in range(n)] for row in left]
        with pytest.raises(SingularMatrixError) as caught:
            factorize(matrix_of(rows), go_on, small_limit=small_limit)
        check_named_rows_and_columns(rows, caught.value)


def test_a_check_that_raises_stops_the_work() -> None:
    rng = random.Random(3)
    rows = random_rows(rng, 200, 0.02, 5)
    for i in range(200):
        rows[i][i] = 17

    def stop() -> None:
        raise LimitReached("now")

    with pytest.raises(LimitReached):
        factorize(matrix_of(rows), stop)
    calls = []

    def stop_later() -> None:
        calls.append(1)
        if len(calls) > 3:
            raise LimitReached("later")

    factors = factorize(matrix_of(rows), stop_later, small_limit=0)
    with pytest.raises(LimitReached):
        factors.solve(np.ones(200, dtype=np.int64))


# -- the exact simplex method --------------------------------------------------------------------


def program_of(
    rows: Rows, rhs: Sequence[int], cost: Sequence[int], equality: Sequence[bool] = (), free: Sequence[bool] = ()
) -> Program:
    m, n = len(rows), len(cost)
    return Program(
        matrices=(matrix_of(rows, n),),
        rhs=array(rhs)[np.newaxis],
        cost=array(cost)[np.newaxis],
        equality=np.array(equality or [False] * m, dtype=np.bool_),
        free=np.array(free or [False] * n, dtype=np.bool_),
        row_exponent=np.zeros(m, dtype=np.int64),
        column_exponent=np.zeros(n, dtype=np.int64),
    )


def check_optimal(program: Program, vertex: BasicSolution, rows: Rows) -> F:
    """Prove feasibility, dual feasibility and equal objectives, in fractions and by hand."""
    n, m = program.num_columns, program.num_rows
    values = [F(v, vertex.value_denominator) for v in vertex.value.tolist()]
    z, slack = values[:n], values[n:]
    reduced = [F(v, vertex.reduced_denominator) for v in vertex.reduced.tolist()]
    y = [-v for v in reduced[n:]]
    rhs, cost = program.rhs[0].tolist(), program.cost[0].tolist()
    for j in range(n):
        assert program.free[j] or z[j] >= 0
        price = cost[j] - sum((rows[i][j] * y[i] for i in range(m)), F(0))
        assert price == reduced[j]
        assert price == 0 if program.free[j] else price <= 0
        assert price * z[j] == 0
    for i in range(m):
        assert sum((v * w for v, w in zip(rows[i], z, strict=True)), F(0)) + slack[i] == rhs[i]
        assert slack[i] == 0 if program.equality[i] else slack[i] >= 0
        assert program.equality[i] or y[i] >= 0
    objective = sum((c * v for c, v in zip(cost, z, strict=True)), F(0))
    assert objective == sum((b * w for b, w in zip(rhs, y, strict=True)), F(0)) == vertex.objective
    assert vertex.optimal
    assert int(vertex.basic.sum()) == m
    return objective


def scipy_answer(program: Program, rows: Rows) -> Any:
    dense = np.array(rows, dtype=np.float64).reshape(program.num_rows, program.num_columns)
    eq, rhs = program.equality, program.rhs[0].astype(np.float64)
    return linprog(
        -program.cost[0].astype(np.float64),
        dense[~eq] if (~eq).any() else None,
        rhs[~eq] if (~eq).any() else None,
        dense[eq] if eq.any() else None,
        rhs[eq] if eq.any() else None,
        [(None, None) if f else (0, None) for f in program.free],
    )


@pytest.mark.sample(4)
@pytest.mark.parametrize("block", range(10))
def test_random_programs_from_random_bases(block: int) -> None:
    """Feasible or not, bounded or not, started from bases that are infeasible, not optimal or singular."""
    rng = random.Random(block)
    outcomes = {"optimal": 0, "refused": 0}
    for k in range(60):
        m, n = rng.randint(1, 8), rng.randint(1, 8)
        rows = [[rng.choice((0, rng.randint(-3, 3))) for _ in range(n)] for _ in range(m)]
        friendly = k % 2 == 0  # bounded by a budget, feasible at some point
        point = [rng.randint(0, 3) for _ in range(n)]
        equality = [rng.random() < 0.3 for _ in range(m)]
        free = [not friendly and rng.random() < 0.3 for _ in range(n)]
        if friendly:
            rhs = [sum(v * w for v, w in zip(row, point, strict=True)) + (not e) * rng.randint(0, 2)
                   for row, e in zip(rows, equality, strict=True)]  # fmt: skip
            rows.append([1] * n)
            rhs.append(sum(point) + rng.randint(0, 3))
            equality.append(False)
        else:
            rhs = [rng.randint(-4, 8) for _ in range(m)]
        cost = [rng.randint(-5, 5) for _ in range(n)]
        program = program_of(rows, rhs, cost, equality, free)
        basis = np.array(sorted(rng.sample(range(n + len(rows)), len(rows))), dtype=np.int64)
        reference = scipy_answer(program, rows)
        try:
            vertex, _ = optimize(program, basis, go_on, small_limit=0 if k % 3 == 0 else 150)
        except SolverError:
            outcomes["refused"] += 1
            assert not friendly
            assert reference.status in (2, 3, 4)
            continue
        outcomes["optimal"] += 1
        assert reference.status == 0
        assert float(check_optimal(program, vertex, rows)) == pytest.approx(-reference.fun, abs=1e-7)
    assert outcomes["optimal"] >= 30


@pytest.mark.parametrize("block", range(3))
def test_updates_are_the_solutions_of_their_bases(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numbers are long a pivot updates values and reduced costs; here all are taken for long."""
    compared = 0
    update = BasicSolution._updated

    def checked(self: BasicSolution, basic: Any, entering: int, leaving: int) -> BasicSolution:
        nonlocal compared
        updated = update(self, basic, entering, leaving)
        afresh = BasicSolution.of(self.program, basic, go_on).priced(self.cost, self.cost_denominator)
        for ours, theirs in (
            (
                zip(updated.values, updated.value_denominators, strict=True),
                zip(afresh.values, afresh.value_denominators, strict=True),
            ),
            (
                zip(updated.reduced_costs, updated.reduced_denominators, strict=True),
                zip(afresh.reduced_costs, afresh.reduced_denominators, strict=True),
            ),
        ):
            for (a, d), (b, e) in zip(ours, theirs, strict=True):
                assert d > 0
                assert [F(x, d) for x in a.tolist()] == [F(y, e) for y in b.tolist()]
        compared += 1
        return updated

    monkeypatch.setattr(BasicSolution, "_updated", checked)
    monkeypatch.setattr("tremble.exact.pivots.LONG_BITS", 0)
    monkeypatch.setattr("tremble.integers.LONG_BITS", 0)
    test_random_programs_from_random_bases(block)
    assert compared > 100


def test_random_programs_with_huge_numbers() -> None:
    rng = random.Random(9)
    for k in range(40):
        m, n = rng.randint(1, 6), rng.randint(1, 6)
        scale = [10 ** rng.choice((0, 9, 21, 40)) for _ in range(n)]
        rows = [[rng.randint(-3, 3) * s for s in scale] for _ in range(m)]
        rows.append([rng.randint(1, 3) * s for s in scale])
        rhs = [rng.randint(0, 10**20) for _ in range(m + 1)]
        cost = [rng.randint(-5, 5) * s for s in scale]
        program = program_of(rows, rhs, cost)
        basis = np.array(sorted(rng.sample(range(n + m + 1), m + 1)), dtype=np.int64)
        vertex, _ = optimize(program, basis, go_on, small_limit=150 * (k % 2))
        check_optimal(program, vertex, rows)


@pytest.mark.parametrize("rows_and_columns", [(0, 2), (2, 0), (0, 0)])
def test_programs_without_rows_or_columns(rows_and_columns: tuple[int, int]) -> None:
    m, n = rows_and_columns
    program = program_of([[0] * n] * m, [3] * m, [-1] * n)
    vertex, pivots = optimize(program, np.arange(n, n + m), go_on)
    assert (vertex.objective, pivots) == (0, 0)
    if n:
        with pytest.raises(SolverError, match="unbounded"):
            optimize(program_of([[0] * n] * m, [3] * m, [1] * n), np.arange(n, n + m), go_on)
    if m:
        with pytest.raises(SolverError, match="infeasible"):
            optimize(program_of([[0] * n] * m, [-3] * m, [1] * n), np.arange(n, n + m), go_on)


def test_infeasible_and_unbounded_are_told_apart() -> None:
    infeasible = program_of([[1, 1], [-1, -1]], [1, -2], [1, 0])
    with pytest.raises(SolverError, match="infeasible"):
        optimize(infeasible, np.array([2, 3]), go_on)
    unbounded = program_of([[1, -1]], [1], [1, 0])
    with pytest.raises(SolverError, match="unbounded"):
        optimize(unbounded, np.array([2]), go_on)


# Cycling under the textbook rule: Beale 1955, Kuhn (in Balinski & Tucker 1969), Chvátal 1983; numbers multiplied by
# a common denominator.
CYCLING: dict[str, tuple[Rows, list[int], list[int], F]] = {
    "Beale": (
        [[25, -6000, -4, 900], [50, -9000, -2, 300], [0, 0, 1, 0]],
        [0, 0, 1],
        [75, -15000, 2, -600],
        F(5),
    ),
    "Kuhn": (
        [[-2, -9, 1, 9], [1, 3, -1, -6], [2, 3, -1, -12]],
        [0, 0, 2],
        [2, 3, -1, -12],
        F(2),
    ),
    "Chvátal": (
        [[1, -11, -5, 18], [1, -3, -1, 2], [1, 0, 0, 0]],
        [0, 0, 1],
        [10, -57, -9, -24],
        F(1),
    ),
    "Chvátal, in a simplex": (
        [[1, -11, -5, 18], [1, -3, -1, 2], [1, 1, 1, 1]],
        [0, 0, 1],
        [10, -57, -9, -24],
        F(1, 2),
    ),
}


def by_bland(bland: bool) -> dict[str, Any]:
    return {"rule": lambda: ViolationRule(random.Random(0), 0, long_stall=-1)} if bland else {}


@pytest.mark.parametrize("bland", [False, True])
@pytest.mark.parametrize("name", CYCLING)
def test_famous_cycles_end(name: str, bland: bool) -> None:
    rows, rhs, cost, value = CYCLING[name]
    program = program_of(rows, rhs, cost)
    vertex, pivots = optimize(program, np.arange(len(cost), len(cost) + len(rows)), go_on, **by_bland(bland))
    reference = scipy_answer(program, rows)
    assert float(check_optimal(program, vertex, rows)) == pytest.approx(-reference.fun, abs=1e-9)
    assert pivots < 50
    assert vertex.objective == value


@pytest.mark.parametrize("bland", [False, True])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_assignment_problems(n: int, bland: bool) -> None:
    """2n equations of rank 2n - 1 in n^2 unknowns: a redundant row, and degenerate everywhere."""
    rng = random.Random(n)
    for _ in range(6):
        worth = [[rng.randint(0, 9) for _ in range(n)] for _ in range(n)]
        rows = [[int(k // n == i) for k in range(n * n)] for i in range(n)]
        rows += [[int(k % n == j) for k in range(n * n)] for j in range(n)]
        program = program_of(rows, [1] * (2 * n), [v for row in worth for v in row], [True] * (2 * n))
        basis = np.array(sorted(rng.sample(range(n * n + 2 * n), 2 * n)))
        vertex, _ = optimize(program, basis, go_on, **by_bland(bland))
        i, j = linear_sum_assignment(worth, maximize=True)
        assert check_optimal(program, vertex, rows) == sum(np.array(worth)[i, j].tolist())


def test_logicals_of_equations_can_be_dismissed() -> None:
    """Assignments without the redundant row: where one is 0, others take its place, and the optimum stays."""
    rng, n, stayed = random.Random(1), 4, 0
    for _ in range(40):
        worth = [rng.randint(0, 3) for _ in range(n * n)]
        rows = [[int(k // n == i) for k in range(n * n)] for i in range(n)]
        rows += [[int(k % n == j) for k in range(n * n)] for j in range(n - 1)]
        program = program_of(rows, [1] * len(rows), worth, [True] * len(rows))
        basis = np.array(sorted(rng.sample(range(n * n + len(rows)), len(rows))))
        vertex, _ = optimize(program, basis, go_on)
        dismissed, more = optimize(program, np.flatnonzero(vertex.basic), go_on, idle=False)
        assert check_optimal(program, dismissed, rows) == vertex.objective
        assert dismissed.value.tolist() == vertex.value.tolist()
        assert not dismissed.idle.size
        assert more == vertex.idle.size
        stayed += bool(more)
    assert stayed > 3


@pytest.mark.parametrize("n", [3, 6, 9])
def test_klee_minty_cubes(n: int) -> None:
    rows = [[2 * 10 ** (i - j) if j < i else int(i == j) for j in range(n)] for i in range(n)]
    program = program_of(rows, [100**i for i in range(n)], [10 ** (n - 1 - j) for j in range(n)])
    vertex, _ = optimize(program, np.arange(n, 2 * n), go_on)
    assert check_optimal(program, vertex, rows) == 100 ** (n - 1)


def test_max_pivots_and_check_are_heard() -> None:
    n = 8
    rows = [[2 * 10 ** (i - j) if j < i else int(i == j) for j in range(n)] for i in range(n)]
    program = program_of(rows, [100**i for i in range(n)], [10 ** (n - 1 - j) for j in range(n)])
    start = np.arange(n, 2 * n)
    vertex, pivots = optimize(program, start, go_on, max_pivots=0)
    assert (pivots, vertex.optimal) == (0, False)
    assert vertex.objective == 0

    def stop() -> None:
        raise LimitReached("now")

    with pytest.raises(LimitReached):
        optimize(program, start, stop)


def test_an_optimal_basis_costs_no_pivot() -> None:
    rng = random.Random(4)
    for _ in range(30):
        m, n = rng.randint(1, 6), rng.randint(1, 6)
        rows = [[rng.randint(0, 4) for _ in range(n)] for _ in range(m)] + [[1] * n]
        program = program_of(rows, [rng.randint(0, 9) for _ in range(m + 1)], [rng.randint(-3, 5) for _ in range(n)])
        vertex, _ = optimize(program, np.arange(n, n + m + 1), go_on)
        again, pivots = optimize(program, np.flatnonzero(vertex.basic), go_on)
        assert pivots == 0
        assert again.objective == vertex.objective


# -- floats --------------------------------------------------------------------------------------


def test_float_bases_are_optimal_or_nearly() -> None:
    rng = random.Random(11)
    for _ in range(40):
        m, n = rng.randint(1, 8), rng.randint(1, 8)
        rows = [[rng.randint(-3, 4) for _ in range(n)] for _ in range(m)] + [[1] * n]
        program = program_of(rows, [rng.randint(0, 9) for _ in range(m)] + [20], [rng.randint(-3, 5) for _ in range(n)])
        found = solve_float(program, go_on)
        assert found.optimal
        assert len(found.basis) == program.num_rows
        assert (np.diff(found.basis) > 0).all()
        vertex, pivots = optimize(program, found.basis, go_on)
        assert pivots == 0
        assert float(check_optimal(program, vertex, rows)) == pytest.approx(
            float(program.cost[0] @ found.value), abs=1e-6
        )
        again = solve_float(program, go_on, start=found.basis, tolerance=1e-10)
        assert again.iterations == 0


def test_units_do_not_change_the_optimum() -> None:
    rows, rhs, cost = [[10**12, 1], [1, 10**12]], [10**12, 10**12], [10**12, 1]
    plain = program_of(rows, rhs, cost)
    scaled = replace(plain, row_exponent=np.array([-40, -40]), column_exponent=np.array([3, -7]))
    for program in (plain, scaled):
        vertex, _ = optimize(program, solve_float(program, go_on).basis, go_on)
        check_optimal(program, vertex, rows)
    first, second = (optimize(p, np.array([2, 3]), go_on)[0].objective for p in (plain, scaled))
    assert first == second


@pytest.mark.parametrize("density", [0.05, 0.2, 0.9])
def test_elimination_leaves_out_what_makes_a_matrix_singular(density: float) -> None:
    from flint import fmpq, fmpq_mat

    rng = random.Random(density)
    singular = 0
    for _ in range(60):
        n = rng.randint(1, 14)
        rows = [[rng.randint(-3, 3) if rng.random() < density + 1 / n else 0 for _ in range(n)] for _ in range(n)]
        found = Elimination(matrix_of(rows), fmpq, fmpq_mat)
        rank = fmpq_mat(n, n, [value for row in rows for value in row]).rank()
        assert len(found.spare_rows) == len(found.spare_columns) == n - rank
        kept_rows = [i for i in range(n) if i not in found.spare_rows]
        kept_columns = [j for j in range(n) if j not in found.spare_columns]
        left = fmpq_mat(rank, rank, [rows[i][j] for i in kept_rows for j in kept_columns])
        assert left.rank() == rank
        singular += rank < n
    assert 0 < singular < 60

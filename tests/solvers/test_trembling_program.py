"""Trembling linear programs of people's own: limit solutions, refusals, and proofs that can fail."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest

import tremble
from tremble.errors import GameError, LimitReached, SolverError, SpecError
from tremble.solvers.trembling_program import TremblingProgram, TremblingSolution, solve_trembling


def _at(polynomial: Any, point: F) -> F:
    return sum((c * point**k for k, c in enumerate(polynomial)), F(0))


def _solve(matrix: list[list[F]], rhs: list[F]) -> list[F] | None:
    """Gauss-Jordan elimination; None if the matrix is singular."""
    rows = [[*row, b] for row, b in zip(matrix, rhs, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def _standard(program: TremblingProgram, point: F) -> tuple[list[list[F]], list[F], list[F]]:
    """Equations with columns that are not negative: free ones in two parts, a slack for each inequality."""
    columns = [[_at(row[j], point) for row in program.matrix] for j in range(len(program.maximize))]
    cost = [_at(c, point) for c in program.maximize]
    for j in program.free:
        columns.append([-value for value in columns[j]])
        cost.append(-cost[j])
    for i, sense in enumerate(program.senses):
        if sense != "=":
            columns.append([F((1 if sense == "<=" else -1) * (i == k)) for k in range(len(program.senses))])
            cost.append(F(0))
    return columns, [_at(b, point) for b in program.rhs], cost


def _brute_force(program: TremblingProgram, point: F) -> F | str:
    """The optimal value at a number, over all bases; each row gets two columns of its own, so that there are some.

    Infeasible: the least that these columns must be is not 0. Unbounded: the dual is infeasible.
    """
    columns, rhs, cost = _standard(program, point)
    m = len(rhs)
    units = [[F(s * (i == k)) for k in range(m)] for i in range(m) for s in (1, -1)]
    everything = columns + units
    violation, best = None, None
    for basis in itertools.combinations(range(len(everything)), m):
        matrix = [[everything[j][i] for j in basis] for i in range(m)]
        x = _solve(matrix, rhs)
        if x is None or min(x, default=F(0)) < 0:
            continue
        here = sum((value for j, value in zip(basis, x, strict=True) if j >= len(columns)), F(0))
        violation = here if violation is None else min(violation, here)
        if here == 0:
            earned = sum((cost[j] * value for j, value in zip(basis, x, strict=True) if j < len(columns)), F(0))
            best = earned if best is None else max(best, earned)
            prices = _solve(
                [[everything[j][i] for i in range(m)] for j in basis],
                [cost[j] if j < len(columns) else F(0) for j in basis],
            )
            assert prices is not None
            if not any(j >= len(columns) for j in basis) and all(
                sum(a * y for a, y in zip(column, prices, strict=True)) >= c
                for column, c in zip(columns, cost, strict=True)
            ):
                return earned
    return "infeasible" if violation else "unbounded or degenerate"


def _least_sum(program: TremblingProgram, point: F, best: F) -> F:
    """The least sum of absolute values among the vertices that earn that much at a number."""
    columns, rhs, cost = _standard(program, point)
    m, many = len(rhs), len(program.maximize) + len(program.free)
    units = [[F(s * (i == k)) for k in range(m)] for i in range(m) for s in (1, -1)]
    everything, sums = columns + units, []
    for basis in itertools.combinations(range(len(everything)), m):
        x = _solve([[everything[j][i] for j in basis] for i in range(m)], rhs)
        if x is None or min(x, default=F(0)) < 0 or any(x[k] for k, j in enumerate(basis) if j >= len(columns)):
            continue
        if sum((cost[j] * value for j, value in zip(basis, x, strict=True) if j < len(columns)), F(0)) == best:
            sums.append(sum((value for j, value in zip(basis, x, strict=True) if j < many), F(0)))
    return min(sums)


def _random_program(rng: random.Random) -> TremblingProgram:
    n, m = rng.randint(1, 3), rng.randint(1, 3)

    def coefficient() -> Any:
        return [rng.choice((0, 0, 1, -1, 2, F(1, 2))) for _ in range(rng.choice((1, 1, 2, 3)))]

    return TremblingProgram(
        maximize=[coefficient() for _ in range(n)],
        matrix=[[coefficient() for _ in range(n)] for _ in range(m)],
        senses=[rng.choice(("<=", "<=", ">=", "=")) for _ in range(m)],
        rhs=[coefficient() for _ in range(m)],
        free=[j for j in range(n) if rng.random() < 0.2],
    )


@pytest.mark.sample(50)
@pytest.mark.parametrize("seed", range(150))
def test_random_programs_agree_with_all_bases(seed: int) -> None:
    program = _random_program(random.Random(seed))
    point = F(1, 10**6)
    expected = _brute_force(program, point)
    try:
        solution = solve_trembling(program)
    except SolverError as refused:
        said = str(refused)
        if "infeasible" in said:
            assert expected == "infeasible"
        elif "unbounded" in said:
            assert expected == "unbounded or degenerate"
        else:
            assert "no limit" in said
            assert isinstance(expected, F)
            assert _least_sum(program, point, expected) > 1_000
        return
    assert solution.faults() == []
    x = solution.at(point)
    earned = sum((_at(c, point) * value for c, value in zip(program.maximize, x, strict=True)), F(0))
    if expected != "unbounded or degenerate":  # all optimal bases may have a column of a row that depends on others
        assert earned == expected
    assert all(abs(limit - value) <= F(1, 10**3) for limit, value in zip(solution.values, x, strict=True))


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (([0, 0], [[[0, 1], 1]], [">="], [1]), (0, 1)),
        (([0, 0], [[1, [0, 1]]], [">="], [1]), (1, 0)),
        (([[0, -1], [-1]], [[[0, 1], 1]], [">="], [1]), (0, 1)),
        (([0, 0], [[[0, 1], -1]], ["="], [1], [0, 1]), (0, -1)),
        (([0, 0, 0], [[[0, 1], 1, 0], [0, [0, 1], 1]], ["=", "="], [1, 1]), (0, 1, 1)),
    ],
)
def test_of_several_optima_one_with_a_limit_is_found(arguments: Any, values: tuple[int, ...]) -> None:
    solution = solve_trembling(TremblingProgram(*arguments))
    assert solution.values == values
    assert solution.faults() == []


def test_more_row_operations_than_calls_may_be_nested() -> None:
    program = TremblingProgram([1], [[[0] * 1_100 + [1]]], ["<="], [[0] * 1_099 + [5]])
    with pytest.raises(LimitReached):
        solve_trembling(program, time_limit=3)


def test_what_trembles_chooses() -> None:
    for tremble_of_cost, chosen in (([1, -1], (1, 0)), ([1, 1], (0, 1))):
        program = tremble.TremblingProgram([1, tremble_of_cost], [[1, 1]], ["<="], [1])
        assert tremble.solve_trembling(program).values == chosen


def test_a_row_that_vanishes_at_zero_decides() -> None:
    """e x <= e y, which says nothing at 0."""
    program = TremblingProgram([1, 0], [[[0, 1], [0, -1]], [1, 1]], ["<=", "<="], [0, 1])
    assert solve_trembling(program).values == (F(1, 2), F(1, 2))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[0, 0, -1], -1], [[[0, 1], 1]], [">="], [1]), "no limit: column 0 grows like 1/e"),
        (([1], [[1], [1]], ["<=", ">="], [1, [1, 1]]), "infeasible for all small e > 0"),
        (([1], [[1]], [">="], [1]), "unbounded for all small e > 0"),
        (([[0, 1]], [[[0, 0, 1]]], ["<="], [[1]]), "no limit: column 0 grows like 1/e^2"),
    ],
)
def test_refusals_say_why(arguments: Any, said: str) -> None:
    with pytest.raises(SolverError) as refused:
        solve_trembling(TremblingProgram(*arguments))
    assert said in str(refused.value)


def test_feasible_at_small_numbers_only() -> None:
    """At 1/2 and above the rows contradict each other, and so they do at 0 for the other one."""
    assert solve_trembling(TremblingProgram([1], [[1], [1]], ["<=", ">="], [1, [0, 1000000]])).values == (1,)
    with pytest.raises(SolverError, match="infeasible"):
        solve_trembling(TremblingProgram([1], [[1]], ["<="], [[0, 0, -1]]))


def test_forged_solutions_are_told() -> None:
    program = TremblingProgram([[1, 2], 1], [[1, [1, 1]], [[2, -1], 1]], ["<=", "<="], [1, [1, 3]])
    true = solve_trembling(program)
    assert true.faults() == []
    rng = random.Random(1)
    told = 0
    for _ in range(200):
        name = rng.choice(("numerators", "multipliers", "denominator"))
        functions = [list(each) for each in ([true.denominator] if name == "denominator" else getattr(true, name))]
        where = rng.choice(functions)
        where.append(F(0))
        where[rng.randrange(len(where))] += rng.choice((F(1), F(-1), F(1, 10**30)))
        changed = tuple(map(tuple, functions))
        forged: TremblingSolution = replace(true, **{name: changed[0] if name == "denominator" else changed})
        told += bool(forged.faults())
    assert told == 200
    assert replace(true, denominator=tuple(-c for c in true.denominator)).faults()


def test_of_a_game() -> None:
    """Matching pennies where heads has a cost that trembles: player 1's maxmin plan."""
    program = TremblingProgram(
        maximize=[0, 0, 1],
        matrix=[[1, 1, 0], [[1, -1], -1, -1], [[-1, -1], 1, -1]],
        senses=["=", ">=", ">="],
        rhs=[1, 0, 0],
        free=[2],
    )
    solution = solve_trembling(program)
    assert solution.values == (F(1, 2), F(1, 2), 0)
    assert solution.at("1/10")[2] == F(-1, 20)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([1], [[1, 2]], ["<="], [1]), SpecError, "matrix[0] has 2 coefficients, but maximize has 1"),
        (([1], [[1]], ["<"], [1]), SpecError, "senses[0] is '<'"),
        (([1], [[1]], ["<="], [1, 2]), SpecError, "rhs has 2 entries"),
        (([0.5], [[1]], ["<="], [1]), GameError, "maximize[0] 0.5 is a float"),
        (([1], [[1]], ["<="], [1], [1]), SpecError, "'free' contains 1"),
        (([1], [[1]], ["<="], [1], [True]), SpecError, "'free' contains True"),
        ((3, [[1]], ["<="], [1]), SpecError, "maximize must be a sequence, not 3"),
        (([1], [["x"]], ["<="], [1]), GameError, "matrix[0][0]"),
    ],
)
def test_bad_programs_are_told(arguments: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        TremblingProgram(*arguments)
    assert said in str(caught.value)


def test_limits_and_what_is_none() -> None:
    with pytest.raises(SpecError, match="not a TremblingProgram"):
        solve_trembling("program")  # type: ignore[arg-type]
    rng = random.Random(3)
    n = 25
    large = TremblingProgram(
        [[rng.randint(-9, 9) for _ in range(3)] for _ in range(n)],
        [[[rng.randint(1, 99) for _ in range(3)] for _ in range(n)] for _ in range(n)],
        ["<="] * n,
        [1] * n,
    )
    with pytest.raises(LimitReached):
        solve_trembling(large, time_limit=0.001)

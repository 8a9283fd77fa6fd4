"""The published algorithms for refinements: they agree, and what they rely on holds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from hostile_games import RECIPES, hostile_game
from tremble import GameTree
from tremble.errors import LimitReached, SolverError
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import IntegerMatrix, Program
from tremble.exact.small_number import at_bits, at_fraction, degrees
from tremble.run.clock import Clock
from tremble.solution.trembles import Trembles
from tremble.solvers import published
from tremble.solvers.method import Run
from tremble.solvers.perfect import PerfectProgram
from tremble.solvers.published import ALGORITHMS, halving, safe_number, stable_basis, symbolic_simplex
from tremble.solvers.published_method import PublishedRefinement
from tremble.solvers.refine import TremblingNashProgram
from tremble.solvers.table import METHODS, choose, solvable
from tremble.solvers.zero_sum import NashProgram, solve_nash
from tremble.status import Status
from tremble.strategies import SequenceForm

PUBLISHED_METHODS = tuple(name for name, method in METHODS.items() if issubclass(method, PublishedRefinement))

methods = pytest.mark.parametrize("method", PUBLISHED_METHODS)


def go_on() -> None:
    """A check that never stops anything."""


UNLIMITED = Run(Clock(None))


def quasi_perfect_program(tree: GameTree) -> Program:
    return TremblingNashProgram.of(NashProgram.of(SequenceForm.of(tree)), Trembles.uniform(tree)).program


def perfect_program(tree: GameTree) -> Program:
    return PerfectProgram.of(NashProgram.of(SequenceForm.of(tree)), Trembles.uniform(tree)).program


def slack_basis(program: Program) -> np.ndarray[Any, Any]:
    return np.arange(program.num_rows) + program.num_columns


def entries(program: Program) -> dict[tuple[int, int], int]:
    matrix = program.matrix
    return dict(
        zip(zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), strict=True), matrix.value.tolist(), strict=True)
    )


# -- results -------------------------------------------------------------------------------------


@methods
@pytest.mark.parametrize("game", ["kuhn", "kuhn_raise", "guess_the_ace:gift=true", "safe_or_risky"])
def test_they_agree_with_ours(game: str, method: str) -> None:
    tree = tremble.load(game)
    solution = tremble.solve(tree, "quasi-perfect", method)
    assert solution.status is Status.CERTIFIED
    assert solution.concept == "quasi-perfect"
    assert solution.method.name == method
    assert solution.value == tremble.solve(tree, "quasi-perfect").value
    assert tremble.verify(tree, solution).ok
    assert tremble.solve(tree, "sequential", method).beliefs is not None


@pytest.mark.sample(18)
@methods
@pytest.mark.parametrize("name", RECIPES)
def test_hostile_games(name: str, method: str) -> None:
    for seed in range(2):
        tree = hostile_game(name, seed, most=25)
        solution = tremble.solve(tree, "quasi-perfect", method)
        assert solution.status is Status.CERTIFIED, (seed, solution.stats)
        assert solution.value == tremble.solve(tree).value


@methods
def test_the_guess_that_must_be_made(method: str) -> None:
    solution = tremble.solve(tremble.load("guess_the_ace"), "quasi-perfect", method)
    assert solution.strategies[1].row(0) == [0, 1]


@methods
def test_weights(method: str) -> None:
    tree = tremble.load("kuhn")
    rng = random.Random(1)
    rows = [[[F(rng.randint(1, 9), 3) for _ in labels] for labels in sets] for sets in tree.actions]
    solution = tremble.solve(tree, "quasi-perfect", method, trembles=Trembles.from_rows(tree, rows))
    assert solution.status is Status.CERTIFIED


def test_only_when_asked_for() -> None:
    assert not {choose(tremble.load("kuhn"), concept)[0] for concept in solvable()} & set(PUBLISHED_METHODS)
    assert set(PUBLISHED_METHODS) == set(ALGORITHMS)
    for method in PUBLISHED_METHODS:
        assert "nash" not in METHODS[method].concepts()
        with pytest.raises(tremble.GameError, match=f"method {method} computes quasi-perfect"):
            tremble.solve(tremble.load("kuhn"), method=method)


@methods
def test_a_limit_leaves_a_nash_equilibrium(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(*_: Any) -> None:
        raise LimitReached("no more time")

    monkeypatch.setitem(ALGORITHMS, method, out_of_time)
    with pytest.raises(LimitReached, match="no more time; the result is proven to be a Nash") as caught:
        tremble.solve(tremble.load("kuhn"), "quasi-perfect", method)
    best = caught.value.best
    assert best is not None
    assert (best.concept, best.status, best.value) == ("nash", Status.CERTIFIED, F(-1, 18))


@pytest.mark.parametrize("method", ["symbolic-simplex", "npp"])
def test_the_clock_is_heard(method: str) -> None:
    tree = tremble.load("leduc")
    tremble.solve(tree)  # compiles
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "quasi-perfect", method, time_limit=1.5)
    assert caught.value.best is not None
    assert caught.value.best.concept == "nash"


# -- halving -------------------------------------------------------------------------------------


def test_halving_counts_what_it_does() -> None:
    stats = tremble.solve(tremble.load("leduc"), "quasi-perfect", "halving").stats
    halvings = F(1, 10) / F(stats["refinement_epsilon"])
    assert halvings.denominator == 1
    assert halvings.numerator.bit_count() == 1
    programs = stats["refinement_float_programs"] + stats["refinement_exact_programs"]
    assert programs == halvings.numerator.bit_length() + 1  # and the first, at 0
    assert stats["refinement_float_programs"] <= 6  # 1/10, ..., 1/320


def test_halving_needs_no_float_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SolverError("no basis")

    monkeypatch.setattr(published, "solve_float", fail)
    solution = tremble.solve(tremble.load("kuhn_raise"), "quasi-perfect", "halving")
    assert solution.status is Status.CERTIFIED
    assert solution.stats["refinement_epsilon"] == "1/640"


@pytest.mark.parametrize("concept", ["quasi-perfect", "perfect"])
def test_npp_starts_from_the_nash_basis_and_says_its_number(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[np.ndarray[Any, Any]] = []
    numbers: list[tuple[Program, int]] = []
    at = at_bits

    def spied(plain: Program, basis: np.ndarray[Any, Any], *rest: Any, **options: Any) -> Any:
        starts.append(basis)
        return optimize(plain, basis, *rest, **options)

    def noted(program: Program, bits: int) -> Program:
        numbers.append((program, bits))
        return at(program, bits)

    def watched(program: Program, nash_basis: np.ndarray[Any, Any], oracle: Any, run: Run) -> Any:
        starts.clear()
        numbers.clear()
        monkeypatch.setattr(published, "optimize", spied)
        monkeypatch.setattr(published, "at_bits", noted)
        try:
            found, stats = published.tiny_number(program, nash_basis, oracle, run)
        finally:
            monkeypatch.undo()
        assert starts[0].tolist() == nash_basis.tolist()
        assert nash_basis.tolist() != slack_basis(program).tolist()
        ((_, bits),) = numbers
        assert safe_number(program) / 2 <= F(1, 2**bits) <= safe_number(program)
        assert stats["epsilon_bits"] == bits
        return found, stats

    monkeypatch.setitem(ALGORITHMS, "npp", watched)
    stats = tremble.solve(tremble.load("kuhn"), concept, "npp").stats
    assert stats["refinement_epsilon_bits"] == {"quasi-perfect": 38, "perfect": 32}[concept]


@pytest.mark.parametrize("game", ["kuhn", "safe_or_risky", "guess_the_ace"])
@pytest.mark.parametrize("algorithm", ["halving", "npp"])
def test_matrices_that_tremble(algorithm: str, game: str) -> None:
    nash = solve_nash(tremble.load(game), UNLIMITED)
    perfect = PerfectProgram.of(nash.program, Trembles.uniform(nash.tree))
    program = perfect.program
    plain, _ = optimize(program.at_zero, slack_basis(program), go_on)
    basis, found, _ = stable_basis(ALGORITHMS[algorithm], perfect, nash.vertex, UNLIMITED)
    assert found.stable
    assert len(basis) == program.num_rows
    at_zero = -found.values.first  # position of the coefficient of order 0
    numerators, denominator = found.values.coefficients[at_zero], found.values.denominators[at_zero]
    products = zip(program.cost[0].tolist(), numerators[: program.num_columns].tolist(), strict=True)
    assert F(sum(c * v for c, v in products), denominator) == plain.objective


def test_symbolic_simplex_wants_a_constant_matrix() -> None:
    program = perfect_program(tremble.load("kuhn"))
    with pytest.raises(SolverError, match="does not depend on the infinitesimal"):
        symbolic_simplex(program, slack_basis(program), lambda _: None, UNLIMITED)


# -- symbolic simplex ----------------------------------------------------------------------------


def programs() -> Iterator[Program]:
    for name in ("plain", "chance", "degenerate", "constant sum", "fractions", "huge payoffs"):
        yield quasi_perfect_program(hostile_game(name, 5, most=25))


def test_its_optimum_is_the_polynomial_of_the_other_simplex_method() -> None:
    for program in programs():
        found, stats = symbolic_simplex(
            program, slack_basis(program), lambda basis, p=program: optimize(p, basis, go_on)[0], UNLIMITED
        )
        other, _ = optimize(program, slack_basis(program), go_on)
        assert found.objectives == other.objectives
        assert 0 < stats["phase_1_pivots"] <= stats["exact_pivots"]


def test_an_infeasible_program_is_refused() -> None:
    program = quasi_perfect_program(tremble.load("kuhn"))
    program.rhs[0, 0] = -1  # a sum of probabilities
    with pytest.raises(SolverError, match="not stable"):
        symbolic_simplex(program, slack_basis(program), lambda _: None, UNLIMITED)


# -- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [quasi_perfect_program, perfect_program])
@pytest.mark.parametrize("epsilon", [F(1, 8), F(3, 7), F(2, 10**30 + 1)])
def test_programs_at_numbers(make: Any, epsilon: F) -> None:
    program: Program = make(tremble.load("kuhn_raise"))
    plain = at_fraction(program, epsilon)
    scale, column_scale = ([epsilon.denominator**degree for degree in side.tolist()] for side in degrees(program))
    expected: dict[tuple[int, int], F] = {}
    for k in range(len(program.matrices)):
        matrix = program.matrices[k]
        for i, j, v in zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), matrix.value.tolist(), strict=True):
            expected[i, j] = expected.get((i, j), F(0)) + v * epsilon**k * scale[i] * column_scale[j]
    assert entries(plain) == {place: v for place, v in expected.items() if v}
    rhs = sum(level * epsilon**k for k, level in enumerate(program.rhs))
    assert plain.rhs[0].tolist() == [v * s for v, s in zip(rhs.tolist(), scale, strict=True)]
    top = epsilon.denominator ** (len(program.cost) - 1)
    cost = sum(level * epsilon**k for k, level in enumerate(program.cost))
    assert plain.cost[0].tolist() == [v * top * s for v, s in zip(cost.tolist(), column_scale, strict=True)]
    if epsilon == F(1, 8):
        shifted = at_bits(program, 3)
        assert entries(shifted) == entries(plain)
        assert shifted.rhs.tolist() == plain.rhs.tolist()
        assert shifted.row_exponent.tolist() == plain.row_exponent.tolist()


def random_bases(program: Program, count: int) -> Iterator[np.ndarray[Any, Any]]:
    """Bases on the way of exact pivots from random guesses: neither optimal nor feasible in general."""
    rng = random.Random(count)
    size = program.num_columns + program.num_rows
    for _ in range(count):
        guess = np.array(sorted(rng.sample(range(size), program.num_rows)))
        vertex, _ = optimize(program.at_zero, guess, go_on, max_pivots=rng.randrange(4))
        yield np.flatnonzero(vertex.basic)


def signs_at(program: Program, epsilon: F, basis: np.ndarray[Any, Any]) -> tuple[list[int], list[int]]:
    plain = at_fraction(program, epsilon)
    basic = np.zeros(plain.num_columns + plain.num_rows, dtype=np.bool_)
    basic[basis] = True
    vertex = BasicSolution.of(plain, basic, go_on)
    return [int(np.sign(v)) for v in vertex.value], [int(np.sign(v)) for v in vertex.reduced]


@pytest.mark.parametrize("make", [quasi_perfect_program, perfect_program])
@pytest.mark.parametrize("game", ["kuhn", "guess_the_ace:gift=true", "hostile"])
def test_no_sign_changes_below_the_safe_number(make: Any, game: str) -> None:
    program = make(hostile_game("chance", 3, most=25) if game == "hostile" else tremble.load(game))
    safe = safe_number(program)
    for basis in random_bases(program, 12):
        at_safe = signs_at(program, safe, basis)
        for smaller in (safe / 3, safe**2):
            assert signs_at(program, smaller, basis) == at_safe


def test_the_safe_number_is_tight_where_roots_are() -> None:
    """z <= 1 - 1000 e: the sign of the only basic solution changes at 1/1000."""
    one = np.array([1])
    program = Program(
        matrices=(IntegerMatrix.from_entries((1, 1), np.array([0]), np.array([0]), one),),
        rhs=np.array([[1], [-1000]]),
        cost=np.array([[1]]),
        equality=np.array([False]),
        free=np.array([False]),
        row_exponent=np.array([0]),
        column_exponent=np.array([0]),
    )
    assert F(1, 5000) < safe_number(program) < F(1, 1000)
    assert halving(program, np.array([0]), lambda basis: basis, UNLIMITED)[1]["epsilon"] == "0"

"""What is out of place at a small number is magnified until nothing is."""

from __future__ import annotations

import numpy as np
import pytest

import tremble
from tremble.exact.asymptotic import InfinitesimalProgram
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import optimize
from tremble.exact.program import Program
from tremble.exact.small_number import at_bits
from tremble.exact.stability import check_stability
from tremble.exact.zoom import _factor, zoomed_basis
from tremble.game.sequence_form import SequenceForm
from tremble.solution.trembles import Trembles
from tremble.solvers.method import nobody_listens
from tremble.solvers.perfect import PerfectProgram
from tremble.solvers.zero_sum import NashProgram


def _nothing() -> None:
    return None


def _program(spec: str) -> Program:
    tree = tremble.load(spec)
    return PerfectProgram.of(NashProgram.of(SequenceForm.of(tree)), Trembles.uniform(tree)).program


@pytest.mark.parametrize("spec", ["kuhn", "goofspiel:cards=3", "leduc"])
def test_a_careless_basis_becomes_stable(spec: str) -> None:
    """From a basis whose columns are out of place by more than a float solver would leave them."""
    program = _program(spec)
    basis = solve_float(at_bits(program, 10), _nothing, tolerance=1e-3).basis
    seen: list[int] = []
    for bits in (13, 16):
        basis, iterations, left = zoomed_basis(InfinitesimalProgram(program, 8, _nothing), basis, bits, seen.append)
        assert left == 0
        assert iterations >= 0
    assert check_stability(program, basis, _nothing).stable
    exact, pivots = optimize(at_bits(program, 16), basis, _nothing)
    assert (exact.optimal, pivots) == (True, 0)


def test_what_is_out_of_place_is_counted() -> None:
    program = _program("leduc")
    basis = solve_float(at_bits(program, 10), _nothing, tolerance=1e-3).basis
    seen: list[int] = []
    zoomed_basis(InfinitesimalProgram(program, 8, _nothing), basis, 16, seen.append)
    assert seen[0] > 0
    assert seen[-1] == 0
    exact, _ = optimize(at_bits(program, 16), basis, _nothing, max_pivots=0)
    wrong = len(exact.primal_violations) + len(exact.dual_violations)
    assert seen[0] == wrong


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["goofspiel:cards=4", "border_patrol:depth=5"])
def test_large_programs_are_magnified(spec: str) -> None:
    """No pivot at an infinitesimal is left to make, where there were thirty."""
    solution = tremble.solve(tremble.load(spec), "perfect")
    assert solution.stats["refinement_asymptotic_pivots"] == 0


def test_factors_stay_finite() -> None:
    """Weights of trembles may have hundreds of digits, so that violations may be as small as floats can be."""
    for worst in (5e-324, 1e-200, 1.0, 1e300):
        assert 0 < _factor(worst, 1.0) < 1e300
    assert _factor(0.0, 7.0) == 7.0


def test_it_hears_a_limit() -> None:
    program = _program("leduc")
    basis = solve_float(at_bits(program, 10), _nothing, tolerance=1e-3).basis

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        zoomed_basis(InfinitesimalProgram(program, 8, stop), basis, 16, nobody_listens)
    assert np.all(np.diff(basis) > 0)

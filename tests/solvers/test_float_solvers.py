"""The float solvers that a program may be given to: each leads to proven equilibria, and listens."""

from __future__ import annotations

import threading
import time
from typing import Any

import highspy
import pytest

import tremble
from tremble.errors import LimitReached, SpecError
from tremble.exact import highs
from tremble.exact.program import FLOAT_SOLVERS
from tremble.game.sequence_form import SequenceForm
from tremble.solvers.zero_sum import NashProgram
from tremble.status import Status


def _nothing() -> None:
    pass


@pytest.mark.sample(27)
@pytest.mark.parametrize("solver", FLOAT_SOLVERS)
@pytest.mark.parametrize("concept", ["nash", "quasi-perfect", "sequential", "perfect", "maxmin"])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "goofspiel:cards=3", "random_tree:branching=2,depth=5"])
def test_each_solver_leads_to_a_proven_equilibrium(game: str, concept: str, solver: str) -> None:
    tree = tremble.load(game)
    solution = tremble.solve(tree, concept, "lp", lp_solver=solver)
    assert (solution.status, solution.concept) == (Status.CERTIFIED, concept)
    assert solution.value == tremble.solve(tree, method="lp").value


def test_what_is_asked_for_is_recorded() -> None:
    tree = tremble.load("kuhn")
    assert tremble.solve(tree, method="lp", lp_solver="race").method.options == {"lp_solver": "race"}
    assert tremble.solve(tree, method="lp", lp_solver="auto").method.options == {}
    with pytest.raises(
        SpecError, match="unknown lp_solver 'barrier'; choose from: auto, simplex, interior-point, race"
    ):
        tremble.solve(tree, method="lp", lp_solver="barrier")


def test_rows_and_entries_in_each_decide() -> None:
    few = tremble.matrix_game([[i * j % 7 for j in range(300)] for i in range(300)])
    trees = few, tremble.load("goofspiel:cards=3"), tremble.load("leduc:ranks=13")
    programs = [NashProgram.of(SequenceForm.of(tree)).program for tree in trees]
    assert [highs.float_solver(program, "auto") for program in programs] == ["simplex", "simplex", "interior-point"]
    assert highs.float_solver(programs[-1], "simplex") == "simplex"


@pytest.mark.parametrize("first", ["simplex", "ipx"])
def test_who_is_first_cancels_the_other(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one, which works only after it has been cancelled, ends without a basis."""
    run, cancel, cancelled = highspy.Highs.run, highspy.Highs.cancelSolve, threading.Event()

    def late(solver: highspy.Highs) -> object:
        assert solver.getOptionValue("solver")[1] == first or cancelled.wait(60)
        return run(solver)

    def cancelling(solver: highspy.Highs) -> None:
        cancel(solver)
        cancelled.set()

    monkeypatch.setattr(highspy.Highs, "run", late)
    monkeypatch.setattr(highspy.Highs, "cancelSolve", cancelling)
    program = NashProgram.of(SequenceForm.of(tremble.load("leduc"))).program
    found = highs.solve_float(program, _nothing, solver="race")
    assert cancelled.is_set()
    assert found.optimal
    monkeypatch.undo()
    alone = {"simplex": "simplex", "ipx": "interior-point"}[first]
    assert found.iterations == highs.solve_float(program, _nothing, solver=alone).iterations


def test_the_loser_of_a_race_ends() -> None:
    program = NashProgram.of(SequenceForm.of(tremble.load("leduc:ranks=9"))).program
    before = threading.active_count()
    found = highs.solve_float(program, _nothing, solver="race")
    assert found.optimal
    assert len(found.basis) == program.num_rows
    end = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() == before


@pytest.mark.parametrize("solver", ["interior-point", "race"])
def test_an_interrupt_is_heard(solver: str) -> None:
    program = NashProgram.of(SequenceForm.of(tremble.load("leduc:ranks=13"))).program

    def interrupt() -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        highs.solve_float(program, interrupt, solver=solver)
    end = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() == before


@pytest.mark.parametrize("concept", ["nash", "quasi-perfect", "perfect"])
def test_a_limit_in_the_first_program_leaves_bounds(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: Any, check: Any = None, **__: Any) -> None:
        raise LimitReached("stopped by the time limit")

    tree = tremble.load("leduc")
    value = tremble.solve(tree).value
    monkeypatch.setattr("tremble.exact.highs.solve_float", endless)
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, concept, "lp")
    best = caught.value.best
    assert best is not None
    assert best.status is Status.BOUNDED
    assert best.bounds is not None
    lower, upper = best.bounds
    assert lower < value < upper


def test_a_stable_basis_from_moderate_trembles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a program that the interior point method is chosen for, the same road as of large ones."""
    monkeypatch.setattr(highs, "_ROWS", 0)
    monkeypatch.setattr(highs, "_PER_ROW", 0)
    monkeypatch.setattr("tremble.solvers.perfect._LARGE", 0)
    for game in ("kuhn", "leduc", "liars_dice:faces=2"):
        for concept in ("quasi-perfect", "sequential", "perfect"):
            tree = tremble.load(game)
            solution = tremble.solve(tree, concept, "lp")
            assert (solution.status, solution.concept) == (Status.CERTIFIED, concept)
            assert solution.value == tremble.solve(tree, method="lp", lp_solver="simplex").value

"""What solve() refuses, what it leaves behind when it is stopped, and what its arguments mean."""

from __future__ import annotations

import inspect
import signal
import threading
import time
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import chain, kuhn
from tremble import GameTree, LimitReached, Solution, TreeBuilder
from tremble.exact.draws import SEED, seeded
from tremble.run.clock import Clock
from tremble.solution.concepts import CONCEPTS
from tremble.solvers import runner
from tremble.solvers.lp import Lp
from tremble.solvers.table import METHODS, choose, solvable
from tremble.status import Status

STEPS = (
    "rows and columns that are alike", "linear program, floating point", "exact solution of the basis", "verification",
)  # fmt: skip


@pytest.fixture(scope="module")
def leduc9() -> GameTree:
    return tremble.load("leduc:ranks=9")


def attempt(tree: GameTree, **options: Any) -> tuple[Solution | None, LimitReached | None]:
    """A solution, or the limit that ended the work."""
    try:
        return tremble.solve(tree, **options), None
    except LimitReached as stop:
        return None, stop


def check_bounded(tree: GameTree, best: Solution | None) -> tuple[F, F]:
    """The best so far is complete, proven and honest; returns its bounds."""
    assert best is not None
    assert best.status is Status.BOUNDED
    assert best.bounds is not None
    assert best.bounds[0] <= best.bounds[1]
    verification = tremble.verify(tree, best)
    assert verification.ok, verification.problems
    assert verification.bounds == best.bounds
    assert best.value == tremble.expected_values(tree, best.strategies)[0]
    assert Solution.from_text(best.to_text()).to_text() == best.to_text()
    return best.bounds


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", ["", "minmax", "nash equilibria", "perfec", "\x00"])
def test_unknown_concepts(concept: str) -> None:
    for call in (lambda: tremble.solve(kuhn(), concept), lambda: choose(kuhn(), concept)):
        with pytest.raises(tremble.errors.SpecError, match="nash"):
            call()


@pytest.mark.parametrize("method", ["", "simplex", "gradient descent", "cfr++"])
def test_unknown_methods(method: str) -> None:
    with pytest.raises(tremble.errors.SpecError, match=r"auto.*lp"):
        tremble.solve(kuhn(), method=method)


def test_errors_are_value_errors_too() -> None:
    for wrong in ({"concept": "x"}, {"method": "x"}, {"time_limit": 0}):
        with pytest.raises(ValueError, match=r".") as caught:
            tremble.solve(kuhn(), **wrong)
        assert isinstance(caught.value, tremble.TrembleError)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), -float("inf"), 10**400, "1", True])
def test_time_limits_are_positive(limit: float) -> None:
    with pytest.raises(tremble.errors.SpecError, match="time limit"):
        tremble.solve(kuhn(), time_limit=limit)


def test_games_without_a_constant_sum() -> None:
    """They are what the method lemke is for, and chosen for it; the others say so, but for maxmin."""
    builder = TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(1, 1)
    builder.leaf(0, 3)
    tree = builder.finish()
    for method, entry in METHODS.items():
        for concept in entry.concepts():
            faultless = (
                tremble.strategies.Trembles.from_rows(tree, ["none", []]) if CONCEPTS[concept].one_sided else None
            )
            if method == "lemke":
                for name in (method, "auto"):
                    solution = tremble.solve(tree, concept, name, trembles=faultless)
                    assert (solution.method.name, solution.values) == ("lemke", (1, 1))
            elif concept == "maxmin":  # needs the player's own payoffs only
                assert tremble.solve(tree, concept, method).bounds[0] <= 1  # type: ignore[index]
            else:
                with pytest.raises(
                    tremble.NotZeroSumError, match=r"the leaf y; .*( the method lemke|tremble.all_equilibria)"
                ):
                    tremble.solve(tree, concept, method, trembles=faultless)


@pytest.mark.parametrize("forgetful", [0, 1])
def test_imperfect_recall_is_refused(forgetful: int) -> None:
    builder = TreeBuilder()
    builder.decision(forgetful, "first", ("x", "y"))
    for _ in range(2):
        builder.decision(forgetful, "second", ("x", "y"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    with pytest.raises(tremble.ImperfectRecallError, match=rf"player {forgetful + 1}.*information set 2 \('second'\)"):
        tremble.solve(builder.finish())
    with pytest.raises(tremble.ImperfectRecallError):
        tremble.solve(tremble.load("a_loss_counterexample"))


def test_tables_of_methods_and_concepts_agree() -> None:
    assert {concept for entry in METHODS.values() for concept in entry.concepts()} == {*CONCEPTS} - {"subgame-perfect"}
    for concept in solvable():
        name, reason = choose(kuhn(), concept)
        assert concept in METHODS[name].concepts()
        assert reason


def test_method_and_its_reason_are_reported() -> None:
    auto, named = tremble.solve(kuhn()), tremble.solve(kuhn(), method="lp")
    assert auto.method.name == named.method.name == "lp"
    assert auto.method.options["reason"] == choose(kuhn())[1]
    assert not named.method.options
    assert auto.version == tremble.__version__
    for key in ("rows", "columns", "exact_pivots", "total_seconds_float", "verify_seconds_float"):
        assert key in auto.stats


# -- time limits ---------------------------------------------------------------------------------


def test_a_tiny_limit_leaves_proven_bounds(leduc9: GameTree) -> None:
    with pytest.raises(LimitReached, match="stopped by the time limit") as caught:
        tremble.solve(leduc9, time_limit=0.05)
    assert not caught.value.interrupted
    assert isinstance(caught.value, tremble.SolverError)
    low, high = check_bounded(leduc9, caught.value.best)
    assert low < high


@pytest.mark.parametrize("limit", [1e-9, 1e-3, 0.02, 0.3])
def test_limits_at_every_stage(limit: float) -> None:
    """Wherever the limit strikes, what comes back is proven; and bounds hold the true value."""
    tree = tremble.load("leduc")
    value = tremble.solve(tree).value
    solution, stop = attempt(tree, time_limit=limit)
    if solution is not None:
        assert solution.value == value
    else:
        assert stop is not None
        best = check_bounded(tree, stop.best)
        assert best[0] <= value <= best[1]


def test_limits_beyond_need_change_nothing() -> None:
    for limit in (600, 600.0, float("inf")):
        solution = tremble.solve(kuhn(), time_limit=limit)
        assert (solution.status, solution.value) == (Status.CERTIFIED, F(-1, 18))


def test_the_rounded_float_profile_is_kept() -> None:
    """Stopped in the exact pivots, the float solver's profile is what remains, not uniform play."""
    from hostile_games import hostile_game

    tree = hostile_game("mixed payoffs", 3, depth=7, most=600, least=150, early=0.1, weights=(1, 3, 10**9))

    def stop(step: str, _fraction: float | None) -> None:
        if step == "exact pivots":
            raise LimitReached("enough")

    solution, stopped = attempt(tree, progress=stop)
    if stopped is not None:
        low, high = check_bounded(tree, stopped.best)
        uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
        assert high - low < tremble.nash_conv(tree, uniform)
    else:
        assert solution is not None
        assert solution.status is Status.CERTIFIED


def test_the_clock() -> None:
    Clock(None).check()
    clock = Clock(1e-6)
    time.sleep(0.001)
    assert clock.elapsed > 0
    with pytest.raises(LimitReached, match="time limit"):
        clock.check()


# -- gap -----------------------------------------------------------------------------------------


def test_a_gap_that_is_met_is_no_failure(leduc9: GameTree) -> None:
    solution = tremble.solve(leduc9, time_limit=0.01, gap=100)
    check_bounded(leduc9, solution)
    assert solution.bounds is not None
    assert 0 < solution.bounds[1] - solution.bounds[0] <= 100


def test_a_gap_that_is_missed_is_a_limit(leduc9: GameTree) -> None:
    for gap in (F(1, 10**6), 0, 1e-9):
        with pytest.raises(LimitReached) as caught:
            tremble.solve(leduc9, time_limit=0.01, gap=gap)
        check_bounded(leduc9, caught.value.best)


def test_the_gap_is_compared_exactly() -> None:
    """Uniform play in a game of one choice: bounds [1/3 ... ] known by hand, so the boundary can be hit."""
    builder = TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(F(1, 3), F(-1, 3))
    builder.leaf(0, 0)
    tree = builder.finish()
    gap = F(1, 3) - F(1, 6)  # best response 1/3; uniform play guarantees 1/6
    solution = tremble.solve(tree, time_limit=1e-9, gap=gap)
    assert solution.bounds == (F(1, 6), F(1, 3))
    with pytest.raises(LimitReached):
        tremble.solve(tree, time_limit=1e-9, gap=gap - F(1, 10**40))


def test_an_exact_method_ignores_the_gap() -> None:
    solution = tremble.solve(kuhn(), gap=100)
    assert (solution.status, solution.value) == (Status.CERTIFIED, F(-1, 18))


def test_an_interrupt_is_reported_even_if_the_gap_is_met() -> None:
    def interrupt(_step: str, _fraction: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(LimitReached) as caught:
        tremble.solve(kuhn(), progress=interrupt, gap=100)
    assert caught.value.interrupted


# -- Ctrl-C --------------------------------------------------------------------------------------


def test_steps_are_reported_in_order() -> None:
    seen: list[tuple[str, float | None]] = []
    tremble.solve(kuhn(), progress=lambda step, fraction: seen.append((step, fraction)))
    assert [step for step, _ in seen] == list(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_interrupts_at_every_step(step: str) -> None:
    def interrupt(reached: str, _fraction: float | None) -> None:
        if reached == step:
            raise KeyboardInterrupt

    tree = tremble.load("leduc")
    if step == "verification":  # all that is left is to prove it, which is done for what is left anyway
        assert tremble.solve(tree, progress=interrupt).status is Status.CERTIFIED
        return
    with pytest.raises(LimitReached, match="stopped by Ctrl-C") as caught:
        tremble.solve(tree, progress=interrupt)
    assert caught.value.interrupted
    assert caught.value.__cause__ is None
    check_bounded(tree, caught.value.best)


@contextmanager
def alarm(seconds: float) -> Iterator[Any]:
    """Calling what this yields raises KeyboardInterrupt in the main thread a little later, as Ctrl-C does."""

    def raise_it(_signal: int, frame: Any) -> None:
        while frame is not None and frame.f_code is not tremble.solve.__code__:
            frame = frame.f_back
        if frame is not None:  # else it came after the work was done
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        yield lambda: signal.setitimer(signal.ITIMER_REAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.sample(4)
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals here")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("delay", [0.001, 0.05])
def test_a_signal_while_it_works(leduc9: GameTree, step: str, delay: float) -> None:
    """Within HiGHS's thread, within the compiled kernels, within the verifier."""
    with alarm(delay) as arm:

        def start(reached: str, _fraction: float | None) -> None:
            if reached == step:
                arm()

        solution, stop = attempt(leduc9, progress=start)
    if stop is not None:
        assert stop.interrupted
        check_bounded(leduc9, stop.best)
    else:  # it was faster than the signal
        assert solution is not None
        assert solution.status is Status.CERTIFIED
        assert step != "linear program, floating point"


def test_no_threads_are_left_behind(leduc9: GameTree) -> None:
    before = set(threading.enumerate())  # such as those of clusters
    with pytest.raises(LimitReached):
        tremble.solve(leduc9, time_limit=0.05)
    more = set(threading.enumerate()) - before
    assert len(more) <= 1  # HiGHS in presolve may take its time; it is a daemon
    assert all(thread.daemon for thread in more)


def test_solving_works_after_an_interrupt(leduc9: GameTree) -> None:
    with pytest.raises(LimitReached):
        tremble.solve(leduc9, time_limit=0.2)
    assert tremble.solve(kuhn()).value == F(-1, 18)


# -- nothing wrong leaves as certified -----------------------------------------------------------


@pytest.mark.parametrize("wrong", ["strategies", "certificate"])
def test_a_method_that_lies_is_found_out(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Lp.run
    concept = "nash" if wrong == "strategies" else "quasi-perfect"

    def lie(self: Lp, game: GameTree, concept: str, run: Any) -> Any:
        claim = right(self, game, concept, run)
        if wrong == "strategies":
            uniform = tuple(tremble.BehaviorStrategy.uniform(game, player) for player in (0, 1))
            return replace(claim, strategies=uniform)
        weights = [[["1000"] * len(labels) for labels in side] for side in game.actions]
        return replace(claim, certificate={**claim.certificate, "trembles": weights})

    monkeypatch.setattr(Lp, "run", lie)
    words = "player 1 can gain" if wrong == "strategies" else "is played less than its tremble"
    with pytest.raises(tremble.NotProvenError, match=f"found no proven solution.*{words}") as caught:
        tremble.solve(kuhn(), concept)
    solution = caught.value.best
    assert isinstance(solution, Solution)
    assert solution.status is (Status.BOUNDED if wrong == "strategies" else Status.CERTIFIED)
    assert (solution.concept, solution.requested) == ("nash", concept)
    assert solution.stats["problems"]
    verification = tremble.verify(kuhn(), solution)
    assert verification.ok
    assert verification.bounds == solution.bounds
    assert solution.value == (F(-1, 18) if wrong == "certificate" else F(1, 8))


def test_the_game_is_not_changed() -> None:
    tree = tremble.load("leduc")
    digest, payoff = tree.digest, tree.payoff.copy()
    tremble.solve(tree)
    assert (tree.payoff == payoff).all()
    assert tremble.load("leduc").digest == digest


def test_deep_games() -> None:
    solution = tremble.solve(chain(3_000))
    assert (solution.status, solution.value) == (Status.CERTIFIED, F(0))


# -- the seed ------------------------------------------------------------------------------------


def plays(solution: Solution) -> list[Any]:
    return [list(strategy) for strategy in solution.strategies]


def test_a_call_without_a_seed_does_not_take_that_of_an_outer_call() -> None:
    seeds: dict[str, int] = {}
    with seeded(7):
        tremble.solve(tremble.load("kuhn"), progress=lambda step, _: seeds.__setitem__(step, SEED.get()))
    assert (seeds["linear program, floating point"], seeds["verification"]) == (0, 7)


def test_the_seconds_count_from_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = runner._chosen

    def slow(*arguments: Any) -> Any:
        time.sleep(0.3)
        return choose(*arguments)

    monkeypatch.setattr(runner, "_chosen", slow)
    for method in ("lp", "double-oracle"):
        assert tremble.solve(tremble.load("kuhn"), method=method).stats["total_seconds_float"] > 0.3


def test_the_seed_decides_between_equilibria() -> None:
    """Where there are several: other seeds lead to others, the same seed to the same one."""
    tree = tremble.load("random_tree:seed=3")
    found = [tremble.solve(tree, seed=seed) for seed in range(3)]
    assert {(s.value, str(s.status)) for s in found} == {(F(38141, 31014), "certified")}
    assert any(plays(found[0]) != plays(other) for other in found[1:])
    assert [s.method.options["seed"] for s in found] == [0, 1, 2]
    for seed, solution in enumerate(found):
        assert plays(tremble.solve(tree, seed=seed)) == plays(solution)
    unseeded = tremble.solve(tree)
    assert plays(unseeded) == plays(found[0])
    assert "seed" not in unseeded.method.options


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"progress": 3}, "'progress' must be a function"),
        ({"report": "log"}, "'report' must be a function"),
        ({"checkpoint": 3, "method": "double-oracle"}, "'checkpoint' must be the path"),
        ({"concept": np.array([1, 2])}, "unknown concept"),
        ({"method": "double-oracle", "policy": np.array([1, 2])}, "unknown policy"),
    ],
)
def test_what_is_of_another_kind_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(tremble.errors.SpecError, match=message):
        tremble.solve(tremble.load("kuhn"), **given)


@pytest.mark.parametrize("seed", [-1, 2**31, 0.5, "1", True])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(tremble.errors.SpecError, match="seed must be an integer from 0 to 2147483647"):
        tremble.solve(tremble.load("kuhn"), seed=seed)


# -- the game that is played ---------------------------------------------------------------------


def test_a_solution_knows_its_game() -> None:
    tree, rules = tremble.load("kuhn"), tremble.load_rules("kuhn")
    solution = tremble.solve(tree)
    assert solution.played is tree
    assert tremble.certify(tree, solution.strategies).played is tree
    assert tremble.solve(rules).played is rules
    assert all(member.played is tree for member in tremble.solve_several(tree, 2))
    with pytest.raises(tremble.NotProvenError) as failed:
        tremble.certify(tree, [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)])
    assert isinstance(failed.value.best, Solution)
    assert failed.value.best.played is tree


def test_a_file_does_not_know_its_game() -> None:
    solution = tremble.solve(tremble.load("kuhn"))
    text = solution.to_text()
    assert "played" not in text
    assert Solution.from_text(text).played is None
    assert replace(solution, played=None).to_text() == text


def test_what_a_type_checker_knows_of_solve_is_what_there_is() -> None:
    """The overloads differ in the kind of game and of strategies alone."""
    real = inspect.signature(tremble.solve).parameters.values()
    for overload in typing.get_overloads(tremble.solve):
        stated = inspect.signature(overload).parameters.values()
        assert [(p.name, p.kind, p.default) for p in stated] == [(p.name, p.kind, p.default) for p in real]

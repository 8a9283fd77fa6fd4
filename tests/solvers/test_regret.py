"""CFR, CFR+ and DCFR: by hand, against OpenSpiel's, and what their bounds and limits are worth."""

from __future__ import annotations

import _thread
import itertools
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import chain
from hostile_games import RECIPES, hostile_game
from tremble import BehaviorStrategy, GameTree, LimitReached, TreeBuilder
from tremble.run.clock import Clock
from tremble.solution.claim import Claim
from tremble.solvers import method as solvers
from tremble.solvers import regret
from tremble.solvers.regret import VARIANTS, RegretMinimizer, Variant, solve_regret
from tremble.strategies import SequenceForm

Profile = tuple[BehaviorStrategy, BehaviorStrategy]


def matrix_game(payoff: list[list[F | int]]) -> GameTree:
    """Player 2 moves without having seen what player 1 did."""
    builder = TreeBuilder()
    builder.decision(0, "one", [f"r{i}" for i in range(len(payoff))])
    for row in payoff:
        builder.decision(1, "two", [f"c{j}" for j in range(len(row))])
        for u in row:
            builder.leaf(u, -u)
    return builder.finish()


def minimised(tree: GameTree, variant: Variant, iterations: int) -> RegretMinimizer:
    minimizer = RegretMinimizer(SequenceForm.of(tree), variant)
    minimizer.run(iterations)
    return minimizer


def averages(tree: GameTree, variant: Variant, iterations: int) -> list[float]:
    """Average plans of both players without the empty sequences."""
    minimizer = minimised(tree, variant, iterations)
    return [p for player in (0, 1) for p in minimizer.average(player)[1:].tolist()]


class Run:
    """A run and all that it tells."""

    def __init__(
        self,
        tree: GameTree,
        variant: str,
        gap: F | float,
        limit: float | None = None,
        **hooks: Callable[..., None],
    ) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self.steps: list[str] = []
        self.kept: list[Callable[[], Profile]] = []
        self.claim: Claim | None = None
        self.stop: BaseException | None = None
        self._tree, self._variant, self._gap, self._limit = tree, variant, F(gap), limit
        self._hook = hooks.get("hook", lambda row: None)

    def __call__(self) -> Run:
        def report(row: Mapping[str, Any]) -> None:
            self.rows.append(row)
            self._hook(row)

        try:
            self.claim = solve_regret(
                VARIANTS[self._variant],
                self._tree,
                solvers.Run(
                    Clock(self._limit),
                    lambda step, fraction: self.steps.append(step),
                    self.kept.append,
                    report,
                    self._gap,
                ),
            )
        except (LimitReached, KeyboardInterrupt) as stop:
            self.stop = stop
        return self

    @property
    def strategies(self) -> Profile:
        assert self.claim is not None
        one, two = self.claim.strategies
        assert isinstance(one, BehaviorStrategy)
        assert isinstance(two, BehaviorStrategy)
        return one, two


def exact_bounds(tree: GameTree, strategies: Iterable[BehaviorStrategy]) -> tuple[F, F]:
    profile = list(strategies)
    upper, lower = (tremble.best_response(tree, profile, player)[0] for player in (0, 1))
    assert tree.constant_sum is not None
    assert isinstance(upper, F)
    assert isinstance(lower, F)
    return tree.constant_sum - lower, upper


# -- by hand -------------------------------------------------------------------------------------


# Payoffs (3, 0; 0, 1); all begin with even play, which is worth (3/2, 1/2) to the rows and -(3/2, 1/2) to the columns.
# CFR. Regrets after 1: rows (1/2, -1/2), columns (-1/2, 1/2), so 2 is (1, 0) against (0, 1): rows are worth (0, 1),
# columns -(3, 0); regrets rows (1/2, 1/2), columns (-7/2, 1/2); 3 is (1/2, 1/2) against (0, 1).
# CFR+. The columns see (1, 0) already in 1: -(3, 0), mean -3/2, regrets (0, 3/2). In 2 rows play (1, 0) and are worth
# (0, 1) against (0, 1): regrets (1/2, 1), next (1/3, 2/3); columns -(1, 2/3), regrets (0, 3/2). 3 is (1/3, 2/3)
# against (0, 1); the weights are 1, 2, 3.
# DCFR. As CFR+ up to 1. In 2 the rows' (1/2, -1/2) is halved before (0, 1) comes on top: (1/4, 3/4) is what 3 plays;
# the columns, (-3/2, 3/2) halved, meet it with values -(3/4, 3/4) and regrets (-3/4, 3/4); the weights are 1, 4, 9.
BY_HAND = {
    "cfr": {1: "1/2 1/2 1/2 1/2", 2: "3/4 1/4 1/4 3/4", 3: "2/3 1/3 1/6 5/6"},
    "cfr+": {1: "1/2 1/2 1/2 1/2", 2: "5/6 1/6 1/6 5/6", 3: "7/12 5/12 1/12 11/12"},
    "dcfr": {1: "1/2 1/2 1/2 1/2", 2: "9/10 1/10 1/10 9/10", 3: "27/56 29/56 1/28 27/28"},
}


@pytest.mark.parametrize("name", BY_HAND)
def test_first_iterations_by_hand(name: str) -> None:
    tree = matrix_game([[3, 0], [0, 1]])
    for iterations, expected in BY_HAND[name].items():
        found = averages(tree, VARIANTS[name], iterations)
        assert found == pytest.approx([float(F(p)) for p in expected.split()], abs=1e-15), iterations


def test_the_bounds_of_averages_by_hand() -> None:
    # After two iterations of CFR: (3/4, 1/4) guarantees min(9/4, 1/4), (1/4, 3/4) concedes max(3/4, 3/4).
    minimizer = minimised(matrix_game([[3, 0], [0, 1]]), VARIANTS["cfr"], 2)
    assert [bound * float(minimizer.unit) for bound in minimizer.bounds()] == [0.25, 0.75]


def test_own_moves_before_a_set_do_not_weigh_its_regrets_but_weigh_its_average() -> None:
    """Player 1 first stays or goes, then picks 1 or 0: where it goes it loses 2 more."""
    builder = TreeBuilder()
    builder.decision(0, "first", ("stay", "go"))
    builder.decision(0, "stayed", ("one", "nothing"))
    builder.leaf(1, -1)
    builder.leaf(0, 0)
    builder.decision(0, "gone", ("one", "nothing"))
    builder.leaf(-1, 1)
    builder.leaf(-2, 2)
    tree = builder.finish()
    # Iteration 1 plays evenly; from 2 on it stays and picks "one", and would pick "one" where it has gone.
    stay, go, one, nothing, gone_one, gone_nothing = minimised(tree, VARIANTS["cfr"], 3).average(0)[1:].tolist()
    assert [stay, go] == pytest.approx([5 / 6, 1 / 6])
    assert [one, nothing] == pytest.approx([3 / 4, 1 / 12])  # (1/4 + 1 + 1) / 3
    assert [gone_one, gone_nothing] == pytest.approx([1 / 12, 1 / 12])  # reached in iteration 1 only


@pytest.mark.parametrize("factor", [F(1, 10**30), F(7, 3), F(10**30), F(2) ** 2000])
@pytest.mark.parametrize("name", VARIANTS)
def test_units_of_payoff_change_nothing(name: str, factor: F) -> None:
    plain = matrix_game([[3, 0, 1], [0, 1, 2]])
    scaled = matrix_game([[factor * u for u in row] for row in ([3, 0, 1], [0, 1, 2])])
    assert averages(plain, VARIANTS[name], 20) == pytest.approx(averages(scaled, VARIANTS[name], 20), abs=1e-12)
    run = Run(scaled, name, factor / 10)()
    lower, upper = exact_bounds(scaled, run.strategies)
    assert 0 <= upper - lower <= factor / 10


def test_a_slice_is_as_good_as_many() -> None:
    tree = tremble.load("leduc")
    for variant in VARIANTS.values():
        at_once, in_parts = minimised(tree, variant, 30), minimised(tree, variant, 1)
        for count in (2, 7, 20):
            in_parts.run(count)
        for player in (0, 1):
            assert np.array_equal(at_once.average(player), in_parts.average(player))


# -- OpenSpiel -----------------------------------------------------------------------------------


def openspiel_average(make: Callable[[Any], Any], iterations: int) -> dict[str, list[float]]:
    """Information state -> probabilities of its actions in the average policy of one of OpenSpiel's solvers."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    solver = make(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    return {state: average.policy_for_key(state).tolist() for state in average.state_lookup}


def own_average(tree: GameTree, variant: Variant, iterations: int) -> dict[str, list[float]]:
    minimizer = minimised(tree, variant, iterations)
    found = {}
    for player in (0, 1):
        plan, start = minimizer.average(player), tree.slot_start[player] + 1
        for k, label in enumerate(tree.infoset_labels[player]):
            shares = plan[start[k] : start[k + 1]]
            found[label] = (shares / shares.sum()).tolist()
    return found


def published_cfr(game: Any) -> Any:
    from open_spiel.python.algorithms import cfr

    return cfr._CFRSolver(game, alternating_updates=False, linear_averaging=False, regret_matching_plus=False)


def alternating_cfr(game: Any) -> Any:
    from open_spiel.python.algorithms import cfr

    return cfr.CFRSolver(game)


def cfr_plus(game: Any) -> Any:
    from open_spiel.python.algorithms import cfr

    return cfr.CFRPlusSolver(game)


def discounted_cfr(game: Any) -> Any:
    from open_spiel.python.algorithms import discounted_cfr

    return discounted_cfr.DCFRSolver(game)


@pytest.mark.parametrize(
    ("variant", "theirs"),
    [
        (VARIANTS["cfr"], published_cfr),
        (replace(VARIANTS["cfr"], alternating=True), alternating_cfr),
        (VARIANTS["cfr+"], cfr_plus),
        (VARIANTS["dcfr"], discounted_cfr),
    ],
    ids=["cfr", "cfr, alternating", "cfr+", "dcfr"],
)
@pytest.mark.parametrize("iterations", [1, 2, 10, 50])
def test_agrees_with_openspiel_on_kuhn(variant: Variant, theirs: Callable[[Any], Any], iterations: int) -> None:
    expected = openspiel_average(theirs, iterations)
    found = own_average(tremble.load("openspiel:kuhn_poker"), variant, iterations)
    assert sorted(found) == sorted(expected)
    for state, row in expected.items():
        assert found[state] == pytest.approx(row, abs=1e-9), state


# -- convergence, exact bounds -------------------------------------------------------------------

GAMES = ["kuhn", "leduc:ranks=2,raises=1", "goofspiel:order=increasing", "double_oracle_example", "matching_pennies"]
RANDOM = [f"random_tree:seed={seed},chance=true" for seed in range(4)] + ["random_tree:seed=5,utilities=iid"]


@pytest.mark.sample(14)
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("spec", GAMES + RANDOM)
def test_bounds_bracket_the_value_and_meet_the_gap(spec: str, name: str) -> None:
    tree = tremble.load(spec)
    value = tremble.solve(tree).value
    size = max(F(1), abs(value))
    gap = size / 50 if name == "cfr" else size / 1000
    run = Run(tree, name, gap, limit=60)()
    lower, upper = exact_bounds(tree, run.strategies)
    assert lower <= value <= upper
    assert upper - lower <= gap
    for row in run.rows:
        assert row["lower_float"] <= value + F(1, 10**9)
        assert row["upper_float"] >= value - F(1, 10**9)


def test_general_constants_and_missing_players() -> None:
    builder = TreeBuilder()  # payoffs sum to 5; player 2 never moves
    builder.decision(0, "one", ("a", "b"))
    builder.leaf(2, 3)
    builder.leaf(F(5, 2), F(5, 2))
    run = Run(builder.finish(), "cfr+", F(1, 10**6))()
    assert run.strategies[0].probability(0, "b") >= 1 - F(2, 10**6)  # "a" costs 1/2
    builder = TreeBuilder()
    builder.leaf(1, 4)
    nothing = Run(builder.finish(), "dcfr", 0)()
    assert nothing.claim is not None
    assert nothing.claim.diagnostics["iterations"] == 1
    assert nothing.rows[0]["lower_float"] == nothing.rows[0]["upper_float"] == 1
    assert [len(strategy) for strategy in nothing.strategies] == [0, 0]


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ["cfr+", "dcfr"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_hostile_games(recipe: str, name: str) -> None:
    for seed in range(3):
        tree = hostile_game(recipe, seed)
        spread = F(int(tree.payoff[:, 0].max() - tree.payoff[:, 0].min()), tree.payoff_denominator)
        run = Run(tree, name, spread / 1000, limit=60)()
        lower, upper = exact_bounds(tree, run.strategies)
        assert lower <= tremble.solve(tree).value <= upper <= lower + spread / 1000, (recipe, seed)


def test_deep_trees() -> None:
    tree = chain(5000)
    run = Run(tree, "cfr+", F(1, 100), limit=60)()
    lower, upper = exact_bounds(tree, run.strategies)
    assert lower <= 0 <= upper <= lower + F(1, 100)


def test_an_exact_equilibrium_meets_a_gap_of_zero() -> None:
    run = Run(tremble.load("matching_pennies"), "cfr", 0)()
    assert tremble.nash_conv(tremble.load("matching_pennies"), run.strategies) == 0


def test_variants_at_equal_iterations_on_leduc() -> None:
    tree = tremble.load("leduc")
    gaps = {}
    for name, variant in VARIANTS.items():
        minimizer = minimised(tree, variant, 500)
        lower, upper = minimizer.bounds()
        gaps[name] = (upper - lower) * float(minimizer.unit)
    assert gaps["cfr+"] < gaps["cfr"] / 5
    assert gaps["dcfr"] < gaps["cfr"] / 5
    assert 0 < gaps["cfr+"] < 0.02


def test_leduc_to_a_small_gap() -> None:
    tree = tremble.load("leduc")
    value = tremble.solve(tree).value
    run = Run(tree, "cfr+", F(1, 10**4), limit=120)()
    lower, upper = exact_bounds(tree, run.strategies)
    assert lower <= value <= upper <= lower + F(1, 10**4)
    assert run.claim is not None
    assert run.claim.diagnostics["gap_float"] == pytest.approx(float(upper - lower), abs=1e-8)
    assert run.claim.diagnostics["iterations"] == run.rows[-1]["iteration"]


def test_runs_repeat_to_the_last_bit() -> None:
    """The schedule counts iterations, not seconds, so the same call gives the same file."""
    tree = tremble.load("leduc")
    one, other = (Run(tree, "dcfr", F(1, 100))() for _ in range(2))
    for a, b in zip(one.strategies, other.strategies, strict=True):
        assert list(a) == list(b)


# -- rounding ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["leduc", "random_tree:seed=3,depth=7"])
@pytest.mark.parametrize("bits", [2, 8, 40, 48])
def test_rounded_plans_are_plans(spec: str, bits: int) -> None:
    tree = tremble.load(spec)
    form = SequenceForm.of(tree)
    minimizer = minimised(tree, VARIANTS["cfr+"], 100)
    plans = minimizer.rounded(minimizer.totals(), bits)
    for player, plan in enumerate(plans):
        weight, start, parent = plan.weight, form.start[player], form.parent[player]
        assert weight[0] == plan.denominator == 2**bits
        assert (weight >= 0).all()
        assert np.array_equal(np.add.reduceat(weight, start[:-1]), weight[parent])
        exact = minimizer.average(player)
        depth = 8  # more own moves than any path has
        assert np.abs(weight / 2**bits - exact).max() <= depth * 2.0**-bits
        assert not weight[exact == 0].any()
    # What they guarantee, by the kernel's integers and by best responses in the tree.
    bounds = minimizer.exact_bounds(form, plans)
    assert bounds == exact_bounds(tree, [plan.to_behavior(tree) for plan in plans])
    behaviors = [plan.to_behavior(tree) for plan in plans]
    assert all(sum(row) == 1 for strategy in behaviors for row in strategy)
    assert all(not s.off_path.any() or not np.all(p.weight) for s, p in zip(behaviors, plans, strict=True))


def test_payoffs_too_long_for_64_bits_are_bounded_all_the_same() -> None:
    for scale in (F(10**14), F(10**30)):  # int64 entries whose sums do not fit; entries that do not fit
        tree = matrix_game([[3 * scale + 1, 0], [0, scale]])
        form = SequenceForm.of(tree)
        minimizer = minimised(tree, VARIANTS["cfr+"], 10)
        assert minimizer.exact_bounds(form, minimizer.rounded(minimizer.totals(), 40)) is None
        run = Run(tree, "cfr+", scale / 100)()
        lower, upper = exact_bounds(tree, run.strategies)
        assert lower <= tremble.solve(tree).value <= upper <= lower + scale / 100


# -- reports, limits -----------------------------------------------------------------------------


def test_reports() -> None:
    run = Run(tremble.load("kuhn"), "cfr+", F(1, 1000))()
    iterations = [row["iteration"] for row in run.rows]
    assert iterations[:7] == [1, 2, 4, 8, 16, 32, 64]
    assert all(b > a for a, b in itertools.pairwise(iterations))
    assert all(10 * (b - a) >= a - 9 for a, b in itertools.pairwise(iterations))
    seconds = [row["solve_seconds_float"] for row in run.rows]
    assert seconds == sorted(seconds)
    assert set(run.rows[0]) == {"iteration", "solve_seconds_float", "seconds_float", "lower_float", "upper_float"}
    assert all(0 <= row["seconds_float"] < row["solve_seconds_float"] for row in run.rows)
    assert run.steps[0] == "CFR+"
    assert len(run.steps) == 1 + len(run.rows)
    assert run.claim is not None
    assert run.claim.diagnostics["evaluations"] == len(run.rows)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_time_limit_leaves_the_best_profile(name: str) -> None:
    tree = tremble.load("leduc")
    Run(tree, name, 1)()  # compiled and loaded
    run = Run(tree, name, 0, limit=0.5)()
    assert isinstance(run.stop, LimitReached)
    assert len(run.kept) == len(run.rows)
    lower, upper = exact_bounds(tree, run.kept[-1]())
    assert lower <= tremble.solve(tree).value <= upper
    best = min(row["upper_float"] for row in run.rows) - max(row["lower_float"] for row in run.rows)
    assert float(upper - lower) == pytest.approx(best, abs=1e-7)  # of each player its best
    assert upper - lower < F(1, 4)


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """Processes in the background may be born without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_interrupts")
def test_an_interrupt_is_heard_and_leaves_the_best_profile() -> None:
    tree = tremble.load("leduc")

    def hook(row: Mapping[str, Any]) -> None:
        if row["iteration"] == 64:
            threading.Timer(0.3, _thread.interrupt_main).start()

    run = Run(tree, "cfr+", 0, limit=600, hook=hook)()
    assert isinstance(run.stop, KeyboardInterrupt)
    lower, upper = exact_bounds(tree, run.kept[0]())
    assert lower <= upper <= lower + F(1, 4)


def test_slices_stay_short() -> None:
    assert regret.next_slice(1, 5.0) == 1  # the first call compiles
    assert regret.next_slice(1, 1e-6) == 2
    assert regret.next_slice(1000, 0.01) == 2000
    assert regret.next_slice(1000, 0.2) == 500


def told_without_times(solution: tremble.Solution) -> str:
    stats = {name: fact for name, fact in solution.stats.items() if not name.endswith("seconds_float")}
    return replace(solution, stats=stats).to_text()


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(("spec", "iterations"), [("kuhn", 1), ("leduc", 150), ("leduc", 352)])
def test_so_many_iterations_and_a_run_that_goes_on_takes_the_same(
    name: str, spec: str, iterations: int, tmp_path: Path
) -> None:
    tree, file = tremble.load(spec), tmp_path / "run.checkpoint"
    form = SequenceForm.of(tree)
    rows: list[Mapping[str, Any]] = []
    whole = tremble.solve(tree, method=name, iterations=iterations, report=rows.append)
    assert (str(whole.status), whole.stats["iterations"], rows[-1]["iteration"]) == ("bounded", iterations, iterations)
    assert whole.stats["evaluations"] == len(rows)
    minimizer = minimised(tree, VARIANTS[name], iterations)
    plans = minimizer.rounded(minimizer.totals(), 48)
    assert whole.bounds == minimizer.exact_bounds(form, plans)
    for part in {min(some, iterations) for some in (1, 37, 110, iterations)}:  # 110 is where bounds are looked at
        file.unlink(missing_ok=True)
        tremble.solve(tree, method=name, iterations=part, checkpoint=file)
        gone_on = tremble.solve(tree, method=name, iterations=iterations, checkpoint=file)
        assert told_without_times(gone_on) == told_without_times(whole)
    if iterations > 1:
        with pytest.raises(tremble.errors.SpecError, match=f"has {iterations} iterations, more than the 1 "):
            tremble.solve(tree, method=name, iterations=1, checkpoint=file)


def test_a_gap_goes_before_a_number_of_iterations(tmp_path: Path) -> None:
    tree, file = tremble.load("leduc"), tmp_path / "run.checkpoint"
    whole = tremble.solve(tree, method="cfr+", gap=F(1, 10))
    both = tremble.solve(tree, method="cfr+", gap=F(1, 10), iterations=100_000)
    assert both.stats["iterations"] == whole.stats["iterations"] < 100
    tremble.solve(tree, method="cfr+", gap=F(1), checkpoint=file)
    gone_on = tremble.solve(tree, method="cfr+", gap=F(1, 10), checkpoint=file)
    assert told_without_times(gone_on) == told_without_times(whole)
    with pytest.raises(tremble.errors.SpecError, match="positive integer"):
        tremble.solve(tree, method="cfr+", iterations=0)
    with pytest.raises(tremble.errors.SpecError, match="double-oracle"):
        tremble.solve(tree, method="double-oracle", iterations=5)


def test_what_a_limit_leaves_is_not_worse_after_going_on(tmp_path: Path) -> None:
    """The best averages are in the checkpoint, with what they guarantee."""
    tree, file = tremble.load("leduc"), tmp_path / "run.checkpoint"
    tremble.solve(tree, method="cfr", iterations=300, checkpoint=file)
    view = regret._TreeView(VARIANTS["cfr"], tree, solvers.Run(Clock(None), checkpoint=file))
    lower, upper = exact_bounds(tree, view.profile())
    assert view.iterations == 300
    unit = view._minimizer.unit
    assert float(lower) == pytest.approx(view._best[0] * float(unit), abs=1e-9)
    assert float(upper) == pytest.approx(-view._best[1] * float(unit), abs=1e-9)


@pytest.mark.slow
def test_a_poker_of_a_million_nodes() -> None:
    tree = tremble.load("poker:bets=2,raises=4")
    run = Run(tree, "cfr+", F(6, 1000), limit=300)()
    lower, upper = exact_bounds(tree, run.strategies)
    assert lower <= F("-0.0970528346") <= upper <= lower + F(6, 1000)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr"])
def test_a_gap_of_nothing_needs_a_time_limit(method: str) -> None:
    tree = tremble.load("leduc")
    with pytest.raises(tremble.errors.SpecError, match="cannot reach a gap of 0"):
        tremble.solve(tree, method=method, gap=0)
    with pytest.raises(tremble.LimitReached):
        tremble.solve(tree, method=method, gap=0, time_limit=0.2)

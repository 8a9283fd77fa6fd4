"""The double oracle: the published example step by step, hostile games in every form, limits, checkpoints."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction as F
from functools import partialmethod
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import chain, random_game
from hostile_games import RECIPES, centipede, hostile_game
from rules_of_trees import FORMS, SEARCHED, TABULATED, Held, RulesOfTree, held
from tremble import GameTree, LimitReached, Solution, methods
from tremble.errors import FormatError, SolverError, SpecError
from tremble.game.rules import DefaultRule, UnbuiltGame
from tremble.game.sequence_form import SequenceForm
from tremble.games.kuhn import Kuhn
from tremble.games.parameters import parse_spec
from tremble.large import checkpoint as checkpoints
from tremble.large.loop import DoubleOracleRun
from tremble.large.oracle import Response
from tremble.large.restricted import RestrictedGame
from tremble.large.rules import RulesOracle
from tremble.large.sequences import Plan
from tremble.large.settings import POLICIES, SIZES, Policy, Settings, Sizes
from tremble.large.tree import TreeOracle
from tremble.run import clock
from tremble.run.clock import Clock
from tremble.status import Status

Row = Mapping[str, Any]
WAYS: tuple[tuple[Policy, float], ...] = tuple((policy, share) for policy in POLICIES for share in (0.0, 0.8))


def run_of(game: Held, settings: Settings, rows: list[Row] | None = None) -> DoubleOracleRun:
    report = (lambda row: None) if rows is None else rows.append
    return DoubleOracleRun(game.oracle, game.scale, settings, Clock(120), lambda step, fraction: None, report)


# -- the published example -----------------------------------------------------------------------


class Recorder:
    """An oracle that writes down what is compatible and what responds, sequences named by their own actions."""

    def __init__(self, game: Held) -> None:
        self._game = game
        self._oracle = game.oracle
        self.compatible: list[tuple[set[str], set[str]]] = []
        self.responses: list[tuple[int, set[str], float]] = []
        self.values: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._oracle, name)

    def names(self, player: int) -> dict[int, str]:
        known = self._oracle.players[player]
        if self._game.rules is None:
            labels: Any = self._game.tree.actions[player]
        else:
            labels = []
            for path in self._oracle.known()[player]["paths"]:
                h = self._game.rules.root()
                for i in path:
                    h = self._game.rules.child(h, i)
                labels.append(self._game.rules.actions(h))
        names = {0: ""}
        for k, (first, parent) in enumerate(zip(known.first.tolist(), known.parent.tolist(), strict=True)):
            names.update({first + a: names[parent] + label for a, label in enumerate(labels[k])})
        return names

    def allowed(self, player: int) -> set[str]:
        names = self.names(player)
        return {names[q] for q in np.flatnonzero(self._oracle.players[player].allowed).tolist()} - {""}

    def restricted(self) -> RestrictedGame:
        game: RestrictedGame = self._oracle.restricted()
        names = self.names(0), self.names(1)
        one, two = ({names[i][q] for q in game.sequences[i].tolist()} - {""} for i in (0, 1))
        self.compatible.append((one, two))
        return game

    def respond(self, player: int, plan: Plan) -> Response:
        response: Response = self._oracle.respond(player, plan)
        names = self.names(player)
        sequences = {names[q] for q in response.sequences.tolist()}
        self.responses.append((player, sequences, float(response.value)))
        return response


def recorded(spec: str, form: str) -> tuple[Recorder, list[Row], F | None]:
    recorder = Recorder(held(tremble.load(spec), form, seed=None))
    rows: list[Row] = []
    run = DoubleOracleRun(recorder, 2.0, Settings("both", 0.0), Clock(60), lambda step, fraction: None, rows.append)
    _, value = run.run()
    return recorder, rows, value


FIRST_THREE = [
    (0, {"A", "AD"}, 2.0),
    (1, {"y"}, 2.0),
    (0, {"B", "BH"}, 2.0),
    (1, {"y"}, 2.0),
    (0, {"B", "BH"}, 2.0),
    (1, {"x"}, 1.0),
]


EXAMPLE_FORMS = [form for form in FORMS if "any default" not in form]  # the example's default is the first action


@pytest.mark.parametrize("form", EXAMPLE_FORMS)
def test_worked_example(form: str) -> None:
    """Table 2 of the paper, iteration by iteration; its row 4 leaves AD out of A, AD, AF, which is allowed already."""
    recorder, rows, value = recorded("double_oracle_example", form)
    assert value == F(1, 2) == tremble.solve(tremble.load("double_oracle_example")).value
    assert recorder.compatible[:5] == [
        (set(), set()),
        ({"A"}, {"y"}),
        ({"A", "B", "BH"}, {"y"}),
        ({"A", "AD", "B", "BH"}, {"x", "y"}),
        ({"A", "AD", "AF", "B", "BH"}, {"x", "y"}),
    ]
    assert recorder.responses[:6] == FIRST_THREE
    player, sequences, earned = recorder.responses[6]
    assert (player, sequences) == (0, {"A", "AD", "AF"})
    assert earned == pytest.approx(5 / 7)
    # Player 2 is indifferent between x and y by now; both are allowed, so nothing new comes from it.
    player, sequences, earned = recorder.responses[7]
    assert player == 1
    assert sequences in ({"x"}, {"y"})
    assert earned == pytest.approx(-2 / 7)
    assert recorder.allowed(0) == {"A", "AD", "AF", "B", "BH"}
    assert recorder.allowed(1) == {"x", "y"}
    assert [row["temporary_leaves"] for row in rows[:4]] == [1, 1, 1, 1]
    assert [row["restricted_value_float"] for row in rows[:4]] == pytest.approx([-2, -2, 2, 2 / 7])


@pytest.mark.parametrize("form", EXAMPLE_FORMS)
def test_modified_example(form: str) -> None:
    """With u(A, y, F) = -3 the default at the temporary leaf is right already: AE and AF are never added."""
    recorder, rows, value = recorded("double_oracle_example:ayf=-3", form)
    assert value == F(2, 7) == tremble.solve(tremble.load("double_oracle_example:ayf=-3")).value
    assert recorder.responses[:6] == FIRST_THREE
    assert recorder.compatible[3] == ({"A", "AD", "B", "BH"}, {"x", "y"})
    assert rows[3]["restricted_value_float"] == pytest.approx(2 / 7)
    assert recorder.allowed(0) == {"A", "AD", "B", "BH"}
    assert recorder.allowed(1) == {"x", "y"}
    assert recorder.compatible[-1] == ({"A", "AD", "B", "BH"}, {"x", "y"})
    assert rows[-1]["temporary_leaves"] == 1


class CarelessTree(TreeOracle):
    """Pays nothing at temporary leaves."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._temporary = tuple(np.zeros_like(values) for values in self._temporary)  # type: ignore[assignment]


class CarelessSearch(RulesOracle):
    """The same for rules."""

    def worth(self, position: int, responder: int) -> int:
        return 0


@pytest.mark.parametrize("form", ["tree", "search"])
def test_utilities_at_temporary_leaves_matter(form: str) -> None:
    """If the temporary leaf Ay pays 0, the restricted game is worth 4/5, and no best response would ever correct it.

    Player 1 at A with probability 3/5, player 2 at x with 2/5: both best responses, B and y, are allowed already.
    But A is worth -2/5 against that, and the game 2/7.
    """
    tree = tremble.load("double_oracle_example:ayf=-3")
    first = DefaultRule("first")
    careless: Any = (
        CarelessTree(tree, SequenceForm.of(tree))
        if form == "tree"
        else CarelessSearch(RulesOfTree(tree), (first, first), lambda: None, SEARCHED)
    )
    recorder = Recorder(Held(tree, None if form == "tree" else RulesOfTree(tree), careless, 2.0))
    rows: list[Row] = []
    run = DoubleOracleRun(recorder, 2.0, Settings("both", 0.0), Clock(60), lambda step, fraction: None, rows.append)
    with pytest.raises(SolverError, match="bounds do not meet"):
        run.run()
    assert rows[-1]["restricted_value_float"] == pytest.approx(4 / 5)
    assert rows[-1]["new_sequences"] == [0, 0]
    assert recorder.responses[-2][1:] == ({"B", "BH"}, pytest.approx(4 / 5))
    assert recorder.responses[-1][1:] == ({"y"}, pytest.approx(2 / 5))
    assert recorder.compatible[-1] == ({"A", "AD", "B", "BH"}, {"x", "y"})


# -- hostile games -------------------------------------------------------------------------------


def check_run(
    tree: GameTree, value: F, form: str, policy: Policy, smoothing: float, seed: int | None, **more: Any
) -> None:
    """Solve; value, strategies and the bounds of all iterations must be right."""
    game = held(tree, form, seed)
    rows: list[Row] = []
    plans, found = run_of(game, Settings(policy, smoothing, sizes=Sizes(**more)), rows).run()
    case = tree.title, form, policy, smoothing, seed
    assert found == value, case
    strategies = game.strategies(plans)
    assert tremble.nash_conv(tree, strategies) == 0, case
    assert tremble.expected_values(tree, strategies)[0] == value, case
    check_bounds(rows, value, 1e-9 * float(np.abs(tree.payoff_float[:, 0]).max()))


def check_bounds(rows: list[Row], value: F, tolerance: float) -> None:
    """The value lies between the bounds, and they only ever come closer."""
    assert rows
    lower = [-inf if row["lower_float"] is None else row["lower_float"] for row in rows]
    upper = [inf if row["upper_float"] is None else row["upper_float"] for row in rows]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert lower[-1] <= float(value) + tolerance
    assert upper[-1] >= float(value) - tolerance
    assert [row["iteration"] for row in rows] == list(range(rows[0]["iteration"], rows[0]["iteration"] + len(rows)))


@pytest.mark.sample(6)
@pytest.mark.parametrize("family", list(RECIPES))
def test_hostile_games(family: str) -> None:
    """Every form of every family; policies and smoothing take turns."""
    for seed in (0, 1):
        tree = hostile_game(family, seed)
        value = tremble.solve(tree).value
        for i, form in enumerate(FORMS):
            check_run(tree, value, form, *WAYS[(i + seed) % len(WAYS)], seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(RECIPES))
@pytest.mark.parametrize("seed", range(2, 5))
def test_many_hostile_games(family: str, seed: int, **more: Any) -> None:
    """Every form with two policies; three seeds have all of them."""
    tree = hostile_game(family, seed)
    value = tremble.solve(tree).value
    for i, form in enumerate(FORMS):
        for j in (0, 1):
            check_run(tree, value, form, *WAYS[(i + 2 * seed + j) % len(WAYS)], seed=seed, **more)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(24))
def test_random_games(seed: int) -> None:
    """Chance, unequal depths, forced moves, now and then one player only; small and huge payoffs."""
    for big in (False, True):
        tree = random_game(seed, big=big)
        value = tremble.solve(tree).value
        for i in range(3):
            check_run(tree, value, FORMS[(seed + 5 * i) % len(FORMS)], *WAYS[(seed // 2 + i) % len(WAYS)], seed=seed)


@pytest.mark.sample(7)
@pytest.mark.parametrize("family", list(RECIPES))
def test_approximate_restricted_games(family: str) -> None:
    """Restricted games of all sizes are first solved by regret minimisation, not only large ones."""
    for seed in (0, 1):
        tree = hostile_game(family, seed)
        value = tremble.solve(tree).value
        for i in range(3):
            form, way = FORMS[(seed + len(family) + 5 * i) % len(FORMS)], WAYS[(3 * i + seed) % 6]
            check_run(tree, value, form, *way, seed=seed, exact_rows=0)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(RECIPES))
def test_many_approximate_restricted_games(family: str) -> None:
    test_many_hostile_games(family, 2, exact_rows=0)


LARGER = ("plain", "chance", "constant sum", "forced moves", "blind", "unequal depths", "mixed payoffs", "huge payoffs")


def larger_game(family: str, seed: int, most: int) -> GameTree:
    return hostile_game(family, seed, depth=9, most=most, least=most // 8, early=0.1)


@pytest.mark.sample(3)
@pytest.mark.parametrize("family", LARGER)
def test_larger_games(family: str) -> None:
    tree = larger_game(family, 7, 800)
    value = tremble.solve(tree).value
    for i, form in enumerate(("tree", "table", "search, keys, bounds")):
        check_run(tree, value, form, *WAYS[(i + len(family)) % len(WAYS)], seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("family", LARGER)
@pytest.mark.parametrize("form", FORMS)
def test_more_larger_games(family: str, form: str) -> None:
    tree = larger_game(family, 8, 1_500)
    check_run(tree, tremble.solve(tree).value, form, *WAYS[(FORMS.index(form) + len(family)) % len(WAYS)], seed=8)


@pytest.mark.sample(6)
@pytest.mark.parametrize("form", FORMS)
def test_deep_games(form: str) -> None:
    for tree in (chain(40), centipede(40)):
        check_run(tree, tremble.solve(tree).value, form, "both", 0.8, None)


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in FORMS if "published" not in form])
def test_deeper_games(form: str) -> None:
    check_run(centipede(400), F(1), form, "both", 0.8, None)


def test_very_deep_games_where_the_default_ends_them() -> None:
    """Thousands of moves in a row, which only some search comes to."""
    tree = centipede(1_500)
    for form in ("tree", "table", "search", "search, keys"):
        check_run(tree, F(1), form, "both", 0.8, None)


SPECS = (
    "dare_or_decline",
    "goofspiel",
    "goofspiel:order=increasing",
    "guess_the_ace:gift=true",
    "kuhn",
    "kuhn:cards=5",
    "kuhn_raise",
    "leduc:raises=1,ranks=2",
    "liars_dice:faces=2",
    "matching_pennies",
    "poker:each=2,raises=0,types=2",
    "random_tree",
    "random_tree:branching=2,chance=true,depth=6",
    "safe_or_risky",
)


@pytest.mark.sample(6)
@pytest.mark.parametrize("spec", SPECS)
def test_built_in_games(spec: str) -> None:
    """Through the front door: as a tree and as rules, every policy, certified with the value of the linear program."""
    tree, rules = tremble.load(spec), parse_spec(spec)[0]
    value = tremble.solve(tree, method="lp").value
    for i in range(3):
        policy, smoothing = WAYS[(len(spec) + 5 * i) % len(WAYS)]
        game = tree if i % 2 else UnbuiltGame.of(rules, spec=spec)
        rows: list[Row] = []
        solution = tremble.solve(game, method="double-oracle", policy=policy, smoothing=smoothing, report=rows.append)
        assert solution.status is Status.CERTIFIED, solution.stats
        assert solution.value == value
        assert solution.method.name == "double-oracle"
        assert solution.method.options["policy"] == policy
        assert tremble.verify(game, solution).ok
        assert tremble.verify(game, Solution.from_text(solution.to_text())).ok
        check_bounds(rows, value, 1e-8)
        assert solution.stats["iterations"] == len(rows)


# -- gaps, limits, interrupts --------------------------------------------------------------------


def games(spec: str) -> tuple[GameTree, UnbuiltGame]:
    rules, canonical = parse_spec(spec)
    return tremble.load(spec), UnbuiltGame.of(rules, spec=canonical)


def check_partial(game: GameTree | UnbuiltGame, solution: Solution | None, value: F) -> F:
    """Whatever is handed out has exact bounds that bracket the value; how far they lie apart."""
    assert solution is not None
    assert solution.bounds is not None
    lower, upper = solution.bounds
    assert all(isinstance(bound, F) for bound in solution.bounds)
    assert lower <= value <= upper
    if solution.status is Status.CERTIFIED:
        assert lower == value == upper == solution.values[0]
    else:
        assert solution.status is Status.BOUNDED
    verification = tremble.verify(game, solution)
    assert verification.ok, verification.problems
    assert tremble.verify(game, Solution.from_text(solution.to_text())).ok
    return upper - lower


@pytest.mark.sample(4)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("spec", ["leduc:raises=1,ranks=3", "goofspiel", "random_tree"])
def test_gaps(spec: str, policy: Policy) -> None:
    value = tremble.solve(tremble.load(spec)).value
    for game in games(spec):
        iterations = []
        for gap in (1, F(1, 10), 1e-6, 1e-12, 1e-15, 0):
            solution = tremble.solve(game, method="double-oracle", policy=policy, gap=gap)
            assert check_partial(game, solution, value) <= gap
            iterations.append(solution.stats["iterations"])
        assert solution.status is Status.CERTIFIED
        assert iterations == sorted(iterations)
    assert iterations[0] < iterations[-1]


def test_gaps_beyond_floats() -> None:
    for game in games("kuhn"):
        assert tremble.solve(game, method="double-oracle", gap=10**400).bounds is not None
        with pytest.raises(SpecError, match="gap must be a finite nonnegative number"):
            tremble.solve(game, method="double-oracle", gap=inf)


def test_wide_gaps_end_runs_early() -> None:
    """Also where nobody knows how large the payoffs are."""

    class Large(Kuhn):
        utility_bounds = property()  # type: ignore[assignment] # none

        def payoff(self, h: Any) -> Any:
            return tuple(1000 * value for value in super().payoff(h))

    iterations = []
    for gap in (1, 300, 1000):
        solution = tremble.solve(Large(cards=6), method="double-oracle", gap=gap)
        assert solution.bounds is not None
        assert solution.bounds[1] - solution.bounds[0] <= gap
        iterations.append(solution.stats["iterations"])
    assert iterations[0] > iterations[1] > iterations[2]


class Alarm:
    """Raises at the n-th call."""

    def __init__(self, n: int, error: BaseException) -> None:
        self.left = n
        self.error = error

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error


def attempt(
    game: GameTree | UnbuiltGame, method: methods.DoubleOracle | str = "double-oracle", **options: Any
) -> tuple[Solution | None, LimitReached | None]:
    """The solution, or the best so far and what ended the run."""
    try:
        return tremble.solve(game, method=method, **options), None
    except LimitReached as limit:
        return limit.best, limit


INTERRUPTED = "random_tree:depth=5"  # its values are no binary fractions, so no rounded strategies are an equilibrium


@pytest.mark.sample(5)
@pytest.mark.parametrize("where", ["progress", "report", "clock", "time"])
@pytest.mark.parametrize("form", ["tree", "search", "table"])
def test_stopped_anywhere(form: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in callbacks and within the work, and the time limit: the best profile so far with its exact bounds."""
    game = games(INTERRUPTED)[form != "tree"]
    method = methods.DoubleOracle(sizes=TABULATED if form == "table" else SIZES)
    value = tremble.solve(tremble.load(INTERRUPTED)).value
    gaps = []
    for n in (1, 2, 3, 5, 8, 13, 21, 34, 55, *range(360, 400, 6), 10**9):
        error = LimitReached("time is up") if where == "time" else KeyboardInterrupt()
        alarm = Alarm(n, error)
        options: dict[str, Any] = {where: alarm} if where in ("progress", "report") else {}
        with monkeypatch.context() as patch:
            if not options:
                patch.setattr(Clock, "check", alarm)
            solution, limit = attempt(game, method, **options)
        assert limit is None or limit.interrupted == (where != "time")
        if alarm.left > 0:  # the alarm was set for later
            assert n > 8
            assert limit is None
            assert check_partial(game, solution, value) == 0
            break
        gaps.append(check_partial(game, solution, value))
    else:
        pytest.fail("the run never ended")
    assert gaps[0] > 0
    assert gaps[-1] < gaps[0]


@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_time_limits_are_heard(form: int) -> None:
    game = games("goofspiel:cards=4")[form]  # a symmetric game, worth 0
    for _ in range(3):  # on a busy machine there may be no time for bounds
        with pytest.raises(LimitReached, match="time limit") as caught:
            tremble.solve(game, method="double-oracle", time_limit=0.5)
        if caught.value.best is not None and caught.value.best.bounds is not None:
            break
    assert check_partial(game, caught.value.best, F(0)) > 0


@pytest.mark.parametrize("again", [KeyboardInterrupt(), LimitReached("no time is left")])
def test_no_time_for_bounds(again: BaseException, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A second Ctrl-C, or no time, while the bounds of what was found are proven: it comes without them."""
    monkeypatch.setattr("tremble.solvers.anytime.Proof.possible", lambda: False)  # all bounds are found here, at last
    monkeypatch.setattr("tremble.large.check_nature.Visits.every", 1)
    monkeypatch.setattr("tremble.solution.claims._SECONDS", 0)
    game = games("leduc")[1]

    def hear(step: str, _fraction: float | None) -> None:
        if step == "verification":
            raise again

    best, limit = attempt(game, report=Alarm(60, KeyboardInterrupt()), progress=hear)
    assert limit is not None
    assert "`tremble.nash_conv` computes the gains by deviating" in str(limit)
    assert best is not None
    assert (best.status, best.bounds) == (Status.LIMIT_REACHED, None)
    path = tmp_path / "best.json"
    best.to_json(path)
    read = Solution.from_json(path)
    assert (read.status, read.values, read.bounds) == (best.status, best.values, None)
    assert read.unbuilt is not None
    assert [len(strategy.rows) > 0 for strategy in read.unbuilt] == [True, True]
    seen = tremble.verify(game, read)
    assert not seen.ok
    assert seen.values == best.values
    assert [problem.partition(":")[0] for problem in seen.problems] == ["status"]


@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_memory_is_nearly_full(form: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Better a result than a process that is killed."""
    monkeypatch.setattr(clock, "_LOOK_SECONDS", 0)
    monkeypatch.setattr(clock, "nearly_full", Alarm(60, LimitReached("memory is nearly full")))
    game = games("leduc")[form]
    best, limit = attempt(game)
    assert limit is not None
    assert str(limit) == "memory is nearly full"
    assert check_partial(game, best, tremble.solve(tremble.load("leduc")).value) > 0


@pytest.mark.parametrize("spec", ["leduc:ranks=300", "goofspiel:cards=9"])
def test_nothing_is_known_yet(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that take hours to look at, by the solver and by the checker: both hear that time is up."""
    monkeypatch.setattr("tremble.solvers.stopped._GRACE_SECONDS", 0.5)
    best, limit = attempt(tremble.load_rules(spec), time_limit=0.5)
    assert limit is not None
    assert (best is None) == ("there is no result yet" in str(limit))


# -- checkpoints ---------------------------------------------------------------------------------

REPORTED = (
    "iteration",
    "lower_float",
    "upper_float",
    "restricted_value_float",
    "restricted_sequences",
    "new_sequences",
    "temporary_leaves",
)


def reported(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in REPORTED) for row in rows]


def strategies_of(solution: Solution) -> Any:
    return json.loads(solution.to_text())["strategies"]


@pytest.fixture
def at_each_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints are written after each iteration."""
    save = checkpoints.Checkpoint.save
    monkeypatch.setattr(checkpoints.Checkpoint, "save", partialmethod(save, always=True))


@pytest.mark.sample(1)
@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", ["tree", "search", "table"])
def test_going_on_from_checkpoints_of_approximate_games(form: str, tmp_path: Path) -> None:
    check_going_on(form, "both", 0.8, tmp_path, exact_rows=0)


@pytest.mark.sample(6)
@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("smoothing", [0.0, 0.8])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["tree", "search", "table"])
def test_going_on_from_checkpoints(form: str, policy: Policy, smoothing: float, tmp_path: Path) -> None:
    check_going_on(form, policy, smoothing, tmp_path)


def check_going_on(form: str, policy: Policy, smoothing: float, tmp_path: Path, **more: Any) -> None:
    """Stopped after any iteration, and again after the next ones, a run goes on as if nothing had happened."""
    game = games(INTERRUPTED)[form != "tree"]
    sizes = replace(TABULATED if form == "table" else SIZES, **more)
    method = methods.DoubleOracle(policy, smoothing, sizes)
    whole: list[Row] = []
    solution = tremble.solve(game, method=method, report=whole.append)
    assert solution.stats["form"] == {"search": "rules"}.get(form, form)
    rng = random.Random(f"{form} {policy} {smoothing}")
    for trial in range(2):
        file = tmp_path / f"{trial}.checkpoint"
        rows: list[Row] = []
        stopped: LimitReached | None = LimitReached("not begun")
        while stopped:
            alarm = Alarm(rng.randint(2, 6) if trial else len(whole) // 2, KeyboardInterrupt())
            before = len(rows)

            def hear(row: Row, rows: list[Row] = rows, alarm: Alarm = alarm) -> None:
                rows.append(row)
                alarm()  # what has been told of is saved: the next run goes on after it

            resumed, stopped = attempt(game, method, report=hear, checkpoint=file)
            assert stopped is None or len(rows) > before
        assert reported(rows) == reported(whole)
        assert resumed is not None
        assert strategies_of(resumed) == strategies_of(solution)
        assert resumed.values == solution.values
        assert resumed.stats["iterations"] == solution.stats["iterations"]
        assert resumed.status is Status.CERTIFIED


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_stopped_in_the_exact_end(form: int, tmp_path: Path) -> None:
    game = games(INTERRUPTED)[form]
    file = tmp_path / "file"
    solution = tremble.solve(game, method="double-oracle")

    def hear(step: str, _fraction: float | None) -> None:
        if step == "exact best responses":
            raise KeyboardInterrupt

    with pytest.raises(LimitReached) as stop:
        tremble.solve(game, method="double-oracle", checkpoint=file, progress=hear)
    assert stop.value.best is not None
    for _ in range(2):  # the second time from a file that says that all is done
        resumed = tremble.solve(game, method="double-oracle", checkpoint=file)
        assert resumed.status is Status.CERTIFIED
        assert strategies_of(resumed) == strategies_of(solution)


def test_a_checkpoint_may_be_taken_up_with_other_settings(tmp_path: Path) -> None:
    game = tremble.load("goofspiel")
    file = tmp_path / "file"
    with pytest.raises(LimitReached):
        tremble.solve(game, method="double-oracle", checkpoint=file, report=Alarm(4, KeyboardInterrupt()))
    for policy, smoothing in WAYS:
        solution = tremble.solve(game, method="double-oracle", policy=policy, smoothing=smoothing, checkpoint=file)
        assert (solution.status, solution.value) == (Status.CERTIFIED, 0)


PROGRAM = """
import sys, tremble
from tremble.large.checkpoint import Checkpoint
from tremble.games.parameters import parse_spec
from tremble.game.rules import UnbuiltGame

spec, form, file, out = sys.argv[1:]
save = Checkpoint.save
Checkpoint.save = lambda self, run, *, always=False: save(self, run, always=True)
game = tremble.load(spec) if form == "tree" else UnbuiltGame.of(parse_spec(spec)[0], spec=spec)
hear = lambda row: (sys.stdout.write(f"iteration {row['iteration']}\\n"), sys.stdout.flush())  # whole, or not at all
tremble.solve(game, method="double-oracle", checkpoint=file, report=hear).to_json(out)
"""


def killed_and_resumed(spec: str, form: str, folder: Path, seed: int, kills: int) -> None:
    """Kill a process at random moments, some within an iteration, and let another one go on."""
    rng = random.Random(seed)
    game = games(spec)[form != "tree"]
    file, out = folder / "checkpoint", folder / "solution.json"
    command = [sys.executable, "-c", PROGRAM, spec, form, str(file), str(out)]
    last = 0
    for _ in range(kills):
        after = rng.randint(1, 3)
        delay = rng.random() * 0.02
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            iterations = []
            for line in process.stdout:
                iterations.append(int(line.split()[1]))
                if len(iterations) == after:
                    time.sleep(delay)
                    process.kill()
            process.wait()
            assert process.returncode == -signal.SIGKILL, process.stderr and process.stderr.read()
        assert iterations[0] in (last, last + 1)  # all but the last iteration had been saved, and perhaps that one too
        assert iterations == list(range(iterations[0], iterations[0] + len(iterations)))
        last = iterations[-1]
    subprocess.run(command, check=True, capture_output=True)
    assert strategies_of(Solution.from_json(out)) == strategies_of(tremble.solve(game, method="double-oracle"))


@pytest.mark.sample(1)
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("form", ["tree", "rules"])
def test_killed(form: str, tmp_path: Path) -> None:
    killed_and_resumed("goofspiel:cards=4,order=increasing", form, tmp_path, seed=1, kills=1)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("form", ["tree", "rules"])
@pytest.mark.parametrize("spec", ["poker:bets=2,raises=1", "leduc:ranks=5"])
def test_killed_often(spec: str, form: str, tmp_path: Path) -> None:
    killed_and_resumed(spec, form, tmp_path, seed=2, kills=6)


def a_checkpoint(game: GameTree | UnbuiltGame, file: Path) -> Any:
    """What a run leaves that is stopped after some iterations."""
    with pytest.raises(LimitReached):
        tremble.solve(game, method="double-oracle", checkpoint=file, report=Alarm(4, KeyboardInterrupt()))
    return json.loads(file.read_text())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a checkpoint"),
        ("{}", "not a checkpoint"),
        ("[]", "not a checkpoint"),
        ("null", "not a checkpoint"),
        ("[" * 100_000, "not a checkpoint"),
        ('{"schema": 3}', "schema"),
        ('{"schema": "tremble/solution@1"}', "schema"),
        ('{"schema": "tremble/checkpoint@2"}', "damaged"),
        ('{"schema": "tremble/checkpoint@2", "game": []}', "another game|damaged"),
        ("\0", "NUL"),
        ("EFG 2 R", "not a checkpoint"),
    ],
)
def test_foreign_files_as_checkpoints(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content)
    with pytest.raises(FormatError, match=message):
        tremble.solve(tremble.load("kuhn"), method="double-oracle", checkpoint=file)
    assert file.read_text() == content


def test_checkpoints_of_other_games(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for other in games("leduc:raises=1,ranks=2"):
        file.unlink(missing_ok=True)
        a_checkpoint(other, file)
        before = file.read_bytes()
        same_rules = games("leduc:raises=1,ranks=2")[isinstance(other, GameTree)]  # held in the other form
        for game in (*games("kuhn"), *games("leduc:ranks=2"), same_rules):
            with pytest.raises(FormatError, match="another game"):
                tremble.solve(game, method="double-oracle", checkpoint=file)
        assert file.read_bytes() == before


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), LimitReached("time is up")])
def test_a_stopped_run_saves_what_it_has(form: int, error: BaseException, tmp_path: Path) -> None:
    """However short a run is, the next one goes on from its last iteration."""
    game = games("leduc")[form]
    file = tmp_path / "file"
    reached = 0

    def at(n: int) -> Callable[[str, float | None], None]:
        def hear(step: str, _fraction: float | None) -> None:
            if step.startswith(f"double oracle, iteration {n}:"):
                raise error

        return hear

    for n in (5, 10, 15):
        with pytest.raises(LimitReached):
            tremble.solve(game, method="double-oracle", checkpoint=file, progress=at(n))
        before, reached = reached, json.loads(file.read_text())["iteration"]
        assert before < reached
        assert n - 1 <= reached <= n


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_cut_off_checkpoints(form: int, tmp_path: Path) -> None:
    game = games("kuhn:cards=4")[form]
    file = tmp_path / "file"
    a_checkpoint(game, file)
    whole = file.read_text()
    for length in [*range(0, len(whole) - 2, max(1, len(whole) // 60)), len(whole) - 2]:
        file.write_text(whole[:length])
        with pytest.raises(FormatError):
            tremble.solve(game, method="double-oracle", checkpoint=file)


WRONG: tuple[Any, ...] = (
    *(None, -1, 0, 1, 10**6, 10**12, 10**30, -(10**30), 1.5, True, float("nan")),
    *("x", "", "nan", "inf", "-inf", "0x1p-3", "-0x1p+2", "0x1p+2000", [], {}, [[]], [-1], [0], [10**6]),
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in a document, but only to the first two entries of lists."""
    found = [path] if path else []
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document[:2])
    return found + [place for key, below in items for place in places(below, (*path, key))]


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize(
    "entry", [{"turn": 2}, {"turn": -1}, {"iteration": -1}, {"iteration": 10**30}, {"simplex_iterations": 10**30}]
)
def test_checkpoints_with_numbers_out_of_range(entry: dict[str, int], tmp_path: Path) -> None:
    game = games("kuhn")[1]
    file = tmp_path / "file"
    file.write_text(json.dumps(sealed(a_checkpoint(game, file) | entry)))
    with pytest.raises(FormatError, match="damaged"):
        tremble.solve(game, method="double-oracle", policy="alternating", checkpoint=file)


def sealed(document: Any) -> Any:
    """The same with a digest that fits."""
    return {**document, "sha256": checkpoints.Checkpoint.digest({k: v for k, v in document.items() if k != "sha256"})}


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_plans_beyond_the_end(form: int, tmp_path: Path) -> None:
    """Fewer or more sequences than a plan decides: told at once, whether or not the digest fits."""
    game = games("leduc:raises=1,ranks=2")[form]
    file = tmp_path / "file"
    whole = a_checkpoint(game, file)
    for change in (-1, 1, 10**6, -(10**6)):
        document = json.loads(json.dumps(whole))
        document["bounds"][0]["plan"]["sequences"] += change
        for damaged in (document, sealed(document)) if abs(change) > 1 else (document,):
            file.write_text(json.dumps(damaged))
            with pytest.raises(FormatError, match=r"the checkpoint is damaged \(.*\); remove it"):
                tremble.solve(game, method="double-oracle", checkpoint=file)


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_any_damage_is_told(form: int, tmp_path: Path) -> None:
    game = games("kuhn")[form]
    file = tmp_path / "file"
    a_checkpoint(game, file)
    whole = file.read_text()
    rng = random.Random(form)
    digits = [i for i, c in enumerate(whole) if c.isdigit()]
    for place in rng.sample(digits, 40):
        changed = f"{whole[:place]}{(int(whole[place]) + 1) % 10}{whole[place + 1 :]}"
        with suppress(ValueError):
            if json.loads(changed) == json.loads(whole):
                continue  # the last of 17 digits of the seconds need not tell one float from another
        file.write_text(changed)
        with pytest.raises(FormatError, match=r"damaged|schema|not a checkpoint"):
            tremble.solve(game, method="double-oracle", checkpoint=file)


@pytest.mark.usefixtures("at_each_iteration")
@pytest.mark.parametrize("form", [0, 1], ids=["tree", "rules"])
def test_forged_checkpoints(form: int, tmp_path: Path) -> None:
    """One wrong entry and a digest that fits: told, or harmless, as the end of a run is exact and proven."""
    game = games("kuhn")[form]
    file = tmp_path / "file"
    text = json.dumps(a_checkpoint(game, file))
    rng = random.Random(form)
    told = 0
    for place in places(json.loads(text)):
        for wrong in rng.sample(WRONG, 3):
            document = json.loads(text)
            above = document
            for key in place[:-1]:
                above = above[key]
            above[place[-1]] = wrong
            file.write_text(json.dumps(document if place == ("sha256",) else sealed(document)))
            try:
                solution = tremble.solve(game, method="double-oracle", checkpoint=file)
            except FormatError:
                told += 1
            else:
                assert (solution.status, solution.value) == (Status.CERTIFIED, F(-1, 18)), (place, wrong)
    assert told > 60

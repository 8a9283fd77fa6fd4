"""Outcomes of ordered games against their built trees, and strategies that are not of the game."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tremble
from check.claims import believed, claim_of, list_claim_of, listed, refused
from long_numbers import lengthened, seconds
from ordered_games import KuhnCards, LeducCards
from small_ordered_games import SmallGame, behavior, random_classes, random_strategy
from tremble import check
from tremble.check import Limits, Outcome, Verification
from tremble.check.lists import check_list
from tremble.errors import GameError, LimitReached
from tremble.game.kinds import kind_of
from tremble.game.rules import UnbuiltGame
from tremble.poker.check import outcome_of_ordered, plans_of_ordered
from tremble.poker.check_responses import Responder, _cut, _joined
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.strategy import OrderedStrategy
from tremble.results import Equilibria
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solvers.recorder import proven_solution
from tremble.status import Status

Pair = tuple[OrderedStrategy, OrderedStrategy]

EXTRA = {"ordered": outcome_of_ordered}


def strategies_of(rules: OrderedGame, rng: random.Random, *, blur: int, bits: int = 3) -> Pair:
    return random_strategy(rules, 0, rng, blur=blur, bits=bits), random_strategy(rules, 1, rng, blur=blur, bits=bits)


def uniform_in(rules: OrderedGame) -> Pair:
    return OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)


def claim_on(strategies: Pair) -> check.Claim:
    return check.Claim("nash", "certified", strategies, None, {}, kind="ordered")


def outcome_in(rules: OrderedGame, strategies: Pair, limits: Limits | None = None) -> Outcome:
    limits = limits or Limits.for_game(0)
    return outcome_of_ordered(UnbuiltGame.of(rules), claim_on(strategies), limits, values_only=False)


def judged(game: Any, strategies: Pair) -> Verification:
    return check.judge(game, claim_on(strategies), None, EXTRA).verification


def verified(game: Any, stated: StatedSolution, limits: Limits | None = None) -> Verification:
    """Check a solution of strategies by classes, or a list of such, with the kernel."""
    return check.check(game, replace(claim_of(stated), kind="ordered"), limits, EXTRA)


def list_verified(game: Any, stated: Equilibria) -> Verification:
    claim = list_claim_of(stated)
    members = tuple(replace(member, kind="ordered") for member in claim.members)
    return check_list(game, replace(claim, members=members), None, EXTRA, plans_of_ordered)


def agree(rules: OrderedGame, strategies: Pair) -> None:
    """Check that the passes over the deals find what the kernel finds in the tree, and the library, too."""
    tree = tremble.build(rules)
    profile = behavior(rules, tree, strategies[0]), behavior(rules, tree, strategies[1])
    outcome = outcome_in(rules, strategies)
    assert outcome.every_leaf
    assert not outcome.faults
    there = tremble.strategies.evaluate(tree, profile)
    assert outcome.values == there.values == tremble.expected_values(tree, profile)
    assert outcome.best_response_values == there.best_response_values
    assert outcome.best_response_values == tuple(tremble.best_response(tree, profile, p)[0] for p in (0, 1))
    assert outcome.proven_bounds == there.bounds
    assert outcome.constant_sum == tree.constant_sum
    assert outcome.nash_conv == there.nash_conv


SHAPES: dict[str, tuple[int, int, list[tuple[int, int]], dict[str, bool]]] = {
    "one round": (1, 4, [(0, 1)], {}),
    "two cards": (2, 6, [(0, 2)], {}),
    "public cards between": (3, 5, [(0, 1), (1, 0), (1, 0)], {}),
    "several private rounds": (4, 6, [(1, 1), (0, 1)], {}),
    "nothing dealt": (5, 2, [(0, 0)], {}),
    "no sum": (6, 5, [(0, 1), (1, 0)], {"constant": False}),
    "strengths": (7, 5, [(0, 2)], {"compares": False}),
    "strengths, no sum": (9, 5, [(0, 1), (1, 0)], {"compares": False, "constant": False}),
    "weights": (10, 5, [(1, 1), (1, 0)], {"weighted": True}),
    "weights of sets": (11, 5, [(0, 2)], {"weighted": True, "constant": False}),
    "ranges": (12, 6, [(0, 2)], {"ranged": True}),
    "ranges and rounds": (13, 5, [(0, 1), (1, 0), (1, 0)], {"ranged": True}),
    "ranges beside public cards": (14, 6, [(1, 1), (0, 1)], {"ranged": True, "constant": False}),
}


@pytest.mark.sample(13)
@pytest.mark.parametrize("blur", [0, 1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_as_in_the_tree(shape: str, blur: int) -> None:
    seed, signals, draws, options = SHAPES[shape]
    rules = SmallGame(seed, signals, draws, **options)
    agree(rules, strategies_of(rules, random.Random(seed), blur=blur))


@pytest.mark.sample(5)
@pytest.mark.parametrize("shape", ["public cards between", "two cards", "weights", "ranges and rounds"])
@pytest.mark.parametrize("bits", [30, 61, 300])
def test_numbers_that_are_too_long_for_the_machine(shape: str, bits: int) -> None:
    seed, signals, draws, options = SHAPES[shape]
    rules = SmallGame(seed, signals, draws, **options)
    strategies = strategies_of(rules, random.Random(bits), blur=2, bits=bits)
    assert max(strategy.denominator for strategy in strategies).bit_length() > bits
    agree(rules, strategies)


@pytest.mark.parametrize("shift", range(38, 62, 2))
def test_at_the_edge_of_what_the_machine_holds(shift: int) -> None:
    """Check that numbers are the same, however long the weights that state a strategy are."""
    rules = RhodeIsland(ranks=3, suits=2, raises=1)
    uniform = uniform_in(rules)
    longer = [
        OrderedStrategy(
            s.player, s.class_of, tuple(w.astype(object) << shift for w in s.weight), s.denominator << shift
        )
        for s in uniform
    ]
    if uniform[0].denominator << shift < 2**63:
        longer = [replace(s, weight=tuple(w.astype(np.int64) for w in s.weight)) for s in longer]
    short, long = outcome_in(rules, uniform), outcome_in(rules, (longer[0], longer[1]))
    assert short.values == long.values is not None
    assert short.best_response_values == long.best_response_values


def test_rhode_island_with_few_cards() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    agree(rules, strategies_of(rules, random.Random(1), blur=3))
    agree(rules, uniform_in(rules))


def test_chunks_of_public_states(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RhodeIsland(ranks=3, suits=2, raises=1)
    strategies = strategies_of(rules, random.Random(2), blur=2)
    whole = outcome_in(rules, strategies)
    monkeypatch.setattr("tremble.poker.check_responses._AT_ONCE", 1)
    monkeypatch.setattr("tremble.poker.check_deals._AT_ONCE", 1)
    assert whole.values is not None
    assert outcome_in(rules, strategies) == whole


# -- solutions -----------------------------------------------------------------------------------


class Sure(SmallGame):
    """A game in which no move matters: every profile is an equilibrium."""

    def utility(self, lines: Any, ranks: tuple[int, ...]) -> tuple[Fraction, ...]:
        return Fraction(ranks[0] - ranks[1], 2), Fraction(ranks[1] - ranks[0], 2)


def solution_of(rules: OrderedGame, strategies: Pair) -> tuple[UnbuiltGame, Solution]:
    game = UnbuiltGame.of(rules)
    return game, proven_solution(game, Claim(strategies, {}), "nash", MethodReference("by hand", {}))


def test_an_equilibrium_is_certified() -> None:
    rules = Sure(3, 5, [(0, 1), (1, 0)])
    game, solution = solution_of(rules, strategies_of(rules, random.Random(3), blur=2))
    found = verified(game, solution)
    assert (found.ok, str(found.status), found.proven, found.nash_conv) == (True, "certified", "nash", 0)
    assert solution.bounds == (solution.value, solution.value)


def test_what_is_none_is_bounded() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    game, solution = solution_of(rules, strategies_of(rules, random.Random(4), blur=2))
    found = verified(game, solution)
    assert (found.ok, str(found.status), found.proven) == (True, "bounded", "bounds")
    assert solution.bounds is not None
    assert solution.bounds[0] < solution.bounds[1]
    assert (
        tremble.strategies.evaluate(game, solution).nash_conv
        == found.nash_conv
        == solution.bounds[1] - solution.bounds[0]
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda s: {"values": (s.values[0] + 1, s.values[1] - 1)}, "values[0]: the expected payoff"),
        (lambda s: {"bounds": (s.bounds[0] + 1, s.bounds[1])}, "bounds: the lower bound is stated"),
        (lambda s: {"bounds": (s.bounds[0], s.bounds[1] - 1)}, "bounds: the upper bound is stated"),
        (lambda s: {"status": Status.CERTIFIED}, "can gain"),
        (lambda s: {"certificate": {**s.certificate, "nash_conv": "0"}}, "certificate"),
        (lambda s: {"concept": "perfect", "status": Status.CERTIFIED}, "only 'nash' can be checked"),
        (lambda s: {"strategies": (s.strategies[1], s.strategies[0])}, "this is a strategy of player 2"),
    ],
)
def test_forgeries(change: Callable[[Solution], dict[str, Any]], problem: str) -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    game, solution = solution_of(rules, strategies_of(rules, random.Random(5), blur=2))
    found = verified(game, replace(solution, **change(solution)))
    assert not found.ok
    assert any(problem in line for line in found.problems), found.problems


def changed(pair: Pair, name: str, number: int, change: Callable[[np.ndarray[Any, Any]], object]) -> Pair:
    """Return the pair with other numbers in one array of player 2."""
    arrays = [array.copy() for array in getattr(pair[1], name)]
    arrays[number] = arrays[number] if change(arrays[number]) is None else change(arrays[number])
    return pair[0], replace(pair[1], **{name: tuple(arrays)})


def put(index: Any, value: int) -> Callable[[np.ndarray[Any, Any]], None]:
    return lambda array: array.__setitem__(index, value)


@pytest.mark.parametrize(
    ("name", "number", "change", "problem"),
    [
        ("weight", 2, put((0, 0, 0), 10**6), "the weights of the actions sum to"),
        ("weight", 0, put((0, 0, 0), -1), "has the negative weight -1"),
        ("weight", 1, lambda w: w[:, :-1], "the weights have the shape"),
        ("weight", 1, lambda w: w[:-1], "but there are weights for classes 0 to"),
        ("weight", 1, lambda w: np.concatenate([w, w[:1]]), "has no hand"),
        ("class_of", 1, lambda c: c[:-1], "classes have the shape"),
        ("class_of", 0, put(0, -1), "hand 0 can be dealt, but has no class"),
        ("class_of", 0, put(0, -2), "classes are numbered from -2"),
        ("class_of", 2, put(slice(0, 1), 10**6), "classes are numbered from"),
        ("class_of", 1, lambda c: np.zeros_like(c), "class 1 has no hand"),
    ],
)
def test_what_is_no_strategy(name: str, number: int, change: Any, problem: str) -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    pair = changed(strategies_of(rules, random.Random(6), blur=3), name, number, change)
    found = judged(UnbuiltGame.of(rules), pair)
    assert found.values is None
    assert any(problem in line for line in found.problems), found.problems


def test_classes_that_forget_are_refused() -> None:
    """Give two hands of different classes in the first round one class in the second."""
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    strategy = OrderedStrategy.uniform(rules, 0)
    apart = replace(
        strategy,
        class_of=(np.arange(4) % 2, *strategy.class_of[1:]),
        weight=(np.repeat(strategy.weight[0], 2, axis=0), *strategy.weight[1:]),
    )
    found = outcome_in(rules, (apart, OrderedStrategy.uniform(rules, 1)))
    assert found.values is None
    assert "information is not preserved" in found.faults[0]


def test_sums_are_compared_exactly() -> None:
    """Find a surplus of one in 2**70, and refuse sums that only overflow to the right number."""
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    uniform = OrderedStrategy.uniform(rules, 0)
    other = OrderedStrategy.uniform(rules, 1)
    weight = [w.astype(object) << 70 for w in uniform.weight]
    weight[2][0, 0, 0] += 1
    found = outcome_in(rules, (replace(uniform, weight=tuple(weight), denominator=uniform.denominator << 70), other))
    assert found.values is None
    assert "sum to" in found.faults[0]
    wrapped = [w.copy() for w in uniform.weight]
    wrapped[0][0, :2, 0] = 2**63 - 1, uniform.denominator - 2**63 + 1
    assert outcome_in(rules, (replace(uniform, weight=tuple(wrapped)), other)).faults


def test_rules_that_are_not_ordered() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    pair = uniform_in(rules)
    assert "these rules are not an ordered game" in judged(tremble.load_rules("kuhn"), pair).problems[0]
    _, solution = solution_of(rules, pair)
    assert "this game is a tree" in " ".join(verified(tremble.build(rules), solution).problems)
    with pytest.raises(GameError):
        solution.profile(tremble.load("kuhn"))


def test_numbers_that_are_too_costly() -> None:
    rules = RhodeIsland()
    long = 1 << 10**6
    pair = tuple(
        replace(s, weight=tuple(w.astype(object) * long for w in s.weight), denominator=s.denominator * long)
        for s in uniform_in(rules)
    )
    assert "too large to check" in judged(UnbuiltGame.of(rules), (pair[0], pair[1])).problems[0]


def test_a_time_limit() -> None:
    rules = RhodeIsland()
    game, small = UnbuiltGame.of(rules), RhodeIsland(ranks=2, suits=2, raises=1)
    _, solution = solution_of(small, uniform_in(small))
    stated = replace(solution, game=GameReference.of(game), strategies=uniform_in(rules))
    deadline = time.monotonic() + 0.05

    def stop() -> None:
        if time.monotonic() > deadline:
            raise LimitReached("time is up")

    with pytest.raises(LimitReached):
        verified(game, stated, Limits.for_game(0, stop))
    assert time.monotonic() < deadline + 2


class EnoughError(Exception):
    """Raised to stop the work."""


def test_every_pass_can_be_stopped() -> None:
    """Stop at the first call, the second, and so on, until the check comes to its end."""
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    strategies = uniform_in(rules)
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls == stop_at:
            raise EnoughError

    for stop_at in range(1, 40):  # noqa: B007 (read by `count`)
        calls = 0
        with pytest.raises(EnoughError):
            outcome_in(rules, strategies, Limits.for_game(0, count))


def test_progress_is_reported_and_may_stop() -> None:
    def stop(text: str) -> None:
        raise EnoughError(text)

    rules = RhodeIsland()
    pair = uniform_in(rules)
    with pytest.raises(EnoughError, match="best responses"):
        kind_of(UnbuiltGame.of(rules), pair).respond(pair, stop)


def test_what_respond_reports() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    pair = strategies_of(rules, random.Random(7), blur=2)
    outcome, found = outcome_in(rules, pair), kind_of(UnbuiltGame.of(rules), pair).respond(pair)
    assert (found.values, found.best_values) == (outcome.values, outcome.best_response_values)
    wrong = pair[0], replace(pair[1], denominator=0)
    with pytest.raises(tremble.CertificateError, match="must be positive"):
        kind_of(UnbuiltGame.of(rules), wrong).respond(wrong)


# -- long numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 5, 46])
def test_pieces_are_the_numbers_that_they_are_cut_from(bits: int) -> None:
    numbers = np.array([0, 1, -1, 3**500, -(3**500), 2**92, -(2**92)], dtype=object)
    pieces = _cut(numbers, bits)
    assert [shift for shift, _ in pieces] == [bits * k for k in range(len(pieces))]
    assert (_joined(pieces, lambda piece: piece.astype(object)) == numbers).all()


def test_cutting_long_numbers_takes_no_square_of_their_length() -> None:
    short, long = (np.array([(1 << bits) // 7] * 4, dtype=object) for bits in (2**15, 2**19))
    assert seconds(lambda: _cut(long, 40)) < 64 * seconds(lambda: _cut(short, 40)) + 0.05  # 256 times if it did


def test_numbers_that_are_too_long_are_refused_before_anything_is_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Responder, "values", lambda _: pytest.fail("it was begun"))
    found = judged(UnbuiltGame.of(KuhnCards()), lengthened(KuhnCards(), 700_000))
    assert "too large to check" in found.problems[0]


def test_long_weights_are_charged_by_their_length() -> None:
    spent = []
    rules = LeducCards()
    for bits in (1_000, 16_000):
        limits = Limits(10**12, 2**32)
        assert not outcome_in(rules, lengthened(rules, bits), limits).faults
        spent.append(limits.allowed[0] - limits.steps)
        assert limits.bits == limits.allowed[1]  # all memory is given back
    assert 8 * spent[0] < spent[1]


def test_long_numbers_where_nothing_is_paid() -> None:
    rules = tremble.load_rules("auction:top=1,values=1").rules
    assert isinstance(rules, OrderedGame)
    uniform = uniform_in(rules)
    long = [replace(s, weight=tuple(w.astype(object) << 100 for w in s.weight), denominator=s.denominator << 100)
            for s in uniform]  # fmt: skip
    assert outcome_in(rules, (long[0], long[1])).nash_conv == outcome_in(rules, uniform).nash_conv == 0


# -- lists ---------------------------------------------------------------------------------------


class SilentGame(SmallGame):
    """Nothing is at stake: everything is an equilibrium."""

    def utility(self, lines: Any, ranks: tuple[int, ...]) -> tuple[Fraction, ...]:
        return Fraction(0), Fraction(0)


def by_classes(game: UnbuiltGame, one: OrderedStrategy, two: OrderedStrategy) -> StatedSolution:
    zeros = Fraction(0), Fraction(0)
    return StatedSolution(
        game=GameReference.of(game), concept="nash", requested="nash", method=MethodReference("by hand", {}),
        status=Status.CERTIFIED, values=zeros, bounds=zeros, strategies=(one, two), stats={},
        certificate={"kind": "best-response", "nash_conv": "0", "best_response_values": ["0", "0"]},
    )  # fmt: skip


def in_other_words(strategy: OrderedStrategy) -> OrderedStrategy:
    """Return the same plan, with a class for each hand, over a longer denominator."""
    return OrderedStrategy(
        strategy.player,
        tuple(np.arange(len(classes), dtype=np.int64) for classes in strategy.class_of),
        tuple(7 * weight[classes] for classes, weight in zip(strategy.class_of, strategy.weight, strict=True)),
        7 * strategy.denominator,
    )


@pytest.mark.parametrize("verified_by", [(verified, list_verified), (tremble.verify, tremble.verify)])
@pytest.mark.parametrize("ranged", [False, True])
def test_lists_of_strategies_by_classes(ranged: bool, verified_by: tuple[Callable[..., Verification], ...]) -> None:
    """The kernel alone, and the whole package, which finds the functions of this capability by its rows."""
    verified, list_verified = verified_by

    def problem(game: object, equilibria: Equilibria, start: str) -> None:
        refused(list_verified(game, equilibria), start)

    rules = SilentGame(4, 4, [(0, 1), (1, 0)], ranged=ranged)
    game, rng = UnbuiltGame.of(rules), random.Random(1)
    one, two = (random_strategy(rules, player, rng) for player in (0, 1))
    first, again = by_classes(game, one, two), by_classes(game, in_other_words(one), two)
    other = by_classes(game, random_strategy(rules, 0, rng), in_other_words(two))
    assert verified(game, first).ok
    assert verified(game, again).ok
    problem(game, listed(first, again), "equilibria[1]: the same equilibrium")
    problem(game, listed(first, again, unique=False), "unique: false, but no two")
    whole = in_other_words(one)
    backward = replace(
        whole,
        class_of=tuple(classes[::-1].copy() for classes in whole.class_of),
        weight=tuple(weight[::-1].copy() for weight in whole.weight),
    )
    problem(game, listed(again, by_classes(game, backward, two)), "equilibria[1]: the same equilibrium")
    last = rules.rounds[-1].stage.side(0).start[-2] - 1  # nothing follows its actions

    def with_hand(hand: int) -> StatedSolution:
        weight = whole.weight[-1].copy()
        weight[hand, [last, last + 1]] = weight[hand, [last + 1, last]]
        return by_classes(game, replace(whole, weight=(*whole.weight[:-1], weight)), two)

    unlike = (whole.weight[-1][:, last] != whole.weight[-1][:, last + 1]).any(axis=1)
    here, there = np.flatnonzero(unlike)[:2].tolist()
    assert not believed(list_verified(game, listed(again, with_hand(here), with_hand(there), unique=False)))["unique"]
    problem(game, listed(again, with_hand(here), with_hand(here)), "equilibria[2]: the same equilibrium")
    true = listed(first, other, unique=False, unique_plans=(False, True), pairs=((0, 0), (1, 0)))
    assert not believed(list_verified(game, true))["unique_plans[0]"]
    problem(game, replace(true, pairs=((0, 0), (0, 1))), "pairs[1]: the number 1 is that of another strategy")
    problem(game, replace(true, unique_plans=(True, True)), "unique_plans[0]: true")
    problem(game, replace(true, unique_plans=(False, False)), "unique_plans[1]: false")
    problem(game, replace(true, components=((0, 1),)), "components: cannot be checked")


def test_joined_profiles_have_the_verdict_that_they_deserve() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    game = UnbuiltGame.of(rules)
    good, poor = tremble.solve(game).strategies, uniform_in(rules)

    def judge(strategies: Any) -> check.JudgedProfile:
        return check.judge(game, claim_on(strategies), None, EXTRA)

    one, two = judge((good[0], poor[1])), judge((poor[0], good[1]))
    assert (one.verification.proven, two.verification.proven) == ("bounds", "bounds")
    for first, second in ((one, two), (two, one), (one, one)):
        joined = check.join(game, first, second, None, EXTRA)
        assert joined.strategies == (first.strategies[0], second.strategies[1])
        assert joined.verification == judge(joined.strategies).verification
    best = check.join(game, one, two, None, EXTRA).verification
    assert (best.ok, str(best.status), best.proven, best.nash_conv) == (True, "certified", "nash", 0)


# -- sizes ---------------------------------------------------------------------------------------


@pytest.mark.sample(6)
@pytest.mark.parametrize("shape", SHAPES)
def test_sizes_without_a_tree(shape: str) -> None:
    seed, signals, draws, options = SHAPES[shape]
    rules = SmallGame(seed, signals, draws, **options)
    counted, built = rules.counts(), tremble.info(tremble.build(rules))
    known = {key for key, value in counted.items() if value is not None}
    assert {key: counted[key] for key in known} == {key: built[key] for key in known}
    several_ranged = options.get("ranged") and len(draws) > 1
    assert several_ranged or {"nodes", "max_depth", "recall", "information_sets", "sequences"} <= known


def test_the_sizes_of_rhode_island() -> None:
    counted = tremble.info(tremble.load_rules("rhode_island"))
    assert counted["sequences"] == [65_160_161] * 2
    assert counted["zero_sum"]
    small = RhodeIsland(ranks=2, suits=2)
    assert small.counts().items() <= tremble.info(tremble.build(small)).items()


def test_classes_for_these_tests_preserve_information() -> None:
    """Check the classes of the tests above, which would else only see refusals."""
    rules = SmallGame(3, 5, [(0, 1), (1, 0), (1, 0)])
    counts = [int(classes.max()) + 1 for classes in random_classes(rules, random.Random(0), 2)]
    assert counts == sorted(counts)
    assert 1 < counts[0] < 5

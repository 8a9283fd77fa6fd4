"""The verifier of ordered games against their built trees, and against strategies that are none."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tremble
from small_ordered_games import SmallGame, behavior, random_classes, random_strategy
from tremble import verifier
from tremble.errors import GameError, LimitReached
from tremble.game.rules import UnbuiltGame
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.claim import Claim
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.solution.proof import proven_solution
from tremble.solution.solution import Solution
from tremble.verifier.budget import telling
from tremble.verifier.profiles.ordered import evaluate_ordered
from tremble.verifier.profiles.outcome import Outcome

Pair = tuple[OrderedStrategy, OrderedStrategy]


def strategies_of(rules: OrderedGame, rng: random.Random, *, blur: int, bits: int = 3) -> Pair:
    return random_strategy(rules, 0, rng, blur=blur, bits=bits), random_strategy(rules, 1, rng, blur=blur, bits=bits)


def agree(rules: OrderedGame, strategies: Pair) -> None:
    """The passes over the deals find what the verifier finds in the tree, and the library, too."""
    tree = tremble.build(rules)
    profile = behavior(rules, tree, strategies[0]), behavior(rules, tree, strategies[1])
    outcome = evaluate_ordered(rules, strategies)
    assert isinstance(outcome, Outcome)
    there = tremble.strategies.evaluate(tree, profile)
    assert outcome.values == there.values == tremble.expected_values(tree, profile)
    assert outcome.best_response_values == there.best_response_values
    assert outcome.best_response_values == tuple(tremble.best_response(tree, profile, p)[0] for p in (0, 1))
    assert outcome.bounds == there.bounds
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
    """Numbers are the same, however long the weights that state a strategy are."""
    rules = RhodeIsland(ranks=3, suits=2, raises=1)
    uniform = [OrderedStrategy.uniform(rules, player) for player in (0, 1)]
    longer = [
        OrderedStrategy(
            s.player, s.class_of, tuple(w.astype(object) << shift for w in s.weight), s.denominator << shift
        )
        for s in uniform
    ]
    if uniform[0].denominator << shift < 2**63:
        longer = [replace(s, weight=tuple(w.astype(np.int64) for w in s.weight)) for s in longer]
    short, long = evaluate_ordered(rules, uniform), evaluate_ordered(rules, longer)
    assert isinstance(short, Outcome)
    assert isinstance(long, Outcome)
    assert short.values == long.values
    assert short.best_response_values == long.best_response_values


def test_rhode_island_with_few_cards() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    agree(rules, strategies_of(rules, random.Random(1), blur=3))
    agree(rules, (OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)))


def test_chunks_of_public_states(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RhodeIsland(ranks=3, suits=2, raises=1)
    strategies = strategies_of(rules, random.Random(2), blur=2)
    whole = evaluate_ordered(rules, strategies)
    monkeypatch.setattr("tremble.verifier.profiles.ordered._AT_ONCE", 1)
    monkeypatch.setattr("tremble.verifier.profiles.ordered_deals._AT_ONCE", 1)
    parts = evaluate_ordered(rules, strategies)
    assert isinstance(whole, Outcome)
    assert isinstance(parts, Outcome)
    assert whole.players == parts.players


# -- solutions -----------------------------------------------------------------------------------


class Sure(SmallGame):
    """A game in which whoever moves does nothing that matters: every profile is an equilibrium."""

    def utility(self, lines: Any, ranks: tuple[int, ...]) -> tuple[Fraction, ...]:
        return Fraction(ranks[0] - ranks[1], 2), Fraction(ranks[1] - ranks[0], 2)


def solution_of(rules: OrderedGame, strategies: Pair) -> tuple[UnbuiltGame, Solution]:
    game = UnbuiltGame.of(rules)
    return game, proven_solution(game, Claim(strategies, {}), "nash", MethodReference("by hand", {}))


def test_an_equilibrium_is_certified() -> None:
    rules = Sure(3, 5, [(0, 1), (1, 0)])
    game, solution = solution_of(rules, strategies_of(rules, random.Random(3), blur=2))
    found = tremble.verify(game, solution)
    assert (found.ok, found.status, found.proven, found.nash_conv) == (True, Status.CERTIFIED, "nash", 0)
    assert solution.bounds == (solution.value, solution.value)


def test_what_is_none_is_bounded() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    game, solution = solution_of(rules, strategies_of(rules, random.Random(4), blur=2))
    found = tremble.verify(game, solution)
    assert (found.ok, found.status, found.proven) == (True, Status.BOUNDED, "bounds")
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
        (lambda s: {"strategies": (s.strategies[1], s.strategies[0])}, "here stands a strategy of player 2"),
    ],
)
def test_forgeries(change: Callable[[Solution], dict[str, Any]], problem: str) -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    game, solution = solution_of(rules, strategies_of(rules, random.Random(5), blur=2))
    found = tremble.verify(game, replace(solution, **change(solution)))
    assert not found.ok
    assert any(problem in line for line in found.problems), found.problems


def changed(pair: Pair, name: str, number: int, change: Callable[[np.ndarray[Any, Any]], object]) -> Pair:
    """The pair with other numbers in one array of player 2."""
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
        ("weight", 1, lambda w: w[:-1], "but weights for 0 to"),
        ("weight", 1, lambda w: np.concatenate([w, w[:1]]), "no hand is in class"),
        ("class_of", 1, lambda c: c[:-1], "classes are given for"),
        ("class_of", 0, put(0, -1), "hand 0 can be dealt, but has no class"),
        ("class_of", 0, put(0, -2), "classes from -2"),
        ("class_of", 2, put(slice(0, 1), 10**6), "classes from"),
        ("class_of", 1, lambda c: np.zeros_like(c), "no hand is in class 1"),
    ],
)
def test_what_is_no_strategy(name: str, number: int, change: Any, problem: str) -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    pair = changed(strategies_of(rules, random.Random(6), blur=3), name, number, change)
    found = verifier.prove(UnbuiltGame.of(rules), pair)
    assert found.values is None
    assert any(problem in line for line in found.problems), found.problems


def test_who_forgets_is_refused() -> None:
    """Two hands that were told apart in the first round get one class in the second."""
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    strategy = OrderedStrategy.uniform(rules, 0)
    apart = replace(
        strategy,
        class_of=(np.arange(4) % 2, *strategy.class_of[1:]),
        weight=(np.repeat(strategy.weight[0], 2, axis=0), *strategy.weight[1:]),
    )
    found = evaluate_ordered(rules, (apart, OrderedStrategy.uniform(rules, 1)))
    assert isinstance(found, list)
    assert "information is not preserved" in found[0]


def test_sums_are_compared_exactly() -> None:
    """A surplus of one in 2**70 is found; and sums that only overflow to the right number do not pass."""
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    uniform = OrderedStrategy.uniform(rules, 0)
    other = OrderedStrategy.uniform(rules, 1)
    weight = [w.astype(object) << 70 for w in uniform.weight]
    weight[2][0, 0, 0] += 1
    found = evaluate_ordered(
        rules, (replace(uniform, weight=tuple(weight), denominator=uniform.denominator << 70), other)
    )
    assert isinstance(found, list)
    assert "sum to" in found[0]
    wrapped = [w.copy() for w in uniform.weight]
    wrapped[0][0, :2, 0] = 2**63 - 1, uniform.denominator - 2**63 + 1
    assert isinstance(evaluate_ordered(rules, (replace(uniform, weight=tuple(wrapped)), other)), list)


def test_rules_that_are_not_ordered() -> None:
    rules = RhodeIsland(ranks=2, suits=2, raises=1)
    pair = OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    assert "these rules are none" in verifier.prove(tremble.load_rules("kuhn"), pair).problems[0]
    _, solution = solution_of(rules, pair)
    assert "here its tree is given" in " ".join(tremble.verify(tremble.build(rules), solution).problems)
    with pytest.raises(GameError):
        solution.profile(tremble.load("kuhn"))


def test_numbers_that_are_too_costly() -> None:
    rules = RhodeIsland()
    long = 1 << 10**6
    pair = tuple(
        replace(s, weight=tuple(w.astype(object) * long for w in s.weight), denominator=s.denominator * long)
        for s in (OrderedStrategy.uniform(rules, player) for player in (0, 1))
    )
    assert "too large to check" in verifier.prove(UnbuiltGame.of(rules), (pair[0], pair[1])).problems[0]


def test_a_time_limit() -> None:
    rules = RhodeIsland()
    game, small = UnbuiltGame.of(rules), RhodeIsland(ranks=2, suits=2, raises=1)
    _, solution = solution_of(small, (OrderedStrategy.uniform(small, 0), OrderedStrategy.uniform(small, 1)))
    pair = OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    with pytest.raises(LimitReached):
        tremble.verify(game, replace(solution, game=GameReference.of(game), strategies=pair), time_limit=0.05)


def test_progress_is_told_and_may_stop() -> None:
    class EnoughError(Exception):
        pass

    def stop(text: str) -> None:
        raise EnoughError(text)

    rules = RhodeIsland()
    pair = OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    with pytest.raises(EnoughError), telling(stop):
        evaluate_ordered(rules, pair)


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
    """Else all tests above would only see what is refused."""
    rules = SmallGame(3, 5, [(0, 1), (1, 0), (1, 0)])
    counts = [int(classes.max()) + 1 for classes in random_classes(rules, random.Random(0), 2)]
    assert counts == sorted(counts)
    assert 1 < counts[0] < 5

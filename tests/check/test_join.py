"""Two judged profiles, and the pair of one strategy of each: the checker evaluates the pair itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest

import tremble
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.poker.strategy import OrderedStrategy
from tremble.solution import claims
from tremble.solution.claim import Profile
from tremble.solution.judgements import join_profiles, judge_profile, judge_values, prove
from tremble.status import Status


def uniform(game: tremble.GameTree) -> Profile:
    return tremble.BehaviorStrategy.uniform(game, 0), tremble.BehaviorStrategy.uniform(game, 1)


def first_actions(_game: UnbuiltGame) -> Profile:
    return UnbuiltStrategy(0, DefaultRule("first"), {}), UnbuiltStrategy(1, DefaultRule("first"), {})


def uniform_by_classes(game: UnbuiltGame) -> Profile:
    return OrderedStrategy.uniform(game.rules, 0), OrderedStrategy.uniform(game.rules, 1)


@pytest.mark.parametrize(
    ("game", "bad"),
    [
        (tremble.load("kuhn"), uniform),
        (tremble.load("leduc"), uniform),
        (tremble.load_rules("kuhn"), first_actions),
        (tremble.load_rules("rhode_island:ranks=2,raises=1,suits=2"), uniform_by_classes),
    ],
    ids=["kuhn", "leduc", "rules", "ordered"],
)
def test_a_joined_pair_has_the_verdict_that_a_proof_of_it_has(game: Any, bad: Any) -> None:
    good, poor = tremble.solve(game).strategies, bad(game)
    pairs = (good[0], poor[1]), (poor[0], good[1])
    one, two = (judge_profile(game, pair) for pair in pairs)
    assert (one.verification.proven, two.verification.proven) == ("bounds", "bounds")
    for i, j in ((0, 1), (1, 0), (0, 0)):
        first, second = (one, two)[i], (one, two)[j]
        joined = join_profiles(game, first, second)
        assert joined.strategies == (first.strategies[0], second.strategies[1])
        assert joined.verification == prove(game, (pairs[i][0], pairs[j][1]))
    best = join_profiles(game, one, two).verification
    assert (best.ok, best.status, best.proven, best.nash_conv) == (True, Status.CERTIFIED, "nash", 0)


def test_no_search_for_best_responses_is_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tremble.load_rules("kuhn")
    judged = judge_profile(game, first_actions(game))

    suppliers = claims.suppliers()

    def supply(game: Any, claim: Any, limits: Any, values_only: bool) -> Any:
        assert values_only, "a best response is searched for again"
        return suppliers["rules"](game, claim, limits, values_only)

    monkeypatch.setattr(claims, "suppliers", lambda: {"rules": supply})
    assert join_profiles(game, judged, judged).verification == judged.verification


def test_best_responses_in_other_rules_are_not_used() -> None:
    game = tremble.load_rules("kuhn")
    judged = judge_profile(game, first_actions(game))
    elsewhere = replace(judged.verification, best_response_values=(F(0), F(0)))
    stranger = replace(judged, verification=elsewhere, digest=tremble.load_rules("leduc").digest)
    assert join_profiles(game, stranger, stranger).verification == judged.verification


class Choice:
    """Own rules: player 1 chooses a sum that player 2 pays; without a digest."""

    def __init__(self, sums: tuple[int, int]) -> None:
        self.sums = sums

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        return tremble.TERMINAL if h else 0

    def actions(self, _h: tuple[int, ...]) -> tuple[str, str]:
        return "a", "b"

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, _h: tuple[int, ...]) -> str:
        return "choice"

    def payoff(self, h: tuple[int, ...]) -> tuple[F, F]:
        return F(self.sums[h[0]]), F(-self.sums[h[0]])


def test_best_responses_that_earn_less_than_the_strategies_are_not_used() -> None:
    """A verdict on other strategies, or on other rules without a digest, certifies nothing."""
    kuhn = tremble.load_rules("kuhn")
    good, bad = judge_profile(kuhn, tremble.solve(kuhn).strategies), judge_profile(kuhn, first_actions(kuhn))
    forged = replace(good, strategies=bad.strategies)
    assert join_profiles(kuhn, forged, forged).verification == bad.verification
    same, different = UnbuiltGame.of(Choice((0, 0))), UnbuiltGame.of(Choice((1, 5)))
    foreign = judge_profile(same, first_actions(same))
    assert foreign.verification.status is Status.CERTIFIED
    found = join_profiles(different, foreign, foreign).verification
    assert found == judge_profile(different, first_actions(different)).verification
    assert found.status is Status.BOUNDED


def test_best_responses_in_a_tree_are_computed_again() -> None:
    kuhn = tremble.load("kuhn")
    judged = judge_profile(kuhn, uniform(kuhn))
    forged = replace(judged, verification=replace(judged.verification, best_response_values=(F(1, 8), F(-1, 8))))
    assert join_profiles(kuhn, forged, forged).verification == judged.verification


def test_strategies_of_another_game_are_refused() -> None:
    kuhn, leduc = tremble.load("kuhn"), tremble.load("leduc")
    judged = judge_profile(leduc, uniform(leduc))
    found = join_profiles(kuhn, judged, judged).verification
    assert (found.ok, found.proven, found.values) == (False, None, None)
    assert found.problems


@pytest.mark.parametrize("name", ["kuhn", "leduc", "beer_quiche"])
def test_payoffs_alone_are_those_of_a_proof_and_prove_nothing(name: str) -> None:
    game = tremble.load(name)
    found = judge_values(game, uniform(game)).verification
    assert found.values == prove(game, uniform(game)).values
    assert (found.ok, found.status, found.proven, found.bounds) == (False, Status.LIMIT_REACHED, None, None)
    assert found.problems == ("best responses: not computed, so nothing is proven",)


def test_payoffs_of_a_player_without_perfect_recall() -> None:
    game = tremble.load("a_loss_counterexample:x=3")
    assert judge_values(game, uniform(game), concept="maxmin").verification.values == tremble.expected_values(
        game, uniform(game)
    )


def test_an_absentminded_player_has_no_payoffs_by_sequences() -> None:
    game = tremble.load("absentminded_driver")
    found = judge_values(game, uniform(game), concept="maxmin").verification
    assert found.values is None
    assert "absentminded" in found.problems[0] or "a path reaches this set twice" in found.problems[0]

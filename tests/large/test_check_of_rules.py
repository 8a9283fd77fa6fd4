"""Strategies by rows before the kernel: outcomes, joined profiles, lists, and limits on long numbers."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from pkgutil import resolve_name
from typing import Any

import pytest

import tremble
from hand_made import OutOrIn, kuhn_by_rows
from long_numbers import Unhashable, odd
from rules_of_trees import RulesOfTree
from tremble import check
from tremble.capabilities import registered
from tremble.check.limits import BITS, STEPS, STEPS_PER_NODE
from tremble.check.lists import ListClaim, check_list
from tremble.errors import CertificateError, GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy, key_text
from tremble.large.check import evaluate_rules, outcome_of_rules, plans_of_rules
from tremble.large.check_nature import Sums, Visits, add, least_common_multiple, total
from tremble.large.check_rows import row_faults

EXTRA = {"rules": outcome_of_rules}
Strategies = tuple[UnbuiltStrategy, UnbuiltStrategy]


def first_actions() -> Strategies:
    return UnbuiltStrategy(0, DefaultRule("first"), {}), UnbuiltStrategy(1, DefaultRule("first"), {})


def claimed(strategies: Sequence[Any], **more: Any) -> check.Claim:
    return check.Claim("nash", "certified", (strategies[0], strategies[1]), None, {}, kind="rules", **more)


def honest(game: UnbuiltGame, strategies: Strategies, **more: Any) -> check.Claim:
    """A claim whose derived numbers are all right."""
    found = evaluate_rules(game, strategies)
    assert found.best_response_values is not None
    most = list(map(str, found.best_response_values))
    certificate = {"kind": "best-response", "nash_conv": str(found.nash_conv), "best_response_values": most}
    claim = claimed(strategies, digest=game.digest, bounds=found.certified_bounds, **more)
    return replace(claim, values=found.values, certificate=certificate)


def verdict(game: UnbuiltGame, claim: check.Claim, limits: check.Limits | None = None) -> check.Verification:
    return check.check(game, claim, limits, EXTRA)


def judge(game: UnbuiltGame, strategies: Sequence[Any]) -> check.JudgedProfile:
    return check.judge(game, claimed(strategies), None, EXTRA)


def test_the_functions_are_registered() -> None:
    large = next(capability for capability in registered() if capability.name == "large")
    assert resolve_name(large.checks["rules"]) is outcome_of_rules
    assert resolve_name(large.plans["rules"]) is plans_of_rules


# -- outcomes ------------------------------------------------------------------------------------------


def test_an_outcome_of_values_only() -> None:
    game = tremble.load_rules("kuhn")
    limits = check.Limits.for_game(0)
    whole = outcome_of_rules(game, claimed(first_actions()), limits, False)
    values = outcome_of_rules(game, claimed(first_actions()), limits, True)
    assert values.values == whole.values == (0, 0)
    assert whole.best_response_values == (1, 1)
    assert (values.best_response_values, values.proven_bounds, values.details) == (None, None, None)
    assert not whole.every_leaf
    assert [response.best.player for response in whole.details] == [0, 1]


def test_swapped_players_are_a_fault() -> None:
    game = tremble.load_rules("kuhn")
    one, two = first_actions()
    fault = "strategies[0]: this is a strategy of player 2"
    found = outcome_of_rules(game, claimed((two, one)), check.Limits.for_game(0), False)
    assert found.values is None
    assert found.faults == (fault, "strategies[1]: this is a strategy of player 1")
    assert verdict(game, claimed((two, one), digest=game.digest)).problems[0] == fault
    with pytest.raises(CertificateError, match="this is a strategy of player 2"):
        evaluate_rules(game, (two, one))
    stranger = verdict(game, claimed((one, "a strategy"), digest=game.digest))
    assert stranger.problems[0].startswith("strategies[1]: expected a strategy with rows and a default")


def test_a_player_who_forgets_is_a_problem() -> None:
    game = tremble.load_rules("a_loss_counterexample")
    one, two = first_actions()
    after_a = key_text(game.rules, game.rules.child(game.rules.root(), 0))
    strategies = one, replace(two, rows={after_a: (("c", F(0)), ("d", F(1)))})
    found = judge(game, strategies).verification
    assert found.problems[0].startswith("player 1 forgets: it reaches the information set 'forgotten' after ")
    assert (found.proven, found.values) == (None, None)
    assert check.judge_values(game, claimed(strategies), None, EXTRA).verification.values is not None


# -- joined profiles -----------------------------------------------------------------------------------


def test_a_joined_pair_has_the_verdict_that_a_proof_of_it_has() -> None:
    game, bad = tremble.load_rules("kuhn"), first_actions()
    good: Any = tremble.solve(game).strategies
    one, two = judge(game, (good[0], bad[1])), judge(game, (bad[0], good[1]))
    assert (one.verification.proven, two.verification.proven) == ("bounds", "bounds")
    for first, second in ((one, two), (two, one), (one, one)):
        joined = check.join(game, first, second, None, EXTRA)
        assert joined.strategies == (first.strategies[0], second.strategies[1])
        assert joined.verification == judge(game, joined.strategies).verification
    best = check.join(game, one, two, None, EXTRA).verification
    assert (best.ok, best.status, best.proven, best.nash_conv) == (True, check.Status.CERTIFIED, "nash", 0)


def test_no_search_for_best_responses_is_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tremble.load_rules("kuhn")
    judged = judge(game, first_actions())

    def again(*_: object) -> None:
        raise AssertionError("a best response is searched for again")

    monkeypatch.setattr("tremble.large.check.best_response", again)
    assert check.join(game, judged, judged, None, EXTRA).verification == judged.verification


# -- lists ---------------------------------------------------------------------------------------------


def of_kuhn(game: UnbuiltGame, alpha: F, *, spare: bool = False) -> check.Claim:
    return honest(game, kuhn_by_rows(alpha, spare=spare))


def listed(game: UnbuiltGame, *members: check.Claim, **fields: Any) -> check.Verification:
    return check_list(game, ListClaim(members, digest=game.digest, **fields), None, EXTRA, plans_of_rules)


def problem(game: UnbuiltGame, *members: check.Claim, **fields: Any) -> str:
    found = listed(game, *members, **fields)
    assert not found.ok
    return found.problems[0]


def test_lists_of_strategies_from_rules() -> None:
    game = tremble.load_rules("kuhn")
    one, two = of_kuhn(game, F(1, 4)), of_kuhn(game, F(1, 3))
    true = listed(game, one, two, unique=False, unique_plans=(False, True))
    assert true.ok
    assert {field.name: field.believed is not None for field in true.fields} == {
        "equilibria": False, "unique": False, "unique_plans[0]": False, "unique_plans[1]": True,
    }  # fmt: skip
    assert true.fields[0].proven == "each is a proven Nash equilibrium; at least 2 of 2 are different realization plans"
    assert listed(game, one, unique=True).ok
    assert problem(game, one, one).startswith("equilibria[1]: the same equilibrium")
    assert problem(game, one, two, unique=True).startswith("unique: true")
    wrong = problem(game, one, two, unique_plans=(True, False))
    assert wrong.startswith("unique_plans[0]: true, but the plans are different")
    wrong = problem(game, one, two, unique_plans=(False, False))
    assert wrong.startswith("unique_plans[1]: false, but the plans are not")
    for name, value in (("pairs", ((0, 0), (1, 0))), ("components", ((0, 1),)), ("maximal_subsets", ())):
        assert problem(game, one, two, **{name: value}).startswith(f"{name}: cannot be checked")
    same = of_kuhn(game, F(1, 4), spare=True)  # another text, the same play
    assert problem(game, one, same, unique=False).startswith("unique: false, but no two")
    assert problem(game, one, same, unique_plans=(False, True)).startswith("unique_plans[0]: false")
    wrong = problem(game, one, same, unique_plans=(True, True))
    assert wrong.startswith("unique_plans[0]: true, but equilibria[0] and equil")
    assert listed(game, one, same).ok


def test_plans_that_differ_where_play_never_comes_are_not_called_one() -> None:
    """Player 2's strategies are two plans, but player 1 never lets them show it."""
    game = UnbuiltGame.of(OutOrIn())
    members = []
    for p in (F(0), F(1)):
        second = UnbuiltStrategy(1, DefaultRule("first"), {"second": (("l", 1 - p), ("r", p))})
        members.append(replace(honest(game, (first_actions()[0], second)), bounds=None))
    assert listed(game, *members).ok
    start = "unique_plans[1]: true, but equilibria[0] and equilibria[1] state other rows of player 2"
    assert problem(game, *members, unique_plans=(True, True)).startswith(start)
    assert problem(game, *members, unique_plans=(False, False)).startswith("unique_plans[0]: false")
    again = listed(game, *members, unique_plans=(True, True)).problems
    assert len(again) == 1  # player 1 has one plan


# -- limits --------------------------------------------------------------------------------------------


def test_long_numbers_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row that comes into play multiplies the weights of the histories that follow."""
    monkeypatch.setattr("tremble.check.limits.STEPS", 3 * 10**7)
    monkeypatch.setattr("tremble.check.limits.STEPS_PER_NODE", 0)
    monkeypatch.setattr("tremble.large.check_nature.STEPS_PER_NODE", 1)
    game = tremble.load_rules("leduc")
    assert verdict(game, honest(game, tremble.solve(game).strategies)).ok  # type: ignore[arg-type]
    rules, draw = game.rules, random.Random(4)
    rows: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    stack = [rules.root()]
    while stack:
        h = stack.pop()
        mover = rules.player(h)
        if mover == TERMINAL:
            continue
        actions = rules.actions(h)
        if mover != CHANCE:
            whole = odd(1000, draw)
            first = F(draw.randrange(whole), whole)
            rest = [F(0)] * (len(actions) - 2)
            rows[mover].setdefault(
                key_text(rules, h), tuple(zip(actions, [first, 1 - first, *rest][: len(actions)], strict=True))
            )
        stack.extend(rules.child(h, i) for i in range(len(actions)))
    strategies = tuple(UnbuiltStrategy(player, DefaultRule("first"), rows[player]) for player in (0, 1))
    found = judge(game, strategies).verification
    assert found.problems[0].startswith("strategies: too large to check: the check needs more than")


def test_memory_for_long_numbers_has_a_limit() -> None:
    game = tremble.load_rules("kuhn")
    whole = odd(1000, random.Random(1))
    bet = (("check", F(1, whole)), ("bet", F(whole - 1, whole)))
    one = replace(first_actions()[0], rows={"J:": bet})
    claim = claimed((one, first_actions()[1]))
    assert outcome_of_rules(game, claim, check.Limits(STEPS, BITS), False).values is not None
    with pytest.raises(
        check.limits.TooLarge, match=r"strategies(\[0\])?: too large to check: the numbers that the check computes"
    ):
        outcome_of_rules(game, claim, check.Limits(10**20, -(10**6)), False)


def test_limits_grow_once_with_the_histories_and_further_claims_pay() -> None:
    game = tremble.load_rules("kuhn:cards=12")
    member = claimed(first_actions(), digest=game.digest)
    spent, allowed = [], []
    for many in (1, 2, 4):
        limits = check.Limits.for_game(0)
        for _ in range(many):
            outcome_of_rules(game, member, limits, False)
        allowed.append(limits.allowed[0])
        spent.append(limits.allowed[0] - limits.steps)
    assert allowed[0] > STEPS + 3 * 12 * 11 * STEPS_PER_NODE  # visited histories are granted once
    assert allowed[0] == allowed[1] == allowed[2]
    assert spent[0] > 3 * 12 * 11 * 2_000
    assert (spent[1], spent[2]) == (2 * spent[0], 4 * spent[0])


def test_a_list_that_is_too_long_is_not_checked_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tremble.check.limits.STEPS", 10**6)
    monkeypatch.setattr("tremble.check.limits.STEPS_PER_NODE", 10**4)
    monkeypatch.setattr("tremble.large.check_nature.STEPS_PER_NODE", 10**4)
    game = tremble.load_rules("kuhn:cards=12")
    members = (claimed(first_actions(), digest=game.digest),) * 100
    searches = 0

    def counted(*arguments: Any) -> check.Outcome:
        nonlocal searches
        found = outcome_of_rules(*arguments)
        searches += 1
        return found

    limits = check.Limits.for_game(0)
    found = check_list(game, ListClaim(members, digest=game.digest), limits, {"rules": counted}, plans_of_rules)
    assert not found.ok
    assert 1 <= searches < 20


def test_payments_leave_no_limits_as_they_are() -> None:
    limits = check.Limits(float("inf"), float("inf"))
    Visits(limits).pay(10**6)
    assert limits.steps == limits.allowed[0] == float("inf")


def test_memory_for_common_denominators_is_given_back() -> None:
    limits = check.Limits.for_game(0)
    primes = [2**1279 - 1, 2**2203 - 1, 3**999]
    assert least_common_multiple(primes, limits) == primes[0] * primes[1] * primes[2]
    assert limits.bits == BITS
    assert limits.steps < STEPS


def test_denominators_are_compared_and_not_hashed() -> None:
    """Different integers with the same hash would make every look-up as long as the table."""
    limits = check.Limits.for_game(0)
    assert least_common_multiple((Unhashable(n) for n in (4, 6, 4)), limits) == 12
    alike = [1 + sys.hash_info.modulus * (i + 1) for i in range(2)]
    sums: Sums = {}
    for n in alike:
        add(sums, 1, Unhashable(n), limits)
        add(sums, 1, Unhashable(n), limits)
    assert total(sums, limits) == sum(F(2, n) for n in alike)


# -- numbers that are not exact --------------------------------------------------------------------------


def test_numbers_that_are_not_exact_are_faults() -> None:
    one = UnbuiltStrategy(0, DefaultRule("first"), {"J:": (("check", F(1)), ("bet", 0.5))})  # type: ignore[dict-item]
    assert "0.5 is a float, not an exact number; write '0.5'" in row_faults(one)[0]

    class Floats(RulesOfTree):
        def payoff(self, h: int) -> Any:
            return tuple(map(float, super().payoff(h)))

    with pytest.raises(GameError, match=r"payoff.* is a float, not an exact number"):
        evaluate_rules(UnbuiltGame.of(Floats(tremble.load("kuhn"))), first_actions())

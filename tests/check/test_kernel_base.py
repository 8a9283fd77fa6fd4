"""Each check of the kernel refuses a claim that nothing else refuses: without the check, the claim is accepted."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import Any

import pytest

import tremble
from check.claims import claim_of, honest, strategies_of
from tremble import TreeBuilder, check
from tremble.check.limits import Limits, TooLarge, common_denominator
from tremble.results import certification

KUHN = tremble.load("kuhn")
ENTRY = tremble.load("entry_deterrence")  # (out, fight) is a Nash equilibrium that rests on an incredible threat
NOTHING = tremble.matrix_game([[0, 0], [0, 0]])  # everything is an equilibrium
PENNIES = tremble.matrix_game([[1, -1], [-1, 1]])

Claim = check.Claim


def plans(x: Any, y: Any, trembles: Any = "any", scale: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    """Return a certificate of kind `polynomials`."""
    x, y = ([[str(number) for number in row] for row in side] for side in (x, y))
    return {"kind": "polynomials", "X": x, "Y": y, "denominator": list(map(str, scale)), "trembles": trembles}


def threat(concept: str, certificate: Any = None, **more: Any) -> Claim:
    return honest(ENTRY, strategies_of(ENTRY, [[1, 0]], [[0, 1]]), concept, certificate, **more)


def solved(concept: str, game: Any = KUHN) -> Claim:
    return _solved(game.title, concept) if game is KUHN else claim_of(tremble.solve(game, concept))


@cache
def _solved(title: str, concept: str) -> Claim:
    return claim_of(tremble.solve(KUHN, concept))


NEAR_THREAT = plans([[1, 1, 0], [0, -1, 1]], [[1, 0, 1], [0, 1, -1]])
UNIFORM = strategies_of(KUHN, [[1, 1]] * 6, [[1, 1]] * 6)
MIXED = strategies_of(NOTHING, [[1, 1]], [[1, 1]])
PURE = strategies_of(NOTHING, [[1, 0]], [[1, 0]])
EVEN, FIRST = [[2, 1, 1]], [[1, 1, 0], [0, -1, 1]]


def quasi(strategies: Any, certificate: Any, concept: str = "quasi-perfect") -> tuple[Any, Claim]:
    return NOTHING, honest(NOTHING, strategies, concept, certificate)


def marked(claim: Claim, value: bool) -> Claim:
    one, two = claim.strategies
    return replace(claim, strategies=(replace(one, off_path=[value] * len(one.infosets)), two))


def wrong_belief() -> Claim:
    claim = solved("sequential")
    first, *others = claim.beliefs[1]
    nodes = [(path, F(i == 0)) for i, (path, _) in enumerate(first[1])]
    nodes = nodes if nodes != list(first[1]) else [(path, F(i == 1)) for i, (path, _) in enumerate(first[1])]
    return replace(claim, beliefs=[claim.beliefs[0], [(first[0], nodes), *others]])


def unbelieved() -> Claim:
    """Return a claim with consistent beliefs and play that is not rational given them."""
    path = ("enter",)
    beliefs = [[(0, [((), F(1))])], [(0, [(path, F(1))])]]
    return threat("sequential", {"kind": "consistent-trembles", "trembles": None, "orders": None}, beliefs=beliefs)


def mistakes(**changes: Any) -> Claim:
    """Return a refutation of the threat, with changes."""
    refutation = {
        "concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [2], "tight": [1],
        "deviation": [[1, "1"], [2, "-1"]], "flow": [], "ratio": [],
    } | changes  # fmt: skip
    return threat("nash", refutation=refutation, certificate=None)


def dominated(concept: str, tight: list[int]) -> tuple[Any, Claim]:
    """Return a sequential equilibrium in which player 2 plays what is weakly dominated, and a refutation of it."""
    game = tremble.matrix_game([[1, 1], [0, 0]], [[1, 1], [1, 0]])
    refutation = {
        "concept": concept, "kind": "mistakes", "player": 1, "blocked": [2], "tight": tight,
        "deviation": [[1, "1"], [2, "-1"]], "flow": [], "ratio": [],
    }  # fmt: skip
    return game, honest(game, strategies_of(game, [[1, 0]], [[0, 1]]), refutation=refutation)


ONLY: list[tuple[str, str, Any, Callable[[], tuple[Any, Claim]]]] = [
    ("gain", "nash.check_equilibrium", None, lambda: (KUHN, honest(KUHN, UNIFORM))),
    ("gain, refined", "nash.check_equilibrium", None, lambda: (KUHN, honest(KUHN, UNIFORM, "subgame-perfect"))),
    ("bounds", "nash.check_bounds", None, lambda: (KUHN, replace(solved("nash"), bounds=(F(-1), F(1))))),
    ("no bounds", "nash.check_bounds", None, lambda: (KUHN, replace(solved("nash"), bounds=None))),
    ("best responses", "nash.check_best_response_certificate", None,
     lambda: (KUHN, replace(solved("nash"), certificate={**solved("nash").certificate, "nash_conv": "1"}))),
    ("marks", "nash.check_off_path", None, lambda: (KUHN, marked(solved("nash"), True))),
    ("marks, refined", "nash.check_play_everywhere", None, lambda: (KUHN, marked(solved("quasi-perfect"), True))),
    ("subgame", "subgame_perfect.subgame_gains", [], lambda: (ENTRY, threat("subgame-perfect"))),
    ("flow", "quasi_perfect.check_plan", True, lambda: quasi(MIXED, plans([*EVEN, [0, 1, 0]], EVEN, "any", (2, 2)))),
    ("not mixed", "quasi_perfect.check_plan", True, lambda: quasi(PURE, plans([[1, 1, 0]], FIRST))),
    ("tremble", "quasi_perfect.check_plan", True,
     lambda: quasi(PURE, plans(FIRST, FIRST, [[["1", "2"]], [["1", "1"]]]))),
    ("limits", "quasi_perfect.check_limits", None,
     lambda: quasi(strategies_of(NOTHING, [[1, 2]], [[1, 1]]), plans(EVEN, EVEN, "any", (2, 2)))),
    ("replies", "quasi_perfect.check_replies", None, lambda: (ENTRY, threat("quasi-perfect", NEAR_THREAT))),
    ("replies, perfect", "quasi_perfect.check_replies", None, lambda: (ENTRY, threat("perfect", NEAR_THREAT))),
    ("replies, one-sided", "quasi_perfect.check_replies", None,
     lambda: (ENTRY, threat("one-sided-quasi-perfect", {**NEAR_THREAT, "trembles": ["any", "none"]}))),
    ("beliefs", "sequential._check_beliefs", None, lambda: (KUHN, wrong_belief())),
    ("rationality", "sequential._check_rationality", None, lambda: (ENTRY, unbelieved())),
    ("alpha", "mistakes._check_alpha", None, lambda: (ENTRY, mistakes(deviation=[], tight=[]))),
    ("deviation", "mistakes.check_change", None, lambda: (ENTRY, mistakes(deviation=[[1, "2"], [2, "-1"]]))),
    ("reached", "mistakes._check_unreached", None, lambda: dominated("sequential", [])),
    ("no gain", "refute._best_response", None,
     lambda: (KUHN, replace(solved("nash"), refutation={"concept": "nash", "kind": "best-response"}))),
    ("every field", "judging._check_rest", None,
     lambda: (KUHN, replace(solved("nash"), stated=frozenset(["regret"])))),
    ("names", "judging._check_names", None, lambda: (KUHN, replace(solved("nash"), requested="happy"))),
    ("digest", "judging.check_digest", None, lambda: (KUHN, replace(solved("nash"), digest="sha256:0"))),
]  # fmt: skip


@pytest.mark.parametrize(("target", "result", "make"), [row[1:] for row in ONLY], ids=[row[0] for row in ONLY])
def test_only_this_check_refuses(
    target: str, result: Any, make: Callable[[], tuple[Any, Claim]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, claim = make()
    found = check.check(game, claim)
    assert not found.ok
    assert found.proven is found.disproven is None

    def skip(case: Any, *_: Any, **__: Any) -> Any:
        if isinstance(case, check.Case):
            case.checked.update(("bounds", "certificate", "off_path", "beliefs"))
        return result

    monkeypatch.setattr(f"tremble.check.{target}", skip)
    if target.startswith("refute."):
        kinds = {"best-response": (("nash",), lambda *_: None)}
        monkeypatch.setattr("tremble.check.refute._KINDS", kinds)
    assert check.check(game, claim).ok


def fake_mistakes(**parts: Any) -> tuple[Any, Claim]:
    """Return a refutation of an equilibrium of the game in which nothing matters."""
    refutation = {
        "concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [2], "tight": [],
        "deviation": [], "flow": [], "ratio": [],
    } | parts  # fmt: skip
    return NOTHING, honest(NOTHING, PURE, refutation=refutation)


def negative_weight() -> tuple[Any, Claim]:
    game, claim = dominated("quasi-perfect", [])
    game = tremble.matrix_game([[1, 1], [0, 0]], [[1, 1], [0, 1]])  # now what player 2 plays dominates
    refutation = {**(claim.refutation or {}), "deviation": [[1, "-1"], [2, "1"]]}
    return game, honest(game, claim.strategies, refutation=refutation)


WEIGHTS = [[["1", "0"]], [["1", "1"]]]
CLOSER = plans([[1, 0, 1], [0, 1, -1]], [[1, 1, 0], [0, -2, 2]], None)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: fake_mistakes(blocked=[]), "refutation.blocked: must not be empty"),
        (lambda: fake_mistakes(flow=[[1, "1"]], ratio=[[1, "1"]]), "refutation.ratio"),
        (negative_weight, "has a negative weight"),
        (lambda: quasi(PURE, plans([[1, 1, 0], [1, 0, 1]], FIRST)), "the empty sequence is played with probability 1"),
        (lambda: quasi(PURE, plans(FIRST, FIRST, WEIGHTS)), "the weight of a tremble must be positive, not 0"),
        (lambda: quasi(PURE, plans(FIRST, FIRST), "one-sided-quasi-perfect"), "both players make mistakes"),
        (lambda: (ENTRY, replace(threat("nash"), status="bounded")), "'bounded' needs a game whose payoffs have"),
        (lambda: (ENTRY, honest(ENTRY, strategies_of(ENTRY, [[0, 1]], [[1, 0]]), "quasi-perfect", CLOSER)),
         "'fight' is played beyond its tremble, but 'accommodate' earns more at order e^0"),
    ],
)  # fmt: skip
def test_the_only_problem(make: Callable[[], tuple[Any, Claim]], text: str) -> None:
    (problem,) = check.check(*make()).problems
    assert text in problem


def test_probabilities_of_chance_sum_to_one() -> None:
    class Biased:
        """Kuhn poker with other probabilities."""

        chance_tables = tuple(replace(t, probabilities=(F(1, 5),) * 6) for t in KUHN.chance_tables)

        def __getattr__(self, name: str) -> Any:
            return getattr(KUHN, name)

    assert "do not sum to 1" in check.check(Biased(), solved("nash")).problems[0]


def test_true_claims_are_proven() -> None:
    for concept in ("nash", "quasi-perfect", "sequential"):
        assert check.check(KUHN, solved(concept)).proven == concept
    assert check.check(ENTRY, threat("nash")).proven == "nash"
    faultless = plans([[1, 1, 0]], [[1, 0, 1], [0, 1, -1]], ["none", "any"])
    one_sided = check.check(ENTRY, threat("one-sided-quasi-perfect", faultless))
    assert (one_sided.proven, one_sided.proven_player) == ("one-sided-quasi-perfect", 0)
    assert check.check(ENTRY, mistakes()).disproven == "quasi-perfect"
    for sides in (["none", "none"], ["any", "any"]):
        assert not check.check(ENTRY, threat("one-sided-quasi-perfect", {**faultless, "trembles": sides})).ok


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"values": (F(0), F(0))}, "values[0]: the expected payoff of player 1 is stated as 0, but it is -1/18"),
        ({"values": None}, "values: missing"),
        ({"status": "proven"}, "status: 'proven' is no known status"),
        ({"status": "limit-reached"}, "status: 'limit-reached' states neither"),
        ({"status": "bounded", "concept": "quasi-perfect"}, "concept: 'quasi-perfect' is not proven by a solution"),
        ({"concept": "happy"}, "concept: this version cannot check 'happy'"),
        ({"beliefs": [[], []]}, "beliefs: the concept 'nash' defines no beliefs"),
        ({"kind": "rules"}, "strategies: they belong to a game that is not built as a tree, but this game is a tree"),
        ({"certificate": {}}, "certificate.kind: missing"),
        ({"certificate": ["best-response"]}, "certificate: not an object"),
        ({"refutation": {"concept": "nash", "kind": "magic"}}, "refutation.kind: must be 'best-response'"),
        ({"refutation": {"concept": "happy", "kind": "subgame"}}, "refutation.concept: 'happy'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(changes: dict[str, Any], text: str) -> None:
    found = check.check(KUHN, replace(solved("nash"), **changes))
    assert not found.ok
    assert any(problem.startswith(text) for problem in found.problems), found.problems


def test_bounded_claims_state_no_more_than_the_strategies_prove() -> None:
    claim = replace(honest(KUHN, UNIFORM), status="bounded", bounds=(F(-5, 12), F(1, 2)))
    assert check.check(KUHN, claim).proven == "bounds"
    assert check.check(KUHN, replace(claim, bounds=(F(-1), F(1)))).ok
    for bounds, text in (((F(-1, 3), F(1, 2)), "guarantees only -5/12"), ((F(-1), F(1, 3)), "can earn 1/2")):
        assert text in check.check(KUHN, replace(claim, bounds=bounds)).problems[0]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"numerator": [3, -1, *[1, 1] * 5]}, "is negative: -1/2"),
        ({"numerator": [1, 2, *[1, 1] * 5]}, "the probabilities sum to 3/2, not 1"),
        ({"numerator": [0.5, 1.5, *[1, 1] * 5]}, "not a fraction of Python integers"),
        ({"denominator": [0, *[2] * 5]}, "the denominator is not positive"),
        ({"infosets": (0, 1, 2, 3, 4, 4)}, "the row is given more than once"),
        ({"infosets": (0, 1, 2, 3, 4, 6)}, "there is no such set"),
        ({"infosets": (1, 0, 2, 3, 4, 5)}, "the rows are not sorted"),
        ({"actions": (("bet", "check"), *UNIFORM[0].actions[1:])}, "but the game has ('check', 'bet')"),
        ({"off_path": [False]}, "the strategy needs one probability for each action"),
    ],
)  # fmt: skip
def test_strategies_are_distributions_over_the_actions_of_the_game(changes: dict[str, Any], text: str) -> None:
    claim = replace(solved("nash"), strategies=(replace(UNIFORM[0], **changes), UNIFORM[1]))
    assert any(text in problem for problem in check.check(KUHN, claim).problems)


def test_chance_that_never_comes_and_forgotten_moves() -> None:
    builder = TreeBuilder()
    builder.chance(["always", "never"], [F(1), F(0)])
    builder.decision(0, "a", ("good", "bad"))
    builder.leaf(1, 1)
    builder.leaf(0, 0)
    builder.decision(0, "b", ("good", "bad"))
    builder.leaf(1, 1)
    builder.leaf(0, 0)
    tree = builder.finish()
    never = honest(tree, strategies_of(tree, [[1, 0], [0, 1]], []), "subgame-perfect")
    assert check.check(tree, never).ok
    for name in ("subgame", "best-response"):
        more = {"path": ["never"], "player": 1} if name == "subgame" else {}
        refuted = replace(never, refutation={"concept": "subgame-perfect", "kind": name, **more})
        assert not check.check(tree, refuted).ok
    forgetful = tremble.load("a_loss_counterexample")
    rows = [[[1] * len(labels) for labels in side] for side in forgetful.actions]
    strategies = strategies_of(forgetful, *rows)
    claim = Claim("nash", "certified", strategies, (F(0), F(0)), {}, digest=forgetful.digest)
    assert "the player forgets its earlier moves" in check.check(forgetful, claim).problems[0]


def test_a_refutation_by_subgame_names_a_subgame_where_somebody_gains() -> None:
    refutation = {"concept": "sequential", "kind": "subgame", "path": ["enter"], "player": 2}
    assert check.check(ENTRY, threat("nash", refutation=refutation)).disproven == "sequential"
    for changes in ({"player": 1}, {"path": []}, {"path": ["out"]}, {"path": "enter"}, {"player": 3}):
        assert not check.check(ENTRY, threat("nash", refutation=refutation | changes)).ok


@pytest.mark.parametrize(
    "changes",
    [
        {"blocked": []}, {"blocked": [2, 2]}, {"blocked": [3]}, {"tight": []}, {"tight": [2]}, {"player": 2},
        {"concept": "sequential"}, {"deviation": [[1, "-1"], [2, "1"]]}, {"ratio": [[1, "1"]]}, {"flow": [[1, "1"]]},
        {"deviation": [[0, "1"]]}, {"deviation": [[1, 1], [2, "-1"]]}, {"flow": [[1]]},
    ],
)  # fmt: skip
def test_each_multiplier_of_a_refutation_counts(changes: dict[str, Any]) -> None:
    assert check.check(ENTRY, mistakes(**changes)).disproven is None


def test_mistakes_disprove_perfection_beyond_leading_orders_where_nobody_moves_twice() -> None:
    for concept in ("quasi-perfect", "perfect", "one-sided-quasi-perfect"):
        found = check.check(*dominated(concept, [1]))
        assert found.disproven == concept
        assert found.disproven_player == (1 if concept == "one-sided-quasi-perfect" else None)
    assert check.check(*dominated("perfect", [])).disproven is None


def test_what_only_a_mistake_leads_to_is_worth_nothing_under_the_belief() -> None:
    """Behind player 2's mistake player 1 would earn 10, which the action that risks it must not be credited with."""
    builder = TreeBuilder()
    builder.decision(0, "first", ("safe", "risk"))
    builder.leaf(1, 1)
    builder.decision(1, "other", ("stay", "err"))
    builder.leaf(0, 1)
    builder.decision(0, "second", ("good", "bad"))
    builder.leaf(10, 0)
    builder.leaf(0, 0)
    tree = builder.finish()
    trembles = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    paths = ((), ("risk", "err")), (("risk",),)
    beliefs = [[(k, [(path, F(1))]) for k, path in enumerate(side)] for side in paths]
    for second, ok in (([1, 0], True), ([0, 1], False)):
        strategies = strategies_of(tree, [[1, 0], second], [[1, 0]])
        found = check.check(tree, honest(tree, strategies, "sequential", trembles, beliefs=beliefs))
        assert found.ok == ok, found.problems


def test_maxmin_by_best_responses_needs_a_constant_sum_and_by_other_proofs_a_supplier() -> None:
    claim = honest(PENNIES, strategies_of(PENNIES, [[1, 1]], [[1, 1]]), "maxmin")
    assert check.check(PENNIES, claim).proven == "maxmin"
    pure = honest(PENNIES, strategies_of(PENNIES, [[1, 0]], [[1, 0]]), "maxmin")
    found = check.check(PENNIES, replace(pure, bounds=(F(-1), F(1))))
    assert found.problems[0].startswith("player 2 can gain 2 by deviating")
    general = honest(ENTRY, strategies_of(ENTRY, [[0, 1]], [[1, 0]]), "maxmin")
    assert "no constant sum" in check.check(ENTRY, general).problems[0]
    by_passes = replace(claim, certificate={"kind": "guarantee", "player": 2}, bounds=(F(-1, 8), F(1, 8)))
    assert "not installed" in check.check(PENNIES, by_passes).problems[0]

    def supply(game: Any, claim: Claim, limits: Limits, values_only: bool) -> check.Outcome:
        return check.Outcome((F(0), F(0)), bounds=(F(-1, 8), F(1, 8)), epsilon=F(1, 4))

    found = check.check(PENNIES, by_passes, extra={"maxmin": supply})
    assert (found.proven, found.proven_player, found.bounds) == ("maxmin", 1, (F(-1, 8), F(1, 8)))
    wide = replace(by_passes, bounds=(F(-1, 8), F(1, 4)))
    assert not check.check(PENNIES, wide, extra={"maxmin": supply}).ok
    low = lambda *_: replace(supply(*_), epsilon=F(1, 5))  # noqa: E731
    assert "certificate.epsilon" in check.check(PENNIES, by_passes, extra={"maxmin": low}).problems[0]
    assert check.check(PENNIES, replace(by_passes, status="bounded"), extra={"maxmin": low}).proven == "bounds"


# -- judging and joining -------------------------------------------------------------------------------


def test_strategies_are_judged_by_what_they_deserve() -> None:
    ask = lambda claim, game=KUHN: check.judge(game, replace(claim, values=None)).verification  # noqa: E731
    uniform = ask(Claim("nash", "certified", UNIFORM, None, {}))
    assert (uniform.proven, uniform.status, uniform.bounds) == ("bounds", "bounded", (F(-5, 12), F(1, 2)))
    assert ask(solved("quasi-perfect")).proven == "quasi-perfect"
    refused = ask(threat("quasi-perfect", NEAR_THREAT, refutation=mistakes().refutation), ENTRY)
    assert (refused.ok, refused.proven, refused.disproven) == (False, "nash", "quasi-perfect")
    nothing = ask(Claim("nash", "certified", strategies_of(ENTRY, [[1, 1]], [[1, 1]]), None, {}), ENTRY)
    assert (nothing.proven, nothing.status) == (None, "limit-reached")
    values = check.judge_values(KUHN, Claim("nash", "certified", UNIFORM, None, {})).verification
    assert (values.values, values.proven, values.nash_conv) == ((F(1, 8), F(-1, 8)), None, None)


class Unbuilt:
    """Kuhn poker as a game that the kernel cannot read."""

    digest, spec, title = "rules:kuhn", None, "kuhn"


def supplier(calls: list[bool]) -> Any:
    def supply(game: Any, claim: Claim, limits: Limits, values_only: bool) -> check.Outcome:
        calls.append(values_only)
        _, found = check.outcome_of(KUHN, replace(claim, kind="tree"))
        most = None if values_only else found.best_response_values
        return check.Outcome(found.values, most, found.constant_sum, every_leaf=False)

    return {"rules": supply}


def test_joined_profiles_take_best_responses_from_issued_verdicts_only() -> None:
    good, calls, game = solved("nash").strategies, list[bool](), Unbuilt()
    extra = supplier(calls)
    ask = lambda one, two: check.judge(  # noqa: E731
        game, Claim("nash", "certified", (one, two), None, {}, kind="rules"), extra=extra
    )
    one, two = ask(good[0], UNIFORM[1]), ask(UNIFORM[0], good[1])
    assert (one.verification.proven, two.verification.proven) == ("bounds", "bounds")
    calls.clear()
    joined = check.join(game, one, pickle.loads(pickle.dumps(two)), extra=extra)
    assert (joined.verification.proven, joined.verification.bounds, calls) == ("nash", (F(-1, 18), F(-1, 18)), [True])
    forged = replace(one, verification=joined.verification)
    calls.clear()
    assert check.join(game, forged, two, extra=extra).verification.proven == "nash"
    assert calls == [False]
    liar = replace(one, strategies=(UNIFORM[0], UNIFORM[1]), verification=joined.verification)
    assert check.join(game, liar, two, extra=extra).verification.proven == "bounds"
    contradicted = replace(one.verification, best_response_values=(F(-9), F(-9)))
    object.__setattr__(one, "verification", contradicted)  # no strategy earns more than a best response
    calls.clear()
    assert check.join(game, one, two, extra=extra).verification.proven == "nash"
    assert calls == [True, False]
    tree = [check.judge(KUHN, Claim("nash", "certified", pair, None, {})) for pair in (good, UNIFORM)]
    assert check.join(KUHN, tree[0], tree[0]).verification.proven == "nash"
    assert check.join(KUHN, *tree).verification.proven == "bounds"


def test_games_that_are_not_built_state_only_nash() -> None:
    good, game = solved("nash"), Unbuilt()
    claim = replace(good, kind="rules", digest=game.digest)
    found = check.check(game, claim, extra=supplier([]))
    assert found.proven == "nash"
    assert any("known only for the plays" in note for note in found.notes)
    assert not check.check(game, replace(claim, concept="quasi-perfect"), extra=supplier([])).ok
    assert not check.check(game, replace(claim, kind="tree"), extra=supplier([])).ok
    assert not check.check(game, claim).ok


GARBAGE = (None, True, 1, 10**5000, "1/0", "-0", "2/4", "1" * 250_000, [], {}, [[]], float("nan"), object(), (("a",),))


def test_garbage_in_proofs_is_refused_in_words() -> None:
    claims = [(KUHN, solved(concept)) for concept in ("nash", "quasi-perfect", "sequential")] + [(ENTRY, mistakes())]
    for game, claim in claims:
        for value in GARBAGE:
            for name in ("certificate", "refutation"):
                for key, true in (getattr(claim, name) or {}).items():
                    found = check.check(game, replace(claim, **{name: {**getattr(claim, name), key: value}}))
                    assert found.problems or value == true or (key, value) == ("trembles", None), (claim.concept, key)
            if claim.beliefs is not None:
                for beliefs in (value, [value, value], [[(0, value)], claim.beliefs[1]]):
                    assert check.check(game, replace(claim, beliefs=beliefs)).problems


# -- limits --------------------------------------------------------------------------------------------


def test_long_numbers_are_refused_before_they_are_made() -> None:
    primes = [2**n - 1 for n in (4423, 9689, 9941, 11213)]
    limits = Limits(10**6, 10**9)
    with pytest.raises(TooLarge, match="here: too large to check: the check needs more than"):
        common_denominator(primes, limits, "here")
    with pytest.raises(TooLarge, match="a single operation"):
        Limits(10**12, 10**12).charge("here", 10**7, 10**7)
    with pytest.raises(TooLarge, match="MiB"):
        Limits(10**12, 1000).charge("here", 1000, 1000)
    assert common_denominator([4, 6, 10, 6], Limits(1, 1), "here") == 60


def test_a_tick_may_stop_a_check() -> None:
    def stop() -> None:
        raise tremble.LimitReached("stopped")

    with pytest.raises(tremble.LimitReached):
        check.check(KUHN, solved("quasi-perfect"), Limits.for_game(KUHN.num_nodes, stop))


def test_a_list_of_problems_ends_with_a_count() -> None:
    leduc = tremble.load("leduc")
    rows = [[[1] * len(labels) for labels in side] for side in leduc.actions]
    claim = marked(honest(leduc, strategies_of(leduc, *rows)), True)
    found = check.check(leduc, claim)
    assert len(found.problems) == 21
    assert found.problems[-1].startswith("and ")


def test_certificates_of_random_profiles_agree_with_the_package() -> None:
    profile = tuple(tremble.BehaviorStrategy.uniform(ENTRY, player) for player in (0, 1))
    solution = certification(ENTRY, profile, "quasi-perfect").solution  # type: ignore[arg-type]
    assert check.check(ENTRY, claim_of(solution)).disproven == "quasi-perfect"

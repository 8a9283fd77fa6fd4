"""What verdicts say, for every combination of what the checks found; and what judging and joining pass on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from claims import claim_of, honest, strategies_of

import tremble
from tremble import check
from tremble.check import joining
from tremble.check.best_response import Outcome
from tremble.check.claim import Claim, Problems
from tremble.check.judging import case_of, limits_for, wrong_kind
from tremble.check.limits import STEPS, STEPS_PER_NODE, Limits, TooLarge
from tremble.check.tree import sequence_form
from tremble.check.verdict import JudgedProfile, Verification, conclude, deserved, issue, proven_player
from tremble.status import Status

KUHN = tremble.load("kuhn")
NASH = claim_of(tremble.solve(KUHN))
UNIFORM = strategies_of(KUHN, [[1, 1]] * 6, [[1, 1]] * 6)
ENTRY = tremble.load("entry_deterrence")
THREAT = honest(ENTRY, strategies_of(ENTRY, [[1, 0]], [[0, 1]]))

ONE_SIDED = {"trembles": ["any", "none"]}
CLAIM = Claim("one-sided-quasi-perfect", "certified", ("one", "two"), None, ONE_SIDED,
              refutation={"concept": "one-sided-quasi-perfect", "player": 1})  # fmt: skip
VALUES, EVEN, BETTER = (F(1), F(2)), (F(1), F(2)), (F(4), F(2))
OUTCOMES = {
    "none": None,
    "equilibrium": Outcome(VALUES, EVEN, notes=("a note",)),
    "bounded equilibrium": Outcome(VALUES, EVEN, F(3)),
    "bounded": Outcome(VALUES, BETTER, F(3)),
    "neither": Outcome(VALUES, BETTER),
    "unknown": Outcome(VALUES),
}
NOTHING_TO_PROVE = "status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove"


class Unbuilt:
    """Kuhn poker as a game that the kernel cannot read."""

    digest: str | None = "rules:kuhn"
    spec, title = None, "kuhn"


RULES = replace(NASH, kind="rules", digest=Unbuilt.digest)


def parts(found: Verification) -> dict[str, Any]:
    return {field.name: getattr(found, field.name) for field in fields(found)}


def facts(outcome: Outcome | None) -> dict[str, Any]:
    """Return what each verdict copies from the outcome."""
    known = outcome or Outcome(None)
    return {
        "nash_conv": known.nash_conv, "values": known.values, "bounds": known.proven_bounds,
        "best_response_values": known.best_response_values, "concept": CLAIM.concept, "fields": (),
    }  # fmt: skip


@pytest.mark.parametrize("status", [*map(str, Status), "proven"])
@pytest.mark.parametrize("name", OUTCOMES)
def test_a_claim_is_proven_only_if_the_checks_ran_without_a_problem(status: str, name: str) -> None:
    outcome = OUTCOMES[name]
    for problem, disproven in product((False, True), (None, CLAIM.concept)):
        problems = ["a problem"] if problem else []
        if status == "limit-reached" and outcome and disproven is None:
            problems.append(NOTHING_TO_PROVE)
        if outcome is None and not problem:
            problems.append("the checks have not run")
        claim = replace(CLAIM, status=status)
        found = conclude(KUHN, claim, outcome, Problems(["a problem"] if problem else []), disproven)
        proven = {"certified": CLAIM.concept, "bounded": "bounds"}.get(status) if not problems else None
        said = disproven if not problems else None
        assert parts(found) == facts(outcome) | {
            "ok": not problems, "status": status, "proven": proven, "problems": tuple(problems),
            "notes": outcome.notes if outcome else (), "disproven": said,
            "proven_player": 1 if proven else None, "disproven_player": 1 if said else None,
        }  # fmt: skip
        assert (type(found.status) is Status) == (status != "proven")


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_judged_profile_deserves_the_strongest_proven_claim(name: str) -> None:
    outcome = OUTCOMES[name]
    for problem, disproven in product((False, True), (None, CLAIM.concept)):
        found = deserved(CLAIM, outcome, Problems(["a problem"] if problem else []), disproven)
        if outcome and not problem:
            status, proven = "certified", CLAIM.concept
        elif "equilibrium" in name:
            status, proven = "certified", "nash"
        elif name == "bounded":
            status, proven = "bounded", "bounds"
        else:
            status, proven = "limit-reached", None
        known = ("a problem",) if problem else ("the checks have not run",) if outcome is None else ()
        assert parts(found) == facts(outcome) | {
            "ok": not known, "status": status, "proven": proven, "problems": known, "notes": (), "disproven": disproven,
            "proven_player": 1 if proven in ("bounds", CLAIM.concept) else None,
            "disproven_player": 1 if disproven else None,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("concept", "certificate", "player"),
    [
        *(("maxmin", {"player": player}, None) for player in (0, 3, True, 1.0, "1", None)),
        ("maxmin", {"player": 1}, 0),
        ("maxmin", {"player": 2}, 1),
        ("maxmin", {}, None),
        ("maxmin", {"trembles": ["none", "any"]}, None),
        ("one-sided-quasi-perfect", {"trembles": ["none", "any"]}, 0),
        ("one-sided-quasi-perfect", {"trembles": ("any", "none")}, 1),
        ("one-sided-quasi-perfect", {"trembles": [[["1"]], "none"]}, 1),
        ("one-sided-quasi-perfect", {"trembles": ["any", "any"]}, None),
        ("one-sided-quasi-perfect", {"trembles": "none"}, None),
        ("one-sided-quasi-perfect", {"trembles": {"none": 1}}, None),
        ("one-sided-quasi-perfect", {"player": 1}, None),
        ("quasi-perfect", {"trembles": ["none", "any"], "player": 1}, None),
        (None, {"trembles": ["none", "any"], "player": 1}, None),
    ],
)
def test_the_player_of_a_certificate(concept: str | None, certificate: Mapping[str, Any], player: int | None) -> None:
    assert proven_player(concept, certificate) == player


def test_only_a_text_says_that_a_player_makes_no_mistakes() -> None:
    class Equal:
        """Something that equals everything."""

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert proven_player("one-sided-quasi-perfect", {"trembles": [Equal(), "none"]}) == 1


@pytest.mark.parametrize("digest", [None, "rules:kuhn"])
def test_notes_say_what_is_not_proven(digest: str | None) -> None:
    game = Unbuilt()
    game.digest = digest
    for kind, every_leaf, name in product(("tree", "rules"), (True, False), ("bounded", "neither", "equilibrium")):
        outcome = replace(OUTCOMES[name] or Outcome(None), every_leaf=every_leaf)
        starts = ["these rules have no digest"] if kind == "rules" and digest is None else []
        starts += (
            ["bounds: a constant sum of the payoffs is known only"] if name == "bounded" and not every_leaf else []
        )
        starts += ["a note"] if name == "equilibrium" else []
        notes = conclude(game, replace(CLAIM, kind=kind), outcome, Problems(), None).notes
        assert len(notes) == len(starts)
        assert all(map(str.startswith, notes, starts)), notes


# -- judging -------------------------------------------------------------------------------------------


def supplied(calls: list[tuple[Any, ...]], **changes: Any) -> dict[str, Any]:
    """Return an `extra` that answers as for a tree, and records the limits and the last argument of each call."""

    def supply(game: Any, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
        calls.append((limits, values_only))
        _, found = check.outcome_of(KUHN, replace(claim, kind="tree", concept="nash"))
        most = None if values_only else found.best_response_values
        return replace(Outcome(found.values, most, found.constant_sum), **changes)

    return {"rules": supply, "maxmin": supply}


def test_a_stated_status_or_bound_does_not_count_for_judging() -> None:
    certificate = {"kind": "best-response", "nash_conv": "11/12", "best_response_values": ["1/2", "5/12"]}
    for status in Status:
        claim = Claim("nash", str(status), UNIFORM, None, certificate, bounds=(F(-1), F(1)))
        found = check.judge(KUHN, claim).verification
        assert (found.ok, found.status, found.proven) == (False, Status.BOUNDED, "bounds")
        assert len(found.problems) == 2
        assert all("can gain" in problem for problem in found.problems)
        wrong = replace(NASH, status=str(status), bounds=(F(-1), F(1)), values=None)
        assert check.judge(KUHN, wrong).verification.ok
        assert check.judge(KUHN, replace(wrong, certificate={}, concept="proper")).verification.proven == "nash"


def test_a_refutation_is_judged_apart() -> None:
    true = {"concept": "subgame-perfect", "kind": "subgame", "path": ["enter"], "player": 2}
    for refutation, disproven, problem in (
        (true, "subgame-perfect", None),
        ({**true, "player": 1}, None, "refutation: player 1 gains nothing in the cut subgame after this path"),
        ({**true, "path": 5}, None, "refutation.path: not a list of action labels"),
    ):
        for certificate, problems in (
            (THREAT.certificate, []),
            ({}, []),
            ({"kind": "magic"}, ["certificate.kind: 'magic'; a certificate of kind 'best-response' is needed here"]),
        ):
            found = check.judge(ENTRY, replace(THREAT, certificate=certificate, refutation=refutation)).verification
            assert (found.disproven, found.proven) == (disproven, "nash")
            assert found.problems == tuple(filter(None, [problem, *problems]))


def test_strategies_that_do_not_fit_have_no_payoffs() -> None:
    wrong = replace(NASH, strategies=(UNIFORM[0], replace(UNIFORM[1], denominator=[3, *UNIFORM[1].denominator[1:]])))
    problem = f"player 2, {KUHN.set_name(1, 0)}: the probabilities sum to 2/3, not 1"
    for found in (check.check(KUHN, wrong), check.judge(KUHN, wrong).verification):
        assert (found.problems, found.proven, found.values) == ((problem,), None, None)


def test_given_limits_are_used() -> None:
    none, too_large = Limits(0, 0), ("payoffs: too large to check: ",)
    rules: Any = Unbuilt()
    judged = check.judge(KUHN, NASH)
    for work in (
        lambda limits: check.check(KUHN, NASH, limits),
        lambda limits: check.judge(KUHN, NASH, limits).verification,
        lambda limits: check.judge_values(KUHN, NASH, limits).verification,
        lambda limits: check.join(KUHN, judged, judged, limits).verification,
    ):
        assert work(none).problems[0].startswith(too_large)
        assert not any(problem.startswith(too_large) for problem in work(None).problems)
    with pytest.raises(TooLarge):
        check.outcome_of(KUHN, NASH, none)
    with pytest.raises(TooLarge):
        check.subgames_with_gains(KUHN, NASH, none)
    assert check.subgames_with_gains(KUHN, NASH) == []
    given, calls = Limits(10**9, 10**9), list[tuple[Any, ...]]()
    extra = supplied(calls)
    issued = check.judge(rules, RULES, extra=extra)
    calls.clear()
    check.check(rules, RULES, given, extra)
    check.judge(rules, RULES, given, extra)
    check.outcome_of(rules, RULES, given, extra)
    check.judge_values(rules, RULES, given, extra)
    check.join(rules, issued, issued, given, extra)
    check.join(rules, replace(issued), issued, given, extra)
    assert [(limits is given, values_only) for limits, values_only in calls] == [
        (True, False), (True, False), (True, False), (True, True), (True, True), (True, False),
    ]  # fmt: skip
    assert (limits_for(rules).steps, limits_for(KUHN).steps) == (STEPS, STEPS + STEPS_PER_NODE * len(KUHN.parent))


def test_a_known_sequence_form_is_used() -> None:
    form = sequence_form(KUHN, limits_for(KUHN))
    assert check.outcome_of(KUHN, NASH, form=form)[0] is form
    doubled = replace(form, denominator=2 * form.denominator)
    assert "values[0]: the expected payoff of player 1" in check.check(KUHN, NASH, form=doubled).problems[0]
    case = case_of(KUHN, NASH, limits_for(KUHN), {}, Problems(), form)
    assert case is not None
    assert case.form is form


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"digest": "sha256:" + "0" * 64},
         "it names '' (sha256:0000000000000000...), but this is 'kuhn' (sha256:{}...); give the game that the solution "
         "names, or solve this one"),
        ({"digest": None, "game": "chess"},
         "it names 'chess' (states no digest), but this is 'kuhn' (sha256:{}...); give the game that the solution "
         "names, or solve this one"),
        ({"digest": "short", "game": "kuhn"},
         "it names 'kuhn' (short...), but this is 'kuhn' (sha256:{}...); the game has changed since it was solved: "
         "solve it again"),
        ({"digest": "short", "game": "kuhn", "kind": "rules"},
         "it names 'kuhn' (short...), but this is 'kuhn' (sha256:{}...); its strategies belong to a game that is not "
         "built as a tree, but this game is a tree"),
    ],
)  # fmt: skip
def test_solutions_of_other_games_are_named(claim: dict[str, Any], message: str) -> None:
    assert KUHN.spec == "kuhn"
    found = check.check(KUHN, replace(replace(NASH, game=""), **claim))
    start = "game.digest: the solution belongs to another game: "
    assert found.problems == (start + message.format(KUHN.digest[7:23]),)


def test_a_game_without_a_specification_is_named_by_its_title() -> None:
    for game, digest in (("kuhn", "states no digest"), ("other", "rules:kuhn...")):
        found = check.check(Unbuilt(), replace(RULES, digest=None, game=game))
        assert (
            f"but this is 'kuhn' (rules:kuhn...); {'the game has' if game == 'kuhn' else 'give'}" in found.problems[0]
        )
        assert digest in found.problems[0]


def test_kinds_of_games() -> None:
    for claim, game, fault in (
        (NASH, KUHN, ""), (RULES, Unbuilt(), ""),
        (NASH, Unbuilt(), "belong to a tree, but this game is not built as a tree"),
        (RULES, KUHN, "belong to a game that is not built as a tree, but this game is a tree"),
    ):  # fmt: skip
        assert wrong_kind(game, claim) == fault
        if fault:
            extra = supplied([])
            digest = replace(claim, digest=game.digest)
            unknown = "best responses: not computed, so nothing is proven"
            assert check.check(game, digest, extra=extra).problems == (f"strategies: they {fault}",)
            assert check.judge(game, digest, extra=extra).verification.problems == (f"strategies: they {fault}",)
            found = check.judge_values(game, digest, extra=extra).verification
            assert found.problems == (f"strategies: they {fault}", unknown)


NO_BELIEFS = "beliefs: the concept 'nash' defines no beliefs"
UNPROVEN = "; its concept must be 'nash', and the field 'requested' must name the requested concept"


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"requested": None}, ()),
        ({"requested": "proper"}, ()),
        ({"requested": "happy"}, ("requested: 'happy' is not a concept",)),
        ({"beliefs": [[], []]}, (NO_BELIEFS,)),
        ({"beliefs": []}, (NO_BELIEFS,)),
        ({"status": "bounded"}, ()),
        ({"status": "bounded", "concept": "proper"},
         (f"concept: 'proper' is not proven by a solution with status 'bounded'{UNPROVEN}",)),
        ({"status": "limit-reached", "concept": "maxmin"},
         (f"concept: 'maxmin' is not proven by a solution with status 'limit-reached'{UNPROVEN}", NOTHING_TO_PROVE)),
        ({"status": "limit-reached", "concept": "proper"},
         (f"concept: 'proper' is not proven by a solution with status 'limit-reached'{UNPROVEN}", NOTHING_TO_PROVE)),
        ({"concept": "magic"}, (
            "concept: this version cannot check 'magic'; it checks 'nash', 'subgame-perfect', 'quasi-perfect', "
            "'one-sided-quasi-perfect', 'sequential', 'perfect', 'normal-form-perfect', 'proper', 'maxmin'",)),
        ({"refutation": 5}, ("refutation: not an object",)),
        ({"certificate": 5}, ("certificate: not an object",)),
        ({"values": None}, ("values: missing",)),
        ({"stated": frozenset({"regret", "game", "stats"})},
         ("regret: a solution with the concept 'nash' and the status 'certified' must not state this field",)),
    ],
)  # fmt: skip
def test_what_a_claim_of_a_tree_may_state(changes: dict[str, Any], problems: tuple[str, ...]) -> None:
    found = check.check(KUHN, replace(NASH, **changes))
    assert found.problems == problems
    assert found.ok == (not problems)


@pytest.mark.parametrize("concept", ["quasi-perfect", "maxmin"])
def test_what_a_claim_of_other_games_may_state(concept: str) -> None:
    extra = supplied([])
    assert check.check(Unbuilt(), RULES, extra=extra).ok
    assert check.check(Unbuilt(), replace(RULES, requested=concept, status="bounded"), extra=extra).ok
    found = check.check(Unbuilt(), replace(RULES, concept=concept), extra=extra)
    assert found.problems == (f"concept: if no tree is built, only 'nash' can be checked, not '{concept}'",)
    cannot = f"concept: '{concept}' cannot be checked for this kind of game"
    judged = check.judge(Unbuilt(), replace(RULES, concept=concept), extra=extra).verification
    assert (judged.problems, judged.proven) == ((cannot,), "nash")


@pytest.mark.parametrize("concept", [concept for concept in check.CONCEPTS if concept != "perfect"])
def test_marks_count_as_the_concept_says(concept: str) -> None:
    """Two concepts ignore play at sets that own moves exclude; of the others, only `nash` asks for marks."""
    builder = tremble.TreeBuilder()
    builder.decision(0, "x", ("stop", "go"))
    builder.leaf(0, 0)
    builder.decision(0, "y", ("a", "b"))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    tree = builder.finish()
    trembles = {"trembles": ["any", "none"] if "one-sided" in concept else None}
    plans = {
        "kind": "polynomials", **trembles, "X": [["1", "1", "0", "0", "0"], ["0", "-1", "1", "1", "0"],
        ["0", "0", "0", "-1", "1"]], "Y": [["1"]], "denominator": ["1", "1"],
    }  # fmt: skip
    certificate = {
        "nash": None, "maxmin": None, "subgame-perfect": None,
        "proper": {"kind": "ranked-plans", "X": [["3", "1", "2", "1", "1"]], "Y": [["1"]]},
        "sequential": {"kind": "consistent-trembles", "trembles": None, "orders": None},
    }.get(concept, plans)  # fmt: skip
    marks = {"nash": [True], "normal-form-perfect": [True, False], "proper": [True, False]}
    strategies = strategies_of(tree, [[1, 0], [1, 0]], [])
    beliefs = [[(0, [((), F(1))]), (1, [(("go",), F(1))])], []] if concept == "sequential" else None
    for mark in (True, False):
        pair = replace(strategies[0], off_path=[False, mark]), strategies[1]
        found = check.check(tree, honest(tree, pair, concept, certificate, beliefs=beliefs))
        assert found.ok == (mark in marks.get(concept, [False])), found.problems
        pair = replace(strategies[0], off_path=[True, False]), strategies[1]
        assert not check.check(tree, honest(tree, pair, concept, certificate, beliefs=beliefs)).ok


def test_an_unknown_concept_cannot_be_judged() -> None:
    found = check.judge(KUHN, replace(NASH, concept="magic")).verification
    assert found.problems == ("concept: 'magic' cannot be checked for this kind of game",)
    assert found.proven == "nash"


UNFINISHED = replace(
    THREAT, status="limit-reached", bounds=None, certificate={},
    refutation={"concept": "subgame-perfect", "kind": "subgame", "path": ["enter"], "player": 2},
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, ()),
        ({"certificate": THREAT.certificate}, ()),
        ({"certificate": {**THREAT.certificate, "nash_conv": "1"}},
         ("certificate.nash_conv: stated as 1, but it is 0 (off by about 1)",)),
        ({"bounds": (F(0), F(0))},
         ("bounds: the payoffs of this game have no constant sum, so there is no value to bound",)),
        ({"beliefs": [[], []]},
         ("beliefs: a solution with the concept 'nash' and the status 'limit-reached' must not state this field",)),
        ({"strategies": strategies_of(ENTRY, [[1, 0]], [[0, 1]], marked=True)}, ()),
        ({"strategies": tuple(replace(s, off_path=[True]) for s in THREAT.strategies)},
         ("player 1, information set 1 ('entrant'): marked off_path, but the player's own strategy reaches it",
          "player 2, information set 1 ('incumbent'): marked off_path, but the player's own strategy reaches it")),
    ],
)  # fmt: skip
def test_every_field_of_an_unfinished_solution_counts(changes: dict[str, Any], problems: tuple[str, ...]) -> None:
    found = check.check(ENTRY, replace(UNFINISHED, **changes))
    assert found.problems == problems
    assert found.disproven == (None if problems else "subgame-perfect")


def test_bounds_need_best_responses() -> None:
    unfinished = replace(RULES, status="limit-reached", certificate={}, stated=frozenset())
    assert check.check(Unbuilt(), unfinished, extra=supplied([])).problems == (NOTHING_TO_PROVE,)
    found = check.check(Unbuilt(), unfinished, extra=supplied([], best_response_values=None))
    stated = "bounds: a solution with the concept 'nash' and the status 'limit-reached' must not state this field"
    assert found.problems == (stated, NOTHING_TO_PROVE)


def test_marks_of_unfinished_solutions_are_exact_with_best_responses_only() -> None:
    builder = tremble.TreeBuilder()
    builder.decision(0, "x", ("stop", "go"))
    builder.leaf(0, 0)
    builder.decision(0, "y", ("a", "b"))
    builder.leaf(1, 0)
    builder.leaf(0, 0)
    tree = builder.finish()
    one, two = strategies_of(tree, [[1, 0], [1, 0]], [])
    claim = honest(tree, (one, two), refutation={"concept": "nash", "kind": "best-response"})
    for certificate, mark, ok in (
        (claim.certificate, True, True), (claim.certificate, False, False), ({}, True, True), ({}, False, True),
    ):  # fmt: skip
        pair = replace(one, off_path=[False, mark]), two
        found = check.check(tree, replace(claim, status="limit-reached", strategies=pair, certificate=certificate))
        assert found.ok == ok, found.problems


# -- joining -------------------------------------------------------------------------------------------


def test_values_alone_are_a_claim_of_nash_without_proof() -> None:
    found = check.judge_values(Unbuilt(), replace(RULES, concept="maxmin"), extra=supplied([]))
    assert (found.digest, found.kind) == ("rules:kuhn", "rules")
    assert (found.verification.concept, found.verification.proven_player) == ("nash", None)
    assert check.judge_values(KUHN, NASH).digest is None
    faulty = check.judge_values(Unbuilt(), RULES, extra={"rules": lambda *_: Outcome(None, faults=("a fault",))})
    unknown = "best responses: not computed, so nothing is proven"
    assert faulty.verification.problems == ("a fault", unknown)


def profile_of(side: str, **changes: Any) -> JudgedProfile:
    """Return an issued verdict on strategies of a game with the sum 3, at which the values are (1, 2)."""
    game, kind = changes.pop("game", Unbuilt()), changes.pop("kind", "rules")
    outcome = replace(Outcome((F(1), F(2)), (F(1), F(2)), F(3)), **changes)
    claim = Claim("nash", "certified", (f"{side}1", f"{side}2"), None, {}, kind=kind)
    return issue(game, claim, deserved(claim, outcome, Problems(), None))


def elsewhere() -> Unbuilt:
    game = Unbuilt()
    game.digest = "rules:other"
    return game


MOST = "best_response_values"
LOW, HIGH, FAR = (F(0), F(2)), (F(5), F(2)), (F(1), F(9))
Pair = Callable[[], tuple[JudgedProfile, JudgedProfile]]
JOINED: list[tuple[Pair, str | None, tuple[F, F] | None]] = [
    (lambda: (profile_of("a"), profile_of("b")), "nash", (F(1), F(1))),
    (lambda: (profile_of("a", **{MOST: (F(9), F(2))}), profile_of("b", **{MOST: (F(1), F(9))})), "nash", (F(1), F(1))),
    (lambda: (profile_of("a"), profile_of("b", **{MOST: HIGH})), "bounds", (F(1), F(5))),
    (lambda: (profile_of("a", **{MOST: FAR}), profile_of("b")), "bounds", (F(-6), F(1))),
    (lambda: (profile_of("a", constant_sum=None), profile_of("b")), "nash", None),
    (lambda: (profile_of("a"), profile_of("b", constant_sum=None)), "nash", None),
    (lambda: (profile_of("a", constant_sum=None, **{MOST: FAR}), profile_of("b")), None, None),
]
AGAIN: list[Pair] = [
    lambda: (replace(profile_of("a")), profile_of("b")),
    lambda: (profile_of("a"), replace(profile_of("b"))),
    lambda: (profile_of("a", kind="ordered"), profile_of("b")),
    lambda: (profile_of("a"), profile_of("b", kind="ordered")),
    lambda: (profile_of("a", kind="tree"), profile_of("b", kind="tree")),
    lambda: (profile_of("a", **{MOST: None}), profile_of("b")),
    lambda: (profile_of("a"), profile_of("b", **{MOST: None})),
    lambda: (profile_of("a", game=elsewhere()), profile_of("b")),
    lambda: (profile_of("a"), profile_of("b", game=elsewhere())),
    lambda: (profile_of("a", game=elsewhere()), profile_of("b", game=elsewhere())),
    lambda: (profile_of("a"), profile_of("b", **{MOST: LOW})),
    lambda: (profile_of("a", **{MOST: (F(1), F(1))}), profile_of("b")),
]


def joined(pair: Pair) -> tuple[JudgedProfile, list[bool]]:
    """Join two profiles whose strategies earn (1, 2), if the supplier is asked."""
    calls: list[bool] = []

    def supply(game: Any, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
        assert claim.strategies == ("a1", "b2")
        calls.append(values_only)
        return Outcome((F(1), F(2)), None if values_only else (F(7), F(7)))

    extra = {"rules": supply, "ordered": supply}
    return joining.join(Unbuilt(), *pair(), extra=extra), calls


@pytest.mark.parametrize(("pair", "proven", "bounds"), JOINED)
def test_best_responses_of_issued_verdicts_are_joined(
    pair: Pair, proven: str | None, bounds: tuple[F, F] | None
) -> None:
    found, calls = joined(pair)
    assert calls == [True]
    assert (found.strategies, found.digest, found.issued) == (("a1", "b2"), "rules:kuhn", True)
    assert (found.verification.proven, found.verification.bounds) == (proven, bounds)
    assert found.verification.ok == (proven == "nash")
    assert found.verification.values == (F(1), F(2))


@pytest.mark.parametrize("pair", AGAIN)
def test_best_responses_are_computed_again_if_a_verdict_does_not_fit(pair: Pair) -> None:
    found, calls = joined(pair)
    tree = pair()[0].kind == "tree"
    assert calls in ([], [False], [True, False])
    assert (calls == []) == tree
    assert found.verification.proven is None
    assert found.verification.values == (None if tree else (F(1), F(2)))
    assert found.verification.best_response_values == (None if tree else (F(7), F(7)))

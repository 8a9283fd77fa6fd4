"""Lists of equilibria in the kernel: what is proven, believed and refused about the members together."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from claims import list_claim_of
from documents import game_of
from forgeries import Forger, forged_lists
from test_forged_documents import Truth, judged

import tremble
from tremble import TreeBuilder, TrembleError, check
from tremble.check.limits import Limits
from tremble.check.lists import ListClaim, Plans, check_list, common_concept, common_player, number_equal
from tremble.judge.certify import certification
from tremble.results import Equilibria
from tremble.strategies import Trembles


def claim_of_all(game: Any, **arguments: Any) -> ListClaim:
    return list_claim_of(tremble.all_equilibria(game, **arguments))


def refused(game: Any, claim: ListClaim, start: str) -> None:
    found = check_list(game, claim)
    assert (found.ok, found.proven, found.fields) == (False, None, ())
    assert any(problem.startswith(start) for problem in found.problems), found.problems


GAME = tremble.matrix_game([[1, 1, 0], [1, 1, 1], [0, 1, 1]], [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
SEXES = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])


def test_every_field_of_an_honest_list() -> None:
    found = check_list(SEXES, claim_of_all(SEXES))
    assert found.ok
    assert (found.proven, found.nash_conv) == ("nash", F(0))
    assert {field.name: field.believed is not None for field in found.fields} == {
        "equilibria": False, "unique": False, "pairs": False, "maximal_subsets": True, "components": True,
        "indices": True, "degenerate": True,
    }  # fmt: skip
    assert found.fields[0].proven == "each is a proven Nash equilibrium; 3 of 3 are different realization plans"


@pytest.mark.parametrize("seed", range(12))
def test_forged_lists_are_accepted_only_if_they_are_true(seed: int) -> None:
    """Honest lists, and lists in which every field follows from members that are wrong or incomplete."""
    rng = random.Random(seed)
    game = game_of(rng)
    forger, truth = Forger(game, rng), Truth(game)
    if forger.form.count(0) * forger.form.count(1) > 40:
        return
    for concept, pure in (("nash", False), ("quasi-perfect", True)):
        try:
            found = tremble.all_equilibria(game, concept, pure=pure)
            members = [json.loads(member.to_text()) for member in found]
            assert tremble.verify(game, found).ok
        except TrembleError:
            continue
        for document in forged_lists(forger, members[:6]):
            judged(truth, document)


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"digest": "sha256:0"}, "game.digest: "),
        ({"unique": True}, "unique: true, but the number of equilibria is 3"),
        ({"unique_plans": (True, False)}, "unique_plans[0]: true, but the plans are different"),
        ({"pairs": ((0, 0), (1, 1))}, "pairs: there are 2 for 3 equilibria"),
        ({"pairs": ((0, 0), (1, 1), (0, 0))}, "pairs: there are 2 different ones for 3"),
        ({"pairs": ((0, 0), (1, 1), (0, 2))}, "pairs[2]: the number 1 is that of another strategy of player 1"),
        ({"pairs": ((0, 0), (1, 1), (3, 2))}, "pairs: the strategies of player 1 are not numbered from 1 to 3"),
        ({"pairs": ((0, 0), (1, 1), (-1, 2))}, "pairs: the strategies of player 1 are not numbered"),
        ({"pairs": None}, "components: the field 'pairs' is missing"),
        ({"components": ((0, 1), (2,))}, "components: these are not"),
        ({"maximal_subsets": (((0,), (0,)), ((1,), (1,)))}, "maximal_subsets: they do not contain every"),
        (
            {"maximal_subsets": (((0,), (0,)), ((1,), (1,)), ((2,), (2,)), ((0,), (0,)))},
            "maximal_subsets[3]: this subset is",
        ),
        ({"maximal_subsets": (((0,), (1,)),)}, "maximal_subsets[0]: the pair [1, 2] is not among"),
        ({"maximal_subsets": (((), (0,)),)}, "maximal_subsets[0]: must be two lists"),
        ({"maximal_subsets": (((-1,), (0,)),)}, "maximal_subsets[0]: must be two lists"),
        ({"indices": (1, 1, 1)}, "indices: the indices of all components add up to 3"),
        ({"indices": (1, None, 0)}, "indices: some are null"),
        ({"indices_unknown": "no time"}, "indices_unknown: there are no indices"),
        ({"pure": True}, "pure: true, but equilibria["),
        ({"complete": True}, "complete: allowed only in a list of pure"),
        ({"requested": "nash"}, "requested: allowed only in a list of pure"),
        ({"requested": "maxmin"}, "requested: 'maxmin' is no concept of equilibria"),
    ],
)
def test_what_the_members_contradict(changes: dict[str, Any], start: str) -> None:
    refused(SEXES, replace(claim_of_all(SEXES), **changes), start)


def test_a_member_that_is_missing() -> None:
    """Every pair of stated plans is checked, whether or not the list says something about it."""
    claim = claim_of_all(GAME)
    assert claim.pairs is not None
    assert check_list(GAME, claim).ok
    left = list(claim.pairs)
    for k, (i, j) in enumerate(claim.pairs):
        others = [pair for n, pair in enumerate(left) if n != k]
        if {i} <= {one for one, _ in others} and {j} <= {two for _, two in others}:
            break
    alone = replace(claim, components=None, maximal_subsets=None, indices=None)
    fewer = replace(alone, members=claim.members[:k] + claim.members[k + 1 :], pairs=tuple(others))
    assert check_list(GAME, fewer).ok
    refused(GAME, replace(fewer, components=(tuple(range(len(others))),)), f"pairs: [{i + 1}, {j + 1}] is an equil")


def test_maximal_subsets_that_are_missing_or_too_small() -> None:
    claim = claim_of_all(GAME)
    subsets = claim.maximal_subsets
    assert subsets is not None
    without = [[*subsets[:k], *subsets[k + 1 :]] for k in range(len(subsets))]
    problems = {check_list(GAME, replace(claim, maximal_subsets=left)).problems for left in without}
    assert ("maximal_subsets: a subset is missing; its mixtures are equilibria, too",) in problems
    assert all(len(found) == 1 for found in problems)
    for k, (plans1, plans2) in enumerate(subsets):
        for part in ((plans1[:-1], plans2), (plans1, plans2[:-1])):
            if all(part):
                smaller = [*subsets[:k], part, *subsets[k + 1 :]]
                refused(
                    GAME,
                    replace(claim, maximal_subsets=smaller),
                    f"maximal_subsets[{k}]: this subset is part of a larger one",
                )


def later() -> tremble.GameTree:
    """Player 1 takes at once; afterwards nothing matters."""
    builder = TreeBuilder(title="later")
    builder.decision(0, "now", ("take", "wait"))
    builder.leaf(3, -3)
    builder.decision(0, "later", ("x", "y"))
    builder.leaf(1, -1)
    builder.leaf(1, -1)
    return builder.finish()


def test_play_off_the_own_path() -> None:
    """It makes two sequential equilibria of one plan, and one Nash equilibrium."""
    game = later()
    rows = ([[F(1), F(0)], [F(1), F(0)]], [[F(1), F(0)], [F(0), F(1)]])
    pairs = [
        (tremble.BehaviorStrategy.from_rows(game, 0, each), tremble.BehaviorStrategy.from_rows(game, 1, []))
        for each in rows
    ]
    claims = {
        concept: [list_claim_of(Equilibria(game=solution.game, solutions=(solution,))).members[0]
                  for solution in (tremble.certify(game, pair, concept) for pair in pairs)]
        for concept in ("nash", "sequential", "quasi-perfect")
    }  # fmt: skip
    refused(game, ListClaim(tuple(claims["nash"]), game.digest), "equilibria[1]: the same equilibrium")
    both = ListClaim(tuple(claims["sequential"]), game.digest)
    found = check_list(game, both)
    assert found.ok, found.problems
    assert found.fields[0].proven == "each is a proven sequential equilibrium; 1 of 2 are different realization plans"
    refused(game, replace(both, unique=False), "unique: false, but no two")
    refused(game, replace(both, pairs=((0, 0), (1, 0))), "pairs[1]: strategy 2 of player 1 also has another number")
    mixed = (claims["nash"][0], claims["sequential"][1])
    refused(game, replace(both, members=mixed), "equilibria[1]: the same equilibrium as equilibria[0]")
    again = (*claims["sequential"], claims["quasi-perfect"][0])  # a concept without beliefs says nothing about them
    refused(game, replace(both, members=again), "equilibria[2]: the same equilibrium as equilibria[0]")


def test_members_are_certified_equilibria() -> None:
    claim = claim_of_all(SEXES)
    bounded = replace(claim.members[0], status="bounded")
    refused(SEXES, replace(claim, members=(bounded, *claim.members[1:])), "equilibria[0]")
    wrong = replace(claim.members[0], values=(F(7), F(7)))
    refused(SEXES, replace(claim, members=(wrong, *claim.members[1:])), "equilibria[0]: values[0]")
    refused(SEXES, ListClaim((), SEXES.digest), "equilibria: the list is empty")
    assert check_list(SEXES, ListClaim((), SEXES.digest, pure=True)).ok
    found = check_list(SEXES, ListClaim((), SEXES.digest, pure=True, pairs=[(0, 0)]))
    assert found.problems == ("pairs: there are 1 for 0 equilibria",)


PENNIES = tremble.load("matching_pennies")


def test_members_that_hold_and_are_no_certified_equilibria() -> None:
    (nash,) = claim_of_all(PENNIES).members
    for member, start in (
        (replace(nash, status="bounded"), "equilibria[0].status: 'bounded'"),
        (replace(nash, concept="maxmin"), "equilibria[0].concept: 'maxmin' is no equilibrium"),
    ):
        assert check.check(PENNIES, member).ok
        refused(PENNIES, ListClaim((member,), PENNIES.digest), start)


def test_what_was_requested() -> None:
    claim = claim_of_all(ENTRY, concept="sequential", pure=True)
    (member,) = claim.members
    asked = replace(member, requested="perfect")
    assert check_list(ENTRY, claim).ok
    assert check_list(ENTRY, claim).fields[1].proven == "1 of 1 are proven to be a sequential equilibrium"
    refused(
        ENTRY,
        replace(claim, members=(asked,)),
        "requested: 'sequential', but the requested concept of equilibria[0] is 'perfect'",
    )
    refused(
        ENTRY,
        replace(claim, requested="perfect", members=(asked,)),
        "requested: 'perfect', but the concept of equilibri",
    )
    found = certification(ENTRY, "NE,1,0,0,1", "sequential").solution  # a threat that is not credible
    (threat,) = list_claim_of(Equilibria(game=found.game, solutions=(found,))).members
    assert threat.refutation is not None
    refused(ENTRY, replace(claim, members=(threat,)), "requested: 'sequential', but equilibria[0] is disproven")
    undecided = replace(threat, refutation=None, stated=threat.stated - {"refutation"})
    assert check_list(ENTRY, replace(claim, members=(undecided,), complete=False)).ok
    refused(
        ENTRY, replace(claim, members=(undecided,), complete=True), "complete: true, but equilibria[0] is undecided"
    )


ENTRY = tremble.load("entry_deterrence")


def test_proofs_about_different_players() -> None:
    members = []
    for faultless in (0, 1):
        rows: list[Any] = [[[1] * len(labels) for labels in side] for side in PENNIES.actions]
        rows[faultless] = "none"
        weights = Trembles.from_rows(PENNIES, rows)
        found = tremble.solve(PENNIES, "one-sided-quasi-perfect", trembles=weights)
        members.append(list_claim_of(Equilibria(game=found.game, solutions=(found,))).members[0])
    alone = check_list(PENNIES, ListClaim((members[1],), PENNIES.digest))
    assert (alone.ok, alone.proven_player) == (True, 1)
    refused(PENNIES, ListClaim(tuple(members), PENNIES.digest), "equilibria[1]: its proof is about another player")


def test_one_limit_for_all_members() -> None:
    claim = claim_of_all(SEXES)
    limits = Limits.for_game(SEXES.num_nodes)
    limits.steps = 3_000.0
    assert any("too large to check" in problem for problem in check_list(SEXES, claim, limits).problems)


def test_common_concept_and_player() -> None:
    nash = claim_of_all(SEXES).members[0]
    sequential = replace(nash, concept="sequential")
    sided = replace(nash, concept="one-sided-quasi-perfect", certificate={"trembles": [[["1", "1"]], "none"]})
    assert [common_concept(each) for each in ([], [nash], [nash, sequential], [sequential])] == [
        "nash", "nash", "nash", "sequential",
    ]  # fmt: skip
    assert [common_player(each) for each in ([], [nash], [nash, sided])] == [None, None, 1]


def test_plans_that_a_capability_compares() -> None:
    """For rules, equal rows are equal plans, and different rows prove nothing by themselves."""
    game = Rules()
    member = check.Claim(
        "nash", "certified", (None, None), (F(0), F(0)), {
            "kind": "best-response", "nash_conv": "0", "best_response_values": ["0", "0"],
        }, (F(0), F(0)), digest=None, kind="rules",
    )  # fmt: skip
    extra = {"rules": lambda *_: check.Outcome((F(0), F(0)), (F(0), F(0)), F(0))}
    claim = ListClaim((member, member))

    def verdict(same: Any, apart: Any, **fields: Any) -> check.Verification:
        return check_list(game, replace(claim, **fields), None, extra, lambda *_: Plans(same, apart))

    same, apart = ([0, 1], [0, 0]), ([0, 0], [0, 0])
    other = replace(claim, members=(member, replace(member, kind="other")))
    found = check_list(game, other, None, {**extra, "other": extra["rules"]}, lambda *_: Plans(same, apart))
    assert found.problems == ("equilibria[1].strategies: belong to another kind of game than those of equilibria[0]",)
    found = verdict(same, apart)
    assert found.ok, found.problems
    assert (
        found.fields[0].proven == "each is a proven Nash equilibrium; at least 1 of 2 are different realization plans"
    )
    assert verdict(same, apart, unique=False).problems[0].startswith("unique: false, but no two")
    assert (
        verdict(same, apart, unique_plans=(True, True)).problems[0].startswith("unique_plans[0]: true, but equilibri")
    )
    assert verdict(same, apart, pairs=((0, 0), (1, 0))).problems[0].startswith("pairs: cannot be checked")
    assert verdict(same, same, pairs=((0, 0), (1, 0))).ok
    assert verdict(same, same, pure=True).problems[0].startswith("pure: cannot be checked")
    assert check_list(game, claim, None, extra).problems[0].startswith("equilibria: the realization plans cannot")


class Rules:
    """A game that is not built."""

    digest, spec, title = None, "rules", "rules"


def test_equal_keys_have_equal_numbers() -> None:
    assert number_equal([]) == []
    assert number_equal([(2, 1), (1,), (2, 1), (1, 0)]) == [2, 0, 2, 1]

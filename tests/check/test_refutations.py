"""Refutations: true ones are proven, whatever is changed in them is refused unless it is a proof again, exactly."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tremble
from closed_states import Judged, Refutation, holds, refute
from command import run
from forgetful import pure
from hand_made import profile, random_game, random_profile
from tremble import GameTree, TreeBuilder, verify
from tremble.results import StatedSolution
from tremble.solution.judgements import prove
from tremble.status import Status
from tremble.strategies import Trembles

Profile = tuple[tremble.BehaviorStrategy, tremble.BehaviorStrategy]
NAMES = ("entry_deterrence", "selten_horse_two", "safe_or_risky", "battle_outside", "guess_the_ace", "beer_quiche")
REFINED = ("quasi-perfect", "sequential")


@cache
def refuted() -> list[tuple[GameTree, Profile, Refutation]]:
    """Profiles that are not of a concept, and why: equilibria of small games, and what random games are solved by."""
    games = [tremble.load(name) for name in NAMES] + [
        random_game(seed, 4, zero_sum=seed % 2 == 0) for seed in range(14)
    ]
    found = []
    for number, tree in enumerate(games):
        profiles: list[Profile] = [random_profile(tree, number)]
        profiles += (
            [s.strategies for s in tremble.all_equilibria(tree)] if number < 6 else [tremble.solve(tree).strategies]
        )  # type: ignore[misc]
        for strategies in profiles:
            for concept in REFINED:
                refutation = refute(tree, strategies, concept)
                if refutation is not None:
                    found.append((tree, strategies, refutation))
    return found


def stated(tree: GameTree, strategies: Profile, refutation: Any) -> StatedSolution:
    """A solution that states the refutation and nothing else."""
    return replace(
        tremble.solve(tree), strategies=strategies, refutation=refutation, status=Status.LIMIT_REACHED, bounds=None,
        values=tremble.expected_values(tree, strategies), certificate={}, concept="nash", verification=None,
    )  # fmt: skip


def disproven(tree: GameTree, strategies: Profile, refutation: Any) -> str | None:
    return prove(tree, strategies, refutation=refutation).disproven


def test_true_ones_are_proven() -> None:
    assert len(refuted()) > 25
    assert {refutation["concept"] for _, _, refutation in refuted()} == set(REFINED)
    assert sum(tremble.nash_conv(tree, strategies) == 0 for tree, strategies, _ in refuted()) > 10
    for tree, strategies, refutation in refuted():
        verification = verify(tree, stated(tree, strategies, refutation))
        assert verification.ok, verification.problems
        assert (verification.proven, verification.disproven) == (None, refutation["concept"])


def test_a_solution_states_both() -> None:
    """It is a Nash equilibrium, and no sequential one; written and read again, it says the same."""
    tree = tremble.load("entry_deterrence")
    threat = tremble.all_equilibria(tree)[1]
    solution = replace(threat, refutation=refute(tree, threat.strategies, "sequential"))  # type: ignore[arg-type]
    verification = verify(tree, StatedSolution.from_text(solution.to_text()))
    assert (verification.ok, verification.proven, verification.disproven) == (True, "nash", "sequential")
    assert "refutation" not in json.loads(threat.to_text())
    assert verify(tree, threat).disproven is None
    assert "The strategies are not a sequential equilibrium: the refutation holds." in str(verification)


def test_what_is_not_sequential_is_not_perfect() -> None:
    for tree, strategies, refutation in refuted():
        if refutation["concept"] == "sequential":
            judged = Judged(tree, strategies, 0)
            if any(prior for _, prior, _, _ in (*judged.own, *judged.other)):
                assert disproven(tree, strategies, {**refutation, "concept": "perfect"}) == "perfect"
        else:
            judged = Judged(tree, strategies, 0)
            if not any(prior for _, prior, _, _ in (*judged.own, *judged.other)):
                assert disproven(tree, strategies, {**refutation, "concept": "perfect"}) == "perfect"


def test_of_true_equilibria_nothing_is_disproven() -> None:
    """Multipliers that refute another profile of the same game never refute a quasi-perfect one."""
    for tree, _, refutation in refuted():
        refined = tremble.solve(tree, "quasi-perfect").strategies
        for concept in REFINED:
            assert refute(tree, refined, concept) is None  # type: ignore[arg-type]
            assert disproven(tree, refined, {**refutation, "concept": concept}) is None  # type: ignore[arg-type]


def forged(refutation: Refutation, rng: random.Random) -> Refutation:
    """Something changed."""
    fake = json.loads(json.dumps(refutation))
    kind = rng.randrange(9)
    if kind < 3:
        name = ("deviation", "flow", "ratio")[kind]
        if not fake[name]:
            fake[name] = [[1, "1"]]
        pair = rng.choice(fake[name])
        pair[1] = str(int(pair[1]) + rng.choice((-1, 1, 10**30)))
    elif kind < 5:
        name = ("blocked", "tight")[kind - 3]
        if fake[name]:
            fake[name].remove(rng.choice(fake[name]))
    elif kind < 7:
        name = ("blocked", "tight")[kind - 5]
        fake[name] = sorted({*fake[name], rng.randint(1, 4)})
    elif kind == 7:
        fake["player"] = 3 - fake["player"]
    else:
        fake["concept"] = "sequential" if fake["concept"] == "quasi-perfect" else "quasi-perfect"
    return fake


@pytest.mark.parametrize("seed", range(3))
def test_forged_ones_are_refused(seed: int) -> None:
    """Unless they are proofs again, by the conditions of the definition, row by row."""
    require_refused(seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 20))
def test_many_forged_ones_are_refused(seed: int) -> None:
    require_refused(seed, 100)


def require_refused(seed: int, times: int) -> None:
    rng, refused = random.Random(f"forged {seed}"), 0
    for tree, strategies, refutation in refuted():
        for _ in range(times):
            fake = forged(refutation, rng)
            true = within(tree, fake) and holds(Judged(tree, strategies, fake["player"] - 1), fake)
            assert (disproven(tree, strategies, fake) is not None) == true, fake
            refused += not true
    assert refused > len(refuted()) * times / 2


def within(tree: GameTree, fake: Refutation) -> bool:
    own, others = tree.num_slots[fake["player"] - 1], tree.num_slots[2 - fake["player"]]
    numbers = [*fake["blocked"], *(q for q, _ in fake["ratio"])]
    return (
        all(q <= own for q in numbers)
        and all(q <= others for q in [*fake["tight"], *(q for q, _ in fake["deviation"])])
        and all(k <= tree.num_infosets[fake["player"] - 1] for k, _ in fake["flow"])
    )


def test_another_profile_is_not_refuted_by_it() -> None:
    """Strategies that are moved a little, so that nothing is mixed in the same way."""
    for number, (tree, strategies, refutation) in enumerate(refuted()):
        other = random_profile(tree, 100 + number)
        judged = Judged(tree, other, refutation["player"] - 1)
        assert (disproven(tree, other, refutation) is not None) == holds(judged, refutation)
        assert disproven(tree, strategies, refutation) is not None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"concept": "maxmin"}, "refutation.concept: 'maxmin' cannot be disproven"),
        ({"concept": ["nash"]}, "refutation.concept: ['nash'] cannot be disproven"),
        ({"concept": "nash"}, "refutation.kind: must be 'best-response' to disprove 'nash', not 'mistakes'"),
        ({"kind": {}}, "refutation.kind: must be 'best-response' or 'subgame' or"),
        ({"player": 3}, "refutation.player: must be 1 or 2, not 3"),
        ({"player": True}, "refutation.player: must be 1 or 2, not True"),
        ({"blocked": []}, "refutation.blocked: must not be empty"),
        ({"blocked": [2, 2]}, "refutation.blocked[1]: not a number from 0 to 2 beyond those before, but 2"),
        ({"blocked": 7}, "refutation.blocked: not a list"),
        ({"tight": [0]}, "refutation.tight[0]: not a number from 1 to 2"),
        ({"tight": [1]}, "refutation.tight: must be empty for the concept 'sequential'"),
        ({"deviation": [[1, "1/2"]]}, "refutation.deviation: value at index 1: must be an integer, not 1/2"),
        ({"deviation": [[1, 1]]}, "refutation.deviation: value at index 1: not an exact number as text, but 1"),
        ({"flow": [[1, 1]]}, "refutation.flow: value at index 1: not an exact number as text, but 1"),
        ({"deviation": [[1]]}, "refutation.deviation: not a list of pairs"),
        ({"deviation": []}, "the sum of the multipliers is not positive, although the move is blocked"),
        ({"flow": [[0, "1"]]}, "refutation.flow[0]: not a number from 1 to 1"),
        ({"ratio": [[1, "1"]]}, "has a multiplier, but the move before is not blocked"),
        ({"more": 1}, "refutation.more: there is no such field"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], problem: str) -> None:
    tree = tremble.load("entry_deterrence")
    threat: Profile = tremble.all_equilibria(tree)[1].strategies  # type: ignore[assignment]
    refutation = refute(tree, threat, "sequential")
    assert refutation is not None
    found = verify(tree, stated(tree, threat, {**refutation, **change}))
    assert not found.ok
    assert found.disproven is None
    assert any(problem in line for line in found.problems), found.problems


# -- subgames and best responses ------------------------------------------------------------------------


def test_subgames() -> None:
    tree = tremble.load("entry_deterrence")
    threat, _, credible = (s.strategies for s in tremble.all_equilibria(tree))
    gain = {"concept": "subgame-perfect", "kind": "subgame", "path": ["enter"], "player": 2}
    for concept in ("subgame-perfect", "sequential", "quasi-perfect", "perfect"):
        assert disproven(tree, threat, {**gain, "concept": concept}) == concept  # type: ignore[arg-type]
        assert disproven(tree, credible, {**gain, "concept": concept}) is None  # type: ignore[arg-type]
    for change in (
        {"player": 1},
        {"path": []},
        {"path": ["out"]},
        {"path": "enter"},
        {"path": [1]},
        {"concept": "nash"},
    ):
        assert disproven(tree, threat, {**gain, **change}) is None  # type: ignore[arg-type]


def test_best_responses() -> None:
    tree = tremble.load("matching_pennies")
    wrong = profile(tree, [[1, 0]], [[1, 0]])
    right = profile(tree, [[F(1, 2)] * 2], [[F(1, 2)] * 2])
    for concept in ("nash", "subgame-perfect", "sequential", "quasi-perfect", "perfect"):
        gain = {"concept": concept, "kind": "best-response"}
        assert disproven(tree, wrong, gain) == concept
        assert disproven(tree, right, gain) is None
    assert verify(tree, stated(tree, wrong, {"concept": "nash", "kind": "best-response"})).disproven == "nash"
    rules = tremble.load_rules("matching_pennies")
    solution = tremble.solve(rules, method="double-oracle")
    assert not verify(rules, replace(solution, refutation={"concept": "nash", "kind": "best-response"})).ok


def test_the_command_says_so(tmp_path: Path) -> None:
    """A file that states nothing but what is not so is right, too."""
    tree = tremble.load("matching_pennies")
    wrong = stated(tree, profile(tree, [[1, 0]], [[1, 0]]), {"concept": "nash", "kind": "best-response"})
    for refutation, code, words in (
        (wrong.refutation, 0, "OK  the strategies are no Nash equilibrium of Matching pennies, proven"),
        (None, 1, "there is nothing to prove"),
    ):
        replace(wrong, refutation=refutation).to_json(tmp_path / f"{code}.json")
        result = run("verify", "matching_pennies", tmp_path / f"{code}.json")
        assert (result.exit_code, words in result.stdout) == (code, True), result.stdout
        result = run("verify", "matching_pennies", tmp_path / f"{code}.json", "--format", "json")
        assert json.loads(result.stdout)["disproven"] == (None if code else "nash")


# -- in agreement with certify ----------------------------------------------------------------------------


def signalling(rng: random.Random, *, twice: bool) -> GameTree:
    """Two types, two messages or none, two answers, payoffs full of ties; the sender may move again."""
    builder = TreeBuilder(title="signalling")
    builder.chance(("s", "t"), (F(1, 3), F(2, 3)))
    for kind in "st":
        builder.decision(0, kind, ("l", "r", "neither"))
        for message in "lr":
            builder.decision(1, message, ("a", "b"))
            for answer in "ab":
                again = twice and answer == "a"
                if again:
                    builder.decision(0, kind + message, ("x", "y"))
                for _ in range(1 + again):
                    builder.leaf(rng.randint(0, 1), rng.randint(0, 1))
        builder.leaf(rng.choice((F(1, 2), 1, 1)), 1)
    return builder.finish()


def pure_equilibria(tree: GameTree, rng: random.Random) -> Iterator[Profile]:
    rows = [list(pure(tree, player)) for player in (0, 1)]
    pairs = list(itertools.product(*rows))
    rng.shuffle(pairs)
    for one, two in pairs:
        strategies = profile(tree, one, two)
        if not tremble.nash_conv(tree, strategies):
            yield strategies


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(4))
def test_other_programs_agree_with_certify(seed: int) -> None:
    require_agreement(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 100))
def test_other_programs_agree_with_certify_on_many(seed: int) -> None:
    require_agreement(seed)


def require_agreement(seed: int) -> None:
    rng = random.Random(seed)
    tree = signalling(rng, twice=seed % 2 == 0)
    for strategies in itertools.islice(pure_equilibria(tree, rng), 4):
        for concept in REFINED:
            found = tremble.results.certification(tree, strategies, concept)
            refuted = refute(tree, strategies, concept) is not None
            assert str(found.verdict) == ("disproven" if refuted else "proven")
            verification = verify(tree, found.solution)
            assert verification.ok, verification.problems
            assert (verification.disproven if refuted else verification.proven) == concept


# -- mistakes of any form -------------------------------------------------------------------------------


def test_the_plans_are_completely_mixed() -> None:
    tree = tremble.load("guess_the_ace")
    refined = tremble.solve(tree, "quasi-perfect")
    loose = {**refined.certificate, "trembles": "any"}
    assert verify(tree, replace(refined, certificate=loose)).ok
    never = {**loose, "X": [[*row[:2], "0"] if d else row for d, row in enumerate(loose["X"])]}
    problems = verify(tree, replace(refined, certificate=never)).problems
    assert any("is not played with a positive probability" in problem for problem in problems)
    for wrong in ("all", "", {}, [["any"], ["any"]]):
        assert not verify(tree, replace(refined, certificate={**loose, "trembles": wrong})).ok


def conditional(tree: GameTree, strategies: Profile, player: int, k: int, pure: dict[int, int]) -> F:
    """What pure actions earn from a set on, weighted by how chance and the other come there."""

    def value(node: int) -> F:
        mover, own = int(tree.player[node]), int(tree.infoset[node])
        if mover == tremble.TERMINAL:
            return F(tree.payoff_at(own)[player])
        children = tree.children(node)
        if mover == player:
            return value(children[pure[own]])
        shares = tree.chance_tables[own].probabilities if mover == tremble.CHANCE else strategies[mover].row(own)
        return sum((F(p) * value(child) for p, child in zip(shares, children, strict=True) if p), F(0))

    def comes(node: int, reach: F) -> F:
        mover, own = int(tree.player[node]), int(tree.infoset[node])
        if mover == tremble.TERMINAL or not reach:
            return F(0)
        if (mover, own) == (player, k):
            return reach * value(node)
        shares: Any = [F(1)] * len(tree.children(node))  # own moves lead there if they can
        if mover != player:
            shares = tree.chance_tables[own].probabilities if mover == tremble.CHANCE else strategies[mover].row(own)
        return sum((comes(c, reach * F(p)) for c, p in zip(tree.children(node), shares, strict=True)), F(0))

    return comes(0, F(1))


@pytest.mark.parametrize("seed", range(12))
def test_replies_are_refuted_where_they_are_wrong(seed: int) -> None:
    """At every set of both players, against all pure continuations; another set, or another concept, is refused."""
    tree = random_game(seed, 4, zero_sum=seed % 2 == 0)
    wrong = 0
    for strategies in (random_profile(tree, seed), tremble.solve(tree).strategies):
        for player in (0, 1):
            sets = tree.actions[player]
            if len(list(itertools.product(*map(range, map(len, sets))))) > 256:  # type: ignore[arg-type]
                continue
            for k, labels in enumerate(sets):
                earned = [F(-(10**9))] * len(labels)
                for choice in itertools.product(*map(range, map(len, sets))):  # type: ignore[arg-type]
                    amount = conditional(tree, strategies, player, k, dict(enumerate(choice)))
                    earned[choice[k]] = max(earned[choice[k]], amount)
                played = [e for e, p in zip(earned, strategies[player].row(k), strict=True) if p]
                true = any(e < max(earned) for e in played)
                refutation = {
                    "concept": "one-sided-quasi-perfect",
                    "kind": "reply",
                    "player": player + 1,
                    "infoset": k + 1,
                }
                found = disproven(tree, strategies, refutation)
                assert found == ("one-sided-quasi-perfect" if true else None)
                assert disproven(tree, strategies, {**refutation, "concept": "sequential"}) is None
                assert disproven(tree, strategies, {**refutation, "infoset": len(sets) + 1}) is None
                assert disproven(tree, strategies, {**refutation, "infoset": str(k + 1)}) is None
                wrong += true
    assert wrong or seed not in (1, 3, 5)


# -- whom a proof is about ---------------------------------------------------------------------------

ONE_SIDED = "one-sided-quasi-perfect"


def faultless(tree: GameTree, player: int) -> Trembles:
    """Trembles by which this player makes no mistakes."""
    rows: list[Any] = [[["1"] * len(labels) for labels in own] for own in tree.actions]
    rows[player] = "none"
    return Trembles.from_rows(tree, rows)


def proven_and_disproven(tree: GameTree, line: str) -> StatedSolution:
    """A profile that is proven for player 2, with the refutation for player 1."""
    proven = tremble.certify(tree, line, ONE_SIDED, trembles=faultless(tree, 1))
    refuted = tremble.results.certification(tree, line, ONE_SIDED, trembles=faultless(tree, 0)).solution
    document = json.loads(proven.to_text())
    document["refutation"] = json.loads(refuted.to_text())["refutation"]
    return StatedSolution.from_text(json.dumps(document))


def test_a_proof_names_the_player_who_makes_no_mistakes(tmp_path: Path) -> None:
    tree = tremble.matrix_game([[2, 2, 2], [2, 0, 2]], [[0, 1, 2], [0, 2, 2]])
    both = proven_and_disproven(tree, "NE,0,1,0,0,1")
    verification = verify(tree, both)
    assert (verification.ok, verification.proven, verification.disproven) == (True, ONE_SIDED, ONE_SIDED)
    assert (verification.proven_player, verification.disproven_player) == (1, 0)
    names = (
        "one-sided quasi-perfect equilibrium (player 2 makes no",
        "equilibrium (player 1 makes no mistakes): the ref",
    )
    game, file = tmp_path / "game.nfg", tmp_path / "both.json"
    tremble.write_nfg(tree, game)
    file.write_text(both.to_text(), encoding="utf-8")
    for shown in (str(verification), run("verify", game, file).stdout):
        assert all(name in shown for name in names), shown
    record = json.loads(run("verify", game, file, "--format", "json").stdout)
    assert (record["proven_player"], record["disproven_player"]) == (2, 1)


@pytest.mark.parametrize("player", [0, 1])
def test_certify_names_the_player_who_makes_no_mistakes(player: int, tmp_path: Path) -> None:
    tree = tremble.matrix_game([[2, 2, 2], [2, 0, 2]], [[0, 1, 2], [0, 2, 2]])
    game, line, weights = tmp_path / "game.nfg", tmp_path / "line.txt", tmp_path / "trembles.json"
    tremble.write_nfg(tree, game)
    line.write_text("NE,0,1,0,0,1\n", encoding="utf-8")
    ones = [
        [{"infoset": 1, "actions": [[label, "1"] for label in own[0]]}] if i != player else "none"
        for i, own in enumerate(tree.actions)
    ]
    weights.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": ones}), encoding="utf-8")
    asked = ["certify", game, line, "--concept", ONE_SIDED, "--trembles", weights]
    words = f"one-sided quasi-perfect equilibrium (player {player + 1} makes no mistakes)"
    assert words in run(*asked).stdout
    record = json.loads(run(*asked, "--format", "json").stdout)
    named = (record["proven_player"], record["disproven_player"])
    assert named == ((2, None) if player else (None, 1))
    certified = tremble.results.certification(tree, "NE,0,1,0,0,1", ONE_SIDED, trembles=faultless(tree, player))
    assert words in certified.sentence
    assert words in str(certified)


def test_a_proof_for_both_players_names_neither() -> None:
    tree = tremble.load("matching_pennies")
    refuted = tremble.results.certification(tree, "NE,1,0,1,0", ONE_SIDED, trembles=faultless(tree, 0))
    assert refuted.sentence == "this is no one-sided quasi-perfect equilibrium (whoever makes no mistakes)"
    verification = verify(tree, refuted.solution)
    assert (verification.disproven, verification.disproven_player) == (ONE_SIDED, None)
    assert "(whoever makes no mistakes)" in str(verification)
    for concept in ("nash", "quasi-perfect"):
        solution = tremble.solve(tree, concept)
        assert verify(tree, solution).proven_player is None
    first, second = (tremble.solve(tremble.load("a_loss_counterexample"), "maxmin", player=player) for player in (0, 1))
    assert (first.verification.proven_player, second.verification.proven_player) == (0, 1)

"""Any profile in, a proof out: readers, verdicts, the certificate of consistent trembles, and all ways to forge one."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from math import prod
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from gambit import (
    Gambit,
    complementary_pivots,
    extreme_equilibria,
    payoffs_of_complementary_pivots,
    pygambit,
    read_by_gambit,
)
from hand_made import chain, kuhn_equilibrium, random_game
from hand_made import kuhn as kuhn_by_hand
from hostile_games import forgetful_game
from tremble import (
    CHANCE,
    TERMINAL,
    BehaviorStrategy,
    CertificateError,
    FormatError,
    GameError,
    GameTree,
    LimitReached,
    NotProvenError,
    Solution,
    TreeBuilder,
    certify,
    read_profile,
    verify,
)
from tremble.check.subgame_perfect import subgame_roots
from tremble.errors import SpecError, TrembleWarning
from tremble.formats.efg import format_efg
from tremble.formats.nfg import format_nfg
from tremble.game.rules import DefaultRule, UnbuiltStrategy
from tremble.judge.certify import certification, refinements
from tremble.judge.certify.refinements import subgame_gains
from tremble.poker.strategy import OrderedStrategy
from tremble.results import StatedSolution
from tremble.solution.certification import Verdict
from tremble.solution.claim import BeliefRow, Beliefs, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.reading import SOLUTION
from tremble.status import Status
from tremble.strategies import Trembles, evaluate

Profile = tuple[BehaviorStrategy, BehaviorStrategy]

ENTRY = """EFG 2 R "Entry" { "entrant" "incumbent" }
p "" 1 1 "" { "out" "in" } 0
t "" 1 "" { 0, 4 }
p "" 2 1 "" { "fight" "share" } 0
t "" 2 "" { -1, -1 }
t "" 3 "" { 2, 2 }
"""

SEXES = """EFG 2 R "Battle of the sexes, with a way out" { "she" "he" }
p "" 1 1 "" { "out" "stay" } 0
t "" 1 "" { 2, 2 }
p "" 1 2 "" { "ballet" "boxing" } 0
p "" 2 1 "" { "ballet" "boxing" } 0
t "" 2 "" { 3, 1 }
t "" 3 "" { 0, 0 }
p "" 2 1 "" { "ballet" "boxing" } 0
t "" 4 "" { 0, 0 }
t "" 5 "" { 1, 3 }
"""


def guess(left_at_b: int, left_at_c: int) -> str:
    """Player 1 stops, or does b or c, which player 2 cannot tell apart: what left pays there; right pays 1, -1."""
    return f"""EFG 2 R "Guess" {{ "1" "2" }}
p "" 1 1 "" {{ "stop" "b" "c" }} 0
t "" 1 "" {{ 2, 0 }}
p "" 2 1 "" {{ "left" "right" }} 0
t "" 2 "" {{ 0, {left_at_b} }}
t "" 3 "" {{ 1, 0 }}
p "" 2 1 "" {{ "left" "right" }} 0
t "" 4 "" {{ 0, {left_at_c} }}
t "" 5 "" {{ 1, 0 }}
"""


OPEN = tremble.read_efg(guess(1, -2))  # left is right if b is at least twice as likely as c
WRONG = tremble.read_efg(guess(-1, -2))  # left never is


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return tremble.load("kuhn")


def alone(profile: Sequence[BehaviorStrategy]) -> str:
    rows = [
        [
            {"infoset": k + 1, "actions": [[a, str(p)] for a, p in zip(s.actions[k], s.row(k), strict=True)]}
            for k in range(s.num_infosets)
        ]
        for s in profile
    ]
    return json.dumps({"strategies": rows})


def line(profile: Sequence[BehaviorStrategy]) -> str:
    return "NE," + ",".join(str(p) for s in profile for row in s for p in row)


def refused(game: object, profile: Any, concept: str = "nash", **options: Any) -> NotProvenError:
    with pytest.raises(NotProvenError) as caught:
        certify(game, profile, concept, **options)
    return caught.value


# -- Nash ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [F(0), F(1, 7), F(1, 3)])
def test_kuhns_family_is_certified(alpha: F) -> None:
    tree = kuhn_by_hand()
    profile = kuhn_equilibrium(tree, alpha)
    solution = certify(tree, profile)
    assert isinstance(solution, Solution)
    assert (solution.status, solution.concept, solution.value) == (Status.CERTIFIED, "nash", F(-1, 18))
    assert solution.bounds == (F(-1, 18), F(-1, 18))
    assert solution.method.name == "certify"
    assert verify(tree, solution).ok
    assert verify(tree, StatedSolution.from_text(solution.to_text())).proven == "nash"


def test_outside_of_the_family_the_regrets_are_exact() -> None:
    tree = kuhn_by_hand()
    one, two = kuhn_equilibrium(tree, F(1, 3))
    rows = [list(row) for row in one]
    jack = tree.infoset_labels[0].index("J")
    rows[jack] = [F(1, 2), F(1, 2)]  # bluffs too much
    worse = BehaviorStrategy.from_rows(tree, 0, rows)
    error = refused(tree, (worse, two))
    best = error.best
    assert isinstance(best, Solution)
    assert (best.status, best.requested) == (Status.BOUNDED, "nash")
    assert verify(tree, best).proven == "bounds"
    assert best.stats["problems"] == list(best.verification.problems)
    found = certification(tree, (worse, two))
    assert found.verdict is Verdict.DISPROVEN
    assert found.gains == tuple(
        tremble.best_response(tree, (worse, two), player)[0] - best.values[player] for player in (0, 1)
    )
    for player in (0, 1):
        mine = [b for b in found.blunders if b.player == player]
        assert sum(b.amount * b.own_reach * b.other_reach for b in mine) == found.gains[player]
    assert found.gains[1] > 0
    assert all(b.on_path and b.loss > 0 for b in found.blunders)


def test_every_form_of_a_profile(tmp_path: Path) -> None:
    tree = kuhn_by_hand()
    profile = kuhn_equilibrium(tree, F(1, 5))
    solution = certify(tree, profile)
    solution.to_json(tmp_path / "solution.json")
    (tmp_path / "alone.json").write_text(alone(profile))
    (tmp_path / "line.txt").write_text(line(profile))
    floats = [BehaviorStrategy.from_floats(tree, i, profile[i].to_floats()) for i in (0, 1)]
    given = [
        solution, tremble.Solution.from_json(tmp_path / "solution.json"), tmp_path / "solution.json",
        str(tmp_path / "alone.json"), tmp_path / "line.txt", alone(profile), line(profile),
        tremble.read_profile(line(profile)), list(profile), floats,
    ]  # fmt: skip
    for form in given:
        found = certify(tree, form)
        assert found.values == solution.values
        assert [list(s) for s in found.strategies] == [list(s) for s in profile]
        assert found.to_text() == solution.to_text()
    for wrong in (7, None, [1, 2], profile[:1], {"a": 1}):
        with pytest.raises(GameError):
            certify(tree, wrong)
    with pytest.raises(FormatError):
        certify(tree, tmp_path / "missing.json")
    with pytest.raises(GameError):
        certify(tremble.load("kuhn_raise"), list(profile))
    with pytest.raises(CertificateError, match="another game"):
        certify(tremble.load("kuhn_raise"), solution)


def test_rows_that_are_wrong_are_refused() -> None:
    tree = kuhn_by_hand()
    text = json.loads(alone(kuhn_equilibrium(tree, F(0))))
    text["strategies"][0][0]["actions"][0][1] = "1/2"
    with pytest.raises(CertificateError, match="sum to 1/2"):
        certify(tree, json.dumps(text))
    with pytest.raises(FormatError, match="schema"):
        certify(tree, json.dumps({**text, "schema": "tremble/game@1"}))


def test_general_sum(tmp_path: Path) -> None:
    for row, column in ((0, 0), (1, 1)):  # after staying, both pure equilibria
        tree = tremble.read_efg(SEXES)
        stay = int(row == 0)
        profile = (BehaviorStrategy.pure(tree, 0, [stay, row]), BehaviorStrategy.pure(tree, 1, [column]))
        for concept in ("nash", "sequential", "quasi-perfect"):
            solution = certify(tree, profile, concept)
            assert (solution.concept, solution.bounds) == (concept, None)
            assert verify(tree, StatedSolution.from_text(solution.to_text())).proven == concept
    mixed = "NE,1,0,3/4,1/4,1/4,3/4"
    assert certify(tree, mixed).values == (2, 2)
    assert certify(tree, mixed, "sequential").concept == "sequential"
    error = refused(tree, "NE,0,1,3/4,1/4,1/4,3/4")
    assert "player 1 can gain 5/4" in str(error)
    assert (error.best.status, error.best.bounds) == (Status.LIMIT_REACHED, None)
    found = certification(tree, "NE,0,1,3/4,1/4,1/4,3/4")
    assert [(b.infoset, b.action, b.better, b.amount) for b in found.blunders] == [(0, "stay", "out", F(5, 4))]


def test_decimals_of_a_line() -> None:
    tree = kuhn_by_hand()
    profile = kuhn_equilibrium(tree, F(1, 3))
    text = "NE," + ",".join(f"{float(p):.6f}" for s in profile for row in s for p in row)
    assert "repair_tolerance= replaces them by the simplest fractions" in " ".join(certification(tree, text).reasons)
    with pytest.warns(TrembleWarning, match="decimals became the simplest fractions"):
        solution = certify(tree, text, repair_tolerance=0)
    assert [list(s) for s in solution.strategies] == [list(s) for s in profile]


def test_a_player_who_forgets() -> None:
    game = forgetful_game(3)
    uniform = [BehaviorStrategy.uniform(game, player) for player in (0, 1)]
    with pytest.raises(tremble.ImperfectRecallError):
        certify(game, uniform)


def test_what_is_asked_must_make_sense(kuhn: GameTree) -> None:
    uniform = [BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
    said = r"Maxmin is a concept for one strategy, .* solve computes such a strategy, .* respond"
    with pytest.raises(SpecError, match=said):
        certify(kuhn, uniform, "Maxmin")
    with pytest.raises(SpecError, match="maxmin is a concept for one strategy"):
        tremble.all_equilibria(kuhn, "maxmin")
    with pytest.raises(SpecError, match="unknown concept 'best'"):
        certify(kuhn, uniform, "best")
    with pytest.raises(SpecError, match="accepts no trembles"):
        certify(kuhn, uniform, trembles=Trembles.uniform(kuhn))
    for concept in ("subgame-perfect", "normal-form-perfect", "proper"):  # which no weights decide
        with pytest.raises(SpecError, match=r"ask for quasi-perfect, .*sequential or perfect"):
            certify(kuhn, uniform, concept, trembles=Trembles.uniform(kuhn))
    with pytest.raises(SpecError, match=r"tremble\.strategies\.Trembles"):
        certify(kuhn, uniform, "sequential", trembles=[1])  # type: ignore[arg-type]


# -- refinements --------------------------------------------------------------------------------------


def test_an_empty_threat_is_disproven() -> None:
    tree = tremble.read_efg(ENTRY)
    threat = "NE,1,0,1,0"
    assert certify(tree, threat).values == (0, 4)
    for concept in ("subgame-perfect", "sequential", "quasi-perfect", "perfect"):
        found = certification(tree, threat, concept)
        assert verify(tree, found.solution).disproven == concept
        assert found.solution.refutation is not None
        assert (found.solution.refutation["kind"], found.solution.refutation["path"]) == ("subgame", ["in"])
        assert found.verdict is Verdict.DISPROVEN
        assert found.subgame_perfect is False
        assert [(g.path, g.player, g.gain) for g in found.subgames or ()] == [(("in",), 1, F(3))]
        assert "not subgame perfect" in found.reasons[0]
        assert (found.solution.concept, found.solution.requested) == ("nash", concept)
        assert verify(tree, found.solution).proven == "nash"
    for concept in ("subgame-perfect", "sequential", "quasi-perfect", "perfect"):  # perfect: nobody moves twice
        assert certify(tree, "NE,0,1,0,1", concept).concept == concept


def test_what_is_no_equilibrium_is_of_no_concept() -> None:
    tree = tremble.read_efg(ENTRY)
    for concept in ("nash", "subgame-perfect", "sequential", "quasi-perfect", "perfect"):
        found = certification(tree, "NE,0,1,1,0", concept)
        assert verify(tree, found.solution).disproven == concept
        assert (found.verdict, found.subgames) == (Verdict.DISPROVEN, None)
        assert "player 1 can gain 1" in found.reasons[0]


def test_trembles_decide_what_is_believed() -> None:
    profile = "NE,1,0,0,1,0"
    found = certification(OPEN, profile, "sequential")
    assert (found.verdict, found.grounds) == (Verdict.PROVEN, "mistakes were found that support the profile")
    assert certify(OPEN, "NE,1,0,0,0,1", "sequential").beliefs[1][0].nodes[0][1] == F(1, 2)
    for weight, proven in ((3, True), (2, True), (F(3, 2), False)):
        trembles = Trembles.from_rows(OPEN, ([[1, weight, 1]], [[1, 1]]))
        for concept in ("sequential", "quasi-perfect"):
            found = certification(OPEN, profile, concept, trembles=trembles)
            assert verify(OPEN, found.solution).proven == concept
            assert (found.grounds == "mistakes as likely as the weights say") == proven
            if proven:
                assert found.solution.certificate["trembles"] == [[["1", str(weight), "1"]], [["1", "1"]]]


def test_what_no_belief_supports_is_disproven() -> None:
    for concept in ("sequential", "quasi-perfect", "perfect"):
        found = certification(WRONG, "NE,1,0,0,1,0", concept)
        assert (found.verdict, found.subgame_perfect) == (Verdict.DISPROVEN, True)
        assert "whatever the other plays 'right' earns at least 1 more" in found.reasons[0]


def test_what_is_dominated_is_not_quasi_perfect() -> None:
    tree = tremble.read_efg(guess(0, 0))  # against every belief, left is as good as right
    assert certify(tree, "NE,1,0,0,1,0", "sequential").concept == "sequential"
    tree = tremble.read_nfg('NFG 1 R "" { "1" "2" } { 2 2 }\n1 1 0 0 0 0 0 0')  # both may play what is never better
    assert certify(tree, "NE,0,1,0,1", "sequential").concept == "sequential"
    found = certification(tree, "NE,0,1,0,1", "quasi-perfect")
    assert found.verdict is Verdict.DISPROVEN
    assert {b.kind for b in found.blunders} == {"dominated"}


@pytest.mark.parametrize("concept", ["quasi-perfect", "sequential", "perfect"])
@pytest.mark.parametrize("spec", ["kuhn_raise", "guess_the_ace:gift=true", "safe_or_risky"])
def test_the_certificate_of_a_solution_is_taken(spec: str, concept: str, tmp_path: Path) -> None:
    tree = tremble.load(spec)
    tremble.solve(tree, concept).to_json(tmp_path / "solved.json")
    found = certification(tree, tmp_path / "solved.json", concept)
    assert (found.verdict, found.grounds) == (Verdict.PROVEN, "the certificate in the file")
    assert verify(tree, found.solution).proven == concept


HEADING = sorted(set(SOLUTION.required) - {"strategies", "certificate"})


@pytest.mark.parametrize("concept", ["perfect", "sequential"])
@pytest.mark.parametrize("lacking", [*([key] for key in HEADING), HEADING], ids=lambda keys: "+".join(keys))
def test_the_certificate_of_a_file_that_is_no_whole_solution_is_taken(
    kuhn: GameTree, lacking: list[str], concept: str, tmp_path: Path
) -> None:
    """Beliefs and certificate count, whatever the heading lacks; `verify` needs it all."""
    document = json.loads(tremble.solve(kuhn, concept).to_text())
    stated = {key: value for key, value in document.items() if key not in lacking}
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(stated))
    for given in (path, read_profile(path), path.read_text()):
        found = certification(kuhn, given, concept)
        assert (found.verdict, found.grounds) == (Verdict.PROVEN, "the certificate in the file")
        assert json.loads(found.solution.to_text())["certificate"] == document["certificate"]
    printed = json.loads(run("certify", "kuhn", str(path), "--concept", concept, "--format", "json").stdout)
    assert printed["grounds"] == "the certificate in the file"
    with pytest.raises(FormatError):
        Solution.from_json(path)


@pytest.mark.parametrize("spec", ["kuhn", "kuhn_raise", "guess_the_ace:gift=true", "leduc:ranks=2,raises=1"])
def test_the_plans_of_another_certificate_tell_what_to_believe(spec: str, tmp_path: Path) -> None:
    """A quasi-perfect equilibrium is sequential, with the beliefs that its perturbed plans leave."""
    tree = tremble.load(spec)
    solved = tremble.solve(tree, "quasi-perfect")
    found = certification(tree, solved, "sequential")
    assert found.grounds == "mistakes as in the plans of the file's certificate"
    assert found.solution.certificate["kind"] == "consistent-trembles"
    assert found.solution.beliefs == tremble.solve(tree, "sequential").beliefs
    found.solution.to_json(tmp_path / "sequential.json")
    assert verify(tree, Solution.from_json(tmp_path / "sequential.json")).proven == "sequential"
    again = certification(tree, tmp_path / "sequential.json", "sequential")
    assert again.grounds == "the certificate in the file"
    basis = tremble.solve(tree, "perfect")
    assert certify(tree, basis, "sequential").concept == "sequential"  # what is perfect is sequential as well


def test_a_broken_certificate_in_the_file_is_not_believed(kuhn: GameTree) -> None:
    solved = tremble.solve(kuhn, "quasi-perfect")
    for broken in (
        {"kind": "polynomials"},
        {**solved.certificate, "X": [["1"]]},
        {**solved.certificate, "X": "nonsense"},
        {**solved.certificate, "denominator": ["0", "1"]},
        {**solved.certificate, "X": [["x"] * 13]},
        {**solved.certificate, "X": [["0"] * 13]},
        {},
    ):
        found = certification(kuhn, replace(solved, certificate=broken), "sequential")
        assert found.verdict is not Verdict.DISPROVEN
        if found.verdict is Verdict.PROVEN:  # by another road
            assert verify(kuhn, found.solution).ok


def test_a_time_limit_leaves_what_is_proven() -> None:
    tree = tremble.load("leduc")
    solution = tremble.solve(tree)
    with pytest.raises(LimitReached):
        certify(tree, solution, "sequential", time_limit=1e-6)


# -- the certificate of consistent trembles -----------------------------------------------------------


def rows_of(profile: Sequence[BehaviorStrategy]) -> list[list[list[F]]]:
    return [[[F(p) for p in row] for row in strategy] for strategy in profile]


def nodes_of(tree: GameTree, player: int, k: int) -> list[int]:
    return [v for v in tree.in_preorder.tolist() if tree.player[v] == player and tree.infoset[v] == k]


def shares(tree: GameTree, node: int, rows: Any) -> Sequence[F]:
    mover, k = int(tree.player[node]), int(tree.infoset[node])
    return tree.chance_tables[k].probabilities if mover == CHANCE else rows[mover][k]


def reach(tree: GameTree, rows: Any) -> list[F]:
    found = [F(1)] * tree.num_nodes
    for node in range(tree.num_nodes):
        for i, child in enumerate(tree.children(node)):
            found[child] = found[node] * shares(tree, node, rows)[i]
    return found


def earned(tree: GameTree, rows: Any, player: int) -> list[F]:
    value = [F(0)] * tree.num_nodes
    for node in reversed(range(tree.num_nodes)):
        if tree.player[node] == TERMINAL:
            value[node] = tree.payoff_at(int(tree.infoset[node]))[player]
        else:
            value[node] = sum(
                (p * value[c] for p, c in zip(shares(tree, node, rows), tree.children(node), strict=True)), F(0)
            )
    return value


Weights = list[list[list[F]]]
Orders = list[list[list[int]]]


def trembling(rows: Any, weights: Weights, orders: Orders, epsilon: F) -> Any:
    """The completely mixed strategies themselves, at one value of the infinitesimal."""
    mixed: list[list[list[F]]] = [[], []]
    for player in (0, 1):
        for k, row in enumerate(rows[player]):
            raw = [p + w * epsilon**o for p, w, o in zip(row, weights[player][k], orders[player][k], strict=True)]
            mixed[player].append([p / sum(raw) for p in raw])
    return mixed


def nearest(value: F) -> F:
    return value.limit_denominator(10**9)


def brute_force(tree: GameTree, rows: Any, weights: Weights, orders: Orders) -> tuple[Beliefs, bool]:
    """Beliefs by Bayes' rule at a tiny epsilon, rounded to the limit; and whether no action is better anywhere."""
    at = reach(tree, trembling(rows, weights, orders, F(1, 10**40)))
    beliefs: list[tuple[BeliefRow, ...]] = []
    rational = True
    for player in (0, 1):
        value, own = earned(tree, rows, player), []
        for k in range(tree.num_infosets[player]):
            nodes = nodes_of(tree, player, k)
            total = sum(at[v] for v in nodes)
            belief = [nearest(at[v] / total) for v in nodes] if total else []
            own.append(BeliefRow(k, tuple(zip(map(tree.path, nodes), belief, strict=True)) if belief else ()))
            if belief:
                promise = [
                    sum((p * value[tree.children(v)[a]] for p, v in zip(belief, nodes, strict=True)), F(0))
                    for a in range(len(tree.actions[player][k]))
                ]
                rational &= all(w == max(promise) for w, p in zip(promise, rows[player][k], strict=True) if p)
        beliefs.append(tuple(own))
    return (beliefs[0], beliefs[1]), rational


def stated(
    tree: GameTree, profile: Profile, beliefs: Beliefs | None, weights: Weights | None, orders: Orders | None
) -> StatedSolution:
    values = tremble.expected_values(tree, profile)
    one, two = (replace(s, off_path=s.off_path & False) for s in profile)
    return StatedSolution(
        game=GameReference.of(tree), concept="sequential", requested="sequential",
        method=MethodReference("by hand", {}), status=Status.CERTIFIED, values=values,
        bounds=None if tree.constant_sum is None else (values[0], values[0]), strategies=(one, two), beliefs=beliefs,
        certificate={
            "kind": "consistent-trembles",
            "trembles": None if weights is None else [[[str(w) for w in row] for row in side] for side in weights],
            "orders": orders,
        },
        stats={},
    )  # fmt: skip


def profiles(tree: GameTree, rng: random.Random, most: int) -> Iterator[Profile]:
    """Pure profiles, all if there are few, and equilibria of the tree in mixed strategies where they are known."""
    widths = [[range(len(labels)) for labels in sets] for sets in tree.actions]
    every = list(itertools.product(itertools.product(*widths[0]), itertools.product(*widths[1])))
    for one, two in every if len(every) <= most else rng.sample(every, most):
        yield BehaviorStrategy.pure(tree, 0, one), BehaviorStrategy.pure(tree, 1, two)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(24))
def test_against_brute_force(seed: int) -> None:
    """The checker accepts exactly the assessments that are rational with the beliefs of a tiny tremble."""
    rng = random.Random(seed)
    kind = ("general", "zero")[seed % 2]
    spec = f"random_tree:seed={seed},depth={3 + seed % 2},branching=2,observations=2,sum={kind},chance={seed % 3 == 0}"
    tree = tremble.load(spec.replace("True", "true").replace("False", "false"))
    for profile in profiles(tree, rng, 48):
        weights = [[[F(rng.randint(1, 4), rng.randint(1, 3)) for _ in row] for row in side] for side in tree.actions]
        orders = [[[rng.choice((1, 1, 2)) for _ in row] for row in side] for side in tree.actions]
        if rng.random() < 0.3:
            weights = [[[F(1) for _ in row] for row in side] for side in tree.actions]
            orders = [[[1 for _ in row] for row in side] for side in tree.actions]
        beliefs, rational = brute_force(tree, rows_of(profile), weights, orders)
        solution = stated(tree, profile, beliefs, weights, orders)
        found = verify(tree, solution)
        assert found.ok == rational, found.problems
        plain = all(w == 1 for side in weights for row in side for w in row)
        if plain and all(o == 1 for side in orders for row in side for o in row):
            assert verify(tree, replace(solution, certificate={**solution.certificate, "orders": None})).ok == rational
            proven = certification(tree, profile, "sequential").verdict is Verdict.PROVEN
            assert proven == rational
        if rational:
            assert tremble.nash_conv(tree, profile) == 0
            assert not subgame_gains(tree, profile, lambda: None)


def test_brute_force_accepts_some() -> None:
    """The test above is not empty: backward induction makes a sequential equilibrium of every tree of singletons."""
    tree = tremble.read_efg(ENTRY)
    ones = [[[F(1)] * 2], [[F(1)] * 2]]
    first = [[[1, 1]], [[1, 1]]]
    seen = []
    for profile in profiles(tree, random.Random(0), 99):
        beliefs, rational = brute_force(tree, rows_of(profile), ones, first)
        assert verify(tree, stated(tree, profile, beliefs, ones, first)).ok == rational
        seen.append(rational)
    assert seen == [False, False, False, True]


TWO_MISTAKES = """EFG 2 R "one mistake or two" { "Ann" "Bob" }
p "" 1 1 "" { "stop" "one" "two" } 0
t "" 1 "" { 0, 0 }
p "" 2 1 "" { "left" "right" } 0
t "" 2 "" { -1, 1 }
t "" 3 "" { -2, 2 }
p "" 1 2 "" { "back" "on" } 0
t "" 4 "" { -1/2, 1/2 }
p "" 2 1 "" { "left" "right" } 0
t "" 5 "" { -2, 2 }
t "" 6 "" { -1, 1 }
"""


def test_orders_reach_what_no_weights_do() -> None:
    """One mistake is likelier than two in any constant ratios; where it vanishes as e^2 both are alike."""
    tree = tremble.read_efg(TWO_MISTAKES)
    left = (BehaviorStrategy.pure(tree, 0, [0, 0]), BehaviorStrategy.pure(tree, 1, [0]))
    for likely in (1, 10**6):
        trembles = Trembles.from_rows(tree, [[[1, 1, likely], [1, likely]], [[1, 1]]])
        found = certification(tree, left, "sequential", trembles=trembles)
        assert (found.verdict, found.grounds) == (Verdict.PROVEN, "mistakes were found that support the profile")
    ones = [[[F(1)] * len(row) for row in side] for side in tree.actions]
    for order, proven in ((3, True), (2, True), (1, False)):
        orders = [[[1, order, 1], [1, 1]], [[1, 1]]]
        beliefs, rational = brute_force(tree, rows_of(left), ones, orders)
        found = verify(tree, stated(tree, left, beliefs, None, orders))
        assert found.ok == rational == proven, found.problems


def honest() -> tuple[GameTree, StatedSolution]:
    profile = (BehaviorStrategy.pure(OPEN, 0, [0]), BehaviorStrategy.pure(OPEN, 1, [0]))
    weights, orders = [[[F(1), F(3), F(1)]], [[F(1), F(1)]]], [[[1, 1, 1]], [[1, 1]]]
    beliefs, rational = brute_force(OPEN, rows_of(profile), weights, orders)
    assert rational
    return OPEN, stated(OPEN, profile, beliefs, weights, orders)


def problems(tree: GameTree, solution: StatedSolution, **certificate: Any) -> str:
    found = verify(tree, replace(solution, certificate={**solution.certificate, **certificate}))
    assert not found.ok
    assert found.proven is None
    return "; ".join(found.problems)


def test_the_honest_certificate_passes() -> None:
    tree, solution = honest()
    found = verify(tree, StatedSolution.from_text(solution.to_text()))
    assert found.ok, found.problems
    assert found.proven == "sequential"


MOST_ORDER = 10**18 - 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("trembles", [[["1", "0", "1"]], [["1", "1"]]], "the weight of a tremble must be positive, not 0"),
        ("trembles", [[["1", "-3", "1"]], [["1", "1"]]], "the weight of a tremble must be positive, not -3"),
        ("trembles", [[["1", "3"]], [["1", "1"]]], "certificate.trembles[0][0]: not a list of 3"),
        ("trembles", [[["1", "3", "1"], ["1"]], [["1", "1"]]], "certificate.trembles[0]: not a list of 1"),
        ("trembles", [[["1", "3", "1"]]], "certificate.trembles: not a list of 2"),
        ("trembles", [[["1", 3, "1"]], [["1", "1"]]], "not an exact number as text"),
        ("trembles", [[["1", "nan", "1"]], [["1", "1"]]], "certificate.trembles"),
        ("trembles", None, "is played with probability 1, but given the belief 'right' earns more"),
        ("trembles", [[["1", "1", "3"]], [["1", "1"]]], "the belief in 'b' is stated as 3/4, but it is 1/4"),
        ("trembles", [[["1", "4", "1"]], [["1", "1"]]], "the belief in 'b' is stated as 3/4, but it is 4/5"),
        ("trembles", [[["1", "1/" + "9" * 3000, "1"]], [["1", "1"]]], "the belief in 'b'"),
        ("orders", [[[1, 2, 1]], [[1, 1]]], "the belief in 'b' is stated as 3/4, but it is 0"),
        ("orders", [[[1, 10**17, 1]], [[1, 1]]], "the belief in 'b' is stated as 3/4, but it is 0"),
        (
            "orders",
            [[[1, 0, 1]], [[1, 1]]],
            f"orders[0][0][1]: the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not 0",
        ),
        (
            "orders",
            [[[1, -1, 1]], [[1, 1]]],
            f"orders[0][0][1]: the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not -1",
        ),
        (
            "orders",
            [[[1, True, 1]], [[1, 1]]],
            f"orders[0][0][1]: the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not True",
        ),
        (
            "orders",
            [[[1, 10**18, 1]], [[1, 1]]],
            f"the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not 1000000000000000000",
        ),
        (
            "orders",
            [[[1, "1", 1]], [[1, 1]]],
            f"orders[0][0][1]: the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not '1'",
        ),
        (
            "orders",
            [[[1, None, 1]], [[1, 1]]],
            f"orders[0][0][1]: the order of a tremble must be an integer from 1 to {MOST_ORDER:,}, not None",
        ),
        ("orders", [[[1, 1]], [[1, 1]]], "certificate.orders[0][0]: not a list of 3"),
        ("orders", [[[1, 1, 1], [1]], [[1, 1]]], "certificate.orders[0]: not a list of 1"),
        ("orders", [[7], [[1, 1]]], "certificate.orders[0][0]: not a list of 3"),
        ("orders", 7, "certificate.orders: not a list of 2"),
        ("more", None, "there is no such field"),
        ("kind", "consistent", "certificate.kind: 'consistent'"),
        ("kind", "polynomials", "certificate.X: missing"),
        ("kind", "best-response", "certificate.kind"),
        ("kind", None, "certificate.kind"),
    ],
)
def test_forged_certificates_are_refused(field: str, value: Any, said: str) -> None:
    tree, solution = honest()
    assert said in problems(tree, solution, **{field: value})


def test_missing_fields_are_refused() -> None:
    tree, solution = honest()
    for field in ("trembles", "orders"):
        rest = {key: value for key, value in solution.certificate.items() if key != field}
        found = verify(tree, replace(solution, certificate=rest))
        assert f"certificate.{field}: missing" in found.problems
    for concept in ("quasi-perfect", "perfect", "nash"):  # it proves nothing else
        beliefs = solution.beliefs if concept == "sequential" else None
        assert not verify(tree, replace(solution, concept=concept, beliefs=beliefs)).ok


def test_wrong_beliefs_are_refused() -> None:
    tree, solution = honest()
    assert solution.beliefs is not None
    (row,) = solution.beliefs[1]
    (b, p), (c, q) = row.nodes
    for nodes in (
        ((b, q), (c, p)),
        ((b, F(1)), (c, F(0))),
        ((c, p), (b, q)),
        ((b, p),),
        ((b, p), (c, q), (c, F(0))),
        ((b, p), (("d",), q)),
        ((b, p), (c, -q)),
        ((b, p + 1), (c, q)),
        (),
    ):
        assert not verify(tree, replace(solution, beliefs=(solution.beliefs[0], (BeliefRow(0, nodes),)))).ok
    for beliefs in (None, ((), ()), (solution.beliefs[0], ()), (solution.beliefs[1], solution.beliefs[0])):
        assert not verify(tree, replace(solution, beliefs=beliefs)).ok


def test_what_is_not_rational_or_of_another_game_is_refused() -> None:
    tree, solution = honest()
    other = replace(solution, game=GameReference.of(WRONG))
    assert "another game" in "; ".join(verify(WRONG, solution).problems)
    assert "earns more" in "; ".join(verify(WRONG, other).problems)
    one, two = solution.strategies
    assert isinstance(one, BehaviorStrategy)
    for row in ([0, 1, 0], [F(1, 2), F(1, 2), 0]):  # gives 2 away
        deviating = BehaviorStrategy.from_rows(tree, 0, [row])
        assert not verify(tree, replace(solution, strategies=(deviating, two))).ok
    for row in ([0, 1], [F(1, 2), F(1, 2)]):  # given the belief left is better
        deviating = BehaviorStrategy.from_rows(tree, 1, [row])
        assert "given the belief" in "; ".join(verify(tree, replace(solution, strategies=(one, deviating))).problems)
    marked = replace(one, off_path=~one.off_path)
    assert "defines play everywhere" in "; ".join(verify(tree, replace(solution, strategies=(marked, two))).problems)


@pytest.mark.parametrize("status", [Status.BOUNDED, Status.LIMIT_REACHED])
def test_only_certified_files_name_the_concept(status: Status) -> None:
    tree, solution = honest()
    assert not verify(tree, replace(solution, status=status)).ok


def test_sets_that_chance_never_reaches_have_no_belief() -> None:
    builder = TreeBuilder()
    builder.chance(("dealt", "never"), (F(1), F(0)))
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(1, 0)
    builder.leaf(0, 0)
    builder.decision(0, "b", ("x", "y"))
    builder.leaf(0, 5)
    builder.leaf(1, 0)
    tree = builder.finish()
    solution = certify(tree, "NE,1,0,1,0", "sequential")  # any play passes there
    assert solution.beliefs is not None
    assert [len(row.nodes) for row in solution.beliefs[0]] == [1, 0]
    assert verify(tree, solution).ok
    invented = (replace(solution.beliefs[0][1], nodes=((("never",), F(1)),)),)
    wrong = replace(solution, beliefs=((solution.beliefs[0][0], *invented), ()))
    assert "chance never reaches this set" in "; ".join(verify(tree, wrong).problems)
    assert certify(tree, "NE,1,0,1,0", "perfect").concept == "perfect"


def test_huge_weights_cost_no_more_than_they_may() -> None:
    """Products of long weights along a path are counted before they are formed."""
    tree = chain(3000)
    one, two = (BehaviorStrategy.pure(tree, player, [0] * tree.num_infosets[player]) for player in (0, 1))
    weights = [[["1", "9" * 4000]] * tree.num_infosets[0], [["1"] * len(labels) for labels in tree.actions[1]]]
    solution = stated(tree, (one, two), ((), ()), None, None)
    found = verify(tree, replace(solution, certificate={**solution.certificate, "trembles": weights}))
    assert "certificate.trembles[0]: too large to check" in "; ".join(found.problems)


@pytest.mark.parametrize("length", [1_500, pytest.param(3_000, marks=pytest.mark.slow)])
def test_deep_trees(length: int) -> None:
    tree = chain(length)
    for choice in (0, 1):
        profile = [BehaviorStrategy.pure(tree, p, [choice] * tree.num_infosets[p]) for p in (0, 1)]
        found = certification(tree, profile, "sequential")
        assert found.verdict is not Verdict.UNDECIDED


# -- subgames -----------------------------------------------------------------------------------------


def below(tree: GameTree, node: int) -> list[int]:
    found, stack = [], [node]
    while stack:
        found.append(stack.pop())
        stack.extend(tree.children(found[-1]))
    return found


def is_subgame(tree: GameTree, node: int) -> bool:
    inside = set(below(tree, node))
    sets = {(int(tree.player[v]), int(tree.infoset[v])) for v in inside if tree.player[v] >= 0}
    return all(v in inside for player, k in sets for v in nodes_of(tree, player, k))


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_subgames_against_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    tree = (
        random_game(seed)
        if seed % 2
        else tremble.load(f"random_tree:seed={seed},depth=3,branching=2,observations=3,sum=general")
    )
    roots = subgame_roots(tree).tolist()
    assert roots == [bool(tree.player[v] != TERMINAL and is_subgame(tree, v)) for v in range(tree.num_nodes)]
    exact = 0
    for _ in range(6):
        chosen = [[rng.randrange(len(row)) for row in side] for side in tree.actions]
        rows = [
            [[F(i == a) for i in range(len(row))] for a, row in zip(choices, side, strict=True)]
            for choices, side in zip(chosen, tree.actions, strict=True)
        ]
        profile = (BehaviorStrategy.from_rows(tree, 0, rows[0]), BehaviorStrategy.from_rows(tree, 1, rows[1]))
        perfect = whole = True  # whether nobody gains; whether all pure plans are tried
        for node in (v for v, begins in enumerate(roots) if begins):
            for player in (0, 1):
                sets = sorted({int(tree.infoset[v]) for v in below(tree, node) if tree.player[v] == player})
                here = earned(tree, rows, player)[node]
                widths = [range(len(tree.actions[player][k])) for k in sets]
                whole &= prod(map(len, widths)) <= 64
                for choice in itertools.islice(itertools.product(*widths), 64):
                    other = deepcopy(rows)
                    for k, a in zip(sets, choice, strict=True):
                        other[player][k] = [F(i == a) for i in range(len(tree.actions[player][k]))]
                    perfect &= earned(tree, other, player)[node] <= here
        found = subgame_gains(tree, profile, lambda: None)
        assert found or perfect
        assert perfect == (not found) or not whole
        exact += whole
        assert all(gain.gain > 0 for gain in found)
    assert exact or seed % 2


# -- Gambit and OpenSpiel -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_equilibria_of_gambit_are_certified(seed: int, gambit: Gambit) -> None:
    tree = tremble.load(f"random_tree:seed={seed},depth=4,observations=2,sum=general")
    text = format_efg(tree)
    exact, rounded = (
        tremble.read_profile("NE," + ",".join(gambit.ask(complementary_pivots, text, rational)), repair=not rational)
        for rational in (True, False)
    )
    solution = certified(tree, exact)
    assert solution.values == tuple(map(F, gambit.ask(payoffs_of_complementary_pivots, text)))
    assert verify(tree, solution).ok
    assert certified(tree, rounded).values == solution.values  # floats of an exact equilibrium


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(6))
def test_profiles_of_gambit_are_certified(seed: int) -> None:
    tree = tremble.load(f"random_tree:seed={seed},depth=4,observations=2,sum=general")
    game = read_by_gambit(format_efg(tree))
    profile = pygambit().nash.lcp_solve(game, rational=True).equilibria[0]
    solution = certified(tree, profile)
    assert solution.values == tuple(F(str(profile.payoff(player))) for player in game.players)
    assert certified(game, profile).values == solution.values
    assert verify(tree, solution).ok
    mixed = pygambit().nash.lcp_solve(game, rational=False).equilibria[0]
    assert certified(tree, mixed).values == solution.values  # floats of an exact equilibrium


def certified(game: object, profile: Any) -> Solution:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrembleWarning)  # rows of zeros that are completed
        return certify(game, profile)


@pytest.mark.parametrize("wrong", [7, "NE", None])
def test_what_is_no_profile_of_gambit(wrong: object) -> None:
    with pytest.raises(GameError, match="is not a mixed profile"):
        tremble.io.from_gambit_profile(tremble.load("kuhn"), wrong)


def test_extreme_equilibria_of_gambit_are_certified(gambit: Gambit) -> None:
    table = tremble.matrix_game([[3, 0], [0, 1]], [[1, 0], [0, 3]])
    found = gambit.ask(extreme_equilibria, format_nfg(table))
    assert len(found) == 3
    for rows in found:
        pair = [BehaviorStrategy.from_rows(table, player, [list(map(F, rows[player]))]) for player in (0, 1)]
        assert certify(table, pair).status is Status.CERTIFIED


@pytest.mark.peers
def test_mixed_strategies_of_gambit() -> None:
    table = pygambit().Game.from_arrays([[3, 0], [0, 1]], [[1, 0], [0, 3]])
    for equilibrium in pygambit().nash.enummixed_solve(table, rational=True).equilibria:
        assert certify(table, equilibrium).status is Status.CERTIFIED
    strategic = table.mixed_strategy_profile(rational=True)
    assert "player 1 can gain" in str(refused(table, strategic))
    tree = tremble.load("kuhn")
    game = read_by_gambit(format_efg(tree))
    found = pygambit().nash.lcp_solve(game, rational=True).equilibria[0]
    assert certified(tree, found.as_strategy()).value == F(-1, 18)
    one, two = tremble.io.from_gambit_profile(tree, game.mixed_behavior_profile(rational=False))
    assert {p for s in (one, two) for row in s for p in row} == {F(1, 2)}
    with pytest.raises(GameError, match="of another game"):
        certify(tremble.load("kuhn_raise"), found)


@pytest.mark.peers
def test_floats_of_gambit() -> None:
    game = pygambit().Game.from_arrays([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])
    profile = game.mixed_strategy_profile(rational=False)
    for player in game.players:
        for strategy, p in zip(player.strategies, (0.5 + 1e-7, 0.5 - 1e-7), strict=True):
            profile[strategy] = p
    assert refused(game, profile)
    with pytest.raises(CertificateError, match="sum to"):
        tremble.io.from_gambit_profile(game, profile, exact=True)
    for player in game.players:
        for strategy, p in zip(player.strategies, (0.1, 0.9), strict=True):
            profile[strategy] = p
    assert tremble.io.from_gambit_profile(game, profile)[0].row(0) == [F(1, 10), F(9, 10)]
    for player in game.players:
        for strategy, p in zip(player.strategies, (0.5 + 2**-30, 0.5 - 2**-30), strict=True):
            profile[strategy] = p
    assert tremble.io.from_gambit_profile(game, profile, exact=True)[0].row(0)[0] == F(1, 2) + F(1, 2**30)
    assert certify(game, profile, repair_tolerance="1e-6").value == 0


def test_policies_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as policies

    game = pyspiel.load_game("kuhn_poker")
    tree = tremble.load("openspiel:kuhn_poker")
    uniform = pyspiel.UniformRandomPolicy(game)
    found = certification(game, uniform)
    assert found.verdict is Verdict.DISPROVEN
    assert sum(found.gains) == F(11, 12)
    assert abs(float(sum(found.gains)) - pyspiel.nash_conv(game, uniform)) < 1e-9
    for form in (
        policies.UniformRandomPolicy(game),
        policies.TabularPolicy(game),
        (uniform, policies.TabularPolicy(game)),
    ):
        assert sum(certification(tree, form).gains) == F(11, 12)
    solution = tremble.solve(tree)
    from tremble.io import to_openspiel_policy

    policy = to_openspiel_policy(tree, solution)
    back = tremble.io.from_openspiel_policy(game, policy)
    assert [list(s) for s in back] == [list(s) for s in solution.strategies]  # 1/3 and 2/3, not floats
    assert certify(game, policy).value == F(-1, 18)
    assert tremble.nash_conv(tree, tremble.io.from_openspiel_policy("kuhn_poker", policy)) == 0


def test_policies_of_openspiel_where_both_move_at_once() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as policies

    game = pyspiel.load_game("matrix_rps")
    tree = tremble.load("openspiel:matrix_rps")
    even = {label: [(a, 1 / 3) for a in range(3)] for labels in tree.infoset_labels for label in labels}
    for policy in (policies.TabularPolicy(game), policies.UniformRandomPolicy(game), pyspiel.TabularPolicy(even)):
        assert certify(game, policy).value == 0


def test_policies_that_are_none() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")

    class Policy:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def action_probabilities(self, state: Any, player_id: int | None = None) -> Any:
            return self.answer(state) if callable(self.answer) else self.answer

    for answer, said in [
        ({}, "gives no probabilities"),
        (7, "calling the policy fails"),
        ({5: 1.0}, "plays the illegal action 5"),
        ({0: 0.5, 1: 0.4}, "are not within 1e-09 of probabilities"),
        ({0: float("nan"), 1: 1.0}, "are not probabilities"),
        ({0: -0.5, 1: 1.5}, "of probabilities that sum to one"),
        ({0: "x", 1: 1.0}, "x is not a number"),
        (lambda state: {state.history()[1] % 2: 1.0}, "differ between two states of this information set"),
        (lambda state: 1 // 0, "calling the policy fails (ZeroDivisionError"),
    ]:
        with pytest.raises(GameError) as caught:
            certify(game, Policy(answer))
        assert said in str(caught.value)
    exact = Policy({0: F(1, 3), 1: F(2, 3)})
    assert tremble.io.from_openspiel_policy(game, exact)[0].row(0) == [F(1, 3), F(2, 3)]
    with pytest.raises(CertificateError, match="sum to"):
        certify(game, Policy({0: F(1, 3), 1: F(1, 3)}))
    with pytest.raises(GameError, match="only a tree loaded from OpenSpiel"):
        certify(tremble.load("kuhn"), pyspiel.UniformRandomPolicy(game))
    with pytest.raises(GameError, match="is not a policy of OpenSpiel"):
        tremble.io.from_openspiel_policy(game, 7)


# -- the command --------------------------------------------------------------------------------------


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    path = tmp_path / "entry.efg"
    path.write_text(ENTRY)
    return path


def test_the_command(entry: Path, tmp_path: Path) -> None:
    profile, output = tmp_path / "line.txt", tmp_path / "proven.json"
    profile.write_text("NE,0,1,0,1")
    result = run("certify", entry, profile, "--concept", "sequential", "-o", output)
    assert result.exit_code == 0, result.output
    assert "PROVEN  this is a sequential equilibrium of Entry" in result.stdout
    assert run("verify", entry, output).exit_code == 0
    assert run("certify", entry, output, "--concept", "sequential", "--format", "csv").stdout.startswith(
        "player,infoset"
    )
    assert run("certify", entry, profile, "--format", "gambit").stdout == "NE,0,1,0,1\n"
    profile.write_text("NE,1,0,1,0")
    result = run("certify", entry, profile, "--concept", "sequential", "-o", output)
    assert result.exit_code == 1
    assert "DISPROVEN  this is no sequential equilibrium of Entry" in result.stdout
    assert "player 2 can gain 3 in the subgame after 'in', so it is not subgame perfect" in result.stdout
    assert json.loads(output.read_text())["concept"] == "nash"
    assert run("verify", entry, output).exit_code == 0
    result = run("certify", entry, profile, "--concept", "perfect", "--format", "json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["verdict"], document["ok"], document["proven"]) == ("disproven", False, "nash")
    assert document["subgames"] == [{"path": ["in"], "player": 2, "gain": "3", "gain_float": 3.0}]
    assert document["subgame_perfect"] is False


def test_the_command_tells_who_gains(tmp_path: Path) -> None:
    profile, output = tmp_path / "line.txt", tmp_path / "bounded.json"
    profile.write_text("NE" + ",1/2" * 24)
    result = run("certify", "kuhn", profile, "--format", "json", "-o", output)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["gains"], document["nash_conv"]) == (["3/8", "13/24"], "11/12")
    assert document["bounds"] == ["-5/12", "1/2"]
    assert sum(F(b["gain"]) for b in document["better"]) == F(11, 12)
    assert document["subgame_perfect"] is None
    assert run("verify", "kuhn", output).exit_code == 0
    shown = run("certify", "kuhn", profile).stdout
    assert "player 2 could gain    13/24" in shown


def test_the_command_takes_weights(tmp_path: Path) -> None:
    game, profile, weights = tmp_path / "game.efg", tmp_path / "line.txt", tmp_path / "weights.json"
    tremble.write_efg(OPEN, game)
    profile.write_text("NE,1,0,0,1,0")
    rows = [[{"infoset": 1, "actions": [["stop", "1"], ["b", "3"], ["c", "1"]]}], []]
    weights.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": rows}))
    result = run("certify", game, profile, "--concept", "sequential")
    assert "mistakes were found that support the profile" in result.stdout
    result = run("certify", game, profile, "--concept", "sequential", "--trembles", weights)
    assert "mistakes as likely as the weights say" in result.stdout
    assert run("certify", game, profile, "--trembles", weights).exit_code == 2


def test_exit_codes(entry: Path, tmp_path: Path) -> None:
    profile = tmp_path / "line.txt"
    profile.write_text("NE,1,0,1,0")
    assert run("certify", entry, profile, "--concept", "best").exit_code == 2
    assert run("certify", entry, tmp_path / "missing.txt").exit_code == 3
    assert run("certify", tmp_path / "missing.efg", profile).exit_code == 3
    assert run("certify", entry, profile, "-o", profile).exit_code == 2
    assert run("certify", entry, profile, "-o", entry).exit_code == 2
    other = tmp_path / "kept.txt"
    other.write_text("mine")
    assert run("certify", entry, profile, "-o", other).exit_code == 3
    assert other.read_text() == "mine"
    assert run("certify", entry, profile, "-o", other, "--force").exit_code == 0
    assert run("certify", "kuhn", profile).exit_code == 1  # the line is too short
    forgetful = tmp_path / "forgetful.efg"
    game = forgetful_game(3)
    tremble.write_efg(game, forgetful)
    profile.write_text(line([BehaviorStrategy.uniform(game, player) for player in (0, 1)]))
    assert run("certify", forgetful, profile).exit_code == 4
    tremble.solve(tremble.load("leduc")).to_json(other)
    assert run("certify", "leduc", other, "--time-limit", "0.01").exit_code == 5


def test_games_that_are_not_built(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    rules = tremble.load_rules("kuhn")
    solution = tremble.solve(rules)
    solution.to_json(path)
    assert certify(rules, solution).status is Status.CERTIFIED
    assert certify(rules, solution.strategies).value == F(-1, 18)
    assert run("certify", "kuhn", path).exit_code == 0
    assert run("certify", "kuhn", path, "--concept", "sequential").exit_code == 4
    with pytest.raises(GameError, match="only 'nash' can be proven"):
        certify(rules, solution, "sequential")


@pytest.mark.parametrize("name", ["kuhn", "jk_four_cards"])
def test_near_equilibria_of_games_that_are_not_built(name: str, tmp_path: Path) -> None:
    near, bounds = tmp_path / "near.json", tmp_path / "bounds.json"
    rules = tremble.load_rules(name)
    if name == "kuhn":
        profile: Any = (UnbuiltStrategy(0, DefaultRule("first"), {}), UnbuiltStrategy(1, DefaultRule("first"), {}))
    else:
        profile = tuple(OrderedStrategy.uniform(rules.rules, player) for player in (0, 1))
    conv = evaluate(rules, profile).nash_conv
    found = certification(rules, profile)
    assert found.verdict is Verdict.DISPROVEN
    assert found.within == conv
    assert conv is not None
    assert conv > 0
    low, high = found.solution.bounds or ()
    assert (found.solution.status, high - low) == (Status.BOUNDED, conv)
    assert found.sentence.endswith(f": NashConv is {conv}, and player 1's value has bounds {low} and {high}")
    with pytest.raises(NotProvenError, match="no exact Nash equilibrium: NashConv is"):
        certify(rules, profile)
    found.solution.to_json(near)
    result = run("certify", name, near, "-o", bounds)
    assert result.exit_code == 1
    assert result.stdout.startswith("BOUNDED  ")
    assert found.sentence in result.stdout
    assert "DISPROVEN" not in result.stdout
    assert json.loads(run("certify", name, near, "--format", "json").stdout)["verdict"] == "disproven"
    assert Solution.from_json(bounds).status is Status.BOUNDED
    assert run("verify", name, bounds).exit_code == 0
    assert certification(rules, tremble.solve(rules)).within is None


@pytest.mark.parametrize("end", ["", "\n", " \r\n\n"])
def test_the_line_of_a_game_where_nobody_moves(end: str, tmp_path: Path) -> None:
    game, profile = tmp_path / "coin.efg", tmp_path / "profile.txt"
    game.write_text(
        'EFG 2 R "coin" { "A" "B" }\nc "" 1 "" { "h" 1/2 "t" 1/2 } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { -1, 1 }\n'
    )
    assert run("solve", game, "--format", "gambit").stdout == "NE\n"
    profile.write_text(f"NE{end}")
    assert run("certify", game, profile).exit_code == 0
    assert tremble.nash_conv(tremble.load(game), read_profile("NE\n")) == 0
    profile.write_text("NE\nNE\n")
    assert "a second equilibrium" in run("certify", game, profile).stderr
    profile.write_text("NE\n1,0\n")
    assert run("certify", game, profile).exit_code == 3
    profile.write_text("NE")
    assert "0 probabilities, but" in run("certify", "kuhn", profile).stderr


@pytest.mark.parametrize("concept", ["sequential", "quasi-perfect"])
def test_a_verdict_does_not_wait_for_its_words(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks for reasons that are easier to read may run out of time: what is disproven stays disproven."""

    def slow(*_arguments: Any, time_limit: float, **_named: Any) -> Any:
        assert time_limit <= 1.0
        raise LimitReached("stopped by the time limit")

    monkeypatch.setattr(refinements, "audit", slow)
    for spec, line in (("entry_deterrence", "NE,1,0,0,1"), ("centipede:length=4", "NE,1,0,0,1,1,0,0,1")):
        game = tremble.load(spec)
        found = certification(game, line, concept, time_limit=60)
        assert found.verdict is Verdict.DISPROVEN
        assert found.reasons
        assert tremble.verify(game, found.solution).disproven == concept

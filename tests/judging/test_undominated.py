"""Normal-form perfect equilibria: undominated for both, against brute force on the matrix of all pure strategies.

The matrix, the best replies and the linear programs for dominance (SciPy's) are the tests' own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from math import prod
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from forgetful import is_undominated, mixture, own_matrix, rows_of
from hand_made import random_game
from tremble import GameTree, Solution, TreeBuilder, verify
from tremble.results import Certification, certification

NFP = "normal-form-perfect"


# -- brute force -----------------------------------------------------------------------------------


def is_nash(tree: GameTree, profile: Any) -> bool:
    one, two = (mixture(tree, player, rows_of(profile[player])) for player in (0, 1))
    for player, (own, other) in enumerate(((one, two), (two, one))):
        earns = [sum(q * u for q, u in zip(other, row, strict=True)) for row in own_matrix(tree, player)]
        if any(p and u < max(earns) for p, u in zip(own, earns, strict=True)):
            return False
    return True


def truth(tree: GameTree, profile: Any) -> bool:
    """Whether it is normal-form perfect."""
    return is_nash(tree, profile) and all(is_undominated(tree, i, rows_of(profile[i])) for i in (0, 1))


# -- games with ties ----------------------------------------------------------------------------------


def sizes(tree: GameTree) -> list[int]:
    """How many pure strategies each has."""
    return [prod(map(len, tree.actions[player])) for player in (0, 1)]


def tied(seed: int) -> GameTree:
    """A random game with payoffs 0, 1 and 2, a tree or a matrix."""
    draw = random.Random(seed)
    if seed % 2:
        m, n = draw.randint(2, 4), draw.randint(2, 4)
        return tremble.matrix_game(*([[draw.randint(0, 2) for _ in range(n)] for _ in range(m)] for _ in "ab"))
    for k in range(1000):
        tree = random_game(1000 * seed + k, 3 + seed % 3, zero_sum=False)
        tree = replace(tree, payoff=tree.payoff % 3, payoff_denominator=1, spec=None)
        if min(sizes(tree)) >= 2 and max(sizes(tree)) <= 24:
            return tree
    raise AssertionError


def equilibria(tree: GameTree) -> Iterator[Any]:
    """Some that are undominated, and some that are not."""
    yield tremble.solve(tree)
    yield tremble.solve(tree, NFP)
    yield from list(tremble.all_equilibria(tree))[:6]


def require_decided(tree: GameTree, found: list[Certification], concept: str, truth: Callable[..., bool]) -> None:
    """As it is true, also after a round trip; no proof or refutation passes for another profile unless it is true."""
    for certified in found:
        true = truth(tree, certified.solution.strategies)
        assert str(certified.verdict) == ("proven" if true else "disproven")
        again = verify(tree, Solution.from_text(certified.solution.to_text()))
        assert again.ok, again.problems
        assert (again.proven, again.disproven) == ((concept, None) if true else ("nash", concept))
        for other in found:
            moved = replace(
                certified.solution, certificate=other.solution.certificate, refutation=other.solution.refutation,
                concept=other.solution.concept,
            )  # fmt: skip
            verdict = verify(tree, moved)
            assert verdict.proven != concept or true
            assert verdict.disproven is None or not true


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_every_profile_is_decided_as_brute_force_does(seed: int) -> None:
    """Also after a round trip; and no proof or refutation passes for another profile unless it is true of it."""
    tree = tied(seed)
    found = [certification(tree, profile, NFP) for profile in equilibria(tree)]
    require_decided(tree, found, NFP, truth)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 400))
def test_many_profiles_are_decided_as_brute_force_does(seed: int) -> None:
    test_every_profile_is_decided_as_brute_force_does(seed)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_solved_is_undominated(seed: int) -> None:
    tree = tied(seed) if seed % 3 else random_game(seed, 4)
    solution = tremble.solve(tree, "undominated")
    assert (solution.concept, solution.requested) == (NFP, NFP)
    assert verify(tree, solution).proven == NFP
    if max(sizes(tree)) <= 24:
        assert truth(tree, solution.strategies)


def test_profiles_that_are_no_equilibria() -> None:
    tree = tied(5)
    for seed in range(6):
        draw = random.Random(seed)
        x, y = (draw.randrange(len(tree.actions[i][0])) for i in (0, 1))
        profile = tuple(
            tremble.BehaviorStrategy.from_rows(tree, i, [[F(j == a) for j in range(len(tree.actions[i][0]))]])
            for i, a in ((0, x), (1, y))
        )
        verdict = str(certification(tree, profile, NFP).verdict)
        assert verdict == ("proven" if truth(tree, profile) else "disproven")


# -- forged files ------------------------------------------------------------------------------------


def forged(draw: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One number of the proof or of the refutation changed."""
    document = deepcopy(document)
    if "refutation" in document:
        pair = draw.choice(document["refutation"]["deviation"])
        pair[1] = str(int(pair[1]) + draw.choice((-2, -1, 1, 2)))
        if draw.random() < 0.3:
            document["refutation"]["player"] = 3 - document["refutation"]["player"]
    else:
        row = draw.choice(document["certificate"][draw.choice("XY")])
        row[draw.randrange(len(row))] = str(draw.randint(-1, 3))
    return document


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_forged_files_prove_nothing_false(seed: int) -> None:
    tree, draw = tied(seed), random.Random(seed)
    refused = 0
    for profile in equilibria(tree):
        solution = certification(tree, profile, NFP).solution
        true = truth(tree, solution.strategies)
        document = json.loads(solution.to_text())
        for _ in range(8):
            found = verify(tree, Solution.from_text(json.dumps(forged(draw, document))))
            assert found.proven != NFP or true
            assert found.disproven is None or not true
            refused += not found.ok
    assert refused


def test_what_is_wrong_is_named() -> None:
    tree = tremble.matrix_game([[1, 0], [0, 0]], [[1, 0], [0, 0]])
    good = tremble.certify(tree, "NE,1,0,1,0", NFP)
    bad = certification(tree, "NE,0,1,0,1", NFP).solution
    assert bad.refutation == {
        "concept": NFP, "kind": "dominated", "player": 2, "deviation": [[1, "1"], [2, "-1"]],
    }  # fmt: skip
    for changes, problem in (
        ({"Y": [[F(2), F(2), F(0)]]}, "is not played with a positive probability, so the plan is not completely mixed"),
        ({"Y": [[F(2), F(1), F(2)]]}, "at order e^0 the actions sum to 3/2, but the move before has 1"),
    ):
        spoilt = replace(good, certificate={**good.certificate, **changes})
        assert any(problem in text for text in verify(tree, spoilt).problems), verify(tree, spoilt).problems
    for deviation, problem in (
        ([[1, F(1)]], "do not sum to the weight of the move before"),
        ([[1, F(-1)], [2, F(1)]], "is not played, but has a negative weight"),
        ([[1, "1"], [2, -1]], "value at index 2: not an exact number as text, but -1"),
        ([[3, F(1)]], "not a number from 1 to 2"),
        ([], "the change never gains payoff"),
    ):
        spoilt = replace(bad, refutation={**bad.refutation, "deviation": deviation})
        assert any(problem in text for text in verify(tree, spoilt).problems), verify(tree, spoilt).problems
    # In matching pennies nothing dominates anything.
    pennies = tremble.load("matching_pennies")
    mixed = tremble.solve(pennies)
    deviation = [[1, F(1)], [2, F(-1)]]
    loses = replace(mixed, refutation={"concept": NFP, "kind": "dominated", "player": 1, "deviation": deviation})
    assert "against some strategy it loses" in verify(pennies, loses).problems[0]


# -- examples of textbooks ---------------------------------------------------------------------------


def verdicts(tree: GameTree, profile: Any, *concepts: str) -> list[str]:
    return [str(certification(tree, profile, concept).verdict) for concept in concepts]


def test_myerson() -> None:
    """Myerson 1978: the second equilibrium is perfect and not proper, the third is not perfect."""
    a = [[1, 0, -9], [0, 0, -7], [-9, -7, -7]]
    tree = tremble.matrix_game(a, a)
    told = [verdicts(tree, "NE," + ",".join([line] * 2), NFP)[0] for line in ("1,0,0", "0,1,0", "0,0,1")]
    assert told == ["proven", "proven", "disproven"]


def test_a_threat_that_is_dominated() -> None:
    tree = tremble.load("entry_deterrence")
    assert verdicts(tree, "NE,1,0,0,1", NFP) == ["disproven"]
    reason = certification(tree, "NE,1,0,0,1", NFP).reasons[0]
    assert reason.startswith("the strategy of player 2 is weakly dominated: to play ")


def test_undominated_is_not_subgame_perfect() -> None:
    """Player 1 stays out of matching pennies; what player 2 would do there is best in no subgame, yet undominated."""
    builder = TreeBuilder()
    builder.decision(0, "in?", ("out", "in"))
    builder.leaf(2, 0)
    builder.decision(0, "mine", ("h", "t"))
    for i in range(2):
        builder.decision(1, "yours", ("h", "t"))
        for j in range(2):
            builder.leaf(*((1, -1) if i == j else (-1, 1)))
    tree = builder.finish()
    assert verdicts(tree, "NE,1,0,1,0,1,0", NFP, "subgame-perfect") == ["proven", "disproven"]


def test_dominated_on_no_path_but_its_own() -> None:
    """What a player does where its own strategy never comes is no part of it."""
    tree = tremble.load("safe_or_risky")
    safe = "NE,1,0,0,1"
    assert verdicts(tree, safe, NFP, "sequential") == ["proven", "disproven"]


def test_dominated_by_a_mixture_only() -> None:
    """Against left and right alike the middle row earns 1, half of what half of each other row does together."""
    tree = tremble.matrix_game([[4, 0], [1, 1], [0, 4]], [[0, 0], [0, 0], [0, 0]])
    assert not is_undominated(tree, 0, [[F(0), F(1), F(0)]])
    assert is_undominated(tree, 0, [[F(1), F(0), F(0)]])
    tree = tremble.matrix_game([[3, 3, 0], [3, 0, 3], [3, 1, 1]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]])
    solution = certification(tree, "NE,0,0,1,1,0,0", NFP).solution
    assert solution.refutation is not None
    more, also, less = (int(amount) for _, amount in solution.refutation["deviation"])
    assert more > 0 < also
    assert less == -(more + also)


# -- lists, and the command ----------------------------------------------------------------------------


def test_members_of_lists_are_judged(tmp_path: Path) -> None:
    tree = tremble.matrix_game([[1, 0], [0, 0]], [[1, 0], [0, 0]])
    found = tremble.all_equilibria(tree, NFP)
    assert sorted(solution.concept for solution in found) == ["nash", NFP]
    assert verify(tree, found).ok
    out = str(tmp_path / "all.json")
    assert run("solve", "entry_deterrence", "--all", "--concept", "undominated", "-o", out).exit_code == 0
    assert run("verify", "entry_deterrence", out).exit_code == 0


def test_one_that_plays_otherwise_off_its_own_path_is_the_same(tmp_path: Path) -> None:
    tree = tremble.load("safe_or_risky")
    one, two = (tremble.certify(tree, f"NE,1,0,{rest}", NFP) for rest in ("0,1", "1,0"))
    assert one.strategies != two.strategies
    both = tremble.results.Equilibria(game=one.game, solutions=(one, two))
    assert "the same equilibrium" in verify(tree, both).problems[0]


def test_the_command(tmp_path: Path) -> None:
    out = str(tmp_path / "found.json")
    assert run("solve", "beer_quiche", "--concept", "nfpe", "-o", out).exit_code == 0
    assert "Each strategy is a best reply to some completely" in run("verify", "beer_quiche", out).stdout
    done = run("certify", "entry_deterrence", "NE,1,0,0,1", "--concept", "undominated")
    assert done.exit_code == 1
    assert "weakly dominated" in done.stdout


def test_a_refutation_with_long_numbers() -> None:
    """The plan that dominates has a denominator of more than 64 bits."""
    tree = tremble.read_efg(
        """EFG 2 R "long numbers" { "Player 1" "Player 2" }
        p "" 2 1 "one" { "a" "b" } 0
        p "" 1 1 "one" { "a" "b" } 0
        p "" 1 2 "two" { "a" "b" } 0
        t "" 1 "" { 4478674966513067177801156, -4478674966513067177801156 }
        p "" 2 2 "two" { "a" "b" } 0
        t "" 2 "" { 1, -1 }
        t "" 3 "" { 9503103423896178572966861, -9503103423896178572966861 }
        t "" 4 "" { 1463739492059588502209481, -1463739492059588502209481 }
        t "" 5 "" { 2, -2 }
        """
    )
    found = certification(tree, tremble.solve(tree, method="lp"), NFP)
    assert str(found.verdict) == "disproven"
    assert found.reasons[0].startswith("the strategy of player 1 is weakly dominated")

"""Proper equilibria: against brute force on the matrix of all pure strategies, and against the definition.

The matrix, Dresher's procedure, the perturbed games and the linear programs (SciPy's) are the tests' own.
"""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from test_undominated import is_nash, require_decided, sizes

import tremble
from command import run
from forgetful import floats, is_ready, mixture, own_matrix, rows_of
from hand_made import random_game
from tremble import GameTree, Solution, TreeBuilder, verify
from tremble.results import certification
from tremble.solution.equilibria import verdict

NEAR = 1e-7


# -- brute force -----------------------------------------------------------------------------------


def truth(tree: GameTree, profile: Any) -> bool:
    return is_nash(tree, profile) and all(is_ready(tree, profile, player) for player in (0, 1))


def dresher(u: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What a proper strategy of the row player earns against each column of a matrix game, by Dresher's procedure."""
    m, n = u.shape
    kept: dict[int, float] = {}
    while len(kept) < n:
        rest = [j for j in range(n) if j not in kept]
        held = [np.append(u[:, j], 0.0) for j in kept]
        equal = np.array([np.append(np.ones(m), 0.0), *held])
        right = [1.0, *kept.values()]
        above = np.array([np.append(-u[:, j], 1.0) for j in rest])
        bounds = [(0, None)] * m + [(None, None)]
        top = linprog(np.append(np.zeros(m), -1.0), above, np.zeros(len(rest)), equal, right, bounds)
        assert top.status == 0
        least = -top.fun
        for j in rest:  # those that are greater in no optimum
            more = linprog(-u[:, j], above[:, :-1], -np.full(len(rest), least - 1e-9), equal[:, :-1], right)
            assert more.status == 0
            if -more.fun < least + NEAR:
                kept[j] = least
    return np.array([kept[j] for j in range(n)])


# -- games with ties ----------------------------------------------------------------------------------


@cache
def constant(seed: int) -> GameTree:
    """A random game of constant sum with few different payoffs, a tree or a matrix."""
    draw = random.Random(seed)
    if seed % 2:
        m, n = draw.randint(2, 4), draw.randint(2, 5)
        return tremble.matrix_game([[draw.randint(0, 3) for _ in range(n)] for _ in range(m)])
    for k in range(1000):
        tree = random_game(1000 * seed + k, 3 + seed % 3)
        payoff = tree.payoff % 3
        payoff[:, 1] = seed % 5 - payoff[:, 0]
        tree = replace(tree, payoff=payoff, payoff_denominator=1, spec=None)
        if min(sizes(tree)) >= 2 and max(sizes(tree)) <= 24:
            return tree
    raise AssertionError


def any_sum(seed: int) -> GameTree:
    """A random one-shot game."""
    draw = random.Random(seed)
    m, n, most = draw.randint(2, 4), draw.randint(2, 4), draw.choice((2, 3, 9))
    return tremble.matrix_game(*([[draw.randint(0, most) for _ in range(n)] for _ in range(m)] for _ in "ab"))


def equilibria(tree: GameTree) -> list[Any]:
    return [tremble.solve(tree), tremble.solve(tree, "normal-form-perfect"), *list(tremble.all_equilibria(tree))[:6]]


# -- decided --------------------------------------------------------------------------------------------


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_every_profile_is_decided_as_brute_force_does(seed: int) -> None:
    """Also after a round trip; and no proof or refutation passes for another profile unless it is true of it."""
    tree = constant(seed)
    found = [certification(tree, profile, "proper") for profile in (tremble.solve(tree, "proper"), *equilibria(tree))]
    require_decided(tree, found, "proper", truth)


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_solved_as_dresher_does(seed: int) -> None:
    tree = constant(seed)
    solution = tremble.solve(tree, "proper")
    assert verify(tree, solution).proven == "proper"
    assert verify(tree, Solution.from_text(solution.to_text())).proven == "proper"
    for player in (0, 1):
        payoff = own_matrix(tree, player)
        x = mixture(tree, player, rows_of(solution.strategies[player]))
        earned = [float(sum(p * row[j] for p, row in zip(x, payoff, strict=True))) for j in range(len(payoff[0]))]
        assert earned == pytest.approx(dresher(floats(payoff)).tolist(), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 500))
def test_more_games_of_constant_sum(seed: int) -> None:
    test_every_profile_is_decided_as_brute_force_does(seed)
    test_solved_as_dresher_does(seed)


def perturbed(u: np.ndarray[Any, Any], epsilon: float) -> np.ndarray[Any, Any]:
    """The row player's optimum where strategies are mixtures of the permutations of (1, e, e^2, ...): e-proper."""
    (m, n), sums = u.shape, [sum(epsilon**k for k in range(size)) for size in u.shape]
    mine, yours = (
        np.array([[epsilon**k / total for k in order] for order in permutations(range(size))])
        for size, total in zip((m, n), sums, strict=True)
    )
    payoff = mine @ u @ yours.T
    rows = len(mine)
    found = linprog(
        np.append(np.zeros(rows), -1.0), np.column_stack((-payoff.T, np.ones(len(yours)))), np.zeros(len(yours)),
        [np.append(np.ones(rows), 0.0)], [1.0], [(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    assert found.status == 0
    x: np.ndarray[Any, Any] = found.x[:-1] @ mine
    return x


@pytest.mark.parametrize("seed", range(12))
def test_near_what_is_proper_with_small_mistakes(seed: int) -> None:
    """Optima of the games in which costlier mistakes must be rarer by e earn nearly what the proper strategy does."""
    draw = random.Random(seed)
    u = [[draw.randint(0, 3) for _ in range(3)] for _ in range(3)]
    tree = tremble.matrix_game(u)
    x = [float(p) for p in rows_of(tremble.solve(tree, "proper").strategies[0])[0]]
    matrix = np.array(u, dtype=float)
    assert (perturbed(matrix, 1e-3) @ matrix).tolist() == pytest.approx((np.array(x) @ matrix).tolist(), abs=0.05)


# -- any sum ---------------------------------------------------------------------------------------------


def is_proper_with(tree: GameTree, x: list[F], y: list[F], epsilon: F) -> bool:
    """Whether of two actions the one that earns less is played at most epsilon times as often: Myerson's definition."""
    for own, other, payoff in ((x, y, own_matrix(tree, 0)), (y, x, own_matrix(tree, 1))):
        earned = [sum(p * u for p, u in zip(other, row, strict=True)) for row in payoff]
        for i, worse in enumerate(earned):
            for j, better in enumerate(earned):
                if worse < better and own[i] > epsilon * own[j]:
                    return False
    return min(*x, *y) > 0


def mixed_in(plans: list[list[str]], strategy: list[F], delta: F) -> list[F]:
    """The strategy, and with ever less weight the plans of a certificate."""
    total = strategy
    for k, plan in enumerate(plans):
        row = [F(weight) / F(plan[0]) for weight in plan[1:]]
        total = [a + delta ** (k + 1) * b for a, b in zip(total, row, strict=True)]
    return [p / sum(total) for p in total]


@pytest.mark.sample(20)
@pytest.mark.parametrize("seed", range(60))
def test_of_any_sum_what_is_proven_is_so_by_definition(seed: int) -> None:
    """Disproven is what is not ready for likely mistakes; undecided are only equilibria with ties."""
    tree = any_sum(seed)
    for profile in tremble.all_equilibria(tree):
        found = certification(tree, profile, "proper")
        true = all(is_ready(tree, profile.strategies, player) for player in (0, 1))
        assert (str(found.verdict) == "disproven") == (not true)
        assert verify(tree, Solution.from_text(found.solution.to_text())).ok
        if str(found.verdict) == "proven":
            document = json.loads(found.solution.to_text())["certificate"]
            delta = F(1, 2**40)
            x, y = (rows_of(found.solution.strategies[player])[0] for player in (0, 1))
            near = mixed_in(document["X"], x, delta), mixed_in(document["Y"], y, delta)
            assert is_proper_with(tree, *near, F(1, 2**20))
        elif str(found.verdict) == "undecided":
            assert "ranked by what they earn against those of the other" in found.reasons[0]


def test_most_equilibria_of_any_sum_without_ties_are_decided() -> None:
    verdicts = []
    for seed in range(20):
        draw = random.Random(seed)
        tree = tremble.matrix_game(*([[draw.randint(0, 999) for _ in range(3)] for _ in range(3)] for _ in "ab"))
        verdicts += [str(certification(tree, profile, "proper").verdict) for profile in tremble.all_equilibria(tree)]
    assert verdicts.count("undecided") == 0


# -- forged files ------------------------------------------------------------------------------------


def forged(draw: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One number of the proof or of the refutation changed, or a plan left out."""
    document = deepcopy(document)
    if "refutation" in document:
        pair = draw.choice(document["refutation"]["deviation"])
        pair[1] = str(int(pair[1]) + draw.choice((-2, -1, 1, 2)))
        if draw.random() < 0.3:
            document["refutation"]["player"] = 3 - document["refutation"]["player"]
        if draw.random() < 0.3:
            document["refutation"]["cost"] = str(F(document["refutation"]["cost"]) + draw.choice((-1, 1)))
        return document
    plans = document["certificate"][draw.choice("XY")]
    if draw.random() < 0.4:
        del plans[draw.randrange(len(plans))]
    else:
        row = draw.choice(plans)
        row[draw.randrange(len(row))] = str(draw.randint(-1, 3))
    return document


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_forged_files_prove_nothing_false(seed: int) -> None:
    tree, draw = constant(seed), random.Random(seed)
    refused = 0
    for profile in (tremble.solve(tree, "proper"), *equilibria(tree)):
        solution = certification(tree, profile, "proper").solution
        true = truth(tree, solution.strategies)
        document = json.loads(solution.to_text())
        for _ in range(8):
            found = verify(tree, Solution.from_text(json.dumps(forged(draw, document))))
            assert found.proven != "proper" or true
            assert found.disproven is None or not true
            refused += not found.ok
    assert refused


def test_what_is_wrong_is_named() -> None:
    tree = tremble.matrix_game([[2, 3, 4], [2, 2, 9]])
    good = tremble.certify(tree, "NE,1,0,1,0,0", "proper")
    bad = certification(tree, "NE,0,1,1,0,0", "proper").solution
    assert bad.refutation == {
        "concept": "proper", "kind": "dominated", "player": 1, "deviation": [[1, "1"], [2, "-1"]], "cost": "0",
    }  # fmt: skip
    assert verify(tree, bad).disproven == "proper"
    plans = good.certificate["Y"]
    for rows, problem in (
        ([], "certificate.Y: must be a list of lists"),
        (plans[:-1], "player 2, information set 1: '3' is not played by any plan that plays nothing costlier"),
        ([[F(0)] * 4], "certificate.Y[0][0]: the weight of this sequence must not be zero"),
        ([[F(1), F(2), F(-1), F(0)]], "certificate.Y[0][2]: the weight of this sequence must not be negative"),
        ([[F(2), F(1), F(0), F(0)]], "the weights do not sum to the previous move's weight"),
        ([[F(1), F(0), F(0), F(1)]], "the strategy of player 1 is no best response to this plan"),
        ([[F(1), F(1), F(0)]], "certificate.Y[0]: not a list of 4"),
    ):
        spoilt = replace(good, certificate={**good.certificate, "Y": rows})
        assert any(problem in text for text in verify(tree, spoilt).problems), verify(tree, spoilt).problems
    for changes, problem in (
        ({"cost": "x"}, "refutation.cost"),
        ({"cost": F(7)}, "against some strategy it loses"),
        ({"concept": "normal-form-perfect"}, "must be absent, because 'normal-form-perfect' ignores costs"),
    ):
        spoilt = replace(bad, refutation={**bad.refutation, **changes})
        assert any(problem in text for text in verify(tree, spoilt).problems), verify(tree, spoilt).problems


# -- examples of textbooks ---------------------------------------------------------------------------


def verdicts(tree: GameTree, *lines: str) -> list[str]:
    return [str(certification(tree, line, "proper").verdict) for line in lines]


def test_myerson() -> None:
    """Myerson 1978: of three equilibria the first alone is proper."""
    a = [[1, 0, -9], [0, 0, -7], [-9, -7, -7]]
    told = verdicts(tremble.matrix_game(a, a), "NE,1,0,0,1,0,0", "NE,0,1,0,0,1,0", "NE,0,0,1,0,0,1")
    assert told == ["proven", "disproven", "disproven"]


def test_the_costliest_gift_is_not_waited_for() -> None:
    """Both rows guarantee 0; against the cheaper mistake the first earns more, against the costlier one the second."""
    tree = tremble.matrix_game([[0, 2, 3], [0, 1, 100]])
    assert verdicts(tree, "NE,1,0,1,0,0", "NE,0,1,1,0,0", "NE,1/2,1/2,1,0,0") == ["proven", "disproven", "disproven"]
    undominated = certification(tree, "NE,0,1,1,0,0", "normal-form-perfect")
    assert str(undominated.verdict) == "proven"
    reason = certification(tree, "NE,0,1,1,0,0", "proper").reasons[0]
    assert reason.startswith(
        "the strategy of player 1 is weakly dominated against mistakes that cost player 2 at most 1 "
    )
    assert reason.endswith("'2' at information set 1 less, never costs anything, and pays against some of them")
    reply = certification(tree, "NE,1/2,1/2,1,0,0", "proper").reasons[0]
    assert reply.startswith("the strategy of player 1 is weakly dominated against ")


# -- what lists say --------------------------------------------------------------------------------


def test_a_list_without_a_proper_member_does_not_deny_proper_equilibria(tmp_path: Path) -> None:
    """Only a mixture of both extreme equilibria is proper: (A; X 2/3, Y 1/3)."""
    file = tmp_path / "mixture.nfg"
    game = tremble.matrix_game([[3, 3], [2, 2], [0, 6]], [[0, 0], [0, 2], [1, 0]])
    tremble.write_nfg(game, file)
    assert {verdict(member) for member in tremble.all_equilibria(game, "proper")} == {"disproven"}
    shown = " ".join(run("solve", file, "--all", "--concept", "proper").stdout.split())
    assert "No member of this list is proven to be a proper equilibrium, but every finite game has one" in shown
    assert "It may be a mixture of members." in shown
    refused = run("solve", file, "--concept", "proper")
    assert refused.exit_code == 4
    assert "All of them may be disproven or undecided, because only a mixture of them may be proper" in refused.stderr
    assert "every finite game has one" not in run("solve", file, "--all", "--concept", "normal-form-perfect").stdout


def test_what_a_list_without_a_perfect_member_advises() -> None:
    """The sentence is one list of alternatives, and names the argument in Python and the option of the command."""
    advice = "It may be an undecided member of the list, or a mixture of members, or a member with different play"
    shown = str(tremble.all_equilibria(tremble.load("kuhn"), "perfect"))
    assert advice in shown
    assert "(pure=True lists all pure ones)." in shown
    shown = " ".join(run("solve", "kuhn", "--all", "--concept", "perfect").stdout.split())
    assert advice in shown
    assert "(--pure lists all pure ones)." in shown


def test_a_list_may_have_an_undecided_member() -> None:
    game = tremble.matrix_game([[1, 0], [1, 0], [0, 0]], [[1, 0], [0, 0], [0, 1]])
    found = tremble.all_equilibria(game, "proper")
    assert {verdict(member) for member in found} == {"proven", "disproven", "undecided"}
    pure = tremble.all_equilibria(game, "proper", pure=True)
    assert {verdict(member) for member in pure} == {"proven", "undecided"}
    assert not pure.complete


# -- what it is asked by -----------------------------------------------------------------------------


def test_who_it_is_for() -> None:
    with pytest.raises(tremble.GameError, match="proper equilibria are computed only if the sum is constant"):
        tremble.solve(tremble.load("beer_quiche"), "proper")
    kuhn = tremble.load("kuhn")
    with pytest.raises(tremble.errors.SpecError, match="accepts no trembles"):
        tremble.solve(kuhn, "proper", trembles=tremble.strategies.Trembles.uniform(kuhn))
    found = tremble.all_equilibria(kuhn, "proper")
    assert all(solution.concept == "nash" for solution in found)  # the proper one is no extreme one
    assert verify(kuhn, found).ok
    assert {verdict(solution) for solution in found} == {"disproven"}  # whatever is done off the path


def threat() -> GameTree:
    """Player 1 stays out; player 2 would fight, which costs it, where its own strategy comes but play does not."""
    builder = TreeBuilder()
    builder.decision(0, "enter?", ("out", "in"))
    builder.leaf(2, -2)
    builder.decision(1, "fight?", ("fight", "yield"))
    builder.leaf(0, 0)
    builder.leaf(1, -1)
    return builder.finish()


def test_nobody_says_what_was_not_looked_at() -> None:
    for concept in ("proper", "normal-form-perfect"):
        assert certification(threat(), "NE,1,0,0,1", concept).subgame_perfect is None


def test_what_is_no_part_of_the_plan_may_be_marked() -> None:
    tree = tremble.load("safe_or_risky")
    for concept in ("proper", "normal-form-perfect"):
        good = tremble.certify(tree, "NE,1,0,0,1", concept)
        marked = replace(good, strategies=tuple(strategy.marked() for strategy in good.strategies))
        assert marked.strategies[0].off_path.any()
        assert verify(tree, marked).proven == concept
        reached = replace(marked.strategies[0], off_path=np.array([True, True]))
        wrong = replace(marked, strategies=(reached, marked.strategies[1]))
        assert "marked off_path, but the player's own strategy reaches it" in verify(tree, wrong).problems[0]


@pytest.mark.parametrize(
    ("cost", "holds"), [("0", True), ("1/3", True), ("6999/1000", True), ("7", False), ("-1", False)]
)
def test_costs_between_those_of_mistakes(cost: str, holds: bool) -> None:
    """Less than every cost leaves the other nothing to do, not even its best reply."""
    tree = tremble.matrix_game([[2, 3, 4], [2, 2, 9]])
    bad = certification(tree, "NE,0,1,1,0,0", "proper").solution
    stated = replace(bad, refutation={**bad.refutation, "cost": F(cost)})
    assert (verify(tree, stated).disproven == "proper") == holds


def test_the_command(tmp_path: Path) -> None:
    out = str(tmp_path / "found.json")
    assert run("solve", "kuhn", "--concept", "proper", "-o", out).exit_code == 0
    assert "in which costlier mistakes are rarer by an order" in " ".join(run("verify", "kuhn", out).stdout.split())
    assert run("certify", "kuhn", out, "--concept", "proper").exit_code == 0
    done = run("certify", "kuhn", out, "--concept", "normal-form-perfect")
    assert done.exit_code == 0

"""Trembles of the user's own: weights, orders, one player without mistakes; checked in perturbed games, on the tree."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import tremble
from alike_games import alike_game
from assessments import Rows, Trembling, is_rational_assessment, rows_of
from command import run
from hand_made import random_game
from hostile_games import leaf_paths
from tremble import GameTree, Solution
from tremble.exact.program import IntegerMatrix
from tremble.numbers import format_fraction
from tremble.results import certification
from tremble.solvers.tremble_costs import require_affordable
from tremble.strategies import Trembles

Orders = list[list[list[int]]]
ONE_SIDED = "one-sided-quasi-perfect"
EPSILON = F(1, 2**300)  # far below all quotients of coefficients in these tests


def drawn_trembles(tree: GameTree, seed: object) -> tuple[list[Any], Orders]:
    """Weights, and orders from 1 to 3."""
    rng = random.Random(f"trembles {seed}")
    weights = [[[rng.choice((1, 1, 2, F(1, 3), 50)) for _ in labels] for labels in sets] for sets in tree.actions]
    orders = [[[rng.choice((1, 1, 2, 3)) for _ in labels] for labels in sets] for sets in tree.actions]
    return weights, orders


def of_one(rows: Sequence[Any], faultless: int) -> list[Any]:
    return ["none" if player == faultless else side for player, side in enumerate(rows)]


def proven(tree: GameTree, concept: str, method: str, trembles: Trembles) -> Solution:
    """A solution by these trembles, as its file holds it, once the checker has agreed."""
    solution = tremble.solve(tree, concept, method, trembles=trembles)
    assert (solution.concept, str(solution.status)) == (concept, "certified")
    assert solution.certificate["trembles"] == trembles.rows()
    assert solution.certificate.get("orders") == trembles.orders()
    again = Solution.from_text(solution.to_text())
    verification = tremble.verify(tree, again)
    assert verification.ok, verification.problems
    assert verification.proven == concept
    if tree.constant_sum is not None:
        assert solution.value == tremble.solve(tree).value
    return again


# -- second opinion: perturbed games at one number, on the tree ------------------------------------------


class Perturbed:
    """What trembles ask for at a number, and what actions earn there; by (player, set, action)."""

    def __init__(self, tree: GameTree, solution: Solution, epsilon: F) -> None:
        self.tree = tree
        rows, orders = solution.certificate["trembles"], solution.certificate.get("orders")
        self.least: list[Rows] = []  # of each action, at its set
        for player, sets in enumerate(tree.actions):
            if rows is not None and rows[player] == "none":
                self.least.append([[F(0)] * len(labels) for labels in sets])
                continue
            self.least.append(
                [
                    [
                        (F(1) if rows is None else F(rows[player][k][a]))
                        * epsilon ** (1 if orders is None else orders[player][k][a])
                        for a in range(len(labels))
                    ]
                    for k, labels in enumerate(sets)
                ]
            )
        self.paths = list(leaf_paths(tree))
        self.before: list[dict[int, tuple[int, int] | None]] = [{}, {}]
        for _, moves, _ in self.paths:
            for player in (0, 1):
                for one, other in zip([None, *moves[player]], moves[player], strict=False):
                    self.before[player].setdefault(other[0], one)

    def number(self, player: int, move: tuple[int, int] | None) -> int:
        return 0 if move is None else 1 + int(self.tree.slot_start[player][move[0]]) + move[1]

    def sets(self, player: int) -> list[tuple[int, int, range]]:
        """Of each set, those before others first: its number, the sequence before it, and its sequences."""
        return [
            (k, self.number(player, self.before[player][k]),
             range(self.number(player, (k, 0)), self.number(player, (k, 0)) + len(labels)))
            for k, labels in enumerate(self.tree.actions[player])
        ]  # fmt: skip

    def earned(self, player: int, other: Sequence[F]) -> list[F]:
        """What each own sequence earns at the leaves that end it."""
        gain = [F(0)] * (1 + self.tree.num_slots[player])
        for chance, moves, leaf in self.paths:
            mine, theirs = (own[-1] if own else None for own in (moves[player], moves[1 - player]))
            gain[self.number(player, mine)] += (
                chance * other[self.number(1 - player, theirs)] * F(self.tree.payoff_at(leaf)[player])
            )
        return gain

    def plan(self, player: int, rows: Rows) -> list[F]:
        plan = [F(1)] * (1 + self.tree.num_slots[player])
        for k, before, own in self.sets(player):
            for q, p in zip(own, rows[k], strict=True):
                plan[q] = plan[before] * p
        return plan

    def require_equilibrium(self, concept: str, plans: Sequence[Sequence[F]]) -> None:
        """Each plan is a best reply within its bounds: what is played beyond its least is best at its set."""
        for player in (0, 1):
            own, gain = plans[player], self.earned(player, plans[1 - player])
            total = [F(1)] * len(own)
            for k, before, sequences in self.sets(player):
                for q, least in zip(sequences, self.least[player][k], strict=True):
                    total[q] = least * (own[before] if concept == "perfect" else total[before])
                assert sum(own[q] for q in sequences) == own[before]
                assert all(own[q] >= total[q] for q in sequences)
            for k, before, sequences in reversed(self.sets(player)):
                best = max(gain[q] for q in sequences)
                assert all(gain[q] == best for q in sequences if own[q] > total[q])
                lost = sum(w * (best - gain[q]) for q, w in zip(sequences, self.least[player][k], strict=True))
                gain[before] += best - (lost if concept == "perfect" else 0)

    def require_best(self, player: int, rows: Rows, other: Sequence[F]) -> None:
        """At each set that chance and the other let it reach, what is played is best, as is what follows."""
        gain = self.earned(player, other)
        comes = [F(0)] * len(gain)
        for chance, moves, _ in self.paths:
            theirs = moves[1 - player][-1] if moves[1 - player] else None
            for move in moves[player]:
                comes[self.number(player, move)] += chance * other[self.number(1 - player, theirs)]
        for k, before, sequences in reversed(self.sets(player)):
            best = max(gain[q] for q in sequences)
            if any(comes[q] for q in sequences):
                assert all(gain[q] == best for q, p in zip(sequences, rows[k], strict=True) if p)
            gain[before] += best


def plans_at(solution: Solution, epsilon: F) -> list[list[F]]:
    """The plans of the certificate at a number."""
    stated = solution.certificate
    plans = []
    for player, name in enumerate("XY"):
        total = [F(0)] * len(stated[name][0])
        for degree, values in enumerate(stated[name]):
            for q, value in enumerate(values):
                total[q] += int(value) * epsilon**degree
        plans.append([value / int(stated["denominator"][player]) for value in total])
    return plans


def confirmed(tree: GameTree, concept: str, solution: Solution, faultless: int | None = None) -> None:
    """The equilibrium of the perturbed game, and that the strategies are near it."""
    rows = rows_of(solution)
    if concept == "perfect":
        stated = solution.certificate["epsilon"]
        there = [
            [F(int(value), int(whole)) for value in stated[name]]
            for name, whole in zip("XY", stated["denominator"], strict=True)
        ]
        Perturbed(tree, solution, F(stated["value"])).require_equilibrium(concept, there)
        return
    perturbed, plans = Perturbed(tree, solution, EPSILON), plans_at(solution, EPSILON)
    perturbed.require_equilibrium(concept, plans)
    for player, plan in enumerate(plans):
        for k, before, sequences in perturbed.sets(player):
            for q, p in zip(sequences, rows[player][k], strict=True):
                assert not plan[before] or abs(plan[q] / plan[before] - p) < F(1, 2**60)
    if faultless is not None:
        perturbed.require_best(faultless, rows[faultless], plans[1 - faultless])
        perturbed.require_best(1 - faultless, rows[1 - faultless], perturbed.plan(faultless, rows[faultless]))


def is_limit(tree: GameTree, concept: str, strategies: Sequence[Rows], weights: Any, orders: Orders) -> bool:
    """Whether near both strategies there is an equilibrium of the perturbed game, by a program of the tests' own."""
    oracle, e, distance = Trembling(tree), F(1, 10**20), F(1, 10**8)
    bounds = []
    for player in (0, 1):
        least = [
            [F(0) if weights[player] == "none" else w * e ** (o - 1) for w, o in zip(row, powers, strict=True)]
            for row, powers in zip(
                orders[player] if weights[player] == "none" else weights[player], orders[player], strict=True
            )
        ]
        bounds.append(oracle.mistakes("perfect" if concept == "perfect" else "quasi-perfect", least, player, e))
    for player in (0, 1):
        near = oracle.near(bounds[player], concept, player, strategies[player], distance)
        best = oracle.guaranteed(player, bounds[player], bounds[1 - player])
        if oracle.guaranteed(player, near, bounds[1 - player]) != best:
            return False
    return True


# -- random games ------------------------------------------------------------------------------------------


def everything(seed: int, *, perfect: bool, oracle: bool) -> None:
    """A game with a constant sum by linear programs, one without by complementary pivots."""
    for tree, method in ((random_game(seed, 4), "lp"), (random_game(seed, 4, zero_sum=False), "lemke")):
        if tree.num_slots == (0, 0):
            continue
        weights, orders = drawn_trembles(tree, seed)
        trembles = Trembles.from_rows(tree, weights, orders=orders)
        programs = oracle and method == "lp" and tree.num_nodes <= 60
        for concept in ("quasi-perfect", "sequential", *(("perfect",) if perfect else ())):
            solution = proven(tree, concept, method, trembles)
            confirmed(tree, concept, solution)
            if concept == "sequential":
                assert is_rational_assessment(tree, solution)
            elif programs:
                assert is_limit(tree, concept, rows_of(solution), weights, orders)
        for faultless in (0, 1):
            if tree.num_slots[faultless]:
                one = Trembles.from_rows(tree, of_one(weights, faultless), orders=of_one(orders, faultless))
                solution = proven(tree, ONE_SIDED, method, one)
                confirmed(tree, ONE_SIDED, solution, faultless)
                if programs:
                    assert is_limit(tree, ONE_SIDED, rows_of(solution), of_one(weights, faultless), orders)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", [3, 5, 6, 8, 11, 13, 21, 22])
def test_random_games(seed: int) -> None:
    everything(seed, perfect=True, oracle=True)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 20))
def test_three_hundred_games(first: int) -> None:
    for seed in range(first, first + 20):
        everything(1000 + seed, perfect=seed % 3 == 0, oracle=seed % 5 == 0)


# -- what orders and one side reach ------------------------------------------------------------------------


def test_orders_reach_what_weights_do_not() -> None:
    """Own mistakes rarer than two slips of the other: player 1 goes in; in constant ratios it never does."""
    tree = tremble.load("ordered_trembles")
    rows = [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]
    for order, goes_in in ((1, 0), (3, 1)):
        trembles = Trembles.from_rows(tree, rows, orders=[[[1, 1], [1, order]], [[1, 1], [1, 1]]])
        solution = proven(tree, "perfect", "lemke", trembles)
        assert solution.strategies[0]["in?"]["in"] == goes_in
        confirmed(tree, "perfect", solution)
    weights = Trembles.from_rows(tree, [[[1, 1], [10**9, 1]], [[1, 10**9], [1, 10**9]]])
    assert proven(tree, "perfect", "lemke", weights).strategies[0]["in?"]["in"] == 0


def test_a_threat_of_one_who_need_not_carry_it_out() -> None:
    """Nobody expects an entrant to err who never does; an incumbent who never errs expects that the entrant does."""
    tree = tremble.load("entry_deterrence")
    for faultless, verdict in ((0, "proven"), (1, "disproven")):
        trembles = Trembles.from_rows(tree, of_one([[[1, 1]], [[1, 1]]], faultless))
        found = certification(tree, "NE,1,0,0,1", ONE_SIDED, trembles=trembles)  # out, for fear of a fight
        assert str(found.verdict) == verdict
    for concept in ("quasi-perfect", "sequential", "subgame-perfect"):
        assert str(certification(tree, "NE,1,0,0,1", concept).verdict) == "disproven"


@pytest.mark.parametrize("seed", [3, 5, 6, 8, 11])
def test_what_is_quasi_perfect_is_so_for_either_side(seed: int) -> None:
    """Whoever makes no mistakes; and what `certify` proves of other trembles is confirmed as well."""
    tree = random_game(seed, 4, zero_sum=False)
    weights, orders = drawn_trembles(tree, seed)
    solution = tremble.solve(tree, "quasi-perfect", "lemke", trembles=Trembles.from_rows(tree, weights, orders=orders))
    for faultless in (0, 1):
        if tree.num_slots[faultless] and tree.num_slots[1 - faultless]:
            trembles = Trembles.from_rows(tree, of_one(weights, faultless))
            found = tremble.certify(tree, solution.strategies, ONE_SIDED, trembles=trembles)
            assert tremble.verify(tree, Solution.from_text(found.to_text())).proven == ONE_SIDED


# -- forged certificates -------------------------------------------------------------------------------------

GUESS = """EFG 2 R "which?" { "1" "2" } ""
p "" 1 1 "" { "stop" "left" "right" } 0
t "" 1 "" { 0 0 }
p "" 2 1 "" { "left" "right" } 0
t "" 2 "" { -2 2 }
t "" 3 "" { -1 1 }
p "" 2 1 "" { "left" "right" } 0
t "" 4 "" { -1 1 }
t "" 5 "" { -2 2 }
"""
ORDERS: Orders = [[[1, 1, 2]], [[1, 1]]]


def refused(tree: GameTree, solution: Any, said: str, **certificate: Any) -> None:
    forged = replace(solution, certificate={**solution.certificate, **certificate})
    verification = tremble.verify(tree, forged)
    assert not verification.ok
    assert any(said in problem for problem in verification.problems), verification.problems


@pytest.mark.parametrize("concept", ["quasi-perfect", "sequential", "perfect"])
def test_other_trembles_are_refused(concept: str) -> None:
    """The mistake of the lower order is expected, whatever the weights; no certificate holds for other trembles."""
    tree = tremble.read_efg(GUESS)
    rows = [[[1, 1, 1000]], [[1, 1]]]
    solution = Solution.from_text(
        tremble.solve(tree, concept, trembles=Trembles.from_rows(tree, rows, orders=ORDERS)).to_text()
    )
    assert solution.strategies[1][0]["left"] == 1
    assert solution.certificate["orders"] == ORDERS
    refused(tree, solution, "", orders=[[[1, 2, 2]], [[1, 1]]])
    refused(tree, solution, "", orders=[[[1, 1, 1]], [[1, 1]]])
    refused(tree, solution, "", orders=[[[1, 1, 3]], [[1, 1]]])
    refused(tree, solution, "", orders=None)
    refused(tree, solution, "", trembles=[[["1", "2", "1000"]], [["1", "1"]]])
    refused(tree, solution, "", trembles=[[["1", "1", "999"]], [["1", "1"]]])
    for wrong, said in (
        ([[[1, 1, 0]], [[1, 1]]], "integer from 1 to"),
        ([[[1, 1, "2"]], [[1, 1]]], "integer from 1 to"),
        ([[[1, 1]], [[1, 1]]], "not a list of 3"),
        ([["none"], [[1, 1]]], "not a list of 3"),
        (["none", [[1, 1]]], "both must be the same" if concept != "perfect" else "not a list of 1"),
        ("any", "certificate.orders: not a list" if concept != "perfect" else "must be a list of two"),
    ):
        refused(tree, solution, said, orders=wrong)
    refused(tree, solution, "player 1 makes no mistakes" if concept != "perfect" else "certificate.trembles[0]",
            trembles=["none", [["1", "1"]]], orders=["none", [[1, 1]]])  # fmt: skip
    if concept == "perfect":
        refused(tree, solution, "from 1 to 1,000", orders=[[[1, 1, 10**9]], [[1, 1]]])


def test_who_errs_is_no_matter_of_taste() -> None:
    """A plan that relies on mistakes of player 1 is none if it makes none; nor is one with mistakes if it has them."""
    tree = tremble.read_efg(GUESS)
    both = Trembles.from_rows(tree, [[[1, 1, 1000]], [[1, 1]]], orders=ORDERS)
    solution = Solution.from_text(tremble.solve(tree, "quasi-perfect", trembles=both).to_text())
    for faultless in (0, 1):
        one = Trembles.from_rows(tree, of_one([[[1, 1, 1]], [[1, 1]]], faultless))
        other = Solution.from_text(tremble.solve(tree, ONE_SIDED, trembles=one).to_text())
        refused(tree, replace(other, concept="quasi-perfect", requested="quasi-perfect"), "makes no mistakes")
        refused(tree, other, "both players make mistakes", trembles=None)
        refused(tree, other, "neither player makes mistakes", trembles=["none", "none"])
        assert tremble.verify(tree, other).ok
    refused(tree, replace(solution, concept=ONE_SIDED, requested=ONE_SIDED), "both players make mistakes")
    # Bad at a set that the faultless player's own plan never comes to: the plan is the same, the strategy is not.
    text = """EFG 2 R "own later move" { "1" "2" } ""
    p "" 1 1 "" { "stop" "go" } 0
    t "" 1 "" { 3 -3 }
    p "" 2 1 "" { "left" "right" } 0
    t "" 2 "" { 0 0 }
    p "" 1 2 "" { "well" "badly" } 0
    t "" 3 "" { 2 -2 }
    t "" 4 "" { 1 -1 }
    """
    later = tremble.read_efg(text)
    found = Solution.from_text(
        tremble.solve(later, ONE_SIDED, trembles=Trembles.from_rows(later, ["none", [[1, 1]]])).to_text()
    )
    assert found.strategies[0][1]["well"] == 1
    bad = tremble.BehaviorStrategy.from_rows(later, 0, [[1, 0], [0, 1]])
    bad = replace(bad, off_path=found.strategies[0].off_path)
    refused(later, replace(found, strategies=(bad, found.strategies[1])), "'well' earns more")


@pytest.mark.parametrize(("rare", "often"), [(30, 29), (1000, 999), pytest.param(1000, 1, marks=pytest.mark.slow)])
def test_high_orders_cost_no_more_than_their_entries(rare: int, often: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of a thousand coefficients have entries, and only those are multiplied."""
    products = 0

    def dot(self: IntegerMatrix, z: Any) -> Any:
        nonlocal products
        products += 1
        return multiplied(self, z)

    multiplied = IntegerMatrix.dot
    monkeypatch.setattr(IntegerMatrix, "dot", dot)
    tree = tremble.load("kuhn")
    ones, orders = ([[row] * len(sets) for sets in tree.actions] for row in ([1, 1], [rare, often]))
    solution = tremble.solve(tree, "perfect", trembles=Trembles.from_rows(tree, ones, orders=orders))
    assert (solution.concept, solution.status, solution.value) == ("perfect", "certified", F(-1, 18))
    assert solution.certificate["orders"][0][0] == [rare, often]
    assert products < 50 * rare + 1_000  # all pairs of orders would be some hundred thousand


def test_one_long_weight_is_refused_where_it_costs_too_much() -> None:
    """One heavy mistake makes all others tiny, so it costs far more than its digits."""
    leduc = tremble.load("leduc")
    rows = [[[1] * len(labels) for labels in sets] for sets in leduc.actions]
    for weight, fits in ((3**300, True), (3**1000, False)):
        rows[0][0][0] = weight
        trembles = Trembles.from_rows(leduc, rows)
        with nullcontext() if fits else pytest.raises(tremble.TooLargeError, match="a weight of 478 digits makes"):
            require_affordable(leduc, trembles, "perfect")
        require_affordable(leduc, trembles, "quasi-perfect")


@pytest.mark.parametrize(
    ("concept", "order", "weight", "named"),
    [("perfect", 1000, 1, "orders up to 1,000"), ("quasi-perfect", 1, 3**8000, "weights of up to 3,8[0-9]{2} digits")],
)
def test_mistakes_that_cost_too_much_are_refused_before_the_work(
    concept: str, order: int, weight: int, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tremble.load("leduc")
    rows = [[[weight + k for k, _ in enumerate(labels)] for labels in sets] for sets in tree.actions]
    orders = [[[order - k % 2 if order > 1 else 1 for k, _ in enumerate(row)] for row in sets] for sets in tree.actions]
    trembles = Trembles.from_rows(tree, rows, orders=orders)
    path = tmp_path / "trembles.json"
    stated = [
        [
            {"infoset": k + 1, "actions": [[label, format_fraction(w), o] for label, w, o in zip(*row, strict=True)]}
            for k, row in enumerate(zip(tree.actions[player], rows[player], orders[player], strict=True))
        ]
        for player in (0, 1)
    ]
    path.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": stated}))

    def work(*_: Any, **__: Any) -> Any:
        raise AssertionError("the work began")

    monkeypatch.setattr("tremble.solvers.lp.Lp.run", work)
    with pytest.raises(tremble.TooLargeError, match=rf"{named}.* digits take minutes .* with time_limit=$"):
        tremble.solve(tree, concept, trembles=trembles)
    said = run("solve", "leduc", "--concept", concept, "--trembles", path)
    assert said.exit_code == 4
    assert "try for some seconds with --time-limit" in said.output
    with pytest.raises(AssertionError, match="the work began"):
        tremble.solve(tree, concept, trembles=trembles, time_limit=5)
    monkeypatch.undo()
    if concept == "perfect":
        profile = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
        with pytest.raises(tremble.TooLargeError, match=named):
            certification(tree, profile, concept, trembles=trembles)


def test_weights_that_would_fill_the_memory_are_refused() -> None:
    tree = tremble.load("kuhn")
    rows, orders = ([[row] * 6] * 2 for row in ([1, F(1, 3**9000)], [1000, 999]))
    with pytest.raises(tremble.TooLargeError, match=r"common denominator of 14,265 bits; with orders of up to 1,000"):
        Trembles.from_rows(tree, rows, orders=orders)


@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(0, 75, 12))
def test_mistakes_of_other_orders_are_told_apart(number: int) -> None:
    """Merged or not, the value is the same and the certificate holds; no class has trembles of two orders."""
    tree = alike_game(number).tree
    rng = random.Random(f"orders {number}")
    ones = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
    orders = [[[rng.choice((1, 2)) for _ in labels] for labels in sets] for sets in tree.actions]
    trembles = Trembles.from_rows(tree, ones, orders=orders)
    for concept in ("quasi-perfect", "perfect"):
        merged, whole = (tremble.solve(tree, concept, "lp", trembles=trembles, merge=merge) for merge in (True, False))
        assert tremble.verify(tree, Solution.from_text(merged.to_text())).proven == concept
        assert merged.value == whole.value
        confirmed(tree, concept, merged)
    for player, of in enumerate(merged.certificate.get("classes") or ()):
        powers = [order for row in orders[player] for order in row]
        assert len(set(of[1:])) == len(set(zip(of[1:], powers, strict=True)))
    alike = tremble.solve(tree, "perfect", "lp").certificate.get("classes")
    if alike is not None and alike != merged.certificate.get("classes"):
        refused(tree, merged, "", classes=alike)


# -- rows, files, command line ---------------------------------------------------------------------------------


def test_rows_and_orders() -> None:
    tree = tremble.load("kuhn")
    ones = [[[1, 1] for _ in sets] for sets in tree.actions]
    assert Trembles.from_rows(tree, ones, orders=ones).is_uniform
    halves = [[[F(1, 2), 1] for _ in sets] for sets in tree.actions]
    squares = [[[2, 1] for _ in sets] for sets in tree.actions]
    trembles = Trembles.from_rows(tree, halves, orders=squares)
    rows = trembles.rows()
    assert rows is not None
    assert rows[0][0] == ["2", "2"]  # 1/2 e^2 = 2 (e/2)^2
    again = Trembles.from_rows(tree, [[[F(w) for w in row] for row in side] for side in rows], orders=trembles.orders())
    assert (again.rows(), again.orders()) == (rows, trembles.orders())
    one = Trembles.from_rows(tree, ["none", ones[1]])
    assert (one.faultless, one.rows(), one.orders()) == (0, ["none", [["1", "1"]] * 6], None)
    for rows_, orders, said in (
        (["none", "none"], None, "neither player makes mistakes"),
        (ones, [[[0, 1]] * 6, ones[1]], "from 1 to 1,000"),
        (ones, [[[1001, 1]] * 6, ones[1]], "from 1 to 1,000"),
        (ones, [[[F(3, 2), 1]] * 6, ones[1]], "from 1 to 1,000"),
        (ones, [[[True, 1]] * 6, ones[1]], "from 1 to 1,000"),
        (ones, [[[1]] * 6, ones[1]], "2 actions, but 1 orders"),
        (ones, ["none", ones[1]], "'none' must replace both"),
        (["some", ones[1]], None, "expected a list"),
    ):
        with pytest.raises(tremble.GameError, match=said):
            Trembles.from_rows(tree, rows_, orders=orders)  # type: ignore[arg-type]


def test_trembles_are_shown_in_words() -> None:
    kuhn, leduc = tremble.load("kuhn"), tremble.load("leduc")
    rows: list[Any] = ["none", [[1, 2]] * 5 + [[F(1, 3), 10**99]]]
    assert repr(Trembles.from_rows(kuhn, rows)).startswith(
        "<Trembles: player 1 makes no mistakes; player 2 weights 3:6"
    )
    assert repr(Trembles.uniform(leduc)) == "<Trembles: player 1 weights all 1; player 2 weights all 1>"
    assert str(Trembles.uniform(kuhn)) == "Trembles\nplayer 1  weights all 1\nplayer 2  weights all 1"
    many = Trembles.from_rows(leduc, [[[k + 1 for k in range(len(a))] for a in sets] for sets in leduc.actions])
    assert "1:2, 1:2:3" in repr(many)
    assert "int64" not in f"{many}{many!r}"


def test_a_concept_is_of_the_trembles_that_it_has() -> None:
    tree = tremble.load("kuhn")
    both, one = Trembles.uniform(tree), Trembles.from_rows(tree, ["none", [[1, 1]] * 6])
    for concept in ("quasi-perfect", "sequential", "perfect"):
        with pytest.raises(tremble.errors.SpecError, match="player 1 makes none in these trembles; ask for one-sided"):
            tremble.solve(tree, concept, trembles=one)
    for trembles in (None, both):
        with pytest.raises(tremble.errors.SpecError, match="'none'"):
            tremble.solve(tree, ONE_SIDED, trembles=trembles)
    for prior in (one, Trembles.from_rows(tree, [[[1, 1]] * 6] * 2, orders=[[[1, 2]] * 6] * 2)):
        with pytest.raises(tremble.GameError, match="a prior needs weights for both players, without orders"):
            tremble.solve(tree, "nash", tremble.methods.Lemke(prior=prior))


def test_files(tmp_path: Path) -> None:
    """Old files say what they said; orders stand behind weights, and a word for a player who makes no mistakes."""
    path, tree = tmp_path / "trembles.json", tremble.load("safe_or_risky")

    def written(*sides: Any) -> Path:
        path.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": sides}))
        return path

    second = {"infoset": 2, "actions": [["careful", "1"], ["mistake", "1/10", 2]]}
    trembles = Trembles.read(written([second], []), tree)
    assert (trembles.rows(), trembles.orders()) == ([[["10", "10"], ["10", "10"]], []], [[[1, 1], [1, 2]], []])
    for actions, said in (
        ([["careful", "1"], ["mistake", "1/10", "2"]], r"actions\[1\]\[2\]: expected an integer"),
        ([["careful", "1"], ["mistake", "1/10", 0]], "from 1 to 1,000"),
        ([["careful", "1"], ["mistake", "1/10", 2, 3]], "a list of 4"),
        ([["careful", "1", 1]], "has the actions"),
    ):
        with pytest.raises(tremble.FormatError, match=said):
            Trembles.read(written([{"infoset": 2, "actions": actions}], []), tree)
    with pytest.raises(tremble.FormatError, match=r"""expected a list or "none", found the text 'nobody'"""):
        Trembles.read(written("nobody", []), tree)
    with pytest.raises(tremble.FormatError, match="neither player makes mistakes"):
        Trembles.read(written("none", "none"), tremble.load("kuhn"))
    result = run("solve", "kuhn", "--concept", ONE_SIDED, "--trembles", written("none", []), "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["certificate"]["trembles"][0] == "none"
    assert run("solve", "kuhn", "--concept", "quasi-perfect", "--trembles", path).exit_code == 2
    profile = tmp_path / "profile.json"
    assert run("solve", "kuhn", "-o", profile).exit_code == 0
    assert run("certify", "kuhn", profile, "--concept", ONE_SIDED, "--trembles", path).exit_code == 0


def test_who_never_moves_needs_no_word() -> None:
    game = tremble.load("safe_or_risky")
    with pytest.raises(tremble.GameError, match="player 2 never moves"):
        Trembles.from_rows(game, ([[1, 1], [1, 1]], "none"))


def test_a_certificate_about_the_other_player_proves_nothing() -> None:
    """Who makes no mistakes is part of the question."""
    entry = tremble.load("entry_deterrence")
    entrant, incumbent = (Trembles.from_rows(entry, rows) for rows in (["none", [[1, 1]]], [[[1, 1]], "none"]))
    proven = tremble.certify(entry, "NE,1,0,0,1", "one-sided-quasi-perfect", trembles=entrant)
    with pytest.raises(tremble.NotProvenError):
        tremble.certify(entry, proven, "one-sided-quasi-perfect", trembles=incumbent)
    assert tremble.certify(entry, proven, "one-sided-quasi-perfect", trembles=entrant).status.value == "certified"

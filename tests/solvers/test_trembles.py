"""Trembles of the user's own: weights, orders, one player without mistakes; checked in perturbed games, on the tree."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import pytest

import tremble
from assessments import Rows, Trembling, is_rational_assessment, rows_of
from hand_made import random_game
from hostile_games import leaf_paths
from tremble import GameTree, Solution
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


@pytest.mark.parametrize("seed", (3, 5, 6, 8, 11, 13, 21, 22))
def test_random_games(seed: int) -> None:
    everything(seed, perfect=True, oracle=True)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 20))
def test_three_hundred_games(first: int) -> None:
    for seed in range(first, first + 20):
        everything(1000 + seed, perfect=seed % 3 == 0, oracle=seed % 5 == 0)

"""Naive second opinions of refinements, straight from the definitions, and games made for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import tremble
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder
from tremble.game.requirements import parent_sequence
from tremble.numbers import format_fraction
from tremble.results import StatedSolution
from tremble.solution.claim import BeliefRow, Beliefs, MethodReference
from tremble.solution.claims import GameReference
from tremble.status import Status

Table = list[list[int]]  # [degree][sequence]


Plans = tuple[Table, Table]


Weights = list[list[list[F]]] | None


TINY = F(1, 10**150)  # far below every quotient of coefficients in these tests


def moves(tree: GameTree, player: int) -> Iterator[tuple[int, int, range]]:
    """Index of each set, the sequence before it, its own sequences."""
    before, start = parent_sequence(tree, player), tree.slot_start[player].tolist()
    assert before is not None
    for k, prior in enumerate(before.tolist()):
        yield k, prior, range(1 + start[k], 1 + start[k + 1])


def trembles(tree: GameTree, player: int, weights: Weights = None) -> list[tuple[int, F]]:
    """Degree and coefficient of the tremble of each sequence."""
    found = [(0, F(1))] * (1 + tree.num_slots[player])
    for k, prior, sequences in moves(tree, player):
        for j, q in enumerate(sequences):
            weight = F(1) if weights is None else weights[player][k][j]
            found[q] = found[prior][0] + 1, found[prior][1] * weight
    return found


def pure_plan(tree: GameTree, player: int, choice: Sequence[int], weights: Weights = None) -> tuple[Table, int]:
    """At each set one action gets all that the trembles of the others leave."""
    least = trembles(tree, player, weights)
    whole = 1
    for _, weight in least:
        whole *= weight.denominator
    table = [[0] * len(least) for _ in range(1 + max(degree for degree, _ in least))]
    table[0][0] = whole
    for k, prior, sequences in moves(tree, player):
        main = sequences[choice[k]]
        for row in table:
            row[main] = row[prior]
        for q in sequences:
            if q != main:
                degree, weight = least[q]
                table[degree][q] = int(weight * whole)
                table[degree][main] -= int(weight * whole)
    return table, whole


def order(table: Table, sequence: int) -> int:
    return next(degree for degree, row in enumerate(table) if row[sequence])


def limit(tree: GameTree, player: int, table: Table) -> BehaviorStrategy:
    rows = []
    for _, prior, sequences in moves(tree, player):
        d = order(table, prior)
        rows.append([F(table[d][q], table[d][prior]) for q in sequences])
    strategy = BehaviorStrategy.from_rows(tree, player, rows)
    return replace(strategy, off_path=strategy.off_path & False)


def nodes_of(tree: GameTree, player: int, k: int) -> list[int]:
    return [v for v in tree.in_preorder.tolist() if tree.player[v] == player and tree.infoset[v] == k]


def last_sequence(tree: GameTree, player: int, node: int) -> int:
    while node:
        above = int(tree.parent[node])
        if tree.player[above] == player:
            return 1 + int(tree.slot_start[player][tree.infoset[above]]) + int(tree.action[node])
        node = above
    return 0


def chance_to(tree: GameTree, node: int) -> F:
    share = F(1)
    while node:
        above = int(tree.parent[node])
        if tree.player[above] == CHANCE:
            share *= tree.chance_tables[int(tree.infoset[above])].probabilities[int(tree.action[node])]
        node = above
    return share


def beliefs_of(tree: GameTree, plans: Plans) -> Beliefs:
    pair = []
    for player in (0, 1):
        rows = []
        other = plans[1 - player]
        for k in range(tree.num_infosets[player]):
            nodes = nodes_of(tree, player, k)
            reach = [[chance_to(tree, v) * row[last_sequence(tree, 1 - player, v)] for v in nodes] for row in other]
            lowest = next((amounts for amounts in reach if any(amounts)), None)
            stated = (
                [] if lowest is None else [(tree.path(v), a / sum(lowest)) for v, a in zip(nodes, lowest, strict=True)]
            )
            rows.append(BeliefRow(k, tuple(stated)))
        pair.append(tuple(rows))
    return pair[0], pair[1]


def text(table: Sequence[Sequence[int]]) -> list[list[str]]:
    return [[format_fraction(value) for value in row] for row in table]


def stated(
    tree: GameTree, plans: Plans, wholes: tuple[int, int], weights: Weights = None, concept: str = "quasi-perfect"
) -> Solution:
    """What the plans state; everything else follows from them."""
    strategies = limit(tree, 0, plans[0]), limit(tree, 1, plans[1])
    values = tremble.expected_values(tree, strategies)
    return StatedSolution(
        game=GameReference.of(tree),
        concept=concept,
        requested=concept,
        method=MethodReference("by hand", {}),
        status=Status.CERTIFIED,
        values=values,
        bounds=None if tree.constant_sum is None else (values[0], values[0]),
        strategies=strategies,
        beliefs=beliefs_of(tree, plans) if concept == "sequential" else None,
        certificate={
            "kind": "polynomials",
            "X": text(plans[0]),
            "Y": text(plans[1]),
            "denominator": [str(wholes[0]), str(wholes[1])],
            "trembles": None
            if weights is None
            else [[[format_fraction(w) for w in row] for row in rows] for rows in weights],
        },
        stats={},
    )


def pure(
    tree: GameTree,
    one: Sequence[int],
    two: Sequence[int],
    weights: Weights = None,
    concept: str = "quasi-perfect",
) -> Solution:
    (x, p), (y, q) = pure_plan(tree, 0, one, weights), pure_plan(tree, 1, two, weights)
    return stated(tree, (x, y), (p, q), weights, concept)


def plan_at(table: Table, whole: int, epsilon: F) -> list[F]:
    return [
        sum((F(row[q]) * epsilon**degree for degree, row in enumerate(table)), F(0)) / whole
        for q in range(len(table[0]))
    ]


def follow(tree: GameTree, player: int, plan: list[F], reached: list[tuple[int, F]], found: dict[int, list[F]]) -> F:
    """What a player can earn from these weighted nodes on, the other playing the plan; notes each action's worth."""
    total, sets = F(0), dict[int, list[tuple[int, F]]]()
    stack = list(reached)
    while stack:
        node, weight = stack.pop()
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            share = plan[last_sequence(tree, 1 - player, node)]
            total += weight * share * tree.payoff_at(k)[player]
        elif mover == player:
            sets.setdefault(k, []).append((node, weight))
        else:
            for i, child in enumerate(tree.children(node)):
                chance = tree.chance_tables[k].probabilities[i] if mover == CHANCE else 1
                stack.append((child, weight * chance))
    for k, nodes in sets.items():
        found[k] = [
            follow(tree, player, plan, [(tree.children(v)[j], w) for v, w in nodes], found)
            for j in range(len(tree.actions[player][k]))
        ]
        total += max(found[k])
    return total


def is_quasi_perfect(tree: GameTree, plans: Plans, wholes: tuple[int, int], weights: Weights = None) -> bool:
    """Whether the plans are mixed, never below their trembles, and beyond them only where it is best."""
    at = [plan_at(plans[player], wholes[player], TINY) for player in (0, 1)]
    for player in (0, 1):
        least = [weight * TINY**degree for degree, weight in trembles(tree, player, weights)]
        if at[player][0] != 1:
            return False
        worth: dict[int, list[F]] = {}
        follow(tree, player, at[1 - player], [(0, F(1))], worth)
        for k, prior, sequences in moves(tree, player):
            if sum(at[player][q] for q in sequences) != at[player][prior]:
                return False
            for j, q in enumerate(sequences):
                if at[player][q] < least[q] or (at[player][q] > least[q] and worth[k][j] < max(worth[k])):
                    return False
    return True


def continuation(tree: GameTree, rows: list[list[list[F]]], player: int) -> list[F]:
    """The expected payoff from each node on."""
    value = [F(0)] * tree.num_nodes
    for node in range(tree.num_nodes - 1, -1, -1):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            value[node] = tree.payoff_at(k)[player]
        else:
            shares = tree.chance_tables[k].probabilities if mover == CHANCE else rows[mover][k]
            value[node] = sum((p * value[c] for p, c in zip(shares, tree.children(node), strict=True)), F(0))
    return value


def is_rational(tree: GameTree, solution: Solution) -> bool:
    """Whether no single action can be bettered given the stated beliefs, node by node."""
    assert solution.beliefs is not None
    rows: list[Any] = [list(strategy) for strategy in solution.strategies]
    for player in (0, 1):
        value = continuation(tree, rows, player)
        for row in solution.beliefs[player]:
            k = row.infoset
            shares = [share for _, share in row.nodes]
            worth = [
                sum(
                    (
                        p * value[tree.children(v)[j]]
                        for v, p in zip(nodes_of(tree, player, k), shares, strict=bool(shares))
                    ),
                    F(0),
                )
                for j in range(len(tree.actions[player][k]))
            ]
            if any(p > 0 and w < max(worth) for p, w in zip(rows[player][k], worth, strict=True)):
                return False
    return True


def take_it() -> GameTree:
    """Player 1 stops for 3, or lets player 2 choose between 5 and 1."""
    builder = TreeBuilder(title="take it")
    builder.decision(0, "first", ("stop", "go"))
    builder.leaf(3, -3)
    builder.decision(1, "second", ("five", "one"))
    builder.leaf(5, -5)
    builder.leaf(1, -1)
    return builder.finish()


def parsed(solution: Solution) -> tuple[Plans, tuple[int, int]]:
    x, y = ([[int(value) for value in row] for row in solution.certificate[name]] for name in "XY")
    p, r = map(int, solution.certificate["denominator"])
    return (x, y), (p, r)

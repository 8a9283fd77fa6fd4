"""Second opinions of assessments and domination, straight from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from hostile_games import leaf_paths
from second_opinions import chance_to
from tremble import CHANCE, TERMINAL, GameTree, Solution

Rows = Sequence[Sequence[F]]


def row(tree: GameTree, solution: Solution, player: int, label: str) -> dict[str, F]:
    """What is played at the set of this label."""
    k = tree.infoset_labels[player].index(label)
    return dict(zip(tree.actions[player][k], map(F, solution.strategies[player].row(k)), strict=True))


Sequence_ = tuple[int, int] | None


Form = dict[Any, F]
"""A linear form: variable -> coefficient; None -> constant."""


def plus(*terms: tuple[F | int, Form]) -> Form:
    total: Form = {}
    for factor, form in terms:
        for key, value in form.items():
            total[key] = total.get(key, F(0)) + factor * value
    return {key: value for key, value in total.items() if value}


def maximum(objective: Form, constraints: Sequence[tuple[Form, Form]]) -> F:
    """The largest value of a form where left <= right, all variables at least 0, and 0 is feasible.

    Simplex tableau in integers (Edmonds); largest coefficient first, then Bland's rule, which ends.
    """
    rows = [plus((1, left), (-1, right)) for left, right in constraints]
    names = sorted({key for form in (*rows, objective) for key in form if key is not None})
    column = {key: j for j, key in enumerate(names)}
    n, m = len(names), len(rows)
    table = np.zeros((m + 1, n + m + 1), dtype=object)
    whole = 1
    for i, form in enumerate((*rows, objective)):
        whole = lcm(*(value.denominator for value in form.values()))
        for key, value in form.items():
            table[i, -1 if key is None else column[key]] = int(value * whole) * (1 if i < m else -1)
        if i < m:
            table[i, -1] = -table[i, -1]
            table[i, n + i] = 1
    constant = table[m, -1] = 0
    assert all(table[:m, -1] >= 0)
    basis, last = list(range(n, n + m)), 1
    for step in itertools.count():
        costs = table[m, :-1]
        entering = [j for j in range(n + m) if costs[j] < 0]
        if not entering:
            return F(table[m, -1] - constant, last * whole) + objective.get(None, F(0))
        j = min(entering) if step > 3 * (n + m) else min(entering, key=lambda j: costs[j])
        ratios = [(F(table[i, -1], table[i, j]), basis[i], i) for i in range(m) if table[i, j] > 0]
        i = min(ratios)[2]
        pivot = table[i, j]
        for other in range(m + 1):
            if other != i:
                table[other] = (table[other] * pivot - table[i] * table[other, j]) // last
        basis[i], last = j, pivot
    raise AssertionError


@dataclass(frozen=True)
class Bounds:
    """At least ratio * (the sequence before) + constant, for every sequence of a player."""

    ratio: dict[Sequence_, F]
    constant: dict[Sequence_, F]


class Trembling:
    """The game with lower bounds on what is played: what a player can guarantee there, exactly."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.before: tuple[dict[int, Sequence_], dict[int, Sequence_]] = ({}, {})
        self.cells: dict[tuple[Sequence_, Sequence_], list[F]] = {}
        for probability, moves, leaf in leaf_paths(tree):
            for player in (0, 1):
                at: Sequence_ = None
                for k, a in moves[player]:  # parents come before their children
                    self.before[player].setdefault(k, at)
                    at = (k, a)
            cell = self.cells.setdefault(tuple(own[-1] if own else None for own in moves), [F(0), F(0), F(0)])  # type: ignore[arg-type]
            for i, amount in enumerate((*tree.payoff_at(leaf), 1)):
                cell[i] += probability * amount
        lowest = [min((tree.payoff_at(i)[p] for i in range(tree.num_leaves)), default=F(0)) for p in (0, 1)]
        self.shift = [1 - low for low in lowest]

    def sets(self, player: int) -> Iterator[tuple[int, Sequence_, list[tuple[int, int]]]]:
        for k, prior in self.before[player].items():
            yield k, prior, [(k, a) for a in range(len(self.tree.actions[player][k]))]

    def mistakes(self, concept: str, weights: Rows, player: int, e: F) -> Bounds:
        """Perfect: every action at least w e. Quasi-perfect: every sequence at least the product of its w e."""
        ratio: dict[Sequence_, F] = {}
        constant: dict[Sequence_, F] = {None: F(1)}
        for k, prior, sequences in self.sets(player):
            for q in sequences:
                ratio[q] = e * weights[k][q[1]]
                constant[q] = ratio[q] * constant[prior]
        if concept == "perfect":
            return Bounds(ratio, dict.fromkeys(constant, F(0)))
        return Bounds(dict.fromkeys(ratio, F(0)), constant)

    def near(self, bounds: Bounds, concept: str, player: int, strategy: Rows, distance: F) -> Bounds:
        """These bounds, and at least (probability - distance) of what comes before."""
        least = min((p for row in strategy for p in row if p), default=F(1))
        distance = min(distance, least / 2)
        ratio, constant = dict(bounds.ratio), dict(bounds.constant)
        for k, _, sequences in self.sets(player):
            for q in sequences:
                p = strategy[k][q[1]]
                if p:
                    ratio[q] = p - distance
                    constant[q] = F(0)
            small = sum(bounds.ratio[q] for q in sequences if not strategy[k][q[1]])
            assert small < distance or not any(p == 0 for p in strategy[k])
        return Bounds(ratio, constant)

    def guaranteed(self, player: int, own: Bounds, other: Bounds) -> F:
        """The most that a plan within its bounds earns against every plan of the other within its bounds."""
        constraints: list[tuple[Form, Form]] = []
        plan: dict[Sequence_, Form] = {None: {None: F(1)}}
        for _, prior, sequences in self.sets(player):
            for q in sequences:
                plan[q] = plus((own.ratio[q], plan[prior]), (1, {None: own.constant[q]}), (1, {("s", *q): F(1)}))
            # All payoffs are shifted to be positive, so nothing is gained by playing less than everything.
            constraints.append((plus(*((1, plan[q]) for q in sequences)), plan[prior]))
        worth: dict[Sequence_, Form] = {}
        for cell, amounts in self.cells.items():
            mine, reply = cell[player], cell[1 - player]
            amount = amounts[player] + self.shift[player] * amounts[2]
            worth[reply] = plus((1, worth.get(reply, {})), (amount, plan[mine]))
        total: Form = {}
        for j, prior, replies in reversed(list(self.sets(1 - player))):
            lowest: Form = {("m", j, -1): F(1)}
            constraints.extend((lowest, worth.get(r, {})) for r in replies)
            free = 1 - sum(other.ratio[r] for r in replies)
            shares = [(other.ratio[r], worth.get(r, {})) for r in replies]
            worth[prior] = plus((1, worth.get(prior, {})), *shares, (free, lowest))
            fixed = [(other.constant[r], plus((1, worth.get(r, {})), (-1, lowest))) for r in replies]
            total = plus((1, total), *fixed)
        return maximum(plus((1, total), (1, worth.get(None, {}))), constraints) - self.shift[player]


def rows_of(solution: Solution) -> list[list[list[F]]]:
    return [[list(map(F, row)) for row in strategy] for strategy in solution.strategies]


def payoffs(
    tree: GameTree, player: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]], list[Callable[..., Any]]]:
    """Sequence form in floats: payoffs [own, other], flow matrices (own, other), and behavior -> plan (own, other)."""
    oracle = Trembling(tree)
    number: list[dict[Sequence_, int]] = []
    flows, plans = [], []
    for p in (player, 1 - player):
        sets = list(oracle.sets(p))
        index: dict[Sequence_, int] = {None: 0}
        for _, _, sequences in sets:
            for q in sequences:
                index[q] = len(index)
        flow = np.zeros((1 + len(sets), len(index)))
        flow[0, 0] = 1
        for i, (_, prior, sequences) in enumerate(sets, start=1):
            flow[i, index[prior]] = -1
            flow[i, [index[q] for q in sequences]] = 1

        def plan(rows: Rows, sets: Any = sets, index: Any = index) -> NDArray[np.float64]:
            found = np.zeros(len(index))
            found[0] = 1
            for k, prior, sequences in sets:
                for q in sequences:
                    found[index[q]] = found[index[prior]] * float(rows[k][q[1]])
            return found

        number.append(index)
        flows.append(flow)
        plans.append(plan)
    matrix = np.zeros((len(number[0]), len(number[1])))
    for cell, amounts in oracle.cells.items():
        matrix[number[0][cell[player]], number[1][cell[1 - player]]] = float(amounts[player])
    return matrix / (np.abs(matrix).max() or 1), flows, plans


def domination(tree: GameTree, player: int, strategy: Rows) -> float:
    """How much a plan that does as well against everything can earn more than the strategy against uniform play.

    max (x - x*) A y0 over plans x with (x - x*) A y >= 0 for all plans y, that is, by duality, with F'v <= A'(x - x*)
    and v_0 >= 0 for some v. It is 0 if and only if x* is not weakly dominated, since y0 is completely mixed.
    """
    A, (E, G), (own, other) = payoffs(tree, player)
    mixed = other([[F(1, len(labels))] * len(labels) for labels in tree.actions[1 - player]])
    x = own(strategy)
    upper = np.hstack([-A.T, G.T])
    equal = np.hstack([E, np.zeros((len(E), len(G)))])
    start = np.eye(len(E))[0]
    bounds = [(0, None)] * len(x) + [(0, None)] + [(None, None)] * (len(G) - 1)
    found = linprog(
        np.concatenate([-A @ mixed, np.zeros(len(G))]), upper, -A.T @ x, equal, start, bounds, method="highs"
    )
    assert found.status == 0, found.message
    return -float(found.fun or 0) - float(x @ A @ mixed)


def continuation(tree: GameTree, rows: Sequence[Rows], player: int) -> list[F]:
    """What a player expects from each node on."""
    value = [F(0)] * tree.num_nodes
    for node in reversed(range(tree.num_nodes)):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            value[node] = F(tree.payoff_at(k)[player])
        else:
            shares = tree.chance_tables[k].probabilities if mover == CHANCE else rows[mover][k]
            value[node] = sum((p * value[c] for p, c in zip(shares, tree.children(node), strict=True)), F(0))
    return value


def reach(tree: GameTree, rows: Sequence[Rows]) -> list[F]:
    """The probability that play comes to each node."""
    found = [F(1)] * tree.num_nodes
    for node in range(tree.num_nodes):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        for i, child in enumerate(tree.children(node)):
            share = tree.chance_tables[k].probabilities[i] if mover == CHANCE else rows[mover][k][i]
            found[child] = found[node] * share
    return found


def below(tree: GameTree, nodes: Sequence[int], player: int) -> list[int]:
    """The player's own sets from these nodes on."""
    found, stack = set(), list(nodes)
    while stack:
        node = stack.pop()
        if tree.player[node] == player:
            found.add(int(tree.infoset[node]))
        stack.extend(tree.children(node))
    return sorted(found)


def is_rational_assessment(tree: GameTree, solution: Solution, *, most: int = 200) -> bool:
    """Beliefs follow Bayes' rule where play comes; no plan from any set on is better, given the belief there.

    All pure plans from a set on are tried where there are few, single actions everywhere.
    """
    assert solution.beliefs is not None
    rows = rows_of(solution)
    at = reach(tree, rows)
    path = {tree.path(node): node for node in np.flatnonzero(tree.player >= 0).tolist()}
    for player in (0, 1):
        value = continuation(tree, rows, player)
        for k, stated in enumerate(solution.beliefs[player]):
            nodes = [v for v in path.values() if tree.player[v] == player and tree.infoset[v] == k]
            belief = {path[steps]: p for steps, p in stated.nodes}
            if not belief:
                if any(chance_to(tree, v) for v in nodes):
                    return False
                continue
            total = sum(at[v] for v in nodes)
            if set(belief) != set(nodes) or sum(belief.values()) != 1 or min(belief.values()) < 0:
                return False
            if total and any(belief[v] != at[v] / total for v in nodes):
                return False
            expected = sum((p * value[v] for v, p in belief.items()), F(0))
            widths = [range(len(tree.actions[player][k]))]
            own = [k]
            later = [j for j in below(tree, nodes, player) if j != k]
            if prod(len(tree.actions[player][j]) for j in later) * len(widths[0]) <= most:
                own += later
                widths += [range(len(tree.actions[player][j])) for j in later]
            for choice in itertools.product(*widths):
                changed = list(rows[player])
                for j, a in zip(own, choice, strict=True):
                    changed[j] = [F(i == a) for i in range(len(tree.actions[player][j]))]
                other = continuation(tree, [changed if p == player else rows[p] for p in (0, 1)], player)
                if sum((p * other[v] for v, p in belief.items()), F(0)) > expected:
                    return False
    return True

"""The verifier's proof of extensive-form perfection: bases by enumeration, all ways to spoil them, second opinions."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import kuhn, solution_of
from hostile_games import hostile_game
from test_verifier_refinements import chance_to, follow, last_sequence, moves, take_it
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder, verify
from tremble.fraction_text import format_fraction
from tremble.solution import GameReference, Method, Status
from tremble.verifier import elimination, perturbed_system
from tremble.verifier.elimination import DenseElimination, SparseElimination, random_prime
from tremble.verifier.perturbed_system import System
from tremble.verifier.power_series import order_of_determinant

F = Fraction
High = tuple[tuple[int, ...], tuple[int, ...]]
Weights = list[list[list[F]]] | None
Polynomial = list[F]
CLAIM = "weights and regrets listed in `zeros` vanish identically"

# -- the program, in fractions, for tiny games ------------------------------------------------------


def eliminate(matrix: list[list[F]], rhs: list[F]) -> tuple[F, list[F]]:
    """Determinant and solution; the solution is empty if there is none."""
    rows = [[*row, b] for row, b in zip(matrix, rhs, strict=True)]
    n, determinant = len(rows), F(1)
    for j in range(n):
        i = next((i for i in range(j, n) if rows[i][j]), None)
        if i is None:
            return F(0), []
        if i != j:
            rows[i], rows[j], determinant = rows[j], rows[i], -determinant
        determinant *= rows[j][j]
        rows[j] = [value / rows[j][j] for value in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                rows[i] = [a - rows[i][j] * b for a, b in zip(rows[i], rows[j], strict=True)]
    return determinant, [row[n] for row in rows]


class Program:
    """The program of a game with trembles, by the numbering of the file format."""

    def __init__(self, tree: GameTree, weights: Weights = None) -> None:
        self.tree = tree
        self.size = [1 + slots for slots in tree.num_slots]
        (s1, s2), (j1, j2) = self.size, tree.num_infosets
        self.rows, self.columns = j1 + s1 + s2, s1 + j2 + s2
        self.entry: dict[tuple[int, int], list[F]] = {}
        self.before = [[-1] * size for size in self.size]
        self.weight = [[F(0)] * size for size in self.size]
        self.set_of = [[-1] * size for size in self.size]
        self.payoff: dict[tuple[int, int], F] = {}
        for leaf in tree.leaves.tolist():
            key = last_sequence(tree, 0, leaf), last_sequence(tree, 1, leaf)
            amount = chance_to(tree, leaf) * tree.payoff_at(int(tree.infoset[leaf]))[0]
            self.payoff[key] = self.payoff.get(key, F(0)) + amount
        for player in (0, 1):
            for k, prior, sequences in moves(tree, player):
                for j, q in enumerate(sequences):
                    self.before[player][q], self.set_of[player][q] = prior, k
                    self.weight[player][q] = F(1) if weights is None else weights[player][k][j]
        self._put(0, 0, 1)
        for k, prior, sequences in moves(tree, 0):
            self._put(1 + k, prior, -1)
            for q in sequences:
                self._put(1 + k, q, 1)
                self._put(1 + j1 + q - 1, q, -1)
                self._put(1 + j1 + q - 1, prior, self.weight[0][q], 1)
        last, gift = 1 + j1 + s1 - 1, s1 + 1 + j2
        self._put(last, s1, 1)
        for k, prior, sequences in moves(tree, 1):
            self._put(last + prior, s1 + 1 + k, -1)
            for q in sequences:
                self._put(last + q, s1 + 1 + k, 1)
                self._put(last + q, gift + q - 1, 1)
                self._put(last + prior, gift + q - 1, -self.weight[1][q], 1)
        for (one, two), amount in self.payoff.items():
            self._put(last + two, one, -amount)

    def _put(self, row: int, column: int, value: F | int, degree: int = 0) -> None:
        self.entry.setdefault((row, column), [F(0), F(0)])[degree] += value

    def numbers(self, high: High) -> tuple[list[int], list[int]]:
        (s1, _), (j1, j2) = self.size, self.tree.num_infosets
        rows = [r for r in range(self.rows) if not (j1 < r < j1 + s1 and r - j1 in high[0])]
        columns = [c for c in range(self.columns) if not (c > s1 + j2 and c - s1 - j2 in high[1])]
        return rows, columns

    def at(self, high: High, epsilon: F) -> tuple[F, list[list[F]], list[list[F]]]:
        """Determinant, plans x and y, g of both players at one value; no plans if singular."""
        rows, columns = self.numbers(high)
        zero = [F(0), F(0)]
        matrix = [[(e := self.entry.get((r, c), zero))[0] + epsilon * e[1] for c in columns] for r in rows]
        (s1, s2), (j1, j2) = self.size, self.tree.num_infosets
        determinant, z = eliminate(matrix, [F(int(r == 0)) for r in rows])
        if not z:
            return determinant, [], []
        _, multiplier = eliminate([list(c) for c in zip(*matrix, strict=True)], [F(int(c == s1)) for c in columns])
        value, dual = dict(zip(columns, z, strict=True)), dict(zip(rows, multiplier, strict=True))
        return (
            determinant,
            [[value[q] for q in range(s1)], [dual[j1 + s1 + q] for q in range(s2)]],
            [[F(0), *(dual.get(j1 + q, F(0)) for q in range(1, s1))],
             [F(0), *(value.get(s1 + j2 + q, F(0)) for q in range(1, s2))]],
        )  # fmt: skip


def interpolate(points: Sequence[F], values: Sequence[F]) -> Polynomial:
    """Newton's divided differences."""
    differences = list(values)
    for level in range(1, len(points)):
        for i in range(len(points) - 1, level - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - level])
    result: Polynomial = [F(0)] * len(points)
    for point, value in zip(reversed(points), reversed(differences), strict=True):
        result = [value - point * result[0], *(a - point * b for a, b in itertools.pairwise(result))]
    return result


def first(polynomial: Sequence[F]) -> int | None:
    return next((d for d, value in enumerate(polynomial) if value), None)


@dataclass
class Functions:
    """The determinant and, times the determinant, all functions of a basis, as polynomials."""

    program: Program
    high: High
    determinant: Polynomial
    plan: list[list[Polynomial]]
    short: list[list[Polynomial]]

    @property
    def order(self) -> int:
        found = first(self.determinant)
        assert found is not None
        return found

    def beyond(self, player: int, q: int) -> Polynomial:
        weight = self.program.weight[player][q]
        plan = self.plan[player]
        before = plan[self.program.before[player][q]]
        return [a - weight * b for a, b in zip([*plan[q], F(0)], [F(0), *before], strict=True)]

    def sign(self, numerator: Polynomial) -> int:
        d = first(numerator)
        return 0 if d is None else (1 if numerator[d] * self.determinant[self.order] > 0 else -1)

    def signs(self) -> dict[tuple[str, int, int], int]:
        """Of all functions that may not be negative."""
        found = {}
        for player in (0, 1):
            for q in range(1, self.program.size[player]):
                if q in self.high[player]:
                    found["weights", player, q] = self.sign(self.beyond(player, q))
                else:
                    found["regrets", player, q] = self.sign(self.short[player][q])
        return found

    @property
    def stable(self) -> bool:
        return min(self.signs().values(), default=0) >= 0

    def series(self, numerator: Polynomial, orders: int) -> list[F]:
        """Coefficients 0 to ``orders`` of numerator / determinant, which must have no pole."""
        p = self.order
        assert not any(numerator[:p])
        top = [*numerator[p:], *[F(0)] * orders]
        bottom = self.determinant[p:]
        result: list[F] = []
        for k in range(orders + 1):
            known = sum((bottom[i] * result[k - i] for i in range(1, min(k, len(bottom) - 1) + 1)), F(0))
            result.append((top[k] - known) / bottom[0])
        return result

    @property
    def needed(self) -> int:
        """The order up to which all signs and limits can be told."""
        everything = [self.plan[p][prior] for p in (0, 1) for prior in self.program.before[p][1:]]
        for player, q in ((player, q) for player in (0, 1) for q in range(1, self.program.size[player])):
            everything.append(self.beyond(player, q) if q in self.high[player] else self.short[player][q])
        return max((d - self.order for d in map(first, everything) if d is not None), default=0)

    @property
    def has_limits(self) -> bool:
        return not any(any(polynomial[: self.order]) for plan in self.plan for polynomial in plan)


def functions(program: Program, high: High) -> Functions | None:
    """None if the system is singular for all values."""
    rows, columns = program.numbers(high)
    linear = {key for key, (_, e) in program.entry.items() if e and key[0] in rows and key[1] in columns}
    degree = len({r for r, _ in linear})
    points: list[F] = []
    found = []
    for n in range(1, 2 * degree + 4):
        here = program.at(high, F(n, 7))
        if here[1]:
            points.append(F(n, 7))
            found.append(here)
    if len(points) < degree + 1:
        return None
    points, found = points[: degree + 1], found[: degree + 1]
    return Functions(
        program,
        high,
        interpolate(points, [determinant for determinant, _, _ in found]),
        *(
            [
                [
                    interpolate(points, [here[0] * here[which][player][q] for here in found])  # type: ignore[index]
                    for q in range(program.size[player])
                ]
                for player in (0, 1)
            ]
            for which in (1, 2)
        ),
    )


def bases(tree: GameTree) -> Iterator[High]:
    """All pairs of sets of high sequences whose system is square."""

    def choices(player: int) -> Iterator[tuple[int, ...]]:
        sets = [
            [c for n in range(1, len(s) + 1) for c in itertools.combinations(s, n)] for _, _, s in moves(tree, player)
        ]
        for chosen in itertools.product(*sets):
            yield tuple(itertools.chain.from_iterable(chosen))

    j1, j2 = tree.num_infosets
    second = list(choices(1))
    for one in choices(0):
        for two in second:
            if len(one) - j1 == len(two) - j2:
                yield one, two


def promising(program: Program, high: High, epsilon: float) -> bool:
    """Whether floating point sees no wrong sign there, or nothing at all."""
    rows, columns = program.numbers(high)
    at_row, at_column = ({number: i for i, number in enumerate(numbers)} for numbers in (rows, columns))
    matrix = np.zeros((len(rows), len(columns)))
    for (r, c), (a, b) in program.entry.items():
        if r in at_row and c in at_column:
            matrix[at_row[r], at_column[c]] = float(a) + epsilon * float(b)
    s1, j1 = program.size[0], program.tree.num_infosets[0]
    try:
        z = np.linalg.solve(matrix, np.eye(len(rows))[0])
        y = np.linalg.solve(matrix.T, np.eye(len(rows))[at_column[s1]])
    except np.linalg.LinAlgError:
        return False
    plans = z[:s1], y[[at_row[j1 + s1 + q] for q in range(program.size[1])]]
    return all(
        plans[p][q] >= float(program.weight[p][q]) * epsilon * plans[p][program.before[p][q]] - 1e-7
        for p in (0, 1)
        for q in range(1, program.size[p])
    )


def stable_bases(program: Program, rng: random.Random, most: int = 10**6) -> Iterator[Functions]:
    """Bases that are optimal for all small values, in random order."""
    found = list(itertools.islice(bases(program.tree), 20_000))
    rng.shuffle(found)
    for high in found[:most]:
        if promising(program, high, 1e-3):
            exact = functions(program, high)
            if exact is not None and exact.stable:
                yield exact


# -- solutions that state a basis -------------------------------------------------------------------


def integers(table: Sequence[Sequence[F]]) -> tuple[list[list[str]], str]:
    whole = lcm(*(value.denominator for row in table for value in row))
    return [[str(int(value * whole)) for value in row] for row in table], str(whole)


def small_value(exact: Functions) -> F:
    """A value at which the basis is optimal."""
    value = F(1, 8)
    while True:
        determinant, plan, short = exact.program.at(exact.high, value)
        if determinant and all(
            plan[p][q] >= exact.program.weight[p][q] * value * plan[p][exact.program.before[p][q]]
            for p in (0, 1)
            for q in range(1, exact.program.size[p])
        ) and min(map(min, short)) >= 0:  # fmt: skip
            return value
        value /= 8


def stated(exact: Functions, weights: Weights = None, extra: int | None = None) -> Solution:
    """What a stable basis states: ``extra`` orders more than needed to tell signs, or enough to prove all zeros."""
    program, tree = exact.program, exact.program.tree
    degree = len(exact.determinant)
    orders = exact.order + (degree if extra is None else exact.needed + extra)
    series = [
        list(zip(*(exact.series(polynomial, orders) for polynomial in plan), strict=True)) for plan in exact.plan
    ]
    value = small_value(exact)
    _, there, _ = program.at(exact.high, value)
    signs = exact.signs()
    strategies = []
    for player in (0, 1):
        rows = []
        for _, prior, sequences in moves(tree, player):
            level = next(level for level in series[player] if level[prior])
            rows.append([level[q] / level[prior] for q in sequences])
        strategy = BehaviorStrategy.from_rows(tree, player, rows)
        strategies.append(replace(strategy, off_path=strategy.off_path & False))
    values = tremble.expected_values(tree, strategies)
    (x, p), (y, r) = map(integers, series)
    (u, s), (v, t) = (integers([plan]) for plan in there)
    return Solution(
        game=GameReference.of(tree),
        concept="perfect",
        requested="perfect",
        method=Method("by hand", {}),
        status=Status.CERTIFIED,
        values=values,
        bounds=(values[0], values[0]),
        strategies=(strategies[0], strategies[1]),
        certificate={
            "kind": "basis",
            "basis": [list(side) for side in exact.high],
            "X": x,
            "Y": y,
            "denominator": [p, r],
            "epsilon": {"value": format_fraction(value), "X": u[0], "Y": v[0], "denominator": [s, t]},
            "pivots": None,
            "trembles": None
            if weights is None
            else [[[format_fraction(w) for w in row] for row in rows] for rows in weights],
            "zeros": {
                kind: [
                    [q for q in range(1, program.size[player]) if signs.get((kind, player, q)) == 0]
                    for player in (0, 1)
                ]
                for kind in ("weights", "regrets")
            },
            "probabilistic": None if extra is None else {"claims": [CLAIM], "k": 60},
        },
        stats={},
    )


def problems(tree: GameTree, solution: Solution) -> tuple[str, ...]:
    found = verify(tree, solution)
    assert found.ok == (not found.problems)
    return found.problems


# -- a second opinion, by the definition, at one value ------------------------------------------------


def is_equilibrium_at(tree: GameTree, plans: Sequence[Sequence[F]], epsilon: F, weights: Weights = None) -> bool:
    """Whether neither player has a better plan among those that tremble, by going through the tree."""
    for player in (0, 1):
        plan = plans[player]
        for k, prior, sequences in moves(tree, player):
            if sum(plan[q] for q in sequences) != plan[prior]:
                return False
            for j, q in enumerate(sequences):
                if plan[q] < (1 if weights is None else weights[player][k][j]) * epsilon * plan[prior]:
                    return False
        earned = sum(
            (
                chance_to(tree, leaf)
                * plan[last_sequence(tree, player, leaf)]
                * plans[1 - player][last_sequence(tree, 1 - player, leaf)]
                * tree.payoff_at(int(tree.infoset[leaf]))[player]
                for leaf in tree.leaves.tolist()
            ),
            F(0),
        )
        if plan[0] != 1 or earned != best_trembling(tree, player, plans[1 - player], epsilon, weights):
            return False
    return True


def best_trembling(
    tree: GameTree, player: int, other: Sequence[F], epsilon: F, weights: Weights, reached: Any = None
) -> F:
    """The most a player can earn who must play each action with a small probability."""
    total, sets = F(0), dict[int, list[tuple[int, F]]]()
    stack = [(0, F(1))] if reached is None else list(reached)
    while stack:
        node, weight = stack.pop()
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            total += weight * other[last_sequence(tree, 1 - player, node)] * tree.payoff_at(k)[player]
        elif mover == player:
            sets.setdefault(k, []).append((node, weight))
        else:
            for i, child in enumerate(tree.children(node)):
                chance = tree.chance_tables[k].probabilities[i] if mover == CHANCE else F(1)
                stack.append((child, weight * chance))
    for k, nodes in sets.items():
        worth = [
            best_trembling(tree, player, other, epsilon, weights, [(tree.children(v)[j], w) for v, w in nodes])
            for j in range(len(tree.actions[player][k]))
        ]
        least = [epsilon * (1 if weights is None else weights[player][k][j]) for j in range(len(worth))]
        rest = 1 - sum(least)
        total += sum((a * b for a, b in zip(least, worth, strict=True)), F(0)) + rest * max(worth)
    return total

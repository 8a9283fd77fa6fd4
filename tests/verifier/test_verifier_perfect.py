"""The verifier's proof of extensive-form perfection: bases by enumeration, all ways to spoil them, second opinions."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction as F
from math import lcm
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import kuhn, solution_of
from hostile_games import hostile_game
from second_opinions import chance_to, last_sequence, moves, take_it
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder, verify
from tremble.numbers import format_fraction
from tremble.results import StatedSolution
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.verifier.algebra import elimination
from tremble.verifier.algebra.elimination import DenseElimination, SparseElimination, random_prime
from tremble.verifier.algebra.perturbed_system import PerturbedSystem, System
from tremble.verifier.algebra.power_series import order_of_determinant
from tremble.verifier.certificates.basis import SquareSystem
from tremble.verifier.concepts import perfect
from tremble.verifier.context import Problems

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
                factor = rows[i][j]
                rows[i] = [a - factor * b if b else a for a, b in zip(rows[i], rows[j], strict=True)]
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
        value, dual = self.lifted(dict(zip(columns, z, strict=True)), dict(zip(rows, multiplier, strict=True)))
        return (
            determinant,
            [[value[q] for q in range(s1)], [dual[j1 + s1 + q] for q in range(s2)]],
            [[F(0), *(dual.get(j1 + q, F(0)) for q in range(1, s1))],
             [F(0), *(value.get(s1 + j2 + q, F(0)) for q in range(1, s2))]],
        )  # fmt: skip

    def lifted(self, value: dict[int, F], dual: dict[int, F]) -> tuple[dict[int, F], dict[int, F]]:
        """What the solution is for all columns and rows; nothing is merged here."""
        return value, dual


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
        for player in (0, 1):
            everything += [
                self.beyond(player, q) if q in self.high[player] else self.short[player][q]
                for q in range(1, self.program.size[player])
            ]
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
        if len(points) == degree + 1:
            break
    else:
        return None
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


def stable_bases(program: Program, rng: random.Random, epsilon: float = 1e-3) -> Iterator[Functions]:
    """Bases that are optimal for all small values, in random order; ``epsilon`` to pass over most of the others."""
    found = list(itertools.islice(bases(program.tree), 20_000))
    rng.shuffle(found)
    for high in found:
        if promising(program, high, epsilon):
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
    series = [list(zip(*(exact.series(polynomial, orders) for polynomial in plan), strict=True)) for plan in exact.plan]
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
    return StatedSolution(
        game=GameReference.of(tree),
        concept="perfect",
        requested="perfect",
        method=MethodReference("by hand", {}),
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
            "row_operations": [],
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


# -- games and their bases --------------------------------------------------------------------------

SAFE, GUESS, GIFT, PENNIES = (
    tremble.load(spec) for spec in ("safe_or_risky", "guess_the_ace", "guess_the_ace:gift=true", "matching_pennies")
)


def clumsy() -> GameTree:
    """Player 1 may go for 2, which it misses by 22 when its hand trembles: worth it if that is rare."""
    builder = TreeBuilder(title="clumsy")
    builder.decision(0, "go?", ("stay", "go"))
    builder.leaf(1, -1)
    builder.decision(0, "careful", ("right", "wrong"))
    builder.leaf(2, -2)
    builder.leaf(-20, 20)
    return builder.finish()


def draw(seed: int) -> tuple[Program, list[High], Weights, random.Random] | None:
    """A tiny random game with few bases."""
    rng = random.Random(seed)
    name = rng.choice(("plain", "chance", "degenerate", "perfect information", "blind", "one player", "fractions"))
    payoffs: Sequence[F | int] = rng.choice(((0, 0, 1), (0, 1, -1), (0, 0, 1, 2), tuple(range(-3, 4))))
    constants = (rng.choice((0, 0, 2, F(1, 3))),)
    tree = hostile_game(name, seed, most=rng.choice((10, 14)), payoffs=payoffs, constants=constants)
    weights = [[[F(rng.randint(1, 5), rng.randint(1, 3)) for _ in row] for row in rows] for rows in tree.actions]
    program = Program(tree, chosen := None if rng.random() < 0.6 else weights)
    every = list(itertools.islice(bases(tree), 1000))
    if program.rows > 20 or len(every) == 1000 or not sum(tree.num_infosets):
        return None
    rng.shuffle(every)
    return program, every, chosen, rng


def stable_solution(tree: GameTree, extra: int | None = None, seed: int = 0) -> tuple[Functions, Solution]:
    exact = next(stable_bases(Program(tree), random.Random(seed)))
    return exact, stated(exact, None, extra)


def tampered(solution: Solution, change: Callable[[dict[str, Any]], object]) -> Solution:
    certificate = deepcopy(dict(solution.certificate))
    change(certificate)
    return replace(solution, certificate=certificate)


def put(value: Any, *keys: Any) -> Callable[[dict[str, Any]], None]:
    """Put a value at a place of a certificate."""

    def change(certificate: dict[str, Any]) -> None:
        holder: Any = certificate
        for key in keys[:-1]:
            holder = holder[key]
        holder[keys[-1]] = value

    return change


# -- what is true passes ----------------------------------------------------------------------------


@pytest.mark.sample(7)
@pytest.mark.parametrize("tree", [SAFE, GUESS, GIFT, PENNIES, take_it(), clumsy()])
@pytest.mark.parametrize("extra", [None, 0, 2])
def test_stable_bases(tree: GameTree, extra: int | None) -> None:
    """What enumeration finds passes, and is an equilibrium of games that tremble little, by the definition."""
    found = list(itertools.islice(stable_bases(Program(tree), random.Random(1)), 3))
    assert found
    for exact in found:
        assert problems(tree, stated(exact, None, extra)) == ()
        for epsilon in (small_value(exact), F(1, 10**9), F(1, 10**30)):
            _, plans, _ = exact.program.at(exact.high, epsilon)
            assert is_equilibrium_at(tree, plans, epsilon)


@pytest.mark.parametrize("weight", [F(1), F(3), F(1, 3), F(10**6, 7)])
def test_weights_of_trembles(weight: F) -> None:
    weights: Weights = [[[F(2), F(5, 2)], [F(1), F(9)], [weight, F(1)]], [[F(1), weight]]]
    exact = next(stable_bases(Program(GIFT, weights), random.Random(1), 1e-3 / float(max(1, weight))))
    solution = stated(exact, weights)
    assert problems(GIFT, solution) == ()
    _, plans, _ = exact.program.at(exact.high, F(1, 10**50))
    assert is_equilibrium_at(GIFT, plans, F(1, 10**50), weights)
    if weight != 1:
        assert problems(GIFT, tampered(solution, put(None, "trembles"))) != ()


def test_later_mistakes_count() -> None:
    """A quasi-perfect player may take the risk that a safe player avoids."""
    (exact,) = stable_bases(Program(SAFE), random.Random(1))
    solution = stated(exact)
    assert list(solution.strategies[0].row(0)) == [1, 0]
    quasi = tremble.solve(SAFE, "quasi-perfect")
    program = Program(SAFE)
    for high in bases(SAFE):
        other = functions(program, high)
        if other is not None and not other.stable:
            assert not verify(SAFE, spoilt(other, solution)).ok
    assert problems(SAFE, replace(quasi, concept="perfect"))[0].startswith("certificate.kind: 'polynomials'")
    risky = BehaviorStrategy.from_rows(SAFE, 0, [[0, 1], [1, 0]])
    risky = replace(risky, off_path=risky.off_path & False)
    found = problems(SAFE, replace(solution, strategies=(risky, solution.strategies[1])))
    assert re.match("player 1, information set 1 .*: the limit of the probability of ", found[0]), found


def spoilt(exact: Functions, solution: Solution) -> Solution:
    """The truth about a basis, whether stable or not, where a solution states another basis."""
    orders = exact.order + len(exact.determinant) + 1
    tree, signs = exact.program.tree, exact.signs()
    series = [list(zip(*(exact.series(polynomial, orders) for polynomial in plan), strict=True)) for plan in exact.plan]
    (x, p), (y, r) = map(integers, series)
    certificate = dict(solution.certificate) | {
        "basis": [list(side) for side in exact.high],
        "X": x,
        "Y": y,
        "denominator": [p, r],
        "zeros": {
            kind: [[q for q in range(1, s) if signs.get((kind, i, q)) == 0] for i, s in enumerate(exact.program.size)]
            for kind in ("weights", "regrets")
        },
    }
    solution = replace(solution, certificate=certificate)
    try:
        strategies = []
        for player in (0, 1):
            rows = []
            for _, prior, sequences in moves(tree, player):
                level = next(level for level in series[player] if level[prior])
                rows.append([level[q] / level[prior] for q in sequences])
            strategy = BehaviorStrategy.from_rows(tree, player, rows)
            strategies.append(replace(strategy, off_path=strategy.off_path & False))
    except (tremble.TrembleError, StopIteration):  # no strategies
        return solution
    values = tremble.expected_values(tree, strategies)
    return replace(solution, strategies=(strategies[0], strategies[1]), values=values, bounds=(values[0], values[0]))


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_exact_functions(seed: int) -> None:
    """Of random bases exactly the stable ones pass; zeros are what they are."""
    drawn = draw(seed)
    if drawn is None:
        return
    program, every, weights, rng = drawn
    tree = program.tree
    good = next(stable_bases(program, rng))
    reference = stated(good, weights)
    for high in every[:25]:
        exact = functions(program, high)
        if exact is None or not exact.has_limits:
            assert not verify(tree, tampered(reference, put([list(side) for side in high], "basis"))).ok
        elif not exact.stable:
            assert not verify(tree, spoilt(exact, reference)).ok
        else:
            for extra in (None, 0, 1):
                assert problems(tree, stated(exact, weights, extra)) == ()
            assert not any(verify(tree, false).ok for false in false_zeros(exact, weights))


def false_zeros(exact: Functions, weights: Weights = None) -> Iterator[Solution]:
    """Series cut so short that some functions that are not 0 look like it, and are stated to be."""
    solution = stated(exact, weights, 0)
    for upto in range(exact.needed):
        claims: dict[str, list[list[int]]] = {"weights": [[], []], "regrets": [[], []]}
        for kind, player, q in exact.signs():
            d = first(exact.beyond(player, q) if kind == "weights" else exact.short[player][q])
            if d is None or d - exact.order > upto:
                claims[kind][player].append(q)
        certificate = dict(solution.certificate) | {"zeros": claims}
        if certificate["zeros"] != solution.certificate["zeros"]:
            for name in "XY":
                certificate[name] = certificate[name][: exact.order + upto + 1]
            yield replace(solution, certificate=certificate)
            yield replace(solution, certificate=certificate | {"probabilistic": None})


def test_false_zeros() -> None:
    """Where signs are told only at second order, a plan cut after the first passes for 0 at no random point."""
    said = set()
    for seed in range(200):
        if (drawn := draw(seed)) is None:
            continue
        program, _, weights, rng = drawn
        exact = next(stable_bases(program, rng), None)
        for solution in () if exact is None else false_zeros(exact, weights):
            found = problems(program.tree, solution)
            assert found
            said.add(
                re.sub(r".*(never comes here|as a random point shows|not proven with certainty).*", r"\1", found[0])
            )
        if len(said) == 3:
            break
    assert said == {"never comes here", "as a random point shows", "not proven with certainty"}


def test_optimal_at_a_tenth_only() -> None:
    """A basis that is right for trembles of 1/10 and wrong for all small ones."""
    tree = clumsy()
    program = Program(tree)
    (stable,) = stable_bases(program, random.Random(1))
    assert stable.high == ((2, 3), ())
    exact = functions(program, ((1, 3), ()))
    assert exact is not None
    _, plans, short = program.at(exact.high, F(1, 10))
    assert is_equilibrium_at(tree, plans, F(1, 10))
    assert min(map(min, short)) >= 0
    (u, s), (v, t) = (integers([plan]) for plan in plans)
    point = {"value": "1/10", "X": u[0], "Y": v[0], "denominator": [s, t]}
    assert problems(tree, tampered(stated(stable), put(point, "epsilon"))) == ()
    found = problems(tree, tampered(spoilt(exact, stated(stable)), put(point, "epsilon")))
    assert found[0].startswith("player 1 can gain 1 by deviating")
    assert found[1:] == (
        "player 1, information set 1 ('go?'): 'go' earns more than what is in the basis, at order e^0",
    )


def test_other_concepts_do_not_pass() -> None:
    """Nash and quasi-perfect solutions, whatever they call themselves."""
    tree = tremble.load("kuhn")
    for concept in ("nash", "quasi-perfect"):
        solution = tremble.solve(tree, concept)
        assert "certificate.kind: " in " ".join(problems(tree, replace(solution, concept="perfect")))
    refined = tremble.solve(tree, "perfect")
    assert problems(tree, refined) == ()
    nash = tremble.solve(tree).strategies
    plain = tuple(replace(strategy, off_path=strategy.off_path & False) for strategy in nash)
    found = problems(tree, replace(refined, strategies=plain))
    assert any("the limit of the probability" in problem for problem in found)
    marked = replace(refined.strategies[0], off_path=refined.strategies[0].off_path | True)
    found = problems(tree, replace(refined, strategies=(marked, refined.strategies[1])))
    assert len(found) == 6
    assert all("marked off_path, but 'perfect' defines play everywhere" in problem for problem in found)


def test_one_system_is_for_constant_sums() -> None:
    builder = TreeBuilder(title="general sum")
    builder.decision(0, "k", ("a", "b"))
    builder.leaf(1, 1)
    builder.leaf(0, 0)
    tree = builder.finish()
    one = BehaviorStrategy.from_rows(tree, 0, [[1, 0]])
    claimed = replace(solution_of(tree, (one, BehaviorStrategy.from_rows(tree, 1, []))), concept="perfect")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    certificate = dict(solution.certificate)
    system = certificate.pop("systems")[0]
    assert problems(tree, replace(claimed, certificate={**certificate, **system})) == (
        "certificate.systems: missing; the payoffs have no constant sum, so each plan has its own system",
    )


def test_bounded() -> None:
    """What was not reached states bounds and best responses only."""
    tree = kuhn()
    uniform = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    bounded = replace(solution_of(tree, uniform, Status.BOUNDED), requested="perfect")
    assert problems(tree, bounded) == ()
    assert problems(tree, replace(bounded, concept="perfect"))[0].startswith("concept: 'perfect' is not proven")
    assert "certificate.kind" in problems(tree, replace(bounded, certificate={"kind": "basis"}))[0]
    assert problems(tree, replace(bounded, beliefs=((), ())))[0].startswith("beliefs: ")


# -- every number of a certificate counts -------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("tree", [GIFT, SAFE, clumsy(), tremble.load("kuhn")])
def test_every_coefficient(tree: GameTree) -> None:
    """Corrupted in turn, in the series and in the plans for one value."""
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    for name in "XY":
        for d, row in enumerate(solution.certificate[name]):
            for q, text in enumerate(row):
                for shift in (1, -1, 10**40):
                    value = format_fraction(F(text) + shift)
                    assert problems(tree, tampered(solution, put(value, name, d, q))), (name, d, q)
        for q, text in enumerate(solution.certificate["epsilon"][name]):
            for shift in (1, -1):
                value = format_fraction(F(text) + shift)
                assert problems(tree, tampered(solution, put(value, "epsilon", name, q))), (name, q)
    for player in (0, 1):
        for field in (("denominator",), ("epsilon", "denominator")):
            assert problems(tree, tampered(solution, put("977", *field, player)))


@pytest.mark.parametrize("value", ["1/2", "1", "3", "1/1000000007"])
def test_wrong_values_of_epsilon(value: str) -> None:
    """At another value the same plans are none, or no equilibrium."""
    solution = tremble.solve(GUESS, "perfect")
    found = problems(GUESS, tampered(solution, put(value, "epsilon", "value")))
    assert found
    assert all("certificate.epsilon." in problem for problem in found)


def test_plans_that_shift() -> None:
    """Plans that are plans, no more: moved between two actions at one order."""
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "perfect")
    for player, name in enumerate("XY"):
        for _, _, sequences in moves(tree, player):
            one, two = sequences
            for d, row in enumerate(solution.certificate[name]):
                changed = tampered(solution, put(str(int(row[one]) + 1), name, d, one))
                changed = tampered(changed, put(str(int(row[two]) - 1), name, d, two))
                assert problems(tree, changed)
            row = solution.certificate["epsilon"][name]
            changed = tampered(solution, put(str(int(row[one]) + 1), "epsilon", name, one))
            changed = tampered(changed, put(str(int(row[two]) - 1), "epsilon", name, two))
            assert "certificate.epsilon." in problems(tree, changed)[0]


BROAD = tremble.load("kuhn:cards=4")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda c: c.pop("kind"), r"certificate\.kind: missing; the concept 'perfect' is proven by 'basis'"),
        (put("consistent-trembles", "kind"), r"certificate\.kind: 'consistent-trembles'; "),
        (put(1, "more"), r"certificate\.more: there is no such field"),
        *(
            (lambda c, name=name: c.pop(name), rf"certificate\.{name}: missing")
            for name in (
                "basis",
                "X",
                "Y",
                "denominator",
                "epsilon",
                "pivots",
                "row_operations",
                "trembles",
                "zeros",
                "probabilistic",
            )
        ),
        *((put(value, "basis"), r"certificate\.basis: not a list for each") for value in (None, 5, [], [[1]], "12")),
        (put([[1], 2], "basis"), r"certificate\.basis\[1\]: not a list of sequences"),
        *(
            (put([[value], [1]], "basis"), r"certificate\.basis\[0\]\[0\]: .* is no sequence; the numbers are 1 to 2")
            for value in (0, 3, -1, 10**5000, "1", 1.0, True, None, [])
        ),
        (put([[2, 1], [1]], "basis"), r"certificate\.basis\[0\]\[1\]: the sequences do not ascend"),
        (put([[1, 1], [1]], "basis"), r"certificate\.basis\[0\]\[1\]: the sequences do not ascend"),
        (put([[], [1]], "basis"), r"player 1, information set 1 .*: certificate\.basis\[0\] names none of its actions"),
        (put([[1, 2], [1]], "basis"), r"certificate\.basis: the system is not square; .* 1 sequences .* and 0 of"),
        (put([], "X"), r"certificate\.X: not a list"),
        (put(["1", "1", "0"], "X"), r"certificate\.X\[0\]: not a list"),
        (put([["1", "1"]], "X"), r"certificate\.X\[0\]: a list of 2, but the number of sequences of player 1 is 3"),
        (put("1/2", "Y", 1, 1), r"certificate\.Y\[1\]\[1\]: an integer, not 1/2"),
        (put(1, "Y", 1, 1), r"certificate\.Y\[1\]\[1\]: not an exact number as text"),
        (put("0", "denominator", 0), r"certificate\.denominator\[0\]: a positive integer, not 0"),
        (put(["1"], "denominator"), r"certificate\.denominator: a list of 1, but the number of players is 2"),
        (put("1/2", "epsilon"), r"certificate\.epsilon: not an object with the fields value, X, Y, denominator"),
        (put(0.1, "epsilon", "value"), r"certificate\.epsilon\.value: not an exact number as text"),
        (put("0.1", "epsilon", "value"), r"certificate\.epsilon\.value: '0.1' is not an exact number"),
        (put("-1/2", "epsilon", "value"), r"certificate\.epsilon\.value: a positive number, not -1/2"),
        (put("0", "epsilon", "value"), r"certificate\.epsilon\.value: a positive number, not 0"),
        (put(["1", "0"], "epsilon", "X"), r"certificate\.epsilon\.X: a list of 2, but"),
        (put("1/3", "epsilon", "Y", 1), r"certificate\.epsilon\.Y\[1\]: an integer, not 1/3"),
        (put("-3", "epsilon", "denominator", 1), r"certificate\.epsilon\.denominator\[1\]: a positive integer"),
        (lambda c: c["epsilon"].pop("X"), r"certificate\.epsilon\.X: missing"),
        (put(1, "epsilon", "x"), r"certificate\.epsilon\.x: there is no such field"),
        (put("none", "pivots"), r"certificate\.pivots: not a list of 6 pairs of a row and a column"),
        (put([[0, 0]], "pivots"), r"certificate\.pivots: not a list of 6 pairs"),
        (put([[0, 0]] * 6, "pivots"), r"certificate\.pivots\[1\]: the system has no row 0, or it has had its pivot"),
        (put([[0, 0], [1, 99]] * 3, "pivots"), r"certificate\.pivots\[1\]: the system has no column 99"),
        (put([[0, 0], [-1, 1]] * 3, "pivots"), r"certificate\.pivots\[1\]: the system has no row -1"),
        (put([[0, 0], [1]] * 3, "pivots"), r"certificate\.pivots\[1\]: not a pair of a row and a column"),
        (put([[0, 0], [1, True]] * 3, "pivots"), r"certificate\.pivots\[1\]: not a pair of a row and a column"),
        (
            put([[["1", "0"]], [["1", "1"]]], "trembles"),
            r"certificate\.trembles\[0\]\[0\]\[1\]: the weight .* positive",
        ),
        *(
            (put(value, "row_operations"), rf"certificate\.row_operations{where}")
            for value, where in (
                (None, ": not a list"),
                ([1], r"\[0\]: not an object"),
                ([{"row": 0}], r"\[0\]\.combination: missing"),
                ([{"row": 0, "combination": None}], r"\[0\]\.combination: not a list"),
                ([{"row": 0, "combination": [[99, "1"]]}], r"\[0\]\.combination\[0\]: not a row of the system"),
                ([{"row": 0, "combination": [[0, "1"], [0, "1"]]}], r"\[0\]\.combination\[1\]: not a row"),
                ([{"row": 0, "combination": [[0, "0"]]}], r"\[0\]\.combination\[0\]\[1\]: an integer other than 0"),
                ([{"row": 0, "combination": [[0, 1]]}], r"\[0\]\.combination\[0\]\[1\]\[0\]: not an exact number"),
                ([{"row": 1, "combination": [[0, "1"]]}], r"\[0\]\.row: 1 is not among the rows"),
                ([{"row": 0, "combination": [[0, "1"]]}] * 2, r"\[0\]\.row: 0 is combined elsewhere, too"),
                ([{"row": 0, "combination": [[0, "1"]]}], r"\[0\]: this combination of rows does not vanish at 0"),
            )
        ),
        (put([], "trembles"), r"certificate\.trembles\[0\]: missing"),
        (put([[], []], "zeros"), r"certificate\.zeros: not an object with the fields weights, regrets"),
        (put([[0], []], "zeros", "regrets"), r"certificate\.zeros\.regrets\[0\]\[0\]: 0 is no sequence"),
        (put(None, "zeros", "weights"), r"certificate\.zeros\.weights: not a list for each of the two players"),
        (put(60, "probabilistic"), r"certificate\.probabilistic: not an object with the fields claims, k"),
        (put({"claims": [], "k": 60}, "probabilistic"), r"certificate\.probabilistic\.claims: what may be drawn"),
        (put({"claims": "all", "k": 60}, "probabilistic"), r"certificate\.probabilistic\.claims: what may be drawn"),
        *(
            (put({"claims": [CLAIM], "k": k}, "probabilistic"), r"certificate\.probabilistic\.k: an integer between 60")
            for k in (59, 10**9, 60.0, "60", None, True)
        ),
        *(
            (put(value, "classes"), r"certificate\.classes: neither null nor a list for each of the two players")
            for value in (5, [], [[0, 1, 2]], "01", {"0": 0}, [[[[[]]]]])
        ),
        *(
            (put([value, [0, 1, 2]], "classes"), r"certificate\.classes\[0\]: not a list of 3, the number of sequences")
            for value in ([0, 1], [0, 1, 2, 3], [], "012", None, 7)
        ),
        *(
            (
                put([[0, 1, 2], row], "classes"),
                rf"certificate\.classes\[1\]\[{place}\]: .* is no class; here it is a number",
            )
            for row, place in (
                ([1, 2, 3], 0),
                ([0, 0, 1], 1),
                ([0, 1, 0], 2),
                ([0, 2, 1], 1),
                ([0, 1, 3], 2),
                ([0, 1, -1], 2),
                ([0, 1, 10**5000], 2),
                ([0, 1, -(10**5000)], 2),
                *(([0, 1, value], 2) for value in (True, 1.0, "1", None, [1], [[[1]]], {})),
                ([False, 1, 2], 0),
            )
        ),
    ],
)
def test_malformed_certificates(change: Any, place: str) -> None:
    _, solution = stable_solution(GUESS)
    found = problems(GUESS, tampered(solution, change))
    assert found, place
    assert re.match(place, found[0]), found


def test_zeros_are_listed_and_nothing_else() -> None:
    """A zero left out, one too many, and one on the wrong side."""
    tree = tremble.load("kuhn:cards=4")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    high = [set(side) for side in solution.certificate["basis"]]
    seen = set()
    for kind, player in itertools.product(("weights", "regrets"), (0, 1)):
        listed = solution.certificate["zeros"][kind][player]
        for q in range(1, 1 + tree.num_slots[player]):
            row = sorted(set(listed) ^ {q})
            found = problems(tree, tampered(solution, put(row, "zeros", kind, player)))
            assert len(found) == 1
            field = rf"certificate\.zeros\.{kind}\[{player}\]"
            if q in listed:
                assert re.search(rf"is undecided up to order e\^\d+, and {field} does not list it", found[0])
            elif (q in high[player]) == (kind == "weights"):
                assert re.search(rf"is listed in {field}, but it is not 0 at order e\^\d+", found[0])
            else:
                where = "outside" if kind == "weights" else "in"
                assert re.search(rf"is {where} the basis, but {field} lists it", found[0])
            seen.add((kind, q in listed))
    assert len(seen) >= 2


def test_random_certificates_never_raise() -> None:
    """Pieces of a certificate replaced by others, at random."""
    rng = random.Random(5)
    _, solution = stable_solution(GIFT, 0)
    pieces: list[Any] = [None, 0, -1, 1.5, True, "", "0", "1", "-1", "1/2", "x", [], {}, [[]], ["1"] * 7, F(1), [1], 3]

    def walk(value: Any) -> Iterator[tuple[Any, Any]]:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            if isinstance(value[key], dict | list):
                yield from walk(value[key])

    for _ in range(400):
        certificate = deepcopy(dict(solution.certificate))
        for _ in range(rng.choice((1, 1, 2))):
            holder, key = rng.choice(list(walk(certificate)))
            old, holder[key] = holder[key], rng.choice(pieces)
            if isinstance(holder[key], F) and old == "1":  # a Fraction says the same as its text
                holder[key] = old
        found = verify(GIFT, replace(solution, certificate=certificate))
        same = certificate | {"probabilistic": solution.certificate["probabilistic"]} == solution.certificate
        assert not found.ok or same or certificate["trembles"] != solution.certificate["trembles"], certificate
        assert all(isinstance(problem, str) for problem in found.problems)


# -- elimination and power series -------------------------------------------------------------------


def random_matrix(rng: random.Random, n: int, rank: int) -> list[list[int]]:
    one = [[rng.choice((0, 0, 1, -1, 2)) for _ in range(rank)] for _ in range(n)]
    two = [[rng.choice((0, 0, 1, -1, 3)) for _ in range(n)] for _ in range(rank)]
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*two, strict=True)] for row in one]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_elimination(n: int, lost: int) -> None:
    """Both kinds solve for their heads, in any order and whatever the rank."""
    rng = random.Random(f"{n} {lost}")
    for _ in range(10):
        prime = random_prime()
        matrix = np.array(random_matrix(rng, n, n - lost) if n > lost else [[0] * n] * n, dtype=np.int64) % prime
        row, column = matrix.nonzero()
        order = [np.array(rng.sample(range(n), n), dtype=np.int64) for _ in range(2)]
        dense = DenseElimination(matrix, prime)
        sparse = SparseElimination(row, column, matrix[row, column], (order[0], order[1]), prime)
        assert len(sparse.spare_rows) >= len(dense.spare_rows) >= lost * (n > lost)
        b = np.array([rng.randrange(prime) for _ in range(n)], dtype=np.int64)
        for head in (dense, sparse):
            assert len(head.spare_rows) == len(head.spare_columns)
            x, y = head.solve(b), head.solve_transposed(b)
            assert not x[head.spare_columns].any()
            assert not y[head.spare_rows].any()
            exact = matrix.astype(object)
            assert not np.delete((exact @ x - b) % prime, head.spare_rows).any()
            assert not np.delete((exact.T @ y - b) % prime, head.spare_columns).any()


def test_fill_in_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arrow whose tip is eliminated first becomes dense; a certificate that asks for that is refused."""
    n = 400
    row = np.concatenate((np.arange(n), np.zeros(n - 1, dtype=np.int64), np.arange(1, n)))
    column = np.concatenate((np.arange(n), np.arange(1, n), np.zeros(n - 1, dtype=np.int64)))
    value = np.concatenate((np.full(n, 1009), np.ones(2 * n - 2, dtype=np.int64)))
    order = np.arange(n)
    monkeypatch.setattr(elimination, "MOST_ENTRIES", 50_000)
    monkeypatch.setattr(elimination, "_BUDGET", 1000)
    SparseElimination(row, column, value, (order[::-1].copy(), order[::-1].copy()), 2147483629)
    with pytest.raises(elimination.PivotsError):
        SparseElimination(row, column, value, (order, order), 2147483629)


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_order_of_determinants(seed: int) -> None:
    """Of matrices of polynomials, by their determinants; of systems, whatever their order of elimination."""
    rng = random.Random(seed)
    n, degree = rng.randint(1, 5), rng.randint(1, 3)
    levels = [random_matrix(rng, n, rng.randint(1, n)) for _ in range(degree + 1)]
    points = [F(k) for k in range(1, n * degree + 2)]
    determinant = interpolate(
        points,
        [
            eliminate(
                [[sum((m[i][j] * e**k for k, m in enumerate(levels)), F(0)) for j in range(n)] for i in range(n)],
                [F(0)] * n,
            )[0]
            for e in points
        ],
    )
    true, prime = first(determinant), random_prime()
    known = n * degree + 1
    matrix = np.zeros((n, n, known), dtype=np.int64)
    for k, level in enumerate(levels):
        matrix[..., k] = np.array(level) % prime
    assert order_of_determinant(matrix, prime) == true
    for least in range(true or 0):
        assert order_of_determinant(matrix[..., : least + 1], prime) in (None, true)
    # The same as a system, each place with one entry only: the others of a place go over one more row and column each.
    entries: list[tuple[int, int, int, int]] = []
    size = n
    for i, j in itertools.product(range(n), range(n)):
        (value, power), *others = [(level[i][j], k) for k, level in enumerate(levels) if level[i][j]] or [(0, 0)]
        entries += [(i, j, value, power)] if value else []
        for value, power in others:
            entries += [(size, size, 1, 0), (size, j, -1, 0), (i, size, value, power)]
            size += 1
    row, column, value, power = (np.array([entry[i] for entry in entries], dtype=np.int64) for i in range(4))
    for order in (None, *(tuple(np.array(rng.sample(range(size), size)) for _ in range(2)) for _ in range(5))):
        system = System(size, row, column, value, power, order)  # type: ignore[arg-type]
        assert system.order_of_determinant(prime, known) == true
        if true:
            assert system.order_of_determinant(prime, true - 1) is None
        point = rng.randrange(1, prime)
        b, c = (np.array([rng.randrange(prime) for _ in range(size)]) for _ in range(2))
        solution = system.solve_at(point, prime, b, c)
        assert (solution is None) == (true is None)
        if solution is not None:
            dense = np.zeros((size, size), dtype=object)
            for i, j, number, times in entries:
                dense[i, j] = number * point**times
            assert not ((dense @ solution[0] - b) % prime).any()
            assert not ((dense.T @ solution[1] - c) % prime).any()


# -- what is solved ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", [GIFT, BROAD, hostile_game("plain", 46, most=60)])
def test_any_order_of_elimination(tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Good or bad, the order changes nothing but the time, if small systems are eliminated like large ones."""
    solution = tremble.solve(tree, "perfect", "lp", merge=False)
    monkeypatch.setattr("tremble.verifier.certificates.basis.SMALL", 0)
    rows, columns = Program(tree).numbers(tuple(map(tuple, solution.certificate["basis"])))  # type: ignore[arg-type]
    rng = random.Random(1)
    claims = {"claims": [CLAIM], "k": 100}
    for _ in range(5):
        pivots = [list(pair) for pair in zip(rng.sample(rows, len(rows)), rng.sample(columns, len(rows)), strict=True)]
        certificate = dict(solution.certificate) | {"pivots": pivots, "probabilistic": claims}
        assert problems(tree, replace(solution, certificate=certificate)) == ()
    assert problems(tree, replace(solution, certificate=certificate | {"pivots": None}))[0].startswith(
        "certificate.pivots: null, but an order of elimination is needed"
    )


def test_singular_at_zero() -> None:
    """Where the determinant vanishes at 0, as many orders of the series are lost as it vanishes to."""
    tree = hostile_game("plain", 46, most=60)
    solution = tremble.solve(tree, "perfect", "lp", merge=False)
    high = tuple(tuple(side) for side in solution.certificate["basis"])
    exact = functions(Program(tree), high)  # type: ignore[arg-type]
    assert exact is not None
    assert exact.order == 1
    assert exact.stable
    for extra in (None, 0, 1):
        complete = stated(exact, None, extra)
        assert problems(tree, complete) == ()
    (operation,) = solution.certificate["row_operations"]
    for j, (row, factor) in enumerate(operation["combination"]):
        wrong = {"row": row, "combination": deepcopy(operation["combination"])}
        assert problems(tree, tampered(complete, put([wrong], "row_operations"))) == ()
        wrong["combination"][j][1] = format_fraction(F(factor) * 2)
        if len(operation["combination"]) > 1:
            assert problems(tree, tampered(complete, put([wrong], "row_operations"))) == (
                "certificate.row_operations[0]: this combination of rows does not vanish at 0",
            )
    short = stated(exact, None, 0)
    orders = len(short.certificate["X"])
    for left in range(1, orders):
        cut = tampered(short, lambda c, left=left: c.update({name: c[name][:left] for name in "XY"}))  # type: ignore[misc]
        found = problems(tree, cut)
        assert found
        if left == 1:
            assert found[0].startswith(
                "certificate.basis: the system is singular, or its inverse has a pole of a greater"
            )


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn",
        "kuhn:cards=4",
        "matching_pennies",
        "leduc:raises=1,ranks=2",
        "goofspiel:order=increasing",
        *(f"random_tree:branching=2,chance={c},depth=5,seed={n}" for n in (1, 2) for c in ("true", "false")),
    ],
)
def test_what_is_solved(spec: str) -> None:
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    assert problems(tree, Solution.from_text(solution.to_text())) == ()
    point = solution.certificate["epsilon"]
    plans = [[F(int(v), int(d)) for v in point[name]] for name, d in zip("XY", point["denominator"], strict=True)]
    assert is_equilibrium_at(tree, plans, F(point["value"]))


@pytest.mark.parametrize("name", ["huge payoffs", "mixed payoffs", "one player", "the other player", "root ends"])
def test_hostile_games(name: str) -> None:
    for seed in range(4):
        tree = hostile_game(name, seed)
        assert problems(tree, tremble.solve(tree, "perfect")) == ()


def test_large_systems_need_an_order() -> None:
    """As Leduc hold'em does; pivots that vanish only by a bad order are dealt with, too many are refused."""
    tree = tremble.load("leduc")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    assert problems(tree, tampered(solution, put(None, "pivots")))[0].startswith("certificate.pivots: null, but")
    pivots = solution.certificate["pivots"]
    rows, columns = zip(*pivots, strict=True)
    turned = [list(pair) for pair in zip(rows, columns[1:] + columns[:1], strict=True)]
    found = problems(tree, tampered(solution, put(turned, "pivots")))
    assert found == () or found[0].startswith("certificate.pivots: more than 200 of these pivots vanish")


@pytest.mark.parametrize(
    ("entries", "null_vectors", "pole"),
    [
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [], 2),
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [{0: 1}], 2),
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [{0: 1}, {1: -3}], 1),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [], 2),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [{1: 5}], 2),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [{0: 1}, {1: 1}], None),
        ([(0, 0, 3, 0), (1, 1, 1, 0)], [], 0),
        ([(0, 0, 1, 3), (1, 1, 1, 0)], [], 3),
        ([(0, 0, 1, 2), (1, 1, 1, 1)], [{0: 1}, {1: 1}], 2),
        ([(0, 0, 3, 0), (0, 1, 1, 0), (1, 0, 6, 0), (1, 1, 2, 0)], [], None),
        ([(0, 0, 3, 0), (0, 1, 1, 0), (1, 0, 6, 0), (1, 1, 2, 1)], [], 0),
    ],
)
def test_order_of_the_pole(
    entries: list[tuple[int, int, int, int]], null_vectors: list[dict[int, int]], pole: int | None
) -> None:
    """Bounded by the determinant and by how many rows vanish at 0: e and e share two orders, e^2 has both."""
    row, column, value, power = (np.array(list(values)) for values in zip(*entries, strict=True))
    for order in (None, (np.array([0, 1]), np.array([0, 1])), (np.array([1, 0]), np.array([0, 1]))):
        system = System(2, row, column, value, power, order)
        program: Any = SimpleNamespace()
        perturbed = PerturbedSystem(program, system, np.arange(2), np.arange(2))
        for known in range(4):
            case: Any = SimpleNamespace(problems=Problems())
            series = [[0]] * (known + 1)
            basis: Any = SimpleNamespace(plans=SimpleNamespace(coefficient=(series, series)))
            found = perfect._order(
                case, basis, SquareSystem(None, [(0, vector) for vector in null_vectors]), perturbed, "certificate"
            )
            assert found == (pole if pole is not None and known >= pole else None)
            assert (found is None) == bool(case.problems)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["leduc:ranks=8", "leduc:ranks=9", "goofspiel:cards=4"])
def test_large_games(spec: str) -> None:
    """Proven, and not without the last order: what looks like zero there is none."""
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "perfect", merge=False)  # merged, goofspiel has no such zeros left
    assert problems(tree, solution) == ()
    assert solution.certificate["probabilistic"]
    assert "null, but the zeros are not proven" in problems(tree, tampered(solution, put(None, "probabilistic")))[0]
    for name in "XY":
        found = problems(tree, tampered(solution, lambda c, name=name: c[name].pop()))  # type: ignore[misc]
        assert "is undecided up to order e^" in found[0]

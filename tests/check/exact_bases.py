"""Bases of tiny games by enumeration, in fractions, and what they state: a second opinion for the kernel."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction as F
from math import lcm
from typing import Any

import numpy as np

import tremble
from hostile_games import hostile_game
from second_opinions import chance_to, last_sequence, moves
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder
from tremble.numbers import format_fraction
from tremble.results import StatedSolution
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.status import Status

High = tuple[tuple[int, ...], tuple[int, ...]]
Partition = tuple[list[int], list[int]]  # class of each sequence of each player, numbered by first members
Weights = list[list[list[F]]] | None
Polynomial = list[F]
CLAIM = "weights and regrets listed in `zeros` vanish identically"


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


def limits_of(tree: GameTree, series: Sequence[Sequence[Sequence[F]]]) -> list[BehaviorStrategy]:
    """Return the strategies that plans tend to: at each set, the shares at the first order at which it is reached."""
    strategies = []
    for player in (0, 1):
        rows = []
        for _, prior, sequences in moves(tree, player):
            level = next(level for level in series[player] if level[prior])
            rows.append([level[q] / level[prior] for q in sequences])
        strategy = BehaviorStrategy.from_rows(tree, player, rows)
        strategies.append(replace(strategy, off_path=strategy.off_path & False))
    return strategies


def stated(exact: Functions, weights: Weights = None, extra: int | None = None) -> Solution:
    """What a stable basis states: ``extra`` orders more than needed to tell signs, or enough to prove all zeros."""
    program, tree = exact.program, exact.program.tree
    degree = len(exact.determinant)
    orders = exact.order + (degree if extra is None else exact.needed + extra)
    series = [list(zip(*(exact.series(polynomial, orders) for polynomial in plan), strict=True)) for plan in exact.plan]
    value = small_value(exact)
    _, there, _ = program.at(exact.high, value)
    signs = exact.signs()
    strategies = limits_of(tree, series)
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
        strategies = limits_of(tree, series)
    except (tremble.TrembleError, StopIteration):  # no strategies
        return solution
    values = tremble.expected_values(tree, strategies)
    return replace(solution, strategies=(strategies[0], strategies[1]), values=values, bounds=(values[0], values[0]))


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


def with_twins(base: GameTree, seed: int, off: dict[int, tuple[F, F]] | None = None) -> GameTree:
    """Some moves twice, with all that follows; who moves remembers which, others may see it.

    ``off`` is what is added to the payoffs of a leaf, by its number.
    """
    builder = TreeBuilder(title=f"twins {base.title} {seed}")
    stack: list[tuple[int, tuple[tuple[object, ...], ...]]] = [(0, ((), ()))]
    leaves = 0
    while stack:
        node, seen = stack.pop()
        mover, k = int(base.player[node]), int(base.infoset[node])
        if mover == TERMINAL:
            more = (off or {}).get(leaves, (F(0), F(0)))
            builder.leaf(*(u + d for u, d in zip(base.payoff_at(k), more, strict=True)))
            leaves += 1
            continue
        draw = random.Random(f"{seed} {mover} {k}")
        children = base.children(node)
        times = [draw.choice((1, 1, 2)) for _ in children]
        shown = [draw.random() < 0.5 or player == mover for player in (0, 1)]
        options = [(i, j) for i, many in enumerate(times) for j in range(many)]
        labels = [f"{i}{'ab'[j]}" for i, j in options]
        if mover == CHANCE:
            builder.chance(labels, [base.chance_tables[k].probabilities[i] / times[i] for i, _ in options])
        else:
            builder.decision(mover, (k, seen[mover]), labels)
        for i, j in reversed(options):
            note = ((mover, k, j),) if times[i] > 1 else ()
            stack.append((children[i], tuple(s + note if there else s for s, there in zip(seen, shown, strict=True))))
    return builder.finish()


def tiny(seed: int, **changes: Any) -> GameTree:
    """A tiny game with twins."""
    rng = random.Random(seed)
    name = rng.choice(("plain", "chance", "degenerate", "perfect information", "blind", "one player", "fractions"))
    payoffs: Sequence[F | int] = rng.choice(((0, 0, 1), (0, 1, -1), tuple(range(-3, 4))))
    return with_twins(hostile_game(name, seed, most=12, depth=3, payoffs=payoffs), seed, **changes)


def numbered(values: Sequence[Any]) -> list[int]:
    seen: dict[Any, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]


def sets_of(tree: GameTree, player: int, of: Sequence[int]) -> list[Any]:
    """What the class of each information set goes by."""
    return [(of[prior], *sorted(of[q] for q in sequences)) for _, prior, sequences in moves(tree, player)]


def coarsest(tree: GameTree, weights: Weights = None, both: bool = True, within: Partition | None = None) -> Partition:
    """By what comes before and after, weights and sums of payoffs, round by round; ``within`` other classes."""
    of = list(within or ([min(q, 1) for q in range(1 + slots)] for slots in tree.num_slots))
    cells = [
        (
            [last_sequence(tree, player, leaf) for player in (0, 1)],
            [chance_to(tree, leaf) * u for u in tree.payoff_at(int(tree.infoset[leaf]))],
        )
        for leaf in tree.leaves.tolist()
    ]
    while True:
        new = []
        for player in (0, 1):
            sums: list[dict[int, F]] = [{} for _ in of[player]]
            for at, amount in cells:
                line, over = sums[at[player]], of[1 - player][at[1 - player]]
                line[over] = line.get(over, F(0)) + amount[0 if both else player]
            sets, at_set = sets_of(tree, player, of[player]), dict[int, tuple[Any, ...]]()
            after: list[list[Any]] = [[] for _ in of[player]]
            for k, prior, sequences in moves(tree, player):
                after[prior].append(sets[k])
                for j, q in enumerate(sequences):
                    at_set[q] = sets[k], 1 if weights is None else weights[player][k][j]
            new.append(
                numbered(
                    [
                        (c, at_set.get(q), tuple(sorted(after[q])), tuple(sorted((k, v) for k, v in line.items() if v)))
                        for q, (c, line) in enumerate(zip(of[player], sums, strict=True))
                    ]
                )
            )
        if new == of:
            return of[0], of[1]
        of = new


def forged(rng: random.Random, partition: Partition) -> Partition:
    """One sequence moved, two classes made one, two sequences exchanged, one taken out, or anything."""
    sides = [list(side) for side in partition]
    side = rng.choice([side for side in sides if len(side) > 2] or sides)
    others = range(1, len(side))
    if len(side) > 2:
        match rng.choice(("move", "move", "merge", "exchange", "alone", "anything", "one")):
            case "move":
                side[rng.choice(others)] = rng.choice(side[1:])
            case "merge":
                one, two = rng.choice(side[1:]), rng.choice(side[1:])
                side[1:] = [one if c == two else c for c in side[1:]]
            case "exchange":
                q, r = rng.sample(others, 2)
                side[q], side[r] = side[r], side[q]
            case "alone":
                side[rng.choice(others)] = len(side)
            case "anything":
                side[1:] = [rng.randint(1, rng.randint(1, len(side))) for _ in others]
            case "one":
                side[1:] = [1 for _ in others]
    one, two = map(numbered, sides)
    return one, two


class Merged(Program):
    """The program of the classes, numbered by first members; its solutions are those of all."""

    def __init__(self, tree: GameTree, partition: Partition, weights: Weights = None) -> None:
        super().__init__(tree, weights)
        self.partition = partition
        (s1, _), (j1, j2) = self.size, tree.num_infosets
        one, two = ([side.index(c) for c in side] for side in partition)
        sets = [sets_of(tree, player, partition[player]) for player in (0, 1)]
        sets1, sets2 = ([side.index(c) for c in side] for side in sets)
        self.first_row = [0, *(1 + k for k in sets1), *(j1 + q for q in one[1:]), *(j1 + s1 + q for q in two)]
        self.first_column = [*one, s1, *(s1 + 1 + k for k in sets2), *(s1 + j2 + q for q in two[1:])]
        whole, self.entry = self.entry, {}
        for (r, c), values in whole.items():
            if self.first_row[r] == r:
                for degree, value in enumerate(values):
                    self._put(r, self.first_column[c], value, degree)
        self.many = Counter(self.first_row)

    def numbers(self, high: High) -> tuple[list[int], list[int]]:
        rows, columns = super().numbers(high)
        return [r for r in rows if self.first_row[r] == r], [c for c in columns if self.first_column[c] == c]

    def lifted(self, value: dict[int, F], dual: dict[int, F]) -> tuple[dict[int, F], dict[int, F]]:
        return (
            {c: value[first] for c, first in enumerate(self.first_column) if first in value},
            {r: dual[first] / self.many[first] for r, first in enumerate(self.first_row) if first in dual},
        )

    def bases(self) -> Iterator[High]:
        """Those of whole classes whose system is square."""

        def choices(player: int) -> Iterator[tuple[frozenset[int], int]]:
            of = self.partition[player]
            classes = {tuple(sorted({of[q] for q in s})) for _, _, s in moves(self.tree, player)}
            sets = [[c for n in range(1, len(s) + 1) for c in itertools.combinations(s, n)] for s in sorted(classes)]
            for chosen in itertools.product(*sets):
                yield frozenset(itertools.chain.from_iterable(chosen)), len(sets)

        second = list(choices(1))
        for one, sets1 in choices(0):
            for two, sets2 in second:
                if len(one) - sets1 == len(two) - sets2:
                    high = ([q for q, c in enumerate(of) if c in chosen] for of, chosen in
                            zip(self.partition, (one, two), strict=True))  # fmt: skip
                    yield tuple(map(tuple, high))  # type: ignore[misc]

    def stated(self, exact: Functions, weights: Weights = None, extra: int | None = None) -> Solution:
        """What a stable basis states, with the classes."""
        return tampered(stated(exact, weights, extra), put([list(side) for side in self.partition], "classes"))


def merged_program(seed: int, most: int = 14) -> tuple[Merged, Weights, list[High], random.Random] | None:
    """Of a tiny game in which something is alike, and its bases in random order."""
    rng = random.Random(f"merged {seed}")
    tree = tiny(seed)
    weights: Weights = None
    if rng.random() < 0.4:
        weights = [[[F(len(row), 1 + len(rows) % 3) for _ in row] for row in rows] for rows in tree.actions]
    partition = coarsest(tree, weights)
    if all(len(set(side)) == len(side) for side in partition):
        return None
    program = Merged(tree, partition, weights)
    every = list(itertools.islice(program.bases(), 2000))
    if len(every) == 2000 or sum(len(set(side)) for side in partition) > most:
        return None
    rng.shuffle(every)
    return program, weights, every, rng

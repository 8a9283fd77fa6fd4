"""Classes in certificates of perfect equilibria: true ones by enumeration, forged ones, and dense second opinions."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F
from math import lcm
from typing import Any

import numpy as np
import pytest
from test_verifier_perfect import (
    CLAIM,
    Functions,
    High,
    Program,
    Weights,
    false_zeros,
    functions,
    is_equilibrium_at,
    problems,
    put,
    small_value,
    spoilt,
    stated,
    tampered,
)
from tremble.verifier.algebra.equitable import Classes
from tremble.verifier.algebra.perturbed_system import PerturbedProgram
from tremble.verifier.profiles.tree import evaluate

import tremble
from hostile_games import hostile_game
from second_opinions import chance_to, last_sequence, moves
from tremble import CHANCE, TERMINAL, GameTree, Solution, TreeBuilder, verify
from tremble.exact.colours import refined
from tremble.game.sequence_form import SequenceForm
from tremble.game.table import StrategyTable
from tremble.numbers import format_fraction
from tremble.solution.heading import GameReference
from tremble.solution.trembles import Trembles
from tremble.solvers.perfect import PerfectProgram
from tremble.solvers.zero_sum import NashProgram

Partition = tuple[list[int], list[int]]  # class of each sequence of each player, numbered by first members
TINY = F(1, 10**30)

# -- games with twins -------------------------------------------------------------------------------


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


# -- second opinions: all entries, all sums ----------------------------------------------------------

Entry = tuple[tuple[str, int], tuple[str, int], int]  # row, column, power of epsilon


def entries(tree: GameTree, weights: Weights, first: int, payoff: int, sign: int) -> dict[Entry, F]:
    """The program of the plan of player ``first``, with the payoffs of player ``payoff``."""
    found: dict[Entry, F] = {}

    def add(row: tuple[str, int], column: tuple[str, int], power: int, value: F) -> None:
        found[row, column, power] = found.get((row, column, power), F(0)) + value

    add(("flow", -1), ("x", 0), 0, F(1))
    add(("plan", 0), ("v", -1), 0, F(1))
    for k, prior, sequences in moves(tree, first):
        add(("flow", k), ("x", prior), 0, F(-1))
        for j, q in enumerate(sequences):
            add(("flow", k), ("x", q), 0, F(1))
            add(("tremble", q), ("x", q), 0, F(-1))
            add(("tremble", q), ("x", prior), 1, F(1) if weights is None else weights[first][k][j])
    for k, prior, sequences in moves(tree, 1 - first):
        add(("plan", prior), ("v", k), 0, F(-1))
        for j, q in enumerate(sequences):
            add(("plan", q), ("v", k), 0, F(1))
            add(("plan", q), ("g", q), 0, F(1))
            add(("plan", prior), ("g", q), 1, -F(1) if weights is None else -weights[1 - first][k][j])
    for leaf in tree.leaves.tolist():
        amount = chance_to(tree, leaf) * tree.payoff_at(int(tree.infoset[leaf]))[payoff]
        row, column = last_sequence(tree, 1 - first, leaf), last_sequence(tree, first, leaf)
        add(("plan", row), ("x", column), 0, -sign * amount)
    return found


def sets_of(tree: GameTree, player: int, of: Sequence[int]) -> list[Any]:
    """What the class of each information set goes by."""
    return [(of[prior], *sorted(of[q] for q in sequences)) for _, prior, sequences in moves(tree, player)]


class Opinions:
    """Whether classes are equitable: by all sums, and by the verifier's pass."""

    def __init__(self, tree: GameTree, weights: Weights = None, both: bool = True) -> None:
        self.tree, self.weights, self.both = tree, weights, both
        self.tables = [
            (first, entries(tree, weights, first, first if both else 1 - first, 1 if both else -1))
            for first in ((0,) if both else (0, 1))
        ]
        uniform = (StrategyTable.of(tremble.BehaviorStrategy.uniform(tree, player)) for player in (0, 1))
        self.evaluation = evaluate(tree, list(uniform))
        rows = weights or [[[F(1)] * len(labels) for labels in side] for side in tree.actions]
        whole = lcm(*(w.denominator for side in rows for row in side for w in row))
        one, two = ([0, *(int(w * whole) for row in side for w in row)] for side in rows)
        self.weight = one, two
        self.order = [0, *[1] * (len(one) - 1)], [0, *[1] * (len(two) - 1)]

    def by_sums(self, partition: Partition) -> bool:
        """All sums of all rows over all classes, and of all columns, where one system is for both plans."""
        for first, table in self.tables:
            own, other = partition[first], partition[1 - first]
            sets1, sets2 = (sets_of(self.tree, player, partition[player]) for player in (first, 1 - first))
            row = {"flow": [*sets1, None], "tremble": own, "plan": other}
            column = {"x": own, "v": [*sets2, None], "g": other}
            for axis in (0, 1)[: 1 + self.both]:
                here, there = ((row, column), (column, row))[axis]
                sums: dict[tuple[str, int], dict[Any, F]] = {
                    (kind, number): {}
                    for kind, values in here.items()
                    for number in range(-(None in values), len(values) - (None in values))
                }
                for key, value in table.items():
                    (kind, number), over = key[1 - axis], sums[key[axis]]
                    group = kind, there[kind][number], key[2]
                    over[group] = over.get(group, F(0)) + value
                first_of: dict[Any, Any] = {}
                for (kind, number), over in sums.items():
                    true = {group: value for group, value in over.items() if value}
                    if first_of.setdefault((kind, here[kind][number]), true) != true:
                        return False
        return True

    def by_the_pass(self, partition: Partition) -> bool:
        """Whether the verifier finds nothing."""
        classes = Classes.of(self.evaluation.sequences, (np.array(partition[0]), np.array(partition[1])))
        programs = [
            PerturbedProgram.of(self.evaluation, players, self.both, self.weight, self.order, classes)
            for players in ((0, 1), (1, 0))[: 1 if self.both else 2]
        ]
        parts = itertools.product(programs, ("moves", "trembles", "payoffs"))
        return not any(mask.any() for program, part in parts for masks in program.unlike(part) for mask in masks)


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


def test_the_pass_agrees_with_all_sums() -> None:
    """Both ways: what it lets through is equitable, and what is equitable it lets through."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in range(20):
        rng = random.Random(f"sums {seed}")
        tree = tiny(seed)
        weights = [[[F(rng.randint(1, 2), rng.randint(1, 2)) for _ in row] for row in rows] for rows in tree.actions]
        for chosen, both in itertools.product((None, weights), (True, False)):
            partition, opinions = coarsest(tree, chosen, both), Opinions(tree, chosen, both)
            for _ in range(5):
                other = forged(rng, forged(rng, partition) if rng.random() < 0.5 else partition)
                for tried in (other, coarsest(tree, chosen, both, other)):
                    true = opinions.by_sums(tried)
                    assert opinions.by_the_pass(tried) == true, (seed, tried)
                    assert true or tried is other
                    seen[both, true] += 1
    assert min(seen.values()) > 100
    assert len(seen) == 4


def test_colours_of_the_solver_are_the_coarsest_classes() -> None:
    """What refinement finds in the whole program is what is alike by moves, weights and payoffs."""
    merged = 0
    for seed in range(60):
        tree = tiny(seed)
        if not tree.num_slots[0] + tree.num_slots[1]:
            continue
        program = PerfectProgram.of(NashProgram.of(SequenceForm.of(tree)), Trembles.uniform(tree)).program
        quotient = refined(program, lambda: None)
        assert quotient is not None
        ours = coarsest(tree)
        assert numbered(quotient.column[program.columns["plan of player 1"]].tolist()) == ours[0]
        assert numbered(quotient.row[program.rows["plan of player 2"]].tolist()) == ours[1]
        merged += any(len(set(side)) < len(side) for side in ours)
    assert merged > 20


# -- the quotient, in fractions ----------------------------------------------------------------------


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


def each_its_own(certificate: dict[str, Any]) -> None:
    """A system for each plan, where one would do."""
    system = {name: certificate.pop(name) for name in ("pivots", "row_operations")}
    certificate["systems"] = [system, system]


def test_agrees_with_exact_functions_of_classes() -> None:
    """Of random bases of classes exactly the stable ones pass, though the whole system may be singular; so do zeros."""
    seen: Counter[str] = Counter()
    for seed in range(32):
        if (found := merged_program(seed)) is None:
            continue
        program, weights, every, _ = found
        tree = program.tree
        candidates = [(high, functions(program, high)) for high in every[:8]]
        good = next((exact for _, exact in candidates if exact is not None and exact.stable), None)
        if good is None:
            continue
        reference = program.stated(good, weights)
        for high, exact in candidates:
            if exact is None or not exact.has_limits:
                assert not verify(tree, tampered(reference, put([list(side) for side in high], "basis"))).ok
                seen["no basis"] += 1
            elif not exact.stable:
                assert not verify(tree, spoilt(exact, reference)).ok
                seen["not stable"] += 1
            else:
                for extra in (None, 0, 1):
                    true = program.stated(exact, weights, extra)
                    assert problems(tree, true) == ()
                    assert problems(tree, tampered(true, each_its_own)) == ()
                value = small_value(exact)
                assert is_equilibrium_at(tree, program.at(high, value)[1], value, weights)
                seen["stable"] += 1
                seen["zero"] += 0 in exact.signs().values()
                whole = Program(tree, weights)
                rows, columns = whole.numbers(high)
                seen["singular without classes"] += len(rows) != len(columns) or not whole.at(high, value)[1]
                for false in false_zeros(exact, weights):
                    false = tampered(false, put([list(side) for side in program.partition], "classes"))
                    assert not verify(tree, false).ok
                    seen["false zero"] += 1
    assert min(seen.values()) > 1
    assert len(seen) == 6


# -- forged ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def true_ones() -> list[tuple[Merged, Solution]]:
    """Solutions with classes, of games whose trembles all weigh the same."""
    found = []
    for program, weights, every, _ in filter(None, map(merged_program, range(36))):
        stable = (exact for exact in map(lambda high, p=program: functions(p, high), every[:8]) if exact is not None)
        exact = next((exact for exact in stable if exact.stable), None)
        if exact is not None and weights is None:
            found.append((program, program.stated(exact)))
    assert len(found) > 10
    return found


def with_classes(solution: Solution, partition: Partition) -> Solution:
    return tampered(solution, put([list(side) for side in partition], "classes"))


def test_forged_classes(true_ones: list[tuple[Merged, Solution]]) -> None:
    """Whatever all sums can tell apart is refused, and named."""
    refused = 0
    for program, solution in true_ones:
        tree, opinions, rng = program.tree, Opinions(program.tree), random.Random(program.tree.title)
        assert problems(tree, solution) == ()
        for _ in range(30):
            partition = forged(rng, program.partition)
            if not opinions.by_sums(partition):
                (first, *_) = problems(tree, with_classes(solution, partition))
                assert "is in one class with" in first
                assert "(certificate.classes[" in first
                refused += 1
    assert refused > 200


def other_payoffs(solution: Solution, tree: GameTree) -> Solution:
    """The same, said of another tree."""
    values = tremble.expected_values(tree, solution.strategies)
    bounds = None if solution.bounds is None else (values[0], values[0])
    return replace(solution, game=GameReference.of(tree), values=values, bounds=bounds)


def test_payoffs_that_are_almost_the_same(true_ones: list[tuple[Merged, Solution]]) -> None:
    """One leaf of the game pays 10^-30 more."""
    refused = 0
    for program, solution in true_ones:
        seed = int(program.tree.title.rsplit(" ", 1)[1])
        assert tiny(seed) == program.tree
        for leaf in range(0, program.tree.num_leaves, 3):
            tree = tiny(seed, off={leaf: (TINY, -TINY)})
            if not Opinions(tree).by_sums(program.partition):
                found = problems(tree, other_payoffs(solution, tree))
                assert any("their payoffs, summed over a class of the other player's" in problem for problem in found)
                refused += 1
    assert refused > 40


def test_weights_that_are_almost_the_same(true_ones: list[tuple[Merged, Solution]]) -> None:
    """Equitable without trembles, and not with them."""
    refused = 0
    for program, solution in true_ones:
        tree, partition = program.tree, program.partition
        for player, (k, _, sequences) in ((p, move) for p in (0, 1) for move in moves(tree, p)):
            for j, q in enumerate(sequences):
                weights: Any = [[["1"] * len(labels) for labels in side] for side in tree.actions]
                assert problems(tree, tampered(solution, put(weights, "trembles"))) == ()
                weights[player][k][j] = format_fraction(1 + TINY)
                if partition[player].count(partition[player][q]) > 1:
                    found = problems(tree, tampered(solution, put(weights, "trembles")))
                    assert any(
                        "the weights or orders of trembles, there or after them, differ" in problem for problem in found
                    )
                    refused += 1
    assert refused > 40


def test_alike_and_played_otherwise(true_ones: list[tuple[Merged, Solution]]) -> None:
    """Weight that is shifted within a class; a basis with one of two."""
    refused = 0
    for program, solution in true_ones:
        for player, name in enumerate("XY"):
            of, basis = program.partition[player], solution.certificate["basis"][player]
            for q in (q for q in range(1, len(of)) if of.index(of[q]) < q):
                for d, row in enumerate(solution.certificate[name]):
                    wrong = tampered(solution, put(format_fraction(F(row[q]) + 1), name, d, q))
                    wrong = tampered(wrong, put(format_fraction(F(row[of.index(of[q])]) - 1), name, d, of.index(of[q])))
                    found = problems(program.tree, wrong)
                    assert any(f"but at order e^{d} it is played otherwise" in problem for problem in found)
                wrong = tampered(solution, put(sorted({*basis} ^ {q}), "basis", player))
                (first, *_) = problems(program.tree, wrong)
                assert first.endswith("but only one of them is in the basis")
                refused += 1
    assert refused > 40


def test_first_members_stand_for_their_class(
    true_ones: list[tuple[Merged, Solution]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any order of elimination, and nobody else does."""
    monkeypatch.setattr("tremble.verifier.certificates.basis.SMALL", 0)
    refused = 0
    for program, solution in true_ones:
        rng, solution = random.Random(1), tampered(solution, put({"claims": [CLAIM], "k": 100}, "probabilistic"))
        high: Any = tuple(map(tuple, solution.certificate["basis"]))
        rows, columns = program.numbers(high)
        pivots = [list(pair) for pair in zip(rng.sample(rows, len(rows)), rng.sample(columns, len(rows)), strict=True)]
        true = tampered(solution, put(pivots, "pivots"))
        assert problems(program.tree, true) == ()
        for axis, first in enumerate((program.first_row, program.first_column)):
            for number in (n for n, one in enumerate(first) if one != n):
                i = next((i for i, pair in enumerate(pivots) if pair[axis] == first[number]), None)
                if i is not None:
                    (found,) = problems(program.tree, tampered(true, put(number, "pivots", i, axis)))
                    what = ("row", "column")[axis]
                    assert found.startswith(f"certificate.pivots[{i}]: the system has no {what} {number}")
                    refused += 1
        for number in (n for n, one in enumerate(program.first_row) if one != n):
            wrong = [{"row": number, "combination": [[number, "1"]]}]
            (found,) = problems(program.tree, tampered(true, put(wrong, "row_operations")))
            assert found.startswith("certificate.row_operations[0].combination[0]: not a row of the system")
    assert refused > 50


def chosen(builder: TreeBuilder, *payoffs: int) -> None:
    for u in payoffs:
        builder.leaf(u, -u)


def test_payoffs_are_not_all() -> None:
    """Equal payoffs at sets of two and of three actions; at a move and at the next one."""
    builder = TreeBuilder(title="two or three")
    builder.chance("lr", [F(1, 2)] * 2)
    builder.decision(0, "left", "ab")
    chosen(builder, 1, 0)
    builder.decision(0, "right", "abc")
    chosen(builder, 1, 0, 0)
    wider = builder.finish()
    builder = TreeBuilder(title="now or later")
    builder.decision(0, "now", "ab")
    chosen(builder, 0)
    builder.decision(0, "later", "ab")
    chosen(builder, 0, 0)
    deeper = builder.finish()
    for tree, classes in ((wider, [0, 1, 2, 1, 2, 2]), (deeper, [0, 1, 2, 1, 2]), (deeper, [0, 1, 1, 1, 1])):
        solution = tremble.solve(tree, "perfect")
        assert problems(tree, solution) == ()
        basis = [sorted(q for q, c in enumerate(classes) if c == 1), []]
        wrong = tampered(tampered(solution, put([classes, [0]], "classes")), put(basis, "basis"))
        found = problems(tree, wrong)
        assert any("but what comes before or after them is of other classes" in problem for problem in found)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("spec", "seed"), [("battle_outside", 5), ("battle_outside", 13), ("beer_quiche", 1), ("beer_quiche", 7)]
)
def test_general_sums(spec: str, seed: int) -> None:
    """Each player's payoffs count, summed over the classes of the other."""
    base = tremble.load(spec)
    tree = with_twins(base, seed)
    solution, partition = tremble.solve(tree, "perfect"), coarsest(tree, both=False)
    true, rng, refused = with_classes(solution, partition), random.Random(1), Counter[str]()
    assert any(len(set(side)) < len(side) for side in partition)
    assert problems(tree, true) == ()
    opinions = Opinions(tree, both=False)
    for _ in range(40):
        other = forged(rng, partition)
        if not opinions.by_sums(other):
            assert "(certificate.classes[" in problems(tree, with_classes(solution, other))[0]
            refused["classes"] += 1
    for player, leaf in itertools.product((0, 1), range(tree.num_leaves)):
        almost = with_twins(base, seed, off={leaf: (TINY, F(0)) if player == 0 else (F(0), TINY)})
        if not Opinions(almost, both=False).by_sums(partition):
            found = problems(almost, other_payoffs(true, almost))
            assert any("their payoffs, summed over a class of the other player's" in problem for problem in found)
            refused[f"payoffs of player {player + 1}"] += 1
    assert len(refused) == 3


@pytest.mark.parametrize(("spec", "drawn"), [("goofspiel:cards=3", False), ("border_patrol:depth=4", True)])
def test_what_is_solved(spec: str, drawn: bool) -> None:
    """Large enough for an order of elimination, the second for zeros at random points: no other classes will do."""
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "perfect")
    one, two = solution.certificate["classes"]
    assert len(solution.certificate["pivots"]) > 300
    assert (solution.certificate["probabilistic"] is not None) == drawn
    assert problems(tree, Solution.from_text(solution.to_text())) == ()
    assert not verify(tree, tampered(solution, put(None, "classes"))).ok
    rng = random.Random(1)
    for _ in range(10):
        partition = forged(rng, (one, two))
        assert partition == (one, two) or not verify(tree, with_classes(solution, partition)).ok

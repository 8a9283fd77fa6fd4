"""Classes in certificates of perfect equilibria: true ones by enumeration, forged ones, and dense second opinions."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from math import lcm
from types import SimpleNamespace
from typing import Any

import pytest
from exact_bases import (
    CLAIM,
    Merged,
    Partition,
    Program,
    Weights,
    coarsest,
    false_zeros,
    forged,
    functions,
    merged_program,
    numbered,
    put,
    sets_of,
    small_value,
    spoilt,
    tampered,
    tiny,
    with_twins,
)
from test_bases_by_enumeration import is_equilibrium_at, problems

import tremble
from second_opinions import chance_to, last_sequence, moves
from tremble import GameTree, Solution, TreeBuilder, verify
from tremble.check.basis.certificate import _read_classes
from tremble.check.basis.system import square_system
from tremble.check.claim import Problems
from tremble.check.limits import Limits
from tremble.check.tree import sequence_form
from tremble.exact.colours import refined
from tremble.game.sequence_form import SequenceForm
from tremble.numbers import format_fraction
from tremble.solution.claims import GameReference
from tremble.solution.trembles import Trembles
from tremble.solvers.perfect import PerfectProgram
from tremble.solvers.zero_sum import NashProgram

TINY = F(1, 10**30)
UNLIKE = "is in a class with"
UNFIT = (
    "are alike, but only one is in the basis",
    "the system is not square",
    "must name an action of this set",
    "but played differently",
)

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


class Opinions:
    """Tells if classes are equitable: by all sums, and by the pass of the kernel."""

    def __init__(self, tree: GameTree, weights: Weights = None, both: bool = True) -> None:
        self.tree, self.weights, self.both = tree, weights, both
        self.tables = [
            (first, entries(tree, weights, first, first if both else 1 - first, 1 if both else -1))
            for first in ((0,) if both else (0, 1))
        ]
        self.form = sequence_form(tree, Limits.for_game(tree.num_nodes))
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
        """Return whether the kernel finds nothing."""
        case: Any = SimpleNamespace(form=self.form, limits=Limits.for_game(1), problems=Problems())
        slack = tuple([q > 0 for q in range(len(side))] for side in self.weight)
        classes = _read_classes(case, list(partition))
        basis: Any = SimpleNamespace(classes=classes, weight=self.weight, order=self.order, slack=slack)
        for players in ((0, 1), (1, 0))[: 1 if self.both else 2]:
            square_system(case, basis, players, self.both)
        return not case.problems


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
    """Whatever all sums can tell apart is refused: rows are unlike, or the basis or a plan does not fit the classes."""
    refused: Counter[str] = Counter()
    for program, solution in true_ones:
        tree, opinions, rng = program.tree, Opinions(program.tree), random.Random(program.tree.title)
        assert problems(tree, solution) == ()
        for _ in range(30):
            partition = forged(rng, program.partition)
            if not opinions.by_sums(partition):
                (first, *_) = problems(tree, with_classes(solution, partition))
                assert any(text in first for text in (UNLIKE, *UNFIT)), first
                refused["unlike" if UNLIKE in first else "unfit"] += 1
    assert refused.total() > 200
    assert refused["unlike"] > 10


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
                assert any("is in a class with" in problem and "their payoffs, " in problem for problem in found)
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
                    assert any("is in a class with" in problem and "their trembles, " in problem for problem in found)
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
                    assert any(
                        "are alike (certificate.classes), but played differently" in problem for problem in found
                    )
                wrong = tampered(solution, put(sorted({*basis} ^ {q}), "basis", player))
                (first, *_) = problems(program.tree, wrong)
                assert any(text in first for text in UNFIT), first
                refused += 1
    assert refused > 40


def test_first_members_stand_for_their_class(
    true_ones: list[tuple[Merged, Solution]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any order of elimination, and nobody else does."""
    monkeypatch.setattr("tremble.check.basis.certificate.OWN_ORDER", 0)
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
                    text = "certificate.pivots: must name each {0} of the system once; {0} {1} is missing"
                    assert found == text.format(("row", "column")[axis], first[number])
                    refused += 1
        for number in (n for n, one in enumerate(program.first_row) if one != n):
            wrong = [{"row": number, "combination": [[number, "1"]]}]
            (found,) = problems(program.tree, tampered(true, put(wrong, "row_operations")))
            assert found.startswith("certificate.row_operations[0].combination: must name rows of the system")
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
        assert any("is in a class with" in problem and "the moves before or after" in problem for problem in found)


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
            assert problems(tree, with_classes(solution, other))
            refused["classes"] += 1
    for player, leaf in itertools.product((0, 1), range(tree.num_leaves)):
        almost = with_twins(base, seed, off={leaf: (TINY, F(0)) if player == 0 else (F(0), TINY)})
        if not Opinions(almost, both=False).by_sums(partition):
            found = problems(almost, other_payoffs(true, almost))
            assert any("is in a class with" in problem and "their payoffs, " in problem for problem in found)
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

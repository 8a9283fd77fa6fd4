"""The published algorithms for maxmin strategies of players who forget, against brute force and known values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tremble
from tremble import GameTree
from tremble.errors import LimitReached, SpecError
from tremble.exact.highs import FloatProgram
from tremble.exact.mixed import ChangingProgram, solve_mixed
from tremble.game.sequence_form import Sequences
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.mixtures import pure_parts
from tremble.recall.published.bilinear_program import BilinearProgram, Search, digits_needed
from tremble.recall.published.digits import (
    CHILDREN,
    Digits,
    Relaxation,
    Relaxed,
    branch_on_digits,
    first_multipliers,
    greatest_contribution,
    mean_behavior,
)
from tremble.recall.published.method import BnbDigits, Milp, PublishedMaxmin
from tremble.recall.published.milp import SCHEMES, disaggregate, disaggregated
from tremble.recall.regrouping import regrouped
from tremble.run.clock import Clock
from tremble.solution.judgements import prove
from tremble.solvers.method import Run

EPSILON = Fraction(1, 1000)
ROOT_TWO = float(6 - 4 * np.sqrt(2))


TWO_BITS = tremble.read_efg("""EFG 2 R "Two forgotten bits" { "Player 1" "Player 2" }
p "" 1 1 "first" { "one" "zero" } 0
p "" 1 2 "second" { "one" "zero" } 0
p "" 2 1 "bet" { "ones" "zeros" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 0, 0 }
p "" 2 1 "bet" { "ones" "zeros" } 0
t "" 2 "" { 0, 0 }
t "" 2 "" { 0, 0 }
p "" 1 2 "second" { "one" "zero" } 0
p "" 2 1 "bet" { "ones" "zeros" } 0
t "" 2 "" { 0, 0 }
t "" 2 "" { 0, 0 }
p "" 2 1 "bet" { "ones" "zeros" } 0
t "" 2 "" { 0, 0 }
t "" 3 "" { 1, -1 }
""")
"""Player 1 writes two bits, forgetting the first; player 2 bets on ones or on zeros, unseen.

With probabilities x and y of ones, player 1 gets the lesser of 2 x y and (1 - x)(1 - y). Where they are equal,
x y = 1 - x - y <= 1 - 2 sqrt(x y), so sqrt(x y) <= sqrt(2) - 1, and the maxmin is 2 (sqrt(2) - 1)^2.
"""


def forgetful(seed: int, branching: int = 2) -> GameTree:
    """A random tree of four moves; player 1's last sets are merged, in one or two groups."""
    tree = tremble.load(f"random_tree:seed={seed},depth=4,branching={branching}")
    own = np.flatnonzero(tree.player == 0)
    generator = np.random.default_rng(seed)
    depth = np.searchsorted(tree.level, own, side="right") - 1
    group = np.where(depth == 0, 0, 1 + generator.integers(0, 1 + seed % 2, tree.num_infosets[0])[tree.infoset[own]])
    return regrouped(tree, 0, group, [f"group {k}" for k in range(3)])


def forgetful_twice() -> GameTree:
    """Player 1 forgets at its second and third move, without A-loss recall."""
    tree = tremble.load("random_tree:seed=3,depth=6,branching=2")
    own = np.flatnonzero(tree.player == 0)
    depth = np.searchsorted(tree.level, own, side="right") - 1
    return regrouped(tree, 0, depth + (depth == 2) * (tree.infoset[own] % 2), {k: str(k) for k in range(5)})


def worths(tree: GameTree, behaviors: NDArray[np.float64]) -> NDArray[np.float64]:
    """What behaviors [B, slots] of player 1 guarantee against all pure strategies, path by path."""
    start = tree.slot_start
    reach = np.ones((len(behaviors), tree.num_leaves))
    moves: list[list[int]] = [[] for _ in range(tree.num_leaves)]
    for row, leaf in enumerate(tree.leaves.tolist()):
        node = leaf
        while node:
            above, action = int(tree.parent[node]), int(tree.action[node])
            k = int(tree.infoset[above])
            if tree.player[above] == 0:
                reach[:, row] *= behaviors[:, start[0][k] + action]
            else:
                moves[row].append(int(start[1][k]) + action)
            node = above
    worth = np.full(len(behaviors), np.inf)
    for pure in product(*(range(int(a), int(b)) for a, b in zip(start[1][:-1], start[1][1:], strict=True))):
        played = np.array([set(path) <= set(pure) for path in moves])
        worth = np.minimum(worth, reach @ (played * tree.payoff_float[:, 0]))
    return worth


def grid_search(tree: GameTree, steps: int) -> tuple[float, NDArray[np.float64]]:
    """The best behavior on a grid, and what it guarantees; two actions everywhere."""
    first = np.array(list(product(np.arange(steps + 1) / steps, repeat=tree.num_infosets[0])))
    behaviors = np.stack([first, 1 - first], axis=2).reshape(len(first), -1)
    worth = worths(tree, behaviors)
    return float(worth.max()), behaviors[int(worth.argmax())]


def program_of(tree: GameTree) -> BilinearProgram:
    return BilinearProgram(BilinearForm.of(tree, 0))


def searched(program: BilinearProgram, epsilon: Fraction = EPSILON) -> tuple[Search, Clock]:
    clock = Clock(60.0)
    return Search(program, float(epsilon), Run(clock), silent), clock


def silent() -> None:
    """Checks nothing."""


LOSS = tremble.load("a_loss_counterexample")
ONE_BY_ONE = tremble.load("random_imperfect_recall:branching=2,merge=1.0,merge2=1.0,seed=3")
RANDOM = [forgetful(seed) for seed in (4, 12, 71, 93, 115, 123, 130, 133)]  # the first relaxation is off in all


def test_digits_of_the_theorem() -> None:
    assert digits_needed(Fraction(0), EPSILON) == digits_needed(Fraction(1, 500), EPSILON) == 0
    assert digits_needed(Fraction(1, 499), EPSILON) == 1
    program = program_of(TWO_BITS)
    assert program.most_forgetful == 1
    assert program.theorem_digits(EPSILON) == digits_needed(Fraction(2 * 2), EPSILON) == 4
    assert program.slot_digits(EPSILON).tolist() == [4, 4]
    assert program.slot_digits(Fraction(1, 2)).tolist() == [1, 1]


@pytest.mark.parametrize("tree", [TWO_BITS, LOSS, *RANDOM])
def test_what_a_behavior_guarantees(tree: GameTree) -> None:
    program = program_of(tree)
    first = np.random.default_rng(1).random((5, tree.num_infosets[0]))
    behaviors = np.stack([first, 1 - first], axis=2).reshape(5, -1)
    assert [program.guarantee(behavior) for behavior in behaviors] == pytest.approx(worths(tree, behaviors).tolist())


def solved(program: BilinearProgram, digits: list[int]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """The value of the upper bound program with so many digits by slot, its plan, and the behavior made of it."""
    found = solve_mixed(disaggregated(program, np.array(digits)), silent)
    assert found.point is not None
    plan, x = found.point[: program.first_value], found.point[program.first_behavior : program.num_columns]
    return found.bound, plan, program.behavior(plan, x)


@pytest.mark.sample(3)
@pytest.mark.parametrize("tree", [TWO_BITS, LOSS, *RANDOM[:3]])
def test_programs_bound_the_maxmin_and_close_in(tree: GameTree) -> None:
    program, (found, _) = program_of(tree), grid_search(tree, 10)
    slots = len(program.slots)
    one, last = np.eye(slots, dtype=int)[0], np.eye(slots, dtype=int)[-1]
    steps = [0 * one, one, one + last, np.ones(slots, dtype=int), 1 + one]
    values = [solved(program, digits.tolist()) for digits in steps]
    assert (np.diff([value for value, *_ in values]) <= 1e-6).all()
    assert values[-1][0] >= found - 1e-6
    before, _, _ = program.term
    for digits, (value, plan, behavior) in zip(steps, values, strict=True):
        played = np.flatnonzero(plan[before] > 1e-6)
        error = np.abs(errors(program, plan, behavior))[played] / plan[before[played]]
        assert (error <= 10.0 ** -digits[program.term[2][played]] + 1e-6).all()  # Proposition 1
        if (digits == digits[0]).all():  # Theorem 1
            widest, span = 2, float(np.ptp(tree.payoff_float[:, 0]))
            most = 10.0 ** -digits[0] * program.most_forgetful * widest * span / 2
            assert worths(tree, behavior[None])[0] >= value - most - 1e-6


def errors(program: BilinearProgram, plan: NDArray[np.float64], behavior: NDArray[np.float64]) -> NDArray[np.float64]:
    before, after, at = program.term
    return np.asarray(plan[after] - plan[before] * behavior[program.slots[at]])


def plan_of(own: Sequences, rows: Callable[[int, int], NDArray[np.float64]]) -> NDArray[np.float64]:
    """The plan that plays ``rows(k, width)`` at refined set k."""
    plan = np.ones(own.num_sequences)
    for k, (above, first, end) in enumerate(zip(own.parent, own.start, own.start[1:], strict=False)):
        plan[first:end] = plan[above] * rows(k, int(end - first))
    return plan


def test_contributions_by_hand() -> None:
    """A plan that repeats its first bit, beside x = (1/2, 1/2): it never writes two different ones."""
    program = program_of(TWO_BITS)
    before, after, at = program.term
    plan = np.array([1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0])
    plan[after] = np.where(before == 1 + at, 0.5, 0.0)
    halves = np.full(4, 0.5)
    assert program.guarantee(halves) == 0.25  # "ones" pays 2 / 4, "zeros" 1 / 4: that is the reply
    assert errors(program, plan, halves) == pytest.approx([0.25, -0.25, -0.25, 0.25])
    assert program.contributions(plan, halves) == pytest.approx([0, 0, 0, 0.25])  # two zeros pay 1, all else nothing


@pytest.mark.parametrize("tree", [TWO_BITS, LOSS, *RANDOM])
def test_contributions_are_the_gap(tree: GameTree) -> None:
    """Against a best response to x, the plan earns more than x by the sum of what the errors are worth."""
    program, generator = program_of(tree), np.random.default_rng(6)
    own, other = program.form.own, program.form.other
    choices = list(product(*map(range, np.diff(other.start).tolist())))
    replies = np.stack([plan_of(other, lambda k, n, pure=pure: np.eye(n)[pure[k]]) for pure in choices])  # type: ignore[misc]
    for _ in range(5):
        plan = plan_of(own, lambda _, width: generator.dirichlet(np.ones(width)))
        x = generator.random(len(program.slots) // 2)
        behavior = program.behavior(plan, np.stack([x, 1 - x], axis=1).ravel())
        played = plan_of(own, lambda k, n, rows=behavior: rows[own.slot[own.start[k] : own.start[k] + n]])  # type: ignore[misc]
        earned = (played @ program.form.matrix) @ replies.T
        more = plan @ program.form.matrix @ replies[earned.argmin()] - earned.min()
        assert earned.min() == pytest.approx(program.guarantee(behavior))
        assert program.contributions(plan, behavior).sum() == pytest.approx(more, abs=1e-9)


@pytest.mark.sample(3)
@pytest.mark.parametrize("tree", [TWO_BITS, LOSS, *RANDOM[4:6]])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_disaggregation(tree: GameTree, scheme: str) -> None:
    epsilon = 20 * EPSILON
    program, (search, clock) = program_of(tree), searched(program_of(tree), epsilon)
    digits = disaggregate(program, epsilon, scheme, search, clock)
    assert search.closed
    assert max(digits) <= program.theorem_digits(epsilon)
    assert not search.cutoffs
    assert worths(tree, search.behavior[None])[0] == pytest.approx(search.lower)
    assert grid_search(tree, 10)[0] <= search.upper + 1e-6
    if tree in (TWO_BITS, LOSS):
        assert search.lower - 1e-6 <= (ROOT_TWO if tree is TWO_BITS else -1) <= search.upper + 1e-6


@pytest.mark.parametrize("tree", [TWO_BITS, LOSS, *RANDOM])
@pytest.mark.parametrize("children", CHILDREN)
def test_branch_on_digits(tree: GameTree, children: str) -> None:
    program, (search, clock) = program_of(tree), searched(program_of(tree))
    branch_on_digits(program, EPSILON, search, clock, children=children)
    assert search.closed
    assert worths(tree, search.behavior[None])[0] == pytest.approx(search.lower)
    assert grid_search(tree, 10)[0] <= search.upper + 1e-6
    if tree in (TWO_BITS, LOSS):
        assert search.lower - 1e-6 <= (ROOT_TWO if tree is TWO_BITS else -1) <= search.upper + 1e-6
    multipliers = first_multipliers(program, silent)
    assert multipliers.min() > -1e-9  # a plan of the opponent
    choices, weights = pure_parts(program.form.other, multipliers)
    mixed = np.zeros_like(multipliers)
    for choice, weight in zip(choices, weights, strict=True):
        played = {0}
        for k, (before, first) in enumerate(zip(program.form.other.parent, program.form.other.start, strict=False)):
            played |= {int(first + choice[k])} if int(before) in played else set()
        mixed[list(played)] += weight
    assert mixed == pytest.approx(multipliers, abs=1e-7)


def test_parts_are_replaceable() -> None:
    program, called = program_of(TWO_BITS), {"reconstruct": 0, "select": 0}

    def halves(relaxed: Relaxed) -> NDArray[np.float64]:
        called["reconstruct"] += 1
        return (relaxed.lower + relaxed.upper) / 2

    def widest(relaxed: Relaxed) -> int:
        called["select"] += 1
        assert relaxed.plan.shape == (program.form.own.num_sequences,)
        return int(np.argmax(np.where(relaxed.open, relaxed.upper - relaxed.lower, -1)))

    search, clock = searched(program)
    branch_on_digits(program, EPSILON, search, clock, reconstruct=halves, select=widest)
    assert search.closed
    assert search.lower == pytest.approx(ROOT_TWO, abs=float(EPSILON))
    assert min(called.values()) > 1

    def nothing(_relaxed: Relaxed) -> int:
        return -1

    with pytest.raises(SpecError, match="must return the index of an open slot"):
        branch_on_digits(program, EPSILON, *searched(program), select=nothing)


def test_few_digits_are_a_cutoff() -> None:
    program, (search, clock) = program_of(TWO_BITS), searched(program_of(TWO_BITS))
    program.__dict__["slot_digits"] = lambda _epsilon: np.array([1, 1])
    branch_on_digits(program, EPSILON, search, clock)
    assert not search.closed
    assert search.lower <= ROOT_TWO <= search.upper  # what was given up stays in the bound
    assert search.cutoffs


@pytest.mark.parametrize("tree", [TWO_BITS, *RANDOM])
def test_relaxations_hold_in_their_boxes(tree: GameTree) -> None:
    program, (found, behavior) = program_of(tree), grid_search(tree, 10)
    relaxation, best = Relaxation(program, silent), np.round(behavior[program.slots] * 10).astype(np.int64)
    generator = np.random.default_rng(2)
    for _ in range(20):
        first, last = (
            np.maximum(best - generator.integers(0, 4, len(best)), 0),
            best + generator.integers(0, 4, len(best)),
        )
        last = np.maximum(last - (generator.random(len(best)) < 0.5), first)  # the end of a box belongs to it
        last = np.minimum(last, 9)
        assert ((first <= best) & (best <= last + 1)).all()
        first = np.minimum(first, last)
        bound, *_ = relaxation.solve(Digits(np.ones(len(best), dtype=np.int64), first, last))
        assert bound >= found - 1e-6


@pytest.mark.parametrize("tree", [TWO_BITS, *RANDOM, *(forgetful(seed, 3) for seed in range(6))])
def test_relaxations_say_what_digits_without_integers_say(tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is to be maximised: not all rows matter for the value of a game."""
    program, original = program_of(tree), BilinearProgram.program

    def tilted(self: BilinearProgram, *parts: Any) -> FloatProgram:
        plain = original(self, *parts)
        cost = np.zeros(len(plain.cost))
        cost[: self.num_columns] = np.random.default_rng(5).normal(size=self.num_columns)
        cost[self.first_value : self.first_behavior] = 0.0
        return replace(plain, cost=cost)

    monkeypatch.setattr(BilinearProgram, "program", tilted)
    generator, slots = np.random.default_rng(2), len(program.slots)
    relaxation, upper_form = Relaxation(program, silent), disaggregated(program, np.ones(slots, dtype=np.int64))
    for _ in range(10):
        inside = generator.random(slots)
        inside = (10 * inside / np.bincount(program.set_of_slot, inside)[program.set_of_slot]).astype(np.int64)
        first = np.maximum(inside - generator.integers(0, 3, slots), 0)
        last = np.minimum(inside + generator.integers(0, 3, slots), 9)
        bound, *_ = relaxation.solve(Digits(np.ones(slots, dtype=np.int64), first, last))
        w = program.num_columns + np.arange(12 * slots).reshape(slots, 12)
        closed = np.ones((slots, 12), dtype=np.bool_)
        for slot in range(slots):
            closed[slot, [0, *range(2 + first[slot], 3 + last[slot])]] = False
        upper = upper_form.upper.copy()
        upper[w[closed]] = 0
        plain = ChangingProgram(replace(upper_form, upper=upper, integer=None), silent).solve()
        assert bound == pytest.approx(plain.bound, abs=1e-6)
        assert np.isfinite(bound)


def test_digits_go_to_the_worst_term_only() -> None:
    """From 0 digits on, one digit each time, for the slot of the term whose error contributes the most."""
    program, log = program_of(ONE_BY_ONE), list[dict[str, Any]]()
    clock = Clock(60.0)
    search = Search(program, float(EPSILON), Run(clock, log=log.append), silent)
    digits = disaggregate(program, EPSILON, "iterative", search, clock)
    assert search.closed
    came = [line["digits"] for line in log]
    assert came[0] == [0] * len(program.slots)
    assert came[-1] == digits
    assert len(came) == 1 + sum(digits) > 2  # one program for each digit
    assert min(digits) < max(digits)
    assert (np.diff([line["upper_float"] for line in log]) <= 1e-6).all()
    for before, after in pairwise(came):
        _, plan, behavior = solved(program, before)
        contributed = np.abs(program.contributions(plan, behavior))
        slot = int(np.flatnonzero(np.subtract(after, before))[0])
        assert np.subtract(after, before).tolist() == np.eye(len(before))[slot].tolist()
        assert contributed[program.term[2] == slot].max() == pytest.approx(contributed.max(), abs=1e-6)


def test_it_ends_when_the_worst_term_has_all_digits() -> None:
    program, (search, clock) = program_of(TWO_BITS), searched(program_of(TWO_BITS))
    program.__dict__["theorem_digits"] = lambda _epsilon: 1
    digits = disaggregate(program, EPSILON, "iterative", search, clock)
    assert max(digits) == 1
    assert not search.closed
    assert search.cutoffs == ["digits: the worst term has all 1 digits of Theorem 1"]
    assert search.lower <= ROOT_TWO <= search.upper


@pytest.mark.parametrize("tree", [TWO_BITS, *RANDOM, *(forgetful(seed, 3) for seed in range(3))])
def test_reconstructed_rows_are_means_of_what_the_plan_plays(tree: GameTree) -> None:
    program, generator = program_of(tree), np.random.default_rng(3)
    before, after, at = program.term
    slots = len(program.slots)
    first = np.flatnonzero(np.diff(program.set_of_slot, prepend=-1))
    for _ in range(10):
        plan = generator.random(program.form.own.num_sequences)
        for k in range(len(program.form.own.parent)):
            row = slice(program.form.own.start[k], program.form.own.start[k + 1])
            plan[row] *= plan[program.form.own.parent[k]] / plan[row].sum()
        box = np.zeros(slots), np.ones(slots)
        found = mean_behavior(Relaxed(program, plan, np.full(slots, 0.5), *box, np.ones(slots, dtype=np.bool_)))
        assert np.add.reduceat(found, first) == pytest.approx(1)
        for slot in range(slots):
            weight = plan[before[at == slot]]
            assert found[slot] == pytest.approx((weight / weight.sum()) @ (plan[after[at == slot]] / weight))
    nowhere = np.zeros(program.form.own.num_sequences)
    assert (mean_behavior(Relaxed(program, nowhere, np.full(slots, 0.25), *box, box[1] > 0)) == 0.25).all()


def test_children_as_printed_but_disjoint() -> None:
    whole = Digits(np.array([1]), np.array([0]), np.array([9]))

    def intervals(x: float, most: int, kind: str, box: Digits = whole) -> list[tuple[int, int, int]]:
        made = box.children(0, x, most, kind)
        return [(int(child.place[0]), int(child.first[0]), int(child.last[0])) for child in made]

    assert intervals(0.37, 3, "printed") == [(1, 0, 4), (1, 5, 9), (2, 30, 39)]  # lines 15, 16 and 18
    assert intervals(0.37, 1, "printed") == [(1, 0, 4), (1, 5, 9)]  # line 17: P_max
    assert intervals(0.37, 3, "partition") == [(1, 0, 2), (2, 30, 39), (1, 4, 9)]
    two = Digits(np.array([1]), np.array([4]), np.array([5]))
    assert intervals(0.4, 1, "printed", two) == [(1, 4, 4), (1, 5, 5)]  # printed: 4 to 5 again
    three = Digits(np.array([1]), np.array([4]), np.array([6]))
    assert intervals(0.4, 1, "printed", three) == [(1, 4, 4), (1, 5, 6)]  # 0.4 to 0.7: the middle, rounded down, is 0.5
    none = Digits(np.array([0]), np.array([0]), np.array([0]))
    assert intervals(0.37, 3, "printed", none) == [(1, 0, 4), (1, 5, 9), (2, 30, 39)]  # the first node is one digit


def test_imperfect_recall() -> None:
    """Two forgetful sets in a row, so that terms are factors of terms."""
    tree = forgetful_twice()
    assert tremble.classify_recall(tree, 0) == "imperfect"
    program, (search, clock) = program_of(tree), searched(program_of(tree))
    assert program.most_forgetful == 2
    branch_on_digits(program, EPSILON, search, clock)
    assert search.closed
    generator = np.random.default_rng(4)
    near = np.clip(search.behavior + generator.normal(0, 0.02, (20, 8)), 0, 1)
    anywhere = generator.random((20, 8))
    for behavior in (search.behavior, *near, *anywhere):
        pairs = behavior.reshape(4, 2) / behavior.reshape(4, 2).sum(axis=1, keepdims=True)
        strategy = tremble.BehaviorStrategy.from_floats(tree, 0, pairs.ravel())
        opponent = tremble.BehaviorStrategy.uniform(tree, 1)
        earned = -tremble.best_response(tree, [strategy, opponent], 1)[0]
        assert program.guarantee(pairs.ravel()) == pytest.approx(earned)
        assert earned <= search.upper + 1e-6


def test_the_slot_that_contributes_most_is_selected() -> None:
    program = program_of(TWO_BITS)
    plan = np.array([1, 0.5, 0.5, 0.5, 0.0, 0.0, 0.5])  # the second bit is the first
    halves = np.full(2, 0.5)
    relaxed = Relaxed(program, plan, halves, np.zeros(2), np.ones(2), np.ones(2, dtype=np.bool_), halves)
    added = np.bincount(program.term[2], np.abs(program.contributions(plan, np.full(4, 0.5))), 2)
    assert added.tolist() == [0.0, 0.25]
    assert greatest_contribution(relaxed) == 1
    assert greatest_contribution(replace(relaxed, open=np.array([True, False]))) == 0


PLAYED = [(tree, player) for tree in (TWO_BITS, LOSS, *RANDOM[:3]) for player in (0, 1)]


@pytest.mark.sample(12)
@pytest.mark.parametrize(("tree", "player"), PLAYED)
@pytest.mark.parametrize("method", [Milp(), Milp("theorem-1"), BnbDigits(), BnbDigits("partition")])
def test_claims_are_proven_from_below(tree: GameTree, player: int, method: PublishedMaxmin) -> None:
    method.accepts(tree, "maxmin")
    if player == 1:
        tree = exchanged(tree)
    claim = method.run(tree, "maxmin", Run(Clock(60.0), gap=20 * EPSILON, player=player))
    assert claim.certificate is not None
    stated = claim.certificate
    strategy = claim.strategies[player]
    assert isinstance(strategy, tremble.BehaviorStrategy)
    behavior = strategy.to_floats()
    original = exchanged(tree) if player == 1 else tree
    lower = float(Fraction(stated["lower"]))
    assert lower == pytest.approx(worths(original, behavior[None])[0], abs=1e-8)
    assert claim.diagnostics["claimed_upper_float"] - lower <= float(20 * EPSILON) + 1e-6
    assert claim.diagnostics["claimed_upper_float"] <= float(Fraction(stated["upper"])) + 1e-5
    assert claim.diagnostics["cutoffs"] == []
    found = prove(tree, claim.strategies, concept="maxmin", certificate=stated)
    assert found.bounds is not None
    assert found.bounds[player] * (1, -1)[player] == Fraction(stated["lower"])
    apart = found.bounds[1] - found.bounds[0]
    assert found.status == ("certified" if apart <= 20 * EPSILON else "bounded")


def test_play_is_defined_where_own_play_never_comes() -> None:
    """With perfect recall, the first relaxation proves all there is."""
    tree = tremble.load("goofspiel:cards=2")
    claim = BnbDigits().run(tree, "maxmin", Run(Clock(60.0), gap=EPSILON))
    assert claim.certificate is not None
    found = prove(tree, claim.strategies, concept="maxmin", certificate=claim.certificate)
    assert found.ok, found.problems
    assert found.bounds == (0, 0)


def exchanged(tree: GameTree) -> GameTree:
    """The same zero-sum game with the names of the players exchanged."""
    player = np.where(tree.player >= 0, 1 - tree.player, tree.player).astype(tree.player.dtype)
    labels = tree.infoset_labels[::-1]
    return replace(tree, player=player, payoff=tree.payoff[:, ::-1], actions=tree.actions[::-1], infoset_labels=labels)


def test_what_is_refused() -> None:
    with pytest.raises(tremble.ImperfectRecallError, match="absentminded"):
        Milp().accepts(tremble.load("absentminded_driver"), "maxmin")
    tree = forgetful_twice()
    with pytest.raises(tremble.GameError, match=r"which player 1 does not have.*branch-and-bound"):
        BnbDigits().run(tree, "maxmin", Run(Clock(9.0), gap=EPSILON, player=1))
    with pytest.raises(SpecError, match="scheme"):
        Milp("both")
    with pytest.raises(SpecError, match="children"):
        BnbDigits("two")
    with pytest.raises(SpecError, match="select"):
        BnbDigits(select=3)  # type: ignore[arg-type]


def test_time_limit() -> None:
    program = program_of(tremble.load("random_tree:seed=1,depth=6,branching=3"))
    tree = program.form.tree
    own = np.flatnonzero(tree.player == 0)
    group = np.searchsorted(tree.level, own, side="right")
    program = program_of(regrouped(tree, 0, group, {k: str(k) for k in set(group.tolist())}))
    clock = Clock(1.0)
    lines: list[object] = []
    search = Search(program, 1e-6, Run(clock, log=lines.append), silent)
    with pytest.raises(LimitReached):
        disaggregate(program, Fraction(1, 10**6), "theorem-1", search, clock)
    assert search.cutoffs
    assert search.cutoffs[0].startswith("upper bound program")
    assert lines

"""Refinements: known answers, hundreds of games, and second opinions written here, straight from the definitions."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from assessments import (
    Bounds,
    F,
    Rows,
    Trembling,
    continuation,
    domination,
    is_rational_assessment,
    row,
    rows_of,
)
from command import run
from hostile_games import RECIPES, hostile_game
from known import VALUES
from second_opinions import pure
from tremble import BehaviorStrategy, GameTree, LimitReached, Solution, TreeBuilder
from tremble.run.clock import Clock
from tremble.solution.trembles import Trembles
from tremble.solvers import perfect, refine
from tremble.solvers.method import Run
from tremble.solvers.refine import TremblingNashProgram, stable_vertex
from tremble.solvers.zero_sum import solve_nash
from tremble.status import Status

REFINEMENTS = ("quasi-perfect", "sequential", "perfect")

# Payoffs and probabilities of similar size; and so similar that floats can tell what is dominated.
TAME = [name for name in RECIPES if name not in ("mixed payoffs", "huge payoffs", "rare chance", "root ends")]
TAME_IN_FLOATS = [name for name in TAME if name != "fractions"]


@cache
def game(spec: str) -> GameTree:
    return tremble.load(spec)


def refined(tree: GameTree, concept: str, trembles: Trembles | None = None, value: Fraction | None = None) -> Solution:
    """A solution, after everything that must hold for every refinement has been looked at."""
    solution = tremble.solve(tree, concept, trembles=trembles)
    assert solution.status is Status.CERTIFIED, solution.stats.get("problems")
    assert solution.concept == solution.requested == concept
    assert solution.value == (tremble.solve(tree).value if value is None else value)
    assert tremble.nash_conv(tree, solution.strategies) == 0
    assert (solution.beliefs is not None) == (concept == "sequential")
    for strategy in solution.strategies:
        assert strategy.exact
        assert not strategy.off_path.any()  # refinements say what to do everywhere
        assert all(sum(row) == 1 and min(row) >= 0 for row in strategy)
    return solution


def proven_again(tree: GameTree, solution: Solution) -> Solution:
    """The solution as its file holds it, once the checker has agreed."""
    again = Solution.from_text(solution.to_text())
    verification = tremble.verify(tree, again)
    assert verification.ok, verification.problems
    return again


def random_trembles(tree: GameTree, seed: object) -> Trembles:
    rng = random.Random(f"trembles {seed}")
    draw = (1, 1, 2, 3, F(1, 5), F(7, 3), 100)
    return Trembles.from_rows(tree, [[[rng.choice(draw) for _ in labels] for labels in sets] for sets in tree.actions])


def weight_rows(tree: GameTree, trembles: Trembles | None) -> list[list[list[Fraction]]]:
    listed = None if trembles is None else trembles.rows()
    if listed is None:
        return [[[F(1)] * len(labels) for labels in sets] for sets in tree.actions]
    most = max(F(w) for side in listed for row in side for w in row)  # only their ratios matter
    return [[[F(w) / most for w in row] for row in side] for side in listed]


def drawn(*nodes: tuple[int, str, str] | Fraction | int) -> GameTree:
    """A zero-sum tree in preorder: (player, what it knows, actions), or what player 1 wins."""
    builder = TreeBuilder()
    for node in nodes:
        if isinstance(node, tuple):
            builder.decision(node[0], node[1], node[2].split(), node[1])
        else:
            builder.leaf(node, -node)
    return builder.finish()


# -- oracle: exact programs for games in which everybody trembles ------------------------------------


# e, and how near: far below all quotients of payoffs in these tests, which go down to 10^-9
SCALES = ((F(1, 10**12), F(1, 10**4)), (F(1, 10**20), F(1, 10**8)), (F(1, 10**30), F(1, 10**12)))


def is_limit(
    tree: GameTree,
    concept: str,
    strategies: Sequence[Rows],
    trembles: Trembles | None = None,
    scales: Sequence[tuple[Fraction, Fraction]] = SCALES,
) -> bool:
    """Whether near both strategies there are equilibria of the perturbed games, exactly, for smaller and smaller e.

    In a constant-sum game, plans are in equilibrium if and only if each guarantees the value, so each player is
    asked alone: does a plan as near as ``distance`` guarantee what the best plan guarantees?
    """
    oracle = Trembling(tree)
    weights = weight_rows(tree, trembles)
    for e, distance in scales:
        bounds = [oracle.mistakes(concept, weights[p], p, e) for p in (0, 1)]
        for p in (0, 1):
            near = oracle.near(bounds[p], concept, p, strategies[p], distance)
            best = oracle.guaranteed(p, bounds[p], bounds[1 - p])
            if oracle.guaranteed(p, near, bounds[1 - p]) != best:
                return False
    return True


def test_the_oracle_knows_values() -> None:
    """Without mistakes it finds the value, for both players."""
    for name in RECIPES:
        tree = hostile_game(name, 7, most=25)
        oracle, none = Trembling(tree), weight_rows(tree, None)
        for concept in ("perfect", "quasi-perfect"):
            bounds = [oracle.mistakes(concept, none[p], p, F(0)) for p in (0, 1)]
            values = tuple(oracle.guaranteed(p, bounds[p], bounds[1 - p]) for p in (0, 1))
            assert values == tremble.solve(tree).values


def test_the_oracle_finds_wrong_strategies() -> None:
    """One thing played otherwise, and it is no limit."""
    yes, no, stop = [F(1), F(0)], [F(0), F(1)], [F(1), F(0)]
    keep, give = no, yes
    for concept in ("perfect", "quasi-perfect"):
        assert is_limit(game("guess_the_ace"), concept, [[stop], [no]])
        assert not is_limit(game("guess_the_ace"), concept, [[stop], [yes]])
        assert not is_limit(game("guess_the_ace"), concept, [[stop], [[F(1, 2), F(1, 2)]]])
        assert is_limit(game("guess_the_ace:gift=true"), concept, [[stop, keep, keep], [no]])
        for wrong in ([stop, give, keep], [stop, keep, give]):
            assert not is_limit(game("guess_the_ace:gift=true"), concept, [wrong, [no]])
    safe, risky = [[F(1), F(0)], [F(1), F(0)]], [[F(0), F(1)], [F(1), F(0)]]
    assert is_limit(game("safe_or_risky"), "perfect", [safe, []])
    assert not is_limit(game("safe_or_risky"), "perfect", [risky, []])
    assert not is_limit(game("safe_or_risky"), "perfect", [[[F(99, 100), F(1, 100)], [F(1), F(0)]], []])
    assert is_limit(game("safe_or_risky"), "quasi-perfect", [risky, []])
    assert not is_limit(game("safe_or_risky"), "quasi-perfect", [[[F(1), F(0)], [F(0), F(1)]], []])


# -- known answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", REFINEMENTS)
@pytest.mark.parametrize("gift", [False, True])
def test_guess_the_ace(concept: str, gift: bool) -> None:
    tree = game("guess_the_ace:gift=true" if gift else "guess_the_ace")
    solution = refined(tree, concept)
    assert row(tree, solution, 1, "ace of spades?") == {"yes": 0, "no": 1}
    if gift:
        for said in ("yes", "no"):
            assert row(tree, solution, 0, f"heard {said}") == {"give": 0, "keep": 1}
    if concept == "sequential":
        (belief,) = solution.beliefs[1]
        assert {path[0]: p for path, p in belief.nodes} == {"ace of spades": F(1, 52), "another card": F(51, 52)}


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_the_ace_raises(concept: str) -> None:
    """Miltersen & Sørensen: with the ace, calling after check and bet is an equilibrium's mistake; raising is not."""
    tree = game("kuhn_raise")
    solution = refined(tree, concept)
    assert row(tree, solution, 0, "A:cb") == {"fold": 0, "call": 0, "raise": 1}
    assert row(tree, solution, 1, "A:b")["fold"] == row(tree, solution, 1, "A:cbr")["fold"] == 0


def test_safe_or_risky() -> None:
    tree = game("safe_or_risky")
    assert row(tree, refined(tree, "perfect"), 0, "first move") == {"safe": 1, "risky": 0}
    for concept in REFINEMENTS:
        assert row(tree, refined(tree, concept), 0, "second move") == {"careful": 1, "mistake": 0}
    for concept in ("quasi-perfect", "sequential"):  # who trusts his own later move may take the risk
        risky = pure(tree, (1, 0), (), concept=concept)
        assert row(tree, risky, 0, "first move") == {"safe": 0, "risky": 1}
        assert tremble.verify(tree, risky).ok
        assert not tremble.verify(tree, pure(tree, (1, 1), (), concept=concept)).ok


@pytest.mark.parametrize("concept", REFINEMENTS)
@pytest.mark.parametrize("spec", sorted(VALUES))
def test_known_values(spec: str, concept: str) -> None:
    refined(game(spec), concept, value=VALUES[spec])


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_stop(concept: str) -> None:
    tree = drawn((0, "first", "stop go"), 3, (1, "second", "left right"), 5, 1)
    solution = proven_again(tree, refined(tree, concept))
    assert solution.value == 3
    assert row(tree, solution, 0, "first") == {"stop": 1, "go": 0}
    assert row(tree, solution, 1, "second") == {"left": 0, "right": 1}


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_nothing_to_decide(concept: str) -> None:
    builder = TreeBuilder()
    builder.leaf(F(1, 3), 2)
    assert refined(builder.finish(), concept).values == (F(1, 3), 2)
    forced = drawn(*((i % 2, str(i), "go") for i in range(12)), F(22, 7))
    assert refined(forced, concept).value == F(22, 7)


def test_off_the_path_of_perfect_information() -> None:
    """Every refinement is subgame perfect: at every node nothing better follows than what is played."""
    for seed in range(15):
        tree = hostile_game("perfect information", seed)
        for concept in REFINEMENTS:
            rows = rows_of(refined(tree, concept))
            value = continuation(tree, rows, 0)
            for node in np.flatnonzero(tree.player >= 0).tolist():
                best = (max, min)[tree.player[node]](value[child] for child in tree.children(node))
                assert value[node] == best


# -- dare or decline: a game without an equilibrium that is both -------------------------------------


def dares(tree: GameTree, solution: Solution) -> list[Fraction]:
    for player in (0, 1):
        assert row(tree, solution, player, "task")["fumble"] == 0
    return [row(tree, solution, player, "dare?")["dare"] for player in (0, 1)]


def test_dare_or_decline() -> None:
    tree = game("dare_or_decline")
    for seed in range(8):
        trembles = random_trembles(tree, seed) if seed else None
        for concept in ("quasi-perfect", "sequential"):
            assert dares(tree, refined(tree, concept, trembles)) == [1, 1]
        assert dares(tree, refined(tree, "perfect", trembles)) == [0, 0]
    careful, dare, decline = [F(1), F(0)], [F(1), F(0)], [F(0), F(1)]
    for one, two in itertools.product((dare, decline), repeat=2):
        strategies = [[one, careful], [two, careful]]
        assert is_limit(tree, "perfect", strategies) == (one == two == decline)
        assert is_limit(tree, "quasi-perfect", strategies) == (one == two == dare)
    for player, own in ((0, [decline, careful]), (1, [decline, careful])):
        assert domination(tree, player, own) > 0.1


@pytest.mark.parametrize("one", [F(1, 10**9), F(1, 10**6), F(1, 10**3), F(1, 10)])
@pytest.mark.parametrize("two", [F(1, 10**9), F(1, 10**6), F(1, 10**3), F(1, 10)])
def test_somebody_declines(one: Fraction, two: Fraction) -> None:
    """Whoever errs more: with trembles of any kind, somebody loses by daring more than he must."""
    tree = game("dare_or_decline")
    oracle = Trembling(tree)
    least = F(1, 10**12)
    weights = [[[least, least], [least, fumble]] for fumble in (one, two)]
    bounds = [oracle.mistakes("perfect", weights[p], p, F(1)) for p in (0, 1)]
    may_dare = []
    for p in (0, 1):
        near = Bounds(bounds[p].ratio | {(0, 0): F(1, 2)}, bounds[p].constant)
        best = oracle.guaranteed(p, bounds[p], bounds[1 - p])
        may_dare.append(oracle.guaranteed(p, near, bounds[1 - p]) == best)
    assert not all(may_dare)


# -- weights -----------------------------------------------------------------------------------------


def test_the_likelier_mistake_is_expected() -> None:
    """Player 2 does not see which mistake player 1 made; the likelier one decides."""
    guess = (1, "which?", "left right")
    tree = drawn((0, "first", "stop left right"), 0, guess, -2, -1, guess, -1, -2)
    for left, right in ((1, 2), (2, 1), (F(1, 100), F(1, 99)), (10**9 + 1, 10**9)):
        trembles = Trembles.from_rows(tree, [[[1, left, right]], [[1, 1]]])
        for concept in REFINEMENTS:
            solution = proven_again(tree, refined(tree, concept, trembles))
            assert row(tree, solution, 1, "which?")["left"] == (left > right)
            assert is_limit(tree, concept, rows_of(solution), trembles)
            if solution.beliefs is not None:
                assert [p for _, p in solution.beliefs[1][0].nodes] == [F(x, 1) / (left + right) for x in (left, right)]


def test_the_steadier_hand_is_chosen() -> None:
    """Extensive-form perfect: of two ways with a second chance to fail, the one where that is less likely."""
    tree = drawn((0, "way", "left right"), (0, "on the left", "on off"), 0, -1, (0, "on the right", "on off"), 0, -1)
    for left, right in ((1, 2), (2, 1), (F(1, 3), F(1, 4))):
        trembles = Trembles.from_rows(tree, [[[1, 1], [1, left], [1, right]], []])
        solution = proven_again(tree, refined(tree, "perfect", trembles))
        assert row(tree, solution, 0, "way")["left"] == (left < right)
        assert is_limit(tree, "perfect", rows_of(solution), trembles)
        swapped = Trembles.from_rows(tree, [[[1, 1], [1, right], [1, left]], []])
        assert not is_limit(tree, "perfect", rows_of(solution), swapped)


@pytest.mark.parametrize("concept", REFINEMENTS)
@pytest.mark.parametrize("big", [10**6, 10**10, 10**30])
def test_weights_of_different_size(big: int, concept: str) -> None:
    guess = (1, "which?", "left right")
    tree = drawn((0, "first", "stop left right"), 0, guess, -2, -1, guess, -1, -2)
    trembles = Trembles.from_rows(tree, [[[1, big, 1]], [[1, 1]]])
    assert row(tree, refined(tree, concept, trembles), 1, "which?")["left"] == 1


@pytest.mark.parametrize("game", ["kuhn", "leduc", "goofspiel:order=increasing", "guess_the_ace:gift=true"])
def test_degree_by_degree_solves_at_most_one_program_for_each_pair_of_degrees(game: str) -> None:
    stats = tremble.solve(tremble.load(game), "quasi-perfect").stats
    one, two = stats["refinement_degrees"]
    assert stats["refinement_lexicographic_programs"] <= (one + 1) * (two + 1) <= (max(one, two) + 1) ** 2


def stop_or_go(levels: int, most: int) -> GameTree:
    """Two players take turns to stop or to go, for payoffs drawn at random."""
    rng, builder = random.Random(levels), TreeBuilder(title="stop or go")
    for k in range(levels):
        builder.decision(k % 2, f"move {k}", ("stop", "go"))
        pay = rng.randint(-most, most)
        builder.leaf(pay, -pay)
    builder.leaf(0, 0)
    return builder.finish()


@pytest.mark.parametrize("most", [2, 10**6])
def test_few_programs_are_solved_of_deep_games(most: int) -> None:
    tree, listening = stop_or_go(80, most), Run(Clock(None))
    nash = solve_nash(tree, listening)
    trembling = TremblingNashProgram.of(nash.program, Trembles.uniform(tree))
    assert len(trembling.program.rhs) == len(trembling.program.cost) == 41
    vertex, stats = stable_vertex(trembling, nash.vertex, listening)
    assert vertex.optimal
    assert stats["lexicographic_programs"] < 41 * 41 / 8
    assert stats["exact_pivots"] == 0


def test_backward_induction_is_the_right_start_where_nothing_is_tied() -> None:
    stats = tremble.solve(stop_or_go(80, 10**6), "quasi-perfect").stats
    assert stats["refinement_degrees"] == [40, 40]
    assert (stats["refinement_lexicographic_programs"], stats["refinement_lexicographic_iterations"]) == (1, 0)
    assert stats["refinement_exact_pivots"] == 0


@pytest.mark.parametrize("seed", range(12))
def test_ties_and_chance_are_no_hindrance_to_where_it_begins(seed: int) -> None:
    rng, builder = random.Random(seed), TreeBuilder(title="perfect information")

    def grow(depth: int, place: str) -> None:
        if not depth:
            pay = rng.randint(-1, 1)
            builder.leaf(pay, -pay)
            return
        mover = rng.choice((0, 0, 1, 1, None))
        if mover is None:
            builder.chance("ab", [F(1, 3), F(2, 3)])
        else:
            builder.decision(mover, place, "ab")
        for action in "ab":
            grow(depth - 1, place + action)

    grow(5, "at ")
    tree = builder.finish()
    method = tremble.methods.Lp(merge=False)
    for concept in ("quasi-perfect", "sequential"):
        assert tremble.solve(tree, concept, method=method).status is Status.CERTIFIED


def test_equal_weights_are_no_weights() -> None:
    tree = game("kuhn_raise")
    sevens = Trembles.from_rows(tree, [[[F(7, 3)] * len(labels) for labels in sets] for sets in tree.actions])
    for concept in REFINEMENTS:
        assert rows_of(tremble.solve(tree, concept, trembles=sevens)) == rows_of(tremble.solve(tree, concept))


# -- many games --------------------------------------------------------------------------------------


def all_refined(tree: GameTree, seed: object) -> None:
    """Everything about one game: all concepts, with equal and with random trembles."""
    value = tremble.solve(tree).value
    for trembles in (None, random_trembles(tree, seed)):
        for concept in REFINEMENTS:
            refined(tree, concept, trembles, value)


@pytest.mark.sample(9)
@pytest.mark.parametrize("name", RECIPES)
def test_hostile_games(name: str) -> None:
    for seed in range(100, 103):
        all_refined(hostile_game(name, seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_many_hostile_games(name: str) -> None:
    for seed in (*range(103, 108), *range(200, 240)):
        all_refined(hostile_game(name, seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_larger_hostile_games(name: str) -> None:
    if name in ("root ends", "nothing at stake"):
        return
    for seed in range(2):
        tree = hostile_game(name, 500 + seed, depth=9, most=900, least=150, early=0.1)
        all_refined(tree, seed)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int) -> None:
    for options in ("depth=5", "chance=true,depth=5", "depth=4,utilities=iid"):
        all_refined(tremble.load(f"random_tree:branching=2,{options},seed={seed}"), seed)


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    "spec",
    [
        "kuhn:cards=2",
        "kuhn:cards=4",
        "kuhn:cards=6",
        "kuhn_raise",
        "double_oracle_example",
        "double_oracle_example:ayf=-3",
        "goofspiel",
        "goofspiel:order=increasing",
        "leduc",
        "leduc:raises=1,ranks=2",
        "liars_dice:faces=2",
        "liars_dice:faces=3",
        "poker:bets=1,each=2,raises=0,types=2",
        "random_tree",
        "random_tree:chance=true,utilities=iid",
    ],
)
def test_built_ins(spec: str) -> None:
    all_refined(game(spec), spec)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["goofspiel:cards=4,order=increasing", "kuhn:cards=13", "leduc:ranks=5", "poker", "liars_dice:faces=4"]
)
def test_larger_built_ins(spec: str) -> None:
    all_refined(game(spec), spec)


def test_certificates_survive_their_files() -> None:
    for name in RECIPES:
        tree = hostile_game(name, 3)
        for concept in REFINEMENTS:
            solution = refined(tree, concept, random_trembles(tree, name))
            assert proven_again(tree, solution).to_text() == solution.to_text()


# -- limits of perturbed games -----------------------------------------------------------------------


def limits(name: str, seeds: range, scales: Sequence[tuple[Fraction, Fraction]] = SCALES) -> tuple[int, int]:
    """How many games were tried, and in how many the unrefined equilibrium was found out."""
    tried = found_out = 0
    for seed in seeds:
        tree = hostile_game(name, seed, most=26)
        trembles = random_trembles(tree, seed) if seed % 2 else None
        for concept in ("quasi-perfect", "perfect"):
            rows = rows_of(refined(tree, concept, trembles))
            assert is_limit(tree, concept, rows, trembles, scales), (name, seed, concept)
            found_out += not is_limit(tree, concept, rows_of(tremble.solve(tree)), trembles, SCALES[:1])
            tried += 1
    return tried, found_out


def test_limits_of_perturbed_games() -> None:
    tried, found_out = map(sum, zip(*(limits(name, range(300, 301), SCALES[:1]) for name in TAME), strict=True))
    assert tried == 2 * len(TAME)
    assert found_out > tried // 3


@pytest.mark.slow
@pytest.mark.parametrize("name", TAME)
def test_more_limits_of_perturbed_games(name: str) -> None:
    limits(name, range(301, 303))
    limits(name, range(400, 420))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "spec", ["guess_the_ace:gift=true", "safe_or_risky", "double_oracle_example", "kuhn", "kuhn_raise"]
)
def test_limits_in_built_ins(spec: str) -> None:
    tree = game(spec)
    for trembles in (None, random_trembles(tree, spec)):
        for concept in ("quasi-perfect", "perfect"):
            assert is_limit(tree, concept, rows_of(refined(tree, concept, trembles)), trembles, SCALES[:1])


# -- dominated plans -----------------------------------------------------------------------------------


def test_a_dominated_equilibrium_is_found_out() -> None:
    """In each game, something that an equilibrium may play but that is weakly dominated; what dominates it passes."""
    yes, no, stop, half = [F(1), F(0)], [F(0), F(1)], [F(1), F(0)], [F(1, 2), F(1, 2)]
    cases: list[tuple[str, int, Rows, Rows]] = [
        ("guess_the_ace", 1, [yes], [no]),
        ("guess_the_ace", 1, [half], [no]),
        ("guess_the_ace:gift=true", 0, [stop[::-1], yes, no], [stop, no, no]),
        ("dare_or_decline", 0, [[F(0), F(1)], stop], [[F(1), F(0)], stop]),
        ("dare_or_decline", 1, [half, stop], [[F(1), F(0)], stop]),
    ]
    for spec, player, dominated, better in cases:
        assert domination(game(spec), player, dominated) > 1e-3
        assert abs(domination(game(spec), player, better)) < 1e-9
    # Where a gift might follow a yes alone, no plan dominates it: quasi-perfect is more than undominated.
    assert abs(domination(game("guess_the_ace:gift=true"), 1, [yes])) < 1e-9
    for spec, equilibrium in (
        ("guess_the_ace", ([stop], [yes])),
        ("dare_or_decline", ([no, stop], [no, stop])),
    ):
        one, two = (BehaviorStrategy.from_rows(game(spec), p, rows) for p, rows in enumerate(equilibrium))
        assert tremble.nash_conv(game(spec), (one, two)) == 0


def undominated(tree: GameTree, seed: int) -> int:
    """Both quasi-perfect strategies are undominated; how many of the unrefined equilibrium are dominated."""
    trembles = random_trembles(tree, seed) if seed % 2 else None
    for player, strategy in enumerate(rows_of(refined(tree, "quasi-perfect", trembles))):
        assert abs(domination(tree, player, strategy)) < 1e-7
    return sum(domination(tree, p, strategy) > 1e-6 for p, strategy in enumerate(rows_of(tremble.solve(tree))))


def test_quasi_perfect_is_undominated() -> None:
    count = sum(undominated(hostile_game(name, seed), seed) for name in TAME_IN_FLOATS for seed in range(600, 602))
    assert count > 3
    for spec in ("kuhn", "kuhn:cards=4", "kuhn_raise", "liars_dice:faces=2", "double_oracle_example"):
        undominated(game(spec), 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", TAME_IN_FLOATS)
def test_more_that_is_undominated(name: str) -> None:
    for seed in (*range(602, 606), *range(700, 730)):
        undominated(hostile_game(name, seed, most=90), seed)


# -- sequential rationality ------------------------------------------------------------------------------


def with_rows(tree: GameTree, solution: Solution, player: int, rows: Rows) -> Solution:
    pair = list(solution.strategies)
    pair[player] = BehaviorStrategy.from_rows(tree, player, rows)
    return replace(solution, strategies=(pair[0], pair[1]))


@pytest.mark.sample(9)
@pytest.mark.parametrize("name", RECIPES)
def test_sequential_rationality(name: str) -> None:
    rng = random.Random(name)
    for seed in range(800, 806):
        tree = hostile_game(name, seed, most=30)
        solution = refined(tree, "sequential", random_trembles(tree, seed) if seed % 2 else None)
        assert is_rational_assessment(tree, solution)
        rows = rows_of(solution)
        spoilt = 0
        for player in (0, 1):  # one other action at one set: found out, unless it is as good
            for k in rng.sample(range(len(rows[player])), min(2, len(rows[player]))):
                other = [list(row) for row in rows[player]]
                other[k] = [F(i == min(range(len(other[k])), key=other[k].__getitem__)) for i in range(len(other[k]))]
                spoilt += not is_rational_assessment(tree, with_rows(tree, solution, player, other))
        if name in ("plain", "constant sum", "fractions", "perfect information"):
            assert spoilt


def test_sequential_rationality_of_built_ins() -> None:
    for spec in ("guess_the_ace:gift=true", "safe_or_risky", "dare_or_decline", "kuhn", "kuhn_raise"):
        tree = game(spec)
        assert is_rational_assessment(tree, refined(tree, "sequential"), most=60)
    tree = game("guess_the_ace")
    wrong = with_rows(tree, refined(tree, "sequential"), 1, [[F(1), F(0)]])
    assert not is_rational_assessment(tree, wrong)


# -- limits of time, and interrupts -------------------------------------------------------------------------


def steps_of(tree: GameTree, concept: str) -> list[str]:
    seen: list[str] = []
    tremble.solve(tree, concept, progress=lambda step, _fraction: seen.append(step))
    return [step for step in dict.fromkeys(seen) if not step.startswith("verification: ")]  # told now and then


def check_left(tree: GameTree, concept: str, stop: LimitReached, value: Fraction) -> str:
    """What a stopped refinement leaves is proven; whether it is an equilibrium or bounds."""
    best = stop.best
    assert best is not None
    assert tremble.verify(tree, best).ok
    assert best.requested == concept
    if best.status is Status.CERTIFIED:
        assert best.concept == "nash"
        assert best.value == value
        assert f"proven to be a Nash equilibrium, but not to be {concept}" in str(stop)
    else:
        assert best.status is Status.BOUNDED
        assert best.bounds is not None
        assert best.bounds[0] <= value <= best.bounds[1]
        assert "Nash" not in str(stop)
    return best.status.value


HARD = [("leduc", None), ("kuhn_raise", None), ("goofspiel:order=increasing", None), ("degenerate", 5), ("chance", 2)]


@pytest.mark.sample(6)
@pytest.mark.parametrize("concept", REFINEMENTS)
@pytest.mark.parametrize(("name", "seed"), HARD)
def test_stopped_at_every_step(name: str, seed: int | None, concept: str) -> None:
    """By Ctrl-C and by a limit in turn; which comes first alternates from game to game."""
    tree = game(name) if seed is None else hostile_game(name, seed, depth=7, most=400, least=60, early=0.1)
    value = tremble.solve(tree).value
    steps = steps_of(tree, concept)
    assert len(steps) >= 4
    left = []
    for count, at in enumerate(steps, HARD.index((name, seed))):
        how = (KeyboardInterrupt, LimitReached)[count % 2]

        def stop(step: str, _fraction: float | None, at: str = at, how: type[BaseException] = how) -> None:
            if step == at:
                raise how("enough")

        with pytest.raises(LimitReached, match="stopped by Ctrl-C" if how is KeyboardInterrupt else "enough") as caught:
            tremble.solve(tree, concept, progress=stop)
        assert caught.value.interrupted == (how is KeyboardInterrupt)
        left.append(check_left(tree, concept, caught.value, value))
    assert left[0] == "bounded"
    assert left[-1] == "certified"  # stopped in the verification: the equilibrium is known, what refines it is not
    assert left == sorted(left)
    assert tremble.solve(tree, concept).status is Status.CERTIFIED  # nothing is left behind


def attempt(tree: GameTree, concept: str, **options: Any) -> tuple[Solution | None, LimitReached | None]:
    try:
        return tremble.solve(tree, concept, **options), None
    except LimitReached as stop:
        return None, stop


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_tiny_limits(concept: str) -> None:
    tree = game("leduc")
    value = tremble.solve(tree).value
    for limit in (1e-9, 1e-4, 1e-2, 0.03, 0.05, 0.1):
        solution, stop = attempt(tree, concept, time_limit=limit)
        if stop is not None:
            assert not stop.interrupted
            assert str(stop).startswith("stopped by the time limit")
            check_left(tree, concept, stop, value)
        else:
            assert solution is not None
            assert limit > 1e-4
            assert (solution.status, solution.concept) == (Status.CERTIFIED, concept)


def test_a_gap_is_no_refinement() -> None:
    """Narrow bounds do not make what was stopped a refinement."""
    tree = game("kuhn_raise")
    step = steps_of(tree, "perfect")[-2]

    def stop(at: str, _fraction: float | None) -> None:
        if at == step:
            raise LimitReached("enough")

    with pytest.raises(LimitReached, match="but not to be perfect"):
        tremble.solve(tree, "perfect", progress=stop, gap=F(1, 2))


# -- the command line ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_exit_code_of_a_limit(concept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("solve", "leduc", "--concept", concept, "--time-limit", "1e-9")
    assert result.exit_code == 5
    assert "stopped by the time limit" in result.stderr
    assert "Nash" not in result.stderr

    def late(*_: object) -> None:
        raise LimitReached("the time limit was reached")

    monkeypatch.setattr(refine, "stable_vertex", late)
    monkeypatch.setattr(perfect, "stable_basis", late)
    path = tmp_path / "best.json"
    result = run("solve", "kuhn", "--concept", concept, "-o", path)
    assert result.exit_code == 5
    text = f"the time limit was reached; the result is proven to be a Nash equilibrium, but not to be {concept}"
    assert text in result.stderr
    assert f"the best result so far is in {path}" in result.stderr
    best = Solution.from_json(path)
    assert (best.concept, best.requested, best.status, best.value) == ("nash", concept, Status.CERTIFIED, F(-1, 18))
    assert run("verify", "kuhn", path).exit_code == 0


def trembles_file(path: Path, *rows: dict[str, Any], schema: str = "tremble/trembles@1") -> Path:
    path.write_text(json.dumps({"schema": schema, "trembles": [list(rows), []]}))
    return path


def set_row(infoset: int, **weights: str) -> dict[str, Any]:
    return {"infoset": infoset, "actions": [[label, weight] for label, weight in weights.items()]}


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_trembles_from_a_file(concept: str, tmp_path: Path) -> None:
    tree = game("kuhn")
    given = trembles_file(tmp_path / "t.json", set_row(2, fold="1/10", call="3"))
    weights = Trembles.read(given, tree).rows()
    assert weights is not None
    assert [list(map(F, row)) for row in weights[0]][1] == [F(1), F(30)]  # in proportion; what is not listed is 1
    assert {w for side in weights for row in (side if side is weights[1] else [side[0], *side[2:]]) for w in row} == {
        "10"
    }
    path = tmp_path / "out.json"
    result = run("solve", "kuhn", "--concept", concept, "--trembles", given, "-o", path)
    assert result.exit_code == 0, result.stderr
    solution = Solution.from_json(path)
    assert solution.certificate["trembles"] == weights
    assert run("verify", "kuhn", path).exit_code == 0
    empty = trembles_file(tmp_path / "e.json")
    assert run("solve", "kuhn", "--concept", concept, "--trembles", empty, "-o", path).exit_code == 0
    assert Solution.from_json(path).certificate["trembles"] is None


def test_weights_from_a_file_decide(tmp_path: Path) -> None:
    tree = drawn((0, "way", "left right"), (0, "on the left", "on off"), 0, -1, (0, "on the right", "on off"), 0, -1)
    efg = tmp_path / "way.efg"
    tremble.write_efg(tree, efg)
    for left in ("1/2", "2"):
        given = trembles_file(tmp_path / "t.json", set_row(2, on="1", off=left))
        path = tmp_path / "out.json"
        assert run("solve", efg, "--concept", "perfect", "--trembles", given, "-o", path).exit_code == 0
        assert Solution.from_json(path).strategies[0].probability(0, "left") == (left == "1/2")


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([set_row(2, fold="0", call="1")], 3, "the weight of 'fold' is 0; a weight must be positive"),
        ([set_row(2, fold="1", call="-1/3")], 3, "the weight of 'call' is -1/3; a weight must be positive"),
        ([set_row(7, fold="1", call="1")], 3, "information sets 1 to 6, but weights are given for set 7"),
        ([set_row(2, check="1", bet="1")], 3, "but weights are given for 'check', 'bet'"),
        ([set_row(2, fold="1")], 3, "but weights are given for 'fold'"),
        ([set_row(2, fold="1", call="1")] * 2, 3, "more than once"),
        ([set_row(2, fold="1", call="1.5e")], 3, "1.5e"),
        ([set_row(2, fold="1", call="1/0")], 3, "1/0"),
        ([{"infoset": 2}], 3, "actions"),
    ],
)
def test_bad_trembles(rows: list[dict[str, Any]], code: int, said: str, tmp_path: Path) -> None:
    given = trembles_file(tmp_path / "t.json", *rows)
    result = run("solve", "kuhn", "--concept", "perfect", "--trembles", given)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in result.stderr
    assert "unexpected" not in result.stderr


def test_files_that_are_no_trembles(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"trembles": []}', '{"schema": "tremble/trembles@1"}', "null", "\x00"):
        path = tmp_path / "t.json"
        path.write_text(text)
        result = run("solve", "kuhn", "--concept", "perfect", "--trembles", path)
        assert result.exit_code == 3, text
        assert "unexpected" not in result.stderr
    assert run("solve", "kuhn", "--concept", "perfect", "--trembles", tmp_path / "none.json").exit_code == 3
    other = trembles_file(tmp_path / "o.json", schema="tremble/trembles@2")
    assert run("solve", "kuhn", "--concept", "perfect", "--trembles", other).exit_code == 3


def test_trembles_are_for_refinements(tmp_path: Path) -> None:
    tree = game("kuhn")
    with pytest.raises(tremble.errors.SpecError, match="accepts no trembles"):
        tremble.solve(tree, "nash", trembles=Trembles.uniform(tree))
    result = run("solve", "kuhn", "--trembles", trembles_file(tmp_path / "t.json"))
    assert result.exit_code == 2
    assert "ask for quasi-perfect, one-sided-quasi-perfect, sequential, perfect or normal-form-perfect" in result.stderr


def test_weights_in_python() -> None:
    tree = game("safe_or_risky")
    for wrong, said in (
        ([[[1, 1], [1, 0]], []], "must be positive"),
        ([[[1, 1], [1, F(-1, 2)]], []], "-1/2"),
        ([[[1, 1], [1, 0.5]], []], "not an exact"),
        ([[[1, 1]], []], "2 information sets"),
        ([[[1, 1], [1]], []], "2 actions"),
        ([[[1, 1], [1, 1]]], "two lists"),
    ):
        with pytest.raises(tremble.GameError, match=said):
            Trembles.from_rows(tree, wrong)  # type: ignore[arg-type]


def test_small_programs_stop_at_the_first_stable_basis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle is asked after each float program; Kuhn poker needs no second one."""
    solved = []
    solve = perfect.solve_float
    monkeypatch.setattr(perfect, "solve_float", lambda *args, **more: (solved.append(1), solve(*args, **more))[1])
    solution = tremble.solve(tremble.load("kuhn"), concept="perfect", method="lp")
    assert solution.status == Status.CERTIFIED
    assert len(solved) == 1

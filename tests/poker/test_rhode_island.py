"""Rhode Island Hold'em: the engine with vectors of hands and histories, beside exact values and other engines."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.check import Claim, Limits
from tremble.game.rules import UnbuiltGame
from tremble.game.sequence_form import SequenceForm
from tremble.poker.check import outcome_of_ordered
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import PublicTree
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.poker.rhode_island.engine import RhodeIslandEngine
from tremble.poker.rhode_island.layout import Layout
from tremble.poker.rounding import rounded_strategy
from tremble.poker.strategy import OrderedStrategy
from tremble.solvers.regret import VARIANTS, RegretMinimizer

SIZES = [
    {"ranks": 2, "suits": 2, "raises": 2}, {"ranks": 3, "suits": 2, "raises": 1}, {"ranks": 2, "suits": 3, "raises": 1},
    {"ranks": 4, "suits": 1, "raises": 1}, {"ranks": 1, "suits": 4}, {"ranks": 2, "suits": 3, "raises": 0},
]  # fmt: skip


def learned(
    rules: RhodeIsland, iterations: int, variant: str = "dcfr", dtype: Any = np.float64, **threads: Any
) -> RhodeIslandEngine:
    engine = RhodeIslandEngine(Layout(rules), VARIANTS[variant], dtype, **threads)
    engine.run(iterations)
    return engine


def profile_of(engine: RhodeIslandEngine) -> tuple[OrderedStrategy, OrderedStrategy]:
    layout = engine.layout
    one, two = (
        rounded_strategy(layout.rules, layout.filter, player, [partial(engine.shares, player, k) for k in range(3)])
        for player in (0, 1)
    )
    return one, two


@pytest.mark.parametrize("size", [*SIZES, {}], ids=str)
def test_counts_are_those_of_the_cards(size: dict[str, int]) -> None:
    """Deal all cards of one state and hand after the other, and count."""
    rules = RhodeIsland(**size)
    layout, cards = Layout(rules), range(rules.ranks * rules.suits)
    rank, suit = (lambda card: card // rules.suits), (lambda card: card % rules.suits)
    for k, (f, t, same) in enumerate(layout.turns.tolist()):
        flop, turn = f * rules.suits, t * rules.suits + 1 - same
        for number, seen, state in ((1, (flop,), f), (2, (flop, turn), k)):
            held = [2 * rank(card) + (suit(card) == suit(flop)) for card in cards if card not in seen]
            counted = np.bincount(held, minlength=2 * rules.ranks)
            np.testing.assert_array_equal(layout.count[number][state], counted)
            for hand in np.flatnonzero(counted):
                before = [card for card in cards if rank(card) == hand // 2] if number == 1 else [
                    card for card in cards if card != flop and 2 * rank(card) + (suit(card) == suit(flop)) == hand
                ]  # fmt: skip
                if number == 1:  # the flops of this rank which put the card into this hand
                    ways = [c for c in cards if rank(c) == f and c != before[0]
                            and (suit(c) == suit(before[0])) == hand % 2]  # fmt: skip
                else:  # the turns of this rank, with or without the suit of the flop
                    ways = [c for c in cards if rank(c) == t and c not in (flop, before[0])
                            and (suit(c) == suit(flop)) == same]  # fmt: skip
                assert layout.share[number][state, hand] == len(ways)
    classes = [len(earlier) for earlier in layout.filter.earlier[0]]
    assert classes == [np.count_nonzero(count) for count in layout.count]


@pytest.mark.sample(3)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_bounds_are_proven_and_enclose_the_value(size: dict[str, int]) -> None:
    """The float bounds are those of the exact check at the level of single hands, and contain the exact value."""
    rules = RhodeIsland(**size)
    value = tremble.solve(rules, method="lp").value
    for dtype in (np.float32, np.float64):
        engine = learned(rules, 300, dtype=dtype)
        claim = Claim("nash", "bounded", profile_of(engine), None, {}, kind="ordered")
        exact = outcome_of_ordered(UnbuiltGame.of(rules), claim, Limits.for_game(0), values_only=False)
        assert not exact.faults
        best1, best2 = exact.best_response_values
        assert engine.bounds() == pytest.approx(
            (float(-best2), float(best1)), abs=1e-5 if dtype is np.float32 else 1e-9
        )
        assert -best2 <= value <= best1
        assert exact.nash_conv < F(1, 5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_reach_a_gap(variant: str) -> None:
    game = tremble.load_rules("rhode_island:ranks=3,suits=2,raises=1")
    solution = tremble.solve(game, method=variant, gap=0.5)
    lower, upper = solution.bounds
    assert upper - lower <= F(1, 2)
    assert lower <= tremble.solve(game, method="lp").value <= upper
    assert tremble.verify(game, solution).ok


@pytest.mark.parametrize("variant", VARIANTS)
def test_steps_are_those_of_the_tree(variant: str) -> None:
    """After two iterations, because later steps may depend on rounding errors of regrets that are exactly 0.

    With alternating updates, the averages of the tree contain the plans before each update, and those of the public
    tree the plans after it. The averages of the engine contain player 1's plans after, and player 2's before it.
    """
    rules, alternating = RhodeIsland(ranks=2, suits=2, raises=1), VARIANTS[variant].alternating
    engine = learned(rules, 2, variant)
    lower, upper = engine.bounds()
    on_tree = RegretMinimizer(SequenceForm.of(tremble.build(rules)), VARIANTS[variant])
    on_tree.run(2)
    expected = np.array(on_tree.bounds()) * float(on_tree.unit)
    assert upper == pytest.approx(expected[1], rel=1e-9)
    if alternating:
        tree = PublicTree.of(FilteredGame.of(rules, engine.layout.filter))
        on_public_tree = PublicTreeMinimizer(tree, VARIANTS[variant])
        on_public_tree.run(2)
        expected = np.array(on_public_tree.bounds())
    assert lower == pytest.approx(expected[0], rel=1e-9)


def test_threads_change_nothing() -> None:
    rules = RhodeIsland(ranks=5)
    alone = learned(rules, 10)
    with ThreadPoolExecutor(3) as pool:
        shared = learned(rules, 10, executor=pool, threads=3)
    for one, two in zip(alone.sums[0] + alone.sums[1], shared.sums[0] + shared.sums[1], strict=True):
        np.testing.assert_array_equal(one, two)


def test_the_first_iterations_are_those_of_another_program() -> None:
    """A program that was written apart from this engine found these bounds of the whole game."""
    variant = dataclasses.replace(VARIANTS["dcfr"], gamma=4.0)
    engine = RhodeIslandEngine(Layout(RhodeIsland()), variant, np.float64)
    engine.run(3)
    assert engine.bounds() == pytest.approx((-35.491999313670604, 21.391853253889494), rel=1e-12)


def test_another_abstraction_uses_the_public_tree() -> None:
    game = tremble.load_rules("rhode_island:ranks=2,suits=2")
    for abstraction in ("lossless", "published", "full"):
        solution = tremble.solve(game, method=tremble.methods.Dcfr(abstraction=abstraction, iterations=5))
        assert ("shrink_seconds_float" in solution.stats) == (abstraction != "lossless")


def test_hands_of_equal_strength_have_one_rank() -> None:
    for ranks, suits in permutations((1, 2, 3, 4, 13, 16), 2):
        if 4 <= ranks * suits <= 64:
            round_ = Layout(RhodeIsland(ranks=ranks, suits=suits)).round(2, 0, np.float64)
            assert (round_.levels[..., 0] // 2 == round_.levels[..., 1] // 2).all()

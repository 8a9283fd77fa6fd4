"""The interior-point method along the public tree, beside exact values and systems solved as dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import tremble
from ordered_games import KuhnCards, LeducCards
from random_ordered import RandomOrdered
from tremble.errors import LimitReached
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.filter import Filter
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import PublicTree, exact_strategy
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.interior_point.elimination import Elimination
from tremble.poker.interior_point.primal_dual import Iterate, interior_point, without_multipliers
from tremble.poker.interior_point.public_states import PublicGame
from tremble.poker.regret.public_tree_kernels import best_replies
from tremble.poker.regret.tables import ALONE, pass_up
from tremble.run.clock import Clock


def _filtered(game: OrderedGame) -> FilteredGame:
    return FilteredGame.of(game, lossless_filter(game))


def _best(game: FilteredGame, gap: float, threads: int = 1) -> Iterate:
    return min(interior_point(game, Clock(None), gap, threads=threads), key=lambda iterate: iterate.gap)


@pytest.mark.sample(14)
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("filter_of", [lossless_filter, Filter.full])
def test_random_games_to_nine_digits(seed: int, filter_of) -> None:
    game = RandomOrdered(seed)
    tree = tremble.build(game)
    value = float(tremble.solve(tree).value)
    best = _best(FilteredGame.of(game, filter_of(game)), 1e-9)
    assert best.gap <= 1e-9
    assert best.lower - 1e-11 <= value <= best.upper + 1e-11


@pytest.mark.parametrize(("game", "value"), [(KuhnCards(), -1 / 18), (LeducCards(), -0.0856064)])
def test_known_values(game: OrderedGame, value: float) -> None:
    best = _best(_filtered(game), 1e-9)
    assert best.gap <= 1e-9
    assert best.lower == pytest.approx(value, abs=5e-8)


@pytest.mark.slow
def test_rhode_island_with_three_ranks() -> None:
    """The value that a simplex method found for the same linear program."""
    best = _best(_filtered(RhodeIsland(ranks=3)), 1e-8)
    assert best.gap <= 1e-8
    assert best.lower == pytest.approx(-0.376551822035, abs=1e-8)


def test_bounds_are_those_of_the_public_tree() -> None:
    game = _filtered(RhodeIsland(ranks=3, suits=2, raises=1))
    tree = PublicTree.of(game)
    for iterate in interior_point(game, Clock(None), 1e-7):
        plans = iterate.plan(tree, 0), iterate.plan(tree, 1)
        upper, lower = (
            float(pass_up(tree.sides, player, other, ALONE, best_replies).sum())
            * tree.unit
            / float(other[0][0, 0, 0])
            * sign
            for player, other, sign in ((0, plans[1], 1), (1, plans[0], -1))
        )
        assert (lower, upper) == pytest.approx((iterate.lower, iterate.upper), abs=1e-10)
    strategy = exact_strategy(tree, 0, plans[0])
    assert all((np.asarray(weight) >= 0).all() for weight in strategy.weight)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("spread", [0, 6])
def test_the_newton_system_is_solved(seed: int, spread: int) -> None:
    """Also where the numbers on its diagonal are twelve orders of magnitude apart."""
    game = PublicGame.of(_filtered(RandomOrdered(seed)))
    rng = np.random.default_rng(seed)
    size = game.num_sequences(0) + game.num_sequences(1)
    diagonal = 10 ** rng.uniform(-spread, spread, size)
    right = rng.normal(size=size)
    elimination = Elimination(game, diagonal, 0.0, Clock(None))
    change = elimination.solve(right)
    rest = elimination.residual(right, change)
    for player in (0, 1):
        # A change of plan adds up to nothing at the root and at every information set.
        views = game.views(player, change)
        for number, (round_, view) in enumerate(zip(game.rounds, views, strict=True)):
            empty = game.empty(player, number, views, 0.0)
            for parent, own in round_.sets(player):
                reach = view[:, :, parent - 1] if parent else empty
                size = np.abs(view[:, :, own.start - 1 : own.stop - 1])
                found = view[:, :, own.start - 1 : own.stop - 1].sum(axis=2)
                assert (np.abs(found - reach) <= 1e-12 * (1 + size.sum(axis=2))).all()
    left = without_multipliers(game, rest, 1 + diagonal)
    assert (np.abs(left) <= 1e-6 * (1 + diagonal)).all()


def test_threads_change_nothing() -> None:
    game = _filtered(RhodeIsland(ranks=3, suits=2, raises=1))
    one, two = (_best(game, 1e-6, threads) for threads in (1, 2))
    assert one.number == two.number
    assert (one.lower, one.upper) == (two.lower, two.upper)


def test_the_time_limit_is_heard() -> None:
    game = _filtered(RhodeIsland(ranks=4))
    with pytest.raises(LimitReached):
        for _ in interior_point(game, Clock(0.5)):
            pass

"""The reduced normal form: each cell by hand, values and equilibria of the tree, Gambit's strategies."""

from __future__ import annotations

import io
import time
from fractions import Fraction as F

import pytest

import tremble
from gambit import pygambit
from hand_made import chain, random_game
from tremble import BehaviorStrategy, GameTree
from tremble.errors import ImperfectRecallError, TooLargeError
from tremble.formats.nfg import format_nfg, read_nfg
from tremble.game.normal_form import _choices, is_one_shot
from tremble.game.pure_plans import num_pure_plans, pure_plans
from tremble.strategies import SequenceForm, reduced_normal_form

SMALL = ["kuhn", "beer_quiche", "entry_deterrence", "mertens", "guess_the_ace", "safe_or_risky", "job_market"]


def games() -> list[GameTree]:
    drawn = [random_game(seed, 3, zero_sum=bool(seed % 2), big=seed % 5 == 0) for seed in range(20)]
    return [*map(tremble.load, SMALL), *drawn]


@pytest.mark.parametrize("tree", games(), ids=lambda tree: tree.title)
def test_each_cell_is_what_the_plans_earn(tree: GameTree) -> None:
    matrix = reduced_normal_form(tree, max_cells=10_000)
    assert is_one_shot(matrix)
    assert reduced_normal_form(matrix) is matrix
    form = SequenceForm.of(tree)
    pure: list[list[BehaviorStrategy]] = []
    for player in (0, 1):
        plans = pure_plans(form, player, 1000)
        assert len(plans) == num_pure_plans(form, player) == len(matrix.actions[player][0])
        chosen = sorted(_choices(form, player, plans).tolist())
        assert len({tuple(row) for row in chosen}) == len(chosen)
        pure.append([BehaviorStrategy.pure(tree, player, [max(c - 1, 0) for c in row]) for row in chosen])
    n = len(pure[1])
    cells = [(i, j) for i in range(len(pure[0])) for j in range(n)]
    for i, j in cells[:: max(1, len(cells) // 200)]:
        assert matrix.payoff_at(i * n + j) == tremble.expected_values(tree, (pure[0][i], pure[1][j]))


@pytest.mark.parametrize("seed", range(12))
def test_the_value_is_that_of_the_tree(seed: int) -> None:
    tree = random_game(seed, 3)
    matrix = reduced_normal_form(tree)
    assert tremble.solve(matrix).value == tremble.solve(tree).value
    assert (matrix.title, matrix.players) == (tree.title, tree.players)


@pytest.mark.parametrize("name", ["entry_deterrence", "beer_quiche", "battle_outside", "random"])
def test_equilibria_are_those_of_the_tree(name: str) -> None:
    tree = random_game(8, 2, zero_sum=False) if name == "random" else tremble.load(name)
    matrix = reduced_normal_form(tree)
    of_tree, of_matrix = tremble.all_equilibria(tree), tremble.all_equilibria(matrix)
    assert {found.values for found in of_tree} == {found.values for found in of_matrix}
    assert len(of_tree) <= len(of_matrix)  # mixtures of plans may be the same plan


def test_files_hold_it(tmp_path) -> None:
    for tree in games():
        tremble.write_nfg(tree, tmp_path / "a.nfg")
        again = read_nfg(tmp_path / "a.nfg")
        assert again == reduced_normal_form(tree)


def test_names_of_strategies() -> None:
    kuhn = reduced_normal_form(tremble.load("kuhn"))
    assert kuhn.actions[0][0][:2] == ("check-fold-check-fold-check-fold", "check-fold-check-fold-check-call")
    one = reduced_normal_form(tremble.load("safe_or_risky"))
    assert one.actions[1][0] == ("1",)
    long = chain(40)  # players may stop at each of many moves
    labels = reduced_normal_form(long).actions[0][0]
    assert len(set(labels)) == len(labels)
    assert set("".join(labels)) <= set("12*")


def test_too_many_strategies_are_counted_before_any_is_made() -> None:
    began = time.process_time()
    with pytest.raises(TooLargeError, match=r"by .* strategies, more than 1,000,000 cells"):
        reduced_normal_form(tremble.load("leduc"))
    with pytest.raises(TooLargeError, match="27 by 64 strategies, more than 1,727 cells"):
        reduced_normal_form(tremble.load("kuhn"), max_cells=27 * 64 - 1)
    assert time.process_time() - began < 60
    with pytest.raises(ImperfectRecallError):
        reduced_normal_form(tremble.recall.forget(tremble.load("kuhn"), 0, last=0).tree)


@pytest.mark.peers
@pytest.mark.parametrize("tree", games(), ids=lambda tree: tree.title)
def test_gambit_has_the_same_strategies(tree: GameTree, tmp_path) -> None:
    gambit = pygambit()
    tremble.write_efg(tree, tmp_path / "a.efg")
    game = gambit.read_efg(tmp_path / "a.efg")
    matrix = reduced_normal_form(tree)
    assert [len(player.strategies) for player in game.players] == [len(sets[0]) for sets in matrix.actions]
    theirs = gambit.read_nfg(io.BytesIO(format_nfg(matrix).encode()))
    for player in (0, 1):
        cells = (game.to_arrays(gambit.Rational)[player].ravel(), theirs.to_arrays(gambit.Rational)[player].ravel())
        assert sorted(F(str(cell)) for cell in cells[0]) == sorted(F(str(cell)) for cell in cells[1])

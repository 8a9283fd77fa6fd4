"""Games of OpenSpiel and Gambit handed over as they are, and what needs a tree when it is given something else."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import tremble
from gambit import pygambit, read_by_gambit
from tremble import GameError, GameTree
from tremble.formats.efg import format_efg
from tremble.formats.foreign import game_of
from tremble.games.kuhn import Kuhn


def test_games_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    tree = tremble.build(game)
    assert tree.digest == tremble.load("openspiel:kuhn_poker").digest
    assert tremble.info(game) == tremble.info(tree)
    solution = tremble.solve(game)
    assert solution.value == F(-1, 18)
    assert tremble.verify(game, solution).ok
    from_rules = tremble.solve(tremble.load_rules("openspiel:kuhn_poker"))
    assert from_rules.method.name == "double-oracle"
    assert tremble.verify(game, from_rules).ok
    assert (
        tremble.strategies.evaluate(game, from_rules).nash_conv
        == tremble.strategies.evaluate(game, from_rules.strategies).nash_conv
        == 0
    )
    assert tremble.solve(game, "perfect").concept == "perfect"
    assert tremble.strategies.evaluate(game, solution).nash_conv == 0
    perfect = tremble.solve(tree, "perfect")
    assert tremble.verify(tree, perfect).proven == "perfect"
    with pytest.raises(tremble.PlayersError):
        tremble.solve(pyspiel.load_game("kuhn_poker(players=3)"))


@pytest.mark.peers
def test_games_of_gambit() -> None:
    kuhn = tremble.load("kuhn")
    game = read_by_gambit(format_efg(kuhn))
    assert tremble.build(game).digest == kuhn.digest
    assert tremble.info(game)["information_sets"] == [6, 6]
    solution = tremble.solve(game, "quasi-perfect")
    assert solution.value == F(-1, 18)
    assert tremble.verify(game, solution).proven == "quasi-perfect"
    assert tremble.strategies.evaluate(game, solution).values == (F(-1, 18), F(1, 18))


@pytest.mark.peers
def test_tables_of_gambit() -> None:
    game = pygambit().Game.from_arrays([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])
    solution = tremble.solve(game)
    assert solution.value == 0
    assert tremble.verify(game, solution).ok
    with pytest.raises(tremble.PlayersError):
        tremble.build(pygambit().Game.new_tree(players=["one", "two", "three"]))


def test_rules_and_trees_are_what_they_are() -> None:
    tree, rules = tremble.load("kuhn"), tremble.load_rules("kuhn")
    assert game_of(tree) is tree
    assert game_of(rules) is rules
    assert tremble.build(rules).digest == tree.digest
    assert tremble.build(rules).spec == "kuhn"
    assert tremble.build(tree) is tree
    assert tremble.build(Kuhn()).digest == tree.digest


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Kuhn, r"Kuhn\(\.\.\.\)"),
        ("kuhn", r"tremble\.load\('kuhn'\)"),
        ([[1, -1], [-1, 1]], "matrix_game"),
    ],
)
@pytest.mark.parametrize(
    "use", [tremble.solve, tremble.build, tremble.info, lambda game: tremble.strategies.evaluate(game, ())]
)
def test_what_is_no_game(use: Any, wrong: Any, words: str) -> None:
    with pytest.raises(GameError, match=words):
        use(wrong)


def test_info_of_rules_is_what_they_count() -> None:
    tree, rules = tremble.info(tremble.load("leduc")), tremble.info(tremble.load_rules("leduc"))
    known = {key: value for key, value in rules.items() if value is not None and key != "digest"}
    assert known == {key: tree[key] for key in known}
    assert "nodes" in known
    assert set(rules) == set(tree)


def of_openspiel() -> Any:
    return pytest.importorskip("pyspiel").load_game("kuhn_poker")


def of_gambit() -> Any:
    return pygambit().Game.new_tree(players=["1", "2"])


@pytest.mark.parametrize("made", [of_openspiel, pytest.param(of_gambit, marks=pytest.mark.peers), Kuhn])
def test_functions_for_trees_say_what_to_call(made: Any) -> None:
    game = made()
    with pytest.raises(GameError, match=r"not a game tree: tremble\.build\(game\)"):
        tremble.strategies.SequenceForm.of(game)
    with pytest.raises(GameError, match=r"not a game tree: tremble\.build\(game\)"):
        tremble.nash_conv(game, ())


def test_evaluate_takes_what_fits() -> None:
    tree, rules = tremble.load("kuhn"), tremble.load_rules("kuhn")
    in_tree, from_rules = tremble.solve(tree), tremble.solve(rules)
    assert (
        tremble.strategies.evaluate(tree, in_tree.strategies).nash_conv
        == tremble.strategies.evaluate(rules, from_rules).nash_conv
        == 0
    )
    with pytest.raises(GameError, match="UnbuiltStrategy"):
        tremble.strategies.evaluate(rules, in_tree)
    with pytest.raises(GameError):
        tremble.strategies.evaluate(tree, from_rules.strategies)
    assert isinstance(game_of(tree), GameTree)

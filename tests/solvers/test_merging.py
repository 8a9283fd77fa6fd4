"""Random games in which something is alike, solved with and without merging it."""

from __future__ import annotations

import random

import pytest

import tremble
from alike_games import AlikeGame, Sequence, alike_game
from random_ordered import RandomOrdered
from tremble import GameTree, Solution
from tremble.exact.colours import refined
from tremble.game.sequence_form import SequenceForm
from tremble.solvers.sequence_classes import SequenceClasses
from tremble.solvers.zero_sum import NashProgram
from tremble.status import Status
from tremble.strategies import Trembles

CONCEPTS = ("nash", "quasi-perfect", "sequential", "perfect")


def classes_of(tree: GameTree) -> list[list[int]]:
    """The class of each sequence of each player in the program of the game."""
    quotient = refined(NashProgram.of(SequenceForm.of(tree)).program, lambda: None)
    assert quotient is not None
    return [of.tolist() for of in SequenceClasses.of_program(quotient).of]


def number_of(tree: GameTree, sequence: Sequence) -> int:
    player, label, action = sequence
    index = tree.infoset_labels[player].index(label)
    return 1 + int(tree.slot_start[player][index]) + tree.actions[player][index].index(action)


def are_as_known(game: AlikeGame, classes: list[list[int]]) -> None:
    """What a renaming exchanges is in one class, and what a payoff keeps apart is not."""
    for pairs, together in ((game.alike, True), (game.apart, False)):
        for one, other in pairs:
            of = classes[one[0]]
            assert (of[number_of(game.tree, one)] == of[number_of(game.tree, other)]) is together, (one, other)


def all_of(number: int) -> None:
    game = alike_game(number)
    classes = classes_of(game.tree)
    are_as_known(game, classes)
    if game.like is not None:
        assert [len(set(of)) for of in classes] == [len(set(of)) for of in classes_of(game.like)]
    for concept in CONCEPTS:
        merged = solved(game.tree, concept)
        if "merged" in merged.stats:
            are_played_alike(game, merged)
            if concept == "perfect":
                are_as_known(game, merged.certificate["classes"])


def solved(tree: GameTree, concept: str, trembles: Trembles | None = None) -> Solution:
    """Merged, and proven, also from its file; nothing else comes out if all are told apart."""
    merged, whole = (tremble.solve(tree, concept, "lp", trembles=trembles, merge=merge) for merge in (True, False))
    assert "merged" not in whole.stats
    for solution in (merged, whole):
        assert (solution.status, solution.concept) == (Status.CERTIFIED, concept), (tree.title, concept)
    assert merged.value == whole.value
    again = tremble.verify(tree, Solution.from_text(merged.to_text()))
    assert again.ok, again.problems
    assert again.proven == merged.verification.proven
    return merged


def are_played_alike(game: AlikeGame, solution: Solution) -> None:
    for (player, label, action), (_, other, twin) in game.alike:
        strategy = solution.strategies[player]
        assert strategy.probability(label, action) == strategy.probability(other, twin), (label, action, other, twin)


def test_there_is_something_to_find() -> None:
    games = [alike_game(number) for number in range(75)]
    assert sum(bool(game.alike) for game in games) > 30
    assert sum(bool(game.apart) for game in games) > 8
    assert sum(game.like is not None for game in games) == 15


@pytest.mark.sample(25)
@pytest.mark.parametrize("number", range(75))
def test_what_is_alike_is_merged_and_nothing_else(number: int) -> None:
    all_of(number)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(75, 1000, 185))
def test_a_thousand_games(first: int) -> None:
    for number in range(first, first + 185):
        all_of(number)


@pytest.mark.parametrize("number", range(0, 75, 8))
def test_mistakes_that_weigh_differently_are_told_apart(number: int) -> None:
    tree = alike_game(number).tree
    rng = random.Random(f"weights {number}")
    rows = [[[rng.choice((1, 2)) for _ in labels] for labels in sets] for sets in tree.actions]
    trembles = Trembles.from_rows(tree, rows)
    solved(tree, "quasi-perfect", trembles)
    classes = solved(tree, "perfect", trembles).certificate.get("classes")
    for player, of in enumerate(classes or ()):
        weights = [weight for row in rows[player] for weight in row]
        assert len(set(of[1:])) == len(set(zip(of[1:], weights, strict=True)))


@pytest.mark.slow
def test_equations_may_be_in_no_basis_of_a_certificate() -> None:
    """A logical of an equation is 0 in the first stable basis that is found here if all is told apart."""
    pytest.importorskip("pyspiel")
    ships = "board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=3,allow_repeated_shots=false"
    solved(tremble.load(f"openspiel:battleship({ships})"), "perfect")


@pytest.mark.parametrize("game", ["kuhn", "jk_four_cards", "leduc:ranks=2", *range(8)])
def test_hands_that_are_alike_without_loss_are_merged(game: str | int) -> None:
    """GameShrink's classes, on the tree in which all cards are told apart; in poker the program has no others."""
    lossless = tremble.shrink(RandomOrdered(game) if isinstance(game, int) else tremble.load_rules(game))
    tree = tremble.build(lossless.game)
    of_hands = lossless.lifting(tree, lossless.apply()).sequence_of
    for hands, of in zip(of_hands, classes_of(tree), strict=True):
        both = set(zip(hands.tolist(), of, strict=True))
        assert len(both) == len(set(hands.tolist()))
        if isinstance(game, str):
            assert len(both) == len(set(of))

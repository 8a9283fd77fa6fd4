"""Filtered games as rules, and what is lifted from them: proven on the original by the checker alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import tremble
from ordered_games import in_tree
from random_ordered import RandomOrdered
from tremble import GameTree, Solution
from tremble.errors import GameError
from tremble.games.leduc import Leduc
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.filter import Filter
from tremble.poker.game import Number, OrderedGame
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.poker.games.leduc_cards import LeducCards
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.stage import Line
from tremble.results import StatedSolution
from tremble.solution.judgements import prove
from tremble.strategies import Trembles

GAMES: dict[str, Callable[[], OrderedGame]] = {
    "four cards": JkFourCards,
    "rhode island": lambda: RhodeIsland(ranks=2, suits=2, raises=1),
    **{
        f"random {seed}, {sum_} sum": lambda seed=seed, sum_=sum_: RandomOrdered(seed, sum_=sum_)
        for seed in (0, 2, 5, 7, 11, 14, 34)  # weights, ranges, first signals that everybody sees
        for sum_ in ("zero", "general")
    },
}
REFINED = ("quasi-perfect", "sequential")


@cache
def lossless(name: str) -> tuple[Abstraction, GameTree, GameTree]:
    """The abstraction of a game, the tree of the game and what is left of it."""
    game = GAMES[name]()
    abstraction = Abstraction(game, lossless_filter(game), "lossless")
    return abstraction, tremble.build(game), abstraction.apply()


def again(tree: GameTree, solution: Solution, folder: Path) -> str | None:
    """What the checker proves of a solution, read back from its file."""
    solution.to_json(folder / "lifted.json")
    return tremble.verify(tree, StatedSolution.from_json(folder / "lifted.json")).proven


def test_the_four_cards_of_the_paper() -> None:
    abstraction, whole, small = lossless("four cards")
    assert (whole.num_nodes, small.num_nodes) == (113, 39)
    assert abstraction.sizes.classes == ((2,), (2,))
    assert small.infoset_labels[0] == ("J1+1", "J1+1 cb", "K1+1", "K1+1 cb")


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", GAMES)
def test_the_tree_has_the_sizes_that_are_computed_without_it(name: str) -> None:
    abstraction, whole, small = lossless(name)
    sizes = abstraction.sizes
    assert tremble.strategies.SequenceForm.of(small).num_sequences == sizes.sequences
    assert small.num_infosets == sizes.information_sets
    for player in (0, 1):
        lifted_from = dict(abstraction.rules.hands(player))
        assert lifted_from.keys() == set(whole.infoset_labels[player])
        assert set(lifted_from.values()) == set(small.infoset_labels[player])


@pytest.mark.sample(16)
@pytest.mark.parametrize("concept", ["nash", *REFINED])
@pytest.mark.parametrize("name", GAMES)
def test_equilibria_lift(name: str, concept: str, tmp_path: Path) -> None:
    abstraction, whole, small = lossless(name)
    solution = tremble.solve(small, concept)
    lifted = abstraction.lift(solution, whole)
    assert (lifted.status, lifted.concept) == ("certified", concept)
    assert lifted.values == solution.values
    assert lifted.verification.nash_conv == 0
    assert again(whole, lifted, tmp_path) == concept
    if concept == "nash" and whole.constant_sum is not None:
        assert tremble.solve(whole).value == solution.value


def test_leduc_with_suits_lifts_from_leduc_without() -> None:
    """The suits are all that is merged; here a tree that nobody shrunk says what the value is."""
    game = LeducCards(Leduc())
    abstraction = Abstraction(game, lossless_filter(game), "lossless")
    small = abstraction.apply()
    leduc = tremble.load("leduc")
    assert small.num_infosets == leduc.num_infosets == (144, 144)
    lifted = abstraction.lift(tremble.solve(small, "quasi-perfect"))
    assert (lifted.concept, lifted.value) == ("quasi-perfect", tremble.solve(leduc).value)


def test_rhode_island_end_to_end() -> None:
    game = RhodeIsland(ranks=2, suits=3, raises=1)
    abstraction = Abstraction(game, lossless_filter(game), "lossless")
    whole, small = tremble.build(game), abstraction.apply()
    assert (whole.num_nodes, small.num_nodes) == (32677, 1371)
    for concept in ("nash", "sequential"):
        lifted = abstraction.lift(tremble.solve(small, concept), whole)
        assert (lifted.status, lifted.concept, lifted.value) == ("certified", concept, Fraction(-1, 64))


def test_weights_of_trembles_lift(tmp_path: Path) -> None:
    abstraction, whole, small = lossless("rhode island")
    rows = [[[1 + (k + i) % 3 for i in range(len(labels))] for k, labels in enumerate(sets)] for sets in small.actions]
    lifted = abstraction.lift(tremble.solve(small, "quasi-perfect", trembles=Trembles.from_rows(small, rows)), whole)
    assert lifted.concept == "quasi-perfect"
    stated = lifted.certificate["trembles"]
    assert [len(sets) for sets in stated] == list(whole.num_infosets)
    assert again(whole, lifted, tmp_path) == "quasi-perfect"


@pytest.mark.parametrize("concept", ["quasi-perfect", "perfect", "one-sided-quasi-perfect"])
def test_orders_of_trembles_lift(concept: str, tmp_path: Path) -> None:
    abstraction, whole, small = lossless("four cards")
    rows = [[[1] * len(labels) for labels in sets] for sets in small.actions]
    orders = [
        [[1 + (k + i) % 3 for i in range(len(labels))] for k, labels in enumerate(sets)] for sets in small.actions
    ]
    sides = [["none", side[1]] if concept.startswith("one-sided") else side for side in (rows, orders)]
    lifted = abstraction.lift(
        tremble.solve(small, concept, trembles=Trembles.from_rows(small, sides[0], orders=sides[1])), whole
    )
    assert lifted.concept == concept
    stated = lifted.certificate["orders"]
    assert [len(sets) for sets in stated if sets != "none"] == list(whole.num_infosets)[
        -len(stated) + ("none" in stated) :
    ]
    assert again(whole, lifted, tmp_path) == concept


def test_beliefs_of_hands_are_weighted_by_deals() -> None:
    """With a jack, the other holds the other jack or one of two kings."""
    abstraction, whole, small = lossless("four cards")
    lifted = abstraction.lift(tremble.solve(small, "sequential"), whole)
    assert lifted.beliefs is not None
    first = lifted.beliefs[0][0]
    assert whole.infoset_labels[0][0] == "J1"
    assert dict(first.nodes) == dict.fromkeys([("J1", "J2"), ("J1", "K1"), ("J1", "K2")], Fraction(1, 3))


def test_what_is_not_best_given_the_certificate_is_not_certified() -> None:
    """A certificate of other plans does not pass: the lifted solution is proven, not believed."""
    abstraction, whole, small = lossless("rhode island")
    solution = tremble.solve(small, "quasi-perfect")
    rows = [[row[0], *reversed(row[1:])] for row in solution.certificate["Y"]]
    false = replace(solution, certificate={**solution.certificate, "Y": rows})
    lifted = abstraction.lift(false, whole)
    assert (lifted.concept, lifted.requested) == ("nash", "quasi-perfect")


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", GAMES)
def test_perfect_equilibria_lift_with_their_certificates(name: str, tmp_path: Path) -> None:
    abstraction, whole, small = lossless(name)
    lifted = abstraction.lift(tremble.solve(small, "perfect"), whole)
    assert (lifted.status, lifted.concept) == ("certified", "perfect")
    assert "classes" in lifted.certificate
    assert again(whole, lifted, tmp_path) == "perfect"


class Tied(RandomOrdered):
    """Most lines of moves are paid nothing."""

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Number, Number]:
        tied = random.Random(f"{self._seed} {lines} tied").random() < 0.6
        return (0, 0) if tied else super().utility(lines, ranks)


def test_combinations_of_rows_lift() -> None:
    """The basis of this game is singular at 0, which a combination of twelve rows shows."""
    game = Tied(59, sum_="general")
    abstraction = Abstraction(game, lossless_filter(game), "lossless")
    lifted = abstraction.lift(tremble.solve(abstraction.apply(), "perfect"))
    operations = [operation for system in lifted.certificate["systems"] for operation in system["row_operations"]]
    assert [len(operation["combination"]) for operation in operations] == [12]
    assert (lifted.status, lifted.concept) == ("certified", "perfect")


def test_a_perfect_certificate_of_other_hands_is_not_certified() -> None:
    abstraction, whole, small = lossless("rhode island")
    solution = tremble.solve(small, "perfect")
    rows = [[row[0], *reversed(row[1:])] for row in solution.certificate["Y"]]
    lifted = abstraction.lift(replace(solution, certificate={**solution.certificate, "Y": rows}), whole)
    assert (lifted.concept, lifted.requested) == ("nash", "perfect")


@pytest.mark.parametrize("name", GAMES)
def test_plans_lift_without_the_tree_of_the_original(name: str) -> None:
    abstraction, whole, small = lossless(name)
    solution = tremble.solve(small)
    plans = abstraction.lift_plans(solution.profile(small))
    found = prove(whole, in_tree(abstraction, plans, whole))
    assert (found.nash_conv, found.values) == (0, solution.values)
    for plan, classes in zip(plans, abstraction.sizes.classes, strict=True):
        assert tuple(len(weight) for weight in plan.weight) == classes


def told_little(game: OrderedGame, seed: int) -> Filter:
    """A filter that tells hands apart at random."""
    ranks = len(game.signals)
    return Filter.of(game, lambda public, private: (sum(public) * 7 + sum(private) * 3 + seed) % ranks // 2)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [name for name in GAMES if "general" not in name])
def test_what_a_filter_loses_is_bounded(name: str, seed: int) -> None:
    _, whole, _ = lossless(name)
    game = GAMES[name]()
    abstraction = Abstraction(game, told_little(game, seed), "told little")
    small = abstraction.apply()
    assert [tremble.classify_recall(small, player) for player in (0, 1)] == ["perfect", "perfect"]  # Proposition 1
    lifted = abstraction.lift(tremble.solve(small), whole)
    assert lifted.bounds is not None
    value = tremble.solve(whole).value
    assert lifted.bounds[0] <= value <= lifted.bounds[1]
    assert lifted.verification.nash_conv == tremble.nash_conv(whole, lifted.strategies)
    assert lifted.status == ("bounded" if lifted.verification.nash_conv else "certified")


def test_losing_all_signals_loses_something() -> None:
    _, whole, _ = lossless("four cards")
    game = JkFourCards()
    blind = Abstraction(game, Filter.of(game, lambda public, private: 0), "blind")
    small = blind.apply()
    assert small.num_nodes == 9  # one class each: nothing is dealt any more
    lifted = blind.lift(tremble.solve(small, "quasi-perfect"), whole)
    assert (lifted.status, lifted.concept, lifted.requested) == ("bounded", "nash", "quasi-perfect")
    assert lifted.verification.nash_conv == Fraction(1, 3)


def test_other_games_are_refused() -> None:
    abstraction, whole, small = lossless("four cards")
    other, other_whole, other_small = lossless("rhode island")
    abstraction.accepts(whole)
    abstraction.accepts(JkFourCards())
    abstraction.accepts(tremble.load_rules("jk_four_cards"))
    for stranger in (other_whole, small, RhodeIsland(), tremble.load_rules("leduc")):
        with pytest.raises(GameError, match="not the original game of this abstraction"):
            abstraction.accepts(stranger)
    with pytest.raises(GameError, match="does not belong to the filtered game"):
        abstraction.lift(tremble.solve(other_small), whole)
    with pytest.raises(GameError, match="is not the original game"):
        other.lift(tremble.solve(other_small), whole)
    with pytest.raises(GameError, match="does not belong to the filtered game"):
        abstraction.lift_plans(tremble.solve(other_small).profile(other_small))
    unbuilt = tremble.solve(tremble.load_rules("jk_four_cards"))
    with pytest.raises(GameError, match="only behavior strategies of the filtered game"):
        abstraction.lift(unbuilt, whole)

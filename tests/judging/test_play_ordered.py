"""Hands of ordered games against a strategy: costs and beliefs beside those of the same game as a tree."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from command import run
from hands_as_trees import OrderedProfile, both, lines, random_profile
from ordered_games import KuhnCards, RandomCards
from random_ordered import RandomOrdered
from tremble import GameError, GameTree
from tremble.game.rules import UnbuiltGame
from tremble.poker.choices import probabilities
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.strategy import OrderedStrategy
from tremble.show.playable import Line, PlayableOrdered
from tremble.show.playing import play_hand, suspicions


def node_line(tree: GameTree, node: int) -> Line:
    above = [node]
    while above[-1]:
        above.append(int(tree.parent[above[-1]]))
    above.reverse()
    return Line(tuple(above), tuple(int(tree.action[n]) for n in above[1:]))


def is_like_the_tree(game: OrderedGame, profile: OrderedProfile, at_most: int = 60) -> int:
    """Compare costs and ranges at some places of the game, at those that are reached; how many these are."""
    hands, built, tree = both(game, profile)
    places = [(line, node) for line, node in lines(game, tree) if tree.player[node] >= 0]
    random.Random(1).shuffle(places)
    checked = 0
    for line, node in places:
        here = node_line(tree, node)
        expected = built.possible(here)
        found = hands.possible(line)
        assert expected is not None
        assert found is not None
        assert {then.actions for then, _ in found} == {then.actions for then, _ in expected}
        if not expected:
            assert hands.losses(line) is None
            continue
        whole, scale = sum(p for _, p in expected), sum(p for _, p in found)
        shares = {then.actions: p / whole for then, p in expected}
        assert {then.actions: p / scale for then, p in found} == shares
        for then, _ in found:
            for h, i, following in zip(then.histories, then.actions, then.histories[1:], strict=False):
                assert game.child(h, i) == following
        assert hands.losses(line) == built.losses(here)
        checked += 1
        if checked == at_most:
            break
    return checked


def small(seed: int) -> bool:
    game = RandomOrdered(seed)
    return sum(round_.num_nodes * round_.num_hands for round_ in Deals.of(game).rounds) < 600


SEEDS = [seed for seed in range(45) if small(seed)]


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_costs_and_ranges_of_random_games_are_those_of_the_tree(seed: int) -> None:
    game = RandomOrdered(seed, sum_="general" if seed % 3 == 0 else "zero")
    long = 2**90 + 13 if seed % 4 == 0 else 10**6
    assert is_like_the_tree(game, random_profile(game, seed, long), 8) > 0


def test_random_games_are_many_and_of_all_kinds() -> None:
    games = [RandomOrdered(seed) for seed in SEEDS]
    assert len(games) > 20
    assert {len(game.rounds) for game in games} == {1, 2}
    assert any(game.weights for game in games)
    assert any(game.ranges for game in games)
    assert any(len(game.rounds) == 2 and game.rounds[1].private for game in games)
    assert {game.compares for game in games} == {False, True}


@pytest.mark.parametrize("denominator", [2**44, 2**61, 3**50])
def test_costs_in_rhode_island_are_those_of_the_tree(denominator: int) -> None:
    game = RhodeIsland(ranks=2, suits=2, raises=1)
    assert is_like_the_tree(game, random_profile(game, 3, denominator, 0.1), 40) == 40


def test_costs_with_two_cards_each_are_those_of_the_tree() -> None:
    game = RandomCards(5, 5, ((0, 2), (1, 0)))
    assert is_like_the_tree(game, random_profile(game, 4), 40) == 40


def test_what_is_unreached_is_uniform_and_what_cannot_be_dealt_is_refused() -> None:
    game = KuhnCards()
    stage = game.rounds[0].stage
    bets = np.zeros((3, 4, 1), dtype=np.int64)
    bets[:, stage.side(0).last[stage.line.index(("bet",))] - 1] = 1
    strategy = OrderedStrategy(0, (np.arange(3),), (bets,), 1)
    assert probabilities(game, strategy, (), (2,), (0,)) == (0, 1)
    assert probabilities(game, strategy, (), (2,), (stage.line.index(("check", "bet")),)) == (Fraction(1, 2),) * 2
    with pytest.raises(GameError, match="cannot be dealt to a player in round 1"):
        probabilities(game, strategy, (1,), (2,), (0,))


def test_the_whole_range_is_weighted_with_what_was_known_when_it_moved() -> None:
    game = RhodeIsland(ranks=2, suits=2, raises=1)
    profile = random_profile(game, 3, often_zero=0.0)
    hands = PlayableOrdered(UnbuiltGame.of(game), profile)
    decision = next(play_hand(hands, 1, 1, 5))
    found = suspicions(decision)
    assert found is not None
    (opening,) = found
    h = decision.line.here
    mine = h.private[1]
    rows = [probabilities(game, profile[0], (), (card,), (0,)) for card in range(4) if card not in mine]
    expected = tuple(sum(row[a] for row in rows) / len(rows) for a in (0, 1))
    assert opening.overall is not None
    assert tuple(p for _, p in opening.overall) == expected
    assert sum(strategy.belief for strategy in opening.strategies) == 1


def test_labels_and_events_hide_what_the_other_was_dealt() -> None:
    game = RhodeIsland(ranks=2, suits=2, raises=1)
    hands = PlayableOrdered(UnbuiltGame.of(game), random_profile(game, 3))
    for seat in (0, 1):
        going = play_hand(hands, seat, 1, 2)
        decision = next(going)
        other = game.signal_text(decision.line.here.private[1 - seat])
        known = hands.label(decision.line) + str(hands.seen(decision.line))
        assert other not in known
        assert game.signal_text(decision.line.here.private[seat]) in known
        assert [event.action for event in hands.seen(decision.line)].count(None) == 1


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solution file of a small game, by regret minimisation."""
    path = tmp_path_factory.mktemp("ordered") / "small.json"
    asked = ["solve", "rhode_island:ranks=2,suits=2", "--gap", "1/2", "-o", str(path), "--quiet"]
    assert run(*asked).exit_code == 0
    return path


def test_a_sitting_against_a_solution_file(solved: Path) -> None:
    typed = "?\nwhy\n" + "2\n" * 30
    asked = ["play", "rhode_island:ranks=2,suits=2", str(solved), "--hands", "2", "--seed", "3", "--why", "--quiet"]
    told = run(*asked, stdin=typed)
    assert told.exit_code == 0, told.output
    assert "not computed" not in told.output
    assert "costs you" in told.output
    assert any(f"you know  {rank}{suit}" in told.output for rank in "QK" for suit in "♣♦")
    assert "The end, after 2 hands" in told.output
    record = run(*asked, "--format", "json", stdin=typed).stdout
    moves = [move for hand in json.loads(record)["hands"] for move in hand["moves"] if "losses" in move]
    assert moves
    assert all(min(map(Fraction, move["losses"])) == 0 for move in moves)


def test_strategies_of_another_game_are_refused(solved: Path) -> None:
    told = run("play", "rhode_island:ranks=3", solved, stdin="q\n")
    assert told.exit_code != 0
    assert "hands" in told.output
    told = run("play", "kuhn", solved, stdin="q\n")
    assert told.exit_code != 0
    assert "ordered game" in told.output


def test_hands_of_one_kind_share_a_row(solved: Path) -> None:
    asked = ["play", "rhode_island:ranks=2,suits=4", "--seed", "1", "--seat", "2"]
    path = solved.with_name("four.json")
    solve = ["solve", "rhode_island:ranks=2,suits=4", "--gap", "2", "-o", str(path), "--quiet"]
    assert run(*solve).exit_code == 0
    told = run(*asked[:2], path, *asked[2:], stdin="why\nq\n")
    assert "in all, when it moved" in told.output
    assert any(f"{rank}♣, {rank}♦" in told.output for rank in "QK")


def test_costs_with_payoffs_beyond_64_bits_are_those_of_the_tree() -> None:
    class Rich(KuhnCards):
        def utility(self, lines: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]) -> tuple[int, int]:
            one, two = super().utility(lines, ranks)
            return one * 2**36, two * 2**36

    game = Rich()
    assert is_like_the_tree(game, random_profile(game, 1, 2**44)) > 10


def test_costs_with_cards_that_differ_only_in_their_weights_are_those_of_the_tree() -> None:
    class Weighted(RandomCards):
        weights = tuple(Fraction(k, 15) for k in range(1, 6))

        def strength(self, public: tuple[int, ...], private: tuple[int, ...]) -> int:
            return int(private[0] > 2)

    game = Weighted(1, 5, ((0, 1), (1, 0)))
    uniform = OrderedStrategy.uniform(game, 0), OrderedStrategy.uniform(game, 1)
    assert is_like_the_tree(game, uniform) == 60

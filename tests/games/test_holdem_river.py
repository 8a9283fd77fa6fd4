"""Hold'em rivers: the ranking of hands, ranges, the betting, and games small enough to know the answer."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction as F
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.errors import SpecError
from tremble.games.parameters import parse_spec
from tremble.poker.abstraction.lossless import is_equitable, lossless_filter
from tremble.poker.deals import Deals
from tremble.poker.games.hand_ranges import DECK, cards_of
from tremble.poker.games.poker_hands import CATEGORIES, hand_scores
from tremble.poker.holdem.river import HoldemRiver

# -- the best five cards -----------------------------------------------------------------------------


def by_hand(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The rank of five cards, written another way: the category, then what decides within it."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    groups = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    order, sizes = tuple(rank for rank, _ in groups), tuple(size for _, size in groups)
    flush = len({card % 4 for card in cards}) == 1
    wheel = ranks == [12, 3, 2, 1, 0]
    straight = wheel or (sizes == (1,) * 5 and ranks[0] - ranks[4] == 4)
    if straight:
        return 8 if flush else 4, 3 if wheel else ranks[0]
    if sizes[0] == 4:
        return 7, *order
    if sizes == (3, 2):
        return 6, *order
    if flush:
        return 5, *order
    return {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(sizes, 0), *order


def test_all_hands_of_five_cards() -> None:
    hands = np.array(list(combinations(range(52), 5)), dtype=np.int8)
    scores = np.concatenate([hand_scores(some) for some in np.array_split(hands, 100)])
    assert len(scores) == comb(52, 5)
    assert dict(zip(CATEGORIES, np.bincount(scores >> 26).tolist(), strict=True)) == {
        "high card": 1_302_540,
        "pair": 1_098_240,
        "two pairs": 123_552,
        "three of a kind": 54_912,
        "straight": 10_200,
        "flush": 5_108,
        "full house": 3_744,
        "four of a kind": 624,
        "straight flush": 40,
    }
    assert len(np.unique(scores)) == 7_462


def test_order_of_hands_of_five_cards() -> None:
    rng = random.Random(1)
    hands = [tuple(rng.sample(range(52), 5)) for _ in range(3000)]
    hands += [tuple(rng.sample(range(24), 5)) for _ in range(3000)]  # more that is rare
    expected = [by_hand(hand) for hand in hands]
    scores = hand_scores(np.array(hands)).tolist()
    assert [score >> 26 for score in scores] == [rank[0] for rank in expected]
    assert sorted(range(6000), key=lambda k: (scores[k], k)) == sorted(range(6000), key=lambda k: (expected[k], k))
    assert len(set(scores)) == len(set(expected))


@pytest.mark.parametrize("size", [6, 7])
def test_more_cards_are_the_best_five_of_them(size: int) -> None:
    rng = random.Random(size)
    hands = [rng.sample(range(52), size) for _ in range(1500)]
    hands += [rng.sample(range(28), size) for _ in range(1500)]
    hands += [rng.sample(range(suit, 52, 4), size) for suit in range(4) for _ in range(200)]  # flushes
    every = np.array([list(combinations(hand, 5)) for hand in hands])
    assert (hand_scores(np.array(hands)) == hand_scores(every).max(axis=1)).all()


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("Ah2h3h4h5hKhQh", "straight flush"),  # the wheel, though a higher flush is there
        ("Ah2d3c4s5hKhKd", "straight"),
        ("AhKhQhJh9hTd2c", "flush"),
        ("AhAdAcKhKdKcQs", "full house"),  # of two threes
        ("AhAdKhKdQhQdJs", "two pairs"),  # of three pairs
        ("2h2d2c2sAhAdAc", "four of a kind"),
        ("QhKhAh2h3hJd4c", "flush"),  # no straight around the corner
        ("QhKdAc2h3d7s8c", "high card"),
    ],
)
def test_traps(cards: str, category: str) -> None:
    numbers = [DECK.index(card) for card in cards_of(cards, "hand")]
    assert CATEGORIES[int(hand_scores(np.array(numbers))) >> 26] == category


def test_kickers_of_seven_cards() -> None:
    def score(text: str) -> int:
        return int(hand_scores(np.array([DECK.index(card) for card in cards_of(text, "hand")])))

    assert score("AhAdKhKdQhQd2s") == score("AhAdKhKdQcJd3s")  # the third pair is a kicker
    assert score("AhAdKhKdQhQd2s") > score("AhAdKhKdJhJd2s")
    assert score("7h7d7c7sKhKd2c") == score("7h7d7c7sKcQdJc")
    assert score("AhKhQhJh9h8h7h") == score("AhKhQhJh9h2d2c")


# -- ranges ------------------------------------------------------------------------------------------

BOARD = ("Qs", "9h", "7s", "4d", "2s")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"board": "Qs9h7s4d"}, "five cards"),
        ({"board": "Qs9h7s4d2s3s"}, "five cards"),
        ({"board": "Qs9h7s4dQs"}, "card Qs is used twice"),
        ({"board": "Qs9h7s4d1s"}, "'1s' is not a card"),
        ({"board": "Qs9h7s4d2x"}, "'2x' is not a card"),
        ({"board": "Qs9h7s4d2"}, "'2' is not a card"),
        ({"board": ""}, "five cards"),
        ({"range1": "AA,AKx"}, "range1: 'AKx' (character 4) is not a hand; write a part like AA"),
        ({"range2": "AA:x"}, "range2: 'AA:x' (character 1) has 'x' instead of a weight"),
        ({"bets": ""}, "has no size"),
        ({"bets": "0.5"}, "'0.5' is not a size"),
        ({"bets": "50,x"}, "'x' is not a size"),
        ({"bets": "50,50%"}, "listed twice"),
        ({"bets": [50, 0.5]}, "bets=[50, 0.5] is a list; expected text, such as '33,75,150'"),
        ({"bets": None}, "bets=None is of the type NoneType; expected text"),
        ({"stack": "lots"}, "stack='lots' is text; expected a number from 0 to 1000000"),
        ({"stack": "2000000"}, "stack=2000000 is not allowed; expected a number from 0 to 1000000"),
        ({"pot": 0}, "pot=0"),
        ({"stack": 0}, "stack=0"),
    ],
)
def test_what_is_wrong_is_named(options: dict[str, object], named: str) -> None:
    with pytest.raises(SpecError) as caught:
        HoldemRiver(**options)  # type: ignore[arg-type]
    assert named in str(caught.value)


def test_a_board_may_have_spaces() -> None:
    assert HoldemRiver(board=" Kh 9d 7s 4c 2h") == HoldemRiver(board="Kh9d7s4c2h")
    assert HoldemRiver(board="Kh 9d 7s 4c 2h").identity() == HoldemRiver(board="Kh9d7s4c2h").identity()


@pytest.mark.parametrize("bets", [[50, 100], (100, 50), ["50", 100.0], np.array([50, 100]), "50,100"])
def test_sizes_may_be_a_list(bets: Any) -> None:
    assert (
        HoldemRiver(bets=bets, stack="200", pot=np.int64(80)).rounds
        == HoldemRiver(  # type: ignore[arg-type]
            bets="50,100", stack=200, pot=80
        ).rounds
    )
    assert HoldemRiver(bets=75) == HoldemRiver(bets="75")  # type: ignore[arg-type]
    assert HoldemRiver(bets=75).identity() == HoldemRiver(bets="75").identity()  # type: ignore[arg-type]


def test_cards_and_ranges_may_be_lists() -> None:
    board, hands = ["Kh", "9d", "7s", "4c", "2h"], ["TT+", "AKs:0.5"]
    game = HoldemRiver(board=board, range1=hands)  # type: ignore[arg-type]
    assert game == HoldemRiver(board="Kh9d7s4c2h", range1="TT+,AKs:0.5")
    assert parse_spec("holdem_river:board=Kh,9d,7s,4c,2h")[0] == HoldemRiver(board="Kh9d7s4c2h")


def test_ranges_that_cannot_meet() -> None:
    for one, two, named in (
        ("AhAd", "AdKc", "for example, AhAd and AdKc"),
        ("22", "2d2h", "for example, 2d2c and 2h2d"),
        ("AA:0", "KK", "range of player 1 has no hand"),
    ):
        with pytest.raises(SpecError, match=named):
            HoldemRiver(range1=one, range2=two)


def test_a_spec_of_ranges() -> None:
    text = "holdem_river:range1=TT+,AKs,QJo:0.5,bets=50,100,board=Kh7s2d9cQc"
    rules, canonical = parse_spec(text)
    assert rules == HoldemRiver(board="Kh7s2d9cQc", bets="50,100", range1="TT+,AKs,QJo:0.5")
    assert canonical == "holdem_river:bets=50,100,board=Kh7s2d9cQc,range1=TT+,AKs,QJo:0.5"
    with pytest.raises(SpecError, match="hand"):
        HoldemRiver().hand("QsAh")


# -- betting -----------------------------------------------------------------------------------------


def test_sizes_by_hand() -> None:
    stage = HoldemRiver().rounds[0].stage
    actions = dict(zip(stage.line, stage.actions, strict=True))
    assert actions[()] == ("check", "bet 33", "bet 75", "bet 150")
    # 33 to call, then a pot of 166: raises by 55 (to 88), 125 (rounded up, to 158) and 249 (to 282)
    assert actions["bet 33",] == ("fold", "call", "raise 33", "raise 75", "raise 150")
    # 150 to call, then a pot of 400: 33 percent of it is less than the bet, the others are all 300 and more
    assert actions["bet 150",] == ("fold", "call", "all-in")
    assert actions["bet 33", "raise 33"] == ("fold", "call", "raise 33", "raise 75", "all-in")
    assert actions["bet 33", "raise 33", "raise 33"] == ("fold", "call")  # two raises
    assert actions["bet 150", "all-in"] == ("fold", "call")


@pytest.mark.parametrize(
    ("line", "ranks", "won"),
    [
        (("check", "check"), (1, 0), 50),
        (("check", "check"), (0, 0), 0),
        (("bet 33", "fold"), (0, 1), 50),
        (("check", "bet 75", "fold"), (1, 0), -50),
        (("bet 33", "call"), (0, 1), -83),
        (("bet 33", "raise 75", "fold"), (1, 0), -83),
        (("bet 33", "raise 75", "call"), (1, 0), 50 + 158),
        (("bet 33", "raise 33", "all-in", "fold"), (0, 1), 50 + 88),
        (("bet 33", "raise 33", "all-in", "call"), (0, 1), -350),
        (("check", "bet 150", "all-in", "call"), (1, 0), 350),
    ],
)
def test_payoffs_by_hand(line: tuple[str, ...], ranks: tuple[int, int], won: int) -> None:
    assert HoldemRiver().utility((line,), ranks) == (won, -won)


@pytest.mark.parametrize("pot", [2, 3, 7, 100])
@pytest.mark.parametrize("stack", [1, 2, 10, 1000])
@pytest.mark.parametrize("sizes", [(1,), (33, 75, 150), (100, 200)])
def test_nobody_stakes_more_than_the_stack(pot: int, stack: int, sizes: tuple[int, ...]) -> None:
    game = HoldemRiver(pot=pot, stack=stack, bets=",".join(map(str, sizes)), raises=3)
    stage = game.rounds[0].stage
    for leaf in stage.ending + stage.going_on:
        won, _ = game.utility((stage.line[leaf],), (1, 0))
        assert F(pot, 2) <= abs(won) <= F(pot, 2) + stack
    for labels in stage.actions:
        assert labels.count("all-in") <= 1


# -- whole games -------------------------------------------------------------------------------------


def test_a_full_river_is_dealt_and_shrunk() -> None:
    game = HoldemRiver()
    (round_,) = Deals.of(game).rounds
    assert round_.num_hands == 1_081
    assert Deals.of(game).total == 1_081 * 990
    shrunk = lossless_filter(game)
    assert shrunk.num_classes(0) == (266,)
    assert is_equitable(game, shrunk)
    # no flush is possible: suits do not matter, and what is left are the 91 pairs of ranks
    assert lossless_filter(HoldemRiver(board="Qs9h7s4d2c")).num_classes(0) == (91,)


def test_strengths_are_those_of_the_rules() -> None:
    game = HoldemRiver()
    rng = random.Random(5)
    hands = [tuple(sorted(rng.sample(range(47), 2))) for _ in range(300)]
    board = [DECK.index(card) for card in BOARD]
    best = [
        max(by_hand(five) for five in combinations([*board, *(DECK.index(game.signals[k]) for k in hand)], 5))
        for hand in hands
    ]
    strength = [game.strength((), hand) for hand in hands]
    for a, b in combinations(range(300), 2):
        assert (strength[a] > strength[b]) == (best[a] > best[b])
        assert (strength[a] == strength[b]) == (best[a] == best[b])


def test_ranges_are_dealt_as_weighed() -> None:
    game = HoldemRiver(range1="AA,KQs:0.5", range2="AK:1/3,22:0,JJ")
    (round_,) = Deals.of(game).rounds
    assert game.ranges is not None
    one, two = game.ranges
    hands = [tuple(hand) for hand in round_.hands[0].tolist()]
    wanted = {
        (a, b): weight * other
        for a, weight in one.items()
        for b, other in two.items()
        if weight * other and not {*a} & {*b}
    }
    total = sum(wanted.values())
    assert round_.mass is not None
    for i, j in np.argwhere(round_.mass[0]).tolist():
        assert (
            F(int(round_.mass[0, i, j]) * round_.unit, Deals.of(game).total) == wanted.pop((hands[i], hands[j])) / total
        )
    assert not wanted


def test_a_polarised_river() -> None:
    """The best hand or nothing against a bluff-catcher, a bet of the pot: one bluff for two good bets, half calls."""
    game = HoldemRiver(bets="100", stack=100, raises=0, range1="QhQd,5h3h", range2="AdQc", board="Qs9h7s4d2c")
    tree = tremble.build(game)
    solution = tremble.solve(tree)
    assert solution.value == 25
    bettor, catcher = solution.strategies
    labels = tree.infoset_labels
    assert bettor.probability(labels[0].index("QhQd"), "all-in") == 1
    assert bettor.probability(labels[0].index("5h3h"), "all-in") == F(1, 2)
    assert catcher.probability(labels[1].index("AdQc a"), "call") == F(1, 2)


def test_a_single_range_leaves_the_other_open() -> None:
    game = HoldemRiver(range1="AA")
    shrunk = lossless_filter(game)
    assert (shrunk.class_of[0][0] >= 0).sum() == 6
    assert (shrunk.class_of[1][0] >= 0).sum() == 1_081
    assert is_equitable(game, shrunk)

"""A reading of the published algorithms: isomorphism against a recursion over all matchings, and what is merged."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import pytest

import tremble
from ordered_games import JackKing, KuhnCards, LeducCards, RandomCards
from tremble.errors import GameError
from tremble.poker.abstraction.literal import _kinds, _levels
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.stage import Line


class Early(RandomCards):
    """In the first round the better hand gets 1 whoever folds; after the last, player 1 wins whatever the hands are."""

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        one, _ = super().utility(lines, (1, 0))
        more = ranks[0] - ranks[1] if len(lines) == 1 else 0
        return one + more, -one - more


def isomorphic(levels: Any, labels: Any, depth: int, one: int, two: int) -> bool:
    """Algorithm 1 but for its step 1, with every matching tried; no memory, no short cut."""
    if depth + 1 == len(levels):
        return bool(labels[one] == labels[two])
    below = levels[depth + 1].nodes
    first, second = ([n for n, node in enumerate(below) if node.parent == parent] for parent in (one, two))
    alike = {(a, b) for a in first for b in second if isomorphic(levels, labels, depth + 1, a, b)}
    return any(all(pair in alike for pair in zip(first, order, strict=True)) for order in permutations(second))


@pytest.mark.parametrize("game", [
    KuhnCards(), JackKing(), RandomCards(1, 4, ((0, 1), (1, 0))), RandomCards(4, 4, ((1, 1),)),
    RandomCards(6, 5, ((0, 1), (1, 0)), tie=1), Early(1, 4, ((0, 1), (1, 0))),
])  # fmt: skip
def test_isomorphism_by_trying_all_matchings(game: OrderedGame) -> None:
    levels = _levels(game)
    labels = utilities(game, levels[-1])
    kinds = _kinds(game, levels)
    for depth, level in enumerate(levels):
        for one, two in combinations(range(min(len(level.nodes), 8)), 2):
            assert (kinds[depth][one] == kinds[depth][two]) == isomorphic(levels, labels, depth, one, two)


def utilities(game: OrderedGame, leaves: Any) -> list[Any]:
    """What all ways to end the last round pay both players, at each leaf: step 2 from the rules themselves."""
    before: list[tuple[Line, ...]] = [()]
    for round_ in game.rounds[:-1]:
        before = [(*lines, round_.stage.line[i]) for lines in before for i in round_.stage.going_on]
    last = game.rounds[-1].stage
    runs = [(*lines, last.line[i]) for lines in before for i, below in enumerate(last.child) if not below]
    return [
        tuple(
            game.utility(run, game.standing([game.strength(node.public, own) for own in node.private])) for run in runs
        )
        for node in leaves.nodes
    ]


def classes(game: OrderedGame, number: int) -> dict[str, int]:
    """Hands as text, and their classes."""
    deals = Deals.of(game).rounds[number]
    found = tremble.shrink(game, "literal").filter.class_of[0][number].tolist()
    texts = [
        game.signal_text(tuple(hand)) + " " + game.signal_text(tuple(seen))
        for seen, hands in zip(deals.public.tolist(), deals.hands.tolist(), strict=True)
        for hand in hands
    ]
    return dict(zip(texts, found, strict=True))


def test_leduc_to_the_letter() -> None:
    """Suits merge. Then a queen no longer sees whether it pairs the board: beside a jack all other boards lose."""
    private, board = classes(LeducCards(), 0), classes(LeducCards(), 1)
    assert private["J1 "] == private["J2 "]
    assert len({private["J1 "], private["Q1 "], private["K1 "]}) == 3
    assert board["Q1 Q2"] == board["Q1 K1"] == board["Q2 J1"]
    assert board["K1 K2"] == board["K1 Q1"]
    assert board["J1 J2"] != board["J1 Q1"] == board["J2 K1"]
    assert set(board.values()) == set(range(4))


@pytest.mark.parametrize(("game", "expected"), [
    (KuhnCards(), (3,)),
    (JackKing(), (2,)),
    (LeducCards(), (3, 4)),
    (RhodeIsland(ranks=3, suits=2), (3, 6, 8)),
    (RhodeIsland(ranks=3), (3, 3, 3)),
])  # fmt: skip
def test_classes_to_the_letter(game: OrderedGame, expected: tuple[int, ...]) -> None:
    assert tremble.shrink(game, "literal").filter.num_classes(0) == expected


def test_step_2_looks_at_the_last_round_alone() -> None:
    """So all hands are one where it pays everybody alike, whatever an earlier round pays."""
    game = Early(1, 4, ((0, 1), (1, 0)))
    assert tremble.shrink(game, "lossless").filter.num_classes(0) != (1, 1)
    assert tremble.shrink(game, "literal").filter.num_classes(0) == (1, 1)


@pytest.mark.parametrize("seed", range(10))
def test_perfect_recall_is_kept(seed: int) -> None:
    """``Filter.of_classes`` would refuse classes that come from different ones of the round before."""
    game = RandomCards(seed, 5, (((0, 1), (1, 0)), ((1, 1), (0, 1)))[seed % 2])
    assert len(tremble.shrink(game, "literal").filter.num_classes(1)) == 2


def test_weights_and_ranges_are_refused() -> None:
    game = KuhnCards()
    game.weights = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    with pytest.raises(GameError, match="does not support weights or ranges"):
        tremble.shrink(game, "literal")

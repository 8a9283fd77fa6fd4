"""Information filters of a user's own: by what is seen, by cells, by numbers; and what is no filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tremble import GameError
from tremble.games.kuhn import Kuhn
from tremble.games.leduc import Leduc
from tremble.poker import Filter
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.filtered import FilteredGame
from tremble.poker.game import OrderedGame
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.poker.games.leduc_cards import LeducCards
from tremble.poker.games.one_card import OneCardOrdered
from tremble.poker.holdem.river import HoldemRiver

JK = JkFourCards()
LEDUC = LeducCards(Leduc())
RANKS = [{"Jh", "Js"}, {"Qh", "Qs"}, {"Kh", "Ks"}]
SAME = [
    {f"{a}{s} {b}{t}" for s in "hs" for t in "hs" if (a, s) != (b, t)} for a in "JQK" for b in "JQK"
]  # private and public rank


def same(one: Filter, two: Filter) -> bool:
    """Whether two filters have the same classes, whatever their numbers."""
    return all(
        len(np.unique(np.stack([a, b]), axis=1).T) == len(np.unique(a)) == len(np.unique(b))
        for player in (0, 1)
        for a, b in zip(one.class_of[player], two.class_of[player], strict=True)
    )


def test_cells_as_the_definition_has_them() -> None:
    shown = Filter.of_cells(JK, [[{"J1", "J2"}, {"K1", "K2"}]])
    assert shown.num_classes(0) == shown.num_classes(1) == (2,)
    assert same(shown, lossless_filter(JK))
    assert same(shown, Filter.of(JK, lambda public, private: private[0] // 2))
    jacks, kings = {"J1", "J2"}, ["K1", "K2"]
    assert same(shown, Filter.of_cells(JK, [{"J1": jacks, "K2": kings, "J2": jacks, "K1": kings}]))


def test_cells_of_two_rounds() -> None:
    ranks = Filter.of_cells(LEDUC, [RANKS, SAME])
    assert same(ranks, lossless_filter(LEDUC))
    assert same(ranks, Filter.of(LEDUC, lambda public, private: (private[0] // 2, *(card // 2 for card in public))))
    assert FilteredGame.of(LEDUC, ranks).sizes.sequences == (337, 337)


def test_players_may_see_different_things() -> None:
    shown = Filter.of_cells(JK, [[{"J1", "J2"}, {"K1", "K2"}]], [[{"J1"}, {"J2"}, {"K1"}, {"K2"}]])
    assert (shown.num_classes(0), shown.num_classes(1)) == ((2,), (4,))
    # the cells of a round may come from anywhere
    assert Filter.of_cells(JK, [iter([("J1", "J2"), ("K1", "K2")])]).num_classes(1) == (2,)


def test_what_was_seen_stays_seen() -> None:
    shown = Filter.of(LEDUC, lambda public, private: private[0] // 2 if not public else None)
    assert shown.num_classes(0) == (3, 3)
    for number in (1,):
        before = shown.class_of[0][0][Deals.of(LEDUC).rounds[number].earlier]
        assert (shown.earlier[0][number][shown.class_of[0][number]] == before).all()


@pytest.mark.parametrize(
    ("game", "cells", "named"),
    [
        (JK, [[{"J1", "J2"}, {"K1"}]], "not truthful: in round 1 no cell contains K2"),
        (JK, [[]], "no cell contains J1, J2, K1, K2"),
        (
            JK,
            [[{"J1", "J2"}, {"J2", "K1", "K2"}]],
            r"not independent: in round 1 J2 is in {J1, J2} and in {J2, K1, K2}",
        ),
        (JK, [[{"J1", "J2"}, {"J1", "J2"}, {"K1", "K2"}]], "not independent"),
        (JK, [[{"J1", "J3"}, {"K1", "K2"}]], "'J3' is not a hand of round 1"),
        (JK, [["J1", "J2"]], "'1' is not a hand"),
        (JK, [[1, 2]], "each cell must be a collection of hands"),
        (JK, [[[["J1"]]]], "each cell must be a collection of hands"),
        (
            JK,
            [{"J1": {"J2"}, "J2": {"J1"}, "K1": {"K1"}, "K2": {"K2"}}],
            "not truthful: in round 1 the cell that is given for J1 is {J2}, which does not contain this",
        ),
        (
            JK,
            [{"J1": {"J1", "J2"}, "J2": {"J2"}, "K1": {"K1"}, "K2": {"K2"}}],
            r"not independent: in round 1 J2 is in {J1, J2} and in {J2}",
        ),
        (JK, [{"J1": {"J1"}, "J2": {"J2"}, "K1": {"K1"}}], "no cell contains K2"),
        (JK, [{"J9": {"J1"}}], "'J9' is not a hand"),
        (JK, [[{"J1", "J2", "K1", "K2"}]] * 2, "cells of 2 rounds are given, but the game has 1"),
        (
            LEDUC,
            [RANKS, [set().union(*SAME)]],
            "information is not preserved: in round 2 player 1 .*for J. J. and Q. J",
        ),
        (LEDUC, [[{"Jh"}, {"Js"}, *RANKS[1:]], SAME], "for Js J. and Jh J., but could distinguish them in round 1"),
    ],
)
def test_cells_that_are_no_filter(game: OrderedGame, cells: Any, named: str) -> None:
    with pytest.raises(GameError, match=named):
        Filter.of_cells(game, cells)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda classes: (classes[0],), "arrays for 2 players, each for 2 rounds"),
        (lambda classes: (classes[0][:1], classes[1]), "arrays for 2 players, each for 2 rounds"),
        (
            lambda classes: (classes[0], (classes[1][0], classes[1][1][:-1])),
            "player 2 in round 2 must be an array of 30 integers",
        ),
        (lambda classes: (classes[0], (classes[1][0] * 1.0, classes[1][1])), "must be an array of 6 integers"),
        (lambda classes: (classes[0], ([0] * 6, classes[1][1])), "must be an array of 6 integers"),
        (lambda classes: ((classes[0][0] - 1, classes[0][1]), classes[1]), "Jh has no class, but can be dealt"),
        (lambda classes: ((classes[0][0] * 2, classes[0][1]), classes[1]), "without gaps"),
        (lambda classes: ((classes[0][0], classes[0][1] * 0), classes[1]), "information is not preserved"),
    ],
)
def test_numbers_that_are_no_filter(change: Callable[[Any], Any], named: str) -> None:
    full = Filter.full(LEDUC)
    assert same(Filter.of_classes(LEDUC, full.class_of), full)
    with pytest.raises(GameError, match=named):
        Filter.of_classes(LEDUC, change(full.class_of))


def test_what_is_shown_can_be_hashed() -> None:
    with pytest.raises(GameError, match="list"):
        Filter.of(OneCardOrdered(Kuhn()), lambda public, private: [private])  # type: ignore[arg-type,return-value]


def test_hands_that_are_never_dealt_have_no_class() -> None:
    game = HoldemRiver(range1="AA,KK:0", range2="QQ,JJ", bets="100", raises=0)
    (round_,) = Deals.of(game).rounds
    texts = [game.signal_text(tuple(hand)) for hand in round_.hands[0].tolist()]
    pairs = [text for text in texts if text[0] == text[2]]
    cells = [[{text} for text in texts if text not in pairs], [set(pairs)]]
    shown = Filter.of_cells(game, [[*cells[0], *cells[1]]])
    assert (shown.num_classes(0), shown.num_classes(1)) == ((1,), (1,))
    dealt = [{texts[k] for k in np.flatnonzero(shown.class_of[player][0] != NEVER)} for player in (0, 1)]
    assert {text[0] for text in dealt[0]} == {"A"}
    assert {text[0] for text in dealt[1]} == {"Q", "J"}
    assert (len(dealt[0]), len(dealt[1])) == (6, 3 + 6)
    full = Filter.full(game)
    assert (full.num_classes(0), full.num_classes(1)) == ((6,), (9,))
    assert FilteredGame.of(game, shown).rounds[0].mass.sum() == Deals.of(game).total

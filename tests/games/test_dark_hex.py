"""Dark hex: its rules, its sizes, and its value."""

from __future__ import annotations

from fractions import Fraction

import pytest

import tremble
from tremble.large.dark_hex import DarkHex


@pytest.mark.parametrize("size", [2, 3])
def test_exactly_one_player_connects_on_a_full_board(size: int) -> None:
    cells = size**2
    rules = DarkHex(size)
    for stones in range(1 << cells):
        assert rules._connects(0, stones) != rules._connects(1, ~stones & ((1 << cells) - 1))


def test_the_word_after_a_try() -> None:
    for abrupt in (False, True):
        rules = DarkHex(abrupt=abrupt)
        h = rules.child(rules.child(rules.root(), 4), 4)
        assert rules.player(h) == (0 if abrupt else 1)
        assert rules.observation(h, 1) == "-"
        assert rules.infoset(h) == ("4+" if abrupt else "4-")


def test_the_default_order_begins_at_the_center() -> None:
    rules, h, order = DarkHex(abrupt=True), DarkHex().root(), []
    while rules.player(h) != tremble.TERMINAL:
        i = rules.default(h)
        order.append(rules.actions(h)[i])
        h = rules.child(h, i)
    assert order == ["4", "4", "2", "2", "6"]  # player 2 fails each time, and player 1 connects


@pytest.mark.parametrize(("spec", "version"), [("dark_hex:size=2", "cdh"), ("dark_hex:size=2,abrupt=true", "adh")])
def test_the_tree_is_openspiels(spec: str, version: str) -> None:
    pytest.importorskip("pyspiel")
    ours, theirs = tremble.load(spec), tremble.load(f"openspiel:dark_hex(board_size=2,gameversion={version})")
    assert ours.num_nodes == theirs.num_nodes
    assert tremble.solve(ours).value == tremble.solve(theirs).value


def test_the_abrupt_version_is_worth_half_a_win() -> None:
    assert tremble.solve(tremble.load("dark_hex:size=2,abrupt=true")).value == Fraction(1, 2)


@pytest.mark.slow
def test_player_1_wins_on_nine_cells() -> None:
    rules = tremble.load_rules("dark_hex")
    counts = rules.rules.counts()
    assert sum(map(sum, ([counts["nodes"]["terminal"]], counts["nodes"]["player"]))) == 19_119_486_979
    assert counts["information_sets"] == [3_720_850, 2_352_067]
    solution = tremble.solve(rules, method="double-oracle")
    assert (solution.status, solution.bounds) == ("certified", (1, 1))

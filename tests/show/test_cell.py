"""Cells of notebooks: what can be read, in the light and in the dark, and what stays closed until it is opened."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from rich.console import Group
from rich.text import Text
from test_draw import contrast

import tremble
from tremble.text.cell import cell, inline
from tremble.text.theme import asset
from tremble.text.view import DECIMAL, EXACT, add, table


def test_every_colour_of_a_cell_can_be_read() -> None:
    light, dark = asset("cell.css").split("@media (prefers-color-scheme:dark){")
    for sheet in (light, dark):
        (paper,) = re.findall(r"background:(#\w{6})", sheet)
        colours = re.findall(r"[{;]color:(#\w{6})", sheet)
        assert len(colours) >= 7
        for colour in colours:
            assert contrast(colour, paper) >= 4.5, (colour, paper)


def test_what_is_coloured_in_the_light_is_in_the_dark() -> None:
    light, dark = asset("cell.css").split("@media (prefers-color-scheme:dark){")
    coloured = [
        {part for names, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet) if "#" in body for part in names.split(",")}
        for sheet in (light, dark)
    ]
    assert len(coloured[0]) > 8
    assert {part.strip() for part in coloured[0]} == {part.strip() for part in coloured[1]}


def read(html: str) -> list[tuple[str, str]]:
    """What stands in the column of probabilities, and what a click opens beside it."""
    return re.findall(r'<td class="number">([^<]*)</td><td class="exact">([^<]*)</td>', html)


def test_a_short_fraction_stands_as_it_is_and_else_a_decimal() -> None:
    rows = table("action", EXACT, DECIMAL, right=(EXACT,))
    for exact, decimal in (("1/3", "0.333333"), ("1", "1"), ("1000…0001/4239…3201", "0.235"), ("0.25", "0.250000")):
        add(rows, "bet", exact, decimal)
    html = cell(rows)
    assert read(html) == [("1/3", "≈ 0.333333"), ("1", ""), ("0.235", "= 1000…0001/4239…3201"), ("0.25", "")]
    assert '<details class="forms"><summary>exact numbers and decimals' in html
    assert "details" not in re.sub("<style>.*?</style>", "", cell(Text("no number")), flags=re.DOTALL)


def test_nothing_is_to_be_opened_where_all_is_pure() -> None:
    rows = table("action", EXACT, DECIMAL)
    add(rows, "bet", "1", "1")
    assert "exact" not in re.sub("<style>.*?</style>", "", cell(rows), flags=re.DOTALL)


def test_solutions_and_lists_write_probabilities_alike() -> None:
    moves = ["dare", "yield"]
    chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=moves, columns=moves)
    found = tremble.all_equilibria(chicken)
    assert "dare 1/3, yield 2/3" in found._repr_html_()
    assert [pair[0] for pair in read(found[1]._repr_html_())] == ["1/3", "2/3"] * 2
    kuhn = tremble.solve(tremble.load("kuhn"), "sequential")
    assert {"1/3", "2/3"} <= {pair[0] for pair in read(kuhn._repr_html_())}
    floats = [strategy.as_float() for strategy in kuhn.strategies]
    assert ("0.333333", "= 0.3333333333333333") in read(floats[0]._repr_html_())


def shown_and_folded(tree: tremble.GameTree) -> tuple[str, str]:
    """What a card shows at once, and what it shows after a click."""
    html = re.sub("<style>.*?</style>", "", tree._repr_html_(), flags=re.DOTALL)
    shown, summary, folded = html.partition("<details><summary>sizes and digest</summary>")
    assert summary
    folded, end, rest = folded.partition("</details>")
    assert end
    assert not re.sub("</div>|\\s", "", rest)
    return shown, folded


@pytest.mark.parametrize("spec", ["matching_pennies", "entry_deterrence", "kuhn"])
def test_the_card_of_a_small_game_shows_the_game(spec: str) -> None:
    tree = tremble.load(spec)
    shown, folded = shown_and_folded(tree)
    assert tree.title in shown
    assert ("<svg" in shown) == (spec != "matching_pennies")
    assert ("1*, -1" in re.sub("<[^>]*>", "", shown)) == (spec == "matching_pennies")
    assert tree.digest not in shown
    assert "information sets</th>" not in shown
    for words in (tree.digest, f"{tree.num_nodes}</td>", "information sets"):
        assert words in folded


def test_the_card_of_a_large_game_shows_its_sizes() -> None:
    assert "<details>" not in tremble.load("leduc")._repr_html_()
    assert "1,936" in tremble.load("leduc")._repr_html_()
    large = tremble.matrix_game([[0] * 20] * 20)
    assert "<details>" not in large._repr_html_()


def test_beliefs_are_labels_with_probabilities() -> None:
    solution = tremble.solve(tremble.load("beer_quiche"), "sequential")
    assert solution.beliefs is not None
    row = solution.beliefs[1][1]
    assert repr(row) == "<BeliefRow of information set 2: weak / quiche 1/2; strong / quiche 1/2>"
    assert "weak / quiche 1/2" in repr(solution.beliefs)
    assert [line.split() for line in str(row).splitlines()[2:]] == [
        ["weak,", "quiche", "1/2", "0.500000"], ["strong,", "quiche", "1/2", "0.500000"],
    ]  # fmt: skip
    assert read(row._repr_html_()) == [("1/2", "≈ 0.500000")] * 2
    many = replace(row, nodes=tuple(((f"node {k}\x1b[31m",), Fraction(1, 900)) for k in range(900)))
    assert len(repr(many)) < 250
    assert "\x1b" not in repr(many) + str(many)
    assert repr(replace(row, nodes=())).endswith("chance never comes here>")


def test_long_exact_numbers_stand_behind_their_decimals() -> None:
    solution = tremble.solve(tremble.matrix_game([[Fraction(10**20, 3), 0], [0, Fraction(7, 10**9 + 7)]]))
    html = solution._repr_html_()
    assert re.search(r'≈ [\d.e-]+ <span class="exact">= \d+/\d+</span>', html)
    assert "≈" not in re.sub(r"<style>.*?</style>", "", tremble.load("kuhn")._repr_html_(), flags=re.DOTALL)


def test_what_is_long_is_clipped_and_said_under_the_pointer() -> None:
    rows = table("label")
    add(rows, "x" * 10_000)
    html = cell(Group(rows, Text("y" * 10_000)))
    assert html.count("x" * 100) < 5
    assert 'title="xxx' in html
    assert html.count("y") < 300


def test_a_picture_keeps_no_names_that_are_those_of_the_page() -> None:
    kuhn = tremble.load("kuhn")
    uniform = [tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
    picture = tremble.show.draw_comparison_svg(kuhn, tremble.compare(kuhn, tremble.solve(kuhn), uniform))
    assert " id=" in picture
    assert " id=" not in inline(picture)
    assert "aria-labelledby" not in inline(picture)


def test_bimatrix_marks_best_replies() -> None:
    game = tremble.matrix_game([[3, 0], [5, 1]], [[3, 5], [0, 1]], rows=["silent", "talk"], columns=["silent", "talk"])
    lines = [line.split() for line in str(game).splitlines()]
    assert ["silent", "3,", "3", "0,", "5*"] in lines
    assert ["talk", "5*,", "0", "1*,", "1*"] in lines


def test_ranges_are_squares_of_ranks() -> None:
    river = tremble.load_rules('holdem_river:range1="AA,KQs:0.5"')
    html = river._repr_html_()
    assert "KQs: 50.0% of" in html
    assert "AA: 100.0% of 6 hands" in html
    assert "<svg" not in tremble.load_rules("holdem_river")._repr_html_()


def test_a_comparison_tells_names_only_where_they_tell_something() -> None:
    kuhn = tremble.load("kuhn")
    one, two = tremble.solve(kuhn), tremble.solve(kuhn, "quasi-perfect")
    assert "first " not in str(tremble.compare(kuhn, one, two)).split("differ at")[0]


def test_names_of_players_and_games_stand_where_they_are_known() -> None:
    entry = tremble.load("entry_deterrence")
    uniform = [tremble.BehaviorStrategy.uniform(entry, player) for player in (0, 1)]
    for value in (tremble.audit(entry, uniform), tremble.compare(entry, uniform, tremble.solve(entry))):
        assert str(value).startswith("Entry deterrence")
        assert "Incumbent" in str(value)

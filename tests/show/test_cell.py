"""Cells of notebooks: what can be read, in the light and in the dark, and what stays closed until it is opened."""

from __future__ import annotations

import re
from fractions import Fraction

from rich.console import Group
from rich.text import Text
from test_draw import contrast

import tremble
from tremble.show.cell import cell, inline
from tremble.show.tables import DECIMAL, EXACT, add, table
from tremble.show.theme import asset


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


def test_decimals_come_first_and_exact_numbers_are_opened() -> None:
    rows = table("action", EXACT, DECIMAL)
    add(rows, "bet", "1/3", "0.333333")
    html = cell(rows)
    assert html.index("0.333333") < html.index("1/3")
    assert html.count('class="exact"') == 2
    assert "<details>" in html
    assert "<details>" not in cell(Text("nothing exact"))


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

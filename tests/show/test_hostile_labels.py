"""Labels of games from strangers: no page, picture or table executes them, or holds what it cannot show."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tremble
from command import run
from tremble import BehaviorStrategy, TreeBuilder
from tremble.formats.game_json import write_json
from tremble.game.rules import UnbuiltGame
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.betting import limit_betting, limit_payoff
from tremble.poker.stage import Line
from tremble.poker.strategy import OrderedStrategy
from tremble.show.explorer import explorer_html
from tremble.show.strategy_svg import strategy_svg
from tremble.text import records
from tremble.text.markup import escape, no_formula

CONTROLS = "".join(map(chr, (*range(1, 9), *range(11, 32), *range(127, 160)))) + "\u202e\u2028\ufffe\uffff"
HOSTILE = f'<script>alert("1")</script>\x1b[31m\'"&{CONTROLS}'
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", " =1", "=cmd|' /C calc'!A0")


def heard(text: str) -> str:
    """The same text, if there are no control characters in it."""
    found = set(text) & set(CONTROLS)
    assert not found, sorted(map(ascii, found))
    return text


def told(text: str) -> str:
    """The same text, if it may stand in a page: no label is taken for markup either."""
    assert "<script>alert" not in text
    return heard(text)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game in which whatever has a name has a hostile one."""
    builder = TreeBuilder(title=f"T{HOSTILE}", players=(f"P{HOSTILE}", f"Q{HOSTILE}"))
    builder.chance((f"c{HOSTILE}", "d"), (Fraction(1, 3), Fraction(2, 3)))
    for c in range(2):
        builder.decision(0, f"s{HOSTILE}{c}", (f"x{HOSTILE}", *FORMULAS))
        for i in range(1 + len(FORMULAS)):
            builder.decision(1, f"r{HOSTILE}{c}", (f"u{HOSTILE}", "=v"))
            for j in range(2):
                builder.leaf(c + (i * j) % 3, -c - (i * j) % 3)
    path = tmp_path_factory.mktemp("hostile") / "game.json"
    write_json(builder.finish(), path)
    return path


@pytest.fixture(scope="module")
def solutions(game: Path) -> tuple[Path, Path]:
    tree = tremble.load(str(game))
    one, two = game.with_name("one.json"), game.with_name("two.json")
    tremble.solve(tree).to_json(one)
    document = json.loads(one.read_text("utf-8"))
    for side in document["strategies"]:
        for row in side:
            row["actions"] = [[action, f"1/{len(row['actions'])}"] for action, _ in row["actions"]]
    two.write_text(json.dumps({"strategies": document["strategies"]}), "utf-8")
    return one, two


def printed(*arguments: object) -> str:
    result = run(*arguments, "--quiet")
    assert result.exit_code in {0, 1}, result.output
    return result.stdout


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_pages_and_pictures_of_trees(game: Path, solutions: tuple[Path, Path], tmp_path: Path, ending: str) -> None:
    pictures = [tmp_path / f"{name}.{ending}" for name in ("plain", "solved", "compared")]
    printed("draw", game, "-o", pictures[0])
    printed("draw", game, solutions[0], "-o", pictures[1])
    printed("compare", game, *solutions, "-o", pictures[2])
    for picture in pictures:
        text = told(picture.read_text("utf-8"))
        assert "\\x1b[31m" in text
        if ending == "svg":
            ElementTree.fromstring(text)
        else:
            assert not re.search(r"<script(?!>\n\"use strict\"|>\n)", text)
            for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
                ElementTree.fromstring(svg)


class Hostile(OrderedGame):
    """Kuhn poker with hostile cards and moves."""

    name = f"T{HOSTILE}"
    signals: tuple[str, ...] = (f"J{HOSTILE}", "=Q", f"K{HOSTILE}")
    rounds = (Round(limit_betting(1), private=1),)

    def strength(self, public: Signals, private: Signals) -> int:
        return private[0]

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        return limit_payoff(lines, ranks, 1, (1,))


def test_pages_and_pictures_of_strategies_from_rules() -> None:
    rules = Hostile()
    profile = OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    game = UnbuiltGame.of(rules)
    told(explorer_html(game, profile))
    ElementTree.fromstring(told(strategy_svg(game, [profile])))
    labels = {
        row["label"][0] for row in csv.DictReader(io.StringIO(heard(records.csv_text(profile, game)), newline=""))
    }
    assert labels
    assert not labels & set("=+-@")


def test_strategies_in_notebooks(game: Path) -> None:
    tree = tremble.load(str(game))
    for player in (0, 1):
        text = told(BehaviorStrategy.uniform(tree, player)._repr_html_())
        assert "\\x1b[31m" in text


def test_no_table_for_spreadsheets_holds_a_formula(game: Path, solutions: tuple[Path, Path]) -> None:
    tables = [
        printed("solve", game, "--format", "csv"),
        printed("respond", game, solutions[1], "--format", "csv"),
        printed("audit", game, solutions[1], "--format", "csv"),
        printed("compare", game, *solutions, "--format", "csv"),
        printed("certify", game, solutions[1], "--format", "csv"),
    ]
    for table in tables:
        heard(table)
        rows = list(csv.DictReader(io.StringIO(table, newline="")))
        assert rows
        shown = {row[column] for row in rows for column in ("label", "action", "better") if row.get(column)}
        assert "'=1+1" in shown or "'=v" in shown
        for row in rows:
            for column, cell in row.items():
                if cell and cell.lstrip()[0] in "=+-@\t\r":
                    assert column not in {"label", "action", "better"}
                    Fraction(cell)  # a negative number stays one


def test_negative_numbers_stay_numbers(tmp_path: Path) -> None:
    tree = tremble.matrix_game([[0, 0], [-3, -3]])
    strategies = [BehaviorStrategy.from_rows(tree, 0, [[0, 1]]), BehaviorStrategy.from_rows(tree, 1, [[1, 0]])]
    one = tremble.BehaviorStrategy.from_rows(tree, 0, [[1, 0]])
    table = records.comparison_csv(tremble.compare(tree, strategies, [one, strategies[1]]))
    assert [row["first"] for row in csv.DictReader(io.StringIO(table))] == ["0", "1"]
    columns, rows = ("label", "loss"), [{"label": "-1", "loss": "-1"}, {"label": None, "loss": -1}]
    assert records.rows_csv(columns, rows) == "label,loss\n'-1,-1\n,-1\n"


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas(text: str) -> None:
    assert no_formula(text)[0] in "'\\"
    assert no_formula(f"a{text}"[:2]) == f"a{text}"[:2].translate({9: "\\t", 13: "\\r"})


def test_what_is_no_formula_is_not_changed() -> None:
    for text in ("call", "all-in", "K:cb", "", "'", "1/2", "é 東", "a=b", "(-1)"):
        assert no_formula(text) == text
    assert escape("é 東") == "é 東"

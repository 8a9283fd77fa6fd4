"""Pictures and tables of what hands do in ordered games: what they show is what the strategies say."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import tremble
from command import run
from hands_as_trees import both, lines, random_profile
from random_ordered import RandomOrdered
from tremble.errors import SpecError, TooLargeError
from tremble.game.hands import HandRow, Panel, Place, Spot
from tremble.game.rules import UnbuiltGame
from tremble.poker.choices import probabilities
from tremble.poker.class_rows import class_rows
from tremble.poker.deals import Deals
from tremble.poker.first_round import first_round_views
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.holdem.river import HoldemRiver
from tremble.poker.panels import place_of, spot_of
from tremble.poker.payoffs import histories
from tremble.poker.strategy import OrderedStrategy
from tremble.show.explorer import explorer_html
from tremble.show.strategy_svg import StrategyPicture, strategy_svg
from tremble.text import cards
from tremble.text.captions import compact_text
from tremble.text.cards import cards_text
from tremble.text.markup import text_width

GAME = RhodeIsland(ranks=3, suits=3, raises=2)
SVG = "{http://www.w3.org/2000/svg}"


def uniform(game: OrderedGame) -> tuple[OrderedStrategy, OrderedStrategy]:
    return OrderedStrategy.uniform(game, 0), OrderedStrategy.uniform(game, 1)


def test_names_are_written_once_however_many_decisions_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A river has a thousand hands and hundreds of decisions, of which a table has columns for a few."""
    game = HoldemRiver(bets="50,100", raises=3, stack=2000)
    written: list[object] = []
    plain, has_cards = HoldemRiver.signal_text, cards.has_cards
    monkeypatch.setattr(HoldemRiver, "signal_text", lambda self, hand: (written.append(hand), plain(self, hand))[1])
    looked: list[object] = []
    monkeypatch.setattr(cards, "has_cards", lambda rules: (looked.append(rules), has_cards(rules))[1])
    profile = uniform(game)
    decisions = len(spot_of(game, profile, Place(0, 0, None)).panels)
    assert decisions > 40
    assert written == []  # nobody has looked at a row
    first_round_views(game, profile, 20)
    hands = sum(len(np.unique(strategy.class_of[0])) for strategy in profile)
    assert 0 < len(written) <= hands
    assert len(looked) <= 2


@pytest.mark.parametrize("seed", [0, 1, 2, 5, 7, 9, 12, 14])
def test_panels_show_every_decision_with_its_probabilities(seed: int) -> None:
    game = RandomOrdered(seed)
    profile = random_profile(game, seed)
    for number in range(len(game.rounds)):
        for state in range(Deals.of(game).rounds[number].num_states):
            spot = spot_of(game, profile, Place(number, state, None))
            stage = game.rounds[number].stage
            assert [panel.line for panel in spot.panels] == [
                stage.line[node] for node, mover in enumerate(stage.mover) if mover >= 0
            ]
            before = [game.rounds[k].stage.line.index(moves) for k, moves in enumerate(spot.lines)]
            for panel in spot.panels:
                node = stage.line.index(panel.line)
                for row in panel.rows:
                    for hand in row.hands:
                        exact = probabilities(game, profile[panel.player], spot.public, hand, (*before, node))
                        assert np.allclose(row.probabilities, [float(p) for p in exact])
                shares = sum(row.share for row in panel.rows)
                assert shares == pytest.approx(1) or panel.likely == 0
                assert sum(panel.overall) == pytest.approx(1)
                assert sum(row.dealt for row in panel.rows) > 0


@pytest.mark.parametrize("seed", [0, 2, 5, 9])
def test_how_likely_a_decision_is_agrees_with_the_tree(seed: int) -> None:
    game = RandomOrdered(seed)
    profile = random_profile(game, seed)
    tree = both(game, profile)[2]
    for state in range(min(3, Deals.of(game).rounds[0].num_states)):
        spot = spot_of(game, profile, Place(0, state, None))
        reach: dict[tuple[str, ...], Fraction] = {}
        stage = game.rounds[0].stage
        for line, node in lines(game, tree):
            h = line.here
            if h.round or tree.player[node] < 0 or h.public != spot.public:
                continue
            p = Fraction(1)
            for past, action in zip(line.histories, line.actions, strict=False):
                mover = game.player(past)
                if mover >= 0:
                    row = probabilities(game, profile[mover], past.public, past.private[mover], past.nodes)
                    p *= row[action]
                else:
                    p *= game.chance(past)[action]
            moves = stage.line[h.nodes[0]]
            reach[moves] = reach.get(moves, Fraction(0)) + p
        for panel in spot.panels:
            assert panel.likely == pytest.approx(float(reach[panel.line] / reach[spot.panels[0].line]))


def test_places_are_found_by_cards_and_moves() -> None:
    assert place_of(GAME, None, None) == Place(0, 0, None)
    assert place_of(GAME, None, "cb") == Place(0, 0, 0, 3)
    flop = place_of(GAME, "Qd", None)
    assert (flop.round, flop.line) == (1, None)
    assert place_of(GAME, "Qd", "cbc") == Place(1, flop.state, histories(GAME, 1).index((("check", "bet", "call"),)))
    assert place_of(GAME, " Qd,Kc ", "cc:bc:b").round == 2
    assert spot_of(GAME, uniform(GAME), place_of(GAME, "QdKc", "cc:bc:b")).panels[0].line == ("bet",)


@pytest.mark.parametrize(
    ("board", "line", "said"),
    [
        ("Xd", None, "'Xd' is not a signal"),
        ("QdQd", None, "cannot be dealt"),
        ("QdQcQh", None, "has 3 signals; possible numbers are 0, 1, 2"),
        ("Qd", "cb", "'cb' is not possible in round 1"),
        ("Qd", "cc:cc", "'cc' is not possible in round 2"),
        ("QdKc", "cc", "moves of 1 rounds"),
        (5, None, "'board' must be a text, such as 'Qd', not 5"),
        ("", 5, "'line' must be a text"),
    ],
)
def test_places_that_there_are_not(board: str, line: str | None, said: str) -> None:
    with pytest.raises(SpecError, match=re.escape(said)):
        place_of(GAME, board, line)


def test_hands_stand_in_the_order_of_their_strength() -> None:
    first = spot_of(GAME, random_profile(GAME, 1), Place(0, 0, None))
    names = [row.name for row in first.panels[0].rows]
    assert [name[0] for name in names] == sorted((name[0] for name in names), key="JQK".index)
    turn = spot_of(GAME, random_profile(GAME, 1), place_of(GAME, "QdKd", "cc:cc"))
    strengths = [GAME.strength(turn.public, row.hands[0]) for row in turn.panels[0].rows]
    assert strengths == sorted(strengths)


def test_the_picture_has_a_bar_for_each_hand_and_says_what_it_does() -> None:
    profile = random_profile(GAME, 1, often_zero=0.0)
    picture = strategy_svg(UnbuiltGame.of(GAME), [profile], place_of(GAME, "Qd", "cc"))
    ElementTree.fromstring(picture)
    spot = spot_of(GAME, profile, place_of(GAME, "Qd", "cc"))
    titles = re.findall(r"<title>([^<]*)</title>", picture)
    for panel in spot.panels:
        for row in panel.rows:
            hands = " ".join(cards_text(GAME)(GAME.signal_text(hand)) for hand in row.hands)
            said = ", ".join(f"{a} {p:.1%}" for a, p in zip(panel.actions, row.probabilities, strict=True))
            assert any(title.startswith(f"{hands}: {said};") for title in titles)
    assert "Q♦" in picture
    bars = sum(row.share > 0.001 for panel in spot.panels for row in panel.rows)
    assert picture.count('class="share"') == bars + 1  # the legend
    assert "how often play reaches the decision" in picture
    assert "strategy never reaches it" not in picture
    assert picture == strategy_svg(UnbuiltGame.of(GAME), [profile], place_of(GAME, "Qd", "cc"))


@pytest.mark.parametrize("count", [2, 3, 10, 19, 25, 26, 40, 59])
def test_names_below_bars_keep_their_distance(count: int) -> None:
    game = HoldemRiver()
    hand = game.hand("AhTh")
    rows = tuple(HandRow("A♥T♥ …", (hand,), k, (0.5, 0.5), 1 / count, 1.0, 1.0) for k in range(count))
    spot = Spot(0, (), (), (Panel(0, (), ("check", "bet 33"), 1.0, lambda: rows),))
    drawn = ElementTree.fromstring(StrategyPicture(UnbuiltGame.of(game), game, [spot], [""]).draw())
    names = [each for each in drawn.iter(f"{SVG}text") if each.get("class") == "hand"]
    at = [float(str(each.get("x"))) for each in names]
    assert len(at) > 1
    assert all(after - before > text_width("A♥T♥ …", 10.5) for before, after in pairwise(at))


def test_where_play_never_comes_hands_count_as_dealt() -> None:
    """As in the explorer; and not by classes, of which one may be one hand, and another one many."""
    game = HoldemRiver(board="Kh9d7s4c2h", bets="100", raises=0, range1="AA:0.5,99", range2="AA,QQ")
    solution = tremble.solve(game, method="dcfr", gap=20)
    rows = [
        HandRow("", (), k, probabilities, 0.0, 0.0, dealt)
        for k, (probabilities, dealt) in enumerate((((1.0, 0.0), 1.0), ((0.0, 1.0), 3.0)))
    ]
    assert Panel(0, (), ("fold", "call"), 0.0, lambda: tuple(rows)).overall == (0.25, 0.75)
    (panel, *_) = spot_of(game, solution.strategies, Place(0, 0, None)).panels
    dealt = {row.name[0]: 0.0 for row in panel.rows}
    for row in panel.rows:
        dealt[row.name[0]] += row.dealt
    assert dealt["A"] / dealt["9"] == pytest.approx(0.5 * (6 * 7) / (3 * 12))


def test_hands_of_two_cards_fill_a_square_by_ranks() -> None:
    game = HoldemRiver(bets="100", raises=0, range2="AA,KQs,72o")
    picture = strategy_svg(UnbuiltGame.of(game), [uniform(game)])
    ElementTree.fromstring(picture)
    assert picture.count('class="cell"') == 169 * 2 + 169 * 2
    assert {">AKs<", ">AKo<", ">72o<", ">22<"} <= set(re.findall(r">[AKQJT2-9]{2}[so]?<", picture))
    never = picture.count('class="never"')
    assert never == 2 * (169 - 3) + 1  # the legend
    assert "AKs: check 50.0%, bet 100 50.0%" in picture
    assert "round 1" not in picture  # there is no other one
    strip = sum(map(float, re.findall(r'width="([\d.]+)" height="15"', picture.split(">to open<")[1].split("who")[0])))
    assert strip == pytest.approx(13 * 38, abs=0.1)  # as wide as the square below it


def test_names_are_escaped() -> None:
    class Hostile(RandomOrdered):
        signals = ("<a>", "&b", '"c', "d'", "]]>")

    game = Hostile(2)
    game.title = "<script>alert(1)</script>"
    profile = uniform(game)
    assert "<script>alert" not in explorer_html(UnbuiltGame.of(game), profile)
    ElementTree.fromstring(strategy_svg(UnbuiltGame.of(game), [profile]))


def test_rows_are_those_of_the_strategies() -> None:
    game = RandomOrdered(5)
    profile = random_profile(game, 5)
    tree = both(game, profile)[2]
    for player in (0, 1):
        found = {(row["label"], row["action"]): row["probability"] for row in class_rows(game, profile[player])}
        known = set()
        for line, node in lines(game, tree):
            if tree.player[node] == player:
                h = line.here
                row = probabilities(game, profile[player], h.public, h.private[player], h.nodes)
                for action, p in zip(game.actions(h), row, strict=True):
                    if (game.infoset(h), action) in found:
                        assert found[game.infoset(h), action] == p
                        known.add((game.infoset(h), action))
        assert known == set(found)


def test_too_many_rows_are_refused() -> None:
    many = OrderedStrategy(0, (), (np.zeros((1001, 1000, 1), dtype=np.int64),), 1)
    with pytest.raises(TooLargeError, match="1,001,000 sequences"):
        next(class_rows(GAME, many))


def test_the_command_draws_from_a_solution_file(tmp_path: Path) -> None:
    solution, picture, page = (tmp_path / name for name in ("s.json", "p.svg", "p.html"))
    asked = ("solve", "rhode_island:ranks=2,suits=2", "--method", "dcfr", "--gap", "1/2", "--quiet")
    solved = run(*asked, "-o", solution)
    assert solved.exit_code == 0, solved.output
    assert "to open" in solved.output
    assert "NashConv" in solved.output
    drawn = run("draw", "rhode_island:ranks=2,suits=2", solution, "-o", picture, "--board", "Qc", "--format", "json")
    assert drawn.exit_code == 0, drawn.output
    record = json.loads(drawn.stdout)
    assert (record["round"], record["board"], record["decisions"]) == (2, "Qc", 8)
    ElementTree.parse(picture)
    assert run("draw", "rhode_island:ranks=2,suits=2", solution, "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    wrong = run("draw", "rhode_island:ranks=2,suits=2", solution, "-o", picture, "--line", "zz")
    assert wrong.exit_code != 0
    assert "'cb'" in wrong.output
    assert run("draw", "kuhn", "-o", tmp_path / "k.svg", "--board", "Qc").exit_code == 2
    rows = run(*asked, "--format", "csv").stdout
    read = list(csv.DictReader(io.StringIO(rows)))
    assert read[0]["player"] == "1"
    assert read[0]["infoset"] == ""
    stated = tremble.read_profile(solution)
    assert stated.ordered is not None
    assert len(read) == sum(weight.size for strategy in stated.ordered for weight in strategy.weight)
    assert Fraction(read[0]["probability"]) + Fraction(read[1]["probability"]) == 1


def test_what_a_solution_states_stands_under_the_title() -> None:
    """Of a solution, not of strategies that state nothing; both bounds where they do not meet."""
    game = UnbuiltGame.of(GAME)
    solution = tremble.solve(game, gap=1)
    assert solution.bounds is not None
    low, high = (compact_text(bound) for bound in solution.bounds)
    said = f"nash, bounded, value between {low} and {high} to player 1"
    assert low != high
    for picture in (tremble.draw(game, solution), tremble.draw(game, solution, against=solution.strategies)):
        assert said in picture.svg()
        assert said in picture.html()
    assert "nash" not in tremble.draw(game, solution.strategies).svg()


def test_a_second_profile_stands_below_the_first() -> None:
    """Every decision is drawn twice, at the same place, and the notebook shows the same picture."""
    game = UnbuiltGame.of(GAME)
    solution = tremble.solve(game, gap=1)
    assert isinstance(solution.strategies[0], OrderedStrategy)
    for place in ({}, {"board": "Qd"}, {"board": "Qd", "line": "cbc"}):
        one = tremble.draw(game, solution, **place).svg()
        both = tremble.draw(game, solution, against=uniform(GAME), **place)
        assert both.svg().count('class="who who') == 2 * one.count('class="who who') > 0
        title = re.search("<title>[^<]*</title>", one)
        assert title is not None
        assert title[0] in both.svg()
        assert re.search('class="profile"[^>]*>first: nash', both.svg())
        assert re.search('class="profile"[^>]*>second<', both.svg())
        assert both._repr_html_().count('class="profile"') == 2
    assert "second" not in one

"""Comparisons: exact values by hand, against ``expected_values`` on random games, every view, every refusal."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import tremble
from command import run
from hand_made import F, chain, kuhn, kuhn_equilibrium, profile, random_game, random_profile, solution_of
from tremble.errors import CertificateError, GameError, SpecError
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_builder import TreeBuilder
from tremble.judge import compare as comparing
from tremble.judge.compare import trembling
from tremble.show.annotations import annotate
from tremble.show.comparison_html import draw_comparison_html
from tremble.show.comparison_svg import draw_comparison_svg
from tremble.show.layout import excerpt
from tremble.solution.comparison import TREMBLES, Comparison, Mistake
from tremble.text.comparison import comparison_view
from tremble.text.records import comparison_csv, comparison_record

Profile = tuple[BehaviorStrategy, BehaviorStrategy]
SVG = "{http://www.w3.org/2000/svg}"


def ace() -> tuple[GameTree, Profile, Profile]:
    """Guess the ace with a gift: player 2 says yes, or no; player 1 stops and would keep what is his."""
    tree = tremble.load("guess_the_ace:gift=true")
    stop = [[1, 0], [0, 1], [0, 1]]
    return tree, profile(tree, stop, [[1, 0]]), profile(tree, stop, [[0, 1]])


def pair(player: int, mine: BehaviorStrategy, other: BehaviorStrategy) -> Profile:
    return (mine, other) if player == 0 else (other, mine)


def shown(tree: GameTree, comparison: Comparison, columns: int = 120) -> str:
    console = Console(width=columns, file=io.StringIO())
    with console.capture() as capture:
        console.print(comparison_view(tree, comparison))
    return capture.get()


# -- by hand -------------------------------------------------------------------------------------


def test_kuhn_by_hand() -> None:
    tree = kuhn()
    comparison = tremble.compare(tree, kuhn_equilibrium(tree, F(0)), kuhn_equilibrium(tree, F(1, 3)))
    assert comparison.exact
    assert comparison.equal == (3, 6)
    label = {d.label: d for d in comparison.differences}
    assert set(label) == {"J", "K", "Q after check, bet"}
    assert [d.label for d in comparison.differences] == ["K", "J", "Q after check, bet"]
    assert label["K"].distance == 1
    assert label["J"].first == (1, 0)
    assert label["J"].second == (F(2, 3), F(1, 3))
    assert label["Q after check, bet"].distance == F(1, 3)
    assert all(d.on_path == (True, True) for d in comparison.differences)
    assert label["Q after check, bet"].reach == pytest.approx((1 / 3 * (1 / 2 / 3 + 1 / 2),) * 2)
    # Player 2 against both, uniform: every pot is worth what the cards and the folds make it.
    uniform = [e for e in comparison.earnings if e.player == 0 and e.tremble == 1]
    assert [e.opponent for e in uniform] == ["both"]
    assert (uniform[0].first, uniform[0].second, uniform[0].best) == (F(1, 18), F(1, 6), F(1, 2))
    still = [e for e in comparison.earnings if e.tremble == 0]
    assert {(e.player, e.opponent) for e in still} == {(0, "both"), (1, "first"), (1, "second")}
    assert all(e.first == e.second == e.best == (F(-1, 18), F(1, 18))[e.player] for e in still)
    assert all(e.gift == 0 and e.shares == (None, None) for e in still)


def test_a_careful_answer_takes_the_whole_gift() -> None:
    tree, careless, careful = ace()
    comparison = tremble.compare(tree, careless, careful)
    (only,) = comparison.differences
    assert (only.own, only.others, only.on_path, only.reach) == ((True, True), (False, False), (False, False), (0, 0))
    for e in comparison.earnings:
        d = e.tremble
        if e.player == 1:  # offered with d/2; then 1000 if right, and 1000 more with d/2
            assert e.first == d / 2 * (F(1000, 52) + d / 2 * 1000)
            assert e.second == d / 2 * (F(51000, 52) + d / 2 * 1000)
            assert e.best == e.second
            assert e.gift == e.second
            assert e.shares[1] == (1 if d else None)
        else:
            assert e.first == e.second == 0
    expected = [  # heard yes and giving away the card does not matter to an answer that never says yes
        (3, "heard no", "give", F(1000, 52), 1000 + F(51000, 52)),
        (1, "offer?", "offer", F(1000, 52), F(51000, 52)),
        (2, "heard yes", "give", 1000 + F(1000, 52), F(51000, 52)),
    ]
    found = [m for m in comparison.mistakes if m.player == 1]
    assert [(m.infoset + 1, m.label, m.action, m.first, m.second) for m in found] == expected
    assert found[0].cost == (F(1000, 52), 1000 + F(51000, 52))


def test_a_mistake_where_the_opponent_never_comes_is_reached_on_purpose() -> None:
    tree = tremble.load("safe_or_risky")
    one = (BehaviorStrategy.from_rows(tree, 0, [[1, 0], [1, 0]]), BehaviorStrategy.from_rows(tree, 1, []))
    comparison = tremble.compare(tree, one, one)
    assert comparison.mistakes == ()  # the other never moves, and earns the same
    assert all(e.best == e.first for e in comparison.earnings if e.player == 1)


def test_general_sum() -> None:
    builder = TreeBuilder(title="chicken")
    builder.decision(0, "a", ("swerve", "straight"))
    for row in (((0, 0), (-1, 1)), ((1, -1), (-10, -10))):
        builder.decision(1, "b", ("swerve", "straight"))
        for payoffs in row:
            builder.leaf(*payoffs)
    tree = builder.finish()
    left, right = profile(tree, [[0, 1]], [[1, 0]]), profile(tree, [[1, 0]], [[0, 1]])
    comparison = tremble.compare(tree, left, right)
    row = next(e for e in comparison.earnings if (e.player, e.opponent, e.tremble) == (1, "first", F(1, 2)))
    # player 1 goes straight with 3/4
    assert row.first == F(3, 4) * -1
    assert row.second == F(3, 4) * -10 + F(1, 4) * 1
    assert row.best == row.first
    assert row.gift == F(-3, 4) + 1
    assert ElementTree.fromstring(draw_comparison_svg(tree, comparison)).tag == f"{SVG}svg"


def test_errors_may_cost_where_nobody_loses_what_another_wins() -> None:
    tree = tremble.load("entry_deterrence")
    threat, sensible = profile(tree, [[1, 0]], [[0, 1]]), profile(tree, [[0, 1]], [[1, 0]])
    rows = [e for e in tremble.compare(tree, threat, sensible).earnings if e.player == 1 and e.tremble]
    assert len(rows) == 2 * (len(TREMBLES) - 1)
    for e in rows:
        d = e.tremble
        if e.opponent == "first":  # who stays out comes in with d/2: the incumbent loses its 5, whatever it does
            assert (e.first, e.second) == (5 - 5 * d / 2, 5 - 3 * d / 2)
            assert e.gift == -3 * d / 2
            assert e.shares == (None, None)
        else:  # who comes in stays out with d/2; to fight takes more of that, having earned nothing
            assert (e.first, e.second) == (5 * d / 2, 2 + 3 * d / 2)
            assert e.gift == 3 * d / 2
            assert e.shares == (F(5, 3), 1)
    assert comparison_record(tremble.compare(tree, threat, sensible))["earnings"][13]["gift"].startswith("-")


@pytest.mark.parametrize("seed", range(8))
def test_mistakes_cost_the_opponent_in_its_own_payoffs(seed: int) -> None:
    """All that are listed cost it, and none that costs it and makes a difference is left out."""
    tree = random_game(seed, 4, zero_sum=False)
    first, second = random_profile(tree, seed), random_profile(tree, seed + 50)
    found = {(m.player, m.infoset, m.action): m for m in tremble.compare(tree, first, second).mistakes}
    if tree.constant_sum is None and any(tree.num_infosets):
        for player, rival in ((0, 1), (1, 0)):
            for k, labels in enumerate(tree.actions[rival]):
                for action in labels:
                    if any(p[rival].probability(k, action) for p in (first, second)):
                        assert (player, k, action) not in found
                        continue
                    counts = False
                    for side in (first, second):
                        erring = pure_path(tree, side[rival], k, action)
                        own = [p[player] for p in (first, second)]
                        before, after = (
                            [tremble.expected_values(tree, pair(player, mine, other)) for mine in own]
                            for other in (side[rival], erring)
                        )
                        costs = max(b[rival] - a[rival] for b, a in zip(before, after, strict=True)) > 0
                        counts |= costs and after[0][player] != after[1][player]
                    assert (player, k, action) not in found or counts
                    if counts and comes(tree, first, second, rival, k):
                        assert (player, k, action) in found


def comes(tree: GameTree, first: Profile, second: Profile, rival: int, k: int) -> bool:
    """Whether chance and the player come to a set of the rival in either profile."""
    fair = BehaviorStrategy.uniform(tree, rival)
    for mine in (first[1 - rival], second[1 - rival]):
        at = annotate(tree, excerpt(tree), pair(rival, fair, mine))
        assert at.reach is not None
        nodes = np.flatnonzero((tree.player == rival) & (tree.infoset == k)).tolist()
        if any(at.reach[excerpt(tree).node.index(node)] for node in nodes):
            return True
    return False


# -- against the slow way ------------------------------------------------------------------------


def pure_path(tree: GameTree, strategy: BehaviorStrategy, infoset: int, action: str) -> BehaviorStrategy:
    """The strategy, but making straight for an action."""
    parent = tremble.game.requirements.parent_sequence(tree, strategy.player)
    assert parent is not None
    rows = [list(row) for row in strategy]
    k, j = infoset, tree.actions[strategy.player][infoset].index(action)
    start = tree.slot_start[strategy.player]
    while True:
        rows[k] = [F(int(i == j)) for i in range(len(rows[k]))]
        if parent[k] == 0:
            return BehaviorStrategy.from_rows(tree, strategy.player, rows)
        slot = int(parent[k]) - 1
        k = int(np.searchsorted(start, slot, side="right")) - 1
        j = slot - int(start[k])


@pytest.mark.sample(16)
@pytest.mark.parametrize("seed", range(40))
def test_random_games(seed: int) -> None:
    tree = random_game(seed, zero_sum=seed % 2 == 0, big=seed % 5 == 4)
    first, second = random_profile(tree, seed), random_profile(tree, seed + 1000)
    comparison = tremble.compare(tree, first, second)
    profiles = {"first": first, "second": second, "both": first}
    assert comparison.exact
    for e in comparison.earnings:
        rival = trembling(profiles[e.opponent][1 - e.player], e.tremble)
        for mine, earned in ((first, e.first), (second, e.second)):
            assert earned == tremble.expected_values(tree, pair(e.player, mine[e.player], rival))[e.player]
        assert e.best == tremble.best_response(tree, pair(e.player, first[e.player], rival), e.player)[0]
    for m in comparison.mistakes:
        rival = profiles[m.opponent][1 - m.player]
        assert rival.probability(m.infoset, m.action) == 0
        erring = pure_path(tree, rival, m.infoset, m.action)
        for i, (mine, earned) in enumerate(((first, m.first), (second, m.second))):
            before = tremble.expected_values(tree, pair(m.player, mine[m.player], rival))
            after = tremble.expected_values(tree, pair(m.player, mine[m.player], erring))
            assert earned == after[m.player]
            assert m.cost[i] == before[1 - m.player] - after[1 - m.player]
    for curve in comparison.curves:
        for i in (0, 10, 40):
            rival = trembling(profiles[curve.opponent][1 - curve.player], F(i, 40))
            for mine, line in ((first, curve.first), (second, curve.second)):
                exact = tremble.expected_values(tree, pair(curve.player, mine[curve.player], rival))[curve.player]
                assert line[i] == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    unequal = [sum(a != b for a, b in zip(first[player], second[player], strict=True)) for player in (0, 1)]
    assert [n - e for n, e in zip(tree.num_infosets, comparison.equal, strict=True)] == unequal
    assert len(comparison.differences) == sum(unequal)


@pytest.mark.parametrize("seed", range(10))
def test_floats_say_about_the_same(seed: int) -> None:
    tree = random_game(seed)
    first, second = random_profile(tree, seed), random_profile(tree, seed + 1000)
    exact = tremble.compare(tree, first, second)
    close = tremble.compare(tree, [s.as_float() for s in first], second)
    assert not close.exact
    for a, b in zip(exact.earnings, close.earnings, strict=True):
        assert isinstance(b.first, float)
        for key in ("first", "second", "best"):
            assert getattr(b, key) == pytest.approx(float(getattr(a, key)), abs=1e-9)

    def key(m: Mistake) -> tuple[int, int, str]:
        return m.player, m.infoset, m.action

    assert sorted(map(key, exact.mistakes)) == sorted(map(key, close.mistakes))


def test_on_path_means_that_play_comes_there() -> None:
    tree = tremble.load("leduc")
    rng = random.Random(3)
    first, second = random_profile(tree, 3), random_profile(tree, rng.randrange(10**6))
    for d in tremble.compare(tree, first, second).differences:
        assert all(on == (own and others) for on, own, others in zip(d.on_path, d.own, d.others, strict=True))
        assert all((reach > 0) == on for reach, on in zip(d.reach, d.on_path, strict=True))


def test_those_on_the_path_come_first() -> None:
    tree = tremble.load("leduc")
    found = tremble.compare(tree, random_profile(tree, 1), random_profile(tree, 2)).differences
    on = [any(d.on_path) for d in found]
    assert on == sorted(on, reverse=True)
    for kind in (True, False):
        distance = [d.distance for d in found if any(d.on_path) == kind]
        assert distance == sorted(distance, reverse=True)


# -- other games ---------------------------------------------------------------------------------


def test_a_player_who_forgets() -> None:
    tree = tremble.load("a_loss_counterexample")
    first, second = random_profile(tree, 1), random_profile(tree, 2)
    comparison = tremble.compare(tree, first, second)
    assert comparison.mistakes == ()
    for e in comparison.earnings:
        assert (e.best is None) == (e.player == 0)
        rival = trembling((first, second)[e.opponent == "second"][1 - e.player], e.tremble)
        assert e.first == tremble.expected_values(tree, pair(e.player, first[e.player], rival))[e.player]
    assert "second takes" in shown(tree, comparison)
    ElementTree.fromstring(draw_comparison_svg(tree, comparison))


def test_identical_profiles() -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree)
    comparison = tremble.compare(tree, solution, solution)
    assert comparison.differences == comparison.mistakes == ()
    assert comparison.equal == (6, 6)
    assert all(e.opponent == "both" and e.difference == 0 for e in comparison.earnings)
    assert "Both profiles play the same everywhere." in shown(tree, comparison)
    assert draw_comparison_svg(tree, comparison).count("plays and earns the same in both") == 2


def test_large_games_are_compared_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, careless, careful = ace()
    monkeypatch.setattr(comparing, "_MAX_SEQUENCES", 1)
    comparison = tremble.compare(tree, careless, careful)
    assert not comparison.exact
    assert comparison.differences[0].distance == 1
    row = comparison_record(comparison)["earnings"][-1]
    assert row["first"] is None
    assert row["first_float"] == pytest.approx(500 * (1 / 52 + 1 / 2))
    assert "Payoffs are floats" in shown(tree, comparison)


def test_a_deep_game() -> None:
    tree = chain(5000)
    stop, go = (
        tuple(BehaviorStrategy.from_rows(tree, i, [row] * tree.num_infosets[i]) for i in (0, 1))
        for row in ([1, 0], [0, 1])
    )
    comparison = tremble.compare(tree, stop, go)
    assert len(comparison.differences) == 5000
    assert len(shown(tree, comparison).splitlines()) < 140


def test_payoffs_beyond_floats_are_still_drawn() -> None:
    builder = TreeBuilder(title="huge")
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(10**400, -(10**400))
    builder.leaf(0, 0)
    tree = builder.finish()
    comparison = tremble.compare(tree, profile(tree, [[1, 0]], []), profile(tree, [[0, 1]], []))
    assert comparison.earnings[0].first == 10**400
    ElementTree.fromstring(draw_comparison_svg(tree, comparison))
    comparison_record(comparison)
    shown(tree, comparison)


def test_a_leaf_alone() -> None:
    builder = TreeBuilder(title="")
    builder.leaf(1, 2)
    tree = builder.finish()
    comparison = tremble.compare(tree, profile(tree, [], []), profile(tree, [], []))
    assert {e.first for e in comparison.earnings} == {1, 2}
    ElementTree.fromstring(draw_comparison_svg(tree, comparison))


# -- refusals ------------------------------------------------------------------------------------


def test_profiles_of_other_games_are_refused() -> None:
    tree, other = tremble.load("kuhn"), tremble.load("kuhn:cards=4")
    good = random_profile(tree, 1)
    with pytest.raises(CertificateError, match="another game"):
        tremble.compare(tree, good, solution_of(other, random_profile(other, 1)))
    with pytest.raises(GameError, match="strategy 1"):
        tremble.compare(tree, good[::-1], good)
    with pytest.raises(GameError, match="two strategies"):
        tremble.compare(tree, good, good[:1])
    leduc = tremble.load("leduc")
    with pytest.raises(GameError):
        tremble.compare(leduc, good, good)


# -- pictures and tables -------------------------------------------------------------------------


def test_the_picture() -> None:
    tree = tremble.load("leduc")
    names = ("one & <only>", "two")
    comparison = tremble.compare(tree, random_profile(tree, 1), random_profile(tree, 2), names=names)
    picture = draw_comparison_svg(tree, comparison)
    root = ElementTree.fromstring(picture)
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert "one & <only>" in (title.text or "")
    assert "Player 1 plays differently at" in (desc.text or "")
    assert "prefers-color-scheme:dark" in picture
    width, height = (float(root.get(side) or 0) for side in ("width", "height"))
    for group in root.findall(f"{SVG}g"):
        x, y = map(float, re.findall(r"[\d.]+", group.get("transform") or ""))
        for element in group.iter():
            assert 0 <= x + float(element.get("x", 0)) <= width
            assert 0 <= y + float(element.get("y", 0)) <= height
    assert "nan" not in picture
    assert "inf" not in picture.replace("information", "")
    page = draw_comparison_html(tree, comparison)
    HTMLParser().feed(page)
    assert "<only>" not in page
    assert "First is one &amp; &lt;only&gt;, second is two." in page
    assert page.count("<details>") == page.count("</details>") == 2  # tables of many rows are closed
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_tables_fit_any_terminal(columns: int) -> None:
    tree = tremble.load("leduc")
    comparison = tremble.compare(tree, random_profile(tree, 1), random_profile(tree, 2))
    text = shown(tree, comparison, columns)
    assert all(len(line) <= columns for line in text.splitlines())
    count = len(comparison.differences) - 20
    assert re.search(rf"… {count}\s+more", text)


def test_csv_has_every_action() -> None:
    tree = tremble.load("leduc")
    comparison = tremble.compare(tree, random_profile(tree, 1), random_profile(tree, 2))
    rows = list(csv.DictReader(io.StringIO(comparison_csv(comparison))))
    assert len(rows) == sum(len(d.actions) for d in comparison.differences)
    assert sum(Fraction(row["first"]) for row in rows) == len(comparison.differences)


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    tree = tremble.load("kuhn")
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    tremble.solve(tree).to_json(one)
    rows = [
        [{"infoset": k + 1, "actions": [[a, f"1/{len(labels)}"] for a in labels]} for k, labels in enumerate(sets)]
        for sets in tree.actions
    ]
    two.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": rows}))
    return one, two


def test_the_command(files: tuple[Path, Path], tmp_path: Path) -> None:
    one, two = files
    result = run("compare", "kuhn", one, two)
    assert result.exit_code == 0, result.output
    for text in ("Kuhn poker", "one", "two", "-1/18", "best response", "second takes"):
        assert text in result.stdout
    record = json.loads(run("compare", "kuhn", one, two, "--format", "json").stdout)
    assert record["names"] == ["one", "two"]
    assert len(record["earnings"]) == 2 * 2 * len(TREMBLES)
    assert record["earnings"][0]["first"] == "-1/18"
    assert record["earnings"][0]["best_response_float"] == pytest.approx(-1 / 18)
    assert run("compare", "kuhn", one, two, "--format", "csv").stdout.startswith("player,infoset,label,action,first")
    for ending in ("svg", "html"):
        path = tmp_path / f"k.{ending}"
        assert run("compare", "kuhn", one, two, "-o", path).exit_code == 0
        assert "<svg" in path.read_text(encoding="utf-8")
    assert run("compare", "kuhn", "-", two, stdin=one.read_text()).stdout.splitlines()[1].endswith("standard input")


@pytest.mark.parametrize("names", [3, "ab", ("one",), ("one", 2)])
def test_names_are_two_texts(names: Any) -> None:
    tree = kuhn()
    with pytest.raises(SpecError, match="'names' must be a pair of strings, one name for each profile, not "):
        tremble.compare(tree, random_profile(tree, 1), random_profile(tree, 2), names=names)


def test_the_reference_names_every_key(files: tuple[Path, Path]) -> None:
    text = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text(encoding="utf-8")
    record = json.loads(run("compare", "kuhn", *files, "--format", "json").stdout)
    for key in record:
        assert f"`{key}`" in text, key
    for table in ("differences", "earnings", "mistakes"):
        for row in record[table][:1]:
            assert all(f'"{key}"' in text or key.endswith("_float") for key in row)


def test_the_command_refuses(files: tuple[Path, Path], tmp_path: Path) -> None:
    one, two = files
    cases: list[tuple[list[object], int, str]] = [
        (["kuhn", "-", "-"], 2, "standard input"),
        (["-", one, "-"], 2, "standard input"),
        (["kuhn", one], 2, "SOLUTION"),
        (["kuhn", one, two, "-o", tmp_path / "k.png"], 2, ".svg"),
        (["kuhn", one, tmp_path / "missing.json"], 3, "missing.json"),
        (["kuhn:cards=4", one, two], 1, "one.json: the solution is for another game"),
        (["kuhn:cards=4", two, two], 1, "two.json: player 1, information set"),
    ]
    for args, code, said in cases:
        result = run("compare", *args)
        assert result.exit_code == code, result.output
        assert said in result.stderr
        assert result.stdout == ""
    assert not list(tmp_path.glob("k.*"))

"""What can be requested for rivers and turns: gaps in percent of the pot, and locks; and what a solution prints."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from tremble.errors import GameError, SpecError
from tremble.formats.given_profile import given_profile
from tremble.game.hands import Place, hands_kind
from tremble.game.rules import UnbuiltGame
from tremble.poker import HoldemRiver, HoldemTurn
from tremble.poker.holdem.lines import decision
from tremble.solution.assessment import Assessment

SPEC = "holdem_river:board=Kh9d7s4c2h,pot=20,stack=40,bets=50,raises=1,range1=AA KQs 76s,range2=TT AKs 87s"
RIVER = HoldemRiver("Kh9d7s4c2h", 20, 40, "50", 1, "AA KQs 76s", "TT AKs 87s")
TURN = HoldemTurn("Kh9d7s4c", 20, 15, "50", 0, "AhAd,QsQd", "TsTd,AsKs")


# -- gaps in percent of the pot ----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [RIVER, dataclasses.replace(RIVER, rake=5.0), TURN], ids=["river", "rake", "turn"])
def test_a_gap_may_be_a_percentage_of_the_pot(rules: HoldemRiver | HoldemTurn) -> None:
    solution = tremble.solve(rules, method="dcfr", gap=" 2.5 %")
    gap = F(rules.pot) / 40
    assert solution.method.options["gap"] == str(gap)
    assert solution.verification.nash_conv is not None
    assert solution.verification.nash_conv <= gap


def test_a_percentage_of_the_pot_needs_a_pot(tmp_path: Path) -> None:
    for game in (tremble.load("kuhn"), tremble.load_rules("rhode_island"), tremble.build(RIVER)):
        with pytest.raises(SpecError, match="the gap 1% is a part of the pot, but this game has no pot"):
            tremble.solve(game, gap="1%")
    for gap in ("-1%", "x%", "%", "1%%"):
        with pytest.raises((SpecError, GameError), match="gap"):
            tremble.solve(RIVER, gap=gap)
        with pytest.raises((SpecError, GameError), match="gap"):
            tremble.solve_many([RIVER], gap=gap)
        assert run("solve", SPEC, "--gap", gap).exit_code == 2
    with ThreadPoolExecutor(1) as executor:
        found = sorted(tremble.solve_many([RIVER, "kuhn"], gap="1%", executor=executor), key=lambda each: each.index)
    assert [each.status for each in found] == ["certified", "failed"]


def test_the_commands_take_a_percentage_of_the_pot(tmp_path: Path) -> None:
    done = run("solve", SPEC, "--method", "dcfr", "--gap", "0.5%", "-o", str(tmp_path / "out.json"))
    assert done.exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["method"]["options"]["gap"] == "1/10"
    assert "the gap 1% is a part of the pot" in run("solve", "kuhn", "--gap", "1%").stderr


def test_with_a_rake_a_solution_prints_the_sum_of_both_gains() -> None:
    rules = dataclasses.replace(RIVER, rake=5.0)
    solution = tremble.solve(rules, method="dcfr", gap="1%")
    conv = tremble.nash_conv(UnbuiltGame.of(rules), solution)
    assert 0 < conv <= F(1, 5)
    (line,) = (line for line in str(solution).splitlines() if line.startswith("NashConv"))
    assert f"{float(conv):.7g}"[:7] in line
    assert f", {100 * float(conv) / 20:.4g} % of the pot: the sum of both gains" in line


# -- locks in lists of games -------------------------------------------------------------------------------


def test_a_batch_and_a_sweep_take_a_lock(tmp_path: Path) -> None:
    file, folder = tmp_path / "lock.json", tmp_path / "all"
    file.write_text('{"check, bet 50": {"AA": {"call": "1/2", "fold": "1/2"}}}', encoding="utf-8")
    boards = SPEC.replace("Kh9d7s4c2h", "Kh9d7s4c2h|Kh9d7s4cTd")
    batch = ("batch", boards, "kuhn", "--lock", str(file), "--gap", "1", "-o", str(folder), "--jobs", "1")
    done = run(*batch, "--format", "json")
    assert done.exit_code == 0
    paths = [folder / each["file"] for each in json.loads(done.stdout)]
    specs = [json.loads(path.read_text(encoding="utf-8"))["game"]["spec"] for path in paths]
    lock = "lock=check, bet 50 | AA | fold 1/2 + call 1/2,"
    assert [lock in spec for spec in specs] == [True, True, False]
    report = run("report", *map(str, paths[:2]), "--line", "check, bet 50", "--format", "csv")
    assert report.exit_code == 0
    assert len(report.stdout.splitlines()) == 3
    # Another lock in the same file is another game.
    file.write_text('{"check, bet 50": {"AA": {"call": 1}}}', encoding="utf-8")
    again = json.loads(run(*batch, "--format", "json").stdout)
    specs = [json.loads((folder / each["file"]).read_text(encoding="utf-8"))["game"]["spec"] for each in again]
    assert ["| AA | call 1" in spec for spec in specs] == [True, True, False]
    swept = run("sweep", SPEC.replace("pot=20", "pot=20..22"), "--points", "2", "--lock", str(file), "--gap", "5%")
    assert "locked at 1 node" in swept.stdout
    assert "2 of 2 points proven" in swept.stdout
    done = run("batch", "kuhn", "--lock", str(file), "-o", str(folder))
    assert done.exit_code == 2
    assert "--lock is for built-in games with the parameter 'lock', such as holdem_river" in done.stderr


# -- locked hands are no choices ---------------------------------------------------------------------------

_LOCK = {"check, bet 50": {"AA": {"call": "1/3", "fold": "2/3"}, "7h6h": {"fold": 1}}}


def _never_checks() -> tuple[HoldemRiver, tremble.Solution[Any]]:
    """Return a river whose locked hands never get to the lock, because player 1 bets them."""
    always = {"": {"AA": {"bet 50": 1}}, **_LOCK}
    rules = dataclasses.replace(RIVER, lock=always)
    return rules, tremble.solve(rules, method="dcfr", gap="5%")


def test_frequencies_of_a_lock_are_shown_even_where_the_hand_never_gets() -> None:
    rules, solution = _never_checks()
    mix = {"fold": F(2, 3), "call": F(1, 3), "raise 50": F(0)}
    assert dict(solution.strategies[0]["AhAd", "check, bet 50"]) == mix
    row = next(row for row in solution.hands("check, bet 50") if row["hand"] == "AhAd")
    assert row["weight"] == 0
    assert [row[action] for action in mix] == [float(p) for p in mix.values()]
    assert row["ev"] == pytest.approx(sum(float(p) * row[f"ev {action}"] for action, p in mix.items()))
    assert row["locked"]
    game = UnbuiltGame.of(rules)
    (panel,) = (
        panel for panel in hands_kind(game).spot(solution.ordered, Place(0, 0, None)).panels
        if panel.line == ("check", "bet 50")
    )  # fmt: skip
    shown = {row.name: (row.probabilities, row.locked) for row in panel.rows}
    assert shown["A♥A♦"] == (tuple(float(p) for p in mix.values()), True)
    assert not shown["K♠Q♠"][1]
    same = tremble.compare(game, solution, solution)
    assert not same.differences


def test_a_locked_hand_on_a_turn_is_shown_with_its_frequencies() -> None:
    half = {"check": "1/4", "bet 50": "3/4"}
    lock = {"": {"AhAd": {"check": 1}}, "check, check, 2h": {"AhAd": half}, "bet 50, call, 2h": {"AhAd": half}}
    rules = dataclasses.replace(TURN, stack=40.0, lock=lock)
    solution = tremble.solve(rules, gap="10%")
    for line, card in ("check, check", "2h"), ("bet 50, call", "2h"):
        assert dict(solution.strategies[0]["AhAd", f"{line}, {card}"]) == {"check": F(1, 4), "bet 50": F(3, 4)}
        rows = {row["hand"]: row["locked"] for row in solution.hands(f"{line}, {card}")}
        assert rows == {"AhAd": True, "QsQd": False}
        assert not any(row["locked"] for row in solution.hands(f"{line}, 3h"))
        kind = hands_kind(UnbuiltGame.of(rules))
        for board, locked in ("2h", {"A♥A♦"}), ("3h", set()):
            panel = kind.spot(solution.ordered, kind.place(board, line)).panels[0]
            assert {row.name for row in panel.rows if row.locked} == locked
    listed = [row for row in solution.to_rows() if row["label"] == "AhAd bet 50 call 2h"]
    assert [row["probability"] for row in listed] == [F(1, 4), F(3, 4)]


def test_explanations_tell_a_lock_from_a_choice(tmp_path: Path) -> None:
    rules, solution = _never_checks()
    why = solution.explain("AhAd check, bet 50")
    assert why.locked
    assert not why.mistakes
    assert why.stake == 0
    said = (
        "It is locked here, so it has no choice: it plays fold 2/3 and call 1/3. It earns -10 by fold and 20 by call."
    )
    assert said in str(why)
    assert "Without the lock, raise 50 would earn" in str(why)
    assert "mistake" not in str(why)
    assert "indifferent" not in str(why)
    only = solution.explain("7h6h check, bet 50")
    assert "so it has no choice: it plays fold. It earns -10 by fold." in str(only)
    free = solution.explain("KdQd check, bet 50")
    assert not free.locked
    assert "locked" not in str(free)
    file, lock = tmp_path / "out.json", f'lock="{rules.lock}"'
    solution.to_json(file)
    spec = f"{SPEC},{lock}"
    (stated,) = json.loads(run("explain", spec, str(file), "AhAd check, bet 50", "--format", "json").stdout)["sets"]
    assert stated["locked"] is True
    table = run("explain", spec, str(file), "--line", "check, bet 50").stdout
    (row,) = (line for line in table.splitlines() if "A♥A♦" in line)
    assert "*66.7%" in row
    assert "*: locked, so the player has no choice" in table
    hands = json.loads(run("explain", spec, str(file), "--line", "check, bet 50", "--format", "json").stdout)["hands"]
    assert {each["hand"]: each["locked"] for each in hands if each["hand"] in ("AhAd", "KdQd")} == {
        "AhAd": True, "KdQd": False,
    }  # fmt: skip
    csv = run("explain", spec, str(file), "--line", "check, bet 50", "--format", "csv").stdout.splitlines()
    assert csv[0].endswith(",locked")
    printed = run("solve", spec, "--gap", "5%").stdout
    assert "*: locked, so the player has no choice" in printed
    assert "*66.7%" in printed
    assert "locked, so" not in run("solve", SPEC, "--gap", "5%", "--method", "dcfr").stdout


_LATE: list[HoldemRiver | HoldemTurn] = [
    dataclasses.replace(
        RIVER, stack=80.0, raises=3, lock={"brr": {"random": {"fold": "1/3", "call": "2/3"}}, "cb": {"AA": {"call": 1}}}
    ),
    dataclasses.replace(
        TURN, lock={"bc": {"QsQd": {"check": "1/5", "all-in": "4/5"}}, "cc c": {"TsTd": {"bet 50": 1}}}
    ),
]


@pytest.mark.parametrize("rules", _LATE, ids=["river", "turn"])
def test_payoffs_beside_later_locks_are_those_of_the_tree(rules: HoldemRiver | HoldemTurn) -> None:
    """Strategies never lead to some decisions, and locked hands act after them."""
    solution, tree = tremble.solve(rules, method="dcfr", gap="0.2%"), tremble.build(rules)
    rows: tuple[dict[str, dict[str, F]], ...] = ({}, {})
    for row in solution.to_rows():
        if row["label"] in tree.infoset_labels[row["player"] - 1]:
            rows[row["player"] - 1].setdefault(row["label"], {})[row["action"]] = row["probability"]
    known = Assessment(tree, given_profile(tree, rows).strategies)
    never = 0
    for player in (0, 1):
        labels = tree.infoset_labels[player]
        for number in range(0, len(labels), 1 + len(labels) // 60):
            label = labels[number]
            wanted, found = known.explained(player, number), solution.explain(label)
            if not wanted.dealt:  # the frequency 0 of a lock excludes the set, so it has no belief in the tree
                continue
            assert found.reach == wanted.reach
            never += wanted.own_reach == 0
            pairs = [[(a.probability, a.value, a.best, a.loss) for a in each.actions] for each in (wanted, found)]
            assert pairs[0] == pairs[1], label
    assert never


def test_an_audit_lists_no_locked_hand() -> None:
    rules = dataclasses.replace(RIVER, lock={"": {"AA": {"check": 1}}, "check, bet 50": {"AA": {"fold": 1}}})
    solution = tremble.solve(rules, method="dcfr", gap="5%")
    found = tremble.audit(UnbuiltGame.of(rules), solution)
    assert solution.explain("AhAd check, bet 50").actions[0].loss
    assert not [blunder for blunder in found.blunders if blunder.label in ("AhAd", "AhAd check, bet 50")]
    (title, *_) = str(found).splitlines()
    assert "locked at 2 nodes" in title


# -- rows of strategies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lp", "dcfr"])
@pytest.mark.parametrize("bets", ["50", "50,100"], ids=["letters", "labels"])
def test_rows_of_a_river_list_every_hand_and_are_a_profile_of_the_tree(method: str, bets: str) -> None:
    rules = HoldemRiver("Kh9d7s4c2h", 20, 40, bets, 1, "AsAh,QQ,76s", "AsKs,AdKd,TT")
    solution = tremble.solve(rules, method=method, gap="1%")
    if method == "lp":
        assert solution.strategies[0].num_classes[0] < len(rules.deal.cards[0])
    tree = tremble.build(rules)
    rows: tuple[dict[str, dict[str, F]], ...] = ({}, {})
    for row in solution.to_rows():
        rows[row["player"] - 1].setdefault(row["label"], {})[row["action"]] = row["probability"]
    assert [set(side) for side in rows] == [set(labels) for labels in tree.infoset_labels]
    assert tremble.expected_values(tree, rows) == solution.values
    assert len(solution.to_frame()) == sum(map(len, (*rows[0].values(), *rows[1].values())))


def test_the_csv_lists_the_hands_of_a_river_that_can_be_dealt() -> None:
    spec = "holdem_river:board=Kh9d7s4c2h,pot=20,stack=40,bets=50,raises=0,range1=AsAh QQ,range2=AsKs"
    lines = run("solve", spec, "--format", "csv").stdout.splitlines()
    hands = {line.split(",")[2].split()[0] for line in lines[1:] if line.startswith("1,")}
    assert hands == {"QdQc", "QhQc", "QhQd", "QsQc", "QsQd", "QsQh"}  # AsAh meets no hand of player 2


# -- lines of moves ----------------------------------------------------------------------------------------

_LETTERS = [
    ("cb", "check, bet 50"), ("CC 2h c", "check, check, 2h, check"), ("cc, 2h, cb", "check, check, 2h, check, bet 50"),
    ("bc 2h", "bet 50, call, 2h"), ("cc, Ac", "check, check, Ac"), ("check-all-in", "check, all-in"),
    ("ca", "check, all-in"),
    ("check-bet 50-call 2h check", "check, bet 50, call, 2h, check"),
]  # fmt: skip


@pytest.mark.parametrize(("short", "line"), _LETTERS)
def test_the_letters_of_a_table_name_moves_of_a_turn(short: str, line: str) -> None:
    rules = dataclasses.replace(TURN, bets="50,a")
    assert decision(rules, short) == decision(rules, line)
    locked = [dataclasses.replace(rules, lock={each: {"random": {_last(rules, line): 1}}}) for each in (short, line)]
    assert locked[0].identity() == locked[1].identity()
    if "2h" not in line and "Ac" not in line:
        river = HoldemRiver("Kh9d7s4c2h", 20, 15, "50,a", 0)
        kind = hands_kind(UnbuiltGame.of(river))
        assert decision(river, short) == decision(river, line)
        assert kind.place(None, short) == kind.place(None, line)


def _last(rules: HoldemTurn, line: str) -> str:
    return rules.tree.nodes[decision(rules, line)[0]].actions[-1]


def test_letters_of_several_lines_are_refused() -> None:
    rules = dataclasses.replace(TURN, stack=60.0, bets="50,100")
    with pytest.raises(SpecError, match="'cb' can mean several lines: check, bet 50; check, bet 100; write the moves"):
        decision(rules, "cb")
    with pytest.raises(SpecError, match="'cx' is not possible here; possible: check, bet 50, bet 100"):
        decision(rules, "cx")
    with pytest.raises(SpecError, match="'cb' is not possible here; possible: a river card, such as 2c"):
        decision(rules, "cc cb")


def test_the_headers_of_a_printed_turn_are_lines(tmp_path: Path) -> None:
    spec = "holdem_turn:board=Kh9d7s4c,pot=20,stack=15,bets=50,raises=0,range1=AhAd QsQd,range2=TsTd AsKs"
    file = str(tmp_path / "turn.json")
    printed = run("solve", spec, "--gap", "10%", "-o", file).stdout
    assert " cb" in printed
    short, line = (run("explain", spec, file, "--line", each, "--format", "csv") for each in ("cb", "check, bet 50"))
    assert short.exit_code == 0
    assert short.stdout == line.stdout
    assert run("draw", spec, file, "--line", "cc", "--board", "2h", "-o", str(tmp_path / "river.svg")).exit_code == 0

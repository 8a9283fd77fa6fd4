"""Reports over many boards: their means, beside the exact values and the tables of single hands."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction as F
from pathlib import Path

import pytest

import tremble
from command import run
from tremble.errors import SpecError
from tremble.games.parameters import specs
from tremble.poker import HoldemRiver, HoldemTurn, board_report

SPEC = "holdem_river:board=Kh9d7s4c2h|Kh9d7s4cAs,pot=20,stack=40,bets=50,raises=1,range1=AA KQs 76s,range2=TT AKs 87s"
RIVER = HoldemRiver("Kh9d7s4c2h", 20, 40, "50", 1, "AA KQs 76s:0.5", "TT AKs 87s:0.25")
TURN = HoldemTurn("Kh9d7s4c", 20, 15, "50", 0, "AhAd,QsQd,JhTh:0.5", "TsTd,AsKs")


@pytest.mark.parametrize("rules", [RIVER, TURN], ids=["river", "turn"])
def test_means_are_those_of_the_exact_values(rules: HoldemRiver | HoldemTurn) -> None:
    solution = tremble.solve(rules, method="dcfr", gap=F(1, 10))
    (first,) = board_report([solution])
    assert (first["board"], first["player"], first["reached"]) == (rules.board, 1, pytest.approx(1))
    assert first["ev"] == pytest.approx(float(solution.values[0]) + 10)
    assert first["ev %"] == pytest.approx(5 * first["ev"])
    (later,) = board_report([solution], "bet 50")
    assert later["ev %"] == pytest.approx(100 * later["ev"] / 30)
    assert first["check"] + first["bet 50"] == pytest.approx(1)
    # Player 2 gets to the decision after an action as often as player 1 chooses the action.
    for action in ("check", "bet 50"):
        (second,) = board_report([solution], action)
        assert second["player"] == 2
        assert second["reached"] == pytest.approx(first[action])


def test_river_cards_of_a_turn() -> None:
    solution = tremble.solve(TURN, method="dcfr", gap=F(1, 10))
    rows = board_report([solution], "check, check")
    assert len(rows) == 48
    (before,) = board_report([solution], "check")
    assert sum(row["reached"] for row in rows) == pytest.approx(before["reached"] * before["check"])
    one = next(row for row in rows if row["board"].endswith("2h"))
    assert board_report([solution], "check, check, 2h") == [one]
    assert one["equity"] == pytest.approx(mean_equity(solution, "check, check, 2h"))


def mean_equity(solution: tremble.Solution, line: str) -> float:
    """Compute the mean equity from the table of hands and a sum over all pairs of hands."""
    rows = solution.hands(line)
    opponent = solution.hands(f"{line}, check")
    total = equity = 0.0
    for row in rows:
        cards = {row["hand"][:2], row["hand"][2:]}
        met = sum(other["weight"] for other in opponent if cards.isdisjoint({other["hand"][:2], other["hand"][2:]}))
        total += row["weight"] * met
        equity += row["weight"] * met * (row["equity"] or 0)
    return equity / total


def test_games_with_alternatives() -> None:
    assert specs("leduc:ranks=3|5") == ["leduc:ranks=3", "leduc:ranks=5"]
    assert [spec[:29] for spec in specs(SPEC)] == ["holdem_river:board=Kh9d7s4c2h", "holdem_river:board=Kh9d7s4cAs"]
    cards = {spec[-2:] for spec in specs("holdem_river:board=Kh9d7s4c*")}
    assert len(cards) == 48
    assert cards.isdisjoint({"Kh", "9d", "7s", "4c"})


def test_the_commands(tmp_path: Path) -> None:
    folder = tmp_path / "rivers"
    assert run("batch", SPEC, "--method", "dcfr", "--gap", "1", "--jobs", "1", "-o", str(folder)).exit_code == 0
    done = run("report", str(folder), "--line", "check", "-o", str(tmp_path / "rivers.svg"))
    assert done.exit_code == 0
    assert "K♥9♦7♠4♣A♠" in done.stdout
    assert "K♥9♦7♠4♣A♠" in (tmp_path / "rivers.svg").read_text(encoding="utf-8")
    record = json.loads(run("report", str(folder), "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("report", str(folder), "--format", "csv").stdout)))
    assert [row["board"] for row in rows] == [board["board"] for board in record["boards"]]
    assert [float(row["bet 50"]) for row in rows] == [
        board["actions"][1]["probability_float"] for board in record["boards"]
    ]
    file = sorted(folder.glob("*.json"))[0]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"nash_conv": "', '"nash_conv": "1'), encoding="utf-8")
    done = run("report", str(folder))
    assert done.exit_code == 2
    assert "the solution is not proven: certificate.nash_conv" in done.stderr
    kuhn = tmp_path / "kuhn.json"
    assert run("solve", "kuhn", "-o", str(kuhn)).exit_code == 0
    assert "expected a solution of holdem_river or holdem_turn" in run("report", str(kuhn)).stderr


def test_what_is_no_solution_is_refused() -> None:
    with pytest.raises(SpecError, match="expected solutions of flops, turns or rivers"):
        board_report([tremble.solve(tremble.load("kuhn"))])
    with pytest.raises(SpecError, match="'chek' is not possible here"):
        board_report([tremble.solve(RIVER, method="dcfr", gap=1)], "chek")

"""What can be requested for rivers and turns: gaps in percent of the pot, and locks; and what a solution prints."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from pathlib import Path

import pytest

import tremble
from command import run
from tremble.errors import GameError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.poker import HoldemRiver, HoldemTurn

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
    assert (
        run("batch", SPEC, "--method", "dcfr", "--gap", "5%", "-o", str(tmp_path / "all"), "--jobs", "1").exit_code == 0
    )
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

"""Players in a terminal go by the names that they have, and information sets by their labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tremble
from command import run
from tremble.words import called

ENTRY = """EFG 2 R "Entry" { NAMES }
p "" 1 1 "small shop" { "out" "enter" } 0
t "" 1 "" { 1 5 }
p "" 2 1 "chain" { "accommodate" "fight" } 0
t "" 2 "" { 2 2 }
t "" 3 "" { 0 0 }
"""


def entry(tmp_path: Path, names: str) -> Path:
    path = tmp_path / "entry.efg"
    path.write_text(ENTRY.replace("NAMES", names), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ('"Ann" "Bob"', ["Ann", "Bob"]),
        ('"" ""', ["player 1", "player 2"]),
        ('"Player 1" "Player 2"', ["player 1", "player 2"]),
        ('"Player 2" "player 1"', ["player 1", "player 2"]),  # which would say the opposite
        ('"Ann" "Ann"', ["player 1", "player 2"]),  # which would not tell them apart
        ('"Ann" ""', ["Ann", "player 2"]),
    ],
)
def test_names_that_tell_players_apart(names: str, expected: list[str], tmp_path: Path) -> None:
    tree = tremble.read_efg(entry(tmp_path, names))
    assert [called(tree, player) for player in (0, 1)] == expected


def test_every_view_names_the_players(tmp_path: Path) -> None:
    game = entry(tmp_path, '"Shop" "Chain"')
    threat, good, solved = tmp_path / "threat.txt", tmp_path / "good.txt", tmp_path / "solved.json"
    threat.write_text("NE,1,0,0,1")
    good.write_text("NE,0,1,1,0")
    solve = run("solve", game, "-q", "-o", solved).stdout
    assert "2 to Shop" in solve
    assert "2 to Chain" in solve
    every = run("solve", game, "--all", "-q").stdout
    assert "Shop earns" in every
    assert "Chain plays" in every
    assert "2 to Shop and 2 to Chain" in run("verify", game, solved, "-q").stdout
    audit = run("audit", game, threat, "-q").stdout
    assert "Chain could gain" in audit
    assert any(line.split()[:3] == ["Chain", "1*", "chain"] for line in audit.splitlines())
    assert "Player 2 (Chain)" in run("respond", game, threat, "-q").stdout
    compared = run("compare", game, threat, good, "-q").stdout
    assert any(line.split()[:3] == ["Shop", "1", "small"] for line in compared.splitlines())
    assert "Shop could gain" in run("certify", game, "-q", "-", stdin="NE,1,0,1,0").stdout
    record = json.loads(run("audit", game, threat, "-q", "--format", "json").stdout)
    assert (record["blunders"][0]["player"], record["blunders"][0]["infoset"]) == (2, 1)  # numbers, from 1


def test_information_sets_by_label_in_lists() -> None:
    assert "weak: beer 1; strong: beer 1" in run("solve", "beer_quiche", "--all", "-q").stdout
    assert "Entrant earns" in run("solve", "entry_deterrence", "--all", "-q").stdout

"""``tremble explain``: the words, the numbers as data, and what it refuses."""

from __future__ import annotations

import csv
import json
from fractions import Fraction as F
from io import StringIO
from pathlib import Path

import pytest

import tremble
from command import run
from processes import tremble_process


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "beer.json"
    tremble.solve(tremble.load("beer_quiche"), "sequential").to_json(path)
    return path


def test_a_set_in_words(solution: Path) -> None:
    result = run("explain", "beer_quiche", solution, "sees quiche")
    assert result.exit_code == 0
    assert "play never comes here, as player 1 never plays towards it" in result.stdout
    assert "as the solution states, off the path: after weak / quiche 1/2; after strong / quiche 1/2" in result.stdout
    assert result.stdout == run("explain", "beer_quiche", solution, "2", "--player", "2").stdout


def test_without_a_set_those_that_matter_most(solution: Path) -> None:
    lines = run("explain", "beer_quiche", solution).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["1", "2", "1"]
    assert "sees quiche" not in "".join(lines)
    assert len(run("explain", "beer_quiche", solution, "--most", 1).stdout.splitlines()) == len(lines) - 2


def test_as_data(solution: Path) -> None:
    (only,) = json.loads(run("explain", "beer_quiche", solution, "sees beer", "--format", "json").stdout)["sets"]
    assert (only["player"], only["infoset"], only["reach"], only["ground"]) == (2, 1, "1", "Bayes")
    assert [node["belief"] for node in only["nodes"]] == ["1/10", "9/10"]
    assert [(a["action"], a["value"], a["loss"]) for a in only["actions"]] == [
        ("duel", "1/10", "4/5"),
        ("leave", "9/10", "0"),
    ]
    every = json.loads(run("explain", "beer_quiche", solution, "--format", "json").stdout)["sets"]
    assert [F(each["stake"]) for each in every] == [F(9, 5), F(4, 5), 0]
    assert every[0]["actions"][1]["replies"][0]["label"] == "sees quiche"
    rows = list(
        csv.DictReader(StringIO(run("explain", "beer_quiche", solution, "1", "--player", 1, "--format", "csv").stdout))
    )
    assert [(row["label"], row["action"], row["value"]) for row in rows] == [
        ("weak", "beer", "2"),
        ("weak", "quiche", "2"),
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["sees beers"], 4, "did you mean 'sees beer'"),
        (["1"], 4, "both players have an information set 1: choose one by --player 1 or --player 2"),
        (["7"], 4, "there is no information set 7: player 1 has 2 and player 2 has 2"),
        (["weak", "--player", "2"], 4, "player 2 has no information set 'weak'"),
        (["--player", "3"], 2, "--player"),
        (["--most", "0"], 2, "--most"),
    ],
)
def test_refusals(solution: Path, arguments: list[str], code: int, words: str) -> None:
    result = run("explain", "beer_quiche", solution, *arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""


def test_sets_with_one_label_are_told_by_numbers_from_one(tmp_path: Path) -> None:
    game = tmp_path / "game.efg"
    game.write_text(
        'EFG 2 R "" { "A" "B" }\np "" 1 1 "x" { "l" "r" } 0\np "" 1 2 "x" { "u" "d" } 0\nt "" 1 "" { 1 0 }\n'
        't "" 2 "" { 0 0 }\np "" 2 1 "x" { "c" } 0\nt "" 3 "" { 0 1 }\n'
    )
    line = "NE,1,0,1,0,1"
    said = run("explain", game, line, "x").stderr
    assert "3 information sets are called 'x'; give its number: 1 (--player 1), 2 (--player 1)" in said
    assert "2 (--player 1)" in run("explain", game, line, "x", "--player", "1").stderr
    assert "It plays u" in run("explain", game, line, "2", "--player", "1").stdout
    game.write_text(game.read_text().replace('"x"', '""'))
    assert "none has a label; give its number, from 1" in run("explain", game, line, "x").stderr


def test_a_set_is_the_one_that_the_game_calls_so() -> None:
    """Strategies of another game with the same moves may have other labels."""
    text = 'EFG 2 R "" { "A" "B" }\np "" 1 1 "H" { "l" "r" } 0\nt "" 1 "" { 1 0 }\np "" 1 2 "T" { "l" "r" } 0\n'
    text += 't "" 2 "" { 2 0 }\nt "" 3 "" { 3 0 }\n'
    game = tremble.read_efg(text)
    other = tremble.read_efg(text.replace('"H"', '"?"').replace('"T"', '"H"').replace('"?"', '"T"'))
    explanation = tremble.explain(other, tremble.solve(game), "H")
    assert (explanation.infoset, explanation.label) == (1, "H")


def test_strategies_of_rules_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    tremble.solve(tremble.load_rules("kuhn")).to_json(path)
    result = run("explain", "kuhn", path, "K:")
    assert result.exit_code == 4
    assert "to a game that is not built" in result.stderr


def test_a_line_of_gambit(tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    path.write_text("NE,1/2,1/2,1/2,1/2\n")
    result = run("explain", "matching_pennies", path, "penny of player 1")
    assert result.exit_code == 0
    assert "It mixes heads 1/2 and tails 1/2, each of which earns 0." in result.stdout


def test_whose_sets_by_name() -> None:
    """A line of Gambit may be the argument itself; ``--player`` counts without a set, too."""
    both = run("explain", "entry_deterrence", "NE,0,1,1,0")
    assert both.exit_code == 0
    assert [line.split()[0] for line in both.stdout.splitlines()[2:4]] == ["Incumbent", "Entrant"]
    one = run("explain", "entry_deterrence", "NE,0,1,1,0", "--player", "1")
    assert "Entrant" in one.stdout
    assert "Incumbent" not in one.stdout
    assert (
        "Play reaches none of these information sets"
        in run("explain", "entry_deterrence", "NE,1,0,1,0", "--player", "2").stdout
    )
    assert "the line has 3 probabilities" in run("explain", "entry_deterrence", "NE,1,0,1").stderr


def test_a_line_as_an_argument_however_long(tmp_path: Path) -> None:
    """A line is no path, though it has slashes and is longer than a file's name can be."""
    compared = run("compare", "matching_pennies", "NE,1/2,1/2,1/2,1/2", "NE,1/3,2/3,1/2,1/2")
    names = [row.split() for row in compared.stdout.splitlines()[1:3]]
    assert names == [["first", "NE,1/2,1/2,1/2,1/2"], ["second", "NE,1/3,2/3,1/2,1/2"]]
    long = "NE" + ",1/2,1/2" * 100
    assert "the line has 200 probabilities" in run("certify", "kuhn", long, "-o", tmp_path / "k.json").stderr


def test_a_limit_ends_it(tmp_path: Path) -> None:
    """A chain of 20,000 moves, each a third or two thirds: its probabilities have thousands of digits."""
    chain, half = tmp_path / "chain.efg", 10_000
    moves = "".join(
        f'p "" {1 + k % 2} {1 + k // 2} "{k}" {{ "stop" "go" }} 0\nt "" {k + 1} "" {{ {k} 0 }}\n'
        for k in range(2 * half)
    )
    chain.write_text(f'EFG 2 R "" {{ "A" "B" }}\n{moves}t "" {2 * half + 1} "" {{ 0 0 }}\n')
    (tmp_path / "line.ne").write_text("NE" + ",1/3,2/3" * 2 * half + "\n")
    # A process of its own: on a busy machine it may be ended in a step that cannot be stopped.
    process = tremble_process("explain", chain, tmp_path / "line.ne", "5", "--time-limit", 0.5)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (5, "")
    assert "stopped by the time limit" in stderr

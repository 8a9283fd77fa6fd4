"""Files that name strategies by the labels of information sets: what a hand writes first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from tremble import TrembleError


def written(folder: Path, *strategies: Any) -> Path:
    path = folder / "labels.json"
    path.write_text(json.dumps({"strategies": strategies}), encoding="utf-8")
    return path


def labelled(tree: tremble.GameTree, strategy: tremble.BehaviorStrategy) -> dict[str, dict[str, str]]:
    labels = tree.infoset_labels[strategy.player]
    return {
        label: {action: str(strategy[k][action]) for action in tree.actions[strategy.player][k]}
        for k, label in enumerate(labels)
    }


@pytest.mark.parametrize("game", ["kuhn", "beer_quiche", "leduc:ranks=2"])
def test_the_same_as_the_solution(game: str, tmp_path: Path) -> None:
    tree = tremble.load(game)
    solution = tremble.solve(tree)
    path = written(tmp_path, *(labelled(tree, strategy) for strategy in solution.strategies))
    assert tremble.read_profile(path).profile(tree) == solution.strategies
    for command in (["audit"], ["explain"], ["respond"]):
        plain = run(*command, game, path)
        assert plain.exit_code == 0, plain.stderr


def test_sure_actions_floats_and_sets_left_out(tmp_path: Path) -> None:
    pennies = tremble.load("matching_pennies")
    path = written(tmp_path, {"penny of player 1": "heads"}, {"penny of player 2": {"heads": 0.1, "tails": 0.9}})
    assert tremble.expected_values(pennies, path) == tremble.expected_values(pennies, ([1, 0], ["1/10", "9/10"]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"Q:": {"check": null}}, {}]', r"labels.json: strategies\[0\]\['Q:'\]\['check'\]: expected a probability"),
        ('[{"Q:": {"check": NaN}}, {}]', "NaN, which is not a number"),
        ('[{"Q:": {"check": 1}, "Q:": {"bet": 1}}, {}]', "two fields 'Q:'"),
        ('[{"Q:": 3}, {}]', r"\['Q:'\]: expected an object, found the number 3"),
        ('[{"Q:": "check"}, []]', r"strategies\[1\]: expected an object, found a list"),
        ('[{"Q:": "check"}]', "expected a list of 2, found 1"),
        ('[{"Q:": "check"}, {}], "more": 1', "unknown field 'more'"),
        ('[{"Q;": "check"}, {}]', "labels.json: .* has no information set 'Q;'"),
        ('[{"Q:": "chekc"}, {}]', "a single action must be one of 'check', 'bet'"),
        ('[{"Q:": {"check": 0.5, "bet": 0.4}}, {}]', "sum to 0.9"),
        ('[{"Q:": {"check": "x"}}, {}]', "x is not a number"),
        ('[{"Q:": "check"}, {}]', "no probabilities are given for player 1, information set 1"),
    ],
)
def test_faults(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(f'{{"strategies": {text}}}', encoding="utf-8")
    with pytest.raises(TrembleError, match=words):
        tremble.nash_conv(tremble.load("kuhn"), path)
    assert run("audit", "kuhn", path).exit_code in (1, 3)

"""Our own JSON form: lossless for every tree, strict about everything else."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from efg_texts import random_game
from tremble.errors import FormatError, GameError, TooLargeError
from tremble.formats.game_json import format_json, read_json, write_json
from tremble.game.tree_builder import TreeBuilder

GAME: dict[str, Any] = {
    "schema": "tremble/game@1",
    "title": "t",
    "players": ["Ann", "Bob"],
    "infosets": [[{"label": "one", "actions": ["a", "b"]}], [{"label": "", "actions": ["c"]}]],
    "chance": [{"actions": ["x", "y"], "probabilities": ["1/3", "2/3"]}],
    "nodes": [["p1", 1], ["p2", 1], ["t", "1/2", "-1"], ["c", 1], ["t", "0", "0"], ["t", "1", "-1"]],
}


def changed(*path: Any, to: Any = None, drop: bool = False) -> str:
    """GAME as text, with the value at ``path`` replaced or dropped."""
    game = json.loads(json.dumps(GAME))
    place = game
    for step in path[:-1]:
        place = place[step]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return json.dumps(game)


@pytest.mark.parametrize("seed", range(100))
def test_round_trip(seed: int) -> None:
    tree = random_game(seed)
    text = format_json(tree)
    again = read_json(text)
    assert again.digest == tree.digest
    assert (again.title, again.players, again.infoset_labels) == (tree.title, tree.players, tree.infoset_labels)
    assert format_json(again) == text


def test_what_efg_cannot_hold() -> None:
    builder = TreeBuilder()
    builder.chance(("", "a"), (Fraction(1, 2), Fraction(1, 2)))
    builder.leaf(10**5000, Fraction(-1, 10**4999 + 1))
    builder.leaf(0, 0)
    tree = builder.finish()
    assert read_json(format_json(tree)).digest == tree.digest
    builder = TreeBuilder()
    builder.leaf(2**200_000, 0)
    with pytest.raises(GameError, match="characters"):
        format_json(builder.finish())


def test_it_is_the_json_that_is_documented() -> None:
    tree = read_json(json.dumps(GAME))
    assert json.loads(format_json(tree)) == GAME
    assert read_json("\ufeff\r\n" + json.dumps(GAME, indent=4)).digest == tree.digest


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_deep_trees(depth: int) -> None:
    builder = TreeBuilder()
    for _ in range(depth):
        builder.decision(0, 0, ("on", "stop"))
    for k in range(depth + 1):
        builder.leaf(k, -k)
    tree = builder.finish()
    assert read_json(format_json(tree)).digest == tree.digest


REFUSED = {
    changed("title", to=float("nan")): "title: expected text, found NaN, which is not a number",
    changed("title", to=-float("inf")): "title: expected text, found -Infinity, which is not a number",
    '{"schema": 1.5}': "schema: expected 'tremble/game@1', found the number 1.5",
    '{"schema": 1e9999999}': "schema: expected 'tremble/game@1', found a number beyond the range of floats",
    '{"schema": ' + "9" * 5000 + "}": "schema: expected 'tremble/game@1', found an integer that is too long",
    '{"schema": "x", "schema": "x"}': "expected a game, which is an object, found an object with two fields 'schema'",
    '{"schema": "x",\n}': "2:1: not JSON: Expecting property name enclosed in double quotes, found }",
    "{": "1:2: not JSON",
    "{}": "schema: expected 'tremble/game@1', found no such field",
    '{"title": ' + "[" * 100_000 + "}": "lists or objects are nested too deeply",
    changed("schema", to="tremble/game@2"): "schema: expected 'tremble/game@1', found the text 'tremble/game@2'",
    changed("more", to=1): "unknown field 'more'; the fields are schema",
    changed("title", to=1): "title: expected text, found the number 1",
    changed("title", to="\ud800"): "title: the text contains half of a surrogate pair",
    changed("players", to=["Ann"]): "players: expected a list of 2, found 1",
    changed("players", to="AB"): "players: expected a list",
    changed("infosets", 1, drop=True): "infosets: expected a list of 2, found 1",
    changed("infosets", 0, to={}): "infosets[0]: expected a list",
    changed("infosets", 0, 0, "label", drop=True): "infosets[0][0]: the field 'label' is missing",
    changed("infosets", 0, 0, "actions", to=["a", "a"]): "information set 1 of player 1 repeats",
    changed("infosets", 0, 0, "actions", to=[]): "information set 1 of player 1 has no actions",
    changed("infosets", 1, to=GAME["infosets"][1] * 2): "infosets[1]: no node uses entry 2",
    changed(
        "chance", 0, "probabilities", to=["1/3", "1/3"]
    ): "chance[0].probabilities: the numbers sum to 2/3, not to one; rounding of the last digits does not explain this",
    changed("chance", 0, "probabilities", to=["4/3", "-1/3"]): "a chance probability is negative",
    changed("chance", 0, "probabilities", to=["1"]): "2 chance actions have 1 probabilities",
    changed("chance", 0, "probabilities", to=["1/3", "4/6"]): "chance[0].probabilities: '4/6' is not in lowest terms",
    changed("chance", 0, "probabilities", to=["1/3", 1]): "chance[0].probabilities[1]: expected text, found",
    changed("nodes", to=[]): "nodes: the list ends before",
    changed("nodes", 5, drop=True): "nodes: the list ends before",
    changed("nodes", to=[*GAME["nodes"], ["t", "0", "0"]]): "nodes[6]: the tree is complete before this node",
    changed("nodes", 2, to=["t", 1, -1]): "nodes[2]: expected",
    changed("nodes", 2, to=["t", 0.5, "-1"]): "nodes[2]: expected two payoffs as text",
    changed("nodes", 2, to=["t", "0.5", "-1"]): "nodes[2]: '0.5' is not an exact number",
    changed("nodes", 2, to=["t", "1" * 40_001, "0"]): "nodes[2]: the number has more than",
    changed("nodes", 0, to=["p1", True]): "nodes[0]: expected",
    changed("nodes", 0, to=["p1", 2]): "nodes[0]: number 2 is not defined",
    changed("nodes", 0, to=["p1", 0]): "nodes[0]: number 0 is not defined",
    changed("nodes", 0, to=["p3", 1]): "nodes[0]: expected",
    changed(
        "nodes", 0, to="p\n1"
    ): 'nodes[0]: expected ["p1", set], ["p2", set], ["c", table] or ["t", "payoff", "payoff"], found the text',
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_all_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_json(text, name="a.json")
    assert str(caught.value).startswith(("a.json: " + message, "a.json:" + message))


def test_files_and_limits(tmp_path: Path) -> None:
    tree = read_json(json.dumps(GAME))
    write_json(tree, tmp_path / "a.json")
    assert read_json(tmp_path / "a.json").digest == tree.digest
    with pytest.raises(FormatError, match=r"b\.json: no such file"):
        read_json(tmp_path / "b.json")
    with pytest.raises(TooLargeError):
        read_json(tmp_path / "a.json", max_nodes=5)
    (tmp_path / "c.json").write_bytes(b'{"title": "\xff"}')
    with pytest.raises(FormatError, match=r"c\.json:1:12: the byte 0xff"):
        read_json(tmp_path / "c.json")

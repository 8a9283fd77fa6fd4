"""The picture as a value: all forms of profiles, parts of trees, ordered games, files."""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tremble
from tremble.cli import main
from tremble.model.tree import GameTree
from tremble.show.draw import TreePicture
from tremble.show.layout import excerpt
from tremble.show.scene import start_of

KUHN = tremble.load("kuhn")
SOLVED = tremble.solve(KUHN, concept="quasi-perfect")


def texts(picture: Any) -> set[str]:
    return {"".join(element.itertext()) for element in ElementTree.fromstring(picture.svg()).iter() if element.text}


def test_a_picture_shows_and_saves_itself(tmp_path: Path) -> None:
    picture = tremble.draw(KUHN, SOLVED)
    for ending, begins in ((".svg", "<svg"), (".html", "<!doctype html>"), (".tex", "% Kuhn")):
        path = tmp_path / f"kuhn{ending}"
        picture.save(path)
        assert path.read_text("utf-8").startswith(begins)
    assert picture == tremble.draw(KUHN, SOLVED)
    assert pickle.loads(pickle.dumps(picture)).svg() == picture.svg()
    with pytest.raises(tremble.TrembleError, match="tells no format"):
        picture.save(tmp_path / "kuhn.doc")


@pytest.mark.parametrize(
    ("root", "nodes", "depth"),
    [(["KQ", "check"], 5, None), ("Q:cb", 11, None), ((0, 3), 11, None), ([0], 9, None), ([], 7, 1), ("K:", 7, 1)],
)
def test_parts_of_a_tree(root: Any, nodes: int, depth: int | None) -> None:
    picture = tremble.draw(KUHN, SOLVED, root, depth)
    assert isinstance(picture, TreePicture)
    part = picture.scene().part
    assert part.num_nodes == nodes
    size = KUHN.num_nodes if part.node[0] == 0 else nodes
    assert sum(part.hidden) == size - nodes
    ElementTree.fromstring(picture.svg())


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "guess_the_ace"])
def test_what_is_left_out_is_counted_everywhere(spec: str) -> None:
    tree = tremble.load(spec)
    for player in (0, 1):
        for k in range(tree.num_infosets[player])[:12]:
            start = start_of(tree, (player, k))
            part = excerpt(tree, 60, start=start, depth=2)
            top = part.node[0]
            below = sum(top in above(tree, node) for node in range(tree.num_nodes))
            assert part.num_nodes + sum(part.hidden) == below
            assert {*start} <= {*part.node}


def above(tree: GameTree, node: int) -> list[int]:
    nodes = [node]
    while nodes[-1]:
        nodes.append(int(tree.parent[nodes[-1]]))
    return nodes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"root": "zz"}, "no information set is called 'zz'"),
        ({"root": ["KQ", "x"]}, "there is no move 'x'; there are 'check', 'bet'"),
        ({"root": 5}, "is no place"),
        ({"root": (3, 4)}, "no player with index 3"),
        ({"depth": 0}, "at least one level"),
        ({"board": "Qd"}, "board and line choose|root chooses"),
    ],
)
def test_places_that_there_are_not(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tremble.TrembleError, match=said):
        tremble.draw(KUHN, SOLVED, **given)


def test_rules_that_are_not_built() -> None:
    with pytest.raises(tremble.TrembleError, match="this game is not built"):
        tremble.draw(tremble.load_rules("phantom_ttt"))
    with pytest.raises(tremble.TrembleError, match="what hands do is drawn"):
        tremble.draw(tremble.load_rules("rhode_island"))


def test_places_on_the_command_line(tmp_path: Path) -> None:
    solution = tmp_path / "kuhn.json"
    SOLVED.to_json(solution)

    def run(*options: object) -> str:
        done = CliRunner().invoke(main, ["draw", "kuhn", str(solution), "-o", f"{tmp_path}/x.svg", *map(str, options)])
        return done.output.replace(f"{tmp_path}/", "")

    assert run("--root", "KQ / check") == "x.svg: 5 of 55 nodes\n"
    assert run("--root", "Q:cb") == run("--root", 4, "--player", 1) == "x.svg: 11 of 55 nodes\n"
    assert "say --player 1 or --player 2" in run("--root", 4)
    assert "no information set is called 'KQ / fold'" in run("--root", "KQ / fold")
    assert "it needs --root" in run("--player", 1)
    assert "for trees" not in run("--audit", "--depth", 2)

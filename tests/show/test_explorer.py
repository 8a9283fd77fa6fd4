"""The data of the explorer's page: every number is the one that explanations state, and labels can do no harm."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from hand_made import chain
from tremble.errors import SpecError, TooLargeError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.show import explored_tree
from tremble.show.explorer import explorer_html

F = Fraction


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def number(record: Any, place: int) -> Fraction | None:
    if place < 0:
        return None
    exact = F(record["numbers"]["exact"][place])
    assert record["numbers"]["float"][place] == float(exact)
    return exact


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "beer_quiche", "entry_deterrence", "guess_the_ace"])
def test_every_number_is_that_of_the_explanation(spec: str) -> None:
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "sequential" if spec == "beer_quiche" else "nash")
    record = data_of(explorer_html(tree, solution))
    profile = record["profiles"][0]
    slot = node = place = 0
    step = 37 if spec == "leduc" else 1
    for player in (0, 1):
        labels, menus = record["sets"][player]
        assert tuple(labels) == tree.infoset_labels[player]
        for k in range(tree.num_infosets[player]):
            if k % step:
                slot += len(tree.actions[player][k])
                node += np.count_nonzero((tree.player == player) & (tree.infoset == k))
                place += 1
                continue
            why = tremble.explain(tree, solution, k, player=player)
            assert tuple(record["menus"][menus[k]]) == tree.actions[player][k]
            assert number(record, profile["reach"][place]) == why.reach
            assert number(record, profile["own"][place]) == why.own_reach
            assert number(record, profile["others"][place]) == why.other_reach
            for action in why.actions:
                stated = [number(record, profile[key][slot]) for key in ("p", "value", "best", "loss")]
                assert stated == [action.probability, action.value, action.best, action.loss]
                slot += 1
            for each in why.nodes:
                stated = [number(record, profile[key][node]) for key in ("belief", "arrival", "worth")]
                assert stated == [each.belief, each.reach, each.values[player]]
                node += 1
            place += 1
    assert [len(profile[key]) for key in ("p", "belief", "reach")] == [slot, node, place]
    assert tuple(number(record, value) for value in profile["values"]) == tremble.expected_values(tree, solution)


def codes_as_nodes(record: Any) -> list[tuple[int, int, int]]:
    """Parent, mover and set or row of each node, as the page finds them."""
    tables, sets = len(record["chance"]), [len(menus) for _, menus in record["sets"]]
    parents, nodes = [-1], []
    for code in record["nodes"]:
        parent = parents[len(nodes)]
        if code < tables:
            mover, which, arity = CHANCE, code, len(record["chance"][code][0])
        elif code < tables + sum(sets):
            mover = int(code >= tables + sets[0])
            which = code - tables - mover * sets[0]
            arity = len(record["menus"][record["sets"][mover][1][which]])
        else:
            mover, which, arity = TERMINAL, code - tables - sum(sets), 0
        parents += [len(nodes)] * arity
        nodes.append((parent, mover, which))
    return nodes


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "goofspiel", "beer_quiche"])
def test_one_integer_for_each_node_is_the_whole_tree(spec: str) -> None:
    tree = tremble.load(spec)
    uniform = [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)]
    record = explored_tree.explored_tree(tree, [uniform], ["uniform"])
    nodes = codes_as_nodes(record)
    assert len(nodes) == tree.num_nodes
    for node, (parent, mover, which) in enumerate(nodes):
        assert (parent, mover) == (tree.parent[node], tree.player[node])
        if mover == TERMINAL:
            row = tree.payoff_at(int(tree.infoset[node]))
            assert tuple(number(record, place) for place in record["payoffs"][which]) == row
        else:
            assert which == tree.infoset[node]


def hostile(text: str) -> GameTree:
    kuhn = tremble.load("kuhn")
    labels = tuple(tuple(label.replace("Q:cb", text) for label in sets) for sets in kuhn.infoset_labels)
    return replace(kuhn, infoset_labels=labels, title=text, players=(text, text))


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "x" * 10_000, "\u202eabc", "&amp;"]
)
def test_labels_do_no_harm(text: str) -> None:
    tree = hostile(text)
    page = explorer_html(tree, tremble.solve(tree), names=(text, text))
    assert page.count("<script") == page.count("</script>") == 3
    assert "<!--" not in page
    assert "\u202e" not in page
    assert len(page) < 100_000
    labels = data_of(page)["sets"][0][0]
    assert any(label and label[:5] in (text[:5], "\\u202") for label in labels)


def test_a_second_profile_stands_beside_the_first() -> None:
    tree = tremble.load("kuhn")
    one, two = (tremble.solve(tree, concept) for concept in ("nash", "quasi-perfect"))
    record = data_of(explorer_html(tree, one, two, names=("this", "that")))
    assert [profile["name"] for profile in record["profiles"]] == ["this", "that"]
    assert [profile["about"] for profile in record["profiles"]] == [
        f"{concept}, certified, expected payoffs -1/18 and 1/18" for concept in ("nash", "quasi-perfect")
    ]
    for profile, solution in zip(record["profiles"], (one, two), strict=True):
        rows = [number(record, place) for place in profile["p"]]
        assert rows == [p for strategy in solution.strategies for row in strategy for p in row]


def test_one_profile_alone_is_not_called_the_first() -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree)
    said = "nash, certified, expected payoffs -1/18 and 1/18"
    assert f"<p>{said}</p>" in explorer_html(tree, solution)
    assert f"<p>first: {said}; second: {said}</p>" in explorer_html(tree, solution, solution)


def test_a_player_who_forgets_has_no_best_replies() -> None:
    tree = tremble.load("absentminded_driver")
    uniform = [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)]
    profile = data_of(explorer_html(tree, uniform))["profiles"][0]
    assert -1 in profile["best"]


def test_deep_trees_are_not_walked_from_every_node(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = chain(300)
    monkeypatch.setattr(tremble.GameTree, "path", None)
    record = data_of(explorer_html(tree, [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)]))
    assert len(record["nodes"]) == tree.num_nodes


def test_long_numbers_lose_their_middle() -> None:
    tree = tremble.matrix_game([[10**500, 0], [0, 1]])
    record = data_of(explorer_html(tree, tremble.solve(tree)))
    assert max(map(len, record["numbers"]["exact"])) <= 410


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explored_tree, "MOST_NODES", 50)
    tree = tremble.load("kuhn")
    with pytest.raises(TooLargeError, match="55 nodes"):
        explorer_html(tree, tremble.solve(tree))


@pytest.mark.parametrize("spec", ["kuhn", "matching_pennies", "entry_deterrence"])
def test_small_games_are_explored_on_request(spec: str, tmp_path: Path) -> None:
    """The page is that of large games; without the option it is a drawing."""
    game = tremble.load(spec)
    solution = tremble.solve(game, "sequential")
    solution.to_json(tmp_path / "s.json")
    assert tremble.draw(game, solution).html() != tremble.draw(game, solution, explorer=True).html()
    tremble.draw(game, solution, explorer=True).save(tmp_path / "python.html")
    done = run("draw", spec, tmp_path / "s.json", "--explorer", "-o", tmp_path / "command.html")
    assert done.exit_code == 0
    for name in ("python", "command"):
        page = (tmp_path / f"{name}.html").read_text()
        assert data_of(page) == data_of(explorer_html(game, solution)) | {"profiles": data_of(page)["profiles"]}
        assert 'id="play"' in page
    # A picture in another form is the drawing.
    assert tremble.draw(game, solution, explorer=True).svg() == tremble.draw(game, solution).svg()


def test_what_cannot_be_explored_is_refused(tmp_path: Path) -> None:
    game = tremble.load("kuhn")
    solution = tremble.solve(game)
    solution.to_json(tmp_path / "s.json")
    for profile, options, said in (
        (None, {}, "explorer=True needs a profile"),
        (tremble.audit(game, solution), {}, "explorer=True needs a profile, not an audit"),
        (solution, {"depth": 2}, "explorer=True shows the whole tree"),
    ):
        with pytest.raises(SpecError, match=said):
            tremble.draw(game, profile, explorer=True, **options)
    with pytest.raises(SpecError, match="'explorer' must be True or False"):
        tremble.draw(game, solution, explorer="yes")  # type: ignore[arg-type]
    page, picture = tmp_path / "p.html", tmp_path / "p.svg"
    for arguments in ((tmp_path / "s.json", "-o", picture), ("-o", page), (tmp_path / "s.json", "--audit", "-o", page)):
        done = run("draw", "kuhn", *arguments, "--explorer")
        assert done.exit_code == 2
        assert "--explorer" in done.stderr

"""What the pages state in numbers and names: computed here, or looked up where it is recorded."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import tremble
from tremble.poker import parse_range
from tremble.solvers.table import METHODS, choose, solvable

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="needs the repository")


def page(name: str) -> str:
    """The text of a page, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").split())


def rows(name: str, heading: str) -> Iterator[list[str]]:
    """The cells of the first table below a heading."""
    lines = (ROOT / name).read_text("utf-8").partition(f"{heading}\n")[2].splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("|"))
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def named(text: str) -> set[str]:
    """The concepts that a text names as code."""
    return {word for word in re.findall(r"`([^`]+)`", text) if word in solvable()}


# -- concepts and methods ------------------------------------------------------------------------


def test_methods_find_the_concepts_that_the_page_says() -> None:
    checked = set()
    for names, _, result in rows("docs/choose.md", "## Method"):
        for name in re.findall(r"`([^`]+)`", names):
            found = set(METHODS[name].concepts())
            claim = result.partition(";")[0].partition(", exact")[0].partition(", by ")[0]
            checked.add(name)
            if claim.startswith("every concept"):
                assert found == set(solvable()) - named(claim), name
            elif claim.startswith(("refinements", "the same")):
                assert found == {"nash"} if claim.startswith("the same") else "quasi-perfect" in found, name
            elif "too, where a player forgets" in claim and name != "cfr":
                assert found == {"nash"}, name
            elif named(claim):
                assert found == named(claim), name
    assert {"lp", "lemke", "double-oracle", "cfr", "cfr+", "branch-and-bound", "milp"} <= checked


def test_games_of_any_sum_have_the_concepts_that_the_pages_say() -> None:
    general, constant = tremble.load("entry_deterrence"), tremble.load("kuhn")

    def found(game: tremble.GameTree) -> Iterator[str]:
        for concept in solvable():
            try:
                choose(game, concept)
            except tremble.GameError:
                continue
            yield concept

    assert set(found(constant)) == set(solvable())
    assert set(found(general)) == set(solvable()) - {"proper"}
    said = {row[0].partition("]")[0]: row[1] for row in rows("docs/choose.md", "## Can tremble solve my game?")}
    assert said["two players, constant sum, perfect recall"].startswith("every [concept](#concept), exact")
    assert said["two players, [general sum"].startswith("every [concept](#concept) but `proper`, exact")
    assert choose(general, "maxmin")[0] == "lp"
    assert "every concept but `proper`, which needs a constant sum" in page("README.md")
    assert "every [concept](../choose.md#concept) but `proper`" in page("docs/how-to/general-sum.md")


# -- a patrol that is watched --------------------------------------------------------------------


def test_what_the_watched_gates_earn() -> None:
    """The equilibrium, what the defender guarantees, and what commitment earns: a linear program for each reply."""
    cells = re.findall(
        r"```\{code-cell\} ipython3\n(.*?)```", (DOCS / "notebooks/security.md").read_text("utf-8"), re.S
    )
    names: dict[str, Any] = {}
    for cell in cells[:3]:
        exec(cell, names)
    game, found = names["watched"], names["deterrence"]
    tables = [
        [[] for _ in game.actions[0][0]] for _ in (0, 1)
    ]  # of each player: by the patrol, what each reply to the two pictures earns
    matrix = tremble.strategies.reduced_normal_form(game)
    replies = len(matrix.actions[1][0])
    assert replies == 25
    for patrol in range(len(tables[0])):
        for reply in range(replies):
            for player, payoff in enumerate(matrix.payoff_at(patrol * replies + reply)):
                tables[player][patrol].append(float(payoff))
    defender, attacker = map(np.array, tables)
    committed = []
    for reply in range(replies):
        better = (attacker - attacker[:, [reply]]).T  # what each other reply earns more, by the patrol
        solved = linprog(-defender[:, reply], better, np.zeros(replies), np.ones((1, len(defender))), [1.0])
        if solved.success:
            committed.append(-solved.fun)
    assert max(committed) == pytest.approx(-1.4003, abs=5e-5)
    assert found.values[0] == Fraction(-2227, 1386)
    guaranteed = tremble.solve(game, "maxmin", player=0)
    assert guaranteed.bounds == (Fraction(-2227, 1386),) * 2
    text = page("docs/notebooks/security.md")
    assert "-2227/1386, about -1.6068" in text
    assert "about -1.4003" in text
    assert round(float(found.values[0]), 4) == -1.6068
    for name in ("docs/notebooks/security.md", "docs/index.md", "README.md"):
        assert "best way to randomise" not in page(name)


# -- the double oracle ---------------------------------------------------------------------------


def test_where_smoothing_saves_iterations() -> None:
    record = json.loads((ROOT / "benchmarks/results/double-oracle-breakdown.json").read_text("utf-8"))
    runs: dict[str, dict[str, Any]] = {}
    for row in record["rows"]:
        program = row["program"].removesuffix(", from rules").removeprefix("double oracle")
        runs.setdefault(row["game"], {})[program] = row
    pairs = {game: (each[""]["iterations"], each[", both"]["iterations"]) for game, each in runs.items()}
    saved = {game for game, (smooth, plain) in pairs.items() if smooth < plain}
    lost = {game for game, (smooth, plain) in pairs.items() if smooth > plain}
    assert all(each[""]["status"] == "certified" for each in runs.values())
    trees: dict[str, dict[str, int]] = {}
    for row in json.loads((ROOT / "benchmarks/results/double-oracle.json").read_text("utf-8"))["rows"]:
        if row["task"].startswith("border_patrol") and row["program"] in ("double oracle", "double oracle, both"):
            trees.setdefault(row["task"], {})[row["program"]] = int(re.findall(r"(\d+) iterations", row["note"])[0])
    built = {game: (each["double oracle"], each["double oracle, both"]) for game, each in trees.items()}
    text = page("docs/how-to/large-games.md")
    assert f"saved iterations in {len(saved)} of {len(pairs)} games" in text
    assert f"It cost iterations in {len(lost)} border patrols" in text
    fewer, more = sum(a < b for a, b in built.values()), sum(a > b for a, b in built.values())
    assert f"the same {len(built)} border patrols built as trees" in text
    assert f"it saved iterations in {fewer} and cost iterations in {more}" in text
    smooth, plain = built["border_patrol:graph=3,slow=false"]
    assert f"{smooth} against {plain} (`border_patrol:graph=3,slow=false`)" in text
    for game in lost:
        smooth, plain = pairs[game]
        assert f"{smooth} against {plain} (`{game}`)" in text
    for game, words in (
        ("phantom_ttt", "took {} instead of {}"),
        ("poker:bets=2,raises=4", "four raises {} instead of {}"),
    ):
        assert words.format(*pairs[game]) in text
    forced = runs["phantom_ttt:forced_wins=true"]
    assert f"With forced wins it took {forced['']['iterations']} iterations" in text
    assert f"`--policy worse --smoothing 0` it took {forced[', worse']['iterations']}, and" in text


def test_the_second_zone_changes_the_counts() -> None:
    """The text of the paper gives the second unit three nodes; its counts need two."""
    text = page("docs/explanation/double-oracle.md")
    assert "`p2_zone=11,12`" in text
    three, two = (tremble.info(tremble.load(f"border_patrol:depth=4{zone}")) for zone in (",p2_zone=10,11,12", ""))
    assert three["sequences"][1] > two["sequences"][1]
    assert "sections 4.1 to 4.3, but for the points below" in text
    assert "Section 4.1.2 is not followed" in text


# -- benchmarks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("merge", "spans"), [("1.0", False), ("0.5", True)])
def test_sets_of_merged_families_span_levels_only_below_one(merge: str, spans: bool) -> None:
    found = False
    for seed in range(4):
        tree = tremble.load(f"random_imperfect_recall:branching=3,merge={merge},merge2={merge},seed={seed}")
        level = np.zeros(tree.num_nodes, dtype=np.int64)
        for node in range(1, tree.num_nodes):
            level[node] = level[tree.parent[node]] + 1
        for player in (0, 1):
            own = tree.player == player
            pairs = {(int(k), int(d)) for k, d in zip(tree.infoset[own], level[own], strict=True)}
            found |= len(pairs) > tree.num_infosets[player]
    assert found == spans
    text = page("benchmarks/README.md")
    assert "With `merge=0.5,merge2=0.5` sets do so here, too" in text
    assert "With `merge=1.0,merge2=1.0` they never do" in text


def test_no_page_says_how_to_build_the_poker_solver() -> None:
    pages = [
        *ROOT.glob("*.md"),
        *DOCS.rglob("*.md"),
        *(ROOT / "benchmarks").glob("*.py"),
        ROOT / "benchmarks/README.md",
    ]
    for each in pages:
        assert "cmake" not in each.read_text("utf-8"), each
    for name in ("benchmarks/river.py", "benchmarks/README.md", "docs/how-to/river.md"):
        assert "river_solver_optimized" in page(name)
        assert "own documentation" in page(name)


# -- ranges --------------------------------------------------------------------------------------


def test_the_river_notebook_says_which_ranges_are_read() -> None:
    text = page("docs/notebooks/river.md").partition("A range is a list")[2].partition("```")[0]
    written = re.findall(r"`([^`]+)`", text)
    for part in written:
        assert parse_range("AA" + part if part == "+" else part, "Kh9d7s4c2h")
    assert len(written) >= 11


# -- names in docstrings -------------------------------------------------------------------------


def test_modules_that_docstrings_refer_to_are_there() -> None:
    missing = []
    for file in (*(ROOT / "src/tremble").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")):
        base = ROOT / "src" if "src" in file.parts[len(ROOT.parts) :] else ROOT
        package = ".".join(file.relative_to(base).parent.parts)
        for name in re.findall(r":mod:`~?([.\w]+)`", file.read_text("utf-8")):
            try:
                importlib.import_module(name, package)
            except ModuleNotFoundError:
                missing.append(f"{file.relative_to(ROOT)}: {name}")
    assert not missing

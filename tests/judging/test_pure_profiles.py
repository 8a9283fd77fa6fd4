"""All pure profiles of a concept, as complete strategies, against brute force over every profile."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from io import StringIO
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from second_opinions import chance_to
from tremble import BehaviorStrategy, GameTree, LimitReached, TreeBuilder
from tremble.check.subgame_perfect import subgame_roots
from tremble.errors import SpecError
from tremble.results import certification
from tremble.solution.equilibria import Equilibria, verdict
from tremble.solvers import lists
from tremble.solvers.enumerate_pure import reached_subgames
from tremble.strategies import Trembles

Choices = tuple[tuple[str, ...], tuple[str, ...]]
"""For both players the action at each information set."""

OFF_PATH = ("subgame-perfect", "sequential", "quasi-perfect", "perfect")

SEL = """EFG 2 R "one credible ending" { "1" "2" }
p "" 1 1 "first" { "stop" "go" } 0
t "" 1 "" { 1 1 }
p "" 2 1 "reply" { "end" "on" } 0
t "" 2 "" { 0 2 }
p "" 1 2 "last" { "left" "right" } 0
t "" 3 "" { 0 3 }
t "" 4 "" { 2 0 }
"""

TIES = """EFG 2 R "equilibria that differ after an own deviation" { "1" "2" }
p "" 1 1 "start" { "out" "in" } 0
t "" 1 "" { 2 0 }
p "" 2 1 "reply" { "x" "y" } 0
t "" 2 "" { 0 1 }
p "" 1 2 "again" { "u" "d" } 0
t "" 3 "" { 1 1 }
t "" 4 "" { 1 0 }
"""


def chosen(member: Any) -> Choices:
    """The actions of a pure profile; fails if a row is mixed."""
    assert all(set(row) == {0, 1} or list(row) == [1] for strategy in member.strategies for row in strategy)
    one, two = (
        tuple(strategy.actions[k][list(row).index(1)] for k, row in enumerate(strategy))
        for strategy in member.strategies
    )
    return one, two


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (SEL, {(("stop", "right"), ("end",))}),
        (TIES, {(("out", "u"), ("x",)), (("out", "d"), ("x",)), (("out", "u"), ("y",))}),
        ("centipede:length=4", {(("stop", "stop"), ("stop", "stop"))}),
    ],
)
def test_every_subgame_perfect_profile_is_listed(game: str, expected: set[Choices], tmp_path: Path) -> None:
    tree = tremble.read_efg(game) if game.startswith("EFG") else tremble.load(game)
    found = tremble.all_equilibria(tree, "subgame-perfect", pure=True)
    assert {chosen(member) for member in found} == expected
    assert len(found) == len(expected)
    assert found.complete
    for member in found:
        assert member.concept == "subgame-perfect"
        assert tremble.verify(tree, member).proven == "subgame-perfect"
        assert tremble.certify(tree, member.strategies, "subgame-perfect").concept == "subgame-perfect"
    # The same from the command line, through a file.
    name, out = tmp_path / "game.efg", tmp_path / "list.json"
    tremble.write_efg(tree, name)
    done = run("solve", name, "--pure", "--concept", "spe", "-o", out)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("proven   ") == len(expected)
    assert "1/2" not in done.stdout
    assert "not so completed" not in done.stdout
    checked = run("verify", name, out, "--format", "json")
    assert checked.exit_code == 0
    fields = json.loads(checked.stdout)["fields"]
    assert fields["requested"]["proven"].startswith(f"{len(expected)} of {len(expected)} are proven")
    assert fields["pure"]["proven"] == "they are all pure, at every information set"
    assert fields["complete"]["believed"] == "there are no other pure subgame perfect equilibria"


def test_a_plain_list_of_pure_equilibria_shows_no_mixed_row(tmp_path: Path) -> None:
    """Members are realization plans. Off the own path stands a pure choice, marked, and the table leaves it out."""
    file, out = tmp_path / "ties.efg", tmp_path / "list.json"
    file.write_text(TIES, encoding="utf-8")
    for concept in ("nash", "normal-form-perfect", "proper"):
        shown = run("solve", file, "--pure", "--concept", concept, "-o", out)
        assert shown.exit_code == 0
        assert "again" not in shown.stdout
        assert run("verify", file, out).exit_code == 0
        found = Equilibria.from_json(out)
        assert [bool(member.tables[0].off_path[1]) for member in found] == [True] * len(found)
        rows = csv.DictReader(StringIO(run("solve", file, "--pure", "--concept", concept, "--format", "csv").stdout))
        assert {row["probability"] for row in rows} == {"0", "1"}
    assert len(tremble.all_equilibria(tremble.read_efg(TIES), pure=True)) == 2


# -- brute force -------------------------------------------------------------------------------------


def staged_game(seed: int) -> GameTree:
    """A random tree of moves, hidden moves, outside options and chance, with many ties and subgames."""
    rng, builder, sets = random.Random(seed), TreeBuilder(title=f"staged {seed}"), 0
    most = rng.choice((1, 1, 2, 3))

    def leaf() -> None:
        builder.leaf(rng.randint(0, most), rng.randint(0, most))

    def grow(depth: int, odds: float = 1.0) -> None:
        nonlocal sets
        kind = rng.choice(("together", "move", "chance", "leaf", "out", "together"))
        if not depth or sets > 6 or kind == "leaf" or rng.random() > odds:
            leaf()
            return
        sets += 1
        k, mover = sets, rng.choice((0, 1))
        if kind == "chance":
            builder.chance("cd", [F(1, 3), F(2, 3)] if rng.random() < 0.8 else [F(0), F(1)])
            for _ in "cd":
                grow(depth - 1)
        elif kind == "move":
            builder.decision(mover, k, "lr")
            for _ in "lr":
                grow(depth - 1)
        else:  # the other player does not see the move; one of three moves may end the game
            builder.decision(mover, k, "omn" if kind == "out" else "mn")
            if kind == "out":
                leaf()
            sets += 1
            for _ in "mn":
                builder.decision(1 - mover, (k, "after"), "xy")
                for _ in "xy":
                    grow(depth - 1, 0.4)

    grow(4)
    return builder.finish()


def profiles(tree: GameTree, most: int) -> list[tuple[BehaviorStrategy, BehaviorStrategy]]:
    """Every pure profile; none if there are too many."""
    actions = [[range(len(labels)) for labels in own] for own in tree.actions]
    if prod(len(options) for own in actions for options in own) > most:
        return []
    sides = [[BehaviorStrategy.pure(tree, player, choice) for choice in product(*actions[player])] for player in (0, 1)]
    return list(product(*sides))


def concepts(tree: GameTree) -> Iterator[tuple[str, Trembles | None]]:
    """The concepts that define play off the path; the last one for either player."""
    for concept in OFF_PATH:
        yield concept, None
    ones = [[["1"] * len(labels) for labels in own] for own in tree.actions]
    for faultless in (0, 1) if all(ones) else ():
        rows: Any = ["none", ones[1]] if faultless == 0 else [ones[0], "none"]
        yield "one-sided-quasi-perfect", Trembles.from_rows(tree, rows)


def compared(tree: GameTree, most: int) -> Counter[str]:
    """Count the members of each list, after comparing it with the judgement of every pure profile."""
    count: Counter[str] = Counter()
    every = profiles(tree, most)
    for concept, trembles in concepts(tree) if every else ():
        expected = {}
        for profile in every:
            judged = certification(tree, profile, concept, trembles=trembles).verdict
            if judged != "disproven":
                expected[tuple(tuple(map(tuple, strategy)) for strategy in profile)] = str(judged)
        found = tremble.all_equilibria(tree, concept, pure=True, trembles=trembles)
        listed = {tuple(tuple(map(tuple, strategy)) for strategy in m.strategies): verdict(m) for m in found}
        assert len(listed) == len(found)
        assert listed == expected, (tree.title, concept)
        assert found.complete == ("undecided" not in expected.values())
        checked = tremble.verify(tree, Equilibria.from_text(found.to_text()))
        assert checked.ok, (tree.title, concept, checked.problems)
        count[concept] += len(found)
        count["empty"] += not found
    return count


def test_lists_agree_with_brute_force() -> None:
    total = sum((compared(staged_game(seed), 40) for seed in (4, 5, 19, 29, 34, 37, 51)), Counter[str]())
    assert all(total[concept] > 10 for concept in (*OFF_PATH, "one-sided-quasi-perfect")), total
    assert total["quasi-perfect"] < total["subgame-perfect"]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 20))
def test_many_lists_agree_with_brute_force(first: int) -> None:
    total = sum((compared(staged_game(seed), 300) for seed in range(first, first + 20)), Counter[str]())
    assert total["subgame-perfect"] > 20


def test_subgames_are_those_of_the_checker() -> None:
    """The solver finds them by a pass of its own."""
    for seed in range(200):
        tree = staged_game(seed)
        dealt = np.array([chance_to(tree, node) > 0 for node in range(tree.num_nodes)])
        assert np.array_equal(reached_subgames(tree), subgame_roots(tree) & dealt), seed


# -- what a list says of itself ----------------------------------------------------------------------


def test_an_undecided_profile_keeps_a_list_from_being_complete(tmp_path: Path) -> None:
    file = tmp_path / "ties.efg"
    file.write_text(TIES, encoding="utf-8")
    tree = tremble.load(str(file))
    found = tremble.all_equilibria(tree, "perfect", pure=True)
    assert sorted(map(verdict, found)) == ["proven", "proven", "undecided"]
    assert found.complete is False
    assert (
        "complete    no: 1 undecided, and there may be more" in run("solve", file, "--pure", "--concept", "efpe").stdout
    )
    problems = tremble.verify(tree, replace(found, complete=True)).problems
    assert problems
    assert problems[0].startswith("complete: true, but equilibria[")


def add_pennies(builder: TreeBuilder) -> None:
    """Add matching pennies, which has no pure equilibrium."""
    builder.decision(0, "first", "hs")
    for i in range(2):
        builder.decision(1, "second", "hs")
        for j in range(2):
            builder.leaf(int(i == j), int(i != j))


def test_an_empty_list_names_the_concept() -> None:
    """Player 1 never goes to matching pennies, so pure Nash equilibria exist; none is subgame perfect."""
    builder = TreeBuilder()
    builder.decision(0, "start", ["out", "in"])
    builder.leaf(5, 0)
    add_pennies(builder)
    tree = builder.finish()
    assert len(tremble.all_equilibria(tree, pure=True)) > 0
    found = tremble.all_equilibria(tree, "subgame-perfect", pure=True)
    assert (len(found), found.complete, found.requested) == (0, True, "subgame-perfect")
    again = Equilibria.from_text(found.to_text())
    checked = tremble.verify(tree, again)
    assert checked.ok
    assert "complete: that there are no other pure subgame perfect equilibria is stated, not proven" in checked.notes


def test_what_a_list_states_of_its_concept_is_checked() -> None:
    tree = tremble.read_efg(TIES)
    found = tremble.all_equilibria(tree, "subgame-perfect", pure=True)
    every = tremble.all_equilibria(tree, "subgame-perfect")
    for wrong, said in (
        (replace(found, requested="maxmin"), "requested: 'maxmin' is no concept of equilibria"),
        (replace(found, requested="no such"), "requested: 'no such' is no concept of equilibria"),
        (replace(found, requested="sequential"), "requested: 'sequential', but the requested concept of equilibria[0]"),
        (replace(every, requested="subgame-perfect"), "requested: allowed only in a list of pure equilibria"),
        (replace(found, solutions=(*found.solutions, found[0])), "equilibria[3]: the same equilibrium as"),
    ):
        problems = tremble.verify(tree, wrong).problems
        assert problems
        assert any(problem.startswith(said) for problem in problems), problems


def test_a_member_has_the_concept_of_its_list_or_is_undecided() -> None:
    tree = tremble.read_efg(TIES)
    found = tremble.all_equilibria(tree, "subgame-perfect", pure=True)
    assert found.requested == "subgame-perfect"
    stronger = replace(tremble.certify(tree, found[0].strategies, "sequential"), requested="subgame-perfect")
    undecided = replace(tremble.certify(tree, found[0].strategies), requested="subgame-perfect")
    several = replace(found, unique=None, complete=False)
    assert tremble.verify(tree, replace(several, solutions=(undecided,))).ok
    problems = tremble.verify(tree, replace(several, solutions=(stronger,))).problems
    assert problems == (
        "requested: 'subgame-perfect', but the concept of equilibria[0] is 'sequential'; an undecided member has the "
        "concept 'nash'",
    )


def test_an_empty_list_has_no_unique_equilibrium() -> None:
    pennies = tremble.load("matching_pennies")
    none = tremble.all_equilibria(pennies, pure=True)
    assert tremble.verify(pennies, none).ok
    assert tremble.verify(pennies, replace(none, unique=True)).problems == (
        "unique: true, but the number of equilibria is 0",
    )
    assert tremble.verify(pennies, replace(none, unique_plans=(True, True))).problems == (
        "unique_plans[0]: true, but there is no equilibrium",
        "unique_plans[1]: true, but there is no equilibrium",
    )


# -- how far the search goes -------------------------------------------------------------------------


def test_limits_hand_out_what_was_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file, out = tmp_path / "ties.efg", tmp_path / "list.json"
    file.write_text(TIES, encoding="utf-8")
    tree = tremble.load(str(file))
    few = tremble.all_equilibria(tree, "subgame-perfect", pure=True, most=2)
    assert (len(few), few.complete) == (2, False)
    assert tremble.verify(tree, few).ok
    # A list judges so many profiles, and no more.
    monkeypatch.setattr(lists, "_MOST_JUDGED", 2)
    with pytest.raises(LimitReached, match="2 profiles were judged, which is the limit for one list; 2 pure") as caught:
        tremble.all_equilibria(tree, "subgame-perfect", pure=True)
    best: Any = caught.value.best
    assert (len(best), best.complete) == (2, False)
    done = run("solve", file, "--pure", "--concept", "spe", "-o", out)
    assert done.exit_code == 5
    assert len(Equilibria.from_json(out)) == 2


def test_ctrl_c_hands_out_what_was_found() -> None:
    tree, told = tremble.read_efg(TIES), []

    def stop(step: str, _fraction: float | None) -> None:
        told.append(step)
        if "2 found" in step:
            raise KeyboardInterrupt

    with pytest.raises(LimitReached, match="Ctrl-C; 2 pure equilibria were found, and there may be more") as caught:
        tremble.all_equilibria(tree, "sequential", pure=True, progress=stop)
    best: Any = caught.value.best
    assert caught.value.interrupted
    assert [member.concept for member in best] == ["sequential", "sequential"]


def test_dead_ends_do_not_multiply_ties() -> None:
    """A subgame without a pure equilibrium ends the search: none of the 2^40 branches elsewhere can help."""
    builder = TreeBuilder()
    builder.chance([str(k) for k in range(41)], [F(1, 41)] * 41)
    add_pennies(builder)
    for k in range(40):
        builder.decision(k % 2, ("alone", k), "ab")
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    found = tremble.all_equilibria(builder.finish(), "subgame-perfect", pure=True, time_limit=100)
    assert (len(found), found.complete) == (0, True)


def test_long_games_need_no_list_of_all_profiles() -> None:
    """There are 2^40 profiles, and one is subgame perfect."""
    found = tremble.all_equilibria(tremble.load("centipede:length=40"), "subgame-perfect", pure=True)
    assert [set(map(tuple, strategy)) for strategy in found[0].strategies] == [{(1, 0)}] * 2
    assert (len(found), found.complete) == (1, True)


def test_a_concept_of_one_player_needs_to_know_whom() -> None:
    tree = tremble.load("entry_deterrence")
    with pytest.raises(SpecError, match="who makes no mistakes"):
        tremble.all_equilibria(tree, "one-sided-quasi-perfect", pure=True)
    with pytest.raises(SpecError, match="accepts no trembles"):
        tremble.all_equilibria(tree, pure=True, trembles=Trembles.uniform(tree))
    lists = [list(concepts(tree))[-2:][player] for player in (0, 1)]
    found = [tremble.all_equilibria(tree, concept, pure=True, trembles=trembles) for concept, trembles in lists]
    assert [tremble.verify(tree, each).proven_player for each in found] == [0, 1]
    both = replace(found[0], solutions=(*found[0].solutions, *found[1].solutions), complete=False)
    problems = tremble.verify(tree, both).problems
    assert any(problem.endswith("its proof is about another player than the earlier proofs") for problem in problems)

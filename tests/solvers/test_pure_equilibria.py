"""All pure equilibria of trees and tables against brute force over pairs of pure plans, and what is said of them."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from hand_made import chain, random_game
from hostile_games import forgetful_game
from tremble import GameTree, LimitReached
from tremble.errors import SpecError
from tremble.solution.equilibria import Equilibria

Plan = tuple[tuple[int, int], ...]  # (information set, action) where the plan itself comes


def tied_game(seed: int) -> GameTree:
    """A random tree with perfect recall, hidden moves and many ties."""
    rng = random.Random(seed)
    builder = tremble.TreeBuilder(title=f"tied {seed}")
    hidden, most = rng.random(), rng.choice((1, 2, 2, 9))

    def grow(left: int, seen: tuple[Any, Any]) -> None:
        if left == 0 or rng.random() < 0.15:
            builder.leaf(rng.randint(0, most), rng.randint(0, most))
            return
        mover = rng.choice((0, 1, 0, 1, -1))
        if mover < 0:
            builder.chance("xy", [F(1, 3), F(2, 3)] if rng.random() < 0.8 else [F(0), F(1)])
        else:
            builder.decision(mover, (mover, seen[mover]), "ab")
        visible = [mover == p or rng.random() > hidden for p in (0, 1)]
        for i in range(2):
            grow(left - 1, tuple((*seen[p], (mover, i) if visible[p] else "?") for p in (0, 1)))

    grow(rng.choice((3, 4, 4)), ((), ()))
    return builder.finish()


def plans_by_force(tree: GameTree, player: int) -> list[Plan]:
    """All reduced pure strategies: every strategy, without the sets that it keeps from happening itself."""
    before: list[set[tuple[int, int]]] = [set() for _ in tree.actions[player]]
    for node in range(tree.num_nodes):
        if tree.player[node] == player:
            at, own = node, set()
            while at:
                above = int(tree.parent[at])
                if tree.player[above] == player:
                    own.add((int(tree.infoset[above]), int(tree.action[at])))
                at = above
            before[tree.infoset[node]] = own
    found = set()
    for choice in itertools.product(*(range(len(actions)) for actions in tree.actions[player])):
        plays = set(enumerate(choice))
        found.add(tuple(sorted((k, a) for k, a in plays if before[k] <= plays)))
    return sorted(found)


def earned_by_force(tree: GameTree, one: Plan, two: Plan) -> tuple[F, F]:
    """Node by node: each leaf's payoff times what chance does, where both plans let it happen."""
    total, plays = [F(0), F(0)], (dict(one), dict(two))
    todo = [(0, F(1))]
    while todo:
        node, odds = todo.pop()
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == -2:
            total = [sum_ + odds * payoff for sum_, payoff in zip(total, tree.payoff_at(k), strict=True)]
        for a, child in enumerate(tree.children(node)):
            if mover == -1:
                todo.append((child, odds * tree.chance_tables[k].probabilities[a]))
            elif plays[mover].get(k) == a:
                todo.append((child, odds))
    return total[0], total[1]


def by_force(tree: GameTree) -> set[tuple[Plan, Plan]] | None:
    """Every pair of plans; None where there are too many."""
    counts = [np.prod([len(actions) for actions in tree.actions[i]], dtype=float) for i in (0, 1)]
    if max(counts) > 300:
        return None
    plans = plans_by_force(tree, 0), plans_by_force(tree, 1)
    if len(plans[0]) * len(plans[1]) > 1_200:
        return None
    table = [[earned_by_force(tree, x, y) for y in plans[1]] for x in plans[0]]
    best1 = [max(row[j][0] for row in table) for j in range(len(plans[1]))]
    return {
        (x, y)
        for x, row in zip(plans[0], table, strict=True)
        for j, y in enumerate(plans[1])
        if row[j][0] == best1[j] and row[j][1] == max(cell[1] for cell in row)
    }


def plans_of(found: Equilibria) -> list[tuple[Plan, ...]]:
    """The plans in a list, whose strategies are uniform where they never come."""
    return [
        tuple(
            tuple((k, list(strategy.row(k)).index(1)) for k in range(strategy.num_infosets) if not strategy.off_path[k])
            for strategy in solution.strategies
        )
        for solution in found
    ]


def compared(tree: GameTree) -> int:
    """How many pure equilibria there are, the same by force; 0 where force would take too long."""
    expected = by_force(tree)
    if expected is None:
        return 0
    found = tremble.all_equilibria(tree, pure=True)
    assert found.complete
    assert found.pure
    assert len(plans_of(found)) == len(expected)
    assert set(plans_of(found)) == expected
    return len(expected)


def test_trees_by_force() -> None:
    drawn = [tied_game(seed) for seed in range(60)]
    drawn += [random_game(seed, 4, zero_sum=seed % 2 == 0, big=seed % 7 == 0) for seed in range(40)]
    assert sum(map(compared, drawn)) > 400


@pytest.mark.slow
def test_many_trees_by_force() -> None:
    drawn = [tied_game(seed) for seed in range(100, 300)]
    drawn += [random_game(seed, 4, zero_sum=seed % 2 == 0, big=seed % 7 == 0) for seed in range(100, 250)]
    assert sum(map(compared, drawn)) > 1_500


def test_tables_by_force() -> None:
    rng = random.Random(3)
    for k in range(60):
        m, n, most = rng.randint(1, 5), rng.randint(1, 5), rng.choice((1, 2, 9))
        A, B = ([[rng.randint(0, most) for _ in range(n)] for _ in range(m)] for _ in (0, 1))
        expected = {
            (i, j) for i in range(m) for j in range(n) if A[i][j] == max(row[j] for row in A) and B[i][j] == max(B[i])
        }
        found = tremble.all_equilibria(tremble.matrix_game(A, B), pure=True)
        assert {(one[0][1], two[0][1]) for one, two in plans_of(found)} == expected, k


def test_they_are_the_pure_ones_of_all() -> None:
    """Each pure equilibrium of a small game is among the extreme ones."""
    for name in ("entry_deterrence", "beer_quiche", "job_market", "battle_outside", "mertens", "kuhn", "guess_the_ace"):
        game = tremble.load(name)
        pure, every = tremble.all_equilibria(game, pure=True), tremble.all_equilibria(game)
        extreme = {
            tuple(strategy.to_realization_plan(game) for strategy in solution.strategies)
            for solution in every
            if all(set(strategy.to_realization_plan(game).weight) <= {0, 1} for strategy in solution.strategies)
        }
        found = {tuple(s.to_realization_plan(game) for s in solution.strategies) for solution in pure}
        assert found == extreme, name


def test_trees_of_perfect_information_with_many_sets() -> None:
    """No list of pure plans could be written down; the play of each equilibrium is its own proof."""
    assert len(tremble.all_equilibria(chain(100), pure=True)) == 1
    tree = tremble.load("centipede:length=40")
    found = tremble.all_equilibria(tree, pure=True)
    assert [solution.values for solution in found] == [tremble.solve(tree).values]


def test_a_limit_says_that_there_may_be_more(tmp_path: Path) -> None:
    tree = tremble.matrix_game(np.zeros((30, 30), dtype=int), np.zeros((30, 30), dtype=int))
    few = tremble.all_equilibria(tree, pure=True, most=7)
    assert (len(few), few.complete) == (7, False)
    assert tremble.verify(tree, few).ok
    assert "complete" in dict.fromkeys(field.name for field in tremble.verify(tree, few).fields)
    large = tremble.matrix_game(np.zeros((200, 200), dtype=int), np.zeros((200, 200), dtype=int))
    with pytest.raises(LimitReached, match="there may be more") as caught:
        tremble.all_equilibria(large, pure=True, time_limit=0.2)
    best: Any = caught.value.best
    assert 0 < len(best) < 40_000
    assert not best.complete
    exact = tremble.all_equilibria(tremble.matrix_game([[1, 0], [0, 1]], [[1, 0], [0, 1]]), pure=True, most=2)
    assert exact.complete
    for wrong in (0, True, "many"):
        with pytest.raises(SpecError, match="number of equilibria"):
            tremble.all_equilibria(tree, pure=True, most=wrong)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="pure"):
        tremble.all_equilibria(tree, most=3)
    with pytest.raises(tremble.ImperfectRecallError):
        tremble.all_equilibria(forgetful_game(3), pure=True)


def test_a_stopped_search_hands_out_what_it_has(tmp_path: Path) -> None:
    out, nfg = tmp_path / "some.json", tmp_path / "tied.nfg"
    tremble.write_nfg(tremble.matrix_game(np.zeros((99, 99), dtype=int), np.zeros((99, 99), dtype=int)), nfg)
    done = run("solve", nfg, "--pure", "--time-limit", "2", "-o", out)
    assert done.exit_code == 5
    assert "complete    no" in done.stdout
    assert "there may be more" in done.stderr
    found = Equilibria.from_json(out)
    assert found.complete is False
    assert 0 < len(found) < 99**2


def test_labels_and_files(tmp_path: Path) -> None:
    out = tmp_path / "pure.json"
    done = run("solve", "entry_deterrence", "--pure", "--concept", "sequential", "-o", out)
    assert done.exit_code == 0, done.output
    assert "complete    yes" in done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines() if line[:2] in ("1 ", "2 ")] == ["proven"]
    document = json.loads(out.read_text("utf-8"))
    assert (document["pure"], document["complete"], document["requested"]) == (True, True, "sequential")
    fields = json.loads(run("verify", "entry_deterrence", out, "--format", "json").stdout)["fields"]
    assert fields["pure"]["proven"]
    assert fields["complete"] == {"proven": None, "believed": "there are no other pure sequential equilibria"}
    assert run("solve", "entry_deterrence", "--pure", "--most", "1", "--format", "csv").exit_code == 0
    for options in (["--pure", "--unique"], ["--pure", "--several", "3"], ["--most", "3"], ["--pure", "--most", "0"]):
        assert run("solve", "kuhn", *options).exit_code == 2, options


def test_an_empty_list_is_an_answer(tmp_path: Path) -> None:
    out = tmp_path / "none.json"
    assert run("solve", "matching_pennies", "--pure", "-o", out).exit_code == 0
    done = run("verify", "matching_pennies", out)
    assert done.exit_code == 0
    assert "empty list" in done.stdout
    nothing = replace(Equilibria.from_json(out), pure=None, complete=None)
    assert not tremble.verify(tremble.load("matching_pennies"), nothing).ok


def test_what_is_not_pure_is_refused() -> None:
    game = tremble.load("entry_deterrence")
    every, pure = tremble.all_equilibria(game), tremble.all_equilibria(game, pure=True)
    for wrong, start in (
        (replace(every, pure=True, complete=True), "pure: true, but equilibria[0] is mixed"),
        (replace(pure, pure=False, complete=None), "pure: false, but every"),
        (replace(pure, pure=None), "complete: allowed only in a list"),
    ):
        problems = tremble.verify(game, wrong).problems
        assert problems
        assert problems[0].startswith(start), problems

"""Symmetric equilibria: what is alike, as the tests themselves make or count it, is played alike."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from assessments import rows_of
from command import run
from hand_made import random_game
from tremble import CHANCE, TERMINAL, GameTree, Solution, TreeBuilder
from tremble.errors import SpecError
from tremble.methods import Lemke
from tremble.solution.trembles import Trembles

CONCEPTS = ("nash", "quasi-perfect", "sequential", "perfect")
TINY = F(1, 10**30)

Matrix = list[list[F]]


def solved(tree: GameTree, concept: str, **options: Any) -> Solution:
    """A certified symmetric equilibrium, which its file proves again."""
    solution = tremble.solve(tree, concept, "lemke", symmetric=True, **options)
    assert (solution.concept, str(solution.status)) == (concept, "certified")
    again = tremble.verify(tree, Solution.from_text(solution.to_text()))
    assert again.ok, again.problems
    return solution


def classes(solution: Solution) -> tuple[bool, int, int]:
    """Whether the players are interchangeable; how many actions there are, and classes of them."""
    told = solution.stats["symmetric"]
    return (told["players_alike"], *told["sequences"])


# -- matrices: all symmetries are counted ----------------------------------------------------------


def one_shot(seed: int) -> tuple[Matrix, Matrix]:
    """Random payoffs that permutations of the actions leave as they are, or an exchange of the players, or both."""
    rng = random.Random(seed)
    m = rng.choice((2, 3, 3, 4))
    n = m if seed % 3 else rng.choice((2, 3, 4))
    most = rng.choice((1, 3, 50))

    def invariant(of: list[int], to: list[int]) -> Matrix:
        """Entries that are equal along the orbits of both permutations at once."""
        cells: Matrix = [[F(rng.randint(-most, most), rng.choice((1, 2, 3))) for _ in to] for _ in of]
        for i, j in product(range(len(of)), range(len(to))):
            k, h = of[i], to[j]
            while (k, h) != (i, j):
                cells[k][h] = cells[i][j]
                k, h = of[k], to[h]
        return cells

    of, to = rng.sample(range(m), m), rng.sample(range(n), n)
    if seed % 3 == 0:  # actions
        return invariant(of, to), invariant(of, to)
    ones = invariant(of, of) if seed % 3 == 1 else invariant(list(range(m)), list(range(m)))
    twos = [[ones[j][i] for j in range(m)] for i in range(m)]
    if seed % 4 == 0:  # player 2 is paid in another currency
        twos = [[3 * cell - 7 for cell in row] for row in twos]
    return ones, twos


def measured(matrix: Matrix) -> Matrix:
    """From 0 for the least payoff to 1 for the greatest."""
    cells = [cell for row in matrix for cell in row]
    least, most = min(cells), max(cells)
    return [[(cell - least) / ((most - least) or 1) for cell in row] for row in matrix]


def symmetries(ones: Matrix, twos: Matrix) -> Iterator[tuple[bool, Sequence[int], Sequence[int]]]:
    """Whether the players are exchanged, and where the actions of player 1 and of player 2 go, in whatever units."""
    a, b = measured(ones), measured(twos)
    m, n = len(a), len(a[0])
    cells = list(product(range(m), range(n)))
    for of, to in product(permutations(range(m)), permutations(range(n))):
        if all(a[of[i]][to[j]] == a[i][j] and b[of[i]][to[j]] == b[i][j] for i, j in cells):
            yield False, of, to
        if m == n and all(b[to[j]][of[i]] == a[i][j] and a[to[j]][of[i]] == b[i][j] for i, j in cells):
            yield True, of, to


def require_invariant(seed: int, *concepts: str) -> bool:
    """Every symmetry leaves the equilibria as they are; whether one of them exchanges the players."""
    ones, twos = one_shot(seed)
    tree = tremble.matrix_game(ones, twos)
    found = list(symmetries(ones, twos))
    exchanged = any(exchange for exchange, _, _ in found)
    for concept in concepts:
        solution = solved(tree, concept)
        [x], [y] = rows_of(solution)
        for exchange, of, to in found:
            own, other = (y, x) if exchange else (x, y)
            assert [own[k] for k in of] == x
            assert [other[k] for k in to] == y
        assert classes(solution)[0] >= exchanged
    return exchanged


@pytest.mark.sample(4)
@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(0, 150, 15)])
def test_every_symmetry_of_a_matrix_leaves_it_as_it_is(seeds: range) -> None:
    assert sum(require_invariant(seed, CONCEPTS[seed % 4]) for seed in seeds) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 50) for k in range(150, 1150, 50)])
def test_every_symmetry_of_more_matrices(seeds: range) -> None:
    assert sum(require_invariant(seed, *CONCEPTS) for seed in seeds) >= 30


@pytest.mark.parametrize("seed", range(8))
def test_the_least_difference_tells_all_apart(seed: int) -> None:
    """A symmetric game of unequal payoffs, of which one is moved by 10^-30."""
    rng = random.Random(seed)
    m = rng.randint(2, 5)
    drawn = iter(rng.sample(range(1000), m * m))
    ones = [[F(next(drawn)) for _ in range(m)] for _ in range(m)]
    twos = [[ones[j][i] for j in range(m)] for i in range(m)]
    assert classes(solved(tremble.matrix_game(ones, twos), "nash")) == (True, 2 * m, m)
    twos[rng.randrange(m)][rng.randrange(m)] += TINY
    assert classes(solved(tremble.matrix_game(ones, twos), "sequential")) == (False, 2 * m, 2 * m)


# -- trees, put together from what is alike ----------------------------------------------------------

Part = tuple[GameTree, bool, bool]
"""A tree, whether the players change places in it, and whether actions come in reverse."""


def laid(parts: Sequence[Part], shares: Sequence[F], moved: F = F(0)) -> tuple[GameTree, set[str]]:
    """The game in which chance chooses a part, and the labels of the sets to which it comes.

    The set k of player p of part i is called ``i:p:k``, whoever moves there. At the last leaf of the last part both
    players are paid that much more.
    """
    builder, reached = TreeBuilder(title="parts"), set[str]()
    builder.chance([f"part {i}" for i in range(len(parts))], shares)
    for i, (tree, exchange, reverse) in enumerate(parts):
        pending = [(0, True)]
        while pending:
            node, comes = pending.pop()
            mover, number = int(tree.player[node]), int(tree.infoset[node])
            children = [int(tree.first_child[node]) + k for k in range(int(tree.num_children[node]))]
            if mover == TERMINAL:
                last = i == len(parts) - 1 and node == tree.leaves[-1]
                paid = [F(int(units), tree.payoff_denominator) + last * moved for units in tree.payoff[number]]
                builder.leaf(*(paid[::-1] if exchange else paid))
                continue
            if mover == CHANCE:
                table = tree.chance_tables[number]
                builder.chance(table.labels, table.probabilities)
                after = [comes and p > 0 for p in table.probabilities]
            else:
                label = f"{i}:{mover}:{number}"
                labels = tree.actions[mover][number]
                builder.decision(1 - mover if exchange else mover, label, labels[:: -1 if reverse else 1], label)
                reached |= {label} if comes else set()
                after = [comes] * len(children)
                children = children[:: -1 if reverse else 1]
            pending += list(zip(children, after, strict=True))[::-1]
    return builder.finish(), reached


def played(tree: GameTree, solution: Solution) -> dict[str, dict[str, F]]:
    """What is done at each set, by label."""
    return {
        label: dict(zip(tree.actions[player][k], row, strict=True))
        for player, rows in enumerate(rows_of(solution))
        for k, (label, row) in enumerate(zip(tree.infoset_labels[player], rows, strict=True))
    }


def parts_of(seed: int) -> list[Part]:
    """Copies of a small tree, in which players may change places, and actions their order."""
    rng = random.Random(seed)
    tree = random_game(1000 * seed, rng.choice((2, 3, 3)), zero_sum=seed % 4 == 3)
    if seed % 2:  # with ties
        payoff = np.array([[rng.randint(0, 1) for _ in range(2)] for _ in tree.payoff], dtype=np.int64)
        tree = replace(tree, payoff=payoff, payoff_denominator=1)
    exchange, reverse = rng.choice(((True, False), (False, True), (False, False), (True, True)))
    return [(tree, False, False), (tree, exchange, reverse), *([] if exchange or seed % 5 else [(tree, False, True)])]


def require_alike(seed: int, *concepts: str) -> None:
    """Each copy is played like the first."""
    parts = parts_of(seed)
    tree, reached = laid(parts, [F(1, len(parts))] * len(parts))
    for concept in concepts:
        rows = played(tree, solved(tree, concept))
        for label in reached:
            assert rows[label] == rows["0:" + label.split(":", 1)[1]], (concept, label)


@pytest.mark.sample(24)
@pytest.mark.parametrize("seed", range(60))
def test_copies_in_a_tree_are_played_alike(seed: int) -> None:
    require_alike(seed, CONCEPTS[seed % 4])


def test_ties_within_a_class_are_not_broken_apart() -> None:
    """In a game of perfect information: backward induction breaks them at each set for itself."""
    require_alike(358, *CONCEPTS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 360))
def test_more_copies_in_a_tree_are_played_alike(seed: int) -> None:
    require_alike(seed, *CONCEPTS)


@pytest.mark.parametrize("seed", range(12))
def test_a_copy_that_differs_by_the_least_is_told_apart(seed: int) -> None:
    """As many actions of a game and of its copy are alike as the other way about, or none."""
    drawn = iter(random.Random(seed).sample(range(10_000), 100))
    builder = TreeBuilder()
    builder.decision(0, "first", ("a", "b"))
    for first in "ab":
        builder.decision(1, "reply", ("c", "d"))
        for reply in "cd":
            builder.decision(0, (first, reply), ("e", "f"))
            builder.leaf(next(drawn), next(drawn))
            builder.leaf(next(drawn), next(drawn))
    whole = builder.finish()
    parts = [(whole, False, False), (whole, seed % 2 == 0, seed % 3 == 0)]
    tree, _ = laid(parts, [F(1, 2)] * 2)
    assert classes(solved(tree, "sequential"))[1:] == (24, 12)
    tree, _ = laid(parts, [F(1, 2)] * 2, TINY)
    assert classes(solved(tree, "sequential")) == (False, 24, 24)
    tree, _ = laid(parts, [F(1, 2) + TINY, F(1, 2) - TINY])
    assert classes(solved(tree, "sequential")) == (False, 24, 24)


@pytest.mark.parametrize("concept", CONCEPTS)
def test_what_chance_never_comes_to_keeps_nothing_apart(concept: str) -> None:
    """The order of actions does not count there either."""
    builder = TreeBuilder()
    builder.decision(0, "first", ("a", "b"))
    builder.chance(("now", "never"), (1, 0))
    builder.decision(1, "reply", ("c", "d"))
    builder.leaf(1, 2)
    builder.leaf(3, 0)
    builder.decision(0, "there", ("left", "middle", "right"))
    builder.decision(0, "then", ("e", "f"))
    for payoffs in ((0, 1), (0, 0), (2, 2), (2, 2), (3, 1)):
        builder.leaf(*payoffs)
    whole = builder.finish()
    tree, reached = laid([(whole, False, False), (whole, True, True)], [F(1, 2)] * 2)
    solution = solved(tree, concept)
    assert classes(solution) == (True, 18, 7)
    rows = played(tree, solution)
    assert all(rows[f"0:{place}"] == rows[f"1:{place}"] for place in ("0:0", "1:0"))
    assert {label.split(":", 1)[1] for label in reached} == {"0:0", "1:0"}


# -- priors and trembles ---------------------------------------------------------------------------

HAWK = [[-1, 4], [0, 2]]


def symmetric_game(ones: list[list[int]], **names: Any) -> GameTree:
    """Players who may change places."""
    return tremble.matrix_game(ones, [list(column) for column in zip(*ones, strict=True)], **names)


@pytest.mark.parametrize("concept", ["quasi-perfect", "sequential", "perfect"])
def test_trembles_count(concept: str) -> None:
    tree = symmetric_game([[1, 1], [1, 1]])
    alike, apart = (Trembles.from_rows(tree, rows) for rows in ([[[1, 3]], [[1, 3]]], [[[1, 3]], [[1, 2]]]))
    assert classes(solved(tree, concept, trembles=alike)) == (True, 4, 2)
    assert classes(solved(tree, concept, trembles=apart)) == (False, 4, 4)
    assert classes(solved(tree, concept)) == (True, 4, 1)
    ones = [[[1, 1]], [[1, 1]]]
    for orders, found in (([[[1, 3]], [[1, 3]]], (True, 4, 2)), ([[[1, 3]], [[1, 2]]], (False, 4, 4))):
        ordered = Trembles.from_rows(tree, ones, orders=orders)
        assert classes(solved(tree, concept, trembles=ordered)) == found


def test_a_prior_counts() -> None:
    tree = symmetric_game([[3, 0], [0, 1]])
    for row, value in (([9, 1], 3), ([1, 9], 1)):
        solution = solved(tree, "nash", prior=Trembles.from_rows(tree, [[row], [row]]))
        assert (solution.values, classes(solution)[0]) == ((value, value), True)
    assert classes(solved(tree, "nash", prior=Trembles.from_rows(tree, [[[9, 1]], [[1, 9]]]))) == (False, 4, 4)


def test_random_priors_are_as_symmetric_as_the_game() -> None:
    tree = symmetric_game([[3, 0], [0, 1]])
    found = [solved(tree, "sequential", prior="random", seed=seed) for seed in range(10)]
    assert {solution.values for solution in found} == {(3, 3), (1, 1)}
    assert all(classes(solution)[0] for solution in found)
    several = tremble.solve_several(symmetric_game(HAWK), 10, symmetric=True)
    assert [solution.values for solution in several] == [(F(2, 3), F(2, 3))]
    assert len(tremble.solve_several(symmetric_game(HAWK), 10)) == 2


def test_nobody_to_be_alike() -> None:
    builder = TreeBuilder()
    builder.leaf(1, 2)
    for concept in CONCEPTS:
        assert classes(solved(builder.finish(), concept)) == (True, 0, 0)


# -- how it is asked for -----------------------------------------------------------------------------


def test_the_option_asks_for_the_method() -> None:
    """Whatever the payoffs sum to."""
    for tree in (symmetric_game(HAWK), tremble.load("matching_pennies"), tremble.load("auction:values=2,top=2")):
        solution = tremble.solve(tree, symmetric=True)
        assert solution.method.options["reason"] == "symmetric is asked for"
        assert (solution.method.name, solution.method.options["symmetric"]) == ("lemke", True)
        assert tree.constant_sum is None or tremble.solve(tree).value == solution.value
    assert "symmetric" not in tremble.solve(tree, method=Lemke()).method.options
    assert "symmetric" not in tremble.solve(tree, method=Lemke()).stats
    with pytest.raises(SpecError, match="'symmetric' is an option of the method lemke, not of lp"):
        tremble.solve(tree, method="lp", symmetric=True)
    with pytest.raises(SpecError, match="'symmetric' must be True or False, not 'yes'"):
        Lemke(symmetric="yes")  # type: ignore[arg-type]
    with pytest.raises(tremble.GameError, match="not maxmin"):
        tremble.solve(tree, "maxmin", symmetric=True)
    with ThreadPoolExecutor(1) as executor:
        [result] = tremble.solve_many(["auction:values=2,top=2"], executor=executor, symmetric=True)
    assert result.solution is not None
    assert result.solution.method.name == "lemke"


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "hawk.nfg"
    tremble.write_nfg(symmetric_game(HAWK), path)
    said = run("solve", path, "--symmetric", "--quiet").stdout
    assert "lemke (symmetric is asked for)" in said
    assert "both players play alike: 4 actions, 2 classes" in said
    assert "symmetry" not in run("solve", path, "--quiet").stdout
    said = run("solve", "auction:values=2,top=2", "--symmetric", "--quiet").stdout
    assert "alike actions are played alike: 40 actions, 19 classes" in said
    assert "none: no two actions are alike" in run("solve", "battle_outside", "--symmetric").stdout
    assert "equilibria  1, each" in run("solve", path, "--symmetric", "--several", 10).stdout
    refused = run("solve", path, "--symmetric", "--all")
    assert (refused.exit_code, "--symmetric is for finding" in refused.stderr) == (2, True)

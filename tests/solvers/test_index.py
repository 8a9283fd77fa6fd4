"""Index of components and degeneracy, against brute force: the equilibria of a game a little aside, by supports."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import random_game
from tremble.results import Equilibria
from tremble.solvers.enumerate import BimatrixGame
from tremble.strategies import reduced_normal_form

Matrix = list[list[F]]


def a_degenerate_game(seed: int) -> tuple[Matrix, Matrix]:
    """Small payoffs, hence ties; now and then a strategy twice, and payoffs that are all different."""
    rng = random.Random(seed)
    m, n, most = rng.randint(2, 4), rng.randint(2, 4), (1, 2, 1, 3, 50)[seed % 5]
    A, B = ([[F(rng.randint(0, most)) for _ in range(n)] for _ in range(m)] for _ in (0, 1))
    if seed % 6 == 0:
        A[0], B[0] = A[-1][:], B[-1][:]
    return A, B


def determinant(rows: Matrix) -> F:
    """By Laplace's expansion."""
    if not rows:
        return F(1)
    return sum(
        ((-1) ** k * rows[0][k] * determinant([row[:k] + row[k + 1 :] for row in rows[1:]]) for k in range(len(rows))),
        F(0),
    )


def replaced(rows: Matrix, column: int, by: list[F]) -> Matrix:
    return [[*row[:column], value, *row[column + 1 :]] for row, value in zip(rows, by, strict=True)]


def indifferent(payoff: Matrix) -> list[F] | None:
    """The mixture of columns against which all rows of a square matrix of positive payoffs earn the same, by Cramer."""
    whole = determinant(payoff)
    if not whole:
        return None
    weight = [determinant(replaced(payoff, k, [F(1)] * len(payoff))) / whole for k in range(len(payoff))]
    return [w / sum(weight) for w in weight] if all(w > 0 for w in weight) else None


def regular_equilibria(A: Matrix, B: Matrix) -> list[tuple[list[F], list[F], int]]:
    """All equilibria of a game that is not degenerate, with positive payoffs, and Shapley's index of each."""
    m, n = len(A), len(A[0])
    found = []
    for k in range(1, min(m, n) + 1):
        for own, J in itertools.product(itertools.combinations(range(m), k), itertools.combinations(range(n), k)):
            square = [[A[i][j] for j in J] for i in own], [[B[i][j] for i in own] for j in J]
            y_on, x_on = indifferent(square[0]), indifferent(square[1])
            if y_on is None or x_on is None:
                continue
            x, y = [F(0)] * m, [F(0)] * n
            for i, p in zip(own, x_on, strict=True):
                x[i] = p
            for j, p in zip(J, y_on, strict=True):
                y[j] = p
            rows = [sum(A[i][j] * y[j] for j in range(n)) for i in range(m)]
            columns = [sum(B[i][j] * x[i] for i in range(m)) for j in range(n)]
            if rows[own[0]] == max(rows) and columns[J[0]] == max(columns):
                assert rows.count(max(rows)) == columns.count(max(columns)) == k  # regular
                sign = determinant(square[0]) * determinant(square[1])
                found.append((x, y, (-1) ** (k + 1) * (1 if sign > 0 else -1)))
    return found


def aside(A: Matrix, B: Matrix, seed: int) -> tuple[Matrix, Matrix]:
    """A little aside, at random, and positive."""
    rng = random.Random(seed)
    A, B = ([[p + 1 + F(rng.randrange(2**30), 2**62) for p in row] for row in matrix] for matrix in (A, B))
    return A, B


def distance(point: tuple[list[F], list[F]], corners: Any) -> float:
    """From a pair of mixtures to the nearest pair in the product of two hulls: the greatest difference in an entry."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    far = 0.0
    for mixture, hull in zip(point, corners, strict=True):
        hull, at = np.array(hull, dtype=float), np.array(mixture, dtype=float)
        ones = np.ones((len(at), 1))
        limits = np.vstack((np.hstack((hull.T, -ones)), np.hstack((-hull.T, -ones))))
        done = linprog(
            [*([0.0] * len(hull)), 1.0], A_ub=limits, b_ub=[*at, *-at], A_eq=[[*([1.0] * len(hull)), 0.0]], b_eq=[1.0]
        )
        far = max(far, done.fun)
    return far


def mixtures_of(found: Equilibria) -> tuple[dict[int, list[F]], dict[int, list[F]]]:
    mixtures: tuple[dict[int, list[F]], dict[int, list[F]]] = ({}, {})
    for numbers, solution in zip(found.pairs or (), found, strict=True):
        for i in (0, 1):
            mixtures[i][numbers[i]] = list(map(F, solution.strategies[i].row(0)))
    return mixtures


def by_force(A: Matrix, B: Matrix, found: Equilibria, seed: int) -> list[int]:
    """The index of each component: the sum over the equilibria of a game aside that are nearest to it."""
    mixtures, total = mixtures_of(found), [0] * len(found.components or ())
    for x, y, index in regular_equilibria(*aside(A, B, seed)):
        distances = []
        for group in found.components or ():
            members = {(found.pairs or ())[k] for k in group}
            subsets = [s for s in found.maximal_subsets or () if (s[0][0], s[1][0]) in members]
            corners = [([mixtures[0][i] for i in U], [mixtures[1][j] for j in V]) for U, V in subsets]
            distances.append(min(distance((x, y), each) for each in corners))
        assert min(distances) < 1e-6
        total[distances.index(min(distances))] += index
    return total


def checked(seed: int) -> Equilibria:
    A, B = a_degenerate_game(seed)
    found = tremble.all_equilibria(tremble.matrix_game(A, B))
    assert found.indices is not None
    assert sum(index or 0 for index in found.indices) == 1
    assert list(found.indices) == by_force(A, B, found, seed), seed
    return found


def test_the_index_by_force() -> None:
    several = [len(checked(seed).components or ()) for seed in range(20)]
    assert sum(count > 1 for count in several) > 3


@pytest.mark.slow
def test_the_index_by_force_in_many_games() -> None:
    for seed in range(20, 400):
        checked(seed)


def test_the_game_nearby_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the formula of regular equilibria, and the sum that gives the last one, the indices are the same."""
    games = [tremble.matrix_game(*a_degenerate_game(seed)) for seed in range(100, 180)]
    found = [tremble.all_equilibria(game).indices for game in games]
    monkeypatch.setattr(BimatrixGame, "_regular_index", lambda *_: None)
    again = [tremble.all_equilibria(game).indices for game in games]
    assert again == found
    assert sum(len(index or ()) > 1 for index in found) > 12


@pytest.mark.parametrize("seed", range(30))
def test_trees_have_the_index_of_their_normal_forms(seed: int) -> None:
    tree = random_game(seed, 3, zero_sum=False)
    matrix = reduced_normal_form(tree)
    of_tree, of_matrix = tremble.all_equilibria(tree), tremble.all_equilibria(matrix)

    def said(found: Equilibria) -> list[Any]:
        return sorted(
            (index, sorted({found[k].values for k in group}))
            for group, index in zip(found.components or (), found.indices or (), strict=True)
        )

    assert [index for index, _ in said(of_tree)] == [index for index, _ in said(of_matrix)]
    assert of_tree.degenerate == of_matrix.degenerate


# -- what is known -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "worth"),
    [("beer_quiche", {F(29, 10): 1, F(21, 10): 0}), ("battle_outside", {F(3): 1, F(2): 0}), ("kuhn", {F(-1, 18): 1})],
)
def test_what_forward_induction_and_the_intuitive_criterion_reject_has_index_0(name: str, worth: dict[F, int]) -> None:
    found = tremble.all_equilibria(tremble.load(name))
    indices = zip(found.components or (), found.indices or (), strict=True)
    assert {found[group[0]].values[0]: index for group, index in indices} == worth


@pytest.mark.parametrize("n", range(1, 6))
def test_coordination(n: int) -> None:
    """Each set of strategies is the support of an equilibrium, of index (-1) ** (k + 1)."""
    found = tremble.all_equilibria(tremble.matrix_game(np.eye(n, dtype=int), np.eye(n, dtype=int)))
    sizes = [sum(p > 0 for p in solution.strategies[0].row(0)) for solution in found]
    assert [(found.indices or ())[k] for k in range(len(found))] == [(-1) ** (size + 1) for size in sizes]
    assert found.degenerate is False


def test_a_game_that_is_too_large_says_so() -> None:
    """Components that are not points, in a game whose nearby ones have too many vertices."""
    rng = np.random.default_rng(1)
    n = 10
    A, B = rng.integers(0, 1000, (n, n)), rng.integers(0, 1000, (n, n))
    found = tremble.all_equilibria(tremble.matrix_game(A, B))
    assert sum(index or 0 for index in found.indices or ()) == 1
    assert None in (found.indices or ()) or found.indices_unknown is None


# -- degeneracy ----------------------------------------------------------------------------------------


def degenerate_by_force(A: Matrix, B: Matrix) -> bool:
    """Some mixture of k strategies has k + 1 best replies: linear programs over all supports and sets of replies."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    earned = [[[float(B[i][j]) for i in range(len(B))] for j in range(len(B[0]))], [[float(p) for p in r] for r in A]]
    for table in earned:  # of the replying player: replies by strategies of the other one
        replies, own = len(table), len(table[0])
        for k in range(1, own + 1):
            for support, J in itertools.product(
                itertools.combinations(range(own), k), itertools.combinations(range(replies), k + 1)
            ):
                sums = [[float(i in support) for i in range(own)] + [0.0], [1.0] * own + [0.0]]
                equal = sums + [[*table[j], -1.0] for j in J]
                others = [[*table[j], -1.0] for j in range(replies)]
                done = linprog(
                    [0.0] * (own + 1), A_ub=others, b_ub=[0.0] * replies, A_eq=equal,
                    b_eq=[1.0, 1.0, *([0.0] * len(J))], bounds=[(0, 1)] * own + [(None, None)],
                )  # fmt: skip
                if done.status == 0:
                    return True
    return False


def test_degeneracy_by_force() -> None:
    told = []
    for seed in range(60):
        A, B = a_degenerate_game(seed) if seed % 3 else aside(*a_degenerate_game(seed), seed)
        found = tremble.all_equilibria(tremble.matrix_game(A, B))
        assert found.degenerate is not None
        if seed % 3:
            assert found.degenerate == degenerate_by_force(A, B), seed
        else:
            assert not found.degenerate
        assert (found.degeneracy is not None) == found.degenerate
        told.append(found.degenerate)
    assert {True, False} == set(told)


def test_why_it_is_degenerate() -> None:
    third = tremble.matrix_game(
        [[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]], rows=list("abc"), columns=list("lr")
    )
    assert tremble.all_equilibria(third).degeneracy == "the strategy of player 1 (a) has 2 best replies (l, r)"
    mixed = tremble.matrix_game(
        [[2, 0], [0, 2], [1, 1]], [[1, 2], [4, 3], [5, 0]], rows=list("abc"), columns=list("lr")
    )
    assert tremble.all_equilibria(mixed).degeneracy == (
        "a mixture of 2 strategies of player 2 (l, r) has 3 best replies (a, b, c)"
    )


def test_what_is_stated_of_the_whole() -> None:
    """That they are the indices is believed; what does not fit is refused."""
    game = tremble.load("beer_quiche")
    found = tremble.all_equilibria(game)
    again = Equilibria.from_text(found.to_text())
    assert (again.indices, again.degenerate, again.degeneracy) == (found.indices, True, found.degeneracy)
    fields = {field.name: field for field in tremble.verify(game, again).fields}
    assert fields["indices"].believed
    assert fields["degenerate"].believed == "the game is degenerate"
    for wrong, why, start in (
        ((1,), None, "indices: there are 1, not one for each"),
        ((1, 1), None, "indices: the indices of all components add up to 2"),
        ((1, None), None, "indices: some are null, but indices_unknown, which says why, is missing"),
        (found.indices, "it was not asked", "indices_unknown: there are no indices that are null"),
        (None, "it was not asked", "indices_unknown: there are no indices that are null"),
    ):
        problems = tremble.verify(game, replace(found, indices=wrong, indices_unknown=why)).problems
        assert problems
        assert problems[0].startswith(start)
    assert tremble.verify(game, replace(found, indices=(1, None), indices_unknown="it was not asked")).ok

"""Matrices of payoffs as trees: the same tree as node by node, what is refused, and size."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tremble
from tremble import GameError, GameTree, PlayersError, TooLargeError, TreeBuilder


def node_by_node(A: Any, B: Any, labels: tuple[list[str], list[str]]) -> GameTree:
    builder = TreeBuilder(title="t", players=("Ann", "Bob"))
    builder.decision(0, 0, labels[0])
    for one, two in zip(A, B, strict=True):
        builder.decision(1, 0, labels[1])
        for pair in zip(one, two, strict=True):
            builder.leaf(*pair)
    return builder.finish()


@pytest.mark.parametrize("seed", range(30))
def test_the_same_tree_as_node_by_node(seed: int) -> None:
    rng = random.Random(seed)
    m, n = rng.randint(1, 5), rng.randint(1, 5)
    kinds = [
        lambda: rng.randint(-3, 3),
        lambda: Fraction(rng.randint(-9, 9), rng.randint(1, 9)),
        lambda: rng.randint(-(10**30), 10**30),
    ]
    kind = kinds[seed % 3]
    A, B = ([[kind() for _ in range(n)] for _ in range(m)] for _ in (0, 1))
    labels = [f"r{i}" for i in range(m)], [f"c{j}" for j in range(n)]
    known = node_by_node(A, B, labels)
    tree = tremble.matrix_game(A, B, rows=labels[0], columns=labels[1], title="t", players=("Ann", "Bob"))
    assert tree.digest == known.digest
    for field in dataclasses.fields(known):
        name, values, found = field.name, getattr(known, field.name), getattr(tree, field.name)
        if isinstance(values, np.ndarray):
            assert found.dtype == values.dtype, name
            assert np.array_equal(found, values), name
            assert not found.flags.writeable
        else:
            assert found == values, name
    opposite = [[-value for value in row] for row in A]
    assert tremble.matrix_game(A).digest == tremble.matrix_game(A, opposite).digest


def test_every_kind_of_exact_number() -> None:
    plain = tremble.matrix_game([[1, -2], [3, 0]])
    for A in (
        np.array([[1, -2], [3, 0]], dtype=np.int8),
        np.array([[1, -2], [3, 0]], dtype=object),
        ((1, -2), (3, 0)),
        [[np.int16(1), Fraction(-2)], ["3", "0"]],
        [np.array([1, -2]), [3, 0]],
    ):
        assert tremble.matrix_game(A).digest == plain.digest
    halves = tremble.matrix_game([["1/2", Fraction(1, 3)]], [[0, 1]])
    assert halves.payoff_denominator == 6
    assert halves.payoff_at(0) == (Fraction(1, 2), 0)
    small = tremble.matrix_game(np.array([[-128]], dtype=np.int8))
    assert small.payoff_at(0) == (-128, 128)
    large = tremble.matrix_game(np.array([[2**64 - 1]], dtype=np.uint64))
    assert large.payoff_at(0) == (2**64 - 1, 1 - 2**64)


REFUSED = {
    "float": ([[1], [0.5]], "A[1][0]: payoff 0.5 is a float, not an exact number; write '0.5', or give floats"),
    "bool": ([[True]], "A[0][0]: payoff True is a bool, not an exact number; write 1"),
    "floats": (np.array([[0.5]]), "A[0][0]: payoff "),
    "bools": (np.array([[True]]), "A[0][0]: payoff "),
    "text": ([["half"]], "A[0][0]: payoff: half is not a number such as"),
    "nothing": ([[None]], "A[0][0]: payoff None is a NoneType"),
    "ragged": ([[1, 2], [3]], "A is ragged: A[1] has 1 payoffs, A[0] has 2"),
    "no rows": ([], "A has no rows"),
    "no columns": ([[], []], "A has no columns"),
    "vector": ([1, 2], "A[0]: expected a list, not 1"),
    "cube": (np.zeros((2, 2, 2), dtype=int), "A is an array of 3 dimensions"),
    "number": (7, "A: expected a list, not 7"),
}  # fmt: skip


def test_pairs_of_payoffs_are_told_where_the_second_ones_go() -> None:
    with pytest.raises(GameError, match=r"A\[0\]\[0\]: .* give the payoffs of player 2 in a separate matrix, B"):
        tremble.matrix_game([[(3, 3), (0, 5)], [(5, 0), (1, 1)]])


def test_data_frames_are_read_by_rows() -> None:
    """By itself a frame is a sequence of columns: the payoffs of the row player would be transposed."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    A, B = [[1, 2, 3], [4, 5, 6]], [["1/2", 0, 1], [2, "-1/3", 7]]
    game = tremble.matrix_game(A, B)
    assert tremble.matrix_game(pandas.DataFrame(A), pandas.DataFrame(B)) == game
    named = tremble.matrix_game(A, B, rows=["T", "B"], columns=list("LCR"))
    assert tremble.matrix_game(pandas.DataFrame(A, index=["T", "B"], columns=list("LCR")), B) == named
    assert tremble.matrix_game(polars.DataFrame(A, orient="row"), B) == game
    square = pandas.DataFrame([[1, 2], [3, 4]])
    assert tremble.matrix_game(square) == tremble.matrix_game([[1, 2], [3, 4]])


def test_data_frames_say_what_strategies_are_called() -> None:
    pandas = pytest.importorskip("pandas")
    A = pandas.DataFrame([["1/2", 0], [2, 3]], index=["T", "B"], columns=["L", "R"])
    B = pandas.DataFrame([[1, 2], [3, 4]], index=["T", "B"], columns=["L", "R"])
    assert tremble.matrix_game(A, B).actions == ((("T", "B"),), (("L", "R"),))
    assert tremble.matrix_game([[1, 2], [3, 4]], B).actions == ((("T", "B"),), (("L", "R"),))
    assert tremble.matrix_game(A, B, rows=["x", "y"]).actions == ((("x", "y"),), (("L", "R"),))
    assert tremble.matrix_game(A, pandas.DataFrame([[1, 2], [3, 4]])).actions == ((("T", "B"),), (("L", "R"),))


def test_data_frames_in_two_orders_are_refused() -> None:
    """The payoffs of one player would be those of other strategies."""
    pandas = pytest.importorskip("pandas")
    A = pandas.DataFrame([[1, 2], [3, 4]], index=["T", "B"], columns=["L", "R"])
    with pytest.raises(GameError, match="the columns of A are called L, R, but in B R, L"):
        tremble.matrix_game(A, A[["R", "L"]])
    with pytest.raises(GameError, match="the rows of A are called T, B, but in B B, T"):
        tremble.matrix_game(A, A.loc[["B", "T"]])


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_matrix_of_exact_numbers_is_refused(name: str) -> None:
    matrix, message = REFUSED[name]
    with pytest.raises(GameError) as caught:
        tremble.matrix_game(matrix)
    assert str(caught.value).startswith(message)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(GameError, match="A has 1 x 2 payoffs, but B has 2 x 1"):
        tremble.matrix_game([[1, 2]], [[1], [2]])
    with pytest.raises(GameError, match=r"B\[0\]\[1\]: payoff 1.5 is a float"):
        tremble.matrix_game([[1, 2]], [[1, 1.5]])
    with pytest.raises(GameError, match="'rows' has 1 labels for the 2 rows of A"):
        tremble.matrix_game([[1], [2]], rows=["a"])
    with pytest.raises(GameError, match="columns repeats an action label"):
        tremble.matrix_game([[1, 2]], columns=["a", "a"])
    with pytest.raises(GameError, match="'rows' must be a sequence of labels, not the text"):
        tremble.matrix_game([[1], [2]], rows="ab")
    with pytest.raises(PlayersError, match="'players' must be two names"):
        tremble.matrix_game([[1]], players=("Ann",))  # type: ignore[arg-type]
    with pytest.raises(TooLargeError, match="2 x 3 cells make a tree of 9 nodes, more than 8"):
        tremble.matrix_game([[1, 2, 3]] * 2, max_nodes=8)
    with pytest.raises(GameError, match=r"tremble\.matrix_game"):
        tremble.solve([[1, 2], [3, 4]])


def test_a_thousand_by_a_thousand_is_a_tree() -> None:
    numbers = np.random.default_rng(0).integers(-99, 100, (1000, 1000))
    tree = tremble.matrix_game(numbers)
    tremble.matrix_game(numbers.tolist(), numbers.T.tolist())
    assert tree.payoff_at(1001) == (numbers[1, 1], -numbers[1, 1])

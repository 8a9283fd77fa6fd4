"""Colour refinement against a plain one by dictionaries, and quotients against their programs."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tremble.exact.colours import refined, refined_alike
from tremble.exact.lexicographic import optimize
from tremble.exact.program import IntegerMatrix, Program
from tremble.exact.quotient import Quotient


def _nothing() -> None:
    pass


def _program(dense: list[Any], rhs: Any, cost: Any, equality: Any = None, free: Any = None) -> Program:
    """From dense matrices, the constant one first."""
    arrays = [np.array(part, dtype=object) for part in dense]
    m, n = arrays[0].shape
    return Program(
        matrices=tuple(_matrix(part) for part in arrays),
        rhs=np.array(rhs, dtype=object),
        cost=np.array(cost, dtype=object),
        equality=np.zeros(m, dtype=np.bool_) if equality is None else np.array(equality),
        free=np.zeros(n, dtype=np.bool_) if free is None else np.array(free),
        row_exponent=np.zeros(m, dtype=np.int64),
        column_exponent=np.zeros(n, dtype=np.int64),
    )


def _matrix(dense: Any) -> IntegerMatrix:
    row, column = np.nonzero(dense)
    return IntegerMatrix.from_entries(dense.shape, row, column, dense[row, column])


def _coarsest(dense: list[Any], rows: list[Any], columns: list[Any]) -> tuple[list[int], list[int]]:
    """By dictionaries of sums, round by round."""
    parts = [np.array(part, dtype=object) for part in dense]
    while True:
        new_rows = [
            (rows[i], tuple(sorted((repr(j), [sum(part[i, c] for c in range(len(columns)) if columns[c] == j)
             for part in parts]) for j in set(columns)))) for i in range(len(rows))
        ]  # fmt: skip
        new_columns = [
            (columns[j], tuple(sorted((repr(i), [sum(part[r, j] for r in range(len(rows)) if rows[r] == i)
             for part in parts]) for i in set(rows)))) for j in range(len(columns))
        ]  # fmt: skip
        numbered = [_number(list(map(repr, new))) for new in (new_rows, new_columns)]
        if [max(n) for n in numbered] == [max(_number(list(map(repr, old)))) for old in (rows, columns)]:
            return numbered[0], numbered[1]
        rows, columns = numbered


def _number(values: list[Any]) -> list[int]:
    seen: dict[Any, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]


def _symmetric(draw: random.Random, rows: int, columns: int, big: int) -> np.ndarray[Any, Any]:
    """A matrix with classes hidden in it: blocks that are circulant, rows and columns shuffled."""
    size = draw.choice([1, 2, 3])
    blocks = [[[draw.choice([0, 0, 1, -1, 2, big]) for _ in range(size)] for _ in range(columns)] for _ in range(rows)]
    dense = np.zeros((rows * size, columns * size), dtype=object)
    for i in range(rows):
        for j in range(columns):
            for a in range(size):
                for b in range(size):
                    dense[i * size + a, j * size + b] = blocks[i][j][(a - b) % size]
    return dense


@pytest.mark.parametrize("seed", range(60))
def test_the_coarsest_equitable_partition(seed: int) -> None:
    draw = random.Random(seed)
    shape, big = (draw.randint(1, 4), draw.randint(1, 4)), draw.choice([3, 2**64, 2**70 + 1, 10**30])
    dense = [_symmetric(random.Random(100 * seed + k), *shape, big) for k in range(draw.choice([1, 2]))]
    smallest = [min(part.shape[axis] for part in dense) for axis in (0, 1)]
    dense = [part[: smallest[0], : smallest[1]] for part in dense]
    m, n = dense[0].shape
    order = draw.sample(range(m), m), draw.sample(range(n), n)
    dense = [part[order[0]][:, order[1]] for part in dense]
    if draw.random() < 0.3:
        dense[-1][draw.randrange(m), draw.randrange(n)] += draw.choice([1, 2**64, -(2**31 - 1) * (2**31 - 19)])
    rhs, cost = [[1] * m], [[1] * n]
    program = _program(dense, rhs, cost)
    quotient = refined(program, _nothing)
    assert quotient is not None
    rows, columns = _coarsest(dense, [0] * m, [0] * n)
    assert quotient.row.tolist() == rows
    assert quotient.column.tolist() == columns
    for whole, small in zip(dense, quotient.program.matrices, strict=True):
        for i, j in np.ndindex(small.shape):
            of = quotient.row.tolist().index(i)
            entries = dict(zip(*(part.tolist() for part in small.row_entries(i)), strict=True))
            assert entries.get(j, 0) == sum(whole[of, c] for c in range(n) if quotient.column[c] == j)


@pytest.mark.parametrize("seed", range(40))
def test_optima_agree(seed: int) -> None:
    """And what is lifted is feasible on both sides, with the same objective."""
    draw = random.Random(seed)
    dense = _symmetric(draw, 3, 3, 5)
    dense = np.abs(dense) + 1  # bounded and feasible
    m, n = dense.shape
    program = _program([dense], [[7] * m], [[3] * n])
    quotient = refined(program, _nothing)
    assert quotient is not None
    vertex, _ = optimize(quotient.program, quotient.program.slack_basis, _nothing)
    whole, _ = optimize(program, program.slack_basis, _nothing)
    assert vertex.objective == whole.objective
    small = quotient.program
    z = [Fraction(v, vertex.value_denominator) for v in vertex.value[: small.num_columns].tolist()]
    y = [-Fraction(v, vertex.reduced_denominator) for v in vertex.reduced[small.num_columns :].tolist()]
    z = [z[j] for j in quotient.column.tolist()]
    y = [y[i] / int(np.sum(quotient.row == i)) for i in quotient.row.tolist()]
    assert all(sum(dense[i, j] * z[j] for j in range(n)) <= 7 for i in range(m))
    assert all(sum(dense[i, j] * y[i] for i in range(m)) >= 3 for j in range(n))
    assert sum(3 * v for v in z) == sum(7 * v for v in y) == whole.objective


def test_colliding_sums_are_noticed() -> None:
    """Sums that differ by a multiple of both primes pass the rounds, and are told apart with other primes."""
    apart = (2**31 - 1) * (2**31 - 19)
    program = _program([[[1, 1], [1, 1 + apart]]], [[1, 1]], [[1, 1]])
    quotient = refined(program, _nothing)
    assert quotient is not None
    assert quotient.program.matrix.shape == (2, 2)


def test_classes_that_are_not_equitable_are_refused() -> None:
    one, both = np.array([[1, 2], [2, 1]], dtype=object), np.zeros(2, dtype=np.int64)
    assert Quotient.of(_program([one], [[1, 1]], [[1, 1]]), both, both) is not None
    linear = np.array([[0, 0], [0, 1]], dtype=object)
    assert Quotient.of(_program([one, linear], [[1, 1]], [[1, 1]]), both, both) is None
    off = one.copy()
    off[0, 0] *= 10**30
    off[0, 0] += 1
    assert Quotient.of(_program([off], [[1, 1]], [[1, 1]]), both, both) is None


def test_little_is_not_enough() -> None:
    program = _program([[[1, 1, 5], [1, 1, 5], [1, 2, 3]]], [[1, 1, 1]], [[1, 1, 1]])
    assert refined(program, _nothing) is not None
    assert refined(program, _nothing, enough=0.5) is None


def test_rows_and_columns_alike() -> None:
    """Rock, paper, scissors as one problem of both players: one class of all plans, one of both values."""
    lose = np.array([[2, 1, 3], [3, 2, 1], [1, 3, 2]], dtype=object)
    dense = np.zeros((8, 9), dtype=object)
    dense[:3, 3:6], dense[3:6, :3] = -lose, -lose
    dense[:3, 6], dense[6, :3], dense[3:6, 7], dense[7, 3:6] = 1, -1, 1, -1
    dense[:, 8] = -1
    program = _program([dense], [[0] * 6 + [-1, -1]], [[0] * 9])
    quotient = refined_alike(program, np.array([0] * 6 + [1] * 2), _nothing)
    assert quotient is not None
    assert quotient.row.tolist() == [0] * 6 + [1] * 2
    assert quotient.column.tolist() == [0] * 6 + [1] * 2 + [2]
    assert quotient.program.matrix.shape == (2, 3)


def test_chains_split_slowly() -> None:
    """Two equal chains, which split from their ends, a link in each round."""
    links = 30
    chain = np.eye(links, dtype=object) + np.eye(links, k=1, dtype=object)
    dense = np.kron(np.eye(2, dtype=object), chain)
    program = _program([dense], [[1] * (2 * links)], [[0] * (2 * links)])
    quotient = refined(program, _nothing)
    assert quotient is not None
    assert quotient.row.tolist() == quotient.column.tolist() == [*range(links)] * 2
    assert quotient.rounds > 3

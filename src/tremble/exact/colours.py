r"""Colour refinement: rows and columns of a program that no sum can tell apart, and the smaller program of the classes.

A partition of the rows and of the columns is *equitable* if rows of one class have the same right-hand side and sense
and, for every class of columns, the same sum of entries over it; and columns of one class the same cost and sign and,
for every class of rows, the same sum of entries over it. All of these are polynomials in the infinitesimal, compared
coefficient by coefficient. The coarsest such partition comes from splitting classes until nothing splits.

The *quotient* has one row and one column for each class. With r any row of class i and c any column of class j,

.. math::  A^Q_{ij} = \sum_{c \in j} A_{rc}, \qquad b^Q_i = b_r, \qquad c^Q_j = |j|\, c_c .

Its solution is one of the program itself: :math:`z_c = z^Q_{[c]}`, with multipliers :math:`y_r = y^Q_{[r]} / |[r]|`.

*Why.* Row r of A z is row [r] of :math:`A^Q z^Q`. A block of A, counted by rows and by columns, has the sum
:math:`|i|\, A^Q_{ij} = |j| \sum_{r \in i} A_{rc}`, so the reduced cost of a column is
:math:`c_c - \sum_r A_{rc} y_r = (c^Q_j - \sum_i A^Q_{ij} y^Q_i) / |j|`. Values, logicals, reduced costs and multipliers
all have the signs that they have in the quotient: what is feasible, optimal or complementary there is so here, at every
:math:`\varepsilon`. Averaging any solution over the classes leads to one that is constant on them, so the optima
are equal.

*How they are found.* Each class has a number without a pattern, and each row and column the sum of its entries times
the numbers of their classes, modulo 2^64: whatever has equal sums to every class has equal numbers. A round looks only
at what the last one gave another class. As different sums may meet in one number, what comes out is checked exactly; if
they did, it is done again modulo primes.

References
----------
M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
R. Paige, R. E. Tarjan: Three partition refinement algorithms, SIAM Journal on Computing 16, 1987.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.blocks import UNNAMED, Blocks
from tremble.exact.matrix import IntegerMatrix
from tremble.exact.program import Program
from tremble.integers import exact_product, is_wide, narrowed, safe_to_add

__all__ = ["Classes", "Quotient", "numbered", "refined", "refined_alike"]

Classes = NDArray[np.int64]
"""The class of each row, or column: 0, 1, ... in the order of their first members."""

_WORD = 2**64  # what int64 is reduced by without being asked
_MODULI = ((_WORD,), (2**31 - 1, 2**31 - 19), (2**31 - 61, 2**31 - 69))
_MIX = 0x9E3779B97F4A7C15 - _WORD
_SPLITS = 1.25
_ROUND = 2_000  # entries that take as long as a round itself
_PATIENCE = 60  # times as many entries as there are may be looked at, before deep games are left as they are
_LEAST = 100_000


@dataclass(frozen=True, eq=False)
class Quotient:
    """A program and the smaller one of its classes."""

    whole: Program
    program: Program
    row: Classes  # [m]
    column: Classes  # [n]
    rounds: int

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """The first row of each class."""
        return _first(self.row)

    @cached_property
    def first_column(self) -> NDArray[np.int64]:
        """The first column of each class."""
        return _first(self.column)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The class of each column, and of each logical behind them, int64[n + m]."""
        return np.concatenate((self.column, self.program.num_columns + self.row))

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first member of each class of columns, and of logicals behind them."""
        return np.concatenate((self.first_column, self.whole.num_columns + self.first_row))

    @classmethod
    def of(cls, program: Program, row: Classes, column: Classes, rounds: int = 0) -> Quotient | None:
        """The quotient of classes; None if they are not equitable, which is checked exactly.

        Rows of a class must have the same side and sense, columns the same cost and sign.
        """
        first_row, first_column = _first(row), _first(column)
        matrices = []
        for matrix in program.matrices:
            by_row, by_column = _Sums.of_matrix(matrix, column), _Sums.of_matrix(matrix.transposed, row)
            if not by_row.same(row, first_row) or not by_column.same(column, first_column):
                return None
            matrices.append(by_row.matrix(first_row, len(first_column)))
        size = np.bincount(column, minlength=len(first_column))
        small = replace(
            program,
            matrices=tuple(matrices),
            rhs=program.rhs[:, first_row],
            cost=narrowed(exact_product(program.cost[:, first_column], size)),
            equality=program.equality[first_row],
            free=program.free[first_column],
            row_exponent=program.row_exponent[first_row],
            column_exponent=program.column_exponent[first_column],
            rows=_blocks(program.rows, row),
            columns=_blocks(program.columns, column),
        )
        return cls(program, small, row, column, rounds)


def refined(program: Program, check: Callable[[], None], *, enough: float = 1.0) -> Quotient | None:
    """The quotient by the coarsest equitable partition that merges rows, and columns, within blocks only.

    Parameters
    ----------
    enough : float
        Give up as soon as more than this share of the rows and columns would be left.

    Returns
    -------
    Quotient or None
        None if too little merges; or if that does not show in a time that is a small multiple of the program's size.
    """
    m, n = program.num_rows, program.num_columns
    first_rows = _grouped([_of_block(program.rows, m), program.equality, *program.rhs])
    first_columns = _grouped([_of_block(program.columns, n), program.free, *program.cost])
    first = np.concatenate((first_rows, len(np.unique(first_rows)) + first_columns))
    parts = [(matrix, np.arange(m), m + np.arange(n), 0) for matrix in program.matrices]
    return _checked(program, first, parts, lambda of: (of[:m], of[m:]), check, enough)


def refined_alike(program: Program, kind: NDArray[np.int64], check: Callable[[], None]) -> Quotient | None:
    """The same where rows and the first columns carry one common partition, however long it takes.

    Parameters
    ----------
    program : Program
        With one row for each of the first m columns. Columns beyond are told apart.
    kind : int64[m]
        What must not be merged has different numbers.
    """
    m, n = program.num_rows, program.num_columns
    paired = [kind, program.equality, *program.rhs, program.free[:m], *program.cost[:, :m]]
    alike = _grouped(paired)
    first = np.concatenate((alike, len(np.unique(alike)) + np.arange(n - m)))
    parts = [(matrix, np.arange(m), np.arange(n), len(program.matrices)) for matrix in program.matrices]
    return _checked(program, first, parts, lambda of: (of[:m], of), check, patience=math.inf)


def _checked(
    program: Program,
    first: Classes,
    parts: Sequence[_Part],
    apart: Callable[[Classes], tuple[Classes, Classes]],
    check: Callable[[], None],
    enough: float = 1.0,
    patience: float = _PATIENCE,
) -> Quotient | None:
    """The quotient by the classes that come out; with other numbers should these have collided."""
    graph = _Graph.of(len(first), parts)
    for moduli in _MODULI[is_wide(graph.value) :]:
        found = graph.coarsest(first, check, moduli, enough, patience)
        if found is None:
            return None
        of, rounds = found
        row, column = map(numbered, apart(of))
        quotient = Quotient.of(program, row, column, rounds)
        if quotient is not None:
            return quotient
    return None


# -- refinement ------------------------------------------------------------------------------------

_Part = tuple[IntegerMatrix, NDArray[np.int64], NDArray[np.int64], int]
"""A matrix, the elements that are its rows and its columns, and how far the levels of its columns' sums are beyond."""


@dataclass(frozen=True, eq=False)
class _Graph:
    """Rows and columns, and what each adds to the sums of others."""

    size: int
    levels: int  # kinds of entries whose sums are told apart
    start: NDArray[np.int64]  # [size + 1]: entries of which each is the source
    target: NDArray[np.int64]
    level: NDArray[np.int64]
    value: NDArray[Any]

    @classmethod
    def of(cls, size: int, parts: Sequence[tuple[IntegerMatrix, NDArray[np.int64], NDArray[np.int64], int]]) -> _Graph:
        """From the matrices that it is made of."""
        source, target, level, value = [], [], [], []
        for k, (matrix, rows, columns, apart) in enumerate(parts):
            row, column = rows[matrix.row_of_entry], columns[matrix.column]
            source += [row, columns[np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.column_start))]]
            target += [column, rows[matrix.row]]
            level += [np.full(len(row), k), np.full(len(row), k + apart)]
            value += [matrix.value, matrix.value[matrix.by_column]]
        sources = np.concatenate(source)
        start = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=size))))
        arrays = [np.concatenate(target), np.concatenate(level), np.concatenate(value)]
        if np.any(sources[1:] < sources[:-1]):
            order = np.argsort(sources, kind="stable")
            arrays = [array[order] for array in arrays]
        return cls(size, int(arrays[1].max(initial=0)) + 1, start, *arrays)

    def coarsest(
        self, first: Classes, check: Callable[[], None], moduli: Sequence[int], enough: float, patience: float
    ) -> tuple[Classes, int] | None:
        """The coarsest equitable partition that refines the first one, but for collisions, and the rounds."""
        numbers = [_scattered(p, (self.levels, self.size)) for p in moduli]
        residues = [_reduced(self.value, p) for p in moduli]
        sums = [np.zeros(self.size, dtype=np.int64) for _ in moduli]
        of, rounds, settled = first.copy(), 0, False
        if moduli[0] == _WORD:
            of, rounds, settled = self._early(first, numbers[0], check, enough)
        count = int(of.max(initial=-1)) + 1
        size = np.zeros(self.size, dtype=np.int64)  # of each class
        size[:count] = np.bincount(of, minlength=count)
        changed, before, looked_at = np.arange(0 if settled else self.size), None, 0
        while len(changed) and count < self.size:
            check()
            if count > enough * self.size or looked_at > patience * len(self.target) + _LEAST:
                return None
            rounds += 1
            length, at = self._entries(changed)
            target = self.target[at]
            looked_at += len(target) + _ROUND
            for p, number, residue, total in zip(moduli, numbers, residues, sums, strict=True):
                step = number[:, of[changed]] if before is None else number[:, of[changed]] - number[:, before]
                each = np.repeat(step, length, axis=1)
                added = each[0] if self.levels == 1 else each[self.level[at], np.arange(len(target))]
                np.add.at(total, target, _reduced(residue[at] * added, p))
            touched = _distinct(target, self.size)
            key = np.zeros(len(touched), dtype=np.int64)
            for p, total in zip(moduli, sums, strict=True):
                key = key << 31 | _reduced(total[touched], p)
                total[touched] = 0
            moved = key != 0
            changed, before, count = _split(of, size, count, touched[moved], key[moved])
        return None if count > enough * self.size else (of, rounds)

    def _early(
        self, first: Classes, number: NDArray[np.int64], check: Callable[[], None], enough: float
    ) -> tuple[Classes, int, bool]:
        """Classes after rounds in which all are looked at, while they split by a quarter and there are few.

        A round of these takes a third of one that looks only at what has changed, as long as nearly all has.

        Returns
        -------
        classes : int64[size]
        rounds : int
        settled : bool
            Whether nothing splits any more.
        """
        count = int(first.max(initial=-1)) + 1
        filled = np.flatnonzero(np.diff(self.start))
        label, by_level = number[0, first], number[:, 0] | 1
        weight = self.value if self.levels == 1 else self.value * by_level[self.level]
        rounds = 0
        while True:
            check()
            rounds += 1
            before, mixed = count, label * _MIX
            mixed ^= mixed >> 29
            label = label * _MIX
            label[filled] += np.add.reduceat(weight * mixed[self.target], self.start[filled])
            ordered = np.sort(label)
            distinct = ordered[_begins(ordered)]
            count = len(distinct)
            if count < _SPLITS * before or count > enough * self.size:
                break
        return np.searchsorted(distinct, label), rounds, count == before

    def _entries(self, sources: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | slice]:
        """How many entries each of some sources has, and where they are."""
        length = self.start[sources + 1] - self.start[sources]
        if len(sources) == self.size:
            return length, slice(None)
        end = np.cumsum(length)
        return length, np.arange(int(length.sum())) + np.repeat(self.start[sources] - end + length, length)


def _split(
    of: Classes, size: NDArray[np.int64], count: int, touched: NDArray[np.int64], key: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Split classes by the keys of those that were touched; what was not has the key 0.

    What was not touched keeps the number of its class, else the largest part does.

    Returns
    -------
    changed : int64[...]
        What is in another class now.
    before : int64[...]
        Its class before.
    count : int
        How many classes there are.
    """
    here = of[touched]
    if not len(touched):
        return touched, touched, count
    order = np.argsort(key + here * _MIX)
    touched, key, here = touched[order], key[order], here[order]
    begin = _begins(key, here)
    length = np.diff(np.append(begin, len(key)))
    parent = here[begin]
    by_class = np.lexsort((-length, parent))
    first = _begins(parent[by_class])  # the largest part of each class
    largest = by_class[first]
    whole = np.add.reduceat(length[by_class], first) == size[parent[largest]]
    new = np.ones(len(begin), dtype=np.bool_)
    new[largest[whole]] = False
    fresh = int(new.sum())
    number = parent.copy()
    number[new] = count + np.arange(fresh)
    np.subtract.at(size, parent[new], length[new])
    size[number[new]] = length[new]
    moved = np.repeat(new, length)
    changed = touched[moved]
    of[changed] = np.repeat(number, length)[moved]
    return changed, here[moved], count + fresh


def _scattered(modulus: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Numbers below the modulus without a pattern, the same each time."""
    number = (np.arange(modulus % _WORD, modulus % _WORD + shape[0] * shape[1]) + 1) * _MIX
    for shift in (29, 32):
        number ^= number >> shift
        number *= _MIX
    return _reduced(number, modulus).reshape(shape)


def _reduced(values: NDArray[Any], modulus: int) -> NDArray[np.int64]:
    """Integers modulo a number."""
    return values if modulus == _WORD else np.asarray(values % modulus, dtype=np.int64)


def _distinct(values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Distinct numbers below ``size``."""
    if 8 * len(values) < size:
        return np.unique(values)
    seen = np.zeros(size, dtype=np.bool_)
    seen[values] = True
    return np.flatnonzero(seen)


# -- classes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sum of each row over each class of columns, without those that are 0."""

    start: NDArray[np.int64]  # [rows + 1]
    of: NDArray[np.int64]  # class
    value: NDArray[Any]

    @classmethod
    def of_matrix(cls, matrix: IntegerMatrix, column: Classes) -> _Sums:
        """Of a matrix and the classes of its columns."""
        classes = int(column.max(initial=0)) + 1
        key = matrix.row_of_entry * classes + column[matrix.column]
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = _begins(key)
        value = np.add.reduceat(safe_to_add(matrix.value[order]), begin) if len(key) else matrix.value
        kept = np.asarray(value != 0, dtype=np.bool_)
        key = key[begin][kept]
        start = np.searchsorted(key, np.arange(matrix.shape[0] + 1) * classes)
        return cls(start, key % classes, value[kept])

    def same(self, row: Classes, first: NDArray[np.int64]) -> bool:
        """Whether rows of a class have the same sums."""
        length, model = np.diff(self.start), first[row]
        if np.any(length != length[model]):
            return False
        at = np.arange(len(self.of)) + np.repeat(self.start[model] - self.start[:-1], length)
        return bool(np.array_equal(self.of, self.of[at]) and np.array_equal(self.value, self.value[at]))

    def matrix(self, first: NDArray[np.int64], columns: int) -> IntegerMatrix:
        """Of the first row of each class."""
        length = np.diff(self.start)[first]
        row = np.repeat(np.arange(len(first)), length)
        at = np.arange(len(row)) + np.repeat(self.start[first] - np.cumsum(length) + length, length)
        return IntegerMatrix.from_entries((len(first), columns), row, self.of[at], self.value[at])


def _first(classes: Classes) -> NDArray[np.int64]:
    """The first member of each class."""
    first = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    return first


def numbered(classes: NDArray[np.int64]) -> Classes:
    """The same classes, numbered by their first members."""
    size = int(classes.max(initial=-1)) + 1
    first = np.full(size, len(classes), dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    number = np.empty(size, dtype=np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(size)
    return number[classes]


def _grouped(keys: Sequence[NDArray[Any]]) -> Classes:
    """Classes of equal keys."""
    columns = [_ranks(key) for key in keys]
    order = np.lexsort(columns)
    begin = _begins(*(column[order] for column in columns))
    classes = np.empty(len(order), dtype=np.int64)
    classes[order] = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(order))))
    return classes


def _begins(*keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where, in an order, one of the keys is another than before."""
    differs = np.zeros(len(keys[0]), dtype=np.bool_)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(differs)


def _ranks(key: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers that are equal where the keys are."""
    narrow = narrowed(key)
    if narrow.dtype != object:
        return narrow.astype(np.int64)
    number: dict[int, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in key.tolist()], dtype=np.int64)


def _of_block(blocks: Blocks, size: int) -> NDArray[np.int64]:
    """The number of the block of each row, or column."""
    if not blocks.slices:
        return np.zeros(size, dtype=np.int64)
    return np.repeat(np.arange(len(blocks.slices)), [block.stop - block.start for block in blocks.slices.values()])


def _blocks(blocks: Blocks, classes: Classes) -> Blocks:
    """The blocks of classes that do not cross them; unnamed if some do."""
    lengths = {name: len(np.unique(classes[block])) for name, block in blocks.slices.items()}
    return Blocks.of(lengths) if sum(lengths.values()) == int(classes.max(initial=-1)) + 1 else UNNAMED

r"""Color refinement: shrink a program by merging rows that have equal sums of entries, and columns likewise.

A partition of the rows and of the columns is *equitable* if

* all rows of a class have the same right-hand side and the same sense. For every class of columns, they also have the
  same sum of entries over that class;
* all columns of a class have the same cost and the same sign constraint. For every class of rows, they also have the
  same sum of entries over that class.

Costs, right-hand sides and sums are polynomials in the infinitesimal. Two polynomials are equal if all their
coefficients are equal. The algorithm splits a class while the sums of its members differ. The result is the coarsest
equitable partition.

The *quotient* has a row for each class i of rows, and a column for each class j of columns. Let r be in i, c in j. Then

.. math::  A^Q_{ij} = \sum_{c \in j} A_{rc}, \qquad b^Q_i = b_r, \qquad c^Q_j = |j|\, c_c .

Let [r] and [c] be the classes of row r and column c. A solution :math:`z^Q` of the quotient with multipliers
:math:`y^Q` gives the solution :math:`z_c = z^Q_{[c]}` of the program with multipliers :math:`y_r = y^Q_{[r]} / |[r]|`.

*Proof.* Row r of :math:`A z` equals row [r] of :math:`A^Q z^Q`. Sum all entries of A in the rows of class i and the
columns of class j in two ways, by rows and by columns: :math:`|i|\, A^Q_{ij} = |j| \sum_{r \in i} A_{rc}`. So the
reduced cost of column c is :math:`c_c - \sum_r A_{rc} y_r = (c^Q_j - \sum_i A^Q_{ij} y^Q_i) / |j|`. Values, logicals,
reduced costs and multipliers have the same signs in the program as in the quotient. So if a solution is feasible,
optimal or complementary in the quotient, it has the same property in the program, at every :math:`\varepsilon`. The
average of any solution over the classes is a solution that is constant on each class. So the optima are equal.

*Computation of the classes.* Each class gets a pseudorandom number. The hash of a row is the sum of its entries modulo
2^64, where each entry is multiplied by the number of the class of its column. Columns are hashed in the same way. Two
rows with equal sums over every class have equal hashes. The first rounds use all entries. Each later round uses only
the members that the previous round moved to another class. Different sums may have the same hash, so the result is
checked exactly. After a collision, the computation is repeated modulo primes.

References
----------
M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
R. Paige, R. E. Tarjan: Three partition refinement algorithms, SIAM Journal on Computing 16, 1987.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import Blocks, IntegerMatrix, Program, begins
from tremble.exact.quotient import Classes, Quotient
from tremble.integers import is_wide, narrowed

__all__ = ["numbered", "refined", "refined_alike"]


_WORD = 2**64  # int64 arithmetic wraps around modulo this
_MODULI = ((_WORD,), (2**31 - 1, 2**31 - 19), (2**31 - 61, 2**31 - 69))
_MIX = 0x9E3779B97F4A7C15 - _WORD  # the golden ratio times 2^64, odd: multiplication by it scatters hashes
_MIN_GROWTH = 1.25  # full rounds continue while each round multiplies the number of classes by at least this
_ROUND_OVERHEAD = 2_000  # fixed cost of a round, counted in entries
# Give up after using _MAX_PASSES times the entries of the graph plus _MIN_ENTRIES. In deep games, there are many rounds
# and they merge little.
_MAX_PASSES = 60
_MIN_ENTRIES = 100_000


def refined(program: Program, check: Callable[[], None], *, enough: float = 1.0) -> Quotient | None:
    """Compute a program's quotient by the coarsest equitable partition inside the program's blocks of rows and columns.

    Parameters
    ----------
    enough : float
        Largest useful size of the quotient, as a fraction of the number of rows and columns of the program.

    Returns
    -------
    Quotient or None
        None if the quotient is larger than ``enough``, or if the work exceeds a multiple of the program's size.
    """
    m, n = program.num_rows, program.num_columns
    first_rows = _grouped([_block_numbers(program.rows, m), program.equality, *program.rhs])
    first_columns = _grouped([_block_numbers(program.columns, n), program.free, *program.cost])
    first = np.concatenate((first_rows, len(np.unique(first_rows)) + first_columns))
    parts = [(matrix, np.arange(m), m + np.arange(n), 0) for matrix in program.matrices]
    return _checked(program, first, parts, lambda classes: (classes[:m], classes[m:]), check, enough)


def refined_alike(program: Program, kind: NDArray[np.int64], check: Callable[[], None]) -> Quotient | None:
    """Compute the quotient by the coarsest equitable partition that merges the rows and the first m columns alike.

    Unlike :func:`refined`, this function does not limit its work.

    Parameters
    ----------
    program : Program
        Rows i and j are merged if and only if columns i and j are merged. Columns after the first m are never merged.
    kind : int64[m]
        Rows with different kinds are not merged.
    """
    m, n = program.num_rows, program.num_columns
    paired = [kind, program.equality, *program.rhs, program.free[:m], *program.cost[:, :m]]
    alike = _grouped(paired)
    first = np.concatenate((alike, len(np.unique(alike)) + np.arange(n - m)))
    parts = [(matrix, np.arange(m), np.arange(n), len(program.matrices)) for matrix in program.matrices]
    return _checked(program, first, parts, lambda classes: (classes[:m], classes), check, max_passes=math.inf)


def _checked(
    program: Program,
    first: Classes,
    parts: Sequence[_Part],
    split: Callable[[Classes], tuple[Classes, Classes]],
    check: Callable[[], None],
    enough: float = 1.0,
    max_passes: float = _MAX_PASSES,
) -> Quotient | None:
    """Refine the classes in ``first``, and check the result exactly. After a collision of hashes, try other moduli.

    ``split`` takes the classes of all elements. It returns the classes of the rows and the classes of the columns.
    """
    graph = _Graph.of(len(first), parts)
    for moduli in _MODULI[is_wide(graph.value) :]:
        found = graph.coarsest(first, check, moduli, enough, max_passes)
        if found is None:
            return None
        classes, rounds = found
        row, column = map(numbered, split(classes))
        quotient = Quotient.of(program, row, column, rounds)
        if quotient is not None:
            return quotient
    return None


# -- refinement ------------------------------------------------------------------------------------

_Part = tuple[IntegerMatrix, NDArray[np.int64], NDArray[np.int64], int]
"""A matrix, the graph element of each row, the graph element of each column, and an offset.

If a row and a column are one graph element, the offset separates its sums over rows from its sums over columns.
"""


@dataclass(frozen=True, eq=False)
class _Graph:
    """A graph of elements (rows and columns) with two edges for each matrix entry, one in each direction.

    Each edge adds a term to the hash of its target: the value of the entry times the number of the source's class.
    """

    size: int  # number of elements
    levels: int  # number of kinds of entries; each kind has separate sums
    start: NDArray[np.int64]  # [size + 1]: element i is the source of entries start[i]:start[i + 1]
    target: NDArray[np.int64]  # target of each entry
    level: NDArray[np.int64]  # kind of each entry
    value: NDArray[Any]  # value of each entry

    @classmethod
    def of(cls, size: int, parts: Sequence[_Part]) -> _Graph:
        """Build a graph with ``size`` elements; each matrix in ``parts`` adds its entries as edges."""
        source, target, level, value = [], [], [], []
        for k, (matrix, rows, columns, offset) in enumerate(parts):
            row, column = rows[matrix.row_of_entry], columns[matrix.column]
            source += [row, columns[np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.column_start))]]
            target += [column, rows[matrix.row]]
            level += [np.full(len(row), k), np.full(len(row), k + offset)]
            value += [matrix.value, matrix.value[matrix.by_column]]
        sources = np.concatenate(source)
        start = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=size))))
        arrays = [np.concatenate(target), np.concatenate(level), np.concatenate(value)]
        if np.any(sources[1:] < sources[:-1]):
            order = np.argsort(sources, kind="stable")
            arrays = [array[order] for array in arrays]
        return cls(size, int(arrays[1].max(initial=0)) + 1, start, *arrays)

    def coarsest(
        self, first: Classes, check: Callable[[], None], moduli: Sequence[int], enough: float, max_passes: float
    ) -> tuple[Classes, int] | None:
        """Return the coarsest equitable partition that refines ``first``, and the number of rounds of refinement.

        The partition may be too coarse, because different sums may have the same hash. Return None if the partition has
        too many classes or takes too much work.
        """
        # Start with full rounds, which are faster while nearly all classes change.
        numbers = [_pseudorandom(p, (self.levels, self.size)) for p in moduli]
        residues = [_reduced(self.value, p) for p in moduli]
        sums = [np.zeros(self.size, dtype=np.int64) for _ in moduli]
        classes, rounds, settled = first.copy(), 0, False
        if moduli[0] == _WORD:
            classes, rounds, settled = self._full_rounds(first, numbers[0], check, enough)
        count = int(classes.max(initial=-1)) + 1
        size = np.zeros(self.size, dtype=np.int64)  # size of each class
        size[:count] = np.bincount(classes, minlength=count)
        changed, before, entries_used = np.arange(0 if settled else self.size), None, 0
        while len(changed) and count < self.size:
            check()
            if count > enough * self.size or entries_used > max_passes * len(self.target) + _MIN_ENTRIES:
                return None
            rounds += 1
            # Update the sums of all neighbors of changed elements.
            length, at = self._entries(changed)
            target = self.target[at]
            entries_used += len(target) + _ROUND_OVERHEAD
            for p, number, residue, total in zip(moduli, numbers, residues, sums, strict=True):
                new = number[:, classes[changed]]
                step = new if before is None else new - number[:, before]
                each = np.repeat(step, length, axis=1)
                added = each[0] if self.levels == 1 else each[self.level[at], np.arange(len(target))]
                np.add.at(total, target, _reduced(residue[at] * added, p))
            # Split the classes: two elements stay together if the changes of their sums have the same hash.
            touched = _distinct(target, self.size)
            key = np.zeros(len(touched), dtype=np.int64)
            for p, total in zip(moduli, sums, strict=True):
                key = key << 31 | _reduced(total[touched], p)
                total[touched] = 0
            moved = key != 0
            changed, before, count = _split(classes, size, count, touched[moved], key[moved])
        return None if count > enough * self.size else (classes, rounds)

    def _full_rounds(
        self, first: Classes, number: NDArray[np.int64], check: Callable[[], None], enough: float
    ) -> tuple[Classes, int, bool]:
        """Refine in rounds that use all entries. Stop when a round raises the number of classes by less than a quarter.

        While nearly all classes change, a full round takes a third of the time of a round that uses only the changes.

        Returns
        -------
        classes : int64[size]
        rounds : int
        settled : bool
            True if the last round split no class.
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
            distinct = ordered[begins(ordered)]
            count = len(distinct)
            if count < _MIN_GROWTH * before or count > enough * self.size:
                break
        return np.searchsorted(distinct, label), rounds, count == before

    def _entries(self, sources: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | slice]:
        """Return the number of entries that start at each source, and the indices (or a slice) of all these entries."""
        length = self.start[sources + 1] - self.start[sources]
        if len(sources) == self.size:
            return length, slice(None)
        end = np.cumsum(length)
        return length, np.arange(int(length.sum())) + np.repeat(self.start[sources] - end + length, length)


def _split(
    classes: Classes, size: NDArray[np.int64], count: int, touched: NDArray[np.int64], key: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Split classes in place by the keys of the touched elements; all other elements have the key 0.

    Untouched elements keep the number of their class. If all elements of a class are touched, the largest part of
    the class keeps the number.

    Returns
    -------
    changed : int64[...]
        Elements that moved to another class.
    before : int64[...]
        The class of each of these elements before the split.
    count : int
        Number of classes after the split.
    """
    if not len(touched):
        return touched, touched, count
    # Sort the elements so that the parts, with equal class and equal key, are segments.
    here = classes[touched]
    order = np.argsort(key + here * _MIX)
    touched, key, here = touched[order], key[order], here[order]
    begin = begins(key, here)
    length = np.diff(np.append(begin, len(key)))
    parent = here[begin]
    # If a class has no untouched elements, its largest part keeps the number of the class.
    by_class = np.lexsort((-length, parent))
    first = begins(parent[by_class])
    largest = by_class[first]
    all_touched = np.add.reduceat(length[by_class], first) == size[parent[largest]]
    new = np.ones(len(begin), dtype=np.bool_)
    new[largest[all_touched]] = False
    # Number the new classes and move their elements.
    num_new = int(new.sum())
    number = parent.copy()
    number[new] = count + np.arange(num_new)
    np.subtract.at(size, parent[new], length[new])
    size[number[new]] = length[new]
    moved = np.repeat(new, length)
    changed = touched[moved]
    classes[changed] = np.repeat(number, length)[moved]
    return changed, here[moved], count + num_new


def _pseudorandom(modulus: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return pseudorandom numbers below the modulus. Every call returns the same numbers."""
    number = (np.arange(modulus % _WORD, modulus % _WORD + shape[0] * shape[1]) + 1) * _MIX
    for shift in (29, 32):
        number ^= number >> shift
        number *= _MIX
    return _reduced(number, modulus).reshape(shape)


def _reduced(values: NDArray[Any], modulus: int) -> NDArray[np.int64]:
    """Return the values modulo ``modulus``; int64 values need no reduction modulo 2^64."""
    return values if modulus == _WORD else np.asarray(values % modulus, dtype=np.int64)


def _distinct(values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the distinct values in ascending order; all values must be below ``size``."""
    if 8 * len(values) < size:
        return np.unique(values)
    seen = np.zeros(size, dtype=np.bool_)
    seen[values] = True
    return np.flatnonzero(seen)


# -- classes ---------------------------------------------------------------------------------------


def numbered(classes: NDArray[np.int64]) -> Classes:
    """Renumber classes in the order of their first members."""
    size = int(classes.max(initial=-1)) + 1
    first = np.full(size, len(classes), dtype=np.int64)  # numbers without members sort last
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    number = np.empty(size, dtype=np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(size)
    return number[classes]


def _grouped(keys: Sequence[NDArray[Any]]) -> Classes:
    """Group elements: two elements are in the same class if all their keys are equal."""
    columns = [_ranks(key) for key in keys]
    order = np.lexsort(columns)
    begin = begins(*(column[order] for column in columns))
    classes = np.empty(len(order), dtype=np.int64)
    classes[order] = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(order))))
    return classes


def _ranks(key: NDArray[Any]) -> NDArray[np.int64]:
    """Map each key to an int64 number; two numbers are equal if and only if their keys are equal."""
    narrow = narrowed(key)
    if narrow.dtype != object:
        return narrow.astype(np.int64)
    number: dict[int, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in key.tolist()], dtype=np.int64)


def _block_numbers(blocks: Blocks, size: int) -> NDArray[np.int64]:
    """Return an array with a block number for each row or column."""
    if not blocks.slices:
        return np.zeros(size, dtype=np.int64)
    return np.repeat(np.arange(len(blocks.slices)), [block.stop - block.start for block in blocks.slices.values()])

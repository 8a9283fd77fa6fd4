r"""Classes of sequences that are alike, and matrices that cannot tell the members of a class apart.

A partition of the rows and of the columns of a matrix is *equitable* if, for every class of columns, rows of one class
have the same sum of entries over it; and for every class of rows, columns of one class have. A class goes by the
number of its first member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.verifier.budget import budget, listening
from tremble.verifier.profiles.tree import Sequences

__all__ = ["Classes", "Entries", "is_first", "summed", "unlike"]

_INT64_SAFE = 2**62

Vector = NDArray[np.int64]

Entries = tuple[Vector, Vector, NDArray[Any]]
"""Row, column and value of each entry: int64[entries], the values int64 or object."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The first member of the class of each sequence, and of each information set, of each player."""

    sequence: tuple[Vector, Vector]  # pair of int64[s_i]
    infoset: tuple[Vector, Vector]  # pair of int64[j_i], from 0

    @classmethod
    def of(cls, sequences: tuple[Sequences, Sequences], stated: tuple[Vector, Vector] | None) -> Classes:
        """From the numbers of the classes of sequences; if there are none, everybody is alone.

        Sets with actions of one class are of one class, as they are wherever the classes are equitable
        (:mod:`.perturbed_system`). So the least of the classes of its actions tells the class of a set.
        """
        first1, first2 = (
            np.arange(own.num_sequences) if stated is None else _first_alike(stated[player])
            for player, own in enumerate(sequences)
        )
        least = [
            np.minimum.reduceat(first, own.start[:-1]) for first, own in zip((first1, first2), sequences, strict=True)
        ]
        return cls((first1, first2), (_first_alike(least[0]), _first_alike(least[1])))


def _first_alike(value: Vector) -> Vector:
    """Where each value stands first.

    Examples
    --------
    >>> _first_alike(np.array([5, 3, 3, 5]))
    array([0, 1, 1, 0])
    """
    _, first, number = np.unique(value, return_index=True, return_inverse=True)
    return first[number]


def is_first(first: Vector) -> NDArray[np.bool_]:
    """Whether each is the first of its class."""
    return np.equal(first, np.arange(len(first)))


def summed(entries: Entries) -> Entries:
    """Entries of one place added up, by row and then column; those that are 0 are left out.

    Examples
    --------
    >>> summed((np.array([1, 0, 1, 0]), np.array([7, 7, 7, 8]), np.array([2, 1, 2, 0])))
    (array([0, 1]), array([7, 7]), array([1, 4]))
    """
    row, column, value = entries
    budget().work_through(len(row))
    if value.dtype == object:
        budget().passes(sum(map(int.bit_length, listening(value.tolist()))), 2)
    elif len(value) * int(np.abs(value).max(initial=0)) >= _INT64_SAFE:
        value = value.astype(object)
    order = np.lexsort((column, row))
    row, column, value = row[order], column[order], value[order]
    begin = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(column, prepend=-1) != 0))
    total = np.add.reduceat(value, begin) if len(begin) else value
    kept = (total != 0).astype(np.bool_)
    return row[begin][kept], column[begin][kept], total[kept]


def unlike(entries: Entries, first_row: Vector, first_column: Vector) -> NDArray[np.bool_]:
    """Whether each row has other sums over some class of columns than the first row of its class has.

    Examples
    --------
    >>> matrix = np.array([[1, 2, 0], [2, 1, 0], [0, 3, 0], [1, 1, 1]])
    >>> entries = (*matrix.nonzero(), matrix[matrix.nonzero()])
    >>> unlike(entries, np.zeros(4, dtype=int), np.array([0, 0, 2]))
    array([False, False, False,  True])
    """
    row, column, value = entries
    row, column, value = summed((row, first_column[column], value))
    start = np.searchsorted(row, np.arange(len(first_row) + 1))
    length = np.diff(start)
    different: NDArray[np.bool_] = length != length[first_row]
    here = np.flatnonzero(~different[row])
    there = here + (start[first_row] - start[:-1])[row[here]]
    apart = ((column[here] != column[there]) | (value[here] != value[there])).astype(np.bool_)
    different[row[here[apart]]] = True
    return different

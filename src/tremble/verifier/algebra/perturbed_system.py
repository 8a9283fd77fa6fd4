r"""The square system S(e) of a basis of the perturbed game, modulo primes.

Player 1 chooses a plan x; :math:`v_k` is what player 2 holds it down to at set k, :math:`g_q \ge 0` the
shortfall of sequence q of player 2. With :math:`s_i` sequences (the empty one, 0, included) and :math:`j_i`
information sets of player i, the numbers of the columns and rows are

=========================  ==============================================================================
columns
=========================  ==============================================================================
:math:`0, \dots`           :math:`x_q`, for all q
:math:`s_1`                :math:`v_0`
:math:`s_1 + k`            :math:`v_k`, of set :math:`k = 1, \dots, j_2`
:math:`s_1 + j_2 + q`      :math:`g_q`, for :math:`q = 1, \dots, s_2 - 1`
=========================  ==============================================================================

=========================  ==============================================================================
rows
=========================  ==============================================================================
0                          :math:`x_0 = 1`
:math:`k`                  of set :math:`k = 1, \dots, j_1`: :math:`\sum_a x_{(k,a)} - x_{before(k)} = 0`
:math:`j_1 + q`            :math:`w_q e^{k_q} x_{before(q)} - x_q = 0`, for :math:`q = 1, \dots, s_1 - 1`
:math:`j_1 + s_1 + q`      for :math:`q = 0, \dots, s_2 - 1`:
                           :math:`v_{set(q)} + g_q = \sum_r U_{rq} x_r + \sum_{k \text{ below } q}
                           \bigl( v_k + \sum_{q' \in k} w_{q'} e^{k_{q'}} g_{q'} \bigr)`,
                           with :math:`v_0` and no g for q = 0
=========================  ==============================================================================

U are player 1's payoffs times chance (minus player 2's, where the payoffs have no constant sum), as integers
without a common divisor, w integer weights, the k with indices q their orders. A basis names
for each player its *slack* sequences, which may be played more than they must. S(e) has all rows but the
:math:`j_1 + q` of slack q, all columns but the :math:`g_q` of slack q. The solution of

.. math::  S(e)\, z = (1, 0, \dots), \qquad S(e)^T \lambda = \text{unit vector of } v_0

consists of x, v and g; of y (last rows of :math:`\lambda`), what player 1's sets are worth against it (first rows),
and what its tight sequences fall short of that (rows between). Where the payoffs have no constant sum, only the first
of the two is meant, and a system of its own, with the players exchanged, determines y. Each entry of S(e) is a
constant or a multiple of one power of e.

*Classes.* Sequences of a player may be said to be alike, the empty one alone. Then information sets with actions of one
class are of one class, and the tables above give each row and each column its class. S(e) has only the first row of
each class, and for each class of columns their sum. Let the classes be equitable in every coefficient
(:mod:`.equitable`), and each hold slack sequences only or tight ones only. With a for the entries without classes,

.. math::  A_{ij} = \sum_{c \in j} a_{rc} \text{ for each row } r \in i, \qquad
           |i|\, A_{ij} = |j| \sum_{r \in i} a_{rc} \text{ for each column } c \in j,

because either side of the second adds up the block (i, j) of a. So if z solves the first system, it solves the one
without classes, given to each column of its class: row r says there what its class says here. If :math:`\lambda` solves
the second, so does :math:`\lambda_i / |i|`, given to each row of its class i: column c says there what its class j says
here, over the size of j, and :math:`v_0` is alone. For the first, the sums of rows suffice; those of columns are
looked at only where one system determines both plans.

In equitable classes all sequences are of one length, and their trembles of one order: the rows (or columns) of each
power of e say that what is before them is of one class, and the empty one is alone. So in no sum do entries of
different powers meet, nor moves of other signs; and the set of a sequence shows in its sums. Hence sets with actions of
one class are of one class in any equitable partition.

*Bounds.* Determinants of S(e), with or without a column replaced by a constant one, are polynomials of
a degree of at most D, the greatest powers in the rows (or in the columns) added up. Every coefficient is at most the
greatest value on the circle :math:`|e| = 1`, by Hadamard's inequality at most the product of the lengths of
the rows, with entries replaced by their absolute values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.verifier.algebra.elimination import DenseElimination, Elimination, PivotsError, SparseElimination
from tremble.verifier.algebra.equitable import Classes, Entries, is_first, summed, unlike
from tremble.verifier.algebra.power_series import order_of_determinant
from tremble.verifier.budget import budget, listening
from tremble.verifier.profiles.tree import Evaluation

__all__ = ["SMALL", "PerturbedProgram", "PerturbedSystem", "System"]

SMALL = 300
"""Systems of up to this size are eliminated densely, with own pivots."""

MOST_SPARE = 200
"""So many stated pivots may vanish at e = 0."""

Vector = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class System:
    """A sparse square matrix whose entries are multiples of powers of e."""

    size: int
    # No place twice.
    row: Vector  # int64[entries]
    column: Vector  # int64[entries]
    value: NDArray[Any]  # int64[entries] or object[entries]
    power: Vector  # int64[entries]: the power of e that the entry is to be multiplied by
    # Rows and columns in the order of elimination; None for own pivots.
    order: tuple[Vector, Vector] | None  # pair of int64[size], or None

    @property
    def degree(self) -> int:
        """A bound on the degree of the determinant, and of those with a column replaced by a constant one."""
        greatest = np.zeros((2, self.size), dtype=np.int64)
        for of, at in zip(greatest, (self.row, self.column), strict=True):
            np.maximum.at(of, at, self.power)
        return int(greatest.sum(axis=1).min())

    @property
    def bits(self) -> int:
        """The base-2 logarithm of a bound on the product of the lengths of the rows."""
        squares = [0] * self.size
        for i, value in listening(zip(self.row.tolist(), self.value.tolist(), strict=True)):
            squares[i] += value * value
        return (sum((square - 1).bit_length() for square in squares if square) + 1) // 2

    def order_of_determinant(self, prime: int, most: int) -> int | None:
        """The order of det S(e) modulo a prime, hence at least that of det S(e); None if greater than ``most``.

        With A(e) the head that S(0) leaves, A(0) is regular, and the order is that of the determinant of

        .. math::  T(e) = S_{22} - S_{21} A^{-1} S_{12}

        over the spare rows and columns: T = S Z in the spare rows if S Z = 0 in the others and Z is the unit matrix
        in the spare columns, which determines the coefficients of Z one after the other.
        """
        constant, *trembling = (self._of_power(prime, k) for k in range(int(self.power.max(initial=0)) + 1))
        head = self._eliminated(constant, prime)
        spare = len(head.spare_rows)
        if self.order is None and spare > most:
            return None  # T(0) = 0
        known = 4
        coefficients: list[list[Vector]] = []
        while spare:
            known = min(known, most + 1)
            budget().work_through(spare**3 * known**2 // 40)  # multiplications by NumPy
            budget().keep(3 * 64 * spare**2 * known)
            series = np.zeros((spare, spare, known), dtype=np.int64)
            for k in range(known):
                if k == len(coefficients):
                    coefficients.append(self._next(head, constant, trembling, coefficients))
                for j, here in enumerate(coefficients[k]):
                    total = constant.times(here) + _carried(trembling, coefficients[:k], j)
                    series[:, j, k] = total[head.spare_rows] % prime
            order = order_of_determinant(series, prime)
            if order is not None or known > most:
                return order if order is None or order <= most else None
            known *= 2
        return 0

    def _next(
        self, head: Elimination, constant: _Modular, trembling: list[_Modular], earlier: list[list[Vector]]
    ) -> list[Vector]:
        """The next coefficient of the columns of Z."""
        if earlier:
            return [head.solve(-_carried(trembling, earlier, j)) for j in range(len(earlier[-1]))]
        return [
            unit + head.solve(-constant.times(unit)) for unit in (_unit(self.size, int(j)) for j in head.spare_columns)
        ]

    def vanishing(self, combinations: Sequence[dict[int, int]]) -> Iterator[bool]:
        """Whether each combination of rows (factors by row) is 0 at e = 0, exactly."""
        constant = np.flatnonzero(self.power == 0)
        by_row = constant[np.argsort(self.row[constant], kind="stable")]
        start = np.searchsorted(self.row[by_row], np.arange(self.size + 1)).tolist()
        column, value = self.column[by_row].tolist(), self.value[by_row].tolist()
        costs = budget()
        for combination in combinations:
            total: dict[int, int] = {}
            for row, factor in listening(combination.items()):
                costs.products(sum(v.bit_length() for v in value[start[row] : start[row + 1]]), factor.bit_length())
                costs.work_through(start[row + 1] - start[row])
                for at in range(start[row], start[row + 1]):
                    total[column[at]] = total.get(column[at], 0) + value[at] * factor
            yield not any(total.values())

    def solve_at(self, point: int, prime: int, b: Vector, c: Vector) -> tuple[Vector, Vector] | None:
        """Solve S x = b and S' y = c at a point modulo a prime; None if S is singular there."""
        matrix = self._at(prime, point)
        head = self._eliminated(matrix, prime)
        rows, columns = head.spare_rows, head.spare_columns
        x, y = head.solve(b), head.solve_transposed(c)
        if not len(rows):
            return x, y
        if self.order is None:
            return None
        z = [unit + head.solve(-matrix.times(unit)) for unit in (_unit(self.size, int(j)) for j in columns)]
        rest = DenseElimination(np.stack([matrix.times(column)[rows] for column in listening(z)], axis=1), prime)
        if len(rest.spare_rows):
            return None
        basis = np.stack(z)  # S basis' = 0 but in the spare rows
        share = rest.solve((b - matrix.times(x))[rows])
        x = (x + (basis * share[:, np.newaxis] % prime).sum(axis=0)) % prime
        known = np.zeros(self.size, dtype=np.int64)
        known[rows] = rest.solve_transposed((basis * c % prime).sum(axis=1))
        return x, (known + head.solve_transposed(c - matrix.transposed_times(known))) % prime

    def _at(self, prime: int, point: int) -> _Modular:
        """The matrix at a point."""
        powers = [pow(point, k, prime) for k in range(int(self.power.max(initial=0)) + 1)]
        return self._chosen(
            prime, np.ones(len(self.power), dtype=np.bool_), np.array(powers, dtype=np.int64)[self.power]
        )

    def _of_power(self, prime: int, k: int) -> _Modular:
        """The coefficient of a power of e."""
        chosen = self.power == k
        return self._chosen(prime, chosen, np.ones(int(chosen.sum()), dtype=np.int64))

    def _chosen(self, prime: int, chosen: NDArray[np.bool_], factor: Vector) -> _Modular:
        """Some of the entries, times factors."""
        if self.value.dtype == object:
            budget().products(sum(map(int.bit_length, listening(self.value.tolist()))), 1)
        value = (self.value[chosen] % prime).astype(np.int64) * factor % prime
        return _Modular(self.size, self.row[chosen], self.column[chosen], value, prime)

    def _eliminated(self, matrix: _Modular, prime: int) -> Elimination:
        if self.order is None:
            budget().work_through(self.size**3 // 30)  # multiplications by NumPy
            dense = np.zeros((self.size, self.size), dtype=np.int64)
            dense[matrix.row, matrix.column] = matrix.value
            return DenseElimination(dense, prime)
        head = SparseElimination(matrix.row, matrix.column, matrix.value, self.order, prime)
        if len(head.spare_rows) > MOST_SPARE:
            raise PivotsError(f"more than {MOST_SPARE} of these pivots vanish; another order is needed")
        return head


@dataclass(frozen=True, eq=False)
class _Modular:
    """A sparse square matrix modulo a prime."""

    size: int
    row: Vector
    column: Vector
    value: Vector
    prime: int

    def times(self, x: Vector) -> Vector:
        return self._sums(self.row, self.value * (x[self.column] % self.prime) % self.prime)

    def transposed_times(self, y: Vector) -> Vector:
        return self._sums(self.column, self.value * (y[self.row] % self.prime) % self.prime)

    def _sums(self, where: Vector, products: Vector) -> Vector:
        total = np.zeros(self.size, dtype=np.int64)
        np.add.at(total, where, products)
        return total % self.prime


def _carried(trembling: list[_Modular], earlier: list[list[Vector]], j: int) -> Vector:
    """What the coefficients of positive powers of e, the linear one first, make of a column's earlier coefficients."""
    total = np.zeros_like(earlier[0][j]) if earlier else np.zeros(1, dtype=np.int64)
    for matrix, columns in zip(trembling, reversed(earlier), strict=False):
        total = total + matrix.times(columns[j])
    return total


@dataclass(frozen=True, eq=False)
class PerturbedProgram:
    """All rows and columns of the numbering, whatever the basis, and which of them are said to be alike."""

    players: tuple[int, int]  # whose plan is x, and who falls short by g
    both: bool  # whether the payoffs have a constant sum, so that one system determines both plans
    sizes: tuple[int, int, int, int]  # s_1, j_1, s_2, j_2
    parts: dict[tuple[str, int], Entries]  # by name, and power of e: 0 but for "trembles"; no place is in two
    # The first member of the class of each row and column.
    first_row: Vector  # int64[...]
    first_column: Vector  # int64[...]

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        players: tuple[int, int],
        both: bool,
        weight: tuple[list[int], list[int]],
        order: tuple[list[int], list[int]],
        classes: Classes,
    ) -> PerturbedProgram:
        """Write the program down.

        Parameters
        ----------
        evaluation : Evaluation
            Of the game: its sequences and payoffs.
        players : pair of int
            Who is player 1 of the module's description, and who player 2.
        both : bool
            Whether the payoffs have a constant sum.
        weight, order : pairs of lists
            Of the tremble of each sequence; those of the empty one are not used.
        classes : Classes
        """
        first, second = players
        own1, own2 = evaluation.sequences[first], evaluation.sequences[second]
        (s1, j1), (s2, j2) = ((own.num_sequences, len(own.before)) for own in (own1, own2))
        last = j1 + s1
        cells = evaluation.cells
        payoff = cells.payoff[first] if both else -cells.payoff[second]
        content = gcd(*payoff.tolist()) or 1
        before = [np.repeat(sequences.before, np.diff(sequences.start)) for sequences in (own1, own2)]
        of_set = [np.repeat(np.arange(1, len(own.before) + 1), np.diff(own.start)) for own in (own1, own2)]
        own, other = np.arange(1, s1), np.arange(1, s2)
        moves: list[tuple[Vector, Vector, int]] = [
            (np.array([0]), np.array([0]), 1),
            (of_set[0], own, 1),
            (np.arange(1, j1 + 1), own1.before, -1),
            (j1 + own, own, -1),
            (np.array([last]), np.array([s1]), 1),
            (last + other, s1 + of_set[1], 1),
            (last + own2.before, s1 + np.arange(1, j2 + 1), -1),
            (last + other, s1 + j2 + other, 1),
        ]
        trembles = (
            np.concatenate((j1 + own, last + before[1])),
            np.concatenate((before[0], s1 + j2 + other)),
            np.concatenate((_integers(weight[first][1:]), -_integers(weight[second][1:]))),
        )
        power = np.array([*order[first][1:], *order[second][1:]], dtype=np.int64)
        parts = {
            ("moves", 0): (
                np.concatenate([row for row, _, _ in moves]),
                np.concatenate([column for _, column, _ in moves]),
                np.repeat([value for _, _, value in moves], [len(row) for row, _, _ in moves]),
            ),
            **{("trembles", k): tuple(of[power == k] for of in trembles) for k in np.unique(power).tolist()},
            ("payoffs", 0): (last + cells.sequence[second], cells.sequence[first], -(payoff // content)),
        }
        alike, sets = classes.sequence, classes.infoset
        return cls(
            players,
            both,
            (s1, j1, s2, j2),
            parts,
            np.concatenate(([0], 1 + sets[first], j1 + alike[first][1:], last + alike[second])),
            np.concatenate((alike[first], [s1], s1 + 1 + sets[second], s1 + j2 + alike[second][1:])),
        )

    @property
    def largest(self) -> int:
        """The size of the largest class."""
        return int(np.bincount(self.first_row).max())

    def unlike(self, part: str) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.bool_]]]:
        """Whether each sequence, and each set, of each player has other sums over a class than the first of its class.

        In some power of e. Those of columns count where they determine a plan, too.
        """
        s1, j1, _, j2 = self.sizes
        rows, columns = (np.zeros(len(first), dtype=np.bool_) for first in (self.first_row, self.first_column))
        for (name, _), (row, column, value) in self.parts.items():
            if name == part:
                rows |= unlike((row, column, value), self.first_row, self.first_column)
                if self.both:
                    columns |= unlike((column, row, value), self.first_column, self.first_row)
        sequences = [
            columns[:s1] | np.append(False, rows[j1 + 1 : j1 + s1]),
            rows[j1 + s1 :] | np.append(False, columns[s1 + j2 + 1 :]),
        ]
        sets = [rows[1 : j1 + 1], columns[s1 + 1 : s1 + 1 + j2]]
        return (sequences, sets) if self.players == (0, 1) else (sequences[::-1], sets[::-1])


@dataclass(frozen=True, eq=False)
class PerturbedSystem:
    """S(e) of a basis, and where its unknowns are."""

    program: PerturbedProgram
    system: System
    # Place in S of the class of each row and column of the numbering; -1 for those that S does not have.
    row_of: Vector  # int64[...]
    column_of: Vector  # int64[...]

    @classmethod
    def of(
        cls,
        program: PerturbedProgram,
        slack: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        pivots: NDArray[np.int64] | None,
    ) -> PerturbedSystem:
        """Keep what the basis keeps, the first row of each class, and sum up the columns of each class.

        Parameters
        ----------
        program : PerturbedProgram
            Its classes are equitable.
        slack : pair of bool[s_i]
            Alike within classes.
        pivots : int64[n, 2], or None
            The order of elimination, in numbers of rows and columns that S has, each once.
        """
        s1, j1, _, j2 = program.sizes
        slack1, slack2 = (slack[player] for player in program.players)
        in_row, in_column = (np.ones(len(first), dtype=np.bool_) for first in (program.first_row, program.first_column))
        in_row[j1 + 1 : j1 + s1] = ~slack1[1:]
        in_column[s1 + j2 + 1 :] = ~slack2[1:]
        row_of, column_of = _places(in_row, program.first_row), _places(in_column, program.first_column)
        parts = {}
        for name, (row, column, value) in program.parts.items():
            kept = in_row[row] & in_column[column] & is_first(program.first_row)[row]
            parts[name] = summed((row_of[row[kept]], column_of[column[kept]], value[kept]))
        row, column, value = (np.concatenate([entries[i] for entries in parts.values()]) for i in range(3))
        power = np.repeat([k for _, k in parts], [len(entries[0]) for entries in parts.values()]).astype(np.int64)
        order = None if pivots is None else (row_of[pivots[:, 0]], column_of[pivots[:, 1]])
        return cls(program, System(int(row_of.max()) + 1, row, column, value, power, order), row_of, column_of)

    def solve_at(self, point: int, prime: int) -> tuple[dict[int, Vector], dict[int, Vector]] | None:
        """Plans, and shortfalls of the tight sequences, by player as far as determined, at a point modulo a prime.

        None if S is singular there. The shortfalls of slack sequences are 0.
        """
        s1, j1, _, j2 = self.program.sizes
        first, second = self.program.players
        b, c = np.zeros(self.system.size, dtype=np.int64), np.zeros(self.system.size, dtype=np.int64)
        b[self.row_of[0]] = c[self.column_of[s1]] = 1
        solution = self.system.solve_at(point, prime, b, c)
        if solution is None:
            return None
        value = np.where(self.column_of < 0, 0, solution[0][self.column_of])
        plans, short = {first: value[:s1]}, {second: np.append(0, value[s1 + j2 + 1 :])}
        if self.program.both:
            share = np.where(self.row_of < 0, 0, solution[1][self.row_of]) * self._share(prime) % prime
            plans[second], short[first] = share[j1 + s1 :], np.append(0, share[j1 + 1 : j1 + s1])
        return plans, short

    def _share(self, prime: int) -> Vector:
        """One over the size of the class of each row."""
        size, of_row = np.unique(np.bincount(self.program.first_row)[self.program.first_row], return_inverse=True)
        return np.array([pow(many, -1, prime) for many in size.tolist()], dtype=np.int64)[of_row]


def _places(kept: NDArray[np.bool_], first: Vector) -> Vector:
    """The place of the class of each row or column, among the classes that are kept; -1 for the others."""
    place = np.cumsum(kept & is_first(first)) - 1
    return np.where(kept, place[first], -1)


def _unit(size: int, where: int) -> Vector:
    result = np.zeros(size, dtype=np.int64)
    result[where] = 1
    return result


def _integers(values: list[int]) -> NDArray[Any]:
    """As int64 if they are well below its range."""
    wide = any(abs(value) >= 2**62 for value in values)
    return np.array(values, dtype=object if wide else np.int64)

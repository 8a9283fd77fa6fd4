r"""The equations of a basis: a square system S(e) whose solution is a pair of plans.

Player 1 has s_1 sequences, including the empty sequence 0, and j_1 information sets. Player 2 has s_2 sequences and j_2
information sets. In the perturbed game, every sequence q must have at least the weight
:math:`w_q e^{k_q} x_{before(q)}`. A basis names the *slack* sequences, which may have more. All other sequences are
*tight*. Let U be the payoffs of player 1 times the probabilities of chance, as integers without a common divisor. The
unknowns (columns) and the equations (rows) have the following numbers.

=========================  ==============================================================================
:math:`q`                  :math:`x_q`: the weight of sequence q of player 1, for :math:`q = 0, 1, \dots`
:math:`s_1`                :math:`v_0`: the value
:math:`s_1 + k`            :math:`v_k`: the value of set :math:`k = 1, \dots, j_2` of player 2
:math:`s_1 + j_2 + q`      :math:`g_q \ge 0`: the loss of the tight sequence q of player 2, :math:`q = 1, 2, \dots`
=========================  ==============================================================================

=========================  ==============================================================================
0                          :math:`x_0 = 1`
:math:`k`                  :math:`\sum_a x_{ka} - x_{before(k)} = 0`, for set :math:`k = 1, \dots, j_1`
:math:`j_1 + q`            :math:`w_q e^{k_q} x_{before(q)} - x_q = 0`, for tight :math:`q = 1, 2, \dots`
:math:`j_1 + s_1 + q`      :math:`v_{set(q)} + g_q - \sum_k (v_k + \sum_r w_r e^{k_r} g_r) - \sum_r U_{rq} x_r = 0`
                           for :math:`q = 0, 1, \dots`, where k runs over the sets that directly follow q,
                           and r over their tight sequences. For q = 0, v_0 replaces the first two terms
=========================  ==============================================================================

If the payoffs have a constant sum, consider the transposed system, whose right-hand side is 1 for the column of v_0 and
0 otherwise. It determines the plan y of player 2 (last rows), and the losses of player 1's tight sequences (rows
:math:`j_1 + q`). The equation of a tight column g_q is :math:`y_q = w_q e^{k_q} y_{before(q)}`. The equation of a
column x_q gives the payoff of sequence q of player 1 against y.

If the sum is not constant, there are two systems. In the first one, player 2's negated payoffs replace U. The second
one is the first one with the players exchanged. Each system determines the plan of its first player and the losses of
its second player.

**Classes.**  The certificate may state that sequences of a player are alike. Two sets are alike if they have actions
that are alike. Two rows, or two columns, are alike if their sequences or sets are alike. The classes are *equitable* if
all rows of a class have the same sum over every class of columns, in every power of e. For a single system, the same
must be true with rows and columns exchanged. The *quotient* S(e) then has the first row of each class of rows, and the
sum of the columns of each class of columns.

Theorem.  Let the classes be equitable, and let each class have only slack sequences or only tight sequences. Let z be a
solution of the quotient. Give z_j to every column of class j. This solves the whole system. Let :math:`\lambda` be a
solution of the transposed quotient. Give :math:`\lambda_i / |i|` to every row of class i. This solves the transposed
whole system.

Proof.  Row r of the whole system, for the expanded z, is the equation of its class for z. For the second statement,
count the entries of the block (i, j) by rows and by columns: :math:`|i| A_{ij} = |j| \sum_{r \in i} a_{rc}` for each c
in j. So the equation of column c is that of column j of the quotient, divided by |j|. The only right-hand side that is
not 0 belongs to v_0, which is the only member of its class.

**Bounds.**  Find the highest exponent of e in each row, and add these exponents. Add the highest exponents of the
columns in the same way. Let D be the smaller of the two sums. For each row, take the sum of the absolute values of its
entries, plus 1, and count its bits. Let B be the sum of these numbers of bits over all rows. The determinant of S(e) is
a polynomial with integer coefficients, of degree at most D, and its coefficients are below 2^B. The same is true if a
column or a row of S(e) is replaced by constants 0 and a single 1. For the proof, expand the product of the row sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import gcd
from typing import Any

from tremble.check.basis.certificate import Basis
from tremble.check.basis.elimination import Row
from tremble.check.case import Case

Trembling = dict[tuple[int, int], int]  # entries by power of e and column


@dataclass(frozen=True)
class Square:
    """The n equations of S(e). A *place* is an index in S(e). A *number* is an index in the tables of the module."""

    players: tuple[int, int]  # the player of the plan, and the player of the losses
    single: bool  # True if the transposed system determines the other plan and losses
    sizes: tuple[int, int, int, int]  # s_1, j_1, s_2, j_2
    constant: list[Row]  # [n]: the entries of S(0), by the place of the column
    trembling: list[Trembling]  # [n]: the entries with powers of e, by the power and the place of the column
    place_of_row: dict[int, int]  # the place of each row of S, by number
    place_of_column: dict[int, int]  # the place of each column of S, by number
    # For each row and each column, in S or not, by number: the number of the first one of its class.
    first_row: list[int]
    first_column: list[int]

    @property
    def degree(self) -> int:
        """The bound D on the degree of the determinant."""
        by_row, by_column = [0] * len(self.constant), [0] * len(self.constant)
        for i, row in enumerate(self.trembling):
            for power, j in row:
                by_row[i], by_column[j] = max(by_row[i], power), max(by_column[j], power)
        return min(sum(by_row), sum(by_column))

    @property
    def bits(self) -> int:
        """The bound B on the length, in bits, of each coefficient of the determinant."""
        rows = zip(self.constant, self.trembling, strict=True)
        return sum((1 + sum(map(abs, chain(row.values(), more.values())))).bit_length() for row, more in rows)

    def class_sizes(self) -> list[int]:
        """Return, for each row in order, the number of rows in its class."""
        size = Counter(self.first_row)
        return [size[number] for number in self.first_row]


def square_system(case: Case, basis: Basis, players: tuple[int, int], single: bool) -> Square:
    """Return the system S(e) of the module's docstring for a basis. Report classes that are not equitable."""
    program = _Program(case, basis, players, single)
    for what, sums in (("row", program.rows), ("column", program.columns)):
        for line, first in sums.unlike() if sums is not None else ():
            case.problems.add(
                f"certificate.classes: {what} {line} of the system is in a class with {what} {first}, but their "
                "payoffs, their trembles, or the moves before or after them are not alike"
            )
    slack1, slack2 = (basis.slack[player] for player in players)
    s1, j1, s2, j2 = program.sizes
    place_of_row = _places(program.first_row, {j1 + q for q in range(1, s1) if slack1[q]})
    place_of_column = _places(program.first_column, {s1 + j2 + q for q in range(1, s2) if slack2[q]})
    constant: list[Row] = []
    trembling: list[Trembling] = []
    for number in place_of_row:
        entries, more = program.rows.constant[number].items(), program.rows.trembling[number].items()
        constant.append({place: v for c, v in entries if v and (place := place_of_column.get(c)) is not None})
        trembling.append({(k, place): v for (k, c), v in more if v and (place := place_of_column.get(c)) is not None})
    return Square(
        players,
        single,
        program.sizes,
        constant,
        trembling,
        place_of_row,
        place_of_column,
        program.first_row,
        program.first_column,
    )


class _Program:
    """The whole system, with all rows and columns. In each row, entries in columns of the same class are added up."""

    def __init__(self, case: Case, basis: Basis, players: tuple[int, int], single: bool) -> None:
        first, second = players
        own, other = (case.form.sequences[player] for player in players)
        s1, j1, _, j2 = self.sizes = own.count, len(own.sets), other.count, len(other.sets)
        classes, last, lost = basis.classes, j1 + s1, s1 + j2
        self.players, self.single = players, single
        self.first_row = [
            *(0, *(1 + k for k in classes.first_set[first])),
            *(j1 + q for q in classes.first[first][1:]),
            *(last + q for q in classes.first[second]),
        ]
        self.first_column = [
            *(*classes.first[first], s1),
            *(s1 + 1 + k for k in classes.first_set[second]),
            *(lost + q for q in classes.first[second][1:]),
        ]
        self.rows = _Sums(self.first_row, self.first_column)
        # Sums of columns matter only if a single system determines both plans.
        self.columns = _Sums(self.first_column, self.first_row) if classes.stated and single else None
        self._put(0, 0, 1)
        self._put(last, s1, 1)
        for k, prior, begin, end in own.sets:
            self._put(1 + k, prior, -1)
            for q in range(begin, end):
                self._put(1 + k, q, 1)
                self._put(j1 + q, q, -1)
                self._put(j1 + q, prior, basis.weight[first][q], basis.order[first][q])
        for k, prior, begin, end in other.sets:
            self._put(last + prior, s1 + 1 + k, -1)
            for q in range(begin, end):
                self._put(last + q, s1 + 1 + k, 1)
                self._put(last + q, lost + q, 1)
                self._put(last + prior, lost + q, -basis.weight[second][q], basis.order[second][q])
        payoffs = case.form.payoffs[first if single else second]
        sequence, amount = (payoffs.own.tolist(), payoffs.other.tolist()), payoffs.amount.tolist()
        divisor = (gcd(*amount) or 1) * (1 if single else -1)
        for q, r, value in zip(*(sequence if single else sequence[::-1]), amount, strict=True):
            self._put(last + r, q, -value // divisor)

    def _put(self, row: int, column: int, value: int, power: int = 0) -> None:
        self.rows.add(row, column, value, power)
        if self.columns is not None:
            self.columns.add(column, row, value, power)


class _Sums:
    """Sums of matrix entries. Each row (or column) has one sum for each class of columns (or rows)."""

    def __init__(self, first: list[int], first_crossing: list[int]) -> None:
        self.first, self._first_crossing = first, first_crossing
        self.constant: list[Row] = [{} for _ in first]
        self.trembling: list[Trembling] = [{} for _ in first]

    def add(self, line: int, crossing: int, value: int, power: int) -> None:
        """Add the entry `value` e^`power` at (`line`, `crossing`) to the sum for `line` and the class of `crossing`."""
        where = self._first_crossing[crossing]
        if power:
            self.trembling[line][power, where] = self.trembling[line].get((power, where), 0) + value
        else:
            self.constant[line][where] = self.constant[line].get(where, 0) + value

    def unlike(self) -> Iterator[tuple[int, int]]:
        """Yield (i, k) for each row or column i whose entry sums differ from the sums of k, the first of i's class."""
        for line, first in enumerate(self.first):
            if line != first and not (
                _same(self.constant[line], self.constant[first]) and _same(self.trembling[line], self.trembling[first])
            ):
                yield line, first


def _same(one: Mapping[Any, int], other: Mapping[Any, int]) -> bool:
    """Return True if two dicts contain the same integer for each key. A missing key counts as 0."""
    return all(one.get(key, 0) == other.get(key, 0) for key in {*one, *other})


def _places(first: Sequence[int], left_out: Container[int]) -> dict[int, int]:
    """Map each class's first row (or column) to its place 0, 1, ... among the first rows. Skip rows in `left_out`."""
    kept = [number for number, model in enumerate(first) if number == model and number not in left_out]
    return {number: place for place, number in enumerate(kept)}

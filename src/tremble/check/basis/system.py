r"""The equations of a basis: a square system S(e) whose solution is a pair of plans.

Player 1 has s_1 sequences (the empty one, 0, included) and j_1 information sets; player 2 has s_2 and j_2. In the
perturbed game, every sequence q must have at least the weight :math:`w_q e^{k_q} x_{before(q)}`. A basis names the
*slack* sequences, which may have more; the others are *tight*. With U, the payoffs of player 1 times the probability of
chance, as integers without a common divisor, the unknowns (columns) and equations (rows) have the numbers

=========================  ==============================================================================
:math:`q`                  :math:`x_q`: the weight of sequence q of player 1, for :math:`q = 0, 1, \dots`
:math:`s_1`                :math:`v_0`: the value
:math:`s_1 + k`            :math:`v_k`: the value of set :math:`k = 1, \dots, j_2` of player 2
:math:`s_1 + j_2 + q`      :math:`g_q \ge 0`: what the tight sequence q of player 2 loses, :math:`q = 1, 2, \dots`
=========================  ==============================================================================

=========================  ==============================================================================
0                          :math:`x_0 = 1`
:math:`k`                  :math:`\sum_a x_{ka} - x_{before(k)} = 0`, for set :math:`k = 1, \dots, j_1`
:math:`j_1 + q`            :math:`w_q e^{k_q} x_{before(q)} - x_q = 0`, for tight :math:`q = 1, 2, \dots`
:math:`j_1 + s_1 + q`      :math:`v_{set(q)} + g_q - \sum_k (v_k + \sum_r w_r e^{k_r} g_r) - \sum_r U_{rq} x_r = 0`
                           with the sets k that directly follow q and their tight sequences r, for
                           :math:`q = 0, 1, \dots`; :math:`v_0` and no g for q = 0
=========================  ==============================================================================

If the payoffs have a constant sum, the transposed system, with 1 in the column of v_0, determines player 2's plan y
(last rows), and what player 1's tight sequences lose (rows :math:`j_1 + q`): a tight column g_q says
:math:`y_q = w_q e^{k_q} y_{before(q)}`, a column x_q says what sequence q of player 1 earns against y. Otherwise there
are two systems, with minus player 2's payoffs in place of U, and the same with the players exchanged; each determines
the plan of its first player and the losses of its second.

**Classes.**  The certificate may say that sequences of a player are alike. Two sets are alike if they have actions
that are alike; rows and columns are alike if their sequences or sets are. The classes are *equitable* if rows of a
class have the same sum over every class of columns, in every power of e, and (for a single system) the same with rows
and columns exchanged. Then S(e) has the first row of each class, and for each class of columns their sum.

Theorem.  Let the classes be equitable, and let each have slack sequences only or tight ones only. A solution z of the
quotient gives one of the whole system: z_j to every column of class j. A solution of the transposed quotient gives one
of the transposed whole: :math:`\lambda_i / |i|` to every row of class i.

Proof.  Row r of the whole says of the expanded z what its class says of z. For the second, count the entries of the
block (i, j) by rows and by columns: :math:`|i| A_{ij} = |j| \sum_{r \in i} a_{rc}` for each c in j. So column c says
what column j of the quotient says, over |j|; and the only right-hand side that is not 0 belongs to v_0, which is alone.

**Bounds.**  Let D be the sum of the highest powers of e in the rows, or in the columns if that is less; and B the sum
over the rows of the lengths (in bits) of the sum of the absolute values of the entries, plus 1. The determinant of
S(e), and any with a column or a row replaced by constants 0 and a single 1, is a polynomial with integer coefficients
of degree at most D; the coefficients are below 2^B. (Expand the product of the row sums.)
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
    """The system S(e). Shapes: n rows and columns, counted from 0 by *places*; numbers as in the tables."""

    players: tuple[int, int]  # who has the plan, and who has the losses
    single: bool  # whether it determines the plan and the losses of the other, too
    sizes: tuple[int, int, int, int]  # s_1, j_1, s_2, j_2
    constant: list[Row]  # [n]: the entries of S(0) by the place of their column
    trembling: list[Trembling]  # [n]: the others by power of e, 1 or more, and place of their column
    place_of_row: dict[int, int]  # by number: the rows of S
    place_of_column: dict[int, int]  # by number: the columns of S
    # For all numbers: the number of the first row and column alike, whether in S or not.
    first_row: list[int]
    first_column: list[int]

    @property
    def degree(self) -> int:
        """The bound D."""
        by_row, by_column = [0] * len(self.constant), [0] * len(self.constant)
        for i, row in enumerate(self.trembling):
            for power, j in row:
                by_row[i], by_column[j] = max(by_row[i], power), max(by_column[j], power)
        return min(sum(by_row), sum(by_column))

    @property
    def bits(self) -> int:
        """The bound B."""
        rows = zip(self.constant, self.trembling, strict=True)
        return sum((1 + sum(map(abs, chain(row.values(), more.values())))).bit_length() for row, more in rows)

    def class_sizes(self) -> list[int]:
        """Return, for each row by number, the size of its class."""
        size = Counter(self.first_row)
        return [size[number] for number in self.first_row]


def square_system(case: Case, basis: Basis, players: tuple[int, int], single: bool) -> Square:
    """Write down the equations, check that the classes are equitable, and keep what the basis keeps."""
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
    """All rows and columns of the tables, with the entries summed over classes."""

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
        # Sums of columns count only where a single system determines both plans.
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
    """The sums of the entries of each line (row or column) over the classes of the lines that cross it."""

    def __init__(self, first: list[int], first_crossing: list[int]) -> None:
        self.first, self._first_crossing = first, first_crossing
        self.constant: list[Row] = [{} for _ in first]
        self.trembling: list[Trembling] = [{} for _ in first]

    def add(self, line: int, crossing: int, value: int, power: int) -> None:
        """Add an entry to its sum."""
        where = self._first_crossing[crossing]
        if power:
            self.trembling[line][power, where] = self.trembling[line].get((power, where), 0) + value
        else:
            self.constant[line][where] = self.constant[line].get(where, 0) + value

    def unlike(self) -> Iterator[tuple[int, int]]:
        """Yield lines whose sums are not those of the first line of their class, and the first line."""
        for line, first in enumerate(self.first):
            if line != first and not (
                _same(self.constant[line], self.constant[first]) and _same(self.trembling[line], self.trembling[first])
            ):
                yield line, first


def _same(one: Mapping[Any, int], other: Mapping[Any, int]) -> bool:
    """Return whether two lines have the same sums; sums that are 0 may be left out."""
    return all(one.get(key, 0) == other.get(key, 0) for key in {*one, *other})


def _places(first: Sequence[int], left_out: Container[int]) -> dict[int, int]:
    """Number the first rows (or columns) of the classes, without those that the basis leaves out."""
    kept = [number for number, model in enumerate(first) if number == model and number not in left_out]
    return {number: place for place, number in enumerate(kept)}

"""Elimination of a sparse square matrix modulo a prime, row by row.

Theorem.  Let M_0, M_1, ... be the rows of the matrix M. For k = 0, 1, ..., subtract multiples of U_0, ..., U_{k-1} from
M_k, so that the result U_k is 0 in the columns of the pivots of U_0, ..., U_{k-1}. The *pivot* of U_k is any nonzero
entry of U_k. If every U_k has a nonzero entry, M is regular modulo the prime.

Proof.  M = L U, where L is unit lower triangular. After ordering the columns by pivots, U is upper triangular. The
entries on its diagonal are the pivots, which have inverses.

Any order of rows and any choice of pivots gives a proof. The certificate states an order of rows and pivot columns that
creates few new entries. If the entry in the stated column is 0, the checker chooses another pivot in the row.

The proof needs only inverses of the pivots. Python raises ValueError if an inverse does not exist. So the theorem is
true even if the modulus is not a prime.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from operator import mul
from secrets import randbelow

from tremble.check.limits import Limits

STEPS_PER_PRODUCT = 150  # nanoseconds, measured with moduli of 30 to 120 bits
BITS_PER_ENTRY = 1_000  # of memory, for an integer and its places in two lists (a generous estimate)
TOGETHER = 10_000  # products and entries; `pay` reduces the limits only after so many

Row = dict[int, int]  # entries by column


class Elimination:
    """A factorization M = L U modulo a prime, to which rows are added one by one.

    Parameters
    ----------
    rank : sequence of int
        A priority for each column. `add` takes the pivot from the column `stated` if the new row has a nonzero entry
        there after the elimination. Otherwise, `add` takes the nonzero entry whose column has the highest priority.
    """

    def __init__(self, rank: Sequence[int], prime: int, limits: Limits, where: str) -> None:
        self._rank, self._prime, self._limits, self._where = rank, prime, limits, where
        self._pivot_of: dict[int, int] = {}  # by column: the row whose pivot is in this column
        self._products = self._entries = 0  # not charged yet
        self._column: list[int] = []  # the column of each pivot
        self._inverse: list[int] = []  # the inverse of each pivot
        self._upper: list[tuple[list[int], list[int]]] = []  # by row: columns and values of U, without the pivot
        self._lower: list[tuple[list[int], list[int]]] = []  # by row: rows of U and their multiples, as subtracted

    def add(self, row: Row, stated: int | None) -> Row | None:
        """Append a row to M, with its pivot in the column `stated` if possible, and return None. `row` is modified.

        If the row is a linear combination of rows of M, do not append it. Instead, return the combination's factors.
        """
        above: list[int] = []
        multiples: list[int] = []
        steps, pivot_of = len(row), self._pivot_of
        waiting = [pivot_of[j] for j in row.keys() & pivot_of.keys()]
        heapify(waiting)
        while waiting:
            i = heappop(waiting)
            multiple = row.pop(self._column[i]) * self._inverse[i] % self._prime
            if not multiple:
                continue
            above.append(i)
            multiples.append(multiple)
            columns, values = self._upper[i]
            for j, value in zip(columns, values, strict=True):
                if j in row:
                    row[j] -= multiple * value  # reduced modulo the prime later, when it is used
                else:
                    row[j] = -multiple * value
                    if j in pivot_of:
                        heappush(waiting, pivot_of[j])
            steps += len(columns)
            if steps > TOGETHER:
                self.pay(steps)
                steps = 0
        rest = {j: value for j, amount in row.items() if (value := amount % self._prime)}
        self.pay(steps, len(rest) + len(above))
        if not rest:
            return self._combination(dict(zip(above, multiples, strict=True)))
        column = stated if stated in rest else max(rest, key=self._rank.__getitem__)
        self._pivot_of[column] = len(self._column)
        self._column.append(column)
        pivot = rest.pop(column)
        # An inverse takes 10 microseconds, and most pivots are 1 or -1.
        self._inverse.append(pivot if pivot in (1, self._prime - 1) else pow(pivot, -1, self._prime))
        self._upper.append((list(rest), list(rest.values())))
        self._lower.append((above, multiples))
        return None

    def pay(self, products: int, entries: int = 0) -> None:
        """Reduce the limits by the cost of products and stored entries. `Limits.charge` ignores such short numbers."""
        self._products += products
        self._entries += entries
        if self._products + self._entries > TOGETHER:
            self._limits.spend(self._where, STEPS_PER_PRODUCT, self._products)
            self._limits.keep(self._where, BITS_PER_ENTRY * self._entries)
            self._products = self._entries = 0

    def _combination(self, factor: Row) -> Row:
        """Convert factors of U's rows to factors of M's rows with the same sum. Change and return the dict `factor`."""
        waiting = [-i for i in factor]
        heapify(waiting)
        while waiting:
            i = -heappop(waiting)
            factor[i] %= self._prime
            self.pay(len(self._lower[i][0]))
            for h, multiple in zip(*self._lower[i], strict=True):
                if h not in factor:
                    factor[h] = 0
                    heappush(waiting, -h)
                factor[h] -= factor[i] * multiple
        return factor

    def solve(self, right: Sequence[int]) -> list[int]:
        """Solve M z = right, and return z, indexed by column. All rows must have been added."""
        z = list(right)
        for k, (above, multiples) in enumerate(self._lower):
            z[k] = (z[k] - sum(map(mul, multiples, map(z.__getitem__, above)))) % self._prime
        result = [0] * len(z)
        for k in range(len(z) - 1, -1, -1):
            columns, values = self._upper[k]
            rest = z[k] - sum(map(mul, values, map(result.__getitem__, columns)))
            result[self._column[k]] = rest * self._inverse[k] % self._prime
        return result

    def solve_transposed(self, right: Sequence[int]) -> list[int]:
        """Solve (M transposed) z = right, and return z, indexed by row. All rows of M must have been added."""
        rest, z = list(right), [0] * len(right)
        for k, (columns, values) in enumerate(self._upper):
            z[k] = rest[self._column[k]] * self._inverse[k] % self._prime
            if z[k]:
                for j, value in zip(columns, values, strict=True):
                    rest[j] -= value * z[k]
        for k in range(len(z) - 1, -1, -1):
            z[k] %= self._prime
            if z[k]:
                for i, multiple in zip(*self._lower[k], strict=True):
                    z[i] -= multiple * z[k]
        return z


def random_prime(bits: int, certainty: int) -> int:
    r"""Draw a number between 2^bits and 2^(bits+1) that is a prime, except with a probability below 2^-certainty.

    Theorem (Rabin 1980).  A composite number passes one round (`_passes`) with a probability of at most 1/4.

    Let b be the number of bits. An odd number in the interval is prime with a probability above 1 / (0.6 b) (Rosser and
    Schoenfeld, see `zeros`). So the function draws fewer than b numbers on average. With r rounds for each number, the
    result is composite with a probability of at most b / 4^r.

    Source: M. O. Rabin, Probabilistic algorithm for testing primality, Journal of Number Theory 12 (1980), 128-138.
    """
    rounds = (certainty + bits.bit_length()) // 2 + 1
    while True:
        candidate = (1 << bits) + 1 + 2 * randbelow(1 << (bits - 1))
        if all(_passes(candidate, 2 + randbelow(candidate - 3)) for _ in range(rounds)):
            return candidate


def _passes(n: int, base: int) -> bool:
    """Return whether a number passes one round of the primality test of Miller and Rabin."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    x = pow(base, odd, n)
    return x in (1, n - 1) or any((x := x * x % n) == n - 1 for _ in range(twos - 1))

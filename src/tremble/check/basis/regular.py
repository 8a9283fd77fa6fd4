r"""Prove that the system of a basis is regular, and bound the order of the pole of its inverse at e = 0.

Theorem.  Let t be the order of det S(e) modulo a prime: the lowest power of e whose coefficient is not 0. Suppose that
n linearly independent combinations of the rows of S(0) are 0. Then S(e) is regular for small e > 0, and
:math:`e^p S(e)^{-1}` has no pole at 0. Here p = t if n = 0, and p = t - (n - 1) otherwise.

Proof.  An integer that is not 0 modulo a prime is not 0. So det S(e) is not the zero polynomial, and its order is at
most t. Over the ring of power series, S(e) has elementary divisors :math:`e^{m_1}, e^{m_2}, \dots`. This means that
S(e) is a product of three matrices. The second is diagonal, with the elementary divisors on the diagonal. The inverses
of the first and the third have no pole. The m_i sum to the order of the determinant. If S(0) has N rows, its rank is at
most N - n. So at least n of the m_i are 1 or more. Hence no m_i exceeds t - (n - 1).

The order of the determinant.  Eliminate the rows of S(0) one after the other. Suppose that a row is a combination of
earlier rows modulo the prime. Then subtract the same combination of the rows of S(e) from this row of S(e). Every entry
of the row is now divisible by e. Divide the row by e, and try again. The subtraction keeps the determinant, and the
division lowers its order by 1. When all rows have a pivot, the order is 0. So the number of divisions is t.

Source: G. Farina, N. Gatti and T. Sandholm, Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, Lemma 11; for elementary divisors: M. Newman, Integral Matrices, 1972, chapter II.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tremble.check.basis.certificate import Help
from tremble.check.basis.elimination import Elimination, Row, random_prime
from tremble.check.basis.system import Square
from tremble.check.case import Case

# The theorem is true for any prime. If the prime divides the leading coefficient of the determinant, the kernel refuses
# a true claim. Fewer than one in 2^80 of the primes of 100 bits divides a coefficient of 100,000 digits.
PRIME_BITS = 100


def order_of_pole(case: Case, square: Square, stated: Help, most: int, where: str) -> int | None:
    """Return p such that e^p S(e)^-1 has no pole at 0. Add a problem and return None if S is singular or p > `most`."""
    for i, vector in enumerate(stated.null_vectors):
        if not _vanishes(case, square, vector, where):
            case.problems.add(f"{where}.row_operations[{i}]: this combination of rows does not vanish at e = 0")
            return None
    shared = max(len(stated.null_vectors) - 1, 0)
    order = order_of_determinant(case, square, stated.pivots, most + shared, where)
    if order is None:
        case.problems.add(
            f"{where}.basis: the system is singular, or its inverse has a pole of a greater order than {most}, the "
            "highest order of the stated series"
        )
        return None
    return order - shared


def _vanishes(case: Case, square: Square, vector: Mapping[int, int], where: str) -> bool:
    """Multiply rows of the system at e = 0 by factors in `vector`. Return True if the products sum to a zero row."""
    total: Row = {}
    for i, factor in vector.items():
        row = square.constant[i]
        longest = max(map(int.bit_length, row.values()), default=0)
        case.limits.charge(where, factor.bit_length(), longest, len(row))
        for j, value in row.items():
            total[j] = total.get(j, 0) + factor * value
    return not any(total.values())


def order_of_determinant(
    case: Case, square: Square, pivots: Sequence[tuple[int, int]] | None, most: int, where: str
) -> int | None:
    """Return the lowest power of e in det S(e) modulo a prime, or None if det S(e) is 0 or the power exceeds `most`."""
    prime = random_prime(PRIME_BITS, PRIME_BITS)
    order, stated, rank = elimination_order(square, pivots)
    constant = [square.constant[i] for i in order]
    trembling = [{key: value % prime for key, value in square.trembling[i].items()} for i in order]
    eliminated = Elimination(rank, prime, case.limits, where)
    divisions = 0
    for k in range(len(order)):
        while (factors := eliminated.add(dict(constant[k]), stated[k])) is not None:
            divisions += 1
            if divisions > most:
                return None
            rest = dict(trembling[k])  # the constant entries cancel
            for i, factor in factors.items():
                eliminated.pay(len(trembling[i]))
                for key, value in trembling[i].items():
                    rest[key] = rest.get(key, 0) - factor * value
            constant[k] = {j: value % prime for (power, j), value in rest.items() if power == 1}
            trembling[k] = {(power - 1, j): value % prime for (power, j), value in rest.items() if power > 1}
    return divisions


def elimination_order(
    square: Square, pivots: Sequence[tuple[int, int]] | None
) -> tuple[list[int], list[int | None], list[int]]:
    """Return the order of the rows, each row's column in `pivots` or None, and each column's rank (see `Elimination`).

    Without `pivots`, rows with the fewest entries come first, and columns with the fewest entries rank highest.
    """
    n = len(square.constant)
    rank = [0] * n
    if pivots is not None:
        for place, (_, column) in enumerate(pivots):
            rank[column] = place
        return [row for row, _ in pivots], [column for _, column in pivots], rank
    for row in square.constant:
        for j in row:
            rank[j] -= 1
    return sorted(range(n), key=lambda i: len(square.constant[i])), [None] * n, rank

r"""Check that all functions in a certificate's list of zeros are 0 for every epsilon, called e below.

For a slack sequence q, the function is the weight of q minus its least weight, :math:`x_q - w_q e^{k_q} x_{before(q)}`.
For a tight sequence q, the function is the loss g_q of q.

Theorem.  Let D and B be the bounds of `system`, and let k be the greatest order of a tremble. Let 2^(h - 1) exceed the
greatest weight of a tremble times the size of the largest class. Multiply the function of q by the determinant and by
the size of q's class. The result is a polynomial F(e) of degree at most D + k, with integer coefficients below 2^(B+h).
Therefore

1. if all coefficients of the function are 0 up to the order D + k, the function is 0;
2. if the function is not 0, its value at a random point modulo a random prime P between 2^b and 2^(b+1) is
   defined and 0 with a probability below :math:`(D + k + 2 (B + h)) / 2^b`.

Proof.  Cramer's rule gives the numerators of x, y and g. Let q be a slack sequence of player 2 in a class of size m,
and let Y_q be the solution for this class. Then y_q = Y_q / m is the weight of q. The function of q, times m, is
:math:`Y_q - (m / n) w_q e^{k_q} Y_{before(q)}`, where n is the size of the class of before(q). Here m / n is the number
of members that follow each of the n sequences, so it is an integer.

(1) If the function is not 0, the order of F is at most its degree. The order of the function is at most the order of F,
because the division by the determinant cannot raise the order.

(2) Let c be a coefficient of F that is not 0. It is below 2^(B + h), so fewer than (B + h) / b primes above 2^b divide
c. The prime is drawn from more than :math:`0.86 \cdot 2^b / b` primes (Rosser and Schoenfeld 1962). So P divides c with
a probability below :math:`1.2\,(B + h) / 2^b`. Otherwise F has at most D + k zeros among the P points. If the
determinant is 0 at the point, the value is undefined, and the kernel refuses the claim.

The kernel chooses b so that the probability in (2) is at most 2^-(certainty + 1). The modulus is composite with a
probability below 2^-(certainty + 1). So a false zero passes with a probability below 2^-certainty. The kernel itself
draws the prime and the point, so it does not matter how the certificate was computed.

Source: J. B. Rosser and L. Schoenfeld, Approximate formulas for some functions of prime numbers, Illinois Journal of
Mathematics 6 (1962), corollary 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import randbelow

from tremble.check.basis.certificate import Basis, Help
from tremble.check.basis.elimination import Elimination, random_prime
from tremble.check.basis.regular import elimination_order
from tremble.check.basis.system import Square
from tremble.check.case import Case


@dataclass(frozen=True)
class _Values:
    """Plans and losses at one value of e, modulo a prime. The dicts map players to the values of their sequences."""

    plan: dict[int, list[int]]
    lost: dict[int, list[int]]


def check_zeros(
    case: Case, basis: Basis, squares: Sequence[Square], helps: Sequence[Help], known: Sequence[int]
) -> None:
    """Check that the functions that the certificate lists as zeros are 0, by (1) or (2) of the module's theorem.

    Parameters
    ----------
    known : sequence of int
        For each player, a power of e. In the series of the player's plan and of the opponent's losses, all coefficients
        up to this power are known.
    """
    degree = max(square.degree for square in squares) + max(max(side) for side in basis.order)
    unsure = [
        basis.zero_weights[player] or basis.zero_regrets[1 - player] for player in (0, 1) if known[player] < degree
    ]
    if not any(unsure):
        return
    if basis.certainty is None:
        case.problems.add(
            "certificate.probabilistic: null, but the zeros are not proven with certainty: their degree may be "
            f"{degree:,}, but their coefficients are known only up to order e^{min(known)}"
        )
        return
    heaviest = max(max(side) for side in basis.weight) * max(max(square.class_sizes()) for square in squares)
    bits = max(square.bits for square in squares) + heaviest.bit_length() + 1
    length = basis.certainty + 1 + (degree + 2 * bits).bit_length()
    prime = random_prime(length, basis.certainty + 1)
    point = randbelow(prime)
    for square, stated in zip(squares, helps, strict=True):
        values = _solve(case, square, stated, point, prime)
        if values is None:
            case.problems.add("certificate.basis: the system is singular at a random point")
        else:
            _check_values(case, basis, values, point, prime)


def _solve(case: Case, square: Square, stated: Help, point: int, prime: int) -> _Values | None:
    """Solve a system at a point modulo a prime; return None if the system is singular at the point."""
    n, (s1, j1, _, j2), (first, second) = len(square.constant), square.sizes, square.players
    order, column, rank = elimination_order(square, stated.pivots)
    eliminated = Elimination(rank, prime, case.limits, "certificate.pivots")
    power = {k: pow(point, k, prime) for k in {k for row in square.trembling for k, _ in row}}
    for i, pivot in zip(order, column, strict=True):
        row = dict(square.constant[i])
        for (k, j), value in square.trembling[i].items():
            row[j] = row.get(j, 0) + value * power[k] % prime
        if eliminated.add(row, pivot) is not None:
            return None
    right = [int(i == square.place_of_row[0]) for i in order]
    found = dict(enumerate(eliminated.solve(right)))
    primal = [found.get(square.place_of_column.get(c, -1), 0) for c in square.first_column]
    plan, lost = {first: primal[:s1]}, {second: [0, *primal[s1 + j2 + 1 :]]}
    if square.single:
        multipliers = eliminated.solve_transposed([int(j == square.place_of_column[s1]) for j in range(n)])
        found = dict(zip(order, multipliers, strict=True))
        sizes = square.class_sizes()
        inverse = {size: pow(size, -1, prime) for size in {*sizes}}
        dual = [
            found.get(square.place_of_row.get(r, -1), 0) * inverse[size] % prime
            for r, size in zip(square.first_row, sizes, strict=True)
        ]
        plan[second], lost[first] = dual[j1 + s1 :], [0, *dual[j1 + 1 : j1 + s1]]
    return _Values(plan, lost)


def _check_values(case: Case, basis: Basis, values: _Values, point: int, prime: int) -> None:
    """Check at `point` that weights in certificate.zeros are least weights, and that regrets listed there are 0."""
    for player, sequences in enumerate(case.form.sequences):
        plan, lost = values.plan.get(player), values.lost.get(player)
        weight, order = basis.weight[player], basis.order[player]
        for k, prior, begin, end in sequences.sets:
            for q in range(begin, end):
                false = lost is not None and q in basis.zero_regrets[player] and lost[q]
                if plan is not None and q in basis.zero_weights[player]:
                    false = false or (plan[q] - weight[q] * pow(point, order[q], prime) * plan[prior]) % prime
                if false:
                    case.problems.add(
                        f"{case.place(player, k)}: {case.action(player, k, q)} is listed in certificate.zeros, but "
                        "it is not identically 0, as a random point shows"
                    )

r"""Check by weak duality that rational functions are an optimum of a trembling linear program.

The program is to maximize :math:`c^T x` subject to rows :math:`a_i^T x \le b_i`, :math:`a_i^T x \ge b_i` or
:math:`a_i^T x = b_i`. Each :math:`x_j` is nonnegative or free. All data are polynomials in :math:`\epsilon`. The
optimum is given by polynomials N, M and D: the values are :math:`x = N/D`, and the multipliers are :math:`y = M/D`. For
all small :math:`\epsilon > 0`, a polynomial has the sign of its first nonzero coefficient. With these signs, the
following conditions are sufficient:

1. :math:`D > 0`.
2. x is feasible. After multiplication by D, :math:`b_i D - a_i^T N` must be :math:`\ge 0`, :math:`\le 0` or 0,
   depending on the sense of the row. If :math:`x_j` is not free, :math:`N_j` must be :math:`\ge 0`.
3. y is feasible. After multiplication by D, :math:`M_i` must be :math:`\ge 0`, :math:`\le 0` or arbitrary, depending on
   the sense of the row. :math:`\sum_i a_{ij} M_i - c_j D` must be :math:`\ge 0`, or 0 if :math:`x_j` is free.
4. :math:`c^T N = b^T M`.

Then any feasible x' has :math:`c^T x' \le y^T A x' \le y^T b = c^T x`, for all small :math:`\epsilon`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

__all__ = ["Coefficients", "faults_of_optimum", "product", "sign", "total"]

Coefficients = Sequence[Fraction | int]
"""Coefficients of a polynomial, beginning with the constant term; empty for the polynomial 0."""

_ALLOWED = {"<=": (0, 1), ">=": (-1, 0), "=": (0,)}
"""Sense of a row -> allowed signs of its right-hand side minus its left-hand side."""


def faults_of_optimum(
    cost: Sequence[Coefficients],
    rows: Sequence[tuple[Sequence[Coefficients], str, Coefficients]],
    free: Sequence[bool],
    values: Sequence[Coefficients],
    multipliers: Sequence[Coefficients],
    denominator: Coefficients,
) -> list[str]:
    """List the violated conditions of optimality. An empty list proves an optimum for all small positive epsilons.

    Parameters
    ----------
    cost : sequence of n polynomials
    rows : sequence of m triples
        For each row: its n coefficients, its relation (``"<="``, ``">="`` or ``"="``), and its right-hand side.
    free : sequence of n bool, True for a column that may be negative
    values, multipliers : n polynomials and m polynomials, each to be divided by the polynomial ``denominator``
    """
    faults = [] if sign(denominator) > 0 else ["the denominator is not positive"]
    for j, (value, is_free) in enumerate(zip(values, free, strict=True)):
        if sign(value) < 0 and not is_free:
            faults.append(f"column {j} is negative")
    for i, ((row, sense, rhs), multiplier) in enumerate(zip(rows, multipliers, strict=True)):
        left_side = total([product(*pair) for pair in zip(row, values, strict=True)])
        slack = total([product(rhs, denominator), _negative(left_side)])
        if sign(slack) not in _ALLOWED[sense]:
            faults.append(f"row {i} is violated")
        if sense != "=" and sign(multiplier) not in _ALLOWED[sense]:
            faults.append(f"the multiplier of row {i} has the wrong sign")
    for j, is_free in enumerate(free):
        prices = [product(row[j], multiplier) for (row, _, _), multiplier in zip(rows, multipliers, strict=True)]
        dual_slack = total([*prices, _negative(product(cost[j], denominator))])
        if sign(dual_slack) not in (_ALLOWED["="] if is_free else _ALLOWED["<="]):
            faults.append(f"column {j} would improve the objective")
    primal = total([product(*pair) for pair in zip(cost, values, strict=True)])
    dual = total([product(rhs, multiplier) for (_, _, rhs), multiplier in zip(rows, multipliers, strict=True)])
    if sign(total([primal, _negative(dual)])):
        faults.append("the objective of the values differs from the bound that the multipliers prove")
    return faults


def sign(polynomial: Coefficients) -> int:
    """Return the sign of a polynomial for all small positive arguments: -1, 0 or 1.

    Examples
    --------
    >>> sign((0, -2, 5)), sign((0, 0)), sign((3, -7))
    (-1, 0, 1)
    """
    first = next((c for c in polynomial if c), 0)
    return (first > 0) - (first < 0)


def product(one: Coefficients, other: Coefficients) -> list[Fraction | int]:
    """Return the product of two polynomials.

    Examples
    --------
    >>> product((1, 2), (3, 0, 1))
    [3, 6, 1, 2]
    """
    result: list[Fraction | int] = [0] * max(len(one) + len(other) - 1, 0)
    for i, a in enumerate(one):
        if a:
            for j, b in enumerate(other):
                result[i + j] += a * b
    return result


def total(polynomials: Sequence[Coefficients]) -> list[Fraction | int]:
    """Return the sum of polynomials.

    Examples
    --------
    >>> total([(1, 2), (0, 0, 3)])
    [1, 2, 3]
    """
    return [sum(level) for level in zip_longest(*polynomials, fillvalue=0)]


def _negative(polynomial: Coefficients) -> list[Fraction | int]:
    return [-c for c in polynomial]

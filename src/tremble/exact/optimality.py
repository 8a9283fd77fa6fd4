r"""Whether rational functions are an optimum of a trembling linear program, by weak duality.

Let the program be to maximise :math:`c^T x` subject to rows :math:`a_i^T x \le b_i`, :math:`\ge b_i` or :math:`= b_i`,
with :math:`x_j \ge 0` or free, everything a polynomial in :math:`\epsilon`. Stated are polynomials N, M and D: the
values :math:`x = N/D` and the multipliers :math:`y = M/D`. For all small :math:`\epsilon > 0` the sign of a polynomial
is that of its first coefficient that is not 0. So it is enough that, in this sense,

1. :math:`D > 0`;
2. x is feasible, times D: :math:`b_i D - a_i^T N` is :math:`\ge 0`, :math:`\le 0` or 0, and :math:`N_j \ge 0` unless
   x_j is free;
3. y is feasible, times D: :math:`M_i` is :math:`\ge 0`, :math:`\le 0` or any, and :math:`\sum_i a_{ij} M_i - c_j D` is
   :math:`\ge 0`, or 0 where x_j is free;
4. :math:`c^T N = b^T M`.

Then any feasible x' has :math:`c^T x' \le y^T A x' \le y^T b = c^T x`, for all small :math:`\epsilon`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

__all__ = ["Coefficients", "faults_of_optimum", "product", "sign", "total"]

Coefficients = Sequence[Fraction | int]
"""Of a polynomial, the constant one first; none for 0."""

_ALLOWED = {"<=": (0, 1), ">=": (-1, 0), "=": (0,)}
"""Sense of a row -> signs of what it leaves of its right-hand side."""


def faults_of_optimum(
    cost: Sequence[Coefficients],
    rows: Sequence[tuple[Sequence[Coefficients], str, Coefficients]],
    free: Sequence[bool],
    values: Sequence[Coefficients],
    multipliers: Sequence[Coefficients],
    denominator: Coefficients,
) -> list[str]:
    """What keeps the stated functions from being an optimum for all small infinitesimals; nothing if they are one.

    Parameters
    ----------
    cost : sequence of n polynomials
    rows : sequence of m triples
        Of each row n polynomials, ``"<="``, ``">="`` or ``"="``, and the right-hand side.
    free : sequence of n bool
    values, multipliers, denominator : n polynomials, m polynomials, polynomial
    """
    faults = [] if sign(denominator) > 0 else ["the denominator is not positive"]
    for j, (value, is_free) in enumerate(zip(values, free, strict=True)):
        if sign(value) < 0 and not is_free:
            faults.append(f"column {j} is negative")
    for i, ((row, sense, rhs), multiplier) in enumerate(zip(rows, multipliers, strict=True)):
        taken = total([product(*pair) for pair in zip(row, values, strict=True)])
        left = total([product(rhs, denominator), _negative(taken)])
        if sign(left) not in _ALLOWED[sense]:
            faults.append(f"row {i} is violated")
        if sense != "=" and sign(multiplier) not in _ALLOWED[sense]:
            faults.append(f"the multiplier of row {i} has the wrong sign")
    for j, is_free in enumerate(free):
        priced = [product(row[j], multiplier) for (row, _, _), multiplier in zip(rows, multipliers, strict=True)]
        left = total([*priced, _negative(product(cost[j], denominator))])
        if sign(left) not in (_ALLOWED["="] if is_free else _ALLOWED["<="]):
            faults.append(f"column {j} would improve")
    primal = total([product(*pair) for pair in zip(cost, values, strict=True)])
    dual = total([product(rhs, multiplier) for (_, _, rhs), multiplier in zip(rows, multipliers, strict=True)])
    if sign(total([primal, _negative(dual)])):
        faults.append("the values earn another objective than the multipliers bound")
    return faults


def sign(polynomial: Coefficients) -> int:
    """Its sign for all small positive arguments: -1, 0 or 1.

    Examples
    --------
    >>> sign((0, -2, 5)), sign((0, 0)), sign((3, -7))
    (-1, 0, 1)
    """
    first = next((c for c in polynomial if c), 0)
    return (first > 0) - (first < 0)


def product(one: Coefficients, other: Coefficients) -> list[Fraction | int]:
    """The product of two polynomials.

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
    """The sum of polynomials.

    Examples
    --------
    >>> total([(1, 2), (0, 0, 3)])
    [1, 2, 3]
    """
    return [sum(level) for level in zip_longest(*polynomials, fillvalue=0)]


def _negative(polynomial: Coefficients) -> list[Fraction | int]:
    return [-c for c in polynomial]

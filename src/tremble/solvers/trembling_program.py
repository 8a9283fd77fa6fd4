r"""Solve linear programs whose coefficients are polynomials in an infinitesimal, and return limits of their optima.

.. math::  \max\; c(\varepsilon)^T x \quad\text{subject to}\quad A(\varepsilon)\, x \;\{\le, =, \ge\}\; b(\varepsilon),
           \qquad x_j \ge 0 \text{ or free}.

Every coefficient is a polynomial in :math:`\varepsilon`. A *limit solution* is the limit of optima of the program as
:math:`\varepsilon \downarrow 0`. Usually the program at 0 has other optima too. The limit solution is the optimum that
matters if constraints or costs always differ a little from their values at 0. Basic solutions are rational functions of
:math:`\varepsilon`, and the number of bases is finite. So one basis is optimal for all small :math:`\varepsilon > 0`.
This basis is called *stable* (Farina, Gatti & Sandholm 2018, theorem 5).

No number in place of :math:`\varepsilon` can decide whether optima exist for all small :math:`\varepsilon`. Stable
bases of two other programs decide this. These programs always have optima. They compute the least total violation of
the rows of the program, and of the rows of its dual. If the violation in the program is not 0 for small
:math:`\varepsilon`, the program is infeasible for small :math:`\varepsilon`. If the violation in the dual is not 0, the
program is unbounded. Otherwise the program has optima. To find a stable basis, exact pivots solve the program at
:math:`2^{-k}`, and k is doubled until the basis is stable.

Optima may have no limit. For example, the only optimum of :math:`\max -\varepsilon^2 x - y` subject to
:math:`\varepsilon x + y \ge 1` is :math:`x = 1/\varepsilon`, y = 0, but the optimum at 0 has y = 1. Farina, Gatti and
Sandholm exclude such programs by requiring a bounded feasible set at 0. This would also exclude their own programs for
games, because these programs have free variables. So this module checks the optimum instead. If the optimum found has
no limit, the module tries the optimum with the least sum of absolute values. If at least one optimum has a limit, the
least sum is bounded. Then the optimum with the least sum also has a limit.

Weak duality proves the result for all small :math:`\varepsilon`. The proof does not use the basis. Its code
(:mod:`tremble.exact.optimality`) is separate from the code of the search.

References
----------
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError, SpecError
from tremble.exact.lexicographic import optimize
from tremble.exact.optimality import Coefficients, faults_of_optimum, product, sign, total
from tremble.exact.program import IntegerMatrix, Program
from tremble.exact.series_system import determinant_degree
from tremble.exact.small_number import at_bits
from tremble.exact.stability import Series, Stability, check_stability
from tremble.numbers import NumberLike, exact_number, over_one_denominator
from tremble.run.clock import Clock
from tremble.run.deadline import limited, required_time_limit
from tremble.value import Value

__all__ = ["TremblingProgram", "TremblingSolution", "solve_trembling"]

Polynomial = tuple[Fraction, ...]
"""Coefficients in ascending order of degree. The last coefficient is not 0. The zero polynomial has no coefficients."""

PolynomialLike = NumberLike | Sequence[NumberLike]
"""An exact number, or the coefficients of a polynomial in ascending order of degree."""

_SENSES = ("<=", ">=", "=")
_FIRST_BITS = 16  # the first number in place of the infinitesimal is 2^-16


@dataclass(frozen=True, eq=False, repr=False)
class TremblingProgram(Value):
    """A linear program whose coefficients are polynomials in an infinitesimal e.

    Each coefficient is an exact number, or a sequence of exact numbers: the coefficients of 1, e, e^2, ...

    Parameters
    ----------
    maximize : sequence of n coefficients
        The objective.
    matrix : sequence of m sequences of n coefficients
    senses : sequence of m texts
        ``"<="``, ``">="`` or ``"="``.
    rhs : sequence of m coefficients
    free : iterable of int, optional
        Indices, from 0, of the variables that may be negative.

    Raises
    ------
    SpecError
        Lengths do not fit, or a sense or a column does not exist.
    GameError
        A coefficient is not an exact number.

    See Also
    --------
    solve_trembling : returns the limit solution of a program.

    Examples
    --------
    >>> import tremble
    >>> tremble.TremblingProgram(maximize=[1, 1], matrix=[[1, [1, 1]]], senses=["<="], rhs=[1])
    <TremblingProgram: maximize ((1), (1)), matrix (((1), (1, 1))), senses ('<='), rhs ((1)), free ()>
    """

    maximize: tuple[Polynomial, ...]
    matrix: tuple[tuple[Polynomial, ...], ...]
    senses: tuple[str, ...]
    rhs: tuple[Polynomial, ...]
    free: tuple[int, ...] = ()

    def __init__(
        self,
        maximize: Sequence[PolynomialLike],
        matrix: Sequence[Sequence[PolynomialLike]],
        senses: Sequence[str],
        rhs: Sequence[PolynomialLike],
        free: Iterable[int] = (),
    ) -> None:
        cost = _polynomials(maximize, "maximize")
        rows = tuple(_polynomials(row, f"matrix[{i}]") for i, row in enumerate(_members(matrix, "matrix")))
        for i, row in enumerate(rows):
            if len(row) != len(cost):
                raise SpecError(
                    f"matrix[{i}] has {len(row)} coefficients, but maximize has {len(cost)}, one per column"
                )
        for name, values in (("senses", senses), ("rhs", rhs)):
            if len(_members(values, name)) != len(rows):
                raise SpecError(f"{name} has {len(values)} entries, but matrix has {len(rows)} rows")
        for i, sense in enumerate(senses):
            if sense not in _SENSES:
                raise SpecError(f"senses[{i}] is {sense!r:.40}; choose from: {', '.join(_SENSES)}")
        columns = tuple(sorted(set(free)))
        for j in columns:
            if not isinstance(j, int | np.integer) or isinstance(j, bool) or not 0 <= j < len(cost):
                raise SpecError(f"'free' contains {j!r:.40}, but columns are integers from 0 to {len(cost) - 1}")
        contents = {
            "maximize": cost, "matrix": rows, "senses": tuple(senses), "rhs": _polynomials(rhs, "rhs"),
            "free": tuple(map(int, columns)),
        }  # fmt: skip
        for name, content in contents.items():
            object.__setattr__(self, name, content)

    @cached_property
    def is_free(self) -> tuple[bool, ...]:
        """A flag for each column: True if the column may be negative."""
        return tuple(j in self.free for j in range(len(self.maximize)))

    @property
    def scales(self) -> tuple[list[int], int]:
        """Factors for :meth:`in_integers`: one for each row (negative for ``>=`` rows), and one for the objective."""
        rows = [
            _common_denominator((*row, rhs)) * (-1 if sense == ">=" else 1)
            for row, sense, rhs in zip(self.matrix, self.senses, self.rhs, strict=True)
        ]
        return rows, _common_denominator(self.maximize)

    def in_integers(self) -> Program:
        """Return an equivalent program with integer coefficients and without ``>=`` rows."""
        (m, n), (by_row, by_cost) = (len(self.rhs), len(self.maximize)), self.scales
        entries: dict[int, list[tuple[int, int, int]]] = {0: []}
        for i, row in enumerate(self.matrix):
            for j, polynomial in enumerate(row):
                for k, coefficient in enumerate(polynomial):
                    if coefficient:
                        entries.setdefault(k, []).append((i, j, int(coefficient * by_row[i])))
        return Program(
            matrices=tuple(_matrix((m, n), entries.get(k, [])) for k in range(max(entries) + 1)),
            rhs=_levels(self.rhs, by_row),
            cost=_levels(self.maximize, [by_cost] * n),
            equality=np.array([sense == "=" for sense in self.senses], dtype=np.bool_),
            free=np.array(self.is_free, dtype=np.bool_),
            row_exponent=np.zeros(m, dtype=np.int64),
            column_exponent=np.zeros(n, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False, repr=False)
class TremblingSolution(Value):
    """The limit solution of a trembling linear program, with its proof.

    Attributes
    ----------
    program : TremblingProgram
    values : tuple of Fraction
        Limits of the values of the columns.
    value : Fraction
        Limit of the objective.
    basis : tuple of int
        A stable basis: the basic columns, and the rows whose slack is basic. Rows are numbered after the columns.
    numerators, multipliers : tuple of polynomials
        For all small e > 0, the values of the columns and the multipliers of the rows, each times ``denominator``.
    denominator : polynomial

    Examples
    --------
    >>> import tremble
    >>> program = tremble.TremblingProgram([1, 1], [[1, 1], [1, [0, 1]]], ["<=", "<="], [1, [0, 1]])
    >>> solution = tremble.solve_trembling(program)
    >>> solution.values, solution.at("1/10")
    ((Fraction(0, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(1, 1)))
    """

    program: TremblingProgram
    values: tuple[Fraction, ...]
    value: Fraction
    basis: tuple[int, ...]
    numerators: tuple[Polynomial, ...]
    multipliers: tuple[Polynomial, ...]
    denominator: Polynomial

    def at(self, epsilon: NumberLike) -> tuple[Fraction, ...]:
        """Return the values of the columns at e = ``epsilon``. They are optimal if ``epsilon`` is small enough."""
        point = exact_number(epsilon, "epsilon")
        bottom = _at(self.denominator, point)
        if not bottom:
            raise SpecError(f"the solution has a pole at epsilon {epsilon}: choose a smaller epsilon")
        return tuple(_at(numerator, point) / bottom for numerator in self.numerators)

    def faults(self) -> list[str]:
        """Check by weak duality that the solution is an optimum for all small e > 0. Return a list of faults."""
        program = self.program
        rows = list(zip(program.matrix, program.senses, program.rhs, strict=True))
        return faults_of_optimum(
            program.maximize, rows, program.is_free, self.numerators, self.multipliers, self.denominator
        )


def solve_trembling(program: TremblingProgram, *, time_limit: float | None = None) -> TremblingSolution:
    """Return the limit solution of a trembling linear program, with a proof.

    This function is for programs that are written by hand, with up to some hundred rows.

    Parameters
    ----------
    program : TremblingProgram
        A linear program whose coefficients are polynomials in e.
    time_limit : float, optional
        Limit in seconds.

    Returns
    -------
    TremblingSolution
        The limit, as e goes to 0, of a solution that depends on e. This solution is proven optimal for all small e > 0.

    Raises
    ------
    SolverError
        For all small e > 0 the program is infeasible or unbounded, or its optimum has no limit (see the message).
    LimitReached
        The time limit stopped the run.

    Examples
    --------
    Trembling costs choose among the optima at 0:

    >>> import tremble
    >>> program = tremble.TremblingProgram([1, [1, -1]], [[1, 1]], ["<="], [1])
    >>> [str(value) for value in tremble.solve_trembling(program).values]
    ['1', '0']

    An optimum without a limit is an error:

    >>> tremble.solve_trembling(tremble.TremblingProgram([[0, 0, -1], -1], [[[0, 1], 1]], [">="], [1]))
    Traceback (most recent call last):
    tremble.errors.SolverError: the program has optima for all small e > 0, but no limit: column 0 grows like 1/e
    """
    if not isinstance(program, TremblingProgram):
        raise SpecError(f"{program!r:.60} is a {type(program).__name__}, not a TremblingProgram")
    clock = Clock(required_time_limit(time_limit))
    return limited(clock.left, lambda: _solved(program, clock))


def _solved(program: TremblingProgram, clock: Clock) -> TremblingSolution:
    """Solve a program and check the solution."""
    integers = program.in_integers()
    if not _feasible(integers, clock):
        raise SolverError("the program is infeasible for all small e > 0")
    if not _feasible(_dual(integers), clock):
        raise SolverError("the program is unbounded for all small e > 0")
    n = len(program.maximize)
    basis, stability = _stable(integers, clock)
    functions = _functions(program, integers, basis, stability)
    if any(_poles(functions[: n + 1])):
        basis = _least(integers, clock)
        functions = _functions(program, integers, basis, check_stability(integers, basis, clock.check))
    for j, pole in enumerate(_poles(functions[: n + 1])):
        if pole:
            rate = "1/e" if pole == 1 else f"1/e^{pole}"
            raise SolverError(f"the program has optima for all small e > 0, but no limit: column {j} grows like {rate}")
    denominator, numerators = functions[0], functions[1 : n + 1]
    order = _order(denominator)
    limits = tuple(
        (numerator[order] if len(numerator) > order else Fraction(0)) / denominator[order] for numerator in numerators
    )
    value = sum((c[0] * x for c, x in zip(program.maximize, limits, strict=True) if c), Fraction(0))
    solution = TremblingSolution(
        program, limits, value, tuple(np.flatnonzero(integers.basic(basis)).tolist()), numerators, functions[n + 1 :],
        denominator,
    )  # fmt: skip
    if faults := solution.faults():
        raise SolverError(f"the solution found is not an optimum, which is a bug in tremble: {faults[0]}")
    return solution


def _functions(
    program: TremblingProgram, integers: Program, basis: NDArray[np.int64], stability: Stability
) -> tuple[Polynomial, ...]:
    """Return polynomials: a common denominator, the numerators of column values, the numerators of row multipliers."""
    determinant, (by_row, by_cost), n = _determinant(integers, basis), program.scales, len(program.maximize)
    values = [_numerator(stability.values, j, determinant, integers, 1) for j in range(n)]
    multipliers = [
        _numerator(stability.reduced_costs, n + i, determinant, integers, Fraction(-by_row[i], by_cost))
        for i in range(len(by_row))
    ]
    return _reduced([determinant, *values, *multipliers])


def _poles(functions: Sequence[Polynomial]) -> Iterator[int]:
    """Yield the order of the pole of ``f / functions[0]`` at e = 0 for each f in ``functions[1:]``; 0 means no pole."""
    order = _order(functions[0])
    yield from (max(order - _order(numerator), 0) if numerator else 0 for numerator in functions[1:])


def _least(program: Program, clock: Clock) -> NDArray[np.int64]:
    r"""Return a stable basis of an optimum. Among all optima, this one has the least sum of absolute values.

    Each column, and each half of a free column, gets a cost of :math:`\varepsilon^K`. If K exceeds all orders of
    reduced costs and of their poles, this cost only breaks ties between optima. By Cramer's rule, degrees of
    determinants bound these orders.
    """
    free, n = np.flatnonzero(program.free), program.num_columns
    matrices, most = [], np.zeros(program.num_rows, dtype=np.int64)
    for k, matrix in enumerate(program.matrices):
        most[np.diff(matrix.row_start) > 0] = k  # the degree of each row
        negated = np.isin(matrix.column, free)
        column = np.concatenate((matrix.column, n + np.searchsorted(free, matrix.column[negated])))
        row = np.concatenate((matrix.row_of_entry, matrix.row_of_entry[negated]))
        value = np.concatenate((matrix.value, -matrix.value[negated]))
        matrices.append(IntegerMatrix.from_entries((program.num_rows, n + len(free)), row, column, value))
    degree = 2 * (int(most.sum()) + len(matrices) + len(program.cost))
    cost = np.zeros((degree + 1, n + len(free)), dtype=object)
    cost[: len(program.cost)] = np.concatenate((program.cost, -program.cost[:, free]), axis=1)
    cost[degree] -= 1
    halves = replace(
        program,
        matrices=tuple(matrices),
        cost=cost,
        free=np.zeros(n + len(free), dtype=np.bool_),
        column_exponent=np.concatenate((program.column_exponent, program.column_exponent[free])),
    )
    basis, _ = _stable(halves, clock)
    basic = halves.basic(basis)
    structural = basic[:n].copy()
    structural[free] |= basic[n : n + len(free)]
    return np.flatnonzero(np.concatenate((structural, basic[n + len(free) :])))


def _feasible(program: Program, clock: Clock) -> bool:
    """Return True if the rows have a solution for all small e > 0. Otherwise, they have no solution for any small e."""
    (m, n), ones = program.matrix.shape, np.ones(program.num_rows, dtype=np.int64)
    row = np.arange(m)
    first = program.matrix
    entries = (
        np.concatenate((first.row_of_entry, row, row)),
        np.concatenate((first.column, n + row, n + m + row)),
        np.concatenate((first.value, ones, -ones)),
    )
    wider = [IntegerMatrix.from_entries((m, n + 2 * m), *entries)]
    wider += [
        IntegerMatrix.from_entries((m, n + 2 * m), matrix.row_of_entry, matrix.column, matrix.value)
        for matrix in program.matrices[1:]
    ]
    cost = np.zeros((1, n + 2 * m), dtype=np.int64)
    cost[0, n:] = -1
    violated = replace(
        program,
        matrices=tuple(wider),
        cost=cost,
        free=np.concatenate((program.free, np.zeros(2 * m, dtype=np.bool_))),
        column_exponent=np.zeros(n + 2 * m, dtype=np.int64),
    )
    _, stability = _stable(violated, clock)
    return not stability.values.signs()[n : n + 2 * m].any()


def _dual(program: Program) -> Program:
    """Return the dual program, whose columns are the multipliers."""
    return Program(
        matrices=tuple(
            IntegerMatrix.from_entries(matrix.shape[::-1], matrix.column, matrix.row_of_entry, -matrix.value)
            for matrix in program.matrices
        ),
        rhs=-program.cost,
        cost=-program.rhs,
        equality=program.free,
        free=program.equality,
        row_exponent=program.column_exponent,
        column_exponent=program.row_exponent,
    )


def _stable(program: Program, clock: Clock) -> tuple[NDArray[np.int64], Stability]:
    """Return a stable basis of a program that has optima for all small e > 0."""
    basis, bits = program.slack_basis, _FIRST_BITS
    while True:
        clock.check()
        try:
            optimum, _ = optimize(at_bits(program, bits), basis, clock.check)
        except SolverError as none:
            if isinstance(none, LimitReached):
                raise
            bits *= 2  # the program is infeasible or unbounded only at this number
            continue
        basis = np.flatnonzero(optimum.basic)
        stability = check_stability(program, basis, clock.check)
        if stability.stable:
            return basis, stability
        bits *= 2


def _determinant(program: Program, basis: NDArray[np.int64]) -> list[Fraction]:
    """Return the determinant of the basis matrix, a polynomial that is interpolated from enough values."""
    basic, n = program.basic(basis), program.num_columns
    columns, rows = np.flatnonzero(basic[:n]), np.flatnonzero(~basic[n:])
    parts = [matrix.submatrix(rows, columns) for matrix in program.matrices]
    points = range(1, determinant_degree(parts) + 2)
    values = []
    for point in points:
        dense = [[0] * len(columns) for _ in rows]
        for k, part in enumerate(parts):
            for i, j, value in zip(part.row_of_entry.tolist(), part.column.tolist(), part.value.tolist(), strict=True):
                dense[i][j] += value * point**k
        values.append(Fraction(int(flint.fmpz_mat(dense).det())) if dense else Fraction(1))
    return _interpolated(list(points), values)


def _interpolated(points: list[int], values: list[Fraction]) -> list[Fraction]:
    """Return the polynomial with the given values at ``points``, by Newton's divided differences."""
    differences = list(values)
    for k in range(1, len(points)):
        for i in range(len(points) - 1, k - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - k])
    result: list[Any] = []
    for point, difference in zip(reversed(points), reversed(differences), strict=True):
        result = total([product(result, (-point, 1)), [difference]])
    return result


def _numerator(
    series: Series, column: int, determinant: list[Fraction], program: Program, factor: Fraction | int
) -> list[Fraction]:
    """Multiply a column's series by ``determinant`` and ``factor``. By Cramer's rule, the product is a polynomial."""
    degree = len(determinant) - 1 + max(len(program.rhs), len(program.cost)) - 1
    while series.first + len(series.coefficients) <= degree:
        series.go_on()
    terms = [
        Fraction(int(values[column]), denominator)
        for values, denominator in zip(series.coefficients, series.denominators, strict=True)
    ]
    result = [Fraction(c * factor) for c in product(determinant, terms)]
    shifted = result[-series.first :] if series.first < 0 else [Fraction(0)] * series.first + result
    return shifted[: degree + 1]


def _reduced(functions: list[list[Fraction]]) -> tuple[Polynomial, ...]:
    """Divide polynomials by their gcd. Make all coefficients integers, and the first polynomial positive near 0."""
    polynomials = [flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator) for c in each]) for each in functions]
    common = polynomials[0]
    for polynomial in polynomials[1:]:
        common = common.gcd(polynomial)
    reduced = [tuple(Fraction(int(c.p), int(c.q)) for c in (each // common).coeffs()) for each in polynomials]
    whole = _common_denominator(reduced) * sign(reduced[0])
    return tuple(_polynomial([c * whole for c in each]) for each in reduced)


def _polynomial(coefficients: Iterable[Fraction | int]) -> Polynomial:
    """Return the coefficients without trailing zeros."""
    kept = [Fraction(c) for c in coefficients]
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def _common_denominator(polynomials: Iterable[Polynomial]) -> int:
    return over_one_denominator([c for polynomial in polynomials for c in polynomial])[1]


def _order(polynomial: Coefficients) -> int:
    return next(k for k, coefficient in enumerate(polynomial) if coefficient)


def _at(polynomial: Polynomial, point: Fraction | int) -> Fraction:
    result = Fraction(0)
    for coefficient in reversed(polynomial):
        result = result * point + coefficient
    return result


def _members(values: Any, what: str) -> Sequence[Any]:
    """Return the members of a sequence. Raise ``SpecError`` if the value is not a sequence."""
    listed = hasattr(values, "__len__") and hasattr(values, "__iter__") and getattr(values, "ndim", 1) > 0
    if isinstance(values, str) or not listed:
        raise SpecError(f"{what} must be a sequence, not {values!r:.60}")
    return list(values)


def _polynomials(values: Any, what: str) -> tuple[Polynomial, ...]:
    """Read coefficients. Each coefficient is a number or a sequence of numbers."""
    result = []
    for j, value in enumerate(_members(values, what)):
        is_number = isinstance(value, str) or not hasattr(value, "__iter__")
        stated = [value] if is_number else list(value)
        result.append(_polynomial(Fraction(exact_number(number, f"{what}[{j}]")) for number in stated))
    return tuple(result)


def _matrix(shape: tuple[int, int], entries: list[tuple[int, int, int]]) -> IntegerMatrix:
    row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
    return IntegerMatrix.from_entries(
        shape, np.array(row, dtype=np.int64), np.array(column, dtype=np.int64), np.array(value, dtype=object)
    )


def _levels(polynomials: tuple[Polynomial, ...], factors: list[int]) -> NDArray[Any]:
    """Multiply each polynomial by its factor. Return the integer coefficients, one row for each degree."""
    whole = [[int(c * factor) for c in polynomial] for polynomial, factor in zip(polynomials, factors, strict=True)]
    levels = list(zip_longest(*whole, fillvalue=0)) or [(0,) * len(polynomials)]
    return np.array(levels, dtype=object).reshape(len(levels), len(polynomials))

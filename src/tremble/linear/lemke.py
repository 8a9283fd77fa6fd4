r"""Linear complementarity problems whose right-hand side is a polynomial in an infinitesimal, by Lemke's method.

Find z with

.. math::  w = M z + q(\varepsilon) \ge 0, \qquad z \ge 0, \qquad z_j w_j = 0 \text{ for all } j

for all small :math:`\varepsilon > 0`. A *covering* vector d > 0 times one more variable makes w = q + d z_0 >= 0 at
z = 0. From there, the complement of what has just left enters, until z_0 leaves: then it is a solution; or nothing
leaves: then it is a ray, whose absence is a matter of the matrix (:mod:`tremble.solvers.general_sum.formulation`).

Ratios of polynomials are compared degree by degree. What remains tied is decided by a last degree, drawn at random: the
path is that of a problem with a generic right-hand side, which never comes back to a basis. Should ratios be tied there
too, it is drawn again. A solution of the problem with that last degree is one of the problem without it.

1. A compiled kernel pivots in floats and residues.
2. The basis that it ends with is solved exactly; all its values must be nonnegative polynomials.
3. If some are not, or if there seems to be a ray, another prime and another last degree are tried.
4. Then the path is followed in exact numbers, each basis factorised anew: slow, but sure to end.

References
----------
C. E. Lemke: Bimatrix equilibrium points and mathematical programming, Management Science 11, 1965.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError
from tremble.linear.dixon import SingularMatrixError
from tremble.linear.draws import draws
from tremble.linear.lexicographic import BasicSolution, Lexicographic
from tremble.linear.program import Program

__all__ = ["Solved", "solve_complementarity"]

_TRIES = 3
_LARGEST = 2**40  # what is drawn for the last degree is smaller
_REPORT = 50  # pivots between two reports


@dataclass(frozen=True)
class Solved:
    """A solution, and how it was found."""

    vertex: BasicSolution
    pivots: int
    exact_pivots: int  # of these; more than 0 where floats went astray
    attempts: int  # in floats


def solve_complementarity(
    program: Program,
    check: Callable[[], None],
    report: Callable[[int], None] = lambda _pivots: None,
    *,
    tries: int = _TRIES,
) -> Solved:
    r"""Solve a linear complementarity problem.

    Parameters
    ----------
    program : Program
        Of n rows and n + 1 columns: :math:`-M z - d z_0 \le q(\\varepsilon)`, so that w are the logicals. No costs.
    report : callable
        Called with the number of pivots so far.
    tries : int
        How often floats may be tried.

    Raises
    ------
    LimitReached
        There is a ray, in exact numbers: the problem is not of the kind that has none.
    """
    random = draws()
    made = 0
    at_zero = BasicSolution.of(program, program.basic(program.slack_basis), check)
    if _solves(program, at_zero):
        return Solved(at_zero, 0, 0, 0)
    for attempt in range(tries):
        try:
            basis, count = _in_floats(program, random, check, _after(made, report))
        except OverflowError:  # numbers too large for floats
            break
        made += count
        if basis is not None:
            try:
                vertex = BasicSolution.of(program, program.basic(basis), check)
            except SingularMatrixError:
                continue
            if _solves(program, vertex):
                return Solved(vertex, made, 0, attempt + 1)
    vertex, count = _exactly(program, random, check, _after(made, report))
    return Solved(vertex, made + count, count, tries)


def _after(made: int, report: Callable[[int], None]) -> Callable[[int], None]:
    """Reports pivots that follow others."""
    return lambda pivots: report(made + pivots)


def _solves(program: Program, vertex: BasicSolution) -> bool:
    """Whether a complementary basis is feasible, and does without the covering variable."""
    n = program.num_rows
    basic = vertex.basic
    complementary = not basic[n] and not (basic[:n] & basic[n + 1 :]).any()
    return complementary and not len(vertex.primal_violations)


def _generic(program: Program, random: Random) -> Program:
    """With a last degree of the right-hand side drawn at random."""
    last = np.array([random.randrange(1, _LARGEST) for _ in range(program.num_rows)], dtype=np.int64)
    return replace(program, rhs=np.concatenate((program.rhs, last[np.newaxis])))


def _first_to_leave(program: Program) -> int:
    """The row in which w = q + d z_0 is the last to become nonnegative as the covering variable grows; exactly."""
    n = program.num_rows
    rows, entries = program.matrix.column_entries(n)
    cover = [-1 * int(entry) for entry in entries]
    if len(rows) < n or min(cover) <= 0:
        raise SolverError("the covering vector is not positive")
    sides = program.rhs.T.tolist()
    return min(range(n), key=lambda i: [Fraction(value, cover[i]) for value in sides[i]])


def _complement(variable: int, n: int) -> int:
    return variable + n + 1 if variable < n else variable - n - 1


def _in_floats(
    program: Program, random: Random, check: Callable[[], None], report: Callable[[int], None]
) -> tuple[NDArray[np.int64] | None, int]:
    """The basis that floats and residues end with, None if they lead nowhere; and how many pivots it took."""
    from tremble.linear.lemke_float import FloatPath

    n = program.num_rows
    generic = _generic(program, random)
    row, made = _first_to_leave(generic), 1
    try:
        path = FloatPath(generic, generic.slack_basis, n, check)
        path.exchange(n, row)
        leaving: int | None = n + 1 + row
        while leaving is not None and leaving != n:
            leaving = path.enter(_complement(leaving, n))
            made += 1
            if made % _REPORT == 0:
                report(made)
    except SolverError:
        return None, made
    return (None if leaving is None else np.sort(path.basic)), made


def _exactly(
    program: Program, random: Random, check: Callable[[], None], report: Callable[[int], None]
) -> tuple[BasicSolution, int]:
    """The same path in exact numbers."""
    n = program.num_rows
    generic = _generic(program, random)
    leaving, entering, made = n + 1 + _first_to_leave(generic), n, 0
    vertex = BasicSolution.of(generic, generic.basic(generic.slack_basis), check)
    while True:
        vertex, made = vertex.exchanged(entering, leaving), made + 1
        report(made)
        if leaving == n:
            return BasicSolution.of(program, vertex.basic, check), made
        entering = _complement(leaving, n)
        step = vertex.column(entering)
        candidates = np.flatnonzero(vertex.basic & (step.sign > 0))
        if not len(candidates):
            raise LimitReached(
                f"Lemke's method ended in a ray after {made:,} exact pivots, which the proof in "
                "tremble.solvers.general_sum.formulation excludes: a fault of tremble, please report it"
            )
        leaving = vertex.primal.least_ratio(candidates, step)
        if step.sign[n] > 0 and _tied(vertex, step, leaving, n):
            leaving = n


def _tied(vertex: BasicSolution, step: Lexicographic, a: int, b: int) -> bool:
    """Whether two columns have the same ratio at all degrees but the last."""
    size = step.coefficients[0]
    return all(level[a] * size[b] == level[b] * size[a] for level in vertex.values[:-1])

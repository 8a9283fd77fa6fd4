r"""Solve linear complementarity problems with polynomial right-hand sides by Lemke's method.

The problem is to find z with

.. math::  w = M z + q(\varepsilon) \ge 0, \qquad z \ge 0, \qquad z_j w_j = 0 \text{ for all } j

for all small :math:`\varepsilon > 0`. The right-hand side q is a polynomial in the infinitesimal :math:`\varepsilon`.
An additional variable :math:`z_0` with a *covering* vector d makes :math:`w = q + d z_0 \ge 0` at z = 0. In the first
basis, all w are basic. Columns without a complement may be basic too. In each pivot, the complement of the column that
has just left enters the basis. If :math:`z_0` leaves, the basis is a solution. If no column can leave, the path ends in
a ray. For games, :mod:`tremble.solvers.general_sum` proves that the path never ends in a ray.

Ratios of polynomials are compared degree by degree. The right-hand side gets an additional last degree with random
coefficients, which breaks the ties that remain. So the method follows the path of a problem with a generic right-hand
side. This path visits no basis twice. If ratios are tied even at the last degree, new random coefficients are drawn. A
solution of the problem with the additional degree also solves the original problem.

The method has four steps:

1. Compiled pivots follow the path in floats and residues (:mod:`tremble.exact.lemke_float`).
2. The last basis is solved exactly. All its values must be nonnegative polynomials.
3. If a value is negative, or if the path seems to end in a ray, try another prime and another last degree.
4. If all tries fail, follow the path in exact numbers. Each basis is factorized again. This is slow but always ends.

A problem with few rows is solved in exact numbers at once, unless Numba is already loaded.

References
----------
C. E. Lemke: Bimatrix equilibrium points and mathematical programming, Management Science 11, 1965.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError
from tremble.exact.draws import draws
from tremble.exact.lexicographic import BasicSolution, Lexicographic
from tremble.exact.program import Program, SingularMatrixError
from tremble.exact.quotient import Quotient

__all__ = ["ComplementarityProblem", "Solved", "solve_complementarity"]

_TRIES = 3
_LARGEST = 2**40  # upper bound on the random numbers of the last degree
_REPORT = 50  # pivots between two reports
_FEW_ROWS = 50  # with at most this many rows, exact pivots take less time than loading the compiled pivots


@dataclass(frozen=True, eq=False)
class ComplementarityProblem:
    """A program with pairs of complementary columns: at least one column of each pair must be 0."""

    program: Program  # has a constant matrix; its costs are ignored
    complement: NDArray[np.int64]  # [n + m]: the complement of each column, or -1
    covering: int  # column of z_0, which must leave the basis
    start: NDArray[np.int64]  # [m]: the basis at z = 0

    def merged(self, quotient: Quotient) -> ComplementarityProblem:
        """Return the quotient problem, which has one column for each class of columns.

        The right-hand side must be constant on each class, and the complements of a class must form a class.
        """
        place, paired = quotient.place, self.complement >= 0
        complement = np.full(len(quotient.first), -1, dtype=np.int64)
        complement[place[paired]] = place[self.complement[paired]]
        start = np.unique(place[self.start])
        return ComplementarityProblem(quotient.program, complement, int(place[self.covering]), start)


@dataclass(frozen=True)
class Solved:
    """A solution with statistics of the search."""

    vertex: BasicSolution
    pivots: int  # number of all pivots
    exact_pivots: int  # number of pivots in exact numbers, if floats failed or the problem is small
    attempts: int  # number of paths that were followed in floats


def solve_complementarity(
    problem: ComplementarityProblem,
    check: Callable[[], None],
    report: Callable[[int], None] = lambda _pivots: None,
    *,
    tries: int = _TRIES,
    guess: NDArray[np.int64] | None = None,
) -> Solved:
    """Solve a linear complementarity problem.

    Parameters
    ----------
    report : callable
        Called with the number of pivots so far.
    tries : int
        Maximum number of paths in floats.
    guess : int64[m], optional
        A basis that may be a solution.

    Raises
    ------
    LimitReached
        The path in exact numbers ended in a ray, so the matrix lacks the property that excludes rays.
    """
    # Check the guess and the start basis.
    program = problem.program
    random = draws()
    made = 0
    for first in (problem.start,) if guess is None else (guess, problem.start):
        vertex = BasicSolution.of(program, program.basic(first), check)
        if _solves(problem, vertex):
            return Solved(vertex, 0, 0, 0)
    # Follow the path in floats.
    if program.num_rows <= _FEW_ROWS and "numba" not in sys.modules:
        tries = 0
    for attempt in range(tries):
        try:
            basis, count = _in_floats(problem, random, check, _after(made, report))
        except OverflowError:  # numbers too large for floats
            break
        made += count
        if basis is not None:
            try:
                vertex = BasicSolution.of(program, program.basic(basis), check)
            except SingularMatrixError:
                continue
            if _solves(problem, vertex):
                return Solved(vertex, made, 0, attempt + 1)
    # Follow the path in exact numbers.
    vertex, count = _exactly(problem, random, check, _after(made, report))
    return Solved(vertex, made + count, count, tries)


def _after(made: int, report: Callable[[int], None]) -> Callable[[int], None]:
    """Return a function that adds ``made`` to its argument, a number of pivots, and calls ``report`` with the sum."""
    return lambda pivots: report(made + pivots)


def _solves(problem: ComplementarityProblem, vertex: BasicSolution) -> bool:
    """Return whether a basis is complementary and feasible and does not contain the covering variable."""
    basic = vertex.basic
    paired = problem.complement >= 0
    both = basic[paired] & basic[problem.complement[paired]]
    return not basic[problem.covering] and not both.any() and not len(vertex.primal_violations)


def _generic(problem: ComplementarityProblem, random: Random) -> Program:
    """Copy the program. Add one degree in epsilon to the right-hand side: random coefficients, scaled like the rows."""
    program = problem.program
    units = np.maximum(-program.row_exponent, 0).tolist()
    last = np.array([random.randrange(1, _LARGEST) << unit for unit in units], dtype=object)
    return replace(program, rhs=np.concatenate((program.rhs, last[np.newaxis])))


def _first_to_leave(vertex: BasicSolution, covering: int) -> int:
    """Return the first column to leave the basis: the last to become nonnegative as the column ``covering`` grows."""
    step = vertex.column(covering).coefficients[0].tolist()
    grows = np.flatnonzero(vertex.basic & (vertex.column(covering).sign < 0) & ~vertex.program.unbounded)
    values = vertex.values.T.tolist()
    first: int = min(grows.tolist(), key=lambda j: [Fraction(value, -step[j]) for value in values[j]])
    return first


def _in_floats(
    problem: ComplementarityProblem, random: Random, check: Callable[[], None], report: Callable[[int], None]
) -> tuple[NDArray[np.int64] | None, int]:
    """Follow Lemke's path in floats and residues; return the last basis and the number of pivots.

    Return None for the basis if the path ends in a ray, reaches a singular basis or a tie, or visits a basis twice.
    """
    from tremble.exact.lemke_float import FloatPath

    program = _generic(problem, random)
    begin = BasicSolution.of(program, program.basic(problem.start), check)
    first, made = _first_to_leave(begin, problem.covering), 1
    # The exact path visits no basis twice. If the float path does, floats are wrong and the path would cycle. A basis
    # is identified by the sum of the random keys of its columns.
    keys, seen = [Random(j).getrandbits(64) for j in range(len(program.fixed))], set[int]()
    basis = keys[problem.covering] - keys[first]
    try:
        path = FloatPath(program, problem.start, problem.covering, check)
        path.exchange(problem.covering, first)
        leaving: int | None = first
        while leaving is not None and leaving != problem.covering:
            if basis in seen:
                return None, made
            seen.add(basis)
            entering = int(problem.complement[leaving])
            leaving = path.enter(entering)
            basis += keys[entering] - (0 if leaving is None else keys[leaving])
            made += 1
            if made % _REPORT == 0:
                report(made)
    except SolverError as error:
        if isinstance(error, LimitReached):
            raise
        return None, made
    return (None if leaving is None else np.sort(path.basic)), made


def _exactly(
    problem: ComplementarityProblem, random: Random, check: Callable[[], None], report: Callable[[int], None]
) -> tuple[BasicSolution, int]:
    """Follow the path in exact numbers; return the solution and the number of pivots."""
    program, covering = _generic(problem, random), problem.covering
    vertex = BasicSolution.of(program, program.basic(problem.start), check)
    leaving, entering, made = _first_to_leave(vertex, covering), covering, 0
    while True:
        check()
        vertex, made = vertex.exchanged(entering, leaving), made + 1
        report(made)
        if leaving == covering:
            return BasicSolution.of(problem.program, vertex.basic, check), made
        entering = int(problem.complement[leaving])
        step = vertex.column(entering)
        candidates = np.flatnonzero(vertex.basic & ~program.unbounded & (step.sign > 0))
        if not len(candidates):
            raise LimitReached(
                f"Lemke's method ended in a ray after {made:,} exact pivots, although a proof excludes rays; "
                "this is a bug in tremble; report it"
            )
        leaving = vertex.primal.least_ratio(candidates, step)
        if step.sign[covering] > 0 and _tied(vertex, step, leaving, covering):
            leaving = covering


def _tied(vertex: BasicSolution, step: Lexicographic, a: int, b: int) -> bool:
    """Return True if, at all degrees except the last, the ratios value / step of the columns a and b are equal."""
    size = step.coefficients[0]
    return all(level[a] * size[b] == level[b] * size[a] for level in vertex.values[:-1])

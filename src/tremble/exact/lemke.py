r"""Linear complementarity problems whose right-hand side is a polynomial in an infinitesimal, by Lemke's method.

Find z with

.. math::  w = M z + q(\varepsilon) \ge 0, \qquad z \ge 0, \qquad z_j w_j = 0 \text{ for all } j

for all small :math:`\varepsilon > 0`. A *covering* vector times one more variable makes w = q + d z_0 >= 0 at z = 0,
where all w are basic (and beside them whatever else the rows of the program need). From there, the complement of what
has just left enters, until z_0 leaves: then it is a solution; or nothing leaves: then it is a ray, whose absence is a
matter of the matrix (:mod:`tremble.solvers.general_sum.formulation`).

Ratios of polynomials are compared degree by degree. What remains tied is decided by a last degree, drawn at random: the
path is that of a problem with a generic right-hand side, which never comes back to a basis. Should ratios be tied there
too, it is drawn again. A solution of the problem with that last degree is one of the problem without it.

1. Compiled pivots follow it in floats and residues (:mod:`tremble.exact.lemke_float`).
2. The basis that it ends with is solved exactly; all its values must be nonnegative polynomials.
3. If some are not, or if there seems to be a ray, another prime and another last degree are tried.
4. Then the path is followed in exact numbers, each basis factorised anew: slow, but sure to end.

Problems of a few rows are solved exactly at once unless compiled pivots are loaded anyway.

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
from tremble.exact.colours import Quotient
from tremble.exact.dixon import SingularMatrixError
from tremble.exact.draws import draws
from tremble.exact.lexicographic import BasicSolution, Lexicographic
from tremble.exact.program import Program

__all__ = ["ComplementarityProblem", "Solved", "solve_complementarity"]

_TRIES = 3
_LARGEST = 2**40  # what is drawn for the last degree is smaller
_REPORT = 50  # pivots between two reports
_FEW = 50  # rows for which exact pivots take less time than it takes to load compiled ones


@dataclass(frozen=True, eq=False)
class ComplementarityProblem:
    """A program of whose columns some are complementary to others: one of each pair must be 0."""

    program: Program  # with a constant matrix; its costs are not looked at
    complement: NDArray[np.int64]  # [n + m]: of each column, -1 for those that have none
    covering: int  # the column that is to leave
    start: NDArray[np.int64]  # [m]: the basis at z = 0

    def merged(self, quotient: Quotient) -> ComplementarityProblem:
        """The problem of classes: with right-hand sides equal on them, and with classes for complements."""
        place, paired = quotient.place, self.complement >= 0
        complement = np.full(len(quotient.first), -1, dtype=np.int64)
        complement[place[paired]] = place[self.complement[paired]]
        start = np.unique(place[self.start])
        return ComplementarityProblem(quotient.program, complement, int(place[self.covering]), start)


@dataclass(frozen=True)
class Solved:
    """A solution, and how it was found."""

    vertex: BasicSolution
    pivots: int
    exact_pivots: int  # of these; where floats went astray, or were not worth to be loaded
    attempts: int  # in floats


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
        How often floats may be tried.
    guess : int64[m], optional
        A basis that may be that of a solution.

    Raises
    ------
    LimitReached
        There is a ray, in exact numbers: the problem is not of the kind that has none.
    """
    program = problem.program
    random = draws()
    made = 0
    for first in (problem.start,) if guess is None else (guess, problem.start):
        vertex = BasicSolution.of(program, program.basic(first), check)
        if _solves(problem, vertex):
            return Solved(vertex, 0, 0, 0)
    if program.num_rows <= _FEW and "numba" not in sys.modules:  # the path is the same
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
    vertex, count = _exactly(problem, random, check, _after(made, report))
    return Solved(vertex, made + count, count, tries)


def _after(made: int, report: Callable[[int], None]) -> Callable[[int], None]:
    """Reports pivots that follow others."""
    return lambda pivots: report(made + pivots)


def _solves(problem: ComplementarityProblem, vertex: BasicSolution) -> bool:
    """Whether a basis is complementary and feasible, and does without the covering variable."""
    basic = vertex.basic
    paired = problem.complement >= 0
    both = basic[paired] & basic[problem.complement[paired]]
    return not basic[problem.covering] and not both.any() and not len(vertex.primal_violations)


def _generic(problem: ComplementarityProblem, random: Random) -> Program:
    """The program with a last degree of the right-hand side drawn at random, in the units of the rows."""
    program = problem.program
    units = np.maximum(-program.row_exponent, 0).tolist()
    last = np.array([random.randrange(1, _LARGEST) << unit for unit in units], dtype=object)
    return replace(program, rhs=np.concatenate((program.rhs, last[np.newaxis])))


def _first_to_leave(vertex: BasicSolution, covering: int) -> int:
    """The column that is the last to become nonnegative as the covering variable grows; exactly."""
    step = vertex.column(covering).coefficients[0].tolist()
    grows = np.flatnonzero(vertex.basic & (vertex.column(covering).sign < 0) & ~vertex.program.unbounded)
    values = vertex.values.T.tolist()
    first: int = min(grows.tolist(), key=lambda j: [Fraction(value, -step[j]) for value in values[j]])
    return first


def _in_floats(
    problem: ComplementarityProblem, random: Random, check: Callable[[], None], report: Callable[[int], None]
) -> tuple[NDArray[np.int64] | None, int]:
    """The basis that floats and residues end with, None if they lead nowhere; and how many pivots it took."""
    from tremble.exact.lemke_float import FloatPath

    program = _generic(problem, random)
    begin = BasicSolution.of(program, program.basic(problem.start), check)
    first, made = _first_to_leave(begin, problem.covering), 1
    # The path meets no basis twice: floats that do went astray, and would turn in circles. Bases are known by sums.
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
    """The same path in exact numbers."""
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
                f"Lemke's method ended in a ray after {made:,} exact pivots, which is proven not "
                "to happen: a fault of tremble, please report it"
            )
        leaving = vertex.primal.least_ratio(candidates, step)
        if step.sign[covering] > 0 and _tied(vertex, step, leaving, covering):
            leaving = covering


def _tied(vertex: BasicSolution, step: Lexicographic, a: int, b: int) -> bool:
    """Whether two columns have the same ratio at all degrees but the last."""
    size = step.coefficients[0]
    return all(level[a] * size[b] == level[b] * size[a] for level in vertex.values[:-1])

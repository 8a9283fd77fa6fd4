"""Run published algorithms for trembling programs, as baselines for measurements.

Each algorithm finds a stable basis of a :class:`~tremble.exact.program.Program`. An *oracle* is a function that decides
stability. It returns a result for a stable basis, and None for any other basis.

* :func:`halving` is the "TLP solver" of Farina, Gatti & Sandholm (2018, sections 5 and 6). It replaces the
  infinitesimal by a number, solves the program, calls the oracle, and halves the number. The paper does not say how to
  start. Here the numbers are 0, 1/10, 1/20 and so on. Down to 1/500, a float simplex method solves the program. For
  smaller numbers, an exact simplex method does. Each program starts from the basis of the previous program.
  At every small enough number, each optimal basis is stable (theorem 7). So the algorithm ends (observation 8).
* :func:`symbolic_simplex` (Miltersen & Sørensen 2006, section 2.3) pivots on polynomials. The matrix must be constant.
  The column with the greatest reduced cost enters, as in section 6 of the 2018 paper. While the objective stalls,
  Bland's rule chooses the column. The start is the slack basis. The 2018 paper uses the start that Miltersen & Sørensen
  suggest.
* :func:`tiny_number` is the "NPP solver" of the 2018 paper. It is from Miltersen & Sørensen (2006, lemma 2.1 and
  after), and from Farina & Gatti (2017) for players who tremble at every move. It solves the program exactly at one
  number, starting from the basis at 0, as in section 6 of the 2018 paper. The number is :func:`safe_number`,
  which is so small that every optimal basis at this number is stable.

The implementations differ from the papers as follows. The exact numbers of each basis come from the factors of a sparse
matrix (:class:`~tremble.exact.lexicographic.BasicSolution`), not from an updated tableau. Singular float bases are
repaired. Phase 1 of the symbolic simplex method minimizes the sum of the infeasibilities. If a number replaces the
infinitesimal, :func:`~tremble.exact.lexicographic.optimize` solves the program exactly, with its own pivot rule.

References
----------
P. B. Miltersen, T. B. Sørensen: Computing sequential equilibria for two-player games, SODA 2006.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Numbers, Program
from tremble.exact.simplex import Simplex
from tremble.exact.small_number import at_bits, at_fraction
from tremble.exact.stability import Stability
from tremble.run.clock import attempted
from tremble.solvers.method import Run
from tremble.solvers.perfect import PerfectProgram, stability_of
from tremble.solvers.refine import TremblingNashProgram

__all__ = ["ALGORITHMS", "halving", "safe_number", "stable_basis", "stable_vertex", "symbolic_simplex", "tiny_number"]

_FIRST = Fraction(1, 10)
_LAST_FLOAT = Fraction(1, 500)

Found = TypeVar("Found")
Basis = NDArray[np.int64]
Oracle = Callable[[Basis], Found | None]


Algorithm = Callable[[Program, Basis, Oracle[Any], Run], tuple[Any, dict[str, Any]]]
"""A function of a program, a basis that is optimal at epsilon = 0, an oracle and a run. The program must have optima
for all small epsilon > 0. The function returns the oracle's result for a stable basis, and statistics."""


def stable_vertex(
    algorithm: Algorithm, trembling: TremblingNashProgram, nash: BasicSolution, run: Run
) -> tuple[BasicSolution, dict[str, Any]]:
    """Run an algorithm from the optimum ``nash``. Return a stable vertex and statistics."""
    program = trembling.program

    def oracle(basis: Basis) -> BasicSolution | None:
        solution, _ = optimize(program, basis, run.clock.check, max_pivots=0)
        return solution if solution.optimal else None

    return algorithm(program, np.flatnonzero(nash.basic), oracle, run)


def stable_basis(
    algorithm: Algorithm, perfect: PerfectProgram, nash: BasicSolution, run: Run
) -> tuple[Basis, Stability, dict[str, Any]]:
    """Run an algorithm from the Nash optimum ``nash``. Return a stable basis, its stability and statistics."""
    program = perfect.program
    run.progress("linear program at 0", None)
    vertex, _ = optimize(program.at_zero, perfect.basis_of(nash), run.clock.check)

    def oracle(basis: Basis) -> tuple[Basis, Stability] | None:
        stability = stability_of(perfect, basis, run)
        return None if stability is None or not stability.stable else (basis, stability)

    (basis, stability), stats = algorithm(program, np.flatnonzero(vertex.basic), oracle, run)
    return basis, stability, stats


def halving(program: Program, nash_basis: Basis, oracle: Oracle[Found], run: Run) -> tuple[Found, dict[str, Any]]:
    """Solve the program at epsilon = 1/10, 1/20, ... until the oracle accepts the optimal basis."""
    basis, epsilon, pivots = nash_basis, Fraction(0), 0
    solved = {"float": 0, "exact": 1}
    while (found := oracle(basis)) is None:
        epsilon = epsilon / 2 or _FIRST
        run.progress(f"halving, at {epsilon}", None)
        plain = at_fraction(program, epsilon)
        if epsilon >= _LAST_FLOAT:
            solved["float"] += 1
            in_floats = attempted(partial(solve_float, plain, run.clock.check, start=basis, tolerance=1e-9))
            if in_floats is not None:  # if floats fail, try the next number
                basis = in_floats.basis
        else:
            solved["exact"] += 1
            vertex, made = optimize(plain, basis, run.clock.check)
            basis, pivots = np.flatnonzero(vertex.basic), pivots + made
    stats = {"epsilon": str(epsilon), "exact_pivots": pivots}
    return found, stats | {f"{kind}_programs": number for kind, number in solved.items()}


def symbolic_simplex(
    program: Program, _nash_basis: Basis, oracle: Oracle[Found], run: Run
) -> tuple[Found, dict[str, Any]]:
    """Solve the program by a simplex method over polynomials, in two phases that begin at the slack basis.

    The matrix must be constant. The function calls the oracle once, on the last basis.
    """
    if not program.constant_matrix:
        raise SolverError("the symbolic simplex method needs a matrix that does not depend on the infinitesimal")

    def report(pivots: int, _left: int) -> None:
        run.progress(f"symbolic simplex, phase {1 if cost is not None else 2}, pivot {pivots + 1}", None)

    # Phase 1: minimize the sum of the infeasibilities. The costs change if the set of infeasible variables changes.
    start = BasicSolution.of(program, program.basic(program.slack_basis), run.clock.check)
    simplex = Simplex(start, _GreatestOrBland, report=report)
    cost: NDArray[Any] | None = None  # the costs of phase 1; None in phase 2
    rule = _GreatestOrBland()
    while (needed := _infeasibility(simplex.tableau)) is not None:
        if cost is None or (needed != cost).any():
            cost, rule = needed, _GreatestOrBland()
        simplex.tableau = simplex.tableau.priced(cost)
        if not len(simplex.tableau.dual_violations):
            break
        leaving = simplex.enter(rule)
        cost = cost.copy()
        cost[0, leaving] = 0
    # Phase 2: restore the costs of the program and optimize.
    first, cost = simplex.pivots, None
    simplex.tableau = simplex.tableau.restored()
    simplex.primal()
    found = oracle(np.flatnonzero(simplex.tableau.basic))
    if found is None:
        raise SolverError(
            "the symbolic simplex method ended at a basis that is not stable; the program may be infeasible"
        )
    return found, {"exact_pivots": simplex.pivots, "phase_1_pivots": first}


def tiny_number(program: Program, nash_basis: Basis, oracle: Oracle[Found], run: Run) -> tuple[Found, dict[str, Any]]:
    """Solve the program exactly for one small number, the greatest power of 1/2 below :func:`safe_number`.

    The number replaces the infinitesimal. One call of the oracle is enough, because the optimal basis is stable.
    """
    bits = safe_number(program).denominator.bit_length()
    run.progress(f"exact linear program at 2^-{bits}", None)
    vertex, pivots = optimize(at_bits(program, bits), nash_basis, run.clock.check)
    found = oracle(np.flatnonzero(vertex.basic))
    if found is None:
        raise SolverError("a basis that is optimal below the proven bound is not stable, which is a bug in tremble")
    return found, {"exact_pivots": pivots, "epsilon_bits": bits}


def safe_number(program: Program) -> Fraction:
    r"""Return a number for the infinitesimal, so small that every basis that is optimal at this number is stable.

    By Cramer's rule, every number in an optimality test is a quotient of two determinants. For the value of a basic
    variable, the matrices consist of columns of :math:`[A(\varepsilon)\ I\ b(\varepsilon)]`. For a reduced cost, the
    matrices also have a row of :math:`c(\varepsilon)`. Expansion along columns of I gives polynomials P with integer
    coefficients. By Cauchy's estimate, the size of a coefficient is at most the greatest :math:`|P(\varepsilon)|` for
    :math:`|\varepsilon| = 1`. By Hadamard's inequality, this maximum is at most

    .. math::  K = \|c\| \prod_r \max(1, \|(A, b)_r\|).

    The norms are Euclidean norms of rows in which the sum of the absolute coefficients replaces each polynomial. The
    first nonzero coefficient of P is at least 1 in size, and later coefficients are at most K. So P has no root in
    :math:`(0, \varepsilon_G]` for :math:`\varepsilon_G = 1/(2K)`. The signs at :math:`\varepsilon_G/2` are therefore
    the signs at all smaller numbers. The function returns :math:`\varepsilon_G/2`, with K rounded up.
    """
    size: dict[tuple[int, int], int] = {}
    for matrix in program.matrices:
        places = zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), strict=True)
        for place, value in zip(places, matrix.value.tolist(), strict=True):
            size[place] = size.get(place, 0) + abs(value)
    squares = [sum(map(abs, side)) ** 2 for side in program.rhs.T.tolist()]
    for (i, _), length in size.items():
        squares[i] += length**2
    product = max(1, sum(sum(map(abs, side)) ** 2 for side in program.cost.T.tolist()))
    for square in squares:
        product *= max(1, square)
    return Fraction(1, 4 * (isqrt(product - 1) + 1))


ALGORITHMS: dict[str, Algorithm] = {"halving": halving, "symbolic-simplex": symbolic_simplex, "npp": tiny_number}
"""The algorithms by the names of their methods."""


def _infeasibility(solution: BasicSolution) -> NDArray[Any] | None:
    """Return the objective to maximize in order to reduce infeasibilities, or None if the solution is feasible."""
    outside = solution.primal_violations
    if not len(outside):
        return None
    cost = np.zeros((1, len(solution.basic)), dtype=object)
    cost[0, outside] = -solution.primal.sign[outside]
    return cost


class _GreatestOrBland:
    """A pivot rule that chooses the greatest reduced cost, or the first column (Bland) while the objective stalls.

    For a free column, the absolute value of the reduced cost counts.
    """

    def __init__(self) -> None:
        self._before: object = self  # a start value that differs from every progress

    def choose(self, tableau: BasicSolution, violations: NDArray[np.int64], _numbers: Numbers) -> int:
        stalled, self._before = tableau.progress == self._before, tableau.progress
        if stalled:
            return int(violations[0])
        sizes = tableau.reduced_costs * np.where(tableau.dual.sign < 0, -1, 1)
        return int(max(violations.tolist(), key=lambda j: tuple(sizes[:, j].tolist())))

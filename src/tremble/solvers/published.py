r"""The published algorithms for trembling programs, as baselines: for measurements, not for use.

Each finds a stable basis of a :class:`~tremble.linear.trembling.TremblingProgram`, and an *oracle* decides what is
stable: a function that returns what it knows of a stable basis, and None for any other.

* :func:`halving` (Farina, Gatti & Sandholm 2018, algorithm 1) solves the program at a number, asks the oracle, and
  halves the number. First 0, then 1/10; by a float simplex method down to 1/500, exactly below; each time from the
  last basis. Below some number every optimal basis is stable, so it ends.
* :func:`symbolic_simplex` (Miltersen & Sørensen 2006) pivots on polynomials from the slack basis: the greatest
  reduced cost enters, and by Bland's rule while the objective stalls. The matrix must not tremble.
* :func:`tiny_number` (the same paper; Farina & Gatti 2017 for players who tremble at every move) solves the program
  once, exactly, from the basis at 0, at a number so small that a bound promises a stable basis: :func:`safe_number`.

What is not from the papers: exact numbers come from :class:`~tremble.linear.exact.Vertex`, which factorises each sparse
basis anew and updates no tableau; float bases that are singular are repaired; phase 1 of the symbolic simplex method
minimises the sum of the infeasibilities; and exact programs at a number are solved by
:func:`~tremble.linear.exact.optimize`, with its own rule for pivots.

References
----------
P. B. Miltersen, T. B. Sørensen: Computing sequential equilibria for two-player games, SODA 2006.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in games,
NeurIPS 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.clock import Clock, attempted
from tremble.errors import SolverError
from tremble.linear.dixon import SingularMatrixError
from tremble.linear.exact import Vertex, optimize
from tremble.linear.highs import solve_float
from tremble.linear.stability import Stability, examine
from tremble.linear.trembling import TremblingProgram
from tremble.model.progress import Progress
from tremble.model.strategy import TremblingPlan
from tremble.solution.trembles import Trembles
from tremble.solvers.lp.formulation import NashProgram, TremblingNashProgram, least_weights

__all__ = [
    "ALGORITHMS",
    "PublishedEquilibrium",
    "halving",
    "safe_number",
    "solve_quasi_perfect",
    "stable_basis",
    "symbolic_simplex",
    "tiny_number",
]

_FIRST = Fraction(1, 10)
_LAST_FLOAT = Fraction(1, 500)

Found = TypeVar("Found")
Basis = NDArray[np.int64]
Check = Callable[[], None]
Oracle = Callable[[Basis], Found | None]


@dataclass(frozen=True, eq=False)
class PublishedEquilibrium:
    """Trembling plans of both players whose limit is a quasi-perfect equilibrium.

    Attributes
    ----------
    plans : pair of TremblingPlan
    stats : dict
        What the algorithm counted, and seconds (``seconds_float``).
    """

    plans: tuple[TremblingPlan, TremblingPlan]
    stats: dict[str, Any]


def solve_quasi_perfect(
    algorithm: str, nash: NashProgram, vertex: Vertex, trembles: Trembles, clock: Clock, progress: Progress
) -> PublishedEquilibrium:
    """Compute a quasi-perfect equilibrium by a published algorithm.

    Parameters
    ----------
    algorithm : str
        A key of ``ALGORITHMS``.
    nash : NashProgram
    vertex : Vertex
        Its exact optimum, from which ``halving`` and ``npp`` start; ``symbolic-simplex`` starts from scratch.
    trembles : Trembles
    clock : Clock
    progress : callable
        Called with (name of the step, fraction done or None).

    Raises
    ------
    LimitReached
    """
    began = clock.elapsed
    form = nash.form
    trembling = TremblingNashProgram.of(nash, (least_weights(form, trembles, 0), least_weights(form, trembles, 1)))
    program = trembling.program

    def oracle(basis: Basis) -> Vertex | None:
        examined, _ = optimize(program, basis, clock.check, max_pivots=0)
        return examined if examined.optimal else None

    stable, stats = ALGORITHMS[algorithm](program, np.flatnonzero(vertex.basic), oracle, clock.check, progress)
    return PublishedEquilibrium(trembling.plans(stable), {**stats, "seconds_float": clock.elapsed - began})


def stable_basis(
    algorithm: str, program: TremblingProgram, start: Basis, check: Check, progress: Progress
) -> tuple[Basis, Stability, dict[str, Any]]:
    """Find a stable basis of a program whose matrix may tremble, by a published algorithm.

    Parameters
    ----------
    algorithm : str
        A key of ``ALGORITHMS``.
    program : TremblingProgram
        Feasible and bounded for all small numbers, and at 0.
    start : int64[m]
        A basis from which to find an optimal one at 0: such as :meth:`PerfectProgram.basis_of` the Nash vertex.
    check : callable
        Called between slices of work; may raise to stop it.
    progress : callable

    Returns
    -------
    basis : int64[m]
    stability : Stability
        What the oracle said of it.
    stats : dict
    """
    progress("linear program at 0", None)
    vertex, _ = optimize(program.level(0, 0), start, check)

    def oracle(basis: Basis) -> tuple[Basis, Stability] | None:
        try:
            examined = examine(program, basis, check)
        except SingularMatrixError:
            return None
        return (basis, examined) if examined.stable else None

    (basis, stability), stats = ALGORITHMS[algorithm](program, np.flatnonzero(vertex.basic), oracle, check, progress)
    return basis, stability, stats


def halving(
    program: TremblingProgram, nash_basis: Basis, oracle: Oracle[Found], check: Check, progress: Progress
) -> tuple[Found, dict[str, Any]]:
    """Solve at smaller and smaller numbers until the oracle is content.

    Parameters
    ----------
    program : TremblingProgram
        Feasible and bounded for all small numbers.
    nash_basis : int64[m]
        An optimal basis at 0.
    oracle : callable
    check : callable
        Called between slices of work; may raise to stop it.
    progress : callable

    Returns
    -------
    found
        What the oracle said.
    stats : dict
        The last number, how many programs were solved, and how many exact pivots it took.
    """
    basis, epsilon, pivots = nash_basis, Fraction(0), 0
    solved = {"float": 0, "exact": 1}
    while (found := oracle(basis)) is None:
        epsilon = epsilon / 2 or _FIRST
        progress(f"halving, at {epsilon}", None)
        plain = program.at_fraction(epsilon)
        if epsilon >= _LAST_FLOAT:
            solved["float"] += 1
            in_floats = attempted(partial(solve_float, plain, check, start=basis, tolerance=1e-9))
            if in_floats is not None:  # else the next number may do
                basis = in_floats.basis
        else:
            solved["exact"] += 1
            vertex, made = optimize(plain, basis, check)
            basis, pivots = np.flatnonzero(vertex.basic), pivots + made
    stats = {"epsilon": str(epsilon), "exact_pivots": pivots}
    return found, stats | {f"{kind}_programs": number for kind, number in solved.items()}


def symbolic_simplex(
    program: TremblingProgram, _nash_basis: Basis, oracle: Oracle[Found], check: Check, progress: Progress
) -> tuple[Found, dict[str, Any]]:
    """Pivot on polynomials in the infinitesimal, from the slack basis: phase 1, then phase 2.

    Parameters
    ----------
    program : TremblingProgram
        With a constant matrix; feasible and bounded for all small numbers.
    oracle : callable
        Asked once, in the end.
    check : callable
        Called between slices of work; may raise to stop it.
    progress : callable

    Returns
    -------
    found
        What the oracle said.
    stats : dict
        How many pivots were made, and how many of them in phase 1.
    """
    if not program.constant_matrix:
        raise SolverError("the symbolic simplex method needs a matrix that does not tremble")
    basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
    basic[_slack_basis(program)] = True
    pivots = first = 0
    cost: NDArray[Any] | None = None  # of phase 1; guessed for the next vertex, since it rarely changes
    before: tuple[Fraction, ...] | None = None
    while True:
        check()
        vertex = Vertex.of(program, basic, check, cost=None if cost is None else (cost, 1))
        wanted = _infeasibility(vertex)
        if (wanted is None) != (cost is None) or (wanted is not None and (wanted != cost).any()):
            cost = wanted
            vertex = Vertex.of(program, basic, check, cost=None if cost is None else (cost, 1))
            before = None
        if not len(vertex.dual_violations):
            break
        progress(f"symbolic simplex, phase {1 if cost is not None else 2}, pivot {pivots + 1}", None)
        entering = int(vertex.dual_violations[0]) if vertex.objectives == before else _greatest(vertex)
        before = vertex.objectives
        leaving = _blocking(vertex, entering)
        basic = basic.copy()
        basic[entering], basic[leaving] = True, False
        pivots, first = pivots + 1, first + (cost is not None)
        if cost is not None:
            cost = cost.copy()
            cost[0, leaving] = 0
    found = oracle(np.flatnonzero(basic))
    if found is None:
        raise SolverError("the symbolic simplex method ended at a basis that is not stable: an infeasible program?")
    return found, {"exact_pivots": pivots, "phase_1_pivots": first}


def tiny_number(
    program: TremblingProgram, nash_basis: Basis, oracle: Oracle[Found], check: Check, progress: Progress
) -> tuple[Found, dict[str, Any]]:
    """Solve exactly at the greatest power of 1/2 below :func:`safe_number`, from an optimal basis at 0.

    Parameters
    ----------
    program : TremblingProgram
        Feasible and bounded for all small numbers.
    nash_basis : int64[m]
        An optimal basis at 0.
    oracle : callable
        Asked once, in the end: it cannot say no.
    check : callable
        Called between slices of work; may raise to stop it.
    progress : callable

    Returns
    -------
    found
        What the oracle said.
    stats : dict
        The number is 2 ** -``epsilon_bits``.
    """
    bits = safe_number(program).denominator.bit_length()
    progress(f"exact linear program at 2^-{bits}", None)
    vertex, pivots = optimize(program.at(bits), nash_basis, check)
    found = oracle(np.flatnonzero(vertex.basic))
    if found is None:
        raise SolverError("a basis that is optimal at a number below the bound is not stable")
    return found, {"exact_pivots": pivots, "epsilon_bits": bits}


def safe_number(program: TremblingProgram) -> Fraction:
    r"""A number at which an optimal basis is stable.

    By Cramer's rule all that an optimality test looks at is a quotient of two determinants: of the matrix with
    columns from :math:`[A(\varepsilon)\ I\ b(\varepsilon)]` for values, bordered by a row of
    :math:`c(\varepsilon)` for reduced costs. Expanded along the columns of I, they are polynomials P with integer
    coefficients. By Cauchy's estimate a coefficient is at most the greatest :math:`|P(\varepsilon)|` for
    :math:`|\varepsilon| = 1`, and this by Hadamard's inequality at most

    .. math::  K = \|c\| \prod_r \max(1, \|(A, b)_r\|),

    with Euclidean norms of rows in which each polynomial is replaced by the sum of its absolute coefficients. The
    first nonzero coefficient of P is at least 1, those after it at most K, so P has no root in
    :math:`(0, \varepsilon_G]`, :math:`\varepsilon_G = 1/(2K)`: signs at :math:`\varepsilon_G/2`, which is returned,
    are the signs at all smaller numbers.

    Parameters
    ----------
    program : TremblingProgram

    Returns
    -------
    Fraction
        1 / (4 K), with K rounded up.
    """
    size: dict[tuple[int, int], int] = {}
    for matrix in program.matrices:
        places = zip(matrix.row_of_entry.tolist(), matrix.column.tolist(), strict=True)
        for place, value in zip(places, matrix.value.tolist(), strict=True):
            size[place] = size.get(place, 0) + abs(value)
    squares = [sum(map(abs, side)) ** 2 for side in program.rhs_levels.T.tolist()]
    for (i, _), length in size.items():
        squares[i] += length**2
    product = max(1, sum(sum(map(abs, side)) ** 2 for side in program.cost_levels.T.tolist()))
    for square in squares:
        product *= max(1, square)
    return Fraction(1, 4 * (isqrt(product - 1) + 1))


ALGORITHMS: dict[str, Callable[..., tuple[Any, dict[str, Any]]]] = {
    "halving": halving,
    "symbolic-simplex": symbolic_simplex,
    "npp": tiny_number,
}
"""Name -> a published algorithm; all take program, basis at 0, oracle, check and progress."""


def _slack_basis(program: TremblingProgram) -> Basis:
    return np.arange(program.num_rows, dtype=np.int64) + program.num_columns


def _signs(values: NDArray[Any]) -> NDArray[np.int64]:
    """Lexicographic sign of each column."""
    sign = np.zeros(values.shape[1], dtype=np.int64)
    for level in values:
        sign = np.where(sign == 0, (level > 0).astype(np.int64) - (level < 0).astype(np.int64), sign)
    return sign


def _infeasibility(vertex: Vertex) -> NDArray[Any] | None:
    """Costs with which a vertex maximises minus the sum of its infeasibilities; None if it is feasible."""
    outside = vertex.primal_violations
    if not len(outside):
        return None
    cost = np.zeros((1, len(vertex.basic)), dtype=object)
    cost[0, outside] = -_signs(vertex.values)[outside]
    return cost


def _greatest(vertex: Vertex) -> int:
    """The column of greatest reduced cost (of greatest size, where it is free)."""
    sign = _signs(vertex.reduced_costs)
    sizes = vertex.reduced_costs * np.where(sign < 0, -1, 1)
    return int(max(vertex.dual_violations.tolist(), key=lambda j: tuple(sizes[:, j].tolist())))


def _blocking(vertex: Vertex, entering: int) -> int:
    """The column that leaves: the first to reach its bound, from within or, in phase 1, from outside."""
    step, _ = vertex.tableau_column(entering)
    if _signs(vertex.reduced_costs)[entering] < 0:
        step = -step
    sign, size = _signs(vertex.values), np.abs(step).tolist()
    towards = np.where(sign == 0, vertex.fixed & (step != 0) | (step > 0), sign * step > 0)
    candidates = np.flatnonzero(vertex.basic & ~vertex.free & towards).tolist()
    if not candidates:
        raise SolverError("the linear program is unbounded")
    values = vertex.values * sign
    return int(min(candidates, key=lambda k: [Fraction(v, size[k]) for v in values[:, k].tolist()]))

r"""Exact extensive-form perfect equilibria of two-player constant-sum games with perfect recall.

Every action is played, at every information set, with probability at least :math:`w_a \varepsilon`; a limit of Nash
equilibria of these perturbed games, for :math:`\varepsilon \to 0`, is extensive-form perfect (Selten 1975). Unlike
in quasi-perfect equilibria, players take their own future mistakes into account.

1. The program of :class:`~tremble.solvers.formulation.PerfectProgram` is linear in :math:`\varepsilon`; a basis of the
   Nash program is one of it as well.
2. From there HiGHS follows :math:`\varepsilon` downward, :math:`2^{-10}, 2^{-14}, 2^{-18}`, warm. A choice that matters
   only at an order :math:`\varepsilon^k` below its tolerance is left to chance, so no single number is small enough
   and large enough.
3. The stability oracle (:mod:`tremble.linear.stability`) decides, exactly.
4. If it says no, simplex pivots at an infinitesimal :math:`\varepsilon` (:mod:`tremble.linear.germ`) mend the basis, a
   few as a rule, in fast doubtful arithmetic; the oracle decides again.
5. If it still says no, exact pivots at :math:`2^{-k}` with k doubled until the oracle says yes. That ends:
   there are finitely many bases, and each that is not stable is not optimal for any sufficiently small
   :math:`\varepsilon`.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError
from tremble.linear.dixon import DENSE_LIMIT, SingularMatrixError
from tremble.linear.exact import Vertex, optimize
from tremble.linear.highs import solve_float
from tremble.linear.stability import Stability, examine
from tremble.linear.trembling import TremblingProgram
from tremble.solvers.clock import Clock
from tremble.solvers.formulation import NashProgram, PerfectProgram
from tremble.trembles import Trembles

__all__ = ["PerfectEquilibrium", "solve_perfect"]

_FLOAT_BITS = (10, 14, 18)
_FIRST_EXACT_BITS = 32
_ORDERS = (5, 10, 20)

Progress = Callable[[str, float | None], None]


@dataclass(frozen=True, eq=False)
class PerfectEquilibrium:
    """A stable basis of the perturbed games.

    Attributes
    ----------
    program : PerfectProgram
    basis : int64[m]
    stability : Stability
        The series of all columns.
    stats : dict
        Iterations, pivots, and seconds per step (``*_seconds_float``).
    """

    program: PerfectProgram
    basis: NDArray[np.int64]
    stability: Stability
    stats: dict[str, Any]


def solve_perfect(
    nash: NashProgram, vertex: Vertex, trembles: Trembles, clock: Clock, progress: Progress
) -> PerfectEquilibrium:
    """Refine an exact Nash equilibrium.

    Parameters
    ----------
    nash : NashProgram
    vertex : Vertex
        Its exact optimum.
    trembles : Trembles
    clock : Clock
    progress : callable
        Called with (name of the step, fraction done or None).

    Raises
    ------
    LimitReached
    """
    began = clock.elapsed
    perfect = PerfectProgram.of(nash, trembles.weight)
    program = perfect.program
    basis = perfect.basis_of(vertex)
    iterations = 0
    for i, bits in enumerate(_FLOAT_BITS):
        progress("smaller and smaller trembles, floating point", i / len(_FLOAT_BITS))
        try:
            found = solve_float(program.at(bits), clock.check, start=basis, tolerance=1e-10)
        except LimitReached:
            raise
        except SolverError:
            continue
        basis, iterations = found.basis, iterations + found.iterations
    float_seconds = clock.elapsed - began
    basis, stability, pivots = _stable(program, basis, clock, progress)
    stats = {
        "float_iterations": iterations,
        **pivots,
        "orders": len(stability.values.coefficients),
        "row_operations": len(stability.operations),
        "denominator_bits": max(
            d.bit_length() for d in (*stability.values.denominators, *stability.reduced_costs.denominators)
        ),
        "linear_program_seconds_float": float_seconds,
        "seconds_float": clock.elapsed - began,
    }
    return PerfectEquilibrium(perfect, basis, stability, stats)


def _stable(
    program: TremblingProgram, basis: NDArray[np.int64], clock: Clock, progress: Progress
) -> tuple[NDArray[np.int64], Stability, dict[str, int]]:
    """A stable basis, from any basis."""
    germ_pivots = exact_pivots = 0
    stability = _examined(program, basis, clock, progress)
    if program.num_rows > DENSE_LIMIT:
        for top in _ORDERS:
            if stability is not None and stability.stable:
                break
            try:
                basis, count = _pivoted(program, basis, top, clock, progress)
            except LimitReached:
                raise
            except SolverError:
                continue
            germ_pivots += count
            stability = _examined(program, basis, clock, progress)
    bits = _FIRST_EXACT_BITS
    while stability is None or not stability.stable:
        progress(f"exact pivots at trembles of 2^-{bits}", None)
        optimum, count = optimize(program.at(bits), basis, clock.check)
        basis = np.flatnonzero(optimum.basic)
        exact_pivots, bits = exact_pivots + count, 2 * bits
        stability = _examined(program, basis, clock, progress)
    return basis, stability, {"germ_pivots": germ_pivots, "exact_pivots": exact_pivots}


def _examined(
    program: TremblingProgram, basis: NDArray[np.int64], clock: Clock, progress: Progress
) -> Stability | None:
    """What the oracle says; None if the basis is none."""
    progress("stability of the basis", None)
    try:
        return examine(program, basis, clock.check)
    except SingularMatrixError:
        return None


def _pivoted(
    program: TremblingProgram, basis: NDArray[np.int64], top: int, clock: Clock, progress: Progress
) -> tuple[NDArray[np.int64], int]:
    """Pivots in doubtful arithmetic; its kernels are loaded only when they are needed."""
    from tremble.linear.germ import pivot_at_infinitesimal

    def report(pivots: int, left: int) -> None:
        progress(f"pivots at an infinitesimal ({pivots} done, {left} columns out of place)", None)

    return pivot_at_infinitesimal(program, basis, clock.check, report, top=top)

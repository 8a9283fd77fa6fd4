r"""Exact extensive-form perfect equilibria of two-player constant-sum games with perfect recall.

A limit of Nash equilibria of some sequence of games in which every action has a positive least probability, these
vanishing in any way, is extensive-form perfect (Selten 1975). The sequence taken here has the least probabilities
:math:`w_a \varepsilon`, :math:`\varepsilon \to 0`: one equilibrium is found, and those that need ratios other than
constant ones are out of reach. Unlike in quasi-perfect equilibria, players take their own future mistakes into account.

In a game of perfect information, the basis is looked at first that backward induction leads to, later mistakes counted
(:mod:`tremble.solvers.backward_induction`). The oracle of step 3 confirms it as a rule. Else:

1. The program of :class:`~tremble.solvers.sequence_programs.PerfectProgram` is linear in :math:`\varepsilon`; a
   basis of the Nash program is one of it as well.
2. From there HiGHS solves it at :math:`\varepsilon = 2^{-14}`, or from scratch at :math:`2^{-8}` where most of the
   Nash vertex is degenerate. A choice that matters only at an order :math:`\varepsilon^k` below its tolerance is left
   to chance, so no single number is small enough and large enough. What is out of place is magnified
   (:mod:`tremble.exact.zoom`), down to :math:`2^{-16}`. Small programs are solved at three numbers instead, each from
   the basis of the one before, until one is stable.
   Payoffs of very different sizes are brought closer for all that is done in floats
   (:mod:`tremble.solvers.float_payoffs`).
3. The stability oracle (:mod:`tremble.exact.stability`) decides, exactly.
4. If it says no, simplex pivots at an infinitesimal :math:`\varepsilon` (:mod:`tremble.exact.asymptotic`) mend the
   basis, a few as a rule, fast but unproven; the oracle decides again.
5. If it still says no, exact pivots at :math:`2^{-k}` until the oracle says yes, k at first so great that in the series
   of the present basis the first terms outweigh the others, then half as much again each time. That ends: there are
   finitely many bases, and each that is not stable is not optimal for any sufficiently small :math:`\varepsilon`. No
   polynomial bound is known for the pivots of any of these simplex methods. The logical of an equality row may be basic
   in a stable basis, but no certificate has it: exact pivots replace it as well.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, section 3.2, proposition 2; section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dixon import SMALL_LIMIT
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Program
from tremble.exact.stability import Stability
from tremble.integers import largest
from tremble.run.clock import attempted
from tremble.solvers.basis_certificate import domination_bits, heaviest, stability_of
from tremble.solvers.run import Run
from tremble.solvers.sequence_programs import PerfectProgram, for_floats

if TYPE_CHECKING:
    from tremble.exact.asymptotic import InfinitesimalProgram

__all__ = ["stable_basis"]

_TOLERANCE = 1e-10
_SMALL_BITS = (10, 14, 18)  # of the numbers that the float solver is given, of small programs
_FROM_NASH, _FROM_SCRATCH = (14, 16), (8, 12, 16)  # of others: that of the float solver, and what is magnified then
_LARGE = (
    200_000  # entries from which the first number is too far from 0 for the Nash basis, and simplex from scratch slow
)
_FIRST_EXACT_BITS = 16
_ORDERS = (8, 20)  # of the series that are looked at
_ASYMPTOTIC_PIVOTS = 2_000


def stable_basis(
    perfect: PerfectProgram, nash: BasicSolution, run: Run
) -> tuple[NDArray[np.int64], Stability, dict[str, Any]]:
    """A stable basis, what the oracle says of it, and diagnostics, from the optimum of the Nash program."""
    clock = run.clock
    began = clock.elapsed
    program = for_floats(perfect)[0].program
    # Where most of the Nash vertex is degenerate, its basis is no place to start.
    large = sum(len(matrix.value) for matrix in program.matrices) >= _LARGE
    start: NDArray[np.int64] | None = None if nash.degenerate or large else perfect.basis_of(nash)
    solver = "interior-point" if large else "simplex"
    basis, iterations = perfect.basis_of(nash), 0
    stability: Stability | None = None
    first_bits = heaviest(perfect.trembles).bit_length() - 1  # no tremble may be heavier than 1
    small = program.num_rows <= SMALL_LIMIT
    series = () if small else _in_series(program, run)
    first, *then = _FROM_SCRATCH if nash.degenerate else _FROM_NASH
    for bits in _SMALL_BITS if small else (first,):
        run.progress(f"trembles of 2^-{bits}, floating point", None)
        at_bits = program.at(first_bits + bits)
        solution = attempted(
            partial(solve_float, at_bits, clock.check, start=start, tolerance=_TOLERANCE, solver=solver)
        )
        if solution is not None:
            start = basis = solution.basis
            iterations += solution.iterations
        if small:
            stability = stability_of(perfect, basis, run)
            if stability is not None and stability.stable:
                break
    for bits in () if small else then:
        if _seems_stable(series[0], basis, run):
            stability = stability_of(perfect, basis, run)
            break
        zoomed = attempted(partial(_zoomed, series[0], basis, first_bits + bits, run))
        if zoomed is not None:
            basis, more = zoomed
            iterations += more
    float_seconds = clock.elapsed - began
    basis, stability, pivots = _stable(perfect, series, basis, stability, first_bits, run)
    return (
        basis,
        stability,
        {
            "float_iterations": iterations,
            **pivots,
            "linear_program_seconds_float": float_seconds,
            "stable_basis_seconds_float": clock.elapsed - began - float_seconds,
        },
    )


def _in_series(program: Program, run: Run) -> tuple[InfinitesimalProgram, ...]:
    """The program as it is looked at in series, ever longer ones; kernels are loaded when needed."""
    from tremble.exact.asymptotic import InfinitesimalProgram

    return tuple(InfinitesimalProgram(program, top, run.clock.check) for top in _ORDERS)


def _zoomed(
    program: InfinitesimalProgram, basis: NDArray[np.int64], bits: int, run: Run
) -> tuple[NDArray[np.int64], int]:
    """Basis and iterations, with what is out of place at a small number magnified."""
    from tremble.exact.zoom import zoomed_basis

    def report(left: int) -> None:
        run.progress(f"trembles of 2^-{bits}, magnified ({left} columns out of place)", None)

    return zoomed_basis(program, basis, bits, report)[:2]


def _seems_stable(program: InfinitesimalProgram, basis: NDArray[np.int64], run: Run) -> bool:
    """Whether no column seems out of place at an infinitesimal tremble."""
    run.progress("stability of the basis, guessed", None)
    solution = attempted(partial(program.solution, basis))
    return solution is not None and solution.optimal


def _stable(
    perfect: PerfectProgram,
    series: Sequence[InfinitesimalProgram],
    basis: NDArray[np.int64],
    stability: Stability | None,
    first_bits: int,
    run: Run,
) -> tuple[NDArray[np.int64], Stability, dict[str, int]]:
    """A stable basis, from any basis and what the oracle says of it if it has been asked."""
    program = perfect.program
    asymptotic_pivots = exact_pivots = 0
    for looked_at in series:
        if stability is not None and stability.stable:
            break
        pivoted = attempted(partial(_pivoted, looked_at, basis, run))
        if pivoted is None:
            continue
        basis, count, _ = pivoted
        asymptotic_pivots += count
        if stability is None or count:
            stability = stability_of(perfect, basis, run)
    bits = first_bits + _FIRST_EXACT_BITS
    if stability is None:
        stability = stability_of(perfect, basis, run)
    if stability is None and perfect.closer is not None:  # no more than the least payoffs do trembles weigh
        bits += largest(perfect.nash.form.payoff).bit_length()
    while stability is None or not stability.stable or np.any(program.basic(basis) & program.fixed):
        if stability is not None:  # from where on this basis is what it is for all smaller trembles, and a little more
            outweighed = max(map(domination_bits, (stability.values, stability.reduced_costs)))
            bits = max(bits, outweighed + outweighed // 8)
        run.progress(f"exact pivots at trembles of 2^-{bits}", None)
        optimum, count = optimize(program.at(bits), basis, run.clock.check, idle=False)
        basis = np.flatnonzero(optimum.basic)
        exact_pivots, bits = exact_pivots + count, bits + bits // 2
        stability = stability_of(perfect, basis, run)
    return basis, stability, {"asymptotic_pivots": asymptotic_pivots, "exact_pivots": exact_pivots}


def _pivoted(program: InfinitesimalProgram, basis: NDArray[np.int64], run: Run) -> tuple[NDArray[np.int64], int, int]:
    """Basis, pivots and columns left out of place, in series."""
    from tremble.exact.asymptotic import pivot_at_infinitesimal

    def report(pivots: int, left: int) -> None:
        run.progress(f"pivots at an infinitesimal tremble ({pivots} done, {left} columns out of place)", None)

    return pivot_at_infinitesimal(program, basis, report, max_pivots=_ASYMPTOTIC_PIVOTS)

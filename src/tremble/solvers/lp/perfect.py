r"""Exact extensive-form perfect equilibria of two-player constant-sum games with perfect recall.

A limit of Nash equilibria of some sequence of games in which every action has a positive least probability, these
vanishing in any way, is extensive-form perfect (Selten 1975). The sequence taken here has the least probabilities
:math:`w_a \varepsilon`, :math:`\varepsilon \to 0`: one equilibrium is found, and those that need ratios other than
constant ones are out of reach. Unlike in quasi-perfect equilibria, players take their own future mistakes into account.

1. The program of :class:`~tremble.solvers.lp.formulation.PerfectProgram` is linear in :math:`\varepsilon`; a basis of
   the Nash program is one of it as well.
2. From there HiGHS follows :math:`\varepsilon` downward, :math:`2^{-10}, 2^{-14}, 2^{-18}`, warm. A choice that matters
   only at an order :math:`\varepsilon^k` below its tolerance is left to chance, so no single number is small enough
   and large enough.
3. The stability oracle (:mod:`tremble.linear.stability`) decides, exactly.
4. If it says no, simplex pivots at an infinitesimal :math:`\varepsilon` (:mod:`tremble.linear.asymptotic`) mend the
   basis, a few as a rule, fast but unproven; the oracle decides again.
5. If it still says no, exact pivots at :math:`2^{-k}` with k doubled until the oracle says yes. That ends:
   there are finitely many bases, and each that is not stable is not optimal for any sufficiently small
   :math:`\varepsilon`. No polynomial bound is known for the pivots of any of these simplex methods.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, section 3.2, proposition 2; section 5.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.clock import Clock, attempted
from tremble.linear.dixon import DENSE_LIMIT
from tremble.linear.highs import solve_float
from tremble.linear.lexicographic import BasicSolution, optimize
from tremble.linear.program import Program
from tremble.linear.stability import Series, Stability, check_stability
from tremble.model.strategy import RealizationPlan
from tremble.solution.certificates import BasisCertificate, SquareSystem
from tremble.solution.trembles import Trembles
from tremble.solvers.lp.formulation import PerfectProgram
from tremble.solvers.run import Run

__all__ = [
    "basis_certificate",
    "domination_bits",
    "from_zero",
    "heaviest",
    "lost_orders",
    "square_system",
    "stability_of",
    "stable_basis",
]

_TOLERANCE = 1e-10
_FLOAT_BITS = (10, 14, 18)
_FIRST_EXACT_BITS = 32
_ORDERS = (5, 10, 20)
_ASYMPTOTIC_PIVOTS = 2_000


def stable_basis(
    perfect: PerfectProgram, nash: BasicSolution, run: Run
) -> tuple[NDArray[np.int64], Stability, dict[str, Any]]:
    """A stable basis, what the oracle says of it, and diagnostics, from the optimum of the Nash program."""
    clock = run.clock
    began = clock.elapsed
    program = perfect.program
    # Where most of the Nash vertex is degenerate, its basis is no place to start.
    start: NDArray[np.int64] | None = None if nash.degenerate else perfect.basis_of(nash)
    basis, iterations, settled = perfect.basis_of(nash), 0, False
    first_bits = heaviest(perfect.trembles).bit_length() - 1  # no tremble may be heavier than 1
    for i, bits in enumerate(_FLOAT_BITS):
        run.progress("smaller and smaller trembles, floating point", i / len(_FLOAT_BITS))
        at_bits = program.at(first_bits + bits)
        found = attempted(partial(solve_float, at_bits, clock.check, start=start, tolerance=_TOLERANCE))
        if found is None:
            continue
        start = basis = found.basis
        iterations += found.iterations
        if i == 0 and _seems_stable(program, basis, run):
            settled = True
            break
    float_seconds = clock.elapsed - began
    basis, stability, pivots = _stable(perfect, basis, settled, first_bits, run)
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


def basis_certificate(
    perfect: PerfectProgram, basis: NDArray[np.int64], stability: Stability, run: Run
) -> tuple[BasisCertificate, dict[str, Any]]:
    """The certificate of a stable basis, the columns of whose plans were watched, and diagnostics.

    It has as many coefficients of the plans as decide all signs, and as the verifier may lose.
    """
    began = run.clock.elapsed
    order = max(s.first + len(s.coefficients) - 1 for s in (stability.values, stability.reduced_costs))
    stability.extend(order + lost_orders(stability))
    run.progress("equilibrium at one small tremble", None)
    bits, vertex = _exact_vertex(perfect.program, basis, stability, run.clock)
    one, two = perfect.plans([(vertex.value, vertex.value_denominator)], [(vertex.reduced, vertex.reduced_denominator)])
    certificate = BasisCertificate(
        slack=[side.tolist() for side in perfect.slack(vertex.basic)],
        plans=perfect.plans(from_zero(stability.values), from_zero(stability.reduced_costs)),
        epsilon=Fraction(1, 1 << bits),
        plans_there=(
            RealizationPlan(0, one.coefficient[0], one.denominator),
            RealizationPlan(1, two.coefficient[0], two.denominator),
        ),
        systems=[square_system(stability)],
        zeros={name: [s.tolist() for s in sides] for name, sides in perfect.zeros(stability, vertex.basic).items()},
        trembles=perfect.trembles.rows(),
        error_bits=stability.error_bits,
    )
    denominators = (*stability.values.denominators, *stability.reduced_costs.denominators)
    return certificate, {
        "orders": order + 1,
        "row_operations": sum(map(len, stability.operations)),
        "denominator_bits": max(d.bit_length() for d in denominators),
        "certificate_epsilon_bits": bits,
        "certificate_seconds_float": run.clock.elapsed - began,
    }


def square_system(stability: Stability) -> SquareSystem:
    """What proves that the basis is regular."""
    return SquareSystem(
        pivots=None if stability.pivots is None else list(zip(*(s.tolist() for s in stability.pivots), strict=True)),
        null_vectors=[
            (operation.row, operation.rows.tolist(), operation.factor.tolist())
            for batch in stability.operations[:1]
            for operation in batch
        ],
    )


def lost_orders(stability: Stability) -> int:
    """By how many orders the verifier may have to distrust the series: its bound on the pole of the inverse at 0.

    The determinant vanishes with at most the number of all row operations as its order, and with the corank at
    0, which is the number of those in the first round, at least as many elementary divisors do.
    """
    rounds = [len(batch) for batch in stability.operations]
    return sum(rounds) - (rounds[0] - 1) if rounds else 0


def from_zero(series: Series) -> list[tuple[NDArray[Any], int]]:
    """Coefficients and denominators from order 0 on: plans have no poles."""
    return list(zip(series.coefficients, series.denominators, strict=True))[-series.first :]


def _exact_vertex(
    program: Program, basis: NDArray[np.int64], stability: Stability, clock: Clock
) -> tuple[int, BasicSolution]:
    """The exact vertex of a stable basis at the first 2^-bits tried for which it is optimal."""
    basic = program.basic(basis)
    bits = max(map(domination_bits, (stability.values, stability.reduced_costs)))
    while True:
        vertex = BasicSolution.of(program.at(bits), basic, clock.check)
        if vertex.optimal:
            return bits, vertex
        bits += max(2, bits // 2)


def domination_bits(series: Series) -> int:
    """Bits of a number so small that the first nonzero coefficient of each column outweighs the next ones."""
    bits = 4
    known = np.zeros(len(series.coefficients[0]), dtype=np.bool_)
    for k, (values, denominator) in enumerate(zip(series.coefficients, series.denominators, strict=True)):
        first = np.flatnonzero((values != 0) & ~known)
        known[first] = True
        size = [abs(v).bit_length() for v in values[first].tolist()]
        following = zip(series.coefficients[k + 1 :], series.denominators[k + 1 :], strict=True)
        for step, (later, scale) in enumerate(following, start=1):
            shift = denominator.bit_length() - scale.bit_length() + 2
            pairs = zip(later[first].tolist(), size, strict=True)
            excess = max((abs(v).bit_length() - s + shift for v, s in pairs if v), default=0)
            bits = max(bits, -(-excess // step))
    return bits


def _seems_stable(program: Program, basis: NDArray[np.int64], run: Run) -> bool:
    """Whether no column seems out of place at an infinitesimal tremble; small programs are not asked."""
    if program.num_rows <= DENSE_LIMIT:
        return False
    run.progress("stability of the basis, guessed", None)
    pivoted = attempted(lambda: _pivoted(program, basis, _ORDERS[0], run, max_pivots=0))
    return pivoted is not None and pivoted[2] == 0


def _stable(
    perfect: PerfectProgram, basis: NDArray[np.int64], settled: bool, first_bits: int, run: Run
) -> tuple[NDArray[np.int64], Stability, dict[str, int]]:
    """A stable basis, from any basis; one that seems ``settled`` is shown to the oracle first."""
    program = perfect.program
    asymptotic_pivots = exact_pivots = 0
    small = program.num_rows <= DENSE_LIMIT
    stability = stability_of(perfect, basis, run) if settled or small else None
    for top in () if small else _ORDERS:
        if stability is not None and stability.stable:
            break
        pivoted = attempted(partial(_pivoted, program, basis, top, run))
        if pivoted is None:
            continue
        basis, count, _ = pivoted
        asymptotic_pivots += count
        stability = stability_of(perfect, basis, run)
    bits = first_bits + _FIRST_EXACT_BITS
    while stability is None or not stability.stable:
        run.progress(f"exact pivots at trembles of 2^-{bits}", None)
        optimum, count = optimize(program.at(bits), basis, run.clock.check)
        basis = np.flatnonzero(optimum.basic)
        exact_pivots, bits = exact_pivots + count, 2 * bits
        stability = stability_of(perfect, basis, run)
    return basis, stability, {"asymptotic_pivots": asymptotic_pivots, "exact_pivots": exact_pivots}


def heaviest(trembles: Trembles) -> int:
    """The greatest sum of weights at an information set."""
    sums = [
        np.add.reduceat(weight.astype(object), start[:-1])
        for weight, start in zip(trembles.weight, trembles.start, strict=True)
        if len(start) > 1
    ]
    return max((int(side.max()) for side in sums), default=1)


def stability_of(perfect: PerfectProgram, basis: NDArray[np.int64], run: Run) -> Stability | None:
    """What the oracle says of a basis, with the columns of the plans watched; None if it is none."""
    run.progress("stability of the basis", None)
    return attempted(lambda: check_stability(perfect.program, basis, run.clock.check, watched=perfect.plan_columns))


def _pivoted(
    program: Program, basis: NDArray[np.int64], top: int, run: Run, max_pivots: int = _ASYMPTOTIC_PIVOTS
) -> tuple[NDArray[np.int64], int, int]:
    """Basis, pivots and columns left out of place, in asymptotic numbers; kernels are loaded only when needed."""
    from tremble.linear.asymptotic import pivot_at_infinitesimal

    def report(pivots: int, left: int) -> None:
        run.progress(f"pivots at an infinitesimal tremble ({pivots} done, {left} columns out of place)", None)

    return pivot_at_infinitesimal(program, basis, run.clock.check, report, top=top, max_pivots=max_pivots)

r"""Exact Nash equilibria of two-player constant-sum games with perfect recall.

1. The linear program of :mod:`tremble.solvers.lp.formulation` is solved in floating point.
2. The basis is taken at its word and computed exactly (:mod:`tremble.linear.lexicographic`): primal and dual in
   integers, every sign decided.
3. If some sign is wrong, HiGHS goes on from that basis with tighter tolerances, and what remains wrong is mended
   by exact simplex pivots, which cannot fail to end. The game's program is feasible (any plan, with v low
   enough) and bounded (by the greatest payoff), so there is an optimum to be found.

The float solver decides how long it takes, never what comes out.

References
----------
D. Koller, N. Megiddo, B. von Stengel: Efficient computation of equilibria for extensive two-person games,
Games and Economic Behavior 14, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.clock import Clock, attempted
from tremble.linear.highs import FloatSolution, solve_float
from tremble.linear.lexicographic import BasicSolution, optimize
from tremble.linear.program import Program
from tremble.model.progress import Progress
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import RealizationPlan
from tremble.model.tree import GameTree
from tremble.solvers.lp.formulation import NashProgram
from tremble.solvers.run import Offer

__all__ = ["NashEquilibrium", "solve_nash"]


@dataclass(frozen=True, eq=False)
class NashEquilibrium:
    """Exact optimal plans of both players.

    Attributes
    ----------
    plans : pair of RealizationPlan
    value : Fraction
        Player 1's expected payoff.
    stats : dict
        Sizes, iterations, and seconds per step (``*_seconds_float``).
    program : NashProgram
    vertex : BasicSolution
        Its exact optimum: where refinements start.
    """

    plans: tuple[RealizationPlan, RealizationPlan]
    value: Fraction
    stats: dict[str, Any]
    program: NashProgram
    vertex: BasicSolution


def solve_nash(tree: GameTree, form: SequenceForm, clock: Clock, progress: Progress, keep: Offer) -> NashEquilibrium:
    """Solve a constant-sum game in sequence form exactly.

    Parameters
    ----------
    tree : GameTree
        Its payoffs sum to a constant.
    form : SequenceForm
        Of that tree.
    clock : Clock
    progress : callable
        Called with the name of each step.
    keep : callable
        Called with what makes the best profile so far: the float solver's, rounded.

    Raises
    ------
    LimitReached
    """
    nash = NashProgram.of(form)
    program = nash.program
    progress("linear program, floating point", None)
    began = clock.elapsed
    found = _float_solution(program, clock, None)
    basis, iterations = (program.slack_basis, 0) if found is None else (found.basis, found.iterations)
    if found is not None:
        keep(partial(nash.rounded, tree, found.value, found.multiplier))
    float_seconds = clock.elapsed - began
    progress("exact solution of the basis", None)
    vertex, pivots = optimize(program, basis, clock.check, max_pivots=0)
    refined = not vertex.optimal
    if refined:
        progress("linear program, tighter tolerances", None)
        basis = np.flatnonzero(vertex.basic)
        found = _float_solution(program, clock, basis)
        if found is not None:
            basis, iterations = found.basis, iterations + found.iterations
        progress("exact pivots", None)
        vertex, pivots = optimize(program, basis, clock.check)
    stats = {
        "rows": program.num_rows,
        "columns": program.num_columns,
        "entries": len(program.matrix.value),
        "float_iterations": iterations,
        "tighter_tolerances": refined,
        "exact_pivots": pivots,
        "basis_rows": len(vertex.columns),
        "denominator_bits": max(vertex.value_denominator.bit_length(), vertex.reduced_denominator.bit_length()),
        "linear_program_seconds_float": float_seconds,
        "exact_seconds_float": clock.elapsed - began - float_seconds,
    }
    return NashEquilibrium(nash.plans(vertex), nash.value(vertex), stats, nash, vertex)


def _float_solution(program: Program, clock: Clock, start: NDArray[np.int64] | None) -> FloatSolution | None:
    """What HiGHS finds, None if it finds nothing; from a start it works with tighter tolerances."""
    tolerance = 1e-7 if start is None else 1e-10
    return attempted(lambda: solve_float(program, clock.check, start=start, tolerance=tolerance))

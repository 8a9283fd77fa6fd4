r"""Exact Nash equilibria of two-player constant-sum games with perfect recall.

1. The linear program of :mod:`tremble.solvers.sequence_programs`, merged if that is asked for
   (:mod:`tremble.exact.colours`), is solved in floating point.
2. The basis is kept and its solution computed exactly (:mod:`tremble.exact.lexicographic`): primal and dual in
   integers, every sign decided.
3. If some sign is wrong, HiGHS goes on from that basis with tighter tolerances; where payoffs are far apart, pivots in
   floats that have no tolerance follow; and what remains wrong is mended by exact simplex pivots, which cannot fail to
   end. The game's program is feasible (any plan, with v low enough) and bounded (by the greatest payoff), so there is
   an optimum to be found.

The float solver decides how long it takes, never what comes out.

References
----------
D. Koller, N. Megiddo, B. von Stengel: Efficient computation of equilibria for extensive two-person games,
Games and Economic Behavior 14, 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.exact.colours import Quotient, refined
from tremble.exact.highs import FloatSolution, solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Program
from tremble.game.evaluation import expected_values
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.run.clock import Clock, attempted
from tremble.solution import certificates
from tremble.solution.claim import Claim
from tremble.solvers.run import Run, nobody_listens
from tremble.solvers.sequence_programs import NashProgram, for_floats

__all__ = [
    "PLAIN",
    "LpSettings",
    "NashEquilibrium",
    "exact_optimum",
    "mended",
    "merged",
    "offer_uniform",
    "solve_nash",
    "solve_program",
]

_MOST_PIVOTS = 100  # of one program, in floats without a tolerance
_ENOUGH = 0.95  # a program that stays larger than that is left as it is


class _Mergeable(Protocol):
    """A program of the players that can be merged."""

    @property
    def program(self) -> Program: ...

    def merged(self, quotient: Quotient) -> Self: ...


Merged = TypeVar("Merged", bound=_Mergeable)


@dataclass(frozen=True)
class LpSettings:
    """How programs are solved.

    Attributes
    ----------
    merge : bool
        Whether what is alike is merged.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`, for programs without a basis to start from.
    """

    merge: bool = False
    solver: str = "simplex"


PLAIN = LpSettings()


@dataclass(frozen=True, eq=False)
class NashEquilibrium:
    """An exact optimum of the linear program: where refinements start."""

    tree: GameTree
    program: NashProgram
    vertex: BasicSolution
    stats: dict[str, Any]  # sizes, iterations, and seconds per step (*_seconds_float)

    def strategies(self) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """The profile at that vertex."""
        player1, player2 = self.program.plans(self.vertex)
        return player1.to_behavior(self.tree), player2.to_behavior(self.tree)

    def claim(self) -> Claim:
        """That it is a Nash equilibrium."""
        return Claim(self.strategies(), self.stats)

    def maxmin_claim(self) -> Claim:
        """That its strategies guarantee the most that either player can; proven as such."""
        player1, player2 = (
            replace(strategy, off_path=np.zeros_like(strategy.off_path)) for strategy in self.strategies()
        )
        first, second = expected_values(self.tree, (player1, player2))
        values = Fraction(first), Fraction(second)
        return Claim((player1, player2), self.stats, certificates.best_response(values, values))


def solve_nash(tree: GameTree, run: Run, settings: LpSettings = PLAIN) -> NashEquilibrium:
    """Solve a constant-sum game exactly."""
    offer_uniform(tree, run)
    nash = NashProgram.of(SequenceForm.of(tree))
    stats: dict[str, Any] = {}
    if settings.merge:
        nash, stats = merged(nash, run)
    return solve_program(tree, nash, run, settings, stats)


def offer_uniform(tree: GameTree, run: Run) -> None:
    """So that there is something to hand out before the float solver has ended."""
    run.offer(lambda: (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)))


def merged(program: Merged, run: Run) -> tuple[Merged, dict[str, Any]]:
    """A program of the players, merged if that makes it much smaller, and what is to be told of that."""
    run.progress("rows and columns that are alike", None)
    began = run.clock.elapsed
    whole = program.program
    quotient = refined(whole, run.clock.check, enough=_ENOUGH)
    stats: dict[str, Any] = {"merging_seconds_float": run.clock.elapsed - began}
    if quotient is None:
        return program, stats
    sizes = {
        "rounds": quotient.rounds,
        "rows": [whole.num_rows, quotient.program.num_rows],
        "columns": [whole.num_columns, quotient.program.num_columns],
        "entries": [sum(len(matrix.value) for matrix in p.matrices) for p in (whole, quotient.program)],
    }
    return program.merged(quotient), {**stats, "merged": sizes}


def solve_program(
    tree: GameTree, nash: NashProgram, run: Run, settings: LpSettings, stats: dict[str, Any]
) -> NashEquilibrium:
    """Solve the program of a game; the float solver's profile, rounded, is offered on the way."""
    vertex, solved = exact_optimum(
        nash.program,
        run,
        lambda found: run.offer(partial(nash.rounded, tree, found.value, found.multiplier)),
        in_floats=[near.program for near in for_floats(nash)],
        solver=settings.solver,
    )
    equilibrium = NashEquilibrium(tree, nash, vertex, {**solved, **stats})
    run.offer(equilibrium.strategies)
    return equilibrium


def exact_optimum(
    program: Program,
    run: Run,
    near: Callable[[FloatSolution], None] = nobody_listens,
    in_floats: Sequence[Program] = (),
    solver: str = "simplex",
) -> tuple[BasicSolution, dict[str, Any]]:
    """The exact optimum of a program that has one, by way of the float solver, and sizes, iterations and seconds.

    ``near`` is called with the first solution in floating point; ``in_floats`` are programs with nearly the same
    optimal bases that suit floats better, if there are any: the float solver is given the first. ``solver`` is one of
    :data:`tremble.exact.program.FLOAT_SOLVERS`.
    """
    clock, progress = run.clock, run.progress
    first = in_floats[0] if in_floats else program
    progress("linear program, floating point", None)
    began = clock.elapsed
    solution = _float_solution(first, clock, None, solver)
    basis, iterations = (program.slack_basis, 0) if solution is None else (solution.basis, solution.iterations)
    if solution is not None:
        near(solution)
    float_seconds = clock.elapsed - began
    progress("exact solution of the basis", None)
    vertex, pivots = optimize(program, basis, clock.check, max_pivots=0)
    refined = not vertex.optimal
    if refined:
        progress("linear program, tighter tolerances", None)
        basis = np.flatnonzero(vertex.basic)
        solution = _float_solution(first, clock, basis)
        if solution is not None:
            basis, iterations = solution.basis, iterations + solution.iterations
        if first is not program:
            basis = mended(in_floats, basis, run)
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
    return vertex, stats


def mended(programs: Sequence[Program], basis: NDArray[np.int64], run: Run) -> NDArray[np.int64]:
    """The basis after pivots in one program after another, in floats without a tolerance, until they fail."""
    from tremble.exact.asymptotic import InfinitesimalProgram, pivot_at_infinitesimal

    for program in programs:
        trembling = InfinitesimalProgram(program, max(len(program.rhs), len(program.cost)) - 1, run.clock.check)
        pivoted = attempted(partial(pivot_at_infinitesimal, trembling, basis, nobody_listens, max_pivots=_MOST_PIVOTS))
        if pivoted is None or pivoted[2]:  # payoffs are too far apart for any float
            break
        basis = pivoted[0]
    return basis


def _float_solution(
    program: Program, clock: Clock, start: NDArray[np.int64] | None, solver: str = "simplex"
) -> FloatSolution | None:
    """What HiGHS finds, None if it finds nothing; from a start it works with tighter tolerances."""
    tolerance = 1e-7 if start is None else 1e-10
    return attempted(lambda: solve_float(program, clock.check, start=start, tolerance=tolerance, solver=solver))

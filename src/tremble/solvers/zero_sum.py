r"""Compute exact Nash equilibria of two-player constant-sum games with perfect recall.

One linear program computes the plans of both players (Koller, Megiddo & von Stengel 1996). The equations E x = e and
F y = f describe the realization plans x and y. The matrix U contains the payoffs of player 1 by sequences. Player 1
chooses x. For each information set of player 2, v contains the least amount that player 2 can concede from this set
on. The entry :math:`v_0` is this amount for the empty sequence:

.. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x \le 0, \qquad x \ge 0, \; v \text{ free}.

The multipliers of the inequalities are the plan of player 2. They are nonnegative, and they satisfy F y = f because v
is free. The program includes rows and columns for the *empty* sequences, because they contain the payoffs of leaves
where one player never moved.

The program is solved in four steps:

1. *Merge*, if requested. Each class of alike rows or columns becomes one row or column (:mod:`tremble.exact.colours`).
   The merged program has the same named blocks of rows and columns. Its plans are expanded to all sequences.
2. *Solve in floats*. HiGHS returns a basis.
3. *Solve exactly*. Compute the basic solution in integers and decide every sign (:mod:`tremble.exact.lexicographic`).
4. *Repair*, if a sign is wrong. HiGHS continues from this basis with tighter tolerances. If payoffs differ very much in
   size, float pivots without a tolerance follow. Exact simplex pivots repair the remaining wrong signs. These pivots
   always end, because an optimum exists: any plan with a low v is feasible, and the greatest payoff bounds :math:`v_0`.

Floats influence the running time and the choice among optima. They never decide whether the result is correct.

*Rescaled payoffs.* If a game has payoffs of 1e12, 1 and 1e-9, floats lose the small payoffs, because an error of 1e-10
of the largest payoff hides them. If the gaps between the sizes of payoffs are large, small payoffs only decide between
plans that are equal in large payoffs. Then the optimal basis hardly depends on the gaps. Write each payoff as
c e^k. The gaps grow as e falls, and one basis is optimal for all sufficiently small e > 0. So :func:`rescaled_payoffs`
repeatedly halves the gaps, and floats solve the game with the smallest gaps. Float pivots then repair the basis in the
games with larger gaps, until floats fail. Exact pivots repair the basis in the original game.

References
----------
D. Koller, N. Megiddo, B. von Stengel: Efficient computation of equilibria for extensive two-person games,
Games and Economic Behavior 14, 1996.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.exact.colours import refined
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.exact.quotient import Quotient
from tremble.game.sequence_form import SequenceForm, Sequences
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array
from tremble.integers import largest, lowest_terms
from tremble.run.clock import attempted
from tremble.solution.claim import Claim
from tremble.solvers.method import Run, nobody_listens
from tremble.solvers.rescaled import repaired_basis
from tremble.solvers.sequence_classes import SequenceClasses, restricted_classes

if TYPE_CHECKING:
    from tremble.exact.highs import FloatSolution  # loaded only to solve a program; building one does not need HiGHS

__all__ = [
    "PLAIN",
    "LpSettings",
    "NashEquilibrium",
    "NashProgram",
    "exact_optimum",
    "for_floats",
    "merged",
    "merged_alike",
    "nash_claim",
    "nash_parts",
    "offer_uniform",
    "payoff_exponent",
    "rescaled_payoffs",
    "solve_nash",
    "solve_program",
]

_ENOUGH = 0.95  # merge only if at most this fraction of the program remains
_UNSCALED_BITS = 12  # the float solver can use payoff integers of up to this many bits unchanged
_CLOSE_BITS = 24  # floats suffice if the largest payoff has at most this many bits more than the smallest payoff
_GAP_BITS = 3  # smallest gap after rescaling; larger payoffs still decide first, and floats see all payoffs


@dataclass(frozen=True)
class LpSettings:
    """Options for solving linear programs.

    Attributes
    ----------
    merge : bool
        Merge rows, and merge columns, that the coarsest equitable partition of the program puts into one class.
    solver : str
        Solver for linear programs without a starting basis, from :data:`tremble.exact.program.FLOAT_SOLVERS`.
    """

    merge: bool = False
    solver: str = "simplex"


PLAIN = LpSettings()


# -- the solution ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NashEquilibrium:
    """An exact optimum of the Nash program. Refinements start from this optimum."""

    tree: GameTree
    program: NashProgram
    vertex: BasicSolution
    stats: dict[str, Any]  # sizes, iterations, and seconds per step (*_seconds_float)

    def strategies(self) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return the equilibrium as behavior strategies."""
        player1, player2 = self.program.plans(self.vertex)
        return player1.to_behavior(self.tree), player2.to_behavior(self.tree)

    def claim(self) -> Claim:
        """Return the strategies and the diagnostics as a claim of a Nash equilibrium."""
        return Claim(self.strategies(), self.stats)

    def stats_with(self, refinement: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the diagnostics of the Nash program and of a refinement, and the refinement's ``seconds``."""
        stats = {f"refinement_{key}": value for key, value in refinement.items()}
        return {**self.stats, **stats, "refinement_seconds_float": seconds}


def solve_nash(tree: GameTree, run: Run, settings: LpSettings = PLAIN) -> NashEquilibrium:
    """Solve a constant-sum game exactly."""
    offer_uniform(tree, run)
    nash, stats = merged(NashProgram.of(SequenceForm.of(tree)), run, settings)
    return solve_program(tree, nash, run, settings, stats)


def offer_uniform(tree: GameTree, run: Run) -> None:
    """Record uniform strategies as the first result, in case a limit is reached before the float solver ends."""
    run.offer(lambda: (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)))


def nash_claim(tree: GameTree, _concept: str, run: Run, settings: LpSettings) -> Claim:
    """Compute a Nash equilibrium. Return it as a claim that the checker can prove by computing best responses."""
    return solve_nash(tree, run, settings).claim()


# -- merge, solve in floats, solve exactly, repair ---------------------------------------------------


class _Mergeable(Protocol):
    """A program that computes the plans of both players, and in which alike rows and columns can be merged."""

    @property
    def program(self) -> Program: ...

    def merged(self, quotient: Quotient) -> Self: ...


Merged = TypeVar("Merged", bound=_Mergeable)


def merged(program: Merged, run: Run, settings: LpSettings) -> tuple[Merged, dict[str, Any]]:
    """Merge a program if ``settings`` request merging and the size falls enough. Return the program and diagnostics."""
    if not settings.merge:
        return program, {}
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
    """Solve the program of a game exactly. Before that, record the float solver's rounded profile as a first result."""
    vertex, solved = exact_optimum(
        nash.program,
        run,
        lambda found: run.offer(partial(nash.rounded, tree, found.value, found.multiplier)),
        in_floats=[rescaled.program for rescaled in for_floats(nash)],
        solver=settings.solver,
    )
    equilibrium = NashEquilibrium(tree, nash, vertex, {**solved, **stats})
    run.offer(equilibrium.strategies)
    return equilibrium


def exact_optimum(
    program: Program,
    run: Run,
    on_float_solution: Callable[[FloatSolution], None] = nobody_listens,
    in_floats: Sequence[Program] = (),
    solver: str = "simplex",
) -> tuple[BasicSolution, dict[str, Any]]:
    """Solve a program that has an optimum. Return the exact optimum and a dict of sizes, iterations and seconds.

    Parameters
    ----------
    on_float_solution : callable
        Function that is called with the first floating-point solution.
    in_floats : sequence of Program
        Rescaled versions of ``program`` with nearly the same optimal bases. The float solver solves the first version.
        If the solver's basis is not optimal for ``program``, float pivots on each version in turn improve this basis.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`.
    """
    from tremble.exact.highs import solve_float

    clock, progress = run.clock, run.progress
    first = in_floats[0] if in_floats else program
    # Solve in floats from scratch.
    progress("linear program, floating point", None)
    began = clock.elapsed
    solution = attempted(partial(solve_float, first, clock.check, start=None, tolerance=1e-7, solver=solver))
    basis, iterations = (program.slack_basis, 0) if solution is None else (solution.basis, solution.iterations)
    if solution is not None:
        on_float_solution(solution)
    float_seconds = clock.elapsed - began
    # Compute the basic solution exactly.
    progress("exact solution of the basis", None)
    vertex, pivots = optimize(program, basis, clock.check, max_pivots=0)
    tightened = not vertex.optimal
    if tightened:
        # Repair the basis by tighter tolerances, then by float pivots without a tolerance, then by exact pivots.
        progress("linear program, tighter tolerances", None)
        basis = np.flatnonzero(vertex.basic)
        solution = attempted(partial(solve_float, first, clock.check, start=basis, tolerance=1e-10))
        if solution is not None:
            basis, iterations = solution.basis, iterations + solution.iterations
        if first is not program:
            basis = repaired_basis(in_floats, basis, run)
        progress("exact pivots", None)
        vertex, pivots = optimize(program, basis, clock.check)
    stats = {
        "rows": program.num_rows,
        "columns": program.num_columns,
        "entries": len(program.matrix.value),
        "float_iterations": iterations,
        "tighter_tolerances": tightened,
        "exact_pivots": pivots,
        "basis_rows": len(vertex.columns),
        "denominator_bits": max(vertex.value_denominator.bit_length(), vertex.reduced_denominator.bit_length()),
        "linear_program_seconds_float": float_seconds,
        "exact_seconds_float": clock.elapsed - began - float_seconds,
    }
    return vertex, stats


# -- the program -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NashProgram:
    """The linear program of a zero-sum game in sequence form.

    The columns "plan of player 1" are for this player's sequences. The columns "values of player 2" are for the value
    of the game, and for a value of each information set. The rows "flow of player 1" are for the empty sequence and the
    information sets. The rows "plan of player 2" are for player 2's sequences; their multipliers are player 2's plan.
    """

    program: Program
    form: SequenceForm
    unit: Fraction  # the payoff that an integer 1 in the program represents
    classes: SequenceClasses | None = None  # classes of sequences, if the program is merged
    rescaled: NashProgram | None = None  # the program with rescaled payoffs, if payoffs differ very much in size

    @classmethod
    def of(cls, form: SequenceForm) -> NashProgram:
        """Build the program of a sequence form."""
        payoffs = rescaled_payoffs(form.payoff)
        rescaled = None if payoffs is None else cls.of(replace(form, payoff=payoffs, payoff2=None, mass=None))
        (s1, s2), (j1, j2) = form.num_sequences, form.num_infosets
        columns = Blocks.of({"plan of player 1": s1, "values of player 2": 1 + j2})
        rows = Blocks.of({"flow of player 1": 1 + j1, "plan of player 2": s2})
        is_flow, is_value = rows.mask("flow of player 1"), columns.mask("values of player 2")
        row, column, payoff, unit = form.matrix()
        rhs, cost = np.zeros((1, len(rows)), dtype=np.int64), np.zeros((1, len(columns)), dtype=np.int64)
        rhs[0, rows["flow of player 1"].start] = 1
        cost[0, columns["values of player 2"].start] = 1
        # Scale payoffs to at most 1 for the float solver, but not the flows. In measurements with payoffs of 1e-9 and
        # 1e12, HiGHS returned a useful basis only with this scaling, not with equilibrated rows and columns.
        exponent = payoff_exponent(payoff)
        program = Program(
            matrices=(IntegerMatrix.from_blocks(rows, columns, nash_parts(form, row, column, payoff)),),
            rhs=rhs,
            cost=cost,
            equality=is_flow,
            free=is_value,
            row_exponent=np.where(is_flow, 0, -exponent),
            column_exponent=np.where(is_value, exponent, 0),
            rows=rows,
            columns=columns,
        )
        return cls(program, form, unit, rescaled=rescaled)

    @property
    def payoff(self) -> IntegerMatrix:
        """Player 1's payoffs divided by ``unit``. Rows are sequences of player 1; columns are sequences of player 2."""
        row, column, payoff, _ = self.form.matrix()
        return IntegerMatrix.from_entries(self.form.num_sequences, row, column, payoff)

    @property
    def game_value(self) -> int:
        """Index of the column of :math:`v_0`, the value of the game."""
        first: int = self.program.columns["values of player 2"].start
        return first

    @property
    def float_unit(self) -> float:
        """Factor that converts the float solver's value for the column ``game_value`` to a payoff."""
        return float(np.ldexp(1.0, int(self.program.column_exponent[self.game_value]))) * float(self.unit)

    def merged(self, quotient: Quotient) -> NashProgram:
        """Return the merged program. ``quotient`` is a quotient of this program, or of a program that extends it."""
        whole, small, program = quotient.whole, quotient.program, self.program
        own: Quotient | None = quotient
        if whole is not program:
            row = restricted_classes(quotient.row, whole.rows, small.rows, program.rows)
            column = restricted_classes(quotient.column, whole.columns, small.columns, program.columns)
            own = Quotient.of(program, row, column)
        assert own is not None  # even if whole rows and columns are left out, members of a class have equal sums
        rescaled = merged_alike(self.rescaled, own)
        return replace(self, program=own.program, classes=SequenceClasses.of_program(own), rescaled=rescaled)

    def plans(self, vertex: BasicSolution) -> tuple[RealizationPlan, RealizationPlan]:
        """Return the optimal plans of both players at an optimal vertex."""
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        sides = (
            self.expand(0, vertex.value[one], vertex.value_denominator),
            self.expand(1, -vertex.reduced[two], vertex.reduced_denominator),
        )
        reduced = [lowest_terms(weight.tolist(), denominator) for weight, denominator in sides]
        plan1, plan2 = (RealizationPlan(i, integer_array(weights), d) for i, (weights, d) in enumerate(reduced))
        return plan1, plan2

    def expand(self, player: int, weight: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
        """Convert the weights of sequence classes to weights of sequences. Return integer weights and a denominator."""
        return (weight, denominator) if self.classes is None else self.classes.expand(player, weight, denominator)

    def basis_where(self, chosen: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return the basis, as a mask bool[n + m], in which the players play exactly the sequences in ``chosen``."""
        program = self.program
        basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
        basic[program.columns["values of player 2"]] = True
        one, two = program.columns["plan of player 1"], program.logicals["plan of player 2"]
        of = (slice(None), slice(None)) if self.classes is None else self.classes.of
        basic[one][of[0]] = chosen[0]
        basic[two][of[1]] = ~chosen[1]  # a slack is basic if its sequence is not chosen
        basic[one.start], basic[two.start] = True, False
        return basic

    def rounded(
        self, tree: GameTree, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return an exact profile close to a float solution. The float solution may be infeasible.

        Parameters
        ----------
        value : float64[n]
            Values of the columns. The method uses only the sequences of player 1.
        multiplier : float64[m]
            Multipliers of the rows, times any positive factor. The method uses only the sequences of player 2.
        """
        one, two = self.raw_plans(value, multiplier)
        return _normalized(tree, 0, one), _normalized(tree, 1, two)

    def raw_plans(
        self, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both players' plans, not normalized, from a float solution. The solution need not be feasible."""
        one, two = value[self.program.columns["plan of player 1"]], multiplier[self.program.rows["plan of player 2"]]
        if self.classes is None:
            return one, np.abs(two)
        return one[self.classes.of[0]], np.abs(two / self.classes.size2)[self.classes.of[1]]


def nash_parts(
    form: SequenceForm, row: NDArray[np.int64], column: NDArray[np.int64], payoff: NDArray[Any]
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]]:
    """Return the blocks of the program's matrix: the flow matrices E and F^T, and the negative payoffs -U^T."""
    set2, sequence2, value2 = _flow_entries(form.sequences[1])
    return [
        ("flow of player 1", "plan of player 1", *_flow_entries(form.sequences[0])),
        ("plan of player 2", "values of player 2", sequence2, set2, value2),
        ("plan of player 2", "plan of player 1", column, row, -payoff),
    ]


def _flow_entries(own: Sequences) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries (row, sequence, value) of a player's flow constraints. Row 0 is for the empty sequence."""
    sets, sequences = own.num_infosets, own.num_sequences
    row = np.concatenate((1 + own.set_of, np.arange(1, sets + 1)))
    column = np.concatenate((np.arange(sequences), own.parent))
    value = np.concatenate((np.ones(sequences, dtype=np.int64), -np.ones(sets, dtype=np.int64)))
    return row, column, value


def _normalized(tree: GameTree, player: int, weight: NDArray[np.float64]) -> BehaviorStrategy:
    """Make each set's weights exact and normalize them. If all weights of a set are near 0, make them equal."""
    rows: list[list[Fraction]] = []
    start = (tree.slot_start[player] + 1).tolist()
    for first, end in itertools.pairwise(start):
        share = np.clip(np.nan_to_num(weight[first:end]), 0.0, 1e300)
        largest_share = share.max()
        is_played = largest_share > 1e-9
        whole = np.rint(share / largest_share * 2**40).astype(np.int64).tolist() if is_played else [1] * (end - first)
        rows.append([Fraction(part, sum(whole)) for part in whole])
    return BehaviorStrategy.from_rows(tree, player, rows)


# -- payoffs for the float solver --------------------------------------------------------------------


class _Rescaled(_Mergeable, Protocol):
    """A linear program for both players' plans. ``rescaled`` is the same program with rescaled payoffs, or None."""

    @property
    def rescaled(self) -> Self | None: ...


Rescaled = TypeVar("Rescaled", bound=_Rescaled)


def for_floats(program: Rescaled) -> list[Rescaled]:
    """List the rescaled versions of a program, the most rescaled one first; without any, return ``[program]``."""
    found = [program] if program.rescaled is None else []
    while program.rescaled is not None:
        program = program.rescaled
        found.insert(0, program)
    return found


def merged_alike(rescaled: Rescaled | None, quotient: Quotient) -> Rescaled | None:
    """Merge ``rescaled`` by the classes of ``quotient``. Return None if ``rescaled`` is missing or cannot be merged."""
    same = None if rescaled is None else Quotient.of(rescaled.program, quotient.row, quotient.column)
    return None if rescaled is None or same is None else rescaled.merged(same)


def payoff_exponent(payoff: NDArray[Any]) -> int:
    """Return the exponent e of the payoffs ``payoff / 2**e`` for the float solver; e is 0 if all payoffs are small.

    Examples
    --------
    >>> payoff_exponent(np.array([3, -4])), payoff_exponent(np.array([0, -(10**6)]))
    (0, 20)
    """
    bits = largest(payoff).bit_length()
    return bits if bits > _UNSCALED_BITS else 0


def rescaled_payoffs(payoff: NDArray[Any]) -> NDArray[Any] | None:
    """Make wide gaps between payoff sizes smaller, for the float solver. Return None if no gap is wide.

    All payoffs below a gap are multiplied by the same power of 2, so the ratios of these payoffs do not change.

    Examples
    --------
    >>> rescaled_payoffs(np.array([3, -(10**12), 5])).tolist()
    [1572864, -1000000000000, 2621440]
    >>> print(rescaled_payoffs(np.array([3, -4, 5])))
    None
    """
    if largest(payoff).bit_length() <= _CLOSE_BITS:
        return None
    bits = np.array([abs(value).bit_length() for value in payoff.tolist()], dtype=np.int64)
    sizes = np.unique(bits[bits > 0])
    gaps = np.diff(sizes)
    widest = int(gaps.max(initial=0)) // 2
    excess = np.maximum(gaps - (widest if widest >= 2 * _GAP_BITS else _GAP_BITS), 0)
    if sizes[-1] - sizes[0] <= _CLOSE_BITS or not excess.any():
        return None
    of_gaps_above = np.append(np.cumsum(excess[::-1])[::-1], 0)
    rescaled: NDArray[Any] = payoff.astype(object) << of_gaps_above[np.searchsorted(sizes, bits)].astype(object)
    return rescaled

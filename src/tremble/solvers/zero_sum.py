r"""Compute exact Nash equilibria of two-player constant-sum games with perfect recall.

One linear program serves both players (Koller, Megiddo & von Stengel 1996). E x = e and F y = f describe the
realization plans x and y; U holds the payoffs of player 1 by sequences. Player 1 chooses x, and v holds the least that
player 2 can concede from each of its information sets on (:math:`v_0` for the empty sequence):

.. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x \le 0, \qquad x \ge 0, \; v \text{ free}.

The multipliers of the inequalities are the plan of player 2: they are nonnegative, and F y = f holds because v is free.
Rows and columns of the *empty* sequences stay in the program: they hold payoffs of leaves where one player never moved.

The program is solved in four steps:

1. *Merge*, if asked for: replace classes of alike rows and columns by one row or column each
   (:mod:`tremble.exact.colours`). The merged program has the same blocks. Its plans are expanded to all sequences.
2. *Solve in floats*: HiGHS returns a basis.
3. *Solve exactly*: compute the basic solution in integers and decide every sign (:mod:`tremble.exact.lexicographic`).
4. *Repair*, if a sign is wrong: HiGHS continues from that basis with tighter tolerances. If payoffs differ very much in
   size, float pivots without a tolerance follow. Exact simplex pivots repair what is left, and they always end. An
   optimum exists: any plan with a low v is feasible, and the greatest payoff bounds :math:`v_0`.

Floats decide how long the computation takes. They never decide the result.

*Rescaled payoffs.* If a game has payoffs of 1e12, 1 and 1e-9, floats lose the small ones: an error of 1e-10 of the
largest hides them. Which basis is optimal hardly depends on how much larger the large payoffs are, once they decide
first: as the gaps between sizes grow, payoffs become polynomials in an infinitesimal, and one basis is optimal for all
large gaps. So gaps are halved repeatedly (:func:`rescaled_payoffs`), and floats solve the game with the smallest gaps.
Its basis is repaired in the games with larger gaps, as far as floats go, and then exactly in the game itself.

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
from functools import cached_property, partial
from math import lcm
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.exact.colours import refined
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.exact.quotient import Quotient
from tremble.game.scale import Scale
from tremble.game.sequence_form import SequenceForm, Sequences
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree, integer_array
from tremble.integers import largest, lowest_terms
from tremble.run.clock import attempted
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run, nobody_listens

if TYPE_CHECKING:
    from tremble.exact.highs import FloatSolution  # loaded when a program is solved: writing one does without HiGHS

__all__ = [
    "PLAIN",
    "LpSettings",
    "NashEquilibrium",
    "NashProgram",
    "SequenceClasses",
    "exact_optimum",
    "for_floats",
    "maxmin_claim",
    "merged",
    "merged_alike",
    "nash_claim",
    "nash_parts",
    "offer_uniform",
    "payoff_exponent",
    "repaired_basis",
    "rescaled_payoffs",
    "solve_nash",
    "solve_program",
]

_MOST_PIVOTS = 100  # limit of float pivots without a tolerance, for each program
_ENOUGH = 0.95  # merge only if at most this part of the program is left
_UNSCALED_BITS = 12  # payoff integers of up to this many bits suit the float solver unchanged
_CLOSE_BITS = 24  # floats cope if the largest payoff has at most this many bits more than the smallest
_GAP_BITS = 3  # smallest gap that rescaling leaves: larger payoffs still decide first, and floats see all


@dataclass(frozen=True)
class LpSettings:
    """Options for solving programs.

    Attributes
    ----------
    merge : bool
        Merge alike rows and columns.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`, for programs without a starting basis.
    """

    merge: bool = False
    solver: str = "simplex"


PLAIN = LpSettings()


# -- the solution ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NashEquilibrium:
    """An exact optimum of the linear program. Refinements start from it."""

    tree: GameTree
    program: NashProgram
    vertex: BasicSolution
    stats: dict[str, Any]  # sizes, iterations, and seconds per step (*_seconds_float)

    def strategies(self) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return the profile at the vertex."""
        player1, player2 = self.program.plans(self.vertex)
        return player1.to_behavior(self.tree), player2.to_behavior(self.tree)

    def claim(self) -> Claim:
        """Claim a Nash equilibrium."""
        return Claim(self.strategies(), self.stats)

    def stats_with(self, refinement: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the diagnostics of a refinement that started here and took so many seconds."""
        stats = {f"refinement_{key}": value for key, value in refinement.items()}
        return {**self.stats, **stats, "refinement_seconds_float": seconds}


def solve_nash(tree: GameTree, run: Run, settings: LpSettings = PLAIN) -> NashEquilibrium:
    """Solve a constant-sum game exactly."""
    offer_uniform(tree, run)
    nash, stats = merged(NashProgram.of(SequenceForm.of(tree)), run, settings)
    return solve_program(tree, nash, run, settings, stats)


def offer_uniform(tree: GameTree, run: Run) -> None:
    """Offer uniform strategies, in case a limit is reached before the float solver ends."""
    run.offer(lambda: (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)))


def nash_claim(tree: GameTree, _concept: str, run: Run, settings: LpSettings) -> Claim:
    """Claim a Nash equilibrium, which best responses prove."""
    return solve_nash(tree, run, settings).claim()


def maxmin_claim(tree: GameTree, _concept: str, run: Run, settings: LpSettings) -> Claim:
    """Claim that each strategy guarantees the most its player can, with best responses as the proof.

    If payoffs have no constant sum, solve the game in which the other player loses what ``run.player`` earns. Then only
    the strategy of this player guarantees the most.
    """
    from tremble.game.evaluation import expected_values
    from tremble.solution import certificates

    guarantee = None
    if tree.constant_sum is None:
        guarantee, offer_claim = certificates.guarantee(run.player), run.offer_claim

        def offer(make: Callable[[], Profile]) -> None:
            offer_claim(lambda: Claim(make(), {}, guarantee))

        tree, run = Scale.of(tree, run.player).scaled(tree, run.player), replace(run, offer=offer)
    nash = solve_nash(tree, run, settings)
    player1, player2 = (replace(strategy, off_path=np.zeros_like(strategy.off_path)) for strategy in nash.strategies())
    if guarantee is not None:
        return Claim((player1, player2), nash.stats, guarantee)
    first, second = expected_values(tree, (player1, player2))
    values = Fraction(first), Fraction(second)
    return Claim((player1, player2), nash.stats, certificates.best_response(values, values))


# -- merge, solve in floats, solve exactly, repair ---------------------------------------------------


class _Mergeable(Protocol):
    """A program of the players that can be merged."""

    @property
    def program(self) -> Program: ...

    def merged(self, quotient: Quotient) -> Self: ...


Merged = TypeVar("Merged", bound=_Mergeable)


def merged(program: Merged, run: Run, settings: LpSettings) -> tuple[Merged, dict[str, Any]]:
    """Return a program of the players, merged if the settings ask for it and it shrinks enough; and diagnostics."""
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
    """Solve the program of a game. On the way, offer the float solver's profile, rounded."""
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
    """Return the exact optimum of a program that has one, with sizes, iterations and seconds.

    Parameters
    ----------
    on_float_solution : callable
        Called with the first solution in floating point.
    in_floats : sequence of Program
        Programs that suit floats better and have nearly the same optimal bases. The float solver gets the first.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`.
    """
    from tremble.exact.highs import solve_float

    clock, progress = run.clock, run.progress
    first = in_floats[0] if in_floats else program
    # Solve in floats, from scratch.
    progress("linear program, floating point", None)
    began = clock.elapsed
    solution = attempted(partial(solve_float, first, clock.check, start=None, tolerance=1e-7, solver=solver))
    basis, iterations = (program.slack_basis, 0) if solution is None else (solution.basis, solution.iterations)
    if solution is not None:
        on_float_solution(solution)
    float_seconds = clock.elapsed - began
    # Solve the basis exactly.
    progress("exact solution of the basis", None)
    vertex, pivots = optimize(program, basis, clock.check, max_pivots=0)
    tightened = not vertex.optimal
    if tightened:
        # Repair the basis: tighter tolerances, float pivots without any, exact pivots.
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


def repaired_basis(programs: Sequence[Program], basis: NDArray[np.int64], run: Run) -> NDArray[np.int64]:
    """Return the basis after float pivots without a tolerance, in one program after another until floats fail."""
    from tremble.exact.asymptotic import InfinitesimalProgram, pivot_at_infinitesimal

    for program in programs:
        trembling = InfinitesimalProgram(program, max(len(program.rhs), len(program.cost)) - 1, run.clock.check)
        pivoted = attempted(partial(pivot_at_infinitesimal, trembling, basis, nobody_listens, max_pivots=_MOST_PIVOTS))
        if pivoted is None or pivoted[2]:  # the sizes of payoffs differ too much for any float
            break
        basis = pivoted[0]
    return basis


# -- the program -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NashProgram:
    """The linear program of a zero-sum game in sequence form.

    Blocks of columns: "plan of player 1" (its sequences), "values of player 2" (:math:`v_0`, then one per
    information set). Blocks of rows: "flow of player 1" (the empty sequence, then its information sets), "plan of
    player 2" (its sequences: their multipliers are its plan).
    """

    program: Program
    form: SequenceForm
    unit: Fraction  # payoff that an integer 1 in the program stands for
    classes: SequenceClasses | None = None  # classes of sequences, if the program is merged
    rescaled: NashProgram | None = None  # the program with rescaled payoffs, if their sizes differ very much

    @classmethod
    def of(cls, form: SequenceForm) -> NashProgram:
        """Write the program of a sequence form."""
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
        # Scale payoffs to at most 1 for the float solver, and leave the flows. Measured against equilibrating rows
        # and columns: if a game has payoffs of 1e-9 and 1e12, only this scaling gives HiGHS a useful basis.
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
        """Payoffs U of player 1 in units of the program, sequences of player 1 by sequences of player 2."""
        row, column, payoff, _ = self.form.matrix()
        return IntegerMatrix.from_entries(self.form.num_sequences, row, column, payoff)

    @property
    def game_value(self) -> int:
        """Column of the value :math:`v_0` of the game."""
        first: int = self.program.columns["values of player 2"].start
        return first

    @property
    def float_unit(self) -> float:
        """Payoff that 1 in the column of the game's value stands for in the float solver."""
        return float(np.ldexp(1.0, int(self.program.column_exponent[self.game_value]))) * float(self.unit)

    def merged(self, quotient: Quotient) -> NashProgram:
        """Merge by the classes of a program that contains these blocks and refines this program."""
        whole, small, program = quotient.whole, quotient.program, self.program
        own: Quotient | None = quotient
        if whole is not program:
            row = _restricted_classes(quotient.row, whole.rows, small.rows, program.rows)
            column = _restricted_classes(quotient.column, whole.columns, small.columns, program.columns)
            own = Quotient.of(program, row, column)
        assert own is not None  # this program lacks whole rows and columns of the other, which keeps classes alike
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
        """Return weights of all sequences of a player and their denominator, from those in the program."""
        return (weight, denominator) if self.classes is None else self.classes.expand(player, weight, denominator)

    def basis_where(self, chosen: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return the basic columns, bool[n + m], of the basis that plays the chosen sequences, bool[S] per player."""
        program = self.program
        basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
        basic[program.columns["values of player 2"]] = True
        one, two = program.columns["plan of player 1"], program.logicals["plan of player 2"]
        of = (slice(None), slice(None)) if self.classes is None else self.classes.of
        basic[one][of[0]] = chosen[0]
        basic[two][of[1]] = ~chosen[1]  # a slack is basic if its sequence is not
        basic[one.start], basic[two.start] = True, False
        return basic

    def rounded(
        self, tree: GameTree, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return an exact profile close to a float solution of the program, which need not be feasible.

        Parameters
        ----------
        value : float64[n]
            Values of the columns. Only the sequences of player 1 are read.
        multiplier : float64[m]
            Multipliers of the rows, in any unit. Only the sequences of player 2 are read.
        """
        one, two = self.raw_plans(value, multiplier)
        return _normalized(tree, 0, one), _normalized(tree, 1, two)

    def raw_plans(
        self, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the plans of both players, in any units, in a float solution that need not be feasible."""
        one, two = value[self.program.columns["plan of player 1"]], multiplier[self.program.rows["plan of player 2"]]
        if self.classes is None:
            return one, np.abs(two)
        return one[self.classes.of[0]], np.abs(two / self.classes.size2)[self.classes.of[1]]


@dataclass(frozen=True, eq=False)
class SequenceClasses:
    """Classes of sequences that a merged program treats alike."""

    of: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[S]: class of each sequence, the empty one's first
    size2: NDArray[np.int64]  # number of sequences of player 2 in each class, which share the plan's weight

    @classmethod
    def of_program(cls, quotient: Quotient) -> SequenceClasses:
        """Read the classes from the blocks that are the players' plans."""
        whole, small = quotient.whole, quotient.program
        one = quotient.column[whole.columns["plan of player 1"]] - small.columns["plan of player 1"].start
        two = quotient.row[whole.rows["plan of player 2"]] - small.rows["plan of player 2"].start
        return cls((one, two), np.bincount(two))

    def expand(self, player: int, weight: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
        """Return weights of all sequences of a player and their denominator, from those of the classes."""
        if player == 0:
            return weight[self.of[0]], denominator
        common = self.common_multiple
        share = np.array([common // size for size in self.size2.tolist()], dtype=object)
        return (weight * share)[self.of[1]], denominator * common

    @cached_property
    def common_multiple(self) -> int:
        """Least common multiple of the sizes of the classes of player 2."""
        return lcm(*self.size2.tolist())


def nash_parts(
    form: SequenceForm, row: NDArray[np.int64], column: NDArray[np.int64], payoff: NDArray[Any]
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]]:
    """Return the parts E, F' and -U' of the matrix; ``payoff`` has the entries of U."""
    set2, sequence2, value2 = _flow_entries(form.sequences[1])
    return [
        ("flow of player 1", "plan of player 1", *_flow_entries(form.sequences[0])),
        ("plan of player 2", "values of player 2", sequence2, set2, value2),
        ("plan of player 2", "plan of player 1", column, row, -payoff),
    ]


def _flow_entries(own: Sequences) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries (row, sequence, value) of a player's flow constraints; row 0 is the empty sequence's."""
    sets, sequences = own.num_infosets, own.num_sequences
    row = np.concatenate((1 + own.set_of, np.arange(1, sets + 1)))
    column = np.concatenate((np.arange(sequences), own.parent))
    value = np.concatenate((np.ones(sequences, dtype=np.int64), -np.ones(sets, dtype=np.int64)))
    return row, column, value


def _restricted_classes(classes: NDArray[np.int64], whole: Blocks, small: Blocks, blocks: Blocks) -> NDArray[np.int64]:
    """Restrict classes to some of the blocks, numbered block by block."""
    first, parts = 0, []
    for name in blocks.slices:
        parts.append(classes[whole[name]] - small[name].start + first)
        first += small[name].stop - small[name].start
    return np.concatenate(parts)


def _normalized(tree: GameTree, player: int, weight: NDArray[np.float64]) -> BehaviorStrategy:
    """Return the shares of sequences at each information set, on a grid of 2^-40; uniform where weights are 0."""
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
    """A program of the players that knows its program with rescaled payoffs."""

    @property
    def rescaled(self) -> Self | None: ...


Rescaled = TypeVar("Rescaled", bound=_Rescaled)


def for_floats(program: Rescaled) -> list[Rescaled]:
    """Return the programs with rescaled payoffs, the most rescaled first; the program alone if it has none."""
    found = [program] if program.rescaled is None else []
    while program.rescaled is not None:
        program = program.rescaled
        found.insert(0, program)
    return found


def merged_alike(rescaled: Rescaled | None, quotient: Quotient) -> Rescaled | None:
    """Merge the program with rescaled payoffs by the same classes; None if it has different rows in one class."""
    same = None if rescaled is None else Quotient.of(rescaled.program, quotient.row, quotient.column)
    return None if rescaled is None or same is None else rescaled.merged(same)


def payoff_exponent(payoff: NDArray[Any]) -> int:
    """Return the power of 2 by which large payoffs are divided for the float solver; 0 for small payoffs.

    Examples
    --------
    >>> payoff_exponent(np.array([3, -4])), payoff_exponent(np.array([0, -(10**6)]))
    (0, 20)
    """
    bits = largest(payoff).bit_length()
    return bits if bits > _UNSCALED_BITS else 0


def rescaled_payoffs(payoff: NDArray[Any]) -> NDArray[Any] | None:
    """Return payoffs with smaller gaps between their sizes, for floats; None if no gap is wide.

    All payoffs below a gap are multiplied by one power of 2, which keeps the balance among them.

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

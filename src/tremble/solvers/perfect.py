r"""Compute exact extensive-form perfect equilibria of two-player constant-sum games with perfect recall.

Consider games in which every action has a positive least probability, and let these probabilities go to 0. A limit of
Nash equilibria of such games is extensive-form perfect (Selten 1975). This module uses the least probabilities
:math:`w_a \varepsilon^{k_a}` with :math:`\varepsilon \to 0`. It finds one equilibrium. It cannot find equilibria that
need other ratios of mistakes. In extensive-form perfect equilibria, players allow for their own later mistakes. In
quasi-perfect equilibria, players do not allow for their own later mistakes.

1. *Solve the Nash program* exactly (:mod:`tremble.solvers.zero_sum`). Every basis of the Nash program gives a basis of
   the trembling program (:class:`PerfectProgram`). In a game of perfect information, first try the basis of backward
   induction, which accounts for later mistakes (:mod:`tremble.solvers.backward_induction`). The oracle of step 3
   usually confirms this basis.
2. *Solve in floats*. HiGHS solves the program at :math:`\varepsilon = 2^{-14}` from the basis of step 1. If most basic
   columns of the Nash vertex are 0, HiGHS starts from scratch at :math:`2^{-8}` instead. If a choice matters only at an
   order :math:`\varepsilon^k` below the tolerance, HiGHS chooses arbitrarily. So no single value of :math:`\varepsilon`
   suffices. Float programs magnify violations of optimality (:mod:`tremble.exact.zoom`) at values down to
   :math:`2^{-16}`. For small programs, HiGHS instead tries three values, each from the previous basis, until a basis is
   stable. If payoffs differ very much in size, HiGHS gets :func:`tremble.solvers.zero_sum.rescaled_payoffs`.
3. *Decide exactly* whether the basis is *stable*: optimal for all small epsilon > 0 (:mod:`tremble.exact.stability`).
4. *Repair in series*, if the oracle rejects the basis. The simplex method pivots at an infinitesimal
   :math:`\varepsilon`, usually a few times (:mod:`tremble.exact.asymptotic`). These pivots are fast but unproven. The
   oracle decides again.
5. *Repair exactly*, if the oracle rejects the basis again. Exact pivots at :math:`2^{-k}` follow until the oracle
   accepts. The first k is so large that the first terms outweigh all other terms in the series of the current basis.
   Then k grows by half each time. The step ends, because the number of bases is finite and an unstable basis is not
   optimal for any sufficiently small :math:`\varepsilon`. No polynomial bound is known for the pivots of these simplex
   methods. Exact pivots also remove logical variables of equality rows from the basis. A stable basis can contain
   them, but a certificate must not.
6. *Certify*. Write the stable basis, with enough plan coefficients to decide all signs (:func:`basis_certificate`).

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, section 3.2, proposition 2; section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.elimination import SMALL_LIMIT
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.exact.quotient import Quotient
from tremble.exact.small_number import at_bits
from tremble.exact.stability import Series, Stability, check_stability
from tremble.game.requirements import has_perfect_information
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.integers import largest
from tremble.run.clock import attempted
from tremble.solution.basis_certificate import SquareSystem, basis_of_program
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.backward_induction import all_apart, induced_choice, induced_claim
from tremble.solvers.method import Run
from tremble.solvers.refine import trembling_plan
from tremble.solvers.zero_sum import (
    PLAIN,
    LpSettings,
    NashProgram,
    for_floats,
    merged,
    merged_alike,
    nash_parts,
    offer_uniform,
    solve_program,
)

if TYPE_CHECKING:
    from tremble.exact.asymptotic import InfinitesimalProgram

__all__ = [
    "PerfectProgram",
    "StableBasis",
    "basis_certificate",
    "heaviest",
    "perfect_claim",
    "stability_of",
    "stable_basis",
]

_TOLERANCE = 1e-10
_SMALL_BITS = (10, 14, 18)  # the float solver solves small programs at these numbers 2^-bits
_FROM_NASH, _FROM_SCRATCH = (14, 16), (8, 12, 16)  # other programs: the first for the float solver, the rest to magnify
# With this many entries, the Nash basis is far from the basis at the first number, and simplex from scratch is slow.
_LARGE = 200_000
_FIRST_EXACT_BITS = 16
_ORDERS = (8, 20)  # orders up to which the series are computed, tried one after the other
_ASYMPTOTIC_PIVOTS = 2_000

FindBasis = Callable[["PerfectProgram", BasicSolution, Run], tuple[NDArray[np.int64], Stability, dict[str, Any]]]
"""A function that takes the optimum of the Nash program and returns a stable basis, its stability and diagnostics."""


def perfect_claim(
    tree: GameTree, concept: str, run: Run, settings: LpSettings = PLAIN, published: FindBasis | None = None
) -> Claim:
    """Compute an extensive-form perfect equilibrium, with a stable basis as the proof.

    Parameters
    ----------
    published : callable, optional
        A published algorithm that replaces :func:`stable_basis`. This algorithm always starts from the Nash vertex.
    """
    # In a game of perfect information that is too deep for trembling plans, backward induction is the proof.
    guided = published is None and has_perfect_information(tree)
    if guided and (deep := induced_claim(tree, concept, run)) is not None:
        return deep
    # Solve the Nash program with the same merged classes as the trembling program.
    offer_uniform(tree, run)
    weights = run.weights(tree)
    perfect = PerfectProgram.of(NashProgram.of(SequenceForm.of(tree)), weights)
    perfect, merging = merged(perfect, run, settings)
    nash = solve_program(tree, perfect.nash, run, settings, merging)
    began = run.clock.elapsed
    # Find a stable basis.
    stability: Stability | None = None
    search: dict[str, Any] = {"float_iterations": 0, "asymptotic_pivots": 0, "exact_pivots": 0}
    if guided:
        classes = all_apart(tree) if nash.program.classes is None else nash.program.classes.of
        choice = induced_choice(tree, run.clock.check, weights, classes, own_slips=True)
        if choice is not None:
            columns = perfect.basis_where(choice[0], ~choice[1])
            stability = stability_of(perfect, columns, run)
    if stability is None or not stability.stable:
        columns, stability, search = (published or stable_basis)(perfect, nash.vertex, run)
    # Write its certificate, and claim the limits of its plans.
    certifying = run.clock.elapsed
    (plan1, plan2), certificate, stats = basis_certificate([StableBasis(perfect, columns, stability)], run)
    denominators = (*stability.values.denominators, *stability.reduced_costs.denominators)
    stats["denominator_bits"] = max(d.bit_length() for d in denominators)
    stats["certificate_seconds_float"] = run.clock.elapsed - certifying
    diagnostics = nash.stats_with({**search, **stats}, run.clock.elapsed - began)
    return Claim((plan1.limit(tree), plan2.limit(tree)), diagnostics, certificate)


# -- the program -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PerfectProgram:
    r"""The linear program for players who tremble at every move.

    Each action a must be played with probability at least :math:`w_a \varepsilon^{k_a}` at its information set. So for
    the sequence qa that plays a after the sequence q,

    .. math::  x_{qa} - w_a \varepsilon^{k_a}\, x_q \ge 0 .

    Player 2 concedes payoff to player 1, and player 2's trembles raise the amount. Let :math:`v_k` be the
    least amount that an action of information set k concedes. Let the slack :math:`g_{qa} \ge 0` be the additional
    amount that action a concedes. In the row of the sequence that leads to set k, the set contributes
    :math:`v_k + \sum_a w_a \varepsilon^{k_a} g_{qa}`:

    .. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x + (I - W(\varepsilon)) g = 0,
               \qquad g \ge 0 .

    The multipliers of the last rows are player 2's plan y. The reduced cost of :math:`g_{qa}` is
    :math:`-(y_{qa} - w_a \varepsilon^{k_a}\, y_q)`. The matrix :math:`W(\varepsilon)` has the entries
    :math:`w_a \varepsilon^{k_a}`. The coefficient of :math:`\varepsilon^k` in W contains the weights of the actions of
    order k.

    The program adds two blocks to :class:`~tremble.solvers.zero_sum.NashProgram`, each with one entry for each nonempty
    sequence. The columns "slack of player 2" are g. The rows "trembles of player 1" are the first inequality, and their
    logical variables are its left sides. These rows come between the two blocks of rows of ``NashProgram``.

    References
    ----------
    G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
    """

    nash: NashProgram
    program: Program  # its degree is the greatest order of a tremble
    trembles: Trembles
    quotient: Quotient | None = None  # the merged classes, if the program is merged
    rescaled: PerfectProgram | None = None  # the program with rescaled payoffs, as in NashProgram

    @classmethod
    def of(cls, nash: NashProgram, trembles: Trembles) -> PerfectProgram:
        """Build the trembling program from a Nash program and trembles."""
        form, plain = nash.form, nash.program
        (s1, s2), (j1, j2) = form.num_sequences, form.num_infosets
        columns = Blocks.of({"plan of player 1": s1, "values of player 2": 1 + j2, "slack of player 2": s2 - 1})
        rows = Blocks.of({"flow of player 1": 1 + j1, "trembles of player 1": s1 - 1, "plan of player 2": s2})
        own, other = np.arange(s1 - 1), np.arange(s2 - 1)  # all nonempty sequences; sequence 0 is empty
        before = [player.before[1:] for player in form.sequences]
        ones = [np.ones(s - 1, dtype=np.int64) for s in (s1, s2)]
        payoff = nash.payoff
        constant = IntegerMatrix.from_blocks(
            rows,
            columns,
            [
                *nash_parts(form, payoff.row_of_entry, payoff.column, payoff.value),
                ("trembles of player 1", "plan of player 1", own, own + 1, -ones[0]),
                ("plan of player 2", "slack of player 2", other + 1, other, ones[1]),
            ],
        )
        (weight1, weight2), orders = trembles.weight, trembles.order
        trembling = []
        for k in range(1, trembles.top + 1):
            here1, here2 = (
                np.flatnonzero((order == k) & (w != 0)) for order, w in zip(orders, trembles.weight, strict=True)
            )
            trembling.append(
                IntegerMatrix.from_blocks(
                    rows,
                    columns,
                    [
                        ("trembles of player 1", "plan of player 1", own[here1], before[0][here1], weight1[here1]),
                        ("plan of player 2", "slack of player 2", before[1][here2], other[here2], -weight2[here2]),
                    ],
                )
            )
        row_exponent = np.zeros(len(rows), dtype=np.int64)
        column_exponent = np.zeros(len(columns), dtype=np.int64)
        rhs, cost = np.zeros((1, len(rows)), dtype=np.int64), np.zeros((1, len(columns)), dtype=np.int64)
        for name, block in plain.rows.slices.items():
            row_exponent[rows[name]], rhs[:, rows[name]] = plain.row_exponent[block], plain.rhs[:, block]
        for name, block in plain.columns.slices.items():
            column_exponent[columns[name]], cost[:, columns[name]] = plain.column_exponent[block], plain.cost[:, block]
        column_exponent[columns["slack of player 2"]] = -row_exponent[rows["plan of player 2"]][1:]
        program = Program(
            matrices=(constant, *trembling),
            rhs=rhs,
            cost=cost,
            equality=~rows.mask("trembles of player 1"),
            free=~columns.mask("slack of player 2"),
            row_exponent=row_exponent,
            column_exponent=column_exponent,
            rows=rows,
            columns=columns,
        )
        rescaled = None if nash.rescaled is None else cls.of(nash.rescaled, trembles)
        return cls(nash, program, trembles, rescaled=rescaled)

    @property
    def plan_columns(self) -> NDArray[np.bool_]:
        """A mask, bool[n + m], of columns and rows. Columns of player 1's plan and rows of player 2's plan are True."""
        return np.concatenate(
            (self.program.columns.mask("plan of player 1"), self.program.rows.mask("plan of player 2"))
        )

    def slack(self, basic: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return a mask bool[S] for each player: True if the basis allows the sequence more than its least weight."""
        return self._by_sequence(basic, ~basic)

    def zeros(self, stability: Stability, basic: NDArray[np.bool_]) -> dict[str, list[NDArray[np.int64]]]:
        """Return two lists of sequences for each player, under the names ``"weights"`` and ``"regrets"``.

        ``"weights"`` lists sequences that have their least weight, although the basis allows a greater weight.
        ``"regrets"`` lists sequences that lose nothing, although the basis allows a loss.
        """
        no_value = basic & (stability.values.signs() == 0)
        no_cost = ~basic & (stability.reduced_costs.signs() == 0)
        return {
            "weights": list(map(np.flatnonzero, self._by_sequence(no_value, no_cost))),
            "regrets": list(map(np.flatnonzero, self._by_sequence(no_cost, no_value))),
        }

    def _by_sequence(
        self, columns1: NDArray[np.bool_], columns2: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark player 1's sequences whose tremble is in ``columns1``, and player 2's whose slack is in ``columns2``."""
        tremble, slack = self._trembles_and_slack
        sides = np.append(False, columns1[tremble]), np.append(False, columns2[slack])
        classes = self.nash.classes
        return sides if classes is None else (sides[0][classes.of[0]], sides[1][classes.of[1]])

    @property
    def _trembles_and_slack(self) -> tuple[slice, slice]:
        """Slice of the columns of player 1's trembles, and slice of the columns of player 2's slacks."""
        return self.program.logicals["trembles of player 1"], self.program.columns["slack of player 2"]

    def plans(
        self, values: Sequence[tuple[NDArray[Any], int]], reduced: Sequence[tuple[NDArray[Any], int]]
    ) -> tuple[TremblingPlan, TremblingPlan]:
        """Return both players' plans as polynomials in epsilon, given the values and reduced costs of all columns.

        Both arguments have a pair for each power of epsilon: the coefficients of all columns, and their denominator.
        """
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        return (
            trembling_plan(0, [self.nash.expand(0, v[one], d) for v, d in values]),
            trembling_plan(1, [self.nash.expand(1, -v[two], d) for v, d in reduced]),
        )

    def merged(self, quotient: Quotient) -> PerfectProgram:
        """Return the merged program. The quotient contains the classes of this program's rows and columns.

        Two sequences of player 1 are merged exactly if their trembles are merged. In the rows of trembles, a sequence's
        only entry without epsilon is in the row of its tremble. For player 2, slacks replace trembles.
        """
        nash, rescaled = self.nash.merged(quotient), merged_alike(self.rescaled, quotient)
        return replace(self, nash=nash, program=quotient.program, quotient=quotient, rescaled=rescaled)

    def basis_where(self, rises: NDArray[np.bool_], loses: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the basis with player 1's trembles selected by ``rises`` and player 2's slacks selected by ``loses``.

        Both masks are bool[S]: ``rises`` for the sequences of player 1 in the unmerged program, ``loses`` for player 2.
        In a merged program, the first member of each class decides.
        """
        whole = self.program if self.quotient is None else self.quotient.whole
        inside = np.zeros(whole.num_columns + whole.num_rows, dtype=np.bool_)
        inside[whole.columns["plan of player 1"]] = inside[whole.columns["values of player 2"]] = True
        inside[whole.logicals["trembles of player 1"]] = rises[1:]
        inside[whole.columns["slack of player 2"]] = loses[1:]
        return np.flatnonzero(inside if self.quotient is None else inside[self.quotient.first])

    def basis_of(self, vertex: BasicSolution) -> NDArray[np.int64]:
        """Return the basis of this program that corresponds to a vertex of the Nash program.

        All sequences of player 1 are basic. The tremble of a sequence of player 1 is basic if the sequence is basic in
        the vertex. The slack of a sequence of player 2 is basic if the logical of its row is basic in the vertex.
        """
        was, plain, here = vertex.basic, self.nash.program, self.program
        tremble, slack = self._trembles_and_slack
        basic = np.zeros(here.num_columns + here.num_rows, dtype=np.bool_)
        basic[here.columns["plan of player 1"]] = True
        basic[here.columns["values of player 2"]] = was[plain.columns["values of player 2"]]
        basic[tremble] = was[plain.columns["plan of player 1"]][1:]
        basic[here.logicals["flow of player 1"]] = was[plain.logicals["flow of player 1"]]
        replies = was[plain.logicals["plan of player 2"]]
        basic[here.logicals["plan of player 2"].start] = replies[0]
        basic[slack] = replies[1:]
        return np.flatnonzero(basic)


# -- a stable basis ----------------------------------------------------------------------------------


def stable_basis(
    perfect: PerfectProgram, nash: BasicSolution, run: Run
) -> tuple[NDArray[np.int64], Stability, dict[str, Any]]:
    """Search for a stable basis, starting at the Nash program's optimum. Return basis, stability and diagnostics."""
    clock = run.clock
    began = clock.elapsed
    program = for_floats(perfect)[0].program
    # Choose the basis from which HiGHS starts. If most columns of the Nash basis are 0, it is a poor start.
    large = sum(len(matrix.value) for matrix in program.matrices) >= _LARGE
    start: NDArray[np.int64] | None = None if nash.degenerate or large else perfect.basis_of(nash)
    solver = "interior-point" if large else "simplex"
    basis, iterations = perfect.basis_of(nash), 0
    stability: Stability | None = None
    first_bits = heaviest(perfect.trembles).bit_length() - 1  # the trembles of a set may not sum to more than 1
    small = program.num_rows <= SMALL_LIMIT
    series = () if small else _in_series(program, run)
    # Solve in floats at one number. Solve a small program at three numbers, until one basis is stable.
    first, *then = _FROM_SCRATCH if nash.degenerate else _FROM_NASH
    for bits in _SMALL_BITS if small else (first,):
        run.progress(f"trembles of 2^-{bits}, floating point", None)
        plain = at_bits(program, first_bits + bits)
        solution = attempted(partial(solve_float, plain, clock.check, start=start, tolerance=_TOLERANCE, solver=solver))
        if solution is not None:
            start = basis = solution.basis
            iterations += solution.iterations
        if small:
            stability = stability_of(perfect, basis, run)
            if stability is not None and stability.stable:
                break
    # Magnify violating columns until the basis seems stable.
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
    """Return a program for series up to order k, for each k in ``_ORDERS``. Only this function loads Numba kernels."""
    from tremble.exact.asymptotic import InfinitesimalProgram

    return tuple(InfinitesimalProgram(program, top, run.clock.check) for top in _ORDERS)


def _zoomed(
    program: InfinitesimalProgram, basis: NDArray[np.int64], bits: int, run: Run
) -> tuple[NDArray[np.int64], int]:
    """Improve a basis at epsilon = 2^-bits by magnifying violations. Return a basis and the number of iterations."""
    from tremble.exact.zoom import zoomed_basis

    def report(left: int) -> None:
        run.progress(f"trembles of 2^-{bits}, magnified ({left} violating columns)", None)

    return zoomed_basis(program, basis, bits, report)[:2]


def _seems_stable(program: InfinitesimalProgram, basis: NDArray[np.int64], run: Run) -> bool:
    """Return True if a basis seems optimal for infinitesimal trembles. The check uses floats and proves nothing."""
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
    """Pivot from ``basis`` to a stable basis. ``stability`` describes ``basis``. Pass None if it is unknown."""
    program = perfect.program
    asymptotic_pivots = exact_pivots = 0
    # Pivot on series in floats.
    for in_series in series:
        if stability is not None and stability.stable:
            break
        pivoted = attempted(partial(_pivoted, in_series, basis, run))
        if pivoted is None:
            continue
        basis, count, _ = pivoted
        asymptotic_pivots += count
        if stability is None or count:
            stability = stability_of(perfect, basis, run)
    # Pivot exactly, at smaller and smaller numbers.
    bits = first_bits + _FIRST_EXACT_BITS
    if stability is None:
        stability = stability_of(perfect, basis, run)
    if stability is None and perfect.rescaled is not None:  # tremble * largest payoff must be below the smallest payoff
        bits += largest(perfect.nash.form.payoff).bit_length()
    while stability is None or not stability.stable or np.any(program.basic(basis) & program.fixed):
        if stability is not None:  # start at a number so small that all signs of this basis are final
            outweighed = max(map(_domination_bits, (stability.values, stability.reduced_costs)))
            bits = max(bits, outweighed + outweighed // 8)
        run.progress(f"exact pivots at trembles of 2^-{bits}", None)
        optimum, count = optimize(at_bits(program, bits), basis, run.clock.check, idle=False)
        basis = np.flatnonzero(optimum.basic)
        exact_pivots, bits = exact_pivots + count, bits + bits // 2
        stability = stability_of(perfect, basis, run)
    return basis, stability, {"asymptotic_pivots": asymptotic_pivots, "exact_pivots": exact_pivots}


def _pivoted(program: InfinitesimalProgram, basis: NDArray[np.int64], run: Run) -> tuple[NDArray[np.int64], int, int]:
    """Pivot for an infinitesimal tremble. Return the last basis, the count of pivots, and the count of violations."""
    from tremble.exact.asymptotic import pivot_at_infinitesimal

    def report(pivots: int, left: int) -> None:
        run.progress(f"pivots at an infinitesimal tremble ({pivots} done, {left} violating columns)", None)

    return pivot_at_infinitesimal(program, basis, report, max_pivots=_ASYMPTOTIC_PIVOTS)


def heaviest(trembles: Trembles) -> int:
    """Sum the tremble weights at each information set, and return the greatest sum."""
    sums = [
        np.add.reduceat(weight.astype(object), start[:-1])
        for weight, start in zip(trembles.weight, trembles.start, strict=True)
        if len(start) > 1
    ]
    return max((int(side.max()) for side in sums), default=1)


def stability_of(perfect: PerfectProgram, basis: NDArray[np.int64], run: Run) -> Stability | None:
    """Return the stability of a basis, or None if the basis matrix is singular. Decide the sign of each plan entry."""
    run.progress("stability of the basis", None)
    return attempted(lambda: check_stability(perfect.program, basis, run.clock.check, watched=perfect.plan_columns))


# -- the certificate ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StableBasis:
    """A basis and its stability. The basis belongs to the program of both players, or to a program of one player."""

    perfect: PerfectProgram
    basis: NDArray[np.int64]
    stability: Stability  # its watched columns are the plans

    @property
    def basic(self) -> NDArray[np.bool_]:
        """Mask of the basic columns."""
        return self.perfect.program.basic(self.basis)


def basis_certificate(
    bases: Sequence[StableBasis], run: Run
) -> tuple[tuple[TremblingPlan, TremblingPlan], dict[str, Any], dict[str, Any]]:
    """Return the plans, the certificate and diagnostics from stable bases.

    Parameters
    ----------
    bases : sequence of StableBasis
        One basis for both players, or one basis for each player. In a single basis, the reduced costs are player 2's
        plan. With two bases, each player has the role of player 1 in a separate program.
    """
    # Compute enough coefficients of the plans to decide all signs, plus the coefficients that the verifier may lose.
    separate = len(bases) == 2
    series = [base.stability.values for base in bases]
    if not separate:
        series.append(bases[0].stability.reduced_costs)
    order = max(s.first + len(s.coefficients) - 1 for s in series)
    lost = max(_lost_orders(base.stability) for base in bases)
    for base in bases:
        base.stability.extend(order + lost)
    # Solve exactly at one tremble that is small enough for the bases to be optimal.
    run.progress("equilibrium at one small tremble", None)
    bits, vertices = _exact_vertices(bases, max(map(_domination_bits, series)), run.clock.check)
    limits = [
        base.perfect.plans(_from_zero(base.stability.values), _from_zero(base.stability.reduced_costs))
        for base in bases
    ]
    first, exact = vertices[0], None
    if not separate:
        numbers = [(first.value, first.value_denominator)], [(first.reduced, first.reduced_denominator)]
        exact = bases[0].perfect.plans(*numbers)
    # Collect the plans, their values at this tremble, and the sequences whose coefficients are all 0.
    plans: list[TremblingPlan] = []
    there: list[tuple[list[int], int]] = []
    slack: list[NDArray[np.bool_]] = []
    zeros: dict[str, list[list[int]]] = {"weights": [[], []], "regrets": [[], []]}
    for player in (0, 1):
        base, vertex, at = (bases[player], vertices[player], 0) if separate else (bases[0], vertices[0], player)
        perfect, stability = base.perfect, base.stability
        plans.append(replace(limits[player if separate else 0][at], player=player))
        if exact is None:
            own = perfect.program.columns["plan of player 1"]
            weight, denominator = perfect.nash.expand(0, vertex.value[own], vertex.value_denominator)
            there.append((weight.tolist(), denominator))
        else:
            there.append((exact[player].coefficient[0].tolist(), exact[player].denominator))
        slack.append(perfect.slack(base.basic)[at])
        nothing = perfect.zeros(stability, base.basic)
        zeros["weights"][player] = nothing["weights"][at].tolist()
        zeros["regrets"][player if not separate else 1 - player] = nothing["regrets"][
            1 if separate else player
        ].tolist()
    drawn = [base.stability.error_bits for base in bases if base.stability.error_bits is not None]
    trembles = bases[0].perfect.trembles
    certificate = basis_of_program(
        slack,
        (plans[0], plans[1]),
        (Fraction(1, 1 << bits), [plan for plan, _ in there], [denominator for _, denominator in there]),
        [_square_system(base.stability, base.perfect.quotient) for base in bases],
        zeros,
        (trembles.rows(), trembles.orders()),
        min(drawn) if drawn and any(map(any, zeros.values())) else None,
        _classes(bases),
    )
    return (
        (plans[0], plans[1]),
        certificate,
        {
            "orders": order + 1,
            "row_operations": sum(len(batch) for base in bases for batch in base.stability.operations),
            "certificate_epsilon_bits": bits,
        },
    )


def _classes(bases: Sequence[StableBasis]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the classes of each player's sequences, or None if nothing is merged."""
    # With two bases, each player is player 1 in its own program.
    of = [base.perfect.nash.classes for base in bases]
    if of[0] is None or of[-1] is None:
        return None
    return of[0].of[0], of[-1].of[2 - len(of)]


def _square_system(stability: Stability, quotient: Quotient | None = None) -> SquareSystem:
    """Return the proof that the basis is nonsingular. It names only the first row or column of each merged class."""
    row, column = (np.arange(size) for size in (len(stability.values.coefficients[0]),) * 2)
    if quotient is not None:
        row, column = quotient.first_row, quotient.first_column
    pivots = None if stability.pivots is None else (row[stability.pivots[0]], column[stability.pivots[1]])
    return SquareSystem(
        pivots=None if pivots is None else np.stack(pivots, axis=1),
        null_vectors=[
            (int(row[operation.row]), dict(zip(row[operation.rows].tolist(), operation.factor.tolist(), strict=True)))
            for batch in stability.operations[:1]
            for operation in batch
        ],
    )


def _lost_orders(stability: Stability) -> int:
    """Bound the pole order of the inverse basis matrix at epsilon = 0. The verifier may need this many extra orders.

    The c row operations in ``stability.operations[0]`` show the corank c at 0. So at least c elementary divisors have
    orders of at least 1. The orders sum to at most the number of all operations. The greatest is the pole's order.
    """
    rounds = [len(batch) for batch in stability.operations]
    return sum(rounds) - (rounds[0] - 1) if rounds else 0


def _from_zero(series: Series) -> list[tuple[NDArray[Any], int]]:
    """Return a pair (coefficients, denominator) for each order >= 0 of a series. Terms of lower order are 0."""
    return list(zip(series.coefficients, series.denominators, strict=True))[-series.first :]


def _exact_vertices(
    bases: Sequence[StableBasis], bits: int, check: Callable[[], None]
) -> tuple[int, list[BasicSolution]]:
    """Increase ``bits`` until all bases are optimal at 2^-bits. Return the bits and the exact vertices."""
    while True:
        vertices = [BasicSolution.of(at_bits(base.perfect.program, bits), base.basic, check) for base in bases]
        if all(vertex.optimal for vertex in vertices):
            return bits, vertices
        bits += max(2, bits // 2)


def _domination_bits(series: Series) -> int:
    """Return b such that, at epsilon = 2^-b, each column's first nonzero term outweighs all its later terms."""
    bits = 4
    known = np.zeros(len(series.coefficients[0]), dtype=np.bool_)
    # With trembles of order 1,000, most of the many coefficients are 0.
    orders = [k for k, values in enumerate(series.coefficients) if values.any()]
    for position, k in enumerate(orders):
        values, denominator = series.coefficients[k], series.denominators[k]
        first = np.flatnonzero((values != 0) & ~known)
        if not len(first):
            continue
        known[first] = True
        size = [abs(v).bit_length() for v in values[first].tolist()]
        for later in orders[position + 1 :]:
            shift = denominator.bit_length() - series.denominators[later].bit_length() + 2
            pairs = zip(series.coefficients[later][first].tolist(), size, strict=True)
            excess = max((abs(v).bit_length() - s + shift for v, s in pairs if v), default=0)
            bits = max(bits, -(-excess // (later - k)))
    return bits

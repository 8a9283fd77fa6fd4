r"""Compute exact quasi-perfect and related equilibria of two-player constant-sum games with perfect recall.

A player trembles while it chooses a *plan*: it must play every sequence q with probability at least
:math:`l_q(\varepsilon) = W_q \varepsilon^{d(q)}`. Here d(q) is the number of own actions in q, and :math:`W_q` is the
product of the weights of these actions. For each small :math:`\varepsilon > 0`, take a Nash equilibrium of the game
with these constraints. The limit of these equilibria is quasi-perfect (van Damme 1984), for the following reason.
Suppose that an action after the sequence q is not best, given that the player makes no mistakes later. The equilibrium
then plays the action with the least allowed probability, but it plays q with probability :math:`x_q \ge l_q`. So the
ratio of the two probabilities vanishes. Van Damme allows all vanishing mistakes, so this method reaches only some
quasi-perfect equilibria. It returns one equilibrium.

The related concepts are sequential (the limit with beliefs), normal-form perfect (the limit is undominated) and
one-sided quasi-perfect (only one player trembles).

1. *Merge* the trembling program (:class:`TremblingNashProgram`), if requested. One basis of this program determines the
   plans of both players, and its matrix does not depend on :math:`\varepsilon`. Two sequences are merged if the
   trembling program treats them alike. The Nash program then treats them alike too.
2. *Solve the Nash program* exactly (:mod:`tremble.solvers.zero_sum`). Every basis of the Nash program is a basis of the
   trembling program. In a game of perfect information, continue from the basis of backward induction instead
   (:mod:`tremble.solvers.backward_induction`).
3. *Start in floats*. If most basic columns are 0 at the Nash vertex, its basis is a poor start. Instead, set
   epsilon to one small number, and solve the trembling program from scratch.
4. *Solve degree by degree* in floats (:mod:`tremble.exact.lexicographic`). Let K be the greatest number of own actions
   in a play. This step needs at most :math:`(K + 1)^2` programs, and skips programs that the last basis already solves.
   The simplex method solves each program. No polynomial bound is known for the number of its pivots.
5. *Decide exactly*. An exact check of signs decides whether the basis is stable. If not, exact pivots repair it
   (:func:`tremble.exact.lexicographic.optimize`). The pivots always end, because the program is feasible and bounded
   for small :math:`\varepsilon`. Some plans meet all constraints, and the greatest payoff bounds the objective.
6. *Return* the limits of the plans. The plans are the certificate.

References
----------
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal
form games, International Journal of Game Theory 13, 1984.
P. B. Miltersen, T. B. Sørensen: Computing a quasi-perfect equilibrium of a two-player game, Economic Theory
42, 2010. In its extended abstract (SODA 2006), each information set has a least weight, instead of each action.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, section 3.1, proposition 1, figure 1(a).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, lexicographic_float_basis, optimize
from tremble.exact.program import Program
from tremble.exact.quotient import Quotient
from tremble.exact.small_number import at_bits
from tremble.game.requirements import has_perfect_information
from tremble.game.sequence_form import SequenceForm, Sequences
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.integers import lowest_terms
from tremble.run.clock import attempted, fits
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solution.trembling_plan import TremblingPlan, polynomials
from tremble.solvers.backward_induction import all_apart, induced_choice, induced_claim
from tremble.solvers.faultless import best_limit
from tremble.solvers.method import Run
from tremble.solvers.rescaled import repaired_basis
from tremble.solvers.sequence_classes import SequenceClasses
from tremble.solvers.zero_sum import (
    PLAIN,
    LpSettings,
    NashProgram,
    for_floats,
    merged,
    merged_alike,
    offer_uniform,
    solve_program,
)

__all__ = [
    "TremblingNashProgram",
    "flow",
    "least_weights",
    "polynomials_claim",
    "refined_claim",
    "stable_vertex",
    "trembling_plan",
]

_MOST_BYTES = 2**28  # limit of the memory for the least weights of a player
_SMALL_BITS = 32  # the float solver uses no power of the small number below 2^-32
_MOST_DEGREES = _SMALL_BITS // 2  # with higher degrees, the small number would be 1/2 or more

FindVertex = Callable[["TremblingNashProgram", BasicSolution, Run], tuple[BasicSolution, dict[str, Any]]]
"""A function that starts from the optimum at epsilon = 0, and returns a stable vertex and diagnostics."""


def refined_claim(
    tree: GameTree, concept: str, run: Run, settings: LpSettings = PLAIN, published: FindVertex | None = None
) -> Claim:
    """Compute a refined equilibrium; its proof is a pair of plans that are polynomials in epsilon.

    Parameters
    ----------
    published : callable, optional
        A published algorithm that replaces :func:`stable_vertex`. This algorithm always starts from the Nash vertex.
    """
    # In a game of perfect information that is too deep for trembling plans, backward induction is the proof.
    guided = published is None and has_perfect_information(tree)
    if guided and (deep := induced_claim(tree, concept, run)) is not None:
        return deep
    # Solve the Nash program with the same merged classes as the trembling program.
    offer_uniform(tree, run)
    weights = run.weights(tree)
    trembling = TremblingNashProgram.of(NashProgram.of(SequenceForm.of(tree)), weights)
    trembling, merging = merged(trembling, run, settings)
    nash = solve_program(tree, trembling.nash, run, settings, merging)
    began = run.clock.elapsed
    # Choose the first basis.
    start = nash.vertex
    if guided:
        classes = all_apart(tree) if nash.program.classes is None else nash.program.classes.of
        choice = induced_choice(tree, run.clock.check, weights, classes)
        if choice is not None:  # the basis of backward induction is also optimal in the Nash program
            start = BasicSolution.of(start.program, nash.program.basis_where(choice), run.clock.check)
    # Find a stable vertex, and claim the limits of its plans.
    vertex, stats = (published or stable_vertex)(trembling, start, run)
    plans = trembling.plans(vertex)
    stats = {"degrees": [len(levels) - 1 for levels in trembling.least], **stats}
    claim = polynomials_claim(tree, concept, plans, weights, stats, run)
    return replace(claim, diagnostics=nash.stats_with(claim.diagnostics, run.clock.elapsed - began))


# -- the program -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TremblingNashProgram:
    r"""The linear program of an equilibrium in which every sequence has at least the weight of its tremble.

    Let :math:`l_i(\varepsilon)` be the least weights of the sequences of player i, with 0 for the empty sequence. With
    :math:`x = l_1 + \tilde x` and :math:`y = l_2 + \tilde y`, the program of :class:`NashProgram` becomes

    .. math::  \max\; (U l_2)^T \tilde x + (f - F l_2)^T v \quad\text{s.t.}\quad E \tilde x = e - E l_1, \qquad
               F^T v - U^T \tilde x \le U^T l_1, \qquad \tilde x \ge 0, \; v \text{ free}.

    The multipliers of the inequalities are :math:`\tilde y`. At :math:`\varepsilon = 0`, this program is the
    Nash program. The matrix does not depend on :math:`\varepsilon`, so both programs have the same bases.
    """

    nash: NashProgram
    program: Program
    # Coefficients of l_i; K_i is the greatest order of a sequence.
    least: tuple[NDArray[Any], NDArray[Any]]  # pair of object[K_i + 1, S_i]
    rescaled: TremblingNashProgram | None = None  # the program with rescaled payoffs, as in NashProgram

    @classmethod
    def of(cls, nash: NashProgram, trembles: Trembles) -> TremblingNashProgram:
        """Build the trembling program from a Nash program and trembles."""
        plain, form, payoff = nash.program, nash.form, nash.payoff
        own1, own2 = form.sequences
        least = least_weights(own1, trembles), least_weights(own2, trembles)
        rhs = np.zeros((len(least[0]), plain.num_rows), dtype=object)
        cost = np.zeros((len(least[1]), plain.num_columns), dtype=object)
        rhs[0], cost[0] = plain.rhs[0], plain.cost[0]
        for level, weight in zip(rhs, least[0], strict=True):
            level[plain.rows["flow of player 1"]] -= flow(own1, weight)
            level[plain.rows["plan of player 2"]] += payoff.transposed_dot(weight)
        for level, weight in zip(cost, least[1], strict=True):
            level[plain.columns["plan of player 1"]] += payoff.dot(weight)
            level[plain.columns["values of player 2"]] -= flow(own2, weight)
        rescaled = None if nash.rescaled is None else cls.of(nash.rescaled, trembles)
        return cls(nash, replace(plain, rhs=rhs, cost=cost), least, rescaled)

    def merged(self, quotient: Quotient) -> TremblingNashProgram:
        """Return the merged program. The quotient contains the classes of this program's rows and columns."""
        rescaled = merged_alike(self.rescaled, quotient)
        nash = replace(
            self.nash,
            program=quotient.program.at_zero,
            classes=SequenceClasses.of_program(quotient),
            rescaled=None if rescaled is None else rescaled.nash,
        )
        return replace(self, nash=nash, program=quotient.program, rescaled=rescaled)

    def plans(self, vertex: BasicSolution) -> tuple[TremblingPlan, TremblingPlan]:
        """Compute both players' optimal plans, as polynomials in epsilon, from a stable vertex."""
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        values = zip(vertex.values[:, one], vertex.value_denominators, strict=True)
        reduced = zip(-vertex.reduced_costs[:, two], vertex.reduced_denominators, strict=True)
        return (
            trembling_plan(0, [self.nash.expand(0, *level) for level in values], self.least[0]),
            trembling_plan(1, [self.nash.expand(1, *level) for level in reduced], self.least[1]),
        )


def least_weights(own: Sequences, trembles: Trembles) -> NDArray[Any]:
    """Return the least weights of all sequences. Entry [k, q] is the coefficient of order k for sequence q.

    A least weight is a coefficient times a power of epsilon. The order of a sequence is the sum of its moves' orders.
    All coefficients are 0 for the empty sequence, and for all sequences of a player who makes no mistakes.

    Raises
    ------
    LimitReached
        The coefficients do not fit in memory. This happens in very deep games.
    """
    order = own.totals(trembles.order[own.player])
    weight = own.plan(trembles.weight[own.player].astype(object))
    order[weight == 0] = 0
    most = int(order.max())
    size = 8 * (most + 1) * own.num_sequences
    if size > _MOST_BYTES or not fits(2 * size):
        raise LimitReached(
            f"stopped because the orders of the trembles along one path add up to {most:,}, and polynomials of this "
            f"degree would need {2 * size >> 20:,} MiB"
        )
    levels = np.zeros((most + 1, own.num_sequences), dtype=object)
    levels[order, np.arange(own.num_sequences)] = weight
    levels[0, 0] = 0
    return levels


def flow(own: Sequences, weight: NDArray[Any]) -> NDArray[Any]:
    """Return the empty sequence's weight; then, per set, its actions' total weight minus the weight that reaches it."""
    sums = np.add.reduceat(weight, own.start[:-1]) if own.num_infosets else weight[:0]
    return np.concatenate((weight[:1], sums - weight[own.parent]))


def trembling_plan(
    player: int, levels: Sequence[tuple[NDArray[Any], int]], least: NDArray[Any] | int = 0
) -> TremblingPlan:
    """Build a plan from ``levels``: S coefficients and a denominator per degree. Add ``least`` to each coefficient."""
    common = lcm(*(denominator for _, denominator in levels))
    weight = np.stack([values * (common // denominator) for values, denominator in levels]) + least * common
    weights, denominator = lowest_terms(weight.ravel().tolist(), common)
    return TremblingPlan(player, np.array(weights, dtype=object).reshape(weight.shape), denominator)


# -- a stable vertex ---------------------------------------------------------------------------------


def stable_vertex(
    trembling: TremblingNashProgram, nash: BasicSolution, run: Run
) -> tuple[BasicSolution, dict[str, Any]]:
    """Return a stable vertex of ``trembling``, and statistics. Start at ``nash``, the optimum at epsilon = 0."""
    clock, progress = run.clock, run.progress
    program, easiest = trembling.program, for_floats(trembling)[0].program
    began = clock.elapsed
    basis, iterations, programs = np.flatnonzero(nash.basic), 0, 0
    degree = max(len(program.rhs), len(program.cost)) - 1
    # If most basic columns are 0, the basis is a poor start. Then solve from scratch at one small number.
    if nash.degenerate and degree <= _MOST_DEGREES:
        progress("refinement, floating point", None)
        at_a_number = at_bits(easiest, min(8, _SMALL_BITS // max(degree, 1)))
        start = attempted(partial(solve_float, at_a_number, clock.check, tolerance=1e-9))
        basis = basis if start is None else start.basis
    # Solve degree by degree in floats. If this step fails, exact pivots do all the work.
    progress("refinement, degree by degree", 0.0)
    report = partial(progress, "refinement, degree by degree")
    by_degree = attempted(partial(lexicographic_float_basis, easiest, basis, clock.check, report))
    if by_degree is not None:
        basis, iterations, programs = by_degree.basis, by_degree.iterations, by_degree.programs
    if trembling.rescaled is not None:  # payoffs differ too much in size for float tolerances
        basis = repaired_basis([rescaled.program for rescaled in for_floats(trembling)], basis, run)
    float_seconds = clock.elapsed - began
    # Check the basis exactly, and repair it by exact pivots.
    progress("stability of the basis", None)
    stable, pivots = optimize(program, basis, clock.check)
    stats = {
        "linear_program_seconds_float": float_seconds,
        "lexicographic_programs": programs,
        "lexicographic_iterations": iterations,
        "exact_pivots": pivots,
        "denominator_bits": max(d.bit_length() for d in (*stable.value_denominators, *stable.reduced_denominators)),
    }
    return stable, stats


# -- the claim ---------------------------------------------------------------------------------------


def polynomials_claim(
    tree: GameTree,
    concept: str,
    plans: tuple[TremblingPlan, TremblingPlan],
    weights: Trembles,
    stats: dict[str, Any],
    run: Run,
) -> Claim:
    """Return a claim: the limits of the plans, a certificate with the plans, and beliefs if the concept needs them."""
    beliefs = None
    if CONCEPTS[concept].beliefs:
        run.progress("beliefs", None)
        beliefs = limit_beliefs(tree, plans)
    certificate = polynomials(plans, weights.rows(), weights.orders())
    strategies = pair(
        best_limit(tree, plan, plans[1 - player]) if player == weights.faultless else plan.limit(tree)
        for player, plan in enumerate(plans)
    )
    return Claim(strategies, stats, certificate, beliefs)

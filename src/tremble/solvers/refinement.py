"""Refinements of Nash equilibria as claims, with their certificates.

A refinement starts from the exact Nash equilibrium, of which its program has a basis too. How a stable one is found
from there is up to the method; what is claimed of it is not. What is merged is what its program does not tell apart,
and then the Nash program does not either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.lexicographic import BasicSolution
from tremble.exact.stability import Stability
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy, TremblingPlan
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution import certificates
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.backward_induction import Choice, all_apart, induced_choice
from tremble.solvers.basis_certificate import StableBasis, basis_certificate, stability_of
from tremble.solvers.nash import PLAIN, LpSettings, NashEquilibrium, merged, offer_uniform, solve_program
from tremble.solvers.run import Run
from tremble.solvers.sequence_programs import NashProgram, PerfectProgram, TremblingNashProgram

__all__ = ["REFINEMENTS", "Search", "best_limit", "polynomials_claim", "refined_claim"]

FindVertex = Callable[[TremblingNashProgram, BasicSolution, Run], tuple[BasicSolution, dict[str, Any]]]
"""From a program whose matrix does not tremble and its optimum at 0 to a stable vertex, and diagnostics."""

FindBasis = Callable[[PerfectProgram, BasicSolution, Run], tuple[NDArray[np.int64], Stability, dict[str, Any]]]
"""From a program and the optimum of its Nash program to a stable basis, its stability, and diagnostics."""


@dataclass(frozen=True)
class Search:
    """How a stable basis is found of either formulation."""

    vertex: FindVertex
    basis: FindBasis
    induced: bool = False  # whether the basis of backward induction is looked at first, in games of perfect information


def refined_claim(tree: GameTree, run: Run, concept: str, search: Search, settings: LpSettings = PLAIN) -> Claim:
    """An exact refinement of a Nash equilibrium."""
    offer_uniform(tree, run)
    formulation, claimed = REFINEMENTS[concept]
    program = formulation.of(NashProgram.of(SequenceForm.of(tree)), run.weights(tree))
    stats: dict[str, Any] = {}
    if settings.merge:
        program, stats = merged(program, run)
    nash = solve_program(tree, program.nash, run, settings, stats)
    began = run.clock.elapsed
    claim = claimed(program, nash, concept, run, search)
    refinement = {**claim.diagnostics, "seconds_float": run.clock.elapsed - began}
    diagnostics = {**nash.stats, **{f"refinement_{key}": value for key, value in refinement.items()}}
    return replace(claim, diagnostics=diagnostics)


def _trembling(trembling: TremblingNashProgram, nash: NashEquilibrium, concept: str, run: Run, search: Search) -> Claim:
    """The limits of the plans at a stable vertex."""
    start = nash.vertex
    choice = _induced(trembling.nash, nash.tree, run, search)
    if choice is not None:  # an optimum of the Nash program as well
        start = BasicSolution.of(start.program, trembling.nash.basis_where(choice), run.clock.check)
    vertex, stats = search.vertex(trembling, start, run)
    plans = trembling.plans(vertex)
    stats = {"degrees": [len(levels) - 1 for levels in trembling.least], **stats}
    return polynomials_claim(nash.tree, concept, plans, run.weights(nash.tree), stats, run)


def _induced(nash: NashProgram, tree: GameTree, run: Run, search: Search, *, own_slips: bool = False) -> Choice | None:
    """What backward induction chooses, alike for what is merged; None if it is not asked or does not tell."""
    if not search.induced:
        return None
    classes = all_apart(tree) if nash.classes is None else nash.classes.of
    return induced_choice(tree, run.clock.check, run.weights(tree), classes, own_slips=own_slips)


def polynomials_claim(
    tree: GameTree,
    concept: str,
    plans: tuple[TremblingPlan, TremblingPlan],
    weights: Trembles,
    stats: dict[str, Any],
    run: Run,
) -> Claim:
    """The limits of trembling plans, with the plans as their certificate, and beliefs where the concept has them."""
    beliefs = None
    if CONCEPTS[concept].beliefs:
        run.progress("beliefs", None)
        beliefs = limit_beliefs(tree, plans)
    certificate = certificates.polynomials(plans, weights.rows(), weights.orders())
    strategies = pair(
        best_limit(tree, plan, plans[1 - player]) if player == weights.faultless else plan.limit(tree)
        for player, plan in enumerate(plans)
    )
    return Claim(strategies, stats, certificate, beliefs)


def best_limit(tree: GameTree, plan: TremblingPlan, other: TremblingPlan) -> BehaviorStrategy:
    """The limit of a plan where it comes; elsewhere the first action that is best against the plan of the other.

    What an action earns is a polynomial: the list of its coefficients, of which the first that differs decides.
    """
    side = SequenceForm.of(tree).side(plan.player)
    worth = side.gains(other.coefficient.T).tolist()
    rows: list[list[Fraction]] = []
    weight, order = plan.coefficient.T.tolist(), plan.order.tolist()
    for before, first, end in reversed(side.steps()):
        best = max(worth[first:end])
        worth[before] = [a + b for a, b in zip(worth[before], best, strict=True)]
        if whole := weight[before][order[before]]:
            rows.append([Fraction(weight[q][order[before]], whole) for q in range(first, end)])
        else:
            at = worth.index(best, first, end)
            rows.append([Fraction(q == at) for q in range(first, end)])
    strategy = BehaviorStrategy.from_rows(tree, plan.player, rows[::-1])
    return replace(strategy, off_path=np.zeros_like(strategy.off_path))  # it is said everywhere what to do


def _perfect(perfect: PerfectProgram, nash: NashEquilibrium, _concept: str, run: Run, search: Search) -> Claim:
    """The limits of the plans at a stable basis, with the basis as their certificate."""
    stability: Stability | None = None
    search_stats: dict[str, Any] = {"float_iterations": 0, "asymptotic_pivots": 0, "exact_pivots": 0}
    choice = _induced(perfect.nash, nash.tree, run, search, own_slips=True)
    if choice is not None:
        basis = perfect.basis_where(choice[0], ~choice[1])
        stability = stability_of(perfect, basis, run)
    if stability is None or not stability.stable:
        basis, stability, search_stats = search.basis(perfect, nash.vertex, run)
    began = run.clock.elapsed
    (plan1, plan2), certificate, stats = basis_certificate([StableBasis(perfect, basis, stability)], run)
    denominators = (*stability.values.denominators, *stability.reduced_costs.denominators)
    stats["denominator_bits"] = max(d.bit_length() for d in denominators)
    stats["certificate_seconds_float"] = run.clock.elapsed - began
    return Claim((plan1.limit(nash.tree), plan2.limit(nash.tree)), {**search_stats, **stats}, certificate)


REFINEMENTS: dict[str, tuple[Any, Callable[..., Claim]]] = {
    **dict.fromkeys(
        ("quasi-perfect", "one-sided-quasi-perfect", "sequential", "normal-form-perfect"),
        (TremblingNashProgram, _trembling),
    ),
    "perfect": (PerfectProgram, _perfect),
}
"""Refinement -> the program whose plans have it as their limit, and what is claimed of these."""

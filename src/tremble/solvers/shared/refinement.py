"""Refinements of Nash equilibria as claims, with their certificates.

A refinement starts from the exact Nash equilibrium, of which its program has a basis too. How a stable one is found
from there is up to the method; what is claimed of it is not. What is merged is what its program does not tell apart,
and then the Nash program does not either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.linear.lexicographic import BasicSolution
from tremble.linear.stability import Stability
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import TremblingPlan
from tremble.model.tree import GameTree
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.run import Run
from tremble.solvers.shared.backward_induction import induced_basis
from tremble.solvers.shared.basis_certificate import StableBasis, basis_certificate
from tremble.solvers.shared.nash import PLAIN, LpSettings, NashEquilibrium, merged, offer_uniform, solve_program
from tremble.solvers.shared.sequence_programs import NashProgram, PerfectProgram, TremblingNashProgram
from tremble.verifier.certificates.fields import Plans
from tremble.verifier.certificates.polynomials import PolynomialsCertificate
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["REFINEMENTS", "Search", "polynomials_claim", "refined_claim"]

FindVertex = Callable[[TremblingNashProgram, BasicSolution, Run], tuple[BasicSolution, dict[str, Any]]]
"""From a program whose matrix does not tremble and its optimum at 0 to a stable vertex, and diagnostics."""

FindBasis = Callable[[PerfectProgram, BasicSolution, Run], tuple[NDArray[np.int64], Stability, dict[str, Any]]]
"""From a program and the optimum of its Nash program to a stable basis, its stability, and diagnostics."""


@dataclass(frozen=True)
class Search:
    """How a stable basis is found of either formulation."""

    vertex: FindVertex
    basis: FindBasis


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
    start, induced = nash.vertex, induced_basis(nash.tree, trembling.nash, run.clock.check)
    if induced is not None:
        start = BasicSolution.of(start.program, induced, run.clock.check)  # an optimum of the Nash program as well
    vertex, stats = search.vertex(trembling, start, run)
    plans = trembling.plans(vertex)
    stats = {"degrees": [len(levels) - 1 for levels in trembling.least], **stats}
    return polynomials_claim(nash.tree, concept, plans, run.weights(nash.tree), stats, run)


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
    plan1, plan2 = plans
    certificate = PolynomialsCertificate(Plans.of(plans), weights.rows()).plain()
    return Claim((plan1.limit(tree), plan2.limit(tree)), stats, certificate, beliefs)


def _perfect(perfect: PerfectProgram, nash: NashEquilibrium, _concept: str, run: Run, search: Search) -> Claim:
    """The limits of the plans at a stable basis, with the basis as their certificate."""
    basis, stability, search_stats = search.basis(perfect, nash.vertex, run)
    began = run.clock.elapsed
    (plan1, plan2), certificate, stats = basis_certificate([StableBasis(perfect, basis, stability)], run)
    denominators = (*stability.values.denominators, *stability.reduced_costs.denominators)
    stats["denominator_bits"] = max(d.bit_length() for d in denominators)
    stats["certificate_seconds_float"] = run.clock.elapsed - began
    return Claim((plan1.limit(nash.tree), plan2.limit(nash.tree)), {**search_stats, **stats}, certificate.plain())


REFINEMENTS: dict[str, tuple[Any, Callable[..., Claim]]] = {
    **dict.fromkeys(("quasi-perfect", "sequential"), (TremblingNashProgram, _trembling)),
    "perfect": (PerfectProgram, _perfect),
}
"""Refinement -> the program whose plans have it as their limit, and what is claimed of these."""

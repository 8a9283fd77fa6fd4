"""From complementary pivots to claims, with their certificates."""

from __future__ import annotations

from tremble.linear.lemke import solve_complementarity
from tremble.model.strategy import RealizationPlan, TremblingPlan
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.general_sum.formulation import ComplementarityProgram
from tremble.solvers.general_sum.perfect import perfect_claim
from tremble.solvers.run import Run
from tremble.solvers.shared.refinement import polynomials_claim
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["general_sum_claim"]

_OWN_PROBLEM = {"perfect": perfect_claim}
"""Concepts that need another complementarity problem."""


def general_sum_claim(tree: GameTree, concept: str, prior: Trembles, run: Run) -> Claim:
    """The equilibrium that a prior leads to; hands tremble in proportion to it unless the run has other weights."""
    weights = prior if run.trembles is None else run.trembles
    if concept in _OWN_PROBLEM:
        return _OWN_PROBLEM[concept](tree, prior, weights, run)
    began = run.clock.elapsed
    run.progress("linear complementarity problem", None)
    program = ComplementarityProgram.of(tree, weights, prior)

    def report(pivots: int) -> None:
        run.progress(f"complementary pivots ({pivots:,} done)", None)

    solved = solve_complementarity(program.problem, run.clock.check, report)
    plans = program.plans(solved.vertex)
    stats = {
        "rows": program.program.num_rows,
        "pivots": solved.pivots,
        "exact_pivots": solved.exact_pivots,
        "float_attempts": solved.attempts,
        "denominator_bits": max(d.bit_length() for d in solved.vertex.value_denominators),
        "complementary_pivots_seconds_float": run.clock.elapsed - began,
    }
    if CONCEPTS[concept].refines:
        return polynomials_claim(tree, concept, plans, weights, stats, run)
    plan1, plan2 = map(_at_zero, plans)
    return Claim((plan1.to_behavior(tree), plan2.to_behavior(tree)), stats)


def _at_zero(plan: TremblingPlan) -> RealizationPlan:
    """What is left of a plan without trembles."""
    return RealizationPlan(plan.player, plan.coefficient[0], plan.denominator)

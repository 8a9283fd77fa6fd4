"""Compute an equilibrium of a game of any sum by complementary pivots, as a claim with its certificate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tremble.exact.lemke import solve_complementarity
from tremble.game.strategy import RealizationPlan, TremblingPlan
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.backward_induction import SUFFICED, induced_choice, induced_claim
from tremble.solvers.general_sum.formulation import ComplementarityProgram
from tremble.solvers.general_sum.perfect import perfect_claim
from tremble.solvers.general_sum.symmetry import Symmetry
from tremble.solvers.refinement import polynomials_claim
from tremble.solvers.run import Run

__all__ = ["general_sum_claim", "symmetrically"]

_OWN_PROBLEM = {"perfect": perfect_claim}
"""Concepts that need another complementarity problem."""


def general_sum_claim(tree: GameTree, concept: str, prior: Trembles, run: Run, *, symmetric: bool = False) -> Claim:
    """Return the equilibrium that Lemke's path from a prior ends in.

    Players tremble in proportion to the prior unless the run has other weights.

    A one-sided concept has a player who makes no mistakes. Both players tremble here all the same. Without the trembles
    of player 1, say, player 2's flow equations could fail at a set that player 1 never reaches, because player 2 loses
    nothing there. The path then ends in a quasi-perfect equilibrium. Afterwards the trembles of the player without
    mistakes are dropped. This changes that player's plan only. Each best response to the whole plan is also a best
    response to its terms of degree 0.

    A ``symmetric`` equilibrium is equal on the classes of :class:`Symmetry`; the diagnostics report their number.
    """
    induced = induced_claim(tree, concept, run)
    if induced is not None:
        return induced
    weights = prior if run.trembles is None else run.trembles
    claimed = _OWN_PROBLEM.get(concept, partial(_claim, concept))
    if not symmetric:
        return claimed(tree, prior, weights, run, None)
    run.progress("what is alike", None)
    symmetry = Symmetry.of(tree, weights, prior, run.clock.check)
    claim = claimed(tree, prior, weights, run, symmetry if symmetry.merges else None)
    return replace(claim, diagnostics={**claim.diagnostics, "symmetric": symmetry.plain()})


def symmetrically(tree: GameTree, weights: Trembles, run: Run) -> Trembles:
    """Return weights that are as symmetric as the game."""
    uniform = Trembles.uniform(tree)
    return Symmetry.of(tree, uniform, uniform, run.clock.check).shared(weights)


def _claim(
    concept: str, tree: GameTree, prior: Trembles, weights: Trembles, run: Run, symmetry: Symmetry | None
) -> Claim:
    """Return the claim of a concept that the trembling plans of the sequence form certify."""
    began = run.clock.elapsed
    run.progress("linear complementarity problem", None)
    program = ComplementarityProgram.of(tree, weights.of_both, prior)
    if symmetry is not None:
        program = program.merged(symmetry)

    def report(pivots: int) -> None:
        run.progress(f"complementary pivots ({pivots:,} done)", None)

    induced = None if symmetry is not None else induced_choice(tree, run.clock.check, weights, None)
    guess = None if induced is None else program.basis_of(induced)
    solved = solve_complementarity(program.problem, run.clock.check, report, guess=guess)
    plans = program.plans(solved.vertex)
    stats: dict[str, Any] = {
        "rows": program.program.num_rows,
        "pivots": solved.pivots,
        "exact_pivots": solved.exact_pivots,
        "float_attempts": solved.attempts,
        "denominator_bits": max(d.bit_length() for d in solved.vertex.value_denominators),
        "complementary_pivots_seconds_float": run.clock.elapsed - began,
    }
    if guess is not None and np.array_equal(solved.vertex.basic, program.program.basic(guess)):
        stats |= SUFFICED
    if weights.faultless is not None:
        plans = pair(_without_mistakes(plan) if plan.player == weights.faultless else plan for plan in plans)
    if CONCEPTS[concept].refines:
        return polynomials_claim(tree, concept, plans, weights, stats, run)
    plan1, plan2 = map(_at_zero, plans)
    return Claim((plan1.to_behavior(tree), plan2.to_behavior(tree)), stats)


def _without_mistakes(plan: TremblingPlan) -> TremblingPlan:
    """Return the terms of degree 0 of a plan, as a trembling plan."""
    return TremblingPlan(plan.player, plan.coefficient[:1], plan.denominator)


def _at_zero(plan: TremblingPlan) -> RealizationPlan:
    """Return the limit of a trembling plan: its terms of degree 0."""
    return RealizationPlan(plan.player, plan.coefficient[0], plan.denominator)

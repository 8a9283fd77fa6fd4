"""From what the linear programs find to claims, with their certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import TremblingPlan
from tremble.model.tree import GameTree
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import BasisCertificate, PolynomialsCertificate
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.lp.nash import NashEquilibrium, solve_nash
from tremble.solvers.lp.perfect import PerfectEquilibrium
from tremble.solvers.run import Run

__all__ = ["exact_nash", "nash_claim", "perfect_claim", "trembling_claim"]


def exact_nash(tree: GameTree, run: Run) -> NashEquilibrium:
    """The exact Nash equilibrium, offered for the case that a refinement of it is stopped."""
    equilibrium = solve_nash(tree, SequenceForm.of(tree), run.clock, run.progress, run.offer)
    run.offer(lambda: nash_claim(tree, equilibrium).strategies)
    return equilibrium


def nash_claim(tree: GameTree, equilibrium: NashEquilibrium) -> Claim:
    """An equilibrium."""
    one, two = equilibrium.plans
    return Claim((one.to_behavior(tree), two.to_behavior(tree)), equilibrium.stats)


def trembling_claim(
    tree: GameTree,
    concept: str,
    run: Run,
    nash: NashEquilibrium,
    plans: tuple[TremblingPlan, TremblingPlan],
    stats: Mapping[str, Any],
) -> Claim:
    """The limits of trembling plans, with the plans as their certificate, and beliefs where the concept has them."""
    one, two = plans
    beliefs = None
    if concept == "sequential":
        run.progress("beliefs", None)
        beliefs = limit_beliefs(tree, plans)
    certificate = PolynomialsCertificate(plans, run.weights(tree).rows())
    return Claim((one.limit(tree), two.limit(tree)), _diagnostics(nash, stats), certificate, beliefs)


def perfect_claim(tree: GameTree, weights: Trembles, nash: NashEquilibrium, refined: PerfectEquilibrium) -> Claim:
    """The limits of the plans at a stable basis, with the basis as their certificate."""
    one, two = refined.plans
    pivots = refined.stability.pivots
    certificate = BasisCertificate(
        high=[side.tolist() for side in refined.high],
        plans=refined.plans,
        epsilon=refined.epsilon,
        plans_there=refined.plans_there,
        pivots=None if pivots is None else list(zip(*(side.tolist() for side in pivots), strict=True)),
        null_vectors=[
            (operation.row, operation.rows.tolist(), operation.factor.tolist())
            for batch in refined.stability.operations[:1]
            for operation in batch
        ],
        zeros={name: [side.tolist() for side in sides] for name, sides in refined.zeros.items()},
        trembles=weights.rows(),
        error_bits=refined.stability.error_bits,
    )
    return Claim((one.limit(tree), two.limit(tree)), _diagnostics(nash, refined.stats), certificate)


def _diagnostics(nash: NashEquilibrium, refinement: Mapping[str, Any]) -> dict[str, Any]:
    return {**nash.stats, **{f"refinement_{key}": value for key, value in refinement.items()}}

"""What the method ``lp`` claims of a tree, by concept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tremble.game.scale import Scale
from tremble.game.tree import GameTree
from tremble.solution import certificates
from tremble.solution.claim import Claim, Profile
from tremble.solvers.backward_induction import induced_claim
from tremble.solvers.lp.perfect import stable_basis
from tremble.solvers.lp.proper import proper_claim
from tremble.solvers.lp.quasi_perfect import stable_vertex
from tremble.solvers.nash import LpSettings, solve_nash
from tremble.solvers.refinement import REFINEMENTS, Search, refined_claim
from tremble.solvers.run import Run

__all__ = ["CLAIMS", "STABLE"]

STABLE = Search(stable_vertex, stable_basis, induced=True)


def _refined(concept: str, tree: GameTree, run: Run, settings: LpSettings) -> Claim:
    return induced_claim(tree, concept, run) or refined_claim(tree, run, concept, STABLE, settings)


def _maxmin(tree: GameTree, run: Run, settings: LpSettings) -> Claim:
    """What best responses prove in the game itself; without a constant sum where the other loses what is earned."""
    if tree.constant_sum is not None:
        return solve_nash(tree, run, settings).maxmin_claim()
    against = Scale.of(tree, run.player).scaled(tree, run.player)
    certificate = certificates.guarantee(run.player)

    def offer(make: Callable[[], Profile]) -> None:
        run.offer_claim(lambda: Claim(make(), {}, certificate))

    return replace(solve_nash(against, replace(run, offer=offer), settings).maxmin_claim(), certificate=certificate)


CLAIMS: dict[str, Callable[..., Claim]] = {
    "nash": lambda tree, run, settings: solve_nash(tree, run, settings).claim(),
    "maxmin": _maxmin,
    "proper": proper_claim,
    **{name: partial(_refined, name) for name in REFINEMENTS},
}
"""Concept -> its claim of a tree in a run, with settings."""

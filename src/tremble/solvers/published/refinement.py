"""What the published algorithms for refinements have in common."""

from __future__ import annotations

from dataclasses import dataclass

from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.method import TreeMethod, accept_tree
from tremble.solvers.run import Run

__all__ = ["PublishedRefinement"]


@dataclass(frozen=True)
class PublishedRefinement(TreeMethod):
    """Starts from the exact Nash equilibrium, and looks for a stable basis its own way."""

    def run(self, game: GameTree | UnbuiltGame, concept: str, run: Run) -> Claim:
        """Nash first; then the algorithm."""
        from tremble.solvers.lp.claims import exact_nash, perfect_claim, trembling_claim
        from tremble.solvers.lp.formulation import PerfectProgram
        from tremble.solvers.lp.perfect import stability_of, with_certificate
        from tremble.solvers.published.algorithms import solve_quasi_perfect, stable_basis

        tree = accept_tree(game)
        nash = exact_nash(tree, run)
        weights = run.weights(tree)
        if concept != "perfect":
            refined = solve_quasi_perfect(self.name, nash.program, nash.vertex, weights, run.clock, run.progress)
            return trembling_claim(tree, concept, run, nash, refined.plans, refined.stats)
        perfect = PerfectProgram.of(nash.program, weights.weight)
        basis, stability, stats = stable_basis(
            self.name, perfect.program, perfect.basis_of(nash.vertex), run.clock.check, run.progress
        )
        stability = stability_of(perfect, basis, run.clock, run.progress) or stability
        found = with_certificate(perfect, basis, stability, stats, run.clock, run.progress)
        return perfect_claim(tree, weights, nash, found)

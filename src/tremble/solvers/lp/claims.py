"""What the method ``lp`` claims of a tree, by concept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.lp.perfect import stable_basis
from tremble.solvers.lp.quasi_perfect import stable_vertex
from tremble.solvers.run import Run
from tremble.solvers.shared.backward_induction import induced_claim
from tremble.solvers.shared.nash import LpSettings, solve_nash
from tremble.solvers.shared.refinement import REFINEMENTS, Search, refined_claim

__all__ = ["CLAIMS", "STABLE"]

STABLE = Search(stable_vertex, stable_basis, induced=True)


def _refined(concept: str, tree: GameTree, run: Run, settings: LpSettings) -> Claim:
    return induced_claim(tree, concept, run) or refined_claim(tree, run, concept, STABLE, settings)


CLAIMS: dict[str, Callable[..., Claim]] = {
    "nash": lambda tree, run, settings: solve_nash(tree, run, settings).claim(),
    "maxmin": lambda tree, run, settings: solve_nash(tree, run, settings).maxmin_claim(),
    **{name: partial(_refined, name) for name in REFINEMENTS},
}
"""Concept -> its claim of a tree in a run, with settings."""

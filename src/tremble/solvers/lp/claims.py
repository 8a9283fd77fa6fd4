"""What the method ``lp`` claims of a tree, by concept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.lp.perfect import stable_basis
from tremble.solvers.lp.quasi_perfect import stable_vertex
from tremble.solvers.run import Run
from tremble.solvers.shared.nash import solve_nash
from tremble.solvers.shared.refinement import REFINEMENTS, Search, refined_claim

__all__ = ["CLAIMS", "STABLE"]

STABLE = Search(stable_vertex, stable_basis)

CLAIMS: dict[str, Callable[[GameTree, Run], Claim]] = {
    "nash": lambda tree, run: solve_nash(tree, run).claim(),
    "maxmin": lambda tree, run: solve_nash(tree, run).maxmin_claim(),
    **{name: partial(refined_claim, concept=name, search=STABLE) for name in REFINEMENTS},
}
"""Concept -> its claim."""

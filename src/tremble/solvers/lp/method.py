"""Linear programs in sequence form, made exact: the method for trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.method import TreeMethod, accept_tree
from tremble.solvers.run import Run

__all__ = ["Lp"]


@dataclass(frozen=True)
class Lp(TreeMethod):
    """One sparse linear program for both players, solved in floats and made exact.

    For refinements, a trembling linear program whose basis is proven stable.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method=tremble.methods.Lp()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "lp"
    summary: ClassVar[str] = "one linear program, made exact"
    concepts: ClassVar[tuple[str, ...]] = ("nash", "quasi-perfect", "sequential", "perfect")

    def recommended(self, game: GameTree | UnbuiltGame, concept: str) -> str | None:
        """For all trees with a constant sum."""
        if isinstance(game, UnbuiltGame) or game.constant_sum is None or concept not in self.concepts:
            return None
        if concept == "nash":
            return "one sparse linear program in sequence form, made exact"
        return "one trembling linear program for both players, its basis proven stable"

    def run(self, game: GameTree | UnbuiltGame, concept: str, run: Run) -> Claim:
        """Nash first; refinements start from there."""
        from tremble.solvers.lp.claims import nash_claim, refined_claim
        from tremble.solvers.lp.perfect import stable_basis
        from tremble.solvers.lp.quasi_perfect import stable_vertex

        tree = accept_tree(game)
        return (
            nash_claim(tree, run)
            if concept == "nash"
            else refined_claim(tree, concept, run, stable_vertex, stable_basis)
        )

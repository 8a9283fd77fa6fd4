"""Regret minimisation: strategies with bounds at most a gap apart, no exact value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.method import TreeMethod, accept_tree
from tremble.solvers.run import Run

__all__ = ["Cfr", "CfrPlus", "Dcfr"]


@dataclass(frozen=True)
class _RegretMinimization(TreeMethod):
    """What the variants have in common."""

    concepts: ClassVar[tuple[str, ...]] = ("nash",)
    approximate: ClassVar[bool] = True

    def run(self, game: GameTree | UnbuiltGame, concept: str, run: Run) -> Claim:
        """Iterate until the average plans prove the value up to the gap."""
        from tremble.solvers.regret.minimizer import VARIANTS
        from tremble.solvers.regret.solve import solve_regret

        return solve_regret(VARIANTS[self.name], accept_tree(game), run)


@dataclass(frozen=True)
class Cfr(_RegretMinimization):
    """Counterfactual regret minimisation (Zinkevich et al. 2007).

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.Cfr(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "cfr"
    summary: ClassVar[str] = "regret minimisation: bounds at most --gap apart"


@dataclass(frozen=True)
class CfrPlus(_RegretMinimization):
    """CFR+ (Tammelin 2014): regrets kept from below 0, and later iterations count more.

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.CfrPlus(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "cfr+"
    summary: ClassVar[str] = "the same, regrets kept from below 0"


@dataclass(frozen=True)
class Dcfr(_RegretMinimization):
    """Discounted CFR (Brown & Sandholm 2019).

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.Dcfr(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "dcfr"
    summary: ClassVar[str] = "the same, early regrets discounted"

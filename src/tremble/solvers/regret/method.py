"""Regret minimisation: strategies with bounds at most a gap apart, no exact value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.model.rules import UnbuiltGame
from tremble.model.sequence_form import SequenceForm
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
        from tremble.solvers.regret.solve import solve_regret

        assert run.gap is not None
        tree = accept_tree(game)
        form = SequenceForm.of(tree)
        found = solve_regret(self.name, tree, form, run.clock, run.progress, run.offer, run.gap, run.log)
        return Claim(found.strategies, found.stats)


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
    summary: ClassVar[str] = "counterfactual regret minimisation"


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
    summary: ClassVar[str] = "CFR+"


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
    summary: ClassVar[str] = "discounted CFR"

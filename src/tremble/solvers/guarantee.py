"""Compute maxmin strategies for a tree, by the linear program of a Nash equilibrium."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tremble.game.scale import Scale
from tremble.game.tree import GameTree
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import LpSettings, solve_nash

__all__ = ["maxmin_claim"]


def maxmin_claim(tree: GameTree, _concept: str, run: Run, settings: LpSettings) -> Claim:
    """Return a claim with maxmin strategies. Best responses prove that no strategies have greater guarantees.

    If the payoffs have no constant sum, the function solves the zero-sum game in which the opponent minimizes the
    payoff of ``run.player``. Then the claim is only about the strategy of this player.
    """
    from tremble.game.evaluation import expected_values
    from tremble.solution import certificates

    guarantee = None
    if tree.constant_sum is None:
        guarantee, offer_claim = certificates.guarantee(run.player), run.offer_claim

        def offer(make: Callable[[], Profile]) -> None:
            offer_claim(lambda: Claim(make(), {}, guarantee))

        tree, run = Scale.of(tree, run.player).scaled(tree, run.player), replace(run, offer=offer)
    nash = solve_nash(tree, run, settings)
    player1, player2 = (replace(strategy, off_path=np.zeros_like(strategy.off_path)) for strategy in nash.strategies())
    if guarantee is not None:
        return Claim((player1, player2), nash.stats, guarantee)
    first, second = expected_values(tree, (player1, player2))
    values = Fraction(first), Fraction(second)
    return Claim((player1, player2), nash.stats, certificates.best_response(values, values))

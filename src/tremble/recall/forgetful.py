"""Counterfactual regret minimization for players without perfect recall, for comparisons only.

Nodes of an information set with the same earlier moves of the player form a *refined set*. The method adds up the
regrets of all refined sets of an information set. If a player lacks perfect recall, small regrets at all sets do not
imply a small regret of the whole strategy. So the guaranteed payoff can stay far from the maxmin value forever. For
example, uniform play in ``a_loss_counterexample`` has no regret at any set of player 1.

The method returns the average strategy and the payoff that it guarantees. The upper bound on the maxmin value is the
most that a player with perfect recall could earn against the opponent's average strategy. If the opponent lacks perfect
recall, the upper bound uses the opponent's best reply to the player's average strategy instead.

References
----------
M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret minimization in games with incomplete information, NIPS 2007.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tremble.errors import SpecError
from tremble.game.scale import Scale
from tremble.game.sequence_form import Sequences
from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import Floats, Replies
from tremble.recall.branching.claims import branching_claim
from tremble.recall.branching.mixtures import pure_parts
from tremble.solution.claim import Claim
from tremble.solvers.iterations import as_float, log_bounds
from tremble.solvers.method import Run

__all__ = ["solve_by_regret"]

_ITERATIONS = 2**14


class _Learner:
    """The regrets and the average strategy of one player. Arrays are indexed by slots (actions at information sets)."""

    def __init__(self, own: Sequences) -> None:
        self._own, slots = own, own.slot_start
        self._sets = [(before, first, end, int(own.slot[first])) for before, first, end in own.steps()]
        self._bounds = list(pairwise(slots.tolist()))
        self._regret, self._total = np.zeros(int(slots[-1])), np.zeros(int(slots[-1]))
        self.behavior = self._matched(self._regret)

    def _matched(self, weight: Floats) -> Floats:
        """Return probabilities that are proportional to the positive weights, or uniform if no weight is positive."""
        positive = np.maximum(weight, 0.0)
        for first, end in self._bounds:
            total = positive[first:end].sum()
            positive[first:end] = positive[first:end] / total if total > 0.0 else 1.0 / (end - first)
        return positive

    @property
    def average(self) -> Floats:
        """The average strategy so far."""
        return self._matched(self._total)

    def plan(self, behavior: Floats) -> Floats:
        """Return the realization plan of a strategy."""
        return self._own.plan(behavior)

    def learn(self, gain: Floats) -> None:
        """Update the average strategy and the regrets, then choose the next strategy.

        Parameters
        ----------
        gain : float64[S]
            For each sequence q: the payoff against the opponent's strategy, at leaves with q as the last own sequence.
        """
        plan, value = self.plan(self.behavior), gain.copy()
        for before, first, end, slot in reversed(self._sets):
            row = slice(slot, slot + end - first)
            expected = float(self.behavior[row] @ value[first:end])
            self._regret[row] += value[first:end] - expected
            self._total[row] += plan[first:end]
            value[before] += expected
        self.behavior = self._matched(self._regret)


def run_cfr(method: Any, game: GameTree, _concept: str, run: Run) -> Claim:
    """Run cfr for the concept maxmin, and return a claim with the average strategy."""
    if run.checkpoint is not None:
        raise SpecError("'checkpoint' is not supported by the method cfr for the concept maxmin: omit it")
    return solve_by_regret(game, run, method.iterations)


def solve_by_regret(tree: GameTree, run: Run, iterations: int | None = None) -> Claim:
    """Return a claim with the average strategy after ``iterations`` iterations, by default 16,384.

    The first strategy is uniform. The method stops early if the gap between the bounds reaches the target.
    """
    assert run.gap is not None
    scale = Scale.of(tree, run.player)
    form = BilinearForm.of(scale.scaled(tree, run.player), run.player)
    seen, gap = Replies(form), run.gap / scale.unit
    learner = _Learner(form.own)
    other = _Learner(form.other)
    done, most, constant = 0, iterations or _ITERATIONS, tree.constant_sum

    def claim() -> Claim:
        mixed = learner.average
        replies = Replies(form)
        if form.other.forgetful.any():
            whole = replies.whole(seen.answers[seen.guarantee(mixed)[1]][None], np.ones(1))
        else:
            whole = replies.whole(*pure_parts(form.other, other.plan(other.average)))
        return branching_claim(replies, scale, mixed, whole, gap, {"iterations": done})

    run.offer_claim(claim)
    run.clock.iterations_begin()
    while done < most:
        run.clock.check()
        first, second = learner.plan(learner.behavior), other.plan(other.behavior)
        learner.learn(form.matrix @ second)
        other.learn(-(form.matrix.T @ first))
        done += 1
        if done & (done - 1) == 0 or done == most:
            lower = scale.payoff(seen.guarantee(learner.average)[0])
            gain = form.matrix @ other.plan(other.average)
            upper = scale.payoff(form.own.best_values(gain.tolist())[0])
            shown = (lower, upper) if run.player == 0 or constant is None else (constant - upper, constant - lower)
            log_bounds(run, done, *shown)
            run.progress(f"iteration {done:,}: guarantees {as_float(lower):.6g}", done / most)
            if upper - lower <= run.gap:
                break
    return claim()

"""Regret minimisation along the public tree: the variants of :mod:`tremble.solvers.regret`, at the size of poker.

A player's regrets and the sums of its plans are arrays of the plan's shape; an iteration passes over the tiles of the
last round, then of the rounds before (regrets), and back (plans).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tremble.model.tree import FloatArray
from tremble.solvers.public_tree.kernels import learn, play, start_play
from tremble.solvers.public_tree.layout import Plan, PublicTree
from tremble.solvers.public_tree.plans import ALONE, Shards, bounds, empty_plan, kernel_side
from tremble.solvers.regret.variants import Variant, kept

__all__ = ["PublicTreeMinimizer"]


class PublicTreeMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Examples
    --------
    >>> from tremble.games.rhode_island import RhodeIsland
    >>> from tremble.model.ordered.filtered import FilteredGame
    >>> from tremble.reductions.lossless import lossless_filter
    >>> from tremble.solvers.regret.variants import VARIANTS
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> tree = PublicTree.of(FilteredGame.of(game, lossless_filter(game)))
    >>> minimizer = PublicTreeMinimizer(tree, VARIANTS["dcfr"])
    >>> minimizer.run(200)
    >>> lower, upper = minimizer.bounds()
    >>> upper - lower < 0.05
    True
    """

    def __init__(self, tree: PublicTree, variant: Variant, executor: ThreadPoolExecutor | None = None) -> None:
        self.tree, self.variant, self.iterations = tree, variant, 0
        # The first pass is made alone: Numba must not compile in several threads at once.
        self._shards, self._shared = (ALONE, ALONE), Shards(executor)
        self.regret = (empty_plan(tree, 0), empty_plan(tree, 1))
        self.total = (empty_plan(tree, 0), empty_plan(tree, 1))
        none = np.zeros((0, 0, 0))
        self.latest: tuple[Plan, Plan] = (
            (empty_plan(tree, 0), empty_plan(tree, 1))
            if variant.predictive
            else ([none] * len(tree.sides[0]), [none] * len(tree.sides[1]))
        )
        self._plan = (empty_plan(tree, 0), empty_plan(tree, 1))
        self._arrays = tuple([kernel_side(side) for side in rounds] for rounds in tree.sides)
        for player in (0, 1):
            self._play(player, 0.0)

    def run(self, count: int) -> None:
        """Do so many iterations; Ctrl-C is heard between them."""
        for _ in range(count):
            t = self.iterations + 1
            before = np.array([t - 1.0])
            positive, negative = (float(kept(before, power)[0]) for power in (self.variant.alpha, self.variant.beta))
            weight = float(t) ** self.variant.gamma
            for player in (0, 1):
                self._learn(player, positive, negative)
                if self.variant.alternating:
                    self._play(player, weight)
            if not self.variant.alternating:
                for player in (0, 1):
                    self._play(player, weight)
            self.iterations = t
            self._shards = self._shared, self._shards[1]

    def resume(self, iterations: int) -> None:
        """Go on after so many iterations, whose regrets and sums have been put into the tables."""
        self.iterations = iterations
        for player in (0, 1):
            self._play(player, 0.0)

    def bounds(self) -> tuple[float, float]:
        """What the average plans guarantee, in units of payoff."""
        found = bounds(self.tree, self.total, self._shards[1])
        self._shards = self._shards[0], self._shared
        return found

    def _learn(self, player: int, positive: float, negative: float) -> None:
        """New regrets against the other's plan."""
        following: FloatArray = np.zeros((0, 0))
        rounds = self.tree.sides[player]
        for number in reversed(range(len(rounds))):
            side, other = rounds[number], self._plan[1 - player][number]
            above = np.empty((side.shape[0], side.num_lines))
            other_start = self.tree.sides[1 - player][number].tile_start
            regret, latest, come = self.regret[player][number], self.latest[player][number], following
            arrays, stage = self._arrays[player][number], (side.parent, side.start)

            def work(first: int, last: int) -> None:
                learn(
                    arrays, stage, first, last, other_start, other, come, regret, latest, positive, negative,  # noqa: B023
                    self.variant.floor, above,  # noqa: B023
                )  # fmt: skip

            self._shards[0].run(work, side.tile_start)
            following = above

    def _play(self, player: int, weight: float) -> None:
        """The plan that the regrets make, counted into the average."""
        rounds = self.tree.sides[player]
        for number, side in enumerate(rounds):
            plan, total = self._plan[player][number], self.total[player][number]
            regret, latest = self.regret[player][number], self.latest[player][number]
            before = self._plan[player][number - 1]
            leaving = rounds[number - 1].leaving
            if number == 0:
                plan[:, 0, :] = 1.0

            def work(first: int, last: int) -> None:
                if number:  # noqa: B023
                    start_play(side.earlier, leaving, before, plan, first, last)  # noqa: B023
                play((side.parent, side.start), first, last, regret, latest, plan, total, weight)  # noqa: B023

            self._shards[0].run(work, np.arange(len(side.order) + 1))

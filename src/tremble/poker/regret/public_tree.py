"""Regret minimization along the public tree of large ordered games, by the variants of :mod:`~tremble.solvers.regret`.

The *public tree* contains only what both players see: the public states and the moves. Each iteration makes two passes
over the public states. The pass from the last round back to round 1 updates regrets. The pass from round 1 to the last
round updates plans. Each thread processes some public states of a round. The number of threads changes no result.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tremble.integers import FloatArray
from tremble.poker.filtered_arrays import Plan, PublicTree
from tremble.poker.regret.public_tree_kernels import best_replies, learn, play
from tremble.poker.regret.tables import ALONE, Shards, empty_plan, pass_up
from tremble.solvers.regret import Variant, kept

__all__ = ["PublicTreeMinimizer"]

_NONE = np.zeros((0, 0, 0))


class PublicTreeMinimizer:
    """The regrets, plans and sums of plans of both players, which :meth:`run` updates in each iteration.

    Attributes
    ----------
    regret, total, latest, plan : pair of plans
        Tables of both players. ``regret`` contains cumulative regrets, ``plan`` contains the current plans, and
        ``total`` contains the weighted sums of all plans so far. ``latest`` contains the instantaneous regrets of the
        last iteration. If the variant is not predictive, ``latest`` is empty.
    whole : bool
        False during an iteration, and after an interrupted iteration.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.filtered import FilteredGame
    >>> from tremble.poker.abstraction.lossless import lossless_filter
    >>> from tremble.solvers.regret import VARIANTS
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> tree = PublicTree.of(FilteredGame.of(game, lossless_filter(game)))
    >>> minimizer = PublicTreeMinimizer(tree, VARIANTS["dcfr"])
    >>> minimizer.run(200)
    >>> lower, upper = minimizer.bounds()
    >>> upper - lower < 0.05
    True
    """

    def __init__(self, tree: PublicTree, variant: Variant, executor: ThreadPoolExecutor | None = None) -> None:
        self.tree, self.variant, self.iterations, self.whole = tree, variant, 0, True
        # The first pass uses only one thread, because Numba must not compile in more than one thread at a time.
        self._shards, self._shared = (ALONE, ALONE), Shards(executor)
        self.regret, self.total, self.plan = ((empty_plan(tree, 0), empty_plan(tree, 1)) for _ in range(3))
        self.latest: tuple[Plan, Plan] = ([_NONE] * len(tree.sides[0]), [_NONE] * len(tree.sides[1]))
        if variant.predictive:
            self.latest = empty_plan(tree, 0), empty_plan(tree, 1)
        for player in (0, 1):
            self.plan[player][0][:, 0, :] = 1.0
            self._play(player, 0.0)

    def run(self, count: int) -> None:
        """Run a number of iterations. Ctrl-C takes effect between two iterations."""
        for _ in range(count):
            t = self.iterations + 1
            before = np.array([t - 1.0])
            positive, negative = (float(kept(before, power)[0]) for power in (self.variant.alpha, self.variant.beta))
            weight = float(t) ** self.variant.gamma
            self.whole = False
            for player in (0, 1):
                self._learn(player, positive, negative)
                if self.variant.alternating:
                    self._play(player, weight)
            if not self.variant.alternating:
                for player in (0, 1):
                    self._play(player, weight)
            self.iterations, self.whole = t, True
            self._shards = self._shared, self._shards[1]

    def resume(self, iterations: int) -> None:
        """Set the number of completed iterations, and compute both players' current plans from the regrets.

        Before the call, the caller must write the regrets and the sums of plans of these iterations into the tables.
        """
        self.iterations = iterations
        for player in (0, 1):
            self._play(player, 0.0)

    def release(self) -> None:
        """Free the memory of all tables but the sums of plans."""
        self.regret = self.latest = self.plan = [], []
        self.whole = False

    def identity(self) -> dict[str, str]:
        """Return a digest of the classes of hands. A run can resume from a checkpoint only if the digests are equal."""
        classes = hashlib.sha256()
        for player in self.tree.filtered.filter.class_of:
            for class_of in player:
                classes.update(class_of.tobytes())
        return {"classes": classes.hexdigest()}

    def state(self) -> dict[str, FloatArray]:
        """Return a mapping from names to the arrays that determine the next iteration. The arrays are not copied."""
        return {
            f"{kind} {player + 1} {number}": array
            for kind in ("regret", "total", "latest")
            for player in (0, 1)
            for number, array in enumerate(getattr(self, kind)[player], 1)
        }

    def bounds(self) -> tuple[float, float]:
        """Return a lower and an upper bound on the value of the game, from best responses to the average plans."""
        most = []
        for player in (0, 1):
            earned = pass_up(self.tree.sides, player, self.total[1 - player], self._shards[1], best_replies)
            most.append(float(earned.sum()) / float(self.total[1 - player][0][0, 0, 0]))
        self._shards = self._shards[0], self._shared
        return -most[1] * self.tree.unit, most[0] * self.tree.unit

    def _learn(self, player: int, positive: float, negative: float) -> None:
        """Multiply positive regrets of a player by ``positive``, other regrets by ``negative``; add the new regrets."""
        own, settings = (self.regret[player], self.latest[player]), (positive, negative, self.variant.floor)
        pass_up(self.tree.sides, player, self.plan[1 - player], self._shards[0], learn, own, settings)

    def _play(self, player: int, weight: float) -> None:
        """Compute a player's plan from its regrets, and add the plan times ``weight`` to the player's ``total``."""
        before, leaving = _NONE, np.zeros(0, dtype=np.int64)
        for number, side in enumerate(self.tree.sides[player]):
            plan, total = self.plan[player][number], self.total[player][number]
            regret, latest = self.regret[player][number], self.latest[player][number]
            self._shards[0].run(
                side.each, len(side.order), play,
                side.stage, side.earlier, leaving, before, plan, regret, latest, total, weight,
            )  # fmt: skip
            before, leaving = plan, side.leaving

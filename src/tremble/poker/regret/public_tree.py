"""Regret minimisation along the public tree: the variants of :mod:`~tremble.solvers.regret`, as large as poker.

An iteration passes over the public states from the last round to the first (regrets), and back (plans), in this
process, among its threads, or with the boards on workers (:mod:`.boards`); the results are the same, bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tremble.game.tree import FloatArray
from tremble.poker.filtered_arrays import Plan, PublicTree
from tremble.poker.regret.boards import Boards
from tremble.poker.regret.tables import ALONE, KINDS, NOTHING_BELOW, Shards, Tables, whole
from tremble.solvers.regret import Variant, kept

__all__ = ["PublicTreeMinimizer"]


class PublicTreeMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Attributes
    ----------
    regret, total, latest : pair of plans
        As they are here; those of boards on workers are those that were brought home last.

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

    def __init__(
        self,
        tree: PublicTree,
        variant: Variant,
        executor: ThreadPoolExecutor | None = None,
        boards: Boards | None = None,
    ) -> None:
        self.tree, self.variant, self.iterations = tree, variant, 0
        self._made, self._travelled = 0, 0  # iterations here, and bytes in them
        self._whole = True  # no iteration is under way
        # The first pass is made alone: Numba must not compile in several threads at once.
        self._shards, self._shared = (ALONE, ALONE), Shards(executor)
        spans = whole(tree.sides)
        if boards is not None:
            spans = [span if number < boards.round else (0, 0) for number, span in enumerate(spans)]
        self._boards, self._tables = boards, Tables(tree.sides, variant, spans)
        self.regret, self.total, self.latest = self._tables.regret, self._tables.total, self._tables.latest
        for player in (0, 1):
            self._play(player, 0.0)

    @property
    def sound(self) -> bool:
        """Whether the tables, here and on workers, are those after the last iteration."""
        return self._whole and (self._boards is None or self._boards.sound)

    def run(self, count: int) -> None:
        """Do so many iterations; Ctrl-C is heard between them."""
        for _ in range(count):
            t = self.iterations + 1
            before = np.array([t - 1.0])
            positive, negative = (float(kept(before, power)[0]) for power in (self.variant.alpha, self.variant.beta))
            weight = float(t) ** self.variant.gamma
            travelled, self._whole = self._traffic, False
            for player in (0, 1):
                self._learn(player, positive, negative)
                if self.variant.alternating:
                    self._play(player, weight)
            if not self.variant.alternating:
                for player in (0, 1):
                    self._play(player, weight)
            self.iterations, self._whole = t, True
            self._made, self._travelled = self._made + 1, self._travelled + self._traffic - travelled
            self._shards = self._shared, self._shards[1]

    def resume(self, iterations: int) -> None:
        """Go on after so many iterations, whose regrets and sums have been put into the tables."""
        self.iterations = iterations
        if self._boards is not None:
            for kind, player, plan in self._kept():
                self._boards.hand_out(kind, player, plan)
        for player in (0, 1):
            self._play(player, 0.0)

    def state(self) -> dict[str, FloatArray]:
        """All that the next iteration depends on beside their number, by name: the arrays themselves, brought home."""
        if self.iterations:
            self.bring_home(*KINDS)
        return {
            f"{kind} {player + 1} {number}": array
            for kind, player, rounds in self._kept()
            for number, array in enumerate(rounds, 1)
        }

    def bring_home(self, *kinds: str) -> None:
        """Bring tables of these kinds here, if they are on workers."""
        if self._boards is not None:
            for kind, player, plan in self._kept():
                if kind in kinds:
                    self._boards.bring(kind, player, plan)

    def _kept(self) -> Iterator[tuple[str, int, Plan]]:
        for kind in KINDS:
            for player in (0, 1):
                yield kind, player, getattr(self, kind)[player]

    def bounds(self) -> tuple[float, float]:
        """What the average plans guarantee: bounds on player 1's value, in units of payoff."""
        most = []
        for player in (0, 1):
            following = NOTHING_BELOW if self._boards is None else self._boards.best(player)
            earned = float(self._tables.best(player, following, self._shards[1]).sum())
            most.append(earned / float(self.total[1 - player][0][0, 0, 0]))
        self._shards = self._shards[0], self._shared
        return -most[1] * self.tree.unit, most[0] * self.tree.unit

    def traffic(self) -> dict[str, Any]:
        """What to tell of workers, if there are some."""
        if self._boards is None:
            return {}
        return {"workers": self._boards.workers, "bytes_per_iteration": self._travelled // max(self._made, 1)}

    @property
    def remote(self) -> bool:
        """Whether there are boards on workers."""
        return self._boards is not None

    @property
    def _traffic(self) -> int:
        return 0 if self._boards is None else self._boards.traffic

    def _learn(self, player: int, positive: float, negative: float) -> None:
        """New regrets against the other's plan."""
        following = NOTHING_BELOW if self._boards is None else self._boards.learn(player, positive, negative)
        self._tables.learn(player, positive, negative, following, self._shards[0])

    def _play(self, player: int, weight: float) -> None:
        """The plan that the regrets make, counted into the average."""
        self._tables.play(player, weight, self._shards[0])
        if self._boards is not None:
            self._boards.play(player, weight, self._tables.plan[player][self._boards.round - 1])

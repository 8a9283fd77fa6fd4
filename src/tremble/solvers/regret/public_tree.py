"""Regret minimisation along the public tree: the variants of :mod:`~tremble.solvers.shared.regret`, as large as poker.

A player's regrets and the sums of its plans are arrays of the plan's shape; an iteration passes over the public
states of the last round, then of the rounds before (regrets), and back (plans).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.tree import FloatArray
from tremble.solvers.regret.public_tree_kernels import best_replies, learn, play
from tremble.solvers.shared.public_tree import Plan, PublicTree
from tremble.solvers.shared.regret import Variant, kept

__all__ = ["PublicTreeMinimizer", "best_value", "bounds", "empty_plan"]

_NONE = np.zeros((0, 0, 0))


class Shards:
    """Shares of the public states of a round, worked on side by side where there are threads."""

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor
        self._count = 1 if executor is None else 2 * executor._max_workers

    def run(self, starts: NDArray[np.int64], kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(*arguments, first, last)`` for shares of the items, about equally many positions each."""
        items = len(starts) - 1
        if self._executor is None or items < 2 * self._count:
            kernel(*arguments, 0, items)
            return
        goals = starts[-1] * np.arange(1, self._count) // self._count
        cuts = [0, *np.searchsorted(starts, goals).tolist(), items]
        for done in [self._executor.submit(kernel, *arguments, a, b) for a, b in pairwise(cuts)]:
            done.result()


_ALONE = Shards(None)


def empty_plan(tree: PublicTree, player: int) -> Plan:
    """Arrays for a plan, all 0."""
    return [np.zeros(side.shape) for side in tree.sides[player]]


def best_value(tree: PublicTree, player: int, other: Plan, shards: Shards = _ALONE) -> float:
    """What the player earns at most against the other's plan, in units of ``tree.unit``."""
    return float(_pass_up(tree, player, other, shards, best_replies).sum())


def bounds(tree: PublicTree, plans: tuple[Plan, Plan], shards: Shards = _ALONE) -> tuple[float, float]:
    """What the plans of players 1 and 2 guarantee: bounds on player 1's value, in units of payoff."""
    upper = best_value(tree, 0, plans[1], shards) / float(plans[1][0][0, 0, 0])
    lower = -best_value(tree, 1, plans[0], shards) / float(plans[0][0][0, 0, 0])
    return lower * tree.unit, upper * tree.unit


def _pass_up(
    tree: PublicTree,
    player: int,
    other: Plan,
    shards: Shards,
    kernel: Callable[..., None],
    own: tuple[Plan, ...] = (),
    settings: tuple[Any, ...] = (),
) -> FloatArray:
    """Work from the last round to the first with what is the player's own there; what the empty sequences earn."""
    following: FloatArray = np.zeros((0, 0))
    for number in reversed(range(len(other))):
        side, start = tree.sides[player][number], tree.sides[1 - player][number].state_start
        above, tables = np.empty((len(side.order), side.num_histories)), [plans[number] for plans in own]
        shards.run(
            side.state_start,
            kernel,
            side.arrays,
            side.stage,
            start,
            other[number],
            following,
            above,
            *tables,
            *settings,
        )
        following = above
    return following


class PublicTreeMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Examples
    --------
    >>> from tremble.games.rhode_island import RhodeIsland
    >>> from tremble.model.ordered.filtered import FilteredGame
    >>> from tremble.reductions.lossless import lossless_filter
    >>> from tremble.solvers.shared.regret import VARIANTS
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
        self._shards, self._shared = (_ALONE, _ALONE), Shards(executor)
        self.regret = (empty_plan(tree, 0), empty_plan(tree, 1))
        self.total = (empty_plan(tree, 0), empty_plan(tree, 1))
        self.latest: tuple[Plan, Plan] = ([_NONE] * len(tree.sides[0]), [_NONE] * len(tree.sides[1]))
        if variant.predictive:
            self.latest = empty_plan(tree, 0), empty_plan(tree, 1)
        self._plan = (empty_plan(tree, 0), empty_plan(tree, 1))
        for player in (0, 1):
            self._plan[player][0][:, 0, :] = 1.0
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

    def state(self) -> dict[str, FloatArray]:
        """All that the next iteration depends on beside their number, by name: the arrays themselves."""
        return {
            f"{kind} {player} {number}": array
            for kind in ("regret", "total", "latest")
            for player, rounds in enumerate(getattr(self, kind), 1)
            for number, array in enumerate(rounds, 1)
        }

    def bounds(self) -> tuple[float, float]:
        """What the average plans guarantee, in units of payoff."""
        lower, upper = bounds(self.tree, self.total, self._shards[1])
        self._shards = self._shards[0], self._shared
        return lower, upper

    def _learn(self, player: int, positive: float, negative: float) -> None:
        """New regrets against the other's plan."""
        own, settings = (self.regret[player], self.latest[player]), (positive, negative, self.variant.floor)
        _pass_up(self.tree, player, self._plan[1 - player], self._shards[0], learn, own, settings)

    def _play(self, player: int, weight: float) -> None:
        """The plan that the regrets make, counted into the average."""
        before, leaving = _NONE, np.zeros(0, dtype=np.int64)
        for number, side in enumerate(self.tree.sides[player]):
            plan, total = self._plan[player][number], self.total[player][number]
            regret, latest = self.regret[player][number], self.latest[player][number]
            self._shards[0].run(
                side.each, play, side.stage, side.earlier, leaving, before, plan, regret, latest, total, weight
            )
            before, leaving = plan, side.leaving

"""Compute regrets round by round, from the last to the first. Threads can divide a round's public states.

A player's regrets and the weighted sums of its plans are arrays with the shape of a plan. The computation of a round
needs only the values of the next round's empty sequences.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.integers import FloatArray
from tremble.poker.filtered_arrays import Plan, PublicTree, RoundSide

__all__ = ["ALONE", "Shards", "empty_plan", "pass_up"]

Sides = tuple[tuple[RoundSide, ...], tuple[RoundSide, ...]]
"""The arrays of a :class:`PublicTree`, by player and round."""


class Shards:
    """Threads that divide the public states of a round among themselves.

    Without an executor, the calling thread processes all public states.
    """

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor
        self._count = 1 if executor is None else 2 * executor._max_workers

    def run(self, starts: NDArray[np.int64], last: int, kernel: Callable[..., None], *arguments: Any) -> None:
        """Split states 0 to ``last - 1`` into ranges a to b - 1. For each range, call ``kernel(*arguments, a, b)``.

        Public state t has ``starts[t + 1] - starts[t]`` classes of hands. Ranges have about equal numbers of classes.
        """
        if self._executor is None or last < 2 * self._count:
            kernel(*arguments, 0, last)
            return
        ends = starts[0] + (starts[last] - starts[0]) * np.arange(1, self._count) // self._count
        cuts = [0, *np.searchsorted(starts, ends).tolist(), last]
        for done in [self._executor.submit(kernel, *arguments, a, b) for a, b in pairwise(cuts)]:
            done.result()


ALONE = Shards(None)


def empty_plan(tree: PublicTree, player: int) -> Plan:
    """Return arrays of zeros with the shape of a player's plan."""
    return [np.zeros(side.shape) for side in tree.sides[player]]


def pass_up(
    sides: Sides, player: int, other: Plan, shards: Shards, kernel: Callable[..., None],
    own: tuple[Plan, ...] = (), settings: tuple[Any, ...] = (),
) -> FloatArray:  # fmt: skip
    """Call a compiled function for each round of a player, from the last to the first.

    Parameters
    ----------
    sides : Sides
    player : int
    other : Plan
        The opponent's plan.
    shards : Shards
    kernel : callable
        A function of :mod:`~tremble.poker.regret.public_tree_kernels`.
    own : tuple of Plan
        The player's tables that the compiled function reads or changes.
    settings : tuple
        The remaining arguments of the compiled function.

    Returns
    -------
    float64 array [C, H]
        The values of the first round's empty sequences.
    """
    following: FloatArray = np.zeros((0, 0))
    for number in reversed(range(len(sides[player]))):
        side, other_start = sides[player][number], sides[1 - player][number].state_start
        above, tables = np.empty((len(side.order), side.num_histories)), [plans[number] for plans in own]
        shards.run(
            side.state_start, len(side.state_start) - 1, kernel,
            side.arrays, side.stage, other_start, other[number], following, above, *tables, *settings,
        )  # fmt: skip
        following = above
    return following

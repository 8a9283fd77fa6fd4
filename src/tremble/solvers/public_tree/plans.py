"""Plans of both players as floats: uniform ones, what they guarantee, and exact strategies in proportion to them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.ordered.deals import Deals
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.tree import FloatArray
from tremble.solvers.public_tree.kernels import best_replies
from tremble.solvers.public_tree.layout import Plan, PublicTree, RoundSide

__all__ = ["ALONE", "Shards", "best_value", "bounds", "empty_plan", "exact_strategy", "kernel_side", "short_bits"]

IntArray = NDArray[np.int64]

_BITS, _FEWEST_BITS = 44, 36  # of weights
_SHORT_BITS = 61  # up to which the checker's sums over hands stay in one integer of the machine


class Shards:
    """Shares of the tiles of a round, worked on side by side where there are threads."""

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor
        self._count = 1 if executor is None else 2 * executor._max_workers

    def run(self, work: Callable[[int, int], Any], starts: IntArray) -> None:
        """Call ``work(first, last)`` for shares of the items, about equally many positions each."""
        items = len(starts) - 1
        if self._executor is None or items < 2 * self._count:
            work(0, items)
            return
        goals = starts[-1] * np.arange(1, self._count) // self._count
        cuts = [0, *np.searchsorted(starts, goals).tolist(), items]
        for done in [self._executor.submit(work, a, b) for a, b in pairwise(cuts)]:
            done.result()


ALONE = Shards(None)


def kernel_side(side: RoundSide) -> tuple[Any, ...]:
    """What the kernels take of a side."""
    return (
        side.tile_start, side.child_start, side.child, side.weight, side.fresh, side.entry_start, side.column,
        side.entry, side.needed_start, side.needed, side.end_start, side.end_slot, side.end_own, side.end_factor,
        side.leaving,
    )  # fmt: skip


def empty_plan(tree: PublicTree, player: int) -> Plan:
    """Arrays for a plan, all 0."""
    return [np.zeros(side.shape) for side in tree.sides[player]]


def best_value(tree: PublicTree, player: int, other: Plan, shards: Shards = ALONE) -> float:
    """What the player earns at most against the other's plan, in units of ``tree.unit``."""
    following: FloatArray = np.zeros((0, 0))
    for side, opponent, plan in reversed(list(zip(tree.sides[player], tree.sides[1 - player], other, strict=True))):
        above = np.empty((side.shape[0], side.num_lines))
        arrays, stage = kernel_side(side), (side.parent, side.start)

        def work(first: int, last: int) -> None:
            best_replies(arrays, stage, first, last, opponent.tile_start, plan, following, above)  # noqa: B023

        shards.run(work, side.tile_start)
        following = above
    return float(following.sum())


def bounds(tree: PublicTree, plans: tuple[Plan, Plan], shards: Shards = ALONE) -> tuple[float, float]:
    """What the plans of players 1 and 2 guarantee: bounds on player 1's value, in units of payoff."""
    upper = best_value(tree, 0, plans[1], shards) / float(plans[1][0][0, 0, 0])
    lower = -best_value(tree, 1, plans[0], shards) / float(plans[0][0][0, 0, 0])
    return lower * tree.unit, upper * tree.unit


def short_bits(game: OrderedGame) -> int:
    """Bits of weights with which the checker has short integers to add up, if that leaves weights fine enough.

    A sum is of the weights of all hands of the other, times a payoff. Long integers take it several times as long.
    """
    most = 1
    for deals in Deals.of(game).rounds:
        hands = deals.num_hands if deals.mass is None else int(deals.mass.sum(axis=2).max())
        if deals.payoffs.leaves:
            most = max(most, deals.unit * hands * int(np.abs(deals.payoffs.utility).max()))
    bits = _SHORT_BITS - most.bit_length()
    return min(bits, _BITS) if bits >= _FEWEST_BITS else _BITS


def exact_strategy(tree: PublicTree, player: int, plan: Plan, bits: int = _BITS) -> OrderedStrategy:
    """The exact strategy in proportion to a plan, every weight a multiple of 2^-bits.

    The rounded running sum of the shares at an information set is split: a share is off by less than 1, none is
    negative, and 0 stays 0. Where the plan never comes, choices are uniform.
    """
    denominator = 1 << bits
    rounds: list[IntArray] = []
    leaving = np.zeros(1, dtype=np.int64)
    come: IntArray = np.full((1, 1, 1), denominator)
    for side, floats in zip(tree.sides[player], plan, strict=True):
        whole = np.empty(side.shape, dtype=np.int64)
        whole[:, 0, :] = come[side.earlier][:, leaving, :].transpose(0, 2, 1).reshape(len(side.order), -1)
        for first, last, parent in zip(side.start[:-1], side.start[1:], side.parent, strict=True):
            running = np.cumsum(floats[:, first:last, :], axis=1)
            base = running[:, -1:, :]
            even = np.arange(1, last - first + 1)[None, :, None] / (last - first)
            share = np.where(base > 0, running / np.where(base > 0, base, 1.0), even)
            goal = np.rint(share * whole[:, parent, :][:, None, :]).astype(np.int64)
            whole[:, first:last, :] = np.diff(goal, axis=1, prepend=0)
        come, leaving = whole, side.leaving
        by_class = np.empty_like(whole[:, 1:, :])
        by_class[side.order] = whole[:, 1:, :]
        rounds.append(by_class)
    return OrderedStrategy(player, tree.filtered.filter.class_of[player], tuple(rounds), denominator)

"""Regrets and plans at the public states of some rounds, and the passes over them: all of a game, or a part of it.

A player's regrets and the sums of its plans are arrays of the plan's shape. A pass goes over the public states of the
last round, then of the rounds before (regrets, best replies), or back (plans). What is below a public state hears of
the rest of the game only how the plans come to it, and tells only what the empty sequences earn there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree import FloatArray
from tremble.poker.filtered_arrays import Plan, PublicTree, RoundSide, SideClasses
from tremble.poker.regret.public_tree_kernels import best_replies, learn, play
from tremble.solvers.regret import Variant

__all__ = ["ALONE", "KINDS", "NOTHING_BELOW", "Shards", "Sides", "Spans", "Tables", "best_value", "empty_plan", "whole"]

Sides = tuple[tuple[RoundSide, ...], tuple[RoundSide, ...]]
"""Player, round."""

Spans = Sequence[tuple[int, int]]
"""Of each round, the public states from one to before another."""

KINDS = ("regret", "total", "latest")
"""The tables that the next iteration depends on."""

NOTHING_BELOW: FloatArray = np.zeros((0, 0))
"""What the empty sequences of the round after the last one earn."""

_NONE = np.zeros((0, 0, 0))


class Shards:
    """Shares of the public states of a round, worked on side by side where there are threads."""

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor
        self._count = 1 if executor is None else 2 * executor._max_workers

    def run(
        self, starts: NDArray[np.int64], span: tuple[int, int], kernel: Callable[..., None], *arguments: Any
    ) -> None:
        """Call ``kernel(*arguments, first, last)`` for shares of a span, about equally many positions each."""
        first, last = span
        if self._executor is None or last - first < 2 * self._count:
            kernel(*arguments, first, last)
            return
        goals = starts[first] + (starts[last] - starts[first]) * np.arange(1, self._count) // self._count
        cuts = [first, *np.searchsorted(starts, goals).tolist(), last]
        for done in [self._executor.submit(kernel, *arguments, a, b) for a, b in pairwise(cuts)]:
            done.result()


ALONE = Shards(None)


def whole(sides: Sides) -> Spans:
    """All public states."""
    return [(0, len(side.state_start) - 1) for side in sides[0]]


def empty_plan(tree: PublicTree, player: int) -> Plan:
    """Arrays for a plan, all 0."""
    return _empty(tree.sides[player])


def _empty(rounds: Sequence[SideClasses]) -> Plan:
    return [np.zeros(side.shape) for side in rounds]


def best_value(tree: PublicTree, player: int, other: Plan) -> float:
    """What the player earns at most against the other's plan, in units of ``tree.unit``."""
    return float(_pass_up(tree.sides, whole(tree.sides), player, other, ALONE, best_replies).sum())


def _pass_up(
    sides: Sides,
    spans: Spans,
    player: int,
    other: Plan,
    shards: Shards,
    kernel: Callable[..., None],
    following: FloatArray = NOTHING_BELOW,
    own: tuple[Plan, ...] = (),
    settings: tuple[Any, ...] = (),
) -> FloatArray:
    """Work from the last round to the first with what is the player's own there; what the empty sequences earn.

    ``following`` is what they earn in the round below the last one that there is a span of.
    """
    for number in reversed(range(len(spans))):
        if spans[number][0] == spans[number][1]:
            continue
        side, start = sides[player][number], sides[1 - player][number].state_start
        above, tables = np.empty((len(side.order), side.num_histories)), [plans[number] for plans in own]
        shards.run(
            side.state_start,
            spans[number],
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


class Tables:
    """Regrets, plans and the sums of plans of both players at the public states of a span of each round.

    Arrays have the shape of the whole game; what is outside of the spans is not touched, and takes no memory.

    Attributes
    ----------
    regret, total, latest, plan : pair of plans
        ``latest`` are the last gains, empty unless the variant expects them again.
    before : pair of arrays
        The plans of the round before the first one with a span, as far as they lead there.
    """

    def __init__(self, sides: Sides, variant: Variant, spans: Spans) -> None:
        self._sides, self._variant, self._spans = sides, variant, spans
        self.regret = (_empty(sides[0]), _empty(sides[1]))
        self.total = (_empty(sides[0]), _empty(sides[1]))
        self.plan = (_empty(sides[0]), _empty(sides[1]))
        self.latest: tuple[Plan, Plan] = ([_NONE] * len(sides[0]), [_NONE] * len(sides[1]))
        if variant.predictive:
            self.latest = _empty(sides[0]), _empty(sides[1])
        self._first = next(number for number, (a, b) in enumerate(spans) if a < b)
        self.before = (_NONE, _NONE)
        if self._first > 0:
            self.before = np.zeros(sides[0][self._first - 1].shape), np.zeros(sides[1][self._first - 1].shape)
        else:
            for plan in self.plan:
                plan[0][:, 0, :] = 1.0

    def learn(
        self,
        player: int,
        positive: float,
        negative: float,
        following: FloatArray = NOTHING_BELOW,
        shards: Shards = ALONE,
    ) -> FloatArray:
        """New regrets against the other's plan, and what the empty sequences of the first round with a span earn."""
        own, settings = (self.regret[player], self.latest[player]), (positive, negative, self._variant.floor)
        return _pass_up(
            self._sides, self._spans, player, self.plan[1 - player], shards, learn, following, own, settings
        )

    def best(self, player: int, following: FloatArray = NOTHING_BELOW, shards: Shards = ALONE) -> FloatArray:
        """What they earn at most against the sum of the other's plans."""
        return _pass_up(self._sides, self._spans, player, self.total[1 - player], shards, best_replies, following)

    def play(self, player: int, weight: float, shards: Shards = ALONE) -> None:
        """The plan that the regrets make, counted into the average."""
        before, leaving = self.before[player], np.zeros(0, dtype=np.int64)
        for number, (side, (a, b)) in enumerate(zip(self._sides[player], self._spans, strict=True)):
            if a < b:
                plan, total = self.plan[player][number], self.total[player][number]
                regret, latest = self.regret[player][number], self.latest[player][number]
                span = int(side.state_start[a]), int(side.state_start[b])
                shards.run(
                    side.each,
                    span,
                    play,
                    side.stage,
                    side.earlier,
                    leaving,
                    before,
                    plan,
                    regret,
                    latest,
                    total,
                    weight,
                )
                before = plan
            leaving = side.leaving
